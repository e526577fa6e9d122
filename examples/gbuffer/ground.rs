//! What is drawn: the made valley, coarse, with its layers and their textures.

use crate::{Failure, Result};
use landform::draw::FileTextures;
use landform::field::{Field, FieldDesc};
use landform::gpu::Device;
use landform::plan::{Terrain, TerrainSettings};
use landform::splat::RuleMaps;
use landform::synth::{GroundKind, ValleyParams, valley, valley_material};
use landform_cli::ground_textures::{are_there, draw};
use landform_cli::layers::grow_layers;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

/// Samples a side of the map, which is 4096 m wide.
const SAMPLES: u32 = 1025;
/// Texels a side of a texture.
const TEXELS: u32 = 256;

/// The valley with its layers.
pub(crate) fn terrain() -> Result<Terrain> {
    let mut params = ValleyParams::default();
    params.size = SAMPLES;
    let map = valley(&params, &mut |_| ControlFlow::Continue(()))?;
    let map = map.ok_or_else(|| Failure::new("the valley was not made"))?;
    let (samples, min, max) = map.quantise();
    let desc = FieldDesc::new(map.size, map.size).with_tile_samples(128);
    let desc = desc.with_spacing(map.spacing, map.spacing).with_range(min, max);
    let mut field = Field::from_samples(desc, samples)?;
    let material = valley_material();
    grow_layers(&mut field, &material, &RuleMaps { flow: Some(&map.flow), deposit: Some(&map.deposit) })?;
    let mut terrain = Terrain::new(field, TerrainSettings::default())?;
    terrain.set_material(material)?;
    Ok(terrain)
}

/// The textures of the layers, drawn into a folder where they are not there.
pub(crate) fn textures(device: &Arc<Device>, folder: &Path) -> Result<FileTextures> {
    for kind in GroundKind::ALL.into_iter().filter(|kind| !are_there(folder, *kind)) {
        draw(folder, kind, TEXELS)?;
    }
    Ok(FileTextures::new(device, folder)?)
}
