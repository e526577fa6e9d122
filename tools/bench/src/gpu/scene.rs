//! The map on a device, and frames of it whose spans are timed.

use super::Size;
use crate::workload::{self, PathFrame};
use landform::draw::Renderer;
use landform::field::Field;
use landform::gpu::{Cmd, Device, Timestamps, Timing};
use landform::lod::GridSize;
use landform::plan::{FramePlan, Terrain, TerrainSettings, View, Viewport};
use landform_harness::{Gpu, Result};
use std::sync::Arc;
use std::time::Instant;

pub(super) struct Scene {
    pub(super) device: Arc<Device>,
    pub(super) terrain: Terrain,
    pub(super) renderer: Renderer,
    pub(super) timestamps: Timestamps,
    pub(super) gpu: Arc<Gpu>,
}

impl Scene {
    pub(super) fn new(gpu: &Arc<Gpu>, codes: Vec<u16>) -> Result<Self> {
        // SAFETY: the harness' host is valid and outlives the scene, and every frame is waited for.
        let device = unsafe { Device::new(gpu.host())? };
        Self::of(gpu, &device, workload::field(codes)?, TerrainSettings::default())
    }

    /// A field on a device that other scenes may be on.
    pub(super) fn of(
        gpu: &Arc<Gpu>,
        device: &Arc<Device>,
        field: Field,
        settings: TerrainSettings,
    ) -> Result<Self> {
        let renderer = Renderer::new(device, field.desc())?;
        let terrain = Terrain::new(field, settings)?;
        let timestamps = Timestamps::new(device, "benchmark", 8, true)?;
        Ok(Self { device: device.clone(), terrain, renderer, timestamps, gpu: gpu.clone() })
    }

    pub(super) fn set_grid(&mut self, grid: GridSize) -> Result<()> {
        Ok(self.terrain.set_settings(TerrainSettings { grid, ..TerrainSettings::default() })?)
    }

    /// What is to be done for a view, from a camera that stands still.
    pub(super) fn plan(&mut self, view: View) -> Result<FramePlan> {
        self.terrain.begin_frame(0.0);
        Ok(self.terrain.plan(&[view], self.renderer.residency())?)
    }

    /// Records a frame, submits it and waits. What its spans took is read when another one begins, an empty one.
    pub(super) fn frame(
        &mut self,
        record: impl FnOnce(&mut Renderer, &mut Timestamps, &Cmd<'_>) -> Result<()>,
    ) -> Result<Played> {
        let wall_milliseconds = self.submit(record)?;
        self.submit(|_, _, _| Ok(()))?;
        Ok(Played { span: self.timestamps.latest().1.first().copied(), wall_milliseconds })
    }

    fn submit(
        &mut self,
        record: impl FnOnce(&mut Renderer, &mut Timestamps, &Cmd<'_>) -> Result<()>,
    ) -> Result<f64> {
        let Self { device, renderer, timestamps, gpu, .. } = self;
        device.begin_frame();
        let recorded = gpu.submit_and_wait(|raw| {
            // SAFETY: the harness hands over a command buffer that records, and waits for it.
            let cmd = unsafe { device.record(raw) };
            timestamps.begin_frame(&cmd);
            record(renderer, timestamps, &cmd).map(|()| Instant::now())
        })??;
        Ok(recorded.elapsed().as_secs_f64() * 1e3)
    }
}

/// What a frame took.
pub(super) struct Played {
    /// Its first span; none where the device writes no timestamps.
    pub(super) span: Option<Timing>,
    /// From the end of recording to when the device was done.
    pub(super) wall_milliseconds: f64,
}

/// A camera of the path over a whole target. The far plane is infinite, as landform's own views have it.
pub(super) fn view(frame: &PathFrame, size: Size) -> View {
    let viewport = Viewport::whole(size.width, size.height);
    let mut view = View::perspective(frame.position(), frame.rotation(), frame.fov, frame.near, viewport);
    // Every pose is seen at its own level of detail at once.
    view.cut = true;
    view
}
