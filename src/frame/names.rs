//! The names that a document uses where it says nothing else: those of the standard frame.

pub(super) const SCENE_HDR: &str = "SceneHdr";
pub(super) const SCENE_DEPTH: &str = "SceneDepth";
pub(super) const SCENE_MOTION: &str = "SceneMotion";
pub(super) const SCENE_ALBEDO: &str = "SceneAlbedo";
pub(super) const SCENE_NORMALS: &str = "SceneNormals";
pub(super) const SCENE_SPECULAR: &str = "SceneSpecular";
pub(super) const SCENE_OCCLUSION: &str = "SceneOcclusion";
pub(super) const SCENE_RESOLVED: &str = "SceneResolved";
pub(super) const SHADOW_ATLAS: &str = "ShadowAtlas";
pub(super) const FORWARD_PLUS: &str = "ForwardPlus";
pub(super) const CAMERA: &str = "Camera";

/// The longest name, in bytes.
const LONGEST: usize = 64;

/// Refuses, with the end of a sentence, what is no name.
pub(super) fn check(name: &str) -> Result<(), String> {
    if name.trim().is_empty() {
        return Err("is empty; give it a name, or leave the field out for the standard one".to_owned());
    }
    if name.len() > LONGEST || name.trim() != name || name.chars().any(char::is_control) {
        return Err(format!(
            "is {name:?}; a name has up to {LONGEST} bytes, no control characters, and no space at its ends"
        ));
    }
    Ok(())
}
