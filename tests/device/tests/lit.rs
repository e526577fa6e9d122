//! The lit ground is what its light says: held pixel by pixel against the same sum in 64 bits, over the surface that the split
//! planes have there.

use glam::{DVec3, Vec3};
use landform::light::{Cone, Lamp};
use landform::plan::{Placement, View};
use landform_device_tests::{
    Lighting, LitStage, Place, Planes, SmoothSky, known_to, lit_cameras, lit_ground, placed, random,
    toward_sun,
};
use landform_harness::shared;

const SIZE: [u32; 2] = [192, 108];

/// Far from the world's origin, and turned.
const AWAY: Placement = Placement { translation: DVec3::new(500_000.0, -120.0, -300_000.0), yaw: 0.7 };

/// Lamps that hang and lie over the hills, half of them spots.
fn lamps(placement: &Placement) -> Vec<Lamp> {
    let mut next = random(5);
    let mut unit = move || f64::from(next()) / f64::from(u32::MAX);
    let lamp = |index| {
        let at = DVec3::new(60.0 + 300.0 * unit(), 60.0 + 120.0 * unit(), 200.0 + 250.0 * unit());
        let colour = Vec3::new(1.0, 0.4 + unit() as f32, 0.3 + unit() as f32);
        let toward = Vec3::new(unit() as f32 - 0.5, -1.0, unit() as f32 - 0.5);
        let cone = (index % 2 == 1).then_some(Cone { toward, inner: 0.3, outer: 0.3 + unit() as f32 });
        let range = 60.0 + 90.0 * unit() as f32;
        Lamp { position: placement.to_world(at), intensity: colour * 6e6, range, cone }
    };
    (0..16).map(lamp).collect()
}

/// The lights that are tried: each term alone, and all of them.
fn lightings(placement: &Placement, sky: &SmoothSky) -> Vec<(String, Lighting)> {
    let alone = |elevation: f64| {
        let mut lighting = Lighting::sun(toward_sun(elevation, 130.0), 0.0);
        lighting.scene.sun_illuminance = Vec3::new(100_000.0, 90_000.0, 70_000.0);
        (format!("sun at {elevation}°"), lighting)
    };
    let mut lightings: Vec<_> = [1.0, 12.0, 40.0, 90.0, -85.0].map(alone).into();
    let dark = Lighting::sun(DVec3::Y, 0.0);
    let mut under_sky = dark.clone();
    under_sky.scene.sky = sky.harmonics();
    let by_lamps = Lighting { lamps: lamps(placement), ..dark };
    let mut all = Lighting { lamps: lamps(placement), ..alone(25.0).1 };
    all.scene.sky = sky.harmonics();
    lightings.extend([("sky".into(), under_sky), ("lamps".into(), by_lamps), ("all".into(), all)]);
    lightings
}

fn expected(place: &Place, lighting: &Lighting, sky: &SmoothSky, camera: DVec3) -> DVec3 {
    let scene = &lighting.scene;
    let toward = scene.toward_sun.as_dvec3().normalize();
    let mut light = place.of_sun(toward, scene.sun_illuminance.as_dvec3());
    light += lighting.lamps.iter().map(|lamp| place.of_lamp(lamp, camera)).sum::<DVec3>();
    if scene.sky != Default::default() {
        light += place.of_sky(sky) + place.of_shining_sky(sky);
    }
    // What half precision holds.
    light.min(DVec3::splat(65_000.0))
}

/// What the planes say of each pixel of ground. The ground's own normal is that of the same plan without layers.
fn surfaces(stage: &mut LitStage, bare: &mut LitStage, view: &View) -> Vec<(usize, Place)> {
    let lighting = Lighting::default();
    let planes = stage.draw(view, &lighting, Planes::Split);
    let reliefs = bare.draw(view, &lighting, Planes::Split);
    let vector = |plane: &[f32; 4]| Vec3::from_slice(&plane[..3]).as_dvec3();
    let surface = |pixel: usize| {
        let (relative, toward_eye) = placed(view, pixel, planes.depth[pixel]);
        assert_eq!(planes.specular[pixel], [0.04, 0.04, 0.04, 0.0]);
        let place = Place {
            relative,
            toward_eye,
            normal: vector(&planes.normal[pixel]),
            relief: vector(&reliefs.normal[pixel]),
            albedo: vector(&planes.albedo[pixel]),
            roughness: planes.normal[pixel][3].into(),
            occlusion: planes.albedo[pixel][3].into(),
        };
        (pixel, place)
    };
    planes.ground().map(surface).collect()
}

fn spread(of: impl Iterator<Item = f64>) -> [f64; 2] {
    of.fold([f64::MAX, f64::MIN], |[low, high], value| [low.min(value), high.max(value)])
}

/// Every pixel within 1 % of what it ought to be, or within a thousandth of the picture's mean where it is darker than that.
/// What lit ground is held to, cd/m².
const MOST: f64 = 40_000.0;

#[test]
fn light_is_what_the_sum_says() {
    let gpu = shared();
    let sky = SmoothSky::slanted();
    for (placement, layered) in
        [(Placement::default(), false), (Placement::default(), true), (AWAY, false), (AWAY, true)]
    {
        let mut stage = lit_ground(&gpu, placement, layered, SIZE);
        let mut bare = lit_ground(&gpu, placement, false, SIZE);
        for (camera, view) in lit_cameras(&stage) {
            let surfaces = surfaces(&mut stage, &mut bare, &view);
            let rough = spread(surfaces.iter().map(|(_, place)| place.roughness));
            println!(
                "{camera}, layers {layered}, {} m out: {} pixels, roughness {rough:.2?}",
                placement.translation.length(),
                surfaces.len()
            );
            assert!(surfaces.len() > 10_000 && (!layered || rough[0] < 0.2 && rough[1] > 0.8));
            for (name, lighting) in lightings(&placement, &sky) {
                let picture = stage.draw(&view, &lighting, Planes::Luminance);
                assert_eq!(picture.ground().count(), surfaces.len());
                let expected: Vec<_> = surfaces
                    .iter()
                    .map(|(_, place)| expected(place, &lighting, &sky, view.position).min(DVec3::splat(MOST)))
                    .collect();
                let mean = expected.iter().map(|light| light.element_sum() / 3.0).sum::<f64>()
                    / expected.len() as f64;
                let [mut worst, mut most] = [0f64; 2];
                for ((pixel, place), light) in surfaces.iter().zip(&expected) {
                    let drawn = picture.light(*pixel).as_dvec3();
                    most = most.max(drawn.max_element());
                    let metres = known_to(&view, place.relative);
                    let lamps = lighting.lamps.iter();
                    let slack: DVec3 = lamps.map(|lamp| place.lamp_slack(lamp, view.position, metres)).sum();
                    let apart = ((drawn - light).abs() - slack).max(DVec3::ZERO);
                    let error = (apart / (light + 0.1 * mean + 1e-9)).max_element();
                    assert!(error < 0.01, "{name}: {drawn}, not {light}, at pixel {pixel}: {place:?}");
                    worst = worst.max(error);
                }
                println!("  {name}: {mean:.0} cd/m² of at most {most:.0}, off by {:.4} %", 100.0 * worst);
                let sunken = lighting.scene.toward_sun.y < 0.0;
                assert!(
                    if sunken { most == 0.0 } else { mean > 20.0 && most <= MOST },
                    "{name}: {mean}, {most}"
                );
            }
        }
    }
}
