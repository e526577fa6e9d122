//! What is refused, and what no file may do: panic, take memory, take its time, or leave half a map.

use super::made::{Kind, Made, attribute, file};
use super::*;
use proptest::prelude::*;
use std::sync::LazyLock;

fn hills() -> Made {
    Made { packing: 3, ..Made::new((19, 37), &[("A", Kind::Half), ("Y", Kind::Float)]) }
}

fn tiled() -> Made {
    Made { tiles: Some((8, 16)), ..hills() }
}

/// A file with other bytes in place of some that are there once.
fn with(bytes: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let at: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(from)).collect();
    let &[at] = &at[..] else { panic!("is there {} times", at.len()) };
    [&bytes[..at], to, &bytes[at + from.len()..]].concat()
}

fn ints(numbers: &[i32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

#[test]
fn methods_that_are_not_read_are_named() {
    for (packing, name) in [(8, "DWAA"), (9, "DWAB"), (10, "HTJ2K256"), (11, "HTJ2K32")] {
        let text = refusal(&Made { packing, ..hills() }.bytes(), &plain());
        assert!(
            text.contains(&format!("{name} compression")) && text.contains("save it with ZIP or PIZ"),
            "{text}"
        );
    }
    let text = refusal(&Made { packing: 12, ..hills() }.bytes(), &plain());
    assert!(text.contains("compression 12, which is not known"), "{text}");
}

#[test]
fn deep_and_subsampled_pictures_are_refused_by_name() {
    for kind in ["deepscanline", "deeptile"] {
        let made = Made { kind, tiles: (kind == "deeptile").then_some((4, 4)), packing: 2, ..hills() };
        let text = refusal(&file(std::slice::from_ref(&made), false), &plain());
        assert!(text.contains("deep data, several samples a pixel"), "{text}");
        assert_eq!(text, refusal(&file(&[made], true), &plain()));
    }
    let bytes = file(&[Made { kind: "deepscanline", packing: 2, ..hills() }], false);
    let text = refusal(&with(&bytes, b"type\0string\0", b"epyt\0string\0"), &plain());
    assert!(text.contains("it has no attribute `type`"), "{text}");
    let text = refusal(&Made { sampling: (2, 1), ..hills() }.bytes(), &plain());
    assert!(text.contains("channel `A` has a sample for every 2 × 1 pixels"), "{text}");
    let text = refusal(&file(&[Made { kind: "hologram", ..hills() }], true), &plain());
    assert!(text.contains("a part of type `hologram`, which is not known"), "{text}");
}

#[test]
fn sizes_are_refused_before_memory_is_taken() {
    let made = hills();
    let window = attribute("dataWindow", "box2i", &ints(&[0, 0, 18, 36]));
    let claim = |corners: [i32; 4], options: &ImportOptions| {
        let other = attribute("dataWindow", "box2i", &ints(&corners));
        refusal(&with(&made.bytes(), &window, &other), options)
    };
    for corners in
        [[0, 0, 1 << 20, 1 << 20], [i32::MIN, i32::MIN, i32::MAX - 1, i32::MAX - 1], [0, 0, 0, 1 << 30]]
    {
        let text = claim(corners, &plain());
        assert!(text.contains("which cannot be in a file of"), "{text}");
    }
    for corners in [[0, 0, -1, 0], [5, 0, 4, 36], [i32::MIN, 0, i32::MAX, 0]] {
        assert!(claim(corners, &plain()).contains("its attribute `dataWindow` makes no sense"));
    }
    let one = Made { packing: 3, ..Made::new((9, 1), &[("Y", Kind::Float)]) };
    assert!(refusal(&one.bytes(), &plain()).contains("a map needs at least 2×2 samples"));
    let crop = plain().with_crop(SampleRect::new(10, 10, 10, 10));
    assert!(refusal(&made.bytes(), &crop).contains("reaches past"));
    // A flat map of a ZIP block a row is close to what deflate can do, and is read.
    let mut flat = Made { packing: 2, ..Made::new((30_000, 2), &[("Y", Kind::Float)]) };
    flat.channels[0].2.fill(7.0);
    assert!(flat.bytes().len() < 1000);
    holds(&sound(&flat, &plain()), &flat, 0, SampleRect::new(0, 0, 30_000, 2));
}

#[test]
fn tables_and_tiles_are_refused_before_memory_is_taken() {
    let bytes = tiled().bytes();
    let tiles = attribute("tiles", "tiledesc", &[ints(&[8, 16]), vec![0]].concat());
    let claim = |sides: [i32; 2], mode: u8| {
        refusal(
            &with(&bytes, &tiles, &attribute("tiles", "tiledesc", &[ints(&sides), vec![mode]].concat())),
            &plain(),
        )
    };
    for sides in [[0, 16], [8, -1], [i32::MIN, 1]] {
        assert!(claim(sides, 0).contains("its attribute `tiles` makes no sense"));
    }
    assert!(claim([8, 16], 3).contains("its attribute `tiles` makes no sense"));
    assert!(claim([1, 1], 0).contains("claims 703 blocks"));
    assert!(claim([i32::MAX, i32::MAX], 0).contains("a broken block of ZIP data at column 0, row 0"));
    // A second part of any size makes the table longer, not the memory.
    let big = Made { name: "big", ..tiled() };
    let bytes = file(&[Made { name: "map", ..hills() }, big], true);
    let count = attribute("chunkCount", "int", &ints(&[9]));
    let other = attribute("chunkCount", "int", &ints(&[i32::MAX]));
    let text = refusal(&with(&bytes, &count, &other), &plain());
    assert!(text.contains("it claims 2147483647 blocks, and a picture of its size has 9"), "{text}");
}

#[test]
fn broken_headers_are_refused_with_what_is_wrong() {
    let bytes = hills().bytes();
    let no = |name: &str| {
        let renamed: String = name.chars().rev().collect();
        let from = [name.as_bytes(), &[0]].concat();
        refusal(&with(&bytes, &from, &[renamed.as_bytes(), &[0]].concat()), &plain())
    };
    assert!(no("dataWindow").contains("it has no attribute `dataWindow`"));
    let channels = [b"channels\0", &b"chlist\0"[..]].concat();
    assert!(
        refusal(&with(&bytes, &channels, b"slennahc\0chlist\0"), &plain())
            .contains("it has no attribute `channels`")
    );
    let compression = b"compression\0compression\0";
    assert!(
        refusal(&with(&bytes, compression, b"noisserpmoc\0noisserpmoc\0"), &plain())
            .contains("no attribute `compression`")
    );
    assert!(
        refusal(&with(&bytes, b"A\0\x01", b"Z\0\x01"), &plain()).contains("not in the order of their names")
    );
    assert!(
        refusal(&with(&bytes, b"A\0\x01", b"Y\0\x01"), &plain()).contains("not in the order of their names")
    );
    assert!(
        refusal(&with(&bytes, b"A\0\x01", b"A\0\x03"), &plain())
            .contains("its attribute `channels` makes no sense")
    );
    let long = [&bytes[..8], &[b'a'; 300]].concat();
    assert!(refusal(&long, &plain()).contains("more than 255 bytes"));
    for version in [1, 3, 2 | 1 << 13] {
        let other = [&bytes[..4], &i32::to_le_bytes(version), &bytes[8..]].concat();
        assert!(refusal(&other, &plain()).contains("a version of OpenEXR that is not read"));
    }
    assert!(refusal(&[&bytes[..8], &[0; 60]].concat(), &plain()).contains("it has no part"));
    let at = bytes.windows(3).position(|three| three == b"own").unwrap();
    let negative = [&bytes[..at - 4], &ints(&[-3]), &bytes[at..]].concat();
    assert!(refusal(&negative, &plain()).contains("its attribute `somebody's` makes no sense"));
    let large = [&bytes[..at - 4], &ints(&[i32::MAX]), &bytes[at..]].concat();
    assert!(refusal(&large, &plain()).contains("truncated"));
    assert!(refusal(b"v/1", &plain()).contains("has no OpenEXR signature"));
}

#[test]
fn blocks_in_the_wrong_place_are_refused() {
    for made in [hills(), tiled()] {
        let bytes = made.bytes();
        let blocks = if made.tiles.is_some() { 9 } else { 3 };
        let table = bytes.len() - body_length(&bytes, blocks) - 8 * blocks;
        let entry = |index: usize| table + 8 * index..table + 8 * index + 8;
        let mut twice = bytes.clone();
        twice.copy_within(entry(0), entry(1).start);
        assert!(refusal(&twice, &plain()).contains("is not where it says"));
        for (offset, why) in [(0, "truncated"), (u64::MAX, "truncated"), (9, "begins before the first")] {
            let mut wrong = bytes.clone();
            wrong[entry(1)].copy_from_slice(&offset.to_le_bytes());
            let text = refusal(&wrong, &plain());
            assert!(text.contains(why), "{text}");
            // Even where the crop does not need it.
            let crop = plain().with_crop(SampleRect::new(0, 0, 3, 3));
            assert!(refusal(&wrong, &crop).contains(why));
        }
    }
}

#[test]
fn differences_of_b44_that_lead_below_0_are_refused() {
    // One square of 4 × 4, whose first sample and differences are all 0, which stand for −32.
    let made = Made { packing: 6, ..Made::new((4, 4), &[("Y", Kind::Half)]) };
    let mut bytes = made.bytes();
    let square = bytes.len() - 14;
    bytes[square..].fill(0);
    assert!(refusal(&bytes, &plain()).contains("a broken block of B44 data at column 0, row 0"));
    // Six steps lead from corner to corner.
    bytes[square + 1] = 6 * 32 - 1;
    assert!(refusal(&bytes, &plain()).contains("a broken block of B44 data"));
    bytes[square] = 0xc0;
    assert!(read(&bytes, &plain()).is_ok());
}

/// Bytes behind the table, which begin where the table's first entry says.
fn body_length(bytes: &[u8], blocks: usize) -> usize {
    let starts = |at: usize| {
        let entry = bytes.get(at..at + 8).map(|entry| u64::from_le_bytes(entry.try_into().unwrap()));
        entry == Some((at + 8 * blocks) as u64)
    };
    bytes.len() - (0..bytes.len()).find(|&at| starts(at)).unwrap() - 8 * blocks
}

#[test]
fn half_a_file_is_never_half_a_map() {
    let several = [Made { name: "a", ..hills() }, Made { name: "b", packing: 1, ..tiled() }];
    let copies = Made { levels: 1, ..tiled() };
    let files = [hills().bytes(), tiled().bytes(), copies.bytes(), file(&several, true)];
    for (index, bytes) in files.iter().enumerate() {
        read(bytes, &plain()).unwrap();
        for options in [plain(), plain().with_crop(SampleRect::new(0, 0, 3, 3))] {
            for length in 0..bytes.len() {
                let text = refusal(&bytes[..length], &options);
                assert!(length == 0 || text.contains("truncated"), "file {index}, {length} bytes: {text}");
            }
        }
    }
}

static SMALL_FILES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(small_files);

/// Small files of every method, sound until something is changed.
fn small_files() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for (packing, _) in METHODS {
        for tiles in [None, Some((8, 8))] {
            let mut made = Made::new((21, 35), &[("A", Kind::Half), ("Y", Kind::Half), ("Z", Kind::Float)]);
            (made.packing, made.tiles) = (packing, tiles);
            files.push(made.bytes());
        }
    }
    files.push(Made { levels: 2, round_up: true, ..tiled() }.bytes());
    files.push(file(&[Made { name: "a", ..hills() }, Made { name: "b", packing: 4, ..tiled() }], true));
    files
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_change_of_a_file_panics_or_takes_long(
        which in 0usize..18,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        cut in prop::option::weighted(0.1, any::<prop::sample::Index>()),
        channel in prop::option::weighted(0.2, "[AYZ]"),
    ) {
        let mut bytes = SMALL_FILES[which].clone();
        for (place, byte) in changes {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        let options = ImportOptions { channel, ..plain() };
        let start = std::time::Instant::now();
        let _ = read(&bytes, &options);
        prop_assert!(start.elapsed().as_secs() < 2, "took {:?}", start.elapsed());
    }
}
