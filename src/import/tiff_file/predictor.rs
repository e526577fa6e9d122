//! The samples of a chunk's row, out of the differences that it is stored as.

use super::super::ByteOrder;
use super::picture::{Picture, Predictor};
use std::array;
use std::ops::Range;

/// Decodes samples of `N` bytes: those of the wanted band in some columns of a chunk's row, which is overwritten. `decode`
/// has them little-endian.
pub(super) fn decode_row<T, const N: usize>(
    picture: &Picture,
    order: ByteOrder,
    row: &mut [u8],
    columns: Range<usize>,
    to: &mut [T],
    decode: impl Fn([u8; N]) -> T,
) {
    let (stride, place) = (picture.stride, picture.place);
    let little = |sample: [u8; N]| match order {
        ByteOrder::Big => turned(sample),
        ByteOrder::Auto | ByteOrder::Little => sample,
    };
    match picture.predictor {
        Predictor::None => {
            let samples = &band(row.as_chunks_mut().0, stride, place)[columns];
            to.iter_mut().zip(samples).for_each(|(to, &sample)| *to = decode(little(sample)));
        }
        Predictor::Horizontal => {
            let (west, samples) = band(row.as_chunks_mut().0, stride, place).split_at(columns.start);
            let sum = west.iter().fold(0u64, |sum, &sample| sum.wrapping_add(whole(little(sample))));
            to.iter_mut().zip(samples).fold(sum, |sum, (to, &sample)| {
                let sum = sum.wrapping_add(whole(little(sample)));
                *to = decode(low(sum));
                sum
            });
        }
        Predictor::FloatingPoint => {
            let bytes = band(row, stride, place);
            bytes.iter_mut().fold(0u8, |sum, byte| {
                *byte = byte.wrapping_add(sum);
                *byte
            });
            // The bytes of most weight come first, whatever the order of the file.
            let width = bytes.len() / N;
            let planes: [&[u8]; N] =
                array::from_fn(|weight| &bytes[(N - 1 - weight) * width..][columns.clone()][..to.len()]);
            for (index, to) in to.iter_mut().enumerate() {
                *to = decode(array::from_fn(|weight| planes[weight][index]));
            }
        }
    }
}

/// Moves what is of one band to the front. `stride` bands lie side by side; `place` is the wanted one's.
fn band<S: Copy>(row: &mut [S], stride: usize, place: usize) -> &mut [S] {
    let width = row.len() / stride;
    if stride > 1 {
        (0..width).for_each(|column| row[column] = row[column * stride + place]);
    }
    &mut row[..width]
}

fn turned<const N: usize>(mut sample: [u8; N]) -> [u8; N] {
    sample.reverse();
    sample
}

fn whole<const N: usize>(sample: [u8; N]) -> u64 {
    sample.iter().rev().fold(0, |high, &low| high << 8 | u64::from(low))
}

fn low<const N: usize>(number: u64) -> [u8; N] {
    array::from_fn(|weight| (number >> (8 * weight)) as u8)
}
