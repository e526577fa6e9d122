//! The scene's ground in a frame of its own: a document, a compositor, and the sun and the sky of a clear day.

mod host;
mod sky;
mod source;

pub use host::{Luminance, Things};
pub use source::{FrameSource, check_target, shadow_distance, unrecorded};

use crate::camera::Sun;
use crate::report::FrameReport;
use crate::scene::{Scene, record};
use crate::stop::{Result, Stop, is_interrupted};
use ash::vk;
use host::{Host, Reader};
use landform::draw::{Compositor, Frame, HostImage, SceneTerrain};
use landform::frame::{Answer, FrameDocument, FrameNode, TerrainComponent, TerrainExtraction, TerrainScene};
use landform::gpu::Device;
use landform::light::Lamp;
use landform::plan::{Placement, View};
use landform_harness::{Gpu, Image8, Offscreen, OffscreenDesc};
use serde_json::{Value, json};
use sky::Sky;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the terrain is called in the scene of the frame.
const GROUND: &str = "ground";

/// Runs a frame document around the ground of a [`Scene`]. Goes before its scene.
pub struct LitFrame {
    device: Arc<Device>,
    compositor: Compositor,
    source: FrameSource,
    scene: TerrainScene,
    extraction: TerrainExtraction<SceneTerrain>,
    sky: Sky,
    /// The document's views. All of them are the camera's.
    views: Vec<String>,
    shadow_distance: f64,
    cpu: Duration,
    ev100: f32,
    things: Option<Box<dyn Things>>,
    shows_things: bool,
    lamps: Vec<Lamp>,
    /// What reads luminance, in frames that are to be read.
    reader: Option<Reader>,
}

/// What a lit frame shows.
#[derive(Clone, Copy, Debug)]
pub struct LitShot<'a> {
    /// From where. Its preview is what is drawn where the frame's document leaves the ground without light.
    pub view: &'a View,
    /// Where the sun stands.
    pub sun: Sun,
    /// Exposure values that the picture is brighter than what is metered.
    pub compensation: f32,
    /// Since the last frame.
    pub seconds: f64,
}

/// A node of the document for people.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeReport {
    /// What it is called.
    pub label: String,
    /// False while it is turned off.
    pub enabled: bool,
    /// Milliseconds on the device, of a frame or two ago.
    pub gpu_ms: Option<f64>,
}

impl LitFrame {
    /// A frame of this document, which is what `source` reads, around the scene's ground.
    ///
    /// # Errors
    /// What the device cannot draw.
    pub fn new(scene: &Scene, source: FrameSource, document: FrameDocument) -> Result<Self> {
        let factory = source.factory();
        let mut terrains = TerrainScene::default();
        terrains.add(TerrainComponent::of(GROUND), Placement::default());
        Ok(Self {
            device: scene.device().clone(),
            views: document.views.clone(),
            compositor: Compositor::new(scene.device(), document, factory)?,
            source,
            scene: terrains,
            extraction: TerrainExtraction::default(),
            sky: Sky::new()?,
            shadow_distance: shadow_distance(scene.lock().terrain.field()),
            cpu: Duration::ZERO,
            ev100: 0.0,
            things: None,
            shows_things: true,
            lamps: Vec::new(),
            reader: None,
        })
    }

    /// Reads the document again and draws a small picture with it, so that whatever is wrong with it is found now.
    ///
    /// # Errors
    /// What is wrong with it. The frame stays as it was then.
    pub fn reload(&mut self, gpu: &Arc<Gpu>, scene: &mut Scene, format: vk::Format) -> Result<()> {
        let document = self.source.read(self.shadow_distance)?;
        let mut other = Self::new(scene, self.source.clone(), document)?;
        other.compositor.set_factory(*self.compositor.factory());
        other.set_moon(self.sky.moon());
        other.things = self.things.take();
        let tried = other.try_out(gpu, scene, format);
        self.things = other.things.take();
        tried?;
        other.things = self.things.take();
        *self = other;
        Ok(())
    }

    /// Draws a small picture: what is wrong with the document shows, and its pipelines are made.
    ///
    /// # Errors
    /// What cannot be drawn.
    pub fn try_out(&mut self, gpu: &Arc<Gpu>, scene: &mut Scene, format: vk::Format) -> Result<()> {
        const SIZE: (u32, u32) = (64, 36);
        let view = {
            let ground = scene.lock();
            let field = ground.terrain.field();
            let camera = crate::overview::from_the_rim(field, 16.0 / 9.0, crate::overview::FOV);
            camera.view(field, crate::overview::FOV, SIZE, landform::plan::Preview::default())
        };
        let color = vec![format];
        let mut small =
            Offscreen::new(gpu, OffscreenDesc { color, depth: None, ..OffscreenDesc::new(SIZE.0, SIZE.1) })?;
        let shot = LitShot { view: &view, sun: Sun::default(), compensation: 0.0, seconds: 0.0 };
        gpu.wait_idle();
        gpu.submit_and_wait(|cmd| self.record(cmd, scene, small.output(), &shot))?
    }

    /// Puts things on the ground, or takes them away.
    pub fn set_things(&mut self, things: Option<Box<dyn Things>>) {
        self.things = things;
    }

    /// Shows the things that are there, or leaves them out.
    pub fn show_things(&mut self, shown: bool) {
        self.shows_things = shown;
    }

    /// The document that is drawn.
    pub fn document(&self) -> &FrameDocument {
        self.compositor.document()
    }

    /// Where the document comes from.
    pub fn source(&self) -> &FrameSource {
        &self.source
    }

    /// Changes how many of the output's pixels a quad of the finest level may cover, where the document does not say.
    pub fn set_pixel_error(&mut self, pixels: f64) {
        let mut factory = *self.compositor.factory();
        // Twice as many texels across are no reason for smaller quads.
        let texels = self.source.texels_a_pixel(self.document());
        factory.scalars.pixel_error = Some((pixels * texels).clamp(0.1, 64.0));
        self.compositor.set_factory(factory);
    }

    /// Another moon: how much of it is lit, 0 to 1; None for none. A full one to begin with.
    pub fn set_moon(&mut self, phase: Option<f32>) {
        self.sky.set_moon(phase);
    }

    /// Turns a node off, or on again. Nothing where there is no such node.
    pub fn toggle(&mut self, node: usize) {
        self.compositor.set_enabled(node, !self.compositor.is_enabled(node));
    }

    /// Shows a target in place of the picture.
    ///
    /// # Errors
    /// A target that there is not.
    pub fn show(&mut self, target: Option<&str>) -> Result<()> {
        Ok(self.compositor.show(target)?)
    }

    /// Records a whole frame: everything that the ground and its light need, and every node. Outside of a rendering scope.
    ///
    /// The command buffer records, is of the scene's host and is submitted before the next frame.
    ///
    /// # Errors
    /// A sentence on what cannot be drawn. What was recorded is no picture, but may be submitted.
    pub fn record(
        &mut self,
        cmd: vk::CommandBuffer,
        scene: &mut Scene,
        output: HostImage,
        shot: &LitShot<'_>,
    ) -> Result<()> {
        let start = Instant::now();
        self.device.begin_frame();
        self.sky.follow(shot.sun, shot.view.position.y);
        self.ev100 = self.sky.light.ev100() - shot.compensation;
        let ground = scene.ground();
        self.extraction.extract(&self.scene, &mut |_: &str| Answer::Ready(ground.clone()));
        self.lamps.clear();
        let mut things = self.things.as_deref_mut().filter(|_| self.shows_things);
        things.as_mut().map_or(Ok(()), |things| things.begin(shot, &mut self.lamps))?;
        let views: Vec<_> = self.views.iter().map(|name| (name.as_str(), *shot.view)).collect();
        let frame = Frame {
            output,
            views: &views,
            targets: &[],
            light: Some(&self.sky.light),
            has_camera: true,
            sky: Some(&self.sky.table),
            lamps: &self.lamps,
            terrains: self.extraction.terrains(),
            ev100: self.ev100,
            compensation: shot.compensation,
            seconds: shot.seconds,
        };
        let mut host = Host { things, reader: self.reader.as_mut() };
        self.compositor.record(&record(&self.device, cmd), &frame, &mut host)?;
        self.cpu = start.elapsed();
        scene.tell_problems();
        Ok(())
    }

    /// Draws a picture, once all textures are there.
    ///
    /// # Errors
    /// Where it cannot be drawn, or an interrupt.
    pub fn picture(
        &mut self,
        gpu: &Arc<Gpu>,
        scene: &mut Scene,
        shot: &LitShot<'_>,
    ) -> Result<(Image8, FrameReport)> {
        let area = shot.view.viewport;
        let (width, height) = (area.width as u32, area.height as u32);
        let desc = OffscreenDesc { depth: None, ..OffscreenDesc::new(width, height) };
        let mut offscreen = Offscreen::new(gpu, desc)?;
        let uploaded = scene.load(gpu, shot.view)?;
        for frame in 0..scene.frames_a_picture().max(self.frames_resolved()) {
            if is_interrupted() {
                return Err(Stop::interrupted());
            }
            let view = View { cut: frame == 0, ..*shot.view };
            let shot = LitShot { view: &view, ..*shot };
            gpu.submit_and_wait(|cmd| self.record(cmd, scene, offscreen.output(), &shot))??;
        }
        let image = offscreen.read_color()?;
        let report = self.report(scene);
        self.collect_times(gpu, scene, &mut offscreen, shot)?;
        let gpu_ms = self.total_ms();
        Ok((image, FrameReport { upload_bytes: uploaded + report.upload_bytes, gpu_ms, ..report }))
    }

    /// Draws a picture and reads its luminance, before it is exposed, from a frame whose source is to be read.
    ///
    /// # Errors
    /// Where it cannot be drawn or read, or an interrupt.
    pub fn luminance(
        &mut self,
        gpu: &Arc<Gpu>,
        scene: &mut Scene,
        shot: &LitShot<'_>,
    ) -> Result<(Luminance, FrameReport)> {
        self.reader = Some(Reader::new(gpu, &self.device));
        let drawn = self.picture(gpu, scene, shot);
        let reader = self.reader.take();
        let (_, report) = drawn?;
        let luminance =
            reader.map_or_else(|| Err(Stop::new("nothing was read")), |mut reader| reader.take())?;
        Ok((luminance, report))
    }

    /// Draws the next picture of a flight, once all textures are there: what is resolved and metered goes on from the one before.
    ///
    /// # Errors
    /// Where it cannot be drawn.
    pub fn next_picture(
        &mut self,
        gpu: &Arc<Gpu>,
        scene: &mut Scene,
        offscreen: &mut Offscreen,
        shot: &LitShot<'_>,
    ) -> Result<Image8> {
        scene.load(gpu, shot.view)?;
        gpu.submit_and_wait(|cmd| self.record(cmd, scene, offscreen.output(), shot))??;
        Ok(offscreen.read_color()?)
    }

    /// Lets frames pass in which no node does anything, until those of the frame before are measured: times are read when a frame's
    /// slot comes round again.
    fn collect_times(
        &mut self,
        gpu: &Arc<Gpu>,
        scene: &mut Scene,
        offscreen: &mut Offscreen,
        shot: &LitShot<'_>,
    ) -> Result<()> {
        let on: Vec<_> = (0..self.document().nodes.len()).map(|n| self.compositor.is_enabled(n)).collect();
        (0..on.len()).for_each(|node| {
            self.compositor.set_enabled(node, false);
        });
        let passed = (0..self.device.slots()).try_for_each(|_| {
            gpu.submit_and_wait(|cmd| self.record(cmd, scene, offscreen.output(), shot))?
        });
        on.iter().enumerate().for_each(|(node, on)| {
            self.compositor.set_enabled(node, *on);
        });
        passed
    }

    /// The numbers of the last frame.
    pub fn report(&self, scene: &Scene) -> FrameReport {
        let Some(plan) = self.compositor.plan(0, 0) else { return FrameReport::default() };
        FrameReport {
            upload_bytes: plan.upload_bytes(),
            cpu_us: self.cpu.as_secs_f64() * 1e6,
            gpu_ms: self.total_ms(),
            ..plan.views.first().map(|view| scene.report_of(view)).unwrap_or_default()
        }
    }

    /// The nodes of the document, in its order.
    pub fn nodes(&self) -> Vec<NodeReport> {
        let nodes = self.compositor.times().map(|time| NodeReport {
            label: time.label.to_owned(),
            enabled: self.compositor.is_enabled(time.node),
            gpu_ms: time.milliseconds,
        });
        nodes.collect()
    }

    /// Milliseconds on the device of what comes before the first node: uploads, and what else is no node's.
    pub fn prepare_ms(&self) -> Option<f64> {
        self.compositor.prepare_time()
    }

    /// Milliseconds of all that, where they are measured.
    pub fn total_ms(&self) -> Option<f64> {
        let nodes = self.compositor.times().map(|time| time.milliseconds);
        nodes.chain([self.prepare_ms()]).sum()
    }

    /// The exposure value of the last frame, as far as it is known.
    pub fn ev100(&self) -> f32 {
        self.compositor.ev100().unwrap_or(self.ev100)
    }

    /// Frames that a picture of the document is made of.
    pub fn frames_resolved(&self) -> u32 {
        let numbers = self.compositor.factory().defaults();
        let frames = self.document().nodes.iter().map(|node| match node {
            FrameNode::Resolve(resolve) => resolve.frames(&numbers),
            _ => 1,
        });
        frames.max().unwrap_or(1)
    }

    /// Why the ground of a `Terrain` node is a preview, for the first one that is.
    pub fn preview_reason(&self) -> Option<&str> {
        let terrains = self.document().terrains().count();
        (0..terrains).find_map(|terrain| self.compositor.preview_reason(terrain))
    }

    /// Adds to a report what a frame was made of: its `tier`, `ev100`, `preview_reason`, its `frame_nodes` with their times, and
    /// `prepare_ms`, what came before them.
    pub fn add_to(&self, report: &mut Value) {
        let nodes = self.nodes();
        let nodes = nodes.iter().map(|node| json!({ "label": node.label, "gpu_ms": node.gpu_ms }));
        report["frame_nodes"] = nodes.collect::<Vec<_>>().into();
        report["prepare_ms"] = self.prepare_ms().into();
        report["tier"] = format!("{:?}", self.source.tier).to_lowercase().into();
        report["ev100"] = self.ev100().into();
        report["preview_reason"] = self.preview_reason().into();
    }
}
