//! The surface: the ground in colour. One indexed, instanced call a view.

use super::materials::module_slots;
use super::pipeline_cache::{DepthRule, PipelineKey};
use super::renderer::{Reads, grid_shader};
use super::{Renderer, Target};
use crate::gpu::Cmd;
use crate::lod::GridSize;
use crate::plan::{ViewMode, ViewPlan};
use crate::shaders::ShaderId;
use crate::splat::Splat;
use crate::{Error, Result};
use ash::vk;

impl Renderer {
    /// Draws a view's ground with the preview's light: one `vkCmdDrawIndexed`. Inside a rendering scope that the host
    /// began with attachments as `target` describes them, depth cleared to 0 (reverse-Z) or holding what was drawn so.
    ///
    /// Depth is compared with `GREATER_OR_EQUAL`: over what [`Renderer::draw_depth`] put there of the same plan, all that
    /// is not hidden is drawn.
    ///
    /// # Errors
    /// A renderer that nothing was uploaded to, a plan or a command buffer that is not the renderer's, or what the device
    /// could not make.
    pub fn draw(&mut self, cmd: &Cmd<'_>, view: &ViewPlan, target: &Target) -> Result<()> {
        let lines = view.mode == ViewMode::Lattice && self.fills_lines();
        let front_face = self.baked_front_face(view);
        let has_views = view.mode != ViewMode::Shaded;
        let variant = Variant { has_holes: view.has_holes, has_views, lines, front_face };
        let key = surface_key(target, view.grid, view.splat, variant)?;
        self.draw_nodes(cmd, c"landform surface", view, key, Reads::layers(view.splat))
    }

    /// Draws the view's patches flat and with a constant colour: the baseline that the surface's cost is a ratio of.
    #[doc(hidden)]
    pub fn draw_baseline(&mut self, cmd: &Cmd<'_>, view: &ViewPlan, target: &Target) -> Result<()> {
        let vertex = grid_shader(ShaderId::baseline_vertex, view.grid)?;
        let (fragment, front_face) = (Some(ShaderId::BaselineFragment), self.baked_front_face(view));
        let depth = DepthRule::Write;
        let key = PipelineKey::plain("landform baseline", vertex, fragment, target, depth, front_face);
        self.draw_nodes(cmd, c"landform baseline", view, key, Reads::GROUND)
    }
}

/// What else tells the pipelines apart that draw one terrain into one target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Variant {
    pub(super) has_holes: bool,
    pub(super) has_views: bool,
    pub(super) lines: bool,
    pub(super) front_face: vk::FrontFace,
}

/// The pipeline that draws the ground in colour.
pub(super) fn surface_key(
    target: &Target,
    grid: GridSize,
    splat: Splat,
    variant: Variant,
) -> Result<PipelineKey> {
    let Variant { has_holes, has_views, lines, front_face } = variant;
    let fragment = ShaderId::preview_fragment(module_slots(splat), splat.height).ok_or_else(|| {
        Error::invalid("layers", format!("no shader is compiled for {} layers", splat.slots))
    })?;
    let vertex = grid_shader(ShaderId::surface_vertex, grid)?;
    let depth = DepthRule::Write;
    let plain = PipelineKey::plain("landform surface", vertex, Some(fragment), target, depth, front_face);
    Ok(PipelineKey { has_holes, has_layers: splat.slots > 0, has_views, lines, ..plain })
}
