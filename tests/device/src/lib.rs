//! What the tests that draw share: fields, views, and a stage to draw them on.

mod cascade_atlas;
mod columns;
mod data;
mod dice;
mod fields;
mod frame_stage;
mod grounds;
mod lit_ground;
mod lit_reference;
mod lit_stage;
mod made_textures;
mod shadow_atlas;
mod sight;
mod stage;
mod top_down;

pub use cascade_atlas::{CascadeAtlas, toward_sun};
pub use columns::{Dropped, magenta_below_ground};
pub use data::shared_field;
pub use dice::Dice;
pub use fields::{hills, noise, random, tiled_hills, towers};
pub use frame_stage::{FrameStage, drawn};
pub use grounds::{bench_field, valley_field};
pub use lit_ground::{lit_cameras, lit_ground};
pub use lit_reference::{Place, SmoothSky};
pub use lit_stage::{Lighting, LitPicture, LitStage, Planes, Recording, known_to, placed};
pub use made_textures::MadeTextures;
pub use shadow_atlas::ShadowAtlas;
pub use sight::{assert_as_rays_see, first_front, pixel_ray};
pub use stage::{Stage, look, look_level, over};
pub use top_down::TopDown;
