//! What looks wrong with a map: sentences that a report warns with.

use super::grid::{Grid, Notes};
use super::meaning::Meaning;
use super::report::{ImportReport, metres, number};
use super::survey::Survey;
use super::values::{Height, Values, VoidTest, each};
use super::{ByteOrder, Format, ImportOptions, SampleType};
use glam::DVec2;

/// A file with no more levels than 8 bits hold is terraced.
const FEW_LEVELS: u32 = 256;
/// A map of fewer samples may well have few levels, and edges of any kind.
const MANY_SAMPLES: u64 = 4096;
/// What tools write where they know no height, whether or not they declare it.
const VOID_CODES: [f64; 7] = [-9999.0, -99999.0, -32768.0, -32767.0, 32767.0, -999_999.0, 99999.0];
/// Beyond these metres lies no ground, only void codes such as the lowest 32-bit float.
const NO_GROUND: f64 = 1e7;
/// So many samples of one number that no other one is near are no peak.
const PLATEAU: usize = 16;
/// As a part of all between the ends, what lies between such a number and the next.
const APART: f64 = 1.0 / 64.0;
/// Metres of the deepest sea floor and of Everest, with room for both.
const EARTH: std::ops::RangeInclusive<f64> = -11_500.0..=9000.0;
/// The mean slope of real maps of the highest mountains has a tangent of a half, that of a gorge at a few metres 0.75.
const STEEPEST_MEAN: f64 = 0.9;
/// Between an edge and the row beside it lies a wall where the mean step is so many times that of the rest of the map.
const WALL: f64 = 8.0;
/// A row repeats where the next one differs by as much as rows do, and more than smooth ground at its crest.
const DIFFERS: f64 = 0.25;
/// Pixels whose sides differ by more are not square.
const SQUARE: f64 = 0.01;

/// "1 sample is", "7 samples are".
fn samples_are(count: usize) -> String {
    if count == 1 { "1 sample is".to_owned() } else { format!("{count} samples are") }
}

/// Says which options the file had no use for, and what was taken for the want of one.
pub(super) fn options_without_effect(
    grid: &Grid,
    meaning: &Meaning,
    survey: &Survey,
    options: &ImportOptions,
    notes: &mut Notes,
) {
    let (format, codes) = (grid.format, meaning.is_codes());
    let unused = [
        (codes && options.units.is_some(), "units", "its numbers are normalised"),
        (options.array.is_some() && format != Format::Npz, "array", "it is no .npz"),
        (
            options.channel.is_some() && !matches!(format, Format::GeoTiff | Format::OpenExr),
            "channel",
            "it is neither GeoTIFF nor OpenEXR",
        ),
        (
            options.byte_order != ByteOrder::Auto && !matches!(format, Format::Raw | Format::Hgt),
            "byte-order",
            "its format says its own",
        ),
        (options.sample_type.is_some() && format != Format::Raw, "sample-type", "its format says its own"),
        (options.offset > 0 && format != Format::Raw, "offset", "it is no raw file"),
    ];
    for (_, option, why) in unused.iter().filter(|(unused, ..)| *unused) {
        notes.warn(format!("the option {option} has no effect on {}: {why}", grid.format));
    }
    let stated = options.nodata.iter().any(|code| code.is_finite());
    if stated && survey.voids == 0 {
        notes.warn("no sample is one of the stated voids (nodata)");
    }
    if matches!(meaning, Meaning::Heights { units: None, .. }) {
        notes.assume("heights are metres, because no unit is stated (--units, or ImportOptions::with_units)");
    }
}

/// Warns of valid samples that are probably voids, and refuses those that no ground can be. The error is a sentence.
pub(super) fn void_codes(
    values: &Values,
    survey: &Survey,
    meaning: &Meaning,
    nodata: &[f64],
    options: &ImportOptions,
    notes: &mut Notes,
) -> Result<(), String> {
    let listed: String = nodata.iter().map(|code| format!("{code},")).collect();
    for (end, gap) in [(survey.min, survey.gaps[0]), (survey.max, survey.gaps[1])] {
        let how = format!("(--nodata {listed}{}, or ImportOptions::with_nodata)", number(end));
        if !meaning.is_codes() && end.abs() > NO_GROUND && options.range.is_none() {
            let besides: String = notes.warnings.iter().map(|line| format!("; besides, {line}")).collect();
            return Err(format!(
                "{} {}, which is no height but a void code that the file does not declare; state it {how}, or state the \
                 range{besides}",
                samples_are(values.count(end)),
                number(end)
            ));
        }
        if survey.min == survey.max {
            continue;
        }
        let known = VOID_CODES.contains(&end) || end.abs() > NO_GROUND;
        if !meaning.is_codes() && known {
            notes.warn(format!(
                "{} {}, which looks like a void code that the file does not declare; if it is one, state it {how}",
                samples_are(values.count(end)),
                number(end)
            ));
        } else if gap > APART && survey.levels > FEW_LEVELS && values.count(end) >= PLATEAU {
            notes.warn(format!(
                "{} {}, and no other number is near: voids, perhaps, that the file does not declare; if so, state it {how}",
                samples_are(values.count(end)),
                number(end)
            ));
        }
    }
    Ok(())
}

/// Warns of what the shape of the ground says: walls and repeated rows at an edge, ground too steep to be true, pixels
/// that are not square.
pub(super) fn shape(
    grid: &Grid,
    nodata: &[f64],
    survey: &Survey,
    spacing: DVec2,
    meaning: &Meaning,
    options: &ImportOptions,
    notes: &mut Notes,
) {
    // Edges have a row behind them.
    let narrow = grid.window.width().min(grid.window.height()) < 5;
    if narrow || survey.valid + survey.voids < MANY_SAMPLES || survey.min == survey.max {
        return;
    }
    let steps = each!(&grid.values, list => Steps::of(list, nodata, grid.window.width() as usize));
    steps.doubt_edges(notes);
    let slope = meaning.metres_a_number() * (steps.east / spacing.x).hypot(steps.south / spacing.y);
    if !meaning.is_codes() && slope > STEEPEST_MEAN {
        let hint = match meaning {
            Meaning::Heights { units: None, .. } => {
                "the heights may be feet or centimetres (--units, or ImportOptions::with_units), or the"
            }
            _ => "the",
        };
        notes.warn(format!(
            "the ground is {:.0}° steep on average, steeper than mountains are: {hint} spacing of {} × {} m is not right",
            slope.atan().to_degrees(),
            metres(spacing.x),
            metres(spacing.y)
        ));
    }
    let stated = options.spacing.is_some() || grid.is_in_degrees;
    if !stated && (spacing.x / spacing.y - 1.0).abs() > SQUARE {
        notes.warn(format!(
            "pixels are not square: {} m west–east, {} m north–south",
            metres(spacing.x),
            metres(spacing.y)
        ));
    }
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
    fn of<T: Height>(values: &[T], nodata: &[f64], width: usize) -> Self {
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
            } else if edge == 0.0 && self.behind_edges[index] > DIFFERS * inside {
                notes.warn(format!(
                    "the {side} edge repeats: its last two {line}s are equal, as of a file that was padded by one {line}"
                ));
            }
        }
    }
}

/// Warns of what the heights of a map look like in its range. `ends` are the least and the greatest number of the map.
pub(super) fn heights(report: &mut ImportReport, meaning: &Meaning, ends: [f64; 2]) {
    let mut lines = Vec::new();
    levels(report, meaning, &mut lines);
    match *meaning {
        Meaning::Codes { full } if ends[0] < 0.0 || ends[1] > full => lines.push(format!(
            "normalised numbers from {} to {} reach beyond 0 to {full}, the ends of the range, and are clamped to it",
            number(ends[0]),
            number(ends[1])
        )),
        Meaning::Codes { .. } => {}
        Meaning::Heights { .. } => metric(report, &mut lines),
    }
    report.warnings.extend(lines);
}

fn levels(report: &ImportReport, meaning: &Meaning, lines: &mut Vec<String>) {
    if report.min == report.max {
        lines.push(format!("a constant map: every sample is {} m", metres(report.lowest)));
    } else if meaning.is_codes() && report.sample_type == SampleType::U8 {
        lines.push(format!(
            "8-bit: {} levels, step {} m: slopes are terraced; a 16-bit file has steps of {} m",
            report.distinct_levels,
            metres(report.range.extent() / 255.0),
            metres(report.range.metres_per_code())
        ));
    } else if (2..=FEW_LEVELS).contains(&report.distinct_levels) && report.valid >= MANY_SAMPLES {
        let step = (report.highest - report.lowest) / f64::from(report.distinct_levels - 1);
        lines.push(format!(
            "few levels: {} different heights, {} m apart on average: slopes are terraced",
            report.distinct_levels,
            metres(step)
        ));
    }
}

fn metric(report: &ImportReport, lines: &mut Vec<String>) {
    let (low, high) = (report.lowest, report.highest);
    if !EARTH.contains(&low) || !EARTH.contains(&high) {
        lines.push(format!(
            "heights from {} to {} m are not of this Earth: another unit (--units feet, dm or cm), an undeclared void code, or \
             the byte order",
            metres(low),
            metres(high)
        ));
    }
    let whole_numbers = !matches!(report.sample_type, SampleType::F32 | SampleType::F64);
    if !whole_numbers && low >= -1.1 && high <= 1.1 && high - low > 0.2 {
        lines.push(format!(
            "heights from {} to {} m look normalised to 0…1; if they are, state the range and the encoding (--encoding \
             normalised, or ImportOptions::with_encoding)",
            metres(low),
            metres(high)
        ));
    }
    let range = report.range;
    // Heights that were made are not rounded as the ends of a range are.
    let slack = 1e-9 * range.extent();
    if low < range.min - slack || high > range.max + slack {
        lines.push(format!(
            "heights from {} to {} m do not fit the range of {} to {} m and are clamped to it",
            metres(low),
            metres(high),
            metres(range.min),
            metres(range.max)
        ));
    }
}

/// Warns of a map in a field of another spacing.
pub(super) fn other_spacing(warnings: &mut Vec<String>, map: DVec2, field: DVec2) {
    let ratio = map / field;
    if (ratio.x - 1.0).abs() > SQUARE || (ratio.y - 1.0).abs() > SQUARE {
        warnings.push(format!(
            "the map's samples are {} × {} m apart and the field's {} × {} m: the ground is stretched; resample the map \
             (--resample, or ImportOptions::with_resample)",
            metres(map.x),
            metres(map.y),
            metres(field.x),
            metres(field.y)
        ));
    }
}
