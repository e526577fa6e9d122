//! The valley's lit frame in a window on a virtual display, driven by `--script`, with the validation layer on.

mod display;

use display::{Xvfb, assert_ground_and_sky, assert_success, finish, run, small_map, text, valley};
use landform_harness::read_png;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// In the lit frame: nodes off and on, every target, other sizes, a file that is changed and one that is broken.
#[test]
fn a_lit_frame_takes_whatever_is_done_to_it() {
    let test = "a_lit_frame_takes_whatever_is_done_to_it";
    let Some(display) = Xvfb::start(test) else { return };
    let at = |name: &str| display.folder.join(name);
    let (frame, whole) = (at("frame.ron"), at("whole.png"));
    let document = "(nodes: [StandardFrame(bare: true, motion: true, split: true, shadow_tile: 512, before_tonemap: [Host(name: \
                    \"rain\", writes: [\"SceneHdr\"])])])";
    std::fs::write(&frame, document).expect("a document");
    let mut script = String::new();
    // Eleven nodes, of which there are ten; each off, and on again.
    (0..22).for_each(|step| write!(script, "{} node {};", 2 + step, 1 + step / 2).expect("a string"));
    // The picture and seven targets.
    (0..8).for_each(|step| write!(script, "{} key T;", 26 + 2 * step).expect("a string"));
    let sizes = ["300x40", "1x1", "90x200", "0x0", "160x90", "640x400", "161x91"];
    for (step, size) in sizes.iter().enumerate() {
        write!(script, "{} resize {size};", 44 + 2 * step).expect("a string");
    }
    let [changed, broken, lit] = ["changed", "broken", "lit.png"].map(at);
    write!(
        script,
        "60 key L; 62 key L; 65 picture {}; 66 wait {}; 67 key R; 70 picture {}; 71 wait {}; 72 key R; 75 \
         picture {}; 76 quit",
        whole.display(),
        changed.display(),
        lit.display(),
        broken.display(),
        at("after.png").display(),
    )
    .expect("a string");
    let json = at("report.json");
    let mut command = valley(&display.folder);
    command.args(small_map(&display.folder)).args(["--size", "160x90", "--tier", "low", "--time", "10:30"]);
    command.arg("--frame").arg(&frame).args(["--script", &script, "--json"]).arg(&json);
    command.env("DISPLAY", &display.name).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the example starts");
    let mut wait_for = |path: &Path| {
        let start = Instant::now();
        while !path.exists()
            && start.elapsed() < Duration::from_secs(150)
            && matches!(child.try_wait(), Ok(None))
        {
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait_for(&whole);
    std::fs::write(&frame, "(nodes: [StandardFrame(bare: true, sky: false)])").expect("another document");
    std::fs::write(&changed, "").expect("the example can be told");
    wait_for(&lit);
    std::fs::write(&frame, "(nodes: [\n  StandardFrame(skies: false),\n])").expect("a broken document");
    std::fs::write(&broken, "").expect("the example can be told");
    let output = finish(child);
    assert_success(&output);
    let said = text(&output.stderr);
    assert!(said.contains("'rain' is recorded as nothing"), "{said}");
    assert!(said.contains("frame.ron") && said.contains("line 2") && said.contains("skies"), "{said}");
    let read = |path: &Path| read_png(path).expect("the example saved its picture");
    let (whole, lit, after) = (read(&whole), read(&lit), read(&at("after.png")));
    assert_eq!((whole.width, whole.height), (161, 91));
    assert_ground_and_sky("the lit frame", &whole, 0..161, 0..91);
    assert_eq!(lit.pixel(80, 2)[..3], [0, 0, 0], "the document without a sky is drawn");
    assert_eq!(lit, after, "a broken document changes nothing");
    let report = std::fs::read_to_string(json).expect("the report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("the report is JSON");
    assert_eq!((&report["lit"], &report["time"]), (&true.into(), &10.5.into()), "{report}");
    assert_eq!((&report["tier"], &report["preview_reason"]), (&"low".into(), &serde_json::Value::Null));
    assert!(report["frame_nodes"].as_array().is_some_and(|nodes| nodes.len() == 5), "{report}");
}

/// The device is lost in the middle of a flight: a sentence, an exit code, and what was saved before is whole.
#[test]
fn a_lost_device_ends_the_flight_with_a_sentence() {
    let test = "a_lost_device_ends_the_flight_with_a_sentence";
    let Some(display) = Xvfb::start(test) else { return };
    let picture = display.folder.join("before.png");
    let script = format!("3 picture {}; 6 lose; 60 quit", picture.display());
    let mut command = valley(&display.folder);
    command.args(small_map(&display.folder)).args(["--size", "160x90", "--tier", "low", "--script", &script]);
    let output = run(command.env("DISPLAY", &display.name));
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("vkQueueSubmit failed with ERROR_DEVICE_LOST") && !said.contains("panicked"),
        "{said}"
    );
    assert_ground_and_sky("what was saved", &read_png(&picture).expect("a whole picture"), 0..160, 0..90);
}
