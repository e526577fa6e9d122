//! Pictures: 8-bit RGBA, PNG files, and how far two are apart.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::Path;

use crate::{Failure, Result};

/// An 8-bit RGBA picture, rows from the top.
#[derive(Clone, PartialEq, Eq)]
pub struct Image8 {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// 4 bytes a pixel.
    pub data: Vec<u8>,
}

impl std::fmt::Debug for Image8 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "picture of {}×{}", self.width, self.height)
    }
}

impl Image8 {
    /// A picture of one colour.
    pub fn filled(width: u32, height: u32, color: [u8; 4]) -> Self {
        Image8 { width, height, data: color.repeat((width * height) as usize) }
    }

    /// One pixel.
    ///
    /// # Panics
    /// Outside the picture.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        assert!(x < self.width && y < self.height, "({x}, {y}) is outside the {self:?}");
        let at = 4 * (y as usize * self.width as usize + x as usize);
        [self.data[at], self.data[at + 1], self.data[at + 2], self.data[at + 3]]
    }

    /// All pixels, row by row.
    pub fn pixels(&self) -> impl ExactSizeIterator<Item = [u8; 4]> + '_ {
        self.data.as_chunks::<4>().0.iter().copied()
    }

    /// How far another picture is from this one.
    ///
    /// # Errors
    /// Where the two are not of one size.
    pub fn difference(&self, other: &Image8) -> Result<Difference> {
        if (self.width, self.height) != (other.width, other.height) {
            return Err(Failure::new(format!("a {self:?} cannot be compared with a {other:?}")));
        }
        let mut histogram = [0u64; 256];
        let mut worst = (0, 0);
        let mut most = 0;
        for (index, (a, b)) in self.pixels().zip(other.pixels()).enumerate() {
            let apart = distance(a, b);
            histogram[usize::from(apart)] += 1;
            if apart > most {
                most = apart;
                worst = (index as u32 % self.width, index as u32 / self.width);
            }
        }
        Ok(Difference { most, worst, histogram })
    }

    /// A picture of where two differ, eight times as strong; both must be of one size.
    pub fn difference_image(&self, other: &Image8) -> Image8 {
        let mut out = Image8::filled(self.width, self.height, [0, 0, 0, 255]);
        let pairs = self.pixels().zip(other.pixels());
        for (place, (a, b)) in out.data.as_chunks_mut::<4>().0.iter_mut().zip(pairs) {
            for channel in 0..3 {
                place[channel] = a[channel].abs_diff(b[channel]).saturating_mul(8);
            }
        }
        out
    }
}

fn distance(a: [u8; 4], b: [u8; 4]) -> u8 {
    (0..4).map(|channel| a[channel].abs_diff(b[channel])).max().unwrap_or(0)
}

/// How far two pictures are apart, in steps of the channel that differs most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The largest difference of a pixel.
    pub most: u8,
    /// The first pixel that has it.
    pub worst: (u32, u32),
    /// How many pixels differ by each number of steps.
    pub histogram: [u64; 256],
}

impl Difference {
    /// The fraction of pixels that differ by at most `tolerance` steps.
    pub fn within(&self, tolerance: u8) -> f64 {
        let all: u64 = self.histogram.iter().sum();
        let near: u64 = self.histogram[..=usize::from(tolerance)].iter().sum();
        if all == 0 { 1.0 } else { near as f64 / all as f64 }
    }
}

/// Writes a PNG, making its folder where it is missing.
///
/// # Errors
/// A sentence naming the file.
pub fn write_png(path: impl AsRef<Path>, image: &Image8) -> Result<()> {
    let path = path.as_ref();
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| failed(&error))?;
    }
    let file = File::create(path).map_err(|error| failed(&error))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), image.width, image.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|error| failed(&error))?;
    writer.write_image_data(&image.data).map_err(|error| failed(&error))?;
    writer.finish().map_err(|error| failed(&error))
}

/// Reads a PNG that [`write_png`] wrote.
///
/// # Errors
/// A sentence naming the file.
pub fn read_png(path: impl AsRef<Path>) -> Result<Image8> {
    let path = path.as_ref();
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
    let file = File::open(path).map_err(|error| failed(&error))?;
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().map_err(|error| failed(&error))?;
    let size = reader.output_buffer_size().ok_or_else(|| failed(&"it is too large"))?;
    let mut data = vec![0; size];
    let info = reader.next_frame(&mut data).map_err(|error| failed(&error))?;
    if (info.color_type, info.bit_depth) != (png::ColorType::Rgba, png::BitDepth::Eight) {
        return Err(failed(&"it is not 8-bit RGBA"));
    }
    data.truncate(info.buffer_size());
    Ok(Image8 { width: info.width, height: info.height, data })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_counted_and_located() {
        let a = Image8::filled(4, 4, [10, 20, 30, 255]);
        let mut b = a.clone();
        b.data[4 * (2 * 4 + 1) + 1] = 25;
        let difference = a.difference(&b).unwrap();
        assert_eq!((difference.most, difference.worst), (5, (1, 2)));
        assert_eq!(difference.within(4), 15.0 / 16.0);
        assert_eq!(difference.within(5), 1.0);
        assert_eq!(a.difference_image(&b).pixel(1, 2), [0, 40, 0, 255]);
        assert!(a.difference(&Image8::filled(4, 5, [0; 4])).is_err());
    }

    #[test]
    fn a_picture_survives_its_file() {
        let folder = std::env::temp_dir().join(format!("landform-picture-{}", std::process::id()));
        let path = folder.join("a.png");
        let mut image = Image8::filled(5, 3, [1, 2, 3, 4]);
        image.data[7] = 200;
        write_png(&path, &image).unwrap();
        assert_eq!(read_png(&path).unwrap(), image);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
