//! Fields that are written and read again.

use super::super::{ImportOptions, ImportReport, import_bytes};
use super::*;
use crate::field::{FieldDesc, Sample};
use proptest::prelude::*;
use std::io::Cursor;

fn file(field: &Field) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    write::<_, TiffKindStandard>(field, TiffEncoder::new(&mut bytes).unwrap()).unwrap();
    bytes.into_inner()
}

/// A file's field, of the same range as another.
fn again(bytes: &[u8], like: &Field) -> (Field, ImportReport) {
    let range = like.desc().range;
    import_bytes("a.tif", bytes, &ImportOptions::default().with_range(range.min, range.max)).unwrap()
}

fn field(width: u32, height: u32, codes: impl Iterator<Item = u16>) -> Field {
    let desc = FieldDesc::new(width, height).with_range(-100.0, 2400.0).with_spacing(2.5, 4.0);
    Field::from_samples(desc, codes.collect()).unwrap()
}

proptest! {
    #[test]
    fn codes_spacing_and_the_holes_of_voids_are_the_same_again(
        (width, height, codes) in (2u32..30, 2u32..30).prop_flat_map(|(width, height)| {
            (Just(width), Just(height), prop::collection::vec(any::<u16>(), (width * height) as usize))
        }),
        spacing in (0.01f64..1000.0, 0.01f64..1000.0),
        min in -9000.0f64..9000.0,
        height_of_all in 500.0f64..20_000.0,
        voids in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..9),
    ) {
        let desc = FieldDesc::new(width, height)
            .with_range(min, min + height_of_all)
            .with_spacing(spacing.0, spacing.1);
        let mut first = Field::from_samples(desc, codes).unwrap();
        for (x, z) in voids {
            first.open_sample(Sample::new(x.index(width as usize) as u32, z.index(height as usize) as u32));
        }
        prop_assume!(first.holes().count() < u64::from(desc.quads_x()) * u64::from(desc.quads_z()));
        let (second, report) = again(&file(&first), &first);
        prop_assert_eq!((report.width, report.height, report.spacing), (width, height, desc.spacing));
        prop_assert_eq!(first.holes(), second.holes());
        prop_assert_eq!(!report.nodata.is_empty(), report.voids > 0);
        let mut row = Vec::new();
        for z in 0..height {
            metres_of_row(&first, z, &mut row);
            for x in (0..width).filter(|&x| !row[x as usize].is_nan()) {
                prop_assert_eq!(first.sample(Sample::new(x, z)), second.sample(Sample::new(x, z)));
            }
        }
        // What came out of voids stays as it is, codes below holes and all.
        let (third, _) = again(&file(&second), &second);
        prop_assert_eq!(second.samples(), third.samples());
        prop_assert_eq!(second.holes(), third.holes());
    }
}

#[test]
fn many_strips_and_offsets_of_64_bits_hold_the_same() {
    let first = field(700, 300, (0..210_000u32).map(|i| (i.wrapping_mul(i) / 7) as u16));
    let (second, report) = again(&file(&first), &first);
    assert!(first.samples() == second.samples());
    assert!(report.assumptions.is_empty(), "{report}");
    let mut big = Cursor::new(Vec::new());
    write::<_, TiffKindBig>(&first, TiffEncoder::new_big(&mut big).unwrap()).unwrap();
    assert_eq!(big.get_ref()[2..4], 43u16.to_ne_bytes());
    assert!(again(big.get_ref(), &first).0.samples() == first.samples());
}

#[test]
fn another_reader_finds_the_same_metres() {
    use tiff::decoder::{Decoder, DecodingResult};
    let first = field(300, 400, (0..120_000u32).map(|i| (i * 7) as u16));
    let mut decoder = Decoder::new(Cursor::new(file(&first))).unwrap();
    let DecodingResult::F32(metres) = decoder.read_image().unwrap() else { panic!("no floats") };
    let mut row = Vec::new();
    for (z, found) in (0..).zip(metres.chunks_exact(300)) {
        metres_of_row(&first, z, &mut row);
        assert!(row == found);
    }
}

#[test]
fn a_field_that_is_all_hole_is_a_file_without_ground() {
    let mut field = field(2, 2, [1, 2, 3, 4].into_iter());
    field.open_sample(Sample::new(0, 0));
    let text = import_bytes("a.tif", &file(&field), &ImportOptions::default()).unwrap_err().to_string();
    assert!(text.contains("every sample is a void"), "{text}");
}

#[test]
fn a_folder_that_is_not_there_is_an_error_with_its_name() {
    let field = field(2, 2, [1, 2, 3, 4].into_iter());
    let text = export_geotiff(&field, "no/such/folder/a.tif").unwrap_err().to_string();
    assert!(text.contains("no/such/folder/a.tif") && text.contains("cannot be written"), "{text}");
}
