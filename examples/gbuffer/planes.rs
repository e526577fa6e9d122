//! The engine's G-buffer: its images, and what they are to landform.

use crate::Result;
use ash::vk;
use landform::draw::{ColorEncoding, Target};
use landform::gpu::{
    Buffer, BufferBarrier, BufferDesc, Cmd, Device, Image, ImageBarrier, ImageDesc, MemoryLocation,
    TargetFormats, Usage,
};
use std::sync::Arc;

/// Albedo and occlusion; the octahedral normal; roughness and shading model; height in metres. As ground.frag.hlsl writes them.
pub(crate) const PLANES: [(&str, vk::Format); 4] = [
    ("albedo", vk::Format::R8G8B8A8_SRGB),
    ("normal", vk::Format::R16G16_SFLOAT),
    ("rough", vk::Format::R8G8_UNORM),
    ("height", vk::Format::R32_SFLOAT),
];
const DEPTH: vk::Format = vk::Format::D32_SFLOAT;
/// What is shown: the format encodes sRGB.
pub(crate) const PICTURE: vk::Format = vk::Format::R8G8B8A8_SRGB;

/// The planes, depth, and the picture that is made of them.
pub(crate) struct Planes {
    pub(crate) size: [u32; 2],
    pub(crate) planes: Vec<Image>,
    pub(crate) depth: Image,
    pub(crate) picture: Image,
}

impl Planes {
    pub(crate) fn new(device: &Arc<Device>, size: [u32; 2]) -> Result<Self> {
        use vk::ImageUsageFlags as U;
        let image = |name, format, usage| {
            Image::new(device, &ImageDesc { name, extent: size, format, usage, ..ImageDesc::default() })
        };
        let drawn = U::COLOR_ATTACHMENT | U::TRANSFER_SRC;
        let planes = PLANES.iter().map(|(name, format)| image(name, *format, drawn | U::SAMPLED));
        Ok(Self {
            size,
            planes: planes.collect::<landform::Result<_>>()?,
            depth: image("depth", DEPTH, U::DEPTH_STENCIL_ATTACHMENT | U::SAMPLED)?,
            picture: image("picture", PICTURE, drawn)?,
        })
    }

    /// What landform is told about the planes. The module writes linear colour, which the sRGB format encodes.
    pub(crate) fn target() -> Result<Target> {
        let formats = TargetFormats::dynamic(&PLANES.map(|(_, format)| format), Some(DEPTH))?;
        Ok(Target { formats, samples: vk::SampleCountFlags::TYPE_1, encoding: ColorEncoding::Linear })
    }

    /// Begins a scope that clears the planes and draws into them. Depth is cleared to 0, which is far.
    pub(crate) fn begin(&self, cmd: &Cmd<'_>) -> Result<()> {
        let mut barriers: Vec<_> = self.planes.iter().map(|image| fresh(image, Usage::ColorTarget)).collect();
        barriers.push(fresh(&self.depth, Usage::DepthTarget));
        cmd.barriers(&barriers, &[]);
        let color: Vec<_> = self.planes.iter().map(|image| attachment(image, Usage::ColorTarget)).collect();
        self.begin_scope(cmd, &color, Some(&attachment(&self.depth, Usage::DepthTarget)))
    }

    /// Ends the scope and makes the planes and depth what a fragment stage samples.
    pub(crate) fn end(&self, cmd: &Cmd<'_>) {
        cmd.end_rendering();
        let to = Usage::FragmentRead;
        let sampled = |image, from| ImageBarrier { image, range: image.whole(), from, to };
        let mut barriers: Vec<_> =
            self.planes.iter().map(|image| sampled(image, Usage::ColorTarget)).collect();
        barriers.push(sampled(&self.depth, Usage::DepthTarget));
        cmd.barriers(&barriers, &[]);
    }

    /// Begins a scope that draws the picture.
    pub(crate) fn begin_picture(&self, cmd: &Cmd<'_>) -> Result<()> {
        cmd.barriers(&[fresh(&self.picture, Usage::ColorTarget)], &[]);
        self.begin_scope(cmd, &[attachment(&self.picture, Usage::ColorTarget)], None)
    }

    /// All of the images.
    pub(crate) fn viewport(&self) -> (vk::Viewport, vk::Rect2D) {
        let [width, height] = self.size;
        let (w, h) = (width as f32, height as f32);
        let viewport = vk::Viewport { x: 0.0, y: 0.0, width: w, height: h, min_depth: 0.0, max_depth: 1.0 };
        (viewport, vk::Extent2D { width, height }.into())
    }

    /// Copies the picture and the planes to where the CPU reads them once the frame has completed: the picture first, rows
    /// from the top.
    pub(crate) fn copy_out(&self, device: &Arc<Device>, cmd: &Cmd<'_>) -> Result<Vec<Buffer>> {
        let planes = self.planes.iter().map(|image| (image, Usage::FragmentRead));
        let all = [(&self.picture, Usage::ColorTarget)].into_iter().chain(planes);
        all.map(|(image, from)| self.copy(device, cmd, image, from)).collect()
    }

    fn copy(&self, device: &Arc<Device>, cmd: &Cmd<'_>, image: &Image, from: Usage) -> Result<Buffer> {
        let [width, height] = self.size;
        let texel = if image.format() == vk::Format::R8G8_UNORM { 2 } else { 4 };
        let buffer = Buffer::new(
            device,
            &BufferDesc {
                name: image.name(),
                size: texel * u64::from(width * height),
                usage: vk::BufferUsageFlags::TRANSFER_DST,
                location: MemoryLocation::Readback,
            },
        )?;
        let region = vk::BufferImageCopy {
            image_subresource: image.copy_layers(0, 0, 1),
            image_extent: vk::Extent3D { width, height, depth: 1 },
            ..Default::default()
        };
        cmd.barriers(&[ImageBarrier { image, range: image.whole(), from, to: Usage::TransferSrc }], &[]);
        cmd.copy_from_image(image, &buffer, &[region]);
        let (from, to) = (Usage::TransferDst, Usage::HostRead);
        cmd.barriers(&[], &[BufferBarrier { buffer: &buffer, offset: 0, size: vk::WHOLE_SIZE, from, to }]);
        Ok(buffer)
    }

    fn begin_scope(
        &self,
        cmd: &Cmd<'_>,
        color: &[vk::RenderingAttachmentInfo<'_>],
        depth: Option<&vk::RenderingAttachmentInfo<'_>>,
    ) -> Result<()> {
        let info = vk::RenderingInfo::default()
            .render_area(self.viewport().1)
            .layer_count(1)
            .color_attachments(color);
        let info = depth.into_iter().fold(info, |info, depth| info.depth_attachment(depth));
        Ok(cmd.begin_rendering(&info)?)
    }
}

/// Nothing that an image holds is kept from one frame to the next.
fn fresh(image: &Image, to: Usage) -> ImageBarrier<'_> {
    ImageBarrier { image, range: image.whole(), from: Usage::Discard, to }
}

/// An attachment that is cleared to 0.
fn attachment(image: &Image, usage: Usage) -> vk::RenderingAttachmentInfo<'_> {
    vk::RenderingAttachmentInfo::default()
        .image_view(image.view())
        .image_layout(usage.scope().layout)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
}
