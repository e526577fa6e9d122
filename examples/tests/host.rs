//! Runs the minimal engine as a person would: its exit code, its report and its picture, under the validation layer with
//! synchronisation validation.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The example, which cargo builds before this package's tests.
fn example() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let folder = test.parent().and_then(Path::parent).expect("target/PROFILE/deps/TEST");
    let example = folder.join("examples").join(format!("host{}", std::env::consts::EXE_SUFFIX));
    assert!(example.exists(), "{} is not built; run cargo build --example host", example.display());
    example
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("host");
    std::fs::create_dir_all(&folder).expect("a folder for pictures");
    folder.join(name)
}

/// Runs the example with the validation layer. The second value says whether the loader took the layer.
fn run_validated(picture: &Path) -> (Output, bool) {
    let output = Command::new(example())
        .arg(picture)
        .env("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation")
        .env("VK_LAYER_ENABLES", "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT")
        // The loader then says, on stderr, which layers it took.
        .env("VK_LOADER_DEBUG", "layer")
        .output()
        .expect("the example starts");
    let said = String::from_utf8_lossy(&output.stderr);
    let validated = said
        .lines()
        .any(|line| line.contains("Insert instance layer") && line.contains("KHRONOS_validation"));
    (output, validated)
}

#[test]
fn the_minimal_engine_draws_a_picture_and_the_layer_is_silent() {
    let picture = scratch("host.png");
    let _ = std::fs::remove_file(&picture);
    let (output, validated) = run_validated(&picture);
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");
    if !validated {
        eprintln!(
            "SKIPPED: the validation layer is not installed, so nothing was validated; run tools/setup"
        );
    }
    for word in ["VUID", "Validation Error", "Validation Warning", "SYNC-HAZARD"] {
        assert!(!out.contains(word) && !err.contains(word), "the validation layer said:\n{out}{err}");
    }
    // All of the ground, then one tile of sixteen: its block of 128×128 samples with its mips, two bytes each.
    let chain: u32 = (0..=7).map(|mip| (128u32 >> mip).pow(2)).sum();
    assert!(out.contains(&format!("frame 0: uploads 16 of 16 tiles, {} bytes", 16 * 2 * chain)), "{out}");
    assert!(out.contains(&format!("frame 12: uploads 1 of 16 tiles, {} bytes", 2 * chain)), "{out}");
    assert_eq!(out.matches("bytes\n").count(), 2, "only those two frames upload:\n{out}");
    look_at(&picture);
}

/// Sky above, ground below, and more than a few colours.
fn look_at(path: &Path) {
    let file = std::io::BufReader::new(std::fs::File::open(path).expect("the picture"));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut pixels).expect("all of it");
    assert_eq!((info.width, info.height), (960, 540));
    let row = |y: usize| pixels[y * 960 * 4..(y + 1) * 960 * 4].chunks_exact(4);
    let blue = |pixel: &[u8]| pixel[2] > pixel[1] && pixel[1] > pixel[0];
    assert!(row(0).all(blue), "the sky is blue");
    let green = |pixel: &&[u8]| pixel[1] > pixel[2];
    assert!(row(450).filter(green).count() > 480, "the ground is green");
    let colours: std::collections::HashSet<_> = pixels.chunks_exact(4).collect();
    assert!(colours.len() > 5000, "{} colours are no hills", colours.len());
}

#[test]
fn a_picture_that_cannot_be_written_is_a_sentence() {
    let output = Command::new(example()).arg(scratch("")).output().expect("the example starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("host: ") && said.contains("cannot be written"), "{said}");
}
