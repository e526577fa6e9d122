//! What a game asks each frame: heights, normals, rays.

use super::Effort;
use crate::timing::{in_order, mean, median};
use crate::workload::{PathFrame, SIDE, SPACING};
use glam::DVec2;
use landform::field::Field;
use landform::query::{height_at, heights, normal_at, raycast};
use serde_json::{Value, json};
use std::hint::black_box;

pub(super) fn measure(field: &Field, path: &[PathFrame], effort: Effort) -> Value {
    let places = scattered(effort.runs * 1000);
    let near = beside(path, effort.runs);
    let each = |places: &[DVec2], ask: &dyn Fn(DVec2) -> Option<f64>| {
        mean(&in_order(places, 256, effort.passes, |&place| {
            black_box(ask(place));
        }))
    };
    let batches: Vec<&[DVec2]> = near.chunks(256).collect();
    let mut out = vec![None; 256];
    let batch = mean(&in_order(&batches, 1, effort.passes, |places| {
        heights(field, places, &mut out[..places.len()])
    }));
    json!({
        "height_at_ns_scattered": each(&places, &|place| height_at(field, place)),
        "height_at_ns_near_the_camera": each(&near, &|place| height_at(field, place)),
        "heights_ns_near_the_camera": batch / 256.0,
        "normal_at_ns_near_the_camera": each(&near, &|place| normal_at(field, place).map(|normal| normal.y)),
        "raycast": rays(field, path, effort),
    })
}

/// Places all over the map, in no order.
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

/// A ray from every camera of the path straight ahead.
fn rays(field: &Field, path: &[PathFrame], effort: Effort) -> Value {
    let cast =
        |frame: &PathFrame| raycast(field, frame.position(), frame.forward().as_dvec3(), f64::INFINITY);
    let times = in_order(path, 8, effort.passes, |frame| {
        black_box(cast(frame));
    });
    let mut hits: Vec<f64> = path.iter().filter_map(|frame| Some(cast(frame)?.distance)).collect();
    json!({
        "us_a_ray": mean(&times) / 1e3,
        "rays": path.len(),
        "hits": hits.len(),
        "median_hit_m": median(&mut hits),
    })
}
