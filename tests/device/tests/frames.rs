//! What a frame uploads, and that nothing is lost whatever a host does with a plan.

use glam::DVec3;
use landform::atlas::MipChain;
use landform::field::{Quad, Sample, SampleRect};
use landform::lod::{GridSize, LodSettings};
use landform::plan::{TerrainSettings, View, ViewId, Viewport};
use landform_device_tests::{Stage, hills, look, noise, over, tiled_hills};
use landform_harness::{Limit, compare_or_write, shared};

/// The first frame uploads every tile; one dirty tile of sixteen uploads its block and its mips and nothing else.
#[test]
fn only_what_changed_is_uploaded() {
    let gpu = shared();
    let mut stage = Stage::small(&gpu, tiled_hills());
    let view = over(&stage);
    let chain = MipChain { side: 64 }.texels() as u64 * 2;
    assert_eq!(chain, 2 * (64 * 64 + 32 * 32 + 16 * 16 + 8 * 8 + 4 * 4 + 2 * 2 + 1));
    let first = stage.draw(&view);
    assert_eq!(stage.renderer.stats().uploaded_bytes, 16 * chain);
    assert_eq!(stage.draw(&view), first);
    assert_eq!(stage.renderer.stats().uploaded_bytes, 0);
    // Inside tile (1, 1): no other tile holds it.
    stage.terrain.field_mut().edit(SampleRect::new(70, 70, 20, 20), |_, row| row.fill(60000));
    let raised = stage.draw(&view);
    assert_eq!(stage.renderer.stats().uploaded_bytes, chain);
    assert_ne!(raised, first);
    // A hole uploads the tile's block of the mask alone.
    stage.terrain.field_mut().set_hole(Quad::new(80, 80), true);
    stage.draw(&view);
    assert_eq!(stage.renderer.stats().uploaded_bytes, 64 * 64 / 8);
    // A border sample is held by two tiles.
    stage.terrain.field_mut().set_sample(Sample::new(63, 20), 0);
    stage.draw(&view);
    assert_eq!(stage.renderer.stats().uploaded_bytes, 2 * chain);
}

/// What is drawn after edits is what a fresh renderer draws of the edited field.
#[test]
fn an_edited_terrain_is_the_terrain_edited() {
    let gpu = shared();
    let mut edited = Stage::small(&gpu, tiled_hills());
    let view = over(&edited);
    edited.draw(&view);
    for step in 0..12u32 {
        let rect = SampleRect::new(step * 20, 250 - step * 19, 12, 3);
        edited.terrain.field_mut().edit(rect, |z, row| row.fill((z * 200) as u16));
        edited.terrain.field_mut().set_hole(Quad::new(step * 20 + 5, 120), true);
        edited.draw(&view);
    }
    let field = edited.terrain.field().clone();
    let picture = edited.draw(&view);
    drop(edited);
    assert_eq!(Stage::small(&gpu, field).draw(&view), picture);
}

/// A plan that is dropped loses nothing; one that is played twice changes nothing.
#[test]
fn plans_may_be_dropped_and_repeated() {
    let gpu = shared();
    let mut stage = Stage::small(&gpu, tiled_hills());
    let view = over(&stage);
    stage.draw(&view);
    stage.terrain.field_mut().edit(SampleRect::new(100, 100, 30, 30), |_, row| row.fill(50000));
    let dropped = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
    assert_eq!(dropped.uploads.len(), 4);
    drop(dropped);
    let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
    assert_eq!(plan.uploads.len(), 4, "nothing was confirmed");
    stage.play(&plan);
    let once = stage.offscreen.read_color().unwrap();
    stage.play(&plan);
    assert_eq!(stage.offscreen.read_color().unwrap(), once);
    assert!(stage.terrain.plan(&[view], stage.renderer.residency()).unwrap().uploads.is_empty());
}

/// A recorded upload that was never submitted is forgotten on the host's word and planned again.
#[test]
fn an_upload_that_was_lost_is_planned_again() {
    let gpu = shared();
    let mut stage = Stage::small(&gpu, tiled_hills());
    let view = over(&stage);
    let first = stage.draw(&view);
    stage.renderer.forget();
    let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
    assert_eq!(plan.uploads.len(), 16);
    stage.play(&plan);
    assert_eq!(stage.offscreen.read_color().unwrap(), first);
}

/// One terrain in two renderers that hold different things: a plan made with what both hold serves them both.
#[test]
fn one_terrain_in_two_renderers() {
    let gpu = shared();
    let mut one = Stage::small(&gpu, tiled_hills());
    let view = over(&one);
    one.draw(&view);
    one.terrain.field_mut().edit(SampleRect::new(10, 10, 30, 30), |_, row| row.fill(50000));
    let mut two = Stage::small(&gpu, one.terrain.field().clone());
    let common = one.renderer.residency().common(two.renderer.residency());
    let plan = one.terrain.plan(&[view], &common).unwrap();
    assert_eq!(plan.uploads.len(), 16);
    one.play(&plan);
    two.play(&plan);
    assert_eq!(one.offscreen.read_color().unwrap(), two.offscreen.read_color().unwrap());
    assert!(one.terrain.plan(&[view], one.renderer.residency()).unwrap().uploads.is_empty());
    assert!(one.terrain.plan(&[view], two.renderer.residency()).unwrap().uploads.is_empty());
}

/// A plan made for one renderer and played by another that holds less: nothing wrong is drawn, and the rest follows.
#[test]
fn a_plan_for_another_renderer_is_refused_or_completed() {
    let gpu = shared();
    let mut one = Stage::small(&gpu, tiled_hills());
    let view = over(&one);
    let whole = one.draw(&view);
    let plan = one.terrain.plan(&[view], one.renderer.residency()).unwrap();
    let mut two = Stage::small(&gpu, one.terrain.field().clone());
    let mut refused = String::new();
    two.record(&plan, |renderer, cmd, target| {
        refused = renderer.draw(cmd, &plan.views[0], target).unwrap_err().to_string();
    });
    assert!(refused.contains("call upload with the frame's plan first"), "{refused}");
    assert_eq!(two.draw(&view), whole);
}

/// A host that never begins a frame is told so, before anything is recorded.
#[test]
fn a_frame_has_to_be_begun() {
    let gpu = shared();
    let mut stage = Stage::small(&gpu, tiled_hills());
    let view = over(&stage);
    let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
    let (device, renderer) = (&stage.device, &mut stage.renderer);
    let refused = gpu.submit_and_wait(|raw| {
        // SAFETY: the harness hands over a command buffer that records, and waits for it.
        let cmd = unsafe { device.record(raw) };
        renderer.upload(&cmd, &plan).unwrap_err().to_string()
    });
    let refused = refused.unwrap();
    assert!(refused.contains("call Device::begin_frame once a frame"), "{refused}");
    assert!(!stage.renderer.residency().is_drawable());
    stage.draw(&view);
}

/// Two views with different level of detail in one command buffer, each as if it were alone.
#[test]
fn two_views_share_an_upload() {
    let gpu = shared();
    let field = tiled_hills();
    let mut stage = Stage::small(&gpu, field);
    let half = |x: f32| Viewport { x, y: 0.0, width: 160.0, height: 180.0 };
    let left = View { id: ViewId(1), ..look(DVec3::new(250.0, 260.0, 640.0), 4.0, -25.0, half(0.0)) };
    let mut right = View { id: ViewId(2), ..look(DVec3::new(60.0, 900.0, 60.0), 140.0, -60.0, half(160.0)) };
    right.projection = glam::camera::rh::proj::directx::perspective_infinite_reverse(0.3, 160.0 / 180.0, 0.1);
    right.unjittered = right.projection;
    let plan = stage.terrain.plan(&[left, right], stage.renderer.residency()).unwrap();
    assert_ne!(plan.views[0].near, plan.views[1].near, "the two have one level of detail");
    stage.play(&plan);
    assert_eq!(stage.renderer.stats().draws, 2, "one call a view");
    let both = stage.offscreen.read_color().unwrap();
    for (view, from, to) in [(left, 0, 160), (right, 160, 320)] {
        let alone = stage.draw(&view);
        for y in 0..180 {
            for x in from..to {
                assert_eq!(both.pixel(x, y), alone.pixel(x, y), "pixel {x}, {y}");
            }
        }
    }
}

/// A view that selects more patches than the buffer held gets a new set, written in full: the picture is right in that
/// frame and the frames before it, which are still in flight, keep theirs.
#[test]
fn the_patch_buffer_grows() {
    let gpu = shared();
    let field = noise(1500, 1500, 128);
    let settings = TerrainSettings {
        grid: GridSize::G16,
        lod: LodSettings::Near { near: 4000.0, ratio: 0.66, bias: 0.0 },
        ..TerrainSettings::default()
    };
    let mut stage = Stage::new(&gpu, field, settings, 160, 90);
    let small = stage.view(DVec3::new(750.0, 130.0, 750.0), 0.0, -80.0);
    let few = stage.draw(&small);
    assert_eq!(stage.renderer.stats().sets, 1);
    let large = stage.view(DVec3::new(750.0, 1400.0, 750.0), 0.0, -90.0);
    let many = stage.draw(&large);
    assert!(stage.renderer.stats().patches > 1024, "{:?}", stage.renderer.stats());
    assert_eq!(stage.renderer.stats().sets, 2);
    assert_eq!(stage.draw(&small), few);
    assert_eq!(stage.draw(&large), many);
    assert_eq!(stage.renderer.stats().sets, 2, "growing once is enough");
}

/// Depth alone and the surface agree to the last bit: a depth prepass with an equal test would draw every pixel.
#[test]
fn depth_alone_is_the_surface_depth() {
    let gpu = shared();
    let mut field = tiled_hills();
    for at in 60..110 {
        field.set_hole(Quad::new(at, at), true);
    }
    let mut stage = Stage::small(&gpu, field);
    let view = over(&stage);
    let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
    stage.record(&plan, |renderer, cmd, target| renderer.draw(cmd, &plan.views[0], target).unwrap());
    let surface = stage.offscreen.read_depth().unwrap();
    stage.record(&plan, |renderer, cmd, target| renderer.draw_depth(cmd, &plan.views[0], target).unwrap());
    assert_eq!(stage.offscreen.read_depth().unwrap(), surface);
    assert!(surface.iter().any(|&depth| depth > 0.0));
}

/// The surface over its own depth is the surface alone.
#[test]
fn a_depth_prepass_hides_nothing() {
    let gpu = shared();
    for hole in [false, true] {
        let mut field = tiled_hills();
        if hole {
            (60..110).for_each(|at| field.set_hole(Quad::new(at, at), true));
        }
        let mut stage = Stage::small(&gpu, field);
        let view = over(&stage);
        let alone = stage.draw(&view);
        let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
        stage.record(&plan, |renderer, cmd, target| {
            renderer.draw_depth(cmd, &plan.views[0], target).unwrap();
            renderer.draw(cmd, &plan.views[0], target).unwrap();
        });
        assert!(stage.offscreen.read_color().unwrap() == alone, "another picture; with a hole: {hole}");
    }
}

/// A plan's parts are public: a clone with other patches is another view, though both are drawn in one frame.
#[test]
fn a_changed_clone_is_drawn_as_it_is() {
    let gpu = shared();
    let mut stage = Stage::small(&gpu, tiled_hills());
    let view = over(&stage);
    let mut plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
    stage.play(&plan);
    let whole = stage.offscreen.read_color().unwrap();
    plan.uploads.clear();
    let mut fewer = plan.views[0].clone();
    fewer.nodes.truncate(fewer.nodes.len() / 2);
    let mut moved = plan.views[0].clone();
    moved.constants.view_projection[3][0] += 40.0;
    let alone = |stage: &mut Stage, view: &landform::plan::ViewPlan| {
        stage.record(&plan, |renderer, cmd, target| renderer.draw(cmd, view, target).unwrap());
        stage.offscreen.read_color().unwrap()
    };
    for changed in [fewer, moved] {
        let expected = alone(&mut stage, &changed);
        assert!(expected != whole, "the change shows");
        // In two halves of one frame: the plan's own first, then what was changed.
        let half = |view: &landform::plan::ViewPlan, x: f32| {
            let mut view = view.clone();
            view.viewport.x = x;
            view
        };
        let (left, right) = (half(&plan.views[0], -160.0), half(&changed, 160.0));
        let (only_left, only_right) = (alone(&mut stage, &left), alone(&mut stage, &right));
        stage.record(&plan, |renderer, cmd, target| {
            renderer.draw(cmd, &left, target).unwrap();
            renderer.draw(cmd, &right, target).unwrap();
            assert_eq!(renderer.stats().view_bytes, {
                let records = left.nodes.len() + right.nodes.len();
                (2 * (size_of_val(&left.constants) + size_of_val(&left.material))
                    + records * size_of::<landform::abi::NodeRecord>()) as u64
            });
        });
        let both = stage.offscreen.read_color().unwrap();
        for (x, y) in (0..180).flat_map(|y| (0..320).map(move |x| (x, y))) {
            let expected = if x < 160 { &only_left } else { &only_right };
            assert_eq!(both.pixel(x, y), expected.pixel(x, y), "pixel {x}, {y}");
        }
    }
}

/// What is not the renderer's is refused with a sentence: a view of a field of another shape, and a command buffer that
/// another device took.
#[test]
fn what_is_of_another_renderer_is_refused() {
    let gpu = shared();
    let mut stage = Stage::small(&gpu, tiled_hills());
    let view = over(&stage);
    stage.draw(&view);
    let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
    let mut other = Stage::small(&gpu, hills(257, 257));
    let foreign = other.terrain.plan(&[view], other.renderer.residency()).unwrap();
    let mut refused = Vec::new();
    stage.record(&plan, |renderer, cmd, target| {
        refused.push(renderer.draw(cmd, &foreign.views[0], target).unwrap_err().to_string());
        refused.push(renderer.draw_depth(cmd, &foreign.views[0], target).unwrap_err().to_string());
    });
    assert!(refused.iter().all(|why| why.contains("of a field of another shape")), "{refused:?}");
    refused.clear();
    other.record(&foreign, |_, cmd, target| {
        let view = &plan.views[0];
        refused.push(stage.renderer.upload(cmd, &plan).unwrap_err().to_string());
        refused.push(stage.renderer.draw(cmd, view, target).unwrap_err().to_string());
        refused.push(stage.renderer.draw_sky(cmd, view, target).unwrap_err().to_string());
    });
    assert!(refused.iter().all(|why| why.contains("taken by another device")), "{refused:?}");
}

/// A region drawn at level L with every morph 1 and at level L + 1 with every morph 0 is the same image.
#[test]
fn a_fully_morphed_level_is_the_next_level() {
    use landform::abi::{MorphBand, NodeRecord};
    use landform::field::Level;
    let gpu = shared();
    for (grid, level) in [(GridSize::G16, 0), (GridSize::G16, 2), (GridSize::G32, 1), (GridSize::G64, 0)] {
        let settings = TerrainSettings { grid, ..TerrainSettings::default() };
        let mut stage = Stage::new(&gpu, noise(257, 257, 64), settings, 640, 360);
        let view = stage.view(DVec3::new(128.0, 230.0, 330.0), 0.0, -40.0);
        let mut plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
        let side = |level: u8| grid.quads() << level;
        let all = |level: u8| {
            let along = move || (0..256u32.div_ceil(side(level))).map(move |at| at * side(level));
            along()
                .flat_map(move |z| along().map(move |x| NodeRecord::new(Level(level), x, z, 0.0)))
                .collect()
        };
        let always = MorphBand { start: -1.0, end: 0.0, inverse: 1.0, unused: 0.0 };
        plan.views[0].nodes = all(level);
        plan.views[0].constants.bands = [always; landform::abi::MAX_LEVELS];
        stage.play(&plan);
        let fine = stage.offscreen.read_color().unwrap();
        let mut coarse = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
        coarse.views[0].nodes = all(level + 1);
        coarse.views[0].constants.bands = [MorphBand::NEVER; landform::abi::MAX_LEVELS];
        stage.play(&coarse);
        let name = format!("morphed-{}-{level}", grid.quads());
        compare_or_write(&name, &stage.offscreen.read_color().unwrap(), &fine, Limit::EXACT).unwrap();
    }
}
