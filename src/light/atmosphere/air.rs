//! The air itself: how dense it is, what it does to light, and where its ball and its top are. Lengths are kilometres.

use super::Atmosphere;
use glam::Vec3A;
use std::f32::consts::PI;

/// Radius of the ground.
pub(super) const PLANET: f64 = 6360.0;
/// Radius of the top of the air.
pub(super) const TOP: f64 = 6460.0;

/// Height at which the density of the molecules is 1/e of that on the ground.
const RAYLEIGH_HEIGHT: f32 = 8.0;
/// The same for haze.
const MIE_HEIGHT: f32 = 1.2;
/// The middle of the layer of ozone, and how far it reaches from there.
const OZONE_MIDDLE: f32 = 25.0;
const OZONE_REACH: f32 = 15.0;
/// How much haze scatters forward: 0 in all directions alike, 1 forward only.
const MIE_FORWARD: f32 = 0.8;

/// Kilometres from an altitude in metres, kept inside the air. What is not a number is the ground.
pub(super) fn kilometres(altitude: f64) -> f64 {
    if altitude.is_nan() { 0.0 } else { (altitude / 1000.0).clamp(0.0, TOP - PLANET - 0.001) }
}

/// The cosine, to the vertical, of the directions in which the horizon lies.
pub(super) fn horizon_cosine(altitude: f64) -> f64 {
    let radius = PLANET + altitude;
    -(altitude * (radius + PLANET)).sqrt() / radius
}

/// How much light is scattered or lost in a kilometre of the air on the ground, as RGB.
#[derive(Clone, Copy)]
pub(super) struct Air {
    pub(super) rayleigh: Vec3A,
    pub(super) mie_scattering: Vec3A,
    pub(super) mie_extinction: Vec3A,
    pub(super) ozone: Vec3A,
    pub(super) albedo: Vec3A,
}

impl Air {
    /// The coefficients of Hillaire 2020, table 1, times what the description says. But for one: what haze absorbs is
    /// printed there as 4.40e-6 a metre, more than it scatters, which makes a hazy horizon darker than a clear one. The
    /// program that came with the paper, and Bruneton's, have a tenth of that, an albedo of 0.9, which is usual
    /// over land.
    pub(super) fn of(atmosphere: &Atmosphere) -> Self {
        Self {
            rayleigh: Vec3A::new(5.802e-3, 13.558e-3, 33.1e-3),
            mie_scattering: Vec3A::splat(3.996e-3 * atmosphere.haze),
            mie_extinction: Vec3A::splat(3.996e-3 * atmosphere.haze / atmosphere.haze_albedo),
            ozone: Vec3A::new(0.650e-3, 1.881e-3, 0.085e-3) * atmosphere.ozone,
            albedo: atmosphere.ground_albedo.into(),
        }
    }

    /// What is lost in a kilometre of this density.
    pub(super) fn extinction(&self, density: &Density) -> Vec3A {
        self.rayleigh * density.rayleigh + self.mie_extinction * density.mie + self.ozone * density.ozone
    }
}

/// How dense the parts of the air are: molecules and haze over what they are on the ground, ozone over the most that it is.
#[derive(Clone, Copy, Default)]
pub(super) struct Density {
    pub(super) rayleigh: f32,
    pub(super) mie: f32,
    pub(super) ozone: f32,
}

impl Density {
    pub(super) fn at(altitude: f32) -> Self {
        Self {
            rayleigh: (-altitude / RAYLEIGH_HEIGHT).exp(),
            mie: (-altitude / MIE_HEIGHT).exp(),
            ozone: (1.0 - (altitude - OZONE_MIDDLE).abs() / OZONE_REACH).max(0.0),
        }
    }

    /// This and `other` along a length: what a column holds.
    pub(super) fn plus(self, other: Self, length: f32) -> Self {
        Self {
            rayleigh: self.rayleigh + other.rayleigh * length,
            mie: self.mie + other.mie * length,
            ozone: self.ozone + other.ozone * length,
        }
    }
}

/// How much of what is scattered goes into a direction with this cosine to the old one, per steradian: molecules
/// (Rayleigh) and haze (Cornette and Shanks 1992).
pub(super) fn phases(cosine: f32) -> (f32, f32) {
    let curve = 1.0 + cosine * cosine;
    let g = MIE_FORWARD;
    // The base is (1 − g)² at least, for every cosine; a cosine a little above 1 by rounding does not bring it to 0.
    let base = 1.0 + g * g - 2.0 * g * cosine;
    let mie = 3.0 / (8.0 * PI) * (1.0 - g * g) / (2.0 + g * g) * curve / (base * base.sqrt());
    (3.0 / (16.0 * PI) * curve, mie)
}
