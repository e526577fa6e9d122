//! The river: a channel that migrates over the valley floor, leaves terraces behind as it cuts down, and lies at last in
//! its own meanders.
//!
//! Migration follows Howard and Knutson 1984: a bend moves outward at a rate set by the curvature here and, fading,
//! upstream of here. Loops that touch are cut off. The floor that the channel swept last is the lowest: terraces are the
//! parts that it did not come back to.

use super::field::{Field, Step, Work};
use super::noise::{Noise, smoothstep};
use super::plan::Plan;

/// Width of the channel, metres.
const WIDTH: f32 = 13.0;
/// Metres between the points of the channel.
const POINT: f32 = 7.0;
/// Steps of migration.
const STEPS: usize = 640;
/// Height of the oldest terrace over the river, metres.
const TERRACES: f32 = 5.5;
/// Height of the youngest floor over the water's bed, metres.
const BANK: f32 = 1.7;

/// The river's course and the floor that it made.
pub(super) struct River {
    /// From the head down.
    course: Vec<Reach>,
    /// Height of the floor over the design's, metres; 0 where the channel went last.
    terraces: Field,
}

/// A point of the river's course.
#[derive(Clone, Copy)]
struct Reach {
    /// Metres from the map's corner.
    place: [f32; 2],
    /// Height of the bed, metres.
    bed: f32,
    /// How much of a river it is: from 0 at its head to 1.
    strength: f32,
}

/// What lies nearest to a sample: which one, how far the middle of the river is, and the river there.
struct Near {
    sample: usize,
    away: f32,
    bed: f32,
    strength: f32,
}

impl River {
    /// Lets a channel migrate within the valley, where `ground` is not much higher than the floor.
    pub(super) fn new(plan: &Plan, ground: &Field, seed: u64, work: &mut Work) -> Step<Self> {
        let noise = Noise::new(seed, 31);
        let start = plan.main.points.iter().rev().enumerate();
        let mut course: Vec<[f32; 2]> = start
            .map(|(i, p)| {
                let s = i as f32 * 12.0;
                [0, 1].map(|k| p[k] + 26.0 * noise.octaves(s, 1000.0 * k as f32, 210.0, 2, 0.5))
            })
            .collect();
        let mut terraces = Field::over_map(4.0, 64.0).like(1.0);
        let free = |x: f32, z: f32| {
            let above = ground.linear(x, z) - plan.floor.linear(x, z);
            smoothstep(13.0, 4.0, above) * smoothstep(-24.0, -120.0, plan.outside.linear(x, z))
        };
        for step in 0..STEPS {
            course = respaced(&course);
            migrate(&mut course, &free);
            if step % 4 == 0 {
                cut_off(&mut course);
            }
            if step % 3 == 0 {
                sweep(&mut terraces, &course, level(step as f32 / STEPS as f32) + scroll(step));
            }
            if step % 32 == 0 {
                work.tick(step as f32 / STEPS as f32)?;
            }
        }
        let course = respaced(&course);
        sweep(&mut terraces, &course, 0.0);
        for _ in 0..4 {
            terraces = terraces.smoothed(work)?;
        }
        work.advance()?;
        Ok(River { course: graded(&course, plan), terraces })
    }

    /// Height of the terraces at a place over the youngest floor, metres.
    pub(super) fn terrace(&self, x: f32, z: f32) -> f32 {
        TERRACES * self.terraces.linear(x, z)
    }

    /// Cuts the channel into `heights`, and lays its banks where the ground has fallen below them.
    pub(super) fn carve(&self, heights: &mut Field) {
        const REACH: f32 = 34.0;
        let n = heights.n;
        // For each sample near the river its place in `near`, or none.
        let mut index = vec![u32::MAX; n * n];
        let mut near: Vec<Near> = Vec::new();
        let limit = |v: f32| ((v - heights.origin) / heights.spacing).clamp(0.0, (n - 1) as f32);
        for pair in self.course.windows(2) {
            let ([ax, az], [bx, bz]) = (pair[0].place, pair[1].place);
            let (x0, x1) = (limit(ax.min(bx) - REACH) as usize, limit(ax.max(bx) + REACH).ceil() as usize);
            let (z0, z1) = (limit(az.min(bz) - REACH) as usize, limit(az.max(bz) + REACH).ceil() as usize);
            for (y, x) in (z0..=z1).flat_map(|y| (x0..=x1).map(move |x| (y, x))) {
                let sample = y * n + x;
                let found = distance(pair, heights.metres(x), heights.metres(y), sample);
                let known = &mut index[sample];
                if found.away > REACH {
                    continue;
                } else if *known == u32::MAX {
                    *known = near.len() as u32;
                    near.push(found);
                } else if near[*known as usize].away > found.away {
                    near[*known as usize] = found;
                }
            }
        }
        for near in near {
            let height = &mut heights.data[near.sample];
            *height += (banked(*height, near.away, near.bed) - *height) * near.strength;
        }
    }
}

/// The place on a stretch of the river that is nearest to (`x`, `z`).
fn distance(stretch: &[Reach], x: f32, z: f32, sample: usize) -> Near {
    let (a, b) = (stretch[0], stretch[1]);
    let (dx, dz) = (b.place[0] - a.place[0], b.place[1] - a.place[1]);
    let (px, pz) = (x - a.place[0], z - a.place[1]);
    let t = ((px * dx + pz * dz) / (dx * dx + dz * dz).max(1e-6)).clamp(0.0, 1.0);
    let (ox, oz) = (px - t * dx, pz - t * dz);
    let along = |from: f32, to: f32| from + (to - from) * t;
    Near {
        sample,
        away: (ox * ox + oz * oz).sqrt(),
        bed: along(a.bed, b.bed),
        strength: along(a.strength, b.strength),
    }
}

/// The ground `away` metres from the middle of a channel whose bed lies at `bed`.
fn banked(ground: f32, away: f32, bed: f32) -> f32 {
    let half = WIDTH * 0.5;
    let bank = bed + BANK * smoothstep(-0.25 * half, half * 1.35, away) + 0.012 * (away - half).max(0.0);
    // Inside the channel the ground is the channel's; beyond the bank it takes over gradually.
    let keep = smoothstep(half * 0.9, 30.0, away);
    bank + (ground - bank) * keep
}

/// The terraces' height of 0..1 while the channel cuts down: long rests and short falls.
fn level(time: f32) -> f32 {
    0.45 * smoothstep(0.22, 0.12, time)
        + 0.3 * smoothstep(0.5, 0.4, time)
        + 0.25 * smoothstep(0.86, 0.66, time)
}

/// The ridge or swale that the migrating channel leaves on its inner side at a step, 0..1 of [`TERRACES`].
fn scroll(step: usize) -> f32 {
    const PERIOD: usize = 54;
    let t = (step % PERIOD) as f32 / PERIOD as f32;
    0.085 * (smoothstep(0.0, 0.5, t) - smoothstep(0.5, 1.0, t))
}

/// The same course with points a fixed distance apart, its kinks rounded.
fn respaced(course: &[[f32; 2]]) -> Vec<[f32; 2]> {
    let mut out = vec![course[0]];
    let mut left = POINT;
    for pair in course.windows(2) {
        let (dx, dz) = (pair[1][0] - pair[0][0], pair[1][1] - pair[0][1]);
        let length = (dx * dx + dz * dz).sqrt();
        let mut at = left;
        while at <= length {
            out.push([pair[0][0] + dx * at / length, pair[0][1] + dz * at / length]);
            at += POINT;
        }
        left = at - length;
    }
    // The end stays where it is, or the course would shrink away.
    let end = course[course.len() - 1];
    if left < 0.6 * POINT {
        out.push(end);
    } else if let Some(last) = out.last_mut() {
        *last = end;
    }
    let before = out.clone();
    for i in 1..out.len().saturating_sub(1) {
        out[i] = [0, 1].map(|k| 0.02 * (before[i - 1][k] + before[i + 1][k]) + 0.96 * before[i][k]);
    }
    out
}

fn migrate(course: &mut [[f32; 2]], free: &impl Fn(f32, f32) -> f32) {
    // The memory fades to 1/e in about three channel widths (Howard and Knutson's weighting).
    const FADE: f32 = 0.82;
    let before = course.to_vec();
    let (mut sum, mut whole) = (0.0, 0.0);
    for i in 2..before.len() - 2 {
        let (a, b, c) = (before[i - 1], before[i], before[i + 1]);
        let (u, v) = ([b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]);
        let (lu, lv) = ((u[0] * u[0] + u[1] * u[1]).sqrt(), (v[0] * v[0] + v[1] * v[1]).sqrt());
        let turn = (u[0] * v[1] - u[1] * v[0]) / (lu * lv).max(1e-6);
        let curvature = (turn / (0.5 * (lu + lv)).max(1e-3) * WIDTH).clamp(-0.6, 0.6);
        sum = sum * FADE + curvature;
        whole = whole * FADE + 1.0;
        let rate = 3.2 * sum / whole - 1.2 * curvature;
        let along = [c[0] - a[0], c[1] - a[1]];
        let length = (along[0] * along[0] + along[1] * along[1]).sqrt().max(1e-3);
        // A bend to the right, seen downstream, moves to the left.
        let normal = [along[1] / length, -along[0] / length];
        // Its ends are pinned.
        let loose = (i.min(before.len() - i) as f32 * 0.04).min(1.0);
        let step = (1.35 * rate).clamp(-0.8, 0.8) * loose;
        let to = [b[0] + normal[0] * step * 4.0, b[1] + normal[1] * step * 4.0];
        let step = step * free(to[0], to[1]);
        course[i] = [b[0] + normal[0] * step, b[1] + normal[1] * step];
    }
}

/// Removes loops whose ends have come together.
fn cut_off(course: &mut Vec<[f32; 2]>) {
    const NEAR: f32 = WIDTH * 1.5;
    let mut i = 0;
    while i + 8 < course.len() {
        let p = course[i];
        let end = (i + 60).min(course.len());
        let touch = (i + 6..end).rev().find(|&j| {
            let (dx, dz) = (course[j][0] - p[0], course[j][1] - p[1]);
            dx * dx + dz * dz < NEAR * NEAR
        });
        if let Some(j) = touch {
            course.drain(i + 1..j);
        }
        i += 1;
    }
}

/// Sets the floor under the channel to `level`.
fn sweep(terraces: &mut Field, course: &[[f32; 2]], level: f32) {
    let reach = WIDTH * 0.95;
    let n = terraces.n as f32;
    for p in course {
        let index = |v: f32| ((v - terraces.origin) / terraces.spacing).clamp(0.0, n - 1.0);
        let (x0, x1) = (index(p[0] - reach).ceil() as usize, index(p[0] + reach) as usize);
        let (z0, z1) = (index(p[1] - reach).ceil() as usize, index(p[1] + reach) as usize);
        for y in z0..=z1 {
            for x in x0..=x1 {
                let (dx, dz) = (terraces.metres(x) - p[0], terraces.metres(y) - p[1]);
                if dx * dx + dz * dz < reach * reach {
                    let at = y * terraces.n + x;
                    terraces.data[at] = level;
                }
            }
        }
    }
}

/// Gives the course a bed that falls all the way, at an even grade between fixed marks.
fn graded(course: &[[f32; 2]], plan: &Plan) -> Vec<Reach> {
    const MARK: usize = 40;
    let mut bed = f32::MAX;
    let mut marks: Vec<f32> = Vec::new();
    for p in course.iter().step_by(MARK) {
        bed = plan.floor.linear(p[0], p[1]).min(bed - 0.05);
        marks.push(bed);
    }
    marks.push(bed - 0.5);
    let graded = course.iter().enumerate().map(|(i, p)| {
        let t = (i % MARK) as f32 / MARK as f32;
        let level = marks[i / MARK] + (marks[i / MARK + 1] - marks[i / MARK]) * t;
        Reach { place: *p, bed: level - BANK, strength: smoothstep(0.0, 45.0, i as f32) }
    });
    graded.collect()
}
