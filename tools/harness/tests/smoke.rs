//! Targets of every kind on both API paths: cleared, nothing drawn, read back, the validation layer silent.

use ash::vk;
use landform::gpu::{Buffer, BufferBarrier, BufferDesc, Device, MemoryLocation, Usage};
use landform_harness::{Api, Clear, Gpu, GpuOptions, Offscreen, OffscreenDesc, TargetKind, shared_with};

fn clear_and_read(api: Api) {
    let gpu = shared_with(api);
    for kind in [TargetKind::Dynamic, TargetKind::RenderPass] {
        for samples in [vk::SampleCountFlags::TYPE_1, vk::SampleCountFlags::TYPE_4] {
            let color = vec![vk::Format::R8G8B8A8_UNORM, vk::Format::R16G16_SFLOAT];
            let desc = OffscreenDesc { color, samples, kind, ..OffscreenDesc::new(70, 50) };
            let mut target = Offscreen::new(&gpu, desc).unwrap();
            let clear = Clear { color: [1.0, 0.0, 0.2, 1.0], depth: 0.25 };
            for keep in [None, Some(()), None] {
                gpu.submit_and_wait(|cmd| {
                    target.begin(cmd, if keep.is_some() { None } else { Some(clear) });
                    target.end(cmd);
                })
                .unwrap();
                let image = target.read_color().unwrap();
                assert!(image.pixels().all(|pixel| pixel == [255, 0, 51, 255]), "{kind:?} {samples:?}");
                assert!(
                    target.read_depth().unwrap().iter().all(|depth| *depth == 0.25),
                    "{kind:?} {samples:?}"
                );
                assert_eq!(target.read_color_bytes(1, 4).unwrap()[..4], [0, 0x3c, 0, 0]);
            }
            assert!(target.read_color_of(1).is_err());
        }
    }
}

#[test]
fn targets_clear_on_vulkan_1_3() {
    clear_and_read(Api::V1_3);
}

#[test]
fn targets_clear_on_vulkan_1_2_with_extensions() {
    clear_and_read(Api::V1_2);
}

#[test]
fn a_host_goes_away_without_a_word() {
    let gpu = Gpu::new(GpuOptions { optional_features: false, ..GpuOptions::default() }).unwrap();
    let mut target = Offscreen::new(&gpu, OffscreenDesc::new(8, 8)).unwrap();
    gpu.submit_and_wait(|cmd| {
        target.begin(cmd, Some(Clear::default()));
        target.end(cmd);
    })
    .unwrap();
    assert_eq!(target.read_color().unwrap().pixel(3, 3), [255, 0, 255, 255]);
    drop(target);
    gpu.assert_silent();
}

#[test]
fn the_validation_layer_is_heard_synchronisation_included() {
    let gpu = Gpu::new(GpuOptions { validation: Some(true), ..GpuOptions::default() }).unwrap();
    // SAFETY: the host is what it says, and each submission is waited for.
    let device = unsafe { Device::new(gpu.host()) }.unwrap();
    let desc = BufferDesc {
        name: "written twice",
        size: 64,
        usage: vk::BufferUsageFlags::TRANSFER_DST,
        location: MemoryLocation::GpuOnly,
    };
    let buffer = Buffer::new(&device, &desc).unwrap();
    let fill_twice = |with_barrier: bool| {
        gpu.submit_and_wait(|cmd| {
            // SAFETY: the harness's command buffer records, outside a rendering scope.
            let cmd = unsafe { device.record(cmd) };
            cmd.fill_buffer(&buffer, 0, 64, 1);
            if with_barrier {
                let (from, to) = (Usage::TransferDst, Usage::TransferDst);
                cmd.barriers(&[], &[BufferBarrier { buffer: &buffer, offset: 0, size: 64, from, to }]);
            }
            cmd.fill_buffer(&buffer, 0, 64, 2);
        })
        .unwrap();
        gpu.take_messages()
    };
    assert_eq!(fill_twice(true), Vec::<String>::new());
    let messages = fill_twice(false);
    assert!(messages.iter().any(|message| message.contains("HAZARD-WRITE")), "{messages:?}");
    assert!(messages.iter().any(|message| message.contains("written twice")), "{messages:?}");
}
