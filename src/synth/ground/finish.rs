//! From a canvas to the three pictures of a texture: cavities, normals, even brightness, blend heights.

use super::GroundTexture;
use super::canvas::{Canvas, Texel};
use super::plane::Plane;
use crate::synth::field::{Step, Work};

/// How a canvas becomes a texture.
pub(super) struct Finish {
    /// The mean luminance of the albedo, linear.
    pub(super) luminance: f32,
    /// How much cavities darken occlusion and, above that, albedo, 0..1.
    pub(super) cavity: f32,
    pub(super) dirt: f32,
    /// Rise over run that normals never pass: what a texel holds is no cliff.
    pub(super) steepest: f32,
    /// How far large patches of other colour are levelled, 0..1.
    pub(super) even: f32,
}

/// Squares a side whose brightness is evened out: a picture that differs from square to square shows its repeat from afar.
const SQUARES: usize = 16;

/// A texel of the finished size, before it is packed.
#[derive(Clone, Copy, Default)]
struct Fine {
    albedo: [f32; 3],
    occlusion: f32,
    roughness: f32,
    height: f32,
    /// Fall along x and y of the unit normal.
    normal: [f32; 2],
}

/// Makes the texture, `size` texels a side, from a canvas that has as many or a power of two times as many.
pub(super) fn finish(canvas: &Canvas, size: usize, how: &Finish, work: &mut Work) -> Step<GroundTexture> {
    let mut heights = canvas.plane.map(work, |texel: Texel| texel.height)?;
    let large = heights.coarse(SQUARES / 2, work)?;
    heights.data.iter_mut().zip(&large.data).for_each(|(h, l)| *h -= l);
    let occlusion = cavities(&heights, canvas.metres, how.cavity, work)?;
    let mut fine = gather(canvas, &heights, &occlusion, size, how, work)?;
    even_out(&mut fine, how, work)?;
    upright(&mut fine, work)?;
    spread_heights(&mut fine);
    let encode = SrgbEncoder::new();
    let mut texture = GroundTexture { size: size as u32, albedo: vec![], surface: vec![], normal: vec![] };
    for texel in &fine.data {
        let [r, g, b] = texel.albedo.map(|c| encode.byte(c));
        texture.albedo.extend([r, g, b, 255]);
        let surface = [texel.occlusion, texel.roughness, 0.0, texel.height];
        texture.surface.extend(surface.map(|c| (c.clamp(0.0, 1.0) * 255.0 + 0.5) as u8));
        let [x, y] = texel.normal;
        let z = (1.0 - x * x - y * y).max(0.0).sqrt();
        let signed = |c: f32| (c * 127.5 + 128.0).clamp(0.0, 255.0) as u8;
        texture.normal.extend([signed(x), signed(y), signed(z), 255]);
    }
    Ok(texture)
}

/// 1 in the open, less where the ground around is higher, at five scales.
fn cavities(heights: &Plane<f32>, metres: f32, strength: f32, work: &mut Work) -> Step<Plane<f32>> {
    let mut open = Plane::filled(heights.n, 1.0);
    let mut small = heights.clone();
    for octave in 1..=6 {
        small = small.halved(work)?;
        if small.n < 16 {
            break;
        }
        let mut around = small.clone();
        for _ in 0..octave {
            around = around.doubled(work)?;
        }
        // As deep as the neighbourhood is wide is as dark as it gets.
        let width = metres / heights.n as f32 * (1 << octave) as f32;
        work.lines(&mut open.data, heights.n, |y, row| {
            let (around, here) = (around.row(y as isize), heights.row(y as isize));
            for (x, open) in row.iter_mut().enumerate() {
                let deep = ((around[x] - here[x]) / width).max(0.0);
                *open *= 1.0 - strength * deep / (0.7 + deep);
            }
        })?;
    }
    work.advance()?;
    Ok(open)
}

/// Means over the canvas' texels that a finished texel covers.
fn gather(
    canvas: &Canvas,
    heights: &Plane<f32>,
    occlusion: &Plane<f32>,
    size: usize,
    how: &Finish,
    work: &mut Work,
) -> Step<Plane<Fine>> {
    let n = heights.n;
    let (factor, slope) = (n / size, n as f32 / (2.0 * canvas.metres));
    let part = 1.0 / (factor * factor) as f32;
    let limit = 1.0 / (how.steepest * how.steepest);
    let mut fine = Plane::filled(size, Fine::default());
    work.lines(&mut fine.data, size, |y, row| {
        for (sub, out) in (0..factor).flat_map(|sub| (0..size).map(move |x| (sub, x))) {
            let y = (y * factor + sub) as isize;
            let (up, mid, down) = (heights.row(y - 1), heights.row(y), heights.row(y + 1));
            let (texels, open) = (canvas.plane.row(y), occlusion.row(y));
            let texel = &mut row[out];
            for x in out * factor..(out + 1) * factor {
                let east = (mid[(x + 1) & (n - 1)] - mid[(x + n - 1) & (n - 1)]) * slope;
                let south = (down[x] - up[x]) * slope;
                let square = east * east + south * south;
                let gentle = 1.0 / (1.0 + square * limit).sqrt();
                let (east, south) = (east * gentle, south * gentle);
                let length = part / (1.0 + east * east + south * south).sqrt();
                texel.normal[0] -= east * length;
                texel.normal[1] += south * length;
                let dirt = part * (1.0 - how.dirt * (1.0 - open[x]));
                (0..3).for_each(|c| texel.albedo[c] += dirt * texels[x].albedo[c]);
                texel.occlusion += part * open[x];
                texel.roughness += part * texels[x].roughness;
                texel.height += part * mid[x];
            }
        }
    })?;
    work.advance()?;
    Ok(fine)
}

/// Takes large patches out of the albedo and gives it its mean luminance.
fn even_out(fine: &mut Plane<Fine>, how: &Finish, work: &mut Work) -> Step {
    for _ in 0..3 {
        for channel in 0..3 {
            let plane = fine.map(work, |texel| texel.albedo[channel])?;
            let (mean, large) = (plane.mean() as f32, plane.coarse(SQUARES, work)?);
            let level = |(texel, large): (&mut Fine, &f32)| {
                texel.albedo[channel] *= 1.0 + how.even * (mean / large.max(1e-4) - 1.0);
            };
            fine.data.iter_mut().zip(&large.data).for_each(level);
        }
    }
    let luminance = fine.map(work, |t| luminance(t.albedo))?.mean() as f32;
    let scale = how.luminance / luminance.max(1e-4);
    for texel in &mut fine.data {
        texel.albedo = texel.albedo.map(|c| (c * scale).clamp(0.0, 1.0));
    }
    work.advance()
}

/// Luminance of linear Rec. 709.
pub(super) fn luminance([r, g, b]: [f32; 3]) -> f32 {
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// Takes the mean of a wide neighbourhood's normals and occlusions out of each, so that the ground as a whole lies level
/// and no square of it is lit unlike another.
fn upright(fine: &mut Plane<Fine>, work: &mut Work) -> Step {
    for axis in 0..2 {
        let large = fine.map(work, |texel| texel.normal[axis])?.coarse(SQUARES, work)?;
        fine.data.iter_mut().zip(&large.data).for_each(|(texel, large)| texel.normal[axis] -= large);
    }
    let plane = fine.map(work, |texel| texel.occlusion)?;
    let (mean, large) = (plane.mean() as f32, plane.coarse(SQUARES, work)?);
    for (texel, large) in fine.data.iter_mut().zip(&large.data) {
        texel.occlusion = (texel.occlusion * mean / large.max(0.05)).min(1.0);
        let [x, y] = texel.normal;
        let long = (x * x + y * y).sqrt();
        if long > 0.99 {
            texel.normal = [x * 0.99 / long, y * 0.99 / long];
        }
    }
    Ok(())
}

/// Blend heights that are spread evenly over 0..1: then a layer of weight w shows on the part w of the ground, whatever its
/// relief. The order of heights stays.
fn spread_heights(fine: &mut Plane<Fine>) {
    const BINS: usize = 4096;
    let heights = || fine.data.iter().map(|texel| texel.height);
    let (low, high) = heights().fold((f32::MAX, f32::MIN), |(a, b), h| (a.min(h), b.max(h)));
    let scale = (BINS - 1) as f32 / (high - low).max(1e-9);
    let mut counts = vec![0u32; BINS + 1];
    heights().for_each(|h| counts[((h - low) * scale) as usize + 1] += 1);
    for i in 0..BINS {
        counts[i + 1] += counts[i];
    }
    let whole = 1.0 / fine.data.len() as f32;
    for texel in &mut fine.data {
        let at = (texel.height - low) * scale;
        let (below, part) = (counts[at as usize] as f32, at - at.floor());
        let above = counts[(at as usize + 1).min(BINS)] as f32;
        texel.height = (below + (above - below) * part) * whole;
    }
}

/// Linear light as a byte of sRGB, without a power: the table is made of roots.
pub(super) struct SrgbEncoder {
    /// The linear value from which on each byte is meant.
    from: [f32; 256],
    /// A byte that is not too high, by 4096ths of the linear value.
    start: Vec<u8>,
}

impl SrgbEncoder {
    pub(super) fn new() -> Self {
        let mut from = [0.0; 256];
        (1..256).for_each(|i| from[i] = linear((i as f32 - 0.5) / 255.0));
        let below = |value: f32| (0..256).rev().find(|&i| from[i] <= value).unwrap_or(0) as u8;
        let start = (0..=4096).map(|i| below(i as f32 / 4096.0)).collect();
        SrgbEncoder { from, start }
    }

    /// The byte nearest to a linear value of 0..1.
    pub(super) fn byte(&self, value: f32) -> u8 {
        let mut byte = self.start[(value.clamp(0.0, 1.0) * 4096.0) as usize];
        while byte < 255 && self.from[usize::from(byte) + 1] <= value {
            byte += 1;
        }
        byte
    }
}

/// What IEC 61966-2-1 says an sRGB value of 0..1 means: x^2.4 is x² times the fifth root of x².
pub(super) fn linear(srgb: f32) -> f32 {
    if srgb <= 0.04045 {
        return srgb / 12.92;
    }
    let x = (srgb + 0.055) / 1.055;
    let square = x * x;
    // Newton's steps for the fifth root, from above.
    let mut root = 1.0f32;
    for _ in 0..24 {
        let fourth = root * root * root * root;
        root = (4.0 * root + square / fourth) * 0.2;
    }
    square * root
}
