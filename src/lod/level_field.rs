//! The level field: the twin of `shaders/include/level_field.hlsl`. Same names, same order of operations, in f32.

use crate::abi::MorphBand;
use glam::Vec2;

/// How far a place is from the camera, as level of detail sees it, in metres: `relative` is the place relative to the
/// camera in x and z, `dy` how far the camera is above or below the terrain's declared height range.
///
/// The ground's own height does not enter, so a place has one level whatever is sculpted there.
pub fn distance(relative: Vec2, dy: f32) -> f32 {
    (relative.x * relative.x + relative.y * relative.y + dy * dy).sqrt()
}

/// How far a vertex of a level has morphed toward the next one at this distance: exactly 0 up to the band's start,
/// exactly 1 from its end on.
pub fn morph(distance: f32, band: MorphBand) -> f32 {
    if distance >= band.end { 1.0 } else { ((distance - band.start) * band.inverse).clamp(0.0, 1.0) }
}

/// λ at a distance, whatever node is drawn there: every finer level has morphed wholly at its place and no coarser one has
/// begun, so the morphs of all levels add up to it. The twin of `last_lambda`.
pub fn lambda(distance: f32, bands: &[MorphBand]) -> f32 {
    let mut lambda = 0.0;
    for band in bands {
        let morph = morph(distance, *band);
        lambda += morph;
        if morph < 1.0 {
            break;
        }
    }
    lambda
}

/// A coordinate as its whole and its fractional part, which [`relative`] subtracts one after the other.
pub(crate) fn split(value: f64) -> (f32, f32) {
    (value.floor() as f32, (value - value.floor()) as f32)
}

/// A sample coordinate relative to the camera, in metres. `camera` and `fraction` are the camera's whole and
/// fractional sample coordinate: the first subtraction is exact, so a camera far from the map's corner does not shake.
pub fn relative(sample: f32, camera: f32, fraction: f32, spacing: f32) -> f32 {
    ((sample - camera) - fraction) * spacing
}
