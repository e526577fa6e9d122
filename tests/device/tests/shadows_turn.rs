//! Shadows stay where they are while the camera turns and moves, on ground that is drawn as a caster and looked up place by
//! place.

use glam::{DVec2, DVec3, Vec3};
use landform::field::Field;
use landform::frame::ShadowLayout;
use landform::light::{CascadeConstants, CascadeSettings, Cascades};
use landform::plan::{CasterSettings, View, Viewport};
use landform::query::{face_normal_at, height_at};
use landform_device_tests::{CascadeAtlas, hills, look, toward_sun};
use landform_harness::shared;

const VIEWPORT: Viewport = Viewport { x: 0.0, y: 0.0, width: 320.0, height: 180.0 };

/// Places a side of the patch, and metres between them.
const PATCH: (u32, f64) = (120, 4.17);

fn settings() -> CascadeSettings {
    let layout = ShadowLayout::new(4, 1024);
    CascadeSettings { layout, distance: 800.0, split: 0.9, nearest: 20.0, depth: 1000.0 }
}

/// Hills in which a camera stands, and a patch of their ground before it that shadows are looked up on.
struct Scene {
    atlas: CascadeAtlas,
    eye: DVec3,
    sun: DVec3,
    /// Places that face the sun, with their normals.
    patch: Vec<(DVec3, DVec3)>,
}

/// The cascade that a place was found in and how much of it lies in shadow; None where no cascade holds it.
type Shade = Option<(usize, f32)>;

impl Scene {
    fn new() -> Self {
        let field = hills(1025, 1025);
        let (sun, place) = (toward_sun(35.0, 60.0), DVec2::new(1024.0, 1200.0));
        let eye = DVec3::new(place.x, height_at(&field, place).unwrap() + 20.0, place.y);
        let atlas = CascadeAtlas::new(&shared(), &field, settings().layout);
        Self { atlas, eye, sun, patch: patch(&field, place, sun) }
    }

    /// A camera turned so many degrees.
    fn turned(&self, yaw: f32) -> View {
        look(self.eye, yaw, -5.0, VIEWPORT)
    }

    /// Draws the cascades of a camera and looks the patch up.
    fn shades(&mut self, camera: &View) -> Vec<Shade> {
        let mut cascades = Cascades::new();
        cascades.fit(camera, self.sun.as_vec3(), &settings()).unwrap();
        self.atlas.draw(&cascades, camera.position, &CasterSettings::default());
        self.look_up()
    }

    fn look_up(&self) -> Vec<Shade> {
        let shade = |&(place, normal): &(DVec3, DVec3)| {
            let cascade = self.atlas.finest(place)?;
            Some((cascade, self.atlas.shade_in(cascade, place, normal)))
        };
        self.patch.iter().map(shade).collect()
    }
}

/// Places on the ground north of the camera, from 20 m behind it to half a kilometre ahead.
fn patch(field: &Field, camera: DVec2, sun: DVec3) -> Vec<(DVec3, DVec3)> {
    let (side, step) = PATCH;
    let corner = camera - step * DVec2::new(0.5, 0.96) * f64::from(side);
    let places =
        (0..side * side).map(|at| corner + step * DVec2::new((at % side).into(), (at / side).into()));
    let on_ground = places.map(|at| {
        let height = height_at(field, at).unwrap();
        (DVec3::new(at.x, height, at.y), face_normal_at(field, at).unwrap())
    });
    on_ground.filter(|(_, normal)| normal.dot(sun) > 0.0).collect()
}

/// Pairs of shades of the same place, both of them in a cascade.
fn both<'s>(a: &'s [Shade], b: &'s [Shade]) -> impl Iterator<Item = ((usize, f32), (usize, f32))> + 's {
    a.iter().zip(b).filter_map(|(a, b)| Some(((*a)?, (*b)?)))
}

fn flips(a: f32, b: f32) -> bool {
    (a > 0.5) != (b > 0.5)
}

#[test]
fn turning_changes_no_shadow() {
    let mut scene = Scene::new();
    let first = scene.shades(&scene.turned(0.0));
    assert!(first.len() > 10_000 && first.iter().all(Option::is_some), "all of the patch is held");
    let dark = both(&first, &first).filter(|((_, shade), _)| *shade > 0.5).count();
    assert!(dark > 500, "{dark}");
    for step in 1..24 {
        let now = scene.shades(&scene.turned(15.0 * step as f32));
        // Bit for bit, and in the same cascades: the views are the same ones.
        assert_eq!(now, first, "{} degrees", 15 * step);
    }
    println!("{} places, {dark} in shadow: none changes in 24 steps of 15°", first.len());
}

/// An edge moves neither by less than a texel a step nor by more; where a place passes from one cascade to the next, its
/// edge is that of other texels, which is seen at a few places.
#[test]
fn moving_moves_no_edge() {
    let mut scene = Scene::new();
    for stride in [0.017, 0.9] {
        let mut last = scene.shades(&scene.turned(0.0));
        let (mut stay, mut moved, mut pass, mut passed) = (0, 0, 0, 0);
        for step in 1..12 {
            let offset = stride * f64::from(step) * DVec3::new(0.31, 0.05, -0.95);
            let camera = look(scene.eye + offset, 0.0, -5.0, VIEWPORT);
            let now = scene.shades(&camera);
            for (a, b) in both(&last, &now) {
                let (all, changed) =
                    if a.0 == b.0 { (&mut stay, &mut moved) } else { (&mut pass, &mut passed) };
                *all += 1;
                *changed += usize::from(flips(a.1, b.1));
            }
            last = now;
        }
        println!(
            "{stride} m a step: {moved} of {stay} change in their cascade, {passed} of {pass} from one to the next"
        );
        assert!(moved * 10_000 < stay, "{moved} of {stay}");
        assert!(passed * 2_000 < stay, "{passed} of {stay}");
    }
}

/// Why cascades are centred on the camera: spheres around the slices of what it sees have finer texels and hold still as
/// well, but what is dark in one of them and lit in the next changes as the slices sweep over it.
#[test]
fn slices_of_what_is_seen_would_change_shadows() {
    let mut scene = Scene::new();
    let mut first = vec![None; scene.patch.len()];
    let mut worst: f64 = 0.0;
    for step in 0..12 {
        let camera = scene.turned(30.0 * step as f32);
        let (views, constants) = slices(&camera, scene.sun.as_vec3());
        let (eye, sun) = (scene.eye, scene.sun.as_vec3());
        scene.atlas.draw_views(&views, constants, sun, eye, &CasterSettings::default());
        let now = scene.look_up();
        let changed = both(&first, &now).filter(|(a, b)| flips(a.1, b.1)).count();
        let held = both(&first, &now).count();
        if held > 1_000 {
            worst = worst.max(100.0 * changed as f64 / held as f64);
        }
        first.iter_mut().zip(now).for_each(|(first, now)| *first = first.or(now));
    }
    println!("slices: {worst:.2} % of a patch change their shadow");
    assert!(worst > 0.5, "{worst}");
}

/// Cascades around the slices of what a camera sees, each the smallest sphere that holds one, as far as the centred ones
/// reach.
fn slices(camera: &View, sun: Vec3) -> (Vec<View>, CascadeConstants) {
    let settings = settings();
    let mut centred = Cascades::new();
    centred.fit(camera, sun, &settings).unwrap();
    let axis = camera.rotation.as_dquat() * DVec3::NEG_Z;
    // Of the cone around the view's four edges.
    let half = (30f64.to_radians().tan() * f64::from(VIEWPORT.aspect()).hypot(1.0)).atan();
    let mut constants = centred.constants(camera.position);
    let (mut views, mut from) = (centred.views().to_vec(), 0.0);
    for (cascade, view) in views.iter_mut().enumerate() {
        let to = centred.reach(cascade).unwrap();
        let radius = |middle: f64| {
            let corners = [(from, 0.0), (from, half), (to, 0.0), (to, half)];
            let away = |(reach, angle): (f64, f64)| (reach * angle.cos() - middle).hypot(reach * angle.sin());
            corners.map(away).into_iter().fold(0.0, f64::max)
        };
        let middles = (0..=1000).map(|step| to * f64::from(step) / 1000.0);
        let middle = middles.min_by(|a, b| radius(*a).total_cmp(&radius(*b))).unwrap();
        let (layout, reach) = (ShadowLayout::new(1, settings.layout.tile()), radius(middle));
        let alone = CascadeSettings { layout, distance: reach, nearest: reach, ..settings };
        let mut one = Cascades::new();
        one.fit(&View { position: camera.position + axis * middle, ..*camera }, sun, &alone).unwrap();
        *view = View { viewport: view.viewport, ..one.views()[0] };
        constants.cascades[cascade] = one.constants(camera.position).cascades[0];
        from = to;
    }
    (views, constants)
}
