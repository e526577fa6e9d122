//! A night: a moon, the glow of the air, and where the stars are. All of it is photometric, so nothing is turned on at dusk: it is
//! there by day as well, and the day outshines it.

use super::{Harmonics, luminance};
use crate::abi::LightConstants;
use glam::{Mat3, Quat, Vec3};
use std::f32::consts::{FRAC_PI_2, TAU};

/// The moon's radius as it is seen from the ground, radians: 0.26 degrees.
pub const MOON_RADIUS: f32 = 0.004_538;

/// Luminance of a moonless sky between the stars, far from cities, in cd/m²: what the high air sends out by itself, and what cannot be
/// told from it, the zodiacal light and stars too faint to be seen (Leinert et al. 1998, *The 1997 reference of diffuse night sky
/// brightness*, Astronomy and Astrophysics Supplement 127).
pub const AIRGLOW: f32 = 2e-4;

/// Illuminance of a full moon above the air, in lux.
const FULL: f32 = 0.267;

/// Its colour at a luminance of 1: sunlight from dark rock, which reddens it (B − V is 0.92, the sun's 0.65).
const COLOUR: Vec3 = Vec3::new(1.09, 0.99, 0.82);

/// Lux of the sky on level ground above which no stars are drawn: with the sun on the horizon there are fewer. The brightest star would be
/// a hundredth of such a sky in a pixel of a twentieth of a degree.
const STARLESS: f32 = 1500.0;

/// The moon.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moon {
    /// Toward it, in the world; any length but 0.
    pub toward: Vec3,
    /// How much of its disc is lit: 0 new, 0.5 half, 1 full. What is outside is taken as the nearest of them.
    pub phase: f32,
}

impl Moon {
    /// A full moon.
    pub fn full(toward: Vec3) -> Self {
        Self { toward, phase: 1.0 }
    }

    /// Illuminance above the air of a surface that faces it, in lux, as linear RGB: 0.267 at full moon, a tenth of that at half moon.
    ///
    /// It falls with the angle α between sun and earth, as the moon has it, as 10^(−0.4 (0.026 |α| + 4·10⁻⁹ α⁴)), in degrees (Krisciunas and
    /// Schaefer 1991, *A model of the brightness of moonlight*, Publications of the Astronomical Society of the Pacific 103, after
    /// Allen). The 75 microlux of this at new moon are what the earth lights of it.
    pub fn illuminance(&self) -> Vec3 {
        COLOUR * (FULL * dimmed(self.phase))
    }

    /// Luminance of the part of the disc that the sun lights over the disc's illuminance, and how much of that luminance the rest has.
    /// Both parts are even: the moon has no dark limb. Over the disc it adds up to the illuminance.
    fn discs(&self) -> (f32, f32) {
        let lit = self.phase.clamp(1e-4, 1.0);
        let (all, earth) = (dimmed(self.phase), dimmed(0.0));
        let area = TAU * (1.0 - MOON_RADIUS.cos());
        let earthshine = earth / area;
        let bright = (all - earth * (1.0 - lit)).max(earth * lit) / (area * lit);
        (bright / all, (earthshine / bright).min(1.0))
    }
}

/// How much of a full moon's light one of this lit part has.
fn dimmed(phase: f32) -> f32 {
    let degrees = phase_cosine(phase).acos().to_degrees();
    10f32.powf(-0.4 * (0.026 * degrees + 4e-9 * degrees.powi(4)))
}

/// The cosine of the angle between sun and earth as the moon has it. Not a number is a new moon.
fn phase_cosine(phase: f32) -> f32 {
    2.0 * if phase > 0.0 { phase.min(1.0) } else { 0.0 } - 1.0
}

/// What there is at night beside the sun's last light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Night {
    /// The moon, above the horizon or not.
    pub moon: Option<Moon>,
    /// Luminance of the sky between the stars in cd/m², 0 to 1; [`AIRGLOW`] far from cities, a hundred times that in one.
    pub airglow: f32,
    /// Where the stars are: a turn from the celestial sphere, whose y goes to the pole, into the world; [`Night::celestial`] makes it.
    /// None for none.
    pub stars: Option<Quat>,
}

impl Default for Night {
    /// A dark sky with stars, as at 45° north, and no moon.
    fn default() -> Self {
        Self { moon: None, airglow: AIRGLOW, stars: Some(Self::celestial(45f32.to_radians(), 0.0)) }
    }
}

impl Night {
    /// The turn of the celestial sphere at a latitude, north above 0, by a sidereal angle, both in radians: once around in 23 hours and
    /// 56 minutes. North is −z, east is x.
    pub fn celestial(latitude: f32, sidereal: f32) -> Quat {
        Quat::from_rotation_x(latitude - FRAC_PI_2) * Quat::from_rotation_y(-sidereal)
    }
}

/// What a view draws of a night: a part of [`SceneLight`](super::SceneLight), which is made with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NightLight {
    /// The disc of the moon, if any.
    pub moon: Option<MoonLight>,
    /// Whether the scene's key light, its `toward_sun` and `sun_illuminance`, is the moon's: then no sun is drawn.
    pub moon_is_key: bool,
    /// The stars, if any.
    pub stars: Option<StarLight>,
}

/// The moon as it is seen through the air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoonLight {
    /// The moon.
    pub moon: Moon,
    /// Lux that arrive from it, linear RGB.
    pub illuminance: Vec3,
    /// Toward the sun, above the horizon or not: its side of the moon is lit.
    pub toward_sun: Vec3,
}

/// The stars as they are seen through the air. They are those of [`stars`](super::stars()).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StarLight {
    /// From the celestial sphere into the world.
    pub turn: Quat,
    /// Optical depth of the air overhead, linear RGB.
    pub depth: Vec3,
}

impl NightLight {
    /// Writes its part of a view's constants. Under a bright sky stars are left out.
    pub(super) fn write(&self, constants: &mut LightConstants, sky: &Harmonics) {
        if self.moon_is_key {
            constants.sun_illuminance[3] = 0.0;
        }
        if let Some(light) = self.moon.filter(|light| light.illuminance.max_element() > 0.0) {
            light.write(constants);
        }
        let lux = luminance(sky.irradiance(Vec3::Y));
        if let Some(stars) = self.stars.filter(|_| lux < STARLESS) {
            constants.night[3] = 1.0;
            let rows = Mat3::from_quat(stars.turn.normalize()).to_cols_array_2d();
            for ((to, row), depth) in constants.star_rows.iter_mut().zip(rows).zip(stars.depth.to_array()) {
                // Columns of the turn into the world are the rows of the way back.
                *to = [row[0], row[1], row[2], depth];
            }
        }
    }

    /// What of it is no light.
    pub(super) fn refusal(&self) -> Option<String> {
        let moon = self.moon.filter(|light| {
            let (toward, lux) = (light.moon.toward, light.illuminance);
            let seen = toward.is_finite() && toward.length_squared() > 1e-12 && light.toward_sun.is_finite();
            !(seen
                && lux.is_finite()
                && (0.0..=1000.0).contains(&lux.min_element())
                && lux.max_element() <= 1000.0)
        });
        if let Some(MoonLight { moon, illuminance, .. }) = moon {
            let toward = moon.toward;
            return Some(format!(
                "a moon toward {toward} of {illuminance} lx; use a finite direction that is not 0, and 0 to 1000 lx"
            ));
        }
        let stars = self.stars.filter(|stars| {
            let turns = stars.turn.is_finite() && stars.turn.length_squared() > 1e-6;
            !(turns && stars.depth.is_finite() && stars.depth.min_element() >= 0.0)
        });
        stars.map(|StarLight { turn, depth }| {
            format!(
                "stars turned by {turn} under air of a depth of {depth}; use a rotation, and depths from 0"
            )
        })
    }
}

impl MoonLight {
    fn write(&self, constants: &mut LightConstants) {
        let toward = self.moon.toward.normalize();
        let across = self.toward_sun - toward * self.toward_sun.dot(toward);
        // A full moon has its light from behind the camera, and no side.
        let side = across.try_normalize().unwrap_or_else(|| toward.any_orthonormal_vector());
        let (bright, rest) = self.moon.discs();
        constants.toward_moon = toward.extend(1.0 / MOON_RADIUS.sin()).to_array();
        constants.moon = (self.illuminance * bright).extend(rest).to_array();
        constants.moon_side = side.extend(phase_cosine(self.moon.phase)).to_array();
    }
}

#[cfg(test)]
mod tests;
