//! The directories of a TIFF: where they are, which tags they have, and what the tags say.

use super::super::ByteOrder;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Take};
use std::ops::Range;

/// A file of more pictures is not looked through to its end.
const MOST_DIRECTORIES: usize = 1000;
/// The values of a tag that is not a table of chunks take no more bytes.
const MOST_VALUE_BYTES: u64 = 1 << 24;

pub(super) mod tag {
    pub(in super::super) const NEW_SUBFILE_TYPE: u16 = 254;
    pub(in super::super) const SUBFILE_TYPE: u16 = 255;
    pub(in super::super) const WIDTH: u16 = 256;
    pub(in super::super) const LENGTH: u16 = 257;
    pub(in super::super) const BITS_PER_SAMPLE: u16 = 258;
    pub(in super::super) const COMPRESSION: u16 = 259;
    pub(in super::super) const PHOTOMETRIC: u16 = 262;
    pub(in super::super) const FILL_ORDER: u16 = 266;
    pub(in super::super) const STRIP_OFFSETS: u16 = 273;
    pub(in super::super) const ORIENTATION: u16 = 274;
    pub(in super::super) const SAMPLES_PER_PIXEL: u16 = 277;
    pub(in super::super) const ROWS_PER_STRIP: u16 = 278;
    pub(in super::super) const STRIP_BYTE_COUNTS: u16 = 279;
    pub(in super::super) const PLANAR_CONFIGURATION: u16 = 284;
    pub(in super::super) const PREDICTOR: u16 = 317;
    pub(in super::super) const TILE_WIDTH: u16 = 322;
    pub(in super::super) const TILE_LENGTH: u16 = 323;
    pub(in super::super) const TILE_OFFSETS: u16 = 324;
    pub(in super::super) const TILE_BYTE_COUNTS: u16 = 325;
    pub(in super::super) const EXTRA_SAMPLES: u16 = 338;
    pub(in super::super) const SAMPLE_FORMAT: u16 = 339;
    pub(in super::super) const PIXEL_SCALE: u16 = 33550;
    pub(in super::super) const TIEPOINT: u16 = 33922;
    pub(in super::super) const TRANSFORMATION: u16 = 34264;
    pub(in super::super) const GEO_KEYS: u16 = 34735;
    pub(in super::super) const GEO_DOUBLES: u16 = 34736;
    pub(in super::super) const GDAL_METADATA: u16 = 42112;
    pub(in super::super) const GDAL_NODATA: u16 = 42113;
}

/// A file whose byte order and kind are known.
pub(super) struct Source<R> {
    input: R,
    pub(super) order: ByteOrder,
    /// Offsets and counts of 64 bits: a BigTIFF.
    big: bool,
    /// Length of the file.
    pub(super) bytes: u64,
}

/// A directory: a picture and what is said of it.
pub(super) struct Directory {
    entries: BTreeMap<u16, Entry>,
    /// Where the next directory is; 0 behind the last.
    next: u64,
}

impl Directory {
    pub(super) fn has(&self, tag: u16) -> bool {
        self.entries.contains_key(&tag)
    }
}

/// A tag's values, or where they are.
#[derive(Clone, Copy)]
struct Entry {
    kind: u16,
    count: u64,
    /// The values, if they fit into this field; else their offset. Of a plain TIFF the first four bytes.
    field: [u8; 8],
}

/// What the directories of a file are.
pub(super) struct Pages {
    /// The first picture in full resolution.
    pub(super) picture: Directory,
    /// Pictures in full resolution.
    pub(super) count: usize,
    /// One of the directories is a mask.
    pub(super) masked: bool,
}

impl<R: Read + Seek> Source<R> {
    /// Reads the header of a file of `bytes` bytes. The error is a sentence, as all of them here.
    pub(super) fn new(input: R, bytes: u64) -> Result<Self, String> {
        let mut source = Self { input, order: ByteOrder::Little, big: false, bytes };
        let head = source.at(0, 4)?;
        source.order = match &head[..2] {
            b"II" => ByteOrder::Little,
            b"MM" => ByteOrder::Big,
            _ => return Err("begins without the signature of a TIFF".to_owned()),
        };
        source.big = match source.number(&head[2..]) {
            42 => false,
            43 => true,
            version => return Err(format!("a TIFF of version {version}; 42 and 43, BigTIFF, are read")),
        };
        if source.big && source.at(4, 4).map(|sizes| source.number(&sizes[..2]) != 8)? {
            return Err("a BigTIFF whose offsets are not of 8 bytes".to_owned());
        }
        Ok(source)
    }

    /// Looks through the directories of the file.
    pub(super) fn pages(&mut self) -> Result<Pages, String> {
        let header = if self.big { self.at(8, 8)? } else { self.at(4, 4)? };
        let mut next = self.number(&header);
        let mut seen = BTreeSet::new();
        let (mut picture, mut count, mut masked) = (None, 0, false);
        while next != 0 && seen.len() < MOST_DIRECTORIES {
            if !seen.insert(next) {
                return Err(format!("its directories go round in a circle, back to byte {next}: broken"));
            }
            let directory = self.directory(next)?;
            next = directory.next;
            let (reduced, mask) = self.role(&directory)?;
            masked |= mask && !reduced;
            if !mask && !reduced {
                count += 1;
                picture.get_or_insert(directory);
            }
        }
        match picture {
            Some(picture) => Ok(Pages { picture, count, masked }),
            None if seen.is_empty() => Err("has no directory, so there is no picture in it".to_owned()),
            None => Err("has no picture in full resolution, only reduced ones and masks".to_owned()),
        }
    }

    /// Whether a directory is a reduced picture, and whether it is a mask.
    fn role(&mut self, directory: &Directory) -> Result<(bool, bool), String> {
        match self.one(directory, tag::NEW_SUBFILE_TYPE)? {
            Some(bits) => Ok((bits & 1 != 0, bits & 4 != 0)),
            None => Ok((self.one(directory, tag::SUBFILE_TYPE)? == Some(2), false)),
        }
    }

    fn directory(&mut self, offset: u64) -> Result<Directory, String> {
        let (count_bytes, entry_bytes, offset_bytes) = if self.big { (8, 20, 8) } else { (2, 12, 4) };
        let count = self.at(offset, count_bytes)?;
        let count = self.number(&count);
        if count > u64::from(u16::MAX) {
            return Err(format!("claims {count} tags in a directory: broken"));
        }
        let bytes = self.at(offset + count_bytes, count * entry_bytes + offset_bytes)?;
        let (list, next) = bytes.split_at((count * entry_bytes) as usize);
        let mut entries = BTreeMap::new();
        for entry in list.chunks_exact(entry_bytes as usize) {
            let value_at = 4 + offset_bytes as usize;
            let mut field = [0; 8];
            field[..offset_bytes as usize].copy_from_slice(&entry[value_at..]);
            let [tag, kind] = [&entry[..2], &entry[2..4]].map(|number| self.number(number) as u16);
            let count = self.number(&entry[4..value_at]);
            entries.entry(tag).or_insert(Entry { kind, count, field });
        }
        Ok(Directory { entries, next: self.number(next) })
    }

    /// The first of a tag's whole numbers.
    pub(super) fn one(&mut self, directory: &Directory, tag: u16) -> Result<Option<u64>, String> {
        match directory.entries.get(&tag) {
            Some(entry) if entry.count > 0 => Ok(self.some(directory, tag, 0..1)?.first().copied()),
            _ => Ok(None),
        }
    }

    /// A tag's whole numbers; none where the directory does not have it.
    pub(super) fn all(&mut self, directory: &Directory, tag: u16) -> Result<Vec<u64>, String> {
        let count = directory.entries.get(&tag).map_or(0, |entry| entry.count);
        if count > MOST_VALUE_BYTES / 8 {
            return Err(format!("claims {count} values of tag {tag}: broken"));
        }
        self.some(directory, tag, 0..count)
    }

    /// Some of a tag's whole numbers.
    pub(super) fn some(
        &mut self,
        directory: &Directory,
        tag: u16,
        range: Range<u64>,
    ) -> Result<Vec<u64>, String> {
        let Some(&entry) = directory.entries.get(&tag) else { return Ok(Vec::new()) };
        // A number that is negative, which no tag here can have, is read as one that is far too large.
        let size: u64 = match entry.kind {
            1 | 6 | 7 => 1,
            3 | 8 => 2,
            4 | 9 | 13 => 4,
            16..=18 => 8,
            kind => return Err(format!("tag {tag} has values of type {kind}, which are no whole numbers")),
        };
        if range.end > entry.count {
            return Err(format!("tag {tag} has {} values, but {} are needed", entry.count, range.end));
        }
        let bytes = self.values(entry, size, range)?;
        Ok(bytes.chunks_exact(size as usize).map(|value| self.number(value)).collect())
    }

    /// A tag's real numbers; none where the directory does not have it.
    pub(super) fn reals(&mut self, directory: &Directory, tag: u16) -> Result<Vec<f64>, String> {
        let Some(&entry) = directory.entries.get(&tag) else { return Ok(Vec::new()) };
        let size: u64 = match entry.kind {
            11 => 4,
            12 => 8,
            kind => return Err(format!("tag {tag} has values of type {kind}, which are no real numbers")),
        };
        self.check_size(tag, entry, size)?;
        let bytes = self.values(entry, size, 0..entry.count)?;
        let reals = bytes.chunks_exact(size as usize).map(|value| match size {
            4 => f64::from(f32::from_bits(self.number(value) as u32)),
            _ => f64::from_bits(self.number(value)),
        });
        Ok(reals.collect())
    }

    /// A tag's text up to its zero.
    pub(super) fn text(&mut self, directory: &Directory, tag: u16) -> Result<Option<String>, String> {
        let Some(&entry) = directory.entries.get(&tag) else { return Ok(None) };
        if !matches!(entry.kind, 1 | 2 | 7) {
            return Err(format!("tag {tag} has values of type {}, which are no text", entry.kind));
        }
        self.check_size(tag, entry, 1)?;
        let bytes = self.values(entry, 1, 0..entry.count)?;
        let text = bytes.split(|&byte| byte == 0).next().unwrap_or_default();
        Ok(Some(String::from_utf8_lossy(text).into_owned()))
    }

    fn check_size(&self, tag: u16, entry: Entry, size: u64) -> Result<(), String> {
        if entry.count > MOST_VALUE_BYTES / size {
            return Err(format!("claims {} values of tag {tag}: broken", entry.count));
        }
        Ok(())
    }

    /// The bytes of some of a tag's values, each of `size` bytes.
    fn values(&mut self, entry: Entry, size: u64, range: Range<u64>) -> Result<Vec<u8>, String> {
        let inside = if self.big { 8 } else { 4 };
        let (start, length) = (range.start * size, (range.end - range.start) * size);
        if entry.count <= inside / size {
            return Ok(entry.field[start as usize..][..length as usize].to_vec());
        }
        let offset = self.number(&entry.field[..inside as usize]);
        self.at(offset.saturating_add(start), length)
    }

    /// Bytes of the file, which must all be there.
    fn at(&mut self, offset: u64, length: u64) -> Result<Vec<u8>, String> {
        let mut input = self.stream(offset, length)?;
        let mut bytes = vec![0; length as usize];
        input.read_exact(&mut bytes).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => "the file ends while it is read: truncated".to_owned(),
            _ => format!("cannot be read: {error}"),
        })?;
        Ok(bytes)
    }

    /// The same, to be read one after another.
    pub(super) fn stream(&mut self, offset: u64, length: u64) -> Result<Take<&mut R>, String> {
        let inside = offset.checked_add(length).is_some_and(|end| end <= self.bytes);
        if !inside {
            return Err(format!(
                "needs {length} bytes at byte {offset}, but the file has {}: truncated, or broken",
                self.bytes
            ));
        }
        self.input.seek(SeekFrom::Start(offset)).map_err(|error| format!("cannot be read: {error}"))?;
        Ok(self.input.by_ref().take(length))
    }

    /// A number of up to 8 bytes.
    fn number(&self, bytes: &[u8]) -> u64 {
        let add = |number: u64, &byte: &u8| number << 8 | u64::from(byte);
        match self.order {
            ByteOrder::Big => bytes.iter().fold(0, add),
            ByteOrder::Auto | ByteOrder::Little => bytes.iter().rev().fold(0, add),
        }
    }
}
