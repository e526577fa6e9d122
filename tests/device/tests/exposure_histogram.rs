//! What a whole frame is metered for, held against all of its pixels in full precision.

use glam::DVec3;
use landform::plan::Viewport;
use landform_device_tests::{FrameStage, TargetReader, hills, look};
use landform_harness::shared;

/// The mean of log2 luminance between two parts of a picture's pixels, from the darkest up, in full precision.
fn reference(luminance: &[[f32; 4]], low: f64, high: f64) -> f64 {
    let mut values: Vec<f64> = luminance
        .iter()
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

/// Hills under three suns: sampled at every pixel, and in sixteen times as many pixels at one of nine.
#[test]
fn a_frame_is_metered_as_a_histogram_of_all_its_pixels_says() {
    let gpu = shared();
    for (scale, elevation) in [(1, 12.0), (1, 62.0), (4, 3.0)] {
        let (width, height) = (400, 225);
        let document = format!(
            "(targets: [(name: \"SceneHdr\", format: Rgba32Float, size: Output({scale}.0)), \
             (name: \"SceneDepth\", format: Depth32Float, size: Output({scale}.0))], \
             nodes: [StandardFrame(bare: true, shadow_tile: 256, metered: true, \
             before_tonemap: [Host(name: \"read\", reads: [\"SceneHdr\"])])])"
        );
        let mut stage = FrameStage::new(&gpu, hills(513, 513), &document, width, height);
        stage.set_sun(elevation, 60.0);
        let view = look(DVec3::new(700.0, 260.0, 1500.0), 18.0, -14.0, Viewport::whole(width, height));
        let mut host = TargetReader::new(&gpu, &stage.device, &["SceneHdr"]);
        for _ in 0..=stage.device.slots() {
            stage.draw_with(&view, &mut host).unwrap();
        }
        let whole = reference(&host.texels("SceneHdr"), 0.4, 0.95) - (1.2f64 * 0.25).log2();
        let expected = if whole < 14.4 { 14.4 + 0.85 * (whole - 14.4) } else { whole };
        let ev100 = stage.compositor.ev100().unwrap();
        let away = (f64::from(ev100) - expected).abs();
        assert!(away < 0.02, "{elevation}° at {scale}: {ev100} where {expected} was expected");
    }
    gpu.assert_silent();
}
