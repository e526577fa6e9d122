//! What a renderer holds.

use super::FramePlan;
use crate::atlas::AtlasLayout;
use crate::field::{FieldDesc, TileRevision};

/// What a renderer's image of weights is like, and what its content was made with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct WeightShape {
    /// Pages of four, that of the regions among them; 0 for no image yet.
    pub pages: u32,
    /// True where the last page has the shares of the blend sets.
    pub has_regions: bool,
    /// Numbers what the material made of the weights: which layers stand for others, and which are laid over. 0 where it
    /// took them as they are.
    pub remap: u64,
}

impl WeightShape {
    /// True where an image serves both: what differs is at most its content.
    pub fn is_same_image(&self, other: &Self) -> bool {
        (self.pages, self.has_regions) == (other.pages, other.has_regions)
    }
}

/// The contents that a renderer confirmed, a tile: what the next plan takes its difference to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Residency {
    pub(crate) layout: AtlasLayout,
    pub(crate) weight_shape: WeightShape,
    pub(crate) tiles: Vec<TileRevision>,
}

impl Residency {
    /// A hole revision that no tile has: what is held of a tile's holes is not known, so that the next plan uploads them
    /// whatever the field says. 0 will not do, for it says that all of the tile's quads are known to be closed.
    pub const UNKNOWN_HOLES: u64 = u64::MAX;

    /// A weight revision that no tile has: what is held of a tile's weights is not known. 0 will not do here either, for it
    /// says that all of the tile has layer 0.
    pub const UNKNOWN_WEIGHTS: u64 = u64::MAX;

    /// A renderer that holds nothing yet: the next plan uploads every tile. No quad is open in it and all ground has layer
    /// 0, for a renderer clears its hole mask and its weights before the first upload.
    pub fn nothing(desc: &FieldDesc) -> Self {
        Self {
            layout: AtlasLayout::new(desc),
            weight_shape: WeightShape::default(),
            tiles: vec![TileRevision::default(); desc.tile_count()],
        }
    }

    /// What both of two renderers hold: a plan made with it serves them both.
    ///
    /// # Panics
    /// Where they were made for fields of different shape.
    pub fn common(&self, other: &Self) -> Self {
        assert_eq!(self.layout, other.layout, "renderers of fields of different shape");
        let both = |a: u64, b: u64, unknown: u64| if a == b { a } else { unknown };
        let same_weights = self.weight_shape == other.weight_shape;
        // Cleared is the same in images of any shape, and any other content is not.
        let weights = |a: u64, b: u64| match (a, b) {
            (0, 0) => 0,
            (a, b) if a == b && same_weights => a,
            _ => Self::UNKNOWN_WEIGHTS,
        };
        let tiles = self.tiles.iter().zip(&other.tiles);
        let tiles = tiles
            .map(|(a, b)| TileRevision {
                heights: both(a.heights, b.heights, 0),
                holes: both(a.holes, b.holes, Self::UNKNOWN_HOLES),
                weights: weights(a.weights, b.weights),
            })
            .collect();
        let weight_shape = if same_weights { self.weight_shape } else { WeightShape::default() };
        Self { layout: self.layout, weight_shape, tiles }
    }

    /// Notes that a plan's uploads were played. Where the plan asks for an image of weights of another shape, one was made
    /// and cleared before them; where only the material makes something else of weights, what the plan does not upload is
    /// no longer what it was.
    ///
    /// # Panics
    /// For a plan of a field of another shape.
    pub fn confirm(&mut self, plan: &FramePlan) {
        assert_eq!(self.layout, plan.layout, "a plan of a field of another shape");
        let shape = plan.weight_shape;
        if !shape.is_same_image(&self.weight_shape) {
            self.tiles.iter_mut().for_each(|tile| tile.weights = 0);
        } else if shape != self.weight_shape {
            let painted = self.tiles.iter_mut().filter(|tile| tile.weights != 0);
            painted.for_each(|tile| tile.weights = Self::UNKNOWN_WEIGHTS);
        }
        self.weight_shape = shape;
        for upload in &plan.uploads {
            let index = upload.tile.z * plan.layout.tiles[0] + upload.tile.x;
            let held = &mut self.tiles[index as usize];
            let played = |held: &mut u64, range: &Option<_>, now| {
                if range.is_some() {
                    *held = now
                }
            };
            played(&mut held.heights, &upload.heights, upload.revision.heights);
            played(&mut held.holes, &upload.holes, upload.revision.holes);
            played(&mut held.weights, &upload.weights, upload.revision.weights);
        }
    }

    /// Forgets what was confirmed: nothing is held.
    pub fn forget(&mut self) {
        self.weight_shape = WeightShape::default();
        self.tiles.fill(TileRevision::default());
    }

    /// What the image of weights is like.
    pub fn weight_shape(&self) -> WeightShape {
        self.weight_shape
    }

    /// True where a tile's weights are not those that a plan would upload.
    pub(super) fn lacks_weights(&self, held: u64, now: u64, shape: &WeightShape) -> bool {
        if self.weight_shape == *shape { now != held } else { now != 0 || held != 0 }
    }

    /// What was confirmed of each tile, in the order of [`FieldDesc::tile_index`]. Heights of 0 are nothing;
    /// holes of 0 are none, and of [`Self::UNKNOWN_HOLES`] not known; weights of 0 are all of layer 0, and of
    /// [`Self::UNKNOWN_WEIGHTS`] not known.
    pub fn tiles(&self) -> &[TileRevision] {
        &self.tiles
    }

    /// True where every tile has some heights: the terrain can be drawn.
    pub fn is_drawable(&self) -> bool {
        self.tiles.iter().all(|tile| tile.heights != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{Field, Quad};
    use crate::plan::{Terrain, TerrainSettings};

    /// One renderer holds a hole and the other nothing; the ground that is planned never had one.
    #[test]
    fn what_two_renderers_do_not_share_is_not_taken_for_closed() {
        let whole = Field::new(FieldDesc::of_tiles(16, 2, 2)).unwrap();
        let mut holed = whole.clone();
        holed.set_hole(Quad::new(20, 20), true);
        let fresh = Residency::nothing(whole.desc());
        let held = Residency { tiles: holed.tile_revisions().to_vec(), ..fresh.clone() };
        let common = held.common(&fresh);
        assert_eq!(common.tiles()[3].holes, Residency::UNKNOWN_HOLES);
        assert_eq!(common, fresh.common(&held));
        assert_eq!(common.common(&common), common);
        let mut terrain = Terrain::new(whole, TerrainSettings::default()).unwrap();
        let plan = terrain.plan(&[], &common).unwrap();
        let holes: Vec<_> = plan.uploads.iter().filter(|upload| upload.holes.is_some()).collect();
        assert_eq!(holes.iter().map(|upload| upload.tile.x + 2 * upload.tile.z).collect::<Vec<_>>(), [3]);
        assert!(plan.hole_bytes(holes[0]).iter().all(|byte| *byte == 0));
        // A first frame of ground without a hole uploads no hole bytes: the mask is cleared.
        let first = terrain.plan(&[], &fresh).unwrap();
        assert!(first.uploads.iter().all(|upload| upload.holes.is_none() && upload.heights.is_some()));
    }
}
