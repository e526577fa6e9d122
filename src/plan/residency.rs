//! What a renderer holds.

use crate::atlas::AtlasLayout;
use crate::field::{FieldDesc, TileRevision};

/// The contents that a renderer confirmed, a tile: what the next plan takes its difference to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Residency {
    pub(crate) layout: AtlasLayout,
    pub(crate) tiles: Vec<TileRevision>,
}

impl Residency {
    /// A hole revision that no tile has: what is held of a tile's holes is not known, so that the next plan uploads them
    /// whatever the field says. 0 will not do, for it says that all of the tile's quads are known to be closed.
    pub const UNKNOWN_HOLES: u64 = u64::MAX;

    /// A renderer that holds nothing yet: the next plan uploads every tile. No quad is open in it, for a renderer clears
    /// its hole mask before the first upload.
    pub fn nothing(desc: &FieldDesc) -> Self {
        Self { layout: AtlasLayout::new(desc), tiles: vec![TileRevision::default(); desc.tile_count()] }
    }

    /// What both of two renderers hold: a plan made with it serves them both.
    ///
    /// # Panics
    /// Where they were made for fields of different shape.
    pub fn common(&self, other: &Self) -> Self {
        assert_eq!(self.layout, other.layout, "renderers of fields of different shape");
        let both = |a: u64, b: u64, unknown: u64| if a == b { a } else { unknown };
        let tiles = self.tiles.iter().zip(&other.tiles);
        let tiles = tiles
            .map(|(a, b)| TileRevision {
                heights: both(a.heights, b.heights, 0),
                holes: both(a.holes, b.holes, Self::UNKNOWN_HOLES),
            })
            .collect();
        Self { layout: self.layout, tiles }
    }

    /// What was confirmed of each tile, in the order of [`FieldDesc::tile_index`]. Heights of 0 are nothing;
    /// holes of 0 are none, and of [`Self::UNKNOWN_HOLES`] not known.
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
