//! Lit or preview, and split or not: what the frame provides is the switch, and it is decided before anything is recorded.
//!
//! A preview is a reflectance under a made-up sun. In a frame that is metered for daylight it is black ground under a
//! right sky, and nothing in the picture says why. So what is missing has a sentence.

/// What the frame publishes of its scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SceneConstants {
    /// Nothing.
    #[default]
    Missing,
    /// A sun and a sky, and no camera that they are seen from.
    WithoutCamera,
    /// A sun, a sky and the scene's camera.
    WithCamera,
}

/// What the frame provides for lit ground. The default provides nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LitInputs {
    /// The scene's constants.
    pub scene: SceneConstants,
    /// Whether the constants of the cascades are published under the scene pass's name.
    pub cascades: bool,
    /// Whether the atlas of the cascades is a declared resource.
    pub atlas: bool,
}

/// The names that lit ground looks its inputs up by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LitNames<'a> {
    /// The scene pass, under which the cascades' constants are published.
    pub scene_pass: &'a str,
    /// The atlas of the cascades.
    pub shadow_atlas: &'a str,
}

/// Why the ground is drawn as a preview: a sentence with each input that is missing and what would provide it. `None` where
/// the ground is lit.
#[doc(alias = "PreviewReason")]
pub fn preview_reason(inputs: &LitInputs, names: &LitNames<'_>) -> Option<String> {
    let LitNames { scene_pass, shadow_atlas } = names;
    let mut missing = Vec::new();
    match inputs.scene {
        SceneConstants::WithCamera => {}
        SceneConstants::WithoutCamera => missing.push(
            "the scene constants have no camera; give the scene's lighting the camera that it is seen from"
                .to_owned(),
        ),
        SceneConstants::Missing => missing
            .push("there are no scene constants; publish a sun, a sky and the scene's camera".to_owned()),
    }
    if !inputs.cascades {
        missing.push(format!(
            "no cascade constants are published under '{scene_pass}'; add a ShadowMap with that scene_pass, or name \
             another in the Terrain node"
        ));
    }
    if !inputs.atlas {
        missing.push(format!(
            "the shadow atlas '{shadow_atlas}' is no target of the frame; declare it, or name another as the Terrain \
             node's shadow_atlas"
        ));
    }
    (!missing.is_empty()).then(|| format!("the ground is a preview and not lit: {}", missing.join("; and ")))
}

/// The planes that split lighting is written into: three, or the frame is not split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplitPlanes<'a> {
    /// Albedo as it is, linear, 0…1.
    pub albedo: &'a str,
    /// The world normal as it is, signed, and the roughness; zero is the sky.
    pub normals: &'a str,
    /// Reflectance at normal incidence; 0.04 for ground.
    pub specular: &'a str,
}

impl<'a> SplitPlanes<'a> {
    /// The planes where all three are declared, `None` where one is not.
    pub fn declared(self, declared: impl Fn(&str) -> bool) -> Option<Self> {
        self.named().into_iter().all(|(_, name)| declared(name)).then_some(self)
    }

    /// Where one or two of them are declared, which ones are not: a sentence.
    pub fn half_declared(self, declared: impl Fn(&str) -> bool) -> Option<String> {
        let missing: Vec<_> = self.named().into_iter().filter(|(_, name)| !declared(name)).collect();
        if missing.is_empty() || missing.len() == 3 {
            return None;
        }
        let named: Vec<_> = missing.into_iter().map(|(field, name)| format!("{field} '{name}'")).collect();
        Some(format!(
            "the frame is not split, for {} is not declared; the planes are all three or none",
            named.join(" and ")
        ))
    }

    /// Field and name of each, in the order of their attachments.
    pub(super) fn named(self) -> [(&'static str, &'a str); 3] {
        [("albedo", self.albedo), ("normals", self.normals), ("specular", self.specular)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: LitNames<'_> = LitNames { scene_pass: "Forward", shadow_atlas: "Sun" };

    #[test]
    fn each_missing_input_has_its_own_sentence_and_all_are_said_together() {
        use SceneConstants::{Missing, WithCamera, WithoutCamera};
        let parts = |scene, cascades, atlas| {
            let said = preview_reason(&LitInputs { scene, cascades, atlas }, &NAMES).unwrap_or_default();
            let parts = ["no scene constants", "no camera;", "under 'Forward'", "atlas 'Sun'"];
            assert_eq!(
                said.matches("; and ").count() + 1,
                parts.iter().filter(|p| said.contains(*p)).count().max(1)
            );
            parts.map(|part| said.contains(part))
        };
        assert_eq!(
            preview_reason(&LitInputs { scene: WithCamera, cascades: true, atlas: true }, &NAMES),
            None
        );
        assert_eq!(parts(Missing, true, true), [true, false, false, false]);
        assert_eq!(parts(WithoutCamera, true, true), [false, true, false, false]);
        assert_eq!(parts(WithCamera, false, true), [false, false, true, false]);
        assert_eq!(parts(WithCamera, true, false), [false, false, false, true]);
        assert_eq!(parts(Missing, false, false), [true, false, true, true]);
        assert_eq!(parts(WithoutCamera, false, false), [false, true, true, true]);
    }

    #[test]
    fn planes_are_all_three_or_none() {
        let planes = SplitPlanes { albedo: "A", normals: "N", specular: "S" };
        for bits in 0..8u32 {
            let declared = |name: &str| {
                ["A", "N", "S"].iter().position(|n| *n == name).is_some_and(|at| bits >> at & 1 == 1)
            };
            assert_eq!(planes.declared(declared).is_some(), bits == 7);
            let half = planes.half_declared(declared);
            assert_eq!(half.is_some(), bits != 0 && bits != 7);
            if let Some(half) = half {
                for (name, part) in [("A", "albedo 'A'"), ("N", "normals 'N'"), ("S", "specular 'S'")] {
                    assert_eq!(half.contains(part), !declared(name), "{half}");
                }
            }
        }
    }
}
