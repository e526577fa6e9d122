use super::progress::unstopped;
use super::*;
use proptest::prelude::*;

const METHODS: [Method; 3] = [Method::Nearest, Method::InverseDistance, Method::Plane];
/// Square, twice as long, of whole metres, and of the length of a degree's cells.
const CELLS: [(f64, f64); 6] =
    [(1.0, 1.0), (0.1, 0.1), (0.5, 1.0), (20.0, 30.0), (40.0, 30.0), (21.37, 30.87)];

/// A map by its rows: numbers are heights, `#` a void.
fn map(rows: &[&str]) -> (Vec<f64>, usize, Vec<usize>) {
    let samples: Vec<&str> = rows.iter().flat_map(|row| row.split_whitespace()).collect();
    let voids = (0..samples.len()).filter(|&index| samples[index] == "#").collect();
    // What lies below a void is not to be seen in any result.
    let values = samples.iter().map(|sample| sample.parse().unwrap_or(f64::NAN)).collect();
    (values, samples.len() / rows.len(), voids)
}

/// Fills and is not stopped.
fn fill<T: Height>(
    values: &mut [T],
    width: usize,
    cell: DVec2,
    voids: impl Iterator<Item = usize>,
    method: Method,
) {
    assert!(
        super::fill(values, width, cell, voids, method, &mut |_| ControlFlow::Continue(())).is_continue()
    );
}

fn filled(rows: &[&str], cell: (f64, f64), method: Method) -> Vec<f64> {
    let (mut values, width, voids) = map(rows);
    fill(&mut values, width, cell.into(), voids.into_iter(), method);
    values
}

#[test]
fn the_nearest_is_copied_and_the_first_of_several() {
    let rows = ["1 2 3", "4 # 6", "7 8 9"];
    assert_eq!(filled(&rows, (1.0, 1.0), Method::Nearest)[4], 2.0);
    assert_eq!(filled(&rows, (1.0, 1.5), Method::Nearest)[4], 4.0);
    // 3² + 4² = 5²: a column, two diagonals and a row are equally far.
    let mut values = vec![f64::NAN; 11 * 11];
    let valid = [(5, 0, 1.0), (9, 2, 2.0), (1, 8, 3.0), (0, 5, 4.0), (10, 5, 5.0)];
    for (count, &(x, z, value)) in valid.iter().enumerate().rev() {
        values[z * 11 + x] = value;
        let voids: Vec<_> = (0..121).filter(|&index| values[index].is_nan()).collect();
        for side in [1.0, 0.1, 30.0] {
            let mut filled = values.clone();
            fill(&mut filled, 11, DVec2::splat(side), voids.iter().copied(), Method::Nearest);
            let first = valid[count..].iter().min_by_key(|&&(x, z, _)| z * 11 + x).unwrap();
            assert_eq!(filled[5 * 11 + 5], first.2, "{side}");
        }
    }
}

#[test]
fn the_inverse_square_of_metres_weighs_the_rim() {
    let value = |cell| filled(&["9 9 9 9", "0 # # 4", "9 9 9 9"], cell, Method::InverseDistance)[5];
    let wanted = |x: f64, z: f64| {
        let weight = |columns: f64, rows: f64| 1.0 / ((columns * x).powi(2) + (rows * z).powi(2));
        let nines = 2.0 * (2.0 * weight(1.0, 1.0) + weight(0.0, 1.0) + weight(2.0, 1.0));
        let (west, east) = (weight(1.0, 0.0), weight(2.0, 0.0));
        (9.0 * nines + 4.0 * east) / (nines + west + east)
    };
    for (x, z) in CELLS {
        assert!((value((x, z)) - wanted(x, z)).abs() < 1e-12, "{x} × {z}");
    }
}

#[test]
fn areas_do_not_see_each_other() {
    let rows = ["1 1 1 9 9 9", "1 # 1 9 # 9", "1 1 1 9 9 9"];
    for method in METHODS {
        let values = filled(&rows, (1.0, 1.0), method);
        assert_eq!((values[7], values[10]), (1.0, 9.0), "{method:?}");
    }
}

#[test]
fn a_map_of_voids_and_a_map_without_stay() {
    for method in METHODS {
        let mut values = [7i16; 12];
        fill(&mut values, 4, DVec2::ONE, 0..12, method);
        fill(&mut values, 4, DVec2::ONE, 0..0, method);
        assert_eq!(values, [7; 12]);
        // One valid sample is what everything is made from.
        values[5] = -3;
        fill(&mut values, 4, DVec2::ONE, (0..12).filter(|&index| index != 5), method);
        assert_eq!(values, [-3; 12], "{method:?}");
    }
}

#[test]
fn whole_heights_are_rounded_and_stay_in_range() {
    let fill_row = |mut values: [u8; 5], voids: [usize; 2], method| {
        fill(&mut values, 5, DVec2::ONE, voids.into_iter(), method);
        values
    };
    assert_eq!(fill_row([10, 9, 9, 12, 0], [1, 2], Method::Plane), [10, 11, 11, 12, 0]);
    assert_eq!(fill_row([10, 9, 9, 12, 0], [1, 2], Method::InverseDistance), [10, 10, 12, 12, 0]);
    // A slope leads out of the range of the type.
    for (from, to, end) in [(100, 200, 255), (100, 0, 0)] {
        let mut values: [u8; 12] = [from, to, 7, 7, from, 7, 7, 7, from, to, 7, 7];
        fill(&mut values, 4, DVec2::ONE, [2, 3, 5, 6, 7, 10, 11].into_iter(), Method::Plane);
        assert_eq!(values, [from, to, end, end, from, to, end, end, from, to, end, end]);
    }
}

#[test]
fn heights_near_the_largest_number_stay_finite() {
    let huge = f64::MAX;
    for method in METHODS {
        let mut values = vec![huge, -huge, huge, -huge, f64::NAN, huge, -huge, huge, -huge];
        fill(&mut values, 3, DVec2::ONE, [4].into_iter(), method);
        assert!(values.iter().all(|value| value.is_finite()), "{method:?}");
        let mut values = vec![f32::MAX, f32::MIN, f32::NAN, f32::MAX, f32::MIN, f32::NAN];
        fill(&mut values, 3, DVec2::ONE, [2, 5].into_iter(), method);
        assert!(values.iter().all(|value| value.is_finite()), "{method:?}");
    }
}

#[test]
fn cells_may_be_as_thin_as_spacings_may_be() {
    let rows = ["1 # # 4", "5 # # #", "# # # 2"];
    for method in METHODS {
        for cell in [(1e-4, 1e6), (1e6, 1e-4), (1e-4, 1e-4), (1e6, 1e6)] {
            let values = filled(&rows, cell, method);
            assert!(values.iter().all(|value| value.is_finite()), "{method:?} {cell:?}");
        }
    }
}

#[test]
fn progress_is_told_and_a_break_ends_it() {
    // Every other sample or so, in no order.
    let mut state = 1u32;
    let voids: Vec<usize> = (0..700 * 700)
        .filter(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 31 == 1
        })
        .collect();
    for method in METHODS {
        let fill = |report: &mut dyn FnMut(f64) -> ControlFlow<()>| {
            super::fill(&mut vec![1.0f32; 700 * 700], 700, DVec2::ONE, voids.iter().copied(), method, report)
        };
        let mut parts = Vec::new();
        let whole = fill(&mut |part| {
            parts.push(part);
            ControlFlow::Continue(())
        });
        assert!(whole.is_continue() && parts.len() > 1 && parts.is_sorted(), "{method:?}: {parts:?}");
        assert!(parts.last().is_some_and(|&part| part > 0.0 && part <= 1.0), "{method:?}: {parts:?}");
        for last in [1, parts.len() / 2 + 1] {
            let mut calls = 0;
            let stopped = fill(&mut |_| {
                calls += 1;
                if calls == last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            assert!(stopped.is_break() && calls == last, "{method:?}: {calls} calls");
        }
    }
}

/// A map with voids: single ones, bars and boxes, so that areas have every shape.
#[derive(Clone, Debug)]
struct Holed {
    width: usize,
    height: usize,
    cell: DVec2,
    voids: Vec<usize>,
}

impl Holed {
    fn samples(&self) -> usize {
        self.width * self.height
    }

    fn place(&self, index: usize) -> DVec2 {
        DVec2::new((index % self.width) as f64, (index / self.width) as f64)
    }

    fn valid(&self) -> impl Iterator<Item = usize> {
        (0..self.samples()).filter(|index| self.voids.binary_search(index).is_err())
    }

    fn fill<T: Height>(&self, values: &mut [T], method: Method) {
        fill(values, self.width, self.cell, self.voids.iter().copied(), method);
    }
}

fn holed() -> impl Strategy<Value = Holed> {
    let cell = prop_oneof![prop::sample::select(CELLS.to_vec()), (0.2f64..3.0, 0.2f64..3.0),];
    let boxes = prop::collection::vec((0usize..40, 0usize..40, 1usize..25, 1usize..25), 0..7);
    let singles = prop::collection::vec((0usize..40, 0usize..40), 0..60);
    (1usize..40, 1usize..40, cell, boxes, singles).prop_map(|(width, height, cell, boxes, singles)| {
        let mut voids: Vec<usize> = boxes
            .into_iter()
            .chain(singles.into_iter().map(|(x, z)| (x, z, 1, 1)))
            .flat_map(|(x, z, wide, high)| {
                (z..z + high).flat_map(move |z| (x..x + wide).map(move |x| (x, z)))
            })
            .filter(|&(x, z)| x < width && z < height)
            .map(|(x, z)| z * width + x)
            .collect();
        voids.sort_unstable();
        voids.dedup();
        Holed { width, height, cell: cell.into(), voids }
    })
}

fn noise(index: usize) -> f64 {
    ((index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f64 / 4096.0 - 1000.0
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn nothing_is_nearer_than_the_nearest(map in holed()) {
        // Heights that say where they are from.
        let mut values: Vec<f64> = (0..map.samples()).map(|index| index as f64).collect();
        map.fill(&mut values, Method::Nearest);
        // Of square cells, and of those of whole metres, ties are exact.
        let cell = if map.cell.x == map.cell.y { DVec2::ONE } else { map.cell };
        let distance = |a: usize, b: usize| {
            let steps = map.place(a) - map.place(b);
            (cell * cell).dot(steps * steps)
        };
        for &void in &map.voids {
            // The first of several is what min_by returns.
            let nearest = map.valid().min_by(|&a, &b| distance(void, a).total_cmp(&distance(void, b)));
            prop_assert_eq!(values[void] as usize, nearest.unwrap_or(void), "of {}", void);
        }
    }

    #[test]
    fn inverse_distance_stays_in_the_range_of_the_map(map in holed()) {
        let mut values: Vec<f32> = (0..map.samples()).map(|index| noise(index) as f32).collect();
        let valid: Vec<f32> = map.valid().map(|index| values[index]).collect();
        prop_assume!(!valid.is_empty());
        map.fill(&mut values, Method::InverseDistance);
        let (low, high) = valid.iter().fold((f32::MAX, f32::MIN), |(low, high), &v| (low.min(v), high.max(v)));
        prop_assert!(values.iter().all(|value| (low..=high).contains(value)));
    }

    #[test]
    fn level_ground_is_filled_level(map in holed(), height in -9000.0f64..9000.0) {
        for method in METHODS {
            let mut values = vec![height; map.samples()];
            map.fill(&mut values, method);
            for value in values {
                prop_assert!((value - height).abs() < 1e-9);
                prop_assert!(method == Method::Plane || value == height);
            }
        }
    }

    #[test]
    fn a_plane_is_filled_with_itself(map in holed(), x in -9.0f64..9.0, z in -9.0f64..9.0) {
        let ground = |index: usize| 100.0 + DVec2::new(x, z).dot(map.place(index));
        let mut values: Vec<f64> = (0..map.samples()).map(ground).collect();
        // Rims in one line do not say all of it.
        let runs = unstopped(|progress| Runs::of(map.voids.iter().copied(), map.width, map.height, progress));
        let areas = unstopped(|progress| Areas::of(&runs, progress));
        let mut rim = Vec::new();
        let said = areas.iter().all(|area| {
            unstopped(|progress| runs.rim(area, &mut rim, progress));
            let place = |index: u32| map.place(index as usize);
            rim.iter().any(|&a| rim.iter().any(|&b| {
                (place(a) - place(rim[0])).perp_dot(place(b) - place(rim[0])) != 0.0
            }))
        });
        prop_assume!(said);
        map.fill(&mut values, Method::Plane);
        for (index, value) in values.into_iter().enumerate() {
            prop_assert!((value - ground(index)).abs() < 1e-9, "{} at {}", value - ground(index), index);
        }
    }

    #[test]
    fn valid_samples_stay_and_voids_are_not_read(map in holed()) {
        for method in METHODS {
            let before: Vec<f64> = (0..map.samples()).map(noise).collect();
            let mut values = before.clone();
            map.fill(&mut values, method);
            let mut others = before.clone();
            map.voids.iter().for_each(|&void| others[void] = f64::NAN);
            map.fill(&mut others, method);
            prop_assert!(map.valid().all(|index| values[index] == before[index]));
            let filled = map.voids.len() < map.samples();
            prop_assert!(!filled || values == others, "{method:?}");
        }
    }
}
