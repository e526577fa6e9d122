//! What an import found and did, for a person and for a program.

use super::{ByteOrder, Format};
use crate::field::{HeightRange, Sample};
use glam::DVec2;
use std::fmt;
use std::path::PathBuf;

/// What was found in a file, what was assumed about it and what looks wrong. `Display` prints it in aligned lines.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImportReport {
    /// The file as the caller named it.
    pub name: PathBuf,
    /// The format it was read as.
    pub format: Format,
    /// Samples from west to east.
    pub width: u32,
    /// Samples from north to south.
    pub height: u32,
    /// Bits a sample in the file; 32 for numbers in text, which are read as 32-bit floats.
    pub bit_depth: u32,
    /// Byte order that was used; none where the format leaves no choice.
    pub byte_order: Option<ByteOrder>,
    /// Metres between two samples, west to east and north to south.
    pub spacing: DVec2,
    /// Metres of the codes 0 and 65535. A height is rounded to the nearest of 65536 steps between the two.
    pub range: HeightRange,
    /// Different heights among the file's valid samples, at most 65536.
    pub distinct_levels: u32,
    /// Metres of the file's lowest valid sample.
    pub min: f64,
    /// Metres of the file's highest valid sample.
    pub max: f64,
    /// Metres of the mean of the file's valid samples.
    pub mean: f64,
    /// The value that marked a void, in the file's own numbers: stated, declared or the format's. NaN and infinities
    /// are voids besides.
    pub nodata: Option<f64>,
    /// Where the highest valid sample is; the first in reading order where there are several.
    pub max_at: Sample,
    /// Samples without a height. Every quad that touches one is open.
    pub voids: u64,
    /// Open quads.
    pub holes: u64,
    /// What was decided for lack of a statement, a sentence each.
    pub assumptions: Vec<String>,
    /// What looks wrong or was lost, a sentence each.
    pub warnings: Vec<String>,
}

impl fmt::Display for ImportReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |key: &str, text: String| writeln!(f, "  {key:<9} {text}");
        let order = self.byte_order.map(|order| format!(", {order}")).unwrap_or_default();
        let (east, south) =
            (f64::from(self.width - 1) * self.spacing.x, f64::from(self.height - 1) * self.spacing.y);
        line("file", self.name.display().to_string())?;
        line("format", format!("{}, {} bits{order}", self.format, self.bit_depth))?;
        line(
            "size",
            format!("{} × {} samples, {} × {}", self.width, self.height, length(east), length(south)),
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
        line(
            "heights",
            format!(
                "{} to {} m, the highest at column {}, row {}",
                metres(self.min),
                metres(self.max),
                self.max_at.x,
                self.max_at.z
            ),
        )?;
        line("levels", format!("{} different heights", self.distinct_levels))?;
        line("voids", format!("{} samples, {} open quads", self.voids, self.holes))?;
        for text in &self.assumptions {
            line("assumed", text.clone())?;
        }
        for text in &self.warnings {
            line("WARNING", text.clone())?;
        }
        Ok(())
    }
}

/// Metres for a person: three decimals, more for what would vanish, no trailing zeros.
pub(super) fn metres(value: f64) -> String {
    let decimals = if value != 0.0 && value.abs() < 0.1 { 6 } else { 3 };
    let text = format!("{value:.decimals$}");
    match text.trim_end_matches('0').trim_end_matches('.') {
        "0" | "-0" if value != 0.0 => format!("{value:e}"),
        trimmed => trimmed.to_owned(),
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

    #[test]
    fn the_values_stand_below_each_other() {
        let report = ImportReport {
            name: "valley.r16".into(),
            format: Format::Raw16,
            width: 1025,
            height: 513,
            bit_depth: 16,
            byte_order: Some(ByteOrder::Little),
            spacing: DVec2::new(20.0, 2.0),
            range: HeightRange { min: 0.0, max: 65.535 },
            distinct_levels: 12,
            min: 1.0,
            max: 2.5,
            mean: 1.5,
            nodata: None,
            max_at: Sample::new(3, 4),
            voids: 0,
            holes: 0,
            assumptions: vec!["a spacing".into()],
            warnings: vec!["a wall".into()],
        };
        let text = report.to_string();
        let wanted = "  file      valley.r16\n  format    raw 16-bit samples, 16 bits, little-endian\n  \
            size      1025 × 513 samples, 20.5 km × 1024 m\n  spacing   20 m west–east, 2 m north–south\n  \
            range     0 to 65.535 m, 0.001 m a code\n  heights   1 to 2.5 m, the highest at column 3, row 4\n  \
            levels    12 different heights\n  voids     0 samples, 0 open quads\n  assumed   a spacing\n  \
            WARNING   a wall\n";
        assert_eq!(text, wanted);
    }
}
