//! PNG pictures as textures, through the `png` crate. Texels are taken as they are stored: no gamma, no colour profile.
//! (W3C, *Portable Network Graphics*, third edition.)

use super::Stop;
use super::picture::{Channels, Picture};
use crate::import::{DEFLATE_LIMIT, beyond_the_file};
use png::{BitDepth, ColorType, DecodingError, Transformations};
use std::io::{Cursor, ErrorKind};

/// How a file begins.
pub(super) const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// Reads a picture. The error is a sentence; it means nothing where it was told to break off.
pub(super) fn read(bytes: &[u8], stop: Stop<'_>) -> Result<Picture, String> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::EXPAND);
    decoder.ignore_checksums(false);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let info = decoder.read_header_info().map_err(reason)?;
    let (width, height) = (info.width, info.height);
    super::check_size(width, height)?;
    let claimed = info.raw_row_length() as u64 * u64::from(height);
    if claimed / DEFLATE_LIMIT > bytes.len() as u64 {
        return Err(beyond_the_file(width, height, bytes.len() as u64));
    }
    let mut reader = decoder.read_info().map_err(reason)?;
    let (colour, depth) = reader.output_color_type();
    let mut rows = Rows { wide: depth == BitDepth::Sixteen, narrow: Vec::new() };
    let mut picture = Picture::new(width, height, channels(colour));
    if reader.info().interlaced {
        let size = reader.output_buffer_size().ok_or("is larger than this machine's memory")?;
        let mut whole = vec![0; size];
        reader.next_frame(&mut whole).map_err(reason)?;
        rows.push(&mut picture, &whole);
    } else {
        for row in 0..height {
            if row % 64 == 0 && (stop.0)() {
                return Err(String::new());
            }
            let row = reader.next_row().map_err(reason)?;
            let row = row.ok_or_else(|| reason(std::io::Error::from(ErrorKind::UnexpectedEof).into()))?;
            rows.push(&mut picture, row.data());
        }
    }
    // The rest of the file has to be there too: a checksum, and the end marker.
    reader.finish().map_err(reason)?;
    if reader.info().animation_control.is_some() {
        picture.notes.push("an animated PNG; its still picture is taken".into());
    }
    if picture.texels.len() != picture.count() {
        return Err("a broken PNG: it has fewer texels than it claims".into());
    }
    Ok(picture)
}

fn channels(colour: ColorType) -> Channels {
    match colour {
        ColorType::Grayscale => Channels::Grey,
        ColorType::GrayscaleAlpha => Channels::GreyAlpha,
        // A palette is expanded by the decoder.
        ColorType::Rgb | ColorType::Indexed => Channels::Rgb,
        ColorType::Rgba => Channels::Rgba,
    }
}

struct Rows {
    wide: bool,
    /// A row of 16-bit samples as 8-bit ones.
    narrow: Vec<u8>,
}

impl Rows {
    fn push(&mut self, picture: &mut Picture, bytes: &[u8]) {
        if !self.wide {
            return picture.push(bytes);
        }
        self.narrow.clear();
        self.narrow.extend(bytes.as_chunks().0.iter().map(|&pair| narrowed(u16::from_be_bytes(pair))));
        picture.push(&self.narrow);
    }
}

/// The nearest 8-bit sample: 65535 = 255 · 257.
fn narrowed(wide: u16) -> u8 {
    ((u32::from(wide) + 128) / 257) as u8
}

/// A sentence for what the decoder says.
fn reason(error: DecodingError) -> String {
    match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            "the PNG ends before its picture is complete: truncated".into()
        }
        DecodingError::IoError(error) => format!("cannot be read: {error}"),
        error => format!("a broken PNG: {error}"),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn sixteen_bits_become_the_nearest_eight() {
        for wide in 0..=u16::MAX {
            let nearest = (f64::from(wide) * 255.0 / 65535.0).round() as u8;
            assert_eq!(super::narrowed(wide), nearest, "{wide}");
        }
    }
}
