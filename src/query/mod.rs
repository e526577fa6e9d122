//! What a game asks the ground each frame: heights, normals, layers and rays.
//!
//! Everything here is in the field's own frame: metres, x east and z south of sample (0, 0), y up, on the scale of the
//! declared height range. All arithmetic is f64, nothing allocates, and equal inputs give equal results everywhere.
//!
//! **Which surface.** Heights, face normals and rays mean the triangles of level 0: the drawn surface at full detail,
//! not a bilinear one. [`normal_at`] alone is smooth, as shading is.
//!
//! **Borders belong to the ground.** A triangle includes its edges. A point on the edge between an open and a closed
//! quad is ground, and so are the map's outermost samples. A point that only open quads touch is a hole. Answers for a
//! hole, for a place outside the map and for a coordinate that is not finite are all `None`, never 0 and never NaN.

mod layers;
mod ray;
mod surface;
mod triangle;
mod walk;

pub use layers::{dominant, layer_at, weights_at};
pub use ray::{RayHit, raycast};
pub use surface::{face_normal_at, height_at, heights, normal_at};
