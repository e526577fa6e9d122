//! What the library that decodes a format takes alone: from the file's bytes to its samples in memory.

use std::hint::black_box;
use std::io::{Cursor, Read};

/// Decodes a file's bytes.
pub(super) type Library = fn(&[u8]);

/// The `png` crate: one frame into one buffer.
pub(super) fn png(bytes: &[u8]) {
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().expect("a PNG of our own");
    let mut samples = vec![0; reader.output_buffer_size().expect("a small PNG")];
    reader.next_frame(&mut samples).expect("a PNG of our own");
    black_box(samples);
}

/// The `tiff` crate: the whole picture.
pub(super) fn tiff(bytes: &[u8]) {
    let mut decoder = tiff::decoder::Decoder::new(Cursor::new(bytes)).expect("a TIFF of our own");
    black_box(decoder.read_image().expect("a TIFF of our own"));
}

/// The `exr` crate, on one thread as landform has it: all channels of the first layer.
pub(super) fn exr(bytes: &[u8]) {
    use exr::prelude::*;
    let reader =
        read().no_deep_data().largest_resolution_level().all_channels().first_valid_layer().all_attributes();
    black_box(reader.non_parallel().from_buffered(Cursor::new(bytes)).expect("an OpenEXR file of our own"));
}

/// The `zip` crate: the only member.
pub(super) fn zip(bytes: &[u8]) {
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive of our own");
    let mut member = archive.by_index(0).expect("a member");
    let mut samples = Vec::with_capacity(member.size() as usize);
    member.read_to_end(&mut samples).expect("a member");
    black_box(samples);
}

/// No library decodes what is not packed: a copy of the bytes.
pub(super) fn bytes(bytes: &[u8]) {
    black_box(bytes.to_vec());
}

/// The standard library: words, and numbers of them.
pub(super) fn words(bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).expect("text");
    let numbers: Vec<f32> = text.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect();
    black_box(numbers);
}
