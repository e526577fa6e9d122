//! A frame document, run on a device: pictures, what is missing, what is off, what is lost.

use glam::{DVec3, Vec3};
use landform::Error;
use landform::draw::{FrameHost, HostScope, PassScope};
use landform::frame::Stage;
use landform::gpu::Cmd;
use landform::plan::{Placement, View, Viewport};
use landform_device_tests::{FrameStage, drawn, hills, look, random};
use landform_harness::{Gpu, Image8, shared};
use std::sync::Arc;

const SMALL: (u32, u32) = (160, 90);

fn view((width, height): (u32, u32)) -> View {
    look(DVec3::new(700.0, 260.0, 1500.0), 18.0, -14.0, Viewport::whole(width, height))
}

/// A small frame around hills under a morning sun.
fn stage(gpu: &Arc<Gpu>, preset: &str) -> FrameStage {
    let document = format!("(nodes: [StandardFrame(bare: true, {preset} shadow_tile: 256)])");
    let mut stage = FrameStage::new(gpu, hills(513, 513), &document, SMALL.0, SMALL.1);
    stage.set_sun(12.0, 60.0);
    stage
}

fn mean(picture: &Image8) -> f64 {
    let bytes = picture.data.iter().enumerate().filter(|(at, _)| at % 4 != 3);
    bytes.map(|(_, byte)| f64::from(*byte)).sum::<f64>() / (picture.data.len() as f64 * 0.75)
}

/// Pixels of which one picture is brighter by 8 of 255 and more.
fn brighter(one: &Image8, than: &Image8) -> usize {
    one.pixels().zip(than.pixels()).filter(|(one, than)| one[1] >= than[1].saturating_add(8)).count()
}

/// Each input that is missing has its own sentence, and where it is back the ground is lit as before.
#[test]
fn what_is_missing_is_said_and_what_is_back_is_lit() {
    let gpu = shared();
    let mut stage = stage(&gpu, "");
    let lit = stage.draw(&view(SMALL));
    assert_eq!(stage.compositor.preview_reason(0), None);
    let light = stage.light.take();
    assert_ne!(stage.draw(&view(SMALL)), lit);
    assert!(stage.compositor.preview_reason(0).unwrap().contains("no scene constants"));
    stage.light = light;
    stage.has_camera = false;
    stage.draw(&view(SMALL));
    assert!(stage.compositor.preview_reason(0).unwrap().contains("no camera"));
    stage.has_camera = true;
    assert_eq!(stage.draw(&view(SMALL)), lit);
    assert_eq!(stage.compositor.preview_reason(0), None);
    let kept = stage.compositor.document().clone();
    stage.compositor.set_document(drawn("(nodes: [StandardFrame(bare: true, shadows: false)])")).unwrap();
    stage.draw(&view(SMALL));
    let why = stage.compositor.preview_reason(0).unwrap();
    assert!(why.contains("no cascade constants") && why.contains("'ShadowAtlas' is no target"), "{why}");
    stage.compositor.set_document(kept).unwrap();
    assert_eq!(stage.draw(&view(SMALL)), lit);
    gpu.assert_silent();
}

/// The light that split planes withhold is what the combine adds: the picture is the same.
#[test]
fn a_split_frame_is_the_same_picture() {
    let gpu = shared();
    for (elevation, azimuth) in [(12.0, 60.0), (50.0, 200.0)] {
        let mut whole = stage(&gpu, "");
        let mut split = stage(&gpu, "split: true,");
        whole.set_sun(elevation, azimuth);
        split.set_sun(elevation, azimuth);
        let (one, other) = (whole.draw(&view(SMALL)), split.draw(&view(SMALL)));
        let difference = one.difference(&other).unwrap();
        // Both are dithered alike, so a step is one of what was stored.
        assert!(difference.most <= 1, "{difference:?}");
        assert!(mean(&one) > 20.0);
    }
    gpu.assert_silent();
}

/// A node that is off clears what it clears and does nothing else, and everything else goes on.
#[test]
fn nodes_are_turned_off_and_on() {
    let gpu = shared();
    let mut stage = stage(&gpu, "motion: true, split: true,");
    let whole = stage.draw(&view(SMALL));
    let labels: Vec<String> = stage.compositor.times().map(|time| time.label.to_owned()).collect();
    assert_eq!(labels.len(), stage.compositor.document().nodes.len());
    for (node, label) in labels.iter().enumerate() {
        assert!(stage.compositor.set_enabled(node, false));
        let without = stage.draw(&view(SMALL));
        match label.as_str() {
            "TerrainCaster" => assert!(brighter(&without, &whole) > 200, "nothing is in shade"),
            "AmbientCombine" | "Sky" => assert!(mean(&without) < mean(&whole) - 1.0, "{label}"),
            "Terrain" => assert_ne!(without, whole, "the ground of the sky's own model is seen"),
            "Tonemap" => assert_eq!(mean(&without), 0.0),
            // The host has nothing to draw, so what is left is what they clear.
            _ => assert_eq!(without, whole, "{label}"),
        }
        assert!(stage.compositor.set_enabled(node, true));
    }
    assert_eq!(stage.draw(&view(SMALL)), whole);
    assert!(!stage.compositor.set_enabled(99, false));
    gpu.assert_silent();
}

/// Every target can be looked at.
#[test]
fn targets_are_shown() {
    let gpu = shared();
    let mut stage = stage(&gpu, "motion: true, split: true,");
    let whole = stage.draw(&view(SMALL));
    let names: Vec<_> =
        stage.compositor.document().targets.iter().map(|target| target.name.clone()).collect();
    assert_eq!(names.len(), 7);
    for name in &names {
        stage.compositor.show(Some(name)).unwrap();
        let shown = stage.draw(&view(SMALL));
        assert!(shown != whole && mean(&shown) > 1.0, "{name}: {}", mean(&shown));
        if name == "SceneMotion" {
            // A camera that stands still: grey, which is no motion.
            assert!(shown.pixels().all(|pixel| pixel == shown.pixel(0, 0)));
        }
    }
    let why = stage.compositor.show(Some("Scene")).unwrap_err().to_string();
    assert!(why.contains("no target 'Scene'") && why.contains("SceneDepth"), "{why}");
    stage.compositor.show(None).unwrap();
    assert_eq!(stage.draw(&view(SMALL)), whole);
    gpu.assert_silent();
}

/// Two entities of one terrain stand in two places and upload once; one that does not cast casts nothing.
#[test]
fn a_terrain_may_stand_in_several_places() {
    let gpu = shared();
    let mut stage = stage(&gpu, "");
    let one = stage.draw(&view(SMALL));
    let beside = Placement { yaw: 0.4, ..Placement::at(DVec3::new(300.0, 60.0, -900.0)) };
    let component = stage.scene.entities[0].component.clone();
    stage.scene.add(component, beside);
    stage.draw(&view(SMALL));
    assert_eq!(stage.ground.lock().renderer.stats().uploaded_bytes, 0, "what is there is not uploaded again");
    let two = stage.draw(&view(SMALL));
    assert_ne!(one, two);
    stage.scene.entities.truncate(1);
    stage.scene.entities[0].component.casts_shadows = false;
    assert!(brighter(&stage.draw(&view(SMALL)), &one) > 200, "nothing is in shade");
    // A world without terrains draws nothing, quietly.
    stage.scene.entities.clear();
    let empty = stage.draw(&view(SMALL));
    assert!(mean(&empty) > 1.0, "the sky is there");
    stage.scene.entities = vec![Default::default()];
    assert_eq!(stage.draw(&view(SMALL)), empty);
    gpu.assert_silent();
}

/// A host that counts its calls, and one of whose nodes fails.
#[derive(Default)]
struct Counting {
    stages: Vec<Stage>,
    cascades: Vec<(f32, f32)>,
    lit: usize,
    nodes: Vec<(String, [u32; 2])>,
    fails: bool,
}

impl FrameHost for Counting {
    fn draw_stage(&mut self, _: &Cmd<'_>, stage: Stage, scope: &PassScope<'_>) -> landform::Result<()> {
        self.stages.push(stage);
        self.lit += usize::from(scope.light.is_some());
        assert_eq!(scope.view.viewport, Viewport::whole(SMALL.0, SMALL.1));
        Ok(())
    }

    fn draw_casters(&mut self, _: &Cmd<'_>, scope: &PassScope<'_>) -> landform::Result<()> {
        assert_eq!(scope.target.formats.color_count(), 0);
        self.cascades.push((scope.view.viewport.x, scope.view.viewport.y));
        Ok(())
    }

    fn record(&mut self, _: &Cmd<'_>, name: &str, scope: &HostScope<'_>) -> landform::Result<()> {
        let target = scope.target("SceneHdr").expect("what the node names");
        assert!(scope.view.is_some() && scope.target("SceneMotion").is_none());
        self.nodes.push((name.to_owned(), target.extent));
        match self.fails {
            true => Err(Error::Unsupported { what: "dust".into(), why: "there is none".into() }),
            false => Ok(()),
        }
    }
}

#[test]
fn a_host_draws_its_own_part() {
    let gpu = shared();
    let dust = "motion: true, before_tonemap: [Host(name: \"dust\", view: \"Camera\", writes: [\"SceneHdr\"], \
                reads: [\"SceneDepth\"])],";
    let mut stage = stage(&gpu, dust);
    let mut host = Counting::default();
    stage.draw_with(&view(SMALL), &mut host).unwrap();
    assert_eq!(host.stages, [Stage::Main, Stage::Motion]);
    assert_eq!(host.cascades, [(0.0, 0.0), (256.0, 0.0), (0.0, 256.0), (256.0, 256.0)]);
    assert_eq!((host.lit, host.nodes), (1, vec![("dust".to_owned(), [SMALL.0, SMALL.1])]));
    let mut host = Counting { fails: true, ..Counting::default() };
    let why = stage.draw_with(&view(SMALL), &mut host).unwrap_err().to_string();
    assert!(why.contains("Host 'dust'") && why.contains("there is none"), "{why}");
    stage.draw_with(&view(SMALL), &mut Counting::default()).unwrap();
    let why = stage.draw_views(&[("Eye", view(SMALL))], &mut ()).unwrap_err().to_string();
    assert!(why.contains("the host bound no view 'Camera'"), "{why}");
    gpu.assert_silent();
}

/// Recorded, and never submitted: the next frame is as if nothing had been.
#[test]
fn a_frame_that_was_lost_is_forgotten() {
    let gpu = shared();
    let mut first = stage(&gpu, "split: true, motion: true,");
    let expected = first.draw(&view(SMALL));
    let mut stage = stage(&gpu, "split: true, motion: true,");
    stage.lose(&view(SMALL));
    stage.lose(&view(SMALL));
    assert_eq!(stage.draw(&view(SMALL)), expected);
    stage.lose(&view(SMALL));
    assert_eq!(stage.draw(&view(SMALL)), expected);
    gpu.assert_silent();
}

/// A thousand sizes, one after the other: nothing is left behind, and the last is drawn as if it had been the first.
#[test]
fn a_thousand_sizes() {
    let gpu = shared();
    let document = "(nodes: [StandardFrame(bare: true, split: true, motion: true, shadow_tile: 16, shadow_cascades: 2)])";
    let mut stage = FrameStage::new(&gpu, hills(129, 129), document, 8, 8);
    stage.set_sun(40.0, 60.0);
    let mut random = random(7);
    let camera =
        |(width, height)| look(DVec3::new(128.0, 260.0, 250.0), 0.0, -30.0, Viewport::whole(width, height));
    let mut live = None;
    for step in 0..1000u32 {
        let size = (1 + random() % 64, 1 + random() % 48);
        stage.resize(size.0, size.1);
        stage.draw_with(&camera(size), &mut ()).unwrap();
        let now = stage.device.live_resources().len();
        // Some frames until every slot has its sets, which are kept for a while.
        if step >= 64 {
            assert_eq!(*live.get_or_insert(now), now, "at step {step}");
        }
    }
    let size = (SMALL.0, SMALL.1);
    stage.resize(size.0, size.1);
    let last = stage.draw(&camera(size));
    let mut fresh = FrameStage::new(&gpu, hills(129, 129), document, size.0, size.1);
    fresh.set_sun(40.0, 60.0);
    assert_eq!(last, fresh.draw(&camera(size)));
    gpu.assert_silent();
}

/// A steady frame writes no descriptor and makes nothing, lamps and moving camera or not.
#[test]
fn a_steady_frame_writes_nothing() {
    let gpu = shared();
    let mut stage = stage(&gpu, "split: true, motion: true,");
    let lamp = |at: f64| landform::light::Lamp {
        position: DVec3::new(700.0 + at, 230.0, 1450.0),
        intensity: Vec3::splat(4000.0),
        range: 60.0,
        cone: None,
    };
    stage.lamps = (0..32).map(|at| lamp(f64::from(at))).collect();
    let moving = (0..12).map(|step| {
        let mut view = view(SMALL);
        view.position.z -= f64::from(step);
        view
    });
    stage.assert_steady(moving, 6);
    gpu.assert_silent();
}
