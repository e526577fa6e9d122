//! Heights for voids that become ground.
//!
//! An *area* is voids that touch, at a side or a corner. Its *rim* is the valid samples that touch it. No method looks
//! beyond the rim, because no valid sample is nearer to a void than the rim of its area: the rectangle between a void
//! and the valid sample nearest to it holds voids only, so they lie in one area.
//!
//! The functions read and write the caller's samples in place and never change a valid one. They hold 8 bytes for every
//! run of voids in a row and 12 more while areas are told apart, 8 afterwards, or 4 for every void, and while an area is
//! filled about 100 bytes for every sample of its rim.

mod areas;
mod inverse_distance;
mod nearest;
mod plane;
mod progress;

use super::values::Height;
use areas::{Areas, Runs};
use glam::DVec2;
use inverse_distance::Tree;
use plane::Plane;
use progress::Progress;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

/// Voids that a thread fills before it is asked whether to go on.
const SHARE: usize = 1024;

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
/// south, both finite and above 0. `voids` are indices in ascending order; what is stored there is not read. `report` is
/// told the part of the voids that is done, about a hundred times a second; where it breaks, so does this, and some voids
/// have a height and others none.
pub(super) fn fill<T: Height>(
    values: &mut [T],
    width: usize,
    cell: DVec2,
    voids: impl Iterator<Item = usize>,
    method: Method,
    report: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let mut progress = Progress::new(report);
    let runs = Runs::of(voids, width, values.len() / width, &mut progress)?;
    if runs.voids() == values.len() {
        return ControlFlow::Continue(());
    }
    match method {
        Method::Nearest => nearest::fill(values, &runs, cell, &mut progress),
        Method::InverseDistance => {
            let costs = Costs { void: 8000, threads: threads() };
            fill_areas(values, &runs, costs, &mut progress, |rim, progress| Tree::of(rim, cell, progress))
        }
        Method::Plane => {
            let costs = Costs { void: 10, threads: 1 };
            fill_areas(values, &runs, costs, &mut progress, |rim, progress| Plane::of(rim, cell, progress))
        }
    }
}

/// Threads that the machine has.
fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// What it takes to fill an area.
#[derive(Clone, Copy)]
struct Costs {
    /// Nanoseconds for a void.
    void: u64,
    /// Threads for which that is work enough.
    threads: usize,
}

/// A valid sample beside an area.
#[derive(Clone, Copy, Debug)]
struct RimSample {
    /// Columns and rows from the first sample of the rim: whole numbers.
    steps: DVec2,
    height: f64,
}

/// What is made from a rim.
trait Surface: Sync {
    /// The heights at columns and rows from the rim's first sample; best of places that are near each other.
    fn heights(&self, steps: &[DVec2], heights: &mut [f64]);
}

/// Gives every area the surface that is made from its rim.
fn fill_areas<T: Height, S: Surface>(
    values: &mut [T],
    runs: &Runs,
    costs: Costs,
    progress: &mut Progress<'_>,
    surface_of: impl Fn(&[RimSample], &mut Progress<'_>) -> ControlFlow<(), S>,
) -> ControlFlow<()> {
    let areas = Areas::of(runs, progress)?;
    progress.expect(runs.voids());
    let (mut rim, mut places, mut heights) = (Vec::new(), Vec::new(), Vec::new());
    for area in areas.iter() {
        runs.rim(area, &mut rim, progress)?;
        // Only a map of nothing but voids has an area without a rim.
        let origin = rim[0];
        let steps = |index: u32| {
            let (from, to) = (runs.place(origin), runs.place(index));
            DVec2::new(f64::from(to.0) - f64::from(from.0), f64::from(to.1) - f64::from(from.1))
        };
        let sample = |&index: &u32| RimSample { steps: steps(index), height: values[index as usize].value() };
        let mut samples = Vec::with_capacity(rim.len());
        progress.each(&rim, |index| samples.push(sample(index)))?;
        // A void looks at no more than its whole rim.
        let cost = costs.void.min(5 * rim.len() as u64);
        let surface = surface_of(&samples, progress)?;
        drop(samples);
        let mut fill = |batch: &[u32]| {
            places.clear();
            places.extend(batch.iter().map(|&index| steps(index)));
            heights_of(&surface, &places, &mut heights);
            for (&index, &height) in batch.iter().zip(&heights) {
                let height = T::nearest(height);
                // Sums of heights near the largest number there is are not finite.
                let fits = height.value().is_finite();
                values[index as usize] = if fits { height } else { values[origin as usize] };
            }
            progress.done(batch.len());
            progress.spend(cost, batch.len().min(SHARE))
        };
        runs.in_tiles(area, SHARE * costs.threads, &mut fill)?;
    }
    ControlFlow::Continue(())
}

/// The heights of a batch of voids: of the first share on this thread, of every other one on a thread of its own.
fn heights_of(surface: &impl Surface, places: &[DVec2], heights: &mut Vec<f64>) {
    heights.clear();
    heights.resize(places.len(), 0.0);
    std::thread::scope(|scope| {
        let mut shares = places.chunks(SHARE).zip(heights.chunks_mut(SHARE));
        let own = shares.next();
        for (places, heights) in shares {
            scope.spawn(move || surface.heights(places, heights));
        }
        if let Some((places, heights)) = own {
            surface.heights(places, heights);
        }
    });
}

#[cfg(test)]
mod tests;
