//! A field's metres as a GeoTIFF: floats of 32 bits in strips, with the spacing and with voids.

use super::export::{metres_of_row, replace};
use crate::Result;
use crate::field::Field;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use std::io::{self, Seek, Write};
use std::path::Path;
use tiff::TiffResult;
use tiff::encoder::{DirectoryEncoder, TiffEncoder, TiffKind, TiffKindBig, TiffKindStandard};
use tiff::tags::Tag;

/// Bytes of a strip before it is packed, unless a row has more.
const STRIP_BYTES: usize = 1 << 18;
/// A file that may become larger is a BigTIFF: the offsets of a TIFF have 32 bits, and what cannot be packed grows a little.
const MOST_BYTES: u64 = (1 << 32) - (1 << 26);
/// A map in metres that is nowhere on the Earth: a projected system of its own, whose corners are samples.
const GEO_KEYS: [u16; 24] = [
    1, 1, 0, 5, // version, revision and count of the keys
    1024, 0, 1, 1, // a projected system
    1025, 0, 1, 2, // a corner is a sample
    2048, 0, 1, 32767, // on an Earth of its own
    3072, 0, 1, 32767, // of its own
    3076, 0, 1, 9001, // in metres
];

/// What GDAL calls the unit of a band.
const GDAL_METADATA: &str =
    "<GDALMetadata>\n  <Item name=\"UNITTYPE\" sample=\"0\" role=\"unittype\">m</Item>\n</GDALMetadata>\n";

/// Writes a field's heights as a GeoTIFF: metres as 32-bit floats, row 0 in the north, NaN for a sample that only open
/// quads touch, packed by deflate. The spacing is in the file, the range is not; it is in no place of the Earth.
///
/// A float has 24 bits, so the codes are the same again when the file is imported with the field's range unless the range
/// is a hundred times narrower than it is far from 0. Holes that voids made are the same again.
///
/// The file appears when it is complete: one that was there before stays until then.
///
/// # Errors
/// [`Error::File`](crate::Error::File) where the file cannot be written.
#[doc(alias = "gdal")]
pub fn export_geotiff(field: &Field, path: impl AsRef<Path>) -> Result<()> {
    let bytes = 4 * field.samples().len() as u64;
    replace(path.as_ref(), |out| {
        let written = if bytes > MOST_BYTES {
            TiffEncoder::new_big(out).and_then(|file| write::<_, TiffKindBig>(field, file))
        } else {
            TiffEncoder::new(out).and_then(|file| write::<_, TiffKindStandard>(field, file))
        };
        written.map_err(io::Error::other)
    })
}

fn write<W: Write + Seek, K: TiffKind>(field: &Field, mut file: TiffEncoder<W, K>) -> TiffResult<()> {
    let desc = field.desc();
    let rows_a_strip = (STRIP_BYTES / (4 * desc.width as usize)).clamp(1, desc.height as usize);
    let mut directory = file.image_directory()?;
    let strips = write_strips(field, rows_a_strip, &mut directory)?;
    directory.write_tag(Tag::ImageWidth, desc.width)?;
    directory.write_tag(Tag::ImageLength, desc.height)?;
    directory.write_tag(Tag::BitsPerSample, 32u16)?;
    directory.write_tag(Tag::Compression, 8u16)?;
    directory.write_tag(Tag::PhotometricInterpretation, 1u16)?;
    directory.write_tag(Tag::StripOffsets, K::convert_slice(&strips.offsets))?;
    directory.write_tag(Tag::SamplesPerPixel, 1u16)?;
    directory.write_tag(Tag::RowsPerStrip, rows_a_strip as u32)?;
    directory.write_tag(Tag::StripByteCounts, K::convert_slice(&strips.lengths))?;
    directory.write_tag(Tag::PlanarConfiguration, 1u16)?;
    directory.write_tag(Tag::Predictor, 3u16)?;
    directory.write_tag(Tag::SampleFormat, 3u16)?;
    directory.write_tag(Tag::ModelPixelScaleTag, &[desc.spacing.x, desc.spacing.y, 0.0][..])?;
    directory.write_tag(Tag::ModelTiepointTag, &[0.0f64; 6][..])?;
    directory.write_tag(Tag::GeoKeyDirectoryTag, &GEO_KEYS[..])?;
    directory.write_tag(Tag::Unknown(42112), GDAL_METADATA)?;
    if strips.voids {
        directory.write_tag(Tag::GdalNodata, "nan")?;
    }
    directory.finish()
}

/// Where the strips are, and whether one has a void.
struct Strips<K: TiffKind> {
    offsets: Vec<K::OffsetType>,
    lengths: Vec<K::OffsetType>,
    voids: bool,
}

fn write_strips<W: Write + Seek, K: TiffKind>(
    field: &Field,
    rows_a_strip: usize,
    directory: &mut DirectoryEncoder<'_, W, K>,
) -> TiffResult<Strips<K>> {
    let desc = field.desc();
    let mut strips = Strips { offsets: Vec::new(), lengths: Vec::new(), voids: false };
    let (mut row, mut raw, mut packed) = (Vec::new(), Vec::new(), Vec::new());
    for first in (0..desc.height).step_by(rows_a_strip) {
        raw.clear();
        for z in first..desc.height.min(first + rows_a_strip as u32) {
            metres_of_row(field, z, &mut row);
            strips.voids |= row.iter().any(|metres| metres.is_nan());
            predict(&row, &mut raw);
        }
        packed.clear();
        let mut deflate = ZlibEncoder::new(&mut packed, Compression::default());
        deflate.write_all(&raw)?;
        deflate.finish()?;
        strips.lengths.push(K::convert_offset(packed.len() as u64)?);
        strips.offsets.push(K::convert_offset(directory.write_data(packed.as_slice())?)?);
    }
    Ok(strips)
}

/// Appends a row as predictor 3 has it: the bytes of most weight of all samples, then those of less, each as the
/// difference from the one before it.
fn predict(row: &[f32], to: &mut Vec<u8>) {
    let mut before = 0;
    for weight in 0..4 {
        for metres in row {
            let byte = metres.to_be_bytes()[weight];
            to.push(byte.wrapping_sub(before));
            before = byte;
        }
    }
}

#[cfg(test)]
mod tests;
