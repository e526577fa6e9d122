//! The lamps of a frame's views: sorted on the device where a node says so, else before the frame is recorded.

use super::{Compositor, Frame};
use crate::Result;
use crate::draw::device_clusters::{DeviceClusters, LampLists};
use crate::draw::light::ViewClusters;
use crate::frame::{FrameDocument, FrameNode};
use crate::gpu::{Cmd, Device};
use crate::light::{ClusterGrid, Clusters};
use std::sync::Arc;

/// How far lamps are sorted into clusters, metres. Few reach the eye from further away.
const LAMPS_REACH: f64 = 2000.0;

/// What the lamps of a frame are sorted in.
#[derive(Default)]
pub(super) struct SceneLamps {
    /// One a view that the CPU sorts for, in the frame's order; what the others have is not used.
    listed: Vec<Clusters>,
    nodes: Vec<NodeLamps>,
    /// Where the lamps of each view of the frame are.
    views: Vec<Sorted>,
}

/// What a `LightClusters` node fills.
struct NodeLamps {
    node: usize,
    clusters: DeviceClusters,
}

#[derive(Clone, Copy)]
enum Sorted {
    /// It has none.
    Not,
    /// By the CPU.
    Listed,
    /// By a node, counted among those.
    OnDevice(usize),
}

impl SceneLamps {
    /// What a document's nodes need.
    pub(super) fn of(device: &Arc<Device>, document: &FrameDocument) -> Result<Self> {
        let mut nodes = Vec::new();
        for (node, found) in document.nodes.iter().enumerate() {
            if let FrameNode::LightClusters(_) = found {
                nodes
                    .push(NodeLamps { node, clusters: DeviceClusters::new(device, ClusterGrid::default())? });
            }
        }
        Ok(Self { nodes, ..Self::default() })
    }

    /// The lamps of a view of the frame, by its number.
    pub(super) fn of_view(&self, view: usize) -> Option<ViewClusters<'_>> {
        match self.views.get(view)? {
            Sorted::Not => None,
            Sorted::Listed => self.listed.get(view).map(ViewClusters::from),
            Sorted::OnDevice(at) => self.nodes.get(*at).map(|node| ViewClusters::from(&node.clusters)),
        }
    }

    pub(super) fn lists(&self, node: usize) -> Option<LampLists> {
        self.nodes.iter().find(|lamps| lamps.node == node).map(|lamps| lamps.clusters.lists())
    }

    /// Records a `LightClusters` node; nothing where its view has no lamps in this frame.
    pub(super) fn record(&mut self, cmd: &Cmd<'_>, node: usize) -> Result<()> {
        let Self { nodes, views, .. } = self;
        let sorts = |at: usize| views.iter().any(|view| matches!(view, Sorted::OnDevice(by) if *by == at));
        match nodes.iter_mut().enumerate().find(|(_, lamps)| lamps.node == node) {
            Some((at, lamps)) if sorts(at) => lamps.clusters.record(cmd),
            _ => Ok(()),
        }
    }
}

impl Compositor {
    /// Sorts the lamps of each view, or prepares that its node does; none without lamps, and none where the node is off.
    pub(super) fn sort_lamps(&mut self, frame: &Frame<'_>) -> Result<()> {
        let Self { lamps: SceneLamps { listed, nodes, views, .. }, document, steps, .. } = self;
        views.clear();
        views.resize(frame.views.len(), Sorted::Not);
        if frame.lamps.is_empty() {
            return Ok(());
        }
        listed.resize_with(frame.views.len(), || Clusters::new(ClusterGrid::default()));
        for (index, (name, view)) in frame.views.iter().enumerate() {
            let sorts = |lamps: &NodeLamps| match &document.nodes[lamps.node] {
                FrameNode::LightClusters(node) => node.view == *name,
                _ => false,
            };
            views[index] = match nodes.iter().position(sorts) {
                None => {
                    listed[index].build(view, LAMPS_REACH, frame.lamps)?;
                    Sorted::Listed
                }
                Some(at) if steps[nodes[at].node].enabled => {
                    let prepared = nodes[at].clusters.prepare(view, LAMPS_REACH, frame.lamps);
                    prepared.map_err(|error| error.in_context(&document.label_of(nodes[at].node)))?;
                    Sorted::OnDevice(at)
                }
                Some(_) => Sorted::Not,
            };
        }
        Ok(())
    }
}
