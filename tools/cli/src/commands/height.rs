//! `landform height`: one sample.

use super::also_size;
use clap::{Args, ValueHint};
use landform::field::Sample;
use landform_cli::stop::{Result, Stop, print};
use landform_cli::{ImportArgs, read};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// The exit code for a sample without a height.
const VOID_CODE: u8 = 4;

/// Prints one sample, in the file's own number or in metres
///
/// The number is exact: what is printed reads back as the same number. Column 0 is the west edge and row 0 the north edge of
/// the map, after --crop, --flip and --resample where those are given. A sample without a height prints `void`, and the exit
/// code is 4.
#[derive(Debug, Args)]
#[command(
    mut_arg("raw_size", also_size),
    after_help = "\
Examples:
  landform height N27E086.hgt 600 600
  landform height survey.asc 0 0 --units feet --metres
  landform height heights.png 512 300 --range 200,4800 --metres"
)]
pub(crate) struct Height {
    /// The heightmap, or a terrain folder
    #[arg(value_hint = ValueHint::AnyPath)]
    file: PathBuf,
    /// Samples east of the west edge
    column: u32,
    /// Samples south of the north edge
    row: u32,
    /// Prints metres instead of the file's own number
    #[arg(long)]
    metres: bool,
    /// Prints JSON instead: column, row, value and metres, which are null for a void
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    import: ImportArgs,
}

impl Height {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let map = read::heightmap(&self.file, &self.import.options())?;
        let (width, height) = (map.desc().width, map.desc().height);
        if self.column >= width || self.row >= height {
            return Err(Stop::new(format!(
                "column {}, row {} is outside of {}, whose map has the columns 0 to {} and the rows 0 to {}",
                self.column,
                self.row,
                self.file.display(),
                width - 1,
                height - 1
            )));
        }
        let sample = Sample::new(self.column, self.row);
        let (value, metres) = (map.value(sample), map.metres(sample));
        if self.json {
            let json = json!({ "column": self.column, "row": self.row, "value": value, "metres": metres });
            print(format_args!("{json:#}\n"))?;
        } else {
            match if self.metres { metres } else { value } {
                Some(number) => print(format_args!("{number}\n"))?,
                None => print("void\n")?,
            }
        }
        Ok(if value.is_some() { ExitCode::SUCCESS } else { ExitCode::from(VOID_CODE) })
    }
}
