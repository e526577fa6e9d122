//! What landform's tests, benchmarks and examples share: a small Vulkan host with validation, targets to draw into, and
//! pictures to compare. It is a host like any other: it knows landform's public interface only.

mod failure;
mod flip;
mod golden;
mod gpu;
mod instance;
mod messages;
mod offscreen;
mod picture;
mod shared;

pub use failure::{Failure, Result};
pub use flip::{FLIP_PIXELS_PER_DEGREE, flip_map, mean_flip};
pub use golden::{
    Limit, check_golden, check_golden_flip, compare_flip_or_write, compare_or_write, golden, golden_flip,
    repository,
};
pub use gpu::{Frames, Gpu};
pub use instance::{Api, DeviceChoice, GpuInstance, GpuOptions};
pub use offscreen::{Clear, Offscreen, OffscreenDesc, TargetKind};
pub use picture::{Difference, Image8, read_png, write_png};
pub use shared::{SharedGpu, shared, shared_with};
