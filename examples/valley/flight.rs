//! A camera that flies.

use glam::{DVec3, Vec3};
use landform::field::Field;
use landform_cli::camera::Camera;
use landform_cli::ground;

/// Which way a flight goes: each part −1 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Thrust {
    pub(crate) right: f64,
    pub(crate) up: f64,
    pub(crate) ahead: f64,
}

/// Turns by degrees; looking straight up or down is as far as it goes.
pub(crate) fn turn(camera: &mut Camera, yaw: f64, pitch: f64) {
    camera.yaw = (camera.yaw + yaw).rem_euclid(360.0);
    camera.pitch = (camera.pitch + pitch).clamp(-89.0, 89.0);
}

/// Flies for a while at metres a second, and not into the ground.
pub(crate) fn fly(camera: &mut Camera, thrust: Thrust, speed: f64, seconds: f64, field: &Field) {
    let rotation = camera.rotation();
    let (right, ahead) = ((rotation * Vec3::X).as_dvec3(), (rotation * Vec3::NEG_Z).as_dvec3());
    let way = right * thrust.right + DVec3::Y * thrust.up + ahead * thrust.ahead;
    let moved = camera.position + way.clamp_length_max(1.0) * speed * seconds;
    // A map's width beyond the map there is nothing to see and no way back.
    let extent = ground::extent(field);
    let low = DVec3::new(-extent.x, f64::NEG_INFINITY, -extent.y);
    let high =
        DVec3::new(2.0 * extent.x, field.desc().range.max + 4.0 * extent.max_element(), 2.0 * extent.y);
    camera.position = ground::keep_above(field, moved.clamp(low, high));
}

#[cfg(test)]
mod tests {
    use super::*;
    use landform::field::FieldDesc;
    use landform_cli::camera::Pose;

    #[test]
    fn a_dive_ends_at_eye_height() {
        let field = Field::new(FieldDesc::new(65, 65).with_range(0.0, 100.0)).unwrap();
        let mut camera = "32,50,32,0,-80".parse::<Pose>().unwrap().on(&field);
        let ahead = Thrust { ahead: 1.0, ..Thrust::default() };
        for _ in 0..100 {
            fly(&mut camera, ahead, 20.0, 0.1, &field);
            assert!(camera.position.y >= ground::EYE);
        }
        assert_eq!(camera.position.y, ground::EYE);
    }
}
