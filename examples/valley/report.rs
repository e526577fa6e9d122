//! The numbers of a frame, for people and for scripts.

use crate::camera::Camera;
use crate::map::Map;
use crate::stop::{Result, Stop};
use ash::vk;
use landform::field::FieldDesc;
use landform_harness::Gpu;
use serde_json::{Value, json};
use std::path::Path;

/// What a frame did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FrameReport {
    pub(crate) nodes: u32,
    pub(crate) visited: u32,
    pub(crate) culled: u32,
    pub(crate) triangles: u64,
    pub(crate) upload_bytes: u64,
    /// Microseconds on the CPU to begin the frame, plan it and record it.
    pub(crate) cpu_us: f64,
    /// Milliseconds on the device, of a frame or two ago.
    pub(crate) gpu_ms: Option<f64>,
    /// Metres that the finest level reaches.
    pub(crate) near: f64,
    /// True where that is more than was asked for, because less would crack.
    pub(crate) near_raised: bool,
    pub(crate) tiles: usize,
    /// Bytes of device memory that landform holds.
    pub(crate) device_bytes: u64,
}

impl FrameReport {
    /// The lines of the overlay.
    pub(crate) fn lines(&self) -> Vec<(&'static str, String)> {
        let raised = if self.near_raised { " (legal minimum)" } else { "" };
        let gpu = self.gpu_ms.map_or_else(|| "not measured".into(), |ms| format!("{ms:.2} ms"));
        vec![
            ("nodes", format!("{} drawn, {} visited, {} culled", self.nodes, self.visited, self.culled)),
            ("triangles", thousands(self.triangles)),
            ("tiles", self.tiles.to_string()),
            ("uploaded", bytes(self.upload_bytes)),
            ("CPU", format!("{:.0} µs", self.cpu_us)),
            ("GPU", gpu),
            ("near", format!("{:.0} m{raised}", self.near)),
            ("memory", bytes(self.device_bytes)),
        ]
    }
}

/// A number with a narrow space between its thousands.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let grouped = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group).into_owned());
    grouped.collect::<Vec<_>>().join(" ")
}

fn bytes(number: u64) -> String {
    match number {
        0..10_000 => format!("{number} B"),
        10_000..1_000_000 => format!("{:.1} kB", number as f64 / 1e3),
        _ => format!("{:.1} MB", number as f64 / 1e6),
    }
}

/// What is the same for all frames of a run.
pub(crate) struct Setting {
    device: String,
    driver: String,
    map: Value,
}

impl Setting {
    pub(crate) fn of(gpu: &Gpu, map: &Map) -> Self {
        let FieldDesc { width, height, spacing, range, .. } = *map.field.desc();
        let map = json!({
            "width": width,
            "height": height,
            "spacing": [spacing.x, spacing.y],
            "range": [range.min, range.max],
            "source": map.source,
        });
        Self { device: gpu.name.clone(), driver: driver(gpu), map }
    }

    /// The device's name.
    pub(crate) fn device(&self) -> &str {
        &self.device
    }

    /// A frame as JSON.
    pub(crate) fn json(&self, camera: &Camera, size: (u32, u32), frame: &FrameReport) -> Value {
        let at = camera.position;
        json!({
            "device": self.device,
            "driver": self.driver,
            "size": [size.0, size.1],
            "camera": [at.x, at.y, at.z, camera.yaw, camera.pitch],
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
pub(crate) fn write(path: &Path, report: &Value) -> Result<()> {
    let failed = |error: std::io::Error| Stop::new(format!("{}: {error}", path.display()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    std::fs::write(path, format!("{report:#}\n")).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(1_234_567).replace(|c: char| !c.is_ascii_digit(), "'"), "1'234'567");
        assert_eq!(bytes(9_999), "9999 B");
        assert_eq!(bytes(12_345), "12.3 kB");
        assert_eq!(bytes(45_600_000), "45.6 MB");
    }
}
