//! Seeded gradient noise (Perlin 2002) with nothing but additions and products, so that a value is the same bits on
//! every machine.

use std::f32::consts::FRAC_1_SQRT_2;

/// Sixteen unit directions; literals, because `sin` differs between platforms.
const DIRECTIONS: [[f32; 2]; 16] = [
    [1.0, 0.0],
    [0.923_879_5, 0.382_683_43],
    [FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [0.382_683_43, 0.923_879_5],
    [0.0, 1.0],
    [-0.382_683_43, 0.923_879_5],
    [-FRAC_1_SQRT_2, FRAC_1_SQRT_2],
    [-0.923_879_5, 0.382_683_43],
    [-1.0, 0.0],
    [-0.923_879_5, -0.382_683_43],
    [-FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
    [-0.382_683_43, -0.923_879_5],
    [0.0, -1.0],
    [0.382_683_43, -0.923_879_5],
    [FRAC_1_SQRT_2, -FRAC_1_SQRT_2],
    [0.923_879_5, -0.382_683_43],
];

/// A well mixed 64-bit value (the finaliser of SplitMix64, Steele et al. 2014).
pub(super) fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// A sequence of pseudo-random numbers; one a tile, so that no thread ever shares one.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(mix(seed))
    }

    /// The next number of 0..1.
    pub(super) fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (mix(self.0) >> 40) as f32 * (1.0 / 16_777_216.0)
    }

    /// The next number of -1..1.
    pub(super) fn signed(&mut self) -> f32 {
        self.unit() * 2.0 - 1.0
    }
}

/// A family of independent noises, all from one seed.
#[derive(Clone, Copy)]
pub(super) struct Noise(u32);

impl Noise {
    /// `purpose` keeps two uses of one seed apart.
    pub(super) fn new(seed: u64, purpose: u64) -> Self {
        Noise((mix(seed ^ mix(purpose)) >> 32) as u32)
    }

    /// A hash of a lattice point, as 0..1.
    pub(super) fn cell(self, x: i32, y: i32) -> f32 {
        (self.hash(x, y) >> 8) as f32 * (1.0 / 16_777_216.0)
    }

    fn hash(self, x: i32, y: i32) -> u32 {
        let mut h = self.0 ^ (x as u32).wrapping_mul(0x85eb_ca6b) ^ (y as u32).wrapping_mul(0xc2b2_ae35);
        h = (h ^ (h >> 16)).wrapping_mul(0x7feb_352d);
        h = (h ^ (h >> 15)).wrapping_mul(0x846c_a68b);
        h ^ (h >> 16)
    }

    /// Gradient noise with a lattice of one unit, about -1..1, mean 0.
    pub(super) fn gradient(self, x: f32, y: f32) -> f32 {
        let (x0, y0) = (x.floor(), y.floor());
        let (ix, iy) = (x0 as i32, y0 as i32);
        self.between(x - x0, y - y0, |cx, cy| (ix + cx, iy + cy))
    }

    /// Gradient noise in one square of a lattice, at `fx`, `fy` of 0..1 in it. `name` says which point of the lattice a
    /// corner is, so that far corners can be one and the same point.
    pub(super) fn between(self, fx: f32, fy: f32, name: impl Fn(i32, i32) -> (i32, i32)) -> f32 {
        let corner = |cx: i32, cy: i32| {
            let (x, y) = name(cx, cy);
            let d = DIRECTIONS[(self.hash(x, y) >> 28) as usize];
            d[0] * (fx - cx as f32) + d[1] * (fy - cy as f32)
        };
        let (u, v) = (fade(fx), fade(fy));
        let top = mix_f32(corner(0, 0), corner(1, 0), u);
        let bottom = mix_f32(corner(0, 1), corner(1, 1), u);
        mix_f32(top, bottom, v) * 1.5
    }

    /// Octaves of [`Noise::gradient`]: `wavelength` metres first, halved each time, weights times `gain`, about -1..1.
    ///
    /// Each octave is turned by another angle: lattices that coincide would show the axes.
    pub(super) fn octaves(self, x: f32, y: f32, wavelength: f32, count: u32, gain: f32) -> f32 {
        self.sum(x, y, wavelength, count, gain, |value| value)
    }

    /// As [`Noise::octaves`] with sharp crests in the place of zero crossings (Musgrave 1993), about -1..1.
    pub(super) fn ridges(self, x: f32, y: f32, wavelength: f32, count: u32, gain: f32) -> f32 {
        self.sum(x, y, wavelength, count, gain, |value| 1.0 - 2.6 * value.abs())
    }

    fn sum(self, x: f32, y: f32, wavelength: f32, count: u32, gain: f32, shape: impl Fn(f32) -> f32) -> f32 {
        // Starts turned as well, and away from the origin where all lattices share a corner.
        let scale = 1.0 / wavelength;
        let (mut px, mut py) = ((x * 0.8 - y * 0.6) * scale + 37.3, (x * 0.6 + y * 0.8) * scale + 91.7);
        let (mut total, mut weight, mut whole) = (0.0, 1.0, 0.0);
        for octave in 0..count {
            total +=
                weight * shape(Noise(self.0.wrapping_add(octave.wrapping_mul(0x9e37_79b9))).gradient(px, py));
            whole += weight;
            weight *= gain;
            (px, py) = ((px * 0.8 - py * 0.6) * 2.03 + 11.1, (px * 0.6 + py * 0.8) * 2.03 + 7.9);
        }
        total / whole
    }
}

/// The quintic of Perlin 2002, with second derivatives that vanish at the lattice.
fn fade(t: f32) -> f32 {
    t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
}

/// Linear interpolation from `a` to `b`.
pub(super) fn mix_f32(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

/// 0 below `low`, 1 above `high`, smooth between.
pub(super) fn smoothstep(low: f32, high: f32, value: f32) -> f32 {
    let t = ((value - low) / (high - low)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The larger of two, rounded within `width` of where they meet (Quilez' polynomial smooth maximum).
pub(super) fn smooth_max(a: f32, b: f32, width: f32) -> f32 {
    let t = (width - (a - b).abs()).max(0.0) / width;
    a.max(b) + t * t * width * 0.25
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_centred_bounded_and_seeded() {
        let (a, b) = (Noise::new(1, 2), Noise::new(2, 2));
        let (mut sum, mut same) = (0.0, 0);
        for i in 0..10_000 {
            let (x, y) = ((i % 100) as f32 * 3.7, (i / 100) as f32 * 3.7);
            let value = a.octaves(x, y, 40.0, 4, 0.5);
            assert!(value.abs() <= 1.2);
            sum += value;
            same += u32::from(value == b.octaves(x, y, 40.0, 4, 0.5));
        }
        assert!((sum / 10_000.0).abs() < 0.05, "the mean is {}", sum / 10_000.0);
        assert!(same < 10);
    }
}
