//! A void is a hole and nothing else: no pixel shows a height that a void made, nothing is drawn on a quad that touches one,
//! and what lies beside it has its own height and a normal. At the finest level and at coarse ones.

use glam::DVec2;
use landform::field::{Field, Quad, Sample};
use landform::import::{Fill, Heightmap, ImportOptions};
use landform::lod::LodSettings;
use landform::plan::{TerrainSettings, ViewMode};
use landform_device_tests::{Stage, TopDown};
use landform_harness::{Gpu, repository, shared};
use std::sync::Arc;

/// A map with voids, how many, and columns and rows of a picture that has both ground and voids in it.
const MAPS: [(&str, u64, [u32; 2]); 4] = [
    ("heights/N27E088.hgt", 6, [20, 340]),
    ("heights/elevation-i16.tif", 18458, [300, 120]),
    ("heights/SainteHelens.dem", 4151, [0, 380]),
    ("heights/zSW3.asc", 35152, [180, 100]),
];
const SIZE: u32 = 96;

fn read(path: &str, options: &ImportOptions) -> Option<Heightmap> {
    let file = repository().join("../shared/data").join(path);
    if !file.is_file() {
        eprintln!("SKIPPED: {} is not there", file.display());
        return None;
    }
    Some(Heightmap::read(&file, options).unwrap_or_else(|error| panic!("{error}")))
}

/// A map whose samples are a metre apart, so that a pixel a metre is a pixel a quad.
fn options() -> ImportOptions {
    ImportOptions::default().with_spacing(1.0, 1.0)
}

fn near(near: f64) -> TerrainSettings {
    TerrainSettings { lod: LodSettings::Near { near, ratio: 0.66, bias: 0.0 }, ..TerrainSettings::default() }
}

/// The least and the greatest metres of the valid samples around a place, so many samples wide.
fn around(map: &Heightmap, place: DVec2, reach: f64) -> (f64, f64) {
    let span = |at: f64, last: u32| {
        ((at - reach).floor().max(0.0) as u32)..=((at + reach).ceil() as u32).min(last - 1)
    };
    let (columns, rows) = (span(place.x, map.desc().width), span(place.y, map.desc().height));
    let samples = rows.flat_map(|z| columns.clone().map(move |x| Sample::new(x, z)));
    samples
        .filter_map(|sample| map.metres(sample))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), metres| (low.min(metres), high.max(metres)))
}

/// Draws a window of the map and compares every pixel with the valid samples around it.
fn compare(gpu: &Arc<Gpu>, path: &str, map: &Heightmap, field: Field, [x, z]: [u32; 2]) {
    let desc = *field.desc();
    let mut stage = Stage::new(gpu, field, near(1e7), SIZE, SIZE);
    let corner = DVec2::new(x.into(), z.into());
    for (above, reach) in [(1.0, 1.0), (600.0, 16.0), (2500.0, 64.0)] {
        if above > 1.0 {
            // The higher the camera above the declared range, the coarser the level.
            stage = Stage::new(gpu, stage.terrain.field().clone(), near(150.0), SIZE, SIZE);
        }
        let top_down = TopDown { above, ..TopDown::new(corner, DVec2::ONE, desc.range.min, desc.range.max) };
        let (mut ground, mut open) = (0, 0);
        for (_, place, height) in top_down.draw(&mut stage) {
            let inside = place.x < f64::from(desc.quads_x()) && place.y < f64::from(desc.quads_z());
            let quad = Quad::new(place.x as u32, place.y as u32);
            let hole = !inside || stage.terrain.field().is_hole(quad);
            let Some(height) = height else {
                assert!(hole || above > 1.0, "{path}: nothing is drawn at {place}");
                open += 1;
                continue;
            };
            assert!(!hole || above > 1.0, "{path}: {height} m is drawn at {place}, where a void is");
            let (low, high) = around(map, place, reach);
            let slack = top_down.quantum() + desc.range.metres_per_code();
            assert!(
                (low - slack..=high + slack).contains(&height),
                "{path}: {height} m at {place}, {above} m up, and the ground around is {low} to {high} m"
            );
            ground += 1;
        }
        println!("{path}, {above} m up: {ground} pixels of ground, {open} of none");
        assert!(ground > 500 && open > 5, "{path}: {ground} pixels of ground, {open} of none");
    }
}

#[test]
fn nothing_is_drawn_from_a_void() {
    let gpu = shared();
    for (path, voids, corner) in MAPS {
        let Some(map) = read(path, &options()) else { continue };
        assert_eq!(map.report().voids, voids, "{path}");
        let (field, _) = read(path, &options()).expect("the same file").into_field().expect("a field");
        for quad in (0..field.desc().quads_z())
            .flat_map(|z| (0..field.desc().quads_x()).map(move |x| Quad::new(x, z)))
        {
            let corners = [(0, 0), (1, 0), (0, 1), (1, 1)];
            let void =
                corners.iter().any(|&(x, z)| map.metres(Sample::new(quad.x + x, quad.z + z)).is_none());
            assert_eq!(field.is_hole(quad), void, "{path}: {quad:?}");
        }
        compare(&gpu, path, &map, field, corner);
    }
}

/// The picture of the normals: none of what is drawn is black, which is what a normal that is no number would be, and all
/// point up.
#[test]
fn normals_beside_a_void_are_normals() {
    let gpu = shared();
    for (path, _, [x, z]) in MAPS {
        let Some(map) = read(path, &options()) else { continue };
        let (field, _) = map.into_field().expect("a field");
        let desc = *field.desc();
        let mut stage = Stage::new(&gpu, field, near(1e7), SIZE, SIZE);
        stage.clear.color = [0.0, 0.0, 0.0, 1.0];
        let top_down =
            TopDown::new(DVec2::new(x.into(), z.into()), DVec2::ONE, desc.range.min, desc.range.max);
        let mut view = top_down.view(stage.viewport());
        view.preview.mode = ViewMode::Normals;
        let picture = stage.draw(&view);
        let depth = stage.offscreen.read_depth().expect("depth");
        let drawn = picture.pixels().zip(depth).filter(|(_, depth)| *depth > 0.0);
        let mut count = 0;
        for (pixel, _) in drawn {
            // Up is blue, from a half to all of it, in whatever way the target stores it.
            assert!(pixel[2] >= 100 && pixel[..3] != [0, 0, 0], "{path}: a normal of {pixel:?}");
            count += 1;
        }
        assert!(count > 500, "{path}: {count} pixels");
    }
}

/// Filled, the same ground has no hole, and no height beyond those around the voids.
#[test]
fn filled_voids_are_ground() {
    for (path, voids, _) in MAPS {
        for fill in [Fill::Nearest, Fill::InverseDistance, Fill::Plane] {
            let Some(map) = read(path, &options().with_fill(fill)) else { continue };
            let report = map.report().clone();
            assert_eq!((report.voids, report.filled, report.holes), (voids, voids, 0), "{path}: {report}");
            let (field, _) = map.into_field().expect("a field");
            assert_eq!(field.holes().count(), 0);
            let (low, high) = (field.desc().range.min, field.desc().range.max);
            if fill != Fill::Plane {
                assert_eq!((low, high), (report.lowest, report.highest), "{path}, {fill}");
            }
            assert!(high - low < 3.0 * (report.highest - report.lowest), "{path}, {fill}: {low} to {high} m");
        }
    }
}
