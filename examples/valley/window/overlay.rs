//! The panel over the picture: the frame's numbers, what can be changed, and the keys.

use super::frame_panel::{self, FrameControls, FrameStatus};
use super::keys::KEYS;
use super::mix::Mix;
use super::numbers;
use ash::vk;
use egui::{ClippedPrimitive, TextureId, ViewportId};
use egui_ash_renderer::allocator::DefaultAllocator;
use egui_ash_renderer::{DynamicRendering, Options, RenderMode, Renderer, RendererError};
use landform::gpu::Cmd;
use landform::lod::GridSize;
use landform::plan::ViewMode;
use landform_cli::report::FrameReport;
use landform_cli::stop::{Result, Stop};
use landform_harness::Gpu;
use std::sync::Arc;
use std::time::{Duration, Instant};
use winit::event::WindowEvent;
use winit::window::Window;

/// What a person can change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Controls {
    pub(crate) mode: ViewMode,
    pub(crate) frame: FrameControls,
    pub(crate) grid: GridSize,
    pub(crate) pixel_error: f64,
    /// How the layers blend, where there are some.
    pub(crate) mix: Option<Mix>,
    pub(crate) freeze: bool,
    /// True while the panel is shown.
    pub(crate) panel: bool,
}

impl Controls {
    /// True where the view is drawn in the lit frame. A diagnostic view is none of light, and what is frozen was planned by itself.
    pub(crate) fn shows_lit(&self) -> bool {
        self.frame.lit && self.mode == ViewMode::Shaded && !self.freeze
    }
}

/// What the panel says besides.
pub(crate) struct Status<'a> {
    pub(crate) device: &'a str,
    pub(crate) map: &'a str,
    pub(crate) numbers: FrameReport,
    pub(crate) frame: FrameStatus,
    /// How many layers there are, and what of their textures is not there.
    pub(crate) layers: Option<String>,
    /// Metres a second.
    pub(crate) speed: f64,
    pub(crate) camera: String,
}

/// egui, its renderer and what it is to draw this frame. Must go before its [`Gpu`], with the device idle.
pub(crate) struct Overlay {
    gpu: Arc<Gpu>,
    state: egui_winit::State,
    renderer: Renderer<DefaultAllocator>,
    pool: vk::CommandPool,
    primitives: Vec<ClippedPrimitive>,
    /// Textures that go once no frame uses them, with the frame that used them last.
    retired: Vec<(u64, TextureId)>,
    frame: u64,
    notice: Option<(Instant, String)>,
}

impl Overlay {
    pub(crate) fn new(gpu: &Arc<Gpu>, window: &Window, format: vk::Format) -> Result<Self> {
        let context = egui::Context::default();
        context.set_visuals(visuals());
        let scale = Some(window.scale_factor() as f32);
        let state = egui_winit::State::new(context, ViewportId::ROOT, window, scale, None, Some(4096));
        let srgb = matches!(format, vk::Format::B8G8R8A8_SRGB | vk::Format::R8G8B8A8_SRGB);
        let in_flight_frames = gpu.options().frames_in_flight as usize;
        let options = Options { in_flight_frames, srgb_framebuffer: srgb, ..Options::default() };
        let renderer = Renderer::with_default_allocator(
            &gpu.instance().raw,
            gpu.physical_device,
            gpu.device.clone(),
            RenderMode::DynamicRendering(DynamicRendering {
                color_attachment_format: format,
                depth_attachment_format: None,
                stencil_attachment_format: None,
            }),
            options,
        )
        .map_err(failed)?;
        let info = vk::CommandPoolCreateInfo::default()
            .queue_family_index(gpu.queue_family)
            .flags(vk::CommandPoolCreateFlags::TRANSIENT);
        // SAFETY: the device is alive, and the pool is destroyed in Drop.
        let pool = unsafe { gpu.device.create_command_pool(&info, None) };
        let pool = pool.map_err(Stop::call("vkCreateCommandPool"))?;
        let (primitives, retired) = (Vec::new(), Vec::new());
        Ok(Self { gpu: gpu.clone(), state, renderer, pool, primitives, retired, frame: 0, notice: None })
    }

    /// Hands an event to the panel. True where nothing else should react to it.
    pub(crate) fn takes(&mut self, window: &Window, event: &WindowEvent) -> bool {
        self.state.on_window_event(window, event).consumed
    }

    /// Shows a line for a few seconds.
    pub(crate) fn notify(&mut self, line: String) {
        self.notice = Some((Instant::now(), line));
    }

    /// Lays the panel out and makes its textures ready. Before the frame's rendering.
    pub(crate) fn prepare(
        &mut self,
        window: &Window,
        controls: &mut Controls,
        status: &Status<'_>,
    ) -> Result<()> {
        let input = self.state.take_egui_input(window);
        self.notice.take_if(|(since, _)| since.elapsed() > Duration::from_secs(4));
        let notice = self.notice.as_ref().map(|(_, line)| line.as_str());
        let context = self.state.egui_ctx().clone();
        let output = context.run_ui(input, |ui| {
            if controls.panel {
                panel(ui.ctx(), controls, status);
            }
            if let Some(notice) = notice {
                show_notice(ui.ctx(), notice);
            }
        });
        self.state.handle_platform_output(window, output.platform_output);
        self.primitives = context.tessellate(output.shapes, output.pixels_per_point);
        self.update_textures(output.textures_delta)
    }

    fn update_textures(&mut self, mut delta: egui::TexturesDelta) -> Result<()> {
        self.frame += 1;
        let done = self.frame.saturating_sub(u64::from(self.gpu.options().frames_in_flight));
        while let Some(index) = self.retired.iter().position(|(last, _)| *last < done) {
            self.renderer.free_texture(self.retired.swap_remove(index).1).map_err(failed)?;
        }
        if !delta.set.is_empty() {
            // A texture is replaced at once, whoever still draws with it. That is when the font's grows, so rarely.
            self.gpu.wait_idle();
        }
        for (id, images) in delta.set.drain() {
            for image in &images {
                let (renderer, pool) = (&mut self.renderer, self.pool);
                self.gpu.with_queue(|queue| renderer.set_texture(queue, pool, id, image)).map_err(failed)?;
            }
        }
        self.retired.extend(delta.free.drain().map(|id| (self.frame, id)));
        Ok(())
    }

    /// Draws the panel, inside a rendering scope of one sample without depth.
    pub(crate) fn draw(&mut self, cmd: &Cmd<'_>, extent: vk::Extent2D) -> Result<()> {
        let scale = self.state.egui_ctx().pixels_per_point();
        self.renderer.cmd_draw(cmd.raw(), extent, scale, &self.primitives).map_err(failed)
    }
}

impl Drop for Overlay {
    fn drop(&mut self) {
        self.gpu.wait_idle();
        // SAFETY: the device is idle and the pool is destroyed once.
        unsafe { self.gpu.device.destroy_command_pool(self.pool, None) };
    }
}

fn failed(error: RendererError) -> Stop {
    Stop::new(format!("the panel cannot be drawn: {error}"))
}

/// Light on dark, for a picture of any brightness behind it.
fn visuals() -> egui::Visuals {
    let mut visuals = egui::Visuals::dark();
    visuals.override_text_color = Some(egui::Color32::from_gray(235));
    visuals.weak_text_color = Some(egui::Color32::from_gray(170));
    visuals.window_fill = egui::Color32::from_black_alpha(215);
    visuals
}

fn panel(context: &egui::Context, controls: &mut Controls, status: &Status<'_>) {
    // What a small window has no room for is scrolled to. Below the title and above the edge there is this much.
    let room = (context.content_rect().height() - 70.0).max(40.0);
    let window = egui::Window::new("landform valley").default_pos([12.0, 12.0]).resizable(false);
    window.vscroll(true).default_height(room).max_height(room).show(context, |ui| {
        numbers(ui, status);
        ui.separator();
        settings(ui, controls);
        let open = |title| egui::CollapsingHeader::new(title).default_open(true);
        open("Light").show(ui, |ui| frame_panel::light(ui, &mut controls.frame, &status.frame));
        open("Frame").show(ui, |ui| frame_panel::frame(ui, &mut controls.frame, &status.frame));
        if let Some(mix) = &mut controls.mix {
            ui.collapsing("Layers", |ui| mixing(ui, mix));
        }
        ui.collapsing("Keys", |ui| {
            egui::Grid::new("keys").num_columns(2).show(ui, |ui| {
                for row in KEYS {
                    ui.strong(row.label);
                    ui.label(row.what);
                    ui.end_row();
                }
            });
        });
    });
}

fn numbers(ui: &mut egui::Ui, status: &Status<'_>) {
    egui::Grid::new("numbers").num_columns(2).show(ui, |ui| {
        let mut line = |name: &str, value: &str| {
            ui.weak(name);
            ui.monospace(value);
            ui.end_row();
        };
        line("device", status.device);
        line("map", status.map);
        for (name, value) in numbers::lines(&status.numbers) {
            line(name, &value);
        }
        status.layers.iter().for_each(|layers| line("layers", layers));
        line("camera", &status.camera);
        line("speed", &format!("{:.0} m/s", status.speed));
    });
}

fn settings(ui: &mut egui::Ui, controls: &mut Controls) {
    // Those of the ground's form, and those of its layers.
    for row in ViewMode::ALL.chunks(5) {
        ui.horizontal(|ui| {
            for mode in row {
                ui.selectable_value(&mut controls.mode, *mode, mode.name());
            }
        });
    }
    ui.horizontal(|ui| {
        ui.label("patch");
        for grid in GridSize::ALL {
            ui.selectable_value(&mut controls.grid, grid, format!("{0}×{0}", grid.quads()));
        }
    });
    // What --pixel-error stated stays, also beyond the slider's ends, until somebody moves it.
    let pixels = egui::Slider::new(&mut controls.pixel_error, 0.5..=16.0).logarithmic(true);
    ui.add(pixels.clamping(egui::SliderClamping::Edits).text("pixels a quad"));
    ui.checkbox(&mut controls.freeze, "freeze the selected nodes");
    if controls.freeze {
        ui.weak("What was selected where you were, with the detail it had there.");
    }
}

fn mixing(ui: &mut egui::Ui, mix: &mut Mix) {
    // What a file stated stays, also beyond a slider's ends, until somebody moves it.
    let slider = |value, range| egui::Slider::new(value, range).clamping(egui::SliderClamping::Edits);
    ui.add(slider(&mut mix.strength, 0.0..=1.0).text("blend by height"));
    ui.add(slider(&mut mix.sharpness, 1.0..=64.0).logarithmic(true).text("sharpness"));
    ui.add(slider(&mut mix.contrast, 0.0..=4.0).text("contrast"));
    ui.add(slider(&mut mix.bias, -0.5..=0.5).text("bias"));
    ui.add(slider(&mut mix.variation, 0.0..=1.0).text("variation"));
}

fn show_notice(context: &egui::Context, notice: &str) {
    let place = egui::Area::new("notice".into()).anchor(egui::Align2::CENTER_BOTTOM, [0.0, -24.0]);
    place.interactable(false).show(context, |ui| {
        egui::Frame::popup(ui.style()).show(ui, |ui| ui.label(notice));
    });
}
