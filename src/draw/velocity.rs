//! Motion: where the ground's pixels were in the last frame.

use super::pipeline_cache::{DepthRule, PipelineKey};
use super::renderer::{Reads, grid_shader};
use super::{Renderer, Target};
use crate::Result;
use crate::gpu::Cmd;
use crate::lod::GridSize;
use crate::plan::ViewPlan;
use crate::shaders::ShaderId;
use ash::vk;

impl Renderer {
    /// Draws the motion of a view's ground since the last frame into a target of two channels, `R16G16_SFLOAT` as a rule:
    /// one `vkCmdDrawIndexed`. Inside a rendering scope that loads the depth that [`Renderer::draw`] or
    /// [`Renderer::draw_depth`] wrote of the same plan, and a motion plane that the frame has cleared before; depth is
    /// compared with `GREATER_OR_EQUAL` and not written, so it may be bound read-only.
    ///
    /// Motion is in parts of the viewport, x to the right and y down, without the jitter of either frame: what is at `uv`
    /// was at `uv - motion`. A pixel's place of the map is taken where the last frame drew it: at the height that its level
    /// of detail gave it, under its camera and its placement of the terrain. What lay behind the last frame's camera has a
    /// motion of 4, which is outside of any picture. In a view's first frame, after a cut
    /// ([`View::cut`](crate::plan::View::cut)) and after a frame that did not plan it, motion is 0. Ground that was sculpted
    /// since the last frame is taken as it is now.
    ///
    /// # Errors
    /// A renderer that nothing was uploaded to, a plan or a command buffer that is not the renderer's, or what the device
    /// could not make.
    #[doc(alias = "motion vectors")]
    pub fn draw_velocity(&mut self, cmd: &Cmd<'_>, view: &ViewPlan, target: &Target) -> Result<()> {
        let front_face = self.baked_front_face(view);
        let key = velocity_key(target, view.grid, view.has_holes, front_face)?;
        self.draw_nodes(cmd, c"landform velocity", view, key, Reads::GROUND)
    }
}

/// The pipeline that draws motion.
pub(super) fn velocity_key(
    target: &Target,
    grid: GridSize,
    has_holes: bool,
    front_face: vk::FrontFace,
) -> Result<PipelineKey> {
    let vertex = grid_shader(ShaderId::velocity_vertex, grid)?;
    let fragment = Some(ShaderId::VelocityFragment);
    let plain =
        PipelineKey::plain("landform velocity", vertex, fragment, target, DepthRule::Over, front_face);
    Ok(PipelineKey { has_holes, ..plain })
}
