//! Pictures instead of a window.

use crate::args::Args;
use crate::daylight::Daylight;
use crate::flight_path::FlightPath;
use crate::map::Map;
use crate::{record, viewpoint};
use landform::field::Field;
use landform::plan::ViewMode;
use landform_cli::camera::Camera;
use landform_cli::day::TimeOfDay;
use landform_cli::devices::expect_silence;
use landform_cli::lit::{FrameSource, LitFrame, LitShot, shadow_distance};
use landform_cli::report::{self, FrameReport, Setting};
use landform_cli::scene::Scene;
use landform_cli::stop::{Result, Stop, is_interrupted, say};
use landform_cli::{ground, read, unfinished};
use landform_harness::{Gpu, Image8, Offscreen, OffscreenDesc, write_png};
use serde_json::{Map as Object, Value};
use std::path::Path;
use std::sync::Arc;

/// Pixels that a quad may cover in a picture: nobody waits for the next one, so it is finer than in a window.
const PICTURE_ERROR: f64 = 1.0;

/// The overview at other times of day, and exposure values by which it is brighter than other pictures: the sun 4° up in the east,
/// in the south, and all but gone in the west. Where little but peaks is lit, they and the sky are what is exposed for.
const TIMES: [(&str, TimeOfDay, f32); 3] =
    [("dawn", TimeOfDay(5.05), -0.5), ("noon", TimeOfDay(12.0), 0.0), ("dusk", TimeOfDay(18.95), -0.5)];

/// Draws the one picture that was asked for, or several views into a folder.
pub(crate) fn run(args: &Args, map: Map) -> Result<()> {
    let folder = record::folder(args)?;
    let gpu = Gpu::new(args.device.gpu_options()).map_err(Stop::device)?;
    let drawn = Studio::new(args, &gpu, map).and_then(|mut studio| match (&args.shot, folder) {
        (_, Some(folder)) => studio.record(&folder),
        (Some(path), None) => studio.shot(path),
        (None, None) => studio.album(),
    });
    // What the layer said explains a failure.
    expect_silence(&gpu)?;
    drawn
}

struct Studio<'a> {
    args: &'a Args,
    gpu: &'a Arc<Gpu>,
    setting: Setting,
    samples: u32,
    /// None where nothing but previews is asked for. Goes before the scene.
    lit: Option<LitFrame>,
    scene: Scene,
}

/// A picture to draw.
#[derive(Clone, Copy)]
struct Shot {
    camera: Camera,
    mode: ViewMode,
    light: Daylight,
    /// Exposure values that it is brighter than others.
    compensation: f32,
}

impl<'a> Studio<'a> {
    fn new(args: &'a Args, gpu: &'a Arc<Gpu>, map: Map) -> Result<Self> {
        let setting = Setting::of(gpu, &map.field, &map.source);
        say(format_args!("Drawing with {}.", setting.device()));
        let mut scene = Scene::new(gpu, map.field)?;
        map.layers.map_or(Ok(()), |layers| scene.set_layers(layers))?;
        let error = args.pixel_error.unwrap_or(PICTURE_ERROR);
        scene.set_detail(scene.detail().0, error)?;
        let samples = args.look.samples_on(gpu.kind);
        let mut lit = None;
        if args.frame.is_lit(args.look.mode) {
            let read = args.shot.as_deref().is_some_and(is_exr);
            let source = args.frame.picture_source(gpu.kind, &args.look, args.recorded.record.is_some());
            let source = FrameSource { read, ..source };
            let document = source.read(shadow_distance(scene.lock().terrain.field()))?;
            let frame = lit.insert(LitFrame::new(&scene, source, document)?);
            frame.set_pixel_error(error);
            frame.set_things(args.things(scene.device(), scene.lock().terrain.field())?);
            frame.set_moon(Some(args.frame.moon));
            frame.show(args.frame.target.as_deref())?;
        }
        Ok(Self { args, gpu, setting, samples, lit, scene })
    }

    fn shot(&mut self, path: &Path) -> Result<()> {
        let (camera, depth) = self.on_map(|field, args| {
            let camera = match args.camera {
                Some(pose) => pose.on(field),
                None => viewpoint::overview(field, aspect(args), args.fov),
            };
            (camera, ground::height(field, camera.position.x, camera.position.z) - camera.position.y)
        });
        if depth > 0.0 {
            eprintln!("valley: the camera is {depth:.1} m below the ground, which is not drawn from below");
        }
        let args = self.args;
        let shot = Shot { camera, mode: args.look.mode, light: args.frame.daylight(), compensation: 0.0 };
        let report = self.draw(&shot, path)?;
        if let Some(json) = &self.args.json {
            report::write(json, &report)?;
            say(format_args!("{}", json.display()));
        }
        Ok(())
    }

    fn album(&mut self) -> Result<()> {
        let places = self.on_map(|field, args| {
            let (aspect, fov) = (aspect(args), args.fov);
            let overview = match args.camera {
                Some(pose) => pose.on(field),
                None => viewpoint::overview(field, aspect, fov),
            };
            let (floor, ridge) = (viewpoint::floor(field, aspect, fov), viewpoint::ridge(field, aspect, fov));
            [("overview", overview), ("floor", floor), ("ridge", ridge), ("above", viewpoint::above(field))]
        });
        let light = self.args.frame.daylight();
        let at = |camera| Shot { camera, mode: ViewMode::Shaded, light, compensation: 0.0 };
        let mut shots = places.map(|(name, camera)| (name, at(camera))).to_vec();
        let overview = shots[0].1;
        if self.lit.is_some() {
            shots.extend(TIMES.map(|(name, time, compensation)| {
                (name, Shot { light: Daylight::at(time), compensation, ..overview })
            }));
        }
        shots.push(("lambda", Shot { mode: ViewMode::Lambda, ..overview }));
        if !self.scene.lock().terrain.material().layers.is_empty() {
            shots.push(("layers", Shot { mode: ViewMode::Dominant, ..overview }));
        }
        let mut reports = Object::new();
        for (name, shot) in shots {
            let path = self.args.out.join(format!("{name}.png"));
            reports.insert(name.into(), self.draw(&shot, &path)?);
        }
        let json = self.args.json.clone().unwrap_or_else(|| self.args.out.join("report.json"));
        report::write(&json, &Value::Object(reports))?;
        say(format_args!("{}", json.display()));
        Ok(())
    }

    /// A flight from the first view to the floor and to a ridge.
    fn record(&mut self, folder: &Path) -> Result<()> {
        let (path, wanted) = self.on_map(|field, args| {
            let (aspect, fov) = (aspect(args), args.fov);
            let first = match args.camera {
                Some(pose) => pose.on(field),
                None => viewpoint::overview(field, aspect, fov),
            };
            let stops = [first, viewpoint::floor(field, aspect, fov), viewpoint::ridge(field, aspect, fov)];
            (FlightPath::through(field, &stops), args.recorded.frames())
        });
        let bar = read::new_bar();
        let mut drawn = 0;
        let recorded = self.frames(&path, &mut |frame, image| {
            write_png(record::file(folder, frame), image)?;
            drawn = frame + 1;
            bar.set_message(format!("picture {drawn} of {wanted}"));
            bar.set_position(u64::from(drawn) * 1000 / u64::from(wanted));
            Ok(())
        });
        bar.finish_and_clear();
        record::tell(folder, drawn, &self.args.recorded);
        let times = recorded?;
        let Some(json) = &self.args.json else { return Ok(()) };
        let mut report = self.setting.json(&path.at(0.0), self.args.size, &FrameReport::default());
        report["frames"] = drawn.into();
        report["fps"] = self.args.recorded.fps.into();
        report["gpu_ms"] = times.into();
        report::write(json, &report)
    }

    /// Draws a flight, a picture a frame, each handed on; milliseconds on the device of each, where they are measured.
    fn frames(
        &mut self,
        path: &FlightPath,
        take: &mut dyn FnMut(u32, &Image8) -> Result<()>,
    ) -> Result<Vec<Option<f64>>> {
        let (args, mut light, mut times) = (self.args, self.args.frame.daylight(), Vec::new());
        let (mode, seconds) = (args.look.mode, 1.0 / f64::from(args.recorded.fps));
        let desc = OffscreenDesc { depth: None, ..OffscreenDesc::new(args.size.0, args.size.1) };
        let mut offscreen = Offscreen::new(self.gpu, desc).map_err(Stop::device)?;
        let wanted = args.recorded.frames();
        for frame in 0..wanted {
            if is_interrupted() {
                return Err(Stop::interrupted());
            }
            let camera = path.at(f64::from(frame) / f64::from(wanted - 1));
            let preview = |field: &Field| light.sun.preview(mode, field);
            let view = self.on_map(|field, args| camera.view(field, args.fov, args.size, preview(field)));
            let image = match self.lit.as_mut().filter(|_| args.frame.is_lit(mode)) {
                Some(lit) => {
                    let compensation = args.frame.exposure;
                    let shot = LitShot { view: &view, sun: light.sun, compensation, seconds };
                    // The first one is as smooth as those after it.
                    for _ in 1..if frame == 0 { lit.frames_resolved() } else { 1 } {
                        lit.next_picture(self.gpu, &mut self.scene, &mut offscreen, &shot)?;
                    }
                    let image = lit.next_picture(self.gpu, &mut self.scene, &mut offscreen, &shot)?;
                    times.push(lit.total_ms());
                    image
                }
                None => self.scene.picture(self.gpu, &view, self.samples)?.0,
            };
            take(frame, &image)?;
            light.pass(seconds);
        }
        Ok(times)
    }

    fn draw(&mut self, shot: &Shot, path: &Path) -> Result<Value> {
        if is_interrupted() {
            return Err(Stop::interrupted());
        }
        let &Shot { camera, mode, light, .. } = shot;
        let view = self
            .on_map(|field, args| camera.view(field, args.fov, args.size, light.sun.preview(mode, field)));
        let lit = self.lit.as_mut().filter(|_| self.args.frame.is_lit(mode));
        let is_lit = lit.is_some();
        let frame = match lit {
            Some(frame) => {
                let compensation = self.args.frame.exposure + shot.compensation;
                let shot = LitShot { view: &view, sun: light.sun, compensation, seconds: 0.0 };
                if is_exr(path) {
                    let (luminance, report) = frame.luminance(self.gpu, &mut self.scene, &shot)?;
                    unfinished::complete(path, |part| luminance.write(part))?;
                    report
                } else {
                    let (image, report) = frame.picture(self.gpu, &mut self.scene, &shot)?;
                    write_png(path, &image)?;
                    report
                }
            }
            None if is_exr(path) => {
                let why =
                    "a preview has no luminance, so no EXR; leave out --preview and --mode, or name a .png";
                return Err(Stop::new(format!("{}: {why}", path.display())));
            }
            None => {
                let (image, report) = self.scene.picture(self.gpu, &view, self.samples)?;
                write_png(path, &image)?;
                report
            }
        };
        say(format_args!("{}", path.display()));
        let mut report = self.setting.json(&camera, self.args.size, &frame);
        report["samples"] = self.samples.into();
        light.add_to(&mut report);
        report["lit"] = is_lit.into();
        if let Some(frame) = self.lit.as_ref().filter(|_| is_lit) {
            frame.add_to(&mut report);
        }
        self.scene.report_layers(&mut report);
        Ok(report)
    }

    /// Asks the map.
    fn on_map<T>(&self, ask: impl FnOnce(&Field, &Args) -> T) -> T {
        ask(self.scene.lock().terrain.field(), self.args)
    }
}

fn aspect(args: &Args) -> f64 {
    f64::from(args.size.0) / f64::from(args.size.1)
}

/// Whether a picture is one of luminance.
fn is_exr(path: &Path) -> bool {
    path.extension().is_some_and(|end| end.eq_ignore_ascii_case("exr"))
}
