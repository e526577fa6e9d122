//! The layers of a terrain and the sets of parameters that they blend with.

use super::Layer;
use super::layer::{one, standard};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the ground of a terrain is made of: its layers in order, and how they blend. A file of it is RON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Material {
    /// Up to [`MAX_LAYERS`](super::MAX_LAYERS), in the order of the weights.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub layers: Vec<Layer>,
    /// Up to [`MAX_SETS`](super::MAX_SETS); none is one of the default. A region of the map chooses one; without regions it is the first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<BlendSet>,
    /// Large patches of lighter and darker ground.
    #[serde(skip_serializing_if = "standard")]
    pub variation: Variation,
    /// Metres between the two samples that the slope of a layer's `slope` band is measured over, on either side half of
    /// it: the same at every level of detail.
    #[serde(skip_serializing_if = "usual_slope_over")]
    pub slope_over: f32,
    /// Metres from the camera at which a layer's second scale begins to show.
    #[serde(skip_serializing_if = "usual_far_from")]
    pub far_from: f32,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            layers: Vec::new(),
            sets: Vec::new(),
            variation: Variation::default(),
            slope_over: 8.0,
            far_from: 60.0,
        }
    }
}

/// How layers blend by height: parameters and another choice among the same layers, never other textures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct BlendSet {
    /// What people call it.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// 0 is exactly the blend by weight, 1 in full by height.
    #[serde(skip_serializing_if = "one")]
    pub strength: f32,
    /// How quickly a lower layer gives way to a higher one: octaves over the whole range of heights.
    #[serde(skip_serializing_if = "usual_sharpness")]
    pub sharpness: f32,
    /// How far heights lie from their middle, times.
    #[serde(skip_serializing_if = "one")]
    pub contrast: f32,
    /// What is added to heights.
    #[serde(skip_serializing_if = "standard")]
    pub bias: f32,
    /// Layers that stand for others in this set, name to name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub remap: BTreeMap<String, String>,
}

impl Default for BlendSet {
    fn default() -> Self {
        Self {
            name: String::new(),
            strength: 1.0,
            sharpness: 12.0,
            contrast: 1.0,
            bias: 0.0,
            remap: BTreeMap::new(),
        }
    }
}

/// Large patches of lighter and darker ground, so that no two places far apart look alike.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Variation {
    /// Metres of the largest patches.
    #[serde(skip_serializing_if = "usual_metres")]
    pub metres: f32,
    /// How much lighter and darker, 0…1.
    #[serde(skip_serializing_if = "usual_strength")]
    pub strength: f32,
}

impl Default for Variation {
    fn default() -> Self {
        Self { metres: 160.0, strength: 0.3 }
    }
}

// What a file leaves out.

fn usual_slope_over(metres: &f32) -> bool {
    *metres == Material::default().slope_over
}

fn usual_far_from(metres: &f32) -> bool {
    *metres == Material::default().far_from
}

fn usual_sharpness(octaves: &f32) -> bool {
    *octaves == BlendSet::default().sharpness
}

fn usual_metres(metres: &f32) -> bool {
    *metres == Variation::default().metres
}

fn usual_strength(strength: &f32) -> bool {
    *strength == Variation::default().strength
}
