//! Light from all around as nine numbers a channel.
//!
//! The real spherical harmonics of the orders 0, 1 and 2 (Ramamoorthi and Hanrahan 2001, "An Efficient Representation for
//! Irradiance Environment Maps", SIGGRAPH), which hold what a matt surface receives to a few percent of the brightest. In
//! a direction (x, y, z) of the world's frame they are, in this order,
//!
//! | | function | constant |
//! |---|---|---|
//! | 0 | 1 | 0.282095 |
//! | 1, 2, 3 | y, z, x | 0.488603 |
//! | 4, 5, 7 | xy, yz, xz | 1.092548 |
//! | 6 | 3z² − 1 | 0.315392 |
//! | 8 | x² − y² | 0.546274 |
//!
//! and a surface that receives from half of all directions, by their cosines, weighs the orders with π, 2π/3 and π/4.

use super::SkyTable;
use super::atmosphere::SkyHalf;
use glam::Vec3;
use std::f64::consts::PI;

/// What each function is multiplied with, so that its square is 1 over the sphere.
const CONSTANTS: [f32; 9] =
    [0.282_095, 0.488_603, 0.488_603, 0.488_603, 1.092_548, 1.092_548, 0.315_392, 1.092_548, 0.546_274];

/// What becomes of each where a matt surface receives it, over π.
const MATT: [f32; 9] = [1.0, 2.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0, 0.25, 0.25, 0.25, 0.25, 0.25];

/// Luminance from all around in cd/m², as the coefficients of nine functions; the module says which.
///
/// Only what changes slowly over the sphere is in them. Of a clear sky by day over its ground, surfaces that lean by 30°
/// to 90° receive what they should to about 2 %; level ground receives 5 to 7 % too much of the sky's light, half a
/// percent of that of sun and sky.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[doc(alias = "spherical harmonics")]
pub struct Harmonics(pub [Vec3; 9]);

impl Harmonics {
    /// Of one luminance in cd/m² in all directions.
    pub fn constant(luminance: Vec3) -> Self {
        let mut harmonics = Self::default();
        harmonics.0[0] = luminance * (CONSTANTS[0] * 4.0 * std::f32::consts::PI);
        harmonics
    }

    /// Of a luminance in cd/m² that is asked for in 8192 directions, unit vectors evenly over the sphere.
    pub fn project(luminance: impl Fn(Vec3) -> Vec3) -> Self {
        Self::project_in(64, 128, luminance)
    }

    /// The same with so many directions from nadir to zenith and around.
    pub(super) fn project_in(rings: u32, spokes: u32, luminance: impl Fn(Vec3) -> Vec3) -> Self {
        let mut sums = [Vec3::ZERO; 9];
        for ring in 0..rings {
            let up = (ring as f32 + 0.5) / rings as f32 * 2.0 - 1.0;
            let flat = (1.0 - up * up).sqrt();
            let mut of_ring = [Vec3::ZERO; 9];
            for spoke in 0..spokes {
                let (z, x) = ((spoke as f32 + 0.5) / spokes as f32 * std::f32::consts::TAU).sin_cos();
                let toward = Vec3::new(x * flat, up, z * flat);
                let light = luminance(toward);
                for (sum, value) in of_ring.iter_mut().zip(functions(toward)) {
                    *sum += light * value;
                }
            }
            // Ring by ring, so that few numbers of very different size are added up.
            sums.iter_mut().zip(of_ring).for_each(|(sum, of_ring)| *sum += of_ring);
        }
        let area = 4.0 * std::f32::consts::PI / (rings * spokes) as f32;
        Self(std::array::from_fn(|i| sums[i] * CONSTANTS[i] * area))
    }

    /// Of a sky over ground that has the luminance `ground`, in cd/m², in all directions below the horizon, whatever the
    /// table has there. Takes some tens of microseconds. The discs of sun and moon are not in it, as they are not in the table.
    pub fn of_sky(table: &SkyTable, ground: Vec3) -> Self {
        let mut sum = Self::default();
        sum.add_below(table.horizon(), ground);
        table.halves().for_each(|half| sum.add(&Self::of_half(table, half)));
        sum
    }

    /// Adds one luminance in all directions below an elevation, in radians.
    pub(super) fn add_below(&mut self, elevation: f32, luminance: Vec3) {
        let mut below = Sums::default();
        below.add_below(elevation.into(), luminance);
        // What is alike all around turns into itself.
        self.add(&below.turned([1.0, 0.0]));
    }

    fn add(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, other)| *sum += other);
    }

    /// Of the sky that one light makes, over black ground.
    fn of_half(table: &SkyTable, half: SkyHalf) -> Self {
        let mut sums = Sums::default();
        let mut below = None;
        for (number, texels) in table.sky_rows(half).enumerate() {
            let row = Row::of(texels);
            if let Some(below) = below.replace(row) {
                // Between two rows the sky is a straight line in the row's number, as a shader has it; two points of
                // Gauss are enough for that times what the angles bring in.
                for part in [0.5 - 0.5 / 3f64.sqrt(), 0.5 + 0.5 / 3f64.sqrt()] {
                    let (elevation, slope) = table.sky_elevation(number as f64 - 1.0 + part);
                    sums.add(elevation, slope / 2.0, below.mix(&row, part as f32));
                }
            }
        }
        sums.turned(table.azimuth(half).to_array())
    }

    /// Illuminance of a surface with this normal, a unit vector, in lux; 0 where the functions would give less.
    pub fn irradiance(&self, normal: Vec3) -> Vec3 {
        let luminance = self.for_shader().into_iter().zip(functions(normal));
        let luminance: Vec3 = luminance.map(|(c, value)| Vec3::new(c[0], c[1], c[2]) * value).sum();
        luminance.max(Vec3::ZERO) * std::f32::consts::PI
    }

    /// Coefficients for a shader: times the functions of a normal they add up to the luminance in cd/m² of a white matt
    /// surface, its illuminance over π. It can be a little below 0. The fourth number of each is 0.
    ///
    /// ```hlsl
    /// float3 white = c[0].rgb + c[1].rgb * n.y + c[2].rgb * n.z + c[3].rgb * n.x + c[4].rgb * n.x * n.y
    ///     + c[5].rgb * n.y * n.z + c[6].rgb * (3.0 * n.z * n.z - 1.0) + c[7].rgb * n.x * n.z
    ///     + c[8].rgb * (n.x * n.x - n.y * n.y);
    /// ```
    pub fn for_shader(&self) -> [[f32; 4]; 9] {
        std::array::from_fn(|i| (self.0[i] * CONSTANTS[i] * MATT[i]).extend(0.0).to_array())
    }
}

/// The nine functions without their constants.
fn functions(n: Vec3) -> [f32; 9] {
    let Vec3 { x, y, z } = n;
    [1.0, y, z, x, x * y, y * z, 3.0 * z * z - 1.0, x * z, x * x - y * y]
}

/// A row of a sky around the vertical: its integral over the azimuth a from the sun, and those times cos a and cos 2a.
/// Times a sine it is 0, as both sides of the light are alike.
#[derive(Clone, Copy, Default)]
struct Row {
    even: Vec3,
    once: Vec3,
    twice: Vec3,
}

impl Row {
    fn of(texels: &[Vec3]) -> Self {
        let azimuth = |column: usize| SkyTable::azimuth_cosine(column).acos();
        let mut row = Row::default();
        for (column, texel) in texels.iter().enumerate() {
            // Trapezoids, on both sides of the sun.
            let after = azimuth((column + 1).min(texels.len() - 1));
            let light = *texel * (after - azimuth(column.saturating_sub(1)));
            let cosine = SkyTable::azimuth_cosine(column);
            row.even += light;
            row.once += light * cosine;
            row.twice += light * (2.0 * cosine * cosine - 1.0);
        }
        row
    }

    fn mix(&self, other: &Row, part: f32) -> Self {
        Self {
            even: self.even.lerp(other.even, part),
            once: self.once.lerp(other.once, part),
            twice: self.twice.lerp(other.twice, part),
        }
    }
}

/// Integrals over the sphere of a luminance times powers of a direction's components: s toward the sun's azimuth, y up,
/// and t level across both.
#[derive(Default)]
struct Sums {
    one: Vec3,
    y: Vec3,
    s: Vec3,
    sy: Vec3,
    yy: Vec3,
    ss: Vec3,
    tt: Vec3,
}

impl Sums {
    /// Adds a ring of this elevation and height, both in radians.
    fn add(&mut self, elevation: f64, height: f64, row: Row) {
        let (sine, cosine) = elevation.sin_cos();
        let (up, flat, area) = (sine as f32, cosine as f32, (cosine * height) as f32);
        self.one += row.even * area;
        self.y += row.even * (area * up);
        self.s += row.once * (area * flat);
        self.sy += row.once * (area * flat * up);
        self.yy += row.even * (area * up * up);
        self.ss += (row.even + row.twice) * (area * flat * flat * 0.5);
        self.tt += (row.even - row.twice) * (area * flat * flat * 0.5);
    }

    /// Adds one luminance in all directions below an elevation.
    fn add_below(&mut self, elevation: f64, luminance: Vec3) {
        let sine = elevation.sin();
        let powers = [sine + 1.0, (sine * sine - 1.0) / 2.0, (sine.powi(3) + 1.0) / 3.0];
        let [one, y, yy] = powers.map(|power| luminance * (2.0 * PI * power) as f32);
        self.one += one;
        self.y += y;
        self.yy += yy;
        self.ss += (one - yy) / 2.0;
        self.tt += (one - yy) / 2.0;
    }

    /// The coefficients where s is the level direction (a, b) in x and z.
    fn turned(&self, [a, b]: [f32; 2]) -> Harmonics {
        let xx = self.ss * (a * a) + self.tt * (b * b);
        let zz = self.ss * (b * b) + self.tt * (a * a);
        let integrals = [
            self.one,
            self.y,
            self.s * b,
            self.s * a,
            self.sy * a,
            self.sy * b,
            zz * 3.0 - self.one,
            (self.ss - self.tt) * (a * b),
            xx - self.yy,
        ];
        Harmonics(std::array::from_fn(|i| integrals[i] * CONSTANTS[i]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::light::luminance as grey;
    use crate::light::{Atmosphere, ClearSky};
    use std::f32::consts::PI;

    fn close(a: Vec3, b: Vec3, within: f32) -> bool {
        (a - b).abs().max_element() <= within
    }

    /// The sun's height and azimuth in degrees, to a table and the luminance of the ground under it.
    fn sky(elevation: f32, azimuth: f32) -> (SkyTable, Vec3) {
        let ((up, flat), (z, x)) = (elevation.to_radians().sin_cos(), azimuth.to_radians().sin_cos());
        let (sky, sun) = (ClearSky::new(&Atmosphere::default()).unwrap(), Vec3::new(x * flat, up, z * flat));
        let mut table = SkyTable::new();
        sky.fill(300.0, sun, &mut table);
        (table, sky.ground_illuminance(sun) * 0.3 / PI)
    }

    fn seen(table: &SkyTable, ground: Vec3, toward: Vec3) -> Vec3 {
        if toward.y.asin() < table.horizon() { ground } else { table.luminance(toward) }
    }

    /// Illuminance by summing up many directions.
    fn summed(normal: Vec3, luminance: impl Fn(Vec3) -> Vec3) -> Vec3 {
        let (rings, spokes) = (400, 200);
        let (side, other) = normal.any_orthonormal_pair();
        let mut sum = Vec3::ZERO;
        for (ring, spoke) in (0..rings).flat_map(|ring| (0..spokes).map(move |spoke| (ring, spoke))) {
            let squared = (ring as f32 + 0.5) / rings as f32;
            let (sine, cosine) = ((spoke as f32 + 0.5) / spokes as f32 * 2.0 * PI).sin_cos();
            let flat = (side * cosine + other * sine) * (1.0 - squared).sqrt();
            sum += luminance(normal * squared.sqrt() + flat);
        }
        sum * (PI / (rings * spokes) as f32)
    }

    #[test]
    fn what_two_orders_hold_is_exact() {
        let everywhere = Vec3::new(1000.0, 2000.0, 3000.0);
        let even = Harmonics::constant(everywhere);
        assert!(close(even.irradiance(Vec3::X), everywhere * PI, 0.1));
        assert!(close(Harmonics::project(|_| everywhere).0[0], even.0[0], 0.1));
        // A slope is passed on with 2/3, and the function 3y² − 1 with 1/4.
        let axis = Vec3::new(2.0, -3.0, 6.0) / 7.0;
        let sloped = Harmonics::project(|toward| Vec3::splat(4.0 + toward.dot(axis)));
        let curved = Harmonics::project(|toward| Vec3::splat(4.0 + 3.0 * toward.dot(axis).powi(2) - 1.0));
        for normal in [axis, -axis, Vec3::X, Vec3::Y, Vec3::Z, Vec3::new(0.6, 0.0, 0.8)] {
            let cosine = normal.dot(axis);
            let slope = PI * (4.0 + 2.0 / 3.0 * cosine);
            let curve = PI * (4.0 + 0.25 * (3.0 * cosine * cosine - 1.0));
            assert!(close(sloped.irradiance(normal), Vec3::splat(slope), 0.01));
            assert!(close(curved.irradiance(normal), Vec3::splat(curve), 0.01));
        }
    }

    #[test]
    fn a_shader_gets_what_a_surface_has() {
        let (table, ground) = sky(30.0, 70.0);
        let harmonics = Harmonics::of_sky(&table, ground);
        let c = harmonics.for_shader().map(|c| Vec3::new(c[0], c[1], c[2]));
        let n = Vec3::new(0.48, 0.6, -0.64);
        let matt = c[0]
            + c[1] * n.y
            + c[2] * n.z
            + c[3] * n.x
            + c[4] * (n.x * n.y)
            + c[5] * (n.y * n.z)
            + c[6] * (3.0 * n.z * n.z - 1.0)
            + c[7] * (n.x * n.z)
            + c[8] * (n.x * n.x - n.y * n.y);
        assert!(close(matt * PI, harmonics.irradiance(n), 0.1));
    }

    #[test]
    fn the_quick_way_is_the_long_way() {
        for (elevation, azimuth) in [(90.0, 0.0), (50.0, 0.0), (30.0, 137.0), (5.0, 250.0), (-3.0, 80.0)] {
            let (table, ground) = sky(elevation, azimuth);
            let quick = Harmonics::of_sky(&table, ground);
            let long = Harmonics::project_in(1000, 500, |toward| seen(&table, ground, toward));
            let most = long.0[0].max_element();
            for (i, (quick, long)) in quick.0.into_iter().zip(long.0).enumerate() {
                let error = (quick - long).abs().max_element() / most;
                assert!(error < 0.004, "{error} of number {i} with the sun at {elevation}°, {azimuth}°");
            }
        }
    }

    #[test]
    fn surfaces_receive_what_the_sky_sends_but_for_what_two_orders_cannot_hold() {
        for elevation in [80.0, 60.0, 45.0, 30.0, 15.0, 5.0, 1.0] {
            let (table, ground) = sky(elevation, 30.0);
            let harmonics = Harmonics::of_sky(&table, ground);
            let error = |normal: Vec3| {
                let sum = grey(summed(normal, |toward| seen(&table, ground, toward)));
                grey(harmonics.irradiance(normal)) / sum - 1.0
            };
            // 4.6 to 6.9 % too much on level ground: its light is the only one from which the bright band at the horizon
            // is far off all around, and two orders spread it upward.
            let level = error(Vec3::Y);
            assert!((0.0..0.075).contains(&level), "{level} with the sun at {elevation}°");
            for (tilt, azimuth) in
                [30f32, 60.0, 90.0].into_iter().flat_map(|tilt| (0..8).map(move |a| (tilt, a)))
            {
                let ((flat, up), (z, x)) =
                    (tilt.to_radians().sin_cos(), (azimuth as f32 * PI / 4.0).sin_cos());
                // At most 2.1 %, and 1.4 % where the sun is not near the horizon.
                let error = error(Vec3::new(flat * x, up, flat * z));
                assert!(error.abs() < 0.025, "{error} at {tilt}° with the sun at {elevation}°");
            }
        }
    }
}
