//! The engine's memory: one `vkAllocateMemory` a resource, behind landform's trait.
//!
//! That is enough for an engine with a dozen of resources. One that has thousands puts many into one allocation; the trait
//! is the same.

use ash::vk;
use landform::gpu::{
    Allocation, AllocationRequest, DeviceMemory, MemoryBudget, MemoryLocation, mapped_range,
};
use landform::{Error, Result};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) struct Memory {
    device: ash::Device,
    properties: vk::PhysicalDeviceMemoryProperties,
    /// `nonCoherentAtomSize`.
    atom: u64,
    device_local_used: AtomicU64,
}

impl Memory {
    /// Memory of a device, which has to outlive it.
    pub(crate) fn new(
        device: ash::Device,
        properties: vk::PhysicalDeviceMemoryProperties,
        limits: &vk::PhysicalDeviceLimits,
    ) -> Self {
        Self { device, properties, atom: limits.non_coherent_atom_size, device_local_used: AtomicU64::new(0) }
    }

    /// The type of memory, of those allowed, that serves a location best.
    fn type_for(&self, allowed: u32, location: MemoryLocation) -> Option<usize> {
        use vk::MemoryPropertyFlags as P;
        let (needed, wanted) = match location {
            MemoryLocation::GpuOnly => (P::empty(), P::DEVICE_LOCAL),
            MemoryLocation::Upload => (P::HOST_VISIBLE, P::HOST_COHERENT),
            MemoryLocation::Readback => (P::HOST_VISIBLE, P::HOST_CACHED),
        };
        let types = self.properties.memory_types_as_slice();
        let has = |flags: P| {
            move |&index: &usize| allowed >> index & 1 == 1 && types[index].property_flags.contains(flags)
        };
        let all = 0..types.len();
        all.clone().find(has(needed | wanted)).or_else(|| all.clone().find(has(needed)))
    }

    /// The properties of an allocation's type, whose index is its token.
    fn flags(&self, allocation: &Allocation) -> vk::MemoryPropertyFlags {
        self.properties.memory_types[allocation.token as usize].property_flags
    }

    /// The range to flush or invalidate, or None where the memory is coherent.
    fn range(
        &self,
        allocation: &Allocation,
        offset: u64,
        size: u64,
    ) -> Option<vk::MappedMemoryRange<'static>> {
        let coherent = self.flags(allocation).contains(vk::MemoryPropertyFlags::HOST_COHERENT);
        // An allocation is a whole memory object here.
        (!coherent).then(|| mapped_range(allocation, offset, size, self.atom, allocation.size))
    }
}

impl DeviceMemory for Memory {
    fn allocate(&self, request: &AllocationRequest<'_>) -> Result<Allocation> {
        let size = request.requirements.size;
        let refuse = |why: String| Error::Memory { resource: request.name.into(), why };
        let allowed = request.requirements.memory_type_bits;
        let kind = self
            .type_for(allowed, request.location)
            .ok_or_else(|| refuse(format!("no memory type serves {:?}", request.location)))?;
        let info = vk::MemoryAllocateInfo::default().allocation_size(size).memory_type_index(kind as u32);
        // SAFETY: the device is alive, the type is one of its own.
        let memory = unsafe { self.device.allocate_memory(&info, None) }
            .map_err(|result| refuse(format!("{size} bytes could not be had: {result}")))?;
        let mut mapped = None;
        if request.location != MemoryLocation::GpuOnly {
            // SAFETY: the type is HOST_VISIBLE, and the memory was just made, so it is not mapped yet.
            let pointer =
                unsafe { self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) };
            match pointer {
                Ok(pointer) => mapped = NonNull::new(pointer),
                Err(result) => {
                    // SAFETY: nothing was bound to it.
                    unsafe { self.device.free_memory(memory, None) };
                    return Err(refuse(format!("{size} bytes could not be mapped: {result}")));
                }
            }
        }
        let allocation = Allocation { memory, offset: 0, size, mapped, token: kind as u64 };
        if self.flags(&allocation).contains(vk::MemoryPropertyFlags::DEVICE_LOCAL) {
            self.device_local_used.fetch_add(size, Ordering::Relaxed);
        }
        Ok(allocation)
    }

    fn free(&self, allocation: Allocation) {
        if self.flags(&allocation).contains(vk::MemoryPropertyFlags::DEVICE_LOCAL) {
            self.device_local_used.fetch_sub(allocation.size, Ordering::Relaxed);
        }
        // SAFETY: the memory came from `allocate`, whoever had it is done with it, and freeing unmaps.
        unsafe { self.device.free_memory(allocation.memory, None) };
    }

    fn flush(&self, allocation: &Allocation, offset: u64, size: u64) -> Result<()> {
        let Some(range) = self.range(allocation, offset, size) else { return Ok(()) };
        // SAFETY: the memory is mapped whole, and the range lies within it in whole atoms.
        unsafe { self.device.flush_mapped_memory_ranges(&[range]) }
            .map_err(|result| Error::Memory { resource: "flush".into(), why: format!("it failed: {result}") })
    }

    fn invalidate(&self, allocation: &Allocation, offset: u64, size: u64) -> Result<()> {
        let Some(range) = self.range(allocation, offset, size) else { return Ok(()) };
        // SAFETY: the memory is mapped whole, and the range lies within it in whole atoms.
        unsafe { self.device.invalidate_mapped_memory_ranges(&[range]) }.map_err(|result| Error::Memory {
            resource: "invalidate".into(),
            why: format!("it failed: {result}"),
        })
    }

    fn budget(&self) -> MemoryBudget {
        let heaps = self.properties.memory_heaps_as_slice().iter();
        let local = heaps.filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL));
        MemoryBudget {
            used: self.device_local_used.load(Ordering::Relaxed),
            limit: local.map(|heap| heap.size).sum(),
        }
    }
}
