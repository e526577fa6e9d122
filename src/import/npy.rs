//! NumPy arrays: a signature, a header that is a Python dictionary, then the elements. (NumPy, *NEP 1: A Simple File
//! Format for NumPy Arrays*.) A two-dimensional array of integers or floats is a map of metres, axis 0 to the south and
//! axis 1 to the east.

mod header;

use super::grid::{Grid, Notes};
use super::rows::Layout;
use super::values::Values;
use super::{ByteOrder, Format, ImportOptions, SampleType, beyond_the_file, window_of};
use crate::field::SampleRect;
use crate::{Error, Result};
use half::f16;
use std::cell::Cell;
use std::io::{ErrorKind, Read};
use std::path::Path;

pub(super) use header::{Element, Header};

/// Reads an array from a file of `bytes` bytes.
pub(super) fn read(name: &Path, mut input: impl Read, bytes: u64, options: &ImportOptions) -> Result<Grid> {
    let header = Header::read(&mut input).map_err(|why| Error::file(name, why))?;
    read_elements(name, input, &header, bytes, options)
}

/// Reads the elements of an array that is in a file of `bytes` bytes, or packed can be in as many.
pub(super) fn read_elements(
    name: &Path,
    input: impl Read,
    header: &Header,
    bytes: u64,
    options: &ImportOptions,
) -> Result<Grid> {
    let refuse = |why: String| Error::file(name, why);
    let element = header.element.as_ref().map_err(|kind| {
        refuse(format!("an array of {kind}, which is not read; supported are integers of 1 to 8 bytes and floats of 2, 4 and 8"))
    })?;
    let &[rows, columns] = header.shape.as_slice() else {
        return Err(refuse(format!(
            "an array of shape {}; a map has two dimensions, rows and columns",
            header.shape_text()
        )));
    };
    let side = |length: u64| u32::try_from(length).unwrap_or(u32::MAX);
    let (width, height) = (side(columns), side(rows));
    let window = window_of(name, width, height, options)?;
    let claimed = u64::from(width) * u64::from(height) * element.bytes() as u64;
    if claimed > bytes {
        return Err(refuse(beyond_the_file(width, height, bytes)));
    }
    // What is widened is read by its own bytes; the sample type of the layout is not asked for then.
    let layout =
        Layout { width, height, sample: SampleType::F64, order: header.order, columns_first: header.fortran };
    let values = read_values(*element, layout, input, window).map_err(refuse)?;
    let mut notes = Notes::default();
    notes.assume("row 0 is the north edge, because an array does not say");
    Ok(Grid {
        bit_depth: 8 * element.bytes() as u32,
        byte_order: (element.bytes() > 1).then_some(header.order),
        notes,
        ..Grid::new(Format::Npy, (width, height), window, values)
    })
}

/// Reads the elements and makes sure that nothing follows them.
fn read_values(
    element: Element,
    layout: Layout,
    mut input: impl Read,
    window: SampleRect,
) -> Result<Values, String> {
    let values = match element {
        Element::Sample(sample) => Layout { sample, ..layout }.read(&mut input, window),
        Element::I8 => {
            layout.fill(&mut input, window, |byte| i16::from(i8::from_le_bytes(byte))).map(Values::I16)
        }
        Element::F16 => {
            let big = layout.order == ByteOrder::Big;
            let half = |bytes| if big { f16::from_be_bytes(bytes) } else { f16::from_le_bytes(bytes) };
            layout.fill(&mut input, window, |bytes| half(bytes).to_f32()).map(Values::F32)
        }
        Element::I64 | Element::U64 => read_wide(element, layout, &mut input, window)?.map(Values::F64),
    };
    let values = values.map_err(|error| unreadable(&error))?;
    // In an archive this is also where its checksum is compared.
    match input.read(&mut [0; 1]) {
        Ok(0) => Ok(values),
        Ok(_) => Err("goes on behind its last element; only a file of one array is read".to_owned()),
        Err(error) => Err(unreadable(&error)),
    }
}

/// Reads integers of 64 bits, which are what NumPy makes of whole numbers, where 64-bit floats hold each of them.
fn read_wide(
    element: Element,
    layout: Layout,
    input: impl Read,
    window: SampleRect,
) -> Result<std::io::Result<Vec<f64>>, String> {
    const EXACT: i128 = 1 << 53;
    let big = layout.order == ByteOrder::Big;
    let rounded = Cell::new(false);
    let values = layout.fill(input, window, |bytes: [u8; 8]| {
        let bits = if big { u64::from_be_bytes(bytes) } else { u64::from_le_bytes(bytes) };
        let value = if element == Element::U64 { i128::from(bits) } else { i128::from(bits.cast_signed()) };
        rounded.set(rounded.get() || value.abs() > EXACT);
        value as f64
    });
    if rounded.get() {
        return Err("holds integers beyond 2^53, which are no heights".to_owned());
    }
    Ok(values)
}

/// A sentence for what kept an array from being read.
fn unreadable(error: &std::io::Error) -> String {
    match error.kind() {
        ErrorKind::UnexpectedEof => "the array ends before its last element: truncated".to_owned(),
        _ => format!("cannot be read: {error}"),
    }
}

#[cfg(test)]
pub(super) mod tests;
