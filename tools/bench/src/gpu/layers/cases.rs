//! What is drawn: grounds, the layers on them, and which cost is held against which.

use landform::lod::GridSize;
use landform::splat::{Layer, LayerMode, Material, Splat};

/// Where the layers of a ground lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spread {
    /// All of them on every sample, in equal parts.
    All,
    /// Three on every sample, in bands: each layer fades in, holds and fades out.
    Three,
}

/// A ground that is drawn: a field of its own on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ground {
    /// Layers of its weights; 0 for none.
    pub(super) layers: u32,
    pub(super) spread: Spread,
    /// True where it is three times as high.
    pub(super) steep: bool,
}

/// What is recorded in the span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Draws {
    Surface,
    /// The surface with normals read no finer than the geometry.
    SurfaceAsGeometry,
    /// Indices and nodes, flat and in one colour.
    Baseline,
}

/// What all layers do besides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Features {
    pub(super) triplanar: bool,
    pub(super) detile: bool,
    pub(super) far_scale: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) ground: Ground,
    pub(super) draws: Draws,
    pub(super) by_height: bool,
    pub(super) features: Features,
}

/// One case's time over another's.
pub(super) struct Ratio {
    pub(super) name: String,
    pub(super) over: Case,
    pub(super) under: Case,
    pub(super) goal: Option<f64>,
}

impl Ground {
    pub(super) const BARE: Self = Self { layers: 0, spread: Spread::All, steep: false };

    pub(super) fn all(layers: u32) -> Self {
        Self { layers, spread: Spread::All, steep: false }
    }

    fn three(layers: u32) -> Self {
        Self { layers, spread: Spread::Three, steep: false }
    }

    /// Layers that are there on a sample.
    pub(super) fn present(self) -> u32 {
        match self.spread {
            Spread::All => self.layers,
            Spread::Three => 3,
        }
    }
}

impl Features {
    fn words(self) -> impl Iterator<Item = &'static str> {
        [(self.triplanar, "triplanar"), (self.detile, "detile"), (self.far_scale, "far scale")]
            .into_iter()
            .filter_map(|(on, word)| on.then_some(word))
    }
}

impl Case {
    const BARE: Self = Self {
        ground: Ground::BARE,
        draws: Draws::Surface,
        by_height: false,
        features: Features { triplanar: false, detile: false, far_scale: false },
    };

    pub(super) fn layered(ground: Ground, by_height: bool) -> Self {
        Self { ground, by_height, ..Self::BARE }
    }

    fn with(self, features: Features) -> Self {
        Self { features, ..self }
    }

    /// Slots of the shader; None where none is compiled in that is read.
    pub(super) fn slots(&self) -> Option<u32> {
        (self.ground.layers > 0).then(|| Splat::of(&self.material().layers).slots)
    }

    pub(super) fn name(&self) -> String {
        match self.draws {
            Draws::Baseline => return "baseline".into(),
            Draws::SurfaceAsGeometry => return "no layers, normals as the geometry".into(),
            Draws::Surface if self.ground.layers == 0 => return "no layers".into(),
            Draws::Surface => {}
        }
        let steep = if self.ground.steep { ", steep" } else { "" };
        let blend = if self.by_height { "by height" } else { "by weight" };
        let mut name = format!("{} of {} {blend}{steep}", self.ground.present(), self.ground.layers);
        for word in self.features.words() {
            name = format!("{name}, {word}");
        }
        name
    }

    /// The layers of the case, each with all three textures.
    pub(super) fn material(&self) -> Material {
        let layer = |index: u32| {
            // The name is the number by which the textures are found.
            let mut layer = Layer::new(index.to_string());
            for texture in [&mut layer.albedo, &mut layer.surface, &mut layer.normal] {
                *texture = Some("noise".into());
            }
            layer.mode = if self.by_height { LayerMode::Height } else { LayerMode::Weight };
            layer.triplanar = self.features.triplanar;
            layer.detile = self.features.detile;
            layer.far_scale = if self.features.far_scale { 6.0 } else { 1.0 };
            layer
        };
        let mut material = Material::default();
        material.layers = (0..self.ground.layers).map(layer).collect();
        material
    }
}

/// The patches that everything here is drawn with.
pub(super) fn grid() -> GridSize {
    GridSize::default()
}

/// The layers that features are measured with: 8, three of them on every sample.
const FEATURED: u32 = 8;

fn features() -> [Features; 4] {
    let off = Features::default();
    [
        Features { triplanar: true, ..off },
        Features { detile: true, ..off },
        Features { far_scale: true, ..off },
        Features { triplanar: true, detile: true, far_scale: true },
    ]
}

/// All cases for these slot counts.
pub(super) fn list(slots: &[u32]) -> Vec<Case> {
    let mut cases = vec![
        Case { draws: Draws::Baseline, ..Case::BARE },
        Case { draws: Draws::SurfaceAsGeometry, ..Case::BARE },
        Case::BARE,
    ];
    for by_height in [false, true] {
        let all = std::iter::once(&1).chain(slots).map(|&layers| Ground::all(layers));
        let three = slots.iter().map(|&layers| Ground::three(layers));
        cases.extend(all.chain(three).map(|ground| Case::layered(ground, by_height)));
    }
    let featured = Case::layered(Ground::three(FEATURED), true);
    let steep = Case::layered(Ground { steep: true, ..featured.ground }, true);
    cases.extend(features().map(|features| featured.with(features)));
    cases.push(steep);
    cases.extend(features().map(|features| steep.with(features)));
    cases
}

/// What the cases say of each other.
pub(super) fn ratios(slots: &[u32]) -> Vec<Ratio> {
    let (least, most) = (slots[0], slots[slots.len() - 1]);
    let mut ratios = Vec::new();
    let mut push = |name: String, over: Case, under: Case, goal: Option<f64>| {
        ratios.push(Ratio { name, over, under, goal });
    };
    for by_height in [false, true] {
        let of = |layers| Case::layered(Ground::three(layers), by_height);
        let blend = if by_height { "by height" } else { "by weight" };
        let name = format!("{most} slots over {least}, 3 present, {blend}");
        push(name, of(most), of(least), Some(1.3));
    }
    for ground in [Ground::three(least), Ground::three(most), Ground::all(least), Ground::all(most)] {
        let name = format!("by height over by weight, {} of {}", ground.present(), ground.layers);
        push(name, Case::layered(ground, true), Case::layered(ground, false), None);
    }
    for steep in [false, true] {
        let plain = Case::layered(Ground { steep, ..Ground::three(FEATURED) }, true);
        for features in features() {
            let words = features.words().collect::<Vec<_>>().join(", ");
            let place = if steep { "on steep ground" } else { "on the map" };
            push(format!("{words}: on over off, {place}"), plain.with(features), plain, None);
        }
    }
    let baseline = Case { draws: Draws::Baseline, ..Case::BARE };
    let as_geometry = Case { draws: Draws::SurfaceAsGeometry, ..Case::BARE };
    push("no layers over baseline".into(), Case::BARE, baseline, Some(1.5));
    push("no layers, normals as the geometry, over baseline".into(), as_geometry, baseline, None);
    push("finer normals over normals as the geometry".into(), Case::BARE, as_geometry, None);
    for ground in [Ground::all(1), Ground::three(least), Ground::three(most), Ground::all(most)] {
        let name = format!("{} of {} by height over no layers", ground.present(), ground.layers);
        push(name, Case::layered(ground, true), Case::BARE, None);
    }
    ratios
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compared_is_drawn_and_no_case_is_drawn_twice() {
        for slots in [&[4, 8][..], &Splat::SLOTS] {
            let cases = list(slots);
            for ratio in ratios(slots) {
                assert!(cases.contains(&ratio.over) && cases.contains(&ratio.under), "{}", ratio.name);
            }
            let mut names: Vec<String> = cases.iter().map(Case::name).collect();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), cases.len());
        }
    }

    #[test]
    fn layers_take_the_slots_that_are_meant() {
        let slots = |layers| Case::layered(Ground::all(layers), true).slots();
        assert_eq!([0, 1, 4, 12, 16].map(slots), [None, Some(4), Some(4), Some(12), Some(16)]);
    }
}
