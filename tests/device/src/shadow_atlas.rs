//! An atlas of the sun's cascades, as an engine would own it.

use ash::vk;
use glam::Vec3;
use landform::draw::{Renderer, Target, TextureView};
use landform::frame::ShadowLayout;
use landform::gpu::{Cmd, Device, Image, ImageBarrier, ImageDesc, Usage};
use landform::light::{CascadeSettings, Cascades};
use landform::plan::{CasterSettings, Terrain, View, ViewPlan};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// An image of depth, and the cascades that were drawn into it last.
pub struct ShadowAtlas {
    /// The cascades.
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
            usage: vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT | vk::ImageUsageFlags::SAMPLED,
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
        let Self { cascades, plans, image, .. } = self;
        cascades.fit(view, toward_sun, settings).expect("cascades");
        terrain.plan_casters_into(plans, cascades.views(), &CasterSettings::default()).expect("casters");
        let target = Target::depth_only(image.format(), vk::SampleCountFlags::TYPE_1);
        let barrier = |from, to| ImageBarrier { image, range: image.whole(), from, to };
        cmd.barriers(&[barrier(Usage::Discard, Usage::DepthTarget)], &[]);
        let [width, height] = image.extent(0);
        let depth = vk::RenderingAttachmentInfo::default()
            .image_view(image.view())
            .image_layout(Usage::DepthTarget.scope().layout)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE);
        let area = vk::Rect2D { extent: vk::Extent2D { width, height }, ..Default::default() };
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1).depth_attachment(&depth);
        cmd.begin_rendering(&info).expect("dynamic rendering");
        for cascade in &*plans {
            renderer.draw_caster(cmd, cascade, &target).expect("a caster");
        }
        cmd.end_rendering();
        cmd.barriers(&[barrier(Usage::DepthTarget, Usage::FragmentRead)], &[]);
    }
}
