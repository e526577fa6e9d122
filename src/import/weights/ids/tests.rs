use super::*;
use crate::field::Sample;
use png::{BitDepth, ColorType};
use std::fs::{self, File};

/// A file that removes itself.
struct Written(PathBuf);

impl Written {
    fn new(name: &str, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("landform-ids-{}-{name}", std::process::id()));
        fs::write(&path, bytes).unwrap();
        Self(path)
    }

    fn png(name: &str, (width, height): (u32, u32), color: ColorType, depth: BitDepth, bytes: &[u8]) -> Self {
        let written = Self::new(name, &[]);
        let mut encoder = png::Encoder::new(File::create(&written.0).unwrap(), width, height);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.write_header().unwrap().write_image_data(bytes).unwrap();
        written
    }

    /// A TGA of 3 × 2 samples: kind, bits a pixel, flags, and what follows the header.
    fn tga(name: &str, kind: u8, bits: u8, flags: u8, rest: &[u8]) -> Self {
        let mut bytes = vec![0, 0, kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 2, 0, bits, flags];
        bytes.extend_from_slice(rest);
        Self::new(name, &bytes)
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

fn layers_of(weights: &Weights) -> Vec<usize> {
    let samples = weights.bytes().chunks_exact(weights.layers() as usize);
    samples.map(|sample| sample.iter().position(|&weight| weight == 255).unwrap()).collect()
}

fn refusal(file: &Written, options: &IdOptions) -> String {
    import_ids(&file.0, options).map(|_| ()).unwrap_err().to_string()
}

#[test]
fn each_sample_is_wholly_of_its_number() {
    let pixels = [[0u8, 5, 0], [3, 1, 0], [1, 0, 9], [3, 2, 0], [0, 0, 0], [2, 0, 0]];
    let file = Written::png("rgb.png", (3, 2), ColorType::Rgb, BitDepth::Eight, pixels.as_flattened());
    let (weights, report) = import_ids(&file.0, &IdOptions::default()).unwrap();
    assert_eq!((weights.width(), weights.height(), weights.layers()), (3, 2, 4));
    assert_eq!(layers_of(&weights), [0, 3, 1, 3, 0, 2]);
    assert_eq!(report.samples, [2, 1, 1, 2]);
    assert!(report.to_string().contains("3 × 2 samples, 4 layers"), "{report}");
    let green = IdOptions::default().with_channel(Channel::Green).with_layers(8);
    let (weights, report) = import_ids(&file.0, &green).unwrap();
    assert_eq!((layers_of(&weights), report.samples.len()), (vec![5, 1, 0, 2, 0, 0], 8));
    let wide: Vec<u8> = [0u16, 1, 2, 15, 1, 0].iter().flat_map(|number| number.to_be_bytes()).collect();
    let file = Written::png("wide.png", (3, 2), ColorType::Grayscale, BitDepth::Sixteen, &wide);
    let (weights, _) = import_ids(&file.0, &IdOptions::default()).unwrap();
    assert_eq!((layers_of(&weights), weights.layers()), (vec![0, 1, 2, 15, 1, 0], 16));
    assert_eq!(weights.at(Sample::new(0, 1))[15], 255);
}

#[test]
fn numbers_past_the_layers_are_refused() {
    let file = Written::png("past.png", (3, 2), ColorType::Grayscale, BitDepth::Eight, &[0, 1, 2, 0, 7, 40]);
    let text = refusal(&file, &IdOptions::default().with_layers(4));
    assert!(
        text.contains("sample (1, 1) has number 7 in the red channel, and 4 layers are numbered 0 to 3"),
        "{text}"
    );
    let text = refusal(&file, &IdOptions::default());
    assert!(text.contains("sample (2, 1) has number 40") && text.contains("up to 32"), "{text}");
    let text = refusal(&file, &IdOptions::default().with_channel(Channel::Alpha));
    assert!(text.contains("has no alpha channel; it has red"), "{text}");
    for layers in [0, 33] {
        assert!(refusal(&file, &IdOptions::default().with_layers(layers)).contains("1 to 32"));
    }
}

#[test]
fn a_tga_is_read_in_each_of_its_kinds() {
    let expected = [0, 1, 2, 3, 3, 3];
    // Blue comes first in the file; the last row does where nothing is said.
    let colours: Vec<u8> = [0u8, 1, 2, 3, 3, 3].iter().flat_map(|&red| [9, 8, red, 7]).collect();
    let without_alpha: Vec<u8> = [3u8, 3, 3, 0, 1, 2].iter().flat_map(|&red| [9, 8, red]).collect();
    let kinds = [
        Written::tga("colours.tga", 2, 32, 0x28, &colours),
        Written::tga("south.TGA", 2, 24, 0, &without_alpha),
        Written::tga("grey.tga", 3, 8, 0x20, &expected.map(|number| number as u8)),
        Written::tga("packed.tga", 11, 8, 0x20, &[2, 0, 1, 2, 0x82, 3]),
        // The last packet runs past the end.
        Written::tga("packed_colours.tga", 10, 24, 0x20, &[2, 9, 8, 0, 9, 8, 1, 9, 8, 2, 0x87, 9, 8, 3]),
    ];
    for file in &kinds {
        let (weights, _) = import_ids(&file.0, &IdOptions::default()).unwrap();
        assert_eq!((layers_of(&weights), weights.layers()), (expected.to_vec(), 4), "{}", file.0.display());
    }
    let alpha = IdOptions::default().with_channel(Channel::Alpha);
    assert_eq!(layers_of(&import_ids(&kinds[0].0, &alpha).unwrap().0), [7; 6]);
    // A palette of two colours of three bytes before its numbers, and an identification before both.
    let mut palette = vec![1, 1, 1, 0, 0, 2, 0, 24, 0, 0, 0, 0, 3, 0, 2, 0, 8, 0x20];
    palette.extend([b'!', 200, 200, 200, 100, 100, 100, 0, 1, 1, 0, 0, 1]);
    let file = Written::new("palette.tga", &palette);
    assert_eq!(layers_of(&import_ids(&file.0, &IdOptions::default()).unwrap().0), [0, 1, 1, 0, 0, 1]);
}

#[test]
fn a_broken_tga_is_refused() {
    let says = |file: &Written, part: &str| {
        let text = refusal(file, &IdOptions::default());
        assert!(text.contains(part), "{text}");
    };
    says(&Written::new("short.tga", &[0; 17]), "shorter than a header");
    says(&Written::tga("cut.tga", 3, 8, 0x20, &[0, 1, 2, 3, 3]), "truncated");
    says(&Written::tga("cut_packets.tga", 11, 8, 0x20, &[2, 0, 1, 2, 0x82]), "truncated");
    says(&Written::tga("kind.tga", 2, 16, 0x20, &[0; 12]), "16 bits a pixel");
    says(&Written::tga("west.tga", 3, 8, 0x30, &[0; 6]), "from east to west");
    let mut large = vec![0, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 8, 0x20];
    says(&Written::new("large.tga", &large), "claims 65535×65535");
    large[13] = 0x0F;
    large[15] = 0x0F;
    says(&Written::new("claims.tga", &large), "cannot be in a file of 18 bytes");
    says(&Written::new("picture.png", b"no PNG at all"), "no whole PNG, which layer numbers are read from");
}
