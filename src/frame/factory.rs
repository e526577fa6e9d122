//! The whole installation of terrains in a frame.
//!
//! Position is the point. A graph records in the order of the document, so a caster that stood where the terrain does would
//! write depths that the frame has sampled already, and a velocity that stood there would be cleared by the pass that draws
//! the others' motion. Each is placed by what stands before it.

use super::check;
use super::{
    FrameDocument, FrameNode, FrameTransform, Pass, QualityNumbers, QualityScalars, Stage, TerrainCaster,
    TerrainNode, TerrainVelocity, Tier,
};
use crate::{Error, Result};

/// Places terrains in a frame: registering it after [`ExpandStandardFrame`](super::ExpandStandardFrame) is all that a host does.
///
/// - In an expanded standard frame without a `Terrain` node it places one directly after the `Main` pass, with that pass's
///   targets and view. A document of the host's own, which has no standard frame, places the node itself.
/// - Directly after each `ShadowMap` whose atlas a `Terrain` node samples it places a `TerrainCaster`.
/// - Directly after each pass of the stage `Motion` that draws the view of a `Terrain` node it places a
///   `TerrainVelocity` with that pass's names.
///
/// A node that the document has already is not placed again.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TerrainFactory {
    /// The tier whose numbers are drawn with where neither the document nor `scalars` has any.
    pub tier: Tier,
    /// The game's own numbers. They give way to the document's.
    pub scalars: QualityScalars,
}

impl TerrainFactory {
    /// The numbers that a terrain is drawn with: what its node writes, then what the `ShadowMap` of its atlas does, then
    /// the game's, then the tier's.
    pub fn numbers(&self, document: &FrameDocument, terrain: &TerrainNode) -> QualityNumbers {
        let shadows = document.shadow_map(&terrain.shadow_atlas).map(|map| map.scalars()).unwrap_or_default();
        terrain.scalars().or(shadows).over(self.defaults())
    }

    /// The numbers of what the document leaves open: the game's, then the tier's.
    pub fn defaults(&self) -> QualityNumbers {
        self.scalars.over(self.tier.numbers())
    }
}

impl FrameTransform for TerrainFactory {
    fn name(&self) -> &'static str {
        "TerrainFactory"
    }

    fn apply(&self, document: &mut FrameDocument) -> Result<()> {
        refuse_own_scalars(&self.scalars)?;
        let preset = document.nodes.iter().position(|node| matches!(node, FrameNode::StandardFrame(_)));
        if let Some(at) = preset {
            let why = format!(
                "{}: TerrainFactory came before it was expanded; register TerrainFactory after ExpandStandardFrame",
                check::label(document, at)
            );
            return Err(Error::invalid("frame document", why));
        }
        if document.expanded && document.terrains().next().is_none() {
            place_terrain(document)?;
        }
        place_casters(document);
        place_velocities(document);
        for at in 0..document.nodes.len() {
            let node = &document.nodes[at];
            if let FrameNode::Terrain(_) | FrameNode::TerrainCaster(_) | FrameNode::TerrainVelocity(_) = node
            {
                check::bound(document, at).map_err(|refusal| refusal.in_document(document))?;
            }
        }
        Ok(())
    }
}

fn refuse_own_scalars(scalars: &QualityScalars) -> Result<()> {
    match scalars.problem() {
        Some((name, why)) => Err(Error::invalid("terrain factory", format!("{name} {why}"))),
        None => Ok(()),
    }
}

/// The terrain of a standard frame, directly after opaque things and on their depth.
fn place_terrain(document: &mut FrameDocument) -> Result<()> {
    let main = document.nodes.iter().enumerate().find_map(|(at, node)| match node {
        FrameNode::Pass(pass) if pass.stage == Stage::Main => Some((at, pass)),
        _ => None,
    });
    let Some((at, main)) = main else {
        let why = "the Terrain node belongs after the Main pass of an expanded frame, which has none; leave the pass in, \
                   write the Terrain node where it belongs, or leave expanded out";
        return Err(Error::invalid("frame document", why));
    };
    let terrain = TerrainNode {
        output: main.output().to_owned(),
        depth: main.depth.clone(),
        view: main.view.clone(),
        albedo: main.albedo.clone(),
        normals: main.normals.clone(),
        specular: main.specular.clone(),
        scene_pass: main.scene_pass.clone(),
        shadow_atlas: main.shadow_atlas.clone(),
        ..TerrainNode::default()
    };
    document.nodes.insert(at + 1, FrameNode::Terrain(terrain));
    Ok(())
}

/// A caster after each shadow map whose atlas a terrain samples.
fn place_casters(document: &mut FrameDocument) {
    insert_after(document, |document, node| {
        let FrameNode::ShadowMap(map) = node else { return None };
        let mut sampling = document.terrains().filter(|terrain| terrain.shadow_atlas == map.atlas).peekable();
        sampling.peek()?;
        // Where the atlas is not declared, it is the shadow map that says so.
        let declared = document.has_target(&map.atlas);
        let there = document
            .nodes
            .iter()
            .any(|node| matches!(node, FrameNode::TerrainCaster(caster) if caster.atlas == map.atlas));
        // Where several terrains sample the atlas, the first that says a number says it for the caster, which draws all.
        let caster_patches = sampling.find_map(|terrain| terrain.caster_patches);
        let caster = TerrainCaster { atlas: map.atlas.clone(), caster_patches };
        (declared && !there).then_some(FrameNode::TerrainCaster(caster))
    });
}

/// A velocity after each pass that draws the motion of a terrain's view.
fn place_velocities(document: &mut FrameDocument) {
    insert_after(document, |document, node| {
        let FrameNode::Pass(pass @ Pass { stage: Stage::Motion, .. }) = node else { return None };
        let drawn = document.terrains().any(|terrain| terrain.view == pass.view)
            && document.has_target(pass.output());
        let there = document.nodes.iter().any(|node| {
            matches!(node, FrameNode::TerrainVelocity(velocity)
                if velocity.output == pass.output() && velocity.view == pass.view)
        });
        (drawn && !there).then(|| {
            FrameNode::TerrainVelocity(TerrainVelocity {
                output: pass.output().to_owned(),
                depth: pass.depth.clone(),
                view: pass.view.clone(),
            })
        })
    });
}

/// Inserts after each node what `wanted` says that it lacks.
fn insert_after(
    document: &mut FrameDocument,
    wanted: impl Fn(&FrameDocument, &FrameNode) -> Option<FrameNode>,
) {
    let mut at = 0;
    while let Some(node) = document.nodes.get(at) {
        if let Some(node) = wanted(document, node) {
            document.nodes.insert(at + 1, node);
        }
        at += 1;
    }
}
