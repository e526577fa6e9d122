//! What a layer says of itself.

use crate::{Error, Result};
use serde::{Deserialize, Serialize};

/// A layer: its textures by name, their size on the ground, and how it blends with the others. Every field but the name
/// may be left out of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Layer {
    /// What people call it; unlike any other layer's of the list.
    pub name: String,
    /// The texture of its colour. Without one it is white.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub albedo: Option<String>,
    /// One texture for occlusion (red), roughness (green), nothing yet (blue) and blend height (alpha). Without one, and
    /// without the three that follow, it is unoccluded, rough, and flat at a blend height of 0.5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<String>,
    /// A texture of occlusion alone, where there is no `surface`. `file.png#a` is the alpha channel of a file; the red one
    /// is read where nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occlusion: Option<String>,
    /// A texture of roughness alone, where there is no `surface`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roughness: Option<String>,
    /// A texture of blend heights alone, where there is no `surface`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub height: Option<String>,
    /// The texture of its normals, tangent space: red to the east of the picture, green up in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub normal: Option<String>,
    /// True where the normals' green points down, as DirectX has it.
    #[serde(skip_serializing_if = "standard")]
    pub normal_down: bool,
    /// A texture of metalness, which is read past: the ground is a dielectric. It is named so that a set that comes with
    /// one is understood, and reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metalness: Option<String>,
    /// Metres that a repeat of its textures covers.
    #[serde(skip_serializing_if = "standard")]
    pub tiling: Tiling,
    /// How it blends.
    #[serde(skip_serializing_if = "standard")]
    pub mode: LayerMode,
    /// How far its blend heights lie from their middle, times; 1 leaves them as they are.
    #[serde(skip_serializing_if = "one")]
    pub contrast: f32,
    /// What its albedo is multiplied with, linear RGB.
    #[serde(skip_serializing_if = "white")]
    pub tint: [f32; 3],
    /// How strong its normals are; 0 is flat, 1 as the texture says.
    #[serde(skip_serializing_if = "one")]
    pub normal_strength: f32,
    /// Projected from three sides where the ground is steep, so that it does not smear down a face.
    #[serde(skip_serializing_if = "standard")]
    pub triplanar: bool,
    /// Tiled by random hexagons, so that no repeat is seen.
    #[serde(skip_serializing_if = "standard")]
    pub detile: bool,
    /// Far away its textures are repeated at this many times the metres; 1 for no second scale.
    #[serde(skip_serializing_if = "one")]
    pub far_scale: f32,
    /// Slopes in degrees that it lies on, asked where it is drawn; elsewhere it gives way to the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slope: Option<Band>,
    /// Where it grows when weights are made rather than painted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<Rule>,
}

impl Default for Layer {
    fn default() -> Self {
        Self {
            name: String::new(),
            albedo: None,
            surface: None,
            occlusion: None,
            roughness: None,
            height: None,
            normal: None,
            normal_down: false,
            metalness: None,
            tiling: Tiling::default(),
            mode: LayerMode::default(),
            contrast: 1.0,
            tint: [1.0; 3],
            normal_strength: 1.0,
            triplanar: false,
            detile: false,
            far_scale: 1.0,
            slope: None,
            rule: None,
        }
    }
}

impl Layer {
    /// A layer of this name, white and flat until it is given more.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// True where the layer names something for this texture; what it does not name is its default.
    pub fn names_texture(&self, slot: TextureSlot) -> bool {
        match slot {
            TextureSlot::Albedo => self.albedo.is_some(),
            TextureSlot::Surface => [&self.surface, &self.occlusion, &self.roughness, &self.height]
                .into_iter()
                .any(Option::is_some),
            TextureSlot::Normal => self.normal.is_some(),
        }
    }
}

/// Metres that one repeat of a texture covers: above 0 and at most 100 km, always, so that it can be divided by.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Tiling(f64);

impl Tiling {
    /// The longest repeat, metres.
    pub const MAX: f64 = 1e5;
    /// The shortest repeat, metres.
    pub const MIN: f64 = 1e-3;

    /// A repeat of this many metres.
    ///
    /// # Errors
    /// Metres outside [`Tiling::MIN`] to [`Tiling::MAX`], 0 among them, and what is not a number.
    pub fn new(metres: f64) -> Result<Self> {
        if (Self::MIN..=Self::MAX).contains(&metres) {
            return Ok(Self(metres));
        }
        Err(Error::invalid(
            "layer tiling",
            format!(
                "a texture that repeats every {metres} m; it can every 0.001 to 100000 m, for instance 4"
            ),
        ))
    }

    /// Metres of a repeat.
    pub fn metres(self) -> f64 {
        self.0
    }
}

impl Default for Tiling {
    fn default() -> Self {
        Self(4.0)
    }
}

impl TryFrom<f64> for Tiling {
    type Error = Error;

    fn try_from(metres: f64) -> Result<Self> {
        Self::new(metres)
    }
}

impl From<Tiling> for f64 {
    fn from(tiling: Tiling) -> Self {
        tiling.0
    }
}

/// How a layer blends with the others. The numbers are the shader's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u32)]
pub enum LayerMode {
    /// By its weight. In a blend by height it takes part with a flat blend height of 0.5.
    #[default]
    Weight = 0,
    /// By its weight and its blend heights: what stands higher shows first.
    Height = 1,
    /// Over the others, by its weight alone, which is none of the 255 that they share; later ones over earlier ones.
    Alpha = 2,
}

impl LayerMode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Weight, Self::Height, Self::Alpha];
}

/// One of the three textures of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextureSlot {
    /// Colour, sRGB.
    Albedo,
    /// Occlusion, roughness, nothing yet, blend height; linear.
    Surface,
    /// Tangent-space normals; linear.
    Normal,
}

impl TextureSlot {
    /// Every slot, in the order of the shader's bindings.
    pub const ALL: [Self; 3] = [Self::Albedo, Self::Surface, Self::Normal];
}

/// From where to where something holds, and over how much more it fades: 1 from `from` to `to`, and smoothly down to 0
/// within `soft` outside. Either end may be left out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Band {
    /// The lower end; −∞ where it is left out.
    #[serde(skip_serializing_if = "unbounded")]
    pub from: f32,
    /// The upper end; ∞ where it is left out.
    #[serde(skip_serializing_if = "unbounded")]
    pub to: f32,
    /// How far outside it fades to nothing; 0 is a hard edge.
    #[serde(skip_serializing_if = "standard")]
    pub soft: f32,
}

impl Default for Band {
    fn default() -> Self {
        Self { from: f32::NEG_INFINITY, to: f32::INFINITY, soft: 0.0 }
    }
}

/// Where a layer grows, for weights that are made rather than painted: the product of its bands, times `amount`. Layers lie
/// in the order of their list, later ones over earlier ones, and what no rule covers is the first layer's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Rule {
    /// Degrees from level.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slope: Option<Band>,
    /// Metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub altitude: Option<Band>,
    /// How the ground bends, 1/km: above 0 a hollow, below 0 a crest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curvature: Option<Band>,
    /// Ground that drains through a place, m².
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<Band>,
    /// Loose ground over rock, metres; only of ground that is made and not measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deposit: Option<Band>,
    /// The most of it, 0…1.
    #[serde(skip_serializing_if = "one")]
    pub amount: f32,
    /// How ragged its edges are: noise moves them by this many times what each fades over.
    #[serde(skip_serializing_if = "standard")]
    pub ragged: f32,
    /// Metres of the noise that makes edges ragged.
    #[serde(skip_serializing_if = "usual_patch")]
    pub patch: f32,
}

impl Default for Rule {
    fn default() -> Self {
        Self {
            slope: None,
            altitude: None,
            curvature: None,
            flow: None,
            deposit: None,
            amount: 1.0,
            ragged: 0.0,
            patch: 24.0,
        }
    }
}

// What a file leaves out.

/// True for the default of a type.
pub(super) fn standard<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

pub(super) fn one(value: &f32) -> bool {
    *value == 1.0
}

fn white(tint: &[f32; 3]) -> bool {
    *tint == [1.0; 3]
}

fn unbounded(end: &f32) -> bool {
    end.is_infinite()
}

fn usual_patch(metres: &f32) -> bool {
    *metres == Rule::default().patch
}
