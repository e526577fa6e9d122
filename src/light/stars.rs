//! The stars that an eye sees: made up, but as many, as bright and as white as they are.
//!
//! They lie on the six faces of a cube around the celestial sphere, in cells of 1.4°, one or none in each, and a cell's number says all
//! about its star. So a shader finds those around a pixel without a list: `shaders/include/night.hlsl`, of which this is the twin.
//!
//! 9000 of them are brighter than the magnitude 6.5, and in each magnitude less a third of those: 5000 to 6, 1700 to 5, 560 to 4, 60 to 2
//! (Allen's counts are 4850, 1620, 530 and 40). The brightest are of −1.5.

use super::luminance;
use crate::shaders::{STAR_CELLS, STAR_CHANCE};
use glam::{Vec2, Vec3};

/// Illuminance of a star of magnitude 6.5 above the air, in lux: 2.54·10⁻⁶ · 10^(−0.4 · 6.5).
const FAINTEST: f32 = 6.380_3e-9;
/// How much brighter the brightest is: eight magnitudes.
const BRIGHTEST: f32 = 1584.9;
/// Where a third as many are brighter by a magnitude, the light of the n-th goes with this power of n: −0.4 · ln 10 / ln 3.
const SLOPE: f32 = -0.838_36;
/// How the cells of a face are bent, so that they have about one size: an arc tangent, nearly.
const BEND: f32 = 0.273_24;

/// A star.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Star {
    /// Toward it on the celestial sphere, a unit vector; y goes to the pole.
    pub toward: Vec3,
    /// Illuminance above the air of a surface that faces it, in lux, linear RGB.
    pub illuminance: Vec3,
}

impl Star {
    /// Its magnitude: 0 is 2.54 microlux, and 5 a hundredth of that.
    pub fn magnitude(&self) -> f32 {
        -2.5 * (luminance(self.illuminance) / 2.54e-6).log10()
    }
}

/// All stars that are drawn, in no order.
pub fn stars() -> impl Iterator<Item = Star> {
    (0..6 * (STAR_CELLS * STAR_CELLS) as u32).filter_map(star_of)
}

/// A cell's star, if it has one.
fn star_of(cell: u32) -> Option<Star> {
    let chance = scattered(cell);
    if chance >= STAR_CHANCE {
        return None;
    }
    let (place, white) = (scattered(chance), scattered(scattered(chance)));
    let cells = STAR_CELLS as u32;
    let (face, at) = (cell / (cells * cells), [cell % cells, cell / cells % cells]);
    let part = [place & 0xffff, place >> 16].map(|part| (part as f32 + 0.5) / 65_536.0);
    // Half a cell along a face's edge stays empty, so that no star's light lies on two faces.
    let across = |axis: usize| {
        let (first, width) = match at[axis] {
            0 => (0.5, 0.5),
            at if at == cells - 1 => (0.0, 0.5),
            _ => (0.0, 1.0),
        };
        (at[axis] as f32 + first + part[axis] * width) * (2.0 / cells as f32) - 1.0
    };
    let rank = (chance as f32 + 0.5) / STAR_CHANCE as f32;
    let light = FAINTEST * rank.powf(SLOPE).min(BRIGHTEST);
    Some(Star { toward: toward(face, Vec2::new(across(0), across(1))), illuminance: colour(white) * light })
}

/// The direction of a place on a face, −1 to 1.
fn toward(face: u32, place: Vec2) -> Vec3 {
    let straight = |bent: f32| {
        let root = ((1.0 + BEND) * (1.0 + BEND) - 4.0 * BEND * bent.abs()).sqrt();
        ((1.0 + BEND - root) / (2.0 * BEND)).copysign(bent)
    };
    let (u, v) = (straight(place.x), straight(place.y));
    let front = if face & 1 == 0 { 1.0 } else { -1.0 };
    let toward = match face >> 1 {
        0 => Vec3::new(front, u, v),
        1 => Vec3::new(v, front, u),
        _ => Vec3::new(u, v, front),
    };
    toward.normalize()
}

/// A colour of luminance 1 between that of a hot star and that of a cool one; most are nearly white.
fn colour(hash: u32) -> Vec3 {
    let warmth = ((hash & 0xffff) as f32 + (hash >> 16) as f32) / 65_535.0 - 1.0;
    let (hot, cool) = (Vec3::new(0.87, 0.99, 1.45), Vec3::new(1.25, 0.95, 0.72));
    Vec3::ONE + (if warmth < 0.0 { hot } else { cool } - Vec3::ONE) * warmth.abs()
}

/// A number that has nothing to do with the one before (PCG: O'Neill 2014; Jarzynski and Olano 2020, *Hash Functions for GPU
/// Rendering*, JCGT 9).
fn scattered(value: u32) -> u32 {
    let state = value.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (word >> 22) ^ word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_as_an_eye_sees() {
        let stars: Vec<_> = stars().collect();
        let brighter = |than: f32| stars.iter().filter(|star| star.magnitude() < than).count();
        assert!((8700..9300).contains(&stars.len()), "{}", stars.len());
        // Three times as many a magnitude, to what chance leaves.
        for (magnitude, count) in [(6.0, 5196), (5.0, 1732), (4.0, 577), (3.0, 192)] {
            let (found, slack) = (brighter(magnitude), 4.0 * f64::from(count).sqrt());
            assert!((found as f64 - f64::from(count)).abs() < slack, "{found} to {magnitude}");
        }
        let brightest = stars.iter().map(Star::magnitude).fold(f32::INFINITY, f32::min);
        assert!((-1.51..0.5).contains(&brightest), "{brightest}");
        let faintest = stars.iter().map(Star::magnitude).fold(f32::NEG_INFINITY, f32::max);
        assert!((6.4..6.51).contains(&faintest), "{faintest}");
    }

    #[test]
    fn they_are_all_around_and_white_together() {
        let (mut middle, mut light, mut parts) = (Vec3::ZERO, Vec3::ZERO, [0usize; 8]);
        for star in stars() {
            assert!((star.toward.length() - 1.0).abs() < 1e-5);
            middle += star.toward;
            light += star.illuminance / luminance(star.illuminance);
            let side = star.toward.to_array().map(|axis| usize::from(axis > 0.0));
            parts[side[0] + 2 * side[1] + 4 * side[2]] += 1;
        }
        assert!((middle / 9000.0).length() < 0.03, "{middle}");
        assert!(parts.iter().all(|part| (1000..1250).contains(part)), "{parts:?}");
        let white = light / light.y;
        assert!((white - 1.0).abs().max_element() < 0.1, "{white}");
        for hash in [0, 0xffff_ffff, 0x8000_8000, 0x1234_5678] {
            let luminance = luminance(colour(hash));
            assert!((luminance - 1.0).abs() < 0.01, "{luminance}");
        }
    }

    #[test]
    fn none_is_nearer_to_a_face_s_edge_than_half_a_cell() {
        let nearest = stars()
            .map(|star| {
                let mut sides = star.toward.abs().to_array();
                sides.sort_by(f32::total_cmp);
                sides[1] / sides[2]
            })
            .fold(0f32, f32::max);
        // Where 63.5 of the 64 cells are.
        let edge = toward(0, Vec2::new(63.5 / 32.0 - 1.0, 0.0));
        assert!(nearest <= edge.y / edge.x + 1e-5, "{nearest}");
    }
}
