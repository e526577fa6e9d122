//! Runs a frame document on a host's device: images, barriers from what its nodes say that they do, a label and a time a node.
//!
//! The host owns the device, the command buffer and the scene; the compositor owns the document's targets, the frame's light and the
//! plans. It records into one command buffer and neither submits nor waits. An engine with a graph of its own needs none of this:
//! it calls the passes of a [`Renderer`](super::Renderer) where its graph wants them.

mod clusters;
mod effects;
mod exposure;
mod ground;
mod occlusion;
mod prepare;
mod publish;
mod record;
mod resolve;
mod scope;
mod screen;
mod show;
mod step;
mod targets;
mod views;

pub use ground::{SceneGround, SceneTerrain};
pub use scope::{FrameHost, HostScope, PassScope};
pub use targets::HostImage;

use crate::frame::{ExtractedTerrain, FrameDocument, FrameNode, ReasonLog, TerrainFactory};
use crate::gpu::{Cmd, Device, Timestamps};
use crate::light::{Cascades, Lamp, SceneLight, SkyTable};
use crate::plan::{FramePlan, View};
use crate::{Error, Result};
use clusters::SceneLamps;
use exposure::Meters;
use ground::Grounds;
use occlusion::Occlusions;
use publish::Slices;
use screen::Screen;
use show::Shown;
use std::sync::Arc;
use step::Step;
use targets::Targets;
use views::SceneViews;

use super::device_clusters::LampLists;
use super::light::FrameLight;

/// What a frame is made of. Everything is borrowed for the time of a call.
pub struct Frame<'a> {
    /// Where the picture goes: the target `Output`.
    pub output: HostImage,
    /// The views by name. Their viewports are in pixels of the output; a target of another size is drawn with its share.
    pub views: &'a [(&'a str, View)],
    /// The images of targets that the document leaves to the host.
    pub targets: &'a [(&'a str, HostImage)],
    /// Sun and sky. Without them the ground is a preview, and no sky is drawn.
    pub light: Option<&'a SceneLight>,
    /// True where the light is seen by the scene's camera; without one the ground is a preview.
    pub has_camera: bool,
    /// What the sky is drawn from; without it it is as blurred as its harmonics.
    pub sky: Option<&'a SkyTable>,
    /// The scene's lamps, up to 65536.
    pub lamps: &'a [Lamp],
    /// The terrains, as they were extracted for this frame.
    pub terrains: &'a [ExtractedTerrain<SceneTerrain>],
    /// What a tonemap exposes for whose node does not say and that no [`Exposure`](crate::frame::Exposure) stands before, −16…24: see
    /// [`SceneLight::ev100`]. Such a node begins with it where its first picture is black.
    pub ev100: f32,
    /// Exposure values, −16…16, that what an `Exposure` meters is shown brighter: a person's slider. `ev100` is shown as it is.
    pub compensation: f32,
    /// Since the last frame.
    pub seconds: f64,
}

/// What a node took on the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeTime<'a> {
    /// The node's place in the document.
    pub node: usize,
    /// What a person calls it, for instance `Pass Main`.
    pub label: &'a str,
    /// Milliseconds, as many frames ago as are in flight. None where the queue writes no timestamps.
    pub milliseconds: Option<f64>,
}

/// Runs a document. See the module.
pub struct Compositor {
    device: Arc<Device>,
    factory: TerrainFactory,
    document: FrameDocument,
    steps: Vec<Step>,
    targets: Targets,
    light: FrameLight,
    screen: Screen,
    occlusions: Occlusions,
    meters: Meters,
    grounds: Grounds,
    /// One a `ShadowMap`.
    cascades: Vec<Cascades>,
    patches: Vec<u32>,
    scene: SceneViews,
    /// One a `Terrain` node: from where it is drawn, and with which numbers.
    views: Vec<(View, crate::frame::QualityNumbers)>,
    reasons: Vec<ReasonLog>,
    lamps: SceneLamps,
    slices: Slices,
    shown: Option<Shown>,
    timestamps: Timestamps,
}

/// The span of what comes before the first node; no node is called so.
const PREPARE: &str = "prepare";

impl Compositor {
    /// A compositor of a document that is drawn as it is: what [`Transforms::run`](crate::frame::Transforms::run) returned. `factory`
    /// is the one that was registered there; its tier and its numbers are drawn with.
    ///
    /// # Errors
    /// A host that did not enable dynamic rendering, a document that [`FrameDocument::check`] refuses, and what the device could not
    /// make.
    pub fn new(device: &Arc<Device>, document: FrameDocument, factory: TerrainFactory) -> Result<Self> {
        if !device.features().dynamic_rendering {
            return Err(Error::Unsupported {
                what: "dynamic_rendering".into(),
                why: "a compositor begins its own scopes with it; enable it, or call the renderer's passes inside scopes of \
                      your own"
                    .into(),
            });
        }
        let light = FrameLight::new(device)?;
        let mut compositor = Self {
            screen: Screen::new(device, &light)?,
            meters: Meters::new(device)?,
            timestamps: Timestamps::new(device, "landform frame", 0, false)?,
            device: device.clone(),
            factory,
            document: FrameDocument::default(),
            steps: Vec::new(),
            targets: Targets::default(),
            light,
            occlusions: Occlusions::default(),
            grounds: Grounds::default(),
            cascades: Vec::new(),
            patches: Vec::new(),
            scene: SceneViews::default(),
            views: Vec::new(),
            reasons: Vec::new(),
            lamps: SceneLamps::default(),
            slices: Slices::default(),
            shown: None,
        };
        compositor.set_document(document)?;
        Ok(compositor)
    }

    /// Draws another document from the next frame on. Targets are made anew, all nodes are on, and the picture is shown.
    ///
    /// # Errors
    /// A document that [`FrameDocument::check`] refuses, and what the device could not make; the old one stays then.
    pub fn set_document(&mut self, document: FrameDocument) -> Result<()> {
        document.check()?;
        let timestamps =
            Timestamps::new(&self.device, "landform frame", document.nodes.len() as u32 + 1, false)?;
        let meters = self.meters.of_document(&document)?;
        let lamps = SceneLamps::of(&self.device, &document)?;
        self.meters.set(meters);
        self.steps = step::steps_of(&document);
        let count =
            |wanted: fn(&FrameNode) -> bool| document.nodes.iter().filter(|node| wanted(node)).count();
        let terrains = count(|node| matches!(node, FrameNode::Terrain(_)));
        let shadows = count(|node| matches!(node, FrameNode::ShadowMap(_)));
        self.cascades = vec![Cascades::new(); shadows];
        self.reasons = vec![ReasonLog::default(); terrains];
        self.occlusions.clear();
        self.lamps = lamps;
        self.targets.clear(&step::kept_of(&document));
        self.shown = None;
        (self.timestamps, self.document) = (timestamps, document);
        Ok(())
    }

    /// The document that is drawn.
    pub fn document(&self) -> &FrameDocument {
        &self.document
    }

    /// The tier and the numbers that are drawn with.
    pub fn factory(&self) -> &TerrainFactory {
        &self.factory
    }

    /// Changes the tier or the game's own numbers from the next frame on. What the document says stays what it says.
    pub fn set_factory(&mut self, factory: TerrainFactory) {
        self.factory = factory;
    }

    /// Turns a node off or on. A node that is off clears what it clears and does nothing else; a `Resolve` hands on the frame as it
    /// is, without jitter, an `AmbientOcclusion` sees the whole sky, and what `LightClusters` sorts, the CPU sorts then. False for a node there
    /// is not.
    pub fn set_enabled(&mut self, node: usize, on: bool) -> bool {
        let Some(step) = self.steps.get_mut(node) else { return false };
        step.enabled = on;
        true
    }

    /// Whether a node is on.
    pub fn is_enabled(&self, node: usize) -> bool {
        self.steps.get(node).is_some_and(|step| step.enabled)
    }

    /// Shows a target in place of the picture, in a form that a person can read: luminance rolled off, normals and motion around grey,
    /// depth by its fourth root. None shows the picture.
    ///
    /// # Errors
    /// A target that the document does not have, with the names of those it has.
    pub fn show(&mut self, target: Option<&str>) -> Result<()> {
        self.shown = match target {
            Some(name) => Some(Shown::find(&self.document, name)?),
            None => None,
        };
        Ok(())
    }

    /// The light that lit passes read: its layout is what a host makes pipelines of meshes with before the first frame. What a frame
    /// publishes of it comes with each [`PassScope`].
    pub fn light(&self) -> &FrameLight {
        &self.light
    }

    /// What each node took, in the document's order.
    pub fn times(&self) -> impl Iterator<Item = NodeTime<'_>> {
        let (_, latest) = self.timestamps.latest();
        // What comes before the first node has the first span, and every node its own in every frame: they are in step, and one
        // frame's numbers come whole or not at all.
        let spans = latest.get(1..).filter(|spans| spans.len() == self.steps.len()).unwrap_or_default();
        self.steps.iter().enumerate().map(move |(node, step)| NodeTime {
            node,
            label: step.label.to_str().unwrap_or_default(),
            milliseconds: spans.get(node).map(|timing| timing.milliseconds),
        })
    }

    /// Milliseconds that everything before the first node took: uploads. None where the queue writes no timestamps.
    pub fn prepare_time(&self) -> Option<f64> {
        self.timestamps.milliseconds(PREPARE)
    }

    /// Why the ground of a `Terrain` node, counted among those, is a preview in the last frame; None where it is lit.
    pub fn preview_reason(&self, terrain: usize) -> Option<&str> {
        self.reasons.get(terrain)?.reason()
    }

    /// How long the lists of a `LightClusters` node were, as many frames ago as are in flight; None where it is off, and for a node of
    /// another kind.
    pub fn lamp_lists(&self, node: usize) -> Option<LampLists> {
        self.lamps.lists(node).filter(|_| self.is_enabled(node))
    }

    /// What the last frame planned of an entity for a `Terrain` node, both counted from 0 in their order: for a host's numbers.
    pub fn plan(&self, entity: usize, terrain: usize) -> Option<&FramePlan> {
        self.grounds.plan(entity, terrain)
    }

    /// Takes everything on the device for never used: for a host that recorded a frame and then did not submit it. Terrains forget
    /// on their own account ([`Renderer::forget`](super::Renderer::forget)).
    pub fn forget(&mut self) {
        self.targets.forget();
        self.screen.forget();
        self.occlusions.forget();
        self.meters.forget();
        self.light.forget();
        self.lamps.forget();
        self.scene.forget();
        self.grounds.forget();
    }

    /// Records a frame: uploads, then every node in order. The command buffer records, outside of a rendering scope, and the device's
    /// frame was begun.
    ///
    /// # Errors
    /// A sentence, with the node or the terrain where it is one's: what is not bound, a view, a light or an exposure that cannot be drawn,
    /// targets of one node that differ in size, what the host's own nodes returned, and what the device could not make. What was recorded
    /// is not to be submitted then; call [`forget`](Self::forget).
    pub fn record(&mut self, cmd: &Cmd<'_>, frame: &Frame<'_>, host: &mut dyn FrameHost) -> Result<()> {
        if !std::ptr::eq(cmd.device(), &*self.device) {
            return Err(Error::invalid(
                "compositor",
                "the command buffer was taken by another device than the compositor's",
            ));
        }
        self.check_bound(frame)?;
        self.prepare(cmd, frame)?;
        for node in 0..self.steps.len() {
            self.record_step(cmd, frame, host, node)
                .map_err(|error| error.in_context(&self.document.label_of(node)))?;
        }
        self.record_shown(cmd, frame)?;
        self.targets.finish(cmd);
        Ok(())
    }

    /// Asks of each name whether it is bound, and for the sentence only where one is not: a steady frame makes no lists.
    fn check_bound(&self, frame: &Frame<'_>) -> Result<()> {
        let bound = |name: &str| frame.views.iter().any(|(view, _)| *view == name);
        let given = |name: &str| frame.targets.iter().any(|(target, _)| *target == name);
        let views = self.document.nodes.iter().filter_map(FrameNode::view).all(bound);
        let targets =
            self.document.targets.iter().filter(|target| target.host).all(|target| given(&target.name));
        if views && targets { Ok(()) } else { self.document.check_bound(bound, given) }
    }
}
