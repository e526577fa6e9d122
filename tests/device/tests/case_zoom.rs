//! A zoom from 60° to 5° in a second: level of detail follows the projected error, finer for more pixels, smoothly, and
//! soon enough.

use glam::{DVec2, DVec3, Mat4, Vec2, Vec3};
use landform::abi::ViewConstants;
use landform::atlas::HeightAtlas;
use landform::field::Field;
use landform::import::ImportOptions;
use landform::lod::{LodSettings, lattice, level_field, place};
use landform::plan::{FramePlan, Residency, Terrain, TerrainSettings, View, ViewPlan, Viewport};
use landform::query::height_at;
use landform_device_tests::{Stage, hills, shared_field};
use landform_harness::{Image8, shared};

/// Frames of the zoom, one a 60th of a second, and of the half second after it.
const ZOOM: u32 = 60;
const AFTER: u32 = 30;

fn panda() -> Option<Field> {
    let options = ImportOptions::default().with_spacing(2.0, 2.0).with_range(0.0, 600.0);
    shared_field("heights/panda3d_heightfield_1024_u16.png", &options)
}

/// The view of a frame. The first is a cut: sharp at once.
fn view(eye: DVec3, yaw: f32, pitch: f32, frame: u32, viewport: Viewport) -> View {
    let part = (frame.min(ZOOM)) as f32 / ZOOM as f32;
    let fov = (60.0 + (5.0 - 60.0) * part).to_radians();
    let rotation = View::looking(yaw.to_radians(), pitch.to_radians());
    View { cut: frame == 0, ..View::perspective(eye, rotation, fov, 0.1, viewport) }
}

/// Two cameras: in a corner of the map, looking along its diagonal, and 3 km from the ridge in the north.
fn cameras(field: &Field) -> [(&'static str, DVec3, f32, f32); 2] {
    let size = DVec2::new(field.desc().quads_x().into(), field.desc().quads_z().into()) * field.desc().spacing;
    let corner = size * 0.98;
    let ground = height_at(field, corner).unwrap();
    [
        ("from the corner", DVec3::new(corner.x, ground.max(590.0), corner.y), -45.0, -6.0),
        ("3 km from the ridge", DVec3::new(914.0, 480.0, 3040.0), 0.0, 1.0),
    ]
}

/// A vertex of a level, placed as the frame's level field has it, at whatever coarser level it is drawn by then.
fn placed(view: &ViewConstants, atlas: &HeightAtlas, mut level: u32, mut index: [u32; 2], coarsest: u32) -> (Vec2, f32) {
    let edge = Vec2::new(view.map[0] as f32, view.map[1] as f32);
    loop {
        let step = (1u32 << level) as f32;
        let still = (Vec2::new(index[0] as f32, index[1] as f32) * step).min(edge);
        let morph = level_field::morph(place::distance_at(view, still), view.bands[level as usize]);
        if morph < 1.0 || level == coarsest {
            let slid = Vec2::from(index.map(|index| lattice::slide(index, morph)));
            let place = (slid * step).min(edge);
            return (place, level as f32 + morph);
        }
        (level, index) = (level + 1, index.map(|index| lattice::slide_target(index) / 2));
    }
}

fn lambda_at(view: &ViewConstants, at: Vec2, coarsest: u32) -> f32 {
    let d = place::distance_at(view, at);
    for level in 0..=coarsest {
        let morph = level_field::morph(d, view.bands[level as usize]);
        if morph < 1.0 || level == coarsest { return level as f32 + morph; }
    }
    unreachable!()
}

/// Camera-relative metres of a place at a λ.
fn metres(view: &ViewConstants, atlas: &HeightAtlas, (place, lambda): (Vec2, f32)) -> Vec3 {
    let [column, row, column_part, row_part] = view.camera_sample;
    let up = ((atlas.height(place.x, place.y, lambda) - view.camera_height[0]) - view.camera_height[1]) * view.camera_height[2];
    Vec3::new(
        level_field::relative(place.x, column, column_part, view.spacing[0]),
        up,
        level_field::relative(place.y, row, row_part, view.spacing[1]),
    )
}

/// Pixels of the target, from its middle; None where it cannot be seen.
fn pixels(view: &ViewPlan, at: Vec3) -> Option<Vec2> {
    let clip = Mat4::from_cols_array_2d(&view.constants.view_projection) * at.extend(1.0);
    let seen = clip.w > 0.0 && clip.truncate().truncate().abs().max_element() <= clip.w;
    seen.then(|| clip.truncate().truncate() / clip.w * Vec2::new(view.viewport.width, view.viewport.height) / 2.0)
}

/// How far the visible vertices of frame `now` moved since `before`, both seen by `now`'s projection: how many there
/// are, and how many moved by more than a pixel.
fn moved(before: &ViewPlan, now: &ViewPlan, atlas: &HeightAtlas, coarsest: u32, field: &Field, eye: DVec3) -> (u64, u64, f32, u64, u64) {
    let (mut vis_all, mut vis_far) = (0, 0);
    let (mut all, mut far, mut most) = (0, 0, 0f32);
    for node in &now.nodes {
        let level = u32::from(node.level().0);
        let first = node.origin.map(|origin| origin as u32 >> level);
        for index in place::vertices(now.grid) {
            let index = [first[0] + index[0], first[1] + index[1]];
            let here = placed(&now.constants, atlas, level, index, coarsest);
            let here = (here.0, lambda_at(&now.constants, here.0, coarsest));
            let at = metres(&now.constants, atlas, here);
            let Some(pixel) = pixels(now, at) else { continue };
            all += 1;
            let seen = || { let up = at.as_dvec3(); let len = up.length(); let target = eye + up + DVec3::Y * 0.5; let dir = target - eye; landform::query::raycast(field, eye, dir, len).is_none() };
            if all % 50 == 0 && seen() { vis_all += 50; }
            let there = (here.0, lambda_at(&before.constants, here.0, coarsest));
            if there == here {
                continue;
            }
            let Some(old) = pixels(now, metres(&now.constants, atlas, there)) else { continue };
            let by = (old - pixel).length();
            far += u64::from(by > 1.0);
            if by > 1.0 && far % 10 == 1 && seen() { vis_far += 10; }
            most = most.max(by);
        }
    }
    (all, far, most, vis_all, vis_far)
}
#[test]
fn explore() {
    let Some(field) = panda() else { return };
    let atlas = HeightAtlas::new(&field);
    for (pixel_error, ratio, octaves_a_second) in [(3.0, 0.66, 6.0),(3.0,0.5,3.0),(2.0,0.66,3.0),(2.0,0.5,3.0),(1.5,0.66,3.0),(1.5,0.5,3.0),(1.25,0.5,3.0),(1.0,0.5,3.0),(1.0,0.66,3.0),(1.0,0.66,6.0)] {
        let lod = LodSettings::Derived { pixel_error, ratio, octaves_a_second, bias: 0.0 };
        for (name, eye, yaw, pitch) in cameras(&field) {
            let settings = TerrainSettings { lod: lod.clone(), ..TerrainSettings::default() };
            let mut terrain = Terrain::new(field.clone(), settings).unwrap();
            let residency = Residency::nothing(field.desc());
            let coarsest = landform::lod::LodGeometry::new(field.desc(), Default::default()).levels - 1;
            let mut before: Option<FramePlan> = None;
            let (mut worst, mut most, mut nodes, mut line) = (0f64, 0f32, 0, String::new());
            let mut near = 0.0;
            for frame in 0..=ZOOM + AFTER {
                terrain.begin_frame(1.0 / 60.0);
                let viewport = Viewport::whole(1280, 720);
                let plan = terrain.plan(&[view(eye, yaw, pitch, frame, viewport)], &residency).unwrap();
                nodes = nodes.max(plan.views[0].nodes.len());
                if let Some(before) = &before && frame % 2 == 0 {
                    let (_all, _far, by, va, vf) = moved(&before.views[0], &plan.views[0], &atlas, coarsest, &field, eye);
                    let share = vf as f64 / va as f64;
                    worst = worst.max(share);
                    most = most.max(by);
                    if frame % 8 == 0 { line += &format!(" {:.2}%", 100.0 * share); }
                }
                near = plan.views[0].near;
                before = Some(plan);
            }
            let first = {let mut t = Terrain::new(field.clone(), TerrainSettings { lod: lod.clone(), ..TerrainSettings::default() }).unwrap(); t.plan(&[view(eye, yaw, pitch, 0, Viewport::whole(1280,720))], &residency).unwrap().views[0].nodes.len()};println!("pe {pixel_error} ratio {ratio} oct {octaves_a_second} {name}: worst {:.3} %, most {most:.2} px, nodes {first}..{nodes}, near {near:.0}:{line}", 100.0*worst);
        }
    }
}
