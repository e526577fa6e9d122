//! Frames that are more than one picture of one view: several in flight, several views, targets of other sizes and of the host's,
//! entities that come and go, far from the world's origin.

use ash::vk;
use glam::{DVec2, DVec3, Vec3};
use landform::draw::{FrameHost, HostImage, HostScope};
use landform::frame::{TerrainComponent, TerrainScene};
use landform::gpu::{Cmd, Image, ImageDesc, Usage};
use landform::light::Lamp;
use landform::plan::{Placement, View, ViewId, Viewport};
use landform::query::height_at;
use landform_device_tests::{FrameStage, hills, look};
use landform_harness::{Frames, Gpu, Image8, Limit, compare_or_write, mean_flip, shared};
use std::sync::Arc;

const SIZE: (u32, u32) = (160, 90);

/// What motion is shown as where nothing moved.
const STILL: [u8; 3] = [188, 188, 188];

fn view(east: f64) -> View {
    look(DVec3::new(700.0 + east, 260.0, 1500.0), 18.0, -14.0, Viewport::whole(SIZE.0, SIZE.1))
}

fn stage(gpu: &Arc<Gpu>, document: &str) -> FrameStage {
    let mut stage = FrameStage::new(gpu, hills(513, 513), document, SIZE.0, SIZE.1);
    stage.set_sun(12.0, 60.0);
    stage
}

/// Lamps over the ground before the camera.
fn lamps() -> Vec<Lamp> {
    let field = hills(513, 513);
    let lamp = |at: u32| {
        let place = DVec2::new(680.0 + 60.0 * f64::from(at % 6), 1000.0 - 60.0 * f64::from(at / 6));
        let ground = height_at(&field, place).unwrap();
        Lamp {
            position: DVec3::new(place.x, ground + 25.0, place.y),
            intensity: Vec3::new(60_000.0, 30_000.0, 8_000.0),
            range: 120.0,
            cone: None,
        }
    };
    (0..24).map(lamp).collect()
}

/// Pixels of a shown motion plane that moved.
fn moved(shown: &Image8) -> usize {
    shown.pixels().filter(|pixel| (0..3).any(|at| pixel[at].abs_diff(STILL[at]) > 1)).count()
}

/// Eight frames, two in flight and none waited for, each of another view, under another sun and with other lamps: each is the
/// picture that a fresh compositor draws.
#[test]
fn frames_in_flight_are_each_their_own() {
    let gpu = shared();
    let document = "(nodes: [StandardFrame(bare: true, split: true, motion: true, shadow_tile: 256)])";
    let mut stage = stage(&gpu, document);
    stage.draw(&view(0.0));
    let sun = |frame: u32| 8.0 + 9.0 * f64::from(frame);
    let mut frames = Frames::new(&gpu).unwrap();
    let mut drawn = Vec::new();
    for frame in 0..8u32 {
        stage.set_sun(sun(frame), 60.0);
        stage.lamps = lamps().split_off(3 * frame as usize);
        let raw = frames.begin().unwrap();
        stage.device.begin_frame();
        stage.record(raw, &[("Camera", view(20.0 * f64::from(frame)))], &mut ()).unwrap();
        frames.submit(vk::SubmitInfo::default()).unwrap();
        let next = stage.fresh_target();
        drawn.push(std::mem::replace(&mut stage.offscreen, next));
    }
    // Waits for all of them.
    drop(frames);
    for (frame, mut offscreen) in drawn.into_iter().enumerate() {
        let mut fresh = self::stage(&gpu, document);
        fresh.set_sun(sun(frame as u32), 60.0);
        fresh.lamps = lamps().split_off(3 * frame);
        let expected = fresh.draw(&view(20.0 * frame as f64));
        let picture = offscreen.read_color().unwrap();
        compare_or_write(&format!("compositor-flight-{frame}"), &picture, &expected, Limit::EXACT).unwrap();
    }
    gpu.assert_silent();
}

/// A target that the host gives is drawn into, and comes back as the host wants it; one that is not given, or of the wrong kind, is
/// named.
#[test]
fn a_target_may_be_the_hosts() {
    let gpu = shared();
    let own = "(targets: [(name: \"SceneHdr\", format: Rgba16Float)], nodes: [StandardFrame(bare: true, shadow_tile: 256)])";
    let expected = stage(&gpu, own).draw(&view(0.0));
    let hosts = own.replace("Rgba16Float)", "Rgba16Float, host: true)");
    let mut stage = stage(&gpu, &hosts);
    let why = stage.draw_with(&view(0.0), &mut ()).unwrap_err().to_string();
    assert!(why.contains("'SceneHdr' is the host's, which bound no image"), "{why}");
    let make = |format, usage: vk::ImageUsageFlags| {
        let desc =
            ImageDesc { name: "host's", extent: [SIZE.0, SIZE.1], format, usage, ..ImageDesc::default() };
        Image::new(&stage.device, &desc).unwrap()
    };
    let sampled = vk::ImageUsageFlags::SAMPLED;
    let color = make(vk::Format::R16G16B16A16_SFLOAT, sampled | vk::ImageUsageFlags::COLOR_ATTACHMENT);
    let depth = make(vk::Format::D32_SFLOAT, sampled | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT);
    let host = |image: &Image, from| HostImage {
        image: image.raw(),
        view: image.view(),
        revision: 0,
        format: image.format(),
        extent: [SIZE.0, SIZE.1],
        from,
        to: Usage::FragmentRead,
    };
    stage.targets = vec![("SceneHdr", host(&depth, Usage::Undefined))];
    let why = stage.draw_with(&view(0.0), &mut ()).unwrap_err().to_string();
    assert!(why.contains("bind one of its kind"), "{why}");
    for from in [Usage::Undefined, Usage::FragmentRead, Usage::Discard] {
        stage.targets = vec![("SceneHdr", host(&color, from))];
        assert_eq!(stage.draw(&view(0.0)), expected);
    }
    gpu.assert_silent();
}

/// A mirror beside the camera, with targets and plans of its own: neither picture knows of the other.
#[test]
fn two_views_are_two_pictures() {
    let gpu = shared();
    let targets = "(name: \"Hdr\", format: Rgba16Float), (name: \"Z\", format: Depth32Float), (name: \"MirrorHdr\", format: \
                   Rgba16Float), (name: \"MirrorZ\", format: Depth32Float), (name: \"Sun\", format: Depth32Float, size: Shadow)";
    let of = |view: &str, prefix: &str| {
        let place = format!("output: \"{prefix}Hdr\", depth: \"{prefix}Z\", view: \"{view}\"");
        format!(
            "Pass(stage: Main, {place}, shadow_atlas: \"Sun\"), Terrain({place}, shadow_atlas: \"Sun\"), Sky({place}),"
        )
    };
    let (camera, mirror) = (of("Camera", ""), of("Mirror", "Mirror"));
    let document = |nodes: &str, shown: &str| {
        format!(
            "(views: [\"Camera\", \"Mirror\"], targets: [{targets}], nodes: [ShadowMap(atlas: \"Sun\", tile: 256), {nodes} \
             Tonemap(input: \"{shown}\")])"
        )
    };
    let views = [
        ("Camera", view(0.0)),
        (
            "Mirror",
            View {
                id: ViewId(1),
                ..look(DVec3::new(900.0, 300.0, 900.0), 190.0, -20.0, Viewport::whole(SIZE.0, SIZE.1))
            },
        ),
    ];
    let picture = |document: &str| {
        let mut stage = stage(&gpu, document);
        stage.lamps = lamps();
        for _ in 0..2 {
            stage.draw_views(&views, &mut ()).unwrap();
        }
        stage.offscreen.read_color().unwrap()
    };
    let both = format!("{camera} {mirror}");
    let alone = picture(&document(&camera, "Hdr"));
    assert_eq!(picture(&document(&both, "Hdr")), alone);
    let alone_mirror = picture(&document(&mirror, "MirrorHdr"));
    assert_eq!(picture(&document(&both, "MirrorHdr")), alone_mirror);
    assert_ne!(alone, alone_mirror);
    gpu.assert_silent();
}

/// Targets of more or fewer pixels than the output are the same picture: lamps, planes and shadows lie where they lay.
#[test]
fn targets_of_another_size_are_the_same_picture() {
    let gpu = shared();
    let document = |size: &str, split: bool| {
        let planes = "(name: \"SceneAlbedo\", format: Rgba8Srgb, SIZE), (name: \"SceneNormals\", format: Rgba16Float, SIZE), \
                      (name: \"SceneSpecular\", format: Rgba8Unorm, SIZE),";
        let planes = if split { planes } else { "" };
        let text = format!(
            "(targets: [(name: \"SceneHdr\", format: Rgba16Float, SIZE), (name: \"SceneDepth\", format: Depth32Float, SIZE), \
             {planes}], nodes: [StandardFrame(bare: true, shadow_tile: 512)])"
        );
        text.replace("SIZE", &format!("size: Output({size})"))
    };
    let picture = |size: &str, split: bool, lit: bool| {
        let mut stage = stage(&gpu, &document(size, split));
        stage.set_sun(-8.0, 60.0);
        stage.ev100 = Some(0.0);
        if lit {
            stage.lamps = lamps();
        }
        stage.draw(&view(0.0))
    };
    // With so many samples a pixel nothing is left of their places.
    let expected = picture("4.0", false, true);
    let dark = mean_flip(&expected, &picture("4.0", false, false)).unwrap();
    for (size, split, most) in [
        ("1.0", true, 0.04),
        ("1.5", false, 0.035),
        ("1.5", true, 0.035),
        ("2.0", false, 0.03),
        ("0.5", false, 0.055),
        ("0.5", true, 0.055),
    ] {
        let flip = mean_flip(&expected, &picture(size, split, true)).unwrap();
        println!("targets of {size}: mean FLIP {flip:.3} to one of 4; {dark:.3} without lamps");
        assert!(flip < most && flip < 0.75 * dark, "{size} {split}: {flip} of {dark}");
    }
    gpu.assert_silent();
}

/// What reads planes pixel by pixel refuses those of another size, and a plain picture refuses no number it can draw.
#[test]
fn planes_of_another_size_and_exposures_that_are_none_are_refused() {
    let gpu = shared();
    let document = "(targets: [(name: \"SceneHdr\", format: Rgba16Float, size: Output(0.5)), (name: \"Z\", format: \
                    Depth32Float)], views: [\"Camera\"], nodes: [Host(name: \"own\", clears: [\"SceneHdr\", \"Z\"]), Sky(depth: \
                    \"Z\"), Tonemap()])";
    let mut stage = stage(&gpu, document);
    let why = stage.draw_with(&view(0.0), &mut ()).unwrap_err().to_string();
    assert!(why.contains("node 2 of 3, Sky") && why.contains("80×45") && why.contains("160×90"), "{why}");
    // A node that is off clears targets of any size.
    assert!(stage.compositor.set_enabled(0, false) && stage.compositor.set_enabled(1, false));
    stage.draw_with(&view(0.0), &mut ()).unwrap();
    for ev100 in [f32::NAN, f32::INFINITY, 25.0, -17.0] {
        stage.ev100 = Some(ev100);
        let why = stage.draw_with(&view(0.0), &mut ()).unwrap_err().to_string();
        assert!(why.contains("use -16 to 24"), "{why}");
    }
    stage.ev100 = None;
    stage.light.as_mut().unwrap().sun_illuminance = Vec3::splat(1e9);
    stage.compositor.set_enabled(1, true);
    let why = stage.draw_with(&view(0.0), &mut ()).unwrap_err().to_string();
    assert!(why.contains("a sun of") && why.contains("use 0 to 10000000"), "{why}");
    gpu.assert_silent();
}

/// 500 km from the world's origin the picture is the one at the origin, but for where the texels of shadows lie.
#[test]
fn a_frame_far_from_the_origin() {
    let gpu = shared();
    let document = "(nodes: [StandardFrame(bare: true, split: true, shadow_tile: 1024)])";
    let mut stage = stage(&gpu, document);
    stage.lamps = lamps();
    let here = stage.draw(&view(0.0));
    let away = DVec3::new(500_000.25, 40.5, -300_000.75);
    stage.scene.entities[0].placement = Placement::at(away);
    for lamp in &mut stage.lamps {
        lamp.position += away;
    }
    let mut far = view(0.0);
    far.position += away;
    let there = stage.draw(&far);
    let (flip, within) = (mean_flip(&here, &there).unwrap(), {
        let difference = here.pixels().zip(there.pixels());
        difference.filter(|(one, other)| (0..3).all(|at| one[at].abs_diff(other[at]) <= 3)).count()
    });
    println!("500 km away: mean FLIP {flip:.4}, {within} of {} pixels within 3 codes", SIZE.0 * SIZE.1);
    assert!(flip < 0.01 && within as u32 * 100 > SIZE.0 * SIZE.1 * 97, "{flip} {within}");
    gpu.assert_silent();
}

/// Motion is drawn by the nodes that draw it and by no others, and a sky that turns moves.
#[test]
fn motion_is_its_nodes() {
    let gpu = shared();
    let mut stage = stage(&gpu, "(nodes: [StandardFrame(bare: true, motion: true, shadow_tile: 64)])");
    stage.compositor.show(Some("SceneMotion")).unwrap();
    let turned = |yaw: f32, east: f64| {
        look(DVec3::new(700.0 + east, 260.0, 1500.0), 18.0 + yaw, -14.0, Viewport::whole(SIZE.0, SIZE.1))
    };
    let node = |stage: &FrameStage, label: &str| {
        stage.compositor.document().nodes.iter().position(|node| node.label() == label).unwrap()
    };
    let (ground, sky, all) = (node(&stage, "TerrainVelocity"), node(&stage, "SkyVelocity"), SIZE.0 * SIZE.1);
    stage.draw(&turned(0.0, 0.0));
    assert_eq!(moved(&stage.draw(&turned(0.0, 0.0))), 0, "what stands still does not move");
    let both = moved(&stage.draw(&turned(1.0, 0.0)));
    assert_eq!(both, all as usize, "a turn moves all of it");
    stage.compositor.set_enabled(ground, false);
    let of_sky = moved(&stage.draw(&turned(2.0, 0.0)));
    stage.compositor.set_enabled(ground, true);
    stage.compositor.set_enabled(sky, false);
    let of_ground = moved(&stage.draw(&turned(3.0, 0.0)));
    println!("moved: {of_ground} of the ground, {of_sky} of the sky, {both} of both");
    assert!(
        of_sky > 1000 && of_ground > 1000 && of_ground.abs_diff(all as usize - of_sky) < all as usize / 20
    );
    stage.compositor.set_enabled(sky, true);
    let moving = moved(&stage.draw(&turned(3.0, 4.0)));
    assert!(
        moving > 1000 && moving.abs_diff(of_ground) < all as usize / 20,
        "a step moves the ground alone: {moving}"
    );
    // A cut, and another view under the same name, have moved nowhere.
    assert_eq!(moved(&stage.draw(&View { cut: true, ..turned(90.0, 50.0) })), 0);
    assert_eq!(moved(&stage.draw(&View { id: ViewId(7), ..turned(10.0, -50.0) })), 0);
    assert_eq!(moved(&stage.draw(&View { id: ViewId(7), ..turned(11.0, -50.0) })), all as usize);
    gpu.assert_silent();
}

/// Where an entity before it leaves the scene, or one joins, an entity's ground has not moved.
#[test]
fn entities_keep_their_own_motion() {
    let gpu = shared();
    let away = Placement::at(DVec3::new(300.0, 120.0, -900.0));
    // A flight of three frames, and what happens to the scene before the last of them.
    let flight = |alone: bool, happens: fn(&mut TerrainScene)| {
        let mut stage = stage(&gpu, "(nodes: [StandardFrame(bare: true, motion: true, shadow_tile: 64)])");
        stage.compositor.show(Some("SceneMotion")).unwrap();
        let component = stage.scene.entities[0].component.clone();
        stage.scene.add(component, away);
        if alone {
            stage.scene.entities.remove(0);
        }
        stage.draw(&view(0.0));
        stage.draw(&view(3.0));
        happens(&mut stage.scene);
        stage.draw(&view(6.0))
    };
    let both = flight(false, |_| {});
    assert!(moved(&both) > 1000, "the camera flies");
    assert_eq!(both, flight(false, |scene| scene.entities.swap(0, 1)), "another order");
    let second = flight(true, |_| {});
    assert_ne!(both, second);
    let removed = flight(false, |scene| drop(scene.entities.remove(0)));
    assert_eq!(second, removed, "the one that stays stood there before");
    let added = flight(true, |scene| {
        scene.add(TerrainComponent::of("ground"), Placement::at(DVec3::new(0.0, -5000.0, 0.0)));
        scene.entities.swap(0, 1);
    });
    assert_eq!(second, added, "a new one before it, far below");
    gpu.assert_silent();
}

/// What was drawn last is not what a frame that was lost would have drawn.
#[test]
fn a_frame_that_was_lost_moves_nothing() {
    let gpu = shared();
    let mut stage = stage(&gpu, "(nodes: [StandardFrame(bare: true, motion: true, shadow_tile: 64)])");
    stage.compositor.show(Some("SceneMotion")).unwrap();
    stage.draw(&view(0.0));
    stage.lose(&view(9.0));
    assert_eq!(moved(&stage.draw(&view(0.0))), 0);
    assert!(moved(&stage.draw(&view(9.0))) > 1000);
    gpu.assert_silent();
}

/// A host that fills one target that its node names and reads how large they are.
struct Reading(Vec<[u32; 2]>);

impl FrameHost for Reading {
    fn record(&mut self, cmd: &Cmd<'_>, _: &str, scope: &HostScope<'_>) -> landform::Result<()> {
        let small = scope.target("Small").expect("what the node clears");
        let attachment = vk::RenderingAttachmentInfo::default()
            .image_view(small.view.view)
            .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(vk::ClearValue { color: vk::ClearColorValue { float32: [1.0; 4] } });
        let [width, height] = small.extent;
        let area = vk::Rect2D { extent: vk::Extent2D { width, height }, ..vk::Rect2D::default() };
        let info = vk::RenderingInfo::default().layer_count(1).render_area(area);
        cmd.begin_rendering(&info.color_attachments(&[attachment]))?;
        cmd.end_rendering();
        self.0.extend(["SceneHdr", "Small"].iter().filter_map(|name| Some(scope.target(name)?.extent)));
        Ok(())
    }
}

/// A node of the host's has targets of any size, and off it clears them.
#[test]
fn a_nodes_targets_may_differ_in_size() {
    let gpu = shared();
    let document = "(targets: [(name: \"Small\", format: R8Unorm, size: Pixels(8, 4))], nodes: [StandardFrame(bare: true, shadow_tile: 64, \
                    after_opaque: [Host(name: \"probe\", clears: [\"Small\"], writes: [\"SceneHdr\"])])])";
    let mut stage = stage(&gpu, document);
    let mut host = Reading(Vec::new());
    stage.draw_with(&view(0.0), &mut host).unwrap();
    assert_eq!(host.0, [[SIZE.0, SIZE.1], [8, 4]]);
    let labels: Vec<_> = stage.compositor.document().nodes.iter().map(|node| node.label()).collect();
    let probe = labels.iter().position(|label| label.contains("probe")).unwrap();
    stage.compositor.show(Some("Small")).unwrap();
    stage.draw_with(&view(0.0), &mut host).unwrap();
    let filled = stage.offscreen.read_color().unwrap();
    assert!(filled.pixels().all(|pixel| pixel[0] > 200), "what the host left in it");
    stage.compositor.set_enabled(probe, false);
    let shown = stage.draw(&view(0.0));
    assert!(shown.pixels().all(|pixel| pixel[0] == 0), "off, it clears");
    gpu.assert_silent();
}
