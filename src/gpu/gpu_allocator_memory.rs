//! [`DeviceMemory`] on the gpu-allocator crate.
//!
//! Owns the allocator and through it every `vk::DeviceMemory` it made; the host drops this before it destroys the device.

use std::sync::{Mutex, PoisonError};

use ash::vk;
use gpu_allocator::vulkan as ga;

use super::memory::{Allocation, AllocationRequest, DeviceMemory, MemoryBudget, MemoryLocation};
use crate::{Error, Result};

/// A [`DeviceMemory`] for hosts that have no allocator of their own.
pub struct GpuAllocatorMemory {
    instance: ash::Instance,
    physical_device: vk::PhysicalDevice,
    has_memory_budget: bool,
    device_local_bytes: u64,
    state: Mutex<State>,
}

struct State {
    allocator: ga::Allocator,
    /// Indexed by an allocation's token.
    live: Vec<Option<ga::Allocation>>,
    vacant: Vec<usize>,
    device_local_used: u64,
}

/// Bytes that are asked of the driver at a time.
const DEVICE_BLOCK: u64 = 64 << 20;
const HOST_BLOCK: u64 = 16 << 20;

impl GpuAllocatorMemory {
    /// An allocator that has allocated nothing yet.
    ///
    /// # Errors
    /// [`Error::Memory`] when the device cannot be asked about its memory.
    ///
    /// # Safety
    /// The handles are valid, and the device outlives what is returned. The instance is of Vulkan 1.1 or later.
    pub unsafe fn new(
        instance: &ash::Instance,
        device: &ash::Device,
        physical_device: vk::PhysicalDevice,
    ) -> Result<Self> {
        let allocator = ga::Allocator::new(&ga::AllocatorCreateDesc {
            instance: instance.clone(),
            device: device.clone(),
            physical_device,
            debug_settings: Default::default(),
            buffer_device_address: false,
            allocation_sizes: gpu_allocator::AllocationSizes::new(DEVICE_BLOCK, HOST_BLOCK),
        })
        .map_err(|error| Error::Memory { resource: "memory allocator".into(), why: error.to_string() })?;
        // SAFETY: the caller vouches for the instance and the physical device.
        let (extensions, properties) = unsafe {
            (
                instance.enumerate_device_extension_properties(physical_device).unwrap_or_default(),
                instance.get_physical_device_memory_properties(physical_device),
            )
        };
        let has_memory_budget = extensions
            .iter()
            .any(|e| e.extension_name_as_c_str().is_ok_and(|name| name == ash::ext::memory_budget::NAME));
        Ok(GpuAllocatorMemory {
            instance: instance.clone(),
            physical_device,
            has_memory_budget,
            device_local_bytes: device_local(&properties).map(|(_, heap)| heap.size).sum(),
            state: Mutex::new(State {
                allocator,
                live: Vec::new(),
                vacant: Vec::new(),
                device_local_used: 0,
            }),
        })
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn device_local(
    properties: &vk::PhysicalDeviceMemoryProperties,
) -> impl Iterator<Item = (usize, &vk::MemoryHeap)> {
    let heaps = properties.memory_heaps_as_slice().iter().enumerate();
    heaps.filter(|(_, heap)| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
}

impl DeviceMemory for GpuAllocatorMemory {
    fn allocate(&self, request: &AllocationRequest<'_>) -> Result<Allocation> {
        let mut state = self.state();
        let made = state.allocator.allocate(&ga::AllocationCreateDesc {
            name: request.name,
            requirements: request.requirements,
            location: match request.location {
                MemoryLocation::GpuOnly => gpu_allocator::MemoryLocation::GpuOnly,
                MemoryLocation::Upload => gpu_allocator::MemoryLocation::CpuToGpu,
                MemoryLocation::Readback => gpu_allocator::MemoryLocation::GpuToCpu,
            },
            linear: request.linear,
            allocation_scheme: ga::AllocationScheme::GpuAllocatorManaged,
        });
        let made = made.map_err(|error| Error::Memory {
            resource: request.name.into(),
            why: format!(
                "{} bytes ({:?}) could not be had: {error}",
                request.requirements.size, request.location
            ),
        })?;
        if made.memory_properties().contains(vk::MemoryPropertyFlags::DEVICE_LOCAL) {
            state.device_local_used += made.size();
        }
        let token = state.vacant.pop().unwrap_or(state.live.len());
        let allocation = Allocation {
            // SAFETY: the handle is only bound to resources that landform destroys before it frees the allocation.
            memory: unsafe { made.memory() },
            offset: made.offset(),
            size: made.size(),
            mapped: made.mapped_ptr(),
            token: token as u64,
        };
        if token == state.live.len() {
            state.live.push(Some(made));
        } else {
            state.live[token] = Some(made);
        }
        Ok(allocation)
    }

    fn free(&self, allocation: Allocation) {
        let mut state = self.state();
        let token = allocation.token as usize;
        let Some(made) = state.live.get_mut(token).and_then(Option::take) else {
            tracing::error!(token, "memory was freed twice or never came from this allocator");
            return;
        };
        if made.memory_properties().contains(vk::MemoryPropertyFlags::DEVICE_LOCAL) {
            state.device_local_used -= made.size();
        }
        state.vacant.push(token);
        if let Err(error) = state.allocator.free(made) {
            tracing::error!(%error, "memory could not be freed");
        }
    }

    /// Nothing to do: gpu-allocator maps only `HOST_COHERENT` memory.
    fn flush(&self, _: &Allocation, _: u64, _: u64) -> Result<()> {
        Ok(())
    }

    /// Nothing to do: gpu-allocator maps only `HOST_COHERENT` memory.
    fn invalidate(&self, _: &Allocation, _: u64, _: u64) -> Result<()> {
        Ok(())
    }

    /// With `VK_EXT_memory_budget` the driver's answer for this process, otherwise this allocator's own use of all
    /// device-local memory.
    fn budget(&self) -> MemoryBudget {
        if !self.has_memory_budget {
            return MemoryBudget { used: self.state().device_local_used, limit: self.device_local_bytes };
        }
        let mut budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT::default();
        let mut properties = vk::PhysicalDeviceMemoryProperties2::default().push_next(&mut budget);
        // SAFETY: `new`'s caller vouches for the handles, and the device supports the structure that is chained.
        unsafe {
            self.instance.get_physical_device_memory_properties2(self.physical_device, &mut properties);
        }
        let heaps = properties.memory_properties;
        device_local(&heaps).fold(MemoryBudget::default(), |sum, (index, _)| MemoryBudget {
            used: sum.used + budget.heap_usage[index],
            limit: sum.limit + budget.heap_budget[index],
        })
    }
}
