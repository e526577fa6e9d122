//! From what a reader found to a field and its report: spacing, range, voids, and what looks suspicious.

use super::fill::fill_from_nearest;
use super::report::metres;
use super::survey::Survey;
use super::{Format, Grid, ImportOptions, ImportReport, Meaning, Notes, hgt};
use crate::field::{Field, FieldDesc, HeightRange, Sample};
use crate::{Error, Result};
use glam::DVec2;
use std::path::Path;

/// A map whose range nobody states is so many times as long as it is high.
const LENGTHS_A_HEIGHT: f64 = 8.0;
/// A 16-bit file with no more levels than 8 bits hold is terraced.
const FEW_LEVELS: u32 = 256;
/// A map of fewer samples may well have few levels.
const MANY_SAMPLES: u64 = 4096;

/// Makes the field. The grid's values become its samples in place.
pub(super) fn assemble(name: &Path, grid: Grid, options: &ImportOptions) -> Result<(Field, ImportReport)> {
    let Grid { format, width, height, bit_depth, byte_order, mut values, meaning, spacing, mut notes } = grid;
    let survey = Survey::of(&values, (meaning == Meaning::Metres).then_some(hgt::VOID));
    if survey.valid == 0 {
        return Err(Error::file(name, "every sample is a void, so there is no ground in it"));
    }
    let spacing = options.spacing.or(spacing).unwrap_or_else(|| {
        notes.assume("1 × 1 m between samples, because no spacing is stated");
        DVec2::ONE
    });
    let range = match options.range {
        Some((min, max)) => HeightRange { min, max },
        None => default_range(width, height, spacing, meaning, &survey, &mut notes),
    };
    let desc = options.describe(width, height, spacing, range);
    let mut voids = Vec::new();
    if meaning == Meaning::Metres {
        voids = voids_of(&values, survey.voids);
        fill_from_nearest(&mut values, width as usize, hgt::VOID, &voids);
        quantise(&mut values, &desc.range);
    }
    let mut field = Field::from_samples(desc, values)?;
    for &index in &voids {
        field.open_sample(sample_at(index as usize, width));
    }
    let to_metres = |value: u16| match meaning {
        Meaning::Codes => desc.range.metres(f64::from(value)),
        Meaning::Metres => metres_of(value),
    };
    let report = ImportReport {
        name: name.to_owned(),
        format,
        width,
        height,
        bit_depth,
        byte_order,
        spacing: desc.spacing,
        range: desc.range,
        distinct_levels: survey.levels,
        min: to_metres(survey.min),
        max: to_metres(survey.max),
        max_at: sample_at(survey.max_at, width),
        voids: survey.voids,
        holes: field.holes().count(),
        assumptions: notes.assumptions,
        warnings: notes.warnings,
    };
    Ok((field, suspect(report, &desc)))
}

/// The range of a file for which none is stated.
fn default_range(
    width: u32,
    height: u32,
    spacing: DVec2,
    meaning: Meaning,
    survey: &Survey,
    notes: &mut Notes,
) -> HeightRange {
    match meaning {
        Meaning::Codes => {
            let longest = (f64::from(width - 1) * spacing.x).max(f64::from(height - 1) * spacing.y);
            let range = HeightRange { min: 0.0, max: longest / LENGTHS_A_HEIGHT };
            notes.assume(format!(
                "heights from 0 to {} m, an eighth of the longest side, because no range is stated",
                metres(range.max)
            ));
            range
        }
        Meaning::Metres => {
            let (min, max) = (metres_of(survey.min), metres_of(survey.max));
            if min < max {
                return HeightRange { min, max };
            }
            notes.assume(format!(
                "heights from {min} to {} m, one metre more than the file's only height",
                max + 1.0
            ));
            HeightRange { min, max: max + 1.0 }
        }
    }
}

/// Indices of the voids, of which there are `count`.
fn voids_of(values: &[u16], count: u64) -> Vec<u32> {
    let mut voids = Vec::with_capacity(count as usize);
    voids.extend(
        (0..).zip(values).filter(|&(_, &value)| value == hgt::VOID).map(|(index, _): (u32, _)| index),
    );
    voids
}

/// Whole metres to codes of a range, clamped.
fn quantise(values: &mut [u16], range: &HeightRange) {
    for value in values {
        *value = range.code(metres_of(*value));
    }
}

fn metres_of(value: u16) -> f64 {
    f64::from(i32::from(value) - hgt::OFFSET)
}

fn sample_at(index: usize, width: u32) -> Sample {
    Sample::new((index % width as usize) as u32, (index / width as usize) as u32)
}

/// Adds what looks wrong with a map's heights.
fn suspect(mut report: ImportReport, desc: &FieldDesc) -> ImportReport {
    let mut warn = |line: String| report.warnings.push(line);
    let samples = u64::from(report.width) * u64::from(report.height);
    if report.distinct_levels == 1 {
        warn(format!("a constant map: every sample is {} m", metres(report.min)));
    } else if report.bit_depth == 8 {
        warn(format!(
            "8-bit: {} levels, step {} m: slopes are terraced; a 16-bit file has steps of {} m",
            report.distinct_levels,
            metres(desc.range.extent() / 255.0),
            metres(desc.range.metres_per_code())
        ));
    } else if report.distinct_levels <= FEW_LEVELS && samples >= MANY_SAMPLES {
        let step = (report.max - report.min) / f64::from(report.distinct_levels - 1);
        warn(format!(
            "few levels: {} different heights, {} m apart on average: slopes are terraced",
            report.distinct_levels,
            metres(step)
        ));
    }
    if report.format == Format::Hgt {
        // The Dead Sea's shore and Everest, with room for both.
        if report.min < -500.0 || report.max > 9000.0 {
            warn(format!(
                "heights from {} to {} m are not of this Earth: an undeclared void code, or the byte order",
                report.min, report.max
            ));
        }
        if report.min < desc.range.min || report.max > desc.range.max {
            warn(format!(
                "heights from {} to {} m do not fit the stated range and are clamped to it",
                report.min, report.max
            ));
        }
    }
    report
}
