//! OpenEXR pictures as heightmaps: one channel of halves, floats or whole numbers, in scan lines or tiles. Header and
//! blocks are read here, so that no size is believed before the file is held against it; the `exr` crate unpacks PIZ and
//! B44. (Academy Software Foundation, *OpenEXR File Layout*.)

mod b44;
mod blocks;
mod channels;
mod header;
mod packing;
mod source;

use super::canvas::Canvas;
use super::grid::{Grid, Notes};
use super::values::Values;
use super::{Format, ImportOptions, beyond_the_file, window_of};
use crate::field::SampleRect;
use crate::{Error, Result};
use blocks::{Block, Blocks};
use channels::{Chosen, SampleKind, choose};
use header::{Header, Part};
use source::Source;
use std::io::{BufRead, Seek};
use std::path::Path;

/// Reads a picture from a file of `bytes` bytes.
pub(super) fn read(
    name: &Path,
    input: impl BufRead + Seek,
    bytes: u64,
    options: &ImportOptions,
) -> Result<Grid> {
    let refuse = |why: String| Error::file(name, why);
    let mut source = Source::new(input, bytes);
    let header = Header::read(&mut source).map_err(refuse)?;
    let chosen = choose(&header.parts, options).map_err(refuse)?;
    let part = &header.parts[chosen.part];
    check(part, bytes).map_err(refuse)?;
    let window = window_of(name, part.width, part.height, options)?;
    let mut blocks = Blocks::find(&mut source, &header, chosen.part, window).map_err(refuse)?;
    let mut pixels = Pixels::new(part, &chosen, window);
    while let Some((block, unpacked)) = blocks.next(&mut source).map_err(refuse)? {
        pixels.take(&block, &unpacked);
    }
    let kind = part.channels[chosen.channel].kind;
    let notes = notes_of(&header, &chosen, pixels.colours_differ);
    let values = match pixels.kept {
        Kept::Floats(canvas) => Values::F32(canvas.into_values()),
        Kept::Whole(canvas) => Values::U32(canvas.into_values()),
    };
    Ok(Grid {
        bit_depth: 8 * kind.bytes() as u32,
        notes,
        ..Grid::new(Format::OpenExr, (part.width, part.height), window, values)
    })
}

/// Refuses a part that is not taken, and one that the file cannot hold.
fn check(part: &Part, bytes: u64) -> Result<(), String> {
    if let Some(why) = part.packing.refusal() {
        return Err(why);
    }
    if let Some(channel) = part.channels.iter().find(|channel| channel.sampling != (1, 1)) {
        return Err(format!(
            "channel `{}` has a sample for every {} × {} pixels; such pictures are not read, so save it with a sample a \
             pixel in every channel",
            channel.name, channel.sampling.0, channel.sampling.1
        ));
    }
    let claimed = u64::from(part.width) * u64::from(part.height);
    if claimed.saturating_mul(part.bytes_a_pixel() as u64) / part.packing.most() > bytes {
        return Err(beyond_the_file(part.width, part.height, bytes));
    }
    Ok(())
}

/// What is kept of the chosen channel.
enum Kept {
    Floats(Canvas<f32>),
    Whole(Canvas<u32>),
}

/// A picture while it is read.
struct Pixels {
    kept: Kept,
    kind: SampleKind,
    /// Bytes of a pixel, and those before the chosen channel's.
    bytes_a_pixel: usize,
    before: usize,
    /// The same of green and blue, where the chosen channel is the red of a colour picture.
    colours: Vec<usize>,
    colours_differ: bool,
    /// Unpacked samples have this machine's byte order, else the file's, which is little-endian.
    native: bool,
}

impl Pixels {
    fn new(part: &Part, chosen: &Chosen, window: SampleRect) -> Self {
        let kind = part.channels[chosen.channel].kind;
        let kept = match kind {
            SampleKind::Half | SampleKind::Float => Kept::Floats(Canvas::new(window)),
            SampleKind::Whole => Kept::Whole(Canvas::new(window)),
        };
        let comparable = |&channel: &usize| part.channels[channel].kind == kind;
        let (alike, others): (Vec<usize>, Vec<usize>) =
            chosen.colours.iter().partition(|&channel| comparable(channel));
        Self {
            kept,
            kind,
            bytes_a_pixel: part.bytes_a_pixel(),
            before: part.bytes_before(chosen.channel),
            colours: alike.into_iter().map(|channel| part.bytes_before(channel)).collect(),
            colours_differ: !others.is_empty(),
            native: part.packing.is_native(),
        }
    }

    /// Takes what the window keeps of a block: rows, and in a row the samples of one channel after another.
    fn take(&mut self, block: &Block, unpacked: &[u8]) {
        let width = block.width as usize;
        for (z, row) in (block.z..).zip(unpacked.chunks_exact(width * self.bytes_a_pixel)) {
            self.take_row(row, z, block.x as usize, width);
        }
    }

    fn take_row(&mut self, row: &[u8], z: u32, x: usize, width: usize) {
        let bytes = self.kind.bytes();
        let columns = match &self.kept {
            Kept::Floats(canvas) => canvas.columns(),
            Kept::Whole(canvas) => canvas.columns(),
        };
        let (start, end) = (columns.start.max(x), columns.end.min(x + width));
        if start >= end {
            return;
        }
        let samples = |before: usize| &row[before * width..][(start - x) * bytes..(end - x) * bytes];
        let wanted = samples(self.before);
        let target = start - columns.start..end - columns.start;
        let native = self.native;
        let four =
            |bytes: [u8; 4]| if native { u32::from_ne_bytes(bytes) } else { u32::from_le_bytes(bytes) };
        match &mut self.kept {
            Kept::Floats(canvas) => {
                let Some(kept) = canvas.row(z) else { return };
                let kept = kept[target].iter_mut();
                if self.kind == SampleKind::Half {
                    let two = |bytes: [u8; 2]| {
                        if native { u16::from_ne_bytes(bytes) } else { u16::from_le_bytes(bytes) }
                    };
                    let halves = wanted.as_chunks::<2>().0;
                    kept.zip(halves)
                        .for_each(|(kept, &half)| *kept = half::f16::from_bits(two(half)).to_f32());
                } else {
                    let floats = wanted.as_chunks::<4>().0;
                    kept.zip(floats).for_each(|(kept, &float)| *kept = f32::from_bits(four(float)));
                }
            }
            Kept::Whole(canvas) => {
                let Some(kept) = canvas.row(z) else { return };
                let numbers = wanted.as_chunks::<4>().0;
                kept[target].iter_mut().zip(numbers).for_each(|(kept, &number)| *kept = four(number));
            }
        }
        self.colours_differ |= self.colours.iter().any(|&before| samples(before) != wanted);
    }
}

fn notes_of(header: &Header, chosen: &Chosen, colours_differ: bool) -> Notes {
    let mut notes = Notes::default();
    let part = &header.parts[chosen.part];
    let channel = &part.channels[chosen.channel];
    notes.assumptions.extend(chosen.assumption.clone());
    if let Some((width, height)) = part.display
        && (width, height) != (part.width, part.height)
    {
        notes.assume(format!(
            "the data window of {}×{} samples is the map, and the display window of {width}×{height} is ignored",
            part.width, part.height
        ));
    }
    if colours_differ {
        notes.warn(format!(
            "the channels `R`, `G` and `B` differ, as those of a colour picture do; what is in `{}` may be no heights",
            channel.name
        ));
    }
    if !part.packing.keeps(channel.kind) {
        notes.warn(format!(
            "{} compression rounded the heights when the file was written; save them with ZIP or PIZ, which keep them",
            part.packing
        ));
    }
    notes
}

#[cfg(test)]
mod tests;
