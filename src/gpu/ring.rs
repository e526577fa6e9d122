//! A mapped buffer with a region for each frame slot: what changes every frame and is read by shaders.
//!
//! The ring owns the buffer; the device reads a slot's region while later frames fill the others. When a region is too
//! small the ring makes a larger buffer, retires the old one, and counts up its [`generation`](FrameRing::generation):
//! every set that names the buffer has to be written again before it is used with what was pushed afterwards.

use std::sync::Arc;

use ash::vk;

use super::buffer::{Buffer, BufferDesc};
use super::device::Device;
use super::memory::MemoryLocation;
use crate::{Error, Result};

/// What a ring is to be.
#[derive(Clone, Copy, Debug)]
pub struct RingDesc {
    /// Its name in capture tools and reports.
    pub name: &'static str,
    /// How shaders read it.
    pub usage: vk::BufferUsageFlags,
    /// Bytes of a frame slot's region at the beginning, not 0.
    pub region: u64,
    /// Bytes that a descriptor sees from its dynamic offset, or None for as many as a region has. The buffer is long enough
    /// for a descriptor of that range at any offset that is handed out.
    pub bind_range: Option<u64>,
}

/// A mapped buffer with a region for each frame slot.
pub struct FrameRing {
    device: Arc<Device>,
    desc: RingDesc,
    buffer: Buffer,
    region: u64,
    align: u64,
    slot: usize,
    used: u64,
    generation: u64,
}

/// Where pushed bytes lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RingSlice {
    /// Their offset in the buffer, aligned for a dynamic offset.
    pub offset: u32,
    /// How many bytes.
    pub size: u32,
    /// The generation of the buffer that they are in.
    pub generation: u64,
}

impl FrameRing {
    /// Makes a ring.
    ///
    /// # Errors
    /// As [`Buffer::new`].
    pub fn new(device: &Arc<Device>, desc: RingDesc) -> Result<Self> {
        let limits = device.limits();
        let align = limits
            .min_uniform_buffer_offset_alignment
            .max(limits.min_storage_buffer_offset_alignment)
            .max(16);
        let region = desc.region.max(1).next_multiple_of(align);
        let buffer = make(device, &desc, region)?;
        Ok(FrameRing {
            device: device.clone(),
            desc,
            buffer,
            region,
            align,
            slot: device.slot(),
            used: 0,
            generation: 0,
        })
    }

    /// Takes the current frame's region into use, empty. Call it after [`Device::begin_frame`].
    pub fn begin_frame(&mut self) {
        self.slot = self.device.slot();
        self.used = 0;
    }

    /// Makes sure that `bytes` more fit into this frame's region, in pushes of any number where `bytes` counts each one
    /// rounded up to [`align`](Self::align). Returns true when that took a new buffer: sets have to be written again.
    ///
    /// Reserving a frame's needs before its first push keeps all of the frame's slices in one buffer.
    ///
    /// # Errors
    /// As [`Buffer::new`], or [`Error::Invalid`] beyond what a descriptor can address; the ring is then as it was.
    pub fn reserve(&mut self, bytes: u64) -> Result<bool> {
        let needed = self.used.next_multiple_of(self.align) + bytes;
        if needed <= self.region {
            return Ok(false);
        }
        let region = needed.max(self.region + self.region / 2).next_multiple_of(self.align);
        let total = total_size(&self.desc, region, self.device.slots());
        let most = u64::from(self.device.limits().max_storage_buffer_range);
        if total > u64::from(u32::MAX) || region > most {
            return Err(Error::invalid(
                self.desc.name,
                format!("{needed} bytes a frame are more than a descriptor of this device can see ({most})"),
            ));
        }
        self.buffer = make(&self.device, &self.desc, region)?;
        self.region = region;
        self.used = 0;
        self.generation += 1;
        Ok(true)
    }

    /// Copies bytes into this frame's region, growing where they do not fit, and makes them visible to the device.
    ///
    /// # Errors
    /// As [`reserve`](Self::reserve).
    pub fn push(&mut self, bytes: &[u8]) -> Result<RingSlice> {
        self.push_with(bytes.len() as u64, |place| place.copy_from_slice(bytes))
    }

    /// As [`push`](Self::push), with a function that fills the bytes in place. It must write all of them and should not
    /// read them: memory of this kind is slow to read.
    ///
    /// # Errors
    /// As [`reserve`](Self::reserve).
    pub fn push_with(&mut self, size: u64, fill: impl FnOnce(&mut [u8])) -> Result<RingSlice> {
        self.reserve(size)?;
        let within = self.used.next_multiple_of(self.align);
        let offset = self.region * self.slot as u64 + within;
        let place = self
            .buffer
            .mapped_mut()
            .and_then(|bytes| bytes.get_mut(offset as usize..(offset + size) as usize))
            .ok_or_else(|| Error::invalid(self.desc.name, "the ring's buffer is not mapped"))?;
        fill(place);
        self.buffer.flush(offset, size)?;
        self.used = within + size;
        Ok(RingSlice { offset: offset as u32, size: size as u32, generation: self.generation })
    }

    /// The buffer that sets have to name.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// The range of a descriptor with a dynamic offset.
    pub fn bind_range(&self) -> u64 {
        self.desc.bind_range.unwrap_or(self.region)
    }

    /// How many buffers came before this one; a set that was written for another generation is stale.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// What slices are aligned to, in bytes.
    pub fn align(&self) -> u64 {
        self.align
    }

    /// Bytes of this frame's region that are in use.
    pub fn used(&self) -> u64 {
        self.used
    }
}

/// Regions for all slots, and a tail so that a descriptor's range at the last offset stays within the buffer.
fn total_size(desc: &RingDesc, region: u64, slots: usize) -> u64 {
    region * slots as u64 + desc.bind_range.unwrap_or(region)
}

fn make(device: &Arc<Device>, desc: &RingDesc, region: u64) -> Result<Buffer> {
    let size = total_size(desc, region, device.slots());
    Buffer::new(
        device,
        &BufferDesc { name: desc.name, size, usage: desc.usage, location: MemoryLocation::Upload },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_at_the_last_offset_stays_within_the_buffer() {
        let desc = RingDesc {
            name: "test",
            usage: vk::BufferUsageFlags::STORAGE_BUFFER,
            region: 1024,
            bind_range: None,
        };
        assert_eq!(total_size(&desc, 1024, 3), 4096);
        assert_eq!(total_size(&RingDesc { bind_range: Some(256), ..desc }, 1024, 3), 3328);
    }
}
