//! A camera below the ground or inside a hill: the ground is a sheet that is seen from above only. From below one sees
//! through it, to the sky and to slopes beyond that face the camera. Nothing hangs and no pixel is other than finite.

use ash::vk;
use glam::{DVec2, DVec3};
use landform::field::{Field, FieldDesc, Quad};
use landform::lod::LodSettings;
use landform::plan::{TerrainSettings, ViewMode};
use landform::query::height_at;
use landform_device_tests::{Stage, assert_as_rays_see, hills, look, random};
use landform_harness::{OffscreenDesc, shared};

const SIZE: [u32; 2] = [96, 64];

/// Level 0 everywhere.
fn finest() -> TerrainSettings {
    let lod = LodSettings::Near { near: 1e7, ratio: 0.66, bias: 0.0 };
    TerrainSettings { lod, ..TerrainSettings::default() }
}

/// Each pixel shows ground where its ray meets the ground from above, through whatever it meets from below.
#[test]
fn from_below_one_sees_through() {
    let gpu = shared();
    let mut stage = Stage::new(&gpu, hills(513, 513), finest(), SIZE[0], SIZE[1]);
    let mut next = random(6);
    let mut unit = move || f64::from(next()) / f64::from(u32::MAX);
    let (mut ground, mut through) = (0, 0);
    for pose in 0..48 {
        let (x, z) = (1024.0 * unit(), 1024.0 * unit());
        let surface = height_at(stage.terrain.field(), DVec2::new(x, z)).unwrap();
        // Just under the turf, deep in the hill, under all of the map.
        let y = [surface - 0.3, surface * unit(), -40.0][pose % 3];
        let (yaw, pitch) = (360.0 * unit() as f32, 160.0 * unit() as f32 - 80.0);
        let view = look(DVec3::new(x, y, z), yaw, pitch, stage.viewport());
        let picture = stage.draw(&view);
        let counts = assert_as_rays_see(&format!("pose {pose}"), stage.terrain.field(), &view, &picture);
        (ground, through) = (ground + counts[0], through + counts[1]);
    }
    println!("{ground} pixels of ground beyond, {through} seen through");
    assert!(ground > 1000 && through > 1000);
    // Under level ground no slope faces the camera: there is nothing but the background.
    let level = Field::new(FieldDesc::new(257, 257).with_range(0.0, 100.0)).unwrap();
    let mut stage = Stage::new(&gpu, level, finest(), SIZE[0], SIZE[1]);
    for pitch in [90.0, 45.0, 5.0] {
        let picture = stage.draw(&look(DVec3::new(120.0, -1.0, 130.0), 20.0, pitch, stage.viewport()));
        assert!(
            picture.pixels().all(|pixel| pixel == [255, 0, 255, 255]),
            "the underside is drawn at {pitch}°"
        );
    }
}

/// In a target of floats: every mode, with and without holes, from under, in and on the ground and from odd places.
#[test]
fn no_pixel_is_anything_but_a_number() {
    let gpu = shared();
    for holes in [false, true] {
        let mut field = hills(257, 257);
        if holes {
            for quad in 0..400 {
                field.set_hole(Quad::new(quad % 20 * 11, quad / 20 * 12), true);
            }
        }
        let target = OffscreenDesc {
            color: vec![vk::Format::R32G32B32A32_SFLOAT],
            ..OffscreenDesc::new(SIZE[0], SIZE[1])
        };
        let mut stage = Stage::with_target(&gpu, field, TerrainSettings::default(), target);
        stage.sky = true;
        let at = |x: f64, z: f64, up: f64| {
            DVec3::new(x, height_at(stage.terrain.field(), DVec2::new(x, z)).unwrap_or(0.0) + up, z)
        };
        let mut eyes: Vec<_> = [-100.0, -3.0, -0.01, 0.0, 0.05].map(|up| at(201.3, 260.7, up)).into();
        // Exactly on a sample, on a tile's corner, on the map's corner and edge, outside and below, far above.
        eyes.extend([
            at(200.0, 260.0, 0.0),
            at(254.0, 254.0, 0.0),
            at(0.0, 0.0, 0.0),
            at(512.0, 300.0, -1.0),
        ]);
        eyes.extend([
            DVec3::new(-300.0, -500.0, 900.0),
            DVec3::new(100.0, 1e5, 100.0),
            DVec3::new(256.0, -1e6, 256.0),
        ]);
        for eye in eyes {
            for (turn, mode) in ViewMode::ALL.into_iter().enumerate() {
                for pitch in [-90.0, -20.0, 15.0, 90.0] {
                    let mut view = look(eye, 77.0 * turn as f32, pitch, stage.viewport());
                    view.preview.mode = mode;
                    stage.terrain.begin_frame(0.0);
                    let plan = stage.terrain.plan(&[view], stage.renderer.residency()).expect("a plan");
                    stage.play(&plan);
                    let bytes = stage.offscreen.read_color_bytes(0, 16).expect("colours");
                    let values = bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_ne_bytes(*bytes));
                    for value in values {
                        assert!(value.is_finite() && value > -2.0, "{value} from {eye}, {}", mode.name());
                    }
                    for depth in stage.offscreen.read_depth().expect("depth") {
                        assert!((0.0..=1.0).contains(&depth), "a depth of {depth} from {eye}");
                    }
                }
            }
        }
    }
}
