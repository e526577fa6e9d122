//! The program runs, and prints what it promises. No number that takes time is held: a test shares its machine.

use serde_json::Value;
use std::process::Command;

fn bench(arguments: &[&str]) -> String {
    let program = Command::new(env!("CARGO_BIN_EXE_landform-bench")).args(arguments).output();
    let output = program.expect("the benchmark starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("Unicode")
}

fn report(arguments: &[&str]) -> Value {
    serde_json::from_str(&bench(arguments)).expect("JSON")
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().unwrap_or_else(|| panic!("no list {name} in {value:#}"))
}

#[test]
fn the_processor_is_measured() {
    let report = report(&["cpu", "--quick"]);
    let cpu = &report["cpu"];
    assert_eq!(cpu["map"]["is_the_reference_map"], true);
    // A tenth of the reference's tree.
    assert!(cpu["bounds"]["bytes"].as_f64().is_some_and(|bytes| bytes < 1.05e5));
    let selection = list(cpu, "selection");
    assert_eq!(selection.len(), 6);
    for row in selection {
        let visited = |who: &str| row[who]["visited_a_frame"].as_f64();
        // The baseline counts the root, which is visited without a test.
        assert_eq!(visited("landform").map(|nodes| nodes + 1.0), visited("naive"), "{row:#}");
        assert!(row["nodes_selected_by_one_only"].as_u64().is_some_and(|nodes| nodes < 64), "{row:#}");
    }
}

#[test]
fn the_device_is_measured() {
    let report = report(&["gpu", "--quick"]);
    let gpu = &report["gpu"];
    for nothing in ["most_texture_bytes", "most_allocations", "most_descriptor_writes", "most_sets_made"] {
        assert_eq!(gpu["steady"][nothing], 0, "{:#}", gpu["steady"]);
    }
    assert_eq!(gpu["upload"]["tiles"], 289);
    let passes = list(gpu, "passes");
    assert_eq!(passes.len(), 3, "a grid each");
    for row in passes {
        assert!(row["milliseconds"]["surface"].as_f64().is_some_and(|time| time > 0.0), "{row:#}");
    }
}

#[test]
fn layers_are_measured() {
    let report = report(&["layers", "--quick"]);
    let layers = &report["layers"];
    for nothing in ["most_texture_bytes", "most_allocations", "most_descriptor_writes", "most_sets_made"] {
        assert_eq!(layers["steady"][nothing], 0, "{:#}", layers["steady"]);
    }
    for first in ["terrain", "textures"] {
        assert!(layers["first_frame"][first]["bytes"].as_u64().is_some_and(|bytes| bytes > 0), "{first}");
    }
    for row in list(layers, "cases") {
        assert!(row["milliseconds"].as_f64().is_some_and(|time| time > 0.0), "{row:#}");
        // Where all are present all are read, and nearly everywhere three where three are.
        let (present, read) = (row["present"].as_f64(), row["layers_read_a_pixel"].as_f64());
        if let (Some(present), Some(read)) = (present, read) {
            assert!((read - present).abs() < 0.3, "{row:#}");
        }
    }
    let goals = list(layers, "ratios").iter().filter(|row| row["goal"] == 1.3).count();
    assert_eq!(goals, 2, "slots that nothing lies in, by weight and by height");
}

#[test]
fn casters_are_measured() {
    let report = report(&["casters", "--quick"]);
    let tiles = list(&report["casters"], "tiles");
    assert_eq!(tiles.len(), 2);
    for tile in tiles {
        for nothing in ["most_allocations", "most_descriptor_writes"] {
            assert_eq!(tile[nothing], 0, "{tile:#}");
        }
        assert!(tile["all_over_depth"].as_f64().is_some_and(|ratio| ratio > 0.0), "{tile:#}");
        for row in list(tile, "cascades") {
            assert!(
                row["patches"].as_f64().is_some_and(|patches| (1.0..=256.0).contains(&patches)),
                "{row:#}"
            );
            assert!(row["milliseconds"].as_f64().is_some_and(|time| time > 0.0), "{row:#}");
        }
    }
}

#[test]
fn import_is_measured() {
    let report = report(&["import", "--quick"]);
    let formats = list(&report["import"], "formats");
    assert!(formats.len() >= 9, "{report:#}");
    for row in formats {
        for key in ["import_megabytes_a_second", "library_megabytes_a_second"] {
            assert!(row[key].as_f64().is_some_and(|speed| speed > 0.0), "{row:#}");
        }
    }
}

#[test]
fn tables_are_for_people() {
    let table = bench(&["cpu", "--quick", "--table"]);
    assert!(table.contains("ns/visited") && table.contains("legal ranges, leaf 32"), "{table}");
}

#[test]
fn a_frame_is_measured() {
    let report = report(&["frame", "--quick"]);
    let measured = list(&report["frame"], "measured");
    assert_eq!(measured.len(), 2);
    for frame in measured {
        let steady = &frame["steady"];
        for nothing in ["most_allocations_a_frame", "descriptor_writes"] {
            assert_eq!(steady[nothing], 0, "{frame:#}");
        }
        let nodes = list(frame, "nodes");
        assert!(nodes.len() >= 6, "{frame:#}");
        assert!(nodes.iter().all(|node| node["ms"].as_f64().is_some_and(|time| time >= 0.0)), "{frame:#}");
    }
}

#[test]
fn lamps_are_measured() {
    let report = report(&["lamps", "--quick", "--lamps", "16,256"]);
    let counts = list(&report["lamps"], "counts");
    assert_eq!(counts.len(), 2);
    for row in counts {
        for nothing in ["most_allocations", "descriptor_writes"] {
            assert_eq!(row[nothing], 0, "{row:#}");
        }
        assert!(row["cpu_us"].as_f64().is_some_and(|time| time > 0.0), "{row:#}");
        let listed = |who: &str| row[who].as_f64().expect("a number");
        let (cpu, device) = (listed("listed_by_cpu"), listed("listed_by_device"));
        assert!(cpu > 0.0 && (cpu - device).abs() <= 0.02 * cpu, "{row:#}");
    }
}
