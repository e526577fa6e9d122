//! What a frame document says: views and targets by name, and nodes in the order in which they are recorded.

use super::{FrameNode, QualityNumbers, ShadowMap, TerrainNode};
use serde::{Deserialize, Serialize};

/// The name of the host's own image of the frame. Always there, in the host's format and size; no document declares it.
pub const OUTPUT: &str = "Output";

/// A frame: targets and views by name, and nodes in order. RON in [`from_ron`](Self::from_ron).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FrameDocument {
    /// The views that nodes name. The host binds a view to each that is used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub views: Vec<String>,
    /// The targets that nodes name, but for [`OUTPUT`].
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<TargetDesc>,
    /// What is recorded, in this order.
    pub nodes: Vec<FrameNode>,
    /// Whether the nodes are those of a [`StandardFrame`](super::StandardFrame). Set where one is expanded: a
    /// [`TerrainFactory`](super::TerrainFactory) places a terrain in such a frame of its own accord.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub expanded: bool,
}

impl FrameDocument {
    /// The target that a name is declared for. [`OUTPUT`] is not declared.
    pub fn target(&self, name: &str) -> Option<&TargetDesc> {
        self.targets.iter().find(|target| target.name == name)
    }

    /// Whether a node may name the target: it is declared, or [`OUTPUT`].
    pub fn has_target(&self, name: &str) -> bool {
        name == OUTPUT || self.target(name).is_some()
    }

    /// Whether a node may name the view.
    pub fn has_view(&self, name: &str) -> bool {
        self.views.iter().any(|view| view == name)
    }

    /// The node that renders the cascades of an atlas.
    pub fn shadow_map(&self, atlas: &str) -> Option<&ShadowMap> {
        self.nodes.iter().find_map(|node| match node {
            FrameNode::ShadowMap(map) if map.atlas == atlas => Some(map),
            _ => None,
        })
    }

    /// What a sentence calls a node, for instance `node 3 of 7, Terrain`.
    pub fn label_of(&self, node: usize) -> String {
        super::check::label(self, node)
    }

    /// The terrain nodes, in order.
    pub fn terrains(&self) -> impl Iterator<Item = &TerrainNode> {
        self.nodes.iter().filter_map(|node| match node {
            FrameNode::Terrain(terrain) => Some(terrain),
            _ => None,
        })
    }

    /// Texels of a target across and down, where the frame is `output` pixels and `numbers` are those that the document
    /// leaves open. `None` for a target that the host gives, and for a `Shadow` that no node renders.
    pub fn target_size(
        &self,
        target: &TargetDesc,
        output: [u32; 2],
        numbers: &QualityNumbers,
    ) -> Option<[u32; 2]> {
        if target.host {
            return None;
        }
        match target.size {
            TargetSize::Output(scale) => {
                Some(output.map(|pixels| (f64::from(pixels) * f64::from(scale)).round().max(1.0) as u32))
            }
            TargetSize::Pixels(width, height) => Some([width, height]),
            TargetSize::Shadow => self.shadow_map(&target.name).map(|map| map.layout(numbers).size()),
        }
    }
}

/// A target of a frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetDesc {
    /// What nodes call it.
    pub name: String,
    /// What a texel is.
    pub format: TargetFormat,
    /// How large it is. Not read where the host gives the image.
    #[serde(default, skip_serializing_if = "TargetSize::is_output")]
    pub size: TargetSize,
    /// Whether the host gives the image, with whatever it holds. Else the compositor makes it, and what it holds from the
    /// frame before is gone, but for what a [`Resolve`](super::Resolve) reads again itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub host: bool,
}

impl TargetDesc {
    /// A target of the frame's size that the compositor makes.
    pub fn new(name: impl Into<String>, format: TargetFormat) -> Self {
        Self { name: name.into(), format, size: TargetSize::default(), host: false }
    }
}

/// How large a target is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum TargetSize {
    /// So many times the output's width and height, 0.0625…4; rounded, and at least a texel.
    Output(f32),
    /// Texels across and down, 1…16384 each.
    Pixels(u32, u32),
    /// What the cascades of the [`ShadowMap`] that renders it need: see [`ShadowLayout`](super::ShadowLayout).
    Shadow,
}

impl Default for TargetSize {
    fn default() -> Self {
        Self::Output(1.0)
    }
}

impl TargetSize {
    fn is_output(&self) -> bool {
        *self == Self::default()
    }
}

/// What a texel of a target is. The words are those of Vulkan's formats, shortened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum TargetFormat {
    /// Red, 0…1 in 8 bits.
    R8Unorm,
    /// Red, half precision.
    R16Float,
    /// Red, single precision.
    R32Float,
    /// Red and green, half precision: motion.
    Rg16Float,
    /// Four of 0…1 in 8 bits, linear.
    Rgba8Unorm,
    /// Four of 0…1 in 8 bits, colour encoded as sRGB.
    Rgba8Srgb,
    /// Four of −1…1 in 8 bits.
    Rgba8Snorm,
    /// Three without a sign, 11, 11 and 10 bits.
    Rg11b10Float,
    /// Four, half precision: luminance, normals.
    Rgba16Float,
    /// Four, single precision.
    Rgba32Float,
    /// Depth in 16 bits.
    Depth16Unorm,
    /// Depth, single precision: what reverse-Z wants.
    Depth32Float,
}

impl TargetFormat {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::R8Unorm,
        Self::R16Float,
        Self::R32Float,
        Self::Rg16Float,
        Self::Rgba8Unorm,
        Self::Rgba8Srgb,
        Self::Rgba8Snorm,
        Self::Rg11b10Float,
        Self::Rgba16Float,
        Self::Rgba32Float,
        Self::Depth16Unorm,
        Self::Depth32Float,
    ];

    /// Whether it is depth and not colour.
    pub fn is_depth(self) -> bool {
        matches!(self, Self::Depth16Unorm | Self::Depth32Float)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{QualityScalars, Tier};

    #[test]
    fn a_target_is_as_large_as_it_says() {
        let mut document = FrameDocument::default();
        let mut target = TargetDesc::new("A", TargetFormat::Depth32Float);
        let numbers = QualityScalars { shadow_cascades: Some(3), ..QualityScalars::default() };
        let numbers = numbers.over(Tier::Low.numbers());
        let size = |document: &FrameDocument, target: &TargetDesc| {
            document.target_size(target, [1921, 1080], &numbers)
        };
        assert_eq!(size(&document, &target), Some([1921, 1080]));
        target.size = TargetSize::Output(0.5);
        assert_eq!(size(&document, &target), Some([961, 540]));
        assert_eq!(document.target_size(&target, [0, 0], &numbers), Some([1, 1]));
        target.size = TargetSize::Pixels(7, 9);
        assert_eq!(size(&document, &target), Some([7, 9]));
        target.size = TargetSize::Shadow;
        assert_eq!(size(&document, &target), None);
        let mut map = ShadowMap { atlas: "A".to_owned(), ..ShadowMap::default() };
        document.nodes = vec![FrameNode::ShadowMap(map.clone())];
        assert_eq!(size(&document, &target), Some([2048, 2048]), "three cascades of the tier's 1024");
        (map.cascades, map.tile) = (Some(2), Some(256));
        document.nodes = vec![FrameNode::ShadowMap(map)];
        assert_eq!(size(&document, &target), Some([512, 256]), "what the document writes");
        target.host = true;
        assert_eq!(size(&document, &target), None);
    }
}
