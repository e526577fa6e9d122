//! Weights of a place on the CPU: what the device reads, from the same blocks.

use super::{AtlasLayout, MipChain, WeightBlocks, write_weight_block};
use crate::shaders::{MAX_LAYERS, MAX_SETS};

/// All blocks and mips of a field's weights, read as the device's samplers read them. For tests; costs 5⅓ bytes a sample
/// and page, and does not follow edits.
#[derive(Clone, Debug)]
pub struct WeightAtlas {
    layout: AtlasLayout,
    chain: MipChain,
    pages: u32,
    with_regions: bool,
    bytes: Vec<u8>,
}

/// The texels of an axis that a sampler mixes, and how far it is from the first to the second.
struct Pair {
    texels: [u32; 2],
    fraction: f32,
}

impl WeightAtlas {
    /// The atlas of a field's weights as they are now.
    pub fn new(blocks: &WeightBlocks<'_>) -> Self {
        let layout = AtlasLayout::new(blocks.desc);
        let mut bytes = vec![0; blocks.bytes() * blocks.desc.tile_count()];
        for (index, block) in bytes.chunks_exact_mut(blocks.bytes()).enumerate() {
            write_weight_block(blocks, blocks.desc.tile_at(index), block);
        }
        let chain = MipChain::new(&layout);
        Self { layout, chain, pages: blocks.pages, with_regions: blocks.with_regions, bytes }
    }

    /// The layout.
    pub fn layout(&self) -> &AtlasLayout {
        &self.layout
    }

    /// The weights of all layers at a place in samples and a mip, which may lie between two: those that share are 1
    /// together, to a rounding. Continuous in both; clamps at the map's edge and beyond the coarsest mip.
    pub fn weights(&self, x: f32, z: f32, mip: f32) -> [f32; MAX_LAYERS] {
        let mut weights = [0.0; MAX_LAYERS];
        for page in 0..self.pages {
            weights[4 * page as usize..][..4].copy_from_slice(&self.sample(page, x, z, mip));
        }
        weights
    }

    /// The shares of the blend sets at such a place: all of the first where the atlas has no regions.
    pub fn regions(&self, x: f32, z: f32, mip: f32) -> [f32; MAX_SETS] {
        if self.with_regions { self.sample(self.pages, x, z, mip) } else { [1.0, 0.0, 0.0, 0.0] }
    }

    /// A trilinear lookup in a page.
    fn sample(&self, page: u32, x: f32, z: f32, mip: f32) -> [f32; 4] {
        let mip = mip.clamp(0.0, self.layout.max_mip() as f32);
        let (u, v) = (self.layout.weight_texel(x, mip, 0), self.layout.weight_texel(z, mip, 1));
        let fine = self.bilinear(page, u, v, mip.floor() as u32);
        if mip == mip.floor() {
            return fine;
        }
        let coarse = self.bilinear(page, u, v, mip.floor() as u32 + 1);
        mix(fine, coarse, mip - mip.floor())
    }

    fn bilinear(&self, page: u32, u: f32, v: f32, mip: u32) -> [f32; 4] {
        let (x, z) = (self.pair(u, mip, 0), self.pair(v, mip, 1));
        let row = |z: u32| {
            let [west, east] = x.texels.map(|x| self.texel(page, x, z, mip));
            mix(west, east, x.fraction)
        };
        mix(row(z.texels[0]), row(z.texels[1]), z.fraction)
    }

    /// What a sampler with linear filters, clamped at the edge, makes of a coordinate in texels of mip 0.
    fn pair(&self, at: f32, mip: u32, axis: usize) -> Pair {
        let texel = at / (1u32 << mip) as f32 - 0.5;
        let last = (self.layout.size()[axis] >> mip) as i32 - 1;
        let first = texel.floor() as i32;
        let texels = [first, first + 1].map(|texel| texel.clamp(0, last) as u32);
        Pair { texels, fraction: texel - texel.floor() }
    }

    fn texel(&self, page: u32, x: u32, z: u32, mip: u32) -> [f32; 4] {
        let side = self.chain.side_at(mip);
        let pages = (self.pages + u32::from(self.with_regions)) as usize;
        let tile = (z / side * self.layout.tiles[0] + x / side) as usize;
        let within = self.chain.offset(mip) + (z % side * side + x % side) as usize;
        let texel = (tile * pages + page as usize) * self.chain.texels() + within;
        [0, 1, 2, 3].map(|channel| f32::from(self.bytes[4 * texel + channel]) / 255.0)
    }
}

fn mix(a: [f32; 4], b: [f32; 4], t: f32) -> [f32; 4] {
    [0, 1, 2, 3].map(|channel| a[channel] + (b[channel] - a[channel]) * t)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Field, FieldDesc, Sample, Weights};
    use proptest::prelude::*;

    /// Weights that look like noise, three layers that share and one that is laid over them.
    fn rough(width: u32, height: u32, tile_samples: u32) -> Field {
        let mut field = Field::new(FieldDesc::new(width, height).with_tile_samples(tile_samples)).unwrap();
        let amounts: Vec<u16> = (0..width * height * 4)
            .map(|i| (i.wrapping_mul(0x9E37_79B1).rotate_left(13).wrapping_mul(0x85EB_CA77) >> 24) as u16)
            .collect();
        field
            .set_weights(Some(Weights::of_amounts_with(width, height, 4, 0b0100, &amounts).unwrap()))
            .unwrap();
        field
    }

    fn atlas(field: &Field) -> WeightAtlas {
        WeightAtlas::new(&WeightBlocks::new(field, 1))
    }

    fn most(a: [f32; MAX_LAYERS], b: [f32; MAX_LAYERS]) -> f32 {
        a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
    }

    #[test]
    fn mip_0_is_the_samples() {
        let field = rough(53, 47, 16);
        let tiled = atlas(&field);
        for (x, z) in (0..47).flat_map(|z| (0..53).map(move |x| (x, z))) {
            let weights = field.weights().unwrap().at(Sample::new(x, z));
            let expected: Vec<f32> = weights.iter().map(|&byte| f32::from(byte) / 255.0).collect();
            assert_eq!(tiled.weights(x as f32, z as f32, 0.0)[..4], expected, "sample {x}, {z}");
        }
    }

    /// Patches of layers with soft and hard borders.
    fn patches(tile_samples: u32, side: u32) -> Field {
        let mut field = Field::new(FieldDesc::new(side, side).with_tile_samples(tile_samples)).unwrap();
        let amounts: Vec<u16> = (0..side * side)
            .flat_map(|i| {
                let (x, z) = (f64::from(i % side), f64::from(i / side));
                let soft = 100.0 + 100.0 * (x * 0.05).sin() * (z * 0.04).cos();
                [soft as u16, 90, if (x + 0.3 * z) % 50.0 < 17.0 { 400 } else { 0 }]
            })
            .collect();
        field.set_weights(Some(Weights::of_amounts(side, side, 3, &amounts).unwrap())).unwrap();
        field
    }

    /// A map in tiles is the same map in one tile but for where its texels lie, since every block begins its own. At mip 0
    /// that is nowhere. Coarser, a texel averages 2^mip samples and the next centre is up to 2^mip away, so that whatever
    /// is mixed at a place lies within 1.5·2^mip samples of it on each axis, of the coarser mip where it is between two,
    /// and one more where its margin moves a lookup. Both maps lie between the least and the greatest weight in that
    /// window, to a rounding: they differ by no more than the weights do there.
    #[test]
    fn tiles_differ_from_one_tile_by_what_their_offset_explains() {
        const SIDE: u32 = 121;
        let fields = [patches(16, SIDE), patches(128, SIDE)];
        let [tiled, whole] = fields.each_ref().map(atlas);
        let mut differ = 0;
        for mip in [0.0, 0.4, 1.0, 1.5, 2.0, 3.0, 4.0f32] {
            for (x, z) in (0..1200).map(|i| ((0.37 * i as f32) % 120.0, (0.77 * i as f32) % 120.0)) {
                let (one, other) = (tiled.weights(x, z, mip), whole.weights(x, z, mip));
                if mip == 0.0 {
                    assert!(most(one, other) < 1e-5, "{x}, {z}");
                    continue;
                }
                differ += u32::from(most(one, other) > 2.0 / 255.0);
                let reach = 1.5 * mip.ceil().exp2() + 1.0;
                let window =
                    |at: f32| (at - reach).max(0.0).floor() as u32..((at + reach) as u32 + 2).min(SIDE);
                for layer in 0..3 {
                    let (mut least, mut greatest) = (255, 0);
                    for sample in window(z).flat_map(|z| window(x).map(move |x| Sample::new(x, z))) {
                        let byte = fields[0].weights().unwrap().at(sample)[layer];
                        (least, greatest) = (byte.min(least), byte.max(greatest));
                    }
                    let range = (f32::from(least) - 1.0) / 255.0..=(f32::from(greatest) + 1.0) / 255.0;
                    assert!(
                        range.contains(&one[layer]) && range.contains(&other[layer]),
                        "{x}, {z}, mip {mip}"
                    );
                }
            }
        }
        assert!(differ > 100, "there was something to explain: {differ}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// Weights are continuous in the place and in the mip, whatever border, corner or mip lies between: over a step
        /// they change by no more than the steepest that the stretched lookups can.
        #[test]
        fn weights_are_continuous(
            tile in prop::sample::select(vec![16u32, 32]), size in (20u32..90, 20u32..90),
            near in (0u32..6, 0u32..6), off in (-2f32..2.0, -2f32..2.0), mip in 0f32..5.0,
            step in (-1f32..1.0, -1f32..1.0, -1f32..1.0),
        ) {
            let atlas = atlas(&rough(size.0, size.1, tile));
            let x = ((near.0 * (tile - 1)) as f32 + off.0).clamp(0.0, (size.0 - 1) as f32);
            let z = ((near.1 * (tile - 1)) as f32 + off.1).clamp(0.0, (size.1 - 1) as f32);
            const SMALL: f32 = 1.0 / 1024.0;
            let here = atlas.weights(x, z, mip);
            let there = atlas.weights(x + step.0 * SMALL, z + step.1 * SMALL, mip + step.2 * SMALL);
            // Below mip 1 a margin of (2^mip − 1)/2 samples is stretched to 2^mip/2 texels. Of those mip 0 has the first
            // half at one value, and the rest, and mip 1's share, grow with the mip as the margin does.
            let moved = step.0.abs() + step.1.abs() + step.2.abs();
            prop_assert!(most(here, there) <= 4.0 * SMALL * moved + 1e-5, "{x}, {z}, mip {mip}");
        }

        /// Everywhere the layers that share are whole.
        #[test]
        fn weights_are_whole_between_texels(x in 0f32..52.0, z in 0f32..46.0, mip in 0f32..5.0) {
            let weights = atlas(&rough(53, 47, 16)).weights(x, z, mip);
            let sum = weights[0] + weights[1] + weights[3];
            prop_assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        }
    }

    /// A walk across every border and through every corner, on both sides of every whole mip.
    #[test]
    fn a_walk_meets_no_step() {
        let atlas = atlas(&rough(61, 61, 16));
        const STEP: f32 = 1.0 / 512.0;
        for mip in (0..=4).flat_map(|mip| [mip as f32, mip as f32 + 1e-4, mip as f32 + 0.5]) {
            for border in [15.0f32, 30.0, 45.0] {
                for (across, along) in [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, -1.0)] {
                    for other in [border, 7.3, 44.8] {
                        let at = |i: i32| {
                            let t = i as f32 * STEP;
                            let (x, z) = if across == 0.0 { (other, border) } else { (border, other) };
                            atlas.weights(x + across * t, z + along * t, mip)
                        };
                        for i in -20..20 {
                            let moved = most(at(i), at(i + 1));
                            assert!(moved <= 8.0 * STEP + 1e-5, "{moved} at {border}, {other}, mip {mip}");
                        }
                    }
                }
            }
        }
    }
}
