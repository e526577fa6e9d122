//! A valley to fly through: makes or imports a map and shows it in a window, or draws it into PNG files where there is
//! no display. `valley --help` lists what it can be asked for.
//!
//! The example is a host like any other. It owns the Vulkan device, the window and the user interface; landform records
//! into its command buffers.

mod args;
mod cache;
mod camera;
mod devices;
mod ground;
mod headless;
mod map;
mod report;
mod scene;
mod stop;
mod viewpoint;
mod window;

use args::Args;
use clap::Parser;
use landform_harness::{DeviceChoice, GpuOptions};
use std::process::ExitCode;
use stop::{Result, Stop, say};
use winit::event_loop::EventLoop;

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => {
            eprintln!("valley: {stop}");
            ExitCode::from(stop.code)
        }
    }
}

fn run(args: &Args) -> Result<()> {
    stop::listen_for_interrupts()?;
    if args.list_devices {
        return devices::list(&gpu_options(args));
    }
    // Pictures need a device as much as a window does, and a map may take minutes to make: what is missing is said now.
    devices::check(&gpu_options(args))?;
    if args.wants_pictures() {
        return headless::run(args, map::get(args)?);
    }
    match EventLoop::new() {
        Ok(events) => window::run(args, map::get(args)?, events),
        Err(_) => {
            say(format_args!("There is no display, so pictures are drawn instead of a window."));
            headless::run(args, map::get(args)?)
        }
    }
}

/// The device that the arguments ask for. Validation is off unless it is asked for: it makes a frame several times as
/// long.
fn gpu_options(args: &Args) -> GpuOptions {
    let from_environment = std::env::var("LANDFORM_VALIDATION").is_ok_and(|value| value != "0");
    let choose = args.device.as_deref().map_or_else(DeviceChoice::from_environment, DeviceChoice::parse);
    GpuOptions { validation: Some(args.validation || from_environment), choose, ..GpuOptions::default() }
}

/// Fails where the validation layer had something to say, which it then is on stderr.
fn expect_silence(gpu: &landform_harness::Gpu) -> Result<()> {
    let messages = gpu.take_messages();
    if messages.is_empty() {
        return Ok(());
    }
    for message in &messages {
        eprintln!("{message}");
    }
    Err(Stop { code: 3, sentence: format!("the validation layer had {} messages", messages.len()) })
}
