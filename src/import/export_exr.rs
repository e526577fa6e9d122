//! A field's heights as an OpenEXR picture, in metres, with holes.

use super::export::{metres_of_row, replace};
use crate::Result;
use crate::field::Field;
use exr::block::chunk::{Chunk, CompressedBlock, CompressedScanLineBlock};
use exr::block::writer::ChunksWriter;
use exr::meta::BlockDescription;
use exr::meta::header::Header;
use exr::prelude::{ChannelDescription, Compression, IntegerBounds, LineOrder, SampleType, Text, Vec2};
use std::io::{self, Seek, Write};
use std::path::Path;

/// Writes a field's heights as an OpenEXR picture: metres as 32-bit floats in a channel `Y`, row 0 in the north, NaN for a
/// sample that only open quads touch, in scan lines with ZIP compression. Neither spacing nor range are in the file.
///
/// A float has 24 bits, so the codes are the same again when the file is imported with the field's range unless the range
/// is a hundred times narrower than it is far from 0.
///
/// The file appears when it is complete: one that was there before stays until then.
///
/// # Errors
/// [`Error::File`](crate::Error::File) where the file cannot be written.
pub fn export_exr(field: &Field, path: impl AsRef<Path>) -> Result<()> {
    replace(path.as_ref(), |out| write_exr(field, out))
}

/// Writes block by block; beside the field it holds one.
fn write_exr(field: &Field, out: &mut (impl Write + Seek)) -> io::Result<()> {
    let desc = field.desc();
    let size = Vec2(desc.width as usize, desc.height as usize);
    let channel = ChannelDescription::new("Y", SampleType::F32, false);
    let mut header = Header::new(Text::default(), size, [channel].into_iter().collect());
    header.own_attributes.layer_name = None;
    let header = header.with_encoding(Compression::ZIP16, BlockDescription::ScanLines, LineOrder::Increasing);
    let rows = header.compression.scan_lines_per_block();
    let written = exr::block::write(out, [header].into_iter().collect(), true, |meta, writer| {
        let header = &meta.headers[0];
        let mut row = Vec::new();
        for (index, top) in (0..desc.height).step_by(rows).enumerate() {
            let below = desc.height.min(top + rows as u32);
            let mut block = Vec::with_capacity(4 * size.0 * rows);
            for z in top..below {
                metres_of_row(field, z, &mut row);
                block.extend(row.iter().flat_map(|metres| metres.to_ne_bytes()));
            }
            let section = IntegerBounds::from_dimensions((size.0, (below - top) as usize));
            // Not by way of the crate's own blocks: in a debug build those are unpacked again, by an inflater that fails
            // on some sound streams.
            let packed = header.compression.compress_image_section_to_le(header, block, section)?;
            let lines = CompressedScanLineBlock { y_coordinate: top as i32, compressed_pixels_le: packed };
            writer.write_chunk(
                index,
                Chunk { layer_index: 0, compressed_block: CompressedBlock::ScanLine(lines) },
            )?;
        }
        Ok(())
    });
    written.map_err(|error| match error {
        exr::error::Error::Io(error) => error,
        error => io::Error::other(error),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{ImportOptions, import_bytes};
    use super::*;
    use crate::field::{FieldDesc, HeightRange, Quad, Sample};
    use proptest::prelude::*;
    use std::io::Cursor;

    fn bytes_of(field: &Field) -> Vec<u8> {
        let mut out = Cursor::new(Vec::new());
        write_exr(field, &mut out).unwrap();
        out.into_inner()
    }

    /// A field with any codes and range, and holes around a part of its samples.
    fn fields() -> impl Strategy<Value = Field> {
        (2u32..40, 2u32..70, -9000.0..9000.0, 300.0..20_000.0).prop_flat_map(|(width, height, min, span)| {
            let count = (width * height) as usize;
            let codes = prop::collection::vec(any::<u16>(), count);
            let voids = prop::collection::vec(prop::bool::weighted(0.1), count);
            (codes, voids).prop_map(move |(codes, voids)| {
                let range = HeightRange { min, max: min + span };
                let desc = FieldDesc { range, ..FieldDesc::new(width, height) };
                let mut field = Field::from_samples(desc, codes).unwrap();
                for (index, _) in (0u32..).zip(voids).filter(|&(_, void)| void) {
                    field.open_sample(Sample::new(index % width, index / width));
                }
                field
            })
        })
    }

    /// True for a sample that a closed quad touches.
    fn is_ground(field: &Field, x: u32, z: u32) -> bool {
        let columns = x.saturating_sub(1)..=x.min(field.desc().quads_x() - 1);
        let mut rows = z.saturating_sub(1)..=z.min(field.desc().quads_z() - 1);
        rows.any(|z| columns.clone().any(|x| !field.is_hole(Quad::new(x, z))))
    }

    proptest! {
        #[test]
        fn codes_and_holes_are_the_same_again(field in fields()) {
            let desc = field.desc();
            let ground = |x, z| is_ground(&field, x, z);
            prop_assume!((0..desc.height).any(|z| (0..desc.width).any(|x| ground(x, z))));
            let options = ImportOptions::default().with_range(desc.range.min, desc.range.max);
            let (again, report) = import_bytes("a.exr", &bytes_of(&field), &options).unwrap();
            prop_assert_eq!((report.width, report.height, report.bit_depth), (desc.width, desc.height, 32));
            prop_assert!(report.assumptions.iter().all(|line| line.contains("is stated")), "{}", report);
            prop_assert!(again.holes() == field.holes());
            for z in 0..desc.height {
                for x in (0..desc.width).filter(|&x| ground(x, z)) {
                    prop_assert_eq!(again.sample(Sample::new(x, z)), field.sample(Sample::new(x, z)), "{}, {}", x, z);
                }
            }
        }
    }

    #[test]
    fn the_ends_of_the_range_are_exact() {
        let range = HeightRange { min: -12.25, max: 4000.5 };
        let desc = FieldDesc { range, ..FieldDesc::new(3, 18) };
        let mut field = Field::new(desc).unwrap();
        field.set_sample(Sample::new(2, 17), 65535);
        let (_, report) = import_bytes("a.exr", &bytes_of(&field), &ImportOptions::default()).unwrap();
        assert_eq!((report.min, report.max, report.max_at), (-12.25, 4000.5, Sample::new(2, 17)));
        assert_eq!(report.range, range);
    }

    #[test]
    fn a_folder_that_is_not_there_is_an_error_with_its_name() {
        let field = Field::new(FieldDesc::new(2, 2)).unwrap();
        let text = export_exr(&field, "no/such/folder/a.exr").unwrap_err().to_string();
        assert!(text.contains("no/such/folder/a.exr") && text.contains("cannot be written"), "{text}");
    }
}
