//! The lamps of a view for a device that sorts them into its cells itself: what is left to do for the CPU.

use super::cells::{between, constants, edges, visible_depths};
use super::reach::{Plane, Reach};
use super::{ClusterConstants, ClusterGrid, check};
use crate::Result;
use crate::abi::{ClusterView, LampRecord};
use crate::light::Lamp;
use crate::plan::View;
use glam::{DMat3, DMat4, DVec4, Vec3};

/// The furthest that a view without bounds begins or ends to the device, metres: its square is a number of 32 bits.
const FURTHEST: f64 = 1e18;

/// The lamps that may reach a view, without lists. What a compute shader makes the same lists from as
/// [`Clusters`](super::Clusters) does, at a cost to the CPU of some comparisons a lamp and none a cell.
pub struct ViewLamps {
    grid: ClusterGrid,
    lens: Option<Lens>,
    pub(super) records: Vec<LampRecord>,
    turn: DMat3,
}

/// What is known of a projection. Unchanged while it is, however the camera moves.
struct Lens {
    made: (View, f64),
    constants: ClusterConstants,
    /// Depths between which the view sees lamps.
    seen: [f64; 2],
    /// What bounds the view on its four sides, and in depth.
    sides: [[Plane; 2]; 3],
    clip_rows: [DVec4; 3],
}

impl ViewLamps {
    /// No lamps, of no view yet.
    pub fn new(grid: ClusterGrid) -> Self {
        Self { grid, lens: None, records: Vec::new(), turn: DMat3::IDENTITY }
    }

    /// Keeps of a frame's lamps those that may reach what the view sees, as deep as `far` metres, 1 to 1e9. Frames much like each
    /// other allocate nothing.
    ///
    /// # Errors
    /// As [`Clusters::build`](super::Clusters::build); what was kept is as it was then.
    pub fn build(&mut self, view: &View, far: f64, lamps: &[Lamp]) -> Result<()> {
        check(&self.grid, view, far, lamps)?;
        let lens = match self.lens.take().filter(|lens| lens.is_of(view, far)) {
            Some(lens) => lens,
            None => Lens::new(&self.grid, view, far),
        };
        let turn = view.rotation.as_dquat().normalize().inverse();
        self.turn = DMat3::from_quat(turn);
        self.records.clear();
        for lamp in lamps.iter().filter(|lamp| lamp.intensity != Vec3::ZERO) {
            let reach = Reach::new(lamp, lamp.position - view.position, turn);
            if lens.sides.iter().all(|planes| reach.ball.enters(planes)) {
                self.records.push(LampRecord::new(lamp, view.position));
            }
        }
        self.lens = Some(lens);
        Ok(())
    }

    /// Those lamps, relative to the camera, in the order in which they were given.
    pub fn records(&self) -> &[LampRecord] {
        &self.records
    }

    /// What the shader finds a cell with. Before the first build, no cells and no lamps.
    pub fn constants(&self) -> ClusterConstants {
        let lamps = self.records.len() as u32;
        self.lens
            .as_ref()
            .map_or(ClusterConstants::default(), |lens| ClusterConstants { lamps, ..lens.constants })
    }

    /// Into how many cells the view is cut.
    pub fn grid(&self) -> ClusterGrid {
        self.grid
    }

    /// Cells of the grid.
    pub fn cells(&self) -> u32 {
        self.grid.cells() as u32
    }

    /// What the device sorts with, into so many words of lists; None before the first build.
    pub fn for_device(&self, words: u32) -> Option<ClusterView> {
        let lens = self.lens.as_ref()?;
        let ClusterConstants { columns, rows, slices, scale, bias, near, .. } = lens.constants;
        let view = &lens.made.0;
        let row = |at: usize| self.turn.row(at).as_vec3().extend(0.0).to_array();
        let seen = lens.seen.map(|depth| depth.clamp(-FURTHEST, FURTHEST) as f32);
        Some(ClusterView {
            clip_rows: lens.clip_rows.map(|row| row.as_vec4().to_array()),
            turn: [row(0), row(1), row(2)],
            grid: [columns, rows, slices, self.records.len() as u32],
            slicing: [scale, bias, near, f32::from(u8::from(view.flip_y))],
            seen: [seen[0], seen[1], 1.0 / view.viewport.width, 1.0 / view.viewport.height],
            room: [2 * self.cells(), words, 0, 0],
        })
    }
}

impl Lens {
    fn new(grid: &ClusterGrid, view: &View, far: f64) -> Self {
        let projection: DMat4 = view.unjittered.as_dmat4();
        let [near_plane, far_plane] = visible_depths(&projection);
        let seen = [near_plane, far.min(far_plane)];
        // One column, one row: all of the view, as much wider as its cells are.
        let side = |axis: usize, pixels: f32, turned: bool| {
            let whole = edges(1, pixels, turned).next().unwrap_or([-1.0, 1.0]);
            between(&projection, axis, whole)
        };
        let deep = |depth: f64, further: f64| {
            let depth = depth.clamp(-FURTHEST, FURTHEST);
            depth + further * 2e-3 * depth.abs()
        };
        Self {
            made: (*view, far),
            constants: constants(grid, view, near_plane, far),
            sides: [
                [Plane::deeper_than(deep(seen[0], -1.0)), Plane::nearer_than(deep(seen[1], 1.0))],
                side(0, view.viewport.width, false),
                side(1, view.viewport.height, view.flip_y),
            ],
            seen,
            clip_rows: [projection.row(0), projection.row(1), projection.row(3)],
        }
    }

    fn is_of(&self, view: &View, far: f64) -> bool {
        let lens = |view: &View| (view.unjittered, view.viewport, view.flip_y);
        lens(&self.made.0) == lens(view) && self.made.1 == far
    }
}

impl std::fmt::Debug for ViewLamps {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("ViewLamps").field("grid", &self.grid).field("lamps", &self.records.len()).finish()
    }
}
