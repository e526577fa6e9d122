//! Motion: where the ground's pixels were in the last frame.

use ash::vk;
use glam::{DVec2, DVec3, DVec4, Mat4, Vec3};
use landform::atlas::HeightAtlas;
use landform::draw::Renderer;
use landform::field::{Field, Quad, SampleRect};
use landform::lod::level_field;
use landform::lod::place::{distance_at, place_vertex, still_place, vertices};
use landform::plan::{FramePlan, Placement, TerrainSettings, View, ViewPlan};
use landform_device_tests::{Stage, hills};
use landform_harness::{Clear, Gpu, OffscreenDesc, shared};
use std::collections::HashMap;
use std::sync::Arc;

/// No motion is this large.
const NONE: f32 = 100.0;

const SIZE: [u32; 2] = [320, 180];

fn stage(gpu: &Arc<Gpu>, field: Field, samples: vk::SampleCountFlags, placement: Placement) -> Stage {
    let desc = OffscreenDesc {
        color: vec![vk::Format::R32G32B32A32_SFLOAT],
        samples,
        ..OffscreenDesc::new(SIZE[0], SIZE[1])
    };
    let settings = TerrainSettings { placement, ..TerrainSettings::default() };
    let mut stage = Stage::with_target(gpu, field, settings, desc);
    stage.clear = Clear { color: [NONE; 4], ..Clear::default() };
    stage
}

/// What one frame drew.
struct Frame {
    plan: FramePlan,
    /// Parts of the viewport; [`NONE`] where nothing was drawn.
    motion: Vec<DVec2>,
    depth: Vec<f32>,
}

fn frame(stage: &mut Stage, view: &View) -> Frame {
    stage.terrain.begin_frame(0.1);
    let plan = stage.terrain.plan(&[*view], stage.renderer.residency()).unwrap();
    stage.record(&plan, |renderer, cmd, target| {
        renderer.draw_depth(cmd, &plan.views[0], target).unwrap();
        renderer.draw_velocity(cmd, &plan.views[0], target).unwrap();
    });
    let depth = stage.offscreen.read_depth().unwrap();
    let motion = picture(stage).map(|[x, y, ..]| DVec2::new(x.into(), y.into())).collect();
    Frame { plan, motion, depth }
}

fn picture(stage: &mut Stage) -> impl Iterator<Item = [f32; 4]> + use<> {
    let bytes = stage.offscreen.read_color_bytes(0, 16).unwrap();
    bytes.chunks_exact(16).map(bytemuck::pod_read_unaligned::<[f32; 4]>).collect::<Vec<_>>().into_iter()
}

/// Where a place of the terrain, in its own metres, is in a view's picture without jitter, in parts of it; None behind the
/// camera.
fn seen(view: &View, placement: &Placement, at: DVec3) -> Option<DVec2> {
    let relative = view.rotation.as_dquat().inverse() * (placement.to_world(at) - view.position);
    let clip = view.unjittered.as_dmat4() * relative.extend(1.0);
    (clip.w > 1e-6).then(|| DVec2::new(0.5 + 0.5 * clip.x / clip.w, 0.5 - 0.5 * clip.y / clip.w))
}

/// Samples and codes to metres.
fn metres(field: &Field, [x, z]: [f64; 2], code: f64) -> DVec3 {
    let desc = field.desc();
    DVec3::new(x * desc.spacing.x, desc.range.min + code * desc.range.metres_per_code(), z * desc.spacing.y)
}

/// The surface that a plan drew: its triangles, samples across and codes up, by the cells they lie in.
struct Surface {
    cells: HashMap<[i32; 2], Vec<[DVec3; 3]>>,
}

impl Surface {
    const CELL: f64 = 8.0;

    fn of(view: &ViewPlan, atlas: &HeightAtlas) -> Self {
        let mut cells: HashMap<_, Vec<_>> = HashMap::new();
        let (shift, indices) = (view.grid.row_shift(), view.grid.indices());
        for node in &view.nodes {
            let vertex = |id: u16| {
                let index = [u32::from(id) & ((1 << shift) - 1), u32::from(id) >> shift];
                let still = still_place(&view.constants, node, index);
                let placed =
                    place_vertex(&view.constants, atlas, node, index, distance_at(&view.constants, still));
                DVec3::new(placed.place.x.into(), placed.height.into(), placed.place.y.into())
            };
            for triangle in indices.chunks_exact(3) {
                let corners = [0, 1, 2].map(|corner| vertex(triangle[corner]));
                let cell = |at: f64| (at / Self::CELL).floor() as i32;
                let (low, high) =
                    (corners[0].min(corners[1]).min(corners[2]), corners[0].max(corners[1]).max(corners[2]));
                for z in cell(low.z)..=cell(high.z) {
                    for x in cell(low.x)..=cell(high.x) {
                        cells.entry([x, z]).or_default().push(corners);
                    }
                }
            }
        }
        Self { cells }
    }

    /// The code of the surface at a place in samples.
    fn code(&self, x: f64, z: f64) -> Option<f64> {
        let cell = [x, z].map(|at| (at / Self::CELL).floor() as i32);
        let at = DVec2::new(x, z);
        self.cells.get(&cell)?.iter().find_map(|corners| {
            let [a, b, c] = corners.map(|corner| DVec2::new(corner.x, corner.z));
            let whole = (b - a).perp_dot(c - a);
            if whole.abs() < 1e-9 {
                return None;
            }
            let parts = [(c - b).perp_dot(at - b), (a - c).perp_dot(at - c), (b - a).perp_dot(at - a)];
            let parts = parts.map(|part| part / whole);
            let inside = parts.iter().all(|&part| part >= -1e-9);
            inside.then(|| (0..3).map(|corner| parts[corner] * corners[corner].y).sum())
        })
    }
}

/// The place in the terrain that a pixel shows, of its depth.
fn shown(view: &View, placement: &Placement, x: usize, y: usize, depth: f32) -> DVec3 {
    let [across, down] = [(x as f64 + 0.5) / f64::from(SIZE[0]), (y as f64 + 0.5) / f64::from(SIZE[1])];
    let clip = DVec4::new(2.0 * across - 1.0, 1.0 - 2.0 * down, depth.into(), 1.0);
    let camera = view.projection.as_dmat4().inverse() * clip;
    placement.to_terrain(view.position + view.rotation.as_dquat() * (camera.truncate() / camera.w))
}

/// Pixels that `moved` parts of the picture are.
fn pixels(moved: DVec2) -> f64 {
    (moved * DVec2::new(SIZE[0].into(), SIZE[1].into())).length()
}

/// The vertex stage's arithmetic, in f32, against doubles: the largest difference in pixels of any vertex in both pictures.
fn vertices_off(
    field: &Field,
    atlas: &HeightAtlas,
    plan: &ViewPlan,
    views: [&View; 2],
    placements: [&Placement; 2],
) -> f64 {
    let constants = &plan.constants;
    let mut worst = 0.0f64;
    let mut held = 0;
    for node in &plan.nodes {
        for index in vertices(plan.grid) {
            let still = still_place(constants, node, index);
            let distance = distance_at(constants, still);
            let placed = place_vertex(constants, atlas, node, index, distance);
            let place = [f64::from(placed.place.x), f64::from(placed.place.y)];
            let last_distance = {
                let [column, row, column_part, row_part] = constants.last_level_sample;
                let x = level_field::relative(still.x, column, column_part, constants.spacing[0]);
                let z = level_field::relative(still.y, row, row_part, constants.spacing[1]);
                level_field::distance(glam::Vec2::new(x, z), constants.last_camera_height[3])
            };
            let lambda = level_field::lambda(last_distance, &constants.last_bands);
            let last_height = atlas.height(placed.place.x, placed.place.y, lambda);
            let clip = |matrix: &[[f32; 4]; 4], camera: [f32; 4], up: [f32; 4], height: f32| {
                let relative = Vec3::new(
                    level_field::relative(placed.place.x, camera[0], camera[2], constants.spacing[0]),
                    ((height - up[0]) - up[1]) * up[2],
                    level_field::relative(placed.place.y, camera[1], camera[3], constants.spacing[1]),
                );
                Mat4::from_cols_array_2d(matrix) * relative.extend(1.0)
            };
            let now =
                clip(&constants.unjittered, constants.camera_sample, constants.camera_height, placed.height);
            let last = clip(
                &constants.last_view_projection,
                constants.last_camera_sample,
                constants.last_camera_height,
                last_height,
            );
            let truth = [(0, placed.height), (1, last_height)].map(|(frame, code)| {
                seen(views[frame], placements[frame], metres(field, place, code.into()))
            });
            let [Some(truth_now), Some(truth_last)] = truth else { continue };
            let in_picture = |at: DVec2| at.cmpge(DVec2::ZERO).all() && at.cmple(DVec2::ONE).all();
            if !in_picture(truth_now) || !in_picture(truth_last) {
                continue;
            }
            let moved = (now.truncate().truncate() / now.w - last.truncate().truncate() / last.w)
                * glam::Vec2::new(constants.motion_scale[0], constants.motion_scale[1]);
            worst = worst.max(pixels(moved.as_dvec2() - (truth_now - truth_last)));
            held += 1;
        }
    }
    assert!(held > 100, "{held} vertices");
    worst
}

struct Step {
    name: &'static str,
    last: View,
    now: View,
    placements: [Placement; 2],
    edit: bool,
}

/// The motion of every pixel against what two frames drew, in doubles: where the pixel's place of the map stood on the
/// surface that the last frame drew.
fn hold(gpu: &Arc<Gpu>, step: &Step) {
    let Step { name, last, now, placements, edit } = step;
    let mut stage = stage(gpu, hills(513, 513), vk::SampleCountFlags::TYPE_1, placements[0]);
    frame(&mut stage, last);
    let before = frame(&mut stage, last);
    let drawn = before.motion.iter().filter(|moved| moved.x != f64::from(NONE));
    let still = drawn.map(|moved| moved.length()).fold(0.0, f64::max);
    assert_eq!(still, 0.0, "{name}: a still frame moves");
    let old_atlas = HeightAtlas::new(stage.terrain.field());
    let surface = Surface::of(&before.plan.views[0], &old_atlas);
    if *edit {
        // A stroke of some metres a second. Ground is reprojected as it is now: what rises faster is off by what it rose.
        let mound = SampleRect::new(240, 300, 40, 40);
        let raise = |_, codes: &mut [u16]| codes.iter_mut().for_each(|code| *code = code.saturating_add(20));
        stage.terrain.field_mut().edit(mound, raise);
    }
    let mut settings = stage.terrain.settings().clone();
    settings.placement = placements[1];
    stage.terrain.set_settings(settings).unwrap();
    let after = frame(&mut stage, now);
    let field = stage.terrain.field();
    let atlas = HeightAtlas::new(field);
    let off =
        vertices_off(field, &atlas, &after.plan.views[0], [now, last], [&placements[1], &placements[0]]);
    assert!(off < 0.05, "{name}: a vertex is off by {off} pixels");
    let (mut held, mut wrong, mut still, mut farthest) = (0, 0, 0, 0.0f64);
    for (index, (moved, depth)) in after.motion.iter().zip(&after.depth).enumerate() {
        assert_eq!(
            *depth > 0.0,
            moved.x != f64::from(NONE),
            "{name}: pixel {index} has depth {depth}, motion {moved}"
        );
        if *depth == 0.0 {
            continue;
        }
        let (x, y) = (index % SIZE[0] as usize, index / SIZE[0] as usize);
        let place = shown(now, &placements[1], x, y, *depth);
        let samples = [place.x / field.desc().spacing.x, place.z / field.desc().spacing.y];
        let Some(code) = surface.code(samples[0], samples[1]) else { continue };
        let Some(truth_last) = seen(last, &placements[0], metres(field, samples, code)) else { continue };
        let Some(truth_now) = seen(now, &placements[1], place) else { continue };
        // Beyond the edges of the last picture no resolve looks.
        if truth_last.min_element() < -0.5 || truth_last.max_element() > 1.5 {
            continue;
        }
        let truth = truth_now - truth_last;
        held += 1;
        farthest = farthest.max(pixels(truth));
        wrong += usize::from(pixels(*moved - truth) > 0.25);
        // With no motion at all, the test would see it.
        still += usize::from(pixels(truth) > 0.25);
    }
    println!(
        "{name}: {held} pixels, {wrong} off by more than 0.25, moved by up to {farthest:.1}; a vertex by {off:.4} at most"
    );
    assert!(held > 20_000, "{name}: {held} pixels");
    assert!(wrong <= held / 1000, "{name}: {wrong} of {held} pixels");
    assert!(still > held / 2, "{name}: only {still} of {held} pixels move");
}

#[test]
fn motion_is_where_the_last_frame_drew_it() {
    let gpu = shared();
    let plain = stage(&gpu, hills(17, 17), vk::SampleCountFlags::TYPE_1, Placement::default());
    let camera = DVec3::new(330.123, 190.456, 960.789);
    let start = plain.view(camera, 18.0, -12.0);
    let moved = |by: DVec3, yaw: f32, pitch: f32| plain.view(camera + by, 18.0 + yaw, -12.0 + pitch);
    let here = [Placement::default(); 2];
    let step = |name, now| Step { name, last: start, now, placements: here, edit: false };
    let zoomed = {
        let mut view = start;
        let zoom = Mat4::from_scale(Vec3::new(1.1, 1.1, 1.0));
        (view.projection, view.unjittered) = (zoom * view.projection, zoom * view.unjittered);
        view
    };
    let jittered = |view: &View, x: f32, y: f32| {
        let jitter =
            Mat4::from_translation(Vec3::new(2.0 * x / SIZE[0] as f32, 2.0 * y / SIZE[1] as f32, 0.0));
        View { projection: jitter * view.projection, ..*view }
    };
    let still = Placement { translation: DVec3::new(5.0e5, -40.0, 3.0e5), yaw: 0.4 };
    let turned = Placement { translation: still.translation + DVec3::new(3.0, 0.5, -2.0), yaw: 0.41 };
    let far = |view: View| View {
        position: still.to_world(view.position),
        rotation: View::looking((18.0f32).to_radians() - 0.4, (-12.0f32).to_radians()),
        ..view
    };
    let steps = [
        step("translation", moved(DVec3::new(1.3, 0.4, -2.1), 0.0, 0.0)),
        step("rotation", moved(DVec3::ZERO, 2.0, -1.0)),
        step("zoom", zoomed),
        step("through levels", moved(DVec3::new(-20.0, -4.0, -60.0), 1.0, 0.0)),
        step("upward, out of the range", moved(DVec3::new(0.0, 60.0, 0.0), 0.0, -2.0)),
        Step {
            last: jittered(&start, 0.3, -0.4),
            now: jittered(&moved(DVec3::new(1.3, 0.4, -2.1), 0.0, 0.0), -0.2, 0.45),
            ..step("jittered", start)
        },
        Step { edit: true, ..step("over an edit", moved(DVec3::new(1.3, 0.4, -2.1), 0.0, 0.0)) },
        Step {
            name: "ground that moves and turns, 500 km out",
            last: far(start),
            now: far(start),
            placements: [still, turned],
            edit: false,
        },
    ];
    for step in &steps {
        hold(&gpu, step);
    }
}

/// A first frame and a cut have no motion, whatever the camera does.
#[test]
fn a_cut_has_no_motion() {
    let gpu = shared();
    let mut stage = stage(&gpu, hills(257, 257), vk::SampleCountFlags::TYPE_1, Placement::default());
    let [first, second] = [DVec3::new(160.0, 190.0, 520.0), DVec3::new(150.0, 180.0, 490.0)]
        .map(|position| stage.view(position, 12.0, -18.0));
    let moved = |frame: &Frame| {
        frame
            .motion
            .iter()
            .filter(|moved| moved.x != f64::from(NONE))
            .map(|moved| moved.length())
            .fold(0.0, f64::max)
    };
    assert!(moved(&frame(&mut stage, &first)) < 1e-6);
    assert!(moved(&frame(&mut stage, &View { cut: true, ..second })) < 1e-6);
    assert!(moved(&frame(&mut stage, &first)) > 0.01);
}

/// Behind the last frame's camera, motion leads out of the picture and is a number.
#[test]
fn what_was_behind_the_camera_leads_outside() {
    let gpu = shared();
    let mut stage = stage(&gpu, hills(257, 257), vk::SampleCountFlags::TYPE_1, Placement::default());
    let camera = DVec3::new(160.0, 190.0, 300.0);
    let away = stage.view(camera, 180.0, -18.0);
    frame(&mut stage, &away);
    let turned = stage.view(camera, 0.0, -18.0);
    let turned = frame(&mut stage, &turned);
    let drawn: Vec<_> = turned.motion.iter().filter(|moved| moved.x != f64::from(NONE)).collect();
    assert!(
        drawn.len() > 10_000
            && drawn.iter().all(|moved| moved.is_finite() && moved.abs().max_element() <= 4.0)
    );
    assert!(drawn.iter().all(|moved| moved.abs().max_element() > 1.0));
}

/// Motion is written wherever the surface is, and nowhere else: sample by sample, holes left out.
#[test]
fn motion_covers_what_the_surface_covers() {
    let gpu = shared();
    for samples in [vk::SampleCountFlags::TYPE_1, vk::SampleCountFlags::TYPE_4] {
        let mut stage = stage(&gpu, hills(257, 257), samples, Placement::default());
        for (x, z) in (100..120).flat_map(|x| (90..130).map(move |z| (x, z))) {
            stage.terrain.field_mut().set_hole(Quad::new(x, z), true);
        }
        let view = stage.view(DVec3::new(160.0, 190.0, 520.0), 12.0, -18.0);
        // What is left of the clear value tells how many samples were written: light and motion are small beside it.
        stage.clear.color = [4096.0; 4];
        let coverage = |stage: &mut Stage,
                        draw: &dyn Fn(
            &mut Renderer,
            &landform::gpu::Cmd<'_>,
            &ViewPlan,
            &landform::draw::Target,
        )| {
            stage.terrain.begin_frame(0.1);
            let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
            stage.record(&plan, |renderer, cmd, target| draw(renderer, cmd, &plan.views[0], target));
            picture(stage).map(|[red, ..]| (4.0 * (1.0 - red / 4096.0)).round() as u32).collect::<Vec<_>>()
        };
        let surface =
            coverage(&mut stage, &|renderer, cmd, plan, target| renderer.draw(cmd, plan, target).unwrap());
        let motion = coverage(&mut stage, &|renderer, cmd, plan, target| {
            renderer.draw_depth(cmd, plan, target).unwrap();
            renderer.draw_velocity(cmd, plan, target).unwrap();
        });
        let whole = surface.iter().filter(|&&count| count == 4).count();
        assert_eq!(surface, motion, "{samples:?}");
        assert!(whole > 10_000 && surface.contains(&0));
        assert!(samples == vk::SampleCountFlags::TYPE_1 || surface.contains(&2));
    }
}
