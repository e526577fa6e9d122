//! Files people have → a [`Field`] and a report of what was found, assumed and doubted.
//!
//! | format | recognised by | heights |
//! |---|---|---|
//! | PNG, 8 or 16 bits | its signature | codes; [`ImportOptions::range`] says what they are in metres |
//! | raw 16-bit samples | `.r16`, `.raw` | codes, the same way |
//! | SRTM hgt | `.hgt` and 1201² or 3601² samples | metres, with voids |
//!
//! Row 0 of a file is the north edge of the map and column 0 the west edge, always, and nothing is resampled, padded or
//! cropped: a file of W×H samples becomes a field of W×H samples. What cannot be taken exactly is refused with a
//! sentence that names it, or taken with a line in [`ImportReport::warnings`].
//!
//! A reader owns its file only while it reads; beside the field's own samples it holds a row or so.

mod assemble;
mod export;
mod fill;
mod hgt;
mod png_file;
mod raw16;
mod report;
mod survey;

pub use export::{export_png16, export_r16};
pub use report::ImportReport;

use crate::field::{Field, FieldDesc, HeightRange};
use crate::{Error, Result};
use glam::DVec2;
use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

/// The most samples that a file may claim, 2²⁸ (16384×16384, half a gibibyte).
pub const MAX_SAMPLES: u64 = 1 << 28;

/// A file format that [`import`] reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// PNG, grey, 8 or 16 bits a sample.
    Png,
    /// Unsigned 16-bit samples and nothing else.
    Raw16,
    /// A one-degree tile of the Shuttle Radar Topography Mission: signed 16-bit metres, −32768 for a void.
    Hgt,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Format::Png => "PNG",
            Format::Raw16 => "raw 16-bit samples",
            Format::Hgt => "SRTM hgt",
        })
    }
}

/// Which byte of a 16-bit sample comes first in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// What the format says; little-endian for raw samples, which is what most tools write and no file says.
    #[default]
    Auto,
    /// The low byte first.
    Little,
    /// The high byte first.
    Big,
}

impl ByteOrder {
    /// The order itself, with this one in place of [`ByteOrder::Auto`].
    fn or(self, default: Self) -> Self {
        if self == ByteOrder::Auto { default } else { self }
    }

    fn decode(self, bytes: [u8; 2]) -> u16 {
        match self {
            ByteOrder::Big => u16::from_be_bytes(bytes),
            ByteOrder::Auto | ByteOrder::Little => u16::from_le_bytes(bytes),
        }
    }

    fn encode(self, code: u16) -> [u8; 2] {
        match self {
            ByteOrder::Big => code.to_be_bytes(),
            ByteOrder::Auto | ByteOrder::Little => code.to_le_bytes(),
        }
    }
}

impl fmt::Display for ByteOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            ByteOrder::Auto => "automatic",
            ByteOrder::Little => "little-endian",
            ByteOrder::Big => "big-endian",
        })
    }
}

/// What a caller knows about a file that the file does not say. The default states nothing: every assumption that is
/// made in its place is in [`ImportReport::assumptions`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImportOptions {
    /// Metres between two samples, west to east and north to south. Without it 1 × 1, or what the file says: an hgt's
    /// cell size with the latitude of its name.
    pub spacing: Option<DVec2>,
    /// Metres of the codes 0 and 65535. Without it a PNG or a raw file stands from 0 m to an eighth of its longest
    /// side, and an hgt is from its own lowest to its own highest valid sample. Heights of an hgt outside a stated
    /// range are clamped, which is reported.
    pub range: Option<(f64, f64)>,
    /// Samples west to east and north to south. A raw file that is not square needs it; a file that says its own size
    /// is refused where the two differ.
    pub raw_size: Option<(u32, u32)>,
    /// Byte order of raw and hgt samples. PNG has its own and ignores this.
    pub byte_order: ByteOrder,
    /// Samples a side of the field's tiles: a power of two from 16 to 1024.
    pub tile_samples: u32,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self {
            spacing: None,
            range: None,
            raw_size: None,
            byte_order: ByteOrder::Auto,
            tile_samples: FieldDesc::DEFAULT_TILE_SAMPLES,
        }
    }
}

impl ImportOptions {
    /// The same options with this spacing: metres between samples, west to east and north to south.
    pub fn with_spacing(self, x: f64, z: f64) -> Self {
        Self { spacing: Some(DVec2::new(x, z)), ..self }
    }

    /// The same options with these metres for the codes 0 and 65535.
    pub fn with_range(self, min: f64, max: f64) -> Self {
        Self { range: Some((min, max)), ..self }
    }

    /// The same options with this size in samples, west to east and north to south.
    pub fn with_raw_size(self, width: u32, height: u32) -> Self {
        Self { raw_size: Some((width, height)), ..self }
    }

    /// The same options with this byte order.
    pub fn with_byte_order(self, byte_order: ByteOrder) -> Self {
        Self { byte_order, ..self }
    }

    /// The same options with tiles of this many samples a side.
    pub fn with_tile_samples(self, tile_samples: u32) -> Self {
        Self { tile_samples, ..self }
    }

    /// Refuses what no file could make right, before a file is read.
    fn check(&self) -> Result<()> {
        self.describe(2, 2, DVec2::ONE, HeightRange { min: 0.0, max: 1.0 }).validate()
    }

    /// The field's description: what is stated, and the given spacing and range where nothing is.
    fn describe(&self, width: u32, height: u32, spacing: DVec2, range: HeightRange) -> FieldDesc {
        FieldDesc {
            tile_samples: self.tile_samples,
            spacing: self.spacing.unwrap_or(spacing),
            range: self.range.map_or(range, |(min, max)| HeightRange { min, max }),
            ..FieldDesc::new(width, height)
        }
    }
}

/// Reads a heightmap. The format is found by content first and by the file's extension second.
///
/// ```no_run
/// use landform::import::{ImportOptions, import};
///
/// let options = ImportOptions::default().with_spacing(2.0, 2.0).with_range(0.0, 600.0);
/// let (field, report) = import("valley.png", &options)?;
/// println!("{report}");
/// # Ok::<(), landform::Error>(())
/// ```
///
/// # Errors
/// [`Error::File`] for a file that cannot be read, is truncated, of an unknown format, of a kind of a known format that
/// is not taken, or larger than [`MAX_SAMPLES`]; [`Error::Invalid`] for options that no file could honour.
pub fn import(path: impl AsRef<Path>, options: &ImportOptions) -> Result<(Field, ImportReport)> {
    let path = path.as_ref();
    let file = File::open(path).map_err(|error| Error::file(path, format!("cannot be opened: {error}")))?;
    read(path, BufReader::with_capacity(1 << 16, file), options)
}

/// Reads a heightmap that is in memory. `name` stands for the path: its extension, an hgt's latitude, error messages.
///
/// # Errors
/// As [`import`].
pub fn import_bytes(
    name: impl AsRef<Path>,
    bytes: &[u8],
    options: &ImportOptions,
) -> Result<(Field, ImportReport)> {
    read(name.as_ref(), Cursor::new(bytes), options)
}

/// What a reader found in a file, before it becomes a field.
struct Grid {
    format: Format,
    width: u32,
    height: u32,
    bit_depth: u32,
    byte_order: Option<ByteOrder>,
    /// Row-major, row 0 in the north, `width × height` of them.
    values: Vec<u16>,
    meaning: Meaning,
    /// Metres between samples, where the file says.
    spacing: Option<DVec2>,
    notes: Notes,
}

/// What a grid's values stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// Codes of a range that the file does not know.
    Codes,
    /// Whole metres plus 32768, and 0 for a void: signed samples in unsigned order.
    Metres,
}

/// The lines of a report that grow while a file is read.
#[derive(Default)]
struct Notes {
    assumptions: Vec<String>,
    warnings: Vec<String>,
}

impl Notes {
    fn assume(&mut self, line: impl Into<String>) {
        self.assumptions.push(line.into());
    }

    fn warn(&mut self, line: impl Into<String>) {
        self.warnings.push(line.into());
    }
}

fn read(
    name: &Path,
    mut input: impl BufRead + Seek,
    options: &ImportOptions,
) -> Result<(Field, ImportReport)> {
    options.check()?;
    let unreadable = |error: std::io::Error| Error::file(name, format!("cannot be read: {error}"));
    let mut head = Vec::new();
    input.by_ref().take(8).read_to_end(&mut head).map_err(unreadable)?;
    if head.is_empty() {
        return Err(Error::file(name, "the file is empty"));
    }
    let bytes = input.seek(SeekFrom::End(0)).map_err(unreadable)?;
    input.rewind().map_err(unreadable)?;
    let grid = match format_of(name, &head)? {
        Format::Png => png_file::read(name, input, bytes, options)?,
        Format::Raw16 => raw16::read(name, input, bytes, options)?,
        Format::Hgt => hgt::read(name, input, bytes, options)?,
    };
    assemble::assemble(name, grid, options)
}

const SUPPORTED: &str =
    "supported are PNG (grey, 8 or 16 bits), raw 16-bit samples (.r16, .raw) and SRTM (.hgt)";

fn format_of(name: &Path, head: &[u8]) -> Result<Format> {
    if head.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Ok(Format::Png);
    }
    let extension = name.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    match (extension.as_str(), looks_like(head)) {
        ("r16" | "raw", _) => Ok(Format::Raw16),
        ("hgt", _) => Ok(Format::Hgt),
        (_, Some(kind)) => {
            Err(Error::file(name, format!("looks like {kind}, which is not read; {SUPPORTED}")))
        }
        ("png", None) => {
            Err(Error::file(name, "is named .png but has no PNG signature: broken, or truncated"))
        }
        _ => Err(Error::file(name, format!("neither its content nor its name says what it is; {SUPPORTED}"))),
    }
}

/// Names a file kind that people try and that is not read, by its first bytes.
fn looks_like(head: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 13] = [
        (b"II*\0", "a TIFF"),
        (b"MM\0*", "a TIFF"),
        (b"II+\0", "a BigTIFF"),
        (b"MM\0+", "a BigTIFF"),
        (b"\x76\x2f\x31\x01", "an OpenEXR picture"),
        (b"\xff\xd8\xff", "a JPEG picture"),
        (b"PK\x03\x04", "a zip archive (or an .npz)"),
        (b"\x1f\x8b", "a gzip archive"),
        (b"\x93NUMPY", "a NumPy array"),
        (b"DDS ", "a DDS texture"),
        (b"RTL_", "a Lumix terrain with a header"),
        (b"ncols", "an Esri ASCII grid"),
        (b"NCOLS", "an Esri ASCII grid"),
    ];
    KINDS.iter().find(|(magic, _)| head.starts_with(magic)).map(|&(_, kind)| kind)
}

/// Refuses a size before memory is taken for it.
fn check_size(name: &Path, width: u32, height: u32, options: &ImportOptions) -> Result<()> {
    let refuse = |why: String| Err(Error::file(name, why));
    if let Some((stated_width, stated_height)) = options.raw_size
        && (stated_width, stated_height) != (width, height)
    {
        return refuse(format!(
            "is {width}×{height} samples, but {stated_width}×{stated_height} were stated"
        ));
    }
    if width < 2 || height < 2 {
        return refuse(format!("{width}×{height} samples span no ground; a map needs at least 2×2 samples"));
    }
    let samples = u64::from(width) * u64::from(height);
    if width > FieldDesc::MAX_SIDE || height > FieldDesc::MAX_SIDE || samples > MAX_SAMPLES {
        return refuse(format!(
            "claims {width}×{height} samples, more than {MAX_SAMPLES} in all or {} a side; split it into several maps",
            FieldDesc::MAX_SIDE
        ));
    }
    Ok(())
}

/// Reads `count` 16-bit samples, through a buffer of a few rows.
fn read_samples(name: &Path, mut input: impl Read, count: usize, order: ByteOrder) -> Result<Vec<u16>> {
    let mut values = Vec::with_capacity(count);
    let mut buffer = vec![0u8; (2 * count).min(1 << 16)];
    while values.len() < count {
        let bytes = (2 * (count - values.len())).min(buffer.len());
        let chunk = &mut buffer[..bytes];
        input.read_exact(chunk).map_err(|error| Error::file(name, format!("cannot be read: {error}")))?;
        values.extend(chunk.chunks_exact(2).map(|pair| order.decode([pair[0], pair[1]])));
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(name: &str, bytes: &[u8]) -> String {
        import_bytes(name, bytes, &ImportOptions::default()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_not_read_is_named() {
        assert!(refusal("dem.tif", b"II*\0........").contains("looks like a TIFF"));
        assert!(refusal("N27E086.hgt.zip", b"PK\x03\x04....").contains("zip archive"));
        let unknown = refusal("heights.dat", &[7; 32]);
        assert!(
            unknown.contains("heights.dat") && unknown.contains(".r16") && unknown.contains(".hgt"),
            "{unknown}"
        );
        assert!(refusal("a.png", &[7; 32]).contains("no PNG signature"));
    }

    #[test]
    fn nothing_in_memory_is_an_empty_file() {
        for name in ["a.png", "a.r16", "N00E000.hgt", "a"] {
            assert_eq!(refusal(name, b""), format!("{name}: the file is empty"));
        }
    }

    #[test]
    fn options_are_refused_before_the_file_is_read() {
        let bytes = [0u8; 8];
        let refuse =
            |options: ImportOptions| import_bytes("a.r16", &bytes, &options).unwrap_err().to_string();
        assert!(refuse(ImportOptions::default().with_range(5.0, 3.0)).contains("below the upper"));
        assert!(refuse(ImportOptions::default().with_spacing(0.0, 1.0)).contains("above 0"));
        assert!(refuse(ImportOptions::default().with_tile_samples(100)).contains("for instance 128"));
        import_bytes("A.RAW", &bytes, &ImportOptions::default()).unwrap();
    }

    #[test]
    fn a_path_that_is_no_file_is_an_error() {
        assert!(import("no/such/file.png", &ImportOptions::default()).is_err());
        assert!(import(".", &ImportOptions::default()).is_err());
    }
}
