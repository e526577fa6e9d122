//! A cliff: beds of rock that stand out and back, broken by joints into blocks with flat faces, with cracks and lichen.

use super::canvas::{Canvas, Colour, Stamp, Texel, blend, lit, warmed};
use super::finish::Finish;
use super::pattern::{Lattice, cell, pack};
use super::stone::{Angular, Quarry, graded, placed};
use crate::synth::field::{Step, Work};
use crate::synth::noise::{Noise, Random, smoothstep};

const GREY: Colour = [0.200, 0.192, 0.180];
const DARK: Colour = [0.100, 0.097, 0.094];
const OCHRE: Colour = [0.235, 0.180, 0.122];
const LICHEN: Colour = [0.270, 0.272, 0.220];
const YELLOW: Colour = [0.250, 0.205, 0.085];

pub(super) fn paint(n: usize, metres: f32, seed: u64, work: &mut Work) -> Step<(Canvas, Finish)> {
    let mut canvas =
        Canvas::new(n, metres, work, |_, _| Texel { height: -0.13, albedo: DARK, roughness: 0.9 })?;
    let mut random = Random::new(seed);
    canvas.stamp(work, &blocks(&mut random, metres), Angular::draw)?;
    canvas.change(work, |u, v, texel| weather(seed, u, v, texel))?;
    let how = Finish { luminance: 0.18, cavity: 0.32, dirt: 0.6, steepest: 1.5, even: 1.0 };
    Ok((canvas, how))
}

/// Blocks along the beds, so many that they cover all: their highest faces make the cliff.
fn blocks(random: &mut Random, metres: f32) -> Vec<Stamp<Angular>> {
    let quarry = Quarry { thick: 0.34, tilt: 0.24, long: [1.7, 4.2], steep: 0.9, round: 0.12, patina: 0.24 };
    let radii = graded(0.42, 0.09, 1500);
    let reach: Vec<f32> = radii.iter().map(|r| 0.66 * r / metres).collect();
    let places = pack(random, &reach, 12);
    placed(places, &radii, |radius| {
        let colour = blend(GREY, DARK, 0.7 * random.unit() * random.unit());
        let colour =
            warmed(blend(colour, OCHRE, 0.6 * random.unit() * random.unit()), 0.04 * random.signed());
        let colour = lit(colour, 0.75 + 0.45 * random.unit());
        let foot = -0.10 + 0.07 * random.signed() - 0.10 * radius;
        let lie = 0.09 * random.signed();
        quarry.stone(random, radius, foot, colour, Some([1.0, lie]))
    })
}

/// Beds, cracks, grain and lichen over the blocks.
fn weather(seed: u64, u: f32, v: f32, texel: &mut Texel) {
    let warp = Lattice::turned(5, 2).octaves(Noise::new(seed, 1), u, v, 3, 0.5);
    // Beds lie level; they dip where a block has settled, which its height and its colour tell.
    let settled = 0.07 * texel.height + 0.12 * texel.albedo[0];
    let beds =
        Lattice::stretched(3, 43, 1).octaves(Noise::new(seed, 2), u, v + 0.012 * warp + settled, 3, 0.75);
    let ledge = smoothstep(-0.08, 0.08, beds) - 0.5;
    let grain = Lattice::turned(89, 37).octaves(Noise::new(seed, 3), u, v, 3, 0.85);
    let rough = Lattice::turned(17, 6).octaves(Noise::new(seed, 4), u, v, 4, 0.65);
    // Joints stand across the beds, fractures lie along them; each opens and closes on its way.
    let crack = fracture(Noise::new(seed, 5), [15, 5], u + 0.014 * rough, v + 0.02 * warp, rough)
        .max(fracture(Noise::new(seed, 8), [5, 17], u + 0.02 * warp, v + 0.008 * rough, -rough));
    // Water has stained it in streaks down from the ledges.
    let stain = Lattice::stretched(31, 5, 2).octaves(Noise::new(seed, 9), u + 0.008 * rough, v, 3, 0.6);
    texel.height += 0.016 * ledge + 0.010 * beds + 0.0045 * grain + 0.018 * rough - 0.04 * crack;
    let shade = 1.0 + 0.14 * beds + 0.16 * grain + 0.12 * rough - 0.5 * crack;
    let stained = blend(texel.albedo, DARK, 0.55 * smoothstep(0.05, 0.6, stain));
    let rusty = blend(stained, OCHRE, 0.4 * smoothstep(0.1, 0.55, 0.5 * rough - stain));
    texel.albedo = lit(rusty, shade.max(0.2));
    texel.roughness = 0.86 + 0.06 * grain;
    lichen(seed, [u, v], grain, rough, texel);
}

/// How open a crack is, 0..1, between cells of which some have parted.
fn fracture(noise: Noise, cells: [i32; 2], u: f32, v: f32, opening: f32) -> f32 {
    let width = 0.030 * smoothstep(-0.1, 0.45, opening);
    if width <= 0.001 {
        return 0.0;
    }
    let joint = cell(noise, cells, 0.95, u, v);
    let width = width * smoothstep(0.45, 0.7, joint.id) + 1e-4;
    1.0 - smoothstep(0.3 * width, width, joint.edge)
}

/// Crusts of two kinds in colonies, on what stands out.
fn lichen(seed: u64, [u, v]: [f32; 2], grain: f32, rough: f32, texel: &mut Texel) {
    let colony = Lattice::turned(9, 5).octaves(Noise::new(seed, 10), u, v, 2, 0.5);
    for (purpose, cells, colour, from) in [(6, 34, LICHEN, 0.02), (7, 57, YELLOW, 0.22)] {
        let here = smoothstep(from, from + 0.3, colony);
        if here < 0.1 || texel.height < -0.12 {
            continue;
        }
        let (wu, wv) = (u + 0.009 * rough, v - 0.009 * rough);
        let spot = cell(Noise::new(seed, purpose), [cells, cells], 0.95, wu, wv);
        let far = (spot.from[0] * spot.from[0] + spot.from[1] * spot.from[1]).sqrt();
        let radius = 0.48 * spot.id * here;
        let cover = 1.0 - smoothstep(radius * 0.6, radius + 0.02, far + 0.34 * grain);
        let outward = smoothstep(-0.12, 0.0, texel.height) * smoothstep(0.04, 0.16, radius);
        let cover = 0.65 * cover * outward * (0.6 + 0.4 * spot.other);
        texel.albedo = blend(texel.albedo, lit(colour, 1.0 + 0.3 * grain), cover);
        texel.height += 0.002 * cover;
        texel.roughness += 0.06 * cover;
    }
}
