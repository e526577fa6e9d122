//! A chunk's bytes, out of how they are packed, as little-endian samples.

use super::super::ByteOrder;
use super::picture::{Packing, Predictor};
use std::io::{Cursor, ErrorKind};
use tiff::TiffError;
use tiff::decoder::{Decoder, Limits};

/// Bytes of what comes before a packed chunk in memory: the header of a TIFF and one directory of nine tags.
pub(super) const HEAD: usize = 8 + 2 + 9 * 12 + 4;

/// Unpacks rows of a chunk that lies in `file` behind [`HEAD`] bytes, which are overwritten.
///
/// The `tiff` crate has the unpackers but does not give them away, and its reader of whole files fails on common ones:
/// tiles of LZW that reach past the edge, planes of tiles, tiles that are not there, samples of an undefined format; and it
/// turns the numbers round where 0 is white. So each chunk is given to it as a file of its own, of bytes in one strip, and
/// what the bytes are is found out here. The crate never sees a number that a file claims.
///
/// A chunk is unpacked by one call: the crate's LZW reader may lose the last codes of a chunk that is read in parts.
pub(super) fn unpack(
    packing: Packing,
    file: &mut [u8],
    row_bytes: usize,
    raw: &mut [u8],
) -> Result<(), String> {
    let rows = raw.len() / row_bytes;
    let packed = file.len() - HEAD;
    write_head(file, [row_bytes, rows, usize::from(packing.code()), packed].map(|number| number as u32));
    let mut limits = Limits::unlimited();
    limits.decoding_buffer_size = raw.len();
    limits.intermediate_buffer_size = packed;
    let mut decoder = Decoder::new(Cursor::new(&*file)).map_err(|error| reason(&error))?.with_limits(limits);
    decoder.read_chunk_bytes(0, raw).map_err(|error| reason(&error))
}

fn write_head(file: &mut [u8], [width, height, compression, packed]: [u32; 4]) {
    const SHORT: u16 = 3;
    const LONG: u16 = 4;
    let tags: [(u16, u16, u32); 9] = [
        (256, LONG, width),
        (257, LONG, height),
        (258, SHORT, 8),
        (259, SHORT, compression),
        (262, SHORT, 1),
        (273, LONG, HEAD as u32),
        (277, SHORT, 1),
        (278, LONG, height),
        (279, LONG, packed),
    ];
    file[..10].copy_from_slice(b"II*\0\x08\0\0\0\x09\0");
    for (entry, (tag, kind, value)) in file[10..].chunks_exact_mut(12).zip(tags) {
        entry[..2].copy_from_slice(&tag.to_le_bytes());
        entry[2..4].copy_from_slice(&kind.to_le_bytes());
        entry[4..8].copy_from_slice(&1u32.to_le_bytes());
        // A short number is the first half of a long one.
        entry[8..].copy_from_slice(&value.to_le_bytes());
    }
    file[HEAD - 4..HEAD].fill(0);
}

fn reason(error: &TiffError) -> String {
    match error {
        TiffError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            "ends before its last sample: truncated, or broken".to_owned()
        }
        error => format!("cannot be unpacked ({error}): broken"),
    }
}

/// Undoes the predictor of a row and makes its samples, of `size` bytes, little-endian. `stride` samples are a pixel.
/// `spare` is memory to work in.
pub(super) fn undo(
    predictor: Predictor,
    order: ByteOrder,
    size: usize,
    stride: usize,
    row: &mut [u8],
    spare: &mut Vec<u8>,
) {
    if predictor == Predictor::FloatingPoint {
        // The bytes of most weight come first, whatever the order of the file.
        add_bytes(row, stride);
        spare.clear();
        spare.extend_from_slice(row);
        let samples = row.len() / size;
        for (index, sample) in row.chunks_exact_mut(size).enumerate() {
            for (weight, byte) in sample.iter_mut().rev().enumerate() {
                *byte = spare[weight * samples + index];
            }
        }
        return;
    }
    if order == ByteOrder::Big && size > 1 {
        row.chunks_exact_mut(size).for_each(<[u8]>::reverse);
    }
    if predictor == Predictor::Horizontal {
        match size {
            1 => add_bytes(row, stride),
            2 => add(row, stride, |a, b| {
                u16::from_le_bytes(a).wrapping_add(u16::from_le_bytes(b)).to_le_bytes()
            }),
            4 => add(row, stride, |a, b| {
                u32::from_le_bytes(a).wrapping_add(u32::from_le_bytes(b)).to_le_bytes()
            }),
            _ => add(row, stride, |a, b| {
                u64::from_le_bytes(a).wrapping_add(u64::from_le_bytes(b)).to_le_bytes()
            }),
        }
    }
}

fn add_bytes(row: &mut [u8], stride: usize) {
    add(row, stride, |[a], [b]| [a.wrapping_add(b)]);
}

/// Adds to each sample the one a pixel before it.
fn add<const N: usize>(row: &mut [u8], stride: usize, sum: impl Fn([u8; N], [u8; N]) -> [u8; N]) {
    let samples = row.as_chunks_mut::<N>().0;
    for index in stride..samples.len() {
        samples[index] = sum(samples[index - stride], samples[index]);
    }
}
