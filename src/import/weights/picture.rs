//! One picture of weights, or of something else that is read as it is stored, row by row; and what channels of weights are.

use super::super::{DEFLATE_LIMIT, MAX_SAMPLES, beyond_the_file, length_of, open};
use super::{Alpha, WeightOptions};
use crate::field::FieldDesc;
use crate::{Error, Result};
use png::{BitDepth, ColorType, DecodingError, Transformations};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// What weights are called where they cannot be read.
pub(super) const WEIGHTS: &str = "weights";

/// The keyword of the text by which a picture says how many of its channels are layers, from the first on.
pub(super) const LAYERS_KEY: &str = "landform layers";

/// A picture that is read from its first row on.
pub(in crate::import) struct Picture<'a> {
    path: &'a Path,
    /// What is read from it, for the sentences.
    what: &'static str,
    reader: png::Reader<BufReader<File>>,
    /// All rows of an interlaced picture, which has them in another order, and the bytes that were taken of them.
    whole: Option<(Vec<u8>, usize)>,
    /// Samples west to east and north to south.
    pub(in crate::import) size: (u32, u32),
    pub(in crate::import) channels: usize,
    pub(super) has_alpha: bool,
    /// 16 bits a channel, else 8.
    pub(super) is_wide: bool,
    /// How many channels are layers, where the file says so.
    stated_layers: Option<usize>,
}

impl<'a> Picture<'a> {
    /// Reads the header of a file and refuses what is no picture of weights, or of `what` else is read.
    pub(in crate::import) fn open(path: &'a Path, what: &'static str) -> Result<Self> {
        let mut input = open(path)?;
        let bytes = length_of(path, &mut input)?;
        let mut decoder = png::Decoder::new(input);
        decoder.set_transformations(Transformations::IDENTITY);
        let info = decoder.read_header_info().map_err(|error| broken(path, what, &error))?;
        check(info, bytes, what).map_err(|why| Error::file(path, why))?;
        let size = (info.width, info.height);
        let is_wide = info.bit_depth == BitDepth::Sixteen;
        let (channels, has_alpha) = match info.color_type {
            ColorType::Grayscale | ColorType::Indexed => (1, false),
            ColorType::GrayscaleAlpha => (2, true),
            ColorType::Rgb => (3, false),
            ColorType::Rgba => (4, true),
        };
        let reader = decoder.read_info().map_err(|error| broken(path, what, &error))?;
        let texts = &reader.info().uncompressed_latin1_text;
        let stated = texts.iter().find(|text| text.keyword == LAYERS_KEY);
        let stated_layers = stated.and_then(|text| text.text.parse().ok());
        let stated_layers = stated_layers.filter(|layers| (1..=channels).contains(layers));
        Ok(Self { path, what, reader, whole: None, size, channels, has_alpha, is_wide, stated_layers })
    }

    /// Reads the amounts of the next row, 16 bits each, those of a sample side by side.
    pub(in crate::import) fn next_row(&mut self, amounts: &mut Vec<u16>) -> Result<()> {
        let (path, what) = (self.path, self.what);
        let broken = |error: DecodingError| broken(path, what, &error);
        let (is_wide, bytes) =
            (self.is_wide, self.size.0 as usize * self.channels * (1 + usize::from(self.is_wide)));
        amounts.clear();
        let mut add = |row: &[u8]| match is_wide {
            true => amounts.extend(row.as_chunks::<2>().0.iter().map(|&pair| u16::from_be_bytes(pair))),
            false => amounts.extend(row.iter().map(|&byte| u16::from(byte) * 257)),
        };
        if !self.reader.info().interlaced {
            let row = self.reader.next_row().map_err(broken)?;
            add(row.ok_or_else(|| Error::file(path, "ends before its last row: truncated"))?.data());
            return Ok(());
        }
        if self.whole.is_none() {
            let mut rows = vec![0; bytes * self.size.1 as usize];
            self.reader.next_frame(&mut rows).map_err(broken)?;
            self.whole = Some((rows, 0));
        }
        if let Some((rows, taken)) = &mut self.whole {
            add(&rows[*taken..][..bytes]);
            *taken += bytes;
        }
        Ok(())
    }

    /// Reads the rest of the file, which has to be there too: a checksum, and the end marker.
    pub(in crate::import) fn finish(&mut self) -> Result<()> {
        self.reader.finish().map_err(|error| broken(self.path, self.what, &error))
    }
}

/// What the channels of a picture are.
pub(super) struct Survey {
    size: (u32, u32),
    pub(super) channels: usize,
    /// How many of them are layers, from the first on.
    pub(super) layers: usize,
    /// What was decided about alpha.
    pub(super) assumption: Option<&'static str>,
}

impl Survey {
    /// Looks at every sample of a file.
    pub(super) fn of(path: &Path, options: &WeightOptions) -> Result<Self> {
        let mut picture = Picture::open(path, WEIGHTS)?;
        let (size, channels) = (picture.size, picture.channels);
        let mut patches: Vec<_> = (0..channels).map(|_| Patches::default()).collect();
        let (mut row, mut first_alpha, mut alpha_varies) = (Vec::new(), None, false);
        for _ in 0..size.1 {
            picture.next_row(&mut row)?;
            for (channel, patches) in patches.iter_mut().enumerate() {
                patches.add(row.iter().skip(channel).step_by(channels).copied());
            }
            let mut alphas = row.iter().skip(channels - 1).step_by(channels);
            let first = *first_alpha.get_or_insert(row[channels - 1]);
            alpha_varies |= alphas.any(|&alpha| alpha != first);
        }
        picture.finish()?;
        let (layers, assumption) = layers_of(&picture, &patches, alpha_varies, options)?;
        Ok(Self { size, channels, layers, assumption })
    }

    /// True for the picture that this is of, as far as its header says.
    pub(super) fn is_of(&self, picture: &Picture<'_>) -> bool {
        (self.size, self.channels) == (picture.size, picture.channels)
    }
}

fn broken(path: &Path, what: &str, error: &DecodingError) -> Error {
    Error::file(path, format!("no whole PNG, which {what} are read from: {error}"))
}

/// Refuses what a header claims before memory is taken for it. The error is a sentence.
fn check(info: &png::Info<'_>, bytes: u64, what: &str) -> Result<(), String> {
    if info.color_type == ColorType::Indexed || !matches!(info.bit_depth, BitDepth::Eight | BitDepth::Sixteen)
    {
        return Err(format!("a palette or a PNG of less than 8 bits, which {what} are not read from"));
    }
    let samples = u64::from(info.width) * u64::from(info.height);
    if info.width.max(info.height) > FieldDesc::MAX_SIDE || samples > MAX_SAMPLES {
        return Err(format!("claims {}×{} samples, more than {MAX_SAMPLES}", info.width, info.height));
    }
    if info.raw_bytes() as u64 / DEFLATE_LIMIT > bytes {
        return Err(beyond_the_file(info.width, info.height, bytes));
    }
    Ok(())
}

/// How many channels are layers, from the first on, and what was assumed about alpha. Refuses layer numbers.
fn layers_of(
    picture: &Picture<'_>,
    channels: &[Patches],
    alpha_varies: bool,
    options: &WeightOptions,
) -> Result<(usize, Option<&'static str>)> {
    // A program that kept the text may have painted on what was no layer; and who states what alpha is is believed.
    let is_empty = |layers: &usize| channels[*layers..].iter().all(Patches::are_empty);
    let is_stated = picture.has_alpha && options.alpha != Alpha::Auto;
    if let Some(layers) = picture.stated_layers.filter(|layers| !is_stated && is_empty(layers)) {
        return Ok((layers, None));
    }
    let numbers = channels.iter().position(Patches::are_layer_numbers);
    if let Some(channel) = numbers.filter(|_| !options.allow_faint) {
        return Err(Error::file(picture.path, layer_numbers(channel)));
    }
    if !picture.has_alpha {
        return Ok((channels.len(), None));
    }
    let (is_layer, assumption) = alpha_is_layer(options.alpha, alpha_varies);
    Ok((channels.len() - usize::from(!is_layer), assumption))
}

/// Why a channel is refused.
fn layer_numbers(channel: usize) -> String {
    format!(
        "channel {} holds layer numbers, not weights: small whole numbers in patches. Between numbers nothing blends, so \
         save a weight a layer, or read them as numbers (--ids, or import_ids); if these are faint weights, say so \
         (--faint, or WeightOptions::allow_faint)",
        channel + 1
    )
}

/// Whether an alpha channel is a layer, and what was assumed.
fn alpha_is_layer(alpha: Alpha, varies: bool) -> (bool, Option<&'static str>) {
    match (alpha, varies) {
        (Alpha::Layer, _) => (true, None),
        (Alpha::Ignore, _) => (false, None),
        (Alpha::Auto, true) => (
            true,
            Some(
                "alpha is a layer, because it differs from sample to sample (--alpha ignore, or Alpha::Ignore)",
            ),
        ),
        (Alpha::Auto, false) => (
            false,
            Some("alpha is no layer, because it is the same everywhere (--alpha layer, or Alpha::Layer)"),
        ),
    }
}

/// What tells numbers of layers from weights in a channel.
#[derive(Default)]
struct Patches {
    /// A bit for each value of 255 up to [`Patches::MOST`].
    seen: u32,
    /// Some value is larger, or no whole one of 255.
    are_weights: bool,
    /// Neighbours in a row: those that are equal, those that are one apart, and the others.
    equal: u64,
    fading: u64,
    sharp: u64,
}

impl Patches {
    /// The largest number of a layer.
    const MOST: u16 = 31;
    /// A map has no more layers than this in one channel.
    const LAYERS: u32 = 16;
    /// A faint layer whose amounts differ by so much is seen to fade.
    const FADE: u32 = 4;

    fn add(&mut self, row: impl Iterator<Item = u16>) {
        let mut before = None;
        for amount in row {
            if self.are_weights {
                return;
            }
            let value = amount / 257;
            self.are_weights = !amount.is_multiple_of(257) || value > Self::MOST;
            self.seen |= 1 << (value & 31);
            match before.replace(value) {
                Some(before) if before == value => self.equal += 1,
                Some(before) if before.abs_diff(value) == 1 => self.fading += 1,
                Some(_) => self.sharp += 1,
                None => {}
            }
        }
    }

    /// True for nothing but 0.
    fn are_empty(&self) -> bool {
        !self.are_weights && self.seen & !1 == 0
    }

    /// True for a few small whole numbers, two at least, that are the same from sample to sample nearly everywhere, and do
    /// not fade into each other.
    fn are_layer_numbers(&self) -> bool {
        if self.are_weights || self.seen.count_ones() < 2 || (self.seen & !1).count_ones() > Self::LAYERS {
            return false;
        }
        let borders = self.fading + self.sharp;
        let in_patches = self.equal >= 9 * borders;
        // A fade goes by way of every value from its lowest to its highest.
        let ends = (self.seen.trailing_zeros(), 31 - self.seen.leading_zeros());
        let unbroken = self.seen.count_ones() == ends.1 - ends.0 + 1;
        let fades = unbroken && ends.1 - ends.0 >= Self::FADE && self.fading >= 19 * self.sharp;
        in_patches && !fades
    }
}
