//! The mechanism of the device half: what it takes to record into a host's command buffer without a mistake. It decides
//! nothing about terrain.
//!
//! One shared [`Device`] is made from a [`Host`]. Everything else holds on to it, is named, and goes to its retire queue when
//! dropped. The host owns instance, device, queue, command buffers and memory allocator, and promises one thing a frame:
//! when it begins frame N, the work of frame N − frames_in_flight has completed.

mod barrier;
mod buffer;
mod cmd;
mod device;
#[cfg(feature = "gpu-allocator")]
mod gpu_allocator_memory;
mod host;
mod image;
mod labels;
mod memory;
mod pipeline_layout;
mod pipelines;
mod retire;
mod ring;
mod sets;
mod staging;
mod timestamps;

pub use barrier::{BufferBarrier, ImageBarrier, ImageRange, Scope, TargetBarrier, Usage};
pub use buffer::{Buffer, BufferDesc};
pub use cmd::Cmd;
pub use device::Device;
#[cfg(feature = "gpu-allocator")]
pub use gpu_allocator_memory::GpuAllocatorMemory;
pub use host::{Host, HostFeatures};
pub use image::{Image, ImageDesc, Sampler, SamplerDesc, aspect};
pub use memory::{Allocation, AllocationRequest, DeviceMemory, MemoryBudget, MemoryLocation, mapped_range};
pub use pipeline_layout::PipelineLayout;
pub use pipelines::{Blend, GraphicsPipelineDesc, MOST_COLOR, Pipeline, ShaderDesc, TargetFormats};
pub use retire::LiveResource;
pub use ring::{FrameRing, RingDesc, RingSlice};
pub use sets::{Binding, BindingKind, Set, SetLayout, SetValue, Sets, check_bindings};
pub use staging::{Staged, Staging, StagingDesc, StagingStats};
pub use timestamps::{PipelineCounts, Span, Timestamps, Timing};
