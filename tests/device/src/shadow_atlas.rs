//! An atlas of the sun's cascades, as an engine would own it: drawn, left to be read by a shader, and read back on request.

use ash::vk;
use glam::Vec3;
use landform::draw::{Renderer, Target, TextureView};
use landform::frame::ShadowLayout;
use landform::gpu::{
    Buffer, BufferBarrier, BufferDesc, Cmd, Device, Image, ImageBarrier, ImageDesc, MemoryLocation, Usage,
};
use landform::light::{CascadeSettings, Cascades};
use landform::plan::{CasterSettings, Terrain, View, ViewPlan};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An image of depth, and what was drawn into it last.
pub struct ShadowAtlas {
    /// The cascades that [`draw`](Self::draw) fitted last.
    pub cascades: Cascades,
    plans: Vec<ViewPlan>,
    image: Image,
    layout: ShadowLayout,
    revision: u64,
}

impl ShadowAtlas {
    /// An atlas with nothing in it yet.
    pub fn new(device: &Arc<Device>, layout: ShadowLayout) -> Self {
        static MADE: AtomicU64 = AtomicU64::new(1);
        let desc = ImageDesc {
            name: "shadow atlas",
            extent: layout.size(),
            format: vk::Format::D32_SFLOAT,
            usage: vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
                | vk::ImageUsageFlags::SAMPLED
                | vk::ImageUsageFlags::TRANSFER_SRC,
            ..ImageDesc::default()
        };
        Self {
            cascades: Cascades::new(),
            plans: Vec::new(),
            image: Image::new(device, &desc).expect("an atlas"),
            layout,
            revision: MADE.fetch_add(1, Ordering::Relaxed),
        }
    }

    /// How its tiles lie.
    pub fn layout(&self) -> ShadowLayout {
        self.layout
    }

    /// What was drawn last, a plan a cascade.
    pub fn plans(&self) -> &[ViewPlan] {
        &self.plans
    }

    /// What a frame's light is told of it.
    pub fn view(&self) -> TextureView {
        TextureView { view: self.image.view(), revision: self.revision }
    }

    /// Draws what casts around a view, outside a rendering scope, and leaves the atlas to be read.
    pub fn draw(
        &mut self,
        cmd: &Cmd<'_>,
        terrain: &Terrain,
        renderer: &mut Renderer,
        view: &View,
        toward_sun: Vec3,
        settings: &CascadeSettings,
    ) {
        assert_eq!(self.layout, settings.layout, "the atlas is of another layout");
        let Self { cascades, plans, .. } = self;
        cascades.fit(view, toward_sun, settings).expect("cascades");
        terrain.plan_casters_into(plans, cascades.views(), &CasterSettings::default()).expect("casters");
        self.play(cmd, renderer);
    }

    /// Draws what casts into these views, one a tile, outside a rendering scope, and leaves the atlas to be read.
    pub fn draw_views(
        &mut self,
        cmd: &Cmd<'_>,
        terrain: &Terrain,
        renderer: &mut Renderer,
        views: &[View],
        settings: &CasterSettings,
    ) {
        terrain.plan_casters_into(&mut self.plans, views, settings).expect("casters");
        self.play(cmd, renderer);
    }

    fn play(&self, cmd: &Cmd<'_>, renderer: &mut Renderer) {
        let image = &self.image;
        let target = Target::depth_only(image.format(), vk::SampleCountFlags::TYPE_1);
        self.barrier(cmd, Usage::Discard, Usage::DepthTarget);
        let [width, height] = image.extent(0);
        let depth = vk::RenderingAttachmentInfo::default()
            .image_view(image.view())
            .image_layout(Usage::DepthTarget.scope().layout)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE);
        let area = vk::Rect2D { extent: vk::Extent2D { width, height }, ..Default::default() };
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1).depth_attachment(&depth);
        cmd.begin_rendering(&info).expect("dynamic rendering");
        for cascade in &self.plans {
            renderer.draw_caster(cmd, cascade, &target).expect("a caster");
        }
        cmd.end_rendering();
        self.barrier(cmd, Usage::DepthTarget, Usage::FragmentRead);
    }

    /// Copies what was drawn to where [`depth_of`](Self::depth_of) finds it once the frame has completed.
    pub fn copy(&self, cmd: &Cmd<'_>) -> Buffer {
        let [width, height] = self.image.extent(0);
        let desc = BufferDesc {
            name: "shadow atlas, read back",
            size: 4 * u64::from(width) * u64::from(height),
            usage: vk::BufferUsageFlags::TRANSFER_DST,
            location: MemoryLocation::Readback,
        };
        let buffer = Buffer::new(self.image.device(), &desc).expect("a buffer");
        let region = vk::BufferImageCopy::default()
            .image_subresource(self.image.copy_layers(0, 0, 1))
            .image_extent(vk::Extent3D { width, height, depth: 1 });
        self.barrier(cmd, Usage::FragmentRead, Usage::TransferSrc);
        cmd.copy_from_image(&self.image, &buffer, &[region]);
        self.barrier(cmd, Usage::TransferSrc, Usage::FragmentRead);
        let (from, to) = (Usage::TransferDst, Usage::HostRead);
        cmd.barriers(&[], &[BufferBarrier { buffer: &buffer, offset: 0, size: vk::WHOLE_SIZE, from, to }]);
        buffer
    }

    /// The depth that was copied, row by row.
    pub fn depth_of(copy: &Buffer) -> Vec<f32> {
        copy.invalidate(0, copy.size()).expect("what was copied");
        let texels = copy.mapped().expect("mapped memory").chunks_exact(4);
        texels.map(bytemuck::pod_read_unaligned).collect()
    }

    fn barrier(&self, cmd: &Cmd<'_>, from: Usage, to: Usage) {
        let image = &self.image;
        cmd.barriers(&[ImageBarrier { image, range: image.whole(), from, to }], &[]);
    }
}
