//! What looks wrong with a map: sentences that a report warns with.

use super::grid::{Meaning, Notes};
use super::report::{ImportReport, metres};
use super::survey::Survey;
use super::values::{Height, Values, VoidTest, each};
use super::{ImportOptions, SampleType};
use crate::field::{FieldDesc, HeightRange};
use crate::{Error, Result};
use glam::DVec2;
use std::path::Path;

/// A file with no more levels than 8 bits hold is terraced.
const FEW_LEVELS: u32 = 256;
/// A map of fewer samples may well have few levels, and edges of any kind.
const MANY_SAMPLES: u64 = 4096;
/// What tools write where they know no height, whether or not they declare it.
const VOID_CODES: [f64; 7] = [-9999.0, -99999.0, -32768.0, -32767.0, 32767.0, -999_999.0, 99999.0];
/// Beyond these metres lies no ground, only void codes such as the lowest 32-bit float.
const NO_GROUND: f64 = 1e7;
/// Metres of the deepest sea floor and of Everest, with room for both.
const EARTH: std::ops::RangeInclusive<f64> = -11_500.0..=9000.0;
/// The mean slope of real maps of the highest mountains has a tangent of a half, that of a gorge at a few metres 0.75.
const STEEPEST_MEAN: f64 = 0.9;
/// Between an edge and the row beside it lies a wall where the mean step is so many times that of the rest of the map.
const WALL: f64 = 8.0;
/// Pixels whose sides differ by more are not square.
const SQUARE: f64 = 0.01;

/// Warns of valid samples that are probably voids, and refuses those that no ground can be.
pub(super) fn void_codes(
    name: &Path,
    values: &Values,
    survey: &Survey,
    options: &ImportOptions,
    notes: &mut Notes,
) -> Result<()> {
    for end in [survey.min, survey.max] {
        if end.abs() > NO_GROUND && options.range.is_none() {
            let why = format!(
                "{} samples are {end:e}, which is no height but a void code that the file does not declare; state it \
                 (--nodata, or ImportOptions::with_nodata), or state the range",
                values.count(end)
            );
            return Err(Error::file(name, why));
        }
        let doubtful = VOID_CODES.contains(&end) || end.abs() > NO_GROUND;
        if doubtful && survey.min < survey.max {
            notes.warn(format!(
                "{} samples are {end}, which looks like a void code that the file does not declare; if it is one, state \
                 it (--nodata, or ImportOptions::with_nodata)",
                values.count(end)
            ));
        }
    }
    Ok(())
}

/// Warns of what the shape of the ground says: walls and repeated rows at an edge, ground too steep to be true, pixels
/// that are not square.
#[expect(clippy::too_many_arguments, reason = "all that is known of a map, looked at once")]
pub(super) fn shape(
    values: &Values,
    nodata: Option<f64>,
    survey: &Survey,
    size: (u32, u32),
    spacing: DVec2,
    meaning: &Meaning,
    options: &ImportOptions,
    notes: &mut Notes,
) {
    // Edges have a row behind them.
    let narrow = size.0.min(size.1) < 5;
    if narrow || u64::from(size.0) * u64::from(size.1) < MANY_SAMPLES || survey.min == survey.max {
        return;
    }
    let steps = each!(values, list => Steps::of(list, nodata, size.0 as usize));
    steps.doubt_edges(notes);
    if let Meaning::Heights { units, .. } = *meaning {
        let none = HeightRange { min: 0.0, max: 1.0 };
        let metres_a_step = (meaning.metres(1.0, &none) - meaning.metres(0.0, &none)).abs();
        let slope = metres_a_step * (steps.east / spacing.x).hypot(steps.south / spacing.y);
        if slope > STEEPEST_MEAN {
            let hint = match units {
                None => {
                    "the heights may be feet or centimetres (--units, or ImportOptions::with_units), or the"
                }
                Some(_) => "the",
            };
            notes.warn(format!(
                "the ground is {:.0}° steep on average, steeper than mountains are: {hint} spacing of {} × {} m is not \
                 right",
                slope.atan().to_degrees(),
                metres(spacing.x),
                metres(spacing.y)
            ));
        }
    }
    let ratio = spacing.x / spacing.y;
    if options.spacing.is_none() && notes_no_degrees(notes) && (ratio - 1.0).abs() > SQUARE {
        notes.warn(format!(
            "pixels are not square: {} m west–east, {} m north–south",
            metres(spacing.x),
            metres(spacing.y)
        ));
    }
}

/// Degrees make pixels that are not square, and the line that says so says why.
fn notes_no_degrees(notes: &Notes) -> bool {
    !notes
        .assumptions
        .iter()
        .chain(&notes.warnings)
        .any(|line| line.contains("latitude") || line.contains("equator"))
}

/// Mean steps between neighbouring samples, in the file's numbers.
struct Steps {
    /// West to east.
    east: f64,
    /// North to south.
    south: f64,
    /// From the outermost row or column to the one beside it: north, south, west, east. None where most are voids.
    edges: [Option<f64>; 4],
    /// From that one to the next, in the same order: 0 as well where the rim is flat.
    behind_edges: [f64; 4],
}

impl Steps {
    fn of<T: Height>(values: &[T], nodata: Option<f64>, width: usize) -> Self {
        let void = VoidTest::<T>::new(nodata);
        let step = |a: T, b: T| {
            if void.is(a) || void.is(b) { (0.0, 0u64) } else { ((a.value() - b.value()).abs(), 1) }
        };
        let mean = |(sum, count): (f64, u64)| sum / count.max(1) as f64;
        let add = |(sum, count): (f64, u64), (step, one): (f64, u64)| (sum + step, count + one);
        let of_line = |(sum, count): (f64, u64), length: usize| {
            (2 * count >= length as u64).then(|| mean((sum, count)))
        };
        let across = |a: &[T], b: &[T]| a.iter().zip(b).map(|(&a, &b)| step(a, b)).fold((0.0, 0), add);
        let rows = values.len() / width;
        let row = |z: usize| &values[z * width..][..width];
        let along = |x: usize| (0..rows).map(|z| step(row(z)[x], row(z)[x + 1])).fold((0.0, 0), add);
        // As many rows tell as much of a map as all of them.
        let sampled = || (1..rows - 2).step_by(1.max(rows / 128));
        Self {
            east: mean(
                sampled().map(|z| across(&row(z)[1..width - 2], &row(z)[2..width - 1])).fold((0.0, 0), add),
            ),
            south: mean(sampled().map(|z| across(row(z), row(z + 1))).fold((0.0, 0), add)),
            edges: [
                of_line(across(row(0), row(1)), width),
                of_line(across(row(rows - 2), row(rows - 1)), width),
                of_line(along(0), rows),
                of_line(along(width - 2), rows),
            ],
            behind_edges: [
                mean(across(row(1), row(2))),
                mean(across(row(rows - 3), row(rows - 2))),
                mean(along(1)),
                mean(along(width - 3)),
            ],
        }
    }

    fn doubt_edges(&self, notes: &mut Notes) {
        for (index, side) in ["north", "south", "west", "east"].into_iter().enumerate() {
            let inside = if index < 2 { self.south } else { self.east };
            let Some(edge) = self.edges[index] else { continue };
            let line = if index < 2 { "row" } else { "column" };
            if edge > WALL * inside && inside > 0.0 {
                notes.warn(format!(
                    "a wall at the {side} edge: the last {line} is {:.0} times as far from the one beside it as other \
                     {line}s are from each other; if it is no ground, leave it out (--crop, or ImportOptions::with_crop)",
                    edge / inside
                ));
            } else if edge == 0.0 && self.behind_edges[index] > 0.0 {
                notes.warn(format!(
                    "the {side} edge repeats: its last two {line}s are equal, as of a file that was padded by one {line}"
                ));
            }
        }
    }
}

/// Warns of what a report's numbers say.
pub(super) fn report(report: &mut ImportReport, meaning: &Meaning) {
    let samples = u64::from(report.width) * u64::from(report.height);
    let codes = meaning.is_codes();
    let mut lines = Vec::new();
    if report.distinct_levels == 1 {
        lines.push(format!("a constant map: every sample is {} m", metres(report.lowest)));
    } else if codes && report.sample_type == SampleType::U8 {
        lines.push(format!(
            "8-bit: {} levels, step {} m: slopes are terraced; a 16-bit file has steps of {} m",
            report.distinct_levels,
            metres(report.range.extent() / 255.0),
            metres(report.range.metres_per_code())
        ));
    } else if report.distinct_levels <= FEW_LEVELS && samples >= MANY_SAMPLES {
        let step = (report.highest - report.lowest) / f64::from(report.distinct_levels - 1);
        lines.push(format!(
            "few levels: {} different heights, {} m apart on average: slopes are terraced",
            report.distinct_levels,
            metres(step)
        ));
    }
    if codes && report.max > full(meaning) {
        lines.push(format!(
            "normalised numbers up to {} are above {}, the top of the range, and are clamped to it",
            report.max,
            full(meaning)
        ));
    }
    if !codes {
        doubt_heights(report, &mut lines);
    }
    report.warnings.extend(lines);
}

fn full(meaning: &Meaning) -> f64 {
    match *meaning {
        Meaning::Codes { full } => full,
        Meaning::Heights { .. } => f64::INFINITY,
    }
}

fn doubt_heights(report: &ImportReport, lines: &mut Vec<String>) {
    let (low, high) = (report.lowest, report.highest);
    if !EARTH.contains(&low) || !EARTH.contains(&high) {
        let hint = if EARTH.contains(&(low / 100.0)) && EARTH.contains(&(high / 100.0)) && high > *EARTH.end()
        {
            "another unit (--units feet, dm or cm), an undeclared void code, or the byte order"
        } else {
            "an undeclared void code, another unit, or the byte order"
        };
        lines.push(format!(
            "heights from {} to {} m are not of this Earth: {hint}",
            metres(low),
            metres(high)
        ));
    }
    let whole_numbers = !matches!(report.sample_type, SampleType::F32 | SampleType::F64);
    if !whole_numbers && low >= 0.0 && high <= 1.1 && high - low > 0.2 && high - low < 1.1 {
        lines.push(format!(
            "heights from {} to {} m look normalised to 0…1; if they are, state the range and the encoding (--encoding \
             normalised, or ImportOptions::with_encoding)",
            metres(low),
            metres(high)
        ));
    }
    if low < report.range.min || high > report.range.max {
        lines.push(format!(
            "heights from {} to {} m do not fit the range of {} to {} m and are clamped to it",
            metres(low),
            metres(high),
            metres(report.range.min),
            metres(report.range.max)
        ));
    }
}

/// Warns of what a map loses in a field of another range or spacing.
pub(super) fn compare(report: &mut ImportReport, meaning: &Meaning, desc: &FieldDesc) {
    let (x, z) = (report.spacing.x / desc.spacing.x, report.spacing.y / desc.spacing.y);
    if (x - 1.0).abs() > SQUARE || (z - 1.0).abs() > SQUARE {
        report.warnings.push(format!(
            "the map's samples are {} × {} m apart and the field's {} × {} m: the ground is stretched; resample the map \
             (--resample, or ImportOptions::with_resample)",
            metres(report.spacing.x),
            metres(report.spacing.y),
            metres(desc.spacing.x),
            metres(desc.spacing.y)
        ));
    }
    if !meaning.is_codes() && (report.lowest < desc.range.min || report.highest > desc.range.max) {
        report.warnings.push(format!(
            "heights from {} to {} m do not fit the field's range of {} to {} m and are clamped to it",
            metres(report.lowest),
            metres(report.highest),
            metres(desc.range.min),
            metres(desc.range.max)
        ));
    }
}
