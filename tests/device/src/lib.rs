//! What the tests that draw share: fields, views, and a stage to draw them on.

mod columns;
mod fields;
mod stage;

pub use columns::magenta_below_ground;
pub use fields::{hills, noise, random, towers};
pub use stage::{Stage, look};
