//! Zip archives of NumPy arrays, through the `zip` crate: stored or deflated members.

use super::grid::Grid;
use super::npy::{Header, read_elements};
use super::{DEFLATE_LIMIT, Format, ImportOptions};
use crate::{Error, Result};
use std::io::{BufRead, Seek};
use std::path::Path;
use zip::ZipArchive;
use zip::result::ZipError;

/// An archive of more members is not looked through.
const MOST_MEMBERS: usize = 1000;
/// As many arrays are named when one cannot be chosen.
const MOST_NAMED: usize = 20;

/// Reads the stated array of an archive, or its only map.
pub(super) fn read(name: &Path, input: impl BufRead + Seek, options: &ImportOptions) -> Result<Grid> {
    let broken = |error: ZipError| Error::file(name, reason(&error));
    let mut archive = ZipArchive::new(input).map_err(broken)?;
    if archive.len() > MOST_MEMBERS {
        let why = format!("an archive of {} members; up to {MOST_MEMBERS} are looked through", archive.len());
        return Err(Error::file(name, why));
    }
    let mut arrays = Vec::new();
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).map_err(broken)?;
        let Some(array) = member.name().map_err(broken)?.strip_suffix(".npy").map(str::to_owned) else {
            continue;
        };
        let header = Header::read(&mut member);
        arrays.push(Array { index, name: array, header });
    }
    let chosen = choose(&arrays, options).map_err(|why| Error::file(name, why))?;
    let in_array = |why: &str| Error::file(name, format!("array `{}`: {why}", chosen.name));
    let header = chosen.header.as_ref().map_err(|why| in_array(why))?;
    let mut member = archive.by_index(chosen.index).map_err(broken)?;
    let bytes = member.size().min(member.compressed_size().saturating_mul(DEFLATE_LIMIT));
    Header::read(&mut member).map_err(|why| in_array(&why))?;
    let mut grid = read_elements(name, member, header, bytes, options)?;
    grid.format = Format::Npz;
    if options.array.is_none() && arrays.len() > 1 {
        grid.notes.assume(format!(
            "array `{}`, the only map of the archive's {} arrays; state another (--array, or ImportOptions::with_array)",
            chosen.name,
            arrays.len()
        ));
    }
    Ok(grid)
}

/// An array of an archive.
struct Array {
    index: usize,
    name: String,
    header: Result<Header, String>,
}

impl Array {
    fn is_map(&self) -> bool {
        self.header.as_ref().is_ok_and(|header| {
            header.element.is_ok()
                && header.shape.len() == 2
                && header.shape.iter().all(|&length| length >= 2)
        })
    }

    fn describe(&self) -> String {
        match &self.header {
            Ok(header) => format!("`{}` {}", self.name, header.shape_text()),
            Err(_) => format!("`{}` (broken)", self.name),
        }
    }
}

/// The stated array, or the only map. The error is a sentence that lists what there is.
fn choose<'a>(arrays: &'a [Array], options: &ImportOptions) -> Result<&'a Array, String> {
    if arrays.is_empty() {
        return Err("a zip archive without a NumPy array".to_owned());
    }
    let list = || {
        let more = if arrays.len() > MOST_NAMED { " and others" } else { "" };
        let names: Vec<_> = arrays.iter().take(MOST_NAMED).map(Array::describe).collect();
        format!("it has {}{more}", names.join(", "))
    };
    if let Some(wanted) = &options.array {
        let wanted = wanted.strip_suffix(".npy").unwrap_or(wanted);
        return arrays
            .iter()
            .find(|array| array.name == wanted)
            .ok_or_else(|| format!("there is no array `{wanted}`; {}", list()));
    }
    let mut maps = arrays.iter().filter(|array| array.is_map());
    match (maps.next(), maps.next()) {
        (Some(map), None) => Ok(map),
        (None, _) => Err(format!("none of its arrays is a two-dimensional one of numbers; {}", list())),
        (Some(_), Some(_)) => Err(format!(
            "several of its arrays may be the map; state one (--array, or ImportOptions::with_array); {}",
            list()
        )),
    }
}

/// A sentence for what the archive's reader says.
fn reason(error: &ZipError) -> String {
    match error {
        ZipError::Io(error) => format!("cannot be read: {error}"),
        ZipError::UnsupportedArchive(what) => {
            format!(
                "an archive that is not read ({what}); members must be stored or deflated, without a password"
            )
        }
        error => format!("a broken or truncated zip archive: {error}"),
    }
}

#[cfg(test)]
mod tests;
