//! The ground under a camera.

use glam::{DVec2, DVec3};
use landform::field::{Field, Sample};
use landform::query;

/// Metres that a camera stays above the ground: eye height.
pub const EYE: f64 = 1.8;

/// Metres from the map's west to its east edge and from its north to its south edge.
pub fn extent(field: &Field) -> DVec2 {
    let desc = field.desc();
    DVec2::new(f64::from(desc.quads_x()), f64::from(desc.quads_z())) * desc.spacing
}

/// Metres from a camera to its near plane. Reverse-Z in 32 bits keeps kilometres apart from a tenth of a metre on; a map of
/// a few metres is looked at from nearer.
pub(crate) fn near_plane(field: &Field) -> f32 {
    (extent(field).max_element() * 1e-3).min(0.1) as f32
}

/// The height in metres of the ground at a place: in a hole that of the sample beside it, outside of the map that of
/// the nearest edge.
pub fn height(field: &Field, x: f64, z: f64) -> f64 {
    let place = DVec2::new(x, z).clamp(DVec2::ZERO, extent(field));
    query::height_at(field, place).unwrap_or_else(|| {
        let nearest = (place / field.desc().spacing).round();
        field.sample_metres(Sample::new(nearest.x as u32, nearest.y as u32))
    })
}

/// The lowest height of a camera at a place: eye height over the highest ground within a step of it, so that the near
/// plane does not cut into a wall either.
pub fn lowest_eye(field: &Field, x: f64, z: f64) -> f64 {
    let around = [[0.0, 0.0], [0.5, 0.0], [-0.5, 0.0], [0.0, 0.5], [0.0, -0.5]];
    let ground = around.map(|[dx, dz]| height(field, x + dx, z + dz));
    ground.into_iter().fold(f64::NEG_INFINITY, f64::max) + EYE
}

/// Raises a position that is less than eye height above the ground.
pub fn keep_above(field: &Field, position: DVec3) -> DVec3 {
    let lowest = lowest_eye(field, position.x, position.z);
    DVec3::new(position.x, position.y.max(lowest), position.z)
}

#[cfg(test)]
mod tests {
    use super::*;
    use landform::field::{FieldDesc, Quad};

    fn slope() -> Field {
        let desc = FieldDesc::new(17, 9).with_spacing(2.0, 3.0).with_range(0.0, 100.0);
        let samples = (0..17 * 9).map(|i| (i % 17) * 4000).collect();
        Field::from_samples(desc, samples).unwrap()
    }

    #[test]
    fn no_place_ends_under_the_ground() {
        let mut field = slope();
        field.set_hole(Quad::new(4, 4), true);
        for (x, z) in [(0.0, 0.0), (9.0, 13.0), (-50.0, 12.0), (1e9, -1e9), (32.0, 24.0)] {
            let at = keep_above(&field, DVec3::new(x, -1e6, z));
            assert!(at.y >= height(&field, x, z) + EYE && at.y.is_finite(), "{at}");
            assert_eq!((at.x, at.z), (x, z));
        }
        let high = DVec3::new(5.0, 500.0, 5.0);
        assert_eq!(keep_above(&field, high), high);
    }

    #[test]
    fn outside_the_map_the_edge_counts() {
        let field = slope();
        assert_eq!(height(&field, 1e5, 10.0), height(&field, 32.0, 10.0));
        assert_eq!(height(&field, -1.0, -1.0), 0.0);
    }
}
