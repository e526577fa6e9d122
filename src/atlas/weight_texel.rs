//! Where a weight is read in its atlas.

use super::AtlasLayout;
use super::layout::tile_of;

impl AtlasLayout {
    /// Where the weights of the sample coordinate `at` (0 … the map's quads) lie on axis 0 (x) or 1 (z), for a lookup at
    /// `mip`, 0 … [`AtlasLayout::max_mip`], which may lie between two: texels of mip 0 from the atlas's first edge, so that
    /// texel k has its centre at k + ½. Divided by [`AtlasLayout::size`] it is what a sampler takes, with linear filters and
    /// clamped at the edge.
    ///
    /// Inside a block it is `block + local + ½`. A block's last centre and the first of the block after it are 2^mip − 1
    /// samples apart and 2^mip texels, so that what lies between them is stretched to fit: then both blocks read the very
    /// same place at the sample they share, the edge between them, where the sampler mixes the two. At mip 0 there is
    /// nothing between, and each block has that sample itself.
    ///
    /// The map's edge is clamped to. What a sampler mixes in past the last sample is the padding of its block, which
    /// repeats that sample.
    pub fn weight_texel(&self, at: f32, mip: f32, axis: usize) -> f32 {
        let side = self.tile_samples as f32;
        let tiles = self.tiles[axis];
        let at = at.clamp(0.0, self.quads[axis] as f32);
        let tile = tile_of(at, self.inverse_quads()).min(tiles - 1);
        let first = tile as f32 * side;
        let from_first = at - (tile * (self.tile_samples - 1)) as f32;
        let from_last = side - 1.0 - from_first;
        let size = mip.exp2();
        // Samples from the shared one to the nearest centre on either side of it.
        let reach = (size - 1.0) * 0.5;
        if from_first < reach && tile > 0 {
            first + from_first * (size / (size - 1.0))
        } else if from_last < reach && tile + 1 < tiles {
            first + side - from_last * (size / (size - 1.0))
        } else {
            first + from_first + 0.5
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn layout() -> AtlasLayout {
        AtlasLayout { tiles: [3, 3], tile_samples: 16, quads: [45, 40] }
    }

    /// The mips of the test layout, whole ones and some between.
    fn mips() -> impl Iterator<Item = f32> {
        (0..=32).map(|eighth| eighth as f32 / 8.0).chain([1e-7, 1e-3, 0.999_999])
    }

    #[test]
    fn both_blocks_read_the_edge_between_them() {
        let layout = layout();
        for mip in mips().filter(|&mip| mip.exp2() > 1.0) {
            for border in [1u32, 2] {
                let shared = (border * 15) as f32;
                let edge = (border * 16) as f32;
                assert_eq!(layout.weight_texel(shared, mip, 0), edge, "mip {mip}");
                let before = layout.weight_texel(f32::from_bits(shared.to_bits() - 1), mip, 0);
                let slope = mip.exp2() / (mip.exp2() - 1.0);
                assert!((before - edge).abs() <= 2e-6 * slope + 4e-6, "{before} before {edge}, mip {mip}");
            }
        }
    }

    /// Texel k of a whole mip has its centre at sample `block + (k + ½)·2^mip − ½`, as [`AtlasLayout::taps`] has it.
    #[test]
    fn centres_are_read_at_centres() {
        let layout = layout();
        for mip in 0..=4u32 {
            let size = (1 << mip) as f32;
            for (tile, texel) in (0..3u32).flat_map(|tile| (0..16 >> mip).map(move |texel| (tile, texel))) {
                let local = (texel as f32 + 0.5) * size - 0.5;
                let at = (tile * 15) as f32 + local;
                // At mip 0 the last sample belongs to the block after, but for the map's last.
                if local < 15.0 || tile == 2 {
                    let centre = (tile * 16) as f32 + (texel as f32 + 0.5) * size;
                    assert_eq!(layout.weight_texel(at, mip as f32, 0), centre, "mip {mip}, sample {at}");
                }
            }
        }
    }

    #[test]
    fn the_edge_is_clamped_to() {
        let layout = layout();
        for mip in mips() {
            assert_eq!(layout.weight_texel(-9.0, mip, 0), 0.5);
            assert_eq!(layout.weight_texel(0.0, mip, 1), 0.5);
            assert_eq!(layout.weight_texel(99.0, mip, 0), 47.5);
            // The last row of tiles ends after 10 quads.
            assert_eq!(layout.weight_texel(99.0, mip, 1), 32.0 + 10.5);
        }
    }

    proptest! {
        /// Inside a block the place in the atlas moves with the sample, never backwards, and by no more than the stretch.
        #[test]
        fn it_is_continuous_inside_a_block(
            tile in 0u32..3, local in 0f32..14.9, mip in 0.01f32..4.0, step in 0f32..0.1,
        ) {
            let layout = layout();
            let at = (tile * 15) as f32 + local;
            let moved = layout.weight_texel(at + step, mip, 0) - layout.weight_texel(at, mip, 0);
            let stretch = mip.exp2() / (mip.exp2() - 1.0);
            prop_assert!((-1e-5..=step * stretch + 2e-5 * stretch).contains(&moved), "{moved} for {step}");
        }
    }
}
