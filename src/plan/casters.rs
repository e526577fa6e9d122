//! What casts into a cascade.

use super::constants::view_constants;
use super::{Terrain, View, ViewMode, ViewPlan};
use crate::abi::MaterialConstants;
use crate::lod::{Frustum, LodGeometry, LodRanges, SelectInput, select};
use crate::splat::Splat;
use crate::{Error, Result};
use bytemuck::Zeroable;
use glam::Mat4;

/// How finely the ground casts.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct CasterSettings {
    /// The most patches that a cascade draws, 1 to 256. What needs more is drawn a level coarser.
    pub most_patches: u32,
    /// Texels of the shadow map that a quad of the caster may cover, as far as the patches reach; above 0.
    pub texels_a_quad: f32,
    /// Mips finer than the caster's own level that its heights are read at. Mips hold the highest of their samples: at their own
    /// level they stand above the ground that receives, and darken it.
    pub finer_heights: f32,
}

impl Default for CasterSettings {
    fn default() -> Self {
        Self { most_patches: 256, texels_a_quad: 2.0, finer_heights: 20.0 }
    }
}

impl CasterSettings {
    fn validate(&self) -> Result<()> {
        let refuse = |why: String| Err(Error::invalid("shadow casters", why));
        if !(1..=256).contains(&self.most_patches) {
            return refuse(format!("{} patches a cascade; use 1 to 256", self.most_patches));
        }
        if !(self.texels_a_quad > 0.0 && self.texels_a_quad.is_finite()) {
            return refuse(format!(
                "{} texels a quad; use a number above 0, for instance 2",
                self.texels_a_quad
            ));
        }
        if !(self.finer_heights >= 0.0 && self.finer_heights.is_finite()) {
            return refuse(format!("heights {} mips finer; use 0 or more", self.finer_heights));
        }
        Ok(())
    }
}

impl Terrain {
    /// What casts into each of the sun's cascades: one plan a cascade, for
    /// [`Renderer::draw_caster`](../draw/struct.Renderer.html#method.draw_caster).
    ///
    /// A cascade is an orthographic view along the light, reverse-Z, whose viewport is its tile of the atlas. The ground
    /// casts at one level of detail a cascade, so that it has no crack and no morph and does not change while the camera
    /// turns: the finest that [`CasterSettings`] ask for and that the patches reach. Patches are culled by the
    /// cascade's sides and its far plane: what stands between it and the light is kept, behind the camera as well.
    ///
    /// `casters` is used again: a steady frame allocates nothing. No frame of another view is begun or remembered.
    ///
    /// # Errors
    /// A cascade that is no orthographic view or cannot be drawn, or settings out of range, with a sentence. `casters` is as it
    /// was then.
    #[doc(alias("shadow", "cascade"))]
    pub fn plan_casters_into(
        &self,
        casters: &mut Vec<ViewPlan>,
        cascades: &[View],
        settings: &CasterSettings,
    ) -> Result<()> {
        settings.validate()?;
        for cascade in cascades {
            cascade.validate()?;
            if !cascade.is_orthographic() {
                return Err(Error::invalid(
                    "shadow casters",
                    "a cascade with a perspective; the sun's cascades are orthographic views along its light",
                ));
            }
        }
        casters.truncate(cascades.len());
        for (index, cascade) in cascades.iter().enumerate() {
            let nodes = casters.get_mut(index).map(|old| std::mem::take(&mut old.nodes)).unwrap_or_default();
            let planned = self.plan_caster(cascade, settings, nodes);
            match casters.get_mut(index) {
                Some(slot) => *slot = planned,
                None => casters.push(planned),
            }
        }
        Ok(())
    }

    fn plan_caster(
        &self,
        cascade: &View,
        settings: &CasterSettings,
        mut nodes: Vec<crate::abi::NodeRecord>,
    ) -> ViewPlan {
        let placement = &self.settings().placement;
        let geometry = &LodGeometry::new(self.field().desc(), self.settings().grid);
        let camera = placement.to_terrain(cascade.position);
        let matrix = cascade.projection * Mat4::from_quat(cascade.rotation.inverse()) * placement.rotation();
        let frustum = Frustum::swept(&matrix);
        let top = geometry.levels - 1;
        let quads =
            f64::from(settings.texels_a_quad) / (cascade.pixels_a_metre() * geometry.spacing.max_element());
        let mut level = (quads.log2().floor().max(0.0) as u32).min(top);
        loop {
            let ranges = LodRanges::uniform(geometry, level);
            let input = SelectInput::new(self.field(), self.settings().grid, &ranges, camera, &frustum);
            let stats = select(&input, &mut nodes);
            if nodes.len() as u32 > settings.most_patches && level < top {
                level += 1;
                continue;
            }
            let mut constants = view_constants(self.field(), &input, camera, &matrix);
            constants.spacing[3] = settings.finer_heights;
            return ViewPlan {
                id: super::terrain::next_plan_id(),
                nodes,
                constants,
                grid: self.settings().grid,
                viewport: cascade.viewport,
                flip_y: cascade.flip_y,
                keeps_winding: cascade.keeps_winding(),
                mode: ViewMode::Shaded,
                splat: Splat { slots: 0, height: false },
                material: MaterialConstants::zeroed(),
                has_holes: self.field().holes().count() > 0,
                ray_from_clip: matrix.inverse(),
                stats,
                near: f64::INFINITY,
                near_raised: false,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Field, FieldDesc};
    use crate::plan::{TerrainSettings, Viewport};
    use glam::camera::rh::proj::directx;
    use glam::{DVec3, Quat, Vec3};

    fn terrain() -> Terrain {
        Terrain::new(Field::new(FieldDesc::new(1025, 1025)).unwrap(), TerrainSettings::default()).unwrap()
    }

    /// A square of this many metres across a light that falls at 45° from the west.
    fn cascade(half: f32, texels: u32) -> View {
        let light = Vec3::new(1.0, -1.0, 0.0).normalize();
        let projection = directx::orthographic(-half, half, -half, half, 2000.0, 0.0);
        let position = DVec3::new(512.0, 0.0, 512.0) - 1000.0 * light.as_dvec3();
        let rotation = Quat::from_rotation_arc(Vec3::NEG_Z, light);
        View::with_projection(position, rotation, projection, Viewport::whole(texels, texels))
    }

    fn planned(cascade: View, settings: &CasterSettings) -> ViewPlan {
        let mut casters = Vec::new();
        terrain().plan_casters_into(&mut casters, &[cascade], settings).unwrap();
        casters.remove(0)
    }

    #[test]
    fn a_cascade_has_one_level_and_no_more_patches_than_it_may() {
        for (half, most) in [(20.0, 256), (400.0, 256), (400.0, 20), (2000.0, 1), (2000.0, 256)] {
            let settings = CasterSettings { most_patches: most, ..CasterSettings::default() };
            let plan = planned(cascade(half, 1024), &settings);
            let level = plan.nodes[0].level();
            assert!(plan.nodes.iter().all(|node| node.level() == level));
            assert!(plan.nodes.len() <= most as usize, "{} patches of {most}", plan.nodes.len());
            // Morphs of that level are 0 wherever the light stands.
            assert_eq!(plan.constants.bands[usize::from(level.0)], crate::abi::MorphBand::NEVER);
        }
    }

    #[test]
    fn a_coarse_map_is_cast_on_coarsely() {
        let level = |texels| planned(cascade(500.0, texels), &CasterSettings::default()).nodes[0].level().0;
        assert!(level(64) > level(256), "quads of two texels are enough");
        assert!(level(256) >= level(2048));
    }

    #[test]
    fn what_stands_toward_the_light_is_kept() {
        // Ground that is 1000 m toward the light from what the cascade sees, and before its near plane.
        let mut cascade = cascade(100.0, 1024);
        cascade.position = DVec3::new(900.0, 0.0, 512.0);
        let plan = planned(cascade, &CasterSettings::default());
        let west = plan.nodes.iter().map(|node| node.origin[0]).fold(f32::MAX, f32::min);
        assert!(west < 900.0, "{west}");
        let seen = |x: f32| plan.nodes.iter().any(|node| (node.origin[0] - x).abs() < 64.0);
        assert!(seen(800.0) && !seen(100.0));
    }

    #[test]
    fn what_casts_nothing_is_refused_with_a_sentence() {
        let mut casters = vec![planned(cascade(20.0, 512), &CasterSettings::default())];
        let mut refused = |view: View, settings: CasterSettings| {
            let why = terrain().plan_casters_into(&mut casters, &[view], &settings).unwrap_err().to_string();
            assert_eq!(casters.len(), 1);
            why
        };
        let usual = CasterSettings::default();
        let eye = View::perspective(DVec3::ZERO, Quat::IDENTITY, 1.0, 0.1, Viewport::whole(64, 64));
        assert!(refused(eye, usual).contains("orthographic"));
        for settings in [
            CasterSettings { most_patches: 0, ..usual },
            CasterSettings { most_patches: 257, ..usual },
            CasterSettings { texels_a_quad: 0.0, ..usual },
            CasterSettings { texels_a_quad: f32::NAN, ..usual },
            CasterSettings { finer_heights: -1.0, ..usual },
        ] {
            assert!(refused(cascade(20.0, 512), settings).contains("use"));
        }
    }
}
