//! The ray query: checks, scales and starts a ray. [`super::walk`] finds the quads, [`super::triangle`] the hit.

use super::surface::face_at;
use super::walk::{Found, Walk};
use crate::field::{Field, Quad};
use glam::{DVec3, Vec3Swizzles};

/// Where a ray meets the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Metres from the ray's origin, whatever the length of its direction; 0 to `max_distance`.
    pub distance: f64,
    /// The place, in metres of the field's frame. It lies on the triangle, and so inside the map, as nearly as f64 can
    /// say it; where the origin is far away that is closer than `origin + direction * distance`.
    pub position: DVec3,
    /// The unit normal of the triangle, its y above 0, whichever side was hit. For a smooth one ask
    /// [`normal_at`](super::normal_at) at the position.
    pub normal: DVec3,
    /// The quad that holds the triangle. On an edge or a sample that triangles share, quad, normal and side are those
    /// of the triangle that the ray comes in over, or under.
    pub quad: Quad,
    /// True where the ray came from under the ground. False for one that only grazes along the triangle's plane.
    pub from_below: bool,
}

/// The first place where a ray meets the level-0 triangles, from above or from below, at most `max_distance` metres
/// away (infinity is allowed).
///
/// `origin` is in metres of the field's frame and may lie anywhere: above, under or inside a hill, or outside the map.
/// `direction` may have any length but 0. Open quads let the ray through. Triangles include their edges: a ray through
/// an edge or a sample that two quads share hits one of them, a ray that lies in a triangle's plane hits where it
/// enters the triangle, and an origin on the ground hits at distance 0, as far as rounding lets it be there. To leave
/// a surface, start a little off it.
///
/// `None` where nothing is met, where a number is NaN, where origin or direction is not finite or `max_distance` is
/// negative.
///
/// The cost grows with the quads that the ray passes closely, not with its length: the bounds of the field let it skip
/// everything that it passes well above or below.
#[doc(alias = "pick")]
#[doc(alias = "intersect")]
pub fn raycast(field: &Field, origin: DVec3, direction: DVec3, max_distance: f64) -> Option<RayHit> {
    let ray = Ray::new(field, origin, direction, max_distance)?;
    let found = Walk::new(field, &ray).nearest()?;
    Some(ray.hit(field, &found))
}

/// A ray that passed its checks.
pub(super) struct Ray {
    /// Where the walk starts, in metres.
    pub origin: DVec3,
    /// Of unit length.
    pub direction: DVec3,
    /// Metres that the walk may go from its start.
    pub limit: f64,
    /// Metres that a place is taken to be uncertain by when quads are chosen: far more than rounding makes it.
    pub margin: f64,
    /// Metres from the caller's origin to the start of the walk.
    skipped: f64,
}

impl Ray {
    pub(super) fn new(field: &Field, origin: DVec3, direction: DVec3, max_distance: f64) -> Option<Self> {
        let largest = direction.abs().max_element();
        if !origin.is_finite() || !direction.is_finite() || largest == 0.0 || max_distance.is_nan() {
            return None;
        }
        // Scaled first, for the squares of very long and very short directions do not fit.
        let direction = (direction / largest).normalize();
        let (low, high) = ground_box(field);
        let skipped = skippable(origin, direction, low, high);
        let origin = origin + direction * skipped;
        let limit = max_distance - skipped;
        // An origin near the end of f64 is as good as infinitely far, and its limit is NaN.
        if limit.is_nan() || limit < 0.0 {
            return None;
        }
        let scale = origin.abs().max(low.abs()).max(high.abs()).max_element();
        Some(Self { origin, direction, limit, margin: scale / (1u64 << 40) as f64, skipped })
    }

    fn hit(&self, field: &Field, found: &Found) -> RayHit {
        let [a, b, c] = found.corners(field);
        let weights = found.touch.weights;
        // Rounding must not carry the place out of the triangle's box, and so out of the map.
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let position = (a * weights.x + b * weights.y + c * weights.z).clamp(low, high);
        let hit = RayHit {
            distance: self.skipped + found.touch.distance,
            position,
            normal: (b - a).cross(c - a).normalize(),
            quad: found.quad,
            from_below: found.touch.from_behind,
        };
        if weights.min_element() < BORDER { self.as_approached(field, hit) } else { hit }
    }

    /// A hit on a border belongs to several triangles. At a ridge one of them faces away, and rounding would decide
    /// from which side the ray is said to come; the triangle that it just passed over (or under) knows.
    fn as_approached(&self, field: &Field, hit: RayHit) -> RayHit {
        let heading = self.direction.xz().normalize_or_zero();
        let before = hit.position.xz() - heading * (field.desc().spacing.min_element() * STEP_BACK);
        match face_at(field, before) {
            Some((quad, normal)) => {
                RayHit { quad, normal, from_below: normal.dot(self.direction) > 0.0, ..hit }
            }
            None => hit,
        }
    }
}

/// A corner's weight under which a hit counts as on the border of its triangle.
const BORDER: f64 = 1e-9;
/// How far to look back from a border, in quads: more than a border is wide, and nothing to what is asked.
const STEP_BACK: f64 = 1e-6;

/// The box of all samples, in metres.
fn ground_box(field: &Field) -> (DVec3, DVec3) {
    let (desc, codes) = (field.desc(), field.extremes());
    let metres = |code: u16| desc.range.metres(f64::from(code));
    let low = DVec3::new(0.0, metres(codes.min), 0.0);
    let quads = DVec3::new(f64::from(desc.quads_x()), 1.0, f64::from(desc.quads_z()));
    (low, DVec3::new(quads.x * desc.spacing.x, metres(codes.max), quads.z * desc.spacing.y))
}

/// Metres by which a ray that starts far away can be moved toward the ground. What that rounds away was below the
/// precision of the origin, and the walk then works with numbers of the map's own size. A ray that starts within one
/// size of the map stays as it is, to the last bit.
fn skippable(origin: DVec3, direction: DVec3, low: DVec3, high: DVec3) -> f64 {
    let centre = low.midpoint(high);
    let size = (high - low).length();
    let ahead = (centre - origin).dot(direction);
    if ahead > 2.0 * size { ahead - 1.5 * size } else { 0.0 }
}
