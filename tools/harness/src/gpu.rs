//! The second half of a host: device, queue, command buffers, memory; and landform's [`Host`] from them.

use std::ffi::{CStr, CString};
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use ash::vk;
use landform::gpu::{Allocation, DeviceMemory, GpuAllocatorMemory, Host, HostFeatures};

use crate::{Api, Failure, GpuInstance, GpuOptions, Result};

/// A Vulkan host with one graphics queue.
///
/// It owns everything down to the instance. What is made from [`Gpu::host`] must be dropped before the last `Arc` of it;
/// where landform's device still holds the memory then, everything is leaked and a line says so. Validation messages that
/// nobody took until then, among them those about objects that were never destroyed, are a panic.
pub struct Gpu {
    /// The logical device.
    pub device: ash::Device,
    /// The one queue. Submit through [`Gpu::submit_and_wait`] or [`Frames`], or under [`Gpu::with_queue`].
    pub queue: vk::Queue,
    /// Its family.
    pub queue_family: u32,
    /// The physical device.
    pub physical_device: vk::PhysicalDevice,
    /// Its name.
    pub name: String,
    /// Its kind; a CPU is slow.
    pub kind: vk::PhysicalDeviceType,
    features: HostFeatures,
    synchronization2: Option<ash::khr::synchronization2::Device>,
    dynamic_rendering: Option<ash::khr::dynamic_rendering::Device>,
    memory: ManuallyDrop<Arc<dyn DeviceMemory>>,
    /// One at a time: the pool, its command buffer, the fence and the queue.
    submit: Mutex<Submit>,
    /// True from when a test said that the device is lost.
    lost: AtomicBool,
    instance: ManuallyDrop<GpuInstance>,
}

struct Submit {
    pool: vk::CommandPool,
    cmd: vk::CommandBuffer,
    fence: vk::Fence,
}

impl Gpu {
    /// Makes a host without a window.
    ///
    /// # Errors
    /// A sentence on what is not installed or what the device lacks.
    pub fn new(options: GpuOptions) -> Result<Arc<Self>> {
        GpuInstance::new(options)?.into_gpu(None)
    }

    pub(crate) fn from_instance(instance: GpuInstance, surface: Option<vk::SurfaceKHR>) -> Result<Arc<Self>> {
        let (physical_device, queue_family) = instance.choose(surface)?;
        let (device, features) = create_device(&instance, physical_device, queue_family)?;
        let core = instance.options.api == Api::V1_3;
        let synchronization2 =
            (!core).then(|| ash::khr::synchronization2::Device::new(&instance.raw, &device));
        let dynamic_rendering =
            (!core).then(|| ash::khr::dynamic_rendering::Device::new(&instance.raw, &device));
        // SAFETY: the family has a queue, which was asked for; the handles outlive the memory, see Drop.
        let (queue, properties, memory) = unsafe {
            (
                device.get_device_queue(queue_family, 0),
                instance.raw.get_physical_device_properties(physical_device),
                GpuAllocatorMemory::new(&instance.raw, &device, physical_device)?,
            )
        };
        let submit = Submit::new(&device, queue_family)?;
        Ok(Arc::new(Gpu {
            device,
            queue,
            queue_family,
            physical_device,
            name: properties.device_name_as_c_str().unwrap_or(c"unnamed").to_string_lossy().into_owned(),
            kind: properties.device_type,
            features,
            synchronization2,
            dynamic_rendering,
            memory: ManuallyDrop::new(Arc::new(memory)),
            submit: Mutex::new(submit),
            lost: AtomicBool::new(false),
            instance: ManuallyDrop::new(instance),
        }))
    }

    /// What landform is handed.
    pub fn host(&self) -> Host {
        self.host_with(Arc::clone(&self.memory))
    }

    /// The same with another allocator, to which this host's device belongs as well.
    pub fn host_with(&self, memory: Arc<dyn DeviceMemory>) -> Host {
        Host {
            instance: self.instance.raw.clone(),
            physical_device: self.physical_device,
            device: self.device.clone(),
            queue_family: self.queue_family,
            api_version: self.instance.options.api.version(),
            memory,
            features: self.features,
            debug_utils: self.instance.validates(),
            frames_in_flight: self.instance.options.frames_in_flight,
            pipeline_cache: None,
        }
    }

    /// The instance, with the loader.
    pub fn instance(&self) -> &GpuInstance {
        &self.instance
    }

    /// The options it was made with.
    pub fn options(&self) -> &GpuOptions {
        &self.instance.options
    }

    /// The features that were enabled.
    pub fn features(&self) -> HostFeatures {
        self.features
    }

    pub(crate) fn memory(&self) -> &dyn DeviceMemory {
        &**self.memory
    }

    /// True where the validation layer is on.
    pub fn validates(&self) -> bool {
        self.instance.validates()
    }

    /// What the validation layer said since it was asked last.
    pub fn take_messages(&self) -> Vec<String> {
        self.instance.messages.take()
    }

    /// Panics with what the validation layer said since it was asked last, if anything.
    #[track_caller]
    pub fn assert_silent(&self) {
        let messages = self.take_messages();
        assert!(messages.is_empty(), "the validation layer said:\n{}", messages.join("\n"));
    }

    /// Records, submits and waits.
    ///
    /// # Errors
    /// What the driver returned.
    pub fn submit_and_wait<R>(&self, record: impl FnOnce(vk::CommandBuffer) -> R) -> Result<R> {
        let submit = self.submit.lock().unwrap_or_else(PoisonError::into_inner);
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        submit.begin(&self.device, &begin)?;
        let result = record(submit.cmd);
        let cmds = [submit.cmd];
        let info = vk::SubmitInfo::default().command_buffers(&cmds);
        // SAFETY: as above; the queue is only used under this lock.
        unsafe {
            self.device.end_command_buffer(submit.cmd).map_err(Failure::call("vkEndCommandBuffer"))?;
            self.check_lost()?;
            self.device.reset_fences(&[submit.fence]).map_err(Failure::call("vkResetFences"))?;
            self.device
                .queue_submit(self.queue, &[info], submit.fence)
                .map_err(Failure::call("vkQueueSubmit"))?;
            self.device
                .wait_for_fences(&[submit.fence], true, u64::MAX)
                .map_err(Failure::call("vkWaitForFences"))?;
        }
        Ok(result)
    }

    /// Records what is then never submitted, as a host does that gives up on a frame.
    ///
    /// # Errors
    /// What the driver returned.
    pub fn record_and_discard<R>(&self, record: impl FnOnce(vk::CommandBuffer) -> R) -> Result<R> {
        let submit = self.submit.lock().unwrap_or_else(PoisonError::into_inner);
        submit.begin(&self.device, &vk::CommandBufferBeginInfo::default())?;
        let result = record(submit.cmd);
        // SAFETY: as above; resetting the pool ends the recording.
        unsafe {
            self.device
                .reset_command_pool(submit.pool, vk::CommandPoolResetFlags::empty())
                .map_err(Failure::call("vkResetCommandPool"))?;
        }
        Ok(result)
    }

    /// From here on every submission is answered as a driver answers whose device was lost: nothing is submitted. For tests of what a
    /// program does then.
    pub fn lose(&self) {
        self.lost.store(true, Ordering::Relaxed);
    }

    /// What a lost device answers.
    fn check_lost(&self) -> Result<()> {
        match self.lost.load(Ordering::Relaxed) {
            true => Err(Failure::call("vkQueueSubmit")(vk::Result::ERROR_DEVICE_LOST)),
            false => Ok(()),
        }
    }

    /// Runs something that uses the queue, while nobody else does.
    pub fn with_queue<R>(&self, work: impl FnOnce(vk::Queue) -> R) -> R {
        let _submit = self.submit.lock().unwrap_or_else(PoisonError::into_inner);
        work(self.queue)
    }

    /// Waits until the device has nothing to do.
    pub fn wait_idle(&self) {
        // SAFETY: the queue's lock is held. A lost device has nothing to do either.
        self.with_queue(|_| unsafe { self.device.device_wait_idle() }).unwrap_or_default();
    }

    /// `vkCmdPipelineBarrier2` of either version.
    ///
    /// # Safety
    /// As for the Vulkan call.
    pub unsafe fn pipeline_barrier2(&self, cmd: vk::CommandBuffer, info: &vk::DependencyInfo<'_>) {
        // SAFETY: the caller vouches for the arguments; the extension is enabled where it is loaded.
        unsafe {
            match &self.synchronization2 {
                None => self.device.cmd_pipeline_barrier2(cmd, info),
                Some(khr) => khr.cmd_pipeline_barrier2(cmd, info),
            }
        }
    }

    /// `vkCmdBeginRendering` of either version.
    ///
    /// # Safety
    /// As for the Vulkan call.
    pub unsafe fn begin_rendering(&self, cmd: vk::CommandBuffer, info: &vk::RenderingInfo<'_>) {
        // SAFETY: the caller vouches for the arguments; the extension is enabled where it is loaded.
        unsafe {
            match &self.dynamic_rendering {
                None => self.device.cmd_begin_rendering(cmd, info),
                Some(khr) => khr.cmd_begin_rendering(cmd, info),
            }
        }
    }

    /// `vkCmdEndRendering` of either version.
    ///
    /// # Safety
    /// As for the Vulkan call.
    pub unsafe fn end_rendering(&self, cmd: vk::CommandBuffer) {
        // SAFETY: the caller vouches for the command buffer; the extension is enabled where it is loaded.
        unsafe {
            match &self.dynamic_rendering {
                None => self.device.cmd_end_rendering(cmd),
                Some(khr) => khr.cmd_end_rendering(cmd),
            }
        }
    }

    /// Gives memory back that came from this host's allocator.
    pub(crate) fn free(&self, allocation: Allocation) {
        self.memory.free(allocation);
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        self.wait_idle();
        if Arc::strong_count(&self.memory) > 1 {
            eprintln!("landform-harness: something still uses {}'s memory; its device is leaked", self.name);
            return;
        }
        let submit = self.submit.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the device is idle, nothing else is alive that was made from it, and each is dropped or destroyed once, in
        // the order of their dependence.
        unsafe {
            submit.destroy(&self.device);
            ManuallyDrop::drop(&mut self.memory);
            self.device.destroy_device(None);
        }
        let messages = self.take_messages();
        // SAFETY: the device is gone; this is the last use of the instance.
        unsafe { ManuallyDrop::drop(&mut self.instance) };
        if !messages.is_empty() {
            eprintln!("landform-harness: the validation layer said:\n{}", messages.join("\n"));
            assert!(std::thread::panicking(), "the validation layer spoke before the device was destroyed");
        }
    }
}

impl Submit {
    fn new(device: &ash::Device, queue_family: u32) -> Result<Self> {
        let pool_info = vk::CommandPoolCreateInfo::default().queue_family_index(queue_family);
        // SAFETY: the device is alive; where a later step fails the program is about to end.
        unsafe {
            let pool =
                device.create_command_pool(&pool_info, None).map_err(Failure::call("vkCreateCommandPool"))?;
            let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
            let cmds =
                device.allocate_command_buffers(&info).map_err(Failure::call("vkAllocateCommandBuffers"))?;
            let fence_info = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
            let fence = device.create_fence(&fence_info, None).map_err(Failure::call("vkCreateFence"))?;
            Ok(Submit { pool, cmd: cmds[0], fence })
        }
    }

    /// Resets the pool and begins the command buffer. The last submission has completed, and this host alone uses the two.
    fn begin(&self, device: &ash::Device, info: &vk::CommandBufferBeginInfo<'_>) -> Result<()> {
        // SAFETY: as every caller has seen to: pool and command buffer are free.
        unsafe {
            device
                .reset_command_pool(self.pool, vk::CommandPoolResetFlags::empty())
                .map_err(Failure::call("vkResetCommandPool"))?;
            device.begin_command_buffer(self.cmd, info).map_err(Failure::call("vkBeginCommandBuffer"))
        }
    }

    /// # Safety
    /// The device has finished with it, and it is destroyed once.
    unsafe fn destroy(&self, device: &ash::Device) {
        // SAFETY: as the caller vouches.
        unsafe {
            device.destroy_fence(self.fence, None);
            device.destroy_command_pool(self.pool, None);
        }
    }
}

/// Command buffers for frames that overlap: while one is drawn the next is recorded.
pub struct Frames {
    gpu: Arc<Gpu>,
    slots: Vec<Submit>,
    next: usize,
}

impl Frames {
    /// As many as the host has frames in flight.
    ///
    /// # Errors
    /// What the driver returned.
    pub fn new(gpu: &Arc<Gpu>) -> Result<Self> {
        let mut frames = Frames { gpu: gpu.clone(), slots: Vec::new(), next: 0 };
        for _ in 0..gpu.options().frames_in_flight {
            frames.slots.push(Submit::new(&gpu.device, gpu.queue_family)?);
        }
        Ok(frames)
    }

    /// Waits until the frame that used this slot has completed, and begins its command buffer. Begin landform's frame after.
    ///
    /// # Errors
    /// What the driver returned.
    pub fn begin(&mut self) -> Result<vk::CommandBuffer> {
        let slot = &self.slots[self.next];
        let device = &self.gpu.device;
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        // SAFETY: the slot's last submission has completed once its fence is signalled.
        unsafe {
            device
                .wait_for_fences(&[slot.fence], true, u64::MAX)
                .map_err(Failure::call("vkWaitForFences"))?;
        }
        slot.begin(device, &begin)?;
        Ok(slot.cmd)
    }

    /// Ends the command buffer and submits it. `info` may name semaphores; its command buffers are replaced.
    ///
    /// # Errors
    /// What the driver returned.
    pub fn submit(&mut self, info: vk::SubmitInfo<'_>) -> Result<()> {
        let slot = &self.slots[self.next];
        let device = &self.gpu.device;
        let cmds = [slot.cmd];
        let info = info.command_buffers(&cmds);
        // SAFETY: the command buffer was begun, and the queue's lock is held for the submission.
        unsafe {
            device.end_command_buffer(slot.cmd).map_err(Failure::call("vkEndCommandBuffer"))?;
            self.gpu.check_lost()?;
            device.reset_fences(&[slot.fence]).map_err(Failure::call("vkResetFences"))?;
            self.gpu
                .with_queue(|queue| device.queue_submit(queue, &[info], slot.fence))
                .map_err(Failure::call("vkQueueSubmit"))?;
        }
        self.next = (self.next + 1) % self.slots.len();
        Ok(())
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        self.gpu.wait_idle();
        for slot in &self.slots {
            // SAFETY: the device is idle.
            unsafe { slot.destroy(&self.gpu.device) };
        }
    }
}

fn create_device(
    instance: &GpuInstance,
    physical_device: vk::PhysicalDevice,
    queue_family: u32,
) -> Result<(ash::Device, HostFeatures)> {
    let options = &instance.options;
    // SAFETY: the physical device was listed by this instance.
    let (supported, available) = unsafe {
        (
            instance.raw.get_physical_device_features(physical_device),
            instance.raw.enumerate_device_extension_properties(physical_device),
        )
    };
    let available = available.map_err(Failure::call("vkEnumerateDeviceExtensionProperties"))?;
    let has = |name: &CStr| available.iter().any(|extension| extension.extension_name_as_c_str() == Ok(name));
    let mut extensions: Vec<&CStr> = options.device_extensions.iter().map(CString::as_c_str).collect();
    let core = options.api == Api::V1_3;
    let ext_dynamic_state = !core && options.optional_features && has(ash::ext::extended_dynamic_state::NAME);
    if !core {
        extensions.extend([ash::khr::dynamic_rendering::NAME, ash::khr::synchronization2::NAME]);
    }
    if ext_dynamic_state {
        extensions.push(ash::ext::extended_dynamic_state::NAME);
    }
    if let Some(missing) = extensions.iter().find(|name| !has(name)) {
        return Err(Failure::new(format!("the device lacks {}; choose another", missing.to_string_lossy())));
    }
    let want = |feature: vk::Bool32| options.optional_features && feature == vk::TRUE;
    let features = HostFeatures {
        dynamic_rendering: true,
        synchronization2: true,
        extended_dynamic_state: core || ext_dynamic_state,
        depth_clamp: want(supported.depth_clamp),
        sampler_anisotropy: want(supported.sampler_anisotropy),
        fill_mode_non_solid: want(supported.fill_mode_non_solid),
        pipeline_statistics_query: want(supported.pipeline_statistics_query),
        texture_compression_bc: want(supported.texture_compression_bc),
    };
    let enabled = vk::PhysicalDeviceFeatures::default()
        .depth_clamp(features.depth_clamp)
        .sampler_anisotropy(features.sampler_anisotropy)
        .fill_mode_non_solid(features.fill_mode_non_solid)
        .pipeline_statistics_query(features.pipeline_statistics_query)
        .texture_compression_bc(features.texture_compression_bc);
    let priorities = [1.0];
    let queues =
        [vk::DeviceQueueCreateInfo::default().queue_family_index(queue_family).queue_priorities(&priorities)];
    let extensions: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
    let info = vk::DeviceCreateInfo::default()
        .queue_create_infos(&queues)
        .enabled_extension_names(&extensions)
        .enabled_features(&enabled);
    let mut vulkan_1_3 =
        vk::PhysicalDeviceVulkan13Features::default().dynamic_rendering(true).synchronization2(true);
    let mut rendering = vk::PhysicalDeviceDynamicRenderingFeatures::default().dynamic_rendering(true);
    let mut synchronization = vk::PhysicalDeviceSynchronization2Features::default().synchronization2(true);
    let mut dynamic_state =
        vk::PhysicalDeviceExtendedDynamicStateFeaturesEXT::default().extended_dynamic_state(true);
    let info = match (core, ext_dynamic_state) {
        (true, _) => info.push_next(&mut vulkan_1_3),
        (false, false) => info.push_next(&mut rendering).push_next(&mut synchronization),
        (false, true) => {
            info.push_next(&mut rendering).push_next(&mut synchronization).push_next(&mut dynamic_state)
        }
    };
    // SAFETY: the physical device is valid; extensions and features were found to be there.
    let device = unsafe { instance.raw.create_device(physical_device, &info, None) };
    let device = device.map_err(|result| match result {
        vk::Result::ERROR_FEATURE_NOT_PRESENT => Failure::new(
            "the device lacks dynamic rendering or synchronization2; update its driver or choose another",
        ),
        result => Failure::call("vkCreateDevice")(result),
    })?;
    Ok((device, features))
}
