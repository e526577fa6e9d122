//! Hole masks that other tools keep beside their heights: a picture whose marked pixels are open ground.

use super::Channel;
use super::mask::Mask;
use super::weights::Picture;
use crate::field::{Field, Quad, Sample};
use crate::{Error, Result};
use std::path::{Path, PathBuf};

/// What a caller knows about a picture of holes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HoleOptions {
    /// The channel that marks them.
    pub channel: Channel,
    /// Marked is what is at least this, of 65535; a value of 8 bits counts 257 times. 1 is whatever is not 0.
    pub at_least: u16,
    /// True where what is marked is ground, and the rest is open.
    pub invert: bool,
}

impl Default for HoleOptions {
    fn default() -> Self {
        Self { channel: Channel::Red, at_least: 1, invert: false }
    }
}

impl HoleOptions {
    /// The same options with the holes in this channel.
    pub fn with_channel(self, channel: Channel) -> Self {
        Self { channel, ..self }
    }

    /// The same options with what is at least this marked, of 65535.
    pub fn with_at_least(self, at_least: u16) -> Self {
        Self { at_least, ..self }
    }

    /// The same options with marked pixels for ground and the others open, or not.
    pub fn with_invert(self, invert: bool) -> Self {
        Self { invert, ..self }
    }
}

/// A picture of holes, a bit a pixel, to be opened in a field.
#[derive(Clone)]
pub struct HolePicture {
    name: PathBuf,
    size: (u32, u32),
    mask: Mask,
}

/// Reads a picture of holes: a PNG of 8 or 16 bits with a pixel for each sample or for each quad of a map, row 0 in the
/// north.
///
/// ```no_run
/// use landform::field::{Field, FieldDesc};
/// use landform::import::{Channel, HoleOptions, import_holes};
///
/// let mut field = Field::new(FieldDesc::new(1024, 1024))?;
/// // Terrain3D's control map, in which alpha is 0 where the ground is open.
/// let options = HoleOptions::default().with_channel(Channel::Alpha).with_invert(true);
/// let opened = import_holes("control.png", &options)?.open_in(&mut field)?;
/// println!("{opened} quads are open now");
/// # Ok::<(), landform::Error>(())
/// ```
///
/// # Errors
/// [`Error::File`] for a file that cannot be read or is no such picture, and without the channel.
pub fn import_holes(file: impl AsRef<Path>, options: &HoleOptions) -> Result<HolePicture> {
    let file = file.as_ref();
    let mut picture = Picture::open(file, "holes")?;
    let (size, channels) = (picture.size, picture.channels);
    let channel = options.channel.index(channels).map_err(|why| Error::file(file, why))?;
    let mut open = Vec::with_capacity(size.0 as usize * size.1 as usize);
    let mut row = Vec::new();
    for _ in 0..size.1 {
        picture.next_row(&mut row)?;
        let marks = row.iter().skip(channel).step_by(channels);
        open.extend(marks.map(|&mark| (mark >= options.at_least) != options.invert));
    }
    picture.finish()?;
    Ok(HolePicture { name: file.to_owned(), size, mask: Mask::of(open.into_iter()) })
}

impl HolePicture {
    /// Pixels from west to east and from north to south.
    pub fn size(&self) -> (u32, u32) {
        self.size
    }

    /// How many pixels are open.
    pub fn count(&self) -> u64 {
        self.mask.count()
    }

    /// Opens what is marked and closes nothing: with a pixel a sample every quad that touches a marked sample, as a void
    /// does; with a pixel a quad that quad. Gives how many quads were opened that were not before.
    ///
    /// # Errors
    /// [`Error::File`] where the picture has another size than the field's samples and its quads; nothing is opened then.
    pub fn open_in(&self, field: &mut Field) -> Result<u64> {
        let desc = *field.desc();
        let before = field.holes().count();
        let at =
            |index: usize| ((index % self.size.0 as usize) as u32, (index / self.size.0 as usize) as u32);
        let marked = self.mask.iter().map(at);
        if self.size == (desc.width, desc.height) {
            marked.for_each(|(x, z)| field.open_sample(Sample::new(x, z)));
        } else if self.size == (desc.quads_x(), desc.quads_z()) {
            marked.for_each(|(x, z)| field.set_hole(Quad::new(x, z), true));
        } else {
            let ((columns, rows), name) = (self.size, &self.name);
            let why = format!(
                "is {columns}×{rows} pixels, and the map has {}×{} samples and {}×{} quads; scale the picture of holes to the \
                 size of either",
                desc.width,
                desc.height,
                desc.quads_x(),
                desc.quads_z()
            );
            return Err(Error::file(name, why));
        }
        Ok(field.holes().count() - before)
    }
}

#[cfg(test)]
mod tests;
