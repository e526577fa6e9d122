//! `landform info`: what is in a file.

use super::also_size;
use clap::{Args, ValueHint};
use landform_cli::stop::{Reason, Result, Stop, print};
use landform_cli::{ImportArgs, read};
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitCode;

/// Says what is in a file: its format and size, heights, voids, and what was assumed and doubted
///
/// The options state what the file does not say, so that the report is of the map as the other commands see it. Of several
/// files, one that is refused is told of on stderr and makes the exit code 1; the others are reported all the same.
#[derive(Debug, Args)]
#[command(
    mut_arg("raw_size", also_size),
    after_help = "\
Examples:
  landform info N27E086.hgt
  landform info heights.r16 --size 1025x513 --range 200,4800 --json
  landform info *.asc --json | jq '.[] | {name, min, max}'

In the JSON min, max, mean and nodata are in the file's own numbers, lowest and highest in metres, and width and height
are of the file; samples is the size of the map after cropping and resampling."
)]
pub(crate) struct Info {
    /// The heightmaps, or terrain folders
    #[arg(value_name = "FILE", required = true, value_hint = ValueHint::AnyPath)]
    files: Vec<PathBuf>,
    /// Prints JSON instead: an object, or a list of objects for more than one file
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    import: ImportArgs,
}

impl Info {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let (mut objects, mut refused) = (Vec::new(), None);
        for (number, file) in self.files.iter().enumerate() {
            match read::heightmap(file, &self.import.options()) {
                Ok(map) if self.json => objects.push(json(serde_json::to_value(map.report()))?),
                Ok(map) => print(format_args!("{}{}", if number > 0 { "\n" } else { "" }, map.report()))?,
                Err(stop) if stop.reason == Reason::Interrupted => return Err(stop),
                // The last one is told of where all are.
                Err(stop) => refused.replace(stop).iter().for_each(|stop| eprintln!("landform: {stop}")),
            }
        }
        match &mut objects[..] {
            _ if !self.json => {}
            [] if self.files.len() == 1 => {}
            [object] if self.files.len() == 1 => print(format_args!("{object:#}\n"))?,
            _ => print(format_args!("{:#}\n", Value::Array(objects)))?,
        }
        refused.map_or(Ok(ExitCode::SUCCESS), Err)
    }
}

/// A report for a program.
pub(crate) fn json(report: serde_json::Result<Value>) -> Result<Value> {
    report.map_err(|error| Stop::new(format!("the report cannot be written as JSON: {error}")))
}
