//! Files by other programs: tools/texture_samples.

use super::{albedo, make, normal, packed, png8, texels};
use crate::import::texture::{Blocks, TexelFormat, TextureData};
use crate::splat::{Layer, TextureSlot};
use png::ColorType;

macro_rules! file {
    ($name:literal) => {
        include_bytes!(concat!("../../../../tests/textures/", $name)).as_slice()
    };
}

/// Every file that is a texture of some slot.
const ALL: [&[u8]; 13] = [
    file!("rgb.png"),
    file!("palette.png"),
    file!("grey16.png"),
    file!("grey.jpg"),
    file!("rgb_420.jpg"),
    file!("rgb_444_progressive.jpg"),
    file!("exif_6.jpg"),
    file!("bc1_srgb.ktx2"),
    file!("bc3.ktx2"),
    file!("bc5.ktx2"),
    file!("rgba8_srgb_zlib.ktx2"),
    file!("rgba8_zstd.ktx2"),
    file!("r8.ktx2"),
];

fn unpacked(bytes: &[u8]) -> TextureData {
    let layer = Layer { albedo: Some("a".into()), ..Layer::new("grass") };
    let texture = make(&layer, TextureSlot::Albedo, &[("a", bytes)], Blocks::Unpacked);
    texture.unwrap_or_else(|error| panic!("{error}"))
}

/// How far a texture is from the picture that all files hold, at most, in the channels that are named.
fn off(texture: &TextureData, channels: &[usize]) -> u8 {
    assert_eq!((texture.width, texture.height), (20, 12));
    let texels = texels::<4>(&texture.mips[0]);
    let far = texels.iter().enumerate().flat_map(|(index, texel)| {
        let expected = [12 * (index % 20) as u8, 20 * (index / 20) as u8, 64];
        channels.iter().map(move |&channel| texel[channel].abs_diff(expected[channel]))
    });
    far.max().expect("texels")
}

#[test]
fn every_format_holds_the_same_picture() {
    let all = &[0, 1, 2];
    assert_eq!(off(&unpacked(file!("rgb.png")), all), 0);
    assert!(off(&unpacked(file!("palette.png")), all) <= 40);
    assert_eq!(off(&unpacked(file!("grey16.png")), &[0]), 0);
    assert!(off(&unpacked(file!("grey.jpg")), &[0]) <= 4);
    assert!(off(&unpacked(file!("rgb_420.jpg")), &[1]) <= 40);
    assert!(off(&unpacked(file!("rgb_444_progressive.jpg")), all) <= 12);
    let bc5 = off(&unpacked(file!("bc5.ktx2")), &[0, 1]);
    // As far off as the encoder left it.
    assert!(bc5 <= 12, "{bc5}");
    assert_eq!(off(&unpacked(file!("rgba8_srgb_zlib.ktx2")), all), 0);
    assert_eq!(off(&unpacked(file!("rgba8_zstd.ktx2")), all), 0);
    assert_eq!(off(&unpacked(file!("r8.ktx2")), &[0]), 0);
}

/// BC1 and BC3 are too coarse for that picture; what another decoder makes of them differs by how 5 bits become 8.
#[test]
fn blocks_are_what_another_decoder_makes_of_them() {
    let decoded = [file!("bc1_decoded.png"), file!("bc3_decoded.png")];
    for (bytes, decoded) in [file!("bc1_srgb.ktx2"), file!("bc3.ktx2")].into_iter().zip(decoded) {
        let (ours, other) = (unpacked(bytes), unpacked(decoded));
        let pairs = ours.mips[0].iter().zip(&other.mips[0]);
        assert!(pairs.clone().all(|(ours, other)| ours.abs_diff(*other) <= 2), "{ours:?}");
        assert_eq!(pairs.len(), 20 * 12 * 4);
    }
}

#[test]
fn a_jpeg_is_turned_as_its_exif_says() {
    let texture = unpacked(file!("exif_6.jpg"));
    assert!(off(&texture, &[0, 1, 2]) <= 12);
    assert!(texture.notes[0].contains("orientation 6"), "{texture:?}");
}

#[test]
fn what_is_no_texture_is_refused_by_name() {
    let why = |bytes: &[u8]| albedo(bytes).unwrap_err().to_string();
    assert!(why(file!("cmyk.jpg")).contains("four inks (CMYK)"));
    assert!(why(file!("basis.ktx2")).contains("ktx transcode --target bc7"));
    assert!(why(b"").contains("the file is empty"));
    assert!(why(b"DDS |").contains("looks like a DDS file; textures are PNG, JPEG or KTX2"));
    assert!(why(&[7; 40]).contains("unknown format"));
    let mut astc = file!("r8.ktx2").to_vec();
    astc[12..16].copy_from_slice(&157u32.to_le_bytes());
    assert!(why(&astc).contains("ASTC blocks"), "{}", why(&astc));
    let mut cube = file!("r8.ktx2").to_vec();
    cube[36] = 6;
    assert!(why(&cube).contains("6 faces"));
    let mut upwards = file!("r8.ktx2").to_vec();
    let at = upwards.windows(3).position(|three| three == b"rd\0").unwrap();
    upwards[at + 1] = b'u';
    assert!(why(&upwards).contains("KTXorientation ru"), "{}", why(&upwards));
}

#[test]
fn blocks_stay_blocks_where_nothing_changes() {
    let colour = albedo(file!("bc1_srgb.ktx2")).unwrap();
    assert_eq!((colour.format, colour.mips.len()), (TexelFormat::Bc1Srgb, 5));
    assert!(colour.notes.is_empty(), "{colour:?}");
    let surface = packed(file!("bc3.ktx2")).unwrap();
    assert_eq!((surface.format, surface.notes.len()), (TexelFormat::Bc3, 0));
    let up = normal(file!("bc5.ktx2"), Blocks::Kept).unwrap();
    assert_eq!((up.format, up.notes.len()), (TexelFormat::Bc5, 0));
    // Colours that say that they are linear.
    let colour = albedo(file!("bc3.ktx2")).unwrap();
    assert_eq!(colour.format, TexelFormat::Bc3Srgb);
    assert!(colour.notes[0].contains("read as sRGB"), "{colour:?}");
}

#[test]
fn blocks_are_unpacked_where_something_changes() {
    let normals = normal(file!("bc5.ktx2"), Blocks::Unpacked).unwrap();
    assert_eq!(normals.format, TexelFormat::Rg8);
    assert!(normals.notes[0].contains("does not read them"));
    let alone = albedo(file!("bc1_one_mip.ktx2")).unwrap();
    assert_eq!((alone.format, alone.mips.len()), (TexelFormat::Rgba8Srgb, 5));
    assert!(
        alone.notes[0].contains("mips are missing") && alone.notes[1].contains("read as sRGB"),
        "{alone:?}"
    );
    let flat = packed(file!("bc1_srgb.ktx2")).unwrap();
    assert_eq!(flat.format, TexelFormat::Rgba8);
    assert!(texels::<4>(&flat.mips[0]).iter().all(|texel| texel[2..] == [0, 128]));
}

#[test]
fn a_file_that_ends_anywhere_is_an_error() {
    for bytes in ALL {
        assert!(albedo(bytes).is_ok());
        for end in 0..bytes.len() {
            // What is cut off a PNG's end marker is missed as well, and the padding of nothing else follows a picture.
            assert!(albedo(&bytes[..end]).is_err(), "{end} of {} bytes: {:?}", bytes.len(), &bytes[..4]);
        }
    }
}

#[test]
fn no_damage_is_a_panic() {
    let mut seed = 1u32;
    let mut random = || {
        // Numerical Recipes' generator: what is damaged only has to be many places.
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        seed >> 8
    };
    for bytes in ALL {
        for _ in 0..300 {
            let mut damaged = bytes.to_vec();
            for _ in 0..1 + random() % 4 {
                let at = random() as usize % damaged.len();
                damaged[at] = random() as u8;
            }
            for _ in 0..2 {
                let _ = (albedo(&damaged), packed(&damaged), normal(&damaged, Blocks::Kept));
            }
        }
    }
}

#[test]
fn claims_are_refused_before_memory_is_taken() {
    let why = |bytes: &[u8]| albedo(bytes).unwrap_err().to_string();
    let mut png = png8(1, 1, ColorType::Grayscale, &[7]);
    png[16..24].copy_from_slice(&[0, 0, 0x40, 0, 0, 0, 0x40, 0]);
    // Its checksum is wrong now, which is found first.
    assert!(why(&png).contains("broken PNG"), "{}", why(&png));
    let mut jpeg = file!("grey.jpg").to_vec();
    let frame = jpeg.windows(2).position(|two| two == [0xff, 0xc0]).unwrap();
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0x20, 0, 0x20, 0]);
    assert!(why(&jpeg).contains("claims 8192×8192"), "{}", why(&jpeg));
    jpeg[frame + 5] = 0x50;
    assert!(why(&jpeg).contains("at most 16384 a side"), "{}", why(&jpeg));
    let mut ktx2 = file!("r8.ktx2").to_vec();
    ktx2[20..28].copy_from_slice(&[0, 0x20, 0, 0, 0, 0x20, 0, 0]);
    assert!(why(&ktx2).contains("mip 0 claims 240 bytes"), "{}", why(&ktx2));
    ktx2[20..28].copy_from_slice(&[0, 0x40, 0, 0, 0, 0x40, 0, 0]);
    assert!(why(&ktx2).contains("more than 67108864"), "{}", why(&ktx2));
}
