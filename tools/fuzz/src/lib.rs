//! What must hold for any bytes that somebody takes for a heightmap: an error, or a whole terrain. The fuzz targets and
//! the test that replays the corpus share it.

use landform::field::{Field, FieldDesc, Sample, SampleRect};
use landform::import::{
    Alpha, Encoding, Fill, Filter, Flip, Heightmap, ImportOptions, SampleType, Units, export_folder, import,
    import_weights,
};
use std::io::Cursor;
use std::path::Path;

/// A map of more samples is not made into a field: that takes time and finds nothing.
const MOST: u64 = 1 << 20;

/// Imports bytes under a name, plainly and with options that the bytes choose.
///
/// # Panics
/// Where a promise is broken.
pub fn check(name: &str, bytes: &[u8]) {
    for options in [ImportOptions::default(), options_of(bytes)] {
        let Ok(map) = Heightmap::read_from(name, Cursor::new(bytes), &options) else { continue };
        let (desc, report) = (*map.desc(), map.report().clone());
        desc.validate().expect("a description that a field takes");
        assert_eq!(report.samples, (desc.width, desc.height));
        assert!(report.min <= report.max && report.mean.is_finite(), "{report}");
        assert!(!report.to_string().is_empty());
        for sample in [(0, 0), (desc.width - 1, 0), (0, desc.height - 1), (desc.width - 1, desc.height - 1)] {
            let sample = Sample::new(sample.0, sample.1);
            assert!(
                map.value(sample).is_none_or(f64::is_finite) && map.metres(sample).is_none_or(f64::is_finite)
            );
        }
        assert_eq!(map.value(Sample::new(desc.width, 0)), None);
        if u64::from(desc.width) * u64::from(desc.height) > MOST {
            continue;
        }
        if bytes.len().is_multiple_of(2) {
            let (field, report) = map.into_field().expect("a field");
            assert_eq!(field.holes().count(), report.holes);
        } else {
            let around = FieldDesc::new(desc.width + 3, desc.height + 2).with_range(0.0, 100.0);
            let mut field = Field::new(around).expect("a field");
            let rect = SampleRect::new(2, 1, desc.width, desc.height);
            let report = map.write_into(&mut field, rect).expect("it fits");
            assert!(field.holes().count() >= report.holes, "a void at the rim opens quads beside it");
        }
    }
}

/// Options of every kind, chosen by a sum of the bytes.
fn options_of(bytes: &[u8]) -> ImportOptions {
    let seed =
        bytes.iter().fold(bytes.len(), |sum, &byte| sum.wrapping_mul(31).wrapping_add(usize::from(byte)));
    let pick = |digit: u32, count: usize| (seed >> (3 * digit)) % count;
    let mut options = ImportOptions::default()
        .with_fill(Fill::ALL[pick(0, 4)])
        .with_flip([Flip::None, Flip::WestEast, Flip::NorthSouth, Flip::Both][pick(1, 4)])
        .with_encoding(Encoding::ALL[pick(2, 5)]);
    if pick(3, 2) == 0 {
        options = options.with_crop(SampleRect::new(
            pick(4, 3) as u32,
            pick(5, 3) as u32,
            2 + pick(6, 5) as u32,
            3,
        ));
    }
    if pick(7, 3) == 0 {
        options = options.with_resample(0.7, 31.0, Filter::ALL[pick(8, 2)]);
    }
    if pick(9, 3) == 0 {
        options = options.with_nodata([0.0, -9999.0, f64::NAN, 255.0][pick(10, 4)]);
    }
    if pick(11, 5) == 0 {
        options = options.with_range(-1.0, 1.0);
    }
    if pick(12, 4) == 0 {
        options = options.with_units(Units::FEET).with_spacing(3.0, 0.5);
    }
    if pick(13, 6) == 0 {
        options = options.with_channel(["1", "2", "R", "height.Y"][pick(14, 4)]).with_array("a");
    }
    if pick(15, 8) == 0 {
        options = options.with_sample_type(SampleType::ALL[pick(16, 7)]).with_offset(pick(17, 8) as u64);
    }
    options
}

/// Bytes as the weights of layers, in a folder for files that is this process's own.
///
/// # Panics
/// Where a promise is broken.
pub fn check_weights(folder: &Path, bytes: &[u8]) {
    let file = folder.join("weights.png");
    std::fs::write(&file, bytes).expect("a folder for files");
    for alpha in Alpha::ALL {
        let options = landform::import::WeightOptions::default()
            .with_alpha(alpha)
            .with_allow_faint(bytes.len() % 2 == 1);
        if let Ok((weights, report)) = import_weights(&[&file], &options) {
            let mut samples = weights.bytes().chunks_exact(weights.layers() as usize);
            assert!(
                samples.all(|weights| weights.iter().map(|&weight| u32::from(weight)).sum::<u32>() == 255)
            );
            assert!(report.empty <= report.scaled);
        }
    }
}

/// Bytes as the description, then as the holes, of a terrain folder.
///
/// # Panics
/// Where a promise is broken.
pub fn check_folder(folder: &Path, bytes: &[u8]) {
    let terrain = folder.join("terrain");
    let desc = FieldDesc::new(9, 5);
    let field = Field::from_samples(desc, (0..45).map(|i| i * 1000).collect()).expect("a field");
    for part in ["terrain.json", "holes.png"] {
        export_folder(&field, &terrain).expect("a folder for files");
        std::fs::write(terrain.join(part), bytes).expect("a folder for files");
        if let Ok((again, report)) = import(&terrain, &ImportOptions::default()) {
            assert_eq!((again.samples(), again.holes().count()), (field.samples(), report.holes));
        }
        // A description that names no size would keep the next one from being written.
        std::fs::remove_dir_all(&terrain).expect("a folder for files");
    }
}

/// Bytes as each texture of a layer, as blocks and unpacked.
///
/// # Panics
/// Where a promise is broken.
#[cfg(feature = "textures")]
pub fn check_texture(bytes: &[u8]) {
    use landform::import::{Blocks, TextureRequest};
    use landform::splat::{Layer, TextureSlot};
    let mut whole = Layer::new("whole");
    whole.albedo = Some("a".into());
    whole.surface = Some("a".into());
    whole.normal = Some("a".into());
    whole.normal_down = bytes.len() % 2 == 1;
    let mut parts = Layer::new("parts");
    parts.occlusion = Some("a#g".into());
    parts.height = Some("a#a".into());
    for blocks in [Blocks::Kept, Blocks::Unpacked] {
        for (layer, slot) in
            TextureSlot::ALL.map(|slot| (&whole, slot)).into_iter().chain([(&parts, TextureSlot::Surface)])
        {
            let request = TextureRequest::of(layer, slot).expect("the layer names files");
            let Ok(texture) = request.read_from(|_| Ok(bytes.to_vec()), blocks) else { continue };
            for (mip, bytes) in texture.mips.iter().enumerate() {
                assert_eq!(bytes.len(), texture.format.mip_bytes(texture.extent(mip)), "{texture:?}");
            }
            assert!(texture.extent(texture.mips.len() - 1).iter().all(|&side| side <= 4), "{texture:?}");
        }
    }
}

/// A folder for the files of this process.
///
/// # Panics
/// Where there is no place for one.
pub fn scratch() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("landform-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    folder
}
