//! What lights each node, published before any of them is recorded.

use super::scope::scaled;
use super::{Compositor, Frame};
use crate::draw::light::{LightSlice, ViewLight};
use crate::frame::{FrameNode, SceneConstants, Stage};
use crate::{Error, Result};

/// The published light of a frame. Nodes of one view, of one size and with one atlas share a slice.
#[derive(Default)]
pub(super) struct Slices {
    published: Vec<(Key, LightSlice)>,
    /// One a node; None where it is not lit, and for a terrain that is a preview.
    nodes: Vec<Option<LightSlice>>,
}

/// What a slice is published for.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    view: usize,
    extent: [u32; 2],
    shadow: Option<usize>,
}

impl Slices {
    /// The light of a node.
    pub(super) fn get(&self, node: usize) -> Option<LightSlice> {
        self.nodes.get(node).copied().flatten()
    }
}

impl Compositor {
    /// Decides which ground is lit, and publishes what lights each node.
    pub(super) fn publish(&mut self, frame: &Frame<'_>) -> Result<()> {
        self.slices.published.clear();
        self.slices.nodes.clear();
        self.sort_lamps(frame)?;
        for node in 0..self.steps.len() {
            let wanted = self.wanted_light(frame, node);
            let slice = wanted.map(|key| self.slice_of(frame, key)).transpose();
            let slice = slice.map_err(|error| error.in_context(&self.document.label_of(node)))?;
            self.slices.nodes.push(slice);
        }
        Ok(())
    }

    /// What a node is to be lit by; None where it is not lit.
    fn wanted_light(&mut self, frame: &Frame<'_>, node: usize) -> Option<Key> {
        let step = &self.steps[node];
        let (view, with_shadows) = match &self.document.nodes[node] {
            FrameNode::Pass(pass) if pass.stage == Stage::Main => (pass.view.as_str(), true),
            FrameNode::Terrain(terrain) => {
                let scene = match (frame.light, frame.has_camera) {
                    (None, _) => SceneConstants::Missing,
                    (Some(_), false) => SceneConstants::WithoutCamera,
                    (Some(_), true) => SceneConstants::WithCamera,
                };
                let inputs = terrain.lit_inputs(&self.document, scene, |_| false);
                // Asked of every terrain of every frame: what is missing is said once.
                let reasons = &mut self.reasons[step.terrain.unwrap_or_default()];
                if !reasons.observe(&inputs, &terrain.lit_names()) {
                    return None;
                }
                (terrain.view.as_str(), true)
            }
            FrameNode::Sky(sky) => (sky.view.as_str(), false),
            // The sky's harmonics are those of every view.
            FrameNode::AmbientCombine(_) => (frame.views.first()?.0, false),
            _ => return None,
        };
        frame.light?;
        let view = self.scene.index(frame, view)?;
        let extent = step.target("output").map_or(frame.output.extent, |at| self.targets.get(at).extent);
        let shadow = step.shadow.filter(|_| with_shadows && step.target("shadow_atlas").is_some());
        // What asks no shadows can read what is published with them.
        let reads_any = |(key, _): &&(Key, LightSlice)| key.view == view && key.extent == extent;
        let published = self.slices.published.iter().find(reads_any).filter(|_| !with_shadows);
        Some(published.map_or(Key { view, extent, shadow }, |(key, _)| *key))
    }

    fn slice_of(&mut self, frame: &Frame<'_>, key: Key) -> Result<LightSlice> {
        if let Some((_, slice)) = self.slices.published.iter().find(|(known, _)| *known == key) {
            return Ok(*slice);
        }
        let scene = frame.light.ok_or_else(|| Error::invalid("frame", "it has no light"))?;
        let atlas = |map: usize| {
            let named = self.steps.iter().find(|step| step.kind == "ShadowMap" && step.shadow == Some(map));
            named.and_then(|step| step.target("atlas")).map(|target| self.targets.get(target).view)
        };
        let shadows = key.shadow.and_then(|map| Some((&self.cascades[map], atlas(map)?)));
        let drawn = self.scene.get(key.view).map_or(frame.views[key.view].1, |scene| scene.view);
        let view = scaled(&drawn, frame.output.extent, key.extent);
        let clusters = self.lamps.of_view(key.view);
        let light = ViewLight { scene, view: &view, shadows, clusters, table: frame.sky };
        let slice = self.light.publish(&light)?;
        self.slices.published.push((key, slice));
        Ok(slice)
    }

    /// Whether a terrain is lit in this frame; what is no terrain is.
    pub(super) fn is_lit(&self, node: usize) -> bool {
        !matches!(self.document.nodes[node], FrameNode::Terrain(_)) || self.slices.get(node).is_some()
    }
}
