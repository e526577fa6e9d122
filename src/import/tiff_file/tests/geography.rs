//! Spacing, units and voids, from the tags of GeoTIFF and of GDAL.

use super::*;

const PIXEL_SCALE: Tag = Tag::ModelPixelScaleTag;
const TIEPOINT: Tag = Tag::ModelTiepointTag;

/// The report of a map with these keys, which are numbers, and of cells of 2 × 3 with this corner.
fn keyed(keys: &[(u16, u16)], corner: (f64, f64)) -> ImportReport {
    let bytes = plain(|tags| {
        tags.write_tag(PIXEL_SCALE, &[2.0, 3.0, 0.0][..]).unwrap();
        tags.write_tag(TIEPOINT, &[0.0, 0.0, 0.0, corner.0, corner.1, 0.0][..]).unwrap();
        write_keys(tags, keys);
    });
    report(&bytes)
}

fn write_keys(tags: &mut Tags<'_, '_>, keys: &[(u16, u16)]) {
    let mut list = vec![1, 1, 0, keys.len() as u16];
    list.extend(keys.iter().flat_map(|&(key, value)| [key, 0, 1, value]));
    tags.write_tag(Tag::GeoKeyDirectoryTag, &list[..]).unwrap();
}

fn spacing(report: &ImportReport, x: f64, z: f64) {
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * b;
    assert!(near(report.spacing.x, x) && near(report.spacing.y, z), "{} × {}: {report}", x, z);
}

#[test]
fn a_map_in_any_unit_of_length_is_metres() {
    for (code, metres) in [(9001, 1.0), (9002, 0.3048), (9003, 1200.0 / 3937.0), (9036, 1000.0), (1033, 0.01)]
    {
        let report = keyed(&[(1024, 1), (3072, 32632), (3076, code)], (500_000.0, 5e6));
        spacing(&report, 2.0 * metres, 3.0 * metres);
        let of_the_place = |line: &&String| !line.contains("no unit is stated");
        assert_eq!(report.assumptions.iter().filter(of_the_place).count(), 0, "{report}");
    }
    // A unit of its own, whose size is among the doubles.
    let own = report(&plain(|tags| {
        tags.write_tag(PIXEL_SCALE, &[2.0, 3.0, 0.0][..]).unwrap();
        tags.write_tag(Tag::GeoDoubleParamsTag, &[7.0, 0.25][..]).unwrap();
        let keys = [1u16, 1, 0, 3, 1024, 0, 1, 1, 3076, 0, 1, 32767, 3077, 34736, 1, 1];
        tags.write_tag(Tag::GeoKeyDirectoryTag, &keys[..]).unwrap();
    }));
    spacing(&own, 0.5, 0.75);
    let unnamed = keyed(&[(1024, 1), (3072, 2225)], (0.0, 0.0));
    assert!(assumed(&unnamed, "EPSG:2225, but no unit; state the spacing (--spacing, or"), "{unnamed}");
    let unknown = keyed(&[(1024, 1), (3076, 9999)], (0.0, 0.0));
    assert!(warned(&unknown, "EPSG unit 9999"), "{unknown}");
    let sizeless = keyed(&[(1024, 1), (3076, 32767)], (0.0, 0.0));
    assert!(warned(&sizeless, "a unit whose size it does not say"), "{sizeless}");
    let web = keyed(&[(1024, 1), (3072, 3857), (3076, 9001)], (0.0, 0.0));
    assert!(assumed(&web, "web Mercator"), "{web}");
    for report in [unnamed, unknown, sizeless, web] {
        spacing(&report, 2.0, 3.0);
    }
}

#[test]
fn degrees_are_metres_at_the_latitude_of_the_middle() {
    let nautical = 60.0 * 1852.0;
    // Three rows of 3° from 64.5° on: the middle is at 60°, and that of corners that are samples at 61.5°.
    for (raster, middle) in [(1, 60.0f64), (2, 61.5)] {
        let report = keyed(&[(1024, 2), (1025, raster), (2048, 4326)], (10.0, 64.5));
        spacing(&report, 2.0 * nautical * middle.to_radians().cos(), 3.0 * nautical);
        assert!(assumed(&report, &format!("the file's angles at latitude {middle}°")), "{report}");
    }
    for (unit, degrees) in [(9103, 1.0 / 60.0), (9104, 1.0 / 3600.0), (9105, 0.9), (9122, 1.0)] {
        let report = keyed(&[(1024, 2), (2054, unit)], (0.0, 4.5));
        spacing(&report, 2.0 * degrees * nautical, 3.0 * degrees * nautical);
    }
    let south = keyed(&[(2048, 4326)], (0.0, -60.0));
    spacing(&south, 2.0 * nautical * 64.5f64.to_radians().cos(), 3.0 * nautical);
    let pole = keyed(&[(1024, 2)], (0.0, 1e9));
    assert!(pole.spacing.x > 0.0 && assumed(&pole, "latitude 89°"), "{pole}");
    let nowhere = report(&plain(|tags| {
        tags.write_tag(PIXEL_SCALE, &[2.0, 3.0, 0.0][..]).unwrap();
        write_keys(tags, &[(1024, 2)]);
    }));
    spacing(&nowhere, 2.0 * nautical, 3.0 * nautical);
    assert!(assumed(&nowhere, "latitude 0°, because it does not say where it is"), "{nowhere}");
    let unknown = keyed(&[(1024, 2), (2054, 9108)], (0.0, 4.5));
    assert!(warned(&unknown, "EPSG unit 9108"), "{unknown}");
}

#[test]
fn a_place_without_keys_is_metres_unless_it_can_only_be_degrees() {
    let placed = |cell: f64, corner: (f64, f64)| {
        report(&plain(|tags| {
            tags.write_tag(PIXEL_SCALE, &[cell, cell, 0.0][..]).unwrap();
            tags.write_tag(TIEPOINT, &[0.0, 0.0, 0.0, corner.0, corner.1, 0.0][..]).unwrap();
        }))
    };
    let metres = placed(25.0, (677_562.5, 253_012.5));
    spacing(&metres, 25.0, 25.0);
    assert!(
        assumed(&metres, "25 × 25 m between samples, because the file does not say the unit"),
        "{metres}"
    );
    let degrees = placed(1.0 / 3600.0, (-112.0, 36.0));
    assert!((degrees.spacing.y - 30.8667).abs() < 1e-3, "{degrees}");
    assert!(
        warned(&degrees, "taken as degrees; if they are not, state the spacing (--spacing, or"),
        "{degrees}"
    );
    spacing(&placed(0.05, (4000.0, 36.0)), 0.05, 0.05);
    for cell in [0.0, 1e9, f64::NAN, f64::INFINITY] {
        let none = placed(cell, (0.0, 0.0));
        assert!(warned(&none, "is none of a terrain and is ignored") && none.spacing.x == 1.0, "{none}");
    }
}

/// The report of a map with this transformation: x and y of a step east, of a step south, and of the corner.
fn transformed(keys: &[(u16, u16)], [east, south, corner]: [(f64, f64); 3]) -> ImportReport {
    let rows =
        [[east.0, south.0, 0.0, corner.0], [east.1, south.1, 0.0, corner.1], [0.0; 4], [0.0, 0.0, 0.0, 1.0]];
    report(&plain(|tags| {
        tags.write_tag(Tag::ModelTransformationTag, rows.as_flattened()).unwrap();
        write_keys(tags, keys);
    }))
}

#[test]
fn a_transformation_says_how_the_map_lies() {
    let metres = &[(1024, 1), (3076, 9001)][..];
    let lies = |east, south| transformed(metres, [east, south, (5e5, 5e6)]);
    let north_up = lies((2.0, 0.0), (0.0, -3.0));
    assert!(north_up.warnings.is_empty(), "{north_up}");
    let south_up = lies((2.0, 0.0), (0.0, 3.0));
    assert!(
        warned(&south_up, "rows run from south to north; turn the map (--flip north-south, or"),
        "{south_up}"
    );
    let mirrored = lies((-2.0, 0.0), (0.0, -3.0));
    assert!(warned(&mirrored, "--flip west-east"), "{mirrored}");
    let half_turn = lies((-2.0, 0.0), (0.0, 3.0));
    assert!(warned(&half_turn, "--flip both"), "{half_turn}");
    let (sin, cos) = 30f64.to_radians().sin_cos();
    let turned = lies((2.0 * cos, 2.0 * sin), (3.0 * sin, -3.0 * cos));
    assert!(warned(&turned, "rotated by 30° against the north; it is drawn as if it were not"), "{turned}");
    let both = lies((2.0 * cos, 2.0 * sin), (-3.0 * sin, 3.0 * cos));
    assert!(warned(&both, "rotated by 30° against the north, and mirrored"), "{both}");
    for report in [north_up, south_up, mirrored, half_turn, turned, both] {
        spacing(&report, 2.0, 3.0);
    }
    let nautical = 60.0 * 1852.0;
    let degrees = transformed(&[(1024, 2)], [(2.0, 0.0), (0.0, -3.0), (0.0, 64.5)]);
    spacing(&degrees, nautical, 3.0 * nautical);
}

#[test]
fn a_sign_of_a_pixel_scale_means_nothing() {
    let map = report(&plain(|tags| tags.write_tag(PIXEL_SCALE, &[2.0, -3.0, 0.0][..]).unwrap()));
    spacing(&map, 2.0, 3.0);
    assert!(!warned(&map, "flip"), "{map}");
}

#[test]
fn heights_are_in_the_unit_that_a_key_says() {
    for (keys, units) in [
        (&[(4099, 9001)][..], Units::METRES),
        (&[(4099, 9002)], Units::FEET),
        (&[(4099, 9003)], Units::US_SURVEY_FEET),
        (&[(4096, 6360)], Units::US_SURVEY_FEET),
        (&[(4096, 6360), (4099, 9002)], Units::FEET),
        (&[(4096, 8228)], Units::FEET),
        (&[(4096, 5773)], Units::METRES),
        (&[(4096, 1)], Units::METRES),
    ] {
        let report = keyed(keys, (0.0, 0.0));
        assert_eq!(report.units, Some(units), "{keys:?}");
        assert!((report.highest - 12.0 * units.metres()).abs() < 1e-9, "{report}");
    }
    let unknown = keyed(&[(4099, 9999)], (0.0, 0.0));
    assert!(warned(&unknown, "heights are in EPSG unit 9999") && unknown.highest == 12.0, "{unknown}");
}

#[test]
fn gdal_says_voids_scale_offset_and_unit() {
    let said = |nodata: &'static str, metadata: &'static str| {
        report(&plain(|tags| {
            if !nodata.is_empty() {
                tags.write_tag(Tag::GdalNodata, nodata).unwrap();
            }
            tags.write_tag(Tag::Unknown(tag::GDAL_METADATA), metadata).unwrap();
        }))
    };
    let scaled = said(
        " 3 ",
        "<GDALMetadata><Item name=\"SCALE\" sample=\"0\" role=\"scale\">0.5</Item>\
         <Item name=\"OFFSET\" sample=\"0\" role=\"offset\">-100</Item>\
         <Item name=\"UNITTYPE\" sample=\"0\" role=\"unittype\">US survey foot</Item>\
         <Item name=\"SCALE\" sample=\"1\" role=\"scale\">7</Item></GDALMetadata>",
    );
    assert_eq!((scaled.voids, scaled.nodata.clone(), scaled.min, scaled.max), (1, vec![3.0], 1.0, 12.0));
    assert_eq!(scaled.units, Some(Units::US_SURVEY_FEET));
    assert!((scaled.highest - -94.0 * 1200.0 / 3937.0).abs() < 1e-9, "{scaled}");
    let odd = said(
        "none",
        "<Item sample=\"0\" role=\"scale\">0</Item><Item sample=\"0\" role=\"offset\">deep</Item>\
         <Item sample=\"0\" role=\"unittype\">fathoms</Item>",
    );
    assert!(warned(&odd, "`none` for a void, which is no number; state it (--nodata, or"), "{odd}");
    assert!(warned(&odd, "the scale that the file declares, `0`") && warned(&odd, "the offset"), "{odd}");
    assert!(warned(&odd, "`fathoms`, a unit that is not known here") && odd.highest == 12.0, "{odd}");
    assert_eq!(said("-40000", "").voids, 0);
    let stated = read(
        &plain(|tags| tags.write_tag(Tag::GdalNodata, "3").unwrap()),
        &ImportOptions::default().with_nodata(12.0).with_units(Units::FEET),
    );
    assert_eq!((values(&stated)[2], values(&stated)[11]), (Some(3.0), None));
}
