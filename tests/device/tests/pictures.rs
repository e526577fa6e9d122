//! Pictures, held against ones that somebody looked at.

use glam::DVec3;
use landform::plan::{TerrainSettings, ViewMode};
use landform_device_tests::{Stage, hills};
use landform_harness::{Limit, golden, shared};

#[test]
fn hills_in_every_mode() {
    let gpu = shared();
    let mut stage = Stage::new(&gpu, hills(513, 513), TerrainSettings::default(), 640, 360);
    stage.sky = true;
    for mode in ViewMode::ALL {
        let mut view = stage.view(DVec3::new(330.0, 190.0, 960.0), 18.0, -12.0);
        view.preview.mode = mode;
        let picture = stage.draw(&view);
        golden(&format!("hills-{}", mode.name()), &picture, Limit { tolerance: 4, fraction: 0.995 });
    }
}
