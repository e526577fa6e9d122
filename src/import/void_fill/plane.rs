//! The plane that fits a rim best.

use super::progress::Progress;
use super::{RimSample, Surface};
use glam::DVec2;
use std::ops::ControlFlow;

/// Heights that change evenly.
pub(super) struct Plane {
    /// The middle of the rim, in columns and rows.
    middle: DVec2,
    /// The height there.
    height: f64,
    /// The rise of one column and of one row.
    slope: DVec2,
}

impl Plane {
    /// The plane with the least sum of squared differences to a rim of at least one sample.
    ///
    /// Samples in one line say nothing of the slope across it and a single sample of no slope at all; what is not said
    /// is level. `cell` is needed to know what lies across.
    pub(super) fn of(rim: &[RimSample], cell: DVec2, progress: &mut Progress<'_>) -> ControlFlow<(), Self> {
        let count = rim.len() as f64;
        let mut plane = Self { middle: DVec2::ZERO, height: 0.0, slope: DVec2::ZERO };
        progress.each(rim, |sample| {
            plane.middle += sample.steps;
            plane.height += sample.height / count;
        })?;
        plane.middle /= count;
        let first = rim[0].steps;
        let mut line = DVec2::ZERO;
        progress.each(rim, |sample| {
            let way = sample.steps - first;
            line = if way.length_squared() > line.length_squared() { way } else { line };
        })?;
        if line == DVec2::ZERO {
            return ControlFlow::Continue(plane);
        }
        // How often the line's length fits into a way, seen along it.
        let along = line * cell * cell / (line * cell).length_squared();
        plane.slope = along * plane.rise(rim, along, progress)?;
        // Steps are whole numbers, so that this is exact.
        let mut is_line = true;
        progress.each(rim, |sample| is_line &= line.perp_dot(sample.steps - first) == 0.0)?;
        if !is_line {
            // What is left across the line when its share along it is taken away, as Gram and Schmidt do: squares of
            // squares would lose the slope across a long and thin area.
            let across = line.perp() / line.length();
            let (mut sum, mut squares) = (0.0, 0.0);
            progress.each(rim, |sample| {
                let way = sample.steps - plane.middle;
                sum += way.dot(along) * way.dot(across);
                squares += way.dot(along).powi(2);
            })?;
            let across = across - along * (sum / squares);
            plane.slope += across * plane.rise(rim, across, progress)?;
        }
        ControlFlow::Continue(plane)
    }

    /// The rise per unit of a direction that the plane does not have yet.
    fn rise(&self, rim: &[RimSample], direction: DVec2, progress: &mut Progress<'_>) -> ControlFlow<(), f64> {
        let (mut sum, mut squares) = (0.0, 0.0);
        progress.each(rim, |sample| {
            let way = (sample.steps - self.middle).dot(direction);
            sum += way * (sample.height - self.height(sample.steps));
            squares += way * way;
        })?;
        ControlFlow::Continue(sum / squares)
    }

    /// The height at these columns and rows.
    fn height(&self, steps: DVec2) -> f64 {
        self.height + self.slope.dot(steps - self.middle)
    }
}

impl Surface for Plane {
    fn heights(&self, steps: &[DVec2], heights: &mut [f64]) {
        steps.iter().zip(heights).for_each(|(&steps, height)| *height = self.height(steps));
    }
}

#[cfg(test)]
mod tests {
    use super::super::progress::unstopped;
    use super::*;

    fn plane(samples: &[(i32, i32, f64)], cell: DVec2) -> impl Fn(f64, f64) -> f64 {
        let rim: Vec<_> = samples
            .iter()
            .map(|&(x, z, height)| RimSample { steps: DVec2::new(f64::from(x), f64::from(z)), height })
            .collect();
        let plane = unstopped(|progress| Plane::of(&rim, cell, progress));
        move |x, z| plane.height(DVec2::new(x, z))
    }

    #[test]
    fn one_sample_is_level() {
        let height = plane(&[(0, 0, 7.5)], DVec2::ONE);
        assert_eq!((height(0.0, 0.0), height(9.0, -4.0)), (7.5, 7.5));
    }

    #[test]
    fn a_line_says_nothing_of_what_lies_across() {
        let height = plane(&[(0, 0, 1.0), (4, 0, 9.0)], DVec2::new(1.0, 0.3));
        assert_eq!((height(2.0, 0.0), height(1.0, 50.0)), (5.0, 3.0));
        let height = plane(&[(0, 0, 1.0), (0, 1, 3.0), (0, 2, 5.0)], DVec2::ONE);
        assert!((height(7.0, -1.0) + 1.0).abs() < 1e-12);
        // A cell of 2 × 1 m: the line runs (2, 1) metres a step, and (1, −2) metres lie across.
        let height = plane(&[(0, 0, 10.0), (1, 1, 20.0), (2, 2, 30.0)], DVec2::new(1.0, 0.5));
        assert!((height(0.5, -2.0) - 10.0).abs() < 1e-12, "{}", height(0.5, -2.0));
        assert!((height(5.0, 5.0) - 60.0).abs() < 1e-12);
    }

    #[test]
    fn the_errors_of_the_best_plane_cancel() {
        let samples = [(0, 0, 1.0), (5, 1, -3.0), (2, 7, 4.0), (6, 6, 0.5), (1, 3, 9.0)];
        let height = plane(&samples, DVec2::new(0.4, 1.0));
        for weight in [|_: f64, _: f64| 1.0, |x: f64, _: f64| x, |_: f64, z: f64| z] {
            let errors = samples.iter().map(|&(x, z, wanted)| {
                let (x, z) = (f64::from(x), f64::from(z));
                weight(x, z) * (height(x, z) - wanted)
            });
            assert!(errors.sum::<f64>().abs() < 1e-11);
        }
    }

    #[test]
    fn a_thin_diagonal_keeps_the_slope_across() {
        let ground = |x: i32, z: i32| f64::from(x) * 0.25 + f64::from(z) * 0.5;
        let rim: Vec<_> =
            (0..20_000).flat_map(|i| [(i, i), (i + 2, i)]).map(|(x, z)| (x, z, ground(x, z))).collect();
        let height = plane(&rim, DVec2::ONE);
        assert!((height(1000.0, 0.0) - 250.0).abs() < 1e-6, "{}", height(1000.0, 0.0));
    }
}
