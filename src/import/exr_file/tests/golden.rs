//! Files that others wrote. They are not part of the repository; a test whose files are not there says so and passes.

use super::*;
use serde_json::Value;
use std::path::{Path, PathBuf};

fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    if !folder.is_dir() {
        eprintln!("SKIPPED: {} is not there", folder.display());
        return None;
    }
    Some(folder)
}

#[test]
fn pictures_of_three_writers_hold_what_another_reader_finds() {
    let Some(folder) = shared() else { return };
    let golden: Value = serde_json::from_slice(&std::fs::read(folder.join("golden.json")).unwrap()).unwrap();
    let number = |value: &Value| value.as_f64().unwrap();
    let mut files = 0;
    for (name, wanted) in golden.as_object().unwrap() {
        if !name.ends_with(".exr") {
            continue;
        }
        files += 1;
        let map = Heightmap::read(folder.join(name), &plain()).unwrap_or_else(|error| panic!("{error}"));
        let report = map.report();
        assert_eq!(
            (number(&wanted["width"]), number(&wanted["height"])),
            (report.width.into(), report.height.into())
        );
        assert_eq!(report.bit_depth, if wanted["dtype"] == "float16" { 16 } else { 32 }, "{name}");
        assert_eq!(report.voids as f64, number(&wanted["nodata_px"]), "{name}");
        assert_eq!((report.min, report.max), (number(&wanted["min"]), number(&wanted["max"])), "{name}");
        assert!((report.mean - number(&wanted["mean"])).abs() < 1e-4, "{name}: {}", report.mean);
        let [row, column] = [0, 1].map(|at| wanted["max_at_rowcol"][at].as_u64().unwrap() as u32);
        assert_eq!(report.max_at, Sample::new(column, row), "{name}");
        for (place, value) in wanted["probes"].as_object().unwrap() {
            let (row, column) = place.split_once(',').unwrap();
            let sample = Sample::new(column.parse().unwrap(), row.parse().unwrap());
            assert_eq!(map.value(sample), Some(number(value)), "{name} at {place}");
        }
    }
    assert_eq!(files, 5);
}
