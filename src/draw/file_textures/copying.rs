//! Textures on their way into images.

use super::pieces::{Piece, Progress};
use crate::gpu::{Cmd, Device, Image, ImageBarrier, ImageDesc, Staging, StagingDesc, Usage};
use crate::import::{TexelFormat, TextureData, TextureRequest};
use crate::{Error, Result};
use ash::vk;
use std::sync::Arc;

/// Bytes that are copied a frame where nothing else is said.
const BUDGET: u64 = 16 << 20;

/// Where a staged piece may begin: at a whole block of any format.
const ALIGN: u64 = 16;

/// A texture that is copied over one or more frames.
pub(super) struct Copying {
    /// The entry that it is of.
    pub(super) index: usize,
    pub(super) image: Image,
    pub(super) texture: TextureData,
    progress: Progress,
    /// True once a copy into the image was recorded.
    begun: bool,
}

impl Copying {
    /// Makes the image of a texture.
    ///
    /// # Errors
    /// As [`Image::new`].
    pub(super) fn new(
        device: &Arc<Device>,
        index: usize,
        request: &TextureRequest,
        texture: TextureData,
    ) -> Result<Self> {
        let name = format!("landform texture {}", request.files().join(" "));
        let desc = ImageDesc {
            name: &name,
            extent: [texture.width, texture.height],
            mips: texture.mips.len() as u32,
            format: vk_format(texture.format),
            ..ImageDesc::default()
        };
        let image = Image::new(device, &desc)?;
        Ok(Self { index, image, texture, progress: Progress::default(), begun: false })
    }

    /// The next pieces that fit into so many bytes, and where it is after them.
    fn next(&self, budget: u64, placed: &mut Vec<(Piece, u64)>) -> (u64, Progress) {
        let (mut progress, mut at) = (self.progress, 0);
        let mut left = usize::try_from(budget).unwrap_or(usize::MAX);
        placed.clear();
        while let Some((piece, after)) = progress.next(&self.texture, left) {
            let bytes = piece.end - piece.begin;
            if bytes > left && !placed.is_empty() {
                break;
            }
            placed.push((piece, at));
            at = (at + bytes as u64).next_multiple_of(ALIGN);
            left = left.saturating_sub(bytes);
            progress = after;
        }
        (at, progress)
    }
}

/// Copies textures, so many bytes a frame.
pub(super) struct Copier {
    device: Arc<Device>,
    staging: Staging,
    pub(super) budget: u64,
    /// The frame that staging memory was taken into use for.
    frame: u64,
    /// Bytes of the budget that are left in it.
    left: u64,
    placed: Vec<(Piece, u64)>,
    regions: Vec<vk::BufferImageCopy>,
}

impl Copier {
    pub(super) fn new(device: &Arc<Device>) -> Result<Self> {
        // What is staged is large and soon over, so none of it is kept.
        let desc = StagingDesc { name: "landform texture staging", keep: 0, keep_most: 0 };
        Ok(Self {
            device: device.clone(),
            staging: Staging::new(device, desc)?,
            budget: BUDGET,
            frame: 0,
            left: 0,
            placed: Vec::new(),
            regions: Vec::new(),
        })
    }

    /// Brings the budget to the device's current frame.
    pub(super) fn begin_frame(&mut self) -> Result<()> {
        let frame = self.device.frame();
        if frame == 0 {
            return Err(Error::invalid(
                "file textures",
                "no frame was begun; call Device::begin_frame once a frame, before its first upload or draw",
            ));
        }
        if self.frame != frame {
            self.staging.begin_frame()?;
            self.frame = frame;
            self.left = self.budget.max(1);
        }
        Ok(())
    }

    pub(super) fn has_budget(&self) -> bool {
        self.left > 0
    }

    /// Copies what fits of a texture, and says whether that was the last of it; it can be read by fragment stages then.
    /// Where it fails nothing was recorded.
    pub(super) fn copy(&mut self, cmd: &Cmd<'_>, copying: &mut Copying) -> Result<bool> {
        let (bytes, after) = copying.next(self.left, &mut self.placed);
        let staged = self.staging.stage(bytes, ALIGN)?;
        self.regions.clear();
        for (piece, at) in &self.placed {
            let from = &copying.texture.mips[piece.mip][piece.begin..piece.end];
            staged.bytes[*at as usize..][..from.len()].copy_from_slice(from);
            self.regions.push(region(piece, staged.offset + at));
        }
        let source = staged.buffer;
        self.staging.finish()?;
        let done = after.is_done(&copying.texture);
        // What is left after a row that did not fit is too little for the next one as well.
        self.left = if done { self.left.saturating_sub(bytes) } else { 0 };
        record(cmd, copying, source, &self.regions, done);
        copying.progress = after;
        Ok(done)
    }
}

/// Records copies into an image, after they can no longer fail.
fn record(
    cmd: &Cmd<'_>,
    copying: &mut Copying,
    source: vk::Buffer,
    regions: &[vk::BufferImageCopy],
    last: bool,
) {
    let barrier = |from, to| {
        let image = &copying.image;
        cmd.barriers(&[ImageBarrier { image, range: image.whole(), from, to }], &[]);
    };
    cmd.begin_label(c"landform texture");
    if !copying.begun {
        barrier(Usage::Undefined, Usage::TransferDst);
    }
    cmd.copy_to_image(source, &copying.image, regions);
    if last {
        barrier(Usage::TransferDst, Usage::FragmentRead);
    }
    cmd.end_label();
    copying.begun = true;
}

fn region(piece: &Piece, at: u64) -> vk::BufferImageCopy {
    vk::BufferImageCopy {
        buffer_offset: at,
        image_subresource: vk::ImageSubresourceLayers {
            aspect_mask: vk::ImageAspectFlags::COLOR,
            mip_level: piece.mip as u32,
            base_array_layer: 0,
            layer_count: 1,
        },
        image_offset: vk::Offset3D { x: 0, y: piece.row as i32, z: 0 },
        image_extent: vk::Extent3D { width: piece.width, height: piece.rows, depth: 1 },
        ..Default::default()
    }
}

/// Refuses a format that the device cannot filter or upload.
pub(super) fn check_format(device: &Device, format: TexelFormat) -> Result<()> {
    use vk::FormatFeatureFlags as F;
    let needs = F::SAMPLED_IMAGE | F::SAMPLED_IMAGE_FILTER_LINEAR | F::TRANSFER_DST;
    device.check_format(vk_format(format), needs, "textures of layers")
}

fn vk_format(format: TexelFormat) -> vk::Format {
    match format {
        TexelFormat::Rgba8Srgb => vk::Format::R8G8B8A8_SRGB,
        TexelFormat::Rgba8 => vk::Format::R8G8B8A8_UNORM,
        TexelFormat::Rg8 => vk::Format::R8G8_UNORM,
        TexelFormat::Bc1Srgb => vk::Format::BC1_RGB_SRGB_BLOCK,
        TexelFormat::Bc3Srgb => vk::Format::BC3_SRGB_BLOCK,
        TexelFormat::Bc3 => vk::Format::BC3_UNORM_BLOCK,
        TexelFormat::Bc5 => vk::Format::BC5_UNORM_BLOCK,
        TexelFormat::Bc7Srgb => vk::Format::BC7_SRGB_BLOCK,
        TexelFormat::Bc7 => vk::Format::BC7_UNORM_BLOCK,
    }
}
