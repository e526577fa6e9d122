//! `landform import`: a map as a terrain folder, or into one.

use super::{also_size, info};
use clap::{Args, ValueHint};
use landform::field::{Field, SampleRect};
use landform::import::{ImportOptions, ImportReport, export_folder};
use landform_cli::parse::sample;
use landform_cli::stop::{Result, Stop, print};
use landform_cli::{ImportArgs, read, unfinished};
use std::path::PathBuf;
use std::process::ExitCode;

/// Imports a map into a terrain folder, or into a rectangle of one
///
/// A terrain folder keeps everything: 16-bit codes (heights.png), holes (holes.png), spacing, range and tiling (terrain.json).
/// Every command takes one in place of a FILE. A terrain that is there already is replaced only with --force; a folder that
/// is none is left alone always.
#[derive(Debug, Args)]
#[command(
    mut_arg("raw_size", also_size),
    after_help = "\
Examples:
  landform import N27E086.hgt everest
  landform import dem.tif valley --resample 2 --fill inverse-distance
  landform import survey.asc valley --into 1024,512 --resample 2"
)]
pub(crate) struct Import {
    /// The heightmap, or a terrain folder
    #[arg(value_hint = ValueHint::AnyPath)]
    file: PathBuf,
    /// The terrain folder
    #[arg(value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Writes the map into the terrain that is there, with its north-west sample at this column and row. The terrain keeps
    /// its spacing and range: heights outside of the range are clamped, and the map is taken to have the terrain's spacing
    #[arg(long, value_name = "COL,ROW", value_parser = sample)]
    into: Option<(u32, u32)>,
    /// Replaces a terrain that is there already
    #[arg(long, conflicts_with = "into")]
    force: bool,
    /// Prints the report as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    import: ImportArgs,
}

impl Import {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let report = match self.into {
            Some(corner) => self.insert(corner)?,
            None => self.as_terrain()?,
        };
        if self.json {
            print(format_args!("{:#}\n", info::json(serde_json::to_value(&report))?))?;
        } else {
            print(&report)?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn as_terrain(&self) -> Result<ImportReport> {
        let folder = self.folder.display();
        if self.folder.exists() && !self.force {
            return Err(Stop::new(format!(
                "{folder} is there already; --force replaces a terrain, --into writes into it"
            )));
        }
        let (field, report) = read::heightmap(&self.file, &self.import.options())?.into_field()?;
        self.write(&field)?;
        Ok(report)
    }

    fn insert(&self, (x, z): (u32, u32)) -> Result<ImportReport> {
        let (mut field, _) = read::heightmap(&self.folder, &ImportOptions::default())?.into_field()?;
        let map = read::heightmap(&self.file, &self.import.options())?;
        let rect = SampleRect::new(x, z, map.desc().width, map.desc().height);
        let report = map.write_into(&mut field, rect)?;
        self.write(&field)?;
        Ok(report)
    }

    fn write(&self, field: &Field) -> Result<()> {
        if self.folder.exists() {
            // For a moment neither the old terrain nor the new one is in its place.
            return unfinished::to_the_end(&self.folder, || Ok(export_folder(field, &self.folder)?));
        }
        unfinished::complete(&self.folder, |part| Ok(export_folder(field, part)?))
    }
}
