//! Where a terrain stands in the world.

use crate::{Error, Result};
use glam::{DAffine3, DMat3, DQuat, DVec3, Mat4, Quat};

/// A terrain's transform: a translation and a yaw. A heightfield that is tilted or scaled is another heightfield, so
/// neither can be stated.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Placement {
    /// World metres of sample (0, 0) at a height of 0 m.
    pub translation: DVec3,
    /// Turn about +Y in radians, counter-clockwise seen from above.
    pub yaw: f64,
}

impl Placement {
    /// Sample (0, 0) at these world metres, columns to +X and rows to +Z.
    pub fn at(translation: DVec3) -> Self {
        Self { translation, yaw: 0.0 }
    }

    /// The placement that a scene's transform states.
    ///
    /// # Errors
    /// A transform that tilts, scales, mirrors or shears.
    pub fn from_transform(transform: &DAffine3) -> Result<Self> {
        let yaw = f64::atan2(transform.matrix3.x_axis.z, transform.matrix3.x_axis.x);
        let placement = Self { translation: transform.translation, yaw: -yaw };
        let upright = DMat3::from_rotation_y(placement.yaw);
        if !transform.is_finite() || !transform.matrix3.abs_diff_eq(upright, 1e-6) {
            return Err(Error::invalid(
                "terrain transform",
                "a terrain can be moved and turned about the vertical axis only; it was tilted, scaled or mirrored. \
                 Change the spacing or the height range instead of scaling",
            ));
        }
        Ok(placement)
    }

    /// Refuses, with a sentence, a place that is nowhere.
    pub(crate) fn validate(&self) -> Result<()> {
        let finite = self.translation.is_finite() && self.yaw.is_finite();
        if finite && self.translation.abs().max_element() <= 1e15 {
            return Ok(());
        }
        let why = format!("moved to {} and turned by {}; both must be finite", self.translation, self.yaw);
        Err(Error::invalid("terrain transform", why))
    }

    /// World metres → the terrain's own frame.
    pub fn to_terrain(&self, world: DVec3) -> DVec3 {
        self.turn(world - self.translation, -1.0)
    }

    /// The terrain's own frame → world metres.
    pub fn to_world(&self, terrain: DVec3) -> DVec3 {
        self.turn(terrain, 1.0) + self.translation
    }

    /// A direction in the world → the terrain's own frame.
    pub fn direction_to_terrain(&self, world: DVec3) -> DVec3 {
        self.turn(world, -1.0)
    }

    /// A direction in the terrain's own frame → the world.
    pub fn direction_to_world(&self, terrain: DVec3) -> DVec3 {
        self.turn(terrain, 1.0)
    }

    /// Camera-relative terrain metres → camera-relative world metres.
    pub(crate) fn rotation(&self) -> Mat4 {
        if self.yaw == 0.0 { Mat4::IDENTITY } else { Mat4::from_quat(Quat::from_rotation_y(self.yaw as f32)) }
    }

    fn turn(&self, vector: DVec3, sign: f64) -> DVec3 {
        // Exact where there is no yaw, whatever the trigonometry does.
        if self.yaw == 0.0 { vector } else { DQuat::from_rotation_y(sign * self.yaw) * vector }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placement_goes_there_and_back() {
        let placement = Placement { translation: DVec3::new(1e6, 5.0, -2e6), yaw: 0.7 };
        let at = DVec3::new(123.0, 45.0, 678.0);
        assert!(placement.to_terrain(placement.to_world(at)).abs_diff_eq(at, 1e-8));
        let transform =
            DAffine3::from_rotation_translation(DQuat::from_rotation_y(0.7), placement.translation);
        let found = Placement::from_transform(&transform).unwrap();
        assert!((found.yaw - 0.7).abs() < 1e-12 && found.translation == placement.translation);
    }

    #[test]
    fn tilt_and_scale_are_refused() {
        for transform in [
            DAffine3::from_scale(DVec3::splat(2.0)),
            DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0)),
            DAffine3::from_quat(DQuat::from_rotation_x(0.1)),
            DAffine3::from_translation(DVec3::NAN),
        ] {
            let text = Placement::from_transform(&transform).unwrap_err().to_string();
            assert!(text.contains("instead of scaling"), "{text}");
        }
    }
}
