//! A terrain, a renderer and a target, drawn a frame at a time and read back.

use ash::vk;
use glam::{DVec3, Mat4, Vec3};
use landform::draw::{Renderer, Target, TextureSource};
use landform::field::Field;
use landform::gpu::Device;
use landform::plan::{FramePlan, Terrain, TerrainSettings, View, Viewport};
use landform_harness::{Clear, Gpu, Image8, Offscreen, OffscreenDesc};
use std::sync::Arc;

/// Everything that one picture needs.
pub struct Stage {
    /// The checked host.
    pub device: Arc<Device>,
    /// What is drawn.
    pub terrain: Terrain,
    /// What draws it.
    pub renderer: Renderer,
    /// What is drawn into.
    pub offscreen: Offscreen,
    /// What landform is told about it.
    pub target: Target,
    /// What the target is cleared to; magenta unless a test says otherwise.
    pub clear: Clear,
    /// True to draw the preview's sky behind the ground.
    pub sky: bool,
    gpu: Arc<Gpu>,
}

impl Stage {
    /// A stage with a target of this size.
    pub fn new(gpu: &Arc<Gpu>, field: Field, settings: TerrainSettings, width: u32, height: u32) -> Self {
        Self::with_target(gpu, field, settings, OffscreenDesc::new(width, height))
    }

    /// A stage with default settings and a small target.
    pub fn small(gpu: &Arc<Gpu>, field: Field) -> Self {
        Self::new(gpu, field, TerrainSettings::default(), 320, 180)
    }

    /// A stage with this target.
    pub fn with_target(gpu: &Arc<Gpu>, field: Field, settings: TerrainSettings, desc: OffscreenDesc) -> Self {
        // SAFETY: the harness' host is valid and outlives the stage, and every frame is waited for.
        let device = unsafe { Device::new(gpu.host()) }.expect("a device that landform takes");
        let renderer = Renderer::new(&device, field.desc()).expect("a renderer");
        let terrain = Terrain::new(field, settings).expect("a terrain");
        let (samples, color) = (desc.samples, desc.color[0]);
        let offscreen = Offscreen::new(gpu, desc).expect("a target");
        let mut target = Target::dynamic(color, vk::Format::D32_SFLOAT, samples);
        target.formats = offscreen.formats();
        Self {
            device,
            terrain,
            renderer,
            offscreen,
            target,
            clear: Clear::default(),
            sky: false,
            gpu: gpu.clone(),
        }
    }

    /// Draws one frame of one view and reads the colour back.
    pub fn draw(&mut self, view: &View) -> Image8 {
        self.terrain.begin_frame(0.0);
        let plan = self.terrain.plan(&[*view], self.renderer.residency()).expect("a plan");
        self.play(&plan);
        self.offscreen.read_color().expect("a picture")
    }

    /// Draws one frame of one view with textures from a source, and reads the colour back.
    pub fn draw_with(&mut self, view: &View, source: &mut dyn TextureSource) -> Image8 {
        self.play_with(view, source);
        self.offscreen.read_color().expect("a picture")
    }

    /// The same into a target of `R32G32B32A32_SFLOAT`: linear light, alpha left out.
    pub fn draw_light(&mut self, view: &View, source: &mut dyn TextureSource) -> Vec<[f32; 3]> {
        self.play_with(view, source);
        let bytes = self.offscreen.read_color_bytes(0, 16).expect("a picture of floats");
        let pixels = bytes.chunks_exact(16).map(bytemuck::pod_read_unaligned::<[f32; 4]>);
        pixels.map(|[r, g, b, _]| [r, g, b]).collect()
    }

    /// Draws one frame of one view with textures from a source.
    pub fn play_with(&mut self, view: &View, source: &mut dyn TextureSource) {
        self.terrain.begin_frame(0.0);
        let plan = self.terrain.plan(&[*view], self.renderer.residency()).expect("a plan");
        self.record(&plan, |renderer, cmd, target| {
            renderer.find_textures(&plan, source).expect("a question");
            renderer.draw(cmd, &plan.views[0], target).expect("a draw");
        });
    }

    /// Plays a plan: uploads, and draws all its views into the target.
    pub fn play(&mut self, plan: &FramePlan) {
        let sky = self.sky;
        self.record(plan, |renderer, cmd, target| {
            for view in &plan.views {
                renderer.draw(cmd, view, target).expect("a draw");
                if sky {
                    renderer.draw_sky(cmd, view, target).expect("a sky");
                }
            }
        });
    }

    /// Uploads a plan and records `draw` inside the target's rendering scope.
    pub fn record(
        &mut self,
        plan: &FramePlan,
        draw: impl FnOnce(&mut Renderer, &landform::gpu::Cmd<'_>, &Target),
    ) {
        self.device.begin_frame();
        let Self { gpu, device, renderer, offscreen, target, clear, .. } = self;
        gpu.submit_and_wait(|raw| {
            // SAFETY: the harness hands over a command buffer that records, and waits for it.
            let cmd = unsafe { device.record(raw) };
            renderer.upload(&cmd, plan).expect("an upload");
            offscreen.begin(raw, Some(*clear));
            draw(renderer, &cmd, target);
            offscreen.end(raw);
        })
        .expect("a frame");
    }

    /// The host.
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// The whole target.
    pub fn viewport(&self) -> Viewport {
        Viewport::whole(self.offscreen.desc().width, self.offscreen.desc().height)
    }

    /// A perspective view over the whole target: degrees of yaw clockwise from north, and of pitch above the horizon.
    pub fn view(&self, position: DVec3, yaw: f32, pitch: f32) -> View {
        look(position, yaw, pitch, self.viewport())
    }
}

/// A view over the sixteen tiles of [`tiled_hills`](crate::tiled_hills).
pub fn over(stage: &Stage) -> View {
    stage.view(DVec3::new(250.0, 260.0, 640.0), 4.0, -25.0)
}

/// A perspective view of 60° with a level camera whose lens is shifted down: each column of the picture is a vertical
/// plane of the world, so ground in it runs from the horizon down without a break. A pitched camera has no such columns
/// but the middle one. At a `lowered` of 0 the horizon is in the middle, at 1 at the top edge. The near plane is a
/// millimetre away, so that it cuts no wall that the camera stands close to.
pub fn look_level(position: DVec3, yaw: f32, lowered: f32, viewport: Viewport) -> View {
    let rotation = View::looking(yaw.to_radians(), 0.0);
    let mut view = View::perspective(position, rotation, 60f32.to_radians(), 0.001, viewport);
    let shift = Mat4::from_translation(Vec3::new(0.0, lowered, 0.0));
    view.projection = shift * view.projection;
    view.unjittered = view.projection;
    view
}

/// A perspective view of 60°: degrees of yaw clockwise from north, and of pitch above the horizon.
pub fn look(position: DVec3, yaw: f32, pitch: f32, viewport: Viewport) -> View {
    let rotation = View::looking(yaw.to_radians(), pitch.to_radians());
    View::perspective(position, rotation, 60f32.to_radians(), 0.1, viewport)
}
