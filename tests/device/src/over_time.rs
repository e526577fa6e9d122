//! Pictures that are made of many frames, and what they should look like.

use crate::{FrameStage, MadeTextures, four_layers, hills, random, srgb};
use glam::DVec3;
use landform::plan::View;
use landform::splat::{Layer, Material, TextureSlot, Tiling};
use landform_harness::{Gpu, Image8};
use std::sync::Arc;

/// Hills 1 km wide in a frame of this document under a low sun, of a grey or with four layers of textures that are as fine as a pixel.
pub fn hills_in_frame(
    gpu: &Arc<Gpu>,
    document: &str,
    layered: bool,
    (width, height): (u32, u32),
) -> FrameStage {
    let mut field = hills(513, 513);
    if layered {
        field.set_weights(Some(four_layers(&field))).expect("weights of the field's size");
    }
    let mut stage = FrameStage::new(gpu, field, document, width, height);
    stage.set_sun(14.0, 70.0);
    if layered {
        let (material, textures) = layers(&stage);
        let mut ground = stage.ground.lock();
        ground.terrain.set_material(material).expect("a material");
        ground.textures = Some(Box::new(textures));
    }
    stage
}

/// What a frame would show that had `count` samples in each pixel: the mean of as many pictures that each are drawn from elsewhere in
/// it, of a stage whose document resolves nothing.
pub fn supersampled(stage: &mut FrameStage, view: &View, count: u32) -> Image8 {
    let linear: [f64; 256] = std::array::from_fn(|code| srgb::linear(code as f64 / 255.0));
    let mut sums: Vec<f64> = Vec::new();
    let mut mean = Image8::filled(0, 0, [0; 4]);
    for frame in 0..count {
        mean = stage.draw(&view.jittered(View::jitter(frame.into(), count)));
        sums.resize(mean.data.len(), 0.0);
        for (sum, code) in sums.iter_mut().zip(&mean.data) {
            *sum += linear[usize::from(*code)];
        }
    }
    for (code, sum) in mean.data.iter_mut().zip(&sums) {
        *code = (srgb::encoded(sum / f64::from(count)) * 255.0).round() as u8;
    }
    mean
}

fn layers(stage: &FrameStage) -> (Material, MadeTextures) {
    const SIDE: u32 = 64;
    let mut textures = MadeTextures::new(stage.gpu(), &stage.device);
    let mut next = random(11);
    let mut material = Material::default();
    let colours =
        [DVec3::new(0.5, 0.45, 0.3), DVec3::new(0.35, 0.5, 0.25), DVec3::splat(0.6), DVec3::splat(0.4)];
    for (index, colour) in colours.into_iter().enumerate() {
        let mut layer = Layer::new(format!("layer {index}"));
        layer.tiling = Tiling::new(5.0 + 4.0 * index as f64).expect("metres");
        (layer.albedo, layer.normal) = (Some("albedo".into()), Some("normal".into()));
        // Blotches of four texels, and grains.
        let coarse: Vec<u32> = (0..SIDE * SIDE / 16).map(|_| next() % 90).collect();
        let texels = (0..SIDE * SIDE).flat_map(|at| {
            let blotch = coarse[(at / SIDE / 4 * (SIDE / 4) + at % SIDE / 4) as usize];
            let byte = f64::from(blotch + next() % 90) + 75.0;
            [colour.x, colour.y, colour.z, 1.0].map(|part| (byte * 1.6 * part).min(255.0) as u8)
        });
        textures.add(&layer.name, TextureSlot::Albedo, SIDE, &texels.collect::<Vec<_>>());
        let bump = |next: &mut dyn FnMut() -> u32| 100 + (next() % 56) as u8;
        let texels = (0..SIDE * SIDE).flat_map(|_| [bump(&mut next), bump(&mut next), 255, 255]);
        textures.add(&layer.name, TextureSlot::Normal, SIDE, &texels.collect::<Vec<_>>());
        material.layers.push(layer);
    }
    (material, textures)
}
