//! How much of each layer lies on each sample.

use super::Sample;
use crate::{Error, Result};

/// Weights of layers, row-major, row 0 in the north: for every sample as many bytes as there are layers, which are 255
/// together, always. A sample that nothing lies on has all of layer 0.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(alias = "splat")]
#[doc(alias = "splatmap")]
pub struct Weights {
    width: u32,
    height: u32,
    layers: u32,
    bytes: Vec<u8>,
}

impl Weights {
    /// The most layers that a map may have.
    pub const MAX_LAYERS: u32 = 32;
    /// What the weights of a sample are together.
    pub const WHOLE: u8 = 255;

    /// Weights of these amounts, which need not be anything together: `width × height` samples of `layers` amounts each.
    ///
    /// # Errors
    /// [`Error::Invalid`] for no sample, for no layer or more than [`Weights::MAX_LAYERS`], and for a count of amounts that
    /// is not the map's.
    pub fn of_amounts(width: u32, height: u32, layers: u32, amounts: &[u16]) -> Result<Self> {
        Self::check(width, height, layers)?;
        let wanted = u128::from(width) * u128::from(height) * u128::from(layers);
        if amounts.len() as u128 != wanted {
            let why = format!(
                "{} amounts, but {width}×{height} samples of {layers} layers need {wanted}",
                amounts.len()
            );
            return Err(Error::invalid("layer weights", why));
        }
        let mut rows = amounts.chunks_exact(width as usize * layers as usize);
        Self::of_rows(width, height, layers, |row| {
            row.extend_from_slice(rows.next().unwrap_or_default());
            Ok(())
        })
    }

    /// The same of one row after the other: `next` adds the amounts of a row to an empty list.
    pub(crate) fn of_rows(
        width: u32,
        height: u32,
        layers: u32,
        mut next: impl FnMut(&mut Vec<u16>) -> Result<()>,
    ) -> Result<Self> {
        Self::check(width, height, layers)?;
        let mut bytes = Vec::with_capacity(width as usize * height as usize * layers as usize);
        let mut amounts = Vec::with_capacity(width as usize * layers as usize);
        for _ in 0..height {
            amounts.clear();
            next(&mut amounts)?;
            amounts.chunks_exact(layers as usize).for_each(|amounts| push_whole(&mut bytes, amounts));
        }
        Ok(Self { width, height, layers, bytes })
    }

    fn check(width: u32, height: u32, layers: u32) -> Result<()> {
        let refuse = |why: String| Err(Error::invalid("layer weights", why));
        if width == 0 || height == 0 {
            return refuse(format!("{width}×{height} samples; a map has at least one"));
        }
        if !(1..=Self::MAX_LAYERS).contains(&layers) {
            return refuse(format!("{layers} layers; a map has 1 to {}", Self::MAX_LAYERS));
        }
        Ok(())
    }

    /// Samples from west to east.
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Samples from north to south.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Layers, at least one.
    pub fn layers(&self) -> u32 {
        self.layers
    }

    /// The weights of a sample, one a layer, 255 together.
    ///
    /// # Panics
    /// Outside the map.
    pub fn at(&self, sample: Sample) -> &[u8] {
        assert!(sample.x < self.width && sample.z < self.height, "{sample:?} lies outside the map");
        let index = sample.z as usize * self.width as usize + sample.x as usize;
        &self.bytes[index * self.layers as usize..][..self.layers as usize]
    }

    /// All weights, those of a sample side by side.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Shares 255 by the amounts: each part is rounded down, and what is left goes to the parts that lost the most, of equal
/// ones to the first. No amount at all is all of the first.
fn push_whole(bytes: &mut Vec<u8>, amounts: &[u16]) {
    const WHOLE: u64 = Weights::WHOLE as u64;
    let sum: u64 = amounts.iter().map(|&amount| u64::from(amount)).sum();
    let start = bytes.len();
    if sum == 0 {
        bytes.extend(amounts.iter().map(|_| 0));
        bytes[start] = Weights::WHOLE;
        return;
    }
    bytes.extend(amounts.iter().map(|&amount| (u64::from(amount) * WHOLE / sum) as u8));
    let given: u64 = bytes[start..].iter().map(|&byte| u64::from(byte)).sum();
    let lost = |layer: usize| u64::from(amounts[layer]) * WHOLE % sum;
    // Less is left than there are layers.
    let mut taken = 0u64;
    for _ in given..WHOLE {
        let open = (0..amounts.len()).filter(|layer| taken >> layer & 1 == 0);
        let most = open.reduce(|most, layer| if lost(layer) > lost(most) { layer } else { most });
        if let Some(layer) = most {
            taken |= 1 << layer;
            bytes[start + layer] += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shared(amounts: &[u16]) -> Vec<u8> {
        let weights = Weights::of_amounts(1, 1, amounts.len() as u32, amounts).unwrap();
        weights.at(Sample::new(0, 0)).to_vec()
    }

    #[test]
    fn any_amounts_are_255_together() {
        assert_eq!(shared(&[200, 200, 200]), [85, 85, 85]);
        assert_eq!(shared(&[0, 0, 0, 0]), [255, 0, 0, 0]);
        assert_eq!(shared(&[1, 1]), [128, 127]);
        assert_eq!(shared(&[0, 65535]), [0, 255]);
        assert_eq!(shared(&[255, 0, 0, 255]), [128, 0, 0, 127]);
        assert_eq!(shared(&[7]), [255]);
    }

    #[test]
    fn what_is_no_map_is_refused() {
        assert!(Weights::of_amounts(2, 2, 0, &[]).unwrap_err().to_string().contains("1 to 32"));
        assert!(Weights::of_amounts(2, 2, 33, &[]).is_err());
        assert!(Weights::of_amounts(0, u32::MAX, 1, &[]).unwrap_err().to_string().contains("at least one"));
        assert!(Weights::of_amounts(u32::MAX, u32::MAX, 32, &[1; 32]).is_err());
        assert!(Weights::of_amounts(2, 2, 3, &[1; 11]).unwrap_err().to_string().contains("need 12"));
    }

    proptest! {
        #[test]
        fn a_share_is_within_one_of_its_part(amounts in prop::collection::vec(any::<u16>(), 1..=32)) {
            let bytes = shared(&amounts);
            let sum: f64 = amounts.iter().map(|&amount| f64::from(amount)).sum();
            prop_assert_eq!(bytes.iter().map(|&byte| u32::from(byte)).sum::<u32>(), 255);
            for (&byte, &amount) in bytes.iter().zip(&amounts) {
                prop_assert!(sum == 0.0 || (f64::from(byte) - 255.0 * f64::from(amount) / sum).abs() < 1.0);
            }
        }
    }
}
