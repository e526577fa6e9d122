//! The shared shader functions, run on a device and held against their Rust twins.

use glam::{DVec3, Vec2};
use landform::abi::{TwinCase, TwinResult, ViewConstants};
use landform::atlas::HeightAtlas;
use landform::draw::Renderer;
use landform::field::{Field, Quad};
use landform::gpu::Device;
use landform::lod::place::distance_at;
use landform::lod::{lattice, level_field};
use landform::plan::{Terrain, TerrainSettings, Viewport};
use landform_device_tests::{look, noise, random};
use landform_harness::{Gpu, shared};
use std::sync::Arc;

/// Runs cases on a device over a field, and returns the constants they ran with.
fn run(gpu: &Arc<Gpu>, field: Field, camera: DVec3, cases: &[TwinCase]) -> (ViewConstants, Vec<TwinResult>) {
    // SAFETY: the harness' host is valid and outlives the device, and every frame is waited for.
    let device = unsafe { Device::new(gpu.host()) }.expect("a device");
    let mut renderer = Renderer::new(&device, field.desc()).expect("a renderer");
    let mut terrain = Terrain::new(field, TerrainSettings::default()).expect("a terrain");
    // A last frame from elsewhere, and above the range.
    let last = look(camera + DVec3::new(-30.3, 400.0, 17.1), 20.0, -10.0, Viewport::whole(64, 64));
    terrain.begin_frame(0.1);
    terrain.plan(&[last], renderer.residency()).expect("a plan");
    terrain.begin_frame(0.1);
    let view = look(camera, 0.0, 0.0, Viewport::whole(64, 64));
    let plan = terrain.plan(&[view], renderer.residency()).expect("a plan");
    device.begin_frame();
    let mut results = None;
    gpu.submit_and_wait(|raw| {
        // SAFETY: the harness hands over a command buffer that records, and waits for it.
        let cmd = unsafe { device.record(raw) };
        renderer.upload(&cmd, &plan).expect("an upload");
        results = Some(renderer.run_twins(&cmd, &plan.views[0].constants, cases).expect("a dispatch"));
    })
    .expect("a frame");
    let results = results.expect("recorded").read().expect("results");
    (plan.views[0].constants, results)
}

fn ulps(a: f32, b: f32) -> u32 {
    (a.to_bits() as i32).abs_diff(b.to_bits() as i32)
}

/// The last frame's level-field distance at a place.
fn last_distance_at(view: &ViewConstants, place: Vec2) -> f32 {
    let [column, row, column_part, row_part] = view.last_level_sample;
    let relative = Vec2::new(
        level_field::relative(place.x, column, column_part, view.spacing[0]),
        level_field::relative(place.y, row, row_part, view.spacing[1]),
    );
    level_field::distance(relative, view.last_camera_height[3])
}

/// Taps, slides and hole bits bit for bit; distances and λ within 4 units in the last place; heights within a code.
fn compare(gpu: &Arc<Gpu>, field: Field, camera: DVec3, cases: &[TwinCase]) {
    let atlas = HeightAtlas::new(&field);
    let (view, results) = run(gpu, field.clone(), camera, cases);
    assert_eq!(results.len(), cases.len());
    for (case, result) in cases.iter().zip(&results) {
        let [x, z, lambda] = case.place;
        let mip = lambda.clamp(0.0, atlas.layout().max_mip() as f32) as u32;
        let (across, down) = (atlas.layout().taps(x, mip, 0), atlas.layout().taps(z, mip, 1));
        let taps = [across.first, across.second, down.first, down.second];
        assert_eq!(result.taps, taps, "taps of {case:?}");
        let fractions = [across.fraction, down.fraction].map(f32::to_bits);
        assert_eq!(result.fraction.map(f32::to_bits), fractions, "fractions of {case:?}");
        let height = atlas.height(x, z, lambda);
        assert!((result.height - height).abs() <= 1.0, "height {} for {height} of {case:?}", result.height);
        let slope = atlas.slope(x, z, lambda);
        let off = (glam::Vec2::from(result.slope) - slope).abs().max_element();
        assert!(
            off <= 0.5 + 1e-4 * slope.abs().max_element(),
            "slope {:?} for {slope} of {case:?}",
            result.slope
        );
        let distance = distance_at(&view, glam::Vec2::new(x, z));
        assert!(ulps(result.distance, distance) <= 4, "distance {} for {distance}", result.distance);
        let band = view.bands[case.level as usize];
        // λ from the device's own distance, so that only the morph's arithmetic is compared.
        let lambda_here = case.level as f32 + level_field::morph(result.distance, band);
        assert!(ulps(case.level as f32 + result.morph, lambda_here) <= 4, "λ at {case:?}");
        let (morph, level) = (level_field::morph(distance, band), case.level as f32);
        // λ is the level and the morph; the morph carries the distance's rounding over the band's width.
        let most = 4.0 * f32::EPSILON * distance * band.inverse + 4.0 * f32::EPSILON * (level + 1.0);
        assert!((result.morph - morph).abs() <= most, "morph {} for {morph}", result.morph);
        assert!(result.distance < band.end || result.morph == 1.0, "not wholly morphed past the band");
        assert!(result.distance > band.start || result.morph == 0.0, "morphed before the band");
        let last_distance = last_distance_at(&view, Vec2::new(x, z));
        let last_lambda = level_field::lambda(last_distance, &view.last_bands);
        // Both sum the same morphs of distances that differ by a rounding.
        let steepest = view.last_bands.iter().map(|band| band.inverse).fold(0.0, f32::max);
        let most = 4.0 * f32::EPSILON * (last_distance * steepest + 20.0);
        assert!((result.last_lambda - last_lambda).abs() <= most, "{} for {last_lambda}", result.last_lambda);
        let last_height = atlas.height(x, z, result.last_lambda);
        let [code, part, metres, _] = view.last_camera_height;
        let last_up = ((last_height - code) - part) * metres;
        assert!((result.last_up - last_up).abs() <= metres, "{} for {last_up} of {case:?}", result.last_up);
        assert_eq!(result.target, lattice::slide_target(case.index));
        assert_eq!(
            result.slid.to_bits(),
            lattice::slide(case.index, case.morph).to_bits(),
            "slide of {case:?}"
        );
        assert_eq!(
            result.hole,
            u32::from(field.is_hole(Quad::new(case.quad[0], case.quad[1]))),
            "hole of {case:?}"
        );
    }
}

/// Cases everywhere, and on and around every border, where every rule of the layout meets.
fn cases(field: &Field, count: u32) -> Vec<TwinCase> {
    let desc = *field.desc();
    let mut next = random(desc.width ^ desc.height << 8);
    (0..count)
        .map(|i| {
            let mut coordinate = |quads: u32| {
                let border = (next() % (desc.tiles_x().max(desc.tiles_z()) + 1) * desc.tile_quads()) as f32;
                let at = match i % 4 {
                    0 => next() as f32 / u32::MAX as f32 * quads as f32,
                    1 => (next() % (quads + 1)) as f32,
                    2 => border + (next() % 2048) as f32 / 256.0 - 4.0,
                    _ => border,
                };
                at.clamp(0.0, quads as f32)
            };
            let place = [coordinate(desc.quads_x()), coordinate(desc.quads_z())];
            let lambda = match next() % 3 {
                0 => (next() % 11) as f32,
                _ => next() as f32 / u32::MAX as f32 * 11.0,
            };
            TwinCase {
                place: [place[0], place[1], lambda],
                level: next() % 6,
                index: next() % 65,
                morph: (next() % 1025) as f32 / 1024.0,
                quad: [next() % desc.quads_x(), next() % desc.quads_z()],
            }
        })
        .collect()
}

#[test]
fn shaders_and_rust_agree() {
    let gpu = shared();
    for (width, height, tile) in
        [(513, 513, 128), (301, 150, 16), (2, 2, 16), (700, 90, 64), (1025, 33, 1024)]
    {
        let mut field = noise(width, height, tile);
        let mut next = random(tile);
        for _ in 0..(width * height / 8).min(4000) {
            let desc = *field.desc();
            field.set_hole(Quad::new(next() % desc.quads_x(), next() % desc.quads_z()), true);
        }
        let camera = DVec3::new(f64::from(width) * 0.3 + 0.123, 180.7, f64::from(height) * 0.6 + 0.456);
        let cases = cases(&field, 20_000);
        compare(&gpu, field, camera, &cases);
    }
}
