//! The textures of made ground as PNG files, by the names that `synth::valley_material` gives them.

use crate::read::bar_for;
use crate::stop::{Result, Stop, is_interrupted};
use crate::unfinished;
use landform::synth::{GroundKind, ground_texture};
use landform_harness::{Image8, write_png};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Another number makes another meadow.
const SEED: u64 = 7;
/// What a kind has a file of.
const PARTS: [&str; 3] = ["albedo", "surface", "normal"];

fn file(folder: &Path, kind: GroundKind, part: &str) -> PathBuf {
    folder.join(format!("{}.{part}.png", kind.name()))
}

/// True where a folder has all files of a kind.
pub fn are_there(folder: &Path, kind: GroundKind) -> bool {
    PARTS.iter().all(|part| file(folder, kind, part).is_file())
}

/// Draws the textures of a kind, `size` texels a side, into a folder that is made where it is missing, with a bar where
/// that takes long. Answers with the files.
///
/// # Errors
/// A size that is no power of two from 64 to 2048, a file that cannot be written, or an interrupt.
pub fn draw(folder: &Path, kind: GroundKind, size: u32) -> Result<[PathBuf; 3]> {
    let mut bar = bar_for(format!("drawing {}", kind.name()));
    let drawn = ground_texture(kind, size, SEED, &mut |progress| {
        bar(progress.fraction.into());
        if is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    drop(bar);
    let drawn = drawn?.ok_or_else(Stop::interrupted)?;
    let files = PARTS.map(|part| file(folder, kind, part));
    for (file, data) in files.iter().zip([drawn.albedo, drawn.surface, drawn.normal]) {
        let image = Image8 { width: size, height: size, data };
        unfinished::complete(file, |part| Ok(write_png(part, &image)?))?;
    }
    Ok(files)
}
