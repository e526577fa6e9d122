//! Clusters against every lamp at every place, through every kind of projection.

use super::*;
use crate::light::Cone;
use crate::plan::Viewport;
use glam::camera::rh::proj::directx;
use glam::{DVec3, Mat4};

/// Numbers from 0 to 1, always the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as f64 / (1u64 << 31) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.roll()
    }

    fn direction(&mut self) -> DVec3 {
        let turn = self.between(0.0, std::f64::consts::TAU);
        let up = self.between(-1.0, 1.0);
        let out = (1.0 - up * up).sqrt();
        DVec3::new(out * turn.cos(), up, out * turn.sin())
    }
}

const VIEWPORT: Viewport = Viewport { x: 64.0, y: 32.0, width: 1280.0, height: 720.0 };

fn upright(projection: Mat4) -> View {
    let position = DVec3::new(1234.5, 80.0, -987.6);
    View::with_projection(position, View::looking(0.7, -0.3), projection, VIEWPORT)
}

/// A view of each kind, and how deep its lamps are.
fn views() -> Vec<(&'static str, View, f64)> {
    let infinite = directx::perspective_infinite_reverse(1.1, VIEWPORT.aspect(), 0.05);
    let finite = directx::perspective(0.9, VIEWPORT.aspect(), 150.0, 0.5);
    let flat = directx::orthographic(-60.0, 40.0, -30.0, 30.0, 300.0, -20.0);
    // A near plane that is not across the axis, as for a mirror of water.
    let mut oblique = flat;
    oblique.x_axis.z += 5e-4;
    let mut off_centre = infinite;
    off_centre.z_axis.x += 0.4;
    off_centre.z_axis.y -= 0.25;
    let mirror = Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0));
    let down = Mat4::from_scale(Vec3::new(1.0, -1.0, 1.0));
    let rolled = Mat4::from_rotation_z(0.4);
    let orbit = directx::perspective_infinite_reverse(0.002, VIEWPORT.aspect(), 100.0);
    let orbit = View {
        position: DVec3::new(3e5, 5e5, -2e5),
        rotation: View::looking(0.3, -std::f32::consts::FRAC_PI_2),
        ..upright(orbit)
    };
    vec![
        ("infinite", upright(infinite), 400.0),
        ("finite", upright(finite), 400.0),
        ("off-centre", upright(off_centre), 400.0),
        ("mirrored", upright(mirror * infinite), 400.0),
        ("rolled", upright(rolled * infinite), 400.0),
        ("orthographic", upright(flat), 400.0),
        ("oblique", upright(oblique), 400.0),
        ("pointing down", View { flip_y: false, ..upright(down * off_centre) }, 400.0),
        ("upside down", View { flip_y: false, ..upright(flat) }, 400.0),
        ("from orbit", orbit, 6e5),
    ]
}

/// The place, in the world, that the view shows at this part of its width and height and at this depth.
fn place(view: &View, x: f64, y: f64, depth: f64) -> DVec3 {
    let inverse = view.unjittered.as_dmat4().inverse();
    let on_ray = |z: f64| inverse * glam::DVec4::new(2.0 * x - 1.0, 2.0 * y - 1.0, z, 1.0);
    let (a, b) = (on_ray(1.0), on_ray(0.5));
    let (a, b) = (a.truncate() / a.w, b.truncate() / b.w);
    let along = (-depth - a.z) / (b.z - a.z);
    view.position + view.rotation.as_dquat() * (a + (b - a) * along)
}

/// Lamps about what the view sees, of unlike sizes, some of them behind it or around it.
fn lamps(view: &View, far: f64, count: usize, seed: u64) -> Vec<Lamp> {
    let mut dice = Dice(seed);
    let orbit = far > 1e5;
    (0..count)
        .map(|number| {
            let depth = if orbit {
                dice.between(0.9, 1.05) * 5e5
            } else {
                dice.between(-0.02, 1.1) * far * dice.roll()
            };
            let (x, y) = (dice.between(-0.3, 1.3), dice.between(-0.3, 1.3));
            let range = if orbit { dice.between(20.0, 500.0) } else { dice.between(1.0, 40.0) };
            let toward = dice.direction().as_vec3() * 2.0;
            let outer = dice.between(0.05, std::f64::consts::PI) as f32;
            let cone = Cone { toward, inner: outer * dice.roll() as f32, outer };
            Lamp {
                position: place(view, x, y, depth),
                // Each its own, so that a record can be told.
                intensity: Vec3::new(number as f32 + 1.0, 1.0, 1.0),
                range: range as f32,
                cone: (number % 2 == 1).then_some(cone),
            }
        })
        .collect()
}

fn lists(clusters: &Clusters, cell: usize, lamp: &Lamp) -> bool {
    let record = |&number: &u32| clusters.records()[number as usize].intensity == lamp.intensity.to_array();
    clusters.lamps_of(cell).iter().any(record)
}

/// A depth where lamps of [`lamps`] are.
fn lit_depth(view: &View, far: f64, dice: &mut Dice) -> f64 {
    let far = if far > 1e5 { return dice.between(0.9, 1.05) * 5e5 } else { far };
    let near = if view.is_orthographic() { -19.0 } else { 0.06 };
    near + (far - near) * dice.roll() * dice.roll()
}

#[test]
fn every_lamp_that_lights_a_place_is_listed_there() {
    for (name, view, far) in views() {
        let lamps = lamps(&view, far, 300, 7);
        let mut clusters = Clusters::new(ClusterGrid::default());
        clusters.build(&view, far, &lamps).unwrap();
        let mut dice = Dice(11);
        let (mut seen, mut lit) = (0, 0);
        for number in 0..6000 {
            // Half of them anywhere in the view, half of them near a lamp.
            let lamp = &lamps[number / 20];
            let depth = lit_depth(&view, far, &mut dice);
            let anywhere = place(&view, dice.roll(), dice.roll(), depth);
            let near = lamp.position + dice.direction() * (f64::from(lamp.range) * dice.roll().cbrt());
            let at = if number % 2 == 0 { anywhere } else { near };
            let Some(cell) = clusters.cell_of((at - view.position).as_vec3()) else { continue };
            seen += 1;
            for lamp in lamps.iter().filter(|lamp| lamp.illuminance(at).x > 0.0) {
                lit += 1;
                assert!(
                    lists(&clusters, cell, lamp),
                    "{name}: {lamp:?} lights {at} in cell {cell} of {clusters:?}"
                );
            }
        }
        assert!(seen > 1500 && lit > 500, "{name}: {seen} places are seen and {lit} times lit");
    }
}

#[test]
fn a_lamp_is_listed_where_a_jittered_pixel_shows_it() {
    for (name, view, far) in views() {
        let lamps = lamps(&view, far, 200, 3);
        let mut clusters = Clusters::new(ClusterGrid::default());
        clusters.build(&view, far, &lamps).unwrap();
        let mut dice = Dice(5);
        for number in 0..4000 {
            let lamp = &lamps[number / 20];
            let at = lamp.position + dice.direction() * f64::from(lamp.range) * dice.roll().cbrt();
            let place = view.rotation.inverse() * (at - view.position).as_vec3();
            let clip = view.unjittered * place.extend(1.0);
            if !(clip.w > 0.0 && (0.0..=clip.w).contains(&clip.z)) {
                continue;
            }
            let ndc = Vec2::new(clip.x, clip.y) / clip.w;
            let down = Vec2::new(ndc.x, if view.flip_y { -ndc.y } else { ndc.y });
            let jitter = Vec2::new(dice.between(-0.9, 0.9) as f32, dice.between(-0.9, 0.9) as f32);
            let size = Vec2::new(VIEWPORT.width, VIEWPORT.height);
            let pixel = Vec2::new(VIEWPORT.x, VIEWPORT.y) + (down * 0.5 + 0.5) * size + jitter;
            let Some(cell) = clusters.cell_at(pixel, -place.z) else { continue };
            let missed = lamp.illuminance(at).x > 0.0 && !lists(&clusters, cell, lamp);
            assert!(!missed, "{name}: {lamp:?} lights {at} at {pixel}");
        }
    }
}

/// Which lamps light any of a fine lattice of places in a cell: at most those that reach it. A flag a cell and a lamp.
fn lit(clusters: &Clusters, view: &View, lamps: &[Lamp]) -> Vec<bool> {
    const FINE: u32 = 8;
    let constants = clusters.constants();
    let mut lit = vec![false; clusters.grid.cells() as usize * lamps.len()];
    let part = |count: u32, step: u32| (f64::from(step) + 0.5) / f64::from(count * FINE);
    let begin = if view.is_orthographic() { -20.0 } else { 0.0 };
    let ratio = f64::from(constants.far / constants.near).powf(1.0 / f64::from(constants.slices));
    let edge =
        |slice: u32| if slice == 0 { begin } else { f64::from(constants.near) * ratio.powf(slice.into()) };
    for step in 0..constants.slices * FINE {
        let slice = step / FINE;
        let depth = edge(slice) + (edge(slice + 1) - edge(slice)) * part(1, step % FINE);
        let across = (0..constants.columns * FINE).map(|step| part(constants.columns, step));
        for x in across {
            for y in (0..constants.rows * FINE).map(|step| part(constants.rows, step)) {
                let at = place(view, x, y, depth);
                let Some(cell) = clusters.cell_of((at - view.position).as_vec3()) else { continue };
                for (flag, lamp) in lit[cell * lamps.len()..].iter_mut().zip(lamps) {
                    *flag |= lamp.illuminance(at).x > 0.0;
                }
            }
        }
    }
    lit
}

#[test]
fn cells_list_few_lamps_that_do_not_reach_them() {
    let grid = ClusterGrid { columns: 8, rows: 6, slices: 12 };
    // The first slice of an oblique view has no beginning, and from orbit the lattice is too coarse for lamps.
    let tight = |(name, ..): &(&str, View, f64)| !["oblique", "from orbit"].contains(name);
    for (name, view, far) in views().into_iter().filter(tight) {
        for spots in [false, true] {
            let mut lamps = lamps(&view, far, 80, 23);
            lamps.retain(|lamp| lamp.cone.is_some() == spots);
            let mut clusters = Clusters::new(grid);
            clusters.build(&view, far, &lamps).unwrap();
            let least = lit(&clusters, &view, &lamps).into_iter().filter(|&lit| lit).count();
            let listed: usize = (0..grid.cells() as usize).map(|cell| clusters.lamps_of(cell).len()).sum();
            let ratio = listed as f64 / least as f64;
            assert!((1.0..1.5).contains(&ratio), "{name}, spots {spots}: {listed} listed, {least} reach");
        }
    }
}

#[test]
fn the_lists_are_as_the_shader_reads_them() {
    let (_, view, far) = views()[0];
    let lamps = lamps(&view, far, 500, 17);
    let mut clusters = Clusters::new(ClusterGrid::default());
    clusters.build(&view, far, &lamps).unwrap();
    let (words, records) = (clusters.words(), clusters.records());
    let mut next = 2 * 16 * 9 * 24;
    for header in words[..next].chunks(2) {
        assert_eq!(header[0] as usize, next, "lists lie one after another");
        next += header[1] as usize;
        let list = &words[header[0] as usize..next];
        assert!(list.is_sorted_by(|a, b| a < b) && list.iter().all(|&lamp| (lamp as usize) < records.len()));
    }
    assert_eq!(next, words.len());
    assert!(records.is_sorted_by(|a, b| a.intensity[0] < b.intensity[0]), "lamps keep their order");
    let constants = clusters.constants();
    assert_eq!((constants.columns, constants.rows, constants.slices), (16, 9, 24));
    assert_eq!(constants.lamps as usize, records.len());
    assert_eq!((constants.slice(0.01), constants.slice(-5.0), constants.slice(1e6)), (0, 0, 23));
    assert_eq!((constants.slice(far / 1.01), constants.slice(0.101)), (23, 0));
}

#[test]
fn a_steady_frame_allocates_nothing() {
    let (_, view, far) = views()[0];
    let lamps = lamps(&view, far, 500, 17);
    let mut clusters = Clusters::new(ClusterGrid::default());
    clusters.build(&view, far, &lamps).unwrap();
    let held = |clusters: &Clusters| {
        let Clusters { records, words, runs, .. } = clusters;
        (records.capacity(), words.capacity(), runs.capacity(), words.as_ptr())
    };
    let (before, words) = (held(&clusters), clusters.words().to_vec());
    clusters.build(&view, far, &lamps[..200]).unwrap();
    assert!(clusters.words().len() < words.len());
    clusters.build(&view, far, &lamps).unwrap();
    assert_eq!(held(&clusters), before);
    assert_eq!(clusters.words(), words, "the same lamps give the same lists");
}

#[test]
fn lamps_follow_a_camera_whose_projection_changes() {
    let mut clusters = Clusters::new(ClusterGrid::default());
    for (name, view, far) in views() {
        let lamps = lamps(&view, far, 100, 29);
        clusters.build(&view, far, &lamps).unwrap();
        let mut fresh = Clusters::new(ClusterGrid::default());
        fresh.build(&view, far, &lamps).unwrap();
        assert_eq!((clusters.words(), clusters.constants()), (fresh.words(), fresh.constants()), "{name}");
    }
}

#[test]
fn a_lamp_around_the_camera_is_in_every_near_cell_and_one_behind_in_none() {
    let lamp = |view: &View, forward: f64, range: f32| {
        let ahead = view.rotation.as_dquat() * DVec3::NEG_Z;
        Lamp { position: view.position + ahead * forward, intensity: Vec3::ONE, range, cone: None }
    };
    let (_, view, far) = views()[0];
    let mut clusters = Clusters::new(ClusterGrid::default());
    clusters
        .build(&view, far, &[lamp(&view, 0.1, 30.0), lamp(&view, -20.0, 19.0), lamp(&view, 900.0, 50.0)])
        .unwrap();
    assert_eq!(clusters.records().len(), 1);
    assert!((0..16 * 9).all(|cell| clusters.lamps_of(cell) == [0]));

    clusters.build(&view, far, &[]).unwrap();
    assert_eq!((clusters.records().len(), clusters.words().len()), (0, 2 * 16 * 9 * 24));
    let dark = Lamp { intensity: Vec3::ZERO, ..lamp(&view, 5.0, 30.0) };
    clusters.build(&view, far, &[dark]).unwrap();
    assert!(clusters.records().is_empty(), "a lamp without light costs nothing");
}

#[test]
fn a_view_that_begins_beyond_its_lamps_sees_none() {
    let (_, view, far) = views().pop().unwrap();
    let lamps = lamps(&view, far, 50, 3);
    let mut clusters = Clusters::new(ClusterGrid::default());
    clusters.build(&view, 90.0, &lamps).unwrap();
    assert!(clusters.records().is_empty() && clusters.constants().near <= 45.0);
}

#[test]
fn before_the_first_build_there_is_nothing() {
    let clusters = Clusters::new(ClusterGrid { columns: 0, rows: u32::MAX, slices: u32::MAX });
    assert_eq!((clusters.cell_of(Vec3::NEG_Z), clusters.cell_at(Vec2::ONE, 1.0)), (None, None));
    assert!(clusters.words().is_empty() && clusters.lamps_of(0).is_empty());
    assert_eq!(clusters.constants().lamps, 0);
    assert!(format!("{clusters:?}").contains("listed: 0"));
}

#[test]
fn what_cannot_be_listed_is_refused_and_changes_nothing() {
    let (_, view, far) = views()[0];
    let lamps = lamps(&view, far, 20, 3);
    let mut clusters = Clusters::new(ClusterGrid::default());
    clusters.build(&view, far, &lamps).unwrap();
    let words = clusters.words().to_vec();
    let mut wrong = lamps.clone();
    wrong[3].range = f32::NAN;
    let nowhere = View { position: DVec3::NAN, ..view };
    let many = vec![lamps[0]; MOST_LAMPS + 1];
    for (view, far, lamps, says) in [
        (&view, far, &wrong, "lamps: number 3: a range of NaN m"),
        (&view, far, &many, "65537 in one view"),
        (&view, f64::NAN, &lamps, "use 1 to 1e9"),
        (&view, 0.0, &lamps, "use 1 to 1e9"),
        (&nowhere, far, &lamps, "must be finite"),
    ] {
        let text = clusters.build(view, far, lamps).unwrap_err().to_string();
        assert!(text.contains(says), "{text}");
        assert_eq!(clusters.words(), words);
    }
    for (columns, slices) in [(0, 4), (300, 400), (u32::MAX, u32::MAX)] {
        let text =
            Clusters::new(ClusterGrid { columns, rows: 9, slices }).build(&view, far, &lamps).unwrap_err();
        assert!(text.to_string().contains("16 × 9 × 24"), "{text}");
    }
    Clusters::new(ClusterGrid { columns: 1, rows: 1, slices: 1 }).build(&view, far, &lamps).unwrap();
    Clusters::new(ClusterGrid { columns: 32, rows: 32, slices: 32 }).build(&view, far, &lamps).unwrap();
}

/// Whatever lights what the view sees is kept for the device, in its order, and most of the rest is not.
#[test]
fn the_device_is_given_what_reaches_the_view() {
    for (name, view, far) in views() {
        let lamps = lamps(&view, far, 400, 13);
        let mut kept = ViewLamps::new(ClusterGrid::default());
        assert_eq!((kept.constants().lamps, kept.for_device(8)), (0, None));
        kept.build(&view, far, &lamps).unwrap();
        let held = kept.records.capacity();
        let mut dice = Dice(5);
        for lamp in &lamps {
            let is_kept = kept.records().iter().any(|record| record.intensity == lamp.intensity.to_array());
            let lights = (0..200).any(|_| {
                let at = lamp.position + dice.direction() * f64::from(lamp.range) * dice.roll().cbrt();
                let place = view.rotation.inverse() * (at - view.position).as_vec3();
                let clip = view.unjittered * place.extend(1.0);
                let inside = clip.truncate().abs().cmple(Vec3::splat(clip.w)).all() && clip.z >= 0.0;
                clip.w > 0.0 && inside && f64::from(-place.z) <= far && lamp.illuminance(at) != Vec3::ZERO
            });
            assert!(is_kept || !lights, "{name}: {lamp:?} is left out");
        }
        assert!(kept.records().is_sorted_by(|a, b| a.intensity[0] < b.intensity[0]), "they keep their order");
        let mut listed = Clusters::new(ClusterGrid::default());
        listed.build(&view, far, &lamps).unwrap();
        let (kept_lamps, listed) = (kept.records().len(), listed.records().len());
        assert!(kept_lamps * 10 <= listed * 13, "{name}: {kept_lamps} are kept, {listed} are in cells");
        let constants = kept.for_device(8).unwrap();
        assert_eq!((constants.grid[3] as usize, constants.room), (kept_lamps, [2 * 16 * 9 * 24, 8, 0, 0]));
        assert!(constants.seen.iter().all(|number| number.is_finite()), "{name}: {:?}", constants.seen);
        kept.build(&view, far, &lamps[..100]).unwrap();
        kept.build(&view, far, &lamps).unwrap();
        assert_eq!(kept.records.capacity(), held, "frames like each other allocate nothing");
    }
}
