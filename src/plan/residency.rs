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
    /// A renderer that holds nothing yet: the next plan uploads every tile.
    pub fn nothing(desc: &FieldDesc) -> Self {
        Self { layout: AtlasLayout::new(desc), tiles: vec![TileRevision::default(); desc.tile_count()] }
    }

    /// What both of two renderers hold: a plan made with it serves them both.
    ///
    /// # Panics
    /// Where they were made for fields of different shape.
    pub fn common(&self, other: &Self) -> Self {
        assert_eq!(self.layout, other.layout, "renderers of fields of different shape");
        let both = |a: u64, b: u64| if a == b { a } else { 0 };
        let tiles = self.tiles.iter().zip(&other.tiles);
        let tiles = tiles
            .map(|(a, b)| TileRevision { heights: both(a.heights, b.heights), holes: both(a.holes, b.holes) })
            .collect();
        Self { layout: self.layout, tiles }
    }

    /// What was confirmed of each tile, in the order of [`FieldDesc::tile_index`]; 0 is nothing.
    pub fn tiles(&self) -> &[TileRevision] {
        &self.tiles
    }

    /// True where every tile has some heights: the terrain can be drawn.
    pub fn is_drawable(&self) -> bool {
        self.tiles.iter().all(|tile| tile.heights != 0)
    }
}
