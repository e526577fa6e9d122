//! The height and the normals at a place.

use crate::field::{Field, HoleMask, Quad};
use glam::{DVec2, DVec3};

/// The height in metres of the level-0 triangle at `place` (x east, z south, in metres of the field's frame), or
/// `None` in a hole, outside the map, or where a coordinate is not finite.
///
/// At a sample, that is at `index as f64 * spacing`, it is bit for bit the sample's own
/// [`Field::sample_metres`].
pub fn height_at(field: &Field, place: DVec2) -> Option<f64> {
    height(field, field.desc().spacing.recip(), place)
}

/// [`height_at`] for many places: `out[i]` becomes the height at `places[i]`.
///
/// # Panics
/// Where the two slices differ in length.
pub fn heights(field: &Field, places: &[DVec2], out: &mut [Option<f64>]) {
    assert_eq!(places.len(), out.len(), "heights needs one result for each place");
    let density = field.desc().spacing.recip();
    for (&place, out) in places.iter().zip(out) {
        *out = height(field, density, place);
    }
}

/// The smooth unit normal at `place`, its y above 0: the one that shading at full detail means. `None` where
/// [`height_at`] is.
///
/// It belongs to slopes taken at the samples over one sample to either side (to the inner side alone at the map's
/// edge), and interpolated bilinearly between them, so it is continuous across triangles and quads. Samples inside a
/// hole count with the heights they hold. [`face_normal_at`] is the normal of the triangle itself.
pub fn normal_at(field: &Field, place: DVec2) -> Option<DVec3> {
    let spot = Spot::find(field, field.desc().spacing.recip(), place)?;
    let Quad { x, z } = spot.quad;
    let north = slope(field, x, z).lerp(slope(field, x + 1, z), spot.east);
    let south = slope(field, x, z + 1).lerp(slope(field, x + 1, z + 1), spot.east);
    Some(upright(north.lerp(south, spot.south)))
}

/// The unit normal of the level-0 triangle at `place`, its y above 0. `None` where [`height_at`] is.
///
/// On a diagonal it is the north triangle's. [`normal_at`] is the smooth one.
pub fn face_normal_at(field: &Field, place: DVec2) -> Option<DVec3> {
    face_at(field, place).map(|(_, normal)| normal)
}

/// The quad at a place, and the normal of its triangle there.
pub(super) fn face_at(field: &Field, place: DVec2) -> Option<(Quad, DVec3)> {
    let spot = Spot::find(field, field.desc().spacing.recip(), place)?;
    let codes = Corners::of(field, spot.quad);
    let scale = field.desc().range.metres_per_code() / field.desc().spacing;
    Some((spot.quad, upright(codes.slope(&spot) * scale)))
}

/// `density` is samples a metre, which many places share.
#[inline]
fn height(field: &Field, density: DVec2, place: DVec2) -> Option<f64> {
    let spot = Spot::find(field, density, place)?;
    Some(field.desc().range.metres(Corners::of(field, spot.quad).code(&spot)))
}

/// The slope at a sample, in metres of height a metre east and a metre south.
fn slope(field: &Field, x: u32, z: u32) -> DVec2 {
    let desc = field.desc();
    let (west, east) = (x.saturating_sub(1), (x + 1).min(desc.quads_x()));
    let (north, south) = (z.saturating_sub(1), (z + 1).min(desc.quads_z()));
    let code = |x: u32, z: u32| f64::from(field.samples()[z as usize * desc.width as usize + x as usize]);
    let rise = DVec2::new(code(east, z) - code(west, z), code(x, south) - code(x, north));
    let run = DVec2::new(f64::from(east - west), f64::from(south - north)) * desc.spacing;
    rise * desc.range.metres_per_code() / run
}

/// The unit normal of a surface with this slope.
fn upright(slope: DVec2) -> DVec3 {
    DVec3::new(-slope.x, 1.0, -slope.y).normalize()
}

/// A closed quad and the place in it, as fractions from its north-west sample: 0 to 1, exact at both ends.
pub(super) struct Spot {
    pub(super) quad: Quad,
    pub(super) east: f64,
    pub(super) south: f64,
}

impl Spot {
    pub(super) fn find(field: &Field, density: DVec2, place: DVec2) -> Option<Self> {
        let desc = field.desc();
        let (x, east) = along(place.x, desc.spacing.x, density.x, desc.quads_x())?;
        let (z, south) = along(place.y, desc.spacing.y, density.y, desc.quads_z())?;
        let spot = Self { quad: Quad::new(x, z), east, south };
        if field.is_hole(spot.quad) { spot.beside_a_hole(field.holes()) } else { Some(spot) }
    }

    /// The same place as the border of a closed neighbour in the west, the north or the north-west.
    fn beside_a_hole(&self, holes: &HoleMask) -> Option<Self> {
        let Quad { x, z } = self.quad;
        let west = (self.east == 0.0 && x > 0).then(|| (x - 1, 1.0));
        let north = (self.south == 0.0 && z > 0).then(|| (z - 1, 1.0));
        let (here_x, here_z) = ((x, self.east), (z, self.south));
        [(west, Some(here_z)), (Some(here_x), north), (west, north)]
            .into_iter()
            .filter_map(|(x, z)| Some((x?, z?)))
            .map(|((x, east), (z, south))| Self { quad: Quad::new(x, z), east, south })
            .find(|spot| !holes.is_hole(spot.quad))
    }

    /// True in the triangle north of the quad's diagonal, the diagonal included.
    fn in_north(&self) -> bool {
        if self.quad.falls_south_east() { self.south <= self.east } else { self.south <= 1.0 - self.east }
    }
}

/// The quad along one axis, and how far into it `metres` lies. Sample `i` stands at `i as f64 * spacing` exactly; the
/// product with the density may miss that by one rounding and answer for the wrong quad.
fn along(metres: f64, spacing: f64, density: f64, quads: u32) -> Option<(u32, f64)> {
    let end = f64::from(quads) * spacing;
    // Written so that NaN fails.
    if !(metres >= 0.0 && metres <= end && metres.is_finite()) {
        return None;
    }
    let guess = ((metres * density) as u32).min(quads - 1);
    let quad = if f64::from(guess) * spacing > metres {
        guess - 1
    } else if guess + 1 < quads && f64::from(guess + 1) * spacing <= metres {
        guess + 1
    } else {
        guess
    };
    let fraction = if metres == end { 1.0 } else { (metres - f64::from(quad) * spacing) * density };
    Some((quad, fraction.min(1.0)))
}

/// The codes of a quad's samples. They are whole numbers, so that differences of them are exact, and with those the
/// height at a corner and on flat ground.
struct Corners {
    north_west: f64,
    north_east: f64,
    south_west: f64,
    south_east: f64,
}

impl Corners {
    fn of(field: &Field, quad: Quad) -> Self {
        let width = field.desc().width as usize;
        let first = quad.z as usize * width + quad.x as usize;
        let (north, south) =
            (&field.samples()[first..first + 2], &field.samples()[first + width..first + width + 2]);
        Self {
            north_west: f64::from(north[0]),
            north_east: f64::from(north[1]),
            south_west: f64::from(south[0]),
            south_east: f64::from(south[1]),
        }
    }

    /// Codes a quad east and a quad south, in the triangle that holds the spot.
    fn slope(&self, spot: &Spot) -> DVec2 {
        let north = self.north_east - self.north_west;
        let south = self.south_east - self.south_west;
        let west = self.south_west - self.north_west;
        let east = self.south_east - self.north_east;
        match (spot.in_north(), spot.quad.falls_south_east()) {
            (true, true) => DVec2::new(north, east),
            (true, false) => DVec2::new(north, west),
            (false, true) => DVec2::new(south, west),
            (false, false) => DVec2::new(south, east),
        }
    }

    /// The code on the triangle at the spot.
    fn code(&self, spot: &Spot) -> f64 {
        let slope = self.slope(spot);
        // Each triangle is measured from a corner of its own.
        if spot.quad.falls_south_east() || spot.in_north() {
            self.north_west + slope.x * spot.east + slope.y * spot.south
        } else {
            self.south_east - slope.x * (1.0 - spot.east) - slope.y * (1.0 - spot.south)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{FieldDesc, Sample};

    #[test]
    fn every_sample_is_found_where_it_stands() {
        for spacing in [0.1, 1.0 / 3.0, 0.7, 1.0, 30.922080775909325, 75.9, 1e-9, 1e9] {
            for quads in [1, 7, 4096, (1 << 22) - 1] {
                for i in (0..=quads).step_by((quads as usize / 5000).max(1)) {
                    let (quad, fraction) =
                        along(f64::from(i) * spacing, spacing, spacing.recip(), quads).unwrap();
                    assert_eq!(
                        (f64::from(quad) + fraction, fraction.fract()),
                        (f64::from(i), 0.0),
                        "{i} × {spacing}"
                    );
                }
            }
            let end = 7.0 * spacing;
            let along = |metres: f64| along(metres, spacing, spacing.recip(), 7);
            assert!(along(end.next_up()).is_none() && along(-f64::MIN_POSITIVE).is_none());
            assert!(along(-0.0) == Some((0, 0.0)));
        }
    }

    #[test]
    fn a_border_of_a_hole_is_ground() {
        let mut field = Field::new(FieldDesc::new(5, 4).with_range(-3.0, 9.0)).unwrap();
        field.set_hole(Quad::new(1, 1), true);
        let at = |x, z| height_at(&field, DVec2::new(x, z));
        assert_eq!(at(1.5, 1.5), None);
        assert_eq!(at(f64::next_up(1.0), f64::next_down(2.0)), None);
        for (x, z) in [(1.0, 1.5), (2.0, 1.5), (1.5, 1.0), (1.5, 2.0), (1.0, 1.0), (2.0, 2.0), (1.0, 2.0)] {
            assert_eq!(at(x, z), Some(-3.0), "{x} {z}");
        }
        field.open_sample(Sample::new(4, 3));
        assert_eq!(height_at(&field, DVec2::new(4.0, 3.0)), None, "only an open quad touches this corner");
        assert_eq!(height_at(&field, DVec2::new(3.0, 3.0)), Some(-3.0), "the quad in the west is closed");
        field.open_sample(Sample::new(2, 2));
        assert_eq!(height_at(&field, DVec2::new(2.0, 2.0)), None, "all four are open");
    }

    #[test]
    fn a_slope_has_one_normal() {
        let desc = FieldDesc::new(9, 7).with_spacing(2.0, 5.0).with_range(0.0, 65535.0);
        let samples = (0..9 * 7u16).map(|i| 100 + 4 * (i % 9) + 15 * (i / 9)).collect();
        let field = Field::from_samples(desc, samples).unwrap();
        let expected = DVec3::new(-2.0, 1.0, -3.0).normalize();
        for (x, z) in [(0.0, 0.0), (16.0, 30.0), (7.3, 11.1), (0.4, 29.9), (15.9, 0.2)] {
            let place = DVec2::new(x, z);
            assert!((normal_at(&field, place).unwrap() - expected).length() < 1e-12);
            assert!((face_normal_at(&field, place).unwrap() - expected).length() < 1e-12);
        }
        assert_eq!(normal_at(&field, DVec2::new(16.01, 3.0)), None);
        assert_eq!(face_normal_at(&field, DVec2::new(3.0, f64::NAN)), None);
    }
}
