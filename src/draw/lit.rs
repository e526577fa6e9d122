//! The lit surface: the ground in the frame's own light. The same patches, lattice and position function as the preview.

use super::light::{FrameLight, LightSlice};
use super::materials::module_slots;
use super::pipeline_cache::{DepthRule, PipelineKey};
use super::renderer::{Reads, Third, grid_shader};
use super::{HostSet, Renderer, Target};
use crate::gpu::Cmd;
use crate::lod::GridSize;
use crate::plan::ViewPlan;
use crate::shaders::ShaderId;
use crate::splat::Splat;
use crate::{Error, Result};
use ash::vk;

/// Colour attachments of a target with split planes: luminance, albedo, normals, specular.
pub const SPLIT_TARGETS: u32 = 4;

impl Renderer {
    /// Draws a view's ground in the frame's light: one `vkCmdDrawIndexed`, as [`Renderer::draw`] is but for what is written.
    ///
    /// A target of one colour gets luminance in cd/m², linear RGB. A target of four is split: luminance without the diffuse light
    /// of the sky; albedo as it is, with the layers' occlusion in alpha; the world's normal, signed, with the roughness in alpha;
    /// and 0.04, what a dielectric reflects head on. Floating point, or for albedo and specular 8 bits, are formats that hold them.
    ///
    /// `light` published `slice` in this frame for the view that was planned, and the atlas in it is in use as
    /// [`Usage::FragmentRead`](crate::gpu::Usage::FragmentRead).
    ///
    /// # Errors
    /// A target of two, three or more than four colours, a slice of another frame, and what [`Renderer::draw`] refuses.
    pub fn draw_lit(
        &mut self,
        cmd: &Cmd<'_>,
        view: &ViewPlan,
        target: &Target,
        light: &FrameLight,
        slice: &LightSlice,
    ) -> Result<()> {
        let front_face = self.baked_front_face(view);
        let key = lit_key(target, view.grid, view.splat, view.has_holes, front_face)?;
        let HostSet { set, offsets } = light.set(slice)?;
        let third = Third { layout: light.set_layout(), set, offsets };
        self.draw_nodes(cmd, c"landform lit surface", view, key, Reads::layers_and(view.splat, third))
    }
}

/// The pipeline that draws the ground in the frame's light.
pub(super) fn lit_key(
    target: &Target,
    grid: GridSize,
    splat: Splat,
    has_holes: bool,
    front_face: vk::FrontFace,
) -> Result<PipelineKey> {
    let split = match target.formats.color_count() {
        1 => false,
        SPLIT_TARGETS => true,
        count => {
            return Err(Error::invalid(
                "lit ground",
                format!(
                    "a target of {count} colours; luminance alone is one, and with the split planes albedo, normals and \
                     specular it is four, all three planes or none"
                ),
            ));
        }
    };
    let fragment = ShaderId::lit_fragment(module_slots(splat), splat.height, split).ok_or_else(|| {
        Error::invalid("layers", format!("no shader is compiled for {} layers", splat.slots))
    })?;
    let vertex = grid_shader(ShaderId::surface_vertex, grid)?;
    let depth = DepthRule::Write;
    let plain = PipelineKey::plain("landform lit surface", vertex, Some(fragment), target, depth, front_face);
    Ok(PipelineKey { has_holes, has_layers: splat.slots > 0, ..plain })
}
