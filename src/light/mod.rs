//! What lights a frame, as values: the sun and its cascades, a clear sky and its harmonics, a night, lamps in clusters. Knows no device
//! and no terrain; `draw` carries it into shaders.
//!
//! Everything is in the world's frame and photometric: illuminance in lux, luminance in cd/m², intensity in candela, as
//! linear RGB of the sRGB primaries with a white of D65.

mod atmosphere;
mod cascades;
mod clusters;
mod harmonics;
mod lamps;
mod night;
mod scene;
mod stars;

pub use atmosphere::{Atmosphere, ClearSky, SkyTable};
pub use cascades::{CascadeConstants, CascadeLookup, CascadeSettings, Cascades, MOST_CASCADES};
pub use clusters::{ClusterConstants, ClusterGrid, Clusters, MOST_LAMPS, ViewLamps};
pub use harmonics::Harmonics;
pub use lamps::{Cone, Lamp, falloff};
pub use night::{AIRGLOW, MOON_RADIUS, Moon, MoonLight, Night, NightLight, StarLight};
pub use scene::{SUN_RADIUS, SceneLight, ShadowBias};
pub use stars::{Star, stars};

/// The photometric part of a linear RGB of the sRGB primaries: lux of lux, cd/m² of cd/m² (IEC 61966-2-1).
fn luminance(light: glam::Vec3) -> f32 {
    light.dot(glam::Vec3::new(0.2126, 0.7152, 0.0722))
}

/// A direction by its elevation and its azimuth, in degrees.
#[cfg(test)]
fn direction(elevation: f32, azimuth: f32) -> glam::Vec3 {
    let ((up, flat), (z, x)) = (elevation.to_radians().sin_cos(), azimuth.to_radians().sin_cos());
    glam::Vec3::new(x * flat, up, z * flat)
}
