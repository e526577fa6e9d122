//! Pictures, looked at by their pixels. Each is drawn under the validation layer, whose messages are exit code 3.

mod common;

use common::{done, folder, refused, run};
use landform_harness::{Image8, read_png};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const SIDE: u32 = 129;

/// A map as three marks tell it: a square hill in the north-west, a tower in the south-east corner, flat ground elsewhere.
fn marked(test: &str) -> PathBuf {
    let folder = folder(test);
    let code = |x: u32, z: u32| match (x, z) {
        (16..48, 16..48) => 40_000u16,
        (120.., 120..) => 65_535,
        _ => 4_000,
    };
    let samples = (0..SIDE * SIDE).map(|i| code(i % SIDE, i / SIDE));
    std::fs::write(folder.join("map.r16"), samples.flat_map(u16::to_le_bytes).collect::<Vec<_>>())
        .expect("the map");
    folder
}

fn render(folder: &Path, line: &str) -> (Image8, Value) {
    done(folder, &format!("render --validation -o a.png --json a.json {line}"));
    let report = std::fs::read_to_string(folder.join("a.json")).expect("the report");
    let image = read_png(folder.join("a.png")).expect("the picture");
    (image, serde_json::from_str(&report).expect("JSON"))
}

fn light([red, green, blue, _]: [u8; 4]) -> u32 {
    u32::from(red) + u32::from(green) + u32::from(blue)
}

/// True for what is around a map that is seen straight down.
fn is_around([red, green, blue, _]: [u8; 4]) -> bool {
    blue > red.saturating_add(20) && blue > green.saturating_add(15)
}

#[test]
fn a_picture_straight_down_has_north_up_and_west_left() {
    let folder = marked("top_down");
    let (image, report) = render(&folder, "map.r16 --spacing 2 --range 0,40 --top-down --size 400x300");
    assert_eq!((image.width, image.height), (400, 300));
    // The map is a square in the middle.
    let across: Vec<_> = (0..400).map(|x| is_around(image.pixel(x, 100))).collect();
    let down: Vec<_> = (0..300).map(|y| is_around(image.pixel(200, y))).collect();
    let ends =
        |line: &[bool]| (line.iter().position(|around| !around), line.iter().rposition(|around| !around));
    let ((Some(west), Some(east)), (Some(north), Some(south))) = (ends(&across), ends(&down)) else {
        panic!("there is no map in the picture");
    };
    assert!(across[west..=east].iter().chain(&down[north..=south]).all(|around| !around), "the map has gaps");
    assert!(
        (east - west).abs_diff(south - north) <= 1 && (3..20).contains(&north),
        "{west} {east} {north} {south}"
    );
    assert!(
        west.abs_diff(399 - east) <= 1 && north.abs_diff(299 - south) <= 1,
        "{west} {east} {north} {south}"
    );
    let at = |x: f64, z: f64| {
        let pixel =
            |from: usize, to: usize, part: f64| (from as f64 + (to - from) as f64 * part).round() as u32;
        image.pixel(pixel(west, east, x), pixel(north, south, z))
    };
    let (plain, tower, hill) = (light(at(0.6, 0.4)), light(at(0.97, 0.97)), light(at(0.25, 0.25)));
    assert!(tower > plain + 200, "the tower is {tower}, the plain {plain}");
    assert!(hill.abs_diff(plain) > 20, "the hill is {hill}, the plain {plain}");
    for (x, z) in [(0.03, 0.03), (0.97, 0.03), (0.03, 0.97)] {
        assert!(light(at(x, z)).abs_diff(plain) < 30, "there is a mark at {x}, {z}");
    }
    // Light comes from the north-west.
    let (lit, shaded) = (light(at(15.5 / 128.0, 0.25)), light(at(47.5 / 128.0, 0.25)));
    assert!(lit > shaded + 60, "{lit} in the west of the hill, {shaded} in the east");
    for (key, value) in [
        ("size", json!([400, 300])),
        ("projection", json!("orthographic")),
        ("draws", json!(1)),
        ("mode", json!("shaded")),
    ] {
        assert_eq!(report[key], value, "{key}");
    }
    let pixel = report["metres_a_pixel"].as_f64().expect("metres a pixel");
    assert!((pixel * (east - west + 1) as f64 - 256.0).abs() < 2.0 * pixel, "{pixel}");
}

#[test]
fn a_whole_map_is_seen_without_a_camera() {
    let folder = marked("whole");
    let (image, report) = render(&folder, "map.r16 --spacing 2 --range 0,40 --size 640x360 --samples 1");
    let sky = image.pixel(0, 0);
    let is_ground = |x: u32, y: u32| image.pixel(x, y).iter().zip(sky).any(|(a, b)| a.abs_diff(b) > 12);
    let (mut columns, mut rows) = ((640, 0), (360, 0));
    for (x, y) in (0..360).flat_map(|y| (0..640).map(move |x| (x, y))).filter(|&(x, y)| is_ground(x, y)) {
        columns = (columns.0.min(x), columns.1.max(x));
        rows = (rows.0.min(y), rows.1.max(y));
    }
    assert!(columns.0 > 2 && columns.1 < 637 && rows.0 > 2 && rows.1 < 357, "{columns:?} {rows:?}");
    let fills = (columns.1 - columns.0) > 560 || (rows.1 - rows.0) > 290;
    assert!(fills, "{columns:?} {rows:?}");
    assert_eq!(report["projection"], "perspective");
    for key in [
        "size",
        "camera",
        "device",
        "driver",
        "draws",
        "nodes",
        "triangles",
        "gpu_ms",
        "upload_bytes",
        "map",
        "import",
        "sun",
    ] {
        assert!(report.get(key).is_some(), "{key} is not in {report}");
    }
    assert!(report["nodes"].as_u64() > Some(0) && report["triangles"].as_u64() > Some(1000));
    assert_eq!(
        (&report["import"]["width"], &report["import"]["format"]),
        (&json!(SIDE), &json!("raw samples"))
    );
}

#[test]
fn a_stated_camera_is_where_it_is_stated() {
    let folder = marked("camera");
    let (image, report) =
        render(&folder, "map.r16 --range 0,40 --camera 64,+10,100,-5,-12 --size 160x90 --mode normals");
    assert_eq!((report["camera"][0].as_f64(), report["camera"][3].as_f64()), (Some(64.0), Some(-5.0)));
    let ground = 40.0 * 4_000.0 / 65_535.0 + 10.0;
    assert!(report["camera"][1].as_f64().is_some_and(|y| (y - ground).abs() < 1e-6), "{report}");
    // Flat ground has its normal up, which is blue.
    let [red, green, blue, _] = image.pixel(80, 85);
    assert!(blue > red + 40 && blue > green + 40, "{:?}", image.pixel(80, 85));
    // A camera under the ground is said, and is no fault.
    let ended = run(&folder, "render map.r16 -o under.png --camera 64,-50,64,0,0 --size 64x64");
    assert!(ended.code == 0 && ended.errors.contains("below the ground"), "{}", ended.errors);
}

#[test]
fn holes_are_seen_through() {
    let folder = folder("holes");
    let mut grid = "ncols 65\nnrows 65\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9\n".to_string();
    for z in 0..65 {
        let row: Vec<_> = (0..65).map(|x| if (20..40).contains(&x) && z > 40 { "-9" } else { "5" }).collect();
        grid += &(row.join(" ") + "\n");
    }
    std::fs::write(folder.join("a.asc"), grid).expect("a grid");
    done(&folder, "import a.asc ground");
    for file in ["a.asc", "ground"] {
        let (image, _) = render(&folder, &format!("{file} --top-down --size 128x128 --samples 1"));
        assert!(is_around(image.pixel(58, 100)) && !is_around(image.pixel(58, 60)), "{file}");
    }
}

#[test]
fn what_cannot_be_drawn_is_said_before_anything_is_written() {
    let folder = marked("refused");
    refused(&folder, "render none.png -o b.png", "none.png");
    refused(&folder, "render map.r16 -o b.png --pixel-error=-1", "pixel");
    let no_driver = common::command(&folder, "render map.r16 -o b.png")
        .env("VK_DRIVER_FILES", "/nonexistent")
        .env("VK_ICD_FILENAMES", "/nonexistent")
        .output()
        .expect("the command starts");
    let ended = common::Ended::from(no_driver);
    assert!(ended.code == 5 && ended.errors.contains("no Vulkan driver"), "{}: {}", ended.code, ended.errors);
    let ended = run(&folder, "render map.r16 -o b.png --device nobody's");
    assert!(ended.code == 5 && ended.errors.contains("there are: 0 "), "{}: {}", ended.code, ended.errors);
    for line in ["--camera 1,2,3 -o b.png", "--camera 1,2,3,4,5 --top-down -o b.png", "--sun 10,0 -o b.png"] {
        assert_eq!(run(&folder, &format!("render map.r16 {line}")).code, 2, "{line}");
    }
    assert!(!folder.join("b.png").exists());
    assert!(done(&folder, "devices").starts_with("0 "));
}
