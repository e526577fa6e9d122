use super::*;
use crate::field::{Sample, SampleRect};
use proptest::prelude::*;

const SIDE: u32 = 16;

fn field(weights: Option<Weights>, regions: Option<Weights>) -> Field {
    let mut field = Field::new(FieldDesc::new(20, 18).with_tile_samples(SIDE)).unwrap();
    field.set_weights(weights).unwrap();
    field.set_regions(regions).unwrap();
    field
}

fn noise(layers: u32, over: u32, seed: u32) -> Weights {
    let amounts: Vec<u16> = (0..20 * 18 * layers)
        .map(|i| {
            ((i ^ seed).wrapping_mul(0x9E37_79B1).rotate_left(13).wrapping_mul(0x85EB_CA77) >> 24) as u16
        })
        .collect();
    Weights::of_amounts_with(20, 18, layers, over, &amounts).unwrap()
}

fn written(blocks: &WeightBlocks<'_>, tile: TileId) -> Vec<u8> {
    let mut chain = vec![1; blocks.bytes()];
    write_weight_block(blocks, tile, &mut chain);
    chain
}

/// All pages of a texel.
fn texel(blocks: &WeightBlocks<'_>, chain: &[u8], mip: u32, x: u32, z: u32) -> Vec<u8> {
    let sizes = MipChain { side: SIDE };
    let at = 4 * (sizes.offset(mip) + (z * sizes.side_at(mip) + x) as usize);
    chain.chunks_exact(blocks.page_bytes()).flat_map(|page| page[at..at + 4].to_vec()).collect()
}

#[test]
fn pages_hold_four_layers_each_and_padding_repeats_the_edge() {
    let field = field(Some(noise(6, 0b10, 7)), Some(noise(3, 0, 9)));
    let blocks = WeightBlocks::new(&field, 2);
    assert_eq!((blocks.all_pages(), blocks.bytes()), (3, 3 * 4 * 341));
    let chain = written(&blocks, TileId::new(1, 1));
    let expected = |x: u32, z: u32| {
        let at = Sample::new((15 + x).min(19), (15 + z).min(17));
        let (weights, regions) = (field.weights().unwrap().at(at), field.regions().unwrap().at(at));
        [weights, &[0, 0], regions, &[0]].concat()
    };
    for (x, z) in (0..SIDE).flat_map(|z| (0..SIDE).map(move |x| (x, z))) {
        assert_eq!(texel(&blocks, &chain, 0, x, z), expected(x, z), "{x}, {z}");
    }
}

/// Every mip is the exact average, shared: whole, each part within 1 of it, and what is laid over within a half.
#[test]
fn mips_are_averages_that_stay_whole() {
    for (layers, over) in [(4, 0), (4, 0b0100), (13, 0b1_0000_0010_0001)] {
        let field = field(Some(noise(layers, over, layers)), Some(noise(4, 0, 5)));
        let blocks = WeightBlocks::new(&field, layers.div_ceil(4));
        let chain = written(&blocks, TileId::new(0, 0));
        for mip in 0..=4u32 {
            let (side, size) = (SIDE >> mip, 1 << mip);
            for (x, z) in (0..side).flat_map(|z| (0..side).map(move |x| (x, z))) {
                let found = texel(&blocks, &chain, mip, x, z);
                let slots = blocks.slots();
                let mut sums = vec![0u32; found.len()];
                for (dx, dz) in (0..size).flat_map(|dz| (0..size).map(move |dx| (dx, dz))) {
                    let fine = texel(&blocks, &chain, 0, size * x + dx, size * z + dz);
                    sums.iter_mut().zip(fine).for_each(|(sum, byte)| *sum += u32::from(byte));
                }
                let shared = |layer: &usize| over >> layer & 1 == 0;
                let sum: u32 = (0..slots).filter(shared).map(|layer| u32::from(found[layer])).sum();
                assert_eq!(sum, 255, "mip {mip} at {x}, {z}");
                assert_eq!(found[slots..].iter().map(|&byte| u32::from(byte)).sum::<u32>(), 255);
                for (layer, (&byte, sum)) in found.iter().zip(sums).enumerate() {
                    let off = (f64::from(byte) - f64::from(sum) / f64::from(size * size)).abs();
                    assert!(if shared(&layer) || layer >= slots { off < 1.0 } else { off <= 0.5 });
                }
            }
        }
    }
}

#[test]
fn a_field_without_weights_is_all_of_the_first_layer() {
    let field = field(None, None);
    let blocks = WeightBlocks::new(&field, 1);
    assert!(written(&blocks, TileId::new(1, 0)).chunks_exact(4).all(|texel| texel == [255, 0, 0, 0]));
    let over = WeightBlocks { over: 1, ..blocks };
    assert!(written(&over, TileId::new(1, 0)).chunks_exact(4).all(|texel| texel == [0, 255, 0, 0]));
    let two = [[2; MAX_LAYERS]];
    let remapped = WeightBlocks { remap: &two, ..blocks };
    assert!(written(&remapped, TileId::new(1, 0)).chunks_exact(4).all(|texel| texel == [0, 0, 255, 0]));
}

fn identity() -> [u8; MAX_LAYERS] {
    std::array::from_fn(|layer| layer as u8)
}

/// Each region moves its own share of a layer to the one that stands for it.
#[test]
fn layers_stand_for_others_where_their_region_lies() {
    let mut weights = Weights::new(20, 18, 3, 0).unwrap();
    weights.edit(SampleRect::new(0, 0, 20, 18), |_, row| {
        row.chunks_exact_mut(3).for_each(|sample| sample.copy_from_slice(&[100, 155, 0]))
    });
    let mut regions = Weights::new(20, 18, 2, 0).unwrap();
    regions.set(Sample::new(1, 0), &[0, 255]);
    regions.set(Sample::new(2, 0), &[51, 204]);
    let field = field(Some(weights), Some(regions));
    let mut second = identity();
    second[1] = 2;
    let tables = [identity(), second];
    let blocks = WeightBlocks { remap: &tables, ..WeightBlocks::new(&field, 1) };
    let chain = written(&blocks, TileId::new(0, 0));
    assert_eq!(texel(&blocks, &chain, 0, 0, 0), [100, 155, 0, 0, 255, 0, 0, 0]);
    assert_eq!(texel(&blocks, &chain, 0, 1, 0), [100, 0, 155, 0, 0, 255, 0, 0]);
    assert_eq!(texel(&blocks, &chain, 0, 2, 0), [100, 31, 124, 0, 51, 204, 0, 0]);
    // Without regions the first set is all there is.
    let alone = WeightBlocks { regions: None, with_regions: false, remap: &tables[1..], ..blocks };
    let chain = written(&alone, TileId::new(0, 0));
    assert_eq!(texel(&alone, &chain, 0, 0, 0), [100, 0, 155, 0]);
}

#[test]
fn what_a_material_lays_over_shares_nothing_whatever_the_field_has() {
    let mut weights = Weights::new(20, 18, 3, 0).unwrap();
    weights.set(Sample::new(0, 0), &[50, 100, 105]);
    weights.set(Sample::new(1, 0), &[0, 0, 255]);
    let field = field(Some(weights), None);
    let blocks = WeightBlocks { over: 0b100, ..WeightBlocks::new(&field, 1) };
    let chain = written(&blocks, TileId::new(0, 0));
    assert_eq!(texel(&blocks, &chain, 0, 0, 0), [85, 170, 105, 0]);
    assert_eq!(texel(&blocks, &chain, 0, 1, 0), [255, 0, 255, 0]);
}

proptest! {
    /// Whatever tables and masks a material has, every texel of every mip is whole.
    #[test]
    fn every_texel_is_whole(
        layers in 1u32..=8, field_over: u8, over: u8, seed: u32, sets in 0usize..=4,
        tables in prop::array::uniform4(prop::array::uniform16(0u8..8)),
    ) {
        let field_over = u32::from(field_over) & ((1 << layers) - 1) & !(1 << (seed % layers));
        let over = u32::from(over) & !(1 << (seed % 8));
        let field = field(Some(noise(layers, field_over, seed)), Some(noise(4, 0, !seed)));
        let blocks = WeightBlocks { over, remap: &tables[..sets], ..WeightBlocks::new(&field, 2) };
        for tile in [TileId::new(0, 0), TileId::new(1, 1)] {
            let chain = written(&blocks, tile);
            for at in (0..341).map(|texel| 4 * texel) {
                let texel: Vec<u8> =
                    chain.chunks_exact(blocks.page_bytes()).flat_map(|page| page[at..at + 4].to_vec()).collect();
                let shared = (0..8).filter(|layer| over >> layer & 1 == 0);
                prop_assert_eq!(shared.map(|layer| u32::from(texel[layer])).sum::<u32>(), 255);
                prop_assert_eq!(texel[8..].iter().map(|&byte| u32::from(byte)).sum::<u32>(), 255);
            }
        }
    }
}
