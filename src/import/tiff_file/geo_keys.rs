//! The keys of a GeoTIFF, which say what the numbers of its place are. Codes are those of the EPSG registry.

use super::super::Units;
use super::super::grid::Notes;
use super::directory::{Directory, Source, tag};
use std::io::{Read, Seek};

const MODEL_TYPE: u64 = 1024;
const RASTER_TYPE: u64 = 1025;
const GEOGRAPHIC_CRS: u64 = 2048;
const ANGULAR_UNIT: u64 = 2054;
const ANGULAR_UNIT_SIZE: u64 = 2055;
const PROJECTED_CRS: u64 = 3072;
const LINEAR_UNIT: u64 = 3076;
const LINEAR_UNIT_SIZE: u64 = 3077;
const VERTICAL_CRS: u64 = 4096;
const VERTICAL_UNIT: u64 = 4099;

/// A key's value for what other keys describe.
const USER_DEFINED: u64 = 32767;
/// The map of the whole Earth that web pages show, by the numbers that it has had.
const WEB_MERCATOR: [u64; 3] = [3857, 3785, 900_913];

/// Metres of the units of length.
const LENGTHS: [(u64, f64); 17] = [
    (1025, 0.001),
    (1033, 0.01),
    (9001, 1.0),
    (9002, 0.3048),
    (9003, 1200.0 / 3937.0),
    (9004, 12.000_458_4 / 39.37),
    (9005, 0.304_797_265_4),
    (9006, 0.304_799_514_248),
    (9014, 1.8288),
    (9030, 1852.0),
    (9031, 1.000_013_596_5),
    (9036, 1000.0),
    (9041, 0.304_799_471_538_676),
    (9070, 0.304_800_833_334_546),
    (9093, 1609.344),
    (9094, 0.304_799_710_181_509),
    (9096, 0.9144),
];
/// Degrees of the units of angle.
const ANGLES: [(u64, f64); 7] = [
    (9101, 180.0 / std::f64::consts::PI),
    (9102, 1.0),
    (9103, 1.0 / 60.0),
    (9104, 1.0 / 3600.0),
    (9105, 0.9),
    (9106, 0.9),
    (9122, 1.0),
];
/// Systems of heights whose unit is not said beside them.
const VERTICAL: [(u64, Units); 8] = [
    (3855, Units::METRES),
    (5702, Units::US_SURVEY_FEET),
    (5703, Units::METRES),
    (5714, Units::METRES),
    (5773, Units::METRES),
    (5798, Units::METRES),
    (6360, Units::US_SURVEY_FEET),
    (8228, Units::FEET),
];

/// What the axes of a map measure, by metres or degrees of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Axes {
    Metres(f64),
    Degrees(f64),
}

/// The keys that are numbers.
pub(super) struct Keys(Vec<(u64, f64)>);

impl Keys {
    /// Reads the keys of a directory. The error is a sentence.
    pub(super) fn read<R: Read + Seek>(
        source: &mut Source<R>,
        directory: &Directory,
    ) -> Result<Self, String> {
        let list = source.all(directory, tag::GEO_KEYS)?;
        let doubles = source.reals(directory, tag::GEO_DOUBLES)?;
        // The first four numbers are versions and the count.
        let keys = list.chunks_exact(4).skip(1).filter_map(|key| match key[1] {
            0 => Some((key[0], key[3] as f64)),
            place if place == u64::from(tag::GEO_DOUBLES) => Some((key[0], *doubles.get(key[3] as usize)?)),
            _ => None,
        });
        Ok(Self(keys.collect()))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True where the place of the file's first corner is that of its first sample.
    pub(super) fn corners_are_samples(&self) -> bool {
        self.code(RASTER_TYPE) == Some(2)
    }

    /// What the axes measure; none where no key says even whether they are lengths or angles.
    pub(super) fn axes(&self, notes: &mut Notes) -> Option<Axes> {
        let has = |key| self.code(key).is_some();
        match self.code(MODEL_TYPE) {
            Some(1) => Some(Axes::Metres(self.metres(notes))),
            Some(2) => Some(Axes::Degrees(self.degrees(notes))),
            Some(3) => {
                notes.warn("a geocentric map, whose axes run through the Earth; its spacing is taken as if they did not");
                Some(Axes::Metres(self.metres(notes)))
            }
            _ if has(PROJECTED_CRS) || has(LINEAR_UNIT) => Some(Axes::Metres(self.metres(notes))),
            _ if has(GEOGRAPHIC_CRS) || has(ANGULAR_UNIT) => Some(Axes::Degrees(self.degrees(notes))),
            _ => None,
        }
    }

    /// The unit of heights, where a key says it.
    pub(super) fn height_units(&self, notes: &mut Notes) -> Option<Units> {
        let Some(code) = self.code(VERTICAL_UNIT) else {
            let system = self.code(VERTICAL_CRS)?;
            return VERTICAL.iter().find(|(known, _)| *known == system).map(|&(_, units)| units);
        };
        let units = find(&LENGTHS, code).and_then(Units::of_metres);
        if units.is_none() {
            notes.warn(format!(
                "the file's heights are in EPSG unit {code}, which is not known here, and are taken as metres; state the \
                 unit (--units, or ImportOptions::with_units)"
            ));
        }
        units
    }

    fn get(&self, key: u64) -> Option<f64> {
        self.0.iter().find(|(known, _)| *known == key).map(|&(_, value)| value)
    }

    /// A key's number; none for 0, which stands for none.
    fn code(&self, key: u64) -> Option<u64> {
        self.get(key).map(|value| value as u64).filter(|&code| code != 0)
    }

    /// Metres of a unit of the axes.
    fn metres(&self, notes: &mut Notes) -> f64 {
        let system = self.code(PROJECTED_CRS).filter(|&code| code != USER_DEFINED);
        if system.is_some_and(|code| WEB_MERCATOR.contains(&code)) {
            notes.assume(
                "metres of the map are metres of the ground, although a web Mercator map shows the ground too large away \
                 from the equator, twice as large at 60°; state the spacing (--spacing, or ImportOptions::with_spacing) if \
                 that matters",
            );
        }
        let state = "state the spacing (--spacing, or ImportOptions::with_spacing) if they are not metres";
        match self.code(LINEAR_UNIT) {
            Some(USER_DEFINED) => {
                let size = self.get(LINEAR_UNIT_SIZE).filter(|size| size.is_finite() && *size > 0.0);
                size.unwrap_or_else(|| {
                    notes.warn(format!("the file's map is in a unit whose size it does not say; {state}"));
                    1.0
                })
            }
            Some(code) => find(&LENGTHS, code).unwrap_or_else(|| {
                notes
                    .warn(format!("the file's map is in EPSG unit {code}, which is not known here; {state}"));
                1.0
            }),
            None => {
                let system = system.map_or("one of its own".to_owned(), |code| format!("EPSG:{code}"));
                notes.assume(format!(
                    "metres between samples, because the file names the map, {system}, but no unit; {state}"
                ));
                1.0
            }
        }
    }

    /// Degrees of a unit of the axes.
    fn degrees(&self, notes: &mut Notes) -> f64 {
        let code = self.code(ANGULAR_UNIT).unwrap_or(9102);
        let size = match code {
            USER_DEFINED => self.get(ANGULAR_UNIT_SIZE).filter(|size| size.is_finite() && *size > 0.0),
            _ => find(&ANGLES, code).map(f64::to_radians),
        };
        size.map_or_else(
            || {
                notes.warn(format!(
                    "the file's map is in EPSG unit {code}, which is not known here and is taken as degrees; state the \
                     spacing (--spacing, or ImportOptions::with_spacing) if they are not"
                ));
                1.0
            },
            f64::to_degrees,
        )
    }
}

fn find(units: &[(u64, f64)], code: u64) -> Option<f64> {
    units.iter().find(|(known, _)| *known == code).map(|&(_, size)| size)
}
