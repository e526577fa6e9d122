//! The surface: the ground in colour. One indexed, instanced call a view.

use super::pipeline_cache::{DepthRule, PipelineKey};
use super::renderer::grid_shader;
use super::{Renderer, Target};
use crate::gpu::Cmd;
use crate::plan::{ViewMode, ViewPlan};
use crate::shaders::ShaderId;
use crate::{Error, Result};

impl Renderer {
    /// Draws a view's ground with the preview's light: one `vkCmdDrawIndexed`. Inside a rendering scope that the host
    /// began with attachments as `target` describes them, depth cleared to 0 (reverse-Z) or holding what was drawn so.
    ///
    /// # Errors
    /// A renderer that nothing was uploaded to, or what the device could not make.
    pub fn draw(&mut self, cmd: &Cmd<'_>, view: &ViewPlan, target: &Target) -> Result<()> {
        let vertex = grid_shader(ShaderId::surface_vertex, view.grid)?;
        let lines = view.mode == ViewMode::Lattice && self.fills_lines();
        let key = PipelineKey {
            name: "landform surface",
            vertex,
            fragment: Some(ShaderId::PreviewFragment),
            target: *target,
            has_holes: view.has_holes,
            lines,
            cull: true,
            depth: DepthRule::Write,
            front_face: self.baked_front_face(view),
        };
        self.draw_nodes(cmd, c"landform surface", view, key)
    }

    /// Draws the view's patches flat and with a constant colour: the baseline that the surface's cost is a ratio of.
    #[doc(hidden)]
    pub fn draw_baseline(&mut self, cmd: &Cmd<'_>, view: &ViewPlan, target: &Target) -> Result<()> {
        let key = PipelineKey {
            name: "landform baseline",
            vertex: grid_shader(ShaderId::baseline_vertex, view.grid)?,
            fragment: Some(ShaderId::BaselineFragment),
            target: *target,
            has_holes: false,
            lines: false,
            cull: true,
            depth: DepthRule::Write,
            front_face: self.baked_front_face(view),
        };
        self.draw_nodes(cmd, c"landform baseline", view, key)
    }

    /// Makes the pipelines that drawing into `target` needs, so that the first frame does not wait for them.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn prepare(&mut self, target: &Target) -> Result<()> {
        for grid in crate::lod::GridSize::ALL {
            let vertex = grid_shader(ShaderId::surface_vertex, grid)?;
            for has_holes in [false, true] {
                let key = PipelineKey {
                    name: "landform surface",
                    vertex,
                    fragment: Some(ShaderId::PreviewFragment),
                    target: *target,
                    has_holes,
                    lines: false,
                    cull: true,
                    depth: DepthRule::Write,
                    front_face: ash::vk::FrontFace::COUNTER_CLOCKWISE,
                };
                self.make_pipeline(key)?;
            }
        }
        Ok(())
    }
}

pub(super) fn nothing_uploaded() -> Error {
    Error::invalid(
        "terrain renderer",
        "a draw before anything was uploaded; call upload with the frame's plan first, outside the rendering scope",
    )
}
