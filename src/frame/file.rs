//! A frame document as a file: RON, with what is left out at its default.

use super::FrameDocument;
use super::check::At;
use super::lines;
use crate::ron_text::RonText;
use crate::{Error, Result};
use ron::extensions::Extensions;
use std::path::Path;

const TEXT: RonText = RonText {
    what: "a frame document is a text of nodes in RON",
    extensions: Extensions::IMPLICIT_SOME.union(Extensions::UNWRAP_VARIANT_NEWTYPES),
    hint,
};

impl FrameDocument {
    /// The document that a text in RON states, checked by [`FrameDocument::validate`].
    ///
    /// What may be there or not is written as it is, without `Some`; a node's fields stand directly after its kind.
    /// Whatever is left out has its default, and a name that is no field of its place is refused.
    ///
    /// ```
    /// use landform::frame::{FrameDocument, FrameNode};
    ///
    /// let text = r#"(
    ///     views: ["Camera"],
    ///     targets: [(name: "Ground", format: Rgba16Float), (name: "SceneDepth", format: Depth32Float)],
    ///     nodes: [
    ///         Host(name: "meshes", clears: ["Ground", "SceneDepth"]),
    ///         Terrain(output: "Ground", near: 300),
    ///         Tonemap(input: "Ground", ev100: 13),
    ///     ],
    /// )"#;
    /// let document = FrameDocument::from_ron(text)?;
    /// document.check()?;
    /// assert!(matches!(&document.nodes[1], FrameNode::Terrain(terrain) if terrain.near == Some(300.0)));
    /// # Ok::<(), landform::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`] with the line of what cannot be read or is refused by [`FrameDocument::validate`].
    pub fn from_ron(text: &str) -> Result<Self> {
        checked(text).map_err(|why| Error::invalid("frame document", why))
    }

    /// The document of a file, as [`FrameDocument::from_ron`] reads it.
    ///
    /// # Errors
    /// [`Error::File`] for a file that cannot be read or is larger than 1 MiB, and for what `from_ron` refuses.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        TEXT.read(path).and_then(|text| checked(&text)).map_err(|why| Error::file(path, why))
    }

    /// The document as [`FrameDocument::from_ron`] reads it. The numbers come back bit for bit.
    pub fn to_ron(&self) -> String {
        TEXT.write(self)
    }
}

/// The document of a text, or a sentence that says on which line it is wrong and what would work.
fn checked(text: &str) -> Result<FrameDocument, String> {
    let document: FrameDocument = TEXT.parse(text)?;
    document.as_written().map_err(|refusal| {
        let line = match refusal.at {
            At::Document => None,
            At::Target(at) => lines::of_element(text, "targets", at),
            At::Node(at) => lines::of_element(text, "nodes", at),
        };
        let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        line + &refusal.sentence(&document)
    })?;
    Ok(document)
}

/// What would work instead, where the parser's own words do not say it.
fn hint(error: &ron::Error) -> &'static str {
    use ron::Error as E;
    match error {
        // These name what would have been accepted, or come from landform's own types.
        E::NoSuchStructField { .. } | E::NoSuchEnumVariant { .. } | E::Message(_) => "",
        E::MissingStructField { .. } => "; add it",
        E::DuplicateStructField { .. } => "; leave one of the two out",
        E::ExpectedComma => "; what follows one another is parted by commas",
        E::ExpectedString => "; names stand in quotation marks, for instance \"SceneHdr\"",
        E::ExpectedBoolean => "; it is true or false",
        E::ExpectedFloat | E::ExpectedInteger => "; a number stands there, without a unit, for instance 4",
        _ => "; a frame document is written (nodes: [StandardFrame()])",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{FrameNode, TargetSize, TerrainNode};

    #[test]
    fn a_small_document_is_a_small_text() {
        let text = "\u{feff}(nodes: [StandardFrame()])";
        let document = FrameDocument::from_ron(text).unwrap();
        assert_eq!(document.nodes, [FrameNode::StandardFrame(Default::default())]);
        assert_eq!(FrameDocument::from_ron("()").unwrap(), FrameDocument::default());
        assert_eq!(FrameDocument::from_ron(&document.to_ron()).unwrap(), document);
        let terrain = FrameDocument { nodes: vec![FrameNode::Terrain(TerrainNode::default())], ..document };
        assert!(
            !terrain.to_ron().contains("None") && !terrain.to_ron().contains("near"),
            "{}",
            terrain.to_ron()
        );
    }

    #[test]
    fn sizes_and_options_are_written_as_they_are() {
        let text = "(targets: [(name: \"A\", format: R8Unorm, size: Output(0.5)), (name: \"B\", format: Depth32Float, \
                    size: Pixels(64, 32)), (name: \"C\", format: Depth32Float, size: Shadow, host: true)], nodes: \
                    [Terrain(near: Some(300), pixel_error: None), ShadowMap(cascades: 3, atlas: \"C\")])";
        let document = FrameDocument::from_ron(text).unwrap();
        let sizes: Vec<_> = document.targets.iter().map(|target| target.size).collect();
        assert_eq!(sizes, [TargetSize::Output(0.5), TargetSize::Pixels(64, 32), TargetSize::Shadow]);
        assert!(matches!(&document.nodes[0], FrameNode::Terrain(terrain)
            if terrain.near == Some(300.0) && terrain.pixel_error.is_none()));
        assert!(matches!(&document.nodes[1], FrameNode::ShadowMap(map) if map.cascades == Some(3)));
        assert_eq!(FrameDocument::from_ron(&document.to_ron()).unwrap(), document);
    }

    #[test]
    fn what_cannot_be_read_is_a_sentence_with_its_line() {
        let says = |text: &str, parts: &[&str]| {
            let error = FrameDocument::from_ron(text).unwrap_err().to_string();
            parts.iter().for_each(|part| assert!(error.contains(part), "{error} lacks {part}"));
        };
        says("(nodes: [\n  Terrain(outptu: \"A\")])", &["line 2", "`outptu`", "`output`"]);
        says("(nodes: [\n\n Terain()])", &["line 3", "`Terain`", "`Terrain`"]);
        says("(nodes: [Terrain(output: SceneHdr)])", &["line 1", "quotation marks"]);
        says("(nodes: [Terrain(near: \"far\")])", &["line 1", "a number"]);
        says("(nodes: [Terrain() Sky()])", &["parted by commas"]);
        says("(nodes: [Pass()])", &["`stage`", "add it"]);
        says("(targets: [\n(name: \"A\", format: Rgb)])", &["line 2", "`Rgb`", "`Rgba16Float`"]);
        says("nodes: []", &["a frame document is written"]);
        says("", &["a frame document is written"]);
    }

    #[test]
    fn what_is_refused_is_a_sentence_with_its_line() {
        let says = |text: &str, parts: &[&str]| {
            let error = FrameDocument::from_ron(text).unwrap_err().to_string();
            parts.iter().for_each(|part| assert!(error.contains(part), "{error} lacks {part}"));
        };
        says(
            "(nodes: [\n  Sky(),\n  // here\n  Terrain(caster_patches: 999)])",
            &["line 4: node 2 of 2, Terrain: its caster_patches is 999", "1 to 256"],
        );
        says(
            "(nodes: [\n ShadowMap(cascades: 9)])",
            &["line 2: node 1 of 1, ShadowMap: its cascades is 9", "1 to 4"],
        );
        says("(nodes: [Terrain(view: \"\")])", &["Terrain: its view is empty"]);
        says("(nodes: [Host(reads: [\"A\"])])", &["Host '': its name is empty"]);
        says("(nodes: [Tonemap(ev100: 99)])", &["Tonemap: its ev100 is 99"]);
        says(
            "(nodes: [StandardFrame(after_opaque: [Sky(), Terrain(pixel_error: 0)])])",
            &["node 1 of 1, StandardFrame: node 2 of its after_opaque, Terrain: its pixel_error is 0"],
        );
        says("(nodes: [StandardFrame(before_tonemap: [StandardFrame()])])", &["within another"]);
        says(
            "(targets: [\n(name: \"A\", format: R8Unorm),\n(name: \"A\", format: R8Unorm)])",
            &["line 3: target 2 of 2: another is called 'A'"],
        );
        says("(targets: [(name: \"Output\", format: R8Unorm)])", &["always there"]);
        says("(targets: [(name: \"A\", format: R8Unorm, size: Pixels(0, 1))])", &["0 × 1 texels"]);
        says("(targets: [(name: \"A\", format: R8Unorm, size: Output(9))])", &["9 times the output"]);
        says(
            "(targets: [(name: \"A\", format: R8Unorm, size: Shadow)])",
            &["a shadow is depth", "Depth32Float"],
        );
        says("(views: [\"Eye\", \"Eye\"])", &["two views are called 'Eye'"]);
        says(&format!("(nodes: [{}])", "Sky(),".repeat(257)), &["257 nodes"]);
    }

    #[test]
    fn a_file_is_named_in_what_is_said_of_it() {
        let folder = std::env::temp_dir().join(format!("landform-frame-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("frame.ron");
        let says = |bytes: &[u8], part: &str| {
            std::fs::write(&path, bytes).unwrap();
            let error = FrameDocument::read(&path).unwrap_err();
            assert!(matches!(&error, Error::File { path: named, .. } if *named == path));
            assert!(error.to_string().contains(part), "{error}");
        };
        says(b"(nodes: [)", "frame.ron: line 1, column");
        says(b"(nodes: [\nTerrain(near: -1)])", "frame.ron: line 2: node 1 of 1, Terrain: its near is -1");
        says(b"\xff\xfe", "UTF-8");
        says(&vec![b' '; (1 << 20) + 1], "1 MiB");
        std::fs::write(&path, "(nodes: [Sky()])").unwrap();
        let error = crate::frame::Transforms::default().read(&path).unwrap_err();
        assert!(
            error.to_string().contains("frame.ron: node 1 of 1, Sky: there is no view 'Camera'"),
            "{error}"
        );
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(FrameDocument::read(&path).unwrap_err().to_string().contains("cannot be read"));
    }
}
