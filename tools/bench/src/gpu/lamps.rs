//! Lamps into the clusters of a view: by the CPU, and by the device, in turns in one run. What a frame costs the processor either way,
//! and the device where it sorts.

use super::scene::view;
use super::{Size, describe, validation, warm_up};
use crate::allocations;
use crate::timing::{median, nanoseconds};
use crate::workload::{self, PathFrame};
use clap::Args;
use glam::{DVec3, Vec3};
use landform::draw::{DeviceClusters, FrameLight, ViewClusters, ViewLight};
use landform::gpu::{Cmd, Device, Timestamps};
use landform::light::{ClusterGrid, Clusters, Cone, Lamp, MOST_LAMPS, SceneLight};
use landform::plan::View;
use landform_harness::{Gpu, GpuOptions, Result};
use serde_json::{Value, json};
use std::sync::Arc;

/// What is sorted, and how often.
#[derive(Clone, Debug, Args)]
pub(crate) struct LampsScope {
    /// Lamps within half a kilometre of the camera
    #[arg(long, value_name = "N,...", value_delimiter = ',', value_parser = clap::value_parser!(u32).range(1..=65536), default_values_t = Self::default().lamps)]
    lamps: Vec<u32>,
    /// Poses of the path
    #[arg(long, value_name = "N", default_value_t = Self::default().poses, value_parser = clap::value_parser!(u32).range(1..=1024))]
    poses: u32,
    /// Timed frames a pose, after those that warm up
    #[arg(long, value_name = "N", default_value_t = Self::default().frames, value_parser = clap::value_parser!(u32).range(1..))]
    frames: u32,
}

impl Default for LampsScope {
    fn default() -> Self {
        Self { lamps: vec![16, 256, 4096], poses: 8, frames: 100 }
    }
}

/// The view whose cells they are.
const SIZE: Size = Size { width: 1920, height: 1080 };
/// Metres that lamps are listed for, as a compositor has it.
const FAR: f64 = 2000.0;

/// Everything, as JSON.
pub(crate) fn run(scope: &LampsScope, quick: bool) -> Result<Value> {
    let scope = if quick {
        LampsScope { poses: 1, frames: scope.frames.min(2), ..scope.clone() }
    } else {
        scope.clone()
    };
    let validation = validation();
    let options = GpuOptions { validation: Some(validation), frames_in_flight: 1, ..GpuOptions::default() };
    let gpu = Gpu::new(options)?;
    let path = workload::path(&workload::map());
    let mut rig = Rig::new(&gpu)?;
    let counts = scope.lamps.iter().map(|&count| rig.measure(&path, count, &scope));
    let counts: Result<Vec<Value>> = counts.collect();
    let (device, counts) = (describe(&gpu), counts?);
    drop(rig);
    gpu.assert_silent();
    Ok(json!({
        "device": device,
        "validation": validation,
        "poses": scope.poses,
        "frames": scope.frames,
        "counts": counts,
    }))
}

/// Both ways to sort.
struct Rig {
    gpu: Arc<Gpu>,
    device: Arc<Device>,
    light: FrameLight,
    timestamps: Timestamps,
    by_cpu: Clusters,
    on_device: DeviceClusters,
}

/// What frames took.
#[derive(Default)]
struct Times {
    cpu_us: Vec<f64>,
    device_us: Vec<f64>,
    gpu_ms: Vec<f64>,
    cpu_listed: Vec<f64>,
    device_listed: Vec<f64>,
    records: Vec<f64>,
    most_allocations: u64,
    writes: u64,
}

impl Rig {
    fn new(gpu: &Arc<Gpu>) -> Result<Self> {
        // SAFETY: the harness' host is valid and outlives the rig, and every frame is waited for.
        let device = unsafe { Device::new(gpu.host())? };
        let grid = ClusterGrid::default();
        Ok(Self {
            light: FrameLight::new(&device)?,
            timestamps: Timestamps::new(&device, "benchmark", 1, false)?,
            by_cpu: Clusters::new(grid),
            on_device: DeviceClusters::new(&device, grid)?,
            gpu: gpu.clone(),
            device,
        })
    }

    fn measure(&mut self, path: &[PathFrame], count: u32, scope: &LampsScope) -> Result<Value> {
        let mut times = Times::default();
        for pose in 0..scope.poses as usize {
            let frame = &path[pose * workload::FRAMES / scope.poses as usize];
            let (view, lamps) = (view(frame, SIZE), lamps_around(frame.position(), count));
            for turn in 0..warm_up(scope.frames) + scope.frames {
                let timed = (turn >= warm_up(scope.frames)).then_some(&mut times);
                self.turn(&view, &lamps, timed)?;
            }
        }
        let Times { cpu_us, device_us, gpu_ms, cpu_listed, device_listed, records, .. } = &mut times;
        let gpu_ms = (!gpu_ms.is_empty()).then(|| median(gpu_ms));
        Ok(json!({
            "lamps": count,
            "records": median(records),
            "listed_by_cpu": median(cpu_listed),
            "listed_by_device": median(device_listed),
            "cpu_us": median(cpu_us),
            "device_cpu_us": median(device_us),
            "device_ms": gpu_ms,
            "most_allocations": times.most_allocations,
            "descriptor_writes": times.writes,
        }))
    }

    /// A frame that the CPU sorts in, and one that the device does.
    fn turn(&mut self, view: &View, lamps: &[Lamp], mut times: Option<&mut Times>) -> Result<()> {
        let (cpu, allocated, written) = self.frame(|rig, _| {
            rig.by_cpu.build(view, FAR, lamps)?;
            rig.publish(view, false)
        })?;
        if let Some(times) = times.as_deref_mut() {
            times.cpu_us.push(cpu);
            times.most_allocations = times.most_allocations.max(allocated);
            times.writes += written;
            let headers = 2 * self.on_device.lamps().cells() as usize;
            times.cpu_listed.push((self.by_cpu.words().len() - headers) as f64);
        }
        let (device, allocated, written) = self.frame(|rig, cmd| {
            rig.on_device.prepare(view, FAR, lamps)?;
            let span = rig.timestamps.begin(cmd, "lists", false);
            rig.on_device.record(cmd)?;
            rig.timestamps.end(cmd, span);
            rig.publish(view, true)
        })?;
        // What a frame took on the device is read when the next one begins.
        self.frame(|_, _| Ok(()))?;
        if let Some(times) = times {
            times.device_us.push(device);
            times.gpu_ms.extend(self.timestamps.milliseconds("lists"));
            times.most_allocations = times.most_allocations.max(allocated);
            times.writes += written;
            times.device_listed.push(f64::from(self.on_device.lists().listed));
            times.records.push(self.on_device.lamps().records().len() as f64);
        }
        Ok(())
    }

    /// Records a frame and waits for it: microseconds of the recording, allocations and descriptor writes.
    fn frame(&mut self, work: impl FnOnce(&mut Self, &Cmd<'_>) -> Result<()>) -> Result<(f64, u64, u64)> {
        let (device, gpu) = (self.device.clone(), self.gpu.clone());
        device.begin_frame();
        gpu.submit_and_wait(|raw| -> Result<(f64, u64, u64)> {
            // SAFETY: the harness hands over a command buffer that records, and waits for it.
            let cmd = unsafe { device.record(raw) };
            self.timestamps.begin_frame(&cmd);
            self.light.upload(&cmd, None)?;
            let (allocated, written) = (allocations::count(), device.descriptor_writes());
            let (taken, worked) = nanoseconds(|| work(self, &cmd));
            let counted = (allocations::count() - allocated, device.descriptor_writes() - written);
            worked.map(|()| (taken / 1e3, counted.0, counted.1))
        })?
    }

    /// Hands over what the view is lit by.
    fn publish(&mut self, view: &View, on_device: bool) -> Result<()> {
        let clusters =
            if on_device { ViewClusters::from(&self.on_device) } else { ViewClusters::from(&self.by_cpu) };
        let scene = &SceneLight::default();
        let light = ViewLight { scene, view, shadows: None, clusters: Some(clusters), table: None };
        self.light.publish(&light)?;
        Ok(())
    }
}

/// Lamps within half a kilometre, of 8 to 40 m, every third a spot that shines down.
fn lamps_around(camera: DVec3, count: u32) -> Vec<Lamp> {
    let mut seed = 0x2545_F491_4F6C_DD1Du64;
    let mut roll = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / (1u64 << 31) as f64
    };
    let lamp = |index: u32| Lamp {
        position: camera + DVec3::new(1000.0 * roll() - 500.0, 60.0 * roll() - 50.0, 1000.0 * roll() - 500.0),
        intensity: Vec3::new(900.0, 700.0, 450.0),
        range: (8.0 + 32.0 * roll()) as f32,
        cone: index.is_multiple_of(3).then_some(Cone { toward: Vec3::NEG_Y, inner: 0.4, outer: 0.8 }),
    };
    (0..count.min(MOST_LAMPS as u32)).map(lamp).collect()
}
