//! Sharing a whole among layers, by the largest remainder.

use super::Weights;

/// Shares 255 by the amounts of the layers outside `over`: each part is rounded down, and what is left goes to the parts
/// that lost the most, of equal ones to the first. No amount at all is all of the first of them. Layers in `over` keep
/// their amounts, up to 255. One layer at least is outside `over`.
pub(crate) fn share<T: Copy + Into<u32>>(amounts: &[T], over: u32, bytes: &mut [u8]) {
    const WHOLE: u64 = Weights::WHOLE as u64;
    let shares = |layer: usize| over >> layer & 1 == 0;
    let amount = |layer: usize| u64::from(amounts[layer].into());
    let sum: u64 = (0..amounts.len()).filter(|&layer| shares(layer)).map(amount).sum();
    if sum == 0 {
        (0..amounts.len())
            .for_each(|layer| bytes[layer] = if shares(layer) { 0 } else { amount(layer).min(WHOLE) as u8 });
        bytes[first_shared(over)] = Weights::WHOLE;
        return;
    }
    // Sums over the samples of a mip are 255 times a power of two: they are shifted, since a division takes long.
    let halvings = sum.trailing_zeros();
    let part_of = |amount: u64| match sum >> halvings == WHOLE {
        true => (amount >> halvings, amount & ((1 << halvings) - 1)),
        false => (amount * WHOLE / sum, amount * WHOLE % sum),
    };
    let mut lost = [0; Weights::MAX_LAYERS as usize];
    let mut left = WHOLE;
    for (layer, byte) in bytes.iter_mut().enumerate() {
        *byte = match amount(layer) {
            amount if !shares(layer) => amount.min(WHOLE) as u8,
            0 => 0,
            amount => {
                let (part, rest) = part_of(amount);
                lost[layer] = rest;
                left -= part;
                part as u8
            }
        };
    }
    // What is left is what they lost together, less than one each: more of them lost something than there is to give.
    for _ in 0..left {
        let lost_most = |most, layer| if lost[layer] > lost[most] { layer } else { most };
        let layer = (1..amounts.len()).fold(0, lost_most);
        lost[layer] = 0;
        bytes[layer] += 1;
    }
}

/// The first layer outside `over`: it has whatever nothing lies on.
pub(crate) fn first_shared(over: u32) -> usize {
    over.trailing_ones() as usize
}
