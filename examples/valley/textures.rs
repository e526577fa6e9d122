//! The textures of the made valley's layers: drawn once, and kept as PNG files beside the maps.

use crate::cache;
use indicatif::{ProgressBar, ProgressStyle};
use landform::synth::{GroundKind, GroundTexture, VERSION, ground_texture};
use landform_cli::stop::{Result, Stop, is_interrupted, say};
use landform_cli::unfinished;
use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Texels a side of a texture.
const SIZE: u32 = 1024;
/// Another number makes another meadow.
const SEED: u64 = 7;

/// The folder of the textures, which are drawn where they are not there.
pub(crate) fn folder() -> Result<PathBuf> {
    let folder = cache::folder().join(format!("ground-{VERSION}-{SIZE}"));
    let missing: Vec<_> = GroundKind::ALL.into_iter().filter(|kind| !is_whole(&folder, *kind)).collect();
    if missing.is_empty() {
        return Ok(folder);
    }
    say(format_args!(
        "Drawing the textures of {} layers, once; they are kept for the next time.",
        missing.len()
    ));
    fs::create_dir_all(&folder).map_err(|why| refused(&folder, &why))?;
    let bar = ProgressBar::new(1000 * missing.len() as u64);
    let style = ProgressStyle::with_template("{bar:40} {percent:>3} %  {elapsed_precise}  {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    for (done, kind) in missing.into_iter().enumerate() {
        bar.set_message(kind.name());
        let texture = ground_texture(kind, SIZE, SEED, &mut |progress| {
            bar.set_position(1000 * done as u64 + (progress.fraction * 1000.0) as u64);
            if is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        write(&folder, kind, &texture.ok_or_else(Stop::interrupted)?)?;
    }
    bar.finish_and_clear();
    Ok(folder)
}

/// The file of a kind's texture, as the valley's material names it.
fn file(folder: &Path, kind: GroundKind, what: &str) -> PathBuf {
    folder.join(format!("{}.{what}.png", kind.name()))
}

/// The last file that is written says that the others are there.
fn is_whole(folder: &Path, kind: GroundKind) -> bool {
    file(folder, kind, "normal").is_file()
}

fn write(folder: &Path, kind: GroundKind, texture: &GroundTexture) -> Result<()> {
    let parts = [("albedo", &texture.albedo), ("surface", &texture.surface), ("normal", &texture.normal)];
    for (what, texels) in parts {
        let path = file(folder, kind, what);
        unfinished::complete(&path, |part| {
            write_png(part, texture.size, texels).map_err(|why| refused(&path, &why))
        })?;
    }
    Ok(())
}

fn write_png(path: &Path, size: u32, texels: &[u8]) -> io::Result<()> {
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), size, size);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(texels)?;
    Ok(writer.finish()?)
}

fn refused(path: &Path, why: &io::Error) -> Stop {
    Stop::new(format!("{} cannot be written: {why}", path.display()))
}
