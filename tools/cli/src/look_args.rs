//! The options of a picture.

use crate::parse::choice;
use clap::Args;
use landform::plan::ViewMode;

/// How a map is shown.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "View")]
pub struct LookArgs {
    /// What is shown: the ground in daylight; the level of detail λ as a hue a level; normals (east red, north green,
    /// up blue); a colour a tile; or the lattice of triangles
    #[arg(long, value_name = "MODE", default_value = "shaded",
        value_parser = choice(ViewMode::ALL.map(|mode| (mode.name(), mode))))]
    pub mode: ViewMode,
    /// Samples a pixel: 4 for smooth edges, 1 for quick pictures
    #[arg(long, value_name = "1|4", default_value = "4", value_parser = choice([("1", 1u32), ("4", 4)]))]
    pub samples: u32,
}
