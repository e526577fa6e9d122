//! The samples without a height, a bit each.

/// A set of samples by their index. Takes no memory while it is empty.
#[derive(Clone, Default)]
pub(super) struct Mask {
    words: Vec<u64>,
    count: u64,
}

impl Mask {
    /// The samples for which this is true, in the order of their indices.
    pub(super) fn of(samples: impl ExactSizeIterator<Item = bool>) -> Self {
        let mut words = vec![0u64; samples.len().div_ceil(64)];
        let mut count = 0;
        for (index, _) in samples.enumerate().filter(|&(_, inside)| inside) {
            words[index / 64] |= 1 << (index % 64);
            count += 1;
        }
        Self { words, count }
    }

    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// True for a sample of the set.
    pub(super) fn has(&self, index: usize) -> bool {
        self.count > 0 && self.words[index / 64] >> (index % 64) & 1 == 1
    }

    /// Takes a sample out.
    pub(super) fn remove(&mut self, index: usize) {
        if self.has(index) {
            self.words[index / 64] ^= 1 << (index % 64);
            self.count -= 1;
        }
    }

    /// The indices, ascending.
    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        let words = if self.count > 0 { self.words.as_slice() } else { &[] };
        words.iter().enumerate().flat_map(|(word, &bits)| {
            std::iter::successors((bits != 0).then_some(bits), |&bits| {
                let rest = bits & (bits - 1);
                (rest != 0).then_some(rest)
            })
            .map(move |bits| 64 * word + bits.trailing_zeros() as usize)
        })
    }

    /// Quads that have one of the samples at a corner, of a map that is `width` samples wide.
    pub(super) fn quads(&self, width: usize, height: usize) -> u64 {
        if self.count == 0 {
            return 0;
        }
        let column = |x: usize, z: usize| self.has(z * width + x) || self.has((z + 1) * width + x);
        let rows = (0..height - 1).map(|z| {
            let mut west = column(0, z);
            let open = (1..width).filter(|&x| {
                let east = column(x, z);
                std::mem::replace(&mut west, east) || east
            });
            open.count() as u64
        });
        rows.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_come_in_order_and_quads_are_counted_once() {
        let inside = [3, 64, 65, 127];
        let mut mask =
            Mask::of((0..130).map(|index| inside.contains(&index)).collect::<Vec<_>>().into_iter());
        assert_eq!((mask.count(), mask.iter().collect::<Vec<_>>()), (4, inside.to_vec()));
        mask.remove(65);
        mask.remove(65);
        assert_eq!((mask.count(), mask.has(65), mask.has(64)), (3, false, true));
        assert_eq!(Mask::default().iter().count() as u64, Mask::default().quads(9, 9));
        let corner = Mask::of([true, false, false, false, false, false, false, false, true].into_iter());
        assert_eq!(corner.quads(3, 3), 2);
        let middle = Mask::of((0..9).map(|index| index == 4).collect::<Vec<_>>().into_iter());
        assert_eq!(middle.quads(3, 3), 4);
    }
}
