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
