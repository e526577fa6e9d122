//! The valley as a person runs it: in a window on a virtual display, without a display, without a driver, interrupted.
//!
//! The windowed tests start an Xvfb of their own and photograph it through its frame buffer file. The example drives
//! itself with `--script`, so that no other tool is needed. Each run has the validation layer on, and the example's exit
//! code says whether the layer was silent.

mod display;

use display::{Xvfb, assert_ground_and_sky, assert_success, finish, folder, run, small_map, text, valley};
use landform_harness::{Image8, read_png, write_png};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// How much of a photograph is like a picture beside the panel, and above the line that says where the picture is.
fn likeness(photograph: &Image8, picture: &Image8) -> f64 {
    let beside = |image: &Image8| -> Vec<[u8; 4]> {
        (0..400).flat_map(|y| (420..800).map(move |x| (x, y))).map(|(x, y)| image.pixel(x, y)).collect()
    };
    let (seen, drawn) = (beside(photograph), beside(picture));
    let near = |(a, b): &(&[u8; 4], &[u8; 4])| (0..3).all(|channel| a[channel].abs_diff(b[channel]) <= 2);
    seen.iter().zip(&drawn).filter(near).count() as f64 / seen.len() as f64
}

#[test]
fn a_window_shows_the_valley() {
    let test = "a_window_shows_the_valley";
    let Some(display) = Xvfb::start(test) else { return };
    let (picture, photographed) = (display.folder.join("picture.png"), display.folder.join("photographed"));
    let script = format!(
        "8 picture {}; 9 wait {}; 10 key P; 11 key M; 13 key F; 16 key H; 18 key M; 20 key M; 22 key M; 24 key M; 25 key F; \
         26 key Home; 28 key F11; 31 key F11; 34 key Esc",
        picture.display(),
        photographed.display()
    );
    let json = display.folder.join("report.json");
    let mut command = valley(&display.folder);
    command.args(small_map(&display.folder)).args([
        "--size",
        "800x480",
        "--camera",
        "512,+60,900,0,-8",
        "--time",
        "9:00",
        "--json",
    ]);
    command.arg(&json).args(["--samples", "4", "--script", &script]).env("DISPLAY", &display.name);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the example starts");
    let start = Instant::now();
    // A picture that is there need not be whole yet.
    let mut saved = None;
    while saved.is_none()
        && start.elapsed() < Duration::from_secs(120)
        && matches!(child.try_wait(), Ok(None))
    {
        std::thread::sleep(Duration::from_millis(50));
        saved = read_png(&picture).ok();
    }
    let picture = saved.expect("the example saved its picture");
    assert_eq!((picture.width, picture.height), (800, 480));
    // The picture is drawn between two frames of the same view; the window shows one once more has been presented.
    let mut photograph = display.photograph();
    while likeness(&photograph, &picture) <= 0.999 && start.elapsed() < Duration::from_secs(150) {
        std::thread::sleep(Duration::from_millis(300));
        photograph = display.photograph();
    }
    write_png(display.folder.join("photograph.png"), &photograph).expect("the photograph can be looked at");
    std::fs::write(&photographed, "").expect("the example can be told to go on");
    assert_success(&finish(child));
    assert_ground_and_sky("the picture", &picture, 0..800, 0..480);
    assert_ground_and_sky("the photograph", &photograph, 400..800, 0..480);
    let alike = likeness(&photograph, &picture);
    assert!(alike > 0.999, "only {alike} of the window is like the picture");
    // The panel is there, darker than what is behind it.
    let brightness = |image: &Image8| (100..300).map(|y| u32::from(image.pixel(40, y)[1])).sum::<u32>();
    assert!(brightness(&photograph) * 2 < brightness(&picture), "the panel is not to be seen");
    assert!(display.folder.join("picture-001.png").is_file(), "the picture of the key");
    let report = std::fs::read_to_string(json).expect("the report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("the report is JSON");
    assert!(report["nodes"].as_u64() > Some(0) && report["device"].is_string(), "{report}");
}

#[test]
fn no_size_of_a_window_is_a_fault() {
    let test = "no_size_of_a_window_is_a_fault";
    let Some(display) = Xvfb::start(test) else { return };
    let mut script = String::new();
    let (mut seed, mut frame) = (1u64, 2);
    let mut next = |most: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
    // 200 sizes that nobody chose, and among them those that are a window's worst.
    for step in 0..206 {
        match step {
            8 | 130 => script.push_str(&format!("{frame} resize 1x1;")),
            13 => script.push_str(&format!("{frame} resize 0x0;")),
            71 => script.push_str(&format!("{frame} resize 120x0;")),
            154 => script.push_str(&format!("{frame} minimise;")),
            156 => script.push_str(&format!("{frame} restore;")),
            _ => {
                let (width, height) = (1 + next(900), 1 + next(600));
                write!(script, "{frame} resize {width}x{height};").expect("a string takes everything");
            }
        }
        // Often a size is replaced before it was drawn in.
        frame += next(3);
    }
    let last = display.folder.join("last.png");
    write!(
        script,
        "{} resize 320x200; {} picture {}; {} quit",
        frame + 1,
        frame + 8,
        last.display(),
        frame + 9
    )
    .expect("a string takes everything");
    let mut command = valley(&display.folder);
    command.args(small_map(&display.folder)).args(["--size", "300x200", "--preview", "--script", &script]);
    assert_success(&run(command.env("DISPLAY", &display.name)));
    let picture = read_png(&last).expect("the example saved its picture");
    assert_eq!((picture.width, picture.height), (320, 200));
}

#[test]
fn a_key_that_cannot_save_closes_no_window() {
    let test = "a_key_that_cannot_save_closes_no_window";
    let Some(display) = Xvfb::start(test) else { return };
    // A file where the folder for pictures should be: not even root can save there.
    let no_folder = display.folder.join("no-folder");
    std::fs::write(&no_folder, "").expect("a file");
    let script = |commands: &str| {
        let mut command = valley(&no_folder);
        command.args(small_map(&display.folder)).args(["--size", "160x90", "--script", commands]);
        run(command.env("DISPLAY", &display.name))
    };
    let output = script("2 key P; 9 quit");
    assert_success(&output);
    assert!(text(&output.stderr).contains("no-folder"), "{}", text(&output.stderr));
    let output = script(&format!("2 picture {}; 9 quit", no_folder.join("picture.png").display()));
    assert_eq!(output.status.code(), Some(1), "a script is told");
}

#[test]
fn without_a_display_there_are_pictures() {
    let folder = folder("without_a_display_there_are_pictures");
    let mut command = valley(&folder);
    let output = run(command.args(small_map(&folder)).args(["--size", "320x180", "--samples", "1"]));
    assert_success(&output);
    let said = text(&output.stdout);
    assert!(said.contains("There is no display"), "{said}");
    for name in ["overview", "floor", "ridge", "above", "dawn", "noon", "dusk", "lambda"] {
        let path = folder.join(format!("{name}.png"));
        assert!(said.contains(&path.display().to_string()), "{said}");
        let picture = read_png(&path).expect("the picture");
        assert_eq!((picture.width, picture.height), (320, 180));
    }
    let overview = read_png(folder.join("overview.png")).expect("the picture");
    assert_ground_and_sky("the overview", &overview, 0..320, 0..180);
    let report = std::fs::read_to_string(folder.join("report.json")).expect("the report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("the report is JSON");
    let first = &report["overview"];
    let keys = [
        "device",
        "driver",
        "size",
        "camera",
        "nodes",
        "visited",
        "culled",
        "triangles",
        "upload_bytes",
        "cpu_us",
    ];
    for key in keys.into_iter().chain(["gpu_ms", "near", "map"]) {
        assert!(first.get(key).is_some(), "{key} is not in {first}");
    }
    for key in ["frame_nodes", "tier", "time", "sun", "ev100", "preview_reason"] {
        assert!(first.get(key).is_some(), "{key} is not in {first}");
    }
    assert_eq!((&first["lit"], &report["lambda"]["lit"]), (&true.into(), &false.into()));
    for key in ["width", "height", "spacing", "range", "source"] {
        assert!(first["map"].get(key).is_some(), "{key} is not in {first}");
    }
}

#[test]
fn a_camera_under_the_ground_is_no_fault() {
    let folder = folder("a_camera_under_the_ground_is_no_fault");
    for (name, camera) in
        [("under", "100,-500,100,30,20"), ("inside", "40,20,512,90,0"), ("outside", "-9000,5,9e5,0,90")]
    {
        let path = folder.join(format!("{name}.png"));
        let mut command = valley(&folder);
        command.args(small_map(&folder)).arg("--shot").arg(&path).arg(format!("--camera={camera}"));
        assert_success(&run(command.args(["--size", "160x90"])));
        assert!(path.is_file());
    }
}

#[test]
fn what_is_missing_is_said_in_one_sentence() {
    let folder = folder("what_is_missing_is_said_in_one_sentence");
    let refused = |command: &mut Command, code: i32, part: &str| {
        let output = run(command);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{said}");
        assert!(
            said.trim().lines().count() == 1 && said.contains(part) && !said.contains("panicked"),
            "{said}"
        );
    };
    let no_driver = |command: &mut Command| {
        command.env("VK_DRIVER_FILES", "/nonexistent").env("VK_ICD_FILENAMES", "/nonexistent");
        refused(command, 2, "no Vulkan driver");
    };
    no_driver(&mut valley(&folder));
    no_driver(valley(&folder).arg("--list-devices"));
    no_driver(valley(&folder).args(small_map(&folder)));
    refused(
        valley(&folder).args(["--device", "no such device", "--heightmap", "none.png"]),
        2,
        "no such device",
    );
    refused(valley(&folder).args(["--heightmap", "no-such-file.png"]), 1, "no-such-file.png");
    refused(valley(&folder).args(["--map-size", "5"]), 1, "65 to 8193");
    let broken = folder.join("broken.ron");
    std::fs::write(&broken, "(nodes: [\n  StandardFrame(),\n  Tonemap(ev100: 99),\n])").expect("a document");
    refused(valley(&folder).arg("--frame").arg(&broken), 1, "broken.ron: line 3");
    refused(valley(&folder).args(["--target", "Depth"]), 1, "no target 'Depth'");
}

#[test]
#[cfg(unix)]
fn an_interrupt_leaves_no_broken_map() {
    let folder = folder("an_interrupt_leaves_no_broken_map");
    let mut command = valley(&folder);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the example starts");
    std::thread::sleep(Duration::from_secs(2));
    // The shell's own kill: a small system has no program of that name.
    let kill = format!("kill -INT {}", child.id());
    let sent = Command::new("sh").args(["-c", &kill]).status().expect("a signal is sent");
    assert!(sent.success());
    let output = finish(child);
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stderr));
    // Textures that were whole by then stay; a map does not, nor what was half written.
    let entries = |folder: &Path| {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries.map(|entry| entry.expect("a readable folder").path()).collect::<Vec<_>>()
    };
    for kept in entries(&folder.join("landform")) {
        let name = kept.file_name().unwrap_or_default().to_string_lossy().into_owned();
        assert!(name.starts_with("ground-"), "{name} in the cache");
        for texture in entries(&kept) {
            read_png(&texture).unwrap_or_else(|why| panic!("{}: {why}", texture.display()));
        }
    }
}

#[test]
fn layers_have_a_picture_of_their_own() {
    let folder = folder("layers_have_a_picture_of_their_own");
    let layers = folder.join("ground.ron");
    let text = "(layers: [(name: \"low\"), (name: \"high\", rule: (altitude: (from: 150, soft: 20)))])";
    std::fs::write(&layers, text).expect("the layers");
    let mut command = valley(&folder);
    command.args(small_map(&folder)).args(["--size", "96x54", "--layers"]).arg(&layers);
    assert_success(&run(&mut command));
    let picture = read_png(folder.join("layers.png")).expect("the picture");
    let mut colors: Vec<_> =
        picture.pixels().map(|[red, green, blue, _]| (red > green, green > blue)).collect();
    colors.sort_unstable();
    colors.dedup();
    assert!(colors.len() > 1, "two layers have two colours");
    let report = std::fs::read_to_string(folder.join("report.json")).expect("the report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("the report is JSON");
    assert_eq!(report["layers"]["layers"], serde_json::json!(["low", "high"]), "{report}");
    assert_eq!(report["layers"]["samples"], report["overview"]["samples"]);
}
