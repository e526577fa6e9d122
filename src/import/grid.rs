//! What a reader found in a file, before it becomes a heightmap.

use super::mask::Mask;
use super::units::Units;
use super::values::Values;
use super::{ByteOrder, Format};
use crate::field::SampleRect;
use glam::DVec2;

/// A file's samples and what the file says about them.
pub(super) struct Grid {
    pub(super) format: Format,
    /// Samples of the whole file, west to east and north to south.
    pub(super) size: (u32, u32),
    /// The part of the file that was kept.
    pub(super) window: SampleRect,
    /// Bits a sample in the file; 32 for numbers in text, which are read as 32-bit floats.
    pub(super) bit_depth: u32,
    pub(super) byte_order: Option<ByteOrder>,
    /// The window's samples, row-major, row 0 in the north.
    pub(super) values: Values,
    pub(super) meaning: Meaning,
    /// The void that the file or its format declares, in the file's own numbers.
    pub(super) nodata: Option<f64>,
    /// The reader made NaN of every void, because its values are not the file's own numbers any more.
    pub(super) voids_are_nan: bool,
    /// Metres between samples, where the file says.
    pub(super) spacing: Option<DVec2>,
    /// Open quads of the window, for formats that have them.
    pub(super) holes: Mask,
    pub(super) notes: Notes,
}

impl Grid {
    /// A file that says no more than its samples.
    pub(super) fn new(format: Format, size: (u32, u32), window: SampleRect, values: Values) -> Self {
        Self {
            format,
            size,
            window,
            bit_depth: 8 * values.sample_type().bytes(),
            byte_order: None,
            values,
            meaning: Meaning::HEIGHTS,
            nodata: None,
            voids_are_nan: false,
            spacing: None,
            holes: Mask::default(),
            notes: Notes::default(),
        }
    }
}

/// What the numbers of a file stand for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Meaning {
    /// Parts of a range that the file does not know: from 0 to the number that stands for all of it.
    Codes {
        /// The number that is the top of the range.
        full: f64,
    },
    /// Heights: number × scale + offset, in units.
    Heights {
        scale: f64,
        offset: f64,
        /// Where the file says.
        units: Option<Units>,
    },
}

impl Meaning {
    /// Heights in a unit that the file does not say.
    pub(super) const HEIGHTS: Self = Meaning::Heights { scale: 1.0, offset: 0.0, units: None };

    /// Heights in a unit that the file says.
    pub(super) fn heights_in(units: Units) -> Self {
        Meaning::Heights { scale: 1.0, offset: 0.0, units: Some(units) }
    }

    /// True where the numbers are metres as they are.
    pub(super) fn is_metres(&self) -> bool {
        match *self {
            Meaning::Codes { .. } => false,
            Meaning::Heights { scale, offset, units } => {
                (scale, offset) == (1.0, 0.0) && units.is_none_or(|units| units == Units::METRES)
            }
        }
    }

    pub(super) fn is_codes(&self) -> bool {
        matches!(self, Meaning::Codes { .. })
    }
}

/// The lines of a report that grow while a file is read.
#[derive(Clone, Default)]
pub(super) struct Notes {
    pub(super) assumptions: Vec<String>,
    pub(super) warnings: Vec<String>,
}

impl Notes {
    pub(super) fn assume(&mut self, line: impl Into<String>) {
        self.assumptions.push(line.into());
    }

    pub(super) fn warn(&mut self, line: impl Into<String>) {
        self.warnings.push(line.into());
    }
}
