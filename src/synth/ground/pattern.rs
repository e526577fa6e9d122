//! Noise, cells and scattered places on a torus: everything here meets itself after one repeat.
//!
//! Coordinates `u`, `v` are repeats, 0..1 over the picture, and may leave it.

use crate::synth::noise::{Noise, Random};

/// A lattice of noise that one repeat of the picture maps onto itself: the point (u, v) lies at (a·u + b·v, c·u + d·v).
///
/// Whole numbers make it meet itself; those off the diagonal turn it, so that its axes are not the picture's.
#[derive(Clone, Copy)]
pub(super) struct Lattice {
    a: i32,
    b: i32,
    c: i32,
    d: i32,
    det: i32,
}

impl Lattice {
    /// √(a² + b²) waves a repeat, turned.
    pub(super) fn turned(a: i32, b: i32) -> Self {
        Self::of(a, -b, b, a)
    }

    /// About `x` waves a repeat across the picture and `y` down it, sheared by `shear` waves.
    pub(super) fn stretched(x: i32, y: i32, shear: i32) -> Self {
        Self::of(x, 0, shear, y)
    }

    fn of(a: i32, b: i32, c: i32, d: i32) -> Self {
        let det = a * d - b * c;
        assert!(det > 0, "a lattice turns the picture over or flattens it");
        Lattice { a, b, c, d, det }
    }

    /// √5 times as fine and turned by 27°.
    fn finer(self) -> Self {
        let Lattice { a, b, c, d, .. } = self;
        Self::of(2 * a - c, 2 * b - d, a + 2 * c, b + 2 * d)
    }

    /// Gradient noise, about -1..1, mean 0.
    pub(super) fn noise(self, noise: Noise, u: f32, v: f32) -> f32 {
        let Lattice { a, b, c, d, det } = self;
        let (x, y) = (a as f32 * u + b as f32 * v, c as f32 * u + d as f32 * v);
        let (x0, y0) = (x.floor(), y.floor());
        let (ix, iy) = (x0 as i32, y0 as i32);
        // The adjugate names points alike that lie whole repeats apart.
        let (p, q) = ((d * ix - b * iy).rem_euclid(det), (a * iy - c * ix).rem_euclid(det));
        let wrap = |i: i32| {
            let i = if i >= det { i - det } else { i };
            let i = if i >= det { i - det } else { i };
            let i = if i < 0 { i + det } else { i };
            if i < 0 { i + det } else { i }
        };
        noise.between(x - x0, y - y0, |cx, cy| (wrap(p + d * cx - b * cy), wrap(q + a * cy - c * cx)))
    }

    /// Octaves of noise, each √5 times as fine, weights times `gain`, about -1..1.
    pub(super) fn octaves(self, noise: Noise, u: f32, v: f32, count: u32, gain: f32) -> f32 {
        let (mut lattice, mut total, mut weight, mut whole) = (self, 0.0, 1.0, 0.0);
        for _ in 0..count {
            total += weight * lattice.noise(noise, u, v);
            whole += weight;
            weight *= gain;
            lattice = lattice.finer();
        }
        total / whole
    }
}

/// Where a point lies in a Voronoi diagram (Worley 1996).
pub(super) struct Cell {
    /// A number of 0..1 for this cell alone, and another.
    pub(super) id: f32,
    pub(super) other: f32,
    /// From the cell's site to the point, in cells.
    pub(super) from: [f32; 2],
    /// How far the nearest border is, in cells.
    pub(super) edge: f32,
}

/// The cell of a point among `nx` × `ny` of them a repeat, whose sites lie up to `jitter` of 0..1 off a grid.
pub(super) fn cell(noise: Noise, [nx, ny]: [i32; 2], jitter: f32, u: f32, v: f32) -> Cell {
    let (x, y) = (u * nx as f32, v * ny as f32);
    let (x0, y0) = (x.floor(), y.floor());
    let (ix, iy) = (x0 as i32, y0 as i32);
    let mut sites = [([0.0f32; 2], (0, 0)); 9];
    let (mut best, mut nearest) = (0, f32::MAX);
    for (i, site) in sites.iter_mut().enumerate() {
        let (cx, cy) = (i as i32 % 3 - 1, i as i32 / 3 - 1);
        let name = ((ix + cx).rem_euclid(nx), (iy + cy).rem_euclid(ny));
        let bits = (noise.cell(name.0, name.1) * 16_777_216.0) as u32;
        let (jx, jy) = ((bits & 4095) as f32 / 4096.0 - 0.5, (bits >> 12) as f32 / 4096.0 - 0.5);
        let at = [x - x0 - cx as f32 - 0.5 - jitter * jx, y - y0 - cy as f32 - 0.5 - jitter * jy];
        *site = (at, name);
        let distance = at[0] * at[0] + at[1] * at[1];
        if distance < nearest {
            (best, nearest) = (i, distance);
        }
    }
    let (from, name) = sites[best];
    let mut edge = f32::MAX;
    for (i, (at, _)) in sites.iter().enumerate() {
        if i != best {
            let (dx, dy) = (from[0] - at[0], from[1] - at[1]);
            let length = (dx * dx + dy * dy).sqrt();
            let middle = 0.5 * ((at[0] * at[0] + at[1] * at[1]) - nearest);
            edge = edge.min(middle / length.max(1e-6));
        }
    }
    let number = |k: i32| noise.cell(name.0 + k * nx, name.1 + k * ny);
    Cell { id: number(1), other: number(2), from, edge }
}

/// About `count` places, evenly strewn: one somewhere in each square of a grid. Repeats, 0..1.
pub(super) fn scatter(random: &mut Random, count: usize) -> Vec<[f32; 2]> {
    let side = ((count as f32).sqrt() + 0.5) as usize;
    let step = 1.0 / side.max(1) as f32;
    // Not over the whole square: bare gaps would be seen again in every repeat.
    let mut within = |square: usize| (square as f32 + 0.1 + 0.8 * random.unit()) * step;
    (0..side * side).map(|i| [within(i % side), within(i / side)]).collect()
}

/// Places for discs of these radii, the largest first, each where it lies least over those before it.
///
/// Radii and places in repeats; `tries` places are looked at for each.
pub(super) fn pack(random: &mut Random, radii: &[f32], tries: usize) -> Vec<[f32; 2]> {
    let largest = radii.iter().fold(1e-3f32, |a, &b| a.max(b));
    let side = ((0.5 / largest) as usize).clamp(1, 128);
    let mut buckets: Vec<Vec<(f32, f32, f32)>> = vec![Vec::new(); side * side];
    let mut places = Vec::with_capacity(radii.len());
    for &radius in radii {
        let mut best = ([0.0; 2], f32::MAX);
        for _ in 0..tries {
            let place = [random.unit(), random.unit()];
            let over = overlap(&buckets, side, place, radius);
            if over < best.1 {
                best = (place, over);
            }
            if over <= 0.0 {
                break;
            }
        }
        let [x, y] = best.0;
        let bucket = |t: f32| ((t * side as f32) as usize).min(side - 1);
        buckets[bucket(y) * side + bucket(x)].push((x, y, radius));
        places.push(best.0);
    }
    places
}

/// How deep a disc would lie over those placed, repeats.
fn overlap(buckets: &[Vec<(f32, f32, f32)>], side: usize, [x, y]: [f32; 2], radius: f32) -> f32 {
    let (bx, by) = ((x * side as f32) as i32, (y * side as f32) as i32);
    let mut deepest = 0.0f32;
    for i in 0..9 {
        let cx = (bx + i % 3 - 1).rem_euclid(side as i32) as usize;
        let cy = (by + i / 3 - 1).rem_euclid(side as i32) as usize;
        for &(px, py, other) in &buckets[cy * side + cx] {
            let (dx, dy) = (nearest(x - px), nearest(y - py));
            deepest = deepest.max(radius + other - (dx * dx + dy * dy).sqrt());
        }
    }
    deepest
}

/// A difference of places by the short way round.
fn nearest(d: f32) -> f32 {
    if d > 0.5 {
        d - 1.0
    } else if d < -0.5 {
        d + 1.0
    } else {
        d
    }
}

/// A unit direction, even over all angles.
pub(super) fn direction(random: &mut Random) -> [f32; 2] {
    loop {
        let (x, y) = (random.signed(), random.signed());
        let square = x * x + y * y;
        if (0.01..1.0).contains(&square) {
            let length = square.sqrt();
            return [x / length, y / length];
        }
    }
}

/// A direction turned by an angle of this tangent.
pub(super) fn turn([x, y]: [f32; 2], tangent: f32) -> [f32; 2] {
    let scale = 1.0 / (1.0 + tangent * tangent).sqrt();
    [(x - y * tangent) * scale, (y + x * tangent) * scale]
}
