//! The sky of a clear day over the map, for wherever the sun and the camera are.

use crate::camera::Sun;
use crate::stop::Result;
use glam::Vec3;
use landform::light::{Atmosphere, ClearSky, Harmonics, SceneLight, SkyTable};
use std::f32::consts::PI;

/// How far the sun may move, in degrees, before light and shadows follow: less than a tenth of its disc.
const SUN_STEP: f64 = 0.05;

/// The air of a clear day in May, which a little haze makes a landscape of, over meadows and rock.
fn air() -> Atmosphere {
    Atmosphere { haze: 1.5, ground_albedo: Vec3::new(0.17, 0.18, 0.12), ..Atmosphere::default() }
}

/// What lights the ground, and what the sky is drawn from.
pub(super) struct Sky {
    air: ClearSky,
    pub(super) table: SkyTable,
    pub(super) light: SceneLight,
    /// The sun and the altitude that both are for.
    filled: Option<(Sun, f64)>,
}

impl Sky {
    pub(super) fn new() -> Result<Self> {
        let (air, table, light) = (ClearSky::new(&air())?, SkyTable::new(), SceneLight::default());
        Ok(Self { air, table, light, filled: None })
    }

    /// Follows the sun and the camera's altitude. It takes some milliseconds, and nothing where both are about where they were.
    pub(super) fn follow(&mut self, sun: Sun, altitude: f64) {
        let is_near = |(was, at): (Sun, f64)| {
            was.angle_to(&sun) < SUN_STEP && (at - altitude).abs() < 20.0 + 0.05 * altitude.abs()
        };
        if self.filled.is_some_and(is_near) {
            return;
        }
        let toward = sun.toward();
        self.air.fill(altitude, toward, &mut self.table);
        let ground = self.air.ground_illuminance(toward) * self.air.atmosphere().ground_albedo / PI;
        self.light = SceneLight {
            toward_sun: toward,
            sun_illuminance: self.air.sun_illuminance(altitude, toward),
            sky: Harmonics::of_sky(&self.table, ground),
            haze: self.air.extinction(altitude),
            ..SceneLight::default()
        };
        self.filled = Some((sun, altitude));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_filled_again_when_the_sun_has_moved() {
        let mut sky = Sky::new().unwrap();
        let sun = Sun { yaw: 250.0, height: 30.0 };
        sky.follow(sun, 800.0);
        let first = sky.table.revision();
        sky.follow(Sun { height: 30.02, ..sun }, 810.0);
        assert_eq!(sky.table.revision(), first, "neither is far from where it was");
        sky.follow(Sun { height: 30.2, ..sun }, 810.0);
        let second = sky.table.revision();
        sky.follow(Sun { height: 30.2, ..sun }, 1200.0);
        assert!(second != first && sky.table.revision() != second);
        let noon = sky.light.ev100();
        sky.follow(Sun { height: -8.0, ..sun }, 1200.0);
        assert!(sky.light.ev100() < noon - 5.0 && sky.light.sun_illuminance == Vec3::ZERO);
    }
}
