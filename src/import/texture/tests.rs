//! What each slot makes of pictures.

mod files;

use super::{Blocks, TexelFormat, TextureData, TextureRequest};
use crate::splat::{Layer, TextureSlot};
use crate::{Error, Result};
use png::{BitDepth, ColorType};

/// A PNG of these samples.
fn png(width: u32, height: u32, colour: ColorType, depth: BitDepth, samples: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(colour);
    encoder.set_depth(depth);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(samples).unwrap();
    writer.finish().unwrap();
    bytes
}

fn png8(width: u32, height: u32, colour: ColorType, samples: &[u8]) -> Vec<u8> {
    png(width, height, colour, BitDepth::Eight, samples)
}

fn make(layer: &Layer, slot: TextureSlot, files: &[(&str, &[u8])], blocks: Blocks) -> Result<TextureData> {
    let request = TextureRequest::of(layer, slot).expect("the layer names files");
    assert!(request.is_of(layer, slot) && request.slot() == slot);
    let open = |file: &str| {
        let found = files.iter().find(|(name, _)| *name == file);
        found.map(|(_, bytes)| bytes.to_vec()).ok_or_else(|| Error::file(file, "there is no such file"))
    };
    let texture = request.read_from(open, blocks)?;
    assert_eq!(texture.extent(texture.mips.len() - 1).iter().filter(|&&side| side > 4).count(), 0);
    for (mip, bytes) in texture.mips.iter().enumerate() {
        assert_eq!(bytes.len(), texture.format.mip_bytes(texture.extent(mip)), "mip {mip} of {texture:?}");
    }
    Ok(texture)
}

fn albedo(bytes: &[u8]) -> Result<TextureData> {
    let layer = Layer { albedo: Some("a".into()), ..Layer::new("grass") };
    make(&layer, TextureSlot::Albedo, &[("a", bytes)], Blocks::Kept)
}

fn packed(bytes: &[u8]) -> Result<TextureData> {
    let layer = Layer { surface: Some("s".into()), ..Layer::new("grass") };
    make(&layer, TextureSlot::Surface, &[("s", bytes)], Blocks::Kept)
}

fn normal(bytes: &[u8], blocks: Blocks) -> Result<TextureData> {
    let layer = Layer { normal: Some("n".into()), ..Layer::new("grass") };
    make(&layer, TextureSlot::Normal, &[("n", bytes)], blocks)
}

fn texels<const N: usize>(bytes: &[u8]) -> Vec<[u8; N]> {
    bytes.as_chunks().0.to_vec()
}

#[test]
fn a_checker_of_black_and_white_is_half_the_light_from_afar() {
    let checker: Vec<u8> =
        (0..64u32).flat_map(|index| [(index % 8 + index / 8) as u8 % 2 * 255; 3]).collect();
    let texture = albedo(&png8(8, 8, ColorType::Rgb, &checker)).unwrap();
    assert_eq!((texture.format, texture.mips.len()), (TexelFormat::Rgba8Srgb, 4));
    assert!(texture.notes.is_empty(), "{texture:?}");
    for mip in &texture.mips[1..] {
        assert!(texels(mip).iter().all(|&texel| texel == [188, 188, 188, 255]), "{mip:?}");
    }
}

#[test]
fn an_albedo_has_no_alpha() {
    let texture = albedo(&png8(1, 2, ColorType::Rgba, &[10, 20, 30, 0, 10, 20, 30, 255])).unwrap();
    assert_eq!(texels(&texture.mips[0]), [[10, 20, 30, 255]; 2]);
    assert_eq!(texels(&texture.mips[1]), [[10, 20, 30, 255]]);
}

#[test]
fn grey_and_sixteen_bits_are_albedos_too() {
    let wide = [0x80, 0x80, 0x80, 0x7f, 0xff, 0x80, 0x00, 0x81].repeat(2);
    let texture = albedo(&png(8, 1, ColorType::Grayscale, BitDepth::Sixteen, &wide)).unwrap();
    let codes: Vec<u8> = texels::<4>(&texture.mips[0]).iter().map(|texel| texel[0]).collect();
    assert_eq!(codes[..4], [128, 128, 255, 1]);
}

#[test]
fn normals_have_a_length_of_one_in_every_mip() {
    // A ridge: half leans west, half east, both by 45 degrees.
    let ridge: Vec<u8> = (0..16).flat_map(|index| [[37, 128, 218], [218, 128, 218]][index % 2]).collect();
    let texture = normal(&png8(4, 4, ColorType::Rgb, &ridge), Blocks::Kept).unwrap();
    assert_eq!((texture.format, texture.mips.len()), (TexelFormat::Rg8, 3));
    let steep = (128.0 + 127.0 * std::f32::consts::FRAC_1_SQRT_2).round() as u8;
    assert_eq!(texels(&texture.mips[0])[..2], [[((256 - u32::from(steep)) as u8), 128], [steep, 128]]);
    // Together they are level, and of length 1 although their mean is not.
    assert!(texels(&texture.mips[1]).iter().all(|[x, _]: &[u8; 2]| (127..=128).contains(x)));
    // What a file has too short is made longer.
    let short = normal(&png8(1, 1, ColorType::Rgb, &[191, 128, 191]), Blocks::Kept).unwrap();
    assert_eq!(texels(&short.mips[0]), [[steep, 128]]);
}

#[test]
fn a_grey_picture_has_no_normals() {
    let file = png8(1, 1, ColorType::Grayscale, &[128]);
    let why = normal(&file, Blocks::Kept).unwrap_err().to_string();
    assert!(why.starts_with("n: is a grey picture") && why.contains("`height`"), "{why}");
    let why = packed(&file).unwrap_err().to_string();
    assert!(why.starts_with("s: is a grey picture") && why.contains("`roughness`"), "{why}");
}

#[test]
fn a_surface_of_one_file_keeps_its_heights() {
    let texture = packed(&png8(1, 2, ColorType::Rgba, &[1, 2, 3, 4, 5, 6, 7, 8])).unwrap();
    assert_eq!(texels(&texture.mips[0]), [[1, 2, 0, 4], [5, 6, 0, 8]]);
    assert_eq!(texels(&texture.mips[1]), [[3, 4, 0, 6]]);
    assert!(texture.notes.is_empty());
}

#[test]
fn a_surface_without_heights_is_flat() {
    for (colour, samples) in [(ColorType::Rgb, &[9u8, 8, 7][..]), (ColorType::Rgba, &[9, 8, 7, 255])] {
        let texture = packed(&png8(1, 1, colour, samples)).unwrap();
        assert_eq!(texels(&texture.mips[0]), [[9, 8, 0, 128]]);
        assert!(texture.notes[0].starts_with("s: it has no blend heights"), "{texture:?}");
    }
}

#[test]
fn parts_come_from_channels_of_files_and_each_file_is_opened_once() {
    let layer = Layer {
        occlusion: Some("b.png#b".into()),
        roughness: Some("b.png#g".into()),
        height: Some("a.png#a".into()),
        ..Layer::new("grass")
    };
    let request = TextureRequest::of(&layer, TextureSlot::Surface).unwrap();
    assert_eq!(request.files(), ["a.png", "b.png"]);
    let mut opened = Vec::new();
    let open = |file: &str| {
        opened.push(file.to_owned());
        Ok(match file {
            "a.png" => png8(1, 1, ColorType::Rgba, &[1, 2, 3, 4]),
            _ => png8(1, 1, ColorType::Rgb, &[10, 20, 30]),
        })
    };
    let texture = request.read_from(open, Blocks::Kept).unwrap();
    assert_eq!(texels(&texture.mips[0]), [[30, 20, 0, 4]]);
    opened.sort();
    assert_eq!(opened, ["a.png", "b.png"]);
}

#[test]
fn parts_that_are_missing_are_unoccluded_rough_and_flat() {
    let file = png8(1, 1, ColorType::Grayscale, &[77]);
    for (part, expected) in [[77, 230, 0, 128], [255, 77, 0, 128], [255, 230, 0, 77]].iter().enumerate() {
        let mut layer = Layer::new("grass");
        *[&mut layer.occlusion, &mut layer.roughness, &mut layer.height][part] = Some("a".into());
        let texture = make(&layer, TextureSlot::Surface, &[("a", &file)], Blocks::Kept).unwrap();
        assert_eq!(texels(&texture.mips[0]), [*expected]);
    }
}

#[test]
fn parts_of_several_sizes_are_as_large_as_the_largest() {
    let layer =
        Layer { occlusion: Some("small".into()), height: Some("large".into()), ..Layer::new("grass") };
    let files: [(&str, &[u8]); 2] = [
        ("small", &png8(2, 1, ColorType::Grayscale, &[0, 100])),
        ("large", &png8(4, 2, ColorType::Grayscale, &[1, 2, 3, 4, 5, 6, 7, 8])),
    ];
    let texture = make(&layer, TextureSlot::Surface, &files, Blocks::Kept).unwrap();
    assert_eq!((texture.width, texture.height), (4, 2));
    let occlusion: Vec<u8> = texels::<4>(&texture.mips[0]).iter().map(|texel| texel[0]).collect();
    assert_eq!(occlusion, [25, 25, 75, 75, 25, 25, 75, 75]);
    assert!(texture.notes[0].contains("small has 2×1 texels and was enlarged to 4×2"), "{texture:?}");
}

#[test]
fn a_channel_that_is_not_there_is_named() {
    let layer = Layer { height: Some("a#a".into()), ..Layer::new("grass") };
    let file = png8(1, 1, ColorType::Rgb, &[1, 2, 3]);
    let why = make(&layer, TextureSlot::Surface, &[("a", &file)], Blocks::Kept).unwrap_err().to_string();
    assert!(why.starts_with("a: has no alpha channel"), "{why}");
    let layer = Layer { albedo: Some("a#r".into()), ..Layer::new("grass") };
    let why = make(&layer, TextureSlot::Albedo, &[("a", &file)], Blocks::Kept).unwrap_err().to_string();
    assert!(why.contains("whole files"), "{why}");
}

#[test]
fn requests_are_told_apart_by_all_that_they_read() {
    let mut layer = Layer { normal: Some("n".into()), ..Layer::new("grass") };
    let normal = TextureRequest::of(&layer, TextureSlot::Normal).unwrap();
    assert!(TextureRequest::of(&layer, TextureSlot::Surface).is_none());
    assert!(TextureRequest::of(&layer, TextureSlot::Albedo).is_none());
    // Which way green points is for what draws it.
    layer.normal_down = true;
    assert!(normal.is_of(&layer, TextureSlot::Normal));
    layer.normal = Some("m".into());
    assert!(!normal.is_of(&layer, TextureSlot::Normal));
    layer.height = Some("h".into());
    let parts = TextureRequest::of(&layer, TextureSlot::Surface).unwrap();
    layer.surface = Some("s".into());
    assert!(!parts.is_of(&layer, TextureSlot::Surface));
    // One file for all three, where there is one.
    assert_eq!(TextureRequest::of(&layer, TextureSlot::Surface).unwrap().files(), ["s"]);
}

#[test]
fn it_breaks_off_where_it_is_told_to() {
    let folder = std::env::temp_dir().join(format!("landform-texture-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = png8(300, 300, ColorType::Grayscale, &vec![7; 90_000]);
    std::fs::write(folder.join("a.png"), file).unwrap();
    let layer = Layer { albedo: Some("a.png".into()), ..Layer::new("grass") };
    let request = TextureRequest::of(&layer, TextureSlot::Albedo).unwrap();
    let asked = std::cell::Cell::new(0);
    let ask = |most: u32| {
        asked.set(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() > most
        };
        request.read_watched(&folder, Blocks::Kept, &stop).unwrap()
    };
    assert!(ask(u32::MAX).is_some());
    let all = asked.get();
    assert!(all > 10, "{all}");
    assert!((0..all).all(|most| ask(most).is_none()));
    let why = request.read(folder.join("nowhere"), Blocks::Kept).unwrap_err().to_string();
    assert!(why.contains("a.png: there is no such file"), "{why}");
    std::fs::remove_dir_all(folder).unwrap();
}
