//! The layers of a terrain and the sets of parameters that they blend with.

use super::Layer;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the ground of a terrain is made of: its layers in order, and how they blend. A file of it is RON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Material {
    /// Up to [`MAX_LAYERS`](super::MAX_LAYERS), in the order of the weights.
    pub layers: Vec<Layer>,
    /// Up to [`MAX_SETS`](super::MAX_SETS); none is one of the default. A region of the map chooses one; without regions it is the first.
    pub sets: Vec<BlendSet>,
    /// Large patches of lighter and darker ground.
    pub variation: Variation,
    /// Metres between the two samples that the slope of a layer's `slope` band is measured over, on either side half of
    /// it: the same at every level of detail.
    pub slope_over: f32,
    /// Metres from the camera at which a layer's second scale begins to show.
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
    pub name: String,
    /// 0 is exactly the blend by weight, 1 in full by height.
    pub strength: f32,
    /// How quickly a lower layer gives way to a higher one: octaves over the whole range of heights.
    pub sharpness: f32,
    /// How far heights lie from their middle, times.
    pub contrast: f32,
    /// What is added to heights.
    pub bias: f32,
    /// Layers that stand for others in this set, name to name.
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
    pub metres: f32,
    /// How much lighter and darker, 0…1.
    pub strength: f32,
}

impl Default for Variation {
    fn default() -> Self {
        Self { metres: 160.0, strength: 0.18 }
    }
}
