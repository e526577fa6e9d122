//! The images of the window, and what is drawn with them: depth, and four samples where those are wanted.

use super::surface::Surface;
use ash::vk;
use landform::draw::HostImage;
use landform::gpu::{Cmd, Device, Image, ImageBarrier, ImageDesc, Usage};
use landform_cli::stop::{Result, Stop};
use landform_harness::Gpu;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const DEPTH: vk::Format = vk::Format::D32_SFLOAT;

/// A swapchain for one size of the window. Must go before its surface, with the device idle.
pub(crate) struct Swapchain {
    gpu: Arc<Gpu>,
    loader: ash::khr::swapchain::Device,
    raw: vk::SwapchainKHR,
    images: Vec<Target>,
    format: vk::Format,
    extent: vk::Extent2D,
    depth: Image,
    /// What is drawn into where there are four samples.
    many: Option<Image>,
    /// False before the first frame: depth and samples hold nothing and nothing uses them.
    used: bool,
}

/// An image of the window, and what its presentation waits for.
struct Target {
    image: vk::Image,
    view: vk::ImageView,
    drawn: vk::Semaphore,
    /// A number that no other image has.
    revision: u64,
}

impl Swapchain {
    /// Makes one for the window as it is now, or none where it has no area. `old` is what was there before; the device
    /// must be idle.
    pub(crate) fn new(
        surface: &Surface,
        device: &Arc<Device>,
        samples: vk::SampleCountFlags,
        window: (u32, u32),
        old: Option<Self>,
    ) -> Result<Option<Self>> {
        let able = surface.capabilities()?;
        let Some(extent) = extent(&able, window) else { return Ok(None) };
        let vk::SurfaceFormatKHR { format, color_space } = surface.format()?;
        let most = if able.max_image_count == 0 { u32::MAX } else { able.max_image_count };
        let opaque = vk::CompositeAlphaFlagsKHR::OPAQUE;
        let alpha = if able.supported_composite_alpha.contains(opaque) {
            opaque
        } else {
            vk::CompositeAlphaFlagsKHR::INHERIT
        };
        let info = vk::SwapchainCreateInfoKHR::default()
            .surface(surface.raw)
            .min_image_count((able.min_image_count + 1).min(most))
            .image_format(format)
            .image_color_space(color_space)
            .image_extent(extent)
            .image_array_layers(1)
            .image_usage(vk::ImageUsageFlags::COLOR_ATTACHMENT)
            .image_sharing_mode(vk::SharingMode::EXCLUSIVE)
            .pre_transform(able.current_transform)
            .composite_alpha(alpha)
            .present_mode(vk::PresentModeKHR::FIFO)
            .clipped(true)
            .old_swapchain(old.as_ref().map_or(vk::SwapchainKHR::null(), |old| old.raw));
        let gpu = surface.gpu().clone();
        let loader = ash::khr::swapchain::Device::new(&gpu.instance().raw, &gpu.device);
        // SAFETY: the surface is alive and of this device's instance; the old swapchain, if any, is alive.
        let raw =
            unsafe { loader.create_swapchain(&info, None) }.map_err(Stop::call("vkCreateSwapchainKHR"))?;
        drop(old);
        let attachment = |name, format, usage, samples| {
            let extent = [extent.width, extent.height];
            Image::new(device, &ImageDesc { name, extent, format, samples, usage, ..ImageDesc::default() })
        };
        let depth =
            attachment("window depth", DEPTH, vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT, samples)?;
        let many = (samples != vk::SampleCountFlags::TYPE_1)
            .then(|| attachment("window samples", format, vk::ImageUsageFlags::COLOR_ATTACHMENT, samples))
            .transpose()?;
        let mut swapchain =
            Self { gpu, loader, raw, images: Vec::new(), format, extent, depth, many, used: false };
        swapchain.make_targets()?;
        Ok(Some(swapchain))
    }

    fn make_targets(&mut self) -> Result<()> {
        // SAFETY: the swapchain was just made.
        let images = unsafe { self.loader.get_swapchain_images(self.raw) };
        for image in images.map_err(Stop::call("vkGetSwapchainImagesKHR"))? {
            let info = vk::ImageViewCreateInfo::default()
                .image(image)
                .view_type(vk::ImageViewType::TYPE_2D)
                .format(self.format)
                .subresource_range(whole_color());
            // SAFETY: the image is the swapchain's; both handles are destroyed with it.
            let (view, drawn) = unsafe {
                (
                    self.gpu.device.create_image_view(&info, None),
                    self.gpu.device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None),
                )
            };
            let view = view.map_err(Stop::call("vkCreateImageView"))?;
            static NEXT: AtomicU64 = AtomicU64::new(1);
            let revision = NEXT.fetch_add(1, Ordering::Relaxed);
            let drawn = drawn.map_err(Stop::call("vkCreateSemaphore"))?;
            self.images.push(Target { image, view, drawn, revision });
        }
        Ok(())
    }

    pub(crate) fn format(&self) -> vk::Format {
        self.format
    }

    pub(crate) fn depth_format(&self) -> vk::Format {
        DEPTH
    }

    pub(crate) fn extent(&self) -> vk::Extent2D {
        self.extent
    }

    /// The next image, or none where the swapchain no longer fits its window. True where it barely does.
    pub(crate) fn acquire(&self, semaphore: vk::Semaphore) -> Result<Option<(usize, bool)>> {
        // SAFETY: the swapchain is alive and nothing waits for or signals the semaphore.
        match unsafe { self.loader.acquire_next_image(self.raw, u64::MAX, semaphore, vk::Fence::null()) } {
            Ok((index, suboptimal)) => Ok(Some((index as usize, suboptimal))),
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => Ok(None),
            Err(error) => Err(Stop::call("vkAcquireNextImageKHR")(error)),
        }
    }

    /// What the submission that draws an image signals.
    pub(crate) fn drawn(&self, index: usize) -> vk::Semaphore {
        self.images[index].drawn
    }

    /// Shows an image. False where the swapchain no longer fits its window.
    pub(crate) fn present(&self, index: usize) -> Result<bool> {
        let (swapchains, indices, semaphores) = ([self.raw], [index as u32], [self.images[index].drawn]);
        let info = vk::PresentInfoKHR::default()
            .swapchains(&swapchains)
            .image_indices(&indices)
            .wait_semaphores(&semaphores);
        // SAFETY: the image was acquired, and a submission that signals the semaphore was made.
        match self.gpu.with_queue(|queue| unsafe { self.loader.queue_present(queue, &info) }) {
            Ok(suboptimal) => Ok(!suboptimal),
            Err(vk::Result::ERROR_OUT_OF_DATE_KHR) => Ok(false),
            Err(error) => Err(Stop::call("vkQueuePresentKHR")(error)),
        }
    }

    /// An image as a compositor draws into it; [`begin_overlay`](Self::begin_overlay) follows. What the image holds may go, and the
    /// wait for everything before includes the stage that waits until it was acquired.
    pub(crate) fn output(&self, index: usize) -> HostImage {
        let target = &self.images[index];
        HostImage {
            image: target.image,
            view: target.view,
            revision: target.revision,
            format: self.format,
            extent: [self.extent.width, self.extent.height],
            from: Usage::Discard,
            to: Usage::ColorTarget,
        }
    }

    /// Begins rendering the ground into an image.
    pub(crate) fn begin(&mut self, cmd: &Cmd<'_>, index: usize) {
        let target = &self.images[index];
        let color_write = vk::AccessFlags2::COLOR_ATTACHMENT_WRITE;
        self.transition(cmd, index, vk::ImageLayout::UNDEFINED, vk::AccessFlags2::NONE, color_write);
        let from = |usage| if self.used { usage } else { Usage::Undefined };
        let barrier = |image, to| ImageBarrier { image, range: Image::whole(image), from: from(to), to };
        cmd.barriers(&[barrier(&self.depth, Usage::DepthTarget)], &[]);
        let color = vk::RenderingAttachmentInfo::default()
            .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .clear_value(vk::ClearValue { color: vk::ClearColorValue { float32: [0.0, 0.0, 0.0, 1.0] } });
        let color = match &self.many {
            None => color.image_view(target.view).store_op(vk::AttachmentStoreOp::STORE),
            Some(many) => {
                cmd.barriers(&[barrier(many, Usage::ColorTarget)], &[]);
                color
                    .image_view(many.view())
                    .store_op(vk::AttachmentStoreOp::DONT_CARE)
                    .resolve_mode(vk::ResolveModeFlags::AVERAGE)
                    .resolve_image_view(target.view)
                    .resolve_image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
            }
        };
        let depth = vk::RenderingAttachmentInfo::default()
            .image_view(self.depth.view())
            .image_layout(Usage::DepthTarget.scope().layout)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::DONT_CARE)
            .clear_value(vk::ClearValue {
                depth_stencil: vk::ClearDepthStencilValue { depth: 0.0, stencil: 0 },
            });
        let color = [color];
        let info = self.rendering(&color).depth_attachment(&depth);
        // SAFETY: the command buffer records, and the attachments are alive and in the layouts that are stated.
        unsafe { self.gpu.begin_rendering(cmd.raw(), &info) };
        self.used = true;
    }

    /// Begins rendering on top of what an image holds, with one sample and no depth. Outside of a rendering scope.
    pub(crate) fn begin_overlay(&self, cmd: &Cmd<'_>, index: usize) {
        let layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        let both = vk::AccessFlags2::COLOR_ATTACHMENT_READ | vk::AccessFlags2::COLOR_ATTACHMENT_WRITE;
        self.transition(cmd, index, layout, vk::AccessFlags2::COLOR_ATTACHMENT_WRITE, both);
        let color = [vk::RenderingAttachmentInfo::default()
            .image_view(self.images[index].view)
            .image_layout(layout)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE)];
        // SAFETY: the command buffer records, and the attachment is alive and in the layout that is stated.
        unsafe { self.gpu.begin_rendering(cmd.raw(), &self.rendering(&color)) };
    }

    /// Ends rendering.
    pub(crate) fn end(&self, cmd: &Cmd<'_>) {
        // SAFETY: the command buffer records, and rendering was begun.
        unsafe { self.gpu.end_rendering(cmd.raw()) };
    }

    /// Makes an image ready to be shown, after rendering has ended.
    pub(crate) fn finish(&self, cmd: &Cmd<'_>, index: usize) {
        let barrier = self
            .barrier(
                index,
                vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
                vk::AccessFlags2::COLOR_ATTACHMENT_WRITE,
            )
            .new_layout(vk::ImageLayout::PRESENT_SRC_KHR);
        self.pipeline_barrier(cmd, barrier);
    }

    fn rendering<'a>(&self, color: &'a [vk::RenderingAttachmentInfo<'a>]) -> vk::RenderingInfo<'a> {
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: self.extent };
        vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(color)
    }

    /// Brings an image from a layout into that of a colour attachment.
    fn transition(
        &self,
        cmd: &Cmd<'_>,
        index: usize,
        from: vk::ImageLayout,
        before: vk::AccessFlags2,
        after: vk::AccessFlags2,
    ) {
        let barrier = self
            .barrier(index, from, before)
            .dst_stage_mask(vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT)
            .dst_access_mask(after)
            .new_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL);
        self.pipeline_barrier(cmd, barrier);
    }

    /// The first half of a barrier: after the colour output of whoever used the image before, or, for an acquired image,
    /// after the stage that waits for its semaphore.
    fn barrier(
        &self,
        index: usize,
        from: vk::ImageLayout,
        before: vk::AccessFlags2,
    ) -> vk::ImageMemoryBarrier2<'static> {
        vk::ImageMemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::COLOR_ATTACHMENT_OUTPUT)
            .src_access_mask(before)
            .old_layout(from)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(self.images[index].image)
            .subresource_range(whole_color())
    }

    fn pipeline_barrier(&self, cmd: &Cmd<'_>, barrier: vk::ImageMemoryBarrier2<'_>) {
        let barriers = [barrier];
        let info = vk::DependencyInfo::default().image_memory_barriers(&barriers);
        // SAFETY: the command buffer records, outside of a rendering scope, and the image is alive.
        unsafe { self.gpu.pipeline_barrier2(cmd.raw(), &info) };
    }
}

impl Drop for Swapchain {
    fn drop(&mut self) {
        self.gpu.wait_idle();
        // SAFETY: the device is idle, and each handle is destroyed once.
        unsafe {
            for target in &self.images {
                self.gpu.device.destroy_image_view(target.view, None);
                self.gpu.device.destroy_semaphore(target.drawn, None);
            }
            self.loader.destroy_swapchain(self.raw, None);
        }
    }
}

fn whole_color() -> vk::ImageSubresourceRange {
    vk::ImageSubresourceRange {
        aspect_mask: vk::ImageAspectFlags::COLOR,
        level_count: 1,
        layer_count: 1,
        ..Default::default()
    }
}

/// The size of the images, or none where there is no area: a window may be minimised and say so here only.
fn extent(able: &vk::SurfaceCapabilitiesKHR, window: (u32, u32)) -> Option<vk::Extent2D> {
    let mut extent = able.current_extent;
    if extent.width == u32::MAX {
        let (least, most) = (able.min_image_extent, able.max_image_extent);
        extent.width = window.0.clamp(least.width, most.width.max(least.width));
        extent.height = window.1.clamp(least.height, most.height.max(least.height));
    }
    let area = window.0 > 0 && window.1 > 0 && extent.width > 0 && extent.height > 0;
    (area && able.max_image_extent.width > 0 && able.max_image_extent.height > 0).then_some(extent)
}
