//! Units of height.

use super::report::metres;
use std::fmt;
use std::str::FromStr;

/// A unit that a file's heights are in, by its metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Units {
    metres: f64,
}

/// Names of units; the first of each is the one that is printed.
const NAMES: [(&[&str], Units); 7] = [
    (&["metres", "meters", "metre", "meter", "m"], Units::METRES),
    (&["feet", "foot", "ft"], Units::FEET),
    (&["us-feet", "us-ft", "ftus", "us-survey-feet"], Units::US_SURVEY_FEET),
    (&["decimetres", "decimeters", "dm"], Units::DECIMETRES),
    (&["centimetres", "centimeters", "cm"], Units::CENTIMETRES),
    (&["millimetres", "millimeters", "mm"], Units::MILLIMETRES),
    (&["kilometres", "kilometers", "km"], Units::KILOMETRES),
];

impl Units {
    /// Metres.
    pub const METRES: Self = Self { metres: 1.0 };
    /// International feet, 0.3048 m.
    pub const FEET: Self = Self { metres: 0.3048 };
    /// United States survey feet, 1200/3937 m.
    pub const US_SURVEY_FEET: Self = Self { metres: 1200.0 / 3937.0 };
    /// Decimetres.
    pub const DECIMETRES: Self = Self { metres: 0.1 };
    /// Centimetres.
    pub const CENTIMETRES: Self = Self { metres: 0.01 };
    /// Millimetres.
    pub const MILLIMETRES: Self = Self { metres: 0.001 };
    /// Kilometres.
    pub const KILOMETRES: Self = Self { metres: 1000.0 };

    /// A unit of so many metres, which must be finite and above 0.
    pub fn of_metres(metres: f64) -> Option<Self> {
        (metres.is_finite() && metres > 0.0).then_some(Self { metres })
    }

    /// Metres of one.
    pub fn metres(self) -> f64 {
        self.metres
    }
}

impl fmt::Display for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match NAMES.iter().find(|(_, units)| units == self) {
            Some((names, _)) => f.pad(names[0]),
            None => f.pad(&format!("units of {} m", metres(self.metres))),
        }
    }
}

impl FromStr for Units {
    type Err = String;

    /// A name, as `feet`, or the metres of one, as `0.01`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wanted = text.to_lowercase();
        if let Some((_, units)) = NAMES.iter().find(|(names, _)| names.contains(&wanted.as_str())) {
            return Ok(*units);
        }
        wanted.parse().ok().and_then(Self::of_metres).ok_or_else(|| {
            let names: Vec<_> = NAMES.iter().map(|(names, _)| names[0]).collect();
            format!("`{text}` is no unit; use {}, or the metres of one, for instance 0.1", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_means_what_it_prints() {
        for (names, units) in NAMES {
            for name in names {
                assert_eq!(name.parse::<Units>(), Ok(units));
            }
            assert_eq!(units.to_string(), names[0]);
        }
        assert_eq!("FEET".parse::<Units>().unwrap().metres(), 0.3048);
        assert_eq!("0.25".parse::<Units>().unwrap().to_string(), "units of 0.25 m");
        for text in ["", "yards", "0", "-1", "nan", "inf"] {
            assert!(text.parse::<Units>().is_err_and(|why| why.contains("us-feet")), "{text}");
        }
    }
}
