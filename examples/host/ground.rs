//! The ground: hills from a few octaves of noise, and a crater to dig into them.

use landform::Result;
use landform::field::{Field, FieldDesc, SampleRect};

/// Samples a side of a tile; there are 4×4 tiles.
const TILE: u32 = 128;
/// Metres between samples: 2 km of ground.
const SPACING: f64 = 4.0;
const HIGHEST: f64 = 420.0;

/// The crater's middle and radius, in samples: inside one tile.
const CRATER: (u32, u32) = (190, 318);
const RADIUS: u32 = 36;

/// Hills that rise to the north.
pub(crate) fn hills() -> Result<Field> {
    let desc = FieldDesc::of_tiles(TILE, 4, 4).with_spacing(SPACING, SPACING).with_range(0.0, HIGHEST);
    let mut field = Field::new(desc)?;
    field.edit(desc.rect(), |z, row| {
        for (x, code) in row.iter_mut().enumerate() {
            let (u, v) = (x as f64 / f64::from(desc.width), f64::from(z) / f64::from(desc.height));
            let rise = 0.15 + 0.85 * (1.0 - v).powf(1.3);
            *code = desc.range.code(HIGHEST * rise * ridges(u, v));
        }
    });
    Ok(field)
}

/// Lowers a round part of the ground and raises a rim around it. The field finds out by itself which tiles that touches;
/// they are uploaded with the next plan.
pub(crate) fn dig(field: &mut Field) {
    let range = field.desc().range;
    let (x0, z0) = (CRATER.0 - RADIUS, CRATER.1 - RADIUS);
    field.edit(SampleRect::new(x0, z0, 2 * RADIUS + 1, 2 * RADIUS + 1), |z, row| {
        for (column, code) in row.iter_mut().enumerate() {
            let from_middle =
                f64::hypot(column as f64 - f64::from(RADIUS), f64::from(z) - f64::from(CRATER.1));
            let t = from_middle / f64::from(RADIUS);
            if t < 1.0 {
                // A bowl, and a rim that meets the ground without an edge.
                let bowl = -42.0 * (1.0 - (t / 0.7).min(1.0).powi(2)).powi(2);
                let rim = 14.0 * (1.0 - ((t - 0.7) / 0.3).powi(2)).max(0.0).powi(2);
                *code = range.code(range.metres(f64::from(*code)) + bowl + rim);
            }
        }
    });
}

/// Ridged noise, 0 to 1: octaves of noise folded at its middle, each weighted by the one before it.
fn ridges(u: f64, v: f64) -> f64 {
    let (mut sum, mut weight, mut amplitude) = (0.0, 1.0, 0.55);
    for octave in 0..7 {
        let scale = 3.0 * f64::from(1 << octave);
        let fold = 1.0 - (2.0 * noise(u * scale, v * scale, octave) - 1.0).abs();
        let ridge = fold * fold * weight;
        sum += amplitude * ridge;
        weight = (1.6 * ridge).clamp(0.0, 1.0);
        amplitude *= 0.47;
    }
    sum.clamp(0.0, 1.0)
}

/// Value noise, 0 to 1, smooth to the second derivative.
fn noise(x: f64, z: f64, seed: u32) -> f64 {
    let (x0, z0) = (x.floor(), z.floor());
    let smooth = |t: f64| t * t * t * (t * (6.0 * t - 15.0) + 10.0);
    let (u, v) = (smooth(x - x0), smooth(z - z0));
    let at = |dx: u32, dz: u32| f64::from(hash(x0 as u32 + dx, z0 as u32 + dz, seed)) / f64::from(u32::MAX);
    let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
    mix(mix(at(0, 0), at(1, 0), u), mix(at(0, 1), at(1, 1), u), v)
}

fn hash(x: u32, z: u32, seed: u32) -> u32 {
    let mut h = x.wrapping_mul(0x9E37_79B1) ^ z.wrapping_mul(0x85EB_CA77) ^ seed.wrapping_mul(0xC2B2_AE3D);
    h = (h ^ (h >> 15)).wrapping_mul(0x2C1B_3C6D);
    h = (h ^ (h >> 12)).wrapping_mul(0x297A_2D39);
    h ^ (h >> 15)
}
