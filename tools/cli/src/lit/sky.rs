//! The sky of a clear day over the map, for wherever the sun and the camera are.

use crate::camera::Sun;
use crate::day::night_of;
use crate::stop::Result;
use glam::Vec3;
use landform::light::{Atmosphere, ClearSky, SceneLight, SkyTable};

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
    /// How much of the moon is lit; None for no moon.
    moon: Option<f32>,
    /// The sun and the altitude that both are for.
    filled: Option<(Sun, f64)>,
}

impl Sky {
    pub(super) fn new() -> Result<Self> {
        let (air, table, light) = (ClearSky::new(&air())?, SkyTable::new(), SceneLight::default());
        Ok(Self { air, table, light, moon: Some(1.0), filled: None })
    }

    /// Another moon.
    pub(super) fn set_moon(&mut self, phase: Option<f32>) {
        (self.moon, self.filled) = (phase, None);
    }

    /// How much of the moon is lit.
    pub(super) fn moon(&self) -> Option<f32> {
        self.moon
    }

    /// Follows the sun and the camera's altitude. It takes some milliseconds, and nothing where both are about where they were.
    pub(super) fn follow(&mut self, sun: Sun, altitude: f64) {
        let is_near = |(was, at): (Sun, f64)| {
            was.angle_to(&sun) < SUN_STEP && (at - altitude).abs() < 20.0 + 0.05 * altitude.abs()
        };
        if self.filled.is_some_and(is_near) {
            return;
        }
        let (toward, night) = (sun.toward(), night_of(&sun, self.moon));
        self.air.fill_night(altitude, toward, &night, &mut self.table);
        let albedo = self.air.atmosphere().ground_albedo;
        self.light = SceneLight::of_night_sky(&self.air, altitude, toward, &night, &self.table, albedo);
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
        // The moon is up, and the light is its.
        let lux = sky.light.sun_illuminance.max_element();
        let (night, toward) = (sky.light.ev100(), sky.light.toward_sun);
        assert!(night < noon - 5.0 && lux > 0.0 && lux < 0.3 && toward.y > 0.1, "{night} {lux} {toward}");
        sky.set_moon(None);
        sky.follow(Sun { height: -8.0, ..sun }, 1200.0);
        assert_eq!(sky.light.sun_illuminance, Vec3::ZERO);
    }
}
