//! Pictures instead of a window.

use crate::args::Args;
use crate::map::Map;
use crate::viewpoint;
use landform::plan::ViewMode;
use landform_cli::camera::{Camera, Sun};
use landform_cli::devices::expect_silence;
use landform_cli::ground;
use landform_cli::report::{self, Setting};
use landform_cli::scene::Scene;
use landform_cli::stop::{Result, Stop, is_interrupted, say};
use landform_harness::{Gpu, write_png};
use serde_json::{Map as Object, Value};
use std::path::Path;
use std::sync::Arc;

/// Pixels that a quad may cover in a picture: nobody waits for the next one, so it is finer than in a window.
const PICTURE_ERROR: f64 = 1.0;

/// Draws the one picture that was asked for, or several views into a folder.
pub(crate) fn run(args: &Args, map: Map) -> Result<()> {
    let gpu = Gpu::new(args.device.gpu_options()).map_err(Stop::device)?;
    let drawn = Studio::new(args, &gpu, map).and_then(|mut studio| match &args.shot {
        Some(path) => studio.shot(path),
        None => studio.album(),
    });
    // What the layer said explains a failure.
    expect_silence(&gpu)?;
    drawn
}

struct Studio<'a> {
    args: &'a Args,
    gpu: &'a Arc<Gpu>,
    setting: Setting,
    scene: Scene,
}

impl<'a> Studio<'a> {
    fn new(args: &'a Args, gpu: &'a Arc<Gpu>, map: Map) -> Result<Self> {
        let setting = Setting::of(gpu, &map.field, &map.source);
        say(format_args!("Drawing with {}.", setting.device()));
        let mut scene = Scene::new(gpu, map.field)?;
        map.layers.map_or(Ok(()), |layers| scene.set_layers(layers))?;
        scene.set_detail(scene.detail().0, args.pixel_error.unwrap_or(PICTURE_ERROR))?;
        Ok(Self { args, gpu, setting, scene })
    }

    fn shot(&mut self, path: &Path) -> Result<()> {
        let field = self.scene.terrain.field();
        let camera = match self.args.camera {
            Some(pose) => pose.on(field),
            None => viewpoint::overview(field, self.aspect(), self.args.fov),
        };
        let depth = ground::height(field, camera.position.x, camera.position.z) - camera.position.y;
        if depth > 0.0 {
            eprintln!("valley: the camera is {depth:.1} m below the ground, which is not drawn from below");
        }
        let report = self.draw(&camera, self.args.look.mode, path)?;
        if let Some(json) = &self.args.json {
            report::write(json, &report)?;
            say(format_args!("{}", json.display()));
        }
        Ok(())
    }

    fn album(&mut self) -> Result<()> {
        let field = self.scene.terrain.field();
        let (aspect, fov) = (self.aspect(), self.args.fov);
        let overview = match self.args.camera {
            Some(pose) => pose.on(field),
            None => viewpoint::overview(field, aspect, fov),
        };
        let views = [
            ("overview", overview, ViewMode::Shaded),
            ("floor", viewpoint::floor(field, aspect, fov), ViewMode::Shaded),
            ("ridge", viewpoint::ridge(field, aspect, fov), ViewMode::Shaded),
            ("above", viewpoint::above(field), ViewMode::Shaded),
            ("lambda", overview, ViewMode::Lambda),
            ("layers", overview, ViewMode::Dominant),
        ];
        let bare = self.scene.terrain.material().layers.is_empty();
        let mut reports = Object::new();
        for (name, camera, mode) in views {
            if bare && mode == ViewMode::Dominant {
                continue;
            }
            let path = self.args.out.join(format!("{name}.png"));
            reports.insert(name.into(), self.draw(&camera, mode, &path)?);
        }
        let json = self.args.json.clone().unwrap_or_else(|| self.args.out.join("report.json"));
        report::write(&json, &Value::Object(reports))?;
        say(format_args!("{}", json.display()));
        Ok(())
    }

    fn draw(&mut self, camera: &Camera, mode: ViewMode, path: &Path) -> Result<Value> {
        if is_interrupted() {
            return Err(Stop::interrupted());
        }
        let field = self.scene.terrain.field();
        let preview = Sun::default().preview(mode, field);
        let view = camera.view(field, self.args.fov, self.args.size, preview);
        let samples = self.args.look.samples_on(self.gpu.kind);
        let (image, report) = self.scene.picture(self.gpu, &view, samples)?;
        write_png(path, &image)?;
        say(format_args!("{}", path.display()));
        let mut report = self.setting.json(camera, self.args.size, &report);
        report["samples"] = samples.into();
        self.scene.report_layers(&mut report);
        Ok(report)
    }

    fn aspect(&self) -> f64 {
        f64::from(self.args.size.0) / f64::from(self.args.size.1)
    }
}
