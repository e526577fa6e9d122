//! The frame plan and its parts.

use super::{ViewMode, Viewport};
use crate::abi::{NodeRecord, ViewConstants};
use crate::atlas::{AtlasLayout, MipChain};
use crate::field::{FieldDesc, TileId, TileRevision};
use crate::lod::{GridSize, SelectStats};
use glam::Mat4;
use std::ops::Range;

/// What a frame uploads and draws of one terrain. A value: make it, drop it, play it twice.
#[derive(Clone, Debug)]
pub struct FramePlan {
    /// The atlas that uploads go to.
    pub layout: AtlasLayout,
    /// Tiles whose content is not what the renderer confirmed.
    pub uploads: Vec<TileUpload>,
    /// One for each view asked for, in the same order.
    pub views: Vec<ViewPlan>,
    /// Texels of all uploads' height chains.
    pub(crate) texels: Vec<u16>,
    /// Bytes of all uploads' hole blocks.
    pub(crate) hole_bytes: Vec<u8>,
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
}

impl FramePlan {
    /// An empty plan for fields of this shape, to be filled by [`Terrain::plan_into`](super::Terrain::plan_into) again and
    /// again without allocating.
    pub fn empty(desc: &FieldDesc) -> Self {
        let layout = AtlasLayout::new(desc);
        Self { layout, uploads: Vec::new(), views: Vec::new(), texels: Vec::new(), hole_bytes: Vec::new() }
    }

    /// The mip chain of an upload's heights, finest mip first ([`MipChain`] says where each begins).
    pub fn texels(&self, upload: &TileUpload) -> &[u16] {
        upload.heights.clone().map_or(&[], |range| &self.texels[range])
    }

    /// The hole block of an upload, eight quads a byte.
    pub fn hole_bytes(&self, upload: &TileUpload) -> &[u8] {
        upload.holes.clone().map_or(&[], |range| &self.hole_bytes[range])
    }

    /// The sizes of a chain.
    pub fn chain(&self) -> MipChain {
        MipChain::new(&self.layout)
    }

    /// Bytes that the uploads copy into textures.
    pub fn upload_bytes(&self) -> u64 {
        (self.texels.len() * size_of::<u16>() + self.hole_bytes.len()) as u64
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
