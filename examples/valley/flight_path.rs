//! A flight from one view to the next, for a recording.

use glam::DVec3;
use landform::field::Field;
use landform_cli::camera::Camera;
use landform_cli::ground;

/// Places along the way that are kept.
const PLACES: usize = 2048;

/// Metres that a degree of turning counts as, so that a turn on the spot takes its time.
const METRES_A_DEGREE: f64 = 6.0;

/// Metres that a flight keeps above the ground, where its views do.
const CLEARANCE: f64 = 25.0;

/// The share of the time in which the flight gathers speed, and in which it loses it.
const EASE: f64 = 0.12;

/// Where a camera is along the way, evenly in what it moves and turns.
pub(crate) struct FlightPath {
    places: Vec<Camera>,
}

impl FlightPath {
    /// A way through these views, two or more, over the ground between them.
    pub(crate) fn through(field: &Field, stops: &[Camera]) -> Self {
        let stops = turned_the_short_way(stops);
        let mut places: Vec<_> = (0..PLACES).map(|at| spline(&stops, share(at))).collect();
        // A view keeps its own height above the ground, however low that is.
        let clear: Vec<_> = stops
            .iter()
            .map(|stop| {
                (stop.position.y - ground::height(field, stop.position.x, stop.position.z))
                    .clamp(ground::EYE, CLEARANCE)
            })
            .collect();
        let lifts = places.iter().enumerate().map(|(at, place)| {
            let low = ground::lowest_eye(field, place.position.x, place.position.z) - ground::EYE;
            (low + mixed(&clear, share(at)) - place.position.y).max(0.0)
        });
        let lifts = smooth_above(&lifts.collect::<Vec<_>>());
        for (place, lift) in places.iter_mut().zip(lifts) {
            place.position.y += lift;
        }
        Self { places: evenly(&places) }
    }

    /// Where the camera is after this share of the time, 0…1.
    pub(crate) fn at(&self, time: f64) -> Camera {
        let last = self.places.len() - 1;
        let at = eased(time.clamp(0.0, 1.0)) * last as f64;
        let first = (at as usize).min(last - 1);
        between(&self.places[first], &self.places[first + 1], at - first as f64)
    }
}

/// The share of the way of a place.
fn share(at: usize) -> f64 {
    at as f64 / (PLACES - 1) as f64
}

/// The same views, each turned from the one before by no more than half a circle.
fn turned_the_short_way(stops: &[Camera]) -> Vec<Camera> {
    let mut turned: Vec<Camera> = Vec::with_capacity(stops.len());
    for stop in stops {
        let before = turned.last().map_or(stop.yaw, |last| last.yaw);
        let by = (stop.yaw - before + 180.0).rem_euclid(360.0) - 180.0;
        turned.push(Camera { yaw: before + by, ..*stop });
    }
    turned
}

/// The curve of Catmull and Rom through the views, which stops at both ends.
fn spline(stops: &[Camera], share: f64) -> Camera {
    let last = stops.len() - 1;
    let along = share * last as f64;
    let first = (along as usize).min(last.saturating_sub(1));
    let t = along - first as f64;
    let weights = [
        ((2.0 - t) * t - 1.0) * t / 2.0,
        ((3.0 * t - 5.0) * t * t + 2.0) / 2.0,
        ((4.0 - 3.0 * t) * t + 1.0) * t / 2.0,
        (t - 1.0) * t * t / 2.0,
    ];
    let mut sum = Camera { position: DVec3::ZERO, yaw: 0.0, pitch: 0.0 };
    for (offset, weight) in weights.into_iter().enumerate() {
        let stop = &stops[(first + offset).saturating_sub(1).min(last)];
        sum.position += weight * stop.position;
        sum.yaw += weight * stop.yaw;
        sum.pitch += weight * stop.pitch;
    }
    sum.pitch = sum.pitch.clamp(-89.0, 89.0);
    sum
}

fn mixed(values: &[f64], share: f64) -> f64 {
    let along = share * (values.len() - 1) as f64;
    let first = (along as usize).min(values.len() - 2);
    values[first] + (values[first + 1] - values[first]) * (along - first as f64)
}

/// A smooth curve that is nowhere below these: the greatest of a window, averaged over no more than the window.
fn smooth_above(values: &[f64]) -> Vec<f64> {
    const REACH: usize = PLACES / 24;
    let around = |at: usize, reach: usize| at.saturating_sub(reach)..(at + reach + 1).min(values.len());
    let greatest: Vec<_> =
        (0..values.len()).map(|at| values[around(at, REACH)].iter().copied().fold(0.0, f64::max)).collect();
    let averaged = |of: &[f64]| -> Vec<f64> {
        let mean = |window: &[f64]| window.iter().sum::<f64>() / window.len() as f64;
        (0..of.len()).map(|at| mean(&of[around(at, REACH / 2)])).collect()
    };
    averaged(&averaged(&greatest))
}

/// The same way with places that are evenly far from each other, in metres and degrees.
fn evenly(places: &[Camera]) -> Vec<Camera> {
    let mut far = vec![0.0];
    for pair in places.windows(2) {
        let turned = (pair[1].yaw - pair[0].yaw).abs() + (pair[1].pitch - pair[0].pitch).abs();
        let step = pair[0].position.distance(pair[1].position) + METRES_A_DEGREE * turned;
        far.push(far[far.len() - 1] + step);
    }
    let whole = far[far.len() - 1];
    let even = |at: usize| {
        let wanted = whole * share(at);
        let after = far.partition_point(|distance| *distance < wanted).clamp(1, places.len() - 1);
        let step = far[after] - far[after - 1];
        let part = if step > 0.0 { (wanted - far[after - 1]) / step } else { 0.0 };
        between(&places[after - 1], &places[after], part)
    };
    (0..PLACES).map(even).collect()
}

fn between(one: &Camera, other: &Camera, part: f64) -> Camera {
    Camera {
        position: one.position.lerp(other.position, part),
        yaw: one.yaw + (other.yaw - one.yaw) * part,
        pitch: one.pitch + (other.pitch - one.pitch) * part,
    }
}

/// Time to way: the speed rises, stays, and falls.
fn eased(time: f64) -> f64 {
    let gathered = |time: f64| time * time / (2.0 * EASE * (1.0 - EASE));
    if time < EASE {
        gathered(time)
    } else if time > 1.0 - EASE {
        1.0 - gathered(1.0 - time)
    } else {
        (time - EASE / 2.0) / (1.0 - EASE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landform::field::FieldDesc;

    /// Flat ground with a wall across it, 200 m high.
    fn walled() -> Field {
        let samples =
            (0..129 * 129).map(|at| if (60..70).contains(&(at % 129)) { 65535 } else { 0 }).collect();
        Field::from_samples(FieldDesc::new(129, 129).with_spacing(8.0, 8.0).with_range(0.0, 200.0), samples)
            .unwrap()
    }

    fn camera(x: f64, y: f64, z: f64, yaw: f64) -> Camera {
        Camera { position: DVec3::new(x, y, z), yaw, pitch: -5.0 }
    }

    #[test]
    fn a_flight_begins_and_ends_at_its_views_and_stays_above_the_ground() {
        let field = walled();
        let stops = [
            camera(100.0, 4.0, 500.0, 350.0),
            camera(400.0, 60.0, 300.0, 20.0),
            camera(900.0, 30.0, 700.0, 90.0),
        ];
        let path = FlightPath::through(&field, &stops);
        let (first, last) = (path.at(0.0), path.at(1.0));
        assert!(first.position.distance(stops[0].position) < 1e-6 && (first.yaw - 350.0).abs() < 1e-9);
        assert!(
            last.position.distance(stops[2].position) < 1e-6 && (last.yaw - 450.0).abs() < 1e-6,
            "{last:?}"
        );
        for step in 0..=1000 {
            let at = path.at(f64::from(step) / 1000.0).position;
            let above = at.y - ground::height(&field, at.x, at.z);
            assert!(above >= ground::EYE, "{above} m above the ground at {at}");
        }
    }

    #[test]
    fn no_step_is_much_longer_than_the_others() {
        let stops = [
            camera(100.0, 40.0, 500.0, 0.0),
            camera(150.0, 60.0, 480.0, 170.0),
            camera(900.0, 30.0, 700.0, 90.0),
        ];
        let path = FlightPath::through(&walled(), &stops);
        let length = |step: u32| {
            let [one, other] = [step, step + 1].map(|at| path.at(f64::from(at) / 600.0));
            one.position.distance(other.position)
                + METRES_A_DEGREE * ((one.yaw - other.yaw).abs() + (one.pitch - other.pitch).abs())
        };
        let middle = length(300);
        for step in 0..600 {
            assert!(length(step) <= 1.02 * middle, "{} at {step}, {middle} in the middle", length(step));
        }
        assert!(length(0) < 0.1 * middle && length(599) < 0.1 * middle);
    }
}
