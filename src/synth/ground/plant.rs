//! What grows: blades, stalks and roots as chains of short pieces, leaves, and flowers.

use super::canvas::{Colour, Stamp, Texel, blend, lit};
use super::pattern::turn;
use crate::synth::noise::{Random, mix_f32, smoothstep};

/// A short straight piece of a blade, a stalk or a root.
pub(super) struct Piece {
    /// Metres from the middle to the end, along the unit direction.
    half: f32,
    direction: [f32; 2],
    /// Half its breadth, its height and its colour, at the start and at the end.
    breadth: [f32; 2],
    height: [f32; 2],
    colour: [Colour; 2],
    /// How much higher the middle is than the edges, half breadths; below 0 it is a fold, as a blade has.
    crown: f32,
    roughness: f32,
}

impl Piece {
    /// Draws where the piece lies above what is there.
    pub(super) fn draw(&self, x: f32, y: f32, texel: &mut Texel) {
        let [dx, dy] = self.direction;
        let along = x * dx + y * dy;
        let t = ((along + self.half) / (2.0 * self.half)).clamp(0.0, 1.0);
        let past = along.abs() - self.half;
        let breadth = mix_f32(self.breadth[0], self.breadth[1], t);
        let across = (y * dx - x * dy) / breadth;
        let square = across * across + if past > 0.0 { past * past / (breadth * breadth) } else { 0.0 };
        if square >= 1.0 {
            return;
        }
        let height = mix_f32(self.height[0], self.height[1], t) + self.crown * breadth * (1.0 - square);
        if height <= texel.height {
            return;
        }
        let colour = blend(self.colour[0], self.colour[1], t);
        // One half of a folded blade faces the light more than the other.
        let colour = lit(colour, 1.0 + 0.1 * across - 0.12 * square);
        *texel = Texel { height, albedo: colour, roughness: self.roughness };
    }
}

/// How a blade, a stalk or a root runs.
pub(super) struct Strand {
    /// Metres along the ground, and half the breadth at its widest.
    pub(super) length: f32,
    pub(super) breadth: f32,
    /// Metres of height at the start, and how it changes: `rise` at first and `sag` in the end.
    pub(super) foot: f32,
    pub(super) rise: f32,
    pub(super) sag: f32,
    /// Colour at the start, the middle and the end.
    pub(super) colour: [Colour; 3],
    /// How fast it turns, radians a metre about, and how unsteady that is.
    pub(super) bend: f32,
    pub(super) wander: f32,
    pub(super) crown: f32,
    pub(super) roughness: f32,
    /// True where it thins only to its end, false to both.
    pub(super) rooted: bool,
}

impl Strand {
    /// Lays its pieces onto `out`, from a place in repeats of `metres` metres, first toward `direction`.
    pub(super) fn lay(
        &self,
        out: &mut Vec<Stamp<Piece>>,
        random: &mut Random,
        metres: f32,
        at: [f32; 2],
        direction: [f32; 2],
        pieces: usize,
    ) {
        let step = self.length / pieces as f32;
        let height = |t: f32| self.foot + self.rise * t - self.sag * t * t;
        let breadth = |t: f32| {
            let tip = (1.0 - t * t).max(0.02);
            self.breadth * if self.rooted { tip } else { tip * (0.25 + 0.75 * smoothstep(0.0, 0.3, t)) }
        };
        let colour = |t: f32| {
            let [start, middle, end] = self.colour;
            if t < 0.5 { blend(start, middle, 2.0 * t) } else { blend(middle, end, 2.0 * t - 1.0) }
        };
        let (mut x, mut y, mut direction) = (at[0] * metres, at[1] * metres, direction);
        for i in 0..pieces {
            let (t0, t1) = (i as f32 / pieces as f32, (i + 1) as f32 / pieces as f32);
            direction = turn(direction, (self.bend + self.wander * random.signed()) * step);
            let (mx, my) = (x + 0.5 * step * direction[0], y + 0.5 * step * direction[1]);
            (x, y) = (x + step * direction[0], y + step * direction[1]);
            let shape = Piece {
                half: 0.5 * step,
                direction,
                breadth: [breadth(t0), breadth(t1)],
                height: [height(t0), height(t1)],
                colour: [colour(t0), colour(t1)],
                crown: self.crown,
                roughness: self.roughness,
            };
            let whole = |m: f32| {
                let t = m / metres;
                t - t.floor()
            };
            out.push(Stamp {
                at: [whole(mx), whole(my)],
                reach: 0.5 * step + breadth(t0).max(breadth(t1)),
                shape,
            });
        }
    }
}

/// A leaf that lies about flat: an ellipse with a rib.
pub(super) struct Leaf {
    pub(super) axis: [f32; 2],
    /// Half its length and breadth, metres.
    pub(super) half: [f32; 2],
    /// Height of its start and of its end, metres.
    pub(super) height: [f32; 2],
    pub(super) colour: Colour,
    /// The colour of its rib, and of a pale band across it where `band` is above 0.
    pub(super) rib: Colour,
    pub(super) band: f32,
}

impl Leaf {
    /// Metres that it reaches from its middle.
    pub(super) fn reach(&self) -> f32 {
        self.half[0].max(self.half[1])
    }

    /// Draws where the leaf lies above what is there.
    pub(super) fn draw(&self, x: f32, y: f32, texel: &mut Texel) {
        let [ax, ay] = self.axis;
        let (along, across) = ((x * ax + y * ay) / self.half[0], (y * ax - x * ay) / self.half[1]);
        // Broadest a little beyond the middle.
        let square = along * along + across * across * (1.0 - 0.25 * along);
        if square >= 1.0 {
            return;
        }
        let fold = across.abs();
        let height = mix_f32(self.height[0], self.height[1], 0.5 + 0.5 * along) + 0.25 * self.half[1] * fold;
        if height <= texel.height {
            return;
        }
        let rib = 1.0 - smoothstep(0.05, 0.16, fold);
        let band = self.band * (1.0 - smoothstep(0.08, 0.25, (along - 0.15 + 0.5 * fold).abs()));
        let colour = lit(self.colour, 1.0 + 0.10 * across - 0.25 * square);
        let colour = blend(colour, self.rib, (0.3 * rib).max(band));
        *texel = Texel { height, albedo: colour, roughness: 0.62 };
    }
}

/// A flower seen from above: petals around a heart.
pub(super) struct Flower {
    /// Metres, and of its heart in radii.
    pub(super) radius: f32,
    pub(super) heart: f32,
    pub(super) height: f32,
    pub(super) petal: Colour,
    pub(super) heart_colour: Colour,
    /// Directions of the petals: the first, and the tangent of the turn to the next; how many.
    pub(super) first: [f32; 2],
    pub(super) next: f32,
    pub(super) petals: usize,
}

impl Flower {
    /// Draws where the flower lies above what is there.
    pub(super) fn draw(&self, x: f32, y: f32, texel: &mut Texel) {
        let (u, v) = (x / self.radius, y / self.radius);
        let square = u * u + v * v;
        if square >= 1.0 || self.height <= texel.height {
            return;
        }
        if square < self.heart * self.heart {
            let dome = 1.0 - square / (self.heart * self.heart);
            let height = self.height + 0.3 * self.radius * (0.3 + dome);
            *texel = Texel { height, albedo: lit(self.heart_colour, 0.8 + 0.3 * dome), roughness: 0.8 };
            return;
        }
        let mut petal = self.first;
        for _ in 0..self.petals {
            let (along, across) = (u * petal[0] + v * petal[1], v * petal[0] - u * petal[1]);
            let breadth = 2.2 / self.petals as f32;
            let (a, b) = ((along - 0.55) / 0.45, across / breadth);
            if a * a + b * b < 1.0 {
                let height = self.height + 0.15 * self.radius * (1.0 - b * b);
                *texel = Texel { height, albedo: lit(self.petal, 0.75 + 0.25 * along), roughness: 0.7 };
                return;
            }
            petal = turn(petal, self.next);
        }
    }
}
