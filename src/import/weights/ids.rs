//! Pictures of layer numbers, which some terrain tools call control or index maps: a sample has one layer, all of it.

use super::super::{Channel, MAX_SAMPLES};
use super::picture::Picture;
use super::tga::Tga;
use crate::field::Weights;
use crate::{Error, Result};
use std::fmt;
use std::path::{Path, PathBuf};

/// What a caller knows about a picture of layer numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdOptions {
    /// The channel that the numbers are in.
    pub channel: Channel,
    /// How many layers there are. None for as many as the highest number asks for.
    pub layers: Option<u32>,
}

impl IdOptions {
    /// The same options with the numbers in this channel.
    pub fn with_channel(self, channel: Channel) -> Self {
        Self { channel, ..self }
    }

    /// The same options with so many layers, from number 0 on.
    pub fn with_layers(self, layers: u32) -> Self {
        Self { layers: Some(layers), ..self }
    }
}

/// What was found in a picture of layer numbers. `Display` prints it in lines.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct IdReport {
    /// The file as the caller named it.
    pub name: PathBuf,
    /// Samples from west to east.
    pub width: u32,
    /// Samples from north to south.
    pub height: u32,
    /// The samples of each layer, from number 0 on.
    pub samples: Vec<u64>,
}

impl fmt::Display for IdReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "  file      {}", self.name.display())?;
        writeln!(f, "  size      {} × {} samples, {} layers", self.width, self.height, self.samples.len())?;
        let used = self.samples.iter().enumerate().filter(|&(_, &samples)| samples > 0);
        used.map(|(layer, samples)| (layer, *samples))
            .try_for_each(|(layer, samples)| writeln!(f, "  layer {layer:<3} {samples} samples"))
    }
}

/// Reads a picture of layer numbers as weights: each sample is wholly of the layer whose number it has, and nothing lies
/// between two numbers. A PNG of 8 or 16 bits, or a TGA of 8 bits a channel, whose name ends in `.tga`; the numbers are the
/// values as they are stored, from 0 on.
///
/// # Errors
/// [`Error::File`] for a file that cannot be read or is no such picture, without the channel, and with a number past the
/// layers that are stated, or past [`Weights::MAX_LAYERS`], and for more than [`MAX_SAMPLES`] weights; [`Error::Invalid`] for no stated layer or more than that.
pub fn import_ids(file: impl AsRef<Path>, options: &IdOptions) -> Result<(Weights, IdReport)> {
    let file = file.as_ref();
    let refuse = |why: String| Error::file(file, why);
    let most = Weights::MAX_LAYERS;
    if let Some(layers) = options.layers.filter(|layers| !(1..=most).contains(layers)) {
        return Err(Error::invalid("layer numbers", format!("{layers} layers; a map has 1 to {most}")));
    }
    let mut picture = Numbers::open(file, options.channel)?;
    let (width, height) = picture.size;
    let limit = options.layers.unwrap_or(most);
    let (mut numbers, mut samples) = (Vec::with_capacity(width as usize * height as usize), Vec::new());
    let mut row = Vec::new();
    for z in 0..height {
        picture.next_row(&mut row)?;
        if let Some(x) = row.iter().position(|&number| u32::from(number) >= limit) {
            return Err(refuse(past_the_layers((x, z), row[x], options)));
        }
        for &number in &row {
            samples.resize(samples.len().max(usize::from(number) + 1), 0);
            samples[usize::from(number)] += 1;
        }
        numbers.extend(row.iter().map(|&number| number as u8));
    }
    picture.finish()?;
    let layers = options.layers.unwrap_or(samples.len() as u32);
    samples.resize(layers as usize, 0);
    if numbers.len() as u64 * u64::from(layers) > MAX_SAMPLES {
        let why = format!(
            "{width}×{height} samples of {layers} layers are more than {MAX_SAMPLES} weights; take a part of it"
        );
        return Err(refuse(why));
    }
    let mut rows = numbers.chunks_exact(width as usize);
    let weights = Weights::of_rows(width, height, layers, |amounts| {
        amounts.resize(width as usize * layers as usize, 0);
        let samples = amounts.chunks_exact_mut(layers as usize);
        for (sample, &number) in samples.zip(rows.next().unwrap_or_default()) {
            sample[usize::from(number)] = u16::from(Weights::WHOLE);
        }
        Ok(())
    })?;
    Ok((weights, IdReport { name: file.to_owned(), width, height, samples }))
}

fn past_the_layers((x, z): (usize, u32), number: u16, options: &IdOptions) -> String {
    let channel = options.channel.name();
    match options.layers {
        Some(layers) => format!(
            "sample ({x}, {z}) has number {number} in the {channel} channel, and {layers} layers are numbered 0 to {}; state \
             more layers, or another channel (IdOptions)",
            layers - 1
        ),
        None => format!(
            "sample ({x}, {z}) has number {number} in the {channel} channel, and a map has up to {} layers; these are no \
             layer numbers, which may be in another channel (`FILE#g` on a command line, or IdOptions::with_channel)",
            Weights::MAX_LAYERS
        ),
    }
}

/// The numbers of a picture, row by row.
struct Numbers<'a> {
    size: (u32, u32),
    channel: usize,
    channels: usize,
    source: Source<'a>,
    row: Vec<u16>,
}

enum Source<'a> {
    Png(Box<Picture<'a>>),
    /// All bytes, and the row that is next.
    Tga(Vec<u8>, usize),
}

impl<'a> Numbers<'a> {
    fn open(path: &'a Path, channel: Channel) -> Result<Self> {
        let (size, channels, source) =
            if path.extension().is_some_and(|name| name.eq_ignore_ascii_case("tga")) {
                let picture = Tga::read(path)?;
                (picture.size, picture.channels, Source::Tga(picture.bytes, 0))
            } else {
                let picture = Picture::open(path, "layer numbers")?;
                (picture.size, picture.channels, Source::Png(Box::new(picture)))
            };
        let channel = channel.index(channels).map_err(|why| Error::file(path, why))?;
        Ok(Self { size, channel, channels, source, row: Vec::new() })
    }

    fn next_row(&mut self, numbers: &mut Vec<u16>) -> Result<()> {
        numbers.clear();
        match &mut self.source {
            Source::Png(picture) => {
                picture.next_row(&mut self.row)?;
                let amounts = self.row.iter().skip(self.channel).step_by(self.channels);
                // Amounts of 8 bits are scaled to 16.
                numbers.extend(amounts.map(|&amount| if picture.is_wide { amount } else { amount / 257 }));
            }
            Source::Tga(bytes, next) => {
                let length = self.size.0 as usize * self.channels;
                let row = &bytes[*next * length..][..length];
                numbers.extend(
                    row.iter().skip(self.channel).step_by(self.channels).map(|&byte| u16::from(byte)),
                );
                *next += 1;
            }
        }
        Ok(())
    }

    /// Reads to the end of the file, which has to be there.
    fn finish(&mut self) -> Result<()> {
        match &mut self.source {
            Source::Png(picture) => picture.finish(),
            Source::Tga(..) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
