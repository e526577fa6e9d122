//! A sky as a small table, finest at the horizon, that a shader samples.

use super::air::horizon_cosine;
use super::between;
use glam::{Vec2, Vec3};
use half::f16;
use std::f64::consts::FRAC_PI_2;
use std::sync::atomic::{AtomicU64, Ordering};

/// The brightest that a texel can be, the greatest finite half float.
const BRIGHTEST: f32 = 65504.0;

/// Luminance of a sky in every direction, in cd/m², for one sun and one altitude, and for a moon; filled by
/// [`ClearSky::fill`](super::ClearSky::fill) or [`ClearSky::fill_night`](super::ClearSky::fill_night).
///
/// It is two tables, the sun's over the moon's, and the sky is their sum: each is symmetric about its own light, and no lookup
/// mixes them. Without a night the second is black. In each, columns go by the azimuth a from the sun, as sin(a / 2): the first is that of the sun, the last the opposite one. Both
/// sides of the sun are alike, so that half a turn is enough. Rows go by the square root of the angle from the horizon
/// (Hillaire 2020, section 5.3): the first half is what is below it, from straight down, the second half the sky, up to
/// the zenith. The horizon's two sides are rows of their own, and no lookup mixes them.
///
/// A shader finds its place as [`SkyTable::uv`] does, for a sampler that is linear and clamps, without mips: see
/// `shaders/include/sky_table.hlsl`.
#[derive(Clone)]
#[doc(alias = "sky view")]
pub struct SkyTable {
    values: Vec<Vec3>,
    texels: Vec<[u16; 4]>,
    revision: u64,
    /// Toward the sun and toward the moon.
    toward: [Vec3; 2],
    /// Unit vectors in x and z.
    azimuths: [Vec2; 2],
    /// Whether the moon's half holds anything.
    has_night: bool,
    /// Elevation of the horizon in radians, 0 or less.
    horizon: f64,
}

impl SkyTable {
    /// Texels in a row.
    pub const WIDTH: usize = crate::shaders::SKY_COLUMNS;
    /// Rows: those of the sun, and as many of the moon.
    pub const HEIGHT: usize = 2 * Self::ROWS;
    /// Rows of one light.
    pub(super) const ROWS: usize = crate::shaders::SKY_ROWS;
    /// The first row of the sky; those before it are below the horizon.
    const SKY: usize = Self::ROWS / 2;
    /// Rows between the horizon and the nadir, and between the horizon and the zenith.
    const BELOW: f64 = (Self::SKY - 1) as f64;
    const ABOVE: f64 = (Self::ROWS - 1 - Self::SKY) as f64;

    /// A black table, with revision 0. All the memory that it ever needs is taken here.
    pub fn new() -> Self {
        let black = [f16::ZERO, f16::ZERO, f16::ZERO, f16::ONE].map(f16::to_bits);
        Self {
            values: vec![Vec3::ZERO; Self::WIDTH * Self::HEIGHT],
            texels: vec![black; Self::WIDTH * Self::HEIGHT],
            revision: 0,
            toward: [Vec3::Y; 2],
            azimuths: [Vec2::X; 2],
            has_night: false,
            horizon: 0.0,
        }
    }

    /// The content of an RGBA16F texture of [`SkyTable::WIDTH`] × [`SkyTable::HEIGHT`], rows without gaps, in the
    /// machine's byte order: cd/m² in RGB, 0 to 65504, and 1 in alpha.
    pub fn texels(&self) -> &[u8] {
        bytemuck::cast_slice(&self.texels)
    }

    /// Another number after every fill, and not that of another table but where it is a clone's.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The sun that it was filled for.
    pub fn toward_sun(&self) -> Vec3 {
        self.toward[0]
    }

    /// Whether a night was filled in, with or without a moon.
    pub fn has_night(&self) -> bool {
        self.has_night
    }

    /// Elevation of the horizon, in radians: 0 on the ground and below 0 above it.
    pub fn horizon(&self) -> f32 {
        self.horizon as f32
    }

    /// What a shader needs beside the texture: x and z of a unit vector toward the sun's azimuth, the elevation of the
    /// horizon in radians, and 0.
    pub fn for_shader(&self) -> [f32; 4] {
        let [sun, _] = self.azimuths;
        [sun.x, sun.y, self.horizon(), 0.0]
    }

    /// The same of the half that is the moon's: x and z of a unit vector toward its azimuth, 1 where that half holds anything, and 0.
    pub fn night_for_shader(&self) -> [f32; 4] {
        let [_, moon] = self.azimuths;
        [moon.x, moon.y, f32::from(u8::from(self.has_night)), 0.0]
    }

    /// Where a shader samples the texture for the sun's light in a direction, a unit vector in the world's frame. Each 0 to 1, at
    /// centres of texels.
    pub fn uv(&self, toward: Vec3) -> Vec2 {
        (self.place_of(SkyHalf::Sun, toward) + 0.5) / Vec2::new(Self::WIDTH as f32, Self::HEIGHT as f32)
    }

    /// The same for the moon's light.
    pub fn night_uv(&self, toward: Vec3) -> Vec2 {
        let place = self.place_of(SkyHalf::Moon, toward) + Vec2::new(0.5, 0.5 + Self::ROWS as f32);
        place / Vec2::new(Self::WIDTH as f32, Self::HEIGHT as f32)
    }

    /// What a shader gets from the texture for a direction, in cd/m²: the CPU twin of a linear sampler, to the rounding
    /// of a half float and of a sampler's weights.
    pub fn luminance(&self, toward: Vec3) -> Vec3 {
        self.halves().map(|half| self.luminance_of(half, toward)).sum()
    }

    fn luminance_of(&self, half: SkyHalf, toward: Vec3) -> Vec3 {
        let place = self.place_of(half, toward);
        let (column, right) = between(place.x, Self::WIDTH);
        let (row, up) = between(place.y, Self::ROWS);
        let mixed = |row: usize| {
            let row = self.row(half, row);
            row[column].lerp(row[column + 1], right)
        };
        mixed(row).lerp(mixed(row + 1), up)
    }

    /// Column and row of a direction in its half, with fractions.
    fn place_of(&self, half: SkyHalf, toward: Vec3) -> Vec2 {
        let flat = Vec2::new(toward.x, toward.z);
        let length = flat.length();
        let beside = if length > 1e-6 { flat.dot(self.azimuth(half)) / length } else { 1.0 };
        let column = (0.5 - 0.5 * beside).clamp(0.0, 1.0).sqrt() * (Self::WIDTH - 1) as f32;
        let over = f64::from(toward.y).clamp(-1.0, 1.0).asin() - self.horizon;
        let row = if over >= 0.0 {
            Self::SKY as f64 + Self::ABOVE * (over / (FRAC_PI_2 - self.horizon)).sqrt()
        } else {
            Self::BELOW - Self::BELOW * (-over / (FRAC_PI_2 + self.horizon)).sqrt()
        };
        Vec2::new(column, row.clamp(0.0, (Self::ROWS - 1) as f64) as f32)
    }

    /// The halves that hold anything.
    pub(in crate::light) fn halves(&self) -> impl Iterator<Item = SkyHalf> + use<> {
        [Some(SkyHalf::Sun), self.has_night.then_some(SkyHalf::Moon)].into_iter().flatten()
    }

    /// The rows of the sky in a half, from the horizon to the zenith.
    pub(in crate::light) fn sky_rows(&self, half: SkyHalf) -> impl Iterator<Item = &[Vec3]> {
        (Self::SKY..Self::ROWS).map(move |row| self.row(half, row))
    }

    /// Elevation at a row of the sky, counted from the horizon, with fractions, and by how much it grows in a row. Radians.
    pub(in crate::light) fn sky_elevation(&self, row: f64) -> (f64, f64) {
        let (part, height) = (row / Self::ABOVE, FRAC_PI_2 - self.horizon);
        (self.horizon + height * part * part, height * 2.0 * part / Self::ABOVE)
    }

    /// x and z of a unit vector toward the azimuth of a half's light.
    pub(in crate::light) fn azimuth(&self, half: SkyHalf) -> Vec2 {
        self.azimuths[half as usize]
    }

    /// Cosine of a column's azimuth to that of its half's light.
    pub(in crate::light) fn azimuth_cosine(column: usize) -> f32 {
        let sine_of_half = column as f32 / (Self::WIDTH - 1) as f32;
        1.0 - 2.0 * sine_of_half * sine_of_half
    }

    /// Elevation of a row, in radians.
    pub(super) fn elevation(&self, row: usize) -> f64 {
        if row >= Self::SKY {
            return self.sky_elevation((row - Self::SKY) as f64).0;
        }
        let part = 1.0 - row as f64 / Self::BELOW;
        self.horizon - (FRAC_PI_2 + self.horizon) * part * part
    }

    /// Whether a row is below the horizon.
    pub(super) fn shows_ground(row: usize) -> bool {
        row < Self::SKY
    }

    /// Says for which altitude, in kilometres, and for which light the next values are.
    pub(super) fn place(&mut self, half: SkyHalf, altitude: f64, toward: Vec3) {
        self.toward[half as usize] = toward;
        // Where the light is in the zenith, every azimuth is right.
        self.azimuths[half as usize] = Vec2::new(toward.x, toward.z).normalize_or(Vec2::X);
        self.horizon = horizon_cosine(altitude).asin();
        self.has_night |= half == SkyHalf::Moon;
    }

    /// Leaves no night.
    pub(super) fn clear_night(&mut self) {
        if self.has_night {
            (0..Self::ROWS).for_each(|row| {
                (0..Self::WIDTH).for_each(|column| self.set(SkyHalf::Moon, row, column, Vec3::ZERO));
            });
            self.has_night = false;
        }
    }

    /// Writes a texel; the values in a table are what a half float holds of a light, between 0 and its greatest.
    pub(super) fn set(&mut self, half: SkyHalf, row: usize, column: usize, luminance: Vec3) {
        // What is not a number becomes 0, though nothing is known to give one.
        let value = luminance.max(Vec3::ZERO).min(Vec3::splat(BRIGHTEST));
        let index = (half as usize * Self::ROWS + row) * Self::WIDTH + column;
        self.values[index] = value;
        self.texels[index] = [value.x, value.y, value.z, 1.0].map(|value| f16::from_f32(value).to_bits());
    }

    /// Gives the new content a number of its own.
    pub(super) fn finish(&mut self) {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        self.revision = NEXT.fetch_add(1, Ordering::Relaxed);
    }

    fn row(&self, half: SkyHalf, row: usize) -> &[Vec3] {
        &self.values[(half as usize * Self::ROWS + row) * Self::WIDTH..][..Self::WIDTH]
    }
}

/// Which light a half of a table is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::light) enum SkyHalf {
    Sun,
    Moon,
}

impl Default for SkyTable {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for SkyTable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SkyTable")
            .field("revision", &self.revision)
            .field("toward_sun", &self.toward_sun())
            .field("has_night", &self.has_night)
            .field("horizon", &self.horizon)
            .field("zenith", &self.luminance(Vec3::Y))
            .finish_non_exhaustive()
    }
}
