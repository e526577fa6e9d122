//! The layer weights of a field, and the regions that choose how layers blend.

use super::{Field, SampleRect, Weights, next_revision};
use crate::shaders::{MAX_LAYERS, MAX_SETS};
use crate::{Error, Result};

impl Field {
    /// How much of each layer lies on each sample. None where all ground has layer 0.
    pub fn weights(&self) -> Option<&Weights> {
        self.weights.as_ref()
    }

    /// Gives the field weights of as many samples as it has itself, up to [`MAX_LAYERS`] layers, or takes them away. Every
    /// tile gets a new revision.
    ///
    /// # Errors
    /// [`Error::Invalid`] for weights of another size and of more layers; those that were there stay.
    pub fn set_weights(&mut self, weights: Option<Weights>) -> Result<()> {
        self.fit(weights.as_ref(), "layer weights", "layers", MAX_LAYERS)?;
        if self.weights.is_some() || weights.is_some() {
            self.weights = weights;
            self.raise_weights(self.desc.rect());
        }
        Ok(())
    }

    /// Changes the weights of a rectangle of samples, as [`Weights::edit`] does: `change` gets each row's number in the map
    /// and its bytes, and each sample is made whole again. Revisions are up to date when this returns.
    ///
    /// # Panics
    /// Where the rectangle reaches past the map, and in a field without weights.
    pub fn edit_weights(&mut self, rect: SampleRect, change: impl FnMut(u32, &mut [u8])) {
        let Some(weights) = &mut self.weights else { panic!("the field has no weights to edit") };
        weights.edit(rect, change);
        self.raise_weights(rect);
    }

    /// How much of each blend set lies on each sample, 255 together. None where all ground has set 0.
    pub fn regions(&self) -> Option<&Weights> {
        self.regions.as_ref()
    }

    /// Gives the field regions: weights whose layers are the blend sets of its material, up to [`MAX_SETS`], none of them
    /// laid over the others. Or takes them away. Every tile gets a new revision.
    ///
    /// # Errors
    /// [`Error::Invalid`] for regions of another size, of more sets, and with one that is laid over; those that were there
    /// stay.
    pub fn set_regions(&mut self, regions: Option<Weights>) -> Result<()> {
        self.fit(regions.as_ref(), "terrain regions", "blend sets", MAX_SETS)?;
        if let Some(over) = regions.as_ref().map(Weights::over).filter(|&over| over != 0) {
            let why = format!(
                "set {} is laid over the others; regions are shares of blend sets, so state no layer that is",
                over.trailing_zeros()
            );
            return Err(Error::invalid("terrain regions", why));
        }
        if self.regions.is_some() || regions.is_some() {
            self.regions = regions;
            self.raise_weights(self.desc.rect());
        }
        Ok(())
    }

    /// Changes the regions of a rectangle of samples, as [`Field::edit_weights`] does the weights.
    ///
    /// # Panics
    /// Where the rectangle reaches past the map, and in a field without regions.
    pub fn edit_regions(&mut self, rect: SampleRect, change: impl FnMut(u32, &mut [u8])) {
        let Some(regions) = &mut self.regions else { panic!("the field has no regions to edit") };
        regions.edit(rect, change);
        self.raise_weights(rect);
    }

    /// Refuses weights that are not of this field.
    fn fit(&self, weights: Option<&Weights>, what: &'static str, of: &str, most: usize) -> Result<()> {
        let Some(weights) = weights else { return Ok(()) };
        let (width, height) = (weights.width(), weights.height());
        if (width, height) != (self.desc.width, self.desc.height) {
            let why = format!(
                "{width}×{height} samples, and the field has {}×{}; resample them to its size",
                self.desc.width, self.desc.height
            );
            return Err(Error::invalid(what, why));
        }
        if weights.layers() as usize > most {
            let why = format!(
                "{} {of}, and a field has up to {most}; leave some out (Weights::with_layers)",
                weights.layers()
            );
            return Err(Error::invalid(what, why));
        }
        Ok(())
    }

    fn raise_weights(&mut self, rect: SampleRect) {
        if rect.is_empty() {
            return;
        }
        self.revision = next_revision();
        let now = self.revision;
        self.for_each_tile(rect, |revision| revision.weights = now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{FieldDesc, Sample};

    fn field() -> Field {
        Field::new(FieldDesc::of_tiles(16, 4, 4)).unwrap()
    }

    fn weights(layers: u32) -> Weights {
        Weights::new(61, 61, layers, 0).unwrap()
    }

    fn raised(field: &Field, before: &Field) -> Vec<usize> {
        let tiles = field.tile_revisions().iter().zip(before.tile_revisions());
        tiles.enumerate().filter(|(_, (now, before))| now.weights != before.weights).map(|(i, _)| i).collect()
    }

    #[test]
    fn an_edit_of_weights_raises_the_tiles_that_hold_it() {
        let mut field = field();
        field.set_weights(None).unwrap();
        assert!(field.tile_revisions().iter().all(|tile| tile.weights == 0), "it never had any");
        field.set_weights(Some(weights(3))).unwrap();
        assert!(field.tile_revisions().iter().all(|tile| tile.weights != 0));
        let before = field.clone();
        field.edit_weights(SampleRect::new(15, 7, 1, 1), |z, row| {
            assert_eq!(z, 7);
            row.copy_from_slice(&[0, 7, 0]);
        });
        assert_eq!(field.weights().unwrap().at(Sample::new(15, 7)), [0, 255, 0]);
        assert_eq!(raised(&field, &before), [0, 1]);
        assert_eq!(field.tile_revisions()[0].heights, before.tile_revisions()[0].heights);
        assert_ne!(field.revision(), before.revision());
    }

    #[test]
    fn weights_that_are_taken_away_are_something_new() {
        let mut field = field();
        field.set_weights(Some(weights(3))).unwrap();
        let before = field.clone();
        field.set_weights(None).unwrap();
        assert_eq!(raised(&field, &before).len(), 16);
        assert!(field.tile_revisions().iter().all(|tile| tile.weights != 0));
    }

    #[test]
    fn regions_count_as_weights() {
        let mut field = field();
        field.set_regions(Some(weights(2))).unwrap();
        let before = field.clone();
        field.edit_regions(SampleRect::new(30, 30, 1, 1), |_, row| row.fill(9));
        assert_eq!(raised(&field, &before), [5, 6, 9, 10]);
        assert_eq!(field.regions().unwrap().at(Sample::new(30, 30)), [128, 127]);
        assert!(field.weights().is_none());
    }

    #[test]
    fn what_does_not_fit_is_refused_and_changes_nothing() {
        let mut field = field();
        field.set_weights(Some(weights(16))).unwrap();
        let before = field.revision();
        let says = |refused: Result<()>, part: &str| {
            let text = refused.unwrap_err().to_string();
            assert!(text.contains(part), "{text}");
        };
        says(field.set_weights(Some(weights(17))), "17 layers, and a field has up to 16");
        says(field.set_weights(Some(Weights::new(60, 61, 1, 0).unwrap())), "60×61");
        says(field.set_regions(Some(weights(5))), "5 blend sets");
        says(field.set_regions(Some(Weights::new(61, 61, 2, 1).unwrap())), "set 0 is laid over");
        assert_eq!((field.revision(), field.weights().unwrap().layers()), (before, 16));
    }

    #[test]
    #[should_panic(expected = "past the map")]
    fn an_edit_past_the_map_is_refused() {
        let mut field = field();
        field.set_weights(Some(weights(2))).unwrap();
        field.edit_weights(SampleRect::new(60, 60, 2, 1), |_, _| {});
    }
}
