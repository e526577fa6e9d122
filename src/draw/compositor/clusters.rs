//! The lamps of a frame's views: sorted on the device where a node that is on says so, else by the CPU before the frame is recorded.

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
    /// One a view, in the frame's order; what those have that the CPU does not sort for is not used.
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
                let clusters = DeviceClusters::new(device, ClusterGrid::default())?;
                nodes.push(NodeLamps { node, clusters });
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

    /// Records a `LightClusters` node that is on.
    pub(super) fn record(&mut self, cmd: &Cmd<'_>, node: usize) -> Result<()> {
        let lamps = self.nodes.iter_mut().find(|lamps| lamps.node == node);
        lamps.map_or(Ok(()), |lamps| lamps.clusters.record(cmd))
    }

    /// A frame was lost.
    pub(super) fn forget(&mut self) {
        self.nodes.iter_mut().for_each(|lamps| lamps.clusters.forget());
    }
}

impl Compositor {
    /// Sorts the lamps of each view, or prepares that its node does. A node that is off leaves it to the CPU, as a document without it.
    pub(super) fn sort_lamps(&mut self, frame: &Frame<'_>) -> Result<()> {
        let Self { lamps: SceneLamps { listed, nodes, views, .. }, document, steps, .. } = self;
        views.clear();
        listed.resize_with(frame.views.len(), || Clusters::new(ClusterGrid::default()));
        for ((name, view), listed) in frame.views.iter().zip(listed) {
            let sorts = |lamps: &NodeLamps| match &document.nodes[lamps.node] {
                FrameNode::LightClusters(node) => node.view == *name && steps[lamps.node].enabled,
                _ => false,
            };
            views.push(match nodes.iter().position(sorts) {
                // Without lamps as well: it counts none then, and lit draws keep their set.
                Some(at) => {
                    let prepared = nodes[at].clusters.prepare(view, LAMPS_REACH, frame.lamps);
                    prepared.map_err(|error| error.in_context(&document.label_of(nodes[at].node)))?;
                    Sorted::OnDevice(at)
                }
                None if frame.lamps.is_empty() => Sorted::Not,
                None => {
                    listed.build(view, LAMPS_REACH, frame.lamps)?;
                    Sorted::Listed
                }
            });
        }
        Ok(())
    }
}
