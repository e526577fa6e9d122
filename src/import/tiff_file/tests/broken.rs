//! Files that are cut, and files that were changed at random: an error or a map, and never a panic.

use super::*;
use proptest::prelude::*;
use tiff::encoder::compression::{CompressionAlgorithm, Deflate, Lzw};

/// Sixteen tiles of 16 × 16 floats, packed, with the tags of a GeoTIFF; 61 × 59 samples.
fn tiles(packing: u16) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let mut file = TiffEncoder::new(&mut bytes).unwrap();
    let mut tags = file.image_directory().unwrap();
    let (mut offsets, mut lengths) = (Vec::new(), Vec::new());
    for tile in 0..16u32 {
        let height =
            |index: u32| (tile / 4 * 16 + index / 16) as f32 + 0.25 * (tile % 4 * 16 + index % 16) as f32;
        let raw: Vec<u8> = (0..256).flat_map(|index| height(index).to_ne_bytes()).collect();
        let mut packed = Vec::new();
        match packing {
            5 => Lzw.write_to(&mut packed, &raw).unwrap(),
            _ => Deflate::default().write_to(&mut packed, &raw).unwrap(),
        };
        lengths.push(packed.len() as u32);
        offsets.push(tags.write_data(packed.as_slice()).unwrap() as u32);
    }
    for (tag, value) in [
        (tag::WIDTH, 61),
        (tag::LENGTH, 59),
        (tag::BITS_PER_SAMPLE, 32),
        (tag::COMPRESSION, packing),
        (tag::PHOTOMETRIC, 1),
        (tag::TILE_WIDTH, 16),
        (tag::TILE_LENGTH, 16),
        (tag::SAMPLE_FORMAT, 3),
    ] {
        tags.write_tag(Tag::Unknown(tag), value).unwrap();
    }
    tags.write_tag(Tag::TileOffsets, &offsets[..]).unwrap();
    tags.write_tag(Tag::TileByteCounts, &lengths[..]).unwrap();
    tags.write_tag(Tag::ModelPixelScaleTag, &[2.0, 3.0, 0.0][..]).unwrap();
    tags.write_tag(Tag::ModelTiepointTag, &[0.0, 0.0, 0.0, 7.0, 46.0, 0.0][..]).unwrap();
    tags.write_tag(Tag::GeoKeyDirectoryTag, &[1u16, 1, 0, 2, 1024, 0, 1, 1, 3076, 0, 1, 9002][..]).unwrap();
    tags.write_tag(Tag::GdalNodata, "-9999").unwrap();
    tags.write_tag(Tag::Unknown(tag::GDAL_METADATA), "<Item sample=\"0\" role=\"scale\">2</Item>").unwrap();
    tags.finish().unwrap();
    bytes.into_inner()
}

#[test]
fn tiles_cover_the_map() {
    for packing in [5, 8] {
        let map = read(&tiles(packing), &ImportOptions::default());
        let expected = (0..59).flat_map(|z| (0..61).map(move |x| Some(f64::from(z) + 0.25 * f64::from(x))));
        assert!(values(&map) == expected.collect::<Vec<_>>());
        assert_eq!(map.report().spacing.y, 3.0 * 0.3048);
    }
}

#[test]
fn a_file_that_is_cut_at_any_byte_is_refused() {
    for bytes in [plain(|_| ()), tiles(8), tiles(5)] {
        read(&bytes, &ImportOptions::default());
        for length in 1..bytes.len() {
            let text = refusal(&bytes[..length], &ImportOptions::default());
            assert!(length < 4 || text.contains("truncated"), "{length}: {text}");
        }
    }
}

#[test]
fn a_tile_that_cannot_be_unpacked_is_named() {
    for packing in [5, 8] {
        let mut bytes = tiles(packing);
        // The first tile begins behind the header.
        bytes[8..40].fill(0xff);
        let text = refusal(&bytes, &ImportOptions::default());
        assert!(text.contains("tile 1 of 16: ") && text.contains("broken"), "{text}");
        let elsewhere = ImportOptions::default().with_crop(SampleRect::new(16, 0, 45, 59));
        read(&bytes, &elsewhere);
    }
}

fn files() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![Just(plain(|_| ())), Just(tiles(8)), Just(tiles(5)), Just(pages(&[(1, 2), (0, 4), (4, 4)]))]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_change_of_some_bytes_panics(
        mut bytes in files(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _ = import_bytes("a.tif", &bytes, &ImportOptions::default());
    }

    /// Tags are where a number does the most.
    #[test]
    fn no_change_of_a_directory_panics(
        mut bytes in files(),
        changes in prop::collection::vec((0usize..30, 2usize..12, prop_oneof![any::<u8>(), Just(0), Just(1), Just(255)]), 1..5),
        channel in prop::option::of(1u8..4),
    ) {
        let first = u32::from_ne_bytes(bytes[4..8].try_into().unwrap()) as usize;
        for (entry, at, byte) in changes {
            if let Some(changed) = bytes.get_mut(first + 2 + 12 * entry + at) {
                *changed = byte;
            }
        }
        let options = ImportOptions { channel: channel.map(|band| band.to_string()), ..ImportOptions::default() };
        let _ = import_bytes("a.tif", &bytes, &options);
    }
}
