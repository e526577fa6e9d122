//! What the ground of a terrain is made of, and what of it the weights are made with.

use super::WeightShape;
use crate::abi::MaterialConstants;
use crate::atlas::WeightBlocks;
use crate::field::{Field, next_revision};
use crate::splat::{LayerMode, MAX_LAYERS, Material, PackView, Splat, pack};
use crate::{Error, Result};
use std::sync::Arc;

/// A terrain's material.
#[derive(Clone, Debug, Default)]
pub(super) struct Ground {
    material: Arc<Material>,
    /// What it makes of weights.
    making: Making,
    /// Numbers that, in all terrains. 0 where it is nothing.
    revision: u64,
}

/// What a material makes of weights.
#[derive(Clone, Debug, Default, PartialEq)]
struct Making {
    /// Layers that are laid over the others.
    over: u32,
    /// Which layer stands for each, a table a blend set; empty where each stands for itself.
    remap: Vec<[u8; MAX_LAYERS]>,
}

impl Making {
    fn of(material: &Material) -> Self {
        let is_over = |layer: usize| material.layers[layer].mode == LayerMode::Alpha;
        let over = (0..material.layers.len()).filter(|&layer| is_over(layer)).map(|layer| 1 << layer).sum();
        let mut remap = material.remap_tables();
        let stands_for_itself =
            |table: &[u8; MAX_LAYERS]| table.iter().enumerate().all(|(i, &to)| i == to as usize);
        if remap.iter().all(stands_for_itself) {
            remap.clear();
        }
        Self { over, remap }
    }

    /// True where ground without weights is all of layer 0, as in a cleared image.
    fn clears(&self) -> bool {
        self.over & 1 == 0 && self.remap.first().is_none_or(|table| table[0] == 0)
    }
}

impl Ground {
    pub(super) fn material(&self) -> &Material {
        &self.material
    }

    /// The material, to be kept in a plan.
    pub(super) fn shared(&self) -> &Arc<Material> {
        &self.material
    }

    /// Takes another material, or refuses it and keeps the one that was.
    pub(super) fn set(&mut self, material: Material, field: &Field) -> Result<()> {
        material.validate()?;
        check_field(&material, field)?;
        let making = Making::of(&material);
        if making != self.making {
            self.revision = if making == Making::default() { 0 } else { next_revision() };
            self.making = making;
        }
        self.material = Arc::new(material);
        Ok(())
    }

    /// Holds the material against the field as it is: a host may have given it other weights.
    pub(super) fn check_field(&self, field: &Field) -> Result<()> {
        check_field(&self.material, field)
    }

    /// The constants of the material for a view, with as many blend sets as there are regions to choose them.
    pub(super) fn constants(&self, field: &Field, view: &PackView) -> MaterialConstants {
        let mut constants = pack(&self.material, view);
        if field.regions().is_none() {
            constants.counts[1] = 1;
        }
        constants
    }

    /// What the layers ask of the shaders.
    pub(super) fn splat(&self) -> Splat {
        Splat::of(&self.material.layers)
    }

    /// What a field's weights are to be uploaded as: nothing at all where all of it has layer 0.
    pub(super) fn weight_shape(&self, field: &Field) -> WeightShape {
        let has_regions = field.regions().is_some() && self.material.sets.len() > 1;
        let has_all = self.making.clears() && field.weights().is_none() && !has_regions;
        if self.material.layers.is_empty() || has_all {
            return WeightShape::default();
        }
        let blocks = self.blocks(field);
        WeightShape { pages: blocks.all_pages(), has_regions: blocks.with_regions, remap: self.revision }
    }

    /// The blocks of a field's weights.
    pub(super) fn blocks<'a>(&'a self, field: &'a Field) -> WeightBlocks<'a> {
        let regions = field.regions().filter(|_| self.material.sets.len() > 1);
        WeightBlocks {
            desc: field.desc(),
            weights: field.weights(),
            regions,
            pages: self.splat().weight_pages(),
            with_regions: regions.is_some(),
            over: self.making.over,
            remap: &self.making.remap,
        }
    }

    /// The number of a tile's weights as they are uploaded: 0 where that is what a cleared image has.
    pub(super) fn weight_revision(&self, revision: u64, shape: &WeightShape) -> u64 {
        match revision {
            _ if shape.pages == 0 => 0,
            0 if !self.making.clears() => self.revision,
            revision => revision,
        }
    }
}

fn refuse(why: String) -> Result<()> {
    Err(Error::invalid("terrain material", why))
}

fn check_field(material: &Material, field: &Field) -> Result<()> {
    let (layers, sets) = (material.layers.len(), material.sets.len());
    if let Some(weights) = field.weights().filter(|weights| layers > 0 && weights.layers() as usize > layers)
    {
        return refuse(format!(
            "{layers} layers, and the field has weights of {}; add the others, or take them out of the weights \
             (Weights::with_layers)",
            weights.layers()
        ));
    }
    if let Some(regions) = field.regions().filter(|regions| sets > 1 && regions.layers() as usize > sets) {
        return refuse(format!(
            "{sets} blend sets, and the field has regions of {}; add the others, or take them out of the regions \
             (Weights::with_layers)",
            regions.layers()
        ));
    }
    Ok(())
}
