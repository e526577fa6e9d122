//! Pictures of a gorge with ambient occlusion, held against ones that somebody looked at.

use glam::DVec3;
use landform::field::{Field, FieldDesc};
use landform::plan::{View, Viewport};
use landform_device_tests::{FrameStage, look};
use landform_harness::{Image8, golden_flip, shared};

const SIZE: (u32, u32) = (640, 360);

/// The most mean FLIP between a driver's picture and the golden one.
const MOST_FLIP: f64 = 0.02;

/// Walls of 62 m over a floor 20 m wide, rough down to the samples, 1 m apart.
fn gorge() -> Field {
    let desc = FieldDesc::new(513, 513).with_range(0.0, 100.0);
    let height = |x: f64, z: f64| {
        let waves = |x: f64, z: f64| (x + 0.3 * (1.7 * z).sin()).sin() * (z + 0.4 * (1.3 * x).cos()).cos();
        let octaves = [(31.0, 7.0), (13.0, 3.5), (6.1, 1.6), (2.9, 0.6)];
        let rough: f64 =
            octaves.iter().map(|(wide, high)| high * (1.0 - waves(x / wide, z / wide).abs())).sum();
        let across = (x - 256.0 + 12.0 * (z / 50.0).sin()).abs();
        let wall = 62.0 * ((across - 10.0) / 45.0).clamp(0.0, 1.0).powf(0.7);
        3.0 + wall + rough * (0.3 + 0.7 * (across / 30.0).min(1.0))
    };
    let code = |index: u32| {
        let height = height(f64::from(index % 513), f64::from(index / 513));
        (height / 100.0 * 65535.0).round().clamp(0.0, 65535.0) as u16
    };
    Field::from_samples(desc, (0..513 * 513).map(code).collect()).unwrap()
}

fn view(position: DVec3, yaw: f32, pitch: f32) -> View {
    look(position, yaw, pitch, Viewport::whole(SIZE.0, SIZE.1))
}

/// Four times the contrast, in which an eye finds what does not belong.
fn strong(mut picture: Image8) -> Image8 {
    picture.data.iter_mut().for_each(|byte| *byte = 255 - (255 - *byte).min(63) * 4);
    picture
}

/// The left half of one picture beside the right half of the other.
fn beside(one: &Image8, mut other: Image8) -> Image8 {
    let width = other.width as usize;
    for (at, byte) in other.data.iter_mut().enumerate() {
        if at / 4 % width < width / 2 {
            *byte = one.data[at];
        }
    }
    other
}

/// What is seen of the sky, and the gorge without it and with it: at noon, and in its own shade.
#[test]
fn a_gorge_from_above_and_from_its_floor() {
    let gpu = shared();
    let field = gorge();
    let mut without =
        FrameStage::new(&gpu, field.clone(), "(nodes: [StandardFrame(bare: true)])", SIZE.0, SIZE.1);
    let document = "(nodes: [StandardFrame(bare: true, occlusion: true)])";
    let mut with = FrameStage::new(&gpu, field, document, SIZE.0, SIZE.1);
    for (name, view) in [
        ("above", view(DVec3::new(235.0, 140.0, 400.0), 10.0, -30.0)),
        ("inside", view(DVec3::new(250.0, 14.0, 330.0), 5.0, 2.0)),
    ] {
        for (hour, elevation, azimuth) in [("noon", 60.0, 150.0), ("shade", 12.0, 90.0)] {
            without.set_sun(elevation, azimuth);
            with.set_sun(elevation, azimuth);
            let picture = beside(&without.draw(&view), with.draw(&view));
            golden_flip(&format!("occlusion-{name}-{hour}"), &picture, MOST_FLIP);
        }
        with.compositor.show(Some("SceneOcclusion")).unwrap();
        golden_flip(&format!("occlusion-{name}"), &strong(with.draw(&view)), MOST_FLIP);
        with.compositor.show(None).unwrap();
    }
    gpu.assert_silent();
}
