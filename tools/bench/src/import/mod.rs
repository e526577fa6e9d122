//! Import: megabytes a second and peak memory of each format, beside what the library that decodes it takes alone.

mod files;
mod libraries;
mod memory;

pub(crate) use memory::print_peak;

use crate::timing::median_of;
use crate::workload;
use landform::field::{Field, FieldDesc};
use landform::import::{Heightmap, ImportOptions};
use serde_json::{Value, json};
use std::io::Cursor;
use std::path::PathBuf;

/// Samples a side of the map that is imported, and of the one of a quick run.
const SIDE: usize = 2049;
const QUICK_SIDE: usize = 257;

/// A file of the map in one format.
struct File {
    name: &'static str,
    what: &'static str,
    path: PathBuf,
    bytes: Vec<u8>,
    options: ImportOptions,
    library: libraries::Library,
}

/// Everything, as JSON.
pub(crate) fn run(quick: bool) -> Result<Value, String> {
    let (side, runs) = if quick { (QUICK_SIDE, 1) } else { (SIDE, 11) };
    let folder = std::env::temp_dir().join(format!("landform-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("{} cannot be made: {error}", folder.display()))?;
    let field = part_of_the_map(side).map_err(|error| error.to_string())?;
    let files = files::write(&field, &folder)?;
    drop(field);
    let rows = files.iter().map(|file| measure(file, side, runs)).collect::<Result<Vec<_>, String>>();
    // What is left in a temporary folder harms nobody.
    let _ = std::fs::remove_dir_all(&folder);
    Ok(json!({ "samples": side, "formats": rows? }))
}

/// The north-west of the reference map.
fn part_of_the_map(side: usize) -> landform::Result<Field> {
    let map = workload::map();
    let codes = map.chunks_exact(workload::SIDE).take(side).flat_map(|row| &row[..side]).copied().collect();
    let desc = FieldDesc { width: side as u32, height: side as u32, ..workload::desc() };
    Field::from_samples(desc, codes)
}

fn measure(file: &File, side: usize, runs: usize) -> Result<Value, String> {
    let import = || {
        let map = Heightmap::read_from(file.name, Cursor::new(file.bytes.as_slice()), &file.options)?;
        map.into_field()
    };
    let (field, report) = import().map_err(|error| error.to_string())?;
    let decoded = f64::from(report.sample_type.bytes()) * (side * side) as f64;
    drop(field);
    let ours = median_of(runs, |_| (), |()| import().map(|(field, _)| field.revision()));
    let alone = median_of(runs, |_| (), |()| (file.library)(&file.bytes));
    let peak = memory::peak_of(&file.path);
    Ok(json!({
        "format": file.what,
        "file_megabytes": file.bytes.len() as f64 / 1e6,
        "decoded_megabytes": decoded / 1e6,
        "import_ms": ours / 1e6,
        "import_megabytes_a_second": decoded / ours * 1e3,
        "library_ms": alone / 1e6,
        "library_megabytes_a_second": decoded / alone * 1e3,
        "import_over_library": ours / alone,
        "ns_a_sample_beside_the_library": (ours - alone) / (side * side) as f64,
        "peak_megabytes": peak.map(|bytes| bytes as f64 / 1e6),
        "field_megabytes": 2.0 * (side * side) as f64 / 1e6,
        "peak_over_decoded": peak.map(|bytes| bytes as f64 / decoded),
    }))
}
