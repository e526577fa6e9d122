//! `landform weights`: what is in pictures of layer weights.

use super::info;
use clap::{Args, ValueHint};
use landform::import::{Alpha, WeightOptions, export_weights, import_weights};
use landform_cli::parse::choice;
use landform_cli::stop::{Result, Stop, print, say};
use landform_cli::unfinished;
use std::path::PathBuf;
use std::process::ExitCode;

/// Says what is in pictures of layer weights (splat maps), and makes them whole
///
/// Each channel of a PNG is a layer; several files are more layers. Whatever the channels of a sample are together, its
/// weights are scaled to 255, and a sample without any has all of the first layer. Pictures of layer numbers are refused:
/// small whole numbers in patches, unless --faint says that they are weights.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  landform weights splat.png
  landform weights splat0.png splat1.png --alpha layer
  landform weights splat.png -o whole.png")]
pub(crate) struct Weights {
    /// PNG pictures of one size
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    files: Vec<PathBuf>,
    /// Whether alpha channels are layers: auto makes one a layer where it differs from sample to sample
    #[arg(long, default_value = "auto", value_name = "auto|layer|ignore", hide_possible_values = true,
        value_parser = choice(Alpha::ALL.map(|alpha| (alpha.name(), alpha))))]
    alpha: Alpha,
    /// Small numbers are faint weights, not layer numbers
    #[arg(long)]
    faint: bool,
    /// Writes the weights, 255 together, as a PNG of up to four layers
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Replaces a file that is there already
    #[arg(long, requires = "out")]
    force: bool,
    /// Prints the report as JSON
    #[arg(long)]
    json: bool,
}

impl Weights {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        if let Some(out) = self.out.as_ref().filter(|out| out.exists() && !self.force) {
            return Err(Stop::new(format!("{} is there already; --force replaces it", out.display())));
        }
        let options = WeightOptions::default().with_alpha(self.alpha).with_allow_faint(self.faint);
        let (weights, report) = import_weights(&self.files, &options)?;
        if let Some(out) = &self.out {
            unfinished::complete(out, |part| Ok(export_weights(&weights, part)?))?;
        }
        if self.json {
            print(format_args!("{:#}\n", info::json(serde_json::to_value(&report))?))?;
        } else {
            print(&report)?;
            if let Some(out) = &self.out {
                say(format_args!("{}: {} layers, 255 together", out.display(), weights.layers()));
            }
        }
        Ok(ExitCode::SUCCESS)
    }
}
