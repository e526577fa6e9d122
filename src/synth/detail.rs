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
    let metres = {
        let (origin, spacing) = (out.origin, out.spacing);
        move |i: usize| origin + i as f32 * spacing
    };
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
            let soft = rough.octaves(x, z, wave, 4, 0.5) * wave * (0.008 + 0.039 * steep);
            let bare = smoothstep(0.62, 1.15, slope);
            let rock =
                if bare > 0.0 { crag.ridges(x, z, wave * 1.3, 4, 0.5) * wave * 0.06 * bare } else { 0.0 };
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
                *height = before.data[y * before.n + x]
                    + (target - before.data[y * before.n + x]) * (0.08 + 0.92 * meadow);
            }
        })?;
        work.advance()?;
    }
    Ok(())
}

/// Gives the ground what one sees at one's feet: broken rock where it is bare and steep, rubble on scree, hummocks on
/// meadows.
pub(super) fn roughen(heights: &mut Field, debris: &Field, seed: u64, work: &mut Work) -> Step {
    const HUMMOCKS: f32 = 42.0;
    const ROCKS: f32 = 15.0;
    let (hummocks, rocks) = (Noise::new(seed, 301), Noise::new(seed, 302));
    let before = heights.clone();
    // Waves shorter than three samples would only be noise.
    let octaves = |longest: f32, most: u32| {
        (0..most).take_while(|&i| longest >= 3.0 * before.spacing * (1 << i) as f32).count() as u32
    };
    let (soft, hard) = (octaves(HUMMOCKS, 4), octaves(ROCKS, 3));
    work.rows(heights, |y, row| {
        let z = before.metres(y);
        for (x, height) in row.iter_mut().enumerate() {
            let slope = before.slope(x, y);
            let px = before.metres(x);
            if soft > 0 {
                let meadow = smoothstep(0.7, 0.2, slope);
                *height += 0.38 * meadow * hummocks.octaves(px, z, HUMMOCKS, soft, 0.42);
            }
            let bare = smoothstep(0.55, 0.95, slope);
            if hard > 0 && bare > 0.0 {
                let covered = smoothstep(0.05, 0.8, debris.data[y * debris.n + x]);
                let size = 0.75 - 0.6 * covered;
                *height += size * bare * rocks.ridges(px, z, ROCKS, hard, 0.55);
            }
        }
    })?;
    work.advance()
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
