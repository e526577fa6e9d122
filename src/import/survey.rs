//! One pass over the values of a file: what a report says about them.

use super::values::{Height, VoidTest};

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
    /// Different valid values, at most 65536. Of types with more than 16 bits those count as one that lie in one of 65536
    /// steps between the least and the greatest, and of more than a million values a part is looked at: there are no less.
    pub(super) levels: u32,
    /// From the least value to the next, and from the last but one to the greatest, as parts of all between the two ends.
    pub(super) gaps: [f64; 2],
}

/// Values that are looked at together while they are in the cache.
const CHUNK: usize = 4096;
/// Sums and extremes that are kept side by side: one would wait for itself.
const LANES: usize = 8;

impl Survey {
    /// Looks at every value; voids are counted and enter nothing else.
    pub(super) fn of<T: Height>(values: &[T], nodata: &[f64]) -> Self {
        let void = VoidTest::new(nodata);
        let mut seen = T::IS_SMALL.then(|| vec![false; 1 << 16]);
        let mut survey = Self {
            valid: 0,
            voids: 0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            max_at: 0,
            mean: 0.0,
            levels: 0,
            gaps: [0.0; 2],
        };
        let mut sum = 0.0;
        let mut valid = Vec::new();
        for (index, chunk) in values.chunks(CHUNK).enumerate() {
            let voids = void.count(chunk);
            let list = if voids == 0 {
                chunk
            } else {
                valid.clear();
                valid.extend(chunk.iter().copied().filter(|&value| !void.is(value)));
                &valid
            };
            if let Some(seen) = &mut seen {
                list.iter().for_each(|value| seen[usize::from(value.small())] = true);
            }
            let part = Part::of(list);
            if part.max > survey.max {
                let found = chunk.iter().position(|&value| !void.is(value) && value.value() == part.max);
                (survey.max, survey.max_at) = (part.max, index * CHUNK + found.unwrap_or(0));
            }
            survey.min = survey.min.min(part.min);
            survey.valid += list.len() as u64;
            survey.voids += voids as u64;
            sum += part.sum;
        }
        survey.mean = sum / survey.valid.max(1) as f64;
        if !survey.mean.is_finite() {
            // Numbers so large that only their sum is none: a power of two less, exactly, and as much more in the end.
            const LESS: f64 = 1.0 / (1u64 << 60) as f64;
            let valid = values.iter().filter(|&&value| !void.is(value));
            let sum: f64 = valid.map(|value| value.value() * LESS).sum();
            survey.mean = sum / survey.valid.max(1) as f64 / LESS;
        }
        let seen = match seen {
            Some(seen) => in_order::<T>(&seen, survey.min, survey.max),
            None => steps_between(values, &void, survey.min, survey.max),
        };
        survey.levels = seen.iter().filter(|&&seen| seen).count() as u32;
        let last = seen.len().saturating_sub(1).max(1) as f64;
        let next = seen.iter().skip(1).position(|&seen| seen).map_or(0.0, |between| (between + 1) as f64);
        let before =
            seen.iter().rev().skip(1).position(|&seen| seen).map_or(0.0, |between| (between + 1) as f64);
        survey.gaps = [next / last, before / last];
        survey
    }
}

/// Which of the whole numbers between two ends there are.
fn in_order<T: Height>(seen: &[bool], min: f64, max: f64) -> Vec<bool> {
    let count = if min <= max { (max - min) as usize + 1 } else { 0 };
    (0..count).map(|step| seen[usize::from(T::nearest(min + step as f64).small())]).collect()
}

/// Sum and extremes of some valid values.
struct Part {
    sum: f64,
    min: f64,
    max: f64,
}

impl Part {
    fn of<T: Height>(list: &[T]) -> Self {
        let mut sums = [0.0; LANES];
        let mut least = [f64::INFINITY; LANES];
        let mut most = [f64::NEG_INFINITY; LANES];
        let (lanes, rest) = list.as_chunks::<LANES>();
        let mut see = |lane: usize, value: f64| {
            sums[lane] += value;
            least[lane] = if value < least[lane] { value } else { least[lane] };
            most[lane] = if value > most[lane] { value } else { most[lane] };
        };
        for values in lanes {
            (0..LANES).for_each(|lane| see(lane, values[lane].value()));
        }
        rest.iter().enumerate().for_each(|(lane, value)| see(lane, value.value()));
        Self {
            sum: sums.iter().sum(),
            min: least.into_iter().fold(f64::INFINITY, f64::min),
            max: most.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

/// Which of the 65536 steps between two heights have a value in them, of a large map in what is looked at of it.
fn steps_between<T: Height>(values: &[T], void: &VoidTest<T>, min: f64, max: f64) -> Vec<bool> {
    // As many tell what they would all.
    const ENOUGH: usize = 1 << 20;
    if min >= max {
        return vec![true; usize::from(min == max)];
    }
    let mut seen = vec![false; 1 << 16];
    (seen[0], seen[65535]) = (true, true);
    let steps = 65535.0 / (max - min);
    // An odd number, so that of a map as wide as a power of two not only some columns are looked at.
    for &value in values.iter().step_by((values.len() / ENOUGH) | 1) {
        // The cast clamps, which keeps a void inside, whose step is not marked.
        let step = ((value.value() - min) * steps + 0.5) as u16;
        seen[usize::from(step)] |= !void.is(value);
    }
    seen
}

/// Fewer samples say nothing of what they should be.
const ENOUGH: usize = 256;

/// True where samples are so much smoother when they are read another way that they were probably read in the wrong one:
/// with their bytes swapped, or with a sign.
///
/// The measure is the mean step between neighbours in a row against the whole range, which for a wrong order is near
/// that of noise. A file whose high bytes are constant is as smooth either way and is not suspected.
pub(super) fn is_smoother<T: Copy>(
    values: &[T],
    width: usize,
    read: impl Fn(T) -> f64,
    other: impl Fn(T) -> f64,
) -> bool {
    /// How much smoother. The wrong order of real terrain is 10 to 100 times as rough.
    const SMOOTHER: f64 = 4.0;
    values.len() >= ENOUGH && SMOOTHER * roughness(values, width, other) < roughness(values, width, read)
}

fn roughness<T: Copy>(values: &[T], width: usize, read: impl Fn(T) -> f64) -> f64 {
    let (mut steps, mut count) = (0.0, 0usize);
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    for row in some_rows(values, width) {
        let mut last = read(row[0]);
        for value in row.iter().map(|&value| read(value)) {
            steps += (value - last).abs();
            (min, max) = (value.min(min), value.max(max));
            last = value;
        }
        count += row.len();
    }
    if min < max { steps / (count as f64 * (max - min)) } else { 0.0 }
}

/// The part of some samples for which a test is true.
pub(super) fn part_of<T: Copy>(values: &[T], width: usize, test: impl Fn(T) -> bool) -> f64 {
    let (mut found, mut count) = (0usize, 0usize);
    for row in some_rows(values, width) {
        found += row.iter().filter(|&&value| test(value)).count();
        count += row.len();
    }
    found as f64 / count.max(1) as f64
}

/// Rows all over a map, as many as tell what all of them would.
fn some_rows<T>(values: &[T], width: usize) -> impl Iterator<Item = &[T]> {
    const ROWS: usize = 256;
    values.chunks_exact(width).step_by((values.len() / width / ROWS).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_several_maxima_counts_and_voids_do_not() {
        let survey = Survey::of(&[0u16, 3, 9, 9, 0, 2], &[0.0]);
        assert_eq!((survey.valid, survey.voids, survey.levels), (4, 2, 3));
        assert_eq!((survey.min, survey.max, survey.max_at, survey.mean), (2.0, 9.0, 2, 5.75));
        assert_eq!(Survey::of(&[0u16, 0], &[]).max_at, 0);
        assert_eq!(Survey::of(&[0u16, 0], &[0.0]).valid, 0);
        let survey = Survey::of(&[f32::NAN, -0.25, f32::INFINITY, -7.5, -0.25, -9999.0], &[-9999.0]);
        assert_eq!((survey.voids, survey.min, survey.max, survey.max_at), (3, -7.5, -0.25, 1));
        assert_eq!(survey.levels, 2);
    }

    #[test]
    fn levels_are_counted_up_to_what_a_field_tells_apart() {
        let many: Vec<f32> = (0..100_000u32).map(|i| i as f32 * 0.5).collect();
        assert_eq!(Survey::of(&many, &[]).levels, 65536);
        assert_eq!(Survey::of(&[-40000.0f64, -32768.0, 0.0, -0.0, 65535.0, 70000.0], &[]).levels, 5);
        assert_eq!(Survey::of(&[-1i16, 0, 1, i16::MIN, i16::MAX, -1], &[]).levels, 5);
        assert_eq!(Survey::of(&[2.5f32; 9], &[]).levels, 1);
    }

    #[test]
    fn a_long_list_is_looked_at_to_its_end() {
        let values: Vec<f32> = (0..3 * CHUNK + 5).map(|i| ((i * 7919) % 10_007) as f32).collect();
        let mut with_voids = values.clone();
        for index in [0, 17, CHUNK, 3 * CHUNK + 4] {
            with_voids[index] = if index % 2 == 0 { f32::NAN } else { -9999.0 };
        }
        for (list, nodata) in [(&values, &[][..]), (&with_voids, &[-9999.0][..])] {
            let valid: Vec<f64> =
                list.iter().filter(|v| v.is_finite() && **v != -9999.0).map(|&v| f64::from(v)).collect();
            let survey = Survey::of(list, nodata);
            let max = valid.iter().copied().fold(f64::MIN, f64::max);
            assert_eq!((survey.valid, survey.voids), (valid.len() as u64, (list.len() - valid.len()) as u64));
            assert_eq!((survey.min, survey.max), (valid.iter().copied().fold(f64::MAX, f64::min), max));
            assert_eq!(survey.max_at, list.iter().position(|&v| f64::from(v) == max).unwrap());
            assert!((survey.mean - valid.iter().sum::<f64>() / valid.len() as f64).abs() < 1e-9);
        }
    }

    #[test]
    fn the_mean_of_the_largest_numbers_is_a_number() {
        let survey = Survey::of(&[f64::MAX, f64::MAX * 0.5, f64::MAX * 0.75], &[]);
        assert!((survey.mean / f64::MAX - 0.75).abs() < 1e-12, "{}", survey.mean);
        let survey = Survey::of(&[-f64::MAX; 9], &[]);
        assert!((survey.mean / f64::MAX + 1.0).abs() < 1e-12, "{}", survey.mean);
    }

    #[test]
    fn what_lies_apart_from_all_else_is_seen() {
        let survey = Survey::of(&[0u16, 5000, 5100, 5200, 10000, 0], &[]);
        assert_eq!((survey.gaps, survey.levels), ([0.5, 0.48], 5));
        let survey = Survey::of(&[-9.0f32, 1.0, 1.5, 2.0], &[]);
        assert!((survey.gaps[0] - 10.0 / 11.0).abs() < 1e-3 && survey.gaps[1] < 0.1);
        assert_eq!(Survey::of(&[7i16; 3], &[]).gaps, [0.0; 2]);
        let mut one_bump = vec![0f32; 3 << 20];
        one_bump[1_500_000] = 50.0;
        assert_eq!(Survey::of(&one_bump, &[]).levels, 2, "both ends are seen whatever is looked at");
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
        let looks_swapped =
            |values: &[u16]| is_smoother(values, 64, f64::from, |v| f64::from(v.swap_bytes()));
        assert!(!looks_swapped(&hills));
        assert!(looks_swapped(&swapped));
        let eight_bits: Vec<u16> = hills.iter().map(|value| value & 0xff00).collect();
        assert!(!looks_swapped(&eight_bits), "as smooth either way");
        assert!(!looks_swapped(&[7; 4096]));
    }
}
