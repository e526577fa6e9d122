//! What the tests that draw share: fields, views, and a stage to draw them on.

mod columns;
mod data;
mod fields;
mod made_textures;
mod sight;
mod stage;
mod top_down;

pub use columns::{Dropped, magenta_below_ground};
pub use data::shared_field;
pub use fields::{hills, noise, random, tiled_hills, towers};
pub use made_textures::MadeTextures;
pub use sight::{assert_as_rays_see, first_front, pixel_ray};
pub use stage::{Stage, look, look_level, over};
pub use top_down::TopDown;
