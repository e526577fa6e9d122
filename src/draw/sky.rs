//! The preview's sky, for a frame that has none of its own.

use super::pipeline_cache::{DepthRule, PipelineKey};
use super::{Renderer, Target};
use crate::Result;
use crate::abi::SkyConstants;
use crate::gpu::Cmd;
use crate::plan::ViewPlan;
use crate::shaders::ShaderId;
use ash::vk;

impl Renderer {
    /// Draws the preview's sky wherever depth is still at the far plane. After the ground, inside the same scope.
    ///
    /// # Errors
    /// A command buffer of another device, or what the device could not make.
    pub fn draw_sky(&mut self, cmd: &Cmd<'_>, view: &ViewPlan, target: &Target) -> Result<()> {
        let sun = view.constants.sun;
        let constants = SkyConstants {
            ray_from_clip: view.ray_from_clip.to_cols_array_2d(),
            sun: [sun[0], sun[1], sun[2], 0.0],
            horizon: view.constants.sky,
        };
        self.draw_triangle(cmd, c"landform sky", view, sky_key(target), bytemuck::bytes_of(&constants))
    }
}

/// The pipeline that draws the sky.
pub(super) fn sky_key(target: &Target) -> PipelineKey {
    let (vertex, fragment) = (ShaderId::SkyVertex, Some(ShaderId::SkyFragment));
    let front_face = vk::FrontFace::COUNTER_CLOCKWISE;
    PipelineKey::plain("landform sky", vertex, fragment, target, DepthRule::Behind, front_face)
}
