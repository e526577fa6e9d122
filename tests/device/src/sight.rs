//! What a pixel ought to see, by a ray.

use glam::{DVec3, DVec4};
use landform::field::Field;
use landform::plan::View;
use landform::query::{RayHit, raycast};

/// The direction of the ray through a pixel's centre, in the world. For perspective views that are drawn flipped.
pub fn pixel_ray(view: &View, x: u32, y: u32) -> DVec3 {
    let across = 2.0 * (f64::from(x) + 0.5) / f64::from(view.viewport.width) - 1.0;
    let up = 1.0 - 2.0 * (f64::from(y) + 0.5) / f64::from(view.viewport.height);
    let near = view.projection.as_dmat4().inverse() * DVec4::new(across, up, 1.0, 1.0);
    (view.rotation.as_dquat() * (near.truncate() / near.w)).normalize()
}

/// The first place where a ray meets the ground from above: the ground's underside is not drawn.
pub fn first_front(field: &Field, mut origin: DVec3, direction: DVec3) -> Option<RayHit> {
    let mut gone = 0.0;
    loop {
        let hit = raycast(field, origin, direction, f64::INFINITY)?;
        if !hit.from_below {
            return Some(RayHit { distance: gone + hit.distance, ..hit });
        }
        let step = hit.distance + 1e-6;
        origin += direction * step;
        gone += step;
    }
}
