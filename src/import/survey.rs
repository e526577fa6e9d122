//! One pass over the values of a file: what a report says about them.

/// Extremes, levels and voids of a grid.
pub(super) struct Survey {
    /// Values that are not void.
    pub(super) valid: u64,
    /// Values that are.
    pub(super) voids: u64,
    /// The least valid value.
    pub(super) min: u16,
    /// The greatest valid value.
    pub(super) max: u16,
    /// Index of the first valid value that is the greatest.
    pub(super) max_at: usize,
    /// Different valid values.
    pub(super) levels: u32,
}

impl Survey {
    /// Looks at every value; those equal to `void` count as voids and as nothing else.
    pub(super) fn of(values: &[u16], void: Option<u16>) -> Self {
        let mut seen = vec![false; 1 << 16];
        let mut survey = Self { valid: 0, voids: 0, min: u16::MAX, max: 0, max_at: 0, levels: 0 };
        for (index, &value) in values.iter().enumerate() {
            if Some(value) == void {
                survey.voids += 1;
                continue;
            }
            if value > survey.max || survey.valid == 0 {
                survey.max = value;
                survey.max_at = index;
            }
            survey.valid += 1;
            survey.min = survey.min.min(value);
            seen[usize::from(value)] = true;
        }
        survey.levels = seen.iter().map(|&seen| u32::from(seen)).sum();
        survey
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
        let survey = Survey::of(&[0, 3, 9, 9, 0, 2], Some(0));
        assert_eq!((survey.valid, survey.voids, survey.levels), (4, 2, 3));
        assert_eq!((survey.min, survey.max, survey.max_at), (2, 9, 2));
        assert_eq!(Survey::of(&[0, 0], None).max_at, 0);
        assert_eq!(Survey::of(&[0, 0], Some(0)).valid, 0);
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
