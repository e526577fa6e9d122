//! Textures of layers that differ in size and kind: a JPEG set, a smaller PNG, heights from a palette, normals that are not
//! there. Every layer is drawn with what it has, no ground turns white, and what is missing is said once, by name.

use glam::DVec2;
use landform::draw::{FileTextures, TextureSource};
use landform::field::{Field, FieldDesc, Weights};
use landform::plan::TerrainSettings;
use landform::splat::{Layer, LayerMode, Material, TextureSlot, Tiling};
use landform_device_tests::{Stage, TopDown};
use landform_harness::{Gpu, Image8, read_png, repository, shared, write_png};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

const SIZE: u32 = 96;
const FILES: [&str; 8] = [
    "ambientcg_Grass004_1K_Color.jpg",
    "ambientcg_Grass004_1K_NormalGL.jpg",
    "ambientcg_Grass004_1K_Roughness.jpg",
    "ambientcg_Grass004_1K_AmbientOcclusion.jpg",
    "ambientcg_Grass004_1K_Displacement.jpg",
    "ambientcg_rock023_alb_ht.png",
    "ambientcg_ground037_alb_ht.png",
    "cc0textures_sand_depth.png",
];

/// A folder with the files, and a picture half as large; None, said aloud, where the files are not there.
fn folder() -> Option<PathBuf> {
    let from = repository().join("../shared/data/textures");
    let to = repository().join("target/tmp/case_textures");
    std::fs::create_dir_all(&to).expect("a folder");
    for name in FILES {
        if !from.join(name).is_file() {
            eprintln!("SKIPPED: {} is not there", from.join(name).display());
            return None;
        }
        std::fs::copy(from.join(name), to.join(name)).expect("a copy");
    }
    let soil = read_png(to.join("ambientcg_ground037_alb_ht.png")).expect("a picture");
    write_png(to.join("soil_512.png"), &halved(&soil)).expect("a picture");
    Some(to)
}

fn halved(picture: &Image8) -> Image8 {
    let mut half = Image8::filled(picture.width / 2, picture.height / 2, [0; 4]);
    for (at, texel) in half.data.chunks_exact_mut(4).enumerate() {
        let (x, y) = (2 * (at as u32 % (picture.width / 2)), 2 * (at as u32 / (picture.width / 2)));
        let four = [[0, 0], [1, 0], [0, 1], [1, 1]].map(|[east, south]| picture.pixel(x + east, y + south));
        for (channel, value) in texel.iter_mut().enumerate() {
            *value = (four.iter().map(|texel| u32::from(texel[channel])).sum::<u32>() / 4) as u8;
        }
    }
    half
}

fn layer(name: &str, set: impl FnOnce(&mut Layer)) -> Layer {
    let mut layer = Layer::new(name);
    layer.tiling = Tiling::new(12.0).unwrap();
    layer.mode = LayerMode::Height;
    set(&mut layer);
    layer
}

fn material() -> Material {
    let mut material = Material::default();
    material.variation.strength = 0.0;
    material.layers.push(layer("grass", |grass| {
        grass.albedo = Some("ambientcg_Grass004_1K_Color.jpg".into());
        grass.normal = Some("ambientcg_Grass004_1K_NormalGL.jpg".into());
        grass.roughness = Some("ambientcg_Grass004_1K_Roughness.jpg".into());
        grass.occlusion = Some("ambientcg_Grass004_1K_AmbientOcclusion.jpg".into());
        grass.height = Some("ambientcg_Grass004_1K_Displacement.jpg".into());
    }));
    // Half as large, and heights of 1024 texels beside it.
    material.layers.push(layer("small soil", |soil| {
        soil.albedo = Some("soil_512.png".into());
        soil.height = Some("cc0textures_sand_depth.png".into());
        soil.roughness = Some("soil_512.png#g".into());
    }));
    material.layers.push(layer("rock", |rock| {
        rock.albedo = Some("ambientcg_rock023_alb_ht.png".into());
        rock.height = Some("ambientcg_rock023_alb_ht.png#a".into());
        rock.normal = Some("lost_normal.png".into());
        rock.tint = [0.6, 0.6, 0.7];
    }));
    material
}

/// Draws until every texture is there or known to be missing.
fn settle(gpu: &Arc<Gpu>, stage: &mut Stage, textures: &mut FileTextures, layers: &[Layer]) -> u32 {
    let began = Instant::now();
    let mut frames = 0;
    loop {
        for (layer, slot) in layers.iter().flat_map(|layer| TextureSlot::ALL.map(|slot| (layer, slot))) {
            textures.texture(layer, slot);
        }
        if textures.is_idle() {
            return frames;
        }
        assert!(began.elapsed() < Duration::from_secs(120), "{textures:?}");
        stage.device.begin_frame();
        gpu.submit_and_wait(|raw| {
            // SAFETY: the harness hands over a command buffer that records, and waits for it.
            let cmd = unsafe { stage.device.record(raw) };
            textures.upload(&cmd).unwrap();
        })
        .unwrap();
        frames += 1;
    }
}

/// The mean colour of a part of the columns.
fn mean(picture: &Image8, columns: std::ops::Range<u32>) -> [f64; 3] {
    let pixels = (0..picture.height).flat_map(|y| columns.clone().map(move |x| (x, y)));
    let count = f64::from(picture.height * columns.len() as u32);
    let sum = pixels.fold([0.0; 3], |sum, (x, y)| {
        let pixel = picture.pixel(x, y);
        [0, 1, 2].map(|channel| sum[channel] + f64::from(pixel[channel]))
    });
    sum.map(|channel| channel / count)
}

fn folder_of_nothing() -> &'static Path {
    Path::new("a folder that is not there")
}

#[test]
fn mixed_textures_are_ground() {
    let gpu = shared();
    let Some(folder) = folder() else { return };
    let desc = FieldDesc::new(97, 97).with_range(0.0, 10.0);
    let mut field = Field::new(desc).unwrap();
    // Thirds of the map, all of one layer each.
    let amounts: Vec<u16> = (0..97 * 97)
        .flat_map(|at| {
            let third = at % 97 / 33;
            [0, 1, 2].map(|layer| if layer == third { 255 } else { 0 })
        })
        .collect();
    field.set_weights(Some(Weights::of_amounts(97, 97, 3, &amounts).unwrap())).unwrap();
    let mut stage = Stage::new(&gpu, field, TerrainSettings::default(), SIZE, SIZE);
    let material = material();
    stage.terrain.set_material(material.clone()).unwrap();
    let mut view = TopDown::new(DVec2::ZERO, DVec2::ONE, 0.0, 10.0).view(stage.viewport());
    view.preview.haze = 0.0;

    // Before anything is there every layer is white: what this test is about.
    let mut nothing = FileTextures::new(&stage.device, folder_of_nothing()).unwrap();
    let white = stage.draw_with(&view, &mut nothing);
    drop(nothing);
    let mut textures = FileTextures::new(&stage.device, &folder).unwrap();
    let frames = settle(&gpu, &mut stage, &mut textures, &material.layers);
    for _ in 0..2 {
        stage.draw_with(&view, &mut textures);
    }
    let picture = stage.draw_with(&view, &mut textures);
    println!("{frames} frames; {:?}; notes: {:#?}", textures.problems(), textures.notes());
    let thirds = [4..29, 37..62, 70..93];
    let found = thirds.clone().map(|columns| mean(&picture, columns));
    println!("{found:.1?}");
    for (index, colour) in found.iter().enumerate() {
        let blank = mean(&white, thirds[index].clone());
        let off =
            |a: &[f64; 3], b: &[f64; 3]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(
            colour.iter().all(|&channel| channel < 235.0 && channel > 10.0),
            "layer {index} is {colour:?}"
        );
        assert!(off(colour, &blank) > 15.0, "layer {index} is {colour:?}, and with no texture {blank:?}");
        for (other, with) in found.iter().enumerate().take(index) {
            assert!(off(colour, with) > 8.0, "layers {other} and {index} look alike: {found:?}");
        }
        // A texture, and not a mean of one.
        let columns = thirds[index].clone();
        let shades: std::collections::BTreeSet<_> =
            columns.flat_map(|x| (20..70).map(move |y| (x, y))).map(|(x, y)| picture.pixel(x, y)).collect();
        assert!(shades.len() > 50, "layer {index} has {} shades", shades.len());
    }
    // What is missing is said once, and not again by asking again.
    for _ in 0..3 {
        stage.draw_with(&view, &mut textures);
        settle(&gpu, &mut stage, &mut textures, &material.layers);
    }
    let problems = textures.problems();
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert!(problems[0].contains("lost_normal.png"), "{problems:?}");
    for (layer, slots) in material.layers.iter().zip([3, 2, 2]) {
        let there = TextureSlot::ALL.iter().filter(|&&slot| textures.texture(layer, slot).is_some()).count();
        assert_eq!(there, slots, "{}", layer.name);
    }
}
