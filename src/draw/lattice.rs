//! The index buffers of the patch lattices, one a grid size, made when a view first asks for one.

use crate::Result;
use crate::gpu::{
    Buffer, BufferBarrier, BufferDesc, Cmd, Device, MemoryLocation, Staging, StagingDesc, Usage,
};
use crate::lod::GridSize;
use ash::vk;
use std::sync::Arc;

/// The buffers, and the ones whose copies are staged but not recorded.
pub(super) struct Lattices {
    device: Arc<Device>,
    ready: [Option<Buffer>; 3],
    staged: [Option<StagedLattice>; 3],
    staging: Staging,
}

struct StagedLattice {
    buffer: Buffer,
    source: vk::Buffer,
    region: vk::BufferCopy,
}

impl Lattices {
    pub(super) fn new(device: &Arc<Device>) -> Result<Self> {
        let desc = StagingDesc { name: "landform lattice staging", keep: 0, keep_most: 256 << 10 };
        let staging = Staging::new(device, desc)?;
        Ok(Self { device: device.clone(), ready: Default::default(), staged: Default::default(), staging })
    }

    /// Takes the frame's staging memory into use.
    pub(super) fn begin_frame(&mut self) -> Result<()> {
        // What was staged and not recorded lies in memory that is used again from here on.
        self.staged = Default::default();
        self.staging.begin_frame()
    }

    /// Takes all buffers for never filled. The old ones are destroyed once no frame uses them.
    pub(super) fn forget(&mut self) {
        self.ready = Default::default();
    }

    /// A grid's indices, once they were uploaded.
    pub(super) fn get(&self, grid: GridSize) -> Option<&Buffer> {
        self.ready[grid as usize].as_ref()
    }

    /// Makes and stages a grid's indices, where that was not done. Records nothing.
    pub(super) fn stage(&mut self, grid: GridSize) -> Result<()> {
        let slot = grid as usize;
        if self.ready[slot].is_some() || self.staged[slot].is_some() {
            return Ok(());
        }
        let indices = grid.indices();
        let bytes: &[u8] = bytemuck::cast_slice(&indices);
        let buffer = Buffer::new(
            &self.device,
            &BufferDesc {
                name: "landform lattice",
                size: bytes.len() as u64,
                usage: vk::BufferUsageFlags::INDEX_BUFFER | vk::BufferUsageFlags::TRANSFER_DST,
                location: MemoryLocation::GpuOnly,
            },
        )?;
        let staged = self.staging.stage(bytes.len() as u64, 4)?;
        staged.bytes.copy_from_slice(bytes);
        let region = vk::BufferCopy { src_offset: staged.offset, dst_offset: 0, size: bytes.len() as u64 };
        self.staged[slot] = Some(StagedLattice { buffer, source: staged.buffer, region });
        Ok(())
    }

    /// Makes what was staged visible to the device.
    pub(super) fn finish(&mut self) -> Result<()> {
        if self.staged.iter().any(Option::is_some) { self.staging.finish() } else { Ok(()) }
    }

    /// Records the copies of what was staged.
    pub(super) fn record(&mut self, cmd: &Cmd<'_>) {
        for (ready, staged) in self.ready.iter_mut().zip(&mut self.staged) {
            let Some(StagedLattice { buffer, source, region }) = staged.take() else { continue };
            cmd.copy_to_buffer(source, &buffer, &[region]);
            let (from, to) = (Usage::TransferDst, Usage::IndexRead);
            cmd.barriers(
                &[],
                &[BufferBarrier { buffer: &buffer, offset: 0, size: vk::WHOLE_SIZE, from, to }],
            );
            *ready = Some(buffer);
        }
    }
}
