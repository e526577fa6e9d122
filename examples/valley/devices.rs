//! Which devices there are, and what keeps some of them from drawing.

use crate::stop::{Result, Stop, say};
use ash::vk;
use landform_harness::{DeviceChoice, GpuInstance, GpuOptions};

/// Prints the devices, best first, with the numbers that `--device` takes.
pub(crate) fn list(options: &GpuOptions) -> Result<()> {
    let instance = GpuInstance::new(options.clone()).map_err(Stop::device)?;
    for (number, name) in instance.device_names().map_err(Stop::device)?.iter().enumerate() {
        say(format_args!("{number} {name}"));
    }
    for unfit in unfit(&instance) {
        say(format_args!("- {unfit}"));
    }
    fit(&instance, &options.choose)
}

/// Refuses, before a map is made, a machine that nothing can be drawn on.
pub(crate) fn check(options: &GpuOptions) -> Result<()> {
    fit(&GpuInstance::new(options.clone()).map_err(Stop::device)?, &options.choose)
}

fn fit(instance: &GpuInstance, choice: &DeviceChoice) -> Result<()> {
    let names = instance.device_names().map_err(Stop::device)?;
    let chosen = match choice {
        DeviceChoice::Best => true,
        DeviceChoice::Index(index) => *index < names.len(),
        DeviceChoice::Name(part) => {
            names.iter().any(|name| name.to_lowercase().contains(&part.to_lowercase()))
        }
    };
    if !names.is_empty() && chosen {
        return Ok(());
    }
    if !names.is_empty() {
        let asked = match choice {
            DeviceChoice::Name(part) => format!("is called `{part}`"),
            DeviceChoice::Index(index) => format!("has the number {index}"),
            DeviceChoice::Best => "is best".into(),
        };
        return Err(Stop::device(format!("no device {asked}; `--list-devices` lists those that there are")));
    }
    let unfit = unfit(instance);
    if unfit.is_empty() {
        return Err(Stop::device(
            "no Vulkan driver found: install the graphics card's driver, or mesa-vulkan-drivers for drawing on the CPU",
        ));
    }
    Err(Stop::device(format!("no device can draw: {}", unfit.join("; "))))
}

/// The devices that are too old, each with what it has and what is needed.
fn unfit(instance: &GpuInstance) -> Vec<String> {
    // SAFETY: the instance is alive.
    let devices = unsafe { instance.raw.enumerate_physical_devices() }.unwrap_or_default();
    let too_old = |device| {
        // SAFETY: the device was just listed by this instance.
        let properties = unsafe { instance.raw.get_physical_device_properties(device) };
        let name = properties.device_name_as_c_str().unwrap_or(c"unnamed").to_string_lossy().into_owned();
        let version = properties.api_version;
        let (major, minor) = (vk::api_version_major(version), vk::api_version_minor(version));
        let library = match minor {
            2 => " (landform itself also takes 1.2 with VK_KHR_synchronization2)",
            _ => "",
        };
        (version < vk::API_VERSION_1_3).then(|| {
            format!("{name} has Vulkan {major}.{minor}; the valley needs 1.3{library}; update its driver")
        })
    };
    devices.into_iter().filter_map(too_old).collect()
}
