//! Row 0 is north, column 0 is west, in a picture as in a file: an F in the north-west corner reads as an F.

use glam::DVec2;
use landform::field::{Field, FieldDesc, Sample, SampleRect};
use landform::import::ImportOptions;
use landform::lod::LodSettings;
use landform::plan::{TerrainSettings, ViewMode};
use landform_device_tests::{Stage, TopDown, shared_field};
use landform_harness::{Gpu, Image8, repository, shared, write_png};
use std::sync::Arc;

/// Samples a side, and pixels a side of the picture: one a quad.
const SAMPLES: u32 = 257;
const SIZE: u32 = SAMPLES - 1;

/// Strokes of the letter in samples, half-open: the stem, the long upper and the shorter lower bar.
const STROKES: [[u32; 4]; 3] = [[25, 25, 45, 150], [45, 25, 110, 45], [45, 75, 90, 95]];

/// A low ramp up to the east, an F in the north-west, and a spike of one sample in the south-east corner.
fn letter() -> Field {
    let desc = FieldDesc::new(SAMPLES, SAMPLES).with_tile_samples(64).with_range(0.0, 40.0);
    let mut field = Field::new(desc).unwrap();
    field.edit(SampleRect::new(0, 0, SAMPLES, SAMPLES), |z, row| {
        for (x, code) in row.iter_mut().enumerate() {
            let x = x as u32;
            let inside = |[x0, z0, x1, z1]: [u32; 4]| (x0..x1).contains(&x) && (z0..z1).contains(&z);
            *code = if STROKES.into_iter().any(inside) { 50000 } else { (x * 78) as u16 };
        }
    });
    field.set_sample(Sample::new(SAMPLES - 1, SAMPLES - 1), u16::MAX);
    field
}

/// Draws the whole map, north up, lit and as normals, and checks that what is high and what is low lies where the file
/// has it.
fn draw(gpu: &Arc<Gpu>, field: Field) -> [Image8; 2] {
    let lod = LodSettings::Near { near: 1e7, ratio: 0.66, bias: 0.0 };
    let settings = TerrainSettings { lod, ..TerrainSettings::default() };
    let range = field.desc().range;
    let mut stage = Stage::new(gpu, field, settings, SIZE, SIZE);
    let top_down = TopDown::new(DVec2::ZERO, DVec2::ONE, range.min, range.max);
    let drawn = top_down.draw(&mut stage);
    let high = |x: u32, y: u32| drawn[(y * SIZE + x) as usize].2.expect("ground") > range.metres(40000.0);
    let field = stage.terrain.field();
    for y in 0..SIZE {
        for x in 0..SIZE {
            let corners =
                [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dz)| field.sample(Sample::new(x + dx, y + dz)));
            if corners.iter().all(|&code| code > 45000) {
                assert!(high(x, y), "pixel {x}, {y} ought to be high");
            } else if corners.iter().all(|&code| code < 45000) {
                assert!(!high(x, y), "pixel {x}, {y} ought to be low");
            }
        }
    }
    // The letter by eye: a stem on the left, a bar at its top that reaches further than the one in its middle, and
    // nothing to the right of its foot. No mirrored or turned F is like that.
    let rows: Vec<u32> =
        (0..SIZE - 2).map(|y| (0..SIZE - 2).filter(|&x| high(x, y)).count() as u32).collect();
    let columns: Vec<u32> =
        (0..SIZE - 2).map(|x| (0..SIZE - 2).filter(|&y| high(x, y)).count() as u32).collect();
    let longest = |counts: &[u32]| {
        counts.iter().enumerate().max_by_key(|&(i, count)| (count, usize::MAX - i)).map(|(i, _)| i).unwrap()
    };
    let inked: Vec<_> = (0..rows.len()).filter(|&y| rows[y] > 0).collect();
    let (top, foot) = (inked[0], inked[inked.len() - 1]);
    assert!(foot < SIZE as usize * 2 / 3, "the letter lies in the north");
    assert!(longest(&rows) < top + (foot - top) / 4, "its longest bar is its top");
    let inked: Vec<_> = (0..columns.len()).filter(|&x| columns[x] > 0).collect();
    let (left, right) = (inked[0], inked[inked.len() - 1]);
    assert!(right < SIZE as usize * 2 / 3, "the letter lies in the west");
    assert!(longest(&columns) < left + (right - left) / 4, "its stem is its left");
    let spike = |x: u32, y: u32| drawn[(y * SIZE + x) as usize].2.expect("ground");
    let (corner, beside) = (spike(SIZE - 1, SIZE - 1), spike(SIZE - 3, SIZE - 3));
    assert!(
        corner > beside + 0.2 * range.extent(),
        "the spike is in the south-east corner: {corner}, {beside}"
    );
    for (x, y) in [(0, 0), (SIZE - 1, 0), (0, SIZE - 1)] {
        assert!(spike(x, y) < range.metres(22000.0), "a spike in another corner");
    }
    let mut view = top_down.view(stage.viewport());
    [ViewMode::Shaded, ViewMode::Normals].map(|mode| {
        view.preview.mode = mode;
        stage.draw(&view)
    })
}

/// The normals' picture shows east as red and north as green: so face the sides of a stroke.
fn faces_the_right_way(normals: &Image8, [x0, z0, x1, z1]: [u32; 4]) {
    // Low on the stem, below where a bar joins it.
    let [middle_x, low_z] = [(x0 + x1) / 2, z1 - 20];
    let level = normals.pixel(SIZE - 50, SIZE - 50);
    for (side, channel, up, [x, z]) in [
        ("west", 0, false, [x0 - 1, low_z]),
        ("east", 0, true, [x1 - 1, low_z]),
        ("north", 1, true, [middle_x, z0 - 1]),
        ("south", 1, false, [middle_x, z1 - 1]),
    ] {
        let (here, flat) = (i32::from(normals.pixel(x, z)[channel]), i32::from(level[channel]));
        let more = if up { here - flat } else { flat - here };
        assert!(more > 20, "the {side} side is {here} where level ground is {flat}");
    }
}

#[test]
fn an_f_reads_as_an_f() {
    let gpu = shared();
    let [picture, normals] = draw(&gpu, letter());
    write_png(repository().join("out/orientation-generated.png"), &picture).unwrap();
    faces_the_right_way(&normals, STROKES[0]);
    let options = ImportOptions::default().with_range(0.0, 40.0);
    let files = ["synth/orient_F_257_u16.png", "synth/orient_F_257_le.r16"];
    let pictures: Vec<_> =
        files.iter().filter_map(|path| shared_field(path, &options)).map(|field| draw(&gpu, field)).collect();
    if let [png, raw] = &pictures[..] {
        write_png(repository().join("out/orientation-png.png"), &png[0]).unwrap();
        assert!(png == raw, "the PNG and the raw file give different pictures");
    }
}
