//! The picture that a ground grows on: a height, a colour and a roughness a texel, and shapes stamped into it.

use super::pattern;
use super::plane::Plane;
use crate::synth::field::{Step, Work};
use crate::synth::noise::Random;

/// Linear RGB, the part of light that is thrown back.
pub(super) type Colour = [f32; 3];

/// `a` where `t` is 0, `b` where it is 1.
pub(super) fn blend(a: Colour, b: Colour, t: f32) -> Colour {
    [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t]
}

/// A colour times a brightness.
pub(super) fn lit(colour: Colour, by: f32) -> Colour {
    [colour[0] * by, colour[1] * by, colour[2] * by]
}

/// A colour that is warmer for `by` above 0 and cooler below, as bright.
pub(super) fn warmed(colour: Colour, by: f32) -> Colour {
    [colour[0] * (1.0 + by), colour[1], colour[2] * (1.0 - by)]
}

/// The ground at a place.
#[derive(Clone, Copy, Default)]
pub(super) struct Texel {
    /// Metres above anything.
    pub(super) height: f32,
    pub(super) albedo: Colour,
    pub(super) roughness: f32,
}

/// A shape and where it lies.
pub(super) struct Stamp<S> {
    /// Repeats, 0..1.
    pub(super) at: [f32; 2],
    /// Metres that it reaches from there, along either axis.
    pub(super) reach: f32,
    pub(super) shape: S,
}

/// Rows that one thread draws at a time.
const BAND: usize = 32;

/// Texels of a repeat of `metres` metres.
pub(super) struct Canvas {
    pub(super) metres: f32,
    pub(super) plane: Plane<Texel>,
}

impl Canvas {
    /// Bare ground, of a function of repeats.
    pub(super) fn new(
        n: usize,
        metres: f32,
        work: &mut Work,
        ground: impl Fn(f32, f32) -> Texel + Sync,
    ) -> Step<Self> {
        let mut canvas = Canvas { metres, plane: Plane::filled(n, Texel::default()) };
        canvas.change(work, |u, v, texel| *texel = ground(u, v))?;
        Ok(canvas)
    }

    /// Changes every texel by itself; the function is given repeats.
    pub(super) fn change(&mut self, work: &mut Work, by: impl Fn(f32, f32, &mut Texel) + Sync) -> Step {
        let n = self.plane.n;
        let step = 1.0 / n as f32;
        work.lines(&mut self.plane.data, n, |y, row| {
            let v = (y as f32 + 0.5) * step;
            row.iter_mut().enumerate().for_each(|(x, texel)| by((x as f32 + 0.5) * step, v, texel));
        })?;
        work.advance()
    }

    /// Draws shapes in their order: `draw` is given the shape, metres from its place to the texel (x right, y down) and
    /// the texel. What is drawn does not depend on the threads: each texel is one thread's, and sees the shapes in order.
    pub(super) fn stamp<S: Sync>(
        &mut self,
        work: &mut Work,
        stamps: &[Stamp<S>],
        draw: impl Fn(&S, f32, f32, &mut Texel) + Sync,
    ) -> Step {
        let n = self.plane.n as isize;
        let (scale, step) = (n as f32 / self.metres, self.metres / n as f32);
        let bands = n as usize / BAND;
        let mut touching: Vec<Vec<u32>> = vec![Vec::new(); bands];
        // The texels whose centres lie within reach; a shape wider than the picture is drawn only once around it.
        let span = |middle: f32, reach: f32| {
            let (centre, reach) = (middle * n as f32 - 0.5, (reach * scale).min(0.5 * n as f32 - 1.0));
            ((centre - reach).floor() as isize + 1, (centre + reach).floor() as isize)
        };
        for (index, stamp) in stamps.iter().enumerate() {
            let (top, low) = span(stamp.at[1], stamp.reach);
            if top <= low {
                for band in top.div_euclid(BAND as isize)..=low.div_euclid(BAND as isize) {
                    let bin = &mut touching[band.rem_euclid(bands as isize) as usize];
                    if bin.last() != Some(&(index as u32)) {
                        bin.push(index as u32);
                    }
                }
            }
        }
        let metres = self.metres;
        work.lines(&mut self.plane.data, n as usize * BAND, |band, texels| {
            for &index in &touching[band] {
                let Stamp { at, reach, shape } = &stamps[index as usize];
                let ((left, right), (top, low)) = (span(at[0], *reach), span(at[1], *reach));
                for y in top..=low {
                    let row = y.rem_euclid(n) as usize;
                    if row / BAND != band {
                        continue;
                    }
                    let dy = (y as f32 + 0.5) * step - at[1] * metres;
                    let row = &mut texels[(row % BAND) * n as usize..][..n as usize];
                    for x in left..=right {
                        let dx = (x as f32 + 0.5) * step - at[0] * metres;
                        draw(shape, dx, dy, &mut row[(x & (n - 1)) as usize]);
                    }
                }
            }
        })?;
        work.advance()
    }
}

/// The places of [`pattern::scatter`], each with a shape that reaches some metres.
pub(super) fn strew<S>(
    random: &mut Random,
    count: usize,
    mut shape: impl FnMut(&mut Random) -> (f32, S),
) -> Vec<Stamp<S>> {
    let places = pattern::scatter(random, count);
    let stamp = |at, (reach, shape)| Stamp { at, reach, shape };
    places.into_iter().map(|at| stamp(at, shape(random))).collect()
}
