//! The standard frame as a whole, and without each of its parts.

use glam::{DVec2, DVec3, Vec3};
use landform::light::{AIRGLOW, Lamp, Moon, Night};
use landform::plan::{View, Viewport};
use landform::query::height_at;
use landform_device_tests::{FrameStage, drawn, hills, look, toward_sun};
use landform_harness::{Gpu, Image8, golden_flip, mean_flip, shared};
use std::sync::Arc;

const SIZE: (u32, u32) = (160, 90);

/// Frames after which a picture is about as it stays.
const FRAMES: u32 = 16;

/// Everything that the preset has, with shadows that are quick.
const WHOLE: &str = "(nodes: [StandardFrame(shadow_tile: 512, shadow_cascades: 2)])";

fn view((width, height): (u32, u32)) -> View {
    look(DVec3::new(690.0, 190.0, 1150.0), 18.0, -12.0, Viewport::whole(width, height))
}

/// Hills at dusk, with lamps before the camera.
fn stage(gpu: &Arc<Gpu>, document: &str, size: (u32, u32)) -> FrameStage {
    let field = hills(513, 513);
    let lamp = |at: u32| {
        let place = DVec2::new(690.0 + 45.0 * f64::from(at % 5), 1000.0 - 60.0 * f64::from(at / 5));
        let ground = height_at(&field, place).expect("ground");
        Lamp {
            position: DVec3::new(place.x, ground + 6.0, place.y),
            intensity: 20_000.0 * Vec3::new(1.0, 0.44, 0.16),
            range: 70.0,
            cone: None,
        }
    };
    let lamps = (0..15).map(lamp).collect();
    let mut stage = FrameStage::new(gpu, field, document, size.0, size.1);
    stage.set_sun(5.0, 300.0);
    stage.lamps = lamps;
    stage
}

/// So many frames after a cut, which also meters anew.
fn settled(stage: &mut FrameStage, view: &View) -> Image8 {
    (0..FRAMES).map(|frame| stage.draw(&View { cut: frame == 0, ..*view })).last().expect("a frame")
}

/// Any node may be off: what is left is a picture, and none that says nothing of the node.
#[test]
fn each_node_can_be_off() {
    let gpu = shared();
    let (mut stage, view) = (stage(&gpu, WHOLE, SIZE), view(SIZE));
    let whole = settled(&mut stage, &view);
    let labels: Vec<_> = stage.compositor.document().nodes.iter().map(|node| node.label()).collect();
    assert_eq!(labels.len(), 14, "{labels:?}");
    for (node, label) in labels.iter().enumerate() {
        assert!(stage.compositor.set_enabled(node, false));
        let without = settled(&mut stage, &view);
        stage.compositor.set_enabled(node, true);
        let flip = mean_flip(&whole, &without).expect("one size");
        println!("without {label}: mean FLIP {flip:.4}");
        // A camera that stands has no motion, lamps are the same whoever sorts them, and this host draws nothing of its own. Open
        // hills take little of the sky from each other.
        let says_nothing = [
            "LightClusters",
            "ShadowMap",
            "Pass Main",
            "Pass Motion",
            "TerrainVelocity",
            "SkyVelocity",
            "AmbientOcclusion",
        ];
        if says_nothing.contains(&label.as_str()) {
            assert!(flip < 0.008, "without {label}: {flip}");
        } else {
            assert!(flip > 0.01, "without {label} the picture is the same: {flip}");
        }
    }
    let again = settled(&mut stage, &view);
    assert!(mean_flip(&whole, &again).expect("one size") < 0.008, "all are on again");
    gpu.assert_silent();
}

/// Any part may be left out of the document.
#[test]
fn each_part_can_be_left_out() {
    let gpu = shared();
    let size = (64, 36);
    let mut stage = stage(&gpu, WHOLE, size);
    let whole = settled(&mut stage, &view(size));
    for part in ["clusters", "shadows", "occlusion", "sky", "temporal", "metered"] {
        let document = WHOLE.replace("StandardFrame(", &format!("StandardFrame({part}: false, "));
        stage.compositor.set_document(drawn(&document)).expect("a document without it");
        let without = settled(&mut stage, &view(size));
        let lit = without.pixels().filter(|pixel| pixel[..3].iter().any(|code| *code > 8)).count();
        assert!(lit > (size.0 * size.1 / 2) as usize, "without {part} {lit} pixels are lit");
        if part != "clusters" {
            assert_ne!(whole, without, "without {part}");
        }
    }
    gpu.assert_silent();
}

/// Dusk with lamps: what is resolved, occluded, metered and lit by clusters together.
#[test]
fn dusk_with_lamps() {
    let gpu = shared();
    let size = (480, 270);
    let mut stage = stage(&gpu, "(nodes: [StandardFrame(shadow_tile: 1024)])", size);
    stage.set_sun(0.4, 300.0);
    let picture = settled(&mut stage, &view(size));
    golden_flip("frame-dusk-lamps", &picture, 0.02);
    gpu.assert_silent();
}

/// A night with a half moon and the same lamps, which is exposed for what there is.
#[test]
fn night_with_lamps() {
    let gpu = shared();
    let size = (480, 270);
    let mut stage = stage(&gpu, "(nodes: [StandardFrame(shadow_tile: 1024)])", size);
    let moon = Moon { toward: toward_sun(35.0, 300.0).as_vec3(), phase: 0.5 };
    let night = Night { moon: Some(moon), airglow: AIRGLOW, stars: Some(Night::celestial(0.8, 1.0)) };
    stage.set_night(-20.0, 60.0, &night);
    stage.lamps.iter_mut().for_each(|lamp| lamp.intensity *= 0.015);
    let picture = settled(&mut stage, &view(size));
    golden_flip("frame-night-lamps", &picture, 0.02);
    gpu.assert_silent();
}
