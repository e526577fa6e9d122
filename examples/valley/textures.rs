//! The textures of the made valley's layers: drawn once, and kept as PNG files beside the maps.

use crate::cache;
use landform::synth::{GroundKind, VERSION};
use landform_cli::ground_textures::{are_there, draw};
use landform_cli::stop::{Result, Stop, say};
use std::path::{Path, PathBuf};

/// Texels a side of a texture.
const SIZE: u32 = 1024;

/// The folder of the textures, which are drawn where they are not there.
pub(crate) fn folder() -> Result<PathBuf> {
    let (folders, name) = (cache::folders(), format!("ground-{VERSION}-{SIZE}"));
    let missing = |folder: &Path| -> Vec<_> {
        GroundKind::ALL.into_iter().filter(|kind| !are_there(folder, *kind)).collect()
    };
    if let Some(folder) = folders.iter().map(|folder| folder.join(&name)).find(|it| missing(it).is_empty()) {
        return Ok(folder);
    }
    let place = cache::writable(&folders).map_err(|error| {
        Stop::new(format!(
            "the textures of the layers have no place to be drawn to: {error}; set XDG_CACHE_HOME to a folder that can \
             be written"
        ))
    })?;
    let folder = place.join(&name);
    let missing = missing(&folder);
    say(format_args!(
        "Drawing the textures of {} layers, once; they are kept for the next time.",
        missing.len()
    ));
    for kind in missing {
        draw(&folder, kind, SIZE)?;
    }
    Ok(folder)
}
