use super::*;
use crate::field::FieldDesc;
use png::{BitDepth, ColorType};
use std::fs::{self, File};

/// A picture that removes itself.
struct Written(PathBuf);

impl Written {
    fn new(test: &str, (width, height): (u32, u32), color: ColorType, depth: BitDepth, bytes: &[u8]) -> Self {
        let path = std::env::temp_dir().join(format!("landform-holes-{}-{test}.png", std::process::id()));
        let mut encoder = png::Encoder::new(File::create(&path).unwrap(), width, height);
        encoder.set_color(color);
        encoder.set_depth(depth);
        encoder.write_header().unwrap().write_image_data(bytes).unwrap();
        Self(path)
    }
}

impl Drop for Written {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// 20 × 18 samples.
fn field() -> Field {
    Field::new(FieldDesc::new(20, 18).with_tile_samples(16)).unwrap()
}

fn grey(test: &str, size: (u32, u32), marked: &[(u32, u32)]) -> Written {
    let pixels = (0..size.0 * size.1).map(|i| (i % size.0, i / size.0));
    let bytes: Vec<u8> = pixels.map(|pixel| if marked.contains(&pixel) { 9 } else { 0 }).collect();
    Written::new(test, size, ColorType::Grayscale, BitDepth::Eight, &bytes)
}

#[test]
fn a_marked_sample_opens_the_quads_that_touch_it() {
    let picture = grey("samples", (20, 18), &[(0, 0), (5, 6), (19, 17)]);
    let holes = import_holes(&picture.0, &HoleOptions::default()).unwrap();
    assert_eq!((holes.size(), holes.count()), ((20, 18), 3));
    let mut field = field();
    field.set_hole(Quad::new(5, 6), true);
    assert_eq!(holes.open_in(&mut field).unwrap(), 1 + 3 + 1, "one was open before");
    for quad in [(0, 0), (4, 5), (5, 5), (4, 6), (5, 6), (18, 16)] {
        assert!(field.is_hole(Quad::new(quad.0, quad.1)), "{quad:?}");
    }
    assert_eq!(holes.open_in(&mut field).unwrap(), 0);
}

#[test]
fn a_marked_quad_opens_itself() {
    let picture = grey("quads", (19, 17), &[(0, 0), (18, 16)]);
    let mut field = field();
    let opened = import_holes(&picture.0, &HoleOptions::default()).unwrap().open_in(&mut field).unwrap();
    assert_eq!((opened, field.is_hole(Quad::new(18, 16)), field.is_hole(Quad::new(1, 0))), (2, true, false));
}

#[test]
fn another_size_opens_nothing() {
    let picture = grey("size", (18, 20), &[(1, 1)]);
    let mut field = field();
    let holes = import_holes(&picture.0, &HoleOptions::default()).unwrap();
    let text = holes.open_in(&mut field).unwrap_err().to_string();
    assert!(text.contains("is 18×20 pixels") && text.contains("19×17 quads"), "{text}");
    assert_eq!(field.holes().count(), 0);
}

#[test]
fn the_channel_the_threshold_and_the_sense_are_stated() {
    let mut bytes = [[200u8, 0, 128, 255]; 19 * 17];
    bytes[7] = [0, 0, 127, 0];
    let bytes = bytes.as_flattened();
    let picture = Written::new("channel", (19, 17), ColorType::Rgba, BitDepth::Eight, bytes);
    let count = |options: HoleOptions| import_holes(&picture.0, &options).unwrap().count();
    let all = 19 * 17;
    let options = HoleOptions::default();
    assert_eq!(count(options), all - 1);
    assert_eq!(count(options.with_channel(Channel::Green)), 0);
    assert_eq!(count(options.with_channel(Channel::Alpha).with_invert(true)), 1);
    let half = options.with_channel(Channel::Blue).with_at_least(0x8000);
    assert_eq!((count(half), count(half.with_invert(true))), (all - 1, 1));
}

#[test]
fn what_is_no_such_picture_is_refused() {
    let wide: Vec<u8> = (0..19 * 17).flat_map(|i: u16| i.min(1).to_be_bytes()).collect();
    let picture = Written::new("wide", (19, 17), ColorType::Grayscale, BitDepth::Sixteen, &wide);
    let holes = import_holes(&picture.0, &HoleOptions::default()).unwrap();
    assert_eq!(holes.count(), 19 * 17 - 1, "the faintest of 16 bits is not 0");
    let green = HoleOptions::default().with_channel(Channel::Green);
    let text = import_holes(&picture.0, &green).map(|_| ()).unwrap_err().to_string();
    assert!(text.contains("has no green channel; it has red"), "{text}");
    let whole = fs::read(&picture.0).unwrap();
    for length in [0, 20, 60, whole.len() - 8] {
        fs::write(&picture.0, &whole[..length]).unwrap();
        let text = import_holes(&picture.0, &HoleOptions::default()).map(|_| ()).unwrap_err().to_string();
        assert!(text.contains("no whole PNG, which holes are read from"), "{text}");
    }
}
