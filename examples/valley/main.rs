//! A valley to fly through: makes or imports a map and shows it in a window, or draws it into PNG files where there is
//! no display. `valley --help` lists what it can be asked for.
//!
//! The example is a host like any other. It owns the Vulkan device, the window and the user interface; landform records
//! into its command buffers.

mod args;
mod cache;
mod daylight;
mod flight;
mod flight_path;
mod frame_args;
mod headless;
mod map;
mod props;
mod record;
mod textures;
mod viewpoint;
mod window;

use args::Args;
use clap::Parser;
use landform_cli::devices;
use landform_cli::stop::{INTERRUPTED_CODE, Reason, Result, Stop, listen_for_interrupts, say};
use std::process::ExitCode;
use winit::event_loop::EventLoop;

fn main() -> ExitCode {
    let args = Args::parse();
    match run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => {
            eprintln!("valley: {stop}");
            ExitCode::from(code(&stop))
        }
    }
}

/// The exit code: 1 in general, 2 for a missing driver or device, 3 for validation messages, 130 after an interrupt.
fn code(stop: &Stop) -> u8 {
    match stop.reason {
        Reason::Failed => 1,
        Reason::NoDevice => 2,
        Reason::Validation => 3,
        Reason::Interrupted => INTERRUPTED_CODE,
    }
}

fn run(args: &Args) -> Result<()> {
    listen_for_interrupts()?;
    if args.list_devices {
        return devices::list(&args.device.gpu_options());
    }
    // Pictures need a device as much as a window does, and a map may take minutes to make: what is missing is said now.
    devices::check(&args.device.gpu_options())?;
    args.frame.check()?;
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
