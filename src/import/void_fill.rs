//! Heights for voids that become ground.
//!
//! An *area* is voids that touch, at a side or a corner. Its *rim* is the valid samples that touch it. No method looks
//! beyond the rim, because no valid sample is nearer to a void than the rim of its area: the rectangle between a void
//! and the valid sample nearest to it holds voids only, so they lie in one area.
//!
//! The functions read and write the caller's samples in place and never change a valid one. They hold 8 bytes for every
//! run of voids in a row and 8 more to tell areas apart or 4 for every void, and while an area is filled about 100
//! bytes for every sample of its rim.

mod areas;
mod inverse_distance;
mod nearest;
mod plane;

use super::values::Height;
use areas::{Areas, Runs};
use glam::DVec2;
use inverse_distance::Tree;
use plane::Plane;

/// What a void gets its height from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// The valid sample nearest to it, exactly. Of several the first, row by row from the north-west.
    Nearest,
    /// The mean of the rim of its area, weighted by the inverse square of the distance (Shepard 1968). It lies between
    /// the lowest and the highest height of the rim.
    InverseDistance,
    /// The plane that fits the rim of its area best, by least squares. It may lead below or above every height of the
    /// map.
    Plane,
}

/// Gives every void a height. Where every sample is void nothing is changed.
///
/// `values` are rows of `width` samples, `cell` the metres between two of them from west to east and from north to
/// south, both finite and above 0. `voids` are indices in ascending order; what is stored there is not read.
pub(super) fn fill<T: Height>(
    values: &mut [T],
    width: usize,
    cell: DVec2,
    voids: impl Iterator<Item = usize>,
    method: Method,
) {
    let runs = Runs::of(voids, width, values.len() / width);
    if runs.voids() == values.len() {
        return;
    }
    match method {
        Method::Nearest => nearest::fill(values, &runs, cell),
        Method::InverseDistance => fill_areas(values, &runs, |rim| {
            let tree = Tree::of(rim, cell);
            move |steps| tree.height(steps * cell)
        }),
        Method::Plane => fill_areas(values, &runs, |rim| {
            let plane = Plane::of(&rim, cell);
            move |steps| plane.height(steps)
        }),
    }
}

/// A valid sample beside an area.
#[derive(Clone, Copy, Debug)]
struct RimSample {
    /// Columns and rows from the first sample of the rim: whole numbers.
    steps: DVec2,
    height: f64,
}

/// Gives every area the surface that is made from its rim. A surface takes columns and rows from the rim's first
/// sample.
fn fill_areas<T: Height, S: Fn(DVec2) -> f64>(
    values: &mut [T],
    runs: &Runs,
    surface_of: impl Fn(Vec<RimSample>) -> S,
) {
    let areas = Areas::of(runs);
    let mut rim = Vec::new();
    for area in areas.iter() {
        runs.rim(area, &mut rim);
        // Only a map of nothing but voids has an area without a rim.
        let origin = rim[0];
        let steps = |index: u32| {
            let (from, to) = (runs.place(origin), runs.place(index));
            DVec2::new(f64::from(to.0) - f64::from(from.0), f64::from(to.1) - f64::from(from.1))
        };
        let surface = surface_of(
            rim.iter()
                .map(|&index| RimSample { steps: steps(index), height: values[index as usize].value() })
                .collect(),
        );
        for index in area.iter().flat_map(|&run| runs.run(run).indices()) {
            let height = T::nearest(surface(steps(index)));
            // Sums of heights near the largest number there is are not finite.
            let fits = height.value().is_finite();
            values[index as usize] = if fits { height } else { values[origin as usize] };
        }
    }
}

#[cfg(test)]
mod tests;
