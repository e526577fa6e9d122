//! Bounds that follow an edit in its own frame: what was just raised is not culled, and an undo leaves no trace.

use glam::{DVec2, DVec3, Mat4};
use landform::abi::NodeRecord;
use landform::field::{Bounds, Field, FieldDesc, Sample};
use landform::import::ImportOptions;
use landform::lod::{Frustum, LodGeometry, LodRanges, LodSettings, SelectInput, select};
use landform::plan::{FramePlan, TerrainSettings, View};
use landform::query::{height_at, raycast};
use landform_device_tests::{Stage, random, shared_field, towers};
use landform_harness::{Image8, shared, write_png};

const MAGENTA: [u8; 4] = [255, 0, 255, 255];
const SIZE: u32 = 128;

/// A view of `fov` degrees that has `at` in its middle, from `away` metres.
fn toward(stage: &Stage, at: DVec3, yaw: f32, pitch: f32, away: f64, fov: f32) -> View {
    let rotation = View::looking(yaw.to_radians(), pitch.to_radians());
    let ahead = rotation.as_dquat() * DVec3::NEG_Z;
    // Sharp at once, as after a jump.
    View {
        cut: true,
        ..View::perspective(at - ahead * away, rotation, fov.to_radians(), 0.1, stage.viewport())
    }
}

/// The nodes of a view with these bounds, and culled or not.
fn nodes(stage: &Stage, view: &View, near: f64, bounds: &Bounds, culled: bool) -> Vec<NodeRecord> {
    let settings = stage.terrain.settings();
    let LodSettings::Derived { ratio, .. } = settings.lod else { panic!("derived ranges are meant") };
    let field = stage.terrain.field();
    let (ranges, _) = LodRanges::clamped(&LodGeometry::new(field.desc(), settings.grid), near, ratio)
        .expect("legal ranges");
    let seen = Frustum::of(&(view.unjittered * Mat4::from_quat(view.rotation.inverse())));
    let frustum = if culled { &seen } else { &Frustum::EVERYTHING };
    let input = SelectInput::new(field, settings.grid, &ranges, view.position, frustum);
    let mut nodes = Vec::new();
    select(&SelectInput { bounds, ..input }, &mut nodes);
    nodes
}

/// The frame's picture as planned, and the picture of the same frame with nothing culled.
fn with_and_without_culling(stage: &mut Stage, view: &View) -> (Image8, Image8) {
    stage.terrain.begin_frame(0.0);
    let plan = stage.terrain.plan(&[*view], stage.renderer.residency()).expect("a plan");
    let bounds = stage.terrain.field().bounds().clone();
    let all = nodes(stage, view, plan.views[0].near, &bounds, false);
    assert!(all.len() > plan.views[0].nodes.len() || plan.views[0].stats.culled == 0, "nodes appeared");
    let culled = picture(stage, &plan);
    let whole = picture(stage, &with_nodes(&plan, all));
    (culled, whole)
}

fn with_nodes(plan: &FramePlan, nodes: Vec<NodeRecord>) -> FramePlan {
    let mut plan = plan.clone();
    plan.views[0].nodes = nodes;
    plan
}

fn picture(stage: &mut Stage, plan: &FramePlan) -> Image8 {
    stage.play(plan);
    stage.offscreen.read_color().expect("a picture")
}

fn assert_equal(name: &str, culled: &Image8, whole: &Image8) {
    let differing = culled.pixels().zip(whole.pixels()).filter(|(a, b)| a != b).count();
    if differing > 0 {
        for (what, picture) in [("culled", culled), ("whole", whole)] {
            write_png(landform_harness::repository().join(format!("out/bounds-{what}.png")), picture)
                .unwrap();
        }
        panic!("{name}: {differing} pixels differ from the picture without culling; see out/bounds-*.png");
    }
}

/// 8 yaws and 8 pitches that have nothing but the tip in sight; each pose is the first frame after its own edit.
#[test]
fn a_raised_tip_is_seen_in_the_frame_of_the_edit() {
    let gpu = shared();
    // Between samples 1 m apart a tip of 2000 m would be a needle that no pixel sees.
    let desc =
        FieldDesc::new(513, 513).with_tile_samples(128).with_spacing(30.0, 30.0).with_range(0.0, 2500.0);
    let field = Field::new(desc).unwrap();
    let (code, original) = (desc.range.code(2000.0), field.bounds().clone());
    let mut stage = Stage::new(&gpu, field, TerrainSettings::default(), SIZE, SIZE);
    let away = DVec3::new(7500.0, 300.0, 7500.0);
    let empty = toward(&stage, away, 0.0, 60.0, 10.0, 20.0);
    assert!(stage.draw(&empty).pixels().all(|pixel| pixel == MAGENTA), "the flat field is on screen already");
    let mut hidden_by_stale_bounds = 0;
    for pose in 0..64u32 {
        // Inside a node, on borders of nodes, on borders of tiles, at corners of both.
        let (x, z) = [(250, 250), (256, 200), (127, 254), (384, 384)][pose as usize % 4];
        let (yaw, pitch) = ((pose % 8) as f32 * 45.0 + 7.0, (pose / 8) as f32 * 9.0);
        let at = DVec3::new(30.0 * f64::from(x), 1950.0, 30.0 * f64::from(z));
        let view = toward(&stage, at, yaw, pitch, 1500.0, 8.0);
        stage.terrain.field_mut().set_sample(Sample::new(x, z), code);
        let (culled, whole) = with_and_without_culling(&mut stage, &view);
        let tip = culled.pixels().filter(|&pixel| pixel != MAGENTA).count();
        assert!(tip > 0, "pose {pose}: the tip cannot be seen");
        assert!(tip < (SIZE * SIZE) as usize / 8, "pose {pose}: more than a tip is in sight");
        assert_equal(&format!("pose {pose}"), &culled, &whole);
        // The same frame, had the bounds not followed the edit.
        let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
        let stale = nodes(&stage, &view, plan.views[0].near, &original, true);
        hidden_by_stale_bounds += usize::from(stale.is_empty());
        stage.terrain.field_mut().set_sample(Sample::new(x, z), 0);
        assert_eq!(stage.terrain.field().bounds(), &original, "after the undo of pose {pose}");
        stage.terrain.begin_frame(0.0);
        assert!(
            stage.draw(&view).pixels().all(|pixel| pixel == MAGENTA),
            "pose {pose}: drawn after its undo"
        );
    }
    assert!(hidden_by_stale_bounds > 48, "only {hidden_by_stale_bounds} poses depend on the bounds at all");
    println!("{hidden_by_stale_bounds} of 64 poses see nothing with stale bounds");
}

/// Towers of one sample on centres and borders of nodes, seen from 64 poses near and far, narrow and wide: culling takes
/// away nothing that is seen.
#[test]
fn culling_takes_no_tower_away() {
    let gpu = shared();
    let mut fields = vec![("generated towers", towers(513, 513))];
    let options = ImportOptions::default().with_range(0.0, 500.0).with_tile_samples(64);
    fields.extend(shared_field("synth/towers_513_u16.png", &options).map(|field| ("towers_513", field)));
    for (name, field) in fields {
        let desc = *field.desc();
        let tops: Vec<_> = (0..desc.width * desc.height)
            .filter(|&i| field.samples()[i as usize] == u16::MAX)
            .map(|i| (i % desc.width, i / desc.width))
            .collect();
        let mut stage = Stage::new(&gpu, field, TerrainSettings::default(), SIZE, SIZE);
        let mut next = random(61);
        let mut seen = 0;
        for pose in 0..64u32 {
            let (x, z) = tops[next() as usize % tops.len()];
            let (yaw, pitch) = ((next() % 360) as f32, (next() % 120) as f32 - 60.0);
            let (away, fov) = [(30.0, 8.0), (150.0, 3.0), (700.0, 25.0), (400.0, 1.0)][pose as usize % 4];
            let at = DVec3::new(x.into(), if pose % 8 < 4 { 499.0 } else { 470.0 }, z.into());
            let view = toward(&stage, at, yaw, pitch, away, fov);
            let (culled, whole) = with_and_without_culling(&mut stage, &view);
            seen += usize::from(culled.pixels().any(|pixel| pixel != MAGENTA));
            assert_equal(&format!("{name}, pose {pose}"), &culled, &whole);
        }
        println!("{name}: {seen} of 64 poses see ground");
        assert!(seen >= 48, "{name}: only {seen} poses see anything");
    }
}

/// A field without any relief has bounds without volume, and is hit all the same.
#[test]
fn a_flat_field_is_hit_and_drawn() {
    let gpu = shared();
    let desc = FieldDesc::new(513, 513).with_spacing(2.0, 3.0).with_range(-100.0, 2400.0);
    for metres in [-100.0, 0.0, 2400.0] {
        let code = desc.range.code(metres);
        let height = desc.range.metres(f64::from(code));
        let field = Field::from_samples(desc, vec![code; 513 * 513]).unwrap();
        let mut next = random(code.into());
        let mut unit = move || f64::from(next()) / f64::from(u32::MAX);
        for _ in 0..1000 {
            let at = DVec3::new(1024.0 * unit(), height, 1536.0 * unit());
            let from = DVec3::new(1024.0 * unit(), height + 900.0 * (unit() - 0.5), 1536.0 * unit());
            let hit = raycast(&field, from, at - from, f64::INFINITY).expect("a flat plane is hit");
            assert!((hit.position - at).length() < 1e-6, "{} for {at}", hit.position);
            assert!(height_at(&field, DVec2::new(at.x, at.z)) == Some(height));
        }
        let mut stage = Stage::new(&gpu, field, TerrainSettings::default(), SIZE, SIZE);
        for pose in 0..8 {
            let at = DVec3::new(500.0, height, 700.0);
            let view = toward(&stage, at, 45.0 * pose as f32, -45.0, 300.0, 20.0);
            let (culled, whole) = with_and_without_culling(&mut stage, &view);
            assert!(culled.pixels().all(|pixel| pixel != MAGENTA), "the flat plane at {height} m has gaps");
            assert_equal("flat", &culled, &whole);
        }
    }
}
