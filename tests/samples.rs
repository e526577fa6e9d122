//! Small heightmaps that other programs wrote, in every encoding that landform reads, against what those programs say is in
//! them: bit for bit. `tools/samples` wrote the files and `expected.json`, and checks both with a third program.

use landform::field::Sample;
use landform::import::{ByteOrder, Encoding, Heightmap, ImportOptions, SampleType, Units};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples")
}

fn expected() -> Value {
    let text = std::fs::read(folder().join("expected.json")).expect("tests/samples/expected.json");
    serde_json::from_slice(&text).expect("expected.json is JSON")
}

fn options_of(row: &Value) -> ImportOptions {
    // The samples reach to the ends of their types, which is beyond any ground: a stated range takes them.
    let mut options = ImportOptions::default().with_range(-1e6, 1e6);
    for (key, value) in row["options"].as_object().expect("options") {
        let text = value.as_str().unwrap_or_default();
        options = match key.as_str() {
            "size" => {
                options.with_raw_size(value[0].as_u64().unwrap() as u32, value[1].as_u64().unwrap() as u32)
            }
            "byte_order" if text == "big" => options.with_byte_order(ByteOrder::Big),
            "byte_order" => options.with_byte_order(ByteOrder::Little),
            "offset" => options.with_offset(value.as_u64().unwrap()),
            "sample_type" => options
                .with_sample_type(SampleType::ALL.into_iter().find(|sample| sample.name() == text).unwrap()),
            "array" => options.with_array(text),
            "channel" => options.with_channel(text),
            "encoding" if text == "terrarium" => options.with_encoding(Encoding::Terrarium),
            "encoding" => options.with_encoding(Encoding::TerrainRgb),
            // The part of a picture of several: the one that landform takes, which is the first.
            "part" => options,
            other => panic!("an option {other}"),
        };
    }
    options
}

/// The numbers of a grid, row by row.
fn numbers_of(grid: &Value) -> Vec<f64> {
    if let Some(first) = grid["bits_from"].as_str() {
        let first = u64::from_str_radix(first, 16).unwrap();
        let count = grid["width"].as_u64().unwrap() * grid["height"].as_u64().unwrap();
        return (first..first + count).map(|bits| f64::from(half::f16::from_bits(bits as u16))).collect();
    }
    let Some(bits) = grid["bits"].as_str() else {
        return grid["values"].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect();
    };
    let number = |digits: &str| match grid["type"].as_str().unwrap() {
        "f16" => f64::from(half::f16::from_bits(u16::from_str_radix(digits, 16).unwrap())),
        "f32" => f64::from(f32::from_bits(u32::from_str_radix(digits, 16).unwrap())),
        _ => f64::from_bits(u64::from_str_radix(digits, 16).unwrap()),
    };
    bits.split_whitespace().map(number).collect()
}

/// A number as the file's row says that it is read: colours are decoded.
fn read_as(row: &Value, number: f64) -> f64 {
    match row["file"].as_str().unwrap() {
        file if file.starts_with("png_terrarium") => number / 256.0 - 32768.0,
        file if file.starts_with("png_mapbox") => (number - 100_000.0) / 10.0,
        _ => number,
    }
}

/// What a refusal has to name; none for a file that is read.
fn refusal_of<'a>(row: &'a Value, grids: &Value) -> Option<&'a str> {
    match row["file"].as_str().unwrap() {
        // Read here and refused elsewhere: red is taken, with a warning; greys in a palette are grey.
        "exr_rgb_differ.exr" | "png_palette_greys.png" => None,
        "exr_luminance_chroma.exr" => Some("a sample for every 2 × 2 pixels"),
        _ if is_beyond_floats(row, grids) => Some("2^53"),
        _ if row["bands"].is_array() => Some("state which one holds the heights (--channel 1 … 2"),
        _ => row["refused"].as_str(),
    }
}

/// Files whose numbers no 64-bit float holds.
fn is_beyond_floats(row: &Value, grids: &Value) -> bool {
    let grid = &grids[row["grid"].as_str().unwrap_or_default()];
    grid["type"] == "i64" && numbers_of(grid).iter().any(|number| number.abs() > 9e15)
}

#[test]
fn every_number_of_every_file_is_read() {
    let expected = expected();
    let mut wrong = Vec::new();
    for row in expected["files"].as_array().unwrap() {
        let file = row["file"].as_str().unwrap();
        let read = Heightmap::read(folder().join(file), &options_of(row));
        let refused = refusal_of(row, &expected["grids"]);
        let verdict = match (read, refused) {
            (Err(error), Some(reason))
                if error.to_string().to_lowercase().contains(&reason.to_lowercase()) =>
            {
                Ok(())
            }
            (Err(error), Some(reason)) => Err(format!("is refused without `{reason}`: {error}")),
            (Ok(_), Some(reason)) => Err(format!("is read, and should be refused with `{reason}`")),
            (Err(error), None) => Err(error.to_string()),
            (Ok(map), None) if row["grid"].is_null() => {
                let warned = map.report().warnings.iter().any(|line| line.contains("channel"));
                if warned { Ok(()) } else { Err(format!("is read without a warning: {}", map.report())) }
            }
            (Ok(map), None) => compare(row, &expected["grids"][row["grid"].as_str().unwrap()], &map),
        };
        if let Err(why) = verdict {
            wrong.push(format!("{file} ({}): {why}", row["exercises"].as_str().unwrap()));
        }
    }
    assert!(wrong.is_empty(), "{} files:\n{}", wrong.len(), wrong.join("\n"));
}

fn compare(row: &Value, grid: &Value, map: &Heightmap) -> Result<(), String> {
    let report = map.report();
    let number = |key: &str| row[key].as_f64();
    let size = (f64::from(report.width), f64::from(report.height));
    if (Some(size.0), Some(size.1)) != (number("width"), number("height")) {
        return Err(format!("is {size:?}"));
    }
    // What a mask or a transparent value declares is a void as well.
    let voids = number("voids").unwrap();
    let declared_beside = number("masked").unwrap_or(0.0);
    if report.voids as f64 != voids && report.voids as f64 != declared_beside {
        return Err(format!("has {} voids and not {voids}", report.voids));
    }
    let nodata = number("nodata").map(|code| if file_has_colours(row) { f64::NAN } else { code });
    for (index, &stored) in numbers_of(grid).iter().enumerate() {
        let sample = Sample::new(index as u32 % report.width, index as u32 / report.width);
        let is_void =
            !stored.is_finite() || Some(stored) == nodata || (file_has_colours(row) && stored == 0.0);
        let wanted = (!is_void).then(|| read_as(row, stored));
        let found = map.value(sample);
        let bits = |value: Option<f64>| value.map(f64::to_bits);
        if bits(found) != bits(wanted) && !(found.is_none() && declared_beside > 0.0) {
            return Err(format!("has {found:?} and not {wanted:?} at column {}, row {}", sample.x, sample.z));
        }
    }
    compare_places(row, map)
}

fn file_has_colours(row: &Value) -> bool {
    row["file"].as_str().unwrap().starts_with("png_") && row["scale"].is_number()
}

/// Spacing, unit, scale.
fn compare_places(row: &Value, map: &Heightmap) -> Result<(), String> {
    let report = map.report();
    if let (Some(x), Some(z)) = (row["spacing_x"].as_f64(), row["spacing_z"].as_f64()) {
        let near = |found: f64, wanted: f64| (found - wanted).abs() <= 1e-6 * wanted;
        if !near(report.spacing.x, x) || !near(report.spacing.y, z) {
            return Err(format!("has a spacing of {} and not {x} × {z}", report.spacing));
        }
    }
    let units = match row["unit"].as_str() {
        Some("foot") => Units::FEET,
        Some("us_survey_foot") => Units::US_SURVEY_FEET,
        _ => Units::METRES,
    };
    if report.units.is_some_and(|found| found != units) {
        return Err(format!("is in {:?} and not in {units}", report.units));
    }
    let white_is_0 = row["photometric"].is_string();
    let scaled = !file_has_colours(row) && !white_is_0;
    if let (Some(scale), Some(offset), true) = (row["scale"].as_f64(), row["offset"].as_f64(), scaled) {
        let corner = Sample::new(0, 0);
        let wanted = map.value(corner).map(|value| value * scale + offset);
        if map.metres(corner) != wanted {
            return Err(format!("has {:?} m in its corner and not {wanted:?}", map.metres(corner)));
        }
    }
    Ok(())
}

#[test]
fn either_band_is_read_where_it_is_stated() {
    let expected = expected();
    let mut count = 0;
    for row in expected["files"].as_array().unwrap() {
        let Some(bands) = row["bands"].as_array() else { continue };
        for (band, grid) in (1..).zip(bands) {
            let options = options_of(row).with_channel(band.to_string());
            let map = Heightmap::read(folder().join(row["file"].as_str().unwrap()), &options).unwrap();
            let verdict = compare(row, &expected["grids"][grid.as_str().unwrap()], &map);
            assert_eq!(verdict, Ok(()), "{} band {band}", row["file"]);
            count += 1;
        }
    }
    assert!(count >= 8, "{count} bands");
}

/// Every format has a file small enough to be cut at every byte: an error each time, or, where a format has no end that
/// could be missing, the whole ground.
#[test]
fn a_file_cut_anywhere_is_refused() {
    let expected = expected();
    let mut formats = std::collections::BTreeSet::new();
    for row in expected["files"].as_array().unwrap().iter().filter(|row| row["refused"].is_null()) {
        let file = row["file"].as_str().unwrap();
        let bytes = std::fs::read(folder().join(file)).unwrap();
        let options = options_of(row);
        let read = |bytes: &[u8]| Heightmap::read_from(file, std::io::Cursor::new(bytes), &options);
        let Ok(whole) = read(&bytes) else { continue };
        if bytes.len() > 3000 || file.ends_with(".dem") {
            continue;
        }
        formats.insert(format!("{}", whole.report().format));
        for length in 0..bytes.len() {
            if let Ok(part) = read(&bytes[..length]) {
                assert_eq!(
                    part.report().voids,
                    whole.report().voids,
                    "{file} cut at byte {length} has other voids"
                );
                let samples = u64::from(whole.report().width) * u64::from(whole.report().height);
                let differs = (0..samples).find(|index| {
                    let width = u64::from(whole.report().width);
                    let sample = Sample::new((index % width) as u32, (index / width) as u32);
                    part.value(sample) != whole.value(sample)
                });
                assert!(
                    differs.is_none_or(|index| index == samples - 1),
                    "{file} cut at byte {length} is half a terrain"
                );
            }
        }
    }
    assert!(formats.len() >= 6, "{formats:?}");
}
