//! Esri ASCII grids: a header of words and numbers, then a number a sample in rows from north to south. Words are read
//! in any case, numbers with a decimal point or comma, lines of any length. (Esri, *ArcGIS Desktop: Esri ASCII raster
//! format*.)
//!
//! Samples are 32-bit floats, which is what most writers of the format mean: a declared void is compared as one.

mod header;
mod words;

use super::canvas::Canvas;
use super::grid::{Grid, Notes};
use super::values::Values;
use super::{Format, ImportOptions, beyond_the_file, window_of};
use crate::field::SampleRect;
use crate::{Error, Result};
use header::Header;
use std::io::BufRead;
use std::path::Path;
use words::Words;

/// The void of a file that declares none, by the format's own rule.
const DEFAULT_VOID: f64 = -9999.0;

/// True where a file begins as a grid's header does.
pub(super) fn is_header(head: &[u8]) -> bool {
    let head = head.strip_prefix(words::BYTE_ORDER_MARK).unwrap_or(head).trim_ascii_start();
    ["ncols", "nrows"].into_iter().any(|word| {
        head.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
            && head.get(word.len()).is_some_and(u8::is_ascii_whitespace)
    })
}

/// Reads a grid from a file of `bytes` bytes.
pub(super) fn read(name: &Path, input: impl BufRead, bytes: u64, options: &ImportOptions) -> Result<Grid> {
    let refuse = |why: String| Error::file(name, why);
    let mut words = Words::new(input);
    let (header, first) = Header::read(&mut words).map_err(refuse)?;
    let (width, height) = (header.columns, header.rows);
    let window = window_of(name, width, height, options)?;
    let count = u64::from(width) * u64::from(height);
    // A digit and a blank each, the last without.
    if 2 * count - 1 > bytes {
        return Err(refuse(beyond_the_file(width, height, bytes)));
    }
    let mut notes = Notes::default();
    let (spacing, is_in_degrees) = match options.spacing {
        None => header.spacing(window, &mut notes).map_err(refuse)?,
        Some(_) => (None, false),
    };
    let values = read_samples(&mut words, first, (width, height), window).map_err(refuse)?;
    if words.commas {
        notes.assume("commas are decimal points");
    }
    if words.ends_within_a_word {
        notes.assume("the last sample is whole, although no line end follows it");
    }
    if header.nodata.is_none() && options.nodata.is_empty() && values.contains(&(DEFAULT_VOID as f32)) {
        notes.assume("−9999 for a void, the format's default, because the file declares none");
    }
    Ok(Grid {
        nodata: header.nodata.or(options.nodata.is_empty().then_some(DEFAULT_VOID)),
        spacing,
        is_in_degrees,
        notes,
        ..Grid::new(Format::EsriAscii, (width, height), window, Values::F32(values))
    })
}

/// Reads the samples, of which the header's reader has the first already.
fn read_samples<R: BufRead>(
    words: &mut Words<R>,
    first: f64,
    (width, height): (u32, u32),
    window: SampleRect,
) -> Result<Vec<f32>, String> {
    let count = u64::from(width) * u64::from(height);
    let mut canvas = Canvas::new(window);
    canvas.set(0, 0, first as f32);
    for index in 1..count {
        let (column, row) = ((index % u64::from(width)) as u32, (index / u64::from(width)) as u32);
        let Some(word) = words.next()? else {
            return Err(format!(
                "has {index} of {count} samples: the file is truncated, at column {column} of row {row}"
            ));
        };
        let value = words::number(word)
            .ok_or_else(|| format!("`{word}` is not a number, at column {column} of row {row}"))?;
        canvas.set(column, row, value as f32);
    }
    match words.next()? {
        None => Ok(canvas.into_values()),
        Some(word) => {
            Err(format!("has more than the {count} samples that its header claims; the next is `{word}`"))
        }
    }
}

#[cfg(test)]
mod tests;
