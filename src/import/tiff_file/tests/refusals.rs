//! What is not read is refused with a sentence that names it.

use super::*;

fn refused(bytes: &[u8]) -> String {
    refusal(bytes, &ImportOptions::default())
}

#[test]
fn kinds_of_samples_that_are_no_heights() {
    for (edits, part) in [
        (&[(tag::BITS_PER_SAMPLE, 1u16)][..], "1 bit a sample, too few for heights"),
        (&[(tag::BITS_PER_SAMPLE, 4)], "4 bits a sample, too few for heights"),
        (
            &[(tag::BITS_PER_SAMPLE, 12)],
            "12 bits a sample, which is not read; supported are 8, 16, 32 and 64 bits",
        ),
        (
            &[(tag::BITS_PER_SAMPLE, 24), (tag::SAMPLE_FORMAT, 3)],
            "supported are floats of 16, 32 and 64 bits",
        ),
        (&[(tag::BITS_PER_SAMPLE, 8), (tag::SAMPLE_FORMAT, 3)], "8 bits a sample, which is not read"),
        (&[(tag::SAMPLE_FORMAT, 5)], "complex numbers"),
        (&[(tag::SAMPLE_FORMAT, 6)], "complex numbers"),
        (&[(tag::SAMPLE_FORMAT, 9)], "SampleFormat 9"),
        (&[(tag::FILL_ORDER, 2)], "reverse order (FillOrder 2)"),
        (&[(tag::PREDICTOR, 3)], "the predictor of floats, but its samples are whole numbers"),
        (&[(tag::PREDICTOR, 34892)], "predictor 34892"),
        (&[(tag::PLANAR_CONFIGURATION, 3)], "PlanarConfiguration 3"),
        (&[(tag::SAMPLES_PER_PIXEL, 0)], "0 bands"),
        (
            &[(tag::SAMPLES_PER_PIXEL, 2)],
            "has 2 bands; state which one holds the heights (--channel 1 … 2, or",
        ),
    ] {
        let bytes = plain(|tags| {
            for &(tag, value) in edits {
                tags.write_tag(Tag::Unknown(tag), value).unwrap();
            }
        });
        let text = refused(&bytes);
        assert!(text.contains(part), "{text}");
    }
    let mixed = plain(|tags| {
        tags.write_tag(Tag::SamplesPerPixel, 2u16).unwrap();
        tags.write_tag(Tag::BitsPerSample, &[16u16, 8][..]).unwrap();
    });
    let text = refusal(&mixed, &ImportOptions::default().with_channel("1"));
    assert!(text.contains("has bands of 16 and of 8 bits"), "{text}");
}

#[test]
fn pictures_in_colours() {
    for (photometric, part) in [
        (2, "a colour picture (RGB)"),
        (3, "a palette picture"),
        (4, "a mask"),
        (5, "a colour picture (CMYK)"),
        (6, "a colour picture (YCbCr)"),
        (8, "a colour picture (L*a*b*)"),
        (32845, "a colour picture (LogLuv)"),
        (32803, "PhotometricInterpretation 32803"),
    ] {
        let text = refused(&with(tag::PHOTOMETRIC, photometric));
        assert!(text.contains(part), "{text}");
        if photometric != 2 {
            let stated = ImportOptions::default().with_channel("1");
            assert!(refusal(&with(tag::PHOTOMETRIC, photometric), &stated).contains(part));
        }
    }
}

#[test]
fn compressions_by_their_names() {
    for (number, part) in [
        (4, "a fax code"),
        (6, "JPEG-compressed, which loses heights"),
        (7, "JPEG-compressed, which loses heights"),
        (34712, "JPEG 2000"),
        (34887, "LERC (number 34887), which is not read; write it anew with deflate"),
        (34925, "LZMA"),
        (50001, "WebP"),
        (50002, "JPEG XL"),
        (12345, "number 12345"),
    ] {
        let text = refused(&with(tag::COMPRESSION, number));
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn headers_of_other_kinds() {
    assert!(refused(b"II*\0").contains("truncated"));
    assert!(refused(b"II*\0\0\0\0\0").contains("has no directory"));
    assert!(refused(b"MM\0+\0\x04\0\0\0\0\0\0\0\0\0\x10").contains("not of 8 bytes"));
    let named = import_bytes("a.tiff", b"neither", &ImportOptions::default()).unwrap_err().to_string();
    assert!(named.contains("is named .tiff but has no TIFF signature"), "{named}");
    let mut circle = plain(|_| ());
    let first = u32::from_ne_bytes(circle[4..8].try_into().unwrap());
    let end = circle.len() - 4;
    circle[end..].copy_from_slice(&first.to_ne_bytes());
    assert!(refused(&circle).contains("go round in a circle"));
}

#[test]
fn claims_are_checked_before_memory_is_taken() {
    let sized = |width: u32, height: u32, more: &[(u16, u32)]| {
        plain(|tags| {
            tags.write_tag(Tag::ImageWidth, width).unwrap();
            tags.write_tag(Tag::ImageLength, height).unwrap();
            for &(tag, value) in more {
                tags.write_tag(Tag::Unknown(tag), value).unwrap();
            }
        })
    };
    let rows = |rows: u32| (tag::ROWS_PER_STRIP, rows);
    for (bytes, part) in [
        (sized(4, 1, &[]), "span no ground"),
        (sized(1 << 23, 3, &[]), "more than 4194304 a side"),
        (sized(1 << 22, 3, &[rows(3)]), "which cannot be in a file of"),
        (sized(1 << 22, 1 << 22, &[rows(1 << 22)]), "take a part of it (--crop, or"),
        (
            sized(1 << 14, 1 << 14, &[rows(1 << 14), (tag::COMPRESSION, 5)]),
            "a strip of 512 MiB; up to 256 MiB are unpacked",
        ),
        (sized(1 << 13, 1 << 13, &[rows(1 << 13), (tag::COMPRESSION, 8)]), "which cannot be in a file of"),
        (sized(4, 3, &[rows(0)]), "has strips of 4×0 samples"),
        (sized(4, 3, &[rows(1)]), "has 2 values, but 3 are needed"),
        (sized(4, 3, &[(tag::TILE_WIDTH, 0), (tag::TILE_LENGTH, 16)]), "has tiles of 0×16 samples"),
        (sized(4, 3, &[(tag::TILE_WIDTH, u32::MAX), (tag::TILE_LENGTH, u32::MAX)]), "MiB are unpacked"),
        (sized(4, 3, &[(tag::TILE_WIDTH, 16)]), "does not say its tiles' height"),
        (
            sized(4, 3, &[(tag::TILE_WIDTH, 16), (tag::TILE_LENGTH, 16)]),
            "does not say where its tiles are (tag 324)",
        ),
        (sized(4, 3, &[(tag::SAMPLES_PER_PIXEL, 1 << 20)]), "claims 1048576 bands"),
    ] {
        let text = refused(&bytes);
        assert!(text.contains(part), "{text}");
    }
    let stated = refusal(&plain(|_| ()), &ImportOptions::default().with_raw_size(3, 4));
    assert!(stated.contains("is 4×3 samples, but 3×4 were stated"), "{stated}");
}

#[test]
fn whole_numbers_that_no_float_holds() {
    let wide = |numbers: [i64; 4]| {
        let data = numbers.map(i64::to_ne_bytes).concat();
        strips([data.clone(), data[..16].to_vec()], |tags| {
            tags.write_tag(Tag::ImageWidth, 2u16).unwrap();
            tags.write_tag(Tag::BitsPerSample, 64u16).unwrap();
            tags.write_tag(Tag::GdalNodata, "-9223372036854775808").unwrap();
        })
    };
    let map = read(&wide([-9000, 9_000_000, i64::MIN, 7]), &ImportOptions::default());
    assert_eq!(values(&map)[..4], [Some(-9000.0), Some(9e6), None, Some(7.0)]);
    assert_eq!((map.report().bit_depth, map.report().sample_type), (64, SampleType::F64));
    assert!(refused(&wide([0, 1, 2, (1 << 53) + 1])).contains("integers beyond 2^53"));
}
