//! The permutation table: every shader module that landform compiles, and every constant that shaders and Rust share.
//!
//! `build.rs` includes this file to know what to compile, and the crate includes it to name what was compiled, so a
//! module or a constant exists in both or in neither. The file depends on nothing for that reason.

/// The stage of the pipeline that a module runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Once a vertex. A module of this stage has no vertex inputs: it finds its vertex from the vertex and instance index.
    Vertex,
    /// Once a covered pixel or sample.
    Fragment,
    /// Once an invocation of a dispatch.
    Compute,
}

impl Stage {
    /// The stage's name in the reflection: `vertex`, `fragment` or `compute`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Vertex => "vertex",
            Self::Fragment => "fragment",
            Self::Compute => "compute",
        }
    }
}

/// One row of [`TABLE`]: a source file, compiled once with one set of defines.
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    /// The module that this row makes.
    pub id: ShaderId,
    /// The stem of its files, as in `reflect/NAME.json` and `shaders/spirv/NAME.spv`.
    pub name: &'static str,
    /// The entry file, a name inside `shaders/`.
    pub source: &'static str,
    /// The stage it is compiled for.
    pub stage: Stage,
    /// The name of its entry point.
    pub entry_point: &'static str,
    /// What this row defines, as name and value, besides [`SHARED_CONSTANTS`].
    pub defines: &'static [(&'static str, u32)],
}

/// Makes a `pub const` of each line, and the list of all that `build.rs` passes to every shader as a define.
macro_rules! shared_constants {
    ($($(#[$doc:meta])* $name:ident: $type:ty = $value:expr;)*) => {
        $($(#[$doc])* pub const $name: $type = $value;)*

        /// Every constant that Rust and the shaders share, as name and value; each is a define of every shader.
        pub const SHARED_CONSTANTS: &[(&str, u32)] = &[$((stringify!($name), $name as u32)),*];
    };
}

shared_constants! {
    /// The most levels of detail that a terrain has; the length of the per-level arrays in the view's uniform.
    MAX_LEVELS: usize = 20;
    /// The most layers that a terrain has.
    MAX_LAYERS: usize = 16;
    /// The most sets of blend parameters that a terrain has.
    MAX_SETS: usize = 4;
    /// A layer that is projected from three sides where it is steep.
    LAYER_TRIPLANAR: u32 = 1;
    /// A layer that is tiled by random hexagons.
    LAYER_DETILE: u32 = 2;
    /// A layer that lies on a band of slopes.
    LAYER_SLOPE: u32 = 4;
    /// The descriptor set that every landform shader reads.
    SET: u32 = 0;
    /// The binding of the view's uniform buffer.
    BINDING_VIEW: u32 = 0;
    /// The binding of the node records, a storage buffer.
    BINDING_NODES: u32 = 1;
    /// The binding of the height atlas, a sampled image of unsigned integers.
    BINDING_HEIGHTS: u32 = 2;
    /// The binding of the holes, a bit a quad, in an image of unsigned integers.
    BINDING_HOLES: u32 = 3;
    /// The descriptor set of what the ground is made of.
    SET_MATERIAL: u32 = 1;
    /// The binding of the material's uniform buffer.
    BINDING_MATERIAL: u32 = 0;
    /// The binding of the layers' weights, four a page of an array of images; where a map has regions, theirs are the last
    /// page.
    BINDING_WEIGHTS: u32 = 1;
    /// The binding of the layers' albedo, an image a slot.
    BINDING_ALBEDO: u32 = 2;
    /// The binding of the layers' occlusion, roughness and blend height, an image a slot.
    BINDING_SURFACE: u32 = 3;
    /// The binding of the layers' normals, an image a slot.
    BINDING_NORMAL: u32 = 4;
    /// The binding of the sampler of weights: clamped, mips interpolated.
    BINDING_WEIGHT_SAMPLER: u32 = 5;
    /// The binding of the sampler of the layers' textures: repeated, anisotropic where the device can.
    BINDING_LAYER_SAMPLER: u32 = 6;
    /// The most cascades of the sun.
    MAX_CASCADES: usize = 4;
    /// The descriptor set of what lights the frame.
    SET_LIGHT: u32 = 2;
    /// The binding of the light's uniform buffer.
    BINDING_LIGHT: u32 = 0;
    /// The binding of the atlas of the sun's cascades, an image of depth.
    BINDING_SHADOW_ATLAS: u32 = 1;
    /// The binding of the sampler that compares depths.
    BINDING_SHADOW_SAMPLER: u32 = 2;
    /// The binding of the lamps that may reach the view, a storage buffer.
    BINDING_LAMPS: u32 = 3;
    /// The binding of the clusters' lists of lamps, a storage buffer of words.
    BINDING_CLUSTERS: u32 = 4;
    /// The binding of the table of the sky.
    BINDING_SKY_TABLE: u32 = 5;
    /// The binding of the sampler of that table.
    BINDING_SKY_SAMPLER: u32 = 6;
    /// The binding of the view that lamps are sorted for, a uniform buffer, in set 0 of the modules that sort them.
    BINDING_CLUSTER_VIEW: u32 = 0;
    /// The binding of its lamps, a storage buffer.
    BINDING_CLUSTER_LAMPS: u32 = 1;
    /// The binding of what each of them reaches, a storage buffer.
    BINDING_CLUSTER_REACHES: u32 = 2;
    /// The binding of the clusters' lists where they are written, a storage buffer of words.
    BINDING_CLUSTER_WORDS: u32 = 3;
    /// The binding of how many words are wanted and how many had no room, a storage buffer.
    BINDING_CLUSTER_COUNTS: u32 = 4;
    /// Columns of cells that one workgroup lists.
    CLUSTER_STRIP: u32 = 16;
    /// Lanes of a workgroup that lists lamps, which is also how many lamps it looks at together.
    CLUSTER_LANES: u32 = 128;
    /// Texels in a row of the table of the sky.
    SKY_COLUMNS: usize = 128;
    /// Its rows for one light; there are two.
    SKY_ROWS: usize = 64;
    /// Cells along an edge of each of the six faces that stars lie on.
    STAR_CELLS: usize = 64;
    /// Of 2³² cells, how many have a star: 9000 of the 24 576 that there are.
    STAR_CHANCE: u32 = 1_572_864_000;
    /// The binding of the first image that a pass over the whole target samples, in set 0: depth, a plane of albedo, or
    /// luminance.
    BINDING_INPUT: u32 = 0;
    /// The binding of the second: a plane of normals.
    BINDING_INPUT_NORMALS: u32 = 1;
    /// The binding of the third: a plane of occlusion.
    BINDING_INPUT_OCCLUSION: u32 = 2;
    /// The binding of the fourth: what the frame before left.
    BINDING_INPUT_HISTORY: u32 = 3;
    /// The binding of the sampler that interpolates between their texels.
    BINDING_INPUT_SAMPLER: u32 = 4;
    /// The binding of the cases that the twin module computes, a storage buffer.
    BINDING_TWIN_CASES: u32 = 4;
    /// The binding of what the twin module found, a storage buffer.
    BINDING_TWIN_RESULTS: u32 = 5;
}

/// The binding of what a meter of luminance counts, a storage buffer of words in set 0; its picture is [`BINDING_INPUT`].
pub const BINDING_EXPOSURE_WORDS: u32 = 1;
/// The binding of the exposure value, a storage image of one texel.
pub const BINDING_EXPOSURE_VALUE: u32 = 2;
/// The binding of the exposure values that the host reads, a storage buffer.
pub const BINDING_EXPOSURE_FOUND: u32 = 3;
/// Bins of log2 luminance; a power of 2, and threads of a group.
pub const EXPOSURE_BINS: u32 = 256;

/// The patch sizes that vertex shaders are compiled for, in quads along an edge.
pub const GRID_SIZES: [u32; 3] = [16, 32, 64];

/// Hands the one list of modules to the macro that is named: `Variant = name, source, stage, entry point, [defines];`
/// with the documentation of the variant above it.
macro_rules! for_each_shader {
    ($receive:ident) => {
        $receive! {
            /// Vertices of the lit and the preview surface, patches of 16×16 quads.
            SurfaceVertex16 = "surface.vert.g16", "surface.vert.hlsl", Vertex, "main", [("GRID_QUADS", 16)];
            /// Vertices of the lit and the preview surface, patches of 32×32 quads.
            SurfaceVertex32 = "surface.vert.g32", "surface.vert.hlsl", Vertex, "main", [("GRID_QUADS", 32)];
            /// Vertices of the lit and the preview surface, patches of 64×64 quads.
            SurfaceVertex64 = "surface.vert.g64", "surface.vert.hlsl", Vertex, "main", [("GRID_QUADS", 64)];
            /// Vertices of the depth-only draw, patches of 16×16 quads.
            DepthVertex16 = "depth.vert.g16", "depth.vert.hlsl", Vertex, "main", [("GRID_QUADS", 16)];
            /// Vertices of the depth-only draw, patches of 32×32 quads.
            DepthVertex32 = "depth.vert.g32", "depth.vert.hlsl", Vertex, "main", [("GRID_QUADS", 32)];
            /// Vertices of the depth-only draw, patches of 64×64 quads.
            DepthVertex64 = "depth.vert.g64", "depth.vert.hlsl", Vertex, "main", [("GRID_QUADS", 64)];
            /// Vertices of the shadow caster, patches of 16×16 quads.
            CasterVertex16 = "caster.vert.g16", "caster.vert.hlsl", Vertex, "main", [("GRID_QUADS", 16)];
            /// Vertices of the shadow caster, patches of 32×32 quads.
            CasterVertex32 = "caster.vert.g32", "caster.vert.hlsl", Vertex, "main", [("GRID_QUADS", 32)];
            /// Vertices of the shadow caster, patches of 64×64 quads.
            CasterVertex64 = "caster.vert.g64", "caster.vert.hlsl", Vertex, "main", [("GRID_QUADS", 64)];
            /// Vertices of the motion pass, patches of 16×16 quads.
            VelocityVertex16 = "velocity.vert.g16", "velocity.vert.hlsl", Vertex, "main", [("GRID_QUADS", 16)];
            /// Vertices of the motion pass, patches of 32×32 quads.
            VelocityVertex32 = "velocity.vert.g32", "velocity.vert.hlsl", Vertex, "main", [("GRID_QUADS", 32)];
            /// Vertices of the motion pass, patches of 64×64 quads.
            VelocityVertex64 = "velocity.vert.g64", "velocity.vert.hlsl", Vertex, "main", [("GRID_QUADS", 64)];
            /// The constant shader that benchmarks hold the surface against, patches of 16×16 quads.
            BaselineVertex16 = "baseline.vert.g16", "baseline.vert.hlsl", Vertex, "main", [("GRID_QUADS", 16)];
            /// The constant shader that benchmarks hold the surface against, patches of 32×32 quads.
            BaselineVertex32 = "baseline.vert.g32", "baseline.vert.hlsl", Vertex, "main", [("GRID_QUADS", 32)];
            /// The constant shader that benchmarks hold the surface against, patches of 64×64 quads.
            BaselineVertex64 = "baseline.vert.g64", "baseline.vert.hlsl", Vertex, "main", [("GRID_QUADS", 64)];
            /// The preview's shading of up to 4 layers, blended by weight.
            PreviewFragment4 = "preview.frag.s4", "preview.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 4), ("SPLAT_HEIGHT", 0)];
            /// The preview's shading of up to 4 layers, blended by weight and height.
            PreviewFragment4Height = "preview.frag.s4h", "preview.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 4), ("SPLAT_HEIGHT", 1)];
            /// The preview's shading of up to 8 layers, blended by weight.
            PreviewFragment8 = "preview.frag.s8", "preview.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 8), ("SPLAT_HEIGHT", 0)];
            /// The preview's shading of up to 8 layers, blended by weight and height.
            PreviewFragment8Height = "preview.frag.s8h", "preview.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 8), ("SPLAT_HEIGHT", 1)];
            /// The preview's shading of up to 12 layers, blended by weight.
            PreviewFragment12 = "preview.frag.s12", "preview.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 12), ("SPLAT_HEIGHT", 0)];
            /// The preview's shading of up to 12 layers, blended by weight and height.
            PreviewFragment12Height = "preview.frag.s12h", "preview.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 12), ("SPLAT_HEIGHT", 1)];
            /// The preview's shading of up to 16 layers, blended by weight.
            PreviewFragment16 = "preview.frag.s16", "preview.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 16), ("SPLAT_HEIGHT", 0)];
            /// The preview's shading of up to 16 layers, blended by weight and height.
            PreviewFragment16Height = "preview.frag.s16h", "preview.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 16), ("SPLAT_HEIGHT", 1)];
            /// The lit ground of up to 4 layers, blended by weight.
            LitFragment4 = "lit.frag.s4", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 4), ("SPLAT_HEIGHT", 0), ("SPLIT", 0)];
            /// The lit ground of up to 4 layers, blended by weight, with the split planes.
            LitFragment4Planes = "lit.frag.s4p", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 4), ("SPLAT_HEIGHT", 0), ("SPLIT", 1)];
            /// The lit ground of up to 4 layers, blended by weight and height.
            LitFragment4Height = "lit.frag.s4h", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 4), ("SPLAT_HEIGHT", 1), ("SPLIT", 0)];
            /// The lit ground of up to 4 layers, blended by weight and height, with the split planes.
            LitFragment4HeightPlanes = "lit.frag.s4hp", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 4), ("SPLAT_HEIGHT", 1), ("SPLIT", 1)];
            /// The lit ground of up to 8 layers, blended by weight.
            LitFragment8 = "lit.frag.s8", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 8), ("SPLAT_HEIGHT", 0), ("SPLIT", 0)];
            /// The lit ground of up to 8 layers, blended by weight, with the split planes.
            LitFragment8Planes = "lit.frag.s8p", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 8), ("SPLAT_HEIGHT", 0), ("SPLIT", 1)];
            /// The lit ground of up to 8 layers, blended by weight and height.
            LitFragment8Height = "lit.frag.s8h", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 8), ("SPLAT_HEIGHT", 1), ("SPLIT", 0)];
            /// The lit ground of up to 8 layers, blended by weight and height, with the split planes.
            LitFragment8HeightPlanes = "lit.frag.s8hp", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 8), ("SPLAT_HEIGHT", 1), ("SPLIT", 1)];
            /// The lit ground of up to 12 layers, blended by weight.
            LitFragment12 = "lit.frag.s12", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 12), ("SPLAT_HEIGHT", 0), ("SPLIT", 0)];
            /// The lit ground of up to 12 layers, blended by weight, with the split planes.
            LitFragment12Planes = "lit.frag.s12p", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 12), ("SPLAT_HEIGHT", 0), ("SPLIT", 1)];
            /// The lit ground of up to 12 layers, blended by weight and height.
            LitFragment12Height = "lit.frag.s12h", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 12), ("SPLAT_HEIGHT", 1), ("SPLIT", 0)];
            /// The lit ground of up to 12 layers, blended by weight and height, with the split planes.
            LitFragment12HeightPlanes = "lit.frag.s12hp", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 12), ("SPLAT_HEIGHT", 1), ("SPLIT", 1)];
            /// The lit ground of up to 16 layers, blended by weight.
            LitFragment16 = "lit.frag.s16", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 16), ("SPLAT_HEIGHT", 0), ("SPLIT", 0)];
            /// The lit ground of up to 16 layers, blended by weight, with the split planes.
            LitFragment16Planes = "lit.frag.s16p", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 16), ("SPLAT_HEIGHT", 0), ("SPLIT", 1)];
            /// The lit ground of up to 16 layers, blended by weight and height.
            LitFragment16Height = "lit.frag.s16h", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 16), ("SPLAT_HEIGHT", 1), ("SPLIT", 0)];
            /// The lit ground of up to 16 layers, blended by weight and height, with the split planes.
            LitFragment16HeightPlanes = "lit.frag.s16hp", "lit.frag.hlsl", Fragment, "main",
                [("SPLAT_SLOTS", 16), ("SPLAT_HEIGHT", 1), ("SPLIT", 1)];
            /// The triangle of passes that read their pixels' own texels.
            ScreenVertex = "screen.vert", "screen.vert.hlsl", Vertex, "main", [];
            /// The frame's sky where nothing was drawn, and the air before what was.
            AirFragment = "air.frag", "air.frag.hlsl", Fragment, "main", [];
            /// The diffuse light of the sky that a frame with split planes withheld.
            CombineFragment = "combine.frag", "combine.frag.hlsl", Fragment, "main", [];
            /// How much of the sky pixels see, and from where, of a few directions each.
            OcclusionFragment = "occlusion.frag", "occlusion.frag.hlsl", Fragment, "main", [];
            /// The plane of occlusion that is made of what pixels found.
            OcclusionBlurFragment = "occlusion_blur.frag", "occlusion_blur.frag.hlsl", Fragment, "main", [];
            /// Luminance to what a screen shows.
            TonemapFragment = "tonemap.frag", "tonemap.frag.hlsl", Fragment, "main", [];
            /// How far the sky moved since the last frame.
            SkyVelocityFragment = "sky_velocity.frag", "sky_velocity.frag.hlsl", Fragment, "main", [];
            /// Luminance of this frame and of the frames before it.
            ResolveFragment = "resolve.frag", "resolve.frag.hlsl", Fragment, "main", [];
            /// Luminance into a histogram.
            ExposureHistogramCompute = "exposure_histogram.comp", "exposure_histogram.comp.hlsl", Compute, "main",
                [("EXPOSURE_BINS", EXPOSURE_BINS), ("BINDING_EXPOSURE_WORDS", BINDING_EXPOSURE_WORDS)];
            /// A histogram to an exposure value that follows it.
            ExposureAdaptCompute = "exposure_adapt.comp", "exposure_adapt.comp.hlsl", Compute, "main",
                [("EXPOSURE_BINS", EXPOSURE_BINS), ("BINDING_EXPOSURE_WORDS", BINDING_EXPOSURE_WORDS),
                 ("BINDING_EXPOSURE_VALUE", BINDING_EXPOSURE_VALUE), ("BINDING_EXPOSURE_FOUND", BINDING_EXPOSURE_FOUND)];
            /// A look at a target of the frame.
            ShowFragment = "show.frag", "show.frag.hlsl", Fragment, "main", [];
            /// The fragment stage of the depth-only draw, which discards holes.
            DepthFragment = "depth.frag", "depth.frag.hlsl", Fragment, "main", [];
            /// The motion of a fragment since the last frame.
            VelocityFragment = "velocity.frag", "velocity.frag.hlsl", Fragment, "main", [];
            /// The fragment stage of the benchmarks' constant shader.
            BaselineFragment = "baseline.frag", "baseline.frag.hlsl", Fragment, "main", [];
            /// The triangle of the preview's sky, which covers the whole target at the far plane.
            SkyVertex = "sky.vert", "sky.vert.hlsl", Vertex, "main", [];
            /// The colour of the preview's sky.
            SkyFragment = "sky.frag", "sky.frag.hlsl", Fragment, "main", [];
            /// What each lamp of a view reaches.
            ClusterReachesCompute = "cluster_reaches.comp", "cluster_reaches.comp.hlsl", Compute, "main", [];
            /// The lists of a view's clusters.
            ClustersCompute = "clusters.comp", "clusters.comp.hlsl", Compute, "main", [];
            /// Runs the shared functions on a device so that a test can compare them with their twins on the CPU.
            TwinCompute = "twin.comp", "twin.comp.hlsl", Compute, "main", [];
            /// Runs the blend of layers on a device so that a test can compare it with its twin on the CPU.
            BlendTwinCompute = "blend_twin.comp", "blend_twin.comp.hlsl", Compute, "main",
                [("SPLAT_SLOTS", 16), ("SPLAT_HEIGHT", 1)];
        }
    };
}

macro_rules! define_table {
    ($($(#[$doc:meta])* $id:ident = $name:literal, $source:literal, $stage:ident, $entry_point:literal,
       [$($define:expr),*];)*) => {
        /// The name of a compiled shader module, one variant a row of [`TABLE`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum ShaderId {
            $($(#[$doc])* $id,)*
        }

        /// Every module that is compiled, in the order of [`ShaderId`]'s variants.
        pub const TABLE: &[Permutation] = &[$(Permutation {
            id: ShaderId::$id,
            name: $name,
            source: $source,
            stage: Stage::$stage,
            entry_point: $entry_point,
            defines: &[$($define),*],
        }),*];
    };
}

for_each_shader!(define_table);

impl ShaderId {
    /// The row of [`TABLE`] that made this module.
    pub const fn permutation(self) -> &'static Permutation {
        &TABLE[self as usize]
    }

    /// The stem of the module's files, for instance `surface.vert.g32`.
    pub const fn name(self) -> &'static str {
        self.permutation().name
    }

    /// The name of the module's entry point.
    pub const fn entry_point(self) -> &'static str {
        self.permutation().entry_point
    }

    /// The surface's vertex module for patches of `grid` quads along an edge, or `None` when `grid` is not one of
    /// [`GRID_SIZES`].
    pub fn surface_vertex(grid: u32) -> Option<Self> {
        Self::vertex_of("surface.vert.hlsl", grid)
    }

    /// The depth-only vertex module for patches of `grid` quads along an edge, or `None` when `grid` is not one of
    /// [`GRID_SIZES`].
    pub fn depth_vertex(grid: u32) -> Option<Self> {
        Self::vertex_of("depth.vert.hlsl", grid)
    }

    /// The vertex module of the shadow caster for a grid size, or `None` where it is none of [`GRID_SIZES`].
    pub fn caster_vertex(grid: u32) -> Option<Self> {
        Self::vertex_of("caster.vert.hlsl", grid)
    }

    /// The vertex module of the motion pass for a grid size, or `None` where it is none of [`GRID_SIZES`].
    pub fn velocity_vertex(grid: u32) -> Option<Self> {
        Self::vertex_of("velocity.vert.hlsl", grid)
    }

    /// The benchmarks' vertex module for patches of `grid` quads along an edge, or `None` when `grid` is not one of
    /// [`GRID_SIZES`].
    pub fn baseline_vertex(grid: u32) -> Option<Self> {
        Self::vertex_of("baseline.vert.hlsl", grid)
    }

    /// The preview's fragment module for what a list of layers needs, or `None` where it has more slots than there are.
    pub fn preview_fragment(slots: u32, height: bool) -> Option<Self> {
        let defines = [("SPLAT_SLOTS", slots), ("SPLAT_HEIGHT", height as u32)];
        TABLE.iter().find(|row| row.source == "preview.frag.hlsl" && row.defines == defines).map(|row| row.id)
    }

    /// The lit fragment module for what a list of layers needs, with the split planes or without, or `None` where it has more
    /// slots than there are.
    pub fn lit_fragment(slots: u32, height: bool, split: bool) -> Option<Self> {
        let defines = [("SPLAT_SLOTS", slots), ("SPLAT_HEIGHT", height as u32), ("SPLIT", split as u32)];
        TABLE.iter().find(|row| row.source == "lit.frag.hlsl" && row.defines == defines).map(|row| row.id)
    }

    /// The module made from `source` with `GRID_QUADS` of `grid`.
    fn vertex_of(source: &str, grid: u32) -> Option<Self> {
        TABLE
            .iter()
            .find(|row| row.source == source && row.defines.contains(&("GRID_QUADS", grid)))
            .map(|row| row.id)
    }
}
