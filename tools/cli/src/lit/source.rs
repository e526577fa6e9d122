//! Where a frame's document comes from, and what becomes of it before it is drawn.

use crate::stop::{Result, Stop};
use landform::field::Field;
use landform::frame::{
    FrameDocument, FrameNode, FrameTransform, HostNode, QualityScalars, StandardFrame, TargetSize,
    TerrainFactory, Tier, Transforms,
};
use std::path::PathBuf;

use super::host::READ;
use crate::ground;

/// What a frame is made from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameSource {
    /// A document in RON. None is a [`StandardFrame`] whose shadows reach over the map.
    pub file: Option<PathBuf>,
    /// The numbers that the document leaves open.
    pub tier: Tier,
    /// Samples a pixel: 1, or 4, which is twice as many texels across and down.
    pub samples: u32,
    /// Frames that a picture is resolved over, where the document has a `Resolve`: its samples then. None is the tier's.
    pub frames: Option<u32>,
    /// Whether luminance is to be read ([`LitFrame::luminance`](super::LitFrame::luminance)).
    pub read: bool,
}

impl FrameSource {
    /// The tier, and the numbers that are stated besides.
    pub fn factory(&self) -> TerrainFactory {
        let scalars = QualityScalars { temporal_frames: self.frames, ..QualityScalars::default() };
        TerrainFactory { tier: self.tier, scalars }
    }

    /// How many texels across and down a pixel of the output has in a frame that this made.
    pub fn texels_a_pixel(&self, document: &FrameDocument) -> f64 {
        let doubled = self.samples == 4 && !(self.frames.is_some() && is_resolved(document));
        if doubled { 2.0 } else { 1.0 }
    }

    /// The document as it is drawn on a map.
    ///
    /// # Errors
    /// What cannot be read or drawn, with the file and the line, and what only a host with more in its frame than ground could bind.
    pub fn read(&self, shadow_distance: f64) -> Result<FrameDocument> {
        let mut transforms = Transforms::default();
        transforms.register(self.factory());
        if self.samples == 4 {
            transforms.register(TwiceAsMany { unless_resolved: self.frames.is_some() });
        }
        if self.read {
            transforms.register(ReadLuminance);
        }
        let Some(file) = &self.file else {
            let preset = StandardFrame { shadow_distance: Some(shadow_distance), ..StandardFrame::default() };
            let nodes = vec![FrameNode::StandardFrame(preset)];
            return Ok(transforms.run(&FrameDocument { nodes, ..FrameDocument::default() })?);
        };
        let document = transforms.read(file)?;
        // Every view is the camera's, and no target is the host's.
        let bound = document.check_bound(|_| true, |_| false);
        bound.map_err(|error| Stop::new(format!("{}: {error}", file.display())))?;
        Ok(document)
    }
}

/// Refuses a target that a document does not have, with the names of those that it has.
///
/// # Errors
/// A sentence.
pub fn check_target(document: &FrameDocument, name: &str) -> Result<()> {
    let names: Vec<_> = document.targets.iter().map(|target| target.name.as_str()).collect();
    if names.contains(&name) {
        return Ok(());
    }
    Err(Stop::new(format!("the frame has no target '{name}' to show; there are: {}", names.join(", "))))
}

/// A sentence for each node of the document that is recorded as nothing, for it is to be the host's.
pub fn unrecorded(document: &FrameDocument) -> Vec<String> {
    let notes = document.nodes.iter().enumerate().filter_map(|(at, node)| match node {
        FrameNode::Host(host) if host.name != READ => Some(format!(
            "{} '{}' is recorded as nothing, for this host draws nothing of its own",
            document.label_of(at),
            host.name
        )),
        _ => None,
    });
    notes.collect()
}

/// Metres that shadows reach on a map: over all of it from any place above it.
pub fn shadow_distance(field: &Field) -> f64 {
    (1.25 * ground::extent(field).max_element()).clamp(1.0, 1e6)
}

/// A node of the host's before the first tonemap, which reads what that shows.
struct ReadLuminance;

impl FrameTransform for ReadLuminance {
    fn name(&self) -> &'static str {
        "read luminance"
    }

    fn apply(&self, document: &mut FrameDocument) -> landform::Result<()> {
        let is_there = |node: &FrameNode| matches!(node, FrameNode::Host(host) if host.name == READ);
        let shown = document.nodes.iter().enumerate().find_map(|(at, node)| match node {
            FrameNode::Tonemap(tonemap) => Some((at, tonemap.input.clone())),
            _ => None,
        });
        if let Some((at, input)) = shown.filter(|_| !document.nodes.iter().any(is_there)) {
            let node = HostNode { name: READ.to_owned(), reads: vec![input], ..HostNode::default() };
            document.nodes.insert(at, FrameNode::Host(node));
        }
        Ok(())
    }
}

/// Four texels a pixel in every target of the output's size: a tonemap shows the mean of those that a pixel has.
struct TwiceAsMany {
    /// What is resolved over time has its samples there.
    unless_resolved: bool,
}

fn is_resolved(document: &FrameDocument) -> bool {
    document.nodes.iter().any(|node| matches!(node, FrameNode::Resolve(_)))
}

impl FrameTransform for TwiceAsMany {
    fn name(&self) -> &'static str {
        "four samples"
    }

    fn apply(&self, document: &mut FrameDocument) -> landform::Result<()> {
        if self.unless_resolved && is_resolved(document) {
            return Ok(());
        }
        let whole = TargetSize::Output(1.0);
        for target in document.targets.iter_mut().filter(|target| target.size == whole && !target.host) {
            target.size = TargetSize::Output(2.0);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str, samples: u32) -> Result<FrameDocument> {
        let file = std::env::temp_dir().join(format!("landform-{}-{name}.ron", std::process::id()));
        std::fs::write(&file, text).unwrap();
        let read = FrameSource { file: Some(file.clone()), samples, ..FrameSource::default() }.read(100.0);
        std::fs::remove_file(file).unwrap();
        read
    }

    #[test]
    fn a_frame_without_a_file_reaches_over_the_map() {
        let document = FrameSource::default().read(5000.0).unwrap();
        assert_eq!(document.shadow_map("ShadowAtlas").and_then(|map| map.distance), Some(5000.0));
        assert_eq!(document.terrains().count(), 1);
        check_target(&document, "SceneDepth").unwrap();
        let why = check_target(&document, "Depth").unwrap_err().sentence;
        assert!(why.contains("'Depth'") && why.contains("SceneHdr, SceneDepth"), "{why}");
    }

    #[test]
    fn four_samples_are_twice_as_many_texels_of_the_scene_and_of_nothing_else() {
        let source = FrameSource { samples: 4, ..FrameSource::default() };
        let document = source.read(100.0).unwrap();
        let size = |name: &str| document.target(name).map(|target| target.size);
        assert_eq!(size("SceneHdr"), Some(TargetSize::Output(2.0)));
        assert_eq!(size("SceneDepth"), Some(TargetSize::Output(2.0)));
        assert_eq!(size("ShadowAtlas"), Some(TargetSize::Shadow));
        let mut again = document.clone();
        TwiceAsMany { unless_resolved: false }.apply(&mut again).unwrap();
        assert_eq!(again, document, "a transform changes its own result no more");
        // A picture that is resolved over four frames has four samples a pixel.
        let frames = FrameSource { frames: Some(4), ..source };
        let document = frames.read(100.0).unwrap();
        assert_eq!(document.target("SceneHdr").map(|target| target.size), Some(TargetSize::Output(1.0)));
        assert_eq!((frames.texels_a_pixel(&document), frames.factory().defaults().temporal_frames), (1.0, 4));
    }

    #[test]
    fn what_is_wrong_in_a_file_is_said_with_its_name_and_its_line() {
        let why = read("line", "(nodes: [\n  StandardFrame(shadow: true),\n])", 1).unwrap_err().sentence;
        assert!(why.contains("line.ron") && why.contains("line 2"), "{why}");
        let why = read(
            "host",
            "(targets: [(name: \"SceneHdr\", format: Rgba16Float, host: true)], nodes: [StandardFrame()])",
            1,
        );
        let why = why.unwrap_err().sentence;
        assert!(why.contains("host.ron") && why.contains("'SceneHdr'"), "{why}");
    }

    #[test]
    fn nodes_of_a_host_are_named() {
        let text = "(nodes: [StandardFrame(before_tonemap: [Host(name: \"rain\", writes: [\"SceneHdr\"])])])";
        let notes = unrecorded(&read("notes", text, 1).unwrap());
        assert!(notes.len() == 1 && notes[0].contains("rain"), "{notes:?}");
    }
}
