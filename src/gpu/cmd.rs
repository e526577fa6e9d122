//! A command buffer of the host, for the time that landform records into it.
//!
//! The host owns the command buffer; making a [`Cmd`] is the one place where that it records is promised, together with
//! what [`Device::new`] asks of handles and regions, and what is recorded through it is then safe. Resources are borrowed from their owners, which may be dropped as soon as the call returns:
//! they are destroyed only after the frame has completed. Nothing here allocates.

use ash::vk;

use super::barrier::Usage;
use super::buffer::Buffer;
use super::device::{Device, FrontFaceState, Rendering};
use super::image::Image;
use super::pipeline_layout::PipelineLayout;
use super::pipelines::Pipeline;
use super::sets::Set;

/// A command buffer that is being recorded.
pub struct Cmd<'a> {
    device: &'a Device,
    raw: vk::CommandBuffer,
}

impl Device {
    /// Takes a command buffer of the host to record into.
    ///
    /// # Safety
    /// The command buffer is of the host's device and queue family, is in the recording state, and is used by nobody else
    /// while what is returned is alive. It is submitted before the host begins its next frame, or never; after never, what
    /// recorded an upload is told so ([`Renderer::forget`](crate::draw::Renderer::forget)). Where a call says inside or
    /// outside a rendering scope, the host has begun one or has not, and a scope's attachments are those that the
    /// [`Target`](crate::draw::Target) of a draw describes. What is recorded keeps Vulkan's rules: resources are in the use
    /// that the call states, raw handles are of this device and alive until the frame has completed, and regions lie within
    /// their resources.
    pub unsafe fn record(&self, raw: vk::CommandBuffer) -> Cmd<'_> {
        Cmd { device: self, raw }
    }
}

impl Cmd<'_> {
    /// The handle, for what is not wrapped.
    pub fn raw(&self) -> vk::CommandBuffer {
        self.raw
    }

    /// The device that the command buffer is of.
    pub fn device(&self) -> &Device {
        self.device
    }

    /// Copies from staging memory, or another buffer, to a buffer in use as [`Usage::TransferDst`]. Outside a rendering scope.
    /// The source is alive until the frame has completed and the regions lie within both, by the promise that made the `Cmd`.
    pub fn copy_to_buffer(&self, source: vk::Buffer, to: &Buffer, regions: &[vk::BufferCopy]) {
        if regions.is_empty() {
            return;
        }
        // SAFETY: Cmd's promise, which covers the source and the regions; the destination is alive.
        unsafe { self.device.raw.cmd_copy_buffer(self.raw, source, to.raw(), regions) };
    }

    /// Copies from staging memory to an image in use as [`Usage::TransferDst`]. Outside a rendering scope. Source and regions
    /// are as for [`copy_to_buffer`](Self::copy_to_buffer).
    pub fn copy_to_image(&self, source: vk::Buffer, to: &Image, regions: &[vk::BufferImageCopy]) {
        if regions.is_empty() {
            return;
        }
        let layout = Usage::TransferDst.scope().layout;
        // SAFETY: Cmd's promise, which covers the source and the regions; the destination is alive.
        unsafe { self.device.raw.cmd_copy_buffer_to_image(self.raw, source, to.raw(), layout, regions) };
    }

    /// Copies from an image in use as [`Usage::TransferSrc`] to a buffer. Outside a rendering scope.
    pub fn copy_from_image(&self, from: &Image, to: &Buffer, regions: &[vk::BufferImageCopy]) {
        if regions.is_empty() {
            return;
        }
        let layout = Usage::TransferSrc.scope().layout;
        // SAFETY: Cmd's promise, which covers the regions; both resources are alive.
        unsafe {
            self.device.raw.cmd_copy_image_to_buffer(self.raw, from.raw(), layout, to.raw(), regions);
        };
    }

    /// Fills a buffer, or `size` bytes of it, with one word. Offset and size are multiples of 4. Outside a rendering scope.
    pub fn fill_buffer(&self, buffer: &Buffer, offset: u64, size: u64, word: u32) {
        // SAFETY: Cmd's promise; the buffer is alive.
        unsafe { self.device.raw.cmd_fill_buffer(self.raw, buffer.raw(), offset, size, word) };
    }

    /// Clears part of an image in use as [`Usage::TransferDst`]. Outside a rendering scope.
    pub fn clear_color(&self, image: &Image, range: super::ImageRange, value: vk::ClearColorValue) {
        let layout = Usage::TransferDst.scope().layout;
        let range = image.subresource(range);
        // SAFETY: Cmd's promise; the image is alive and the range is within it.
        unsafe {
            self.device.raw.cmd_clear_color_image(self.raw, image.raw(), layout, &value, &[range]);
        };
    }

    /// Clears part of an image of depth in use as [`Usage::TransferDst`]. Outside a rendering scope.
    pub fn clear_depth(&self, image: &Image, range: super::ImageRange, depth: f32) {
        let layout = Usage::TransferDst.scope().layout;
        let range = image.subresource(range);
        let value = vk::ClearDepthStencilValue { depth, stencil: 0 };
        // SAFETY: Cmd's promise; the image is alive and the range is within it.
        unsafe {
            self.device.raw.cmd_clear_depth_stencil_image(self.raw, image.raw(), layout, &value, &[range]);
        };
    }

    /// Begins a rendering scope of images in use as [`Usage::ColorTarget`] and [`Usage::DepthTarget`]. Outside of one.
    ///
    /// # Errors
    /// A device without `dynamic_rendering`.
    pub fn begin_rendering(&self, info: &vk::RenderingInfo<'_>) -> crate::Result<()> {
        // SAFETY: Cmd's promise, which covers the attachments' views and layouts.
        unsafe {
            match &self.device.rendering {
                Rendering::Core => self.device.raw.cmd_begin_rendering(self.raw, info),
                Rendering::Khr(khr) => khr.cmd_begin_rendering(self.raw, info),
                Rendering::None => {
                    return Err(crate::Error::Unsupported {
                        what: "dynamic_rendering".into(),
                        why: "the host did not enable it; enable it, or begin scopes with a render pass of your own"
                            .into(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Ends the scope.
    pub fn end_rendering(&self) {
        // SAFETY: Cmd's promise; a scope was begun.
        unsafe {
            match &self.device.rendering {
                Rendering::Core => self.device.raw.cmd_end_rendering(self.raw),
                Rendering::Khr(khr) => khr.cmd_end_rendering(self.raw),
                Rendering::None => {}
            }
        }
    }

    /// Binds a pipeline.
    pub fn bind_pipeline(&self, pipeline: &Pipeline) {
        // SAFETY: Cmd's promise; the pipeline is alive.
        unsafe { self.device.raw.cmd_bind_pipeline(self.raw, pipeline.bind_point(), pipeline.raw()) };
    }

    /// Binds sets from set number `first` on, with the offsets of their dynamic bindings in order.
    ///
    /// # Panics
    /// Where there are more than 8 sets; with debug assertions also where a set is not of the layout, has a binding that was
    /// never written, or the number of offsets is not that of the dynamic bindings.
    pub fn bind_sets(
        &self,
        bind_point: vk::PipelineBindPoint,
        layout: &PipelineLayout,
        first: u32,
        sets: &[&Set],
        dynamic_offsets: &[u32],
    ) {
        let mut raw = [vk::DescriptorSet::null(); 8];
        let mut dynamic = 0;
        for (index, set) in sets.iter().enumerate() {
            raw[index] = set.raw();
            dynamic += set.layout().dynamic_count();
            debug_assert!(layout.accepts(first as usize + index, set.layout()), "{}: {index}", layout.name());
            debug_assert_eq!(set.first_missing(), None, "{} has unwritten descriptors", set.layout().name());
        }
        debug_assert_eq!(dynamic, dynamic_offsets.len(), "{}: dynamic offsets", layout.name());
        // SAFETY: Cmd's promise; layout and sets are alive and fit each other.
        unsafe {
            self.device.raw.cmd_bind_descriptor_sets(
                self.raw,
                bind_point,
                layout.raw(),
                first,
                &raw[..sets.len()],
                dynamic_offsets,
            );
        };
    }

    /// Sets the layout's push constants.
    ///
    /// # Panics
    /// Where the bytes are not exactly as many as the layout's range.
    pub fn push_constants(&self, layout: &PipelineLayout, bytes: &[u8]) {
        let range = layout.push_range().unwrap_or_default();
        assert_eq!(bytes.len(), range.size as usize, "{}: push constants", layout.name());
        if bytes.is_empty() {
            return;
        }
        // SAFETY: Cmd's promise; the bytes are exactly the layout's range.
        unsafe {
            self.device.raw.cmd_push_constants(self.raw, layout.raw(), range.stage_flags, 0, bytes);
        };
    }

    /// Sets the viewport and the scissor rectangle.
    pub fn set_viewport(&self, viewport: vk::Viewport, scissor: vk::Rect2D) {
        // SAFETY: Cmd's promise.
        unsafe {
            self.device.raw.cmd_set_viewport(self.raw, 0, &[viewport]);
            self.device.raw.cmd_set_scissor(self.raw, 0, &[scissor]);
        }
    }

    /// Sets which winding is the front, where that is dynamic state; nothing where pipelines are made with it.
    pub fn set_front_face(&self, front_face: vk::FrontFace) {
        // SAFETY: Cmd's promise; the entry point was loaded for the version in use.
        unsafe {
            match &self.device.front_face {
                FrontFaceState::Core => self.device.raw.cmd_set_front_face(self.raw, front_face),
                FrontFaceState::Ext(ext) => ext.cmd_set_front_face(self.raw, front_face),
                FrontFaceState::Baked => {}
            }
        }
    }

    /// Binds an index buffer.
    pub fn bind_index_buffer(&self, buffer: &Buffer, offset: u64, index_type: vk::IndexType) {
        // SAFETY: Cmd's promise; the buffer is alive.
        unsafe {
            self.device.raw.cmd_bind_index_buffer(self.raw, buffer.raw(), offset, index_type);
        };
    }

    /// Draws `instance_count` instances of `index_count` indices. Inside a rendering scope.
    pub fn draw_indexed(&self, index_count: u32, instance_count: u32, first_index: u32, first_instance: u32) {
        // SAFETY: Cmd's promise; what was bound before is alive.
        unsafe {
            self.device.raw.cmd_draw_indexed(
                self.raw,
                index_count,
                instance_count,
                first_index,
                0,
                first_instance,
            );
        };
    }

    /// Draws without indices. Inside a rendering scope.
    pub fn draw(&self, vertex_count: u32, instance_count: u32) {
        // SAFETY: Cmd's promise; what was bound before is alive.
        unsafe { self.device.raw.cmd_draw(self.raw, vertex_count, instance_count, 0, 0) };
    }

    /// Dispatches workgroups. Outside a rendering scope.
    pub fn dispatch(&self, groups: [u32; 3]) {
        // SAFETY: Cmd's promise; what was bound before is alive.
        unsafe { self.device.raw.cmd_dispatch(self.raw, groups[0], groups[1], groups[2]) };
    }
}
