//! The classic way to render: two compatible render passes, one that clears and one that keeps, and a framebuffer.

use ash::vk;

use super::attachment::Attachment;
use super::*;

pub(super) struct Passes {
    pub(super) clear: vk::RenderPass,
    keep: vk::RenderPass,
    framebuffer: vk::Framebuffer,
}

impl Passes {
    pub(super) fn new(target: &Offscreen) -> Result<Self> {
        let gpu = &target.gpu;
        let clear = create(target, vk::AttachmentLoadOp::CLEAR)?;
        let keep = create(target, vk::AttachmentLoadOp::LOAD)?;
        let views: Vec<_> = attachments(target).map(|attachment| attachment.view).collect();
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(clear)
            .attachments(&views)
            .width(target.desc.width)
            .height(target.desc.height)
            .layers(1);
        // SAFETY: the views fit the render pass, whose attachments were described from the same list.
        let framebuffer = unsafe { gpu.device.create_framebuffer(&info, None) };
        let framebuffer = framebuffer.map_err(Failure::call("vkCreateFramebuffer"))?;
        Ok(Passes { clear, keep, framebuffer })
    }

    pub(super) fn begin(&self, target: &Offscreen, cmd: vk::CommandBuffer, clear: Option<Clear>) {
        let render_pass = if clear.is_some() { self.clear } else { self.keep };
        let value = clear.unwrap_or_default();
        let depth_stencil = vk::ClearDepthStencilValue { depth: value.depth, stencil: 0 };
        let values: Vec<_> = attachments(target)
            .map(|attachment| {
                if attachment::is_depth(attachment.format) {
                    vk::ClearValue { depth_stencil }
                } else {
                    vk::ClearValue { color: attachment.clear_color(value.color) }
                }
            })
            .collect();
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(render_pass)
            .framebuffer(self.framebuffer)
            .render_area(target.scissor())
            .clear_values(&values);
        // SAFETY: the command buffer records, by the caller's word, and the attachments are in their layouts.
        unsafe { target.gpu.device.cmd_begin_render_pass(cmd, &info, vk::SubpassContents::INLINE) };
    }

    pub(super) fn destroy(&self, gpu: &Gpu) {
        // SAFETY: the device has finished with the target, see its Drop.
        unsafe {
            gpu.device.destroy_framebuffer(self.framebuffer, None);
            gpu.device.destroy_render_pass(self.clear, None);
            gpu.device.destroy_render_pass(self.keep, None);
        }
    }
}

/// Colours, depth, resolved colours, resolved depth: the order of the render pass and the framebuffer.
fn attachments(target: &Offscreen) -> impl Iterator<Item = &Attachment> {
    let drawn = target.color.iter().chain(&target.depth);
    drawn.chain(&target.resolved_color).chain(&target.resolved_depth)
}

fn create(target: &Offscreen, load: vk::AttachmentLoadOp) -> Result<vk::RenderPass> {
    let drawn = target.color.len() + target.depth.iter().len();
    let describe = |(index, attachment): (usize, &Attachment)| {
        let samples = if index < drawn { target.desc.samples } else { vk::SampleCountFlags::TYPE_1 };
        let load = if index < drawn { load } else { vk::AttachmentLoadOp::DONT_CARE };
        vk::AttachmentDescription2::default()
            .format(attachment.format)
            .samples(samples)
            .load_op(load)
            .store_op(vk::AttachmentStoreOp::STORE)
            .stencil_load_op(vk::AttachmentLoadOp::DONT_CARE)
            .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
            .initial_layout(attachment.draw_layout())
            .final_layout(attachment.draw_layout())
    };
    let descriptions: Vec<_> = attachments(target).enumerate().map(describe).collect();
    let reference = |(index, attachment): (usize, &Attachment)| {
        vk::AttachmentReference2::default()
            .attachment(index as u32)
            .layout(attachment.draw_layout())
            .aspect_mask(attachment.aspect())
    };
    let references: Vec<_> = attachments(target).enumerate().map(reference).collect();
    let (color, rest) = references.split_at(target.color.len());
    let (depth, rest) = rest.split_at(target.depth.iter().len());
    let (resolved_color, resolved_depth) = rest.split_at(target.resolved_color.len());
    let mut subpass = vk::SubpassDescription2::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(color);
    if let Some(depth) = depth.first() {
        subpass = subpass.depth_stencil_attachment(depth);
    }
    if !resolved_color.is_empty() {
        subpass = subpass.resolve_attachments(resolved_color);
    }
    let mut resolve = vk::SubpassDescriptionDepthStencilResolve::default()
        .depth_resolve_mode(vk::ResolveModeFlags::SAMPLE_ZERO);
    if let Some(resolved) = resolved_depth.first() {
        resolve = resolve.depth_stencil_resolve_attachment(resolved);
        subpass = subpass.push_next(&mut resolve);
    }
    let subpasses = [subpass];
    let info = vk::RenderPassCreateInfo2::default().attachments(&descriptions).subpasses(&subpasses);
    // SAFETY: the description is consistent: every reference is the index of a description.
    let pass = unsafe { target.gpu.device.create_render_pass2(&info, None) };
    pass.map_err(Failure::call("vkCreateRenderPass2"))
}
