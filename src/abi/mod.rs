//! Every structure that a shader reads, as the shader reads it.
//!
//! `tests/abi.rs` holds the offset of each field, the size and the stride against the reflection of the compiled
//! shaders, so that there is nothing to keep in step by hand.

mod exposure;
mod light;

use crate::field::Level;

pub use crate::shaders::{MAX_CASCADES, MAX_LAYERS, MAX_LEVELS, MAX_SETS};
pub use exposure::ExposureConstants;
pub use light::{
    CascadeRecord, ClusterView, LampReach, LampRecord, LightConstants, OcclusionConstants, ResolveConstants,
    ShowConstants, SkyVelocityConstants, TonemapConstants,
};

/// The sixteen bytes that place a patch. `origin + grid_index · step` is the sample whose height a vertex reads, and
/// the far corner of a patch is its far sample.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[doc(alias = "TerrainNodeRecord")]
#[repr(C)]
pub struct NodeRecord {
    /// The patch's north-west sample: column, row.
    pub origin: [f32; 2],
    /// Samples between two lattice vertices, 2 to the power of the level.
    pub step: f32,
    /// Bits 0–7 the level, bits 16–31 the node's own morph at its nearest point (0…65535), for inspection only: the
    /// shader morphs by vertex.
    pub packed: u32,
}

impl NodeRecord {
    /// A record of a node of this level whose north-west sample is (`x`, `z`). `morph` is 0…1.
    pub fn new(level: Level, x: u32, z: u32, morph: f32) -> Self {
        Self {
            origin: [x as f32, z as f32],
            step: (1u32 << level.0) as f32,
            packed: u32::from(level.0) | ((morph * 65535.0 + 0.5) as u32) << 16,
        }
    }

    /// The node's level.
    pub fn level(&self) -> Level {
        Level(self.packed as u8)
    }

    /// The node's morph at its point nearest to the camera, 0…1.
    pub fn node_morph(&self) -> f32 {
        (self.packed >> 16) as f32 / 65535.0
    }
}

/// Where a level's morph begins and ends, in metres of the level field's distance.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct MorphBand {
    /// Up to here the morph is exactly 0.
    pub start: f32,
    /// From here on the morph is exactly 1.
    pub end: f32,
    /// 1 / (end − start).
    pub inverse: f32,
    /// Fills the 16 bytes of an array element.
    pub unused: f32,
}

impl MorphBand {
    /// A band that no distance reaches: the level does not morph.
    pub const NEVER: Self = Self { start: f32::MAX, end: f32::MAX, inverse: 0.0, unused: 0.0 };
}

/// What a view is to the shaders: one uniform block a view. Everything is in the terrain's own frame (x east, z
/// south, y up) and relative to the camera.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct ViewConstants {
    /// Camera-relative terrain metres → clip space, column-major.
    pub view_projection: [[f32; 4]; 4],
    /// The camera in samples, split so that its distance to a sample is exact: whole column, whole row, fraction of
    /// a column, fraction of a row.
    pub camera_sample: [f32; 4],
    /// The camera's height in codes, split in the same way: whole code, fraction; then metres a code; then how far,
    /// in metres, the level field's centre is above or below the declared height range (0 inside it).
    pub camera_height: [f32; 4],
    /// Where the level field is measured from, in samples, split like the camera; the camera itself as a rule.
    pub level_sample: [f32; 4],
    /// Metres between samples in x and in z; then 1 / tile quads; then how many mips finer than λ heights are read, 0 but for
    /// shadow casters.
    pub spacing: [f32; 4],
    /// Quads of the map in x and in z, quads a side of a tile, log2 of the samples a side of a tile.
    pub map: [u32; 4],
    /// Tiles in x and in z, [`ViewMode`](crate::plan::ViewMode), 0.
    pub tiles: [u32; 4],
    /// Unit vector toward the preview's sun; strength of the haze, one over metres.
    pub sun: [f32; 4],
    /// Linear RGB of the preview's sky at the horizon, toward which the haze fades; 0.
    pub sky: [f32; 4],
    /// A morph band a level.
    pub bands: [MorphBand; MAX_LEVELS],
    /// Camera-relative terrain metres → clip space, without jitter.
    pub unjittered: [[f32; 4]; 4],
    /// The same in the last frame, of metres relative to its camera. Of a view's first frame, and after a cut, this frame's
    /// own stand for all of the last one's.
    pub last_view_projection: [[f32; 4]; 4],
    /// `camera_sample` of the last frame.
    pub last_camera_sample: [f32; 4],
    /// `camera_height` of the last frame.
    pub last_camera_height: [f32; 4],
    /// `level_sample` of the last frame.
    pub last_level_sample: [f32; 4],
    /// Clip units to parts of the viewport, in x and downward; 0; 0.
    pub motion_scale: [f32; 4],
    /// `bands` of the last frame.
    pub last_bands: [MorphBand; MAX_LEVELS],
}

/// A layer to the shaders, as one view sees it: its textures are repeated from the camera's place, which is wrapped in f64
/// so that a repeat is exact however far the world's origin is.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct LayerConstants {
    /// The camera's world place in repeats of the near scale, the whole ones left out: x, z, height; then repeats a
    /// metre, never 0.
    pub near: [f32; 4],
    /// The same at the second scale.
    pub far: [f32; 4],
    /// The camera's place in the lattice of hexagons of the near scale (Mikkelsen 2022): the fractions of its two skewed
    /// coordinates, then their whole parts modulo 4096.
    pub near_cell: [f32; 4],
    /// The same at the second scale.
    pub far_cell: [f32; 4],
    /// Linear RGB that albedo is multiplied with; strength of the normals, negative where green points down.
    pub tint: [f32; 4],
    /// The band of slopes the layer lies on, as rise over run: where it begins to show, is whole, begins to go, is gone.
    pub slope: [f32; 4],
    /// Contrast of its blend heights; the second scale's share far away, 0 or 1; 0; 0.
    pub blend: [f32; 4],
    /// [`LayerMode`](crate::splat::LayerMode); bits [`LayerConstants::TRIPLANAR`] and so on; 0; 0.
    pub flags: [u32; 4],
}

impl LayerConstants {
    /// Projected from three sides where it is steep.
    pub const TRIPLANAR: u32 = crate::shaders::LAYER_TRIPLANAR;
    /// Tiled by random hexagons.
    pub const DETILE: u32 = crate::shaders::LAYER_DETILE;
    /// Asks for the slope.
    pub const SLOPE: u32 = crate::shaders::LAYER_SLOPE;
}

/// What the ground is made of, to the shaders: one uniform block a view.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct MaterialConstants {
    /// Strength, sharpness, contrast and bias of each set.
    pub sets: [[f32; 4]; MAX_SETS],
    /// Layers; sets; the flags of all layers together; a bit a layer that blends by height.
    pub counts: [u32; 4],
    /// 1 in the slots that have a layer, else 0.
    pub slot_listed: [f32; MAX_LAYERS],
    /// 1 where the layer does not lie over the others, else 0.
    pub slot_under: [f32; MAX_LAYERS],
    /// 1 where the layer is what ground without weight is made of, else 0.
    pub slot_first: [f32; MAX_LAYERS],
    /// Cosine and sine of the turn from the terrain's frame to the world's; half of what slopes are measured over, in
    /// samples in x and in z.
    pub world: [f32; 4],
    /// Metres at which the second scale begins and has taken over; how many mips finer than the geometry normals are
    /// read; 0.
    pub distance_scales: [f32; 4],
    /// The camera's place in patches of the variation, fractions of x and z; then whole ones modulo 4096.
    pub variation: [f32; 4],
    /// Patches a metre; strength of the variation; 0; 0.
    pub variation_scale: [f32; 4],
    /// All slots; those past the last layer have a scale as well.
    pub layers: [LayerConstants; MAX_LAYERS],
}

/// The preview's sky: a push constant block.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct SkyConstants {
    /// Clip space → a point, terrain frame, column-major.
    pub ray_from_clip: [[f32; 4]; 4],
    /// Unit vector toward the preview's sun; 0.
    pub sun: [f32; 4],
    /// Linear RGB at the horizon; 0.
    pub horizon: [f32; 4],
}

/// The arguments of one call of the twin shader, which runs shared shader functions on a device so that a test can
/// compare them with their Rust twins.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct TwinCase {
    /// A place on the map in samples, and the level field's λ to read it at.
    pub place: [f32; 3],
    /// The level of the node that the lattice index belongs to.
    pub level: u32,
    /// A lattice index, and a morph to slide it by.
    pub index: u32,
    /// 0…1.
    pub morph: f32,
    /// A quad: column, row.
    pub quad: [u32; 2],
}

/// What the twin shader answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct TwinResult {
    /// Atlas texel columns and rows of the two taps on each axis at mip ⌊λ⌋: x0, x1, z0, z1.
    pub taps: [u32; 4],
    /// The fraction between the taps in x and in z.
    pub fraction: [f32; 2],
    /// H(x, λ) in codes.
    pub height: f32,
    /// The distance of the level field at the place.
    pub distance: f32,
    /// The morph of `level` at that distance.
    pub morph: f32,
    /// The even index that `index` slides onto.
    pub target: u32,
    /// The index after the slide.
    pub slid: f32,
    /// 1 where the quad is a hole.
    pub hole: u32,
    /// The slope of H at λ, codes a sample, in x and in z.
    pub slope: [f32; 2],
    /// λ of the last frame's level field at the place.
    pub last_lambda: f32,
    /// Metres that the last frame drew the place above its camera.
    pub last_up: f32,
}

/// The arguments of one call of the twin of the blend, for sixteen layers.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct BlendTwinCase {
    /// Strength, sharpness, contrast, bias.
    pub set: [f32; 4],
    /// Layers, 0, 0, 0.
    pub count: [u32; 4],
    /// Weights, 0…1.
    pub weight: [f32; MAX_LAYERS],
    /// Blend heights.
    pub height: [f32; MAX_LAYERS],
    /// Contrasts of the layers.
    pub contrast: [f32; MAX_LAYERS],
    /// [`LayerMode`](crate::splat::LayerMode) of the layers.
    pub mode: [u32; MAX_LAYERS],
}

/// What the twin of the blend answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct BlendTwinResult {
    /// How much of each layer shows, 1 together.
    pub share: [f32; MAX_LAYERS],
}
