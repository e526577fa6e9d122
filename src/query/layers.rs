//! The layers at a place.

use super::surface::Spot;
use crate::field::{Field, Quad, Sample, Weights};
use crate::splat::MAX_LAYERS;
use glam::DVec2;

/// How much of each layer lies at `place` (x east, z south, in metres of the field's frame), 0 to 1, bilinear between the
/// samples; `None` in a hole, outside the map, or where a coordinate is not finite. The layers that share are 1 together;
/// those that are laid over others ([`Weights::over`]) are a coverage each. Without weights it is all of layer 0.
///
/// It is what was painted: neither what stands higher nor what a material puts in a layer's place is in it.
pub fn weights_at(field: &Field, place: DVec2) -> Option<[f32; MAX_LAYERS]> {
    let spot = Spot::find(field, field.desc().spacing.recip(), place)?;
    let mut weights = [0.0; MAX_LAYERS];
    let Some(all) = field.weights() else {
        weights[0] = 1.0;
        return Some(weights);
    };
    let Quad { x, z } = spot.quad;
    let [north_west, north_east] = [x, x + 1].map(|x| all.at(Sample::new(x, z)));
    let [south_west, south_east] = [x, x + 1].map(|x| all.at(Sample::new(x, z + 1)));
    let mix = |a: f64, b: f64, t: f64| a * (1.0 - t) + b * t;
    for (layer, weight) in weights.iter_mut().enumerate().take(all.layers() as usize) {
        let row = |west: &[u8], east: &[u8]| mix(f64::from(west[layer]), f64::from(east[layer]), spot.east);
        let byte = mix(row(north_west, north_east), row(south_west, south_east), spot.south);
        *weight = (byte / f64::from(Weights::WHOLE)) as f32;
    }
    Some(weights)
}

/// The layer that covers most of the ground at `place`: what a footstep sounds like. `None` where [`weights_at`] is; of
/// equal layers the first.
pub fn layer_at(field: &Field, place: DVec2) -> Option<u32> {
    let weights = weights_at(field, place)?;
    Some(dominant(&weights, field.weights().map_or(0, Weights::over)))
}

/// The layer of these weights that covers the most: one that is laid over the others takes its part of what is below it,
/// and later ones lie over earlier ones. `over` has a bit a layer, as [`Weights::over`].
pub fn dominant(weights: &[f32; MAX_LAYERS], over: u32) -> u32 {
    let is_over = |layer: usize| over >> layer & 1 == 1;
    let mut covers = [0.0; MAX_LAYERS];
    let mut open = 1.0;
    for layer in (0..MAX_LAYERS).rev().filter(|&layer| is_over(layer)) {
        covers[layer] = open * weights[layer];
        open -= covers[layer];
    }
    for layer in (0..MAX_LAYERS).filter(|&layer| !is_over(layer)) {
        covers[layer] = open * weights[layer];
    }
    (1..MAX_LAYERS).fold(0, |most, layer| if covers[layer] > covers[most] { layer } else { most }) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldDesc;

    fn field() -> Field {
        let mut field = Field::new(FieldDesc::new(33, 17).with_spacing(2.0, 3.0)).unwrap();
        let mut weights = Weights::new(33, 17, 4, 0b1000).unwrap();
        weights.set(Sample::new(5, 6), &[0, 255, 0, 0]);
        weights.set(Sample::new(6, 6), &[0, 0, 255, 0]);
        weights.set(Sample::new(32, 16), &[51, 204, 0, 255]);
        field.set_weights(Some(weights)).unwrap();
        field
    }

    #[test]
    fn weights_are_bilinear_and_exact_at_samples() {
        let field = field();
        let at = |x: f64, z: f64| weights_at(&field, DVec2::new(x, z)).map(|weights| weights[..4].to_vec());
        assert_eq!(at(10.0, 18.0).unwrap(), [0.0, 1.0, 0.0, 0.0]);
        assert_eq!(at(11.0, 18.0).unwrap(), [0.0, 0.5, 0.5, 0.0]);
        assert_eq!(at(10.5, 19.5).unwrap(), [0.5, 0.375, 0.125, 0.0]);
        assert_eq!(at(64.0, 48.0).unwrap(), [0.2, 0.8, 0.0, 1.0], "the map's last sample");
        assert_eq!(at(64.1, 48.0), None);
        assert_eq!(at(f64::NAN, 0.0), None);
    }

    #[test]
    fn a_hole_has_no_layer() {
        let mut field = field();
        field.set_hole(Quad::new(5, 6), true);
        assert_eq!(layer_at(&field, DVec2::new(11.0, 19.0)), None);
        assert_eq!(layer_at(&field, DVec2::new(10.0, 18.0)), Some(1), "its border is ground");
        let bare = Field::new(FieldDesc::new(33, 17)).unwrap();
        assert_eq!(layer_at(&bare, DVec2::ONE), Some(0));
    }

    #[test]
    fn what_is_laid_over_covers() {
        let with = |pairs: &[(usize, f32)]| {
            let mut weights = [0.0; MAX_LAYERS];
            pairs.iter().for_each(|&(layer, weight)| weights[layer] = weight);
            weights
        };
        assert_eq!(dominant(&with(&[(0, 0.4), (1, 0.6)]), 0), 1);
        assert_eq!(dominant(&with(&[(0, 0.5), (1, 0.5)]), 0), 0, "of equal ones the first");
        assert_eq!(dominant(&with(&[(1, 1.0), (2, 0.4)]), 0b100), 1);
        assert_eq!(dominant(&with(&[(1, 1.0), (2, 0.6)]), 0b100), 2);
        assert_eq!(dominant(&with(&[(1, 1.0), (2, 1.0), (3, 0.6)]), 0b1100), 3, "the later lies on top");
        assert_eq!(layer_at(&field(), DVec2::new(64.0, 48.0)), Some(3));
    }
}
