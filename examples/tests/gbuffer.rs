//! Runs the foreign G-buffer as a person would: its exit code, its report and its planes, under the validation layer.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The example, which cargo builds before this package's tests.
fn example() -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let folder = test.parent().and_then(Path::parent).expect("target/PROFILE/deps/TEST");
    let example = folder.join("examples").join(format!("gbuffer{}", std::env::consts::EXE_SUFFIX));
    assert!(example.exists(), "{} is not built; run cargo build --example gbuffer", example.display());
    example
}

/// The pixels of a picture of 320×180, RGB.
fn pixels(folder: &Path, name: &str) -> Vec<[u8; 3]> {
    let path = folder.join(format!("{name}.png"));
    let file =
        std::io::BufReader::new(std::fs::File::open(&path).unwrap_or_else(|why| panic!("{name}: {why}")));
    let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
    let mut data = vec![0; reader.output_buffer_size().expect("a size")];
    let info = reader.next_frame(&mut data).expect("all of it");
    assert_eq!((info.width, info.height), (320, 180), "{name}");
    data.chunks_exact(4).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
}

/// The two numbers of a line of the report, metres.
fn metres(report: &str, line: &str) -> (f32, f32) {
    let rest =
        report.lines().find_map(|said| said.strip_prefix(line)).unwrap_or_else(|| panic!("{line}: {report}"));
    let (low, high) = rest.trim_end_matches(" m").split_once(" m to ").expect("two numbers");
    (low.parse().expect("metres"), high.parse().expect("metres"))
}

#[test]
fn a_foreign_g_buffer_is_drawn_and_lit_and_the_layer_is_silent() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gbuffer");
    let mut command = Command::new(example());
    // The harness' host validates wherever the layer is installed; what the layer says fails the example.
    let output =
        command.arg("--out").arg(&folder).args(["--size", "320x180"]).output().expect("the example starts");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out}{err}");

    let (lowest, highest) = metres(&out, "the terrain is from ");
    let (low, high) = metres(&out, "heights from ");
    assert!(lowest <= low + 0.01 && high <= highest + 0.01, "{low} to {high} m of {lowest} to {highest} m");
    assert!(high - low > 0.4 * (highest - lowest), "only {low} to {high} m are seen");

    // Where something was drawn its height is not black.
    let heights = pixels(&folder, "height");
    let ground: Vec<usize> = (0..heights.len()).filter(|index| heights[*index][0] > 0).collect();
    assert!((20_000..50_000).contains(&ground.len()), "{} pixels of ground", ground.len());
    let normals = pixels(&folder, "normal");
    let part = |colour: u8| f32::from(colour) / 127.5 - 1.0;
    let mut up = 0.0;
    for index in &ground {
        let [x, y, z] = normals[*index].map(part);
        let length = (x * x + y * y + z * z).sqrt();
        assert!((length - 1.0).abs() < 0.02, "a normal of length {length}");
        assert!(y > -0.2, "ground faces up, and this {x} {y} {z}");
        up += y / ground.len() as f32;
    }
    assert!((0.5..0.99).contains(&up), "normals are {up} upward on average");
    let rough = pixels(&folder, "rough");
    assert!(ground.iter().all(|index| rough[*index][0] > 40), "no ground is a mirror");
    let albedo = pixels(&folder, "albedo");
    let colours: std::collections::HashSet<_> = ground.iter().map(|index| albedo[*index]).collect();
    assert!(colours.len() > 2000, "{} colours are no layers", colours.len());
    let lit = pixels(&folder, "gbuffer");
    assert!(lit[..320].iter().all(|[r, _, b]| b > r), "the sky is blue");
    assert!(ground.iter().all(|index| lit[*index] != [0, 0, 0]), "no ground is black");
}

#[test]
fn a_folder_that_cannot_be_made_is_a_sentence() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("gbuffer-no-folder");
    std::fs::write(&file, "a file").expect("a file");
    let arguments = ["--size", "16x16", "--out"];
    let output = Command::new(example()).args(arguments).arg(&file).output().expect("the example starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.starts_with("gbuffer: "), "{said}");
}
