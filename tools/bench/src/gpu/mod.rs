//! What a device draws: the path's views of the map, in targets without a window.

pub(crate) mod casters;
pub(crate) mod frame;
pub(crate) mod lamps;
pub(crate) mod layers;
mod passes;
mod scene;
mod steady;
mod upload;

use crate::workload;
use ash::vk;
use clap::Args;
use landform::lod::GridSize;
use landform_harness::{Gpu, GpuOptions, Result};
use scene::Scene;
use serde_json::{Value, json};
use std::sync::Arc;

/// What is drawn, and how often.
#[derive(Clone, Debug, Args)]
pub(crate) struct Scope {
    /// Sizes of the targets in pixels
    #[arg(long, value_name = "WxH,...", value_delimiter = ',', value_parser = size, default_values_t = SIZES)]
    sizes: Vec<Size>,
    /// Poses of the path
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = clap::value_parser!(u32).range(1..=1024))]
    poses: u32,
    /// Timed frames a pose, after those that warm up
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
}

const SIZES: [Size; 2] = [Size { width: 1920, height: 1080 }, Size { width: 3840, height: 2160 }];

/// Pixels of a target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Size {
    width: u32,
    height: u32,
}

impl std::fmt::Display for Size {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

fn size(text: &str) -> std::result::Result<Size, String> {
    let parse = |text: &str| text.parse().ok().filter(|side| (1..=16384).contains(side));
    let sides = text.split_once('x').and_then(|(width, height)| Some((parse(width)?, parse(height)?)));
    let (width, height) =
        sides.ok_or_else(|| format!("`{text}` is no size; write for instance 1920x1080"))?;
    Ok(Size { width, height })
}

/// Everything, as JSON. The validation layer is off unless `LANDFORM_VALIDATION=1`: it would be measured, too.
pub(crate) fn run(scope: &Scope, quick: bool) -> Result<Value> {
    let scope = if quick { scope.quick() } else { scope.clone() };
    let validation = validation();
    let options = GpuOptions { validation: Some(validation), frames_in_flight: 1, ..GpuOptions::default() };
    let gpu = Gpu::new(options)?;
    let codes = workload::map();
    let path = workload::path(&codes);
    let mut scene = Scene::new(&gpu, codes)?;
    let upload = upload::measure(&mut scene, &path, if quick { 1 } else { 7 })?;
    let steady = steady::measure(
        &mut scene,
        &path,
        scope.sizes[0],
        if quick { 8 } else { 128 },
        &mut steady::NoTextures,
    )?;
    let mut passes = Vec::new();
    for &size in &scope.sizes {
        // The default grid at every size, the others at the first.
        let first = size.height == scope.sizes[0].height;
        for grid in GridSize::ALL.into_iter().filter(|&grid| first || grid == GridSize::default()) {
            passes.push(passes::measure(&mut scene, &path, grid, size, &scope)?);
        }
    }
    let device = describe(&gpu);
    drop(scene);
    gpu.assert_silent();
    Ok(
        json!({ "device": device, "validation": validation, "upload": upload, "steady": steady, "passes": passes }),
    )
}

impl Scope {
    fn quick(&self) -> Self {
        Self {
            sizes: vec![Size { width: 320, height: 180 }],
            poses: 2.min(self.poses),
            frames: 3.min(self.frames),
        }
    }

    /// The frames of the path that are drawn, evenly apart.
    fn poses(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.poses).map(|pose| pose as usize * workload::FRAMES / self.poses as usize)
    }

    /// Frames that are drawn and not timed, so that clocks are up and caches are full.
    fn warm_up(&self) -> u32 {
        warm_up(self.frames)
    }
}

/// Frames before so many that are timed.
fn warm_up(frames: u32) -> u32 {
    (frames / 5).max(1)
}

/// True where the validation layer is asked for.
fn validation() -> bool {
    std::env::var("LANDFORM_VALIDATION").is_ok_and(|value| value == "1")
}

/// The device and its driver.
fn describe(gpu: &Arc<Gpu>) -> Value {
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
    // SAFETY: the physical device is of this instance, which is of Vulkan 1.2 or later.
    unsafe { gpu.instance().raw.get_physical_device_properties2(gpu.physical_device, &mut properties) };
    let version = properties.properties.api_version;
    let text = |text: std::result::Result<&std::ffi::CStr, _>| {
        text.map_or_else(
            |_: std::ffi::FromBytesUntilNulError| String::new(),
            |text| text.to_string_lossy().into_owned(),
        )
    };
    json!({
        "name": gpu.name,
        "kind": format!("{:?}", gpu.kind),
        "vulkan": format!("{}.{}.{}", vk::api_version_major(version), vk::api_version_minor(version), vk::api_version_patch(version)),
        "driver": text(driver.driver_name_as_c_str()),
        "driver_version": text(driver.driver_info_as_c_str()),
    })
}
