//! The window's frame: wait, acquire, prepare, draw, present.

use super::overlay::{Controls, Overlay, Status};
use super::surface::Surface;
use super::swapchain::Swapchain;
use crate::args::Args;
use crate::map::Map;
use ash::vk;
use landform::draw::Target;
use landform::gpu::Device;
use landform_cli::camera::Camera;
use landform_cli::report::Setting;
use landform_cli::scene::Scene;
use landform_cli::stop::{Result, Stop, say};
use landform_harness::{Frames, Gpu, write_png};
use std::path::Path;
use std::sync::Arc;
use winit::window::Window;

/// Everything that a frame needs, in the order in which it has to go.
pub(crate) struct Stage {
    pub(crate) overlay: Overlay,
    swapchain: Option<Swapchain>,
    pub(crate) scene: Scene,
    pub(crate) setting: Setting,
    /// What an acquired image waits for, one a frame in flight.
    acquired: Acquired,
    slot: usize,
    frames: Frames,
    surface: Surface,
    samples: vk::SampleCountFlags,
    /// True where the swapchain has to be made again.
    stale: bool,
    pub(crate) window: Window,
}

/// What a frame looks like.
pub(crate) struct Shown<'a> {
    pub(crate) camera: Camera,
    pub(crate) fov: f64,
    pub(crate) controls: &'a mut Controls,
    pub(crate) speed: f64,
    pub(crate) map: &'a str,
    /// Since the last frame.
    pub(crate) seconds: f64,
    /// The window's area in pixels; nothing is drawn while either is 0.
    pub(crate) size: (u32, u32),
}

impl Stage {
    pub(crate) fn new(args: &Args, window: Window, map: Map) -> Result<Self> {
        let surface = Surface::new(&window, args.device.gpu_options())?;
        let gpu = surface.gpu().clone();
        let setting = Setting::of(&gpu, &map.field, &map.source);
        let mut scene = Scene::new(&gpu, map.field)?;
        map.layers.map_or(Ok(()), |layers| scene.set_layers(layers))?;
        if let Some(error) = args.pixel_error {
            scene.set_detail(scene.detail().0, error)?;
        }
        let samples = match args.look.samples_on(gpu.kind) {
            4 => vk::SampleCountFlags::TYPE_4,
            _ => vk::SampleCountFlags::TYPE_1,
        };
        Ok(Self {
            overlay: Overlay::new(&gpu, &window, surface.format()?.format)?,
            swapchain: None,
            scene,
            setting,
            acquired: Acquired::new(&gpu)?,
            slot: 0,
            frames: Frames::new(&gpu)?,
            surface,
            samples,
            stale: false,
            window,
        })
    }

    pub(crate) fn gpu(&self) -> &Arc<Gpu> {
        self.surface.gpu()
    }

    /// Says that the window's size changed.
    pub(crate) fn resized(&mut self) {
        self.stale = true;
    }

    /// Draws a frame. False where there was nothing to draw into: the window has no area, or changed just now.
    pub(crate) fn frame(&mut self, shown: &mut Shown<'_>) -> Result<bool> {
        if shown.size.0 == 0 || shown.size.1 == 0 {
            return Ok(false);
        }
        if self.stale || self.swapchain.is_none() {
            self.gpu().wait_idle();
            let old = self.swapchain.take();
            self.swapchain =
                Swapchain::new(&self.surface, self.scene.device(), self.samples, shown.size, old)?;
            self.stale = false;
            if let Some(swapchain) = &self.swapchain {
                self.scene.make_pipelines(&target_of(swapchain, self.samples))?;
            }
        }
        let Some(swapchain) = &self.swapchain else { return Ok(false) };
        // Waits until the frame that used this slot has completed; only then is its semaphore free again.
        let raw = self.frames.begin()?;
        let semaphore = self.acquired.semaphores[self.slot];
        let Some((image, suboptimal)) = swapchain.acquire(semaphore)? else {
            self.stale = true;
            return Ok(false);
        };
        self.prepare(raw, shown, swapchain.extent())?;
        self.record(raw, image)?;
        self.submit(image, semaphore)?;
        let fits = self.swapchain.as_ref().map_or(Ok(false), |swapchain| swapchain.present(image))?;
        self.stale |= suboptimal || !fits;
        Ok(true)
    }

    fn prepare(&mut self, raw: vk::CommandBuffer, shown: &mut Shown<'_>, extent: vk::Extent2D) -> Result<()> {
        let Camera { position: at, yaw, pitch } = shown.camera;
        let status = Status {
            device: self.setting.device(),
            map: shown.map,
            frame: self.scene.report(),
            layers: self.scene.layers_line(),
            speed: shown.speed,
            camera: format!("{:.0},{:.0},{:.0},{yaw:.0},{pitch:.0}", at.x, at.y, at.z),
        };
        self.overlay.prepare(&self.window, shown.controls, &status)?;
        let controls = &*shown.controls;
        if self.scene.detail() != (controls.grid, controls.pixel_error) {
            self.scene.set_detail(controls.grid, controls.pixel_error)?;
        }
        if self.scene.is_frozen() != controls.freeze {
            self.scene.freeze(controls.freeze);
        }
        if let Some(mix) = &controls.mix {
            mix.apply(&mut self.scene.terrain)?;
        }
        let field = self.scene.terrain.field();
        let preview = controls.sun.preview(controls.mode, field);
        let view = shown.camera.view(field, shown.fov, (extent.width, extent.height), preview);
        self.scene.prepare(raw, &view, shown.seconds)
    }

    fn record(&mut self, raw: vk::CommandBuffer, image: usize) -> Result<()> {
        let Some(swapchain) = &mut self.swapchain else { return Ok(()) };
        let target = target_of(swapchain, self.samples);
        let device: Arc<Device> = self.scene.device().clone();
        // SAFETY: the command buffer was begun for this frame and is submitted before the next one.
        let cmd = unsafe { device.record(raw) };
        swapchain.begin(&cmd, image);
        self.scene.draw(raw, &target)?;
        swapchain.begin_overlay(&cmd, image);
        self.overlay.draw(&cmd, swapchain.extent())?;
        swapchain.end(&cmd);
        swapchain.finish(&cmd, image);
        Ok(())
    }

    fn submit(&mut self, image: usize, acquired: vk::Semaphore) -> Result<()> {
        let Some(swapchain) = &self.swapchain else { return Ok(()) };
        let (waits, signals) = ([acquired], [swapchain.drawn(image)]);
        let stages = [vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT];
        let info = vk::SubmitInfo::default()
            .wait_semaphores(&waits)
            .wait_dst_stage_mask(&stages)
            .signal_semaphores(&signals);
        self.frames.submit(info)?;
        self.slot = (self.slot + 1) % self.acquired.semaphores.len();
        self.window.pre_present_notify();
        Ok(())
    }

    /// Saves the view without the panel.
    pub(crate) fn picture(&mut self, shown: &Shown<'_>, path: &Path) -> Result<()> {
        let size = self.swapchain.as_ref().map_or(shown.size, |s| (s.extent().width, s.extent().height));
        if size.0 == 0 || size.1 == 0 {
            return Ok(());
        }
        let field = self.scene.terrain.field();
        let preview = shown.controls.sun.preview(shown.controls.mode, field);
        let view = shown.camera.view(field, shown.fov, size, preview);
        let samples = if self.samples == vk::SampleCountFlags::TYPE_4 { 4 } else { 1 };
        let gpu = self.gpu().clone();
        let (image, _) = self.scene.picture(&gpu, &view, samples)?;
        write_png(path, &image)?;
        say(format_args!("{}", path.display()));
        self.overlay.notify(format!("saved {}", path.display()));
        Ok(())
    }
}

/// Semaphores that acquired images signal.
struct Acquired {
    gpu: Arc<Gpu>,
    semaphores: Vec<vk::Semaphore>,
}

impl Acquired {
    fn new(gpu: &Arc<Gpu>) -> Result<Self> {
        let mut acquired = Self { gpu: gpu.clone(), semaphores: Vec::new() };
        for _ in 0..gpu.options().frames_in_flight {
            // SAFETY: the device is alive, and Drop destroys the semaphore.
            let made = unsafe { gpu.device.create_semaphore(&vk::SemaphoreCreateInfo::default(), None) };
            acquired.semaphores.push(made.map_err(Stop::call("vkCreateSemaphore"))?);
        }
        Ok(acquired)
    }
}

impl Drop for Acquired {
    fn drop(&mut self) {
        self.gpu.wait_idle();
        for semaphore in self.semaphores.drain(..) {
            // SAFETY: the device is idle, and each is destroyed once.
            unsafe { self.gpu.device.destroy_semaphore(semaphore, None) };
        }
    }
}

fn target_of(swapchain: &Swapchain, samples: vk::SampleCountFlags) -> Target {
    Target::dynamic(swapchain.format(), swapchain.depth_format(), samples)
}
