//! The parts of the `gpu` room on a device, each by itself: retiring, staging, an engine's allocator, compute, barriers.
//! The shader is assembled by hand, as those of the drawing test are.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use ash::vk;
use landform::gpu::{
    Allocation, AllocationRequest, Binding, BindingKind, Buffer, BufferBarrier, BufferDesc, Device,
    DeviceMemory, FrameRing, Image, ImageBarrier, ImageDesc, ImageRange, MemoryBudget, MemoryLocation,
    Pipeline, PipelineLayout, RingDesc, SetLayout, SetValue, Sets, ShaderDesc, Staging, StagingDesc, Usage,
};
use landform_harness::{Api, Gpu, shared_with};

fn words(bytes: &[u8]) -> Vec<u32> {
    ash::util::read_spv(&mut std::io::Cursor::new(bytes)).unwrap()
}

fn device_of(gpu: &Gpu) -> Arc<Device> {
    // SAFETY: the harness's host is what it says, and every test waits before it drops what it made.
    unsafe { Device::new(gpu.host()) }.unwrap()
}

#[test]
fn retired_things_live_as_long_as_their_frame() {
    let gpu = shared_with(Api::V1_3);
    let device = device_of(&gpu);
    let desc = BufferDesc {
        name: "short-lived",
        size: 64,
        usage: vk::BufferUsageFlags::TRANSFER_DST,
        location: MemoryLocation::GpuOnly,
    };
    device.begin_frame();
    drop(Buffer::new(&device, &desc).unwrap());
    assert_eq!((device.retired_len(), device.live_bytes()), (2, (0, 0)));
    device.begin_frame();
    assert_eq!(device.retired_len(), 2, "frame 1 may still be in flight");
    device.begin_frame();
    assert_eq!(device.retired_len(), 0);
    let kept = Buffer::new(&device, &desc).unwrap();
    assert_eq!(device.live_resources()[0].name, "short-lived");
    assert!(format!("{device:?}").contains("1 resources of 64 bytes"), "{device:?}");
    drop(kept);
    assert_eq!(device.close(), 0);
}

#[test]
fn staging_overflows_into_one_off_buffers_and_grows_afterwards() {
    let gpu = shared_with(Api::V1_3);
    let device = device_of(&gpu);
    let mut staging =
        Staging::new(&device, StagingDesc { name: "staging", keep: 256, keep_most: 4096 }).unwrap();
    let mut made = Vec::new();
    for frame in 0..6 {
        device.begin_frame();
        staging.begin_frame().unwrap();
        for upload in 0..3u64 {
            let staged = staging.stage(200, 16).unwrap();
            assert_eq!((staged.bytes.len(), staged.offset % 16), (200, 0), "{frame} {upload}");
            staged.bytes.fill(upload as u8);
        }
        if frame == 5 {
            let staged = staging.stage(100_000, 4).unwrap();
            assert_eq!(staged.bytes.len(), 100_000);
        }
        staging.finish().unwrap();
        made.push(staging.stats().buffers_made);
    }
    // Two slots overflow once each, are made larger once each, and are then large enough; the large upload is on its own.
    assert_eq!(made, [1, 1, 1, 1, 0, 1]);
    assert_eq!(staging.stats().total_bytes, 18 * 200 + 100_000);
    assert!(staging.stage(0, 4).is_err());
    drop(staging);
    assert_eq!(device.close(), 0);
}

#[test]
fn compute_writes_and_the_cpu_reads() {
    let gpu = shared_with(Api::V1_2);
    let device = device_of(&gpu);
    let stages = vk::ShaderStageFlags::COMPUTE;
    let layout = SetLayout::new(
        &device,
        "numbers",
        &[Binding { binding: 0, kind: BindingKind::Storage, stages, count: 1 }],
    )
    .unwrap();
    let pipeline_layout = PipelineLayout::new(&device, "numbers", &[&layout], 0, stages).unwrap();
    let code = words(include_bytes!("shaders/room.comp.spv"));
    let shader = ShaderDesc { words: &code, entry: c"main", constants: &[] };
    let pipeline = Pipeline::compute(&device, "numbers", &pipeline_layout, &shader).unwrap();
    let buffer = Buffer::new(
        &device,
        &BufferDesc {
            name: "numbers",
            size: 64,
            usage: vk::BufferUsageFlags::STORAGE_BUFFER | vk::BufferUsageFlags::TRANSFER_DST,
            location: MemoryLocation::Readback,
        },
    )
    .unwrap();
    let mut sets = Sets::new(&layout, "numbers", 1).unwrap();
    assert_eq!(sets.get(0).first_missing(), Some((0, 0)));
    let whole = SetValue::Buffer { buffer: &buffer, offset: 0, range: vk::WHOLE_SIZE };
    assert!(sets.write(0, 1, 0, whole).is_err());
    assert!(sets.write(0, 0, 0, SetValue::Sampler(vk::Sampler::null())).is_err());
    sets.write(0, 0, 0, whole).unwrap();
    device.begin_frame();
    gpu.submit_and_wait(|cmd| {
        // SAFETY: the harness's command buffer records, outside a rendering scope.
        let cmd = unsafe { device.record(cmd) };
        let barrier = |from, to| [BufferBarrier { buffer: &buffer, offset: 0, size: 64, from, to }];
        cmd.fill_buffer(&buffer, 0, 64, 7);
        cmd.barriers(&[], &barrier(Usage::TransferDst, Usage::ComputeWrite));
        cmd.bind_pipeline(&pipeline);
        cmd.bind_sets(pipeline.bind_point(), &pipeline_layout, 0, &[sets.get(0)], &[]);
        cmd.dispatch([16, 1, 1]);
        cmd.barriers(&[], &barrier(Usage::ComputeWrite, Usage::HostRead));
    })
    .unwrap();
    buffer.invalidate(0, 64).unwrap();
    let numbers = buffer.mapped().unwrap().as_chunks::<4>().0.iter().map(|bytes| u32::from_ne_bytes(*bytes));
    assert!(numbers.eq((0..16).map(|index| 14 + index)));
    drop((buffer, sets, pipeline, pipeline_layout, layout));
    assert_eq!(device.close(), 0);
}

/// An engine's own allocator that writes down what is made visible to the device.
struct Engine {
    inner: Arc<dyn DeviceMemory>,
    flushed: Mutex<Vec<(u64, u64)>>,
    live: AtomicI64,
}

impl DeviceMemory for Engine {
    fn allocate(&self, request: &AllocationRequest<'_>) -> Result<Allocation, landform::Error> {
        if request.requirements.size > 1 << 30 {
            let why = "the engine gives at most 1 GiB".into();
            return Err(landform::Error::Memory { resource: request.name.into(), why });
        }
        self.live.fetch_add(1, Ordering::Relaxed);
        self.inner.allocate(request)
    }

    fn free(&self, allocation: Allocation) {
        self.live.fetch_sub(1, Ordering::Relaxed);
        self.inner.free(allocation);
    }

    fn flush(&self, allocation: &Allocation, offset: u64, size: u64) -> Result<(), landform::Error> {
        assert!(size > 0 && offset + size <= allocation.size);
        self.flushed.lock().unwrap().push((offset, size));
        self.inner.flush(allocation, offset, size)
    }

    fn invalidate(&self, allocation: &Allocation, offset: u64, size: u64) -> Result<(), landform::Error> {
        self.inner.invalidate(allocation, offset, size)
    }

    fn budget(&self) -> MemoryBudget {
        self.inner.budget()
    }
}

#[test]
fn an_engines_own_allocator_sees_every_flush_and_gets_everything_back() {
    let gpu = shared_with(Api::V1_3);
    let engine =
        Arc::new(Engine { inner: gpu.host().memory, flushed: Mutex::default(), live: AtomicI64::new(0) });
    // SAFETY: the harness's host is what it says; nothing is submitted.
    let device = unsafe { Device::new(gpu.host_with(engine.clone())) }.unwrap();
    let flushed = || std::mem::take(&mut *engine.flushed.lock().unwrap());
    let usage = vk::BufferUsageFlags::UNIFORM_BUFFER;
    let desc = BufferDesc { name: "uniforms", size: 256, usage, location: MemoryLocation::Upload };
    let mut buffer = Buffer::new(&device, &desc).unwrap();
    buffer.write(16, &[1; 32]).unwrap();
    assert!(buffer.write(250, &[1; 32]).is_err());
    assert_eq!(flushed(), [(16, 32)]);
    let mut ring =
        FrameRing::new(&device, RingDesc { name: "ring", usage, region: 256, bind_range: None }).unwrap();
    device.begin_frame();
    ring.begin_frame();
    let slice = ring.push(&[2; 20]).unwrap();
    assert_eq!(flushed(), [(u64::from(slice.offset), 20)]);
    let mut staging =
        Staging::new(&device, StagingDesc { name: "staging", keep: 1024, keep_most: 1024 }).unwrap();
    staging.begin_frame().unwrap();
    staging.stage(100, 4).unwrap();
    staging.stage(60, 4).unwrap();
    staging.stage(5000, 4).unwrap();
    staging.finish().unwrap();
    let [(0, kept), (0, 5000)] = flushed()[..] else { panic!("one flush a buffer") };
    assert!((160..=1024).contains(&kept));
    let huge = Buffer::new(&device, &BufferDesc { name: "huge", size: 3 << 30, ..desc }).err().unwrap();
    assert_eq!(huge.to_string(), "huge: the engine gives at most 1 GiB");
    assert!(device.memory_budget().limit > 0);
    drop((buffer, ring, staging));
    assert_eq!(device.close(), 0);
    assert_eq!(engine.live.load(Ordering::Relaxed), 0);
}

#[test]
fn many_barriers_are_split_and_images_are_refused_with_sentences() {
    let gpu = shared_with(Api::V1_3);
    let device = device_of(&gpu);
    let desc =
        ImageDesc { name: "layers", extent: [4, 4], layers: 50, array: true, mips: 3, ..Default::default() };
    let image = Image::new(&device, &desc).unwrap();
    gpu.submit_and_wait(|cmd| {
        // SAFETY: the harness's command buffer records, outside a rendering scope.
        let cmd = unsafe { device.record(cmd) };
        let to = |from, to| -> Vec<ImageBarrier<'_>> {
            let range = |base_layer| ImageRange { base_mip: 1, mips: 2, base_layer, layers: 1 };
            (0..50).map(|layer| ImageBarrier { image: &image, range: range(layer), from, to }).collect()
        };
        cmd.barriers(&to(Usage::Undefined, Usage::TransferDst), &[]);
        let range = ImageRange { base_mip: 1, mips: 2, base_layer: 0, layers: 50 };
        cmd.clear_color(&image, range, vk::ClearColorValue { float32: [0.5; 4] });
        cmd.barriers(&to(Usage::TransferDst, Usage::VertexFragmentRead), &[]);
        cmd.barriers(&[], &[]);
    })
    .unwrap();
    drop(image);
    let huge = Image::new(&device, &ImageDesc { extent: [1 << 20, 4], ..desc }).err().unwrap().to_string();
    assert!(huge.contains("the largest R8_UNORM image of this device is"), "{huge}");
    let odd = Image::new(&device, &ImageDesc { mips: 9, ..desc }).err().unwrap().to_string();
    assert!(odd.contains("9 mips"), "{odd}");
    let empty = BufferDesc {
        name: "empty",
        size: 0,
        usage: vk::BufferUsageFlags::TRANSFER_SRC,
        location: MemoryLocation::Upload,
    };
    assert!(Buffer::new(&device, &empty).err().unwrap().to_string().contains("empty"));
    assert_eq!(device.close(), 0);
}
