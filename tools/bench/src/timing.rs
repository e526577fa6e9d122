//! Medians of times.

use std::hint::black_box;
use std::time::Instant;

/// The median; 0 of nothing.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => (values[n / 2 - 1] + values[n / 2]) / 2.0,
    }
}

/// Nanoseconds of one call, and what it returned.
pub(crate) fn nanoseconds<R>(work: impl FnOnce() -> R) -> (f64, R) {
    let start = Instant::now();
    let result = black_box(work());
    (start.elapsed().as_nanos() as f64, result)
}

/// Median nanoseconds of `runs` calls, each of which gets something that was prepared outside the clock.
pub(crate) fn median_of<T, R>(
    runs: usize,
    mut prepare: impl FnMut(usize) -> T,
    mut work: impl FnMut(T) -> R,
) -> f64 {
    let mut times: Vec<f64> = (0..runs)
        .map(|run| {
            let prepared = black_box(prepare(run));
            nanoseconds(|| work(prepared)).0
        })
        .collect();
    median(&mut times)
}

/// Nanoseconds an item, of every `few` items that follow each other, each the median of `passes` passes over all of them.
/// Items are taken in order, so that none is timed that was seen just before; the clock is read every few items, so that it
/// does not weigh on them; and what else the machine does at the time falls out of the medians.
pub(crate) fn in_order<T>(items: &[T], few: usize, passes: usize, mut work: impl FnMut(&T)) -> Vec<f64> {
    let mut times = vec![Vec::with_capacity(passes); items.len().div_ceil(few)];
    for _ in 0..passes {
        for (items, times) in items.chunks(few).zip(&mut times) {
            times.push(nanoseconds(|| items.iter().for_each(&mut work)).0 / items.len() as f64);
        }
    }
    times.iter_mut().map(|times| median(times)).collect()
}

/// The mean; 0 of nothing.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 3.0]), 2.5);
        assert_eq!(median(&mut []), 0.0);
    }
}
