//! JPEG pictures as textures, through the `zune-jpeg` crate, after a walk over their markers that refuses what is truncated
//! or of a kind that is not taken. (ITU-T T.81; the colours as JFIF has them.)

mod markers;

use super::picture::{Channels, Picture};
use crate::import::beyond_the_file;
use markers::Head;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

/// How a file begins.
pub(super) const SIGNATURE: [u8; 3] = [0xff, 0xd8, 0xff];

/// A block of 8×8 texels takes a bit at least, and no more than 16 of them share one.
const TEXELS_A_BYTE: u64 = 8 * 64 * 16;

/// Reads a picture. The error is a sentence.
pub(super) fn read(bytes: &[u8]) -> Result<Picture, String> {
    let head = markers::walk(bytes)?;
    super::check_size(head.width, head.height)?;
    if u64::from(head.width) * u64::from(head.height) / TEXELS_A_BYTE > bytes.len() as u64 {
        return Err(beyond_the_file(head.width, head.height, bytes.len() as u64));
    }
    let (channels, colours) = match head.components {
        1 => (Channels::Grey, ColorSpace::Luma),
        3 => (Channels::Rgb, ColorSpace::RGB),
        4 => {
            return Err("is a JPEG of four inks (CMYK), which are no colours of light; save it as RGB".into());
        }
        count => return Err(format!("is a JPEG of {count} components; save it as RGB or as grey")),
    };
    let options = DecoderOptions::default()
        .set_max_width(super::MAX_SIDE as usize)
        .set_max_height(super::MAX_SIDE as usize)
        .set_strict_mode(true)
        .jpeg_set_out_colorspace(colours);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    let texels = decoder.decode().map_err(|error| format!("a broken JPEG: {error}; save it again"))?;
    let mut picture = Picture::new(head.width, head.height, channels);
    picture.push(&texels);
    if picture.texels.len() != picture.count() {
        return Err("a broken JPEG: it has another number of texels than it claims".into());
    }
    Ok(turned(picture, &head))
}

/// The picture as its EXIF says that it is to be seen.
fn turned(picture: Picture, head: &Head) -> Picture {
    let orientation = head.orientation;
    if orientation == 1 {
        return picture;
    }
    let (width, height) = (picture.width, picture.height);
    // From 5 on rows and columns change places.
    let (to_width, to_height) = if orientation < 5 { (width, height) } else { (height, width) };
    let mut turned = Picture::new(to_width, to_height, picture.channels);
    turned.texels.reserve_exact(picture.texels.len());
    for z in 0..to_height {
        for x in 0..to_width {
            let (east, south) = (to_width - 1 - x, to_height - 1 - z);
            let (column, row) = match orientation {
                2 => (east, z),
                3 => (east, south),
                4 => (x, south),
                5 => (z, x),
                6 => (z, east),
                7 => (south, east),
                _ => (south, x),
            };
            turned.texels.push(picture.texels[row as usize * width as usize + column as usize]);
        }
    }
    turned.notes = picture.notes;
    turned.notes.push(format!("turned or mirrored, as its EXIF says (orientation {orientation})"));
    turned
}
