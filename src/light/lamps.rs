//! Lamps: point lights and spots of a finite range, and what a surface receives from one.

use crate::abi::LampRecord;
use crate::{Error, Result};
use glam::{DVec3, Vec3};

/// Nearer than this, metres, a lamp gets no brighter: a lamp is no point, and an inverse square has no end.
const NEAREST: f32 = 0.01;
/// The cosine of a point lamp's outer angle: one that every direction passes.
const EVERY_DIRECTION: f32 = -2.0;
/// The narrowest cone, radians: narrower ones lose their edge between two cosines of 32 bits.
const NARROWEST: f32 = 0.01;
/// The least difference of the cosines of a cone's two angles. A smaller one is a hard edge in any case.
const SHARPEST: f64 = 1e-5;

/// A point light, or with a [`Cone`] a spot.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("point light", "spot light", "punctual light"))]
pub struct Lamp {
    /// World metres, within 1e15 of the world's origin.
    pub position: DVec3,
    /// Candela, linear RGB, 0 or more: along the axis for a spot, in every direction for a point lamp. A bulb of Φ lumen has
    /// Φ / 4π.
    pub intensity: Vec3,
    /// Metres at which its light ends, above 0; it lights nothing where that is a centimetre or less. Cost goes with it: 100 cd
    /// give 1 lux at 10 m and a hundredth at 100 m.
    pub range: f32,
    /// What a spot's light is kept to; None for a point lamp.
    pub cone: Option<Cone>,
}

/// What a spot's light is kept to. It is full to the inner angle and fades to nothing at the outer one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cone {
    /// Where it shines, in the world; any length above 0.
    pub toward: Vec3,
    /// Half angle of full light, radians, 0 to `outer`.
    pub inner: f32,
    /// Half angle at which the light ends, radians, 0.01 to π.
    pub outer: f32,
}

/// How much of its intensity a lamp gives a surface that faces it: lux a candela, from the distance and the range in metres.
///
/// The inverse square, windowed so that it and its slope are 0 at the range: `saturate(1 − (d / r)⁴)² / d²`, where a distance d of
/// less than a centimetre is one. (Karis, *Real Shading in Unreal Engine 4*, 2013; Lagarde and de Rousiers, *Moving Frostbite to
/// Physically Based Rendering*, 2014.) Twin of the shader's `lamp_light`.
pub fn falloff(distance: f32, range: f32) -> f32 {
    let square = (distance * distance).max(NEAREST * NEAREST);
    let part = square / (range * range);
    let window = (1.0 - part * part).clamp(0.0, 1.0);
    window * window / square
}

impl Lamp {
    /// Lux, linear RGB, on a surface at this place of the world that faces the lamp, with nothing between. Twin of the shader.
    pub fn illuminance(&self, at: DVec3) -> Vec3 {
        LampRecord::new(self, at).illuminance(Vec3::ZERO)
    }

    /// Whether this is a lamp that can be drawn.
    ///
    /// # Errors
    /// A sentence about what is not finite or out of range.
    pub fn validate(&self) -> Result<()> {
        match self.fault() {
            Some(fault) => Err(Error::invalid("lamp", fault)),
            None => Ok(()),
        }
    }

    /// What is wrong with it and what would work, in the words that follow the lamp's name.
    pub(super) fn fault(&self) -> Option<String> {
        const FURTHEST: f64 = 1e15;
        if !self.position.is_finite() || self.position.abs().max_element() > FURTHEST {
            let at = self.position;
            return Some(format!(
                "it stands at {at}; every coordinate must be finite and within 1e15 m of the world's origin"
            ));
        }
        if !self.intensity.is_finite() || self.intensity.min_element() < 0.0 {
            return Some(format!("an intensity of {} cd; use finite numbers of 0 or more", self.intensity));
        }
        if !(self.range > 0.0 && self.range.is_finite()) {
            return Some(format!("a range of {} m; use a finite number above 0", self.range));
        }
        let Cone { toward, inner, outer } = self.cone?;
        // The length is taken in 64 bits, where no direction of 32 overflows.
        if !(toward.is_finite() && toward.as_dvec3().length() > 0.0) {
            return Some(format!("a cone toward {toward}; give a direction that is finite and not 0"));
        }
        let (least, most) = (NARROWEST, std::f32::consts::PI);
        if !((least..=most).contains(&outer) && (0.0..=outer).contains(&inner)) {
            return Some(format!(
                "a cone of {inner} to {outer} radians; the outer half angle goes from 0.01 to π and the inner one from 0 to it"
            ));
        }
        None
    }
}

impl LampRecord {
    /// What the shader reads of this lamp where the camera is here, in world metres.
    pub fn new(lamp: &Lamp, camera: DVec3) -> Self {
        let point = (Vec3::ZERO, EVERY_DIRECTION, 1.0);
        let (toward, cos_outer, inverse_cone) = lamp.cone.map_or(point, |cone| {
            let [inner, outer] = [cone.inner, cone.outer].map(|angle| f64::from(angle).cos());
            let toward = cone.toward.as_dvec3().normalize_or_zero().as_vec3();
            (toward, outer as f32, (1.0 / (inner - outer).max(SHARPEST)) as f32)
        });
        Self {
            position: (lamp.position - camera).as_vec3().to_array(),
            range: lamp.range,
            intensity: lamp.intensity.to_array(),
            cos_outer,
            toward: toward.to_array(),
            inverse_cone,
        }
    }

    /// Lux, linear RGB, on a surface that faces the lamp, at this place in metres from the camera in the world's axes.
    ///
    /// A spot fades by the square of where the direction's cosine lies between those of its two angles (Lagarde and de Rousiers
    /// 2014). Twin of the shader's function.
    pub fn illuminance(&self, relative: Vec3) -> Vec3 {
        let from = relative - Vec3::from(self.position);
        let distance = from.length();
        let cosine = Vec3::from(self.toward).dot(from / distance.max(NEAREST));
        let cone = ((cosine - self.cos_outer) * self.inverse_cone).clamp(0.0, 1.0);
        Vec3::from(self.intensity) * (falloff(distance, self.range) * cone * cone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lamp() -> Lamp {
        Lamp { position: DVec3::ZERO, intensity: Vec3::new(100.0, 50.0, 25.0), range: 20.0, cone: None }
    }

    fn spot(inner: f32, outer: f32) -> Lamp {
        Lamp { cone: Some(Cone { toward: Vec3::NEG_Y * 3.0, inner, outer }), ..lamp() }
    }

    #[test]
    fn light_falls_with_the_square_of_the_distance_and_ends_at_the_range() {
        assert!((falloff(1.0, 100.0) - 1.0).abs() < 1e-6);
        assert!((falloff(2.0, 100.0) - 0.25).abs() < 1e-6);
        assert_eq!(falloff(20.0, 20.0), 0.0);
        assert_eq!(falloff(1e12, 20.0), 0.0);
        assert_eq!(falloff(0.0, 20.0), falloff(0.01, 20.0), "no brighter than at a centimetre");
        assert_eq!(falloff(0.0, 0.01), 0.0, "a range of a centimetre");
    }

    #[test]
    fn light_falls_without_a_step() {
        let range = 20.0;
        let steps = (0..=4000).map(|step| step as f32 * range / 4000.0);
        let given: Vec<f32> = steps.filter(|&distance| distance >= 1.0).map(|d| falloff(d, range)).collect();
        for pair in given.windows(2) {
            assert!(pair[1] <= pair[0] && pair[0] - pair[1] < 0.011, "{pair:?}");
        }
        assert!(given[given.len() - 2] < 1e-8, "flat at the range: {}", given[given.len() - 2]);
    }

    #[test]
    fn a_lamp_gives_its_intensity_over_the_square() {
        let at = DVec3::new(5e5, 3.0, -7e5);
        let far_out = Lamp { position: at, ..lamp() };
        let lux = far_out.illuminance(at + DVec3::new(2.0, 0.0, 0.0));
        assert!((lux - lamp().intensity / 4.0).abs().max_element() < 0.01, "{lux}");
        assert_eq!(far_out.illuminance(at + DVec3::new(0.0, 20.0, 0.0)), Vec3::ZERO);
    }

    #[test]
    fn a_spot_is_full_inside_and_dark_outside() {
        let at =
            |degrees: f64| DVec3::new(degrees.to_radians().sin(), -degrees.to_radians().cos(), 0.0) * 4.0;
        let spot = spot(0.3, 0.6);
        assert_eq!(spot.illuminance(at(0.0)), lamp().illuminance(at(0.0)));
        assert!((spot.illuminance(at(17.0)) - lamp().illuminance(at(17.0))).abs().max_element() < 1e-4);
        let edge = spot.illuminance(at(26.0)).x;
        assert!(edge > 0.0 && edge < lamp().illuminance(at(26.0)).x);
        for degrees in [34.5, 90.0, 180.0] {
            assert_eq!(spot.illuminance(at(degrees)), Vec3::ZERO);
        }
    }

    #[test]
    fn narrow_wide_and_sharp_spots_are_full_along_their_axis() {
        for (inner, outer) in [(0.0, 0.01), (0.01, 0.01), (0.5, 0.5), (0.0, 3.1), (0.0, std::f32::consts::PI)]
        {
            let spot = spot(inner, outer);
            spot.validate().unwrap();
            let (given, full) = (spot.illuminance(DVec3::NEG_Y).x, lamp().illuminance(DVec3::NEG_Y).x);
            assert!((given - full).abs() < 0.01 * full, "{inner} to {outer}: {given} of {full}");
        }
    }

    #[test]
    fn what_cannot_be_drawn_is_refused_with_a_sentence() {
        lamp().validate().unwrap();
        Lamp { intensity: Vec3::ZERO, ..lamp() }.validate().unwrap();
        let cone = |toward: Vec3, inner, outer| Lamp { cone: Some(Cone { toward, inner, outer }), ..lamp() };
        for (wrong, says) in [
            (Lamp { position: DVec3::new(0.0, f64::NAN, 0.0), ..lamp() }, "stands at"),
            (Lamp { position: DVec3::splat(1e16), ..lamp() }, "within 1e15 m"),
            (Lamp { intensity: Vec3::new(1.0, f32::NAN, 1.0), ..lamp() }, "intensity"),
            (Lamp { intensity: Vec3::new(1.0, -1.0, 1.0), ..lamp() }, "0 or more"),
            (Lamp { range: 0.0, ..lamp() }, "range of 0 m"),
            (Lamp { range: f32::NAN, ..lamp() }, "range of NaN m"),
            (Lamp { range: f32::INFINITY, ..lamp() }, "finite number above 0"),
            (cone(Vec3::ZERO, 0.1, 0.2), "not 0"),
            (cone(Vec3::NAN, 0.1, 0.2), "direction"),
            (cone(Vec3::X, 0.3, 0.2), "half angle"),
            (cone(Vec3::X, -0.1, 0.2), "half angle"),
            (cone(Vec3::X, 0.0, 3.2), "half angle"),
            (cone(Vec3::X, 0.0, f32::NAN), "half angle"),
        ] {
            let text = wrong.validate().unwrap_err().to_string();
            assert!(text.starts_with("lamp: ") && text.contains(says), "{text}");
        }
    }
}
