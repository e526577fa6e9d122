//! A frame in which nothing changed but the camera: what it uploads, writes, makes and allocates, and what it costs the
//! processor.

use super::Size;
use super::scene::{Scene, view};
use crate::allocations;
use crate::timing::{median, nanoseconds};
use crate::workload::PathFrame;
use ash::vk;
use landform::abi::{NodeRecord, ViewConstants};
use landform::draw::{Target, TextureSource, TextureView};
use landform::plan::FramePlan;
use landform::splat::{Layer, TextureSlot};
use landform_harness::{Clear, Offscreen, OffscreenDesc, Result};
use serde_json::{Value, json};

/// What one frame did.
#[derive(Default)]
struct Frame {
    plan_us: f64,
    record_us: f64,
    wall_ms: f64,
    allocations: u64,
    descriptor_writes: u64,
    sets: u32,
    texture_bytes: u64,
    view_bytes: f64,
}

/// The textures of a terrain without layers: nobody asks for one.
pub(super) struct NoTextures;

impl TextureSource for NoTextures {
    fn texture(&mut self, _: &Layer, _: TextureSlot) -> Option<TextureView> {
        None
    }
}

pub(super) fn measure(
    scene: &mut Scene,
    path: &[PathFrame],
    size: Size,
    frames: usize,
    source: &mut dyn TextureSource,
) -> Result<Value> {
    let mut offscreen = Offscreen::new(&scene.gpu, OffscreenDesc::new(size.width, size.height))?;
    let color = offscreen.desc().color[0];
    let target = Target::dynamic(color, vk::Format::D32_SFLOAT, vk::SampleCountFlags::TYPE_1);
    let mut plan = scene.plan(view(&path[0], size))?;
    // The first flight makes pipelines and grows buffers; the second finds them there.
    let mut measured = Vec::new();
    for flight in 0..2 {
        for frame in &path[..frames] {
            let done = fly(scene, &mut plan, frame, size, source, &mut offscreen, &target)?;
            if flight == 1 {
                measured.push(done);
            }
        }
    }
    let middle = |pick: fn(&Frame) -> f64| median(&mut measured.iter().map(pick).collect::<Vec<_>>());
    let most = |pick: fn(&Frame) -> u64| measured.iter().map(pick).max();
    Ok(json!({
        "frames": frames,
        "size": size.to_string(),
        "plan_us": middle(|frame| frame.plan_us),
        "record_us": middle(|frame| frame.record_us),
        "submit_to_done_ms": middle(|frame| frame.wall_ms),
        "node_and_uniform_bytes": middle(|frame| frame.view_bytes),
        "most_texture_bytes": most(|frame| frame.texture_bytes),
        "most_allocations": most(|frame| frame.allocations),
        "most_descriptor_writes": most(|frame| frame.descriptor_writes),
        "most_sets_made": most(|frame| u64::from(frame.sets)),
    }))
}

fn fly(
    scene: &mut Scene,
    plan: &mut FramePlan,
    at: &PathFrame,
    size: Size,
    source: &mut dyn TextureSource,
    offscreen: &mut Offscreen,
    target: &Target,
) -> Result<Frame> {
    let view = view(at, size);
    let mut done = Frame::default();
    let allocated = allocations::count();
    let (time, planned) = nanoseconds(|| {
        scene.terrain.begin_frame(1.0 / 60.0);
        scene.terrain.plan_into(plan, &[view], scene.renderer.residency())
    });
    planned?;
    done.plan_us = time / 1e3;
    done.allocations = allocations::count() - allocated;
    done.view_bytes =
        (plan.views[0].nodes.len() * size_of::<NodeRecord>() + size_of::<ViewConstants>()) as f64;
    let (writes, sets) = (scene.device.descriptor_writes(), scene.renderer.stats().sets);
    let played = scene.frame(|renderer, _, cmd| {
        // Beginning and ending the target is the harness' part; landform's own is clocked and counted.
        let mut ours = |work: &mut dyn FnMut() -> landform::Result<()>| {
            let allocated = allocations::count();
            let (time, result) = nanoseconds(work);
            done.record_us += time / 1e3;
            done.allocations += allocations::count() - allocated;
            result
        };
        ours(&mut || renderer.upload(cmd, plan))?;
        ours(&mut || renderer.find_textures(plan, source))?;
        offscreen.begin(cmd.raw(), Some(Clear::default()));
        ours(&mut || {
            renderer.draw(cmd, &plan.views[0], target)?;
            renderer.draw_sky(cmd, &plan.views[0], target)
        })?;
        offscreen.end(cmd.raw());
        Ok(())
    })?;
    done.wall_ms = played.wall_milliseconds;
    done.descriptor_writes = scene.device.descriptor_writes() - writes;
    done.sets = scene.renderer.stats().sets - sets;
    done.texture_bytes = scene.renderer.stats().uploaded_bytes;
    Ok(done)
}
