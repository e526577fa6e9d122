//! What needs no device: selection, bounds, edits, queries.

mod edits;
mod naive;
mod queries;
mod selection;

use crate::workload;
use serde_json::{Value, json};

/// Numbers of other programs on this same work, from another run on another day (one core of a virtual machine with two,
/// 2026-11-30): for orientation. What is claimed is a ratio to a baseline measured in the same run.
pub(crate) mod published {
    /// Strugar's reference implementation of CDLOD, g++ -O2, leaf 32: nanoseconds a visited node.
    pub(crate) const REFERENCE_NS_A_NODE: f64 = 63.0;
    /// Bytes of its quadtree of this map, leaf 32.
    pub(crate) const REFERENCE_TREE_BYTES: f64 = 1.05e6;
    /// Milliseconds in which it builds its tree, over its three leaf sizes.
    pub(crate) const REFERENCE_BUILD_MS: [f64; 2] = [28.0, 51.0];
}

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Passes over the path.
    pub(crate) passes: usize,
    /// Builds, edits and queries, in hundreds.
    pub(crate) runs: usize,
}

impl Effort {
    pub(crate) fn new(quick: bool) -> Self {
        if quick { Self { passes: 2, runs: 1 } } else { Self { passes: 31, runs: 20 } }
    }
}

/// Everything, as JSON.
pub(crate) fn run(quick: bool) -> landform::Result<Value> {
    let effort = Effort::new(quick);
    let codes = workload::map();
    let path = workload::path(&codes);
    let is_reference = workload::fingerprint(&codes) == workload::FINGERPRINT;
    let field = workload::field(codes)?;
    let selection = selection::measure(&field, &path, effort)?;
    let queries = queries::measure(&field, &path, effort);
    let bounds = edits::measure(field, effort)?;
    Ok(json!({
        "map": { "samples": workload::SIDE, "is_the_reference_map": is_reference },
        "published": {
            "what": "another run of other programs on the same work, for orientation",
            "reference_ns_a_visited_node": published::REFERENCE_NS_A_NODE,
            "reference_tree_bytes": published::REFERENCE_TREE_BYTES,
            "reference_build_ms": published::REFERENCE_BUILD_MS,
        },
        "selection": selection,
        "bounds": bounds,
        "queries": queries,
    }))
}
