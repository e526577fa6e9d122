//! A fragment module of a host's: what it draws with `surface.hlsl`, its own set 2, and what is refused when it is drawn.

use ash::vk;
use glam::{DVec2, DVec3, Vec3};
use landform::draw::{HostFragment, HostFragmentDesc, HostSet, Target};
use landform::field::{Field, Quad, SampleRect, Weights};
use landform::gpu::{
    Binding, BindingKind, Buffer, BufferDesc, Device, MemoryLocation, SetLayout, SetValue, Sets,
    TargetFormats,
};
use landform::lod::LodSettings;
use landform::plan::{TerrainSettings, View, ViewMode};
use landform::query::{height_at, normal_at};
use landform::splat::{Layer, LayerMode, Material, Splat};
use landform_device_tests::{MadeTextures, Stage, TopDown, compile_host, hills};
use landform_harness::{Api, Gpu, GpuOptions, OffscreenDesc, TargetKind, shared};
use std::sync::Arc;

const FLOATS: vk::Format = vk::Format::R32G32B32A32_SFLOAT;
const BARE: Splat = Splat { slots: 0, height: false };
const FOUR: Splat = Splat { slots: 4, height: false };
const TINTS: [[f32; 3]; 2] = [[0.25, 0.5, 0.125], [0.75, 0.0625, 0.5]];

/// Everything that `surface.hlsl` gives, in two planes.
const PLANES: &str = r#"
#include "surface.hlsl"
[[vk::constant_id(0)]] const bool HAS_HOLES = false;
struct Planes { float4 normal : SV_Target0; float4 albedo : SV_Target1; };
Planes main(Fragment fragment)
{
    bool open = HAS_HOLES && is_hole_at(fragment.place);
    Ground ground = ground_at(fragment, false);
    if (open)
        discard;
    Planes planes;
    planes.normal = float4(ground.normal, ground_height(fragment));
    planes.albedo = float4(ground.albedo, ground.roughness + 10.0 * ground.occlusion);
    return planes;
}
"#;

/// A set of the host's: a uniform buffer with an offset, and numbers to look up; and a constant of its own.
const OWN_SET: &str = r#"
#include "surface.hlsl"
[[vk::constant_id(16)]] const uint WHICH = 0;
[[vk::binding(0, 2)]] cbuffer Own { float4 own; };
[[vk::binding(3, 2)]] StructuredBuffer<float4> list;
float4 main(Fragment fragment) : SV_Target0
{
    // (glslang crashes where a specialization constant is an index itself.)
    uint which = WHICH == 1 ? 1 : 0;
    // Reads every input, and adds nothing: the validation layer warns of outputs that nobody reads.
    float squares = dot(fragment.place, fragment.place) + dot(fragment.relative, fragment.relative) + dot(fragment.level, fragment.level);
    return own + list[which] + min(squares, 0.0);
}
"#;

const ONE_NUMBER: &str = "uint main() : SV_Target0 { return 7; }";

/// A fragment module, as an engine's build would compile it.
fn compile(source: &str, splat: Splat) -> Vec<u32> {
    let own = [("SPLAT_SLOTS", splat.slots.max(4)), ("SPLAT_HEIGHT", splat.height.into())];
    compile_host(source, shaderc::ShaderKind::Fragment, &own)
}

fn fragment_of(source: &str, splat: Splat) -> HostFragment {
    let words = compile(source, splat);
    let desc =
        HostFragmentDesc { name: "host", words: &words, entry: c"main", splat, set: None, constants: &[] };
    HostFragment::new(&desc).unwrap_or_else(|error| panic!("{error}"))
}

/// Level 0 everywhere, so that the CPU's queries are what is drawn.
fn finest() -> TerrainSettings {
    let lod = LodSettings::Near { near: 1e7, ratio: 0.66, bias: 0.0 };
    TerrainSettings { lod, ..TerrainSettings::default() }
}

fn stage(gpu: &Arc<Gpu>, field: Field, colors: &[vk::Format]) -> Stage {
    let desc = OffscreenDesc { color: colors.to_vec(), ..OffscreenDesc::new(96, 64) };
    Stage::with_target(gpu, field, finest(), desc)
}

/// Straight down on the middle of the hills.
fn above(stage: &Stage) -> (TopDown, View) {
    let top_down = TopDown::new(DVec2::new(101.0, 133.0), DVec2::splat(1.0), 0.0, 200.0);
    (top_down, top_down.view(stage.viewport()))
}

/// Two layers without textures, one on each half of the map.
fn halves(stage: &mut Stage) {
    let mut material = Material::default();
    material.variation.strength = 0.0;
    for (index, tint) in TINTS.into_iter().enumerate() {
        let mut layer = Layer::new(format!("layer {index}"));
        (layer.tint, layer.mode) = (tint, LayerMode::Weight);
        material.layers.push(layer);
    }
    let desc = *stage.terrain.field().desc();
    let mut weights = Weights::new(desc.width, desc.height, 2, 0).unwrap();
    weights.edit(SampleRect::new(0, 0, desc.width, desc.height), |_, row| {
        for (x, both) in row.chunks_exact_mut(2).enumerate() {
            both.copy_from_slice(if x < desc.width as usize / 3 { &[255, 0] } else { &[0, 255] });
        }
    });
    stage.terrain.field_mut().set_weights(Some(weights)).unwrap();
    stage.terrain.set_material(material).unwrap();
}

/// Draws a view with a host's module and reads its planes.
fn planes(
    stage: &mut Stage,
    view: &View,
    fragment: &HostFragment,
    set: Option<HostSet<'_>>,
) -> Vec<Vec<[f32; 4]>> {
    stage.terrain.begin_frame(0.0);
    let plan = stage.terrain.plan(&[*view], stage.renderer.residency()).unwrap();
    let mut textures = MadeTextures::new(stage.gpu(), &stage.device);
    stage.record(&plan, |renderer, cmd, target| {
        renderer.find_textures(&plan, &mut textures).unwrap();
        renderer
            .draw_with(cmd, &plan.views[0], target, fragment, set)
            .unwrap_or_else(|error| panic!("{error}"));
    });
    (0..stage.offscreen.desc().color.len()).map(|index| floats(stage, index)).collect()
}

fn floats(stage: &mut Stage, index: usize) -> Vec<[f32; 4]> {
    let bytes = stage.offscreen.read_color_bytes(index, 16).unwrap();
    bytes.chunks_exact(16).map(bytemuck::pod_read_unaligned).collect()
}

/// What a draw refuses, a sentence; nothing is drawn.
fn refusal(stage: &mut Stage, target: &Target, fragment: &HostFragment, set: Option<HostSet<'_>>) -> String {
    let (_, view) = above(stage);
    stage.terrain.begin_frame(0.0);
    let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
    let mut said = String::new();
    stage.record(&plan, |renderer, cmd, _| {
        said = renderer.draw_with(cmd, &plan.views[0], target, fragment, set).unwrap_err().to_string();
    });
    said
}

#[track_caller]
fn assert_says(sentence: &str, parts: &[&str]) {
    for part in parts {
        assert!(sentence.contains(part), "{part} is not in: {sentence}");
    }
}

/// The normal and the height are those of the CPU's queries; and the tint of ground without layers is there.
#[test]
fn a_hosts_module_writes_the_ground_that_queries_find() {
    let gpu = shared();
    let fragment = fragment_of(PLANES, BARE);
    assert_eq!(fragment.outputs(), 2);
    let mut stage = stage(&gpu, hills(257, 257), &[FLOATS, FLOATS]);
    let (top_down, view) = above(&stage);
    let drawn = planes(&mut stage, &view, &fragment, None);
    let (mut apart, mut least) = (0.0, 1.0);
    for (index, [x, y, z, height]) in drawn[0].iter().copied().enumerate() {
        let place = top_down.place(index as u32 % 96, index as u32 / 96);
        let field = stage.terrain.field();
        let expected = height_at(field, place).unwrap() - field.desc().range.min;
        assert!((f64::from(height) - expected).abs() < 0.05, "{place}: {height} m and not {expected} m");
        let normal = Vec3::new(x, y, z);
        assert!((normal.length() - 1.0).abs() < 1e-4, "{normal} at {place} is no unit vector");
        let agreement = normal.as_dvec3().dot(normal_at(field, place).unwrap());
        (apart, least) = (apart + (1.0 - agreement), f64::min(least, agreement));
    }
    // The shader's slope is over a step of the mip on either side, the query's that of the triangles.
    assert!(
        apart / 6144.0 < 0.01 && least > 0.8,
        "normals differ: {} on average, {least} at worst",
        apart / 6144.0
    );
    assert!(drawn[1].iter().all(|plane| plane[0] > 0.05 && plane[3] == 11.0), "a tint, rough and open");
}

/// What the preview shows as normals and what a host's module writes are the same numbers.
#[test]
fn normals_are_those_of_the_preview() {
    let gpu = shared();
    let fragment = fragment_of(PLANES, FOUR);
    let (mut host, mut own) =
        (stage(&gpu, hills(257, 257), &[FLOATS; 2]), stage(&gpu, hills(257, 257), &[FLOATS]));
    halves(&mut host);
    halves(&mut own);
    let mut view = host.view(DVec3::new(160.0, 190.0, 520.0), 12.0, -18.0);
    view.preview.mode = ViewMode::Normals;
    let shown = own.draw_light(&view, &mut MadeTextures::new(&gpu, &own.device));
    let drawn = planes(&mut host, &view, &fragment, None);
    let mut ground = 0;
    for (shown, written) in shown.iter().zip(&drawn[0]).filter(|(shown, _)| **shown != [1.0, 0.0, 1.0]) {
        let coloured = Vec3::new(written[0], written[2], written[1]) * Vec3::new(0.5, -0.5, 0.5) + 0.5;
        // The preview rolls off what a screen does not hold.
        let held = coloured / (1.0 + (coloured.max_element() - 0.8).max(0.0));
        assert!(held.abs_diff_eq(Vec3::from(*shown), 2e-4), "{held} is not {shown:?}");
        ground += 1;
    }
    assert!(ground > 1500, "{ground} pixels of ground");
}

/// Layers without textures are their tints; the module that is drawn with has layers and needs none of its own constants.
#[test]
fn the_albedo_is_the_layers() {
    let gpu = shared();
    let fragment = fragment_of(PLANES, FOUR);
    let mut stage = stage(&gpu, hills(257, 257), &[FLOATS, FLOATS]);
    halves(&mut stage);
    let (_, view) = above(&stage);
    let drawn = planes(&mut stage, &view, &fragment, None);
    // The border is at 85 samples of 2 m.
    for (column, tint) in [(10, TINTS[0]), (90, TINTS[1])] {
        let [r, g, b, surface] = drawn[1][96 * 30 + column];
        assert!(Vec3::new(r, g, b).abs_diff_eq(tint.into(), 1e-5), "{r} {g} {b} is not {tint:?}");
        assert!((surface - 10.9).abs() < 0.01, "{surface} is not 0.9 of roughness and all open");
    }
}

#[test]
fn holes_are_the_modules_to_discard() {
    let gpu = shared();
    let fragment = fragment_of(PLANES, BARE);
    let mut stage = stage(&gpu, hills(257, 257), &[FLOATS, FLOATS]);
    let (_, view) = above(&stage);
    let magenta =
        |planes: &[Vec<[f32; 4]>]| planes[0].iter().filter(|plane| plane[..] == [1.0, 0.0, 1.0, 1.0]).count();
    assert_eq!(magenta(&planes(&mut stage, &view, &fragment, None)), 0);
    for (x, z) in [(70, 80), (71, 80), (60, 90)] {
        stage.terrain.field_mut().set_hole(Quad::new(x, z), true);
    }
    // Quads of 2 m, pixels of 1 m.
    assert_eq!(magenta(&planes(&mut stage, &view, &fragment, None)), 12);
}

/// A set of the host's own, of which the uniform buffer has an offset.
struct Own {
    layout: Arc<SetLayout>,
    sets: Sets,
    _buffer: Buffer,
}

fn own_layout(device: &Arc<Device>, stages: vk::ShaderStageFlags) -> Arc<SetLayout> {
    let bindings = [(0, BindingKind::UniformDynamic), (3, BindingKind::Storage)];
    let bindings = bindings.map(|(binding, kind)| Binding { binding, kind, stages, count: 1 });
    SetLayout::new(device, "host's own", &bindings).unwrap()
}

fn own_set(device: &Arc<Device>) -> Own {
    let layout = own_layout(device, vk::ShaderStageFlags::FRAGMENT);
    let desc = BufferDesc {
        name: "host's own",
        size: 1024,
        usage: vk::BufferUsageFlags::UNIFORM_BUFFER | vk::BufferUsageFlags::STORAGE_BUFFER,
        location: MemoryLocation::Upload,
    };
    let mut buffer = Buffer::new(device, &desc).unwrap();
    for (offset, value) in [(0, 0.25f32), (256, 0.5), (512, 1.0), (528, 2.0)] {
        buffer.write(offset, bytemuck::bytes_of(&[value; 4])).unwrap();
    }
    let mut sets = Sets::new(&layout, "host's own", 1).unwrap();
    sets.write(0, 0, 0, SetValue::Buffer { buffer: &buffer, offset: 0, range: 16 }).unwrap();
    sets.write(0, 3, 0, SetValue::Buffer { buffer: &buffer, offset: 512, range: 32 }).unwrap();
    Own { layout, sets, _buffer: buffer }
}

#[test]
fn set_2_and_constants_from_16_on_are_the_hosts() {
    let gpu = shared();
    let mut stage = stage(&gpu, hills(257, 257), &[FLOATS]);
    let words = compile(OWN_SET, BARE);
    let own = own_set(&stage.device);
    let (_, view) = above(&stage);
    for which in [0, 1] {
        let desc = HostFragmentDesc {
            name: "own set",
            words: &words,
            entry: c"main",
            splat: BARE,
            set: Some(&own.layout),
            constants: &[(16, which)],
        };
        let fragment = HostFragment::new(&desc).unwrap_or_else(|error| panic!("{error}"));
        for (offset, part) in [(0, 0.25), (256, 0.5)] {
            let set = HostSet { set: own.sets.get(0), offsets: &[offset] };
            let drawn = planes(&mut stage, &view, &fragment, Some(set));
            let expected = part + [1.0, 2.0][which as usize];
            assert!(drawn[0].iter().all(|plane| plane[..] == [expected; 4]), "{:?}", drawn[0][0]);
        }
    }
}

#[test]
fn a_set_2_that_does_not_fit_is_refused() {
    let gpu = shared();
    let mut stage = stage(&gpu, hills(257, 257), &[FLOATS]);
    let words = compile(OWN_SET, BARE);
    let own = own_set(&stage.device);
    let described = |set| HostFragmentDesc {
        name: "own set",
        words: &words,
        entry: c"main",
        splat: BARE,
        set,
        constants: &[],
    };
    let made = |set| HostFragment::new(&described(set)).err().expect("a refusal").to_string();
    assert_says(&made(None), &["set 2, binding 0", "set 2, binding 3", "no layout of set 2 was described"]);
    let vertex = own_layout(&stage.device, vk::ShaderStageFlags::VERTEX);
    assert_says(&made(Some(&vertex)), &["is in the layout for VERTEX alone"]);
    let one = [Binding {
        binding: 0,
        kind: BindingKind::Storage,
        stages: vk::ShaderStageFlags::FRAGMENT,
        count: 1,
    }];
    let other = SetLayout::new(&stage.device, "other", &one).unwrap();
    assert_says(
        &made(Some(&other)),
        &["is 1 × Uniform, and the layout has 1 × Storage", "binding 3", "is not in the layout of set 2"],
    );

    let fragment = HostFragment::new(&described(Some(&own.layout))).unwrap();
    let target = stage.target;
    assert_says(
        &refusal(&mut stage, &target, &fragment, None),
        &["hand over a set of the layout `host's own`"],
    );
    let set = own.sets.get(0);
    let none = refusal(&mut stage, &target, &fragment, Some(HostSet { set, offsets: &[] }));
    assert_says(&none, &["1 dynamic bindings and 0 offsets"]);
    let unwritten = Sets::new(&own.layout, "unwritten", 1).unwrap();
    let set = HostSet { set: unwritten.get(0), offsets: &[0] };
    assert_says(
        &refusal(&mut stage, &target, &fragment, Some(set)),
        &["element 0 of binding 0 of set 2 was never written"],
    );
    let foreign = Sets::new(&other, "foreign", 1).unwrap();
    let set = HostSet { set: foreign.get(0), offsets: &[] };
    assert_says(
        &refusal(&mut stage, &target, &fragment, Some(set)),
        &["of the layout `other`", "described with `host's own`"],
    );
    let set = HostSet { set: own.sets.get(0), offsets: &[0] };
    assert_says(
        &refusal(
            &mut stage,
            &target,
            &fragment_of("float4 main() : SV_Target0 { return 1.0; }", BARE),
            Some(set),
        ),
        &["described without a set 2"],
    );
}

#[test]
fn a_target_or_a_plan_that_does_not_fit_is_refused() {
    let gpu = shared();
    let mut stage = stage(&gpu, hills(257, 257), &[FLOATS]);
    let target = stage.target;
    let two = fragment_of(PLANES, BARE);
    assert_says(&refusal(&mut stage, &target, &two, None), &["writes 2 colours and the target has 1"]);
    let depth_only = Target::depth_only(vk::Format::D32_SFLOAT, vk::SampleCountFlags::TYPE_1);
    assert_says(&refusal(&mut stage, &depth_only, &two, None), &["writes 2 colours and the target has 0"]);
    let number = fragment_of(ONE_NUMBER, BARE);
    assert_says(
        &refusal(&mut stage, &target, &number, None),
        &["output 0 is uint, and R32G32B32A32_SFLOAT stores Float"],
    );

    let both = TargetFormats::dynamic(&[FLOATS, FLOATS], Some(vk::Format::D32_SFLOAT)).unwrap();
    let planes_target = Target { formats: both, ..target };
    let eight = fragment_of(PLANES, Splat { slots: 8, height: false });
    let slots = refusal(&mut stage, &planes_target, &eight, None);
    assert_says(&slots, &["compiled for 8 slots of layers", "terrain needs 4"]);
    let mut layer = Layer::new("ground");
    layer.mode = LayerMode::Height;
    let mut material = Material::default();
    material.layers = vec![layer];
    stage.terrain.set_material(material).unwrap();
    let plain = fragment_of(PLANES, FOUR);
    assert_says(
        &refusal(&mut stage, &planes_target, &plain, None),
        &["blends layers by height", "SPLAT_HEIGHT 1"],
    );
}

/// After `prepare_with` no draw makes a pipeline; those of a module that was dropped go when another comes.
fn modules_are_prepared(gpu: &Arc<Gpu>, kind: TargetKind) {
    let desc = OffscreenDesc { kind, color: vec![FLOATS, FLOATS], ..OffscreenDesc::new(96, 64) };
    let mut stage = Stage::with_target(gpu, hills(257, 257), finest(), desc);
    let words = compile(PLANES, FOUR);
    let make = || {
        let desc = HostFragmentDesc {
            name: "host",
            words: &words,
            entry: c"main",
            splat: FOUR,
            set: None,
            constants: &[],
        };
        HostFragment::new(&desc).unwrap()
    };
    let mut prepared = 0;
    for round in 0..3 {
        let fragment = make();
        let (grid, target) = (stage.terrain.settings().grid, stage.target);
        stage.renderer.prepare_with(&target, grid, &fragment).unwrap();
        if round == 0 {
            prepared = stage.renderer.stats().pipelines;
            assert!(prepared == 4 || prepared == 8, "{prepared} with and without holes and layers");
        }
        let (_, view) = above(&stage);
        for layers in [false, true] {
            if layers && round == 0 {
                halves(&mut stage);
            }
            planes(&mut stage, &view, &fragment.clone(), None);
        }
        stage.terrain.field_mut().set_hole(Quad::new(round, 3), true);
        planes(&mut stage, &view, &fragment, None);
        assert_eq!(stage.renderer.stats().pipelines, prepared, "round {round}");
    }
}

#[test]
fn prepared_modules_are_all_that_is_drawn_with() {
    modules_are_prepared(&shared(), TargetKind::Dynamic);
    modules_are_prepared(&shared(), TargetKind::RenderPass);
}

#[test]
fn modules_have_both_front_faces_where_those_are_baked() {
    let options = GpuOptions { api: Api::V1_2, optional_features: false, ..GpuOptions::default() };
    let gpu = Gpu::new(options).unwrap();
    modules_are_prepared(&gpu, TargetKind::Dynamic);
    gpu.assert_silent();
}
