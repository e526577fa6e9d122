//! A file's heights in full precision, and the way from what a reader found to a field.

use super::below_holes::smooth_below_holes;
use super::doubts;
use super::grid::{Grid, Meaning, Notes};
use super::mask::Mask;
use super::report::{ImportReport, metres};
use super::survey::Survey;
use super::values::{Height, Values, VoidTest, each};
use super::{Encoding, Fill, ImportOptions, MAX_SAMPLES, Resample, Units, resample, void_fill};
use crate::field::{Field, FieldDesc, HeightRange, Quad, Sample, SampleRect};
use crate::{Error, Result};
use glam::DVec2;
use std::path::Path;

/// A map whose range nobody states is so many times as long as it is high.
const LENGTHS_A_HEIGHT: f64 = 8.0;
/// Heights that differ by less, in metres, span no range.
const FLAT: f64 = 1e-6;

/// A heightmap as its file has it, cropped, flipped, filled and resampled as the options say, before its heights are
/// rounded to the 65536 codes of a field.
pub struct Heightmap {
    width: u32,
    height: u32,
    values: Values,
    meaning: Meaning,
    voids: Mask,
    /// Quads that the file itself opens.
    holes: Mask,
    desc: FieldDesc,
    report: ImportReport,
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
        if sample.x >= self.width || sample.z >= self.height {
            return None;
        }
        let index = sample.z as usize * self.width as usize + sample.x as usize;
        (!self.voids.has(index)).then(|| self.values.get(index))
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
        let codes = codes_of(self.values, &self.meaning, &self.desc.range, &self.voids, self.width);
        let mut field = Field::from_samples(self.desc, codes)?;
        open(&mut field, Sample::new(0, 0), self.width, &self.voids, &self.holes);
        Ok((field, self.report))
    }

    /// Writes the map into a rectangle of a field, in metres. A quad of the rectangle is open afterwards where a void
    /// touches it, and closed where none does. Heights that do not fit the field's range are clamped to it, which is
    /// reported.
    ///
    /// # Errors
    /// [`Error::Invalid`] where the rectangle reaches past the field, or is not as large as the map; the field is then
    /// as it was.
    pub fn write_into(self, field: &mut Field, rect: SampleRect) -> Result<ImportReport> {
        self.check_fits(field.desc(), rect)?;
        let range = field.desc().range;
        let mut report = self.report;
        doubts::compare(&mut report, &self.meaning, field.desc());
        // Codes mean parts of the field's own range, unless a range is stated for them.
        let from = if report.range_is_stated { report.range } else { range };
        let codes = match self.meaning {
            Meaning::Codes { .. } if from != range => {
                let meaning = self.meaning;
                let mut codes = self.values.into_codes(|value| range.code(meaning.metres(value, &from)));
                smooth_below_holes(&mut codes, self.width as usize, &self.voids);
                codes
            }
            _ => codes_of(self.values, &self.meaning, &range, &self.voids, self.width),
        };
        field.write(rect, &codes);
        for z in rect.z0..rect.z1 - 1 {
            (rect.x0..rect.x1 - 1).for_each(|x| field.set_hole(Quad::new(x, z), false));
        }
        open(field, Sample::new(rect.x0, rect.z0), self.width, &self.voids, &self.holes);
        report.range = range;
        report.spacing = field.desc().spacing;
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
        if (rect.width(), rect.height()) != (self.width, self.height) {
            return refuse(format!(
                "the map is {}×{} samples and the rectangle {}×{}; crop the map, or resample it to the field's spacing of {} \
                 × {} m",
                self.width,
                self.height,
                rect.width(),
                rect.height(),
                metres(desc.spacing.x),
                metres(desc.spacing.y)
            ));
        }
        Ok(())
    }

    /// Makes the heightmap of what a reader found.
    pub(super) fn of(name: &Path, mut grid: Grid, options: &ImportOptions) -> Result<Self> {
        let (mut width, mut height) = (grid.window.width(), grid.window.height());
        let mut notes = std::mem::take(&mut grid.notes);
        let meaning = meaning_of(name, &grid, options)?;
        let (west_east, north_south) = options.flip.sides();
        grid.values.mirror(width as usize, west_east, north_south);
        let nodata = void_code(grid.nodata, options, &mut notes);
        let stored = nodata.filter(|_| !grid.voids_are_nan);
        let survey = each!(&grid.values, list => Survey::of(list, stored));
        if survey.valid == 0 {
            return Err(Error::file(name, "every sample is a void, so there is no ground in it"));
        }
        if !meaning.is_codes() {
            doubts::void_codes(name, &grid.values, &survey, options, &mut notes)?;
        }
        let spacing = options.spacing.or(grid.spacing).unwrap_or_else(|| {
            notes.assume("1 × 1 m between samples, because no spacing is stated");
            DVec2::ONE
        });
        doubts::shape(&grid.values, stored, &survey, (width, height), spacing, &meaning, options, &mut notes);
        let mut report = ImportReport::of(name, &grid, &survey, nodata, meaning_name(&meaning, options));
        report.max_at = sample_at(survey.max_at, width);
        let mut voids = grid.values.voids(stored, survey.voids);
        let mut values = grid.values;
        let mut code = stored;
        if options.fill != Fill::Holes && voids.count() > 0 {
            fill(&mut values, width, &voids, options.fill, spacing);
            report.filled = voids.count();
            // A height that was made may be any number.
            (voids, code) = (Mask::default(), None);
        }
        let mut new_spacing = spacing;
        if let Some(resample) = options.resample {
            (values, width, height) =
                resampled(&values, code, (width, height), spacing, resample, &mut notes)
                    .map_err(|why| Error::file(name, why))?;
            voids = values.voids(None, voids.count());
            new_spacing = resample.spacing;
        }
        let (min, max) = extremes(&values, &voids, &survey, report.filled > 0 || options.resample.is_some());
        let range = match options.range {
            Some((min, max)) => HeightRange { min, max },
            None => range_of(&meaning, (min, max), (width, height), new_spacing, &mut notes),
        };
        let desc = options.describe(width, height, new_spacing, range);
        desc.validate()?;
        report.finish(&desc, &meaning, &survey, notes);
        report.range_is_stated = options.range.is_some();
        let holes = match options.fill {
            Fill::Holes => moved_holes(&grid.holes, grid.window, options, spacing, (width, height)),
            _ => Mask::default(),
        };
        report.holes = count_open(&voids, &holes, (width, height));
        doubts::report(&mut report, &meaning);
        Ok(Self { width, height, values, meaning, voids, holes, desc, report })
    }
}

impl Meaning {
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

    /// The code nearest to a number of the file.
    fn code(&self, value: f64, range: &HeightRange) -> u16 {
        match *self {
            // The cast clamps, and makes 0 of NaN.
            Meaning::Codes { full } => (value * HeightRange::MAX_CODE / full).round() as u16,
            Meaning::Heights { .. } => range.code(self.metres(value, range)),
        }
    }
}

/// The codes of all samples; those of voids are heights between their neighbours'.
fn codes_of(values: Values, meaning: &Meaning, range: &HeightRange, voids: &Mask, width: u32) -> Vec<u16> {
    let mut codes = match values {
        Values::U16(codes) if *meaning == (Meaning::Codes { full: HeightRange::MAX_CODE }) => codes,
        // The usual meaning, which needs no more than the range.
        values if meaning.is_metres() => values.into_codes(|value| range.code(value)),
        values => values.into_codes(|value| meaning.code(value, range)),
    };
    smooth_below_holes(&mut codes, width as usize, voids);
    codes
}

/// What the numbers mean: what is stated, else what the file says.
fn meaning_of(name: &Path, grid: &Grid, options: &ImportOptions) -> Result<Meaning> {
    let meaning = match options.encoding {
        Encoding::Normalised => {
            let sample = grid.values.sample_type();
            let full = sample.full().ok_or_else(|| {
                let why = format!(
                    "its samples are {sample}, which no range is normalised to; use encoding heights"
                );
                Error::file(name, why)
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

/// What a report says of the encoding.
fn meaning_name(meaning: &Meaning, options: &ImportOptions) -> Encoding {
    match meaning {
        _ if options.encoding.is_colours() => options.encoding,
        Meaning::Codes { .. } => Encoding::Normalised,
        Meaning::Heights { .. } => Encoding::Heights,
    }
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

fn fill(values: &mut Values, width: u32, voids: &Mask, fill: Fill, cell: DVec2) {
    let method = match fill {
        Fill::Nearest => void_fill::Method::Nearest,
        Fill::InverseDistance => void_fill::Method::InverseDistance,
        Fill::Plane => void_fill::Method::Plane,
        Fill::Holes => return,
    };
    each!(values, list => void_fill::fill(list, width as usize, cell, voids.iter(), method));
}

/// The map at another spacing, NaN for voids, and its size. The error is a sentence.
fn resampled(
    values: &Values,
    nodata: Option<f64>,
    (width, height): (u32, u32),
    from: DVec2,
    to: Resample,
    notes: &mut Notes,
) -> Result<(Values, u32, u32), String> {
    let (columns, rows) = resample::resampled_size(width, height, from, to.spacing);
    check_resampled(columns, rows, to)?;
    notes.assume(format!("{width}×{height} samples are resampled to {columns}×{rows}, {}", to.filter));
    let left_over = |samples: u32, from: f64, left: u32, to: f64| {
        (f64::from(samples - 1) * from - f64::from(left - 1) * to).max(0.0)
    };
    let east = left_over(width, from.x, columns, to.spacing.x);
    let south = left_over(height, from.y, rows, to.spacing.y);
    if east > 1e-6 * from.x || south > 1e-6 * from.y {
        notes.assume(format!(
            "{} m in the east and {} m in the south are left out, because they are no whole step of the new spacing",
            metres(east),
            metres(south)
        ));
    }
    let count = columns as usize * rows as usize;
    let width = width as usize;
    macro_rules! into {
        ($type:ty, $make:path) => {{
            let mut made: Vec<$type> = Vec::with_capacity(count);
            each!(values, list => {
                let height_of = height_or_nan(nodata);
                resample::resample(list, width, from, to.spacing, to.filter, height_of, |row| {
                    made.extend(row.iter().map(|&value| value as $type));
                });
            });
            $make(made)
        }};
    }
    let resampled = match values {
        Values::U32(_) | Values::I32(_) | Values::F64(_) => into!(f64, Values::F64),
        _ => into!(f32, Values::F32),
    };
    Ok((resampled, columns, rows))
}

/// A sample's number, NaN of a void.
fn height_or_nan<T: Height>(nodata: Option<f64>) -> impl Fn(T) -> f64 {
    let void = VoidTest::new(nodata);
    move |value| if void.is(value) { f64::NAN } else { value.value() }
}

fn check_resampled(columns: u32, rows: u32, to: Resample) -> Result<(), String> {
    let spacing = || format!("a spacing of {} × {} m", metres(to.spacing.x), metres(to.spacing.y));
    if columns < 2 || rows < 2 {
        return Err(format!("{} leaves {columns}×{rows} samples; a map needs at least 2×2", spacing()));
    }
    if columns.max(rows) > FieldDesc::MAX_SIDE || u64::from(columns) * u64::from(rows) > MAX_SAMPLES {
        return Err(format!("{} makes {columns}×{rows} samples, more than {MAX_SAMPLES}", spacing()));
    }
    Ok(())
}

/// The least and the greatest number of the map.
fn extremes(values: &Values, voids: &Mask, survey: &Survey, changed: bool) -> (f64, f64) {
    if !changed {
        return (survey.min, survey.max);
    }
    let valid = (0..values.len()).filter(|&index| !voids.has(index)).map(|index| values.get(index));
    valid.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), value| (min.min(value), max.max(value)))
}

/// The range for which nothing is stated.
fn range_of(
    meaning: &Meaning,
    (min, max): (f64, f64),
    (width, height): (u32, u32),
    spacing: DVec2,
    notes: &mut Notes,
) -> HeightRange {
    if meaning.is_codes() {
        let longest = (f64::from(width - 1) * spacing.x).max(f64::from(height - 1) * spacing.y);
        let range = HeightRange { min: 0.0, max: longest / LENGTHS_A_HEIGHT };
        notes.assume(format!(
            "heights from 0 to {} m, an eighth of the longest side, because no range is stated",
            metres(range.max)
        ));
        return range;
    }
    let none = HeightRange { min: 0.0, max: 1.0 };
    let (first, second) = (meaning.metres(min, &none), meaning.metres(max, &none));
    // A scale may be negative.
    let (min, max) = (first.min(second), first.max(second));
    if max - min >= FLAT {
        return HeightRange { min, max };
    }
    notes.assume(format!(
        "heights from {} to {} m, one metre more than the file's only height",
        metres(min),
        metres(min + 1.0)
    ));
    HeightRange { min, max: min + 1.0 }
}

/// The quads that a file opens, in the columns and rows of the flipped and resampled map.
fn moved_holes(
    holes: &Mask,
    window: SampleRect,
    options: &ImportOptions,
    from: DVec2,
    (width, height): (u32, u32),
) -> Mask {
    if holes.count() == 0 {
        return Mask::default();
    }
    let ratio = options.resample.map_or(DVec2::ONE, |resample| resample.spacing / from);
    let (columns, rows) = (window.width() as usize - 1, window.height() as usize - 1);
    let (west_east, north_south) = options.flip.sides();
    // The quad of the file that has the middle of a new one in it.
    let source = |x: u32, z: u32| {
        let column = (((f64::from(x) + 0.5) * ratio.x) as usize).min(columns - 1);
        let row = (((f64::from(z) + 0.5) * ratio.y) as usize).min(rows - 1);
        let column = if west_east { columns - 1 - column } else { column };
        let row = if north_south { rows - 1 - row } else { row };
        row * columns + column
    };
    let quads = (width - 1) as usize * (height - 1) as usize;
    Mask::of((0..quads).map(|index| {
        let quad = sample_at(index, width - 1);
        holes.has(source(quad.x, quad.z))
    }))
}

/// How many quads voids and holes open together.
fn count_open(voids: &Mask, holes: &Mask, (width, height): (u32, u32)) -> u64 {
    let (width, height) = (width as usize, height as usize);
    if holes.count() == 0 {
        return voids.quads(width, height);
    }
    let touched = |x: usize, z: usize| {
        [0, 1, width, width + 1].into_iter().any(|corner| voids.has(z * width + x + corner))
    };
    let beside = holes.iter().filter(|index| touched(index % (width - 1), index / (width - 1))).count();
    voids.quads(width, height) + holes.count() - beside as u64
}

/// Opens quads of a field whose part from a sample on is a map of this width.
fn open(field: &mut Field, at: Sample, width: u32, voids: &Mask, holes: &Mask) {
    for void in voids.iter().map(|index| sample_at(index, width)) {
        field.open_sample(Sample::new(at.x + void.x, at.z + void.z));
    }
    for hole in holes.iter().map(|index| sample_at(index, width - 1)) {
        field.set_hole(Quad::new(at.x + hole.x, at.z + hole.z), true);
    }
}

fn sample_at(index: usize, width: u32) -> Sample {
    Sample::new((index % width as usize) as u32, (index / width as usize) as u32)
}
