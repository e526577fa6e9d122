//! The ground truth: samples, layer weights, holes, revisions and bounds. Knows no view and no device.
//!
//! A field owns one row-major grid of 16-bit samples. Tiles are windows on that grid, so there is nothing to keep in
//! step between them. Every change goes through a method here, which gives a new revision to each tile that holds a
//! changed sample and brings the bounds up to date right up to the root before it returns.

mod bounds;
mod desc;
mod holes;
mod ids;
mod layers;
mod share;
mod weights;

pub use bounds::{Bounds, MinMax};
pub use desc::{FieldDesc, HeightRange};
pub use holes::HoleMask;
pub use ids::{Level, Quad, Sample, SampleRect, TileId};
pub(crate) use share::{first_shared, share};
pub use weights::Weights;

use crate::{Error, Result};
use std::sync::atomic::{AtomicU64, Ordering};

/// What a tile holds, by number: two equal numbers are the same content, in whatever field they are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TileRevision {
    /// Changes when a sample of the tile's window does. Never 0.
    pub heights: u64,
    /// Changes when a quad of the tile is opened or closed. 0 while the tile never had a hole.
    pub holes: u64,
    /// Changes when the weights or the regions of a sample of the tile's window do. 0 while the field never had any: then
    /// all of layer 0 lies on every sample.
    pub weights: u64,
}

/// Numbers for contents. One counter for all fields, so that a clone that is edited apart, or another field of the
/// same shape, never passes for what somebody already uploaded.
pub(crate) fn next_revision() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// A heightfield of W×H samples, which span (W−1)×(H−1) quads.
#[derive(Clone, Debug)]
#[doc(alias = "Terrain")]
#[doc(alias = "heightmap")]
pub struct Field {
    desc: FieldDesc,
    samples: Vec<u16>,
    holes: HoleMask,
    weights: Option<Weights>,
    regions: Option<Weights>,
    bounds: Bounds,
    revisions: Vec<TileRevision>,
    revision: u64,
}

impl Field {
    /// A flat field with every sample at code 0, the lower end of its range.
    ///
    /// # Errors
    /// Whatever [`FieldDesc::validate`] refuses.
    pub fn new(desc: FieldDesc) -> Result<Self> {
        desc.validate()?;
        Self::from_samples(desc, vec![0; desc.width as usize * desc.height as usize])
    }

    /// A field of these samples: row-major, row 0 in the north, column 0 in the west, `width × height` of them.
    ///
    /// # Errors
    /// Whatever [`FieldDesc::validate`] refuses, and a sample count that is not `width × height`.
    pub fn from_samples(desc: FieldDesc, samples: Vec<u16>) -> Result<Self> {
        desc.validate()?;
        let wanted = desc.width as usize * desc.height as usize;
        if samples.len() != wanted {
            return Err(Error::invalid(
                "terrain samples",
                format!("{} samples, but {}×{} needs {wanted}", samples.len(), desc.width, desc.height),
            ));
        }
        let bounds = Bounds::new(&samples, desc.width, desc.height);
        let revision = next_revision();
        Ok(Self {
            holes: HoleMask::new(desc.quads_x(), desc.quads_z()),
            weights: None,
            regions: None,
            bounds,
            samples,
            revisions: vec![TileRevision { heights: revision, holes: 0, weights: 0 }; desc.tile_count()],
            revision,
            desc,
        })
    }

    /// The description the field was made with.
    pub fn desc(&self) -> &FieldDesc {
        &self.desc
    }

    /// All samples, row-major, row 0 in the north. Codes: 0 is the range's minimum, 65535 its maximum.
    pub fn samples(&self) -> &[u16] {
        &self.samples
    }

    /// The code of a sample.
    ///
    /// # Panics
    /// Outside the map.
    pub fn sample(&self, sample: Sample) -> u16 {
        assert!(sample.x < self.desc.width && sample.z < self.desc.height, "{sample:?} lies outside the map");
        self.samples[self.index(sample)]
    }

    /// Metres of a sample.
    ///
    /// # Panics
    /// Outside the map.
    pub fn sample_metres(&self, sample: Sample) -> f64 {
        self.desc.range.metres(f64::from(self.sample(sample)))
    }

    /// The least and the greatest code of the map.
    pub fn extremes(&self) -> MinMax {
        self.bounds.root()
    }

    /// Bounds of every part of the map, for culling and for rays.
    pub fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// The hole mask.
    pub fn holes(&self) -> &HoleMask {
        &self.holes
    }

    /// True where the quad is open.
    pub fn is_hole(&self, quad: Quad) -> bool {
        self.holes.is_hole(quad)
    }

    /// A number that every change of the field changes.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The revision of one tile.
    ///
    /// # Panics
    /// For a tile that the field does not have.
    pub fn tile_revision(&self, tile: TileId) -> TileRevision {
        self.revisions[self.desc.tile_index(tile)]
    }

    /// The revisions of all tiles, in the order of [`FieldDesc::tile_index`].
    pub fn tile_revisions(&self) -> &[TileRevision] {
        &self.revisions
    }

    /// Writes one sample.
    ///
    /// # Panics
    /// Outside the map.
    pub fn set_sample(&mut self, sample: Sample, code: u16) {
        self.write(SampleRect::new(sample.x, sample.z, 1, 1), &[code]);
    }

    /// Writes a rectangle of samples: `codes` is row-major, `rect.width() × rect.height()` of them.
    ///
    /// # Panics
    /// Where the rectangle reaches past the map, or the count of codes is not its size.
    pub fn write(&mut self, rect: SampleRect, codes: &[u16]) {
        assert_eq!(codes.len(), rect.width() as usize * rect.height() as usize, "codes for {rect:?}");
        let mut rows = codes.chunks_exact(rect.width().max(1) as usize);
        self.edit(rect, |_, row| {
            if let Some(codes) = rows.next() {
                row.copy_from_slice(codes);
            }
        });
    }

    /// Changes a rectangle of samples row by row: `change` gets each row's number in the map and its samples.
    /// Revisions and bounds are up to date when this returns.
    ///
    /// # Panics
    /// Where the rectangle reaches past the map.
    pub fn edit(&mut self, rect: SampleRect, mut change: impl FnMut(u32, &mut [u16])) {
        assert_eq!(rect, rect.clipped(self.desc.width, self.desc.height), "the edit reaches past the map");
        if rect.is_empty() {
            return;
        }
        for z in rect.z0..rect.z1 {
            let start = self.index(Sample::new(rect.x0, z));
            change(z, &mut self.samples[start..start + rect.width() as usize]);
        }
        self.bounds.update(&self.samples, rect);
        self.revision = next_revision();
        let now = self.revision;
        self.for_each_tile(rect, |revision| revision.heights = now);
    }

    /// Opens or closes a quad.
    ///
    /// # Panics
    /// Outside the map.
    pub fn set_hole(&mut self, quad: Quad, open: bool) {
        if self.holes.set(quad, open) {
            self.revision = next_revision();
            let tile = TileId::new(quad.x / self.desc.tile_quads(), quad.z / self.desc.tile_quads());
            let index = self.desc.tile_index(tile);
            self.revisions[index].holes = self.revision;
        }
    }

    /// Opens every quad that touches a sample: what a void in a file does.
    ///
    /// # Panics
    /// Outside the map.
    pub fn open_sample(&mut self, sample: Sample) {
        assert!(sample.x < self.desc.width && sample.z < self.desc.height, "{sample:?} lies outside the map");
        for z in sample.z.saturating_sub(1)..=sample.z.min(self.desc.quads_z() - 1) {
            for x in sample.x.saturating_sub(1)..=sample.x.min(self.desc.quads_x() - 1) {
                self.set_hole(Quad::new(x, z), true);
            }
        }
    }

    fn index(&self, sample: Sample) -> usize {
        sample.z as usize * self.desc.width as usize + sample.x as usize
    }

    fn for_each_tile(&mut self, rect: SampleRect, mut touch: impl FnMut(&mut TileRevision)) {
        let (columns, rows) = self.desc.tiles_of(rect);
        for z in rows {
            for x in columns.clone() {
                let index = self.desc.tile_index(TileId::new(x, z));
                touch(&mut self.revisions[index]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field() -> Field {
        Field::new(FieldDesc::of_tiles(16, 4, 4)).unwrap()
    }

    #[test]
    fn an_edit_raises_the_tiles_that_hold_it_and_no_other() {
        let mut field = field();
        let before = field.tile_revisions().to_vec();
        field.set_sample(Sample::new(15, 7), 9);
        let raised: Vec<_> = (0..16).filter(|&i| field.tile_revisions()[i] != before[i]).collect();
        assert_eq!(raised, [0, 1], "sample 15 is the border of tiles 0 and 1");
        assert!(field.tile_revisions().iter().all(|r| r.holes == 0));
    }

    #[test]
    fn a_hole_raises_one_tile_only() {
        let mut field = field();
        field.set_hole(Quad::new(15, 14), true);
        assert!(field.is_hole(Quad::new(15, 14)) && !field.is_hole(Quad::new(14, 14)));
        let raised: Vec<_> = (0..16).filter(|&i| field.tile_revisions()[i].holes > 0).collect();
        assert_eq!(raised, [1]);
        let before = field.revision();
        field.set_hole(Quad::new(15, 14), true);
        assert_eq!(field.revision(), before, "opening an open quad changes nothing");
    }

    #[test]
    fn a_void_opens_every_quad_that_touches_it() {
        let mut field = field();
        field.open_sample(Sample::new(0, 0));
        field.open_sample(Sample::new(5, 5));
        field.open_sample(Sample::new(60, 60));
        assert_eq!(field.holes().count(), 1 + 4 + 1);
    }

    #[test]
    fn the_extremes_follow_an_edit_and_its_undo() {
        let mut field = field();
        let before = field.bounds().clone();
        field.set_sample(Sample::new(30, 30), 1000);
        assert_eq!(field.extremes(), MinMax { min: 0, max: 1000 });
        field.set_sample(Sample::new(30, 30), 0);
        assert_eq!(field.bounds(), &before);
    }

    #[test]
    #[should_panic(expected = "outside the map")]
    fn reading_past_the_map_is_refused() {
        field().sample(Sample::new(61, 0));
    }
}
