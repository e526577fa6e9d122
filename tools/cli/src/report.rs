//! The numbers of a frame, for people and for scripts.

use crate::camera::Camera;
use crate::stop::{Result, Stop};
use ash::vk;
use landform::field::{Field, FieldDesc};
use landform_harness::Gpu;
use serde_json::{Value, json};
use std::path::Path;

/// What a frame did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameReport {
    /// Patches that are drawn.
    pub nodes: u32,
    /// Nodes that selection looked at.
    pub visited: u32,
    /// Nodes that cannot be seen.
    pub culled: u32,
    /// Draw calls for the ground.
    pub draws: u32,
    /// Triangles that are drawn.
    pub triangles: u64,
    /// Bytes that were sent to the device.
    pub upload_bytes: u64,
    /// Microseconds on the CPU to begin the frame, plan it and record it.
    pub cpu_us: f64,
    /// Milliseconds on the device, of a frame or two ago.
    pub gpu_ms: Option<f64>,
    /// Metres that the finest level reaches.
    pub near: f64,
    /// True where that is more than was asked for, because less would crack.
    pub near_raised: bool,
    /// Tiles of the map.
    pub tiles: usize,
    /// Bytes of device memory that landform holds.
    pub device_bytes: u64,
}

/// What is the same for all frames of a run.
pub struct Setting {
    device: String,
    driver: String,
    map: Value,
}

impl Setting {
    /// Of a device, and of a map that is called `source`.
    pub fn of(gpu: &Gpu, field: &Field, source: &str) -> Self {
        let FieldDesc { width, height, spacing, range, .. } = *field.desc();
        let map = json!({
            "width": width,
            "height": height,
            "spacing": [spacing.x, spacing.y],
            "range": [range.min, range.max],
            "source": source,
        });
        Self { device: gpu.name.clone(), driver: driver(gpu), map }
    }

    /// The device's name.
    pub fn device(&self) -> &str {
        &self.device
    }

    /// A frame as JSON.
    pub fn json(&self, camera: &Camera, size: (u32, u32), frame: &FrameReport) -> Value {
        let at = camera.position;
        json!({
            "device": self.device,
            "driver": self.driver,
            "size": [size.0, size.1],
            "camera": [at.x, at.y, at.z, camera.yaw, camera.pitch],
            "draws": frame.draws,
            "nodes": frame.nodes,
            "visited": frame.visited,
            "culled": frame.culled,
            "triangles": frame.triangles,
            "tiles": frame.tiles,
            "upload_bytes": frame.upload_bytes,
            "cpu_us": frame.cpu_us,
            "gpu_ms": frame.gpu_ms,
            "near": frame.near,
            "near_raised": frame.near_raised,
            "device_bytes": frame.device_bytes,
            "map": self.map,
        })
    }
}

/// The driver's name and version, in its own words.
fn driver(gpu: &Gpu) -> String {
    let mut driver = vk::PhysicalDeviceDriverProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
    // SAFETY: the device was listed by the instance; the structure that is chained is core since Vulkan 1.2.
    unsafe { gpu.instance().raw.get_physical_device_properties2(gpu.physical_device, &mut properties) };
    let text = |name: Result<&std::ffi::CStr, _>| name.unwrap_or_default().to_string_lossy().into_owned();
    let (name, info) = (text(driver.driver_name_as_c_str()), text(driver.driver_info_as_c_str()));
    format!("{name} {info}").trim().to_owned()
}

/// Writes a report, making its folder where it is missing.
///
/// # Errors
/// Where it cannot be written.
pub fn write(path: &Path, report: &Value) -> Result<()> {
    let failed = |error: std::io::Error| Stop::new(format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, format!("{report:#}\n")).map_err(failed)
}
