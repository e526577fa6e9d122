//! Layers and how they blend: from a terrain's own list to what a shader needs, without a graph to wire.
//!
//! A [`Material`] is the list: layers with the names of their textures, and sets of parameters for the blend. [`Splat::of`]
//! reads it and says what to compile. Everything else is data: `pack` makes the constants of a view of it, [`blend`] is how
//! layers share a place, and [`grow`] makes weights from rules. This room opens no file but a material's own and knows no
//! device: names of textures stay names here.

mod blend;
mod check;
mod file;
mod layer;
mod material;
mod pack;
mod remap;
mod rules;

pub use blend::{BlendParams, LayerBlend, PRESENT, blend};
pub use layer::{Band, Layer, LayerMode, Rule, TextureSlot, Tiling};
pub use material::{BlendSet, Material, Variation};
pub(crate) use pack::{PackView, pack};
pub use rules::{RuleMaps, flow_map, grow, grow_rect};

pub use crate::shaders::{MAX_LAYERS, MAX_SETS};

/// What a list of layers asks of the shaders, and all that it asks: 4 × 2 modules serve every list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[doc(alias = "TerrainSplat")]
pub struct Splat {
    /// Layers that the shader has textures for: 4, 8, 12 or 16, or 0 for a terrain that has none and reads nothing of them.
    pub slots: u32,
    /// True where a layer blends by height, so that the pass that looks for the highest is compiled in.
    pub height: bool,
}

impl Splat {
    /// The slot counts that there are modules for.
    pub const SLOTS: [u32; 4] = [4, 8, 12, 16];

    /// What these layers need.
    ///
    /// # Panics
    /// For more than [`MAX_LAYERS`].
    #[doc(alias = "TerrainSplat.Of")]
    pub fn of(layers: &[Layer]) -> Self {
        assert!(layers.len() <= MAX_LAYERS, "{} layers", layers.len());
        Self {
            slots: (layers.len() as u32).next_multiple_of(4),
            height: layers.iter().any(|layer| layer.mode == LayerMode::Height),
        }
    }

    /// Textures of four weights each that hold the slots.
    pub fn weight_pages(self) -> u32 {
        self.slots / 4
    }
}
