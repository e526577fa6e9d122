//! How the weights of a place become the shares of its layers: the twin of the shader's blend, equal to it
//! but for rounding.
//!
//! What is not obvious in it: a height blend looks for the highest contender, and a contender whose weight ends at a
//! line would end there at full height and leave a step. So a layer's height fades with its weight below a weight of
//! 1/32. From there on it is the plain formula, [`blend`] says which.

use super::{BlendSet, Layer, LayerMode};
use crate::shaders::MAX_LAYERS;

/// A weight at or below this is none: what a filter leaves of a layer that is not there.
pub const PRESENT: f32 = 1.0 / 1024.0;

/// From this weight on a layer's height counts in full in the search for the highest, and fades below it.
const WHOLE_HEIGHT: f32 = 1.0 / 32.0;

/// No number of a blend goes beyond this, so that none is infinite.
const LARGE: f32 = 1e6;

/// What the blend asks of a layer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LayerBlend {
    /// How it blends.
    pub mode: LayerMode,
    /// How far its blend heights lie from their middle, times; 1 leaves them as they are.
    pub contrast: f32,
}

impl From<&Layer> for LayerBlend {
    fn from(layer: &Layer) -> Self {
        Self { mode: layer.mode, contrast: layer.contrast }
    }
}

/// The numbers of a [`BlendSet`], or of several mixed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias = "HeightBlendParams")]
pub struct BlendParams {
    /// 0 is exactly the blend by weight, 1 in full by height.
    pub strength: f32,
    /// Octaves by which the lowest height gives way to the highest, 0.001 at least.
    pub sharpness: f32,
    /// How far heights lie from their middle, times; 0.001 at least.
    pub contrast: f32,
    /// What is added to heights.
    pub bias: f32,
}

impl From<&BlendSet> for BlendParams {
    fn from(set: &BlendSet) -> Self {
        Self { strength: set.strength, sharpness: set.sharpness, contrast: set.contrast, bias: set.bias }
    }
}

impl Default for BlendParams {
    fn default() -> Self {
        Self::from(&BlendSet::default())
    }
}

impl BlendParams {
    /// The average of several by weight, for a place between regions. A weight that is below 0 or no number is none;
    /// where no weight is left it is the first of the list, and the default of an empty one.
    pub fn mixed(parts: &[(f32, Self)]) -> Self {
        let weight = |weight: f32| if weight > 0.0 { weight.min(LARGE) } else { 0.0 };
        let whole: f32 = parts.iter().map(|part| weight(part.0)).sum();
        if whole <= 0.0 {
            return parts.first().map_or_else(Self::default, |part| part.1);
        }
        let mut mixed = Self { strength: 0.0, sharpness: 0.0, contrast: 0.0, bias: 0.0 };
        for (part, params) in parts.iter().filter(|part| weight(part.0) > 0.0) {
            let share = weight(*part) / whole;
            mixed.strength += params.strength * share;
            mixed.sharpness += params.sharpness * share;
            mixed.contrast += params.contrast * share;
            mixed.bias += params.bias * share;
        }
        mixed
    }

    /// The same with each number where the formula can use it.
    fn clamped(self) -> Self {
        Self {
            strength: held(self.strength, 0.0, 1.0),
            sharpness: held(self.sharpness, 0.001, LARGE),
            contrast: held(self.contrast, 0.001, LARGE),
            bias: held(self.bias, -LARGE, LARGE),
        }
    }
}

/// Turns weights into shares that are 1 together, in place: finite, not below 0 and never all 0, whatever comes in.
///
/// `weights` are 0…1 a layer and `heights` the blend heights 0…1; slots past `layers` are set to 0. `height_path` is
/// [`Splat::height`](super::Splat::height); without it, and at a strength of 0, the result is that of the weights alone,
/// bit for bit.
///
/// 1. A weight of [`PRESENT`] or less is 0. Where none of the layers that are not [`LayerMode::Alpha`] has any, the first of
///    those has all. Where all are, the first of all lies under the others.
/// 2. Heights h = clamp((h − ½) · contrast + ½ + bias, 0, 1), ½ for a layer that blends by weight. With `top` the
///    highest h · min(32 · w, 1), a layer keeps w · max(2^((h − top) · sharpness · strength), 0.02), never more than w.
/// 3. What is left is divided by its sum.
/// 4. Layers of [`LayerMode::Alpha`] are laid over it in order.
///
/// # Panics
/// For more than [`MAX_LAYERS`] layers.
#[doc(alias = "ApplyHeightBlend")]
pub fn blend(
    weights: &mut [f32; MAX_LAYERS],
    heights: &[f32; MAX_LAYERS],
    layers: &[LayerBlend],
    height_path: bool,
    params: BlendParams,
) {
    assert!(layers.len() <= MAX_LAYERS, "{} layers", layers.len());
    let params = params.clamped();
    let over = weights.map(present);
    let first = first_under(layers.iter().map(|layer| layer.mode));
    let is_under = |slot: usize| slot == first || layers[slot].mode != LayerMode::Alpha;
    let mut sum = 0.0;
    for slot in 0..MAX_LAYERS {
        weights[slot] = if slot < layers.len() && is_under(slot) { over[slot] } else { 0.0 };
        sum += weights[slot];
    }
    if sum <= 0.0 {
        weights[first] = 1.0;
    }
    if height_path && params.strength > 0.0 {
        by_height(weights, heights, layers, params);
    }
    normalise(weights);
    for slot in (0..layers.len()).filter(|&slot| !is_under(slot)) {
        // All that is there so far: the layers above in the list, and every one that is not over the others.
        let share = over[slot];
        for below in weights.iter_mut() {
            *below *= 1.0 - share;
        }
        weights[slot] = share;
    }
}

/// The layer that ground without weight is made of: the first that does not lie over the others, or the first of all.
pub(super) fn first_under(modes: impl Iterator<Item = LayerMode>) -> usize {
    modes.enumerate().find(|(_, mode)| *mode != LayerMode::Alpha).map_or(0, |(slot, _)| slot)
}

/// What counts as a weight: 0, or above [`PRESENT`] and at most 1.
fn present(weight: f32) -> f32 {
    if weight > PRESENT { weight.min(1.0) } else { 0.0 }
}

/// Within a range; what is no number is at its lower end, where `clamp` would leave it.
fn held(value: f32, low: f32, high: f32) -> f32 {
    value.max(low).min(high)
}

/// The height that a layer contends with, 0…1.
fn contending(height: f32, layer: LayerBlend, params: BlendParams) -> f32 {
    // What is no height: the shader knows no infinity that every compiler leaves in.
    let middle = layer.mode != LayerMode::Height || height.is_nan() || height.abs() >= 1e30;
    let height = if middle { 0.5 } else { height.clamp(0.0, 1.0) };
    let contrast = params.contrast * held(layer.contrast, 0.0, LARGE);
    ((height - 0.5) * contrast + 0.5 + params.bias).clamp(0.0, 1.0)
}

/// Step 2 of [`blend`].
fn by_height(
    weights: &mut [f32; MAX_LAYERS],
    heights: &[f32; MAX_LAYERS],
    layers: &[LayerBlend],
    params: BlendParams,
) {
    let mut top = 0.0f32;
    for slot in 0..layers.len() {
        if weights[slot] > 0.0 {
            let height = contending(heights[slot], layers[slot], params);
            top = top.max(height * (weights[slot] / WHOLE_HEIGHT).min(1.0));
        }
    }
    for slot in 0..layers.len() {
        if weights[slot] > 0.0 {
            let below = (contending(heights[slot], layers[slot], params) - top).min(0.0);
            let kept = (below * (params.sharpness * params.strength)).exp2();
            weights[slot] = (weights[slot] * kept).max(weights[slot] * 0.02);
        }
    }
}

/// Divides by the sum.
fn normalise(weights: &mut [f32; MAX_LAYERS]) {
    let sum = weights.iter().sum::<f32>().max(1e-6);
    for weight in weights {
        *weight /= sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HEIGHT: LayerBlend = LayerBlend { mode: LayerMode::Height, contrast: 1.0 };
    const WEIGHT: LayerBlend = LayerBlend { mode: LayerMode::Weight, contrast: 1.0 };
    const ALPHA: LayerBlend = LayerBlend { mode: LayerMode::Alpha, contrast: 1.0 };
    const FULL: BlendParams = BlendParams { strength: 1.0, sharpness: 12.0, contrast: 1.0, bias: 0.0 };

    fn slots(values: &[f32]) -> [f32; MAX_LAYERS] {
        let mut slots = [0.0; MAX_LAYERS];
        slots[..values.len()].copy_from_slice(values);
        slots
    }

    fn blended(weights: &[f32], heights: &[f32], layers: &[LayerBlend], params: BlendParams) -> Vec<f32> {
        let mut out = slots(weights);
        blend(&mut out, &slots(heights), layers, true, params);
        assert!(out[layers.len().max(1)..].iter().all(|&w| w == 0.0), "slots past the list: {out:?}");
        out[..layers.len().max(1)].to_vec()
    }

    /// The formula of the seed `height-slope-materials`, for four layers, as it stands there.
    fn four(w: [f32; 4], h: [f32; 4], params: BlendParams) -> [f32; 4] {
        let strength = params.strength.clamp(0.0, 1.0);
        if strength <= 0.0 {
            return w;
        }
        let (sharp, contrast) = (params.sharpness.max(0.001), params.contrast.max(0.001));
        let h = h.map(|h| ((h - 0.5) * contrast + 0.5 + params.bias).clamp(0.0, 1.0));
        let top = h.into_iter().fold(f32::MIN, f32::max);
        let ww: Vec<f32> =
            (0..4).map(|i| (w[i] * ((h[i] - top) * (sharp * strength)).exp2()).max(w[i] * 0.02)).collect();
        let sum = ww.iter().sum::<f32>().max(1e-6);
        std::array::from_fn(|i| ww[i] / sum)
    }

    #[test]
    fn what_stands_higher_shows_first() {
        let shares = blended(&[0.5, 0.5], &[0.2, 0.8], &[HEIGHT; 2], FULL);
        assert!(shares[1] > 0.97, "{shares:?}");
        // A layer by weight stands at a half, whatever its texture holds.
        assert_eq!(blended(&[0.5, 0.5], &[0.5, 0.9], &[HEIGHT, WEIGHT], FULL), [0.5, 0.5]);
    }

    #[test]
    fn no_weight_at_all_is_the_first_layer_alone() {
        assert_eq!(blended(&[0.0; 3], &[0.5; 3], &[HEIGHT; 3], FULL), [1.0, 0.0, 0.0]);
        assert_eq!(blended(&[PRESENT; 3], &[0.5; 3], &[WEIGHT; 3], FULL), [1.0, 0.0, 0.0]);
        assert_eq!(blended(&[0.0; 3], &[0.5; 3], &[ALPHA, WEIGHT, HEIGHT], FULL), [0.0, 1.0, 0.0]);
        assert_eq!(blended(&[0.0; 2], &[0.5; 2], &[ALPHA; 2], FULL), [1.0, 0.0]);
        assert_eq!(blended(&[0.7], &[0.5], &[], FULL), [1.0]);
    }

    #[test]
    fn alpha_lies_over_the_others_in_order() {
        let layers = [WEIGHT, ALPHA, WEIGHT, ALPHA];
        let shares = blended(&[0.6, 0.5, 0.2, 0.25], &[0.5; 4], &layers, FULL);
        let expected = [0.75 * 0.5 * 0.75, 0.5 * 0.75, 0.25 * 0.5 * 0.75, 0.25];
        assert!(shares.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-6), "{shares:?}");
        // Without anything under them the first lies under the others.
        assert_eq!(blended(&[0.5, 0.25], &[0.5; 2], &[ALPHA; 2], FULL), [0.75, 0.25]);
    }

    #[test]
    fn a_layer_that_ends_leaves_no_line() {
        // A low layer and a middling one, over which a high layer's weight goes to 0.
        let heights = [0.2, 0.4, 1.0];
        let shares = |w: f32| blended(&[0.5 - w * 0.5, 0.5 - w * 0.5, w], &heights, &[HEIGHT; 3], FULL);
        let widest = |blend: &dyn Fn(f32) -> Vec<f32>| {
            let mut widest = 0.0f32;
            for step in 0..4000 {
                let (a, b) = (blend(step as f32 / 20_000.0), blend((step + 1) as f32 / 20_000.0));
                widest = a.iter().zip(&b).fold(widest, |most, (a, b)| most.max((a - b).abs()));
            }
            widest
        };
        assert!(widest(&shares) < 0.02, "jumps by {}", widest(&shares));
        // The same without the fade: the layer ends at full height, and the floor of 0.02 under the others gives way.
        let plain = |w: f32| {
            let w = [0.5 - w * 0.5, 0.5 - w * 0.5, present(w), 0.0];
            let h = if w[2] > 0.0 { [0.2, 0.4, 1.0, 0.0] } else { [0.2, 0.4, 0.0, 0.0] };
            four(w, h, FULL).to_vec()
        };
        assert!(widest(&plain) > 0.2, "jumps by {}", widest(&plain));
    }

    #[test]
    fn regions_mix_their_numbers() {
        let low = BlendParams { strength: 0.0, sharpness: 4.0, contrast: 1.0, bias: -0.2 };
        let high = BlendParams { strength: 1.0, sharpness: 8.0, contrast: 3.0, bias: 0.2 };
        let half = BlendParams::mixed(&[(0.2, low), (0.2, high), (f32::NAN, FULL), (-1.0, FULL)]);
        assert_eq!(half, BlendParams { strength: 0.5, sharpness: 6.0, contrast: 2.0, bias: 0.0 });
        assert_eq!(BlendParams::mixed(&[(0.0, high)]), high);
        assert_eq!(BlendParams::mixed(&[]), FULL);
    }

    fn any_float() -> impl Strategy<Value = f32> {
        prop_oneof![
            4 => 0.0f32..1.0,
            1 => -1e3f32..1e3,
            1 => prop::sample::select(vec![f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, f32::MAX, PRESENT]),
        ]
    }

    fn any_layer() -> impl Strategy<Value = LayerBlend> {
        (prop::sample::select(LayerMode::ALL.to_vec()), any_float())
            .prop_map(|(mode, contrast)| LayerBlend { mode, contrast })
    }

    fn any_params() -> impl Strategy<Value = BlendParams> {
        (any_float(), any_float(), any_float(), any_float()).prop_map(
            |(strength, sharpness, contrast, bias)| BlendParams { strength, sharpness, contrast, bias },
        )
    }

    proptest! {
        #[test]
        fn it_is_the_formula_of_the_seed(
            raw in prop::array::uniform4(0.05f32..1.0), h in prop::array::uniform4(0.0f32..=1.0),
            strength in 0.0f32..=1.0, sharpness in 0.0f32..40.0, contrast in 0.0f32..4.0, bias in -0.5f32..0.5,
        ) {
            let sum: f32 = raw.iter().sum();
            let w = raw.map(|w| w / sum);
            prop_assume!(w.iter().all(|&w| w >= WHOLE_HEIGHT));
            let params = BlendParams { strength, sharpness, contrast, bias };
            let (ours, theirs) = (blended(&w, &h, &[HEIGHT; 4], params), four(w, h, params));
            for (a, b) in ours.iter().zip(theirs) {
                prop_assert!((a - b).abs() < 1e-6, "{ours:?} {theirs:?}");
            }
        }

        #[test]
        fn a_strength_of_0_is_the_blend_by_weight(
            w in prop::array::uniform16(0.0f32..1.0), h in prop::array::uniform16(any_float()),
            layers in prop::collection::vec(any_layer(), 1..=16), params in any_params(),
        ) {
            let (mut by_height, mut by_weight) = (w, w);
            blend(&mut by_height, &h, &layers, true, BlendParams { strength: 0.0, ..params });
            blend(&mut by_weight, &h, &layers, false, params);
            prop_assert_eq!(by_height.map(f32::to_bits), by_weight.map(f32::to_bits));
            if layers.iter().all(|layer| layer.mode != LayerMode::Alpha) {
                let mut plain = w.map(present);
                plain[layers.len()..].fill(0.0);
                let sum: f32 = plain.iter().sum();
                prop_assume!(sum > 0.0);
                prop_assert_eq!(by_weight.map(f32::to_bits), plain.map(|w| (w / sum).to_bits()));
            }
        }

        #[test]
        fn shares_are_1_together_whatever_comes_in(
            w in prop::array::uniform16(any_float()), h in prop::array::uniform16(any_float()),
            layers in prop::collection::vec(any_layer(), 0..=16), params in any_params(), height in any::<bool>(),
        ) {
            let mut shares = w;
            blend(&mut shares, &h, &layers, height, params);
            prop_assert!(shares.iter().all(|&share| share.is_finite() && share >= 0.0), "{shares:?}");
            prop_assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{shares:?}");
        }

        #[test]
        fn a_vanishing_weight_moves_the_shares_little(
            raw in prop::array::uniform4(0.1f32..1.0), h in prop::array::uniform4(0.0f32..=1.0),
            faint in 0.0f32..0.01,
        ) {
            let with = |faint: f32| {
                blended(&[raw[0], raw[1], raw[2], raw[3], faint], &[h[0], h[1], h[2], h[3], 1.0], &[HEIGHT; 5], FULL)
            };
            // What is left of a step is the share of a weight at PRESENT.
            let step = 1.0 / 65536.0;
            let (a, b) = (with(faint), with(faint + step));
            for (a, b) in a.iter().zip(&b) {
                prop_assert!((a - b).abs() < 0.005, "{faint}: {a} {b}");
            }
        }
    }
}
