//! Depth alone: a prepass, an occluder, a probe's depth.

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
    /// Draws a view's ground into depth alone, placed exactly as [`Renderer::draw`] places it. Where the field has no
    /// hole there is no fragment stage. Inside a rendering scope; colour attachments are left as they are.
    ///
    /// [`Renderer::draw`] of the same plan into the same depth then draws the ground as if it were alone.
    ///
    /// # Errors
    /// A renderer that nothing was uploaded to, a plan or a command buffer that is not the renderer's, or what the device could not make.
    pub fn draw_depth(&mut self, cmd: &Cmd<'_>, view: &ViewPlan, target: &Target) -> Result<()> {
        let front_face = self.baked_front_face(view);
        let key = depth_key(target, view.grid, view.has_holes, front_face)?;
        self.draw_nodes(cmd, c"landform depth", view, key, Reads::GROUND)
    }
}

/// The pipeline that draws depth alone.
pub(super) fn depth_key(
    target: &Target,
    grid: GridSize,
    has_holes: bool,
    front_face: vk::FrontFace,
) -> Result<PipelineKey> {
    let vertex = grid_shader(ShaderId::depth_vertex, grid)?;
    let fragment = has_holes.then_some(ShaderId::DepthFragment);
    let plain = PipelineKey::plain("landform depth", vertex, fragment, target, DepthRule::Write, front_face);
    Ok(PipelineKey { has_holes, ..plain })
}
