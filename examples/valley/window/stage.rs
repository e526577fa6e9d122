//! The window's frame: wait, acquire, prepare, draw, present.

use super::frame_panel::FrameStatus;
use super::overlay::{Controls, Overlay, Status};
use super::surface::Surface;
use super::swapchain::Swapchain;
use crate::args::Args;
use crate::map::Map;
use ash::vk;
use landform::draw::Target;
use landform::frame::FrameDocument;
use landform::gpu::Device;
use landform::plan::View;
use landform_cli::camera::Camera;
use landform_cli::lit::{LitFrame, LitShot, shadow_distance, unrecorded};
use landform_cli::report::{FrameReport, Setting};
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
    pub(crate) lit: LitFrame,
    /// True where the last frame was drawn in the lit frame: the other way of drawing begins anew.
    was_lit: bool,
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
        let format = surface.format()?.format;
        let mut scene = Scene::new(&gpu, map.field)?;
        map.layers.map_or(Ok(()), |layers| scene.set_layers(layers))?;
        let lit = lit_frame(args, &gpu, &mut scene, format)?;
        let samples = match args.look.samples_on(gpu.kind) {
            4.. => vk::SampleCountFlags::TYPE_4,
            _ => vk::SampleCountFlags::TYPE_1,
        };
        Ok(Self {
            overlay: Overlay::new(&gpu, &window, format)?,
            swapchain: None,
            lit,
            was_lit: false,
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
        let extent = swapchain.extent();
        self.lay_out(shown)?;
        let view = self.view(shown, (extent.width, extent.height));
        // Neither way of drawing knows what the other did.
        let is_lit = shown.controls.shows_lit();
        let view = View { cut: std::mem::replace(&mut self.was_lit, is_lit) != is_lit, ..view };
        if is_lit {
            self.record_lit(raw, image, &view, shown)?;
        } else {
            self.scene.prepare(raw, &view, shown.seconds)?;
            self.record_preview(raw, image)?;
        }
        self.submit(image, semaphore)?;
        let fits = self.swapchain.as_ref().map_or(Ok(false), |swapchain| swapchain.present(image))?;
        self.stale |= suboptimal || !fits;
        Ok(true)
    }

    /// Lays the panel out and does what was changed in it.
    fn lay_out(&mut self, shown: &mut Shown<'_>) -> Result<()> {
        let Camera { position: at, yaw, pitch } = shown.camera;
        let is_lit = shown.controls.shows_lit();
        let status = Status {
            device: self.setting.device(),
            map: shown.map,
            numbers: self.report(is_lit),
            frame: if is_lit { self.frame_status() } else { FrameStatus::default() },
            layers: self.scene.layers_line(),
            speed: shown.speed,
            camera: format!("{:.0},{:.0},{:.0},{yaw:.0},{pitch:.0}", at.x, at.y, at.z),
        };
        self.overlay.prepare(&self.window, shown.controls, &status)?;
        let controls = &mut *shown.controls;
        if self.scene.detail() != (controls.grid, controls.pixel_error) {
            self.scene.set_detail(controls.grid, controls.pixel_error)?;
        }
        self.lit.set_pixel_error(controls.pixel_error);
        // What is frozen is what a preview selected, so there has to be one.
        if self.scene.is_frozen() != controls.freeze && !(controls.freeze && self.was_lit) {
            self.scene.freeze(controls.freeze);
        }
        if let Some(mix) = &controls.mix {
            mix.apply(&mut self.scene.lock().terrain)?;
        }
        if std::mem::take(&mut controls.frame.reload) {
            self.reload(controls);
        }
        if let Some(node) = controls.frame.toggled.take() {
            self.lit.toggle(node);
        }
        self.lit.show_things(controls.frame.props);
        self.lit.show(controls.frame.shown.as_deref())
    }

    /// Reads the frame's document again. What is wrong with it is told, and the one that is there stays.
    fn reload(&mut self, controls: &mut Controls) {
        let gpu = self.gpu().clone();
        let Some(format) = self.swapchain.as_ref().map(Swapchain::format) else { return };
        let told = match self.lit.reload(&gpu, &mut self.scene, format) {
            Ok(()) => {
                let document = self.lit.document();
                controls.frame.shown.take_if(|name| document.target(name).is_none());
                tell_unrecorded(document);
                match &self.lit.source().file {
                    Some(file) => format!("read {}", file.display()),
                    None => "the frame is the standard one; --frame names a file".into(),
                }
            }
            Err(stop) => {
                eprintln!("valley: {stop}");
                stop.sentence
            }
        };
        self.overlay.notify(told);
    }

    fn frame_status(&self) -> FrameStatus {
        FrameStatus {
            nodes: Some(self.lit.nodes()),
            prepare_ms: self.lit.prepare_ms(),
            targets: self.targets(),
            ev100: self.lit.ev100(),
            preview_reason: self.lit.preview_reason().map(str::to_owned),
            has_file: self.lit.source().file.is_some(),
        }
    }

    /// The names of the frame's targets.
    pub(crate) fn targets(&self) -> Vec<String> {
        self.lit.document().targets.iter().map(|target| target.name.clone()).collect()
    }

    /// The numbers of the last frame of either way of drawing.
    pub(crate) fn report(&self, is_lit: bool) -> FrameReport {
        if is_lit { self.lit.report(&self.scene) } else { self.scene.report() }
    }

    fn view(&self, shown: &Shown<'_>, size: (u32, u32)) -> View {
        let ground = self.scene.lock();
        let field = ground.terrain.field();
        let preview = shown.controls.frame.light.sun.preview(shown.controls.mode, field);
        shown.camera.view(field, shown.fov, size, preview)
    }

    fn record_lit(
        &mut self,
        raw: vk::CommandBuffer,
        image: usize,
        view: &View,
        shown: &Shown<'_>,
    ) -> Result<()> {
        let Some(swapchain) = &self.swapchain else { return Ok(()) };
        self.lit.record(raw, &mut self.scene, swapchain.output(image), &lit_shot(view, shown))?;
        self.record_overlay(raw, image)
    }

    fn record_preview(&mut self, raw: vk::CommandBuffer, image: usize) -> Result<()> {
        let Some(swapchain) = &mut self.swapchain else { return Ok(()) };
        let target = target_of(swapchain, self.samples);
        let device: Arc<Device> = self.scene.device().clone();
        // SAFETY: the command buffer was begun for this frame and is submitted before the next one.
        let cmd = unsafe { device.record(raw) };
        swapchain.begin(&cmd, image);
        self.scene.draw(raw, &target)?;
        swapchain.end(&cmd);
        self.record_overlay(raw, image)
    }

    /// Draws the panel on top, and makes the image ready to be shown.
    fn record_overlay(&mut self, raw: vk::CommandBuffer, image: usize) -> Result<()> {
        let Some(swapchain) = &self.swapchain else { return Ok(()) };
        let device: Arc<Device> = self.scene.device().clone();
        // SAFETY: the command buffer was begun for this frame and is submitted before the next one.
        let cmd = unsafe { device.record(raw) };
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
        let view = self.view(shown, size);
        let gpu = self.gpu().clone();
        let (image, _) = if shown.controls.shows_lit() {
            self.lit.picture(&gpu, &mut self.scene, &lit_shot(&view, shown))?
        } else {
            let samples = if self.samples == vk::SampleCountFlags::TYPE_4 { 4 } else { 1 };
            self.scene.picture(&gpu, &view, samples)?
        };
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

/// The frame that the arguments ask for, its pipelines made. The scene gets the level of detail that both ways of drawing have.
fn lit_frame(args: &Args, gpu: &Arc<Gpu>, scene: &mut Scene, format: vk::Format) -> Result<LitFrame> {
    let source = args.frame.window_source(gpu.kind, &args.look);
    let pixel_error = args.pixel_error.unwrap_or(source.tier.numbers().pixel_error);
    scene.set_detail(scene.detail().0, pixel_error)?;
    let document = source.read(shadow_distance(scene.lock().terrain.field()))?;
    let mut frame = LitFrame::new(scene, source, document)?;
    frame.set_pixel_error(pixel_error);
    frame.set_moon(Some(args.frame.moon));
    frame.set_things(args.things(scene.device(), scene.lock().terrain.field())?);
    if args.frame.is_lit(args.look.mode) {
        frame.try_out(gpu, scene, format)?;
    }
    Ok(frame)
}

fn lit_shot<'a>(view: &'a View, shown: &Shown<'_>) -> LitShot<'a> {
    let frame = &shown.controls.frame;
    LitShot { view, sun: frame.light.sun, compensation: frame.compensation, seconds: shown.seconds }
}

fn tell_unrecorded(document: &FrameDocument) {
    unrecorded(document).iter().for_each(|note| eprintln!("valley: {note}"));
}

fn target_of(swapchain: &Swapchain, samples: vk::SampleCountFlags) -> Target {
    Target::dynamic(swapchain.format(), swapchain.depth_format(), samples)
}
