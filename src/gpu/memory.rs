//! Where device memory comes from: one small trait, so that an engine keeps its own allocator and its version.
//!
//! The allocator owns the `vk::DeviceMemory`; landform owns an [`Allocation`], which is the right to use a range of it,
//! and gives it back through [`DeviceMemory::free`] once the device has finished with it. Landform asks for memory when
//! something is created and never on a frame in which nothing changed.

use std::ffi::c_void;
use std::ptr::NonNull;

use ash::vk;

use crate::Result;

/// Who writes the memory and who reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryLocation {
    /// Only the device touches it: `DEVICE_LOCAL` where there is such a type.
    GpuOnly,
    /// The CPU writes and the device reads. Must be mapped.
    Upload,
    /// The device writes and the CPU reads. Must be mapped, and is best `HOST_CACHED`.
    Readback,
}

/// One request for memory.
#[derive(Clone, Copy, Debug)]
pub struct AllocationRequest<'a> {
    /// Size, alignment and memory types, as the driver asks for them.
    pub requirements: vk::MemoryRequirements,
    /// Who writes and who reads.
    pub location: MemoryLocation,
    /// True for a buffer, false for an image with optimal tiling: the two must keep `bufferImageGranularity` apart.
    pub linear: bool,
    /// The name of the resource, for the allocator's own reports.
    pub name: &'a str,
}

/// A range of device memory that an allocator has handed out. Its fields are public so that an engine can fill them.
#[derive(Debug)]
pub struct Allocation {
    /// The memory object that the range is in.
    pub memory: vk::DeviceMemory,
    /// Where the range begins, in bytes.
    pub offset: u64,
    /// How long the range is, in bytes; at least what was requested.
    pub size: u64,
    /// The address of the range's first byte where it is mapped. It stays valid until the range is freed.
    pub mapped: Option<NonNull<c_void>>,
    /// Whatever the allocator needs to find its own record again.
    pub token: u64,
}

// SAFETY: the pointer is an address in memory that stays mapped, for every thread, until the allocation is freed; it is
// read and written only through the resource that owns the allocation, under Rust's borrow rules.
unsafe impl Send for Allocation {}
// SAFETY: as for Send; a shared reference gives no access to the mapped bytes by itself.
unsafe impl Sync for Allocation {}

/// Bytes of device-local memory in use and the most that may sensibly be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryBudget {
    /// Bytes in use.
    pub used: u64,
    /// Bytes that may be in use before the driver starts to page or to fail.
    pub limit: u64,
}

/// Hands out device memory.
///
/// What landform relies on, and what [`Host`](super::Host) therefore promises for its allocator: ranges that are handed
/// out do not overlap, satisfy their request, are mapped unless the location is [`MemoryLocation::GpuOnly`], and stay
/// valid until they are freed.
pub trait DeviceMemory: Send + Sync {
    /// Hands out a range that satisfies the request.
    ///
    /// # Errors
    /// [`Error::Memory`](crate::Error::Memory) with a sentence that says what was asked for.
    fn allocate(&self, request: &AllocationRequest<'_>) -> Result<Allocation>;

    /// Takes a range back. The device has finished with it.
    fn free(&self, allocation: Allocation);

    /// Makes the CPU's writes to `size` bytes from `offset` (both within the allocation) visible to the device. Nothing to
    /// do for `HOST_COHERENT` memory; otherwise `vkFlushMappedMemoryRanges` with what [`mapped_range`] returns.
    ///
    /// # Errors
    /// Whatever the driver returned.
    fn flush(&self, allocation: &Allocation, offset: u64, size: u64) -> Result<()>;

    /// Makes the device's writes visible to the CPU; as [`flush`](Self::flush), with `vkInvalidateMappedMemoryRanges`.
    ///
    /// # Errors
    /// Whatever the driver returned.
    fn invalidate(&self, allocation: &Allocation, offset: u64, size: u64) -> Result<()>;

    /// Device-local bytes in use and available.
    fn budget(&self) -> MemoryBudget;
}

/// The range to flush or invalidate for `size` bytes from `offset` of an allocation in non-coherent memory, widened to
/// whole atoms (`nonCoherentAtomSize`) as Vulkan demands, and not beyond `memory_size`, the size of the memory object.
pub fn mapped_range(
    allocation: &Allocation,
    offset: u64,
    size: u64,
    atom: u64,
    memory_size: u64,
) -> vk::MappedMemoryRange<'static> {
    let begin = allocation.offset + offset;
    let end = begin + size;
    let aligned_begin = begin / atom * atom;
    let aligned_end = end.div_ceil(atom) * atom;
    vk::MappedMemoryRange::default()
        .memory(allocation.memory)
        .offset(aligned_begin)
        .size(aligned_end.min(memory_size) - aligned_begin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allocation(offset: u64, size: u64) -> Allocation {
        Allocation { memory: vk::DeviceMemory::null(), offset, size, mapped: None, token: 0 }
    }

    #[test]
    fn ranges_are_widened_to_whole_atoms() {
        let range = mapped_range(&allocation(256, 1000), 10, 20, 64, 4096);
        assert_eq!((range.offset, range.size), (256, 64));
        let range = mapped_range(&allocation(256, 1000), 60, 8, 64, 4096);
        assert_eq!((range.offset, range.size), (256, 128));
    }

    #[test]
    fn ranges_end_with_the_memory_object() {
        let range = mapped_range(&allocation(960, 40), 0, 40, 64, 1000);
        assert_eq!((range.offset, range.size), (960, 40));
    }
}
