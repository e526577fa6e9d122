//! What a document may say and hardly means.

use super::label;
use crate::frame::{FrameDocument, FrameNode, Pass, Stage};

impl FrameDocument {
    /// What is allowed but looks like a slip: a sentence each.
    pub fn notes(&self) -> Vec<String> {
        let of_node = |at: usize| {
            let note = match &self.nodes[at] {
                FrameNode::Terrain(terrain) => terrain.planes().half_declared(|name| self.has_target(name)),
                FrameNode::Pass(pass) if pass.stage == Stage::Main => self.unshaded(pass),
                FrameNode::Resolve(resolve) => self.unread(at, &resolve.output),
                _ => None,
            };
            note.map(|note| format!("{}: {note}", label(self, at)))
        };
        let mut notes: Vec<_> = (0..self.nodes.len()).filter_map(of_node).collect();
        for target in &self.targets {
            let uses = |node: &FrameNode| node.uses(self).iter().any(|used| used.target == target.name);
            if !self.nodes.iter().any(|node| uses(node) || matches!(node, FrameNode::StandardFrame(_))) {
                notes.push(format!("target '{}' is declared and no node uses it", target.name));
            }
        }
        notes
    }

    /// A pass beside shadow maps none of which is the one that it names.
    fn unshaded(&self, pass: &Pass) -> Option<String> {
        let maps = || {
            self.nodes.iter().filter_map(|node| match node {
                FrameNode::ShadowMap(map) if map.view == pass.view => Some(map),
                _ => None,
            })
        };
        let (scene_pass, shadow_atlas) = (&pass.scene_pass, &pass.shadow_atlas);
        let named = maps().any(|map| map.scene_pass == *scene_pass && map.atlas == *shadow_atlas);
        let map = maps().next().filter(|_| !named)?;
        Some(format!(
            "no ShadowMap renders its shadow_atlas '{shadow_atlas}' under its scene_pass '{scene_pass}', so nothing that it draws \
             is in shade; there is one of '{}' under '{}'",
            map.atlas, map.scene_pass
        ))
    }

    /// A target that a node at `at` draws for others, and none of them samples.
    fn unread(&self, at: usize, target: &str) -> Option<String> {
        let samples = |node: &FrameNode| {
            node.uses(self).iter().any(|used| used.target == target && used.access.samples())
        };
        let read = self.nodes[at + 1..].iter().any(samples);
        (!read)
            .then(|| format!("no node after it samples its output '{target}'; name it as a Tonemap's input"))
    }
}
