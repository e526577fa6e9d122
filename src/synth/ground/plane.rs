//! A square picture whose opposite borders touch, and what changes its resolution.

use crate::synth::field::{Step, Work};

/// Texels in rows from the picture's top; `n`, a power of two, a side. Column `n` is column 0 again, and so with rows.
#[derive(Clone)]
pub(super) struct Plane<T> {
    pub(super) n: usize,
    pub(super) data: Vec<T>,
}

impl<T: Copy + Send + Sync> Plane<T> {
    /// All texels the same.
    pub(super) fn filled(n: usize, value: T) -> Self {
        Plane { n, data: vec![value; n * n] }
    }

    /// The row `y`, which may lie up to `n` above the picture or anywhere below it.
    pub(super) fn row(&self, y: isize) -> &[T] {
        let y = (y + self.n as isize) as usize & (self.n - 1);
        &self.data[y * self.n..][..self.n]
    }

    /// A picture of the same size, made texel by texel from this one.
    pub(super) fn map<U: Copy + Send + Sync + Default>(
        &self,
        work: &mut Work,
        make: impl Fn(T) -> U + Sync,
    ) -> Step<Plane<U>> {
        let mut out = Plane::filled(self.n, U::default());
        work.lines(&mut out.data, self.n, |y, row| {
            row.iter_mut().zip(self.row(y as isize)).for_each(|(out, &from)| *out = make(from));
        })?;
        Ok(out)
    }
}

impl Plane<f32> {
    /// Half the texels a side, each the mean of four.
    pub(super) fn halved(&self, work: &mut Work) -> Step<Self> {
        let n = self.n / 2;
        let mut out = Plane::filled(n, 0.0);
        work.lines(&mut out.data, n, |y, row| {
            let (top, low) = (self.row(2 * y as isize), self.row(2 * y as isize + 1));
            for (x, out) in row.iter_mut().enumerate() {
                *out = 0.25 * (top[2 * x] + top[2 * x + 1] + low[2 * x] + low[2 * x + 1]);
            }
        })?;
        Ok(out)
    }

    /// Twice the texels a side, linear between them; again and again it becomes a smooth spline.
    pub(super) fn doubled(&self, work: &mut Work) -> Step<Self> {
        let n = self.n * 2;
        let mut out = Plane::filled(n, 0.0);
        work.lines(&mut out.data, n, |y, row| {
            let near = self.row(y as isize / 2);
            let far = self.row(y as isize / 2 + if y % 2 == 0 { -1 } else { 1 });
            let down = |x: usize| 0.75 * near[x] + 0.25 * far[x];
            let mask = self.n - 1;
            for (x, pair) in row.chunks_exact_mut(2).enumerate() {
                let (left, middle, right) = (down((x + mask) & mask), down(x), down((x + 1) & mask));
                pair[0] = 0.75 * middle + 0.25 * left;
                pair[1] = 0.75 * middle + 0.25 * right;
            }
        })?;
        Ok(out)
    }

    /// The picture without what is smaller than `n / side` texels.
    pub(super) fn coarse(&self, side: usize, work: &mut Work) -> Step<Self> {
        if self.n <= side {
            return Ok(self.clone());
        }
        let mut small = self.halved(work)?;
        while small.n > side {
            small = small.halved(work)?;
        }
        while small.n < self.n {
            small = small.doubled(work)?;
        }
        Ok(small)
    }

    /// The mean of all texels.
    pub(super) fn mean(&self) -> f64 {
        self.data.iter().map(|&v| f64::from(v)).sum::<f64>() / self.data.len() as f64
    }
}
