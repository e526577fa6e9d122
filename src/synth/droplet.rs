//! Rain: droplets that run down the ground, pick up what they can carry and leave the rest (after Beyer 2015).
//!
//! Droplets change the ground that later ones run on, so their order matters. Here it is fixed: the field is cut into
//! tiles of four colours; tiles of one colour are too far apart for their droplets to meet, so any thread may run
//! any of them on a copy, and colours follow one another. The cut moves from round to round, which hides it.

use super::field::{Field, Step, Work};
use super::noise::{Random, mix};
use super::plan::Plan;

/// Side of a tile, samples.
const TILE: usize = 256;
/// Samples that a droplet can leave its tile by; more than a droplet's steps and its brush.
const REACH: usize = 72;
/// Side of the copy that a tile's droplets run on.
const BLOCK: usize = TILE + 2 * REACH;
/// Steps, each of one sample's length, that a droplet lives.
const LIFE: usize = 64;

/// How the rain falls.
pub(super) struct Rain {
    /// Rounds, each with its own cut.
    pub(super) rounds: usize,
    /// Droplets a sample, in all rounds.
    pub(super) density: f32,
    /// Part of what a droplet could carry more that it takes a step.
    pub(super) bite: f32,
}

/// The ground and loose debris of one tile and its surroundings.
struct Block {
    x: isize,
    y: isize,
    height: Vec<f32>,
    debris: Vec<f32>,
}

/// Lets `rain` fall on `heights`; `debris` gains what it leaves and loses what it takes.
pub(super) fn fall(
    heights: &mut Field,
    debris: &mut Field,
    plan: &Plan,
    rain: &Rain,
    seed: u64,
    work: &mut Work,
) -> Step {
    let n = heights.n;
    for round in 0..rain.rounds {
        let key = mix(seed ^ mix(0xd409 + round as u64 * 7919 + n as u64 * 65537));
        let (shift_x, shift_y) = ((key % TILE as u64) as isize, ((key >> 20) % TILE as u64) as isize);
        let side = n.div_ceil(TILE) + 1;
        for colour in 0..4 {
            let tiles: Vec<(isize, isize)> = (0..side * side)
                .map(|i| (i % side, i / side))
                .filter(|(x, y)| (x % 2) + 2 * (y % 2) == colour)
                .map(|(x, y)| ((x * TILE) as isize - shift_x, (y * TILE) as isize - shift_y))
                .collect();
            for (index, batch) in tiles.chunks(work.threads()).enumerate() {
                work.tick((colour as f32 + (index * work.threads()) as f32 / tiles.len() as f32) / 4.0)?;
                let (ground, loose) = (&*heights, &*debris);
                let blocks: Vec<Block> = std::thread::scope(|scope| {
                    let running: Vec<_> = batch
                        .iter()
                        .map(|&(x, y)| scope.spawn(move || tile(ground, loose, (x, y), plan, rain, key)))
                        .collect();
                    running
                        .into_iter()
                        .map(|t| t.join().unwrap_or_else(|e| std::panic::resume_unwind(e)))
                        .collect()
                });
                for block in &blocks {
                    block.write(heights, debris);
                }
            }
        }
        work.advance()?;
    }
    Ok(())
}

/// Runs the droplets of the tile whose first sample is (`x`, `y`).
fn tile(
    heights: &Field,
    debris: &Field,
    (x, y): (isize, isize),
    plan: &Plan,
    rain: &Rain,
    key: u64,
) -> Block {
    let mut block = Block::read(heights, debris, x - REACH as isize, y - REACH as isize);
    let mut random = Random::new(key ^ mix(((x as u64) << 32) ^ (y as u64 & 0xffff_ffff)));
    let count = (rain.density / rain.rounds as f32 * (TILE * TILE) as f32) as usize;
    let limit = heights.n as f32 - 2.0;
    for _ in 0..count {
        let px = REACH as f32 + random.unit() * TILE as f32;
        let py = REACH as f32 + random.unit() * TILE as f32;
        let (gx, gy) = (px + block.x as f32, py + block.y as f32);
        if gx > 1.0 && gy > 1.0 && gx < limit && gy < limit {
            let metres = |g: f32| heights.origin + g * heights.spacing;
            block.droplet(px, py, rain.bite * plan.erodibility.linear(metres(gx), metres(gy)));
        }
    }
    block
}

impl Block {
    /// Copies a block, in samples as the unit of height; outside samples repeat the border.
    fn read(heights: &Field, debris: &Field, x: isize, y: isize) -> Self {
        let last = heights.n as isize - 1;
        let copy = |field: &Field| {
            let mut out = Vec::with_capacity(BLOCK * BLOCK);
            for row in y..y + BLOCK as isize {
                let row = row.clamp(0, last) as usize * field.n;
                out.extend(
                    (x..x + BLOCK as isize)
                        .map(|c| field.data[row + c.clamp(0, last) as usize] / field.spacing),
                );
            }
            out
        };
        Block { x, y, height: copy(heights), debris: copy(debris) }
    }

    fn write(&self, heights: &mut Field, debris: &mut Field) {
        let n = heights.n as isize;
        for row in 0..BLOCK {
            let y = self.y + row as isize;
            if y < 0 || y >= n {
                continue;
            }
            let (from, to) = (self.x.max(0), (self.x + BLOCK as isize).min(n));
            for x in from..to {
                let (here, there) = (row * BLOCK + (x - self.x) as usize, (y * n + x) as usize);
                heights.data[there] = self.height[here] * heights.spacing;
                debris.data[there] = self.debris[here] * heights.spacing;
            }
        }
    }

    fn droplet(&mut self, mut x: f32, mut y: f32, bite: f32) {
        const INERTIA: f32 = 0.12;
        const CARRY: f32 = 3.5;
        const SETTLE: f32 = 0.18;
        const DRY: f32 = 0.975;
        const LOOSE: f32 = 0.03;
        const ROCK: f32 = 0.2;
        const GRAVITY: f32 = 3.0;
        let (mut dx, mut dy, mut speed, mut water, mut load) = (0.0_f32, 0.0_f32, 0.6_f32, 1.0_f32, 0.0_f32);
        let (mut height, mut gx, mut gy) = self.ground(x, y);
        for _ in 0..LIFE {
            (dx, dy) = (dx * INERTIA - gx * (1.0 - INERTIA), dy * INERTIA - gy * (1.0 - INERTIA));
            let length = (dx * dx + dy * dy).sqrt();
            if length < 0.012 {
                break;
            }
            (dx, dy) = (dx / length, dy / length);
            let (nx, ny) = (x + dx, y + dy);
            let (next, ngx, ngy) = self.ground(nx, ny);
            let fall = height - next;
            if fall < 0.0 {
                // A hollow: fill it, no higher than the way ahead.
                let left = load.min(-fall);
                self.change(x, y, left);
                load -= left;
                speed *= 0.5;
                if load <= 0.0 {
                    break;
                }
            } else {
                let room = fall.max(0.01) * speed * water * CARRY - load;
                let loose = self.debris[y as usize * BLOCK + x as usize] > LOOSE;
                let bite = if loose { bite } else { bite * ROCK };
                let taken = if room > 0.0 { -(room * bite).min(fall * 0.5) } else { -room * SETTLE };
                let taken = taken.min(fall * 0.5);
                self.change(x, y, taken);
                load -= taken;
            }
            speed = (speed * speed * 0.92 + fall * GRAVITY * 0.2).max(0.0).sqrt().min(2.5);
            water *= DRY;
            (x, y, height, gx, gy) = (nx, ny, next, ngx, ngy);
        }
        // The rest sinks in where the droplet dried, no more than a film.
        self.change(x, y, load.min(0.02));
    }

    /// Height and gradient at a place in samples.
    fn ground(&self, x: f32, y: f32) -> (f32, f32, f32) {
        let (ix, iy) = (x as usize, y as usize);
        let (fx, fy) = (x - ix as f32, y - iy as f32);
        let at = iy * BLOCK + ix;
        let (a, b) = (self.height[at], self.height[at + 1]);
        let (c, d) = (self.height[at + BLOCK], self.height[at + BLOCK + 1]);
        let (gx, gy) = ((b - a) * (1.0 - fy) + (d - c) * fy, (c - a) * (1.0 - fx) + (d - b) * fx);
        (a + (b - a) * fx + (c - a) * fy + (a - b - c + d) * fx * fy, gx, gy)
    }

    /// Spreads `amount` over the sixteen samples around a place, by the cubic B-spline: no spikes, no lattice.
    fn change(&mut self, x: f32, y: f32, amount: f32) {
        let (ix, iy) = (x as usize, y as usize);
        let (wx, wy) = (spline(x - ix as f32), spline(y - iy as f32));
        let first = (iy - 1) * BLOCK + ix - 1;
        for (row, wy) in wy.iter().enumerate() {
            let at = first + row * BLOCK;
            let share = amount * wy;
            for (height, wx) in self.height[at..at + 4].iter_mut().zip(&wx) {
                *height += share * wx;
            }
            for (debris, wx) in self.debris[at..at + 4].iter_mut().zip(&wx) {
                *debris = (*debris + share * wx).max(0.0);
            }
        }
    }
}

fn spline(t: f32) -> [f32; 4] {
    let s = 1.0 - t;
    let near = |t: f32| (4.0 + t * t * (3.0 * t - 6.0)) / 6.0;
    [s * s * s / 6.0, near(t), near(s), t * t * t / 6.0]
}
