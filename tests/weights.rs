//! Pictures of layer weights that people have. The files are not part of the repository; a test whose files are not there
//! says so and passes.

#[path = "common/heightmaps.rs"]
mod common;

use common::shared_or_end;
use landform::field::Sample;
use landform::import::{Alpha, WeightOptions, import_weights};

/// Any picture of weights becomes weights that are 255 together, an empty sample all of layer 0.
#[test]
fn weights_are_whole_whatever_the_picture_says() {
    let read = |file: &str, alpha| {
        let options = WeightOptions::default().with_alpha(alpha);
        common::shared(file).map(|path| import_weights(&[path], &options).unwrap())
    };
    let Some((empty, report)) = read("synth/splat_allzero_257.png", Alpha::Auto) else { return };
    assert_eq!((report.empty, report.scaled), (257 * 257, 257 * 257), "{report}");
    assert!(report.warnings[0].contains("every sample is empty"), "{report}");
    assert!(
        empty
            .bytes()
            .chunks_exact(empty.layers() as usize)
            .all(|w| w[0] == 255 && w[1..].iter().all(|&w| w == 0))
    );

    let (opaque, report) = read("synth/splat_R255_A255_257.png", Alpha::Auto).unwrap();
    assert!(report.assumptions[0].contains("alpha is no layer"), "{report}");
    assert!(
        opaque.bytes().chunks_exact(3).all(|weights| weights == [255, 0, 0]),
        "opaque alpha is no fourth layer"
    );
    let (both, _) = read("synth/splat_R255_A255_257.png", Alpha::Layer).unwrap();
    assert!(both.bytes().chunks_exact(4).all(|weights| weights == [128, 0, 0, 127]));

    let (thirds, report) = read("synth/splat_sum600_257.png", Alpha::Auto).unwrap();
    assert_eq!(report.sums, (600.0, 600.0), "{report}");
    assert!(
        thirds.bytes().chunks_exact(thirds.layers() as usize).all(|weights| weights[..3] == [85, 85, 85])
    );

    let (erased, report) = read("synth/splat_erased_disc_257.png", Alpha::Auto).unwrap();
    assert!(report.empty > 0 && report.empty < 257 * 257, "{report}");
    assert_eq!(erased.at(Sample::new(128, 128))[0], 255, "what was erased has layer 0");

    for (file, alpha, size, layers, sums) in [
        ("splat/hterrain_splat_513_rgba.png", Alpha::Auto, 513, 3, (188.0, 255.0)),
        ("splat/mundus_splat_512_rgba.png", Alpha::Layer, 512, 4, (255.0, 925.0)),
        ("splat/mundus_splat_512_rgba.png", Alpha::Auto, 512, 3, (0.0, 670.0)),
        ("splat/urho3d_TerrainWeights_1024_rgb.png", Alpha::Auto, 1024, 3, (251.0, 430.0)),
    ] {
        let (weights, report) = read(file, alpha).unwrap();
        assert_eq!((weights.width(), weights.height(), weights.layers()), (size, size, layers), "{report}");
        assert_eq!((report.sums.0.round(), report.sums.1.round()), sums, "{report}");
        let whole = |weights: &[u8]| weights.iter().map(|&weight| u32::from(weight)).sum::<u32>() == 255;
        assert!(weights.bytes().chunks_exact(layers as usize).all(whole), "{file}");
    }
}

#[test]
fn numbers_of_layers_are_no_weights() {
    for region in ["m01", "m02", "p00"] {
        let file =
            shared_or_end!(&format!("splat/terrain3d_demo_00_{region}_1024_base_overlay_blend_hole.png"));
        let text = import_weights(&[&file], &WeightOptions::default()).unwrap_err().to_string();
        assert!(text.contains("layer numbers"), "{text}");
        let faint = WeightOptions::default().with_allow_faint(true);
        import_weights(&[file], &faint).unwrap_or_else(|why| panic!("{region}: {why}"));
    }
    for file in ["splat/lumix_splatmap_256_ids.tga", "splat/urho3d_TerrainWeights_1024.dds"] {
        let text =
            import_weights(&[shared_or_end!(file)], &WeightOptions::default()).unwrap_err().to_string();
        assert!(text.contains("no whole PNG"), "{text}");
    }
    let files = [
        shared_or_end!("splat/mundus_splat_512_rgba.png"),
        shared_or_end!("splat/hterrain_splat_513_rgba.png"),
    ];
    let text = import_weights(&files, &WeightOptions::default()).unwrap_err().to_string();
    assert!(text.contains("513×513") && text.contains("512×512"), "{text}");
}
