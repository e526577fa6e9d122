//! Reading a target back.

use ash::vk;

use super::attachment::Attachment;
use super::*;

impl Offscreen {
    /// The picture of colour 0, resolved. 8-bit RGBA and BGRA formats.
    ///
    /// # Errors
    /// A sentence where the target has no such colour, or what the driver returned.
    pub fn read_color(&mut self) -> Result<Image8> {
        self.read_color_of(0)
    }

    /// The picture of one of the colours, resolved.
    ///
    /// # Errors
    /// As [`read_color`](Self::read_color).
    pub fn read_color_of(&mut self, index: usize) -> Result<Image8> {
        let format = self.desc.color.get(index).copied().unwrap_or_default();
        let swap = match format {
            vk::Format::R8G8B8A8_UNORM | vk::Format::R8G8B8A8_SRGB => false,
            vk::Format::B8G8R8A8_UNORM | vk::Format::B8G8R8A8_SRGB => true,
            _ => {
                return Err(Failure::new(format!("colour {index} is {format:?}; read_color_bytes reads it")));
            }
        };
        let mut data = self.read_color_bytes(index, 4)?;
        if swap {
            data.as_chunks_mut::<4>().0.iter_mut().for_each(|pixel| pixel.swap(0, 2));
        }
        Ok(Image8 { width: self.desc.width, height: self.desc.height, data })
    }

    /// The bytes of one of the colours, resolved, whatever its format; `texel` bytes a pixel.
    ///
    /// # Errors
    /// A sentence where the target has no such colour, or what the driver returned.
    pub fn read_color_bytes(&mut self, index: usize, texel: u64) -> Result<Vec<u8>> {
        let colors = if self.resolved_color.is_empty() { &mut self.color } else { &mut self.resolved_color };
        let count = colors.len();
        let attachment = colors
            .get_mut(index)
            .ok_or_else(|| Failure::new(format!("there is no colour {index}; the target has {count}")))?;
        read(&self.gpu, &self.desc, attachment, texel)
    }

    /// Depth, row by row; of four samples the first. For `D32_SFLOAT`.
    ///
    /// # Errors
    /// A sentence where the target has no such depth, or what the driver returned.
    pub fn read_depth(&mut self) -> Result<Vec<f32>> {
        if self.desc.depth != Some(vk::Format::D32_SFLOAT) {
            return Err(Failure::new(format!("depth is {:?}; only D32_SFLOAT can be read", self.desc.depth)));
        }
        let depth = self.resolved_depth.as_mut().or(self.depth.as_mut());
        let depth = depth.ok_or_else(|| Failure::new("the target has no depth"))?;
        let bytes = read(&self.gpu, &self.desc, depth, 4)?;
        Ok(bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect())
    }
}

/// A mapped buffer that an image is copied to.
struct ReadBuffer<'a> {
    gpu: &'a Gpu,
    raw: vk::Buffer,
    allocation: Option<Allocation>,
}

impl<'a> ReadBuffer<'a> {
    fn new(gpu: &'a Gpu, size: u64) -> Result<Self> {
        let info = vk::BufferCreateInfo::default().size(size).usage(vk::BufferUsageFlags::TRANSFER_DST);
        // SAFETY: the device is alive.
        let raw =
            unsafe { gpu.device.create_buffer(&info, None) }.map_err(Failure::call("vkCreateBuffer"))?;
        let mut buffer = ReadBuffer { gpu, raw, allocation: None };
        // SAFETY: the buffer was just made.
        let requirements = unsafe { gpu.device.get_buffer_memory_requirements(raw) };
        let allocation = gpu.memory().allocate(&AllocationRequest {
            requirements,
            location: MemoryLocation::Readback,
            linear: true,
            name: "offscreen readback",
        })?;
        let (memory, offset) = (allocation.memory, allocation.offset);
        buffer.allocation = Some(allocation);
        // SAFETY: the memory fits the buffer.
        unsafe { gpu.device.bind_buffer_memory(raw, memory, offset) }
            .map_err(Failure::call("vkBindBufferMemory"))?;
        Ok(buffer)
    }

    fn bytes(&self, size: u64) -> Result<Vec<u8>> {
        let allocation = self.allocation.as_ref();
        let mapped = allocation.and_then(|allocation| Some((allocation, allocation.mapped?)));
        let (allocation, address) = mapped.ok_or_else(|| Failure::new("readback memory is not mapped"))?;
        self.gpu.memory().invalidate(allocation, 0, size)?;
        // SAFETY: the memory is mapped for at least the buffer's size, and the device has finished writing.
        Ok(unsafe { std::slice::from_raw_parts(address.as_ptr().cast::<u8>(), size as usize) }.to_vec())
    }
}

impl Drop for ReadBuffer<'_> {
    fn drop(&mut self) {
        // SAFETY: the submission that used it was waited for.
        unsafe { self.gpu.device.destroy_buffer(self.raw, None) };
        if let Some(allocation) = self.allocation.take() {
            self.gpu.free(allocation);
        }
    }
}

fn read(gpu: &Gpu, desc: &OffscreenDesc, attachment: &mut Attachment, texel: u64) -> Result<Vec<u8>> {
    let size = u64::from(desc.width) * u64::from(desc.height) * texel;
    let buffer = ReadBuffer::new(gpu, size)?;
    let to_copy = [attachment.barrier_to_copy()];
    let layers = vk::ImageSubresourceLayers {
        aspect_mask: attachment.aspect(),
        mip_level: 0,
        base_array_layer: 0,
        layer_count: 1,
    };
    let region = vk::BufferImageCopy::default().image_subresource(layers).image_extent(vk::Extent3D {
        width: desc.width,
        height: desc.height,
        depth: 1,
    });
    let to_host = [vk::BufferMemoryBarrier2::default()
        .src_stage_mask(vk::PipelineStageFlags2::ALL_TRANSFER)
        .src_access_mask(vk::AccessFlags2::TRANSFER_WRITE)
        .dst_stage_mask(vk::PipelineStageFlags2::HOST)
        .dst_access_mask(vk::AccessFlags2::HOST_READ)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .buffer(buffer.raw)
        .size(vk::WHOLE_SIZE)];
    // SAFETY: the command buffer records outside a rendering scope; image and buffer are alive until it has completed.
    gpu.submit_and_wait(|cmd| unsafe {
        gpu.pipeline_barrier2(cmd, &vk::DependencyInfo::default().image_memory_barriers(&to_copy));
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        gpu.device.cmd_copy_image_to_buffer(cmd, attachment.image, layout, buffer.raw, &[region]);
        gpu.pipeline_barrier2(cmd, &vk::DependencyInfo::default().buffer_memory_barriers(&to_host));
    })?;
    buffer.bytes(size)
}
