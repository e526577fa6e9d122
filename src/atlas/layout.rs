//! Where things lie in the atlas. All of the block arithmetic is here, so that blocks can be pooled one day.

use crate::field::{FieldDesc, TileId};

/// The layout of a field's atlas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(alias = "TerrainAtlas")]
pub struct AtlasLayout {
    /// Tiles in x and z.
    pub tiles: [u32; 2],
    /// Samples a side of a tile, a power of two.
    pub tile_samples: u32,
    /// Quads of the map in x and z. The last tiles may reach past them.
    pub quads: [u32; 2],
}

/// 1 / (2^mip − 1) a mip: one over the samples between two blocks' nearest centres, and 0 for mip 0, where they meet.
/// The shader has the same bits, so that both multiply and neither divides.
const INVERSE_GAP: [f32; 11] = {
    let mut table = [0.0; 11];
    let mut mip = 1;
    while mip < table.len() {
        table[mip] = 1.0 / ((1u32 << mip) - 1) as f32;
        mip += 1;
    }
    table
};

/// The two texels of an axis that a coordinate lies between, and how far it is from the first to the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taps {
    /// Texel column or row in the mip.
    pub first: u32,
    /// Texel column or row in the mip.
    pub second: u32,
    /// 0 at the first, 1 at the second.
    pub fraction: f32,
}

impl AtlasLayout {
    /// The layout for a field.
    pub fn new(desc: &FieldDesc) -> Self {
        Self {
            tiles: [desc.tiles_x(), desc.tiles_z()],
            tile_samples: desc.tile_samples,
            quads: [desc.quads_x(), desc.quads_z()],
        }
    }

    /// Texels of mip 0: width, height.
    pub fn size(&self) -> [u32; 2] {
        self.tiles.map(|tiles| tiles * self.tile_samples)
    }

    /// Number of mips: down to one texel a block.
    pub fn mip_count(&self) -> u32 {
        self.max_mip() + 1
    }

    /// The coarsest mip, log2 of a tile's samples.
    pub fn max_mip(&self) -> u32 {
        self.tile_samples.trailing_zeros()
    }

    /// The north-west texel of a tile's block at a mip: column, row.
    pub fn block(&self, tile: TileId, mip: u32) -> [u32; 2] {
        let side = self.tile_samples >> mip;
        [tile.x * side, tile.z * side]
    }

    /// Texels of hole mask mip 0: eight quads a texel from west to east.
    pub fn hole_size(&self) -> [u32; 2] {
        [self.tiles[0] * self.tile_samples / 8, self.tiles[1] * self.tile_samples]
    }

    /// 1 / quads of a tile: the one number that the block of a sample is found with.
    pub fn inverse_quads(&self) -> f32 {
        1.0 / (self.tile_samples - 1) as f32
    }

    /// The two texels of mip `mip` that the sample coordinate `at` (0 … the map's quads) lies between on axis 0 (x)
    /// or 1 (z). Texel k of a block is at sample `block origin + (k + ½)·2^mip − ½`. Past a block's last centre the
    /// second tap is the neighbour block's first, `2^mip − 1` samples away. Only the map's edge clamps: to the texel
    /// that holds its last sample, since what lies past it is padding.
    pub fn taps(&self, at: f32, mip: u32, axis: usize) -> Taps {
        let quads = self.tile_samples - 1;
        let tiles = self.tiles[axis];
        let tile = tile_of(at, self.inverse_quads()).min(tiles - 1);
        let local = at - (tile * quads) as f32;
        let side = self.tile_samples >> mip;
        let last_texel = self.last_texel(tile, mip, axis);
        let last = last_texel as f32;
        // At mip 0 a texel is a sample, and the halves would only round.
        let texel = if mip == 0 { local } else { (local + 0.5) * f32::from_bits((127 - mip) << 23) - 0.5 };
        let inverse_gap = INVERSE_GAP[mip as usize];
        if texel < 0.0 && tile > 0 && mip > 0 {
            Taps { first: tile * side - 1, second: tile * side, fraction: local * inverse_gap + 0.5 }
        } else if texel > last && tile + 1 < tiles && mip > 0 {
            let first = tile * side + side - 1;
            Taps { first, second: first + 1, fraction: (local - quads as f32) * inverse_gap + 0.5 }
        } else {
            let texel = texel.clamp(0.0, last);
            let whole = texel.floor();
            let first = tile * side + whole as u32;
            Taps { first, second: (first + 1).min(tile * side + last_texel), fraction: texel - whole }
        }
    }

    /// The last texel of a tile's block on an axis that holds a sample of the map.
    fn last_texel(&self, tile: u32, mip: u32, axis: usize) -> u32 {
        (self.quads[axis] - tile * (self.tile_samples - 1)).min(self.tile_samples - 1) >> mip
    }

    /// The last texel column (axis 0) or row (axis 1) of a mip of the atlas that holds a sample of the map.
    pub(super) fn edge_texel(&self, mip: u32, axis: usize) -> u32 {
        let tile = self.tiles[axis] - 1;
        tile * (self.tile_samples >> mip) + self.last_texel(tile, mip, axis)
    }
}

/// The tile of a sample coordinate. `at + ½` keeps the product's rounding away from the border: exact for every
/// whole coordinate below [`FieldDesc::MAX_SIDE`], which a test walks.
pub(super) fn tile_of(at: f32, inverse_quads: f32) -> u32 {
    ((at.floor() + 0.5) * inverse_quads) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reciprocal_finds_every_tile() {
        for samples in [16u32, 32, 64, 128, 256, 512, 1024] {
            let quads = samples - 1;
            let inverse = 1.0 / quads as f32;
            for at in (0..FieldDesc::MAX_SIDE)
                .step_by(7)
                .chain(FieldDesc::MAX_SIDE - 2 * quads..FieldDesc::MAX_SIDE)
            {
                assert_eq!(tile_of(at as f32, inverse), at / quads, "sample {at} of tiles of {samples}");
            }
            for border in (0..FieldDesc::MAX_SIDE / quads).map(|tile| tile * quads) {
                assert_eq!(tile_of(border as f32, inverse), border / quads);
                assert_eq!(tile_of((border + quads - 1) as f32, inverse), border / quads);
            }
        }
    }

    #[test]
    fn whole_samples_are_read_whole_at_mip_0() {
        let layout = AtlasLayout { tiles: [3, 3], tile_samples: 16, quads: [45, 45] };
        for at in 0..=45u32 {
            let taps = layout.taps(at as f32, 0, 0);
            let tile = (at / 15).min(2);
            assert_eq!((taps.first, taps.fraction), (tile * 16 + at - tile * 15, 0.0), "sample {at}");
        }
    }

    /// At every mip the last tap holds the map's last sample, in a tile that is whole and in one that is cut.
    #[test]
    fn the_edge_reads_no_padding() {
        for quads in [45, 31, 33, 1, 15, 16] {
            let tiles = [u32::div_ceil(quads, 15); 2];
            let layout = AtlasLayout { tiles, tile_samples: 16, quads: [quads; 2] };
            for mip in 0..=4 {
                let taps = layout.taps(quads as f32, mip, 0);
                let (tile, local) = (tiles[0] - 1, quads - (tiles[0] - 1) * 15);
                assert_eq!(taps.second, tile * (16 >> mip) + (local >> mip), "mip {mip} of {quads} quads");
                assert_eq!(layout.edge_texel(mip, 0), taps.second);
            }
        }
    }
}
