//! The nodes that make a picture of what was drawn: what of the sky is seen, what moved, a picture that is resolved over time, and how
//! bright it is.

use super::names;
use super::{QualityNumbers, QualityScalars};
use serde::{Deserialize, Serialize};

/// Sorts the frame's lamps into the clusters of a view on the device. Without it they are sorted before the frame is recorded, which
/// some hundred lamps do not notice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LightClusters {
    /// The view whose clusters they are. `Camera`.
    pub view: String,
}

impl Default for LightClusters {
    fn default() -> Self {
        Self { view: names::CAMERA.to_owned() }
    }
}

/// Draws how much of the sky each pixel of the split planes sees, and from where: visibility in red, the direction that it comes from
/// in green, blue and alpha (Jimenez, Wu, Pesce and Jarabo, *Practical Real-Time Strategies for Accurate Indirect Occlusion*, 2016).
/// An [`AmbientCombine`](super::AmbientCombine) that names the plane lights with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AmbientOcclusion {
    /// The plane, of four channels and as large as the two that are sampled: `Rgba8Unorm`. Where the node is off, and beside its view,
    /// it is 0, which an `AmbientCombine` with `bent` takes for open. `SceneOcclusion`.
    pub output: String,
    /// The depth, sampled. `SceneDepth`.
    pub depth: String,
    /// The plane of normals; where it is zero is the sky. `SceneNormals`.
    pub normals: String,
    /// From where. `Camera`.
    pub view: String,
    /// Metres in which things take the sky from each other, 0.001 to 100: all of what is within two fifths of it counts, and less and
    /// less up to it. The 30 of nothing written is ground's: gullies, the feet of walls and rocks are as wide, samples a metre and more
    /// apart hold nothing much smaller, and from two kilometres it still is some pixels. Indoors 1 to 3 are usual. No more than half
    /// the view's height is searched: close to the camera as much less than the radius.
    pub radius: f32,
    /// Directions a pixel that are searched, 0…8, of which its neighbours search others: one is smooth on ground, more are for what is
    /// thin. 0 sees the whole sky. The tier's `occlusion_slices`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slices: Option<u32>,
}

impl Default for AmbientOcclusion {
    fn default() -> Self {
        Self {
            output: names::SCENE_OCCLUSION.to_owned(),
            depth: names::SCENE_DEPTH.to_owned(),
            normals: names::SCENE_NORMALS.to_owned(),
            view: names::CAMERA.to_owned(),
            radius: 30.0,
            slices: None,
        }
    }
}

impl AmbientOcclusion {
    /// What the node writes of the quality's numbers.
    pub fn scalars(&self) -> QualityScalars {
        QualityScalars { occlusion_slices: self.slices, ..QualityScalars::default() }
    }
}

/// Draws how far the sky moved since the last frame, where the depth is still 0: it stands directly after the pass that draws the
/// motion of the scene.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SkyVelocity {
    /// The motion plane. `SceneMotion`.
    pub output: String,
    /// The depth. `SceneDepth`.
    pub depth: String,
    /// From where. `Camera`.
    pub view: String,
}

impl Default for SkyVelocity {
    fn default() -> Self {
        Self {
            output: names::SCENE_MOTION.to_owned(),
            depth: names::SCENE_DEPTH.to_owned(),
            view: names::CAMERA.to_owned(),
        }
    }
}

/// Resolves luminance over time: every frame is drawn from a slightly different place in the pixel, and what the last frames had of
/// a place is found by its motion (Karis, *High Quality Temporal Supersampling*, 2014; Salvi, *An Excursion in Temporal
/// Supersampling*, 2016). It knows no other motion than that of its plane: what writes none smears.
///
/// The view of a frame that has such a node is jittered by the compositor, for every node that names it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Resolve {
    /// Luminance of this frame. `SceneHdr`.
    pub input: String,
    /// The motion plane. `SceneMotion`.
    pub motion: String,
    /// The depth. `SceneDepth`.
    pub depth: String,
    /// The resolved luminance, which the next frame reads again. `SceneResolved`.
    pub output: String,
    /// The view that is jittered. `Camera`.
    pub view: String,
    /// Frames that a picture is the mean of where nothing moves, 1…64; 1 neither jitters nor resolves. The tier's `temporal_frames`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub frames: Option<u32>,
}

impl Default for Resolve {
    fn default() -> Self {
        Self {
            input: names::SCENE_HDR.to_owned(),
            motion: names::SCENE_MOTION.to_owned(),
            depth: names::SCENE_DEPTH.to_owned(),
            output: names::SCENE_RESOLVED.to_owned(),
            view: names::CAMERA.to_owned(),
            frames: None,
        }
    }
}

impl Resolve {
    /// What the node writes of the quality's numbers.
    pub fn scalars(&self) -> QualityScalars {
        QualityScalars { temporal_frames: self.frames, ..QualityScalars::default() }
    }

    /// Frames that a picture is the mean of, where `numbers` are those that the node leaves open.
    pub fn frames(&self, numbers: &QualityNumbers) -> u32 {
        self.scalars().over(*numbers).temporal_frames
    }
}

/// Measures luminance and follows it as an eye does: a histogram of log2 luminance, of which the darkest 40 % and the brightest 5 % are
/// left out. A [`Tonemap`](super::Tonemap) after it that writes no `ev100` exposes for what it found, in the same frame.
///
/// Where the mean of the rest is L cd/m², the picture is exposed for m = log2(L / 0.3), at which L becomes a quarter of what a sensor
/// holds (Lagarde and de Rousiers, *Moving Frostbite to Physically Based Rendering*, 2014); below a sunny day's 14.4 for
/// 14.4 + `followed` · (m − 14.4). What is not finite, and what is darker than a millionth of a cd/m², does not count, and where nothing
/// does the last value stays. The first frame, and one whose view cuts, is exposed at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Exposure {
    /// Luminance. `SceneHdr`.
    pub input: String,
    /// The lowest exposure value at ISO 100 that it goes to, −16…24.
    pub darkest: f32,
    /// The highest, from `darkest` to 24.
    pub brightest: f32,
    /// Added to what was measured, −16…16: below 0 the picture is brighter.
    pub offset: f32,
    /// How much of a change of light below a sunny day is followed, 0…1: 1 makes night as bright as day.
    pub followed: f32,
    /// Exposure values a second toward brightness, above 0 to 1000.
    pub up: f32,
    /// Exposure values a second toward darkness, above 0 to 1000.
    pub down: f32,
}

impl Default for Exposure {
    fn default() -> Self {
        Self {
            input: names::SCENE_HDR.to_owned(),
            darkest: -4.0,
            brightest: 16.0,
            offset: 0.0,
            followed: 0.85,
            up: 3.0,
            down: 1.5,
        }
    }
}

impl Exposure {
    /// The first number that is outside its range: the rest of a sentence.
    pub(super) fn problem(&self) -> Option<String> {
        let rows = [
            ("darkest", self.darkest, -16.0..=24.0),
            ("brightest", self.brightest, self.darkest..=24.0),
            ("offset", self.offset, -16.0..=16.0),
            ("followed", self.followed, 0.0..=1.0),
            ("up", self.up, 1e-3..=1000.0),
            ("down", self.down, 1e-3..=1000.0),
        ];
        let outside = rows.into_iter().find(|(_, value, range)| !range.contains(value));
        outside.map(|(name, value, range)| {
            format!("its {name} is {value}; it can be {} to {}", range.start(), range.end())
        })
    }
}
