//! Weights from other people's files: sums of nothing, sums beyond the whole, an opaque alpha channel, a disc that was
//! erased. Whatever is in them, no ground is black, and numbers of layers are no weights.

use ash::vk;
use glam::DVec2;
use landform::field::{Field, FieldDesc, Weights};
use landform::import::{Alpha, WeightOptions, WeightReport, import_weights};
use landform::plan::{TerrainSettings, View, ViewMode};
use landform::splat::{Layer, LayerMode, Material, TextureSlot};
use landform_device_tests::{MadeTextures, Stage, TopDown, srgb};
use landform_harness::{Gpu, OffscreenDesc, repository, shared};
use std::path::PathBuf;
use std::sync::Arc;

const SIZE: u32 = 64;
/// Dark enough that no light is rolled off: what is mixed stays a mean.
const TINTS: [[f32; 3]; 4] = [[0.36, 0.08, 0.08], [0.08, 0.36, 0.08], [0.08, 0.08, 0.36], [0.32, 0.32, 0.08]];

/// A file of the shared data, or None, said aloud, where it is not there.
fn file(path: &str) -> Option<PathBuf> {
    let file = repository().join("../shared/data").join(path);
    if !file.is_file() {
        eprintln!("SKIPPED: {} is not there", file.display());
        return None;
    }
    Some(file)
}

fn read(path: &str, options: &WeightOptions) -> Option<(Weights, WeightReport)> {
    let file = file(path)?;
    Some(import_weights(&[file], options).unwrap_or_else(|error| panic!("{path}: {error}")))
}

/// Layers that blend by height, or by weight, with tints that no light makes black.
fn material(layers: u32, mode: LayerMode) -> Material {
    let mut material = Material::default();
    material.variation.strength = 0.0;
    for index in 0..layers {
        let mut layer = Layer::new(format!("layer {index}"));
        (layer.mode, layer.tint) = (mode, TINTS[index as usize]);
        layer.surface = Some("black".into());
        material.layers.push(layer);
    }
    material
}

/// Flat ground of a size, a metre a sample, and everything to draw it into linear light with.
struct Ground {
    stage: Stage,
    black: MadeTextures,
}

impl Ground {
    fn new(gpu: &Arc<Gpu>, size: u32) -> Self {
        let desc = FieldDesc::new(size, size).with_tile_samples(128).with_range(0.0, 10.0);
        let field = Field::new(desc).unwrap();
        let target =
            OffscreenDesc { color: vec![vk::Format::R32G32B32A32_SFLOAT], ..OffscreenDesc::new(SIZE, SIZE) };
        let stage = Stage::with_target(gpu, field, TerrainSettings::default(), target);
        let mut black = MadeTextures::new(gpu, &stage.device);
        for index in 0..4 {
            black.add_plain(&format!("layer {index}"), TextureSlot::Surface, [0; 4]);
        }
        Self { stage, black }
    }

    fn set(&mut self, weights: Option<Weights>, material: Material) {
        let mut field = self.stage.terrain.field().clone();
        field.set_weights(weights).unwrap();
        self.stage.terrain.set_material(Material::default()).unwrap();
        *self.stage.terrain.field_mut() = field;
        self.stage.terrain.set_material(material).unwrap();
    }

    /// Straight down: all of the map, or a pixel a sample from a corner on.
    fn view(&self, close: Option<DVec2>, mode: ViewMode) -> View {
        let quads = f64::from(self.stage.terrain.field().desc().quads_x());
        let (corner, pixel) = close.map_or((DVec2::ZERO, quads / f64::from(SIZE)), |corner| (corner, 1.0));
        let top_down = TopDown::new(corner, DVec2::splat(pixel), 0.0, 10.0);
        let mut view = top_down.view(self.stage.viewport());
        (view.preview.mode, view.preview.haze) = (mode, 0.0);
        view
    }

    /// The light of every pixel, all of them ground.
    fn draw(&mut self, view: &View) -> Vec<[f32; 3]> {
        self.stage.draw_light(view, &mut self.black)
    }
}

/// Whatever lies there, in every view: numbers, and light.
fn assert_lit(name: &str, ground: &mut Ground) {
    let middle = DVec2::splat(f64::from(ground.stage.terrain.field().desc().width / 2) - 31.7);
    for mode in [ViewMode::Shaded, ViewMode::Weights] {
        for close in [None, Some(DVec2::splat(3.3)), Some(middle)] {
            let view = ground.view(close, mode);
            let light = ground.draw(&view);
            let finite = light.iter().flatten().all(|value| value.is_finite());
            let least =
                light.iter().map(|pixel| pixel[0].max(pixel[1]).max(pixel[2])).fold(f32::MAX, f32::min);
            assert!(finite && least > 0.03, "{name}: {mode:?}, the darkest pixel has {least} of light");
        }
    }
}

/// The largest difference of two pictures as an 8-bit target shows them, in steps of it.
fn apart(a: &[[f32; 3]], b: &[[f32; 3]]) -> f32 {
    let stored = |light: f32| (255.0 * srgb::encoded(light.clamp(0.0, 1.0).into())) as f32;
    a.iter()
        .flatten()
        .zip(b.iter().flatten())
        .map(|(&a, &b)| (stored(a) - stored(b)).abs())
        .fold(0.0, f32::max)
}

#[test]
fn made_weights_are_ground() {
    let gpu = shared();
    let Some((empty, report)) = read("synth/splat_allzero_257.png", &WeightOptions::default()) else {
        return;
    };
    let mut ground = Ground::new(&gpu, 257);
    let draw = |ground: &mut Ground, weights: Option<Weights>, layers: u32| {
        ground.set(weights, material(layers, LayerMode::Height));
        let view = ground.view(None, ViewMode::Shaded);
        ground.draw(&view)
    };
    // What layer 0 alone is, and an even mix of the first three as one layer of the mean of their tints.
    let first = draw(&mut ground, None, 4);
    let mut mean = material(1, LayerMode::Weight);
    mean.layers[0].tint = [0, 1, 2].map(|i| (TINTS[0][i] + TINTS[1][i] + TINTS[2][i]) / 3.0);
    ground.set(None, mean);
    let view = ground.view(None, ViewMode::Shaded);
    let thirds = ground.draw(&view);
    assert!(apart(&first, &thirds) > 20.0, "the comparison tells them apart");

    // Nothing at all is layer 0.
    assert_eq!(report.empty, 257 * 257, "{report}");
    let layers = empty.layers();
    assert_eq!(apart(&draw(&mut ground, Some(empty), layers), &first), 0.0);
    assert_lit("nothing", &mut ground);

    // An opaque alpha channel is no layer, unless somebody says that it is.
    let (opaque, report) = read("synth/splat_R255_A255_257.png", &WeightOptions::default()).unwrap();
    assert_eq!(opaque.layers(), 3, "{report}");
    assert_eq!(apart(&draw(&mut ground, Some(opaque), 3), &first), 0.0);
    let options = WeightOptions::default().with_alpha(Alpha::Layer);
    let (stated, _) = read("synth/splat_R255_A255_257.png", &options).unwrap();
    assert_eq!(stated.layers(), 4);
    let half = draw(&mut ground, Some(stated), 4);
    assert!(apart(&half, &first) > 20.0, "a stated alpha is half of it");
    assert!((half[0][0] / half[0][2] - 0.34 / 0.08 * first[0][0] / first[0][2] * 0.08 / 0.36).abs() < 0.05);
    assert_lit("stated alpha", &mut ground);

    // 200 of each of three is a third of each.
    let (beyond, report) = read("synth/splat_sum600_257.png", &WeightOptions::default()).unwrap();
    assert_eq!(report.sums, (600.0, 600.0), "{report}");
    let layers = beyond.layers();
    let drawn = draw(&mut ground, Some(beyond.clone()), layers);
    let by = apart(&drawn, &thirds);
    println!("an equal blend is off by {by}/255");
    assert!(by <= 1.0, "{by}");
    // In the picture of the weights as well: what explicit thirds are.
    let view = ground.view(None, ViewMode::Weights);
    let found = ground.draw(&view);
    let amounts: Vec<u16> = [85; 3].repeat(257 * 257);
    ground.set(Some(Weights::of_amounts(257, 257, 3, &amounts).unwrap()), material(3, LayerMode::Weight));
    assert!(apart(&ground.draw(&view), &found) <= 1.0);
    ground.set(Some(beyond), material(layers, LayerMode::Height));
    assert_lit("beyond the whole", &mut ground);

    // What was erased is layer 0 again, and its edge has no line.
    let (erased, report) = read("synth/splat_erased_disc_257.png", &WeightOptions::default()).unwrap();
    assert!(report.empty > 0, "{report}");
    let layers = erased.layers();
    assert_eq!(apart(&draw(&mut ground, Some(erased), layers), &first), 0.0);
    assert_lit("an erased disc", &mut ground);
}

/// An erased disc in another layer than the first: layer 0 inside, and at its edge nothing darker than both.
#[test]
fn an_erased_disc_has_no_line() {
    let gpu = shared();
    let mut ground = Ground::new(&gpu, 257);
    let disc = |x: i32, z: i32| (x - 128).pow(2) + (z - 128).pow(2) < 60 * 60;
    let amounts: Vec<u16> =
        (0..257 * 257).flat_map(|at| if disc(at % 257, at / 257) { [0; 3] } else { [0, 180, 20] }).collect();
    for mode in [LayerMode::Height, LayerMode::Weight] {
        ground.set(Some(Weights::of_amounts(257, 257, 3, &amounts).unwrap()), material(3, mode));
        assert_lit("a disc", &mut ground);
        let view = ground.view(None, ViewMode::Shaded);
        let light = ground.draw(&view);
        let total = |pixel: [f32; 3]| pixel[0] + pixel[1] + pixel[2];
        let (inside, outside) = (total(light[32 * 64 + 32]), total(light[0]));
        let (low, high) = (inside.min(outside) - 1e-3, inside.max(outside) + 1e-3);
        assert!(light.iter().all(|&pixel| (low..high).contains(&total(pixel))), "{low} to {high}");
        let shares = |pixel: [f32; 3]| pixel[0] > pixel[1];
        assert!(shares(light[32 * 64 + 32]) && !shares(light[0]), "layer 0 inside and layer 1 outside");
    }
}

#[test]
fn weights_of_other_programs_are_ground() {
    let gpu = shared();
    for (path, size, alpha) in [
        ("splat/hterrain_splat_513_rgba.png", 513, Alpha::Layer),
        ("splat/mundus_splat_512_rgba.png", 512, Alpha::Layer),
        ("splat/mundus_splat_512_rgba.png", 512, Alpha::Auto),
        ("splat/urho3d_TerrainWeights_1024_rgb.png", 1024, Alpha::Auto),
    ] {
        let Some((weights, report)) = read(path, &WeightOptions::default().with_alpha(alpha)) else {
            continue;
        };
        println!("{report}");
        let mut ground = Ground::new(&gpu, size);
        let layers = weights.layers();
        for mode in [LayerMode::Height, LayerMode::Weight] {
            ground.set(Some(weights.clone()), material(layers, mode));
            assert_lit(path, &mut ground);
        }
    }
}

#[test]
fn numbers_of_layers_are_refused() {
    for path in [
        "splat/terrain3d_demo_00_m01_1024_base_overlay_blend_hole.png",
        "splat/terrain3d_demo_00_m02_1024_base_overlay_blend_hole.png",
        "splat/terrain3d_demo_00_p00_1024_base_overlay_blend_hole.png",
        "splat/lumix_splatmap_256_ids.tga",
    ] {
        let Some(file) = file(path) else { continue };
        let refused = import_weights(&[&file], &WeightOptions::default()).expect_err(path).to_string();
        println!("{refused}");
        assert!(refused.contains(file.file_name().unwrap().to_str().unwrap()), "{refused}");
    }
}
