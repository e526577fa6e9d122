//! A mountain meadow: short fine grass over moss, clover, rosettes of broad leaves, dry stalks and small flowers.

use super::canvas::{Canvas, Colour, Stamp, Texel, blend, lit, strew, warmed};
use super::finish::Finish;
use super::pattern::{Lattice, direction, scatter, turn};
use super::plant::{Flower, Leaf, Piece, Strand};
use crate::synth::field::{Step, Work};
use crate::synth::noise::{Noise, Random};

const EARTH: Colour = [0.050, 0.041, 0.019];
const MOSS: Colour = [0.060, 0.070, 0.016];
const GREEN: Colour = [0.088, 0.112, 0.024];
const CLOVER: Colour = [0.062, 0.102, 0.023];
const PALE: Colour = [0.14, 0.18, 0.07];
const HAY: Colour = [0.26, 0.205, 0.095];

pub(super) fn paint(n: usize, metres: f32, seed: u64, work: &mut Work) -> Step<(Canvas, Finish)> {
    let noise = Noise::new(seed, 1);
    let mut canvas = Canvas::new(n, metres, work, |u, v| {
        let clods = Lattice::turned(71, 32).octaves(noise, u, v, 4, 0.9);
        let moss = Lattice::turned(17, 6).octaves(noise, v, u, 4, 0.8);
        let colour = blend(EARTH, MOSS, (0.5 + 2.0 * moss).clamp(0.0, 1.0));
        Texel { height: 0.006 * clods, albedo: lit(colour, 0.6 + 0.8 * clods.abs()), roughness: 0.95 }
    })?;
    let mut random = Random::new(seed);
    canvas.stamp(work, &turf(&mut random, metres), Piece::draw)?;
    canvas.stamp(work, &leaves(&mut random, metres), Leaf::draw)?;
    canvas.stamp(work, &stalks(&mut random, metres), Piece::draw)?;
    canvas.stamp(work, &flowers(&mut random), Flower::draw)?;
    let how = Finish { luminance: 0.105, cavity: 0.30, dirt: 0.5, steepest: 0.9, even: 1.0 };
    Ok((canvas, how))
}

/// Short blades in small tufts.
fn turf(random: &mut Random, metres: f32) -> Vec<Stamp<Piece>> {
    let mut pieces = Vec::new();
    for at in scatter(random, 4600) {
        let (hue, size) = (0.14 * random.signed(), 0.6 + 0.6 * random.unit());
        for _ in 0..13 {
            let out = direction(random);
            let spread = 0.045 * random.unit() / metres;
            let place = [at[0] + out[0] * spread, at[1] + out[1] * spread];
            let colour = warmed(lit(GREEN, 0.65 + 0.6 * random.unit()), hue + 0.1 * random.signed());
            let dry = if random.unit() < 0.2 { random.unit() } else { 0.0 };
            let strand = Strand {
                length: size * (0.025 + 0.04 * random.unit()),
                breadth: 0.0012 + 0.0009 * random.unit(),
                foot: 0.003,
                rise: size * (0.03 + 0.04 * random.unit()),
                sag: size * (0.015 + 0.03 * random.unit()),
                colour: [lit(colour, 0.45), blend(colour, HAY, dry), blend(lit(colour, 1.25), HAY, dry)],
                bend: 9.0 * random.signed(),
                wander: 5.0,
                crown: -0.5,
                roughness: 0.7,
                rooted: true,
            };
            let toward = turn(out, random.signed());
            strand.lay(&mut pieces, random, metres, place, toward, 4);
        }
    }
    pieces
}

/// Clover in patches and rosettes of broad leaves.
fn leaves(random: &mut Random, metres: f32) -> Vec<Stamp<Leaf>> {
    let mut leaves = Vec::new();
    let mut lay = |at: [f32; 2], offset: [f32; 2], leaf: Leaf| {
        let at = [0, 1].map(|i| {
            let t = at[i] + offset[i] / metres;
            t - t.floor()
        });
        leaves.push(Stamp { at, reach: leaf.reach(), shape: leaf });
    };
    for patch in scatter(random, 169) {
        let count = (12.0 * random.unit() * random.unit()) as usize + 2;
        for _ in 0..count {
            let (out, far) = (direction(random), 0.085 * random.unit());
            let middle = [out[0] * far, out[1] * far];
            let (size, height) = (0.0055 + 0.0045 * random.unit(), 0.020 + 0.018 * random.unit());
            let colour = lit(CLOVER, 0.85 + 0.4 * random.unit());
            let mut axis = direction(random);
            for _ in 0..3 {
                let offset = [middle[0] + axis[0] * size * 0.95, middle[1] + axis[1] * size * 0.95];
                let half = [size, size * 0.85];
                let colour = lit(colour, 0.92 + 0.16 * random.unit());
                let leaf =
                    Leaf { axis, half, height: [height, height - 0.003], colour, rib: PALE, band: 0.4 };
                lay(patch, offset, leaf);
                // A third of a turn.
                axis = [-0.5 * axis[0] - 0.866_025_4 * axis[1], 0.866_025_4 * axis[0] - 0.5 * axis[1]];
            }
        }
    }
    for rosette in scatter(random, 81) {
        let (size, hue) = (0.012 + 0.020 * random.unit(), 0.15 * random.signed());
        let mut axis = direction(random);
        let count = 5 + (4.0 * random.unit()) as usize;
        for i in 0..count {
            let length = size * (0.7 + 0.5 * random.unit());
            let offset = [axis[0] * length, axis[1] * length];
            let colour = warmed(lit(GREEN, 0.55 + 0.35 * random.unit()), hue);
            let half = [length, length * (0.34 + 0.16 * random.unit())];
            let height = [0.008 + 0.001 * i as f32, 0.012 + 0.022 * random.unit()];
            lay(rosette, offset, Leaf { axis, half, height, colour, rib: lit(colour, 1.5), band: 0.0 });
            axis = turn(axis, 0.9 + 0.5 * random.unit());
        }
    }
    leaves
}

/// Dry stalks that lie over the green.
fn stalks(random: &mut Random, metres: f32) -> Vec<Stamp<Piece>> {
    let mut pieces = Vec::new();
    for at in scatter(random, 420) {
        let colour = lit(warmed(HAY, 0.12 * random.signed()), 0.7 + 0.5 * random.unit());
        let strand = Strand {
            length: 0.07 + 0.20 * random.unit() * random.unit(),
            breadth: 0.0010 + 0.0008 * random.unit(),
            foot: 0.012,
            rise: 0.06 + 0.06 * random.unit(),
            sag: 0.05 + 0.05 * random.unit(),
            colour: [lit(colour, 0.6), colour, lit(colour, 1.1)],
            bend: 2.0 * random.signed(),
            wander: 2.5,
            crown: 0.5,
            roughness: 0.8,
            rooted: true,
        };
        let toward = direction(random);
        strand.lay(&mut pieces, random, metres, at, toward, 7);
    }
    pieces
}

/// White, yellow and violet ones, each a centimetre or less.
fn flowers(random: &mut Random) -> Vec<Stamp<Flower>> {
    strew(random, 190, |random| {
        let (kind, small) = (random.unit(), 0.8 + 0.4 * random.unit());
        // Twelve petals a twelfth of a turn apart, or five a fifth of one.
        let (radius, heart, petal, heart_colour, petals) = if kind < 0.34 {
            (0.0105, 0.36, [0.62, 0.62, 0.58], [0.55, 0.34, 0.02], 12)
        } else if kind < 0.72 {
            (0.0075, 0.28, [0.58, 0.40, 0.015], [0.42, 0.30, 0.02], 5)
        } else {
            (0.0070, 0.25, [0.20, 0.10, 0.36], [0.45, 0.36, 0.05], 5)
        };
        let flower = Flower {
            radius: radius * small,
            heart,
            height: 0.045 + 0.02 * random.unit(),
            petal,
            heart_colour,
            first: direction(random),
            next: if petals == 5 { 3.077_683_5 } else { 0.577_350_26 },
            petals,
        };
        (radius * small, flower)
    })
}
