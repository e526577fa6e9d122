//! Layers that stand for others in a blend set, by number.

use super::{MAX_LAYERS, Material};

impl Material {
    /// For each blend set the layer that is drawn in place of each, itself where the set says nothing of it; one set of no
    /// such layers where the material has none. A name that no layer has says nothing.
    pub fn remap_tables(&self) -> Vec<[u8; MAX_LAYERS]> {
        let unmoved: [u8; MAX_LAYERS] = std::array::from_fn(|layer| layer as u8);
        let number =
            |name: &String| self.layers.iter().take(MAX_LAYERS).position(|layer| layer.name == *name);
        let table = |remap: &std::collections::BTreeMap<String, String>| {
            let mut table = unmoved;
            for (from, to) in remap.iter().filter_map(|(from, to)| number(from).zip(number(to))) {
                table[from] = to as u8;
            }
            table
        };
        if self.sets.is_empty() {
            return vec![unmoved];
        }
        self.sets.iter().map(|set| table(&set.remap)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splat::{BlendSet, Layer};

    #[test]
    fn names_become_numbers() {
        let layers = ["grass", "rock", "snow"].map(Layer::new).to_vec();
        let mut material = Material { layers, ..Material::default() };
        assert_eq!(material.remap_tables(), [std::array::from_fn(|layer| layer as u8)]);
        let pairs = [("grass", "snow"), ("rock", "moss"), ("snow", "rock")];
        let remap = pairs.map(|(from, to)| (from.to_owned(), to.to_owned())).into();
        material.sets = vec![BlendSet::default(), BlendSet { remap, ..BlendSet::default() }];
        let tables = material.remap_tables();
        assert_eq!(
            (tables.len(), tables[0][..3].to_vec(), tables[1][..3].to_vec()),
            (2, vec![0, 1, 2], vec![2, 1, 1])
        );
    }
}
