//! The device's lists held against a reference in 64 bits that asks of every lamp and every cell, one by one.

use glam::{DMat3, DMat4, DQuat, DVec3, DVec4};
use landform::draw::DeviceClusters;
use landform::light::{ClusterConstants, ClusterGrid, Clusters, Lamp};
use landform::plan::View;
use landform_device_tests::{LampSorter, Lists, lamp_views, lamps_seen};
use landform_harness::shared;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// By how much lamps reach further than they do.
#[derive(Clone, Copy)]
struct Margins {
    /// As a part of range and of distance.
    further: f64,
    /// As a part of depth.
    deeper: f64,
    /// Radians of a cone, beside [`WIDER`].
    wider: f64,
}

/// Less than the device's by what 32 bits may lose, and more: its lists lie between those of the two.
const LEAST: Margins = Margins { further: 0.0, deeper: 1e-3, wider: -5e-4 };
const MOST: Margins = Margins { further: 8e-6, deeper: 1.2e-3, wider: 5e-4 };
/// Radians by which cones are wider. Balls around cones have it to the letter: that of a wider one does not hold that of a narrower.
const WIDER: f64 = 1.5e-3;

/// A half space, its normal of length 1 or 0.
type Plane = DVec4;

fn plane(row: DVec4) -> Plane {
    let length = row.truncate().length();
    if length <= 1e-12 * row.w.abs() { DVec4::ZERO } else { row / length }
}

fn away(plane: Plane, place: DVec3) -> f64 {
    plane.truncate().dot(place) + plane.w
}

#[derive(Clone, Copy)]
struct Ball {
    centre: DVec3,
    radius: f64,
}

impl Ball {
    fn enters(&self, planes: &[Plane; 2]) -> bool {
        planes.iter().all(|&plane| away(plane, self.centre) >= -self.radius)
    }

    /// A ball around what of it is within the planes.
    fn within(mut self, planes: &[Plane; 2]) -> Option<Self> {
        for &plane in planes {
            let away = away(plane, self.centre);
            if away < -self.radius {
                return None;
            }
            if away < 0.0 {
                self.centre -= plane.truncate() * away;
                self.radius = (self.radius * self.radius - away * away).sqrt();
            }
        }
        Some(self)
    }
}

/// The part of a ball within an angle of an axis.
struct Sector {
    apex: DVec3,
    axis: DVec3,
    angle: f64,
    range: f64,
}

impl Sector {
    /// How far it goes along a direction.
    fn along(&self, direction: DVec3) -> f64 {
        let between = direction.cross(self.axis).length().atan2(direction.dot(self.axis));
        self.range * (between - self.angle).max(0.0).cos().max(0.0)
    }

    fn meets(&self, ball: &Ball, further: f64) -> bool {
        let from = ball.centre - self.apex;
        let (apart, aside) = (from.length(), from.cross(self.axis).length().atan2(from.dot(self.axis)));
        let outside = aside - self.angle;
        // From the cone's side, or from its apex where that is nearest.
        let gap = if outside > FRAC_PI_2 { apart } else { apart * outside.sin() };
        let radius = ball.radius + further * apart;
        gap <= radius && apart <= radius + self.range
    }
}

/// What a lamp reaches in the camera's frame.
struct Reach {
    ball: Ball,
    sector: Option<Sector>,
    margin: f64,
}

impl Reach {
    fn new(lamp: &Lamp, view: &View, turn: DQuat, margins: Margins) -> Self {
        let apex = turn * (lamp.position - view.position);
        let margin = margins.further * (f64::from(lamp.range) + apex.length());
        let range = f64::from(lamp.range) + margin;
        let Some(cone) = lamp.cone else {
            return Self { ball: Ball { centre: apex, radius: range }, sector: None, margin };
        };
        let angle = (f64::from(cone.outer) + WIDER).min(PI);
        let behind = margin / angle.sin().max(1e-2);
        let axis = turn * cone.toward.as_dvec3().normalize();
        let (apex, range) = (apex - axis * behind, range + behind);
        let (ahead, radius) = match angle {
            _ if angle < FRAC_PI_4 => [range / (2.0 * angle.cos()); 2].into(),
            _ if angle < FRAC_PI_2 => (range * angle.cos(), range * angle.sin()),
            _ => (0.0, range),
        };
        let sector = Sector { apex, axis, angle: (angle + margins.wider).min(PI), range };
        let ball = Ball { centre: apex + axis * ahead, radius: radius + margin };
        Self { ball, sector: Some(sector), margin }
    }

    fn enters(&self, planes: &[Plane; 2]) -> bool {
        let sector = |sector: &Sector| {
            let reaches = |plane: Plane| away(plane, sector.apex) + sector.along(plane.truncate());
            planes.iter().all(|&plane| plane == DVec4::ZERO || reaches(plane) >= -self.margin)
        };
        self.ball.enters(planes) && self.sector.as_ref().is_none_or(sector)
    }

    fn depths(&self) -> [f64; 2] {
        let middle = -self.ball.centre.z;
        let [mut near, mut far] = [middle - self.ball.radius, middle + self.ball.radius];
        if let Some(sector) = &self.sector {
            near = near.max(-sector.apex.z - sector.along(DVec3::Z) - self.margin);
            far = far.min(-sector.apex.z + sector.along(DVec3::NEG_Z) + self.margin);
        }
        [near, far]
    }
}

/// The cells of a view.
struct Reference {
    columns: Vec<[Plane; 2]>,
    rows: Vec<[Plane; 2]>,
    slices: Vec<[f64; 2]>,
    /// The view's sides: what is behind the eye enters a column's planes but not all of these.
    sides: [[Plane; 2]; 2],
    /// Around each cell.
    balls: Vec<Option<Ball>>,
    constants: ClusterConstants,
    seen: [f64; 2],
    margins: Margins,
}

/// The edges of columns or rows in clip space, a pixel wider on both sides.
fn edges(count: u32, pixels: f32, turned: bool) -> Vec<[f64; 2]> {
    let at = |cell: u32, pixel: f64| f64::from(cell) / f64::from(count) + pixel / f64::from(pixels);
    let clip = |cell: u32| match [at(cell, -1.0), at(cell + 1, 1.0)] {
        [begin, end] if turned => [1.0 - 2.0 * end, 1.0 - 2.0 * begin],
        along => along.map(|at| 2.0 * at - 1.0),
    };
    (0..count).map(clip).collect()
}

impl Reference {
    fn new(
        view: &View,
        grid: ClusterGrid,
        constants: ClusterConstants,
        seen: [f64; 2],
        margins: Margins,
    ) -> Self {
        let projection = view.unjittered.as_dmat4();
        let w = projection.row(3);
        let between = |axis: usize, edges: &[[f64; 2]]| -> Vec<[Plane; 2]> {
            let row = projection.row(axis);
            edges.iter().map(|[low, high]| [plane(row - w * *low), plane(w * *high - row)]).collect()
        };
        let across = edges(grid.columns, view.viewport.width, false);
        let down = edges(grid.rows, view.viewport.height, view.flip_y);
        let edge =
            |slice: u32| ((f64::from(slice) - f64::from(constants.bias)) / f64::from(constants.scale)).exp2();
        let slice = |slice: u32| {
            let begin = if slice == 0 { seen[0] } else { edge(slice) };
            let end = edge(slice + 1).min(seen[1]).max(begin);
            [begin - margins.deeper * begin.abs(), end + margins.deeper * end.abs()]
        };
        let slices: Vec<[f64; 2]> = (0..grid.slices).map(slice).collect();
        let mut balls = Vec::new();
        for depths in &slices {
            for y in &down {
                balls.extend(across.iter().map(|x| around(&projection, x, y, depths, margins)));
            }
        }
        let (columns, rows) = (between(0, &across), between(1, &down));
        let width = edges(1, view.viewport.width, false);
        let height = edges(1, view.viewport.height, view.flip_y);
        let sides = [between(0, &width)[0], between(1, &height)[0]];
        Self { columns, rows, slices, sides, balls, constants, seen, margins }
    }

    fn slice_of(&self, depth: f64) -> usize {
        let slice = depth.max(self.constants.near.into()).log2() * f64::from(self.constants.scale);
        (slice + f64::from(self.constants.bias)).clamp(0.0, self.slices.len() as f64 - 1.0) as usize
    }

    fn lists(&self, view: &View, lamps: &[Lamp]) -> Lists {
        let turn = view.rotation.as_dquat().normalize().inverse();
        let mut lists = vec![Vec::new(); self.balls.len()];
        for (number, lamp) in lamps.iter().enumerate() {
            let reach = Reach::new(lamp, view, turn, self.margins);
            if !self.sides.iter().all(|planes| reach.ball.enters(planes)) {
                continue;
            }
            for (cell, list) in lists.iter_mut().enumerate() {
                if self.reaches(&reach, cell) {
                    list.push(number as u32);
                }
            }
        }
        lists
    }

    fn reaches(&self, reach: &Reach, cell: usize) -> bool {
        let (columns, rows) = (self.columns.len(), self.rows.len());
        let (column, row, slice) = (cell % columns, cell / columns % rows, cell / columns / rows);
        let deeper = self.margins.deeper;
        let [near, far] = reach.depths();
        let [begin, end] = self.seen;
        if near > end + end.abs() * deeper || far < begin - begin.abs() * deeper {
            return false;
        }
        if !(self.slice_of(near * (1.0 - deeper))..=self.slice_of(far.min(end) * (1.0 + deeper)))
            .contains(&slice)
        {
            return false;
        }
        // Between the first and the last that it enters.
        let spans = |at: usize, all: &[[Plane; 2]]| {
            all[..=at].iter().any(|planes| reach.enters(planes))
                && all[at..].iter().any(|planes| reach.enters(planes))
        };
        if !spans(column, &self.columns) || !spans(row, &self.rows) {
            return false;
        }
        let [near, far] = self.slices[slice];
        let depths = [DVec4::new(0.0, 0.0, -1.0, -near), DVec4::new(0.0, 0.0, 1.0, far)];
        let ball = reach.ball.within(&depths).and_then(|ball| ball.within(&self.rows[row]));
        if !ball.is_some_and(|ball| ball.enters(&self.columns[column])) {
            return false;
        }
        match (&reach.sector, &self.balls[cell]) {
            (Some(sector), Some(ball)) => sector.meets(ball, self.margins.further),
            _ => true,
        }
    }
}

/// A ball around the corners of a cell; None where it has no bounds.
fn around(
    projection: &DMat4,
    x: &[f64; 2],
    y: &[f64; 2],
    depths: &[f64; 2],
    margins: Margins,
) -> Option<Ball> {
    let w = projection.row(3);
    let corner = |at: usize| {
        let (x, y, depth) = (x[at & 1], y[at >> 1 & 1], depths[at >> 2]);
        // row 0 · p = x · row 3 · p, the same for y, and p.z = −depth.
        let rows = [projection.row(0) - w * x, projection.row(1) - w * y, DVec4::new(0.0, 0.0, 1.0, depth)];
        let matrix = DMat3::from_cols(rows[0].truncate(), rows[1].truncate(), rows[2].truncate()).transpose();
        matrix.inverse() * -DVec3::new(rows[0].w, rows[1].w, rows[2].w)
    };
    let low = (0..8).map(corner).fold(DVec3::INFINITY, DVec3::min);
    let high = (0..8).map(corner).fold(DVec3::NEG_INFINITY, DVec3::max);
    let (centre, radius) = (0.5 * (low + high), 0.5 * (high - low).length());
    let ball = Ball { centre, radius: radius + margins.further * (radius + centre.length()) };
    (ball.radius < 1e15).then_some(ball)
}

fn is_part(one: &Lists, of: &Lists) -> Option<(usize, u32)> {
    let mut cells = one.iter().zip(of).enumerate();
    cells.find_map(|(cell, (one, of))| {
        let lamp = one.iter().find(|lamp| of.binary_search(lamp).is_err())?;
        Some((cell, *lamp))
    })
}

/// 4096 lamps of each kind in views of each kind: the lists are the reference's, but for lamps that end within a margin of a cell.
#[test]
fn lists_are_those_of_every_lamp_asked_in_every_cell() {
    let gpu = shared();
    let sorter = LampSorter::new(&gpu);
    let grid = ClusterGrid { columns: 19, rows: 7, slices: 12 };
    for (name, view, far) in lamp_views() {
        let lamps = lamps_seen(&view, far, 4096, 31);
        let mut on_device = DeviceClusters::new(&sorter.device, grid).unwrap();
        let lists = sorter.lists(&mut on_device, &view, far, &lamps);
        let mut clusters = Clusters::new(grid);
        clusters.build(&view, far, &lamps).unwrap();
        let seen = on_device.lamps().for_device(0).unwrap().seen;
        let reference = |margins| {
            let seen = [seen[0], seen[1]].map(f64::from);
            Reference::new(&view, grid, clusters.constants(), seen, margins).lists(&view, &lamps)
        };
        let (least, most) = (reference(LEAST), reference(MOST));
        let count = |lists: &Lists| lists.iter().map(Vec::len).sum::<usize>();
        println!("{name}: {} to {} by the reference, {}", count(&least), count(&most), count(&lists));
        let told = |found: Option<(usize, u32)>| found.map(|(cell, lamp)| (cell, lamps[lamp as usize]));
        assert_eq!(told(is_part(&least, &lists)), None, "{name}: lacking");
        assert_eq!(told(is_part(&lists, &most)), None, "{name}: too many");
        // From 500 km the margins are metres, and lamps some tens of them.
        let apart = if name == "from orbit" { 4 } else { 500 };
        assert!((count(&most) - count(&least)) * apart < count(&least), "{name}");
    }
    gpu.assert_silent();
}
