//! The forms of things: boulders cut from a ball, and a post with a lamp.

use glam::{DVec3, Vec3};
use std::collections::HashMap;

/// What a surface is made of; the shader's numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(u8)]
enum Kind {
    Rock = 0,
    Wood = 1,
    Glass = 2,
}

/// Forms of boulders.
pub(crate) const BOULDERS: usize = 5;

/// The number of the post among the forms.
pub(crate) const POST: usize = BOULDERS;

/// Metres from a post's foot to the middle of its lamp.
pub(crate) const LAMP_HEIGHT: f64 = 2.55;

/// All forms in one list of vertices and one of indices.
#[derive(Default)]
pub(crate) struct Shapes {
    /// Eight numbers a vertex: place and kind, normal and nothing.
    pub(crate) vertices: Vec<[f32; 8]>,
    pub(crate) indices: Vec<u32>,
    /// First index and count of each form.
    pub(crate) forms: Vec<[u32; 2]>,
}

impl Shapes {
    /// Boulders of a radius of about 1, and a post of 2.4 m.
    pub(crate) fn new() -> Self {
        let mut shapes = Self::default();
        for number in 0..BOULDERS {
            shapes.form(|shapes| shapes.boulder(number as u64));
        }
        shapes.form(Self::post);
        shapes
    }

    fn form(&mut self, add: impl FnOnce(&mut Self)) {
        let first = self.indices.len() as u32;
        add(self);
        self.forms.push([first, self.indices.len() as u32 - first]);
    }

    /// A ball, bent by noise and cut by a few planes, as frost splits rock.
    fn boulder(&mut self, number: u64) {
        let mut dice = Dice::new(0xb0_01de + number);
        let cuts: Vec<_> = (0..9).map(|_| (dice.direction(), 0.62 + 0.3 * dice.next())).collect();
        let waves: Vec<_> =
            (0..6).map(|_| (2.2 * dice.direction(), std::f64::consts::TAU * dice.next())).collect();
        let flat = DVec3::new(1.0 + 0.25 * dice.next(), 0.7 + 0.2 * dice.next(), 0.85 + 0.2 * dice.next());
        let (ball, triangles) = ball(4);
        let places: Vec<_> = ball
            .iter()
            .map(|&direction| {
                let bend: f64 = waves.iter().map(|(wave, phase)| (direction.dot(*wave) + phase).sin()).sum();
                let cut = cuts.iter().fold(1.0 + 0.035 * bend, |radius, (plane, far)| {
                    let facing = direction.dot(*plane);
                    // An edge is worn round: where two would cut, a little less is left than either leaves.
                    if facing > 0.0 { smooth_min(radius, far / facing, 0.06) } else { radius }
                });
                (direction * cut * flat).as_vec3()
            })
            .collect();
        let first = self.vertices.len() as u32;
        let normals = normals(&places, &triangles);
        for (place, normal) in places.iter().zip(&normals) {
            self.vertex(*place, *normal, Kind::Rock);
        }
        self.indices.extend(triangles.iter().flatten().map(|index| first + index));
    }

    /// A post of eight sides with a lamp on it, under a small roof.
    fn post(&mut self) {
        self.prism([0.085, 0.075], [-0.4, 2.4], Kind::Wood);
        self.prism([0.075, 0.10], [2.43, 2.67], Kind::Glass);
        self.prism([0.15, 0.02], [2.68, 2.80], Kind::Wood);
        self.prism([0.11, 0.11], [2.39, 2.43], Kind::Wood);
    }

    /// Eight sides and two ends, between two heights with a radius at each.
    fn prism(&mut self, radius: [f32; 2], height: [f32; 2], kind: Kind) {
        const SIDES: u32 = 8;
        let around = |side: u32| {
            let (sin, cos) = (std::f32::consts::TAU * side as f32 / SIDES as f32).sin_cos();
            Vec3::new(cos, 0.0, sin)
        };
        let at = |side: u32, end: usize| around(side) * radius[end] + Vec3::Y * height[end];
        let rise = (radius[0] - radius[1]) / (height[1] - height[0]);
        for side in 0..SIDES {
            // Turned sides are smooth around, and sharp at their ends.
            let first = self.vertices.len() as u32;
            for (edge, end) in [(side, 0), (side, 1), (side + 1, 1), (side + 1, 0)] {
                let out = (around(edge) + Vec3::Y * rise).normalize();
                self.vertex(at(edge, end), out, kind);
            }
            self.indices.extend([0, 1, 2, 0, 2, 3].map(|index| first + index));
            for (end, up) in [(0, Vec3::NEG_Y), (1, Vec3::Y)] {
                let first = self.vertices.len() as u32;
                let corners = [Vec3::Y * height[end], at(side, end), at(side + 1, end)];
                corners.iter().for_each(|corner| self.vertex(*corner, up, kind));
                let order = if end == 0 { [0, 1, 2] } else { [0, 2, 1] };
                self.indices.extend(order.map(|index| first + index));
            }
        }
    }

    fn vertex(&mut self, place: Vec3, normal: Vec3, kind: Kind) {
        self.vertices.push([
            place.x,
            place.y,
            place.z,
            f32::from(kind as u8),
            normal.x,
            normal.y,
            normal.z,
            0.0,
        ]);
    }
}

/// The lesser of two, rounded where they are as close as `width`.
fn smooth_min(one: f64, other: f64, width: f64) -> f64 {
    let near = (width - (one - other).abs()).max(0.0) / width;
    one.min(other) - 0.25 * width * near * near
}

/// A ball of 20 · 4ⁿ triangles, counter-clockwise from outside.
fn ball(splits: u32) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let golden = 0.5 + 1.25f64.sqrt();
    let mut places = Vec::new();
    for (one, other) in [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)] {
        places.push(DVec3::new(one, other, 0.0).normalize());
    }
    for (one, other) in [(-1.0, golden), (1.0, golden), (-1.0, -golden), (1.0, -golden)] {
        places.push(DVec3::new(0.0, one, other).normalize());
    }
    for (one, other) in [(golden, -1.0), (golden, 1.0), (-golden, -1.0), (-golden, 1.0)] {
        places.push(DVec3::new(one, 0.0, other).normalize());
    }
    let mut triangles: Vec<[u32; 3]> = vec![
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    for _ in 0..splits {
        let mut middles = HashMap::new();
        let mut split = Vec::with_capacity(4 * triangles.len());
        for [a, b, c] in triangles {
            let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(one, other)| {
                *middles.entry((one.min(other), one.max(other))).or_insert_with(|| {
                    places.push((places[one as usize] + places[other as usize]).normalize());
                    places.len() as u32 - 1
                })
            });
            split.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        triangles = split;
    }
    (places, triangles)
}

/// The mean of the triangles around each place, as each is large.
fn normals(places: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Vec3> {
    let mut normals = vec![Vec3::ZERO; places.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|index| places[index as usize]);
        let normal = (b - a).cross(c - a);
        triangle.iter().for_each(|index| normals[*index as usize] += normal);
    }
    normals.iter().map(|normal| normal.normalize_or(Vec3::Y)).collect()
}

/// Chances that are the same on every machine (Steele, Lea and Flood, *Fast Splittable Pseudorandom Number Generators*, 2014).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 0 up to 1.
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Any direction, as likely as any other.
    pub(crate) fn direction(&mut self) -> DVec3 {
        let up = 2.0 * self.next() - 1.0;
        let (sin, cos) = (std::f64::consts::TAU * self.next()).sin_cos();
        let flat = (1.0 - up * up).max(0.0).sqrt();
        DVec3::new(flat * cos, up, flat * sin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_closed_and_face_outward() {
        let shapes = Shapes::new();
        assert_eq!(shapes.forms.len(), BOULDERS + 1);
        for (number, [first, count]) in shapes.forms.iter().enumerate() {
            let indices = &shapes.indices[*first as usize..(first + count) as usize];
            let place = |index: u32| Vec3::from_slice(&shapes.vertices[index as usize][..3]);
            let mut volume = 0.0;
            for triangle in indices.chunks_exact(3) {
                let [a, b, c] = [0, 1, 2].map(|at| place(triangle[at]));
                assert!([a, b, c].iter().all(|place| place.is_finite()));
                let normal = Vec3::from_slice(&shapes.vertices[triangle[0] as usize][4..7]);
                assert!((normal.length() - 1.0).abs() < 1e-4);
                let facing = (b - a).cross(c - a).dot(normal);
                assert!(facing > 0.0, "form {number}: {a} {b} {c} faces inward");
                volume += a.dot(b.cross(c)) / 6.0;
            }
            assert!(volume > 0.01, "form {number} has {volume} cubic metres");
        }
    }

    #[test]
    fn dice_are_even() {
        let mut dice = Dice::new(1);
        let mean = (0..4096).map(|_| dice.next()).sum::<f64>() / 4096.0;
        let middle = (0..4096).map(|_| dice.direction()).sum::<DVec3>() / 4096.0;
        assert!((mean - 0.5).abs() < 0.02 && middle.length() < 0.05, "{mean} {middle}");
    }
}
