//! One pass a file, and the renderer that holds what they share. Plays plans; decides nothing.
//!
//! The host calls [`Device::begin_frame`](crate::gpu::Device::begin_frame) once a frame, then [`Renderer::upload`]
//! outside a rendering scope, then the draws inside scopes that it begins and ends itself. Nothing here touches an
//! attachment's layout, submits or waits.
//!
//! What a draw leaves changed in the command buffer: the bound graphics pipeline, descriptor set 0 (with the surface
//! set 1 as well, with the sky the push constants), the index buffer, viewport 0, scissor 0 and the dynamic front face.

mod atlas_images;
mod caster;
mod compositor;
mod depth;
mod device_clusters;
#[cfg(feature = "textures")]
mod file_textures;
mod host_fragment;
mod lattice;
mod light;
mod lit;
mod materials;
mod module_interface;
mod pipeline_cache;
mod prepare;
mod renderer;
mod scissor;
mod set_cache;
mod sky;
mod spirv_module;
mod surface;
mod target;
mod textures;
mod twins;
mod velocity;
mod view_buffers;

pub use compositor::{
    Compositor, Frame, FrameHost, HostImage, HostScope, NodeTime, PassScope, SceneGround, SceneTerrain,
};
pub use device_clusters::{DeviceClusters, LampLists};
#[cfg(feature = "textures")]
pub use file_textures::FileTextures;
pub use host_fragment::{HostFragment, HostFragmentDesc, HostSet};
pub use light::{FrameLight, LightSlice, ViewClusters, ViewLight};
pub use lit::SPLIT_TARGETS;
pub use renderer::{Renderer, RendererStats};
pub use target::{ColorEncoding, Target};
pub use textures::{TextureSource, TextureView};
#[doc(hidden)]
pub use twins::TwinRun;
