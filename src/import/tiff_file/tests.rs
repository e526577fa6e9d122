//! Files made in memory by the `tiff` crate's encoder, files of other programs, and broken ones.

mod broken;
mod geography;
mod refusals;
mod unpacking;

use super::super::{ByteOrder, Heightmap, ImportReport, SampleType, Units, import_bytes};
use super::*;
use crate::field::{Sample, SampleRect};
use std::io::Cursor;
use tiff::encoder::compression::DeflateLevel;
use tiff::encoder::{DirectoryEncoder, TiffEncoder, TiffKindStandard, colortype};
use tiff::tags::Tag;

type Tags<'a, 'b> = DirectoryEncoder<'a, &'b mut Cursor<Vec<u8>>, TiffKindStandard>;

/// Bands of two bytes a sample, 4 × 3 samples large, in these strips of two rows and one; `more` adds tags, and overwrites
/// those that are there.
fn strips(strips: [Vec<u8>; 2], more: impl FnOnce(&mut Tags<'_, '_>)) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let mut file = TiffEncoder::new(&mut bytes).unwrap();
    let mut tags = file.image_directory().unwrap();
    let offsets = strips.each_ref().map(|strip| tags.write_data(strip.as_slice()).unwrap() as u32);
    let one = |tags: &mut Tags<'_, '_>, tag: Tag, value: u16| tags.write_tag(tag, value).unwrap();
    one(&mut tags, Tag::ImageWidth, 4);
    one(&mut tags, Tag::ImageLength, 3);
    one(&mut tags, Tag::BitsPerSample, 16);
    one(&mut tags, Tag::Compression, 1);
    one(&mut tags, Tag::PhotometricInterpretation, 1);
    one(&mut tags, Tag::SamplesPerPixel, 1);
    one(&mut tags, Tag::RowsPerStrip, 2);
    one(&mut tags, Tag::SampleFormat, 2);
    tags.write_tag(Tag::StripOffsets, &offsets[..]).unwrap();
    tags.write_tag(Tag::StripByteCounts, &strips.map(|strip| strip.len() as u32)[..]).unwrap();
    more(&mut tags);
    tags.finish().unwrap();
    bytes.into_inner()
}

/// The heights 1 to 12 m as whole numbers.
fn plain(more: impl FnOnce(&mut Tags<'_, '_>)) -> Vec<u8> {
    let bytes = |range: std::ops::RangeInclusive<u16>| range.flat_map(u16::to_ne_bytes).collect();
    strips([bytes(1..=8), bytes(9..=12)], more)
}

fn with(tag: u16, value: u16) -> Vec<u8> {
    plain(|tags| tags.write_tag(Tag::Unknown(tag), value).unwrap())
}

fn read(bytes: &[u8], options: &ImportOptions) -> Heightmap {
    Heightmap::read_from("a.tif", Cursor::new(bytes), options).unwrap_or_else(|error| panic!("{error}"))
}

fn report(bytes: &[u8]) -> ImportReport {
    read(bytes, &ImportOptions::default()).report().clone()
}

fn refusal(bytes: &[u8], options: &ImportOptions) -> String {
    match import_bytes("a.tif", bytes, options) {
        Ok((_, report)) => panic!("was not refused:\n{report}"),
        Err(error) => error.to_string(),
    }
}

/// All samples of a map, row by row.
fn values(map: &Heightmap) -> Vec<Option<f64>> {
    let desc = map.desc();
    (0..desc.height).flat_map(|z| (0..desc.width).map(move |x| map.value(Sample::new(x, z)))).collect()
}

fn assumed(report: &ImportReport, part: &str) -> bool {
    report.assumptions.iter().any(|line| line.contains(part))
}

fn warned(report: &ImportReport, part: &str) -> bool {
    report.warnings.iter().any(|line| line.contains(part))
}

#[test]
fn whole_numbers_with_a_sign_are_heights() {
    let map = read(&plain(|_| ()), &ImportOptions::default());
    assert_eq!(values(&map), (1..=12).map(|height| Some(f64::from(height))).collect::<Vec<_>>());
    let report = map.report();
    assert_eq!((report.format, report.sample_type, report.bit_depth), (Format::GeoTiff, SampleType::I16, 16));
    assert_eq!((report.width, report.height, report.max_at), (4, 3, Sample::new(3, 2)));
    assert_eq!((report.range.min, report.range.max), (1.0, 12.0));
    assert_eq!(
        report.byte_order,
        Some(if cfg!(target_endian = "big") { ByteOrder::Big } else { ByteOrder::Little })
    );
    assert!(assumed(report, "no spacing is stated"), "{report}");
}

#[test]
fn numbers_without_a_sign_are_codes_unless_the_file_is_a_map() {
    let unsigned = |more: fn(&mut Tags<'_, '_>)| {
        report(&plain(|tags| {
            tags.write_tag(Tag::SampleFormat, 1u16).unwrap();
            more(tags);
        }))
    };
    let codes = unsigned(|_| ());
    assert!(assumed(&codes, "--encoding heights, or ImportOptions::with_encoding"), "{codes}");
    assert_eq!(codes.units, None);
    for more in [
        (|tags| tags.write_tag(Tag::GdalNodata, "0").unwrap()) as fn(&mut Tags<'_, '_>),
        |tags| tags.write_tag(Tag::Unknown(tag::GDAL_METADATA), "<GDALMetadata/>").unwrap(),
        |tags| tags.write_tag(Tag::ModelPixelScaleTag, &[1.0, 1.0, 0.0][..]).unwrap(),
        |tags| tags.write_tag(Tag::GeoKeyDirectoryTag, &[1u16, 1, 0, 1, 1025, 0, 1, 1][..]).unwrap(),
    ] {
        let map = unsigned(more);
        assert_eq!((map.units, map.highest), (Some(Units::METRES), 12.0), "{map}");
        assert!(!assumed(&map, "normalised"), "{map}");
    }
    let stated = ImportOptions::default().with_encoding(Encoding::Heights);
    let heights = read(&with(tag::SAMPLE_FORMAT, 1), &stated).report().clone();
    assert!(heights.highest == 12.0 && !assumed(&heights, "normalised"), "{heights}");
    let undefined = report(&with(tag::SAMPLE_FORMAT, 4));
    assert!(undefined.sample_type == SampleType::U16 && assumed(&undefined, "without a sign"), "{undefined}");
}

#[test]
fn the_crate_s_own_files_are_read() {
    use tiff::encoder::{Compression, Predictor};
    let data: Vec<i32> = (0..7 * 1000).map(|i| i * i / 10 - 400_000).collect();
    let expected: Vec<_> = data.iter().map(|&value| Some(f64::from(value))).collect();
    for compression in [
        Compression::Uncompressed,
        Compression::Lzw,
        Compression::Deflate(DeflateLevel::Best),
        Compression::Packbits,
    ] {
        for predictor in [Predictor::None, Predictor::Horizontal] {
            let mut bytes = Cursor::new(Vec::new());
            let file = TiffEncoder::new_big(&mut bytes).unwrap();
            let mut file = file.with_compression(compression).with_predictor(predictor);
            let mut image = file.new_image::<colortype::GrayI32>(7, 1000).unwrap();
            image.rows_per_strip(37).unwrap();
            image.write_data(&data).unwrap();
            let map = read(bytes.get_ref(), &ImportOptions::default());
            assert!(values(&map) == expected);
        }
    }
}

#[test]
fn a_band_is_chosen_by_its_number() {
    // Three bands beside each other: 1, 101, 201, 2, 102, 202, …
    let beside = |range: std::ops::RangeInclusive<u16>| {
        range.flat_map(|i| [i, 100 + i, 200 + i]).flat_map(u16::to_ne_bytes).collect::<Vec<_>>()
    };
    let bands = |photometric: u16, extra: &'static [u16]| {
        strips([beside(1..=8), beside(9..=12)], |tags| {
            tags.write_tag(Tag::SamplesPerPixel, 3u16).unwrap();
            tags.write_tag(Tag::BitsPerSample, &[16u16; 3][..]).unwrap();
            tags.write_tag(Tag::PhotometricInterpretation, photometric).unwrap();
            if !extra.is_empty() {
                tags.write_tag(Tag::ExtraSamples, extra).unwrap();
            }
        })
    };
    for bytes in [bands(1, &[]), bands(2, &[]), bands(1, &[0, 0])] {
        for band in 1..=3u8 {
            let map = read(&bytes, &ImportOptions::default().with_channel(band.to_string()));
            assert_eq!(
                values(&map)[..2],
                [1.0, 2.0].map(|height| Some(height + 100.0 * f64::from(band - 1)))
            );
        }
        for channel in ["0", "4", "-1", "R", ""] {
            let text = refusal(&bytes, &ImportOptions::default().with_channel(channel));
            assert!(
                text.contains("it has 3 bands (--channel 1 … 3, or ImportOptions::with_channel)"),
                "{text}"
            );
        }
    }
    let text = refusal(&bands(1, &[0, 0]), &ImportOptions::default());
    assert!(text.contains("has 3 bands; state which one holds the heights (--channel 1 … 3, or"), "{text}");
    let text = refusal(&bands(2, &[]), &ImportOptions::default());
    assert!(text.contains("a colour picture (RGB)") && text.contains("(--channel 1 … 3, or"), "{text}");
    let alpha = read(&bands(1, &[2, 1]), &ImportOptions::default());
    assert_eq!(values(&alpha)[..2], [Some(1.0), Some(2.0)]);
    let warned = alpha.report().warnings.iter().any(|line| line.contains("the rest is alpha"));
    assert!(warned, "{:?}", alpha.report());
    let one = read(&plain(|_| ()), &ImportOptions::default().with_channel("1"));
    assert_eq!(values(&one)[0], Some(1.0));
    assert!(
        refusal(&plain(|_| ()), &ImportOptions::default().with_channel("2")).contains("it has one, band 1")
    );
}

#[test]
fn what_is_stored_is_taken_where_0_is_white() {
    let map = read(&with(tag::PHOTOMETRIC, 0), &ImportOptions::default());
    assert_eq!(values(&map)[..2], [Some(1.0), Some(2.0)]);
    assert!(assumed(map.report(), "0 is white"), "{:?}", map.report());
}

#[test]
fn a_window_is_the_same_ground_and_needs_only_its_own_strips() {
    let mut bytes = plain(|_| ());
    let whole = values(&read(&bytes, &ImportOptions::default()));
    for (x0, z0, width, height) in [(0, 0, 4, 2), (1, 0, 2, 3), (2, 1, 2, 2), (0, 1, 3, 2)] {
        let options = ImportOptions::default().with_crop(SampleRect::new(x0, z0, width, height));
        let rows = (z0..z0 + height).flat_map(|z| whole[(4 * z + x0) as usize..][..width as usize].to_vec());
        assert_eq!(values(&read(&bytes, &options)), rows.collect::<Vec<_>>());
    }
    // The second strip is said to be behind the end of the file.
    let far = plain(|tags| tags.write_tag(Tag::StripOffsets, &[8u32, 1 << 20][..]).unwrap());
    let north = ImportOptions::default().with_crop(SampleRect::new(0, 0, 4, 2));
    assert_eq!(values(&read(&far, &north)), whole[..8]);
    assert!(refusal(&far, &ImportOptions::default()).contains("strip 2 of 2: needs 8 bytes at byte 1048576"));
    bytes.truncate(8);
    assert!(refusal(&bytes, &ImportOptions::default()).contains("truncated"));
}

#[test]
fn strips_that_are_not_there_are_voids_or_zeroes() {
    let sparse = |lengths: [u32; 2], offsets: [u32; 2], nodata: &'static str| {
        plain(|tags| {
            tags.write_tag(Tag::StripOffsets, &offsets[..]).unwrap();
            tags.write_tag(Tag::StripByteCounts, &lengths[..]).unwrap();
            if !nodata.is_empty() {
                tags.write_tag(Tag::GdalNodata, nodata).unwrap();
            }
        })
    };
    let zeroes = read(&sparse([16, 0], [8, 0], ""), &ImportOptions::default());
    assert_eq!(values(&zeroes)[7..], [Some(8.0), Some(0.0), Some(0.0), Some(0.0), Some(0.0)]);
    assert!(assumed(zeroes.report(), "0 for the samples of 1 of 2 strips, which are not in the file"));
    let voids = read(&sparse([16, 8], [0, 24], "-9999"), &ImportOptions::default());
    assert_eq!(values(&voids)[7..10], [None, Some(9.0), Some(10.0)]);
    assert!(assumed(voids.report(), "-9999 for the samples of 1 of 2 strips"), "{:?}", voids.report());
    let impossible = read(&sparse([16, 8], [0, 24], "-40000"), &ImportOptions::default());
    assert_eq!(values(&impossible)[7..9], [Some(0.0), Some(9.0)]);
    assert!(assumed(impossible.report(), "0 for the samples of 1 of 2 strips"));
    let stated = read(&sparse([0, 8], [8, 24], ""), &ImportOptions::default().with_nodata(-1.0));
    assert_eq!(values(&stated)[7..10], [None, Some(9.0), Some(10.0)]);
    let none = refusal(&sparse([0, 0], [0, 0], ""), &ImportOptions::default());
    assert!(none.contains("has none of the 2 strips"), "{none}");
}

#[test]
fn the_first_picture_in_full_resolution_is_the_map() {
    let bytes = pages(&[(1, 8), (4, 8), (0, 4), (0, 4), (1, 2), (5, 2)]);
    let map = read(&bytes, &ImportOptions::default());
    assert_eq!((map.report().width, values(&map)[0]), (4, Some(3.0)));
    assert!(assumed(map.report(), "the first picture of 2 in the file is the map"), "{:?}", map.report());
    assert!(warned(map.report(), "has a mask"), "{:?}", map.report());
    let none = refusal(&pages(&[(1, 8), (4, 8)]), &ImportOptions::default());
    assert!(none.contains("no picture in full resolution"), "{none}");
}

/// Square pictures of these subfile types and sides. Each is as high as its number, from 1.
fn pages(pages: &[(u32, u32)]) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let mut file = TiffEncoder::new(&mut bytes).unwrap();
    for (height, &(kind, side)) in (1..).zip(pages) {
        let mut image = file.new_image::<colortype::GrayI16>(side, side).unwrap();
        image.encoder().write_tag(Tag::Unknown(tag::NEW_SUBFILE_TYPE), kind).unwrap();
        image.write_data(&vec![height; (side * side) as usize]).unwrap();
    }
    bytes.into_inner()
}
