//! What grows where in the made valley: its seven layers and their rules.

use super::GroundKind;
use crate::splat::{Band, Layer, LayerMode, Material, Rule, Tiling};

/// The material of the made valley: a layer of each [`GroundKind`], named after it, with the textures of
/// [`ground_texture`](super::ground_texture) as the files `grass.albedo.png`, `grass.surface.png`, `grass.normal.png` and so on.
///
/// Rules are for heights of about 20 m to 1000 m, as [`valley`](super::valley) makes them, and for its flow and deposit.
/// Grass is what is left; meadow lies over it on gentle slopes higher up, soil in gullies, scree on loose steep ground,
/// rock on what is steeper, snow on what is high and not too steep, and the riverbed over all.
pub fn valley_material() -> Material {
    Material { layers: GroundKind::ALL.map(layer).into(), ..Material::default() }
}

fn layer(kind: GroundKind) -> Layer {
    let name = kind.name();
    let texture = |what: &str| Some(format!("{name}.{what}.png"));
    let rock = kind == GroundKind::Rock;
    Layer {
        albedo: texture("albedo"),
        surface: texture("surface"),
        normal: texture("normal"),
        tiling: Tiling::new(kind.metres().into()).unwrap_or_default(),
        mode: LayerMode::Height,
        // Snow lies over stones rather than between them.
        contrast: if kind == GroundKind::Snow { 0.6 } else { 1.0 },
        // A cliff is seen from the side, and its beds would break at the hexagons of a tiling that is turned.
        triplanar: rock,
        detile: !rock,
        far_scale: if rock { 4.0 } else { 6.0 },
        rule: rule(kind),
        ..Layer::new(name)
    }
}

fn rule(kind: GroundKind) -> Option<Rule> {
    let from = |from, soft| Some(Band { from, soft, ..Band::default() });
    let to = |to, soft| Some(Band { to, soft, ..Band::default() });
    let rule = match kind {
        GroundKind::Grass => return None,
        GroundKind::Meadow => Rule {
            altitude: from(300.0, 220.0),
            slope: to(42.0, 6.0),
            ragged: 1.3,
            patch: 70.0,
            ..Rule::default()
        },
        GroundKind::Soil => Rule {
            flow: from(230.0, 190.0),
            slope: from(28.0, 7.0),
            amount: 0.85,
            ragged: 0.8,
            patch: 30.0,
            ..Rule::default()
        },
        GroundKind::Scree => Rule {
            deposit: from(0.35, 0.3),
            slope: Some(Band { from: 24.0, to: 41.0, soft: 5.0 }),
            altitude: from(170.0, 60.0),
            ragged: 0.6,
            patch: 16.0,
            ..Rule::default()
        },
        GroundKind::Rock => Rule { slope: from(46.0, 6.0), ragged: 0.7, patch: 20.0, ..Rule::default() },
        GroundKind::Snow => Rule {
            altitude: from(640.0, 110.0),
            slope: to(43.0, 8.0),
            ragged: 0.9,
            patch: 40.0,
            ..Rule::default()
        },
        GroundKind::Riverbed => Rule {
            flow: from(6.0e5, 4.0e5),
            slope: to(16.0, 8.0),
            ragged: 0.5,
            patch: 12.0,
            ..Rule::default()
        },
    };
    Some(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_are_the_kinds_of_ground_and_read_back() {
        let material = valley_material();
        let names: Vec<_> = material.layers.iter().map(|layer| layer.name.as_str()).collect();
        assert_eq!(names, GroundKind::ALL.map(GroundKind::name));
        for (layer, kind) in material.layers.iter().zip(GroundKind::ALL) {
            assert_eq!(layer.albedo.as_deref(), Some(format!("{}.albedo.png", kind.name()).as_str()));
            assert_eq!(layer.tiling.metres(), f64::from(kind.metres()));
            assert_eq!(layer.rule.is_none(), kind == GroundKind::Grass, "the first layer takes what is left");
        }
    }
}
