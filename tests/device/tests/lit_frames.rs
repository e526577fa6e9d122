//! Frames of lit ground one after the other: what is written again and what is not, and what is refused.

use ash::vk;
use glam::{DVec3, Vec3};
use landform::draw::{FrameLight, LightSlice, ViewLight};
use landform::frame::ShadowLayout;
use landform::light::{CascadeSettings, ClusterGrid, Clusters, Lamp, SceneLight};
use landform::plan::{TerrainSettings, View, Viewport};
use landform_device_tests::{
    Lighting, LitStage, Planes, Recording, ShadowAtlas, hills, lit_cameras, lit_ground, look, toward_sun,
};
use landform_harness::{Clear, Gpu, shared};
use std::sync::Arc;

const SIZE: [u32; 2] = [96, 54];

fn cascades() -> CascadeSettings {
    CascadeSettings { layout: ShadowLayout::new(2, 256), distance: 600.0, ..CascadeSettings::default() }
}

fn stage(gpu: &Arc<Gpu>) -> LitStage {
    LitStage::new(gpu, hills(257, 257), TerrainSettings::default(), SIZE)
}

fn camera(viewport: Viewport) -> View {
    look(DVec3::new(160.0, 190.0, 480.0), 14.0, -22.0, viewport)
}

fn lamps(count: usize) -> Vec<Lamp> {
    let lamp = |index: usize| Lamp {
        position: DVec3::new(100.0 + 7.0 * (index % 20) as f64, 150.0, 250.0 + 9.0 * (index / 20) as f64),
        intensity: Vec3::splat(2e4),
        range: 80.0,
        cone: None,
    };
    (0..count).map(lamp).collect()
}

/// What of the device a frame must leave as it is: descriptors written, bytes and objects alive.
fn state(stage: &LitStage) -> (u64, (u64, usize), usize) {
    (stage.device.descriptor_writes(), stage.device.live_bytes(), stage.device.live_resources().len())
}

/// Frames of the same atlas write no descriptor and make nothing, whatever moves; lamps that outgrow their buffer make one
/// and write it into the sets once, and then frames are steady again.
#[test]
fn steady_frames_write_nothing() {
    let gpu = shared();
    let mut stage = stage(&gpu);
    let (mut offscreen, target) = stage.target(vec![vk::Format::R16G16B16A16_SFLOAT]);
    let mut atlas = ShadowAtlas::new(&stage.device, cascades().layout);
    let mut clusters = Clusters::new(ClusterGrid::default());
    let mut seen = Vec::new();
    for step in 0..36 {
        let mut view = camera(stage.viewport());
        view.position += DVec3::new(0.0, 0.1, -0.5) * f64::from(step);
        let toward = toward_sun(20.0 + f64::from(step), 130.0).as_vec3();
        let scene = SceneLight { toward_sun: toward, ..SceneLight::default() };
        let grown = step >= 18;
        clusters.build(&view, 1000.0, &lamps(if grown { 400 } else { 12 })).unwrap();
        let plan = stage.plan(&[view]);
        stage.record(&plan, |Recording { raw, cmd, terrain, renderer, light }| {
            atlas.draw(&cmd, terrain, renderer, &view, scene.toward_sun, &cascades());
            let shadows = Some((&atlas.cascades, atlas.view()));
            let clusters = Some((&clusters).into());
            let published = ViewLight { scene: &scene, view: &view, shadows, clusters, table: None };
            let slice = light.publish(&published).unwrap();
            offscreen.begin(raw, Some(Clear::default()));
            renderer.draw_lit(&cmd, &plan.views[0], &target, light, &slice).unwrap();
            offscreen.end(raw);
        });
        seen.push(state(&stage));
    }
    let slots = stage.device.slots();
    for steady in [slots + 2..18, 18 + slots + 2..36] {
        let first = seen[steady.start];
        assert!(seen[steady.clone()].iter().all(|&now| now == first), "{steady:?}: {seen:?}");
    }
    assert_ne!(seen[17].0, seen[35].0, "400 lamps fit where 12 did");
}

/// What is in the buffers after they grew, in the middle of a frame and before, is what was put there.
#[test]
fn growing_changes_no_picture() {
    let gpu = shared();
    let mut grown = stage(&gpu);
    let view = camera(grown.viewport());
    let lit = |count| Lighting { lamps: lamps(count), ..Lighting::default() };
    grown.draw(&view, &lit(3), Planes::Luminance);
    let after = grown.draw(&view, &lit(400), Planes::Luminance);
    let few = grown.draw(&view, &lit(3), Planes::Luminance);
    let mut fresh = stage(&gpu);
    assert!(fresh.draw(&view, &lit(400), Planes::Luminance).luminance == after.luminance);
    assert!(
        fresh.draw(&view, &lit(3), Planes::Luminance).luminance == few.luminance
            && few.luminance != after.luminance
    );

    // Twelve views side by side, each in light of its own, all published before any is drawn.
    let mut stage = stage(&gpu);
    let (mut offscreen, target) = stage.target(vec![vk::Format::R32G32B32A32_SFLOAT]);
    let views: Vec<View> = (0..12u32)
        .map(|index| {
            let (width, height) = (24.0, 18.0);
            let viewport =
                Viewport { x: width * (index % 4) as f32, y: height * (index / 4) as f32, width, height };
            View { id: landform::plan::ViewId(index), ..camera(viewport) }
        })
        .collect();
    let scenes: Vec<SceneLight> = (1..=12)
        .map(|index| {
            let mut scene = Lighting::sun(toward_sun(60.0, 130.0), 1000.0 * index as f32).scene;
            scene.cascade_blend = 0.5;
            scene
        })
        .collect();
    let plan = stage.plan(&views);
    stage.record(&plan, |Recording { raw, cmd, renderer, light, .. }| {
        let publish = |(scene, view): (&SceneLight, &View)| -> LightSlice {
            light.publish(&ViewLight { scene, view, shadows: None, clusters: None, table: None }).unwrap()
        };
        let slices: Vec<_> = scenes.iter().zip(&views).map(publish).collect();
        offscreen.begin(raw, Some(Clear { color: [0.0; 4], depth: 0.0 }));
        for (view, slice) in plan.views.iter().zip(&slices) {
            renderer.draw_lit(&cmd, view, &target, light, slice).unwrap();
        }
        offscreen.end(raw);
    });
    let bytes = offscreen.read_color_bytes(0, 16).unwrap();
    let light = |index: usize, x: usize, y: usize| -> f32 {
        let pixel = (18 * (index / 4) + y) * 96 + 24 * (index % 4) + x;
        bytemuck::pod_read_unaligned(&bytes[16 * pixel..][..4])
    };
    let mut lit = 0;
    for (x, y) in (0..18).flat_map(|y| (0..24).map(move |x| (x, y))) {
        let first = light(0, x, y);
        lit += usize::from(first > 1.0);
        for index in 1..12 {
            let expected = first * (index + 1) as f32;
            // Where a device snaps corners depends on where the viewport begins; another view's light would be 8 % off at least.
            let drawn = light(index, x, y);
            assert!(
                (drawn - expected).abs() <= 0.03 * expected,
                "view {index} at {x}, {y}: {drawn}, not {expected}"
            );
        }
    }
    assert!(lit > 200, "{lit} pixels are lit");
}

/// Two views of one frame with an atlas each: each is in its own shade.
#[test]
fn two_atlases_of_one_frame_do_not_mix() {
    let gpu = shared();
    let mut stage = stage(&gpu);
    let half = |x: f32| Viewport { x, y: 0.0, width: 48.0, height: 54.0 };
    let mut views = [camera(half(0.0)), camera(half(48.0))];
    views[1].id = landform::plan::ViewId(1);
    let scenes = [70.0, 12.0].map(|elevation| Lighting::sun(toward_sun(elevation, 60.0), 50_000.0).scene);
    let mut atlases = [0, 1].map(|_| ShadowAtlas::new(&stage.device, cascades().layout));
    let (mut offscreen, target) = stage.target(vec![vk::Format::R32G32B32A32_SFLOAT]);
    let mut frame = |stage: &mut LitStage, drawn: &[usize]| -> Vec<u8> {
        let plan = stage.plan(&views);
        stage.record(&plan, |Recording { raw, cmd, terrain, renderer, light }| {
            let mut slices = Vec::new();
            for &index in drawn {
                let (scene, view, atlas) = (&scenes[index], &views[index], &mut atlases[index]);
                atlas.draw(&cmd, terrain, renderer, view, scene.toward_sun, &cascades());
                let shadows = Some((&atlas.cascades, atlas.view()));
                let published = ViewLight { scene, view, shadows, clusters: None, table: None };
                slices.push((index, light.publish(&published).unwrap()));
            }
            offscreen.begin(raw, Some(Clear { color: [0.0; 4], depth: 0.0 }));
            for (index, slice) in &slices {
                renderer.draw_lit(&cmd, &plan.views[*index], &target, light, slice).unwrap();
            }
            offscreen.end(raw);
        });
        offscreen.read_color_bytes(0, 16).unwrap()
    };
    let alone = [frame(&mut stage, &[0]), frame(&mut stage, &[1])];
    let mut both = Vec::new();
    let mut writes = Vec::new();
    for _ in 0..8 {
        both = frame(&mut stage, &[0, 1]);
        writes.push(stage.device.descriptor_writes());
    }
    assert_eq!(writes[7], writes[4], "frames of two atlases are steady as well: {writes:?}");
    let row =
        |picture: &[u8], index: usize, y: usize| picture[16 * (96 * y + 48 * index)..][..16 * 48].to_vec();
    for (index, alone) in alone.iter().enumerate() {
        assert!((0..54).all(|y| row(&both, index, y) == row(alone, index, y)), "view {index}");
    }
    assert!((0..54).any(|y| row(&both, 0, y) != row(&both, 1, y)));
}

/// Every refusal is a sentence, and none of them keeps the next frame from being drawn.
#[test]
fn what_cannot_be_lit_is_refused_with_a_sentence() {
    let gpu = shared();
    let mut stage = lit_ground(&gpu, Default::default(), true, SIZE);
    let view = lit_cameras(&stage)[0].1;
    let scene = SceneLight::default();
    let published = ViewLight { scene: &scene, view: &view, shadows: None, clusters: None, table: None };
    let refused = |what: Result<(), landform::Error>, says: &str| {
        let text = what.unwrap_err().to_string();
        assert!(text.contains(says), "{text}");
    };
    let mut early = FrameLight::new(&stage.device).unwrap();
    refused(early.publish(&published).map(|_| ()), "published before it was uploaded");
    stage.device.begin_frame();
    refused(early.publish(&published).map(|_| ()), "call upload once a frame");

    let plan = stage.plan(&[view]);
    let (mut offscreen, target) = stage.target(vec![vk::Format::R16G16B16A16_SFLOAT]);
    let old = stage.record(&plan, |Recording { light, .. }| light.publish(&published).unwrap());
    let targets: Vec<_> =
        (2..=3).map(|count| stage.target(vec![vk::Format::R16G16B16A16_SFLOAT; count])).collect();
    let plan = stage.plan(&[view]);
    stage.record(&plan, |Recording { raw, cmd, renderer, light, .. }| {
        offscreen.begin(raw, Some(Clear::default()));
        let draw = renderer.draw_lit(&cmd, &plan.views[0], &target, light, &old);
        refused(draw, "published in another frame; publish it once a frame");
        let slice = light.publish(&published).unwrap();
        for (count, (_, target)) in (2..).zip(&targets) {
            let draw = renderer.draw_lit(&cmd, &plan.views[0], target, light, &slice);
            refused(draw, &format!("a target of {count} colours; luminance alone is one"));
        }
        let mut bad = scene.clone();
        bad.sun_illuminance.y = f32::NAN;
        refused(light.publish(&ViewLight { scene: &bad, ..published }).map(|_| ()), "use 0 to 10000000");
        bad = SceneLight { cascade_blend: 0.0, ..scene.clone() };
        refused(
            light.publish(&ViewLight { scene: &bad, ..published }).map(|_| ()),
            "more than 0 and at most 1",
        );
        bad = SceneLight { toward_sun: Vec3::ZERO, ..scene.clone() };
        refused(light.publish(&ViewLight { scene: &bad, ..published }).map(|_| ()), "a finite direction");
        renderer.draw_lit(&cmd, &plan.views[0], &target, light, &slice).unwrap();
        offscreen.end(raw);
    });
}
