use super::super::tests::Folder;
use super::super::{Alpha, WeightOptions, import_weights};
use super::*;
use std::fs;

const SIZE: (u32, u32) = (21, 9);

/// Weights that look like noise, of so many layers.
fn noise(layers: u32, over: u32) -> Weights {
    let mut state = 1u32;
    let amounts: Vec<u16> = (0..SIZE.0 * SIZE.1 * layers)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u16
        })
        .collect();
    Weights::of_amounts_with(SIZE.0, SIZE.1, layers, over, &amounts).unwrap()
}

/// Weights whose channels say little: one layer everywhere, and some of another in the east.
fn plain(layers: u32, whole: u32, faint: u32) -> Weights {
    let sample = |x: u32| {
        (0..layers).map(move |layer| match layer {
            _ if layer == whole => 255 - 3 * u16::from(x >= 8),
            _ if layer == faint => 3 * u16::from(x >= 8),
            _ => 0,
        })
    };
    let amounts: Vec<u16> = (0..SIZE.0 * SIZE.1).flat_map(|index| sample(index % SIZE.0)).collect();
    Weights::of_amounts(SIZE.0, SIZE.1, layers, &amounts).unwrap()
}

#[track_caller]
fn survives(weights: &Weights, path: &Path, kind: WeightFiles) {
    let files = export_weights(weights, path, kind).unwrap();
    let options = WeightOptions::default().with_over(weights.over());
    let (again, report) = import_weights(&files, &options).unwrap_or_else(|why| panic!("{kind:?}: {why}"));
    assert!(again == *weights, "{kind:?}, {} layers, over {:b}: {report}", weights.layers(), weights.over());
    assert!(report.assumptions.is_empty() && report.scaled == 0, "{report}");
}

#[test]
fn what_is_written_reads_back_byte_for_byte() {
    let folder = Folder::new("round-trip");
    let path = folder.0.join("a.png");
    for kind in [WeightFiles::Pages, WeightFiles::Masks] {
        for layers in [1, 2, 3, 4, 5, 6, 7, 8, 13, 16, 32] {
            survives(&noise(layers, 0), &path, kind);
            survives(&noise(layers, 0b1010_0110_1110 & ((1u64 << layers) - 1) as u32), &path, kind);
        }
        survives(&noise(5, 0b01111), &path, kind);
        survives(&noise(16, 0b1000_0000_0000_0001), &path, kind);
        // An alpha that is the same everywhere, small numbers in patches, layers that are nowhere.
        for (layers, whole, faint) in [(4, 3, 0), (4, 0, 3), (8, 7, 3), (6, 5, 4), (13, 3, 12), (16, 11, 15)]
        {
            survives(&plain(layers, whole, faint), &path, kind);
        }
    }
}

#[test]
fn files_are_named_by_their_number() {
    let names = |kind: WeightFiles, path: &str, layers: u32| {
        let paths = kind.paths(path, layers).into_iter();
        paths.map(|path| path.to_string_lossy().replace('\\', "/")).collect::<Vec<_>>()
    };
    let pages = |layers: u32| names(WeightFiles::Pages, "out/a.b.png", layers);
    assert_eq!([pages(1), pages(4)], [["out/a.b.png"], ["out/a.b.png"]]);
    assert_eq!(pages(5), ["out/a.b-0.png", "out/a.b-1.png"]);
    assert_eq!(pages(13).len(), 4);
    assert_eq!((pages(32).len(), pages(32)[7].as_str()), (8, "out/a.b-7.png"));
    assert_eq!(names(WeightFiles::Masks, "a", 1), ["a-0"]);
    let ten = names(WeightFiles::Masks, "a.png", 10);
    assert_eq!((ten.len(), ten[9].as_str()), (10, "a-9.png"));
    let eleven = names(WeightFiles::Masks, "a.png", 11);
    assert_eq!((eleven[0].as_str(), eleven[10].as_str()), ("a-00.png", "a-10.png"));
    // As a shell lists them.
    assert!(names(WeightFiles::Masks, "a.png", 16).is_sorted());
}

#[test]
fn all_files_are_replaced_or_none() {
    let folder = Folder::new("set");
    let path = folder.0.join("a.png");
    for number in [0, 1, 2] {
        fs::write(folder.0.join(format!("a-{number}.png")), "old").unwrap();
    }
    fs::create_dir(folder.0.join("a-3.png")).unwrap();
    let text = export_weights(&noise(16, 0), &path, WeightFiles::Pages).unwrap_err().to_string();
    assert!(text.contains("a-3.png") && text.contains("is no file"), "{text}");
    let old = |number: u32| fs::read(folder.0.join(format!("a-{number}.png"))).unwrap() == b"old";
    assert!(old(0) && old(1) && old(2));
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 4, "something is left");
    export_weights(&noise(12, 0), &path, WeightFiles::Pages).unwrap();
    assert!(!old(0) && !old(1) && !old(2));
    assert_eq!(fs::read_dir(&folder.0).unwrap().count(), 4, "something is left");
    let text = export_weights(&noise(5, 0), "..", WeightFiles::Pages).unwrap_err().to_string();
    assert!(text.contains("no name of a file"), "{text}");
}

/// What a program does that keeps the text and paints on a channel that was no layer.
#[test]
fn a_text_that_the_picture_belies_is_read_past() {
    let folder = Folder::new("belied");
    let layers = |name: &str, text: &str, color: ColorType, bytes: &[u8], options: &WeightOptions| {
        let path = folder.0.join(name);
        let pixels = bytes.len() / color.samples();
        let mut encoder = png::Encoder::new(fs::File::create(&path).unwrap(), pixels as u32, 1);
        encoder.set_color(color);
        encoder.add_text_chunk(LAYERS_KEY.to_owned(), text.to_owned()).unwrap();
        encoder.write_header().unwrap().write_image_data(bytes).unwrap();
        import_weights(&[path], options).unwrap().0.layers()
    };
    let options = WeightOptions::default();
    let ignore = options.clone().with_alpha(Alpha::Ignore);
    assert_eq!(layers("two.png", "2", ColorType::Rgb, &[200, 55, 0, 100, 155, 0], &options), 2);
    assert_eq!(layers("three.png", "2", ColorType::Rgb, &[200, 55, 0, 100, 150, 5], &options), 3);
    for text in ["0", "5", "-1", "many", ""] {
        assert_eq!(layers("opaque.png", text, ColorType::Rgba, &[200, 50, 5, 255], &options), 3, "{text}");
    }
    assert_eq!(layers("four.png", "4", ColorType::Rgba, &[200, 50, 5, 255], &options), 4);
    assert_eq!(layers("three.png", "4", ColorType::Rgba, &[200, 50, 5, 255], &ignore), 3);
}
