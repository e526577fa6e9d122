//! Maps of layer numbers and of holes that people have. The files are not part of the repository; a test whose files are not
//! there says so and passes.

#[path = "common/heightmaps.rs"]
mod common;

use common::{plain, read, shared_or_end};
use landform::field::Weights;
use landform::import::{Channel, HoleOptions, IdOptions, import_holes, import_ids};

fn is_of_whole_layers(weights: &Weights) -> bool {
    weights.check().unwrap();
    weights.bytes().iter().all(|&weight| weight == 0 || weight == 255)
}

/// Terrain3D's numbers are in red (base) and green (overlay); 0, 1 and 3 are used, and nothing lies between two.
#[test]
fn terrain3d_numbers_are_layers() {
    for (region, base, overlay) in [
        ("p00", vec![1031266, 17310], vec![206294, 842282]),
        ("m01", vec![1000969, 47607], vec![255052, 793524]),
        ("m02", vec![1048576], vec![137120, 910660, 0, 796]),
    ] {
        let file =
            shared_or_end!(&format!("splat/terrain3d_demo_00_{region}_1024_base_overlay_blend_hole.png"));
        for (channel, samples) in [(Channel::Red, base), (Channel::Green, overlay)] {
            let (weights, report) = import_ids(&file, &IdOptions::default().with_channel(channel)).unwrap();
            assert_eq!(report.samples, samples, "{region}\n{report}");
            assert!(is_of_whole_layers(&weights) && weights.layers() as usize == samples.len());
        }
    }
}

#[test]
fn lumix_numbers_are_layers() {
    let file = shared_or_end!("splat/lumix_splatmap_256_ids.tga");
    let (weights, report) = import_ids(&file, &IdOptions::default()).unwrap();
    assert_eq!(report.samples, [50044, 15492], "{report}");
    assert!(is_of_whole_layers(&weights));
}

/// A field takes its own region's layers and holes.
#[test]
fn terrain3d_holes_open_their_region() {
    let heights = shared_or_end!("derived/terrain3d_demo_00_p00_1024_f32.exr");
    let control = shared_or_end!("splat/terrain3d_demo_00_p00_1024_base_overlay_blend_hole.png");
    let (mut field, _) = read(&heights, &plain());
    let options = HoleOptions::default().with_channel(Channel::Alpha).with_invert(true);
    let holes = import_holes(&control, &options).unwrap();
    assert_eq!((holes.size(), holes.count()), ((1024, 1024), 905));
    let opened = holes.open_in(&mut field).unwrap();
    assert!(opened >= 905 && opened == field.holes().count(), "{opened}");
    let (weights, _) = import_ids(&control, &IdOptions::default()).unwrap();
    field.set_weights(Some(weights)).unwrap();
}
