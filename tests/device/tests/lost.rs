//! Uploads that were lost on the way: never submitted, failed halfway, or meant for somebody who holds something else.

use glam::DVec3;
use landform::Result;
use landform::draw::Renderer;
use landform::field::{Field, FieldDesc, Quad, SampleRect};
use landform::gpu::{Allocation, AllocationRequest, Device, DeviceMemory, MemoryBudget};
use landform::plan::FramePlan;
use landform_device_tests::{Stage, over, tiled_hills};
use landform_harness::{Gpu, shared};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// Opens a square of quads.
fn open(field: &mut Field, x: u32, z: u32) {
    for at in 0..400 {
        field.set_hole(Quad::new(x + at % 20, z + at / 20), true);
    }
}

/// Records a plan's upload into a command buffer that is then thrown away.
fn lose(gpu: &Gpu, stage: &mut Stage, plan: &FramePlan) {
    gpu.record_and_discard(|raw| {
        // SAFETY: the harness hands over a command buffer that records, and never submits it.
        let cmd = unsafe { stage.device.record(raw) };
        stage.renderer.upload(&cmd, plan).unwrap();
    })
    .unwrap();
}

/// The first upload is recorded and never submitted: images are as they were made, and no index was copied.
#[test]
fn a_first_upload_that_was_lost_is_forgotten() {
    let gpu = shared();
    let mut field = tiled_hills();
    open(&mut field, 100, 100);
    let mut stage = Stage::small(&gpu, field.clone());
    let view = over(&stage);
    for _ in 0..2 {
        stage.device.begin_frame();
        let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
        assert_eq!(plan.uploads.len(), 16);
        lose(&gpu, &mut stage, &plan);
        stage.renderer.forget();
    }
    let picture = stage.draw(&view);
    assert_eq!(picture, Stage::small(&gpu, field).draw(&view));
}

/// A later upload is lost together with a hole that it would have closed, and the ground that is drawn next never had
/// it: nothing of the mask survives.
#[test]
fn a_later_upload_that_was_lost_leaves_no_hole() {
    let gpu = shared();
    // Another hole, so that fragments ask the mask.
    let mut whole = tiled_hills();
    open(&mut whole, 10, 10);
    let mut stage = Stage::small(&gpu, whole.clone());
    let view = over(&stage);
    let expected = stage.draw(&view);
    open(stage.terrain.field_mut(), 100, 100);
    assert_ne!(stage.draw(&view), expected);
    *stage.terrain.field_mut() = whole;
    stage.device.begin_frame();
    let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
    assert_eq!(plan.uploads.len(), 1);
    lose(&gpu, &mut stage, &plan);
    stage.renderer.forget();
    assert_eq!(stage.draw(&view), expected);
}

/// One renderer holds a hole and another nothing; a plan for both, of ground from before the hole, closes it.
#[test]
fn a_plan_for_two_renderers_leaves_no_hole() {
    let gpu = shared();
    // Another hole, so that fragments ask the mask.
    let mut whole = tiled_hills();
    open(&mut whole, 10, 10);
    let mut one = Stage::small(&gpu, whole.clone());
    let view = over(&one);
    let expected = one.draw(&view);
    open(one.terrain.field_mut(), 100, 100);
    assert_ne!(one.draw(&view), expected);
    *one.terrain.field_mut() = whole.clone();
    let mut two = Stage::small(&gpu, whole);
    let common = one.renderer.residency().common(two.renderer.residency());
    let plan = one.terrain.plan(&[view], &common).unwrap();
    one.play(&plan);
    two.play(&plan);
    assert!(one.offscreen.read_color().unwrap() == expected, "a hole was left");
    assert_eq!(two.offscreen.read_color().unwrap(), expected);
}

/// An allocator that runs out of staging memory after a number of buffers.
struct Scarce {
    memory: Arc<dyn DeviceMemory>,
    staging: AtomicU32,
}

impl DeviceMemory for Scarce {
    fn allocate(&self, request: &AllocationRequest<'_>) -> Result<Allocation> {
        if request.name == "landform staging" {
            let left =
                self.staging.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
            if left.is_err() {
                return Err(landform::Error::Memory {
                    resource: request.name.into(),
                    why: "all is taken".into(),
                });
            }
        }
        self.memory.allocate(request)
    }

    fn free(&self, allocation: Allocation) {
        self.memory.free(allocation);
    }

    fn flush(&self, allocation: &Allocation, offset: u64, size: u64) -> Result<()> {
        self.memory.flush(allocation, offset, size)
    }

    fn invalidate(&self, allocation: &Allocation, offset: u64, size: u64) -> Result<()> {
        self.memory.invalidate(allocation, offset, size)
    }

    fn budget(&self) -> MemoryBudget {
        self.memory.budget()
    }
}

/// Staging fails in the second batch of an upload: nothing was recorded, nothing is confirmed, what is drawn is what was
/// held before, and the next plan has all of it again.
#[test]
fn an_upload_that_fails_halfway_changes_nothing() {
    let gpu = shared();
    let desc = FieldDesc::new(3001, 3001).with_tile_samples(512).with_range(0.0, 100.0);
    let mut stage = Stage::small(&gpu, Field::new(desc).unwrap());
    let scarce = Arc::new(Scarce { memory: gpu.host().memory, staging: AtomicU32::new(2) });
    // SAFETY: the harness' host is valid and outlives the stage, and every frame is waited for.
    stage.device = unsafe { Device::new(gpu.host_with(scarce.clone())) }.unwrap();
    stage.renderer = Renderer::new(&stage.device, &desc).unwrap();
    let view = stage.view(DVec3::new(1500.0, 150.0, 2500.0), 0.0, -15.0);
    let flat = stage.draw(&view);
    assert_eq!(scarce.staging.load(Ordering::Relaxed), 0, "the first frame takes two batches");
    let held = stage.renderer.residency().clone();
    let still = stage.terrain.plan(&[view], &held).unwrap();
    assert!(still.uploads.is_empty());
    let all = SampleRect::new(0, 0, 3001, 3001);
    stage.terrain.field_mut().edit(all, |z, row| row.fill((z * 20) as u16));
    scarce.staging.store(1, Ordering::Relaxed);
    stage.device.begin_frame();
    let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
    gpu.submit_and_wait(|raw| {
        // SAFETY: the harness hands over a command buffer that records, and waits for it.
        let cmd = unsafe { stage.device.record(raw) };
        let refused = stage.renderer.upload(&cmd, &plan).unwrap_err().to_string();
        assert!(refused.contains("all is taken"), "{refused}");
    })
    .unwrap();
    assert_eq!(stage.renderer.residency(), &held);
    assert_eq!(stage.renderer.stats().uploaded_bytes, 0);
    stage.play(&still);
    assert_eq!(stage.offscreen.read_color().unwrap(), flat);
    scarce.staging.store(100, Ordering::Relaxed);
    let picture = stage.draw(&view);
    assert_ne!(picture, flat);
    let field = stage.terrain.field().clone();
    drop(stage);
    assert_eq!(Stage::small(&gpu, field).draw(&view), picture);
}

/// A frame that could not begin, for want of a staging buffer, is begun by the next call: nothing of the frames in
/// flight is written over, and its picture is right.
#[test]
fn a_frame_that_could_not_begin_is_begun_again() {
    let gpu = shared();
    let mut stage = Stage::small(&gpu, tiled_hills());
    let scarce = Arc::new(Scarce { memory: gpu.host().memory, staging: AtomicU32::new(1) });
    // SAFETY: the harness' host is valid and outlives the stage, and every frame is waited for.
    stage.device = unsafe { Device::new(gpu.host_with(scarce.clone())) }.unwrap();
    stage.renderer = Renderer::new(&stage.device, stage.terrain.field().desc()).unwrap();
    let view = over(&stage);
    let first = stage.draw(&view);
    stage.draw(&view);
    // The first frame's slot has its turn again, and would keep a buffer of the size that it needed.
    stage.device.begin_frame();
    let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
    let before = stage.renderer.stats();
    gpu.submit_and_wait(|raw| {
        // SAFETY: the harness hands over a command buffer that records, and waits for it.
        let cmd = unsafe { stage.device.record(raw) };
        assert!(stage.renderer.upload(&cmd, &plan).is_err());
        assert_eq!(stage.renderer.stats(), before, "the frame has not begun");
        stage.renderer.upload(&cmd, &plan).unwrap();
        stage.offscreen.begin(raw, Some(stage.clear));
        stage.renderer.draw(&cmd, &plan.views[0], &stage.target).unwrap();
        stage.offscreen.end(raw);
    })
    .unwrap();
    assert_eq!(stage.offscreen.read_color().unwrap(), first);
    assert_eq!(stage.renderer.stats().draws, 1);
}
