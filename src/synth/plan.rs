//! What is designed rather than grown: where the valleys run, how wide and how high their floors are, and where the
//! ground rises and how hard it is.

use super::field::{EXTENT, Field, Step, Work};
use super::noise::{Noise, Random, mix_f32, smoothstep};

/// Metres around the map that the large form is grown on, so that crests and not the map's edge part the waters.
pub(super) const MARGIN: f32 = 512.0;

/// The main valley's axis from its outlet beyond the west edge to its head, in metres from the map's corner.
///
/// It leaves by a bend, so that from most of the floor a spur and not the map's edge ends the view.
const MAIN: [[f32; 2]; 11] = [
    [-620.0, 2820.0],
    [-60.0, 2860.0],
    [520.0, 3090.0],
    [1060.0, 3370.0],
    [1680.0, 3360.0],
    [2220.0, 3080.0],
    [2430.0, 2580.0],
    [2190.0, 2080.0],
    [1960.0, 1580.0],
    [2170.0, 1100.0],
    [2600.0, 820.0],
];

/// The axis of the larger side valley, from the main one.
const SIDE: [[f32; 2]; 4] = [[2080.0, 1860.0], [1540.0, 2010.0], [1080.0, 1880.0], [740.0, 1540.0]];

/// A valley's axis, sampled every few metres from its mouth up.
pub(super) struct Axis {
    pub(super) points: Vec<[f32; 2]>,
    /// Height of the floor at the axis, metres.
    pub(super) floor: Vec<f32>,
    /// Half the width of the floor, metres.
    half: Vec<f32>,
}

/// The design of one valley.
pub(super) struct Plan {
    pub(super) main: Axis,
    /// Metres outside the valley floor, negative on it.
    pub(super) outside: Field,
    /// Height of the valley floor, or of that next to a place outside it, metres.
    pub(super) floor: Field,
    /// Rate of uplift over erodibility, relative to the mean.
    pub(super) uplift: Field,
    /// How well rock stands, 0 (crumbling) to 1 (cliffs).
    pub(super) hardness: Field,
    /// How readily streams cut, relative to the mean: some faces are gullied and some stay whole.
    pub(super) erodibility: Field,
}

impl Plan {
    pub(super) fn new(seed: u64, work: &mut Work) -> Step<Self> {
        let (main, side) = axes(seed);
        let coarse = Field::over_map(16.0, MARGIN);
        let mut outside = coarse.clone();
        let mut floor = coarse.clone();
        let wobble = Noise::new(seed, 11);
        let nearest = |x: f32, z: f32| {
            let wobble = 0.30 * wobble.octaves(x, z, 420.0, 3, 0.5);
            let (a, b) = (main.nearest(x, z, wobble), side.nearest(x, z, wobble));
            if a.0 < b.0 { a } else { b }
        };
        let (origin, spacing) = (coarse.origin, coarse.spacing);
        let metres = |i: usize| origin + i as f32 * spacing;
        work.rows(&mut outside, |y, row| {
            row.iter_mut().enumerate().for_each(|(x, out)| *out = nearest(metres(x), metres(y)).0);
        })?;
        work.rows(&mut floor, |y, row| {
            row.iter_mut().enumerate().for_each(|(x, out)| *out = nearest(metres(x), metres(y)).1);
        })?;
        // The nearest axis changes abruptly across the inside of a bend; a floor must not.
        for _ in 0..6 {
            floor = floor.smoothed(work)?;
        }
        let (rise, rock) = (Noise::new(seed, 12), Noise::new(seed, 13));
        let mut uplift = coarse.clone();
        work.rows(&mut uplift, |y, row| {
            for (x, out) in row.iter_mut().enumerate() {
                let (x, z) = (metres(x), metres(y));
                *out = 1.0 + 0.55 * rise.octaves(x, z, 1500.0, 3, 0.5);
            }
        })?;
        let mut erodibility = coarse.clone();
        let seams = Noise::new(seed, 14);
        work.rows(&mut erodibility, |y, row| {
            for (x, out) in row.iter_mut().enumerate() {
                let (x, z) = (metres(x), metres(y));
                let weak = smoothstep(-0.3, 0.45, seams.octaves(x, z, 480.0, 4, 0.6));
                *out = 0.2 + 1.6 * weak * weak;
            }
        })?;
        let mut hardness = coarse;
        work.rows(&mut hardness, |y, row| {
            for (x, out) in row.iter_mut().enumerate() {
                let (x, z) = (metres(x), metres(y));
                *out = smoothstep(-0.45, 0.55, rock.octaves(x, z, 560.0, 5, 0.62));
            }
        })?;
        Ok(Plan { main, outside, floor, uplift, hardness, erodibility })
    }
}

fn axes(seed: u64) -> (Axis, Axis) {
    let mut random = Random::new(seed ^ 0x7a11e7);
    // Half of the seeds are mirrored, east for west.
    let mirror = random.unit() < 0.5;
    let mut place = |points: &[[f32; 2]], pinned: usize| -> Vec<[f32; 2]> {
        let moved = points.iter().enumerate().map(|(i, p)| {
            let reach = if i < pinned { 0.0 } else { 110.0 };
            let p = [p[0] + reach * random.signed(), p[1] + reach * random.signed()];
            if mirror { [EXTENT - p[0], p[1]] } else { p }
        });
        moved.collect()
    };
    let (main, mut side) = (place(&MAIN, 0), place(&SIDE, 1));
    let main = Axis::new(&main, |t| 14.0 + 62.0 * t + 40.0 * t * t * t, |t| mix_f32(230.0, 120.0, t * t));
    // The side valley begins on the main axis and at its height.
    let join = main.closest(side[0][0], side[0][1]);
    side[0] = main.points[join];
    let start = main.floor[join];
    let side = Axis::new(&side, |t| start + 26.0 * t + 60.0 * t * t, |t| mix_f32(110.0, 45.0, t));
    (main, side)
}

impl Axis {
    /// A Catmull-Rom curve through `control`, with heights and half widths by the fraction of the way up.
    fn new(control: &[[f32; 2]], floor: impl Fn(f32) -> f32, half: impl Fn(f32) -> f32) -> Self {
        const STEPS: usize = 48;
        let spans = control.len() - 1;
        let point = |i: isize| control[i.clamp(0, spans as isize) as usize];
        let mut points = Vec::with_capacity(spans * STEPS + 1);
        for step in 0..=spans * STEPS {
            let span = (step / STEPS).min(spans - 1);
            let t = (step - span * STEPS) as f32 / STEPS as f32;
            let [a, b, c, d] = [-1, 0, 1, 2].map(|k| point(span as isize + k));
            points.push([0, 1].map(|k| {
                let (u, v) = (0.5 * (c[k] - a[k]), 0.5 * (d[k] - b[k]));
                let (m, q) = (3.0 * (c[k] - b[k]) - 2.0 * u - v, 2.0 * (b[k] - c[k]) + u + v);
                b[k] + t * (u + t * (m + t * q))
            }));
        }
        let whole = (points.len() - 1) as f32;
        let along = |f: &dyn Fn(f32) -> f32| (0..points.len()).map(|i| f(i as f32 / whole)).collect();
        Axis { floor: along(&floor), half: along(&half), points }
    }

    /// The index of the closest point.
    pub(super) fn closest(&self, x: f32, z: f32) -> usize {
        let far = |p: &[f32; 2]| (p[0] - x) * (p[0] - x) + (p[1] - z) * (p[1] - z);
        (0..self.points.len())
            .min_by(|&a, &b| far(&self.points[a]).total_cmp(&far(&self.points[b])))
            .unwrap_or(0)
    }

    /// Metres outside this valley's floor, whose width varies by `wobble`, and the floor's height.
    fn nearest(&self, x: f32, z: f32, wobble: f32) -> (f32, f32) {
        let closest = self.closest(x, z);
        let p = self.points[closest];
        let away = ((p[0] - x) * (p[0] - x) + (p[1] - z) * (p[1] - z)).sqrt();
        (away - self.half[closest] * (1.0 + wobble), self.floor[closest])
    }
}
