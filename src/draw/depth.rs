//! Depth alone: a prepass, an occluder, a probe's depth.

use super::pipeline_cache::{DepthRule, PipelineKey};
use super::renderer::grid_shader;
use super::{Renderer, Target};
use crate::Result;
use crate::gpu::Cmd;
use crate::plan::ViewPlan;
use crate::shaders::ShaderId;

impl Renderer {
    /// Draws a view's ground into depth alone, placed exactly as [`Renderer::draw`] places it. Where the field has no
    /// hole there is no fragment stage. Inside a rendering scope; colour attachments are left as they are.
    ///
    /// # Errors
    /// A renderer that nothing was uploaded to, or what the device could not make.
    pub fn draw_depth(&mut self, cmd: &Cmd<'_>, view: &ViewPlan, target: &Target) -> Result<()> {
        let key = PipelineKey {
            name: "landform depth",
            vertex: grid_shader(ShaderId::depth_vertex, view.grid)?,
            fragment: view.has_holes.then_some(ShaderId::DepthFragment),
            target: *target,
            has_holes: view.has_holes,
            lines: false,
            cull: true,
            depth: DepthRule::Write,
            front_face: self.baked_front_face(view),
        };
        self.draw_nodes(cmd, c"landform depth", view, key)
    }
}
