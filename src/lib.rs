//! A heightfield terrain drawn inside somebody else's Vulkan frame.
//!
//! landform takes a device and a command buffer from an engine and records a terrain into it: one indexed, instanced draw
//! a view, without vertex buffers, without cracks, without tessellation. The engine keeps its frame, its allocator, its
//! attachments and its camera. What is drawn, and what is uploaded for it, is decided by code that knows no device and is
//! tested without one.
//!
//! # The one idea
//!
//! Everything that depends on level of detail is a function of one number at a place on the ground: its distance to the
//! camera, in the plane and above or below the terrain's declared height range. From it follow the level of a node, how
//! far each of its vertices has slid toward the next level, the mips that heights are read from and the step that normals
//! are differenced over. Two patches that share an edge compute the same numbers from the same inputs, bit for bit, so
//! there is nothing to stitch and no skirt to hide a gap. [`lod::LodRanges`] holds only ranges for which that is provable;
//! the proof is in `ARCHITECTURE.md`. (Strugar, *Continuous Distance-Dependent Level of Detail for Rendering Heightmaps*,
//! 2010, with the morph taken a vertex instead of a node.)
//!
//! # The rooms
//!
//! Data goes one way, from top to bottom. Nothing above [`plan`] knows Vulkan; nothing below it decides anything.
//!
//! | room | what it is |
//! |---|---|
//! | [`abi`] | every structure that a shader reads, held against the reflection of the compiled shaders |
//! | [`shaders`] | the permutation table, the SPIR-V and its reflection |
//! | [`field`] | the ground truth: samples, holes, revisions, bounds |
//! | [`import`] | GeoTIFF, PNG, raw, SRTM, Esri ASCII, USGS DEM, OpenEXR and NumPy files to a field and a report; and export |
//! | [`synth`] | a made valley and the textures of its ground, from a seed |
//! | [`query`] | heights, normals and rays |
//! | [`atlas`] | where a sample lies in the height texture, its mips, and H(x, λ) |
//! | [`splat`] | layers, how they blend and where they grow |
//! | [`lod`] | ranges that cannot crack, the quadtree, the lattice and its slide |
//! | [`plan`] | field + view → [`plan::FramePlan`]: nodes, uploads, constants. A value |
//! | [`frame`] | the frame document, what a terrain inserts into it, the scene's terrains, lit or preview and why |
//! | [`light`] | what lights a frame, as values: sun and cascades, a clear sky and its harmonics, lamps in clusters |
//! | `gpu` | the mechanism: host, barriers, buffers, images, sets, pipelines (feature `vulkan`) |
//! | `draw` | the renderer, one pass a file (feature `vulkan`) |
//!
//! # A frame without a device
//!
//! ```
//! use glam::DVec3;
//! use landform::field::{Field, FieldDesc, Sample};
//! use landform::plan::{Residency, Terrain, TerrainSettings, View, Viewport};
//!
//! // 512 × 512 m, heights from 0 to 120 m, flat but for one sample.
//! let mut field = Field::new(FieldDesc::new(513, 513).with_range(0.0, 120.0))?;
//! field.set_sample(Sample::new(256, 300), 40_000);
//!
//! let mut terrain = Terrain::new(field, TerrainSettings::default())?;
//! terrain.begin_frame(1.0 / 60.0);
//! let looking_north = View::looking(0.0, -0.2);
//! let viewport = Viewport::whole(1920, 1080);
//! let view = View::perspective(DVec3::new(256.0, 60.0, 512.0), looking_north, 1.0, 0.1, viewport);
//!
//! // A renderer that holds nothing is sent all nine tiles; one that holds them is sent what changes.
//! let nothing = Residency::nothing(terrain.field().desc());
//! let plan = terrain.plan(&[view], &nothing)?;
//! assert_eq!(plan.uploads.len(), 9);
//! assert!(plan.views[0].nodes.len() > 10);
//! # Ok::<(), landform::Error>(())
//! ```
//!
//! # An engine links it
//!
//! The same frame with a device; `examples/host` is a whole engine around it.
//!
#![cfg_attr(feature = "vulkan", doc = "```no_run")]
#![cfg_attr(not(feature = "vulkan"), doc = "```ignore")]
//! use landform::draw::{Renderer, Target};
//! use landform::gpu::{Device, Host};
//! use landform::plan::{FramePlan, Terrain, TerrainSettings, View};
//! use landform::{Result, ash::vk, field::Field};
//! use std::sync::Arc;
//!
//! struct Ground { device: Arc<Device>, terrain: Terrain, renderer: Renderer, plan: FramePlan }
//!
//! impl Ground {
//!     /// # Safety
//!     /// As [`Device::new`]: the host's handles are valid, and outlive the ground.
//!     unsafe fn new(host: Host, field: Field) -> Result<Self> {
//!         // SAFETY: the caller's promise is handed on.
//!         let device = unsafe { Device::new(host)? };
//!         let terrain = Terrain::new(field, TerrainSettings::default())?;
//!         let renderer = Renderer::new(&device, terrain.field().desc())?;
//!         let plan = FramePlan::empty(terrain.field().desc()); // used again: steady frames allocate nothing
//!         Ok(Self { device, terrain, renderer, plan })
//!     }
//!
//!     /// # Safety
//!     /// As [`Device::record`]: `cmd` records, outside a rendering scope, and is submitted before the next frame.
//!     unsafe fn frame(&mut self, cmd: vk::CommandBuffer, view: View, seconds: f64, target: &Target) -> Result<()> {
//!         self.device.begin_frame(); // the device has finished with frame N - frames_in_flight
//!         self.terrain.begin_frame(seconds);
//!         self.terrain.plan_into(&mut self.plan, &[view], self.renderer.residency())?;
//!         // SAFETY: the caller's promise is handed on.
//!         let recording = unsafe { self.device.record(cmd) };
//!         self.renderer.upload(&recording, &self.plan)?; // what changed, and nothing else
//!         begin_rendering(cmd); // yours: colour, and depth cleared to 0
//!         self.renderer.draw(&recording, &self.plan.views[0], target)?; // one vkCmdDrawIndexed
//!         end_rendering(cmd); // yours
//!         Ok(())
//!     }
//! }
//! # fn begin_rendering(_: vk::CommandBuffer) {}
//! # fn end_rendering(_: vk::CommandBuffer) {}
//! # fn main() {}
//! ```
//!
//! # What a draw leaves dirty
//!
//! Landform restores nothing. The draws of `draw::Renderer` change the bound graphics pipeline, descriptor set 0 and, in
//! `draw`, set 1, with their dynamic offsets, the index buffer, viewport 0, scissor 0, the front face where it is dynamic
//! state, and, in `draw_sky`, 96 bytes of fragment push constants. Vulkan lets the host's other sets and its push constants become undefined where its
//! pipeline layout is not compatible with landform's, so an engine binds all of its own again. `upload` records copies and
//! barriers, no state. Neither begins or ends a rendering scope, touches an attachment's layout, submits, or waits.
//!
//! # Features
//!
//! | feature | default | what it adds | what it needs |
//! |---|---|---|---|
//! | `vulkan` | yes | the rooms `gpu` and `draw`, on ash 0.38 | |
//! | `compile-shaders` | yes | compiles `shaders/*.hlsl` while building | shaderc, a C++ compiler |
//! | `gpu-allocator` | yes | `gpu::GpuAllocatorMemory`, for hosts without an allocator of their own | |
//! | `textures` | | PNG, JPEG and KTX2 files as textures of layers: `import::TextureRequest`, and `draw::FileTextures` with `vulkan` | |
//!
//! An engine takes `default-features = false, features = ["vulkan"]`: the committed SPIR-V is used then, and no C or C++
//! is built. Without any feature what is left is the device-free half: fields, import, queries, selection and plans.

pub mod abi;
pub mod atlas;
#[cfg(feature = "vulkan")]
pub mod draw;
mod error;
pub mod field;
pub mod frame;
#[cfg(feature = "vulkan")]
pub mod gpu;
pub mod import;
pub mod light;
pub mod lod;
pub mod plan;
pub mod query;
mod ron_text;
pub mod shaders;
pub mod splat;
pub mod synth;

#[cfg(feature = "vulkan")]
pub use ash;
pub use error::{Error, Result};
pub use glam;
