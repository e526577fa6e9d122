//! Good places to look at a map from, found by looking from many.
//!
//! Each candidate is judged by a coarse picture of it: how far away what is seen is, and where the skyline runs. What is
//! wanted is what a photographer looks for: a third of sky, a skyline that rises at the sides, ground at every distance,
//! nothing large close by, light from the side.

use glam::{DVec2, DVec3};
use landform::field::Field;
use landform_cli::camera::Camera;
use landform_cli::day::TimeOfDay;
use landform_cli::ground;

/// A good first view: over a slope, toward the relief.
pub(crate) fn overview(field: &Field, aspect: f64, fov: f64) -> Camera {
    let relief = Relief::of(field);
    let side = relief.side();
    let mut places = Vec::new();
    for cell in relief.grid(18, 0.05) {
        places.extend([0.02, 0.035, 0.05].map(|share| (cell, share * side)));
    }
    best(&relief, field, &places, (-12.0, fov, aspect), None).unwrap_or_else(|| above(field))
}

/// On the valley's floor, at eye height.
pub(crate) fn floor(field: &Field, aspect: f64, fov: f64) -> Camera {
    let relief = Relief::of(field);
    let low = relief.quantile(0.22);
    let mut places: Vec<_> = relief.grid(40, 0.08);
    places.retain(|&place| relief.height(place) <= low && relief.slope(place).length() < 0.12);
    let places: Vec<_> = places.into_iter().map(|place| (place, 2.5 * ground::EYE)).collect();
    best(&relief, field, &places, (5.0, fov, aspect), None).unwrap_or_else(|| overview(field, aspect, fov))
}

/// Just above a high ridge.
pub(crate) fn ridge(field: &Field, aspect: f64, fov: f64) -> Camera {
    let first = overview(field, aspect, fov);
    let relief = Relief::of(field);
    let high = relief.quantile(0.9);
    let mut places: Vec<_> = relief.grid(40, 0.1);
    places.retain(|&place| relief.height(place) >= high && relief.is_crest(place));
    let places: Vec<_> = places.into_iter().map(|place| (place, 0.006 * relief.side())).collect();
    best(&relief, field, &places, (-13.0, fov, aspect), Some(first.yaw)).unwrap_or(first)
}

/// The whole map, from beyond its south edge.
pub(crate) fn above(field: &Field) -> Camera {
    let extent = ground::extent(field);
    let side = extent.max_element();
    let top = field.desc().range.metres(f64::from(field.extremes().max));
    let position = DVec3::new(extent.x / 2.0, top + 0.5 * side, extent.y / 2.0 + 0.82 * side);
    Camera { position, yaw: 0.0, pitch: -38.0 }
}

/// The ground, coarse enough to be looked at thousands of times.
struct Relief {
    heights: Vec<f64>,
    cells: [usize; 2],
    extent: DVec2,
    low: f64,
    high: f64,
    /// Toward the sun of the usual time of day: places are the same at any other.
    sun: DVec3,
}

impl Relief {
    fn of(field: &Field) -> Self {
        let extent = ground::extent(field);
        let across = |quads: u32| (quads as usize + 1).min(256);
        let cells = [across(field.desc().quads_x()), across(field.desc().quads_z())];
        let step = extent / DVec2::new((cells[0] - 1) as f64, (cells[1] - 1) as f64);
        let mut heights = Vec::with_capacity(cells[0] * cells[1]);
        for row in 0..cells[1] {
            heights.extend((0..cells[0]).map(|column| {
                let place = step * DVec2::new(column as f64, row as f64);
                ground::height(field, place.x, place.y)
            }));
        }
        let low = heights.iter().copied().fold(f64::INFINITY, f64::min);
        let high = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sun = TimeOfDay::default().sun().toward().as_dvec3();
        Self { heights, cells, extent, low, high, sun }
    }

    fn side(&self) -> f64 {
        self.extent.max_element()
    }

    /// The height of the nearest cell.
    fn height(&self, place: DVec2) -> f64 {
        let last = DVec2::new((self.cells[0] - 1) as f64, (self.cells[1] - 1) as f64);
        let cell = (place / self.extent * last).round().clamp(DVec2::ZERO, last);
        self.heights[cell.y as usize * self.cells[0] + cell.x as usize]
    }

    fn contains(&self, place: DVec2) -> bool {
        place.cmpge(DVec2::ZERO).all() && place.cmple(self.extent).all()
    }

    /// `count` × `count` places, a share of the map away from its edges.
    fn grid(&self, count: usize, margin: f64) -> Vec<DVec2> {
        let at = |index: usize| margin + (1.0 - 2.0 * margin) * (index as f64 + 0.5) / count as f64;
        (0..count * count).map(|i| self.extent * DVec2::new(at(i % count), at(i / count))).collect()
    }

    /// The height that this share of the map lies below.
    fn quantile(&self, share: f64) -> f64 {
        let mut sorted = self.heights.clone();
        sorted.sort_by(f64::total_cmp);
        sorted[((sorted.len() - 1) as f64 * share) as usize]
    }

    /// Metres of rise a metre to the east and to the south, over a hundredth of the map.
    fn slope(&self, place: DVec2) -> DVec2 {
        let reach = 0.01 * self.side();
        let rise = |by: DVec2| (self.height(place + by) - self.height(place - by)) / (2.0 * reach);
        DVec2::new(rise(DVec2::X * reach), rise(DVec2::Y * reach))
    }

    /// True where the ground faces the sun.
    fn is_lit(&self, place: DVec2) -> bool {
        let slope = self.slope(place);
        DVec3::new(-slope.x, 1.0, -slope.y).normalize().dot(self.sun) > 0.15
    }

    /// True where the ground falls on at least two opposite sides.
    fn is_crest(&self, place: DVec2) -> bool {
        let reach = 0.025 * self.side();
        let here = self.height(place);
        let falls = |by: DVec2| self.height(place + by * reach) < here - 0.2 * reach;
        let along = |by: DVec2| falls(by) && falls(-by);
        [DVec2::X, DVec2::Y, DVec2::ONE, DVec2::new(1.0, -1.0)].into_iter().any(along)
    }
}

/// The best of these places, each with metres above the ground, over all directions but those near `other`.
fn best(
    relief: &Relief,
    field: &Field,
    places: &[(DVec2, f64)],
    lens: (f64, f64, f64),
    other: Option<f64>,
) -> Option<Camera> {
    const DIRECTIONS: u32 = 16;
    let mut best: Option<(f64, Camera)> = None;
    for &(place, above) in places {
        // The coarse relief may lie above the ground, and looking from below it would see nothing.
        let ground = ground::lowest_eye(field, place.x, place.y).max(relief.height(place));
        let position = DVec3::new(place.x, ground - ground::EYE + above, place.y);
        for direction in 0..DIRECTIONS {
            let yaw = f64::from(direction) * 360.0 / f64::from(DIRECTIONS);
            if other.is_some_and(|other| (yaw - other).to_radians().cos() > 0.4) {
                continue;
            }
            let camera = Camera { position, yaw, pitch: lens.0 };
            let score = score(relief, &camera, lens);
            if best.is_none_or(|(least, _)| score > least) {
                best = Some((score, camera));
            }
        }
    }
    best.map(|(_, camera)| camera)
}

const COLUMNS: usize = 20;

/// What one column of the coarse picture shows, from its lower edge up to its skyline.
struct Column {
    /// Where the skyline runs: −1 at the lower edge of the picture, 1 at the upper.
    skyline: f64,
    /// Shares of the picture's height by distance, near to far.
    depths: [f64; 5],
    /// The share that is close by and above the camera.
    wall: f64,
    /// The share that the sun shines on.
    lit: f64,
    /// 1 where the skyline is the map's edge and below the horizon: the end of the world is to be seen.
    edge: f64,
    lowest: f64,
    highest: f64,
}

fn column(relief: &Relief, camera: &Camera, yaw: f64, half: f64) -> Column {
    let side = relief.side();
    let toward = DVec2::new(yaw.to_radians().sin(), -yaw.to_radians().cos());
    let from = DVec2::new(camera.position.x, camera.position.z);
    let row = |slope: f64| ((slope.atan() - camera.pitch.to_radians()).tan() / half).clamp(-1.0, 1.0);
    let mut seen = Column {
        skyline: -1.0,
        depths: [0.0; 5],
        wall: 0.0,
        lit: 0.0,
        edge: 0.0,
        lowest: f64::MAX,
        highest: f64::MIN,
    };
    // Slope and distance of the skyline.
    let mut skyline = (-1.0, 0.0);
    let mut away = 0.004 * side;
    loop {
        let place = from + toward * away;
        if !relief.contains(place) {
            seen.edge = f64::from(u8::from(skyline.0 < 0.0 && skyline.1 * 1.08 > away));
            return seen;
        }
        let height = relief.height(place);
        let slope = (height - camera.position.y) / away;
        let at = row(slope);
        if at > seen.skyline {
            let share = (at - seen.skyline) / 2.0;
            let bin = [0.02, 0.06, 0.15, 0.35].iter().filter(|&&end| away > end * side).count();
            seen.depths[bin] += share;
            if slope > 0.0 && away < 0.15 * side {
                seen.wall += share;
            }
            if relief.is_lit(place) {
                seen.lit += share;
            }
            seen.skyline = at;
            skyline = (slope, away);
            seen.lowest = seen.lowest.min(height);
            seen.highest = seen.highest.max(height);
        }
        away *= 1.05;
    }
}

/// How good a view is; more is better.
fn score(relief: &Relief, camera: &Camera, (_, fov, aspect): (f64, f64, f64)) -> f64 {
    let half = (fov.to_radians() / 2.0).tan();
    let columns: [Column; COLUMNS] = std::array::from_fn(|index| {
        let across = (index as f64 + 0.5) / COLUMNS as f64 * 2.0 - 1.0;
        column(relief, camera, camera.yaw + (across * half * aspect).atan().to_degrees(), half)
    });
    let mean = |of: &dyn Fn(&Column) -> f64| columns.iter().map(of).sum::<f64>() / COLUMNS as f64;
    let skyline = mean(&|column| column.skyline);
    let roughness = mean(&|column| (column.skyline - skyline).powi(2)).sqrt();
    let middle = columns[7..13].iter().map(|column| column.skyline).sum::<f64>() / 6.0;
    let wings =
        (columns[..4].iter().chain(&columns[COLUMNS - 4..])).map(|column| column.skyline).sum::<f64>() / 8.0;
    // How evenly the picture is spread over distances.
    let layers: f64 = (0..5).map(|bin| mean(&|column| column.depths[bin]).min(0.2)).sum();
    let lowest = columns.iter().map(|column| column.lowest).fold(f64::MAX, f64::min);
    let highest = columns.iter().map(|column| column.highest).fold(f64::MIN, f64::max);
    let shown = (highest - lowest) / (relief.high - relief.low).max(1e-9);
    let far = mean(&|column| column.depths[3] + column.depths[4]);
    let side_light = (camera.yaw - TimeOfDay::default().sun().yaw).to_radians().sin().abs();
    let lit = mean(&|column| column.lit) / mean(&|column| column.depths.iter().sum()).max(1e-9);
    let too_high = (skyline - 0.7).max(0.0);
    1.5 * layers
        + shown.clamp(0.0, 1.0)
        + 1.2 * roughness.min(0.25)
        + 0.8 * (wings - middle).clamp(-0.2, 0.45)
        + far
        + 0.3 * side_light
        + 1.2 * lit.min(0.7)
        - 1.2 * (skyline - 0.3).abs()
        - 3.0 * too_high
        - 2.0 * mean(&|column| column.wall)
        - mean(&|column| column.edge)
}
