//! Pictures of whole frames, held against ones that somebody looked at: hours of the day, spires at noon, ridges that cast into view
//! from behind the camera and from 8 km ahead, and light that falls through a hole and through a cave.

use ash::vk;
use glam::DVec3;
use landform::field::Quad;
use landform::plan::{View, Viewport};
use landform_device_tests::{FrameStage, cave, cave_view, hills, look, of_heights, swells};
use landform_harness::{Gpu, Image8, Limit, golden, golden_flip, shared};

const SIZE: (u32, u32) = (640, 360);

/// The most mean FLIP between a driver's picture and the golden one.
const MOST_FLIP: f64 = 0.02;

/// What a CPU draws may be off by: the golden pictures were drawn by one.
const SAME_DRIVER: Limit = Limit { tolerance: 4, fraction: 0.995 };

fn view(position: DVec3, yaw: f32, pitch: f32) -> View {
    look(position, yaw, pitch, Viewport::whole(SIZE.0, SIZE.1))
}

fn hold(gpu: &Gpu, name: &str, picture: &Image8) {
    golden_flip(name, picture, MOST_FLIP);
    if gpu.kind == vk::PhysicalDeviceType::CPU {
        golden(name, picture, SAME_DRIVER);
    }
}

#[test]
fn hours_of_a_day() {
    let gpu = shared();
    let mut stage =
        FrameStage::new(&gpu, hills(1025, 1025), "(nodes: [StandardFrame(bare: true)])", SIZE.0, SIZE.1);
    for (name, elevation, azimuth) in [("dawn", 4.0, 100.0), ("morning", 12.0, 60.0), ("noon", 62.0, 170.0)] {
        stage.set_sun(elevation, azimuth);
        let picture = stage.draw(&view(DVec3::new(700.0, 260.0, 1500.0), 18.0, -14.0));
        assert_eq!(stage.compositor.preview_reason(0), None);
        hold(&gpu, &format!("frame-{name}"), &picture);
    }
    gpu.assert_silent();
}

/// Spires on a plain: at noon there is shade as well.
#[test]
fn spires_cast_at_noon() {
    let gpu = shared();
    let field = of_heights(513, 2.0, 160.0, |x, z| {
        let spire =
            |(at_x, at_z, high): (f64, f64, f64)| high * (1.0 - (x - at_x).hypot(z - at_z) / 22.0).max(0.0);
        let spires =
            [(470.0, 640.0, 80.0), (545.0, 600.0, 110.0), (600.0, 690.0, 60.0), (500.0, 520.0, 90.0)];
        swells(x, z) + spires.map(spire).into_iter().fold(0.0, f64::max)
    });
    let mut stage = FrameStage::new(&gpu, field, "(nodes: [StandardFrame(bare: true)])", SIZE.0, SIZE.1);
    stage.set_sun(55.0, 110.0);
    hold(&gpu, "frame-noon-spires", &stage.draw(&view(DVec3::new(520.0, 130.0, 800.0), 0.0, -24.0)));
    gpu.assert_silent();
}

/// A ridge 300 m behind the camera: its shadow lies over the plain that the camera sees, its gap as a tongue of light.
#[test]
fn a_ridge_behind_the_camera_casts_into_view() {
    let gpu = shared();
    let field = of_heights(1025, 4.0, 400.0, |x, z| {
        let along = (z - 3000.0).abs() / 160.0;
        let gap = ((x - 2100.0) / 130.0).powi(2).min(1.0);
        swells(x, z) + 300.0 * (1.0 - along).max(0.0) * (0.25 + 0.75 * gap)
    });
    let mut stage = FrameStage::new(&gpu, field, "(nodes: [StandardFrame(bare: true)])", SIZE.0, SIZE.1);
    stage.set_sun(16.0, 176.0);
    hold(&gpu, "frame-ridge-behind", &stage.draw(&view(DVec3::new(2050.0, 90.0, 2700.0), 0.0, -8.0)));
    gpu.assert_silent();
}

/// A ridge 8 km ahead, before the sun: its shadow reaches for the camera over the plain.
#[test]
fn a_ridge_far_ahead_casts_into_view() {
    let gpu = shared();
    let field = of_heights(1025, 16.0, 1400.0, |x, z| {
        let along = ((z - 5000.0).abs() / 900.0).min(1.0);
        let teeth = 0.7 + 0.3 * (x / 700.0).sin() + 0.12 * (x / 190.0).cos();
        2.0 * swells(x * 0.3, z * 0.3) + 1100.0 * (1.0 - along).powi(2) * teeth
    });
    let document = "(nodes: [StandardFrame(bare: true, shadow_distance: 14000)])";
    let mut stage = FrameStage::new(&gpu, field, document, SIZE.0, SIZE.1);
    stage.set_sun(9.0, 8.0);
    hold(&gpu, "frame-ridge-ahead", &stage.draw(&view(DVec3::new(8200.0, 420.0, 13000.0), 0.0, -6.0)));
    gpu.assert_silent();
}

/// A wall of ground with a hole in it: light falls through onto the plain, as through a cave's mouth.
#[test]
fn light_falls_through_a_hole() {
    let gpu = shared();
    let ridge = |z: f64| 110.0 * (1.0 - ((z - 400.0).abs() / 30.0).min(1.0));
    let mut field = of_heights(513, 2.0, 160.0, |x, z| swells(x, z) + ridge(z));
    for (x, z) in (250..272).flat_map(|x| (184..217).map(move |z| (x, z))) {
        field.set_hole(Quad::new(x, z), true);
    }
    let mut stage = FrameStage::new(&gpu, field, "(nodes: [StandardFrame(bare: true)])", SIZE.0, SIZE.1);
    stage.set_sun(28.0, 4.0);
    hold(&gpu, "frame-hole", &stage.draw(&view(DVec3::new(560.0, 90.0, 760.0), -8.0, -10.0)));
    gpu.assert_silent();
}

/// A cave through a ridge, and a low sun behind: light lies on the floor of the ridge's shade. Numbers are in `lit_holes.rs`.
#[test]
fn light_falls_through_a_cave() {
    let gpu = shared();
    let mut stage = FrameStage::new(&gpu, cave(true), "(nodes: [StandardFrame(bare: true)])", SIZE.0, SIZE.1);
    stage.set_sun(16.0, 4.0);
    hold(&gpu, "frame-cave", &stage.draw(&cave_view(Viewport::whole(SIZE.0, SIZE.1))));
    gpu.assert_silent();
}
