//! A view's uniform block.

use super::{Placement, View};
use crate::abi::ViewConstants;
use crate::atlas::AtlasLayout;
use crate::field::Field;
use crate::lod::SelectInput;
use glam::{DVec3, Mat4};

/// The part of a view's block that places vertices.
///
/// `camera` is where it is drawn from, in the terrain's frame; the selection's own camera is what the level field is
/// measured from.
pub(super) fn view_constants(
    field: &Field,
    input: &SelectInput<'_>,
    camera: DVec3,
    view_projection: &Mat4,
) -> ViewConstants {
    let desc = field.desc();
    let layout = AtlasLayout::new(desc);
    let samples = |place: DVec3| {
        let (column, column_part) = split(place.x / desc.spacing.x);
        let (row, row_part) = split(place.z / desc.spacing.y);
        [column, row, column_part, row_part]
    };
    let (code, code_part) = split((camera.y - desc.range.min) / desc.range.metres_per_code());
    ViewConstants {
        view_projection: view_projection.to_cols_array_2d(),
        camera_sample: samples(camera),
        level_sample: samples(input.camera),
        camera_height: [code, code_part, desc.range.metres_per_code() as f32, input.dy() as f32],
        spacing: [desc.spacing.x as f32, desc.spacing.y as f32, layout.inverse_quads(), 0.0],
        map: [desc.quads_x(), desc.quads_z(), desc.tile_quads(), desc.tile_samples.trailing_zeros()],
        tiles: [layout.tiles[0], layout.tiles[1], 0, 0],
        sun: [0.0, 1.0, 0.0, 0.0],
        sky: [0.0; 4],
        bands: input.ranges.bands(),
    }
}

/// The preview's part of a view's block.
pub(super) fn light(constants: &mut ViewConstants, view: &View, placement: &Placement) {
    let sun = placement.direction_to_terrain(view.preview.sun.as_dvec3()).normalize_or(DVec3::Y);
    constants.sun = sun.as_vec3().extend(view.preview.haze.max(0.0)).to_array();
    constants.sky = view.preview.horizon.extend(0.0).to_array();
    constants.tiles[2] = view.preview.mode as u32;
}

/// How far a height is above or below a field's declared range, metres.
pub(super) fn dy(field: &Field, height: f64) -> f64 {
    let range = field.desc().range;
    (height - range.max).max(range.min - height).max(0.0)
}

/// Pixels that a metre covers at a level-field distance of a metre.
///
/// An orthographic view sees a metre at one size whatever its distance. The distance at which it is to have the level
/// that size asks for is that of the view's own corners, so that all it sees is at least that fine.
pub(super) fn pixels_at_a_metre(view: &View, dy: f64) -> f64 {
    let pixels = view.pixels_a_metre();
    if !view.is_orthographic() {
        return pixels;
    }
    let corner = f64::from(view.viewport.width.hypot(view.viewport.height)) / 2.0 / pixels;
    pixels * dy.hypot(corner)
}

/// A whole and a fractional part, so that the device subtracts exactly.
fn split(value: f64) -> (f32, f32) {
    (value.floor() as f32, (value - value.floor()) as f32)
}
