//! The textures of the made valley's layers: drawn once, and kept as PNG files beside the maps.

use crate::cache;
use landform::synth::{GroundKind, VERSION};
use landform_cli::ground_textures::{are_there, draw};
use landform_cli::stop::{Result, say};
use std::path::PathBuf;

/// Texels a side of a texture.
const SIZE: u32 = 1024;

/// The folder of the textures, which are drawn where they are not there.
pub(crate) fn folder() -> Result<PathBuf> {
    let folder = cache::folder().join(format!("ground-{VERSION}-{SIZE}"));
    let missing: Vec<_> = GroundKind::ALL.into_iter().filter(|kind| !are_there(&folder, *kind)).collect();
    if !missing.is_empty() {
        say(format_args!(
            "Drawing the textures of {} layers, once; they are kept for the next time.",
            missing.len()
        ));
    }
    for kind in missing {
        draw(&folder, kind, SIZE)?;
    }
    Ok(folder)
}
