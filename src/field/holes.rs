//! The hole mask: a bit a quad. Drawing, shadow, motion, grass and queries all ask [`HoleMask::is_hole`].

use super::Quad;

/// One bit for each quad of the map: set where the ground is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HoleMask {
    quads_x: u32,
    quads_z: u32,
    words_a_row: usize,
    words: Vec<u64>,
    open: u64,
}

impl HoleMask {
    /// A mask of `quads_x` × `quads_z` closed quads. Takes no memory until the first quad is opened.
    pub(crate) fn new(quads_x: u32, quads_z: u32) -> Self {
        Self { quads_x, quads_z, words_a_row: (quads_x as usize).div_ceil(64), words: Vec::new(), open: 0 }
    }

    /// True where the quad is open. False outside the map: what is not there is not a hole in it.
    pub fn is_hole(&self, quad: Quad) -> bool {
        if self.open == 0 || quad.x >= self.quads_x || quad.z >= self.quads_z {
            return false;
        }
        self.words[self.word(quad)] >> (quad.x % 64) & 1 == 1
    }

    /// Opens or closes a quad; returns true when that changed it.
    pub(crate) fn set(&mut self, quad: Quad, open: bool) -> bool {
        assert!(quad.x < self.quads_x && quad.z < self.quads_z, "{quad:?} lies outside the map");
        if self.is_hole(quad) == open {
            return false;
        }
        if self.words.is_empty() {
            self.words = vec![0; self.words_a_row * self.quads_z as usize];
        }
        let word = self.word(quad);
        self.words[word] ^= 1 << (quad.x % 64);
        if open {
            self.open += 1;
        } else {
            self.open -= 1;
        }
        true
    }

    /// Number of open quads.
    pub fn count(&self) -> u64 {
        self.open
    }

    fn word(&self, quad: Quad) -> usize {
        quad.z as usize * self.words_a_row + quad.x as usize / 64
    }
}
