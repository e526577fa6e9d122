//! A zoom from 60° to 5° in a second: level of detail follows the projected error, finer where there are more pixels,
//! smoothly, soon enough, and with a bounded number of nodes.

use glam::{DVec2, DVec3, Mat4, Vec2, Vec3};
use landform::abi::ViewConstants;
use landform::atlas::HeightAtlas;
use landform::field::Field;
use landform::import::ImportOptions;
use landform::lod::{LodGeometry, LodSettings, lattice, level_field, place};
use landform::plan::{Residency, Terrain, TerrainSettings, View, ViewPlan, Viewport};
use landform::query::{height_at, raycast};
use landform_device_tests::{Stage, hills, shared_field};
use landform_harness::{Image8, shared};

/// Frames of the zoom, one a 60th of a second, and of the half second after it.
const ZOOM: u32 = 60;
const AFTER: u32 = 30;
const SMALL: [u32; 2] = [1280, 720];
const LARGE: [u32; 2] = [3840, 2160];

/// Gentle hills everywhere, with what a terrain does by default. Alpine valleys where they are there, 2 m a sample: steep,
/// a quarter of it steeper than 64°. A level's change lifts ground by half a quad's rise and slides a vertex by a quad, so
/// ground that climbs by more than its own width asks for finer quads; every check below is held to this one setting.
fn fields() -> Vec<(&'static str, Field, LodSettings)> {
    let options = ImportOptions::default().with_spacing(2.0, 2.0).with_range(0.0, 600.0);
    let panda = shared_field("heights/panda3d_heightfield_1024_u16.png", &options);
    let steep = LodSettings::Derived { pixel_error: 0.75, ratio: 0.5, octaves_a_second: 3.0, bias: 0.0 };
    let hills = ("hills", hills(1024, 1024), LodSettings::default());
    std::iter::once(hills).chain(panda.map(|field| ("panda", field, steep))).collect()
}

#[derive(Clone, Copy)]
struct Camera {
    name: &'static str,
    eye: DVec3,
    yaw: f32,
    pitch: f32,
}

/// In a corner of the map, looking along its diagonal; and 3 km from the ridge in the north, outside the map. Both have
/// the horizon in the middle of the picture.
fn cameras(field: &Field) -> [Camera; 2] {
    let desc = field.desc();
    let corner = DVec2::new(desc.quads_x().into(), desc.quads_z().into()) * desc.spacing * 0.98;
    let up = height_at(field, corner).expect("ground").max(0.97 * desc.range.max);
    let cameras = [
        ("corner", DVec3::new(corner.x, up, corner.y), -45.0),
        ("3 km", DVec3::new(914.0, 0.8 * desc.range.max, 3040.0), 0.0),
    ];
    cameras.map(|(name, eye, yaw)| {
        let ahead = View::looking(f32::to_radians(yaw), 0.0).as_dquat() * DVec3::NEG_Z;
        // Near ground fills the picture from below; the horizon is what lies beyond a kilometre.
        let slopes = (500..2000).filter_map(|step| {
            let at = eye + ahead * 2.0 * f64::from(step);
            Some((height_at(field, DVec2::new(at.x, at.z))? - eye.y) / (2.0 * f64::from(step)))
        });
        let pitch = slopes.fold(-1.0, f64::max).atan().to_degrees() as f32;
        Camera { name, eye, yaw, pitch }
    })
}

impl Camera {
    fn fov(frame: u32) -> f32 {
        60.0 + (5.0 - 60.0) * frame.min(ZOOM) as f32 / ZOOM as f32
    }

    /// The view of a frame. The first is a cut: sharp at once.
    fn view(&self, frame: u32, size: [u32; 2]) -> View {
        let rotation = View::looking(self.yaw.to_radians(), self.pitch.to_radians());
        let viewport = Viewport::whole(size[0], size[1]);
        let view = View::perspective(self.eye, rotation, Self::fov(frame).to_radians(), 0.1, viewport);
        View { cut: frame == 0, ..view }
    }

    /// The plans of all frames.
    fn zoom(&self, field: &Field, lod: &LodSettings, size: [u32; 2]) -> Vec<ViewPlan> {
        let settings = TerrainSettings { lod: lod.clone(), ..TerrainSettings::default() };
        let mut terrain = Terrain::new(field.clone(), settings).expect("a terrain");
        // Nothing is uploaded here: as if all of it were there already would be the same to the views.
        let residency = Residency::nothing(field.desc());
        let frames = (0..=ZOOM + AFTER).map(|frame| {
            terrain.begin_frame(1.0 / 60.0);
            let mut plan = terrain.plan(&[self.view(frame, size)], &residency).expect("a plan");
            plan.views.remove(0)
        });
        frames.collect()
    }
}

/// The level that is drawn, averaged over the ground in view.
fn mean_level(plan: &ViewPlan) -> f64 {
    let area = |level: u8| f64::from(1u32 << (2 * level));
    let (mut levels, mut all) = (0.0, 0.0);
    for node in &plan.nodes {
        levels += f64::from(node.level().0) * area(node.level().0);
        all += area(node.level().0);
    }
    levels / all
}

/// The most nodes that can be in view: for each level the squares that touch the wedge of ground within its range, by
/// the area of that wedge grown by a node all around. Never more than the level has.
fn most_nodes(field: &Field, plan: &ViewPlan, fov: f32, aspect: f32) -> f64 {
    let geometry = LodGeometry::new(field.desc(), plan.grid);
    // A little more than the horizontal angle: a pitched camera sees a wider wedge of the plan.
    let angle = 1.1 * 2.0 * f64::from(((fov.to_radians() / 2.0).tan() * aspect).atan());
    let quads = f64::from(field.desc().quads_x());
    let levels = (0..geometry.levels).map(|level| {
        let side = f64::from(plan.grid.quads() << level) * field.desc().spacing.x;
        let there_are = (quads * field.desc().spacing.x / side).ceil().powi(2);
        let diagonal = geometry.node_diagonal(level);
        // A node is drawn where its parent is within the level's range.
        let reach = plan.near * f64::from(1u32 << level) + 2.0 * diagonal;
        let wedge = 0.5 * angle * reach * reach;
        let grown = wedge + (2.0 + angle) * reach * diagonal + std::f64::consts::PI * diagonal * diagonal;
        there_are.min(grown / (side * side))
    });
    levels.sum()
}

#[test]
fn more_pixels_select_deeper_nodes_and_not_too_many() {
    for (name, field, lod) in fields() {
        for camera in cameras(&field) {
            let small = camera.zoom(&field, &lod, SMALL);
            let large = camera.zoom(&field, &lod, LARGE);
            let (mut deeper, mut most, mut fullest) = (0, [0, 0], 0f64);
            for (frame, (small, large)) in small.iter().zip(&large).enumerate() {
                let levels = [mean_level(small), mean_level(large)];
                assert!(levels[1] <= levels[0], "{name}, {}, frame {frame}: {levels:?}", camera.name);
                deeper += usize::from(levels[1] < levels[0]);
                most = [most[0].max(small.nodes.len()), most[1].max(large.nodes.len())];
                for plan in [small, large] {
                    let bound = most_nodes(&field, plan, Camera::fov(frame as u32), 16.0 / 9.0);
                    assert!(
                        plan.nodes.len() as f64 <= bound,
                        "{name}, {}: more than {bound} nodes",
                        camera.name
                    );
                    fullest = fullest.max(plan.nodes.len() as f64 / bound);
                }
            }
            println!(
                "{name}, {}: 4K is deeper in {deeper} of {} frames; {} nodes at 720p and {} at 4K at most, {:.0} % of the \
                 bound at most",
                camera.name,
                small.len(),
                most[0],
                most[1],
                100.0 * fullest
            );
            assert!(deeper > 20, "{name}, {}: 4K is hardly ever deeper", camera.name);
            assert!(most[1] <= 1024 + 64, "more than the whole map at level 0");
            let ends = [&small[0], &small[(ZOOM + AFTER) as usize]].map(mean_level);
            assert!(ends[1] < 0.5 * ends[0].min(1.0), "the zoom does not sharpen: levels {ends:?}");
        }
    }
}

/// A vertex of a level, where the frame's level field puts it, at whatever coarser level it is drawn by then: its place
/// and its λ.
fn placed(view: &ViewConstants, mut level: u32, mut index: [u32; 2], coarsest: u32) -> (Vec2, f32) {
    let edge = Vec2::new(view.map[0] as f32, view.map[1] as f32);
    loop {
        let step = (1u32 << level) as f32;
        let still = (Vec2::new(index[0] as f32, index[1] as f32) * step).min(edge);
        let morph = level_field::morph(place::distance_at(view, still), view.bands[level as usize]);
        if morph < 1.0 || level == coarsest {
            let slid = Vec2::from(index.map(|index| lattice::slide(index, morph)));
            return ((slid * step).min(edge), level as f32 + morph);
        }
        (level, index) = (level + 1, index.map(|index| lattice::slide_target(index) / 2));
    }
}

/// λ at a place.
fn lambda_at(view: &ViewConstants, at: Vec2, coarsest: u32) -> f32 {
    let distance = place::distance_at(view, at);
    let morph = |level: u32| level_field::morph(distance, view.bands[level as usize]);
    let level = (0..coarsest).find(|&level| morph(level) < 1.0).unwrap_or(coarsest);
    level as f32 + morph(level)
}

/// Camera-relative metres of a place at a λ.
fn metres(view: &ViewConstants, atlas: &HeightAtlas, (place, lambda): (Vec2, f32)) -> Vec3 {
    let [column, row, column_part, row_part] = view.camera_sample;
    let [code, code_part, metres_per_code, _] = view.camera_height;
    Vec3::new(
        level_field::relative(place.x, column, column_part, view.spacing[0]),
        ((atlas.height(place.x, place.y, lambda) - code) - code_part) * metres_per_code,
        level_field::relative(place.y, row, row_part, view.spacing[1]),
    )
}

/// Pixels of the target, from its middle; None outside the picture.
fn pixels(view: &ViewPlan, at: Vec3) -> Option<Vec2> {
    let clip = Mat4::from_cols_array_2d(&view.constants.view_projection) * at.extend(1.0);
    let seen = clip.w > 0.0 && clip.truncate().truncate().abs().max_element() <= clip.w;
    seen.then(|| {
        clip.truncate().truncate() / clip.w * Vec2::new(view.viewport.width, view.viewport.height) / 2.0
    })
}

/// What is followed from one frame to the next.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Follow {
    /// Each vertex, which slides over the ground as it morphs.
    Vertex,
    /// The ground at the vertex' place: what a still world shows as motion.
    Ground,
}

/// A share of the vertices in view is looked at, and of those a share is asked whether anything stands before them.
const STRIDE: u64 = 5;
const ASKED: u64 = 16;

/// The share of the visible vertices that moved by more than a pixel between two frames, both seen through the later
/// one's projection; and the furthest.
fn moved(
    field: &Field,
    atlas: &HeightAtlas,
    eye: DVec3,
    plans: [&ViewPlan; 2],
    follow: Follow,
) -> (f64, f32) {
    let [before, now] = plans;
    let coarsest = LodGeometry::new(field.desc(), now.grid).levels - 1;
    // Half a metre above, so that a vertex is not hidden by its own triangles.
    let visible = |at: Vec3| {
        let to = at.as_dvec3() + DVec3::Y * 0.5;
        raycast(field, eye, to, to.length()).is_none()
    };
    let (mut count, mut in_view, mut all, mut far, mut most) = (0u64, 0u64, 0, 0, 0f32);
    for node in &now.nodes {
        let level = u32::from(node.level().0);
        let first = node.origin.map(|origin| origin as u32 >> level);
        for index in place::vertices(now.grid) {
            count += 1;
            if count % STRIDE != 0 {
                continue;
            }
            let index = [first[0] + index[0], first[1] + index[1]];
            let here = placed(&now.constants, level, index, coarsest);
            let at = metres(&now.constants, atlas, here);
            let Some(pixel) = pixels(now, at) else { continue };
            in_view += 1;
            all += if in_view % ASKED == 0 && visible(at) { ASKED } else { 0 };
            let there = match follow {
                Follow::Vertex => placed(&before.constants, level, index, coarsest),
                Follow::Ground => (here.0, lambda_at(&before.constants, here.0, coarsest)),
            };
            if there == here {
                continue;
            }
            // What was outside the picture has no motion in it.
            let Some(old) = pixels(now, metres(&now.constants, atlas, there)) else { continue };
            let by = old.distance(pixel);
            if by > 1.0 && visible(at) {
                far += 1;
                most = most.max(by);
            }
        }
    }
    (if far == 0 { 0.0 } else { far as f64 / (all as f64).max(1.0) }, most)
}

/// Follows the whole zoom from both cameras, and refuses more than a thousandth that moves by over a pixel a frame.
fn assert_still(name: &str, field: &Field, lod: &LodSettings, follow: Follow) {
    let atlas = HeightAtlas::new(field);
    for camera in cameras(field) {
        let plans = camera.zoom(field, lod, SMALL);
        let (mut worst, mut most) = (0f64, 0f32);
        for (frame, pair) in plans.windows(2).enumerate() {
            let (share, by) = moved(field, &atlas, camera.eye, [&pair[0], &pair[1]], follow);
            let percent = 100.0 * share;
            assert!(share <= 0.001, "{name}, {}, frame {frame}: {percent:.3} % of {follow:?}", camera.name);
            (worst, most) = (worst.max(percent), most.max(by));
        }
        let camera = camera.name;
        println!("{name}, {camera}, {lod:?}, {follow:?}: {worst:.4} % at worst, {most:.2} pixels at most");
    }
}

/// With the projection's own motion removed, 99.9 % of what is visible moves by at most a pixel a frame.
#[test]
fn a_zoom_moves_the_ground_by_at_most_a_pixel_a_frame() {
    for (name, field, lod) in fields() {
        assert_still(name, &field, &lod, Follow::Vertex);
        assert_still(name, &field, &lod, Follow::Ground);
    }
}

/// The row of the highest ground in each column.
fn silhouette(picture: &Image8) -> Vec<u32> {
    let ground = |x: u32, y: u32| picture.pixel(x, y) != [255, 0, 255, 255];
    (0..picture.width)
        .map(|x| (0..picture.height).find(|&y| ground(x, y)).unwrap_or(picture.height))
        .collect()
}

/// Half a second after the zoom's end at the latest, the outline is that of level 0.
#[test]
fn the_ridge_is_as_sharp_as_level_0() {
    let gpu = shared();
    let finest = LodSettings::Near { near: 1e7, ratio: 0.66, bias: 0.0 };
    for (name, field, lod) in fields() {
        for camera in cameras(&field) {
            let view = camera.view(ZOOM, SMALL);
            let settings = TerrainSettings { lod: finest.clone(), ..TerrainSettings::default() };
            let truth = Stage::new(&gpu, field.clone(), settings, SMALL[0], SMALL[1]).draw(&view);
            let plans = camera.zoom(&field, &lod, SMALL);
            let settings = TerrainSettings { lod: lod.clone(), ..TerrainSettings::default() };
            let mut stage = Stage::new(&gpu, field.clone(), settings, SMALL[0], SMALL[1]);
            let mut plan = stage.terrain.plan(&[view], stage.renderer.residency()).expect("a plan");
            let wanted = plan.views[0].near;
            let reached = plans[ZOOM as usize..].iter().position(|plan| plan.near == wanted);
            let mut apart = |view: &ViewPlan| {
                plan.views[0] = view.clone();
                stage.play(&plan);
                let drawn = silhouette(&stage.offscreen.read_color().expect("a picture"));
                let pairs = drawn.iter().zip(silhouette(&truth));
                pairs.map(|(&row, truth)| row.abs_diff(truth)).max().expect("columns")
            };
            let (end, settled) = (apart(&plans[ZOOM as usize]), apart(&plans[(ZOOM + AFTER) as usize]));
            println!(
                "{name}, {}: {end} rows at the zoom's end, {settled} after; near after {reached:?} frames",
                camera.name
            );
            // Rows are whole pixels: one apart is within a pixel and a half, two are not.
            assert!(
                settled <= 1,
                "{name}, {}: the outline is {settled} rows from that of level 0",
                camera.name
            );
            assert!(
                reached.is_some(),
                "{name}, {}: the near range was not reached within half a second",
                camera.name
            );
            let rows = silhouette(&truth);
            assert!(rows.iter().any(|&row| row > 0 && row < SMALL[1]), "no outline is in view");
        }
    }
}
