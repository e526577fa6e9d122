//! Meshes of a host's in a compositor's frame: boxes that cast, stand in shade, are lit by sun, sky and lamps as the ground is, and
//! write their motion.

use glam::{DVec2, DVec3, Vec3};
use landform::draw::{Compositor, FrameLight, HostFragment, HostFragmentDesc, ViewLight};
use landform::field::Field;
use landform::frame::TerrainFactory;
use landform::light::{Harmonics, Lamp};
use landform::plan::{TerrainSettings, View, Viewport};
use landform::splat::Splat;
use landform_device_tests::{
    Boxes, FrameStage, Lighting, LitStage, Place, Planes, Recording, SolidBox, TargetReader, compile_host,
    drawn, look, of_heights, placed, toward_sun,
};
use landform_harness::{Clear, Gpu, shared};
use std::sync::Arc;

const SIZE: [u32; 2] = [320, 180];
/// Metres of the plain.
const PLAIN: f64 = 10.0;
/// Where the sun stands: degrees high, in the west.
const SUN: [f64; 2] = [35.0, 270.0];

/// A plain of 512 m with a ridge of 60 m from north to south in its west.
fn field() -> Field {
    of_heights(257, 2.0, 160.0, |x, _| PLAIN + (60.0 - 2.0 * (x - 60.0).abs()).max(0.0))
}

/// How high the ground is.
fn ground(x: f64) -> f64 {
    PLAIN + (60.0 - 2.0 * (x - 60.0).abs()).max(0.0)
}

/// A tower, a block that lies across its shadow, and one behind the ridge.
fn boxes() -> Vec<SolidBox> {
    vec![
        SolidBox::still(DVec3::new(300.0, PLAIN + 15.0, 256.0), Vec3::new(6.0, 15.0, 6.0)),
        SolidBox::still(DVec3::new(335.0, PLAIN + 1.0, 256.0), Vec3::new(10.0, 1.0, 14.0)),
        SolidBox::still(DVec3::new(100.0, PLAIN + 4.0, 256.0), Vec3::splat(4.0)),
    ]
}

fn view() -> View {
    look(DVec3::new(225.0, 90.0, 390.0), 0.0, -32.0, Viewport::whole(SIZE[0], SIZE[1]))
}

fn document(split: bool, more: &str) -> String {
    document_reaching(600, split, more)
}

/// A document whose shadows reach so many metres.
fn document_reaching(metres: u32, split: bool, more: &str) -> String {
    let reads = "reads: [\"SceneHdr\", \"SceneDepth\", \"SceneMotion\"]";
    format!(
        "(nodes: [StandardFrame(bare: true, split: {split}, motion: true, sky: false, shadow_tile: 1024, shadow_distance: {metres}, {more} \
         before_tonemap: [Host(name: \"read\", {reads})])])"
    )
}

/// A frame of boxes that is read back.
struct Scene {
    stage: FrameStage,
    host: Boxes,
}

/// What was drawn.
struct Picture {
    luminance: Vec<[f32; 4]>,
    depth: Vec<f32>,
    motion: Vec<[f32; 2]>,
}

impl Scene {
    fn new(gpu: &Arc<Gpu>, document: &str, boxes: Vec<SolidBox>) -> Self {
        let mut stage = FrameStage::new(gpu, field(), document, SIZE[0], SIZE[1]);
        stage.set_sun(SUN[0], SUN[1]);
        let reader = TargetReader::new(gpu, &stage.device, &["SceneHdr", "SceneDepth", "SceneMotion"]);
        let host = Boxes::new(&stage.device, reader, boxes);
        Self { stage, host }
    }

    fn draw(&mut self, view: &View) -> Picture {
        self.stage.draw_with(view, &mut self.host).expect("a frame");
        let reader = &self.host.reader;
        Picture {
            luminance: reader.texels("SceneHdr"),
            depth: reader.depth("SceneDepth"),
            motion: reader.pairs("SceneMotion"),
        }
    }
}

impl Picture {
    fn light(&self, pixel: usize) -> Vec3 {
        Vec3::from_slice(&self.luminance[pixel][..3])
    }

    /// What each pixel shows: where it is in the world, and of which box; None for the ground.
    fn seen(&self, view: &View, boxes: &[SolidBox]) -> Vec<(usize, DVec3, Option<usize>)> {
        let pixels = (0..self.depth.len()).filter(|&pixel| self.depth[pixel] > 0.0);
        let seen = pixels.map(|pixel| {
            let at = view.position + placed(view, pixel, self.depth[pixel]).0;
            let inside = |solid: &SolidBox| {
                let above = at.y - ground(at.x) > 0.005;
                above && ((at - solid.centre).abs() - solid.half.as_dvec3()).max_element() < 0.05
            };
            (pixel, at, boxes.iter().position(inside))
        });
        seen.collect()
    }
}

/// The normal of a box at a place of its surface, and how far that is from the box's nearest edge.
fn face(solid: &SolidBox, at: DVec3) -> (DVec3, f64) {
    let inside = solid.half.as_dvec3() - (at - solid.centre).abs();
    let axis = [DVec3::X, DVec3::Y, DVec3::Z][inside
        .to_array()
        .iter()
        .enumerate()
        .fold(0, |least, (i, d)| if *d < inside[least] { i } else { least })];
    let others = inside + axis * 1e9;
    (axis * (at - solid.centre).dot(axis).signum(), others.min_element())
}

/// Whether something stands between a place of a surface and the sun; None within so many metres of a shadow's edge.
fn in_shade(at: DVec3, normal: DVec3, boxes: &[SolidBox], away: f64) -> Option<bool> {
    let sun = toward_sun(SUN[0], SUN[1]);
    let shaded = |at: DVec3| {
        let from = at + sun * 0.2;
        let by_ridge =
            (1..600).map(|step| from + sun * (0.25 * f64::from(step))).any(|at| at.y < ground(at.x));
        by_ridge || boxes.iter().any(|solid| solid.hit(from, sun).is_some())
    };
    let here = shaded(at);
    let (side, other) = normal.any_orthonormal_pair();
    let around = (0..8).map(|step| {
        let (sine, cosine) = (f64::from(step) * std::f64::consts::FRAC_PI_4).sin_cos();
        at + (side * cosine + other * sine) * away
    });
    around.into_iter().all(|at| shaded(at) == here).then_some(here)
}

/// Boxes shade the ground and each other and the ridge shades a box: what a ray says is in shade has the light of the sky alone, and
/// everything else that of a frame without shadows. With split planes and without.
#[test]
fn boxes_and_ground_shade_each_other() {
    let gpu = shared();
    let view = view();
    let mut pictures = Vec::new();
    for split in [false, true] {
        let draw = |sun: bool, reach: u32| {
            let mut scene = Scene::new(&gpu, &document_reaching(reach, split, ""), boxes());
            if let (false, Some(light)) = (sun, &mut scene.stage.light) {
                light.sun_illuminance = Vec3::ZERO;
            }
            scene.draw(&view)
        };
        let (shaded, open, dark) = (draw(true, 600), draw(true, 1), draw(false, 600));
        let mut counts = [[0; 2]; 4];
        for (pixel, at, of) in shaded.seen(&view, &boxes()) {
            // Beside an edge a pixel's middle may lie on another face.
            let (normal, inside) = of.map_or((DVec3::Y, 1e9), |of| face(&boxes()[of], at));
            let turned = normal.dot(toward_sun(SUN[0], SUN[1])) < 0.05;
            if inside < 0.3 || turned || (of.is_none() && ground(at.x) > PLAIN) {
                continue;
            }
            let Some(is_shaded) = in_shade(at, normal, &boxes(), 1.5) else { continue };
            let expected = if is_shaded { dark.light(pixel) } else { open.light(pixel) };
            let off = ((shaded.light(pixel) - expected) / expected).abs().max_element();
            assert!(off < 0.01, "split {split}: {at}, box {of:?}, shade {is_shaded}: off by {off}");
            counts[of.map_or(3, |of| of)][usize::from(is_shaded)] += 1;
        }
        println!("split {split}: pixels in the sun and in shade of each box and of the ground: {counts:?}");
        assert!(counts[0][0] > 100 && counts[1][0] > 50 && counts[1][1] > 30, "{counts:?}");
        assert!(counts[2][1] >= 20 && counts[3].iter().all(|&count| count > 500), "{counts:?}");
        pictures.push(shaded);
    }
    let apart = (0..pictures[0].luminance.len()).map(|pixel| {
        let [one, other] = [0, 1].map(|split| pictures[split].light(pixel));
        ((one - other).abs() / (one.abs() + 1.0)).max_element()
    });
    // The planes store albedo in 8 bits.
    let apart = apart.fold(0f32, f32::max);
    println!("with planes and without: {apart} apart at most");
    assert!(apart < 0.02, "{apart}");
    gpu.assert_silent();
}

/// A level white surface has the luminance of the level ground that it covers, but for the albedo. What shines of both is that of a
/// black surface as rough.
#[test]
fn a_white_box_is_lit_as_the_ground() {
    let gpu = shared();
    let view = look(DVec3::new(335.0, 60.0, 300.0), 0.0, -50.0, Viewport::whole(SIZE[0], SIZE[1]));
    // What ground without layers is: what the planes say of it.
    let reader_names = &["SceneAlbedo", "SceneNormals"];
    let with_planes = document(true, "").replace("\"SceneMotion\"", "\"SceneAlbedo\", \"SceneNormals\"");
    // Eight bits of albedo are steps of a fortieth in what is dark.
    let fine = "(targets: [(name: \"SceneAlbedo\", format: Rgba16Float)], nodes";
    let with_planes = with_planes.replace("(nodes", fine);
    let mut planes = FrameStage::new(&gpu, field(), &with_planes, SIZE[0], SIZE[1]);
    planes.set_sun(SUN[0], SUN[1]);
    let mut reader = TargetReader::new(&gpu, &planes.device, reader_names);
    planes.draw_with(&view, &mut reader).expect("a frame");
    let albedo = Vec3::from_slice(&reader.texels("SceneAlbedo")[0][..3]);
    let roughness = reader.texels("SceneNormals")[0][3];
    let slab = SolidBox::still(DVec3::new(335.0, PLAIN, 262.0), Vec3::new(40.0, 0.01, 40.0));
    for split in [false, true] {
        let mut scene = Scene::new(&gpu, &document(split, ""), Vec::new());
        let mut draw = |albedo: Option<f32>| {
            let of = |albedo| SolidBox { albedo: Vec3::splat(albedo), roughness, ..slab };
            scene.host.boxes = albedo.map(of).into_iter().collect();
            scene.draw(&view)
        };
        let (ground, white, black) = (draw(None), draw(Some(1.0)), draw(Some(0.0)));
        let (mut level, mut worst) = (0, 0f32);
        for (pixel, at, of) in white.seen(&view, &[slab]) {
            if of.is_none() || face(&slab, at).1 < 1.0 {
                continue;
            }
            let shine = black.light(pixel);
            let (found, expected) = (ground.light(pixel) - shine, albedo * (white.light(pixel) - shine));
            worst = worst.max(((found - expected) / expected).abs().max_element());
            level += 1;
        }
        println!("split {split}: {level} pixels, off by {worst}");
        assert!(level > 10_000 && worst < 0.02, "{level} pixels, {worst}");
    }
    gpu.assert_silent();
}

/// At night, under two lamps and no sky, boxes and ground have the light that the papers say.
#[test]
fn lamps_light_boxes_and_ground() {
    let gpu = shared();
    let view = look(DVec3::new(330.0, 40.0, 300.0), 0.0, -32.0, Viewport::whole(SIZE[0], SIZE[1]));
    let lamp = |x: f64, color: Vec3| Lamp {
        position: DVec3::new(x, PLAIN + 8.0, 266.0),
        intensity: color * 2000.0,
        range: 60.0,
        cone: None,
    };
    let lamps = vec![lamp(325.0, Vec3::new(1.0, 0.6, 0.3)), lamp(345.0, Vec3::new(0.3, 0.6, 1.0))];
    for split in [false, true] {
        let mut scene = Scene::new(&gpu, &document(split, ""), boxes());
        scene.stage.lamps = lamps.clone();
        if let Some(light) = &mut scene.stage.light {
            (light.sun_illuminance, light.sky) = (Vec3::ZERO, Harmonics::default());
        }
        let picture = scene.draw(&view);
        let (mut worst, mut lit) = (0f64, 0);
        for (pixel, at, of) in picture.seen(&view, &boxes()) {
            let Some(of) = of else { continue };
            let (normal, inside) = face(&boxes()[of], at);
            let toward_eye = (view.position - at).normalize();
            let place = Place {
                relative: at - view.position,
                normal,
                relief: normal,
                toward_eye,
                albedo: DVec3::ONE,
                roughness: 1.0,
                occlusion: 1.0,
            };
            let expected = lamps.iter().map(|lamp| place.of_lamp(lamp, view.position)).sum::<DVec3>();
            if expected.max_element() < 0.05 || inside < 0.3 {
                continue;
            }
            let off = (picture.light(pixel).as_dvec3() - expected).abs() / expected.max_element();
            worst = worst.max(off.max_element());
            lit += 1;
        }
        println!("split {split}: {lit} lit pixels of boxes, off by {worst}");
        assert!(lit > 500 && worst < 0.02, "{lit} pixels, {worst}");
    }
    gpu.assert_silent();
}

/// Where a place of the world is in a view's picture without jitter, in parts of it.
fn part_of_picture(view: &View, at: DVec3) -> DVec2 {
    let relative = view.rotation.as_dquat().inverse() * (at - view.position);
    let clip = view.unjittered.as_dmat4() * relative.extend(1.0);
    DVec2::new(0.5 + 0.5 * clip.x / clip.w, 0.5 - 0.5 * clip.y / clip.w)
}

/// A box that moves and turns nothing, under a camera that moves and turns: its pixels, those of boxes that stand still and the
/// ground's have the motion that the two frames say. Jittered frames have the same.
#[test]
fn boxes_write_their_motion() {
    let gpu = shared();
    for (split, temporal) in [(false, false), (true, true)] {
        let mut scene = Scene::new(&gpu, &document(split, &format!("temporal: {temporal},")), boxes());
        let (first, second) = (view(), View { position: DVec3::new(226.5, 91.0, 388.0), ..view() });
        let second = View { rotation: View::looking(0.02, -0.55), ..second };
        let still = scene.draw(&first);
        assert!(still.motion.iter().all(|motion| *motion == [0.0; 2]), "a first frame has moved nowhere");
        let step = DVec3::new(2.5, 0.5, -1.5);
        scene.host.boxes[0].centre += step;
        let boxes = scene.host.boxes.clone();
        let picture = scene.draw(&second);
        let (mut counts, mut worst) = ([0; 4], 0f64);
        for (pixel, at, of) in picture.seen(&second, &boxes) {
            // With jitter, the pixel's middle may be another surface's.
            if of.is_some_and(|of| face(&boxes[of], at).1 < 0.5) || (of.is_none() && ground(at.x) > PLAIN) {
                continue;
            }
            let last = if of == Some(0) { at - step } else { at };
            let expected = part_of_picture(&second, at) - part_of_picture(&first, last);
            let found = DVec2::from_array(picture.motion[pixel].map(f64::from));
            // Beside a box its motion may be what the ground's pixel has.
            if of.is_none() && boxes.iter().any(|solid| (at - solid.centre).length() < 40.0) {
                continue;
            }
            worst = worst.max((found - expected).abs().max_element());
            counts[of.map_or(3, |of| of)] += 1;
        }
        println!("split {split}, temporal {temporal}: {counts:?} pixels, off by {worst} of the picture");
        // Halves of motions of an eighth have steps of 6e-5; with jitter, a place is another by half a pixel.
        assert!(counts.iter().all(|&count| count > 30), "{counts:?}");
        assert!(worst < if temporal { 5e-4 } else { 1e-4 }, "{worst}");
        let after = scene.draw(&View { cut: true, ..second });
        assert!(
            after.depth.iter().zip(&after.motion).all(|(_, motion)| motion.iter().all(|m| m.abs() < 0.1))
        );
    }
    gpu.assert_silent();
}

/// Ground under a fragment module of the host's that takes the frame's light as its set 2 is what the lit surface draws.
#[test]
fn a_module_of_the_hosts_lights_the_ground() {
    const LIT_GROUND: &str = r#"
#include "surface.hlsl"
#include "lit_planes.hlsl"
Planes main(Fragment fragment)
{
    Ground ground = ground_at(fragment, false);
    Lit surface;
    surface.relative = to_world(fragment.relative);
    surface.normal = to_world(ground.normal);
    surface.relief = to_world(ground.relief);
    surface.toward_eye = toward_eye_of(surface.relative);
    surface.albedo = ground.albedo;
    surface.roughness = ground.roughness;
    surface.occlusion = ground.occlusion;
    return lit_planes(surface, fragment.position.xy);
}
"#;
    let gpu = shared();
    let mut stage = LitStage::new(&gpu, field(), TerrainSettings::default(), SIZE);
    let (view, lighting) = (view(), Lighting::default());
    let expected = stage.draw(&view, &lighting, Planes::Luminance);
    let defines = [("SPLAT_SLOTS", 4), ("SPLAT_HEIGHT", 0), ("SPLIT", 0)];
    let words = compile_host(LIT_GROUND, shaderc::ShaderKind::Fragment, &defines);
    let fragment = HostFragment::new(&HostFragmentDesc {
        name: "lit ground",
        words: &words,
        entry: c"main",
        splat: Splat { slots: 0, height: false },
        set: Some(stage.light.set_layout()),
        constants: &[],
    })
    .unwrap();
    let (mut offscreen, target) = stage.target(vec![ash::vk::Format::R32G32B32A32_SFLOAT]);
    let plan = stage.plan(&[view]);
    stage.record(&plan, |Recording { raw, cmd, renderer, light, .. }| {
        let published =
            ViewLight { scene: &lighting.scene, view: &view, shadows: None, clusters: None, table: None };
        let slice = light.publish(&published).unwrap();
        offscreen.begin(raw, Some(Clear { color: [0.0; 4], depth: 0.0 }));
        let set = Some(light.set(&slice).unwrap());
        renderer.draw_with(&cmd, &plan.views[0], &target, &fragment, set).unwrap();
        offscreen.end(raw);
    });
    let bytes = offscreen.read_color_bytes(0, 16).unwrap();
    let found = bytes.chunks_exact(16).map(bytemuck::pod_read_unaligned::<[f32; 4]>);
    let off = |(found, expected): ([f32; 4], &[f32; 4])| {
        (0..4).map(|at| (found[at] - expected[at]).abs() / (1.0 + expected[at])).fold(0f32, f32::max)
    };
    let worst = found.zip(&expected.luminance).map(off).fold(0f32, f32::max);
    assert!(worst < 1e-4 && expected.ground().count() > 30_000, "{worst}");
    gpu.assert_silent();
}

/// A host makes its pipelines while it loads, from what the compositor says; a slice of another frame is refused.
#[test]
fn what_is_needed_ahead_is_known_ahead() {
    let gpu = shared();
    let stage = FrameStage::new(&gpu, field(), &document(true, ""), SIZE[0], SIZE[1]);
    let factory = TerrainFactory::default();
    let compositor = Compositor::new(&stage.device, drawn(&document(true, "")), factory).unwrap();
    let nodes = &compositor.document().nodes;
    let main = nodes.iter().position(|node| node.kind() == "Pass").unwrap();
    let format = ash::vk::Format::R8G8B8A8_UNORM;
    let target = compositor.node_target(main, format).unwrap();
    assert_eq!(target.formats.color_count(), landform::draw::SPLIT_TARGETS);
    assert_eq!(compositor.node_target(nodes.len(), format), None);
    assert_eq!(compositor.light().set_layout().dynamic_count(), 3);

    let mut light = FrameLight::new(&stage.device).unwrap();
    let scene = landform::light::SceneLight::default();
    let mut slices = Vec::new();
    for _ in 0..2 {
        stage.device.begin_frame();
        gpu.submit_and_wait(|raw| {
            // SAFETY: the harness hands over a command buffer that records, and waits for it.
            let cmd = unsafe { stage.device.record(raw) };
            light.upload(&cmd, None).unwrap();
            let view = view();
            let published =
                ViewLight { scene: &scene, view: &view, shadows: None, clusters: None, table: None };
            slices.push(light.publish(&published).unwrap());
        })
        .unwrap();
    }
    assert_eq!(light.set(&slices[1]).unwrap().offsets.len(), 3);
    let why = light.set(&slices[0]).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(why.contains("published in another frame"), "{why}");
    gpu.assert_silent();
}
