//! One texture with a block a tile: where a sample lies in it, how its mips are made, and how a height and layer weights
//! are read.
//!
//! Blocks hold their own copy of the samples they share with a neighbour, so a block's size is a power of two and a
//! 2×2 reduction never mixes two tiles. Heights reduce by the maximum: a ridge survives. Weights reduce by the
//! average: a maximum would let every layer cover everything far away. Device-free; the twin of
//! `shaders/include/atlas.hlsl`.

mod heights;
mod layout;
mod mips;
mod weight_atlas;
mod weight_texel;
mod weights;

pub use heights::HeightAtlas;
pub use layout::{AtlasLayout, Taps};
pub use mips::{MipChain, write_height_block, write_hole_block};
pub use weight_atlas::WeightAtlas;
pub use weights::{WeightBlocks, write_weight_block};
