//! Resolved over time: still pictures stand still, moving ones are what many samples would show, and nothing stays of a picture that is
//! over.

use ash::vk;
use glam::DVec3;
use landform::draw::{FrameHost, HostScope};
use landform::frame::{FrameNode, TerrainFactory, Tier};
use landform::gpu::Cmd;
use landform::plan::{View, ViewId, Viewport};
use landform_device_tests::{FrameStage, drawn, hills_in_frame, look, supersampled};
use landform_harness::{Gpu, Image8, mean_flip, shared};
use std::sync::Arc;

const SMALL: (u32, u32) = (160, 90);
const TINY: (u32, u32) = (64, 36);
/// Frames that a picture is the mean of: the tier's.
const FRAMES: u32 = 16;
const RESOLVED: &str =
    "(nodes: [StandardFrame(bare: true, temporal: true, shadow_tile: 512, shadow_cascades: 1)])";
const PLAIN: &str = "(nodes: [StandardFrame(bare: true, shadow_tile: 512, shadow_cascades: 1)])";

/// A flight over the hills at 30 m/s that turns by 20° a second, so many sixtieths of a second after it began.
fn flown(step: u32, (width, height): (u32, u32)) -> View {
    let seconds = f64::from(step) / 60.0;
    let at = DVec3::new(500.0 + 8.0 * seconds, 150.0, 800.0 - 30.0 * seconds);
    look(at, 18.0 + 20.0 * seconds as f32, -10.0, Viewport::whole(width, height))
}

/// The hills from the other side.
fn elsewhere(size: (u32, u32)) -> View {
    look(DVec3::new(420.0, 240.0, 200.0), 170.0, -25.0, Viewport::whole(size.0, size.1))
}

/// The same picture but for what was rounded by chance.
#[track_caller]
fn assert_same(one: &Image8, other: &Image8) {
    let difference = one.difference(other).unwrap();
    assert!(difference.most <= 1 && difference.within(0) > 0.9, "{difference:?}");
}

/// Draws frames of one view; the last.
fn draw_frames(stage: &mut FrameStage, view: &View, count: u32) -> Image8 {
    (0..count).map(|_| stage.draw(view)).last().expect("a frame")
}

/// The first frame of a view of a stage that drew so many frames of another and knows nothing of them: what is left of a last
/// picture would make it another one.
fn fresh_frame(gpu: &Arc<Gpu>, view: &View, size: (u32, u32), before: u32) -> Image8 {
    let mut stage = hills_in_frame(gpu, RESOLVED, true, size);
    draw_frames(&mut stage, &look(DVec3::new(0.0, 900.0, 0.0), 0.0, 80.0, view.viewport), before);
    stage.draw(&View { cut: true, ..*view })
}

/// The place of a node in a stage's document.
fn node_of(stage: &FrameStage, is: fn(&FrameNode) -> bool) -> usize {
    stage.compositor.document().nodes.iter().position(is).expect("the node")
}

/// A camera that stands: the picture comes to be that of 64 samples a pixel, and stands as well.
#[test]
fn a_still_picture_converges_and_does_not_shimmer() {
    let gpu = shared();
    let view = flown(0, SMALL);
    let wanted = supersampled(&mut hills_in_frame(&gpu, PLAIN, true, SMALL), &view, 64);
    let mut stage = hills_in_frame(&gpu, RESOLVED, true, SMALL);
    let first = mean_flip(&wanted, &stage.draw(&view)).unwrap();
    let mut last = draw_frames(&mut stage, &view, 4 * FRAMES);
    for _ in 0..FRAMES {
        let now = stage.draw(&view);
        let difference = last.difference(&now).unwrap();
        assert!(
            difference.within(2) >= 0.999 && difference.within(1) >= 0.998 && difference.most <= 16,
            "{difference:?}"
        );
        last = now;
    }
    let converged = mean_flip(&wanted, &last).unwrap();
    println!("still: mean FLIP {first:.4} of the first frame, {converged:.4} converged");
    assert!(converged <= 0.015 && converged < 0.9 * first, "{converged} from {first}");
    gpu.assert_silent();
}

/// Where the camera stands and the light changes the picture follows, though it stood for long.
#[test]
fn a_change_of_light_is_followed() {
    let gpu = shared();
    let view = flown(0, SMALL);
    let mut plain = hills_in_frame(&gpu, PLAIN, true, SMALL);
    plain.set_sun(40.0, 250.0);
    let wanted = supersampled(&mut plain, &view, 64);
    let mut stage = hills_in_frame(&gpu, RESOLVED, true, SMALL);
    let before = mean_flip(&wanted, &draw_frames(&mut stage, &view, 6 * FRAMES)).unwrap();
    stage.set_sun(40.0, 250.0);
    let [soon, later] =
        [4, FRAMES - 4].map(|count| mean_flip(&wanted, &draw_frames(&mut stage, &view, count)).unwrap());
    println!("light: mean FLIP {before:.4} before, {soon:.4} after 4 frames, {later:.4} after {FRAMES}");
    assert!(before > 0.1 && soon <= 0.04 && later <= 0.025, "{before}, {soon}, {later}");
    gpu.assert_silent();
}

/// A flight: each frame is close to what 64 samples of its own pose show. Without motion in its plane it is not.
#[test]
fn a_flight_is_sharp_where_motion_is_written() {
    let gpu = shared();
    for layered in [false, true] {
        let last = 24;
        let mut plain = hills_in_frame(&gpu, PLAIN, layered, SMALL);
        let wanted = supersampled(&mut plain, &flown(last, SMALL), 64);
        let [written, zero] = [true, false].map(|moves| {
            let mut stage = hills_in_frame(&gpu, RESOLVED, layered, SMALL);
            let velocities: Vec<_> = (0..stage.compositor.document().nodes.len())
                .filter(|&node| stage.compositor.document().label_of(node).contains("Velocity"))
                .collect();
            assert_eq!(velocities.len(), 2, "the ground's and the sky's");
            for node in velocities {
                stage.compositor.set_enabled(node, moves);
            }
            let pictures = (0..=last).map(|step| stage.draw(&flown(step, SMALL)));
            mean_flip(&wanted, &pictures.last().expect("a frame")).unwrap()
        });
        println!("flight, layers {layered}: mean FLIP {written:.4}, {zero:.4} without motion");
        assert!(written <= 0.025, "{layered}: {written}");
        assert!(zero >= 2.0 * written, "{layered}: {zero} without motion, {written} with it");
    }
    gpu.assert_silent();
}

/// After a cut, after a frame that was lost and in another size the picture is this frame's alone.
#[test]
fn nothing_stays_of_a_picture_that_is_over() {
    let gpu = shared();
    let (view, wanted) = (flown(0, SMALL), fresh_frame(&gpu, &flown(0, SMALL), SMALL, FRAMES));
    let mut stage = hills_in_frame(&gpu, RESOLVED, true, SMALL);
    draw_frames(&mut stage, &elsewhere(SMALL), FRAMES);
    assert_same(&stage.draw(&View { cut: true, ..view }), &wanted);

    // One that drew the same view before has more to show: the test would see it.
    let mut stage = hills_in_frame(&gpu, RESOLVED, true, SMALL);
    draw_frames(&mut stage, &view, FRAMES);
    assert!(stage.draw(&view).difference(&wanted).unwrap().most >= 8, "nothing is left of 16 frames");

    // A frame that was recorded and not drawn, and then the next one, which would have come as the same.
    draw_frames(&mut stage, &elsewhere(SMALL), FRAMES - 2);
    stage.lose(&elsewhere(SMALL));
    assert_same(&stage.draw(&view), &wanted);

    let size = (96, 54);
    let wanted = fresh_frame(&gpu, &flown(0, size), size, FRAMES);
    draw_frames(&mut stage, &elsewhere(SMALL), FRAMES - 1);
    stage.resize(size.0, size.1);
    assert_same(&stage.draw(&flown(0, size)), &wanted);
    gpu.assert_silent();
}

/// The lowest tier draws one sample where it is, and shows it as it is; what a higher one drew is not left of it.
#[test]
fn a_single_frame_is_a_copy() {
    let gpu = shared();
    let view = flown(0, SMALL);
    let wanted = hills_in_frame(&gpu, PLAIN, true, SMALL);
    let mut stages = [wanted, hills_in_frame(&gpu, RESOLVED, true, SMALL)];
    let tier = |stage: &mut FrameStage, tier| {
        let factory = TerrainFactory { tier, ..TerrainFactory::default() };
        stage.compositor.set_factory(factory);
    };
    stages.iter_mut().for_each(|stage| tier(stage, Tier::Low));
    let [wanted, copied] = stages.each_mut().map(|stage| draw_frames(stage, &view, 2));
    assert_eq!(wanted, copied);
    tier(&mut stages[1], Tier::High);
    assert_ne!(draw_frames(&mut stages[1], &view, 3), wanted, "three frames of sixteen");
    stages.iter_mut().for_each(|stage| tier(stage, Tier::Low));
    let [wanted, copied] = stages.each_mut().map(|stage| stage.draw(&View { cut: true, ..view }));
    assert_eq!(wanted, copied);
    // So does a node that is off, whatever the tier.
    tier(&mut stages[1], Tier::High);
    stages[0].compositor.set_factory(TerrainFactory::default());
    let node = node_of(&stages[1], |node| matches!(node, FrameNode::Resolve(_)));
    assert!(stages[1].compositor.set_enabled(node, false));
    let [wanted, copied] = stages.each_mut().map(|stage| stage.draw(&view));
    assert_eq!(wanted, copied);
    gpu.assert_silent();
}

/// Sharpened edges are steeper, and nothing is brighter or darker than what is beside it was.
#[test]
fn sharpening_raises_edges_and_never_rings() {
    let gpu = shared();
    let view = flown(0, SMALL);
    let [plain, sharp] = [0.0, 1.0].map(|sharpness| {
        let mut stage = hills_in_frame(&gpu, PLAIN, true, SMALL);
        let document = format!(
            "(views: [\"Camera\"], targets: [(name: \"SceneHdr\", format: Rgba16Float), (name: \"SceneDepth\", \
             format: Depth32Float), (name: \"ShadowAtlas\", format: Depth32Float, size: Shadow)], nodes: [ShadowMap(tile: 512, cascades: 1), \
             Pass(stage: Main), Terrain(), Sky(), Tonemap(sharpness: {sharpness})])"
        );
        stage.compositor.set_document(drawn(&document)).unwrap();
        draw_frames(&mut stage, &view, 2)
    });
    let (width, height) = SMALL;
    let mut steps = [0u64; 2];
    for (x, y) in (1..width - 1).flat_map(|x| (1..height - 1).map(move |y| (x, y))) {
        let around = [(x, y), (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)].map(|(x, y)| plain.pixel(x, y));
        for channel in 0..3 {
            let (low, high) = around
                .iter()
                .fold((255u8, 0), |(low, high), pixel| (low.min(pixel[channel]), high.max(pixel[channel])));
            let is = sharp.pixel(x, y)[channel];
            // Each is dithered by less than a step.
            assert!(
                (low.saturating_sub(1)..=high.saturating_add(1)).contains(&is),
                "{is} of {low}…{high} at {x}, {y}"
            );
        }
        for (sum, picture) in steps.iter_mut().zip([&plain, &sharp]) {
            *sum += u64::from(picture.pixel(x, y)[1].abs_diff(picture.pixel(x + 1, y)[1]));
        }
    }
    assert!(steps[1] as f64 > 1.05 * steps[0] as f64, "{steps:?}");
    gpu.assert_silent();
}

/// Puts a colour into a part of the frame's luminance before it is resolved.
struct Breaks(Option<[f32; 4]>);

impl FrameHost for Breaks {
    fn record(&mut self, cmd: &Cmd<'_>, _: &str, scope: &HostScope<'_>) -> landform::Result<()> {
        let Some(float32) = self.0 else { return Ok(()) };
        let target = scope.target("SceneHdr").expect("what the node names");
        let offset = vk::Offset2D { x: 16, y: 12 };
        let area = vk::Rect2D { offset, extent: vk::Extent2D { width: 12, height: 9 } };
        let attachment = vk::RenderingAttachmentInfo::default()
            .image_view(target.view.view)
            .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(vk::ClearValue { color: vk::ClearColorValue { float32 } });
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1);
        cmd.begin_rendering(&info.color_attachments(&[attachment]))?;
        cmd.end_rendering();
        Ok(())
    }
}

/// What is no number, is not finite or is far too bright in some frames is gone soon after.
#[test]
fn what_is_not_finite_does_not_stay() {
    let gpu = shared();
    let document = "(nodes: [StandardFrame(bare: true, temporal: true, shadow_tile: 512, shadow_cascades: 1, before_tonemap: [Host(name: \"broken\", \
                    view: \"Camera\", writes: [\"SceneHdr\"])])])";
    let view = flown(0, TINY);
    let mut whole = hills_in_frame(&gpu, document, true, TINY);
    let wanted = draw_frames(&mut whole, &view, 4 + 4 * FRAMES);
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 60000.0] {
        let mut stage = hills_in_frame(&gpu, document, true, TINY);
        for broken in [None, Some([value; 4]), Some([value; 4]), None] {
            stage.draw_with(&view, &mut Breaks(broken)).unwrap();
        }
        let picture = draw_frames(&mut stage, &view, 4 * FRAMES);
        let difference = wanted.difference(&picture).unwrap();
        // 108 pixels were broken; at the edge of them a few codes are left of what was as bright as can be.
        assert!(difference.within(2) >= 0.995 && difference.most <= 8, "{value}: {difference:?}");
    }
    gpu.assert_silent();
}

/// Planes of different sizes are no pixels of each other.
#[test]
fn planes_of_another_size_are_refused() {
    let gpu = shared();
    let document = RESOLVED.replace("nodes:", "targets: [(name: \"SceneMotion\", format: Rg16Float, size: Output(0.5)), (name: \"SceneDepth\", format: Depth32Float)], nodes:");
    let mut stage = hills_in_frame(&gpu, &document, false, TINY);
    let why = stage.draw_with(&flown(0, TINY), &mut ()).unwrap_err().to_string();
    assert!(why.contains("give them one size"), "{why}");
    gpu.assert_silent();
}

/// What is metered is resolved for what was metered: a host that says another exposure, which is then shown nowhere, has the same
/// picture.
#[test]
fn a_metered_picture_is_resolved_as_it_is_shown() {
    let gpu = shared();
    let document = "(nodes: [StandardFrame(bare: true, temporal: true, metered: true, shadow_tile: 256, shadow_cascades: 1)])";
    let [told, wrong] = [None, Some(-12.0)].map(|ev100| {
        let mut stage = hills_in_frame(&gpu, document, false, TINY);
        stage.ev100 = ev100;
        draw_frames(&mut stage, &flown(0, TINY), 4 * FRAMES)
    });
    let flip = mean_flip(&told, &wrong).unwrap();
    // But for what is left of the first frames, before the host knew what was metered.
    assert!(flip <= 0.01, "{flip}");
    gpu.assert_silent();
}

/// A view is known by its number: one that stands elsewhere in the list goes on where it was.
#[test]
fn a_view_that_is_listed_elsewhere_is_the_same() {
    let gpu = shared();
    let [camera, other] = [flown(0, TINY), View { id: ViewId(9), ..elsewhere(TINY) }];
    let [kept, swapped] = [false, true].map(|swap| {
        let mut stage = hills_in_frame(&gpu, RESOLVED, false, TINY);
        let mut views = [("Camera", camera), ("Mirror", other)];
        for _ in 0..8 {
            stage.draw_views(&views, &mut ()).unwrap();
            if swap {
                views.swap(0, 1);
            }
        }
        stage.offscreen.read_color().unwrap()
    });
    let mut fresh = hills_in_frame(&gpu, RESOLVED, false, TINY);
    assert_ne!(kept, fresh.draw(&camera), "eight frames show more than one");
    assert_eq!(kept, swapped);
    gpu.assert_silent();
}

/// Frames of a flight write no descriptor and make nothing, though what is drawn into and what is read take turns.
#[test]
fn a_steady_frame_writes_nothing() {
    let gpu = shared();
    let mut stage = hills_in_frame(&gpu, RESOLVED, true, SMALL);
    stage.assert_steady((0..16).map(|step| flown(step, SMALL)), 8);
    gpu.assert_silent();
}
