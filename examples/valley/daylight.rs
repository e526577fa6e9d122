//! The time of day, and a sun that may be moved away from it.

use landform_cli::camera::Sun;
use landform_cli::day::TimeOfDay;
use serde_json::{Value, json};

/// The clock and the sun.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Daylight {
    pub(crate) time: TimeOfDay,
    /// Where the time has it, until somebody moves it.
    pub(crate) sun: Sun,
    /// True while the clock runs.
    pub(crate) runs: bool,
    /// Minutes that pass in a second.
    pub(crate) pace: f64,
}

impl Daylight {
    /// The sun of a time of day.
    pub(crate) fn at(time: TimeOfDay) -> Self {
        Self { time, sun: time.sun(), runs: false, pace: 10.0 }
    }

    /// With a clock that runs so many minutes a second.
    pub(crate) fn running(self, pace: Option<f64>) -> Self {
        Self { runs: pace.is_some(), pace: pace.unwrap_or(self.pace), ..self }
    }

    /// Puts the clock, and with it the sun.
    pub(crate) fn set_time(&mut self, time: TimeOfDay) {
        (self.time, self.sun) = (time, time.sun());
    }

    /// Lets the clock run for a while, where it does.
    pub(crate) fn pass(&mut self, seconds: f64) {
        if self.runs {
            self.set_time(self.time.later(self.pace * seconds / 60.0));
        }
    }

    /// The time whose sun this is; None where the sun was moved.
    pub(crate) fn stated_time(&self) -> Option<TimeOfDay> {
        (self.sun == self.time.sun()).then_some(self.time)
    }

    /// Adds to a report where the sun stands, and at which `time`; null where it was moved.
    pub(crate) fn add_to(&self, report: &mut Value) {
        report["time"] = self.stated_time().map(|time| time.0).into();
        report["sun"] = json!([self.sun.yaw, self.sun.height]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_runs_takes_the_sun_along() {
        let mut light = Daylight::at(TimeOfDay(12.0));
        light.pass(60.0);
        assert_eq!(light.time, TimeOfDay(12.0), "it stands");
        light.sun.raise(-10.0);
        assert_eq!(light.stated_time(), None);
        light.runs = true;
        light.pass(6.0);
        assert_eq!((light.stated_time(), light.sun), (Some(TimeOfDay(13.0)), TimeOfDay(13.0).sun()));
    }
}
