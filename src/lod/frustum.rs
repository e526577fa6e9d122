//! What a view sees, as planes.

use glam::{Mat4, Vec3, Vec4};

/// The planes that a view sees between, in the terrain's frame and relative to the camera, normals pointing in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frustum {
    pub(super) planes: [Vec4; 6],
    pub(super) count: usize,
}

impl Frustum {
    /// No planes at all: everything is seen.
    pub const EVERYTHING: Self = Self { planes: [Vec4::ZERO; 6], count: 0 };

    /// The planes of a matrix from camera-relative terrain metres to clip space, depth 1 at the near plane and 0 at
    /// the far one. An infinite far plane gives five planes; the order of clip space's other axes does not matter,
    /// so mirrored, off-centre and orthographic views work.
    pub fn of(view_projection: &Mat4) -> Self {
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| view_projection.row(row));
        let mut frustum = Self::EVERYTHING;
        for plane in [w + x, w - x, w + y, w - y, w - z, z] {
            frustum.push(plane);
        }
        frustum
    }

    /// The planes of an orthographic light's matrix but for its near one: whatever stands between the light and what it sees
    /// casts into it.
    pub fn swept(view_projection: &Mat4) -> Self {
        let [x, y, z, w] = [0, 1, 2, 3].map(|row| view_projection.row(row));
        let mut frustum = Self::EVERYTHING;
        for plane in [w + x, w - x, w + y, w - y, z] {
            frustum.push(plane);
        }
        frustum
    }

    fn push(&mut self, plane: Vec4) {
        let length = plane.truncate().length();
        // The far plane of an infinite projection has no normal.
        if length > 1e-12 * plane.w.abs() && length > 0.0 {
            self.planes[self.count] = plane / length;
            self.count += 1;
        }
    }

    /// The same planes, relative to a place at this offset from the camera.
    pub fn seen_from(mut self, offset: Vec3) -> Self {
        for plane in &mut self.planes[..self.count] {
            plane.w += plane.truncate().dot(offset);
        }
        self
    }

    /// The planes: inward unit normal in xyz, distance in w.
    pub fn planes(&self) -> &[Vec4] {
        &self.planes[..self.count]
    }
}
