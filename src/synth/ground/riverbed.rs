//! A riverbed: rolled stones of many rocks, packed by size, gravel between them and sand in the gaps.

use super::canvas::{Canvas, Colour, Stamp, Texel, blend, lit, warmed};
use super::finish::Finish;
use super::pattern::{Lattice, pack};
use super::stone::{Pebble, graded, placed};
use crate::synth::field::{Step, Work};
use crate::synth::noise::{Noise, Random};

const SAND: Colour = [0.235, 0.190, 0.135];
/// Rocks of the catchment, and how common each is.
const ROCKS: [(Colour, f32); 6] = [
    ([0.200, 0.200, 0.195], 0.34),
    ([0.125, 0.132, 0.135], 0.22),
    ([0.270, 0.250, 0.215], 0.20),
    ([0.200, 0.150, 0.118], 0.12),
    ([0.150, 0.165, 0.140], 0.07),
    ([0.360, 0.345, 0.315], 0.05),
];
const QUARTZ: Colour = [0.50, 0.48, 0.44];

pub(super) fn paint(n: usize, metres: f32, seed: u64, work: &mut Work) -> Step<(Canvas, Finish)> {
    let noise = Noise::new(seed, 1);
    let mut canvas = Canvas::new(n, metres, work, |u, v| {
        let grit = Lattice::turned(97, 41).octaves(noise, u, v, 3, 0.9);
        let banks = Lattice::turned(7, 4).octaves(noise, v, u, 2, 0.5);
        let height = -0.006 + 0.02 * banks + 0.0022 * grit;
        Texel { height, albedo: lit(SAND, 0.95 + 0.3 * grit), roughness: 0.92 }
    })?;
    let mut random = Random::new(seed);
    canvas.stamp(work, &pebbles(&mut random, metres), Pebble::draw)?;
    let how = Finish { luminance: 0.175, cavity: 0.34, dirt: 0.55, steepest: 1.5, even: 1.0 };
    Ok((canvas, how))
}

fn pebbles(random: &mut Random, metres: f32) -> Vec<Stamp<Pebble>> {
    let radii = graded(0.17, 0.0085, 15_000);
    let reach: Vec<f32> = radii.iter().map(|r| 0.97 * r / metres).collect();
    let places = pack(random, &reach, 26);
    placed(places, &radii, |radius| {
        let mut pick = random.unit();
        let found = ROCKS.iter().find(|(_, share)| {
            pick -= share;
            pick < 0.0
        });
        let rock = found.unwrap_or(&ROCKS[0]).0;
        let colour = lit(warmed(rock, 0.07 * random.signed()), 0.7 + 0.5 * random.unit());
        let colour = blend(colour, SAND, 0.15 * random.unit());
        let vein = (random.unit() < 0.09).then_some(QUARTZ);
        // Half sunk: the larger, the deeper.
        let foot = -0.012 - 0.28 * radius * random.unit();
        Pebble::new(random, radius, foot, 0.9, colour, vein)
    })
}
