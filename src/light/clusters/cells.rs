//! Where the cells of a view lie, in the camera's frame, and which of them a lamp may reach.
//!
//! A cell is bounded by a pair of planes for its column, a pair for its row and a pair of depths. Planes are taken from the
//! projection's rows, so that a projection may be off-centre, mirrored, orthographic or skewed. Everything is in 64 bits: what
//! is decided here must hold for what a shader computes in 32, and the margins below are all that stands between the two.

use super::reach::{Ball, Plane, Reach};
use super::{ClusterConstants, ClusterGrid};
use crate::plan::View;
use glam::{DMat4, DVec2, DVec3, DVec4};

/// Pixels by which a cell is wider on each side than its own pixels, for the jitter of the drawn projection.
const WIDER: f64 = 1.0;
/// The part of a depth by which a slice is deeper at both ends, for the shader's logarithm.
const DEEPER: f64 = 1e-3;
/// The nearest that the second slice begins, metres, however near the projection's near plane is.
const NEAREST: f64 = 0.1;

/// The cells of one projection. Unchanged while it is, however the camera moves.
#[derive(Default)]
pub(super) struct Cells {
    columns: Vec<[Plane; 2]>,
    rows: Vec<[Plane; 2]>,
    /// Where a slice begins and ends, metres of depth.
    slices: Vec<[f64; 2]>,
    /// What holds a cell, cells in their order: what a spot's cone is held against.
    balls: Vec<Ball>,
    /// Depths between which the view sees lamps.
    seen: [f64; 2],
    constants: ClusterConstants,
    /// What all of it was made from.
    made: Option<(View, f64)>,
}

impl Cells {
    pub(super) fn constants(&self) -> &ClusterConstants {
        &self.constants
    }

    /// Makes the cells of this view, unless they are as they were. Both are valid.
    pub(super) fn update(&mut self, grid: &ClusterGrid, view: &View, far: f64) {
        let same = |(old, old_far): &(View, f64)| {
            let lens = |view: &View| (view.unjittered, view.viewport, view.flip_y);
            lens(old) == lens(view) && *old_far == far
        };
        if self.made.as_ref().is_some_and(same) {
            return;
        }
        let projection = view.unjittered.as_dmat4();
        let [near_plane, far_plane] = visible_depths(&projection);
        self.constants = constants(grid, view, near_plane, far);
        self.seen = [near_plane, far.min(far_plane)];

        let columns = edges(grid.columns, view.viewport.width, false);
        let rows = edges(grid.rows, view.viewport.height, view.flip_y);
        self.columns.clear();
        self.columns.extend(columns.clone().map(|edges| between(&projection, 0, edges)));
        self.rows.clear();
        self.rows.extend(rows.clone().map(|edges| between(&projection, 1, edges)));
        self.slices.clear();
        self.slices.extend((0..grid.slices).map(|slice| slice_depths(&self.constants, slice, self.seen)));

        self.balls.clear();
        for &depths in &self.slices {
            for y in rows.clone() {
                self.balls.extend(columns.clone().map(|x| around(&projection, x, y, depths)));
            }
        }
        self.made = Some((*view, far));
    }

    /// Calls `run` with the first of each run of cells that the lamp may reach and how many there are, in rising order.
    pub(super) fn reached(&self, lamp: &Reach, mut run: impl FnMut(usize, usize)) {
        let [nearest, furthest] = lamp.depths();
        let seen = self.seen;
        if nearest > seen[1] + seen[1].abs() * DEEPER || furthest < seen[0] - seen[0].abs() * DEEPER {
            return;
        }
        let Some([left, right]) = span(&self.columns, |planes| lamp.enters(planes)) else { return };
        let Some([top, bottom]) = span(&self.rows, |planes| lamp.enters(planes)) else { return };
        let first = self.constants.slice(nearest * (1.0 - DEEPER)) as usize;
        let last = self.constants.slice(furthest.min(seen[1]) * (1.0 + DEEPER)) as usize;
        for slice in first..=last {
            let [near, far] = self.slices[slice];
            let Some(ball) = lamp.ball.beyond(&Plane::deeper_than(near)) else { continue };
            let Some(ball) = ball.beyond(&Plane::nearer_than(far)) else { continue };
            for row in top..=bottom {
                let [upper, lower] = &self.rows[row];
                let Some(ball) = ball.beyond(upper).and_then(|ball| ball.beyond(lower)) else { continue };
                let columns = &self.columns[left..=right];
                let Some([from, to]) = span(columns, |planes| ball.enters(planes)) else { continue };
                let cell = (slice * self.rows.len() + row) * self.columns.len() + left;
                self.runs(lamp, cell + from, cell + to, &mut run);
            }
        }
    }

    /// The runs among the cells of a row, `first` to `last`, that the lamp's cone may reach as well.
    fn runs(&self, lamp: &Reach, first: usize, last: usize, run: &mut impl FnMut(usize, usize)) {
        if lamp.sector.is_none() {
            return run(first, last - first + 1);
        }
        let mut begun = None;
        for cell in first..=last {
            if lamp.meets(&self.balls[cell]) {
                begun.get_or_insert(cell);
            } else if let Some(begin) = begun.take() {
                run(begin, cell - begin);
            }
        }
        if let Some(begin) = begun {
            run(begin, last + 1 - begin);
        }
    }
}

/// The first and the last that pass.
fn span<T>(all: &[T], passes: impl Fn(&T) -> bool) -> Option<[usize; 2]> {
    let first = all.iter().position(&passes)?;
    let last = all.iter().rposition(&passes)?;
    Some([first, last])
}

/// What the shader finds a cell with.
pub(super) fn constants(grid: &ClusterGrid, view: &View, near_plane: f64, far: f64) -> ClusterConstants {
    // At least an octave of slices, also where the view begins beyond the lamps and sees none.
    let near = near_plane.max(NEAREST).min(far / 2.0);
    let scale = f64::from(grid.slices) / (far / near).log2();
    let viewport = view.viewport;
    ClusterConstants {
        columns: grid.columns,
        rows: grid.rows,
        slices: grid.slices,
        lamps: 0,
        scale: scale as f32,
        bias: (-near.log2() * scale) as f32,
        near: near as f32,
        far: far as f32,
        origin: [viewport.x, viewport.y],
        cells_a_pixel: [grid.columns as f32 / viewport.width, grid.rows as f32 / viewport.height],
    }
}

/// The depths of the near and of the far plane. A plane that is not across the camera's axis bounds nothing.
pub(super) fn visible_depths(projection: &DMat4) -> [f64; 2] {
    let (depth, w) = (projection.row(2), projection.row(3));
    let perspective = w.truncate() != DVec3::ZERO;
    let across = |row: DVec4| row.x == 0.0 && row.y == 0.0;
    let near = if across(depth - w) { (depth.w - w.w) / (depth.z - w.z) } else { f64::NEG_INFINITY };
    let far = if across(depth) && depth.z != 0.0 { depth.w / depth.z } else { f64::INFINITY };
    // Nothing behind the eye is seen, whatever the matrix says. A far plane behind the near one is rounding of an infinite one.
    let near = if perspective { near.max(0.0) } else { near };
    [near, if far > near { far } else { f64::INFINITY }]
}

/// The widened edges of each column or row in clip space, lower before higher.
pub(super) fn edges(count: u32, pixels: f32, turned: bool) -> impl Iterator<Item = [f64; 2]> + Clone {
    let (pixels, a_cell) = (f64::from(pixels), f64::from(pixels) / f64::from(count));
    (0..count).map(move |cell| {
        let begin = (f64::from(cell) * a_cell - WIDER) / pixels;
        let end = (f64::from(cell + 1) * a_cell + WIDER) / pixels;
        if turned { [1.0 - 2.0 * end, 1.0 - 2.0 * begin] } else { [2.0 * begin - 1.0, 2.0 * end - 1.0] }
    })
}

/// The planes, normals pointing in, between two edges along one of clip space's axes.
pub(super) fn between(projection: &DMat4, axis: usize, [low, high]: [f64; 2]) -> [Plane; 2] {
    let (along, w) = (projection.row(axis), projection.row(3));
    [Plane::new(along - w * low), Plane::new(w * high - along)]
}

/// Where a slice begins and ends, a little deeper at both ends than the shader has it, within what is seen.
fn slice_depths(constants: &ClusterConstants, slice: u32, seen: [f64; 2]) -> [f64; 2] {
    let edge = |at: u32| ((f64::from(at) - f64::from(constants.bias)) / f64::from(constants.scale)).exp2();
    // The first slice takes what is nearer as well, in an orthographic view also what is behind the camera.
    let begin = if slice == 0 { seen[0] } else { edge(slice) };
    let end = edge(slice + 1).min(seen[1]).max(begin);
    [begin - begin.abs() * DEEPER, end + end.abs() * DEEPER]
}

/// A ball that holds the cell between these edges and depths.
fn around(projection: &DMat4, x: [f64; 2], y: [f64; 2], depths: [f64; 2]) -> Ball {
    let corners = depths
        .into_iter()
        .flat_map(|depth| y.into_iter().map(move |y| (depth, y)))
        .flat_map(|(depth, y)| x.into_iter().map(move |x| unproject(projection, DVec2::new(x, y), depth)));
    let low = corners.clone().fold(DVec3::INFINITY, DVec3::min);
    let high = corners.fold(DVec3::NEG_INFINITY, DVec3::max);
    Ball { centre: (low + high) / 2.0, radius: (high - low).length() / 2.0 }
}

/// The place of the camera's frame that is seen there in clip space, at this depth.
///
/// It solves `row 0 · p = x · row 3 · p` and the same for y, which holds at any depth, at the eye and for an infinite far
/// plane, where the inverse matrix has to divide by nothing.
fn unproject(projection: &DMat4, clip: DVec2, depth: f64) -> DVec3 {
    let w = projection.row(3);
    let [a, b] = [projection.row(0) - w * clip.x, projection.row(1) - w * clip.y];
    let rest = |row: DVec4| row.z * depth - row.w;
    let (right_a, right_b) = (rest(a), rest(b));
    let area = a.x * b.y - a.y * b.x;
    DVec3::new((right_a * b.y - a.y * right_b) / area, (a.x * right_b - right_a * b.x) / area, -depth)
}
