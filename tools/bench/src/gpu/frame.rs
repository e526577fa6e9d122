//! A whole frame by a document: what each node takes on the device, what recording it costs the processor, and that a steady frame
//! writes and allocates nothing.

use super::scene::view;
use super::{Size, describe, size, validation, warm_up};
use crate::allocations;
use crate::timing::{median, nanoseconds};
use crate::workload::{self, PathFrame};
use ash::vk;
use clap::Args;
use glam::{DVec3, Vec3};
use landform::draw::{Compositor, Frame, SceneTerrain};
use landform::frame::{
    Answer, FrameDocument, TerrainComponent, TerrainExtraction, TerrainFactory, TerrainScene, Transforms,
};
use landform::gpu::Device;
use landform::light::{Atmosphere, ClearSky, Lamp, SceneLight, SkyTable};
use landform::plan::{Placement, Terrain, TerrainSettings, View};
use landform_harness::{Gpu, GpuOptions, Offscreen, OffscreenDesc, Result};
use serde_json::{Value, json};
use std::sync::Arc;

/// What is drawn, and how often.
#[derive(Clone, Debug, Args)]
pub(crate) struct FrameScope {
    /// Pixels of the picture
    #[arg(long, value_name = "WxH,...", value_delimiter = ',', value_parser = size, default_values_t = Self::default().sizes)]
    sizes: Vec<Size>,
    /// Poses of the path
    #[arg(long, value_name = "N", default_value_t = Self::default().poses, value_parser = clap::value_parser!(u32).range(1..=1024))]
    poses: u32,
    /// Timed frames a pose, after those that warm up
    #[arg(long, value_name = "N", default_value_t = Self::default().frames, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
    /// Lamps along the path
    #[arg(long, value_name = "N", default_value_t = Self::default().lamps, value_parser = clap::value_parser!(u32).range(0..=65536))]
    lamps: u32,
}

impl Default for FrameScope {
    fn default() -> Self {
        let sizes = vec![Size { width: 1920, height: 1080 }, Size { width: 3840, height: 2160 }];
        Self { sizes, poses: 4, frames: 100, lamps: 256 }
    }
}

/// The frames that are measured: their names and what stands in the preset.
const FRAMES: [(&str, &str); 2] = [("whole", ""), ("split, with motion", "split: true, motion: true")];

/// Toward the sun: 30° above the horizon, from the east-northeast.
const SUN: Vec3 = Vec3::new(0.75, 0.5, -0.433);

/// Everything, as JSON.
pub(crate) fn run(scope: &FrameScope, quick: bool) -> Result<Value> {
    let scope = if quick { scope.quick() } else { scope.clone() };
    let validation = validation();
    let options = GpuOptions { validation: Some(validation), frames_in_flight: 1, ..GpuOptions::default() };
    let gpu = Gpu::new(options)?;
    let codes = workload::map();
    let path = workload::path(&codes);
    let mut measured = Vec::new();
    for (name, preset) in FRAMES {
        for &size in &scope.sizes {
            let preset = if quick {
                format!("{preset}, shadow_tile: 64").trim_start_matches(", ").to_owned()
            } else {
                preset.to_owned()
            };
            let mut rig = Rig::new(&gpu, codes.clone(), &path, &preset, size, scope.lamps)?;
            let steady = rig.fly(&path[..if quick { 8 } else { 128 }])?;
            let nodes = rig.nodes(&path, &scope, true)?;
            // The same frame with the ground as a preview: what light costs.
            let preview = rig.nodes(&path, &scope, false)?;
            measured.push(json!({
                "frame": name,
                "size": size.to_string(),
                "nodes": nodes,
                "terrain_as_preview_ms": preview.iter().find(|node| node["node"] == "Terrain").map(|node| &node["ms"]),
                "ms": nodes.iter().filter_map(|node| node["ms"].as_f64()).sum::<f64>(),
                "steady": steady,
            }));
        }
    }
    gpu.assert_silent();
    Ok(json!({
        "device": describe(&gpu),
        "validation": validation,
        "poses": scope.poses,
        "frames": scope.frames,
        "lamps": scope.lamps,
        "measured": measured,
    }))
}

impl FrameScope {
    fn quick(&self) -> Self {
        let sizes = vec![Size { width: 160, height: 90 }];
        Self { sizes, poses: 1, frames: self.frames.min(2), lamps: 16 }
    }
}

/// A frame and its scene.
struct Rig {
    gpu: Arc<Gpu>,
    device: Arc<Device>,
    compositor: Compositor,
    extraction: TerrainExtraction<SceneTerrain>,
    scene: TerrainScene,
    ground: Arc<SceneTerrain>,
    light: SceneLight,
    table: SkyTable,
    lamps: Vec<Lamp>,
    offscreen: Offscreen,
    size: Size,
    has_camera: bool,
}

impl Rig {
    fn new(
        gpu: &Arc<Gpu>,
        codes: Vec<u16>,
        path: &[PathFrame],
        preset: &str,
        size: Size,
        lamps: u32,
    ) -> Result<Self> {
        // SAFETY: the harness' host is valid and outlives the rig, and every frame is waited for.
        let device = unsafe { Device::new(gpu.host())? };
        let terrain = Terrain::new(workload::field(codes)?, TerrainSettings::default())?;
        let mut transforms = Transforms::default();
        transforms.register(TerrainFactory::default());
        let written = FrameDocument::from_ron(&format!("(nodes: [StandardFrame(bare: true, {preset})])"))?;
        let compositor = Compositor::new(&device, transforms.run(&written)?, TerrainFactory::default())?;
        let mut scene = TerrainScene::default();
        scene.add(TerrainComponent::of("ground"), Placement::default());
        let sky = ClearSky::new(&Atmosphere::default())?;
        let mut table = SkyTable::new();
        sky.fill(500.0, SUN, &mut table);
        let light = SceneLight::of_sky(&sky, 500.0, SUN, &table, Vec3::splat(0.2));
        let desc = OffscreenDesc { depth: None, ..OffscreenDesc::new(size.width, size.height) };
        Ok(Self {
            offscreen: Offscreen::new(gpu, desc)?,
            ground: Arc::new(SceneTerrain::new(&device, terrain)?),
            gpu: gpu.clone(),
            device,
            compositor,
            extraction: TerrainExtraction::default(),
            scene,
            light,
            table,
            lamps: lamps_along(path, lamps),
            size,
            has_camera: true,
        })
    }

    /// Draws a frame; what recording it took: nanoseconds and allocations.
    fn draw(&mut self, view: View) -> Result<(f64, u64)> {
        self.device.begin_frame();
        let ground = &self.ground;
        let mut resolver = |_: &str| Answer::Ready(ground.clone());
        self.extraction.extract(&self.scene, &mut resolver);
        let Self { compositor, extraction, light, table, lamps, device, offscreen, .. } = self;
        let frame = Frame {
            output: offscreen.output(),
            views: &[("Camera", view)],
            targets: &[],
            light: Some(light),
            has_camera: self.has_camera,
            sky: Some(table),
            lamps,
            terrains: extraction.terrains(),
            ev100: light.ev100(),
            compensation: 0.0,
            seconds: 1.0 / 60.0,
        };
        self.gpu.submit_and_wait(|raw| -> Result<(f64, u64)> {
            // SAFETY: the harness hands over a command buffer that records, and waits for it.
            let cmd = unsafe { device.record(raw) };
            let before = allocations::count();
            let (taken, recorded) = nanoseconds(|| compositor.record(&cmd, &frame, &mut ()));
            let allocated = allocations::count() - before;
            recorded?;
            Ok((taken, allocated))
        })?
    }

    /// Flies twice: the first flight makes pipelines and grows buffers; the second is measured.
    fn fly(&mut self, path: &[PathFrame]) -> Result<Value> {
        let views: Vec<_> = path.iter().map(|frame| View { cut: false, ..view(frame, self.size) }).collect();
        for view in &views {
            self.draw(*view)?;
        }
        let writes = self.device.descriptor_writes();
        let mut times = Vec::with_capacity(views.len());
        let mut most = 0;
        for view in &views {
            let (taken, allocated) = self.draw(*view)?;
            times.push(taken / 1e3);
            most = most.max(allocated);
        }
        Ok(json!({
            "frames": views.len(),
            "record_us": median(&mut times),
            "most_allocations_a_frame": most,
            "descriptor_writes": self.device.descriptor_writes() - writes,
        }))
    }

    /// Medians of every node over all poses, in the document's order.
    fn nodes(&mut self, path: &[PathFrame], scope: &FrameScope, lit: bool) -> Result<Vec<Value>> {
        self.has_camera = lit;
        let mut times: Vec<Vec<f64>> = vec![Vec::new(); self.compositor.document().nodes.len()];
        for pose in 0..scope.poses as usize {
            let camera = view(&path[pose * workload::FRAMES / scope.poses as usize], self.size);
            for turn in 0..warm_up(scope.frames) + scope.frames {
                self.draw(camera)?;
                // What is read is the frame before: one of another pose, or of before the warm-up.
                if turn > warm_up(scope.frames) || (turn == warm_up(scope.frames) && turn > 0) {
                    for (times, node) in times.iter_mut().zip(self.compositor.times()) {
                        times.extend(node.milliseconds);
                    }
                }
            }
        }
        let labels: Vec<_> = self.compositor.times().map(|node| node.label.to_owned()).collect();
        let has_clock = self.gpu.kind != vk::PhysicalDeviceType::CPU;
        let nodes = labels.into_iter().zip(&mut times).map(|(label, times)| {
            let milliseconds = (has_clock || !times.is_empty()).then(|| median(times));
            json!({ "node": label, "ms": milliseconds })
        });
        Ok(nodes.collect())
    }
}

/// Lamps beside the path, a few metres above the ground of the cameras.
fn lamps_along(path: &[PathFrame], count: u32) -> Vec<Lamp> {
    let lamp = |index: u32| {
        let frame = &path[index as usize * path.len() / count.max(1) as usize];
        let aside = DVec3::new(f64::from(index % 7) * 9.0 - 27.0, -4.0, f64::from(index % 5) * 11.0 - 22.0);
        let position = frame.position() + aside;
        Lamp { position, intensity: Vec3::new(900.0, 700.0, 450.0), range: 30.0, cone: None }
    };
    (0..count).map(lamp).collect()
}
