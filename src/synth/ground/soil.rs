//! Bare earth: crumbs and clods, drying cracks, small stones and thin roots.

use super::canvas::{Canvas, Colour, Stamp, Texel, blend, lit, strew, warmed};
use super::finish::Finish;
use super::pattern::{Lattice, cell, direction, pack, scatter};
use super::plant::{Piece, Strand};
use super::stone::{Angular, Quarry, graded, placed};
use crate::synth::field::{Step, Work};
use crate::synth::noise::{Noise, Random, smoothstep};

const EARTH: Colour = [0.105, 0.074, 0.048];
const DRY: Colour = [0.190, 0.145, 0.102];
const ROOT: Colour = [0.24, 0.165, 0.095];
const STONE: Colour = [0.175, 0.155, 0.130];

pub(super) fn paint(n: usize, metres: f32, seed: u64, work: &mut Work) -> Step<(Canvas, Finish)> {
    let mut canvas = Canvas::new(n, metres, work, |u, v| ground(seed, u, v))?;
    let mut random = Random::new(seed);
    canvas.stamp(work, &crumbs(&mut random, metres), Angular::draw)?;
    canvas.stamp(work, &stones(&mut random), Angular::draw)?;
    canvas.stamp(work, &roots(&mut random, metres), Piece::draw)?;
    let how = Finish { luminance: 0.108, cavity: 0.36, dirt: 0.5, steepest: 1.2, even: 1.0 };
    Ok((canvas, how))
}

/// Damp earth with fine crumbs, trodden to a crust in places, where it has cracked in drying.
fn ground(seed: u64, u: f32, v: f32) -> Texel {
    let lumps = Lattice::turned(29, 17).octaves(Noise::new(seed, 4), u, v, 4, 0.85);
    let crust = Lattice::turned(9, 5).octaves(Noise::new(seed, 3), u, v, 2, 0.6);
    let open = smoothstep(-0.1, 0.3, crust);
    let warp = Lattice::turned(21, 9).octaves(Noise::new(seed, 1), u, v, 2, 0.6);
    let plate = cell(Noise::new(seed, 2), [19, 19], 0.95, u + 0.013 * warp, v - 0.013 * warp);
    let width = 0.045 * open * (0.4 + plate.id);
    let crack = open * (1.0 - smoothstep(0.3 * width, width + 0.01, plate.edge));
    let height = 0.004 * open + 0.008 * lumps - 0.012 * crack + 0.004 * (plate.id - 0.5) * open;
    let colour = blend(EARTH, DRY, (0.3 + 0.35 * open + 0.6 * lumps).clamp(0.0, 1.0));
    let colour = warmed(lit(colour, 1.0 + 0.25 * lumps - 0.5 * crack), 0.06 * (plate.other - 0.5));
    Texel { height, albedo: colour, roughness: 0.95 }
}

/// Clods of 7 cm to crumbs of 5 mm, with blunt corners.
fn crumbs(random: &mut Random, metres: f32) -> Vec<Stamp<Angular>> {
    let quarry = Quarry { thick: 0.75, tilt: 0.5, long: [1.0, 1.6], steep: 0.8, round: 0.9, patina: 0.10 };
    let radii = graded(0.036, 0.0032, 19_000);
    let reach: Vec<f32> = radii.iter().map(|r| 0.8 * r / metres).collect();
    let places = pack(random, &reach, 3);
    placed(places, &radii, |radius| {
        let colour = blend(EARTH, DRY, random.unit());
        let colour = lit(warmed(colour, 0.07 * random.signed()), 0.75 + 0.4 * random.unit());
        let foot = 0.002 - 0.25 * radius + 0.005 * random.signed();
        quarry.stone(random, radius, foot, colour, None)
    })
}

fn stones(random: &mut Random) -> Vec<Stamp<Angular>> {
    let quarry = Quarry { thick: 0.7, tilt: 0.35, long: [1.0, 1.8], steep: 1.2, round: 0.5, patina: 0.12 };
    strew(random, 480, |random| {
        let radius = 0.004 + 0.016 * random.unit() * random.unit() * random.unit();
        let colour = lit(warmed(STONE, 0.14 * random.signed()), 0.7 + 0.6 * random.unit());
        quarry.stone(random, radius, 0.005, colour, None)
    })
}

fn roots(random: &mut Random, metres: f32) -> Vec<Stamp<Piece>> {
    let mut pieces = Vec::new();
    let mut lay = |random: &mut Random, count: usize, length: f32, breadth: f32, parts: usize| {
        for at in scatter(random, count) {
            let colour = lit(warmed(ROOT, 0.1 * random.signed()), 0.7 + 0.6 * random.unit());
            let strand = Strand {
                length: length * (0.5 + random.unit()),
                breadth: breadth * (0.6 + 0.6 * random.unit()),
                foot: 0.004,
                rise: 0.050,
                sag: 0.052,
                colour: [lit(colour, 0.7), colour, lit(colour, 0.8)],
                bend: 2.0 * random.signed(),
                wander: 22.0,
                crown: 0.8,
                roughness: 0.85,
                rooted: false,
            };
            let toward = direction(random);
            strand.lay(&mut pieces, random, metres, at, toward, parts);
        }
    };
    lay(random, 30, 0.32, 0.0022, 26);
    lay(random, 170, 0.06, 0.0010, 5);
    pieces
}
