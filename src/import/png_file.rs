//! Grey PNG pictures as heightmaps, through the `png` crate. Samples are taken as they are stored: no gamma, no colour
//! profile, no transparency. (W3C, *Portable Network Graphics*, third edition.)

use super::grid::{Grid, Notes, Values};
use super::{Format, ImportOptions, check_size};
use crate::{Error, Result};
use png::{BitDepth, ColorType, DecodingError, Info, Reader, Transformations};
use std::io::{BufRead, ErrorKind, Seek};
use std::path::Path;

/// Deflate cannot pack more than 1032 bytes into one, so a picture that claims more than its file can hold is refused
/// before memory is taken for it.
const DEFLATE_LIMIT: u64 = 1040;

/// The pixels of one interlace pass: first column, first row, column step, row step.
type Pass = (usize, usize, usize, usize);
const PROGRESSIVE: [Pass; 1] = [(0, 0, 1, 1)];
const ADAM7: [Pass; 7] =
    [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)];

/// Reads a picture from a file of `bytes` bytes.
pub(super) fn read(
    name: &Path,
    input: impl BufRead + Seek,
    bytes: u64,
    options: &ImportOptions,
) -> Result<Grid> {
    let broken = |error: DecodingError| Error::file(name, reason(&error));
    let mut decoder = png::Decoder::new(input);
    decoder.set_transformations(Transformations::IDENTITY);
    decoder.ignore_checksums(false);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let layout = check_header(name, decoder.read_header_info().map_err(broken)?, bytes, options)?;
    let mut reader = decoder.read_info().map_err(broken)?;
    let mut pixels =
        Pixels { layout, values: vec![0; layout.width * layout.height], see_through: 0, differs: None };
    let passes: &[Pass] = if reader.info().interlaced { &ADAM7 } else { &PROGRESSIVE };
    for &pass in passes {
        pixels.read_pass(&mut reader, pass).map_err(broken)?;
        if let Some((x, z)) = pixels.differs {
            return Err(Error::file(name, colourful(x, z)));
        }
    }
    // The rest of the file has to be there too: a checksum, and the end marker.
    reader.finish().map_err(broken)?;
    let notes = notes_of(reader.info(), &pixels);
    Ok(Grid {
        format: Format::Png,
        width: layout.width as u32,
        height: layout.height as u32,
        bit_depth: if layout.wide { 16 } else { 8 },
        byte_order: None,
        values: Values::Codes(pixels.values),
        nodata: None,
        voids_are_nan: false,
        spacing: None,
        notes,
    })
}

/// How the samples of a picture lie in a row.
#[derive(Clone, Copy)]
struct Layout {
    width: usize,
    height: usize,
    /// 16 bits a sample, else 8.
    wide: bool,
    /// Three colour channels, else one.
    colour: bool,
    /// A last channel that says how opaque a pixel is.
    alpha: bool,
}

impl Layout {
    fn channels(&self) -> usize {
        (if self.colour { 3 } else { 1 }) + usize::from(self.alpha)
    }

    fn bytes_a_pixel(&self) -> usize {
        self.channels() * if self.wide { 2 } else { 1 }
    }

    /// One channel of a pixel in 16 bits. 8 bits are spread by 257, which keeps both ends exact.
    fn channel(&self, pixel: &[u8], channel: usize) -> u16 {
        if self.wide {
            u16::from_be_bytes([pixel[2 * channel], pixel[2 * channel + 1]])
        } else {
            u16::from(pixel[channel]) * 257
        }
    }
}

/// A picture while it is read.
struct Pixels {
    layout: Layout,
    values: Vec<u16>,
    /// Pixels whose alpha is not full.
    see_through: u64,
    /// The first pixel, in reading order, whose colour channels differ: column and row.
    differs: Option<(usize, usize)>,
}

impl Pixels {
    fn read_pass<R: BufRead + Seek>(
        &mut self,
        reader: &mut Reader<R>,
        (x0, z0, dx, dz): Pass,
    ) -> Result<(), DecodingError> {
        // A pass without a pixel has no row in the file.
        if x0 >= self.layout.width {
            return Ok(());
        }
        for z in (z0..self.layout.height).step_by(dz) {
            let row = reader.next_row()?.ok_or_else(|| std::io::Error::from(ErrorKind::UnexpectedEof))?;
            self.take_row(row.data(), z, x0, dx);
            if self.differs.is_some() {
                break;
            }
        }
        Ok(())
    }

    fn take_row(&mut self, row: &[u8], z: usize, x0: usize, dx: usize) {
        let layout = self.layout;
        let values = &mut self.values[z * layout.width..][..layout.width];
        let pixels = row.chunks_exact(layout.bytes_a_pixel());
        for (x, pixel) in (x0..layout.width).step_by(dx).zip(pixels) {
            let grey = layout.channel(pixel, 0);
            if layout.colour && (grey != layout.channel(pixel, 1) || grey != layout.channel(pixel, 2)) {
                self.differs = Some((x, z));
                return;
            }
            if layout.alpha && layout.channel(pixel, layout.channels() - 1) != u16::MAX {
                self.see_through += 1;
            }
            values[x] = grey;
        }
    }
}

/// Refuses what a header claims and this reader does not take, before memory is taken for it.
fn check_header(name: &Path, info: &Info<'_>, bytes: u64, options: &ImportOptions) -> Result<Layout> {
    let refuse = |why: String| Err(Error::file(name, why));
    check_size(name, info.width, info.height, options)?;
    let (colour, alpha) = match info.color_type {
        ColorType::Grayscale => (false, false),
        ColorType::GrayscaleAlpha => (false, true),
        ColorType::Rgb => (true, false),
        ColorType::Rgba => (true, true),
        ColorType::Indexed => {
            return refuse(
                "a palette picture, whose indices are no heights; save it as 16-bit grey".to_owned(),
            );
        }
    };
    let wide = match info.bit_depth {
        BitDepth::Eight => false,
        BitDepth::Sixteen => true,
        depth => {
            return refuse(format!(
                "a PNG of {} bits a sample, too few for heights; save it as 16-bit grey",
                depth as u8
            ));
        }
    };
    let layout = Layout { width: info.width as usize, height: info.height as usize, wide, colour, alpha };
    let claimed = u64::from(info.width) * u64::from(info.height) * layout.bytes_a_pixel() as u64;
    if claimed / DEFLATE_LIMIT > bytes {
        return refuse(format!(
            "claims {}×{} samples, which cannot be in a file of {bytes} bytes: truncated, or not what it says",
            info.width, info.height
        ));
    }
    Ok(layout)
}

fn notes_of(info: &Info<'_>, pixels: &Pixels) -> Notes {
    let mut notes = Notes::default();
    let layout = pixels.layout;
    if layout.colour {
        notes.assume("a colour picture is taken as grey, because its channels are equal everywhere");
        if pixels.values.iter().all(|&value| value == 0) {
            notes.warn(
                "every pixel is black, which is what a missing Terrarium or Terrain-RGB tile looks like",
            );
        }
    }
    if layout.alpha && pixels.see_through == 0 {
        notes.assume("the alpha channel is ignored; it is opaque everywhere");
    } else if layout.alpha {
        notes.warn(format!(
            "the alpha channel is ignored, although {} samples are not opaque; if it marks voids, they are heights now",
            pixels.see_through
        ));
    }
    if info.trns.is_some() {
        notes.warn("the file declares a transparent value, which may be its void; it is taken as a height");
    }
    if info.animation_control.is_some() {
        notes.warn("an animated PNG; its still picture is taken");
    }
    notes
}

fn colourful(x: usize, z: usize) -> String {
    format!(
        "its colour channels differ (first seen at column {x}, row {z}): it looks like an encoded Terrarium or \
         Terrain-RGB tile, or a colour picture; not supported as grey, decode it to 16-bit grey first"
    )
}

/// A sentence for what the decoder says.
fn reason(error: &DecodingError) -> String {
    match error {
        DecodingError::IoError(error) if error.kind() == ErrorKind::UnexpectedEof => {
            "the PNG ends before its picture is complete: truncated".to_owned()
        }
        DecodingError::IoError(error) => format!("cannot be read: {error}"),
        error => format!("a broken PNG: {error}"),
    }
}

#[cfg(test)]
mod tests;
