//! A material as the shader reads it, for one view. What grows with the distance from the world's origin is wrapped here,
//! in f64; the shader adds metres from the camera to it.

use super::blend::first_under;
use super::{Band, BlendParams, Layer, LayerMode, Material, Tiling};
use crate::abi::{LayerConstants, MAX_LAYERS, MAX_SETS, MaterialConstants};
use glam::{DVec2, DVec3};

/// Whole cells of a lattice are counted modulo this.
const CELLS: f64 = 4096.0;

/// Rise over run beyond every slope that is drawn: a band without an upper end.
const STEEPEST: f32 = 1e9;

/// What the constants of a material need to know of a view and of the ground.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackView {
    /// The camera, world metres.
    pub(crate) camera: DVec3,
    /// The turn from the terrain's frame to the world's, radians: [`Placement::yaw`](crate::plan::Placement::yaw).
    pub(crate) yaw: f64,
    /// Metres between samples in x and in z.
    pub(crate) spacing: DVec2,
    /// How many mips finer than the geometry normals are read.
    pub(crate) normal_bias: f32,
}

/// The constants of a valid material for a view. They are finite, wherever the camera is.
pub(crate) fn pack(material: &Material, view: &PackView) -> MaterialConstants {
    // A slot past the list is read by no layer, but its scale may be divided by.
    let empty = Layer { tiling: Tiling::new(1.0).unwrap_or_default(), ..Layer::default() };
    let mut layers = [pack_layer(&empty, view.camera); MAX_LAYERS];
    for (slot, layer) in layers.iter_mut().zip(&material.layers) {
        *slot = pack_layer(layer, view.camera);
    }
    let listed = material.layers.len().min(MAX_LAYERS);
    let flags = layers[..listed].iter().fold(0, |flags, layer| flags | layer.flags[1]);
    let modes = material.layers.iter().map(|layer| layer.mode).enumerate().take(MAX_LAYERS);
    let by_height =
        modes.filter(|(_, mode)| *mode == LayerMode::Height).fold(0, |bits, (at, _)| bits | 1 << at);
    let first = first_under(material.layers.iter().map(|layer| layer.mode));
    let is_under = |slot: usize| slot == first || material.layers[slot].mode != LayerMode::Alpha;
    let slots = |is: &dyn Fn(usize) -> bool| std::array::from_fn(|slot| if is(slot) { 1.0 } else { 0.0 });

    let mut sets = [pack_set(BlendParams::default()); MAX_SETS];
    for (slot, set) in sets.iter_mut().zip(&material.sets) {
        *slot = pack_set(BlendParams::from(set));
    }

    let over = f64::from(material.slope_over);
    let (sin, cos) = view.yaw.sin_cos();
    let far_from = number(f64::from(material.far_from));
    let variation = material.variation;
    let patch = f64::from(variation.metres);
    let place = DVec2::new(view.camera.x, view.camera.z) / patch;
    let ([x, x_cell], [z, z_cell]) = (split(place.x), split(place.y));
    MaterialConstants {
        sets,
        counts: [listed as u32, material.sets.len().clamp(1, MAX_SETS) as u32, flags, by_height],
        slot_listed: slots(&|slot| slot < listed),
        slot_under: slots(&|slot| slot < listed && is_under(slot)),
        slot_first: slots(&|slot| slot == first),
        world: [number(cos), number(sin), half_base(over, view.spacing.x), half_base(over, view.spacing.y)],
        // A second scale that takes over at once would be divided by 0.
        distance_scales: [
            far_from,
            (4.0 * far_from).max(far_from + 1.0),
            number(view.normal_bias.into()),
            0.0,
        ],
        variation: [x, z, x_cell, z_cell],
        variation_scale: [number(1.0 / patch), number(variation.strength.into()), 0.0, 0.0],
        layers,
    }
}

/// Half of what slopes are measured over, in samples, and a sample at least: within one, a bilinear surface has a slope of its own
/// in every quad, and far from the map's corner a float cannot tell its ends apart.
fn half_base(metres: f64, spacing: f64) -> f32 {
    number((0.5 * metres / spacing).max(1.0))
}

fn pack_set(params: BlendParams) -> [f32; 4] {
    [params.strength, params.sharpness, params.contrast, params.bias].map(|value| number(value.into()))
}

fn pack_layer(layer: &Layer, camera: DVec3) -> LayerConstants {
    let far_scale = f64::from(layer.far_scale).max(1.0);
    let (near, near_cell) = repeats(camera, layer.tiling.metres());
    let (far, far_cell) = repeats(camera, layer.tiling.metres() * far_scale);
    let strength = if layer.normal_down { -layer.normal_strength } else { layer.normal_strength };
    let [r, g, b] = layer.tint;
    let bits = [
        (layer.triplanar, LayerConstants::TRIPLANAR),
        (layer.detile, LayerConstants::DETILE),
        (layer.slope.is_some(), LayerConstants::SLOPE),
    ];
    let bits = bits.iter().fold(0, |bits, &(set, bit)| if set { bits | bit } else { bits });
    LayerConstants {
        near,
        far,
        near_cell,
        far_cell,
        tint: [r, g, b, strength].map(|value| number(value.into())),
        slope: rise_band(layer.slope.unwrap_or_default()),
        blend: [number(layer.contrast.into()), if far_scale > 1.0 { 1.0 } else { 0.0 }, 0.0, 0.0],
        flags: [layer.mode as u32, bits, 0, 0],
    }
}

/// The camera in repeats of this many metres, and in the lattice of hexagons that hides them: Mikkelsen, *Practical
/// Real-Time Hex-Tiling*, JCGT 11(2), 2022, where a repeat is 2√3 cells and the lattice is skewed onto squares.
fn repeats(camera: DVec3, metres: f64) -> ([f32; 4], [f32; 4]) {
    let place = camera / metres;
    let near = [split(place.x)[0], split(place.z)[0], split(place.y)[0], number(1.0 / metres)];
    let root = 3.0f64.sqrt();
    let (u, v) = (2.0 * root * place.x, 2.0 * root * place.z);
    let ([x, x_cell], [z, z_cell]) = (split(u - v / root), split(v * 2.0 / root));
    (near, [x, z, x_cell, z_cell])
}

/// The fraction of a number, from 0 to below 1, and its whole part modulo [`CELLS`].
fn split(value: f64) -> [f32; 2] {
    if !value.is_finite() {
        return [0.0; 2];
    }
    let whole = value.floor();
    let fraction = (value - whole) as f32;
    // What rounds up to 1 is the beginning of the next one.
    let (fraction, whole) = if fraction < 1.0 { (fraction, whole) } else { (0.0, whole + 1.0) };
    [fraction, whole.rem_euclid(CELLS) as f32]
}

/// A band of degrees as rise over run: where it begins to show, is whole, begins to go, is gone. The shader asks
/// `smoothstep(a, b, s) * (1 - smoothstep(c, d, s))` of a slope `s`.
fn rise_band(band: Band) -> [f32; 4] {
    const LIMIT: f32 = 89.9;
    // An end below level begins under it, so that level ground has the part of the band that reaches it.
    let rise = |degrees: f32| degrees.clamp(-LIMIT, LIMIT).to_radians().tan();
    // No slope lies outside these, the level one and the vertical one among them.
    let (mut begins, mut whole) = (-2.0, -1.0);
    if band.from > 0.0 {
        whole = rise(band.from);
        begins = rise(band.from - band.soft).min(whole - apart(whole));
    }
    let (mut goes, mut gone) = (STEEPEST, 2.0 * STEEPEST);
    if band.to < LIMIT {
        goes = rise(band.to);
        gone = rise(band.to + band.soft).max(goes + apart(goes));
    }
    [begins, whole, goes, gone]
}

/// The least that two ends of a fade are apart: a hard edge, for numbers about this large.
fn apart(rise: f32) -> f32 {
    // Twice what the shader divides by at the least, so that rounding does not count.
    2e-4f32.max(1e-6 * rise.abs())
}

/// A number the shader can use: what is not finite is 0.
fn number(value: f64) -> f32 {
    if value.is_finite() { value.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32 } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Placement;
    use crate::splat::BlendSet;
    use proptest::prelude::*;

    const VIEW: PackView = PackView {
        camera: DVec3::new(12.5, 3.0, -7.25),
        yaw: 0.0,
        spacing: DVec2::new(2.0, 0.5),
        normal_bias: 1.0,
    };

    fn material(layers: Vec<Layer>) -> Material {
        Material { layers, ..Material::default() }
    }

    fn shown(slope: f32, [a, b, c, d]: [f32; 4]) -> f32 {
        let step = |from: f32, to: f32| {
            let part = ((slope - from) / (to - from)).clamp(0.0, 1.0);
            part * part * (3.0 - 2.0 * part)
        };
        step(a, b) * (1.0 - step(c, d))
    }

    #[test]
    fn every_field_is_filled() {
        let mut rock = Layer::new("rock");
        rock.mode = LayerMode::Height;
        rock.tiling = Tiling::new(2.0).unwrap();
        (rock.triplanar, rock.detile, rock.normal_down) = (true, true, true);
        (rock.contrast, rock.far_scale, rock.normal_strength) = (1.5, 5.0, 0.5);
        let mut snow = Layer::new("snow");
        snow.slope = Some(Band { to: 30.0, soft: 5.0, ..Band::default() });
        let packed = pack(&material(vec![rock, snow]), &VIEW);

        assert_eq!(packed.counts, [2, 1, 7, 1]);
        assert_eq!(
            (&packed.slot_listed[..3], &packed.slot_first[..3]),
            (&[1.0, 1.0, 0.0][..], &[1.0, 0.0, 0.0][..])
        );
        assert_eq!(packed.sets[0], [1.0, 12.0, 1.0, 0.0]);
        assert_eq!(packed.world, [1.0, 0.0, 2.0, 8.0], "4 m on either side");
        assert_eq!(packed.distance_scales, [60.0, 240.0, 1.0, 0.0]);
        assert_eq!(packed.variation_scale, [1.0 / 160.0, 0.3, 0.0, 0.0]);
        let layer = packed.layers[0];
        assert_eq!(layer.near, [0.25, 0.375, 0.5, 0.5], "12.5, −7.25 and 3 m in repeats of 2 m");
        assert_eq!(layer.far, [0.25, 0.275, 0.3, 0.1]);
        assert_eq!((layer.tint, layer.blend), ([1.0, 1.0, 1.0, -0.5], [1.5, 1.0, 0.0, 0.0]));
        assert_eq!((layer.flags, packed.layers[1].flags), ([1, 3, 0, 0], [0, 4, 0, 0]));
        let empty = packed.layers[15];
        assert_eq!((empty.near[3], empty.blend, empty.flags), (1.0, [1.0, 0.0, 0.0, 0.0], [0; 4]));
    }

    #[test]
    fn slopes_are_measured_over_two_samples_at_least() {
        let coarse = PackView { spacing: DVec2::new(30.0, 90.0), ..VIEW };
        let [.., x, z] = pack(&Material { slope_over: 0.01, ..Material::default() }, &coarse).world;
        assert_eq!([x, z], [1.0, 1.0]);
        // Where such ends are told apart on the largest map.
        assert!(12_000.4f32 + x > 12_000.4 - x);
    }

    #[test]
    fn slots_are_told_apart() {
        let of = |modes: &[LayerMode]| {
            let layers = modes.iter().map(|&mode| Layer { mode, ..Layer::new("any") });
            let packed = pack(&material(layers.collect()), &VIEW);
            let bits = |slots: [f32; MAX_LAYERS]| {
                (0..MAX_LAYERS).filter(|&at| slots[at] == 1.0).map(|at| 1 << at).sum()
            };
            [
                bits(packed.slot_listed),
                bits(packed.slot_under),
                bits(packed.slot_first),
                packed.counts[3] as usize,
            ]
        };
        let (weight, height, alpha) = (LayerMode::Weight, LayerMode::Height, LayerMode::Alpha);
        assert_eq!(of(&[alpha, height, alpha, weight]), [0b1111, 0b1010, 0b0010, 0b0010]);
        assert_eq!(
            of(&[alpha, alpha]),
            [0b11, 0b01, 0b01, 0],
            "the first lies under, where all would lie over"
        );
        assert_eq!(of(&[]), [0, 0, 1, 0]);
    }

    #[test]
    fn sets_are_counted() {
        let sharp = BlendSet { sharpness: 40.0, ..BlendSet::default() };
        let packed = pack(&Material { sets: vec![BlendSet::default(), sharp], ..Material::default() }, &VIEW);
        assert_eq!((packed.counts, packed.sets[1][1], packed.sets[3][1]), ([0, 2, 0, 0], 40.0, 12.0));
    }

    #[test]
    fn a_band_of_slopes_is_one_of_rises() {
        let band = |from: f32, to: f32, soft: f32| rise_band(Band { from, to, soft });
        let at = |degrees: f32| degrees.to_radians().tan();
        let always = rise_band(Band::default());
        assert!([0.0, 1.0, 600.0, 1e6].iter().all(|&slope| shown(slope, always) == 1.0));
        let middle = band(20.0, 40.0, 5.0);
        let expected = [(14.0, 0.0), (20.0, 1.0), (40.0, 1.0), (46.0, 0.0)];
        assert!(expected.iter().all(|&(degrees, share)| (shown(at(degrees), middle) - share).abs() < 1e-5));
        assert_eq!(shown(0.0, band(0.0, 30.0, 0.0)), 1.0, "level ground lies in a band from 0");
        assert_eq!(shown(1e5, band(30.0, 90.0, 0.0)), 1.0, "a face lies in a band to 90");
        let reaching = shown(0.0, band(10.0, 90.0, 20.0));
        assert!((0.45..0.55).contains(&reaching), "the fade reaches level ground: {reaching}");
        for hard in [band(30.0, 30.0, 0.0), band(89.0, 89.5, 0.0), band(1e-6, 1e-6, 0.0)] {
            assert!(
                hard[0] < hard[1] && hard[2] < hard[3] && hard.iter().all(|end| end.is_finite()),
                "{hard:?}"
            );
            assert_eq!(shown(hard[1], hard), 1.0);
        }
    }

    #[test]
    fn the_turn_is_the_placement_s() {
        for yaw in [0.0, 0.7, -2.5, 3.0] {
            let [cos, sin, ..] = pack(&Material::default(), &PackView { yaw, ..VIEW }).world.map(f64::from);
            let at = DVec3::new(3.0, 5.0, -8.0);
            let world = Placement { yaw, ..Placement::default() }.to_world(at);
            let turned = DVec3::new(cos * at.x + sin * at.z, at.y, -sin * at.x + cos * at.z);
            assert!(world.abs_diff_eq(turned, 1e-5), "{world} {turned}");
        }
    }

    /// How far apart two numbers are where only their places in a circle of this length count.
    fn around(a: f64, b: f64, length: f64) -> f64 {
        let apart = (a - b).rem_euclid(length);
        apart.min(length - apart)
    }

    proptest! {
        #[test]
        fn a_repeat_is_exact_far_from_the_origin(
            x in -4e6f64..4e6, z in 1e6f64..4e6, y in -1e4f64..1e4,
            relative in prop::array::uniform3(-500.0f32..500.0), tiling in 0.5f64..200.0, far_scale in 1.0f32..20.0,
        ) {
            let camera = DVec3::new(x, y, z);
            let layer = Layer { tiling: Tiling::new(tiling).unwrap(), far_scale, ..Layer::new("rock") };
            let packed = pack(&material(vec![layer]), &PackView { camera, ..VIEW });
            let place = camera + DVec3::from_array(relative.map(f64::from));
            let packed = packed.layers[0];
            let scales = [
                (packed.near, packed.near_cell, tiling),
                (packed.far, packed.far_cell, tiling * f64::from(far_scale)),
            ];
            for (repeat, cell, metres) in scales {
                // As the shader does it, in f32.
                let found = [0, 2, 1].map(|axis| relative[axis] * repeat[3]);
                for (found, (start, truth)) in found.iter().zip(repeat.iter().zip([place.x, place.z, place.y])) {
                    prop_assert!((0.0..1.0).contains(start));
                    prop_assert!(around(f64::from(start + found), truth / metres, 1.0) < 1e-4);
                }
                let (u, v) = (found[0] * 3.464_101_6, found[1] * 3.464_101_6);
                let skewed = [u - 0.577_350_27 * v, 1.154_700_5 * v];
                let (tu, tv) = (place.x / metres * 12.0f64.sqrt(), place.z / metres * 12.0f64.sqrt());
                let truth = [tu - tv / 3.0f64.sqrt(), tv * 2.0 / 3.0f64.sqrt()];
                for axis in 0..2 {
                    let found = f64::from(cell[axis] + skewed[axis]) + f64::from(cell[axis + 2]);
                    prop_assert!(around(found, truth[axis], CELLS) < 1e-3, "{found} {}", truth[axis]);
                }
            }
        }

        #[test]
        fn nothing_infinite_comes_out(camera in prop::array::uniform3(any::<f64>()), yaw in any::<f64>()) {
            let view = PackView { camera: DVec3::from_array(camera), yaw, ..VIEW };
            let packed = pack(&material(vec![Layer::new("rock")]), &view);
            // The whole structure but for its integers is floats; as floats those are small.
            let floats: &[f32] = bytemuck::cast_slice(bytemuck::bytes_of(&packed));
            prop_assert!(floats.iter().all(|value| value.is_finite()), "{packed:?}");
        }
    }
}
