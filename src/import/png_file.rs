//! PNG pictures as heightmaps, through the `png` crate: grey, grey in colour channels or in a palette, and heights in
//! colours. Samples are taken as they are stored: no gamma, no colour profile, no transparency. (W3C, *Portable Network
//! Graphics*, third edition.)

mod colours;

use super::canvas::Canvas;
use super::grid::{Grid, Notes};
use super::meaning::Meaning;
use super::values::Values;
use super::{DEFLATE_LIMIT, Encoding, Format, ImportOptions, Units, beyond_the_file, window_of};
use crate::field::SampleRect;
use crate::{Error, Result};
use colours::Colours;
use png::{BitDepth, ColorType, DecodingError, Info, Reader, Transformations};
use std::io::{BufRead, ErrorKind, Seek};
use std::path::Path;

/// The pixels of one interlace pass: first column, first row, column step, row step.
type Pass = (u32, u32, u32, u32);
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
    let info = decoder.read_header_info().map_err(broken)?;
    let window = window_of(name, info.width, info.height, options)?;
    let layout = check_header(name, info, bytes)?;
    if layout.palette {
        decoder.set_transformations(Transformations::EXPAND);
    }
    let mut reader = decoder.read_info().map_err(broken)?;
    // A palette may turn out to have alpha.
    let layout = Layout {
        alpha: matches!(reader.output_color_type().0, ColorType::GrayscaleAlpha | ColorType::Rgba),
        ..layout
    };
    let mut pixels = Pixels::new(layout, window, options.encoding);
    let passes: &[Pass] = if reader.info().interlaced { &ADAM7 } else { &PROGRESSIVE };
    for &pass in passes {
        pixels.read_pass(&mut reader, pass).map_err(broken)?;
    }
    // The rest of the file has to be there too: a checksum, and the end marker.
    reader.finish().map_err(broken)?;
    let mut notes = notes_of(reader.info(), &pixels);
    let nodata = transparent_grey(reader.info(), options, &mut notes);
    let finished = pixels.finish(options.encoding, &mut notes);
    let (values, encoding) = finished.map_err(|why| Error::file(name, why))?;
    let meaning = match encoding {
        Some(_) => Meaning::heights_in(Units::METRES),
        None => Meaning::Codes { full: if layout.wide { f64::from(u16::MAX) } else { f64::from(u8::MAX) } },
    };
    Ok(Grid {
        bit_depth: if layout.wide { 16 } else { 8 },
        meaning,
        encoding,
        nodata,
        notes,
        ..Grid::new(Format::Png, (layout.width, layout.height), window, values)
    })
}

/// How the samples of a picture lie in a row.
#[derive(Clone, Copy)]
struct Layout {
    width: u32,
    height: u32,
    /// 16 bits a sample, else 8.
    wide: bool,
    /// Three colour channels, else one.
    colour: bool,
    /// The colours come out of a palette.
    palette: bool,
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

    /// One channel of a pixel.
    fn channel(&self, pixel: &[u8], channel: usize) -> u16 {
        if self.wide {
            u16::from_be_bytes([pixel[2 * channel], pixel[2 * channel + 1]])
        } else {
            u16::from(pixel[channel])
        }
    }

    /// How opaque a pixel is, from 0 to 255.
    fn opacity(&self, pixel: &[u8]) -> u8 {
        let last = self.channel(pixel, self.channels() - 1);
        if self.wide { (last >> 8) as u8 } else { last as u8 }
    }
}

/// What is kept of a picture.
enum Kept {
    Narrow(Canvas<u8>),
    Wide(Canvas<u16>),
    /// 8-bit colours, of which it shows at the end whether they are heights or grey.
    Colours(Colours),
}

/// A picture while it is read.
struct Pixels {
    layout: Layout,
    kept: Kept,
    /// Pixels whose alpha is not full.
    see_through: u64,
    /// The first pixel, in reading order, whose colour channels differ: column and row.
    differs: Option<(u32, u32)>,
}

impl Pixels {
    fn new(layout: Layout, window: SampleRect, encoding: Encoding) -> Self {
        let grey_only = matches!(encoding, Encoding::Normalised | Encoding::Heights);
        let kept = match (layout.wide, layout.colour && !grey_only) {
            (false, true) => Kept::Colours(Colours::new(window)),
            (false, false) => Kept::Narrow(Canvas::new(window)),
            (true, _) => Kept::Wide(Canvas::new(window)),
        };
        Self { layout, kept, see_through: 0, differs: None }
    }

    fn read_pass<R: BufRead + Seek>(
        &mut self,
        reader: &mut Reader<R>,
        (x0, z0, dx, dz): Pass,
    ) -> Result<(), DecodingError> {
        // A pass without a pixel has no row in the file.
        if x0 >= self.layout.width {
            return Ok(());
        }
        for z in (z0..self.layout.height).step_by(dz as usize) {
            let row = reader.next_row()?.ok_or_else(|| std::io::Error::from(ErrorKind::UnexpectedEof))?;
            if dx == 1 {
                self.take_whole_row(row.data(), z);
            } else {
                self.take_pixels(row.data(), z, x0, dx);
            }
        }
        Ok(())
    }

    /// Takes a row without gaps; the usual pictures by the row.
    fn take_whole_row(&mut self, row: &[u8], z: u32) {
        if self.layout.channels() > 1 {
            return self.take_pixels(row, z, 0, 1);
        }
        match &mut self.kept {
            Kept::Narrow(canvas) => {
                let columns = canvas.columns();
                if let Some(kept) = canvas.row(z) {
                    kept.copy_from_slice(&row[columns]);
                }
            }
            Kept::Wide(canvas) => {
                let columns = canvas.columns();
                if let Some(kept) = canvas.row(z) {
                    let pairs = &row.as_chunks::<2>().0[columns];
                    kept.iter_mut().zip(pairs).for_each(|(kept, &pair)| *kept = u16::from_be_bytes(pair));
                }
            }
            Kept::Colours(_) => self.take_pixels(row, z, 0, 1),
        }
    }

    fn take_pixels(&mut self, row: &[u8], z: u32, x0: u32, dx: u32) {
        let layout = self.layout;
        let pixels = row.chunks_exact(layout.bytes_a_pixel());
        for (x, pixel) in (x0..layout.width).step_by(dx as usize).zip(pixels) {
            let first = layout.channel(pixel, 0);
            if layout.colour && (first != layout.channel(pixel, 1) || first != layout.channel(pixel, 2)) {
                self.differs.get_or_insert((x, z));
            }
            let opacity = if layout.alpha { layout.opacity(pixel) } else { u8::MAX };
            self.see_through += u64::from(opacity != u8::MAX);
            match &mut self.kept {
                Kept::Narrow(canvas) => canvas.set(x, z, first as u8),
                Kept::Wide(canvas) => canvas.set(x, z, first),
                Kept::Colours(colours) => colours.set(x, z, [pixel[0], pixel[1], pixel[2]], opacity),
            }
        }
    }

    /// The samples, and the encoding of heights in colours where they are. The error is a sentence.
    fn finish(self, encoding: Encoding, notes: &mut Notes) -> Result<(Values, Option<Encoding>), String> {
        let layout = self.layout;
        let grey = |notes: &mut Notes| {
            let from = if layout.palette { "a palette of greys" } else { "a colour picture" };
            if layout.colour {
                notes.assume(format!("{from} is taken as grey, because its channels are equal everywhere"));
            }
        };
        match self.kept {
            Kept::Colours(colours) => match decoded(&colours, encoding, layout, self.differs, notes)? {
                Some(found) => Ok((colours.heights(found, notes), Some(found))),
                None => {
                    grey(notes);
                    Ok((Values::U8(colours.grey()), None))
                }
            },
            _ if encoding.is_colours() => Err(format!(
                "encoding {encoding} has heights in three colours of 8 bits, and the picture is {}",
                if layout.colour { "of 16 bits" } else { "grey" }
            )),
            _ if self.differs.is_some() => Err(colourful(self.differs.unwrap_or_default())),
            Kept::Narrow(canvas) => {
                grey(notes);
                Ok((Values::U8(canvas.into_values()), None))
            }
            Kept::Wide(canvas) => {
                grey(notes);
                Ok((Values::U16(canvas.into_values()), None))
            }
        }
    }
}

/// The encoding of heights in colours, stated or found out; none where the colours are grey. The error is a sentence.
fn decoded(
    colours: &Colours,
    encoding: Encoding,
    layout: Layout,
    differs: Option<(u32, u32)>,
    notes: &mut Notes,
) -> Result<Option<Encoding>, String> {
    if encoding.is_colours() {
        return Ok(Some(encoding));
    }
    let Some(place) = differs else {
        if colours.are_black() {
            return Err(
                "every pixel of a colour picture is black, which is what a missing Terrarium or Terrain-RGB \
                        tile looks like; if it is flat ground, state the encoding (--encoding normalised, or \
                        ImportOptions::with_encoding)"
                    .to_owned(),
            );
        }
        return Ok(None);
    };
    if layout.palette {
        return Err(
            "a palette picture of colours, whose indices are no heights; save it as 16-bit grey".to_owned()
        );
    }
    let found = colours.find().ok_or_else(|| colourful(place))?;
    notes.assume(format!(
        "{found} heights, because only as such the colours are smooth ground of this Earth (--encoding, or \
         ImportOptions::with_encoding)"
    ));
    Ok(Some(found))
}

/// Refuses what a header claims and this reader does not take, before memory is taken for it.
fn check_header(name: &Path, info: &Info<'_>, bytes: u64) -> Result<Layout> {
    let refuse = |why: String| Err(Error::file(name, why));
    let (colour, alpha) = match info.color_type {
        ColorType::Grayscale => (false, false),
        ColorType::GrayscaleAlpha => (false, true),
        ColorType::Rgb | ColorType::Indexed => (true, false),
        ColorType::Rgba => (true, true),
    };
    let palette = info.color_type == ColorType::Indexed;
    let wide = match info.bit_depth {
        BitDepth::Eight => false,
        BitDepth::Sixteen => true,
        _ if palette => false,
        depth => {
            return refuse(format!(
                "a PNG of {} bits a sample, too few for heights; save it as 16-bit grey",
                depth as u8
            ));
        }
    };
    let layout = Layout { width: info.width, height: info.height, wide, colour, palette, alpha };
    let claimed = info.raw_row_length() as u64 * u64::from(info.height);
    if claimed / DEFLATE_LIMIT > bytes {
        return refuse(beyond_the_file(info.width, info.height, bytes));
    }
    Ok(layout)
}

fn notes_of(info: &Info<'_>, pixels: &Pixels) -> Notes {
    let mut notes = Notes::default();
    let layout = pixels.layout;
    let heights = matches!(pixels.kept, Kept::Colours(_)) && pixels.differs.is_some();
    if layout.alpha && pixels.see_through == 0 {
        notes.assume("the alpha channel is ignored; it is opaque everywhere");
    } else if layout.alpha && !heights {
        notes.warn(format!(
            "the alpha channel is ignored, although {} samples are not opaque; if it marks voids, they are heights now",
            pixels.see_through
        ));
    }
    if info.animation_control.is_some() {
        notes.warn("an animated PNG; its still picture is taken");
    }
    notes
}

/// The grey that a picture declares to be transparent, which is how GDAL declares a void in a PNG.
fn transparent_grey(info: &Info<'_>, options: &ImportOptions, notes: &mut Notes) -> Option<f64> {
    let declared = match (info.color_type, info.trns.as_deref()) {
        (ColorType::Grayscale, Some(&[low])) => u16::from(low),
        (ColorType::Grayscale, Some(&[high, low])) => u16::from_be_bytes([high, low]),
        (ColorType::Rgb, Some(_)) => {
            notes.warn(
                "the file declares a transparent colour, which may be its void; it is taken as a height",
            );
            return None;
        }
        _ => return None,
    };
    if options.nodata.is_empty() {
        notes.assume(format!("{declared} for a void, because the file declares that grey to be transparent"));
    }
    Some(f64::from(declared))
}

fn colourful((x, z): (u32, u32)) -> String {
    format!(
        "its colour channels differ (first seen at column {x}, row {z}), and it looks neither like a Terrarium nor like a \
         Terrain-RGB tile: a colour picture, which has no heights. If it is such a tile, state the encoding (--encoding \
         terrarium or terrain-rgb, or ImportOptions::with_encoding); if not, save the heights as 16-bit grey"
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
