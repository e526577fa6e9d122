//! A frame with split planes and one without are the same picture.

use glam::{DVec3, Vec3};
use landform::plan::Placement;
use landform_device_tests::{
    Lighting, LitPicture, LitStage, Planes, SmoothSky, lit_cameras, lit_ground, srgb, toward_sun,
};
use landform_harness::shared;

const SIZE: [u32; 2] = [192, 108];

/// What the sky's light is added by, as the shader that combines planes does it, with nothing else occluding.
fn combined(planes: &LitPicture, pixel: usize, sky: &SmoothSky) -> DVec3 {
    let vector = |plane: &[[f32; 4]]| Vec3::from_slice(&plane[pixel][..3]).as_dvec3();
    let (albedo, occlusion) = (vector(&planes.albedo), f64::from(planes.albedo[pixel][3]));
    let withheld = albedo * sky.matt(vector(&planes.normal).normalize()) * occlusion;
    planes.light(pixel).as_dvec3() + withheld
}

/// As a screen shows it: exposed, rolled off toward white at four times the middle, and encoded as sRGB.
fn shown(light: DVec3, exposure: f64) -> DVec3 {
    let light = light * exposure;
    let rolled = light * (1.0 + light / 16.0) / (1.0 + light);
    DVec3::from_array(rolled.to_array().map(|value| srgb::encoded(value.clamp(0.0, 1.0))))
}

/// The sun and the sky at noon and at dusk, and the sky alone.
fn lightings(sky: &SmoothSky) -> Vec<(&'static str, Lighting)> {
    let under = |elevation: f64, lux: f32| {
        let mut lighting = Lighting::sun(toward_sun(elevation, 130.0), lux);
        lighting.scene.sky = sky.harmonics();
        lighting
    };
    vec![("noon", under(50.0, 100_000.0)), ("dusk", under(6.0, 20_000.0)), ("sky", under(-10.0, 0.0))]
}

/// With planes of floats the two are the same to rounding. With the formats that a frame stores, albedo has 255 steps of sRGB
/// and the layers' occlusion 255: what the sky adds is off by half a step of each, which on a screen is less than one step of
/// 255.
#[test]
fn split_planes_and_one_agree() {
    let gpu = shared();
    let sky = SmoothSky::slanted();
    for layered in [false, true] {
        let mut stage: LitStage = lit_ground(&gpu, Placement::default(), layered, SIZE);
        for (camera, view) in lit_cameras(&stage) {
            for (name, lighting) in lightings(&sky) {
                let whole = stage.draw(&view, &lighting, Planes::Luminance);
                let split = stage.draw(&view, &lighting, Planes::Split);
                let stored = stage.draw(&view, &lighting, Planes::Stored);
                let pixels: Vec<_> = whole.ground().collect();
                assert!(
                    pixels.iter().copied().eq(split.ground()) && pixels.iter().copied().eq(stored.ground())
                );
                let mean = pixels.iter().map(|&pixel| f64::from(whole.light(pixel).y)).sum::<f64>()
                    / pixels.len() as f64;
                let (mut worst, mut steps, mut withheld, mut least) = (0f64, 0f64, 0f64, 1f32);
                for &pixel in &pixels {
                    let expected = whole.light(pixel).as_dvec3();
                    let error = (combined(&split, pixel, &sky) - expected).abs() / expected;
                    worst = worst.max(error.max_element());
                    let off = shown(combined(&stored, pixel, &sky), 0.5 / mean) - shown(expected, 0.5 / mean);
                    steps = steps.max(255.0 * off.abs().max_element());
                    withheld = withheld.max(1.0 - f64::from(split.light(pixel).y) / expected.y);
                    least = least.min(split.albedo[pixel][3]);
                }
                println!(
                    "{camera}, layers {layered}, {name}: off by {:.4} %, stored by {steps:.2} of 255 steps; occlusion from \
                     {least:.2}, {:.0} % withheld at most",
                    100.0 * worst,
                    100.0 * withheld
                );
                // The harmonics are projected over 8192 directions.
                assert!(worst < 1e-3, "{name}: off by {worst}");
                assert!(steps < 1.0, "{name}: {steps} of 255 steps");
                assert!(withheld > 0.2 && (least < 0.7) == layered, "{name}: {withheld} withheld, {least}");
            }
        }
    }
}

/// What planes hold: unit normals of the world, albedo of light, a dielectric; and nothing where there is no ground.
#[test]
fn planes_hold_what_they_say() {
    let gpu = shared();
    let placement = Placement { translation: DVec3::new(3000.0, 0.0, -500.0), yaw: 1.1 };
    for layered in [false, true] {
        let mut stage = lit_ground(&gpu, placement, layered, SIZE);
        let mut unturned = lit_ground(&gpu, Placement::default(), layered, SIZE);
        // The same picture, for the camera is turned with the terrain; its normals are turned in the world.
        let (view, level) = (lit_cameras(&stage)[0].1, lit_cameras(&unturned)[0].1);
        let lighting = Lighting::default();
        let (planes, other) =
            (stage.draw(&view, &lighting, Planes::Stored), unturned.draw(&level, &lighting, Planes::Split));
        let mut off = 0;
        for pixel in 0..planes.luminance.len() {
            if planes.luminance[pixel][3] == 0.0 {
                assert_eq!(
                    [planes.albedo[pixel], planes.normal[pixel], planes.specular[pixel]],
                    [[0.0; 4]; 3]
                );
                continue;
            }
            let vector = |plane: &[[f32; 4]]| Vec3::from_slice(&plane[pixel][..3]).as_dvec3();
            let normal = vector(&planes.normal);
            assert!((normal.length() - 1.0).abs() < 1e-3, "{normal}");
            assert!((vector(&planes.specular) - 0.04).abs().max_element() < 1e-3);
            // Textures lie along the world's axes, so that layers are others on turned ground.
            let turned = placement.direction_to_world(vector(&other.normal));
            let apart =
                (turned - normal).length().max((vector(&planes.albedo) - vector(&other.albedo)).length());
            // Outlines may fall on either side of a pixel's middle.
            off += usize::from(!layered && apart > 0.01);
        }
        println!("layers {layered}: {off} pixels are another place's");
        assert!(off < planes.luminance.len() / 100, "{off} pixels");
    }
}
