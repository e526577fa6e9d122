//! A reader that tells how far it is and can be told to stop.

use std::cell::Cell;
use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::ops::ControlFlow;

/// Bytes between two calls.
const STRIDE: u64 = 1 << 20;

/// Reads from another reader and calls a function every mebibyte with the part of the file that was read.
pub(super) struct Watched<'a, R> {
    input: R,
    progress: &'a mut dyn FnMut(f64) -> ControlFlow<()>,
    /// Set when the function broke off; reading fails then.
    stopped: &'a Cell<bool>,
    /// Bytes of the whole file, once asked for.
    length: Option<u64>,
    read: u64,
    told: u64,
}

impl<'a, R: BufRead + Seek> Watched<'a, R> {
    pub(super) fn new(
        input: R,
        progress: &'a mut dyn FnMut(f64) -> ControlFlow<()>,
        stopped: &'a Cell<bool>,
    ) -> Self {
        Self { input, progress, stopped, length: None, read: 0, told: 0 }
    }

    fn count(&mut self, bytes: usize) {
        self.read += bytes as u64;
        if let Some(length) = self.length
            && self.read >= self.told + STRIDE
        {
            self.told = self.read;
            // A reader that goes back reads some bytes twice.
            let part = (self.read as f64 / length.max(1) as f64).min(1.0);
            self.stopped.set((self.progress)(part).is_break());
        }
    }

    fn go_on(&self) -> io::Result<()> {
        if self.stopped.get() { Err(io::Error::other("stopped")) } else { Ok(()) }
    }
}

impl<R: BufRead + Seek> Read for Watched<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.go_on()?;
        let bytes = self.input.read(buffer)?;
        self.count(bytes);
        Ok(bytes)
    }
}

impl<R: BufRead + Seek> BufRead for Watched<'_, R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.go_on()?;
        self.input.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.input.consume(bytes);
        self.count(bytes);
    }
}

impl<R: BufRead + Seek> Seek for Watched<'_, R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let position = self.input.seek(to)?;
        if to == SeekFrom::End(0) {
            self.length = Some(position);
        }
        Ok(position)
    }

    fn seek_relative(&mut self, offset: i64) -> io::Result<()> {
        self.input.seek_relative(offset)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Heightmap, ImportOptions};
    use std::ops::ControlFlow;

    #[test]
    fn progress_runs_to_the_end_and_a_stop_leaves_nothing() {
        let folder = std::env::temp_dir().join(format!("landform-watch-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.r16");
        std::fs::write(&path, vec![7; 2 * 2048 * 2048]).unwrap();
        let mut parts = Vec::new();
        let read = Heightmap::read_watched(&path, &ImportOptions::default(), &mut |part| {
            parts.push(part);
            ControlFlow::Continue(())
        });
        assert!(read.unwrap().is_some());
        assert!(parts.len() >= 7 && parts.is_sorted() && parts.last() <= Some(&1.0), "{parts:?}");
        let mut calls = 0;
        let read = Heightmap::read_watched(&path, &ImportOptions::default(), &mut |_| {
            calls += 1;
            ControlFlow::Break(())
        });
        assert!(read.unwrap().is_none() && calls == 1);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
