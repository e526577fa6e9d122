//! The near range over time: a zoom sharpens over a few frames instead of popping.

/// Follows a wanted near range at a bounded rate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NearTracker {
    near: Option<f64>,
}

impl NearTracker {
    /// The near range to draw with now, in metres. It moves toward `wanted` by at most `octaves_a_second · seconds`
    /// octaves; the first call, and a `cut`, go there at once.
    pub fn follow(&mut self, wanted: f64, octaves_a_second: f64, seconds: f64, cut: bool) -> f64 {
        let near = match self.near {
            Some(near) if !cut && near > 0.0 && wanted > 0.0 => {
                let most = (octaves_a_second * seconds).max(0.0);
                let octaves = (wanted / near).log2();
                if octaves.abs() <= most { wanted } else { near * octaves.clamp(-most, most).exp2() }
            }
            _ => wanted,
        };
        self.near = Some(near);
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_near_range_moves_at_a_bounded_rate_and_arrives() {
        let mut tracker = NearTracker::default();
        assert_eq!(tracker.follow(100.0, 6.0, 0.016, false), 100.0, "the first view is sharp at once");
        assert_eq!(tracker.follow(1600.0, 4.0, 0.25, false), 200.0);
        for _ in 0..3 {
            tracker.follow(1600.0, 4.0, 0.25, false);
        }
        assert_eq!(tracker.follow(1600.0, 4.0, 0.25, false), 1600.0);
        assert_eq!(tracker.follow(100.0, 4.0, 0.0, false), 1600.0, "no time, no change");
        assert_eq!(tracker.follow(100.0, 4.0, 0.0, true), 100.0, "a cut is sharp at once");
    }
}
