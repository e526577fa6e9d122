//! The valley floor: alluvial fans where side valleys end, terraces and meadows between.

use super::drainage::Drainage;
use super::field::{Field, Step, Work};
use super::noise::{Noise, smooth_max};
use super::plan::Plan;
use super::river::River;

/// The smallest catchment that builds a fan, m².
const LEAST: f32 = 12_000.0;

/// Height of the fans over the design's floor, metres, on the samples of `ground`.
///
/// A fan's reach grows with the root of its catchment and its grade falls with it, as measured ones do (Bull 1977).
pub(super) fn fans(ground: &Field, plan: &Plan, seed: u64, work: &mut Work) -> Step<Field> {
    let noise = Noise::new(seed, 41);
    let n = ground.n;
    let on_floor = |at: usize| plan.outside.linear(ground.metres(at % n), ground.metres(at / n)) < 0.0;
    let tree = Drainage::new(ground, on_floor, 0.35, noise, work)?;
    let area = tree.accumulate();
    let cell = ground.spacing * ground.spacing;
    let mut fans = ground.like(0.0);
    for &at in &tree.order {
        let (at, to) = (at as usize, tree.receiver[at as usize] as usize);
        if at == to || area[at] * cell < LEAST || !on_floor(to) || on_floor(at) {
            continue;
        }
        let size = (area[at] * cell).sqrt();
        let reach = (0.36 * size).min(270.0);
        let grade = 0.07 + 20.0 / size;
        let (ax, az) = (ground.metres(at % n), ground.metres(at / n));
        let limit = |v: f32| ((v - ground.origin) / ground.spacing).clamp(0.0, (n - 1) as f32) as usize;
        for y in limit(az - 1.4 * reach)..=limit(az + 1.4 * reach) {
            for x in limit(ax - 1.4 * reach)..=limit(ax + 1.4 * reach) {
                let (px, pz) = (ground.metres(x), ground.metres(y));
                let away = ((px - ax) * (px - ax) + (pz - az) * (pz - az)).sqrt();
                let lobes = 1.0 + 0.3 * noise.octaves(px, pz, reach * 1.3, 2, 0.5);
                let rest = (1.0 - away / (reach * lobes)).max(0.0);
                let fan = grade * reach * rest * (0.45 + 0.4 * rest);
                let out = &mut fans.data[y * n + x];
                *out = out.max(fan);
            }
        }
    }
    fans.smoothed(work)
}

/// Lays the floor over the ground: whichever is higher, with a concave foot where they meet.
pub(super) fn lay(
    ground: &mut Field,
    debris: &mut Field,
    plan: &Plan,
    fans: &Field,
    river: &River,
    work: &mut Work,
) -> Step {
    let before = ground.clone();
    work.rows(ground, |y, row| {
        let z = before.metres(y);
        for (x, height) in row.iter_mut().enumerate() {
            let x = before.metres(x);
            if plan.outside.linear(x, z) > 400.0 {
                continue;
            }
            let top = smooth_max(river.terrace(x, z), fans.cubic(x, z), 2.0);
            *height = smooth_max(*height, plan.floor.cubic(x, z) + top, 7.0);
        }
    })?;
    let after = &*ground;
    work.rows(debris, |y, row| {
        for (x, depth) in row.iter_mut().enumerate() {
            let at = y * after.n + x;
            *depth += (after.data[at] - before.data[at]).max(0.0);
        }
    })
}
