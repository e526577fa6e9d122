//! `landform layers`: what is in a file of layers, and one to begin with.

mod check;
mod example;

use clap::{Args, Subcommand};
use landform_cli::stop::Result;
use std::process::ExitCode;

/// Checks a file of layers with its textures, or writes one to begin with
///
/// A layer names its textures and says how large they are on the ground, how it blends with the others and where it grows. A
/// file of layers is RON, up to 1 MiB and 16 layers:
///
///   (layers: [
///     (name: "grass", albedo: "grass.png", tiling: 3),
///     (name: "rock", albedo: "rock.png", height: "rock.png#a", tiling: 6, mode: Height,
///      rule: (slope: (from: 35, soft: 8))),
///   ])
///
/// docs/layers.md explains every field; `landform layers example` writes a longer one.
#[derive(Debug, Args)]
#[command(subcommand_required = true, arg_required_else_help = true, verbatim_doc_comment)]
pub(crate) struct Layers {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Check(check::Check),
    Example(example::Example),
}

impl Layers {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        match &self.what {
            What::Check(check) => check.run(),
            What::Example(example) => example.run(),
        }
    }
}
