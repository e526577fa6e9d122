//! Which quads a ray has to look at: down the pyramid of bounds, then row by row through the quads of a finest cell.
//!
//! The walk is done in samples (x, z) and codes (y), where cells and quads are whole numbers. It only chooses
//! candidates, and everything it compares is widened by more than rounding can err, so that the exact test on the
//! triangles decides alone. The nearest hit wins, at equal distance the first in row-major order: what a search
//! through all triangles would return.

use super::ray::Ray;
use super::triangle::{ShearedRay, Touch};
use crate::field::{Bounds, Field, Quad};
use glam::{DVec3, UVec2};

/// The hit of a walk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub touch: Touch,
    pub quad: Quad,
    half: usize,
}

impl Found {
    /// The triangle's corners in metres, counter-clockwise from above.
    pub(super) fn corners(&self, field: &Field) -> [DVec3; 3] {
        let corners = quad_corners(field, self.quad);
        halves(self.quad)[self.half].map(|i| corners[i])
    }
}

pub(super) struct Walk<'a> {
    field: &'a Field,
    bounds: &'a Bounds,
    sheared: ShearedRay,
    origin: DVec3,
    direction: DVec3,
    /// 1 / direction, kept finite so that 0 · inverse is no NaN.
    inverse: DVec3,
    /// Samples, codes and samples by which everything is widened.
    margin: DVec3,
    /// The axis, x or z, along which the ray crosses more quads.
    along_x: bool,
    limit: f64,
    found: Option<Found>,
}

/// The part of a ray that matters, in metres from its start.
#[derive(Clone, Copy)]
struct Span {
    from: f64,
    to: f64,
}

impl<'a> Walk<'a> {
    pub(super) fn new(field: &'a Field, ray: &Ray) -> Self {
        let desc = field.desc();
        let unit = DVec3::new(desc.spacing.x, desc.range.metres_per_code(), desc.spacing.y);
        let direction = ray.direction / unit;
        Self {
            field,
            bounds: field.bounds(),
            sheared: ShearedRay::new(ray.origin, ray.direction),
            origin: (ray.origin - DVec3::Y * desc.range.min) / unit,
            direction,
            inverse: direction.recip().clamp(DVec3::splat(-f64::MAX), DVec3::splat(f64::MAX)),
            margin: DVec3::splat(ray.margin) / unit + DVec3::Y,
            along_x: direction.x.abs() >= direction.z.abs(),
            limit: ray.limit,
            found: None,
        }
    }

    pub(super) fn nearest(mut self) -> Option<Found> {
        self.cell(self.bounds.level_count() - 1, UVec2::ZERO);
        self.found
    }

    fn cell(&mut self, level: u32, cell: UVec2) {
        let Some(span) = self.clip_to_cell(level, cell) else { return };
        if level == 0 {
            return self.quads_of(cell, span);
        }
        let (columns, rows) = self.bounds.cells_on(level - 1);
        let far = UVec2::new(u32::from(self.direction.x < 0.0), u32::from(self.direction.z < 0.0));
        for i in 0..4 {
            // The nearest child first: what lies behind a hit is then not entered.
            let child = cell * 2 + (UVec2::new(i & 1, i >> 1) ^ far);
            if child.x < columns && child.y < rows {
                self.cell(level - 1, child);
            }
        }
    }

    /// The part of the ray inside a cell's box, up to the nearest hit so far.
    fn clip_to_cell(&self, level: u32, cell: UVec2) -> Option<Span> {
        let codes = self.bounds.cell(level, cell.x, cell.y);
        let size = f64::from(Bounds::CELL_QUADS << level);
        let (x, z) = (f64::from(cell.x) * size, f64::from(cell.y) * size);
        let low = DVec3::new(x, f64::from(codes.min), z) - self.margin;
        let high = DVec3::new(x + size, f64::from(codes.max), z + size) + self.margin;
        let (a, b) = ((low - self.origin) * self.inverse, (high - self.origin) * self.inverse);
        let span = Span { from: a.min(b).max_element().max(0.0), to: a.max(b).min_element().min(self.limit) };
        (span.from <= span.to).then_some(span)
    }

    /// Goes through the quads of a level-0 cell, in rows or columns across the ray.
    fn quads_of(&mut self, cell: UVec2, span: Span) {
        let desc = *self.field.desc();
        let first = cell * Bounds::CELL_QUADS;
        let last = (first + Bounds::CELL_QUADS).min(UVec2::new(desc.quads_x(), desc.quads_z())) - 1;
        let axis = if self.along_x { 0 } else { 2 };
        let turned = |v: UVec2| if self.along_x { (v.x, v.y) } else { (v.y, v.x) };
        let ((first, first_across), (last, last_across)) = (turned(first), turned(last));
        let Some((low, high)) = self.quads_along(axis, span, first, last) else { return };
        for step in 0..=high - low {
            let index = if self.direction[axis] < 0.0 { high - step } else { low + step };
            let part = self.clip_to_row(axis, index, span);
            if part.from > self.limit {
                return;
            }
            let Some((low, high)) = self.quads_along(2 - axis, part, first_across, last_across) else {
                continue;
            };
            let codes = self.codes_along(part);
            for across in low..=high {
                let quad = if self.along_x { Quad::new(index, across) } else { Quad::new(across, index) };
                self.quad(quad, codes);
            }
        }
    }

    /// The quads from `first` to `last` that the span passes along an axis.
    fn quads_along(&self, axis: usize, span: Span, first: u32, last: u32) -> Option<(u32, u32)> {
        let (a, b) = self.places(axis, span);
        let low = (a - self.margin[axis]).floor().max(f64::from(first));
        let high = (b + self.margin[axis]).floor().min(f64::from(last));
        (low <= high).then_some((low as u32, high as u32))
    }

    /// The lowest and the highest code that the span may touch.
    fn codes_along(&self, span: Span) -> (f64, f64) {
        let (a, b) = self.places(1, span);
        (a - self.margin.y, b + self.margin.y)
    }

    fn places(&self, axis: usize, span: Span) -> (f64, f64) {
        let a = self.origin[axis] + self.direction[axis] * span.from;
        let b = self.origin[axis] + self.direction[axis] * span.to;
        (a.min(b), a.max(b))
    }

    /// The part of a span within one row of quads; backwards where they do not meet, which only widened cells do.
    fn clip_to_row(&self, axis: usize, index: u32, span: Span) -> Span {
        let low = f64::from(index) - self.margin[axis] - self.origin[axis];
        let high = f64::from(index + 1) + self.margin[axis] - self.origin[axis];
        let (a, b) = (low * self.inverse[axis], high * self.inverse[axis]);
        Span { from: a.min(b).max(span.from), to: a.max(b).min(span.to) }
    }

    fn quad(&mut self, quad: Quad, (low, high): (f64, f64)) {
        let width = self.field.desc().width as usize;
        let first = quad.z as usize * width + quad.x as usize;
        let samples = self.field.samples();
        let [a, b, c, d] = [first, first + 1, first + width, first + width + 1].map(|i| samples[i]);
        let (least, most) = (a.min(b).min(c.min(d)), a.max(b).max(c.max(d)));
        if f64::from(most) < low || f64::from(least) > high || self.field.is_hole(quad) {
            return;
        }
        let corners = quad_corners(self.field, quad).map(|corner| self.sheared.shear(corner));
        for (half, triangle) in halves(quad).into_iter().enumerate() {
            if let Some(touch) = self.sheared.hit(triangle.map(|i| corners[i])) {
                self.offer(Found { touch, quad, half });
            }
        }
    }

    fn offer(&mut self, hit: Found) {
        let order = |hit: &Found| (hit.quad.z, hit.quad.x, hit.half);
        let distance = hit.touch.distance;
        let nearer = distance < self.limit
            || distance == self.limit && self.found.is_none_or(|found| order(&hit) < order(&found));
        if nearer {
            self.limit = distance;
            self.found = Some(hit);
        }
    }
}

/// A quad's corners in metres: north-west, north-east, south-west, south-east.
fn quad_corners(field: &Field, quad: Quad) -> [DVec3; 4] {
    let desc = field.desc();
    let samples = field.samples();
    let first = quad.z as usize * desc.width as usize + quad.x as usize;
    let x = [f64::from(quad.x) * desc.spacing.x, f64::from(quad.x + 1) * desc.spacing.x];
    let z = [f64::from(quad.z) * desc.spacing.y, f64::from(quad.z + 1) * desc.spacing.y];
    [0, 1, 2, 3].map(|i: usize| {
        let (column, row) = (i & 1, i >> 1);
        let code = samples[first + row * desc.width as usize + column];
        DVec3::new(x[column], desc.range.metres(f64::from(code)), z[row])
    })
}

/// The two triangles of a quad as indices of [`quad_corners`], counter-clockwise from above.
fn halves(quad: Quad) -> [[usize; 3]; 2] {
    if quad.falls_south_east() { [[0, 2, 3], [0, 3, 1]] } else { [[0, 2, 1], [1, 2, 3]] }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldDesc;
    use proptest::prelude::*;

    /// Every quad of the map, with the same test on triangles.
    fn exhaustive(field: &Field, ray: &Ray) -> Option<Found> {
        let mut walk = Walk::new(field, ray);
        for z in 0..field.desc().quads_z() {
            for x in 0..field.desc().quads_x() {
                walk.quad(Quad::new(x, z), (f64::NEG_INFINITY, f64::INFINITY));
            }
        }
        walk.found
    }

    fn rough(width: u32, height: u32, seed: u64, calm: u32) -> Field {
        let mut state = seed | 1;
        let mut random = move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 40) as u32
        };
        let desc = FieldDesc::new(width, height).with_spacing(1.7, 0.9).with_range(-20.0, 12.0);
        let samples = (0..width * height).map(|_| ((random() & 0xFFFF) >> calm) as u16).collect();
        let mut field = Field::from_samples(desc, samples).unwrap();
        for _ in 0..width * height / 8 {
            field.set_hole(Quad::new(random() % (width - 1), random() % (height - 1)), true);
        }
        field
    }

    fn place() -> impl Strategy<Value = DVec3> {
        (-0.5f64..1.5, -1.0f64..2.0, -0.5f64..1.5).prop_map(|(x, y, z)| DVec3::new(x, y, z))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// The walk misses nothing that a search through every quad finds, and returns the same bits.
        #[test]
        fn the_walk_finds_what_a_search_of_every_quad_finds(
            size in (2u32..100, 2u32..100), seed: u64, calm in 0u32..16, from in place(), to in place(),
            snap in 0u32..8, reach in prop_oneof![Just(f64::INFINITY), 0.0f64..200.0],
        ) {
            let field = rough(size.0, size.1, seed, calm);
            let whole = DVec3::new(f64::from(size.0 - 1), 65535.0 / f64::from(1 << calm), f64::from(size.1 - 1));
            let unit = DVec3::new(1.7, 32.0 / 65535.0, 0.9);
            // Some rays run through samples, along edges and along axes.
            let at = |p: DVec3| {
                let mut p = p * whole;
                if snap & 1 == 1 {
                    p = p.round();
                }
                p * unit - DVec3::Y * 20.0
            };
            let (from, mut to) = (at(from), at(to));
            if snap & 2 == 2 {
                to.x = from.x;
            }
            if snap & 4 == 4 {
                to.z = from.z;
            }
            prop_assume!(from != to);
            let ray = Ray::new(&field, from, to - from, reach);
            let Some(ray) = ray else { return Ok(()) };
            let key = |found: Found| (found.touch.distance.to_bits(), found.quad, found.half);
            prop_assert_eq!(Walk::new(&field, &ray).nearest().map(key), exhaustive(&field, &ray).map(key));
        }
    }
}
