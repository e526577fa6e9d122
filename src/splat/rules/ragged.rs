//! The noise that makes the edges of rules ragged: gradient noise (Perlin 2002) of three octaves, the same on every machine.

/// Octaves, each half as long and half as strong as the one before.
const OCTAVES: u32 = 3;

/// A noise of its own for everything that has a name.
#[derive(Clone, Copy)]
pub(super) struct Noise {
    seed: u64,
    per_metre: f64,
}

impl Noise {
    /// The noise of this name whose largest patches are `metres` wide, above 0. It stays when layers change places.
    pub(super) fn new(name: &str, metres: f32) -> Self {
        // FNV-1a.
        let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self { seed, per_metre: 1.0 / f64::from(metres) }
    }

    /// About −1…1 at metres from the map's corner, 0 on average.
    pub(super) fn at(self, x: f64, z: f64) -> f32 {
        // Turned from octave to octave, since lattices that coincide would show the axes.
        let (mut x, mut z) = ((x * 0.8 - z * 0.6) * self.per_metre, (x * 0.6 + z * 0.8) * self.per_metre);
        let (mut sum, mut weight, mut whole) = (0.0, 1.0, 0.0);
        for octave in 0..OCTAVES {
            sum += weight * gradient(self.seed.wrapping_add(u64::from(octave)), x, z);
            whole += weight;
            weight *= 0.5;
            (x, z) = ((x * 0.8 - z * 0.6) * 2.03 + 11.1, (x * 0.6 + z * 0.8) * 2.03 + 7.9);
        }
        sum / whole
    }
}

/// Noise with a lattice of one unit, within −1…1.
fn gradient(seed: u64, x: f64, z: f64) -> f32 {
    let (x0, z0) = (x.floor(), z.floor());
    let (fx, fz) = ((x - x0) as f32, (z - z0) as f32);
    let (x0, z0) = (x0 as i64, z0 as i64);
    let corner = |cx: i64, cz: i64| {
        let [dx, dz] = direction(seed, x0.wrapping_add(cx), z0.wrapping_add(cz));
        dx * (fx - cx as f32) + dz * (fz - cz as f32)
    };
    let fade = |t: f32| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let north = mix(corner(0, 0), corner(1, 0), fade(fx));
    let south = mix(corner(0, 1), corner(1, 1), fade(fx));
    // Unit gradients reach √½.
    mix(north, south, fade(fz)) * std::f32::consts::SQRT_2
}

/// One of eight unit directions, by a hash of the lattice point (the finaliser of SplitMix64, Steele et al. 2014).
fn direction(seed: u64, x: i64, z: i64) -> [f32; 2] {
    const D: f32 = std::f32::consts::FRAC_1_SQRT_2;
    const AROUND: [[f32; 2]; 8] =
        [[1.0, 0.0], [D, D], [0.0, 1.0], [-D, D], [-1.0, 0.0], [-D, -D], [0.0, -1.0], [D, -D]];
    let place =
        (x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (z as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    let mut hash = seed ^ place;
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    AROUND[(hash >> 61) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_centred_bounded_and_named() {
        let (moss, sand) = (Noise::new("moss", 24.0), Noise::new("sand", 24.0));
        let (mut sum, mut square, mut both) = (0.0, 0.0, 0.0);
        for at in 0..40_000 {
            let (x, z) = (f64::from(at % 200) * 7.3, f64::from(at / 200) * 7.3);
            let (a, b) = (moss.at(x, z), sand.at(x, z));
            assert!(a.abs() <= 1.0);
            sum += f64::from(a);
            square += f64::from(a * a);
            both += f64::from(a * b);
        }
        assert!((sum / 40_000.0).abs() < 0.02, "the mean is {}", sum / 40_000.0);
        assert!((0.02..0.3).contains(&(square / 40_000.0)), "the square is {}", square / 40_000.0);
        assert!((both / square).abs() < 0.1, "two names move together: {}", both / square);
        // Smooth: a tenth of a metre moves it by little.
        assert!((moss.at(100.0, 50.0) - moss.at(100.1, 50.0)).abs() < 0.05);
    }
}
