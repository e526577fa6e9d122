//! Slope and curvature at a sample, from a window of 3×3 samples that is wide enough for the steps between two codes not
//! to show.

use crate::field::Field;

/// The form of a field's ground.
pub(super) struct Shape<'a> {
    samples: &'a [u16],
    size: [usize; 2],
    metres_per_code: f32,
    slope: Window,
    curvature: Window,
}

/// How far apart the samples of a window are.
#[derive(Clone, Copy, Debug)]
struct Window {
    /// Samples in x and in z.
    step: [usize; 2],
    /// Metres in x and in z.
    metres: [f32; 2],
}

impl Window {
    /// The window whose samples are at least `reach` metres apart, or as far as the map allows.
    fn new(field: &Field, reach: f64) -> Self {
        let desc = field.desc();
        let step = |spacing: f64, side: u32| ((reach / spacing).ceil() as usize).clamp(1, side as usize - 1);
        let step = [step(desc.spacing.x, desc.width), step(desc.spacing.y, desc.height)];
        let metres = [desc.spacing.x * step[0] as f64, desc.spacing.y * step[1] as f64];
        Self { step, metres: metres.map(|metres| metres as f32) }
    }
}

impl<'a> Shape<'a> {
    /// The form of this field. Slopes are measured over samples 2 m apart and curvature over ones 4 m apart, at least; where
    /// codes are far apart over wider ones, up to 64 m, so that rounding to a code moves a slope by about a quarter of a
    /// degree and a curvature by about 0.5/km.
    pub(super) fn new(field: &'a Field) -> Self {
        let desc = field.desc();
        let code = desc.range.metres_per_code();
        // Rounding errs by 0.29 codes a sample, which the sums below make 1/8 of a code over the window's reach, and 0.7 of
        // one over its square.
        let slope = (32.0 * code).clamp(2.0, 64.0);
        let curvature = (1500.0 * code).sqrt().clamp(4.0, 64.0);
        Self {
            samples: field.samples(),
            size: [desc.width as usize, desc.height as usize],
            metres_per_code: code as f32,
            slope: Window::new(field, slope),
            curvature: Window::new(field, curvature),
        }
    }

    /// Degrees from level, 0 to below 90, by Sobel's weights.
    pub(super) fn slope(&self, x: usize, z: usize) -> f32 {
        let h = self.window(x, z, self.slope);
        let east = (h[2] + 2.0 * h[5] + h[8]) - (h[0] + 2.0 * h[3] + h[6]);
        let south = (h[6] + 2.0 * h[7] + h[8]) - (h[0] + 2.0 * h[1] + h[2]);
        let [dx, dz] = self.slope.metres;
        (east / (8.0 * dx)).hypot(south / (8.0 * dz)).atan().to_degrees()
    }

    /// The mean curvature of the surface in 1/km, above 0 in a hollow: 1000 over the radius in metres of a ball that fits
    /// it. From the quadratic that fits the window best (Evans 1980; Wood 1996).
    pub(super) fn curvature(&self, x: usize, z: usize) -> f32 {
        let h = self.window(x, z, self.curvature);
        let [dx, dz] = self.curvature.metres;
        let p = (h[2] + h[5] + h[8] - h[0] - h[3] - h[6]) / (6.0 * dx);
        let q = (h[6] + h[7] + h[8] - h[0] - h[1] - h[2]) / (6.0 * dz);
        let r = (h[0] + h[2] + h[3] + h[5] + h[6] + h[8] - 2.0 * (h[1] + h[4] + h[7])) / (3.0 * dx * dx);
        let t = (h[0] + h[1] + h[2] + h[6] + h[7] + h[8] - 2.0 * (h[3] + h[4] + h[5])) / (3.0 * dz * dz);
        let s = (h[0] + h[8] - h[2] - h[6]) / (4.0 * dx * dz);
        let steep = 1.0 + p * p + q * q;
        let bent = (1.0 + q * q) * r - 2.0 * p * q * s + (1.0 + p * p) * t;
        1000.0 * bent / (2.0 * steep * steep.sqrt())
    }

    /// Heights of a window, metres above code 0, row by row. Past the map's edge the ground goes on as it came: a plane is a
    /// plane to its edge.
    fn window(&self, x: usize, z: usize, window: Window) -> [f32; 9] {
        let [columns, rows] = self.size;
        let (xs, zs) = (reach(x, window.step[0], columns), reach(z, window.step[1], rows));
        let mut heights = [0.0; 9];
        for (row, &(edge, mirror)) in zs.iter().enumerate() {
            for (column, &at) in xs.iter().enumerate() {
                let mut codes = self.code(at, edge);
                if mirror != edge {
                    codes = 2.0 * codes - self.code(at, mirror);
                }
                heights[row * 3 + column] = codes * self.metres_per_code;
            }
        }
        heights
    }

    fn code(&self, (edge, mirror): (usize, usize), z: usize) -> f32 {
        let row = &self.samples[z * self.size[0]..][..self.size[0]];
        if mirror == edge {
            f32::from(row[edge])
        } else {
            2.0 * f32::from(row[edge]) - f32::from(row[mirror])
        }
    }
}

/// The three places of a window on an axis of `side` samples: each a sample twice; or, past the edge, the edge and the sample
/// as far inside.
fn reach(at: usize, step: usize, side: usize) -> [(usize, usize); 3] {
    let before = if at >= step { (at - step, at - step) } else { (0, step - at) };
    let last = side - 1;
    let after = if at + step <= last { (at + step, at + step) } else { (last, 2 * last - at - step) };
    [before, (at, at), after]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldDesc;

    /// A field of this ground, 120 × 90 samples.
    fn ground(spacing: (f64, f64), top: f64, height: impl Fn(f64, f64) -> f64) -> Field {
        let desc = FieldDesc::new(120, 90).with_spacing(spacing.0, spacing.1).with_range(0.0, top);
        let code = |at: usize| {
            let (x, z) = ((at % 120) as f64 * spacing.0, (at / 120) as f64 * spacing.1);
            desc.range.code(height(x, z))
        };
        Field::from_samples(desc, (0..120 * 90).map(code).collect()).unwrap()
    }

    #[test]
    fn a_plane_has_its_slope_up_to_its_corners() {
        let field = ground((0.5, 2.0), 200.0, |x, z| 20.0 + 0.6 * x + 0.8 * z);
        let shape = Shape::new(&field);
        for (x, z) in [(0, 0), (119, 89), (0, 50), (60, 0), (60, 45), (119, 1)] {
            assert!((shape.slope(x, z) - 45.0).abs() < 0.3, "{} at {x} {z}", shape.slope(x, z));
            assert!(shape.curvature(x, z).abs() < 1.0, "{} at {x} {z}", shape.curvature(x, z));
        }
    }

    #[test]
    fn steps_between_codes_do_not_show() {
        // 0.5 m a code, as in a file of a whole range of mountains.
        let field = ground((1.0, 1.0), 32767.5, |x, z| 500.0 + 0.1 * x + 0.02 * z);
        let shape = Shape::new(&field);
        let truth = 0.1f32.hypot(0.02).atan().to_degrees();
        for z in 20..70 {
            for x in 20..100 {
                assert!((shape.slope(x, z) - truth).abs() < 1.0, "{} at {x} {z}", shape.slope(x, z));
            }
        }
    }

    #[test]
    fn a_bowl_is_hollow_and_a_dome_is_a_crest() {
        let ball =
            |x: f64, z: f64| 200.0 - (200.0f64.powi(2) - (x - 60.0).powi(2) - (z - 45.0).powi(2)).sqrt();
        let bowl = ground((1.0, 1.0), 60.0, ball);
        let dome = ground((1.0, 1.0), 60.0, |x, z| 60.0 - ball(x, z));
        for (x, z) in [(60, 45), (80, 45), (40, 60)] {
            let (hollow, crest) = (Shape::new(&bowl).curvature(x, z), Shape::new(&dome).curvature(x, z));
            assert!((hollow - 5.0).abs() < 0.25 && (crest + 5.0).abs() < 0.25, "{hollow} {crest}");
        }
    }

    #[test]
    fn the_smallest_map_has_slopes() {
        let desc = FieldDesc::new(2, 2).with_range(0.0, 10.0);
        let field = Field::from_samples(desc, vec![0, 65535, 0, 65535]).unwrap();
        assert!((Shape::new(&field).slope(1, 0) - 10.0f32.atan().to_degrees()).abs() < 1e-3);
        assert_eq!(Shape::new(&field).curvature(0, 1), 0.0);
    }
}
