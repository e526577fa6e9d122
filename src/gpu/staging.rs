//! Memory that the CPU fills and copies read from.
//!
//! Each frame slot keeps one linear buffer for small uploads; what does not fit goes to one-off buffers that are retired
//! with the frame. A slot's buffer that was too small for the small uploads of a frame is replaced by a larger one when its
//! turn comes again, up to a stated size, so a steady frame allocates nothing. The caller calls
//! [`Staging::begin_frame`] after [`Device::begin_frame`] and [`Staging::finish`] before the frame is submitted.

use std::sync::Arc;

use ash::vk;

use super::buffer::{Buffer, BufferDesc};
use super::device::Device;
use super::memory::MemoryLocation;
use crate::{Error, Result};

/// How much staging memory is kept.
#[derive(Clone, Copy, Debug)]
pub struct StagingDesc {
    /// Its name in capture tools and reports.
    pub name: &'static str,
    /// Bytes that each frame slot begins with; 0 for none until it is needed.
    pub keep: u64,
    /// The most bytes that a frame slot keeps. A single upload larger than a quarter of it is never kept.
    pub keep_most: u64,
}

/// Staging memory for all frame slots.
pub struct Staging {
    device: Arc<Device>,
    desc: StagingDesc,
    slots: Vec<Slot>,
    current: usize,
    one_off: Vec<Buffer>,
    /// Bytes used of the last one-off buffer.
    one_off_used: u64,
    stats: StagingStats,
}

#[derive(Default)]
struct Slot {
    buffer: Option<Buffer>,
    used: u64,
    /// Bytes of small uploads that were asked for when the slot was last used, with alignment.
    wanted: u64,
}

/// What this frame's uploads took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StagingStats {
    /// Bytes handed out this frame.
    pub bytes: u64,
    /// Uploads handed out this frame.
    pub uploads: u32,
    /// Buffers made this frame; 0 on a steady frame.
    pub buffers_made: u32,
    /// Bytes handed out since the beginning.
    pub total_bytes: u64,
}

/// Bytes to fill, and where a copy will find them.
pub struct Staged<'a> {
    /// The source of the copy.
    pub buffer: vk::Buffer,
    /// Where the bytes begin in it.
    pub offset: u64,
    /// The bytes to fill. Memory of this kind is slow to read.
    pub bytes: &'a mut [u8],
}

impl Staging {
    /// Makes the memory that is kept from the beginning.
    ///
    /// # Errors
    /// As [`Buffer::new`].
    pub fn new(device: &Arc<Device>, desc: StagingDesc) -> Result<Self> {
        let mut slots = Vec::new();
        for _ in 0..device.slots() {
            let buffer = if desc.keep > 0 { Some(make(device, desc.name, desc.keep)?) } else { None };
            slots.push(Slot { buffer, ..Slot::default() });
        }
        Ok(Staging {
            device: device.clone(),
            desc,
            slots,
            current: 0,
            one_off: Vec::new(),
            one_off_used: 0,
            stats: StagingStats::default(),
        })
    }

    /// Takes the current frame's slot into use; its former content has been copied by the host's promise.
    ///
    /// # Errors
    /// As [`Buffer::new`], where the slot was too small last time; the smaller one is kept then.
    pub fn begin_frame(&mut self) -> Result<()> {
        self.one_off.clear();
        self.one_off_used = 0;
        self.stats = StagingStats { total_bytes: self.stats.total_bytes, ..StagingStats::default() };
        self.current = self.device.slot();
        let slot = &mut self.slots[self.current];
        let have = slot.buffer.as_ref().map_or(0, Buffer::size);
        let wanted = std::mem::take(&mut slot.wanted);
        slot.used = 0;
        if wanted > have && have < self.desc.keep_most {
            let size = wanted.next_power_of_two().min(self.desc.keep_most);
            slot.buffer = Some(make(&self.device, self.desc.name, size)?);
            self.stats.buffers_made += 1;
        }
        Ok(())
    }

    /// Bytes to fill for one copy. `align` is a power of two; offsets also satisfy the device's optimal copy alignment.
    ///
    /// # Errors
    /// As [`Buffer::new`] where a buffer has to be made, [`Error::Invalid`] for 0 bytes.
    pub fn stage(&mut self, size: u64, align: u64) -> Result<Staged<'_>> {
        if size == 0 || !align.is_power_of_two() {
            return Err(Error::invalid(
                "upload",
                format!("{size} bytes aligned to {align} cannot be staged"),
            ));
        }
        let align = align.max(self.device.limits().optimal_buffer_copy_offset_alignment).max(4);
        self.stats.bytes += size;
        self.stats.total_bytes += size;
        self.stats.uploads += 1;
        if size <= self.desc.keep_most / 4 {
            let slot = &mut self.slots[self.current];
            slot.wanted = slot.wanted.next_multiple_of(align) + size;
            let offset = slot.used.next_multiple_of(align);
            if slot.buffer.as_ref().is_some_and(|buffer| offset + size <= buffer.size()) {
                slot.used = offset + size;
                return staged(self.slots[self.current].buffer.as_mut(), offset, size);
            }
        }
        let mut offset = self.one_off_used.next_multiple_of(align);
        if self.one_off.last().is_none_or(|buffer| offset + size > buffer.size()) {
            let buffer = make(&self.device, self.desc.name, size.max(self.desc.keep_most / 4).max(4096))?;
            self.stats.buffers_made += 1;
            self.flush_one_off()?;
            self.one_off.push(buffer);
            offset = 0;
        }
        self.one_off_used = offset + size;
        staged(self.one_off.last_mut(), offset, size)
    }

    /// Makes everything that was filled this frame visible to the device, and retires the one-off buffers with the frame.
    /// Staging more afterwards is allowed, followed by another `finish`.
    ///
    /// # Errors
    /// What the allocator returned for a flush.
    pub fn finish(&mut self) -> Result<()> {
        let slot = &self.slots[self.current];
        if let Some(buffer) = &slot.buffer {
            buffer.flush(0, slot.used)?;
        }
        self.flush_one_off()?;
        self.one_off.clear();
        self.one_off_used = 0;
        Ok(())
    }

    /// What this frame's uploads took so far.
    pub fn stats(&self) -> StagingStats {
        self.stats
    }

    fn flush_one_off(&self) -> Result<()> {
        match self.one_off.last() {
            Some(buffer) => buffer.flush(0, self.one_off_used),
            None => Ok(()),
        }
    }
}

fn make(device: &Arc<Device>, name: &str, size: u64) -> Result<Buffer> {
    let usage = vk::BufferUsageFlags::TRANSFER_SRC;
    Buffer::new(device, &BufferDesc { name, size, usage, location: MemoryLocation::Upload })
}

fn staged(buffer: Option<&mut Buffer>, offset: u64, size: u64) -> Result<Staged<'_>> {
    let place = buffer.and_then(|buffer| {
        let raw = buffer.raw();
        let bytes = buffer.mapped_mut()?.get_mut(offset as usize..(offset + size) as usize)?;
        Some(Staged { buffer: raw, offset, bytes })
    });
    place.ok_or_else(|| Error::invalid("upload", "the staging buffer is not mapped"))
}
