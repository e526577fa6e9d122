//! Whether a picture has a hole in the ground, judged column by column.

use landform_harness::Image8;

/// What an undrawn pixel is: the target's clear colour, which no ground has.
const MAGENTA: [u8; 4] = [255, 0, 255, 255];

/// The magenta pixels that have a ground pixel somewhere above them in their column, top to bottom, left to right.
///
/// A view of [`look_level`](crate::look_level) from above the ground and inside the map sees a heightfield as one run
/// of ground from the horizon down in every column, so that each of these pixels is a crack. Exact: whatever is not
/// magenta is ground.
pub fn magenta_below_ground(picture: &Image8) -> Vec<(u32, u32)> {
    let mut ground_above = vec![false; picture.width as usize];
    let mut found = Vec::new();
    for (index, pixel) in picture.pixels().enumerate() {
        let x = index % picture.width as usize;
        if pixel != MAGENTA {
            ground_above[x] = true;
        } else if ground_above[x] {
            found.push((x as u32, (index / picture.width as usize) as u32));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crack_is_found_and_sky_is_not() {
        let mut picture = Image8::filled(3, 4, MAGENTA);
        assert!(magenta_below_ground(&picture).is_empty(), "no ground at all");
        let mut paint = |x: usize, y: usize| picture.data[4 * (y * 3 + x)] = 0;
        for (x, y) in [(0, 2), (0, 3), (1, 0), (1, 3), (2, 3)] {
            paint(x, y);
        }
        assert_eq!(magenta_below_ground(&picture), [(1, 1), (1, 2)]);
    }
}
