//! Plains with what stands on them, to be looked at in light of the sun.

use crate::look;
use glam::DVec3;
use landform::field::{Field, FieldDesc, Quad};
use landform::plan::{View, Viewport};

/// Heights from a function of metres, over a range in metres.
pub fn of_heights(side: u32, spacing: f64, top: f64, height: impl Fn(f64, f64) -> f64) -> Field {
    let desc = FieldDesc::new(side, side).with_spacing(spacing, spacing).with_range(0.0, top);
    let code = |index: u32| {
        let (x, z) = (f64::from(index % side) * spacing, f64::from(index / side) * spacing);
        (height(x, z) / top * 65535.0).round().clamp(0.0, 65535.0) as u16
    };
    Field::from_samples(desc, (0..side * side).map(code).collect()).expect("a legal description")
}

/// Low swells, 2…22 m, so that a shadow has something to fall over; nowhere steeper than 8°.
pub fn swells(x: f64, z: f64) -> f64 {
    12.0 + 6.0 * (x / 170.0).sin() * (z / 210.0).cos() + 4.0 * (x / 61.0 + z / 83.0).sin()
}

/// A plain of 1024 m with a ridge from west to east at z = 400 m, 110 m high and 60 m wide. A cave goes through it where it is
/// open: the lower 66 m of both slopes are holes from x = 500 m to 544 m, under 44 m of ground that stand.
pub fn cave(open: bool) -> Field {
    let ridge = |z: f64| 110.0 * (1.0 - ((z - 400.0).abs() / 30.0).min(1.0));
    let mut field = of_heights(513, 2.0, 160.0, |x, z| swells(x, z) + ridge(z));
    let rows = || (185..194).chain(206..215);
    for (x, z) in (250..272).flat_map(|x| rows().map(move |z| (x, z))) {
        field.set_hole(Quad::new(x, z), open);
    }
    field
}

/// From the south of the [`cave`]: its mouth, what shines through, and beyond the ridge's shade the plain in the sun.
pub fn cave_view(viewport: Viewport) -> View {
    look(DVec3::new(560.0, 150.0, 970.0), -5.0, -16.0, viewport)
}
