//! How much ground drains through each sample of the finished map.

use super::drainage::{AROUND, Drainage, REACH};
use super::field::{Field, Step, Work};
use super::noise::Noise;

/// Upstream area that makes a channel, m²: from there on water keeps together.
const CHANNEL: f32 = 25_000.0;

/// Upstream area of each sample in m².
///
/// On faces and fans water parts among all lower neighbours, by the fourth power of the slope (after Freeman 1991); in a
/// channel it runs along one thread, only gains, and wets the width that a stream of its catchment has.
pub(super) fn flow(heights: &Field, seed: u64, work: &mut Work) -> Step<Field> {
    let n = heights.n;
    let tree = Drainage::new(heights, |_| false, 0.0, Noise::new(seed, 61), work)?;
    let mut rank = vec![0u32; n * n];
    for (place, &at) in tree.order.iter().enumerate() {
        rank[at as usize] = place as u32;
    }
    let mut flow = heights.like(heights.spacing * heights.spacing);
    for (done, &at) in tree.order.iter().rev().enumerate() {
        if done % (1 << 19) == 0 {
            work.tick(0.7 + 0.3 * done as f32 / (n * n) as f32)?;
        }
        let at = at as usize;
        let to = tree.receiver[at] as usize;
        if to == at {
            continue;
        }
        // Only the border is its own receiver, so all neighbours exist.
        let mut shares = [(0usize, 0.0f32); 8];
        let mut whole = 0.0;
        for (share, (&(dx, dy), run)) in shares.iter_mut().zip(AROUND.iter().zip(REACH)) {
            let other = (at as isize + dy as isize * n as isize + dx as isize) as usize;
            let slope = (heights.data[at] - heights.data[other]) / (run * heights.spacing);
            if slope > 0.0 && rank[other] < rank[at] {
                let square = slope * slope;
                *share = (other, square * square + 1e-12);
                whole += share.1;
            }
        }
        let water = flow.data[at];
        if whole > 0.0 && water < CHANNEL {
            for (other, share) in shares {
                if share > 0.0 {
                    flow.data[other] += water * (share / whole);
                }
            }
        } else {
            flow.data[to] += water;
        }
    }
    widen(&mut flow);
    work.advance()?;
    Ok(flow)
}

/// Lays the flow of each stream over its width, which grows with the root of its catchment (Leopold and Maddock 1953).
fn widen(flow: &mut Field) {
    /// Half a stream's width over the root of its catchment.
    const HALF: f32 = 0.0026;
    let n = flow.n;
    let threads: Vec<(usize, f32)> =
        flow.data.iter().copied().enumerate().filter(|&(_, water)| water >= CHANNEL).collect();
    for (at, water) in threads {
        let reach = HALF * water.sqrt() / flow.spacing;
        let (x, y, whole) = (at % n, at / n, reach as usize);
        for oy in y.saturating_sub(whole)..=(y + whole).min(n - 1) {
            for ox in x.saturating_sub(whole)..=(x + whole).min(n - 1) {
                let (dx, dy) = (ox.abs_diff(x) as f32, oy.abs_diff(y) as f32);
                if dx * dx + dy * dy <= reach * reach {
                    let out = &mut flow.data[oy * n + ox];
                    *out = out.max(water);
                }
            }
        }
    }
}
