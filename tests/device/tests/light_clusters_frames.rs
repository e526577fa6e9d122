//! Pictures that the device's lists light: those of the CPU's, in whole frames, of several views, and in frames that overlap or are lost.

use ash::vk;
use glam::camera::rh::proj::directx;
use glam::{DVec3, Vec3};
use landform::light::{ClusterGrid, Cone, Lamp};
use landform::plan::{TerrainSettings, View, ViewId, Viewport};
use landform_device_tests::{Dice, FrameStage, Lighting, LitStage, Planes, hills, look};
use landform_harness::{Frames, Gpu, Image8, repository, shared, write_png};
use std::sync::Arc;

/// What they light is the same picture, to the last bit: the same lamps are added up in the same order.
#[test]
fn a_picture_is_the_cpu_s() {
    let gpu = shared();
    let size = [192, 108];
    let mut stage = LitStage::new(&gpu, hills(257, 257), TerrainSettings::default(), size);
    let mut dice = Dice::new(21);
    let lamp = |index: usize| {
        let position = DVec3::new(512.0 * dice.roll(), dice.between(40.0, 190.0), 512.0 * dice.roll());
        let outer = dice.between(0.2, 1.2) as f32;
        let toward = (dice.direction() - DVec3::Y * 0.5).as_vec3();
        Lamp {
            position,
            intensity: Vec3::new(0.5, 1.0, 1.5) * 1e5,
            range: dice.between(8.0, 80.0) as f32,
            cone: index.is_multiple_of(2).then_some(Cone { toward, inner: 0.6 * outer, outer }),
        }
    };
    let lamps: Vec<Lamp> = (0..400).map(lamp).collect();
    let whole = stage.viewport();
    let part = Viewport { x: 37.0, y: 11.0, width: 121.0, height: 83.0 };
    let flat = directx::orthographic(-200.0, 200.0, -112.0, 112.0, 900.0, 1.0);
    let seen = DVec3::new(250.0, 210.0, 500.0);
    let tilted = View::looking(0.4, -60f32.to_radians());
    for view in [
        look(seen, 4.0, -25.0, whole),
        View { viewport: part, ..look(seen, 4.0, -25.0, part) },
        look(DVec3::new(250.0, 160.0, 330.0), -20.0, -35.0, whole),
        View::with_projection(DVec3::new(256.0, 420.0, 400.0), tilted, flat, whole),
    ] {
        // One cell: every lamp is asked at every pixel.
        let one = ClusterGrid { columns: 1, rows: 1, slices: 1 };
        let all = Lighting { lamps: lamps.clone(), grid: one, ..Lighting::sun(DVec3::Y, 0.0) };
        let all = stage.draw(&view, &all, Planes::Luminance);
        for grid in [ClusterGrid::default(), ClusterGrid { columns: 7, rows: 5, slices: 40 }] {
            let lighting = Lighting { lamps: lamps.clone(), grid, ..Lighting::sun(DVec3::Y, 0.0) };
            let cpu = stage.draw(&view, &lighting, Planes::Luminance);
            let device = stage.draw(&view, &Lighting { on_device: true, ..lighting }, Planes::Luminance);
            let lit = cpu.ground().filter(|&pixel| cpu.light(pixel) != Vec3::ZERO).count();
            assert!(lit > 2000, "{lit} pixels are lit");
            assert!(cpu.luminance == device.luminance, "{grid:?}");
            assert!(all.luminance == device.luminance, "{grid:?}: what is not listed lights something");
        }
    }
    gpu.assert_silent();
}

const SMALL: (u32, u32) = (160, 90);

fn camera((width, height): (u32, u32)) -> View {
    look(DVec3::new(640.0, 215.0, 985.0), 6.0, -17.0, Viewport::whole(width, height))
}

/// Candela of a lamp, over the square of its range.
const INTENSITY: f32 = 1.2;

/// Hills after sunset, with lamps on them.
fn dusk(gpu: &Arc<Gpu>, document: &str, size: (u32, u32), count: usize) -> FrameStage {
    let field = hills(513, 513);
    let height = |x: f64, z: f64| landform::query::height_at(&field, glam::DVec2::new(x, z)).unwrap_or(0.0);
    let mut dice = Dice::new(3);
    let lamp = |index: usize| {
        let (x, z) = (dice.between(300.0, 1000.0), dice.between(400.0, 960.0));
        let colours = [Vec3::new(1.0, 0.72, 0.4), Vec3::new(1.0, 0.55, 0.25), Vec3::new(0.7, 0.85, 1.0)];
        let range = dice.between(18.0, 55.0) as f32;
        let toward = dice.direction().as_vec3() - Vec3::Y;
        let cone = Cone { toward, inner: 0.35, outer: 0.7 };
        Lamp {
            position: DVec3::new(x, height(x, z) + dice.between(3.0, 9.0), z),
            intensity: colours[index % 3] * range * range * INTENSITY,
            range,
            cone: (index % 3 == 1).then_some(cone),
        }
    };
    let lamps = (0..count).map(lamp).collect();
    let mut stage = FrameStage::new(gpu, field, document, size.0, size.1);
    stage.set_sun(-7.0, 250.0);
    stage.lamps = lamps;
    stage
}

fn mean(picture: &Image8) -> f64 {
    let bytes = picture.data.iter().enumerate().filter(|(at, _)| at % 4 != 3);
    bytes.map(|(_, byte)| f64::from(*byte)).sum::<f64>() / (picture.data.len() as f64 * 0.75)
}

/// The node's place.
fn node(stage: &FrameStage) -> usize {
    let nodes = &stage.compositor.document().nodes;
    nodes.iter().position(|node| node.kind() == "LightClusters").expect("the node")
}

/// A frame whose document has the node is the frame without it, on or off; lost it is drawn again.
#[test]
fn a_frame_is_the_same_with_the_node() {
    let gpu = shared();
    let without = "(nodes: [StandardFrame(bare: true, shadow_tile: 64)])";
    let with = "(nodes: [StandardFrame(bare: true, clusters: true, shadow_tile: 64)])";
    let view = camera(SMALL);
    let mut cpu = dusk(&gpu, without, SMALL, 200);
    let expected = cpu.draw(&view);
    let lamps = std::mem::take(&mut cpu.lamps);
    let dark = cpu.draw(&view);
    assert!(mean(&expected) > mean(&dark) + 2.0, "{} and {}", mean(&expected), mean(&dark));
    let mut stage = dusk(&gpu, with, SMALL, 200);
    stage.lose(&view);
    assert!(stage.draw(&view) == expected);
    let at = node(&stage);
    assert!(stage.compositor.set_enabled(at, false));
    assert!(stage.draw(&view) == expected, "off, the CPU sorts");
    assert!(stage.compositor.lamp_lists(at).is_none());
    assert!(stage.compositor.set_enabled(at, true));
    stage.lose(&view);
    assert!(stage.draw(&view) == expected);
    let counted = |stage: &mut FrameStage| {
        // A frame's numbers come back when its slot does.
        for _ in 0..stage.device.slots() {
            stage.draw(&view);
        }
        stage.compositor.lamp_lists(at).unwrap()
    };
    let lists = counted(&mut stage);
    assert!(lists.listed > 1000 && lists.left_out == 0, "{lists:?}");
    assert!(stage.compositor.lamp_lists(at + 1).is_none());
    stage.lamps.clear();
    assert!(stage.draw(&view) == dark);
    assert_eq!(counted(&mut stage).listed, 0, "without lamps none are counted");
    stage.lamps = lamps;
    assert!(stage.draw(&view) == expected);
    stage.compositor.set_enabled(at, false);
    stage.lamps.clear();
    assert!(stage.draw(&view) == dark, "off, and without lamps");
    gpu.assert_silent();
}

/// Two views with lists of their own, side by side and of changing sizes.
#[test]
fn two_views_of_changing_sizes() {
    let gpu = shared();
    let document = |clusters: &str| {
        let half = |view: &str, stage: &str| {
            format!(
                "{clusters}Pass(stage: Main, view: \"VIEW\", output: \"{stage}\", depth: \"{stage}Z\"), \
                 Terrain(view: \"VIEW\", output: \"{stage}\", depth: \"{stage}Z\"), "
            )
            .replace("VIEW", view)
        };
        format!(
            "(views: [\"Left\", \"Right\"], targets: [(name: \"L\", format: Rgba16Float), (name: \"R\", format: \
             Rgba16Float), (name: \"LZ\", format: Depth32Float), (name: \"RZ\", format: Depth32Float), \
             (name: \"ShadowAtlas\", format: Depth32Float, size: Shadow)], nodes: [ShadowMap(view: \"Left\", tile: \
             64, cascades: 2), {}{}Tonemap(input: \"INPUT\")])",
            half("Left", "L"),
            half("Right", "R")
        )
    };
    let eyes = |size: (u32, u32)| {
        let left = camera(size);
        let right = View { id: ViewId(1), position: left.position + DVec3::new(60.0, 20.0, -200.0), ..left };
        [("Left", left), ("Right", right)]
    };
    for input in ["L", "R"] {
        let text = |clusters| document(clusters).replace("INPUT", input);
        let mut on_device = dusk(&gpu, &text("LightClusters(view: \"VIEW\"), "), SMALL, 200);
        let mut cpu = dusk(&gpu, &text(""), SMALL, 200);
        for size in [SMALL, (97, 60), (200, 44), SMALL] {
            for stage in [&mut on_device, &mut cpu] {
                stage.resize(size.0, size.1);
                stage.draw_views(&eyes(size), &mut ()).unwrap();
            }
            let device = on_device.offscreen.read_color().unwrap();
            let expected = cpu.offscreen.read_color().unwrap();
            assert!(device == expected && mean(&device) > 4.0, "{input} at {size:?}: {}", mean(&device));
        }
    }
    gpu.assert_silent();
}

/// A steady frame writes no descriptor and makes nothing, whatever the camera and the lamps do.
#[test]
fn a_steady_frame_writes_nothing() {
    let gpu = shared();
    let mut stage =
        dusk(&gpu, "(nodes: [StandardFrame(bare: true, clusters: true, shadow_tile: 64)])", SMALL, 200);
    let mut before = None;
    for step in 0..14 {
        let mut view = camera(SMALL);
        view.position.z -= f64::from(step);
        stage.lamps.iter_mut().for_each(|lamp| lamp.position.y += 0.1);
        stage.draw_with(&view, &mut ()).unwrap();
        let now = (stage.device.descriptor_writes(), stage.device.live_resources().len());
        if step >= 6 {
            assert_eq!(*before.get_or_insert(now), now, "at step {step}");
        }
    }
    gpu.assert_silent();
}

/// Frames that overlap: each draws what it would alone, whatever lamps the one before had.
#[test]
fn frames_in_flight() {
    let gpu = shared();
    let document = "(nodes: [StandardFrame(bare: true, clusters: true, shadow_tile: 64)])";
    let mut alone = dusk(&gpu, document, SMALL, 300);
    let mut stage = dusk(&gpu, document, SMALL, 300);
    let lamps = stage.lamps.clone();
    let mut frames = Frames::new(&gpu).unwrap();
    // Fewer, more than there was room for, none.
    for (step, count) in [40, 300, 0, 300, 7, 300, 150].into_iter().enumerate() {
        let mut view = camera(SMALL);
        view.position.x += 5.0 * step as f64;
        let raw = frames.begin().unwrap();
        stage.device.begin_frame();
        stage.lamps = lamps[..count].to_vec();
        stage.record(raw, &[("Camera", view)], &mut ()).unwrap();
        frames.submit(vk::SubmitInfo::default()).unwrap();
        if step % 2 == 1 {
            gpu.wait_idle();
            alone.lamps = lamps[..count].to_vec();
            assert!(stage.offscreen.read_color().unwrap() == alone.draw(&view), "frame {step}");
        }
    }
    gpu.wait_idle();
    gpu.assert_silent();
}

/// Two nearby poses over a whole picture: no cell's border is seen, for the CPU's frame has the same pixels; and what is lit moves with
/// the ground. The pictures are for people: out/clusters-*.png.
#[test]
fn dusk_on_the_hills() {
    let gpu = shared();
    let size = (640, 360);
    let mut on_device =
        dusk(&gpu, "(nodes: [StandardFrame(bare: true, clusters: true, shadow_tile: 64)])", size, 300);
    let mut cpu = dusk(&gpu, "(nodes: [StandardFrame(bare: true, shadow_tile: 64)])", size, 300);
    let mut pictures = Vec::new();
    for step in 0..2 {
        let mut view = camera(size);
        view.position.x += 0.02 * f64::from(step);
        let picture = on_device.draw(&view);
        assert!(picture == cpu.draw(&view), "at pose {step}");
        write_png(repository().join(format!("out/clusters-{step}.png")), &picture).unwrap();
        pictures.push(picture);
    }
    let moved = pictures[0].difference(&pictures[1]).unwrap();
    println!("{moved:?}");
    let jumps = pictures[0].pixels().zip(pictures[1].pixels());
    let jumps = jumps.filter(|(a, b)| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 24)).count();
    assert!(jumps < 60, "{jumps} pixels change by two centimetres of the camera's");
    gpu.assert_silent();
}
