//! No crack on the device: under a magenta clear, no magenta pixel has ground above it.

use glam::{DVec2, DVec3};
use landform::lod::{GridSize, LodGeometry, LodSettings};
use landform::plan::{TerrainSettings, View};
use landform::query;
use landform_device_tests::{Dropped, Stage, look_level, noise, random};
use landform_harness::shared;

const SIZE: [u32; 2] = [320, 180];

/// 500 random and grazing poses, upright, above the ground and inside the map, over white noise of 0–100 m at 1 m: the
/// worst ground there is. Exact for a heightfield, but for what [`Dropped`] tells apart.
#[test]
fn five_hundred_poses_show_no_crack() {
    let gpu = shared();
    let mut dropped = Dropped::default();
    for (grid, poses, seed) in [(GridSize::G16, 200, 1), (GridSize::G32, 200, 2), (GridSize::G64, 100, 3)] {
        // The least legal ranges: as many changes of level in view as there can be.
        let geometry = LodGeometry { spacing: DVec2::ONE, grid, levels: 1 };
        let ratio = 0.7;
        let lod = LodSettings::Near { near: geometry.minimum_near(ratio), ratio, bias: 0.0 };
        let settings = TerrainSettings { grid, lod, ..TerrainSettings::default() };
        let mut stage = Stage::new(&gpu, noise(1025, 1025, 128), settings, SIZE[0], SIZE[1]);
        let mut next = random(seed);
        for pose in 0..poses {
            let view = pose_over(&stage, pose, &mut next);
            let picture = stage.draw(&view);
            dropped.judge(&format!("{grid:?}, pose {pose}"), &mut stage, &view, &picture);
        }
    }
    dropped.assert_rare(&gpu);
}

fn pose_over(stage: &Stage, pose: u32, next: &mut impl FnMut() -> u32) -> View {
    let mut unit = || f64::from(next()) / f64::from(u32::MAX);
    let (x, z) = (20.0 + 980.0 * unit(), 20.0 + 980.0 * unit());
    let ground = query::height_at(stage.terrain.field(), DVec2::new(x, z)).expect("inside the map");
    // Every other pose grazes.
    let (above, lowered) =
        if pose.is_multiple_of(2) { (2.0 * unit(), 0.1) } else { (150.0 * unit(), unit()) };
    look_level(
        DVec3::new(x, ground + above + 1.0, z),
        360.0 * unit() as f32,
        lowered as f32,
        stage.viewport(),
    )
}
