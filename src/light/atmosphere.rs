//! A clear sky from the physics of the air, on the CPU.
//!
//! The model is Hillaire 2020, "A Scalable and Production Ready Sky and Atmosphere Rendering Technique" (EGSR), on the
//! atmosphere of Bruneton and Neyret 2008, "Precomputed Atmospheric Scattering" (EGSR): a ball of 6360 km with 100 km of
//! air, which scatters as molecules (Rayleigh) and as haze (Mie, after Cornette and Shanks 1992), and absorbs as haze and
//! ozone. What is scattered once is marched; what is scattered more often is the sum of a geometric series that takes
//! every further scattering as even in all directions. Refraction and polarisation are not there. A moon is one more light in
//! the same air ([`Night`](super::Night)).
//!
//! [`ClearSky`] holds what depends on the air alone and is made once. [`ClearSky::fill`] writes a [`SkyTable`] whenever
//! the sun or the camera's altitude has moved; a renderer uploads its texels and a shader does nothing but sample them.
//!
//! Directions are unit vectors in the world's frame, y up; what is not of unit length is made so. The sun above the air
//! is white, and the three bands of the papers are taken as linear RGB of the sRGB primaries, as is usual.

mod air;
mod lookups;
mod path;
mod sky_table;
#[cfg(test)]
mod tests;

pub(super) use sky_table::SkyHalf;
pub use sky_table::SkyTable;

use super::{Moon, Night};
use crate::{Error, Result};
use air::{Air, Density, horizon_cosine, kilometres};
use glam::{Vec3, Vec3A};
use lookups::{Height, Lookups};
use path::Path;

/// The greatest illuminance that an [`Atmosphere`] takes for its sun, in lux: about eighty of ours.
const BRIGHTEST_SUN: f32 = 1e7;

/// Steps of a ray that is looked at. 32 of them are within 1.5 % of 1000, in daylight and in twilight.
const STEPS: usize = 32;

/// What the air is made of, what is under it and what shines on it. The default is the earth on a clear day.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Atmosphere {
    /// Haze over that of a very clear day, by which the papers' Mie coefficients are multiplied: 0 none, 1 clear, 8 hazy.
    /// 0 to 50.
    pub haze: f32,
    /// How much of what haze takes from a beam it scatters; the rest it absorbs. 0.9 as usual over land, less in smoke.
    /// 0.1 to 1.
    pub haze_albedo: f32,
    /// Ozone over the earth's, which keeps a zenith blue when the sun is low. 0 to 10.
    pub ozone: f32,
    /// How much of the light that falls on the ground comes back from it, each of RGB 0 to 1. It brightens the sky as well.
    pub ground_albedo: Vec3,
    /// Illuminance of the sun above the air on a surface that faces it, in lux, as linear RGB. 0 to 10⁷.
    pub sun: Vec3,
}

impl Default for Atmosphere {
    /// A very clear day over dry ground, and a white sun of 128 000 lux.
    fn default() -> Self {
        Self {
            haze: 1.0,
            haze_albedo: 0.9,
            ozone: 1.0,
            ground_albedo: Vec3::splat(0.3),
            sun: Vec3::splat(128_000.0),
        }
    }
}

impl Atmosphere {
    /// Whether a sky can be made of this.
    ///
    /// # Errors
    /// A value that is not a number or outside its range.
    pub fn validate(&self) -> Result<()> {
        let within = |what: &str, values: Vec3, least: f32, most: f32| {
            let refused = values.to_array().into_iter().find(|value| !(least..=most).contains(value));
            let why = refused.map(|value| format!("{what} is {value}, and has to be from {least} to {most}"));
            why.map_or(Ok(()), |why| Err(Error::invalid("atmosphere", why)))
        };
        within("its haze", Vec3::splat(self.haze), 0.0, 50.0)?;
        within("the albedo of its haze", Vec3::splat(self.haze_albedo), 0.1, 1.0)?;
        within("its ozone", Vec3::splat(self.ozone), 0.0, 10.0)?;
        within("the albedo of its ground", self.ground_albedo, 0.0, 1.0)?;
        within("the illuminance of its sun, in lux,", self.sun, 0.0, BRIGHTEST_SUN)
    }
}

/// The sky of an [`Atmosphere`] without clouds, for every sun and every altitude.
///
/// Altitudes are metres above the ball of 6360 km, which is to be sea level. What is below 0 is taken as 0, and what is
/// above the air (100 km) as its top.
#[derive(Clone)]
#[doc(alias = "atmosphere")]
pub struct ClearSky {
    atmosphere: Atmosphere,
    lookups: Lookups,
}

impl ClearSky {
    /// Makes the tables of an atmosphere: transmittance, what is scattered more than once, light on the ground. About 20 to 30 ms.
    ///
    /// # Errors
    /// What [`Atmosphere::validate`] refuses.
    pub fn new(atmosphere: &Atmosphere) -> Result<Self> {
        atmosphere.validate()?;
        Ok(Self { atmosphere: *atmosphere, lookups: Lookups::new(Air::of(atmosphere)) })
    }

    /// What this is the sky of.
    pub fn atmosphere(&self) -> &Atmosphere {
        &self.atmosphere
    }

    /// How much light comes from space to `altitude` out of the direction `toward`, each of RGB 0 to 1; 0 where the
    /// planet is in the way.
    pub fn transmittance(&self, altitude: f64, toward: Vec3) -> Vec3 {
        let (altitude, toward) = (kilometres(altitude), unit(toward));
        if f64::from(toward.y) < horizon_cosine(altitude) {
            return Vec3::ZERO;
        }
        self.lookups.transmittance(&Height::at(altitude), toward.y).into()
    }

    /// Illuminance by the sun alone of a surface at `altitude` that faces it, in lux. It fades while the disc of half a
    /// degree sets behind the planet, and is 0 when all of it has.
    pub fn sun_illuminance(&self, altitude: f64, toward_sun: Vec3) -> Vec3 {
        self.direct(altitude, toward_sun) * self.atmosphere.sun
    }

    /// The same by the moon, whose disc is about as large.
    pub fn moon_illuminance(&self, altitude: f64, moon: &Moon) -> Vec3 {
        self.direct(altitude, moon.toward) * moon.illuminance()
    }

    /// What of a disc's light comes through to `altitude`.
    fn direct(&self, altitude: f64, toward: Vec3) -> Vec3 {
        let at = Height::at(kilometres(altitude));
        self.lookups.sunlight(&at, unit(toward).y).into()
    }

    /// Illuminance by the sun and the sky of level ground at altitude 0, in lux. The ground of the model has this
    /// luminance times its albedo over π.
    pub fn ground_illuminance(&self, toward_sun: Vec3) -> Vec3 {
        self.on_ground(toward_sun) * self.atmosphere.sun
    }

    /// The same by a night alone: the moon, the sky that it lights, and the airglow.
    pub fn night_ground_illuminance(&self, night: &Night) -> Vec3 {
        let by_moon = night.moon.map_or(Vec3::ZERO, |moon| self.on_ground(moon.toward) * moon.illuminance());
        by_moon + Vec3::splat(night.airglow * std::f32::consts::PI)
    }

    fn on_ground(&self, toward: Vec3) -> Vec3 {
        self.lookups.ground(unit(toward).y).into()
    }

    /// Luminance of the sky at `altitude` in the direction `toward`, without the sun's disc, in cd/m². Below the horizon
    /// it is the ground of the model, seen through the air.
    ///
    /// This marches a ray, some microseconds. A filled [`SkyTable`] gives the same for less.
    pub fn luminance(&self, altitude: f64, toward: Vec3, toward_sun: Vec3) -> Vec3 {
        let (altitude, toward, sun) = (kilometres(altitude), unit(toward), unit(toward_sun));
        let up = f64::from(toward.y);
        let path = Path::<STEPS>::new(&self.lookups.air, altitude, up, up < horizon_cosine(altitude));
        self.along(&path, sun.y, toward.dot(sun)) * self.atmosphere.sun
    }

    /// Luminance in every direction at `altitude`, as [`ClearSky::luminance`] has it, into a table. Takes some milliseconds
    /// and no memory.
    pub fn fill(&self, altitude: f64, toward_sun: Vec3, table: &mut SkyTable) {
        self.fill_half(SkyHalf::Sun, altitude, toward_sun, self.atmosphere.sun, [Vec3::ZERO; 2], table);
        table.clear_night();
        table.finish();
    }

    /// The same with a night: what the moon does in the air, and the airglow, which has one luminance in all of the sky. The table
    /// holds both lights, and what is seen is their sum. Takes twice as long where there is a moon.
    pub fn fill_night(&self, altitude: f64, toward_sun: Vec3, night: &Night, table: &mut SkyTable) {
        self.fill_half(SkyHalf::Sun, altitude, toward_sun, self.atmosphere.sun, [Vec3::ZERO; 2], table);
        let glow = Vec3::splat(night.airglow);
        // Level ground under an even sky has its luminance times the albedo.
        let floor = [glow * self.atmosphere.ground_albedo, glow];
        let (toward, light) =
            night.moon.map_or((Vec3::NEG_Y, Vec3::ZERO), |moon| (moon.toward, moon.illuminance()));
        self.fill_half(SkyHalf::Moon, altitude, toward, light, floor, table);
        table.finish();
    }

    /// Fills a half for a light of this illuminance above the air, over a floor of luminance below and above the horizon.
    fn fill_half(
        &self,
        half: SkyHalf,
        altitude: f64,
        toward: Vec3,
        light: Vec3,
        floor: [Vec3; 2],
        table: &mut SkyTable,
    ) {
        let (altitude, toward) = (kilometres(altitude), unit(toward));
        table.place(half, altitude, toward);
        let flat_light = Vec3::new(toward.x, 0.0, toward.z).length();
        for row in 0..SkyTable::ROWS {
            let shows_ground = SkyTable::shows_ground(row);
            let floor = floor[usize::from(!shows_ground)];
            if light == Vec3::ZERO {
                (0..SkyTable::WIDTH).for_each(|column| table.set(half, row, column, floor));
                continue;
            }
            let (sine, cosine) = table.elevation(row).sin_cos();
            // The whole row has the same way through the air; only the light stands elsewhere.
            let path = Path::<STEPS>::new(&self.lookups.air, altitude, sine, shows_ground);
            let (up, flat) = (sine as f32 * toward.y, cosine as f32 * flat_light);
            for column in 0..SkyTable::WIDTH {
                let beside = up + flat * SkyTable::azimuth_cosine(column);
                table.set(half, row, column, self.along(&path, toward.y, beside) * light + floor);
            }
        }
    }

    /// How much of a beam is lost by scattering and absorption in a metre of the air at `altitude`, as RGB per metre: for
    /// haze over the ground. Over a distance d at that altitude exp(−extinction · d) is left.
    pub fn extinction(&self, altitude: f64) -> Vec3 {
        let density = Density::at(kilometres(altitude) as f32);
        Vec3::from(self.lookups.air.extinction(&density)) / 1000.0
    }

    /// Luminance along a path, a lux above the air, by a light whose direction has this cosine to the vertical and that to the path.
    fn along(&self, path: &Path<STEPS>, up: f32, toward_sun: f32) -> Vec3 {
        let air = path.scattered(&self.lookups, up, toward_sun, air::phases(toward_sun));
        let ground = path.ground(&self.lookups, up, toward_sun);
        Vec3::from(air + ground).max(Vec3::ZERO)
    }
}

impl std::fmt::Debug for ClearSky {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClearSky").field("atmosphere", &self.atmosphere).finish_non_exhaustive()
    }
}

/// A unit vector. What has no direction, such as 0 or not a number, is taken as up.
fn unit(direction: Vec3) -> Vec3 {
    direction.normalize_or(Vec3::Y)
}

/// Weights for a value between two entries of a table: the first of the two and how far it is from there to the second.
fn between(position: f32, entries: usize) -> (usize, f32) {
    // Not a number becomes 0.
    let position = position.max(0.0).min((entries - 1) as f32);
    let first = (position as usize).min(entries - 2);
    (first, position - first as f32)
}

/// A straight line between two entries.
fn mix(table: &[Vec3A], (first, part): (usize, f32)) -> Vec3A {
    let (from, to) = (table[first], table[first + 1]);
    from + (to - from) * part
}
