//! From what a reader found to a field and its report: spacing, range, voids, and what looks suspicious.

use super::fill::fill_from_nearest;
use super::grid::{Grid, Notes, Values, each};
use super::report::metres;
use super::survey::Survey;
use super::{ImportOptions, ImportReport};
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
/// Heights that differ by less, in metres, span no range.
const FLAT: f64 = 1e-6;
/// What tools write where they know no height, whether or not they declare it.
const VOID_CODES: [f64; 7] = [-9999.0, -99999.0, -32768.0, -32767.0, 32767.0, -999_999.0, 99999.0];
/// Beyond these metres lies no ground, only void codes such as the lowest 32-bit float.
const NO_GROUND: f64 = 1e7;

/// Makes the field. Codes become its samples in place.
pub(super) fn assemble(name: &Path, grid: Grid, options: &ImportOptions) -> Result<(Field, ImportReport)> {
    let Grid { format, width, height, bit_depth, byte_order, values, voids_are_nan, spacing, .. } = grid;
    let mut notes = grid.notes;
    let nodata = void_code(grid.nodata, options, &mut notes);
    // 8-bit codes are spread over 16 bits.
    let stored = nodata
        .filter(|_| !voids_are_nan)
        .map(|code| if values.are_codes() && bit_depth == 8 { code * 257.0 } else { code });
    let survey = each!(&values, list => Survey::of(list, stored));
    if survey.valid == 0 {
        return Err(Error::file(name, "every sample is a void, so there is no ground in it"));
    }
    let codes = values.are_codes();
    let spacing = options.spacing.or(spacing).unwrap_or_else(|| {
        notes.assume("1 × 1 m between samples, because no spacing is stated");
        DVec2::ONE
    });
    if !codes {
        doubt_void_codes(name, &values, &survey, options, &mut notes)?;
    }
    let range = match options.range {
        Some((min, max)) => HeightRange { min, max },
        None if codes => range_of_codes(width, height, spacing, &mut notes),
        None => range_of_metres(&survey, &mut notes),
    };
    let desc = options.describe(width, height, spacing, range);
    desc.validate()?;
    let voids = if survey.voids > 0 { values.voids(stored, survey.voids) } else { Vec::new() };
    let field = field_of(desc, values, &voids)?;
    let to_metres = |value: f64| if codes { desc.range.metres(value) } else { value };
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
        mean: to_metres(survey.mean),
        nodata,
        voids: survey.voids,
        holes: field.holes().count(),
        assumptions: notes.assumptions,
        warnings: notes.warnings,
    };
    Ok((field, suspect(report, &desc, codes)))
}

/// The field of these values, with a hole around every void.
fn field_of(desc: FieldDesc, values: Values, voids: &[u32]) -> Result<Field> {
    let mut samples = values.into_codes(&desc.range);
    fill_from_nearest(&mut samples, desc.width as usize, voids);
    let mut field = Field::from_samples(desc, samples)?;
    for &index in voids {
        field.open_sample(sample_at(index as usize, desc.width));
    }
    Ok(field)
}

/// The value that marks a void: the stated one, else the declared one.
fn void_code(declared: Option<f64>, options: &ImportOptions, notes: &mut Notes) -> Option<f64> {
    if let (Some(stated), Some(declared)) = (options.nodata, declared)
        && stated != declared
    {
        notes.assume(format!(
            "{stated} for a void, as stated, and not {declared}, which the file or its format declares"
        ));
    }
    options.nodata.or(declared)
}

/// Warns of valid samples that are probably voids, and refuses those that no ground can be.
fn doubt_void_codes(
    name: &Path,
    values: &Values,
    survey: &Survey,
    options: &ImportOptions,
    notes: &mut Notes,
) -> Result<()> {
    for end in [survey.min, survey.max] {
        if end.abs() > NO_GROUND && options.range.is_none() {
            let why = format!(
                "{} samples are {end:e}, which is no height in metres but a void code that the file does not declare; \
                 state it (ImportOptions::with_nodata, or --nodata of the valley), or state the range",
                values.count(end)
            );
            return Err(Error::file(name, why));
        }
        let doubtful = VOID_CODES.contains(&end) || end.abs() > NO_GROUND;
        if doubtful && survey.min < survey.max {
            notes.warn(format!(
                "{} samples are {end}, which looks like a void code that the file does not declare; if it is one, state \
                 it (ImportOptions::with_nodata, or --nodata of the valley)",
                values.count(end)
            ));
        }
    }
    Ok(())
}

/// The range of a file of codes for which none is stated.
fn range_of_codes(width: u32, height: u32, spacing: DVec2, notes: &mut Notes) -> HeightRange {
    let longest = (f64::from(width - 1) * spacing.x).max(f64::from(height - 1) * spacing.y);
    let range = HeightRange { min: 0.0, max: longest / LENGTHS_A_HEIGHT };
    notes.assume(format!(
        "heights from 0 to {} m, an eighth of the longest side, because no range is stated",
        metres(range.max)
    ));
    range
}

/// The range of a file of metres for which none is stated: both ends are exact.
fn range_of_metres(survey: &Survey, notes: &mut Notes) -> HeightRange {
    let (min, max) = (survey.min, survey.max);
    if max - min >= FLAT {
        return HeightRange { min, max };
    }
    notes
        .assume(format!("heights from {min} to {} m, one metre more than the file's only height", min + 1.0));
    HeightRange { min, max: min + 1.0 }
}

fn sample_at(index: usize, width: u32) -> Sample {
    Sample::new((index % width as usize) as u32, (index / width as usize) as u32)
}

/// Adds what looks wrong with a map's heights.
fn suspect(mut report: ImportReport, desc: &FieldDesc, codes: bool) -> ImportReport {
    let mut warn = |line: String| report.warnings.push(line);
    let samples = u64::from(report.width) * u64::from(report.height);
    if report.distinct_levels == 1 {
        warn(format!("a constant map: every sample is {} m", metres(report.min)));
    } else if codes && report.bit_depth == 8 {
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
    if !codes {
        // The deepest sea floor and Everest, with room for both.
        if report.min < -11_500.0 || report.max > 9000.0 {
            warn(format!(
                "heights from {} to {} m are not of this Earth: an undeclared void code, another unit, or the byte order",
                metres(report.min),
                metres(report.max)
            ));
        }
        if report.min < desc.range.min || report.max > desc.range.max {
            warn(format!(
                "heights from {} to {} m do not fit the stated range and are clamped to it",
                metres(report.min),
                metres(report.max)
            ));
        }
    }
    report
}
