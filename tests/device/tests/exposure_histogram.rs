//! What a whole frame is metered for, held against all of its pixels in full precision.

use ash::vk;
use glam::DVec3;
use landform::Result;
use landform::draw::{FrameHost, HostScope};
use landform::gpu::{Buffer, BufferBarrier, BufferDesc, Cmd, MemoryLocation, TargetBarrier, Usage};
use landform::plan::Viewport;
use landform_device_tests::{FrameStage, hills, look};
use landform_harness::shared;

/// The mean of log2 luminance between two parts of a picture's pixels, from the darkest up, in full precision.
fn reference(luminance: &[f32], low: f64, high: f64) -> f64 {
    let mut values: Vec<f64> = luminance
        .chunks_exact(4)
        .map(|texel| {
            0.2126 * f64::from(texel[0]) + 0.7152 * f64::from(texel[1]) + 0.0722 * f64::from(texel[2])
        })
        .filter(|value| value.is_finite() && *value >= (-20.0f64).exp2())
        .map(f64::log2)
        .collect();
    values.sort_by(f64::total_cmp);
    let count = values.len() as f64;
    let (low, high) = (low * count, high * count);
    let kept = |at: usize| (high.min(at as f64 + 1.0) - low.max(at as f64)).max(0.0);
    values.iter().enumerate().map(|(at, value)| kept(at) * value).sum::<f64>() / (high - low)
}

/// Copies a frame's luminance out.
struct Copying {
    texels: Buffer,
}

impl FrameHost for Copying {
    fn record(&mut self, cmd: &Cmd<'_>, _: &str, scope: &HostScope<'_>) -> Result<()> {
        let target = scope.target("SceneHdr").expect("what the node reads");
        let [width, height] = target.extent;
        let barrier = |from, to| {
            let aspect = vk::ImageAspectFlags::COLOR;
            cmd.target_barriers(&[TargetBarrier { image: target.image, aspect, from, to, discard: false }]);
        };
        let aspect_mask = vk::ImageAspectFlags::COLOR;
        let region = vk::BufferImageCopy {
            image_subresource: vk::ImageSubresourceLayers {
                aspect_mask,
                layer_count: 1,
                ..Default::default()
            },
            image_extent: vk::Extent3D { width, height, depth: 1 },
            ..Default::default()
        };
        barrier(Usage::FragmentRead, Usage::TransferSrc);
        // SAFETY: the command buffer records; the region is the whole image and the buffer holds as much.
        unsafe {
            cmd.device().raw().cmd_copy_image_to_buffer(
                cmd.raw(),
                target.image,
                vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
                self.texels.raw(),
                &[region],
            );
        }
        barrier(Usage::TransferSrc, Usage::FragmentRead);
        let whole = vk::WHOLE_SIZE;
        let (from, to) = (Usage::TransferDst, Usage::HostRead);
        let buffer = &self.texels;
        cmd.barriers(&[], &[BufferBarrier { buffer, offset: 0, size: whole, from, to }]);
        Ok(())
    }
}

/// Hills under three suns: sampled at every pixel, and in sixteen times as many pixels at one of nine.
#[test]
fn a_frame_is_metered_as_a_histogram_of_all_its_pixels_says() {
    let gpu = shared();
    for (scale, elevation) in [(1, 12.0), (1, 62.0), (4, 3.0)] {
        let (width, height) = (400, 225);
        let document = format!(
            "(targets: [(name: \"SceneHdr\", format: Rgba32Float, size: Output({scale}.0)), \
             (name: \"SceneDepth\", format: Depth32Float, size: Output({scale}.0))], \
             nodes: [StandardFrame(shadow_tile: 256, metered: true, \
             before_tonemap: [Host(name: \"copy\", reads: [\"SceneHdr\"])])])"
        );
        let mut stage = FrameStage::new(&gpu, hills(513, 513), &document, width, height);
        stage.set_sun(elevation, 60.0);
        let view = look(DVec3::new(700.0, 260.0, 1500.0), 18.0, -14.0, Viewport::whole(width, height));
        let desc = BufferDesc {
            name: "luminance",
            size: u64::from(16 * width * height * scale * scale),
            usage: vk::BufferUsageFlags::TRANSFER_DST,
            location: MemoryLocation::Readback,
        };
        let mut host = Copying { texels: Buffer::new(&stage.device, &desc).unwrap() };
        for _ in 0..=stage.device.slots() {
            stage.draw_with(&view, &mut host).unwrap();
        }
        host.texels.invalidate(0, desc.size).unwrap();
        let texels: &[f32] = bytemuck::cast_slice(host.texels.mapped().unwrap());
        let whole = reference(texels, 0.4, 0.95) - (1.2f64 * 0.25).log2();
        let expected = if whole < 14.4 { 14.4 + 0.85 * (whole - 14.4) } else { whole };
        let ev100 = stage.compositor.ev100().unwrap();
        let away = (f64::from(ev100) - expected).abs();
        assert!(away < 0.02, "{elevation}° at {scale}: {ev100} where {expected} was expected");
    }
    gpu.assert_silent();
}
