//! What changes with every view: node records and the uniform block, in rings with a region for each frame in flight,
//! and the one descriptor set that names them and the atlas.
//!
//! A set is written when it is made and never again: growing a ring makes a new set, written in full, and retires the
//! old one with the frame that may still read it.

use super::atlas_images::AtlasImages;
use crate::Result;
use crate::abi::{MaterialConstants, NodeRecord, ViewConstants};
use crate::gpu::{Binding, BindingKind, Device, FrameRing, RingDesc, Set, SetLayout, SetValue, Sets};
use crate::plan::ViewPlan;
use crate::shaders::{
    BINDING_HEIGHTS, BINDING_HOLES, BINDING_NODES, BINDING_TWIN_CASES, BINDING_TWIN_RESULTS, BINDING_VIEW,
};
use ash::vk;
use std::ops::Range;
use std::sync::Arc;

/// Set 0 of every pass, as the reflection has it.
pub(super) const BINDINGS: [Binding; 4] = {
    let vertex = vk::ShaderStageFlags::VERTEX;
    let fragment = vk::ShaderStageFlags::FRAGMENT;
    let both = vk::ShaderStageFlags::from_raw(vertex.as_raw() | fragment.as_raw());
    [
        Binding::one(BINDING_VIEW, BindingKind::UniformDynamic, both),
        Binding::one(BINDING_NODES, BindingKind::StorageDynamic, vertex),
        Binding::one(BINDING_HEIGHTS, BindingKind::SampledImage, both),
        Binding::one(BINDING_HOLES, BindingKind::SampledImage, fragment),
    ]
};

/// Set 0 of the twin shader.
pub(super) fn twin_bindings() -> [Binding; 5] {
    let stages = vk::ShaderStageFlags::COMPUTE;
    [
        (BINDING_VIEW, BindingKind::Uniform),
        (BINDING_HEIGHTS, BindingKind::SampledImage),
        (BINDING_HOLES, BindingKind::SampledImage),
        (BINDING_TWIN_CASES, BindingKind::Storage),
        (BINDING_TWIN_RESULTS, BindingKind::Storage),
    ]
    .map(|(binding, kind)| Binding::one(binding, kind, stages))
}

/// Set 0 of the twin of the blend.
pub(super) fn blend_twin_bindings() -> [Binding; 2] {
    let stages = vk::ShaderStageFlags::COMPUTE;
    [BINDING_TWIN_CASES, BINDING_TWIN_RESULTS].map(|binding| {
        let kind = BindingKind::Storage;
        Binding::one(binding, kind, stages)
    })
}

/// Where a view's data lies this frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewSlice {
    pub(super) offsets: [u32; 2],
    /// The offset of set 1.
    pub(super) material: u32,
    generations: [u64; 3],
}

/// A view that was pushed this frame.
struct Pushed {
    view: u64,
    /// What was pushed: the plan's public parts may have been changed since, in the plan or in a clone of it.
    constants: ViewConstants,
    material: MaterialConstants,
    nodes: Range<usize>,
    slice: ViewSlice,
}

pub(super) struct ViewBuffers {
    constants: FrameRing,
    nodes: FrameRing,
    materials: FrameRing,
    sets: Sets,
    /// The generations of the rings that the set names.
    generations: [u64; 2],
    sets_made: u32,
    pushed: Vec<Pushed>,
    /// The node records of all views in `pushed`: a copy, since the ring's memory is slow to read.
    pushed_nodes: Vec<NodeRecord>,
    bytes: u64,
}

impl ViewBuffers {
    /// Node records that the ring begins with; it doubles when a view selects more.
    const FIRST_NODES: u64 = 1024;

    pub(super) fn new(device: &Arc<Device>, layout: &Arc<SetLayout>, atlas: &AtlasImages) -> Result<Self> {
        let uniforms = |name, size: u64| {
            let usage = vk::BufferUsageFlags::UNIFORM_BUFFER;
            let region = 4 * size.next_multiple_of(256);
            FrameRing::new(device, RingDesc { name, usage, region, bind_range: Some(size) })
        };
        let constants = uniforms("landform views", size_of::<ViewConstants>() as u64)?;
        let materials = uniforms("landform materials", size_of::<MaterialConstants>() as u64)?;
        let nodes = FrameRing::new(
            device,
            RingDesc {
                name: "landform nodes",
                usage: vk::BufferUsageFlags::STORAGE_BUFFER,
                region: Self::FIRST_NODES * size_of::<NodeRecord>() as u64,
                bind_range: None,
            },
        )?;
        let sets = make_set(layout, atlas, &constants, &nodes)?;
        let generations = [constants.generation(), nodes.generation()];
        Ok(Self {
            constants,
            nodes,
            materials,
            sets,
            generations,
            sets_made: 1,
            pushed: Vec::with_capacity(16),
            pushed_nodes: Vec::with_capacity(Self::FIRST_NODES as usize),
            bytes: 0,
        })
    }

    pub(super) fn begin_frame(&mut self) {
        self.constants.begin_frame();
        self.nodes.begin_frame();
        self.materials.begin_frame();
        self.pushed.clear();
        self.pushed_nodes.clear();
        self.bytes = 0;
    }

    /// Bytes written for views this frame.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The set to bind with a slice's offsets.
    pub(super) fn set(&self) -> &Set {
        self.sets.get(0)
    }

    /// The ring that set 1 finds the material's constants in.
    pub(super) fn materials(&self) -> &FrameRing {
        &self.materials
    }

    /// How many sets were made; 1 as long as the first was large enough.
    pub(super) fn sets_made(&self) -> u32 {
        self.sets_made
    }

    /// Puts a view's data where the device finds it. A view that was pushed this frame is not pushed again: the passes
    /// that draw it share its data.
    pub(super) fn push(&mut self, view: &ViewPlan, atlas: &AtlasImages) -> Result<ViewSlice> {
        let now = [self.constants.generation(), self.nodes.generation(), self.materials.generation()];
        let (uniform, records): (&[u8], &[u8]) =
            (bytemuck::bytes_of(&view.constants), bytemuck::cast_slice(&view.nodes));
        let same = |pushed: &&Pushed| {
            pushed.view == view.id
                && pushed.slice.generations == now
                && bytemuck::bytes_of(&pushed.constants) == uniform
                && bytemuck::bytes_of(&pushed.material) == bytemuck::bytes_of(&view.material)
                && bytemuck::cast_slice::<_, u8>(&self.pushed_nodes[pushed.nodes.clone()]) == records
        };
        if let Some(pushed) = self.pushed.iter().find(same) {
            return Ok(pushed.slice);
        }
        let constants = self.constants.push(uniform)?;
        let nodes = self.nodes.push(records)?;
        let material = self.materials.push(bytemuck::bytes_of(&view.material))?;
        let slice = ViewSlice {
            offsets: [constants.offset, nodes.offset],
            material: material.offset,
            generations: [constants.generation, nodes.generation, material.generation],
        };
        if slice.generations[..2] != self.generations {
            let layout = self.sets.get(0).layout().clone();
            self.sets = make_set(&layout, atlas, &self.constants, &self.nodes)?;
            self.generations = [constants.generation, nodes.generation];
            self.sets_made += 1;
        }
        self.bytes += (uniform.len() + records.len() + size_of::<MaterialConstants>()) as u64;
        let first = self.pushed_nodes.len();
        self.pushed_nodes.extend_from_slice(&view.nodes);
        let nodes = first..self.pushed_nodes.len();
        let (constants, material) = (view.constants, view.material);
        self.pushed.push(Pushed { view: view.id, constants, material, nodes, slice });
        Ok(slice)
    }
}

/// A set that is written in full.
fn make_set(
    layout: &Arc<SetLayout>,
    atlas: &AtlasImages,
    constants: &FrameRing,
    nodes: &FrameRing,
) -> Result<Sets> {
    let mut sets = Sets::new(layout, "landform view", 1)?;
    for (binding, ring) in [(BINDING_VIEW, constants), (BINDING_NODES, nodes)] {
        let value = SetValue::Buffer { buffer: ring.buffer(), offset: 0, range: ring.bind_range() };
        sets.write(0, binding, 0, value)?;
    }
    for (binding, image) in [(BINDING_HEIGHTS, &atlas.heights), (BINDING_HOLES, &atlas.holes)] {
        sets.write(0, binding, 0, SetValue::Image(image.view()))?;
    }
    Ok(sets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::abi::{
        ExposureConstants, OcclusionConstants, ResolveConstants, ShowConstants, SkyConstants,
        SkyVelocityConstants, TonemapConstants,
    };
    use crate::draw::device_clusters::CLUSTER_BINDINGS;
    use crate::draw::light::LIGHT_BINDINGS;
    use crate::draw::materials::material_bindings;
    use crate::gpu::check_bindings;
    use crate::shaders::{
        BINDING_SKY_SAMPLER, BINDING_SKY_TABLE, Permutation, SET, SET_LIGHT, SET_MATERIAL, ShaderId, Stage,
        TABLE,
    };
    use crate::splat::Splat;
    use serde_json::Value;

    fn reflection(row: &Permutation) -> Value {
        serde_json::from_str(row.id.reflection_json()).unwrap()
    }

    fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
        value[key].as_array().unwrap()
    }

    fn stage(row: &Permutation) -> vk::ShaderStageFlags {
        match row.stage {
            Stage::Vertex => vk::ShaderStageFlags::VERTEX,
            Stage::Fragment => vk::ShaderStageFlags::FRAGMENT,
            Stage::Compute => vk::ShaderStageFlags::COMPUTE,
        }
    }

    fn rows(of: impl Fn(&Permutation) -> bool) -> impl Iterator<Item = &'static Permutation> {
        TABLE.iter().filter(move |row| of(row))
    }

    /// The bindings of a set that reflection finds in these modules.
    fn reflected(number: u32, rows: impl Iterator<Item = &'static Permutation>) -> Vec<Binding> {
        let mut found = Vec::new();
        for row in rows {
            let module = reflection(row);
            for set in list(&module, "sets").iter().filter(|set| set["set"] == number) {
                for binding in list(set, "bindings") {
                    let kind = match binding["type"].as_str().unwrap() {
                        "uniform_buffer" => BindingKind::Uniform,
                        "storage_buffer" => BindingKind::Storage,
                        "sampled_image" => BindingKind::SampledImage,
                        "sampler" => BindingKind::Sampler,
                        other => panic!("{}: a binding of type {other}", row.name),
                    };
                    let number = |key: &str| binding[key].as_u64().unwrap() as u32;
                    found.push(Binding {
                        binding: number("binding"),
                        kind,
                        stages: stage(row),
                        count: number("count"),
                    });
                }
            }
        }
        found
    }

    /// The stages of a binding are those of the modules that read it, no more and no fewer.
    fn assert_stages(described: &[Binding], reflected: &[Binding]) {
        for binding in described {
            let readers = reflected.iter().filter(|found| found.binding == binding.binding);
            let stages = readers.fold(vk::ShaderStageFlags::empty(), |all, found| all | found.stages);
            assert_eq!(binding.stages, stages, "{binding}");
        }
    }

    /// What covers a whole target reads planes in set 0, which the compositor binds.
    const OF_TARGETS: [&str; 7] = [
        "air.frag.hlsl",
        "combine.frag.hlsl",
        "occlusion.frag.hlsl",
        "occlusion_blur.frag.hlsl",
        "tonemap.frag.hlsl",
        "resolve.frag.hlsl",
        "show.frag.hlsl",
    ];

    #[test]
    fn the_set_of_the_passes_is_what_their_modules_read() {
        let of_ground = |row: &Permutation| row.stage != Stage::Compute && !OF_TARGETS.contains(&row.source);
        let reflected = reflected(SET, rows(of_ground));
        check_bindings("landform view", &BINDINGS, &reflected).unwrap();
        assert_stages(&BINDINGS, &reflected);
    }

    #[test]
    fn the_set_of_the_twin_is_what_its_module_reads() {
        let reflected = reflected(SET, rows(|row| row.id == ShaderId::TwinCompute));
        check_bindings("landform twins", &twin_bindings(), &reflected).unwrap();
        assert_stages(&twin_bindings(), &reflected);
    }

    #[test]
    fn the_set_of_the_lists_of_lamps_is_what_its_modules_read() {
        let modules = [ShaderId::ClusterReachesCompute, ShaderId::ClustersCompute];
        let reflected = reflected(SET, rows(|row| modules.contains(&row.id)));
        check_bindings("landform lamp lists", &CLUSTER_BINDINGS, &reflected).unwrap();
        assert_stages(&CLUSTER_BINDINGS, &reflected);
    }

    #[test]
    fn the_set_of_the_blend_s_twin_is_what_its_module_reads() {
        let reflected = reflected(SET, rows(|row| row.id == ShaderId::BlendTwinCompute));
        check_bindings("landform twins", &blend_twin_bindings(), &reflected).unwrap();
        assert_stages(&blend_twin_bindings(), &reflected);
    }

    /// The modules that draw a slot count's ground: the preview, and the lit ground with and without planes.
    fn modules_of(slots: u32, height: bool) -> [ShaderId; 3] {
        [
            ShaderId::preview_fragment(slots, height),
            ShaderId::lit_fragment(slots, height, false),
            ShaderId::lit_fragment(slots, height, true),
        ]
        .map(|id| id.unwrap())
    }

    /// Each slot count's modules read exactly the set that is made for it, with and without the blend by height.
    #[test]
    fn the_set_of_the_layers_is_what_their_modules_read() {
        for slots in Splat::SLOTS {
            for id in [false, true].into_iter().flat_map(|height| modules_of(slots, height)) {
                let reflected = reflected(SET_MATERIAL, rows(|row| row.id == id));
                check_bindings(id.name(), &material_bindings(slots), &reflected).unwrap();
                assert_stages(&material_bindings(slots), &reflected);
            }
        }
        for (source, count) in [("preview.frag.hlsl", 8), ("lit.frag.hlsl", 16)] {
            assert_eq!(
                rows(|row| row.source == source).count(),
                count,
                "{source}: 4 slot counts by 2, or by 4"
            );
        }
    }

    /// What lights the frame is read by the lit ground, by the air and by what adds the sky's light to split planes. The lit
    /// ground reads all of it but the table of the sky, and all of them together read nothing else.
    #[test]
    fn the_set_of_the_light_is_what_its_modules_read() {
        let reads = |row: &Permutation, number: u32| {
            list(&reflection(row), "sets").iter().any(|set| set["set"] == number)
        };
        let mut sources: Vec<_> = rows(|row| reads(row, SET_LIGHT)).map(|row| row.source).collect();
        sources.dedup();
        assert_eq!(sources, ["lit.frag.hlsl", "air.frag.hlsl", "combine.frag.hlsl"]);
        let reflected_by_all = reflected(SET_LIGHT, rows(|row| reads(row, SET_LIGHT)));
        check_bindings("landform light", &LIGHT_BINDINGS, &reflected_by_all).unwrap();
        assert_stages(&LIGHT_BINDINGS, &reflected_by_all);
        let of_ground: Vec<_> = LIGHT_BINDINGS
            .into_iter()
            .filter(|binding| ![BINDING_SKY_TABLE, BINDING_SKY_SAMPLER].contains(&binding.binding))
            .collect();
        for row in rows(|row| row.source == "lit.frag.hlsl") {
            let reflected = reflected(SET_LIGHT, std::iter::once(row));
            check_bindings(row.name, &of_ground, &reflected).unwrap();
            assert_stages(&of_ground, &reflected);
        }
        for row in TABLE {
            let known =
                |set: &Value| [SET, SET_MATERIAL, SET_LIGHT].iter().any(|number| set["set"] == *number);
            assert!(list(&reflection(row), "sets").iter().all(known), "{}", row.name);
        }
    }

    /// A fragment stage's three sets fit into what every device of a desktop binds.
    #[test]
    fn the_sets_together_are_few_descriptors() {
        let most = Splat::SLOTS[Splat::SLOTS.len() - 1];
        let all = [BINDINGS.as_slice(), &material_bindings(most), &LIGHT_BINDINGS].concat();
        let count = |kind: BindingKind| -> u32 {
            let of_kind = all.iter().filter(|binding| binding.kind == kind);
            of_kind.filter(|b| b.stages.contains(vk::ShaderStageFlags::FRAGMENT)).map(|b| b.count).sum()
        };
        let (images, samplers) = (count(BindingKind::SampledImage), count(BindingKind::Sampler));
        assert!(images > 3 * most && images <= 64, "{images} images at {most} slots");
        assert!(samplers <= 8, "{samplers} samplers");
    }

    /// What the modules are pushed is the whole range of their layout: the sky's, those of passes over a target.
    #[test]
    fn the_push_constants_are_the_size_that_the_modules_read() {
        let mut found = Vec::new();
        for row in TABLE {
            for block in list(&reflection(row), "push_constants") {
                let number = |key: &str| block[key].as_u64().unwrap() as usize;
                assert!(row.stage != Stage::Vertex && number("offset") == 0, "{}", row.name);
                found.push((row.id, number("size")));
            }
        }
        let expected = [
            (ShaderId::OcclusionFragment, size_of::<OcclusionConstants>()),
            (ShaderId::OcclusionBlurFragment, size_of::<OcclusionConstants>()),
            (ShaderId::TonemapFragment, size_of::<TonemapConstants>()),
            (ShaderId::SkyVelocityFragment, size_of::<SkyVelocityConstants>()),
            (ShaderId::ResolveFragment, size_of::<ResolveConstants>()),
            (ShaderId::ExposureHistogramCompute, size_of::<ExposureConstants>()),
            (ShaderId::ExposureAdaptCompute, size_of::<ExposureConstants>()),
            (ShaderId::ShowFragment, size_of::<ShowConstants>()),
            (ShaderId::SkyFragment, size_of::<SkyConstants>()),
        ];
        assert_eq!(found, expected);
    }
}
