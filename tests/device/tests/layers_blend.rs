//! The blend of layers, on a device: what its Rust twin says, and never black ground or a pixel that is no number.

use ash::vk;
use glam::DVec3;
use landform::abi::{BlendTwinCase, BlendTwinResult, MAX_LAYERS};
use landform::draw::Renderer;
use landform::field::{Field, FieldDesc, Weights};
use landform::gpu::Device;
use landform::plan::TerrainSettings;
use landform::splat::{
    Band, BlendParams, BlendSet, Layer, LayerBlend, LayerMode, Material, PRESENT, TextureSlot, Tiling, blend,
};
use landform_device_tests::{MadeTextures, Stage, hills, random};
use landform_harness::{Gpu, OffscreenDesc, shared};
use std::sync::Arc;

fn run(gpu: &Arc<Gpu>, cases: &[BlendTwinCase]) -> Vec<BlendTwinResult> {
    // SAFETY: the harness' host is valid and outlives the device, and every frame is waited for.
    let device = unsafe { Device::new(gpu.host()) }.expect("a device");
    let mut renderer = Renderer::new(&device, &FieldDesc::new(17, 17)).expect("a renderer");
    device.begin_frame();
    let run = gpu.submit_and_wait(|raw| {
        // SAFETY: the harness hands over a command buffer that records, and waits for it.
        let cmd = unsafe { device.record(raw) };
        renderer.run_blend_twins(&cmd, cases).expect("a dispatch")
    });
    run.expect("a frame").read().expect("results")
}

/// What the Rust twin makes of a case.
fn expected(case: &BlendTwinCase) -> [f32; MAX_LAYERS] {
    let layers: Vec<_> = (0..case.count[0] as usize)
        .map(|slot| LayerBlend {
            mode: LayerMode::ALL[case.mode[slot] as usize],
            contrast: case.contrast[slot],
        })
        .collect();
    let [strength, sharpness, contrast, bias] = case.set;
    let mut shares = case.weight;
    blend(&mut shares, &case.height, &layers, true, BlendParams { strength, sharpness, contrast, bias });
    shares
}

/// How far a share may be off by rounding: a device may fuse a multiplication and an addition, and
/// what is so steep that a rounding turns it over has no one answer.
fn tolerance(case: &BlendTwinCase) -> f32 {
    let [strength, sharpness, contrast, bias] = case.set;
    let steep = sharpness.clamp(0.001, 1e6) * strength.clamp(0.0, 1.0);
    let most = case.contrast.iter().fold(0.0f32, |most, &contrast| most.max(contrast.clamp(0.0, 1e6)));
    let height = 1.0 + contrast.clamp(0.001, 1e6) * most + bias.clamp(-1e6, 1e6).abs();
    1e-5 + 2.0 * f32::EPSILON * steep * height
}

/// Numbers of the sort that a shader meets, and a few that it ought not to.
fn cases(count: u32, wild: bool, seed: u32) -> Vec<BlendTwinCase> {
    let mut next = random(seed);
    let mut unit = move || next() as f32 / u32::MAX as f32;
    (0..count)
        .map(|index| {
            let pick =
                |values: &[f32], at: f32| values[((at * values.len() as f32) as usize).min(values.len() - 1)];
            let odd = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -3.0, 7.0, 1e30, -1e-30];
            let mut set = [unit(), 0.001 + 24.0 * unit(), 3.0 * unit(), 2.0 * unit() - 1.0];
            if wild {
                for value in &mut set {
                    if unit() < 0.4 {
                        *value = pick(
                            &[-2.0, 0.0, 1.0, 1e-9, 40.0, 1e5, 1e9, -1e9, f32::INFINITY, f32::NEG_INFINITY],
                            unit(),
                        );
                    }
                }
            }
            let sparse = unit();
            let mut case =
                BlendTwinCase { set, count: [1 + index % 16, 0, 0, 0], ..BlendTwinCase::default() };
            for slot in 0..MAX_LAYERS {
                let kind = unit();
                case.weight[slot] = match kind {
                    _ if kind < sparse => 0.0,
                    _ if kind < sparse + 0.05 => {
                        pick(&[PRESENT, PRESENT * 1.001, PRESENT * 0.5, 1e-20, 1.0 / 255.0], unit())
                    }
                    _ if wild && kind > 0.97 => {
                        pick(&[1.5, 40.0, 1e30, f32::INFINITY, f32::NAN, -1.0], unit())
                    }
                    _ => unit(),
                };
                case.height[slot] = if unit() < 0.1 { pick(&odd, unit()) } else { unit() };
                case.contrast[slot] = 2.0 * unit();
                if wild && unit() < 0.2 {
                    case.contrast[slot] =
                        pick(&[0.0, -1.0, 16.0, 1e7, f32::INFINITY, f32::NEG_INFINITY], unit());
                }
                case.mode[slot] = match unit() {
                    kind if kind < 0.25 => LayerMode::Weight as u32,
                    kind if kind < 0.8 => LayerMode::Height as u32,
                    _ => LayerMode::Alpha as u32,
                };
            }
            if index % 32 == 31 {
                case.weight = [0.0; MAX_LAYERS];
            }
            case
        })
        .collect()
}

#[test]
fn the_device_blends_as_the_twin_does() {
    let gpu = shared();
    for (count, wild, seed) in [(30_000, false, 1), (30_000, true, 2)] {
        let cases = cases(count, wild, seed);
        // Hardware rounds as it likes.
        let exact = !wild && gpu.kind == vk::PhysicalDeviceType::CPU;
        let results = run(&gpu, &cases);
        let (mut worst, mut held, mut moved) = (0.0f32, 0, 0.0f32);
        for (case, result) in cases.iter().zip(&results) {
            let shares = result.share;
            assert!(shares.iter().all(|&share| share.is_finite() && share >= 0.0), "{shares:?} of {case:?}");
            let sum: f32 = shares.iter().sum();
            assert!((sum - 1.0).abs() < 1e-5, "{sum} of {case:?}");
            let layers = case.count[0] as usize;
            assert!(shares[layers..].iter().all(|&share| share == 0.0), "{shares:?} of {case:?}");
            let twin = expected(case);
            let off = shares.iter().zip(&twin).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            let most = if exact { 1e-5 } else { tolerance(case) };
            assert!(off <= most, "off by {off} of {most}: {shares:?}, not {twin:?}, of {case:?}");
            if most < 2e-5 {
                (worst, held) = (worst.max(off), held + 1);
            }
            // The comparison would see another blend: that of the weights alone is another one.
            let flat = expected(&BlendTwinCase { set: [0.0, 1.0, 1.0, 0.0], ..*case });
            moved = moved.max(flat.iter().zip(&twin).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max));
        }
        println!(
            "wild {wild}: {count} cases, {held} of them held to less than 2e-5, off by {worst:e} at most"
        );
        assert!(held > count / 8 && moved > 0.5, "{held} cases, {moved}");
        assert!(!exact || held == count);
    }
}

/// Ground without weight is the first layer's that is not laid over the others.
#[test]
fn no_weight_is_the_first_layer() {
    let gpu = shared();
    let mut cases = Vec::new();
    for count in 1..=16 {
        for weight in [0.0, PRESENT, 1e-30, f32::NAN, -1.0] {
            for mode in LayerMode::ALL {
                let mut case = BlendTwinCase {
                    set: [1.0, 12.0, 1.0, 0.0],
                    count: [count, 0, 0, 0],
                    weight: [weight; MAX_LAYERS],
                    height: [0.3; MAX_LAYERS],
                    contrast: [1.0; MAX_LAYERS],
                    mode: [LayerMode::Height as u32; MAX_LAYERS],
                };
                case.mode[0] = mode as u32;
                cases.push(case);
            }
        }
    }
    for (case, result) in cases.iter().zip(run(&gpu, &cases)) {
        let alone = usize::from(case.mode[0] == LayerMode::Alpha as u32 && case.count[0] > 1);
        let mut shares = [0.0; MAX_LAYERS];
        shares[alone] = 1.0;
        assert_eq!(result.share, shares, "{case:?}");
    }
}

/// Layers of any mode, tints and textures none of which is dark.
fn material(layers: u32, height: bool, unit: &mut impl FnMut() -> f32) -> Material {
    let mut material = Material::default();
    for index in 0..layers {
        let mut layer = Layer::new(format!("layer {index}"));
        layer.tint = [0; 3].map(|_| 0.4 + 0.6 * unit());
        layer.tiling = Tiling::new(f64::from(1.0 + 30.0 * unit())).unwrap();
        layer.albedo = (unit() < 0.7).then(|| "albedo".into());
        layer.surface = (unit() < 0.7).then(|| "surface".into());
        layer.normal = (unit() < 0.7).then(|| "normal".into());
        layer.contrast = [0.0, 1.0, 4.0, 16.0][(unit() * 3.99) as usize];
        layer.mode = match unit() {
            kind if kind < 0.6 && height => LayerMode::Height,
            kind if kind < 0.8 => LayerMode::Weight,
            _ => LayerMode::Alpha,
        };
        (layer.triplanar, layer.detile) = (unit() < 0.5, unit() < 0.5);
        layer.far_scale = if unit() < 0.5 { 1.0 } else { 5.0 };
        layer.normal_strength = 2.0 * unit();
        if unit() < 0.4 {
            let (from, to) = (60.0 * unit(), 90.0 * unit());
            layer.slope = Some(Band { from: from.min(to), to, soft: 10.0 * unit() });
        }
        material.layers.push(layer);
    }
    material.layers[0].mode = if height { LayerMode::Height } else { LayerMode::Weight };
    for _ in 0..1 + (unit() * 3.99) as u32 {
        let mut set = BlendSet::default();
        set.strength = unit();
        set.sharpness = [0.001, 1.0, 30.0, 1024.0][(unit() * 3.99) as usize];
        set.contrast = [0.0, 1.0, 16.0][(unit() * 2.99) as usize];
        set.bias = 2.0 * unit() - 1.0;
        material.sets.push(set);
    }
    material
}

/// Weights from sample to sample, with places that have none of any layer.
fn weights(field: &Field, material: &Material, unit: &mut impl FnMut() -> f32) -> Weights {
    let layers = material.layers.iter().enumerate();
    let over = layers.filter(|layer| layer.1.mode == LayerMode::Alpha).map(|(index, _)| 1 << index).sum();
    let count = material.layers.len() as u32;
    let (width, height) = (field.desc().width, field.desc().height);
    let amounts: Vec<u16> = (0..width * height * count)
        .map(|_| match unit() {
            kind if kind < 0.5 => 0,
            kind if kind < 0.6 => 1,
            _ => (unit() * 255.0) as u16,
        })
        .collect();
    Weights::of_amounts_with(width, height, count, over, &amounts).expect("weights")
}

/// Random materials on random weights: no pixel is black, and none is no number.
#[test]
fn no_ground_is_black() {
    let gpu = shared();
    let field = hills(65, 65);
    let desc = OffscreenDesc { color: vec![vk::Format::R32G32B32A32_SFLOAT], ..OffscreenDesc::new(96, 64) };
    let mut stage = Stage::with_target(&gpu, field, TerrainSettings::default(), desc);
    let mut next = random(7);
    let mut unit = move || next() as f32 / u32::MAX as f32;
    let noise = |unit: &mut dyn FnMut() -> f32, low: [f32; 4], high: [f32; 4]| -> Vec<u8> {
        let channel = |i: usize, part: f32| (255.0 * (low[i] + (high[i] - low[i]) * part)) as u8;
        (0..16 * 16 * 4).map(|at| channel(at % 4, unit())).collect()
    };
    let mut least = f32::MAX;
    for (count, height) in [(3, true), (4, true), (1, true), (13, true), (16, true), (7, false), (5, false)] {
        let mut material = material(count, height, &mut unit);
        let mut field = stage.terrain.field().clone();
        field.set_weights(Some(weights(&field, &material, &mut unit))).unwrap();
        let sets = material.sets.len() as u32;
        let regions: Vec<u16> = (0..65 * 65 * sets).map(|_| (255.0 * unit()) as u16).collect();
        field.set_regions(Some(Weights::of_amounts(65, 65, sets, &regions).unwrap())).unwrap();
        // The old material may have fewer layers than the new weights.
        stage.terrain.set_material(Material::default()).unwrap();
        *stage.terrain.field_mut() = field;
        stage.terrain.set_material(material.clone()).unwrap();
        let mut textures = MadeTextures::new(&gpu, &stage.device);
        for layer in &mut material.layers {
            // 0.73 of sRGB is half the light, so with the tints no albedo is below 0.2.
            textures.add(&layer.name, TextureSlot::Albedo, 16, &noise(&mut unit, [0.74; 4], [1.0; 4]));
            textures.add(
                &layer.name,
                TextureSlot::Surface,
                16,
                &noise(&mut unit, [0.3, 0.0, 0.0, 0.0], [1.0; 4]),
            );
            textures.add(&layer.name, TextureSlot::Normal, 16, &noise(&mut unit, [0.0; 4], [1.0; 4]));
        }
        let mut darkest = f32::MAX;
        for (position, pitch) in
            [(DVec3::new(64.0, 190.0, 128.0), -40.0), (DVec3::new(64.0, 230.0, 64.0), -90.0)]
        {
            let mut view = stage.view(position, 0.0, pitch);
            view.preview.haze = 0.0;
            let light = stage.draw_light(&view, &mut textures);
            let ground = light.iter().filter(|&&pixel| pixel != [1.0, 0.0, 1.0]);
            let mut pixels = 0;
            for pixel in ground {
                assert!(pixel.iter().all(|value| value.is_finite()), "{pixel:?} with {material:?}");
                // Where no sun comes there is a tenth of light and more from the sky, of which occlusion leaves 0.3, albedo
                // 0.2 and the variation 0.7.
                let lightest = pixel.iter().copied().fold(0.0, f32::max);
                assert!(pixel.iter().all(|&value| value >= 0.0), "{pixel:?}");
                darkest = darkest.min(lightest);
                pixels += 1;
            }
            assert!(pixels > 1000, "{pixels} pixels of ground");
        }
        let banded = material.layers.iter().filter(|layer| layer.slope.is_some()).count();
        println!("{count} layers, {banded} on bands of slopes: the darkest pixel has {darkest} of light");
        least = least.min(darkest);
    }
    assert!(least > 0.004, "a pixel of {least}");
}

/// Bands of slopes that leave nothing of any layer: the ground is the first layer's that is not laid over the others.
#[test]
fn ground_that_no_band_holds_is_the_first_layer() {
    let gpu = shared();
    let field = Field::new(FieldDesc::new(65, 65).with_range(0.0, 10.0)).unwrap();
    let desc = OffscreenDesc { color: vec![vk::Format::R32G32B32A32_SFLOAT], ..OffscreenDesc::new(32, 32) };
    let mut stage = Stage::with_target(&gpu, field, TerrainSettings::default(), desc);
    let mut view = stage.view(DVec3::new(32.0, 40.0, 32.0), 0.0, -90.0);
    view.preview.haze = 0.0;
    let mut textures = MadeTextures::new(&gpu, &stage.device);
    for mode in [LayerMode::Weight, LayerMode::Height] {
        let mut drawn = Vec::new();
        for slope in [None, Some(Band { from: 40.0, ..Band::default() })] {
            let mut material = Material::default();
            for (name, tint) in [("first", [0.2, 0.1, 0.1]), ("second", [0.1, 0.1, 0.2])] {
                let mut layer = Layer::new(name);
                (layer.tint, layer.slope, layer.mode) = (tint, slope, mode);
                material.layers.push(layer);
            }
            stage.terrain.set_material(material).unwrap();
            drawn.push(stage.draw_light(&view, &mut textures));
        }
        assert!(drawn[0] == drawn[1], "{mode:?}: {:?}, not {:?}", drawn[1][500], drawn[0][500]);
    }
}
