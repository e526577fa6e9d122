//! Which voids belong together, and which valid samples lie around them.

use super::progress::Progress;
use std::ops::{ControlFlow, Range};

/// Samples a side of a square whose voids are filled one after the other.
const TILE: u32 = 32;

/// Voids side by side in one row, by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    start: u32,
    end: u32,
}

impl Run {
    pub(super) fn indices(self) -> Range<u32> {
        self.start..self.end
    }
}

/// All voids of a map: its runs in ascending order.
pub(super) struct Runs {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) list: Vec<Run>,
}

impl Runs {
    /// The runs of voids that come in ascending order.
    pub(super) fn of(
        voids: impl Iterator<Item = usize>,
        width: usize,
        height: usize,
        progress: &mut Progress<'_>,
    ) -> ControlFlow<(), Self> {
        let width = width as u32;
        let mut list: Vec<Run> = Vec::new();
        for index in voids.map(|index| index as u32) {
            progress.spend(4, 1)?;
            match list.last_mut() {
                Some(run) if run.end == index && index % width != 0 => run.end += 1,
                _ => list.push(Run { start: index, end: index + 1 }),
            }
        }
        ControlFlow::Continue(Self { width, height: height as u32, list })
    }

    /// How many voids there are.
    pub(super) fn voids(&self) -> usize {
        self.list.iter().map(|run| run.indices().len()).sum()
    }

    pub(super) fn run(&self, number: u32) -> Run {
        self.list[number as usize]
    }

    /// Column and row of a sample.
    pub(super) fn place(&self, index: u32) -> (u32, u32) {
        (index % self.width, index / self.width)
    }

    /// The samples of a row that are a run's own or touch it, in its own row or one beside it.
    fn beside(&self, run: Run, row: u32) -> Range<u32> {
        let (west, z) = self.place(run.start);
        let east = run.end - z * self.width;
        row * self.width + west.saturating_sub(1)..row * self.width + (east + 1).min(self.width)
    }

    /// The numbers of the runs that have voids among these samples.
    fn among(&self, samples: &Range<u32>) -> Range<usize> {
        let first = self.list.partition_point(|run| run.end <= samples.start);
        let count = self.list[first..].iter().take_while(|run| run.start < samples.end).count();
        first..first + count
    }

    /// Lists the valid samples that touch an area, in ascending order. `area` are the numbers of its runs.
    pub(super) fn rim(
        &self,
        area: &[u32],
        rim: &mut Vec<u32>,
        progress: &mut Progress<'_>,
    ) -> ControlFlow<()> {
        rim.clear();
        let row_of = |number: u32| self.place(self.run(number).start).1;
        let (first, last) = (row_of(area[0]), row_of(area[area.len() - 1]));
        let mut near = Vec::new();
        for row in first.saturating_sub(1)..=(last + 1).min(self.height - 1) {
            let from = area.partition_point(|&number| row_of(number) + 1 < row);
            let beside = area[from..].iter().take_while(|&&number| row_of(number) <= row + 1);
            near.clear();
            beside.for_each(|&number| self.valid_beside(self.run(number), row, &mut near));
            progress.spend(20, near.len())?;
            near.sort_unstable();
            near.dedup();
            rim.extend_from_slice(&near);
        }
        ControlFlow::Continue(())
    }

    /// Goes through the voids of an area tile by tile, so that those that come one after the other are near each other and
    /// in a tile row by row, and hands them on in batches of `count`, the last of fewer.
    pub(super) fn in_tiles(
        &self,
        area: &[u32],
        count: usize,
        take: &mut impl FnMut(&[u32]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let row_of = |number: u32| self.run(number).start / self.width;
        let column_of = |void: u32| void % self.width / TILE;
        let mut batch = Vec::new();
        for band in area.chunk_by(|&a, &b| row_of(a) / TILE == row_of(b) / TILE) {
            let rows = band.chunk_by(|&a, &b| row_of(a) == row_of(b));
            let mut rows: Vec<_> = rows
                .map(|row| row.iter().flat_map(|&number| self.run(number).indices()).peekable())
                .collect();
            while let Some(tile) =
                rows.iter_mut().filter_map(|row| row.peek()).map(|&void| column_of(void)).min()
            {
                for row in &mut rows {
                    batch.extend(std::iter::from_fn(|| row.next_if(|&void| column_of(void) == tile)));
                }
                while batch.len() >= count {
                    take(&batch[..count])?;
                    batch.drain(..count);
                }
            }
        }
        if batch.is_empty() { ControlFlow::Continue(()) } else { take(&batch) }
    }

    /// Adds the valid samples of a row that touch a run.
    fn valid_beside(&self, run: Run, row: u32, valid: &mut Vec<u32>) {
        let beside = self.beside(run, row);
        let mut from = beside.start;
        for void in &self.list[self.among(&beside)] {
            valid.extend(from..void.start);
            from = void.end;
        }
        valid.extend(from..beside.end);
    }
}

/// Which runs touch each other, directly or by way of others.
pub(super) struct Areas {
    /// The number of every run, those of an area one after the other.
    order: Vec<u32>,
    /// The first run of each run's area.
    firsts: Vec<u32>,
}

impl Areas {
    pub(super) fn of(runs: &Runs, progress: &mut Progress<'_>) -> ControlFlow<(), Self> {
        let count = runs.list.len();
        // A forest in which a parent comes before its children.
        let mut parents: Vec<u32> = (0..count as u32).collect();
        for (number, &run) in (0..).zip(&runs.list) {
            progress.spend(50, 1)?;
            let (_, z) = runs.place(run.start);
            if z == 0 {
                continue;
            }
            for north in runs.among(&runs.beside(run, z - 1)) {
                let (a, b) = (first(&mut parents, north as u32), first(&mut parents, number));
                parents[a.max(b) as usize] = a.min(b);
            }
        }
        for number in 0..count {
            parents[number] = parents[parents[number] as usize];
            progress.spend(5, 1)?;
        }
        let firsts = parents;
        let order = in_areas(&firsts, progress)?;
        ControlFlow::Continue(Self { order, firsts })
    }

    /// The areas, each by the numbers of its runs in ascending order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &[u32]> {
        self.order.chunk_by(|&a, &b| self.firsts[a as usize] == self.firsts[b as usize])
    }
}

/// The numbers of all runs, sorted by the first of their area and then by themselves. There are as many places as runs, so
/// that each is found by counting.
fn in_areas(firsts: &[u32], progress: &mut Progress<'_>) -> ControlFlow<(), Vec<u32>> {
    let mut places = vec![0; firsts.len()];
    for &first in firsts {
        places[first as usize] += 1;
        progress.spend(5, 1)?;
    }
    let mut next = 0;
    for place in &mut places {
        let runs = std::mem::replace(place, next);
        next += runs;
    }
    let mut order = vec![0; firsts.len()];
    for (number, &first) in (0..).zip(firsts) {
        let place: &mut u32 = &mut places[first as usize];
        order[*place as usize] = number;
        *place += 1;
        progress.spend(5, 1)?;
    }
    ControlFlow::Continue(order)
}

/// The root of a run's tree. Halves the way there for the next who asks.
fn first(parents: &mut [u32], mut number: u32) -> u32 {
    while parents[number as usize] != number {
        let next = parents[parents[number as usize] as usize];
        parents[number as usize] = next;
        number = next;
    }
    number
}

#[cfg(test)]
mod tests {
    use super::super::progress::unstopped;
    use super::*;

    fn runs_of(rows: &[&str]) -> Runs {
        let voids =
            rows.concat().bytes().enumerate().filter(|&(_, sample)| sample == b'#').collect::<Vec<_>>();
        let voids = voids.into_iter().map(|(index, _)| index);
        unstopped(|progress| Runs::of(voids, rows[0].len(), rows.len(), progress))
    }

    /// The first void and the rim of every area.
    fn rims(rows: &[&str]) -> Vec<(u32, Vec<u32>)> {
        let runs = runs_of(rows);
        let areas = unstopped(|progress| Areas::of(&runs, progress));
        let mut rim = Vec::new();
        let list = areas.iter().map(|area| {
            unstopped(|progress| runs.rim(area, &mut rim, progress));
            (runs.run(area[0]).start, rim.clone())
        });
        list.collect()
    }

    #[test]
    fn a_run_ends_with_its_row() {
        let runs = runs_of(&[".##", "#.#"]);
        assert_eq!(runs.list.iter().map(|run| run.indices()).collect::<Vec<_>>(), [1..3, 3..4, 5..6]);
        assert_eq!(runs.voids(), 4);
        assert_eq!(runs_of(&["...", "..."]).voids(), 0);
    }

    #[test]
    fn tiles_have_every_void_once_and_row_by_row() {
        let (width, height) = (100, 70);
        // One area, because no two valid samples touch.
        let voids = (0..width * height).filter(|index| index % width % 3 > 0 || index / width % 2 > 0);
        let runs = unstopped(|progress| Runs::of(voids.clone(), width, height, progress));
        let areas = unstopped(|progress| Areas::of(&runs, progress));
        let in_tiles = |count: usize| {
            let mut all = Vec::new();
            for area in areas.iter() {
                let whole = runs.in_tiles(area, count, &mut |batch| {
                    assert!(batch.len() <= count);
                    all.extend_from_slice(batch);
                    ControlFlow::Continue(())
                });
                assert!(whole.is_continue());
            }
            all
        };
        let all = in_tiles(64);
        assert_eq!(all, in_tiles(1000), "batches change nothing");
        let place = |void: &u32| (void / width as u32, void % width as u32);
        let tile = |void: &u32| (place(void).0 / TILE, place(void).1 / TILE);
        assert!(all.is_sorted_by_key(|void| (tile(void), place(void))));
        let mut sorted = all;
        sorted.sort_unstable();
        assert!(sorted.into_iter().eq(voids.map(|void| void as u32)));
    }

    #[test]
    fn corners_join_and_edges_do_not_wrap() {
        assert_eq!(rims(&["#..", ".#.", "..#"]), [(0, vec![1, 2, 3, 5, 6, 7])]);
        assert_eq!(rims(&["..#", "...", "..."]), [(2, vec![1, 4, 5])]);
        assert_eq!(rims(&["..#", "#.."]), [(2, vec![1, 4, 5]), (3, vec![0, 1, 4])]);
    }

    #[test]
    fn arms_that_meet_in_the_south_are_one_area() {
        assert_eq!(rims(&["#.#.#", "#.###", "#...."]).len(), 2);
        assert_eq!(rims(&["#.#.#", "#.###", ".#..."]), [(0, vec![1, 3, 6, 10, 12, 13, 14])]);
    }

    #[test]
    fn an_area_in_another_has_its_own_rim() {
        let rims = rims(&["#####", "#...#", "#.#.#", "#...#", "#####"]);
        let ring = vec![6, 7, 8, 11, 13, 16, 17, 18];
        assert_eq!(rims, [(0, ring.clone()), (12, ring)]);
    }
}
