//! What a host's own drawing is given, and the rendering scopes around it.

use super::step::StepUse;
use super::targets::Targets;
use crate::draw::light::{FrameLight, LightSlice};
use crate::draw::scissor::{scissor, viewport};
use crate::draw::target::encoding_of;
use crate::draw::{Target, TextureView};
use crate::frame::{Access, Stage};
use crate::gpu::{Cmd, MOST_COLOR, TargetFormats, aspect};
use crate::plan::View;
use crate::{Error, Result};
use ash::vk;

/// The host's part of a frame: what else is drawn into it. Each does nothing where a host has nothing to draw.
pub trait FrameHost {
    /// Draws a stage of the host's scene, inside a rendering scope of the node's targets.
    ///
    /// # Errors
    /// What the frame is to end with.
    fn draw_stage(&mut self, cmd: &Cmd<'_>, stage: Stage, scope: &PassScope<'_>) -> Result<()> {
        let _ = (cmd, stage, scope);
        Ok(())
    }

    /// Draws the host's casters into a cascade's tile of the atlas, inside a rendering scope of depth alone: reverse-Z, Greater, under
    /// the view's viewport, and without bias.
    ///
    /// # Errors
    /// What the frame is to end with.
    fn draw_casters(&mut self, cmd: &Cmd<'_>, scope: &PassScope<'_>) -> Result<()> {
        let _ = (cmd, scope);
        Ok(())
    }

    /// Records a `Host` node by its name. Outside a rendering scope: the targets that the node clears or writes are in use as
    /// attachments and those that it reads as sampled images, and are so afterwards. Whatever is there of a target that it clears is
    /// gone.
    ///
    /// # Errors
    /// What the frame is to end with.
    fn record(&mut self, cmd: &Cmd<'_>, name: &str, scope: &HostScope<'_>) -> Result<()> {
        let _ = (cmd, name, scope);
        Ok(())
    }
}

/// Nothing else is drawn.
impl FrameHost for () {}

/// A scope that the host draws in.
pub struct PassScope<'a> {
    /// From where: the node's view, or a cascade's. Its viewport is in pixels of the target. Where a [`Resolve`](crate::frame::Resolve)
    /// names the view, `projection` is jittered: what it resolves is drawn with it, and motion is that of `unjittered`.
    pub view: &'a View,
    /// The attachments.
    pub target: Target,
    /// The same view as the last frame drew it, for motion: what stands still has moved from where `last` saw it. Without jitter, as
    /// [`View::unjittered_view_projection`] has it. None in a view's first frame, after a cut, and for casters; nothing moved then.
    pub last: Option<&'a View>,
    /// The frame's light with the shadows of the pass' own atlas, for pipelines that read set 2 as lit ground does:
    /// [`FrameLight::set`] has the set and its offsets. None where the frame has no light, for motion and for casters.
    pub light: Option<(&'a FrameLight, LightSlice)>,
}

impl PassScope<'_> {
    /// Sets viewport 0 and scissor 0 to the view's, and the front face where that is dynamic.
    pub fn set_viewport(&self, cmd: &Cmd<'_>) {
        let limits = cmd.device().limits();
        let most = [limits.max_framebuffer_width, limits.max_framebuffer_height];
        let area = &self.view.viewport;
        cmd.set_viewport(viewport(area, self.view.flip_y), scissor(area, most));
        cmd.set_front_face(self.front_face());
    }

    /// The front face of a mesh whose triangles are counter-clockwise seen from outside: a mirrored view turns them over. For
    /// pipelines of a device on which it is no dynamic state.
    pub fn front_face(&self) -> vk::FrontFace {
        if self.view.keeps_winding() { vk::FrontFace::COUNTER_CLOCKWISE } else { vk::FrontFace::CLOCKWISE }
    }
}

/// What a node of the host's records with.
pub struct HostScope<'a> {
    /// From where, if the node names a view. Its viewport is in pixels of the output. `projection` may be jittered, as a pass' is; what
    /// comes after the resolve is drawn with `unjittered`.
    pub view: Option<&'a View>,
    pub(super) uses: &'a [StepUse],
    pub(super) names: &'a [crate::frame::TargetDesc],
    pub(super) targets: &'a Targets,
}

/// A target of a node of the host's.
#[derive(Clone, Copy, Debug)]
pub struct HostTarget {
    /// The image.
    pub image: vk::Image,
    /// The view of all of it.
    pub view: TextureView,
    /// What a texel is.
    pub format: vk::Format,
    /// Texels across and down.
    pub extent: [u32; 2],
}

impl HostScope<'_> {
    /// The first target that the node names, of those that it clears, then writes, then reads.
    pub fn first(&self) -> Option<HostTarget> {
        Some(self.described(self.uses.first()?))
    }

    /// A target that the node names.
    pub fn target(&self, name: &str) -> Option<HostTarget> {
        let is = |used: &&StepUse| match used.target.checked_sub(1) {
            None => name == crate::frame::OUTPUT,
            Some(at) => self.names[at].name == name,
        };
        Some(self.described(self.uses.iter().find(is)?))
    }

    fn described(&self, used: &StepUse) -> HostTarget {
        let image = self.targets.get(used.target);
        let (image, view, format, extent) = (image.image, image.view, image.format, image.extent);
        HostTarget { image, view, format, extent }
    }
}

/// A rendering scope's attachments, from what a node does to its targets.
#[derive(Default)]
pub(super) struct Scope {
    color: [vk::RenderingAttachmentInfo<'static>; MOST_COLOR],
    formats: [vk::Format; MOST_COLOR],
    color_count: usize,
    depth: Option<vk::RenderingAttachmentInfo<'static>>,
    depth_format: vk::Format,
    /// Pixels of the attachments.
    pub(super) extent: [u32; 2],
}

impl Scope {
    /// The scope of these uses; what is sampled has no part in it.
    ///
    /// # Errors
    /// Attachments of different sizes, with the fields that name them.
    pub(super) fn of(uses: impl Iterator<Item = StepUse>, targets: &Targets) -> Result<Self> {
        let mut scope = Self::default();
        let mut first: Option<&'static str> = None;
        for used in uses.filter(|used| !used.access.samples()) {
            let image = targets.get(used.target);
            if let Some(first) = first.filter(|_| scope.extent != image.extent) {
                let ([w, h], [x, y]) = (scope.extent, image.extent);
                let field = used.field;
                let why = format!("its {first} is {w}×{h} and its {field} {x}×{y}; give them one size");
                return Err(Error::invalid("frame", why));
            }
            first.get_or_insert(used.field);
            scope.extent = image.extent;
            let is_depth = aspect(image.format) != vk::ImageAspectFlags::COLOR;
            // Zero is far to reverse depth, dark to luminance, nothing to normals and still to motion.
            let load = match used.access {
                Access::Clear => vk::AttachmentLoadOp::CLEAR,
                _ => vk::AttachmentLoadOp::LOAD,
            };
            let attachment = attachment(image.view.view, load, is_depth);
            if is_depth {
                (scope.depth, scope.depth_format) = (Some(attachment), image.format);
            } else if scope.color_count < MOST_COLOR {
                scope.color[scope.color_count] = attachment;
                scope.formats[scope.color_count] = image.format;
                scope.color_count += 1;
            } else {
                let why = format!("more than {MOST_COLOR} colours; a node writes up to {MOST_COLOR}");
                return Err(Error::invalid("frame", why));
            }
        }
        Ok(scope)
    }

    /// The scope of one colour of which nothing is kept, and all that is drawn is read.
    pub(super) fn of_color(view: vk::ImageView, format: vk::Format, extent: [u32; 2]) -> Self {
        let mut scope = Self { color_count: 1, extent, ..Self::default() };
        scope.color[0] = attachment(view, vk::AttachmentLoadOp::DONT_CARE, false);
        scope.formats[0] = format;
        scope
    }

    /// What a pipeline is told of it.
    pub(super) fn target(&self) -> Target {
        Target {
            formats: TargetFormats::Dynamic {
                color: self.formats,
                color_count: self.color_count as u32,
                depth: self.depth_format,
                stencil: vk::Format::UNDEFINED,
            },
            samples: vk::SampleCountFlags::TYPE_1,
            encoding: encoding_of(self.formats[0]),
        }
    }

    /// The format of the first colour.
    pub(super) fn first_format(&self) -> vk::Format {
        self.formats[0]
    }

    /// Begins it.
    pub(super) fn begin(&self, cmd: &Cmd<'_>) -> Result<()> {
        let [width, height] = self.extent;
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent: vk::Extent2D { width, height } };
        let info = vk::RenderingInfo::default()
            .render_area(area)
            .layer_count(1)
            .color_attachments(&self.color[..self.color_count]);
        match &self.depth {
            Some(depth) => cmd.begin_rendering(&info.depth_attachment(depth)),
            None => cmd.begin_rendering(&info),
        }
    }
}

fn attachment(
    view: vk::ImageView,
    load: vk::AttachmentLoadOp,
    is_depth: bool,
) -> vk::RenderingAttachmentInfo<'static> {
    let layout = if is_depth {
        vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL
    } else {
        vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL
    };
    vk::RenderingAttachmentInfo::default()
        .image_view(view)
        .image_layout(layout)
        .load_op(load)
        .store_op(vk::AttachmentStoreOp::STORE)
}

/// A view of the output as a target of another size has it.
pub(super) fn scaled(view: &View, output: [u32; 2], target: [u32; 2]) -> View {
    if output == target {
        return *view;
    }
    let across = target[0] as f32 / output[0] as f32;
    let down = target[1] as f32 / output[1] as f32;
    let mut view = *view;
    let area = &mut view.viewport;
    (area.x, area.width) = (area.x * across, area.width * across);
    (area.y, area.height) = (area.y * down, area.height * down);
    view
}
