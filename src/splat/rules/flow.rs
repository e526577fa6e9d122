//! How much ground drains through each sample.
//!
//! Hollows are filled to their lowest saddle first (Priority-Flood, Barnes et al. 2014). Heights are 16-bit codes, so the
//! queue is a list a code: exact, and linear in time. Ground that is level, or was filled, drains toward where the flood
//! came from.

use crate::field::Field;
use crate::{Error, Result};
use std::ops::ControlFlow;

/// Samples around one, as steps in x and z.
const AROUND: [(isize, isize); 8] = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];
/// The way of a sample on the border: off the map.
const OUT: u8 = 8;
/// The way of a sample that the flood has not reached.
const UNSEEN: u8 = 9;
const NONE: u32 = u32::MAX;
/// Samples between two reports.
const REPORT: usize = 1 << 18;

/// The ground that drains through each sample in m², its own included: row-major, a number a sample, at least the m² of one.
/// `None` where `progress`, which gets 0…1, asked for an end.
///
/// Water parts among all lower neighbours by the fourth power of their slopes (Holmgren 1994), and leaves the map at its
/// border. Holes are ground like any other. Takes about 16 bytes of memory a sample while it works.
///
/// # Errors
/// [`Error::Invalid`] for a map of 2³² samples or more.
#[doc(alias = "upstream area")]
#[doc(alias = "flow accumulation")]
pub fn flow_map(field: &Field, progress: &mut dyn FnMut(f32) -> ControlFlow<()>) -> Result<Option<Vec<f32>>> {
    if field.samples().len() >= NONE as usize {
        let why = "a map of 2³² samples or more; follow the water of a coarser one, and give that as the map of flow";
        return Err(Error::invalid("flow", why));
    }
    let Some(flood) = Flood::new(field, progress) else { return Ok(None) };
    Ok(flood.accumulate(field, progress))
}

/// A map whose hollows are filled.
struct Flood {
    /// The code that the ground or the water over it stands at.
    levels: Vec<u16>,
    /// For each sample which of [`AROUND`] the flood came from.
    ways: Vec<u8>,
    /// All samples, each after those that its water may run to.
    order: Vec<u32>,
}

/// A list a code, first in, first out.
struct Queue {
    head: Vec<u32>,
    tail: Vec<u32>,
    next: Vec<u32>,
    lowest: usize,
}

impl Queue {
    fn new(samples: usize) -> Self {
        let codes = usize::from(u16::MAX) + 1;
        Self { head: vec![NONE; codes], tail: vec![NONE; codes], next: vec![NONE; samples], lowest: 0 }
    }

    /// Adds a sample at a code, which is not below that of the last one taken.
    fn push(&mut self, sample: usize, code: u16) {
        let code = usize::from(code);
        match self.tail[code] {
            NONE => self.head[code] = sample as u32,
            tail => self.next[tail as usize] = sample as u32,
        }
        self.tail[code] = sample as u32;
    }

    fn pop(&mut self) -> Option<usize> {
        while *self.head.get(self.lowest)? == NONE {
            self.lowest += 1;
        }
        let sample = self.head[self.lowest];
        self.head[self.lowest] = self.next[sample as usize];
        if self.head[self.lowest] == NONE {
            self.tail[self.lowest] = NONE;
        }
        Some(sample as usize)
    }
}

/// The steps in the list of samples to those of [`AROUND`].
fn strides(width: usize) -> [isize; 8] {
    AROUND.map(|(x, z)| z * width as isize + x)
}

impl Flood {
    /// Floods the map from its border.
    fn new(field: &Field, progress: &mut dyn FnMut(f32) -> ControlFlow<()>) -> Option<Self> {
        let (width, height) = (field.desc().width as usize, field.desc().height as usize);
        let mut levels = field.samples().to_vec();
        let mut ways = vec![UNSEEN; levels.len()];
        let mut queue = Queue::new(levels.len());
        let mut order = Vec::with_capacity(levels.len());
        for sample in 0..levels.len() {
            let (x, z) = (sample % width, sample / width);
            if x == 0 || z == 0 || x == width - 1 || z == height - 1 {
                ways[sample] = OUT;
                queue.push(sample, levels[sample]);
            }
        }
        let strides = strides(width);
        while let Some(sample) = queue.pop() {
            if order.len() % REPORT == 0 {
                report(progress, 0.55 * order.len() as f32 / levels.len() as f32)?;
            }
            order.push(sample as u32);
            let (x, z) = ((sample % width) as isize, (sample / width) as isize);
            for (way, &(dx, dz)) in AROUND.iter().enumerate() {
                // Only samples of the border have neighbours outside.
                let inside =
                    (0..width as isize).contains(&(x + dx)) && (0..height as isize).contains(&(z + dz));
                let Some(other) = sample.checked_add_signed(strides[way]).filter(|_| inside) else {
                    continue;
                };
                if ways[other] == UNSEEN {
                    ways[other] = 7 - way as u8;
                    levels[other] = levels[other].max(levels[sample]);
                    queue.push(other, levels[other]);
                }
            }
        }
        Some(Self { levels, ways, order })
    }

    /// Lets the water of every sample run, from the highest down.
    fn accumulate(
        &self,
        field: &Field,
        progress: &mut dyn FnMut(f32) -> ControlFlow<()>,
    ) -> Option<Vec<f32>> {
        let spacing = field.desc().spacing;
        let strides = strides(field.desc().width as usize);
        let run = AROUND.map(|(x, z)| (x as f64 * spacing.x).hypot(z as f64 * spacing.y));
        // Only the proportions of slopes count.
        let nearer = run.map(|metres| (spacing.x.min(spacing.y) / metres) as f32);
        let mut flow = vec![(spacing.x * spacing.y) as f32; self.levels.len()];
        for (done, &sample) in self.order.iter().rev().enumerate() {
            if done % REPORT == 0 {
                report(progress, 0.55 + 0.45 * done as f32 / flow.len() as f32)?;
            }
            let sample = sample as usize;
            let way = self.ways[sample];
            if way == OUT {
                continue;
            }
            let (water, level) = (flow[sample], self.levels[sample]);
            // All eight neighbours are there: who has not, is on the border.
            let to = strides.map(|stride| sample.wrapping_add_signed(stride));
            let mut shares = [0.0f32; 8];
            for (share, (&other, nearer)) in shares.iter_mut().zip(to.iter().zip(nearer)) {
                let fall = f32::from(level.saturating_sub(self.levels[other])) * nearer;
                *share = (fall * fall) * (fall * fall);
            }
            let whole: f32 = shares.iter().sum();
            if whole > 0.0 {
                for (&other, share) in to.iter().zip(shares) {
                    if share > 0.0 {
                        flow[other] += water * (share / whole);
                    }
                }
            } else {
                flow[to[usize::from(way)]] += water;
            }
        }
        Some(flow)
    }
}

/// `None` where an end is asked for.
fn report(progress: &mut dyn FnMut(f32) -> ControlFlow<()>, part: f32) -> Option<()> {
    if progress(part).is_continue() { Some(()) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldDesc;

    /// A field of these codes by column and row.
    fn ground(width: u32, height: u32, spacing: (f64, f64), code: impl Fn(u32, u32) -> u32) -> Field {
        let desc = FieldDesc::new(width, height).with_spacing(spacing.0, spacing.1).with_range(0.0, 100.0);
        let codes = (0..width * height).map(|at| code(at % width, at / width) as u16).collect();
        Field::from_samples(desc, codes).unwrap()
    }

    fn flow(field: &Field) -> Vec<f32> {
        let mut last = 0.0;
        let flow = flow_map(field, &mut |part| {
            assert!((last..=1.0).contains(&part));
            last = part;
            ControlFlow::Continue(())
        });
        flow.unwrap().unwrap()
    }

    /// What leaves the map: what the samples of its border gather.
    fn leaving(field: &Field, flow: &[f32]) -> f64 {
        let (width, height) = (field.desc().width as usize, field.desc().height as usize);
        let border = |at: &usize| {
            let (x, z) = (at % width, at / width);
            x == 0 || z == 0 || x == width - 1 || z == height - 1
        };
        (0..flow.len()).filter(border).map(|at| f64::from(flow[at])).sum()
    }

    #[test]
    fn water_gathers_down_a_tilted_plane() {
        // 3 m² a sample; down to the south.
        let field = ground(101, 40, (1.5, 2.0), |_, z| 50_000 - 100 * z);
        let flow = flow(&field);
        for z in 0..39u32 {
            let gathered = flow[z as usize * 101 + 50];
            // The border keeps nothing for its neighbour: the first row's water leaves to the north.
            let expected = 3.0 * z.max(1) as f32;
            assert!(
                (gathered - expected).abs() < 1e-2 * expected,
                "{gathered} instead of {expected} in row {z}"
            );
        }
        assert!((leaving(&field, &flow) - 101.0 * 40.0 * 3.0).abs() < 1.0);
    }

    #[test]
    fn a_valley_carries_the_water_of_its_sides() {
        let field = ground(81, 60, (1.0, 1.0), |x, z| 20_000 + 200 * x.abs_diff(40) - 20 * z);
        let flow = flow(&field);
        let (bottom, side) = (flow[50 * 81 + 40], flow[50 * 81 + 60]);
        assert!(bottom > 50.0 * 60.0 && side < 60.0, "{bottom} in the bottom, {side} on a side");
        assert!((leaving(&field, &flow) - 81.0 * 60.0).abs() < 1.0);
    }

    #[test]
    fn a_hollow_drains_over_its_saddle_and_level_ground_drains() {
        let hollow = ground(50, 70, (1.0, 1.0), |x, z| {
            let away = (x.abs_diff(25).pow(2) + z.abs_diff(30).pow(2)).min(400);
            10_000 + 10 * z + 20 * away
        });
        let level = ground(33, 20, (1.0, 1.0), |_, _| 7);
        for field in [hollow, level] {
            let flow = flow(&field);
            assert!(
                (leaving(&field, &flow) - flow.len() as f64).abs() < 0.5,
                "what falls on the ground leaves it"
            );
            assert!(flow.iter().all(|&area| area >= 1.0));
        }
        assert_eq!(flow(&ground(2, 2, (1.0, 1.0), |x, _| x)), [1.0; 4]);
    }

    #[test]
    fn it_can_be_stopped() {
        let field = ground(700, 600, (1.0, 1.0), |x, z| (x * z) % 1000);
        for stop in [0, 1, 3] {
            let mut heard = 0;
            let flow = flow_map(&field, &mut |_| {
                heard += 1;
                if heard > stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert!(flow.unwrap().is_none());
            assert_eq!(heard, stop + 1);
        }
    }

    #[test]
    #[ignore = "seconds long: how quick the water of a large map is"]
    fn the_water_of_a_large_map() {
        let field = ground(4097, 4097, (1.0, 1.0), |x, z| {
            let (a, b) = ((f64::from(x) * 0.011).sin(), (f64::from(z) * 0.017).cos());
            (30_000.0 + 9000.0 * a * b + 5000.0 * (f64::from(x + z) * 0.07).sin() + f64::from(x * 31 % 97))
                as u32
        });
        let started = std::time::Instant::now();
        let flow = flow(&field);
        println!("{:?}, {} m² leave", started.elapsed(), leaving(&field, &flow));
    }
}
