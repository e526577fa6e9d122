//! The night as a device draws it: as much light as its stars and its moon have, wherever they fall between pixels.

use ash::vk;
use glam::{DVec3, Mat4, Quat, Vec3};
use landform::field::{Field, FieldDesc};
use landform::light::{
    Atmosphere, ClearSky, Harmonics, Moon, MoonLight, Night, NightLight, SceneLight, SkyTable, Star,
    StarLight, stars,
};
use landform::plan::{TerrainSettings, View, Viewport};
use landform_device_tests::{FrameStage, Lighting, LitStage, Place, Planes, hills, look, placed};
use landform_harness::{Gpu, Offscreen, OffscreenDesc, shared};
use std::sync::Arc;

/// The sky alone, as luminance: no air, no ground before it, no tonemap.
const SKY: &str = r#"(
    views: ["Camera"],
    targets: [(name: "Z", format: Depth32Float)],
    nodes: [
        Pass(stage: Main, output: "Output", depth: "Z", view: "Camera"),
        Sky(output: "Output", depth: "Z", view: "Camera", haze: false),
    ],
)"#;

/// A picture of luminance.
struct Sky {
    stage: FrameStage,
    size: u32,
}

impl Sky {
    fn new(gpu: &Arc<Gpu>, size: u32) -> Self {
        let mut stage = FrameStage::new(gpu, hills(65, 65), SKY, size, size);
        let color = vec![vk::Format::R32G32B32A32_SFLOAT];
        let desc = OffscreenDesc { color, depth: None, ..OffscreenDesc::new(size, size) };
        stage.offscreen = Offscreen::new(gpu, desc).unwrap();
        Self { stage, size }
    }

    /// A view of so many degrees, high up, for none of the ground is to be in it.
    fn view(&self, yaw: f32, pitch: f32, degrees: f32) -> View {
        let rotation = View::looking(yaw.to_radians(), pitch.to_radians());
        let whole = Viewport::whole(self.size, self.size);
        View::perspective(DVec3::new(0.0, 3000.0, 0.0), rotation, degrees.to_radians(), 0.1, whole)
    }

    fn draw(&mut self, view: &View, night: NightLight) -> Vec<Vec3> {
        let dark = SceneLight {
            sun_illuminance: Vec3::ZERO,
            sky: Harmonics::default(),
            night: Some(night),
            ..SceneLight::default()
        };
        self.stage.light = Some(dark);
        self.stage.draw_with(view, &mut ()).unwrap();
        let bytes = self.stage.offscreen.read_color_bytes(0, 16).unwrap();
        let texel = |bytes: &[u8]| {
            let [r, g, b] = [0, 4, 8].map(|at| f32::from_ne_bytes(bytes[at..at + 4].try_into().unwrap()));
            Vec3::new(r, g, b)
        };
        bytes.chunks_exact(16).map(texel).collect()
    }

    /// Where a direction is seen, in pixels; None behind the camera.
    fn place(&self, view: &View, toward: Vec3) -> Option<[f32; 2]> {
        let clip = view.projection * (view.rotation.inverse() * toward).extend(0.0);
        let half = 0.5 * self.size as f32;
        (clip.w > 0.0).then(|| [(clip.x / clip.w + 1.0) * half, (1.0 - clip.y / clip.w) * half])
    }

    /// Lux of a pixel on what faces it, for each cd/m² of its luminance: its solid angle. `around` the middle pixels are as large.
    fn area(&self, view: &View, x: usize, y: usize) -> f32 {
        let wide = 2.0 / (view.projection.y_axis.y * self.size as f32);
        let from_middle = |at: usize| (at as f32 + 0.5 - 0.5 * self.size as f32) * wide;
        let (x, y) = (from_middle(x), from_middle(y));
        wide * wide / (1.0 + x * x + y * y).powf(1.5)
    }

    /// Lux in a square of pixels around a place, and where it lies in the mean.
    fn around(&self, view: &View, picture: &[Vec3], place: [f32; 2], reach: i32) -> (Vec3, [f32; 2]) {
        let (mut lux, mut at) = (Vec3::ZERO, [0f32; 2]);
        let [left, top] = place.map(|at| at.floor() as i32);
        for (x, y) in
            (top - reach..=top + reach).flat_map(|y| (left - reach..=left + reach).map(move |x| (x, y)))
        {
            let (x, y) = (x as usize, y as usize);
            let light = picture[y * self.size as usize + x] * self.area(view, x, y);
            lux += light;
            at = [at[0] + light.y * (x as f32 + 0.5), at[1] + light.y * (y as f32 + 0.5)];
        }
        (lux, at.map(|at| at / lux.y))
    }

    fn lux(&self, view: &View, picture: &[Vec3]) -> Vec3 {
        let size = self.size as usize;
        let light = |(at, light): (usize, &Vec3)| *light * self.area(view, at % size, at / size);
        picture.iter().enumerate().map(light).sum()
    }
}

fn starry(turn: Quat) -> NightLight {
    NightLight { moon: None, moon_is_key: false, stars: Some(StarLight { turn, depth: Vec3::ZERO }) }
}

/// What the catalogue has in a view is what the picture has, over each edge and corner of the cube that the stars lie on.
#[test]
fn a_field_of_stars_has_the_light_of_its_stars() {
    let gpu = shared();
    let turns =
        [Quat::IDENTITY, Quat::from_rotation_x(0.785), Quat::from_euler(glam::EulerRot::XYZ, 0.6, 0.8, 0.4)];
    for (size, turn) in [256, 600].into_iter().flat_map(|size| turns.map(|turn| (size, turn))) {
        let mut sky = Sky::new(&gpu, size);
        let view = sky.view(0.0, 90.0, 70.0);
        let picture = sky.draw(&view, starry(turn));
        let inside = |star: &Star| {
            let place = sky.place(&view, turn * star.toward);
            place.is_some_and(|place| place.iter().all(|at| (0.0..size as f32).contains(at)))
        };
        let (mut lux, mut count) = (Vec3::ZERO, 0);
        stars().filter(inside).for_each(|star| (lux, count) = (lux + star.illuminance, count + 1));
        let found = sky.lux(&view, &picture);
        println!("{size} pixels: {count} stars of {lux} lx, drawn {found}, {}", found / lux);
        assert!(count > 500 && ((found / lux) - 1.0).abs().max_element() < 0.03, "{found}, and not {lux}");
    }
    gpu.assert_silent();
}

/// Wherever a star falls between pixels, and however large they are, it has its light, and lies where it is.
#[test]
fn stars_hold_still_under_a_camera_that_jitters() {
    let gpu = shared();
    let turn = Quat::from_rotation_y(2.0);
    for size in [320, 900] {
        let mut sky = Sky::new(&gpu, size);
        let view = sky.view(20.0, 70.0, 50.0);
        let margin = 8.0..size as f32 - 8.0;
        let mut bright: Vec<_> = stars()
            .filter_map(|star| Some((star, sky.place(&view, turn * star.toward)?)))
            .filter(|(_, place)| place.iter().all(|at| margin.contains(at)))
            .collect();
        bright.sort_by(|(one, _), (other, _)| other.illuminance.y.total_cmp(&one.illuminance.y));
        // Those that have no other within the square of pixels that is summed up.
        let all = bright.clone();
        let alone = |(star, place): &(Star, [f32; 2])| {
            all.iter().all(|(other, at)| {
                let near = (at[0] - place[0]).abs().max((at[1] - place[1]).abs()) < 6.0;
                other == star || !near
            })
        };
        bright.retain(alone);
        bright.truncate(30);
        assert!(bright.len() == 30);
        for jitter in 0..8 {
            let off = [(jitter * 5 % 8) as f32 / 8.0 - 0.5, jitter as f32 / 8.0 - 0.5];
            let shift = Vec3::new(2.0 * off[0] / size as f32, -2.0 * off[1] / size as f32, 0.0);
            let jittered = View { projection: Mat4::from_translation(shift) * view.projection, ..view };
            let picture = sky.draw(&jittered, starry(turn));
            for (star, place) in &bright {
                let (lux, at) = sky.around(&view, &picture, *place, 3);
                let part = lux / star.illuminance;
                assert!((part - 1.0).abs().max_element() < 0.05, "{part} of {star:?} at {off:?} in {size}");
                let moved = [at[0] - place[0] - off[0], at[1] - place[1] - off[1]];
                assert!(moved.iter().all(|by| by.abs() < 0.1), "{star:?} lies {moved:?} off");
            }
        }
    }
    gpu.assert_silent();
}

fn moon(phase: f32, toward: Vec3, toward_sun: Vec3) -> NightLight {
    let moon = Moon { toward, phase };
    let light = MoonLight { moon, illuminance: moon.illuminance() * 0.7, toward_sun };
    NightLight { moon: Some(light), moon_is_key: true, stars: None }
}

/// The disc has the light that falls on the ground, whatever part of it is lit and however many pixels it has; and it is lit from where
/// the sun is.
#[test]
fn the_disc_of_a_moon_has_its_light() {
    let gpu = shared();
    let (size, yaw, pitch) = (256, 30.0f32, 40.0f32);
    let mut sky = Sky::new(&gpu, size);
    for degrees in [3.0, 30.0] {
        let view = sky.view(yaw, pitch, degrees);
        let toward = view.rotation * Vec3::new(0.004, -0.003, -1.0);
        let sun = view.rotation * Vec3::new(1.0, -0.2, 0.0);
        for phase in [1.0, 0.8, 0.5, 0.15] {
            let light = moon(phase, toward, sun);
            let picture = sky.draw(&view, light);
            let found = sky.lux(&view, &picture);
            let lux = light.moon.unwrap().illuminance;
            println!("{phase} of a moon in {degrees}°: {}", found / lux);
            // A thin crescent is narrower than a pixel where the disc has four of them across.
            let most = if phase < 0.5 && degrees > 10.0 { 0.15 } else { 0.05 };
            assert!(((found / lux) - 1.0).abs().max_element() < most, "{found}, and not {lux}");
            let place = sky.place(&view, toward).unwrap();
            let (_, middle) = sky.around(&view, &picture, place, if degrees < 10.0 { 25 } else { 6 });
            let right = middle[0] - place[0];
            assert!(
                if phase == 1.0 { right.abs() < 0.1 } else { right > 0.1 * (1.0 - phase) },
                "{phase}: {right}"
            );
        }
    }
    gpu.assert_silent();
}

/// What lies flat in a full moon's light has its lux times the cosine.
#[test]
fn moonlit_ground_has_the_lux_of_its_moon() {
    let gpu = shared();
    let sky = ClearSky::new(&Atmosphere::default()).unwrap();
    let field = Field::new(FieldDesc::new(129, 129)).unwrap();
    let mut stage = LitStage::new(&gpu, field, TerrainSettings::default(), [96, 64]);
    let view = look(DVec3::new(64.0, 30.0, 110.0), 0.0, -40.0, stage.viewport());
    let planes = stage.draw(&view, &Lighting::default(), Planes::Split);
    for elevation in [70.0f32, 35.0, 12.0] {
        let (up, flat) = elevation.to_radians().sin_cos();
        let toward = Vec3::new(0.6 * flat, up, 0.8 * flat);
        let night = Night { moon: Some(Moon::full(toward)), ..Night::default() };
        let (sun, mut table) = (Vec3::new(0.2, -0.6, -0.5).normalize(), SkyTable::new());
        sky.fill_night(0.0, sun, &night, &mut table);
        let lit = SceneLight::of_night_sky(&sky, 0.0, sun, &night, &table, Vec3::splat(0.2));
        let shaded = SceneLight { sun_illuminance: Vec3::ZERO, ..lit.clone() };
        let of = |scene| Lighting { scene, ..Lighting::default() };
        let with = stage.draw(&view, &of(lit), Planes::Luminance);
        let without = stage.draw(&view, &of(shaded), Planes::Luminance);
        let expected = sky.moon_illuminance(0.0, &Moon::full(toward)) * up;
        let mut worst = 0f32;
        for pixel in with.ground() {
            let (relative, toward_eye) = placed(&view, pixel, planes.depth[pixel]);
            let [normal, albedo] =
                [&planes.normal, &planes.albedo].map(|plane| Vec3::from_slice(&plane[pixel][..3]).as_dvec3());
            let place = Place {
                relative,
                normal,
                relief: normal,
                toward_eye,
                albedo,
                roughness: planes.normal[pixel][3].into(),
                occlusion: planes.albedo[pixel][3].into(),
            };
            let a_lux = (place.reflected(toward.as_dvec3()) / f64::from(up)).as_vec3();
            let lux = (with.light(pixel) - without.light(pixel)) / a_lux;
            worst = worst.max((lux / expected - 1.0).abs().max_element());
        }
        println!("a moon at {elevation}°: {expected} lx on the ground, off by {worst}");
        assert!(with.ground().count() > 3000 && worst < 0.01, "{worst}");
    }
    gpu.assert_silent();
}

/// By day a night is not seen: neither its glow nor its stars, and of its moon the disc alone.
#[test]
fn a_day_with_a_night_is_the_same_picture() {
    let gpu = shared();
    let document = "(nodes: [StandardFrame(bare: true, shadow_tile: 256)])";
    let mut stage = FrameStage::new(&gpu, hills(513, 513), document, 160, 90);
    let view = look(DVec3::new(700.0, 260.0, 1500.0), 18.0, -4.0, Viewport::whole(160, 90));
    // Behind the camera.
    let night = Night { moon: Some(Moon::full(Vec3::new(-0.3, 0.5, 0.9))), ..Night::default() };
    for elevation in [40.0, 5.0, 0.0] {
        stage.set_sun(elevation, 120.0);
        let day = stage.draw(&view);
        stage.set_night(elevation, 120.0, &night);
        let difference = stage.draw(&view).difference(&day).unwrap();
        assert!(difference.most <= 1, "{difference:?} with the sun at {elevation}°");
    }
    // And at night it is all there is.
    stage.set_sun(-30.0, 120.0);
    let dark = stage.draw(&view);
    stage.set_night(-30.0, 120.0, &night);
    let moonlit = stage.draw(&view);
    let mean = |picture: &landform_harness::Image8| {
        picture.pixels().map(|pixel| f64::from(pixel[1])).sum::<f64>() / f64::from(160 * 90)
    };
    println!("mean green of 255: {} in the dark, {} by the moon", mean(&dark), mean(&moonlit));
    assert!(mean(&dark) < 3.0 && mean(&moonlit) > 15.0, "{} and {}", mean(&dark), mean(&moonlit));
    // It is seen without much colour, and what it has is bluish, though the moon's light is warm.
    let ground = |channel: usize| -> f64 {
        moonlit.pixels().skip(160 * 60).map(|pixel| f64::from(pixel[channel])).sum::<f64>()
    };
    let blue = ground(2) / ground(0);
    println!("ground by the moon is {blue} times as blue as red");
    assert!((1.02..1.6).contains(&blue), "{blue}");
    gpu.assert_silent();
}
