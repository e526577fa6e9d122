//! What tests of the import share.

#![allow(dead_code, reason = "each test program uses a part of it")]

use landform::field::Field;
use landform::import::{ImportOptions, ImportReport, import};
use std::path::{Path, PathBuf};

/// A file of the shared data, which lies beside the checkout.
pub(crate) fn shared(path: &str) -> Option<PathBuf> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data").join(path);
    if !file.is_file() {
        eprintln!("SKIPPED: {} is not there", file.display());
        return None;
    }
    Some(file)
}

/// The file, or the end of the test.
macro_rules! shared_or_end {
    ($path:expr) => {
        match $crate::common::shared($path) {
            Some(file) => file,
            None => return,
        }
    };
}

pub(crate) fn plain() -> ImportOptions {
    ImportOptions::default()
}

pub(crate) fn read(path: &Path, options: &ImportOptions) -> (Field, ImportReport) {
    import(path, options).unwrap_or_else(|error| panic!("{error}"))
}

pub(crate) fn refusal(path: &Path, options: &ImportOptions) -> String {
    match import(path, options) {
        Ok((_, report)) => panic!("was not refused:\n{report}"),
        Err(error) => error.to_string(),
    }
}

pub(crate) fn warned(report: &ImportReport, part: &str) -> bool {
    report.warnings.iter().any(|line| line.contains(part))
}

/// A place for a file that a test writes.
pub(crate) fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("import-{}-{name}", std::process::id()))
}

pub(crate) use shared_or_end;
