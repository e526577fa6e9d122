//! Lamps on the lit ground: what clusters list is all that reaches it.

use glam::camera::rh::proj::directx;
use glam::{DVec3, Mat4, Vec3};
use landform::field::{Field, FieldDesc};
use landform::light::{ClusterGrid, Cone, Lamp};
use landform::plan::{TerrainSettings, View, Viewport};
use landform_device_tests::{
    Lighting, LitPicture, LitStage, Place, Planes, hills, known_to, look, placed, random,
};
use landform_harness::shared;

const SIZE: [u32; 2] = [192, 108];

/// One cell: every lamp is asked at every pixel.
const ONE: ClusterGrid = ClusterGrid { columns: 1, rows: 1, slices: 1 };

fn dark(lamps: Vec<Lamp>) -> Lighting {
    Lighting { lamps, ..Lighting::sun(DVec3::Y, 0.0) }
}

/// Lamps all over the hills, of every range, half of them spots.
fn many(count: usize) -> Vec<Lamp> {
    let mut next = random(21);
    let mut unit = move || f64::from(next()) / f64::from(u32::MAX);
    let lamp = |index| {
        let position = DVec3::new(512.0 * unit(), 40.0 + 150.0 * unit(), 512.0 * unit());
        let range = (8.0 * (1.0 + 9.0 * unit() * unit())) as f32;
        let [x, y, z] = [(); 3].map(|()| unit() as f32 - 0.5);
        let outer = 0.2 + unit() as f32;
        let cone =
            (index % 2 == 0).then_some(Cone { toward: Vec3::new(x, y - 0.5, z), inner: 0.6 * outer, outer });
        Lamp { position, intensity: Vec3::new(x + 1.0, y + 1.0, z + 1.0) * 1e5, range, cone }
    };
    (0..count).map(lamp).collect()
}

fn views(stage: &LitStage) -> Vec<(&'static str, View)> {
    let whole = stage.viewport();
    let seen = look(DVec3::new(250.0, 210.0, 500.0), 4.0, -25.0, whole);
    let part = Viewport { x: 37.0, y: 11.0, width: 121.0, height: 83.0 };
    let shift = Mat4::from_translation(Vec3::new(0.9 / SIZE[0] as f32, -0.7 / SIZE[1] as f32, 0.0));
    let flat = directx::orthographic(-200.0, 200.0, -112.0, 112.0, 900.0, 1.0);
    let above = DVec3::new(256.0, 420.0, 400.0);
    let tilted = View::looking(0.4, -60f32.to_radians());
    vec![
        ("perspective", seen),
        ("part of the target", View { viewport: part, ..look(seen.position, 4.0, -25.0, part) }),
        ("jittered", View { projection: shift * seen.projection, ..seen }),
        ("near", look(DVec3::new(250.0, 160.0, 330.0), -20.0, -35.0, whole)),
        ("parallel", View::with_projection(above, tilted, flat, whole)),
    ]
}

/// The most that two pictures of the same ground differ, as a part of the light, and how many pixels have any.
fn apart(a: &LitPicture, b: &LitPicture) -> (f32, usize) {
    let (mut most, mut lit) = (0f32, 0);
    for pixel in a.ground() {
        let (a, b) = (a.light(pixel), b.light(pixel));
        most = most.max(((a - b).abs() / (a.abs().max(b.abs()) + 1e-3)).max_element());
        lit += usize::from(b.max_element() > 0.0);
    }
    (most, lit)
}

#[test]
fn clusters_leave_out_no_lamp() {
    let gpu = shared();
    let mut stage = LitStage::new(&gpu, hills(257, 257), TerrainSettings::default(), SIZE);
    let grids = [ClusterGrid::default(), ClusterGrid { columns: 7, rows: 5, slices: 40 }];
    for (name, view) in views(&stage) {
        let all = stage.draw(&view, &Lighting { grid: ONE, ..dark(many(200)) }, Planes::Luminance);
        for grid in grids {
            let clustered = stage.draw(&view, &Lighting { grid, ..dark(many(200)) }, Planes::Luminance);
            let (most, lit) = apart(&clustered, &all);
            println!("{name}, {grid:?}: {lit} pixels of {} are lit, off by {most:e}", all.ground().count());
            assert!(most < 1e-5 && lit > 500, "{name}: off by {most}, {lit} pixels are lit");
        }
    }
}

/// The sum of all lamps in 64 bits, lamps that no view culled among them.
#[test]
fn lamps_add_up() {
    let gpu = shared();
    let mut stage = LitStage::new(&gpu, hills(257, 257), TerrainSettings::default(), SIZE);
    let lamps = many(200);
    let view = views(&stage)[0].1;
    let planes = stage.draw(&view, &dark(Vec::new()), Planes::Split);
    let picture = stage.draw(&view, &dark(lamps.clone()), Planes::Luminance);
    let mut worst = 0f64;
    for pixel in picture.ground().step_by(5) {
        let (relative, toward_eye) = placed(&view, pixel, picture.depth[pixel]);
        let vector = |plane: &[[f32; 4]]| Vec3::from_slice(&plane[pixel][..3]).as_dvec3();
        let (normal, albedo) = (vector(&planes.normal), vector(&planes.albedo));
        let roughness = planes.normal[pixel][3].into();
        let place = Place { relative, normal, relief: normal, toward_eye, albedo, roughness, occlusion: 1.0 };
        let expected: DVec3 = lamps.iter().map(|lamp| place.of_lamp(lamp, view.position)).sum();
        let metres = known_to(&view, relative);
        let slack: DVec3 = lamps.iter().map(|lamp| place.lamp_slack(lamp, view.position, metres)).sum();
        let drawn = picture.light(pixel).as_dvec3();
        let error = (((drawn - expected).abs() - slack).max(DVec3::ZERO) / (expected + 0.1)).max_element();
        assert!(error < 0.01, "{drawn}, not {expected}, at pixel {pixel}");
        worst = worst.max(error);
    }
    println!("200 lamps: off by {:.4} %", 100.0 * worst);
}

/// Deeper than lamps are listed for there are none, and nearer all of them.
#[test]
fn lamps_end_where_their_list_does() {
    let gpu = shared();
    let mut stage = LitStage::new(&gpu, hills(257, 257), TerrainSettings::default(), SIZE);
    let view = views(&stage)[0].1;
    let far = 230.0;
    let all = stage.draw(&view, &dark(many(200)), Planes::Luminance);
    let short = stage.draw(&view, &Lighting { far, ..dark(many(200)) }, Planes::Luminance);
    let ahead = view.rotation.as_dquat() * DVec3::NEG_Z;
    let mut counts = [0; 2];
    for pixel in all.ground() {
        let depth = placed(&view, pixel, all.depth[pixel]).0.dot(ahead);
        if (depth - far).abs() < 0.01 || all.light(pixel) == Vec3::ZERO {
            continue;
        }
        let expected = if depth < far { all.light(pixel) } else { Vec3::ZERO };
        assert!((short.light(pixel) - expected).abs().max_element() <= 1e-5 * expected.max_element());
        counts[usize::from(depth < far)] += 1;
    }
    assert!(counts.iter().all(|&count| count > 300), "{counts:?} pixels beyond and before");
}

/// A spot is a point lamp inside its inner angle, nothing outside its outer one, and between them it fades.
#[test]
fn a_spot_keeps_to_its_cone() {
    let gpu = shared();
    let field = Field::new(FieldDesc::new(129, 129).with_range(0.0, 10.0)).unwrap();
    let mut stage = LitStage::new(&gpu, field, TerrainSettings::default(), SIZE);
    let flat = directx::orthographic(-48.0, 48.0, -27.0, 27.0, 400.0, 1.0);
    let above = DVec3::new(64.0, 200.0, 64.0);
    let view = View::with_projection(above, View::looking(0.0, -90f32.to_radians()), flat, stage.viewport());
    let position = DVec3::new(64.0, 30.0, 64.0);
    let point = Lamp { position, intensity: Vec3::splat(1e4), range: 100.0, cone: None };
    let spot = |toward, inner, outer| Lamp { cone: Some(Cone { toward, inner, outer }), ..point };
    let mut draw = |lamp: Lamp| stage.draw(&view, &dark(vec![lamp]), Planes::Luminance);
    let whole = draw(point);
    for toward in [Vec3::NEG_Y * 3.0, Vec3::new(0.4, -1.0, -0.2)] {
        let (inner, outer) = (0.25, 0.5);
        let lit = draw(spot(toward, inner, outer));
        let mut counts = [0; 3];
        for pixel in lit.ground() {
            let away = view.position + placed(&view, pixel, lit.depth[pixel]).0 - position;
            let angle = away.as_vec3().angle_between(toward);
            let part = lit.light(pixel).x / whole.light(pixel).x;
            let zone = if angle < inner - 0.005 { 0 } else { 1 + usize::from(angle > outer + 0.005) };
            counts[zone] += 1;
            let cosines = (inner.cos() - outer.cos(), angle.cos() - outer.cos());
            let between = (cosines.1 / cosines.0).clamp(0.0, 1.0).powi(2);
            assert!((part - between).abs() < 0.005, "{part}, not {between}, {angle} from the axis");
            assert!(zone != 0 || part > 0.99 && part < 1.01);
            assert!(zone != 2 || part == 0.0, "{part} outside the cone");
        }
        println!("{counts:?} pixels inside, between and outside");
        assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
    }
    // What shines away from the ground, and what lies under it, gives nothing.
    for nothing in [spot(Vec3::Y, 0.5, 1.2), Lamp { position: DVec3::new(64.0, -3.0, 64.0), ..point }] {
        let lit = draw(nothing);
        assert!(lit.ground().count() > 10_000 && lit.ground().all(|pixel| lit.light(pixel) == Vec3::ZERO));
    }
    // A lamp behind the camera lights what the camera sees.
    let behind = draw(Lamp { position: DVec3::new(64.0, 230.0, 64.0), range: 500.0, ..point });
    assert!(behind.ground().all(|pixel| behind.light(pixel).x > 1e-3), "{:?}", behind.luminance[0]);
}
