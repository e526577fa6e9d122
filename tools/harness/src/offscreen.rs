//! A target without a window: colours, depth, one or four samples, of either kind, and reading it back.

use std::sync::Arc;

use ash::vk;
use landform::draw::HostImage;
use landform::gpu::{Allocation, AllocationRequest, MemoryLocation, TargetFormats, Usage};

use crate::{Failure, Gpu, Image8, Result};

mod attachment;
mod readback;
mod render_pass;

use attachment::Attachment;

/// What a target is to be.
#[derive(Clone, Debug)]
pub struct OffscreenDesc {
    /// Pixels a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The colour formats.
    pub color: Vec<vk::Format>,
    /// The depth format, if there is depth.
    pub depth: Option<vk::Format>,
    /// 1, or 4, which are resolved when the scope ends.
    pub samples: vk::SampleCountFlags,
    /// How rendering begins.
    pub kind: TargetKind,
}

/// How rendering begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TargetKind {
    /// With `vkCmdBeginRendering`.
    #[default]
    Dynamic,
    /// With a render pass and a framebuffer.
    RenderPass,
}

impl OffscreenDesc {
    /// One sRGB colour and 32-bit depth, one sample, dynamic rendering.
    pub fn new(width: u32, height: u32) -> Self {
        OffscreenDesc {
            width,
            height,
            color: vec![vk::Format::R8G8B8A8_SRGB],
            depth: Some(vk::Format::D32_SFLOAT),
            samples: vk::SampleCountFlags::TYPE_1,
            kind: TargetKind::Dynamic,
        }
    }
}

/// What a target is cleared to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clear {
    /// Every colour, linear.
    pub color: [f32; 4],
    /// Depth; 0 is the far plane of a reverse-Z projection.
    pub depth: f32,
}

impl Default for Clear {
    /// Magenta, infinitely far.
    fn default() -> Self {
        Clear { color: [1.0, 0.0, 1.0, 1.0], depth: 0.0 }
    }
}

/// A target without a window. It owns its images; the host must not drop it while work that uses it is recorded but not yet
/// submitted.
pub struct Offscreen {
    gpu: Arc<Gpu>,
    desc: OffscreenDesc,
    /// What is drawn into.
    color: Vec<Attachment>,
    depth: Option<Attachment>,
    /// What four samples are resolved to; empty for one sample.
    resolved_color: Vec<Attachment>,
    resolved_depth: Option<Attachment>,
    pass: Option<render_pass::Passes>,
}

impl Offscreen {
    /// Makes the images.
    ///
    /// # Errors
    /// What the driver returned.
    pub fn new(gpu: &Arc<Gpu>, desc: OffscreenDesc) -> Result<Self> {
        let single = vk::SampleCountFlags::TYPE_1;
        let many = desc.samples != single;
        let make = |format, samples| Attachment::new(gpu, &desc, format, samples);
        let all =
            |samples| desc.color.iter().map(|format| make(*format, samples)).collect::<Result<Vec<_>>>();
        let color = all(desc.samples)?;
        let depth = desc.depth.map(|format| make(format, desc.samples)).transpose()?;
        let resolved_color = if many { all(single)? } else { Vec::new() };
        let resolved_depth = desc.depth.filter(|_| many).map(|format| make(format, single)).transpose()?;
        let mut target =
            Offscreen { gpu: gpu.clone(), desc, color, depth, resolved_color, resolved_depth, pass: None };
        if target.desc.kind == TargetKind::RenderPass {
            target.pass = Some(render_pass::Passes::new(&target)?);
        }
        Ok(target)
    }

    /// What landform is told about it.
    pub fn formats(&self) -> TargetFormats {
        match &self.pass {
            Some(pass) => TargetFormats::RenderPass {
                render_pass: pass.clear,
                subpass: 0,
                color_count: self.desc.color.len() as u32,
            },
            None => {
                let mut color = [vk::Format::UNDEFINED; landform::gpu::MOST_COLOR];
                color[..self.desc.color.len()].copy_from_slice(&self.desc.color);
                TargetFormats::Dynamic {
                    color,
                    color_count: self.desc.color.len() as u32,
                    depth: self.desc.depth.unwrap_or_default(),
                    stencil: vk::Format::UNDEFINED,
                }
            }
        }
    }

    /// Its description.
    pub fn desc(&self) -> &OffscreenDesc {
        &self.desc
    }

    /// A viewport of all of it, y downwards, or upwards with `flipped`.
    pub fn viewport(&self, flipped: bool) -> vk::Viewport {
        let (width, height) = (self.desc.width as f32, self.desc.height as f32);
        let (y, height) = if flipped { (height, -height) } else { (0.0, height) };
        vk::Viewport { x: 0.0, y, width, height, min_depth: 0.0, max_depth: 1.0 }
    }

    /// All of it.
    pub fn scissor(&self) -> vk::Rect2D {
        let extent = vk::Extent2D { width: self.desc.width, height: self.desc.height };
        vk::Rect2D { offset: vk::Offset2D::default(), extent }
    }

    /// Begins rendering, cleared, or with what is there for None.
    ///
    /// The command buffer records and is of the target's host.
    pub fn begin(&mut self, cmd: vk::CommandBuffer, clear: Option<Clear>) {
        let keep = clear.is_none();
        self.transition(cmd, keep);
        let clear_value = clear.unwrap_or_default();
        match &self.pass {
            Some(pass) => pass.begin(self, cmd, clear),
            None => self.begin_dynamic(cmd, keep, clear_value),
        }
    }

    fn begin_dynamic(&self, cmd: vk::CommandBuffer, keep: bool, clear: Clear) {
        let load = if keep { vk::AttachmentLoadOp::LOAD } else { vk::AttachmentLoadOp::CLEAR };
        let color: Vec<_> = self
            .color
            .iter()
            .enumerate()
            .map(|(index, attachment)| {
                let value = vk::ClearValue { color: attachment.clear_color(clear.color) };
                attachment.rendering_info(self.resolved_color.get(index), load, value)
            })
            .collect();
        let depth = self.depth.as_ref().map(|attachment| {
            let depth_stencil = vk::ClearDepthStencilValue { depth: clear.depth, stencil: 0 };
            attachment.rendering_info(self.resolved_depth.as_ref(), load, vk::ClearValue { depth_stencil })
        });
        let mut info =
            vk::RenderingInfo::default().render_area(self.scissor()).layer_count(1).color_attachments(&color);
        if let Some(depth) = &depth {
            info = info.depth_attachment(depth);
        }
        // SAFETY: the command buffer records, by the caller's word; the views are alive and in the layouts that are stated.
        unsafe { self.gpu.begin_rendering(cmd, &info) };
    }

    /// Ends rendering.
    pub fn end(&self, cmd: vk::CommandBuffer) {
        // SAFETY: the command buffer records, and rendering was begun by `begin`.
        unsafe {
            match &self.pass {
                Some(_) => self.gpu.device.cmd_end_render_pass(cmd),
                None => self.gpu.end_rendering(cmd),
            }
        }
    }

    /// The first colour as a compositor's output, one sample a pixel: whatever it holds may go, and after the frame it is read back.
    pub fn output(&mut self) -> HostImage {
        let extent = [self.desc.width, self.desc.height];
        let color = &mut self.color[0];
        color.was_brought_to(vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
        HostImage {
            image: color.image,
            view: color.view,
            revision: 1,
            format: color.format,
            extent,
            from: Usage::Discard,
            to: Usage::TransferSrc,
        }
    }

    /// Brings every attachment into its layout, after whatever was done with it before.
    fn transition(&mut self, cmd: vk::CommandBuffer, keep: bool) {
        let mut barriers = Vec::new();
        let attachments = self.color.iter_mut().chain(&mut self.depth);
        for attachment in attachments.chain(&mut self.resolved_color).chain(&mut self.resolved_depth) {
            barriers.push(attachment.barrier_to_draw(keep));
        }
        let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
        // SAFETY: the command buffer records, by the caller's word; the images are alive and in the layouts that are stated.
        unsafe { self.gpu.pipeline_barrier2(cmd, &info) };
    }
}

impl Drop for Offscreen {
    fn drop(&mut self) {
        self.gpu.wait_idle();
        if let Some(pass) = &self.pass {
            pass.destroy(&self.gpu);
        }
        let color = self.color.drain(..).chain(self.depth.take());
        for attachment in color.chain(self.resolved_color.drain(..)).chain(self.resolved_depth.take()) {
            attachment.destroy(&self.gpu);
        }
    }
}
