//! A minimal engine that landform draws in: its own device, its own memory, its own classic render pass with four samples
//! a pixel, two frames in flight, no window. It flies over generated hills, digs a crater on the way, and writes the last
//! frame as a picture.
//!
//! `host [FILE.png]`, by default `out/host.png`. Read [`draw`] first: it is all that an engine does to have a terrain.

mod engine;
mod ground;
mod memory;
mod target;

use engine::{Engine, FRAMES_IN_FLIGHT};
use glam::DVec3;
use landform::draw::{Renderer, Target};
use landform::gpu::Device;
use landform::plan::{FramePlan, Terrain, TerrainSettings, View, Viewport};
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use target::Frame;

const WIDTH: u32 = 960;
const HEIGHT: u32 = 540;
const FRAMES: u32 = 24;
/// The frame that the crater is dug in.
const DIG: u32 = 12;

fn main() -> ExitCode {
    let path = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("out/host.png"), PathBuf::from);
    match run(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("host: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(path: &Path) -> Result<()> {
    let mut engine = Engine::new()?;
    println!("{}, {} frames in flight", engine.name, FRAMES_IN_FLIGHT);
    let pixels = draw(&mut engine)?;
    write_png(path, &pixels)?;
    println!("{}", path.display());
    Ok(())
}

/// Draws all frames and returns the pixels of the last one.
fn draw(engine: &mut Engine) -> Result<Vec<u8>> {
    // SAFETY: the engine's handles are valid, and what it says about its version and features is what it was made with.
    // They outlive everything that is made here, and `engine.begin` waits for the fence of the frame before last. Where
    // this function ends the device is idle, see `_idle`.
    let device = unsafe { Device::new(engine.host()) }?;
    let mut terrain = Terrain::new(ground::hills()?, TerrainSettings::default())?;
    let mut renderer = Renderer::new(&device, terrain.field().desc())?;
    let frame = Frame::new(engine, WIDTH, HEIGHT)?;
    let target = Target::render_pass(frame.render_pass(), 0, target::COLOR, target::SAMPLES);
    // Declared last, so dropped first: nothing above is destroyed while the device uses it.
    let _idle = engine.idle_when_dropped();

    // Used again by every frame: a steady one allocates nothing.
    let mut plan = FramePlan::empty(terrain.field().desc());
    for number in 0..FRAMES {
        if number == DIG {
            ground::dig(terrain.field_mut());
        }
        let raw = engine.begin()?;
        device.begin_frame();
        terrain.begin_frame(1.0 / 60.0);
        terrain.plan_into(&mut plan, &[camera(number)], renderer.residency())?;
        // SAFETY: the engine began this command buffer, hands it to nobody else, and submits it before the next frame.
        // `upload` is outside of the render pass and the draws are inside of it, as they ask for.
        let cmd = unsafe { device.record(raw) };
        renderer.upload(&cmd, &plan)?;
        frame.begin(raw);
        renderer.draw(&cmd, &plan.views[0], &target)?;
        renderer.draw_sky(&cmd, &plan.views[0], &target)?;
        frame.end(raw);
        if number + 1 == FRAMES {
            frame.copy_out(raw);
        }
        engine.submit(raw)?;

        if !plan.uploads.is_empty() {
            let (stale, tiles) = (plan.uploads.len(), terrain.field().desc().tile_count());
            println!("frame {number}: uploads {stale} of {tiles} tiles, {} bytes", plan.upload_bytes());
        }
    }
    let (view, drawn) = (&plan.views[0], renderer.stats());
    println!(
        "frame {}: uploads nothing, draws {} patches, {} triangles; level 0 reaches {:.0} m",
        FRAMES - 1,
        drawn.patches,
        view.triangles(),
        view.near
    );
    engine.wait()?;
    let budget = device.memory_budget();
    println!("{} MiB of device memory, of {} MiB", budget.used >> 20, budget.limit >> 20);
    frame.read()
}

/// A flight northward over the south edge of the map. World metres in f64, as an engine that is far from its origin needs
/// them; what reaches the device is relative to the camera.
fn camera(number: u32) -> View {
    let along = f64::from(number) / f64::from(FRAMES - 1);
    let position = DVec3::new(760.0 + 60.0 * along, 425.0 - 30.0 * along, 2010.0 - 150.0 * along);
    let rotation = View::looking((-6.0 + 9.0 * along as f32).to_radians(), -16f32.to_radians());
    let view = View::perspective(position, rotation, 55f32.to_radians(), 0.5, Viewport::whole(WIDTH, HEIGHT));
    // The first frame follows no other.
    View { cut: number == 0, ..view }
}

fn write_png(path: &Path, pixels: &[u8]) -> Result<()> {
    let failed = |why: String| Failure(format!("{} cannot be written: {why}", path.display()));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|why| failed(why.to_string()))?;
    }
    let file = std::fs::File::create(path).map_err(|why| failed(why.to_string()))?;
    let mut encoder = png::Encoder::new(std::io::BufWriter::new(file), WIDTH, HEIGHT);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    let written = encoder.write_header().and_then(|mut writer| {
        writer.write_image_data(pixels)?;
        writer.finish()
    });
    written.map_err(|why| failed(why.to_string()))
}

/// What went wrong, a sentence.
struct Failure(String);

type Result<T, E = Failure> = std::result::Result<T, E>;

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<landform::Error> for Failure {
    fn from(error: landform::Error) -> Self {
        Failure(error.to_string())
    }
}

/// Makes a failure of what a Vulkan call returned.
fn call(name: &'static str) -> impl Fn(ash::vk::Result) -> Failure {
    move |result| Failure(format!("{name} failed: {result}"))
}
