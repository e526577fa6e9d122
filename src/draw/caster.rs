//! The ground as a caster: its depth in a cascade's tile of a shadow atlas.

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
    /// Draws a cascade of [`Terrain::plan_casters_into`](crate::plan::Terrain::plan_casters_into) into its tile of a shadow
    /// atlas: one `vkCmdDrawIndexed` under the cascade's viewport. Inside a rendering scope of depth alone that loads the
    /// atlas, so that what else casts stays: depth is reverse, and compared with `GREATER_OR_EQUAL`. Both faces cast: where the map's
    /// edge cuts a hill the light sees its inside, and would shine through. Nothing is biased here; a bias belongs to where the
    /// map is read. What stands before the near plane is clamped to it.
    /// Where the field has no holes there is no fragment stage; with holes it discards them and nothing else.
    ///
    /// Reads what is resident and no more: before anything was uploaded it draws nothing, quietly, so a pass that is recorded
    /// before the frame's upload casts from the second frame on.
    ///
    /// # Errors
    /// A plan or a command buffer that is not the renderer's, or what the device could not make.
    #[doc(alias = "shadow")]
    pub fn draw_caster(&mut self, cmd: &Cmd<'_>, cascade: &ViewPlan, target: &Target) -> Result<()> {
        if !self.residency().is_drawable() {
            return Ok(());
        }
        let front_face = self.baked_front_face(cascade);
        let key = caster_key(target, cascade.grid, cascade.has_holes, front_face)?;
        self.draw_nodes(cmd, c"landform caster", cascade, key, Reads::GROUND)
    }
}

/// The pipeline that draws a caster.
pub(super) fn caster_key(
    target: &Target,
    grid: GridSize,
    has_holes: bool,
    front_face: vk::FrontFace,
) -> Result<PipelineKey> {
    let vertex = grid_shader(ShaderId::caster_vertex, grid)?;
    let fragment = has_holes.then_some(ShaderId::DepthFragment);
    let plain = PipelineKey::plain("landform caster", vertex, fragment, target, DepthRule::Cast, front_face);
    Ok(PipelineKey { has_holes, ..plain })
}
