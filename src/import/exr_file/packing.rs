//! How the bytes of a block are packed. Of the methods of the format only PIZ and B44 are unpacked by the `exr` crate:
//! the inflater behind its others fails on some sound streams, so deflate and what builds on it is undone here.

use super::b44;
use super::channels::SampleKind;
use super::header::Part;
use exr::math::RoundingMode;
use exr::meta::BlockDescription;
use exr::meta::header::Header;
use exr::prelude::attribute::LevelMode;
use exr::prelude::{
    ChannelDescription, Compression, IntegerBounds, LineOrder, SampleType, Text, TileDescription, Vec2,
};
use flate2::bufread::ZlibDecoder;
use std::fmt;
use std::io::Read;

/// A method of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    None,
    Rle,
    Zips,
    Zip,
    Piz,
    Pxr24,
    B44,
    B44a,
    Dwaa,
    Dwab,
    Htj2k256,
    Htj2k32,
}

impl fmt::Display for Packing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Packing::None => "no",
            Packing::Rle => "RLE",
            Packing::Zips => "ZIPS",
            Packing::Zip => "ZIP",
            Packing::Piz => "PIZ",
            Packing::Pxr24 => "PXR24",
            Packing::B44 => "B44",
            Packing::B44a => "B44A",
            Packing::Dwaa => "DWAA",
            Packing::Dwab => "DWAB",
            Packing::Htj2k256 => "HTJ2K256",
            Packing::Htj2k32 => "HTJ2K32",
        })
    }
}

impl Packing {
    /// The method with this number.
    pub(super) fn of(code: u8) -> Option<Self> {
        const METHODS: [Packing; 12] = [
            Packing::None,
            Packing::Rle,
            Packing::Zips,
            Packing::Zip,
            Packing::Piz,
            Packing::Pxr24,
            Packing::B44,
            Packing::B44a,
            Packing::Dwaa,
            Packing::Dwab,
            Packing::Htj2k256,
            Packing::Htj2k32,
        ];
        METHODS.get(usize::from(code)).copied()
    }

    /// Rows of a block that is no tile.
    pub(super) fn rows(self) -> u32 {
        match self {
            Packing::None | Packing::Rle | Packing::Zips => 1,
            Packing::Zip | Packing::Pxr24 => 16,
            Packing::Piz | Packing::B44 | Packing::B44a | Packing::Dwaa | Packing::Htj2k32 => 32,
            Packing::Dwab | Packing::Htj2k256 => 256,
        }
    }

    /// Why a picture that is packed this way is not read.
    pub(super) fn refusal(self) -> Option<String> {
        let why = match self {
            Packing::Dwaa | Packing::Dwab => "rounds heights as if they were colours",
            Packing::Htj2k256 | Packing::Htj2k32 => "few tools know yet",
            _ => return None,
        };
        Some(format!("{self} compression, which {why}, is not read; save it with ZIP or PIZ"))
    }

    /// As many bytes or fewer come out of one. A file that claims more is refused before memory is taken for it.
    pub(super) fn most(self) -> u64 {
        match self {
            Packing::None => 1,
            // 128 of a run's two bytes.
            Packing::Rle => 64,
            // 510 of a code of one bit and a count of eight.
            Packing::Piz => 460,
            // Sixteen halves of a flat square's three bytes.
            Packing::B44 | Packing::B44a => 11,
            // What deflate can do; PXR24 makes four bytes of three besides.
            _ => 1400,
        }
    }

    /// True where samples of this type come out as they went in.
    pub(super) fn keeps(self, kind: SampleKind) -> bool {
        match self {
            Packing::Pxr24 => kind != SampleKind::Float,
            Packing::B44 | Packing::B44a => kind != SampleKind::Half,
            _ => true,
        }
    }

    /// True where unpacked samples have this machine's byte order, else the file's.
    pub(super) fn is_native(self) -> bool {
        self.method().is_some()
    }

    /// What the crate calls a method that it undoes.
    fn method(self) -> Option<Compression> {
        match self {
            Packing::Piz => Some(Compression::PIZ),
            Packing::B44 => Some(Compression::B44),
            Packing::B44a => Some(Compression::B44A),
            _ => None,
        }
    }

    /// Unpacks a block of a part: rows, and in a row the samples of one channel after another. The error is a sentence.
    pub(super) fn unpack(
        self,
        part: &Part,
        (width, height): (u32, u32),
        packed: Vec<u8>,
    ) -> Result<Vec<u8>, String> {
        let broken = || format!("a broken block of {self} data");
        let pixels = u64::from(width) * u64::from(height);
        let length = pixels.saturating_mul(part.bytes_a_pixel() as u64);
        if length / self.most() > packed.len() as u64 {
            return Err(broken());
        }
        let length = usize::try_from(length).map_err(|_| broken())?;
        let whole = packed.len() == length;
        let sides = (width as usize, height as usize);
        let unpacked = match self {
            Packing::B44 | Packing::B44a if !whole && !b44::is_sound(&part.channels, sides, &packed) => None,
            Packing::Piz | Packing::B44 | Packing::B44a => by_crate(self.method(), part, sides, packed),
            // What would not shrink is stored as it is.
            _ if whole => Some(packed),
            Packing::Rle => unpack_runs(&packed, length).map(restore),
            Packing::Zips | Packing::Zip => inflate(&packed, length).map(restore),
            Packing::Pxr24 => unpack_pxr24(part, sides, &packed),
            _ => None,
        };
        unpacked.filter(|unpacked| unpacked.len() == length).ok_or_else(broken)
    }
}

/// Inflates what must become so many bytes.
pub(super) fn inflate(packed: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; length];
    let mut decoder = ZlibDecoder::new(packed);
    decoder.read_exact(&mut bytes).ok()?;
    // The checksum is read with the end.
    (decoder.read(&mut [0]).ok()? == 0).then_some(bytes)
}

/// Runs of one byte, and bytes as they are: a count below 0 says which.
fn unpack_runs(mut packed: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while let Some((&count, rest)) = packed.split_first() {
        let count = count as i8;
        if count < 0 {
            let (literal, rest) = rest.split_at_checked(usize::from(count.unsigned_abs()))?;
            bytes.extend_from_slice(literal);
            packed = rest;
        } else {
            let (&byte, rest) = rest.split_first()?;
            bytes.resize(bytes.len() + count as usize + 1, byte);
            packed = rest;
        }
        if bytes.len() > length {
            return None;
        }
    }
    Some(bytes)
}

/// Undoes what RLE and ZIP do before they pack: bytes at even places before those at odd ones, then differences.
fn restore(mut bytes: Vec<u8>) -> Vec<u8> {
    let mut last = 128;
    for byte in &mut bytes {
        last = byte.wrapping_add(last).wrapping_sub(128);
        *byte = last;
    }
    let mut restored = vec![0; bytes.len()];
    let (even, odd) = bytes.split_at(bytes.len().div_ceil(2));
    restored.iter_mut().step_by(2).zip(even).for_each(|(byte, &even)| *byte = even);
    restored.iter_mut().skip(1).step_by(2).zip(odd).for_each(|(byte, &odd)| *byte = odd);
    restored
}

/// Undoes PXR24: of the samples of a row the highest bytes first, then the next, of differences from sample to sample.
/// Floats lack their lowest byte.
fn unpack_pxr24(part: &Part, (width, height): (usize, usize), packed: &[u8]) -> Option<Vec<u8>> {
    let stored = |kind: SampleKind| if kind == SampleKind::Float { 3 } else { kind.bytes() };
    let length: usize = part.channels.iter().map(|channel| stored(channel.kind) * width * height).sum();
    let planes = inflate(packed, length)?;
    let mut rest = &planes[..];
    let mut bytes = Vec::with_capacity(part.bytes_a_pixel() * width * height);
    for _ in 0..height {
        for channel in &part.channels {
            let (line, below) = rest.split_at_checked(stored(channel.kind) * width)?;
            rest = below;
            let mut value = 0u32;
            for x in 0..width {
                let difference =
                    line[x..].iter().step_by(width).fold(0, |high, &low| high << 8 | u32::from(low));
                value = value.wrapping_add(difference);
                match channel.kind {
                    SampleKind::Half => bytes.extend_from_slice(&(value as u16).to_le_bytes()),
                    SampleKind::Float => bytes.extend_from_slice(&(value << 8).to_le_bytes()),
                    SampleKind::Whole => bytes.extend_from_slice(&value.to_le_bytes()),
                }
            }
        }
    }
    Some(bytes)
}

/// Unpacks a block as the only tile of a picture of its size.
fn by_crate(
    method: Option<Compression>,
    part: &Part,
    (width, height): (usize, usize),
    packed: Vec<u8>,
) -> Option<Vec<u8>> {
    let channels = part.channels.iter().map(|channel| {
        let kind = match channel.kind {
            SampleKind::Half => SampleType::F16,
            SampleKind::Float => SampleType::F32,
            SampleKind::Whole => SampleType::U32,
        };
        ChannelDescription::new(Text::default(), kind, channel.linear)
    });
    let size = Vec2(width, height);
    let tile = TileDescription {
        tile_size: size,
        level_mode: LevelMode::Singular,
        rounding_mode: RoundingMode::Down,
    };
    let blocks = BlockDescription::Tiles(tile);
    let method = method?;
    let header = Header::new(Text::default(), size, channels.collect());
    let header = header.with_encoding(method, blocks, LineOrder::Increasing);
    let section = IntegerBounds::from_dimensions(size);
    method.decompress_image_section_from_le(&header, packed, section, true).ok()
}
