//! Talus: rock that is too steep crumbles, and its debris comes to rest at its own, lower angle.
//!
//! Two layers, rock under debris (after Musgrave et al. 1989 and Beneš and Forsbach 2001): a single layer would wear
//! cliffs down to the angle of the scree below them. Each pass gathers: what a sample gets is what its neighbours say
//! they give, so that mass is kept whatever the order.

use super::drainage::{AROUND, REACH};
use super::field::{Field, Step, Work};
use super::plan::Plan;
use super::uplift::failing_slope;

/// Rise over run at which debris rests, about 34°.
const REPOSE: f32 = 0.67;
/// Part of an excess that moves in a pass; eight neighbours at 1/8 would overshoot.
const RATE: f32 = 0.09;

/// Runs `passes` of crumbling and sliding on `heights`, of which the top `debris` metres are loose.
pub(super) fn slide(
    heights: &mut Field,
    debris: &mut Field,
    plan: &Plan,
    passes: usize,
    weathering: f32,
    work: &mut Work,
) -> Step {
    let mut give = heights.like(0.0);
    let mut next = heights.like(0.0);
    let mut limit = heights.like(0.0);
    let metres = |i: usize| heights.origin + i as f32 * heights.spacing;
    work.rows(&mut limit, |y, row| {
        for (x, out) in row.iter_mut().enumerate() {
            *out = failing_slope(plan.hardness.linear(metres(x), metres(y))) * 1.12;
        }
    })?;
    for _ in 0..passes {
        let ground = &*heights;
        let loose = &*debris;
        work.rows(&mut give, |y, row| {
            for (x, give) in row.iter_mut().enumerate() {
                let at = y * ground.n + x;
                let (rest, steep) = excess(ground, x, y, limit.data[at]);
                // What leaves: debris while there is any, and what the rock itself sheds.
                let out = (rest * RATE).min(loose.data[at] + weathering * steep * RATE);
                *give = if rest > 0.0 { out / rest } else { 0.0 };
            }
        })?;
        let given = &give;
        work.rows(&mut next, |y, row| {
            for (x, change) in row.iter_mut().enumerate() {
                *change = balance(ground, given, x, y);
            }
        })?;
        let change = &next;
        let n = change.n;
        work.rows(heights, |y, row| {
            row.iter_mut().zip(&change.data[y * n..]).for_each(|(h, c)| *h += c);
        })?;
        work.rows(debris, |y, row| {
            row.iter_mut().zip(&change.data[y * n..]).for_each(|(d, c)| *d = (*d + c).max(0.0));
        })?;
        work.advance()?;
    }
    Ok(())
}

/// Metres by which the ground around a sample falls off more than debris and than rock stand, over all directions.
fn excess(ground: &Field, x: usize, y: usize, rock: f32) -> (f32, f32) {
    let (mut rest, mut steep) = (0.0, 0.0);
    let here = ground.data[y * ground.n + x];
    each_neighbour(ground.n, x, y, |around, other| {
        let fall = here - ground.data[other];
        let run = REACH[around] * ground.spacing;
        rest += (fall - REPOSE * run).max(0.0);
        steep += (fall - rock * run).max(0.0);
    });
    (rest, steep)
}

/// Metres that a sample gets less those that it gives.
fn balance(ground: &Field, give: &Field, x: usize, y: usize) -> f32 {
    let mut sum = 0.0;
    let at = y * ground.n + x;
    let here = ground.data[at];
    each_neighbour(ground.n, x, y, |around, other| {
        let run = REPOSE * REACH[around] * ground.spacing;
        let fall = here - ground.data[other];
        sum += (-fall - run).max(0.0) * give.data[other] - (fall - run).max(0.0) * give.data[at];
    });
    sum
}

#[inline(always)]
fn each_neighbour(n: usize, x: usize, y: usize, mut visit: impl FnMut(usize, usize)) {
    let inside = x > 0 && y > 0 && x < n - 1 && y < n - 1;
    for (around, &(dx, dy)) in AROUND.iter().enumerate() {
        let (ox, oy) = (x as i32 + dx, y as i32 + dy);
        if inside || (ox >= 0 && oy >= 0 && ox < n as i32 && oy < n as i32) {
            visit(around, oy as usize * n + ox as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    #[test]
    fn sliding_keeps_mass_and_lowers_a_tower() {
        let mut ear = |_| ControlFlow::Continue(());
        let mut work = Work::new(2, &mut ear);
        let plan = Plan::new(1, &mut work).expect("not stopped");
        let mut heights = Field::over_map(64.0, 0.0);
        let mut debris = heights.clone();
        let middle = heights.data.len() / 2;
        heights.data[middle] = 1000.0;
        slide(&mut heights, &mut debris, &plan, 40, 1.0, &mut work).expect("not stopped");
        let mass: f64 = heights.data.iter().map(|&h| f64::from(h)).sum();
        assert!((mass - 1000.0).abs() < 0.1, "1000 became {mass}");
        assert!(heights.data[middle] < 300.0, "the tower still stands {} m high", heights.data[middle]);
        assert!(heights.data.iter().zip(&debris.data).all(|(&h, &d)| h >= 0.0 && d >= 0.0));
    }
}
