//! Heights for voids that stay holes: something harmless below them.

use super::mask::Mask;

/// Gives every void a height from its nearest valid samples: ring by ring from the rim of each void area inwards, each
/// the mean of the neighbours that have one. A mean lies between the heights it is made from, so a void enters no
/// minimum, no maximum, no bound and no normal as anything but its surroundings.
///
/// Where every sample is void nothing is changed.
pub(super) fn smooth_below_holes(codes: &mut [u16], width: usize, voids: &Mask) {
    let height = codes.len() / width;
    let mut open = voids.clone();
    let mut heights = Vec::new();
    let mut ring: Vec<u32> = voids
        .iter()
        .map(|index| index as u32)
        .filter(|&index| neighbours(index, width, height).any(|near| !open.has(near)))
        .collect();
    while !ring.is_empty() {
        heights.clear();
        heights.extend(ring.iter().map(|&index| {
            let (mut sum, mut count) = (0u32, 0u32);
            for near in neighbours(index, width, height).filter(|&near| !open.has(near)) {
                sum += u32::from(codes[near]);
                count += 1;
            }
            // Every sample of a ring touches one that has a height.
            (sum / count) as u16
        }));
        for (&index, &height) in ring.iter().zip(&heights) {
            codes[index as usize] = height;
            open.remove(index as usize);
        }
        let mut next: Vec<u32> = ring
            .iter()
            .flat_map(|&index| neighbours(index, width, height))
            .filter(|&near| open.has(near))
            .map(|near| near as u32)
            .collect();
        next.sort_unstable();
        next.dedup();
        ring = next;
    }
}

/// The up to eight samples around one.
fn neighbours(index: u32, width: usize, height: usize) -> impl Iterator<Item = usize> {
    let (x, z) = (index as usize % width, index as usize / width);
    let columns = x.saturating_sub(1)..=(x + 1).min(width - 1);
    let rows = z.saturating_sub(1)..=(z + 1).min(height - 1);
    rows.flat_map(move |z| columns.clone().map(move |x| z * width + x))
        .filter(move |&near| near != index as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(mut values: Vec<u16>, width: usize) -> Vec<u16> {
        let voids = Mask::of(values.iter().map(|&value| value == 0));
        smooth_below_holes(&mut values, width, &voids);
        values
    }

    fn mask(samples: usize, voids: &[usize]) -> Mask {
        Mask::of((0..samples).map(|index| voids.contains(&index)))
    }

    #[test]
    fn one_void_is_the_mean_around_it() {
        assert_eq!(filled(vec![10, 20, 10, 20, 0, 20, 10, 20, 10], 3)[4], 15);
        assert_eq!(filled(vec![0, 8, 4, 6], 2), [6, 8, 4, 6]);
    }

    #[test]
    fn a_wide_area_is_filled_from_both_sides() {
        assert_eq!(filled(vec![5, 0, 0, 0, 0, 9, 5, 0, 0, 0, 0, 9], 6), [5, 5, 5, 9, 9, 9, 5, 5, 5, 9, 9, 9]);
    }

    #[test]
    fn no_fill_leaves_the_range_of_the_valid_samples() {
        let mut values: Vec<u16> = (0..40 * 30).map(|i: u32| (i * 7919 % 1000 + 500) as u16).collect();
        for z in 5..25 {
            for x in 5..35 {
                values[z * 40 + x] = 0;
            }
        }
        assert!(filled(values, 40).iter().all(|&value| (500..1500).contains(&value)));
    }

    #[test]
    fn a_height_that_equals_the_void_code_is_a_height() {
        let mut codes = vec![6, 7, 7, 8, 6, 7, 7, 8];
        smooth_below_holes(&mut codes, 4, &mask(8, &[1, 2, 5, 6]));
        assert_eq!(codes, [6, 6, 8, 8, 6, 6, 8, 8]);
        smooth_below_holes(&mut codes, 4, &Mask::default());
        let mut codes = vec![6, 7, 8, 6, 7, 8];
        smooth_below_holes(&mut codes, 3, &mask(6, &[1, 4]));
        assert_eq!(codes, [6, 7, 8, 6, 7, 8], "filled with what they were, and it ends");
    }

    #[test]
    fn only_voids_stay_as_they_are() {
        assert_eq!(filled(vec![0; 12], 4), [0; 12]);
    }
}
