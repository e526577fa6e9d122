//! The one lattice that every patch is drawn from: its indices and its slide. The twin of
//! `shaders/include/lattice.hlsl`.

use crate::field::Quad;
use crate::{Error, Result};

/// Quads a side of a patch. A shader permutation, so that the vertex stage's divisions fold to a shift and a mask.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum GridSize {
    /// 16×16 quads.
    G16,
    /// 32×32 quads.
    #[default]
    G32,
    /// 64×64 quads.
    G64,
}

impl GridSize {
    /// Every grid size, smallest first.
    pub const ALL: [Self; 3] = [Self::G16, Self::G32, Self::G64];

    /// The grid of this many quads a side.
    ///
    /// # Errors
    /// For a number that no shader was compiled for.
    pub fn from_quads(quads: u32) -> Result<Self> {
        Self::ALL.into_iter().find(|grid| grid.quads() == quads).ok_or_else(|| {
            Error::invalid("grid size", format!("no shader is compiled for {quads} quads; use 16, 32 or 64"))
        })
    }

    /// Quads a side of a patch.
    pub const fn quads(self) -> u32 {
        16 << self as u32
    }

    /// Triangles of a patch.
    pub const fn triangles(self) -> u32 {
        self.quads() * self.quads() * 2
    }

    /// Vertices of a patch.
    pub const fn vertices(self) -> u32 {
        (self.quads() + 1) * (self.quads() + 1)
    }

    /// Number of indices of a patch.
    pub const fn index_count(self) -> u32 {
        self.triangles() * 3
    }

    /// log2 of the distance in vertex ids from one lattice row to the next. A row has `quads + 1` vertices; the ids
    /// leave a gap so that the row is a shift and the column a mask.
    pub const fn row_shift(self) -> u32 {
        5 + self as u32
    }

    /// The index buffer: counter-clockwise seen from above, diagonals in a checker, in blocks of 4×4 quads. A block
    /// is 32 triangles over 25 vertices, which is what a vertex batch of current hardware holds: 0.78 vertex
    /// invocations a triangle, against 1.08 row by row.
    pub fn indices(self) -> Vec<u16> {
        const BLOCK: u32 = 4;
        let blocks = self.quads() / BLOCK;
        let mut indices = Vec::with_capacity(self.index_count() as usize);
        for block in 0..blocks * blocks {
            let (row, along) = (block / blocks, block % blocks);
            // Back and forth, so that two blocks that follow each other share an edge.
            let column = if row % 2 == 0 { along } else { blocks - 1 - along };
            for quad in 0..BLOCK * BLOCK {
                self.push_quad(&mut indices, column * BLOCK + quad % BLOCK, row * BLOCK + quad / BLOCK);
            }
        }
        indices
    }

    fn push_quad(self, indices: &mut Vec<u16>, x: u32, z: u32) {
        let id = |x: u32, z: u32| (z << self.row_shift() | x) as u16;
        let (nw, ne, sw, se) = (id(x, z), id(x + 1, z), id(x, z + 1), id(x + 1, z + 1));
        if Quad::new(x, z).falls_south_east() {
            indices.extend([nw, sw, se, nw, se, ne]);
        } else {
            indices.extend([nw, sw, ne, ne, sw, se]);
        }
    }
}

/// The even index that a lattice index slides onto as its morph goes to 1: itself where it is even, else the
/// neighbour that is a multiple of 4 (4k±1 → 4k).
///
/// The quads that survive the slide are then those in columns and rows 4k+1 and 4k+2, and the checker of diagonals
/// collapses onto the coarser level's own checker: a patch fully morphed is the surface of its parent, triangles
/// included.
pub fn slide_target(index: u32) -> u32 {
    if index & 1 == 0 { index } else { (index + 1) & !3 }
}

/// The lattice index after the slide.
#[doc(alias = "MorphIndex")]
pub fn slide(index: u32, morph: f32) -> f32 {
    let from = index as f32;
    from + (slide_target(index) as f32 - from) * morph
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A triangle as the set of its corners' lattice coordinates, slid by `morph`, or None where it has no area.
    fn triangle(grid: GridSize, ids: &[u16], morph: f32) -> Option<BTreeSet<(u32, u32)>> {
        let corner = |id: u16| {
            let (x, z) = (u32::from(id) & ((1 << grid.row_shift()) - 1), u32::from(id) >> grid.row_shift());
            (slide(x, morph) as u32, slide(z, morph) as u32)
        };
        let corners: Vec<_> = ids.iter().map(|&id| corner(id)).collect();
        let at = |i: usize| (corners[i].0 as i64, corners[i].1 as i64);
        let (a, b, c) = (at(0), at(1), at(2));
        let area = (b.0 - a.0) * (c.1 - a.1) - (c.0 - a.0) * (b.1 - a.1);
        assert!(area <= 0, "clockwise from above: {corners:?}");
        (area != 0).then(|| corners.into_iter().collect())
    }

    #[test]
    fn a_fully_morphed_patch_is_the_surface_of_its_parent() {
        for grid in GridSize::ALL {
            let indices = grid.indices();
            assert_eq!(indices.len(), grid.index_count() as usize);
            let whole: BTreeSet<_> =
                indices.chunks(3).map(|t| triangle(grid, t, 0.0).expect("a triangle without area")).collect();
            assert_eq!(whole.len(), grid.triangles() as usize, "every triangle once");
            let morphed: BTreeSet<_> = indices.chunks(3).filter_map(|t| triangle(grid, t, 1.0)).collect();
            let quarter = grid.quads() / 2;
            let parent: BTreeSet<_> = whole
                .iter()
                .filter(|t| t.iter().all(|&(x, z)| x <= quarter && z <= quarter))
                .map(|t| t.iter().map(|&(x, z)| (2 * x, 2 * z)).collect::<BTreeSet<_>>())
                .collect();
            assert_eq!(morphed, parent, "grid {grid:?}");
        }
    }

    /// Vertex invocations a triangle for a batch of 32 unique vertices and 32 triangles, first in first out.
    #[test]
    fn the_index_order_reuses_vertices() {
        for grid in GridSize::ALL {
            let (mut invocations, mut batch, mut triangles) = (0, BTreeSet::new(), 0);
            for t in grid.indices().chunks(3) {
                let wanted: BTreeSet<_> = batch.iter().copied().chain(t.iter().copied()).collect();
                if wanted.len() > 32 || triangles == 32 {
                    invocations += batch.len();
                    (batch, triangles) = (t.iter().copied().collect(), 1);
                } else {
                    (batch, triangles) = (wanted, triangles + 1);
                }
            }
            invocations += batch.len();
            let each = invocations as f64 / f64::from(grid.triangles());
            assert!(each <= 0.80, "{each} vertex invocations a triangle at {grid:?}");
        }
    }

    #[test]
    fn a_slide_is_exact_at_both_ends() {
        for index in 0..=64 {
            assert_eq!(slide(index, 0.0), index as f32);
            assert_eq!(slide(index, 1.0), slide_target(index) as f32);
            assert_eq!(slide_target(index) % 2, 0);
            assert!(slide_target(index).abs_diff(index) <= 1);
        }
    }

    #[test]
    fn another_grid_size_is_refused_with_what_works() {
        assert_eq!(GridSize::from_quads(64).unwrap(), GridSize::G64);
        assert!(GridSize::from_quads(48).unwrap_err().to_string().contains("16, 32 or 64"));
    }
}
