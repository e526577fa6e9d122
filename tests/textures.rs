//! Published textures, which lie beside the checkout, through the device-free half.
#![cfg(feature = "textures")]

#[path = "common/heightmaps.rs"]
mod common;

use common::shared_or_end;
use landform::import::{Blocks, TexelFormat, TextureData, TextureRequest};
use landform::splat::{Layer, TextureSlot};
use std::path::Path;

fn read(folder: &Path, slot: TextureSlot, set: impl FnOnce(&mut Layer)) -> TextureData {
    let mut layer = Layer::new("layer");
    set(&mut layer);
    let request = TextureRequest::of(&layer, slot).expect("a name");
    request.read(folder, Blocks::Unpacked).unwrap_or_else(|error| panic!("{error}"))
}

/// The mean of a channel of a mip.
fn mean(texture: &TextureData, mip: usize, channel: usize) -> f64 {
    let texels = texture.mips[mip].chunks_exact(texture.format.block_bytes());
    let count = texels.len() as f64;
    texels.map(|texel| f64::from(texel[channel])).sum::<f64>() / count
}

#[test]
fn a_set_of_jpegs() {
    let file = shared_or_end!("textures/ambientcg_Grass004_1K_Color.jpg");
    let folder = file.parent().expect("a folder");
    let name = |part: &str| Some(format!("ambientcg_Grass004_1K_{part}.jpg"));
    let albedo = read(folder, TextureSlot::Albedo, |layer| layer.albedo = name("Color"));
    assert_eq!((albedo.width, albedo.height, albedo.mips.len()), (1024, 1024, 11));
    assert_eq!((albedo.format, albedo.notes.len()), (TexelFormat::Rgba8Srgb, 0));
    // Grass is green, and lighter from afar than the mean of its codes.
    assert!(mean(&albedo, 0, 1) > mean(&albedo, 0, 0) && mean(&albedo, 0, 0) > mean(&albedo, 0, 2));
    assert!(mean(&albedo, 10, 1) > mean(&albedo, 0, 1));
    let surface = read(folder, TextureSlot::Surface, |layer| {
        layer.occlusion = name("AmbientOcclusion");
        layer.roughness = name("Roughness");
        layer.height = name("Displacement");
    });
    assert!(surface.notes.is_empty(), "{surface:?}");
    for channel in [0, 1, 3] {
        let (near, far) = (mean(&surface, 0, channel), mean(&surface, 10, channel));
        assert!((near - far).abs() < 1.0 && near > 10.0 && near < 250.0, "{channel}: {near} {far}");
    }
    let normal = read(folder, TextureSlot::Normal, |layer| layer.normal = name("NormalGL"));
    assert_eq!(normal.format, TexelFormat::Rg8);
    assert!((0..2).all(|channel| (mean(&normal, 10, channel) - 127.5).abs() < 12.0));
}

/// Albedo with heights in its alpha, normals with roughness in theirs; the maps of two other sets beside them.
#[test]
fn packed_pngs_and_palettes() {
    let file = shared_or_end!("textures/ambientcg_rock023_alb_ht.png");
    let folder = file.parent().expect("a folder");
    let surface = read(folder, TextureSlot::Surface, |layer| {
        layer.occlusion = Some("ambientcg_Grass004_1K_AmbientOcclusion.jpg".into());
        layer.roughness = Some("ambientcg_rock023_nrm_rgh.png#a".into());
        layer.height = Some("ambientcg_rock023_alb_ht.png#a".into());
    });
    assert_eq!((surface.width, surface.format), (1024, TexelFormat::Rgba8));
    assert!([0, 1, 3].iter().all(|&channel| (10.0..250.0).contains(&mean(&surface, 0, channel))));
    let palettes = read(folder, TextureSlot::Surface, |layer| {
        layer.height = Some("cc0textures_sand_depth.png".into());
        layer.roughness = Some("cc0textures_sand_roughness.png".into());
    });
    assert_eq!(mean(&palettes, 0, 0), 255.0);
    assert!((10.0..250.0).contains(&mean(&palettes, 0, 3)));
    let albedo =
        read(folder, TextureSlot::Albedo, |layer| layer.albedo = Some("cc0textures_sand_albedo.png".into()));
    assert_eq!(albedo.mips.len(), 11);
}
