//! A layer on a band of slopes does not swim under a camera that flies: what a place shows stays what it shows, for its slope
//! is differenced over a fixed distance of the world on the mip that its level field says. Read from the samples themselves
//! it would flicker, since a far pixel is wider than they are apart.

use glam::{DMat4, DVec2, DVec3, Vec2};
use landform::abi::{MaterialConstants, ViewConstants};
use landform::atlas::HeightAtlas;
use landform::field::{Field, SampleRect, Weights};
use landform::lod::level_field;
use landform::lod::place::distance_at;
use landform::plan::{TerrainSettings, View, ViewMode};
use landform::query;
use landform::splat::{Band, Layer, LayerMode, Material};
use landform_device_tests::{MadeTextures, Stage, hills, pixel_ray, random};
use landform_harness::{OffscreenDesc, shared};

const SIZE: [u32; 2] = [96, 54];
const FRAMES: u32 = 120;
const SAMPLES: u32 = 1025;
/// Light of the two layers, of 255: dark earth and pale rock.
const EARTH: f64 = 40.0;
const ROCK: f64 = 200.0;

/// Earth, and rock over it where it is steep.
fn material() -> Material {
    let mut material = Material::default();
    material.variation.strength = 0.0;
    let mut earth = Layer::new("earth");
    earth.tint = [0.15; 3];
    let mut rock = Layer::new("rock");
    (rock.tint, rock.mode) = ([0.75; 3], LayerMode::Alpha);
    rock.slope = Some(Band { from: 20.0, soft: 10.0, ..Band::default() });
    material.layers.extend([earth, rock]);
    material
}

/// Hills with noise of up to two metres from sample to sample.
fn ground() -> Field {
    let mut field = hills(SAMPLES, SAMPLES);
    let mut next = random(3);
    let most = 2.0 / field.desc().range.metres_per_code();
    field.edit(SampleRect::new(0, 0, SAMPLES, SAMPLES), |_, row| {
        for code in row {
            *code = (f64::from(*code) + most * f64::from(next()) / f64::from(u32::MAX)).min(65535.0) as u16;
        }
    });
    let count = (SAMPLES * SAMPLES) as usize;
    let weights = Weights::of_amounts_with(SAMPLES, SAMPLES, 2, 2, &[255, 255].repeat(count));
    field.set_weights(Some(weights.unwrap())).unwrap();
    field
}

/// Where the picture has a place of the world: pixels, and nothing beside the picture.
fn pixel_of(view: &View, place: DVec3) -> Option<DVec2> {
    let turned = view.rotation.as_dquat().inverse() * (place - view.position);
    let projection: DMat4 = view.projection.as_dmat4();
    let clip = projection * turned.extend(1.0);
    let at = clip.truncate() / clip.w;
    let [width, height] = SIZE.map(f64::from);
    let at = DVec2::new((0.5 + 0.5 * at.x) * width, (0.5 - 0.5 * at.y) * height);
    let inside = clip.w > 0.0 && at.min_element() > 2.0 && at.x < width - 2.0 && at.y < height - 2.0;
    inside.then_some(at)
}

/// λ at a place in samples.
fn lambda_at(view: &ViewConstants, place: Vec2) -> f32 {
    let distance = distance_at(view, place);
    let level = view.bands.iter().position(|band| distance < band.end).unwrap_or(0);
    level as f32 + level_field::morph(distance, view.bands[level])
}

/// How much of the rock shows at a place in samples, with its slope read at a mip.
fn rock_at(
    atlas: &HeightAtlas,
    view: &ViewConstants,
    material: &MaterialConstants,
    place: Vec2,
    mip: f32,
) -> f64 {
    let [.., across, down] = material.world;
    let rise = |by: Vec2| {
        let (low, high) = ((place - by).max(Vec2::ZERO), (place + by).min(Vec2::splat((SAMPLES - 1) as f32)));
        let metres =
            (atlas.height(high.x, high.y, mip) - atlas.height(low.x, low.y, mip)) * view.camera_height[2];
        metres / ((high - low) * Vec2::new(view.spacing[0], view.spacing[1])).length()
    };
    let slope = rise(Vec2::new(across, 0.0)).hypot(rise(Vec2::new(0.0, down)));
    let [begins, whole, goes, gone] = material.layers[1].slope;
    let smooth = |from: f32, to: f32, at: f32| {
        let part = ((at - from) / (to - from)).clamp(0.0, 1.0);
        part * part * (3.0 - 2.0 * part)
    };
    f64::from(smooth(begins, whole, slope) * (1.0 - smooth(goes, gone, slope)))
}

/// The light of a patch of the world, 8 m wide: the mean of what a picture shows at nine places of it.
fn patch(view: &View, field: &Field, middle: DVec2, at_pixel: impl Fn(u32, u32) -> f64) -> Option<f64> {
    let mut sum = 0.0;
    for (east, south) in (0..9).map(|at| (f64::from(at % 3 - 1), f64::from(at / 3 - 1))) {
        let place = middle + 4.0 * DVec2::new(east, south);
        let at = pixel_of(view, DVec3::new(place.x, query::height_at(field, place)?, place.y))? - 0.5;
        let (x, y) = (at.x as u32, at.y as u32);
        let (across, down) = (at.x.fract(), at.y.fract());
        let row = |y: u32| at_pixel(x, y) * (1.0 - across) + at_pixel(x + 1, y) * across;
        sum += row(y) * (1.0 - down) + row(y + 1) * down;
    }
    Some(sum / 9.0)
}

fn deviation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64).sqrt()
}

/// The root of the mean of squares, and the most, over all patches.
fn summary(deviations: &[f64]) -> [f64; 2] {
    let squares = deviations.iter().map(|value| value * value).sum::<f64>() / deviations.len() as f64;
    [squares.sqrt(), deviations.iter().copied().fold(0.0, f64::max)]
}

/// Frames that fly toward a place, a metre a frame, from so far south of it, and look at it. Each is a tenth of the width
/// and the height of a picture of 960 × 540 pixels, so that level of detail is that of one.
fn flight(stage: &Stage, target: DVec3, distance: f64) -> Vec<View> {
    let views = (0..FRAMES).map(|frame| {
        let along = f64::from(frame);
        let position =
            DVec3::new(target.x - 30.0 + 0.3 * along, 200.0 + 0.15 * distance, target.z + distance - along);
        let to = (target - position).normalize();
        let rotation = View::looking(to.x.atan2(-to.z) as f32, to.y.asin() as f32);
        let mut view = View::perspective(position, rotation, 0.115, 0.1, stage.viewport());
        (view.preview.haze, view.preview.mode) = (0.0, ViewMode::Weights);
        view
    });
    views.collect()
}

/// Patches around a place that every frame sees.
fn patches(field: &Field, views: &[View], target: DVec3, count: usize) -> Vec<DVec2> {
    let mut next = random(5);
    let mut unit = move || f64::from(next()) / f64::from(u32::MAX);
    let seen = |middle: DVec2| {
        views.iter().step_by(7).all(|view| {
            let Some(height) = query::height_at(field, middle) else { return false };
            let along = DVec3::new(middle.x, height, middle.y) - view.position;
            let hit = query::raycast(field, view.position, along.normalize(), f64::INFINITY);
            hit.is_some_and(|hit| (hit.distance - along.length()).abs() < 4.0)
        }) && views.iter().all(|view| patch(view, field, middle, |_, _| 0.0).is_some())
    };
    let mut found = Vec::new();
    for _ in 0..20_000 {
        let middle = DVec2::new(target.x, target.z) + 160.0 * DVec2::new(unit() - 0.5, unit() - 0.5);
        if found.len() < count && seen(middle) {
            found.push(middle);
        }
    }
    found
}

/// What patches show in each frame: on the device, on the CPU at λ, and on the CPU at the finest mip.
fn record(stage: &mut Stage, atlas: &HeightAtlas, views: &[View], middles: &[DVec2]) -> [Vec<Vec<f64>>; 3] {
    let field = stage.terrain.field().clone();
    let mut none = MadeTextures::new(stage.gpu(), &stage.device);
    let mut light = [0; 3].map(|_| vec![Vec::new(); middles.len()]);
    let colours = layer_colours();
    for view in views {
        let plan = stage.terrain.plan(&[*view], stage.renderer.residency()).unwrap();
        let (constants, material) = (plan.views[0].constants, plan.views[0].material);
        let shares = stage.draw_light(view, &mut none);
        // Of two colours in one light the ratio of two channels says how much of each there is.
        let share = |[r, _, b]: [f32; 3]| {
            let ([r0, _, b0], [r1, _, b1]) = (colours[0], colours[1]);
            let (r, b) = (f64::from(r), f64::from(b));
            // (r0 + s (r1 − r0)) / (b0 + s (b1 − b0)) = r / b.
            ((r * b0 - b * r0) / (b * (r1 - r0) - r * (b1 - b0))).clamp(0.0, 1.0)
        };
        let mixed = |share: f64| EARTH + (ROCK - EARTH) * share;
        let at_mip = |x: u32, y: u32, fixed: Option<f32>| {
            let along = pixel_ray(view, DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5));
            let hit = query::raycast(&field, view.position, along, f64::INFINITY);
            let place = hit.map(|hit| DVec2::new(hit.position.x / 2.0, hit.position.z / 2.0).as_vec2());
            place.map_or(EARTH, |place| {
                let mip = fixed.unwrap_or_else(|| lambda_at(&constants, place));
                mixed(rock_at(atlas, &constants, &material, place, mip))
            })
        };
        for (index, &middle) in middles.iter().enumerate() {
            let on_device = |x: u32, y: u32| mixed(share(shares[(y * SIZE[0] + x) as usize]));
            let found = [
                patch(view, &field, middle, on_device),
                patch(view, &field, middle, |x, y| at_mip(x, y, None)),
                patch(view, &field, middle, |x, y| at_mip(x, y, Some(0.0))),
            ];
            for (list, value) in light.iter_mut().zip(found) {
                list[index].extend(value);
            }
        }
    }
    light
}

#[test]
fn bands_of_slopes_do_not_swim() {
    let gpu = shared();
    let field = ground();
    let atlas = HeightAtlas::new(&field);
    let color = vec![ash::vk::Format::R32G32B32A32_SFLOAT];
    let desc = OffscreenDesc { color, ..OffscreenDesc::new(SIZE[0], SIZE[1]) };
    let mut stage = Stage::with_target(&gpu, field.clone(), TerrainSettings::default(), desc);
    stage.terrain.set_material(material()).unwrap();
    let target = DVec2::new(1000.0, 420.0);
    let target = DVec3::new(target.x, query::height_at(&field, target).unwrap(), target.y);
    for distance in [1400.0, 2800.0] {
        let views = flight(&stage, target, distance);
        let middles = patches(&field, &views, target, 40);
        assert!(middles.len() >= 8, "{} patches are seen", middles.len());
        let light = record(&mut stage, &atlas, &views, &middles);
        let deviations =
            light.each_ref().map(|list| list.iter().map(|values| deviation(values)).collect::<Vec<_>>());
        let [device, level, samples] = deviations.each_ref().map(|list| summary(list));
        let means = light[0].iter().map(|values| values.iter().sum::<f64>() / values.len() as f64);
        let spread = deviation(&means.collect::<Vec<_>>());
        let lambda = [&views[0], &views[FRAMES as usize - 1]].map(|view| {
            let plan = stage.terrain.plan(&[*view], stage.renderer.residency()).unwrap();
            lambda_at(&plan.views[0].constants, DVec2::new(target.x / 2.0, target.z / 2.0).as_vec2())
        });
        println!("{distance} m, λ {lambda:.2?}: {} patches whose means are {spread:.1} apart", middles.len());
        println!(
            "  deviation over {FRAMES} frames, of 255: device {device:.2?}, CPU {level:.2?}, at samples {samples:.2?}"
        );
        assert!(spread > 10.0, "the patches differ");
        assert!(device[0] <= 2.0, "a patch's light swims by {device:?}");
        assert!(
            samples[0] >= 2.0 * device[0].max(level[0]),
            "{samples:?} from samples, {level:?} and {device:?} at λ"
        );
    }
}

/// The colours of the first two layers in the view of weights.
fn layer_colours() -> [[f64; 3]; 2] {
    [0.0f64, 1.0].map(|layer| {
        let hue = (layer * 0.618_033_99 + 0.30).fract();
        let part = if layer == 0.0 { 0.85 } else { 0.5 };
        [0.0, 0.666_666_7, 0.333_333_3].map(|offset| {
            let colour = (((hue + offset) % 1.0 * 6.0 - 3.0).abs() - 1.0).clamp(0.0, 1.0);
            let colour = 1.0 + (colour - 1.0) * part;
            0.15 + (colour - 0.15) * 0.9
        })
    })
}
