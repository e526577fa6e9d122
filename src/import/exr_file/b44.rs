//! What must be true of B44 data before the `exr` crate unpacks it: it takes differences without a look at whether they
//! lead below 0, which no writer's do.

use super::channels::{Channel, SampleKind};

/// A square of 4 × 4 samples whose third byte is not below this has one value, in three bytes.
const FLAT: u8 = 13 << 2;
const FLAT_BYTES: usize = 3;
/// Any other square: its first sample, a shift, and fifteen differences.
const BYTES: usize = 14;

/// True where no difference of a block leads below 0. Whether the data is complete is not looked at.
pub(super) fn is_sound(channels: &[Channel], (width, height): (usize, usize), packed: &[u8]) -> bool {
    let mut rest = packed;
    for channel in channels {
        if channel.kind != SampleKind::Half {
            rest = rest.get(channel.kind.bytes() * width * height..).unwrap_or_default();
            continue;
        }
        for _ in 0..width.div_ceil(4) * height.div_ceil(4) {
            let flat = rest.get(2).is_none_or(|&byte| byte >= FLAT);
            if let (false, Some(square)) = (flat, rest.first_chunk::<BYTES>())
                && !square_is_sound(square)
            {
                return false;
            }
            rest = rest.get(if flat { FLAT_BYTES } else { BYTES }..).unwrap_or_default();
        }
    }
    true
}

/// The first column is built downwards, every other from the one beside it.
fn square_is_sound(square: &[u8; BYTES]) -> bool {
    let bits = square[2..].iter().fold(0u128, |bits, &byte| bits << 8 | u128::from(byte));
    let shift = u32::from(square[2] >> 2);
    let mut differences = (0..15).rev().map(|at| (bits >> (6 * at)) as u32 & 0x3f);
    let mut step = |from: u16| {
        let up = differences.next()? << shift;
        // No more than 16 bits of the sum are kept.
        (u32::from(from) + up).checked_sub(0x20 << shift).map(|sum| sum as u16)
    };
    let mut walk = || {
        let mut column = [u16::from_be_bytes([square[0], square[1]]); 4];
        for row in 1..4 {
            column[row] = step(column[row - 1])?;
        }
        for _ in 1..4 {
            for sample in &mut column {
                *sample = step(*sample)?;
            }
        }
        Some(())
    };
    walk().is_some()
}
