//! The nodes as one type, and what each does to the frame's targets.

use super::{
    AmbientCombine, AmbientOcclusion, Exposure, FrameDocument, HostNode, LightClusters, Pass, Resolve,
    ShadowMap, Sky, SkyVelocity, SplitPlanes, Stage, StandardFrame, TerrainCaster, TerrainNode,
    TerrainVelocity, Tonemap,
};
use serde::{Deserialize, Serialize};

/// A node of a frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum FrameNode {
    /// A whole frame, which [`ExpandStandardFrame`](super::ExpandStandardFrame) replaces by its nodes.
    StandardFrame(StandardFrame),
    /// The sun's cascades.
    ShadowMap(ShadowMap),
    /// A stage of the host's scene.
    Pass(Pass),
    /// Every terrain of the scene.
    Terrain(TerrainNode),
    /// The terrains' shadows.
    TerrainCaster(TerrainCaster),
    /// The terrains' motion.
    TerrainVelocity(TerrainVelocity),
    /// Lamps into clusters.
    LightClusters(LightClusters),
    /// What of the sky is seen.
    AmbientOcclusion(AmbientOcclusion),
    /// The ambient light that split lighting withheld.
    AmbientCombine(AmbientCombine),
    /// The sky.
    Sky(Sky),
    /// The sky's motion.
    SkyVelocity(SkyVelocity),
    /// One picture of many frames.
    Resolve(Resolve),
    /// How bright it is.
    Exposure(Exposure),
    /// Luminance to what a screen shows.
    Tonemap(Tonemap),
    /// The host's own.
    Host(HostNode),
}

/// What a node does to a target. A compositor's barriers follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// An attachment that is cleared, or written without regard for what was there.
    Clear,
    /// An attachment that is added to.
    Load,
    /// A depth attachment that is tested and not written.
    Test,
    /// Sampled by a fragment shader.
    Sample,
    /// Sampled by a compute shader.
    SampleInCompute,
}

impl Access {
    /// Whether the target is sampled, and so no attachment.
    pub fn samples(self) -> bool {
        matches!(self, Self::Sample | Self::SampleInCompute)
    }
}

/// What a target has to be for a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aspect {
    /// Of a colour format.
    Colour,
    /// Of a depth format.
    Depth,
}

/// A target as a node uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetUse<'a> {
    /// The field of the node that names it.
    pub field: &'static str,
    /// Its name.
    pub target: &'a str,
    /// What is done to it.
    pub access: Access,
    /// What it has to be; `None` where the node takes either.
    pub aspect: Option<Aspect>,
}

impl FrameNode {
    /// The word that a document has for it, for instance `Terrain`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::StandardFrame(_) => "StandardFrame",
            Self::ShadowMap(_) => "ShadowMap",
            Self::Pass(_) => "Pass",
            Self::Terrain(_) => "Terrain",
            Self::TerrainCaster(_) => "TerrainCaster",
            Self::TerrainVelocity(_) => "TerrainVelocity",
            Self::AmbientCombine(_) => "AmbientCombine",
            Self::Sky(_) => "Sky",
            Self::LightClusters(_) => "LightClusters",
            Self::AmbientOcclusion(_) => "AmbientOcclusion",
            Self::SkyVelocity(_) => "SkyVelocity",
            Self::Resolve(_) => "Resolve",
            Self::Exposure(_) => "Exposure",
            Self::Tonemap(_) => "Tonemap",
            Self::Host(_) => "Host",
        }
    }

    /// What a person and a capture tool call it: its kind, with the stage or the name that tells it from others of its kind.
    pub fn label(&self) -> String {
        match self {
            Self::Pass(pass) => format!("Pass {:?}", pass.stage),
            Self::Host(host) => format!("Host '{}'", host.name),
            node => node.kind().to_owned(),
        }
    }

    /// The view that the node names.
    pub fn view(&self) -> Option<&str> {
        match self {
            Self::ShadowMap(map) => Some(&map.view),
            Self::Pass(pass) => Some(&pass.view),
            Self::Terrain(terrain) => Some(&terrain.view),
            Self::TerrainVelocity(velocity) => Some(&velocity.view),
            Self::Sky(sky) => Some(&sky.view),
            Self::LightClusters(clusters) => Some(&clusters.view),
            Self::AmbientOcclusion(occlusion) => Some(&occlusion.view),
            Self::SkyVelocity(velocity) => Some(&velocity.view),
            Self::Resolve(resolve) => Some(&resolve.view),
            Self::Host(host) => host.view.as_deref(),
            Self::StandardFrame(_)
            | Self::TerrainCaster(_)
            | Self::AmbientCombine(_)
            | Self::Exposure(_)
            | Self::Tonemap(_) => None,
        }
    }

    /// What the node does to the targets, attachments first and in their order. Depends on the document where a target is
    /// used only if it is declared: split planes, and the atlas of a terrain. A [`StandardFrame`] has none of its own.
    pub fn uses<'a>(&'a self, document: &FrameDocument) -> Vec<TargetUse<'a>> {
        self.uses_where(&|name| document.has_target(name))
    }

    /// What the node does to the targets where those are declared for which `declared` is true.
    pub(super) fn uses_where<'a>(&'a self, declared: &dyn Fn(&str) -> bool) -> Vec<TargetUse<'a>> {
        use Access::{Clear, Load, Sample, Test};
        match self {
            Self::StandardFrame(_) | Self::LightClusters(_) => Vec::new(),
            Self::ShadowMap(map) => vec![depth("atlas", &map.atlas, Clear)],
            Self::Pass(pass) if pass.stage == Stage::Motion => {
                vec![colour("output", pass.output(), Clear), depth("depth", &pass.depth, Test)]
            }
            Self::Pass(pass) => {
                let planes = pass.planes().declared(declared);
                let mut uses = with_planes(planes, pass.output(), &pass.depth, Clear);
                uses.extend(atlas_of(&pass.shadow_atlas, declared));
                uses
            }
            Self::Terrain(terrain) => {
                let planes = terrain.planes().declared(declared);
                let mut uses = with_planes(planes, &terrain.output, &terrain.depth, Load);
                uses.extend(atlas_of(&terrain.shadow_atlas, declared));
                uses
            }
            Self::TerrainCaster(caster) => vec![depth("atlas", &caster.atlas, Load)],
            Self::TerrainVelocity(velocity) => {
                vec![colour("output", &velocity.output, Load), depth("depth", &velocity.depth, Test)]
            }
            Self::SkyVelocity(velocity) => {
                vec![colour("output", &velocity.output, Load), depth("depth", &velocity.depth, Test)]
            }
            Self::AmbientOcclusion(occlusion) => vec![
                colour("output", &occlusion.output, Clear),
                depth("depth", &occlusion.depth, Sample),
                colour("normals", &occlusion.normals, Sample),
            ],
            Self::Resolve(resolve) => vec![
                colour("output", &resolve.output, Clear),
                colour("input", &resolve.input, Sample),
                colour("motion", &resolve.motion, Sample),
                depth("depth", &resolve.depth, Sample),
            ],
            Self::Exposure(exposure) => vec![colour("input", &exposure.input, Access::SampleInCompute)],
            Self::AmbientCombine(combine) => combine_uses(combine),
            Self::Sky(sky) => vec![colour("output", &sky.output, Load), depth("depth", &sky.depth, Sample)],
            Self::Tonemap(tonemap) => {
                vec![colour("output", &tonemap.output, Clear), colour("input", &tonemap.input, Sample)]
            }
            Self::Host(host) => host_uses(host),
        }
    }
}

fn colour<'a>(field: &'static str, target: &'a str, access: Access) -> TargetUse<'a> {
    TargetUse { field, target, access, aspect: Some(Aspect::Colour) }
}

fn depth<'a>(field: &'static str, target: &'a str, access: Access) -> TargetUse<'a> {
    TargetUse { field, target, access, aspect: Some(Aspect::Depth) }
}

/// The atlas of the cascades where it is a target.
fn atlas_of<'a>(name: &'a str, declared: &dyn Fn(&str) -> bool) -> Option<TargetUse<'a>> {
    declared(name).then(|| depth("shadow_atlas", name, Access::Sample))
}

/// Colour, the split planes and depth, in the order of their attachments.
fn with_planes<'a>(
    planes: Option<SplitPlanes<'a>>,
    output: &'a str,
    depth_name: &'a str,
    access: Access,
) -> Vec<TargetUse<'a>> {
    let mut uses = vec![colour("output", output, access)];
    let planes = planes.into_iter().flat_map(SplitPlanes::named);
    uses.extend(planes.map(|(field, name)| colour(field, name, access)));
    uses.push(depth("depth", depth_name, access));
    uses
}

fn combine_uses(combine: &AmbientCombine) -> Vec<TargetUse<'_>> {
    let mut uses = vec![
        colour("output", &combine.output, Access::Load),
        colour("albedo", &combine.albedo, Access::Sample),
        colour("normals", &combine.normals, Access::Sample),
        colour("specular", &combine.specular, Access::Sample),
    ];
    uses.extend(combine.occlusion.iter().map(|name| colour("occlusion", name, Access::Sample)));
    uses
}

fn host_uses(host: &HostNode) -> Vec<TargetUse<'_>> {
    let lists = [
        ("clears", &host.clears, Access::Clear),
        ("writes", &host.writes, Access::Load),
        ("reads", &host.reads, Access::Sample),
    ];
    let uses = lists.into_iter().flat_map(|(field, names, access)| {
        names.iter().map(move |name| TargetUse { field, target: name, access, aspect: None })
    });
    uses.collect()
}
