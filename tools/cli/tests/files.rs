//! What the command says of files and makes of them.

mod common;

use common::{command, done, folder, refused, run};
use serde_json::{Value, json};
use std::path::Path;

/// 6 × 6 samples. One is void, so far from the edges that each other one has ground beside it.
const GRID: &str = "ncols 6\nnrows 6\nxllcorner 0\nyllcorner 0\ncellsize 10\nNODATA_value -1\n1.5 2.25 3 3.5 4 4.5\n\
                    4 3.75 4 5 5.5 5\n2 3 4 5 6 5\n3 4 5 -1 6 5\n3 4 5 6 6 5\n2 2 3 4 5 6.1\n";
/// The sum of its heights.
const SUM: f64 = 145.1;

/// Samples that differ from each other, in a folder of their own.
fn ramp(test: &str, width: u32, height: u32) -> std::path::PathBuf {
    let folder = folder(test);
    let bytes: Vec<u8> = (0..width * height).flat_map(|i| ((i * 13 % 65521) as u16).to_le_bytes()).collect();
    std::fs::write(folder.join("ramp.r16"), bytes).expect("the map can be written");
    folder
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|why| panic!("{why}: {text}"))
}

fn bytes(folder: &Path, name: &str) -> Vec<u8> {
    std::fs::read(folder.join(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
}

#[test]
fn info_says_what_is_in_a_file() {
    let folder = folder("info");
    std::fs::write(folder.join("a.asc"), GRID).expect("a grid");
    let text = done(&folder, "info a.asc");
    assert!(text.contains("Esri ASCII grid") && text.contains("6 × 6 samples"), "{text}");
    let info = parsed(&done(&folder, "info a.asc --json"));
    for (key, value) in [
        ("width", json!(6)),
        ("height", json!(6)),
        ("format", json!("Esri ASCII grid")),
        ("spacing", json!([10.0, 10.0])),
        ("nodata", json!(-1.0)),
        ("voids", json!(1)),
        ("min", json!(1.5)),
        ("max_at", json!([5, 5])),
        ("units", json!("metres")),
        ("warnings", json!([])),
    ] {
        assert_eq!(info[key], value, "{key}");
    }
    assert!(info["mean"].as_f64().is_some_and(|mean| (mean - SUM / 35.0).abs() < 1e-6));
    let feet = parsed(&done(&folder, "info a.asc --json --units feet --fill nearest --spacing 3,4"));
    assert_eq!((&feet["min"], &feet["lowest"]), (&json!(1.5), &json!(1.5 * 0.3048)));
    assert_eq!((&feet["filled"], &feet["spacing"]), (&json!(1), &json!([3.0, 4.0])));
}

#[test]
fn info_of_several_files_is_a_list_and_skips_what_is_refused() {
    let folder = folder("infos");
    std::fs::write(folder.join("a.asc"), GRID).expect("a grid");
    std::fs::write(folder.join("b.asc"), GRID).expect("a grid");
    let list = parsed(&done(&folder, "info a.asc b.asc --json"));
    assert_eq!(list.as_array().map(Vec::len), Some(2));
    assert_eq!(done(&folder, "info a.asc b.asc").matches("Esri").count(), 2);
    let ended = run(&folder, "info a.asc none.asc b.asc other.asc --json");
    let list = parsed(&ended.out);
    assert_eq!((ended.code, list[1]["name"].as_str()), (1, Some("b.asc")));
    assert_eq!(ended.errors.lines().count(), 2, "{}", ended.errors);
    refused(&folder, "info none.asc --json", "none.asc: cannot be opened");
    std::fs::write(folder.join("c.png"), "no picture").expect("a file");
    refused(&folder, "info c.png", "no PNG signature");
    for line in ["--spacing -1", "--spacing 1,-2", "--resample -1"] {
        refused(&folder, &format!("info a.asc {line}"), "spacing");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_name_may_be_no_unicode() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = folder("name");
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.asc");
    std::fs::write(folder.join(name), GRID).expect("a grid");
    let output = command(&folder, "info --json").arg(name).output().expect("the command starts");
    let info = parsed(&String::from_utf8(output.stdout).expect("JSON is Unicode"));
    assert_eq!((output.status.code(), info["name"].as_str()), (Some(0), Some("caf\u{fffd}.asc")));
}

#[test]
fn a_height_is_the_sample_of_the_file() {
    let folder = ramp("height", 5, 4);
    std::fs::write(folder.join("a.asc"), GRID).expect("a grid");
    assert_eq!(done(&folder, "height a.asc 1 0"), "2.25\n");
    // What a 32-bit float holds of 6.1, to the last digit.
    assert_eq!(done(&folder, "height a.asc 5 5").trim().parse(), Ok(f64::from(6.1f32)));
    assert_eq!(done(&folder, "height a.asc 0 1 --units kilometres --metres"), "4000\n");
    assert_eq!(done(&folder, "height ramp.r16 4 3 --size 5x4"), "247\n");
    assert_eq!(done(&folder, "height ramp.r16 0 0 --raw-size 5x4 --flip both"), "247\n");
    assert_eq!(
        done(&folder, "height ramp.r16 1 1 --size 5x4 --crop 2,1,3x3"),
        format!("{}\n", 13 * (2 * 5 + 3))
    );
    assert_eq!(done(&folder, "height ramp.r16 4 3 --size 5x4 --range 0,65535 --metres"), "247\n");
    let void = run(&folder, "height a.asc 3 3");
    assert_eq!((void.code, &*void.out, &*void.errors), (4, "void\n", ""));
    let void = run(&folder, "height a.asc 3 3 --json");
    assert_eq!(parsed(&void.out), json!({ "column": 3, "row": 3, "value": null, "metres": null }));
    refused(&folder, "height a.asc 6 0", "the columns 0 to 5 and the rows 0 to 5");
}

#[test]
fn the_command_line_is_explained() {
    let folder = folder("usage");
    for line in
        ["", "info", "fly", "info a.asc --fill mud", "height a.asc 0", "render a.asc", "height a.asc -1 0"]
    {
        let ended = run(&folder, line);
        assert!(
            ended.code == 2 && ended.out.is_empty() && !ended.errors.is_empty(),
            "{line}: {}",
            ended.errors
        );
    }
    for line in ["--into 4294967295,0", "--into 0,4294967295", "--into 1"] {
        let ended = run(&folder, &format!("import a.asc ground {line}"));
        assert!(ended.code == 2 && ended.errors.contains("a column and a row of a map"), "{}", ended.errors);
    }
    assert!(run(&folder, "info a.asc --fill mud").errors.contains("inverse-distance"));
    let help = done(&folder, "--help");
    for part in ["Exit codes:", "130", "Examples:", "GeoTIFF"] {
        assert!(help.contains(part), "{part}: {help}");
    }
    for command in ["info", "height", "render", "export", "import", "completions"] {
        assert!(done(&folder, &format!("{command} --help")).contains("Examples:"), "{command}");
    }
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = done(&folder, &format!("completions {shell}"));
        assert!(script.contains("landform") && script.contains("tile-samples"), "{shell}");
    }
}

#[test]
fn what_is_exported_reads_back_with_the_options_that_are_printed() {
    let folder = ramp("export", 37, 23);
    let stated = "--size 37x23 --range -12.5,1000.1 --spacing 2,3.7";
    let info = |line: &str| parsed(&done(&folder, &format!("info --json {line}")));
    let first = info(&format!("ramp.r16 {stated}"));
    for (name, order) in [("a.png", ""), ("a.r16", ""), ("a.raw", "--out-byte-order be")] {
        let said = done(&folder, &format!("export ramp.r16 {name} {order} {stated}"));
        let (_, options) = said.trim().split_once("To read it back: ").expect("how it is read back");
        assert!(said.starts_with(&format!("{name}: 37 × 23 samples")), "{said}");
        done(&folder, &format!("export {name} again.r16 --force {options}"));
        assert!(bytes(&folder, "again.r16") == bytes(&folder, "ramp.r16"), "{name}");
        let again = info(&format!("{name} {options}"));
        for key in ["range", "spacing", "samples", "mean", "lowest", "highest"] {
            assert_eq!(first[key], again[key], "{name}: {key}");
        }
    }
}

#[test]
fn metres_survive_the_formats_that_hold_them() {
    let folder = folder("metres");
    std::fs::write(folder.join("a.asc"), GRID).expect("a grid");
    for out in ["b.tif", "b.exr"] {
        let said = done(&folder, &format!("export a.asc {out} --range 0,65.535"));
        assert!(said.contains("6 × 6 samples, metres"), "{said}");
        let info = parsed(&done(&folder, &format!("info {out} --json")));
        assert_eq!((&info["voids"], &info["width"]), (&json!(1), &json!(6)), "{out}");
        for (at, metres) in [("0 0", 1.5), ("1 0", 2.25), ("0 1", 4.0), ("5 5", 6.1)] {
            let height: f64 = done(&folder, &format!("height {out} {at}")).trim().parse().expect("a number");
            assert!((height - metres).abs() <= 0.0006, "{out}: {height} for {metres}");
        }
    }
    let said = done(&folder, "export a.asc b.png");
    assert!(said.contains("4 open quads are not in it"), "{said}");
    // A quad that is open by itself has no sample that could be void.
    let (mut field, _) = landform::import::import(folder.join("a.asc"), &Default::default()).unwrap();
    field.set_hole(landform::field::Quad::new(0, 2), true);
    field.set_hole(landform::field::Quad::new(4, 4), true);
    landform::import::export_folder(&field, folder.join("ground")).unwrap();
    for out in ["c.tif", "c.exr"] {
        let said = done(&folder, &format!("export ground {out}"));
        assert!(said.contains("1 of its 6 open quads are not in it, because voids are samples"), "{said}");
        assert_eq!(parsed(&done(&folder, &format!("info {out} --json")))["holes"], 5, "{out}");
        assert!(!done(&folder, &format!("export a.asc {out} --force")).contains("open quads"), "{out}");
    }
    done(&folder, "export a.asc whole.png --fill nearest");
}

#[test]
fn nothing_is_overwritten_unasked() {
    let folder = ramp("force", 5, 4);
    std::fs::write(folder.join("b.png"), "mine").expect("a file");
    refused(&folder, "export ramp.r16 b.png --size 5x4", "--force replaces it");
    refused(&folder, "export ramp.r16 b.jpg --size 5x4", ".png (16 bits)");
    refused(&folder, "export ramp.r16 b --size 5x4", ".exr");
    refused(&folder, "export ramp.r16 c.tif --out-byte-order be", "byte order of its own");
    refused(&folder, "export none.r16 new/c.png", "none.r16");
    assert_eq!(bytes(&folder, "b.png"), b"mine");
    assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), 2, "something else was written");
    done(&folder, "export ramp.r16 b.png --size 5x4 --force");
    done(&folder, "export ramp.r16 new/c.png --size 5x4");
    assert_eq!(bytes(&folder, "b.png"), bytes(&folder, "new/c.png"));
}

#[test]
fn a_terrain_folder_keeps_everything() {
    let folder = folder("terrain");
    std::fs::write(folder.join("a.asc"), GRID).expect("a grid");
    let report = done(&folder, "import a.asc ground --tile-samples 16");
    assert!(report.contains("Esri ASCII grid"), "{report}");
    let info = parsed(&done(&folder, "info ground --json"));
    assert_eq!(
        (&info["holes"], &info["spacing"], &info["range"]),
        (&json!(4), &json!([10.0, 10.0]), &json!([1.5, f64::from(6.1f32)]))
    );
    assert_eq!(done(&folder, "height ground 5 5 --metres").trim().parse(), Ok(f64::from(6.1f32)));
    done(&folder, "export ground b.tif");
    done(&folder, "import b.tif again");
    assert_eq!(bytes(&folder, "again/heights.png"), bytes(&folder, "ground/heights.png"));
    assert_eq!(bytes(&folder, "again/holes.png"), bytes(&folder, "ground/holes.png"));
    refused(&folder, "import a.asc ground", "--force replaces a terrain");
    let json = parsed(&done(&folder, "import a.asc ground --force --fill nearest --json"));
    assert_eq!((&json["filled"], &json["holes"]), (&json!(1), &json!(0)));
    std::fs::create_dir(folder.join("letters")).expect("a folder");
    refused(&folder, "import a.asc letters --force", "left alone");
}

#[test]
fn a_map_goes_into_a_rectangle_of_a_terrain() {
    let folder = ramp("into", 20, 10);
    let stated = "--size 20x10 --range 0,65.535 --spacing 10";
    done(&folder, &format!("import ramp.r16 ground {stated}"));
    std::fs::write(folder.join("a.asc"), GRID).expect("a grid");
    let before = bytes(&folder, "ground/heights.png");
    for line in ["--into 15,0", "--into 0,5"] {
        refused(&folder, &format!("import a.asc ground {line}"), "reach past");
    }
    refused(&folder, "import a.asc none --into 0,0", "none");
    assert_eq!(bytes(&folder, "ground/heights.png"), before);
    done(&folder, "import a.asc ground --into 4,3");
    let at = |x: u32, z: u32| run(&folder, &format!("height ground {x} {z}")).out.trim().to_string();
    assert_eq!([at(4, 3), at(5, 3), at(9, 8)], ["1500", "2250", "6100"]);
    assert_eq!(
        [at(3, 3), at(10, 4), at(4, 2)],
        [(3, 3), (10, 4), (4, 2)].map(|(x, z)| (13 * (20 * z + x)).to_string())
    );
    assert_eq!(parsed(&done(&folder, "info ground --json"))["holes"], 4);
    assert_eq!(std::fs::read_dir(&folder).expect("the folder").count(), 3, "something is left");
}

/// Sends an interrupt when `ready`, and expects an end with nothing but the input left.
#[cfg(target_os = "linux")]
fn interrupted(folder: &Path, line: &str, ready: impl Fn(u32) -> bool) {
    use std::time::{Duration, Instant};
    let mut child =
        command(folder, line).stderr(std::process::Stdio::piped()).spawn().expect("the command starts");
    let start = Instant::now();
    while !ready(child.id()) {
        assert!(start.elapsed() < Duration::from_secs(60), "{line}: not ready");
        assert!(child.try_wait().expect("the command").is_none(), "{line}: it ended too early");
        std::thread::sleep(Duration::from_millis(1));
    }
    // The shell's own kill: a small system has no program of that name.
    let kill = format!("kill -INT {}", child.id());
    let sent = std::process::Command::new("sh").args(["-c", &kill]).status().expect("a signal is sent");
    assert!(sent.success());
    let start = Instant::now();
    let ended = common::Ended::from(child.wait_with_output().expect("the command ends"));
    assert_eq!(ended.code, 130, "{line}: {}", ended.errors);
    assert!(start.elapsed() < Duration::from_secs(5), "{line}: it ended after {:?}", start.elapsed());
    let left: Vec<_> =
        std::fs::read_dir(folder).expect("the folder").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["big.r16"], "{line}");
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_leaves_nothing_half_written() {
    let folder = folder("interrupt");
    // Nothing but its length takes any disk.
    let file = std::fs::File::create(folder.join("big.r16")).expect("a file");
    file.set_len(2 * 8192 * 8192).expect("a long file");
    let listens = |process: u32| {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 2 != 0)
    };
    interrupted(&folder, "info big.r16", listens);
    let writes = |_: u32| std::fs::read_dir(&folder).is_ok_and(|entries| entries.count() > 1);
    interrupted(&folder, "export big.r16 big.png", writes);
    interrupted(&folder, "import big.r16 big", writes);
    // Every other sample or so is void, in no order: a fill that takes long.
    let mut state = 1u32;
    let samples = (0..4096 * 4096).flat_map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        ((state >> 31) as u16 * 500).to_le_bytes()
    });
    std::fs::write(folder.join("big.r16"), samples.collect::<Vec<_>>()).expect("a long file");
    let fills = std::cell::Cell::new(None);
    let half_a_second = |process: u32| {
        let since = fills.get().or(listens(process).then(std::time::Instant::now));
        fills.set(since);
        since.is_some_and(|since| since.elapsed() > std::time::Duration::from_millis(500))
    };
    interrupted(&folder, "import big.r16 big --nodata 0 --fill inverse-distance", half_a_second);
    std::fs::remove_dir_all(folder).expect("the folder can be removed");
}

/// A square picture of grey amounts, 16 bits each.
fn png_of_grey(side: u32, amounts: &[u16]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side, side);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header().expect("a header");
    let data: Vec<u8> = amounts.iter().flat_map(|amount| amount.to_be_bytes()).collect();
    writer.write_image_data(&data).expect("a picture");
    writer.finish().expect("its end");
    bytes
}

#[test]
fn weights_are_made_whole() {
    let folder = folder("weights");
    let weights =
        landform::field::Weights::of_amounts(2, 2, 3, &[9, 9, 9, 0, 0, 0, 1, 0, 3, 0, 7, 0]).unwrap();
    landform::import::export_weights(&weights, folder.join("a.png"), Default::default()).unwrap();
    let report = parsed(&done(&folder, "weights a.png a.png --json --alpha ignore"));
    assert_eq!((&report["layers"], &report["sums"]), (&json!(6), &json!([510.0, 510.0])));
    assert!(done(&folder, "weights a.png -o b.png").contains("3 layers, 255 together"));
    assert_eq!(bytes(&folder, "a.png"), bytes(&folder, "b.png"));
    refused(&folder, "weights a.png -o b.png", "--force replaces it");
    refused(&folder, "weights none.png", "none.png: cannot be opened");
    let amounts: Vec<u16> = (0..64 * 64).map(|index| if index % 64 < 32 { 257 } else { 3 * 257 }).collect();
    let image = png_of_grey(64, &amounts);
    std::fs::write(folder.join("faint.png"), image).expect("a picture");
    refused(&folder, "weights faint.png", "--faint");
    assert_eq!(parsed(&done(&folder, "weights faint.png --faint --json"))["sums"], json!([1.0, 3.0]));
}

/// Weights of five layers in two pictures of three, the last of which is empty and the second one too much by half.
fn five_layers(folder: &Path) {
    let picture = |name: &str, pixel: [u8; 3]| {
        let file = std::fs::File::create(folder.join(name)).expect("a file");
        let mut encoder = png::Encoder::new(file, 2, 2);
        encoder.set_color(png::ColorType::Rgb);
        let mut writer = encoder.write_header().expect("a header");
        writer.write_image_data(&[pixel; 4].concat()).expect("a picture");
    };
    picture("a.png", [100, 90, 55]);
    picture("b.png", [10, 77, 0]);
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder").flatten();
    let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn weights_of_many_layers_are_several_pictures() {
    let folder = folder("weights_many");
    five_layers(&folder);
    let said = done(&folder, "weights a.png b.png --over 4 -o out/c.png");
    assert!(
        said.contains("  over      4; ") && said.contains("  sums      255 to 255 of 255; 0 samples scaled"),
        "{said}"
    );
    assert!(said.ends_with("out/c-0.png: layers 0 to 3 of 6\nout/c-1.png: layers 4 to 5 of 6\n"), "{said}");
    // Whatever is said of them, they are what they were.
    let again = "weights out/c-0.png out/c-1.png --over 4 --json -o d.png --masks";
    let report = parsed(&done(&folder, again));
    assert_eq!((&report["layers"], &report["over"], &report["scaled"]), (&json!(6), &json!([4]), &json!(0)));
    assert_eq!((&report["written"][5], &report["assumptions"]), (&json!("d-5.png"), &json!([])));
    let expected =
        ["a.png", "b.png", "d-0.png", "d-1.png", "d-2.png", "d-3.png", "d-4.png", "d-5.png", "out"];
    assert_eq!(names_in(&folder), expected);
    let masks: Vec<_> = (0..6).map(|layer| folder.join(format!("d-{layer}.png"))).collect();
    let options = landform::import::WeightOptions::default().with_over(0b10000);
    let (weights, _) = landform::import::import_weights(&masks, &options).unwrap();
    assert_eq!(weights.bytes(), [[100, 90, 55, 10, 77, 0]; 4].concat());
    // Without a word on what lies over, all are shares.
    let report = parsed(&done(&folder, "weights a.png b.png --json"));
    assert_eq!((&report["over"], &report["scaled"], &report["written"]), (&json!([]), &json!(4), &json!([])));
    refused(
        &folder,
        "weights a.png --over 3",
        "--over 3: there is no such layer; the pictures have 3, from number 0 on",
    );
    assert_eq!(run(&folder, "weights a.png --masks").code, 2, "masks of what is not written");
}

#[test]
fn no_picture_of_weights_is_overwritten_unasked() {
    let folder = folder("weights_kept");
    five_layers(&folder);
    std::fs::write(folder.join("c-1.png"), "mine").expect("a file");
    refused(&folder, "weights a.png b.png -o c.png", "c-1.png is there already; --force replaces it");
    refused(&folder, "weights a.png b.png -o c.png --masks", "c-1.png is there already; --force replaces it");
    assert_eq!(
        (names_in(&folder), bytes(&folder, "c-1.png")),
        (["a.png", "b.png", "c-1.png"].map(String::from).to_vec(), b"mine".to_vec())
    );
    // A file of the plain name is not one of them.
    std::fs::write(folder.join("d.png"), "mine").expect("a file");
    done(&folder, "weights a.png b.png -o d.png");
    assert_eq!(bytes(&folder, "d.png"), b"mine");
    done(&folder, "weights a.png b.png -o c.png --force");
    assert_eq!(bytes(&folder, "c-1.png"), bytes(&folder, "d-1.png"));
    assert_eq!(names_in(&folder).len(), 7, "{:?}", names_in(&folder));
    // What is left of more layers is nobody's to remove, but would be read with the others.
    std::fs::write(folder.join("c-2.png"), "mine").expect("a file");
    let ended = run(&folder, "weights a.png b.png -o c.png --force");
    assert!(
        ended.errors.contains("c-2.png is there from before and none of these 2 files"),
        "{}",
        ended.errors
    );
    assert_eq!((ended.code, bytes(&folder, "c-2.png")), (0, b"mine".to_vec()));
}
