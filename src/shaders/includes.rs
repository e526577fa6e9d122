//! The files that a host's shaders include, as text: an engine's build takes them from the landform that it links,
//! and not from a copy that falls behind.

/// `surface.hlsl`, `output.hlsl`, `lit_planes.hlsl`, `motion_plane.hlsl` and what they include, as name and text.
/// `docs/host_shader.md` says what is in them for the ground, `docs/host_meshes.md` for meshes; with them go
/// [`SHARED_CONSTANTS`](super::SHARED_CONSTANTS) as defines, for the ground `SPLAT_SLOTS` and `SPLAT_HEIGHT`, for what is lit
/// `SPLIT`. For a build script, which needs landform with `default-features = false` alone.
pub const INCLUDES: &[(&str, &str)] = &[
    ("atlas.hlsl", include_str!("../../shaders/include/atlas.hlsl")),
    ("blend.hlsl", include_str!("../../shaders/include/blend.hlsl")),
    ("lamp_record.hlsl", include_str!("../../shaders/include/lamp_record.hlsl")),
    ("layer_textures.hlsl", include_str!("../../shaders/include/layer_textures.hlsl")),
    ("light.hlsl", include_str!("../../shaders/include/light.hlsl")),
    ("lit_planes.hlsl", include_str!("../../shaders/include/lit_planes.hlsl")),
    ("luminance.hlsl", include_str!("../../shaders/include/luminance.hlsl")),
    ("material.hlsl", include_str!("../../shaders/include/material.hlsl")),
    ("microfacets.hlsl", include_str!("../../shaders/include/microfacets.hlsl")),
    ("motion_plane.hlsl", include_str!("../../shaders/include/motion_plane.hlsl")),
    ("output.hlsl", include_str!("../../shaders/include/output.hlsl")),
    ("surface.hlsl", include_str!("../../shaders/include/surface.hlsl")),
    ("view.hlsl", include_str!("../../shaders/include/view.hlsl")),
    ("weights.hlsl", include_str!("../../shaders/include/weights.hlsl")),
];

#[cfg(test)]
mod tests {
    use super::INCLUDES;

    #[test]
    fn what_is_included_is_there() {
        for (file, text) in INCLUDES {
            for line in text.lines().filter_map(|line| line.strip_prefix("#include \"")) {
                let name = line.trim_end_matches('"');
                assert!(INCLUDES.iter().any(|(known, _)| *known == name), "{file} includes {name}");
            }
        }
    }
}
