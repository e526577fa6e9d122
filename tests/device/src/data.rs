//! Heightmaps that lie beside the checkout and are not part of it.

use landform::field::Field;
use landform::import::{ImportOptions, import};

/// A heightmap of the shared data, or None, said aloud, where it is not there.
///
/// # Panics
/// Where it is there and cannot be imported.
pub fn shared_field(path: &str, options: &ImportOptions) -> Option<Field> {
    let file = landform_harness::repository().join("../shared/data").join(path);
    if !file.is_file() {
        eprintln!("SKIPPED: {} is not there", file.display());
        return None;
    }
    Some(import(&file, options).unwrap_or_else(|error| panic!("{error}")).0)
}
