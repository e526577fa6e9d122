//! The frame plan and its parts.

use super::{ViewMode, Viewport, WeightShape};
use crate::abi::{MaterialConstants, NodeRecord, ViewConstants};
use crate::atlas::{AtlasLayout, MipChain};
use crate::field::{FieldDesc, TileId, TileRevision};
use crate::lod::{GridSize, SelectStats};
use crate::splat::{Material, Splat};
use glam::Mat4;
use std::ops::Range;
use std::sync::Arc;

/// What a frame uploads and draws of one terrain. A value: make it, drop it, play it twice.
#[derive(Clone, Debug)]
pub struct FramePlan {
    /// The atlas that uploads go to.
    pub layout: AtlasLayout,
    /// What the image of weights has to be like, and what its content was made with.
    pub weight_shape: WeightShape,
    /// What the ground is made of: the same one for as long as the terrain has it.
    pub material: Arc<Material>,
    /// Tiles whose content is not what the renderer confirmed.
    pub uploads: Vec<TileUpload>,
    /// One for each view asked for, in the same order.
    pub views: Vec<ViewPlan>,
    /// Texels of all uploads' height chains.
    pub(crate) texels: Vec<u16>,
    /// Bytes of all uploads' hole blocks.
    pub(crate) hole_bytes: Vec<u8>,
    /// Bytes of all uploads' blocks of weights.
    pub(crate) weight_bytes: Vec<u8>,
}

/// A tile to upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileUpload {
    /// Which tile.
    pub tile: TileId,
    /// The content that the renderer holds once this is done.
    pub revision: TileRevision,
    /// Where its chain lies in [`FramePlan::texels`], or None where the heights are not stale.
    pub heights: Option<Range<usize>>,
    /// Where its hole block lies in [`FramePlan::hole_bytes`], or None where the holes are not stale.
    pub holes: Option<Range<usize>>,
    /// Where its block of weights lies in [`FramePlan::weight_bytes`], or None where the weights are not stale.
    pub weights: Option<Range<usize>>,
}

impl FramePlan {
    /// An empty plan for fields of this shape, to be filled by [`Terrain::plan_into`](super::Terrain::plan_into) again and
    /// again without allocating.
    pub fn empty(desc: &FieldDesc) -> Self {
        Self {
            layout: AtlasLayout::new(desc),
            weight_shape: WeightShape::default(),
            material: Arc::default(),
            uploads: Vec::new(),
            views: Vec::new(),
            texels: Vec::new(),
            hole_bytes: Vec::new(),
            weight_bytes: Vec::new(),
        }
    }

    /// The mip chain of an upload's heights, finest mip first ([`MipChain`] says where each begins).
    pub fn texels(&self, upload: &TileUpload) -> &[u16] {
        upload.heights.clone().map_or(&[], |range| &self.texels[range])
    }

    /// The hole block of an upload, eight quads a byte.
    pub fn hole_bytes(&self, upload: &TileUpload) -> &[u8] {
        upload.holes.clone().map_or(&[], |range| &self.hole_bytes[range])
    }

    /// The block of weights of an upload, RGBA: the chains of all [`FramePlan::weight_pages`], page after page, each of
    /// them finest mip first ([`MipChain`] says where each begins, in texels of 4 bytes).
    pub fn weight_bytes(&self, upload: &TileUpload) -> &[u8] {
        upload.weights.clone().map_or(&[], |range| &self.weight_bytes[range])
    }

    /// Pages of four that the image of weights has: those of the layers, and one more for the regions where it has them.
    pub fn weight_pages(&self) -> u32 {
        self.weight_shape.pages
    }

    /// True where the last page has the shares of the blend sets.
    pub fn has_regions(&self) -> bool {
        self.weight_shape.has_regions
    }

    /// The sizes of a chain.
    pub fn chain(&self) -> MipChain {
        MipChain::new(&self.layout)
    }

    /// Bytes that the uploads copy into textures.
    pub fn upload_bytes(&self) -> u64 {
        (self.texels.len() * size_of::<u16>() + self.hole_bytes.len() + self.weight_bytes.len()) as u64
    }
}

/// What one view draws.
#[derive(Clone, Debug)]
pub struct ViewPlan {
    /// A number of its own, by which a renderer knows that two passes draw the same plan.
    pub id: u64,
    /// The patches, near ones first.
    pub nodes: Vec<NodeRecord>,
    /// The view's uniform block.
    pub constants: ViewConstants,
    /// Quads a side of a patch.
    pub grid: GridSize,
    /// Pixels drawn into.
    pub viewport: Viewport,
    /// True where the viewport is turned over.
    pub flip_y: bool,
    /// True where counter-clockwise on the ground is counter-clockwise in the target.
    pub keeps_winding: bool,
    /// What the preview shows.
    pub mode: ViewMode,
    /// What the terrain's layers ask of the shaders.
    pub splat: Splat,
    /// The material's uniform block for this view.
    pub material: MaterialConstants,
    /// True where the field has a hole anywhere: fragments then ask the mask.
    pub has_holes: bool,
    /// Clip space → a direction in the terrain's frame, for the preview's sky.
    pub ray_from_clip: Mat4,
    /// What the selection did.
    pub stats: SelectStats,
    /// Metres that level 0 reaches in this frame.
    pub near: f64,
    /// True where that was raised to the legal minimum.
    pub near_raised: bool,
}

impl ViewPlan {
    /// Triangles drawn, those that fold onto the map's edge or onto a morph included.
    pub fn triangles(&self) -> u64 {
        self.nodes.len() as u64 * u64::from(self.grid.triangles())
    }
}
