//! Maps of sizes that no power of two fits: the last row and column are drawn where they stand, at their own height, and
//! nothing is drawn past them. No wall, no flat strip, no drop to zero.

use glam::{DVec2, DVec3};
use landform::field::{Field, FieldDesc, Sample, SampleRect};
use landform::import::ImportOptions;
use landform::lod::LodSettings;
use landform::plan::TerrainSettings;
use landform_device_tests::{Stage, TopDown, assert_as_rays_see, random, shared_field};
use landform_harness::{Gpu, shared};
use std::sync::Arc;

/// Level 0 everywhere.
fn finest() -> TerrainSettings {
    let lod = LodSettings::Near { near: 1e7, ratio: 0.66, bias: 0.0 };
    TerrainSettings { lod, ..TerrainSettings::default() }
}

fn generated(width: u32, height: u32, tile: u32) -> Field {
    let desc = FieldDesc::new(width, height).with_tile_samples(tile).with_range(-50.0, 250.0);
    let mut field = Field::new(desc).unwrap();
    let mut next = random(width ^ height << 12);
    field.edit(SampleRect::new(0, 0, width, height), |_, row| row.fill_with(|| next() as u16));
    field
}

/// What is tested: generated maps, and those that people reported.
fn maps() -> Vec<(String, Field)> {
    let sizes = [(2, 2, 16), (3, 200, 16), (256, 255, 256), (257, 258, 128), (701, 300, 64), (1009, 33, 256)];
    let mut maps: Vec<_> = sizes
        .into_iter()
        .map(|(width, height, tile)| (format!("{width}×{height}"), generated(width, height, tile)))
        .collect();
    let options = ImportOptions::default().with_range(0.0, 300.0);
    for path in [
        "synth/lastrow_1024_u16.png",
        "synth/lastrow_1025_u16.png",
        "synth/nonsquare_701x300_u16.png",
        "derived/unreal_1009_u16.png",
    ] {
        maps.extend(shared_field(path, &options).map(|field| (path.to_string(), field)));
    }
    let sized = options.clone().with_raw_size(701, 300);
    let raw = shared_field("synth/nonsquare_701x300_le.r16", &sized);
    maps.extend(raw.map(|field| ("nonsquare_701x300_le.r16".into(), field)));
    // Heights of their own; a spacing of 1 m, because the tests measure in samples.
    for path in ["heights/bigtujunga.tif", "heights/zh_dem_25.tif"] {
        let metre = ImportOptions::default().with_spacing(1.0, 1.0);
        maps.extend(shared_field(path, &metre).map(|field| (path.to_string(), field)));
    }
    maps
}

/// Heights around a sample: the least and the greatest.
fn around(field: &Field, sample: Sample) -> (f64, f64) {
    let desc = field.desc();
    let mut found = (f64::MAX, f64::MIN);
    for z in sample.z.saturating_sub(1)..=(sample.z + 1).min(desc.quads_z()) {
        for x in sample.x.saturating_sub(1)..=(sample.x + 1).min(desc.quads_x()) {
            let metres = field.sample_metres(Sample::new(x, z));
            found = (found.0.min(metres), found.1.max(metres));
        }
    }
    found
}

/// A pixel a sample along the east and the south edge, a 64th of a quad inside: the drawn height is the sample's own, as
/// near as the slope allows there; the pixel past the edge is background.
fn edges_are_drawn(gpu: &Arc<Gpu>, name: &str, field: Field) {
    const SIZE: u32 = 96;
    // A 64th of a pixel is four of the rasteriser's steps: no vertex is snapped to another place.
    const INSIDE: f64 = 1.0 / 64.0;
    let desc = *field.desc();
    let mut stage = Stage::new(gpu, field, finest(), SIZE, SIZE);
    let (last_x, last_z) = (desc.quads_x(), desc.quads_z());
    // The first sample of a picture that ends three pixels past the map, and of pictures along both edges.
    let ends = [last_x, last_z].map(|last| f64::from(last) - f64::from(SIZE - 4));
    let middle = [f64::from(last_x / 2).floor(), f64::from(last_z / 2).floor()];
    let (mut inside, mut outside, mut worst) = (0, 0, 0f64);
    for first in
        [[ends[0], ends[1]], [ends[0], middle[1]], [middle[0], ends[1]], [-3.0, ends[1]], [ends[0], -3.0]]
    {
        let corner = DVec2::from(first) - 0.5 - INSIDE;
        let top_down = TopDown::new(corner, DVec2::ONE, desc.range.min, desc.range.max);
        for ([column, row], place, height) in top_down.draw(&mut stage) {
            let at = DVec2::from(first) + DVec2::new(column.into(), row.into());
            if place.min_element() < 0.0 || place.x > last_x.into() || place.y > last_z.into() {
                assert_eq!(height, None, "{name}: something is drawn at {place}, outside the map");
                outside += 1;
                continue;
            }
            let sample = Sample::new(at.x as u32, at.y as u32);
            let height = height.unwrap_or_else(|| panic!("{name}: nothing is drawn at {sample:?}"));
            let (low, high) = around(stage.terrain.field(), sample);
            let apart = (height - stage.terrain.field().sample_metres(sample)).abs();
            // A 64th along both axes, and what interpolation over a wall of a pixel's width rounds.
            let most = 2.1 * INSIDE * (high - low) + top_down.quantum();
            assert!(apart <= most, "{name}: {height} m at {sample:?}, {apart} m from its own, of {most}");
            inside += 1;
            worst = worst.max(apart - 2.0 * INSIDE * (high - low));
        }
    }
    assert!(inside > 0 && outside > 4 * SIZE as usize, "{name}: {inside} inside, {outside} outside");
    println!(
        "{name}: {inside} pixels inside and {outside} outside; worst past the slope's share {worst:.6} m"
    );
}

#[test]
fn the_last_row_and_column_are_drawn_at_their_own_height() {
    let gpu = shared();
    for (name, field) in maps() {
        edges_are_drawn(&gpu, &name, field);
    }
}

/// At every level, to the very edge: a level map is level. What stands beside the map in the atlas shows as a step.
#[test]
fn no_level_brings_in_what_lies_past_the_edge() {
    let gpu = shared();
    const SIZE: u32 = 128;
    for (width, height, tile) in [(2, 2, 16), (300, 701, 64), (1009, 1009, 256), (1024, 1025, 128)] {
        let desc = FieldDesc::new(width, height).with_tile_samples(tile).with_range(0.0, 65535.0);
        let field = Field::from_samples(desc, vec![40000; width as usize * height as usize]).unwrap();
        let lod = LodSettings::Near { near: 138.0, ratio: 0.66, bias: 0.0 };
        let settings = TerrainSettings { lod, ..TerrainSettings::default() };
        let mut stage = Stage::new(&gpu, field, settings, SIZE, SIZE);
        let mut levels = Vec::new();
        // The higher the camera above the declared range, the coarser: up to the coarsest there is.
        for up in [1.0, 200.0, 400.0, 900.0, 1800.0, 4000.0, 20000.0] {
            for whole in [false, true] {
                let edge = DVec2::new(desc.quads_x().into(), desc.quads_z().into());
                let pixel = if whole { edge / f64::from(SIZE - 8) } else { DVec2::splat(0.5) };
                let corner = edge - pixel * f64::from(SIZE - 4);
                let top_down = TopDown { above: up, ..TopDown::new(corner, pixel, 39000.0, 65535.0) };
                for (_, place, height) in top_down.draw(&mut stage) {
                    let outside = (place - edge / 2.0).abs() - edge / 2.0;
                    let most = top_down.quantum();
                    match height {
                        Some(metres) => {
                            assert!(outside.max_element() <= 0.01 * pixel.x, "drawn at {place}, past {edge}");
                            assert!((metres - 40000.0).abs() <= most, "{metres} m at {place} from {up} m up");
                        }
                        None => assert!(outside.max_element() >= -0.01 * pixel.x, "nothing at {place}"),
                    }
                }
                let view = top_down.view(stage.viewport());
                let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
                levels.extend(plan.views[0].nodes.iter().map(|node| node.level().0));
            }
        }
        let coarsest = landform::lod::LodGeometry::new(&desc, Default::default()).levels - 1;
        for level in 0..=coarsest {
            assert!(levels.contains(&(level as u8)), "{width}×{height}: level {level} was never drawn");
        }
    }
}

/// From outside, the map is a sheet: a pixel shows ground where a ray meets ground from above, and nothing else. A wall
/// or a skirt along an edge would fill pixels under the edge's own line.
#[test]
fn no_wall_stands_along_an_edge() {
    let gpu = shared();
    const SIZE: [u32; 2] = [160, 120];
    for (name, field) in maps() {
        let desc = *field.desc();
        let (across, down) = (f64::from(desc.quads_x()), f64::from(desc.quads_z()));
        let mut stage = Stage::new(&gpu, field, finest(), SIZE[0], SIZE[1]);
        let (mut covered, mut open) = (0, 0);
        for (x, z, yaw) in [
            (across + 30.0, 0.7 * down, -90.0),
            (0.6 * across, down + 30.0, 0.0),
            (across + 25.0, down + 25.0, -45.0),
            (-25.0, down + 25.0, 40.0),
        ] {
            // Seen from a little above the range's middle: the edge's own line runs through the picture.
            let view = stage.view(DVec3::new(x, desc.range.metres(50000.0), z), yaw, -30.0);
            let picture = stage.draw(&view);
            let counts = assert_as_rays_see(&name, stage.terrain.field(), &view, &picture);
            (covered, open) = (covered + counts[0], open + counts[1]);
        }
        println!("{name}: {covered} pixels of ground, {open} of background");
        assert!(open > 0, "{name}");
    }
}
