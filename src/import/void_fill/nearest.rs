//! The exact nearest valid sample of every void, in time proportional to the voids.
//!
//! First every void finds the nearest valid sample of its own column, then each row combines its columns with the lower
//! envelope of the parabolas that their distances are (Meijster, Roerdink and Hesselink 2000; Felzenszwalb and
//! Huttenlocher 2012). A run of voids needs its own columns and the two valid samples at its ends, because the
//! rectangle between a void and the valid sample nearest to it holds voids only.
//!
//! Distances are compared exactly for square cells and for cells of whole metres, so that ties are seen as such.
//! Elsewhere two samples whose distances differ by no more than rounding pass for equally near.

use super::super::values::Height;
use super::areas::Runs;
use super::progress::Progress;
use glam::DVec2;
use std::ops::ControlFlow;

/// No valid sample in the column.
const NONE: u32 = u32::MAX;

/// Copies to every void the valid sample nearest to it.
pub(super) fn fill<T: Height>(
    values: &mut [T],
    runs: &Runs,
    cell: DVec2,
    progress: &mut Progress<'_>,
) -> ControlFlow<()> {
    // Every void is looked at in three passes.
    progress.expect(3 * runs.voids());
    let rows = rows_in_columns(runs, progress)?;
    let mut rows = rows.iter();
    let width = runs.width;
    // All that counts is how the two compare.
    let weights = if cell.x == cell.y { DVec2::ONE } else { cell * cell };
    let mut envelope = Envelope { weights, sites: Vec::new() };
    for run in runs.list.iter().map(|run| run.indices()) {
        progress.done(run.len());
        progress.spend(50, run.len())?;
        let (west, z) = runs.place(run.start);
        let east = west + run.len() as u32;
        envelope.sites.clear();
        if west > 0 {
            envelope.push(west - 1, z, 0);
        }
        for (x, &row) in (west..east).zip(&mut rows) {
            if row != NONE {
                envelope.push(x, row, row.abs_diff(z));
            }
        }
        if east < width {
            envelope.push(east, z, 0);
        }
        let mut at = 0;
        for (x, index) in (west..east).zip(run) {
            let (column, row) = envelope.lowest(f64::from(x), &mut at);
            values[index as usize] = values[row as usize * width as usize + column as usize];
        }
    }
    ControlFlow::Continue(())
}

/// For every void the row of the valid sample of its column that is nearest to it, the northern one of two.
fn rows_in_columns(runs: &Runs, progress: &mut Progress<'_>) -> ControlFlow<(), Vec<u32>> {
    /// A stretch of voids in a column, while rows are swept.
    #[derive(Clone)]
    struct Stretch {
        /// The row of the last void that was seen.
        last: u32,
        /// The row of the valid sample before the first.
        valid: u32,
    }
    let mut rows = Vec::with_capacity(runs.voids());
    // Beyond the map lies no valid sample, as if its columns went on with voids.
    let mut columns = vec![Stretch { last: u32::MAX, valid: NONE }; runs.width as usize];
    for run in &runs.list {
        progress.done(run.indices().len());
        progress.spend(10, run.indices().len())?;
        for (x, z) in run.indices().map(|index| runs.place(index)) {
            let column = &mut columns[x as usize];
            if column.last.wrapping_add(1) != z {
                column.valid = z - 1;
            }
            column.last = z;
            rows.push(column.valid);
        }
    }
    columns.fill(Stretch { last: runs.height, valid: NONE });
    let mut nearest = rows.iter_mut().rev();
    for run in runs.list.iter().rev() {
        progress.done(run.indices().len());
        progress.spend(10, run.indices().len())?;
        for ((x, z), nearest) in run.indices().rev().map(|index| runs.place(index)).zip(&mut nearest) {
            let column = &mut columns[x as usize];
            if column.last != z + 1 {
                column.valid = z + 1;
            }
            column.last = z;
            let (north, south) = (*nearest, column.valid);
            if north == NONE || (south != NONE && south - z < z - north) {
                *nearest = south;
            }
        }
    }
    ControlFlow::Continue(rows)
}

/// The nearest sample of one column of a row.
struct Site {
    x: u32,
    row: u32,
    /// The square of its distance to the row.
    away: f64,
    /// Where along the row it begins to be nearer than the site before it.
    from: f64,
}

/// The sites of a row, west to east, without those that are nearest nowhere.
struct Envelope {
    /// What the squares of a distance in columns and in rows count.
    weights: DVec2,
    sites: Vec<Site>,
}

impl Envelope {
    /// Adds the sample of a column, east of all before it, that is `rows` rows away.
    fn push(&mut self, x: u32, row: u32, rows: u32) {
        let mut site =
            Site { x, row, away: self.weights.y * f64::from(rows).powi(2), from: f64::NEG_INFINITY };
        while let Some(last) = self.sites.last() {
            // Exact where it is a whole column and the squares are exact, so that ties are seen as such.
            site.from = 0.5 * f64::from(last.x + x)
                + (site.away - last.away) / (2.0 * self.weights.x * f64::from(x - last.x));
            if site.from >= last.from {
                break;
            }
            self.sites.pop();
            site.from = f64::NEG_INFINITY;
        }
        self.sites.push(site);
    }

    /// Column and row of the site nearest to a column; of several the first in the map. `at` is where the search
    /// begins, 0 for the first column and left alone between columns that ascend.
    fn lowest(&self, x: f64, at: &mut usize) -> (u32, u32) {
        while self.sites.get(*at + 1).is_some_and(|next| next.from < x) {
            *at += 1;
        }
        let distance = |site: &Site| self.weights.x * (f64::from(site.x) - x).powi(2) + site.away;
        let mut best = &self.sites[*at];
        for site in self.sites[*at + 1..].iter().take_while(|site| site.from <= x) {
            let order = distance(site).total_cmp(&distance(best));
            if order.then((site.row, site.x).cmp(&(best.row, best.x))).is_lt() {
                best = site;
            }
        }
        (best.x, best.row)
    }
}
