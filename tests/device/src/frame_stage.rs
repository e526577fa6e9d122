//! A whole frame around a terrain: a document, a compositor, a sun and a sky, drawn and read back.

use ash::vk;
use glam::Vec3;
use landform::draw::{Compositor, Frame, FrameHost, HostImage, SceneTerrain};
use landform::field::Field;
use landform::frame::{
    Answer, FrameDocument, TerrainComponent, TerrainExtraction, TerrainFactory, TerrainScene, Transforms,
};
use landform::gpu::Device;
use landform::light::{Atmosphere, ClearSky, Lamp, Night, SceneLight, SkyTable};
use landform::plan::{Placement, Terrain, TerrainSettings, View};
use landform_harness::{Gpu, Image8, Offscreen, OffscreenDesc};
use std::sync::Arc;

/// A frame and all that is in it.
pub struct FrameStage {
    /// The checked host.
    pub device: Arc<Device>,
    /// What runs the document.
    pub compositor: Compositor,
    /// What is drawn into.
    pub offscreen: Offscreen,
    /// Which terrains there are; the one that the stage was made with is called `ground`.
    pub scene: TerrainScene,
    /// That terrain.
    pub ground: Arc<SceneTerrain>,
    /// The sun and the sky's harmonics; None for a frame that publishes none.
    pub light: Option<SceneLight>,
    /// Whether the light has the scene's camera.
    pub has_camera: bool,
    /// The table of the sky.
    pub table: Option<SkyTable>,
    /// Lamps.
    pub lamps: Vec<Lamp>,
    /// The images of targets that the document leaves to the host.
    pub targets: Vec<(&'static str, HostImage)>,
    /// Exposure, where it is not the light's own.
    pub ev100: Option<f32>,
    extraction: TerrainExtraction<SceneTerrain>,
    sky: ClearSky,
    resized: u64,
    gpu: Arc<Gpu>,
}

/// Reads a document, expands it and places terrains in it.
pub fn drawn(text: &str) -> FrameDocument {
    let mut transforms = Transforms::default();
    transforms.register(TerrainFactory::default());
    let written = FrameDocument::from_ron(text).expect("a document");
    transforms.run(&written).expect("a document that can be drawn")
}

impl FrameStage {
    /// A frame of this document around this ground, which stands at the world's origin.
    pub fn new(gpu: &Arc<Gpu>, field: Field, document: &str, width: u32, height: u32) -> Self {
        // SAFETY: the harness' host is valid and outlives the stage, and every frame is waited for.
        let device = unsafe { Device::new(gpu.host()) }.expect("a device that landform takes");
        let terrain = Terrain::new(field, TerrainSettings::default()).expect("a terrain");
        let ground = Arc::new(SceneTerrain::new(&device, terrain).expect("a renderer"));
        let mut scene = TerrainScene::default();
        scene.add(TerrainComponent::of("ground"), Placement::default());
        let compositor = Compositor::new(&device, drawn(document), TerrainFactory::default());
        Self {
            compositor: compositor.expect("a compositor"),
            offscreen: Offscreen::new(
                gpu,
                OffscreenDesc { depth: None, ..OffscreenDesc::new(width, height) },
            )
            .expect("a target"),
            device,
            scene,
            ground,
            light: None,
            has_camera: true,
            table: None,
            lamps: Vec::new(),
            targets: Vec::new(),
            ev100: None,
            extraction: TerrainExtraction::default(),
            sky: ClearSky::new(&Atmosphere::default()).expect("a sky"),
            resized: 0,
            gpu: gpu.clone(),
        }
    }

    /// A clear sky with a sun so many degrees above the horizon, from so many degrees clockwise of north.
    pub fn set_sun(&mut self, elevation: f64, azimuth: f64) {
        let toward = crate::toward_sun(elevation, azimuth).as_vec3();
        let mut table = self.table.take().unwrap_or_default();
        self.sky.fill(200.0, toward, &mut table);
        self.light = Some(SceneLight::of_sky(&self.sky, 200.0, toward, &table, Vec3::splat(0.2)));
        self.table = Some(table);
    }

    /// The same sun with a night around it.
    pub fn set_night(&mut self, elevation: f64, azimuth: f64, night: &Night) {
        let toward = crate::toward_sun(elevation, azimuth).as_vec3();
        let mut table = self.table.take().unwrap_or_default();
        self.sky.fill_night(200.0, toward, night, &mut table);
        let albedo = Vec3::splat(0.2);
        self.light = Some(SceneLight::of_night_sky(&self.sky, 200.0, toward, night, &table, albedo));
        self.table = Some(table);
    }

    /// Draws a frame from one view, called `Camera`, and reads it back.
    pub fn draw(&mut self, view: &View) -> Image8 {
        self.draw_with(view, &mut ()).expect("a frame");
        self.offscreen.read_color().expect("a picture")
    }

    /// Draws a frame together with a host's own part.
    ///
    /// # Errors
    /// What the compositor refused.
    pub fn draw_with(&mut self, view: &View, host: &mut dyn FrameHost) -> landform::Result<()> {
        self.draw_views(&[("Camera", *view)], host)
    }

    /// Draws a frame of these views.
    ///
    /// # Errors
    /// What the compositor refused.
    pub fn draw_views(&mut self, views: &[(&str, View)], host: &mut dyn FrameHost) -> landform::Result<()> {
        let gpu = self.gpu.clone();
        self.device.begin_frame();
        gpu.submit_and_wait(|raw| self.record(raw, views, host)).expect("a submission")
    }

    /// Draws one frame a view and asserts that, from frame `warm` on, none writes a descriptor or makes anything.
    pub fn assert_steady(&mut self, views: impl IntoIterator<Item = View>, warm: usize) {
        let mut before = None;
        for (step, view) in views.into_iter().enumerate() {
            self.draw_with(&view, &mut ()).expect("a frame");
            let now = (self.device.descriptor_writes(), self.device.live_resources().len());
            if step >= warm {
                assert_eq!(*before.get_or_insert(now), now, "at step {step}");
            }
        }
    }

    /// Records a frame that is never submitted, and has everything forget it.
    pub fn lose(&mut self, view: &View) {
        let gpu = self.gpu.clone();
        self.device.begin_frame();
        let recorded = gpu.record_and_discard(|raw| self.record(raw, &[("Camera", *view)], &mut ()));
        recorded.expect("a recording").expect("a frame");
        self.compositor.forget();
        self.ground.lock().renderer.forget();
    }

    /// Records a frame of the device's current one.
    ///
    /// # Errors
    /// What the compositor refused.
    pub fn record(
        &mut self,
        raw: vk::CommandBuffer,
        views: &[(&str, View)],
        host: &mut dyn FrameHost,
    ) -> landform::Result<()> {
        let ground = &self.ground;
        let mut resolver = |name: &str| match name {
            "ground" => Answer::Ready(ground.clone()),
            _ => Answer::NotYet,
        };
        self.extraction.extract(&self.scene, &mut resolver);
        let frame = Frame {
            output: HostImage { revision: self.resized, ..self.offscreen.output() },
            views,
            targets: &self.targets,
            light: self.light.as_ref(),
            has_camera: self.has_camera,
            sky: self.table.as_ref(),
            lamps: &self.lamps,
            terrains: self.extraction.terrains(),
            ev100: self.ev100.unwrap_or_else(|| self.light.as_ref().map_or(15.0, SceneLight::ev100)),
            compensation: 0.0,
            seconds: 1.0 / 60.0,
        };
        // SAFETY: the harness hands over a command buffer that records, and waits for it or throws it away.
        let cmd = unsafe { self.device.record(raw) };
        self.compositor.record(&cmd, &frame, host)
    }

    /// Another size of the picture.
    pub fn resize(&mut self, width: u32, height: u32) {
        let desc = OffscreenDesc { depth: None, ..OffscreenDesc::new(width, height) };
        self.offscreen = Offscreen::new(&self.gpu, desc).expect("a target");
        self.resized += 1;
    }

    /// A target like the one that is drawn into, to put in its place while frames still draw into it.
    pub fn fresh_target(&mut self) -> Offscreen {
        let desc = self.offscreen.desc();
        let desc = OffscreenDesc { depth: None, ..OffscreenDesc::new(desc.width, desc.height) };
        self.resized += 1;
        Offscreen::new(&self.gpu, desc).expect("a target")
    }

    /// The host.
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }
}
