//! What a pixel ought to see, by a ray.

use glam::{DVec2, DVec3, DVec4};
use landform::field::Field;
use landform::plan::View;
use landform::query::{RayHit, raycast};
use landform_harness::Image8;

/// The direction of the ray through a place of the picture, in the world; the centre of pixel (x, y) is at x + ½, y + ½.
/// For perspective views that are drawn flipped.
pub fn pixel_ray(view: &View, at: DVec2) -> DVec3 {
    let across = 2.0 * at.x / f64::from(view.viewport.width) - 1.0;
    let up = 1.0 - 2.0 * at.y / f64::from(view.viewport.height);
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

/// How far the rasteriser's own grid and rounding may move an outline, in pixels.
const OUTLINE: f64 = 1.0 / 64.0;

/// Holds a picture of a field at level 0, under a magenta clear, against rays: a pixel shows ground where its ray meets
/// ground from above, and nothing elsewhere. Returns how many pixels of ground and of background there are.
///
/// # Panics
/// With the first pixel that shows what neither its ray nor one a hair beside it sees.
#[track_caller]
pub fn assert_as_rays_see(name: &str, field: &Field, view: &View, picture: &Image8) -> [usize; 2] {
    let mut counts = [0, 0];
    for y in 0..picture.height {
        for x in 0..picture.width {
            let drawn = picture.pixel(x, y) != [255, 0, 255, 255];
            let centre = DVec2::new(x.into(), y.into()) + 0.5;
            let sees = |at: DVec2| first_front(field, view.position, pixel_ray(view, at)).is_some();
            let beside = || {
                let turns =
                    (0..8).map(|turn| DVec2::from_angle(std::f64::consts::TAU * f64::from(turn) / 8.0));
                turns.map(|by| centre + OUTLINE * by).any(|at| sees(at) == drawn)
            };
            assert!(sees(centre) == drawn || beside(), "{name}: pixel {x}, {y} is drawn: {drawn}; {view:?}");
            counts[usize::from(!drawn)] += 1;
        }
    }
    counts
}
