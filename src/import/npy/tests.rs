//! Arrays that are made here.

use super::super::{ImportReport, import_bytes};
use super::*;
use crate::field::{Field, Sample};
use proptest::prelude::*;

/// A file of version 1 with this dictionary and these elements.
pub(in super::super) fn file(dictionary: &str, elements: &[u8]) -> Vec<u8> {
    let text = format!("{dictionary:<117}\n");
    let mut bytes = b"\x93NUMPY\x01\0".to_vec();
    bytes.extend((text.len() as u16).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes.extend(elements);
    bytes
}

fn dictionary(descr: &str, fortran: &str, shape: &str) -> String {
    format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}")
}

fn take(bytes: &[u8]) -> Result<(Field, ImportReport)> {
    import_bytes("a.npy", bytes, &ImportOptions::default())
}

/// Six numbers, by rows; both ends of what the smallest type holds are among them.
const NUMBERS: [u8; 6] = [0, 1, 2, 30, 40, 127];

fn encoded(descr: &str, numbers: &[u8]) -> Vec<u8> {
    let little = |number: u8| match &descr[1..] {
        "u1" => vec![number],
        "i2" => i16::from(number).to_le_bytes().to_vec(),
        "u2" => u16::from(number).to_le_bytes().to_vec(),
        "i4" => i32::from(number).to_le_bytes().to_vec(),
        "u4" => u32::from(number).to_le_bytes().to_vec(),
        "f4" => f32::from(number).to_le_bytes().to_vec(),
        _ => f64::from(number).to_le_bytes().to_vec(),
    };
    let order = |mut bytes: Vec<u8>| {
        if descr.starts_with('>') {
            bytes.reverse();
        }
        bytes
    };
    numbers.iter().flat_map(|&number| order(little(number))).collect()
}

#[test]
fn every_type_in_either_order_is_the_same_map() {
    let by_columns = [0, 30, 1, 40, 2, 127];
    for descr in ["|u1", "<i2", ">i2", "<u2", ">u2", "<i4", ">i4", "<u4", ">u4", "<f4", ">f4", "<f8", ">f8"] {
        for (fortran, numbers) in [("False", NUMBERS), ("True", by_columns)] {
            let (field, report) =
                take(&file(&dictionary(descr, fortran, "(2, 3)"), &encoded(descr, &numbers))).unwrap();
            assert_eq!((report.format, report.width, report.height), (Format::Npy, 3, 2), "{descr}");
            assert_eq!((report.min, report.max, report.max_at), (0.0, 127.0, Sample::new(2, 1)), "{descr}");
            assert_eq!(report.bit_depth, 8 * descr[2..].parse::<u32>().unwrap());
            for (index, number) in NUMBERS.into_iter().enumerate() {
                let sample = Sample::new(index as u32 % 3, index as u32 / 3);
                assert_eq!(field.sample_metres(sample).round(), f64::from(number), "{descr} {fortran}");
            }
            let order = (descr != "|u1").then_some(match &descr[..1] {
                ">" => ByteOrder::Big,
                _ => ByteOrder::Little,
            });
            assert_eq!(report.byte_order, order);
        }
    }
}

#[test]
fn voids_are_nan_and_what_is_stated() {
    let numbers = [f32::NAN, 1.5, -9999.0, 3.25];
    let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    let bytes = file(&dictionary("<f4", "False", "(2, 2)"), &bytes);
    let (_, report) = take(&bytes).unwrap();
    assert_eq!((report.voids, report.min), (1, -9999.0));
    assert!(report.warnings.iter().any(|line| line.contains("void code")), "{report}");
    let (_, report) = import_bytes("a.npy", &bytes, &ImportOptions::default().with_nodata(-9999.0)).unwrap();
    assert_eq!((report.voids, report.min, report.max), (2, 1.5, 3.25));
    assert!(report.warnings.is_empty(), "{report}");
}

#[test]
fn what_is_no_map_is_named() {
    let body = [0x7fu8; 64];
    let cases = [
        (dictionary("<f4", "False", "(4,)"), "shape (4,); a map has two dimensions"),
        (dictionary("<f4", "False", "()"), "shape ();"),
        (dictionary("<f4", "False", "(2, 2, 4)"), "shape (2, 2, 4)"),
        (dictionary("<c8", "False", "(2, 2)"), "an array of `<c8`"),
        (dictionary("<f16", "False", "(2, 2)"), "`<f16`"),
        (dictionary("|b1", "False", "(2, 2)"), "`|b1`"),
        (dictionary("<i8", "False", "(2, 4)"), "beyond 2^53"),
        (dictionary("<f4", "False", "(1, 16)"), "at least 2×2"),
        (dictionary("<f4", "False", "(99999999, 99999999)"), "split it"),
        (dictionary("<f4", "False", "(99999999999999999999, 2)"), "not one of a NumPy array"),
        (dictionary("<f4", "False", "(1000, 1000)"), "cannot be in a file of"),
        (dictionary("<f4", "False", "(2, 2)"), "goes on behind its last element"),
        (dictionary("<f4", "Maybe", "(2, 2)"), "not one of a NumPy array"),
        ("{'descr': [('z', '<f4')], 'fortran_order': False, 'shape': (4, 4), }".to_owned(), "records"),
        ("no dictionary".to_owned(), "not one of a NumPy array"),
        (String::new(), "not one of a NumPy array"),
    ];
    for (dictionary, reason) in cases {
        let text = take(&file(&dictionary, &body)).unwrap_err().to_string();
        assert!(text.contains(reason) && text.starts_with("a.npy: "), "{text}");
    }
    let mut long = file(&dictionary("<f4", "False", "(4, 4)"), &body);
    long[6] = 2;
    assert!(take(&long).unwrap_err().to_string().contains("header of"));
    long[6] = 9;
    assert!(take(&long).unwrap_err().to_string().contains("version 9"));
    assert!(import_bytes("a.npy", b"nothing", &ImportOptions::default()).is_err());
}

#[test]
fn an_array_cut_at_any_byte_is_refused() {
    let bytes = file(&dictionary("<i2", "True", "(2, 3)"), &encoded("<i2", &NUMBERS));
    take(&bytes).unwrap();
    for length in 0..bytes.len() {
        assert!(take(&bytes[..length]).is_err(), "{length}");
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(width in 2usize..9, values in prop::collection::vec(-9e3f64..9e3, 4..80)) {
        prop_assume!(values.len() >= 2 * width);
        let height = values.len() / width;
        let values = &values[..width * height];
        let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_be_bytes()).collect();
        let (field, report) =
            take(&file(&dictionary(">f8", "False", &format!("({height}, {width})")), &bytes)).unwrap();
        let (min, max) = values.iter().fold((f64::MAX, f64::MIN), |(a, b), &v| (a.min(v), b.max(v)));
        prop_assert_eq!((report.min, report.max), (min, max));
        let half = 0.5 * field.desc().range.metres_per_code() * (1.0 + 1e-9);
        for (&value, &code) in values.iter().zip(field.samples()) {
            prop_assert!((field.desc().range.metres(f64::from(code)) - value).abs() <= half);
        }
    }

    #[test]
    fn no_header_makes_it_panic(text in "\\{('descr'|'shape'|'fortran_order'|: |'<f4'|\\[|\\(|\\)|True|[0-9]|,|\\PC){0,30}\\}") {
        let mut bytes = b"\x93NUMPY\x01\0".to_vec();
        bytes.extend((text.len() as u16).to_le_bytes());
        bytes.extend(text.as_bytes());
        let _ = take(&bytes);
    }
}
