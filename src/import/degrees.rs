//! Degrees on the ground, as flat as a map of a few degrees is.

use glam::DVec2;

/// Metres of a degree of latitude: a nautical mile is an arc-minute.
const METRES_A_DEGREE: f64 = 60.0 * 1852.0;

/// Metres of a cell of so many degrees, east and south, at a latitude in degrees: meridians converge by its cosine.
pub(super) fn to_metres(cell: DVec2, latitude: f64) -> DVec2 {
    METRES_A_DEGREE * cell * DVec2::new(latitude.to_radians().cos(), 1.0)
}
