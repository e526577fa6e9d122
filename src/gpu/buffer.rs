//! Named buffers with their memory.
//!
//! A [`Buffer`] owns its handle and its memory and hands both to the retire queue when it is dropped, so it may be dropped
//! right after the last command that uses it was recorded. The caller decides when mapped bytes may be written: not while
//! work that reads them is in flight.

use std::sync::Arc;

use ash::vk;

use super::device::{Device, Ticket, checked};
use super::memory::{Allocation, AllocationRequest, MemoryLocation};
use super::retire::Retired;
use crate::{Error, Result};

/// What a buffer is to be.
#[derive(Clone, Copy, Debug)]
pub struct BufferDesc<'a> {
    /// Its name in capture tools and reports.
    pub name: &'a str,
    /// Its size in bytes, not 0.
    pub size: u64,
    /// Everything it is used for.
    pub usage: vk::BufferUsageFlags,
    /// Who writes it and who reads it.
    pub location: MemoryLocation,
}

/// A buffer with memory bound to it.
pub struct Buffer {
    raw: vk::Buffer,
    size: u64,
    name: Box<str>,
    allocation: Option<Allocation>,
    ticket: Ticket,
}

impl Buffer {
    /// Makes a buffer and binds memory to it. Its content is undefined.
    ///
    /// # Errors
    /// [`Error::Memory`] or [`Error::Vulkan`] naming the buffer; nothing is left behind.
    pub fn new(device: &Arc<Device>, desc: &BufferDesc<'_>) -> Result<Self> {
        if desc.size == 0 {
            return Err(Error::invalid("buffer", format!("{} has a size of 0 bytes", desc.name)));
        }
        let info = vk::BufferCreateInfo::default()
            .size(desc.size)
            .usage(desc.usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE);
        // SAFETY: the device is valid and the size is not 0.
        let raw = checked(unsafe { device.raw.create_buffer(&info, None) }, desc.name, "vkCreateBuffer")?;
        let mut buffer = Buffer {
            raw,
            size: desc.size,
            name: desc.name.into(),
            allocation: None,
            ticket: device.track("buffer", desc.name, desc.size),
        };
        // SAFETY: the buffer was just made.
        let requirements = unsafe { device.raw.get_buffer_memory_requirements(raw) };
        let allocation = device.memory.allocate(&AllocationRequest {
            requirements,
            location: desc.location,
            linear: true,
            name: desc.name,
        })?;
        let (memory, offset) = (allocation.memory, allocation.offset);
        let mapped = allocation.mapped.is_some();
        buffer.allocation = Some(allocation);
        if desc.location != MemoryLocation::GpuOnly && !mapped {
            return Err(Error::Memory {
                resource: desc.name.into(),
                why: format!("the allocator returned memory that is not mapped for {:?}", desc.location),
            });
        }
        // SAFETY: by its promise the allocator returned memory of a fitting type, size and alignment.
        let bound = unsafe { device.raw.bind_buffer_memory(raw, memory, offset) };
        checked(bound, desc.name, "vkBindBufferMemory")?;
        device.set_name(raw, desc.name);
        Ok(buffer)
    }

    /// The handle.
    pub fn raw(&self) -> vk::Buffer {
        self.raw
    }

    /// Its size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its device.
    pub fn device(&self) -> &Arc<Device> {
        self.ticket.device()
    }

    /// Its bytes, where it is mapped.
    pub fn mapped(&self) -> Option<&[u8]> {
        let pointer = self.allocation.as_ref()?.mapped?;
        // SAFETY: the memory is mapped for at least the buffer's size for as long as the buffer lives.
        Some(unsafe { std::slice::from_raw_parts(pointer.as_ptr().cast(), self.size as usize) })
    }

    /// Its bytes for writing, where it is mapped. [`flush`](Self::flush) what was written.
    pub fn mapped_mut(&mut self) -> Option<&mut [u8]> {
        let pointer = self.allocation.as_ref()?.mapped?;
        // SAFETY: as in `mapped`, and the buffer is borrowed exclusively.
        Some(unsafe { std::slice::from_raw_parts_mut(pointer.as_ptr().cast(), self.size as usize) })
    }

    /// Copies bytes into a mapped buffer and flushes them.
    ///
    /// # Errors
    /// [`Error::Invalid`] where the buffer is not mapped or the bytes do not fit; otherwise what the flush returned.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<()> {
        let refusal =
            format!("{} bytes at {offset} do not fit the mapped part of {}", bytes.len(), self.name);
        let begin = offset as usize;
        let end = begin.checked_add(bytes.len());
        let place = end.and_then(|end| self.mapped_mut()?.get_mut(begin..end));
        place.ok_or_else(|| Error::invalid("buffer", refusal))?.copy_from_slice(bytes);
        self.flush(offset, bytes.len() as u64)
    }

    /// Makes the CPU's writes to a range visible to the device.
    ///
    /// # Errors
    /// What the allocator returned.
    pub fn flush(&self, offset: u64, size: u64) -> Result<()> {
        debug_assert!(offset + size <= self.size);
        match &self.allocation {
            Some(allocation) if size > 0 => self.device().memory.flush(allocation, offset, size),
            _ => Ok(()),
        }
    }

    /// Makes the device's writes to a range visible to the CPU, after the work has completed.
    ///
    /// # Errors
    /// What the allocator returned.
    pub fn invalidate(&self, offset: u64, size: u64) -> Result<()> {
        debug_assert!(offset + size <= self.size);
        match &self.allocation {
            Some(allocation) if size > 0 => self.device().memory.invalidate(allocation, offset, size),
            _ => Ok(()),
        }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let device = self.ticket.device();
        device.retire(Retired::Buffer(self.raw));
        if let Some(allocation) = self.allocation.take() {
            device.retire(Retired::Memory(allocation));
        }
    }
}
