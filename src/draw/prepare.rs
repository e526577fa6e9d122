//! Pipelines made ahead, and dropped: what a host does while it loads, or when its targets change.

use super::caster::caster_key;
use super::depth::depth_key;
use super::light::FrameLight;
use super::lit::lit_key;
use super::sky::sky_key;
use super::surface::{Variant, surface_key};
use super::velocity::velocity_key;
use super::{Renderer, Target};
use crate::Result;
use crate::lod::GridSize;
use crate::splat::Splat;
use ash::vk;

impl Renderer {
    /// Makes every pipeline that drawing terrains of this grid and with layers that need `splat`
    /// ([`Splat::of`](crate::splat::Splat::of)) into `target` may need, so that no frame waits for one: depth alone, and
    /// where the target has colour the surface, its diagnostic views, its wireframe where the device draws those, and the
    /// sky; each with and without holes, and for both front faces where the device cannot set it while recording.
    ///
    /// A terrain that has no layers yet and is to get some has two answers of `Splat::of`: prepare both.
    ///
    /// # Errors
    /// What the device could not make; what was made before then is kept.
    pub fn prepare(&mut self, target: &Target, grid: GridSize, splat: Splat) -> Result<()> {
        let in_color = target.formats.color_count() > 0;
        for front_face in self.front_faces() {
            for has_holes in [false, true] {
                self.make_pipeline(depth_key(target, grid, has_holes, front_face)?, None, None)?;
                // Shaded, as a diagnostic view, and in lines, which is one as well.
                let all = [(false, false), (true, false), (true, true)];
                for (has_views, lines) in all.into_iter().filter(|_| in_color) {
                    if !lines || self.fills_lines() {
                        let variant = Variant { has_holes, has_views, lines, front_face };
                        self.make_pipeline(surface_key(target, grid, splat, variant)?, Some(splat), None)?;
                    }
                }
            }
        }
        if in_color { self.make_pipeline(sky_key(target), None, None) } else { Ok(()) }
    }

    /// Makes what [`Renderer::draw_lit`] needs for terrains of this grid and with layers that need `splat` in a target that is split
    /// or not: with and without holes.
    ///
    /// # Errors
    /// A target of two, three or more than four colours, and what the device could not make; what was made before then is kept.
    pub fn prepare_lit(
        &mut self,
        target: &Target,
        grid: GridSize,
        splat: Splat,
        light: &FrameLight,
    ) -> Result<()> {
        for front_face in self.front_faces() {
            for has_holes in [false, true] {
                let key = lit_key(target, grid, splat, has_holes, front_face)?;
                self.make_pipeline(key, Some(splat), Some(light.set_layout()))?;
            }
        }
        Ok(())
    }

    /// Makes what [`Renderer::draw_velocity`] needs for terrains of this grid and a motion plane as `target` describes it.
    ///
    /// # Errors
    /// What the device could not make; what was made before then is kept.
    pub fn prepare_velocity(&mut self, target: &Target, grid: GridSize) -> Result<()> {
        for front_face in self.front_faces() {
            for has_holes in [false, true] {
                self.make_pipeline(velocity_key(target, grid, has_holes, front_face)?, None, None)?;
            }
        }
        Ok(())
    }

    /// Makes what [`Renderer::draw_caster`] needs for terrains of this grid and a shadow atlas as `target` describes it.
    ///
    /// # Errors
    /// What the device could not make; what was made before then is kept.
    pub fn prepare_casters(&mut self, target: &Target, grid: GridSize) -> Result<()> {
        for front_face in self.front_faces() {
            for has_holes in [false, true] {
                self.make_pipeline(caster_key(target, grid, has_holes, front_face)?, None, None)?;
            }
        }
        Ok(())
    }

    /// The front faces that pipelines are made with.
    pub(super) fn front_faces(&self) -> impl Iterator<Item = vk::FrontFace> + use<> {
        let baked = !self.device().has_dynamic_front_face();
        let mirrored = baked.then_some(vk::FrontFace::CLOCKWISE);
        [Some(vk::FrontFace::COUNTER_CLOCKWISE), mirrored].into_iter().flatten()
    }

    /// Drops every pipeline that was made for the formats, or the render pass and subpass, of `target`. For a host that
    /// destroys a render pass: call it before, with a target of each subpass that was drawn into. The pipelines are
    /// destroyed once the frames that use them have completed; drawing into such a target again makes new ones.
    pub fn forget_target(&mut self, target: &Target) {
        self.forget_pipelines(target);
    }
}
