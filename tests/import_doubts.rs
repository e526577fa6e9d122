//! What a report doubts, and what it must not: each a file that a person has had.

use landform::field::{Field, FieldDesc, Sample, SampleRect};
use landform::import::{
    ByteOrder, Encoding, Fill, Filter, Heightmap, ImportOptions, ImportReport, SampleType, Units,
    import_bytes,
};
use std::io::Cursor;

fn plain() -> ImportOptions {
    ImportOptions::default()
}

fn warned(report: &ImportReport, part: &str) -> bool {
    report.warnings.iter().any(|line| line.contains(part))
}

/// Hills from 700 to 1300.
fn hill(x: u32, z: u32) -> f32 {
    1000.0 + 300.0 * (x as f32 * 0.031 + 0.9).sin() * (z as f32 * 0.023 + 0.3).cos()
}

/// A raw file of 32-bit floats.
fn floats(width: u32, height: u32, value: impl Fn(u32, u32) -> f32) -> Vec<u8> {
    let samples = (0..height).flat_map(|z| (0..width).map(move |x| (x, z)));
    samples.flat_map(|(x, z)| value(x, z).to_le_bytes()).collect()
}

fn square(bytes: &[u8], options: &ImportOptions) -> Heightmap {
    Heightmap::read_from("a.r32", Cursor::new(bytes), &options.clone().with_spacing(10.0, 10.0)).unwrap()
}

fn report(bytes: &[u8], options: &ImportOptions) -> ImportReport {
    square(bytes, options).report().clone()
}

fn assumed(report: &ImportReport, part: &str) -> bool {
    report.assumptions.iter().any(|line| line.contains(part))
}

#[test]
fn a_unit_that_nobody_states_is_an_assumption() {
    let hills = floats(80, 80, hill);
    assert!(assumed(&report(&hills, &plain()), "heights are metres"));
    assert!(!assumed(&report(&hills, &plain().with_units(Units::FEET)), "heights are metres"));
}

#[test]
fn one_bump_on_a_large_plain_is_no_constant_map() {
    let bump = |x: u32, z: u32| if (17..27).contains(&z) && x > 900 { 50.0 } else { 0.0 };
    let found = report(&floats(1100, 1100, bump), &plain());
    assert!(!warned(&found, "constant") && found.distinct_levels >= 2 && found.max == 50.0, "{found}");
    let few = |_: u32, z: u32| if (2..8).contains(&z) { hill(z, z) } else { f32::NAN };
    let found = report(&floats(1100, 1100, few), &plain());
    assert!(found.distinct_levels >= 2 && found.voids == 1094 * 1100, "{found}");
}

#[test]
fn what_is_resampled_is_compared_as_it_is() {
    let hills = floats(64, 64, hill);
    let coarse = report(&hills, &plain().with_resample(30.0, 30.0, Filter::Bilinear));
    assert!(!warned(&coarse, "clamped"), "{coarse}");
    assert_eq!((coarse.lowest, coarse.highest), (coarse.range.min, coarse.range.max));
    let step = floats(64, 64, |x, _| if x < 32 { 0.0 } else { 100.0 });
    let sharp = plain().with_range(0.0, 100.0).with_resample(5.0, 5.0, Filter::Cubic);
    let over = report(&step, &sharp);
    assert!(warned(&over, "do not fit the range of 0 to 100 m") && over.highest > 100.0, "{over}");
    let odd = floats(5, 5, |x, z| if x % 2 == 1 && z % 2 == 1 { 7.0 } else { f32::NAN });
    let text = import_bytes("a.r32", &odd, &plain().with_resample(2.0, 2.0, Filter::Bilinear))
        .unwrap_err()
        .to_string();
    assert!(text.contains("no valid sample lies on the new spacing"), "{text}");
    let map = square(&hills, &plain().with_resample(30.0, 30.0, Filter::Bilinear));
    assert_eq!(map.metres(map.report().max_at), Some(map.report().highest), "the place is one of the map");
}

#[test]
fn codes_mean_parts_of_the_field_they_are_written_into() {
    let codes: Vec<u8> = (0..64u32).map(|i| (i * 4) as u8).collect();
    let mut field = Field::new(FieldDesc::new(20, 20).with_spacing(2.0, 2.0).with_range(0.0, 510.0)).unwrap();
    let map = Heightmap::read_from("a.r8", Cursor::new(&codes), &plain()).unwrap();
    let report = map.write_into(&mut field, SampleRect::new(3, 4, 8, 8)).unwrap();
    assert_eq!((report.lowest, report.highest, report.range.max), (0.0, 504.0, 510.0), "{report}");
    assert_eq!(field.sample_metres(Sample::new(10, 11)), 504.0);
    assert!(warned(&report, "step 2 m") && !warned(&report, "stretched"), "{report}");
    assert!(!assumed(&report, "heights from 0") && !assumed(&report, "1 × 1 m"), "{report}");
    // A stated range is metres of its own.
    let stated = Heightmap::read_from("a.r8", Cursor::new(&codes), &plain().with_range(0.0, 51.0)).unwrap();
    let report = stated.write_into(&mut field, SampleRect::new(3, 4, 8, 8)).unwrap();
    assert!(
        (report.highest - 50.4).abs() < 1e-9
            && (field.sample_metres(Sample::new(10, 11)) - 50.4).abs() < 0.01
    );
}

#[test]
fn two_void_codes_can_both_be_stated() {
    let two = |x: u32, z: u32| match (x, z) {
        (3..6, 3..6) => -9999.0,
        (20..23, 20..23) => f32::MIN,
        _ => hill(x, z),
    };
    let bytes = floats(40, 40, two);
    let text = import_bytes("a.r32", &bytes, &plain().with_nodata(-9999.0)).unwrap_err().to_string();
    assert!(text.contains("--nodata -9999,-3.4028234663852886e38"), "{text}");
    let both = report(&bytes, &plain().with_nodata(-9999.0).with_nodata(-3.4028234663852886e38));
    assert_eq!((both.voids, both.nodata.len()), (18, 2), "{both}");
    assert!(both.warnings.is_empty(), "{both}");
    let json = serde_json::to_value(&both).unwrap();
    assert_eq!(json["nodata"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_wrong_order_of_bytes_is_named_even_where_the_file_is_refused() {
    let swapped = |value: &dyn Fn(u32, u32) -> f32| -> Vec<u8> {
        floats(80, 80, value).as_chunks::<4>().0.iter().flat_map(|&[a, b, c, d]| [d, c, b, a]).collect()
    };
    let said = |bytes: &[u8]| {
        import_bytes("a.r32", bytes, &plain())
            .map_or_else(|error| error.to_string(), |(_, report)| report.to_string())
    };
    let hills = swapped(&hill);
    assert!(said(&hills).contains("byte order looks wrong"), "{}", said(&hills));
    let right = report(&hills, &plain().with_byte_order(ByteOrder::Big));
    assert!(!warned(&right, "byte order"), "{right}");
    // A sea comes first.
    let coast = |x: u32, z: u32| if z < 40 { 0.0 } else { hill(x, z) };
    let coasts = swapped(&coast);
    assert!(said(&coasts).contains("byte order looks wrong"), "{}", said(&coasts));
}

#[test]
fn a_plateau_apart_from_everything_is_perhaps_void() {
    let lake = |x: u32, z: u32| if x < 20 && z < 20 { 0.0 } else { hill(x, z) };
    let found = report(&floats(80, 80, lake), &plain());
    assert!(
        warned(&found, "400 samples are 0, and no other number is near") && warned(&found, "--nodata 0"),
        "{found}"
    );
    let shore = |x: u32, z: u32| hill(x, z).max(900.0);
    assert!(
        !warned(&report(&floats(80, 80, shore), &plain()), "no other number is near"),
        "a lake has a shore"
    );
    let codes: Vec<u8> = (0..80u32 * 80)
        .map(|i| if i % 80 < 9 { 0 } else { (20.0 * hill(i % 80, i / 80)) as u16 })
        .flat_map(u16::to_le_bytes)
        .collect();
    assert!(warned(&import_bytes("a.r16", &codes, &plain()).unwrap().1, "720 samples are 0"));
}

#[test]
fn signed_samples_in_an_unsigned_file_are_doubted() {
    let coast: Vec<u8> =
        (0..80u32 * 80).flat_map(|i| ((hill(i % 80, i / 80) - 1000.0) as i16).to_le_bytes()).collect();
    let (_, found) = import_bytes("a.raw", &coast, &plain()).unwrap();
    assert!(warned(&found, "--sample-type i16"), "{found}");
    let (_, signed) = import_bytes("a.raw", &coast, &plain().with_sample_type(SampleType::I16)).unwrap();
    assert!(!warned(&signed, "sample-type") && signed.min < 0.0, "{signed}");
}

#[test]
fn normalised_numbers_below_the_range_are_told_of() {
    let waves = floats(80, 80, |x, z| (hill(x, z) - 1000.0) / 300.0);
    assert!(warned(&report(&waves, &plain()), "look normalised"));
    let stretched = report(&waves, &plain().with_encoding(Encoding::Normalised).with_range(0.0, 100.0));
    assert!(warned(&stretched, "reach beyond 0 to 1"), "{stretched}");
}

#[test]
fn options_that_do_nothing_are_named() {
    let hills = floats(80, 80, hill);
    let found = report(&hills, &plain().with_channel("2").with_array("z").with_nodata(12345.0));
    for part in ["option channel", "option array", "no sample is one of the stated voids"] {
        assert!(warned(&found, part), "{part}: {found}");
    }
    let codes = vec![7u8; 8];
    let (_, found) = import_bytes("a.r16", &codes, &plain().with_units(Units::FEET)).unwrap();
    assert!(warned(&found, "option units"), "{found}");
    // What the content says goes before what is stated of raw samples.
    let grid = b"ncols 2\nnrows 2\n1 2 3 4\n";
    let (_, found) = import_bytes("a.asc", grid, &plain().with_sample_type(SampleType::U16)).unwrap();
    assert!(warned(&found, "option sample-type"), "{found}");
}

#[test]
fn a_small_part_of_a_map_has_few_levels_and_that_is_no_fault() {
    let hills = floats(200, 200, hill);
    let found = report(&hills, &plain().with_crop(SampleRect::new(10, 10, 8, 8)));
    assert!(!warned(&found, "terraced") && found.samples == (8, 8), "{found}");
    let filled = report(&hills, &plain().with_fill(Fill::Plane));
    assert_eq!(filled.filled, 0);
}
