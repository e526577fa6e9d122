//! Textures of layers from files: answered once they are there, reported once where they are not, and nothing afterwards.

use landform::draw::{FileTextures, TextureSource, TextureView};
use landform::gpu::{Device, HostFeatures};
use landform::splat::{Layer, TextureSlot};
use landform_harness::{Gpu, repository, shared};
use std::alloc::{GlobalAlloc, Layout, System};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Counts allocations a thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

// SAFETY: everything is handed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends allocates after its counter is gone.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise is handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is handed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A device with these optional features left, and textures from a folder.
fn textures(gpu: &Gpu, folder: &Path, blocks: bool) -> (Arc<Device>, FileTextures) {
    let mut host = gpu.host();
    host.features = HostFeatures {
        texture_compression_bc: blocks && host.features.texture_compression_bc,
        ..host.features
    };
    // SAFETY: the harness' host is valid and outlives the device, and every frame is waited for.
    let device = unsafe { Device::new(host) }.unwrap();
    let textures = FileTextures::new(&device, folder).unwrap();
    (device, textures)
}

fn samples() -> PathBuf {
    repository().join("tests/textures")
}

/// Everything that layers get, slot by slot.
fn answers(textures: &mut FileTextures, layers: &[Layer]) -> Vec<Option<TextureView>> {
    let slots = layers.iter().flat_map(|layer| TextureSlot::ALL.map(|slot| (layer, slot)));
    slots.map(|(layer, slot)| textures.texture(layer, slot)).collect()
}

fn frame(gpu: &Gpu, device: &Device, textures: &mut FileTextures) {
    device.begin_frame();
    gpu.submit_and_wait(|raw| {
        // SAFETY: the harness hands over a command buffer that records, and waits for it.
        let cmd = unsafe { device.record(raw) };
        textures.upload(&cmd).unwrap();
    })
    .unwrap();
}

/// Frames until nothing is pending; how many they were.
fn settle(gpu: &Gpu, device: &Device, textures: &mut FileTextures) -> u32 {
    let began = Instant::now();
    let mut frames = 0;
    while !textures.is_idle() {
        assert!(began.elapsed() < Duration::from_secs(60), "{textures:?}");
        frame(gpu, device, textures);
        frames += 1;
    }
    assert_eq!(textures.pending(), 0);
    frames
}

fn layer(name: &str, set: impl FnOnce(&mut Layer)) -> Layer {
    let mut layer = Layer::new(name);
    set(&mut layer);
    layer
}

fn grass() -> Layer {
    layer("grass", |grass| {
        grass.albedo = Some("bc1_srgb.ktx2".into());
        grass.occlusion = Some("rgba8_zstd.ktx2#b".into());
        grass.roughness = Some("grey.jpg".into());
        grass.height = Some("rgba8_zstd.ktx2#a".into());
        grass.normal = Some("bc5.ktx2".into());
        grass.metalness = Some("metal.png".into());
    })
}

#[test]
fn textures_arrive_are_shared_and_then_nothing_happens() {
    let gpu = shared();
    let (device, mut textures) = textures(&gpu, &samples(), true);
    let rock = layer("rock", |rock| {
        rock.albedo = Some("bc1_srgb.ktx2".into());
        rock.surface = Some("bc3.ktx2".into());
        rock.normal = Some("bc5.ktx2".into());
        rock.normal_down = true;
    });
    let layers = [grass(), rock, Layer::new("nothing")];
    assert!(answers(&mut textures, &layers).iter().all(Option::is_none));
    assert_eq!(
        textures.pending(),
        4,
        "the albedo is one, and so are the normals, whichever way green points"
    );
    settle(&gpu, &device, &mut textures);
    let found = answers(&mut textures, &layers);
    assert!(found[..6].iter().all(Option::is_some) && found[6..].iter().all(Option::is_none));
    assert_eq!(found[0], found[3]);
    assert_eq!(found[2], found[5], "what draws them turns them");
    assert!(textures.problems().is_empty(), "{:?}", textures.problems());
    assert!(textures.notes()[0].contains("grass: its metalness is read past"), "{:?}", textures.notes());
    let (bytes, written) = (device.live_bytes(), device.descriptor_writes());
    device.begin_frame();
    gpu.submit_and_wait(|raw| {
        // SAFETY: the harness hands over a command buffer that records, and waits for it.
        let cmd = unsafe { device.record(raw) };
        let before = ALLOCATIONS.get();
        for (layer, slot) in layers.iter().flat_map(|layer| TextureSlot::ALL.map(|slot| (layer, slot))) {
            textures.texture(layer, slot);
        }
        textures.upload(&cmd).unwrap();
        assert_eq!(ALLOCATIONS.get(), before, "a steady frame allocates");
    })
    .unwrap();
    assert_eq!((device.live_bytes(), device.descriptor_writes()), (bytes, written));
    assert_eq!(answers(&mut textures, &layers), found);
    drop(textures);
    assert_eq!(device.close(), 0);
}

#[test]
fn a_device_without_blocks_gets_texels() {
    let gpu = shared();
    for blocks in [false, true] {
        let (device, mut textures) = textures(&gpu, &samples(), blocks);
        answers(&mut textures, &[grass()]);
        settle(&gpu, &device, &mut textures);
        let unpacked = textures.notes().iter().filter(|note| note.contains("blocks were unpacked")).count();
        let kept = blocks && gpu.features().texture_compression_bc;
        assert_eq!(unpacked, if kept { 0 } else { 2 }, "{:?}", textures.notes());
        assert!(answers(&mut textures, &[grass()]).iter().all(Option::is_some));
    }
}

#[test]
fn what_cannot_be_read_is_reported_once_and_stays_away() {
    let gpu = shared();
    let (device, mut textures) = textures(&gpu, &samples(), true);
    let layers = [
        layer("lost", |lost| lost.albedo = Some("lost.png".into())),
        layer("lost too", |lost| {
            lost.albedo = Some("lost.png".into());
            lost.height = Some("lost.png".into());
        }),
        layer("inks", |inks| inks.albedo = Some("cmyk.jpg".into())),
        layer("there", |there| there.albedo = Some("rgb.png".into())),
    ];
    for _ in 0..3 {
        answers(&mut textures, &layers);
        settle(&gpu, &device, &mut textures);
    }
    let found = answers(&mut textures, &layers);
    assert_eq!(found.iter().flatten().count(), 1);
    let problems = textures.problems();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems.iter().any(|problem| problem.contains("lost.png: there is no such file")));
    assert!(problems.iter().any(|problem| problem.contains("cmyk.jpg") && problem.contains("inks")));
}

#[test]
fn a_small_budget_takes_frames_and_answers_only_what_is_whole() {
    let gpu = shared();
    let (device, mut textures) = textures(&gpu, &samples(), true);
    textures.set_budget(100);
    let layers = [layer("there", |there| there.albedo = Some("rgb.png".into()))];
    answers(&mut textures, &layers);
    let began = Instant::now();
    let mut before = 0;
    while !textures.is_idle() {
        assert!(began.elapsed() < Duration::from_secs(60));
        assert_eq!(answers(&mut textures, &layers).iter().flatten().count(), 0);
        frame(&gpu, &device, &mut textures);
        before += 1;
    }
    // Twelve rows of 80 bytes are a frame each.
    assert!(before > 12, "{before} frames");
    assert_eq!(answers(&mut textures, &layers).iter().flatten().count(), 1);
}

#[test]
fn a_file_that_changed_is_read_again_and_a_broken_one_leaves_what_was_there() {
    let gpu = shared();
    let folder = std::env::temp_dir().join(format!("landform-file-textures-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("a.png");
    let (device, mut textures) = textures(&gpu, &folder, true);
    let layers = [layer("a", |a| a.albedo = Some("a.png".into()))];
    let settled = |textures: &mut FileTextures| {
        answers(textures, &layers);
        settle(&gpu, &device, textures);
        (answers(textures, &layers)[0], textures.problems().len())
    };
    assert_eq!(settled(&mut textures), (None, 1));
    std::fs::copy(samples().join("rgb.png"), &file).unwrap();
    textures.reload();
    let (first, problems) = settled(&mut textures);
    assert!(first.is_some() && problems == 0);
    textures.reload();
    assert!(textures.is_idle(), "nothing has changed");
    std::fs::write(&file, b"broken").unwrap();
    textures.reload();
    assert_eq!(settled(&mut textures), (first, 1));
    std::fs::copy(samples().join("palette.png"), &file).unwrap();
    textures.reload();
    let (second, problems) = settled(&mut textures);
    assert!(second.is_some() && second != first && problems == 0);
    drop(textures);
    assert_eq!(device.close(), 0);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn an_upload_that_was_never_submitted_is_forgotten() {
    let gpu = shared();
    let (device, mut textures) = textures(&gpu, &samples(), true);
    let layers = [grass()];
    answers(&mut textures, &layers);
    let began = Instant::now();
    while !textures.is_idle() {
        assert!(began.elapsed() < Duration::from_secs(60));
        device.begin_frame();
        gpu.record_and_discard(|raw| {
            // SAFETY: the harness hands over a command buffer that records; what it recorded is forgotten below.
            textures.upload(&unsafe { device.record(raw) }).unwrap();
        })
        .unwrap();
    }
    let lost = answers(&mut textures, &layers);
    textures.forget();
    assert!(answers(&mut textures, &layers).iter().all(Option::is_none));
    settle(&gpu, &device, &mut textures);
    let found = answers(&mut textures, &layers);
    assert!(found.iter().zip(&lost).all(|(found, lost)| found.is_some() && found != lost));
}

#[test]
fn it_goes_while_it_reads() {
    let gpu = shared();
    for frames in 0..4 {
        let (device, mut textures) = textures(&gpu, &samples(), true);
        textures.set_budget(100);
        answers(&mut textures, &[grass()]);
        for _ in 0..frames {
            frame(&gpu, &device, &mut textures);
        }
        drop(textures);
        assert_eq!(device.close(), 0);
    }
}

/// The sets that people have: a whole one of JPEGs, one of packed PNGs, one with palettes and no occlusion.
#[test]
fn published_sets_are_drawn_with() {
    let folder = repository().join("../shared/data/textures");
    if !folder.is_dir() {
        eprintln!("SKIPPED: {} is not there", folder.display());
        return;
    }
    let gpu = shared();
    let (device, mut textures) = textures(&gpu, &folder, true);
    let file = |name: &str| Some(name.to_owned());
    let layers = [
        layer("grass", |grass| {
            grass.albedo = file("ambientcg_Grass004_1K_Color.jpg");
            grass.occlusion = file("ambientcg_Grass004_1K_AmbientOcclusion.jpg");
            grass.roughness = file("ambientcg_Grass004_1K_Roughness.jpg");
            grass.height = file("ambientcg_Grass004_1K_Displacement.jpg");
            grass.normal = file("ambientcg_Grass004_1K_NormalGL.jpg");
        }),
        layer("soil", |soil| {
            soil.albedo = file("ambientcg_ground037_alb_ht.png");
            soil.height = file("ambientcg_ground037_alb_ht.png#a");
            soil.roughness = file("ambientcg_ground037_nrm_rgh.png#a");
            soil.normal = file("ambientcg_ground037_nrm_rgh.png");
        }),
        layer("sand", |sand| {
            sand.albedo = file("cc0textures_sand_albedo.png");
            sand.height = file("cc0textures_sand_depth.png");
            sand.roughness = file("cc0textures_sand_roughness.png");
            sand.normal = file("cc0textures_sand_normal.png");
        }),
    ];
    answers(&mut textures, &layers);
    let began = Instant::now();
    let frames = settle(&gpu, &device, &mut textures);
    println!("{:?} and {frames} frames: {textures:?}", began.elapsed());
    assert!(textures.problems().is_empty(), "{:?}", textures.problems());
    assert!(answers(&mut textures, &layers).iter().all(Option::is_some));
    // Three of four bytes and three of two a texel, with their mips.
    let (bytes, _) = device.live_bytes();
    let texels = (1u64 << 20) * 4 / 3;
    assert!(bytes >= texels * 3 * 10 && bytes < texels * 3 * 11, "{bytes} bytes");
}
