//! Level of detail: how far each level reaches, which nodes a view needs, how a vertex morphs.
//!
//! Continuous distance-dependent level of detail (Strugar, *Continuous Distance-Dependent Level of Detail for
//! Rendering Heightmaps*, 2010) with the morph taken a vertex instead of a node. Everything that depends on level of
//! detail is a function of one number at a place, [`level_field::distance`]. Two patches that share an edge compute
//! the same numbers from the same inputs, and [`LodRanges`] cannot be made so that two neighbours differ by more than
//! a level or meet with different morphs. There is nothing to stitch.

mod frustum;
pub mod lattice;
pub mod level_field;
pub mod place;
mod ranges;
mod select;
mod zoom;

pub use frustum::Frustum;
pub use lattice::GridSize;
pub use ranges::{DerivedRanges, LodGeometry, LodRanges, LodSettings};
pub use select::{SelectInput, SelectStats, node_bounds, select};
pub use zoom::NearTracker;
