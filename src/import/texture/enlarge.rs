//! A plane made as large as another: a line between the centres of texels, across the edge to the other side, because
//! textures of the ground repeat.

use super::{Failure, Stop};

/// Resamples a plane to a size that is no smaller.
pub(super) fn enlarge(
    plane: &[u8],
    [width, height]: [u32; 2],
    [to_width, to_height]: [u32; 2],
    stop: Stop<'_>,
) -> Result<Vec<u8>, Failure> {
    let columns: Vec<_> = (0..to_width).map(|index| taps(index, width, to_width)).collect();
    let row = |z: u32| &plane[z as usize * width as usize..][..width as usize];
    let mut texels = Vec::with_capacity(to_width as usize * to_height as usize);
    for index in 0..to_height {
        if index % 64 == 0 {
            stop.go_on()?;
        }
        let (north, south, down) = taps(index, height, to_height);
        let (north, south) = (row(north), row(south));
        for &(west, east, across) in &columns {
            let mix = |row: &[u8]| {
                let (west, east) = (f32::from(row[west as usize]), f32::from(row[east as usize]));
                west + across * (east - west)
            };
            let (north, south) = (mix(north), mix(south));
            texels.push((north + down * (south - north)).round() as u8);
        }
    }
    Ok(texels)
}

/// The two texels of a side that a texel of another is between, and how far it is from the first toward the second.
fn taps(index: u32, from: u32, to: u32) -> (u32, u32, f32) {
    let place = (f64::from(index) + 0.5) * f64::from(from) / f64::from(to) - 0.5;
    let first = place.floor();
    let around = |texel: i64| texel.rem_euclid(i64::from(from)) as u32;
    (around(first as i64), around(first as i64 + 1), (place - first) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enlarged(plane: &[u8], from: [u32; 2], to: [u32; 2]) -> Vec<u8> {
        enlarge(plane, from, to, Stop(&|| false)).unwrap_or_else(|_| panic!("it was not told to stop"))
    }

    #[test]
    fn the_same_size_is_the_same() {
        let plane: Vec<u8> = (0..35).map(|index| index * 7).collect();
        assert_eq!(enlarged(&plane, [7, 5], [7, 5]), plane);
    }

    #[test]
    fn edges_meet_the_other_side() {
        assert_eq!(enlarged(&[0, 100], [2, 1], [4, 1]), [25, 25, 75, 75]);
        assert_eq!(enlarged(&[9], [1, 1], [3, 4]), [9; 12]);
        // Around and around it has the same mean.
        let wide = enlarged(&[10, 90, 50], [3, 1], [12, 1]);
        assert_eq!(wide.iter().map(|&value| u32::from(value)).sum::<u32>(), 12 * 50);
    }
}
