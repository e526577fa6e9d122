//! What the numbers of a file stand for.

use super::units::Units;
use crate::field::HeightRange;

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

    /// Heights in a unit that the file or its format says.
    pub(super) fn heights_in(units: Units) -> Self {
        Meaning::Heights { scale: 1.0, offset: 0.0, units: Some(units) }
    }

    pub(super) fn is_codes(&self) -> bool {
        matches!(self, Meaning::Codes { .. })
    }

    /// True where the numbers are metres as they are.
    fn is_metres(&self) -> bool {
        match *self {
            Meaning::Codes { .. } => false,
            Meaning::Heights { scale, offset, units } => {
                (scale, offset) == (1.0, 0.0) && units.is_none_or(|units| units == Units::METRES)
            }
        }
    }

    /// Metres of a number of the file.
    pub(super) fn metres(&self, value: f64, range: &HeightRange) -> f64 {
        match *self {
            Meaning::Codes { full } => {
                range.metres((value * HeightRange::MAX_CODE / full).clamp(0.0, HeightRange::MAX_CODE))
            }
            Meaning::Heights { scale, offset, units } => {
                (value * scale + offset) * units.unwrap_or(Units::METRES).metres()
            }
        }
    }

    /// Metres between two numbers of the file; 1 where it is the range that says.
    pub(super) fn metres_a_number(&self) -> f64 {
        match *self {
            Meaning::Codes { .. } => 1.0,
            Meaning::Heights { scale, units, .. } => scale.abs() * units.unwrap_or(Units::METRES).metres(),
        }
    }

    /// The code nearest to a number of the file.
    pub(super) fn code(&self, value: f64, range: &HeightRange) -> u16 {
        match *self {
            // The cast clamps, and makes 0 of NaN.
            Meaning::Codes { full } => (value * HeightRange::MAX_CODE / full).round() as u16,
            Meaning::Heights { .. } if self.is_metres() => range.code(value),
            Meaning::Heights { .. } => range.code(self.metres(value, range)),
        }
    }

    /// True where the numbers are the codes of a field as they are.
    pub(super) fn is_code(&self) -> bool {
        *self == Meaning::Codes { full: HeightRange::MAX_CODE }
    }
}
