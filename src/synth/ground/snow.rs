//! Old snow: ripples that wind has driven, steep to its lee, over soft drifts; fine grain, and nothing that glitters.

use super::canvas::{Canvas, Colour, Texel, blend, lit};
use super::finish::Finish;
use super::pattern::Lattice;
use crate::synth::field::{Step, Work};
use crate::synth::noise::{Noise, smoothstep};

const WHITE: Colour = [0.815, 0.82, 0.83];
const SHADE: Colour = [0.74, 0.775, 0.83];

pub(super) fn paint(n: usize, metres: f32, seed: u64, work: &mut Work) -> Step<(Canvas, Finish)> {
    let canvas = Canvas::new(n, metres, work, |u, v| snow(seed, u, v))?;
    let how = Finish { luminance: 0.805, cavity: 0.22, dirt: 0.06, steepest: 0.8, even: 1.0 };
    Ok((canvas, how))
}

fn snow(seed: u64, u: f32, v: f32) -> Texel {
    let warp = Lattice::turned(7, 3).octaves(Noise::new(seed, 1), u, v, 3, 0.5);
    let drift = Lattice::turned(6, 5).octaves(Noise::new(seed, 2), u, v, 3, 0.5);
    // Ripples run across the picture; each leans, since its crest lags behind its foot.
    let ripple = |lag: f32| {
        let (ru, rv) = (u + 0.025 * warp, v + 0.020 * warp + lag);
        let broad = Lattice::stretched(8, 27, 3).noise(Noise::new(seed, 3), ru, rv);
        let fine = Lattice::stretched(19, 61, 5).noise(Noise::new(seed, 6), ru, rv + 0.4 * lag);
        (broad, fine)
    };
    let (foot, _) = ripple(0.0);
    let (broad, fine) = ripple(0.013 * foot);
    // Crests are sharper than troughs.
    let crest = broad + 0.5 * broad * broad.abs();
    let scoured = smoothstep(-0.6, 0.6, drift);
    let grain = Lattice::turned(190, 83).octaves(Noise::new(seed, 4), u, v, 2, 0.9);
    let soft = Lattice::turned(31, 12).octaves(Noise::new(seed, 5), u, v, 3, 0.65);
    let height = 0.022 * drift
        + (0.010 + 0.008 * scoured) * crest
        + (0.002 + 0.004 * scoured) * fine
        + 0.0030 * soft
        + 0.0006 * grain;
    let albedo = blend(SHADE, WHITE, (0.55 + 0.4 * crest + 0.3 * drift).clamp(0.0, 1.0));
    Texel { height, albedo: lit(albedo, 1.0 + 0.015 * grain), roughness: 0.62 + 0.06 * soft + 0.04 * grain }
}
