//! The height atlas and the hole mask on the device, and the copies that bring them up to date.
//!
//! Both images are owned here and are always either readable by vertex and fragment stages, or of unknown content and
//! layout: never written, or written by commands that may not have been submitted.

use crate::Result;
use crate::atlas::{AtlasLayout, MipChain};
use crate::field::TileId;
use crate::gpu::{Cmd, Device, Image, ImageBarrier, ImageDesc, Staging, StagingDesc, Usage};
use crate::plan::{FramePlan, TileUpload};
use ash::vk;
use std::sync::Arc;

/// The most bytes that are staged at once: a first frame of any size needs buffers of this size, not one for all.
const BATCH_BYTES: usize = 16 << 20;

/// The images.
pub(super) struct AtlasImages {
    pub(super) heights: Image,
    pub(super) holes: Image,
    layout: AtlasLayout,
    written: bool,
    staging: Staging,
    staged: Vec<StagedCopy>,
    regions: Vec<vk::BufferImageCopy>,
}

/// A copy whose bytes are staged: a source, and how many of the regions are its.
struct StagedCopy {
    source: vk::Buffer,
    regions: usize,
    holes: bool,
}

impl AtlasImages {
    pub(super) fn new(device: &Arc<Device>, layout: AtlasLayout) -> Result<Self> {
        let heights = Image::new(
            device,
            &ImageDesc {
                name: "landform heights",
                extent: layout.size(),
                mips: layout.mip_count(),
                format: vk::Format::R16_UINT,
                ..ImageDesc::default()
            },
        )?;
        let holes = Image::new(
            device,
            &ImageDesc {
                name: "landform holes",
                extent: layout.hole_size(),
                format: vk::Format::R8_UINT,
                ..ImageDesc::default()
            },
        )?;
        let desc = StagingDesc { name: "landform staging", keep: 0, keep_most: 4 << 20 };
        let staging = Staging::new(device, desc)?;
        Ok(Self { heights, holes, layout, written: false, staging, staged: Vec::new(), regions: Vec::new() })
    }

    /// Takes the frame's staging memory into use.
    pub(super) fn begin_frame(&mut self) -> Result<()> {
        self.staging.begin_frame()
    }

    /// Takes the images for never written: the next upload clears them, whatever they are in use for.
    pub(super) fn forget(&mut self) {
        self.written = false;
    }

    /// Stages all that a plan uploads, and makes it visible to the device. Nothing is recorded: where it fails, the images
    /// and the command buffer are as they were.
    pub(super) fn stage(&mut self, plan: &FramePlan) -> Result<()> {
        self.staged.clear();
        self.regions.clear();
        self.stage_heights(plan)?;
        self.stage_holes(plan)?;
        self.staging.finish()
    }

    /// Records what [`stage`](Self::stage) staged. Cannot fail.
    pub(super) fn record(&mut self, cmd: &Cmd<'_>) {
        if self.written && self.staged.is_empty() {
            return;
        }
        let before = if self.written { Usage::VertexFragmentRead } else { Usage::Discard };
        self.barrier(cmd, before, Usage::TransferDst);
        if !self.written {
            // No quad is open until a hole says so.
            cmd.clear_color(&self.holes, self.holes.whole(), vk::ClearColorValue { uint32: [0; 4] });
            self.barrier_holes_after_clear(cmd);
        }
        let mut regions = self.regions.as_slice();
        for copy in self.staged.drain(..) {
            let (now, later) = regions.split_at(copy.regions);
            cmd.copy_to_image(copy.source, if copy.holes { &self.holes } else { &self.heights }, now);
            regions = later;
        }
        self.barrier(cmd, Usage::TransferDst, Usage::VertexFragmentRead);
        self.written = true;
    }

    /// Hands the images to compute stages, or back to vertex and fragment stages.
    pub(super) fn read_in_compute(&self, cmd: &Cmd<'_>, there: bool) {
        let (drawing, compute) = (Usage::VertexFragmentRead, Usage::ComputeRead);
        let (from, to) = if there { (drawing, compute) } else { (compute, drawing) };
        self.barrier(cmd, from, to);
    }

    fn barrier(&self, cmd: &Cmd<'_>, from: Usage, to: Usage) {
        let barrier = |image| ImageBarrier { image, range: Image::whole(image), from, to };
        cmd.barriers(&[barrier(&self.heights), barrier(&self.holes)], &[]);
    }

    fn barrier_holes_after_clear(&self, cmd: &Cmd<'_>) {
        let (from, to) = (Usage::TransferDst, Usage::TransferDst);
        cmd.barriers(&[ImageBarrier { image: &self.holes, range: self.holes.whole(), from, to }], &[]);
    }

    fn stage_heights(&mut self, plan: &FramePlan) -> Result<()> {
        let chain = plan.chain();
        let a_batch = (BATCH_BYTES / (2 * chain.texels())).max(1);
        let stale = |upload: &&TileUpload| upload.heights.is_some();
        let mut uploads = plan.uploads.iter().filter(stale).peekable();
        while let Some(first) = uploads.peek().and_then(|upload| upload.heights.clone()) {
            let (begin, mut end) = (self.regions.len(), first.start);
            for upload in uploads.by_ref().take(a_batch) {
                let Some(texels) = &upload.heights else { continue };
                push_chain(
                    &mut self.regions,
                    &self.layout,
                    chain,
                    upload.tile,
                    2 * (texels.start - first.start),
                );
                end = texels.end;
            }
            self.stage_bytes(bytemuck::cast_slice(&plan.texels[first.start..end]), begin, false)?;
        }
        Ok(())
    }

    fn stage_holes(&mut self, plan: &FramePlan) -> Result<()> {
        let side = self.layout.tile_samples;
        let begin = self.regions.len();
        for upload in &plan.uploads {
            let Some(bytes) = &upload.holes else { continue };
            let [x, z] = self.layout.block(upload.tile, 0);
            self.regions.push(region(bytes.start, 0, [x / 8, z], [side / 8, side]));
        }
        if self.regions.len() == begin {
            return Ok(());
        }
        self.stage_bytes(&plan.hole_bytes, begin, true)
    }

    /// Stages bytes for the regions from `begin` on, whose offsets are relative to the bytes.
    fn stage_bytes(&mut self, bytes: &[u8], begin: usize, holes: bool) -> Result<()> {
        let staged = self.staging.stage(bytes.len() as u64, 4)?;
        staged.bytes.copy_from_slice(bytes);
        let regions = &mut self.regions[begin..];
        for region in regions.iter_mut() {
            region.buffer_offset += staged.offset;
        }
        self.staged.push(StagedCopy { source: staged.buffer, regions: regions.len(), holes });
        Ok(())
    }
}

/// One region a mip of a block whose chain begins at byte `at` of the staged bytes.
fn push_chain(
    regions: &mut Vec<vk::BufferImageCopy>,
    layout: &AtlasLayout,
    chain: MipChain,
    tile: TileId,
    at: usize,
) {
    for mip in 0..layout.mip_count() {
        let side = chain.side_at(mip);
        regions.push(region(at + 2 * chain.offset(mip), mip, layout.block(tile, mip), [side, side]));
    }
}

fn region(at: usize, mip: u32, [x, z]: [u32; 2], [width, height]: [u32; 2]) -> vk::BufferImageCopy {
    vk::BufferImageCopy {
        buffer_offset: at as u64,
        image_subresource: vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            mip_level: mip,
            base_array_layer: 0,
            layer_count: 1,
        },
        image_offset: vk::Offset3D { x: x as i32, y: z as i32, z: 0 },
        image_extent: vk::Extent3D { width, height, depth: 1 },
        ..Default::default()
    }
}
