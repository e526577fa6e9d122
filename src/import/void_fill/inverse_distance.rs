//! The mean of a rim, weighted by the inverse square of the distance, without a look at every sample of it.
//!
//! A binary tree halves the rim (Barnes and Hut 1986, with boxes that fit). A group of samples that is small against
//! its distance is taken as a whole, by the first terms of the series of its weights: their number, and how they and
//! their heights spread around their middle. A void in an area with a rim of n samples looks at about log n groups.
//! Where the rim is a handful of samples the mean is exact; elsewhere it is off by less than a thousandth of the
//! difference between the rim's lowest and highest height where heights are noise, and by less than a ten-thousandth
//! where ground is smooth.

use super::RimSample;
use glam::{DMat2, DVec2};
use std::ops::Range;

/// How small a group must be against its distance: its radius divided by that.
const OPENING: f64 = 0.2;
/// Samples of a group that is not divided.
const LEAF: usize = 16;
/// A group that holds more than one of so many samples of the rim is never taken as a whole: its error would be that of
/// the mean. In the middle of an area no such group is small enough; far from a rim that lies on one side it would be.
const PARTS: usize = 16;

/// The samples of a rim in groups.
pub(super) struct Tree {
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

struct Group {
    middle: DVec2,
    /// The square of the distance from which the group is taken as a whole.
    far: f64,
    count: f64,
    /// Σ δ δᵀ, δ being a sample's way from the middle. Σ δ is 0.
    spread: DMat2,
    /// Σ h, Σ h δ and Σ h δ δᵀ, h being a sample's height.
    height: f64,
    height_lean: DVec2,
    height_spread: DMat2,
    samples: Range<u32>,
    /// The group after this one and its halves.
    next: u32,
    divided: bool,
}

impl Tree {
    /// The tree of a rim of at least one sample.
    pub(super) fn of(rim: Vec<RimSample>, cell: DVec2) -> Self {
        let samples = rim.iter().map(|sample| Sample { at: sample.steps * cell, height: sample.height });
        let heights = || rim.iter().map(|sample| sample.height);
        let mut tree = Self {
            samples: samples.collect(),
            groups: Vec::new(),
            lowest: heights().fold(f64::INFINITY, f64::min),
            highest: heights().fold(f64::NEG_INFINITY, f64::max),
        };
        tree.divide(0..rim.len());
        tree
    }

    /// Adds the group of these samples and all within it.
    fn divide(&mut self, range: Range<usize>) {
        let (number, count) = (self.groups.len(), self.samples.len());
        let samples = &mut self.samples[range.clone()];
        let divided = samples.len() > LEAF;
        let mut group =
            Group { samples: range.start as u32..range.end as u32, divided, ..Group::of(samples) };
        if samples.len() * PARTS > count {
            group.far = f64::INFINITY;
        }
        self.groups.push(group);
        if divided {
            let low = samples.iter().fold(DVec2::INFINITY, |low, sample| low.min(sample.at));
            let high = samples.iter().fold(DVec2::NEG_INFINITY, |high, sample| high.max(sample.at));
            let axis = usize::from((high - low).x < (high - low).y);
            let half = samples.len() / 2;
            samples.select_nth_unstable_by(half, |a, b| a.at[axis].total_cmp(&b.at[axis]));
            self.divide(range.start..range.start + half);
            self.divide(range.start + half..range.end);
        }
        self.groups[number].next = self.groups.len() as u32;
    }

    /// The mean at a place where no sample of the rim is.
    pub(super) fn height(&self, at: DVec2) -> f64 {
        let (mut weights, mut heights) = (0.0, 0.0);
        let mut number = 0;
        while let Some(group) = self.groups.get(number) {
            let way = at - group.middle;
            let square = way.length_squared();
            if square > group.far {
                let (weight, height) = group.pull(way, 1.0 / square);
                weights += weight;
                heights += height;
            } else if group.divided {
                number += 1;
                continue;
            } else {
                for sample in &self.samples[group.samples.start as usize..group.samples.end as usize] {
                    let weight = 1.0 / at.distance_squared(sample.at);
                    weights += weight;
                    heights += weight * sample.height;
                }
            }
            number = group.next as usize;
        }
        // The terms that are left out may lead out of the range by a little.
        (heights / weights).clamp(self.lowest, self.highest)
    }
}

impl Group {
    /// A group that is not divided yet. Where its samples are is left to the caller.
    fn of(samples: &[Sample]) -> Self {
        let count = samples.len() as f64;
        let middle = samples.iter().map(|sample| sample.at).sum::<DVec2>() / count;
        let mut group = Self {
            middle,
            far: 0.0,
            count,
            spread: DMat2::ZERO,
            height: 0.0,
            height_lean: DVec2::ZERO,
            height_spread: DMat2::ZERO,
            samples: 0..0,
            next: 0,
            divided: false,
        };
        for sample in samples {
            let way = sample.at - middle;
            let square = DMat2::from_cols(way * way.x, way * way.y);
            group.far = group.far.max(way.length_squared() / (OPENING * OPENING));
            group.spread += square;
            group.height += sample.height;
            group.height_lean += sample.height * way;
            group.height_spread += sample.height * square;
        }
        group
    }

    /// The sum of the weights, and of the weights times the heights, at a place that is `way` from the middle.
    /// `inverse` is the inverse of the square of its length.
    ///
    /// With t for the way and δ for that of a sample, 1 / |t − δ|² = 1/t² + 2 t·δ / t⁴ + 4 (t·δ)² / t⁶ − δ² / t⁴ + …
    fn pull(&self, way: DVec2, inverse: f64) -> (f64, f64) {
        let second = |spread: &DMat2| {
            let trace = spread.x_axis.x + spread.y_axis.y;
            (4.0 * inverse * way.dot(*spread * way) - trace) * inverse * inverse
        };
        let first = 2.0 * inverse * inverse * way.dot(self.height_lean);
        (
            self.count * inverse + second(&self.spread),
            self.height * inverse + first + second(&self.height_spread),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn exact(rim: &[RimSample], cell: DVec2, at: DVec2) -> f64 {
        let weights = rim.iter().map(|sample| 1.0 / at.distance_squared(sample.steps * cell));
        let sum = weights.clone().sum::<f64>();
        weights.zip(rim).map(|(weight, sample)| weight * sample.height).sum::<f64>() / sum
    }

    /// The largest error against the exact mean, in parts of the rim's range.
    fn error(rim: &[RimSample], cell: DVec2, places: impl Iterator<Item = DVec2>) -> f64 {
        let tree = Tree::of(rim.to_vec(), cell);
        let errors = places
            .filter(|place| rim.iter().all(|sample| sample.steps != *place))
            .map(|place| (tree.height(place * cell) - exact(rim, cell, place * cell)).abs());
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
