//! What a reader found in a file, before it becomes a heightmap.

use super::mask::Mask;
use super::meaning::Meaning;
use super::values::Values;
use super::{ByteOrder, Encoding, Format};
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
    /// How the numbers were in the file, where a reader found that out.
    pub(super) encoding: Option<Encoding>,
    /// The void that the file or its format declares, in the file's own numbers.
    pub(super) nodata: Option<f64>,
    /// The reader made NaN of every void, because its values are not the file's own numbers any more.
    pub(super) voids_are_nan: bool,
    /// Metres between samples, where the file says.
    pub(super) spacing: Option<DVec2>,
    /// The spacing comes from degrees, whose cells are not square in metres.
    pub(super) is_in_degrees: bool,
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
            encoding: None,
            nodata: None,
            voids_are_nan: false,
            spacing: None,
            is_in_degrees: false,
            holes: Mask::default(),
            notes: Notes::default(),
        }
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
