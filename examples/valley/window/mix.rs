//! How the layers blend, as the panel's sliders have it.

use landform::plan::Terrain;
use landform::splat::{BlendSet, Material};
use landform_cli::stop::Result;

/// The numbers of the first blend set, and how strong the variation is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Mix {
    pub(crate) strength: f32,
    pub(crate) sharpness: f32,
    pub(crate) contrast: f32,
    pub(crate) bias: f32,
    pub(crate) variation: f32,
}

impl Mix {
    /// What a material has, or None where it has no layers.
    pub(crate) fn of(material: &Material) -> Option<Self> {
        let standard = BlendSet::default();
        let set = material.sets.first().unwrap_or(&standard);
        (!material.layers.is_empty()).then_some(Self {
            strength: set.strength,
            sharpness: set.sharpness,
            contrast: set.contrast,
            bias: set.bias,
            variation: material.variation.strength,
        })
    }

    /// Gives these numbers to the terrain, where it has others. Nothing is uploaded or written for it but constants.
    pub(crate) fn apply(&self, terrain: &mut Terrain) -> Result<()> {
        if Self::of(terrain.material()).is_none_or(|now| now == *self) {
            return Ok(());
        }
        let mut material = terrain.material().clone();
        if material.sets.is_empty() {
            material.sets.push(BlendSet::default());
        }
        let set = &mut material.sets[0];
        (set.strength, set.sharpness) = (self.strength, self.sharpness);
        (set.contrast, set.bias) = (self.contrast, self.bias);
        material.variation.strength = self.variation;
        Ok(terrain.set_material(material)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use landform::field::{Field, FieldDesc};
    use landform::plan::TerrainSettings;
    use landform::splat::Layer;

    #[test]
    fn what_the_sliders_say_is_what_the_terrain_has() {
        let field = Field::new(FieldDesc::new(33, 33)).unwrap();
        let mut terrain = Terrain::new(field, TerrainSettings::default()).unwrap();
        assert_eq!(Mix::of(terrain.material()), None);
        let mut material = Material::default();
        material.layers.push(Layer::new("rock"));
        terrain.set_material(material.clone()).unwrap();
        let mut mix = Mix::of(terrain.material()).unwrap();
        mix.apply(&mut terrain).unwrap();
        assert_eq!(terrain.material(), &material, "nothing moved");
        (mix.strength, mix.bias, mix.variation) = (0.25, -0.125, 0.5);
        mix.apply(&mut terrain).unwrap();
        assert_eq!((Mix::of(terrain.material()), terrain.material().sets.len()), (Some(mix), 1));
        assert_eq!(terrain.material().layers, material.layers);
    }
}
