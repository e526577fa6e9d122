//! The surface with layers: what they cost beside none, what a slot costs that nothing lies in, what blending by height,
//! sides, hexagons and a second scale add, and what a first frame and an unchanged one upload.

mod cases;
mod draw;
mod land;
mod read;
mod textures;

use super::passes::Targets;
use super::scene::Scene;
use super::{Size, describe, size, steady, upload, validation, warm_up};
use crate::timing::{median, nanoseconds};
use crate::workload;
use ash::vk;
use cases::{Case, Draws, Ground, Ratio};
use clap::Args;
use draw::{Drawn, Grounds, Turns};
use land::Land;
use landform::gpu::Device;
use landform::splat::{MAX_LAYERS, Splat};
use landform_harness::{Gpu, GpuOptions, Result};
use serde_json::{Value, json};
use std::sync::Arc;
use textures::NoiseTextures;

/// What is drawn, and how often.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct LayersScope {
    /// Pixels of the target
    #[arg(long, value_name = "WxH", value_parser = size, default_value_t = Self::default().size)]
    size: Size,
    /// Poses of the path
    #[arg(long, value_name = "N", default_value_t = Self::default().poses, value_parser = clap::value_parser!(u32).range(1..=1024))]
    poses: u32,
    /// Timed frames a case and a pose, after those that warm up
    #[arg(long, value_name = "N", default_value_t = Self::default().frames, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
}

impl Default for LayersScope {
    fn default() -> Self {
        Self { size: super::SIZES[0], poses: 4, frames: 100 }
    }
}

/// Layers of the first and of the unchanged frame.
const UPLOADED: u32 = 8;

/// Everything, as JSON.
pub(crate) fn run(scope: &LayersScope, quick: bool) -> Result<Value> {
    let scope = if quick { scope.quick() } else { *scope };
    let validation = validation();
    let options = GpuOptions { validation: Some(validation), frames_in_flight: 1, ..GpuOptions::default() };
    let gpu = Gpu::new(options)?;
    // SAFETY: the harness' host is valid and outlives what is made here, and every frame is waited for.
    let device = unsafe { Device::new(gpu.host())? };
    let codes = workload::map();
    let path = workload::path(&codes);
    let (slots, land, texture_side): (&[u32], _, _) = match quick {
        true => (&[4, 8], Land::around(&codes, &path[0], 513), 64),
        false => (&Splat::SLOTS, Land::whole(codes), 1024),
    };
    let most = slots.iter().copied().max().unwrap_or(MAX_LAYERS as u32);

    let first = Ground::all(UPLOADED);
    let mut scene = make_scene(&gpu, &device, &land, first)?;
    scene.terrain.set_material(Case::layered(first, true).material())?;
    let runs = if quick { 1 } else { 7 };
    let terrain = upload::measure(&mut scene, &path, runs)?;
    let mut textures = NoiseTextures::new(&device, most, texture_side)?;
    let first_frame =
        json!({ "terrain": terrain, "textures": copy_textures(&mut scene, &mut textures, runs)? });
    let flown = if quick { 4 } else { 128 };
    let steady = steady::measure(&mut scene, &path, scope.size, flown, &mut textures)?;

    let cases = cases::list(slots);
    let mut grounds = Grounds(vec![(first, scene)]);
    for case in &cases {
        if grounds.0.iter().all(|(ground, _)| *ground != case.ground) {
            grounds.0.push((case.ground, make_scene(&gpu, &device, &land, case.ground)?));
        }
    }
    let turns = Turns {
        warm_up: warm_up(scope.frames),
        timed: scope.frames,
        has_clock: device.timestamp_period().is_some() && gpu.kind != vk::PhysicalDeviceType::CPU,
    };
    let mut targets = Targets::new(&gpu, scope.size)?;
    let mut poses = Vec::new();
    for pose in 0..scope.poses as usize {
        let frame = &path[pose * workload::FRAMES / scope.poses as usize];
        let at = (frame, scope.size);
        poses.push(grounds.draw(&cases, &land, &mut textures, &mut targets, at, turns)?);
    }
    let report = json!({
        "device": describe(&gpu),
        "validation": validation,
        "size": scope.size.to_string(),
        "poses": scope.poses,
        "frames": scope.frames,
        "clock": if turns.has_clock { "the device's" } else { "submission to done" },
        "samples": land.side(),
        "texture_side": textures.side(),
        "texture_bytes": u64::from(textures.layers()) * textures.bytes_a_layer(),
        "first_frame": first_frame,
        "steady": steady,
        "cases": case_reports(&cases, &poses),
        "ratios": ratio_reports(&cases::ratios(slots), &cases, &poses),
    });
    drop((grounds, textures, targets));
    gpu.assert_silent();
    Ok(report)
}

impl LayersScope {
    fn quick(self) -> Self {
        Self { size: Size { width: 64, height: 36 }, poses: 1, frames: self.frames.min(2) }
    }
}

fn make_scene(gpu: &Arc<Gpu>, device: &Arc<Device>, land: &Land, ground: Ground) -> Result<Scene> {
    Scene::of(gpu, device, land.field(ground)?, land.settings())
}

/// The textures of the first layers in one frame, again and again, and those of the others after that.
fn copy_textures(scene: &mut Scene, textures: &mut NoiseTextures, runs: usize) -> Result<Value> {
    let content = textures.content(0..UPLOADED);
    let (mut recorded, mut copied) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        let played = scene.frame(|_, timestamps, cmd| {
            let span = timestamps.begin(cmd, "textures", false);
            let (time, uploaded) = nanoseconds(|| textures.upload(cmd, 0, &content));
            timestamps.end(cmd, span);
            recorded.push(time / 1e6);
            uploaded
        })?;
        copied.push(played.span.map_or(played.wall_milliseconds, |span| span.milliseconds));
    }
    for layer in UPLOADED..textures.layers() {
        let content = textures.content(layer..layer + 1);
        scene.frame(|_, _, cmd| textures.upload(cmd, layer, &content))?;
    }
    Ok(json!({
        "layers": UPLOADED,
        "images": 3 * UPLOADED,
        "bytes": u64::from(UPLOADED) * textures.bytes_a_layer(),
        "record_ms": median(&mut recorded),
        "device_ms": median(&mut copied),
    }))
}

/// The median over the poses of what a pose says of the cases.
fn over_poses(poses: &[Vec<Drawn>], value: impl Fn(&[Drawn]) -> f64) -> f64 {
    median(&mut poses.iter().map(|drawn| value(drawn)).collect::<Vec<_>>())
}

fn case_reports(cases: &[Case], poses: &[Vec<Drawn>]) -> Vec<Value> {
    let baseline = cases.iter().position(|case| case.draws == Draws::Baseline);
    let report = |(index, case): (usize, &Case)| {
        let layers = poses.iter().filter_map(|drawn| drawn[index].layers_a_pixel);
        let mut layers: Vec<f64> = layers.collect();
        json!({
            "case": case.name(),
            "slots": case.slots(),
            "layers": case.ground.layers,
            "present": case.ground.present(),
            "by_height": case.by_height,
            "steep": case.ground.steep,
            "triplanar": case.features.triplanar,
            "detile": case.features.detile,
            "far_scale": case.features.far_scale,
            "layers_read_a_pixel": (!layers.is_empty()).then(|| median(&mut layers)),
            "milliseconds": over_poses(poses, |drawn| drawn[index].milliseconds),
            "over_baseline": baseline.map(|baseline| {
                over_poses(poses, |drawn| drawn[index].milliseconds / drawn[baseline].milliseconds)
            }),
            "poses": poses.iter().map(|drawn| drawn[index].milliseconds).collect::<Vec<_>>(),
        })
    };
    cases.iter().enumerate().map(report).collect()
}

fn ratio_reports(ratios: &[Ratio], cases: &[Case], poses: &[Vec<Drawn>]) -> Vec<Value> {
    let place = |case: &Case| cases.iter().position(|other| other == case);
    let report = |ratio: &Ratio| {
        let (over, under) = place(&ratio.over).zip(place(&ratio.under))?;
        let value = over_poses(poses, |drawn| drawn[over].milliseconds / drawn[under].milliseconds);
        let most = poses.iter().map(|drawn| drawn[over].milliseconds / drawn[under].milliseconds);
        Some(json!({
            "ratio": ratio.name,
            "value": value,
            "most_of_a_pose": most.fold(0.0, f64::max),
            "goal": ratio.goal,
            "within_goal": ratio.goal.map(|goal| value <= goal),
        }))
    };
    ratios.iter().filter_map(report).collect()
}
