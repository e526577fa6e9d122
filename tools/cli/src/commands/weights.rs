//! `landform weights`: what is in pictures of layer weights.

use super::info;
use clap::{Args, ValueHint};
use landform::field;
use landform::import::{Alpha, WeightFiles, WeightOptions, export_weights, import_weights};
use landform_cli::parse::choice;
use landform_cli::stop::{Result, Stop, print, say};
use landform_cli::unfinished;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Says what is in pictures of layer weights (splat maps), and makes them whole
///
/// Each channel of a PNG is a layer; several files are more layers. Whatever the channels of a sample are together, its
/// weights are scaled to 255, and a sample without any has all of the first layer. Layers that lie over the others (those of
/// mode Alpha) are none of that: --over says which they are. Pictures of layer numbers are refused: small whole numbers in
/// patches, unless --faint says that they are weights; `landform render --ids` reads those.
///
/// What -o writes is read back as it is, by this command with the same --over and by `--weights` of render and of the valley,
/// which know it from the material.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  landform weights splat.png
  landform weights splat0.png splat1.png --alpha layer
  landform weights splat.png -o whole.png
  landform weights splat0.png splat1.png --over 6 -o whole.png
  landform weights splat.png --masks -o masks/splat.png
  landform render dem.tif -o dem.png --layers ground.ron --weights whole-0.png whole-1.png")]
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
    /// Layers that lie over the others, by their numbers from 0 on: their values are kept, and the others are 255 together
    #[arg(long, value_name = "LAYER[,…]", value_delimiter = ',',
        value_parser = clap::value_parser!(u32).range(..i64::from(field::Weights::MAX_LAYERS)))]
    over: Vec<u32>,
    /// Writes the weights, 255 together, as a PNG whose channels are the layers; more than four layers as several of four each,
    /// FILE-0, FILE-1 and so on, before the ending
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Writes a grey PNG a layer instead, with the layer's number behind the name
    #[arg(long, requires = "out")]
    masks: bool,
    /// Replaces files that are there already
    #[arg(long, requires = "out")]
    force: bool,
    /// Prints the report as JSON
    #[arg(long)]
    json: bool,
}

impl Weights {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        let over = self.over.iter().fold(0, |over, layer| over | 1 << layer);
        let options =
            WeightOptions::default().with_alpha(self.alpha).with_allow_faint(self.faint).with_over(over);
        let (weights, report) = import_weights(&self.files, &options)?;
        if let Some(past) = self.over.iter().find(|&&layer| layer >= weights.layers()) {
            return Err(Stop::new(format!(
                "--over {past}: there is no such layer; the pictures have {}, from number 0 on",
                weights.layers()
            )));
        }
        let files = self.out.as_ref().map(|out| self.write(&weights, out)).transpose()?.unwrap_or_default();
        if self.json {
            let mut json = info::json(serde_json::to_value(&report))?;
            json["written"] = files.iter().map(|file| file.to_string_lossy()).collect();
            print(format_args!("{json:#}\n"))?;
        } else {
            print(&report)?;
            self.tell(&files, weights.layers());
        }
        Ok(ExitCode::SUCCESS)
    }

    fn files(&self) -> WeightFiles {
        if self.masks { WeightFiles::Masks } else { WeightFiles::Pages }
    }

    /// Writes the weights, and gives the files.
    fn write(&self, weights: &field::Weights, out: &Path) -> Result<Vec<PathBuf>> {
        let files = self.files().paths(out, weights.layers());
        // How many there are is known by now only. All are looked at before one is written.
        if let Some(file) = files.iter().find(|file| file.exists() && !self.force) {
            return Err(Stop::new(format!("{} is there already; --force replaces it", file.display())));
        }
        if files == [out] {
            unfinished::complete(out, |part| Ok(export_weights(weights, part, self.files())?))?;
            return Ok(files);
        }
        let failed = |error| Stop::new(format!("{}: cannot be written: {error}", out.display()));
        std::fs::create_dir_all(out.parent().unwrap_or(Path::new(""))).map_err(failed)?;
        // The files are one thing: an interrupt waits for all of them.
        unfinished::to_the_end(out, || Ok(export_weights(weights, out, self.files())?))?;
        // Whoever names all of that name would read it with them.
        let more = self.files().paths(out, weights.layers() + self.of_a_file());
        if let Some(older) = more.get(files.len()).filter(|file| file.exists()) {
            let name = older.display();
            eprintln!(
                "landform: WARNING: {name} is there from before and none of these {} files",
                files.len()
            );
        }
        Ok(files)
    }

    /// The most layers of a file, where there are several.
    fn of_a_file(&self) -> u32 {
        if self.masks { 1 } else { 4 }
    }

    /// Says which layers each file has.
    fn tell(&self, files: &[PathBuf], layers: u32) {
        let of_a_file = self.of_a_file();
        for (index, file) in (0..).zip(files) {
            let first = index * of_a_file;
            let last = layers.min(first + of_a_file) - 1;
            say(match (files.len(), first == last) {
                (1, _) => format!("{}: {layers} layers, 255 together", file.display()),
                (_, true) => format!("{}: layer {first} of {layers}", file.display()),
                (_, false) => format!("{}: layers {first} to {last} of {layers}", file.display()),
            });
        }
    }
}
