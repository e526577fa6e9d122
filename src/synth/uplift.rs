//! The large form: uplift against stream-power incision on a drainage tree, and slopes that fail above an angle.
//!
//! The implicit scheme is that of Braun and Willett 2013 with the slope limit of Cordonnier et al. 2016: where the rock
//! is held up long enough, valleys branch, spurs part them and faces are as steep as their rock allows.

use super::drainage::{Drainage, REACH};
use super::field::{Field, Step, Work};
use super::noise::{Noise, smoothstep};
use super::plan::Plan;

/// Uplift over erodibility, metres: a stream of area A (m²) comes to rest at a slope of this over the root of A.
const STEEPNESS: f32 = 145.0;

/// One run of the scheme.
pub(super) struct Growth {
    /// Steps to take.
    pub(super) steps: usize,
    /// Length of a step: a stream of area A m² eats `step · √A` metres upstream in one.
    pub(super) step: f32,
    /// Uplift, relative to the plan's; 0 for erosion alone.
    pub(super) uplift: f32,
    /// Keep slopes below what their rock stands.
    pub(super) fail: bool,
    /// Catchment that a stream needs to cut, m². Without one, even faces are combed into flutes a sample apart.
    pub(super) spring: f32,
    /// Creep of soil a step, 0..1 of the way to the mean around; hard rock creeps less. With streams it sets how far
    /// apart gullies lie (Perron et al. 2009).
    pub(super) creep: f32,
}

/// The slope (rise over run) at which rock of a hardness of 0..1 fails.
pub(super) fn failing_slope(hardness: f32) -> f32 {
    0.60 + 0.85 * hardness * hardness
}

/// The part of [`failing_slope`] that ground stands at so far above the valley: deep weathered soil below, bare rock,
/// which frost keeps clearing, above.
pub(super) fn standing(above: f32) -> f32 {
    0.66 + 0.52 * smoothstep(60.0, 480.0, above)
}

/// Runs `growth` on `heights`; the valley floors and the border stay as they are.
pub(super) fn grow(heights: &mut Field, plan: &Plan, growth: &Growth, seed: u64, work: &mut Work) -> Step {
    if growth.steps == 0 {
        return Ok(());
    }
    let n = heights.n;
    let spacing = heights.spacing;
    let mut uplift = heights.like(0.0);
    let mut hardness = heights.like(0.0);
    let mut erodibility = heights.like(0.0);
    let mut outside = heights.like(0.0);
    let metres = |i: usize| heights.origin + i as f32 * spacing;
    sample(&plan.uplift, &mut uplift, metres, work)?;
    sample(&plan.hardness, &mut hardness, metres, work)?;
    sample(&plan.erodibility, &mut erodibility, metres, work)?;
    let mut base = heights.like(0.0);
    sample(&plan.floor, &mut base, metres, work)?;
    sample(&plan.outside, &mut outside, metres, work)?;
    // Over the ages of uplift rocks of both kinds take part, which evens out the difference.
    let even = if growth.uplift > 0.0 { 0.5 } else { 0.0 };
    let spring = growth.spring / (spacing * spacing);
    let rate = growth.uplift * growth.step * STEEPNESS;
    let scatter = Noise::new(seed, 21);
    for _ in 0..growth.steps {
        let tree = Drainage::new(heights, |at| outside.data[at] < 0.0, 0.35, scatter, work)?;
        let area = tree.accumulate();
        let h = &mut heights.data;
        for &at in &tree.order {
            let (at, to) = (at as usize, tree.receiver[at as usize] as usize);
            if at == to {
                continue;
            }
            let straight = at.abs_diff(to) == 1 || at.abs_diff(to) == n;
            let run = spacing * if straight { REACH[1] } else { REACH[0] };
            let weak = erodibility.data[at] + even * (1.0 - erodibility.data[at]);
            let eaten = growth.step * weak * (area[at] - spring).max(0.0).sqrt() * spacing / run;
            let raised = h[at] + rate * uplift.data[at];
            let mut height = (raised + eaten * h[to]) / (1.0 + eaten);
            if growth.fail {
                height = height
                    .min(h[to] + run * failing_slope(hardness.data[at]) * standing(h[at] - base.data[at]));
            }
            h[at] = height;
        }
        if growth.creep > 0.0 {
            let mean = heights.smoothed(work)?;
            work.rows(heights, |y, row| {
                for (x, height) in row.iter_mut().enumerate() {
                    let at = y * n + x;
                    // Deep soil below creeps, bare rock above hardly does.
                    let soil = 1.55 - standing(*height - base.data[at]);
                    let creep = growth.creep * (1.0 - 0.85 * hardness.data[at]) * soil * 1.6;
                    *height += (mean.data[at] - *height) * creep;
                }
            })?;
        }
        work.advance()?;
    }
    Ok(())
}

/// Samples a coarse field at every sample of a finer one.
fn sample(coarse: &Field, out: &mut Field, metres: impl Fn(usize) -> f32 + Sync, work: &mut Work) -> Step {
    work.rows(out, |y, row| {
        let z = metres(y);
        row.iter_mut().enumerate().for_each(|(x, out)| *out = coarse.linear(metres(x), z));
    })
}
