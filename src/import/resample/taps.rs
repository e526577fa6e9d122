//! Which samples along a side a new sample is made from, and how much each counts.

use super::Filter;

/// A place between samples that is this near to one, in spacings, is that one.
const SAME: f64 = 1e-8;

/// The samples that a new sample is made from.
pub(super) struct Taps {
    first: usize,
    /// They add up to 1; the first and the last are not 0.
    weights: Vec<f64>,
    /// The sample nearest to the new one, the first of two. It is one of them.
    pub(super) nearest: usize,
    /// Samples that the filter reaches in all, those of weight 0 among them.
    pub(super) reach: usize,
}

impl Taps {
    /// The sample after the last.
    pub(super) fn end(&self) -> usize {
        self.first + self.weights.len()
    }

    /// Samples and their weights.
    pub(super) fn iter(&self) -> impl Iterator<Item = (usize, f64)> {
        (self.first..).zip(self.weights.iter().copied())
    }

    /// The new sample. Differences to the nearest are summed up, so that a height that all have is kept exactly.
    pub(super) fn of(&self, samples: &[f64]) -> f64 {
        let nearest = samples[self.nearest];
        let samples = &samples[self.first..][..self.weights.len()];
        nearest
            + self.weights.iter().zip(samples).map(|(weight, value)| weight * (value - nearest)).sum::<f64>()
    }
}

/// The taps of every new sample along a side of `samples` samples.
pub(super) fn taps(samples: usize, new_samples: u32, from: f64, to: f64, filter: Filter) -> Vec<Taps> {
    let last = samples - 1;
    // A filter that is wider than the side would reach around its samples again and again.
    let scale = (to / from).min(last as f64).max(1.0);
    let places = (0..new_samples).map(|index| {
        let place = f64::from(index) * to / from;
        let whole = place.round();
        (if (place - whole).abs() < SAME { whole } else { place }).min(last as f64)
    });
    places.map(|place| fold(place, last, weights(place, scale, filter))).collect()
}

/// Weights of the samples around a place of a side that has no ends, from the returned sample on.
fn weights(place: f64, scale: f64, filter: Filter) -> (i64, Vec<f64>) {
    let radius = scale * if filter == Filter::Cubic { 2.0 } else { 1.0 };
    let (first, last) = ((place - radius).ceil() as i64, (place + radius).floor() as i64);
    let offsets: Vec<f64> = (first..=last).map(|sample| (sample as f64 - place) / scale).collect();
    let mut tents: Vec<f64> = offsets.iter().map(|offset| (1.0 - offset.abs()).max(0.0)).collect();
    normalise(&mut tents);
    if scale > 1.0 {
        // Samples do not lie evenly around the place, so that even ground would be read beside it. This moves the
        // middle of the weights there.
        let lean = -moment(&tents, &offsets, 1) / moment(&tents, &offsets, 2);
        tents.iter_mut().zip(&offsets).for_each(|(weight, offset)| *weight *= 1.0 + lean * offset);
        normalise(&mut tents);
    }
    if filter == Filter::Bilinear {
        return (first, tents);
    }
    let mut curve: Vec<f64> = offsets.iter().map(|offset| catmull_rom(offset.abs())).collect();
    normalise(&mut curve);
    if scale > 1.0 {
        // The same with the tents' help, because the curve's own second moment is about 0.
        let lean = -moment(&curve, &offsets, 1) / moment(&tents, &offsets, 2);
        for ((weight, tent), offset) in curve.iter_mut().zip(&tents).zip(&offsets) {
            *weight += lean * tent * offset;
        }
    }
    (first, curve)
}

/// The curve of Catmull and Rom as a filter, at a distance from its middle.
fn catmull_rom(away: f64) -> f64 {
    match away {
        0.0..1.0 => (1.5 * away - 2.5) * away * away + 1.0,
        1.0..2.0 => ((2.5 - 0.5 * away) * away - 4.0) * away + 2.0,
        _ => 0.0,
    }
}

fn normalise(weights: &mut [f64]) {
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|weight| *weight /= sum);
}

fn moment(weights: &[f64], offsets: &[f64], power: i32) -> f64 {
    weights.iter().zip(offsets).map(|(weight, offset)| weight * offset.powi(power)).sum()
}

/// Gives the weights of samples beyond an end to those of the side. Beyond sample e the side goes on as its half turn:
/// the sample n steps beyond it is 2 h(e) − h(e ∓ n).
fn fold(place: f64, last: usize, (start, outer): (i64, Vec<f64>)) -> Taps {
    let nearest = (place - 0.5).ceil() as usize;
    // There, what lies beyond the end cancels what lies before it.
    if place == 0.0 || place == last as f64 {
        return Taps { first: nearest, weights: vec![1.0], nearest, reach: 1 };
    }
    let end = last as i64;
    let mut first = start.max(0) as usize;
    let mut weights = vec![0.0; (start + outer.len() as i64).min(end + 1) as usize - first];
    let reach = weights.len();
    for (mut sample, mut weight) in (start..).zip(outer) {
        while !(0..=end).contains(&sample) {
            let edge = if sample < 0 { 0 } else { end };
            weights[edge as usize - first] += 2.0 * weight;
            weight = -weight;
            sample = 2 * edge - sample;
        }
        weights[sample as usize - first] += weight;
    }
    // A void that does not count must not be met.
    while weights.last() == Some(&0.0) && weights.len() > 1 {
        weights.pop();
    }
    let idle = weights.iter().take_while(|&&weight| weight == 0.0).count().min(weights.len() - 1);
    weights.drain(..idle);
    first += idle;
    Taps { first, weights, nearest, reach }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Spacings that are narrower, the same, and wider by a little and by much.
    const SPACINGS: [f64; 13] =
        [0.1, 1.0 / 3.0, 0.75, 0.999, 1.0, 1.001, 1.3, 1.5, 1.9, 2.0, 3.7, 10.0, 24.5];

    fn each(test: impl Fn(f64, Filter, Vec<Taps>)) {
        for samples in [2usize, 3, 4, 7, 50] {
            for to in SPACINGS {
                for filter in Filter::ALL {
                    let count = ((samples - 1) as f64 / to + 1e-6) as u32 + 1;
                    test(to, filter, taps(samples, count, 1.0, to, filter));
                }
            }
        }
    }

    #[test]
    fn weights_are_balanced_around_their_place() {
        each(|to, filter, taps| {
            for (index, taps) in taps.iter().enumerate() {
                let sum: f64 = taps.iter().map(|(_, weight)| weight).sum();
                let place: f64 = taps.iter().map(|(sample, weight)| sample as f64 * weight).sum();
                assert!((sum - 1.0).abs() < 1e-12, "{sum} {to} {filter}");
                assert!((place - index as f64 * to).abs() < 1e-9, "{place} of {index} × {to} {filter}");
            }
        });
    }

    #[test]
    fn no_bilinear_weight_is_negative() {
        each(|to, filter, taps| {
            let least =
                taps.iter().flat_map(|taps| taps.iter()).map(|(_, weight)| weight).fold(1.0, f64::min);
            assert!(filter != Filter::Bilinear || least >= 0.0, "{least} {to}");
        });
    }

    #[test]
    fn the_nearest_is_one_of_them_and_the_ends_count() {
        each(|to, filter, taps| {
            for taps in taps {
                let (first, last) = (taps.weights[0], taps.weights[taps.weights.len() - 1]);
                assert!((taps.first..taps.end()).contains(&taps.nearest), "{to} {filter}");
                assert!(first != 0.0 && last != 0.0, "{to} {filter}");
                assert!(taps.weights.len() <= taps.reach);
            }
        });
    }

    #[test]
    fn a_sample_that_stays_is_one_tap() {
        for filter in Filter::ALL {
            for (to, every) in [(1.0, 1), (0.1, 10), (0.3, 10)] {
                let list = taps(9, 25, 1.0, to, filter);
                for taps in list.iter().step_by(every) {
                    assert_eq!(taps.weights, [1.0], "{to} {filter}");
                }
            }
        }
    }

    #[test]
    fn a_wide_filter_is_a_wide_tent() {
        let list = taps(9, 3, 1.0, 4.0, Filter::Bilinear);
        let weights: Vec<_> = list[1].iter().collect();
        let tent = [0.25, 0.5, 0.75, 1.0, 0.75, 0.5, 0.25].map(|weight| weight / 4.0);
        assert_eq!(weights, (1..).zip(tent).collect::<Vec<_>>());
        assert_eq!(
            (list[0].weights.as_slice(), list[2].weights.as_slice()),
            ([1.0].as_slice(), [1.0].as_slice())
        );
    }

    #[test]
    fn a_filter_wider_than_the_side_ends() {
        for filter in Filter::ALL {
            for samples in [1, 2, 5] {
                let list = taps(samples, 1, 1e-4, 1e6, filter);
                assert_eq!(list[0].weights, [1.0], "{samples} {filter}");
            }
        }
    }
}
