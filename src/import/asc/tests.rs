//! Grids that are made here: every spelling, every kind of broken.

use super::super::{ImportOptions, ImportReport, import_bytes};
use super::*;
use crate::field::{Field, Quad, Sample};
use glam::DVec2;
use proptest::prelude::*;

const SAMPLES: &str = "1 2 3\n4 -9999 6\n7 8 9.5\n";

fn import(text: &str, options: &ImportOptions) -> Result<(Field, ImportReport)> {
    import_bytes("a.asc", text.as_bytes(), options)
}

fn take(text: &str) -> (Field, ImportReport) {
    import(text, &ImportOptions::default()).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn refusal(text: &str) -> String {
    import(text, &ImportOptions::default()).unwrap_err().to_string()
}

/// Whatever the header looks like, the grid is the same.
#[test]
fn a_header_is_read_in_every_spelling() {
    let headers = [
        "ncols 3\nnrows 3\nxllcorner 500000.0\nyllcorner 4000000.0\ncellsize 30.0\nNODATA_value -9999\n",
        "NCOLS 3\nNROWS 3\nXLLCENTER 15\nYLLCENTER 15\nCELLSIZE 3.0e1\nNODATA_VALUE -9999.00\n",
        "nrows 3\r\nncols 3\r\ndx 30\r\ndy 30\r\nnodata_value -9999\r\n",
        "\u{feff}ncols 3\rnrows 3\rcellsize 30,0\rNODATA_value -9999,0\r",
        "  Ncols\t3 nRows 3 CellSize 30\n\n",
    ];
    for header in headers {
        for samples in
            [SAMPLES, SAMPLES.trim_end(), &SAMPLES.replace('\n', "\r\n"), &SAMPLES.replace('.', ",")]
        {
            let (field, report) = take(&format!("{header}{samples}"));
            assert_eq!((report.format, report.width, report.height), (Format::EsriAscii, 3, 3));
            assert_eq!((report.min, report.max, report.max_at), (1.0, 9.5, Sample::new(2, 2)));
            assert_eq!((report.voids, report.holes, report.nodata.clone()), (1, 4, vec![-9999.0]));
            assert_eq!(report.spacing, DVec2::splat(30.0), "{report}");
            assert!(field.is_hole(Quad::new(1, 1)));
            assert!((field.sample_metres(Sample::new(0, 1)) - 4.0).abs() < 1e-4);
            assert!(report.warnings.is_empty(), "{report}");
        }
    }
}

#[test]
fn the_content_tells_the_format() {
    let text = format!("\r\nNCOLS 3\nnrows 3\n{SAMPLES}");
    let (_, report) = import_bytes("heights.txt", text.as_bytes(), &ImportOptions::default()).unwrap();
    assert_eq!(report.format, Format::EsriAscii);
    assert!(report.assumptions.iter().any(|line| line.contains("no spacing")), "{report}");
    assert!(report.assumptions.iter().any(|line| line.contains("the format's default")), "{report}");
}

#[test]
fn cells_need_not_be_square_and_may_be_degrees() {
    assert_eq!(take(&format!("ncols 3\nnrows 3\ndx 30\ndy 45\n{SAMPLES}")).1.spacing, DVec2::new(30.0, 45.0));
    let header = "ncols 3\nnrows 3\nxllcorner -105.5\nyllcorner 59.9985\ncellsize 0.001\n";
    let (_, report) = take(&format!("{header}{SAMPLES}"));
    assert!((report.spacing - DVec2::new(55.56, 111.12)).length() < 1e-3, "{report}");
    assert!(report.warnings.iter().any(|line| line.contains("degrees")), "{report}");
    let small = format!("ncols 3\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 0.01\n{SAMPLES}");
    assert_eq!(take(&small).1.spacing, DVec2::splat(0.01));
}

#[test]
fn voids_are_what_is_declared_or_stated() {
    let lowest = "ncols 2\nnrows 2\nnodata_value -3.40282346639e+38\n1 2 nan -3.4028235e38";
    assert_eq!(take(lowest).1.voids, 2);
    let declared = "ncols 2\nnrows 2\nnodata_value 0\n1 2 -9999 0";
    let (_, report) = take(declared);
    assert_eq!((report.voids, report.min), (1, -9999.0));
    assert!(report.warnings.iter().any(|line| line.contains("1 sample is -9999")), "{report}");
    let (_, report) = import(declared, &ImportOptions::default().with_nodata(-9999.0)).unwrap();
    assert_eq!((report.voids, report.min, report.nodata.clone()), (1, 0.0, vec![-9999.0]));
    assert!(report.assumptions.iter().any(|line| line.contains("as stated")), "{report}");
    let text = refusal("ncols 2\nnrows 2\n1 2 3 1e38");
    assert!(text.contains("void code") && text.contains("with_nodata"), "{text}");
    assert!(refusal("ncols 2\nnrows 2\n-9999 nan inf -9999").contains("every sample is a void"));
}

#[test]
fn what_is_broken_is_named() {
    let cases = [
        ("ncols 3\nnrows 3\n1 2 3 4", "has 4 of 9 samples: the file is truncated, at column 1 of row 1"),
        ("ncols 2\nnrows 2\n1 2 3 4 5", "more than the 4 samples"),
        ("ncols 2\nnrows 2\n1 2 x 4", "`x` is not a number, at column 0 of row 1"),
        ("ncols 2\nnrows 2\n1,2,3,4 1 1 1", "neither a word"),
        ("ncols 2\nnrows 2\n1 1,234.5 3 4", "`1,234.5` is not a number"),
        ("ncols 2\nncols 2\nnrows 2\n1 2 3 4", "twice"),
        ("ncols 2\n1 2 3 4", "lacks `nrows`"),
        ("ncols 2.5\nnrows 2\n1 2 3 4", "no number of samples"),
        ("ncols -2\nnrows 2\n1 2 3 4", "no number of samples"),
        ("ncols 2\nnrows 2\ncellsize 0\n1 2 3 4", "above 0"),
        ("ncols 2\nnrows 2\nbyteorder LSBFIRST\n1 2 3 4", "`byteorder` is neither"),
        ("ncols 1\nnrows 4\n1 2 3 4", "at least 2×2"),
        ("ncols 20000\nnrows 20000\n1", "take a part of it"),
        ("ncols 4000\nnrows 4000\n1 2 3", "cannot be in a file of 27 bytes"),
        ("ncols 2\nnrows 2\n1 2 3 \0", "no text"),
        ("heights", "neither a word"),
        ("ncols", "no number follows `ncols`"),
    ];
    for (text, reason) in cases {
        let said = refusal(text);
        assert!(said.contains(reason) && said.starts_with("a.asc: "), "{said}");
    }
    let long = format!("ncols 2\nnrows 2\n1 2 3 {}", "4".repeat(5000));
    assert!(refusal(&long).contains("longer than any number"));
    let stated = ImportOptions::default().with_raw_size(3, 3);
    assert!(import("ncols 2\nnrows 2\n1 2 3 4", &stated).unwrap_err().to_string().contains("were stated"));
}

/// A cut is an error, except within the last number, which no reader can tell from a shorter one: that is said.
#[test]
fn a_grid_cut_at_any_byte_is_refused_or_doubted() {
    let text = format!("ncols 3\nnrows 3\ncellsize 30\nNODATA_value -9999\n{SAMPLES}");
    let (whole, _) = take(&text);
    let last = text.trim_end().rfind(' ').unwrap() + 1;
    for length in 0..text.len() {
        match import(&text[..length], &ImportOptions::default()) {
            Err(_) => assert!(length <= last, "{length}"),
            Ok((field, report)) => {
                assert!(length > last, "{length}");
                assert!(
                    report.assumptions.iter().any(|line| line.contains("last sample is whole")),
                    "{report}"
                );
                assert!(length + 1 < text.len() || field.samples() == whole.samples());
            }
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        width in 2usize..9,
        values in prop::collection::vec(-9000.0f32..9000.0, 4..80),
    ) {
        prop_assume!(values.len() >= 2 * width);
        let height = values.len() / width;
        let values = &values[..width * height];
        let words: Vec<_> = values.iter().map(|value| value.to_string()).collect();
        let (field, report) = take(&format!("ncols {width}\nnrows {height}\n{}\n", words.join(" ")));
        let (min, max) = values.iter().fold((f32::MAX, f32::MIN), |(a, b), &v| (a.min(v), b.max(v)));
        prop_assert_eq!((report.min, report.max), (f64::from(min), f64::from(max)));
        let half = 0.5 * field.desc().range.metres_per_code() * (1.0 + 1e-9);
        for (&value, &code) in values.iter().zip(field.samples()) {
            prop_assert!((field.desc().range.metres(f64::from(code)) - f64::from(value)).abs() <= half);
        }
        prop_assert_eq!(field.sample_metres(report.max_at), f64::from(max));
    }

    #[test]
    fn no_text_makes_it_panic(text in "(ncols|nrows|cellsize|dx|nan|[-0-9,.eE]{1,4}|\\PC|[ \n]){0,40}") {
        let _ = import(&text, &ImportOptions::default());
    }
}
