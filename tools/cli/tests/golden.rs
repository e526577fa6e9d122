//! Heightmaps that people have, held against what other readers found in them. The files are not part of the repository;
//! where they are not there the test says so and passes.

mod common;

use common::done;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn shared() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !folder.join("golden.json").is_file() {
        eprintln!("SKIPPED: {} is not there", folder.display());
        return None;
    }
    Some(folder)
}

fn golden(folder: &Path) -> serde_json::Map<String, Value> {
    let text = std::fs::read_to_string(folder.join("golden.json")).expect("golden.json");
    serde_json::from_str(&text).expect("golden.json is JSON")
}

/// What a file does not say about itself.
fn options(name: &str, row: &Value) -> String {
    let mut options = String::new();
    if let Some(bytes) = row["header_bytes"].as_u64() {
        options += &format!(" --offset {bytes}");
    }
    if name.ends_with(".raw") && row["dtype"].as_str().is_some_and(|kind| kind.starts_with('>')) {
        options += " --byte-order be";
    }
    options
}

#[track_caller]
fn assert_close(name: &str, key: &str, found: &Value, wanted: &Value) {
    let (Some(found), Some(wanted)) = (found.as_f64(), wanted.as_f64()) else {
        panic!("{name}: {key} is {found}, not {wanted}");
    };
    assert!((found - wanted).abs() <= 1e-4 + 1e-6 * wanted.abs(), "{name}: {key} is {found}, not {wanted}");
}

#[test]
fn info_is_what_other_readers_found() {
    let Some(folder) = shared() else { return };
    for (name, row) in golden(&folder) {
        let info = done(&folder, &format!("info --json {name}{}", options(&name, &row)));
        let info: Value = serde_json::from_str(&info).expect("JSON");
        assert_eq!((&info["width"], &info["height"]), (&row["width"], &row["height"]), "{name}");
        assert_eq!(info["voids"], row["nodata_px"], "{name}");
        for key in ["min", "max", "mean"] {
            assert_close(&name, key, &info[key], &row[key]);
        }
        let at = &row["max_at_rowcol"];
        assert_eq!(info["max_at"], json!([at[1], at[0]]), "{name}");
    }
}

/// A few files of each kind; `tests/import.rs` has them all.
#[test]
fn heights_are_what_other_readers_found() {
    let Some(folder) = shared() else { return };
    let golden = golden(&folder);
    for name in [
        "derived/everest_1025_be.raw",
        "heights/SainteHelens.dem",
        "heights/lumix_256_hdr32.raw",
        "heights/terrarium.png",
        "heights/rgbify_elev.tif",
        "heights/peak2.exr",
    ] {
        let row = golden.get(name).unwrap_or_else(|| panic!("golden.json has no {name}"));
        let probes = row["probes"].as_object().expect("probes");
        for (place, wanted) in probes {
            let (z, x) = place.split_once(',').expect("a row and a column");
            let ended = common::run(&folder, &format!("height {name} {x} {z}{}", options(name, row)));
            let found = match wanted {
                Value::Null => ended.code == 4 && ended.out == "void\n",
                number => ended.code == 0 && ended.out.trim().parse::<f64>().ok() == number.as_f64(),
            };
            let void = row["nodata"] == *wanted && ended.code == 4;
            assert!(found || void, "{name} {place}: {} for {wanted}", ended.out);
        }
    }
}
