//! The work that everything is measured on: a map of 4097² samples and a path of 1024 camera frames, made from
//! arithmetic alone, so that the benchmarks run anywhere and numbers of different programs can be held side by side.
//!
//! The map is ten octaves of ridged value noise, 10 m a sample, 0…2400 m. The path is a Lissajous figure over it, from
//! 3 m to 1500 m above the ground, and is stated with Z up and the map centred on 0, as other programs want it. In
//! landform's frame a place (x, y, z) of the path is (x + half, z, y + half): rows of the map run along the path's +Y,
//! which is landform's +Z, south. That turns a right-handed frame into a mirrored one, so pictures are mirror images
//! of other programs'; distances, and what a symmetric frustum sees, are the same.

use glam::camera::rh::proj::directx;
use glam::{DVec3, Mat4, Quat, Vec3};
use landform::field::{Field, FieldDesc};
use std::f64::consts::PI;

/// Samples a side of the map.
pub(crate) const SIDE: usize = 4097;
/// Metres between samples.
pub(crate) const SPACING: f64 = 10.0;
/// Metres of the highest code.
pub(crate) const RELIEF: f64 = 2400.0;
/// Frames of the path.
pub(crate) const FRAMES: usize = 1024;
/// [`fingerprint`] of the reference map, whose SHA-256, as little-endian bytes, begins with ca90d5e75e9649d5.
pub(crate) const FINGERPRINT: u64 = 0x30AA_9622_C199_B945;

/// Metres a side of the map.
const WIDTH: f64 = (SIDE - 1) as f64 * SPACING;
const OCTAVES: u32 = 10;

/// The map's codes, row-major.
pub(crate) fn map() -> Vec<u16> {
    let mut heights = vec![0f32; SIDE * SIDE];
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let rows = SIDE.div_ceil(threads);
    std::thread::scope(|scope| {
        for (part, heights) in heights.chunks_mut(rows * SIDE).enumerate() {
            scope.spawn(move || {
                for (row, heights) in heights.chunks_exact_mut(SIDE).enumerate() {
                    ridges(part * rows + row, heights);
                }
            });
        }
    });
    let (least, most) = heights.iter().fold((1e9f32, -1e9f32), |(a, b), &h| (a.min(h), b.max(h)));
    let code =
        |height: f32| (f64::from((height - least) / (most - least)) * 65535.0).round_ties_even() as u16;
    heights.into_iter().map(code).collect()
}

/// One row of a ridged multifractal: every octave is heard where the one before it is high.
fn ridges(y: usize, row: &mut [f32]) {
    let mut cells = [Cell { x: -1, corners: [0.0; 4] }; OCTAVES as usize];
    for (x, height) in row.iter_mut().enumerate() {
        let (mut amplitude, mut frequency, mut sum, mut before) = (1.0, 1.0 / 1024.0, 0.0, 1.0);
        for (octave, cell) in cells.iter_mut().enumerate() {
            let noise = cell.value(x as f64 * frequency, y as f64 * frequency, octave as u32);
            let ridge = 1.0 - (2.0 * noise - 1.0).abs();
            let ridge = ridge * ridge;
            sum += ridge * amplitude * before;
            before = ridge;
            amplitude *= 0.5;
            frequency *= 2.0;
        }
        *height = sum as f32;
    }
}

/// The lattice cell that a row is in, with its corners' values.
#[derive(Clone, Copy)]
struct Cell {
    x: i32,
    corners: [f64; 4],
}

impl Cell {
    /// Value noise, 0…1.
    fn value(&mut self, x: f64, y: f64, seed: u32) -> f64 {
        let (column, row) = (x.floor() as i32, y.floor() as i32);
        if self.x != column {
            let corner = |x: i32, y: i32| f64::from(hash(x as u32, y as u32, seed)) * (1.0 / 4294967296.0);
            self.x = column;
            self.corners = [
                corner(column, row),
                corner(column + 1, row),
                corner(column, row + 1),
                corner(column + 1, row + 1),
            ];
        }
        let fade = |t: f64| t * t * t * (t * (t * 6.0 - 15.0) + 10.0);
        let (u, v) = (fade(x - f64::from(column)), fade(y - f64::from(row)));
        let [a, b, c, d] = self.corners;
        a + (b - a) * u + (c - a) * v + (a - b - c + d) * u * v
    }
}

fn hash(x: u32, y: u32, seed: u32) -> u32 {
    let seeded = y.wrapping_mul(0x85EB_CA77).wrapping_add(seed.wrapping_mul(0xC2B2_AE3D));
    let mut h = x.wrapping_mul(0x9E37_79B1) ^ seeded;
    h ^= h >> 15;
    h = h.wrapping_mul(0x2C1B_3C6D);
    h ^= h >> 12;
    h = h.wrapping_mul(0x297A_2D39);
    h ^ h >> 15
}

/// FNV-1a over the codes as little-endian bytes.
pub(crate) fn fingerprint(codes: &[u16]) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3);
    codes.iter().flat_map(|code| code.to_le_bytes()).fold(0xCBF2_9CE4_8422_2325, step)
}

/// The field that the map is measured as.
pub(crate) fn desc() -> FieldDesc {
    FieldDesc::new(SIDE as u32, SIDE as u32).with_spacing(SPACING, SPACING).with_range(0.0, RELIEF)
}

/// The field.
pub(crate) fn field(codes: Vec<u16>) -> landform::Result<Field> {
    Field::from_samples(desc(), codes)
}

/// A camera of the path, Z up, the map centred on 0, metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PathFrame {
    pub(crate) eye: [f32; 3],
    pub(crate) forward: [f32; 3],
    pub(crate) up: [f32; 3],
    /// Vertical, radians.
    pub(crate) fov: f32,
    pub(crate) aspect: f32,
    pub(crate) near: f32,
    pub(crate) far: f32,
}

/// The path over a map.
pub(crate) fn path(codes: &[u16]) -> Vec<PathFrame> {
    (0..FRAMES).map(|index| path_frame(codes, index as f64 / FRAMES as f64)).collect()
}

fn path_frame(codes: &[u16], t: f64) -> PathFrame {
    let place = |t: f64| {
        let reach = 0.42 * WIDTH;
        (reach * (2.0 * PI * 3.0 * t + 0.3).sin(), reach * (2.0 * PI * 2.0 * t).sin())
    };
    let ((x, y), (ahead_x, ahead_y)) = (place(t), place(t + 1e-4));
    let sample = |at: f64| ((at / WIDTH + 0.5) * (SIDE - 1) as f64) as usize;
    let ground = f64::from(codes[sample(y) * SIDE + sample(x)]) * RELIEF / 65535.0;
    let rise = 0.5 - 0.5 * (2.0 * PI * 5.0 * t).cos();
    let above = 3.0 * 500f64.powf(rise);
    let (dx, dy) = (ahead_x - x, ahead_y - y);
    let length = (dx * dx + dy * dy).sqrt();
    let (dx, dy) = (dx / length, dy / length);
    let yaw = 0.6 * (2.0 * PI * 7.0 * t).sin();
    let (a, b) = (dx * yaw.cos() - dy * yaw.sin(), dx * yaw.sin() + dy * yaw.cos());
    let pitch = -0.05 - 0.35 * rise;
    let (cp, sp) = (pitch.cos(), pitch.sin());
    PathFrame {
        eye: [x as f32, y as f32, (ground + above) as f32],
        forward: [(a * cp) as f32, (b * cp) as f32, sp as f32],
        up: [(-a * sp) as f32, (-b * sp) as f32, cp as f32],
        fov: (60.0 * PI / 180.0) as f32,
        aspect: 16.0 / 9.0,
        near: 1.0,
        far: 45000.0,
    }
}

impl PathFrame {
    /// The camera in the terrain's frame, metres.
    pub(crate) fn position(&self) -> DVec3 {
        let [x, y, z] = self.eye.map(f64::from);
        DVec3::new(x + WIDTH / 2.0, z, y + WIDTH / 2.0)
    }

    /// Where it looks, in the terrain's frame.
    pub(crate) fn forward(&self) -> Vec3 {
        to_terrain(self.forward)
    }

    /// Camera frame → terrain.
    pub(crate) fn rotation(&self) -> Quat {
        let (forward, up) = (self.forward(), to_terrain(self.up));
        Quat::from_mat3(&glam::Mat3::from_cols(forward.cross(up), up, -forward)).normalize()
    }

    /// Camera frame → clip space, reverse-Z with a far plane.
    pub(crate) fn projection(&self) -> Mat4 {
        // Reverse-Z is the forward projection with near and far exchanged.
        directx::perspective(self.fov, self.aspect, self.far, self.near)
    }

    /// Camera-relative terrain metres → clip space.
    pub(crate) fn view_projection(&self) -> Mat4 {
        self.projection() * Mat4::from_quat(self.rotation().inverse())
    }
}

fn to_terrain([x, y, z]: [f32; 3]) -> Vec3 {
    Vec3::new(x, z, y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The map is the reference map, and the path over it the reference path where a copy of that lies beside the
    /// repository.
    #[test]
    fn the_work_is_the_reference_work() {
        let codes = map();
        assert_eq!(fingerprint(&codes), FINGERPRINT);
        let path = path(&codes);
        let file = landform_harness::repository().join("../shared/bench/path.csv");
        let Ok(text) = std::fs::read_to_string(&file) else { return };
        let mut lines = text.lines().skip(1);
        for (index, frame) in path.iter().enumerate() {
            let line = lines.next().expect("a line a frame");
            let numbers: Vec<f32> = line.split(',').map(|cell| cell.parse().expect("a number")).collect();
            let ours = [frame.eye, frame.forward, frame.up].concat();
            assert_eq!(numbers[0] as usize, index);
            for (a, b) in ours.iter().zip(&numbers[1..10]) {
                // A sine may differ in its last bit from one C library to the next.
                assert!((a - b).abs() <= 1e-6 * b.abs().max(1.0), "frame {index}: {ours:?} for {line}");
            }
            assert_eq!([frame.fov, frame.aspect, frame.near, frame.far], numbers[10..14]);
        }
        assert_eq!(lines.next(), None);
    }

    #[test]
    fn a_camera_looks_where_the_path_says() {
        let frame = path_frame(&vec![0; SIDE * SIDE], 0.37);
        assert!((frame.rotation() * Vec3::NEG_Z).abs_diff_eq(frame.forward(), 1e-5));
        assert!((frame.rotation() * Vec3::Y).y > 0.8, "upright");
    }
}
