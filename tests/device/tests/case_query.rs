//! The query's surface is the drawn one: heights read back from the depth buffer at level 0 are what `height_at` says,
//! holes and the outside are background and None.

use glam::{DVec2, DVec3};
use landform::field::{Field, FieldDesc, Quad, SampleRect};
use landform::import::{ImportOptions, Units};
use landform::lod::LodSettings;
use landform::plan::TerrainSettings;
use landform::query::{height_at, heights};
use landform_device_tests::{Stage, TopDown, look, pixel_ray, random, shared_field};
use landform_harness::{Gpu, read_png, repository, shared};
use std::sync::Arc;

/// Level 0 everywhere.
fn finest() -> TerrainSettings {
    let lod = LodSettings::Near { near: 1e7, ratio: 0.66, bias: 0.0 };
    TerrainSettings { lod, ..TerrainSettings::default() }
}

/// Broad relief with roughness over the whole of a range.
fn rough(desc: FieldDesc) -> Field {
    let mut field = Field::new(desc).unwrap();
    let mut next = random(desc.width ^ desc.height << 10);
    field.edit(SampleRect::new(0, 0, desc.width, desc.height), |z, row| {
        for (x, code) in row.iter_mut().enumerate() {
            let broad = 0.5 + 0.35 * (x as f64 * 0.11).sin() * (f64::from(z) * 0.07).cos();
            *code = (65535.0 * broad + f64::from(next() % 4000)) as u16;
        }
    });
    field
}

/// Opens single quads, a whole block, and quads on tile borders and at the map's edge.
fn pierce(mut field: Field) -> Field {
    let desc = *field.desc();
    let mut next = random(905);
    for _ in 0..905 {
        field.set_hole(Quad::new(next() % desc.quads_x(), next() % desc.quads_z()), true);
    }
    for z in 20..40 {
        for x in desc.tile_quads() - 10..desc.tile_quads() + 10 {
            field.set_hole(Quad::new(x, z), true);
        }
    }
    field.set_hole(Quad::new(desc.quads_x() - 1, desc.quads_z() - 1), true);
    field
}

/// What is tested: heights that are all negative, pixels that are not square, holes, and real maps.
fn maps() -> Vec<(&'static str, Field)> {
    let moon = FieldDesc::new(33, 33).with_tile_samples(16).with_range(-212.3, -205.4);
    let volcano =
        FieldDesc::new(129, 129).with_tile_samples(32).with_spacing(75.9, 108.5).with_range(0.0, 2542.0);
    let pierced = FieldDesc::new(300, 200).with_tile_samples(64).with_range(-50.95, 365.6);
    let mut maps = vec![
        ("all negative", rough(moon)),
        ("pixels of 75.9 × 108.5 m", rough(volcano)),
        ("holes", pierce(rough(pierced))),
    ];
    let panda = ImportOptions::default().with_spacing(2.0, 2.0).with_range(0.0, 600.0);
    maps.extend(
        shared_field("heights/panda3d_heightfield_1024_u16.png", &panda).map(|field| ("panda", field)),
    );
    let everest = ImportOptions::default().with_spacing(81.9, 92.6).with_range(284.0, 8840.0);
    maps.extend(shared_field("derived/everest_1025_le.r16", &everest).map(|field| ("everest", field)));
    let plain = ImportOptions::default();
    maps.extend(shared_field("heights/moon_33.tif", &plain).map(|field| ("moon, all below 0", field)));
    let feet = plain.clone().with_units(Units::FEET);
    maps.extend(shared_field("heights/volcano.tif", &feet).map(|field| ("volcano, oblong pixels", field)));
    let demo = shared_field("derived/terrain3d_demo_00_p00_1024_f32.exr", &plain);
    maps.extend(demo.map(|field| ("terrain3d, with its holes", pierce_by_mask(field))));
    maps
}

/// Opens the quads that the demo's own mask opens: pixels without alpha.
fn pierce_by_mask(mut field: Field) -> Field {
    let file = "../shared/data/splat/terrain3d_demo_00_p00_1024_base_overlay_blend_hole.png";
    let mask = read_png(repository().join(file)).expect("the mask of the map that is there");
    for (index, _) in mask.pixels().enumerate().filter(|(_, pixel)| pixel[3] == 0) {
        field.set_hole(Quad::new(index as u32 % mask.width, index as u32 / mask.width), true);
    }
    assert_eq!(field.holes().count(), 905);
    field
}

/// What differs at most between a drawn height and the query's, metres, apart from depth's own rounding.
const MOST: f64 = 0.01;

fn first_hole(field: &Field) -> Option<DVec2> {
    let (columns, rows) = (field.desc().quads_x(), field.desc().quads_z());
    let mut quads = (0..rows).flat_map(|z| (0..columns).map(move |x| Quad::new(x, z)));
    quads.find(|&quad| field.is_hole(quad)).map(|quad| DVec2::new(quad.x.into(), quad.z.into()))
}

/// Straight down, vertices on the rasteriser's grid: every pixel of every picture is a point to compare.
fn compare_top_down(gpu: &Arc<Gpu>, name: &str, field: Field) {
    const SIZE: u32 = 128;
    let desc = *field.desc();
    let mut stage = Stage::new(gpu, field, finest(), SIZE, SIZE);
    let a_hole = first_hole(stage.terrain.field());
    let mut next = random(7);
    let (mut points, mut open, mut outside, mut worst) = (0, 0, 0, 0f64);
    for picture in 0..12 {
        // 8 pixels a quad, 2 pixels a quad, 32 pixels a quad.
        let zoom = [8.0, 2.0, 32.0][picture % 3];
        let quads = (f64::from(SIZE) / zoom) as u32;
        let mut first = |all: u32| f64::from(next() % (all + 6).saturating_sub(quads / 2).max(1)) - 3.0;
        let anywhere = DVec2::new(first(desc.quads_x()), first(desc.quads_z()));
        // A map may have holes in one place only.
        let at = a_hole.filter(|_| picture % 4 == 3).map_or(anywhere, |hole| hole - f64::from(quads / 2));
        let corner = at * desc.spacing;
        let top_down = TopDown::new(corner, desc.spacing / zoom, desc.range.min, desc.range.max);
        let drawn = top_down.draw(&mut stage);
        let places: Vec<_> = drawn.iter().map(|(_, place, _)| *place).collect();
        let mut asked = vec![None; places.len()];
        heights(stage.terrain.field(), &places, &mut asked);
        for ((_, place, drawn), asked) in drawn.iter().zip(asked) {
            match (drawn, asked) {
                (Some(drawn), Some(asked)) => {
                    let apart = (drawn - asked).abs();
                    let most = MOST + top_down.quantum();
                    assert!(apart <= most, "{name} at {place}: {drawn} m drawn, {asked} m asked");
                    worst = worst.max(apart);
                    points += 1;
                }
                (None, None) => {
                    let inside = place.min_element() >= 0.0
                        && place.x <= desc.spacing.x * f64::from(desc.quads_x())
                        && place.y <= desc.spacing.y * f64::from(desc.quads_z());
                    *(if inside { &mut open } else { &mut outside }) += 1;
                }
                _ => panic!("{name} at {place}: {drawn:?} drawn, {asked:?} asked"),
            }
        }
    }
    println!(
        "{name}, straight down: {points} points, {open} in holes, {outside} outside; worst {worst:.6} m"
    );
    assert!(points >= 10_000, "{name}: only {points} points");
    assert!(open > 0 || stage.terrain.field().holes().count() == 0, "{name}: no hole was looked at");
}

/// In perspective from random poses close to the ground: a pixel's ray, gone as far as its depth says, ends on the
/// surface.
fn compare_in_perspective(gpu: &Arc<Gpu>, name: &str, field: Field) {
    let desc = *field.desc();
    let mut stage = Stage::new(gpu, field, finest(), 160, 120);
    let mut next = random(11);
    let mut unit = move || f64::from(next()) / f64::from(u32::MAX);
    let (mut points, mut worst) = (0, 0f64);
    for _ in 0..20 {
        let size = DVec2::new(desc.quads_x().into(), desc.quads_z().into()) * desc.spacing;
        let place = DVec2::new(0.1 + 0.8 * unit(), 0.1 + 0.8 * unit()) * size;
        let Some(ground) = height_at(stage.terrain.field(), place) else { continue };
        // A pixel is a few millimetres wide where it looks, so that the rasteriser's grid is far below a centimetre.
        let eye = DVec3::new(place.x, ground + 3.0 + 5.0 * unit(), place.y);
        let pitch = -40.0 - 50.0 * unit() as f32;
        let view = look(eye, 360.0 * unit() as f32, pitch, stage.viewport());
        stage.draw(&view);
        let ahead = view.rotation.as_dquat() * DVec3::NEG_Z;
        let depths = stage.offscreen.read_depth().expect("depth");
        for _ in 0..1000 {
            let pixel = [(160.0 * unit()) as u32 % 160, (120.0 * unit()) as u32 % 120];
            let depth = f64::from(depths[(pixel[1] * 160 + pixel[0]) as usize]);
            let ray = pixel_ray(&view, DVec2::new(pixel[0].into(), pixel[1].into()) + 0.5);
            // Infinite far plane: depth is the near plane over the distance ahead. Far away a pixel is wide.
            let away = if depth > 0.0 { f64::from(0.1f32) / depth / ray.dot(ahead) } else { f64::INFINITY };
            if away > 12.0 {
                continue;
            }
            let at = eye + ray * away;
            let Some(asked) = height_at(stage.terrain.field(), DVec2::new(at.x, at.z)) else {
                // The rasteriser's grid may move a hole's border by a 256th of a pixel.
                let near_by =
                    [-1.0, 1.0].into_iter().flat_map(|x| [-1.0, 1.0].map(|z| DVec2::new(x, z) * 0.001));
                let ground =
                    near_by.filter_map(|by| height_at(stage.terrain.field(), DVec2::new(at.x, at.z) + by));
                assert!(ground.count() > 0, "{name}: ground is drawn in a hole at {at}");
                continue;
            };
            // A step of a depth near `depth`, in metres along the ray.
            let quantum = 4.0 * f64::from(f32::EPSILON) * away;
            let apart = (at.y - asked).abs();
            assert!(apart <= MOST + quantum, "{name} at {at}: asked {asked} m, {apart} m apart");
            worst = worst.max(apart);
            points += 1;
        }
    }
    println!("{name}, in perspective: {points} points; worst {worst:.6} m");
    assert!(points >= 5000, "{name}: only {points} points");
}

#[test]
fn the_query_answers_what_is_drawn_straight_down() {
    let gpu = shared();
    for (name, field) in maps() {
        compare_top_down(&gpu, name, field);
    }
}

#[test]
fn the_query_answers_what_is_drawn_in_perspective() {
    let gpu = shared();
    for (name, field) in maps() {
        compare_in_perspective(&gpu, name, field);
    }
}

/// The sums are not vacuous: half a quad's shift, or the other diagonal, is far beyond what is let pass.
#[test]
fn a_shift_or_the_other_diagonal_would_be_found() {
    for (name, field) in maps() {
        let desc = *field.desc();
        let mut next = random(3);
        let (mut shifted, mut bilinear) = (0, 0);
        for _ in 0..1000 {
            let mut along = |quads: u32| (f64::from(next()) / f64::from(u32::MAX)) * f64::from(quads - 1);
            let at = DVec2::new(along(desc.quads_x()), along(desc.quads_z()));
            let ask = |at: DVec2| height_at(&field, at * desc.spacing);
            let (low, part) = (at.floor(), at.fract());
            let corners =
                [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)].map(|by| ask(low + DVec2::from(by)));
            let (Some(here), Some(there)) = (ask(at), ask(at + 0.5)) else { continue };
            shifted += usize::from((here - there).abs() > MOST);
            if let [Some(nw), Some(ne), Some(sw), Some(se)] = corners {
                let (north, south) = (nw + (ne - nw) * part.x, sw + (se - sw) * part.x);
                bilinear += usize::from((here - (north + (south - north) * part.y)).abs() > MOST);
            }
        }
        assert!(shifted > 800 && bilinear > 50, "{name}: {shifted} and {bilinear} of 1000");
    }
}
