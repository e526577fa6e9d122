use super::*;
use clap::Parser;
use landform::field::{FieldDesc, Quad, Sample};
use landform::splat::{BlendSet, Layer, LayerMode, Rule};
use png::{BitDepth, ColorType};
use std::fs::File;

/// A folder for the pictures of a test, which removes itself.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("landform-layers-{}-{test}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    /// A picture of `width` × `height` pixels of these bytes, each of which is a pixel's that many times.
    fn picture(
        &self,
        name: &str,
        (width, height): (u32, u32),
        color: ColorType,
        pixel: impl Fn(u32, u32) -> Vec<u8>,
    ) -> PathBuf {
        let path = self.0.join(name);
        let bytes: Vec<u8> = (0..width * height).flat_map(|i| pixel(i % width, i / width)).collect();
        let mut encoder = png::Encoder::new(File::create(&path).unwrap(), width, height);
        encoder.set_color(color);
        encoder.set_depth(BitDepth::Eight);
        encoder.write_header().unwrap().write_image_data(&bytes).unwrap();
        path
    }

    fn rgb(&self, name: &str, pixel: impl Fn(u32, u32) -> [u8; 3]) -> PathBuf {
        self.picture(name, SIZE, ColorType::Rgb, |x, z| pixel(x, z).to_vec())
    }

    fn grey(&self, name: &str, size: (u32, u32), pixel: impl Fn(u32, u32) -> u8) -> PathBuf {
        self.picture(name, size, ColorType::Grayscale, |x, z| vec![pixel(x, z)])
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const SIZE: (u32, u32) = (17, 9);

fn field() -> Field {
    Field::new(FieldDesc::new(SIZE.0, SIZE.1).with_tile_samples(16)).unwrap()
}

/// A material of layers in these modes, and so many blend sets.
fn material(modes: &[LayerMode], sets: usize) -> Material {
    let layer = |(number, &mode): (usize, &LayerMode)| {
        let mut layer = Layer::new(format!("layer {number}"));
        layer.mode = mode;
        layer
    };
    let mut material = Material::default();
    material.layers = modes.iter().enumerate().map(layer).collect();
    material.sets = vec![BlendSet::default(); sets];
    material
}

/// The ground after the layers were laid on it.
fn laid(args: &LayerArgs, material: &Material) -> Result<Field> {
    let mut field = field();
    args.lay(&mut field, material, &RuleMaps::default())?;
    Ok(field)
}

#[track_caller]
fn refused(args: &LayerArgs, material: &Material, part: &str) {
    let sentence = laid(args, material).map(|_| ()).unwrap_err().sentence;
    assert!(sentence.contains(part), "{sentence}");
}

#[track_caller]
fn weights_at(field: &Field, x: u32, z: u32) -> &[u8] {
    field.weights().unwrap().at(Sample::new(x, z))
}

use LayerMode::{Alpha as Over, Height, Weight};

#[test]
fn weights_obey_the_modes_of_the_layers() {
    let folder = Folder::new("modes");
    let rgb = folder.rgb("rgb.png", |x, _| if x < 8 { [100, 200, 100] } else { [255, 70, 0] });
    let args = |file: &PathBuf| LayerArgs { weights: vec![file.clone()], ..LayerArgs::default() };
    let field = laid(&args(&rgb), &material(&[Weight, Over, Height], 1)).unwrap();
    assert_eq!(field.weights().unwrap().over(), 0b010);
    assert_eq!(
        (weights_at(&field, 0, 0), weights_at(&field, 8, 0)),
        (&[128, 200, 127][..], &[255, 70, 0][..])
    );
    let field = laid(&args(&rgb), &material(&[Weight, Weight, Height], 1)).unwrap();
    assert_eq!(weights_at(&field, 0, 0), [64, 127, 64]);
    // The only channel lies over a layer that has none.
    let grey = folder.grey("grey.png", SIZE, |x, _| (10 * x + 40) as u8);
    let field = laid(&args(&grey), &material(&[Over, Over, Weight, Weight], 1)).unwrap();
    assert_eq!(field.weights().unwrap().over(), 0b011);
    assert_eq!(weights_at(&field, 16, 3), [200, 0, 255]);
    // No file has such layers, but a program's own list may.
    let field = laid(&args(&rgb), &material(&[Over, Over, Over], 1)).unwrap();
    assert_eq!((field.weights().unwrap().over(), weights_at(&field, 0, 0)), (0b110, &[255, 200, 100][..]));
    // A channel that is empty is no layer, and one that is not is refused.
    let field = laid(&args(&rgb), &material(&[Weight, Over], 1)).unwrap_err();
    assert!(field.sentence.contains("weights of 3 layers, and the material has 2"), "{}", field.sentence);
    let two = folder.rgb("two.png", |x, _| [200, 10 * x as u8, 0]);
    let field = laid(&args(&two), &material(&[Weight, Over], 1)).unwrap();
    assert_eq!((field.weights().unwrap().over(), weights_at(&field, 9, 0)), (0b10, &[255, 90][..]));
}

#[test]
fn alpha_and_faint_weights_are_stated_as_for_the_command() {
    let folder = Folder::new("alpha");
    let rgba = folder.picture("rgba.png", SIZE, ColorType::Rgba, |_, _| vec![0, 0, 0, 255]);
    let faint = folder.grey("faint.png", SIZE, |x, _| if x < 9 { 1 } else { 3 });
    let args = |files: &[&PathBuf]| LayerArgs {
        weights: files.iter().map(|&file| file.clone()).collect(),
        ..LayerArgs::default()
    };
    let four = material(&[Weight; 4], 1);
    assert_eq!(weights_at(&laid(&args(&[&rgba]), &four).unwrap(), 0, 0), [255, 0, 0]);
    let stated = LayerArgs { alpha: Alpha::Layer, ..args(&[&rgba]) };
    assert_eq!(weights_at(&laid(&stated, &four).unwrap(), 0, 0), [0, 0, 0, 255]);
    refused(&args(&[&faint]), &four, "--faint");
    refused(&args(&[&faint]), &four, "--ids");
    let stated = LayerArgs { faint: true, ..args(&[&faint]) };
    assert_eq!(weights_at(&laid(&stated, &four).unwrap(), 0, 0), [255]);
}

#[test]
fn ids_lay_whole_layers() {
    let folder = Folder::new("ids");
    let ids = folder.rgb("ids.png", |x, z| [(x / 6) as u8, u8::from(z > 4), 0]);
    let args = |file: &str| LayerArgs { ids: Some(folder.0.join(file)), ..LayerArgs::default() };
    let field = laid(&args("ids.png"), &material(&[Weight; 5], 1)).unwrap();
    assert_eq!(weights_at(&field, 5, 0), [255, 0, 0]);
    assert_eq!(weights_at(&field, 16, 8), [0, 0, 255]);
    let field = laid(&args("ids.png#g"), &material(&[Weight; 5], 1)).unwrap();
    assert_eq!((weights_at(&field, 16, 4), weights_at(&field, 0, 5)), (&[255, 0][..], &[0, 255][..]));
    refused(&args("ids.png#a"), &material(&[Weight; 5], 1), "has no alpha channel; it has red, green, blue");
    // What lies over has something under it, numbered or not.
    let field = laid(&args("ids.png"), &material(&[Over, Weight, Over], 1)).unwrap();
    assert_eq!(field.weights().unwrap().over(), 0b101);
    assert_eq!(
        (weights_at(&field, 0, 0), weights_at(&field, 16, 0)),
        (&[255, 255, 0][..], &[0, 255, 255][..])
    );
    let field = laid(&args("ids.png#g"), &material(&[Over, Over, Over, Weight], 1)).unwrap();
    assert_eq!((weights_at(&field, 0, 0), field.weights().unwrap().over()), (&[255, 0, 0, 255][..], 0b0111));
    refused(
        &args("ids.png"),
        &material(&[Weight; 2], 1),
        "numbers up to 2, and the material has 2 layers, from number 0",
    );
    refused(&args("none.png"), &material(&[Weight; 2], 1), "none.png");
    assert!(ids.exists());
}

#[test]
fn regions_are_shares_of_the_blend_sets() {
    let folder = Folder::new("regions");
    let rgb = folder.rgb("rgb.png", |x, _| if x < 8 { [100, 100, 0] } else { [0, 255, 0] });
    let args = LayerArgs { regions: vec![rgb], ..LayerArgs::default() };
    // Whatever the modes of the layers are, no set lies over another.
    let layers = [Weight, Over, Over];
    let field = laid(&args, &material(&layers, 2)).unwrap();
    let regions = field.regions().unwrap();
    assert_eq!((regions.layers(), regions.over()), (2, 0));
    assert_eq!(
        (regions.at(Sample::new(0, 0)), regions.at(Sample::new(8, 0))),
        (&[128, 127][..], &[0, 255][..])
    );
    assert!(field.weights().is_none());
    assert_eq!(laid(&args, &material(&layers, 3)).unwrap().regions().unwrap().layers(), 3);
    for sets in [0, 1] {
        refused(&args, &material(&layers, sets), "this one has one; give it more");
    }
    let rgb = folder.rgb("third.png", |x, _| [100, 100, 10 * x as u8]);
    let args = LayerArgs { regions: vec![rgb], ..LayerArgs::default() };
    refused(
        &args,
        &material(&layers, 2),
        "regions of 3 blend sets, and the material has 2; add the others to it",
    );
}

#[test]
fn pictures_of_another_size_are_refused_alike() {
    let folder = Folder::new("size");
    let grey = folder.grey("grey.png", (9, 17), |x, _| 100 + x as u8);
    let ids = folder.grey("ids.png", (9, 17), |x, _| x as u8 / 5);
    let of = |change: &dyn Fn(&mut LayerArgs)| {
        let mut args = LayerArgs::default();
        change(&mut args);
        args
    };
    let says = |args: LayerArgs, what: &str| {
        let rest = "of 9×17 samples, and the map has 17×9; scale the picture to the map's size";
        refused(&args, &material(&[Weight; 2], 2), &format!(".png: {what} {rest}"));
    };
    says(of(&|args| args.weights = vec![grey.clone()]), "weights");
    says(of(&|args| args.ids = Some(ids.clone())), "layer numbers");
    says(of(&|args| args.regions = vec![grey.clone()]), "regions");
    let holes = of(&|args| args.holes = Some(grey.clone()));
    let rest = "is 9×17 pixels, and the map has 17×9 samples and 16×8 quads; scale the picture of holes to the size of either";
    refused(&holes, &material(&[Weight], 1), rest);
}

#[test]
fn holes_open_ground_with_layers_and_without() {
    let folder = Folder::new("holes");
    folder.grey("quads.png", (16, 8), |x, z| u8::from((x, z) == (3, 2)));
    folder.picture("samples.png", SIZE, ColorType::Rgba, |x, z| {
        vec![9, 9, 9, if (x, z) == (16, 8) { 0 } else { 255 }]
    });
    let args = |file: &str| LayerArgs { holes: Some(folder.0.join(file)), ..LayerArgs::default() };
    let field = laid(&args("quads.png"), &material(&[Weight], 1)).unwrap();
    assert_eq!((field.holes().count(), field.is_hole(Quad::new(3, 2))), (1, true));
    let open = |args: &LayerArgs| {
        let mut field = field.clone();
        args.open_holes(&mut field).map(|()| field.holes().count())
    };
    let inverted = LayerArgs { invert_holes: true, ..args("samples.png#a") };
    assert_eq!(open(&inverted).unwrap(), 2, "those that are there stay");
    assert_eq!(open(&args("samples.png#a")).unwrap(), 16 * 8);
    assert!(open(&args("none.png")).unwrap_err().sentence.contains("none.png"));
    assert_eq!(open(&LayerArgs::default()).unwrap(), 1);
}

#[test]
fn rules_lay_what_no_picture_does() {
    let folder = Folder::new("rules");
    let mut ruled = material(&[Weight, Weight], 2);
    ruled.layers[1].rule = Some(Rule::default());
    let rgb = folder.rgb("rgb.png", |_, _| [0, 255, 0]);
    let field = laid(&LayerArgs { regions: vec![rgb], ..LayerArgs::default() }, &ruled).unwrap();
    assert_eq!(weights_at(&field, 0, 0), [0, 255]);
    assert!(field.regions().is_some());
}

#[derive(Debug, Parser)]
struct Program {
    #[command(flatten)]
    layers: LayerArgs,
}

#[test]
fn options_that_need_others_say_so() {
    let parsed = |line: &str| {
        let words = ["program"].into_iter().chain(line.split_whitespace());
        Program::try_parse_from(words).map(|program| program.layers).map_err(|error| error.to_string())
    };
    let args = parsed("--layers a.ron --weights a.png b.png --regions c.png --alpha layer --faint").unwrap();
    assert_eq!((args.weights.len(), args.regions.len(), args.alpha, args.faint), (2, 1, Alpha::Layer, true));
    assert!(parsed("--holes a.png").unwrap().ids.is_none());
    for (line, part) in [
        ("--weights a.png", "--layers"),
        ("--ids a.png", "--layers"),
        ("--regions a.png", "--layers"),
        ("--invert-holes", "--holes"),
        ("--layers a.ron --ids a.png --weights b.png", "cannot be used with"),
        ("--alpha all", "auto, layer, ignore"),
    ] {
        let refused = parsed(line);
        assert!(refused.as_ref().is_err_and(|why| why.contains(part)), "{line}: {refused:?}");
    }
}
