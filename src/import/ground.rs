//! The samples of a map on their way from a file's to a field's: voids filled, another spacing, holes that go along.

use super::grid::{Grid, Notes};
use super::mask::Mask;
use super::report::metres;
use super::survey::Survey;
use super::values::{Height, Values, VoidTest, each};
use super::{Fill, ImportOptions, MAX_SAMPLES, Resample, resample, void_fill};
use crate::field::{FieldDesc, Sample, SampleRect};
use glam::DVec2;
use std::ops::ControlFlow;

/// The samples of a map.
pub(super) struct Ground {
    pub(super) width: u32,
    pub(super) height: u32,
    /// Row-major, in the file's own numbers.
    pub(super) values: Values,
    /// Samples without a height.
    pub(super) voids: Mask,
    /// Quads that the file itself opens.
    pub(super) holes: Mask,
    /// The least and the greatest number of a sample that is not void.
    pub(super) ends: [f64; 2],
    /// Where the first of the greatest is.
    pub(super) max_at: Sample,
    /// Voids that were given a height.
    pub(super) filled: u64,
}

impl Ground {
    /// Fills and resamples as the options say. `nodata` are the numbers that mark voids, `spacing` is the file's. The error
    /// is a sentence.
    pub(super) fn of(
        survey: &Survey,
        nodata: &[f64],
        grid: Grid,
        options: &ImportOptions,
        spacing: DVec2,
        progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
        notes: &mut Notes,
    ) -> Result<Self, String> {
        let (width, height) = (grid.window.width(), grid.window.height());
        let mut ground = Self {
            width,
            height,
            voids: grid.values.voids(nodata, survey.voids),
            values: grid.values,
            holes: Mask::default(),
            ends: [survey.min, survey.max],
            max_at: sample_at(survey.max_at, width),
            filled: 0,
        };
        let mut codes = nodata;
        if options.fill != Fill::Holes && ground.voids.count() > 0 {
            ground.fill(options.fill, spacing, progress)?;
            // A height that was made may be any number.
            codes = &[];
        }
        if let Some(resample) = options.resample {
            ground.resample(codes, spacing, resample, notes)?;
        }
        if ground.filled > 0 || options.resample.is_some() {
            ground.look_again()?;
        }
        if options.fill == Fill::Holes {
            ground.holes =
                moved_holes(&grid.holes, grid.window, options, spacing, (ground.width, ground.height));
        }
        Ok(ground)
    }

    /// A sample in the file's own numbers; none for a void and outside of the map.
    pub(super) fn value(&self, sample: Sample) -> Option<f64> {
        if sample.x >= self.width || sample.z >= self.height {
            return None;
        }
        let index = sample.z as usize * self.width as usize + sample.x as usize;
        (!self.voids.has(index)).then(|| self.values.get(index))
    }

    /// How many quads voids and holes open together.
    pub(super) fn open_quads(&self) -> u64 {
        let (width, height) = (self.width as usize, self.height as usize);
        if self.holes.count() == 0 {
            return self.voids.quads(width, height);
        }
        let touched = |x: usize, z: usize| {
            [0, 1, width, width + 1].into_iter().any(|corner| self.voids.has(z * width + x + corner))
        };
        let beside =
            self.holes.iter().filter(|index| touched(index % (width - 1), index / (width - 1))).count();
        self.voids.quads(width, height) + self.holes.count() - beside as u64
    }

    fn fill(
        &mut self,
        fill: Fill,
        cell: DVec2,
        progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<(), String> {
        let method = match fill {
            Fill::Nearest => void_fill::Method::Nearest,
            Fill::InverseDistance => void_fill::Method::InverseDistance,
            Fill::Plane => void_fill::Method::Plane,
            Fill::Holes => return Ok(()),
        };
        let (width, voids) = (self.width as usize, &self.voids);
        let flow = each!(&mut self.values, list => {
            void_fill::fill(list, width, cell, voids.iter(), method, progress)
        });
        if flow.is_break() {
            return Err("stopped".to_owned());
        }
        self.filled = self.voids.count();
        self.voids = Mask::default();
        Ok(())
    }

    fn resample(
        &mut self,
        nodata: &[f64],
        from: DVec2,
        to: Resample,
        notes: &mut Notes,
    ) -> Result<(), String> {
        let (width, height) = (self.width, self.height);
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
        self.values =
            resampled(&self.values, nodata, width as usize, columns as usize * rows as usize, from, to);
        (self.width, self.height) = (columns, rows);
        self.voids = self.values.voids(&[], self.voids.count());
        Ok(())
    }

    /// Finds the ends again, of which at least one is there where one sample is not void.
    fn look_again(&mut self) -> Result<(), String> {
        let survey = each!(&self.values, list => Survey::of(list, &[]));
        if survey.valid == 0 {
            return Err("no valid sample lies on the new spacing, so there is no ground in it; fill the voids (--fill, or \
                        ImportOptions::with_fill)"
                .to_owned());
        }
        self.ends = [survey.min, survey.max];
        self.max_at = sample_at(survey.max_at, self.width);
        Ok(())
    }
}

/// The samples at another spacing, NaN for voids.
fn resampled(
    values: &Values,
    nodata: &[f64],
    width: usize,
    count: usize,
    from: DVec2,
    to: Resample,
) -> Values {
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
    match values {
        Values::U32(_) | Values::I32(_) | Values::F64(_) => into!(f64, Values::F64),
        _ => into!(f32, Values::F32),
    }
}

/// A sample's number, NaN of a void.
fn height_or_nan<T: Height>(nodata: &[f64]) -> impl Fn(T) -> f64 {
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

/// The quads that a file opens, in the columns and rows of the flipped and resampled map: a new quad is open where its
/// middle lies in an open one, or the middle of an open one in it.
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
    let (new_columns, new_rows) = (width as usize - 1, height as usize - 1);
    let (west_east, north_south) = options.flip.sides();
    let flipped = |column: usize, row: usize| {
        (
            if west_east { columns - 1 - column } else { column },
            if north_south { rows - 1 - row } else { row },
        )
    };
    // The quad that has the middle of another one in it, of a grid whose quads are so many times as large.
    let across = |at: usize, ratio: f64, last: usize| (((at as f64 + 0.5) * ratio) as usize).min(last);
    let mut open = vec![false; new_columns * new_rows];
    for (index, open) in open.iter_mut().enumerate() {
        let (x, z) = (index % new_columns, index / new_columns);
        let (column, row) = flipped(across(x, ratio.x, columns - 1), across(z, ratio.y, rows - 1));
        *open = holes.has(row * columns + column);
    }
    for index in holes.iter() {
        let (column, row) = flipped(index % columns, index / columns);
        let (x, z) = ((column as f64 + 0.5) / ratio.x, (row as f64 + 0.5) / ratio.y);
        // Beyond the last whole step nothing is left.
        if (x as usize) < new_columns && (z as usize) < new_rows {
            open[z as usize * new_columns + x as usize] = true;
        }
    }
    Mask::of(open.into_iter())
}

/// The column and row of a sample, or a quad, of a row-major list.
pub(super) fn sample_at(index: usize, width: u32) -> Sample {
    Sample::new((index % width as usize) as u32, (index / width as usize) as u32)
}
