//! The window: a camera that flies, and a panel of numbers.

mod frame_panel;
mod keys;
mod mix;
mod numbers;
mod overlay;
mod script;
mod stage;
mod surface;
mod swapchain;

use crate::args::Args;
use crate::flight::{self, Thrust};
use crate::map::Map;
use crate::viewpoint;
use frame_panel::{FrameControls, next_target};
use keys::Action;
use landform_cli::camera::Camera;
use landform_cli::devices::expect_silence;
use landform_cli::stop::{Result, Stop, is_interrupted, say};
use landform_cli::{ground, report};
use mix::Mix;
use overlay::Controls;
use script::{Command, Script};
use stage::{Shown, Stage};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use winit::application::ApplicationHandler;
use winit::dpi::PhysicalSize;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop};
use winit::keyboard::PhysicalKey;
use winit::window::{Fullscreen, Window, WindowId};

/// Shows the map until the window is closed.
pub(crate) fn run(args: &Args, map: Map, events: EventLoop<()>) -> Result<()> {
    let script = Script::parse(args.script.as_deref().unwrap_or_default())?;
    let mut app = App { args, script, map: Some(map), running: None, outcome: Ok(()) };
    let ended = events.run_app(&mut app);
    let gpu = app.running.as_ref().map(|running| running.stage.gpu().clone());
    let outcome = std::mem::replace(&mut app.outcome, Ok(()));
    // Everything that was made from the device goes before it is asked what the validation layer said.
    drop(app);
    gpu.map_or(Ok(()), |gpu| expect_silence(&gpu))?;
    outcome?;
    ended.map_err(|error| Stop::new(format!("the window system ended the program: {error}")))
}

struct App<'a> {
    args: &'a Args,
    script: Script,
    /// Until the window is there.
    map: Option<Map>,
    running: Option<Running>,
    outcome: Result<()>,
}

/// What there is once the window is there.
struct Running {
    stage: Stage,
    source: String,
    home: Camera,
    camera: Camera,
    fov: f64,
    controls: Controls,
    speed: f64,
    held: Vec<Action>,
    /// Where the mouse was while a button is down.
    drag: Option<(f64, f64)>,
    cursor: (f64, f64),
    /// A size that a script states in place of the window's.
    stated: Option<(u32, u32)>,
    frame: u64,
    last: Instant,
    out: PathBuf,
}

impl ApplicationHandler for App<'_> {
    fn resumed(&mut self, events: &ActiveEventLoop) {
        let Some(map) = self.map.take() else { return };
        match Running::new(self.args, map, events) {
            Ok(running) => self.running = Some(running),
            Err(stop) => self.end(events, Err(stop)),
        }
    }

    fn window_event(&mut self, events: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        let Some(running) = &mut self.running else { return };
        if event == WindowEvent::RedrawRequested {
            return match running.tick(&mut self.script) {
                Err(stop) => self.end(events, Err(stop)),
                Ok(false) => self.end(events, Ok(())),
                Ok(true) if self.args.frames.is_some_and(|frames| running.frame >= frames) => {
                    self.end(events, Ok(()))
                }
                Ok(true) => {}
            };
        }
        if event == WindowEvent::CloseRequested || !running.react(event) {
            self.end(events, Ok(()));
        }
    }

    fn about_to_wait(&mut self, events: &ActiveEventLoop) {
        let Some(running) = &self.running else { return };
        let (width, height) = running.size();
        // Without an area no presentation slows the loop down.
        let pause = Duration::from_millis(if width == 0 || height == 0 { 15 } else { 0 });
        events.set_control_flow(ControlFlow::WaitUntil(Instant::now() + pause));
        running.stage.window.request_redraw();
    }
}

impl App<'_> {
    fn end(&mut self, events: &ActiveEventLoop, outcome: Result<()>) {
        if let (Ok(()), Some(running), Some(json)) = (&outcome, &self.running, &self.args.json) {
            self.outcome = report::write(json, &running.report());
        } else {
            self.outcome = outcome;
        }
        events.exit();
    }
}

impl Running {
    fn new(args: &Args, map: Map, events: &ActiveEventLoop) -> Result<Self> {
        let size = PhysicalSize::new(args.size.0, args.size.1);
        let attributes = Window::default_attributes().with_title("landform valley").with_inner_size(size);
        let window = events.create_window(attributes);
        let window = window.map_err(|error| Stop::new(format!("no window can be opened: {error}")))?;
        let aspect = f64::from(args.size.0) / f64::from(args.size.1);
        let mut home = match args.camera {
            Some(pose) => pose.on(&map.field),
            None => viewpoint::overview(&map.field, aspect, args.fov),
        };
        home.position = ground::keep_above(&map.field, home.position);
        let speed = ground::extent(&map.field).max_element() / 50.0;
        let source = file_name(&map.source);
        let stage = Stage::new(args, window, map)?;
        say(format_args!("Drawing with {}.", stage.setting.device()));
        let controls = controls(args, &stage);
        Ok(Self {
            stage,
            source,
            home,
            camera: home,
            fov: args.fov,
            controls,
            speed,
            held: Vec::new(),
            drag: None,
            cursor: (0.0, 0.0),
            stated: None,
            frame: 0,
            last: Instant::now(),
            out: args.out.clone(),
        })
    }

    /// The window's area in pixels.
    fn size(&self) -> (u32, u32) {
        self.stated.unwrap_or_else(|| self.stage.window.inner_size().into())
    }

    /// Does what the script says, moves, draws. False where the program is to end.
    fn tick(&mut self, script: &mut Script) -> Result<bool> {
        if is_interrupted() {
            return Err(Stop::interrupted());
        }
        while let Some(command) = script.due(self.frame) {
            if !self.obey(command)? {
                return Ok(false);
            }
        }
        // After a pause the flight goes on where it was.
        let seconds = self.last.elapsed().as_secs_f64().min(0.1);
        self.last = Instant::now();
        self.fly(seconds);
        self.with_shown(seconds, |stage, shown| stage.frame(shown))?;
        self.frame += 1;
        Ok(true)
    }

    fn with_shown<T>(&mut self, seconds: f64, act: impl FnOnce(&mut Stage, &mut Shown<'_>) -> T) -> T {
        let size = self.size();
        let mut shown = Shown {
            camera: self.camera,
            fov: self.fov,
            controls: &mut self.controls,
            speed: self.speed,
            map: &self.source,
            seconds,
            size,
        };
        act(&mut self.stage, &mut shown)
    }

    fn obey(&mut self, command: Command) -> Result<bool> {
        match command {
            Command::Resize(width, height) if width == 0 || height == 0 => {
                self.stated = Some((width, height))
            }
            Command::Resize(width, height) => {
                self.stated = None;
                // Where the answer is not at once, an event says when it is done.
                let _ = self.stage.window.request_inner_size(PhysicalSize::new(width, height));
                self.stage.resized();
            }
            Command::Minimise => self.stage.window.set_minimized(true),
            Command::Restore => self.stage.window.set_minimized(false),
            Command::Key(action) => return Ok(self.act(action)),
            Command::Node(number) => self.controls.frame.toggled = Some(number - 1),
            Command::Picture(path) => self.picture(&path)?,
            Command::Lose => self.stage.gpu().lose(),
            Command::Wait(_) => {}
            Command::Quit => return Ok(false),
        }
        Ok(true)
    }

    fn fly(&mut self, seconds: f64) {
        let push = |more: Action, less: Action| {
            let held = |action| f64::from(u8::from(self.held.contains(&action)));
            held(more) - held(less)
        };
        let thrust = Thrust {
            right: push(Action::Right, Action::Left),
            up: push(Action::Up, Action::Down),
            ahead: push(Action::Ahead, Action::Back),
        };
        let speed = self.speed * if self.held.contains(&Action::Fast) { 5.0 } else { 1.0 };
        let light = &mut self.controls.frame.light;
        light.pass(seconds);
        let (hours, degrees) = (push(Action::Later, Action::Earlier), push(Action::SunUp, Action::SunDown));
        // A day is ten seconds, and the sky from the horizon to its zenith four.
        if hours != 0.0 {
            light.set_time(light.time.later(2.4 * hours * seconds));
        }
        if degrees != 0.0 {
            light.sun.raise(22.0 * degrees * seconds);
        }
        let ground = self.stage.scene.lock();
        flight::fly(&mut self.camera, thrust, speed, seconds, ground.terrain.field());
    }

    /// Reacts to an event. False where the program is to end.
    fn react(&mut self, event: WindowEvent) -> bool {
        let taken = self.stage.overlay.takes(&self.stage.window, &event);
        match event {
            WindowEvent::Resized(_) | WindowEvent::ScaleFactorChanged { .. } => self.stage.resized(),
            WindowEvent::Focused(false) => {
                // Keys that are let go elsewhere are not heard of.
                self.held.clear();
                self.drag = None;
            }
            WindowEvent::KeyboardInput { event, .. } => {
                let PhysicalKey::Code(code) = event.physical_key else { return true };
                let Some(action) = keys::action(code) else { return true };
                self.held.retain(|held| *held != action);
                if event.state == ElementState::Pressed && !taken {
                    self.held.push(action);
                    if !event.repeat {
                        return self.act(action);
                    }
                }
            }
            WindowEvent::MouseInput { state, button: MouseButton::Left | MouseButton::Right, .. } => {
                self.drag = (state == ElementState::Pressed && !taken).then_some(self.cursor);
            }
            WindowEvent::CursorMoved { position, .. } => {
                self.cursor = (position.x, position.y);
                if let Some((x, y)) = self.drag.filter(|_| !taken) {
                    // The ground follows the mouse: a window's height is the field of view.
                    let degrees = self.fov / f64::from(self.size().1.max(1));
                    flight::turn(&mut self.camera, (x - position.x) * degrees, (position.y - y) * degrees);
                    self.drag = Some(self.cursor);
                }
            }
            WindowEvent::MouseWheel { delta, .. } if !taken => {
                let notches = match delta {
                    MouseScrollDelta::LineDelta(_, lines) => f64::from(lines),
                    MouseScrollDelta::PixelDelta(pixels) => pixels.y / 40.0,
                };
                self.speed = (self.speed * 1.2f64.powf(notches)).clamp(0.5, 1e5);
            }
            _ => {}
        }
        true
    }

    /// Does what a key does once. False where the program is to end.
    fn act(&mut self, action: Action) -> bool {
        match action {
            Action::NextMode => {
                let all = landform::plan::ViewMode::ALL;
                let now = all.iter().position(|mode| *mode == self.controls.mode).unwrap_or(0);
                self.controls.mode = all[(now + 1) % all.len()];
            }
            Action::Lit => self.controls.frame.lit = !self.controls.frame.lit,
            Action::NextTarget => {
                let shown = &mut self.controls.frame.shown;
                *shown = next_target(shown.as_deref(), &self.stage.targets());
            }
            Action::Props => self.controls.frame.props = !self.controls.frame.props,
            Action::Reload => self.controls.frame.reload = true,
            Action::Freeze => self.controls.freeze = !self.controls.freeze,
            Action::Overlay => self.controls.panel = !self.controls.panel,
            Action::Home => self.camera = self.home,
            Action::Picture => {
                let path = unused(&self.out);
                // A full disk ends no flight; a device that is lost ends the next frame.
                if let Err(stop) = self.picture(&path) {
                    eprintln!("valley: {stop}");
                    self.stage.overlay.notify(stop.sentence);
                }
            }
            Action::FullScreen => {
                let window = &self.stage.window;
                let full = window.fullscreen().is_none().then_some(Fullscreen::Borderless(None));
                window.set_fullscreen(full);
            }
            Action::Quit => return false,
            _ => {}
        }
        true
    }

    fn picture(&mut self, path: &Path) -> Result<()> {
        self.with_shown(0.0, |stage, shown| stage.picture(shown, path))
    }

    fn report(&self) -> serde_json::Value {
        let is_lit = self.controls.shows_lit();
        let frame = self.stage.report(is_lit);
        let mut report = self.stage.setting.json(&self.camera, self.size(), &frame);
        self.controls.frame.light.add_to(&mut report);
        report["lit"] = is_lit.into();
        if is_lit {
            self.stage.lit.add_to(&mut report);
        }
        self.stage.scene.report_layers(&mut report);
        report
    }
}

/// What the arguments ask for, before anybody changes it.
fn controls(args: &Args, stage: &Stage) -> Controls {
    let (grid, pixel_error) = stage.scene.detail();
    let frame = FrameControls {
        lit: !args.frame.preview,
        light: args.frame.daylight(),
        compensation: args.frame.exposure,
        shown: args.frame.target.clone(),
        toggled: None,
        props: true,
        reload: false,
    };
    let mix = Mix::of(stage.scene.lock().terrain.material());
    Controls { mode: args.look.mode, frame, grid, pixel_error, mix, freeze: false, panel: true }
}

/// What the panel has room for.
fn file_name(source: &str) -> String {
    let name = Path::new(source).file_name().map_or_else(|| source.into(), |name| name.to_string_lossy());
    if name.chars().count() < 36 { name.into_owned() } else { name.chars().take(35).chain(['…']).collect() }
}

/// The first name for a picture that no file has.
fn unused(folder: &Path) -> PathBuf {
    let named = |number: u32| folder.join(format!("picture-{number:03}.png"));
    (1..).map(named).find(|path| !path.exists()).unwrap_or_else(|| named(0))
}
