//! A tile's block and its mip chain, as bytes to upload.

use super::AtlasLayout;
use crate::field::{Field, Quad, TileId};

/// Sizes of a block's mip chain, finest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MipChain {
    /// Texels a side of mip 0, a power of two.
    pub side: u32,
}

impl MipChain {
    /// The chain of a layout's blocks.
    pub fn new(layout: &AtlasLayout) -> Self {
        Self { side: layout.tile_samples }
    }

    /// Texels a side of a mip.
    pub fn side_at(&self, mip: u32) -> u32 {
        self.side >> mip
    }

    /// Where a mip begins, in texels from the chain's first.
    pub fn offset(&self, mip: u32) -> usize {
        (0..mip).map(|finer| (self.side_at(finer) as usize).pow(2)).sum()
    }

    /// Texels of the whole chain.
    pub fn texels(&self) -> usize {
        self.offset(self.side.trailing_zeros() + 1)
    }
}

/// Writes a tile's block and its mips, reduced by the maximum, into `chain` ([`MipChain::texels`] of them). Past the
/// map's edge the edge sample is repeated, so that padding never raises a mip.
///
/// # Panics
/// Where `chain` has another length.
pub fn write_height_block(field: &Field, tile: TileId, chain: &mut [u16]) {
    let desc = field.desc();
    let sizes = MipChain { side: desc.tile_samples };
    assert_eq!(chain.len(), sizes.texels(), "texels of a chain");
    let side = desc.tile_samples as usize;
    let (first_x, first_z) = (tile.x * desc.tile_quads(), tile.z * desc.tile_quads());
    let inside = side.min((desc.width - first_x) as usize);
    let samples = field.samples();
    for (z, row) in chain[..side * side].chunks_exact_mut(side).enumerate() {
        let z = (first_z + z as u32).min(desc.height - 1);
        let start = z as usize * desc.width as usize + first_x as usize;
        row[..inside].copy_from_slice(&samples[start..start + inside]);
        let edge = row[inside - 1];
        row[inside..].fill(edge);
    }
    for mip in 1..=desc.tile_samples.trailing_zeros() {
        let (finer, coarser) = chain.split_at_mut(sizes.offset(mip));
        let fine_side = sizes.side_at(mip - 1) as usize;
        reduce(&finer[sizes.offset(mip - 1)..], &mut coarser[..(fine_side / 2).pow(2)], fine_side);
    }
}

/// Halves a square by the maximum of each 2×2.
fn reduce(fine: &[u16], coarse: &mut [u16], fine_side: usize) {
    for (rows, out) in fine.chunks_exact(2 * fine_side).zip(coarse.chunks_exact_mut(fine_side / 2)) {
        let (north, south) = rows.split_at(fine_side);
        for ((out, north), south) in out.iter_mut().zip(north.chunks_exact(2)).zip(south.chunks_exact(2)) {
            *out = north[0].max(north[1]).max(south[0]).max(south[1]);
        }
    }
}

/// Writes a tile's block of the hole mask into `block`: `tile_samples / 8` bytes a row, `tile_samples` rows, the
/// westernmost quad in bit 0. The last column and row belong to no quad of the tile and stay closed.
///
/// # Panics
/// Where `block` has another length.
pub fn write_hole_block(field: &Field, tile: TileId, block: &mut [u8]) {
    let desc = field.desc();
    let bytes_a_row = desc.tile_samples as usize / 8;
    assert_eq!(block.len(), bytes_a_row * desc.tile_samples as usize, "bytes of a hole block");
    block.fill(0);
    for z in 0..desc.tile_quads() {
        for x in 0..desc.tile_quads() {
            let quad = Quad::new(tile.x * desc.tile_quads() + x, tile.z * desc.tile_quads() + z);
            if field.is_hole(quad) {
                block[z as usize * bytes_a_row + x as usize / 8] |= 1 << (x % 8);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldDesc;

    #[test]
    fn mips_are_maxima_and_padding_repeats_the_edge() {
        let mut field = Field::new(FieldDesc::new(20, 18).with_tile_samples(16)).unwrap();
        field.set_sample(crate::field::Sample::new(19, 17), 500);
        field.set_sample(crate::field::Sample::new(15, 3), 900);
        let mut chain = vec![1; MipChain { side: 16 }.texels()];
        assert_eq!(chain.len(), 256 + 64 + 16 + 4 + 1);
        write_height_block(&field, TileId::new(1, 0), &mut chain);
        assert_eq!(
            (chain[3 * 16], chain[3 * 16 + 1]),
            (900, 0),
            "the border sample is the block's first column"
        );
        assert_eq!(chain[340], 900, "the last mip is the block's maximum");
        write_height_block(&field, TileId::new(0, 0), &mut chain);
        assert_eq!((chain[3 * 16 + 15], chain[256 + 8 + 7], chain[340]), (900, 900, 900));
        write_height_block(&field, TileId::new(1, 1), &mut chain);
        assert!(chain[2 * 16 + 4..2 * 16 + 16].iter().all(|&code| code == 500), "east of the map");
        assert!(chain[15 * 16 + 4..15 * 16 + 16].iter().all(|&code| code == 500), "south-east of the map");
        assert_eq!(chain[15 * 16], 0, "south of the map");
    }

    #[test]
    fn hole_blocks_hold_their_own_quads() {
        let mut field = Field::new(FieldDesc::of_tiles(16, 2, 2)).unwrap();
        field.set_hole(Quad::new(14, 0), true);
        field.set_hole(Quad::new(15, 1), true);
        let mut block = vec![0xFF; 32];
        write_hole_block(&field, TileId::new(0, 0), &mut block);
        assert_eq!((block[1], block.iter().filter(|&&b| b != 0).count()), (1 << 6, 1));
        write_hole_block(&field, TileId::new(1, 0), &mut block);
        assert_eq!((block[2], block.iter().filter(|&&b| b != 0).count()), (1, 1));
    }
}
