//! The passes over poses of the path: milliseconds, and what the device's pipelines counted.
//!
//! Every pass is a submission of its own, so that no two share time. A device's own clock says how long it took; a device
//! that is the processor reads that clock before its threads have drawn, and there the time until it is done counts.
//!
//! The baseline draws the surface's indices and nodes flat and in one colour: what remains when the ground is taken away.

use super::scene::{Scene, view};
use super::{Scope, Size};
use crate::timing::median;
use crate::workload::PathFrame;
use ash::vk;
use landform::draw::{Renderer, Target};
use landform::gpu::{Cmd, PipelineCounts, Timestamps};
use landform::lod::GridSize;
use landform::plan::{FramePlan, ViewPlan};
use landform_harness::{Clear, Gpu, Image8, Offscreen, OffscreenDesc, Result};
use serde_json::{Value, json};
use std::sync::Arc;

/// The passes, in the order in which a frame draws them.
const PASSES: [&str; 4] = ["surface", "sky", "baseline", "depth"];

/// What is drawn into.
pub(super) struct Targets {
    color: Offscreen,
    depth: Offscreen,
    color_target: Target,
    depth_target: Target,
}

/// One pose, drawn: medians of milliseconds and the counts, a pass.
struct Pose {
    frame: usize,
    nodes: usize,
    triangles: u64,
    milliseconds: [f64; 4],
    wall_milliseconds: [f64; 4],
    counts: [Option<PipelineCounts>; 4],
}

pub(super) fn measure(
    scene: &mut Scene,
    path: &[PathFrame],
    grid: GridSize,
    size: Size,
    scope: &Scope,
) -> Result<Value> {
    scene.set_grid(grid)?;
    let mut targets = Targets::new(&scene.gpu, size)?;
    let mut poses = Vec::new();
    for frame in scope.poses() {
        let plan = scene.plan(view(&path[frame], size))?;
        poses.push(draw(scene, &mut targets, &plan, frame, scope)?);
    }
    let has_clock =
        scene.device.timestamp_period().is_some() && scene.gpu.kind != vk::PhysicalDeviceType::CPU;
    Ok(report(&poses, grid, size, has_clock))
}

/// Draws a pose until it is timed, and once more to count: counting may take time of its own.
fn draw(
    scene: &mut Scene,
    targets: &mut Targets,
    plan: &FramePlan,
    frame: usize,
    scope: &Scope,
) -> Result<Pose> {
    let mut times = [const { Vec::new() }; 4];
    let mut walls = [const { Vec::new() }; 4];
    let mut counts = [None; 4];
    let timed = scope.warm_up() + scope.frames;
    for drawn in 0..=timed {
        let counting = drawn == timed;
        for pass in 0..PASSES.len() {
            let played = scene.frame(|renderer, timestamps, cmd| {
                renderer.upload(cmd, plan)?;
                targets.draw(renderer, timestamps, cmd, &plan.views[0], PASSES[pass], counting)
            })?;
            if counting {
                counts[pass] = played.span.and_then(|span| span.counts);
            } else if drawn >= scope.warm_up() {
                times[pass].push(played.span.map_or(f64::NAN, |span| span.milliseconds));
                walls[pass].push(played.wall_milliseconds);
            }
        }
    }
    Ok(Pose {
        frame,
        nodes: plan.views[0].nodes.len(),
        triangles: plan.views[0].triangles(),
        milliseconds: times.each_mut().map(|times| median(times)),
        wall_milliseconds: walls.each_mut().map(|times| median(times)),
        counts,
    })
}

impl Targets {
    pub(super) fn new(gpu: &Arc<Gpu>, size: Size) -> Result<Self> {
        let desc = OffscreenDesc::new(size.width, size.height);
        let (format, one) = (desc.color[0], vk::SampleCountFlags::TYPE_1);
        Ok(Self {
            depth: Offscreen::new(gpu, OffscreenDesc { color: Vec::new(), ..desc.clone() })?,
            color: Offscreen::new(gpu, desc)?,
            color_target: Target::dynamic(format, vk::Format::D32_SFLOAT, one),
            depth_target: Target::depth_only(vk::Format::D32_SFLOAT, one),
        })
    }

    /// What was drawn last in colour.
    pub(super) fn picture(&mut self) -> Result<Image8> {
        self.color.read_color()
    }

    pub(super) fn draw(
        &mut self,
        renderer: &mut Renderer,
        timestamps: &mut Timestamps,
        cmd: &Cmd<'_>,
        view: &ViewPlan,
        pass: &'static str,
        counting: bool,
    ) -> Result<()> {
        let offscreen = if pass == "depth" { &mut self.depth } else { &mut self.color };
        // The sky is drawn behind the surface that is there.
        offscreen.begin(cmd.raw(), (pass != "sky").then(Clear::default));
        let span = timestamps.begin(cmd, pass, counting);
        match pass {
            "surface" => renderer.draw(cmd, view, &self.color_target)?,
            "sky" => renderer.draw_sky(cmd, view, &self.color_target)?,
            "baseline" => renderer.draw_baseline(cmd, view, &self.color_target)?,
            _ => renderer.draw_depth(cmd, view, &self.depth_target)?,
        }
        timestamps.end(cmd, span);
        offscreen.end(cmd.raw());
        Ok(())
    }
}

fn report(poses: &[Pose], grid: GridSize, size: Size, has_clock: bool) -> Value {
    let middle = |pick: &dyn Fn(&Pose) -> f64| median(&mut poses.iter().map(pick).collect::<Vec<_>>());
    let taken = |pose: &Pose, pass: usize| pose.taken(has_clock)[pass];
    let milliseconds = |pass: usize| middle(&|pose| taken(pose, pass));
    let counted =
        || poses.iter().filter_map(|pose| Some((pose.triangles, pose.counts[0]?.vertex_invocations)));
    let (triangles, invocations) = counted().fold((0, 0), |sum, pose| (sum.0 + pose.0, sum.1 + pose.1));
    json!({
        "size": size.to_string(),
        "grid": grid.quads(),
        "clock": if has_clock { "the device's" } else { "submission to done" },
        "nodes": middle(&|pose| pose.nodes as f64),
        "triangles": middle(&|pose| pose.triangles as f64),
        "milliseconds": named(milliseconds),
        "surface_over_baseline": middle(&|pose| taken(pose, 0) / taken(pose, 2)),
        "vertex_invocations_a_triangle": (triangles > 0).then(|| invocations as f64 / triangles as f64),
        "poses": poses.iter().map(Pose::report).collect::<Vec<_>>(),
    })
}

/// An object with a value a pass.
fn named<T: Into<Value>>(value: impl Fn(usize) -> T) -> Value {
    Value::Object(
        PASSES.iter().enumerate().map(|(pass, name)| ((*name).to_string(), value(pass).into())).collect(),
    )
}

impl Pose {
    fn taken(&self, has_clock: bool) -> &[f64; 4] {
        if has_clock { &self.milliseconds } else { &self.wall_milliseconds }
    }

    fn report(&self) -> Value {
        let pass = |pass: usize| {
            let counts = self.counts[pass].map(|counts| {
                json!({
                    "primitives": counts.primitives,
                    "vertex_invocations": counts.vertex_invocations,
                    "clipped_primitives": counts.clipped_primitives,
                    "fragment_invocations": counts.fragment_invocations,
                })
            });
            json!({
                "milliseconds": self.milliseconds[pass],
                "wall_milliseconds": self.wall_milliseconds[pass],
                "counts": counts,
            })
        };
        json!({ "frame": self.frame, "nodes": self.nodes, "triangles": self.triangles, "passes": named(pass) })
    }
}
