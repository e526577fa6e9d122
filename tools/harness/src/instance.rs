//! The first half of a host: the instance, and which device to take.

use std::ffi::{CStr, CString};

use ash::vk;

use crate::messages::{self, Messages};
use crate::{Failure, Gpu, Result};

/// What kind of host to be.
#[derive(Clone, Debug)]
pub struct GpuOptions {
    /// Validation, synchronisation validation included. None: as `LANDFORM_VALIDATION` (0 or 1) says, else on where the layer
    /// is installed.
    pub validation: Option<bool>,
    /// Which device.
    pub choose: DeviceChoice,
    /// Which of the two ways into landform.
    pub api: Api,
    /// False enables none of the features for which landform has a fallback.
    pub optional_features: bool,
    /// Instance extensions besides the harness's own, for a window's surface.
    pub instance_extensions: Vec<CString>,
    /// Device extensions besides the harness's own, for a swapchain.
    pub device_extensions: Vec<CString>,
    /// How many frames the device may lag behind.
    pub frames_in_flight: u32,
}

impl Default for GpuOptions {
    fn default() -> Self {
        GpuOptions {
            validation: None,
            choose: DeviceChoice::from_environment(),
            api: Api::V1_3,
            optional_features: true,
            instance_extensions: Vec::new(),
            device_extensions: Vec::new(),
            frames_in_flight: 2,
        }
    }
}

/// Which of the two ways into landform a host takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Api {
    /// Vulkan 1.3.
    #[default]
    V1_3,
    /// Vulkan 1.2 with `VK_KHR_dynamic_rendering` and `VK_KHR_synchronization2`.
    V1_2,
}

impl Api {
    pub(crate) fn version(self) -> u32 {
        match self {
            Api::V1_3 => vk::API_VERSION_1_3,
            Api::V1_2 => vk::API_VERSION_1_2,
        }
    }
}

/// Which device to take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum DeviceChoice {
    /// A discrete one before an integrated, before a virtual one, before the CPU.
    #[default]
    Best,
    /// The one of this index in the order above.
    Index(usize),
    /// The first whose name contains this, in any case.
    Name(String),
}

impl DeviceChoice {
    /// A number is an index, anything else part of a name, nothing is the best.
    pub fn parse(text: &str) -> Self {
        match text.trim() {
            "" => DeviceChoice::Best,
            text => text.parse().map_or_else(|_| DeviceChoice::Name(text.into()), DeviceChoice::Index),
        }
    }

    /// What `LANDFORM_DEVICE` says, or the best.
    pub fn from_environment() -> Self {
        std::env::var("LANDFORM_DEVICE").map(|text| Self::parse(&text)).unwrap_or_default()
    }

    /// Finds the choice among names that are in order.
    fn find(&self, names: &[String]) -> Result<usize> {
        let found = match self {
            DeviceChoice::Best => (!names.is_empty()).then_some(0),
            DeviceChoice::Index(index) => (*index < names.len()).then_some(*index),
            DeviceChoice::Name(part) => {
                let part = part.to_lowercase();
                names.iter().position(|name| name.to_lowercase().contains(&part))
            }
        };
        found.ok_or_else(|| match names {
            [] => Failure::new(NO_DRIVER),
            _ => Failure::new(format!("there is no device {self:?}; there are: {}", list(names))),
        })
    }
}

fn list(names: &[String]) -> String {
    let named: Vec<String> =
        names.iter().enumerate().map(|(index, name)| format!("{index} {name}")).collect();
    named.join(", ")
}

const NO_DRIVER: &str = "no Vulkan driver found: install the graphics card's driver, or mesa-vulkan-drivers for drawing on \
                         the CPU";

/// An instance, before a device is chosen; a window makes its surface from it.
pub struct GpuInstance {
    /// The loader.
    pub entry: ash::Entry,
    /// The instance.
    pub raw: ash::Instance,
    pub(crate) messenger: Option<(ash::ext::debug_utils::Instance, vk::DebugUtilsMessengerEXT)>,
    /// The messenger has its address.
    pub(crate) messages: Box<Messages>,
    pub(crate) options: GpuOptions,
}

impl GpuInstance {
    /// Loads Vulkan and makes an instance.
    ///
    /// # Errors
    /// A sentence on what is not installed.
    pub fn new(options: GpuOptions) -> Result<Self> {
        // SAFETY: loading the system's Vulkan loader runs its initialisers, which is what everybody does.
        let entry = unsafe { ash::Entry::load() }.map_err(|error| {
            Failure::new(format!(
                "no Vulkan loader found ({error}): install libvulkan1 or the graphics card's driver"
            ))
        })?;
        let validation = messages::decide(options.validation, &entry)?;
        let messages = Box::<Messages>::default();
        let raw = create(&entry, &options, validation, &messages)?;
        let mut instance = GpuInstance { entry, raw, messenger: None, messages, options };
        if validation {
            let debug_utils = ash::ext::debug_utils::Instance::new(&instance.entry, &instance.raw);
            // SAFETY: the messages outlive the messenger, see Drop.
            let messenger =
                unsafe { debug_utils.create_debug_utils_messenger(&instance.messages.messenger(), None) };
            let messenger = messenger.map_err(Failure::call("vkCreateDebugUtilsMessengerEXT"))?;
            instance.messenger = Some((debug_utils, messenger));
        }
        Ok(instance)
    }

    /// True where the validation layer is on.
    pub fn validates(&self) -> bool {
        self.messenger.is_some()
    }

    /// The names of the devices that could be chosen, best first.
    ///
    /// # Errors
    /// What the driver returned.
    pub fn device_names(&self) -> Result<Vec<String>> {
        Ok(self.ranked()?.into_iter().map(|(_, name)| name).collect())
    }

    fn ranked(&self) -> Result<Vec<(vk::PhysicalDevice, String)>> {
        // SAFETY: the instance is alive.
        let devices = unsafe { self.raw.enumerate_physical_devices() };
        let devices = match devices {
            Err(vk::Result::ERROR_INITIALIZATION_FAILED) => Vec::new(),
            devices => devices.map_err(Failure::call("vkEnumeratePhysicalDevices"))?,
        };
        let mut ranked: Vec<_> = devices
            .into_iter()
            .filter_map(|device| {
                // SAFETY: the device was just listed.
                let properties = unsafe { self.raw.get_physical_device_properties(device) };
                let name = properties.device_name_as_c_str().unwrap_or(c"unnamed").to_string_lossy();
                let able = properties.api_version >= self.options.api.version();
                able.then(|| (rank(properties.device_type), device, name.into_owned()))
            })
            .collect();
        ranked.sort_by_key(|(rank, ..)| *rank);
        Ok(ranked.into_iter().map(|(_, device, name)| (device, name)).collect())
    }

    /// The chosen device, and a family of it that draws, and presents to the surface if there is one.
    pub(crate) fn choose(&self, surface: Option<vk::SurfaceKHR>) -> Result<(vk::PhysicalDevice, u32)> {
        let ranked = self.ranked()?;
        let names: Vec<String> = ranked.iter().map(|(_, name)| name.clone()).collect();
        if self.options.choose != DeviceChoice::Best {
            let (device, name) = &ranked[self.options.choose.find(&names)?];
            let family = self.family(*device, surface);
            return family.map(|family| (*device, family)).ok_or_else(|| {
                Failure::new(format!(
                    "{name} cannot draw to this window; choose another of: {}",
                    list(&names)
                ))
            });
        }
        DeviceChoice::Best.find(&names)?;
        let mut able =
            ranked.iter().filter_map(|(device, _)| Some((*device, self.family(*device, surface)?)));
        able.next().ok_or_else(|| {
            Failure::new(format!("none of these devices can draw to this window: {}", list(&names)))
        })
    }

    fn family(&self, device: vk::PhysicalDevice, surface: Option<vk::SurfaceKHR>) -> Option<u32> {
        // SAFETY: the device was listed by this instance.
        let families = unsafe { self.raw.get_physical_device_queue_family_properties(device) };
        let presents = |family: u32| {
            let Some(surface) = surface else { return true };
            let loader = ash::khr::surface::Instance::new(&self.entry, &self.raw);
            // SAFETY: the surface is of this instance, and the family is one of the device's.
            unsafe { loader.get_physical_device_surface_support(device, family, surface) }.unwrap_or(false)
        };
        let able = |(index, family): (usize, &vk::QueueFamilyProperties)| {
            let index = index as u32;
            (family.queue_flags.contains(vk::QueueFlags::GRAPHICS) && presents(index)).then_some(index)
        };
        families.iter().enumerate().find_map(able)
    }

    /// Chooses a device and makes the rest of the host.
    ///
    /// # Errors
    /// A sentence on what no device has.
    pub fn into_gpu(self, surface: Option<vk::SurfaceKHR>) -> Result<std::sync::Arc<Gpu>> {
        Gpu::from_instance(self, surface)
    }
}

impl Drop for GpuInstance {
    fn drop(&mut self) {
        // SAFETY: whoever made a device from the instance has destroyed it, and the messages are still there.
        unsafe {
            if let Some((debug_utils, messenger)) = &self.messenger {
                debug_utils.destroy_debug_utils_messenger(*messenger, None);
            }
            self.raw.destroy_instance(None);
        }
    }
}

fn create(
    entry: &ash::Entry,
    options: &GpuOptions,
    validation: bool,
    messages: &Messages,
) -> Result<ash::Instance> {
    let application = vk::ApplicationInfo::default()
        .application_name(c"landform")
        .engine_name(c"landform-harness")
        .api_version(options.api.version());
    let mut extensions: Vec<&CStr> = options.instance_extensions.iter().map(CString::as_c_str).collect();
    let layers = if validation { vec![messages::LAYER.as_ptr()] } else { Vec::new() };
    if validation {
        extensions.extend([ash::ext::debug_utils::NAME, ash::ext::validation_features::NAME]);
    }
    extensions.sort_unstable();
    extensions.dedup();
    let extensions: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
    let enabled = [vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION];
    let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&enabled);
    let mut messenger = messages.messenger();
    let mut info = vk::InstanceCreateInfo::default()
        .application_info(&application)
        .enabled_layer_names(&layers)
        .enabled_extension_names(&extensions);
    if validation {
        info = info.push_next(&mut features).push_next(&mut messenger);
    }
    // SAFETY: all names are valid strings, and the messages outlive the instance.
    unsafe { entry.create_instance(&info, None) }.map_err(|result| match result {
        vk::Result::ERROR_INCOMPATIBLE_DRIVER => Failure::new(NO_DRIVER),
        vk::Result::ERROR_EXTENSION_NOT_PRESENT => Failure::new(format!(
            "the Vulkan loader lacks one of the extensions {:?}",
            options.instance_extensions
        )),
        result => Failure::call("vkCreateInstance")(result),
    })
}

fn rank(kind: vk::PhysicalDeviceType) -> u32 {
    match kind {
        vk::PhysicalDeviceType::DISCRETE_GPU => 0,
        vk::PhysicalDeviceType::INTEGRATED_GPU => 1,
        vk::PhysicalDeviceType::VIRTUAL_GPU => 2,
        vk::PhysicalDeviceType::CPU => 3,
        _ => 4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_an_index_or_part_of_a_name() {
        let names = ["NVIDIA H200".to_string(), "llvmpipe (LLVM 15)".to_string()];
        assert_eq!(DeviceChoice::parse(""), DeviceChoice::Best);
        assert_eq!(DeviceChoice::parse("1").find(&names).unwrap(), 1);
        assert_eq!(DeviceChoice::parse("LLVM").find(&names).unwrap(), 1);
        assert_eq!(DeviceChoice::parse("h200").find(&names).unwrap(), 0);
    }

    #[test]
    fn a_discrete_device_goes_before_an_integrated_one_and_a_cpu_last() {
        let mut kinds = [
            vk::PhysicalDeviceType::OTHER,
            vk::PhysicalDeviceType::CPU,
            vk::PhysicalDeviceType::VIRTUAL_GPU,
            vk::PhysicalDeviceType::INTEGRATED_GPU,
            vk::PhysicalDeviceType::DISCRETE_GPU,
        ];
        kinds.sort_by_key(|&kind| rank(kind));
        assert_eq!(
            kinds,
            [
                vk::PhysicalDeviceType::DISCRETE_GPU,
                vk::PhysicalDeviceType::INTEGRATED_GPU,
                vk::PhysicalDeviceType::VIRTUAL_GPU,
                vk::PhysicalDeviceType::CPU,
                // What says nothing about itself.
                vk::PhysicalDeviceType::OTHER,
            ]
        );
    }

    #[test]
    fn a_choice_that_is_not_there_lists_what_is() {
        let names = ["NVIDIA H200".to_string()];
        let sentence = DeviceChoice::parse("7").find(&names).unwrap_err().to_string();
        assert!(sentence.contains("0 NVIDIA H200"), "{sentence}");
        assert!(DeviceChoice::Best.find(&[]).unwrap_err().to_string().contains("mesa-vulkan-drivers"));
    }
}
