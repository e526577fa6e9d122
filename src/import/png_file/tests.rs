//! Small pictures made in memory.

use super::super::{ImportReport, import_bytes};
use super::*;
use crate::field::{Field, Quad, Sample};

/// A picture of these raw sample bytes.
fn picture(width: u32, height: u32, color: ColorType, depth: BitDepth, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    encoder.set_depth(depth);
    if color == ColorType::Indexed {
        encoder.set_palette(vec![0; 3 * 256]);
    }
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(data).unwrap();
    writer.finish().unwrap();
    bytes
}

fn wide(codes: &[u16]) -> Vec<u8> {
    codes.iter().flat_map(|code| code.to_be_bytes()).collect()
}

fn taken(bytes: &[u8]) -> (Field, ImportReport) {
    import_bytes("a.png", bytes, &ImportOptions::default().with_range(0.0, 255.0)).unwrap()
}

fn refusal(bytes: &[u8]) -> String {
    import_bytes("a.png", bytes, &ImportOptions::default()).unwrap_err().to_string()
}

#[test]
fn sixteen_bits_keep_every_level() {
    let codes: Vec<u16> = (0..=65535).collect();
    let (field, report) = taken(&picture(256, 256, ColorType::Grayscale, BitDepth::Sixteen, &wide(&codes)));
    assert_eq!(field.samples(), codes);
    assert_eq!((report.distinct_levels, report.bit_depth, report.max_at), (65536, 16, Sample::new(255, 255)));
    assert_eq!((report.lowest, report.highest), (0.0, 255.0));
    assert!(report.warnings.is_empty(), "{report}");
}

#[test]
fn eight_bits_have_exact_ends_and_a_warning_with_the_step() {
    let data: Vec<u8> = (0..=255).collect();
    let (field, report) = taken(&picture(32, 8, ColorType::Grayscale, BitDepth::Eight, &data));
    assert_eq!((field.samples()[0], field.samples()[128], field.samples()[255]), (0, 128 * 257, 65535));
    assert_eq!((report.min, report.max, report.bit_depth), (0.0, 255.0, 8));
    assert!(report.warnings.iter().any(|line| line.contains("256 levels, step 1 m")), "{report}");
}

#[test]
fn alpha_is_ignored_and_reported() {
    let data = wide(&[1000, 65535, 2000, 65535, 3000, 65535, 4000, 65535]);
    let (field, report) = taken(&picture(2, 2, ColorType::GrayscaleAlpha, BitDepth::Sixteen, &data));
    assert_eq!(field.samples(), [1000, 2000, 3000, 4000]);
    assert!(report.assumptions.iter().any(|line| line.contains("alpha")), "{report}");
    let (field, report) =
        taken(&picture(2, 2, ColorType::GrayscaleAlpha, BitDepth::Eight, &[1, 0, 2, 255, 3, 9, 4, 255]));
    assert_eq!(field.samples(), [257, 514, 771, 1028]);
    assert!(report.warnings.iter().any(|line| line.contains("2 samples are not opaque")), "{report}");
}

#[test]
fn colour_is_taken_only_where_it_is_grey() {
    let grey = [7, 7, 7, 8, 8, 8, 9, 9, 9, 10, 10, 10];
    let (field, report) = taken(&picture(2, 2, ColorType::Rgb, BitDepth::Eight, &grey));
    assert_eq!(field.samples(), [7 * 257, 8 * 257, 9 * 257, 10 * 257]);
    assert!(report.assumptions.iter().any(|line| line.contains("channels are equal")), "{report}");
    let mut off = grey;
    off[8] = 10;
    let text = refusal(&picture(2, 2, ColorType::Rgb, BitDepth::Eight, &off));
    assert!(text.contains("Terrarium") && text.contains("column 0, row 1"), "{text}");
    let low_byte = wide(&[5, 5, 5, 5, 5, 6, 5, 5, 5, 5, 5, 5]);
    assert!(
        refusal(&picture(2, 2, ColorType::Rgb, BitDepth::Sixteen, &low_byte)).contains("column 1, row 0")
    );
}

#[test]
fn black_colour_is_suspected_to_be_a_missing_tile() {
    let bytes = picture(2, 2, ColorType::Rgb, BitDepth::Eight, &[0; 12]);
    assert!(refusal(&bytes).contains("missing Terrarium"));
    let options = ImportOptions::default().with_encoding(Encoding::Normalised);
    let (_, report) = import_bytes("a.png", &bytes, &options).unwrap();
    assert!(report.warnings.iter().any(|line| line.contains("constant")), "{report}");
    let refused = import_bytes("a.png", &bytes, &options.with_encoding(Encoding::Terrarium)).unwrap_err();
    assert!(refused.to_string().contains("every sample is a void"), "{refused}");
}

#[test]
fn a_palette_of_greys_is_grey_and_one_of_colours_is_refused() {
    let picture = |palette: [u8; 9]| {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 2);
        encoder.set_color(ColorType::Indexed);
        encoder.set_depth(BitDepth::Two);
        encoder.set_palette(palette.to_vec());
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&[0b0001_0000, 0b1000_0000]).unwrap();
        writer.finish().unwrap();
        bytes
    };
    let (field, report) = taken(&picture([9, 9, 9, 70, 70, 70, 5, 5, 5]));
    assert_eq!(field.samples(), [9 * 257, 70 * 257, 5 * 257, 9 * 257]);
    assert!(report.assumptions.iter().any(|line| line.contains("a palette of greys")), "{report}");
    assert!(refusal(&picture([9, 9, 9, 70, 71, 70, 5, 5, 5])).contains("a palette picture of colours"));
}

#[test]
fn few_bits_are_refused_by_name() {
    for (depth, bits) in [(BitDepth::One, 1), (BitDepth::Two, 2), (BitDepth::Four, 4)] {
        let text = refusal(&picture(2, 2, ColorType::Grayscale, depth, &[0; 2]));
        assert!(text.contains(&format!("{bits} bits a sample")), "{text}");
    }
}

/// The chunks of a PNG, each with its name.
fn with_chunks(header: &[u8; 13], more: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let all =
        [(b"IHDR", header.as_slice())].into_iter().chain(more.iter().copied()).chain([(b"IEND", &[][..])]);
    for (name, data) in all {
        bytes.extend((data.len() as u32).to_be_bytes());
        let start = bytes.len();
        bytes.extend(name);
        bytes.extend(data);
        let crc = crc32(&bytes[start..]);
        bytes.extend(crc.to_be_bytes());
    }
    bytes
}

fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg()))
    })
}

/// A zlib stream that stores its bytes.
fn stored(data: &[u8]) -> Vec<u8> {
    let length = data.len() as u16;
    let mut bytes = vec![0x78, 0x01, 1];
    bytes.extend(length.to_le_bytes());
    bytes.extend((!length).to_le_bytes());
    bytes.extend(data);
    let (a, b) = data.iter().fold((1u32, 0u32), |(a, b), &byte| {
        let a = (a + u32::from(byte)) % 65521;
        (a, (a + b) % 65521)
    });
    bytes.extend((b << 16 | a).to_be_bytes());
    bytes
}

fn header(width: u32, height: u32, depth: u8, color: u8, interlace: u8) -> [u8; 13] {
    let mut bytes = [0; 13];
    bytes[..4].copy_from_slice(&width.to_be_bytes());
    bytes[4..8].copy_from_slice(&height.to_be_bytes());
    bytes[8..].copy_from_slice(&[depth, color, 0, 0, interlace]);
    bytes
}

#[test]
fn interlaced_pictures_of_every_small_size_are_put_together() {
    for (width, height) in (2..=17u32).flat_map(|width| (2..=17u32).map(move |height| (width, height))) {
        let code = |x: u32, z: u32| (1 + x * 251 + z * 4099) as u16;
        let mut data = Vec::new();
        for (x0, z0, dx, dz) in ADAM7 {
            for z in (z0..height).step_by(dz as usize).take_while(|_| x0 < width) {
                data.push(0);
                data.extend((x0..width).step_by(dx as usize).flat_map(|x| code(x, z).to_be_bytes()));
            }
        }
        let bytes = with_chunks(&header(width, height, 16, 0, 1), &[(b"IDAT", &stored(&data))]);
        let (field, _) = taken(&bytes);
        let wanted: Vec<u16> = (0..width * height).map(|i| code(i % width, i / width)).collect();
        assert_eq!(field.samples(), wanted, "{width}×{height}");
    }
}

#[test]
fn a_transparent_grey_is_a_void() {
    let data = stored(&[0, 5, 6, 7, 0, 7, 8, 9]);
    let bytes = with_chunks(&header(3, 2, 8, 0, 0), &[(b"tRNS", &[0, 5]), (b"IDAT", &data)]);
    let (field, report) = taken(&bytes);
    assert_eq!((report.voids, report.nodata.clone(), report.min), (1, vec![5.0], 6.0));
    assert!(field.is_hole(Quad::new(0, 0)) && !field.is_hole(Quad::new(1, 0)));
    assert!(report.assumptions.iter().any(|line| line.contains("transparent")), "{report}");
    let stated = ImportOptions::default().with_nodata(9.0);
    let (_, report) = import_bytes("a.png", &bytes, &stated).unwrap();
    assert_eq!((report.voids, report.nodata.clone(), report.min), (1, vec![9.0], 5.0));
}

#[test]
fn claims_beyond_the_file_or_the_limit_are_refused() {
    let data = stored(&[0; 10]);
    let claim = |width, height| refusal(&with_chunks(&header(width, height, 16, 0, 0), &[(b"IDAT", &data)]));
    assert!(claim(16384, 16384).contains("cannot be in a file of"));
    assert!(claim(16385, 16384).contains("268435456"));
    assert!(claim(1 << 23, 2).contains("a side"));
    assert!(claim(0x7fff_ffff, 0x7fff_ffff).contains("claims"));
    assert!(claim(1, 9).contains("at least 2×2"));
    assert!(claim(0, 9).contains("broken"));
    assert!(claim(3, 3).contains("a.png"), "too few rows");
}

#[test]
fn a_stated_size_has_to_be_the_files() {
    let bytes = picture(2, 2, ColorType::Grayscale, BitDepth::Eight, &[1, 2, 3, 4]);
    import_bytes("a", &bytes, &ImportOptions::default().with_raw_size(2, 2)).unwrap();
    let text =
        import_bytes("a", &bytes, &ImportOptions::default().with_raw_size(4, 1)).unwrap_err().to_string();
    assert!(text.contains("2×2") && text.contains("4×1"), "{text}");
}

#[test]
fn a_file_cut_anywhere_or_with_a_flipped_bit_is_refused() {
    let codes: Vec<u16> = (0..20 * 9).map(|i| i * 331).collect();
    let bytes = picture(20, 9, ColorType::Grayscale, BitDepth::Sixteen, &wide(&codes));
    for length in 0..bytes.len() {
        assert!(!refusal(&bytes[..length]).is_empty());
    }
    for bit in 0..8 * bytes.len() {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        if let Ok((field, _)) = import_bytes("a.png", &flipped, &ImportOptions::default()) {
            assert_eq!(field.samples(), codes, "bit {bit} changed a height unseen");
        }
    }
}
