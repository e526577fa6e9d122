//! What a frame is to do, as a value: which tiles to upload, which nodes to draw, with what constants. Knows no device;
//! every rule of the frame can be tested on the plan alone.
//!
//! Uploads are the difference between what the field holds and what a renderer confirmed ([`Residency`]). A plan that
//! is dropped, repeated or played by two renderers loses nothing: what was not confirmed is planned again.

mod casters;
mod constants;
mod frame;
mod ground;
mod history;
mod material;
mod placement;
mod residency;
mod terrain;
mod uploads;
mod view;

pub use casters::CasterSettings;
pub use frame::{FramePlan, TileUpload, ViewPlan};
pub use placement::Placement;
pub use residency::{Residency, WeightShape};
pub use terrain::{Terrain, TerrainSettings};
pub use view::{Preview, View, ViewId, ViewMode, Viewport};
