//! Files people have → a [`Field`] and a report of what was found, assumed and doubted.
//!
//! | format | recognised by | heights |
//! |---|---|---|
//! | PNG, 8 or 16 bits | its signature | codes; [`ImportOptions::range`] says what they are in metres |
//! | raw 16-bit samples | `.r16`, `.raw` | codes, the same way |
//! | SRTM hgt | `.hgt` and 1201² or 3601² samples | metres, with voids |
//! | Esri ASCII grid | `ncols` or another word of its header, `.asc` | metres, with voids |
//! | USGS ASCII DEM | its first record, `.dem` | metres or feet, with voids |
//! | NumPy array, alone or in an .npz | its signature | metres, with voids where they are stated |
//!
//! Metres become the 65536 codes of a range whose ends are exact; [`ImportReport::range`] says how wide a step is. NaN,
//! infinities and the value that the file declares or [`ImportOptions::nodata`] states are voids: they become holes and
//! enter neither a minimum nor a bound.
//!
//! Row 0 of a file is the north edge of the map and column 0 the west edge, always, and nothing is resampled, padded or
//! cropped: a file of W×H samples becomes a field of W×H samples. What cannot be taken exactly is refused with a
//! sentence that names it, or taken with a line in [`ImportReport::warnings`].
//!
//! A reader owns its file only while it reads; beside the field's own samples it holds a row or so.

mod asc;
mod assemble;
mod degrees;
mod export;
mod fill;
mod format;
mod grid;
mod hgt;
mod npy;
mod npz;
mod options;
mod png_file;
mod raw16;
mod report;
mod survey;
mod usgs_dem;

pub use export::{export_png16, export_r16};
pub use format::Format;
pub use options::{ByteOrder, ImportOptions};
pub use report::ImportReport;

use crate::field::{Field, FieldDesc};
use crate::{Error, Result};
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::Path;

/// The most samples that a file may claim, 2²⁸ (16384×16384, half a gibibyte).
pub const MAX_SAMPLES: u64 = 1 << 28;

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

fn read(
    name: &Path,
    mut input: impl BufRead + Seek,
    options: &ImportOptions,
) -> Result<(Field, ImportReport)> {
    options.check()?;
    let unreadable = |error: std::io::Error| Error::file(name, format!("cannot be read: {error}"));
    let mut head = Vec::new();
    input.by_ref().take(format::HEAD).read_to_end(&mut head).map_err(unreadable)?;
    if head.is_empty() {
        return Err(Error::file(name, "the file is empty"));
    }
    let bytes = input.seek(SeekFrom::End(0)).map_err(unreadable)?;
    input.rewind().map_err(unreadable)?;
    let grid = match format::format_of(name, &head)? {
        Format::Png => png_file::read(name, input, bytes, options)?,
        Format::Raw16 => raw16::read(name, input, bytes, options)?,
        Format::Hgt => hgt::read(name, input, bytes, options)?,
        Format::EsriAscii => asc::read(name, input, bytes, options)?,
        Format::UsgsDem => usgs_dem::read(name, input, bytes, options)?,
        Format::Npy => npy::read(name, input, bytes, options)?,
        Format::Npz => npz::read(name, input, options)?,
    };
    assemble::assemble(name, grid, options)
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
fn read_samples<T>(
    name: &Path,
    mut input: impl Read,
    count: usize,
    decode: impl Fn([u8; 2]) -> T,
) -> Result<Vec<T>> {
    let mut values = Vec::with_capacity(count);
    let mut buffer = vec![0u8; (2 * count).min(1 << 16)];
    while values.len() < count {
        let bytes = (2 * (count - values.len())).min(buffer.len());
        let chunk = &mut buffer[..bytes];
        input.read_exact(chunk).map_err(|error| Error::file(name, format!("cannot be read: {error}")))?;
        values.extend(chunk.chunks_exact(2).map(|pair| decode([pair[0], pair[1]])));
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
