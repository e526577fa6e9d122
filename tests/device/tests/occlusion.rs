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
use landform_device_tests::{FrameStage, TargetReader, drawn, hills, look, placed, random};
use landform_harness::{Gpu, shared};
use std::sync::Arc;

const SIZE: (u32, u32) = (256, 144);

/// What is read back.
const READ: [&str; 3] = ["SceneOcclusion", "SceneNormals", "SceneDepth"];

/// A standard frame with occlusion of this radius and so many slices, whose planes are read; ground is drawn as it is far away.
fn document(radius: f32, slices: u32) -> FrameDocument {
    let mut document = drawn(
        "(nodes: [StandardFrame(shadow_tile: 64, occlusion: true, before_tonemap: [Host(name: \"read\", \
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
    let mut stage = FrameStage::new(gpu, field, "(nodes: [StandardFrame()])", SIZE.0, SIZE.1);
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
    let radius = 12.0;
    for slices in [1, 2, 4] {
        let mut stage = stage(&gpu, field.clone(), document(radius, slices));
        for (name, view) in [
            ("from above", seen(DVec3::new(64.0, 90.0, 110.0), 0.0, -60.0)),
            ("along", seen(DVec3::new(64.0, 40.0, 120.0), 5.0, -25.0)),
            ("parallel", parallel(DVec3::new(64.0, 120.0, 110.0), -10.0, -60.0, 45.0)),
        ] {
            let planes = Planes::draw(&mut stage, &view);
            let agreement = against_rays(&field, &view, &planes, radius.into());
            println!("{slices} slices, {name}: {agreement:?}");
        }
    }
    gpu.assert_silent();
}

/// A look at what this is for.
#[test]
#[ignore = "draws pictures for people: set LANDFORM_PICTURES to a folder"]
fn pictures() {
    let gpu = shared();
    let folder = std::env::var("LANDFORM_PICTURES").unwrap();
    let size = (960, 540);
    let whole = Viewport::whole(size.0, size.1);
    let grounds = [("valley", landform_device_tests::valley_field(1025)), ("hills", hills(513, 513))];
    for (name, field) in grounds {
        for (radius, on) in [(12.0, 2), (12.0, 0)] {
            let mut stage =
                FrameStage::new(&gpu, field.clone(), "(nodes: [StandardFrame()])", size.0, size.1);
            let mut document = document(radius, on);
            document.nodes.iter_mut().for_each(|node| match node {
                FrameNode::Terrain(node) => node.near = None,
                FrameNode::ShadowMap(node) => node.tile = Some(2048),
                _ => {}
            });
            stage.compositor.set_document(document).unwrap();
            let middle = f64::from(field.desc().width) * field.desc().spacing[0] / 2.0;
            let at = |x: f64, z: f64, up: f64| {
                let y = landform::query::height_at(&field, glam::DVec2::new(x, z)).unwrap() + up;
                DVec3::new(x, y, z)
            };
            let views = [
                ("far", look(at(middle, 1.6 * middle, 60.0), 20.0, -12.0, whole)),
                ("near", look(at(0.8 * middle, middle, 2.0), 60.0, -4.0, whole)),
            ];
            for (view_name, view) in views {
                for (sun, elevation) in [("noon", 60.0), ("dusk", 4.0)] {
                    stage.set_sun(elevation, 150.0);
                    let picture = stage.draw(&view);
                    let path = format!("{folder}/{name}-{view_name}-{sun}-r{radius}-s{on}.png");
                    landform_harness::write_png(path, &picture).unwrap();
                }
                if on > 0 {
                    stage.compositor.show(Some("SceneOcclusion")).unwrap();
                    let picture = stage.draw(&view);
                    let path = format!("{folder}/{name}-{view_name}-occlusion-r{radius}-s{on}.png");
                    landform_harness::write_png(path, &picture).unwrap();
                    stage.compositor.show(None).unwrap();
                }
            }
        }
    }
    gpu.assert_silent();
}
