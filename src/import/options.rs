//! What a caller states about a file, and what is to be done with it.

use super::{Encoding, Fill, Filter, SampleType, Units};
use crate::field::{FieldDesc, HeightRange, SampleRect};
use crate::{Error, Result};
use glam::DVec2;
use std::fmt;

/// Which byte of a sample comes first in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// What the format says; little-endian for raw samples, which is what most tools write and no file says.
    #[default]
    Auto,
    /// The low byte first.
    Little,
    /// The high byte first.
    Big,
}

impl ByteOrder {
    /// The order itself, with this one in place of [`ByteOrder::Auto`].
    pub(super) fn or(self, default: Self) -> Self {
        if self == ByteOrder::Auto { default } else { self }
    }

    pub(super) fn encode(self, code: u16) -> [u8; 2] {
        match self {
            ByteOrder::Big => code.to_be_bytes(),
            ByteOrder::Auto | ByteOrder::Little => code.to_le_bytes(),
        }
    }
}

impl fmt::Display for ByteOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ByteOrder::Auto => "automatic",
            ByteOrder::Little => "little-endian",
            ByteOrder::Big => "big-endian",
        })
    }
}

/// Which sides of a map change places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Flip {
    /// None: row 0 of the file is the north edge, column 0 the west edge.
    #[default]
    None,
    /// West and east: the columns are read backwards.
    WestEast,
    /// North and south: the rows are read backwards, for files that begin in the south.
    NorthSouth,
    /// Both: half a turn.
    Both,
}

impl Flip {
    /// Whether west and east, and whether north and south, change places.
    pub(super) fn sides(self) -> (bool, bool) {
        match self {
            Flip::None => (false, false),
            Flip::WestEast => (true, false),
            Flip::NorthSouth => (false, true),
            Flip::Both => (true, true),
        }
    }
}

/// A new spacing for a map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Resample {
    /// Metres between the new samples, west to east and north to south.
    pub spacing: DVec2,
    /// What the new samples are made with.
    pub filter: Filter,
}

/// What a caller knows about a file that the file does not say, and what is to be done with it. The default states and
/// does nothing: every assumption that is made in its place is in
/// [`ImportReport::assumptions`](super::ImportReport::assumptions). The command line has every option by the same name.
///
/// They are applied in this order: crop, flip, fill, resample.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImportOptions {
    /// Metres between two samples, west to east and north to south. Without it 1 × 1, or what the file says: an hgt's
    /// cell size with the latitude of its name, the cell size of an ASCII grid, a USGS DEM or a GeoTIFF.
    pub spacing: Option<DVec2>,
    /// Metres of the codes 0 and 65535. Without it codes stand from 0 m to an eighth of the map's longest side, and
    /// heights from the lowest to the highest valid sample. Heights outside a stated range are clamped, which is
    /// reported.
    pub range: Option<(f64, f64)>,
    /// Samples west to east and north to south. A raw file that is not square needs it; a file that says its own size
    /// is refused where the two differ.
    pub raw_size: Option<(u32, u32)>,
    /// Byte order of raw and hgt samples. The other formats say or have their own and ignore this.
    pub byte_order: ByteOrder,
    /// The type of raw samples. Without it what the extension says: `.r8`, `.r16`, `.raw` (16 bits), `.r32`, `.f32`.
    /// The other formats say their own and ignore this.
    pub sample_type: Option<SampleType>,
    /// Bytes before the first sample of a raw file.
    pub offset: u64,
    /// What the numbers of the file stand for.
    pub encoding: Encoding,
    /// Values of samples without a height, in the file's own numbers. They take the place of what the file declares;
    /// empty, that counts. They are compared in the type that the file's samples have, so −3.4028235e38 finds the lowest
    /// 32-bit float however it is rounded. NaN and infinities are voids always, and NaN alone states that nothing else is.
    pub nodata: Vec<f64>,
    /// What becomes of voids.
    pub fill: Fill,
    /// The unit of the file's heights. It takes the place of what the file declares; without either, metres.
    pub units: Option<Units>,
    /// Which array of an .npz holds the heights. Without it the only two-dimensional one.
    pub array: Option<String>,
    /// Which channel of an OpenEXR picture, by its name, or which band of a GeoTIFF, by its number from 1, holds the
    /// heights. Without it the only one; of an OpenEXR picture `Y`, or `R` of a colour one.
    pub channel: Option<String>,
    /// The part of the file that is taken, in the file's own columns and rows. No more than this is kept while the file
    /// is read, which may be as large as it likes.
    pub crop: Option<SampleRect>,
    /// Which sides change places.
    pub flip: Flip,
    /// A new spacing. The north-west sample stays where it is.
    pub resample: Option<Resample>,
    /// Samples a side of the field's tiles: a power of two from 16 to 1024.
    pub tile_samples: u32,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            spacing: None,
            range: None,
            raw_size: None,
            byte_order: ByteOrder::Auto,
            sample_type: None,
            offset: 0,
            encoding: Encoding::Auto,
            nodata: Vec::new(),
            fill: Fill::Holes,
            units: None,
            array: None,
            channel: None,
            crop: None,
            flip: Flip::None,
            resample: None,
            tile_samples: FieldDesc::DEFAULT_TILE_SAMPLES,
        }
    }
}

impl ImportOptions {
    /// The same options with this spacing: metres between samples, west to east and north to south.
    pub fn with_spacing(self, x: f64, z: f64) -> Self {
        Self { spacing: Some(DVec2::new(x, z)), ..self }
    }

    /// The same options with these metres for the codes 0 and 65535.
    pub fn with_range(self, min: f64, max: f64) -> Self {
        Self { range: Some((min, max)), ..self }
    }

    /// The same options with this size of the file in samples, west to east and north to south.
    pub fn with_raw_size(self, width: u32, height: u32) -> Self {
        Self { raw_size: Some((width, height)), ..self }
    }

    /// The same options with this byte order.
    pub fn with_byte_order(self, byte_order: ByteOrder) -> Self {
        Self { byte_order, ..self }
    }

    /// The same options with raw samples of this type.
    pub fn with_sample_type(self, sample_type: SampleType) -> Self {
        Self { sample_type: Some(sample_type), ..self }
    }

    /// The same options with so many bytes before the first sample of a raw file.
    pub fn with_offset(self, bytes: u64) -> Self {
        Self { offset: bytes, ..self }
    }

    /// The same options with this meaning of the file's numbers.
    pub fn with_encoding(self, encoding: Encoding) -> Self {
        Self { encoding, ..self }
    }

    /// The same options with this value for a sample without a height, beside those that were stated before.
    pub fn with_nodata(mut self, nodata: f64) -> Self {
        self.nodata.push(nodata);
        self
    }

    /// The same options with voids filled this way.
    pub fn with_fill(self, fill: Fill) -> Self {
        Self { fill, ..self }
    }

    /// The same options with heights in this unit.
    pub fn with_units(self, units: Units) -> Self {
        Self { units: Some(units), ..self }
    }

    /// The same options with the heights in this array of an .npz.
    pub fn with_array(self, array: impl Into<String>) -> Self {
        Self { array: Some(array.into()), ..self }
    }

    /// The same options with the heights in this channel of an OpenEXR picture, or this band of a GeoTIFF.
    pub fn with_channel(self, channel: impl Into<String>) -> Self {
        Self { channel: Some(channel.into()), ..self }
    }

    /// The same options with this part of the file.
    pub fn with_crop(self, crop: SampleRect) -> Self {
        Self { crop: Some(crop), ..self }
    }

    /// The same options with these sides changed.
    pub fn with_flip(self, flip: Flip) -> Self {
        Self { flip, ..self }
    }

    /// The same options with a new spacing, metres west to east and north to south.
    pub fn with_resample(self, x: f64, z: f64, filter: Filter) -> Self {
        Self { resample: Some(Resample { spacing: DVec2::new(x, z), filter }), ..self }
    }

    /// The same options with tiles of this many samples a side.
    pub fn with_tile_samples(self, tile_samples: u32) -> Self {
        Self { tile_samples, ..self }
    }

    /// Refuses what no file could make right, before a file is read.
    pub(super) fn check(&self) -> Result<()> {
        let range = HeightRange { min: 0.0, max: 1.0 };
        let spacing = self.spacing.unwrap_or(DVec2::ONE);
        self.describe(2, 2, spacing, range).validate()?;
        if let Some(resample) = self.resample {
            self.describe(2, 2, resample.spacing, range).validate()?;
        }
        match self.crop {
            Some(SampleRect { x0, z0, x1, z1 }) if x1.saturating_sub(x0) < 2 || z1.saturating_sub(z0) < 2 => {
                let why = format!(
                    "columns {x0} to {x1} and rows {z0} to {z1} span no ground; keep at least 2×2 samples"
                );
                Err(Error::invalid("crop", why))
            }
            _ => Ok(()),
        }
    }

    /// The field's description: what is stated, and the given range where none is.
    pub(super) fn describe(&self, width: u32, height: u32, spacing: DVec2, range: HeightRange) -> FieldDesc {
        FieldDesc {
            tile_samples: self.tile_samples,
            spacing,
            range: self.range.map_or(range, |(min, max)| HeightRange { min, max }),
            ..FieldDesc::new(width, height)
        }
    }
}
