//! Places and sizes that are always the same.

use crate::random;
use glam::DVec3;

/// Numbers from 0 to 1, always the same.
pub struct Dice(Box<dyn FnMut() -> u32>);

impl Dice {
    /// Others for each seed.
    pub fn new(seed: u32) -> Self {
        Self(Box::new(random(seed)))
    }

    /// A number from 0 to 1.
    pub fn roll(&mut self) -> f64 {
        f64::from((self.0)()) / f64::from(u32::MAX)
    }

    /// A number between two.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.roll()
    }

    /// A unit vector, from anywhere.
    pub fn direction(&mut self) -> DVec3 {
        let (turn, up) = (self.between(0.0, std::f64::consts::TAU), self.between(-1.0, 1.0));
        let out = (1.0 - up * up).sqrt();
        DVec3::new(out * turn.cos(), up, out * turn.sin())
    }
}
