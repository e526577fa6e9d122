//! What pixels see of the sky, against rays; and what ambient light makes of it.

use ash::vk;
use glam::camera::rh::proj::directx;
use glam::{DVec3, Vec3};
use landform::draw::{FrameHost, HostScope};
use landform::field::{Field, FieldDesc};
use landform::frame::{FrameDocument, FrameNode};
use landform::gpu::Cmd;
use landform::light::{Harmonics, SceneLight};
use landform::plan::{View, Viewport};
use landform::query::raycast;
use landform_device_tests::{FrameStage, TargetReader, drawn, look, placed, random};
use landform_harness::{Gpu, shared};
use std::sync::Arc;

const SIZE: (u32, u32) = (256, 144);

/// What is read back.
const READ: [&str; 3] = ["SceneOcclusion", "SceneNormals", "SceneDepth"];

/// A standard frame with occlusion of this radius and so many slices, whose planes are read; ground is drawn as it is far away.
fn document(radius: f32, slices: u32) -> FrameDocument {
    let mut document = drawn(
        "(nodes: [StandardFrame(bare: true, shadow_tile: 64, occlusion: true, before_tonemap: [Host(name: \"read\", \
         reads: [\"SceneOcclusion\", \"SceneNormals\", \"SceneDepth\"])])])",
    );
    for node in &mut document.nodes {
        match node {
            FrameNode::AmbientOcclusion(node) => (node.radius, node.slices) = (radius, Some(slices)),
            FrameNode::Terrain(node) => node.near = Some(1e5),
            _ => {}
        }
    }
    document
}

fn stage(gpu: &Arc<Gpu>, field: Field, document: FrameDocument) -> FrameStage {
    let mut stage = FrameStage::new(gpu, field, "(nodes: [StandardFrame(bare: true)])", SIZE.0, SIZE.1);
    stage.compositor.set_document(document).unwrap();
    stage.set_sun(40.0, 60.0);
    stage
}

/// The planes of a frame.
struct Planes {
    occlusion: Vec<[f32; 4]>,
    normals: Vec<[f32; 4]>,
    depth: Vec<f32>,
}

impl Planes {
    fn draw(stage: &mut FrameStage, view: &View) -> Self {
        let mut reader = TargetReader::new(stage.gpu(), &stage.device, &READ);
        stage.draw_with(view, &mut reader).unwrap();
        let [occlusion, normals] = [READ[0], READ[1]].map(|name| reader.texels(name));
        Self { occlusion, normals, depth: reader.depth(READ[2]) }
    }

    fn ground(&self) -> impl Iterator<Item = usize> + '_ {
        self.depth.iter().enumerate().filter(|(_, depth)| **depth > 0.0).map(|(pixel, _)| pixel)
    }

    fn normal(&self, pixel: usize) -> DVec3 {
        Vec3::from_slice(&self.normals[pixel][..3]).as_dvec3().normalize()
    }

    fn visible(&self, pixel: usize) -> f64 {
        f64::from(self.occlusion[pixel][0])
    }

    fn bent(&self, pixel: usize) -> DVec3 {
        (Vec3::from_slice(&self.occlusion[pixel][1..]).as_dvec3() * 2.0 - 1.0).normalize()
    }
}

/// Heights from a function of metres, 1 m apart, 0…100 m.
fn ground(side: u32, height: impl Fn(f64, f64) -> f64) -> Field {
    let desc = FieldDesc::new(side, side).with_range(0.0, 100.0);
    let code = |index: u32| {
        let height = height(f64::from(index % side), f64::from(index / side));
        (height / 100.0 * 65535.0).round().clamp(0.0, 65535.0) as u16
    };
    Field::from_samples(desc, (0..side * side).map(code).collect()).unwrap()
}

/// A valley of walls as steep as high, of which one is in terraces.
fn valley() -> Field {
    ground(129, |x, z| {
        let up = (x - 64.0).abs();
        let terraces = 6.0 * ((up / 6.0).floor() + ((up / 6.0).fract() * 3.0 - 2.0).max(0.0));
        (if x < 64.0 { up } else { terraces }) + 2.0 * (z / 9.0).sin() + 4.0
    })
}

fn seen(position: DVec3, yaw: f32, pitch: f32) -> View {
    look(position, yaw, pitch, Viewport::whole(SIZE.0, SIZE.1))
}

fn parallel(position: DVec3, yaw: f32, pitch: f32, reach: f32) -> View {
    let flat = directx::orthographic(-1.3 * reach, reach, -0.6 * reach, 0.5 * reach, 400.0, 1.0);
    let turn = View::looking(yaw.to_radians(), pitch.to_radians());
    View::with_projection(position, turn, flat, Viewport::whole(SIZE.0, SIZE.1))
}

/// How much of what is so far away counts, as the shader has it.
fn counted(metres: f64, radius: f64) -> f64 {
    ((radius - metres) / (0.6 * radius)).clamp(0.0, 1.0)
}

/// Rays weighted by the cosine: what share of them meets nothing, and where those go on the whole.
fn by_rays(field: &Field, place: DVec3, normal: DVec3, radius: f64, rays: u32) -> (f64, DVec3) {
    let (right, forward) = normal.any_orthonormal_pair();
    let (mut visible, mut bent) = (0.0, DVec3::ZERO);
    for ray in 0..rays {
        let part = (f64::from(ray) + 0.5) / f64::from(rays);
        let (sin, cos) = (2.399_963_229_728_653 * f64::from(ray)).sin_cos();
        let toward = part.sqrt() * (cos * right + sin * forward) + (1.0 - part).sqrt() * normal;
        let hit = raycast(field, place + 0.02 * normal, toward, radius);
        let open = 1.0 - hit.map_or(0.0, |hit| counted(hit.distance, radius));
        visible += open;
        bent += open * toward;
    }
    (visible / f64::from(rays), bent.normalize())
}

/// How a picture and rays agree.
#[derive(Debug)]
struct Agreement {
    error: f64,
    bias: f64,
    correlation: f64,
    degrees: f64,
    /// How many of them are hidden by more than a tenth, of which the angle is the mean.
    hidden: usize,
}

fn against_rays(field: &Field, view: &View, planes: &Planes, radius: f64) -> Agreement {
    let mut next = random(5);
    let (mut pairs, mut degrees) = (Vec::new(), Vec::new());
    let ground: Vec<_> = planes.ground().collect();
    while pairs.len() < 400 {
        let pixel = ground[next() as usize % ground.len()];
        let place = view.position + placed(view, pixel, planes.depth[pixel]).0;
        // Beside the map there is nothing for rays to meet.
        if !(radius..128.0 - radius).contains(&place.x) || !(radius..128.0 - radius).contains(&place.z) {
            continue;
        }
        let (visible, bent) = by_rays(field, place, planes.normal(pixel), radius, 512);
        pairs.push((planes.visible(pixel), visible));
        if visible < 0.9 {
            degrees.push(planes.bent(pixel).angle_between(bent).to_degrees());
        }
    }
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
    let (x, y) = (mean(&|pair| pair.0), mean(&|pair| pair.1));
    let covariance = mean(&|pair| (pair.0 - x) * (pair.1 - y));
    let spread = (mean(&|pair| (pair.0 - x).powi(2)) * mean(&|pair| (pair.1 - y).powi(2))).sqrt();
    Agreement {
        error: mean(&|pair| (pair.0 - pair.1).abs()),
        bias: x - y,
        correlation: covariance / spread,
        degrees: degrees.iter().sum::<f64>() / degrees.len().max(1) as f64,
        hidden: degrees.len(),
    }
}

/// Nothing takes anything from a plane, from wherever it is seen, with however few slices.
#[test]
fn a_plane_sees_all_of_the_sky() {
    let gpu = shared();
    let field = ground(257, |_, _| 20.0);
    for slices in [1, 2, 8] {
        let mut stage = stage(&gpu, field.clone(), document(12.0, slices));
        for view in [
            seen(DVec3::new(128.0, 22.0, 200.0), 10.0, -3.0),
            seen(DVec3::new(128.0, 40.0, 180.0), -30.0, -40.0),
            seen(DVec3::new(128.0, 60.0, 128.0), 0.0, -89.0),
            parallel(DVec3::new(128.0, 100.0, 170.0), 20.0, -35.0, 40.0),
        ] {
            let planes = Planes::draw(&mut stage, &view);
            let least = planes.ground().map(|pixel| planes.visible(pixel)).fold(1.0, f64::min);
            let most =
                planes.ground().map(|pixel| planes.bent(pixel).angle_between(DVec3::Y)).fold(0.0, f64::max);
            assert!(planes.ground().count() > 8000);
            println!("{slices} slices: {least}, {} degrees", most.to_degrees());
            assert!(least >= 0.995 && most < 0.02, "{slices} slices: {least}, {most}");
        }
    }
    gpu.assert_silent();
}

/// What is seen and from where, against rays with the same radius, from above, from the side and without perspective.
#[test]
fn a_valley_sees_what_rays_see() {
    let gpu = shared();
    let field = valley();
    for (radius, slices) in [(12.0, 1), (12.0, 2), (12.0, 4), (24.0, 2)] {
        let mut stage = stage(&gpu, field.clone(), document(radius, slices));
        for (name, view) in [
            ("from above", seen(DVec3::new(64.0, 90.0, 110.0), 0.0, -60.0)),
            ("along", seen(DVec3::new(64.0, 40.0, 120.0), 5.0, -25.0)),
            ("parallel", parallel(DVec3::new(64.0, 120.0, 110.0), -10.0, -60.0, 45.0)),
        ] {
            let planes = Planes::draw(&mut stage, &view);
            let agreement = against_rays(&field, &view, &planes, radius.into());
            println!("{radius} m, {slices} slices, {name}: {agreement:?}");
            assert!(agreement.error <= 0.03 && agreement.bias.abs() <= 0.02, "{name}: {agreement:?}");
            assert!(agreement.correlation >= 0.9, "{name}: {agreement:?}");
            assert!(agreement.degrees <= 6.0 && agreement.hidden >= 80, "{name}: {agreement:?}");
        }
    }
    gpu.assert_silent();
}

/// Of a smooth trough single pixels' noise is not seen: no pixel stands out of its four neighbours.
#[test]
fn noise_is_averaged() {
    let gpu = shared();
    let field = ground(257, |x, _| 80.0 * ((x - 128.0) / 40.0).powi(2).min(1.0));
    for slices in [1, 2, 4] {
        let mut stage = stage(&gpu, field.clone(), document(20.0, slices));
        let view = seen(DVec3::new(128.0, 70.0, 160.0), 0.0, -50.0);
        let planes = Planes::draw(&mut stage, &view);
        let (mut sum, mut most, mut count, mut least) = (0.0, 0f64, 0, 1f64);
        for (x, y) in (1..SIZE.0 as usize - 1).flat_map(|x| (1..SIZE.1 as usize - 1).map(move |y| (x, y))) {
            let at = |x: usize, y: usize| planes.visible(y * SIZE.0 as usize + x);
            if [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
                .iter()
                .all(|(x, y)| planes.depth[y * SIZE.0 as usize + x] > 0.0)
            {
                let around = (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1)) / 4.0;
                let off = 255.0 * (at(x, y) - around).abs();
                (sum, most, count, least) = (sum + off, most.max(off), count + 1, least.min(at(x, y)));
            }
        }
        let mean = sum / f64::from(count);
        println!(
            "{slices} slices: {mean} of 255 on the mean, {most} at most, {count} pixels, darkest {least}"
        );
        assert!(mean <= 0.15 && most <= 3.0 && count > 20_000 && least < 0.9);
    }
    gpu.assert_silent();
}

/// A part of a target is searched as a target of its own, and a view that is not turned over as one that is.
#[test]
fn a_part_of_a_target_is_as_a_target_of_its_own() {
    let gpu = shared();
    let part = (128, 96);
    let camera = |viewport| look(DVec3::new(64.0, 40.0, 120.0), 5.0, -25.0, viewport);
    let mut alone = stage(&gpu, valley(), document(12.0, 2));
    alone.resize(part.0, part.1);
    let alone = Planes::draw(&mut alone, &camera(Viewport::whole(part.0, part.1)));
    let mut stage = stage(&gpu, valley(), document(12.0, 2));
    // Noise repeats every four pixels.
    let viewport = Viewport { x: 32.0, y: 16.0, ..Viewport::whole(part.0, part.1) };
    let within = Planes::draw(&mut stage, &camera(viewport));
    let mut differ = 0;
    for (x, y) in (0..part.0).flat_map(|x| (0..part.1).map(move |y| (x, y))) {
        let (one, other) = ((y * part.0 + x) as usize, ((y + 16) * SIZE.0 + x + 32) as usize);
        let apart = (0..4).map(|at| (alone.occlusion[one][at] - within.occlusion[other][at]).abs());
        differ += usize::from(apart.fold(0.0, f32::max) > 2.5 / 255.0);
    }
    println!("{differ} pixels differ");
    assert!(
        differ < 40 && alone.ground().count() > 5000 && within.ground().count() == alone.ground().count()
    );
    // Outside of it nothing was drawn.
    assert_eq!(within.occlusion[0], [0.0; 4]);
    gpu.assert_silent();
}

fn most_apart(one: &landform_harness::Image8, other: &landform_harness::Image8) -> u8 {
    one.difference(other).unwrap().most
}

/// Without slices, and with the node off, the sky lights as it does in a frame that knows of no occlusion.
#[test]
fn what_is_not_searched_is_open() {
    let gpu = shared();
    let view = seen(DVec3::new(64.0, 40.0, 120.0), 5.0, -25.0);
    let split = drawn("(nodes: [StandardFrame(bare: true, shadow_tile: 64, split: true)])");
    let near = |mut document: FrameDocument| {
        let terrain = document.nodes.iter_mut().find_map(|node| match node {
            FrameNode::Terrain(node) => Some(node),
            _ => None,
        });
        terrain.unwrap().near = Some(1e5);
        document
    };
    let expected = stage(&gpu, valley(), near(split)).draw(&view);
    let none = stage(&gpu, valley(), document(12.0, 0)).draw(&view);
    assert!(most_apart(&none, &expected) <= 1, "{}", most_apart(&none, &expected));
    for bent in [true, false] {
        let mut document = document(12.0, 2);
        for node in &mut document.nodes {
            if let FrameNode::AmbientCombine(combine) = node {
                combine.bent = bent;
            }
        }
        let node = document.nodes.iter().position(|node| matches!(node, FrameNode::AmbientOcclusion(_)));
        let mut stage = stage(&gpu, valley(), document);
        assert!(most_apart(&stage.draw(&view), &expected) > 10, "nothing is darker");
        assert!(stage.compositor.set_enabled(node.unwrap(), false));
        assert!(most_apart(&stage.draw(&view), &expected) <= 1, "bent: {bent}");
    }
    gpu.assert_silent();
}

/// A host that fills planes with one value each, and reads what came of them.
struct Painter {
    reader: TargetReader,
    /// Albedo and the layers' occlusion; the normal; occlusion.
    values: [[f32; 4]; 3],
}

impl FrameHost for Painter {
    fn record(&mut self, cmd: &Cmd<'_>, name: &str, scope: &HostScope<'_>) -> landform::Result<()> {
        let [albedo, normal, occlusion] = self.values;
        let planes = [
            ("SceneHdr", [0.0; 4]),
            ("SceneAlbedo", albedo),
            ("SceneNormals", normal),
            ("SceneOcclusion", occlusion),
        ];
        for (target, float32) in planes {
            let Some(target) = scope.target(target).filter(|_| name == "paint") else { continue };
            let [width, height] = target.extent;
            let color = [vk::RenderingAttachmentInfo::default()
                .image_view(target.view.view)
                .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(vk::ClearValue { color: vk::ClearColorValue { float32 } })];
            let area = vk::Extent2D { width, height }.into();
            cmd.begin_rendering(
                &vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&color),
            )?;
            cmd.end_rendering();
        }
        self.reader.record(cmd, name, scope)
    }
}

/// What a combine adds for planes of one value each, under this sky.
fn combined(stage: &mut FrameStage, values: [[f32; 4]; 3]) -> Vec3 {
    let reader = TargetReader::new(stage.gpu(), &stage.device, &["SceneHdr"]);
    let mut painter = Painter { reader, values };
    let view = seen(DVec3::new(64.0, 40.0, 120.0), 5.0, -25.0);
    stage.draw_with(&view, &mut painter).unwrap();
    let texels = painter.reader.texels("SceneHdr");
    assert!(texels.iter().all(|texel| *texel == texels[0]));
    Vec3::from_slice(&texels[0][..3])
}

fn painted(gpu: &Arc<Gpu>, bent: bool, format: &str, sky: Harmonics) -> FrameStage {
    let document = format!(
        "(views: [\"Camera\"], targets: [(name: \"SceneHdr\", format: Rgba16Float), \
         (name: \"SceneAlbedo\", format: Rgba8Srgb), (name: \"SceneNormals\", format: Rgba16Float), \
         (name: \"SceneSpecular\", format: Rgba8Unorm), (name: \"SceneOcclusion\", format: {format})], \
         nodes: [Host(name: \"paint\", clears: [\"SceneHdr\", \"SceneAlbedo\", \"SceneNormals\", \"SceneSpecular\", \
         \"SceneOcclusion\"]), AmbientCombine(occlusion: \"SceneOcclusion\", bent: {bent}), \
         Host(name: \"read\", reads: [\"SceneHdr\"]), Tonemap()])"
    );
    let mut stage = FrameStage::new(gpu, valley(), "(nodes: [StandardFrame(bare: true)])", 8, 8);
    let document = FrameDocument::from_ron(&document).unwrap();
    stage.compositor.set_document(document).unwrap();
    stage.light = Some(SceneLight { sky, ..SceneLight::default() });
    stage
}

/// How much brighter a place of this colour is than what it sees of the sky, as the paper has it.
fn with_bounces(visible: f32, albedo: f32) -> f32 {
    let [a, b, c] = [2.0404 * albedo - 0.3324, -4.7951 * albedo + 0.6417, 2.7552 * albedo + 0.6903];
    visible.max(((visible * a + b) * visible + c) * visible)
}

/// A white plane that sees so much of a sky of one brightness sends out so much of it, and what is around it passes light on
/// where it says so.
#[test]
fn light_is_what_is_seen_of_the_sky() {
    let gpu = shared();
    let sky = Harmonics::constant(Vec3::splat(1000.0));
    let normal = [0.0, 1.0, 0.0, 0.5];
    let white = [1.0; 4];
    for format in ["R8Unorm", "Rgba8Unorm"] {
        let mut plain = painted(&gpu, false, format, sky);
        for byte in [0, 31, 128, 200, 255] {
            let visible = f32::from(byte as u8) / 255.0;
            let light = combined(&mut plain, [white, normal, [visible, 0.3, 0.9, 0.1]]);
            assert!(
                (light / 1000.0 - visible).abs().max_element() < 1.0 / 255.0,
                "{format} {visible}: {light}"
            );
        }
    }
    let mut bent = painted(&gpu, true, "Rgba8Unorm", sky);
    for byte in [0, 31, 128, 200, 255] {
        let visible = f32::from(byte as u8) / 255.0;
        // Bytes of sRGB: 0.0484 and 0.5029 are what is stored nearest.
        for albedo in [1.0, 63.0 / 255.0, 20.0 / 255.0] {
            let stored = ((albedo + 0.055) / 1.055f32).powf(2.4).max(albedo / 12.92);
            let stored = if albedo == 1.0 { 1.0 } else { stored };
            let light =
                combined(&mut bent, [[stored, stored, stored, 1.0], normal, [visible, 0.5, 1.0, 0.5]]);
            let part = light / (1000.0 * stored);
            assert!(
                (part - with_bounces(visible, stored)).abs().max_element() < 0.01,
                "{visible} {albedo}: {light}"
            );
            // What is dark passes on as good as nothing, what is white much.
            assert!(albedo > 0.1 || (part - visible).abs().max_element() < 0.02, "{visible}: {part}");
        }
    }
    assert!(with_bounces(0.5, 0.9) > 0.7 && with_bounces(1.0, 0.5) < 1.001);
    gpu.assert_silent();
}

/// A wall that sees the sky from above alone is lit as what looks up there.
#[test]
fn light_comes_from_where_it_is_open() {
    let gpu = shared();
    let sky = Harmonics::project(|toward| if toward.y > 0.0 { Vec3::splat(1000.0) } else { Vec3::ZERO });
    let mut stage = painted(&gpu, true, "Rgba8Unorm", sky);
    let mut light = |visible: f32, from: [f32; 3]| {
        let [x, y, z] = from.map(|at| at * 0.5 + 0.5);
        combined(&mut stage, [[1.0; 4], [1.0, 0.0, 0.0, 0.5], [visible, x, y, z]]).x
    };
    let (along, up) = (sky.irradiance(Vec3::X).x, sky.irradiance(Vec3::Y).x);
    let scale = light(1.0, [1.0, 0.0, 0.0]) / along;
    assert!(up > 1.6 * along);
    let found = light(0.502, [0.0, 1.0, 0.0]) / (scale * with_bounces(0.502, 1.0));
    assert!((found / up - 1.0).abs() < 0.01, "{found} not {up}");
    // All that is open looks along its own normal, whatever is written.
    assert!((light(1.0, [0.0, 1.0, 0.0]) / (scale * along) - 1.0).abs() < 0.005);
    // A plane that nobody drew hides nothing.
    assert!((light(0.0, [-1.0; 3]) / (scale * along) - 1.0).abs() < 0.005);
    gpu.assert_silent();
}

/// Sizes come and go without anything left behind, a frame that was lost is forgotten, and a steady frame writes nothing.
#[test]
fn the_node_s_own_image_comes_and_goes() {
    let gpu = shared();
    let camera =
        |(width, height)| look(DVec3::new(64.0, 40.0, 120.0), 5.0, -25.0, Viewport::whole(width, height));
    let mut stage = stage(&gpu, valley(), document(12.0, 2));
    let mut live = None;
    for step in 0..120u32 {
        let size = (16 + step * 7 % 40, 12 + step * 5 % 28);
        stage.resize(size.0, size.1);
        stage.draw_with(&camera(size), &mut ()).unwrap();
        let now = stage.device.live_resources().len();
        if step >= 64 {
            assert_eq!(*live.get_or_insert(now), now, "at step {step}");
        }
    }
    stage.resize(SIZE.0, SIZE.1);
    let expected = stage.draw(&camera(SIZE));
    stage.lose(&camera(SIZE));
    assert_eq!(stage.draw(&camera(SIZE)), expected);
    let moving = (0..12).map(|step| {
        let mut view = camera(SIZE);
        view.position.z -= f64::from(step);
        view
    });
    stage.assert_steady(moving, 6);
    // Another document has no such node, and its image goes.
    stage.compositor.set_document(drawn("(nodes: [StandardFrame(bare: true, split: true)])")).unwrap();
    (0..8).for_each(|_| stage.draw_with(&camera(SIZE), &mut ()).unwrap());
    let live = stage.device.live_resources();
    assert!(!live.iter().any(|live| live.name == "landform occlusion" && live.kind == "image"));
    gpu.assert_silent();
}

/// Planes of two sizes are refused with a sentence.
#[test]
fn planes_have_one_size() {
    let gpu = shared();
    let mut document = document(12.0, 2);
    let target = document.targets.iter_mut().find(|target| target.name == "SceneOcclusion").unwrap();
    target.size = landform::frame::TargetSize::Output(0.5);
    let mut stage = stage(&gpu, valley(), document);
    let why = stage.draw_with(&seen(DVec3::new(64.0, 40.0, 120.0), 5.0, -25.0), &mut ()).unwrap_err();
    assert!(why.to_string().contains("give them one size"), "{why}");
    gpu.assert_silent();
}
