//! The nodes of a frame, a structure each. What a file leaves out has the standard frame's name; a number that is left out
//! is the tier's.

use super::names;
use super::{FrameDocument, OUTPUT};
use super::{LitInputs, LitNames, QualityNumbers, QualityScalars, SceneConstants, ShadowLayout, SplitPlanes};
use serde::{Deserialize, Serialize};

/// Renders the sun's cascades of a view: clears the atlas, draws the host's casters into a tile each, and publishes the
/// cascades' constants under the scene pass's name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ShadowMap {
    /// The atlas, a depth target of size [`Shadow`](super::TargetSize::Shadow) or the host's. `ShadowAtlas`.
    pub atlas: String,
    /// The view that the cascades cover. `Camera`.
    pub view: String,
    /// What the constants are published under. `ForwardPlus`.
    pub scene_pass: String,
    /// Cascades, 1…4; the tier's `shadow_cascades`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cascades: Option<u32>,
    /// Texels a side of a tile, 16…8192; the tier's `shadow_tile`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tile: Option<u32>,
    /// Metres from the camera that the cascades reach, 1…1e6; the tier's `shadow_distance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
}

impl Default for ShadowMap {
    fn default() -> Self {
        Self {
            atlas: names::SHADOW_ATLAS.to_owned(),
            view: names::CAMERA.to_owned(),
            scene_pass: names::FORWARD_PLUS.to_owned(),
            cascades: None,
            tile: None,
            distance: None,
        }
    }
}

impl ShadowMap {
    /// What the node writes of the quality's numbers.
    pub fn scalars(&self) -> QualityScalars {
        QualityScalars {
            shadow_cascades: self.cascades,
            shadow_tile: self.tile,
            shadow_distance: self.distance,
            ..QualityScalars::default()
        }
    }

    /// The tiles of the atlas, where `numbers` are those that the node leaves open.
    pub fn layout(&self, numbers: &QualityNumbers) -> ShadowLayout {
        let numbers = self.scalars().over(*numbers);
        ShadowLayout::new(numbers.shadow_cascades, numbers.shadow_tile)
    }
}

/// What of the host's scene a [`Pass`] draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Stage {
    /// Opaque things, lit.
    Main,
    /// How far each pixel moved since the last frame.
    Motion,
}

/// A render pass in which the host draws a stage of its scene.
///
/// `Main` clears its output to 0 and its depth to 0, which is far, and, where all three are declared, its split planes; it samples the
/// atlas of the sun's cascades where one is declared. `Motion` clears its plane to no motion and tests against a depth that it does not change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pass {
    /// What is drawn.
    pub stage: Stage,
    /// The colour, or the motion plane. `SceneHdr` for `Main`, `SceneMotion` for `Motion`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<String>,
    /// The depth. `SceneDepth`.
    #[serde(default = "scene_depth")]
    pub depth: String,
    /// From where. `Camera`.
    #[serde(default = "camera")]
    pub view: String,
    /// The plane of albedo, of `Main` only. `SceneAlbedo`.
    #[serde(default = "scene_albedo", skip_serializing_if = "is_scene_albedo")]
    pub albedo: String,
    /// The plane of normals and roughness, of `Main` only. `SceneNormals`.
    #[serde(default = "scene_normals", skip_serializing_if = "is_scene_normals")]
    pub normals: String,
    /// The plane of specular reflectance, of `Main` only. `SceneSpecular`.
    #[serde(default = "scene_specular", skip_serializing_if = "is_scene_specular")]
    pub specular: String,
    /// What the cascades' constants are published under, of `Main` only. `ForwardPlus`.
    #[serde(default = "forward_plus", skip_serializing_if = "is_forward_plus")]
    pub scene_pass: String,
    /// The atlas of the cascades, of `Main` only: sampled where it is declared. `ShadowAtlas`.
    #[serde(default = "shadow_atlas", skip_serializing_if = "is_shadow_atlas")]
    pub shadow_atlas: String,
}

impl Pass {
    /// A pass of the stage, under the standard frame's names.
    pub fn new(stage: Stage) -> Self {
        Self {
            stage,
            output: None,
            depth: scene_depth(),
            view: camera(),
            albedo: scene_albedo(),
            normals: scene_normals(),
            specular: scene_specular(),
            scene_pass: forward_plus(),
            shadow_atlas: shadow_atlas(),
        }
    }

    /// The colour, or the motion plane: as it is written, or the stage's.
    pub fn output(&self) -> &str {
        self.output.as_deref().unwrap_or(match self.stage {
            Stage::Main => names::SCENE_HDR,
            Stage::Motion => names::SCENE_MOTION,
        })
    }

    /// The names of the split planes, declared or not; those of `Motion` mean nothing.
    pub fn planes(&self) -> SplitPlanes<'_> {
        SplitPlanes { albedo: &self.albedo, normals: &self.normals, specular: &self.specular }
    }
}

/// Draws every terrain of the scene into what is there: colour and depth are loaded, depth is tested with Greater.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TerrainNode {
    /// The colour. `SceneHdr`.
    pub output: String,
    /// The depth. `SceneDepth`.
    pub depth: String,
    /// From where. `Camera`.
    pub view: String,
    /// What the cascades' constants are published under. `ForwardPlus`.
    pub scene_pass: String,
    /// The atlas of the cascades; sampled where it is declared, and a preview is drawn where it is not. `ShadowAtlas`.
    pub shadow_atlas: String,
    /// The plane of albedo; all three planes are written where all three are declared. `SceneAlbedo`.
    pub albedo: String,
    /// The plane of raw signed normals and roughness. `SceneNormals`.
    pub normals: String,
    /// The plane of specular reflectance. `SceneSpecular`.
    pub specular: String,
    /// Pixels a level-0 quad, 0.1…64; the tier's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pixel_error: Option<f64>,
    /// Metres that level 0 reaches, up to 1e9, 0 to derive it; the tier's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near: Option<f64>,
    /// Patches of a terrain in a cascade, 1…256; the tier's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caster_patches: Option<u32>,
    /// Megabytes (2²⁰ bytes) of tiles that may be resident, 1…65536; the tier's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub terrain_streaming_megabytes: Option<u32>,
}

impl Default for TerrainNode {
    fn default() -> Self {
        Self {
            output: names::SCENE_HDR.to_owned(),
            depth: names::SCENE_DEPTH.to_owned(),
            view: names::CAMERA.to_owned(),
            scene_pass: names::FORWARD_PLUS.to_owned(),
            shadow_atlas: names::SHADOW_ATLAS.to_owned(),
            albedo: names::SCENE_ALBEDO.to_owned(),
            normals: names::SCENE_NORMALS.to_owned(),
            specular: names::SCENE_SPECULAR.to_owned(),
            pixel_error: None,
            near: None,
            caster_patches: None,
            terrain_streaming_megabytes: None,
        }
    }
}

impl TerrainNode {
    /// What the node writes of the quality's numbers.
    pub fn scalars(&self) -> QualityScalars {
        QualityScalars {
            pixel_error: self.pixel_error,
            near: self.near,
            caster_patches: self.caster_patches,
            terrain_streaming_megabytes: self.terrain_streaming_megabytes,
            ..QualityScalars::default()
        }
    }

    /// The names that lit ground looks its inputs up by.
    pub fn lit_names(&self) -> LitNames<'_> {
        LitNames { scene_pass: &self.scene_pass, shadow_atlas: &self.shadow_atlas }
    }

    /// What the frame provides for lit ground: the scene's constants as the host says, cascades that a [`ShadowMap`] or the
    /// host publishes (`published`: whether it does under a name), and the atlas where it is declared.
    pub fn lit_inputs(
        &self,
        document: &FrameDocument,
        scene: SceneConstants,
        published: impl Fn(&str) -> bool,
    ) -> LitInputs {
        let by_a_node = document.nodes.iter().any(
            |node| matches!(node, super::FrameNode::ShadowMap(map) if map.scene_pass == self.scene_pass),
        );
        LitInputs {
            scene,
            cascades: by_a_node || published(&self.scene_pass),
            atlas: document.target(&self.shadow_atlas).is_some(),
        }
    }

    /// The split planes that the node writes: all three where the document declares all three, else none.
    pub fn split(&self, document: &FrameDocument) -> Option<SplitPlanes<'_>> {
        self.planes().declared(|name| document.has_target(name))
    }

    /// The names of the split planes, declared or not.
    pub fn planes(&self) -> SplitPlanes<'_> {
        SplitPlanes { albedo: &self.albedo, normals: &self.normals, specular: &self.specular }
    }
}

/// Draws the terrains that cast shadows into the cascades of a [`ShadowMap`]: the atlas is loaded and never cleared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TerrainCaster {
    /// The atlas, of the [`ShadowMap`] whose cascades are drawn. `ShadowAtlas`.
    pub atlas: String,
    /// Patches of a terrain in a cascade, 1…256; the tier's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caster_patches: Option<u32>,
}

impl Default for TerrainCaster {
    fn default() -> Self {
        Self { atlas: names::SHADOW_ATLAS.to_owned(), caster_patches: None }
    }
}

/// Draws how far each pixel of every terrain moved since the last frame: the plane is loaded, depth is tested with
/// GreaterEqual and not written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TerrainVelocity {
    /// The motion plane. `SceneMotion`.
    pub output: String,
    /// The depth. `SceneDepth`.
    pub depth: String,
    /// From where. `Camera`.
    pub view: String,
}

impl Default for TerrainVelocity {
    fn default() -> Self {
        Self {
            output: names::SCENE_MOTION.to_owned(),
            depth: names::SCENE_DEPTH.to_owned(),
            view: names::CAMERA.to_owned(),
        }
    }
}

/// Adds the diffuse ambient light that split lighting withheld: from albedo, normal, and occlusion where there is any.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AmbientCombine {
    /// The colour that it is added to. `SceneHdr`.
    pub output: String,
    /// The plane of albedo. `SceneAlbedo`.
    pub albedo: String,
    /// The plane of normals; where it is zero is the sky. `SceneNormals`.
    pub normals: String,
    /// The plane of specular reflectance. `SceneSpecular`.
    pub specular: String,
    /// A plane of occlusion, 0 dark to 1 open, in red; 1 everywhere where none is named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub occlusion: Option<String>,
    /// Whether that plane's other channels are where the light comes from, as an [`AmbientOcclusion`](super::AmbientOcclusion)
    /// writes them. Then the sky is asked there, and what is around passes light on in the ground's own colour (Jimenez, Wu, Pesce and
    /// Jarabo 2016): snow is darkened less than rock.
    pub bent: bool,
}

impl Default for AmbientCombine {
    fn default() -> Self {
        Self {
            output: names::SCENE_HDR.to_owned(),
            albedo: names::SCENE_ALBEDO.to_owned(),
            normals: names::SCENE_NORMALS.to_owned(),
            specular: names::SCENE_SPECULAR.to_owned(),
            occlusion: None,
            bent: false,
        }
    }
}

/// Draws the sky where the depth is still 0, and the air before everything else: it stands after all that has depth, and samples
/// it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sky {
    /// The colour. `SceneHdr`.
    pub output: String,
    /// The depth, sampled. `SceneDepth`.
    pub depth: String,
    /// From where. `Camera`.
    pub view: String,
    /// Whether the air dims what is far, and brightens it with its own light.
    pub haze: bool,
}

impl Default for Sky {
    fn default() -> Self {
        Self {
            output: names::SCENE_HDR.to_owned(),
            depth: names::SCENE_DEPTH.to_owned(),
            view: names::CAMERA.to_owned(),
            haze: true,
        }
    }
}

/// Turns luminance in cd/m² into what a screen shows, and writes every pixel of its output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tonemap {
    /// Luminance. `SceneHdr`.
    pub input: String,
    /// What is shown. [`OUTPUT`].
    pub output: String,
    /// Exposure value at ISO 100, −16…24: a luminance of 1.2 · 2^ev100 cd/m² is exposed to 1 (Lagarde and de Rousiers,
    /// *Moving Frostbite to Physically Based Rendering*, 2014). 15 is a sunny day. What the frame is metered for where it is left
    /// out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ev100: Option<f32>,
    /// How much edges are raised again that a [`Resolve`](super::Resolve) softened, 0…1; 0 not at all. Only where input and output have
    /// one size.
    pub sharpness: f32,
}

impl Default for Tonemap {
    fn default() -> Self {
        Self { input: names::SCENE_HDR.to_owned(), output: OUTPUT.to_owned(), ev100: None, sharpness: 0.0 }
    }
}

/// A node of the host's own, which it records when its turn comes. What it does to the frame's targets it says here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostNode {
    /// What the host knows it by.
    pub name: String,
    /// From where, if that matters to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
    /// Targets that it writes without regard for what was there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clears: Vec<String>,
    /// Targets that it adds to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub writes: Vec<String>,
    /// Targets that it samples.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<String>,
}

// What a file leaves out.

fn scene_depth() -> String {
    names::SCENE_DEPTH.to_owned()
}

fn camera() -> String {
    names::CAMERA.to_owned()
}

fn scene_albedo() -> String {
    names::SCENE_ALBEDO.to_owned()
}

fn scene_normals() -> String {
    names::SCENE_NORMALS.to_owned()
}

fn scene_specular() -> String {
    names::SCENE_SPECULAR.to_owned()
}

fn forward_plus() -> String {
    names::FORWARD_PLUS.to_owned()
}

fn shadow_atlas() -> String {
    names::SHADOW_ATLAS.to_owned()
}

fn is_forward_plus(name: &str) -> bool {
    name == names::FORWARD_PLUS
}

fn is_shadow_atlas(name: &str) -> bool {
    name == names::SHADOW_ATLAS
}

fn is_scene_albedo(name: &str) -> bool {
    name == names::SCENE_ALBEDO
}

fn is_scene_normals(name: &str) -> bool {
    name == names::SCENE_NORMALS
}

fn is_scene_specular(name: &str) -> bool {
    name == names::SCENE_SPECULAR
}
