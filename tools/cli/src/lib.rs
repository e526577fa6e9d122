//! What the programs that show maps share: the options of an import, reading with a progress bar, cameras, a scene that is
//! drawn into a picture, under the preview's light or in a frame of its own, exit codes. The programs are `landform`, in this package, and the example `valley`.

pub mod camera;
pub mod day;
pub mod devices;
pub mod ground;
pub mod ground_textures;
pub mod layers;
pub mod lit;
pub mod overview;
pub mod parse;
pub mod read;
pub mod report;
pub mod scene;
pub mod stop;
pub mod unfinished;

mod import_args;
mod look_args;

pub use import_args::ImportArgs;
pub use layers::LayerArgs;
pub use look_args::LookArgs;

/// The code of docs/layers.md, which is compiled.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/layers.md")]
struct LayersPage;
