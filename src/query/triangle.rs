//! A ray against a triangle, without leaks: Woop, Benthin and Wald, *Watertight Ray/Triangle Intersection* (2013).
//!
//! Corners are sheared so that the ray becomes an axis, and the triangle is hit where three edge functions agree in
//! sign. A corner's place depends on the corner and the ray only, so two triangles see their common edge alike. An edge
//! function is a difference of two rounded products; rounding keeps order, so its sign is right or it is 0, and 0
//! counts as inside. A ray that crosses the mesh therefore hits one of its triangles, at edges and corners too.

use glam::DVec3;

/// A ray, prepared for many triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShearedRay {
    origin: DVec3,
    axes: [usize; 3],
    shear: [f64; 2],
    /// Metres along the ray for a metre along its longest axis, signed.
    stretch: f64,
}

/// Where a ray meets a triangle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// Metres along the ray, at least 0.
    pub distance: f64,
    /// Weights of the three corners; their sum is 1.
    pub weights: DVec3,
    /// True where the ray comes from the side from which the corners run clockwise.
    pub from_behind: bool,
}

/// A corner in the frame where the ray runs along z from (0, 0, 0); z is metres along the ray.
pub(super) type Sheared = DVec3;

/// Of the area that its edge functions could span, the least that a triangle may show to the ray before it is taken
/// for a line. The error of a hit is about this much of a triangle on either side of it.
const SLIVER: f64 = 1.0 / (1 << 26) as f64;

impl ShearedRay {
    /// `direction` has unit length.
    pub(super) fn new(origin: DVec3, direction: DVec3) -> Self {
        let size = direction.abs();
        let along = if size.y >= size.x && size.y >= size.z {
            1
        } else if size.x >= size.z {
            0
        } else {
            2
        };
        // A cyclic order keeps the handedness, so that front stays front.
        let axes = [(along + 1) % 3, (along + 2) % 3, along];
        let stretch = 1.0 / direction[along];
        let shear = [direction[axes[0]] / direction[along], direction[axes[1]] / direction[along]];
        Self { origin, axes, shear, stretch }
    }

    pub(super) fn shear(&self, corner: DVec3) -> Sheared {
        let p = (corner - self.origin).to_array();
        let along = p[self.axes[2]];
        DVec3::new(
            p[self.axes[0]] - self.shear[0] * along,
            p[self.axes[1]] - self.shear[1] * along,
            along * self.stretch,
        )
    }

    /// The first place at or beyond the ray's origin where it touches the triangle, edges included.
    pub(super) fn hit(&self, [a, b, c]: [Sheared; 3]) -> Option<Touch> {
        let edges = DVec3::new(c.x * b.y - c.y * b.x, a.x * c.y - a.y * c.x, b.x * a.y - b.y * a.x);
        if edges.min_element() < 0.0 && edges.max_element() > 0.0 {
            return None;
        }
        let area = edges.element_sum();
        let from_behind = area * self.stretch < 0.0;
        let span = (c.x * b.y).abs() + (a.x * c.y).abs() + (b.x * a.y).abs();
        if area.abs() <= SLIVER * span {
            return edge_on([a, b, c], from_behind);
        }
        let weights = edges / area;
        let distance = weights.dot(DVec3::new(a.z, b.z, c.z));
        (distance >= 0.0).then_some(Touch { distance, weights, from_behind })
    }
}

/// The first touch with a triangle that shows only its edge to the ray, which happens on flat ground and along ridges.
/// Seen from the ray such a triangle is a line through (0, 0); its edges are met where they pass it.
#[cold]
fn edge_on(corners: [Sheared; 3], from_behind: bool) -> Option<Touch> {
    let spread = corners[0].max(corners[1]).max(corners[2]) - corners[0].min(corners[1]).min(corners[2]);
    let across = if spread.x >= spread.y { DVec3::X } else { DVec3::Y };
    let depths = DVec3::from_array(corners.map(|corner| corner.z));
    let mut near: Option<(f64, DVec3)> = None;
    let mut far: Option<(f64, DVec3)> = None;
    let mut meet = |weights: DVec3| {
        let distance = weights.dot(depths);
        near = near.filter(|near| near.0 <= distance).or(Some((distance, weights)));
        far = far.filter(|far| far.0 >= distance).or(Some((distance, weights)));
    };
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        let (p, q) = (corners[i].dot(across), corners[j].dot(across));
        if p == 0.0 {
            meet(DVec3::AXES[i]);
        }
        if p.min(q) < 0.0 && p.max(q) > 0.0 {
            meet(DVec3::AXES[i].lerp(DVec3::AXES[j], p / (p - q)));
        }
    }
    let (near, far) = (near?, far?);
    if near.0 >= 0.0 {
        Some(Touch { distance: near.0, weights: near.1, from_behind })
    } else if far.0 >= 0.0 {
        // The origin lies in the triangle.
        let weights = near.1.lerp(far.1, near.0 / (near.0 - far.0));
        Some(Touch { distance: 0.0, weights, from_behind })
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The triangle (0, 0, 0), (0, 0, 4), (4, 0, 4), counter-clockwise from above.
    fn hit(origin: [f64; 3], direction: [f64; 3]) -> Option<Touch> {
        let ray = ShearedRay::new(origin.into(), DVec3::from(direction).normalize());
        let corners = [[0.0, 0.0, 0.0], [0.0, 0.0, 4.0], [4.0, 0.0, 4.0]];
        ray.hit(corners.map(|corner| ray.shear(corner.into())))
    }

    #[test]
    fn both_sides_and_every_border_are_hit() {
        for (x, z) in [(1.0, 2.0), (0.0, 2.0), (2.0, 2.0), (2.0, 4.0), (0.0, 0.0), (0.0, 4.0), (4.0, 4.0)] {
            let above = hit([x, 3.0, z], [0.0, -2.0, 0.0]).unwrap();
            assert_eq!((above.distance, above.from_behind), (3.0, false), "{x} {z}");
            let below = hit([x, -5.0, z], [0.0, 1.0, 0.0]).unwrap();
            assert_eq!((below.distance, below.from_behind), (5.0, true));
            assert!(hit([x, 3.0, z], [0.0, 1.0, 0.0]).is_none(), "behind the origin");
        }
        assert!(hit([-1e-12, 3.0, 2.0], [0.0, -1.0, 0.0]).is_none());
        assert!(hit([2.0, 3.0, 2.0 - 1e-12], [0.0, -1.0, 0.0]).is_none());
    }

    #[test]
    fn a_ray_in_the_plane_touches_where_it_enters() {
        let distance = |origin, direction| hit(origin, direction).map(|touch| touch.distance);
        assert_eq!(distance([-1.0, 0.0, 3.0], [1.0, 0.0, 0.0]), Some(1.0));
        assert_eq!(distance([9.0, 0.0, 3.0], [-1.0, 0.0, 0.0]), Some(6.0));
        assert_eq!(distance([1.0, 0.0, 3.0], [1.0, 0.0, 0.0]), Some(0.0), "it starts inside");
        assert_eq!(distance([-1.0, 0.0, 4.0], [1.0, 0.0, 0.0]), Some(1.0), "along an edge");
        assert_eq!(distance([4.0, 0.0, 9.0], [0.0, 0.0, -1.0]), Some(5.0), "at a corner");
        assert_eq!(distance([-1.0, 0.0, 5.0], [1.0, 0.0, 0.0]), None);
        assert_eq!(distance([5.0, 0.0, 3.0], [1.0, 0.0, 0.0]), None);
        assert_eq!(distance([-1.0, 1e-9, 3.0], [1.0, 0.0, 0.0]), None);
    }
}
