//! Where a lattice vertex is drawn: the twin of `shaders/include/place.hlsl`.

use super::{GridSize, lattice, level_field};
use crate::abi::{NodeRecord, ViewConstants};
use crate::atlas::HeightAtlas;
use glam::Vec2;

/// A vertex as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    /// Where it stands, in samples.
    pub place: Vec2,
    /// The level field's λ there.
    pub lambda: f32,
    /// H(place, λ), in codes.
    pub height: f32,
}

/// Where a lattice vertex of a node stands before it slides, in samples, clipped to the map.
pub fn still_place(view: &ViewConstants, node: &NodeRecord, index: [u32; 2]) -> Vec2 {
    let edge = Vec2::new(view.map[0] as f32, view.map[1] as f32);
    (Vec2::from(node.origin) + Vec2::new(index[0] as f32, index[1] as f32) * node.step).min(edge)
}

/// The level field's distance at a place in samples, metres.
pub fn distance_at(view: &ViewConstants, place: Vec2) -> f32 {
    let [column, row, column_part, row_part] = view.level_sample;
    let relative = Vec2::new(
        level_field::relative(place.x, column, column_part, view.spacing[0]),
        level_field::relative(place.y, row, row_part, view.spacing[1]),
    );
    level_field::distance(relative, view.camera_height[3])
}

/// A vertex of a node, drawn as the device draws it where it finds the level field at `distance`.
pub fn place_vertex(
    view: &ViewConstants,
    atlas: &HeightAtlas,
    node: &NodeRecord,
    index: [u32; 2],
    distance: f32,
) -> Placed {
    let level = node.level().0;
    let edge = Vec2::new(view.map[0] as f32, view.map[1] as f32);
    let morph = level_field::morph(distance, view.bands[level as usize]);
    let slid = index.map(|index| lattice::slide(index, morph));
    let place = (Vec2::from(node.origin) + Vec2::from(slid) * node.step).min(edge);
    let lambda = f32::from(level) + morph;
    Placed { place, lambda, height: atlas.height(place.x, place.y, lambda - view.spacing[3]) }
}

/// The lattice indices of a patch's vertices, row by row.
pub fn vertices(grid: GridSize) -> impl Iterator<Item = [u32; 2]> {
    let last = grid.quads();
    (0..=last).flat_map(move |z| (0..=last).map(move |x| [x, z]))
}
