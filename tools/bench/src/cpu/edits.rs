//! Bounds: memory, building them for the whole map, bringing them up to date after an edit.

use super::{Effort, published};
use crate::timing::median_of;
use crate::workload::{self, SIDE};
use landform::field::{Field, SampleRect};
use serde_json::{Value, json};

/// Samples a side of an edit.
const EDIT: u32 = 64;

pub(super) fn measure(mut field: Field, effort: Effort) -> landform::Result<Value> {
    let builds = effort.runs.max(5);
    let codes = field.samples().to_vec();
    // A field that is made of samples moves them in: what takes time is building its bounds.
    let build = median_of(builds, |_| codes.clone(), workload::field);
    let whole = field.desc().rect();
    // An edit that changes nothing still updates the bounds: here all of them, without making their memory.
    let rebuild = median_of(builds, |_| (), |()| field.edit(whole, |_, _| {}));
    let edits = effort.runs * 100;
    let write = median_of(edits, |run| (place(run), hills(run)), |(rect, codes)| field.write(rect, &codes));
    let bounds_only = median_of(edits, place, |rect| field.edit(rect, |_, _| {}));
    let bytes = field.bounds().bytes();
    let least = published::REFERENCE_BUILD_MS[0];
    Ok(json!({
        "bytes": bytes,
        "part_of_the_samples": bytes as f64 / (2 * SIDE * SIDE) as f64,
        "published_tree_over_bytes": published::REFERENCE_TREE_BYTES / bytes as f64,
        "field_from_samples_ms": build / 1e6,
        "update_of_the_whole_map_ms": rebuild / 1e6,
        "published_least_build_over_ours": least / (build / 1e6),
        "write_64x64_us": write / 1e3,
        "bounds_of_64x64_us": bounds_only / 1e3,
    }))
}

/// Somewhere else on the map with every run.
fn place(run: usize) -> SampleRect {
    let at = |step: usize| (run * step % (SIDE - EDIT as usize)) as u32;
    SampleRect::new(at(1237), at(2741), EDIT, EDIT)
}

fn hills(run: usize) -> Vec<u16> {
    (0..EDIT * EDIT).map(|i| (i.wrapping_mul(40_503).wrapping_add(run as u32 * 977)) as u16).collect()
}
