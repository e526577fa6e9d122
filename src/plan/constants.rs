//! A view's uniform block.

use super::{Placement, View};
use crate::abi::{MAX_LEVELS, MorphBand, ViewConstants};
use crate::atlas::AtlasLayout;
use crate::field::Field;
use crate::lod::SelectInput;
use crate::lod::level_field::split;
use glam::{DVec2, DVec3, Mat4, Vec3};

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
        unjittered: view_projection.to_cols_array_2d(),
        last_view_projection: [[0.0; 4]; 4],
        last_camera_sample: [0.0; 4],
        last_camera_height: [0.0; 4],
        last_level_sample: [0.0; 4],
        motion_scale: [0.0; 4],
        last_bands: [MorphBand::NEVER; MAX_LEVELS],
    }
}

/// The part of a view's block that motion is measured with, but for the last frame: `unjittered` maps terrain metres to clip
/// space without jitter.
pub(super) fn motion(constants: &mut ViewConstants, view: &View, unjittered: &Mat4) {
    constants.unjittered = unjittered.to_cols_array_2d();
    let [across, down] = view.motion_scale();
    constants.motion_scale = [across, down, 0.0, 0.0];
}

/// The preview's part of a view's block.
pub(super) fn light(constants: &mut ViewConstants, view: &View, placement: &Placement) {
    let sun = placement.direction_to_terrain(view.preview.sun.as_dvec3()).normalize_or(DVec3::Y);
    constants.sun = sun.as_vec3().extend(view.preview.haze.clamp(0.0, 1e6)).to_array();
    let horizon = view.preview.horizon;
    constants.sky = if horizon.is_finite() { horizon.extend(0.0).to_array() } else { [0.0; 4] };
    constants.tiles[2] = view.preview.mode as u32;
}

/// Pixels that a metre covers at a level-field distance of a metre.
///
/// An orthographic view sees a metre at one size whatever its distance. The distance at which it is to have the level
/// that size asks for is that of the furthest ground it sees, so that all it sees is at least that fine.
pub(super) fn pixels_at_a_metre(view: &View, field: &Field, placement: &Placement) -> f64 {
    let pixels = view.pixels_a_metre();
    if view.is_orthographic() { pixels * orthographic_reach(view, field, placement) } else { pixels }
}

/// The level field's distance of the furthest ground that an orthographic view's corners see, metres.
fn orthographic_reach(view: &View, field: &Field, placement: &Placement) -> f64 {
    let desc = field.desc();
    let map = DVec2::new(f64::from(desc.quads_x()), f64::from(desc.quads_z())) * desc.spacing;
    let from = placement.to_terrain(view.level_position());
    let dy = desc.range.outside(from.y);
    let rotation = view.rotation.as_dquat();
    let along = placement.direction_to_terrain(rotation * DVec3::NEG_Z);
    let to_camera = view.unjittered.inverse();
    let mut reach = dy;
    for corner in
        [Vec3::new(-1.0, -1.0, 1.0), Vec3::new(1.0, -1.0, 1.0), Vec3::new(-1.0, 1.0, 1.0), Vec3::ONE]
    {
        let eye = view.position + rotation * to_camera.project_point3(corner).as_dvec3();
        let eye = placement.to_terrain(eye);
        // A ray that does not go down may see to the map's far side.
        let down = if along.y < -1e-6 { (eye.y - desc.range.min).max(0.0) / -along.y } else { 1e12 };
        let ground = eye + along * down;
        let ground = DVec2::new(ground.x, ground.z).clamp(DVec2::ZERO, map);
        reach = reach.max(ground.distance(DVec2::new(from.x, from.z)).hypot(dy));
    }
    reach
}
