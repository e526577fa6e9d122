//! The frame around a terrain, as values: which terrains a scene has, what a frame document says, what a terrain inserts
//! into it, and whether the ground is lit or a preview, and why. Knows no device; a compositor plays what is decided here.
//!
//! The scene's half is one [`TerrainComponent`] an entity. The document's half is a [`FrameDocument`], a text in RON of
//! targets, views and nodes. [`Transforms`] turn the written document into the one that is drawn: a [`StandardFrame`] is
//! expanded, and a [`TerrainFactory`] places the terrain, its shadow caster and its motion where they belong. The host
//! owns the scene, the document and the terrains; this room borrows them.
//!
//! ```
//! use landform::frame::{FrameDocument, TerrainFactory, Transforms};
//!
//! let written = FrameDocument::from_ron("(nodes: [StandardFrame(bare: true, motion: true)])")?;
//! let mut transforms = Transforms::default(); // the first of them expands a StandardFrame
//! transforms.register(TerrainFactory::default()); // the whole installation
//! let drawn = transforms.run(&written)?;
//! let kinds: Vec<_> = drawn.nodes.iter().map(|node| node.kind()).collect();
//! let (shadow, motion) = (["ShadowMap", "TerrainCaster"], ["Pass", "TerrainVelocity"]);
//! assert_eq!(kinds, [&shadow[..], &["Pass", "Terrain"], &motion, &["SkyVelocity", "Sky", "Tonemap"]].concat());
//! # Ok::<(), landform::Error>(())
//! ```

mod check;
mod document;
mod effects;
mod factory;
mod file;
mod lines;
mod lit;
mod names;
mod node;
mod pass;
mod quality;
mod reason;
mod scene;
mod shadow;
mod standard;
#[cfg(test)]
mod tests;
mod transform;

pub use document::{FrameDocument, OUTPUT, TargetDesc, TargetFormat, TargetSize};
pub use effects::{AmbientOcclusion, Exposure, LightClusters, Resolve, SkyVelocity};
pub use factory::TerrainFactory;
pub use lit::{LitInputs, LitNames, SceneConstants, SplitPlanes, preview_reason};
pub use node::{Access, Aspect, FrameNode, TargetUse};
pub use pass::{
    AmbientCombine, HostNode, Pass, ShadowMap, Sky, Stage, TerrainCaster, TerrainNode, TerrainVelocity,
    Tonemap,
};
pub use quality::{QualityNumbers, QualityScalars, Tier};
pub use reason::{PREVIEW_EVENT, ReasonLog};
pub use scene::{
    Answer, ExtractedTerrain, TERRAIN_EVENT, TerrainComponent, TerrainEntity, TerrainExtraction,
    TerrainProblem, TerrainResolver, TerrainScene,
};
pub use shadow::ShadowLayout;
pub use standard::{ExpandStandardFrame, StandardFrame};
pub use transform::{FrameTransform, Transforms};
