//! One texture with a block a tile: where a sample lies in it, how its mips are made and how a height is read.
//!
//! Blocks hold their own copy of the samples they share with a neighbour, so a block's size is a power of two and a
//! 2×2 reduction never mixes two tiles. Heights reduce by the maximum: a ridge survives. Device-free; the twin of
//! `shaders/include/atlas.hlsl`.

mod heights;
mod layout;
mod mips;

pub use heights::HeightAtlas;
pub use layout::{AtlasLayout, Taps};
pub use mips::{MipChain, write_height_block, write_hole_block};
