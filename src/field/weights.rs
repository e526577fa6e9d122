//! How much of each layer lies on each sample.

use super::share::share;
use super::{Sample, SampleRect};
use crate::{Error, Result};

/// Weights of layers, row-major, row 0 in the north: for every sample as many bytes as there are layers.
///
/// Layers are of two kinds. Most *share*: together they are 255 on every sample, always. Those whose bit is set in
/// [`Weights::over`] are *laid over* them (a layer in [`LayerMode::Alpha`](crate::splat::LayerMode::Alpha)): each is a
/// coverage of its own, 0 to 255, and none of what the others share. A sample without any weight has all of the first
/// layer that is not laid over.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(alias = "splat")]
#[doc(alias = "splatmap")]
pub struct Weights {
    width: u32,
    height: u32,
    layers: u32,
    over: u32,
    bytes: Vec<u8>,
}

impl Weights {
    /// The most layers that a map may have. A field takes fewer: [`splat::MAX_LAYERS`](crate::splat::MAX_LAYERS).
    pub const MAX_LAYERS: u32 = 32;
    /// What the layers that share are together on a sample.
    pub const WHOLE: u8 = 255;

    /// Weights of samples that nothing lies on yet: all of the first layer outside `over`, a bit a layer.
    ///
    /// # Errors
    /// [`Error::Invalid`] for no sample, for no layer or more than [`Weights::MAX_LAYERS`], and where `over` has a bit past
    /// the layers, or all of them.
    pub fn new(width: u32, height: u32, layers: u32, over: u32) -> Result<Self> {
        Self::of_rows_with(width, height, layers, over, |row| {
            row.resize(width as usize * layers as usize, 0);
            Ok(())
        })
    }

    /// Weights of these amounts, which need not be anything together: `width × height` samples of `layers` amounts each.
    ///
    /// # Errors
    /// As [`Weights::of_amounts_with`].
    pub fn of_amounts(width: u32, height: u32, layers: u32, amounts: &[u16]) -> Result<Self> {
        Self::of_amounts_with(width, height, layers, 0, amounts)
    }

    /// The same with the layers in `over`, a bit a layer, laid over the others: their amounts are of 255, and clamped to it.
    ///
    /// # Errors
    /// [`Error::Invalid`] as [`Weights::new`], and for a count of amounts that is not the map's.
    pub fn of_amounts_with(width: u32, height: u32, layers: u32, over: u32, amounts: &[u16]) -> Result<Self> {
        check_shape(width, height, layers, over)?;
        let wanted = u128::from(width) * u128::from(height) * u128::from(layers);
        if amounts.len() as u128 != wanted {
            let why = format!(
                "{} amounts, but {width}×{height} samples of {layers} layers need {wanted}",
                amounts.len()
            );
            return Err(Error::invalid("layer weights", why));
        }
        let mut rows = amounts.chunks_exact(width as usize * layers as usize);
        Self::of_rows_with(width, height, layers, over, |row| {
            row.extend_from_slice(rows.next().unwrap_or_default());
            Ok(())
        })
    }

    /// As [`Weights::of_amounts`] of one row after the other: `next` adds the amounts of a row to an empty list.
    pub(crate) fn of_rows(
        width: u32,
        height: u32,
        layers: u32,
        next: impl FnMut(&mut Vec<u16>) -> Result<()>,
    ) -> Result<Self> {
        Self::of_rows_with(width, height, layers, 0, next)
    }

    /// As [`Weights::of_amounts_with`] of one row after the other: `next` adds the amounts of a row to an empty list.
    pub(crate) fn of_rows_with(
        width: u32,
        height: u32,
        layers: u32,
        over: u32,
        mut next: impl FnMut(&mut Vec<u16>) -> Result<()>,
    ) -> Result<Self> {
        check_shape(width, height, layers, over)?;
        let row = width as usize * layers as usize;
        let mut bytes = Vec::with_capacity(row * height as usize);
        let mut amounts = Vec::with_capacity(row);
        for _ in 0..height {
            amounts.clear();
            next(&mut amounts)?;
            let start = bytes.len();
            bytes.resize(start + row, 0);
            let layers = layers as usize;
            for (bytes, amounts) in bytes[start..].chunks_exact_mut(layers).zip(amounts.chunks_exact(layers))
            {
                share(amounts, over, bytes);
            }
        }
        let weights = Self { width, height, layers, over, bytes };
        weights.assert_whole(SampleRect::new(0, 0, width, height));
        Ok(weights)
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

    /// The layers that are laid over the others, a bit a layer from the lowest on; never all of them.
    pub fn over(&self) -> u32 {
        self.over
    }

    /// The weights of a sample, one a layer; those that share are 255 together.
    ///
    /// # Panics
    /// Outside the map.
    pub fn at(&self, sample: Sample) -> &[u8] {
        assert!(sample.x < self.width && sample.z < self.height, "{sample:?} lies outside the map");
        &self.bytes[self.index(sample)..][..self.layers as usize]
    }

    /// All weights, those of a sample side by side.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Gives a sample these weights, one a layer. Where the layers that share are not 255 together they are scaled to it,
    /// and none at all is all of the first of them.
    ///
    /// # Panics
    /// Outside the map, and for a count that is not that of the layers.
    pub fn set(&mut self, sample: Sample, weights: &[u8]) {
        assert_eq!(weights.len(), self.layers as usize, "a weight for each layer");
        self.edit(SampleRect::new(sample.x, sample.z, 1, 1), |_, row| row.copy_from_slice(weights));
    }

    /// Changes a rectangle of samples row by row: `change` gets each row's number in the map and its weights, those of a
    /// sample side by side, and may leave any bytes. Each sample is made whole again as [`Weights::set`] does.
    ///
    /// # Panics
    /// Where the rectangle reaches past the map.
    pub fn edit(&mut self, rect: SampleRect, mut change: impl FnMut(u32, &mut [u8])) {
        assert_eq!(rect, rect.clipped(self.width, self.height), "the edit reaches past the map");
        if rect.is_empty() {
            return;
        }
        let (layers, over) = (self.layers as usize, self.over);
        for z in rect.z0..rect.z1 {
            let start = self.index(Sample::new(rect.x0, z));
            let row = &mut self.bytes[start..start + rect.width() as usize * layers];
            change(z, row);
            row.chunks_exact_mut(layers).for_each(|weights| make_whole(weights, over));
        }
        self.assert_whole(rect);
    }

    /// The same weights with another number of layers and others of them laid over: a new layer is nowhere, and what is
    /// lost with the layers from `layers` on, or changes its kind, is shared among the others.
    ///
    /// # Errors
    /// [`Error::Invalid`] as [`Weights::new`].
    pub fn with_layers(&self, layers: u32, over: u32) -> Result<Self> {
        let mut samples = self.bytes.chunks_exact(self.layers as usize);
        let kept = self.layers.min(layers) as usize;
        Self::of_rows_with(self.width, self.height, layers, over, |row| {
            for weights in samples.by_ref().take(self.width as usize) {
                row.extend(weights[..kept].iter().map(|&weight| u16::from(weight)));
                row.extend(std::iter::repeat_n(0, layers as usize - kept));
            }
            Ok(())
        })
    }

    /// Looks at every sample: whatever was done, the layers that share are 255 together on each.
    ///
    /// # Errors
    /// [`Error::Invalid`] that names the first sample, as (column, row), of which that is not so, and the layer that takes
    /// its sum past the whole or lacks some of it.
    pub fn check(&self) -> Result<()> {
        check_shape(self.width, self.height, self.layers, self.over)?;
        let wanted = self.width as usize * self.height as usize * self.layers as usize;
        if self.bytes.len() != wanted {
            let why = format!("{} bytes; its samples and layers need {wanted}", self.bytes.len());
            return Err(Error::invalid("layer weights", why));
        }
        self.check_within(SampleRect::new(0, 0, self.width, self.height))
    }

    fn check_within(&self, rect: SampleRect) -> Result<()> {
        for z in rect.z0..rect.z1 {
            for x in rect.x0..rect.x1 {
                let broken = broken(self.at(Sample::new(x, z)), self.over);
                if let Some((layer, sum)) = broken {
                    let why = format!(
                        "layer {layer} takes the sum of sample ({x}, {z}) to {sum}, and it is {} for all layers that are \
                         not laid over",
                        Self::WHOLE
                    );
                    return Err(Error::invalid("layer weights", why));
                }
            }
        }
        Ok(())
    }

    /// What every operation ends with: costs nothing where debug assertions are off.
    fn assert_whole(&self, rect: SampleRect) {
        debug_assert_eq!(self.check_within(rect).map_err(|error| error.to_string()), Ok(()));
    }

    fn index(&self, sample: Sample) -> usize {
        (sample.z as usize * self.width as usize + sample.x as usize) * self.layers as usize
    }
}

/// Refuses what is no map.
fn check_shape(width: u32, height: u32, layers: u32, over: u32) -> Result<()> {
    let refuse = |why: String| Err(Error::invalid("layer weights", why));
    if width == 0 || height == 0 {
        return refuse(format!("{width}×{height} samples; a map has at least one"));
    }
    if !(1..=Weights::MAX_LAYERS).contains(&layers) {
        return refuse(format!("{layers} layers; a map has 1 to {}", Weights::MAX_LAYERS));
    }
    if let past @ 1.. = u64::from(over) >> layers {
        let layer = layers + past.trailing_zeros();
        return refuse(format!("layer {layer} is laid over the others, and there are {layers} layers"));
    }
    if over.count_ones() == layers {
        return refuse(format!(
            "all {layers} layers are laid over others; leave one that is not, for them to lie on"
        ));
    }
    Ok(())
}

/// Scales the layers that share to 255 together, where they are not.
fn make_whole(weights: &mut [u8], over: u32) {
    if broken(weights, over).is_some() {
        let mut amounts = [0; Weights::MAX_LAYERS as usize];
        let amounts = &mut amounts[..weights.len()];
        amounts.copy_from_slice(weights);
        share(amounts, over, weights);
    }
}

/// The layer that takes a sample past the whole, or the last where some is lacking, and the sum of those that share.
fn broken(weights: &[u8], over: u32) -> Option<(usize, u32)> {
    let shared = || weights.iter().enumerate().filter(|&(layer, _)| over >> layer & 1 == 0);
    let sum = shared().map(|(_, &weight)| u32::from(weight)).sum();
    if sum == u32::from(Weights::WHOLE) {
        return None;
    }
    let mut so_far = 0;
    let past = shared().find(|&(_, &weight)| {
        so_far += u32::from(weight);
        so_far > u32::from(Weights::WHOLE)
    });
    past.or_else(|| shared().next_back()).map(|(layer, _)| (layer, sum))
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

    #[test]
    fn what_is_laid_over_shares_nothing() {
        let shared = |over, amounts: &[u16]| {
            let weights = Weights::of_amounts_with(1, 1, amounts.len() as u32, over, amounts).unwrap();
            weights.at(Sample::new(0, 0)).to_vec()
        };
        assert_eq!(shared(0b010, &[100, 40, 100]), [128, 40, 127]);
        assert_eq!(
            shared(0b011, &[0, 900, 0]),
            [0, 255, 255],
            "the first that is not laid over has the rest"
        );
        let says = |layers, over, part: &str| {
            let text = Weights::new(2, 2, layers, over).unwrap_err().to_string();
            assert!(text.contains(part), "{text}");
        };
        says(2, 0b11, "leave one");
        says(2, 0b100, "layer 2 is laid over");
        says(32, u32::MAX, "all 32 layers");
    }

    #[test]
    fn a_broken_sample_is_named() {
        let mut weights = Weights::new(20, 50, 5, 0b10000).unwrap();
        weights.check().unwrap();
        let index = weights.index(Sample::new(12, 40));
        let mut says = |sample: [u8; 5], part: &str| {
            weights.bytes[index..index + 5].copy_from_slice(&sample);
            let text = weights.check().unwrap_err().to_string();
            assert!(text.contains(part) && text.contains("sample (12, 40)"), "{text}");
        };
        says([200, 40, 10, 9, 77], "layer 3 takes the sum of sample (12, 40) to 259");
        says([200, 40, 10, 4, 77], "layer 3 takes the sum of sample (12, 40) to 254");
        says([0, 0, 0, 0, 255], "to 0");
    }

    #[test]
    fn edits_leave_whole_samples() {
        let mut weights = Weights::new(4, 3, 3, 0b100).unwrap();
        assert_eq!(weights.at(Sample::new(3, 2)), [255, 0, 0]);
        weights.set(Sample::new(1, 1), &[10, 30, 99]);
        assert_eq!(weights.at(Sample::new(1, 1)), [64, 191, 99]);
        weights.edit(SampleRect::new(1, 1, 2, 2), |z, row| {
            assert_eq!(row.len(), 6);
            row.fill(if z == 1 { 0 } else { 100 });
        });
        assert_eq!(weights.at(Sample::new(1, 1)), [255, 0, 0], "what is left empty has the first layer");
        assert_eq!(weights.at(Sample::new(2, 2)), [128, 127, 100]);
        assert_eq!(weights.at(Sample::new(3, 2)), [255, 0, 0], "beside the edit");
        weights.edit(SampleRect::new(4, 3, 0, 0), |_, _| panic!("nothing to edit"));
    }

    #[test]
    fn layers_come_and_go() {
        let weights = Weights::of_amounts(2, 1, 3, &[255, 0, 0, 100, 100, 55]).unwrap();
        let more = weights.with_layers(5, 0b11000).unwrap();
        assert_eq!(more.at(Sample::new(1, 0)), [100, 100, 55, 0, 0]);
        assert_eq!((more.layers(), more.over()), (5, 0b11000));
        assert_eq!(more.with_layers(3, 0).unwrap(), weights);
        assert_eq!(weights.with_layers(2, 0).unwrap().at(Sample::new(1, 0)), [128, 127]);
        assert_eq!(weights.with_layers(3, 0b100).unwrap().at(Sample::new(1, 0)), [128, 127, 55]);
        let last = Weights::of_amounts(1, 1, 2, &[0, 1]).unwrap();
        assert_eq!(last.with_layers(1, 0).unwrap().at(Sample::new(0, 0)), [255]);
        assert!(weights.with_layers(0, 0).is_err());
    }

    proptest! {
        /// Whatever is done, in whatever order, every sample stays whole.
        #[test]
        fn any_operations_leave_whole_samples(
            layers in 2u32..=16, over: u32, seed in prop::collection::vec(any::<u8>(), 64),
            other in (1u32..=16, any::<u32>()),
        ) {
            // Never all of them.
            let mask = |layers: u32, over: u32| over & ((1 << layers) - 1) & !(1 << (over % layers));
            let mut weights = Weights::new(9, 7, layers, mask(layers, over)).unwrap();
            let rect = SampleRect::new(u32::from(seed[0]) % 9, u32::from(seed[1]) % 7, 5, 5).clipped(9, 7);
            let mut bytes = seed.iter().cycle();
            weights.edit(rect, |_, row| row.iter_mut().for_each(|byte| *byte = *bytes.next().unwrap()));
            weights.check().unwrap();
            let fewer = weights.with_layers(other.0, mask(other.0, other.1)).unwrap();
            fewer.check().unwrap();
            let mut same = weights.clone();
            same.edit(rect, |_, _| {});
            prop_assert_eq!(&same, &weights, "what is whole is left alone");
        }

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
