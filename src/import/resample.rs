//! A grid of heights with another spacing.
//!
//! Sample (0, 0) stays where it is and output sample i lies i new spacings from it, as far as the map reaches. Where
//! the new spacing is wider, the filter is widened with it, so that what lies between two new samples is averaged and
//! does not come back as false hills. Along a side whose spacing stays, samples are taken as they are.
//!
//! Even ground stays as it is, to rounding, whatever the ratio: weights add up to 1 and are balanced around their
//! place, and beyond an edge the map goes on as its half turn around the edge's sample. A new sample on an edge is
//! therefore made from the edge's samples alone, and maps that share an edge still share it when each is resampled by
//! itself.
//!
//! A new sample is void where the old one nearest to it is. Other voids near it are left out and the weights of the
//! rest raised to 1 again.
//!
//! Rows are made one by one, and only the few rows that the filter reaches are held beside the source.

mod taps;

use glam::DVec2;
use std::fmt;
use taps::{Taps, taps};

/// What a resampled height is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Filter {
    /// Straight lines between samples; where the new spacing is wider, a tent as wide as two new spacings. No new
    /// height lies outside those it is made from.
    Bilinear,
    /// Smooth curves through the samples (Catmull and Rom 1974); where the new spacing is wider, the same curve as wide
    /// as four new spacings. Sharper than [`Filter::Bilinear`], but it overshoots beside a steep step, by about a tenth
    /// of it, and is not clamped: new heights may lie outside the old ones. Where a void is in its reach it is
    /// bilinear.
    Cubic,
}

impl Filter {
    /// Every filter.
    pub const ALL: [Self; 2] = [Self::Bilinear, Self::Cubic];

    /// The name on a command line and in a report.
    pub fn name(self) -> &'static str {
        match self {
            Filter::Bilinear => "bilinear",
            Filter::Cubic => "cubic",
        }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Samples west to east and north to south of a resampled grid: as many as fit on the old ground, where a sample that
/// is a millionth of an old spacing beyond the edge still does.
pub(super) fn resampled_size(width: u32, height: u32, from: DVec2, to: DVec2) -> (u32, u32) {
    let side = |samples: u32, from: f64, to: f64| {
        let quads = f64::from(samples.saturating_sub(1)) * from / to;
        // The cast clamps.
        ((quads + 1e-6).floor() + 1.0) as u32
    };
    (side(width, from.x, to.x), side(height, from.y, to.y))
}

/// Resamples rows of `width` samples that are `from` metres apart to `to` metres, west to east and north to south, all
/// finite and above 0. `height_of` is a sample's height, NaN for voids. `take` gets the rows from north to south, with
/// NaN for voids: as many, and as wide, as [`resampled_size`] says.
pub(super) fn resample<T: Copy>(
    values: &[T],
    width: usize,
    from: DVec2,
    to: DVec2,
    filter: Filter,
    height_of: impl Fn(T) -> f64,
    mut take: impl FnMut(&[f64]),
) {
    let height = values.len() / width;
    let (columns, rows) = resampled_size(width as u32, height as u32, from, to);
    let across = |filter| taps(width, columns, from.x, to.x, filter);
    let down = |filter| taps(height, rows, from.y, to.y, filter);
    let (across_curve, down_curve) = (across(filter), down(filter));
    let (across_line, down_line) = (across(Filter::Bilinear), down(Filter::Bilinear));
    let source = Source { values, width, height_of };
    let mut held = Held::new(columns as usize, &down_curve);
    let mut row = vec![0.0; columns as usize];
    for (curve, line) in down_curve.iter().zip(&down_line) {
        held.reach(curve.end(), &source, &across_curve);
        held.combine(curve, &mut row);
        for (height, across) in row.iter_mut().zip(&across_line).filter(|(height, _)| height.is_nan()) {
            *height = source.beside_voids(across, line);
        }
        take(&row);
    }
}

/// What is resampled.
struct Source<'a, T, F> {
    values: &'a [T],
    width: usize,
    height_of: F,
}

impl<T: Copy, F: Fn(T) -> f64> Source<'_, T, F> {
    /// A row of heights.
    fn read(&self, z: usize, row: &mut [f64]) {
        let values = &self.values[z * self.width..][..self.width];
        row.iter_mut().zip(values).for_each(|(height, &value)| *height = (self.height_of)(value));
    }

    /// The mean of the samples that are not void, NaN where the nearest is.
    fn beside_voids(&self, across: &Taps, down: &Taps) -> f64 {
        let height = |x: usize, z: usize| (self.height_of)(self.values[z * self.width + x]);
        let nearest = height(across.nearest, down.nearest);
        if nearest.is_nan() {
            return nearest;
        }
        let (mut sum, mut weights) = (0.0, 0.0);
        for (z, weight_z) in down.iter() {
            for (x, weight_x) in across.iter() {
                let height = height(x, z);
                if !height.is_nan() {
                    sum += weight_x * weight_z * (height - nearest);
                    weights += weight_x * weight_z;
                }
            }
        }
        nearest + sum / weights
    }
}

/// Rows of the source that have their new columns already, as many as the filter reaches.
struct Held {
    width: usize,
    /// Row z is where z modulo their number says, until a row that is farther south than the filter reaches needs its
    /// place.
    rows: Vec<f64>,
    /// The first row that was not made yet.
    next: usize,
    /// A row of the source.
    read: Vec<f64>,
}

impl Held {
    fn new(width: usize, down: &[Taps]) -> Self {
        let reach = down.iter().map(|taps| taps.reach).max().unwrap_or(1);
        Self { width, rows: vec![0.0; width * reach], next: 0, read: Vec::new() }
    }

    fn place(&self, z: usize) -> usize {
        z * self.width % self.rows.len()
    }

    /// Makes the rows up to before this one.
    fn reach<T: Copy>(&mut self, end: usize, source: &Source<'_, T, impl Fn(T) -> f64>, across: &[Taps]) {
        self.read.resize(source.width, 0.0);
        while self.next < end {
            source.read(self.next, &mut self.read);
            let place = self.place(self.next);
            for (height, taps) in self.rows[place..][..self.width].iter_mut().zip(across) {
                *height = taps.of(&self.read);
            }
            self.next += 1;
        }
    }

    /// Makes a new row of those that are held.
    fn combine(&self, down: &Taps, row: &mut [f64]) {
        let held = |z: usize| &self.rows[self.place(z)..][..self.width];
        let nearest = held(down.nearest);
        row.copy_from_slice(nearest);
        for (z, weight) in down.iter().filter(|&(z, _)| z != down.nearest) {
            for ((height, &value), &nearest) in row.iter_mut().zip(held(z)).zip(nearest) {
                *height += weight * (value - nearest);
            }
        }
    }
}

#[cfg(test)]
mod tests;
