//! `landform layers example`: a file of layers to begin with, and textures for it.

use clap::{Args, ValueHint};
use landform::splat::Material;
use landform::synth::GroundKind;
use landform_cli::ground_textures::{are_there, draw};
use landform_cli::stop::{Result, Stop, say};
use landform_cli::unfinished;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Four layers that say of every field what it is for.
const EXAMPLE: &str = include_str!("example.ron");

/// Writes a file of four layers with comments, and with --textures the pictures that it names
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  landform layers example -o ground/ground.ron --textures 512
  landform layers check ground/ground.ron
  landform render dem.tif --layers ground/ground.ron -o dem.png")]
pub(crate) struct Example {
    /// The file to write
    #[arg(short, long, value_name = "FILE.ron", value_hint = ValueHint::FilePath)]
    output: PathBuf,
    /// Draws the textures as well, of this many texels a side, beside the file: a power of two from 64 to 2048. Those that
    /// are there already stay
    #[arg(long, value_name = "TEXELS")]
    textures: Option<u32>,
    /// Replaces files that are there already
    #[arg(long)]
    force: bool,
}

impl Example {
    pub(super) fn run(&self) -> Result<ExitCode> {
        let out = &self.output;
        if out.exists() && !self.force {
            return Err(Stop::new(format!("{} is there already; --force replaces it", out.display())));
        }
        if let Some(size) = self.textures {
            self.draw(size)?;
        }
        let failed = |error| Stop::new(format!("{}: cannot be written: {error}", out.display()));
        unfinished::complete(out, |part| std::fs::write(part, EXAMPLE).map_err(failed))?;
        say(out.display());
        Ok(ExitCode::SUCCESS)
    }

    /// Draws what the example names.
    fn draw(&self, size: u32) -> Result<()> {
        let named = Material::from_ron(EXAMPLE)?;
        let is_named =
            |kind: &&GroundKind| named.layers.iter().any(|layer| Some(&layer.name[..]) == Some(kind.name()));
        let folder = self.output.parent().unwrap_or(Path::new(""));
        for &kind in GroundKind::ALL.iter().filter(is_named) {
            if self.force || !are_there(folder, kind) {
                draw(folder, kind, size)?.iter().for_each(|file| say(file.display()));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_sound_and_the_page_shows_it() {
        let material = Material::from_ron(EXAMPLE).unwrap();
        assert_eq!((material.layers.len(), material.notes()), (4, Vec::new()));
        // Any map has heights and slopes; what only made ground has is none of an example's business.
        let asks = |layer: &landform::splat::Layer| layer.rule.as_ref().is_some_and(|r| r.deposit.is_some());
        assert!(!material.layers.iter().any(asks));
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/layers.md");
        let page = std::fs::read_to_string(path).expect("docs/layers.md");
        assert!(page.contains(EXAMPLE), "docs/layers.md does not show the example as it is");
    }
}
