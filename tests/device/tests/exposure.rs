//! Metering: what a picture is exposed for, how fast that follows the light, and what it makes nothing of.

use ash::vk;
use glam::DVec3;
use landform::Result;
use landform::draw::{Compositor, Frame, FrameHost, HostImage, HostScope};
use landform::frame::TerrainFactory;
use landform::gpu::{Cmd, Device, TargetBarrier, Usage};
use landform::light::SceneLight;
use landform::plan::{View, ViewId, Viewport};
use landform_device_tests::{drawn, look};
use landform_harness::{Frames, Gpu, Image8, Offscreen, OffscreenDesc, shared};
use std::sync::Arc;

/// Pixels of a small picture.
const SIZE: (u32, u32) = (48, 36);

/// What a host node paints over the frame's luminance: parts of the picture (left, top, width, height, in 48ths and 36ths) and what they
/// are cleared to.
#[derive(Clone, Default)]
struct Painter(Vec<([u32; 4], [f32; 4])>);

impl Painter {
    fn plain(luminance: f32) -> Self {
        Self(vec![([0, 0, 48, 36], [luminance; 4])])
    }

    fn with(mut self, part: [u32; 4], colour: [f32; 4]) -> Self {
        self.0.push((part, colour));
        self
    }
}

impl FrameHost for Painter {
    fn record(&mut self, cmd: &Cmd<'_>, _: &str, scope: &HostScope<'_>) -> Result<()> {
        let target = scope.target("SceneHdr").expect("the plane that is painted");
        for ([left, top, width, height], colour) in &self.0 {
            let [x, y] = [left * target.extent[0] / 48, top * target.extent[1] / 36];
            let extent =
                vk::Extent2D { width: width * target.extent[0] / 48, height: height * target.extent[1] / 36 };
            let attachment = [vk::RenderingAttachmentInfo::default()
                .image_view(target.view.view)
                .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(vk::ClearValue { color: vk::ClearColorValue { float32: *colour } })];
            let area = vk::Rect2D { offset: vk::Offset2D { x: x as i32, y: y as i32 }, extent };
            let info = vk::RenderingInfo::default().layer_count(1).color_attachments(&attachment);
            cmd.begin_rendering(&info.render_area(area))?;
            cmd.end_rendering();
            // One after the other: they lie over each other.
            let (from, to) = (Usage::ColorTarget, Usage::ColorTarget);
            let aspect = vk::ImageAspectFlags::COLOR;
            cmd.target_barriers(&[TargetBarrier { image: target.image, aspect, from, to, discard: false }]);
        }
        Ok(())
    }
}

/// A frame that is painted, metered and shown.
struct Meter {
    gpu: Arc<Gpu>,
    device: Arc<Device>,
    compositor: Compositor,
    offscreen: Offscreen,
    resized: u64,
    painter: Painter,
    view: View,
    compensation: f32,
    seconds: f64,
}

impl Meter {
    /// With these fields of an `Exposure` node.
    fn new(gpu: &Arc<Gpu>, fields: &str) -> Self {
        Self::of(gpu, &document(&format!("Exposure({fields}), Tonemap()")))
    }

    fn of(gpu: &Arc<Gpu>, document: &str) -> Self {
        // SAFETY: the harness' host is valid and outlives the meter, and every frame is waited for before it is dropped.
        let device = unsafe { Device::new(gpu.host()) }.unwrap();
        let desc = OffscreenDesc { depth: None, ..OffscreenDesc::new(SIZE.0, SIZE.1) };
        Self {
            compositor: Compositor::new(&device, drawn(document), TerrainFactory::default()).unwrap(),
            offscreen: Offscreen::new(gpu, desc).unwrap(),
            device,
            resized: 0,
            painter: Painter::default(),
            view: look(DVec3::ZERO, 0.0, 0.0, Viewport::whole(SIZE.0, SIZE.1)),
            compensation: 0.0,
            seconds: 1.0 / 60.0,
            gpu: gpu.clone(),
        }
    }

    fn record(&mut self, raw: vk::CommandBuffer) -> Result<()> {
        let frame = Frame {
            output: HostImage { revision: self.resized, ..self.offscreen.output() },
            views: &[("Camera", self.view)],
            targets: &[],
            light: None,
            has_camera: false,
            sky: None,
            lamps: &[],
            terrains: &[],
            ev100: 7.0,
            compensation: self.compensation,
            seconds: self.seconds,
        };
        // SAFETY: the harness hands over a command buffer that records, and waits for it or throws it away.
        let cmd = unsafe { self.device.record(raw) };
        self.compositor.record(&cmd, &frame, &mut self.painter)
    }

    fn draw(&mut self) {
        let gpu = self.gpu.clone();
        self.device.begin_frame();
        gpu.submit_and_wait(|raw| self.record(raw)).unwrap().unwrap();
        self.view.cut = false;
    }

    fn lose(&mut self) {
        let gpu = self.gpu.clone();
        self.device.begin_frame();
        gpu.record_and_discard(|raw| self.record(raw)).unwrap().unwrap();
        self.compositor.forget();
    }

    /// What a frame with this painted is exposed for. Time stands still afterwards, until the host knows.
    fn expose(&mut self, painter: Painter, seconds: f64) -> f32 {
        self.painter = painter;
        self.seconds = seconds;
        self.draw();
        self.seconds = 0.0;
        for _ in 0..self.device.slots() {
            self.draw();
        }
        self.compositor.ev100().expect("an exposure that is known")
    }

    fn picture(&mut self) -> Image8 {
        self.offscreen.read_color().unwrap()
    }
}

fn document(nodes: &str) -> String {
    format!(
        "(views: [\"Camera\"], targets: [(name: \"SceneHdr\", format: Rgba32Float)], nodes: [\
         Host(name: \"paint\", view: \"Camera\", clears: [\"SceneHdr\"]), {nodes}])"
    )
}

/// A picture that lies elsewhere in its target is no other picture: exposure goes on at its pace, and a cut is followed at once.
#[test]
fn another_viewport_is_no_cut() {
    let gpu = shared();
    let mut meter = Meter::new(&gpu, "followed: 1");
    let before = meter.expose(Painter::plain(100.0), 0.1);
    meter.view.viewport.width *= 0.5;
    let moved = meter.expose(Painter::plain(100_000.0), 0.1);
    assert!((moved - before - 0.3).abs() < 0.02, "{before} to {moved} in a tenth of a second at 3 a second");
    meter.view.cut = true;
    let cut = meter.expose(Painter::plain(100_000.0), 0.1);
    assert!(cut > before + 5.0, "{cut}");
    gpu.assert_silent();
}

/// What wholly follows the light: a picture of one luminance is exposed to a quarter of what the sensor holds.
fn whole(luminance: f64) -> f64 {
    (luminance / (1.2 * 0.25)).log2()
}

fn near(found: f32, expected: f64, tolerance: f64, what: &str) {
    let found = f64::from(found);
    assert!((found - expected).abs() <= tolerance, "{what}: {found} where {expected} was expected");
}

const WIDE: &str = "darkest: -16, brightest: 24, up: 1000, down: 1000,";

/// From starlight to the brightest clouds, and all of the light followed or part of it.
#[test]
fn a_plain_picture_is_exposed_for_its_luminance() {
    let gpu = shared();
    for followed in [1.0, 0.85, 0.0] {
        let mut meter = Meter::new(&gpu, &format!("{WIDE} followed: {followed}"));
        for step in 0..=25 {
            let luminance = 1e-3 * 10f64.powf(f64::from(step) * 0.3);
            let ev100 = meter.expose(Painter::plain(luminance as f32), 1.0);
            let whole = whole(luminance);
            let expected = if whole < 14.4 { 14.4 + followed * (whole - 14.4) } else { whole };
            near(ev100, expected, 0.01, &format!("{luminance} cd/m² at {followed}"));
        }
    }
    gpu.assert_silent();
}

/// Below a sunny day, what lies around a grey card in the light is exposed for what the light itself says.
#[test]
fn a_picture_around_a_grey_card_is_exposed_as_its_light() {
    let gpu = shared();
    let mut meter = Meter::new(&gpu, WIDE);
    for scale in [0.7, 0.1, 1e-3] {
        let mut light = SceneLight::default();
        light.sun_illuminance *= scale;
        light.sky.0.iter_mut().for_each(|factor| *factor *= scale);
        let up = light.toward_sun.normalize().y.max(0.2);
        let lux = light.sun_illuminance.y * up + light.sky.irradiance(glam::Vec3::Y).y;
        let card = 0.18 * lux / std::f32::consts::PI;
        // A column a step, over 2.7 exposure values.
        let columns = (0..48u32).map(|x| {
            let away = 2.7 * ((x as f32 + 0.5) / 48.0 - 0.5);
            ([x, 0, 1, 36], [card * away.exp2(); 4])
        });
        let ev100 = meter.expose(Painter(columns.collect()), 1.0);
        near(ev100, f64::from(light.ev100()), 0.02, "around a grey card");
    }
    gpu.assert_silent();
}

/// The tonemap of a frame exposes for what was metered in that frame, of what is over the whole picture and of what is in a part of it.
#[test]
fn a_frame_is_shown_as_it_was_metered() {
    let gpu = shared();
    let painter = Painter::plain(30.0).with([0, 0, 30, 36], [900.0, 700.0, 300.0, 1.0]);
    for fields in ["", "offset: -1.5", "followed: 1"] {
        let mut meter = Meter::new(&gpu, fields);
        meter.painter = painter.clone();
        meter.draw();
        let (first, ev100) = (meter.picture(), meter.expose(painter.clone(), 0.0));
        let mut fixed = Meter::of(&gpu, &document(&format!("Tonemap(ev100: {ev100:?})")));
        fixed.painter = painter.clone();
        fixed.draw();
        let difference = first.difference(&fixed.picture()).unwrap();
        assert!(difference.most <= 1, "{fields}: {difference:?}");
        // What the document writes goes before what is metered.
        let mut written = Meter::of(&gpu, &document(&format!("Exposure(), Tonemap(ev100: {ev100:?})")));
        written.painter = painter.clone();
        written.draw();
        assert_eq!(written.picture(), fixed.picture());
        assert_eq!(fixed.compositor.ev100(), None, "nothing meters");
    }
    gpu.assert_silent();
}

/// Of several meters a tonemap takes the nearest before it.
#[test]
fn the_nearest_meter_counts() {
    let gpu = shared();
    let two = "Exposure(offset: 3), Exposure(), Tonemap(), Exposure(offset: -3)";
    let mut meter = Meter::of(&gpu, &document(two));
    let mut one = Meter::new(&gpu, "");
    let painter = Painter::plain(40.0);
    let last = meter.expose(painter.clone(), 0.0);
    let expected = one.expose(painter, 0.0);
    assert_eq!(meter.picture(), one.picture());
    near(last, f64::from(expected) - 3.0, 1e-4, "the last one's");
    gpu.assert_silent();
}

/// The exposure of each frame after a step in luminance, for some seconds.
fn curve(meter: &mut Meter, luminance: f32, rate: u32, seconds: u32) -> Vec<f32> {
    let frames = rate * seconds;
    meter.painter = Painter::plain(luminance);
    meter.seconds = 1.0 / f64::from(rate);
    let late = meter.device.slots() as u32;
    let mut found = Vec::new();
    for frame in 0..frames + late {
        if frame == frames {
            meter.seconds = 0.0;
        }
        meter.draw();
        if frame >= late {
            found.push(meter.compositor.ev100().unwrap());
        }
    }
    found
}

/// A step in the light is followed by so many exposure values a second, whatever the frame rate.
#[test]
fn light_is_followed_at_its_pace() {
    let gpu = shared();
    let (dark, bright) = (50.0f64, 400.0f64);
    for rate in [30, 144] {
        let mut meter = Meter::new(&gpu, "followed: 1, up: 3, down: 1.5");
        near(meter.expose(Painter::plain(dark as f32), 0.0), whole(dark), 0.01, "dark");
        for (from, to, pace, seconds) in [(dark, bright, 3.0, 2), (bright, dark, -1.5, 3)] {
            let curve = curve(&mut meter, to as f32, rate, seconds);
            let (from, to) = (whole(from), whole(to));
            let mut last = from;
            for (frame, ev100) in curve.iter().enumerate() {
                let time = f64::from(frame as u32 + 1) / f64::from(rate);
                let expected =
                    if pace > 0.0 { (from + pace * time).min(to) } else { (from + pace * time).max(to) };
                // Two in a hundred of the way.
                near(*ev100, expected, 0.02 * (to - from).abs(), &format!("{time} s at {rate}"));
                let ev100 = f64::from(*ev100);
                assert!((ev100 - last) * pace >= -1e-6, "turned back at {time} s");
                assert!((ev100 - to) * pace <= 0.01 * pace.abs(), "{ev100} is past {to}");
                last = ev100;
            }
        }
    }
    gpu.assert_silent();
}

#[test]
fn bounds_and_an_offset_hold() {
    let gpu = shared();
    let mut meter = Meter::new(&gpu, "darkest: 2, brightest: 9, up: 1000, down: 1000, followed: 1");
    assert_eq!(meter.expose(Painter::plain(1e-3), 1.0), 2.0);
    assert_eq!(meter.expose(Painter::plain(1e4), 1.0), 9.0);
    near(meter.expose(Painter::plain(10.0), 1.0), whole(10.0), 0.01, "between");
    let mut meter = Meter::new(&gpu, "offset: -2, up: 1000, down: 1000, followed: 0.5");
    near(meter.expose(Painter::plain(10.0), 1.0), 14.4 + 0.5 * (whole(10.0) - 14.4) - 2.0, 0.01, "offset");
    meter.compensation = 1.5;
    let brighter = meter.expose(Painter::plain(10.0), 1.0);
    near(brighter, 14.4 + 0.5 * (whole(10.0) - 14.4) - 3.5, 0.01, "compensation");
    meter.compensation = 0.0;
    // A clock that is no clock moves nothing.
    let before = meter.expose(Painter::plain(10.0), 1.0);
    for seconds in [f64::NAN, f64::INFINITY, -5.0] {
        assert_eq!(meter.expose(Painter::plain(5000.0), seconds), before);
    }
    gpu.assert_silent();
}

/// What is not finite or black does not count, and where nothing counts the last value is kept.
#[test]
fn what_is_no_light_is_not_metered() {
    let gpu = shared();
    let mut meter = Meter::new(&gpu, WIDE);
    let plain = meter.expose(Painter::plain(80.0), 1.0);
    let left = [0, 0, 40, 36];
    for what in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -4.0, 0.0, 1e-9] {
        for colour in [[what; 4], [80.0, what, what, 1.0]] {
            if what.is_finite() && colour[0] != what {
                continue;
            }
            let ev100 = meter.expose(Painter::plain(80.0).with(left, colour), 1.0);
            near(ev100, f64::from(plain), 1e-4, &format!("{colour:?}"));
        }
        let only = meter.expose(Painter::plain(what), 1.0);
        near(only, f64::from(plain), 1e-4, &format!("nothing but {what}"));
    }
    // Far brighter than the brightest bin: finite, and exposed for that.
    let most = meter.expose(Painter::plain(1e30), 1.0);
    near(most, whole(20f64.exp2()), 0.01, "the brightest bin");
    // And it follows again, from where it was.
    near(meter.expose(Painter::plain(80.0), 1.0), f64::from(plain), 1e-4, "light again");
    gpu.assert_silent();
}

/// A frame that begins black is exposed for what the frame says, and the first light is taken at once.
#[test]
fn a_black_beginning_waits_for_light() {
    let gpu = shared();
    let mut meter = Meter::new(&gpu, "followed: 1");
    assert_eq!(meter.expose(Painter::plain(0.0), 1.0), 7.0);
    near(meter.expose(Painter::plain(500.0), 0.0), whole(500.0), 0.01, "the first light");
    // A cut to black keeps what was, and what is seen next is new as well.
    meter.view.cut = true;
    near(meter.expose(Painter::plain(0.0), 1.0), whole(500.0), 0.01, "black");
    near(meter.expose(Painter::plain(4.0), 0.0), whole(4.0), 0.01, "after black");
    // Black without a cut is a blink.
    near(meter.expose(Painter::plain(0.0), 1.0), whole(4.0), 0.01, "a blink");
    near(meter.expose(Painter::plain(500.0), 0.0), whole(4.0), 0.01, "after it");
    gpu.assert_silent();
}

/// A cut, another camera, a node that was off: nothing is followed from before.
#[test]
fn a_cut_is_exposed_for_at_once() {
    let gpu = shared();
    let mut meter = Meter::new(&gpu, "followed: 1");
    near(meter.expose(Painter::plain(500.0), 0.0), whole(500.0), 0.01, "first");
    let slow = meter.expose(Painter::plain(4.0), 0.1);
    near(slow, whole(500.0) - 0.15, 0.01, "followed");
    meter.view.cut = true;
    near(meter.expose(Painter::plain(4.0), 0.1), whole(4.0), 0.01, "a cut");
    meter.view.id = ViewId(9);
    near(meter.expose(Painter::plain(500.0), 0.0), whole(500.0), 0.01, "another camera");
    let metered = meter.picture();
    // Off: the frame's own exposure, and nothing is known.
    assert!(meter.compositor.set_enabled(1, false));
    for _ in 0..=meter.device.slots() {
        meter.draw();
    }
    assert_eq!(meter.compositor.ev100(), None);
    let mut fixed = Meter::of(&gpu, &document("Tonemap()"));
    fixed.painter = Painter::plain(500.0);
    fixed.draw();
    assert_eq!(meter.picture(), fixed.picture());
    assert_ne!(meter.picture(), metered);
    assert!(meter.compositor.set_enabled(1, true));
    near(meter.expose(Painter::plain(4.0), 0.0), whole(4.0), 0.01, "on again");
    gpu.assert_silent();
}

/// Another size goes on from what was; a frame that was lost is forgotten.
#[test]
fn sizes_change_and_frames_are_lost() {
    let gpu = shared();
    let mut meter = Meter::new(&gpu, "followed: 1");
    near(meter.expose(Painter::plain(500.0), 0.0), whole(500.0), 0.01, "first");
    for (width, height) in [(7, 5), (700, 500), (1, 1), SIZE] {
        let desc = OffscreenDesc { depth: None, ..OffscreenDesc::new(width, height) };
        meter.offscreen = Offscreen::new(&gpu, desc).unwrap();
        meter.resized += 1;
        meter.view.viewport = Viewport::whole(width, height);
        near(meter.expose(Painter::plain(500.0), 0.0), whole(500.0), 0.01, "another size");
        near(meter.expose(Painter::plain(4.0), 0.0), whole(500.0), 0.01, "as before");
    }
    meter.lose();
    assert_eq!(meter.compositor.ev100(), None);
    meter.lose();
    near(meter.expose(Painter::plain(4.0), 0.0), whole(4.0), 0.01, "after a lost frame");
    let mut fresh = Meter::new(&gpu, "followed: 1");
    fresh.lose();
    near(fresh.expose(Painter::plain(4.0), 0.0), whole(4.0), 0.01, "a first frame that is lost");
    // Another document meters anew.
    meter.compositor.set_document(drawn(&document("Exposure(followed: 1, offset: 1), Tonemap()"))).unwrap();
    near(meter.expose(Painter::plain(70.0), 0.0), whole(70.0) + 1.0, 0.01, "another document");
    gpu.assert_silent();
}

/// Two frames in flight and none waited for find what frames find that are waited for.
#[test]
fn frames_in_flight_find_the_same() {
    let gpu = shared();
    let light = |frame: u32| Painter::plain(20.0 + 400.0 * (frame % 7) as f32);
    let mut waited = Meter::new(&gpu, "followed: 1");
    let mut flying = Meter::new(&gpu, "followed: 1");
    let mut frames = Frames::new(&gpu).unwrap();
    // A picture is drawn into while the one before is.
    let desc = OffscreenDesc { depth: None, ..OffscreenDesc::new(SIZE.0, SIZE.1) };
    let mut pictures: Vec<_> = (0..20).map(|_| Offscreen::new(&gpu, desc.clone()).unwrap()).collect();
    for frame in 0..20u32 {
        waited.painter = light(frame);
        waited.draw();
        flying.painter = light(frame);
        std::mem::swap(&mut flying.offscreen, &mut pictures[frame as usize]);
        flying.resized += 1;
        let raw = frames.begin().unwrap();
        flying.device.begin_frame();
        flying.record(raw).unwrap();
        frames.submit(vk::SubmitInfo::default()).unwrap();
        assert_eq!(flying.compositor.ev100(), waited.compositor.ev100(), "frame {frame}");
        assert_eq!(flying.compositor.ev100().is_some(), frame >= 2);
    }
    drop(frames);
    gpu.assert_silent();
}

/// A steady frame writes no descriptor and makes nothing, whatever the light does.
#[test]
fn a_steady_frame_writes_nothing() {
    let gpu = shared();
    let mut meter = Meter::new(&gpu, "");
    let output = vk::Format::R8G8B8A8_SRGB;
    meter.compositor.make_pipelines(output, &[]).unwrap();
    let made = meter.device.live_resources().iter().filter(|live| live.kind == "pipeline").count();
    let mut before = None;
    for step in 0..10u32 {
        meter.painter = Painter::plain(10.0 + step as f32);
        meter.draw();
        let now = (meter.device.descriptor_writes(), meter.device.live_resources().len());
        if step >= 4 {
            assert_eq!(*before.get_or_insert(now), now, "at step {step}");
        }
    }
    let after = meter.device.live_resources().iter().filter(|live| live.kind == "pipeline").count();
    assert_eq!(made, after, "no frame waited for a pipeline");
    gpu.assert_silent();
}

/// A look at luminance is exposed as the picture is.
#[test]
fn luminance_is_shown_as_metered() {
    let gpu = shared();
    let mut meter = Meter::new(&gpu, "followed: 1");
    meter.compositor.show(Some("SceneHdr")).unwrap();
    for luminance in [0.5, 2000.0] {
        meter.view.cut = true;
        meter.expose(Painter::plain(luminance), 0.0);
        let [red, ..] = meter.picture().pixel(5, 5);
        // A quarter rolled off is a fifth, and 124 of 255 in sRGB.
        assert!((123..=125).contains(&red), "{red} at {luminance} cd/m²");
    }
    gpu.assert_silent();
}
