//! Where a camera is and looks, and where the sun is.

use crate::ground;
use crate::parse::numbers;
use glam::{DVec3, Quat, Vec3};
use landform::field::Field;
use landform::plan::{Preview, View, ViewMode, Viewport};
use std::str::FromStr;

/// A height, which may be measured from the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Height {
    /// Metres on the map's scale.
    Absolute(f64),
    /// Metres above the ground.
    AboveGround(f64),
}

/// Where a camera is and where it looks, as the command line says it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Metres east of the map's north-west corner.
    pub x: f64,
    /// Metres up.
    pub height: Height,
    /// Metres south of the map's north-west corner.
    pub z: f64,
    /// Degrees clockwise from north, seen from above.
    pub yaw: f64,
    /// Degrees above the horizon.
    pub pitch: f64,
}

impl FromStr for Pose {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let above_ground = text.split(',').nth(1).is_some_and(|height| height.trim().starts_with('+'));
        let [x, y, z, yaw, pitch] = numbers(text)?[..] else {
            return Err("five numbers are needed, for instance 2000,+50,3000,300,-10".into());
        };
        if !(-90.0..=90.0).contains(&pitch) {
            return Err(format!("a pitch of {pitch}; -90 (down) to 90 (up) are possible"));
        }
        let height = if above_ground { Height::AboveGround(y) } else { Height::Absolute(y) };
        Ok(Self { x, height, z, yaw, pitch })
    }
}

impl Pose {
    /// The camera that this is on a map.
    pub fn on(&self, field: &Field) -> Camera {
        let y = match self.height {
            Height::Absolute(y) => y,
            Height::AboveGround(y) => ground::height(field, self.x, self.z) + y,
        };
        Camera { position: DVec3::new(self.x, y, self.z), yaw: self.yaw, pitch: self.pitch }
    }
}

/// A camera. World metres are the map's: the origin is the north-west corner at height 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Metres east, up and south.
    pub position: DVec3,
    /// Degrees clockwise from north, seen from above.
    pub yaw: f64,
    /// Degrees above the horizon.
    pub pitch: f64,
}

impl Camera {
    /// Camera frame → world.
    pub fn rotation(&self) -> Quat {
        View::looking(self.yaw.to_radians() as f32, self.pitch.to_radians() as f32)
    }

    /// What it sees of a map. `fov` is the full vertical angle in degrees, `size` is in pixels.
    pub fn view(&self, field: &Field, fov: f64, size: (u32, u32), preview: Preview) -> View {
        let viewport = Viewport::whole(size.0, size.1);
        let fov = fov.to_radians() as f32;
        let view =
            View::perspective(self.position, self.rotation(), fov, ground::near_plane(field), viewport);
        View { preview, ..view }
    }
}

/// A sun that can be moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sun {
    /// Degrees clockwise from north to where it stands.
    pub yaw: f64,
    /// Degrees above the horizon.
    pub height: f64,
}

impl Default for Sun {
    /// Where landform's preview has it.
    fn default() -> Self {
        let toward = Preview::default().sun.as_dvec3().normalize();
        let yaw = toward.x.atan2(-toward.z).to_degrees().rem_euclid(360.0);
        Self { yaw, height: toward.y.asin().to_degrees() }
    }
}

impl FromStr for Sun {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match numbers(text)?[..] {
            [yaw, height] if (1.0..=90.0).contains(&height) => {
                Ok(Self { yaw: yaw.rem_euclid(360.0), height })
            }
            [_, height] => Err(format!("a sun {height} degrees above the horizon; 1 to 90 are possible")),
            _ => Err("two numbers are needed, for instance 315,45".into()),
        }
    }
}

impl Sun {
    /// Raises it by degrees, or lowers it, as far as into the night.
    pub fn raise(&mut self, degrees: f64) {
        self.height = (self.height + degrees).clamp(-60.0, 88.0);
    }

    /// Toward it, in the world.
    pub fn toward(&self) -> Vec3 {
        View::looking(self.yaw.to_radians() as f32, self.height.to_radians() as f32) * Vec3::NEG_Z
    }

    /// Degrees between two suns.
    pub fn angle_to(&self, other: &Self) -> f64 {
        // In f64, and by the chord: the cosine of a hundredth of a degree is 1 to half of its bits.
        let place = |sun: &Self| {
            let ((sin, cos), yaw) = (sun.height.to_radians().sin_cos(), sun.yaw.to_radians());
            DVec3::new(cos * yaw.sin(), sin, -cos * yaw.cos())
        };
        2.0 * (place(self).distance(place(other)) / 2.0).min(1.0).asin().to_degrees()
    }

    /// The preview of a map with this sun, and with haze that leaves the map's far side to be seen, however large it is. It has
    /// no night: a sun that has set shines from just above the horizon.
    pub fn preview(&self, mode: ViewMode, field: &Field) -> Preview {
        let haze = 1.0 / (4.0 * ground::extent(field).max_element() as f32);
        let sun = Self { height: self.height.max(1.0), ..*self }.toward();
        Preview { sun, haze, mode, ..Preview::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landform::field::FieldDesc;

    #[test]
    fn a_pose_is_read_as_it_is_written() {
        let pose: Pose = "10, 20.5,-30,-45,-5".parse().unwrap();
        assert_eq!(pose, Pose { x: 10.0, height: Height::Absolute(20.5), z: -30.0, yaw: -45.0, pitch: -5.0 });
        assert_eq!("1,+2,3,4,5".parse::<Pose>().unwrap().height, Height::AboveGround(2.0));
        for wrong in ["1,2,3,4", "1,2,3,4,north", "1,2,3,4,91", "1,2,nan,4,5", ""] {
            assert!(wrong.parse::<Pose>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_sun_is_where_the_preview_has_it() {
        let sun = Sun::default();
        let field = Field::new(FieldDesc::new(65, 65)).unwrap();
        assert!(
            sun.preview(ViewMode::Shaded, &field).sun.abs_diff_eq(Preview::default().sun.normalize(), 1e-4),
            "{sun:?}"
        );
        let other = Sun { height: sun.height - 0.01, ..sun };
        assert!((sun.angle_to(&other) - 0.01).abs() < 1e-9 && sun.angle_to(&sun) == 0.0);
        assert!(sun.toward().abs_diff_eq(Preview::default().sun.normalize(), 1e-4));
    }
}
