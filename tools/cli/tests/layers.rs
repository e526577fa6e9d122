//! Files of layers, and pictures of them: small ones, because a driver that draws on the CPU is slow with layers.

mod common;

use common::{done, folder, refused, run};
use landform_harness::{Image8, read_png, write_png};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

const SIDE: u32 = 33;

/// A folder with a map that rises a little to the north.
fn mapped(test: &str) -> PathBuf {
    let folder = folder(test);
    let code = |i: u32| ((SIDE - i / SIDE) * 100) as u16;
    let bytes: Vec<u8> = (0..SIDE * SIDE).flat_map(|i| code(i).to_le_bytes()).collect();
    std::fs::write(folder.join("map.r16"), bytes).expect("the map");
    folder
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).expect("a file");
}

/// A picture of `side` pixels a side.
fn paint(folder: &Path, name: &str, side: u32, color: impl Fn(u32, u32) -> [u8; 4]) {
    let data = (0..side * side).flat_map(|i| color(i % side, i / side)).collect();
    write_png(folder.join(name), &Image8 { width: side, height: side, data }).expect("a picture");
}

const TWO: &str = "(layers: [
    (name: \"red\", albedo: \"red.png\", tiling: 2),
    (name: \"blue\", albedo: \"blue.png\", tiling: 2),
], variation: (strength: 0))";

/// A map of two layers, and weights with the second in the east.
fn two_layers(test: &str) -> PathBuf {
    let folder = mapped(test);
    write(&folder, "two.ron", TWO);
    paint(&folder, "red.png", 4, |_, _| [200, 20, 20, 255]);
    paint(&folder, "blue.png", 4, |_, _| [20, 20, 200, 255]);
    paint(&folder, "weights.png", SIDE, |x, _| if x < 17 { [255, 0, 0, 255] } else { [0, 255, 0, 255] });
    folder
}

/// Draws the map from above, 64×36 pixels, and reads its report.
fn drawn(folder: &Path, line: &str) -> (Image8, Value) {
    let size = "--top-down --size 64x36";
    done(folder, &format!("render map.r16 -o a.png --json a.json --validation {size} {line}"));
    let report = std::fs::read_to_string(folder.join("a.json")).expect("the report");
    (read_png(folder.join("a.png")).expect("the picture"), serde_json::from_str(&report).expect("JSON"))
}

#[test]
fn the_example_with_its_textures_is_well() {
    let folder = folder("layers_example");
    let said = done(&folder, "layers example -o ground/ground.ron --textures 64");
    assert_eq!(said.lines().count(), 13, "{said}");
    refused(&folder, "layers example -o ground/ground.ron", "is there already; --force replaces it");
    let said = done(&folder, "layers check ground/ground.ron");
    let soil = "  soil: Height, every 2.5 m, detile
    rule     slope from 26° (soft 6), at most 0.8, ragged 0.8 over 30 m
    albedo   soil.albedo.png: 64×64 RGBA8 sRGB, 7 mips
    surface  soil.surface.png: 64×64 RGBA8, 7 mips
    normal   soil.normal.png: 64×64 RG8, 7 mips
";
    assert!(said.starts_with("ground/ground.ron: 4 layers, textures from ground\n"), "{said}");
    assert!(said.contains(soil), "{said}");
    assert!(said.contains("  rock: Height, every 6 m, triplanar, 24 m far away\n"), "{said}");
    assert!(
        said.contains("rule     slope to 43° (soft 8), altitude from 640 m (soft 110), ragged"),
        "{said}"
    );
    let needs =
        "  needs    4 slots, with the height path; 15 images in the fragment stage; 12 textures of 0.2 MB\n";
    assert!(said.ends_with(needs), "{said}");
    let report: Value =
        serde_json::from_str(&done(&folder, "layers check ground/ground.ron --json")).expect("JSON");
    assert_eq!((&report["slots"], &report["height_path"]), (&json!(4), &json!(true)));
    assert_eq!(report["layers"][3]["textures"][2]["format"], "RG8");
    assert_eq!((&report["problems"], &report["notes"]), (&json!([]), &json!([])));
}

#[test]
fn all_problems_are_told() {
    let folder = folder("layers_problems");
    paint(&folder, "a.png", 4, |_, _| [90, 80, 70, 255]);
    write(&folder, "broken.png", "no picture");
    let layers = "(layers: [
        (name: \"a\", albedo: \"a.png\", normal: \"gone.png\", surface: \"broken.png\"),
        (name: \"b\", albedo: \"a.png\", occlusion: \"one.png\", roughness: \"a.png\", height: \"two.png#a\"),
        (name: \"c\", albedo: \"gone.png\", metalness: \"a.png\", tiling: 0.01),
    ])";
    write(&folder, "ground.ron", layers);
    let ended = run(&folder, "layers check ground.ron");
    assert_eq!(ended.code, 1, "{}{}", ended.out, ended.errors);
    let problems: Vec<_> = ended.out.lines().filter(|line| line.starts_with("  PROBLEM  ")).collect();
    assert_eq!(problems.len(), 4, "{}", ended.out);
    for file in ["gone.png", "broken.png", "one.png", "two.png"] {
        assert!(problems.iter().any(|line| line.contains(file)), "{file}: {problems:?}");
    }
    assert!(ended.out.contains("gone.png: there is no such file; a layer names it as a texture"));
    assert!(ended.out.contains("    normal   gone.png: not read\n"), "{}", ended.out);
    let notes = ended.out.lines().filter(|line| line.starts_with("  NOTE     ")).count();
    assert_eq!(notes, 2, "{}", ended.out);
    assert!(ended.out.contains("tiling is metres a repeat, not repeats a metre"), "{}", ended.out);
    assert!(ended.out.contains("  needs    4 slots, without the height path; 15 images"), "{}", ended.out);
    assert_eq!(ended.errors, "landform: ground.ron: 4 problems with textures\n");
    let ended = run(&folder, "layers check ground.ron --json");
    let report: Value = serde_json::from_str(&ended.out).expect("JSON");
    assert_eq!((ended.code, report["problems"].as_array().map(Vec::len)), (1, Some(4)));
    // Textures that lie elsewhere.
    std::fs::create_dir(folder.join("elsewhere")).expect("a folder");
    write(&folder, "elsewhere/one.ron", "(layers: [(name: \"a\", albedo: \"a.png\")])");
    refused_with_a_report(&folder, "layers check elsewhere/one.ron");
    done(&folder, "layers check elsewhere/one.ron --textures .");
}

#[track_caller]
fn refused_with_a_report(folder: &Path, line: &str) {
    let ended = run(folder, line);
    assert!(ended.code == 1 && ended.out.contains("PROBLEM"), "{}{}", ended.out, ended.errors);
}

#[test]
fn a_file_that_is_no_list_of_layers_is_told_where() {
    let folder = folder("layers_refused");
    let says = |text: &str, part: &str| {
        write(&folder, "a.ron", text);
        refused(&folder, "layers check a.ron", part);
        refused(&folder, "layers check a.ron --json", "a.ron: ");
    };
    says("(layers: [\n  (name: \"rock\", tiling: 0)])", "line 2, column 26: ");
    says("(layers: [\n  (name: \"rock\", tiling: 0)])", "it can every 0.001 to 100000 m, for instance 4");
    says("(layers: [\n  (name: \"rock\",\n   colour: \"a.png\")])", "line 3, column 4: ");
    says("(layers: [(name: \"rock\", colour: \"a.png\")])", "`colour`");
    says("(layers: [(name: \"rock\"), (name: \"rock\")])", "two layers are called 'rock'");
    refused(&folder, "layers check none.ron", "none.ron: cannot be read");
}

#[test]
fn weights_lay_layers_where_they_say() {
    let folder = two_layers("layers_weights");
    let (image, report) = drawn(&folder, "--layers two.ron --weights weights.png");
    let ([west_red, _, west_blue, _], [east_red, _, east_blue, _]) =
        (image.pixel(24, 18), image.pixel(40, 18));
    assert!(west_red > west_blue + 60 && east_blue > east_red + 60, "{:?}", image.pixel(24, 18));
    assert_eq!(report["layers"], json!(["red", "blue"]));
    assert_eq!((&report["slots"], &report["height_path"]), (&json!(4), &json!(false)));
    assert_eq!(report["textures"], json!({ "pending": 0, "problems": [], "notes": [] }));
    assert!(report["samples"] == 1 || report["samples"] == 4, "{report}");
    // Without weights and without rules all of it is the first layer's.
    let (image, _) = drawn(&folder, "--layers two.ron --samples 4");
    assert!(image.pixel(40, 18)[0] > image.pixel(40, 18)[2] + 60, "{:?}", image.pixel(40, 18));
    let (_, report) = drawn(&folder, "--samples 4");
    assert_eq!(
        (&report["layers"], &report["slots"], &report["samples"]),
        (&json!([]), &Value::Null, &json!(4))
    );
}

#[test]
fn what_was_found_in_weights_is_said_and_a_layer_that_lies_over_keeps_its_own() {
    let folder = two_layers("layers_over");
    let modes =
        TWO.replace("name: \"blue\"", "name: \"blue\", mode: Alpha").replace("tiling: 2)", "tiling: 0.02)");
    write(&folder, "over.ron", &modes);
    // Over whole red there is as much blue as its channel says.
    paint(&folder, "weights.png", SIDE, |x, _| [255, if x < 17 { 0 } else { 255 }, 0, 255]);
    let line = "render map.r16 -o a.png --top-down --size 64x36 --weights weights.png --layers";
    let ended = run(&folder, &format!("{line} over.ron"));
    let said = "weights
  files     weights.png
  size      33 × 33 samples, 3 layers
  over      1; their values are kept, and are in no sum
  sums      255 to 255 of 255; 0 samples scaled, 0 empty ones have all of layer 0
  assumed   alpha is no layer, because it is the same everywhere (--alpha layer, or Alpha::Layer)
a.png
";
    assert_eq!((ended.code, ended.out.as_str()), (0, said), "{}", ended.errors);
    let notes: Vec<_> =
        ended.errors.lines().filter(|line| line.starts_with("landform: NOTE: over.ron: layer '")).collect();
    assert!(
        notes.len() == 2 && notes.iter().all(|note| note.contains("metres a repeat")),
        "{}",
        ended.errors
    );
    let [red, _, blue, _] = read_png(folder.join("a.png")).expect("the picture").pixel(40, 18);
    assert!(blue > red + 60, "{red} {blue}");
    // Where both share, the same picture is half and half there.
    assert!(done(&folder, &format!("{line} two.ron")).contains("255 to 510 of 255; 528 samples scaled"));
    let [red, _, blue, _] = read_png(folder.join("a.png")).expect("the picture").pixel(40, 18);
    assert!(blue.abs_diff(red) < 40, "{red} {blue}");
}

#[test]
fn ids_holes_and_regions_lie_where_they_say() {
    let folder = two_layers("layers_pictures");
    // Layers in green, holes in alpha; three quarters of the west are ground of number 0.
    let open = |x: u32, z: u32| if x < 12 && z < 12 { 0 } else { 255 };
    paint(&folder, "control.png", SIDE, |x, z| [40, u8::from(x >= 17), 0, open(x, z)]);
    let size = "--top-down --size 64x36";
    let line = "--layers two.ron --ids control.png#g --holes control.png#a --invert-holes";
    let (image, _) = drawn(&folder, line);
    let ([west_red, _, west_blue, _], [east_red, _, east_blue, _]) =
        (image.pixel(24, 24), image.pixel(40, 18));
    assert!(west_red > west_blue + 60 && east_blue > east_red + 60, "{:?}", image.pixel(24, 24));
    let around = image.pixel(2, 2);
    assert_eq!(image.pixel(19, 6), around, "a hole is seen through");
    // Holes are no layer.
    let said = done(&folder, &format!("render map.r16 -o a.png {size} --holes control.png#a --invert-holes"));
    assert!(said.contains("33 × 33 pixels, 144 of them marked\n  opened    144 quads\n"), "{said}");
    assert_eq!(read_png(folder.join("a.png")).expect("the picture").pixel(19, 6), around);
    // In the second set the layers change places.
    let remap = "sets: [(), (remap: {\"red\": \"blue\", \"blue\": \"red\"})], variation";
    write(&folder, "sets.ron", &TWO.replace("variation", remap));
    let (image, _) = drawn(&folder, "--layers sets.ron --regions weights.png");
    let ([west_red, _, west_blue, _], [east_red, _, east_blue, _]) =
        (image.pixel(24, 18), image.pixel(40, 18));
    assert!(west_red > west_blue + 60 && east_blue > east_red + 60, "{:?}", image.pixel(40, 18));
    let line = |more: &str| format!("render map.r16 -o b.png --layers two.ron {more}");
    refused(&folder, &line("--regions weights.png"), "regions choose among the blend sets of a material");
    refused(&folder, &line("--ids control.png"), "number 40 in the red channel");
    refused(
        &folder,
        &line("--holes red.png"),
        "red.png: is 4×4 pixels, and the map has 33×33 samples and 32×32 quads",
    );
    assert!(!folder.join("b.png").exists());
}

#[test]
fn weights_that_do_not_fit_are_refused() {
    let folder = two_layers("layers_misfit");
    paint(&folder, "small.png", 17, |x, _| if x < 9 { [255, 0, 0, 255] } else { [0, 255, 0, 255] });
    let line = |more: &str| format!("render map.r16 -o b.png --layers two.ron {more}");
    let both =
        "small.png: weights of 17×17 samples, and the map has 33×33; scale the picture to the map's size";
    refused(&folder, &line("--weights small.png"), both);
    paint(&folder, "third.png", SIDE, |x, z| [255, 0, ((x + z) % 256) as u8, 255]);
    refused(&folder, &line("--weights third.png"), "weights of 3 layers, and the material has 2");
    refused(&folder, &line("--weights none.png"), "none.png");
    assert_eq!(run(&folder, "render map.r16 -o b.png --weights weights.png").code, 2, "weights of no layers");
    assert!(!folder.join("b.png").exists());
}

#[test]
fn a_texture_that_is_missing_is_told_and_drawn_plain() {
    let folder = two_layers("layers_missing");
    std::fs::remove_file(folder.join("blue.png")).expect("a file");
    let line = "render map.r16 -o a.png --json a.json --top-down --size 64x36 --layers two.ron --weights weights.png";
    let ended = run(&folder, line);
    let told = "landform: WARNING: blue.png: there is no such file; a layer names it as a texture";
    assert!(ended.code == 0 && ended.errors.matches(told).count() == 1, "{}", ended.errors);
    let report = std::fs::read_to_string(folder.join("a.json")).expect("the report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["textures"]["problems"].as_array().map(Vec::len), Some(1), "{report}");
    let [red, green, blue, _] = read_png(folder.join("a.png")).expect("the picture").pixel(40, 18);
    assert!(
        red > 120 && red.abs_diff(green) < 40 && green.abs_diff(blue) < 60,
        "{red} {green} {blue} is not white"
    );
}

#[test]
fn green_down_is_green_up_the_other_way_round() {
    let folder = mapped("layers_normals");
    paint(&folder, "up.png", 4, |_, _| [128, 200, 228, 255]);
    paint(&folder, "down.png", 4, |_, _| [128, 55, 228, 255]);
    let picture = |layer: &str| {
        let text = format!("(layers: [(name: \"a\", tiling: 2, {layer})], variation: (strength: 0))");
        write(&folder, "a.ron", &text);
        drawn(&folder, "--layers a.ron --mode normals").0.pixel(32, 18)
    };
    let up = picture("normal: \"up.png\"");
    let down = picture("normal: \"down.png\", normal_down: true");
    let flat = picture("normal_strength: 0");
    assert!(up[1] > flat[1] + 20, "green up leans north: {up:?}, {flat:?}");
    assert!((0..3).all(|c| up[c].abs_diff(down[c]) <= 3), "{up:?} and {down:?}");
}
