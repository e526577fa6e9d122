//! Weights as pictures: a channel a layer, or a grey picture a layer.

use super::super::export::replace;
use super::picture::{LAYERS_KEY, WEIGHTS};
use crate::field::Weights;
use crate::{Error, Result};
use png::{BitDepth, ColorType};
use std::ffi::OsString;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Which files weights are written as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum WeightFiles {
    /// A picture whose channels are the layers: grey for one layer, red, green and blue for two or three, alpha for a fourth.
    /// More than four layers are several such pictures, four layers each: `name-0.png`, `name-1.png` and so on.
    #[default]
    Pages,
    /// A grey picture a layer, with the layer's number behind the name: `name-0.png`, or `name-00.png` where there are more
    /// than ten.
    Masks,
}

impl WeightFiles {
    /// The most layers of a page.
    const OF_A_PAGE: usize = 4;

    /// The files that weights of so many layers are written as under a path, in the order in which they are read back.
    pub fn paths(self, path: impl AsRef<Path>, layers: u32) -> Vec<PathBuf> {
        self.pictures(path.as_ref(), layers).into_iter().map(|picture| picture.path).collect()
    }

    fn pictures(self, path: &Path, layers: u32) -> Vec<Picture> {
        let (layers, step) = match self {
            WeightFiles::Pages => (layers as usize, Self::OF_A_PAGE),
            WeightFiles::Masks => (layers as usize, 1),
        };
        let count = layers.div_ceil(step);
        let picture = |index: usize| Picture {
            path: match self {
                WeightFiles::Pages if count == 1 => path.to_owned(),
                _ => numbered(path, index, count),
            },
            layers: index * step..layers.min((index + 1) * step),
        };
        (0..count).map(picture).collect()
    }
}

/// Writes weights as 8-bit PNG pictures and gives the files, in the order of their layers.
///
/// [`import_weights`](super::import_weights) reads them back byte for byte, where its options say the same of the layers that
/// lie over the others. A text in each file says how many of its channels are layers, so that nothing is left to guess; a
/// program that saves the picture anew may leave it out.
///
/// All are written beside their places before any is moved there, so a full disk leaves the files that were there before.
///
/// # Errors
/// [`Error::File`] where a file cannot be written.
pub fn export_weights(weights: &Weights, path: impl AsRef<Path>, files: WeightFiles) -> Result<Vec<PathBuf>> {
    let path = path.as_ref();
    if path.file_name().is_none() {
        return Err(Error::file(path, format!("is no name of a file, which {WEIGHTS} are written to")));
    }
    let pictures = files.pictures(path, weights.layers());
    write(weights, &pictures)?;
    Ok(pictures.into_iter().map(|picture| picture.path).collect())
}

/// A picture of some of the layers.
struct Picture {
    path: PathBuf,
    layers: Range<usize>,
}

/// Writes the first picture, then the others, and only then moves the first to its place: a full disk is met before any file
/// of an earlier set is replaced.
fn write(weights: &Weights, pictures: &[Picture]) -> Result<()> {
    let Some((first, others)) = pictures.split_first() else { return Ok(()) };
    let mut of_others = Ok(());
    let written = replace(&first.path, |out| {
        first.encode(weights, out)?;
        out.flush()?;
        of_others = write(weights, others);
        of_others.as_ref().map_err(|error| io::Error::other(error.to_string())).copied()
    });
    of_others.and(written)
}

impl Picture {
    fn encode(&self, weights: &Weights, out: &mut impl Write) -> io::Result<()> {
        let (color, channels) = match self.layers.len() {
            1 => (ColorType::Grayscale, 1),
            2 | 3 => (ColorType::Rgb, 3),
            _ => (ColorType::Rgba, 4),
        };
        let mut encoder = png::Encoder::new(out, weights.width(), weights.height());
        encoder.set_color(color);
        encoder.set_depth(BitDepth::Eight);
        encoder.add_text_chunk(LAYERS_KEY.to_owned(), self.layers.len().to_string())?;
        let mut writer = encoder.write_header()?;
        let mut pixels = writer.stream_writer_with_size(1 << 16)?;
        let layers = weights.layers() as usize;
        let mut row = Vec::new();
        for samples in weights.bytes().chunks_exact(layers * weights.width() as usize) {
            row.clear();
            for sample in samples.chunks_exact(layers) {
                row.extend_from_slice(&sample[self.layers.clone()]);
                row.extend(std::iter::repeat_n(0, channels - self.layers.len()));
            }
            pixels.write_all(&row)?;
        }
        pixels.finish()?;
        Ok(writer.finish()?)
    }
}

/// `name-7.png` for `name.png`, with as many digits for each of `count` files, so that a shell lists them in their order.
fn numbered(path: &Path, index: usize, count: usize) -> PathBuf {
    let digits = (count - 1).max(1).ilog10() as usize + 1;
    let mut name = path.file_stem().map(OsString::from).unwrap_or_default();
    name.push(format!("-{index:0digits$}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests;
