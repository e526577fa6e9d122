//! A steady frame: the node records and one small uniform go up, nothing is written or allocated. Alone in its file,
//! since it counts what the whole process allocates.

use glam::DVec3;
use landform::abi::{MaterialConstants, NodeRecord, ViewConstants};
use landform::plan::{TerrainSettings, View};
use landform_device_tests::{Stage, hills};
use landform_harness::shared;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};

/// Counts allocations of the thread that asked for it.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static COUNTS: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if COUNTS.get() {
            ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
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
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    COUNTS.set(true);
    work();
    COUNTS.set(false);
    ALLOCATIONS.load(Ordering::Relaxed) - before
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
