//! The sky against closed forms, what is measured outdoors, and itself.

mod reference;

use super::*;
use crate::light::SUN_RADIUS;
use crate::light::{direction, luminance as grey};
use air::{PLANET, TOP};
use glam::Vec2;
use std::f32::consts::PI;

fn sky() -> ClearSky {
    ClearSky::new(&Atmosphere::default()).unwrap()
}

fn filled(sky: &ClearSky, altitude: f64, toward_sun: Vec3) -> SkyTable {
    let mut table = SkyTable::new();
    sky.fill(altitude, toward_sun, &mut table);
    table
}

/// The greatest difference of two lights over the second.
fn apart(light: Vec3, of: Vec3) -> f32 {
    ((light - of) / of).abs().max_element()
}

/// Illuminance of a level surface by what is above it (1) or below it (−1).
fn level_illuminance(side: f32, luminance: impl Fn(Vec3) -> Vec3) -> Vec3 {
    let (rings, spokes) = (200, 100);
    let mut sum = Vec3::ZERO;
    for (ring, spoke) in (0..rings).flat_map(|ring| (0..spokes).map(move |spoke| (ring, spoke))) {
        let up = side * ((ring as f32 + 0.5) / rings as f32).sqrt();
        let azimuth = (spoke as f32 + 0.5) / spokes as f32 * 360.0;
        sum += luminance(direction(up.asin().to_degrees(), azimuth));
    }
    sum * (PI / (rings * spokes) as f32)
}

#[test]
fn an_atmosphere_that_is_not_one_is_refused_in_a_sentence() {
    let refused = |atmosphere: Atmosphere| ClearSky::new(&atmosphere).unwrap_err().to_string();
    let earth = Atmosphere::default();
    let text = refused(Atmosphere { haze: 51.0, ..earth });
    assert_eq!(text, "atmosphere: its haze is 51, and has to be from 0 to 50");
    let text = refused(Atmosphere { ground_albedo: Vec3::new(0.3, 1.5, 0.3), ..earth });
    assert_eq!(text, "atmosphere: the albedo of its ground is 1.5, and has to be from 0 to 1");
    assert!(refused(Atmosphere { ozone: f32::NAN, ..earth }).contains("its ozone is NaN"));
    assert!(refused(Atmosphere { haze_albedo: 0.0, ..earth }).contains("from 0.1 to 1"));
    assert!(refused(Atmosphere { sun: Vec3::splat(f32::INFINITY), ..earth }).contains("in lux"));
}

#[test]
fn straight_up_the_air_is_as_deep_as_its_densities_integrate_to() {
    let sky = sky();
    for altitude in [0.0f32, 1000.0, 3000.0, 8000.0] {
        let kilometres = altitude / 1000.0;
        let (rayleigh, mie) = (8.0 * (-kilometres / 8.0).exp(), 1.2 * (-kilometres / 1.2).exp());
        // Half the width of a tent, 15 km.
        let depth = Vec3::new(5.802e-3, 13.558e-3, 33.1e-3) * rayleigh
            + Vec3::splat(4.44e-3 * mie)
            + Vec3::new(0.650e-3, 1.881e-3, 0.085e-3) * 15.0;
        let found = -sky.transmittance(altitude.into(), Vec3::Y).map(f32::ln);
        assert!(apart(found, depth) < 0.01, "at {altitude} m {found}, and not {depth}");
    }
}

#[test]
fn along_the_horizon_the_air_is_as_deep_as_chapman_has_it() {
    // Chapman 1931: √(πRH/2) of the density at the ground, and 1 + 3H/8R of that in the next order.
    let air = Atmosphere { haze: 0.0, ozone: 0.0, ..Atmosphere::default() };
    let length = (std::f64::consts::PI * PLANET * 8.0 / 2.0).sqrt() * (1.0 + 3.0 / 8.0 * 8.0 / PLANET);
    let depth = Vec3::new(5.802e-3, 13.558e-3, 33.1e-3) * length as f32;
    let found = -ClearSky::new(&air).unwrap().transmittance(0.0, Vec3::X).map(f32::ln);
    assert!(apart(found, depth) < 0.01, "{found}, and not {depth}");
    // Light comes from below the level only where the planet leaves it.
    let sky = sky();
    assert_eq!(sky.transmittance(0.0, direction(-0.1, 0.0)), Vec3::ZERO);
    assert!(sky.transmittance(3000.0, direction(-1.7, 0.0)).min_element() > 0.0);
    assert_eq!(sky.transmittance(3000.0, direction(-1.8, 0.0)), Vec3::ZERO);
}

#[test]
fn extinction_is_that_of_the_papers() {
    let sky = sky();
    let ground = Vec3::new(5.802e-6, 13.558e-6, 33.1e-6) + Vec3::splat(4.44e-6);
    assert!(apart(sky.extinction(0.0), ground) < 1e-5);
    assert_eq!(sky.extinction(-50.0), sky.extinction(0.0));
    assert!(sky.extinction(25_000.0).y > 1.881e-6, "ozone");
}

#[test]
fn a_noon_is_as_bright_as_one() {
    let (sky, sun) = (sky(), direction(60.0, 20.0));
    let by_sun = sky.sun_illuminance(0.0, sun) * sun.y;
    let by_sky = level_illuminance(1.0, |toward| sky.luminance(0.0, toward, sun));
    let noon = grey(by_sun + by_sky);
    // 104.2 klx, 9.3 of which are the sky's.
    assert!((80e3..120e3).contains(&noon), "{noon} lx");
    assert!((5e3..20e3).contains(&grey(by_sky)), "{by_sky} lx of sky");
    assert!(apart(sky.ground_illuminance(sun), by_sun + by_sky) < 0.005);
    // 1.65 kcd/m²: this is air without haze (Linke's turbidity is below 1.5). Haze brightens it.
    let zenith = |haze: f32| {
        let sky = ClearSky::new(&Atmosphere { haze, ..Atmosphere::default() }).unwrap();
        grey(sky.luminance(0.0, Vec3::Y, direction(45.0, 0.0)))
    };
    assert!((1.4e3..4e3).contains(&zenith(1.0)), "{} cd/m²", zenith(1.0));
    assert!((2e3..8e3).contains(&zenith(8.0)), "{} cd/m²", zenith(8.0));
}

#[test]
fn air_that_absorbs_nothing_over_white_ground_gives_back_all_light() {
    let (haze_albedo, ozone, ground_albedo) = (1.0, 0.0, Vec3::ONE);
    for (haze, elevation) in [(0.0, 90.0), (1.0, 60.0), (1.0, 30.0), (8.0, 60.0)] {
        let air = Atmosphere { haze, haze_albedo, ozone, ground_albedo, ..Atmosphere::default() };
        let (sky, sun) = (ClearSky::new(&air).unwrap(), direction(elevation, 0.0));
        let out = level_illuminance(-1.0, |toward| sky.luminance(1e5, toward, sun));
        // The top of the air is wider than the ground that the light falls on.
        let wider = ((TOP / PLANET) * (TOP / PLANET)) as f32;
        let back = out * wider / (air.sun * sun.y);
        assert!(apart(back, Vec3::ONE) < 0.02, "{back} with haze {haze} and the sun at {elevation}°");
    }
}

#[test]
fn colours_are_those_of_a_day_and_of_an_evening() {
    let sky = sky();
    let blue = |light: Vec3| light.z / light.x;
    let noon = direction(45.0, 0.0);
    let zenith = sky.luminance(0.0, Vec3::Y, noon);
    assert!(blue(zenith) > 2.0 && blue(zenith) > 1.5 * blue(sky.luminance(0.0, direction(1.0, 90.0), noon)));
    // Around a high sun it is brighter than on the other side.
    assert!(
        grey(sky.luminance(0.0, noon, noon)) > 2.0 * grey(sky.luminance(0.0, direction(45.0, 180.0), noon))
    );

    let evening = direction(2.0, 0.0);
    let sun = sky.sun_illuminance(0.0, evening);
    assert!(sun.x > 3.0 * sun.z && sun.x > sun.y && sun.y > sun.z, "{sun}");
    let near = sky.luminance(0.0, direction(3.0, 3.0), evening);
    assert!(near.x > 1.3 * near.y && near.y > 1.3 * near.z, "{near} is not orange");
    // Ozone keeps the zenith blue.
    let high = sky.luminance(0.0, Vec3::Y, evening);
    assert!(high.z > high.x && high.z > high.y, "{high}");
}

#[test]
fn twilight_falls_smoothly() {
    let sky = sky();
    for (elevation, azimuth) in
        [(90.0, 0.0), (30.0, 0.0), (30.0, 180.0), (3.0, 0.0), (3.0, 90.0), (3.0, 180.0)]
    {
        let toward = direction(elevation, azimuth);
        let light = |step: u32| grey(sky.luminance(0.0, toward, direction(-1.0 - 0.25 * step as f32, 0.0)));
        let lights: Vec<f32> = (0..=28).map(light).collect();
        for pair in lights.windows(2) {
            // In a quarter of a degree at most by half, whatever shadow passes over the way.
            let part = pair[1] / pair[0];
            assert!((0.5..1.0).contains(&part), "{part} at {elevation}°, {azimuth}°: {lights:?}");
        }
    }
    // Measured: some hundred lux when the sun sets, 3.4 at the end of civil twilight.
    assert!((300.0..1500.0).contains(&grey(sky.ground_illuminance(direction(0.0, 0.0)))));
    assert!((1.0..15.0).contains(&grey(sky.ground_illuminance(direction(-6.0, 0.0)))));
}

#[test]
fn the_disc_sets_as_a_disc() {
    let (sky, radius) = (sky(), SUN_RADIUS.to_degrees());
    let sun = |altitude: f64, elevation: f32| sky.sun_illuminance(altitude, direction(elevation, 0.0));
    assert_eq!(sun(0.0, -1.01 * radius), Vec3::ZERO);
    assert!(sun(0.0, -0.9 * radius).x > 0.0);
    // Half of the disc over the horizon is half of the light that would come from there.
    let half = sky.transmittance(0.0, Vec3::X) * sky.atmosphere().sun / 2.0;
    assert!(apart(sun(0.0, 0.0), half) < 0.01);
    let lights: Vec<f32> = (-10..=10).map(|step| sun(0.0, step as f32 / 10.0 * radius).x).collect();
    assert!(lights.is_sorted(), "{lights:?}");
    // From a mountain it is seen longer.
    assert!(sun(3000.0, -1.0).x > 1000.0);
    let high = sky.transmittance(0.0, direction(50.0, 0.0)) * sky.atmosphere().sun;
    assert_eq!(sun(0.0, 50.0), high);
}

#[test]
fn more_steps_than_a_table_takes_are_not_seen() {
    fn marched<const N: usize>(sky: &ClearSky, altitude: f64, toward: Vec3, sun: Vec3) -> Vec3 {
        let (up, beside) = (f64::from(toward.y), toward.dot(sun));
        let path = Path::<N>::new(&sky.lookups.air, altitude, up, up < horizon_cosine(altitude));
        let air = path.scattered(&sky.lookups, sun.y, beside, air::phases(beside));
        Vec3::from(air + path.ground(&sky.lookups, sun.y, beside))
    }
    let sky = sky();
    for (sun, altitude) in
        [60.0, 20.0, 3.0, 0.0, -3.0, -6.0].into_iter().flat_map(|sun| [(sun, 0.0), (sun, 3.0)])
    {
        let sun = direction(sun, 0.0);
        for elevation in [-60.0, -10.0, -2.0, 0.2, 1.0, 3.0, 10.0, 30.0, 60.0, 90.0] {
            for toward in [0.0, 20.0, 90.0, 180.0].map(|azimuth| direction(elevation, azimuth)) {
                let fine = marched::<1000>(&sky, altitude, toward, sun);
                let error = apart(marched::<STEPS>(&sky, altitude, toward, sun), fine);
                assert!(error < 0.015, "{error} toward {toward} with the sun at {sun}");
            }
        }
    }
}

#[test]
fn a_table_is_what_a_march_finds() {
    let sky = sky();
    for (sun, altitude) in [(70.0, 0.0), (45.0, 500.0), (20.0, 3000.0), (3.0, 0.0), (-4.0, 1500.0)] {
        let sun = direction(sun, 130.0);
        let table = filled(&sky, altitude, sun);
        let mut worst = 0f32;
        for elevation in [-80.0, -45.0, -20.0, -7.0, 4.0, 11.0, 23.0, 37.0, 51.0, 68.0, 83.0, 89.9] {
            for azimuth in (0..36).map(|step| 10.0 * step as f32 + 3.0) {
                let toward = direction(elevation, azimuth);
                worst = worst.max(apart(table.luminance(toward), sky.luminance(altitude, toward, sun)));
            }
        }
        // 1.8 % by day, beside the sun too, and 5.4 % in twilight, where light falls to a tenth between a few rows.
        assert!(worst < if sun.y > 0.0 { 0.025 } else { 0.06 }, "{worst} with the sun at {sun}");
    }
}

#[test]
fn both_sides_of_the_sun_are_alike() {
    let sky = sky();
    let table = filled(&sky, 200.0, direction(25.0, 40.0));
    for (elevation, beside) in [(-5.0, 30.0), (1.0, 10.0), (20.0, 90.0), (50.0, 170.0)] {
        let (left, right) = (direction(elevation, 40.0 - beside), direction(elevation, 40.0 + beside));
        assert!(apart(table.luminance(left), table.luminance(right)) < 1e-3);
        let marched = |toward| sky.luminance(200.0, toward, direction(25.0, 40.0));
        assert!(apart(marched(left), marched(right)) < 1e-3);
    }
    // And a sky turns with its sun.
    let turned = filled(&sky, 200.0, direction(25.0, 220.0));
    let pair = (table.luminance(direction(10.0, 100.0)), turned.luminance(direction(10.0, 280.0)));
    assert!(apart(pair.0, pair.1) < 1e-3);
}

#[test]
fn every_texel_is_a_light_that_a_half_float_holds() {
    let hazy = Atmosphere { haze: 50.0, ..Atmosphere::default() };
    let glaring = Atmosphere { sun: Vec3::splat(1e7), ..hazy };
    let mut table = SkyTable::new();
    for air in [Atmosphere::default(), hazy, glaring, Atmosphere { haze: 0.0, ozone: 0.0, ..hazy }] {
        let sky = ClearSky::new(&air).unwrap();
        for (step, altitude) in (0..=12).zip([0.0, 20.0, 400.0, 8000.0].into_iter().cycle()) {
            sky.fill(altitude, direction(15.0 * step as f32 - 90.0, 77.0), &mut table);
            let halves: &[u16] = bytemuck::cast_slice(table.texels());
            assert_eq!(halves.len(), 4 * SkyTable::WIDTH * SkyTable::HEIGHT);
            // Halves below that of infinity are finite and not below 0.
            assert!(halves.iter().all(|&half| half < 0x7c00), "at {altitude} m, step {step}");
        }
    }
    let night = filled(&sky(), 0.0, direction(-40.0, 0.0));
    assert!(night.luminance(Vec3::Y).max_element() < 1e-6);
}

#[test]
fn what_is_no_direction_and_no_altitude_does_no_harm() {
    let sky = sky();
    for altitude in [-400.0, 1e5, 1e9, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for sun in [Vec3::ZERO, Vec3::NAN, Vec3::Y, Vec3::NEG_Y, Vec3::new(0.0, 3.0, 4.0)] {
            let table = filled(&sky, altitude, sun);
            let seen = [Vec3::Y, Vec3::NEG_Y, Vec3::X, direction(-30.0, 5.0)];
            assert!(seen.iter().all(|&toward| table.luminance(toward).is_finite()));
            assert!(sky.luminance(altitude, Vec3::NAN, sun).is_finite());
            assert!(
                sky.sun_illuminance(altitude, sun).is_finite()
                    && sky.transmittance(altitude, sun).is_finite()
            );
            assert!(sky.extinction(altitude).is_finite() && sky.ground_illuminance(sun).is_finite());
        }
    }
}

#[test]
fn the_horizon_is_between_two_rows_that_nothing_mixes() {
    let table = filled(&sky(), 2000.0, direction(40.0, 90.0));
    assert!((table.horizon().to_degrees() + 1.437).abs() < 0.001, "{}", table.horizon().to_degrees());
    let [x, z, horizon, _] = table.for_shader();
    assert!(Vec2::new(x, z).distance(Vec2::Y) < 1e-6 && horizon == table.horizon());
    let row = |elevation: f32| table.uv(direction(elevation, 10.0)).y * SkyTable::HEIGHT as f32 - 0.5;
    assert!(row(-1.45) < 31.0 && row(-1.43) > 32.0);
    assert!((row(90.0) - 63.0).abs() < 1e-3 && row(-90.0).abs() < 1e-3);
    // The sun's azimuth is the first column and the opposite one the last.
    let half_texel = 0.5 / SkyTable::WIDTH as f32;
    assert!((table.uv(direction(10.0, 90.0)).x - half_texel).abs() < 1e-3);
    assert!((table.uv(direction(10.0, -90.0)).x - (1.0 - half_texel)).abs() < 1e-3);
    for step in 0..1000 {
        let place = table.uv(direction(step as f32 * 0.18 - 90.0, step as f32 * 7.0));
        assert!(place.cmpge(Vec2::ZERO).all() && place.cmple(Vec2::ONE).all());
    }
    // Straight down is the ground as it is lit, less what 2 km of air take and with what they add.
    let (sky, sun) = (sky(), direction(40.0, 90.0));
    let ground = sky.ground_illuminance(sun) * 0.3 / PI;
    assert!(apart(table.luminance(Vec3::NEG_Y), ground) < 0.1);
}

#[test]
fn a_refill_takes_no_memory_and_another_number() {
    let (sky, mut table) = (sky(), SkyTable::new());
    assert_eq!((table.revision(), table.luminance(Vec3::Y)), (0, Vec3::ZERO));
    let memory = table.texels().as_ptr();
    sky.fill(0.0, direction(30.0, 0.0), &mut table);
    let (first, copy) = (table.revision(), table.clone());
    sky.fill(0.0, direction(31.0, 0.0), &mut table);
    assert_eq!(memory, table.texels().as_ptr());
    assert!(first != 0 && table.revision() != first && copy.revision() == first);
    assert_ne!(filled(&sky, 0.0, Vec3::Y).revision(), table.revision());
    assert_eq!(table.toward_sun(), direction(31.0, 0.0).normalize());
}

/// How long things take, to be read with `--nocapture --ignored`.
#[test]
#[ignore = "prints times, holds nothing"]
fn times() {
    let least = |work: &mut dyn FnMut()| {
        let times = (0..30).map(|_| {
            let start = std::time::Instant::now();
            work();
            start.elapsed()
        });
        times.min().unwrap_or_default()
    };
    let (sky, mut table) = (sky(), SkyTable::new());
    println!("new {:?}", least(&mut || drop(std::hint::black_box(self::sky()))));
    println!("fill {:?}", least(&mut || sky.fill(100.0, direction(30.0, 0.0), &mut table)));
    let harmonics = || _ = std::hint::black_box(crate::light::Harmonics::of_sky(&table, Vec3::ONE));
    println!("harmonics {:?}", least(&mut || harmonics()));
}
