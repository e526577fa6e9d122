//! Mips: each texel the mean of the area that it covers. A side that is odd is covered by three texels an output one, with
//! weights that move along it, so that no texel counts more than another. (Guthe and Heckbert, *Non-power-of-two mipmap
//! creation*, 2005.)

use super::data::extent;
use super::{Failure, Stop};

/// A mip whose texels are numbers that may be averaged.
pub(super) struct Level<const N: usize> {
    pub(super) extent: [u32; 2],
    pub(super) texels: Vec<[f32; N]>,
}

/// Every mip below the first: `read` is a texel of mip 0 by its index, `write` turns a mean into bytes. The means are those
/// of mip 0 and not of rounded mips.
pub(super) fn below<const N: usize, const B: usize>(
    [width, height]: [u32; 2],
    read: impl Fn(usize) -> [f32; N],
    write: impl Fn([f32; N]) -> [u8; B],
    stop: Stop<'_>,
) -> Result<Vec<Vec<u8>>, Failure> {
    let mut mips = Vec::new();
    let mut level: Option<Level<N>> = None;
    for mip in 1..count(width, height) {
        let smaller = match &level {
            None => halve([width, height], &read, stop)?,
            Some(level) => halve(level.extent, |index| level.texels[index], stop)?,
        };
        debug_assert_eq!(smaller.extent, extent(width, height, mip));
        mips.push(smaller.texels.iter().flat_map(|&texel| write(texel)).collect());
        level = Some(smaller);
    }
    Ok(mips)
}

/// How many mips a picture has, down to one texel.
pub(super) fn count(width: u32, height: u32) -> usize {
    (u32::BITS - width.max(height).leading_zeros()) as usize
}

fn halve<const N: usize>(
    [width, height]: [u32; 2],
    read: impl Fn(usize) -> [f32; N],
    stop: Stop<'_>,
) -> Result<Level<N>, Failure> {
    let half = extent(width, height, 1);
    let columns: Vec<_> = (0..half[0]).map(|index| taps(width, index)).collect();
    let mut texels = Vec::with_capacity(half[0] as usize * half[1] as usize);
    for row in 0..half[1] {
        if row % 64 == 0 {
            stop.go_on()?;
        }
        let (first_row, down) = taps(height, row);
        for (first, across) in &columns {
            let mut mean = [0.0; N];
            for (z, down) in (first_row..).zip(down).filter(|&(_, weight)| weight > 0.0) {
                for (x, across) in (*first..).zip(across).filter(|&(_, weight)| *weight > 0.0) {
                    let texel = read(z as usize * width as usize + x as usize);
                    for (mean, value) in mean.iter_mut().zip(texel) {
                        *mean += down * across * value;
                    }
                }
            }
            texels.push(mean);
        }
    }
    Ok(Level { extent: half, texels })
}

/// The first of the texels along a side that a texel of half of it covers, and how much of each of three.
fn taps(side: u32, index: u32) -> (u32, [f32; 3]) {
    let half = side / 2;
    if half == 0 {
        return (0, [1.0, 0.0, 0.0]);
    }
    if side.is_multiple_of(2) {
        return (2 * index, [0.5, 0.5, 0.0]);
    }
    let side = side as f32;
    (2 * index, [(half - index) as f32 / side, half as f32 / side, (index + 1) as f32 / side])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_texel_counts_the_same() {
        for side in 1..40 {
            let half = (side / 2).max(1);
            let mut counts = vec![0.0f32; side as usize + 2];
            for index in 0..half {
                let (first, weights) = taps(side, index);
                assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
                for (count, weight) in counts[first as usize..].iter_mut().zip(weights) {
                    *count += weight;
                }
            }
            let even = half as f32 / side as f32;
            assert!(counts[..side as usize].iter().all(|count| (count - even).abs() < 1e-6), "{side}");
            assert!(counts[side as usize..].iter().all(|&count| count == 0.0));
        }
    }

    #[test]
    fn a_chain_ends_at_one_texel() {
        for (width, height, expected) in [(1, 1, 1), (2, 1, 2), (5, 3, 3), (1024, 1, 11), (640, 480, 10)] {
            assert_eq!(count(width, height), expected);
            let Ok(mips) =
                below([width, height], |_| [1.0f32], |[mean]| [mean.round() as u8], Stop(&|| false))
            else {
                panic!("it was not told to stop")
            };
            assert_eq!(mips.len(), expected - 1);
            assert!(mips.iter().flatten().all(|&mean| mean == 1));
            assert!(mips.last().is_none_or(|last| last.len() == 1));
        }
    }
}
