//! A flat pyramid of least and greatest codes, for culling nodes and for rays.
//!
//! Cell (x, z) of level k covers the samples `x·32·2^k ..= (x + 1)·32·2^k`, *dilated* on every side by at least
//! `6·2^k` samples. A node of grid size g and level L has `g·2^L` quads and may draw any height that the mips L and
//! L + 1 hold over it, whose windows reach `1.5·2^(L+1) = 3·2^L` samples past the node. With 32 quads in a cell, the
//! nodes of every grid size are covered: cell k serves nodes of 32·2^k quads (3·2^k ≤ 6·2^k), of 64·2^(k−1) quads
//! (1.5·2^k) and of 16·2^(k+1) quads (exactly 6·2^k). The property test in `tests/watertight.rs` holds it against
//! what nodes really draw.
//!
//! Memory is 4 bytes a cell, one part in 384 of what the samples take.

use super::SampleRect;
use std::ops::Range;

/// A least and a greatest code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub struct MinMax {
    /// The least code.
    pub min: u16,
    /// The greatest code.
    pub max: u16,
}

impl MinMax {
    const EMPTY: Self = Self { min: u16::MAX, max: 0 };

    /// The bounds of both.
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// The pyramid. Level 0 has a cell for every 32×32 quads, the last level has one cell: the map.
#[derive(Clone, Debug)]
pub struct Bounds {
    width: u32,
    height: u32,
    levels: Vec<LevelCells>,
    cells: Vec<MinMax>,
    folded: [Folded; 2],
}

/// Equal where every cell is; the scratch rows do not count.
impl PartialEq for Bounds {
    fn eq(&self, other: &Self) -> bool {
        (self.width, self.height, &self.cells) == (other.width, other.height, &other.cells)
    }
}

#[derive(Clone, Copy, Debug)]
struct LevelCells {
    columns: u32,
    rows: u32,
    first: usize,
}

/// Some columns of the samples.
struct Window<'a> {
    samples: &'a [u16],
    width: usize,
    columns: Range<usize>,
}

/// Column-wise least and greatest codes of some rows: what a row of cells is reduced from. Kept, so that an edit
/// allocates nothing.
#[derive(Clone, Debug, Default)]
struct Folded {
    min: Vec<u16>,
    max: Vec<u16>,
}

impl Bounds {
    /// Quads a side of a level-0 cell.
    pub const CELL_QUADS: u32 = 32;
    /// Samples that a level-0 cell reaches past its quads on every side; doubles with each level.
    pub const DILATION: u32 = 6;
    /// How many levels finer the cells are that make the dilation of a coarse one.
    const RING_LEVELS: u32 = 3;

    pub(super) fn new(samples: &[u16], width: u32, height: u32) -> Self {
        let mut levels = Vec::new();
        let mut first = 0;
        for level in 0.. {
            let size = Self::CELL_QUADS << level;
            let cells =
                LevelCells { columns: (width - 1).div_ceil(size), rows: (height - 1).div_ceil(size), first };
            first += cells.columns as usize * cells.rows as usize;
            levels.push(cells);
            if cells.columns == 1 && cells.rows == 1 {
                break;
            }
        }
        let mut bounds =
            Self { width, height, levels, cells: vec![MinMax::EMPTY; first], folded: Default::default() };
        bounds.update(samples, SampleRect::new(0, 0, width, height));
        bounds
    }

    /// Number of levels; the last has one cell.
    pub fn level_count(&self) -> u32 {
        self.levels.len() as u32
    }

    /// Columns and rows of cells on a level.
    pub fn cells_on(&self, level: u32) -> (u32, u32) {
        let level = self.levels[level as usize];
        (level.columns, level.rows)
    }

    /// The bounds of a cell, dilated as the module's page says.
    ///
    /// # Panics
    /// For a cell that the level does not have.
    #[inline]
    pub fn cell(&self, level: u32, x: u32, z: u32) -> MinMax {
        self.row_of(level, z)[x as usize]
    }

    /// One row of a level's cells.
    #[inline]
    pub(crate) fn row_of(&self, level: u32, z: u32) -> &[MinMax] {
        let level = self.levels[level as usize];
        let start = level.first + z as usize * level.columns as usize;
        &self.cells[start..start + level.columns as usize]
    }

    /// All cells of a level, row by row, and how many make a row; above the last level its one cell.
    #[inline]
    pub(crate) fn cells_of(&self, level: u32) -> (&[MinMax], usize) {
        let level = self.levels[(level as usize).min(self.levels.len() - 1)];
        let (columns, rows) = (level.columns as usize, level.rows as usize);
        (&self.cells[level.first..level.first + columns * rows], columns)
    }

    /// The bounds of the whole map.
    pub fn root(&self) -> MinMax {
        self.cells[self.cells.len() - 1]
    }

    /// Bytes that the pyramid takes.
    pub fn bytes(&self) -> usize {
        self.cells.len() * size_of::<MinMax>()
    }

    /// Brings every cell that sees a sample of `rect` up to date, right up to the root.
    pub(super) fn update(&mut self, samples: &[u16], rect: SampleRect) {
        let level = self.levels[0];
        let columns = touched(rect.x0, rect.x1, Self::CELL_QUADS, Self::DILATION, level.columns);
        let rows = touched(rect.z0, rect.z1, Self::CELL_QUADS, Self::DILATION, level.rows);
        self.update_leaves(samples, columns, rows);
        for k in 1..self.level_count() {
            let size = Self::CELL_QUADS << k;
            let (fine, ring) = Self::ring(k);
            let reach = (ring * Self::CELL_QUADS + Self::DILATION) << fine;
            let level = self.levels[k as usize];
            for z in touched(rect.z0, rect.z1, size, reach, level.rows) {
                for x in touched(rect.x0, rect.x1, size, reach, level.columns) {
                    let cell = self.coarse_cell(k, x, z);
                    self.cells[level.first + z as usize * level.columns as usize + x as usize] = cell;
                }
            }
        }
    }

    /// Recomputes a rectangle of level-0 cells. Rows are folded column by column first, which runs at the speed of
    /// memory, and only the folded rows are reduced to cells. The rows that a cell's dilation shares with the cell
    /// south of it are folded once, for both.
    fn update_leaves(&mut self, samples: &[u16], columns: Range<u32>, rows: Range<u32>) {
        let (first, _) = dilated(columns.start, Self::CELL_QUADS, Self::DILATION, self.width);
        let (_, last) = dilated(columns.end - 1, Self::CELL_QUADS, Self::DILATION, self.width);
        let window = Window { samples, width: self.width as usize, columns: first as usize..last as usize };
        let level = self.levels[0];
        let [mut cell, mut border] = std::mem::take(&mut self.folded);
        border.refill(&window, self.border(rows.start));
        for z in rows {
            let (north, south) = (self.border(z), self.border(z + 1));
            cell.copy(&border);
            cell.add(&window, north.end..south.start);
            border.refill(&window, south);
            cell.join(&border);
            for x in columns.clone() {
                let (west, east) = dilated(x, Self::CELL_QUADS, Self::DILATION, self.width);
                let found = cell.reduce((west - first) as usize..(east - first) as usize);
                self.cells[level.first + z as usize * level.columns as usize + x as usize] = found;
            }
        }
        self.folded = [cell, border];
    }

    /// The rows of samples that the level-0 cells on both sides of the northern edge of row `z` see.
    fn border(&self, z: u32) -> Range<u32> {
        let edge = z * Self::CELL_QUADS;
        let end = (edge + Self::DILATION + 1).min(self.height);
        edge.saturating_sub(Self::DILATION).min(end)..end
    }

    /// The finer level whose cells make the dilation of a cell of level `k ≥ 1`, and how many of them side by side.
    fn ring(k: u32) -> (u32, u32) {
        let up = k.min(Self::RING_LEVELS);
        // The ring's own cells are dilated too, by DILATION at their level.
        (k - up, (Self::DILATION * ((1 << up) - 1)).div_ceil(Self::CELL_QUADS))
    }

    /// A cell of level `k ≥ 1`: its four children and a ring of finer cells around them, wide enough for its dilation.
    fn coarse_cell(&self, k: u32, x: u32, z: u32) -> MinMax {
        let child = self.levels[k as usize - 1];
        let mut cell = MinMax::EMPTY;
        for z in 2 * z..(2 * z + 2).min(child.rows) {
            for x in 2 * x..(2 * x + 2).min(child.columns) {
                cell = cell.union(self.cell(k - 1, x, z));
            }
        }
        let (fine, ring) = Self::ring(k);
        let up = k - fine;
        let (columns, rows) = self.cells_on(fine);
        let (inner_x, outer_x) = ring_spans(x << up, 1 << up, ring, columns);
        let (inner_z, outer_z) = ring_spans(z << up, 1 << up, ring, rows);
        for z in outer_z {
            let row = self.row_of(fine, z);
            if inner_z.contains(&z) {
                cell = fold(cell, &row[outer_x.start as usize..inner_x.start as usize]);
                cell = fold(cell, &row[inner_x.end as usize..outer_x.end as usize]);
            } else {
                cell = fold(cell, &row[outer_x.start as usize..outer_x.end as usize]);
            }
        }
        cell
    }
}

impl Window<'_> {
    fn row(&self, row: u32) -> &[u16] {
        let start = row as usize * self.width;
        &self.samples[start + self.columns.start..start + self.columns.end]
    }

    /// Asks for every cache line of some rows at once. Rows lie a page or more apart, so what reads a few columns of
    /// many rows would wait for each; long rows a machine reads ahead by itself.
    fn touch(&self, rows: Range<u32>) {
        const LINE: usize = 32;
        if self.columns.len() > 16 * LINE {
            return;
        }
        let firsts = |row| self.row(row).iter().step_by(LINE).chain(self.row(row).last());
        std::hint::black_box(rows.flat_map(firsts).fold(0, |any, &code| any | code));
    }
}

impl Folded {
    /// Holds these rows and no others.
    fn refill(&mut self, window: &Window<'_>, rows: Range<u32>) {
        self.min.clear();
        self.min.resize(window.columns.len(), u16::MAX);
        self.max.clear();
        self.max.resize(window.columns.len(), 0);
        self.add(window, rows);
    }

    fn copy(&mut self, other: &Self) {
        self.min.clone_from(&other.min);
        self.max.clone_from(&other.max);
    }

    fn add(&mut self, window: &Window<'_>, rows: Range<u32>) {
        window.touch(rows.clone());
        for row in rows {
            for ((min, max), &code) in self.min.iter_mut().zip(&mut self.max).zip(window.row(row)) {
                *min = (*min).min(code);
                *max = (*max).max(code);
            }
        }
    }

    fn join(&mut self, other: &Self) {
        for (min, &other) in self.min.iter_mut().zip(&other.min) {
            *min = (*min).min(other);
        }
        for (max, &other) in self.max.iter_mut().zip(&other.max) {
            *max = (*max).max(other);
        }
    }

    fn reduce(&self, columns: Range<usize>) -> MinMax {
        let min = self.min[columns.clone()].iter().fold(u16::MAX, |a, &b| a.min(b));
        let max = self.max[columns].iter().fold(0, |a, &b| a.max(b));
        MinMax { min, max }
    }
}

fn fold(cell: MinMax, others: &[MinMax]) -> MinMax {
    others.iter().fold(cell, |a, &b| a.union(b))
}

/// The cells of `size` quads, dilated by `reach`, that see one of the samples `low..high`.
fn touched(low: u32, high: u32, size: u32, reach: u32, cells: u32) -> Range<u32> {
    let first = low.saturating_sub(reach + 1) / size;
    let last = (high - 1 + reach) / size;
    first.min(cells - 1)..(last + 1).min(cells)
}

/// The samples that cell `index` of `size` quads sees, half-open.
fn dilated(index: u32, size: u32, reach: u32, samples: u32) -> (u32, u32) {
    ((index * size).saturating_sub(reach), (index * size + size + reach + 1).min(samples))
}

/// The inner span of cells, and that span with a ring around it, both clipped to the level.
fn ring_spans(first: u32, count: u32, ring: u32, cells: u32) -> (Range<u32>, Range<u32>) {
    let end = (first + count).min(cells);
    (first..end, first.saturating_sub(ring)..(first + count + ring).min(cells))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A small deterministic noise, so that a failing case is named by its numbers alone.
    fn noise(width: u32, height: u32, seed: u32) -> Vec<u16> {
        (0..width * height)
            .map(|i| {
                let mut h = (i ^ seed.wrapping_mul(0x9E37_79B1)).wrapping_mul(0x85EB_CA77);
                h ^= h >> 15;
                (h.wrapping_mul(0xC2B2_AE3D) >> 16) as u16
            })
            .collect()
    }

    fn brute(samples: &[u16], width: u32, columns: (u32, u32), rows: (u32, u32)) -> MinMax {
        let mut found = MinMax::EMPTY;
        for z in rows.0..rows.1 {
            for x in columns.0..columns.1 {
                let code = samples[(z * width + x) as usize];
                found = found.union(MinMax { min: code, max: code });
            }
        }
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        /// Level 0 is exact; each coarser cell holds its own dilated window, and is no larger than one of its own
        /// width more on every side; the root is exact.
        #[test]
        fn cells_hold_their_dilated_windows(width in 2u32..400, height in 2u32..300, seed: u32) {
            let samples = noise(width, height, seed);
            let bounds = Bounds::new(&samples, width, height);
            for level in 0..bounds.level_count() {
                let size = Bounds::CELL_QUADS << level;
                let (columns, rows) = bounds.cells_on(level);
                for (x, z) in (0..rows).flat_map(|z| (0..columns).map(move |x| (x, z))) {
                    let within = |reach| brute(&samples, width, dilated(x, size, reach, width), dilated(z, size, reach, height));
                    let cell = bounds.cell(level, x, z);
                    let least = within(Bounds::DILATION << level);
                    prop_assert_eq!(cell.union(least), cell);
                    let most = if level == 0 { least } else { within(size) };
                    prop_assert_eq!(most.union(cell), most);
                }
            }
            prop_assert_eq!(bounds.root(), brute(&samples, width, (0, width), (0, height)));
        }

        /// After any edit the pyramid equals one built afresh.
        #[test]
        fn an_update_equals_a_rebuild(
            width in 2u32..600, height in 2u32..400, seed: u32, at in (0u32..600, 0u32..400), size in (1u32..90, 1u32..90),
        ) {
            let mut samples = noise(width, height, seed);
            let mut bounds = Bounds::new(&samples, width, height);
            let rect = SampleRect::new(at.0 % width, at.1 % height, size.0, size.1).clipped(width, height);
            for z in rect.z0..rect.z1 {
                for x in rect.x0..rect.x1 {
                    samples[(z * width + x) as usize] ^= 0xFFFF;
                }
            }
            bounds.update(&samples, rect);
            prop_assert_eq!(bounds, Bounds::new(&samples, width, height));
        }
    }
}
