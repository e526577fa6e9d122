//! A texture that is repeated shows as a grid from far away. Straight down over four kilometres a layer that is tiled by
//! hexagons, with a second scale, has no such grid: its picture does not look like itself a repeat further on.

use glam::DVec2;
use landform::field::{Field, FieldDesc};
use landform::plan::TerrainSettings;
use landform::splat::{Layer, Material, TextureSlot, Tiling};
use landform::synth::{GroundKind, ground_texture};
use landform_device_tests::{MadeTextures, Stage, TopDown};
use landform_harness::{Image8, shared};
use std::ops::ControlFlow;

const SIZE: u32 = 256;
/// Metres of a pixel, and pixels of a repeat.
const PIXEL: f64 = 16.0;
const REPEAT: usize = 12;
/// Repeats at the second scale.
const FAR_SCALE: usize = 5;

/// How much a picture is like itself so many pixels further on, of 1: the mean over the pixels that have both.
fn likeness(luminance: &[f64], side: usize, by: [usize; 2]) -> f64 {
    let mean = luminance.iter().sum::<f64>() / luminance.len() as f64;
    let covariance = |[x_by, z_by]: [usize; 2]| {
        let (mut sum, mut count) = (0.0, 0);
        for z in 0..side - z_by {
            for x in 0..side - x_by {
                let (here, there) = (luminance[z * side + x], luminance[(z + z_by) * side + x + x_by]);
                sum += (here - mean) * (there - mean);
                count += 1;
            }
        }
        sum / f64::from(count)
    };
    covariance(by) / covariance([0, 0])
}

fn luminance(picture: &Image8) -> Vec<f64> {
    let weigh = |[r, g, b, _]: [u8; 4]| 0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b);
    picture.pixels().map(weigh).collect()
}

#[test]
fn a_repeat_does_not_show_over_kilometres() {
    let gpu = shared();
    let desc = FieldDesc::new(513, 513).with_spacing(8.0, 8.0).with_range(0.0, 100.0);
    let mut stage = Stage::new(&gpu, Field::new(desc).unwrap(), TerrainSettings::default(), SIZE, SIZE);
    // High up, so that the light is the same everywhere, and everything is far.
    let top_down = TopDown { above: 40_000.0, ..TopDown::new(DVec2::ZERO, DVec2::splat(PIXEL), 0.0, 100.0) };
    let mut view = top_down.view(stage.viewport());
    view.preview.haze = 0.0;
    for kind in [GroundKind::Rock, GroundKind::Grass] {
        let texture = ground_texture(kind, 256, 7, &mut |_| ControlFlow::Continue(())).unwrap().unwrap();
        let mut source = MadeTextures::new(&gpu, &stage.device);
        source.add("ground", TextureSlot::Albedo, 256, &texture.albedo);
        source.add("ground", TextureSlot::Surface, 256, &texture.surface);
        source.add("ground", TextureSlot::Normal, 256, &texture.normal);
        let mut draw = |detile: bool, far_scale: usize, variation: f32| {
            let mut material = Material::default();
            material.variation.strength = variation;
            let mut layer = Layer::new("ground");
            (layer.albedo, layer.surface, layer.normal) =
                (Some("albedo".into()), Some("surface".into()), Some("normal".into()));
            layer.tiling = Tiling::new(PIXEL * REPEAT as f64).unwrap();
            (layer.detile, layer.far_scale) = (detile, far_scale as f32);
            material.layers.push(layer);
            stage.terrain.set_material(material).unwrap();
            let picture = luminance(&stage.draw_with(&view, &mut source));
            let spread = likeness(&picture, SIZE as usize, [0, 0]);
            assert!(spread == 1.0, "the picture is of one colour");
            // Of both axes the one that shows more, at the repeat of each scale.
            [REPEAT, REPEAT * FAR_SCALE].map(|by| {
                [[by, 0], [0, by]]
                    .map(|by| likeness(&picture, SIZE as usize, by))
                    .into_iter()
                    .fold(-1.0, f64::max)
            })
        };
        let plain = draw(false, 1, 0.0);
        let [hexagons, second, both] =
            [draw(true, 1, 0.0), draw(false, FAR_SCALE, 0.0), draw(true, FAR_SCALE, 0.0)];
        println!("{}: likeness at {REPEAT} and {} pixels", kind.name(), REPEAT * FAR_SCALE);
        println!(
            "  squares {plain:.3?}, hexagons {hexagons:.3?}, squares at two scales {second:.3?}, both {both:.3?}"
        );
        let varied = [draw(false, 1, 0.18), draw(true, FAR_SCALE, 0.18)];
        println!(
            "  with patches of lighter and darker ground: squares {:.3?}, both {:.3?}",
            varied[0], varied[1]
        );
        // The view does show repeats: at the scale that is drawn.
        assert!(plain[0] > 0.3 && second[1] > 0.3, "{plain:?} {second:?}");
        // With both it is like itself at neither.
        assert!(both[0].abs() <= 0.1 && both[1].abs() <= 0.1, "{both:?}");
        assert!(both[0].abs() <= plain[0] / 3.0 && both[1].abs() <= second[1] / 3.0, "{both:?}");
        // Hexagons alone take the repeat of the first scale away.
        assert!(hexagons[0].abs() <= plain[0] / 3.0, "{hexagons:?}");
    }
}
