//! The commands, one a file.

pub(crate) mod completions;
pub(crate) mod export;
pub(crate) mod height;
pub(crate) mod import;
pub(crate) mod info;
pub(crate) mod layers;
pub(crate) mod render;
pub(crate) mod weights;

use clap::Arg;
use landform::import::ImportReport;

/// The size of a raw file is its `--size` where nothing else has one.
fn also_size(raw_size: Arg) -> Arg {
    raw_size.visible_alias("size")
}

/// What a person has to know of an import, on stderr, so that it is in nobody's way.
fn warn(report: &ImportReport) {
    for warning in &report.warnings {
        eprintln!("landform: WARNING: {warning}");
    }
}
