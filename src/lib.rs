//! A heightfield drawn inside somebody else's Vulkan frame.

pub mod abi;
pub mod atlas;
#[cfg(feature = "vulkan")]
pub mod draw;
mod error;
pub mod field;
#[cfg(feature = "vulkan")]
pub mod gpu;
pub mod import;
pub mod lod;
pub mod plan;
pub mod query;
pub mod shaders;
pub mod synth;

pub use error::{Error, Result};
