//! Pictures, held against ones that somebody looked at.

use glam::{DVec2, DVec3};
use landform::plan::{TerrainSettings, View, ViewMode};
use landform_device_tests::{Stage, hills};
use landform_harness::{Gpu, GpuOptions, Limit, golden, shared};
use std::sync::Arc;

fn stage(gpu: &Arc<Gpu>) -> Stage {
    let mut stage = Stage::new(gpu, hills(513, 513), TerrainSettings::default(), 640, 360);
    stage.sky = true;
    stage
}

fn camera(stage: &Stage, mode: ViewMode) -> View {
    let mut view = stage.view(DVec3::new(330.0, 190.0, 960.0), 18.0, -12.0);
    view.preview.mode = mode;
    view
}

fn hold(stage: &mut Stage, mode: ViewMode) {
    let view = camera(stage, mode);
    let picture = stage.draw(&view);
    // A line less than a pixel wide is where a device rounds it to.
    let limit = match mode {
        ViewMode::Lattice => Limit { tolerance: 32, fraction: 0.97 },
        _ => Limit { tolerance: 4, fraction: 0.995 },
    };
    golden(&format!("hills-{}", mode.name()), &picture, limit);
}

#[test]
fn hills_in_every_mode() {
    let gpu = shared();
    let mut stage = stage(&gpu);
    for mode in ViewMode::ALL.into_iter().filter(|mode| *mode != ViewMode::Lattice) {
        hold(&mut stage, mode);
    }
}

/// Which pixels a line covers is for each driver to decide; where wireframes are not to be had the shader draws the lines
/// itself, on every driver alike.
#[test]
fn hills_as_a_lattice() {
    let gpu = Gpu::new(GpuOptions { optional_features: false, ..GpuOptions::default() }).unwrap();
    hold(&mut stage(&gpu), ViewMode::Lattice);
    gpu.assert_silent();
}

/// A device's own wireframe lies on the ground, and has ground on both sides of its lines left out.
#[test]
fn a_wireframe_is_lines_on_the_ground() {
    let gpu = shared();
    if !gpu.features().fill_mode_non_solid {
        return;
    }
    let mut stage = stage(&gpu);
    stage.sky = false;
    // Close to the ground, where a quad is many pixels wide.
    let place = DVec2::new(330.0, 960.0);
    let height = landform::query::height_at(stage.terrain.field(), place).unwrap() + 12.0;
    let shaded = stage.view(DVec3::new(place.x, height, place.y), 18.0, -12.0);
    let mut lattice = shaded;
    lattice.preview.mode = ViewMode::Lattice;
    let (ground, lines) = (stage.draw(&shaded), stage.draw(&lattice));
    let drawn = |pixel: [u8; 4]| pixel != [255, 0, 255, 255];
    let count = |from: u32, to: u32| {
        let mut counts = [0u32; 2];
        for y in from..to {
            for x in 0..640 {
                counts[0] += u32::from(drawn(ground.pixel(x, y)));
                counts[1] += u32::from(drawn(lines.pixel(x, y)));
            }
        }
        counts
    };
    // At the lower edge there are lines, and more of what is between them.
    let [near, near_lines] = count(300, 360);
    assert!(near_lines > near / 50 && near_lines < near / 2, "{near_lines} of {near} pixels");
    // At the horizon a line may cover a pixel whose centre the ground just misses.
    let beside = (0..360).flat_map(|y| (0..640).map(move |x| (x, y)));
    let beside = beside.filter(|&(x, y)| drawn(lines.pixel(x, y)) && !drawn(ground.pixel(x, y))).count();
    assert!(beside < 640, "{beside} pixels of lines beside the ground");
}
