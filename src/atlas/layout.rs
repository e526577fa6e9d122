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
}

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
        Self { tiles: [desc.tiles_x(), desc.tiles_z()], tile_samples: desc.tile_samples }
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

    /// The texel and bit of a quad in the hole mask: column, row, bit.
    pub fn hole_bit(&self, quad: [u32; 2]) -> [u32; 3] {
        let tile = quad.map(|at| tile_of(at as f32, self.inverse_quads()));
        let local = [0, 1].map(|axis| quad[axis] - tile[axis] * (self.tile_samples - 1));
        [
            tile[0] * (self.tile_samples / 8) + local[0] / 8,
            tile[1] * self.tile_samples + local[1],
            local[0] & 7,
        ]
    }

    /// 1 / quads of a tile: the one number that the block of a sample is found with.
    pub fn inverse_quads(&self) -> f32 {
        1.0 / (self.tile_samples - 1) as f32
    }

    /// The two texels of mip `mip` that the sample coordinate `at` (0 … the map's quads) lies between on axis 0 (x)
    /// or 1 (z). Texel k of a block is at sample `block origin + (k + ½)·2^mip − ½`. Past a block's last centre the
    /// second tap is the neighbour block's first, `2^mip − 1` samples away; only the map's edge clamps.
    pub fn taps(&self, at: f32, mip: u32, axis: usize) -> Taps {
        let quads = self.tile_samples - 1;
        let tiles = self.tiles[axis];
        let tile = tile_of(at, self.inverse_quads()).min(tiles - 1);
        let local = at - (tile * quads) as f32;
        let side = self.tile_samples >> mip;
        let last = (side - 1) as f32;
        // At mip 0 a texel is a sample, and the halves would only round.
        let texel = if mip == 0 { local } else { (local + 0.5) * f32::from_bits((127 - mip) << 23) - 0.5 };
        let gap = ((1u32 << mip) - 1) as f32;
        if texel < 0.0 && tile > 0 && mip > 0 {
            Taps { first: tile * side - 1, second: tile * side, fraction: local / gap + 0.5 }
        } else if texel > last && tile + 1 < tiles && mip > 0 {
            let first = tile * side + side - 1;
            Taps { first, second: first + 1, fraction: (local - quads as f32) / gap + 0.5 }
        } else {
            let texel = texel.clamp(0.0, last);
            let whole = texel.floor();
            let first = tile * side + whole as u32;
            Taps { first, second: (first + 1).min(tile * side + side - 1), fraction: texel - whole }
        }
    }
}

/// The tile of a sample coordinate. `at + ½` keeps the product's rounding away from the border: exact for every
/// whole coordinate below [`FieldDesc::MAX_SIDE`], which a test walks.
fn tile_of(at: f32, inverse_quads: f32) -> u32 {
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
        let layout = AtlasLayout { tiles: [3, 3], tile_samples: 16 };
        for at in 0..=45u32 {
            let taps = layout.taps(at as f32, 0, 0);
            let tile = (at / 15).min(2);
            assert_eq!((taps.first, taps.fraction), (tile * 16 + at - tile * 15, 0.0), "sample {at}");
        }
    }

    #[test]
    fn holes_find_their_bit() {
        let layout = AtlasLayout { tiles: [3, 3], tile_samples: 16 };
        assert_eq!(layout.hole_bit([0, 0]), [0, 0, 0]);
        assert_eq!(layout.hole_bit([14, 14]), [1, 14, 6]);
        assert_eq!(layout.hole_bit([15, 15]), [2, 16, 0]);
        assert_eq!(layout.hole_size(), [6, 48]);
    }
}
