//! A document's nodes as they are recorded: targets found once by their names.

use super::targets::OUTPUT_INDEX;
use crate::frame::{Access, Aspect, FrameDocument, FrameNode, OUTPUT, Stage, TargetUse};
use std::ffi::CString;

/// A node, with its targets by number.
pub(super) struct Step {
    /// For a capture tool, and for people.
    pub(super) label: CString,
    /// What it is called in the queries.
    pub(super) kind: &'static str,
    pub(super) uses: Vec<StepUse>,
    pub(super) enabled: bool,
    /// Of a `Terrain` node its number among those; of a velocity that of the terrain whose plan it draws.
    pub(super) terrain: Option<usize>,
    /// Of a `ShadowMap` its number among those; of a caster and what is lit that of the map whose atlas it names.
    pub(super) shadow: Option<usize>,
}

/// The field of what a node that resolves over time left in the frame before.
pub(super) const HISTORY: &str = "history";

#[derive(Clone, Copy)]
pub(super) struct StepUse {
    pub(super) field: &'static str,
    pub(super) target: usize,
    pub(super) access: Access,
}

impl Step {
    /// The target that a field names.
    pub(super) fn target(&self, field: &str) -> Option<usize> {
        self.uses.iter().find(|used| used.field == field).map(|used| used.target)
    }
}

/// The targets that the next frame reads again, by their numbers among the declared ones, in the order of their nodes.
pub(super) fn kept_of(document: &FrameDocument) -> Vec<usize> {
    let outputs = document.nodes.iter().filter_map(|node| match node {
        FrameNode::Resolve(resolve) => Some(resolve.output.as_str()),
        _ => None,
    });
    outputs.filter_map(|name| document.targets.iter().position(|target| target.name == name)).collect()
}

/// The steps of a document.
pub(super) fn steps_of(document: &FrameDocument) -> Vec<Step> {
    // What is kept comes after all that is declared.
    let mut kept = 1 + document.targets.len();
    let nodes = document.nodes.iter().map(|node| {
        let uses = node.uses(document);
        let mut uses: Vec<_> = uses.iter().map(|used| step_use(document, used)).collect();
        if let FrameNode::Resolve(_) = node {
            uses.push(StepUse { field: HISTORY, target: kept, access: Access::Sample });
            kept += 1;
        }
        Step {
            // A name has no zero byte, but a label is no reason to fail.
            label: CString::new(node.label()).unwrap_or_default(),
            kind: node.kind(),
            uses,
            enabled: true,
            terrain: terrain_of(document, node),
            shadow: shadow_of(document, node),
        }
    });
    nodes.collect()
}

fn step_use(document: &FrameDocument, used: &TargetUse<'_>) -> StepUse {
    let declared = document.targets.iter().position(|target| target.name == used.target);
    let target =
        if used.target == OUTPUT { OUTPUT_INDEX } else { declared.map_or(OUTPUT_INDEX, |at| at + 1) };
    // A node of the host's may take a target of either kind; how is its business.
    debug_assert!(used.aspect != Some(Aspect::Depth) || target != OUTPUT_INDEX);
    StepUse { field: used.field, target, access: used.access }
}

fn terrain_of(document: &FrameDocument, node: &FrameNode) -> Option<usize> {
    match node {
        FrameNode::Terrain(terrain) => document.terrains().position(|other| std::ptr::eq(other, terrain)),
        FrameNode::TerrainVelocity(velocity) => {
            document.terrains().position(|terrain| terrain.view == velocity.view)
        }
        _ => None,
    }
}

fn shadow_of(document: &FrameDocument, node: &FrameNode) -> Option<usize> {
    let mut maps = document.nodes.iter().filter_map(|node| match node {
        FrameNode::ShadowMap(map) => Some(map),
        _ => None,
    });
    match node {
        FrameNode::ShadowMap(map) => maps.position(|other| std::ptr::eq(other, map)),
        FrameNode::TerrainCaster(caster) => maps.position(|map| map.atlas == caster.atlas),
        FrameNode::Terrain(terrain) => {
            maps.position(|map| map.atlas == terrain.shadow_atlas && map.scene_pass == terrain.scene_pass)
        }
        FrameNode::Pass(pass) if pass.stage == Stage::Main => {
            maps.position(|map| map.atlas == pass.shadow_atlas && map.scene_pass == pass.scene_pass)
        }
        _ => None,
    }
}
