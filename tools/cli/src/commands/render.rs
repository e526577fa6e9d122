//! `landform render`: a picture of a map.

use super::{info, warn};
use clap::{Args, ValueHint};
use landform::field::Field;
use landform::import::ImportReport;
use landform::plan::{Preview, View};
use landform::splat::RuleMaps;
use landform_cli::camera::{Camera, Pose, Sun};
use landform_cli::devices::{self, DeviceArgs};
use landform_cli::layers::Layers;
use landform_cli::overview::{self, TopDown};
use landform_cli::parse::{fov, pixels};
use landform_cli::report::{self, FrameReport, Setting};
use landform_cli::scene::{Background, Scene};
use landform_cli::stop::{Result, Stop, say};
use landform_cli::{ImportArgs, LayerArgs, LookArgs, ground, read, unfinished};
use landform_harness::{Gpu, Image8, write_png};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr;
use std::sync::Arc;

/// Draws a map into a PNG, with Vulkan and without a window
///
/// Without --camera and --top-down the whole map is seen from above its south-south-eastern rim. Heights are true to scale
/// always; the light is lower over a flat map than over a steep one. Holes are seen through.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  landform render N27E086.hgt -o everest.png
  landform render heights.r16 --raw-size 1025x513 --spacing 2 --range 0,600 --top-down -o map.png
  landform render valley -o view.png --camera 2000,+80,3000,15,-5 --size 1920x1080 --json view.json
  landform render valley -o view.png --layers ground/ground.ron --weights splat.png
  landform render valley -o view.png --layers ground/ground.ron --ids control.png --holes control.png#a --invert-holes")]
pub(crate) struct Render {
    /// The heightmap, or a terrain folder
    #[arg(value_hint = ValueHint::AnyPath)]
    file: PathBuf,
    /// The PNG to write; one that is there already is replaced
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: PathBuf,
    /// Writes what was drawn as JSON: size, camera, device, draws, nodes (patches), triangles, milliseconds on the device
    /// where it measures them, layers with their slots and what is wrong with their textures, and the report of the import
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    json: Option<PathBuf>,

    /// Where the camera is and looks: metres east, up and south of the map's north-west corner at height 0, degrees
    /// clockwise from north, degrees above the horizon. A `+` before the height measures it from the ground
    #[arg(long, value_name = "X,Y,Z,YAW,PITCH", value_parser = Pose::from_str, allow_hyphen_values = true,
        help_heading = "View")]
    camera: Option<Pose>,
    /// Looks straight down at the whole map, north up, without perspective and without a sky
    #[arg(long, conflicts_with = "camera", help_heading = "View")]
    top_down: bool,
    /// Pixels of the picture [default: 1280x720; with --top-down the map's shape, 1024 on its longer side]
    #[arg(long, value_name = "WxH", value_parser = pixels, help_heading = "View")]
    size: Option<(u32, u32)>,
    /// Where the sun stands: degrees clockwise from north, and degrees above the horizon [default: beside the view, and
    /// as low as the map's slopes ask for]
    #[arg(long, value_name = "YAW,HEIGHT", value_parser = Sun::from_str, allow_hyphen_values = true, help_heading = "View")]
    sun: Option<Sun>,
    /// Vertical field of view in degrees, 1 to 150 [default: 55 with --camera, 28 for the whole map]
    #[arg(long, value_name = "DEGREES", value_parser = fov, conflicts_with = "top_down", help_heading = "View")]
    fov: Option<f64>,
    #[command(flatten)]
    look: LookArgs,
    /// Pixels that a quad of the finest level may cover before the next level takes over
    #[arg(long, value_name = "PIXELS", default_value_t = 1.0, help_heading = "View")]
    pixel_error: f64,

    #[command(flatten)]
    layers: LayerArgs,
    #[command(flatten)]
    device: DeviceArgs,
    #[command(flatten)]
    import: ImportArgs,
}

/// Longer side of a picture straight down for which no size is stated.
const LONGEST: u32 = 1024;
/// What is around a map that is seen straight down, linear RGB: a blue that no ground has.
const AROUND: [f32; 3] = [0.030, 0.050, 0.105];

/// Degrees of a lens for a camera that is stated.
const FOV: f64 = 55.0;

/// What is drawn, and from where.
struct Shot {
    view: View,
    camera: Camera,
    sun: Sun,
    /// Degrees of the vertical field of view, in perspective.
    fov: Option<f64>,
    /// Metres that a pixel spans, where that is the same all over the picture.
    pixel: Option<f64>,
}

impl Render {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        // A map may take long to read: what is missing is said before.
        devices::check(&self.device.gpu_options())?;
        let layers = self.layers.read()?;
        let (mut field, report) = read::heightmap(&self.file, &self.import.options())?.into_field()?;
        warn(&report);
        match &layers {
            Some(layers) => self.layers.lay(&mut field, &layers.material, &RuleMaps::default())?,
            None => self.layers.open_holes(&mut field)?,
        }
        let gpu = Gpu::new(self.device.gpu_options()).map_err(Stop::device)?;
        let drawn = self.draw(&gpu, field, layers, &report);
        // What the layer said explains a failure.
        devices::expect_silence(&gpu)?;
        let (image, report) = drawn?;
        unfinished::complete(&self.output, |part| Ok(write_png(part, &image)?))?;
        say(self.output.display());
        if let Some(json) = &self.json {
            unfinished::complete(json, |part| report::write(part, &report))?;
            say(json.display());
        }
        Ok(ExitCode::SUCCESS)
    }

    fn draw(
        &self,
        gpu: &Arc<Gpu>,
        field: Field,
        layers: Option<Layers>,
        report: &ImportReport,
    ) -> Result<(Image8, Value)> {
        let setting = Setting::of(gpu, &field, &self.file.to_string_lossy());
        let mut scene = Scene::new(gpu, field)?;
        layers.map_or(Ok(()), |layers| scene.set_layers(layers))?;
        scene.set_detail(scene.detail().0, self.pixel_error)?;
        let (size, shot) = {
            let ground = scene.lock();
            let size = self.size(ground.terrain.field());
            (size, self.shot(ground.terrain.field(), size))
        };
        if self.top_down {
            scene.background = Background::Plain(AROUND);
        }
        let samples = self.look.samples_on(gpu.kind);
        let (image, frame) = scene.picture(gpu, &shot.view, samples)?;
        let mut drawn = self.report(&setting, size, &shot, &frame, report)?;
        drawn["samples"] = samples.into();
        scene.report_layers(&mut drawn);
        Ok((image, drawn))
    }

    fn size(&self, field: &Field) -> (u32, u32) {
        self.size.unwrap_or_else(|| if self.top_down { TopDown::size(field, LONGEST) } else { (1280, 720) })
    }

    fn shot(&self, field: &Field, size: (u32, u32)) -> Shot {
        let sun = self.sun.unwrap_or_else(|| overview::sun(field, self.top_down));
        let preview = sun.preview(self.look.mode, field);
        if self.top_down {
            let top_down = TopDown::of(field, size);
            let (view, pixel) = (top_down.view(size, preview), Some(top_down.pixel));
            return Shot { view, camera: top_down.camera, sun, fov: None, pixel };
        }
        let fov = self.fov.unwrap_or(if self.camera.is_some() { FOV } else { overview::FOV });
        let aspect = f64::from(size.0) / f64::from(size.1);
        let (camera, preview) = match self.camera {
            Some(pose) => (pose.on(field), preview),
            None => {
                let camera = overview::from_the_rim(field, aspect, fov);
                (camera, Preview { haze: overview::haze(field, &camera), ..preview })
            }
        };
        let depth = ground::height(field, camera.position.x, camera.position.z) - camera.position.y;
        if depth > 0.0 {
            eprintln!(
                "landform: WARNING: the camera is {depth:.1} m below the ground, which is not drawn from below"
            );
        }
        Shot { view: camera.view(field, fov, size, preview), camera, sun, fov: Some(fov), pixel: None }
    }

    fn report(
        &self,
        setting: &Setting,
        size: (u32, u32),
        shot: &Shot,
        frame: &FrameReport,
        import: &ImportReport,
    ) -> Result<Value> {
        let mut report = setting.json(&shot.camera, size, frame);
        report["projection"] = if self.top_down { "orthographic" } else { "perspective" }.into();
        report["fov"] = shot.fov.into();
        report["metres_a_pixel"] = shot.pixel.into();
        report["sun"] = json!([shot.sun.yaw, shot.sun.height]);
        report["mode"] = self.look.mode.name().into();
        report["import"] = info::json(serde_json::to_value(import))?;
        Ok(report)
    }
}
