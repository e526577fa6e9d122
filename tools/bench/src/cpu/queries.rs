//! What a game asks each frame: heights, normals, rays.

use super::Effort;
use crate::timing::nanoseconds;
use crate::workload::{PathFrame, SIDE, SPACING};
use glam::{DVec2, DVec3};
use landform::field::Field;
use landform::query::{height_at, heights, normal_at, raycast};
use serde_json::{Value, json};

pub(super) fn measure(field: &Field, path: &[PathFrame], effort: Effort) -> Value {
    let places = scattered(effort.runs * 1000);
    let near = beside(path, effort.runs);
    let each = |places: &[DVec2], mut ask: Box<dyn FnMut(DVec2) + '_>| {
        let (time, ()) = nanoseconds(|| places.iter().for_each(|&place| ask(place)));
        time / places.len() as f64
    };
    let mut sum = 0.0;
    let scattered_height = each(&places, Box::new(|place| sum += height_at(field, place).unwrap_or(0.0)));
    let near_height = each(&near, Box::new(|place| sum += height_at(field, place).unwrap_or(0.0)));
    let normal = each(&near, Box::new(|place| sum += normal_at(field, place).map_or(0.0, |n| n.y)));
    let mut out = vec![None; near.len()];
    let (batch, ()) = nanoseconds(|| heights(field, &near, &mut out));
    let rays = rays(field, path, effort);
    json!({
        "height_at_ns_scattered": scattered_height,
        "height_at_ns_near_the_camera": near_height,
        "heights_ns_near_the_camera": batch / near.len() as f64,
        "normal_at_ns_near_the_camera": normal,
        "raycast": rays,
        "checksum": sum,
    })
}

/// Places all over the map: a cache miss each.
fn scattered(count: usize) -> Vec<DVec2> {
    let width = (SIDE - 1) as f64 * SPACING;
    let part = |index: usize, step: f64| (index as f64 * step).fract() * width;
    (0..count).map(|index| DVec2::new(part(index, 0.754_877_666), part(index, 0.569_840_291))).collect()
}

/// Places within 200 m of the path's cameras, as things that move around a player are.
fn beside(path: &[PathFrame], a_frame: usize) -> Vec<DVec2> {
    let most = (SIDE - 1) as f64 * SPACING;
    let around = |frame: &PathFrame, index: usize| {
        let eye = frame.position();
        let offset = DVec2::from_angle(index as f64 * 2.4) * (index as f64 * 37.0 % 200.0);
        (DVec2::new(eye.x, eye.z) + offset).clamp(DVec2::ZERO, DVec2::splat(most))
    };
    path.iter().flat_map(|frame| (0..a_frame).map(move |index| around(frame, index))).collect()
}

/// A ray from every camera of the path straight ahead, over and over.
fn rays(field: &Field, path: &[PathFrame], effort: Effort) -> Value {
    let mut distances = Vec::new();
    let (time, ()) = nanoseconds(|| {
        for _ in 0..effort.passes {
            distances.clear();
            for frame in path {
                let ahead: DVec3 = frame.forward().as_dvec3();
                distances
                    .push(raycast(field, frame.position(), ahead, f64::INFINITY).map(|hit| hit.distance));
            }
        }
    });
    let mut hits: Vec<f64> = distances.iter().flatten().copied().collect();
    json!({
        "us_a_ray": time / 1e3 / (effort.passes * path.len()) as f64,
        "hits": hits.len(),
        "rays": path.len(),
        "median_hit_m": crate::timing::median(&mut hits),
    })
}
