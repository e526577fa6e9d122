//! The standard frame: one node in a document, many in the frame.

use super::names;
use super::{
    AmbientCombine, AmbientOcclusion, Exposure, FrameDocument, FrameNode, FrameTransform, LightClusters,
    Pass, QualityScalars, Resolve, ShadowMap, Sky, SkyVelocity, SplitPlanes, Stage, TargetDesc, TargetFormat,
    TargetSize, Tonemap,
};
use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A preset: shadows, opaque things, motion, ambient light, a sky, a resolve over time, exposure, and a tonemap, under the standard
/// names.
///
/// | in order | where | targets that are declared for it |
/// |---|---|---|
/// | `LightClusters` | `clusters` | |
/// | `ShadowMap` | `shadows` | `ShadowAtlas` |
/// | `Pass` `Main` | always | `SceneHdr`, `SceneDepth`; `SceneAlbedo`, `SceneNormals`, `SceneSpecular` with `split` or `occlusion` |
/// | `after_opaque` | as written | |
/// | `Pass` `Motion` | `motion` or `temporal` | `SceneMotion` |
/// | `SkyVelocity` | the same, with `sky` | |
/// | `AmbientOcclusion` | `occlusion` | `SceneOcclusion` |
/// | `AmbientCombine` | `split` or `occlusion` | |
/// | `Sky` | `sky` | |
/// | `before_tonemap` | as written | |
/// | `Resolve` | `temporal` | `SceneResolved` |
/// | `Exposure` | `metered` | |
/// | `Tonemap` | always | |
///
/// A target or a view that the document declares itself stays as it is. The frame is also split where the document
/// declares all three planes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StandardFrame {
    /// Whether the sun throws shadows.
    pub shadows: bool,
    /// Whether the sky is drawn.
    pub sky: bool,
    /// Whether motion is drawn into a plane, for what resolves over time.
    pub motion: bool,
    /// Whether lighting is split into planes.
    pub split: bool,
    /// Whether the four parts below are left out where they are not written: for a host that has its own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub bare: bool,
    /// Whether lamps are sorted into clusters on the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<bool>,
    /// Whether what stands near takes the sky's light away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occlusion: Option<bool>,
    /// Whether a picture is made of several frames, which needs no larger target to be smooth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temporal: Option<bool>,
    /// Whether exposure follows what is seen; else it is `ev100` or the frame's. Left out where `ev100` is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metered: Option<bool>,
    /// Exposure of the [`Tonemap`], −16…24; what the frame is metered for where it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev100: Option<f32>,
    /// Cascades of the [`ShadowMap`], 1…4; the tier's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadow_cascades: Option<u32>,
    /// Texels a side of a cascade's tile, 16…8192; the tier's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadow_tile: Option<u32>,
    /// Metres that the cascades reach, 1…1e6; the tier's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shadow_distance: Option<f64>,
    /// Nodes after opaque things, sharing their depth: a `Terrain` with numbers of its own, rocks of the host's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub after_opaque: Vec<FrameNode>,
    /// Nodes after everything that has depth: particles, glass.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub before_tonemap: Vec<FrameNode>,
}

/// What a tonemap sharpens after a resolve.
const SHARPNESS: f32 = 0.4;

impl Default for StandardFrame {
    fn default() -> Self {
        Self {
            shadows: true,
            sky: true,
            motion: false,
            split: false,
            bare: false,
            clusters: None,
            occlusion: None,
            temporal: None,
            metered: None,
            ev100: None,
            shadow_cascades: None,
            shadow_tile: None,
            shadow_distance: None,
            after_opaque: Vec::new(),
            before_tonemap: Vec::new(),
        }
    }
}

impl StandardFrame {
    /// What the preset writes of the quality's numbers.
    pub fn scalars(&self) -> QualityScalars {
        QualityScalars {
            shadow_cascades: self.shadow_cascades,
            shadow_tile: self.shadow_tile,
            shadow_distance: self.shadow_distance,
            ..QualityScalars::default()
        }
    }

    /// The nodes that the preset stands for. What they name is declared in `document` where it is not yet.
    pub fn expand(&self, document: &mut FrameDocument) -> Vec<FrameNode> {
        let main = Pass::new(Stage::Main);
        let all_declared = main.planes().declared(|name| document.has_target(name)).is_some();
        let split = self.split || self.is_occluded() || all_declared;
        self.declare(document, main.planes(), split);
        let mut nodes = Vec::new();
        nodes.extend(self.has(self.clusters).then(|| FrameNode::LightClusters(LightClusters::default())));
        nodes.extend(self.shadows.then(|| FrameNode::ShadowMap(self.shadow_map())));
        nodes.push(FrameNode::Pass(main));
        nodes.extend_from_slice(&self.after_opaque);
        nodes.extend(self.draws_motion().then(|| FrameNode::Pass(Pass::new(Stage::Motion))));
        let sky_moves = self.draws_motion() && self.sky;
        nodes.extend(sky_moves.then(|| FrameNode::SkyVelocity(SkyVelocity::default())));
        nodes.extend(self.is_occluded().then(|| FrameNode::AmbientOcclusion(AmbientOcclusion::default())));
        nodes.extend(split.then(|| FrameNode::AmbientCombine(self.combine())));
        nodes.extend(self.sky.then(|| FrameNode::Sky(Sky::default())));
        nodes.extend_from_slice(&self.before_tonemap);
        nodes.extend(self.is_temporal().then(|| FrameNode::Resolve(Resolve::default())));
        // Light as it was drawn: what is resolved was weighed by what was metered, and would be its own reason.
        nodes.extend(self.is_metered().then(|| FrameNode::Exposure(Exposure::default())));
        let input = if self.is_temporal() { names::SCENE_RESOLVED } else { names::SCENE_HDR }.to_owned();
        let sharpness = if self.is_temporal() { SHARPNESS } else { 0.0 };
        nodes.push(FrameNode::Tonemap(Tonemap { input, ev100: self.ev100, sharpness, ..Tonemap::default() }));
        nodes
    }

    /// Whether a part is drawn that the document says so of.
    fn has(&self, written: Option<bool>) -> bool {
        written.unwrap_or(!self.bare)
    }

    fn is_occluded(&self) -> bool {
        self.has(self.occlusion)
    }

    fn is_temporal(&self) -> bool {
        self.has(self.temporal)
    }

    fn is_metered(&self) -> bool {
        self.metered.unwrap_or(!self.bare && self.ev100.is_none())
    }

    fn draws_motion(&self) -> bool {
        self.motion || self.is_temporal()
    }

    fn shadow_map(&self) -> ShadowMap {
        ShadowMap {
            cascades: self.shadow_cascades,
            tile: self.shadow_tile,
            distance: self.shadow_distance,
            ..ShadowMap::default()
        }
    }

    fn combine(&self) -> AmbientCombine {
        let occlusion = self.is_occluded().then(|| names::SCENE_OCCLUSION.to_owned());
        AmbientCombine { occlusion, bent: self.is_occluded(), ..AmbientCombine::default() }
    }

    fn declare(&self, document: &mut FrameDocument, planes: SplitPlanes<'_>, split: bool) {
        if !document.has_view(names::CAMERA) {
            document.views.push(names::CAMERA.to_owned());
        }
        let mut declare = |wanted: bool, name: &str, format: TargetFormat, size: TargetSize| {
            if wanted && document.target(name).is_none() {
                document.targets.push(TargetDesc { size, ..TargetDesc::new(name, format) });
            }
        };
        let whole = TargetSize::default();
        declare(true, names::SCENE_HDR, TargetFormat::Rgba16Float, whole);
        declare(true, names::SCENE_DEPTH, TargetFormat::Depth32Float, whole);
        declare(self.shadows, names::SHADOW_ATLAS, TargetFormat::Depth32Float, TargetSize::Shadow);
        declare(self.draws_motion(), names::SCENE_MOTION, TargetFormat::Rg16Float, whole);
        declare(self.is_occluded(), names::SCENE_OCCLUSION, TargetFormat::Rgba8Unorm, whole);
        declare(self.is_temporal(), names::SCENE_RESOLVED, TargetFormat::Rgba16Float, whole);
        declare(split, planes.albedo, TargetFormat::Rgba8Srgb, whole);
        declare(split, planes.normals, TargetFormat::Rgba16Float, whole);
        declare(split, planes.specular, TargetFormat::Rgba8Unorm, whole);
    }
}

/// Puts the nodes of a [`StandardFrame`] in its place. The first of [`Transforms::default`](super::Transforms).
#[derive(Clone, Copy, Debug, Default)]
pub struct ExpandStandardFrame;

impl FrameTransform for ExpandStandardFrame {
    fn name(&self) -> &'static str {
        "StandardFrame"
    }

    fn apply(&self, document: &mut FrameDocument) -> Result<()> {
        let is_preset = |node: &FrameNode| matches!(node, FrameNode::StandardFrame(_));
        let Some(at) = document.nodes.iter().position(is_preset) else { return Ok(()) };
        let another = document.nodes[at + 1..].iter().any(is_preset);
        if another || document.expanded {
            let why = "a second StandardFrame; a frame has one, and what is added to it stands in after_opaque or \
                       before_tonemap, or beside it";
            return Err(Error::invalid("frame document", why));
        }
        if let FrameNode::StandardFrame(preset) = document.nodes.remove(at) {
            let nodes = preset.expand(document);
            document.nodes.splice(at..at, nodes);
            document.expanded = true;
        }
        Ok(())
    }
}
