//! Files are made in memory by the writer in `made`.

mod broken;
mod choice;
mod deflate;
mod golden;
mod made;

use super::super::{Heightmap, ImportOptions};
use crate::field::{Sample, SampleRect};
use made::{Kind, METHODS, Made};
use std::io::Cursor;

fn plain() -> ImportOptions {
    ImportOptions::default()
}

fn read(bytes: &[u8], options: &ImportOptions) -> crate::Result<Heightmap> {
    Heightmap::read_from("a.exr", Cursor::new(bytes), options)
}

fn sound(made: &Made, options: &ImportOptions) -> Heightmap {
    read(&made.bytes(), options).unwrap_or_else(|error| panic!("{error}"))
}

fn refusal(bytes: &[u8], options: &ImportOptions) -> String {
    match read(bytes, options) {
        Ok(map) => panic!("was not refused:\n{}", map.report()),
        Err(error) => error.to_string(),
    }
}

/// Holds every sample of a window against the channel that was written.
fn holds(map: &Heightmap, made: &Made, channel: usize, window: SampleRect) {
    for z in window.z0..window.z1 {
        for x in window.x0..window.x1 {
            let wanted = f64::from(made.channels[channel].2[(z * made.size.0 + x) as usize]);
            let found = map.value(Sample::new(x - window.x0, z - window.z0));
            assert_eq!(found, wanted.is_finite().then_some(wanted), "column {x}, row {z}");
        }
    }
}

fn whole(made: &Made) -> SampleRect {
    SampleRect::new(0, 0, made.size.0, made.size.1)
}

#[test]
fn every_type_comes_out_of_every_method_in_rows_and_in_tiles() {
    for (packing, _) in METHODS {
        for kind in [Kind::Half, Kind::Float, Kind::Whole] {
            for tiles in [None, Some((16, 16)), Some((9, 40)), Some((64, 64))] {
                let mut made = Made::new((37, 41), &[("A", Kind::Half), ("Y", kind), ("Z", Kind::Float)]);
                (made.packing, made.tiles) = (packing, tiles);
                let rounds = (packing == 5 && kind == Kind::Float) || (packing >= 6 && kind == Kind::Half);
                if rounds {
                    made.round();
                }
                let map = sound(&made, &plain());
                holds(&map, &made, 1, whole(&made));
                let report = map.report();
                assert_eq!((report.width, report.height), (37, 41));
                assert_eq!(report.bit_depth, if kind == Kind::Half { 16 } else { 32 });
                assert_eq!(report.sample_type.name(), if kind == Kind::Whole { "u32" } else { "f32" });
                let warned =
                    report.warnings.iter().any(|line| line.contains("compression rounded the heights"));
                assert_eq!(warned, rounds, "{report}");
            }
        }
    }
}

#[test]
fn only_the_crop_is_kept() {
    for tiles in [None, Some((8, 8))] {
        for upwards in [false, true] {
            let mut made = Made::new((37, 41), &[("Y", Kind::Float)]);
            (made.packing, made.tiles, made.upwards) = (3, tiles, upwards);
            for (x, z, width, height) in
                [(0, 0, 37, 41), (0, 0, 2, 2), (35, 39, 2, 2), (7, 15, 2, 2), (8, 16, 8, 16), (20, 3, 9, 30)]
            {
                let window = SampleRect::new(x, z, width, height);
                holds(&sound(&made, &plain().with_crop(window)), &made, 0, window);
            }
        }
    }
}

#[test]
fn the_data_window_is_the_map_wherever_it_lies() {
    let mut made = Made::new((20, 33), &[("Y", Kind::Half)]);
    (made.origin, made.packing) = ((-7, -40), 3);
    made.display = (100, 50);
    let map = sound(&made, &plain());
    holds(&map, &made, 0, whole(&made));
    let assumed = &map.report().assumptions;
    assert!(assumed.iter().any(|line| line.contains("display window of 100×50 is ignored")), "{assumed:?}");
    made.display = made.size;
    let assumed = sound(&made, &plain()).report().assumptions.join("\n");
    assert!(!assumed.contains("display"), "{assumed}");
}

#[test]
fn of_a_map_with_smaller_copies_the_full_one_is_read() {
    for (levels, round_up) in [(1, false), (1, true), (2, false), (2, true)] {
        let mut made = Made::new((37, 9), &[("Y", Kind::Float)]);
        (made.tiles, made.packing) = (Some((8, 8)), 3);
        (made.levels, made.round_up) = (levels, round_up);
        holds(&sound(&made, &plain()), &made, 0, whole(&made));
    }
}

#[test]
fn what_is_not_finite_is_a_void() {
    for (packing, _) in METHODS {
        let mut made = Made::new((20, 20), &[("Y", Kind::Float)]);
        made.packing = packing;
        made.round();
        for (at, value) in [(3, f32::NAN), (30, f32::INFINITY), (399, f32::NEG_INFINITY)] {
            made.channels[0].2[at] = value;
        }
        let map = sound(&made, &plain());
        assert_eq!(map.report().voids, 3, "method {packing}");
        assert!(map.value(Sample::new(3, 0)).is_none() && map.value(Sample::new(19, 19)).is_none());
    }
}
