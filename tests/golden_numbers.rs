//! Published files, number by number, against what an independent reader finds in them. The files are not part of the
//! repository; a test whose files are not there says so and passes.

#[path = "common/heightmaps.rs"]
mod common;

use common::{plain, read, refusal, shared_or_end};
use landform::field::Sample;
use landform::import::{ByteOrder, Encoding, Heightmap};

/// Colours are digits of one number: found out, or stated, and never averaged.
#[test]
fn a_terrarium_tile_is_found_out() {
    let file = shared_or_end!("heights/terrarium.png");
    let (_, report) = read(&file, &plain());
    assert_eq!(
        (report.encoding, report.lowest, report.highest),
        (Encoding::Terrarium, 852.117_187_5, 2_475.066_406_25)
    );
    assert!(report.assumptions.iter().any(|line| line.contains("terrarium heights")), "{report}");
    let (_, stated) = read(&file, &plain().with_encoding(Encoding::Terrarium));
    assert_eq!((stated.encoding, stated.lowest), (Encoding::Terrarium, 852.117_187_5));
    assert!(refusal(&file, &plain().with_encoding(Encoding::Normalised)).contains("colour channels differ"));
}

/// What an independent reader says of every file: size, voids, extremes, mean, place of the highest, some samples, all in the
/// file's own numbers.
#[test]
fn every_number_is_what_another_reader_finds() {
    let golden = shared_or_end!("golden.json");
    let golden: serde_json::Value = serde_json::from_slice(&std::fs::read(golden).unwrap()).unwrap();
    for (file, row) in golden.as_object().unwrap() {
        let options = match (row["header_bytes"].as_u64(), row["dtype"].as_str()) {
            (Some(bytes), _) => plain().with_offset(bytes),
            (None, Some(">u2")) => plain().with_byte_order(ByteOrder::Big),
            _ => plain(),
        };
        let Some(path) = common::shared(file) else { continue };
        let map = Heightmap::read(&path, &options).unwrap_or_else(|error| panic!("{error}"));
        agrees(row, file, &map);
        let (field, report) = map.into_field().unwrap();
        let highest = field.desc().range.metres(f64::from(field.sample(report.max_at)));
        let top = if report.units.is_some() { report.range.max } else { report.highest };
        assert!((highest - top).abs() <= report.range.metres_per_code(), "{file}: {highest} and not {top}");
    }
}

fn agrees(row: &serde_json::Value, file: &str, map: &Heightmap) {
    let report = map.report();
    let number = |key: &str| row[key].as_f64().unwrap_or_else(|| panic!("{file} lacks {key}"));
    let size = (f64::from(report.width), f64::from(report.height));
    assert_eq!(size, (number("width"), number("height")), "{file}");
    assert_eq!(report.voids as f64, number("nodata_px"), "{file}");
    if let Some(nodata) = row["nodata"].as_f64() {
        assert_eq!(report.nodata, vec![nodata], "{file}");
    }
    assert_eq!((report.min, report.max), (number("min"), number("max")), "{file}");
    let mean = number("mean");
    assert!((report.mean - mean).abs() <= 1e-4f64.max(1e-6 * mean.abs()), "{file}: {} {mean}", report.mean);
    let place = (f64::from(report.max_at.z), f64::from(report.max_at.x));
    let wanted = &row["max_at_rowcol"];
    assert_eq!(place, (wanted[0].as_f64().unwrap(), wanted[1].as_f64().unwrap()), "{file}");
    for (at, value) in row["probes"].as_object().unwrap() {
        let (z, x) = at.split_once(',').unwrap();
        let sample = Sample::new(x.parse().unwrap(), z.parse().unwrap());
        assert_eq!(map.value(sample), value.as_f64(), "{file} at {at}");
    }
}
