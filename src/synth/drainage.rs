//! Where water runs: every sample's receiver, in an order in which receivers come first.
//!
//! The order is that of Priority-Flood (Barnes et al. 2014), so lakes drain over their lowest saddle and no sample is
//! left without a way out. Heights fall into buckets a centimetre or so apart and the queue is a list a bucket, which
//! makes it linear in time where a heap is not.

use super::field::{Field, Step, Work};
use super::noise::Noise;
use std::f32::consts::SQRT_2;

const BUCKETS: usize = 1 << 17;
const NONE: u32 = u32::MAX;
const UNSEEN: u8 = 0;
const QUEUED: u8 = 1;
const POPPED: u8 = 2;

/// The receivers of a field's samples and the order from the outlets up.
pub(super) struct Drainage {
    /// Samples, each after its receiver.
    pub(super) order: Vec<u32>,
    /// The sample that takes a sample's water; an outlet is its own.
    pub(super) receiver: Vec<u32>,
}

/// Samples around one, as steps in x and y.
pub(super) const AROUND: [(i32, i32); 8] =
    [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// The distance to each of [`AROUND`], in samples.
pub(super) const REACH: [f32; 8] = [SQRT_2, 1.0, SQRT_2, 1.0, 1.0, SQRT_2, 1.0, SQRT_2];

/// The queue: a first-in first-out list a bucket.
struct Queue {
    head: Vec<u32>,
    tail: Vec<u32>,
    next: Vec<u32>,
    low: f32,
    scale: f32,
    lowest: usize,
}

impl Queue {
    fn new(heights: &[f32]) -> Self {
        let (low, high) = heights.iter().fold((f32::MAX, f32::MIN), |(a, b), &h| (a.min(h), b.max(h)));
        Queue {
            head: vec![NONE; BUCKETS],
            tail: vec![NONE; BUCKETS],
            next: vec![NONE; heights.len()],
            low,
            scale: (BUCKETS - 1) as f32 / (high - low).max(1.0),
            lowest: 0,
        }
    }

    /// Queues a sample at its height or at the present water level, whichever is higher.
    fn push(&mut self, sample: usize, height: f32) {
        let bucket = (((height - self.low) * self.scale) as usize).clamp(self.lowest, BUCKETS - 1);
        match self.tail[bucket] {
            NONE => self.head[bucket] = sample as u32,
            tail => self.next[tail as usize] = sample as u32,
        }
        self.tail[bucket] = sample as u32;
    }

    fn pop(&mut self) -> Option<usize> {
        while self.lowest < BUCKETS && self.head[self.lowest] == NONE {
            self.lowest += 1;
        }
        let sample = *self.head.get(self.lowest)? as usize;
        self.head[self.lowest] = self.next[sample];
        if self.head[self.lowest] == NONE {
            self.tail[self.lowest] = NONE;
        }
        Some(sample)
    }
}

impl Drainage {
    /// Routes water to the field's border and to every sample for which `outlet` holds.
    ///
    /// Slopes are compared after a random factor of `1 ± scatter` a pair of samples: on a plane, water that only knows
    /// eight directions then follows the true one on average (Rho8, Fairfield and Leymarie 1991).
    pub(super) fn new(
        heights: &Field,
        outlet: impl Fn(usize) -> bool,
        scatter: f32,
        noise: Noise,
        work: &mut Work,
    ) -> Step<Self> {
        let (n, h) = (heights.n, &heights.data);
        let mut queue = Queue::new(h);
        let mut state = vec![UNSEEN; n * n];
        let mut receiver: Vec<u32> = (0..(n * n) as u32).collect();
        let mut order = Vec::with_capacity(n * n);
        for (sample, state) in state.iter_mut().enumerate() {
            let (x, y) = (sample % n, sample / n);
            if x == 0 || y == 0 || x == n - 1 || y == n - 1 || outlet(sample) {
                *state = QUEUED;
                queue.push(sample, h[sample]);
            }
        }
        while let Some(sample) = queue.pop() {
            if order.len() % (1 << 19) == 0 {
                work.tick(0.7 * order.len() as f32 / (n * n) as f32)?;
            }
            let (x, y) = ((sample % n) as i32, (sample / n) as i32);
            let inside = x > 0 && y > 0 && x < n as i32 - 1 && y < n as i32 - 1;
            let fixed = receiver[sample] as usize == sample;
            let mut steepest = 0.0;
            for (around, &(dx, dy)) in AROUND.iter().enumerate() {
                if !inside && (x + dx < 0 || y + dy < 0 || x + dx >= n as i32 || y + dy >= n as i32) {
                    continue;
                }
                let other = (sample as isize + dy as isize * n as isize + dx as isize) as usize;
                match state[other] {
                    UNSEEN => {
                        state[other] = QUEUED;
                        receiver[other] = sample as u32;
                        queue.push(other, h[other]);
                    }
                    POPPED if !fixed && h[other] < h[sample] => {
                        let luck = noise.cell(x * 8 + around as i32, y) - 0.5;
                        let slope = (h[sample] - h[other]) / REACH[around] * (1.0 + 2.0 * scatter * luck);
                        if slope > steepest {
                            steepest = slope;
                            receiver[sample] = other as u32;
                        }
                    }
                    _ => {}
                }
            }
            state[sample] = POPPED;
            order.push(sample as u32);
        }
        Ok(Drainage { order, receiver })
    }

    /// The area that drains through each sample, in samples, its own included.
    pub(super) fn accumulate(&self) -> Vec<f32> {
        let mut area = vec![1.0; self.order.len()];
        for &sample in self.order.iter().rev() {
            let receiver = self.receiver[sample as usize];
            if receiver != sample {
                area[receiver as usize] += area[sample as usize];
            }
        }
        area
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    #[test]
    fn water_finds_its_way_out_of_a_hollow() {
        // A tilted plane with a hollow that has no outlet of its own.
        let mut ground = Field::over_map(64.0, 0.0);
        let n = ground.n;
        for at in 0..n * n {
            let (x, y) = ((at % n) as f32, (at / n) as f32);
            let away = (x - 30.0) * (x - 30.0) + (y - 30.0) * (y - 30.0);
            ground.data[at] = x + 0.3 * y - (200.0 - away).max(0.0);
        }
        let mut ear = |_| ControlFlow::Continue(());
        let mut work = Work::new(1, &mut ear);
        let tree = Drainage::new(&ground, |_| false, 0.35, Noise::new(1, 1), &mut work).expect("not stopped");
        let mut seen = vec![false; n * n];
        for &at in &tree.order {
            let to = tree.receiver[at as usize];
            assert!(to == at || seen[to as usize], "{at} comes before its receiver {to}");
            seen[at as usize] = true;
        }
        assert!(seen.iter().all(|&seen| seen));
        let area = tree.accumulate();
        let out: f32 = tree
            .order
            .iter()
            .filter(|&&at| tree.receiver[at as usize] == at)
            .map(|&at| area[at as usize])
            .sum();
        assert_eq!(out, (n * n) as f32, "what falls on the ground leaves it");
    }
}
