//! What a caller states about a file.

use crate::Result;
use crate::field::{FieldDesc, HeightRange};
use glam::DVec2;
use std::fmt;

/// Which byte of a 16-bit sample comes first in a file.
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

    pub(super) fn decode(self, bytes: [u8; 2]) -> u16 {
        match self {
            ByteOrder::Big => u16::from_be_bytes(bytes),
            ByteOrder::Auto | ByteOrder::Little => u16::from_le_bytes(bytes),
        }
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

/// What a caller knows about a file that the file does not say. The default states nothing: every assumption that is
/// made in its place is in [`ImportReport::assumptions`](super::ImportReport::assumptions).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImportOptions {
    /// Metres between two samples, west to east and north to south. Without it 1 × 1, or what the file says: an hgt's
    /// cell size with the latitude of its name, the cell size of an ASCII grid or a USGS DEM.
    pub spacing: Option<DVec2>,
    /// Metres of the codes 0 and 65535. Without it a PNG or a raw file stands from 0 m to an eighth of its longest
    /// side, and a file that holds metres is from its own lowest to its own highest valid sample. Metres outside a
    /// stated range are clamped, which is reported.
    pub range: Option<(f64, f64)>,
    /// Samples west to east and north to south. A raw file that is not square needs it; a file that says its own size
    /// is refused where the two differ.
    pub raw_size: Option<(u32, u32)>,
    /// Byte order of raw and hgt samples. The other formats say or have their own and ignore this.
    pub byte_order: ByteOrder,
    /// The value of a sample without a height, in the file's own numbers. It takes the place of what the file
    /// declares. It is compared in the type that the file's samples have, so −3.4028235e38 finds the lowest 32-bit
    /// float however it is rounded. NaN and infinities are voids always.
    pub nodata: Option<f64>,
    /// Which array of an .npz holds the heights. Without it the only two-dimensional one.
    pub array: Option<String>,
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
            nodata: None,
            array: None,
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

    /// The same options with this size in samples, west to east and north to south.
    pub fn with_raw_size(self, width: u32, height: u32) -> Self {
        Self { raw_size: Some((width, height)), ..self }
    }

    /// The same options with this byte order.
    pub fn with_byte_order(self, byte_order: ByteOrder) -> Self {
        Self { byte_order, ..self }
    }

    /// The same options with this value for a sample without a height.
    pub fn with_nodata(self, nodata: f64) -> Self {
        Self { nodata: Some(nodata), ..self }
    }

    /// The same options with the heights in this array of an .npz.
    pub fn with_array(self, array: impl Into<String>) -> Self {
        Self { array: Some(array.into()), ..self }
    }

    /// The same options with tiles of this many samples a side.
    pub fn with_tile_samples(self, tile_samples: u32) -> Self {
        Self { tile_samples, ..self }
    }

    /// Refuses what no file could make right, before a file is read.
    pub(super) fn check(&self) -> Result<()> {
        self.describe(2, 2, DVec2::ONE, HeightRange { min: 0.0, max: 1.0 }).validate()
    }

    /// The field's description: what is stated, and the given spacing and range where nothing is.
    pub(super) fn describe(&self, width: u32, height: u32, spacing: DVec2, range: HeightRange) -> FieldDesc {
        FieldDesc {
            tile_samples: self.tile_samples,
            spacing: self.spacing.unwrap_or(spacing),
            range: self.range.map_or(range, |(min, max)| HeightRange { min, max }),
            ..FieldDesc::new(width, height)
        }
    }
}
