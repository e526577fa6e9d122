//! What is done with a file on its way to a field: cropped, flipped, filled, resampled, written into another field; and
//! files that are larger than anything that is kept of them.

#[path = "common/heightmaps.rs"]
mod common;

use common::{plain, read, refusal, scratch, shared_or_end, warned};
use landform::field::{Field, FieldDesc, Quad, Sample, SampleRect};
use landform::import::{
    ByteOrder, Encoding, Fill, Filter, Flip, Heightmap, SampleType, Units, export_exr, export_geotiff,
    export_png16, export_r16, import_bytes, import_into,
};
use std::io::{Seek, SeekFrom, Write};

/// A field of so many samples, all different where there are no more than 65536.
fn field(width: u32, height: u32) -> Field {
    let samples = (0..width * height).map(|i| (i * 4099 % 65536) as u16).collect();
    Field::from_samples(FieldDesc::new(width, height), samples).unwrap()
}

/// The bytes of a raw file of whole numbers of 32 bits.
fn raw(width: u32, height: u32, value: impl Fn(u32, u32) -> i32) -> Vec<u8> {
    let samples = (0..height).flat_map(|z| (0..width).map(move |x| (x, z)));
    samples.flat_map(|(x, z)| value(x, z).to_le_bytes()).collect()
}

#[test]
fn a_part_of_a_file_is_the_same_ground_in_every_format() {
    let whole = field(61, 47);
    let crop = SampleRect::new(7, 11, 20, 30);
    let files = ["crop.png", "crop.r16", "crop.tif", "crop.exr"].map(scratch);
    export_png16(&whole, &files[0]).unwrap();
    export_r16(&whole, &files[1], ByteOrder::Little).unwrap();
    export_geotiff(&whole, &files[2]).unwrap();
    export_exr(&whole, &files[3]).unwrap();
    for file in files {
        let options = plain().with_range(0.0, 1.0).with_crop(crop);
        let options =
            if file.extension().unwrap() == "r16" { options.with_raw_size(61, 47) } else { options };
        let (part, report) = read(&file, &options);
        assert_eq!((report.width, report.height, report.samples), (61, 47, (20, 30)), "{report}");
        for (x, z) in (0..30).flat_map(|z| (0..20).map(move |x| (x, z))) {
            assert_eq!(
                part.sample(Sample::new(x, z)),
                whole.sample(Sample::new(x + 7, z + 11)),
                "{}",
                file.display()
            );
        }
        let past = refusal(&file, &options.with_crop(SampleRect::new(50, 0, 20, 30)));
        assert!(past.contains("61×47") && past.contains("columns 50 to 70"), "{past}");
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn a_map_is_turned_over_before_anything_else_looks_at_it() {
    let bytes = raw(3, 2, |x, z| (10 * z + x) as i32);
    let options = plain().with_raw_size(3, 2).with_sample_type(SampleType::I32);
    for (flip, corner, highest) in [
        (Flip::None, 0.0, Sample::new(2, 1)),
        (Flip::WestEast, 2.0, Sample::new(0, 1)),
        (Flip::NorthSouth, 10.0, Sample::new(2, 0)),
        (Flip::Both, 12.0, Sample::new(0, 0)),
    ] {
        let input = std::io::Cursor::new(&bytes);
        let map = Heightmap::read_from("a.raw", input, &options.clone().with_flip(flip)).unwrap();
        assert_eq!((map.value(Sample::new(0, 0)), map.report().max_at), (Some(corner), highest), "{flip:?}");
    }
}

#[test]
fn voids_are_filled_by_the_named_method_and_counted() {
    // A plane with a square without heights, at whose north-west corner lies a pit.
    let ground = |x: u32, z: u32| if (x, z) == (2, 2) { 0 } else { 100 + 10 * x as i32 + 20 * z as i32 };
    let inside = |x: u32, z: u32| (3..6).contains(&x) && (3..6).contains(&z);
    let bytes = raw(9, 9, |x, z| if inside(x, z) { -9999 } else { ground(x, z) });
    let options = plain().with_sample_type(SampleType::I32).with_nodata(-9999.0);
    let read = |fill| {
        let input = std::io::Cursor::new(&bytes);
        Heightmap::read_from("a.raw", input, &options.clone().with_fill(fill)).unwrap()
    };
    let middle = Sample::new(4, 4);
    let holes = read(Fill::Holes);
    assert_eq!((holes.value(middle), holes.report().filled, holes.report().holes), (None, 0, 16));
    let nearest = read(Fill::Nearest);
    assert_eq!(
        (nearest.value(Sample::new(3, 4)), nearest.report().filled),
        (Some(f64::from(ground(2, 4))), 9)
    );
    assert_eq!((nearest.report().voids, nearest.report().holes), (9, 0));
    let mean = read(Fill::InverseDistance).value(middle).unwrap();
    assert!((150.0..230.0).contains(&mean), "{mean}");
    let plane = read(Fill::Plane).value(middle).unwrap();
    assert!((200.0..=220.0).contains(&plane), "the plane but for the pit: {plane}");
    for fill in [Fill::Nearest, Fill::InverseDistance, Fill::Plane] {
        let (field, _) = read(fill).into_field().unwrap();
        assert_eq!(field.holes().count(), 0, "{fill}");
    }
}

#[test]
fn a_map_is_resampled_to_a_spacing() {
    let bytes = raw(33, 17, |x, z| 8 * x as i32 - 4 * z as i32);
    let options = plain().with_raw_size(33, 17).with_sample_type(SampleType::I32).with_spacing(2.0, 4.0);
    for filter in [Filter::Bilinear, Filter::Cubic] {
        let finer = options.clone().with_resample(1.0, 1.0, filter);
        let map = Heightmap::read_from("a.raw", std::io::Cursor::new(&bytes), &finer).unwrap();
        assert_eq!((map.desc().width, map.desc().height, map.report().width), (65, 65, 33));
        for (x, z) in (0..65).flat_map(|z| (0..65).map(move |x| (x, z))) {
            let wanted = 4.0 * f64::from(x) - f64::from(z);
            let found = map.value(Sample::new(x, z)).unwrap();
            assert!((found - wanted).abs() < 1e-9, "{filter}: {found} and not {wanted} at {x}, {z}");
        }
    }
    let odd = options.with_resample(3.0, 4.0, Filter::Bilinear);
    let map = Heightmap::read_from("a.raw", std::io::Cursor::new(&bytes), &odd).unwrap();
    assert_eq!((map.desc().width, map.desc().height), (22, 17));
    assert!(map.report().assumptions.iter().any(|line| line.contains("1 m in the east")), "{}", map.report());
    let few = plain().with_raw_size(33, 17).with_sample_type(SampleType::I32).with_resample(
        100.0,
        1.0,
        Filter::Cubic,
    );
    let text = import_bytes("a.raw", &bytes, &few).unwrap_err().to_string();
    assert!(text.contains("leaves 1×17 samples"), "{text}");
    let many = few.with_resample(1e-4, 1e-4, Filter::Cubic);
    let text = import_bytes("a.raw", &bytes, &many).unwrap_err().to_string();
    assert!(text.contains("more than 268435456"), "{text}");
}

#[test]
fn a_file_is_written_into_a_rectangle_of_a_field() {
    let mut field = field(40, 30);
    field.set_hole(Quad::new(12, 9), true);
    let before = field.clone();
    let path = scratch("into.f32");
    let heights: Vec<u8> =
        (0..63).flat_map(|i| if i == 31 { f32::NAN } else { i as f32 / 62.0 }.to_le_bytes()).collect();
    std::fs::write(&path, heights).unwrap();
    let options = plain().with_raw_size(9, 7);
    for (rect, reason) in [
        (SampleRect::new(35, 8, 9, 7), "reach past the field, which has 40×30"),
        (SampleRect::new(8, 8, 7, 9), "9×7 samples and the rectangle 7×9"),
    ] {
        let text = import_into(&mut field, rect, &path, &options).unwrap_err().to_string();
        assert!(text.contains(reason), "{text}");
        assert!(field.samples() == before.samples() && field.revision() == before.revision());
    }
    let report = import_into(&mut field, SampleRect::new(8, 6, 9, 7), &path, &options).unwrap();
    assert_eq!((report.voids, report.range.max), (1, 1.0), "{report}");
    for (x, z) in (0..30).flat_map(|z| (0..40).map(move |x| (x, z))) {
        let (sample, inside) = (Sample::new(x, z), (8..17).contains(&x) && (6..13).contains(&z));
        let index = if inside { (z - 6) * 9 + x - 8 } else { 0 };
        if !inside {
            assert_eq!(field.sample(sample), before.sample(sample));
        } else if index != 31 {
            let metres = field.sample_metres(sample);
            assert!((metres - f64::from(index) / 62.0).abs() < 1e-5, "{metres} at {sample:?}");
        }
    }
    // Column 4 of row 3 is the void: four open quads around column 12 of row 9; another hole of the rectangle is closed.
    let open = [(11, 8), (12, 8), (11, 9), (12, 9)];
    assert!(open.iter().all(|&(x, z)| field.is_hole(Quad::new(x, z))) && field.holes().count() == 4);
    let feet = options.with_units(Units::of_metres(100.0).unwrap()).with_spacing(5.0, 5.0);
    let report = import_into(&mut field, SampleRect::new(0, 0, 9, 7), &path, &feet).unwrap();
    assert!(warned(&report, "do not fit the range of 0 to 1 m") && warned(&report, "stretched"), "{report}");
    assert_eq!(field.sample_metres(Sample::new(8, 6)), 1.0);
    std::fs::remove_file(path).unwrap();
}

/// Longer than any picture that a device takes, in either direction.
#[test]
fn long_strips_are_read_whole() {
    for (width, height) in [(16385, 3), (3, 16385)] {
        let strip = field(width, height);
        let files = ["strip.png", "strip.r16", "strip.tif", "strip.exr"].map(scratch);
        export_png16(&strip, &files[0]).unwrap();
        export_r16(&strip, &files[1], ByteOrder::Big).unwrap();
        export_geotiff(&strip, &files[2]).unwrap();
        export_exr(&strip, &files[3]).unwrap();
        for file in files {
            let options = plain().with_range(0.0, 1.0);
            let options = match file.extension().unwrap().to_str() {
                Some("r16") => options.with_raw_size(width, height).with_byte_order(ByteOrder::Big),
                _ => options,
            };
            let (again, report) = read(&file, &options);
            assert_eq!((report.width, report.height), (width, height), "{report}");
            assert!(again.samples() == strip.samples(), "{}", file.display());
            std::fs::remove_file(file).unwrap();
        }
    }
}

/// A file of more samples than are kept is refused with what would work, and a part of it is read.
#[test]
fn a_part_of_a_file_that_is_too_large_is_read() {
    const SIDE: u64 = 17_000;
    let path = scratch("large.r16");
    let mut file = std::fs::File::create(&path).unwrap();
    file.set_len(2 * SIDE * SIDE).unwrap();
    file.seek(SeekFrom::End(-4)).unwrap();
    file.write_all(&[1, 2, 3, 4]).unwrap();
    drop(file);
    let text = refusal(&path, &plain());
    assert!(text.contains("--crop") && text.contains("17000×17000"), "{text}");
    let corner = plain().with_crop(SampleRect::new(16_990, 16_996, 10, 4));
    let (part, report) = read(&path, &corner);
    assert_eq!((report.width, report.samples), (17_000, (10, 4)), "{report}");
    assert_eq!((part.sample(Sample::new(8, 3)), part.sample(Sample::new(9, 3))), (0x201, 0x403));
    std::fs::remove_file(path).unwrap();
}

#[test]
fn heights_in_another_unit_become_metres() {
    let file = shared_or_end!("heights/volcano.tif");
    let (_, report) = read(&file, &plain());
    assert_eq!((report.max, report.highest, report.units), (8340.0, 8340.0, Some(Units::METRES)));
    assert!(warned(&report, "steep on average") && warned(&report, "--units"), "{report}");
    assert!(warned(&report, "pixels are not square"), "{report}");
    let (_, report) = read(&file, &plain().with_units(Units::FEET));
    assert_eq!((report.max, report.highest), (8340.0, 8340.0 * 0.3048));
    assert!(!warned(&report, "steep"), "{report}");
    let centimetres = shared_or_end!("heights/small_dem_3m_merged.tif");
    assert!(warned(&read(&centimetres, &plain()).1, "cm"));
    let (_, report) = read(&centimetres, &plain().with_units(Units::CENTIMETRES));
    assert!((report.highest - 310.0).abs() < 1e-9 && report.warnings.is_empty(), "{report}");
}

/// What looks suspicious is said; what is ground is not.
#[test]
fn walls_and_repeated_rows_are_doubted() {
    let hills = |x: u32, z: u32| {
        (5000.0 + 900.0 * (f64::from(x) * 0.1 + 0.9).sin() * (f64::from(z) * 0.13).cos()) as i32
    };
    let report_of = |value: &dyn Fn(u32, u32) -> i32| {
        let options = plain().with_sample_type(SampleType::I32).with_spacing(100.0, 100.0);
        import_bytes("a.raw", &raw(80, 80, value), &options).unwrap().1
    };
    assert!(report_of(&hills).warnings.is_empty(), "{}", report_of(&hills));
    let wall = report_of(&|x, z| if z == 79 { 0 } else { hills(x, z) });
    assert!(warned(&wall, "a wall at the south edge"), "{wall}");
    let wall = report_of(&|x, z| if x == 0 { 20000 } else { hills(x, z) });
    assert!(warned(&wall, "a wall at the west edge"), "{wall}");
    let repeated = report_of(&|x, z| hills(x.min(78), z));
    assert!(warned(&repeated, "the east edge repeats"), "{repeated}");
    let flat_rim = report_of(&|x, z| if x > 70 { 5000 } else { hills(x, z) });
    assert!(!warned(&flat_rim, "repeats"), "{flat_rim}");
}

/// Floats from 0 to 1 are mostly parts of a range; they are taken as what they say, and doubted.
#[test]
fn normalised_floats_are_doubted_and_stretched_where_it_is_stated() {
    let file = shared_or_end!("heights/mterrain_mask03_1024.exr");
    let (_, report) = read(&file, &plain());
    assert!(warned(&report, "look normalised"), "{report}");
    let stretched = plain().with_encoding(Encoding::Normalised).with_range(100.0, 700.0);
    let (field, report) = read(&file, &stretched);
    assert_eq!(report.encoding, Encoding::Normalised);
    let highest = 100.0 + 600.0 * 0.931_152_343_75;
    assert!(
        (field.sample_metres(report.max_at) - highest).abs() < 0.01
            && (report.highest - highest).abs() < 1e-9
    );
    let (_, over) = read(&shared_or_end!("heights/mountain3.exr"), &stretched);
    assert!(warned(&over, "reach beyond 0 to 1"), "{over}");
}
