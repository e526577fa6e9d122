use super::super::{MAX_SAMPLES, WeightOptions, import_weights};
use super::*;
use crate::field::Sample;
use png::{BitDepth, ColorType};
use std::fs::{self, File};
use std::path::PathBuf;

/// A folder for the pictures of a test, which removes itself.
pub(super) struct Folder(pub(super) PathBuf);

impl Folder {
    pub(super) fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("landform-weights-{}-{test}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A grey picture of 128 × 128 samples.
    fn grey(&self, amount: impl Fn(u32, u32) -> u8) -> PathBuf {
        let bytes: Vec<u8> = (0..128 * 128).map(|index| amount(index % 128, index / 128)).collect();
        self.picture("grey.png", (128, 128), ColorType::Grayscale, BitDepth::Eight, &bytes)
    }

    pub(super) fn picture(
        &self,
        name: &str,
        (width, height): (u32, u32),
        color: ColorType,
        depth: BitDepth,
        bytes: &[u8],
    ) -> PathBuf {
        let path = self.0.join(name);
        let mut encoder = png::Encoder::new(File::create(&path).unwrap(), width, height);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.write_header().unwrap().write_image_data(bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn read(path: &Path) -> Result<(Weights, WeightReport)> {
    import_weights(&[path], &WeightOptions::default())
}

#[test]
fn a_faint_layer_is_no_layer_number() {
    let folder = Folder::new("faint");
    let away = |x: u32, z: u32| (f64::from(x) - 64.0).hypot(f64::from(z) - 64.0);
    // Dabs that fade: up to 25 of 255, and so little that there are few values.
    for strength in [25.0, 10.0, 4.0] {
        let dab = folder.grey(|x, z| (strength * (1.0 - away(x, z) / 60.0)).max(0.0).round() as u8);
        read(&dab).unwrap_or_else(|why| panic!("{strength}: {why}"));
    }
    for constant in [1, 7, 31] {
        read(&folder.grey(|_, _| constant)).unwrap();
    }
    read(&folder.grey(|x, z| if away(x, z) < 30.0 { 32 } else { 0 })).unwrap();
}

#[test]
fn layer_numbers_are_refused_unless_they_are_stated_to_be_faint() {
    let folder = Folder::new("numbers");
    let stripes: [fn(u32) -> u8; 4] = [
        |x| (x / 64) as u8,
        |x| [0, 3, 1][(x / 43) as usize],
        |x| [0, 1, 2, 3, 4, 7, 2, 0][(x / 16) as usize],
        |x| [4, 0, 3, 1, 2, 4, 1, 0][(x / 16) as usize],
    ];
    for (number, stripe) in stripes.into_iter().enumerate() {
        let picture = folder.grey(|x, _| stripe(x));
        let text = read(&picture).map(|_| number).unwrap_err().to_string();
        assert!(text.contains("layer numbers") && text.contains("--faint"), "{text}");
        import_weights(&[picture], &WeightOptions::default().with_allow_faint(true)).unwrap();
    }
}

#[test]
fn channels_of_several_files_lie_side_by_side() {
    let folder = Folder::new("several");
    let bytes: Vec<u8> = (0..4 * 3 * 4).map(|index| 40 + index).collect();
    let eight = folder.picture("8.png", (4, 3), ColorType::Rgba, BitDepth::Eight, &bytes);
    let wide: Vec<u8> = (0..4 * 3).flat_map(|index: u16| (9000 + 1000 * index).to_be_bytes()).collect();
    let sixteen = folder.picture("16.png", (4, 3), ColorType::Grayscale, BitDepth::Sixteen, &wide);
    let options = WeightOptions::default().with_alpha(Alpha::Layer);
    let (weights, report) = import_weights(&[&eight, &sixteen, &eight], &options).unwrap();
    assert_eq!((weights.width(), weights.height(), weights.layers(), report.layers), (4, 3, 9, 9));
    let amounts: Vec<u16> = (0..12u16)
        .flat_map(|sample| {
            let eight = (0..4).map(move |channel| 257 * (40 + 4 * sample + channel));
            eight.clone().chain([9000 + 1000 * sample]).chain(eight)
        })
        .collect();
    assert_eq!(weights, Weights::of_amounts(4, 3, 9, &amounts).unwrap());
    let (three, report) = import_weights(&[&eight], &options.with_alpha(Alpha::Ignore)).unwrap();
    assert_eq!((three.layers(), three.at(Sample::new(0, 0))), (3, &[83, 85, 87][..]), "{report}");
    let (_, report) = import_weights(&[&sixteen, &eight], &WeightOptions::default()).unwrap();
    let assumed = report.assumptions.join("\n");
    assert!(
        assumed.ends_with("(--alpha ignore, or Alpha::Ignore)") && assumed.contains("8.png: alpha is"),
        "{assumed}"
    );
}

#[test]
fn what_lies_over_the_others_is_kept_and_in_no_sum() {
    let folder = Folder::new("over");
    let bytes = [[100u8, 40, 155], [60, 255, 60], [0, 7, 0], [255, 0, 0]];
    let picture = folder.picture("rgb.png", (4, 1), ColorType::Rgb, BitDepth::Eight, bytes.as_flattened());
    let options = WeightOptions::default();
    let (weights, report) = import_weights(&[&picture], &options.clone().with_over(0b010)).unwrap();
    assert_eq!(weights.bytes(), [100, 40, 155, 128, 255, 127, 255, 7, 0, 255, 0, 0]);
    assert_eq!((weights.over(), report.over, report.sums), (0b010, 0b010, (0.0, 255.0)));
    assert_eq!((report.scaled, report.empty), (2, 1), "{report}");
    let text = report.to_string();
    assert!(
        text.contains("over      1; their values") && text.contains("2 samples scaled, 1 empty"),
        "{text}"
    );
    assert_eq!(serde_json::to_value(&report).unwrap()["over"], serde_json::json!([1]));
    // Bits past the channels are of layers that are not in these pictures.
    let (plain, _) = import_weights(&[&picture], &options.clone().with_over(0b11000)).unwrap();
    assert_eq!((plain.over(), plain.at(Sample::new(2, 0))), (0, &[0, 255, 0][..]));
    // Where the first lies over, the second has what is empty.
    let (weights, report) = import_weights(&[&picture], &options.with_over(0b101)).unwrap();
    assert_eq!(weights.bytes(), [100, 255, 155, 60, 255, 60, 0, 255, 0, 255, 255, 0]);
    assert!(report.to_string().contains("1 empty ones have all of layer 1"), "{report}");
    // 16 bits become the nearest of 8.
    let wide: Vec<u8> = [0u16, 65535, 128, 65535, 129, 65535, 65534, 1].map(u16::to_be_bytes).concat();
    let picture = folder.picture("wide.png", (4, 1), ColorType::GrayscaleAlpha, BitDepth::Sixteen, &wide);
    let (weights, _) = import_weights(&[picture], &WeightOptions::default().with_over(1)).unwrap();
    assert_eq!(weights.bytes(), [0, 255, 0, 255, 1, 255, 255, 255]);
}

#[test]
fn where_every_channel_lies_over_something_lies_under() {
    let folder = Folder::new("all-over");
    let bytes = [[90u8, 40, 3], [0, 0, 200]];
    let picture = folder.picture("rgb.png", (2, 1), ColorType::Rgb, BitDepth::Eight, bytes.as_flattened());
    let read = |options: WeightOptions| import_weights(&[&picture], &options).unwrap();
    // Nothing else is known: the first, as in a blend.
    let (weights, report) = read(WeightOptions::default().with_over(u32::MAX));
    assert_eq!((weights.bytes(), weights.over()), (&[255, 40, 3, 255, 0, 200][..], 0b110));
    assert!(report.assumptions[0].starts_with("layer 0 lies under"), "{report}");
    // The first of the layers without a channel that does not lie over.
    let (weights, report) = read(WeightOptions::default().with_over(0b101_111).with_layers(12));
    assert_eq!((weights.bytes(), weights.over()), (&[90, 40, 3, 0, 255, 0, 0, 200, 0, 255][..], 0b01111));
    assert_eq!((report.layers, report.sums, report.empty, report.scaled), (5, (255.0, 255.0), 0, 0));
    assert!(
        report.assumptions[0].starts_with("layer 4 lies under") && report.warnings.is_empty(),
        "{report}"
    );
    let (weights, _) = read(WeightOptions::default().with_over(0b111).with_layers(3));
    assert_eq!(weights.over(), 0b110);
    for layers in [0, 33] {
        let options = WeightOptions::default().with_layers(layers);
        let text = import_weights(&[&picture], &options).unwrap_err().to_string();
        assert!(text.contains("1 to 32"), "{text}");
    }
}

#[test]
fn more_than_can_be_held_is_refused_by_the_headers() {
    let folder = Folder::new("large");
    let side = 4096;
    let picture = folder.picture(
        "large.png",
        (side, side),
        ColorType::Rgb,
        BitDepth::Eight,
        &vec![0; 3 * (side * side) as usize],
    );
    // Six of three channels are more than 2²⁸ weights.
    let text = import_weights(&[&picture; 6], &WeightOptions::default()).unwrap_err().to_string();
    assert!(text.contains("18 channels") && text.contains(&MAX_SAMPLES.to_string()), "{text}");
    let text = import_weights(&[&picture; 33], &WeightOptions::default()).unwrap_err().to_string();
    assert!(text.contains("1 to 32"), "{text}");
    let text = import_weights::<&Path>(&[], &WeightOptions::default()).unwrap_err().to_string();
    assert!(text.contains("no file"), "{text}");
}

#[test]
fn a_cut_picture_is_refused() {
    let folder = Folder::new("cut");
    let picture = folder.grey(|x, z| (x * z) as u8);
    let whole = fs::read(&picture).unwrap();
    for length in [0, 20, 60, whole.len() / 2, whole.len() - 20] {
        fs::write(&picture, &whole[..length]).unwrap();
        assert!(read(&picture).is_err(), "{length} of {}", whole.len());
    }
}

/// Adam7, which the encoder here does not write: eight samples a side, all of them in the seven passes.
#[test]
fn an_interlaced_picture_is_the_same() {
    let folder = Folder::new("interlaced");
    let path = folder.0.join("adam7.png");
    fs::write(&path, ADAM7).unwrap();
    let (weights, _) = read(&path).unwrap();
    let amounts: Vec<u16> =
        (0..64u16).flat_map(|i| [3 * i + 40, 255 - 3 * i, 7]).map(|byte| 257 * byte).collect();
    assert_eq!(weights, Weights::of_amounts(8, 8, 3, &amounts).unwrap());
}

const ADAM7: &[u8] = &[
    137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 13, 73, 72, 68, 82, 0, 0, 0, 8, 0, 0, 0, 8, 8, 2, 0, 0, 1, 60,
    106, 25, 74, 0, 0, 0, 216, 73, 68, 65, 84, 120, 218, 5, 193, 81, 71, 3, 0, 24, 64, 209, 239, 237, 254,
    149, 136, 49, 98, 68, 76, 83, 54, 203, 166, 41, 77, 105, 54, 101, 41, 155, 102, 41, 101, 211, 108, 202,
    82, 202, 166, 148, 82, 150, 165, 148, 205, 178, 105, 74, 41, 75, 41, 155, 77, 211, 148, 77, 105, 74, 137,
    136, 136, 24, 81, 231, 72, 221, 31, 210, 240, 141, 204, 68, 88, 90, 68, 20, 53, 26, 63, 145, 133, 85,
    214, 230, 17, 243, 13, 150, 44, 253, 23, 12, 157, 34, 71, 195, 156, 13, 114, 217, 71, 174, 23, 169, 255,
    69, 249, 131, 234, 139, 166, 15, 164, 39, 143, 237, 138, 129, 12, 206, 99, 100, 110, 157, 240, 50, 43,
    33, 54, 102, 145, 19, 7, 231, 118, 174, 173, 20, 186, 17, 245, 59, 154, 87, 90, 159, 209, 61, 209, 246,
    128, 177, 140, 233, 142, 206, 91, 196, 117, 200, 200, 1, 99, 73, 38, 18, 120, 99, 248, 118, 9, 108, 51,
    29, 69, 54, 131, 108, 77, 177, 227, 103, 111, 146, 184, 135, 253, 113, 82, 163, 164, 221, 72, 177, 139,
    82, 7, 247, 237, 84, 12, 60, 234, 169, 106, 121, 105, 225, 173, 153, 127, 246, 128, 75, 129, 89, 167, 57,
    31, 0, 0, 0, 0, 73, 69, 78, 68, 174, 66, 96, 130,
];
