//! GeoTIFF, and TIFF without any geography: whole numbers and floats of 8 to 64 bits, in strips or tiles, packed by LZW,
//! deflate, PackBits or zstd. (Adobe, *TIFF 6.0*; Adobe, *TIFF Technical Note 3*; OGC 19-008, *GeoTIFF*.)
//!
//! Directories are read here and checked against the length of the file before memory is taken for what they claim; the
//! crates of each packing unpack. Beside the window, the memory of some rows is taken, and what a packing looks back at.

mod directory;
mod gdal;
mod geo;
mod geo_keys;
mod picture;
mod predictor;
mod samples;
mod unpack;

use super::grid::{Grid, Notes};
use super::meaning::Meaning;
use super::values::Values;
use super::{Encoding, Format, ImportOptions, window_of};
use crate::{Error, Result};
use directory::{Directory, Pages, Source, tag};
use gdal::Said;
use geo::Ground;
use picture::Picture;
use samples::Samples;
use std::io::{BufRead, Seek};
use std::path::Path;

/// True where a file begins as a TIFF does.
pub(super) fn is_header(head: &[u8]) -> bool {
    [b"II*\0", b"MM\0*", b"II+\0", b"MM\0+"].into_iter().any(|magic| head.starts_with(magic))
}

/// Reads the first picture in full resolution of a file of `bytes` bytes.
pub(super) fn read(
    name: &Path,
    input: impl BufRead + Seek,
    bytes: u64,
    options: &ImportOptions,
) -> Result<Grid> {
    let refuse = |why: String| Error::file(name, why);
    let mut notes = Notes::default();
    let mut source = Source::new(input, bytes).map_err(refuse)?;
    let pages = source.pages().map_err(refuse)?;
    let directory = &pages.picture;
    let picture = Picture::of(&mut source, directory, options, &mut notes).map_err(refuse)?;
    let size = (picture.width, picture.height);
    let window = window_of(name, size.0, size.1, options)?;
    let said = Said::read(&mut source, directory, picture.band, &mut notes).map_err(refuse)?;
    let ground = Ground::read(&mut source, directory, window, &mut notes).map_err(refuse)?;
    let nodata = options.nodata.first().copied().or(said.nodata);
    let samples = samples::read(&mut source, directory, &picture, window, nodata).map_err(refuse)?;
    note_pages(&pages, &mut notes);
    note_missing(&samples, &picture, &mut notes);
    let is_a_map = ground.known || has_gdal_tags(directory);
    let meaning = match codes(&samples.values).filter(|_| !is_a_map) {
        Some(codes) => {
            if options.encoding == Encoding::Auto {
                notes.assume(
                    "an unsigned TIFF without geographic tags is taken as normalised; state the encoding, if its numbers \
                     are heights (--encoding heights, or ImportOptions::with_encoding)",
                );
            }
            codes
        }
        None => said.meaning(ground.units),
    };
    if matches!(meaning, Meaning::Heights { units: None, .. })
        && options.units.is_none()
        && ground.is_in_feet()
    {
        notes.warn(
            "the map's axes are in feet and no unit of heights is declared, so the heights may be in feet as well (--units \
             feet or us-feet, or ImportOptions::with_units)",
        );
    }
    Ok(Grid {
        bit_depth: 8 * picture.element.bytes() as u32,
        byte_order: (picture.element.bytes() > 1).then_some(source.order),
        meaning,
        nodata: said.nodata,
        spacing: ground.spacing,
        is_in_degrees: ground.is_in_degrees(),
        notes,
        ..Grid::new(Format::GeoTiff, size, window, samples.values)
    })
}

/// What unsigned samples are where nothing says that they are heights. None for the rest.
fn codes(values: &Values) -> Option<Meaning> {
    let unsigned = matches!(values, Values::U8(_) | Values::U16(_) | Values::U32(_));
    values.sample_type().full().filter(|_| unsigned).map(|full| Meaning::Codes { full })
}

fn has_gdal_tags(directory: &Directory) -> bool {
    directory.has(tag::GDAL_NODATA) || directory.has(tag::GDAL_METADATA)
}

fn note_pages(pages: &Pages, notes: &mut Notes) {
    if pages.count > 1 {
        notes.assume(format!("the first picture of {} in the file is the map", pages.count));
    }
    if pages.masked {
        notes.warn("the file has a mask of samples without heights, which is not read: if it marks voids, they are heights now");
    }
}

fn note_missing(samples: &Samples, picture: &Picture, notes: &mut Notes) {
    if samples.missing > 0 {
        notes.assume(format!(
            "{} for the samples of {} of {} {}s, which are not in the file",
            samples.absent,
            samples.missing,
            samples.of,
            picture.chunks.name()
        ));
    }
}

#[cfg(test)]
mod tests;
