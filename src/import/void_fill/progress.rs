//! Telling how far a fill is, often enough for a person who wants it to stop.

use std::ops::ControlFlow;

/// Nanoseconds of work between two calls, about.
const STRIDE: u64 = 8_000_000;
/// Things of a list between two looks at whether that is reached.
pub(super) const PART: usize = 1 << 16;

/// Counts work, and tells from time to time which part of the voids has a height. A break that it returns ends the fill.
pub(super) struct Progress<'a> {
    report: &'a mut dyn FnMut(f64) -> ControlFlow<()>,
    total: u64,
    done: u64,
    spent: u64,
}

impl<'a> Progress<'a> {
    pub(super) fn new(report: &'a mut dyn FnMut(f64) -> ControlFlow<()>) -> Self {
        Self { report, total: 1, done: 0, spent: 0 }
    }

    /// States how many steps there are.
    pub(super) fn expect(&mut self, steps: usize) {
        self.total = steps.max(1) as u64;
    }

    /// Counts steps that are done.
    pub(super) fn done(&mut self, steps: usize) {
        self.done += steps as u64;
    }

    /// Counts work that takes about `nanoseconds` for each of `count` things.
    pub(super) fn spend(&mut self, nanoseconds: u64, count: usize) -> ControlFlow<()> {
        self.spent += nanoseconds * count as u64;
        if self.spent < STRIDE {
            return ControlFlow::Continue(());
        }
        self.spent = 0;
        (self.report)((self.done as f64 / self.total as f64).min(1.0))
    }

    /// Goes through a list and counts the work, a few nanoseconds for each thing in it.
    pub(super) fn each<T>(&mut self, list: &[T], mut look: impl FnMut(&T)) -> ControlFlow<()> {
        for part in list.chunks(PART) {
            part.iter().for_each(&mut look);
            self.spend(5, part.len())?;
        }
        ControlFlow::Continue(())
    }
}

/// What is made where nobody stops it.
#[cfg(test)]
pub(super) fn unstopped<T>(make: impl FnOnce(&mut Progress<'_>) -> ControlFlow<(), T>) -> T {
    let mut go_on = |_| ControlFlow::Continue(());
    match make(&mut Progress::new(&mut go_on)) {
        ControlFlow::Continue(made) => made,
        ControlFlow::Break(()) => unreachable!("nobody stops it"),
    }
}
