//! What layers cost a frame: nothing where nothing changed, one descriptor a frame slot for a texture that arrives, no
//! pipeline for a layer that is painted on a running terrain, and never a set that is in use.

use ash::vk;
use glam::DVec3;
use landform::atlas::MipChain;
use landform::field::{Field, Sample, SampleRect, Weights};
use landform::lod::{GridSize, LodSettings};
use landform::plan::{TerrainSettings, View};
use landform::splat::{Layer, Material, TextureSlot, Tiling};
use landform_device_tests::{MadeTextures, Stage, hills, noise, over, tiled_hills};
use landform_harness::{Clear, Frames, Image8, Offscreen, OffscreenDesc, shared};

const SIZE: [u32; 2] = [96, 54];

/// Layers that name an albedo and a surface each; no height path, so that software drivers have less to compile.
fn material(layers: u32) -> Material {
    let mut material = Material::default();
    for index in 0..layers {
        let mut layer = Layer::new(format!("layer {index}"));
        layer.albedo = Some(format!("albedo {index}"));
        layer.surface = Some(format!("surface {index}"));
        layer.tiling = Tiling::new(16.0).unwrap();
        material.layers.push(layer);
    }
    material
}

/// Bands of all layers across the map.
fn banded(mut field: Field, layers: u32) -> Field {
    let (width, height) = (field.desc().width, field.desc().height);
    let mut amounts = vec![0; (width * height * layers) as usize];
    for (sample, amounts) in amounts.chunks_exact_mut(layers as usize).enumerate() {
        amounts[(sample / 3 % width as usize) % layers as usize] = 255;
    }
    field.set_weights(Some(Weights::of_amounts(width, height, layers, &amounts).unwrap())).unwrap();
    field
}

/// A colour a layer.
fn colour(layer: u32) -> [u8; 4] {
    let part = |shift: u32| 60 + (layer.wrapping_mul(0x9E37_79B1) >> shift & 127) as u8;
    [part(0), part(11), part(22), 255]
}

fn textures(stage: &Stage, gpu: &std::sync::Arc<landform_harness::Gpu>, layers: u32) -> MadeTextures {
    let mut textures = MadeTextures::new(gpu, &stage.device);
    for index in 0..layers {
        textures.add_plain(&format!("layer {index}"), TextureSlot::Albedo, colour(index));
        textures.add_plain(&format!("layer {index}"), TextureSlot::Surface, [255, 200, 0, 128]);
    }
    textures
}

/// All that a frame must not add to.
fn held(stage: &Stage) -> (u64, (u64, usize), u32, u32) {
    let stats = stage.renderer.stats();
    (stage.device.descriptor_writes(), stage.device.live_bytes(), stats.sets, stats.pipelines)
}

fn differ(a: &Image8, b: &Image8) -> usize {
    a.pixels().zip(b.pixels()).filter(|(a, b)| a != b).count()
}

#[test]
fn a_texture_that_arrives_is_one_descriptor_a_slot() {
    let gpu = shared();
    let mut stage = Stage::new(&gpu, banded(tiled_hills(), 6), TerrainSettings::default(), SIZE[0], SIZE[1]);
    stage.terrain.set_material(material(6)).unwrap();
    let slots = stage.device.slots() as u64;
    assert_eq!(slots, 2);
    let view = over(&stage);
    // Five of six are there, and one surface is missing.
    let mut source = textures(&stage, &gpu, 5);
    let mut late = textures(&stage, &gpu, 0);
    late.add_plain("layer 5", TextureSlot::Albedo, colour(5));
    for _ in 0..4 {
        stage.draw_with(&view, &mut source);
    }
    let (steady, before) = (held(&stage), stage.draw_with(&view, &mut source));
    // An unchanged frame.
    for _ in 0..5 {
        assert!(stage.draw_with(&view, &mut source) == before);
        assert_eq!(held(&stage), steady, "an unchanged frame writes or allocates");
        assert_eq!(stage.renderer.stats().uploaded_bytes, 0);
    }
    // It arrives.
    source.add_plain("layer 5", TextureSlot::Albedo, colour(5));
    let (writes, ..) = held(&stage);
    let live = stage.device.live_bytes();
    let mut after = None;
    for frame in 1..=5u64 {
        let picture = stage.draw_with(&view, &mut source);
        assert_eq!(stage.device.descriptor_writes() - writes, frame.min(slots), "in frame {frame}");
        // A texture counts when it is there, in the slot that is written as in the one that is not yet.
        assert!(*after.get_or_insert(picture.clone()) == picture, "in frame {frame}");
        assert_eq!(stage.renderer.stats().uploaded_bytes, 0);
    }
    // The image of the texture is the source's; the staging that it was copied from may still wait.
    assert!(stage.device.live_bytes().0 <= live.0, "the renderer allocates for an answer");
    let moved = differ(&before, &after.unwrap());
    assert!(moved > 100, "{moved} pixels show the texture");
    // It goes again: the default is drawn.
    let mut five = textures(&stage, &gpu, 5);
    stage.draw_with(&view, &mut five);
    assert!(stage.draw_with(&view, &mut five) == before, "what went is drawn with its default");
    // An answer holds for its frame alone: a frame that does not ask has none.
    let plain = stage.draw(&view);
    let moved = differ(&before, &plain);
    assert!(moved > 1000, "{moved} pixels");
    let mut none = textures(&stage, &gpu, 0);
    assert!(stage.draw_with(&view, &mut none) == plain);
}

#[test]
fn a_seventh_layer_makes_no_pipeline() {
    let gpu = shared();
    let mut stage = Stage::new(&gpu, banded(tiled_hills(), 6), TerrainSettings::default(), SIZE[0], SIZE[1]);
    stage.terrain.set_material(material(6)).unwrap();
    let view = over(&stage);
    let mut source = textures(&stage, &gpu, 7);
    for _ in 0..4 {
        stage.draw_with(&view, &mut source);
    }
    let (writes, bytes, sets, pipelines) = held(&stage);
    let before = stage.draw_with(&view, &mut source);
    stage.terrain.set_material(material(7)).unwrap();
    for frame in 1..=4u64 {
        assert!(stage.draw_with(&view, &mut source) == before, "a layer that lies nowhere");
        assert_eq!(stage.renderer.stats().uploaded_bytes, 0, "a layer that lies nowhere uploads");
        // Its albedo and its surface, in each slot.
        assert_eq!(held(&stage), (writes + 2 * frame.min(2), bytes, sets, pipelines));
    }
    // Weights of seven layers of the same two pages: every tile once, for all of them are other weights.
    let (writes, ..) = held(&stage);
    let field = stage.terrain.field_mut();
    let weights = field.weights().unwrap().with_layers(7, 0).unwrap();
    field.set_weights(Some(weights)).unwrap();
    let chain = 2 * 4 * MipChain { side: 64 }.texels() as u64;
    assert!(stage.draw_with(&view, &mut source) == before);
    assert_eq!(stage.renderer.stats().uploaded_bytes, 16 * chain);
    // Painting uploads the tile that was painted: its weights, and nothing else.
    let paint = |field: &mut Field, rect| {
        field.edit_weights(rect, |_, row| {
            row.chunks_exact_mut(7).for_each(|weights| weights.copy_from_slice(&[0, 0, 0, 0, 0, 0, 255]));
        })
    };
    paint(stage.terrain.field_mut(), SampleRect::new(150, 150, 20, 20));
    let painted = stage.draw_with(&view, &mut source);
    assert_eq!(stage.renderer.stats().uploaded_bytes, chain);
    assert!(painted != before, "what was painted shows");
    // A sample on a border is in two tiles.
    paint(stage.terrain.field_mut(), SampleRect::new(63, 20, 1, 1));
    stage.draw_with(&view, &mut source);
    assert_eq!(stage.renderer.stats().uploaded_bytes, 2 * chain);
    let (now, _, sets_now, pipelines_now) = held(&stage);
    assert_eq!((now, sets_now, pipelines_now), (writes, sets, pipelines), "painting writes a descriptor");
    assert_eq!(stage.terrain.field().weights().unwrap().at(Sample::new(63, 20))[6], 255);
    // The counterpart: a ninth layer is another module.
    stage.terrain.set_material(material(9)).unwrap();
    stage.draw_with(&view, &mut source);
    assert_eq!(stage.renderer.stats().pipelines, pipelines + 1);
}

/// A frame of a stage that is not waited for.
fn fly(
    frames: &mut Frames,
    stage: &mut Stage,
    offscreen: &mut Offscreen,
    view: &View,
    source: &mut MadeTextures,
    then: impl FnOnce(&mut Stage, &landform::gpu::Cmd<'_>, &mut MadeTextures),
) {
    let raw = frames.begin().unwrap();
    let device = stage.device.clone();
    device.begin_frame();
    stage.terrain.begin_frame(1.0 / 60.0);
    let plan = stage.terrain.plan(&[*view], stage.renderer.residency()).unwrap();
    // SAFETY: the command buffer records, is submitted below, and its slot is waited for before it is used again.
    let cmd = unsafe { device.record(raw) };
    stage.renderer.upload(&cmd, &plan).unwrap();
    stage.renderer.find_textures(&plan, source).unwrap();
    offscreen.begin(raw, Some(Clear::default()));
    stage.renderer.draw(&cmd, &plan.views[0], &stage.target).unwrap();
    then(stage, &cmd, source);
    offscreen.end(raw);
    frames.submit(vk::SubmitInfo::default()).unwrap();
}

fn offscreen(gpu: &std::sync::Arc<landform_harness::Gpu>) -> Offscreen {
    Offscreen::new(gpu, OffscreenDesc::new(SIZE[0], SIZE[1])).unwrap()
}

/// A view that outgrows the patch buffer while frames are in flight: every layer keeps its texture.
#[test]
fn the_patch_buffer_grows_and_layers_keep_their_textures() {
    let gpu = shared();
    let settings = TerrainSettings {
        grid: GridSize::G16,
        lod: LodSettings::Near { near: 4000.0, ratio: 0.66, bias: 0.0 },
        ..TerrainSettings::default()
    };
    let field = banded(noise(1000, 1000, 128), 6);
    let mut stage = Stage::new(&gpu, field.clone(), settings.clone(), SIZE[0], SIZE[1]);
    stage.terrain.set_material(material(6)).unwrap();
    let near = stage.view(DVec3::new(500.0, 130.0, 500.0), 0.0, -80.0);
    let far = stage.view(DVec3::new(500.0, 1000.0, 500.0), 0.0, -90.0);
    let mut source = textures(&stage, &gpu, 6);
    let mut frames = Frames::new(&gpu).unwrap();
    let mut drawn = Vec::new();
    for frame in 0..7 {
        let view = if (3..5).contains(&frame) { far } else { near };
        let mut target = offscreen(&gpu);
        fly(&mut frames, &mut stage, &mut target, &view, &mut source, |_, _, _| {});
        drawn.push(target);
    }
    assert_eq!(stage.renderer.stats().sets, 2, "the patch buffer grew once");
    drop(frames);
    let pictures: Vec<_> = drawn.iter_mut().map(|target| target.read_color().unwrap()).collect();
    for frame in [1, 2, 5, 6] {
        assert!(pictures[frame] == pictures[0], "frame {frame} is another picture than before");
    }
    assert!(pictures[3] == pictures[4]);
    // What a renderer draws that never grew in flight, and what it draws without textures.
    let mut fresh = Stage::new(&gpu, field, settings, SIZE[0], SIZE[1]);
    fresh.terrain.set_material(material(6)).unwrap();
    let plain = fresh.draw(&near);
    assert!(differ(&plain, &pictures[0]) > 1000, "the textures show");
    let mut source = textures(&fresh, &gpu, 6);
    assert!(fresh.draw_with(&near, &mut source) == pictures[0]);
    assert!(fresh.draw_with(&far, &mut source) == pictures[3]);
}

/// Answers that change behind a draw of the same frame, or while a frame is in flight, and weights that come within a frame:
/// what was recorded keeps its set. The validation layer reports a set that is written while it is in use.
#[test]
fn no_set_is_written_in_use() {
    let gpu = shared();
    let mut stage = Stage::new(&gpu, hills(97, 97), TerrainSettings::default(), SIZE[0], SIZE[1]);
    stage.terrain.set_material(material(6)).unwrap();
    let view = stage.view(DVec3::new(96.0, 220.0, 180.0), 0.0, -50.0);
    let mut source = textures(&stage, &gpu, 6);
    let mut frames = Frames::new(&gpu).unwrap();
    let mut drawn = Vec::new();
    let change = |source: &mut MadeTextures, frame: u32| {
        source.add_plain("layer 0", TextureSlot::Albedo, colour(frame + 20));
        source.add_plain("layer 3", TextureSlot::Albedo, colour(frame + 40));
    };
    for frame in 0..6 {
        let mut target = offscreen(&gpu);
        let before = stage.device.descriptor_writes();
        let mut recorded = 0;
        fly(&mut frames, &mut stage, &mut target, &view, &mut source, |stage, cmd, source| {
            // Two answers change after the draw, and it is drawn again: the frame keeps what it asked for first.
            change(source, frame);
            let between = stage.device.descriptor_writes();
            let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
            stage.renderer.find_textures(&plan, source).unwrap();
            stage.renderer.draw(cmd, &plan.views[0], &stage.target).unwrap();
            recorded = stage.device.descriptor_writes() - between;
        });
        assert_eq!(recorded, 0, "a set that this frame drew with is written");
        // Each slot is two frames behind, but both changes are of the same two textures.
        let writes = stage.device.descriptor_writes() - before;
        assert!(frame < 2 || writes == 2, "{writes} descriptors written in frame {frame}");
        drawn.push(target);
    }
    drop(frames);
    let pictures: Vec<_> = drawn.iter_mut().map(|target| target.read_color().unwrap()).collect();
    for (frame, picture) in pictures.iter().enumerate().skip(1) {
        assert!(picture != &pictures[frame - 1], "what was answered before frame {frame} is drawn in it");
    }

    // Weights arrive between two draws of one frame: the second draw is given another set.
    let mut target = offscreen(&gpu);
    let alone = stage.draw_with(&view, &mut source);
    let painted = banded(stage.terrain.field().clone(), 6);
    stage.device.begin_frame();
    let device = stage.device.clone();
    let mut writes = (0, 0);
    gpu.submit_and_wait(|raw| {
        // SAFETY: the harness hands over a command buffer that records, and waits for it.
        let cmd = unsafe { device.record(raw) };
        let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
        stage.renderer.upload(&cmd, &plan).unwrap();
        stage.renderer.find_textures(&plan, &mut source).unwrap();
        target.begin(raw, Some(Clear::default()));
        stage.renderer.draw(&cmd, &plan.views[0], &stage.target).unwrap();
        target.end(raw);
        writes.0 = device.descriptor_writes();
        *stage.terrain.field_mut() = painted.clone();
        let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
        stage.renderer.upload(&cmd, &plan).unwrap();
        stage.offscreen.begin(raw, Some(Clear::default()));
        stage.renderer.draw(&cmd, &plan.views[0], &stage.target).unwrap();
        stage.offscreen.end(raw);
        writes.1 = device.descriptor_writes();
    })
    .unwrap();
    assert!(target.read_color().unwrap() == alone, "the first draw has the weights that it was drawn with");
    let banded = stage.offscreen.read_color().unwrap();
    assert!(differ(&banded, &alone) > 100, "the second has those that came");
    // A set of eight slots: the constants, the weights, three textures a slot and two samplers.
    assert_eq!(writes.1 - writes.0, 1 + 1 + 3 * 8 + 2, "a new set, written whole");
    assert!(stage.draw_with(&view, &mut source) == banded);
}
