//! The plane that fits a rim best.

use super::RimSample;
use glam::DVec2;

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
    pub(super) fn of(rim: &[RimSample], cell: DVec2) -> Self {
        let count = rim.len() as f64;
        let middle = rim.iter().map(|sample| sample.steps).sum::<DVec2>() / count;
        let height = rim.iter().map(|sample| sample.height / count).sum::<f64>();
        let mut plane = Self { middle, height, slope: DVec2::ZERO };
        let (Some(first), Some(last)) = (rim.first(), farthest(rim)) else { return plane };
        let line = last.steps - first.steps;
        if line == DVec2::ZERO {
            return plane;
        }
        // How often the line's length fits into a way, seen along it.
        let along = line * cell * cell / (line * cell).length_squared();
        let rise = plane.rise(rim, along);
        plane.slope = along * rise;
        // Steps are whole numbers, so that this is exact.
        if rim.iter().any(|sample| line.perp_dot(sample.steps - first.steps) != 0.0) {
            // What is left across the line when its share along it is taken away, as Gram and Schmidt do: squares of
            // squares would lose the slope across a long and thin area.
            let across = line.perp() / line.length();
            let shares = rim.iter().map(|sample| sample.steps - middle);
            let (sum, squares) = shares.fold((0.0, 0.0), |(sum, squares), way| {
                (sum + way.dot(along) * way.dot(across), squares + way.dot(along).powi(2))
            });
            let across = across - along * (sum / squares);
            plane.slope += across * plane.rise(rim, across);
        }
        plane
    }

    /// The rise per unit of a direction that the plane does not have yet.
    fn rise(&self, rim: &[RimSample], direction: DVec2) -> f64 {
        let (sum, squares) = rim.iter().fold((0.0, 0.0), |(sum, squares), sample| {
            let way = (sample.steps - self.middle).dot(direction);
            (sum + way * (sample.height - self.height(sample.steps)), squares + way * way)
        });
        sum / squares
    }

    /// The height at these columns and rows.
    pub(super) fn height(&self, steps: DVec2) -> f64 {
        self.height + self.slope.dot(steps - self.middle)
    }
}

/// The sample farthest from the first.
fn farthest(rim: &[RimSample]) -> Option<&RimSample> {
    let away = |sample: &RimSample| sample.steps.distance_squared(rim[0].steps);
    rim.iter().max_by(|a, b| away(a).total_cmp(&away(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plane(samples: &[(i32, i32, f64)], cell: DVec2) -> impl Fn(f64, f64) -> f64 {
        let rim: Vec<_> = samples
            .iter()
            .map(|&(x, z, height)| RimSample { steps: DVec2::new(f64::from(x), f64::from(z)), height })
            .collect();
        let plane = Plane::of(&rim, cell);
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
