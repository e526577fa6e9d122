use super::*;
use proptest::prelude::*;

/// A map of heights, resampled, and its new size.
fn resampled(values: &[f64], width: usize, from: DVec2, to: DVec2, filter: Filter) -> (Vec<f64>, usize) {
    let mut new = Vec::new();
    let mut wide = 0;
    resample(
        values,
        width,
        from,
        to,
        filter,
        |value| value,
        |row| {
            new.extend_from_slice(row);
            wide = row.len();
        },
    );
    let size = resampled_size(width as u32, (values.len() / width) as u32, from, to);
    assert_eq!((wide, new.len()), (size.0 as usize, size.0 as usize * size.1 as usize));
    (new, wide)
}

fn map(width: usize, height: usize, ground: impl Fn(f64, f64) -> f64) -> Vec<f64> {
    (0..width * height).map(|index| ground((index % width) as f64, (index / width) as f64)).collect()
}

fn noise(index: usize) -> f64 {
    ((index as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as f64 / (1 << 24) as f64
}

/// The same bits, or NaN both.
fn same(a: &[f64], b: &[f64]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a == b || (a.is_nan() && b.is_nan()))
}

#[test]
fn a_side_keeps_what_lies_on_the_ground() {
    let size = |width, height, from, to| resampled_size(width, height, DVec2::splat(from), DVec2::splat(to));
    assert_eq!(size(701, 300, 2.0, 1.5), (934, 399));
    assert_eq!(size(701, 300, 1.5, 2.0), (526, 225));
    assert_eq!(size(1201, 3601, 90.0, 30.0), (3601, 10801));
    assert_eq!(size(16385, 3, 1.0, 2.0), (8193, 2));
    assert_eq!(size(16385, 3, 0.1, 0.3), (5462, 1));
    assert_eq!(size(9, 9, 1.0, 100.0), (1, 1));
    assert_eq!(size(u32::MAX, 2, 1e6, 1e-4), (u32::MAX, u32::MAX));
    // A whole number of new spacings keeps its last sample however the two are rounded.
    for (from, to) in [(0.1, 0.3), (0.3, 0.1), (30.87, 10.29), (1.0 / 3.0, 1.0 / 7.0), (21.37 / 3.0, 21.37)] {
        let every = 63.0 * from / to;
        assert_eq!(size(64, 64, from, to).0, (every + 1e-9) as u32 + 1, "{from} to {to}");
    }
    assert_eq!(
        resampled_size(100, 50, DVec2::new(1.0, 2.0), DVec2::new(0.5, 4.0)),
        (199, 25),
        "each side by itself"
    );
}

#[test]
fn a_side_that_keeps_its_spacing_keeps_its_samples() {
    let mut values: Vec<f64> = (0..31 * 17).map(noise).collect();
    for void in [5, 6, 40, 200, 31 * 17 - 1] {
        values[void] = f64::NAN;
    }
    for filter in Filter::ALL {
        for spacing in [1.0, 0.1, 30.87] {
            let spacing = DVec2::new(spacing, 7.3);
            assert!(same(&resampled(&values, 31, spacing, spacing, filter).0, &values), "{filter}");
        }
        // Halved along one side only, the old samples are every second of the new.
        let (new, _) = resampled(&values, 31, DVec2::new(1.0, 1.0), DVec2::new(1.0, 0.5), filter);
        let kept: Vec<f64> = new.chunks(31).step_by(2).flatten().copied().collect();
        assert!(same(&kept, &values), "{filter}");
        let (new, wide) = resampled(&values, 31, DVec2::new(1.0, 1.0), DVec2::new(0.2, 1.0), filter);
        let kept: Vec<f64> = new.chunks(wide).flat_map(|row| row.iter().step_by(5)).copied().collect();
        assert!(same(&kept, &values), "{filter}");
    }
}

#[test]
fn between_four_samples_lies_their_mean() {
    let (new, _) = resampled(&[1.0, 2.0, 3.0, 6.0], 2, DVec2::ONE, DVec2::splat(0.5), Filter::Bilinear);
    assert_eq!(new, [1.0, 1.5, 2.0, 2.0, 3.0, 4.0, 3.0, 4.5, 6.0]);
}

#[test]
fn a_cubic_reproduces_what_curves_evenly() {
    let ground = |x: f64, z: f64| 3.0 + 0.5 * x - z + 0.2 * x * x - 0.1 * z * z + 0.3 * x * z;
    let (new, wide) = resampled(&map(20, 12, ground), 20, DVec2::ONE, DVec2::new(0.3, 0.7), Filter::Cubic);
    // Away from the edges, beyond which the ground goes on differently.
    let inside = |x: f64, z: f64| (1.0..18.0).contains(&x) && (1.0..10.0).contains(&z);
    for (index, value) in new.iter().enumerate() {
        let (x, z) = ((index % wide) as f64 * 0.3, (index / wide) as f64 * 0.7);
        assert!(!inside(x, z) || (value - ground(x, z)).abs() < 1e-12, "{x} {z}");
    }
    // A step is overshot on both sides.
    let (new, _) =
        resampled(&map(8, 2, |x, _| f64::from(x > 3.5)), 8, DVec2::ONE, DVec2::new(0.25, 1.0), Filter::Cubic);
    let (low, high) =
        new.iter().fold((1.0f64, 0.0f64), |(low, high), &value| (low.min(value), high.max(value)));
    assert!((-0.1..-0.05).contains(&low) && (1.05..1.1).contains(&high), "{low} {high}");
}

#[test]
fn noise_is_averaged_and_keeps_its_mean() {
    let side = 601;
    let values: Vec<f64> = (0..side * side).map(noise).collect();
    let moments = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64)
    };
    let (mean, variance) = moments(&values);
    for filter in Filter::ALL {
        for to in [1.5, 2.0, 3.7, 8.0, 20.0] {
            let (new, _) = resampled(&values, side, DVec2::ONE, DVec2::splat(to), filter);
            let (new_mean, new_variance) = moments(&new);
            // What the mean of so many independent new samples may differ by, and some.
            let tolerance = 5.0 * (variance / new.len() as f64).sqrt();
            assert!((new_mean - mean).abs() < tolerance, "{filter} to {to}: {new_mean}");
            // A tent averages 1.5 spacings along a side, the curve fewer; the edges average along one side only.
            assert!(new_variance < 1.2 * variance / to, "{filter} to {to}: {new_variance} of {variance}");
        }
    }
    // A pattern as fine as can be is gone, but for the edges, instead of coming back as broad hills.
    let fine = map(side, side, |x, z| (x + z) % 2.0);
    for filter in Filter::ALL {
        let (new, wide) = resampled(&fine, side, DVec2::ONE, DVec2::splat(4.8), filter);
        for (index, value) in new.iter().enumerate() {
            let inside = |at: usize| (3..wide - 3).contains(&at);
            let grey = (value - 0.5).abs() < 0.01;
            assert!(grey || !(inside(index % wide) && inside(index / wide)), "{filter}: {value}");
        }
    }
}

#[test]
fn maps_that_share_an_edge_still_do() {
    // Two halves of one map, with a void on their edge and one beside it.
    let width = 13;
    let mut whole = map(2 * width - 1, 25, |x, z| noise((x + 100.0 * z) as usize));
    whole[7 * (2 * width - 1) + width - 1] = f64::NAN;
    whole[15 * (2 * width - 1) + width] = f64::NAN;
    let part = |first: usize| {
        whole.chunks(2 * width - 1).flat_map(|row| row[first..first + width].to_vec()).collect::<Vec<f64>>()
    };
    for filter in Filter::ALL {
        for to in [0.4, 1.5, 3.0, 6.0] {
            let of = |first| resampled(&part(first), width, DVec2::ONE, DVec2::splat(to), filter);
            let ((west, wide), (east, _)) = (of(0), of(width - 1));
            let edge: Vec<f64> = west.iter().skip(wide - 1).step_by(wide).copied().collect();
            let other: Vec<f64> = east.iter().step_by(wide).copied().collect();
            assert!(same(&edge, &other), "{filter} to {to}");
        }
    }
}

#[test]
fn a_void_is_where_the_nearest_sample_is_one() {
    let mut values = map(7, 7, |x, z| x + 10.0 * z);
    values[3 * 7 + 3] = f64::NAN;
    for filter in Filter::ALL {
        let (new, wide) = resampled(&values, 7, DVec2::ONE, DVec2::splat(0.25), filter);
        for (index, value) in new.iter().enumerate() {
            let (x, z) = ((index % wide) as f64 * 0.25, (index / wide) as f64 * 0.25);
            // Of two samples that are equally near it is the first.
            let inside = |at: f64| at > 2.5 && at <= 3.5;
            assert_eq!(value.is_nan(), inside(x) && inside(z), "{x} {z} {filter}");
        }
        // Three of the four samples around are left, and the weights of those.
        let at = |x: usize, z: usize| new[z * wide + x];
        let wanted = (0.75 * 0.75 * 22.0 + 0.75 * 0.25 * (23.0 + 32.0)) / (1.0 - 0.25 * 0.25);
        assert!((at(9, 9) - wanted).abs() < 1e-12, "{} {wanted} {filter}", at(9, 9));
        // In the row of the void only its neighbour is left.
        assert!((at(9, 12) - 32.0).abs() < 1e-12);
    }
}

#[test]
fn a_wide_filter_leaves_voids_out() {
    let mut values: Vec<f64> = (0..33 * 33).map(noise).collect();
    for void in [16 * 33 + 15, 17 * 33 + 16, 14 * 33 + 14, 15 * 33 + 19] {
        values[void] = f64::NAN;
    }
    // The tent of a new spacing of 4 reaches three samples each way.
    let mut sum = (0.0, 0.0);
    for z in -3..=3i32 {
        for x in -3..=3i32 {
            let value = values[((16 + z) * 33 + 16 + x) as usize];
            if !value.is_nan() {
                let weight = f64::from((4 - x.abs()) * (4 - z.abs()));
                sum = (sum.0 + weight * value, sum.1 + weight);
            }
        }
    }
    for filter in Filter::ALL {
        let (new, wide) = resampled(&values, 33, DVec2::ONE, DVec2::splat(4.0), filter);
        assert!((new[4 * wide + 4] - sum.0 / sum.1).abs() < 1e-12, "{filter}");
        assert!(new.iter().all(|value| value.is_finite()));
    }
    // The void itself is the nearest.
    values[16 * 33 + 16] = f64::NAN;
    for filter in Filter::ALL {
        let (new, wide) = resampled(&values, 33, DVec2::ONE, DVec2::splat(4.0), filter);
        let voids: Vec<usize> = (0..new.len()).filter(|&index| new[index].is_nan()).collect();
        assert_eq!(voids, [4 * wide + 4], "{filter}");
    }
}

#[test]
fn a_long_strip_is_the_same_ground_whichever_way_it_lies() {
    let values: Vec<f64> = (0..16385 * 3).map(noise).collect();
    for filter in Filter::ALL {
        for to in [0.64, 1.0, 4.0] {
            let (new, wide) = resampled(&values, 16385, DVec2::ONE, DVec2::new(to, 1.0), filter);
            assert_eq!((new.len() / wide, new[wide - 1]), (3, values[16384]));
            // Turned by a quarter it is the same ground.
            let turned: Vec<f64> =
                (0..16385 * 3).map(|index| values[index % 3 * 16385 + index / 3]).collect();
            let (other, _) = resampled(&turned, 3, DVec2::ONE, DVec2::new(1.0, to), filter);
            let close = |index: usize| (new[index] - other[index % wide * 3 + index / wide]).abs() < 1e-14;
            assert!((0..new.len()).all(close), "{filter} to {to}");
        }
    }
}

fn spacings() -> impl Strategy<Value = DVec2> {
    let side = prop_oneof![Just(1.0), 0.11f64..1.0, 1.0f64..3.0, 1.0f64..40.0];
    (side.clone(), side).prop_map(DVec2::from)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn even_ground_stays_as_it_is(
        width in 1usize..40, height in 1usize..40, from in spacings(), to in spacings(),
        slope in (-9.0f64..9.0, -9.0f64..9.0), level in -9000.0f64..9000.0,
    ) {
        let slope = DVec2::from(slope);
        for filter in Filter::ALL {
            let ground = |x: f64, z: f64| level + slope.dot(DVec2::new(x, z) * from);
            let (new, wide) = resampled(&map(width, height, ground), width, from, to, filter);
            for (index, value) in new.into_iter().enumerate() {
                let place = DVec2::new((index % wide) as f64, (index / wide) as f64) * to;
                let wanted = level + slope.dot(place);
                prop_assert!((value - wanted).abs() < 1e-8, "{} at {} {}", value - wanted, place, filter);
            }
            let (new, _) = resampled(&vec![level; width * height], width, from, to, filter);
            prop_assert!(new.iter().all(|&value| value == level), "exactly");
        }
    }

    /// A void is left out, not guessed at, so with voids even ground may be bent, but no further than its neighbours.
    #[test]
    fn bilinear_heights_stay_between_old_ones(
        width in 1usize..40, height in 1usize..40, to in spacings(), voids in 0u64..8,
    ) {
        let value = |index: usize| if (index as u64 * 7919) % 16 < voids { f64::NAN } else { noise(index) };
        let values: Vec<f64> = (0..width * height).map(value).collect();
        let valid = || values.iter().copied().filter(|value| !value.is_nan());
        let low = valid().fold(f64::INFINITY, f64::min) - 1e-12;
        let high = valid().fold(f64::NEG_INFINITY, f64::max) + 1e-12;
        let (new, wide) = resampled(&values, width, DVec2::ONE, to, Filter::Bilinear);
        prop_assert!(new.iter().all(|value| value.is_nan() || (low..=high).contains(value)));
        // Voids are where the nearest old sample is one, for both filters.
        let (cubic, _) = resampled(&values, width, DVec2::ONE, to, Filter::Cubic);
        for (index, (value, cubic)) in new.iter().zip(cubic).enumerate() {
            let place = DVec2::new((index % wide) as f64, (index / wide) as f64) * to - 0.5;
            let near_tie = (place - place.round()).abs().min_element() < 1e-6;
            let nearest = place.ceil().max(DVec2::ZERO);
            let void = values[nearest.y as usize * width + nearest.x as usize].is_nan();
            prop_assert!(near_tie || (value.is_nan() == void && cubic.is_nan() == void));
        }
    }
}
