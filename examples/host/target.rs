//! What the engine draws into: a classic render pass with four samples a pixel, resolved into a picture that can be read.

use crate::engine::Engine;
use crate::{Failure, Result, call};
use ash::vk;
use landform::gpu::{Allocation, AllocationRequest, DeviceMemory, MemoryLocation};
use std::sync::Arc;

/// An sRGB format: the target encodes colour, the shaders write it linear.
pub(crate) const COLOR: vk::Format = vk::Format::R8G8B8A8_SRGB;
pub(crate) const SAMPLES: vk::SampleCountFlags = vk::SampleCountFlags::TYPE_4;
const DEPTH: vk::Format = vk::Format::D32_SFLOAT;

/// Render pass, framebuffer, their images and the buffer that the picture is copied to. Dropped when the device is idle.
pub(crate) struct Frame {
    device: ash::Device,
    memory: Arc<dyn DeviceMemory>,
    extent: vk::Extent2D,
    /// Four samples a pixel; depth of the same; one sample a pixel.
    images: Vec<Image>,
    buffer: vk::Buffer,
    buffer_memory: Option<Allocation>,
    render_pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
}

#[derive(Default)]
struct Image {
    raw: vk::Image,
    view: vk::ImageView,
    memory: Option<Allocation>,
}

impl Frame {
    pub(crate) fn new(engine: &Engine, width: u32, height: u32) -> Result<Self> {
        // What is made is entered at once, so that a failure half way destroys it.
        let mut frame = Self {
            device: engine.device.clone(),
            memory: engine.memory.clone(),
            extent: vk::Extent2D { width, height },
            images: Vec::new(),
            buffer: vk::Buffer::null(),
            buffer_memory: None,
            render_pass: vk::RenderPass::null(),
            framebuffer: vk::Framebuffer::null(),
        };
        use vk::ImageUsageFlags as U;
        let (color, depth) = (vk::ImageAspectFlags::COLOR, vk::ImageAspectFlags::DEPTH);
        frame.add_image("color", COLOR, SAMPLES, U::COLOR_ATTACHMENT | U::TRANSIENT_ATTACHMENT, color)?;
        frame.add_image(
            "depth",
            DEPTH,
            SAMPLES,
            U::DEPTH_STENCIL_ATTACHMENT | U::TRANSIENT_ATTACHMENT,
            depth,
        )?;
        let one = vk::SampleCountFlags::TYPE_1;
        frame.add_image("picture", COLOR, one, U::COLOR_ATTACHMENT | U::TRANSFER_SRC, color)?;
        frame.make_buffer()?;
        frame.render_pass = create_render_pass(&frame.device)?;
        let views: Vec<_> = frame.images.iter().map(|image| image.view).collect();
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(frame.render_pass)
            .attachments(&views)
            .width(width)
            .height(height)
            .layers(1);
        // SAFETY: the views are of the formats and samples that the render pass describes, in its order.
        frame.framebuffer =
            unsafe { frame.device.create_framebuffer(&info, None) }.map_err(call("vkCreateFramebuffer"))?;
        Ok(frame)
    }

    pub(crate) fn render_pass(&self) -> vk::RenderPass {
        self.render_pass
    }

    /// Begins the render pass. Depth is cleared to 0, the far plane of reverse-Z.
    pub(crate) fn begin(&self, cmd: vk::CommandBuffer) {
        let clear = [
            vk::ClearValue { color: vk::ClearColorValue { float32: [0.0, 0.0, 0.0, 1.0] } },
            vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth: 0.0, stencil: 0 } },
        ];
        let info = vk::RenderPassBeginInfo::default()
            .render_pass(self.render_pass)
            .framebuffer(self.framebuffer)
            .render_area(self.extent.into())
            .clear_values(&clear);
        // SAFETY: the command buffer records, outside of a render pass; pass and framebuffer are alive and fit.
        unsafe { self.device.cmd_begin_render_pass(cmd, &info, vk::SubpassContents::INLINE) };
    }

    /// Ends the render pass.
    pub(crate) fn end(&self, cmd: vk::CommandBuffer) {
        // SAFETY: the command buffer is inside the pass that `begin` began.
        unsafe { self.device.cmd_end_render_pass(cmd) };
    }

    /// Copies the picture to where the CPU can read it, once the frame has completed.
    pub(crate) fn copy_out(&self, cmd: vk::CommandBuffer) {
        let region = vk::BufferImageCopy {
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                layer_count: 1,
                ..Default::default()
            },
            image_extent: self.extent.into(),
            ..Default::default()
        };
        let to_host = vk::BufferMemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .buffer(self.buffer)
            .size(vk::WHOLE_SIZE);
        let (transfer, host) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        // SAFETY: the command buffer records, outside of a render pass, whose last dependency made the picture ready to be
        // copied in this layout; the buffer is as large as the picture.
        unsafe {
            let picture = self.images[2].raw;
            self.device.cmd_copy_image_to_buffer(cmd, picture, layout, self.buffer, &[region]);
            let none = vk::DependencyFlags::empty();
            self.device.cmd_pipeline_barrier(cmd, transfer, host, none, &[], &[to_host], &[]);
        }
    }

    /// The pixels that were copied out, RGBA, rows from the top. The device is idle.
    pub(crate) fn read(&self) -> Result<Vec<u8>> {
        let nothing = || Failure("the picture's memory is not mapped".into());
        let memory = self.buffer_memory.as_ref().ok_or_else(nothing)?;
        let pointer = memory.mapped.ok_or_else(nothing)?;
        self.memory.invalidate(memory, 0, self.bytes())?;
        // SAFETY: that many bytes are mapped there, the copy that wrote them has completed, and nothing writes them now.
        let bytes =
            unsafe { std::slice::from_raw_parts(pointer.as_ptr().cast::<u8>(), self.bytes() as usize) };
        Ok(bytes.to_vec())
    }

    fn bytes(&self) -> u64 {
        4 * u64::from(self.extent.width) * u64::from(self.extent.height)
    }

    fn add_image(
        &mut self,
        name: &str,
        format: vk::Format,
        samples: vk::SampleCountFlags,
        usage: vk::ImageUsageFlags,
        aspect: vk::ImageAspectFlags,
    ) -> Result<()> {
        self.images.push(Image::default());
        let last = self.images.len() - 1;
        let image = &mut self.images[last];
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(self.extent.into())
            .mip_levels(1)
            .array_layers(1)
            .samples(samples)
            .usage(usage);
        // SAFETY: the device is alive; every handle is the one made just before.
        unsafe {
            image.raw = self.device.create_image(&info, None).map_err(call("vkCreateImage"))?;
            let requirements = self.device.get_image_memory_requirements(image.raw);
            let location = MemoryLocation::GpuOnly;
            let memory =
                self.memory.allocate(&AllocationRequest { requirements, location, linear: false, name })?;
            let (object, offset) = (memory.memory, memory.offset);
            image.memory = Some(memory);
            self.device.bind_image_memory(image.raw, object, offset).map_err(call("vkBindImageMemory"))?;
            let range =
                vk::ImageSubresourceRange::default().aspect_mask(aspect).level_count(1).layer_count(1);
            let info = vk::ImageViewCreateInfo::default()
                .image(image.raw)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(format)
                .subresource_range(range);
            image.view = self.device.create_image_view(&info, None).map_err(call("vkCreateImageView"))?;
        }
        Ok(())
    }

    fn make_buffer(&mut self) -> Result<()> {
        let info =
            vk::BufferCreateInfo::default().size(self.bytes()).usage(vk::BufferUsageFlags::TRANSFER_DST);
        // SAFETY: the device is alive; every handle is the one made just before.
        unsafe {
            self.buffer = self.device.create_buffer(&info, None).map_err(call("vkCreateBuffer"))?;
            let requirements = self.device.get_buffer_memory_requirements(self.buffer);
            let (location, name) = (MemoryLocation::Readback, "picture");
            let memory =
                self.memory.allocate(&AllocationRequest { requirements, location, linear: true, name })?;
            let (object, offset) = (memory.memory, memory.offset);
            self.buffer_memory = Some(memory);
            self.device.bind_buffer_memory(self.buffer, object, offset).map_err(call("vkBindBufferMemory"))
        }
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        // SAFETY: the device is idle, and destroying a handle that was never made does nothing.
        unsafe {
            self.device.destroy_framebuffer(self.framebuffer, None);
            self.device.destroy_render_pass(self.render_pass, None);
            for image in &self.images {
                self.device.destroy_image_view(image.view, None);
                self.device.destroy_image(image.raw, None);
            }
            self.device.destroy_buffer(self.buffer, None);
        }
        let images = self.images.drain(..).filter_map(|image| image.memory);
        images.chain(self.buffer_memory.take()).for_each(|memory| self.memory.free(memory));
    }
}

fn create_render_pass(device: &ash::Device) -> Result<vk::RenderPass> {
    use vk::{AccessFlags as A, AttachmentLoadOp as Load, AttachmentStoreOp as Store, ImageLayout as L};
    use vk::{PipelineStageFlags as S, SampleCountFlags};
    let attachment = |format, samples, load, store, layout| {
        vk::AttachmentDescription::default()
            .format(format)
            .samples(samples)
            .load_op(load)
            .store_op(store)
            .stencil_load_op(Load::DONT_CARE)
            .stencil_store_op(Store::DONT_CARE)
            .initial_layout(L::UNDEFINED)
            .final_layout(layout)
    };
    // Only the resolved picture is kept.
    let attachments = [
        attachment(COLOR, SAMPLES, Load::CLEAR, Store::DONT_CARE, L::COLOR_ATTACHMENT_OPTIMAL),
        attachment(DEPTH, SAMPLES, Load::CLEAR, Store::DONT_CARE, L::DEPTH_STENCIL_ATTACHMENT_OPTIMAL),
        attachment(COLOR, SampleCountFlags::TYPE_1, Load::DONT_CARE, Store::STORE, L::TRANSFER_SRC_OPTIMAL),
    ];
    let reference = |attachment, layout| vk::AttachmentReference { attachment, layout };
    let color = [reference(0, L::COLOR_ATTACHMENT_OPTIMAL)];
    let depth = reference(1, L::DEPTH_STENCIL_ATTACHMENT_OPTIMAL);
    let resolve = [reference(2, L::COLOR_ATTACHMENT_OPTIMAL)];
    let subpass = [vk::SubpassDescription::default()
        .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
        .color_attachments(&color)
        .resolve_attachments(&resolve)
        .depth_stencil_attachment(&depth)];
    let drawing = S::COLOR_ATTACHMENT_OUTPUT | S::EARLY_FRAGMENT_TESTS | S::LATE_FRAGMENT_TESTS;
    let writes = A::COLOR_ATTACHMENT_WRITE | A::DEPTH_STENCIL_ATTACHMENT_WRITE;
    let reads = A::COLOR_ATTACHMENT_READ | A::DEPTH_STENCIL_ATTACHMENT_READ;
    let dependencies = [
        // Two frames share the attachments: this one draws once the last has drawn and has been copied.
        vk::SubpassDependency::default()
            .src_subpass(vk::SUBPASS_EXTERNAL)
            .dst_subpass(0)
            .src_stage_mask(drawing | S::TRANSFER)
            .dst_stage_mask(drawing)
            .src_access_mask(writes)
            .dst_access_mask(writes | reads),
        // The picture is copied once it is resolved.
        vk::SubpassDependency::default()
            .src_subpass(0)
            .dst_subpass(vk::SUBPASS_EXTERNAL)
            .src_stage_mask(S::COLOR_ATTACHMENT_OUTPUT)
            .dst_stage_mask(S::TRANSFER)
            .src_access_mask(A::COLOR_ATTACHMENT_WRITE)
            .dst_access_mask(A::TRANSFER_READ),
    ];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpass)
        .dependencies(&dependencies);
    // SAFETY: the device is alive, and every reference is the index of an attachment.
    unsafe { device.create_render_pass(&info, None) }.map_err(call("vkCreateRenderPass"))
}
