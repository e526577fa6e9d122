//! Weights and normals do not show where tiles end: a map in small tiles is drawn as the same map in one. At the finest mip
//! to a rounding; at coarser ones, whose texels lie elsewhere, to a little, and at the borders no more than anywhere else.

use glam::{DVec2, DVec3};
use landform::atlas::{AtlasLayout, WeightAtlas, WeightBlocks};
use landform::field::{Field, FieldDesc, SampleRect, Weights};
use landform::lod::LodSettings;
use landform::plan::{TerrainSettings, View, ViewMode};
use landform::splat::{Layer, Material};
use landform_device_tests::{Stage, TopDown, hills, pixel_ray};
use landform_harness::{Image8, shared};

const SAMPLES: u32 = 769;
const SIZE: u32 = 96;
const TILES: [u32; 3] = [16, 32, 64];
const LENGTH: f64 = 140.0;

/// Flat ground with three layers in waves so many samples long, a metre a sample.
fn waves(tile_samples: u32, length: f64) -> Field {
    let desc = FieldDesc::new(SAMPLES, SAMPLES).with_tile_samples(tile_samples).with_range(0.0, 10.0);
    let mut field = Field::new(desc).unwrap();
    let amounts: Vec<u16> = (0..SAMPLES * SAMPLES)
        .flat_map(|at| {
            let turn = std::f64::consts::TAU / length;
            let (x, z) = (f64::from(at % SAMPLES) * 1.1 * turn, f64::from(at / SAMPLES) * turn);
            let first = 0.5 + 0.5 * (x + 0.7 * z.sin()).sin();
            let second = 0.5 + 0.5 * (z + 0.5 * (0.8 * x).sin()).sin();
            [first, second * (1.0 - first), (1.0 - second) * (1.0 - first)]
                .map(|part| (65535.0 * part) as u16)
        })
        .collect();
    field.set_weights(Some(Weights::of_amounts(SAMPLES, SAMPLES, 3, &amounts).unwrap())).unwrap();
    field
}

fn material() -> Material {
    let mut material = Material::default();
    material.variation.strength = 0.0;
    for (name, tint) in [("a", [0.9, 0.1, 0.1]), ("b", [0.1, 0.9, 0.1]), ("c", [0.1, 0.1, 0.9])] {
        let mut layer = Layer::new(name);
        layer.tint = tint;
        material.layers.push(layer);
    }
    material
}

/// Steps of an 8-bit target that two pictures may differ by, a mip: texels of coarse mips lie elsewhere in small tiles.
const MOST: [f64; 5] = [2.0, 4.0, 6.0, 10.0, 20.0];

/// A view, and where its pixels lie: samples, and samples from a pixel to the next.
struct Seen {
    name: String,
    view: View,
    places: Vec<Option<(DVec2, f64)>>,
}

fn straight_down(stage: &Stage, mip: u32, mode: ViewMode) -> Seen {
    let pixel = f64::from(1 << mip);
    // Off the grid of samples, so that every lookup lies between texels.
    let corner = DVec2::splat(if mip < 3 { 100.3 } else { 0.3 });
    let top_down = TopDown::new(corner, DVec2::splat(pixel), 0.0, 10.0);
    let mut view = top_down.view(stage.viewport());
    (view.preview.mode, view.preview.haze) = (mode, 0.0);
    let inside = |place: DVec2| place.max_element() < f64::from(SAMPLES - 1);
    let places = (0..SIZE * SIZE).map(|at| top_down.place(at % SIZE, at / SIZE));
    let places = places.map(|place| inside(place).then_some((place, pixel))).collect();
    Seen { name: format!("mip {mip}, {mode:?}"), view, places }
}

fn across(stage: &Stage, mode: ViewMode) -> Seen {
    let mut view = stage.view(DVec3::new(380.0, 40.0, 700.0), 10.0, -25.0);
    (view.preview.mode, view.preview.haze) = (mode, 0.0);
    let place = |x: f64, y: f64| {
        let along = pixel_ray(&view, DVec2::new(x, y));
        (along.y < -0.02).then(|| {
            let at = view.position + along * (view.position.y / -along.y);
            DVec2::new(at.x, at.z)
        })
    };
    let inside = |at: DVec2| at.min_element() > 0.0 && at.max_element() < f64::from(SAMPLES - 1);
    let places = (0..SIZE * SIZE).map(|at| {
        let (x, y) = (f64::from(at % SIZE) + 0.5, f64::from(at / SIZE) + 0.5);
        let here = place(x, y).filter(|&at| inside(at))?;
        let width = (place(x + 1.0, y)? - here).length().max((place(x, y + 1.0)? - here).length());
        Some((here, width))
    });
    let places = places.collect();
    Seen { name: format!("across, {mode:?}"), view, places }
}

/// How two pictures differ, at the borders of tiles and elsewhere: the mean and the most, in steps of a target.
#[derive(Debug, Default)]
struct Apart {
    pixels: [u32; 2],
    sum: [f64; 2],
    most: [f64; 2],
}

impl Apart {
    /// Adds a pixel that lies within a pixel of a border, or does not.
    fn add(&mut self, tile_samples: u32, (place, width): (DVec2, f64), off: f64) {
        let quads = f64::from(tile_samples - 1);
        let near = [place.x, place.y].iter().any(|at| {
            let from = at.rem_euclid(quads);
            from.min(quads - from) <= 0.5 + 0.5 * width
        });
        let which = usize::from(!near);
        self.pixels[which] += 1;
        self.sum[which] += off;
        self.most[which] = self.most[which].max(off);
    }

    fn mean(&self, which: usize) -> f64 {
        self.sum[which] / f64::from(self.pixels[which].max(1))
    }

    /// True where the two are one picture to a rounding at the finest mip, and at coarser ones to a few steps and without a
    /// line along the borders.
    fn is_seamless(&self, mip: usize) -> bool {
        let most = MOST[mip];
        let all = self.most[0].max(self.most[1]) <= most;
        // Where tiles are small and pixels large every pixel is at a border.
        let line = self.pixels[1] > self.pixels[0] / 4
            && (self.mean(0) > 1.3 * self.mean(1) + 0.25 || self.most[0] > 1.5 * self.most[1] + 2.0);
        all && !line
    }
}

/// How they differ at each mip, as far as the tile has several texels of it.
fn compare(tile_samples: u32, seen: &Seen, tiled: &Image8, whole: &Image8) -> [Apart; 5] {
    let mut apart: [Apart; 5] = Default::default();
    let coarsest = (tile_samples.ilog2() as usize - 1).min(MOST.len() - 1);
    for (at, place) in seen.places.iter().enumerate() {
        let Some(place) = *place else { continue };
        let mip = place.1.max(1.0).log2().round() as usize;
        let (x, y) = (at as u32 % SIZE, at as u32 / SIZE);
        let (a, b) = (tiled.pixel(x, y), whole.pixel(x, y));
        assert!(
            a != [255, 0, 255, 255] && b != [255, 0, 255, 255],
            "{}: pixel {x}, {y} is not drawn",
            seen.name
        );
        let off = a.iter().zip(b).map(|(&a, b)| a.abs_diff(b)).max().unwrap_or(0);
        if mip <= coarsest {
            apart[mip].add(tile_samples, place, f64::from(off));
        }
    }
    apart
}

/// The views, as functions of a stage.
fn views(stage: &Stage) -> Vec<Seen> {
    let mut views: Vec<_> = (0..=4).map(|mip| straight_down(stage, mip, ViewMode::Weights)).collect();
    views.extend([0, 2, 4].map(|mip| straight_down(stage, mip, ViewMode::Shaded)));
    views.push(across(stage, ViewMode::Weights));
    views.push(across(stage, ViewMode::Shaded));
    views
}

fn stage(gpu: &std::sync::Arc<landform_harness::Gpu>, field: Field) -> Stage {
    let mut stage = Stage::new(gpu, field, TerrainSettings::default(), SIZE, SIZE);
    stage.terrain.set_material(material()).unwrap();
    stage
}

#[test]
fn weights_have_no_seams() {
    let gpu = shared();
    let mut whole = stage(&gpu, waves(1024, LENGTH));
    let views = views(&whole);
    let pictures: Vec<_> = views.iter().map(|seen| whole.draw(&seen.view)).collect();
    drop(whole);
    let mut failed = Vec::new();
    for tile_samples in TILES {
        let mut tiled = stage(&gpu, waves(tile_samples, LENGTH));
        for (seen, whole) in views.iter().zip(&pictures) {
            let picture = tiled.draw(&seen.view);
            for (mip, apart) in compare(tile_samples, seen, &picture, whole).iter().enumerate() {
                if apart.pixels[0] < 30 {
                    continue;
                }
                let line = format!(
                    "tiles of {tile_samples}, {} at mip {mip}: at borders {:.3} (at most {}), elsewhere {:.3} (at most {}), {:?} pixels",
                    seen.name,
                    apart.mean(0),
                    apart.most[0],
                    apart.mean(1),
                    apart.most[1],
                    apart.pixels
                );
                println!("{line}");
                if !apart.is_seamless(mip) {
                    failed.push(line);
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The place whose lookup reads what a texel coordinate without the stretch across borders would: the texel is the block's
/// first and the sample in the block, and a half.
fn naive(layout: &AtlasLayout, at: f32, mip: f32, axis: usize) -> f32 {
    let quads = (layout.tile_samples - 1) as f32;
    let tile = (at / quads).floor().min((layout.tiles[axis] - 1) as f32);
    let wanted = tile * layout.tile_samples as f32 + (at - tile * quads) + 0.5;
    let (mut low, mut high) = (tile * quads, ((tile + 1.0) * quads).min(layout.quads[axis] as f32));
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if layout.weight_texel(middle, mip, axis) < wanted {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// The counterpart, on the CPU: the same comparison passes with the coordinate that the shader takes and fails without its
/// stretch across borders.
#[test]
fn without_the_stretch_there_is_a_seam() {
    let fields = [waves(1024, 70.0), waves(32, 70.0)];
    let atlases = fields.each_ref().map(|field| WeightAtlas::new(&WeightBlocks::new(field, 1)));
    let layout = *atlases[1].layout();
    let mip = 2u32;
    let pixel = f64::from(1 << mip);
    let mut apart = [Apart::default(), Apart::default()];
    for at in 0..SIZE * SIZE {
        let place =
            DVec2::splat(0.3) + pixel * DVec2::new(f64::from(at % SIZE) + 0.5, f64::from(at / SIZE) + 0.5);
        if place.max_element() >= f64::from(SAMPLES - 1) {
            continue;
        }
        let (x, z, coarse) = (place.x as f32, place.y as f32, mip as f32);
        let whole = atlases[0].weights(x, z, coarse);
        let stretched = atlases[1].weights(x, z, coarse);
        let plain = atlases[1].weights(naive(&layout, x, coarse, 0), naive(&layout, z, coarse, 1), coarse);
        for (apart, found) in apart.iter_mut().zip([stretched, plain]) {
            let off = found.iter().zip(&whole).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            apart.add(32, (place, pixel), f64::from(255.0 * off));
        }
    }
    let [stretched, plain] = &apart;
    for (name, apart) in [("stretched", stretched), ("plain", plain)] {
        let means = [apart.mean(0), apart.mean(1)];
        println!("mip {mip}, {name}: {means:.3?} at most {:.1?}", apart.most);
    }
    assert!(stretched.is_seamless(mip as usize), "{stretched:?}");
    assert!(!plain.is_seamless(mip as usize), "the comparison finds no seam at mip {mip}: {plain:?}");
}

/// Hills in tiles, all of level 0, so that heights and normals are read from samples.
fn sharp() -> TerrainSettings {
    TerrainSettings {
        lod: LodSettings::Near { near: 1e5, ratio: 0.66, bias: 0.0 },
        ..TerrainSettings::default()
    }
}

/// The normals of a map in tiles are those of the map in one, to the last bit; after an edit of one tile alone as well, whose
/// neighbour's last normals change with it.
#[test]
fn normals_have_no_seams() {
    let gpu = shared();
    let field = |tile_samples: u32| {
        let hills = hills(190, 190);
        Field::from_samples(hills.desc().with_tile_samples(tile_samples), hills.samples().to_vec()).unwrap()
    };
    // Tile (1, 1) of 64 samples from its first column of its own on: sample 63 is the border, and the neighbour's normals
    // there read sample 64.
    let edit = |field: &mut Field| {
        field.edit(SampleRect::new(64, 64, 30, 30), |z, row| row.fill(20000 + 300 * z as u16))
    };
    let view = |stage: &Stage, mode| {
        let top_down = TopDown::new(DVec2::splat(2.0 * 63.0 - 40.3), DVec2::ONE, 0.0, 200.0);
        let mut straight = top_down.view(stage.viewport());
        let mut level = stage.view(DVec3::new(120.0, 190.0, 200.0), 10.0, -40.0);
        (straight.preview.mode, level.preview.mode) = (mode, mode);
        (level.preview.haze, straight.preview.haze) = (0.0, 0.0);
        [straight, level]
    };
    let mut whole = Stage::new(&gpu, field(256), sharp(), SIZE, SIZE);
    let mut tiled = Stage::new(&gpu, field(64), sharp(), SIZE, SIZE);
    let mut before = Vec::new();
    for step in 0..2 {
        for mode in [ViewMode::Normals, ViewMode::Shaded] {
            for view in view(&whole, mode) {
                let (a, b) = (tiled.draw(&view), whole.draw(&view));
                assert!(a == b, "step {step}, {mode:?}: {:?}", a.difference(&b));
                before.push(a);
            }
        }
        if step == 0 {
            [&mut whole, &mut tiled].into_iter().for_each(|stage| edit(stage.terrain.field_mut()));
        }
    }
    let uploaded = tiled.terrain.field().desc().tiles_of(SampleRect::new(64, 64, 30, 30));
    assert_eq!(uploaded, (1..2, 1..2), "one tile was edited");
    // The neighbour's normals at the border did change: pixels just west of it, 2 m before sample 63.
    let column = 40;
    let changed =
        (0..SIZE).filter(|&y| before[0].pixel(column - 1, y) != before[4].pixel(column - 1, y)).count();
    assert!(changed > 10, "{changed} pixels beside the border changed");
}
