//! NumPy arrays: a signature, a header that is a Python dictionary, then the elements. (NumPy, *NEP 1: A Simple File
//! Format for NumPy Arrays*.) A two-dimensional array of integers or floats is a map of metres, axis 0 to the south and
//! axis 1 to the east.

mod header;

use super::grid::{Grid, Notes, Values};
use super::{ByteOrder, Format, ImportOptions, check_size};
use crate::{Error, Result};
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
        refuse(format!("an array of {kind}, which is not read; supported are u1, u2, i2, u4, i4, f4 and f8"))
    })?;
    let &[rows, columns] = header.shape.as_slice() else {
        return Err(refuse(format!(
            "an array of shape {}; a map has two dimensions, rows and columns",
            header.shape_text()
        )));
    };
    let side = |length: u64| u32::try_from(length).unwrap_or(u32::MAX);
    let (width, height) = (side(columns), side(rows));
    check_size(name, width, height, options)?;
    let claimed = u64::from(width) * u64::from(height) * element.bytes() as u64;
    if claimed > bytes {
        return Err(refuse(format!(
            "claims {width}×{height} samples, which cannot be in a file of {bytes} bytes: truncated, or not what it says"
        )));
    }
    let layout = Layout { width: width as usize, height: height as usize, columns_first: header.fortran };
    let values = read_values(*element, header.order, layout, input).map_err(refuse)?;
    let mut notes = Notes::default();
    notes.assume("numbers are metres and row 0 is the north edge, because an array does not say");
    Ok(Grid {
        format: Format::Npy,
        width,
        height,
        bit_depth: 8 * element.bytes() as u32,
        byte_order: (element.bytes() > 1).then_some(header.order),
        values,
        nodata: None,
        voids_are_nan: false,
        spacing: None,
        notes,
    })
}

fn read_values(
    element: Element,
    order: ByteOrder,
    layout: Layout,
    input: impl Read,
) -> Result<Values, String> {
    let big = order == ByteOrder::Big;
    /// Elements of a type in either byte order, as samples that hold them exactly.
    macro_rules! samples {
        ($type:ty, $as:ty) => {
            if big {
                layout.read(input, |bytes| <$as>::from(<$type>::from_be_bytes(bytes)))?
            } else {
                layout.read(input, |bytes| <$as>::from(<$type>::from_le_bytes(bytes)))?
            }
        };
    }
    Ok(match element {
        Element::U8 => Values::I16(samples!(u8, i16)),
        Element::I16 => Values::I16(samples!(i16, i16)),
        Element::U16 => Values::F32(samples!(u16, f32)),
        Element::F32 => Values::F32(samples!(f32, f32)),
        Element::I32 => Values::F64(samples!(i32, f64)),
        Element::U32 => Values::F64(samples!(u32, f64)),
        Element::F64 => Values::F64(samples!(f64, f64)),
    })
}

/// How the elements of a file lie.
#[derive(Clone, Copy)]
struct Layout {
    width: usize,
    height: usize,
    /// Fortran's order: a column after the other, else rows.
    columns_first: bool,
}

impl Layout {
    /// Reads all elements, through a buffer of a few rows, and makes sure that nothing follows them.
    fn read<T: Copy + Default, const N: usize>(
        self,
        mut input: impl Read,
        decode: impl Fn([u8; N]) -> T,
    ) -> Result<Vec<T>, String> {
        let count = self.width * self.height;
        let mut values = vec![T::default(); count];
        let mut buffer = vec![0u8; N * count.min(1 << 13)];
        let mut done = 0;
        while done < count {
            let chunk = &mut buffer[..N * (count - done).min(1 << 13)];
            input.read_exact(chunk).map_err(|error| unreadable(&error))?;
            for element in chunk.as_chunks::<N>().0 {
                let at = if self.columns_first {
                    done % self.height * self.width + done / self.height
                } else {
                    done
                };
                values[at] = decode(*element);
                done += 1;
            }
        }
        // In an archive this is also where its checksum is compared.
        match input.read(&mut [0; 1]) {
            Ok(0) => Ok(values),
            Ok(_) => Err(format!("goes on behind its {count} elements; only a file of one array is read")),
            Err(error) => Err(unreadable(&error)),
        }
    }
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
