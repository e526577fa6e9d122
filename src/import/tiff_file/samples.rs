//! The samples of a picture, chunk by chunk: only those that meet the window are unpacked.

use super::super::canvas::Canvas;
use super::super::npy::Element;
use super::super::values::{Height, Values};
use super::super::{SampleType, beyond_the_file};
use super::directory::{Directory, Source, tag};
use super::picture::{Chunks, Picture};
use super::predictor::decode_row;
use super::unpack::Unpacker;
use crate::field::SampleRect;
use std::cell::Cell;
use std::io::{BufRead, Read, Seek};
use std::ops::Range;

/// As many bytes of a chunk are unpacked at once, if a row has no more: they stay in the cache until they are decoded.
const BATCH: usize = 1 << 17;
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
pub(super) fn read<R: BufRead + Seek>(
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
    let unpacker = Unpacker::new(picture.packing);
    let mut reader =
        Reader { source, picture, window, nodata, places, unpacker, raw: Vec::new(), absent: 0.0 };
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
            return Err(beyond_the_file(picture.width, picture.height, bytes));
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
    unpacker: Unpacker,
    /// Some rows of a chunk.
    raw: Vec<u8>,
    /// The value of samples that the file does not have.
    absent: f64,
}

impl<R: BufRead + Seek> Reader<'_, R> {
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
        for row in self.places.rows.clone() {
            for column in self.places.columns.clone() {
                let Some(place) = self.places.get(row, column) else { continue };
                self.read_chunk(place, row, column, &mut canvas, &decode).map_err(|why| {
                    let (name, number) = (self.picture.chunks.name(), row * self.places.across + column + 1);
                    format!("{name} {number} of {}: {why}", self.picture.down() * self.places.across)
                })?;
            }
        }
        Ok(canvas.into_values())
    }

    /// Puts the wanted samples of a chunk, which lies at a place of the file, onto the canvas. What is packed is unpacked
    /// from the chunk's first row to the last of the window, what is not is read from the window's first row.
    fn read_chunk<T: Height, const N: usize>(
        &mut self,
        (offset, length): (u64, u64),
        row: u64,
        column: u64,
        canvas: &mut Canvas<T>,
        decode: impl Fn([u8; N]) -> T,
    ) -> Result<(), String> {
        let (picture, window) = (self.picture, self.window);
        let Chunks { width, height, .. } = picture.chunks;
        // The first row and column of a chunk are in the picture, its ends may not be.
        let (west, north) = (column as u32 * width, row as u32 * height);
        let (from, to) = (west.max(window.x0), west.saturating_add(width).min(window.x1));
        let columns = (from - west) as usize..(to - west) as usize;
        let end = north.saturating_add(height).min(window.z1);
        let start = if picture.reads_by_row() { north.max(window.z0) } else { north };

        let row_bytes = picture.row_bytes();
        let skipped = u64::from(start - north) * row_bytes as u64;
        let bytes = u64::from(end - start) * row_bytes as u64;
        if (skipped + bytes) / picture.packing.growth() > length {
            return Err(format!("has {length} bytes, too few for its samples: truncated, or broken"));
        }
        // What is packed may be longer, but not by much.
        let most = if picture.reads_by_row() { bytes } else { 2 * bytes + (1 << 16) };
        let order = self.source.order;
        let mut input = self.source.stream(offset.saturating_add(skipped), (length - skipped).min(most))?;
        self.unpacker.begin(&mut input, bytes)?;
        let rows_at_once = (BATCH / row_bytes).max(1);
        for z in (start..end).step_by(rows_at_once) {
            let rows = ((end - z) as usize).min(rows_at_once);
            self.raw.resize(rows * row_bytes, 0);
            self.unpacker.read(&mut input, &mut self.raw)?;
            for (z, row) in (z..).zip(self.raw.chunks_exact_mut(row_bytes)) {
                let Some(kept) = canvas.row(z) else { continue };
                let kept = &mut kept[(from - window.x0) as usize..(to - window.x0) as usize];
                decode_row(picture, order, row, columns.clone(), kept, &decode);
            }
        }
        Ok(())
    }
}
