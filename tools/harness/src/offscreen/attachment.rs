//! One image of a target.

use ash::vk;

use super::*;

pub(super) struct Attachment {
    pub(super) image: vk::Image,
    pub(super) view: vk::ImageView,
    pub(super) format: vk::Format,
    allocation: Option<Allocation>,
    /// The layout it is in once the commands that were recorded so far have run.
    layout: vk::ImageLayout,
}

impl Attachment {
    pub(super) fn new(
        gpu: &Gpu,
        desc: &OffscreenDesc,
        format: vk::Format,
        samples: vk::SampleCountFlags,
    ) -> Result<Self> {
        let usage = if is_depth(format) {
            vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
        } else {
            vk::ImageUsageFlags::COLOR_ATTACHMENT
        };
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width: desc.width, height: desc.height, depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(samples)
            .usage(usage | vk::ImageUsageFlags::TRANSFER_SRC);
        // SAFETY: the device is alive; where a later step fails, the image is destroyed by the half-made attachment's owner.
        let image =
            unsafe { gpu.device.create_image(&info, None) }.map_err(Failure::call("vkCreateImage"))?;
        let mut attachment = Attachment {
            image,
            view: vk::ImageView::null(),
            format,
            allocation: None,
            layout: vk::ImageLayout::UNDEFINED,
        };
        match attachment.complete(gpu) {
            Ok(()) => Ok(attachment),
            Err(failure) => {
                attachment.destroy(gpu);
                Err(failure)
            }
        }
    }

    /// Notes the layout that somebody else's commands bring it to.
    pub(super) fn was_brought_to(&mut self, layout: vk::ImageLayout) {
        self.layout = layout;
    }

    fn complete(&mut self, gpu: &Gpu) -> Result<()> {
        // SAFETY: the image was just made.
        let requirements = unsafe { gpu.device.get_image_memory_requirements(self.image) };
        let allocation = gpu.memory().allocate(&AllocationRequest {
            requirements,
            location: MemoryLocation::GpuOnly,
            linear: false,
            name: "offscreen target",
        })?;
        let (memory, offset) = (allocation.memory, allocation.offset);
        self.allocation = Some(allocation);
        let info = vk::ImageViewCreateInfo::default()
            .image(self.image)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(self.format)
            .subresource_range(self.range());
        // SAFETY: the memory fits the image, and the view is of all of it.
        unsafe {
            gpu.device
                .bind_image_memory(self.image, memory, offset)
                .map_err(Failure::call("vkBindImageMemory"))?;
            self.view =
                gpu.device.create_image_view(&info, None).map_err(Failure::call("vkCreateImageView"))?;
        }
        Ok(())
    }

    pub(super) fn destroy(mut self, gpu: &Gpu) {
        // SAFETY: the device has finished with the image, see the target's Drop; a null view is ignored.
        unsafe {
            gpu.device.destroy_image_view(self.view, None);
            gpu.device.destroy_image(self.image, None);
        }
        if let Some(allocation) = self.allocation.take() {
            gpu.free(allocation);
        }
    }

    pub(super) fn aspect(&self) -> vk::ImageAspectFlags {
        if is_depth(self.format) { vk::ImageAspectFlags::DEPTH } else { vk::ImageAspectFlags::COLOR }
    }

    fn range(&self) -> vk::ImageSubresourceRange {
        vk::ImageSubresourceRange {
            aspect_mask: self.aspect(),
            base_mip_level: 0,
            level_count: 1,
            base_array_layer: 0,
            layer_count: 1,
        }
    }

    /// The layout in which it is drawn into.
    pub(super) fn draw_layout(&self) -> vk::ImageLayout {
        if is_depth(self.format) {
            vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL
        } else {
            vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL
        }
    }

    pub(super) fn barrier_to_draw(&mut self, keep: bool) -> vk::ImageMemoryBarrier2<'static> {
        use vk::{AccessFlags2 as Access, PipelineStageFlags2 as Stage};
        // Resolves write depth, too, in the colour output stage.
        let stage = Stage::COLOR_ATTACHMENT_OUTPUT | Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS;
        let access = Access::COLOR_ATTACHMENT_READ
            | Access::COLOR_ATTACHMENT_WRITE
            | Access::DEPTH_STENCIL_ATTACHMENT_READ
            | Access::DEPTH_STENCIL_ATTACHMENT_WRITE;
        self.barrier(keep, self.draw_layout(), stage, access)
    }

    pub(super) fn barrier_to_copy(&mut self) -> vk::ImageMemoryBarrier2<'static> {
        let (stage, access) = (vk::PipelineStageFlags2::ALL_TRANSFER, vk::AccessFlags2::TRANSFER_READ);
        self.barrier(true, vk::ImageLayout::TRANSFER_SRC_OPTIMAL, stage, access)
    }

    /// Waits for everything before: a target is not where time is saved.
    fn barrier(
        &mut self,
        keep: bool,
        layout: vk::ImageLayout,
        stage: vk::PipelineStageFlags2,
        access: vk::AccessFlags2,
    ) -> vk::ImageMemoryBarrier2<'static> {
        let old = if keep { self.layout } else { vk::ImageLayout::UNDEFINED };
        self.layout = layout;
        vk::ImageMemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(stage)
            .dst_access_mask(access)
            .old_layout(old)
            .new_layout(layout)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(self.image)
            .subresource_range(self.range())
    }

    pub(super) fn rendering_info(
        &self,
        resolve: Option<&Attachment>,
        load: vk::AttachmentLoadOp,
        clear: vk::ClearValue,
    ) -> vk::RenderingAttachmentInfo<'static> {
        let info = vk::RenderingAttachmentInfo::default()
            .image_view(self.view)
            .image_layout(self.draw_layout())
            .load_op(load)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(clear);
        let Some(resolve) = resolve else { return info };
        let sample_zero = is_depth(self.format) || Numeric::of(self.format) != Numeric::Float;
        let mode =
            if sample_zero { vk::ResolveModeFlags::SAMPLE_ZERO } else { vk::ResolveModeFlags::AVERAGE };
        info.resolve_mode(mode).resolve_image_view(resolve.view).resolve_image_layout(self.draw_layout())
    }

    /// A colour as the format's kind of number.
    pub(super) fn clear_color(&self, color: [f32; 4]) -> vk::ClearColorValue {
        match Numeric::of(self.format) {
            Numeric::Float => vk::ClearColorValue { float32: color },
            Numeric::Uint => vk::ClearColorValue { uint32: color.map(|value| value as u32) },
            Numeric::Sint => vk::ClearColorValue { int32: color.map(|value| value as i32) },
        }
    }
}

/// What a colour's components are to a shader.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numeric {
    Float,
    Uint,
    Sint,
}

impl Numeric {
    fn of(format: vk::Format) -> Self {
        // Vulkan's own names end in the kind of number.
        let name = format!("{format:?}");
        match () {
            () if name.ends_with("UINT") => Numeric::Uint,
            () if name.ends_with("SINT") => Numeric::Sint,
            () => Numeric::Float,
        }
    }
}

pub(super) fn is_depth(format: vk::Format) -> bool {
    matches!(format, vk::Format::D16_UNORM | vk::Format::X8_D24_UNORM_PACK32 | vk::Format::D32_SFLOAT)
}
