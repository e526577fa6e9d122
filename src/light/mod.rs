//! What lights a frame, as values: the sun and its cascades, a clear sky and its harmonics, lamps in clusters. Knows no device
//! and no terrain; `draw` carries it into shaders.
//!
//! Everything is in the world's frame and photometric: illuminance in lux, luminance in cd/m², intensity in candela, as
//! linear RGB of the sRGB primaries with a white of D65.

mod atmosphere;
mod cascades;
mod clusters;
mod harmonics;
mod lamps;
mod scene;

pub use atmosphere::{Atmosphere, ClearSky, SkyTable};
pub use cascades::{CascadeConstants, CascadeLookup, CascadeSettings, Cascades, MOST_CASCADES};
pub use clusters::{ClusterConstants, ClusterGrid, Clusters, MOST_LAMPS, ViewLamps};
pub use harmonics::Harmonics;
pub use lamps::{Cone, Lamp, falloff};
pub use scene::{SUN_RADIUS, SceneLight, ShadowBias};
