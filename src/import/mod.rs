//! Files people have → a [`Field`] and a report of what was found, assumed and doubted; and fields as files.
//!
//! | format | recognised by | numbers |
//! |---|---|---|
//! | GeoTIFF, a band of it | its signature | heights in metres or another unit, with voids; normalised where it is unsigned and says nothing about any ground |
//! | PNG, 8 or 16 bits | its signature | normalised; heights in the colours of a Terrarium or Terrain-RGB tile |
//! | raw samples | `.r8`, `.r16`, `.raw`, `.r32`, `.f32`, or stated | normalised where they are of 8 or 16 bits unsigned, else heights |
//! | SRTM hgt | `.hgt` and 1201² or 3601² samples | metres, with voids |
//! | Esri ASCII grid | `ncols` or another word of its header, `.asc` | heights, with voids |
//! | USGS ASCII DEM | its first record, `.dem` | metres or feet, with voids |
//! | NumPy array, alone or in an .npz | its signature | heights, with voids where they are stated |
//! | OpenEXR, a channel of it | its signature | heights |
//! | terrain folder | its `terrain.json` | normalised, with range, spacing and holes |
//!
//! [`Heightmap`] has the numbers as the file has them. In a field they are the 65536 codes of a range whose ends are exact;
//! [`ImportReport::range`] says how wide a step is. Normalised numbers are parts of a range that the file does not know.
//! NaN, infinities and the value that the file declares or [`ImportOptions::nodata`] states are voids: they become holes, or
//! ground by [`ImportOptions::fill`], and enter neither a minimum nor a bound.
//!
//! Row 0 of a file is the north edge of the map and column 0 the west edge, and a file of W×H samples becomes a field of W×H
//! samples, unless the options ask for a crop, a flip or another spacing. What cannot be taken exactly is refused with a
//! sentence that names it, or taken with a line in [`ImportReport::warnings`].
//!
//! With the feature `textures` the room also reads what layers are drawn with: `TextureRequest`, from PNG, JPEG and KTX2 files
//! to texels and their mips.
//!
//! A reader owns its file only while it reads. It holds the samples of what is kept, in the file's own type, and a row, a
//! block or a tile; the samples give their memory back while they become codes.

mod asc;
mod below_holes;
mod canvas;
mod channel;
mod degrees;
mod doubts;
mod encoding;
mod export;
mod export_exr;
mod export_tiff;
mod exr_file;
mod folder;
mod format;
mod grid;
mod ground;
mod heightmap;
mod hgt;
mod hole_mask;
mod mask;
mod meaning;
mod npy;
mod npz;
mod options;
mod png_file;
mod raw;
mod report;
mod resample;
mod rows;
mod survey;
#[cfg(feature = "textures")]
mod texture;
mod tiff_file;
mod units;
mod usgs_dem;
mod values;
mod void_fill;
mod watch;
mod weights;

pub use channel::Channel;
pub use encoding::{Encoding, Fill};
pub use export::{export_png16, export_r16};
pub use export_exr::export_exr;
pub use export_tiff::export_geotiff;
pub use folder::export_folder;
pub use format::Format;
pub use heightmap::Heightmap;
pub use hole_mask::{HoleOptions, HolePicture, import_holes};
pub use options::{ByteOrder, Flip, ImportOptions, Resample};
pub use report::ImportReport;
pub use resample::Filter;
#[cfg(feature = "textures")]
pub use texture::{Blocks, TexelFormat, TextureData, TextureRequest};
pub use units::Units;
pub use values::SampleType;
pub use weights::{
    Alpha, IdOptions, IdReport, WeightFiles, WeightOptions, WeightReport, export_weights, import_ids,
    import_weights,
};

use crate::field::{Field, FieldDesc, SampleRect};
use crate::{Error, Result};
use grid::Grid;
use std::cell::Cell;
use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::ops::ControlFlow;
use std::path::Path;
use watch::Watched;

/// The most samples that are kept of a file, 2²⁸ (16384×16384, half a gibibyte of a field).
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
    Heightmap::read(path, options)?.into_field()
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
    Heightmap::read_from(name, Cursor::new(bytes), options)?.into_field()
}

/// Reads a heightmap into a rectangle of a field, which must be as large as the map. Nothing outside of it changes but the
/// quads that touch its border; where the file cannot be read or does not fit, nothing changes.
///
/// # Errors
/// As [`import`], and as [`Heightmap::write_into`].
pub fn import_into(
    field: &mut Field,
    rect: SampleRect,
    path: impl AsRef<Path>,
    options: &ImportOptions,
) -> Result<ImportReport> {
    Heightmap::read(path, options)?.write_into(field, rect)
}

impl Heightmap {
    /// Reads a file. The format is found by content first and by the file's extension second.
    ///
    /// # Errors
    /// As [`import`].
    pub fn read(path: impl AsRef<Path>, options: &ImportOptions) -> Result<Self> {
        let path = path.as_ref();
        let (grid, options) = decode_path(path, options, |input| input)?;
        Heightmap::of(path, grid, &options, &mut |_| ControlFlow::Continue(()))
    }

    /// Reads what any reader gives, from its first byte on. `name` stands for the path: its extension, an hgt's latitude,
    /// error messages.
    ///
    /// # Errors
    /// As [`import`].
    pub fn read_from(
        name: impl AsRef<Path>,
        input: impl BufRead + Seek,
        options: &ImportOptions,
    ) -> Result<Self> {
        let name = name.as_ref();
        let grid = decode(name, input, options)?;
        Heightmap::of(name, grid, options, &mut |_| ControlFlow::Continue(()))
    }

    /// Reads a file and tells how far it is, from 0 to 1, and where voids are filled once more from 0 to 1; ends with
    /// nothing where it is told to break off.
    ///
    /// # Errors
    /// As [`import`].
    pub fn read_watched(
        path: impl AsRef<Path>,
        options: &ImportOptions,
        progress: &mut dyn FnMut(f64) -> ControlFlow<()>,
    ) -> Result<Option<Self>> {
        let path = path.as_ref();
        let stopped = Cell::new(false);
        let mut told = |part: f64| {
            let flow = progress(part);
            stopped.set(flow.is_break());
            flow
        };
        let decoded = decode_path(path, options, |input| Watched::new(input, &mut told, &stopped));
        let map = decoded.and_then(|(grid, options)| Heightmap::of(path, grid, &options, &mut told));
        match map {
            Err(_) if stopped.get() => Ok(None),
            map => map.map(Some),
        }
    }
}

/// Reads a file, or the heights of a terrain folder, whose description adds to the options. `wrap` makes the reader of the
/// opened file.
fn decode_path<R: BufRead + Seek>(
    path: &Path,
    options: &ImportOptions,
    wrap: impl FnOnce(BufReader<File>) -> R,
) -> Result<(Grid, ImportOptions)> {
    match folder::heights_of(path) {
        Some(heights) => folder::read(&heights, wrap(open(&heights)?), options),
        None => Ok((decode(path, wrap(open(path)?), options)?, options.clone())),
    }
}

fn open(path: &Path) -> Result<BufReader<File>> {
    if path.is_dir() {
        let why = format!("is a folder without {}, which a terrain folder has", folder::DESCRIPTION);
        return Err(Error::file(path, why));
    }
    let file = File::open(path).map_err(|error| Error::file(path, format!("cannot be opened: {error}")))?;
    Ok(BufReader::with_capacity(1 << 16, file))
}

fn decode(name: &Path, mut input: impl BufRead + Seek, options: &ImportOptions) -> Result<Grid> {
    options.check()?;
    let failed = |error: std::io::Error| unreadable(name, &error);
    let mut head = Vec::new();
    input.by_ref().take(format::HEAD).read_to_end(&mut head).map_err(failed)?;
    if head.is_empty() {
        return Err(Error::file(name, "the file is empty"));
    }
    let bytes = length_of(name, &mut input)?;
    let format = format::format_of(name, &head, options)?;
    if options.encoding.is_colours() && format != Format::Png {
        let why = format!("is {format}, which has no colours; encoding {} is one of a PNG", options.encoding);
        return Err(Error::file(name, why));
    }
    match format {
        Format::Png => png_file::read(name, input, bytes, options),
        Format::Raw => raw::read(name, input, bytes, options),
        Format::Hgt => hgt::read(name, input, bytes, options),
        Format::EsriAscii => asc::read(name, input, bytes, options),
        Format::UsgsDem => usgs_dem::read(name, input, bytes, options),
        Format::Npy => npy::read(name, input, bytes, options),
        Format::GeoTiff => tiff_file::read(name, input, bytes, options),
        Format::Npz => npz::read(name, input, options),
        Format::OpenExr => exr_file::read(name, input, bytes, options),
        Format::Folder => Err(Error::file(name, "is no single file")),
    }
}

/// Bytes of a file, which then is at its start.
fn length_of(name: &Path, input: &mut impl Seek) -> Result<u64> {
    let length = input.seek(SeekFrom::End(0)).and_then(|length| input.rewind().map(|()| length));
    length.map_err(|error| unreadable(name, &error))
}

/// The error of a file that cannot be read on.
fn unreadable(name: &Path, error: &std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => Error::file(name, "ends before its last sample: truncated"),
        _ => Error::file(name, format!("cannot be read: {error}")),
    }
}

/// Deflate cannot pack more than 1032 bytes into one, so what claims more than its file can hold is refused before memory
/// is taken for it.
const DEFLATE_LIMIT: u64 = 1040;

/// The sentence for such a claim.
fn beyond_the_file(width: u32, height: u32, bytes: u64) -> String {
    format!(
        "claims {width}×{height} samples, which cannot be in a file of {bytes} bytes: truncated, or not what it says"
    )
}

/// The part of a file that is kept: refuses a size before memory is taken for it.
fn window_of(name: &Path, width: u32, height: u32, options: &ImportOptions) -> Result<SampleRect> {
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
    if width > FieldDesc::MAX_SIDE || height > FieldDesc::MAX_SIDE {
        return refuse(format!(
            "claims {width}×{height} samples, more than {} a side; split it into several files",
            FieldDesc::MAX_SIDE
        ));
    }
    let window = options.crop.unwrap_or(SampleRect::new(0, 0, width, height));
    if window != window.clipped(width, height) {
        return refuse(format!(
            "has {width}×{height} samples, and the crop of columns {} to {} and rows {} to {} reaches past them",
            window.x0, window.x1, window.z0, window.z1
        ));
    }
    if u64::from(window.width()) * u64::from(window.height()) > MAX_SAMPLES {
        return refuse(format!(
            "{}×{} samples are more than {MAX_SAMPLES}; take a part of it (--crop, or ImportOptions::with_crop)",
            window.width(),
            window.height()
        ));
    }
    Ok(window)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(name: &str, bytes: &[u8]) -> String {
        import_bytes(name, bytes, &ImportOptions::default()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_not_read_is_named() {
        assert!(refusal("dem.jpg", b"\xff\xd8\xff\xe0....").contains("looks like a JPEG"));
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
