//! Selection over the path: nodes, microseconds a frame, nanoseconds a visited node.

use super::naive::Tree;
use super::{Effort, published};
use crate::timing::{in_order, mean, median};
use crate::workload::PathFrame;
use glam::DVec3;
use landform::abi::NodeRecord;
use landform::field::Field;
use landform::lod::{Frustum, GridSize, LodGeometry, LodRanges, SelectInput, select};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::hint::black_box;

/// A way to select.
struct Case {
    name: &'static str,
    grid: GridSize,
    ranges: LodRanges,
    legal: bool,
}

/// A camera, ready for selection.
struct Camera {
    position: DVec3,
    frustum: Frustum,
}

pub(super) fn measure(field: &Field, path: &[PathFrame], effort: Effort) -> landform::Result<Value> {
    let cameras: Vec<Camera> = path
        .iter()
        .map(|frame| Camera { position: frame.position(), frustum: Frustum::of(&frame.view_projection()) })
        .collect();
    let cases = cases(field)?;
    let rows = cases.iter().map(|case| measure_case(field, case, &cameras, effort));
    Ok(Value::Array(rows.collect()))
}

/// Strugar's own ranges, which leave cracks and are measured for comparison only, and legal ones.
fn cases(field: &Field) -> landform::Result<Vec<Case>> {
    const MOST: f64 = 90_000.0;
    let strugar = |name, grid, levels: u32| {
        let near = MOST / f64::from((1u32 << levels) - 1);
        let list: Vec<f64> = (0..levels).map(|level| near * f64::from((2u32 << level) - 1)).collect();
        // His coarsest level ends at the last range. Here one more level, without an end, lies above it.
        Case { name, grid, ranges: LodRanges::unchecked(levels + 1, &list, 0.66), legal: false }
    };
    let legal = |name, grid| {
        let geometry = LodGeometry::new(field.desc(), grid);
        let (ranges, _) = LodRanges::clamped(&geometry, 0.0, 0.66)?;
        landform::Result::Ok(Case { name, grid, ranges, legal: true })
    };
    Ok(vec![
        strugar("Strugar's ranges, leaf 16, 8 levels", GridSize::G16, 8),
        strugar("Strugar's ranges, leaf 32, 7 levels", GridSize::G32, 7),
        strugar("Strugar's ranges, leaf 64, 6 levels", GridSize::G64, 6),
        legal("legal ranges, leaf 16", GridSize::G16)?,
        legal("legal ranges, leaf 32", GridSize::G32)?,
        legal("legal ranges, leaf 64", GridSize::G64)?,
    ])
}

fn measure_case(field: &Field, case: &Case, cameras: &[Camera], effort: Effort) -> Value {
    let tree = Tree::new(field, case.grid, case.ranges.levels());
    let ranges = Tree::ranges(&case.ranges);
    let ours = Measured::new(cameras, effort, |camera, nodes| {
        let input = SelectInput::new(field, case.grid, &case.ranges, camera.position, &camera.frustum);
        select(&input, nodes).visited
    });
    let naive = Measured::new(cameras, effort, |camera, nodes| {
        let dy = SelectInput::new(field, case.grid, &case.ranges, camera.position, &camera.frustum).dy();
        tree.select(camera.position.as_vec3(), dy as f32, &camera.frustum, &ranges, nodes)
    });
    json!({
        "case": case.name,
        "legal": case.legal,
        "leaf_quads": case.grid.quads(),
        "levels": case.ranges.levels(),
        "near_m": case.ranges.range(0),
        "landform": ours.report(),
        "naive": naive.report(),
        "naive_over_landform": naive.mean / ours.mean,
        "nodes_selected_by_one_only": apart(&ours.nodes, &naive.nodes),
        "tree_bytes_of_naive": tree.bytes(),
        "published_reference_over_landform": published::REFERENCE_NS_A_NODE / ours.ns_a_node(),
    })
}

/// What one selector did on the whole path.
struct Measured {
    visited: Vec<f64>,
    nodes: Vec<Vec<NodeRecord>>,
    /// Nanoseconds of the median frame.
    frame: f64,
    /// Nanoseconds of the mean frame.
    mean: f64,
}

impl Measured {
    fn new(
        cameras: &[Camera],
        effort: Effort,
        mut work: impl FnMut(&Camera, &mut Vec<NodeRecord>) -> u32,
    ) -> Self {
        let mut nodes = Vec::with_capacity(4096);
        let (mut visited, mut selected) = (Vec::new(), Vec::new());
        for camera in cameras {
            visited.push(f64::from(work(camera, &mut nodes)));
            selected.push(nodes.clone());
        }
        let mut times = in_order(cameras, 8, effort.passes, |camera| {
            black_box(work(camera, &mut nodes));
        });
        Self { visited, nodes: selected, mean: mean(&times), frame: median(&mut times) }
    }

    fn ns_a_node(&self) -> f64 {
        self.mean / mean(&self.visited)
    }

    fn report(&self) -> Value {
        let mut selected: Vec<f64> = self.nodes.iter().map(|nodes| nodes.len() as f64).collect();
        json!({
            "visited_a_frame": median(&mut self.visited.clone()),
            "selected_a_frame": median(&mut selected),
            "us_a_frame": self.frame / 1e3,
            "ns_a_visited_node": self.ns_a_node(),
        })
    }
}

/// How many nodes of the path only one of two selectors has: those that rounding puts on either side of a plane.
fn apart(ours: &[Vec<NodeRecord>], theirs: &[Vec<NodeRecord>]) -> usize {
    let names = |nodes: &[NodeRecord]| -> BTreeSet<(u8, u32, u32)> {
        nodes.iter().map(|node| (node.level().0, node.origin[0] as u32, node.origin[1] as u32)).collect()
    };
    ours.iter().zip(theirs).map(|(a, b)| names(a).symmetric_difference(&names(b)).count()).sum()
}
