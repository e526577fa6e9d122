//! Tests of the room: what holds for a document and what holds for every document.

mod documents;
mod events;
mod factory;
mod page;
mod refusals;
mod scene;

use super::*;
use crate::Result;

/// What a factory makes of a document.
fn drawn(document: &FrameDocument) -> Result<FrameDocument> {
    transforms().run(document)
}

fn transforms() -> Transforms {
    let mut transforms = Transforms::default();
    transforms.register(TerrainFactory::default());
    transforms
}

fn read(text: &str) -> FrameDocument {
    FrameDocument::from_ron(text).unwrap_or_else(|error| panic!("{error}"))
}

/// The nodes of a document, in a word each.
fn labels(document: &FrameDocument) -> Vec<String> {
    document.nodes.iter().map(FrameNode::label).collect()
}

/// A frame of the host's own with names of its own.
const OWN: &str = r#"(
  views: ["Eye"],
  targets: [
    (name: "Light", format: Rg11b10Float),
    (name: "Z", format: Depth32Float),
    (name: "Moved", format: Rg16Float),
    (name: "Sun", format: Depth16Unorm, size: Shadow),
  ],
  nodes: [
    ShadowMap(atlas: "Sun", view: "Eye", scene_pass: "Forward"),
    Pass(stage: Main, output: "Light", depth: "Z", view: "Eye"),
    Terrain(output: "Light", depth: "Z", view: "Eye", scene_pass: "Forward", shadow_atlas: "Sun", caster_patches: 64),
    Host(name: "birds", writes: ["Light", "Z"]),
    Pass(stage: Motion, output: "Moved", depth: "Z", view: "Eye"),
    Tonemap(input: "Light"),
  ],
)"#;
