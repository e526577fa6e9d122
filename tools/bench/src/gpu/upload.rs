//! The first frame: every tile, planned, staged and copied.

use super::Size;
use super::scene::{Scene, view};
use crate::timing::{median, nanoseconds};
use crate::workload::PathFrame;
use landform_harness::Result;
use serde_json::{Value, json};

pub(super) fn measure(scene: &mut Scene, path: &[PathFrame], runs: usize) -> Result<Value> {
    let view = view(&path[0], Size { width: 1280, height: 720 });
    let (mut planned, mut recorded, mut copied) = (Vec::new(), Vec::new(), Vec::new());
    let (mut bytes, mut tiles) = (0, 0);
    for _ in 0..runs {
        scene.renderer.forget();
        let (time, plan) = nanoseconds(|| scene.plan(view));
        let plan = plan?;
        planned.push(time / 1e6);
        (bytes, tiles) = (plan.upload_bytes(), plan.uploads.len());
        let played = scene.frame(|renderer, timestamps, cmd| {
            let span = timestamps.begin(cmd, "upload", false);
            let (time, uploaded) = nanoseconds(|| renderer.upload(cmd, &plan));
            timestamps.end(cmd, span);
            recorded.push(time / 1e6);
            Ok(uploaded?)
        })?;
        copied.push(played.span.map_or(played.wall_milliseconds, |span| span.milliseconds));
    }
    Ok(json!({
        "tiles": tiles,
        "bytes": bytes,
        "plan_ms": median(&mut planned),
        "record_ms": median(&mut recorded),
        "device_ms": median(&mut copied),
        "live_device_bytes": scene.device.live_bytes().0,
    }))
}
