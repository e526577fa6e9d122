//! The mean of a rim, weighted by the inverse square of the distance, without a look at every sample of it.
//!
//! A binary tree halves the box around the rim (Barnes and Hut 1986, with boxes that fit). A group of samples that is
//! small against its distance is taken as a whole, by the first terms of the series of its weights: their number, and
//! how they and their heights spread around their middle. A void in an area with a rim of n samples looks at about log n
//! groups, and voids beside each other look at them together. Where the rim is a handful of samples the mean is exact; elsewhere it is off by less than a thousandth of the
//! difference between the rim's lowest and highest height where heights are noise, and by less than a ten-thousandth
//! where ground is smooth.

use super::progress::{PART, Progress};
use super::{RimSample, Surface};
use glam::DVec2;
use std::ops::{ControlFlow, Range};

/// How small a group must be against its distance: its radius divided by that.
const OPENING: f64 = 0.2;
/// Samples of a group that is not divided.
const LEAF: usize = 16;
/// A group that holds more than one of so many samples of the rim is never taken as a whole: its error would be that of
/// the mean. In the middle of an area no such group is small enough; far from a rim that lies on one side it would be.
const PARTS: usize = 16;
/// Places that are looked at together, and columns between the first and the last of them.
const LANES: usize = 8;
const SPAN: f64 = 16.0;

/// The samples of a rim in groups.
pub(super) struct Tree {
    cell: DVec2,
    samples: Vec<Sample>,
    /// A group comes before its two halves, which come before the next.
    groups: Vec<Group>,
    lowest: f64,
    highest: f64,
}

#[derive(Clone, Copy)]
struct Sample {
    at: DVec2,
    height: f64,
}

/// A symmetric matrix.
#[derive(Clone, Copy, Default)]
struct Squares {
    xx: f64,
    xz: f64,
    zz: f64,
}

struct Group {
    middle: DVec2,
    /// The distance from which the group is taken as a whole.
    far: f64,
    count: f64,
    /// Σ δ δᵀ, δ being a sample's way from the middle. Σ δ is 0.
    spread: Squares,
    /// Σ h, Σ h δ and Σ h δ δᵀ, h being a sample's height.
    height: f64,
    height_lean: DVec2,
    height_spread: Squares,
    samples: Range<u32>,
    /// The group after this one and its halves.
    next: u32,
    divided: bool,
}

impl Tree {
    /// The tree of a rim of at least one sample.
    pub(super) fn of(rim: &[RimSample], cell: DVec2, progress: &mut Progress<'_>) -> ControlFlow<(), Self> {
        let mut tree = Self {
            cell,
            samples: Vec::with_capacity(rim.len()),
            groups: Vec::new(),
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
        };
        progress.each(rim, |sample| {
            tree.lowest = tree.lowest.min(sample.height);
            tree.highest = tree.highest.max(sample.height);
            tree.samples.push(Sample { at: sample.steps * cell, height: sample.height });
        })?;
        tree.divide(0..rim.len(), progress)?;
        ControlFlow::Continue(tree)
    }

    /// Adds the group of these samples and all within it.
    fn divide(&mut self, range: Range<usize>, progress: &mut Progress<'_>) -> ControlFlow<()> {
        let (number, count) = (self.groups.len(), self.samples.len());
        let samples = &mut self.samples[range.clone()];
        let hull = Hull::of(samples, progress)?;
        let mut group = Group::of(samples, hull.middle, progress)?;
        group.samples = range.start as u32..range.end as u32;
        group.divided = samples.len() > LEAF;
        if samples.len() * PARTS > count {
            group.far = f64::INFINITY;
        }
        let divided = group.divided;
        self.groups.push(group);
        if divided {
            let half = range.start + hull.halve(samples, progress)?;
            self.divide(range.start..half, progress)?;
            self.divide(half..range.end, progress)?;
        }
        self.groups[number].next = self.groups.len() as u32;
        ControlFlow::Continue(())
    }

    /// The means at a few places near each other where no sample of the rim is. All of them look at the same groups.
    fn means(&self, places: &mut Places) {
        let mut number = 0;
        while let Some(group) = self.groups.get(number) {
            let far = group.far + places.radius;
            if places.middle.distance_squared(group.middle) > far * far {
                group.pull(places);
            } else if group.divided {
                number += 1;
                continue;
            } else {
                for sample in &self.samples[group.samples.start as usize..group.samples.end as usize] {
                    places.add(sample);
                }
            }
            number = group.next as usize;
        }
    }
}

impl Surface for Tree {
    fn heights(&self, steps: &[DVec2], heights: &mut [f64]) {
        let mut from = 0;
        while from < steps.len() {
            let first = steps[from];
            let near = |place: &&DVec2| place.y == first.y && place.x - first.x < SPAN;
            let end = from + steps[from..].iter().take(LANES).take_while(near).count();
            let mut places = Places::of(&steps[from..end], self.cell);
            self.means(&mut places);
            for (lane, height) in heights[from..end].iter_mut().enumerate() {
                // The terms that are left out may lead out of the range by a little.
                *height = (places.heights[lane] / places.weights[lane]).clamp(self.lowest, self.highest);
            }
            from = end;
        }
    }
}

/// A few places of voids in metres, and sums of weights, and of weights times heights, for each.
struct Places {
    middle: DVec2,
    /// How far the places are from the middle at most.
    radius: f64,
    x: [f64; LANES],
    z: [f64; LANES],
    weights: [f64; LANES],
    heights: [f64; LANES],
}

impl Places {
    /// Places in one row, west to east. Where they are few, the last counts for those that are missing.
    fn of(steps: &[DVec2], cell: DVec2) -> Self {
        let (first, last) = (steps[0] * cell, steps[steps.len() - 1] * cell);
        let at = |lane: usize| steps[lane.min(steps.len() - 1)] * cell;
        Self {
            middle: first.midpoint(last),
            radius: 0.5 * first.distance(last),
            x: std::array::from_fn(|lane| at(lane).x),
            z: std::array::from_fn(|lane| at(lane).y),
            weights: [0.0; LANES],
            heights: [0.0; LANES],
        }
    }

    fn add(&mut self, sample: &Sample) {
        for lane in 0..LANES {
            let (x, z) = (self.x[lane] - sample.at.x, self.z[lane] - sample.at.y);
            let weight = 1.0 / (x * x + z * z);
            self.weights[lane] += weight;
            self.heights[lane] += weight * sample.height;
        }
    }
}

/// Where the samples of a group lie.
struct Hull {
    low: DVec2,
    high: DVec2,
    /// The mean of their places.
    middle: DVec2,
}

impl Hull {
    fn of(samples: &[Sample], progress: &mut Progress<'_>) -> ControlFlow<(), Self> {
        let (mut low, mut high) = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        let mut sum = DVec2::ZERO;
        progress.each(samples, |sample| {
            (low, high, sum) = (low.min(sample.at), high.max(sample.at), sum + sample.at);
        })?;
        ControlFlow::Continue(Self { low, high, middle: sum / samples.len() as f64 })
    }

    /// Puts the samples of one half of the box before those of the other, and returns how many they are. Neither half is
    /// without any, because the box fits: no two samples are in one place.
    fn halve(&self, samples: &mut [Sample], progress: &mut Progress<'_>) -> ControlFlow<(), usize> {
        let axis = usize::from((self.high - self.low).x < (self.high - self.low).y);
        let border = self.low[axis] + 0.5 * (self.high - self.low)[axis];
        let mut half = 0;
        for start in (0..samples.len()).step_by(PART) {
            let end = samples.len().min(start + PART);
            for index in start..end {
                if samples[index].at[axis] < border {
                    samples.swap(index, half);
                    half += 1;
                }
            }
            progress.spend(5, end - start)?;
        }
        ControlFlow::Continue(half)
    }
}

impl Group {
    /// A group that is not divided yet. Where its samples are is left to the caller.
    fn of(samples: &[Sample], middle: DVec2, progress: &mut Progress<'_>) -> ControlFlow<(), Self> {
        let mut group = Self {
            middle,
            far: 0.0,
            count: samples.len() as f64,
            spread: Squares::default(),
            height: 0.0,
            height_lean: DVec2::ZERO,
            height_spread: Squares::default(),
            samples: 0..0,
            next: 0,
            divided: false,
        };
        progress.each(samples, |sample| group.add(sample))?;
        ControlFlow::Continue(group)
    }

    fn add(&mut self, sample: &Sample) {
        let way = sample.at - self.middle;
        self.far = self.far.max(way.length() / OPENING);
        self.spread.add(way, 1.0);
        self.height += sample.height;
        self.height_lean += sample.height * way;
        self.height_spread.add(way, sample.height);
    }

    /// Adds the sums of the weights, and of the weights times the heights.
    ///
    /// With t for the way from the middle to a place and δ for that to a sample, 1 / |t − δ|² = 1/t² + 2 t·δ / t⁴ +
    /// 4 (t·δ)² / t⁶ − δ² / t⁴ + …
    fn pull(&self, places: &mut Places) {
        for lane in 0..LANES {
            let (x, z) = (places.x[lane] - self.middle.x, places.z[lane] - self.middle.y);
            let inverse = 1.0 / (x * x + z * z);
            let second = |sum: &Squares| {
                let along = x * x * sum.xx + 2.0 * x * z * sum.xz + z * z * sum.zz;
                (4.0 * inverse * along - (sum.xx + sum.zz)) * inverse * inverse
            };
            let first = 2.0 * inverse * inverse * (x * self.height_lean.x + z * self.height_lean.y);
            places.weights[lane] += self.count * inverse + second(&self.spread);
            places.heights[lane] += self.height * inverse + first + second(&self.height_spread);
        }
    }
}

impl Squares {
    /// Adds `times` the square of a way.
    fn add(&mut self, way: DVec2, times: f64) {
        self.xx += times * way.x * way.x;
        self.xz += times * way.x * way.y;
        self.zz += times * way.y * way.y;
    }
}

#[cfg(test)]
mod tests {
    use super::super::progress::unstopped;
    use super::*;
    use proptest::prelude::*;

    fn exact(rim: &[RimSample], cell: DVec2, at: DVec2) -> f64 {
        let weights = rim.iter().map(|sample| 1.0 / at.distance_squared(sample.steps * cell));
        let sum = weights.clone().sum::<f64>();
        weights.zip(rim).map(|(weight, sample)| weight * sample.height).sum::<f64>() / sum
    }

    /// The largest error against the exact mean, in parts of the rim's range.
    fn error(rim: &[RimSample], cell: DVec2, places: impl Iterator<Item = DVec2>) -> f64 {
        let tree = unstopped(|progress| Tree::of(rim, cell, progress));
        let places: Vec<_> = places.filter(|place| rim.iter().all(|sample| sample.steps != *place)).collect();
        let mut heights = vec![0.0; places.len()];
        tree.heights(&places, &mut heights);
        let errors = places
            .iter()
            .zip(heights)
            .map(|(&place, height)| (height - exact(rim, cell, place * cell)).abs());
        // Samples of one height leave nothing to be wrong about.
        errors.fold(0.0, f64::max) / (tree.highest - tree.lowest).max(1e-9)
    }

    fn square(side: u32, height: impl Fn(f64, f64) -> f64) -> Vec<RimSample> {
        let border = (0..side * side).map(|index| (index % side, index / side));
        border
            .filter(|&(x, z)| x % (side - 1) == 0 || z % (side - 1) == 0)
            .map(|(x, z)| (f64::from(x), f64::from(z)))
            .map(|(x, z)| RimSample { steps: DVec2::new(x, z), height: height(x, z) })
            .collect()
    }

    #[test]
    fn smooth_ground_is_filled_to_a_ten_thousandth() {
        let rim = square(301, |x, z| 700.0 + 200.0 * (x * 0.02).sin() - 150.0 * (z * 0.013).cos());
        let places =
            (0..3000).map(|i| DVec2::new(f64::from(1 + i * 7919 % 299), f64::from(1 + i * 104_729 % 299)));
        let error = error(&rim, DVec2::new(1.0, 0.7), places);
        assert!(error < 1e-4, "{error}");
    }

    #[test]
    fn a_leaf_is_exact() {
        let rim = square(5, |x, z| x * 3.0 - z * z);
        assert_eq!(rim.len(), LEAF);
        let places = (1..4).flat_map(|z| (1..4).map(move |x| DVec2::new(f64::from(x), f64::from(z))));
        assert!(error(&rim, DVec2::ONE, places) < 1e-15);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Noise is the worst ground there is, and a rim in a corner the worst rim.
        #[test]
        fn noise_is_filled_to_a_thousandth(
            samples in prop::collection::btree_map((0u32..200, 0u32..200), 0.0f64..1.0, 2..3000),
            places in prop::collection::vec((0u32..400, 0u32..400), 100),
            side in 2u32..=200,
            aspect in 0.2f64..1.0,
        ) {
            let steps = |x: u32, z: u32| DVec2::new(f64::from(x), f64::from(z));
            let rim: Vec<_> = samples
                .iter()
                .filter(|&(&(x, z), _)| x < side && z < side)
                .map(|(&(x, z), &height)| RimSample { steps: steps(x, z), height })
                .collect();
            prop_assume!(!rim.is_empty());
            let error = error(&rim, DVec2::new(aspect, 1.0), places.into_iter().map(|(x, z)| steps(x, z)));
            prop_assert!(error < 1e-3, "{error}");
        }
    }
}
