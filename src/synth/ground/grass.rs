//! Long grass: tufts of blades that lean out over each other, dead straw and dark earth between.

use super::canvas::{Canvas, Colour, Stamp, Texel, blend, lit, warmed};
use super::finish::Finish;
use super::pattern::{Lattice, direction, scatter};
use super::plant::{Piece, Strand};
use crate::synth::field::{Step, Work};
use crate::synth::noise::{Noise, Random};

const EARTH: Colour = [0.017, 0.016, 0.008];
const STRAW: Colour = [0.13, 0.10, 0.045];
const ROOT: Colour = [0.012, 0.024, 0.006];
const BLADE: Colour = [0.046, 0.082, 0.016];
const TIP: Colour = [0.100, 0.125, 0.033];

pub(super) fn paint(n: usize, metres: f32, seed: u64, work: &mut Work) -> Step<(Canvas, Finish)> {
    let noise = Noise::new(seed, 1);
    let mut canvas = Canvas::new(n, metres, work, |u, v| {
        let clods = Lattice::turned(23, 11).octaves(noise, u, v, 4, 0.7);
        Texel { height: 0.008 * clods, albedo: lit(EARTH, 1.0 + 0.6 * clods), roughness: 0.95 }
    })?;
    let mut random = Random::new(seed);
    canvas.stamp(work, &straw(&mut random, metres), Piece::draw)?;
    canvas.stamp(work, &tufts(&mut random, metres), Piece::draw)?;
    let how = Finish { luminance: 0.068, cavity: 0.34, dirt: 0.55, steepest: 1.1, even: 1.0 };
    Ok((canvas, how))
}

/// Dead blades that lie about.
fn straw(random: &mut Random, metres: f32) -> Vec<Stamp<Piece>> {
    let mut pieces = Vec::new();
    for at in scatter(random, 2600) {
        let colour = lit(warmed(STRAW, 0.2 * random.signed()), 0.35 + 0.6 * random.unit() * random.unit());
        let strand = Strand {
            length: 0.04 + 0.10 * random.unit(),
            breadth: 0.0012 + 0.0012 * random.unit(),
            foot: 0.004 + 0.012 * random.unit(),
            rise: 0.008 * random.signed(),
            sag: 0.0,
            colour: [colour, colour, lit(colour, 0.8)],
            bend: 6.0 * random.signed(),
            wander: 5.0,
            crown: 0.4,
            roughness: 0.85,
            rooted: false,
        };
        let toward = direction(random);
        strand.lay(&mut pieces, random, metres, at, toward, 4);
    }
    pieces
}

fn tufts(random: &mut Random, metres: f32) -> Vec<Stamp<Piece>> {
    let mut pieces = Vec::new();
    for at in scatter(random, 400) {
        let (size, hue, bright) = (0.6 + 0.6 * random.unit(), random.signed(), 0.85 + 0.3 * random.unit());
        // The whole tuft leans one way.
        let (lean, leaning) = (direction(random), 0.5 + 1.2 * random.unit());
        let count = (20.0 + 45.0 * size) as usize;
        for _ in 0..count {
            let out = direction(random);
            let toward = [out[0] + leaning * lean[0], out[1] + leaning * lean[1]];
            let length = (toward[0] * toward[0] + toward[1] * toward[1]).sqrt().max(0.05);
            let toward = [toward[0] / length, toward[1] / length];
            let spread = 0.070 * size * random.unit() / metres;
            let root = [at[0] + out[0] * spread, at[1] + out[1] * spread];
            blade(random, size, hue, bright).lay(&mut pieces, random, metres, root, toward, 7);
        }
    }
    // Single blades fill the ground between.
    for at in scatter(random, 16_000) {
        let (hue, toward) = (random.signed(), direction(random));
        let size = 0.45 + 0.4 * random.unit();
        blade(random, size, hue, 0.8).lay(&mut pieces, random, metres, at, toward, 5);
    }
    pieces
}

/// A blade of a tuft of a size of about 1, yellower for a hue above 0.
fn blade(random: &mut Random, size: f32, hue: f32, bright: f32) -> Strand {
    let reach = size * (0.05 + 0.09 * random.unit());
    let own = bright * (0.75 + 0.5 * random.unit());
    let warm = 0.10 * hue + 0.08 * random.signed();
    let tint = |c: Colour| warmed(lit(c, own), warm);
    // One in nine is dry.
    let dry = if random.unit() < 0.11 { 0.5 + 0.5 * random.unit() } else { 0.0 };
    Strand {
        length: reach,
        breadth: 0.0017 + 0.0017 * random.unit(),
        foot: 0.004,
        rise: size * (0.10 + 0.10 * random.unit()),
        sag: size * (0.05 + 0.08 * random.unit()),
        colour: [
            blend(tint(ROOT), lit(STRAW, 0.4), dry),
            blend(tint(BLADE), STRAW, dry),
            blend(tint(TIP), STRAW, dry),
        ],
        bend: 11.0 * random.signed(),
        wander: 4.0,
        crown: -0.5,
        roughness: 0.6 + 0.2 * dry,
        rooted: true,
    }
}
