//! One pass over the values of a file: what a report says about them.

use super::grid::{Height, VoidTest};
use std::collections::HashSet;

/// Extremes, mean, levels and voids of a grid, in the file's own numbers.
pub(super) struct Survey {
    /// Values that are not void.
    pub(super) valid: u64,
    /// Values that are.
    pub(super) voids: u64,
    /// The least valid value.
    pub(super) min: f64,
    /// The greatest valid value.
    pub(super) max: f64,
    /// Index of the first valid value that is the greatest.
    pub(super) max_at: usize,
    /// Mean of the valid values.
    pub(super) mean: f64,
    /// Different valid values, at most 65536.
    pub(super) levels: u32,
}

impl Survey {
    /// Looks at every value; voids are counted and enter nothing else.
    pub(super) fn of<T: Height>(values: &[T], nodata: Option<f64>) -> Self {
        let void = VoidTest::new(nodata);
        let mut levels = Levels::default();
        let mut sum = 0.0;
        let mut survey = Self {
            valid: 0,
            voids: 0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            max_at: 0,
            mean: 0.0,
            levels: 0,
        };
        for (index, &value) in values.iter().enumerate() {
            if void.is(value) {
                survey.voids += 1;
                continue;
            }
            let value = value.value();
            if value > survey.max {
                survey.max = value;
                survey.max_at = index;
            }
            survey.valid += 1;
            survey.min = survey.min.min(value);
            sum += value;
            levels.see(value);
        }
        survey.mean = sum / survey.valid.max(1) as f64;
        survey.levels = levels.count();
        survey
    }
}

/// Counts different values, up to as many as a field can tell apart.
struct Levels {
    last: f64,
    /// Whole numbers that 16 bits hold, signed or not.
    whole: Vec<bool>,
    others: HashSet<u64>,
}

impl Default for Levels {
    fn default() -> Self {
        Self { last: f64::NAN, whole: vec![false; 3 << 15], others: HashSet::new() }
    }
}

impl Levels {
    const MOST: usize = 1 << 16;

    fn see(&mut self, value: f64) {
        if value == self.last {
            return;
        }
        self.last = value;
        let moved = value + 32768.0;
        let index = moved as usize;
        if index < self.whole.len() && index as f64 == moved {
            self.whole[index] = true;
        } else if self.others.len() < Self::MOST {
            self.others.insert(value.to_bits());
        }
    }

    fn count(&self) -> u32 {
        let whole = self.whole.iter().filter(|&&seen| seen).count();
        (whole + self.others.len()).min(Self::MOST) as u32
    }
}

/// True where the values are so much smoother with their bytes swapped that they were probably read in the wrong order.
///
/// The measure is the mean step between neighbours in a row against the whole range, which for a wrong order is near
/// that of noise. A file whose high bytes are constant is as smooth either way and is not suspected.
pub(super) fn looks_swapped(values: &[u16], width: usize) -> bool {
    /// Fewer samples say nothing.
    const ENOUGH: usize = 256;
    /// How much smoother. The wrong order of real terrain is 10 to 100 times as rough.
    const SMOOTHER: f64 = 4.0;
    values.len() >= ENOUGH
        && SMOOTHER * roughness(values, width, u16::swap_bytes) < roughness(values, width, |value| value)
}

fn roughness(values: &[u16], width: usize, order: impl Fn(u16) -> u16) -> f64 {
    let mut steps = 0u64;
    let (mut min, mut max) = (u16::MAX, 0);
    for row in values.chunks_exact(width) {
        let mut last = order(row[0]);
        for value in row.iter().map(|&value| order(value)) {
            steps += u64::from(last.abs_diff(value));
            min = min.min(value);
            max = max.max(value);
            last = value;
        }
    }
    if min < max { steps as f64 / (values.len() as f64 * f64::from(max - min)) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_several_maxima_counts_and_voids_do_not() {
        let survey = Survey::of(&[0u16, 3, 9, 9, 0, 2], Some(0.0));
        assert_eq!((survey.valid, survey.voids, survey.levels), (4, 2, 3));
        assert_eq!((survey.min, survey.max, survey.max_at, survey.mean), (2.0, 9.0, 2, 5.75));
        assert_eq!(Survey::of(&[0u16, 0], None).max_at, 0);
        assert_eq!(Survey::of(&[0u16, 0], Some(0.0)).valid, 0);
        let survey = Survey::of(&[f32::NAN, -0.25, f32::INFINITY, -7.5, -0.25, -9999.0], Some(-9999.0));
        assert_eq!((survey.voids, survey.min, survey.max, survey.max_at), (3, -7.5, -0.25, 1));
        assert_eq!(survey.levels, 2);
    }

    #[test]
    fn levels_are_counted_up_to_what_a_field_tells_apart() {
        let many: Vec<f32> = (0..100_000u32).map(|i| i as f32 * 0.5).collect();
        assert_eq!(Survey::of(&many, None).levels, 65536);
        assert_eq!(Survey::of(&[-40000.0f64, -32768.0, 0.0, -0.0, 65535.0, 65536.0], None).levels, 5);
    }

    #[test]
    fn swapped_hills_are_suspected_and_straight_ones_are_not() {
        let hills: Vec<u16> = (0..64 * 64)
            .map(|i| {
                let (x, z) = (f64::from(i % 64), f64::from(i / 64));
                (30000.0 + 20000.0 * (x * 0.1).sin() * (z * 0.13).cos()) as u16
            })
            .collect();
        let swapped: Vec<u16> = hills.iter().map(|value| value.swap_bytes()).collect();
        assert!(!looks_swapped(&hills, 64));
        assert!(looks_swapped(&swapped, 64));
        let eight_bits: Vec<u16> = hills.iter().map(|value| value & 0xff00).collect();
        assert!(!looks_swapped(&eight_bits, 64), "as smooth either way");
        assert!(!looks_swapped(&[7; 4096], 64));
    }
}
