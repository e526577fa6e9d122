//! Which format a file is, by its content first and its name second.

use super::{ImportOptions, asc, tiff_file, usgs_dem};
use crate::{Error, Result};
use std::fmt;
use std::path::Path;

/// A file format that [`import`](super::import()) reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// PNG, 8 or 16 bits a sample.
    Png,
    /// Samples and nothing else.
    Raw,
    /// A one-degree tile of the Shuttle Radar Topography Mission: signed 16-bit metres, −32768 for a void.
    Hgt,
    /// Esri ASCII grid: a header of words and numbers, then a number a sample, rows from north to south.
    EsriAscii,
    /// USGS ASCII digital elevation model: records of 1024 bytes, a profile a column, from south to north.
    UsgsDem,
    /// GeoTIFF, or a TIFF that is not on the ground: one band of it.
    GeoTiff,
    /// NumPy array, two-dimensional.
    Npy,
    /// Zip archive of NumPy arrays, of which one is taken.
    Npz,
    /// OpenEXR picture, of which one channel is taken.
    OpenExr,
    /// A terrain folder, as [`export_folder`](super::export_folder) writes it.
    Folder,
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Format::Png => "PNG",
            Format::Raw => "raw samples",
            Format::Hgt => "SRTM hgt",
            Format::EsriAscii => "Esri ASCII grid",
            Format::UsgsDem => "USGS ASCII DEM",
            Format::GeoTiff => "GeoTIFF",
            Format::Npy => "NumPy array",
            Format::Npz => "NumPy archive",
            Format::OpenExr => "OpenEXR",
            Format::Folder => "terrain folder",
        })
    }
}

/// As many first bytes of a file as tell its format.
pub(super) const HEAD: u64 = 1024;

const SUPPORTED: &str = "supported are GeoTIFF (.tif), PNG (grey, or heights in colours), raw samples (.r8, .r16, .r32, .f32, \
                         .raw), SRTM (.hgt), OpenEXR (.exr), Esri ASCII grids (.asc), USGS ASCII DEM (.dem), NumPy arrays \
                         (.npy, .npz) and terrain folders";

/// The format of a file that begins with `head`.
pub(super) fn format_of(name: &Path, head: &[u8], options: &ImportOptions) -> Result<Format> {
    if head.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Ok(Format::Png);
    }
    if tiff_file::is_header(head) {
        return Ok(Format::GeoTiff);
    }
    if head.starts_with(b"\x93NUMPY") {
        return Ok(Format::Npy);
    }
    if head.starts_with(b"\x76\x2f\x31\x01") {
        return Ok(Format::OpenExr);
    }
    if asc::is_header(head) {
        return Ok(Format::EsriAscii);
    }
    // Who states how raw samples lie knows that they are, unless the content says what it is.
    if (options.sample_type.is_some() || options.offset > 0)
        && looks_like(head).is_none_or(|kind| kind == LUMIX)
    {
        return Ok(Format::Raw);
    }
    let extension = name.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    match (extension.as_str(), looks_like(head)) {
        ("r8" | "r16" | "r32" | "f32" | "raw", _) => Ok(Format::Raw),
        ("hgt", _) => Ok(Format::Hgt),
        ("npz", Some(ZIP)) => Ok(Format::Npz),
        (_, Some(ZIP)) if holds_npy(head) => Ok(Format::Npz),
        (_, Some(kind)) => {
            Err(Error::file(name, format!("looks like {kind}, which is not read; {SUPPORTED}")))
        }
        ("png", None) => {
            Err(Error::file(name, "is named .png but has no PNG signature: broken, or truncated"))
        }
        ("tif" | "tiff", None) => Err(Error::file(
            name,
            format!("is named .{extension} but has no TIFF signature: broken, or truncated"),
        )),
        ("exr", None) => {
            Err(Error::file(name, "is named .exr but has no OpenEXR signature: broken, or truncated"))
        }
        ("npy" | "npz", None) => Err(Error::file(
            name,
            format!("is named .{extension} but begins with no signature of NumPy's: broken, or truncated"),
        )),
        ("asc", None) => Ok(Format::EsriAscii),
        ("dem", None) => Ok(Format::UsgsDem),
        _ if usgs_dem::is_header(head) => Ok(Format::UsgsDem),
        _ => Err(Error::file(name, format!("neither its content nor its name says what it is; {SUPPORTED}"))),
    }
}

const ZIP: &str = "a zip archive";
const LUMIX: &str = "a Lumix terrain with a header";

/// True for a zip archive whose first file is an array.
fn holds_npy(head: &[u8]) -> bool {
    let Some(length) = head.get(26..28) else { return false };
    let length = usize::from(u16::from_le_bytes([length[0], length[1]]));
    head.get(30..30 + length).is_some_and(|name| name.ends_with(b".npy"))
}

/// Names a file kind that people try and that is not read, by its first bytes.
pub(super) fn looks_like(head: &[u8]) -> Option<&'static str> {
    const KINDS: [(&[u8], &str); 5] = [
        (b"\xff\xd8\xff", "a JPEG picture"),
        (b"PK\x03\x04", ZIP),
        (b"\x1f\x8b", "a gzip archive"),
        (b"DDS ", "a DDS texture"),
        (b"RTL_", LUMIX),
    ];
    KINDS.iter().find(|(magic, _)| head.starts_with(magic)).map(|&(_, kind)| kind)
}
