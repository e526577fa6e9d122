//! What a frame's host does itself: things that stand on the ground, and luminance that is read back.

use ash::vk;
use landform::draw::{FrameHost, HostScope, PassScope};
use landform::frame::Stage;
use landform::gpu::{Buffer, BufferDesc, Cmd, Device, MemoryLocation, TargetBarrier, Usage, aspect};
use landform::light::Lamp;
use landform_harness::Gpu;
use std::path::Path;
use std::sync::Arc;

use super::LitShot;
use crate::stop::{Result, Stop};

/// What stands on the ground besides, drawn by a host of its own.
pub trait Things: FrameHost {
    /// Makes ready for a frame, and adds its lamps.
    ///
    /// # Errors
    /// What the device could not make.
    fn begin(&mut self, shot: &LitShot<'_>, lamps: &mut Vec<Lamp>) -> Result<()>;
}

/// The node of the host's that luminance is read by.
pub(super) const READ: &str = "read luminance";

/// A picture in cd/m², linear RGB.
#[derive(Clone, Debug, PartialEq)]
pub struct Luminance {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Row by row.
    pub pixels: Vec<[f32; 3]>,
}

impl Luminance {
    /// Writes an OpenEXR file of three channels of 16 bits whose 1 is a cd/m².
    ///
    /// # Errors
    /// What keeps the file from being written.
    pub fn write(&self, path: &Path) -> Result<()> {
        use exr::prelude::*;
        let pixel = |place: Vec2<usize>| {
            let [red, green, blue] = self.pixels[place.y() * self.width as usize + place.x()];
            // What half precision does not hold is as bright as it gets.
            let held = |light: f32| f16::from_f32(light.min(65504.0));
            (held(red), held(green), held(blue))
        };
        let size = (self.width as usize, self.height as usize);
        let layer = LayerAttributes { white_luminance: Some(1.0), ..LayerAttributes::default() };
        let layer = Layer::new(size, layer, Encoding::FAST_LOSSLESS, SpecificChannels::rgb(pixel));
        let written = Image::from_layer(layer).write().non_parallel().to_file(path);
        written.map_err(|error| Stop::new(format!("{}: cannot be written: {error}", path.display())))
    }
}

/// Copies out what a node reads.
pub(super) struct Reader {
    gpu: Arc<Gpu>,
    device: Arc<Device>,
    read: Option<(Buffer, vk::Format, [u32; 2])>,
}

impl Reader {
    pub(super) fn new(gpu: &Arc<Gpu>, device: &Arc<Device>) -> Self {
        Self { gpu: gpu.clone(), device: device.clone(), read: None }
    }

    /// What the last frame copied, which has completed.
    pub(super) fn take(&mut self) -> Result<Luminance> {
        let (buffer, format, [width, height]) = self
            .read
            .take()
            .ok_or_else(|| Stop::new("the frame has no luminance to be read: it has no Tonemap"))?;
        buffer.invalidate(0, buffer.size())?;
        let bytes = buffer.mapped().unwrap_or_default();
        let single = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        let half = |bytes: &[u8]| half::f16::from_le_bytes([bytes[0], bytes[1]]).to_f32();
        let pixels = match format {
            vk::Format::R32G32B32A32_SFLOAT => {
                bytes.chunks_exact(16).map(|texel| [0, 4, 8].map(|at| single(&texel[at..at + 4]))).collect()
            }
            vk::Format::R16G16B16A16_SFLOAT => {
                bytes.chunks_exact(8).map(|texel| [0, 2, 4].map(|at| half(&texel[at..at + 2]))).collect()
            }
            other => {
                let why =
                    format!("the frame's luminance is {other:?}; only Rgba16Float and Rgba32Float are read");
                return Err(Stop::new(why));
            }
        };
        Ok(Luminance { width, height, pixels })
    }

    fn copy(&mut self, cmd: &Cmd<'_>, scope: &HostScope<'_>) -> landform::Result<()> {
        let Some(target) = scope.first() else { return Ok(()) };
        let [width, height] = target.extent;
        // Four channels of four bytes are the most.
        let size = 16 * u64::from(width) * u64::from(height);
        let (usage, location) = (vk::BufferUsageFlags::TRANSFER_DST, MemoryLocation::Readback);
        let buffer = Buffer::new(&self.device, &BufferDesc { name: "luminance", size, usage, location })?;
        let aspect = aspect(target.format);
        let barrier = |from, to| TargetBarrier { image: target.image, aspect, from, to, discard: false };
        let layers = vk::ImageSubresourceLayers { aspect_mask: aspect, layer_count: 1, ..Default::default() };
        let extent = vk::Extent3D { width, height, depth: 1 };
        let region = vk::BufferImageCopy::default().image_subresource(layers).image_extent(extent);
        cmd.target_barriers(&[barrier(Usage::FragmentRead, Usage::TransferSrc)]);
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        // SAFETY: the command buffer records, outside of a scope; image and buffer are alive, and the region is within both.
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
        self.read = Some((buffer, target.format, target.extent));
        Ok(())
    }
}

/// Both, as far as they are there.
pub(super) struct Host<'a> {
    pub(super) things: Option<&'a mut (dyn Things + 'static)>,
    pub(super) reader: Option<&'a mut Reader>,
}

impl FrameHost for Host<'_> {
    fn draw_stage(&mut self, cmd: &Cmd<'_>, stage: Stage, scope: &PassScope<'_>) -> landform::Result<()> {
        self.things.as_mut().map_or(Ok(()), |things| things.draw_stage(cmd, stage, scope))
    }

    fn draw_casters(&mut self, cmd: &Cmd<'_>, scope: &PassScope<'_>) -> landform::Result<()> {
        self.things.as_mut().map_or(Ok(()), |things| things.draw_casters(cmd, scope))
    }

    fn record(&mut self, cmd: &Cmd<'_>, name: &str, scope: &HostScope<'_>) -> landform::Result<()> {
        match &mut self.reader {
            Some(reader) if name == READ => reader.copy(cmd, scope),
            _ => Ok(()),
        }
    }
}
