//! Steady frames: the node records and small uniforms go up, nothing is written or allocated. Alone in their file, which counts what a
//! thread allocates.

use glam::{DVec3, Vec3};
use landform::abi::{MaterialConstants, NodeRecord, ViewConstants};
use landform::light::Lamp;
use landform::plan::{TerrainSettings, View, Viewport};
use landform_device_tests::{FrameStage, Stage, hills, look};
use landform_harness::shared;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts allocations of the thread that asked for it.
struct Counting;

thread_local! {
    static COUNTS: Cell<bool> = const { Cell::new(false) };
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if COUNTS.get() {
            ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        }
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is handed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Counts the allocations of this thread while `work` runs.
fn allocations(work: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    COUNTS.set(true);
    work();
    COUNTS.set(false);
    ALLOCATIONS.get() - before
}

#[test]
fn a_steady_frame_allocates_and_writes_nothing() {
    let gpu = shared();
    let mut stage = Stage::new(&gpu, hills(513, 513), TerrainSettings::default(), 160, 90);
    let at = |step: u32| DVec3::new(330.0 + f64::from(step), 190.0, 960.0 - 3.0 * f64::from(step));
    let views: Vec<View> = (0..40).map(|step| stage.view(at(step), 18.0, -12.0)).collect();
    let mut plan = stage.terrain.plan(&views[..1], stage.renderer.residency()).unwrap();
    let mut counted = (0, 0);
    let mut warm = None;
    for (step, view) in views.iter().enumerate() {
        let steady = step >= 8;
        let planned = allocations(|| {
            stage.terrain.begin_frame(1.0 / 60.0);
            stage
                .terrain
                .plan_into(&mut plan, std::slice::from_ref(view), stage.renderer.residency())
                .unwrap();
        });
        stage.device.begin_frame();
        let (device, renderer, offscreen, target) =
            (&stage.device, &mut stage.renderer, &mut stage.offscreen, &stage.target);
        let mut recorded = 0;
        gpu.submit_and_wait(|raw| {
            // SAFETY: the harness hands over a command buffer that records, and waits for it.
            let cmd = unsafe { device.record(raw) };
            let uploaded = allocations(|| renderer.upload(&cmd, &plan).unwrap());
            offscreen.begin(raw, Some(Default::default()));
            let drawn = allocations(|| {
                renderer.draw(&cmd, &plan.views[0], target).unwrap();
                renderer.draw_sky(&cmd, &plan.views[0], target).unwrap();
            });
            offscreen.end(raw);
            recorded = uploaded + drawn;
        })
        .unwrap();
        if steady {
            counted = (counted.0 + planned, counted.1 + recorded);
            let now =
                (stage.device.descriptor_writes(), stage.renderer.stats().sets, stage.device.live_bytes());
            assert_eq!(
                *warm.get_or_insert(now),
                now,
                "descriptor writes, sets, device memory at step {step}"
            );
            assert_eq!((stage.renderer.stats().uploaded_bytes, plan.upload_bytes()), (0, 0));
            let view_bytes = size_of::<ViewConstants>()
                + size_of::<MaterialConstants>()
                + size_of::<NodeRecord>() * plan.views[0].nodes.len();
            assert_eq!(
                stage.renderer.stats().view_bytes,
                view_bytes as u64,
                "sixteen bytes a patch at step {step}"
            );
        }
    }
    assert_eq!(counted, (0, 0), "allocations while planning and while recording");
}

/// The same of a whole frame: extraction, plans, casters, lamps in clusters, every node.
#[test]
fn a_steady_composed_frame_allocates_and_writes_nothing() {
    is_steady("(nodes: [StandardFrame(bare: true, split: true, motion: true, shadow_tile: 64)])");
}

/// And where the device sorts the lamps.
#[test]
fn a_steady_frame_that_sorts_lamps_on_the_device_allocates_and_writes_nothing() {
    is_steady(
        "(nodes: [StandardFrame(bare: true, clusters: true, split: true, motion: true, shadow_tile: 64)])",
    );
}

fn is_steady(document: &str) {
    let gpu = shared();
    let mut stage = FrameStage::new(&gpu, hills(513, 513), document, 160, 90);
    stage.set_sun(30.0, 60.0);
    let lamp = |at: u32| Lamp {
        position: DVec3::new(300.0 + f64::from(at), 200.0, 940.0),
        intensity: Vec3::splat(4000.0),
        range: 60.0,
        cone: None,
    };
    stage.lamps = (0..64).map(lamp).collect();
    let mut counted = 0;
    let mut warm = None;
    for step in 0..48u32 {
        let at = DVec3::new(330.0 + f64::from(step), 190.0, 960.0 - 3.0 * f64::from(step));
        let view = look(at, 18.0, -12.0, Viewport::whole(160, 90));
        stage.device.begin_frame();
        let views = [("Camera", view)];
        stage.lamps.iter_mut().for_each(|lamp| lamp.position.x += 0.25);
        gpu.submit_and_wait(|raw| {
            let recorded = allocations(|| stage.record(raw, &views, &mut ()).unwrap());
            if step >= 16 {
                counted += recorded;
            }
        })
        .unwrap();
        if step >= 16 {
            let now = (stage.device.descriptor_writes(), stage.device.live_resources().len());
            assert_eq!(*warm.get_or_insert(now), now, "descriptor writes and resources at step {step}");
        }
    }
    assert_eq!(counted, 0, "allocations while extracting, planning and recording");
    gpu.assert_silent();
}
