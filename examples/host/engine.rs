//! The engine: instance, device, queue, and two command buffers that take turns.

use crate::memory::Memory;
use crate::{Failure, Result, call};
use ash::vk;
use landform::gpu::{DeviceMemory, Host, HostFeatures};
use std::sync::Arc;

pub(crate) const FRAMES_IN_FLIGHT: usize = 2;

/// Owns every Vulkan handle that landform is lent.
pub(crate) struct Engine {
    /// The device's name and Vulkan version.
    pub(crate) name: String,
    pub(crate) device: ash::Device,
    pub(crate) memory: Arc<dyn DeviceMemory>,
    instance: ash::Instance,
    physical_device: vk::PhysicalDevice,
    queue_family: u32,
    version: u32,
    queue: vk::Queue,
    pool: vk::CommandPool,
    slots: [Slot; FRAMES_IN_FLIGHT],
    frame: usize,
    /// The loaded library; the instance calls into it.
    _entry: ash::Entry,
}

#[derive(Clone, Copy, Default)]
struct Slot {
    cmd: vk::CommandBuffer,
    /// Signalled when the device has finished with `cmd`.
    fence: vk::Fence,
}

impl Engine {
    pub(crate) fn new() -> Result<Self> {
        // SAFETY: loading the system's Vulkan loader runs its initialisers, as it does in every Vulkan program.
        let entry = unsafe { ash::Entry::load() }
            .map_err(|why| Failure(format!("no Vulkan loader found ({why}); install a graphics driver")))?;
        let (instance, instance_version) = create_instance(&entry)?;
        let built = Self::with_instance(entry, instance.clone(), instance_version);
        if built.is_err() {
            // SAFETY: `with_instance` destroyed what it had made before it failed.
            unsafe { instance.destroy_instance(None) };
        }
        built
    }

    fn with_instance(entry: ash::Entry, instance: ash::Instance, instance_version: u32) -> Result<Self> {
        let chosen = choose(&instance, instance_version)?;
        let device = create_device(&instance, &chosen)?;
        // SAFETY: the physical device is the instance's own.
        let memory = unsafe { instance.get_physical_device_memory_properties(chosen.physical_device) };
        let limits = &chosen.properties.limits;
        let major = vk::api_version_major(chosen.version);
        let minor = vk::api_version_minor(chosen.version);
        let mut engine = Self {
            name: format!("{}, Vulkan {major}.{minor}", chosen.name()),
            memory: Arc::new(Memory::new(device.clone(), memory, limits)),
            // SAFETY: the device was made with one queue of this family.
            queue: unsafe { device.get_device_queue(chosen.queue_family, 0) },
            device,
            instance,
            physical_device: chosen.physical_device,
            queue_family: chosen.queue_family,
            version: chosen.version,
            pool: vk::CommandPool::null(),
            slots: Default::default(),
            frame: 0,
            _entry: entry,
        };
        match engine.make_slots() {
            Ok(()) => Ok(engine),
            Err(failure) => {
                engine.destroy_device();
                // `Drop` would destroy the instance too, which the caller does.
                std::mem::forget(engine);
                Err(failure)
            }
        }
    }

    fn make_slots(&mut self) -> Result<()> {
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(self.queue_family)
            .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
        // SAFETY: the device is alive; so it is in the two calls below.
        self.pool =
            unsafe { self.device.create_command_pool(&info, None) }.map_err(call("vkCreateCommandPool"))?;
        let info = vk::CommandBufferAllocateInfo::default()
            .command_pool(self.pool)
            .level(vk::CommandBufferLevel::PRIMARY)
            .command_buffer_count(FRAMES_IN_FLIGHT as u32);
        // SAFETY: as above.
        let buffers = unsafe { self.device.allocate_command_buffers(&info) }
            .map_err(call("vkAllocateCommandBuffers"))?;
        // The first wait for a slot is not to wait for anything.
        let info = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
        for (slot, cmd) in self.slots.iter_mut().zip(buffers) {
            slot.cmd = cmd;
            // SAFETY: as above.
            slot.fence = unsafe { self.device.create_fence(&info, None) }.map_err(call("vkCreateFence"))?;
        }
        Ok(())
    }

    /// What landform is lent. This engine draws in classic render passes, so dynamic rendering is not enabled.
    pub(crate) fn host(&self) -> Host {
        Host {
            instance: self.instance.clone(),
            physical_device: self.physical_device,
            device: self.device.clone(),
            queue_family: self.queue_family,
            api_version: self.version,
            memory: self.memory.clone(),
            features: HostFeatures { synchronization2: true, ..HostFeatures::default() },
            debug_utils: false,
            frames_in_flight: FRAMES_IN_FLIGHT as u32,
            pipeline_cache: None,
        }
    }

    /// Begins a frame: waits until the device has finished with the frame before last, and returns its command buffer,
    /// recording.
    pub(crate) fn begin(&mut self) -> Result<vk::CommandBuffer> {
        let Slot { cmd, fence } = self.slots[self.frame % FRAMES_IN_FLIGHT];
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the command buffer is not in use once its fence is signalled; beginning it resets it.
        unsafe {
            self.device.wait_for_fences(&[fence], true, u64::MAX).map_err(call("vkWaitForFences"))?;
            self.device.begin_command_buffer(cmd, &begin).map_err(call("vkBeginCommandBuffer"))?;
        }
        Ok(cmd)
    }

    /// Ends the frame.
    pub(crate) fn submit(&mut self, cmd: vk::CommandBuffer) -> Result<()> {
        let fence = self.slots[self.frame % FRAMES_IN_FLIGHT].fence;
        let buffers = [cmd];
        let info = vk::SubmitInfo::default().command_buffers(&buffers);
        // SAFETY: the command buffer records and came from `begin`; its fence was waited for and is reset before use.
        unsafe {
            self.device.end_command_buffer(cmd).map_err(call("vkEndCommandBuffer"))?;
            self.device.reset_fences(&[fence]).map_err(call("vkResetFences"))?;
            self.device.queue_submit(self.queue, &[info], fence).map_err(call("vkQueueSubmit"))?;
        }
        self.frame += 1;
        Ok(())
    }

    /// Waits until the device has nothing to do.
    pub(crate) fn wait(&self) -> Result<()> {
        // SAFETY: the one queue is used by this thread only.
        unsafe { self.device.device_wait_idle() }.map_err(call("vkDeviceWaitIdle"))
    }

    /// Something that waits, when it is dropped, until the device has nothing to do.
    pub(crate) fn idle_when_dropped(&self) -> Idle {
        Idle { device: self.device.clone() }
    }

    fn destroy_device(&mut self) {
        // SAFETY: the device is idle afterwards, everything that was made from it is gone but for the pool, its buffers and
        // the fences, and destroying one that was not made does nothing.
        unsafe {
            let _ = self.device.device_wait_idle();
            for slot in &self.slots {
                self.device.destroy_fence(slot.fence, None);
            }
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.destroy_device();
        // SAFETY: its only device is gone.
        unsafe { self.instance.destroy_instance(None) };
    }
}

/// Waits for the device when dropped. A lost device is not waited for: it has finished.
pub(crate) struct Idle {
    device: ash::Device,
}

impl Drop for Idle {
    fn drop(&mut self) {
        // SAFETY: the engine outlives every guard, and its one queue is used by this thread only.
        let _ = unsafe { self.device.device_wait_idle() };
    }
}

fn create_instance(entry: &ash::Entry) -> Result<(ash::Instance, u32)> {
    // SAFETY: the loader is loaded.
    let offered =
        unsafe { entry.try_enumerate_instance_version() }.map_err(call("vkEnumerateInstanceVersion"))?;
    let version = offered.unwrap_or(vk::API_VERSION_1_0).min(vk::API_VERSION_1_3);
    if version < vk::API_VERSION_1_2 {
        return Err(Failure("the Vulkan loader is older than 1.2; update it".into()));
    }
    let application = vk::ApplicationInfo::default().application_name(c"host").api_version(version);
    let info = vk::InstanceCreateInfo::default().application_info(&application);
    // SAFETY: the structures live until the call returns.
    let instance = unsafe { entry.create_instance(&info, None) }.map_err(call("vkCreateInstance"))?;
    Ok((instance, version))
}

/// A device that can do what this engine and landform need.
struct Chosen {
    physical_device: vk::PhysicalDevice,
    properties: vk::PhysicalDeviceProperties,
    queue_family: u32,
    /// The lower of the instance's and the device's version.
    version: u32,
}

impl Chosen {
    fn name(&self) -> String {
        self.properties.device_name_as_c_str().unwrap_or(c"unnamed device").to_string_lossy().into_owned()
    }
}

/// The first of the best kind: discrete before integrated before virtual before the CPU.
fn choose(instance: &ash::Instance, instance_version: u32) -> Result<Chosen> {
    // SAFETY: the instance is alive.
    let devices =
        unsafe { instance.enumerate_physical_devices() }.map_err(call("vkEnumeratePhysicalDevices"))?;
    let able = devices.into_iter().filter_map(|device| consider(instance, instance_version, device));
    let order = [
        vk::PhysicalDeviceType::DISCRETE_GPU,
        vk::PhysicalDeviceType::INTEGRATED_GPU,
        vk::PhysicalDeviceType::VIRTUAL_GPU,
    ];
    let rank = |chosen: &Chosen| order.iter().position(|kind| *kind == chosen.properties.device_type);
    able.min_by_key(|chosen| rank(chosen).unwrap_or(order.len())).ok_or_else(|| {
        Failure(
            "no device draws with Vulkan 1.3, or 1.2 and VK_KHR_synchronization2; update the graphics driver"
                .into(),
        )
    })
}

fn consider(
    instance: &ash::Instance,
    instance_version: u32,
    physical_device: vk::PhysicalDevice,
) -> Option<Chosen> {
    // SAFETY: the device was just listed by the instance.
    let (properties, families, extensions) = unsafe {
        (
            instance.get_physical_device_properties(physical_device),
            instance.get_physical_device_queue_family_properties(physical_device),
            instance.enumerate_device_extension_properties(physical_device).unwrap_or_default(),
        )
    };
    let version = instance_version.min(properties.api_version);
    let has = |name| extensions.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name));
    if version < vk::API_VERSION_1_2
        || version < vk::API_VERSION_1_3 && !has(ash::khr::synchronization2::NAME)
    {
        return None;
    }
    let draws = |family: &vk::QueueFamilyProperties| family.queue_flags.contains(vk::QueueFlags::GRAPHICS);
    let queue_family = families.iter().position(draws)? as u32;
    Some(Chosen { physical_device, properties, queue_family, version })
}

fn create_device(instance: &ash::Instance, chosen: &Chosen) -> Result<ash::Device> {
    let priorities = [1.0];
    let queues = [vk::DeviceQueueCreateInfo::default()
        .queue_family_index(chosen.queue_family)
        .queue_priorities(&priorities)];
    // Part of Vulkan 1.3; on 1.2 an extension, with the same structure.
    let mut synchronization2 = vk::PhysicalDeviceSynchronization2Features::default().synchronization2(true);
    let extension = [ash::khr::synchronization2::NAME.as_ptr()];
    let extensions: &[_] = if chosen.version < vk::API_VERSION_1_3 { &extension } else { &[] };
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(extensions)
        .push_next(&mut synchronization2);
    // SAFETY: the structures live until the call returns, and the extension was found to be there.
    unsafe { instance.create_device(chosen.physical_device, &info, None) }.map_err(call("vkCreateDevice"))
}
