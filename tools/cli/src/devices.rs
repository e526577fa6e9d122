//! Which device draws, and what keeps some from it.

use crate::stop::{Reason, Result, Stop, say};
use ash::vk;
use clap::Args;
use landform_harness::{DeviceChoice, Gpu, GpuInstance, GpuOptions};

/// The options of a device.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Device")]
pub struct DeviceArgs {
    /// Which device draws: its number, or part of its name [default: LANDFORM_DEVICE, else the fastest kind]
    #[arg(long, value_name = "NAME|NUMBER")]
    pub device: Option<String>,
    /// Turns the validation layer on; its messages make the exit code 3
    #[arg(long)]
    pub validation: bool,
}

impl DeviceArgs {
    /// The device that is asked for. Validation is off unless it is asked for: it makes a frame several times as long.
    pub fn gpu_options(&self) -> GpuOptions {
        let from_environment = std::env::var("LANDFORM_VALIDATION").is_ok_and(|value| value != "0");
        let choose = self.device.as_deref().map_or_else(DeviceChoice::from_environment, DeviceChoice::parse);
        GpuOptions { validation: Some(self.validation || from_environment), choose, ..GpuOptions::default() }
    }
}

/// Prints the devices, best first, with the numbers that `--device` takes.
///
/// # Errors
/// A sentence where none can draw.
pub fn list(options: &GpuOptions) -> Result<()> {
    let instance = GpuInstance::new(options.clone()).map_err(Stop::device)?;
    for (number, name) in instance.device_names().map_err(Stop::device)?.iter().enumerate() {
        say(format_args!("{number} {name}"));
    }
    for unfit in unfit(&instance) {
        say(format_args!("- {unfit}"));
    }
    fit(&instance, &options.choose)
}

/// Refuses, before a map is read or made, a machine that nothing can be drawn on.
///
/// # Errors
/// A sentence on what is missing.
pub fn check(options: &GpuOptions) -> Result<()> {
    fit(&GpuInstance::new(options.clone()).map_err(Stop::device)?, &options.choose)
}

/// Fails where the validation layer had something to say, which it then is on stderr.
///
/// # Errors
/// With the number of messages.
pub fn expect_silence(gpu: &Gpu) -> Result<()> {
    let messages = gpu.take_messages();
    if messages.is_empty() {
        return Ok(());
    }
    for message in &messages {
        eprintln!("{message}");
    }
    let sentence = format!("the validation layer had {} messages", messages.len());
    Err(Stop { reason: Reason::Validation, sentence })
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
        let there: Vec<_> =
            names.iter().enumerate().map(|(number, name)| format!("{number} {name}")).collect();
        return Err(Stop::device(format!("no device {asked}; there are: {}", there.join(", "))));
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
            2 => " (landform's library also takes 1.2 with VK_KHR_synchronization2)",
            _ => "",
        };
        (version < vk::API_VERSION_1_3).then(|| {
            format!("{name} has Vulkan {major}.{minor}; this program needs 1.3{library}; update its driver")
        })
    };
    devices.into_iter().filter_map(too_old).collect()
}
