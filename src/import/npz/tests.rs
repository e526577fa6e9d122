//! Archives that are made here, stored and deflated.

use super::super::npy::tests::file;
use super::super::{ImportReport, import_bytes};
use super::*;
use crate::field::Field;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// An array of these bytes.
fn array(shape: &str, elements: &[u8]) -> Vec<u8> {
    file(&format!("{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}"), elements)
}

fn archive(members: &[(&str, Vec<u8>)], method: CompressionMethod) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in members {
        writer.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
        writer.write_all(bytes).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn small(method: CompressionMethod) -> Vec<u8> {
    let members = [
        ("dx.npy", array("()", &[30])),
        ("notes.txt", b"none".to_vec()),
        ("height.npy", array("(2, 3)", &[1, 2, 3, 4, 5, 60])),
    ];
    archive(&members, method)
}

fn take(bytes: &[u8], options: &ImportOptions) -> Result<(Field, ImportReport)> {
    import_bytes("a.npz", bytes, options)
}

fn plain() -> ImportOptions {
    ImportOptions::default()
}

#[test]
fn the_only_map_is_taken_stored_or_deflated() {
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let (_, report) = take(&small(method), &plain()).unwrap();
        assert_eq!((report.format, report.width, report.height), (Format::Npz, 3, 2));
        assert_eq!((report.min, report.max, report.bit_depth), (1.0, 60.0, 8));
        assert!(report.assumptions.iter().any(|line| line.contains("`height`")), "{report}");
        let (_, report) = take(&small(method), &plain().with_array("height.npy")).unwrap();
        assert!(!report.assumptions.iter().any(|line| line.contains("`height`")), "{report}");
    }
    let arrays = archive(&[("z.npy", array("(2, 2)", &[1, 2, 3, 4]))], CompressionMethod::Stored);
    let (_, report) = import_bytes("heights.zip", &arrays, &plain()).unwrap();
    assert_eq!(report.format, Format::Npz, "by its content");
}

#[test]
fn what_cannot_be_chosen_is_listed() {
    let two = [
        ("a.npy", array("(2, 2)", &[1, 2, 3, 4])),
        ("b.npy", array("(2, 3)", &[1, 2, 3, 4, 5, 6])),
        ("c.npy", b"broken".to_vec()),
    ];
    let bytes = archive(&two, CompressionMethod::Deflated);
    let refusal = |bytes: &[u8], options: ImportOptions| take(bytes, &options).unwrap_err().to_string();
    let text = refusal(&bytes, plain());
    assert!(
        text.contains("with_array") && text.contains("it has `a` (2, 2), `b` (2, 3), `c` (broken)"),
        "{text}"
    );
    assert!(refusal(&bytes, plain().with_array("d")).contains("there is no array `d`; it has `a`"));
    assert!(refusal(&bytes, plain().with_array("c")).contains("array `c`: "));
    assert_eq!(take(&bytes, &plain().with_array("b")).unwrap().1.max, 6.0);
    let scalar = archive(&[("dx.npy", array("()", &[1]))], CompressionMethod::Stored);
    assert!(refusal(&scalar, plain()).contains("none of its arrays"));
    let other = archive(&[("dx.txt", vec![1])], CompressionMethod::Stored);
    assert!(refusal(&other, plain()).contains("without a NumPy array"));
}

#[test]
fn an_array_cannot_claim_more_than_its_member_holds() {
    let bytes = archive(&[("z.npy", array("(16000, 16000)", &[0; 100]))], CompressionMethod::Deflated);
    assert!(take(&bytes, &plain()).unwrap_err().to_string().contains("cannot be in a file of"));
}

#[test]
fn an_archive_cut_or_changed_anywhere_is_refused_or_whole() {
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let bytes = small(method);
        let (whole, _) = take(&bytes, &plain()).unwrap();
        for length in 0..bytes.len() {
            assert!(take(&bytes[..length], &plain()).is_err(), "{length}");
        }
        for at in 0..bytes.len() {
            for flip in [0x01, 0x80, 0xff] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                if let Ok((field, _)) = take(&changed, &plain()) {
                    assert!(field.samples() == whole.samples(), "{at}");
                }
            }
        }
    }
}
