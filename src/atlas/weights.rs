//! Blocks of layer weights and their mips, as bytes to upload.

use super::MipChain;
use crate::field::{Field, FieldDesc, TileId, Weights, first_shared, share};
use crate::shaders::{MAX_LAYERS, MAX_SETS};

/// Weights and regions of a texel, or sums of them.
const PARTS: usize = MAX_LAYERS + MAX_SETS;

/// What the blocks of a field's weights are made of: pages of four layers, RGBA, one after the other.
///
/// What a material makes of the weights is done here, once a sample, so that no shader has to: layers that stand for others
/// in a blend set, and layers that are laid over the others. However the field has them, every texel of every mip is whole:
/// the layers outside [`WeightBlocks::over`] are 255 together, or all of the first of them.
#[derive(Clone, Copy, Debug)]
pub struct WeightBlocks<'a> {
    /// The field's shape.
    pub desc: &'a FieldDesc,
    /// Its weights, or None for all of the first layer outside `over`.
    pub weights: Option<&'a Weights>,
    /// Its regions, or None for all of blend set 0.
    pub regions: Option<&'a Weights>,
    /// Pages of layers, 1 to 4.
    pub pages: u32,
    /// True for one more page, with the shares of up to four blend sets.
    pub with_regions: bool,
    /// The layers that are laid over the others, a bit a layer.
    pub over: u32,
    /// For each blend set, which layer stands for each: `w'[remap[k][i]] += region[k]·w[i]`, summed over the sets. Empty
    /// where every layer stands for itself.
    pub remap: &'a [[u8; MAX_LAYERS]],
}

impl<'a> WeightBlocks<'a> {
    /// The weights of a field as they are, in so many pages and, where it has regions, one more for them.
    ///
    /// # Panics
    /// Where the pages hold fewer layers than the field has.
    pub fn new(field: &'a Field, pages: u32) -> Self {
        let blocks = Self {
            desc: field.desc(),
            weights: field.weights(),
            regions: field.regions(),
            pages,
            with_regions: field.regions().is_some(),
            over: field.weights().map_or(0, Weights::over),
            remap: &[],
        };
        blocks.assert_fit();
        blocks
    }

    /// Pages of four, that of the regions included.
    pub fn all_pages(&self) -> u32 {
        self.pages + u32::from(self.with_regions)
    }

    /// Bytes of a tile's block: the chains of all pages.
    pub fn bytes(&self) -> usize {
        self.all_pages() as usize * self.page_bytes()
    }

    /// Bytes of a page: 4 for each texel of its chain.
    pub fn page_bytes(&self) -> usize {
        4 * self.chain().texels()
    }

    fn chain(&self) -> MipChain {
        MipChain { side: self.desc.tile_samples }
    }

    fn slots(&self) -> usize {
        4 * self.pages as usize
    }

    fn assert_fit(&self) {
        let (slots, layers) = (self.slots(), self.weights.map_or(1, Weights::layers) as usize);
        assert!((1..=MAX_LAYERS).contains(&slots) && layers <= slots, "{layers} layers in {slots} slots");
        assert!(self.over.trailing_ones() < slots as u32, "all layers are laid over others");
        let standing = self.remap.iter().flat_map(|table| &table[..layers]);
        assert!(
            standing.into_iter().all(|&layer| usize::from(layer) < slots),
            "a layer in no slot stands in"
        );
    }

    /// The weights and the regions of a sample, by its index in the map.
    fn sample(&self, index: usize) -> [u8; PARTS] {
        let mut parts = [0; PARTS];
        let (weights, regions) = parts.split_at_mut(MAX_LAYERS);
        match self.regions {
            None => regions[0] = Weights::WHOLE,
            Some(all) => {
                let sets = all.layers() as usize;
                regions[..sets].copy_from_slice(&all.bytes()[index * sets..][..sets]);
            }
        }
        let slots = self.slots();
        let mut bare = [0; MAX_LAYERS];
        bare[first_shared(self.over)] = Weights::WHOLE;
        let from = match self.weights {
            None => &bare[..slots],
            Some(all) => &all.bytes()[index * all.layers() as usize..][..all.layers() as usize],
        };
        if self.remap.is_empty() && self.weights.map_or(self.over, Weights::over) == self.over {
            weights[..from.len()].copy_from_slice(from);
        } else {
            share(&self.remapped(from, regions)[..slots], self.over, &mut weights[..slots]);
        }
        parts
    }

    /// What lies on a sample once layers stand for others.
    fn remapped(&self, weights: &[u8], regions: &[u8]) -> [u32; MAX_LAYERS] {
        const WHOLE: u32 = Weights::WHOLE as u32;
        let mut amounts = [0; MAX_LAYERS];
        if self.remap.is_empty() {
            amounts.iter_mut().zip(weights).for_each(|(amount, &weight)| *amount = u32::from(weight));
            return amounts;
        }
        // Without regions it is all of the first set, and a region without a table leaves layers as they are.
        for (set, &region) in regions.iter().enumerate().filter(|&(_, &region)| region > 0) {
            for (layer, &weight) in weights.iter().enumerate() {
                let stands = self.remap.get(set).map_or(layer, |table| usize::from(table[layer]));
                amounts[stands] += u32::from(region) * u32::from(weight);
            }
        }
        // What is laid over is a coverage of 255, and only what shares may be of any scale.
        for (layer, amount) in amounts.iter_mut().enumerate() {
            if self.over >> layer & 1 == 1 {
                *amount = (*amount + WHOLE / 2) / WHOLE;
            }
        }
        amounts
    }
}

/// Writes a tile's block of weights into `chain`, [`WeightBlocks::bytes`] of them: page after page, and of each its mips
/// from the finest on ([`MipChain`] says where each begins, in texels of 4 bytes). Past the map's edge the edge sample is
/// repeated.
///
/// A mip is the average, of all samples under a texel and not of rounded averages, shared anew: its layers are 255 together
/// as those of a sample are, and each is within 1 of its average.
///
/// # Panics
/// Where `chain` has another length, and where the pages hold fewer layers than there are.
pub fn write_weight_block(blocks: &WeightBlocks<'_>, tile: TileId, chain: &mut [u8]) {
    assert_eq!(chain.len(), blocks.bytes(), "bytes of a block of weights");
    blocks.assert_fit();
    let (desc, sizes) = (blocks.desc, blocks.chain());
    let side = desc.tile_samples;
    let (first_x, first_z) = (tile.x * desc.tile_quads(), tile.z * desc.tile_quads());
    let (page_bytes, slots) = (blocks.page_bytes(), blocks.slots());
    let mut block = Block { blocks, side, firsts: [0; MIPS], page_bytes, slots, chain };
    (0..=side.trailing_zeros()).for_each(|mip| block.firsts[mip as usize] = 4 * sizes.offset(mip));
    for z in 0..side {
        let row = (first_z + z).min(desc.height - 1) as usize * desc.width as usize;
        for x in 0..side.min(desc.width - first_x) {
            let parts = blocks.sample(row + (first_x + x) as usize);
            block.put(0, x, z, &parts);
        }
        let inside = side.min(desc.width - first_x);
        let edge = block.parts(inside - 1, z);
        (inside..side).for_each(|x| block.put(0, x, z, &edge));
    }
    block.reduce(side.trailing_zeros(), 0, 0);
}

/// Mips of the largest block, of 1024 samples a side.
const MIPS: usize = 11;

/// A block while it is written.
struct Block<'a> {
    blocks: &'a WeightBlocks<'a>,
    side: u32,
    /// Where each mip begins in a page.
    firsts: [usize; MIPS],
    page_bytes: usize,
    slots: usize,
    chain: &'a mut [u8],
}

impl Block<'_> {
    /// The first byte of a texel in the first page.
    fn at(&self, mip: u32, x: u32, z: u32) -> usize {
        self.firsts[mip as usize] + 4 * (z * (self.side >> mip) + x) as usize
    }

    /// Writes all pages of a texel.
    fn put(&mut self, mip: u32, x: u32, z: u32, parts: &[u8; PARTS]) {
        let mut at = self.at(mip, x, z);
        for first in (0..self.slots).step_by(4) {
            self.chain[at..at + 4].copy_from_slice(&parts[first..first + 4]);
            at += self.page_bytes;
        }
        if self.blocks.with_regions {
            self.chain[at..at + 4].copy_from_slice(&parts[MAX_LAYERS..]);
        }
    }

    /// Reads all pages of a texel of mip 0.
    fn parts(&self, x: u32, z: u32) -> [u8; PARTS] {
        let mut at = self.at(0, x, z);
        let mut parts = [0; PARTS];
        for first in (0..self.slots).step_by(4) {
            parts[first..first + 4].copy_from_slice(&self.chain[at..at + 4]);
            at += self.page_bytes;
        }
        if self.blocks.with_regions {
            parts[MAX_LAYERS..].copy_from_slice(&self.chain[at..at + 4]);
        }
        parts
    }

    /// Writes a texel of a mip and all finer ones under it, and gives the sums over its samples: 255 × 4^mip at most,
    /// which a u32 holds, so that no average is of rounded ones.
    fn reduce(&mut self, mip: u32, x: u32, z: u32) -> [u32; PARTS] {
        if mip == 0 {
            return self.parts(x, z).map(u32::from);
        }
        let mut sums = [0; PARTS];
        for (x, z) in [(2 * x, 2 * z), (2 * x + 1, 2 * z), (2 * x, 2 * z + 1), (2 * x + 1, 2 * z + 1)] {
            let finer = self.reduce(mip - 1, x, z);
            sums.iter_mut().zip(finer).for_each(|(sum, finer)| *sum += finer);
        }
        let mut amounts = sums;
        for (layer, amount) in amounts[..MAX_LAYERS].iter_mut().enumerate() {
            if self.blocks.over >> layer & 1 == 1 {
                *amount = (*amount + (1 << (2 * mip - 1))) >> (2 * mip);
            }
        }
        let (mut parts, slots) = ([0; PARTS], self.slots);
        share(&amounts[..slots], self.blocks.over, &mut parts[..slots]);
        if self.blocks.with_regions {
            share(&amounts[MAX_LAYERS..], 0, &mut parts[MAX_LAYERS..]);
        }
        self.put(mip, x, z, &parts);
        sums
    }
}

#[cfg(test)]
mod tests;
