//! What the planes of some nodes have to be, so that they hold what is written there.

use super::{At, Refusal, refuse};
use crate::frame::{Access, FrameDocument, FrameNode, TargetFormat};

/// Four channels for luminance, with an alpha that counts.
const COUNTING: &[TargetFormat] = &[TargetFormat::Rgba16Float, TargetFormat::Rgba32Float];

/// Two channels with a sign.
const MOTION: &[TargetFormat] =
    &[TargetFormat::Rg16Float, TargetFormat::Rgba16Float, TargetFormat::Rgba32Float];

/// Four channels of 0…1.
const SEEN: &[TargetFormat] =
    &[TargetFormat::Rgba8Unorm, TargetFormat::Rgba16Float, TargetFormat::Rgba32Float];

impl FrameDocument {
    /// Refuses a plane of a format that cannot hold what a node writes or reads there.
    pub(super) fn planes_hold_it(&self, at: usize) -> Result<(), Refusal> {
        let rows: &[(&str, &str, &[TargetFormat])] = match &self.nodes[at] {
            FrameNode::Resolve(resolve) => {
                &[("output", &resolve.output, COUNTING), ("motion", &resolve.motion, MOTION)]
            }
            FrameNode::AmbientOcclusion(occlusion) => &[("output", &occlusion.output, SEEN)],
            _ => return Ok(()),
        };
        for (field, name, holds) in rows {
            let format = self.target(name).map(|target| target.format);
            if let Some(format) = format.filter(|format| !holds.contains(format)) {
                let why = format!("its {field} '{name}' is {format:?}; declare it as one of {holds:?}");
                return refuse(At::Node(at), why);
            }
        }
        Ok(())
    }

    /// What the next frame reads again is an image of the compositor's own, and nobody else's to add to.
    pub(super) fn resolve_is_kept(&self, at: usize) -> Result<(), Refusal> {
        if let FrameNode::Resolve(resolve) = &self.nodes[at] {
            let output = &resolve.output;
            if self.target(output).is_none_or(|target| target.host) {
                let why = format!(
                    "its output '{output}' is the host's, and the next frame reads it again; declare a target of your own for it"
                );
                return refuse(At::Node(at), why);
            }
        }
        let kept = |name: &str| {
            self.nodes[..at]
                .iter()
                .any(|node| matches!(node, FrameNode::Resolve(resolve) if resolve.output == name))
        };
        let uses = self.nodes[at].uses(self);
        match uses.iter().find(|used| !used.access.samples() && kept(used.target)) {
            Some(used) => {
                let (field, name) = (used.field, used.target);
                let verb = if used.access == Access::Clear { "clears" } else { "adds to" };
                let why = format!(
                    "its {field} '{name}' is what a Resolve keeps for the next frame, and this {verb} it; stand it before the \
                     Resolve, or draw into what comes after it"
                );
                refuse(At::Node(at), why)
            }
            None => Ok(()),
        }
    }
}
