//! Stones: angular ones, cut by planes, and rounded ones.

use super::canvas::{Colour, Stamp, Texel, blend, lit};
use super::pattern::{direction, turn};
use crate::synth::noise::{Noise, Random, mix_f32, smoothstep};

/// Planes of an angular stone: faces around it and on its top.
const FACES: usize = 11;

/// A convex stone, whose upper side is the lowest of some planes.
pub(super) struct Angular {
    /// Height over the stone's place and its fall along x and y, for each plane.
    planes: [[f32; 3]; FACES],
    /// Height of its foot and of its top over that, metres.
    foot: f32,
    height: f32,
    /// How round its edges are, metres of height.
    round: f32,
    /// Metres from its place that no corner passes.
    reach: f32,
    colour: Colour,
    /// How far its faces differ in brightness, 0..1.
    patina: f32,
    grain: Noise,
}

/// What kind of angular stones are wanted.
pub(super) struct Quarry {
    /// Height of a stone, radii.
    pub(super) thick: f32,
    /// Rise over run of the top at most.
    pub(super) tilt: f32,
    /// How much longer than broad, times: at least and at most.
    pub(super) long: [f32; 2],
    /// Rise over run of the faces around, at least.
    pub(super) steep: f32,
    /// Roundness of edges, parts of the height.
    pub(super) round: f32,
    /// How far its faces differ in brightness, 0..1.
    pub(super) patina: f32,
}

impl Quarry {
    /// A stone of a radius in metres, its foot at a height; its long axis along `axis` or anywhere.
    pub(super) fn stone(
        &self,
        random: &mut Random,
        radius: f32,
        foot: f32,
        colour: Colour,
        axis: Option<[f32; 2]>,
    ) -> (f32, Angular) {
        let axis = axis.unwrap_or_else(|| direction(random));
        let long = mix_f32(self.long[0], self.long[1], random.unit());
        let height = radius * self.thick * (0.6 + 0.8 * random.unit());
        let mut planes = [[f32::MAX, 0.0, 0.0]; FACES];
        // Around: directions an eighth of a turn apart, each turned a little; one in six is left out.
        let mut out = direction(random);
        for plane in planes.iter_mut().take(8) {
            let m = turn(out, 0.38 * random.signed());
            out = turn(out, 1.0);
            if random.unit() < 0.17 {
                continue;
            }
            // The stone is an ellipse's: planes as far out as its border is there.
            let along = m[0] * axis[0] + m[1] * axis[1];
            let across = m[1] * axis[0] - m[0] * axis[1];
            let rim = (along * along * long + across * across / long).sqrt();
            let distance = radius * rim * (0.72 + 0.28 * random.unit());
            let steep = self.steep * (1.0 + 2.0 * random.unit() * random.unit());
            *plane = [distance * steep, m[0] * steep, m[1] * steep];
        }
        // On top: a tilted face, and one or two that cut its corners off.
        for (i, plane) in planes.iter_mut().skip(8).enumerate() {
            let m = direction(random);
            let tilt = self.tilt * random.unit() * (1.0 + i as f32);
            *plane = [height * (1.0 + 0.25 * i as f32 * random.unit()), m[0] * tilt, m[1] * tilt];
        }
        let grain = Noise::new((random.unit() * 16_777_216.0) as u64, 3);
        let round = self.round * height;
        let patina = self.patina;
        let reach = radius * long.sqrt() * 1.25;
        (reach, Angular { planes, foot, height, round, reach, colour, patina, grain })
    }
}

impl Angular {
    /// Draws where the stone lies above what is there.
    pub(super) fn draw(&self, x: f32, y: f32, texel: &mut Texel) {
        if self.foot + self.height * 1.4 <= texel.height {
            return;
        }
        let (mut lowest, mut second, mut face) = (f32::MAX, f32::MAX, 0);
        for (i, [height, fx, fy]) in self.planes.iter().enumerate() {
            let height = height - fx * x - fy * y;
            if height < lowest {
                (second, lowest, face) = (lowest, height, i);
            } else if height < second {
                second = height;
            }
        }
        // Where faces are missing the corner is broken off round.
        lowest = lowest.min(2.0 * (self.reach - (x * x + y * y).sqrt()));
        let apart = ((second - lowest) / self.round.max(1e-6)).min(1.0);
        let rounding = 0.25 * self.round * (1.0 - apart) * (1.0 - apart);
        let height = self.foot + lowest - rounding;
        if lowest <= 0.0 || height <= texel.height {
            return;
        }
        // Faces have weathered for different times; edges are rubbed pale, feet are dusty.
        let face = self.grain.cell(face as i32, 7) - 0.5;
        let mottle = self.grain.octaves(x, y, 0.7 * self.height + 0.003, 3, 0.6);
        let rubbed = 0.16 * (1.0 - apart) * (1.0 - apart);
        let colour = lit(self.colour, 1.0 + self.patina * face + rubbed + 0.16 * mottle);
        let height = height + 0.04 * mottle * self.height;
        *texel = Texel { height, albedo: colour, roughness: 0.86 + 0.1 * face };
    }
}

/// A stone that water has rolled: half an ellipsoid, a little dented.
pub(super) struct Pebble {
    axis: [f32; 2],
    /// Half its length and breadth, and its height over its foot, metres.
    half: [f32; 2],
    height: f32,
    foot: f32,
    colour: Colour,
    /// A vein of another colour across it: where, in half breadths, and how broad; 0 is none.
    vein: (f32, f32, Colour),
    /// How speckled it is, 0..1.
    speckle: f32,
    grain: Noise,
}

impl Pebble {
    /// A pebble that covers about a disc of a radius in metres.
    pub(super) fn new(
        random: &mut Random,
        radius: f32,
        foot: f32,
        flat: f32,
        colour: Colour,
        vein: Option<Colour>,
    ) -> (f32, Self) {
        let long = 1.0 + 0.55 * random.unit() * random.unit();
        let half = [radius * long.sqrt(), radius / long.sqrt()];
        let vein = match vein {
            Some(colour) => (0.6 * random.signed(), 0.03 + 0.09 * random.unit(), colour),
            None => (0.0, 0.0, colour),
        };
        let pebble = Pebble {
            axis: direction(random),
            half,
            height: half[1] * flat * (0.7 + 0.5 * random.unit()),
            foot,
            colour,
            vein,
            speckle: random.unit() * random.unit(),
            grain: Noise::new((random.unit() * 16_777_216.0) as u64, 4),
        };
        (half[0] * 1.12, pebble)
    }

    /// Draws where the pebble lies above what is there.
    pub(super) fn draw(&self, x: f32, y: f32, texel: &mut Texel) {
        if self.foot + self.height * 1.1 <= texel.height {
            return;
        }
        let [ax, ay] = self.axis;
        let (along, across) = ((x * ax + y * ay) / self.half[0], (y * ax - x * ay) / self.half[1]);
        let dent = self.grain.gradient(along * 1.1 + 9.0, across * 1.1);
        let square = (along * along + across * across) * (1.0 + 0.3 * dent);
        if square >= 1.0 {
            return;
        }
        // Flatter on top than an ellipsoid: 1 - r⁴ mixed in.
        let dome = 0.6 * (1.0 - square).sqrt() + 0.4 * (1.0 - square * square);
        let height = self.foot + self.height * dome;
        if height <= texel.height {
            return;
        }
        let mottle = self.grain.octaves(along, across, 0.9, 3, 0.6);
        let speck = self.grain.gradient(along * 14.0, across * 14.0 + 5.0);
        let mut colour = lit(self.colour, 1.0 + 0.16 * mottle + 0.45 * self.speckle * speck);
        let (at, breadth, vein) = self.vein;
        if breadth > 0.0 {
            let off = (across - at - 0.18 * mottle - 0.25 * along).abs();
            colour = blend(colour, vein, 0.8 * (1.0 - smoothstep(0.4 * breadth, breadth, off)));
        }
        // Silt clings to the foot.
        let clean = smoothstep(0.0, 0.45, dome);
        let colour = blend(blend(colour, texel.albedo, 0.4), colour, clean);
        *texel = Texel { height, albedo: colour, roughness: 0.72 - 0.12 * clean + 0.08 * mottle };
    }
}

/// Radii from `largest` down to `smallest`, as many of each size as cover equal parts of the ground.
///
/// `count` of them; metres or repeats alike.
pub(super) fn graded(largest: f32, smallest: f32, count: usize) -> Vec<f32> {
    let (low, high) = (1.0 / (largest * largest), 1.0 / (smallest * smallest));
    // Equal cover an octave: as many are larger than r as 1/r².
    (0..count).map(|i| 1.0 / (low + (high - low) * i as f32 / count.max(1) as f32).sqrt()).collect()
}

/// Stamps of stones at packed places.
pub(super) fn placed<S>(
    places: Vec<[f32; 2]>,
    radii: &[f32],
    mut stone: impl FnMut(f32) -> (f32, S),
) -> Vec<Stamp<S>> {
    let stamp = |at, (reach, shape)| Stamp { at, reach, shape };
    places.into_iter().zip(radii).map(|(at, &radius)| stamp(at, stone(radius))).collect()
}
