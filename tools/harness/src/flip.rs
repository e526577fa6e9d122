//! LDR-FLIP: how different two pictures look to a person who flips between them.
//!
//! P. Andersson, J. Nilsson, T. Akenine-Möller, M. Oskarsson, K. Åström, M. D. Fairchild, "FLIP: A Difference Evaluator
//! for Alternating Images", Proceedings of the ACM on Computer Graphics and Interactive Techniques 3(2), 2020. What the
//! eye does not resolve at the viewing distance is filtered away before colours are compared, and where edges and points
//! differ the difference in colour counts for more.

use crate::{Failure, Image8, Result};

/// Pixels a degree of what is seen: a picture on a 0.7 m wide display of 3840 pixels, seen from 0.7 m.
pub const FLIP_PIXELS_PER_DEGREE: f32 = 67.0;

/// The mean of [`flip_map`] at [`FLIP_PIXELS_PER_DEGREE`]: 0 where the pictures are equal, and at most 1.
///
/// # Errors
/// A sentence where the two are not of one size.
pub fn mean_flip(reference: &Image8, test: &Image8) -> Result<f64> {
    Ok(mean(&flip_map(reference, test, FLIP_PIXELS_PER_DEGREE)?))
}

/// How different each pixel looks, row by row, 0 … 1, at this many pixels a degree of what is seen.
///
/// The pictures are sRGB; alpha is left out. The order of the two makes no difference.
///
/// # Errors
/// A sentence where the two are not of one size, or where `pixels_per_degree` is not within 1 … 1000.
pub fn flip_map(reference: &Image8, test: &Image8, pixels_per_degree: f32) -> Result<Vec<f32>> {
    if (reference.width, reference.height) != (test.width, test.height) {
        return Err(Failure::new(format!("a {reference:?} cannot be compared with a {test:?}")));
    }
    if !(1.0..=1000.0).contains(&pixels_per_degree) {
        return Err(Failure::new(format!("{pixels_per_degree} pixels a degree are not within 1 and 1000")));
    }
    if reference.data.is_empty() {
        return Ok(Vec::new());
    }
    let filters = Filters::new(f64::from(pixels_per_degree));
    let (a, b) = (Seen::new(reference, &filters), Seen::new(test, &filters));
    let most = hyab(hunt_lab([0.0, 1.0, 0.0]), hunt_lab([0.0, 0.0, 1.0])).powf(QC);
    let pixel = |at: usize| {
        let color = redistributed(hyab(a.lab[at], b.lab[at]).powf(QC), most);
        let edge = (a.edges[at] - b.edges[at]).abs();
        let point = (a.points[at] - b.points[at]).abs();
        let feature = (edge.max(point) * std::f32::consts::FRAC_1_SQRT_2).sqrt();
        color.powf(1.0 - feature.min(1.0))
    };
    Ok((0..a.lab.len()).map(pixel).collect())
}

/// The mean of a map; that of no pixels is 0.
pub(crate) fn mean(map: &[f32]) -> f64 {
    map.iter().map(|value| f64::from(*value)).sum::<f64>() / map.len().max(1) as f64
}

/// The exponent that compresses large differences in colour.
const QC: f32 = 0.7;
/// Differences up to this fraction of the largest one …
const PC: f32 = 0.4;
/// … have the values up to this one.
const PT: f32 = 0.95;
/// The width of a feature that the detectors answer to, in degrees.
const FEATURE_WIDTH: f64 = 0.082;

/// Linear sRGB to XYZ, relative to the white that is (1, 1, 1), so that every row sums to 1: from the chromaticities of
/// the primaries and of D65, (0.3127, 0.3290).
const XYZ_FROM_RGB: [[f32; 3]; 3] =
    [[0.433887, 0.376224, 0.189889], [0.212639, 0.715169, 0.072192], [0.017750, 0.109448, 0.872802]];

/// The inverse of [`XYZ_FROM_RGB`].
const RGB_FROM_XYZ: [[f32; 3]; 3] =
    [[3.080399, -1.537383, -0.543016], [-0.921223, 1.875967, 0.045256], [0.052874, -0.203977, 1.151103]];

/// What is made of one picture before two are compared; a value a pixel.
struct Seen {
    /// L*a*b* with Hunt's adjustment, of what the eye resolves.
    lab: Vec<[f32; 3]>,
    /// How strong an edge is.
    edges: Vec<f32>,
    /// How strong a point or a thin line is.
    points: Vec<f32>,
}

impl Seen {
    fn new(image: &Image8, filters: &Filters) -> Seen {
        let width = image.width as usize;
        let [y, cx, cz] = opponent(image);
        let lab = {
            let y = smoothed(&y, width, &filters.achromatic);
            let red_green = smoothed(&cx, width, &filters.red_green);
            let blue_yellow = smoothed(&cz, width, &filters.blue_yellow);
            let pixels = y.iter().zip(&red_green).zip(&blue_yellow);
            pixels.map(|((y, cx), cz)| hunt_lab(rgb_from_opponent([*y, *cx, *cz]))).collect()
        };
        // The features are found in what is drawn, not in what the eye resolves.
        let grey: Vec<f32> = y.iter().map(|y| (y + 16.0) / 116.0).collect();
        let edges = gradient(&grey, width, &filters.smooth, &filters.edge);
        let points = gradient(&grey, width, &filters.smooth, &filters.point);
        Seen { lab, edges, points }
    }
}

/// A symmetric or antisymmetric row of weights, of an odd count, with the middle one at 0.
type Kernel = Vec<f32>;

/// A radially symmetric filter: a weighted sum of separable Gaussians. The weights sum to 1.
type Gaussians = Vec<(f32, Kernel)>;

struct Filters {
    achromatic: Gaussians,
    red_green: Gaussians,
    blue_yellow: Gaussians,
    smooth: Kernel,
    edge: Kernel,
    point: Kernel,
}

impl Filters {
    fn new(pixels_per_degree: f64) -> Filters {
        // The constants of the paper: each pair is an `a` and a `b` of `a √(π/b) exp(-π² x² / b)`, x in degrees.
        let sensitivity = |terms: &[(f64, f64)]| contrast_sensitivity(terms, pixels_per_degree);
        let deviation = 0.5 * FEATURE_WIDTH * pixels_per_degree;
        let radius = (3.0 * deviation).ceil() as i32;
        let gaussian = |x: f64| (-x * x / (2.0 * deviation * deviation)).exp();
        Filters {
            achromatic: sensitivity(&[(1.0, 0.0047)]),
            red_green: sensitivity(&[(1.0, 0.0053)]),
            blue_yellow: sensitivity(&[(34.1, 0.04), (13.5, 0.025)]),
            smooth: detector(radius, gaussian),
            edge: detector(radius, |x| -x * gaussian(x)),
            point: detector(radius, |x| (x * x / (deviation * deviation) - 1.0) * gaussian(x)),
        }
    }
}

/// A contrast sensitivity function as a filter of the picture. A Gaussian of two dimensions is a product of two, so that
/// what remains of the sum's normalisation is a weight for each.
fn contrast_sensitivity(terms: &[(f64, f64)], pixels_per_degree: f64) -> Gaussians {
    use std::f64::consts::PI;
    // Three deviations of the widest Gaussian of any of the three functions: they have one radius in the paper.
    const WIDEST: f64 = 0.04;
    let radius = (3.0 * (WIDEST / (2.0 * PI * PI)).sqrt() * pixels_per_degree).ceil() as i32;
    let gaussian = |x: i32, b: f64| (-(PI * f64::from(x) / pixels_per_degree).powi(2) / b).exp();
    let sum = |b: f64| (-radius..=radius).map(|x| gaussian(x, b)).sum::<f64>();
    let volume = |(a, b): (f64, f64)| a * (PI / b).sqrt() * sum(b).powi(2);
    let whole: f64 = terms.iter().map(|term| volume(*term)).sum();
    let kernel = |b: f64| (-radius..=radius).map(|x| (gaussian(x, b) / sum(b)) as f32).collect();
    terms.iter().map(|&(a, b)| ((volume((a, b)) / whole) as f32, kernel(b))).collect()
}

/// A detector along one axis: its positive weights sum to 1, and its negative ones to -1 where it has some.
fn detector(radius: i32, weight: impl Fn(f64) -> f64) -> Kernel {
    let weights: Vec<f64> = (-radius..=radius).map(|x| weight(f64::from(x))).collect();
    let positive: f64 = weights.iter().filter(|weight| **weight > 0.0).sum();
    let negative: f64 = weights.iter().filter(|weight| **weight < 0.0).sum();
    // A weight of 0 is divided as well, so that neither sum may be.
    let (positive, negative) = (positive.max(f64::MIN_POSITIVE), negative.abs().max(f64::MIN_POSITIVE));
    weights.iter().map(|weight| (weight / if *weight > 0.0 { positive } else { negative }) as f32).collect()
}

/// YCxCz of the pixels, the linear relative of L*a*b*, as three planes.
fn opponent(image: &Image8) -> [Vec<f32>; 3] {
    let linear: [f32; 256] = std::array::from_fn(|byte| linear(byte as f32 / 255.0));
    let mut planes = [(); 3].map(|()| Vec::with_capacity(image.data.len() / 4));
    for [r, g, b, _] in image.pixels() {
        let [x, y, z] = times(&XYZ_FROM_RGB, [r, g, b].map(|byte| linear[usize::from(byte)]));
        let values = [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)];
        for (plane, value) in planes.iter_mut().zip(values) {
            plane.push(value);
        }
    }
    planes
}

/// The transfer function of sRGB, IEC 61966-2-1.
fn linear(encoded: f32) -> f32 {
    if encoded <= 0.04045 { encoded / 12.92 } else { ((encoded + 0.055) / 1.055).powf(2.4) }
}

/// Linear RGB of YCxCz; a filter may lead out of what can be shown, which is clamped.
fn rgb_from_opponent([y, cx, cz]: [f32; 3]) -> [f32; 3] {
    let y = (y + 16.0) / 116.0;
    times(&RGB_FROM_XYZ, [y + cx / 500.0, y, y - cz / 200.0]).map(|channel| channel.clamp(0.0, 1.0))
}

/// L*a*b* of linear RGB, with a* and b* weaker where it is dark: the effect that Hunt described.
fn hunt_lab(rgb: [f32; 3]) -> [f32; 3] {
    const DELTA: f32 = 6.0 / 29.0;
    let [x, y, z] = times(&XYZ_FROM_RGB, rgb).map(|value| {
        if value > DELTA * DELTA * DELTA { value.cbrt() } else { value / (3.0 * DELTA * DELTA) + 4.0 / 29.0 }
    });
    let lightness = 116.0 * y - 16.0;
    [lightness, 0.01 * lightness * 500.0 * (x - y), 0.01 * lightness * 200.0 * (y - z)]
}

/// The distance of Abasi, Amani Tehran and Fairchild 2020 for large differences: city block between lightness and colour.
fn hyab(a: [f32; 3], b: [f32; 3]) -> f32 {
    (a[0] - b[0]).abs() + (a[1] - b[1]).hypot(a[2] - b[2])
}

/// A compressed distance as 0 … 1: what is small takes most of the range, since the large ones all look alike.
fn redistributed(distance: f32, most: f32) -> f32 {
    let knee = PC * most;
    if distance < knee {
        distance * PT / knee
    } else {
        (PT + (distance - knee) / (most - knee) * (1.0 - PT)).min(1.0)
    }
}

fn times(matrix: &[[f32; 3]; 3], [x, y, z]: [f32; 3]) -> [f32; 3] {
    matrix.map(|row| row[0] * x + row[1] * y + row[2] * z)
}

fn smoothed(plane: &[f32], width: usize, filter: &Gaussians) -> Vec<f32> {
    let mut sum = vec![0.0; plane.len()];
    for (weight, kernel) in filter {
        let one = columns(&rows(plane, width, kernel), width, kernel);
        add_scaled(&mut sum, &one, *weight);
    }
    sum
}

/// The length of what a detector finds along the rows and along the columns.
fn gradient(plane: &[f32], width: usize, smooth: &Kernel, detector: &Kernel) -> Vec<f32> {
    let along = columns(&rows(plane, width, detector), width, smooth);
    let across = columns(&rows(plane, width, smooth), width, detector);
    along.iter().zip(&across).map(|(along, across)| along.hypot(*across)).collect()
}

/// Filters every row; beyond its ends the last pixel goes on.
fn rows(plane: &[f32], width: usize, kernel: &Kernel) -> Vec<f32> {
    let radius = kernel.len() / 2;
    let mut out = vec![0.0; plane.len()];
    let mut padded = Vec::with_capacity(width + 2 * radius);
    for (row, out) in plane.chunks_exact(width).zip(out.chunks_exact_mut(width)) {
        padded.clear();
        padded.extend(std::iter::repeat_n(row[0], radius));
        padded.extend_from_slice(row);
        padded.extend(std::iter::repeat_n(row[width - 1], radius));
        for (shift, weight) in kernel.iter().enumerate() {
            add_scaled(out, &padded[shift..shift + width], *weight);
        }
    }
    out
}

/// Filters every column; beyond its ends the last pixel goes on.
fn columns(plane: &[f32], width: usize, kernel: &Kernel) -> Vec<f32> {
    let (radius, last) = (kernel.len() / 2, plane.len() / width - 1);
    let mut out = vec![0.0; plane.len()];
    for (y, out) in out.chunks_exact_mut(width).enumerate() {
        for (shift, weight) in kernel.iter().enumerate() {
            let from = (y + shift).saturating_sub(radius).min(last) * width;
            add_scaled(out, &plane[from..from + width], *weight);
        }
    }
    out
}

fn add_scaled(sum: &mut [f32], values: &[f32], weight: f32) {
    for (sum, value) in sum.iter_mut().zip(values) {
        *sum += weight * value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(width: u32, height: u32, color: impl Fn(u32, u32) -> [u8; 3]) -> Image8 {
        let pixels = (0..width * height).flat_map(|at| {
            let [r, g, b] = color(at % width, at / width);
            [r, g, b, 255]
        });
        Image8 { width, height, data: pixels.collect() }
    }

    fn flat(color: [u8; 3]) -> Image8 {
        drawn(40, 30, |_, _| color)
    }

    #[track_caller]
    fn assert_near(is: f64, wanted: f64, tolerance: f64) {
        assert!((is - wanted).abs() <= tolerance, "it is {is}, not {wanted}");
    }

    /// Detail, edges and colours, without a random number.
    fn busy(width: u32, height: u32, shift: u32) -> Image8 {
        drawn(width, height, |x, y| {
            let x = x + shift;
            let square = 90 * ((x / 16 + y / 16 + 1) % 2);
            [(x * 2 + y) % 160 + square, (x * x / 16 + y * 3) % 160 + square, (x * y / 8) % 160 + square]
                .map(|channel| channel as u8)
        })
    }

    #[test]
    fn equal_pictures_are_not_apart_and_the_order_makes_no_difference() {
        let (a, b) = (busy(70, 50, 0), busy(70, 50, 1));
        assert_eq!(mean_flip(&a, &a).unwrap(), 0.0);
        assert_eq!(mean_flip(&a, &b).unwrap(), mean_flip(&b, &a).unwrap());
        let map = flip_map(&a, &b, FLIP_PIXELS_PER_DEGREE).unwrap();
        assert_eq!(map.len(), 70 * 50);
        assert!(map.iter().all(|value| (0.0..=1.0).contains(value)));
        let mut clear = a.clone();
        clear.data.as_chunks_mut::<4>().0.iter_mut().for_each(|pixel| pixel[3] = 0);
        assert_eq!(mean_flip(&a, &clear).unwrap(), 0.0, "alpha is left out");
    }

    /// Pictures of one colour have no features and are not changed by a filter, so that the value follows from the
    /// L*a*b* of the two, which tables have.
    #[test]
    fn flat_colors_are_as_far_apart_as_their_lab() {
        let hunt = |[l, a, b]: [f64; 3]| [l, 0.01 * l * a, 0.01 * l * b];
        let apart = |a: [f64; 3], b: [f64; 3]| {
            let (a, b) = (hunt(a), hunt(b));
            ((a[0] - b[0]).abs() + (a[1] - b[1]).hypot(a[2] - b[2])).powf(0.7)
        };
        let (black, white) = ([0.0; 3], [100.0, 0.0, 0.0]);
        let (green, blue) = ([87.735, -86.183, 83.179], [32.297, 79.188, -107.860]);
        let most = apart(green, blue);
        let value = |a, b| match apart(a, b) / most {
            low if low < 0.4 => low / 0.4 * 0.95,
            high => 0.95 + (high - 0.4) / 0.6 * 0.05,
        };
        let (grey, red) = (([53.585, 0.0, 0.0], [128; 3]), ([53.241, 80.092, 67.203], [255, 0, 0]));
        let (green_bytes, blue_bytes) = ([0, 255, 0], [0, 0, 255]);
        let colors =
            [(black, [0; 3]), (white, [255; 3]), (green, green_bytes), (blue, blue_bytes), grey, red];
        for (a, bytes_a) in colors {
            for (b, bytes_b) in colors {
                let map = flip_map(&flat(bytes_a), &flat(bytes_b), FLIP_PIXELS_PER_DEGREE).unwrap();
                map.iter().for_each(|is| assert_near(f64::from(*is), value(a, b), 4e-4));
            }
        }
        assert_near(value(black, white), 0.967, 1e-3);
        assert_near(value(green, blue), 1.0, 1e-9);
    }

    /// What the authors' own program, flip-evaluator 1.7, says of the same pictures.
    #[test]
    fn the_authors_program_says_the_same() {
        let (width, height) = (160, 90);
        let wanted = [
            (1, 67.0, 0.313453),
            (1, 20.0, 0.369080),
            (1, 120.0, 0.240234),
            (3, 67.0, 0.577202),
            (3, 20.0, 0.649223),
            (3, 120.0, 0.472601),
        ];
        for (shift, pixels_per_degree, wanted) in wanted {
            let (a, b) = (busy(width, height, 0), busy(width, height, shift));
            assert_near(mean(&flip_map(&a, &b, pixels_per_degree).unwrap()), wanted, 2e-4);
        }
        let grey = drawn(64, 48, |_, _| [90; 3]);
        let dot = drawn(64, 48, |x, y| if (x, y) == (30, 20) { [255, 80, 0] } else { [90; 3] });
        assert_near(mean_flip(&dot, &grey).unwrap(), 0.001946, 1e-5);
    }

    #[test]
    fn larger_steps_of_grey_are_further_apart() {
        let steps = [0, 1, 2, 4, 8, 16, 32, 64, 127];
        let apart = steps.map(|step| mean_flip(&flat([128; 3]), &flat([128 + step; 3])).unwrap());
        assert!(apart.is_sorted_by(|a, b| a < b), "{apart:?}");
        assert!(apart[1] < 0.035 && apart[4] < 0.13, "{apart:?}");
    }

    /// Moderate beside the edge, where it is seen, and nothing where the filters do not reach.
    #[test]
    fn an_edge_that_moves_by_a_pixel_is_seen_where_it_is() {
        let edge = |at| drawn(64, 48, |x, _| if x < at { [0; 3] } else { [255; 3] });
        let map = flip_map(&edge(32), &edge(33), FLIP_PIXELS_PER_DEGREE).unwrap();
        let row = &map[24 * 64..25 * 64];
        assert_near(f64::from(row[31]), 0.773028, 1e-3);
        assert!(row[..26].iter().chain(&row[40..]).all(|value| *value < 1e-3), "{row:?}");
        assert_near(mean(&map), 0.051730, 1e-4);
    }

    /// The same contrast is seen less where it is finer.
    #[test]
    fn fine_patterns_are_seen_less_than_coarse_ones() {
        let grey = drawn(96, 96, |_, _| [128; 3]);
        let checkers = |size: u32| drawn(96, 96, |x, y| [108 + 40 * ((x / size + y / size) % 2) as u8; 3]);
        let apart = [2, 4, 8, 16].map(|size| mean_flip(&grey, &checkers(size)).unwrap());
        assert!(apart.is_sorted_by(|a, b| a < b) && 4.0 * apart[0] < apart[3], "{apart:?}");
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        let why = mean_flip(&flat([0; 3]), &Image8::filled(40, 31, [0; 4])).unwrap_err().to_string();
        assert_eq!(why, "a picture of 40×30 cannot be compared with a picture of 40×31");
        for pixels_per_degree in [0.0, -67.0, f32::NAN, f32::INFINITY] {
            let why = flip_map(&flat([0; 3]), &flat([0; 3]), pixels_per_degree).unwrap_err().to_string();
            assert!(why.contains("within 1 and 1000"), "{why}");
        }
        assert_eq!(mean_flip(&Image8::filled(0, 5, [0; 4]), &Image8::filled(0, 5, [0; 4])).unwrap(), 0.0);
        // Filters that are one pixel wide, and filters that are wider than the picture.
        for pixels_per_degree in [1.0, 1000.0] {
            let map = flip_map(&busy(30, 1, 0), &busy(30, 1, 5), pixels_per_degree).unwrap();
            assert!(map.iter().all(|value| (0.0..=1.0).contains(value)), "{map:?}");
        }
    }
}
