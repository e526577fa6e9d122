//! A frame's targets, read back: a host whose node `read` copies what it samples out.

use crate::lit_stage::{decoded, half};
use ash::vk;
use landform::draw::{FrameHost, HostScope};
use landform::gpu::{Buffer, BufferDesc, Cmd, Device, MemoryLocation, TargetBarrier, Usage, aspect};
use landform_harness::Gpu;
use std::collections::HashMap;
use std::sync::Arc;

/// The host. A document has a node `Host(name: "read", reads: […])` with the names that it was made with.
pub struct TargetReader {
    gpu: Arc<Gpu>,
    device: Arc<Device>,
    names: &'static [&'static str],
    copies: HashMap<&'static str, (Buffer, vk::Format)>,
}

impl TargetReader {
    /// A host that reads these.
    pub fn new(gpu: &Arc<Gpu>, device: &Arc<Device>, names: &'static [&'static str]) -> Self {
        Self { gpu: gpu.clone(), device: device.clone(), names, copies: HashMap::new() }
    }

    fn bytes(&self, name: &str) -> (&[u8], vk::Format) {
        let (buffer, format) = &self.copies[name];
        buffer.invalidate(0, buffer.size()).expect("memory to read");
        (buffer.mapped().expect("mapped memory"), *format)
    }

    /// The texels of a target of four channels of the last frame, row by row.
    pub fn texels(&self, name: &str) -> Vec<[f32; 4]> {
        let (bytes, format) = self.bytes(name);
        bytes.chunks_exact(size_of(format)).map(|texel| decoded(format, texel)).collect()
    }

    /// The texels of a target of two halves, for instance motion.
    pub fn pairs(&self, name: &str) -> Vec<[f32; 2]> {
        let halves = |texel: &[u8]| [0, 2].map(|at| half(u16::from_le_bytes([texel[at], texel[at + 1]])));
        self.bytes(name).0.chunks_exact(4).map(halves).collect()
    }

    /// The same of depth.
    pub fn depth(&self, name: &str) -> Vec<f32> {
        bytemuck::cast_slice(self.bytes(name).0).to_vec()
    }

    fn copy(&mut self, cmd: &Cmd<'_>, name: &'static str, scope: &HostScope<'_>) {
        let target = scope.target(name).expect("a target that the node names");
        let [width, height] = target.extent;
        let desc = BufferDesc {
            name,
            size: u64::from(width) * u64::from(height) * size_of(target.format) as u64,
            usage: vk::BufferUsageFlags::TRANSFER_DST,
            location: MemoryLocation::Readback,
        };
        let buffer = Buffer::new(&self.device, &desc).expect("a buffer");
        let barrier = |from, to| TargetBarrier {
            image: target.image,
            aspect: aspect(target.format),
            from,
            to,
            discard: false,
        };
        let region = vk::BufferImageCopy::default()
            .image_subresource(vk::ImageSubresourceLayers {
                aspect_mask: aspect(target.format),
                mip_level: 0,
                base_array_layer: 0,
                layer_count: 1,
            })
            .image_extent(vk::Extent3D { width, height, depth: 1 });
        cmd.target_barriers(&[barrier(Usage::FragmentRead, Usage::TransferSrc)]);
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        // SAFETY: the command buffer records; image and buffer are alive and the region is all of both.
        unsafe {
            self.gpu.device.cmd_copy_image_to_buffer(
                cmd.raw(),
                target.image,
                layout,
                buffer.raw(),
                &[region],
            );
        }
        cmd.target_barriers(&[barrier(Usage::TransferSrc, Usage::FragmentRead)]);
        self.copies.insert(name, (buffer, target.format));
    }
}

impl FrameHost for TargetReader {
    fn record(&mut self, cmd: &Cmd<'_>, name: &str, scope: &HostScope<'_>) -> landform::Result<()> {
        if name == "read" {
            self.names.iter().for_each(|target| self.copy(cmd, target, scope));
        }
        Ok(())
    }
}

fn size_of(format: vk::Format) -> usize {
    match format {
        vk::Format::R32G32B32A32_SFLOAT => 16,
        vk::Format::R16G16B16A16_SFLOAT => 8,
        _ => 4,
    }
}
