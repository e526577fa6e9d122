//! What a frame document may say: as it is written, and as it is drawn.

use super::{
    Access, Aspect, FrameDocument, FrameNode, OUTPUT, Stage, TargetDesc, TargetFormat, TargetSize,
    TerrainNode, names,
};
use crate::{Error, Result};
use std::collections::BTreeSet;

/// The most nodes, targets and views of a document each.
const MOST: usize = 256;

/// Where in a document something is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    Document,
    Target(usize),
    Node(usize),
}

/// What is refused, and where.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) at: At,
    why: String,
}

impl Refusal {
    /// The sentence, with what is refused at its beginning.
    pub(super) fn sentence(&self, document: &FrameDocument) -> String {
        match self.at {
            At::Document => self.why.clone(),
            At::Target(at) => format!("target {} of {}: {}", at + 1, document.targets.len(), self.why),
            At::Node(at) => format!("{}: {}", label(document, at), self.why),
        }
    }

    pub(super) fn in_document(self, document: &FrameDocument) -> Error {
        Error::invalid("frame document", self.sentence(document))
    }
}

/// What a sentence calls a node, for instance `node 3 of 7, Terrain`.
pub(super) fn label(document: &FrameDocument, at: usize) -> String {
    let kind = document.nodes.get(at).map(FrameNode::label).unwrap_or_default();
    format!("node {} of {}, {kind}", at + 1, document.nodes.len())
}

fn refuse<T>(at: At, why: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal { at, why: why.into() })
}

impl FrameDocument {
    /// Checks the document as it is written: names, sizes and numbers. What nodes name may be missing, for a transform may
    /// declare it; [`check`](Self::check) asks for that.
    ///
    /// # Errors
    /// [`Error::Invalid`], a sentence with the node or the target: for more than 256 nodes, targets or views; for a name that is
    /// empty, longer than 64 bytes, or declared twice; for a target that is called [`OUTPUT`], of a size outside its
    /// range, or of size `Shadow` without depth; for a number outside its range; for a `StandardFrame` within another.
    pub fn validate(&self) -> Result<()> {
        self.as_written().map_err(|refusal| refusal.in_document(self))
    }

    /// Checks the document as it is drawn, which is what [`Transforms::run`](super::Transforms::run) returns.
    ///
    /// # Errors
    /// [`Error::Invalid`], a sentence with the node and the name: for what [`validate`](Self::validate) refuses; for a
    /// `StandardFrame` that nothing expanded; for a target or a view that is not declared, and a depth where colour is asked for or the
    /// other way about; for a target that a node uses twice, or that is read or added to before anything wrote it; for a
    /// caster without its `ShadowMap` or after the atlas was sampled; for a terrain with the cascades of one atlas and
    /// another atlas; for two nodes that do the same.
    pub fn check(&self) -> Result<()> {
        self.as_written().and_then(|()| self.as_drawn()).map_err(|refusal| refusal.in_document(self))
    }

    /// Checks that the host binds what the document's nodes use of it: a view for each view, an image for each target
    /// that the host gives. `view` and `target` say whether it does under a name.
    ///
    /// # Errors
    /// [`Error::Invalid`], a sentence with the first node that uses what is not bound, and its name.
    pub fn check_bound(&self, view: impl Fn(&str) -> bool, target: impl Fn(&str) -> bool) -> Result<()> {
        let given = |name: &str| self.target(name).is_some_and(|target| target.host);
        for (at, node) in self.nodes.iter().enumerate() {
            if let Some(name) = node.view().filter(|name| !view(name)) {
                let why =
                    format!("the host bound no view '{name}' this frame; bind one, or leave the node out");
                return Err(Refusal { at: At::Node(at), why }.in_document(self));
            }
            let uses = node.uses(self);
            if let Some(used) = uses.iter().find(|used| given(used.target) && !target(used.target)) {
                let (field, name) = (used.field, used.target);
                let why = format!(
                    "its {field} '{name}' is the host's, which bound no image to it; bind one, or leave out host: true"
                );
                return Err(Refusal { at: At::Node(at), why }.in_document(self));
            }
        }
        Ok(())
    }

    /// What is allowed but looks like a slip: a sentence each.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        for (at, node) in self.nodes.iter().enumerate() {
            if let FrameNode::Terrain(terrain) = node
                && let Some(half) = terrain.planes().half_declared(|name| self.has_target(name))
            {
                notes.push(format!("{}: {half}", label(self, at)));
            }
        }
        for target in &self.targets {
            let uses = |node: &FrameNode| node.uses(self).iter().any(|used| used.target == target.name);
            if !self.nodes.iter().any(|node| uses(node) || matches!(node, FrameNode::StandardFrame(_))) {
                notes.push(format!("target '{}' is declared and no node uses it", target.name));
            }
        }
        notes
    }

    pub(super) fn as_written(&self) -> Result<(), Refusal> {
        for (what, count) in
            [("nodes", self.nodes.len()), ("targets", self.targets.len()), ("views", self.views.len())]
        {
            if count > MOST {
                return refuse(At::Document, format!("{count} {what}; a frame has up to {MOST}"));
            }
        }
        for (index, view) in self.views.iter().enumerate() {
            names::check(view)
                .or_else(|why| refuse(At::Document, format!("the name of view {} {why}", index + 1)))?;
            if self.views[..index].contains(view) {
                return refuse(At::Document, format!("two views are called '{view}'; a name is one view's"));
            }
        }
        for (index, target) in self.targets.iter().enumerate() {
            check_target(target).or_else(|why| refuse(At::Target(index), why))?;
            if self.targets[..index].iter().any(|other| other.name == target.name) {
                let why = format!("another is called '{}' as well; a name is one target's", target.name);
                return refuse(At::Target(index), why);
            }
        }
        self.nodes
            .iter()
            .enumerate()
            .try_for_each(|(at, node)| check_node(node).or_else(|why| refuse(At::Node(at), why)))
    }

    fn as_drawn(&self) -> Result<(), Refusal> {
        let mut written = BTreeSet::from([OUTPUT]);
        written.extend(self.targets.iter().filter(|target| target.host).map(|target| target.name.as_str()));
        for (at, node) in self.nodes.iter().enumerate() {
            if let FrameNode::StandardFrame(_) = node {
                return refuse(At::Node(at), "nothing expanded it; register ExpandStandardFrame");
            }
            bound(self, at)?;
            let uses = node.uses(self);
            for used in &uses {
                if used.access != Access::Clear && !written.contains(used.target) {
                    let (field, name) = (used.field, used.target);
                    let why = format!(
                        "its {field} '{name}' holds nothing yet, for no node before it clears it; stand the node \
                         after the one that does"
                    );
                    return refuse(At::Node(at), why);
                }
            }
            written.extend(uses.iter().map(|used| used.target));
            self.once(at)?;
            self.caster_in_time(at)?;
            self.clusters_in_time(at)?;
            self.cascades_fit_the_atlas(at)?;
            self.resolve_is_kept(at)?;
        }
        self.shadows_have_a_size()
    }

    /// Refuses a node that does over again, or undoes, what one before it did.
    fn once(&self, at: usize) -> Result<(), Refusal> {
        for node in &self.nodes[..at] {
            let why = match (node, &self.nodes[at]) {
                (FrameNode::ShadowMap(one), FrameNode::ShadowMap(other)) if one.atlas == other.atlas => {
                    format!("another ShadowMap renders the atlas '{}' as well; give each its own", one.atlas)
                }
                (FrameNode::ShadowMap(one), FrameNode::ShadowMap(other))
                    if one.scene_pass == other.scene_pass =>
                {
                    let name = &one.scene_pass;
                    format!(
                        "another ShadowMap publishes under '{name}' as well; give each its own scene_pass"
                    )
                }
                (FrameNode::Terrain(one), FrameNode::Terrain(other)) if same_place(one, other) => {
                    let (view, output) = (&one.view, &one.output);
                    format!("another Terrain draws the view '{view}' into '{output}' as well; leave one out")
                }
                (FrameNode::TerrainCaster(one), FrameNode::TerrainCaster(other))
                    if one.atlas == other.atlas =>
                {
                    format!("another TerrainCaster draws into '{}' as well; leave one out", one.atlas)
                }
                (FrameNode::Resolve(one), FrameNode::Resolve(other)) if one.output == other.output => {
                    format!("another Resolve draws into '{}' as well; leave one out", one.output)
                }
                (FrameNode::LightClusters(one), FrameNode::LightClusters(other))
                    if one.view == other.view =>
                {
                    format!("other LightClusters are those of '{}' as well; leave one out", one.view)
                }
                (FrameNode::TerrainVelocity(one), FrameNode::TerrainVelocity(other))
                    if (&one.output, &one.view) == (&other.output, &other.view) =>
                {
                    format!("another TerrainVelocity draws into '{}' as well; leave one out", one.output)
                }
                _ => continue,
            };
            return refuse(At::Node(at), why);
        }
        Ok(())
    }

    /// A caster needs the cascades of a shadow map, and draws before anything samples them.
    fn caster_in_time(&self, at: usize) -> Result<(), Refusal> {
        let FrameNode::TerrainCaster(caster) = &self.nodes[at] else { return Ok(()) };
        let atlas = &caster.atlas;
        let renders = |node: &FrameNode| matches!(node, FrameNode::ShadowMap(map) if map.atlas == *atlas);
        if !self.nodes[..at].iter().any(renders) {
            let why =
                format!("no ShadowMap before it renders its atlas '{atlas}'; stand it directly after one");
            return refuse(At::Node(at), why);
        }
        let samples = |node: &FrameNode| {
            node.uses(self).iter().any(|used| used.target == atlas && used.access.samples())
        };
        match self.nodes[..at].iter().position(samples) {
            Some(early) => {
                let early = label(self, early);
                let why = format!(
                    "its atlas '{atlas}' was sampled by {early} before it; stand it directly after the ShadowMap"
                );
                refuse(At::Node(at), why)
            }
            None => Ok(()),
        }
    }

    /// What is lit by a view's lamps stands after the node that sorts them.
    fn clusters_in_time(&self, at: usize) -> Result<(), Refusal> {
        let FrameNode::LightClusters(clusters) = &self.nodes[at] else { return Ok(()) };
        let lit = |node: &FrameNode| match node {
            FrameNode::Pass(pass) => pass.stage == Stage::Main && pass.view == clusters.view,
            FrameNode::Terrain(terrain) => terrain.view == clusters.view,
            _ => false,
        };
        match self.nodes[..at].iter().position(lit) {
            Some(early) => {
                let (view, early) = (&clusters.view, label(self, early));
                let why =
                    format!("{early} before it is lit by the lamps of '{view}'; stand it before all that is");
                refuse(At::Node(at), why)
            }
            None => Ok(()),
        }
    }

    /// What is lit looks its shadows up in the atlas that its cascades lie in.
    fn cascades_fit_the_atlas(&self, at: usize) -> Result<(), Refusal> {
        let (scene_pass, shadow_atlas) = match &self.nodes[at] {
            FrameNode::Terrain(terrain) => (&terrain.scene_pass, &terrain.shadow_atlas),
            FrameNode::Pass(pass) if pass.stage == Stage::Main => (&pass.scene_pass, &pass.shadow_atlas),
            _ => return Ok(()),
        };
        let published = self.nodes.iter().find_map(|node| match node {
            FrameNode::ShadowMap(map) if map.scene_pass == *scene_pass => Some(&map.atlas),
            _ => None,
        });
        match published.filter(|atlas| *atlas != shadow_atlas && self.has_target(shadow_atlas)) {
            Some(atlas) => {
                let why = format!(
                    "the cascades under its scene_pass '{scene_pass}' lie in '{atlas}' and not in its shadow_atlas \
                     '{shadow_atlas}'; name the two of one ShadowMap"
                );
                refuse(At::Node(at), why)
            }
            None => Ok(()),
        }
    }

    /// What the next frame reads again is an image of the compositor's own.
    fn resolve_is_kept(&self, at: usize) -> Result<(), Refusal> {
        let FrameNode::Resolve(resolve) = &self.nodes[at] else { return Ok(()) };
        let output = &resolve.output;
        if self.target(output).is_none_or(|target| target.host) {
            let why = format!(
                "its output '{output}' is the host's, and the next frame reads it again; declare a target of your own for it"
            );
            return refuse(At::Node(at), why);
        }
        Ok(())
    }

    /// An atlas is as large as its shadow map says, or the host's; nothing else is as large as a shadow map says.
    fn shadows_have_a_size(&self) -> Result<(), Refusal> {
        for (index, target) in self.targets.iter().enumerate().filter(|(_, target)| !target.host) {
            let rendered = self.shadow_map(&target.name).is_some();
            let name = &target.name;
            if rendered && target.size != TargetSize::Shadow {
                let why =
                    format!("'{name}' is rendered by a ShadowMap, which knows its size; write size: Shadow");
                return refuse(At::Target(index), why);
            }
            if !rendered && target.size == TargetSize::Shadow {
                let why = format!(
                    "no ShadowMap renders '{name}', so it has no size; write another, or add the node"
                );
                return refuse(At::Target(index), why);
            }
        }
        Ok(())
    }
}

fn same_place(one: &TerrainNode, other: &TerrainNode) -> bool {
    one.view == other.view && one.output == other.output
}

/// Refuses a node whose view or targets are not declared, are of the wrong kind, or are used twice.
pub(super) fn bound(document: &FrameDocument, at: usize) -> Result<(), Refusal> {
    let Some(node) = document.nodes.get(at) else { return Ok(()) };
    if let Some(view) = node.view().filter(|view| !document.has_view(view)) {
        return refuse(
            At::Node(at),
            format!("there is no view '{view}'; declare it in views, or name another"),
        );
    }
    let uses = node.uses(document);
    for (index, used) in uses.iter().enumerate() {
        let (field, name) = (used.field, used.target);
        if !document.has_target(name) {
            let why = format!("its {field} '{name}' is no target; declare it in targets, or name another");
            return refuse(At::Node(at), why);
        }
        let is_depth = document.target(name).is_some_and(|target| target.format.is_depth());
        if used.aspect.is_some_and(|aspect| (aspect == Aspect::Depth) != is_depth) {
            let (is, wanted) = if is_depth { ("depth", "colour") } else { ("colour", "depth") };
            let why = format!("its {field} '{name}' is {is}; it needs a target of a {wanted} format");
            return refuse(At::Node(at), why);
        }
        if let Some(other) = uses[..index].iter().find(|other| other.target == name) {
            let other = other.field;
            let why = format!("'{name}' is its {other} and its {field} at once; it needs a target for each");
            return refuse(At::Node(at), why);
        }
    }
    Ok(())
}

fn check_target(target: &TargetDesc) -> Result<(), String> {
    let TargetDesc { name, format, size, .. } = target;
    names::check(name).map_err(|why| format!("its name {why}"))?;
    if name == OUTPUT {
        return Err(format!(
            "'{OUTPUT}' is the host's image, which is always there; leave it out, or use another name"
        ));
    }
    match *size {
        TargetSize::Output(scale) if !(0.0625..=4.0).contains(&scale) => {
            Err(format!("'{name}' is {scale} times the output; it can be 0.0625 to 4"))
        }
        TargetSize::Pixels(width, height)
            if ![width, height].iter().all(|side| (1..=16384).contains(side)) =>
        {
            Err(format!("'{name}' is {width} × {height} texels; it can be 1 to 16384 a side"))
        }
        TargetSize::Shadow if !format.is_depth() => {
            let depth: Vec<_> = TargetFormat::ALL.into_iter().filter(|format| format.is_depth()).collect();
            Err(format!(
                "'{name}' is of size Shadow and of format {format:?}; a shadow is depth: one of {depth:?}"
            ))
        }
        _ => Ok(()),
    }
}

/// Refuses, with the end of a sentence, a node that is wrong whatever stands around it.
fn check_node(node: &FrameNode) -> Result<(), String> {
    check_names(node)?;
    check_numbers(node)?;
    check_effect(node)?;
    let FrameNode::StandardFrame(preset) = node else { return Ok(()) };
    for (seam, nodes) in [("after_opaque", &preset.after_opaque), ("before_tonemap", &preset.before_tonemap)]
    {
        for (index, node) in nodes.iter().enumerate() {
            let at = format!("node {} of its {seam}, {}", index + 1, node.label());
            if let FrameNode::StandardFrame(_) = node {
                return Err(format!("{at}: a StandardFrame within another; a frame has one"));
            }
            check_node(node).map_err(|why| format!("{at}: {why}"))?;
        }
    }
    Ok(())
}

fn check_names(node: &FrameNode) -> Result<(), String> {
    let own = match node {
        FrameNode::ShadowMap(map) => Some(("scene_pass", map.scene_pass.as_str())),
        FrameNode::Terrain(terrain) => Some(("scene_pass", terrain.scene_pass.as_str())),
        FrameNode::Host(host) => Some(("name", host.name.as_str())),
        _ => None,
    };
    let targets = node.uses_where(&|_| true).into_iter().map(|used| (used.field, used.target));
    let view = node.view().map(|view| ("view", view));
    targets
        .chain(own)
        .chain(view)
        .try_for_each(|(field, name)| names::check(name).map_err(|why| format!("its {field} {why}")))
}

fn check_numbers(node: &FrameNode) -> Result<(), String> {
    let (scalars, own) = scalars_of(node);
    if let Some((name, why)) = scalars.problem() {
        let own = own.iter().find(|(quality, _)| *quality == name).map_or(name, |(_, own)| own);
        return Err(format!("its {own} {why}"));
    }
    let ev100 = match node {
        FrameNode::Tonemap(tonemap) => tonemap.ev100,
        FrameNode::StandardFrame(preset) => preset.ev100,
        _ => return Ok(()),
    };
    match ev100 {
        Some(ev100) if !(-16.0..=24.0).contains(&ev100) => Err(format!(
            "its ev100 is {ev100}; it can be -16 to 24, 15 is a sunny day, or left out for the frame's"
        )),
        _ => Ok(()),
    }
}

fn check_effect(node: &FrameNode) -> Result<(), String> {
    match node {
        FrameNode::Exposure(exposure) => exposure.problem().map_or(Ok(()), Err),
        FrameNode::AmbientOcclusion(occlusion) if !(1e-3..=100.0).contains(&occlusion.radius) => {
            Err(format!("its radius is {} m; it can be 0.001 to 100", occlusion.radius))
        }
        FrameNode::Tonemap(tonemap) if !(0.0..=1.0).contains(&tonemap.sharpness) => {
            Err(format!("its sharpness is {}; it can be 0 to 1", tonemap.sharpness))
        }
        _ => Ok(()),
    }
}

/// What a node writes of the quality's numbers, and what it calls those that it calls otherwise.
fn scalars_of(node: &FrameNode) -> (super::QualityScalars, &'static [(&'static str, &'static str)]) {
    match node {
        FrameNode::ShadowMap(map) => (
            map.scalars(),
            &[("shadow_cascades", "cascades"), ("shadow_tile", "tile"), ("shadow_distance", "distance")],
        ),
        FrameNode::Terrain(terrain) => (terrain.scalars(), &[]),
        FrameNode::AmbientOcclusion(occlusion) => (occlusion.scalars(), &[("occlusion_slices", "slices")]),
        FrameNode::Resolve(resolve) => (resolve.scalars(), &[("temporal_frames", "frames")]),
        FrameNode::TerrainCaster(caster) => {
            (super::QualityScalars { caster_patches: caster.caster_patches, ..Default::default() }, &[])
        }
        FrameNode::StandardFrame(preset) => (preset.scalars(), &[]),
        _ => (super::QualityScalars::default(), &[]),
    }
}
