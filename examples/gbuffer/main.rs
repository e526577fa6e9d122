//! A G-buffer of another engine's: its planes, its formats, its fragment shader and its deferred light. Landform draws the
//! ground into it with the engine's shader, which includes `surface.hlsl`, and knows nothing of what is written.
//!
//! `gbuffer [--out FOLDER] [--size WIDTHxHEIGHT]` writes `gbuffer.png` and a PNG for each plane, by default to `out/gbuffer`.
//! Read ground.frag.hlsl first, then `draw`; `build.rs` compiles the shaders, `docs/host_shader.md` has the rules.

mod ground;
mod light;
mod pictures;
mod planes;

use clap::Parser;
use glam::DVec3;
use landform::ash::vk;
use landform::draw::{HostFragment, HostFragmentDesc, HostSet, Renderer};
use landform::gpu::{Binding, BindingKind, Buffer, Device, SetLayout, SetValue, Sets};
use landform::plan::{FramePlan, View, Viewport};
use landform_cli::stop::say;
use landform_harness::{Gpu, GpuOptions};
use light::Light;
use planes::Planes;
use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Draws a made valley into a G-buffer that is not landform's, and lights it.
#[derive(Parser)]
#[command(name = "gbuffer")]
struct Args {
    /// The folder of the pictures.
    #[arg(long, default_value = "out/gbuffer")]
    out: PathBuf,
    /// Pixels, as 1280x720.
    #[arg(long, default_value = "1280x720", value_parser = size)]
    size: [u32; 2],
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let parts =
        text.split_once('x').and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    let fits = parts.filter(|size: &[u32; 2]| size.iter().all(|side| (16..=8192).contains(side)));
    fits.ok_or_else(|| "a size is two numbers from 16 to 8192, as 1280x720".into())
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("gbuffer: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<()> {
    let gpu = Gpu::new(GpuOptions::default())?;
    say(&gpu.name);
    let drawn = draw(args, &gpu);
    // What the layer said explains a failure.
    let messages = gpu.take_messages();
    messages.iter().for_each(|message| eprintln!("{message}"));
    drawn?;
    if messages.is_empty() { Ok(()) } else { Err(Failure::new("the validation layer had messages")) }
}

fn draw(args: &Args, gpu: &Gpu) -> Result<()> {
    // SAFETY: the harness' host is valid and outlives the device, and every frame is waited for.
    let device = unsafe { Device::new(gpu.host()) }?;
    let mut terrain = ground::terrain()?;
    let mut textures = ground::textures(&device, &args.out.join("textures"))?;
    let mut renderer = Renderer::new(&device, terrain.field().desc())?;
    let planes = Planes::new(&device, args.size)?;
    let mut light = Light::new(&device, &planes)?;

    let range = terrain.field().desc().range;
    say(format_args!("the terrain is from {:.2} m to {:.2} m", range.min, range.max));
    let scene = Scene::new(&device, range.min as f32)?;
    let words = words(include_bytes!(concat!(env!("OUT_DIR"), "/ground.frag.spv")));
    // Read and held against landform's pipelines here; a shader that does not fit is a sentence.
    let fragment = HostFragment::new(&HostFragmentDesc {
        name: "ground of the G-buffer",
        words: &words,
        entry: c"main",
        splat: terrain.splat(),
        set: Some(&scene.layout),
        constants: &[],
    })?;
    let target = Planes::target()?;
    renderer.prepare_with(&target, terrain.settings().grid, &fragment)?;

    let view = camera(args.size);
    let mut plan = FramePlan::empty(terrain.field().desc());
    let mut copied = Vec::new();
    loop {
        device.begin_frame();
        terrain.begin_frame(0.0);
        terrain.plan_into(&mut plan, &[view], renderer.residency())?;
        // The picture is of the layers and not of their defaults, so the last frame is the one that has all textures.
        let frame = gpu.submit_and_wait(|raw| -> Result<bool> {
            // SAFETY: the harness hands over a command buffer that records, and waits for it.
            let cmd = unsafe { device.record(raw) };
            renderer.upload(&cmd, &plan)?;
            textures.upload(&cmd)?;
            renderer.find_textures(&plan, &mut textures)?;
            if !textures.is_idle() {
                return Ok(false);
            }
            planes.begin(&cmd)?;
            let set = HostSet { set: scene.sets.get(0), offsets: &[] };
            renderer.draw_with(&cmd, &plan.views[0], &target, &fragment, Some(set))?;
            planes.end(&cmd);
            light.draw(&cmd, &planes, &view)?;
            copied = planes.copy_out(&device, &cmd)?;
            Ok(true)
        })?;
        if frame? {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    if let Some(problem) = textures.problems().first() {
        return Err(Failure::new(problem.clone()));
    }
    say(format_args!("{} patches, {} pipelines", renderer.stats().patches, renderer.stats().pipelines));
    for file in pictures::write(&args.out, args.size, &copied)? {
        say(file.display());
    }
    Ok(())
}

/// Over the river, toward the mountains.
fn camera([width, height]: [u32; 2]) -> View {
    let position = DVec3::new(1900.0, 330.0, 3500.0);
    let rotation = View::looking(10f32.to_radians(), -9f32.to_radians());
    View::perspective(position, rotation, 50f32.to_radians(), 0.5, Viewport::whole(width, height))
}

/// What the engine's ground shader asks of the engine: set 2.
struct Scene {
    layout: Arc<SetLayout>,
    sets: Sets,
    _constants: Buffer,
}

impl Scene {
    fn new(device: &Arc<Device>, lowest: f32) -> Result<Self> {
        let (kind, stages) = (BindingKind::Uniform, vk::ShaderStageFlags::FRAGMENT);
        let layout = SetLayout::new(device, "scene", &[Binding { binding: 0, kind, stages, count: 1 }])?;
        let mut constants = light::uniforms(device, "scene", 16)?;
        // The river's lower banks are wet.
        constants.write(0, bytemuck::cast_slice(&[lowest, lowest + 34.0, 5.0, 0.0]))?;
        let mut sets = Sets::new(&layout, "scene", 1)?;
        sets.write(0, 0, 0, SetValue::Buffer { buffer: &constants, offset: 0, range: 16 })?;
        Ok(Self { layout, sets, _constants: constants })
    }
}

/// The words of a SPIR-V file.
fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// What went wrong, a sentence.
#[derive(Debug)]
struct Failure(String);

type Result<T, E = Failure> = std::result::Result<T, E>;

impl Failure {
    fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<landform::Error> for Failure {
    fn from(error: landform::Error) -> Self {
        Self(error.to_string())
    }
}

impl From<landform_harness::Failure> for Failure {
    fn from(failure: landform_harness::Failure) -> Self {
        Self(failure.to_string())
    }
}

impl From<landform_cli::stop::Stop> for Failure {
    fn from(stop: landform_cli::stop::Stop) -> Self {
        Self(stop.to_string())
    }
}
