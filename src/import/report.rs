//! What an import found and did, for a person and for a program.

use super::grid::{Grid, Notes};
use super::ground::Ground;
use super::meaning::Meaning;
use super::survey::Survey;
use super::{ByteOrder, Encoding, Format, SampleType, Units};
use crate::field::{FieldDesc, HeightRange, Sample};
use glam::DVec2;
use serde::{Serialize, Serializer};
use std::fmt;
use std::path::{Path, PathBuf};

/// What was found in a file, what was assumed about it and what looks wrong. `Display` prints it in aligned lines;
/// with serde it is an object of these fields, with names and units as text, pairs as lists, and no number for what is not
/// finite.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ImportReport {
    /// The file as the caller named it.
    #[serde(serialize_with = "path")]
    pub name: PathBuf,
    /// The format it was read as.
    #[serde(serialize_with = "text")]
    pub format: Format,
    /// Samples of the file from west to east.
    pub width: u32,
    /// Samples of the file from north to south.
    pub height: u32,
    /// The type that its samples have, or one that holds each of them exactly.
    #[serde(serialize_with = "text")]
    pub sample_type: SampleType,
    /// Bits a sample in the file; 32 for numbers in text, which are read as 32-bit floats.
    pub bit_depth: u32,
    /// Byte order that was used; none where the format leaves no choice.
    #[serde(serialize_with = "optional_text")]
    pub byte_order: Option<ByteOrder>,
    /// What the file's numbers stand for.
    #[serde(serialize_with = "text")]
    pub encoding: Encoding,
    /// The unit of the file's heights; none where its numbers are normalised.
    #[serde(serialize_with = "optional_text")]
    pub units: Option<Units>,
    /// Samples of the map from west to east and from north to south, after cropping and resampling.
    pub samples: (u32, u32),
    /// Metres between two samples of the map, west to east and north to south.
    #[serde(serialize_with = "pair")]
    pub spacing: DVec2,
    /// Metres of the codes 0 and 65535. A height is rounded to the nearest of 65536 steps between the two.
    #[serde(serialize_with = "range")]
    pub range: HeightRange,
    /// Different heights among the valid samples, at most 65536. Of samples with more than 16 bits those count as one that
    /// round to one of 65536 steps, and of more than a million of them a part is looked at.
    pub distinct_levels: u32,
    /// The lowest valid sample, in the file's own numbers, as are the next two.
    pub min: f64,
    /// The highest valid sample.
    pub max: f64,
    /// The mean of the valid samples.
    pub mean: f64,
    /// Where the highest sample of the map is; the first in reading order where there are several.
    #[serde(serialize_with = "sample")]
    pub max_at: Sample,
    /// Metres of the lowest sample of the map, filled and resampled as it may be, before it is rounded or clamped.
    pub lowest: f64,
    /// Metres of the highest.
    pub highest: f64,
    /// The values that marked a void, in the file's own numbers: stated, declared or the format's; with serde a number, or
    /// a list of several. NaN and infinities are voids besides.
    #[serde(serialize_with = "one_or_more")]
    pub nodata: Vec<f64>,
    /// Samples without a height.
    pub voids: u64,
    /// Voids that were given one.
    pub filled: u64,
    /// Open quads of the map: every quad that touches a void that was not filled.
    pub holes: u64,
    /// What was decided for lack of a statement, a sentence each.
    pub assumptions: Vec<String>,
    /// What looks wrong or was lost, a sentence each.
    pub warnings: Vec<String>,
    /// Samples that are not void.
    #[serde(skip)]
    pub(super) valid: u64,
}

impl ImportReport {
    /// What the file says; what becomes of it is not known yet.
    pub(super) fn of_file(name: &Path, grid: &Grid, survey: &Survey, nodata: Vec<f64>) -> Self {
        Self {
            name: name.to_owned(),
            format: grid.format,
            width: grid.size.0,
            height: grid.size.1,
            sample_type: grid.values.sample_type(),
            bit_depth: grid.bit_depth,
            byte_order: grid.byte_order,
            encoding: Encoding::Heights,
            units: None,
            samples: grid.size,
            spacing: DVec2::ONE,
            range: HeightRange { min: 0.0, max: 1.0 },
            distinct_levels: survey.levels,
            min: survey.min,
            max: survey.max,
            mean: survey.mean,
            max_at: Sample::new(0, 0),
            lowest: 0.0,
            highest: 0.0,
            nodata,
            voids: survey.voids,
            filled: 0,
            holes: 0,
            assumptions: Vec::new(),
            warnings: Vec::new(),
            valid: survey.valid,
        }
    }

    /// Adds what became of it.
    pub(super) fn becomes(&mut self, desc: &FieldDesc, ground: &Ground, meaning: &Meaning, notes: Notes) {
        let ends = ground.ends.map(|value| meaning.metres(value, &desc.range));
        self.samples = (desc.width, desc.height);
        (self.spacing, self.range) = (desc.spacing, desc.range);
        (self.lowest, self.highest) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        (self.max_at, self.filled, self.holes) = (ground.max_at, ground.filled, ground.open_quads());
        (self.assumptions, self.warnings) = (notes.assumptions, notes.warnings);
    }
}

impl fmt::Display for ImportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |key: &str, text: String| writeln!(f, "  {key:<9} {text}");
        let order = self.byte_order.map(|order| format!(", {order}")).unwrap_or_default();
        line("file", self.name.display().to_string())?;
        let units = self.units.map(|units| format!(" in {units}")).unwrap_or_default();
        line("format", format!("{}, {} bits{order}, {}{units}", self.format, self.bit_depth, self.encoding))?;
        let side = |samples: u32, spacing: f64| length(f64::from(samples - 1) * spacing);
        let (columns, rows) = self.samples;
        let of = if self.samples == (self.width, self.height) {
            String::new()
        } else {
            format!(" of a file of {} × {}", self.width, self.height)
        };
        line(
            "size",
            format!(
                "{columns} × {rows} samples{of}, {} × {}",
                side(columns, self.spacing.x),
                side(rows, self.spacing.y)
            ),
        )?;
        line(
            "spacing",
            format!("{} m west–east, {} m north–south", metres(self.spacing.x), metres(self.spacing.y)),
        )?;
        line(
            "range",
            format!(
                "{} to {} m, {} m a code",
                metres(self.range.min),
                metres(self.range.max),
                metres(self.range.metres_per_code())
            ),
        )?;
        line("heights", self.heights())?;
        // Of large maps of wide samples a part was looked at.
        let part = self.sample_type.bytes() > 2 && self.valid > 1 << 20;
        let at_least = if part { "at least " } else { "" };
        line("levels", format!("{at_least}{} different heights", self.distinct_levels))?;
        let filled = if self.filled > 0 { format!(", {} filled", self.filled) } else { String::new() };
        let codes: Vec<_> = self.nodata.iter().map(|&code| number(code)).collect();
        let code = if codes.is_empty() { String::new() } else { format!(" of {}", codes.join(" and ")) };
        line("voids", format!("{} samples{code}{filled}, {} open quads", self.voids, self.holes))?;
        for text in &self.assumptions {
            line("assumed", text.clone())?;
        }
        for text in &self.warnings {
            line("WARNING", text.clone())?;
        }
        Ok(())
    }
}

impl ImportReport {
    /// Heights in metres, and in the file's own numbers where those are others.
    fn heights(&self) -> String {
        let own = if (self.min, self.max) == (self.lowest, self.highest) {
            String::new()
        } else {
            format!(" ({} to {} in the file)", number(self.min), number(self.max))
        };
        format!(
            "{} to {} m{own}, the highest at column {}, row {}",
            metres(self.lowest),
            metres(self.highest),
            self.max_at.x,
            self.max_at.z
        )
    }
}

fn text<S: Serializer>(value: &impl fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

fn optional_text<S: Serializer>(value: &Option<impl fmt::Display>, serializer: S) -> Result<S::Ok, S::Error> {
    value.as_ref().map(ToString::to_string).serialize(serializer)
}

fn pair<S: Serializer>(value: &DVec2, serializer: S) -> Result<S::Ok, S::Error> {
    [value.x, value.y].serialize(serializer)
}

fn range<S: Serializer>(value: &HeightRange, serializer: S) -> Result<S::Ok, S::Error> {
    [value.min, value.max].serialize(serializer)
}

fn path<S: Serializer>(value: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    // A name that is no Unicode has a likeness of its own; without it nothing of a report could be written.
    serializer.collect_str(&value.display())
}

fn one_or_more<S: Serializer>(value: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        [] => serializer.serialize_none(),
        [one] => one.serialize(serializer),
        more => more.serialize(serializer),
    }
}

fn sample<S: Serializer>(value: &Sample, serializer: S) -> Result<S::Ok, S::Error> {
    [value.x, value.z].serialize(serializer)
}

/// Metres for a person: three decimals, more for what would vanish, no trailing zeros.
pub(super) fn metres(value: f64) -> String {
    if value.abs() >= 1e12 {
        return format!("{value:e}");
    }
    let decimals = if value != 0.0 && value.abs() < 0.1 { 6 } else { 3 };
    let text = format!("{value:.decimals$}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "0" | "-0" if value != 0.0 => format!("{value:e}"),
        trimmed => trimmed.to_owned(),
    }
}

/// A number of a file for a person: as it is, unless that is a row of zeros.
pub(super) fn number(value: f64) -> String {
    if value != 0.0 && !(1e-6..1e12).contains(&value.abs()) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

/// A distance for a person, in metres or kilometres.
fn length(value: f64) -> String {
    if value < 10_000.0 { format!("{} m", metres(value)) } else { format!("{:.1} km", value / 1000.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metres_keep_what_matters() {
        assert_eq!(metres(28.0), "28");
        assert_eq!(metres(-50.950927734375), "-50.951");
        assert_eq!(metres(0.0), "0");
        assert_eq!(metres(100.0), "100");
        assert_eq!(metres(28.0 / 65535.0), "0.000427");
        assert_eq!(metres(1e-9), "1e-9");
    }

    fn report() -> ImportReport {
        ImportReport {
            name: "valley.r16".into(),
            format: Format::Raw,
            width: 1025,
            height: 513,
            sample_type: SampleType::U16,
            bit_depth: 16,
            byte_order: Some(ByteOrder::Little),
            encoding: Encoding::Normalised,
            units: None,
            samples: (1025, 513),
            spacing: DVec2::new(20.0, 2.0),
            range: HeightRange { min: 0.0, max: 65.535 },
            distinct_levels: 12,
            min: 1000.0,
            max: 2500.0,
            mean: 1500.0,
            max_at: Sample::new(3, 4),
            lowest: 1.0,
            highest: 2.5,
            nodata: Vec::new(),
            voids: 0,
            filled: 0,
            holes: 0,
            assumptions: vec!["a spacing".into()],
            warnings: vec!["a wall".into()],
            valid: 1025 * 513,
        }
    }

    #[test]
    fn the_values_stand_below_each_other() {
        let wanted = "  file      valley.r16\n  format    raw samples, 16 bits, little-endian, normalised\n  \
            size      1025 × 513 samples, 20.5 km × 1024 m\n  spacing   20 m west–east, 2 m north–south\n  \
            range     0 to 65.535 m, 0.001 m a code\n  \
            heights   1 to 2.5 m (1000 to 2500 in the file), the highest at column 3, row 4\n  \
            levels    12 different heights\n  voids     0 samples, 0 open quads\n  assumed   a spacing\n  \
            WARNING   a wall\n";
        assert_eq!(report().to_string(), wanted);
    }

    #[test]
    fn a_program_reads_the_same() {
        let json = serde_json::to_value(report()).unwrap();
        assert_eq!(json["width"], 1025);
        assert_eq!(json["byte_order"], "little-endian");
        assert_eq!(json["sample_type"], "u16");
        assert_eq!(json["spacing"], serde_json::json!([20.0, 2.0]));
        assert_eq!(json["max_at"], serde_json::json!([3, 4]));
        assert!(json["nodata"].is_null() && json.get("valid").is_none());
        let voids = ImportReport { nodata: vec![-9999.0], ..report() };
        assert_eq!(serde_json::to_value(voids).unwrap()["nodata"], -9999.0);
    }
}
