//! The ground as a caster: the sun's cascades over poses of the path, what they take on the device a cascade and together,
//! beside a depth pass of the camera's own view, and what planning them costs the processor.
//!
//! Every pass is a submission of its own, as in `passes`, into an atlas that was just cleared.

use super::scene::{Scene, view};
use super::{Size, describe, size, validation, warm_up};
use crate::allocations;
use crate::timing::{median, nanoseconds};
use crate::workload::{self, PathFrame};
use ash::vk;
use clap::Args;
use glam::Vec3;
use landform::draw::Target;
use landform::frame::ShadowLayout;
use landform::light::{CascadeSettings, Cascades};
use landform::plan::{CasterSettings, FramePlan, ViewPlan};
use landform_harness::{Clear, Gpu, GpuOptions, Offscreen, OffscreenDesc, Result};
use serde_json::{Value, json};
use std::sync::Arc;

/// What is drawn, and how often.
#[derive(Clone, Debug, Args)]
pub(crate) struct CastersScope {
    /// Texels a side of a cascade's tile
    #[arg(long, value_name = "TEXELS,...", value_delimiter = ',', default_values_t = Self::default().tiles, value_parser = clap::value_parser!(u32).range(16..=8192))]
    tiles: Vec<u32>,
    /// Cascades
    #[arg(long, value_name = "N", default_value_t = Self::default().cascades, value_parser = clap::value_parser!(u32).range(1..=4))]
    cascades: u32,
    /// Pixels of the view whose depth the cascades are held against
    #[arg(long, value_name = "WxH", value_parser = size, default_value_t = Self::default().size)]
    size: Size,
    /// Poses of the path
    #[arg(long, value_name = "N", default_value_t = Self::default().poses, value_parser = clap::value_parser!(u32).range(1..=1024))]
    poses: u32,
    /// Timed frames a pass and a pose, after those that warm up
    #[arg(long, value_name = "N", default_value_t = Self::default().frames, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
}

impl Default for CastersScope {
    fn default() -> Self {
        Self { tiles: vec![1024, 2048], cascades: 4, size: super::SIZES[0], poses: 8, frames: 100 }
    }
}

/// Toward the sun: 30° above the horizon, from the east-northeast.
const SUN: Vec3 = Vec3::new(0.75, 0.5, -0.433);

/// The passes after the cascades' own.
const ALL: &str = "all cascades";
const DEPTH: &str = "depth of the view";

/// Everything, as JSON.
pub(crate) fn run(scope: &CastersScope, quick: bool) -> Result<Value> {
    let scope = if quick { scope.quick() } else { scope.clone() };
    let validation = validation();
    let options = GpuOptions { validation: Some(validation), frames_in_flight: 1, ..GpuOptions::default() };
    let gpu = Gpu::new(options)?;
    let codes = workload::map();
    let path = workload::path(&codes);
    let mut scene = Scene::new(&gpu, codes)?;
    let has_clock = scene.device.timestamp_period().is_some() && gpu.kind != vk::PhysicalDeviceType::CPU;
    let mut tiles = Vec::new();
    for &tile in &scope.tiles {
        let mut shadows = Shadows::new(&gpu, tile, &scope)?;
        let steady = shadows.fly(&mut scene, &path[..if quick { 8 } else { 128 }])?;
        let mut poses = Vec::new();
        for pose in 0..scope.poses as usize {
            let frame = &path[pose * workload::FRAMES / scope.poses as usize];
            poses.push(shadows.pose(&mut scene, frame, &scope, has_clock)?);
        }
        tiles.push(shadows.report(&poses, &steady));
    }
    let device = describe(&gpu);
    drop(scene);
    gpu.assert_silent();
    Ok(json!({
        "device": device,
        "validation": validation,
        "size": scope.size.to_string(),
        "poses": scope.poses,
        "frames": scope.frames,
        "clock": if has_clock { "the device's" } else { "submission to done" },
        "tiles": tiles,
    }))
}

impl CastersScope {
    fn quick(&self) -> Self {
        let size = Size { width: 320, height: 180 };
        Self { tiles: vec![128, 256], size, poses: 1, frames: self.frames.min(2), ..*self }
    }
}

/// The cascades, and what they and the view are drawn into.
struct Shadows {
    settings: CascadeSettings,
    cascades: Cascades,
    plans: Vec<ViewPlan>,
    size: Size,
    atlas: Offscreen,
    depth: Offscreen,
    target: Target,
}

/// One pose, drawn.
struct Pose {
    patches: Vec<usize>,
    levels: Vec<u8>,
    /// Median milliseconds a cascade, of all in one rendering scope, and of the view's depth.
    milliseconds: Vec<f64>,
    all: f64,
    depth: f64,
}

/// A frame of the flight, with everything made before.
#[derive(Default)]
struct Flown {
    fit_us: f64,
    plan_us: f64,
    record_us: f64,
    allocations: u64,
    descriptor_writes: u64,
}

impl Shadows {
    fn new(gpu: &Arc<Gpu>, tile: u32, scope: &CastersScope) -> Result<Self> {
        let layout = ShadowLayout::new(scope.cascades, tile);
        let offscreen = |[width, height]: [u32; 2]| {
            Offscreen::new(gpu, OffscreenDesc { color: Vec::new(), ..OffscreenDesc::new(width, height) })
        };
        Ok(Self {
            settings: CascadeSettings { layout, ..CascadeSettings::default() },
            cascades: Cascades::new(),
            plans: Vec::new(),
            size: scope.size,
            atlas: offscreen(layout.size())?,
            depth: offscreen([scope.size.width, scope.size.height])?,
            target: Target::depth_only(vk::Format::D32_SFLOAT, vk::SampleCountFlags::TYPE_1),
        })
    }

    /// Lays the cascades around a camera and plans them: the times of both in microseconds.
    fn plan(&mut self, scene: &Scene, frame: &PathFrame) -> Result<[f64; 2]> {
        let camera = view(frame, self.size);
        let (fit, fitted) = nanoseconds(|| self.cascades.fit(&camera, SUN, &self.settings));
        fitted?;
        let (Self { plans, cascades, .. }, casters) = (self, CasterSettings::default());
        let (plan, planned) =
            nanoseconds(|| scene.terrain.plan_casters_into(plans, cascades.views(), &casters));
        planned?;
        Ok([fit / 1e3, plan / 1e3])
    }

    /// Flies twice: the first flight makes pipelines and grows buffers; the second, which is measured, finds them there.
    fn fly(&mut self, scene: &mut Scene, path: &[PathFrame]) -> Result<Vec<Flown>> {
        let upload = scene.plan(view(&path[0], self.size))?;
        scene.frame(|renderer, _, cmd| Ok(renderer.upload(cmd, &upload)?))?;
        for frame in path {
            self.fly_one(scene, frame)?;
        }
        path.iter().map(|frame| self.fly_one(scene, frame)).collect()
    }

    fn fly_one(&mut self, scene: &mut Scene, frame: &PathFrame) -> Result<Flown> {
        let before = allocations::count();
        let [fit_us, plan_us] = self.plan(scene, frame)?;
        let mut flown =
            Flown { fit_us, plan_us, allocations: allocations::count() - before, ..Flown::default() };
        let writes = scene.device.descriptor_writes();
        let Self { atlas, plans, target, .. } = self;
        scene.frame(|renderer, _, cmd| {
            // Beginning and ending the atlas is the harness' part; landform's own is clocked and counted.
            atlas.begin(cmd.raw(), Some(Clear::default()));
            let before = allocations::count();
            let (time, drawn) =
                nanoseconds(|| plans.iter().try_for_each(|plan| renderer.draw_caster(cmd, plan, target)));
            flown.record_us = time / 1e3;
            flown.allocations += allocations::count() - before;
            atlas.end(cmd.raw());
            Ok(drawn?)
        })?;
        flown.descriptor_writes = scene.device.descriptor_writes() - writes;
        Ok(flown)
    }

    fn pose(
        &mut self,
        scene: &mut Scene,
        frame: &PathFrame,
        scope: &CastersScope,
        has_clock: bool,
    ) -> Result<Pose> {
        self.plan(scene, frame)?;
        let camera = scene.plan(view(frame, self.size))?;
        let cascades = self.plans.len();
        let mut times = vec![Vec::with_capacity(scope.frames as usize); cascades + 2];
        for turn in 0..warm_up(scope.frames) + scope.frames {
            for (pass, times) in times.iter_mut().enumerate() {
                let taken = self.draw(scene, &camera, pass, has_clock)?;
                if turn >= warm_up(scope.frames) {
                    times.push(taken);
                }
            }
        }
        let mut milliseconds: Vec<f64> = times.iter_mut().map(|times| median(times)).collect();
        let (depth, all) = (milliseconds.remove(cascades + 1), milliseconds.remove(cascades));
        let level = |plan: &ViewPlan| plan.nodes.first().map_or(0, |node| node.level().0);
        Ok(Pose {
            patches: self.plans.iter().map(|plan| plan.nodes.len()).collect(),
            levels: self.plans.iter().map(level).collect(),
            milliseconds,
            all,
            depth,
        })
    }

    /// Milliseconds of a pass: a cascade, all of them, or the view's depth, in that order.
    fn draw(&mut self, scene: &mut Scene, camera: &FramePlan, pass: usize, has_clock: bool) -> Result<f64> {
        let Self { plans, atlas, depth, target, .. } = self;
        let drawn: &[ViewPlan] = plans.get(pass..=pass).unwrap_or(plans);
        let of_view = pass > plans.len();
        let label = if of_view { DEPTH } else { ALL };
        let played = scene.frame(|renderer, timestamps, cmd| {
            let offscreen = if of_view { depth } else { atlas };
            offscreen.begin(cmd.raw(), Some(Clear::default()));
            let span = timestamps.begin(cmd, label, false);
            if of_view {
                renderer.draw_depth(cmd, &camera.views[0], target)?;
            } else {
                drawn.iter().try_for_each(|plan| renderer.draw_caster(cmd, plan, target))?;
            }
            timestamps.end(cmd, span);
            offscreen.end(cmd.raw());
            Ok(())
        })?;
        let clocked = played.span.map(|span| span.milliseconds).filter(|_| has_clock);
        Ok(clocked.unwrap_or(played.wall_milliseconds))
    }

    fn report(&self, poses: &[Pose], steady: &[Flown]) -> Value {
        let tile = self.settings.layout.tile();
        let over_poses =
            |value: &dyn Fn(&Pose) -> f64| median(&mut poses.iter().map(value).collect::<Vec<_>>());
        let constants = self.cascades.constants(glam::DVec3::ZERO);
        let cascade = |index: usize| {
            json!({
                "tile": tile,
                "cascade": index,
                "reach_m": self.cascades.reach(index),
                "texel_m": constants.cascades[index].texel[0],
                "patches": over_poses(&|pose| pose.patches[index] as f64),
                "most_patches": poses.iter().map(|pose| pose.patches[index]).max(),
                "level": over_poses(&|pose| f64::from(pose.levels[index])),
                "milliseconds": over_poses(&|pose| pose.milliseconds[index]),
            })
        };
        let flown = |value: fn(&Flown) -> f64| median(&mut steady.iter().map(value).collect::<Vec<_>>());
        let most = |value: fn(&Flown) -> u64| steady.iter().map(value).max();
        let ratio = |pose: &Pose| pose.all / pose.depth;
        json!({
            "tile": tile,
            "cascades": (0..self.plans.len()).map(cascade).collect::<Vec<_>>(),
            "all_milliseconds": over_poses(&|pose| pose.all),
            "depth_milliseconds": over_poses(&|pose| pose.depth),
            "all_over_depth": over_poses(&ratio),
            "most_all_over_depth": poses.iter().map(ratio).fold(0.0, f64::max),
            "flight": steady.len(),
            "fit_us": flown(|frame| frame.fit_us),
            "plan_us": flown(|frame| frame.plan_us),
            "record_us": flown(|frame| frame.record_us),
            "most_allocations": most(|frame| frame.allocations),
            "most_descriptor_writes": most(|frame| frame.descriptor_writes),
        })
    }
}
