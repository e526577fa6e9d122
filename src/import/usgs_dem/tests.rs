//! Models that are made here.

use super::super::{ImportReport, import_bytes};
use super::*;
use crate::field::{Field, Sample};

/// A record: what is written at which character, the rest blanks.
fn record(fields: &[(usize, String)]) -> Vec<u8> {
    let mut text = vec![b' '; 1024];
    for (at, field) in fields {
        text[*at..at + field.len()].copy_from_slice(field.as_bytes());
    }
    text
}

fn integer(value: i64) -> String {
    format!("{value:6}")
}

fn real(value: f64) -> String {
    format!("{value:24.6E}").replace('E', "D")
}

/// The first record of a model of 30 m × 20 m cells, from northing `south` to `north`.
fn head(columns: usize, south: f64, north: f64, ground: i64, unit: i64, step: f64) -> Vec<u8> {
    let mut fields = vec![(0, "MADE HERE".to_owned())];
    let small = [(144, 1), (150, 1), (156, 1), (162, 10), (528, ground), (534, unit), (540, 4), (852, 1)];
    fields.extend(small.map(|(at, value)| (at, integer(value))));
    for (corner, northing) in [south, north, north, south].into_iter().enumerate() {
        fields.extend([(546 + 48 * corner, real(600.0)), (570 + 48 * corner, real(northing))]);
    }
    fields.extend([(816, 30.0), (828, 20.0), (840, step)].map(|(at, value)| (at, format!("{value:12.6E}"))));
    fields.push((858, integer(columns as i64)));
    record(&fields)
}

/// The records of a profile.
fn profile(column: usize, south: f64, datum: f64, samples: &[i64]) -> Vec<u8> {
    let mut fields = vec![(0, integer(1)), (6, integer(column as i64 + 1)), (18, integer(1))];
    fields.push((12, integer(samples.len() as i64)));
    fields.extend([(24, real(0.0)), (48, real(south)), (72, real(datum)), (96, real(0.0)), (120, real(0.0))]);
    let (first, rest) = samples.split_at(samples.len().min(146));
    fields.extend(first.iter().enumerate().map(|(i, &value)| (144 + 6 * i, integer(value))));
    let mut text = record(&fields);
    for block in rest.chunks(170) {
        let fields: Vec<_> = block.iter().enumerate().map(|(i, &value)| (6 * i, integer(value))).collect();
        text.extend(record(&fields));
    }
    text
}

/// Three columns; the second has a void, the third begins two rows further north.
fn small() -> Vec<u8> {
    let mut bytes = head(3, 995.0, 1065.0, 2, 2, 1.0);
    bytes.extend(profile(0, 1000.0, 0.0, &[10, 11, 12]));
    bytes.extend(profile(1, 980.0, 0.0, &[20, -32767, 22, 23]));
    bytes.extend(profile(2, 1040.0, 0.0, &[-32766, 41]));
    bytes
}

fn take(bytes: &[u8], options: &ImportOptions) -> Result<(Field, ImportReport)> {
    import_bytes("a.dem", bytes, options)
}

fn plain() -> ImportOptions {
    ImportOptions::default()
}

#[test]
fn profiles_run_north_and_begin_where_they_say() {
    let (field, report) = take(&small(), &plain()).unwrap();
    // Rows at 1080, 1060, 1040, 1020, 1000 and 980 north.
    assert_eq!((report.format, report.width, report.height), (Format::UsgsDem, 3, 6));
    assert_eq!((report.min, report.max, report.max_at), (-32766.0, 41.0, Sample::new(2, 1)));
    assert_eq!((report.voids, report.nodata), (18 - 8, vec![-32767.0]));
    assert_eq!(report.spacing, DVec2::new(30.0, 20.0));
    for (x, z, metres) in
        [(0, 4, 10.0), (0, 2, 12.0), (1, 5, 20.0), (1, 2, 23.0), (2, 2, -32766.0), (2, 1, 41.0)]
    {
        assert_eq!(field.sample_metres(Sample::new(x, z)).round(), metres, "{x} {z}");
    }
    let (_, other) = import_bytes("heights.txt", &small(), &plain()).unwrap();
    assert_eq!(other.format, Format::UsgsDem, "by its content");
    let (_, stated) = take(&small(), &plain().with_nodata(-32766.0)).unwrap();
    assert_eq!((stated.voids, stated.min), (18 - 8, -32767.0));
}

#[test]
fn line_ends_between_records_are_no_part_of_them() {
    let lines: Vec<u8> = small().chunks(1024).flat_map(|record| [record, b"\r\n"].concat()).collect();
    let (field, _) = take(&lines, &plain()).unwrap();
    assert!(field.samples() == take(&small(), &plain()).unwrap().0.samples());
}

#[test]
fn a_long_profile_goes_on_in_further_records() {
    let samples: Vec<i64> = (0..600).map(|i| -20000 - i).collect();
    let mut bytes = head(2, 0.0, 20.0 * 599.0, 2, 2, 1.0);
    bytes.extend(profile(0, 0.0, 0.0, &samples));
    bytes.extend(profile(1, 0.0, 0.0, &samples[..317]));
    let (field, report) = take(&bytes, &plain()).unwrap();
    assert_eq!((report.height, report.voids), (600, 283));
    for z in 0..600u32 {
        assert_eq!(field.sample_metres(Sample::new(0, z)).round(), f64::from(z) - 20599.0);
    }
}

#[test]
fn units_steps_and_datums_become_metres() {
    let mut bytes = head(2, 0.0, 20.0, 1, 1, 0.1);
    bytes.extend(profile(0, 0.0, 100.0, &[0, 10]));
    bytes.extend(profile(1, 0.0, 0.0, &[0, 10]));
    let (_, report) = take(&bytes, &plain()).unwrap();
    assert_eq!((report.min, report.max), (0.0, 101.0));
    assert_eq!((report.lowest, report.highest), (0.0, 101.0 * 0.3048));
    assert!((report.spacing - DVec2::new(9.144, 6.096)).length() < 1e-9, "{report}");
    // A stated void is the file's own number, neither feet nor metres.
    let (_, stated) = take(&bytes, &plain().with_nodata(101.0 * 0.3048)).unwrap();
    assert_eq!(stated.voids, 0);
    assert_eq!(take(&bytes, &plain().with_nodata(0.0)).unwrap().1.voids, 2);
    let mut bytes = head(2, 3600.0 * 60.0, 3600.0 * 60.0 + 20.0, 3, 2, 1.0);
    bytes.extend(profile(0, 3600.0 * 60.0, 0.0, &[0, 10]));
    bytes.extend(profile(1, 3600.0 * 60.0, 0.0, &[0, 10]));
    let (_, report) = take(&bytes, &plain()).unwrap();
    let (east, north) = (30.0 * 1852.0 / 60.0, 20.0 * 1852.0 / 60.0);
    assert!(
        (report.spacing.y - north).abs() < 1e-9 && (report.spacing.x / east - 0.5).abs() < 1e-3,
        "{report}"
    );
}

#[test]
fn what_is_broken_is_named() {
    let refusal = |bytes: &[u8]| take(bytes, &plain()).unwrap_err().to_string();
    let with = |profiles: &[Vec<u8>]| [head(2, 0.0, 20.0, 2, 2, 1.0), profiles.concat()].concat();
    let good = profile(0, 0.0, 0.0, &[1, 2]);
    let cases = [
        (with(&[good.clone(), good.clone()]), "profile 2 of 2: is numbered 1"),
        (with(&[good.clone(), profile(1, 5.0, 0.0, &[1])]), "not on the rows"),
        (with(&[good.clone(), profile(1, 0.0, 0.0, &[1, 2, 3])]), "beyond the corners"),
        (with(&[good.clone(), profile(1, -20.0, 0.0, &[1])]), "beyond the corners"),
        (with(std::slice::from_ref(&good)), "truncated"),
        ([head(2, 0.0, 1e12, 2, 2, 1.0), good.clone()].concat(), "make no rows"),
        ([head(2, 0.0, 1e8, 2, 2, 1.0), good.clone()].concat(), "split it"),
        ([head(2, 0.0, 20.0, 2, 2, 0.0), good.clone()].concat(), "above 0"),
        ([head(9999, 0.0, 20.0, 2, 2, 1.0), good].concat(), "cannot be in a file of"),
        (b"\x80\0binary".to_vec(), "GTOPO30"),
    ];
    for (bytes, reason) in cases {
        let text = refusal(&bytes);
        assert!(text.contains(reason) && text.starts_with("a.dem: "), "{text}");
    }
}

/// Only the blanks behind the last sample may be missing.
#[test]
fn a_model_cut_at_any_byte_is_refused_or_whole() {
    let bytes = small();
    let (whole, _) = take(&bytes, &plain()).unwrap();
    for length in 0..bytes.len() {
        match take(&bytes[..length], &plain()) {
            Err(_) => assert!(length < bytes.len() - 1024 + 144 + 12, "{length}"),
            Ok((field, _)) => assert!(field.samples() == whole.samples(), "{length}"),
        }
    }
}

/// Every byte of the first profile's head and of the file's, replaced: an error or a field, and no panic.
#[test]
fn no_byte_makes_it_panic() {
    let bytes = small();
    for at in 144..1024 + 170 {
        for byte in [b' ', b'9', b'-', b'E', 0xff] {
            let mut changed = bytes.clone();
            changed[at] = byte;
            let _ = take(&changed, &plain());
        }
    }
}
