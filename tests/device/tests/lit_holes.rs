//! Light through a cave: a low sun behind a ridge shines through its holes onto the ground before it, and with the holes closed
//! does not. Its picture is `frame-cave` of `frame_pictures.rs`.

use glam::{DVec2, DVec3, Vec3};
use landform::frame::ShadowLayout;
use landform::light::{Atmosphere, CascadeSettings, ClearSky, SceneLight, SkyTable};
use landform::plan::TerrainSettings;
use landform::query::face_normal_at;
use landform_device_tests::{
    Lighting, LitStage, Planes, ShadeCounts, cave, cave_view, in_shade, placed, toward_sun,
};
use landform_harness::{Gpu, GpuOptions};
use std::sync::Arc;

const SIZE: [u32; 2] = [480, 270];

/// What of the luminance of parts of the plain before the ridge is left by the sun's shadows, and how they lie against rays.
#[derive(Debug)]
struct Seen {
    /// Where light falls through the cave where it is open.
    strip: f32,
    /// The ridge's shade to both sides of it.
    beside: f32,
    /// Beyond the shade.
    sunlit: f32,
    /// Shadows against rays, on all of the plain.
    off: ShadeCounts,
}

/// Under a clear sky, with the sun at 16° a little east of north: the ridge's shade is 382 m long, the light from the cave's
/// mouth reaches 187 m.
fn seen(gpu: &Arc<Gpu>, open: bool) -> Seen {
    let field = cave(open);
    let mut stage = LitStage::new(gpu, field.clone(), TerrainSettings::default(), SIZE);
    let (view, toward) = (cave_view(stage.viewport()), toward_sun(16.0, 4.0));
    let sky = ClearSky::new(&Atmosphere::default()).unwrap();
    let mut table = SkyTable::default();
    sky.fill(200.0, toward.as_vec3(), &mut table);
    let scene = SceneLight::of_sky(&sky, 200.0, toward.as_vec3(), &table, Vec3::splat(0.2));
    let layout = ShadowLayout::new(4, 1024);
    let settings =
        CascadeSettings { layout, distance: 1200.0, split: 1.0, nearest: 44.0, ..CascadeSettings::default() };
    let bare = Lighting { scene, ..Lighting::default() };
    let shaded = Lighting { shadows: Some(settings), ..bare.clone() };
    let bare = stage.draw(&view, &bare, Planes::Luminance);
    let shaded = stage.draw(&view, &shaded, Planes::Luminance);
    let mut parts = [[0f32; 3]; 3];
    let mut off = ShadeCounts::default();
    for pixel in bare.ground() {
        // Nearer to the ridge the level that is drawn there has its slope, which does not face the sun.
        let place: DVec3 = view.position + placed(&view, pixel, bare.depth[pixel]).0;
        if place.z < 440.0 {
            continue;
        }
        let (with, without) = (shaded.light(pixel).element_sum(), bare.light(pixel).element_sum());
        // Across from the middle of the light that goes through the cave.
        let across = (place.x - (522.0 - 4f64.to_radians().tan() * (place.z - 400.0))).abs();
        let part = match place.z {
            440.0..580.0 if across < 14.0 => Some(0),
            440.0..580.0 if (36.0..150.0).contains(&across) => Some(1),
            820.0.. => Some(2),
            _ => None,
        };
        if let Some(part) = part {
            let [count, lit, all] = &mut parts[part];
            (*count, *lit, *all) = (*count + 1.0, *lit + with, *all + without);
        }
        let Some(normal) = face_normal_at(&field, DVec2::new(place.x, place.z)) else { continue };
        // The sky's light alone is well below half of both.
        off.count(with < 0.6 * without, in_shade(&field, place, normal, toward));
    }
    let [strip, beside, sunlit] = parts.map(|[count, lit, all]| {
        assert!(count > 250.0, "{count} pixels");
        lit / all
    });
    Seen { strip, beside, sunlit, off }
}

#[test]
fn a_low_sun_shines_through_a_cave() {
    for optional_features in [true, false] {
        let gpu = Gpu::new(GpuOptions { optional_features, ..GpuOptions::default() }).unwrap();
        let [open, closed] = [true, false].map(|open| seen(&gpu, open));
        println!("open {open:?}\nclosed {closed:?}");
        // The strip is as bright as if the ridge cast nothing; in shade the sky alone is left, a fifth.
        assert!(open.strip > 0.99, "{open:?}");
        for shade in [open.beside, closed.beside, closed.strip] {
            assert!((0.02..0.3).contains(&shade), "{open:?} {closed:?}");
        }
        for Seen { sunlit, off, .. } in [&open, &closed] {
            let [falsely_dark, falsely_lit] = off.wrong();
            assert!(*sunlit > 0.99 && falsely_dark < 0.5 && falsely_lit < 2.0, "{off}");
        }
        gpu.assert_silent();
    }
}
