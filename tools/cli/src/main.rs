//! The command `landform`: what is in a heightmap, a picture of it, the same in another format.

mod commands;

use clap::{Parser, Subcommand};
use commands::{completions, export, height, import, info, layers, render, weights};
use landform_cli::devices::{self, DeviceArgs};
use landform_cli::stop::{INTERRUPTED_CODE, Reason, Result, Stop, listen_for_interrupts};
use std::process::ExitCode;

/// Looks into heightmaps, draws them and converts them.
///
/// A FILE is a PNG, raw samples (.r8, .r16, .r32, .f32, .raw), a GeoTIFF, an OpenEXR picture, an SRTM tile (.hgt), an Esri
/// ASCII grid (.asc), a USGS ASCII DEM (.dem), a NumPy array (.npy, .npz) or a terrain folder of landform's own. Row 0 of a
/// map is its north edge and column 0 its west edge. What a file does not say about itself is stated with options, which
/// all commands share; `landform info FILE` says what was found, assumed and doubted.
#[derive(Debug, Parser)]
#[command(name = "landform", version, after_help = AFTER_HELP, subcommand_required = true, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
Examples:
  landform info N27E086.hgt
  landform render alps.png --spacing 30 --range 200,4800 -o alps-view.png
  landform export dem.tif heights.exr
  landform import dem.tif valley --resample 2
  landform layers check ground.ron

Exit codes:
  0    done
  1    a file or an option was refused, or writing failed; the sentence on stderr says why and what would work
  2    the command line is not understood
  3    render --validation: the validation layer had messages
  4    height: the sample is a void
  5    render, devices: there is no Vulkan driver or no device that can draw
  130  interrupted by Ctrl-C; nothing half-written is left";

#[derive(Debug, Subcommand)]
enum Command {
    Info(info::Info),
    Height(height::Height),
    Render(Box<render::Render>),
    Export(export::Export),
    Import(import::Import),
    Weights(weights::Weights),
    Layers(layers::Layers),
    /// Lists the devices that can draw, with the numbers that --device takes
    Devices,
    Completions(completions::Completions),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match listen_for_interrupts().and_then(|()| run(&arguments.command)) {
        Ok(code) => code,
        Err(stop) => {
            eprintln!("landform: {stop}");
            ExitCode::from(code(&stop))
        }
    }
}

fn run(command: &Command) -> Result<ExitCode> {
    match command {
        Command::Info(info) => info.run(),
        Command::Height(height) => height.run(),
        Command::Render(render) => render.run(),
        Command::Export(export) => export.run(),
        Command::Import(import) => import.run(),
        Command::Weights(weights) => weights.run(),
        Command::Layers(layers) => layers.run(),
        Command::Devices => devices::list(&DeviceArgs::default().gpu_options()).map(|()| ExitCode::SUCCESS),
        Command::Completions(completions) => completions.run(),
    }
}

/// The exit code of an early end.
fn code(stop: &Stop) -> u8 {
    match stop.reason {
        Reason::Failed => 1,
        Reason::Validation => 3,
        Reason::NoDevice => 5,
        Reason::Interrupted => INTERRUPTED_CODE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_option_is_explained() {
        let whole = Arguments::command();
        let (mut waiting, mut seen) = (vec![&whole], 0);
        while let Some(command) = waiting.pop() {
            waiting.extend(command.get_subcommands());
            seen += 1;
            assert!(command.get_about().is_some(), "{} is not explained", command.get_name());
            for argument in command.get_arguments() {
                assert!(
                    argument.get_help().is_some(),
                    "{} {} is not explained",
                    command.get_name(),
                    argument.get_id()
                );
            }
        }
        assert!(seen > 10, "{seen} commands");
    }
}
