//! Where the sun stands at a time of day.
//!
//! Over the map it is always the middle of May at 46° north, as in the Alps. Hours are of true solar time: at 12 the sun is in the
//! south. Azimuth and elevation follow from the hour angle by spherical trigonometry, with the declination of Cooper, *The absorption
//! of radiation in solar stills*, Solar Energy 12 (1969). The air's refraction, half a degree at the horizon, is left out, as the
//! sky leaves it out.
//!
//! The stars turn with the sun, which in the middle of May stands between the Ram and the Bull; the moon goes along the same path, ahead of it
//! by as much as of it is lit.

use crate::camera::Sun;
use glam::Vec3;
use landform::light::{AIRGLOW, Moon, Night};
use std::f32::consts::TAU;
use std::str::FromStr;

/// Degrees north.
const LATITUDE: f64 = 46.0;

/// The day of the year: the 15th of May.
const DAY: f64 = 135.0;

/// How far east of the equinox the sun is on that day, along the equator, in radians.
const RIGHT_ASCENSION: f32 = 0.902;

/// How much the sun's path is tilted against the equator, in radians.
const OBLIQUITY: f32 = 0.409;

/// A time of day, 0 to 24 hours.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct TimeOfDay(pub f64);

impl Default for TimeOfDay {
    /// An afternoon: shadows longer than what throws them is high, and still more light than shade.
    fn default() -> Self {
        Self(15.75)
    }
}

impl TimeOfDay {
    /// So many hours later, over midnight too.
    pub fn later(self, hours: f64) -> Self {
        Self((self.0 + hours).rem_euclid(24.0))
    }

    /// Where the sun stands then; below the horizon at night.
    pub fn sun(self) -> Sun {
        let declination = (23.45 * (360.0 * (284.0 + DAY) / 365.0).to_radians().sin()).to_radians();
        let hour_angle = (15.0 * (self.0 - 12.0)).to_radians();
        let (sin_latitude, cos_latitude) = LATITUDE.to_radians().sin_cos();
        let (up_there, flat) = declination.sin_cos();
        let east = -flat * hour_angle.sin();
        let north = up_there * cos_latitude - flat * hour_angle.cos() * sin_latitude;
        let up = up_there * sin_latitude + flat * hour_angle.cos() * cos_latitude;
        Sun {
            yaw: east.atan2(north).to_degrees().rem_euclid(360.0),
            height: up.clamp(-1.0, 1.0).asin().to_degrees(),
        }
    }
}

/// The night to a sun: its stars, and a moon of which so much is lit, 0 to 1; None for a night without one. A full moon stands opposite to the
/// sun, a half one is a quarter of the sky behind it.
pub fn night_of(sun: &Sun, moon: Option<f32>) -> Night {
    let (toward, latitude) = (sun.toward(), LATITUDE.to_radians() as f32);
    let from_south = Night::celestial(latitude, 0.0).inverse() * toward;
    let hour_angle = (-from_south.x).atan2(from_south.z);
    let stars = Night::celestial(latitude, (hour_angle + RIGHT_ASCENSION).rem_euclid(TAU));
    // Where the pole of the sun's path stands: in the Dragon.
    let pole = stars * Vec3::new(-OBLIQUITY.sin(), OBLIQUITY.cos(), 0.0);
    let moon = moon.map(|phase| {
        let ahead = (1.0 - 2.0 * phase.clamp(0.0, 1.0)).acos();
        // A sun that stands where it does not on this day is as far from the moon all the same.
        let axis = pole.reject_from_normalized(toward).normalize_or(Vec3::Y);
        Moon { toward: glam::Quat::from_axis_angle(axis, ahead) * toward, phase }
    });
    Night { moon, airglow: AIRGLOW, stars: Some(stars) }
}

impl std::fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let minutes = (self.0 * 60.0).round() as i64;
        write!(f, "{}:{:02}", minutes / 60, minutes % 60)
    }
}

impl FromStr for TimeOfDay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let hours = match text.split_once(':') {
            None => text.trim().parse().ok(),
            Some((hours, minutes)) => {
                let whole = |part: &str| part.trim().parse::<u8>().ok().map(f64::from);
                whole(hours).zip(whole(minutes).filter(|minutes| *minutes < 60.0)).map(|(h, m)| h + m / 60.0)
            }
        };
        match hours {
            Some(hours) if (0.0..=24.0).contains(&hours) => Ok(Self(hours)),
            Some(hours) => Err(format!("{hours} hours; 0 to 24 are possible")),
            None => Err("a time is needed, for instance 15.5 or 15:30".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Held against the almanac's numbers for a declination of 18.8° and 46° north.
    #[test]
    fn the_sun_rises_in_the_north_east_and_is_high_in_the_south() {
        let noon = TimeOfDay(12.0).sun();
        assert!((noon.yaw - 180.0).abs() < 1e-9 && (noon.height - 62.8).abs() < 0.1, "{noon:?}");
        let (rise, set) = (TimeOfDay(4.63).sun(), TimeOfDay(19.37).sun());
        assert!(rise.height.abs() < 0.2 && (rise.yaw - 62.4).abs() < 0.5, "{rise:?}");
        assert!(set.height.abs() < 0.2 && (set.yaw - (360.0 - 62.4)).abs() < 0.5, "{set:?}");
        assert!(TimeOfDay(0.0).sun().height < -20.0);
        assert!(TimeOfDay(0.0).sun().angle_to(&TimeOfDay(24.0).sun()) < 1e-6);
    }

    #[test]
    fn the_moon_is_where_its_phase_has_it() {
        let moon = |hour: f64, phase: f32| {
            let sun = TimeOfDay(hour).sun();
            (sun.toward(), night_of(&sun, Some(phase)).moon.unwrap().toward)
        };
        for hour in [0.0, 5.0, 12.0, 19.5] {
            let (sun, full) = moon(hour, 1.0);
            assert!(sun.dot(full) < -0.999, "a full moon is opposite to the sun");
            let (sun, new) = moon(hour, 0.0);
            assert!(sun.dot(new) > 0.999);
        }
        // Low in the south at midnight, as in May; a waxing half moon is high in the south when the sun sets.
        let (_, full) = moon(0.0, 1.0);
        assert!((full.y.asin().to_degrees() - 25.2).abs() < 0.5 && full.z > 0.9, "{full}");
        let (_, half) = moon(19.37, 0.5);
        assert!(
            half.z > 0.3 && half.y > 0.7 && half.dot(TimeOfDay(19.37).sun().toward()).abs() < 0.02,
            "{half}"
        );
        assert_eq!(night_of(&TimeOfDay(0.0).sun(), None).moon, None);
    }

    #[test]
    fn the_stars_turn_once_a_day_around_the_pole() {
        let pole = |hour: f64| night_of(&TimeOfDay(hour).sun(), None).stars.unwrap() * Vec3::Y;
        for hour in [0.0, 7.0, 21.0] {
            assert!((pole(hour) - Vec3::new(0.0, 0.7193, -0.6947)).abs().max_element() < 1e-3);
        }
        // What is on the southern horizon at midnight is far from the pole by as much as that is high, and six hours later west.
        let star = |hour: f64| night_of(&TimeOfDay(hour).sun(), None).stars.unwrap();
        let south = star(0.0).inverse() * Vec3::Z;
        let west = (star(6.0) * south).x;
        assert!((west + 0.7193).abs() < 1e-3, "{west}");
        // And where the sun is among them does not change.
        let places = [3.0, 15.0].map(|hour| star(hour).inverse() * TimeOfDay(hour).sun().toward());
        assert!(places[0].distance(places[1]) < 1e-3, "{places:?}");
    }

    #[test]
    fn a_time_is_read_in_two_ways() {
        assert_eq!("15.5".parse(), Ok(TimeOfDay(15.5)));
        assert_eq!("15:30".parse(), Ok(TimeOfDay(15.5)));
        assert_eq!(TimeOfDay(15.5).to_string(), "15:30");
        assert_eq!(TimeOfDay(23.5).later(1.0), TimeOfDay(0.5));
        for wrong in ["", "noon", "25", "-1", "12:60", "12:", "nan"] {
            assert!(wrong.parse::<TimeOfDay>().is_err(), "{wrong}");
        }
    }
}
