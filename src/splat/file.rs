//! A material as a file: RON, with what is left out at its default.

use super::Material;
use crate::ron_text::RonText;
use crate::{Error, Result};
use ron::extensions::Extensions;
use std::path::Path;

const TEXT: RonText =
    RonText { what: "a material is a text of layers in RON", extensions: Extensions::IMPLICIT_SOME, hint };

impl Material {
    /// The material that a text in RON states, checked by [`Material::validate`].
    ///
    /// What may be there or not is written as it is: `albedo: "rock.png"`, without `Some`. Whatever is left out has its
    /// default, and a name that is no field of its place is refused, so that a slip of the pen is not read past.
    ///
    /// ```
    /// use landform::splat::{LayerMode, Material};
    ///
    /// let text = r#"(layers: [
    ///     (name: "grass", albedo: "grass.png", tiling: 3),
    ///     (name: "rock", albedo: "rock.png", height: "rock.png#a", mode: Height, slope: (from: 35, soft: 8)),
    /// ])"#;
    /// let material = Material::from_ron(text)?;
    /// assert_eq!(material.layers[1].mode, LayerMode::Height);
    /// # Ok::<(), landform::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Invalid`] with the line and the column of what cannot be read, and for what is refused by
    /// [`Material::validate`].
    pub fn from_ron(text: &str) -> Result<Self> {
        let material: Self = TEXT.parse(text).map_err(|why| Error::invalid("material", why))?;
        material.validate()?;
        Ok(material)
    }

    /// The material of a file, as [`Material::from_ron`] reads it.
    ///
    /// # Errors
    /// [`Error::File`] for a file that cannot be read or is larger than 1 MiB, and for what `from_ron` refuses.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let read = || -> Result<Self, String> {
            let text = TEXT.read(path)?;
            let material: Self = TEXT.parse(&text)?;
            material.validate().map_err(|error| match error {
                Error::Invalid { why, .. } => why,
                error => error.to_string(),
            })?;
            Ok(material)
        };
        read().map_err(|why| Error::file(path, why))
    }

    /// The material as [`Material::from_ron`] reads it, without what has its default. The numbers come back bit for bit.
    pub fn to_ron(&self) -> String {
        TEXT.write(self)
    }
}

/// What would work instead, where the parser's own words do not say it.
fn hint(error: &ron::Error) -> &'static str {
    use ron::Error as E;
    match error {
        // These name what would have been accepted, or come from landform's own types.
        E::NoSuchStructField { .. } | E::NoSuchEnumVariant { .. } | E::Message(_) => "",
        E::DuplicateStructField { .. } => "; leave one of the two out",
        E::ExpectedComma => "; what follows one another is parted by commas",
        E::ExpectedString => "; texts stand in quotation marks, for instance \"rock.png\"",
        E::ExpectedBoolean => "; it is true or false",
        E::ExpectedFloat | E::ExpectedInteger => "; a number stands there, without a unit, for instance 4.0",
        E::ExpectedMap | E::ExpectedMapColon | E::ExpectedMapEnd => {
            "; a remap is written {\"rock\": \"wet rock\"}"
        }
        _ => "; a material is written (layers: [(name: \"rock\", albedo: \"rock.png\", tiling: 4.0)])",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::splat::{Band, BlendSet, Layer, LayerMode, Rule, Tiling};
    use proptest::prelude::*;

    #[test]
    fn a_small_material_is_a_small_text() {
        let mut rock = Layer::new("rock");
        rock.albedo = Some("rock.png".to_string());
        rock.slope = Some(Band { from: 30.0, ..Band::default() });
        let material = Material { layers: vec![rock], ..Material::default() };
        let text = material.to_ron();
        assert_eq!(
            text.split_whitespace().collect::<Vec<_>>().join(" "),
            r#"( layers: [ ( name: "rock", albedo: "rock.png", slope: ( from: 30.0, ), ), ], )"#
        );
        assert_eq!(Material::from_ron(&text).unwrap(), material);
        assert_eq!(Material::from_ron("()").unwrap(), Material::default());
        assert_eq!(Material::from_ron("\u{feff}// nothing yet\n()").unwrap(), Material::default());
    }

    #[test]
    fn options_may_be_written_with_some() {
        let text = "(layers: [(name: \"a\", albedo: Some(\"a.png\"), normal: None, mode: Height, tint: (1, 0.5, 0))])";
        let material = Material::from_ron(text).unwrap();
        assert_eq!(material.layers[0].albedo.as_deref(), Some("a.png"));
        assert_eq!((material.layers[0].mode, material.layers[0].tint), (LayerMode::Height, [1.0, 0.5, 0.0]));
    }

    #[test]
    fn what_cannot_be_read_is_a_sentence_with_its_place() {
        let says = |text: &str, parts: &[&str]| {
            let error = Material::from_ron(text).unwrap_err().to_string();
            parts.iter().for_each(|part| assert!(error.contains(part), "{error}"));
        };
        says("(layers: [\n  (name: \"rock\", colour: 3)])", &["line 2", "`colour`", "`albedo`"]);
        says("(layers: [(name: \"rock\", tiling: 0)])", &["line 1", "for instance 4"]);
        says("(layers: [(name: \"rock\", mode: Heigt)])", &["`Heigt`", "`Height`"]);
        says("(layers: [(name: rock)])", &["quotation marks"]);
        says("(layers: [(name: \"rock\" tiling: 4)])", &["parted by commas"]);
        says("layers: []", &["a material is written"]);
        says("", &["a material is written"]);
        says("(layers: [(name: \"rock\", contrast: 99)])", &["0 to 16"]);
    }

    #[test]
    fn a_file_is_named_in_what_is_said_of_it() {
        let folder = std::env::temp_dir().join(format!("landform-material-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("ground.ron");
        let says = |bytes: &[u8], part: &str| {
            std::fs::write(&path, bytes).unwrap();
            let error = Material::read(&path).unwrap_err();
            assert!(matches!(&error, Error::File { path: named, .. } if *named == path));
            assert!(error.to_string().contains(part), "{error}");
        };
        says(b"(layers: [)", "line 1, column");
        says(b"\xff\xfe", "UTF-8");
        says(&vec![b' '; (1 << 20) + 1], "1 MiB");
        says(b"(slope_over: 0)", "slope_over: 0; it can be");
        std::fs::write(&path, Material::default().to_ron()).unwrap();
        assert_eq!(Material::read(&path).unwrap(), Material::default());
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(Material::read(&path).unwrap_err().to_string().contains("cannot be read"));
    }

    fn any_band() -> impl Strategy<Value = Option<Band>> {
        prop::option::of(
            (prop::option::of(0.0f32..45.0), prop::option::of(45.0f32..90.0), 0.0f32..10.0).prop_map(
                |(from, to, soft)| {
                    let open = Band::default();
                    Band { from: from.unwrap_or(open.from), to: to.unwrap_or(open.to), soft }
                },
            ),
        )
    }

    fn any_layer() -> impl Strategy<Value = Layer> {
        let words = ("[a-z\"\\\\ü]{1,9}", prop::option::of("[a-zA-Z0-9/#.]{1,12}"), any::<[bool; 3]>());
        let numbers = (0.01f64..9e3, 0.0f32..16.0, prop::array::uniform3(0.0f32..2.0), 1.0f32..9.0);
        let rule = prop::option::of((any_band(), any_band(), 0.0f32..1.0));
        let mode = prop::sample::select(LayerMode::ALL.to_vec());
        (words, numbers, mode, any_band(), rule).prop_map(|(words, numbers, mode, slope, rule)| Layer {
            name: words.0,
            normal: words.1.clone(),
            height: words.1,
            normal_down: words.2[0],
            triplanar: words.2[1],
            detile: words.2[2],
            tiling: Tiling::new(numbers.0).unwrap(),
            contrast: numbers.1,
            tint: numbers.2,
            far_scale: numbers.3,
            mode,
            slope,
            rule: rule.map(|(slope, flow, amount)| Rule { slope, flow, amount, ..Rule::default() }),
            ..Layer::default()
        })
    }

    proptest! {
        #[test]
        fn a_material_comes_back(
            layers in prop::collection::vec(any_layer(), 0..4), strength in 0.0f32..1.0, far_from in 0.0f32..1e5,
        ) {
            let mut layers = layers;
            layers.iter_mut().enumerate().for_each(|(index, layer)| layer.name.push_str(&index.to_string()));
            // One has to lie under the others.
            layers.iter_mut().take(1).for_each(|layer| layer.mode = LayerMode::Weight);
            let remap = layers.first().map(|layer| (layer.name.clone(), layer.name.clone())).into_iter().collect();
            let set = BlendSet { name: "dry".into(), strength, remap, ..BlendSet::default() };
            let material = Material { layers, sets: vec![set], far_from, ..Material::default() };
            prop_assert_eq!(Material::from_ron(&material.to_ron()).unwrap(), material);
        }

        #[test]
        fn no_text_breaks_the_reader(text in "[()\\[\\]{}:,\"a-z0-9.\\- \n]{0,60}") {
            let _ = Material::from_ron(&text);
        }
    }
}
