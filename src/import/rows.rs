//! Samples that lie in a file one after the other, without anything between them.

use super::ByteOrder;
use super::canvas::Canvas;
use super::values::{SampleType, Values};
use crate::field::SampleRect;
use std::io::{self, Read};

/// How the samples of a file follow each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Layout {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) sample: SampleType,
    pub(super) order: ByteOrder,
    /// A column from north to south after the other, as Fortran does; else rows from west to east.
    pub(super) columns_first: bool,
}

/// Bytes that are read at once from a file whose rows are short.
const CHUNK: usize = 1 << 16;

impl Layout {
    /// Reads all samples and keeps those of the window. Takes the memory of the window and of a few rows.
    pub(super) fn read(self, input: impl Read, window: SampleRect) -> io::Result<Values> {
        let big = self.order == ByteOrder::Big;
        macro_rules! typed {
            ($type:ty) => {
                if big {
                    self.fill(input, window, <$type>::from_be_bytes)?
                } else {
                    self.fill(input, window, <$type>::from_le_bytes)?
                }
            };
        }
        Ok(match self.sample {
            SampleType::U8 => Values::U8(self.fill(input, window, u8::from_le_bytes)?),
            SampleType::U16 => Values::U16(typed!(u16)),
            SampleType::I16 => Values::I16(typed!(i16)),
            SampleType::U32 => Values::U32(typed!(u32)),
            SampleType::I32 => Values::I32(typed!(i32)),
            SampleType::F32 => Values::F32(typed!(f32)),
            SampleType::F64 => Values::F64(typed!(f64)),
        })
    }

    /// The same with the samples made from their bytes by a function: for types that are widened.
    pub(super) fn fill<T: Copy + Default, const N: usize>(
        self,
        mut input: impl Read,
        window: SampleRect,
        decode: impl Fn([u8; N]) -> T,
    ) -> io::Result<Vec<T>> {
        let mut canvas = Canvas::new(window);
        let (lines, line) =
            if self.columns_first { (self.width, self.height) } else { (self.height, self.width) };
        let lines_a_chunk = (CHUNK / (N * line as usize)).clamp(1, lines as usize);
        let mut buffer = vec![0u8; N * line as usize * lines_a_chunk];
        let mut first = 0;
        while first < lines {
            let count = (lines - first).min(lines_a_chunk as u32);
            let chunk = &mut buffer[..N * line as usize * count as usize];
            input.read_exact(chunk)?;
            for (index, bytes) in (first..).zip(chunk.chunks_exact(N * line as usize)) {
                let samples = bytes.as_chunks::<N>().0;
                if self.columns_first {
                    (0..).zip(samples).for_each(|(z, &sample)| canvas.set(index, z, decode(sample)));
                } else {
                    let columns = canvas.columns();
                    if let Some(row) = canvas.row(index) {
                        row.iter_mut().zip(&samples[columns]).for_each(|(to, &sample)| *to = decode(sample));
                    }
                }
            }
            first += count;
        }
        Ok(canvas.into_values())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_rows_and_of_columns_is_the_same_ground() {
        let (width, height) = (5u32, 4u32);
        let rows: Vec<u8> = (0..20u16).flat_map(u16::to_be_bytes).collect();
        let columns: Vec<u8> =
            (0..20u32).map(|i| (i % height * width + i / height) as u16).flat_map(u16::to_be_bytes).collect();
        let window = SampleRect::new(1, 2, 3, 2);
        for (bytes, columns_first) in [(rows, false), (columns, true)] {
            let layout =
                Layout { width, height, sample: SampleType::U16, order: ByteOrder::Big, columns_first };
            let Values::U16(values) = layout.read(bytes.as_slice(), window).unwrap() else { panic!("u16") };
            assert_eq!(values, [11, 12, 13, 16, 17, 18], "{columns_first}");
            assert!(layout.read(&bytes[..39], window).is_err());
        }
    }
}
