//! What a made valley promises, on maps that are small enough to make in a second or two.

use super::field::EXTENT;
use super::*;
use std::sync::OnceLock;

fn params(size: u32, seed: u64, threads: usize) -> ValleyParams {
    ValleyParams { size, seed, threads: NonZeroUsize::new(threads) }
}

fn make_map(params: &ValleyParams) -> ValleyMap {
    valley(params, &mut |_| ControlFlow::Continue(()))
        .expect("the size is allowed")
        .expect("nothing stopped it")
}

/// One map that several tests look at; 4 m is the coarsest spacing that passes through every kind of step.
fn map() -> &'static ValleyMap {
    static MAP: OnceLock<ValleyMap> = OnceLock::new();
    MAP.get_or_init(|| make_map(&params(1025, ValleyParams::default().seed, 2)))
}

/// A small map, and what its making told.
fn small() -> &'static (ValleyMap, Vec<Progress>) {
    static SMALL: OnceLock<(ValleyMap, Vec<Progress>)> = OnceLock::new();
    SMALL.get_or_init(|| {
        let mut told = Vec::new();
        let map = valley(&params(129, 9, 2), &mut |progress| {
            told.push(progress);
            ControlFlow::Continue(())
        });
        (map.expect("the size is allowed").expect("nothing stopped it"), told)
    })
}

#[test]
fn a_seed_gives_the_same_bits_whatever_the_threads() {
    assert!(*map() == make_map(&params(1025, ValleyParams::default().seed, 5)));
}

#[test]
fn seeds_differ() {
    let other = make_map(&params(65, 2, 2));
    let apart =
        |i: usize| (small().0.heights[(i / 65) * 2 * 129 + (i % 65) * 2] - other.heights[i]).abs() > 1.0;
    let count = (0..65 * 65).filter(|&i| apart(i)).count();
    assert!(count > 65 * 65 / 2, "only {count} samples differ by more than a metre");
}

#[test]
fn samples_are_finite_and_within_what_is_declared() {
    let map = map();
    let samples = (map.size * map.size) as usize;
    assert_eq!([map.heights.len(), map.flow.len(), map.deposit.len()], [samples; 3]);
    assert_eq!(map.spacing, 4.0);
    for i in 0..samples {
        let (height, flow, deposit) = (map.heights[i], map.flow[i], map.deposit[i]);
        assert!(height >= map.min && height <= map.max, "height {height} at {i}");
        assert!(flow.is_finite() && flow >= 15.9, "flow {flow} at {i} is less than the sample's own 16 m²");
        assert!(deposit.is_finite() && deposit >= 0.0, "deposit {deposit} at {i}");
    }
    assert!(map.min > 0.0 && map.min < 60.0 && map.max > 600.0 && map.max < 1300.0, "{map:?}");
}

#[test]
fn there_is_no_thorn_and_no_pin_hole() {
    // The crest between two faces of 45° lies 0.5 to 0.75 spacings over the mean of its neighbours, whatever the
    // spacing; a whole spacing is steeper than any ground here stands, so it would be the mark of a single sample.
    let map = map();
    let n = map.size as usize;
    for y in 1..n - 1 {
        for x in 1..n - 1 {
            let at = y * n + x;
            let around = [at - n - 1, at - n, at - n + 1, at - 1, at + 1, at + n - 1, at + n, at + n + 1];
            let mean = around.iter().map(|&i| map.heights[i]).sum::<f32>() / 8.0;
            let off = (map.heights[at] - mean).abs();
            assert!(off < map.spacing as f32, "sample ({x}, {y}) is {off} m from its neighbours");
        }
    }
}

#[test]
fn water_gathers_down_the_main_river() {
    // From the largest stream of the middle row, always to the neighbour that drains more, to the map's edge.
    let map = map();
    let n = map.size as usize;
    let more = |&a: &usize, &b: &usize| map.flow[a].total_cmp(&map.flow[b]);
    let mut at = (n / 2 * n..n / 2 * n + n).max_by(more).expect("a row has samples");
    let start = map.flow[at];
    assert!(start > 1.0e6, "the river of the middle drains only {start} m²");
    let mut steps = 0;
    // The last samples before the edge all lie within the stream's width of its end, and share its flow.
    let inside = |v: usize| v > 4 && v < n - 5;
    while inside(at % n) && inside(at / n) {
        let around = [at - n - 1, at - n, at - n + 1, at - 1, at + 1, at + n - 1, at + n, at + n + 1];
        let lower = around.into_iter().filter(|&i| map.flow[i] > map.flow[at]);
        at = lower.min_by(more).unwrap_or_else(|| panic!("the river ends at ({}, {})", at % n, at / n));
        steps += 1;
    }
    assert!(steps > 400 && map.flow[at] > 1.5 * start, "{steps} steps from {start} to {} m²", map.flow[at]);
}

#[test]
fn fewer_samples_show_the_same_place() {
    let (coarse, fine) = (&small().0, make_map(&params(513, 9, 2)));
    for y in 0..129 {
        for x in 0..129 {
            let (a, b) = (coarse.heights[y * 129 + x], fine.heights[y * 4 * 513 + x * 4]);
            assert!((a - b).abs() < 0.01, "({x}, {y}): {a} and {b}");
        }
    }
    assert_eq!(coarse.spacing * 128.0, f64::from(EXTENT));
}

#[test]
fn a_size_between_powers_of_two_works() {
    let map = make_map(&params(100, 9, 2));
    assert_eq!(map.heights.len(), 100 * 100);
    assert_eq!(map.heights[0], small().0.heights[0]);
}

#[test]
fn progress_never_falls_and_ends_at_one() {
    let told = &small().1;
    assert!(told.windows(2).all(|two| two[0].fraction <= two[1].fraction));
    assert!(
        told.len() > 100 && told.iter().all(|p| (0.0..=1.0).contains(&p.fraction) && !p.stage.is_empty())
    );
    assert!(told.last().is_some_and(|last| last.fraction > 0.99), "{:?}", told.last());
}

#[test]
fn a_break_stops_at_once() {
    for stop in [1, 50, 400] {
        let mut calls = 0;
        let answer = valley(&params(1025, 3, 2), &mut |_| {
            calls += 1;
            if calls == stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        assert!(answer.is_ok_and(|map| map.is_none()));
        assert_eq!(calls, stop);
    }
}

#[test]
fn sixteen_bits_hold_the_ends() {
    let map = &small().0;
    let (samples, min, max) = map.quantise();
    assert_eq!((samples.iter().min(), samples.iter().max()), (Some(&0), Some(&65535)));
    for (sample, height) in samples.iter().zip(&map.heights) {
        let back = min + f64::from(*sample) / 65535.0 * (max - min);
        assert!((back - f64::from(*height)).abs() <= (max - min) / 65535.0);
    }
}

#[test]
fn refusals_are_sentences() {
    for size in [0, 64, 8194, u32::MAX] {
        let answer = valley(&params(size, 1, 1), &mut |_| ControlFlow::Continue(()));
        let text = answer.expect_err("this size is refused").to_string();
        assert_eq!(
            text,
            format!(
                "valley size: {size} samples a side cannot be made; 65 to 8193 can, and 4097 is one a metre"
            )
        );
    }
}
