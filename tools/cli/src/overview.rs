//! Views of a whole map, whatever its size and its relief: from above its rim, and straight down.

use crate::camera::{Camera, Sun};
use crate::ground;
use glam::camera::rh::proj::directx;
use glam::{DVec2, DVec3};
use landform::field::Field;
use landform::plan::{Preview, View, Viewport};

/// Degrees clockwise from north in which the map is looked at from above its rim: from the south-south-east.
const YAW: f64 = 337.5;
/// Degrees that this view is lowered by.
const PITCH: f64 = -29.0;
/// Degrees of a lens that suits this view: a long one, which does not pull the near corner out of shape.
pub const FOV: f64 = 28.0;
/// Parts of the picture's half that the map leaves free: left and right, below, above.
const MARGINS: [f64; 3] = [0.03, 0.05, 0.08];
/// The part of a picture straight down that the map leaves free on either side.
const MARGIN: f64 = 0.03;
/// Degrees above the horizon that the sun is not below, however flat the map: lower, all of it would be dark.
const LOWEST_SUN: f64 = 24.0;
/// Pixels of the shorter side of such a picture, however narrow the map is.
const NARROWEST: u32 = 64;

/// The whole map as large as it fits, from above its rim. `aspect` is the picture's width by its height, `fov` the full
/// vertical angle in degrees.
pub fn from_the_rim(field: &Field, aspect: f64, fov: f64) -> Camera {
    let (yaw, pitch) = (YAW.to_radians(), PITCH.to_radians());
    let right = DVec3::new(yaw.cos(), 0.0, yaw.sin());
    let ahead = DVec3::new(yaw.sin() * pitch.cos(), pitch.sin(), -yaw.cos() * pitch.cos());
    let up = right.cross(ahead);
    let half = (fov.to_radians() / 2.0).tan();
    let [side, below, above] = MARGINS.map(|margin| 1.0 - margin);
    let [right_slope, left_slope] = [half * aspect * side; 2];
    let (up_slope, down_slope) = (half * above, half * below);
    // A point that is a metres to the right of the map's corner and d ahead is seen by a camera at A and D where
    // a − A ≤ slope · (d − D), and so for the other three sides. What each side needs is the most that a point asks for.
    let mut needs = [f64::NEG_INFINITY; 4];
    for point in outline(field) {
        let (a, b, d) = (point.dot(right), point.dot(up), point.dot(ahead));
        let asked = [a - right_slope * d, -a - left_slope * d, b - up_slope * d, -b - down_slope * d];
        needs.iter_mut().zip(asked).for_each(|(need, asked)| *need = need.max(asked));
    }
    let [to_right, to_left, to_top, to_bottom] = needs;
    let back = ((to_right + to_left) / (right_slope + left_slope))
        .max((to_top + to_bottom) / (up_slope + down_slope));
    // As far back as the tighter pair of sides asks for, and in the middle of what the other leaves.
    let across = ((to_right - right_slope * back) - (to_left - left_slope * back)) / 2.0;
    let upward = ((to_top - up_slope * back) - (to_bottom - down_slope * back)) / 2.0;
    Camera { position: right * across + up * upward - ahead * back, yaw: YAW, pitch: PITCH }
}

/// The whole map straight down: north up, without perspective, a metre as long in x as in z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TopDown {
    /// Above the middle of the map, looking down.
    pub camera: Camera,
    /// Metres that a pixel spans.
    pub pixel: f64,
    /// Metres from the camera to below the lowest ground.
    depth: f64,
}

impl TopDown {
    /// As large as it fits into a picture of this size, which is in pixels.
    pub fn of(field: &Field, size: (u32, u32)) -> Self {
        let extent = ground::extent(field);
        let room = DVec2::new(size.0.into(), size.1.into()) * (1.0 - 2.0 * MARGIN);
        let [low, high] = heights(field);
        // Clear of the ground on either side.
        let clear = 1.0 + 0.01 * (high - low);
        let position = DVec3::new(extent.x / 2.0, high + 2.0 * clear, extent.y / 2.0);
        Self {
            camera: Camera { position, yaw: 0.0, pitch: -90.0 },
            pixel: (extent / room).max_element(),
            depth: position.y - low + clear,
        }
    }

    /// The size of a picture that the map fills, in pixels; the longer side has `longest`.
    pub fn size(field: &Field, longest: u32) -> (u32, u32) {
        let extent = ground::extent(field);
        let side =
            |part: f64| ((f64::from(longest) * part / extent.max_element()).round() as u32).max(NARROWEST);
        (side(extent.x), side(extent.y))
    }

    /// The view into a picture of the size that it was made for.
    pub fn view(&self, size: (u32, u32), preview: Preview) -> View {
        let half = self.pixel * DVec2::new(size.0.into(), size.1.into()) / 2.0;
        let (x, z, far) = (half.x as f32, half.y as f32, self.depth as f32);
        let projection = directx::orthographic(-x, x, -z, z, far, 0.0);
        let viewport = Viewport::whole(size.0, size.1);
        let view = View::with_projection(self.camera.position, self.camera.rotation(), projection, viewport);
        // Haze would only say how high the camera is.
        View { preview: Preview { haze: 0.0, ..preview }, ..view }
    }
}

/// Haze in the view from above the rim: the map is all that there is to see, so there is little before its middle however
/// far that is.
pub fn haze(field: &Field, camera: &Camera) -> f32 {
    let extent = ground::extent(field) / 2.0;
    let [low, high] = heights(field);
    let middle = DVec3::new(extent.x, (low + high) / 2.0, extent.y);
    (0.15 / camera.position.distance(middle)) as f32
}

/// The light of a whole map, as low as its slopes ask for: from the side where it is seen from above its rim, and from the
/// north-west, as on maps, where it is seen straight down. From the south hills would look like hollows.
pub fn sun(field: &Field, top_down: bool) -> Sun {
    Sun { yaw: if top_down { 315.0 } else { YAW - 80.0 }, height: sun_height(field) }
}

/// Degrees above the horizon of a sun whose light tells slopes of this map apart. What a slope s adds to the light of even
/// ground is s / tan(height) of it.
fn sun_height(field: &Field) -> f64 {
    let usual = Sun::default().height;
    (2.5 * steepness(field)).atan().to_degrees().clamp(LOWEST_SUN, usual)
}

/// Metres of rise a metre that a tenth of the map exceeds.
fn steepness(field: &Field) -> f64 {
    let extent = ground::extent(field);
    let cells = 96;
    let step = extent / f64::from(cells);
    let mut slopes = Vec::new();
    for index in 0..cells * cells {
        let place = step * DVec2::new(f64::from(index % cells), f64::from(index / cells));
        let height = |by: DVec2| ground::height(field, place.x + by.x, place.y + by.y);
        let rise = DVec2::new(
            height(DVec2::X * step) - height(DVec2::ZERO),
            height(DVec2::Y * step) - height(DVec2::ZERO),
        );
        slopes.push((rise / step).length());
    }
    slopes.sort_by(f64::total_cmp);
    slopes[slopes.len() * 9 / 10]
}

/// Metres of the lowest and of the highest ground.
fn heights(field: &Field) -> [f64; 2] {
    let (range, extremes) = (field.desc().range, field.extremes());
    [extremes.min, extremes.max].map(|code| range.metres(f64::from(code)))
}

/// Points around the ground: the lowest and the highest of every cell of a coarse grid.
fn outline(field: &Field) -> Vec<DVec3> {
    const MOST: u32 = 128;
    let desc = field.desc();
    let samples = field.samples();
    let mut points = Vec::new();
    let cuts = |samples: u32| {
        let count = (samples - 1).min(MOST);
        (0..=count).map(move |cell| (u64::from(cell) * u64::from(samples - 1) / u64::from(count)) as u32)
    };
    let columns: Vec<_> = cuts(desc.width).collect();
    let rows: Vec<_> = cuts(desc.height).collect();
    for rows in rows.windows(2) {
        for columns in columns.windows(2) {
            let (mut low, mut high) = (u16::MAX, 0);
            for z in rows[0]..=rows[1] {
                let row = &samples[z as usize * desc.width as usize..][..desc.width as usize];
                for &code in &row[columns[0] as usize..=columns[1] as usize] {
                    (low, high) = (low.min(code), high.max(code));
                }
            }
            for (code, z) in [low, high].into_iter().flat_map(|code| rows.iter().map(move |&z| (code, z))) {
                let height = desc.range.metres(f64::from(code));
                points.extend(columns.iter().map(|&x| {
                    DVec3::new(f64::from(x) * desc.spacing.x, height, f64::from(z) * desc.spacing.y)
                }));
            }
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use landform::field::{FieldDesc, Sample};
    use landform::plan::ViewMode;

    /// Ground that rises from west to east, with a peak.
    fn slope(width: u32, height: u32, spacing: f64, top: f64) -> Field {
        let desc = FieldDesc::new(width, height).with_spacing(spacing, 1.5 * spacing).with_range(-50.0, top);
        let samples = (0..width * height).map(|index| ((index % width) * 20_000 / width) as u16).collect();
        let mut field = Field::from_samples(desc, samples).unwrap();
        field.set_sample(Sample::new(width / 2, height / 3), u16::MAX);
        field
    }

    /// Where a place is in the picture, −1 to 1 to the right and upward.
    fn seen(view: &View, place: DVec3) -> DVec2 {
        let relative = view.rotation.inverse() * (place - view.position).as_vec3();
        let clip = view.projection * relative.extend(1.0);
        assert!(clip.w > 0.0 && (0.0..=clip.w).contains(&clip.z), "{clip}");
        DVec2::new(f64::from(clip.x / clip.w), f64::from(clip.y / clip.w))
    }

    #[test]
    fn every_map_fits_into_every_picture_and_touches_its_margins() {
        for (width, height) in [(257, 257), (33, 300), (700, 20), (2, 2)] {
            for (spacing, top) in [(30.0, 4000.0), (0.01, 0.0), (1.0, 100_000.0)] {
                let field = slope(width, height, spacing, top);
                for (size, fov) in [((1280, 720), FOV), ((300, 900), 55.0), ((640, 640), 120.0)] {
                    let camera = from_the_rim(&field, f64::from(size.0) / f64::from(size.1), fov);
                    let view =
                        camera.view(&field, fov, size, sun(&field, false).preview(ViewMode::Shaded, &field));
                    let at: Vec<_> = outline(&field).into_iter().map(|place| seen(&view, place)).collect();
                    let most = |of: &dyn Fn(&DVec2) -> f64| at.iter().map(of).fold(f64::MIN, f64::max);
                    let free = [most(&|at| at.x), most(&|at| -at.x), most(&|at| at.y), most(&|at| -at.y)];
                    let [side, below, above] = MARGINS.map(|margin| 1.0 - margin);
                    let touched: Vec<_> =
                        free.iter().zip([side, side, above, below]).map(|(at, end)| end - at).collect();
                    let case = format!("{width}×{height}, {size:?}, {touched:?}");
                    assert!(touched.iter().all(|&left| left > -1e-3), "{case}");
                    let tight = |a: usize, b: usize| touched[a] < 1e-3 && touched[b] < 1e-3;
                    assert!(tight(0, 1) || tight(2, 3), "{case}");
                }
            }
        }
    }

    #[test]
    fn straight_down_north_is_up_and_a_metre_is_a_metre() {
        for size in [(1024, 1024), (300, 100), (100, 300)] {
            let field = slope(129, 65, 2.0, 500.0);
            let top_down = TopDown::of(&field, size);
            let view = top_down.view(size, sun(&field, true).preview(ViewMode::Shaded, &field));
            let extent = ground::extent(&field);
            let corner = |x: f64, z: f64, y: f64| seen(&view, DVec3::new(x, y, z));
            let (north_west, south_east) = (corner(0.0, 0.0, -50.0), corner(extent.x, extent.y, 500.0));
            assert!(north_west.x < 0.0 && north_west.y > 0.0, "{north_west}");
            assert!((north_west + south_east).length() < 1e-3);
            let most = south_east.x.max(-south_east.y);
            assert!((most - (1.0 - 2.0 * MARGIN)).abs() < 1e-3, "{south_east}");
            let pixels = south_east * DVec2::new(size.0.into(), size.1.into()) / 2.0;
            assert!((pixels.x * top_down.pixel * 2.0 - extent.x).abs() < 0.01 * extent.x);
            assert!((-pixels.y * top_down.pixel * 2.0 - extent.y).abs() < 0.01 * extent.y);
        }
        assert_eq!(TopDown::size(&slope(129, 65, 2.0, 500.0), 1024), (1024, 768));
        assert_eq!(TopDown::size(&slope(2, 4096, 1.0, 5.0), 1024), (NARROWEST, 1024));
    }

    #[test]
    fn the_sun_is_lower_over_flat_ground() {
        let height = |top: f64| sun(&slope(257, 257, 10.0, top), true).height;
        assert!(height(20.0) == LOWEST_SUN && height(100_000.0) == Sun::default().height);
        assert!((LOWEST_SUN..38.0).contains(&height(1500.0)), "{}", height(1500.0));
    }
}
