//! A night against the numbers that it is made of, and against sums over the whole sky.

use super::luminance as grey;
use super::*;
use crate::light::direction;
use crate::light::{Atmosphere, ClearSky, Harmonics, SceneLight, SkyTable};
use crate::plan::{View, Viewport};
use std::f32::consts::PI;

fn sky() -> ClearSky {
    ClearSky::new(&Atmosphere::default()).unwrap()
}

fn moonlit(elevation: f32, azimuth: f32, phase: f32) -> Night {
    Night { moon: Some(Moon { toward: direction(elevation, azimuth), phase }), ..Night::default() }
}

fn filled(sky: &ClearSky, altitude: f64, sun: Vec3, night: &Night) -> SkyTable {
    let mut table = SkyTable::new();
    sky.fill_night(altitude, sun, night, &mut table);
    table
}

fn view() -> View {
    View::perspective(glam::DVec3::ZERO, Quat::IDENTITY, 1.0, 0.1, Viewport::whole(160, 90))
}

/// Krisciunas and Schaefer's magnitudes of a moon at 0°, 90° and 180° over that of a full one: 0, 2.602 and 8.879.
#[test]
fn a_moon_is_as_bright_as_its_phase() {
    for (phase, lux) in [(1.0, 0.267), (0.5, 0.267 * 0.09098), (0.0, 0.267 * 2.807e-4)] {
        let found = grey(Moon { toward: Vec3::Y, phase }.illuminance());
        assert!((found / lux - 1.0).abs() < 0.005, "{found} lx and not {lux} at {phase}");
    }
    let light = Moon::full(Vec3::Y).illuminance();
    assert!(
        light.x > light.y && light.y > light.z && light.x < 1.5 * light.z,
        "{light} is not slightly warm"
    );
    let lights: Vec<_> = (0..=100).map(|n| dimmed(n as f32 / 100.0)).collect();
    assert!(lights.is_sorted() && dimmed(f32::NAN) == lights[0] && dimmed(9.0) == 1.0);
}

/// The lit part and the rest add up over the disc, and the full moon's has the luminance that is measured.
#[test]
fn a_disc_has_the_light_of_its_moon() {
    let area = PI * MOON_RADIUS * MOON_RADIUS;
    for phase in [1e-4, 0.01, 0.1, 0.3, 0.5, 0.8, 1.0] {
        let (bright, rest) = Moon { toward: Vec3::Y, phase }.discs();
        let sum = area * bright * (phase + (1.0 - phase) * rest);
        assert!((sum - 1.0).abs() < 0.005, "{sum} of the light at {phase}");
        assert!((0.0..=1.0).contains(&rest) && (phase < 0.05 || rest < 0.02), "{rest} of it at {phase}");
    }
    let full = grey(Moon::full(Vec3::Y).illuminance()) * Moon::full(Vec3::Y).discs().0;
    assert!((3500.0..5000.0).contains(&full), "{full} cd/m²");
    let half = Moon { toward: Vec3::Y, phase: 0.5 };
    let half = grey(half.illuminance()) * half.discs().0;
    assert!((500.0..1200.0).contains(&half), "{half} cd/m²");
}

/// The sky of a sun and a moon is that of the sun and that of the moon.
#[test]
fn two_lights_add_up() {
    let sky = sky();
    let dark = Night { airglow: 0.0, ..Night::default() };
    let no_sun = ClearSky::new(&Atmosphere { sun: Vec3::ZERO, ..Atmosphere::default() }).unwrap();
    for (sun, moon) in
        [((40.0, 10.0), (30.0, 200.0)), ((-3.0, 80.0), (60.0, 90.0)), ((-9.0, 250.0), (8.0, 70.0))]
    {
        let (toward, night) = (direction(sun.0, sun.1), moonlit(moon.0, moon.1, 1.0));
        let both = filled(&sky, 300.0, toward, &Night { airglow: 0.0, ..night });
        let by_sun = filled(&sky, 300.0, toward, &dark);
        let by_moon = filled(&no_sun, 300.0, toward, &Night { airglow: 0.0, ..night });
        let ground = [Vec3::splat(7.0), Vec3::splat(2.0)];
        let sum = Harmonics::of_sky(&both, ground[0] + ground[1]);
        let (one, other) = (Harmonics::of_sky(&by_sun, ground[0]), Harmonics::of_sky(&by_moon, ground[1]));
        let most = sum.0[0].max_element();
        for (sum, (one, other)) in sum.0.into_iter().zip(one.0.into_iter().zip(other.0)) {
            assert!((sum - one - other).abs().max_element() < 1e-5 * most);
        }
        for toward in [Vec3::Y, direction(3.0, 75.0), direction(-20.0, 10.0), direction(35.0, 201.0)] {
            let apart = both.luminance(toward) - by_sun.luminance(toward) - by_moon.luminance(toward);
            assert!(apart.abs().max_element() <= 1e-5 * both.luminance(toward).max_element());
        }
        // The moon's light is the sun's, dimmed: the air does not know which of them it is.
        let mut as_sun = SkyTable::new();
        sky.fill(300.0, night.moon.unwrap().toward, &mut as_sun);
        let colour = night.moon.unwrap().illuminance() / sky.atmosphere().sun;
        for toward in [Vec3::Y, direction(10.0, 120.0), direction(-5.0, 30.0)] {
            let (found, expected) = (by_moon.luminance(toward), as_sun.luminance(toward) * colour);
            assert!(
                ((found - expected) / expected).abs().max_element() < 1e-4,
                "{found}, and not {expected}"
            );
        }
    }
}

/// Illuminance of level ground by summing up a sky in even steps of the squared cosine and of the azimuth.
fn summed(luminance: impl Fn(Vec3) -> Vec3) -> Vec3 {
    let (rings, spokes) = (300, 180);
    let mut sum = Vec3::ZERO;
    for ring in 0..rings {
        let up = ((ring as f32 + 0.5) / rings as f32).sqrt();
        let mut of_ring = Vec3::ZERO;
        for spoke in 0..spokes {
            of_ring += luminance(direction(up.asin().to_degrees(), 2.0 * spoke as f32 + 1.0));
        }
        sum += of_ring;
    }
    sum * (PI / (rings * spokes) as f32)
}

/// What the nine functions of a light give to a white plane is what they give when they are found from the same light by a sum over the
/// sphere; the light's own illuminance they miss by what two orders cannot hold, which is known: 5 to 7 % of the sky's on level ground.
#[test]
fn a_white_plane_receives_what_the_integral_says() {
    let sky = sky();
    for (sun, moon, phase) in [
        ((50.0, 20.0), (20.0, 200.0), 1.0),
        ((2.0, 60.0), (40.0, 240.0), 0.8),
        ((-4.0, 60.0), (15.0, 130.0), 0.5),
        ((-8.0, 300.0), (30.0, 120.0), 1.0),
        ((-30.0, 10.0), (70.0, 120.0), 1.0),
        ((-30.0, 10.0), (5.0, 20.0), 0.7),
        ((-30.0, 10.0), (-30.0, 20.0), 1.0),
    ] {
        let (toward, night) = (direction(sun.0, sun.1), moonlit(moon.0, moon.1, phase));
        let table = filled(&sky, 0.0, toward, &night);
        let case = format!("sun {sun:?}, moon {moon:?}");
        let quick = Harmonics::of_sky(&table, Vec3::ZERO);
        let long = Harmonics::project_in(1000, 500, |toward| {
            if toward.y > 0.0 { table.luminance(toward) } else { Vec3::ZERO }
        });
        let level = grey(quick.irradiance(Vec3::Y)) / grey(long.irradiance(Vec3::Y)) - 1.0;
        assert!(level.abs() < 0.01, "{case}: {level}");
        for azimuth in [0.0, 90.0, 180.0, 270.0] {
            let normal = direction(40.0, azimuth);
            let apart = grey(quick.irradiance(normal)) / grey(long.irradiance(normal)) - 1.0;
            assert!(apart.abs() < 0.01, "{case} at {azimuth}°: {apart}");
        }
        // What the table has is what is marched, over all of the sky.
        let moon = night.moon.unwrap();
        let marched = |toward| {
            let by_moon = sky.luminance(0.0, toward, moon.toward) * moon.illuminance() / sky.atmosphere().sun;
            sky.luminance(0.0, toward, direction(sun.0, sun.1)) + by_moon + Vec3::splat(night.airglow)
        };
        let apart = grey(summed(marched)) / grey(summed(|toward| table.luminance(toward))) - 1.0;
        assert!(apart.abs() < 0.01, "{case}: {apart} more is marched");
        // And what the model's ground has of sun, moon and airglow together: from a coarser table, whose straight lines are seen in
        // twilight, where light halves in a degree.
        let direct = sky.sun_illuminance(0.0, toward) * toward.y.max(0.0)
            + sky.moon_illuminance(0.0, &moon) * moon.toward.y.max(0.0);
        let ground = sky.ground_illuminance(toward) + sky.night_ground_illuminance(&night);
        let apart = grey(summed(|toward| table.luminance(toward)) + direct) / grey(ground) - 1.0;
        println!("{case}: the sky over the ground's own is off by {apart}");
        let most = if (-18.0..0.0).contains(&sun.0) { 0.1 } else { 0.03 };
        assert!(apart.abs() < most, "{case}: the ground has {apart} more");
    }
}

#[test]
fn a_moonless_sky_is_as_dark_as_it_is() {
    let night = Night::default();
    let table = filled(&sky(), 0.0, direction(-40.0, 0.0), &night);
    for toward in [Vec3::Y, direction(2.0, 50.0), direction(45.0, 300.0)] {
        assert!((table.luminance(toward) / AIRGLOW - 1.0).abs().max_element() < 0.01);
    }
    let light = SceneLight::of_night_sky(&sky(), 0.0, direction(-40.0, 0.0), &night, &table, Vec3::ZERO);
    let lux = grey(light.sky.irradiance(Vec3::Y));
    // Measured far from cities: about a millilux.
    assert!((5e-4..1.5e-3).contains(&lux), "{lux}");
    assert_eq!((light.sun_illuminance, light.ev100()), (Vec3::ZERO, -6.0));
}

/// The key light is the sun until all of it has set, and where it changes the moon is a thousandth of what there is.
#[test]
fn nobody_sees_the_moon_take_over() {
    let (sky, night) = (sky(), moonlit(35.0, 200.0, 1.0));
    let at = |elevation: f32| {
        let toward = direction(elevation, 20.0);
        let table = filled(&sky, 0.0, toward, &night);
        SceneLight::of_night_sky(&sky, 0.0, toward, &night, &table, Vec3::splat(0.2))
    };
    let is_moon = |light: &SceneLight| light.night.unwrap().moon_is_key;
    let (before, after) = (at(-0.26), at(-0.27));
    assert!(!is_moon(&before) && is_moon(&after), "{before:?} {after:?}");
    assert_eq!(after.toward_sun, direction(35.0, 200.0));
    let (sun, moon) = (grey(before.sun_illuminance), grey(after.sun_illuminance));
    let sky_light = grey(after.sky.irradiance(Vec3::Y));
    assert!(sun < 0.02 * sky_light && moon < 1e-3 * sky_light, "{sun}, {moon} and {sky_light} lx");
    assert!((before.ev100() - after.ev100()).abs() < 0.03, "{} {}", before.ev100(), after.ev100());
    // By day the moon is there, and changes nothing but what is seen of it.
    let day = at(30.0);
    assert!(day.night.unwrap().moon.is_some() && !is_moon(&day));
    let mut table = SkyTable::new();
    sky.fill(0.0, direction(30.0, 20.0), &mut table);
    let old = SceneLight::of_sky(&sky, 0.0, direction(30.0, 20.0), &table, Vec3::splat(0.2));
    for (new, old) in day.sky.0.into_iter().zip(old.sky.0) {
        assert!((new - old).abs().max_element() < 1e-4 * old.abs().max_element().max(1.0));
    }
    assert_eq!((day.sun_illuminance, day.toward_sun, old.night), (old.sun_illuminance, old.toward_sun, None));
    // A sky that is filled without a night has none left.
    sky.fill(0.0, direction(30.0, 20.0), &mut table);
    let mut again = filled(&sky, 0.0, direction(30.0, 20.0), &night);
    sky.fill(0.0, direction(30.0, 20.0), &mut again);
    assert!(again.texels() == table.texels() && !again.has_night());
}

#[test]
fn a_shader_gets_what_is_seen() {
    let (sky, night) = (sky(), moonlit(35.0, 200.0, 0.5));
    let constants = |sun: Vec3| {
        let table = filled(&sky, 0.0, sun, &night);
        let light = SceneLight::of_night_sky(&sky, 0.0, sun, &night, &table, Vec3::splat(0.2));
        (light.constants(&view(), None, None, Some(&table)).unwrap(), light)
    };
    let (dark, light) = constants(direction(-20.0, 290.0));
    assert!(dark.night[2] == 1.0 && dark.night[3] == 1.0 && dark.sun_illuminance[3] == 0.0);
    let toward = Vec3::from_slice(&dark.toward_moon[..3]);
    let side = Vec3::from_slice(&dark.moon_side[..3]);
    assert!(toward.distance(direction(35.0, 200.0)) < 1e-5 && side.dot(toward).abs() < 1e-5);
    assert!(side.dot(direction(-20.0, 290.0)) > 0.5, "its bright side is the sun's");
    assert!(dark.moon_side[3].abs() < 1e-6 && (dark.toward_moon[3] * MOON_RADIUS.sin() - 1.0).abs() < 1e-5);
    // What the shader's rows do is the way back of the turn.
    let star = Vec3::new(0.48, 0.6, -0.64);
    let seen = night.stars.unwrap() * star;
    let back = dark.star_rows.map(|row| Vec3::from_slice(&row[..3]).dot(seen));
    assert!(Vec3::from_array(back).distance(star) < 1e-5);
    let through = Vec3::from_array(dark.star_rows.map(|row| (-row[3]).exp()));
    assert!((through - sky.transmittance(0.0, Vec3::Y)).abs().max_element() < 1e-5);
    let (bright, _) = constants(direction(20.0, 290.0));
    assert!(bright.night[3] == 0.0 && bright.sun_illuminance[3] > 0.0 && bright.moon[0] > 0.0);
    // A moon that has set is none.
    let set = SceneLight {
        night: light.night.map(|night| NightLight {
            moon: night.moon.map(|moon| MoonLight { illuminance: Vec3::ZERO, ..moon }),
            ..night
        }),
        ..light
    };
    assert_eq!(set.constants(&view(), None, None, None).unwrap().toward_moon, [0.0; 4]);
}

#[test]
fn a_night_that_is_none_is_refused_in_a_sentence() {
    let moon =
        MoonLight { moon: Moon::full(Vec3::Y), illuminance: Vec3::splat(0.2), toward_sun: Vec3::NEG_Y };
    let stars = StarLight { turn: Quat::IDENTITY, depth: Vec3::splat(0.1) };
    let refused = |moon: MoonLight, stars: StarLight| {
        let night = NightLight { moon: Some(moon), moon_is_key: false, stars: Some(stars) };
        let light = SceneLight { night: Some(night), ..SceneLight::default() };
        light.constants(&view(), None, None, None).map_err(|error| error.to_string())
    };
    assert!(refused(moon, stars).is_ok());
    let nowhere = MoonLight { moon: Moon::full(Vec3::ZERO), ..moon };
    assert!(refused(nowhere, stars).unwrap_err().contains("a finite direction that is not 0"));
    let glaring = MoonLight { illuminance: Vec3::new(0.0, 2000.0, 0.0), ..moon };
    assert!(refused(glaring, stars).unwrap_err().contains("0 to 1000 lx"));
    let no_number = MoonLight { illuminance: Vec3::NAN, ..moon };
    assert!(refused(no_number, stars).is_err());
    assert!(
        refused(moon, StarLight { depth: Vec3::splat(-1.0), ..stars }).unwrap_err().contains("depths from 0")
    );
    assert!(refused(moon, StarLight { turn: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..stars }).is_err());
}

/// The pole stands as high as the latitude, in the north; what culminates in the south moves west.
#[test]
fn the_celestial_sphere_turns_as_it_does() {
    let at = |sidereal: f32| Night::celestial(46f32.to_radians(), sidereal);
    for sidereal in [0.0, 1.0, 4.0] {
        let pole = at(sidereal) * Vec3::Y;
        assert!(pole.distance(Vec3::new(0.0, 0.71934, -0.69466)) < 1e-4, "{pole}");
    }
    let star = at(0.0).inverse() * direction(20.0, 90.0);
    assert!((at(0.0) * star).z > 0.9 && (at(0.5) * star).x < -0.3);
}
