//! How the samples of a TIFF's picture lie in its file, and which pictures are refused.

use super::super::grid::Notes;
use super::super::npy::Element;
use super::super::{DEFLATE_LIMIT, ImportOptions, SampleType};
use super::directory::{Directory, Source, tag};
use std::io::{Read, Seek};

/// As many bytes of a strip or tile are unpacked at once, 256 MiB.
pub(super) const MOST_CHUNK_BYTES: u64 = 1 << 28;

/// A picture and the band of it that is read.
pub(super) struct Picture {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) element: Element,
    /// The wanted band, from 0.
    pub(super) band: usize,
    pub(super) packing: Packing,
    pub(super) predictor: Predictor,
    pub(super) chunks: Chunks,
    /// Samples that lie side by side for a pixel, and which of them is of the wanted band.
    pub(super) stride: usize,
    pub(super) place: usize,
    /// The wanted band's chunks follow those of so many bands.
    pub(super) plane: u64,
}

/// How the chunks of a picture, which are its strips or its tiles, cover it.
pub(super) struct Chunks {
    pub(super) tiled: bool,
    pub(super) width: u32,
    pub(super) height: u32,
}

impl Chunks {
    /// What one is called in a message.
    pub(super) fn name(&self) -> &'static str {
        if self.tiled { "tile" } else { "strip" }
    }
}

/// How chunks are packed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Packing {
    None,
    Lzw,
    Deflate,
    PackBits,
    Zstd,
}

impl Packing {
    /// As many bytes come out of one at most: 3838 of an LZW code of 12 bits, 1032 of deflate, 128 of two of PackBits, a
    /// block of 128 KiB of four of zstd.
    pub(super) fn growth(self) -> u64 {
        match self {
            Packing::None => 1,
            Packing::Lzw => 2600,
            Packing::Deflate => DEFLATE_LIMIT,
            Packing::PackBits => 64,
            Packing::Zstd => 1 << 16,
        }
    }

    fn of(code: u64) -> Result<Self, String> {
        let name = match code {
            1 => return Ok(Packing::None),
            5 => return Ok(Packing::Lzw),
            8 | 32946 => return Ok(Packing::Deflate),
            32773 => return Ok(Packing::PackBits),
            50000 => return Ok(Packing::Zstd),
            6 | 7 | 34892 => {
                return Err(
                    "JPEG-compressed, which loses heights; take the file that it was made from".to_owned()
                );
            }
            2..=4 => "a fax code",
            34712 => "JPEG 2000",
            34887 => "LERC",
            34925 => "LZMA",
            50001 => "WebP",
            50002 | 52546 => "JPEG XL",
            _ => "a method without a name here",
        };
        Err(format!(
            "compressed by {name} (number {code}), which is not read; write it anew with deflate, for instance by \
             gdal_translate -co COMPRESS=DEFLATE"
        ))
    }
}

/// What a row is the difference from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Predictor {
    None,
    /// Each sample of the one to its west.
    Horizontal,
    /// The same of bytes, those of equal weight of a row together.
    FloatingPoint,
}

impl Picture {
    /// Reads what a directory says of its picture. The error is a sentence.
    pub(super) fn of<R: Read + Seek>(
        source: &mut Source<R>,
        directory: &Directory,
        options: &ImportOptions,
        notes: &mut Notes,
    ) -> Result<Self, String> {
        let width = side(source.one(directory, tag::WIDTH)?, "width")?;
        let height = side(source.one(directory, tag::LENGTH)?, "height")?;
        let samples = source.one(directory, tag::SAMPLES_PER_PIXEL)?.unwrap_or(1);
        if !(1..=u64::from(u16::MAX)).contains(&samples) {
            return Err(format!("claims {samples} bands: broken"));
        }
        let band = Bands::read(source, directory, samples as usize)?.choose(options, notes)?;
        let element = element(source, directory, band, notes)?;
        if source.one(directory, tag::FILL_ORDER)?.is_some_and(|order| order != 1) {
            return Err(
                "the bits of its bytes are in reverse order (FillOrder 2), which is not read".to_owned()
            );
        }
        if let Some(orientation @ 2..) = source.one(directory, tag::ORIENTATION)? {
            notes.warn(format!(
                "the file says that its first row is not the upper one, or its first column not the left one \
                 (Orientation {orientation}), which is not applied; if it is so, turn the map (--flip, or \
                 ImportOptions::with_flip)"
            ));
        }
        let packing = Packing::of(source.one(directory, tag::COMPRESSION)?.unwrap_or(1))?;
        let predictor = predictor(source, directory, element)?;
        let planar = match source.one(directory, tag::PLANAR_CONFIGURATION)?.unwrap_or(1) {
            1 => false,
            2 => true,
            planar => return Err(format!("has PlanarConfiguration {planar}, which there is not: broken")),
        };
        let (stride, place, plane) = if planar { (1, 0, band as u64) } else { (samples as usize, band, 0) };
        let chunks = chunks(source, directory, width, height)?;
        let picture = Self { width, height, element, band, packing, predictor, chunks, stride, place, plane };
        picture.check_chunk_size()?;
        Ok(picture)
    }

    /// Bytes of a chunk's row.
    pub(super) fn row_bytes(&self) -> usize {
        self.chunks.width as usize * self.stride * self.element.bytes()
    }

    /// Chunks from west to east.
    pub(super) fn across(&self) -> u64 {
        u64::from(self.width.div_ceil(self.chunks.width))
    }

    /// Chunks from north to south.
    pub(super) fn down(&self) -> u64 {
        u64::from(self.height.div_ceil(self.chunks.height))
    }

    /// True where each row of a chunk can be read alone.
    pub(super) fn reads_by_row(&self) -> bool {
        self.packing == Packing::None
    }

    /// Refuses a chunk that takes too much memory; of what is not packed, a row of it.
    fn check_chunk_size(&self) -> Result<(), String> {
        let rows = if self.reads_by_row() { 1 } else { self.chunks.height.min(self.height) };
        let sides = u128::from(self.chunks.width) * u128::from(rows);
        let bytes = sides * (self.stride * self.element.bytes()) as u128;
        if bytes > u128::from(MOST_CHUNK_BYTES) {
            return Err(format!(
                "a {} of {} MiB; up to {} MiB are unpacked at once; write it anew in tiles, for instance by gdal_translate \
                 -co TILED=YES",
                self.chunks.name(),
                bytes >> 20,
                MOST_CHUNK_BYTES >> 20
            ));
        }
        Ok(())
    }
}

fn side(value: Option<u64>, name: &str) -> Result<u32, String> {
    let value = value.ok_or_else(|| format!("does not say its {name}: broken"))?;
    Ok(u32::try_from(value).unwrap_or(u32::MAX))
}

/// What is known of a picture's bands before one is chosen.
struct Bands {
    count: usize,
    photometric: u64,
    /// Bands that say how opaque a pixel is.
    alpha: usize,
}

impl Bands {
    fn read<R: Read + Seek>(
        source: &mut Source<R>,
        directory: &Directory,
        count: usize,
    ) -> Result<Self, String> {
        let photometric = source.one(directory, tag::PHOTOMETRIC)?.unwrap_or(1);
        let extra = source.all(directory, tag::EXTRA_SAMPLES)?;
        let alpha = extra.iter().filter(|&&kind| matches!(kind, 1 | 2)).count();
        Ok(Self { count, photometric, alpha })
    }

    /// The band that holds the heights, from 0.
    fn choose(&self, options: &ImportOptions, notes: &mut Notes) -> Result<usize, String> {
        let count = self.count;
        let is_rgb = check_photometric(self.photometric)?;
        if self.photometric == 0 {
            notes.assume("the numbers are taken as they are stored, although 0 is white in this file");
        }
        let how = format!("(--channel 1 … {count}, or ImportOptions::with_channel)");
        if let Some(channel) = &options.channel {
            return match channel.parse() {
                Ok(band) if (1..=count).contains(&band) => Ok(band - 1),
                _ if count == 1 => Err(format!("there is no band `{channel}`; it has one, band 1")),
                _ => Err(format!("there is no band `{channel}`; it has {count} bands {how}")),
            };
        }
        if is_rgb {
            return Err(format!(
                "a colour picture (RGB), which has no heights; save the heights as one band of 16 bits or floats, or state \
                 which band holds them {how}"
            ));
        }
        if count > 1 && count - 1 > self.alpha {
            return Err(format!("has {count} bands; state which one holds the heights {how}"));
        }
        if count > 1 {
            notes.warn(format!(
                "band 1 of {count} holds the heights, because the rest is alpha, which is ignored: if it marks voids, they are \
                 heights now (--nodata, if they have a value of their own)"
            ));
        }
        Ok(0)
    }
}

/// Refuses what no band of can be heights. True for red, green and blue, of which one may be.
fn check_photometric(photometric: u64) -> Result<bool, String> {
    let colours = match photometric {
        0..=2 => return Ok(photometric == 2),
        3 => {
            return Err(
                "a palette picture, whose indices are no heights; save the heights as one band".to_owned()
            );
        }
        4 => return Err("a mask, which has no heights".to_owned()),
        5 => "CMYK",
        6 => "YCbCr",
        8..=10 => "L*a*b*",
        32844 | 32845 => "LogLuv",
        other => {
            return Err(format!("PhotometricInterpretation {other}, which is not read; save it as grey"));
        }
    };
    Err(format!(
        "a colour picture ({colours}), which has no heights; save the heights as one band of 16 bits or floats"
    ))
}

/// The type of the wanted band's samples.
fn element<R: Read + Seek>(
    source: &mut Source<R>,
    directory: &Directory,
    band: usize,
    notes: &mut Notes,
) -> Result<Element, String> {
    // A number for each band, or one for all.
    let of_band = |list: &[u64], default| *list.get(band).or(list.first()).unwrap_or(&default);
    let depths = source.all(directory, tag::BITS_PER_SAMPLE)?;
    let formats = source.all(directory, tag::SAMPLE_FORMAT)?;
    let (bits, format) = (of_band(&depths, 1), of_band(&formats, 1));
    if let Some(other) = depths.iter().find(|&&depth| depth != bits) {
        return Err(format!(
            "has bands of {bits} and of {other} bits a sample, which is not read; save one of them alone"
        ));
    }
    if format == 4 {
        notes.assume("its samples are whole numbers without a sign, because it does not say what they are");
    }
    Ok(match (format, bits) {
        (5 | 6, _) => return Err("its samples are complex numbers, which are no heights".to_owned()),
        (1 | 2 | 4, 0..=7) => {
            let s = if bits == 1 { "" } else { "s" };
            return Err(format!("{bits} bit{s} a sample, too few for heights; save it with 16"));
        }
        (1 | 4, 8) => Element::Sample(SampleType::U8),
        (1 | 4, 16) => Element::Sample(SampleType::U16),
        (1 | 4, 32) => Element::Sample(SampleType::U32),
        (1 | 4, 64) => Element::U64,
        (2, 8) => Element::I8,
        (2, 16) => Element::Sample(SampleType::I16),
        (2, 32) => Element::Sample(SampleType::I32),
        (2, 64) => Element::I64,
        (3, 16) => Element::F16,
        (3, 32) => Element::Sample(SampleType::F32),
        (3, 64) => Element::Sample(SampleType::F64),
        (1..=4, _) => {
            let kind = if format == 3 { "floats of 16, 32 and 64" } else { "8, 16, 32 and 64" };
            return Err(format!("{bits} bits a sample, which is not read; supported are {kind} bits"));
        }
        _ => return Err(format!("has SampleFormat {format}, which there is not: broken")),
    })
}

fn predictor<R: Read + Seek>(
    source: &mut Source<R>,
    directory: &Directory,
    element: Element,
) -> Result<Predictor, String> {
    let float = matches!(element, Element::F16 | Element::Sample(SampleType::F32 | SampleType::F64));
    match source.one(directory, tag::PREDICTOR)?.unwrap_or(1) {
        1 => Ok(Predictor::None),
        2 => Ok(Predictor::Horizontal),
        3 if float => Ok(Predictor::FloatingPoint),
        3 => Err("has the predictor of floats, but its samples are whole numbers: broken".to_owned()),
        other => Err(format!("has predictor {other}, which is not read; 1 to 3 are")),
    }
}

fn chunks<R: Read + Seek>(
    source: &mut Source<R>,
    directory: &Directory,
    width: u32,
    height: u32,
) -> Result<Chunks, String> {
    let tiled = directory.has(tag::TILE_WIDTH);
    let chunks = if tiled {
        let width = side(source.one(directory, tag::TILE_WIDTH)?, "tiles' width")?;
        let height = side(source.one(directory, tag::TILE_LENGTH)?, "tiles' height")?;
        Chunks { tiled, width, height }
    } else {
        let rows = source.one(directory, tag::ROWS_PER_STRIP)?.unwrap_or(u64::from(height));
        Chunks { tiled, width, height: u32::try_from(rows).unwrap_or(u32::MAX).min(height) }
    };
    if chunks.width == 0 || chunks.height == 0 {
        return Err(format!("has {}s of {}×{} samples: broken", chunks.name(), chunks.width, chunks.height));
    }
    Ok(chunks)
}
