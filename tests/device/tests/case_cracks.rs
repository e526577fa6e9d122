//! No crack on high relief: a ridge along borders of tiles and nodes, and mountains five times as high as they are, from
//! random and grazing poses and along a flight.

use glam::{DVec2, DVec3};
use landform::field::Field;
use landform::import::ImportOptions;
use landform::lod::{GridSize, LodGeometry, LodSettings};
use landform::plan::TerrainSettings;
use landform::query::height_at;
use landform_device_tests::{Dropped, Stage, look_level, magenta_below_ground, noise, random, shared_field};
use landform_harness::shared;

const SIZE: [u32; 2] = [320, 180];

/// What is tested, and how high a camera flies over it.
fn maps() -> Vec<(&'static str, Field)> {
    let mut maps = vec![("noise", noise(513, 513, 64)), ("ridge", ridge())];
    let ridge = ImportOptions::default().with_range(0.0, 400.0).with_tile_samples(128);
    maps.extend(
        shared_field("synth/ridge_on_border_513_u16.png", &ridge).map(|field| ("ridge_on_border", field)),
    );
    // 600 m of relief are what the map is meant for.
    let panda =
        ImportOptions::default().with_spacing(2.0, 2.0).with_range(0.0, 5.0 * 600.0).with_tile_samples(128);
    let path = "heights/panda3d_heightfield_1024_u16.png";
    maps.extend(shared_field(path, &panda).map(|field| ("panda, five times as high", field)));
    maps
}

/// Walls of one sample along the borders of tiles and of nodes, which are never in the same place.
fn ridge() -> Field {
    let mut field =
        Field::new(landform::field::FieldDesc::new(513, 513).with_tile_samples(128).with_range(0.0, 300.0))
            .unwrap();
    field.edit(field.desc().rect(), |z, row| {
        for (x, code) in row.iter_mut().enumerate() {
            let on = |at: u32| at.is_multiple_of(127) || at.is_multiple_of(128) || at % 127 == 126;
            *code = if on(x as u32) || on(z) { 60000 } else { 0 };
        }
    });
    field
}

/// The least legal ranges: as many changes of level in view as there can be.
fn settings(field: &Field, grid: GridSize) -> TerrainSettings {
    let ratio = 0.7;
    let near = LodGeometry::new(field.desc(), grid).minimum_near(ratio);
    TerrainSettings { grid, lod: LodSettings::Near { near, ratio, bias: 0.0 }, ..TerrainSettings::default() }
}

/// Above every ground within a metre.
fn above(field: &Field, place: DVec2, metres: f64) -> DVec3 {
    let around = [(0.0, 0.0), (1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)];
    let ground = around.into_iter().filter_map(|by| height_at(field, place + DVec2::from(by)));
    DVec3::new(place.x, ground.fold(f64::MIN, f64::max) + metres, place.y)
}

/// Poses a map and grid: 500 a map.
const POSES: u32 = 250;

#[test]
fn random_and_grazing_poses_show_no_crack() {
    let gpu = shared();
    let mut dropped = Dropped::default();
    for (name, field) in maps() {
        let (desc, mut ground) = (*field.desc(), 0);
        let size = DVec2::new(desc.quads_x().into(), desc.quads_z().into()) * desc.spacing;
        for grid in [GridSize::G16, GridSize::G32] {
            let mut stage = Stage::new(&gpu, field.clone(), settings(&field, grid), SIZE[0], SIZE[1]);
            let mut next = random(grid.quads());
            let mut unit = move || f64::from(next()) / f64::from(u32::MAX);
            for pose in 0..POSES {
                let place = DVec2::new(0.02 + 0.96 * unit(), 0.02 + 0.96 * unit()) * size;
                let (up, lowered) = match pose % 2 {
                    0 => (0.3 + 3.0 * unit(), 0.2 * unit()),
                    _ => (desc.range.extent() * unit(), 2.0 * unit()),
                };
                let eye = above(stage.terrain.field(), place, up);
                let view = look_level(eye, 360.0 * unit() as f32, lowered as f32, stage.viewport());
                let picture = stage.draw(&view);
                dropped.judge(&format!("{name}, {grid:?}, pose {pose}"), &mut stage, &view, &picture);
                ground += picture.pixels().filter(|&pixel| pixel != [255, 0, 255, 255]).count();
            }
        }
        println!("{name}: {ground} pixels of ground in {} poses", 2 * POSES);
        assert!(ground > POSES as usize * (SIZE[0] * SIZE[1]) as usize / 4);
    }
    dropped.assert_rare(&gpu);
}

/// 20 s at 200 m/s in wide circles, low over the ground, sampled: levels come and go under way.
#[test]
fn a_flight_shows_no_crack() {
    let gpu = shared();
    let mut dropped = Dropped::default();
    for (name, field) in maps() {
        let desc = *field.desc();
        let size = DVec2::new(desc.quads_x().into(), desc.quads_z().into()) * desc.spacing;
        let mut stage = Stage::new(&gpu, field, TerrainSettings::default(), SIZE[0], SIZE[1]);
        const STEPS: u32 = 200;
        for step in 0..STEPS {
            let seconds = 20.0 * f64::from(step) / f64::from(STEPS);
            // A circle within the map: 200 m a second along its arc.
            let radius = 0.4 * size.min_element();
            let angle = 200.0 * seconds / radius;
            let place = size / 2.0 + radius * DVec2::new(angle.cos(), angle.sin());
            let eye = above(stage.terrain.field(), place, 2.0 + 0.02 * desc.range.extent());
            // Forward along the circle: clockwise seen from above, from due south on.
            let mut view = look_level(eye, 180.0 + angle.to_degrees() as f32, 0.3, stage.viewport());
            view.cut = step == 0;
            stage.terrain.begin_frame(20.0 / f64::from(STEPS));
            let plan = stage.terrain.plan(&[view], stage.renderer.residency()).expect("a plan");
            stage.play(&plan);
            let picture = stage.offscreen.read_color().expect("a picture");
            dropped.judge(&format!("{name}, {seconds:.2} s"), &mut stage, &view, &picture);
        }
    }
    dropped.assert_rare(&gpu);
}

/// The check is not blind: with a morph band that ends too late, levels meet with different morphs and it says so.
#[test]
fn a_band_that_ends_late_would_be_found() {
    let gpu = shared();
    let field = noise(513, 513, 64);
    let mut stage = Stage::new(&gpu, field.clone(), settings(&field, GridSize::G16), SIZE[0], SIZE[1]);
    let mut found = 0;
    for pose in 0..10 {
        let eye = above(&field, DVec2::new(250.3, 260.7), 60.0);
        let view = look_level(eye, 36.0 * pose as f32, 1.2, stage.viewport());
        stage.terrain.begin_frame(0.0);
        let mut plan = stage.terrain.plan(&[view], stage.renderer.residency()).expect("a plan");
        for band in &mut plan.views[0].constants.bands {
            band.end *= 2.0;
            band.inverse = 1.0 / (band.end - band.start).max(1.0);
        }
        stage.play(&plan);
        found += magenta_below_ground(&stage.offscreen.read_color().expect("a picture")).len();
    }
    println!("{found} pixels of cracks with a late band");
    assert!(found > 20, "only {found} pixels");
}
