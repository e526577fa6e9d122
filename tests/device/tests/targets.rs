//! Every kind of target and of view that a host may have.

use ash::vk;
use glam::camera::rh::proj::directx;
use glam::{DVec3, Mat4, Quat, Vec3};
use landform::field::Field;
use landform::lod::LodSettings;
use landform::plan::{TerrainSettings, View, ViewMode, Viewport};
use landform_device_tests::{Stage, hills};
use landform_harness::{
    Api, Gpu, Image8, Limit, OffscreenDesc, TargetKind, compare_or_write, shared, shared_with,
};
use std::sync::Arc;

const SIZE: [u32; 2] = [320, 180];

fn ground() -> Field {
    hills(257, 257)
}

fn stage(gpu: &Arc<Gpu>, kind: TargetKind, samples: vk::SampleCountFlags, color: vk::Format) -> Stage {
    let desc = OffscreenDesc { kind, samples, color: vec![color], ..OffscreenDesc::new(SIZE[0], SIZE[1]) };
    let mut stage = Stage::with_target(gpu, ground(), TerrainSettings::default(), desc);
    stage.sky = true;
    stage
}

fn plain(gpu: &Arc<Gpu>) -> Stage {
    stage(gpu, TargetKind::Dynamic, vk::SampleCountFlags::TYPE_1, vk::Format::R8G8B8A8_SRGB)
}

fn camera(stage: &Stage) -> View {
    stage.view(DVec3::new(160.0, 190.0, 520.0), 12.0, -18.0)
}

/// Both kinds of target, one and four samples, on both ways into landform: the same picture, softer with four.
#[test]
fn kinds_and_samples_agree() {
    for api in [Api::V1_3, Api::V1_2] {
        let gpu = shared_with(api);
        let mut reference = plain(&gpu);
        let view = camera(&reference);
        let expected = reference.draw(&view);
        drop(reference);
        for kind in [TargetKind::Dynamic, TargetKind::RenderPass] {
            let one = stage(&gpu, kind, vk::SampleCountFlags::TYPE_1, vk::Format::R8G8B8A8_SRGB).draw(&view);
            compare_or_write(&format!("target-{api:?}-{kind:?}-1"), &expected, &one, Limit::EXACT).unwrap();
            let four = stage(&gpu, kind, vk::SampleCountFlags::TYPE_4, vk::Format::R8G8B8A8_SRGB).draw(&view);
            let limit = Limit { tolerance: 24, fraction: 0.97 };
            compare_or_write(&format!("target-{api:?}-{kind:?}-4"), &expected, &four, limit).unwrap();
            assert_ne!(four, one, "four samples change no edge");
        }
    }
}

/// A target that stores what it is given is encoded by the shader, and shows the same picture.
#[test]
fn plain_formats_are_encoded() {
    let gpu = shared();
    let mut srgb = plain(&gpu);
    let view = camera(&srgb);
    let expected = srgb.draw(&view);
    drop(srgb);
    let unorm = stage(&gpu, TargetKind::Dynamic, vk::SampleCountFlags::TYPE_1, vk::Format::R8G8B8A8_UNORM)
        .draw(&view);
    let limit = Limit { tolerance: 2, fraction: 1.0 };
    compare_or_write("target-unorm", &expected, &unorm, limit).unwrap();
}

/// The same camera with +Y turned over in the viewport, or in the projection: the same picture.
#[test]
fn flipped_and_unflipped_viewports_agree() {
    for api in [Api::V1_3, Api::V1_2] {
        let gpu = shared_with(api);
        let mut stage = plain(&gpu);
        let flipped = camera(&stage);
        let down = Mat4::from_scale(Vec3::new(1.0, -1.0, 1.0)) * flipped.projection;
        let unflipped = View { projection: down, unjittered: down, flip_y: false, ..flipped };
        let (a, b) = (stage.draw(&flipped), stage.draw(&unflipped));
        let limit = Limit { tolerance: 2, fraction: 0.9995 };
        compare_or_write(&format!("flipped-{api:?}"), &a, &b, limit).unwrap();
    }
}

/// A mirrored view is the picture mirrored, ground and not its underside.
#[test]
fn mirrored_views_draw_the_front() {
    let gpu = shared();
    let mut stage = plain(&gpu);
    stage.sky = false;
    let view = camera(&stage);
    let mirror = Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0)) * view.projection;
    let (straight, mirrored) =
        (stage.draw(&view), stage.draw(&View { projection: mirror, unjittered: mirror, ..view }));
    let mut turned = mirrored.clone();
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            let from = (4 * (y * SIZE[0] + (SIZE[0] - 1 - x))) as usize;
            let to = (4 * (y * SIZE[0] + x)) as usize;
            turned.data[to..to + 4].copy_from_slice(&mirrored.data[from..from + 4]);
        }
    }
    compare_or_write("mirrored", &straight, &turned, Limit { tolerance: 3, fraction: 0.995 }).unwrap();
}

/// The halves of a view, each with its own off-centre projection, are the halves of its picture.
#[test]
fn off_centre_halves_make_the_whole() {
    let gpu = shared();
    let mut stage = plain(&gpu);
    stage.sky = false;
    let whole = camera(&stage);
    let expected = stage.draw(&whole);
    for (side, x) in [(-1.0, 0.0), (1.0, 160.0)] {
        // Stretches one half of clip space over all of it.
        let half =
            Mat4::from_translation(Vec3::new(-side, 0.0, 0.0)) * Mat4::from_scale(Vec3::new(2.0, 1.0, 1.0));
        let projection = half * whole.projection;
        let viewport = Viewport { x, y: 0.0, width: 160.0, height: 180.0 };
        let view = View { projection, unjittered: projection, viewport, ..whole };
        let drawn = stage.draw(&view);
        let crop = |image: &Image8| -> Vec<[u8; 4]> {
            (0..SIZE[1])
                .flat_map(|y| (0..160).map(move |i| (x as u32 + i, y)))
                .map(|(x, y)| image.pixel(x, y))
                .collect()
        };
        let (ours, theirs) = (crop(&drawn), crop(&expected));
        let close = |a: &[u8; 4], b: &[u8; 4]| a.iter().zip(b).all(|(a, b)| a.abs_diff(*b) <= 3);
        let near = ours.iter().zip(&theirs).filter(|(a, b)| close(a, b)).count();
        assert!(
            near as f64 >= 0.995 * ours.len() as f64,
            "{near} of {} pixels of the half at {x}",
            ours.len()
        );
    }
}

/// Straight down from above, orthographic: every pixel is ground, north is up, and depth is the ground's height.
#[test]
fn orthographic_depth_is_the_height() {
    let gpu = shared();
    // Everything at level 0, so that what is drawn is the samples.
    let lod = LodSettings::Near { near: 1e6, ratio: 0.66, bias: 0.0 };
    let settings = TerrainSettings { lod, ..TerrainSettings::default() };
    let mut stage = Stage::new(&gpu, ground(), settings, SIZE[0], SIZE[1]);
    let (width, height) = (320.0, 180.0);
    let centre = DVec3::new(256.0, 300.0, 256.0);
    let projection =
        directx::orthographic(-width / 2.0, width / 2.0, -height / 2.0, height / 2.0, 400.0, 0.0);
    let rotation = Quat::from_rotation_x(-std::f32::consts::FRAC_PI_2);
    let view = View::with_projection(centre, rotation, projection, stage.viewport());
    stage.terrain.begin_frame(0.0);
    let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
    stage.play(&plan);
    let depth = stage.offscreen.read_depth().unwrap();
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            let east = centre.x - f64::from(width) / 2.0 + f64::from(x) + 0.5;
            let south = centre.z - f64::from(height) / 2.0 + f64::from(y) + 0.5;
            let ground =
                landform::query::height_at(stage.terrain.field(), glam::DVec2::new(east, south)).unwrap();
            let drawn = centre.y - 400.0 * f64::from(1.0 - depth[(y * SIZE[0] + x) as usize]);
            assert!((drawn - ground).abs() < 0.01, "{drawn} m drawn, {ground} m at {east}, {south}");
        }
    }
}

/// Every mode draws on both ways in, wireframe or its fallback included, and a hole shows what is behind.
#[test]
fn holes_are_open_in_every_mode() {
    use landform::field::Quad;
    let gpu = shared();
    let mut stage = plain(&gpu);
    stage.sky = false;
    for z in 100..140 {
        for x in 60..100 {
            stage.terrain.field_mut().set_hole(Quad::new(x, z), true);
        }
    }
    let magenta = [255, 0, 255, 255];
    for mode in ViewMode::ALL {
        let mut view = stage.view(DVec3::new(160.0, 330.0, 242.0), 0.0, -89.0);
        view.preview.mode = mode;
        let picture = stage.draw(&view);
        assert_eq!(picture.pixel(160, 90), magenta, "the middle of the hole, {}", mode.name());
        let open = picture.pixels().filter(|&pixel| pixel == magenta).count();
        assert!(mode == ViewMode::Lattice || open < 20_000, "{open} open pixels, {}", mode.name());
    }
}
