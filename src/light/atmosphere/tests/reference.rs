//! The sky against the papers' integrals themselves, in 64 bits: no path is shared, no look-up but that of how much light comes through,
//! which is finer and parted otherwise. Neither paper prints luminances to hold it against.
//!
//! Over black ground, so that the only light is the sun's: what was scattered once is Hillaire's equation 1, what was scattered more
//! often his equations 5 to 10, with every integral over the sphere and along each ray taken in many steps.

use super::{direction, sky};
use crate::light::{Atmosphere, ClearSky, SUN_RADIUS};
use glam::{DVec3, Vec3};
use std::f64::consts::PI;

const GROUND: f64 = 6360.0;
const SPACE: f64 = 6460.0;
const ALTITUDES: usize = 200;
const COSINES: usize = 400;

/// Rayleigh, Mie and ozone at an altitude, over what they are at most.
fn density(altitude: f64) -> [f64; 3] {
    let ozone = (1.0 - (altitude - 25.0).abs() / 15.0).max(0.0);
    [(-altitude / 8.0).exp(), (-altitude / 1.2).exp(), ozone]
}

/// What is scattered by molecules and by haze, and what is lost, in a kilometre.
fn coefficients(altitude: f64) -> [DVec3; 3] {
    let [rayleigh, mie, ozone] = density(altitude);
    let rayleigh = DVec3::new(5.802e-3, 13.558e-3, 33.1e-3) * rayleigh;
    let haze = DVec3::splat(3.996e-3 * mie);
    [rayleigh, haze, rayleigh + haze / 0.9 + DVec3::new(0.650e-3, 1.881e-3, 0.085e-3) * ozone]
}

/// Kilometres from a radius, along a cosine to the vertical, to the ground or to space; and whether it is the ground.
fn length(radius: f64, up: f64) -> (f64, bool) {
    let along = radius * up;
    let to = |end: f64| along * along + (end - radius) * (end + radius);
    if up < 0.0 && to(GROUND) > 0.0 {
        return (-along - to(GROUND).sqrt(), true);
    }
    (-along + to(SPACE).max(0.0).sqrt(), false)
}

/// Places along a ray, with their lengths: closer together where it begins.
fn steps(length: f64, count: usize) -> impl Iterator<Item = (f64, f64)> {
    (0..count).map(move |step| {
        let [near, far] = [step, step + 1].map(|step| (step as f64 / count as f64).powi(2) * length);
        ((near + far) / 2.0, far - near)
    })
}

fn further(radius: f64, up: f64, distance: f64) -> f64 {
    (radius * radius + distance * (distance + 2.0 * radius * up)).sqrt()
}

/// How much of the sun's light comes through, from altitudes by their root, and cosines from the horizon's by their root.
struct Through(Vec<DVec3>);

impl Through {
    fn new() -> Self {
        let through = |altitude: usize, cosine: usize| {
            let radius = GROUND + (SPACE - GROUND) * (altitude as f64 / (ALTITUDES - 1) as f64).powi(2);
            let horizon = horizon(radius);
            // A little above the horizon, lest rounding find the ground.
            let up = horizon + (1.0 - horizon) * (cosine as f64 / (COSINES - 1) as f64).powi(2) + 1e-9;
            let (length, _) = length(radius, up);
            let depth = |(at, width): (f64, f64)| coefficients(further(radius, up, at) - GROUND)[2] * width;
            (-steps(length, 160).map(depth).sum::<DVec3>()).exp()
        };
        Self((0..ALTITUDES * COSINES).map(|at| through(at / COSINES, at % COSINES)).collect())
    }

    /// The sun's light at a radius, its disc cut by the planet as a disc is.
    fn sun(&self, radius: f64, up: f64) -> DVec3 {
        let horizon = horizon(radius);
        let over = (up.clamp(-1.0, 1.0).asin() - horizon.asin()) / f64::from(SUN_RADIUS);
        if over <= -1.0 {
            return DVec3::ZERO;
        }
        let cut = over.min(1.0);
        let seen = 1.0 - (cut.acos() - cut * (1.0 - cut * cut).sqrt()) / PI;
        self.at(radius, up.max(horizon)) * seen
    }

    fn at(&self, radius: f64, up: f64) -> DVec3 {
        let horizon = horizon(radius);
        let row = ((radius - GROUND) / (SPACE - GROUND)).max(0.0).sqrt() * (ALTITUDES - 1) as f64;
        let column = ((up - horizon) / (1.0 - horizon)).clamp(0.0, 1.0).sqrt() * (COSINES - 1) as f64;
        let [(row, down), (column, right)] = [(row, ALTITUDES), (column, COSINES)].map(|(at, count)| {
            let first = (at as usize).min(count - 2);
            (first, at - first as f64)
        });
        let mixed = |row: usize| {
            let from = row * COSINES + column;
            self.0[from].lerp(self.0[from + 1], right)
        };
        mixed(row).lerp(mixed(row + 1), down)
    }
}

fn horizon(radius: f64) -> f64 {
    -(1.0 - (GROUND / radius).powi(2)).max(0.0).sqrt()
}

/// Luminance along a ray a lux of sun, where each place sends `light(radius, cosine of the sun, what molecules and haze scatter)`.
fn marched(
    radius: f64,
    up: f64,
    sun: (f64, f64),
    count: usize,
    light: impl Fn(f64, f64, DVec3, DVec3) -> DVec3,
) -> DVec3 {
    let (mut left, mut sum) = (DVec3::ONE, DVec3::ZERO);
    for (at, width) in steps(length(radius, up).0, count) {
        let here = further(radius, up, at);
        let [molecules, haze, lost] = coefficients(here - GROUND);
        let up_sun = (radius * sun.0 + at * sun.1) / here;
        // What is sent within a step is dimmed by half of the step.
        sum += left * (lost * (-0.5 * width)).exp() * light(here, up_sun, molecules, haze) * width;
        left *= (lost * -width).exp();
    }
    sum
}

/// Hillaire's Ψ: what is scattered once from all around, over what is not passed on.
fn scattered_often(through: &Through, radius: f64, up_sun: f64) -> DVec3 {
    let (rings, spokes) = (32, 10);
    let (mut once, mut passed) = (DVec3::ZERO, DVec3::ZERO);
    for (ring, spoke) in (0..rings).flat_map(|ring| (0..spokes).map(move |spoke| (ring, spoke))) {
        let up = (2 * ring + 1) as f64 / f64::from(rings) - 1.0;
        let flat = ((1.0 - up * up) * (1.0 - up_sun * up_sun)).max(0.0).sqrt();
        let beside = up * up_sun + flat * ((f64::from(spoke) + 0.5) / f64::from(spokes) * PI).cos();
        let even = 0.25 / PI;
        once += marched(radius, up, (up_sun, beside), 40, |here, up, molecules, haze| {
            (molecules + haze) * even * through.sun(here, up)
        });
        if spoke == 0 {
            passed += marched(radius, up, (0.0, 0.0), 40, |_, _, molecules, haze| molecules + haze);
        }
    }
    once / f64::from(rings * spokes) / (DVec3::ONE - passed / f64::from(rings))
}

/// Rayleigh's phase, and that of Cornette and Shanks with g = 0.8.
fn phases(cosine: f64) -> (f64, f64) {
    let (g, curve) = (0.8f64, 1.0 + cosine * cosine);
    let mie = 3.0 / (8.0 * PI) * (1.0 - g * g) * curve
        / ((2.0 + g * g) * (1.0 + g * g - 2.0 * g * cosine).powf(1.5));
    (3.0 / (16.0 * PI) * curve, mie)
}

/// Luminance of the sky a lux of sun, with and without what is scattered more than once.
fn luminance(through: &Through, toward: Vec3, sun: Vec3) -> [DVec3; 2] {
    let (toward, sun) = (toward.as_dvec3().normalize(), sun.as_dvec3().normalize());
    let beside = toward.dot(sun);
    let (by_molecules, by_haze) = phases(beside);
    let once = marched(GROUND, toward.y, (sun.y, beside), 600, |here, up, molecules, haze| {
        (molecules * by_molecules + haze * by_haze) * through.sun(here, up)
    });
    let often = marched(GROUND, toward.y, (sun.y, beside), 40, |here, up, molecules, haze| {
        (molecules + haze) * scattered_often(through, here, up)
    });
    [once + often, once]
}

/// Twenty pairs of a sun and a place in the sky: from overhead to twilight, toward the sun, beside it and opposite. At most 1.4 % by day, and
/// 7 % in the shadow of the earth, which is seen by nothing but what is scattered often.
#[test]
fn twenty_places_of_the_sky_are_as_the_papers_integrals_have_them() {
    let black = Atmosphere { ground_albedo: Vec3::ZERO, sun: Vec3::ONE, ..*sky().atmosphere() };
    let (sky, through) = (ClearSky::new(&black).unwrap(), Through::new());
    let mut worst = [0f64; 2];
    for (elevation, most) in [(80.0, 0.02), (45.0, 0.02), (20.0, 0.02), (5.0, 0.02), (-3.0, 0.09)] {
        for (height, azimuth) in [(90.0, 0.0), (40.0, 25.0), (15.0, 90.0), (4.0, 180.0)] {
            let (sun, toward) = (direction(elevation, 0.0), direction(height, azimuth));
            let [all, once] = luminance(&through, toward, sun);
            let found = sky.luminance(0.0, toward, sun).as_dvec3();
            let apart = ((found - all) / all).abs().max_element();
            println!(
                "sun {elevation}°, at {height}°, {azimuth}°: {all:?}, once {:.2}, off by {apart:.4}",
                once.y / all.y
            );
            worst[usize::from(elevation < 0.0)] = worst[usize::from(elevation < 0.0)].max(apart);
            assert!(
                apart < most,
                "{found}, and not {all}, with the sun at {elevation}°, at {height}°, {azimuth}°"
            );
            // A sky of single scattering alone would not do.
            assert!(once.y < 0.97 * all.y, "{once} of {all}");
        }
    }
    println!("at most {worst:?} by day and after sunset");
}
