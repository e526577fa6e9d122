//! The part of a file that is kept while it is read: all of it, or the window that a caller crops it to.

use crate::field::SampleRect;
use std::ops::Range;

/// Samples of a window of a file, in the file's own columns and rows.
pub(super) struct Canvas<T> {
    window: SampleRect,
    values: Vec<T>,
}

impl<T: Copy + Default> Canvas<T> {
    pub(super) fn new(window: SampleRect) -> Self {
        Self::filled(window, T::default())
    }

    /// A canvas of one value, which stays where nothing is written.
    pub(super) fn filled(window: SampleRect, value: T) -> Self {
        Self { window, values: vec![value; window.width() as usize * window.height() as usize] }
    }

    /// The columns of the file that the window keeps.
    pub(super) fn columns(&self) -> Range<usize> {
        self.window.x0 as usize..self.window.x1 as usize
    }

    /// The kept part of a row of the file; none where the window keeps nothing of it.
    pub(super) fn row(&mut self, z: u32) -> Option<&mut [T]> {
        let width = self.window.width() as usize;
        let inside = (self.window.z0..self.window.z1).contains(&z);
        inside.then(|| &mut self.values[(z - self.window.z0) as usize * width..][..width])
    }

    /// Writes a sample of the file where the window keeps it.
    pub(super) fn set(&mut self, x: u32, z: u32, value: T) {
        let window = self.window;
        if (window.x0..window.x1).contains(&x) && (window.z0..window.z1).contains(&z) {
            self.values[(z - window.z0) as usize * window.width() as usize + (x - window.x0) as usize] =
                value;
        }
    }

    /// The samples of the window, row-major.
    pub(super) fn values(&self) -> &[T] {
        &self.values
    }

    /// The same, for good.
    pub(super) fn into_values(self) -> Vec<T> {
        self.values
    }
}
