//! A file's heights in full precision, and the way from what a reader found to a field.

use super::below_holes::smooth_below_holes;
use super::doubts;
use super::grid::{Grid, Notes};
use super::ground::Ground;
use super::mask::Mask;
use super::meaning::Meaning;
use super::report::{ImportReport, metres};
use super::survey::Survey;
use super::values::{Values, each};
use super::{Encoding, ImportOptions, Units};
use crate::field::{Field, FieldDesc, HeightRange, Quad, Sample, SampleRect};
use crate::{Error, Result};
use glam::DVec2;
use std::ops::ControlFlow;
use std::path::Path;

/// A map whose range nobody states is so many times as long as it is high.
const LENGTHS_A_HEIGHT: f64 = 8.0;
/// Heights that differ by less, in metres, span no range.
const FLAT: f64 = 1e-6;

/// A heightmap as its file has it, cropped, flipped, filled and resampled as the options say, before its heights are
/// rounded to the 65536 codes of a field.
pub struct Heightmap {
    ground: Ground,
    meaning: Meaning,
    desc: FieldDesc,
    report: ImportReport,
    taken: Taken,
}

/// What was taken for want of a statement, and falls away where the map goes into a field that has it.
struct Taken {
    /// The sentence for a spacing that neither file nor caller says.
    spacing: Option<String>,
    /// The sentence for the range of codes.
    range: Option<String>,
    /// Warnings of the report that do not depend on the range.
    warnings: usize,
}

impl std::fmt::Debug for Heightmap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Heightmap")
            .field("desc", &self.desc)
            .field("report", &self.report)
            .finish_non_exhaustive()
    }
}

impl Heightmap {
    /// What was found, assumed and doubted.
    pub fn report(&self) -> &ImportReport {
        &self.report
    }

    /// The description of the field that this becomes.
    pub fn desc(&self) -> &FieldDesc {
        &self.desc
    }

    /// A sample in the file's own numbers, exactly; none for a void and outside of the map.
    pub fn value(&self, sample: Sample) -> Option<f64> {
        self.ground.value(sample)
    }

    /// A sample in metres, before it is rounded to a code; none for a void and outside of the map.
    pub fn metres(&self, sample: Sample) -> Option<f64> {
        self.value(sample).map(|value| self.meaning.metres(value, &self.desc.range))
    }

    /// Rounds the heights to codes and opens the quads around voids.
    ///
    /// # Errors
    /// Whatever [`Field::from_samples`] refuses.
    pub fn into_field(self) -> Result<(Field, ImportReport)> {
        let Ground { width, values, voids, holes, .. } = self.ground;
        let codes = codes_of(values, &self.meaning, &self.desc.range, &self.desc.range, &voids, width);
        let mut field = Field::from_samples(self.desc, codes)?;
        open(&mut field, Sample::new(0, 0), width, &voids, &holes);
        Ok((field, self.report))
    }

    /// Writes the map into a rectangle of a field, in metres. A quad of the rectangle is open afterwards where a void
    /// touches it, and closed where none does. Codes without a stated range are parts of the field's own; heights that do
    /// not fit it are clamped, which is reported.
    ///
    /// # Errors
    /// [`Error::Invalid`] where the rectangle reaches past the field, or is not as large as the map; the field is then
    /// as it was.
    pub fn write_into(self, field: &mut Field, rect: SampleRect) -> Result<ImportReport> {
        self.check_fits(field.desc(), rect)?;
        let report = self.report_for(field.desc());
        let range = field.desc().range;
        // Where nobody stated a range for codes, they are parts of the field's.
        let own = if self.taken.range.is_some() { range } else { self.desc.range };
        let Ground { width, values, voids, holes, .. } = self.ground;
        let codes = codes_of(values, &self.meaning, &own, &range, &voids, width);
        field.write(rect, &codes);
        for z in rect.z0..rect.z1 - 1 {
            (rect.x0..rect.x1 - 1).for_each(|x| field.set_hole(Quad::new(x, z), false));
        }
        open(field, Sample::new(rect.x0, rect.z0), width, &voids, &holes);
        Ok(report)
    }

    fn check_fits(&self, desc: &FieldDesc, rect: SampleRect) -> Result<()> {
        let refuse = |why: String| Err(Error::invalid("import into a rectangle", why));
        if rect != rect.clipped(desc.width, desc.height) {
            return refuse(format!(
                "columns {} to {} and rows {} to {} reach past the field, which has {}×{} samples",
                rect.x0, rect.x1, rect.z0, rect.z1, desc.width, desc.height
            ));
        }
        let (width, height) = (self.ground.width, self.ground.height);
        if (rect.width(), rect.height()) != (width, height) {
            return refuse(format!(
                "the map is {width}×{height} samples and the rectangle {}×{}; crop the map, or resample it to the \
                 field's spacing of {} × {} m",
                rect.width(),
                rect.height(),
                metres(desc.spacing.x),
                metres(desc.spacing.y)
            ));
        }
        Ok(())
    }

    /// The report of the map in a field that has a range and a spacing already.
    fn report_for(&self, desc: &FieldDesc) -> ImportReport {
        let mut report = self.report.clone();
        report.assumptions.retain(|line| {
            Some(line) != self.taken.spacing.as_ref() && Some(line) != self.taken.range.as_ref()
        });
        report.warnings.truncate(self.taken.warnings);
        if self.taken.range.is_some() {
            let ends = self.ground.ends.map(|value| self.meaning.metres(value, &desc.range));
            (report.lowest, report.highest) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
        }
        if self.taken.spacing.is_none() {
            doubts::other_spacing(&mut report.warnings, report.spacing, desc.spacing);
        }
        (report.range, report.spacing) = (desc.range, desc.spacing);
        doubts::heights(&mut report, &self.meaning, self.ground.ends);
        report
    }

    /// Makes the heightmap of what a reader found. `progress` is told how far long work is, and breaks it off.
    pub(super) fn of(
        name: &Path,
        mut grid: Grid,
        options: &ImportOptions,
        progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<Self> {
        let mut notes = std::mem::take(&mut grid.notes);
        let refuse = |why: String| Error::file(name, why);
        let meaning = meaning_of(&grid, options).map_err(refuse)?;
        let nodata = void_codes(grid.nodata, options, &mut notes);
        let stored = if grid.voids_are_nan { &[] } else { nodata.as_slice() };
        let (west_east, north_south) = options.flip.sides();
        grid.values.mirror(grid.window.width() as usize, west_east, north_south);
        let survey = each!(&grid.values, list => Survey::of(list, stored));
        if survey.valid == 0 {
            return Err(refuse("every sample is a void, so there is no ground in it".to_owned()));
        }
        if !(survey.max - survey.min).is_finite() {
            return Err(refuse(format!(
                "its samples reach from {} to {}, further apart than a number can say, so at least one of them is no \
                 height but a void code that the file does not declare; state it (--nodata, or ImportOptions::with_nodata)",
                survey.min, survey.max
            )));
        }
        doubts::options_without_effect(&grid, &meaning, &survey, options, &mut notes);
        doubts::void_codes(&grid.values, &survey, &meaning, &nodata, options, &mut notes).map_err(refuse)?;
        let (spacing, taken_spacing) = spacing_of(&grid, options);
        doubts::shape(&grid, stored, &survey, spacing, &meaning, options, &mut notes);
        let mut report = ImportReport::of_file(name, &grid, &survey, nodata.clone());
        (report.encoding, report.units) = meaning_name(&meaning, &grid);
        let ground =
            Ground::of(&survey, stored, grid, options, spacing, progress, &mut notes).map_err(refuse)?;
        let spacing = options.resample.map_or(spacing, |resample| resample.spacing);
        let (range, taken_range) = range_of(&meaning, &ground, options, spacing, &mut notes);
        let desc = options.describe(ground.width, ground.height, spacing, range);
        desc.validate()?;
        let taken = Taken { spacing: taken_spacing, range: taken_range, warnings: notes.warnings.len() };
        notes.assumptions.extend(taken.spacing.iter().chain(&taken.range).cloned());
        report.becomes(&desc, &ground, &meaning, notes);
        doubts::heights(&mut report, &meaning, ground.ends);
        Ok(Self { ground, meaning, desc, report, taken })
    }
}

/// The codes of all samples in a range, of which `own` is what codes of the file mean; those of voids are heights between
/// their neighbours'.
fn codes_of(
    values: Values,
    meaning: &Meaning,
    own: &HeightRange,
    range: &HeightRange,
    voids: &Mask,
    width: u32,
) -> Vec<u16> {
    let same = own == range || !meaning.is_codes();
    let mut codes = match values {
        Values::U16(codes) if same && meaning.is_code() => codes,
        values if same => values.into_codes(|value| meaning.code(value, range)),
        values => values.into_codes(|value| range.code(meaning.metres(value, own))),
    };
    smooth_below_holes(&mut codes, width as usize, voids);
    codes
}

/// What the numbers mean: what is stated, else what the file says. The error is a sentence.
fn meaning_of(grid: &Grid, options: &ImportOptions) -> Result<Meaning, String> {
    let meaning = match options.encoding {
        Encoding::Normalised => {
            let sample = grid.values.sample_type();
            let full = sample.full().ok_or_else(|| {
                format!("its samples are {sample}, which no range is normalised to; use encoding heights")
            })?;
            Meaning::Codes { full }
        }
        Encoding::Heights if grid.meaning.is_codes() => Meaning::HEIGHTS,
        _ => grid.meaning,
    };
    Ok(match (meaning, options.units) {
        (Meaning::Heights { scale, offset, .. }, Some(units)) => {
            Meaning::Heights { scale, offset, units: Some(units) }
        }
        (meaning, _) => meaning,
    })
}

/// What a report says of the encoding and the unit.
fn meaning_name(meaning: &Meaning, grid: &Grid) -> (Encoding, Option<Units>) {
    match *meaning {
        Meaning::Codes { .. } => (Encoding::Normalised, None),
        Meaning::Heights { units, .. } => {
            (grid.encoding.unwrap_or(Encoding::Heights), Some(units.unwrap_or(Units::METRES)))
        }
    }
}

/// The values that mark a void: the stated ones, else the declared one.
fn void_codes(declared: Option<f64>, options: &ImportOptions, notes: &mut Notes) -> Vec<f64> {
    if options.nodata.is_empty() {
        return declared.into_iter().collect();
    }
    if let Some(declared) = declared.filter(|declared| !options.nodata.contains(declared)) {
        let stated: Vec<_> = options.nodata.iter().map(f64::to_string).collect();
        notes.assume(format!(
            "{} for a void, as stated, and not {declared}, which the file or its format declares",
            stated.join(" and ")
        ));
    }
    options.nodata.clone()
}

/// Metres between the samples of the file, and a sentence where nobody says.
fn spacing_of(grid: &Grid, options: &ImportOptions) -> (DVec2, Option<String>) {
    match options.spacing.or(grid.spacing) {
        Some(spacing) => (spacing, None),
        None => (DVec2::ONE, Some("1 × 1 m between samples, because no spacing is stated".to_owned())),
    }
}

/// The map's range, and for codes without a stated one the sentence about it.
fn range_of(
    meaning: &Meaning,
    ground: &Ground,
    options: &ImportOptions,
    spacing: DVec2,
    notes: &mut Notes,
) -> (HeightRange, Option<String>) {
    if let Some((min, max)) = options.range {
        return (HeightRange { min, max }, None);
    }
    if meaning.is_codes() {
        let side = |samples: u32, spacing: f64| f64::from(samples - 1) * spacing;
        let longest = side(ground.width, spacing.x).max(side(ground.height, spacing.y));
        let range = HeightRange { min: 0.0, max: longest / LENGTHS_A_HEIGHT };
        let top = metres(range.max);
        let why =
            format!("heights from 0 to {top} m, an eighth of the longest side, because no range is stated");
        return (range, Some(why));
    }
    let none = HeightRange { min: 0.0, max: 1.0 };
    let ends = ground.ends.map(|value| meaning.metres(value, &none));
    // A scale may be negative.
    let (min, max) = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    if max - min >= FLAT {
        return (HeightRange { min, max }, None);
    }
    notes.assume(format!(
        "heights from {} to {} m, one metre more than the file's only height",
        metres(min),
        metres(min + 1.0)
    ));
    (HeightRange { min, max: min + 1.0 }, None)
}

/// Opens quads of a field whose part from a sample on is a map of this width.
fn open(field: &mut Field, at: Sample, width: u32, voids: &Mask, holes: &Mask) {
    for void in voids.iter().map(|index| super::ground::sample_at(index, width)) {
        field.open_sample(Sample::new(at.x + void.x, at.z + void.z));
    }
    for hole in holes.iter().map(|index| super::ground::sample_at(index, width - 1)) {
        field.set_hole(Quad::new(at.x + hole.x, at.z + hole.z), true);
    }
}
