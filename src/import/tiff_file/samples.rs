//! The samples of a picture, chunk by chunk: only those that meet the window are unpacked.

use super::super::SampleType;
use super::super::canvas::Canvas;
use super::super::npy::Element;
use super::super::values::{Height, Values};
use super::directory::{Directory, Source, tag};
use super::picture::Picture;
use super::unpack::{self, undo, unpack};
use crate::field::SampleRect;
use std::cell::Cell;
use std::io::{Read, Seek};
use std::ops::Range;

/// As many bytes of chunks that are not packed are read at once.
const BATCH: usize = 1 << 20;
/// As many bytes of a file in which chunks are missing stand for one of it: a tile of 512×512 floats, of which only a
/// zero for its offset and one for its length are there.
const SPARSE_GROWTH: u64 = 1 << 17;
/// Integers up to here are floats of 64 bits exactly.
const EXACT: i128 = 1 << 53;

/// The samples that were read.
pub(super) struct Samples {
    pub(super) values: Values,
    /// Chunks of the window that the file does not have, and how many there are.
    pub(super) missing: u64,
    pub(super) of: u64,
    /// What their samples are.
    pub(super) absent: f64,
}

/// Reads the window of a picture. What the file does not have is `nodata`, or 0. The error is a sentence.
pub(super) fn read<R: Read + Seek>(
    source: &mut Source<R>,
    directory: &Directory,
    picture: &Picture,
    window: SampleRect,
    nodata: Option<f64>,
) -> Result<Samples, String> {
    let places = Places::read(source, directory, picture, window)?;
    places.check(source.bytes, picture, window)?;
    let (missing, of) = places.missing();
    if missing == of {
        return Err(format!("the file has none of the {of} {}s of its map", picture.chunks.name()));
    }
    let mut reader = Reader { source, picture, window, nodata, places, absent: 0.0 };
    let values = match picture.element {
        Element::Sample(SampleType::U8) => Values::U8(reader.fill(u8::from_le_bytes)?),
        Element::Sample(SampleType::U16) => Values::U16(reader.fill(u16::from_le_bytes)?),
        Element::Sample(SampleType::I16) => Values::I16(reader.fill(i16::from_le_bytes)?),
        Element::Sample(SampleType::U32) => Values::U32(reader.fill(u32::from_le_bytes)?),
        Element::Sample(SampleType::I32) => Values::I32(reader.fill(i32::from_le_bytes)?),
        Element::Sample(SampleType::F32) => Values::F32(reader.fill(f32::from_le_bytes)?),
        Element::Sample(SampleType::F64) => Values::F64(reader.fill(f64::from_le_bytes)?),
        Element::I8 => Values::I16(reader.fill(|byte| i16::from(i8::from_le_bytes(byte)))?),
        Element::F16 => Values::F32(reader.fill(|bytes| half::f16::from_le_bytes(bytes).to_f32())?),
        Element::I64 => Values::F64(reader.fill_wide(|bytes| i64::from_le_bytes(bytes).into())?),
        Element::U64 => Values::F64(reader.fill_wide(|bytes| u64::from_le_bytes(bytes).into())?),
    };
    Ok(Samples { values, missing, of, absent: reader.absent })
}

/// Where the chunks of the window's rows are: offset and length, 0 for one that is not there.
struct Places {
    /// Rows of chunks that meet the window.
    rows: Range<u64>,
    /// Columns of them.
    columns: Range<u64>,
    /// Chunks in a row of them.
    across: u64,
    list: Vec<(u64, u64)>,
}

impl Places {
    fn read<R: Read + Seek>(
        source: &mut Source<R>,
        directory: &Directory,
        picture: &Picture,
        window: SampleRect,
    ) -> Result<Self, String> {
        let [offsets, lengths] = match picture.chunks.tiled {
            true => [tag::TILE_OFFSETS, tag::TILE_BYTE_COUNTS],
            false => [tag::STRIP_OFFSETS, tag::STRIP_BYTE_COUNTS],
        };
        for tag in [offsets, lengths] {
            if !directory.has(tag) {
                return Err(format!(
                    "does not say where its {}s are (tag {tag}): broken",
                    picture.chunks.name()
                ));
            }
        }
        let meet =
            |start: u32, end: u32, chunk: u32| u64::from(start / chunk)..u64::from(end.div_ceil(chunk));
        let rows = meet(window.z0, window.z1, picture.chunks.height);
        let columns = meet(window.x0, window.x1, picture.chunks.width);
        let across = picture.across();
        let first = picture.plane * picture.down() * across;
        let range = first + rows.start * across..first + rows.end * across;
        let offsets = source.some(directory, offsets, range.clone())?;
        let lengths = source.some(directory, lengths, range)?;
        let list = offsets.into_iter().zip(lengths).collect();
        Ok(Self { rows, columns, across, list })
    }

    fn get(&self, row: u64, column: u64) -> Option<(u64, u64)> {
        let (offset, length) = self.list[((row - self.rows.start) * self.across + column) as usize];
        (offset != 0 && length != 0).then_some((offset, length))
    }

    /// How many chunks of the window the file does not have, and how many there are.
    fn missing(&self) -> (u64, u64) {
        let rows = self.rows.clone();
        let missing = rows
            .map(|row| self.columns.clone().filter(|&column| self.get(row, column).is_none()).count() as u64);
        (missing.sum(), (self.rows.end - self.rows.start) * (self.columns.end - self.columns.start))
    }

    /// Refuses a window whose samples cannot be in the file, before memory is taken for them.
    fn check(&self, bytes: u64, picture: &Picture, window: SampleRect) -> Result<(), String> {
        let samples = u64::from(window.width()) * u64::from(window.height());
        let growth = match self.missing().0 {
            0 => picture.packing.growth(),
            _ => SPARSE_GROWTH,
        };
        if samples * picture.element.bytes() as u64 / growth > bytes {
            return Err(format!(
                "claims {}×{} samples, which cannot be in a file of {bytes} bytes: truncated, or not what it says",
                picture.width, picture.height
            ));
        }
        Ok(())
    }
}

struct Reader<'a, R> {
    source: &'a mut Source<R>,
    picture: &'a Picture,
    window: SampleRect,
    nodata: Option<f64>,
    places: Places,
    /// The value of samples that the file does not have.
    absent: f64,
}

impl<R: Read + Seek> Reader<'_, R> {
    /// Reads integers of 64 bits, where floats hold each of them that is no void.
    fn fill_wide(&mut self, decode: impl Fn([u8; 8]) -> i128) -> Result<Vec<f64>, String> {
        let rounded = Cell::new(false);
        let nodata = self.nodata;
        let values = self.fill(|bytes| {
            let whole = decode(bytes);
            let value = whole as f64;
            rounded.set(rounded.get() || (whole.abs() > EXACT && Some(value) != nodata));
            value
        })?;
        if rounded.get() {
            return Err("holds integers beyond 2^53, which are no heights".to_owned());
        }
        Ok(values)
    }

    /// Reads the window, sample by sample from its bytes.
    fn fill<T: Height, const N: usize>(&mut self, decode: impl Fn([u8; N]) -> T) -> Result<Vec<T>, String> {
        let absent = self.nodata.and_then(T::from_declared).unwrap_or_default();
        self.absent = absent.value();
        let mut canvas = Canvas::filled(self.window, absent);
        let (mut raw, mut packed) = (Vec::new(), Vec::new());
        for row in self.places.rows.clone() {
            for column in self.places.columns.clone() {
                let Some(place) = self.places.get(row, column) else { continue };
                for rows in self.batches(row) {
                    self.unpack(place, row, rows.clone(), &mut raw, &mut packed).map_err(|why| {
                        let (name, number) =
                            (self.picture.chunks.name(), row * self.places.across + column + 1);
                        format!("{name} {number} of {}: {why}", self.picture.down() * self.places.across)
                    })?;
                    self.take(rows.start, column, &raw, &mut canvas, &decode);
                }
            }
        }
        Ok(canvas.into_values())
    }

    /// The rows of the picture that are read at once of a row of chunks: a packed chunk from its first row to the last
    /// of the window.
    fn batches(&self, row: u64) -> impl Iterator<Item = Range<u32>> + use<R> {
        let height = self.picture.chunks.height;
        // The first row of a chunk is in the picture, its end may not be.
        let first = row as u32 * height;
        let end = first.saturating_add(height).min(self.window.z1);
        let (first, step) = if self.picture.reads_by_row() {
            (first.max(self.window.z0), (BATCH / self.picture.row_bytes()).max(1) as u32)
        } else {
            (first, height)
        };
        (first..end).step_by(step as usize).map(move |z| z..end.min(z.saturating_add(step)))
    }

    /// Reads rows of the chunk in `row` that lies at a place of the file, with little-endian samples.
    fn unpack(
        &mut self,
        (offset, length): (u64, u64),
        row: u64,
        rows: Range<u32>,
        raw: &mut Vec<u8>,
        packed: &mut Vec<u8>,
    ) -> Result<(), String> {
        let picture = self.picture;
        let row_bytes = picture.row_bytes();
        let bytes = row_bytes as u64 * u64::from(rows.end - rows.start);
        raw.clear();
        if picture.reads_by_row() {
            let skipped = (rows.start - row as u32 * picture.chunks.height) as u64 * row_bytes as u64;
            if skipped + bytes > length {
                return Err(format!("has {length} bytes, but {} are needed: broken", skipped + bytes));
            }
            self.source.append(offset.saturating_add(skipped), bytes, raw)?;
        } else {
            if bytes / picture.packing.growth() > length {
                return Err(format!("{bytes} bytes cannot be packed into {length}: truncated, or broken"));
            }
            // What is packed may be longer, but not by much.
            let length = length.min(2 * bytes + (1 << 16));
            packed.clear();
            packed.resize(unpack::HEAD, 0);
            self.source.append(offset, length, packed)?;
            raw.resize(bytes as usize, 0);
            unpack(picture.packing, packed, row_bytes, raw)?;
        }
        for row in raw.chunks_exact_mut(row_bytes) {
            undo(picture.predictor, self.source.order, picture.element.bytes(), picture.stride, row, packed);
        }
        Ok(())
    }

    /// Puts the wanted samples of a chunk's rows onto the canvas.
    fn take<T: Height, const N: usize>(
        &self,
        first: u32,
        column: u64,
        raw: &[u8],
        canvas: &mut Canvas<T>,
        decode: impl Fn([u8; N]) -> T,
    ) {
        let picture = self.picture;
        let start = column as u32 * picture.chunks.width;
        let end = start.saturating_add(picture.chunks.width).min(self.window.x1);
        let from = start.max(self.window.x0);
        for (z, row) in (first..).zip(raw.chunks_exact(picture.row_bytes())) {
            let Some(kept) = canvas.row(z) else { continue };
            let kept = &mut kept[(from - self.window.x0) as usize..(end - self.window.x0) as usize];
            let samples =
                row.as_chunks::<N>().0[(from - start) as usize * picture.stride + picture.place..].iter();
            kept.iter_mut()
                .zip(samples.step_by(picture.stride))
                .for_each(|(to, &sample)| *to = decode(sample));
        }
    }
}
