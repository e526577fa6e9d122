//! Says once that the ground fell back to its preview.

use super::lit::{LitInputs, LitNames, preview_reason};

/// The code of the tracing event that says why the ground is a preview.
pub const PREVIEW_EVENT: u32 = 4003;

/// Whether the ground is lit, and since it is not, why. One for each terrain node.
///
/// A tracing event (warning, target `landform`, code [`PREVIEW_EVENT`]) has the sentence once, on the transition into the
/// preview, and again only after the ground was lit.
#[derive(Clone, Debug, Default)]
pub struct ReasonLog {
    seen: Option<LitInputs>,
    scene_pass: String,
    shadow_atlas: String,
    reason: Option<String>,
}

impl ReasonLog {
    /// Takes in what this frame provides; true where the ground is lit. A frame like the last allocates nothing.
    pub fn observe(&mut self, inputs: &LitInputs, names: &LitNames<'_>) -> bool {
        let same_names = self.scene_pass == names.scene_pass && self.shadow_atlas == names.shadow_atlas;
        if self.seen.as_ref() == Some(inputs) && same_names {
            return self.lit();
        }
        self.seen = Some(*inputs);
        names.scene_pass.clone_into(&mut self.scene_pass);
        names.shadow_atlas.clone_into(&mut self.shadow_atlas);
        let was_preview = self.reason.is_some();
        self.reason = preview_reason(inputs, names);
        if let Some(reason) = self.reason.as_deref().filter(|_| !was_preview) {
            tracing::warn!(target: "landform", code = PREVIEW_EVENT, reason, "terrain preview");
        }
        self.lit()
    }

    /// Whether the last frame's ground was lit. Before any frame it is not.
    pub fn lit(&self) -> bool {
        self.seen.is_some() && self.reason.is_none()
    }

    /// Why the last frame's ground is a preview, a sentence; `None` where it is lit, or before any frame.
    pub fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}
