//! Scree: angular stones from a hand to a table, over and between each other, grit and dust in the gaps.

use super::canvas::{Canvas, Colour, Stamp, Texel, blend, lit, warmed};
use super::finish::Finish;
use super::pattern::{Lattice, pack};
use super::stone::{Angular, Quarry, graded, placed};
use crate::synth::field::{Step, Work};
use crate::synth::noise::{Noise, Random};

const DUST: Colour = [0.105, 0.090, 0.072];
const GREY: Colour = [0.215, 0.208, 0.196];
const RUST: Colour = [0.225, 0.175, 0.130];

pub(super) fn paint(n: usize, metres: f32, seed: u64, work: &mut Work) -> Step<(Canvas, Finish)> {
    let noise = Noise::new(seed, 1);
    let mut canvas = Canvas::new(n, metres, work, |u, v| {
        let grit = Lattice::turned(61, 24).octaves(noise, u, v, 4, 0.85);
        Texel { height: -0.03 + 0.018 * grit, albedo: lit(DUST, 1.0 + 0.35 * grit), roughness: 0.95 }
    })?;
    let mut random = Random::new(seed);
    // The large ones first: what they hide is then soon passed over.
    canvas.stamp(work, &stones(&mut random, metres), Angular::draw)?;
    let grain = Noise::new(seed, 2);
    canvas.change(work, |u, v, texel| {
        let fine = Lattice::turned(190, 83).octaves(grain, u, v, 2, 0.8);
        texel.height += 0.0022 * fine;
        texel.albedo = lit(texel.albedo, 1.0 + 0.18 * fine);
    })?;
    let how = Finish { luminance: 0.19, cavity: 0.36, dirt: 0.7, steepest: 1.5, even: 1.0 };
    Ok((canvas, how))
}

fn stones(random: &mut Random, metres: f32) -> Vec<Stamp<Angular>> {
    let quarry = Quarry { thick: 0.5, tilt: 0.32, long: [1.0, 2.1], steep: 1.1, round: 0.16, patina: 0.30 };
    let radii = graded(0.27, 0.016, 9500);
    let reach: Vec<f32> = radii.iter().map(|r| 0.85 * r / metres).collect();
    let places = pack(random, &reach, 14);
    placed(places, &radii, |radius| {
        let colour = blend(GREY, RUST, random.unit() * random.unit() * random.unit());
        let colour = lit(warmed(colour, 0.05 * random.signed()), 0.68 + 0.62 * random.unit());
        // Small ones have fallen between the large.
        let foot = -0.04 + 0.10 * (0.27 - radius) * random.unit() - 0.25 * radius * random.unit();
        quarry.stone(random, radius, foot, colour, None)
    })
}
