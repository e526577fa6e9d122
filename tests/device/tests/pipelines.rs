//! Pipelines made ahead, kept and dropped.

use ash::vk;
use glam::{DVec3, Mat4, Vec3};
use landform::field::Quad;
use landform::plan::{TerrainSettings, View, ViewMode};
use landform_device_tests::{Stage, hills};
use landform_harness::{Api, Gpu, GpuOptions, Offscreen, OffscreenDesc, TargetKind, shared};
use std::sync::Arc;

fn stage(gpu: &Arc<Gpu>, kind: TargetKind) -> Stage {
    let desc = OffscreenDesc { kind, ..OffscreenDesc::new(160, 90) };
    let mut stage = Stage::with_target(gpu, hills(257, 257), TerrainSettings::default(), desc);
    stage.sky = true;
    stage
}

fn camera(stage: &Stage) -> View {
    stage.view(DVec3::new(160.0, 190.0, 520.0), 12.0, -18.0)
}

/// After `prepare` no draw makes a pipeline: any mode, with and without holes, mirrored or not, and depth alone.
fn no_draw_waits(gpu: &Arc<Gpu>) {
    let mut stage = stage(gpu, TargetKind::Dynamic);
    stage.renderer.prepare(&stage.target, stage.terrain.settings().grid, stage.terrain.splat()).unwrap();
    let prepared = stage.renderer.stats().pipelines;
    let straight = camera(&stage);
    let mirror = Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0)) * straight.projection;
    let mirrored = View { projection: mirror, unjittered: mirror, ..straight };
    for hole in [false, true] {
        if hole {
            stage.terrain.field_mut().set_hole(Quad::new(100, 100), true);
        }
        for mut view in [straight, mirrored] {
            for mode in ViewMode::ALL {
                view.preview.mode = mode;
                stage.draw(&view);
            }
            let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
            stage.record(&plan, |renderer, cmd, target| {
                renderer.draw_depth(cmd, &plan.views[0], target).unwrap();
            });
        }
    }
    assert_eq!(stage.renderer.stats().pipelines, prepared);
}

#[test]
fn prepared_pipelines_are_all_that_is_drawn_with() {
    no_draw_waits(&shared());
}

#[test]
fn prepared_pipelines_have_both_front_faces_where_those_are_baked() {
    let options = GpuOptions { api: Api::V1_2, optional_features: false, ..GpuOptions::default() };
    let gpu = Gpu::new(options).unwrap();
    no_draw_waits(&gpu);
    gpu.assert_silent();
}

#[test]
fn the_motion_pass_is_prepared() {
    let gpu = shared();
    let mut stage = stage(&gpu, TargetKind::Dynamic);
    let target = landform::draw::Target::dynamic(
        vk::Format::R8G8B8A8_SRGB,
        vk::Format::D32_SFLOAT,
        vk::SampleCountFlags::TYPE_1,
    );
    stage.target.formats = stage.offscreen.formats();
    assert_eq!(stage.target.formats, target.formats, "the test's own target stands in for a motion plane");
    stage.renderer.prepare_velocity(&target, stage.terrain.settings().grid).unwrap();
    let prepared = stage.renderer.stats().pipelines;
    assert_eq!(prepared, 2, "with and without holes");
    let view = camera(&stage);
    for hole in [false, true] {
        if hole {
            stage.terrain.field_mut().set_hole(Quad::new(100, 100), true);
        }
        let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
        stage.record(&plan, |renderer, cmd, target| {
            renderer.draw_velocity(cmd, &plan.views[0], target).unwrap();
        });
    }
    assert_eq!(stage.renderer.stats().pipelines, prepared);
}

/// A target without colour is prepared for depth alone.
#[test]
fn a_depth_target_is_prepared() {
    let gpu = shared();
    let mut stage = stage(&gpu, TargetKind::Dynamic);
    let target = landform::draw::Target::depth_only(vk::Format::D32_SFLOAT, vk::SampleCountFlags::TYPE_1);
    stage.renderer.prepare(&target, stage.terrain.settings().grid, stage.terrain.splat()).unwrap();
    assert_eq!(stage.renderer.stats().pipelines, 2, "with and without holes");
}

/// A host that destroys its render pass and makes another forgets the target before: no pipeline of the old one is left.
#[test]
fn a_target_whose_render_pass_is_made_anew_is_forgotten() {
    let gpu = shared();
    let mut stage = stage(&gpu, TargetKind::RenderPass);
    let view = camera(&stage);
    let first = stage.draw(&view);
    assert_eq!(stage.renderer.stats().pipelines, 2, "the surface and the sky");
    for _ in 0..3 {
        let old = stage.target;
        stage.renderer.forget_target(&old);
        assert_eq!(stage.renderer.stats().pipelines, 0);
        stage.offscreen = Offscreen::new(&gpu, stage.offscreen.desc().clone()).unwrap();
        stage.target.formats = stage.offscreen.formats();
        assert_eq!(stage.draw(&view), first);
        assert_eq!(stage.renderer.stats().pipelines, 2);
    }
    // Another target's pipelines stay.
    let other = landform::draw::Target {
        formats: self::stage(&gpu, TargetKind::Dynamic).target.formats,
        ..stage.target
    };
    stage.renderer.forget_target(&other);
    assert_eq!(stage.renderer.stats().pipelines, 2);
}
