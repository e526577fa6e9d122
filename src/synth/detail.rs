//! Refinement from one spacing to the next: a smooth, slightly bent copy, and the relief that the coarser one could not
//! hold; little of it on meadows, much on rock.

use super::field::{Field, Step, Work};
use super::noise::{Noise, smoothstep};
use super::plan::Plan;

/// A copy of `coarse` on the samples of `out`, with detail of a few samples' wavelength.
///
/// The copy is bent by about a coarse sample: channels that the coarse grid held to eight directions lose them.
pub(super) fn refine(coarse: &Field, out: &mut Field, plan: &Plan, seed: u64, work: &mut Work) -> Step {
    let step = coarse.spacing;
    let (bend, rough, crag) = (
        Noise::new(seed, 51 + step as u64),
        Noise::new(seed, 151 + step as u64),
        Noise::new(seed, 251 + step as u64),
    );
    let metres = { let (origin, spacing) = (out.origin, out.spacing); move |i: usize| origin + i as f32 * spacing };
    let spacing = out.spacing;
    work.rows(out, |y, row| {
        let z = metres(y);
        for (x, height) in row.iter_mut().enumerate() {
            let x = metres(x);
            let free = smoothstep(-10.0, 30.0, plan.outside.linear(x, z));
            let (mut px, mut pz) = (x, z);
            if free > 0.0 {
                let reach = 0.9 * step * free;
                px += reach * bend.octaves(x, z, 9.0 * step, 2, 0.6);
                pz += reach * bend.octaves(x + 7919.0, z, 9.0 * step, 2, 0.6);
            }
            let base = coarse.cubic(px, pz);
            let (sx, sz) = (coarse.cubic(px + step, pz) - base, coarse.cubic(px, pz + step) - base);
            let slope = (sx * sx + sz * sz).sqrt() / step;
            let steep = smoothstep(0.25, 1.1, slope);
            let wave = 18.0 * spacing;
            let soft = rough.octaves(x, z, wave, 4, 0.5) * wave * (0.005 + 0.042 * steep);
            let rock = if steep > 0.0 { crag.ridges(x, z, wave * 1.3, 4, 0.5) * wave * 0.035 * steep * steep } else { 0.0 };
            *height = base + soft + rock;
        }
    })
}

/// Softens flat ground, where droplets leave marks that grass would hide, and leaves rock as it is.
pub(super) fn soften(heights: &mut Field, passes: usize, work: &mut Work) -> Step {
    for _ in 0..passes {
        let smooth = heights.smoothed(work)?;
        let before = heights.clone();
        work.rows(heights, |y, row| {
            for (x, height) in row.iter_mut().enumerate() {
                let meadow = smoothstep(0.5, 0.18, smooth.slope(x, y));
                let target = smooth.data[y * smooth.n + x];
                *height = before.data[y * before.n + x] + (target - before.data[y * before.n + x]) * (0.08 + 0.92 * meadow);
            }
        })?;
        work.advance()?;
    }
    Ok(())
}

/// Brings samples that stick out of their surroundings back to them: none stays above or below all of its neighbours,
/// or further than `reach` metres from their mean.
pub(super) fn level_extremes(heights: &mut Field, reach: f32, work: &mut Work) -> Step {
    let before = heights.clone();
    let n = before.n;
    work.rows(heights, |y, row| {
        if y == 0 || y == n - 1 {
            return;
        }
        for (x, height) in row.iter_mut().enumerate().skip(1).take(n - 2) {
            let (mut low, mut high, mut sum) = (f32::MAX, f32::MIN, -*height);
            for line in [y - 1, y, y + 1] {
                let three = &before.data[line * n + x - 1..line * n + x + 2];
                sum += three[0] + three[1] + three[2];
                if line != y {
                    (low, high) = (low.min(three[1]), high.max(three[1]));
                }
                low = low.min(three[0]).min(three[2]);
                high = high.max(three[0]).max(three[2]);
            }
            let mean = sum * 0.125;
            *height = height.clamp(low, high).clamp(mean - reach, mean + reach);
        }
    })?;
    work.advance()
}
