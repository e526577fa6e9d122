//! The `gpu` room drawing: uploads, barriers, sets, a ring, pipelines and timestamps in whole frames, on both API paths and into
//! every kind of target, with the validation layer silent and nothing left over.
//!
//! The shaders are assembled by hand: `spirv-as --target-env spv1.3 room.vert.spvasm -o room.vert.spv` and so on.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use ash::vk;
use landform::gpu::{
    Binding, BindingKind, Buffer, BufferBarrier, BufferDesc, Device, FrameRing, GraphicsPipelineDesc, Image,
    ImageBarrier, ImageDesc, MemoryLocation, Pipeline, PipelineLayout, RingDesc, SetLayout, SetValue, Sets,
    ShaderDesc, Staging, StagingDesc, Timestamps, Usage,
};
use landform_harness::{
    Api, Clear, Frames, Gpu, GpuOptions, Image8, Offscreen, OffscreenDesc, TargetKind, shared_with,
};

/// Counts this thread's allocations by Rust code.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promises are passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const VERTEX: vk::ShaderStageFlags = vk::ShaderStageFlags::VERTEX;
const FRAGMENT: vk::ShaderStageFlags = vk::ShaderStageFlags::FRAGMENT;
/// Two mips of one 16-bit texel each, in the order of the copies.
const TEXELS: [u16; 2] = [65535, 13107];

fn words(bytes: &[u8]) -> Vec<u32> {
    ash::util::read_spv(&mut std::io::Cursor::new(bytes)).unwrap()
}

fn device_of(gpu: &Gpu) -> Arc<Device> {
    // SAFETY: the harness's host is what it says, and every test waits before it drops what it made.
    unsafe { Device::new(gpu.host()) }.unwrap()
}

/// A full-screen triangle whose red comes from an image, green from a record in a ring, and blue from a constant.
struct Scene {
    pipeline: Pipeline,
    sets: Sets,
    /// The ring's generation that the sets were written for.
    generation: u64,
    layout: Arc<SetLayout>,
    image: Image,
    indices: Buffer,
    ring: FrameRing,
    staging: Staging,
    timestamps: Timestamps,
    device: Arc<Device>,
}

impl Scene {
    fn new(device: &Arc<Device>, target: &Offscreen) -> Self {
        let layout = SetLayout::new(
            device,
            "room set",
            &[
                Binding { binding: 1, kind: BindingKind::SampledImage, stages: FRAGMENT, count: 1 },
                Binding { binding: 0, kind: BindingKind::StorageDynamic, stages: VERTEX, count: 1 },
            ],
        )
        .unwrap();
        let pipeline_layout = PipelineLayout::new(device, "room", &[&layout], 4, FRAGMENT).unwrap();
        let (vertex, fragment) =
            (words(include_bytes!("shaders/room.vert.spv")), words(include_bytes!("shaders/room.frag.spv")));
        let blue = [(7, 1.0f32.to_bits())];
        let stage = |words, constants| ShaderDesc { words, entry: c"main", constants };
        let formats = target.formats();
        let pipeline = Pipeline::graphics(
            device,
            &GraphicsPipelineDesc {
                fragment: Some(stage(&fragment, &blue)),
                samples: target.desc().samples,
                ..GraphicsPipelineDesc::new("room", &pipeline_layout, stage(&vertex, &[]), &formats)
            },
        )
        .unwrap();
        let image = Image::new(
            device,
            &ImageDesc {
                name: "room texels",
                extent: [2, 1],
                mips: 2,
                format: vk::Format::R16_UINT,
                mip_views: true,
                ..ImageDesc::default()
            },
        )
        .unwrap();
        let ring = FrameRing::new(
            device,
            RingDesc {
                name: "room records",
                usage: vk::BufferUsageFlags::STORAGE_BUFFER,
                region: 64,
                bind_range: None,
            },
        )
        .unwrap();
        let indices = Buffer::new(
            device,
            &BufferDesc {
                name: "room indices",
                size: 6,
                usage: vk::BufferUsageFlags::INDEX_BUFFER | vk::BufferUsageFlags::TRANSFER_DST,
                location: MemoryLocation::GpuOnly,
            },
        )
        .unwrap();
        let staging =
            Staging::new(device, StagingDesc { name: "room staging", keep: 0, keep_most: 4096 }).unwrap();
        let mut scene = Scene {
            pipeline,
            sets: Sets::new(&layout, "room", 1).unwrap(),
            generation: 0,
            layout,
            image,
            indices,
            ring,
            staging,
            timestamps: Timestamps::new(device, "room", 4, true).unwrap(),
            device: device.clone(),
        };
        scene.write_sets();
        scene
    }

    fn write_sets(&mut self) {
        let (buffer, range) = (self.ring.buffer(), self.ring.bind_range());
        self.sets.write_all(0, 0, SetValue::Buffer { buffer, offset: 0, range }).unwrap();
        self.sets.write_all(1, 0, SetValue::Image(self.image.view())).unwrap();
        self.generation = self.ring.generation();
    }

    fn begin_frame(&mut self) {
        self.device.begin_frame();
        self.staging.begin_frame().unwrap();
        self.ring.begin_frame();
    }

    /// Uploads indices and texels as on a first frame, or again.
    fn upload(&mut self, cmd: vk::CommandBuffer, from: Usage) {
        // SAFETY: the harness's command buffer records, outside a rendering scope.
        let cmd = unsafe { self.device.record(cmd) };
        cmd.begin_label(c"room upload");
        self.timestamps.begin_frame(&cmd);
        let span = self.timestamps.begin(&cmd, "upload", false);
        let buffer_from = if from == Usage::Undefined { from } else { Usage::IndexRead };
        let image = |from, to| [ImageBarrier { image: &self.image, range: self.image.whole(), from, to }];
        let buffer =
            |from, to| [BufferBarrier { buffer: &self.indices, offset: 0, size: vk::WHOLE_SIZE, from, to }];
        cmd.barriers(&image(from, Usage::TransferDst), &buffer(buffer_from, Usage::TransferDst));
        let staged = self.staging.stage(6, 4).unwrap();
        staged.bytes.copy_from_slice(&[0, 0, 1, 0, 2, 0]);
        let region = vk::BufferCopy { src_offset: staged.offset, dst_offset: 0, size: 6 };
        cmd.copy_to_buffer(staged.buffer, &self.indices, &[region]);
        for mip in 0..2 {
            let [width, height] = self.image.extent(mip);
            let staged = self.staging.stage(u64::from(2 * width * height), 4).unwrap();
            for texel in staged.bytes.as_chunks_mut::<2>().0 {
                *texel = TEXELS[mip as usize].to_ne_bytes();
            }
            let region = vk::BufferImageCopy::default()
                .buffer_offset(staged.offset)
                .image_subresource(self.image.copy_layers(mip, 0, 1))
                .image_extent(vk::Extent3D { width, height, depth: 1 });
            cmd.copy_to_image(staged.buffer, &self.image, &[region]);
        }
        cmd.barriers(
            &image(Usage::TransferDst, Usage::FragmentRead),
            &buffer(Usage::TransferDst, Usage::IndexRead),
        );
        self.timestamps.end(&cmd, span);
        self.staging.finish().unwrap();
        cmd.end_label();
    }

    /// Draws instance `instance` of records whose green is `instance / 4`, with the texel of a mip as red.
    fn draw(&mut self, cmd: vk::CommandBuffer, target: &Offscreen, instance: u32, mip: u32) {
        let mut records = [[0f32; 4]; 4];
        for (index, record) in records.iter_mut().enumerate() {
            *record = [0.0, index as f32 / 4.0, 0.0, 1.0];
        }
        let slice = self.ring.push_with(64, |bytes| {
            for (place, value) in bytes.as_chunks_mut::<4>().0.iter_mut().zip(records.as_flattened()) {
                *place = value.to_ne_bytes();
            }
        });
        let slice = slice.unwrap();
        if slice.generation != self.generation {
            self.sets = Sets::new(&self.layout, "room", 1).unwrap();
            self.write_sets();
        }
        // SAFETY: the harness's command buffer records, inside a rendering scope.
        let cmd = unsafe { self.device.record(cmd) };
        cmd.begin_label(c"room draw");
        let span = self.timestamps.begin(&cmd, "draw", true);
        cmd.bind_pipeline(&self.pipeline);
        cmd.set_viewport(target.viewport(false), target.scissor());
        // The triangle's winding on screen is clockwise; y points down.
        cmd.set_front_face(vk::FrontFace::CLOCKWISE);
        let layout = self.pipeline.layout();
        cmd.bind_sets(vk::PipelineBindPoint::GRAPHICS, layout, 0, &[self.sets.get(0)], &[slice.offset]);
        cmd.push_constants(layout, &mip.to_ne_bytes());
        cmd.bind_index_buffer(&self.indices, 0, vk::IndexType::UINT16);
        cmd.draw_indexed(3, 1, 0, instance);
        self.timestamps.end(&cmd, span);
        cmd.end_label();
    }
}

/// The picture that a draw makes.
fn expected(target: &Offscreen, instance: u32, mip: u32) -> Image8 {
    let red = (f32::from(TEXELS[mip as usize]) / 65535.0 * 255.0).round() as u8;
    let green = (instance as f32 / 4.0 * 255.0).round_ties_even() as u8;
    Image8::filled(target.desc().width, target.desc().height, [red, green, 255, 255])
}

fn target(gpu: &Arc<Gpu>, kind: TargetKind, samples: vk::SampleCountFlags) -> Offscreen {
    let color = vec![vk::Format::R8G8B8A8_UNORM];
    Offscreen::new(gpu, OffscreenDesc { color, kind, samples, ..OffscreenDesc::new(40, 30) }).unwrap()
}

fn draws_what_it_should(gpu: &Arc<Gpu>) {
    for kind in [TargetKind::Dynamic, TargetKind::RenderPass] {
        for samples in [vk::SampleCountFlags::TYPE_1, vk::SampleCountFlags::TYPE_4] {
            let device = device_of(gpu);
            let mut target = target(gpu, kind, samples);
            let mut scene = Scene::new(&device, &target);
            for (frame, (instance, mip)) in [(1, 0), (3, 1), (2, 0)].into_iter().enumerate() {
                scene.begin_frame();
                gpu.submit_and_wait(|cmd| {
                    let before = if frame == 0 { Usage::Undefined } else { Usage::FragmentRead };
                    scene.upload(cmd, before);
                    target.begin(cmd, Some(Clear::default()));
                    scene.draw(cmd, &target, instance, mip);
                    target.end(cmd);
                })
                .unwrap();
                let difference = expected(&target, instance, mip).difference(&target.read_color().unwrap());
                let difference = difference.unwrap();
                assert!(difference.most <= 1, "{kind:?} {samples:?} frame {frame}: {difference:?}");
                assert!(target.read_depth().unwrap().iter().all(|depth| *depth == 0.5));
            }
            drop((scene, target));
            assert_eq!(device.close(), 0, "{:?}", device.live_resources());
        }
    }
}

#[test]
fn draws_on_vulkan_1_3() {
    draws_what_it_should(&shared_with(Api::V1_3));
}

#[test]
fn draws_on_vulkan_1_2_with_extensions() {
    draws_what_it_should(&shared_with(Api::V1_2));
}

#[test]
fn a_baked_front_face_and_no_optional_feature() {
    let options = GpuOptions { api: Api::V1_2, optional_features: false, ..GpuOptions::default() };
    let gpu = Gpu::new(options).unwrap();
    let device = device_of(&gpu);
    assert!(!device.has_dynamic_front_face());
    let mut target = target(&gpu, TargetKind::Dynamic, vk::SampleCountFlags::TYPE_1);
    let mut scene = Scene::new(&device, &target);
    scene.begin_frame();
    gpu.submit_and_wait(|cmd| {
        scene.upload(cmd, Usage::Undefined);
        target.begin(cmd, Some(Clear::default()));
        scene.draw(cmd, &target, 1, 0);
        target.end(cmd);
    })
    .unwrap();
    // The pipeline was made with the other winding, so its only triangle is culled.
    assert_eq!(target.read_color().unwrap().pixel(20, 15), [255, 0, 255, 255]);
    drop((scene, target));
    assert_eq!(device.close(), 0);
    gpu.assert_silent();
}

#[test]
fn a_steady_frame_allocates_nothing_and_writes_no_descriptor() {
    let gpu = shared_with(Api::V1_3);
    let device = device_of(&gpu);
    let mut target = target(&gpu, TargetKind::Dynamic, vk::SampleCountFlags::TYPE_1);
    let mut scene = Scene::new(&device, &target);
    let mut frames = Frames::new(&gpu).unwrap();
    for frame in 0..12 {
        let cmd = frames.begin().unwrap();
        let (written, allocated) = (device.descriptor_writes(), ALLOCATIONS.get());
        scene.begin_frame();
        scene.upload(cmd, if frame == 0 { Usage::Undefined } else { Usage::FragmentRead });
        let allocated_by_upload = ALLOCATIONS.get() - allocated;
        target.begin(cmd, Some(Clear::default()));
        let allocated = ALLOCATIONS.get();
        scene.draw(cmd, &target, 1, 0);
        let allocated = allocated_by_upload + ALLOCATIONS.get() - allocated;
        target.end(cmd);
        frames.submit(vk::SubmitInfo::default()).unwrap();
        if frame >= 6 {
            assert_eq!(allocated, 0, "frame {frame}");
            assert_eq!(device.descriptor_writes(), written, "frame {frame}");
            assert_eq!(scene.staging.stats().buffers_made, 0, "frame {frame}");
            assert_eq!(scene.staging.stats().bytes, 6 + 4 + 2, "frame {frame}");
        }
    }
    drop(frames);
    let (frame, timings) = scene.timestamps.latest();
    assert_eq!(frame, 10, "frame 12 read what frame 10 measured");
    assert_eq!(timings.iter().map(|timing| timing.label).collect::<Vec<_>>(), ["upload", "draw"]);
    assert!(scene.timestamps.milliseconds("draw").unwrap() > 0.0);
    if device.features().pipeline_statistics_query {
        let counts = timings[1].counts.unwrap();
        assert_eq!((counts.primitives, counts.vertex_invocations), (1, 3));
        assert!(counts.fragment_invocations >= 40 * 30, "{counts:?}");
    }
    drop((scene, target));
    assert_eq!(device.close(), 0);
}

#[test]
fn a_ring_grows_and_says_so_while_frames_are_in_flight() {
    let gpu = shared_with(Api::V1_3);
    let device = device_of(&gpu);
    let mut target = target(&gpu, TargetKind::Dynamic, vk::SampleCountFlags::TYPE_1);
    let mut scene = Scene::new(&device, &target);
    let mut frames = Frames::new(&gpu).unwrap();
    for frame in 0..8u32 {
        let cmd = frames.begin().unwrap();
        scene.begin_frame();
        scene.upload(cmd, if frame == 0 { Usage::Undefined } else { Usage::FragmentRead });
        target.begin(cmd, Some(Clear::default()));
        for draw in 0..=frame {
            scene.draw(cmd, &target, draw % 4, draw % 2);
        }
        target.end(cmd);
        frames.submit(vk::SubmitInfo::default()).unwrap();
    }
    drop(frames);
    assert!(scene.ring.generation() >= 2, "{}", scene.ring.generation());
    // Depth is tested, so the first draw of the last frame is what is seen.
    let difference = expected(&target, 0, 0).difference(&target.read_color().unwrap()).unwrap();
    assert!(difference.most <= 1, "{difference:?}");
    drop((scene, target));
    assert_eq!(device.close(), 0);
}
