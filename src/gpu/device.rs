//! The checked host, shared by everything in this room.
//!
//! Every resource holds an `Arc<Device>`, so the last one to go takes the device's retire queue with it. The host owns the
//! `vk::Device` itself. A [`Device`] counts frames: [`Device::begin_frame`] is called once a frame, and by the host's
//! promise the work of frame N − frames_in_flight has then completed, which is when things are destroyed and a frame
//! slot's memory is used again.

use std::ffi::CString;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;

use super::host::{self, Host, HostFeatures};
use super::memory::{DeviceMemory, MemoryBudget};
use super::retire::{Ledger, LiveResource, RetireQueue, Retired};
use crate::{Error, Result};

/// A host that was found fit, with the entry points of either API version loaded.
pub struct Device {
    pub(super) raw: ash::Device,
    pub(super) instance: ash::Instance,
    pub(super) physical_device: vk::PhysicalDevice,
    pub(super) memory: Arc<dyn DeviceMemory>,
    pub(super) pipeline_cache: vk::PipelineCache,
    pub(super) synchronization2: Synchronization2,
    pub(super) front_face: FrontFaceState,
    pub(super) rendering: Rendering,
    pub(super) debug_utils: Option<ash::ext::debug_utils::Device>,
    pub(super) descriptor_writes: AtomicU64,
    checked: host::Checked,
    features: HostFeatures,
    frames_in_flight: u32,
    frame: AtomicU64,
    closed: AtomicBool,
    retired: Mutex<RetireQueue>,
    ledger: Mutex<Ledger>,
}

/// Where `vkCmdPipelineBarrier2` comes from.
pub(super) enum Synchronization2 {
    Core,
    Khr(ash::khr::synchronization2::Device),
}

/// Where `vkCmdSetFrontFace` comes from, if from anywhere.
pub(super) enum FrontFaceState {
    Core,
    Ext(ash::ext::extended_dynamic_state::Device),
    /// It does not: pipelines are made with their front face.
    Baked,
}

/// Where `vkCmdBeginRendering` comes from, if from anywhere.
pub(super) enum Rendering {
    Core,
    Khr(ash::khr::dynamic_rendering::Device),
    /// It does not: scopes are render passes of the host's.
    None,
}

impl Device {
    /// Checks the host and takes it on.
    ///
    /// # Errors
    /// [`Error::Unsupported`] or [`Error::Invalid`] with a sentence on what the host lacks.
    ///
    /// # Safety
    /// - The host's handles are valid and belong together, and what it says about version, features and debug utils is what
    ///   the instance and the device were created with. They stay valid until what is returned and everything made from it
    ///   is dropped, or until [`Device::close`] was called.
    /// - Its memory does what [`DeviceMemory`] says.
    /// - Whatever is handed to safe functions of this room afterwards keeps Vulkan's rules for it: raw handles (buffers,
    ///   views, samplers, render passes) are of this device and alive until the frame that uses them has completed, ranges
    ///   and regions lie within their resources, shader words are valid SPIR-V that fits the pipeline's layout, and a set is
    ///   not written while a frame in flight uses it. A [`Target`](crate::draw::Target) describes the rendering scope that
    ///   the host has begun where it is drawn with.
    /// - Whenever [`Device::begin_frame`] is called for the Nth time, the work recorded under call N − `frames_in_flight` has
    ///   completed; when the last part is dropped, or `close` is called, all work that uses it has completed.
    pub unsafe fn new(host: Host) -> Result<Arc<Self>> {
        // SAFETY: the caller vouches for the handles.
        let checked = unsafe { host::check(&host)? };
        let core_1_3 = checked.api_version >= vk::API_VERSION_1_3;
        let synchronization2 = if core_1_3 {
            Synchronization2::Core
        } else {
            Synchronization2::Khr(ash::khr::synchronization2::Device::new(&host.instance, &host.device))
        };
        let front_face = match (core_1_3, host.features.extended_dynamic_state) {
            (true, _) => FrontFaceState::Core,
            (false, true) => FrontFaceState::Ext(ash::ext::extended_dynamic_state::Device::new(
                &host.instance,
                &host.device,
            )),
            (false, false) => FrontFaceState::Baked,
        };
        let rendering = match (host.features.dynamic_rendering, core_1_3) {
            (true, true) => Rendering::Core,
            (true, false) => {
                Rendering::Khr(ash::khr::dynamic_rendering::Device::new(&host.instance, &host.device))
            }
            (false, _) => Rendering::None,
        };
        let debug_utils =
            host.debug_utils.then(|| ash::ext::debug_utils::Device::new(&host.instance, &host.device));
        Ok(Arc::new(Device {
            raw: host.device,
            instance: host.instance,
            physical_device: host.physical_device,
            memory: host.memory,
            pipeline_cache: host.pipeline_cache.unwrap_or_default(),
            synchronization2,
            front_face,
            rendering,
            debug_utils,
            descriptor_writes: AtomicU64::new(0),
            checked,
            features: HostFeatures {
                extended_dynamic_state: core_1_3 || host.features.extended_dynamic_state,
                ..host.features
            },
            frames_in_flight: host.frames_in_flight,
            frame: AtomicU64::new(0),
            closed: AtomicBool::new(false),
            retired: Mutex::default(),
            ledger: Mutex::default(),
        }))
    }

    /// Begins a frame: destroys what the device has finished with, and returns the frame's number, from 1. Call it once a
    /// frame, before anything else of that frame. It does not wait.
    pub fn begin_frame(&self) -> u64 {
        let frame = self.frame.fetch_add(1, Ordering::AcqRel) + 1;
        if let Some(completed) = frame.checked_sub(u64::from(self.frames_in_flight)) {
            self.collect(completed);
        }
        frame
    }

    /// The number of the current frame; 0 before the first.
    pub fn frame(&self) -> u64 {
        self.frame.load(Ordering::Acquire)
    }

    /// Which of the `frames_in_flight` slots the current frame uses.
    pub fn slot(&self) -> usize {
        (self.frame() % u64::from(self.frames_in_flight)) as usize
    }

    /// How many frame slots there are.
    pub fn slots(&self) -> usize {
        self.frames_in_flight as usize
    }

    /// Hands a thing over for destruction once the work of the current frame has completed.
    pub(super) fn retire(&self, thing: Retired) {
        if self.closed.load(Ordering::Acquire) {
            tracing::error!(?thing, "dropped after its device was closed; it leaks");
            return;
        }
        lock(&self.retired).retire(self.frame(), thing);
    }

    /// How many things wait to be destroyed.
    pub fn retired_len(&self) -> usize {
        lock(&self.retired).len()
    }

    /// Destroys what was retired, reports by name in the log what is still alive, and returns how many those are. Whatever
    /// is dropped later is leaked rather than destroyed, since the host may have destroyed the device.
    ///
    /// By the promise made to [`Device::new`] the device has finished with all of it.
    pub fn close(&self) -> usize {
        self.collect(u64::MAX);
        self.closed.store(true, Ordering::Release);
        let ledger = lock(&self.ledger);
        let mut count = 0;
        for LiveResource { kind, name, bytes } in ledger.live() {
            tracing::warn!(kind, name, bytes, "still alive when its device was closed");
            count += 1;
        }
        count
    }

    fn collect(&self, completed: u64) {
        // The lock is not held while destroying: an allocator may be slow, and may log.
        while let Some(thing) = { lock(&self.retired).pop(completed) } {
            // SAFETY: the thing was handed over by its only owner, and by the host's promise the work of its frame has
            // completed.
            unsafe { thing.destroy(&self.raw, &*self.memory) }
        }
    }

    /// What is alive, for a report.
    pub fn live_resources(&self) -> Vec<LiveResource> {
        lock(&self.ledger).live().cloned().collect()
    }

    /// Bytes of device memory that landform's resources hold, and how many resources there are.
    pub fn live_bytes(&self) -> (u64, usize) {
        lock(&self.ledger).live().fold((0, 0), |(bytes, count), r| (bytes + r.bytes, count + 1))
    }

    /// Enters a resource in the ledger for as long as the returned ticket lives.
    pub(super) fn track(self: &Arc<Self>, kind: &'static str, name: &str, bytes: u64) -> Ticket {
        let index = lock(&self.ledger).enter(LiveResource { kind, name: name.into(), bytes });
        Ticket { device: self.clone(), index }
    }

    /// Names a Vulkan object for capture tools and validation messages; nothing without debug utils.
    pub fn set_name<H: vk::Handle>(&self, handle: H, name: &str) {
        let Some(debug_utils) = &self.debug_utils else { return };
        let clean: Vec<u8> = name.bytes().filter(|byte| *byte != 0).collect();
        let Ok(name) = CString::new(clean) else { return };
        let info = vk::DebugUtilsObjectNameInfoEXT::default().object_handle(handle).object_name(&name);
        // SAFETY: the handle belongs to this device and nobody else is naming it; a name that could not be stored harms
        // nothing.
        let _ = unsafe { debug_utils.set_debug_utils_object_name(&info) };
    }

    /// Refuses, with a sentence, a format that cannot do what `purpose` needs of an image with optimal tiling.
    ///
    /// # Errors
    /// [`Error::Unsupported`] naming the format and what is missing.
    pub fn check_format(
        &self,
        format: vk::Format,
        needs: vk::FormatFeatureFlags,
        purpose: &str,
    ) -> Result<()> {
        // SAFETY: the host keeps the instance and the physical device valid.
        let found =
            unsafe { self.instance.get_physical_device_format_properties(self.physical_device, format) };
        host::check_format(format, found.optimal_tiling_features, needs, purpose)
    }

    /// The host's device, for what this room does not wrap.
    pub fn raw(&self) -> &ash::Device {
        &self.raw
    }

    /// The features the host enabled, with what its version implies.
    pub fn features(&self) -> &HostFeatures {
        &self.features
    }

    /// The device's limits.
    pub fn limits(&self) -> &vk::PhysicalDeviceLimits {
        &self.checked.limits
    }

    /// The Vulkan version that is used: the lower of the instance's and the device's.
    pub fn api_version(&self) -> u32 {
        self.checked.api_version
    }

    /// The device's name and kind, for reports.
    pub fn description(&self) -> (&str, vk::PhysicalDeviceType) {
        (&self.checked.device_name, self.checked.device_type)
    }

    /// True when the front face is set while recording; otherwise pipelines are made with it.
    pub fn has_dynamic_front_face(&self) -> bool {
        !matches!(self.front_face, FrontFaceState::Baked)
    }

    /// Nanoseconds a timestamp tick and the bits of a timestamp that count, or None where the queue writes none.
    pub fn timestamp_period(&self) -> Option<(f32, u32)> {
        let period = self.checked.limits.timestamp_period;
        let bits = self.checked.timestamp_valid_bits;
        (period > 0.0 && bits > 0).then_some((period, bits))
    }

    /// Device-local bytes in use and available, as the host's allocator sees it.
    pub fn memory_budget(&self) -> MemoryBudget {
        self.memory.budget()
    }

    /// How many descriptors have been written since the device was taken on.
    pub fn descriptor_writes(&self) -> u64 {
        self.descriptor_writes.load(Ordering::Relaxed)
    }

    /// `vkCmdPipelineBarrier2` of either version.
    ///
    /// # Safety
    /// As for the Vulkan call.
    pub(super) unsafe fn pipeline_barrier2(
        &self,
        cmd: vk::CommandBuffer,
        dependency: &vk::DependencyInfo<'_>,
    ) {
        // SAFETY: the caller vouches for the arguments.
        unsafe {
            match &self.synchronization2 {
                Synchronization2::Core => self.raw.cmd_pipeline_barrier2(cmd, dependency),
                Synchronization2::Khr(khr) => khr.cmd_pipeline_barrier2(cmd, dependency),
            }
        }
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        if !*self.closed.get_mut() {
            // Every resource holds the device, so nothing but what was retired is left.
            self.collect(u64::MAX);
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, kind) = self.description();
        let version = self.api_version();
        let (bytes, count) = self.live_bytes();
        write!(
            f,
            "{name} ({kind:?}, Vulkan {}.{}), frame {}, {count} resources of {bytes} bytes, {} waiting to be destroyed",
            vk::api_version_major(version),
            vk::api_version_minor(version),
            self.frame(),
            self.retired_len(),
        )
    }
}

/// A resource's place in the ledger, and its hold on the device.
pub(super) struct Ticket {
    device: Arc<Device>,
    index: usize,
}

impl Ticket {
    pub(super) fn device(&self) -> &Arc<Device> {
        &self.device
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        lock(&self.device.ledger).leave(self.index);
    }
}

/// Turns a driver's answer into landform's error, with the name of what was being made.
pub(super) fn checked<T>(answer: ash::prelude::VkResult<T>, name: &str, call: &'static str) -> Result<T> {
    answer.map_err(|result| Error::vulkan(name, call, result))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
