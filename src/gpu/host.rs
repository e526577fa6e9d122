//! What an engine hands over, and whether landform can work with it.
//!
//! The host owns every handle in a [`Host`] and keeps them alive until everything landform made from them is gone;
//! landform destroys none of them. What the host says about enabled features is believed (Vulkan cannot be asked),
//! after a check that the device could have enabled them at all.

use std::sync::Arc;

use ash::vk;

use super::memory::DeviceMemory;
use crate::{Error, Result};

/// The device, the queue family and the services that landform works with.
///
/// Landform records into command buffers of `queue_family` only, never submits, and never waits.
#[derive(Clone)]
pub struct Host {
    /// The instance that `physical_device` was listed by.
    pub instance: ash::Instance,
    /// The device that `device` was created on.
    pub physical_device: vk::PhysicalDevice,
    /// The logical device.
    pub device: ash::Device,
    /// The one queue family whose command buffers landform records into; it must do graphics.
    pub queue_family: u32,
    /// The version the instance was created for (`vk::API_VERSION_1_3` or `vk::API_VERSION_1_2`). Where the device's own
    /// version is lower, that one counts.
    pub api_version: u32,
    /// Where device memory comes from: the engine's own allocator, or `GpuAllocatorMemory`.
    pub memory: Arc<dyn DeviceMemory>,
    /// The features that `device` was created with.
    pub features: HostFeatures,
    /// True when the instance was created with `VK_EXT_debug_utils`: objects get names and passes get labels.
    pub debug_utils: bool,
    /// How many frames the host lets the device lag behind: when it begins frame N, the work that landform recorded in
    /// frame N − `frames_in_flight` has completed. 1 to 8.
    pub frames_in_flight: u32,
    /// A pipeline cache of the host, used when pipelines are made.
    pub pipeline_cache: Option<vk::PipelineCache>,
}

/// Which features the host's device was created with. The default is none.
///
/// On Vulkan 1.3 the first three are core features; on 1.2 each stands for the extension of its name together with the
/// extension's feature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostFeatures {
    /// Needed to draw into targets that are described by formats (core 1.3 or `VK_KHR_dynamic_rendering`).
    pub dynamic_rendering: bool,
    /// Needed always (core 1.3 or `VK_KHR_synchronization2`).
    pub synchronization2: bool,
    /// The front face as dynamic state (core 1.3 or `VK_EXT_extended_dynamic_state`). Without it a mirrored view needs a
    /// pipeline of its own.
    pub extended_dynamic_state: bool,
    /// Shadow casters in front of the near plane are kept. Without it they are clamped in the vertex stage.
    pub depth_clamp: bool,
    /// Anisotropic filtering of ground textures.
    pub sampler_anisotropy: bool,
    /// Wireframe views.
    pub fill_mode_non_solid: bool,
    /// Vertex and primitive counts in the frame report.
    pub pipeline_statistics_query: bool,
    /// Textures of blocks (BC1 to BC7) as their files have them. Without it they are unpacked to texels first.
    pub texture_compression_bc: bool,
}

impl HostFeatures {
    /// The features that a Vulkan 1.3 device always has; the host must still have enabled `dynamicRendering` and
    /// `synchronization2` at device creation. Optional ones are off.
    pub const fn vulkan_1_3() -> Self {
        HostFeatures {
            dynamic_rendering: true,
            synchronization2: true,
            extended_dynamic_state: true,
            depth_clamp: false,
            sampler_anisotropy: false,
            fill_mode_non_solid: false,
            pipeline_statistics_query: false,
            texture_compression_bc: false,
        }
    }
}

/// What was found out about the host's device while checking it.
pub(super) struct Checked {
    pub(super) api_version: u32,
    pub(super) limits: vk::PhysicalDeviceLimits,
    pub(super) device_name: String,
    pub(super) device_type: vk::PhysicalDeviceType,
    pub(super) timestamp_valid_bits: u32,
}

/// Refuses, with a sentence, a host that landform cannot work with.
///
/// # Safety
/// The instance and the physical device are valid.
pub(super) unsafe fn check(host: &Host) -> Result<Checked> {
    // SAFETY: the caller vouches for the instance and the physical device.
    let (properties, supported, families) = unsafe {
        (
            host.instance.get_physical_device_properties(host.physical_device),
            host.instance.get_physical_device_features(host.physical_device),
            host.instance.get_physical_device_queue_family_properties(host.physical_device),
        )
    };
    if !(1..=8).contains(&host.frames_in_flight) {
        return Err(Error::invalid(
            "host",
            format!("frames_in_flight is {}; it must be 1 to 8", host.frames_in_flight),
        ));
    }
    let api_version = host.api_version.min(properties.api_version);
    check_version(api_version)?;
    check_enabled(&host.features, &supported)?;
    let timestamp_valid_bits = check_queue_family(&families, host.queue_family)?;
    check_limits(&properties.limits)?;
    for (format, purpose) in [(vk::Format::R16_UINT, "heights"), (vk::Format::R8_UINT, "holes and weights")] {
        // SAFETY: the caller vouches for the instance and the physical device.
        let found =
            unsafe { host.instance.get_physical_device_format_properties(host.physical_device, format) };
        check_format(format, found.optimal_tiling_features, SAMPLED_UPLOAD, purpose)?;
    }
    let device_name = properties.device_name_as_c_str().unwrap_or(c"unknown device");
    Ok(Checked {
        api_version,
        limits: properties.limits,
        device_name: device_name.to_string_lossy().into_owned(),
        device_type: properties.device_type,
        timestamp_valid_bits,
    })
}

/// What an image needs whose texels are uploaded and read in shaders.
pub(super) const SAMPLED_UPLOAD: vk::FormatFeatureFlags = vk::FormatFeatureFlags::from_raw(
    vk::FormatFeatureFlags::SAMPLED_IMAGE.as_raw() | vk::FormatFeatureFlags::TRANSFER_DST.as_raw(),
);

pub(super) fn check_format(
    format: vk::Format,
    has: vk::FormatFeatureFlags,
    needs: vk::FormatFeatureFlags,
    purpose: &str,
) -> Result<()> {
    if has.contains(needs) {
        return Ok(());
    }
    Err(Error::Unsupported {
        what: format!("format {format:?}"),
        why: format!("the device offers {has:?} for it, and {purpose} need {needs:?}; use another device"),
    })
}

fn check_version(api_version: u32) -> Result<()> {
    if api_version >= vk::API_VERSION_1_2 {
        return Ok(());
    }
    Err(Error::Unsupported {
        what: format!(
            "Vulkan {}.{}",
            vk::api_version_major(api_version),
            vk::api_version_minor(api_version)
        ),
        why: "landform needs Vulkan 1.3, or 1.2 with VK_KHR_synchronization2 (and VK_KHR_dynamic_rendering for targets \
              without a render pass); create the instance for at least 1.2 or update the driver"
            .into(),
    })
}

fn check_enabled(features: &HostFeatures, supported: &vk::PhysicalDeviceFeatures) -> Result<()> {
    if !features.synchronization2 {
        return Err(Error::Unsupported {
            what: "synchronization2".into(),
            why: "landform's barriers need it; create the device with PhysicalDeviceVulkan13Features (or, on 1.2, \
                  VK_KHR_synchronization2 and PhysicalDeviceSynchronization2Features) and say so in HostFeatures"
                .into(),
        });
    }
    let optional = [
        ("depth_clamp", features.depth_clamp, supported.depth_clamp),
        ("sampler_anisotropy", features.sampler_anisotropy, supported.sampler_anisotropy),
        ("fill_mode_non_solid", features.fill_mode_non_solid, supported.fill_mode_non_solid),
        (
            "pipeline_statistics_query",
            features.pipeline_statistics_query,
            supported.pipeline_statistics_query,
        ),
        ("texture_compression_bc", features.texture_compression_bc, supported.texture_compression_bc),
    ];
    for (name, enabled, possible) in optional {
        if enabled && possible == vk::FALSE {
            return Err(Error::Unsupported {
                what: name.into(),
                why: "HostFeatures says that it is enabled, but this device does not support it; say only what the \
                      device was created with"
                    .into(),
            });
        }
    }
    Ok(())
}

/// Returns the valid bits of a timestamp of that family; 0 where it cannot write any.
fn check_queue_family(families: &[vk::QueueFamilyProperties], index: u32) -> Result<u32> {
    let Some(family) = families.get(index as usize) else {
        return Err(Error::invalid(
            "host",
            format!("queue_family is {index}, but the device has {} families", families.len()),
        ));
    };
    if !family.queue_flags.contains(vk::QueueFlags::GRAPHICS) {
        let able = families.iter().position(|f| f.queue_flags.contains(vk::QueueFlags::GRAPHICS));
        let hint = able.map_or(String::from("no family of this device can"), |i| format!("family {i} can"));
        return Err(Error::invalid("host", format!("queue_family {index} cannot draw; {hint}")));
    }
    Ok(family.timestamp_valid_bits)
}

/// The specification promises these; a driver that breaks the promise is refused rather than trusted.
fn check_limits(limits: &vk::PhysicalDeviceLimits) -> Result<()> {
    let at_least = [
        ("maxImageDimension2D", limits.max_image_dimension2_d, 4096, "the height atlas"),
        ("maxImageArrayLayers", limits.max_image_array_layers, 256, "layered atlases"),
        ("maxPushConstantsSize", limits.max_push_constants_size, 128, "per-view constants"),
        ("maxBoundDescriptorSets", limits.max_bound_descriptor_sets, 4, "landform's sets"),
        ("maxStorageBufferRange", limits.max_storage_buffer_range, 1 << 27, "node records"),
        ("maxUniformBufferRange", limits.max_uniform_buffer_range, 16384, "per-view constants"),
    ];
    for (name, value, needed, purpose) in at_least {
        if value < needed {
            return Err(Error::Unsupported {
                what: name.into(),
                why: format!("the device has {value}, and {purpose} need {needed}; use another device"),
            });
        }
    }
    let alignments = [
        ("minUniformBufferOffsetAlignment", limits.min_uniform_buffer_offset_alignment),
        ("minStorageBufferOffsetAlignment", limits.min_storage_buffer_offset_alignment),
    ];
    for (name, value) in alignments {
        if !value.is_power_of_two() || value > 65536 {
            return Err(Error::Unsupported {
                what: name.into(),
                why: format!("the device says {value}; dynamic offsets need a power of two up to 65536"),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vulkan_1_1_is_refused_with_what_would_work() {
        let sentence = check_version(vk::API_VERSION_1_1).unwrap_err().to_string();
        assert!(sentence.starts_with("Vulkan 1.1: landform needs Vulkan 1.3"), "{sentence}");
        assert!(check_version(vk::API_VERSION_1_2).is_ok());
    }

    #[test]
    fn synchronization2_must_be_enabled() {
        let none = vk::PhysicalDeviceFeatures::default();
        let sentence = check_enabled(&HostFeatures::default(), &none).unwrap_err().to_string();
        assert!(sentence.starts_with("synchronization2:"), "{sentence}");
        assert!(check_enabled(&HostFeatures::vulkan_1_3(), &none).is_ok());
    }

    #[test]
    fn a_feature_the_device_cannot_have_is_refused() {
        let features = HostFeatures { depth_clamp: true, ..HostFeatures::vulkan_1_3() };
        let sentence = check_enabled(&features, &Default::default()).unwrap_err().to_string();
        assert!(sentence.starts_with("depth_clamp:"), "{sentence}");
    }

    #[test]
    fn a_family_that_cannot_draw_is_refused_naming_one_that_can() {
        let compute =
            vk::QueueFamilyProperties { queue_flags: vk::QueueFlags::COMPUTE, ..Default::default() };
        let graphics = vk::QueueFamilyProperties {
            queue_flags: vk::QueueFlags::GRAPHICS,
            timestamp_valid_bits: 48,
            ..Default::default()
        };
        let families = [compute, graphics];
        assert_eq!(check_queue_family(&families, 1).unwrap(), 48);
        assert!(check_queue_family(&families, 0).unwrap_err().to_string().contains("family 1 can"));
        assert!(check_queue_family(&families, 2).unwrap_err().to_string().contains("2 families"));
    }
}
