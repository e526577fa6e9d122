//! The cells of a view, and in each the lamps that may reach it. (Olsson, Billeter and Assarsson, *Clustered Deferred and Forward
//! Shading*, 2012.)
//!
//! A view's viewport is cut into columns and rows, and its depth into slices that grow with it. A shader finds its cell from
//! its pixel and its depth and adds up the lamps that are listed there; [`Clusters::cell_at`] is its twin. A cell lists every lamp
//! that reaches it, and a few that do not.
//!
//! Cells belong to a view: each view of a frame has its own [`Clusters`], which are used again from frame to frame.

mod cells;
mod reach;
#[cfg(test)]
mod tests;
mod view_lamps;

pub use view_lamps::ViewLamps;

use super::lamps::Lamp;
use crate::abi::LampRecord;
use crate::plan::View;
use crate::{Error, Result};
use cells::Cells;
use glam::{Vec2, Vec3};
use reach::Reach;

/// The most lamps that a view is given.
pub const MOST_LAMPS: usize = 65536;
/// The most cells of a grid: with the most lamps in each, their lists can still be counted in 32 bits.
const MOST_CELLS: u64 = 32768;

/// Into how many cells a view is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[doc(alias("froxel", "cluster"))]
pub struct ClusterGrid {
    /// Columns across the viewport, 1 and more.
    pub columns: u32,
    /// Rows down the viewport, 1 and more.
    pub rows: u32,
    /// Slices of depth, 1 and more. All three multiplied are 32768 at most.
    pub slices: u32,
}

impl Default for ClusterGrid {
    /// 16 × 9 × 24: square columns in a wide picture, and slices about as deep as they are wide up to some kilometres.
    fn default() -> Self {
        Self { columns: 16, rows: 9, slices: 24 }
    }
}

impl ClusterGrid {
    fn cells(&self) -> u64 {
        u64::from(self.columns).saturating_mul(self.rows.into()).saturating_mul(self.slices.into())
    }

    pub(crate) fn validate(&self) -> Result<()> {
        let cells = self.cells();
        if cells == 0 || cells > MOST_CELLS {
            let Self { columns, rows, slices } = self;
            let why = format!(
                "a grid of {columns} × {rows} × {slices} cells; use 1 to {MOST_CELLS} cells, for instance 16 × 9 × 24"
            );
            return Err(Error::invalid("clusters", why));
        }
        Ok(())
    }
}

/// What the shader finds a cell with. It goes to the device within [`LightConstants`](crate::abi::LightConstants).
///
/// The slice of a depth is `floor(log2(max(depth, near)) · scale + bias)`, clamped to the slices there are. The cell is
/// `(slice · rows + row) · columns + column`. Depth is metres along the camera's axis, not along the ray.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ClusterConstants {
    /// Columns, left to right.
    pub columns: u32,
    /// Rows, top to bottom.
    pub rows: u32,
    /// Slices, near to far.
    pub slices: u32,
    /// Records of lamps. Where it is 0, a shader need not look.
    pub lamps: u32,
    /// Slices an octave of depth.
    pub scale: f32,
    /// Slices.
    pub bias: f32,
    /// Where slices begin to grow, metres, 0.1 and more. The first holds whatever is nearer.
    pub near: f32,
    /// Where the last slice ends, metres. No lamp is listed for what is deeper.
    pub far: f32,
    /// The viewport's upper left corner, pixels.
    pub origin: [f32; 2],
    /// Columns a pixel across and rows a pixel down.
    pub cells_a_pixel: [f32; 2],
}

impl ClusterConstants {
    /// The slice of a depth, as the shader has it but in 64 bits.
    fn slice(&self, depth: f64) -> u32 {
        let log = depth.max(self.near.into()).log2();
        let slice = log * f64::from(self.scale) + f64::from(self.bias);
        (slice as u32).min(self.slices - 1)
    }
}

/// Refuses what cannot be listed.
fn check(grid: &ClusterGrid, view: &View, far: f64, lamps: &[Lamp]) -> Result<()> {
    grid.validate()?;
    view.validate()?;
    if !(1.0..=1e9).contains(&far) {
        return Err(Error::invalid("clusters", format!("lamps as deep as {far} m; use 1 to 1e9")));
    }
    if lamps.len() > MOST_LAMPS {
        let why = format!("{} in one view; choose the {MOST_LAMPS} that matter most to it", lamps.len());
        return Err(Error::invalid("lamps", why));
    }
    for (number, lamp) in lamps.iter().enumerate() {
        if let Some(fault) = lamp.fault() {
            return Err(Error::invalid("lamps", format!("number {number}: {fault}")));
        }
    }
    Ok(())
}

/// Cells next to each other that a lamp may reach.
#[derive(Clone, Copy)]
struct Run {
    lamp: u32,
    first: u32,
    cells: u32,
}

/// A view's cells and what reaches them.
pub struct Clusters {
    grid: ClusterGrid,
    cells: Cells,
    view: Option<View>,
    records: Vec<LampRecord>,
    words: Vec<u32>,
    /// Rising lamps, and rising cells a lamp.
    runs: Vec<Run>,
}

impl Clusters {
    /// Cells that nothing reaches, of no view yet.
    pub fn new(grid: ClusterGrid) -> Self {
        Self {
            grid,
            cells: Cells::default(),
            view: None,
            records: Vec::new(),
            words: Vec::new(),
            runs: Vec::new(),
        }
    }

    /// Lists the lamps of a frame. `far` is how deep the view has lamps, metres, 1 to 1e9; up to a few kilometres cells stay small.
    ///
    /// Cells are those of the view's projection without jitter, wide enough that a jitter of up to a pixel is in them. What held
    /// the last frame's lists holds these: frames much like each other allocate nothing.
    ///
    /// # Errors
    /// A grid, a view, a depth or a lamp that is out of range, or more than 65536 lamps, with a sentence. The lists are as they
    /// were then.
    pub fn build(&mut self, view: &View, far: f64, lamps: &[Lamp]) -> Result<()> {
        check(&self.grid, view, far, lamps)?;
        self.cells.update(&self.grid, view, far);
        self.view = Some(*view);
        self.find_runs(view, lamps);
        self.fill();
        Ok(())
    }

    /// The lamps that may reach the view, relative to its camera, in the order in which they were given.
    pub fn records(&self) -> &[LampRecord] {
        &self.records
    }

    /// The lists. For cell c, word 2c is the place among the words of its first lamp's number and word 2c + 1 is how many lamps it
    /// has; the numbers, which rise within a cell, are those of [`records`](Self::records). Empty before the first build.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The numbers of the lamps that may reach a cell, rising; none for a cell that there is not.
    pub fn lamps_of(&self, cell: usize) -> &[u32] {
        let header =
            if self.view.is_some() && cell < self.grid.cells() as usize { 2 * cell } else { return &[] };
        let (first, count) = (self.words[header] as usize, self.words[header + 1] as usize);
        &self.words[first..first + count]
    }

    /// What the shader finds a cell with. Before the first build, no cells and no lamps.
    pub fn constants(&self) -> ClusterConstants {
        ClusterConstants { lamps: self.records.len() as u32, ..*self.cells.constants() }
    }

    /// The cell of a pixel of the target at a depth along the camera's axis, metres; None outside the viewport or deeper than the
    /// lamps go. Twin of the shader's lookup.
    pub fn cell_at(&self, pixel: Vec2, depth: f32) -> Option<usize> {
        let constants = self.cells.constants();
        self.view?;
        let at = (pixel - Vec2::from(constants.origin)) * Vec2::from(constants.cells_a_pixel);
        let most = Vec2::new(constants.columns as f32, constants.rows as f32);
        if !(at.cmpge(Vec2::ZERO).all() && at.cmple(most).all() && depth <= constants.far) {
            return None;
        }
        let column = (at.x as u32).min(constants.columns - 1);
        let row = (at.y as u32).min(constants.rows - 1);
        // A number below 0 becomes 0, as in the shader.
        let slice = depth.max(constants.near).log2() * constants.scale + constants.bias;
        let slice = (slice as u32).min(constants.slices - 1);
        Some(((slice * constants.rows + row) * constants.columns + column) as usize)
    }

    /// The cell of a place, metres from the camera in the world's axes; None where the view does not see it or it is deeper than
    /// the lamps go.
    pub fn cell_of(&self, relative: Vec3) -> Option<usize> {
        let view = self.view.as_ref()?;
        let place = view.rotation.normalize().inverse() * relative;
        let clip = view.unjittered * place.extend(1.0);
        if !(clip.w > 0.0 && (0.0..=clip.w).contains(&clip.z)) {
            return None;
        }
        let seen = clip.truncate().truncate() / clip.w;
        let down = if view.flip_y { -seen.y } else { seen.y };
        let size = Vec2::new(view.viewport.width, view.viewport.height);
        let pixel =
            Vec2::new(view.viewport.x, view.viewport.y) + (Vec2::new(seen.x, down) * 0.5 + 0.5) * size;
        self.cell_at(pixel, -place.z)
    }

    /// Which cells each lamp may reach, and the records of those that reach any.
    fn find_runs(&mut self, view: &View, lamps: &[Lamp]) {
        self.runs.clear();
        self.records.clear();
        let turn = view.rotation.as_dquat().normalize().inverse();
        for lamp in lamps.iter().filter(|lamp| lamp.intensity != Vec3::ZERO) {
            let number = self.records.len() as u32;
            let before = self.runs.len();
            let reach = Reach::new(lamp, lamp.position - view.position, turn);
            self.cells.reached(&reach, |first, cells| {
                self.runs.push(Run { lamp: number, first: first as u32, cells: cells as u32 });
            });
            if self.runs.len() > before {
                self.records.push(LampRecord::new(lamp, view.position));
            }
        }
    }

    /// The words of the runs: counts lamps a cell, places the lists one after another, and writes them.
    fn fill(&mut self) {
        let headers = 2 * self.grid.cells() as usize;
        let words = &mut self.words;
        words.clear();
        words.resize(headers, 0);
        let range = |run: &Run| 2 * run.first as usize..2 * (run.first + run.cells) as usize;
        for run in &self.runs {
            words[range(run)].chunks_exact_mut(2).for_each(|header| header[1] += 1);
        }
        let mut next = headers;
        for header in words.chunks_exact_mut(2) {
            // Counts again while the list is written.
            let count = std::mem::take(&mut header[1]);
            header[0] = next as u32;
            next += count as usize;
        }
        words.resize(next, 0);
        for run in &self.runs {
            for header in range(run).step_by(2) {
                let place = words[header] + words[header + 1];
                words[place as usize] = run.lamp;
                words[header + 1] += 1;
            }
        }
    }
}

impl std::fmt::Debug for Clusters {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let lists = || (0..self.grid.cells().min(MOST_CELLS) as usize).map(|cell| self.lamps_of(cell).len());
        out.debug_struct("Clusters")
            .field("grid", &self.grid)
            .field("lamps", &self.records.len())
            .field("listed", &lists().sum::<usize>())
            .field("longest_list", &lists().max().unwrap_or(0))
            .finish()
    }
}
