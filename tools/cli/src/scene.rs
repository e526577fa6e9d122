//! A terrain, its renderer and the numbers of a frame, for a window or for a picture.

use crate::layers::Layers;
use crate::report::FrameReport;
use crate::stop::{Result, Stop, is_interrupted};
use ash::vk;
use glam::DVec3;
use landform::abi::NodeRecord;
use landform::draw::{FileTextures, SceneGround, SceneTerrain, Target};
use landform::field::Field;
use landform::gpu::{Cmd, Device, Timestamps};
use landform::lod::{GridSize, LodSettings};
use landform::plan::{FramePlan, Terrain, TerrainSettings, View, ViewPlan};
use landform_harness::{Clear, Gpu, Image8, Offscreen, OffscreenDesc};
use serde_json::{Value, json};
use shared::SharedTextures;
use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

mod shared;

/// What is seen where there is no ground.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Background {
    /// The preview's sky.
    #[default]
    Sky,
    /// A colour, linear RGB.
    Plain([f32; 3]),
}

/// A terrain and what draws it under the preview's light; a [`LitFrame`](crate::lit::LitFrame) draws the same one in a frame of
/// its own. Must go before its [`Gpu`].
pub struct Scene {
    /// What is behind it; the sky unless it is changed.
    pub background: Background,
    ground: Arc<SceneTerrain>,
    /// Those that the ground asks, to be asked how far they are.
    textures: Option<SharedTextures>,
    /// The level of detail of the preview. A compositor sets the terrain's to its document's, so each frame brings its own.
    settings: TerrainSettings,
    /// Sentences of the textures that were told.
    told: usize,
    timestamps: Timestamps,
    plan: Option<FramePlan>,
    /// Where the last frame's level of detail was measured from.
    level_from: DVec3,
    /// Nodes that are drawn in place of those that the camera would select, and where their level of detail is measured
    /// from: the selection seen from outside, morph and all.
    frozen: Option<(Vec<NodeRecord>, DVec3)>,
    uploaded: u64,
    cpu: Duration,
    device: Arc<Device>,
}

impl Scene {
    /// A scene of this ground.
    ///
    /// # Errors
    /// Where the device cannot draw it.
    pub fn new(gpu: &Gpu, field: Field) -> Result<Self> {
        // SAFETY: the host's handles are valid and belong together, and stay so until the scene is gone: whoever owns it
        // owns the Gpu as well and drops the scene first. A frame begins only after the fence of the frame that used its
        // slot, see `Frames::begin`, or with the device idle.
        let device = unsafe { Device::new(gpu.host())? };
        let settings = TerrainSettings::default();
        let terrain = Terrain::new(field, settings.clone())?;
        Ok(Self {
            background: Background::Sky,
            ground: Arc::new(SceneTerrain::new(&device, terrain)?),
            textures: None,
            settings,
            told: 0,
            timestamps: Timestamps::new(&device, "landform", 4, false)?,
            plan: None,
            level_from: DVec3::ZERO,
            frozen: None,
            uploaded: 0,
            cpu: Duration::ZERO,
            device,
        })
    }

    /// The terrain, to be asked or changed between frames. Whoever holds this keeps every other user of the ground waiting, a
    /// compositor among them: let it go before a frame is recorded.
    pub fn lock(&self) -> MutexGuard<'_, SceneGround> {
        self.ground.lock()
    }

    /// The terrain as a compositor takes it.
    pub fn ground(&self) -> &Arc<SceneTerrain> {
        &self.ground
    }

    /// Makes the ground of these layers.
    ///
    /// # Errors
    /// Fewer layers than the field has weights of, or a device that reads no textures.
    pub fn set_layers(&mut self, layers: Layers) -> Result<()> {
        let textures = SharedTextures::new(FileTextures::new(&self.device, &layers.textures)?);
        let mut ground = self.ground.lock();
        ground.terrain.set_material(layers.material)?;
        ground.textures = Some(Box::new(textures.clone()));
        (self.textures, self.told) = (Some(textures), 0);
        Ok(())
    }

    /// Adds to a report what the ground is made of: `layers` by name, the `slots` and the `height_path` that they need, and
    /// how many `textures` are pending, with what is wrong with them and what was changed in them. Null where there is none.
    pub fn report_layers(&self, report: &mut Value) {
        let ground = self.ground.lock();
        let names = ground.terrain.material().layers.iter().map(|layer| layer.name.as_str());
        let splat = self.textures.as_ref().map(|_| ground.terrain.splat());
        report["layers"] = names.collect::<Vec<_>>().into();
        report["slots"] = splat.map(|splat| splat.slots).into();
        report["height_path"] = splat.map(|splat| splat.height).into();
        report["textures"] = self.textures.as_ref().map_or(Value::Null, |textures| {
            let textures = textures.lock();
            json!({
                "pending": textures.pending(),
                "problems": textures.problems(),
                "notes": textures.notes(),
            })
        });
    }

    /// A line on the layers for people: how many, and what of their textures is not there. None where there are none.
    pub fn layers_line(&self) -> Option<String> {
        let (ground, textures) = (self.ground.lock(), self.textures.as_ref()?.lock());
        let (layers, slots) = (ground.terrain.material().layers.len(), ground.terrain.splat().slots);
        let more = match (textures.pending(), textures.problems().len()) {
            (0, 0) => String::new(),
            (0, problems) => format!(", {problems} textures unread"),
            (pending, _) => format!(", {pending} textures pending"),
        };
        Some(format!("{layers} in {slots} slots{more}"))
    }

    /// Textures that are not there yet.
    pub fn textures_pending(&self) -> usize {
        self.textures.as_ref().map_or(0, |textures| textures.lock().pending())
    }

    /// Says on stderr what is wrong with textures, each once.
    pub fn tell_problems(&mut self) {
        let Some(textures) = &self.textures else { return };
        let textures = textures.lock();
        let problems = textures.problems();
        problems.iter().skip(self.told).for_each(|problem| eprintln!("landform: WARNING: {problem}"));
        self.told = problems.len();
    }

    /// What it is drawn with.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Makes every pipeline that drawing into `target` may need, so that no frame waits for one, whatever view is shown.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn make_pipelines(&mut self, target: &Target) -> Result<()> {
        let mut ground = self.ground.lock();
        let splat = ground.terrain.splat();
        Ok(ground.renderer.prepare(target, self.settings.grid, splat)?)
    }

    /// Begins a frame: plans a view and records the copies that it needs. Outside of a rendering scope.
    ///
    /// The command buffer records, is of the scene's host and is submitted before the next frame.
    ///
    /// # Errors
    /// Where the view cannot be drawn.
    pub fn prepare(&mut self, cmd: vk::CommandBuffer, view: &View, seconds: f64) -> Result<()> {
        let start = Instant::now();
        self.device.begin_frame();
        let mut ground = self.ground.lock();
        let SceneGround { terrain, renderer, textures, .. } = &mut *ground;
        if *terrain.settings() != self.settings {
            terrain.set_settings(self.settings.clone())?;
        }
        terrain.begin_frame(seconds);
        let view =
            View { level_from: self.frozen.as_ref().map(|(_, from)| *from).or(view.level_from), ..*view };
        self.level_from = view.level_position();
        // The plan is used again, so that a steady frame allocates nothing.
        let residency = renderer.residency();
        let mut plan = match self.plan.take() {
            None => terrain.plan(&[view], residency)?,
            Some(mut plan) => {
                terrain.plan_into(&mut plan, &[view], residency)?;
                plan
            }
        };
        if let Some((nodes, _)) = &self.frozen {
            plan.views[0].nodes.clone_from(nodes);
        }
        let plan = self.plan.insert(plan);
        let cmd = record(&self.device, cmd);
        self.timestamps.begin_frame(&cmd);
        let span = self.timestamps.begin(&cmd, "upload", false);
        renderer.upload(&cmd, plan)?;
        if let Some(textures) = textures {
            textures.upload(&cmd)?;
            renderer.find_textures(plan, &mut **textures)?;
        }
        self.timestamps.end(&cmd, span);
        self.uploaded = plan.upload_bytes();
        self.cpu = start.elapsed();
        drop(ground);
        self.tell_problems();
        Ok(())
    }

    /// Draws what was prepared, into the same command buffer. Inside a rendering scope.
    ///
    /// # Errors
    /// What the driver returned.
    pub fn draw(&mut self, cmd: vk::CommandBuffer, target: &Target) -> Result<()> {
        let start = Instant::now();
        let device = self.device.clone();
        let cmd = record(&device, cmd);
        let Some(view) = self.plan.as_ref().map(|plan| &plan.views[0]) else { return Ok(()) };
        let span = self.timestamps.begin(&cmd, "draw", false);
        let renderer = &mut self.ground.lock().renderer;
        renderer.draw(&cmd, view, target)?;
        if self.background == Background::Sky {
            renderer.draw_sky(&cmd, view, target)?;
        }
        self.timestamps.end(&cmd, span);
        self.cpu += start.elapsed();
        Ok(())
    }

    /// The numbers of the last frame.
    pub fn report(&self) -> FrameReport {
        let spans = ["upload", "draw"].map(|label| self.timestamps.milliseconds(label));
        let Some(view) = self.plan.as_ref().map(|plan| &plan.views[0]) else { return FrameReport::default() };
        FrameReport {
            upload_bytes: self.uploaded,
            cpu_us: self.cpu.as_secs_f64() * 1e6,
            gpu_ms: spans.iter().any(Option::is_some).then(|| spans.iter().flatten().sum()),
            ..self.report_of(view)
        }
    }

    /// What a plan of the ground says by itself: no bytes that were uploaded, and no times.
    pub fn report_of(&self, view: &ViewPlan) -> FrameReport {
        FrameReport {
            // One for all patches.
            draws: u32::from(!view.nodes.is_empty()),
            nodes: view.nodes.len() as u32,
            visited: view.stats.visited,
            culled: view.stats.culled,
            triangles: view.triangles(),
            near: view.near,
            near_raised: view.near_raised,
            tiles: self.ground.lock().terrain.field().desc().tile_count(),
            device_bytes: self.device.live_bytes().0,
            ..FrameReport::default()
        }
    }

    /// Keeps drawing the nodes of the last frame, or ends that.
    pub fn freeze(&mut self, on: bool) {
        let plan = self.plan.as_ref().filter(|_| on);
        self.frozen = plan.map(|plan| (plan.views[0].nodes.clone(), self.level_from));
    }

    /// True while the nodes of an earlier frame are drawn.
    pub fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    /// Changes the level of detail.
    ///
    /// # Errors
    /// What cannot be is refused with a sentence, and nothing changes.
    pub fn set_detail(&mut self, grid: GridSize, error: f64) -> Result<()> {
        let mut settings = TerrainSettings { grid, ..self.settings.clone() };
        if let LodSettings::Derived { pixel_error, .. } = &mut settings.lod {
            *pixel_error = error;
        }
        // What cannot be is refused by the terrain, which has the settings at once: a compositor keeps its grid.
        self.ground.lock().terrain.set_settings(settings.clone())?;
        if grid != self.settings.grid {
            // Nodes of another grid are of another size.
            self.frozen = None;
        }
        self.settings = settings;
        Ok(())
    }

    /// Quads a side of a patch, and pixels that a quad may cover.
    pub fn detail(&self) -> (GridSize, f64) {
        match self.settings.lod {
            LodSettings::Derived { pixel_error, .. } => (self.settings.grid, pixel_error),
            _ => (self.settings.grid, f64::NAN),
        }
    }

    /// Uploads what a view needs and waits for the textures: a picture is of the layers and not of their defaults. Returns the bytes
    /// of ground that it uploaded.
    ///
    /// # Errors
    /// Where the view cannot be drawn, or an interrupt.
    pub fn load(&mut self, gpu: &Gpu, view: &View) -> Result<u64> {
        gpu.wait_idle();
        let mut uploaded = 0;
        loop {
            if is_interrupted() {
                return Err(Stop::interrupted());
            }
            gpu.submit_and_wait(|cmd| self.prepare(cmd, &View { cut: true, ..*view }, 0.0))??;
            uploaded += self.uploaded;
            if self.textures_pending() == 0 {
                return Ok(uploaded);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Draws a view without a window and returns the picture with its numbers: the upload of the first frame, and the
    /// times of a frame that uploads nothing. `samples` a pixel are 1 or 4.
    ///
    /// # Errors
    /// Where it cannot be drawn, or an interrupt.
    pub fn picture(&mut self, gpu: &Arc<Gpu>, view: &View, samples: u32) -> Result<(Image8, FrameReport)> {
        let samples = if samples >= 4 { vk::SampleCountFlags::TYPE_4 } else { vk::SampleCountFlags::TYPE_1 };
        let (width, height) = (view.viewport.width as u32, view.viewport.height as u32);
        let mut offscreen =
            Offscreen::new(gpu, OffscreenDesc { samples, ..OffscreenDesc::new(width, height) })?;
        let (color, depth) = (offscreen.desc().color[0], offscreen.desc().depth.unwrap_or_default());
        let target = Target::dynamic(color, depth, samples);
        let [red, green, blue] = match self.background {
            Background::Sky => [0.0; 3],
            Background::Plain(color) => color,
        };
        let clear = Clear { color: [red, green, blue, 1.0], depth: 0.0 };
        let uploaded = self.load(gpu, view)?;
        // A device's first frame is not the pace it keeps. Where the CPU draws it is, but for the time to make the pipeline,
        // and a second one would double the wait.
        for _ in 0..self.frames_a_picture() {
            if is_interrupted() {
                return Err(Stop::interrupted());
            }
            gpu.submit_and_wait(|cmd| -> Result<()> {
                self.prepare(cmd, view, 0.0)?;
                offscreen.begin(cmd, Some(clear));
                let drawn = self.draw(cmd, &target);
                offscreen.end(cmd);
                drawn
            })??;
        }
        // Times are read when a frame's slot comes round again.
        for _ in 0..self.device.slots() {
            gpu.submit_and_wait(|cmd| self.prepare(cmd, view, 0.0))??;
        }
        let report = FrameReport { upload_bytes: uploaded, ..self.report() };
        Ok((offscreen.read_color()?, report))
    }

    /// Frames that are drawn for one picture, so that the times are those of the pace that a device keeps.
    pub(crate) fn frames_a_picture(&self) -> u32 {
        if self.device.description().1 == vk::PhysicalDeviceType::CPU { 1 } else { 3 }
    }
}

/// A command buffer of the scene's host, for landform to record into.
pub(crate) fn record(device: &Device, cmd: vk::CommandBuffer) -> Cmd<'_> {
    // SAFETY: who calls `prepare`, `draw` and `LitFrame::record` hands over a command buffer of the device's own family that records
    // and is submitted before the next frame, `draw` inside of a rendering scope and the others outside of one.
    unsafe { device.record(cmd) }
}
