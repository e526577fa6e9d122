//! Far from the origin of the world, and millimetres apart.

use glam::DVec3;
use landform::plan::{Placement, TerrainSettings, View};
use landform_device_tests::{Stage, hills};
use landform_harness::{Limit, compare_or_write, shared};

/// Terrain and camera moved together by 100 km and 1000 km select the same nodes and draw the same image.
#[test]
fn moved_together_nothing_changes() {
    let gpu = shared();
    let mut expected = None;
    for kilometres in [0.0, 100.0, 1000.0] {
        let away = DVec3::new(kilometres * 1000.0, -3.0 * kilometres, -kilometres * 1000.0);
        let settings = TerrainSettings { placement: Placement::at(away), ..TerrainSettings::default() };
        let mut stage = Stage::new(&gpu, hills(513, 513), settings, 640, 360);
        // No number that a binary fraction holds: what is subtracted far out is rounded.
        let view = stage.view(away + DVec3::new(330.123, 190.456, 960.789), 18.0, -12.0);
        let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
        stage.play(&plan);
        let (nodes, picture) = (plan.views[0].nodes.clone(), stage.offscreen.read_color().unwrap());
        let (first_nodes, first) = expected.get_or_insert((nodes.clone(), picture.clone()));
        let places = |nodes: &[landform::abi::NodeRecord]| -> Vec<_> {
            nodes.iter().map(|node| (node.origin.map(f32::to_bits), node.level())).collect()
        };
        assert_eq!(places(&nodes), places(first_nodes), "{kilometres} km out");
        compare_or_write(
            &format!("far-{kilometres}"),
            first,
            &picture,
            Limit { tolerance: 2, fraction: 0.999 },
        )
        .unwrap();
    }
}

/// A yaw turns terrain and camera alike.
#[test]
fn a_yaw_turns_the_picture_with_the_camera() {
    let gpu = shared();
    let mut still = Stage::new(&gpu, hills(257, 257), TerrainSettings::default(), 320, 180);
    let camera = DVec3::new(160.0, 190.0, 520.0);
    let expected = still.draw(&still.view(camera, 12.0, -18.0));
    drop(still);
    let placement = Placement { translation: DVec3::new(-4000.0, 0.0, 9000.0), yaw: 0.8 };
    let settings = TerrainSettings { placement, ..TerrainSettings::default() };
    let mut turned = Stage::new(&gpu, hills(257, 257), settings, 320, 180);
    let mut view = turned.view(placement.to_world(camera), 12.0 - 0.8f32.to_degrees(), -18.0);
    // The sun stays with the ground.
    view.preview.sun = placement.direction_to_world(view.preview.sun.as_dvec3()).as_vec3();
    let picture = turned.draw(&view);
    compare_or_write("yaw", &expected, &picture, Limit { tolerance: 3, fraction: 0.995 }).unwrap();
}

/// A camera that creeps by a millimetre a frame 1000 km out: the picture creeps, it does not jump to and fro. The second
/// difference of each value, which is what shaking is, stays within six of 255 shades but for a thousandth on edges.
#[test]
fn millimetre_steps_do_not_shake() {
    let gpu = shared();
    let away = DVec3::new(1.0e6, 0.0, 1.0e6);
    let settings = TerrainSettings { placement: Placement::at(away), ..TerrainSettings::default() };
    let mut stage = Stage::new(&gpu, hills(513, 513), settings, 320, 180);
    let ground = landform::query::height_at(stage.terrain.field(), glam::DVec2::new(500.0, 500.0)).unwrap();
    let at = |step: u32| away + DVec3::new(500.0 + 0.001 * f64::from(step), ground + 1.8, 500.0);
    let frames: Vec<_> = (0..8u32)
        .map(|step| {
            let view: View = stage.view(at(step), 60.0, -20.0);
            stage.draw(&view)
        })
        .collect();
    assert_ne!(frames[0], frames[7], "7 mm move nothing");
    for three in frames.windows(3) {
        let shaken = (0..three[0].data.len())
            .filter(|&i| {
                let [a, b, c] = [0, 1, 2].map(|frame| i32::from(three[frame].data[i]));
                (a - 2 * b + c).abs() > 6
            })
            .count();
        assert!(shaken * 1000 <= three[0].data.len(), "{shaken} shaken values");
    }
}
