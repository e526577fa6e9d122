//! Shadows that were found, counted against rays toward the sun.

use glam::DVec3;
use landform::field::Field;
use landform::query::raycast;
use std::fmt;

/// How many pixels of ground were looked at, how many lie in shade, and how many are wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShadeCounts {
    /// All of them.
    pub seen: usize,
    /// Those that are in shade.
    pub dark: usize,
    /// Those that were found in shade and are not.
    pub falsely_dark: usize,
    /// Those that are in shade and were not found there.
    pub falsely_lit: usize,
}

impl ShadeCounts {
    /// Counts a pixel that was found in shade, or not, and is.
    pub fn count(&mut self, found: bool, truth: bool) {
        self.seen += 1;
        self.dark += usize::from(truth);
        self.falsely_dark += usize::from(found && !truth);
        self.falsely_lit += usize::from(truth && !found);
    }

    /// A count in percent of all.
    pub fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.seen as f64
    }

    /// What is falsely dark and what is falsely lit, percent.
    pub fn wrong(&self) -> [f64; 2] {
        [self.percent(self.falsely_dark), self.percent(self.falsely_lit)]
    }
}

impl fmt::Display for ShadeCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([dark, lit], shade) = (self.wrong(), self.percent(self.dark));
        write!(f, "{} seen, {shade:.1} % dark, falsely dark {dark:.2} %, falsely lit {lit:.2} %", self.seen)
    }
}

/// True where a ray toward the sun from this place on the ground, a hundredth of a sample off it, meets ground.
pub fn in_shade(field: &Field, place: DVec3, normal: DVec3, toward_sun: DVec3) -> bool {
    let off = (normal + toward_sun) * (0.01 * field.desc().spacing.x);
    raycast(field, place + off, toward_sun, 1e5).is_some()
}
