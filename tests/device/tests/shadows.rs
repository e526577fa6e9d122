//! What the ground casts, against rays on the ground itself.

use ash::vk;
use glam::camera::rh::proj::directx;
use glam::{DVec2, DVec3, DVec4, Quat, Vec3};
use landform::draw::{Renderer, Target};
use landform::field::{Field, FieldDesc, Quad, SampleRect};
use landform::gpu::Device;
use landform::import::ImportOptions;
use landform::plan::{CasterSettings, Terrain, TerrainSettings, View, ViewPlan, Viewport};
use landform::query::{face_normal_at, height_at, raycast};
use landform_device_tests::{hills, look, shared_field};
use landform_harness::{Clear, Gpu, GpuOptions, Offscreen, OffscreenDesc, shared};
use std::sync::Arc;

/// Texels a side of a cascade's tile; the atlas has two by two.
const TILE: u32 = 1024;

/// Half of what a cascade covers, in samples of the map, the finest first.
const REACH: [f64; 4] = [20.0, 60.0, 180.0, 540.0];

/// Texels that a place is moved off the ground before it asks the map: at least, more where light grazes, toward the light.
const BIAS: [f64; 3] = [0.3, 0.8, 0.25];

/// The cascades of a sun around a place: squares across the light, a tile of the atlas each, snapped to whole texels.
fn cascades(around: DVec3, sun: DVec3, depth: f64, spacing: f64) -> Vec<View> {
    let rotation = Quat::from_rotation_arc(Vec3::NEG_Z, -sun.as_vec3());
    REACH
        .iter()
        .enumerate()
        .map(|(index, samples)| {
            let reach = samples * spacing;
            let texel = 2.0 * reach / f64::from(TILE);
            let turn = rotation.as_dquat();
            let across = turn.inverse() * around;
            let snapped = turn
                * DVec3::new(
                    (across.x / texel).round() * texel,
                    (across.y / texel).round() * texel,
                    across.z,
                );
            let (half, far) = (reach as f32, (2.0 * depth) as f32);
            let projection = directx::orthographic(-half, half, -half, half, far, 0.0);
            let (column, row) = (index as u32 % 2, index as u32 / 2);
            let side = TILE as f32;
            let viewport =
                Viewport { x: column as f32 * side, y: row as f32 * side, width: side, height: side };
            View::with_projection(snapped + sun * depth, rotation, projection, viewport)
        })
        .collect()
}

/// A shadow atlas, read back.
struct Atlas {
    depth: Vec<f32>,
    cascades: Vec<View>,
    plans: Vec<ViewPlan>,
    /// Metres that the depth range spans.
    span: f64,
    /// Metres between samples.
    spacing: f64,
}

impl Atlas {
    fn draw(
        gpu: &Arc<Gpu>,
        field: &Field,
        cascades: Vec<View>,
        span: f64,
        settings: &CasterSettings,
    ) -> Self {
        // SAFETY: the harness' host is valid and outlives the device, and every frame is waited for.
        let device = unsafe { Device::new(gpu.host()) }.unwrap();
        let mut renderer = Renderer::new(&device, field.desc()).unwrap();
        let mut terrain = Terrain::new(field.clone(), TerrainSettings::default()).unwrap();
        let mut offscreen = Offscreen::new(gpu, OffscreenDesc::new(2 * TILE, 2 * TILE)).unwrap();
        let mut target =
            Target::dynamic(vk::Format::R8G8B8A8_SRGB, vk::Format::D32_SFLOAT, vk::SampleCountFlags::TYPE_1);
        target.formats = offscreen.formats();
        let plan = terrain.plan(&[cascades[0]], renderer.residency()).unwrap();
        let mut plans = Vec::new();
        terrain.plan_casters_into(&mut plans, &cascades, settings).unwrap();
        device.begin_frame();
        gpu.submit_and_wait(|raw| {
            // SAFETY: the harness hands over a command buffer that records, and waits for it.
            let cmd = unsafe { device.record(raw) };
            renderer.upload(&cmd, &plan).unwrap();
            offscreen.begin(raw, Some(Clear::default()));
            for cascade in &plans {
                renderer.draw_caster(&cmd, cascade, &target).unwrap();
            }
            offscreen.end(raw);
        })
        .unwrap();
        Self {
            depth: offscreen.read_depth().unwrap(),
            cascades,
            plans,
            span,
            spacing: field.desc().spacing.x,
        }
    }

    /// What the second cascade's texel over a place holds, and what the place's own depth is.
    fn stored(&self, at: DVec3) -> (f64, f64) {
        let cascade = &self.cascades[1];
        let relative = cascade.rotation.as_dquat().inverse() * (at - cascade.position);
        let clip = cascade.projection.as_dmat4() * relative.extend(1.0);
        let side = f64::from(TILE);
        let [x, y] = [(0.5 + 0.5 * clip.x) * side, (0.5 - 0.5 * clip.y) * side].map(|at| at as usize);
        let (x, y) = (x + cascade.viewport.x as usize, y + cascade.viewport.y as usize);
        (f64::from(self.depth[y * 2 * TILE as usize + x]), clip.z)
    }

    /// Whether a place is in shadow: four texels around it, compared and averaged, of the finest cascade that holds it.
    /// None where none does.
    fn shade(&self, place: DVec3, normal: DVec3, sun: DVec3) -> Option<f64> {
        for (cascade, samples) in self.cascades.iter().zip(REACH) {
            let reach = samples * self.spacing;
            let texel = 2.0 * reach / f64::from(TILE);
            // Off the ground by the texels that a slope hides in one, in metres.
            let slope = (1.0 - normal.dot(sun).clamp(0.0, 1.0).powi(2)).sqrt();
            let place = place + normal * (texel * (BIAS[0] + BIAS[1] * slope));
            let relative = cascade.rotation.as_dquat().inverse() * (place - cascade.position);
            let clip: DVec4 = cascade.projection.as_dmat4() * relative.extend(1.0);
            if clip.x.abs().max(clip.y.abs()) > 0.98 {
                continue;
            }
            // Toward the light depth grows.
            let depth = clip.z + texel * BIAS[2] / self.span;
            let side = f64::from(TILE);
            let at = [(0.5 + 0.5 * clip.x) * side - 0.5, (0.5 - 0.5 * clip.y) * side - 0.5];
            let mut lit = 0.0;
            for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
                let [x, y] = [at[0].floor() as i64 + dx, at[1].floor() as i64 + dy]
                    .map(|at| at.clamp(0, i64::from(TILE) - 1));
                let (x, y) = (x + cascade.viewport.x as i64, y + cascade.viewport.y as i64);
                let stored = f64::from(self.depth[(y * 2 * i64::from(TILE) + x) as usize]);
                let part = [at[0] - at[0].floor(), at[1] - at[1].floor()];
                let weight = [1.0 - part[0], part[0]][dx as usize] * [1.0 - part[1], part[1]][dy as usize];
                lit += weight * f64::from(u8::from(depth >= stored));
            }
            return Some(1.0 - lit);
        }
        None
    }
}

fn sun(elevation: f64, azimuth: f64) -> DVec3 {
    let (up, across) = elevation.to_radians().sin_cos();
    let (east, north) = azimuth.to_radians().sin_cos();
    DVec3::new(east * across, up, -north * across)
}

/// How many pixels of ground a camera sees, how many lie in shadow, and how many are wrong.
#[derive(Debug, Default)]
struct Off {
    seen: usize,
    dark: usize,
    falsely_dark: usize,
    falsely_lit: usize,
}

impl Off {
    fn percent(&self, count: usize) -> f64 {
        100.0 * count as f64 / self.seen as f64
    }
}

/// Holds the shadows that a camera sees against rays toward the sun.
fn measure(gpu: &Arc<Gpu>, field: &Field, camera: &View, sun: DVec3, settings: &CasterSettings) -> Off {
    let extent = field.desc().range.max - field.desc().range.min;
    let spacing = field.desc().spacing.x;
    let sight = 540.0 * spacing;
    let span = 2.0 * (2.0 * sight + extent);
    let around = camera.position;
    let atlas = Atlas::draw(gpu, field, cascades(around, sun, span / 2.0, spacing), span, settings);
    let mut off = Off::default();
    let (width, height) = (camera.viewport.width as u32, camera.viewport.height as u32);
    for y in (0..height).step_by(2) {
        for x in (0..width).step_by(2) {
            let ray = landform_device_tests::pixel_ray(
                camera,
                glam::DVec2::new(f64::from(x) + 0.5, f64::from(y) + 0.5),
            );
            let Some(hit) = raycast(field, camera.position, ray, sight) else { continue };
            let place = camera.position + ray * hit.distance;
            let Some(normal) = face_normal_at(field, glam::DVec2::new(place.x, place.z)) else { continue };

            let Some(shade) = atlas.shade(place, normal, sun) else { continue };
            // What the light grazes or does not reach is dark by the cosine.
            let facing = normal.dot(sun) > 0.0;
            let truth =
                !facing || raycast(field, place + (normal + sun) * (0.01 * spacing), sun, 1e5).is_some();
            let found = !facing || shade > 0.5;
            off.seen += 1;
            off.dark += usize::from(truth);
            off.falsely_dark += usize::from(found && !truth);
            off.falsely_lit += usize::from(truth && !found);
        }
    }
    let patches = atlas
        .plans
        .iter()
        .map(|plan| (plan.nodes.len(), plan.nodes.first().map_or(0, |node| node.level().0)));
    println!(
        "sun at {:.0}°: {} seen, {:.1} % dark, falsely dark {:.2} %, falsely lit {:.2} %; patches and levels {:?}",
        sun.y.asin().to_degrees(),
        off.seen,
        off.percent(off.dark),
        off.percent(off.falsely_dark),
        off.percent(off.falsely_lit),
        patches.collect::<Vec<_>>()
    );
    assert!(off.seen > 4000, "{off:?}");
    assert!(atlas.plans.iter().all(|plan| plan.nodes.len() <= settings.most_patches as usize));
    off
}

/// Ground to cast on, with a camera over it and how far the sun's cascades see.
fn grounds() -> Vec<(&'static str, Field, View)> {
    let viewport = Viewport::whole(320, 180);
    let mut grounds =
        vec![("hills", hills(1025, 1025), look(DVec3::new(700.0, 260.0, 1500.0), 18.0, -14.0, viewport))];
    let panda = ImportOptions::default().with_spacing(2.0, 2.0).with_range(0.0, 600.0);
    let everest = ImportOptions::default().with_spacing(81.9, 92.6).with_range(284.0, 8840.0);
    let maps = [
        ("panda", shared_field("heights/panda3d_heightfield_1024_u16.png", &panda)),
        ("everest", shared_field("derived/everest_1025_le.r16", &everest)),
    ];
    for (name, field) in maps {
        let Some(field) = field else { continue };
        let desc = *field.desc();
        let middle =
            DVec2::new(f64::from(desc.width), f64::from(desc.height)) * desc.spacing * DVec2::new(0.3, 0.5);
        let ground = height_at(&field, middle).unwrap();
        let above = 0.02 * f64::from(desc.width) * desc.spacing.x;
        grounds.push((
            name,
            field,
            look(DVec3::new(middle.x, ground + above, middle.y), 18.0, -14.0, viewport),
        ));
    }
    grounds
}

const ELEVATIONS: [f64; 3] = [3.0, 15.0, 60.0];

/// Shadows are where rays say, on maps of every kind; the highest of many samples, which coarse mips hold, would darken ground
/// that is lit.
#[test]
fn shadows_lie_where_rays_say() {
    let gpu = shared();
    for (name, field, camera) in grounds() {
        println!("{name}");
        for elevation in ELEVATIONS {
            let off = measure(&gpu, &field, &camera, sun(elevation, 60.0), &CasterSettings::default());
            assert!(off.percent(off.falsely_dark) < 0.5, "{name}, {elevation}°: {off:?}");
            assert!(off.percent(off.falsely_lit) < 2.0, "{name}, {elevation}°: {off:?}");
        }
    }
    // Few patches, so that the caster is coarse: with the heights of its own mips it stands above what receives.
    let (_, field, camera) = grounds().swap_remove(0);
    let mut coarse = CasterSettings::default();
    coarse.most_patches = 24;
    let good = measure(&gpu, &field, &camera, sun(15.0, 60.0), &coarse);
    coarse.finer_heights = 0.0;
    let bad = measure(&gpu, &field, &camera, sun(15.0, 60.0), &coarse);
    assert!(
        good.percent(good.falsely_dark) < 2.0 && bad.percent(bad.falsely_dark) > 10.0,
        "{good:?} {bad:?}"
    );
}

/// A plane and a ramp of 45° have no pixel in false shade, whichever way the light comes.
#[test]
fn plain_ground_shades_nothing() {
    let gpu = shared();
    let desc = FieldDesc::new(513, 513).with_range(0.0, 512.0);
    let step = 65535.0 / 512.0;
    for rise in [0.0, 1.0] {
        let samples = (0..513 * 513).map(|index| ((rise * f64::from(index % 513)) * step).round() as u16);
        let field = Field::from_samples(desc, samples.collect()).unwrap();
        let ground = 200.0 * rise;
        let camera = look(DVec3::new(200.0, ground + 40.0, 300.0), 40.0, -20.0, Viewport::whole(320, 180));
        for elevation in ELEVATIONS {
            for azimuth in [0.0, 60.0, 90.0, 200.0, 270.0, 315.0] {
                let sun = sun(elevation, azimuth);
                let off = measure(&gpu, &field, &camera, sun, &CasterSettings::default());
                assert_eq!(off.falsely_dark, 0, "a rise of {rise}, {elevation}° from {azimuth}°");
            }
        }
    }
}

/// Light falls through a hole, and a hill behind the camera, far before the cascade's near plane, casts all the same.
#[test]
fn holes_cast_nothing_and_hills_behind_do() {
    for optional_features in [true, false] {
        let gpu = Gpu::new(GpuOptions { optional_features, ..GpuOptions::default() }).unwrap();
        let mut field = Field::new(FieldDesc::new(513, 513).with_range(0.0, 400.0)).unwrap();
        let wall = SampleRect::new(60, 0, 4, 513);
        field.edit(wall, |_, codes| codes.fill(u16::MAX));
        for (x, z) in (290..310).flat_map(|x| (200..220).map(move |z| (x, z))) {
            field.set_hole(Quad::new(x, z), true);
        }
        let (sun, middle) = (sun(30.0, 270.0), DVec3::new(300.0, 0.0, 210.0));
        // The light stands 50 m from the middle: the wall is 200 m behind it.
        let cascades = cascades(middle, sun, 50.0, 1.0);
        let atlas = Atlas::draw(&gpu, &field, cascades, 100.0, &CasterSettings::default());
        // The wall is 400 m high: its shade reaches 690 m, over the middle and its hole.
        let (in_hole, _) = atlas.stored(middle);
        assert_eq!(in_hole, 1.0, "the wall's depth is the near plane's, hole or not");
        let mut low = field.clone();
        low.edit(wall, |_, codes| codes.fill(0));
        let atlas = Atlas::draw(&gpu, &low, atlas.cascades.clone(), 100.0, &CasterSettings::default());
        assert_eq!(atlas.stored(middle).0, 0.0, "light falls through the hole");
        let (found, truth) = atlas.stored(middle + DVec3::new(0.0, 0.0, 30.0));
        assert!((found - truth).abs() < 0.01, "{found} {truth}");
        gpu.assert_silent();
    }
}
