use super::*;
use glam::{DVec2, Quat, Vec2};
use std::f32::consts::FRAC_PI_2;

/// Tiles small enough that a texel is easily told from rounding.
const TILE: u32 = 1024;

fn settings() -> CascadeSettings {
    CascadeSettings {
        layout: ShadowLayout::new(4, TILE),
        distance: 2000.0,
        split: 0.8,
        nearest: 40.0,
        depth: 3000.0,
    }
}

fn camera(position: DVec3, rotation: Quat) -> View {
    View::perspective(position, rotation, 1.0, 0.1, Viewport::whole(1920, 1080))
}

fn sun(elevation: f32, azimuth: f32) -> Vec3 {
    let (up, across) = elevation.to_radians().sin_cos();
    let (east, north) = azimuth.to_radians().sin_cos();
    Vec3::new(east * across, up, -north * across)
}

/// Suns of every kind, straight above among them, and north and south where a rotation from an axis would turn over.
fn suns() -> impl Iterator<Item = Vec3> {
    let elevations = [0.0, 3.0, 15.0, 60.0, 89.99, 90.0];
    let azimuths = (0..16).map(|step| 22.5 * step as f32);
    elevations.into_iter().flat_map(move |up| azimuths.clone().map(move |at| sun(up, at)))
}

fn fitted(view: &View, sun: Vec3, settings: &CascadeSettings) -> Cascades {
    let mut cascades = Cascades::new();
    cascades.fit(view, sun, settings).unwrap();
    cascades
}

/// Places that a view sees within a distance of its camera, relative to it.
fn seen(view: &View, distance: f64) -> Vec<DVec3> {
    let inverse = view.projection.inverse();
    let ticks = || (0..=8).map(|step| step as f32 / 4.0 - 1.0);
    let across = ticks().flat_map(|x| ticks().map(move |y| Vec2::new(x, y)));
    let ray = |at: Vec2| (view.rotation * inverse.project_point3(at.extend(1.0))).normalize().as_dvec3();
    across.flat_map(|at| (1..=20).map(move |step| ray(at) * distance * f64::from(step) / 20.0)).collect()
}

#[test]
fn all_that_a_view_sees_lies_in_a_cascade() {
    for sun in suns() {
        let position = DVec3::new(812.3, 95.7, -40.1);
        for (yaw, pitch) in [(0.0, 0.0), (2.1, -0.4), (4.0, 0.9), (1.0, -FRAC_PI_2)] {
            let view = camera(position, View::looking(yaw, pitch));
            let cascades = fitted(&view, sun, &settings());
            let constants = cascades.constants(position);
            for place in seen(&view, cascades.distance()) {
                let found = constants.finest(place.as_vec3(), 3.0).expect("a cascade holds it");
                // It is no coarser than the splits promise.
                let promised =
                    (0..4).find(|&at| place.length() <= cascades.reach(at).unwrap() * (1.0 + 1e-6));
                assert!(found <= promised.unwrap(), "{place} toward {sun}");
            }
        }
    }
}

#[test]
fn splits_go_from_the_nearest_to_the_distance() {
    for split in [0.0, 0.5, 1.0] {
        for count in 1..=4 {
            let settings = CascadeSettings { split, layout: ShadowLayout::new(count, TILE), ..settings() };
            let reach: Vec<f64> = (0..count).map(|cascade| settings.reach(cascade)).collect();
            assert!(reach.is_sorted_by(|a, b| a < b), "{reach:?}");
            assert_eq!(reach.last(), Some(&2000.0));
            assert!(count == 1 || reach[0] == 40.0);
        }
    }
    let even = CascadeSettings { split: 0.0, ..settings() };
    assert!((even.reach(2) - even.reach(1) - (even.reach(3) - even.reach(2))).abs() < 1e-9);
    let multiple = CascadeSettings { split: 1.0, ..settings() };
    assert!((multiple.reach(2) / multiple.reach(1) - multiple.reach(3) / multiple.reach(2)).abs() < 1e-9);
}

#[test]
fn a_high_camera_begins_its_cascades_further_away_in_steps() {
    let base = settings();
    assert_eq!(base.raised(0.0), base);
    assert_eq!(base.raised(19.9), base);
    assert_eq!(base.raised(21.0).nearest, 80.0);
    assert_eq!(base.raised(39.0), base.raised(21.0), "the same between two steps");
    assert_eq!(base.raised(200.0).nearest, 640.0);
    assert_eq!(base.raised(1e6).nearest, 640.0, "half the distance, to the step before");
    for nothing in [-5.0, f64::NEG_INFINITY, f64::NAN] {
        assert_eq!(base.raised(nothing), base);
    }
    assert_eq!(base.raised(f64::INFINITY).nearest, 640.0);
    let close = CascadeSettings { nearest: 1500.0, ..base };
    assert_eq!(close.raised(1e6), close, "beyond half the distance already");
}

/// How often `nearest` changes over a flight.
fn changes(cascades: &mut Cascades, settings: CascadeSettings, heights: impl Iterator<Item = f64>) -> usize {
    let nearest: Vec<f64> = heights.map(|height| cascades.raised(settings, Some(height)).nearest).collect();
    nearest.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// Heights at which `nearest` is doubled once more, 0 to 4 times before.
fn steps(settings: &CascadeSettings) -> [f64; 5] {
    [0, 1, 2, 3, 4].map(|times| 0.5 * settings.nearest * f64::from(1 << times))
}

/// Room for five doublings and more.
fn far() -> CascadeSettings {
    CascadeSettings { distance: 8000.0, ..settings() }
}

#[test]
fn a_height_that_wavers_about_a_step_changes_nothing() {
    for step in steps(&far()) {
        let wavering = || (0..200).map(|frame| step * (1.0 + 0.1 * (f64::from(frame) * 0.7).sin()));
        let without: Vec<f64> = wavering().map(|height| far().raised(height).nearest).collect();
        assert!(without.windows(2).filter(|pair| pair[0] != pair[1]).count() > 20, "it would flicker");
        // Come from the ground, from above and from nowhere.
        for before in [Some(0.0), Some(step * 1.25), Some(step * 0.8), Some(1e5), None] {
            let mut cascades = Cascades::new();
            cascades.raised(far(), before);
            assert!(changes(&mut cascades, far(), wavering()) <= 1, "from {before:?} to {step}");
            assert_eq!(changes(&mut cascades, far(), wavering()), 0);
        }
    }
}

#[test]
fn a_rise_and_a_descent_pass_every_step() {
    let up = || (0..=500).map(|part| 15.0 * (f64::from(part) / 100.0).exp2());
    let mut cascades = Cascades::new();
    assert_eq!(changes(&mut cascades, far(), up()), 5);
    assert_eq!(changes(&mut cascades, far(), up().rev()), 5);
    assert_eq!(cascades.raised(far(), Some(0.0)), far());
    // Each a quarter of an octave late.
    for (times, step) in (0..).zip(steps(&far())) {
        let nearest = |cascades: &mut Cascades, part: f64| cascades.raised(far(), Some(step * part)).nearest;
        let [lower, upper] = [times, times + 1].map(|times: i32| 40.0 * f64::from(times).exp2());
        assert_eq!(nearest(&mut cascades, 0.95), lower);
        assert_eq!(
            [1.18, 1.2, 0.85, 0.83].map(|part| nearest(&mut cascades, part)),
            [lower, upper, upper, lower]
        );
    }
    // A leap is one change, to where the height is; and the ground is reached from anywhere.
    let mut leaping = Cascades::new();
    leaping.raised(far(), Some(3.0));
    assert_eq!(leaping.raised(far(), Some(200.0)), far().raised(200.0));
    assert_eq!(leaping.raised(far(), Some(f64::INFINITY)), far().raised(f64::INFINITY));
    assert_eq!(leaping.raised(far(), Some(-1.0)), far());
}

#[test]
fn the_first_height_is_raised_as_without_memory() {
    for height in (0..400).map(|part| f64::from(part * part)) {
        for settings in [settings(), far()] {
            assert_eq!(Cascades::new().raised(settings, Some(height)), settings.raised(height));
        }
    }
    // Half the distance bounds what is asked for and not what is remembered.
    let mut cascades = Cascades::new();
    assert_eq!(cascades.raised(far(), Some(700.0)).nearest, 2560.0);
    assert_eq!(cascades.raised(settings(), Some(700.0)).nearest, 640.0);
    assert_eq!(cascades.raised(far(), Some(700.0)).nearest, 2560.0);
}

#[test]
fn without_ground_below_cascades_stay_as_they_were() {
    let mut cascades = Cascades::new();
    assert_eq!(cascades.raised(far(), None), far());
    assert_eq!(cascades.raised(far(), Some(21.0)), far().raised(21.0), "still the first height");
    for none in [None, Some(f64::NAN), None] {
        assert_eq!(cascades.raised(far(), none), far().raised(21.0));
    }
    // A fit that is refused leaves it as well.
    cascades.fit(&camera(DVec3::ZERO, Quat::IDENTITY), Vec3::ZERO, &far()).unwrap_err();
    assert_eq!(cascades.raised(far(), Some(19.0)), far().raised(21.0));
}

/// Where a texel's corner of a cascade's tile lies in the world, in the plane across the light through the world's origin.
fn corner(cascades: &Cascades, sun: Vec3, cascade: usize, texel: [f64; 2]) -> DVec2 {
    let view = &cascades.views[cascade];
    let metres = 2.0 * cascades.fitted[cascade].half / f64::from(TILE);
    let across = light_rotation(sun.as_dvec3().normalize()).inverse() * view.position;
    DVec2::new(across.x, across.y) + (DVec2::from(texel) - f64::from(TILE / 2)) * metres
}

#[test]
fn texels_stay_where_they_are_while_the_camera_moves() {
    for origin in [DVec3::ZERO, DVec3::new(5e5, 120.0, -5e5)] {
        for sun in suns() {
            let before = fitted(&camera(origin, Quat::IDENTITY), sun, &settings());
            for step in 1..20 {
                let moved = origin + DVec3::new(0.011, 0.003, -0.017) * f64::from(step * step);
                let after = fitted(&camera(moved, View::looking(step as f32, 0.3)), sun, &settings());
                for cascade in 0..4 {
                    let metres = 2.0 * before.fitted[cascade].half / f64::from(TILE);
                    assert_eq!(before.fitted[cascade].half, after.fitted[cascade].half);
                    let texels = (corner(&after, sun, cascade, [0.0; 2])
                        - corner(&before, sun, cascade, [0.0; 2]))
                        / metres;
                    // The corner of a texel then is the corner of another one now, to a thousandth of a texel.
                    assert!((texels - texels.round()).abs().max_element() < 1e-3, "{texels} toward {sun}");
                }
            }
        }
    }
}

#[test]
fn a_camera_that_turns_or_stays_within_its_texel_keeps_its_views() {
    let still = fitted(&camera(DVec3::new(7.0, 2.0, 9.0), Quat::IDENTITY), sun(30.0, 60.0), &settings());
    let turned =
        fitted(&camera(DVec3::new(7.0, 2.0, 9.0), View::looking(2.0, -0.5)), sun(30.0, 60.0), &settings());
    assert_eq!(still.views(), turned.views());
    // A texel of the last cascade is 4 m, of the first 8 cm.
    let moved = fitted(&camera(DVec3::new(7.3, 2.0, 9.0), Quat::IDENTITY), sun(30.0, 60.0), &settings());
    assert_eq!(still.views()[3], moved.views()[3]);
    assert_ne!(still.views()[0], moved.views()[0]);
}

#[test]
fn lookups_are_exact_far_from_the_origin() {
    let sun = sun(20.0, 250.0);
    for origin in [DVec3::ZERO, DVec3::new(5e5, 300.0, 5e5), DVec3::new(-5e5, 300.0, 4e5)] {
        let view = camera(origin, View::looking(0.4, -0.1));
        let cascades = fitted(&view, sun, &settings());
        let constants = cascades.constants(origin);
        for place in seen(&view, 1900.0) {
            let relative = place.as_vec3();
            let cascade = constants.finest(relative, 3.0).unwrap();
            let found = constants.place(cascade, relative).as_dvec3();
            // The same through the view, all in double precision.
            let light = &cascades.views[cascade];
            let from_light = origin + relative.as_dvec3() - light.position;
            let clip =
                light.projection.as_dmat4() * (light.rotation.as_dquat().inverse() * from_light).extend(1.0);
            let truth = DVec3::new(0.5 + 0.5 * clip.x, 0.5 - 0.5 * clip.y, clip.z);
            let texels = (found - truth) * f64::from(TILE);
            assert!(texels.truncate().abs().max_element() < 0.01, "{texels} of a texel at {origin}");
            let metres = (found.z - truth.z) * cascades.fitted[cascade].span;
            assert!(metres.abs() < 0.1 * f64::from(constants.cascades[cascade].texel[0]), "{metres} m");
        }
        // Another eye, the same place.
        let other = DVec3::new(3.0, -1.0, 8.0);
        let (near, far) = (Vec3::new(10.0, 2.0, -5.0), Vec3::new(7.0, 3.0, -13.0));
        let moved = cascades.constants(origin + other);
        assert!(moved.place(0, far).abs_diff_eq(constants.place(0, near), 1e-5));
    }
}

#[test]
fn depth_grows_toward_the_light_by_what_is_said() {
    for sun in suns() {
        let cascades = fitted(&camera(DVec3::new(1.0, 2.0, 3.0), Quat::IDENTITY), sun, &settings());
        let constants = cascades.constants(DVec3::new(1.0, 2.0, 3.0));
        for cascade in 0..4 {
            let [near, far] = [7.0, -9.0].map(|metres| constants.place(cascade, sun * metres));
            let a_metre = constants.cascades[cascade].texel[1];
            assert!((near.z - far.z - 16.0 * a_metre).abs() < 1e-6, "{near} {far}");
            assert!(
                near.truncate().abs_diff_eq(far.truncate(), 1e-5),
                "along the light a place stays in its texel"
            );
            let level = sun.any_orthonormal_vector() * 20.0;
            assert!((constants.place(cascade, level).z - constants.place(cascade, -level).z).abs() < 1e-6);
        }
    }
}

#[test]
fn a_sun_above_has_north_up_and_the_tile_turns_smoothly_with_it() {
    let at = |sun: Vec3| fitted(&camera(DVec3::ZERO, Quat::IDENTITY), sun, &settings());
    let constants = at(Vec3::Y * 0.01).constants(DVec3::ZERO);
    let middle = constants.place(0, Vec3::ZERO);
    assert!(constants.place(0, Vec3::X).x > middle.x, "east is right");
    assert!(constants.place(0, Vec3::NEG_Z).y < middle.y, "north is up: less far down");
    for sun in suns() {
        let other = (sun + Vec3::new(3e-3, -2e-3, 4e-3)).normalize();
        let angle = at(sun).views()[0].rotation.angle_between(at(other).views()[0].rotation);
        assert!(angle < 0.015, "{angle} between {sun} and {other}");
        let forward = at(sun).views()[0].rotation * Vec3::NEG_Z;
        assert!(forward.abs_diff_eq(-sun.normalize(), 1e-6));
    }
    at(Vec3::NEG_Y);
}

#[test]
fn tiles_are_those_of_the_layout() {
    for count in 1..=4 {
        let layout = ShadowLayout::new(count, 512);
        let settings = CascadeSettings { layout, ..settings() };
        let cascades = fitted(&camera(DVec3::ZERO, Quat::IDENTITY), sun(40.0, 10.0), &settings);
        assert_eq!((cascades.layout(), cascades.views().len()), (layout, count as usize));
        let constants = cascades.constants(DVec3::ZERO);
        assert_eq!(constants.count, count);
        for (index, view) in cascades.views().iter().enumerate() {
            view.validate().unwrap();
            assert!(view.is_orthographic() && view.flip_y);
            let [x, y] = layout.origin(index as u32).unwrap();
            let Viewport { x: left, y: upper, width, height } = view.viewport;
            assert_eq!([left, upper, width, height], [x as f32, y as f32, 512.0, 512.0]);
            let [scale_x, scale_y, add_x, add_y] = constants.cascades[index].atlas;
            let size = Vec2::from(layout.size().map(|texels| texels as f32));
            let to_texel = |at: Vec2| (at * Vec2::new(scale_x, scale_y) + Vec2::new(add_x, add_y)) * size;
            assert_eq!(to_texel(Vec2::ZERO), Vec2::new(left, upper));
            assert_eq!(to_texel(Vec2::ONE), Vec2::new(left + 512.0, upper + 512.0));
        }
        assert_eq!(cascades.reach(count as usize), None);
    }
    let none = Cascades::new();
    assert!(none.views().is_empty() && none.constants(DVec3::ZERO).finest(Vec3::ZERO, 0.0).is_none());
}

#[test]
fn shadows_fade_over_the_last_tenth() {
    let constants = fitted(&camera(DVec3::ZERO, Quat::IDENTITY), Vec3::Y, &settings()).constants(DVec3::ZERO);
    for (metres, left) in [(0.0, 1.0), (1800.0, 1.0), (1900.0, 0.5), (2000.0, 0.0), (9000.0, 0.0)] {
        assert!((constants.strength(metres) - left).abs() < 1e-5, "{metres} m");
    }
}

#[test]
fn what_cannot_be_fitted_is_refused_with_a_sentence() {
    let here = camera(DVec3::ZERO, Quat::IDENTITY);
    let mut cascades = fitted(&here, Vec3::Y, &settings());
    let before = cascades.views().to_vec();
    let mut refused = |view: &View, sun: Vec3, settings: CascadeSettings| {
        let why = cascades.fit(view, sun, &settings).unwrap_err().to_string();
        assert_eq!(cascades.views(), before, "as they were");
        why
    };
    for sun in [Vec3::ZERO, Vec3::NAN, Vec3::new(0.0, f32::INFINITY, 0.0)] {
        assert!(refused(&here, sun, settings()).contains("direction that is not 0"));
    }
    let lost = View { position: DVec3::NAN, ..here };
    assert!(refused(&lost, Vec3::Y, settings()).contains("finite"));
    for wrong in [
        CascadeSettings { distance: 0.0, ..settings() },
        CascadeSettings { distance: f64::NAN, ..settings() },
        CascadeSettings { nearest: 0.0, ..settings() },
        CascadeSettings { nearest: 2001.0, ..settings() },
        CascadeSettings { split: 1.1, ..settings() },
        CascadeSettings { split: f64::NAN, ..settings() },
        CascadeSettings { depth: -1.0, ..settings() },
        CascadeSettings { depth: f64::INFINITY, ..settings() },
    ] {
        assert!(refused(&here, Vec3::Y, wrong).contains("use"));
    }
}
