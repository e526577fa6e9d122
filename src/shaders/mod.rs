//! Compiled shaders: their names, their SPIR-V and what reflection says of their interface.
//!
//! The names, and the constants that shaders and Rust share, are always here. The SPIR-V and the reflection come with
//! the `vulkan` feature: from what `build.rs` compiled when `compile-shaders` is on, else from the committed files in
//! `shaders/spirv/` and `reflect/`, which a test holds equal to what would be compiled. `tools/regenerate` renews them.
//!
//! # The reflection of a shader
//!
//! `reflect/NAME.json`, and [`ShaderId::reflection_json`], is an object with sorted keys:
//!
//! - `name`, `source`, `stage` (`vertex`, `fragment`, `compute`), `entry_point`, and `defines`, name to value;
//! - `vertex_inputs`: of a vertex stage only, and always empty, for the build fails otherwise;
//! - `inputs`: of a fragment stage, what it takes from the stage before it, as `location`, `name` and `type`;
//! - `outputs`: of the same form; the position has `builtin` and `invariant` in place of `location`;
//! - `sets`: each with its number in `set` and `bindings`, each of which has `binding`, `name`, `type` (the descriptor
//!   type), `count`, and for a uniform buffer `block`, the name of its struct; for a storage buffer `element`, the
//!   type of its elements, and `stride`, their distance in bytes; for an image `dimension`, `arrayed`, `multisampled`;
//! - `specialization_constants`: each with `constant_id` and `name`;
//! - `push_constants`: each with `name`, `block`, `offset` and `size`;
//! - `structs`: name to `size` (the end of the last member), `stride` (the distance of two of them in an array; for one
//!   that is nowhere in an array its size, a multiple of 16) and `members`, each with `name`, `type` (HLSL's), `offset`
//!   and `size` in bytes (0 for an array without a length), and when they apply `array_count`, `array_stride`,
//!   `matrix_stride` and `matrix_order` (`column_major`: columns follow one another, as in glam and HLSL's default);
//! - `workgroup_size`: of a compute stage, three numbers.

mod includes;
#[macro_use]
mod table;

pub use includes::INCLUDES;
pub use table::{
    BINDING_ALBEDO, BINDING_CLUSTER_COUNTS, BINDING_CLUSTER_LAMPS, BINDING_CLUSTER_REACHES,
    BINDING_CLUSTER_VIEW, BINDING_CLUSTER_WORDS, BINDING_CLUSTERS, BINDING_EXPOSURE_FOUND,
    BINDING_EXPOSURE_VALUE, BINDING_EXPOSURE_WORDS, BINDING_HEIGHTS, BINDING_HOLES, BINDING_INPUT,
    BINDING_INPUT_HISTORY, BINDING_INPUT_NORMALS, BINDING_INPUT_OCCLUSION, BINDING_INPUT_SAMPLER,
    BINDING_LAMPS, BINDING_LAYER_SAMPLER, BINDING_LIGHT, BINDING_MATERIAL, BINDING_NODES, BINDING_NORMAL,
    BINDING_SHADOW_ATLAS, BINDING_SHADOW_SAMPLER, BINDING_SKY_SAMPLER, BINDING_SKY_TABLE, BINDING_SURFACE,
    BINDING_TWIN_CASES, BINDING_TWIN_RESULTS, BINDING_VIEW, BINDING_WEIGHT_SAMPLER, BINDING_WEIGHTS,
    CLUSTER_LANES, CLUSTER_STRIP, EXPOSURE_BINS, GRID_SIZES, LAYER_DETILE, LAYER_SLOPE, LAYER_TRIPLANAR,
    MAX_CASCADES, MAX_LAYERS, MAX_LEVELS, MAX_SETS, Permutation, SET, SET_LIGHT, SET_MATERIAL,
    SHARED_CONSTANTS, SKY_COLUMNS, SKY_ROWS, STAR_CELLS, STAR_CHANCE, ShaderId, Stage, TABLE,
};

/// A file of a shader, by folder and extension: what was compiled just now, or what was committed.
#[cfg(feature = "compile-shaders")]
macro_rules! shader_file {
    ($folder:literal, $name:literal, $extension:literal) => {
        concat!(env!("OUT_DIR"), "/", $name, $extension)
    };
}

/// A file of a shader, by folder and extension: what was compiled just now, or what was committed.
#[cfg(all(feature = "vulkan", not(feature = "compile-shaders")))]
macro_rules! shader_file {
    ($folder:literal, $name:literal, $extension:literal) => {
        concat!(env!("CARGO_MANIFEST_DIR"), $folder, $name, $extension)
    };
}

#[cfg(feature = "vulkan")]
macro_rules! embed_shaders {
    ($($(#[$doc:meta])* $id:ident = $name:literal, $source:literal, $stage:ident, $entry_point:literal,
       [$($define:expr),*];)*) => {
        impl ShaderId {
            /// The module's SPIR-V, version 1.3 for Vulkan 1.1, as the words that `VkShaderModuleCreateInfo` takes.
            pub fn spirv(self) -> &'static [u32] {
                match self {
                    $(Self::$id => {
                        const BYTES: &[u8] = include_bytes!(shader_file!("/shaders/spirv/", $name, ".spv"));
                        static WORDS: [u32; BYTES.len() / 4] = words(BYTES);
                        &WORDS
                    })*
                }
            }

            /// What reflection says of the module's interface, as JSON; the module's documentation has its form.
            pub fn reflection_json(self) -> &'static str {
                match self {
                    $(Self::$id => include_str!(shader_file!("/reflect/", $name, ".json")),)*
                }
            }
        }
    };
}

#[cfg(feature = "vulkan")]
for_each_shader!(embed_shaders);

/// The words of a SPIR-V file, which is little-endian whatever the machine; done by the compiler, so that they are
/// aligned and cost nothing.
#[cfg(feature = "vulkan")]
const fn words<const COUNT: usize>(bytes: &[u8]) -> [u32; COUNT] {
    let mut words = [0; COUNT];
    let mut at = 0;
    while at < COUNT {
        let byte = at * 4;
        words[at] = u32::from_le_bytes([bytes[byte], bytes[byte + 1], bytes[byte + 2], bytes[byte + 3]]);
        at += 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_stands_where_its_id_says() {
        for row in TABLE {
            assert_eq!(row.id.permutation().name, row.name);
            assert_eq!(TABLE.iter().filter(|other| other.name == row.name).count(), 1, "{} twice", row.name);
        }
    }

    #[test]
    fn every_grid_size_has_its_vertex_modules() {
        for grid in GRID_SIZES {
            for id in [
                ShaderId::surface_vertex(grid),
                ShaderId::depth_vertex(grid),
                ShaderId::baseline_vertex(grid),
            ] {
                let id = id.unwrap_or_else(|| panic!("a module for {grid} quads"));
                assert_eq!(id.permutation().stage, Stage::Vertex);
                assert!(id.name().ends_with(&format!(".g{grid}")));
            }
        }
        assert_eq!(ShaderId::surface_vertex(17), None);
    }

    #[cfg(feature = "vulkan")]
    #[test]
    fn the_embedded_words_are_spirv() {
        for row in TABLE {
            assert_eq!(row.id.spirv()[0], 0x0723_0203, "{} starts with SPIR-V's magic number", row.name);
            assert!(row.id.reflection_json().contains(row.name));
        }
    }
}
