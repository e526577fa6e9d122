//! Frames that overlap: the next is planned and recorded while the device still draws the one before.

use ash::vk;
use glam::DVec3;
use landform::field::{Quad, SampleRect};
use landform::lod::{GridSize, LodSettings};
use landform::plan::TerrainSettings;
use landform_device_tests::{Stage, noise};
use landform_harness::{Clear, Frames, Limit, Offscreen, OffscreenDesc, compare_or_write, shared};

const SIZE: [u32; 2] = [160, 90];

/// Ten frames, two in flight and none waited for: an edit and a hole in each, and in the middle views that outgrow the
/// patch buffer. Each is the picture that a fresh renderer draws of its field.
#[test]
fn frames_in_flight_keep_what_they_draw() {
    let gpu = shared();
    assert_eq!(gpu.options().frames_in_flight, 2);
    let settings = TerrainSettings {
        grid: GridSize::G16,
        lod: LodSettings::Near { near: 4000.0, ratio: 0.66, bias: 0.0 },
        ..TerrainSettings::default()
    };
    let field = noise(1000, 1000, 128);
    let mut stage = Stage::new(&gpu, field, settings.clone(), SIZE[0], SIZE[1]);
    let near = stage.view(DVec3::new(500.0, 130.0, 500.0), 0.0, -80.0);
    let far = stage.view(DVec3::new(500.0, 1000.0, 500.0), 0.0, -90.0);
    let mut frames = Frames::new(&gpu).unwrap();
    let mut drawn = Vec::new();
    for frame in 0..10u32 {
        let view = if (4..7).contains(&frame) { far } else { near };
        let edited = stage.terrain.field_mut();
        edited.edit(SampleRect::new(480 + 3 * frame, 460, 30, 60), |z, row| row.fill((z * 97) as u16));
        edited.set_hole(Quad::new(490 + frame, 495), true);
        let mut offscreen = Offscreen::new(&gpu, OffscreenDesc::new(SIZE[0], SIZE[1])).unwrap();
        let raw = frames.begin().unwrap();
        stage.device.begin_frame();
        stage.terrain.begin_frame(1.0 / 60.0);
        let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
        // SAFETY: the command buffer records, is submitted below, and its slot is waited for before it is used again.
        let cmd = unsafe { stage.device.record(raw) };
        stage.renderer.upload(&cmd, &plan).unwrap();
        offscreen.begin(raw, Some(Clear::default()));
        stage.renderer.draw(&cmd, &plan.views[0], &stage.target).unwrap();
        offscreen.end(raw);
        frames.submit(vk::SubmitInfo::default()).unwrap();
        drawn.push((view, stage.terrain.field().clone(), offscreen));
    }
    assert_eq!(stage.renderer.stats().sets, 2, "the patch buffer grew once");
    // Waits for all of them.
    drop(frames);
    for (frame, (view, field, mut offscreen)) in drawn.into_iter().enumerate() {
        let expected = Stage::new(&gpu, field, settings.clone(), SIZE[0], SIZE[1]).draw(&view);
        let name = format!("overlap-{frame}");
        compare_or_write(&name, &offscreen.read_color().unwrap(), &expected, Limit::EXACT).unwrap();
    }
}
