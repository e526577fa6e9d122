//! Pictures of layer weights, which paint programs and other terrain tools call splat maps: each channel of a PNG is a layer.

use super::export::replace;
use super::{MAX_SAMPLES, length_of, open};
use crate::field::{FieldDesc, Weights};
use crate::{Error, Result};
use png::{BitDepth, ColorType, Transformations};
use serde::Serialize;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What the alpha channel of a picture of weights is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Alpha {
    /// A layer where it differs from sample to sample, and no layer where it is the same everywhere: opaque, or clear.
    #[default]
    Auto,
    /// A layer.
    Layer,
    /// No layer.
    Ignore,
}

/// What was found in pictures of weights. `Display` prints it in lines; serde knows it too.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WeightReport {
    /// The files as the caller named them.
    pub names: Vec<PathBuf>,
    /// Samples from west to east.
    pub width: u32,
    /// Samples from north to south.
    pub height: u32,
    /// Layers: channels of all files, in their order.
    pub layers: u32,
    /// The least and the greatest sum of a sample's channels, where 255 is the whole.
    pub sums: (f64, f64),
    /// Samples whose channels are all 0; they have all of layer 0 now.
    pub empty: u64,
    /// Samples whose sum was another one than 255, the empty ones included.
    pub scaled: u64,
    /// What was decided for lack of a statement, a sentence each.
    pub assumptions: Vec<String>,
    /// What looks wrong, a sentence each.
    pub warnings: Vec<String>,
}

impl Alpha {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Layer, Self::Ignore];

    /// The name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Alpha::Auto => "auto",
            Alpha::Layer => "layer",
            Alpha::Ignore => "ignore",
        }
    }
}

impl fmt::Display for WeightReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names.iter().map(|name| name.display().to_string()).collect();
        writeln!(f, "  files     {}", names.join(", "))?;
        writeln!(f, "  size      {} × {} samples, {} layers", self.width, self.height, self.layers)?;
        writeln!(
            f,
            "  sums      {:.0} to {:.0} of 255; {} samples scaled, {} empty ones have all of layer 0",
            self.sums.0, self.sums.1, self.scaled, self.empty
        )?;
        self.assumptions.iter().try_for_each(|line| writeln!(f, "  assumed   {line}"))?;
        self.warnings.iter().try_for_each(|line| writeln!(f, "  WARNING   {line}"))
    }
}

/// Reads weights from the channels of one or several PNG pictures of one size, 8 or 16 bits: grey is one layer, colours are
/// three, and alpha is one more where `alpha` says so. The weights of a sample are scaled to 255 together; a sample
/// without any has all of layer 0.
///
/// # Errors
/// [`Error::File`] for a file that cannot be read or is no such picture, for pictures of different sizes, and for pictures of
/// layer numbers, which are no weights; [`Error::Invalid`] for no file, and for more than [`Weights::MAX_LAYERS`] layers.
pub fn import_weights<P: AsRef<Path>>(files: &[P], alpha: Alpha) -> Result<(Weights, WeightReport)> {
    let pictures =
        files.iter().map(|file| Picture::read(file.as_ref(), alpha)).collect::<Result<Vec<_>>>()?;
    let Some(first) = pictures.first() else {
        return Err(Error::invalid("layer weights", "no file is named"));
    };
    if let Some((index, other)) = pictures.iter().enumerate().find(|(_, other)| other.size != first.size) {
        let why = format!(
            "is {}×{} samples, and {} is {}×{}; all must have one size",
            other.size.0,
            other.size.1,
            files[0].as_ref().display(),
            first.size.0,
            first.size.1
        );
        return Err(Error::file(files[index].as_ref(), why));
    }
    let layers: u32 = pictures.iter().map(|picture| picture.layers as u32).sum();
    let mut amounts = Vec::with_capacity(first.samples() * layers as usize);
    for sample in 0..first.samples() {
        pictures.iter().for_each(|picture| amounts.extend_from_slice(picture.at(sample)));
    }
    let weights = Weights::of_amounts(first.size.0, first.size.1, layers, &amounts)?;
    let names = files.iter().map(|file| file.as_ref().to_owned()).collect();
    let assumptions = pictures.iter().flat_map(|picture| picture.assumption.clone()).collect();
    let mut report = WeightReport {
        names,
        width: first.size.0,
        height: first.size.1,
        layers,
        sums: (f64::INFINITY, 0.0),
        empty: 0,
        scaled: 0,
        assumptions,
        warnings: Vec::new(),
    };
    report.count(&amounts);
    Ok((weights, report))
}

/// Writes weights as an 8-bit PNG whose channels are the layers: grey for one layer, red, green and blue for two or three,
/// alpha for a fourth. [`Alpha::Layer`] reads four of them back.
///
/// The file appears when it is complete: one that was there before stays until then.
///
/// # Errors
/// [`Error::Invalid`] for more than four layers, which no PNG has channels for; [`Error::File`] where the file cannot be
/// written.
pub fn export_weights(weights: &Weights, path: impl AsRef<Path>) -> Result<()> {
    let (color, channels) = match weights.layers() {
        1 => (ColorType::Grayscale, 1),
        2 | 3 => (ColorType::Rgb, 3),
        4 => (ColorType::Rgba, 4),
        layers => {
            return Err(Error::invalid("layer weights", format!("{layers} layers; a PNG holds up to four")));
        }
    };
    replace(path.as_ref(), |out| {
        let mut encoder = png::Encoder::new(out, weights.width(), weights.height());
        encoder.set_color(color);
        encoder.set_depth(BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        let mut pixels = writer.stream_writer_with_size(1 << 16)?;
        let layers = weights.layers() as usize;
        let mut row = Vec::new();
        for samples in weights.bytes().chunks_exact(layers * weights.width() as usize) {
            row.clear();
            for sample in samples.chunks_exact(layers) {
                row.extend_from_slice(sample);
                row.extend(std::iter::repeat_n(0, channels - layers));
            }
            pixels.write_all(&row)?;
        }
        pixels.finish()?;
        Ok(writer.finish()?)
    })
}

impl WeightReport {
    /// Looks at the sums before they were scaled. Amounts have 16 bits.
    fn count(&mut self, amounts: &[u16]) {
        for amounts in amounts.chunks_exact(self.layers as usize) {
            let sum: u32 = amounts.iter().map(|&amount| u32::from(amount)).sum();
            let of_255 = f64::from(sum) / 257.0;
            self.sums = (self.sums.0.min(of_255), self.sums.1.max(of_255));
            self.empty += u64::from(sum == 0);
            self.scaled += u64::from(sum != u32::from(u16::MAX));
        }
        let samples = u64::from(self.width) * u64::from(self.height);
        if self.empty == samples {
            self.warnings.push("every sample is empty: all ground has layer 0".to_owned());
        } else if 2 * self.empty > samples {
            self.warnings.push(format!(
                "{} of {samples} samples are empty and have all of layer 0; a layer may be in a file that is not named, \
                 or in an alpha channel that was ignored (--alpha layer)",
                self.empty
            ));
        }
    }
}

/// One file: as many amounts of 16 bits a sample as it has layers.
struct Picture {
    size: (u32, u32),
    layers: usize,
    amounts: Vec<u16>,
    assumption: Option<String>,
}

impl Picture {
    fn samples(&self) -> usize {
        self.size.0 as usize * self.size.1 as usize
    }

    fn at(&self, sample: usize) -> &[u16] {
        &self.amounts[sample * self.layers..][..self.layers]
    }

    fn read(path: &Path, alpha: Alpha) -> Result<Self> {
        let refuse = |why: String| Error::file(path, why);
        let broken =
            |error: png::DecodingError| refuse(format!("no whole PNG, which weights are read from: {error}"));
        let mut input = open(path)?;
        let bytes = length_of(path, &mut input)?;
        let mut decoder = png::Decoder::new(input);
        decoder.set_transformations(Transformations::IDENTITY);
        let info = decoder.read_header_info().map_err(broken)?;
        check(info, bytes).map_err(refuse)?;
        let (width, height) = (info.width, info.height);
        let (channels, has_alpha) = match info.color_type {
            ColorType::Grayscale | ColorType::Indexed => (1, false),
            ColorType::GrayscaleAlpha => (2, true),
            ColorType::Rgb => (3, false),
            ColorType::Rgba => (4, true),
        };
        let wide = info.bit_depth == BitDepth::Sixteen;
        let mut reader = decoder.read_info().map_err(broken)?;
        let mut raw = vec![0; reader.output_buffer_size().ok_or_else(|| refuse("too large".to_owned()))?];
        reader.next_frame(&mut raw).map_err(broken)?;
        reader.finish().map_err(broken)?;
        let mut amounts: Vec<u16> = match wide {
            true => raw.as_chunks::<2>().0.iter().map(|&pair| u16::from_be_bytes(pair)).collect(),
            false => raw.iter().map(|&byte| u16::from(byte) * 257).collect(),
        };
        if let Some(channel) = numbers_in(&amounts, width as usize, channels) {
            return Err(refuse(format!(
                "channel {} holds layer numbers, not weights: small whole numbers in patches; what blends between them is not \
                 read, save a weight a layer",
                channel + 1
            )));
        }
        let mut assumption = None;
        let mut layers = channels;
        if has_alpha && !alpha_is_layer(&amounts, channels, alpha, &mut assumption) {
            amounts = without_last(&amounts, channels);
            layers -= 1;
        }
        Ok(Self { size: (width, height), layers, amounts, assumption })
    }
}

/// Refuses what a header claims before memory is taken for it. The error is a sentence.
fn check(info: &png::Info<'_>, bytes: u64) -> Result<(), String> {
    if info.color_type == ColorType::Indexed || !matches!(info.bit_depth, BitDepth::Eight | BitDepth::Sixteen)
    {
        return Err("a palette or a PNG of less than 8 bits, which weights are not read from".to_owned());
    }
    let samples = u64::from(info.width) * u64::from(info.height);
    if info.width.max(info.height) > FieldDesc::MAX_SIDE || samples > MAX_SAMPLES {
        return Err(format!("claims {}×{} samples, more than {MAX_SAMPLES}", info.width, info.height));
    }
    // Deflate cannot pack more than 1032 bytes into one.
    if info.raw_bytes() as u64 / 1040 > bytes {
        return Err(format!(
            "claims {}×{} samples, which cannot be in a file of {bytes} bytes: truncated, or not what it says",
            info.width, info.height
        ));
    }
    Ok(())
}

fn alpha_is_layer(amounts: &[u16], channels: usize, alpha: Alpha, assumption: &mut Option<String>) -> bool {
    match alpha {
        Alpha::Layer => true,
        Alpha::Ignore => false,
        Alpha::Auto => {
            let mut alphas = amounts.iter().skip(channels - 1).step_by(channels);
            let first = alphas.next();
            let varies = alphas.any(|alpha| Some(alpha) != first);
            *assumption = Some(if varies {
                "alpha is a layer, because it differs from sample to sample (--alpha ignore, or Alpha::Ignore)"
                    .to_owned()
            } else {
                "alpha is no layer, because it is the same everywhere (--alpha layer, or Alpha::Layer)"
                    .to_owned()
            });
            varies
        }
    }
}

fn without_last(amounts: &[u16], channels: usize) -> Vec<u16> {
    amounts.chunks_exact(channels).flat_map(|pixel| pixel[..channels - 1].iter().copied()).collect()
}

/// The first channel that holds numbers of layers: not all 0, none above 31 of 255, and the same from sample to sample
/// nearly everywhere, where a faint layer would fade.
fn numbers_in(amounts: &[u16], width: usize, channels: usize) -> Option<usize> {
    const MOST: u16 = 31 * 257;
    /// Of a hundred neighbours.
    const EQUAL: usize = 90;
    (0..channels).find(|&channel| {
        let mut values = amounts.iter().skip(channel).step_by(channels);
        let whole = |&&value: &&u16| value.is_multiple_of(257) && value <= MOST;
        if !values.clone().all(|value| whole(&value)) || values.all(|&value| value == 0) {
            return false;
        }
        let (mut equal, mut pairs) = (0, 0);
        for row in amounts.chunks_exact(width * channels) {
            let row: Vec<u16> = row.iter().skip(channel).step_by(channels).copied().collect();
            equal += row.windows(2).filter(|pair| pair[0] == pair[1]).count();
            pairs += width - 1;
        }
        100 * equal >= EQUAL * pairs
    })
}
