//! A square field of samples over the map and a margin around it, and the worker that fills fields row by row.
//!
//! Every parallel pass here writes one field and reads others: a result cannot depend on which thread came first.

use super::Progress;
use std::ops::ControlFlow;

/// The side of the map in metres, whatever its number of samples.
pub(super) const EXTENT: f32 = 4096.0;

/// The caller's progress function asked for an end.
#[derive(Debug)]
pub(super) struct Stopped;

/// What a step that can be stopped returns.
pub(super) type Step<T = ()> = Result<T, Stopped>;

/// Samples in rows from north to south; sample (0, 0) lies at (`origin`, `origin`) metres from the map's corner.
#[derive(Clone)]
pub(super) struct Field {
    /// Samples a side.
    pub(super) n: usize,
    /// Metres between samples.
    pub(super) spacing: f32,
    /// Metres from the map's north-west corner on both axes; negative, since margins lie outside.
    pub(super) origin: f32,
    pub(super) data: Vec<f32>,
}

impl Field {
    /// Zeroes over the map and `margin` metres on every side.
    pub(super) fn over_map(spacing: f32, margin: f32) -> Self {
        let n = ((EXTENT + 2.0 * margin) / spacing) as usize + 1;
        Field { n, spacing, origin: -margin, data: vec![0.0; n * n] }
    }

    /// A field of the same samples, all `value`.
    pub(super) fn like(&self, value: f32) -> Self {
        Field { data: vec![value; self.data.len()], ..*self }
    }

    /// Metres from the map's corner of a column or a row.
    pub(super) fn metres(&self, index: usize) -> f32 {
        self.origin + index as f32 * self.spacing
    }

    /// The smooth value at a place in metres: the cubic of Mitchell and Netravali 1988 (B = C = 1/3), which neither
    /// rings at a crest nor shows the coarse lattice.
    pub(super) fn cubic(&self, x: f32, z: f32) -> f32 {
        let last = self.n as i32 - 1;
        let (gx, gz) = ((x - self.origin) / self.spacing, (z - self.origin) / self.spacing);
        let (ix, iz) = (gx.floor(), gz.floor());
        let (wx, wz) = (cubic_weights(gx - ix), cubic_weights(gz - iz));
        let (ix, iz) = (ix as i32 - 1, iz as i32 - 1);
        let mut sum = 0.0;
        for (j, wz) in wz.iter().enumerate() {
            let row = (iz + j as i32).clamp(0, last) as usize * self.n;
            let mut line = 0.0;
            if ix >= 0 && ix + 3 <= last {
                let four = &self.data[row + ix as usize..row + ix as usize + 4];
                line += wx[0] * four[0] + wx[1] * four[1] + wx[2] * four[2] + wx[3] * four[3];
            } else {
                for (i, wx) in wx.iter().enumerate() {
                    line += wx * self.data[row + (ix + i as i32).clamp(0, last) as usize];
                }
            }
            sum += wz * line;
        }
        sum
    }

    /// The bilinear value at a place in metres.
    pub(super) fn linear(&self, x: f32, z: f32) -> f32 {
        let limit = (self.n - 1) as f32 - 0.001;
        let gx = ((x - self.origin) / self.spacing).clamp(0.0, limit);
        let gz = ((z - self.origin) / self.spacing).clamp(0.0, limit);
        let (ix, iz) = (gx as usize, gz as usize);
        let (fx, fz) = (gx - ix as f32, gz - iz as f32);
        let at = iz * self.n + ix;
        let top = self.data[at] + (self.data[at + 1] - self.data[at]) * fx;
        let low = self.data[at + self.n] + (self.data[at + self.n + 1] - self.data[at + self.n]) * fx;
        top + (low - top) * fz
    }

    /// Rise over run at a sample, from central differences.
    pub(super) fn slope(&self, x: usize, y: usize) -> f32 {
        let last = self.n - 1;
        let (x0, x1) = (x.saturating_sub(1), (x + 1).min(last));
        let (y0, y1) = (y.saturating_sub(1), (y + 1).min(last));
        let dx =
            (self.data[y * self.n + x1] - self.data[y * self.n + x0]) / ((x1 - x0) as f32 * self.spacing);
        let dy =
            (self.data[y1 * self.n + x] - self.data[y0 * self.n + x]) / ((y1 - y0) as f32 * self.spacing);
        (dx * dx + dy * dy).sqrt()
    }

    /// One pass of the 3×3 binomial filter.
    pub(super) fn smoothed(&self, work: &mut Work) -> Step<Field> {
        let n = self.n;
        let mut out = self.like(0.0);
        work.rows(&mut out, |y, row| {
            let up = &self.data[y.saturating_sub(1) * n..][..n];
            let mid = &self.data[y * n..][..n];
            let down = &self.data[(y + 1).min(n - 1) * n..][..n];
            let column = |x: usize| up[x] + 2.0 * mid[x] + down[x];
            for (x, out) in row.iter_mut().enumerate() {
                *out = (column(x.saturating_sub(1)) + 2.0 * column(x) + column((x + 1).min(n - 1))) / 16.0;
            }
        })?;
        Ok(out)
    }
}

fn cubic_weights(t: f32) -> [f32; 4] {
    let near = |t: f32| (7.0 * t * t * t - 12.0 * t * t + 16.0 / 3.0) / 6.0;
    let far = |t: f32| (-7.0 / 3.0 * t * t * t + 12.0 * t * t - 20.0 * t + 32.0 / 3.0) / 6.0;
    [far(1.0 + t), near(t), near(1.0 - t), far(2.0 - t)]
}

/// The threads at hand and the caller's ear.
pub(super) struct Work<'a> {
    threads: usize,
    report: &'a mut dyn FnMut(Progress) -> ControlFlow<()>,
    stage: &'static str,
    done: f32,
    step: f32,
    /// The most that was told: a step of several passes counts each from its beginning.
    told: f32,
}

impl<'a> Work<'a> {
    pub(super) fn new(threads: usize, report: &'a mut dyn FnMut(Progress) -> ControlFlow<()>) -> Self {
        Work { threads: threads.max(1), report, stage: "preparing", done: 0.0, step: 0.0, told: 0.0 }
    }

    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Names what comes next: `steps` steps that end at `end` of the whole.
    pub(super) fn stage(&mut self, stage: &'static str, end: f32, steps: usize) {
        self.stage = stage;
        self.step = (end - self.done).max(0.0) / steps.max(1) as f32;
    }

    /// Tells that `part` of the present step is done.
    pub(super) fn tick(&mut self, part: f32) -> Step {
        self.told = (self.done + self.step * part.min(1.0)).clamp(self.told, 1.0);
        match (self.report)(Progress { stage: self.stage, fraction: self.told }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Stopped),
        }
    }

    /// Ends the present step.
    pub(super) fn advance(&mut self) -> Step {
        self.done += self.step;
        self.step = self.step.min(1.0 - self.done).max(0.0);
        self.tick(0.0)
    }

    /// Fills a field row by row on all threads, in batches of a fraction of a second.
    pub(super) fn rows(&mut self, out: &mut Field, fill: impl Fn(usize, &mut [f32]) + Sync) -> Step {
        self.lines(&mut out.data, out.n, fill)
    }

    /// As [`Work::rows`] for lines of `n` of anything.
    pub(super) fn lines<T: Send>(
        &mut self,
        out: &mut [T],
        n: usize,
        fill: impl Fn(usize, &mut [T]) + Sync,
    ) -> Step {
        let share = (300_000 / n).max(1);
        let batch = share * self.threads;
        let whole = (out.len() / n).max(1) as f32;
        for (index, rows) in out.chunks_mut(batch * n).enumerate() {
            self.tick((index * batch) as f32 / whole)?;
            std::thread::scope(|scope| {
                for (part, rows) in rows.chunks_mut(share * n).enumerate() {
                    let first = index * batch + part * share;
                    let fill = &fill;
                    scope.spawn(move || {
                        for (y, row) in rows.chunks_mut(n).enumerate() {
                            fill(first + y, row);
                        }
                    });
                }
            });
        }
        Ok(())
    }
}
