//! The height atlas, the hole mask and the layers' weights on the device, and the copies that bring them up to date.
//!
//! The images are owned here and are always either readable by vertex and fragment stages, or of unknown content and
//! layout: never written, or written by commands that may not have been submitted.

use super::TextureView;
use crate::Result;
use crate::atlas::{AtlasLayout, MipChain};
use crate::field::TileId;
use crate::gpu::{Cmd, Device, Image, ImageBarrier, ImageDesc, ImageRange, Staging, StagingDesc, Usage};
use crate::plan::{FramePlan, TileUpload};
use ash::vk;
use std::sync::Arc;

/// The most bytes that are staged at once: a first frame of any size needs buffers of this size, not one for all.
const BATCH_BYTES: usize = 16 << 20;

/// The images.
pub(super) struct AtlasImages {
    device: Arc<Device>,
    pub(super) heights: Image,
    pub(super) holes: Image,
    weights: Option<Weights>,
    /// Weights of another number of pages, or none, which take the place of the others when they are recorded.
    next_weights: Option<Option<Weights>>,
    weights_made: u64,
    layout: AtlasLayout,
    written: bool,
    staging: Staging,
    staged: Vec<StagedCopy>,
    regions: Vec<vk::BufferImageCopy>,
}

/// An image of weights: an array of pages of four layers each, and of the regions where a map has some.
struct Weights {
    image: Image,
    revision: u64,
    written: bool,
}

/// A copy whose bytes are staged: a source, how many of the regions are its, and where they go.
struct StagedCopy {
    source: vk::Buffer,
    regions: usize,
    to: Destination,
}

#[derive(Clone, Copy)]
enum Destination {
    Heights,
    Holes,
    Weights,
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
        Ok(Self {
            device: device.clone(),
            heights,
            holes,
            weights: None,
            next_weights: None,
            weights_made: 0,
            layout,
            written: false,
            staging,
            staged: Vec::new(),
            regions: Vec::new(),
        })
    }

    /// Takes the frame's staging memory into use.
    pub(super) fn begin_frame(&mut self) -> Result<()> {
        self.staging.begin_frame()
    }

    /// Takes the images for never written: the next upload clears them, whatever they are in use for.
    pub(super) fn forget(&mut self) {
        self.written = false;
        if let Some(weights) = &mut self.weights {
            weights.written = false;
        }
    }

    /// The weights of the layers, or None where the field has none and every sample is the first layer's.
    pub(super) fn weights(&self) -> Option<TextureView> {
        let weights = self.weights.as_ref()?;
        Some(TextureView { view: weights.image.view(), revision: weights.revision })
    }

    /// Stages all that a plan uploads, and makes it visible to the device. Nothing is recorded: where it fails, the images
    /// and the command buffer are as they were.
    pub(super) fn stage(&mut self, plan: &FramePlan) -> Result<()> {
        self.staged.clear();
        self.regions.clear();
        self.shape_weights(plan.weight_shape.pages)?;
        self.stage_heights(plan)?;
        self.stage_holes(plan)?;
        self.stage_weights(plan)?;
        self.staging.finish()
    }

    /// Records what [`stage`](Self::stage) staged. Cannot fail.
    pub(super) fn record(&mut self, cmd: &Cmd<'_>) {
        if let Some(next) = self.next_weights.take() {
            self.weights = next;
        }
        let cleared = self.weights.as_ref().is_none_or(|weights| weights.written);
        if self.written && cleared && self.staged.is_empty() {
            return;
        }
        let (heights, holes) = (&self.heights, &self.holes);
        let before = if self.written { Usage::VertexFragmentRead } else { Usage::Discard };
        barrier(cmd, &[heights, holes], before, Usage::TransferDst);
        if !self.written {
            // No quad is open until a hole says so.
            cmd.clear_color(holes, holes.whole(), vk::ClearColorValue { uint32: [0; 4] });
            barrier(cmd, &[holes], Usage::TransferDst, Usage::TransferDst);
        }
        if let Some(weights) = &mut self.weights {
            weights.open(cmd);
        }
        let mut regions = self.regions.as_slice();
        for copy in self.staged.drain(..) {
            let (now, later) = regions.split_at(copy.regions);
            let image = match (copy.to, &self.weights) {
                (Destination::Heights, _) => heights,
                (Destination::Holes, _) => holes,
                (Destination::Weights, Some(weights)) => &weights.image,
                (Destination::Weights, None) => continue,
            };
            cmd.copy_to_image(copy.source, image, now);
            regions = later;
        }
        barrier(cmd, &[heights, holes], Usage::TransferDst, Usage::VertexFragmentRead);
        if let Some(weights) = &self.weights {
            barrier(cmd, &[&weights.image], Usage::TransferDst, Usage::FragmentRead);
        }
        self.written = true;
    }

    /// Hands the images to compute stages, or back to vertex and fragment stages.
    pub(super) fn read_in_compute(&self, cmd: &Cmd<'_>, there: bool) {
        let (drawing, compute) = (Usage::VertexFragmentRead, Usage::ComputeRead);
        let (from, to) = if there { (drawing, compute) } else { (compute, drawing) };
        barrier(cmd, &[&self.heights, &self.holes], from, to);
    }

    /// Makes the weights' image that a plan needs where it is another one than there is. It takes its place when it is
    /// recorded: until then what is drawn is drawn with the old one.
    fn shape_weights(&mut self, pages: u32) -> Result<()> {
        let pages_of = |weights: &Option<Weights>| weights.as_ref().map_or(0, |held| held.image.layers());
        if pages_of(&self.weights) == pages {
            // One that was made for a plan that was then given up has nothing of what is held.
            self.next_weights = None;
            return Ok(());
        }
        if pages_of(self.next_weights.as_ref().unwrap_or(&self.weights)) == pages {
            return Ok(());
        }
        if pages == 0 {
            self.next_weights = Some(None);
            return Ok(());
        }
        self.weights_made += 1;
        let image = Image::new(
            &self.device,
            &ImageDesc {
                name: "landform weights",
                extent: self.layout.size(),
                layers: pages,
                array: true,
                mips: self.layout.mip_count(),
                format: vk::Format::R8G8B8A8_UNORM,
                ..ImageDesc::default()
            },
        )?;
        self.next_weights = Some(Some(Weights { image, revision: self.weights_made, written: false }));
        Ok(())
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
            let bytes = bytemuck::cast_slice(&plan.texels[first.start..end]);
            self.stage_bytes(bytes, begin, Destination::Heights)?;
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
        self.stage_bytes(&plan.hole_bytes, begin, Destination::Holes)
    }

    fn stage_weights(&mut self, plan: &FramePlan) -> Result<()> {
        let chain = plan.chain();
        let a_tile = 4 * chain.texels() * plan.weight_shape.pages as usize;
        if a_tile == 0 {
            return Ok(());
        }
        let a_batch = (BATCH_BYTES / a_tile).max(1);
        let stale = |upload: &&TileUpload| upload.weights.is_some();
        let mut uploads = plan.uploads.iter().filter(stale).peekable();
        while let Some(first) = uploads.peek().and_then(|upload| upload.weights.clone()) {
            let (begin, mut end) = (self.regions.len(), first.start);
            for upload in uploads.by_ref().take(a_batch) {
                let Some(bytes) = &upload.weights else { continue };
                for page in 0..plan.weight_shape.pages {
                    let at = bytes.start - first.start + page as usize * 4 * chain.texels();
                    push_pages(&mut self.regions, &self.layout, chain, upload.tile, page, at);
                }
                end = bytes.end;
            }
            self.stage_bytes(&plan.weight_bytes[first.start..end], begin, Destination::Weights)?;
        }
        Ok(())
    }

    /// Stages bytes for the regions from `begin` on, whose offsets are relative to the bytes.
    fn stage_bytes(&mut self, bytes: &[u8], begin: usize, to: Destination) -> Result<()> {
        let staged = self.staging.stage(bytes.len() as u64, 4)?;
        staged.bytes.copy_from_slice(bytes);
        let regions = &mut self.regions[begin..];
        for region in regions.iter_mut() {
            region.buffer_offset += staged.offset;
        }
        self.staged.push(StagedCopy { source: staged.buffer, regions: regions.len(), to });
        Ok(())
    }
}

impl Weights {
    /// Makes the image ready to be copied to; a new one holds all of the first layer everywhere.
    fn open(&mut self, cmd: &Cmd<'_>) {
        let image = &self.image;
        let before = if self.written { Usage::FragmentRead } else { Usage::Discard };
        barrier(cmd, &[image], before, Usage::TransferDst);
        if self.written {
            return;
        }
        let whole = image.whole();
        let none = vk::ClearColorValue { float32: [0.0; 4] };
        let first = vk::ClearColorValue { float32: [1.0, 0.0, 0.0, 0.0] };
        cmd.clear_color(image, ImageRange { layers: 1, ..whole }, first);
        if whole.layers > 1 {
            cmd.clear_color(image, ImageRange { base_layer: 1, layers: whole.layers - 1, ..whole }, none);
        }
        barrier(cmd, &[image], Usage::TransferDst, Usage::TransferDst);
        self.written = true;
    }
}

fn barrier<const COUNT: usize>(cmd: &Cmd<'_>, images: &[&Image; COUNT], from: Usage, to: Usage) {
    cmd.barriers(&images.map(|image| ImageBarrier { image, range: image.whole(), from, to }), &[]);
}

/// One region a mip of a page of a block of weights whose chain begins at byte `at` of the staged bytes.
fn push_pages(
    regions: &mut Vec<vk::BufferImageCopy>,
    layout: &AtlasLayout,
    chain: MipChain,
    tile: TileId,
    page: u32,
    at: usize,
) {
    for mip in 0..layout.mip_count() {
        let side = chain.side_at(mip);
        let mut page_region = region(at + 4 * chain.offset(mip), mip, layout.block(tile, mip), [side, side]);
        page_region.image_subresource.base_array_layer = page;
        regions.push(page_region);
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
