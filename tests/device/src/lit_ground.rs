//! Ground to be lit: hills, bare or of layers of every roughness.

use crate::{LitStage, MadeTextures, four_layers, hills, random};
use glam::camera::rh::proj::directx;
use glam::{DQuat, DVec3};
use landform::plan::{Placement, TerrainSettings, View};
use landform::splat::{Layer, Material, TextureSlot, Tiling};
use landform_harness::Gpu;
use std::sync::Arc;

/// Bare ground, or ground of four layers of which the smoothest is wet and the roughest dry, all of them bumpy.
pub fn lit_ground(gpu: &Arc<Gpu>, placement: Placement, layered: bool, size: [u32; 2]) -> LitStage {
    let mut field = hills(257, 257);
    if layered {
        field.set_weights(Some(four_layers(&field))).unwrap();
    }
    let settings = TerrainSettings { placement, ..TerrainSettings::default() };
    let mut stage = LitStage::new(gpu, field, settings, size);
    if layered {
        let (material, textures) = layers(&stage);
        stage.terrain.set_material(material).unwrap();
        stage.textures = Some(textures);
    }
    stage
}

fn layers(stage: &LitStage) -> (Material, MadeTextures) {
    let mut textures = MadeTextures::new(stage.gpu(), &stage.device);
    let mut next = random(11);
    let mut material = Material::default();
    for (index, roughness) in [20u8, 90, 160, 255].into_iter().enumerate() {
        let mut layer = Layer::new(format!("layer {index}"));
        layer.tiling = Tiling::new(7.0 + 5.0 * index as f64).unwrap();
        (layer.albedo, layer.surface, layer.normal) =
            (Some("albedo".into()), Some("surface".into()), Some("normal".into()));
        let mut byte = |low: u8, high: u8| low + (next() % (u32::from(high - low) + 1)) as u8;
        let mut texels = |channels: [[u8; 2]; 4]| -> Vec<u8> {
            (0..16 * 16).flat_map(|_| channels.map(|[low, high]| byte(low, high))).collect()
        };
        let albedo = texels([[90, 200], [90, 200], [90, 200], [255, 255]]);
        let surface = texels([[100, 255], [roughness.saturating_sub(15), roughness], [0, 0], [0, 255]]);
        let normal = texels([[80, 175], [80, 175], [255, 255], [255, 255]]);
        textures.add(&layer.name, TextureSlot::Albedo, 16, &albedo);
        textures.add(&layer.name, TextureSlot::Surface, 16, &surface);
        textures.add(&layer.name, TextureSlot::Normal, 16, &normal);
        material.layers.push(layer);
    }
    (material, textures)
}

/// A camera over the hills, and one without perspective.
pub fn lit_cameras(stage: &LitStage) -> [(&'static str, View); 2] {
    let placement = stage.terrain.settings().placement;
    let turned = |yaw: f32, pitch: f32| {
        let turn = DQuat::from_rotation_y(placement.yaw).as_quat();
        turn * View::looking(yaw.to_radians(), pitch.to_radians())
    };
    let at = placement.to_world(DVec3::new(160.0, 190.0, 480.0));
    let seen = View::perspective(at, turned(14.0, -22.0), 1.0, 0.1, stage.viewport());
    let at = placement.to_world(DVec3::new(260.0, 400.0, 400.0));
    let flat = directx::orthographic(-144.0, 144.0, -81.0, 81.0, 1200.0, 1.0);
    [
        ("perspective", seen),
        ("parallel", View::with_projection(at, turned(-20.0, -55.0), flat, stage.viewport())),
    ]
}
