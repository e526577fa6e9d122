//! Heightmaps that people have, read and written again. The files are not part of the repository; a test whose files
//! are not there says so and passes.

#[path = "common/heightmaps.rs"]
mod common;

use common::{plain, read, refusal, scratch, shared_or_end, warned};
use landform::field::{Field, Quad, Sample};
use landform::import::{ByteOrder, Encoding, Format, export_png16, export_r16, import_bytes};
use std::path::Path;

/// Exports a field both ways, imports the files again and holds size and samples against the field's.
fn round_trips(field: &Field, name: &str) {
    let size = (field.desc().width, field.desc().height);
    let (png, raw) = (scratch(&format!("{name}.png")), scratch(&format!("{name}.r16")));
    export_png16(field, &png).unwrap();
    let (again, report) = read(&png, &plain());
    assert_eq!((report.width, report.height), size, "{name}");
    assert!(again.samples() == field.samples(), "{name} differs after PNG");
    for order in [ByteOrder::Little, ByteOrder::Big] {
        export_r16(field, &raw, order).unwrap();
        assert_eq!(std::fs::metadata(&raw).unwrap().len(), 2 * field.samples().len() as u64);
        let (again, report) = read(&raw, &plain().with_raw_size(size.0, size.1).with_byte_order(order));
        assert_eq!((report.width, report.height), size, "{name}");
        assert!(again.samples() == field.samples(), "{name} differs after r16, {order}");
    }
    std::fs::remove_file(png).unwrap();
    std::fs::remove_file(raw).unwrap();
}

#[test]
fn the_highest_code_is_exactly_the_highest_metre() {
    let (field, report) =
        read(&shared_or_end!("synth/fullrange_129_u16.png"), &plain().with_range(0.0, 28.0));
    assert_eq!((report.lowest, report.highest), (0.0, 28.0));
    assert_eq!(field.sample_metres(report.max_at), 28.0);
    assert_eq!((field.extremes().min, field.extremes().max), (0, 65535));
}

#[test]
fn a_16_bit_map_keeps_every_level_through_export() {
    let (field, report) = read(&shared_or_end!("heights/panda3d_heightfield_1024_u16.png"), &plain());
    assert_eq!((report.distinct_levels, report.bit_depth, report.voids), (25_932, 16, 0));
    assert_eq!((field.extremes().min, field.extremes().max), (6312, 63555));
    assert_eq!(report.max_at, Sample::new(457, 20));
    for (z, x, code) in
        [(0, 0, 26676), (0, 1023, 34007), (1023, 0, 26082), (1023, 1023, 25300), (341, 256, 31732)]
    {
        assert_eq!(field.sample(Sample::new(x, z)), code);
    }
    assert!(report.warnings.is_empty(), "{report}");
    round_trips(&field, "panda");
    let file = scratch("panda-levels.png");
    export_png16(&field, &file).unwrap();
    assert_eq!(read(&file, &plain()).1.distinct_levels, 25_932);
    std::fs::remove_file(file).unwrap();
}

#[test]
fn an_8_bit_map_says_how_many_levels_and_what_step() {
    let (field, report) =
        read(&shared_or_end!("heights/urho3d_HeightMap_1025_u8.png"), &plain().with_range(0.0, 255.0));
    assert_eq!((report.width, report.height, report.bit_depth), (1025, 1025, 8));
    assert_eq!((report.min, report.max, report.max_at), (0.0, 253.0, Sample::new(527, 650)));
    assert!(warned(&report, "8-bit: 254 levels, step 1 m"), "{report}");
    assert!(field.samples().iter().all(|code| code.is_multiple_of(257)));

    let (field, report) = read(&shared_or_end!("derived/panda3d_1024_u8_terraced.png"), &plain());
    assert!(warned(&report, "8-bit"), "{report}");
    let (fine, _) = read(&shared_or_end!("heights/panda3d_heightfield_1024_u16.png"), &plain());
    let differ = field.samples().iter().zip(fine.samples()).filter(|(a, b)| **a >> 8 != **b >> 8).count();
    assert_eq!(differ, 0, "the 8-bit twin holds the high bytes");
}

#[test]
fn three_colour_types_of_one_window_import_identically() {
    let (grey, report) = read(&shared_or_end!("derived/crop257_grey16.png"), &plain());
    assert_eq!(report.max_at, Sample::new(0, 44));
    assert_eq!((grey.extremes().min, grey.extremes().max), (12498, 50747));
    for (file, part) in
        [("derived/crop257_grey16_alpha.png", "alpha"), ("derived/crop257_rgb16.png", "channels are equal")]
    {
        let (other, report) = read(&shared_or_end!(file), &plain());
        assert!(other.samples() == grey.samples(), "{file}");
        let lines = report.assumptions.iter().chain(&report.warnings);
        assert!(lines.into_iter().any(|line| line.contains(part)), "{report}");
    }
}

/// Size, last sample, highest sample and round trip, against the numbers of an independent reader.
#[test]
fn every_size_keeps_its_last_row_and_column() {
    type Case = (&'static str, (u32, u32), Option<u16>, Option<Sample>);
    let cases: [Case; 8] = [
        ("synth/lastrow_1024_u16.png", (1024, 1024), None, None),
        ("synth/lastrow_1025_u16.png", (1025, 1025), None, None),
        ("synth/nonsquare_701x300_u16.png", (701, 300), None, None),
        ("derived/unreal_1009_u16.png", (1009, 1009), Some(19726), Some(Sample::new(450, 13))),
        (
            "derived/terrain3d_demo_00_m01_1024_u16.png",
            (1024, 1024),
            Some(20628),
            Some(Sample::new(819, 706)),
        ),
        (
            "derived/terrain3d_demo_00_m02_1024_u16.png",
            (1024, 1024),
            Some(16111),
            Some(Sample::new(300, 238)),
        ),
        ("derived/terrain3d_demo_00_p00_1024_u16.png", (1024, 1024), Some(8016), Some(Sample::new(527, 627))),
        ("derived/everest_1025_le.r16", (1025, 1025), Some(7162), Some(Sample::new(960, 14))),
    ];
    for (file, size, last, highest) in cases {
        let path = shared_or_end!(file);
        let (field, report) = read(&path, &plain());
        assert_eq!((report.width, report.height), size, "{file}");
        let corner = field.sample(Sample::new(size.0 - 1, size.1 - 1));
        assert_eq!(corner, last.unwrap_or_else(|| last_sample(&path)), "{file}");
        assert_eq!(report.max_at, highest.unwrap_or(report.max_at), "{file}");
        round_trips(&field, path.file_stem().unwrap().to_str().unwrap());
    }
}

/// The last sample of a 16-bit grey PNG, by the `png` crate alone.
fn last_sample(path: &Path) -> u16 {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    u16::from_be_bytes([bytes[bytes.len() - 2], bytes[bytes.len() - 1]])
}

#[test]
fn a_raw_file_that_is_not_square_needs_its_size() {
    let raw = shared_or_end!("synth/nonsquare_701x300_le.r16");
    let text = refusal(&raw, &plain());
    assert!(text.contains("raw_size") && text.contains("701×300"), "{text}");
    let text = refusal(&raw, &plain().with_raw_size(701, 301));
    assert!(text.contains("422002") && text.contains("420600"), "{text}");
    let (field, _) = read(&raw, &plain().with_raw_size(701, 300));
    let (png, _) = read(&shared_or_end!("synth/nonsquare_701x300_u16.png"), &plain());
    assert!(field.samples() == png.samples());
    round_trips(&field, "nonsquare-raw");
}

#[test]
fn north_is_up_and_west_is_left_in_either_format() {
    let (png, report) = read(&shared_or_end!("synth/orient_F_257_u16.png"), &plain());
    let (raw, raw_report) = read(&shared_or_end!("synth/orient_F_257_le.r16"), &plain());
    assert!(png.samples() == raw.samples());
    for report in [&report, &raw_report] {
        assert_eq!(report.max_at, Sample::new(256, 256), "the spike is in the south-east");
        assert!(!warned(report, "byte order"), "{report}");
    }
    let at = |x, z| png.sample(Sample::new(x, z));
    assert!(at(200, 128) > at(100, 128), "the ramp rises to the east");
    assert_eq!(at(200, 100), at(200, 200), "and not to the south");
    let (_, suspect) =
        read(&shared_or_end!("synth/orient_F_257_le.r16"), &plain().with_byte_order(ByteOrder::Big));
    assert!(warned(&suspect, "byte order"), "{suspect}");
}

#[test]
fn everest_is_where_it_is_in_either_byte_order() {
    let options = plain().with_range(284.0, 8840.0).with_spacing(81.9, 92.6);
    let (little, report) = read(&shared_or_end!("derived/everest_1025_le.r16"), &options);
    assert_eq!(little.sample_metres(Sample::new(960, 14)), 8840.0);
    assert_eq!((report.lowest, report.highest, report.max_at), (284.0, 8840.0, Sample::new(960, 14)));
    assert!(report.warnings.is_empty(), "{report}");

    let twin = shared_or_end!("derived/everest_1025_be.raw");
    let (big, report) = read(&twin, &options.clone().with_byte_order(ByteOrder::Big));
    assert!(big.samples() == little.samples() && report.warnings.is_empty(), "{report}");
    let (_, report) = read(&twin, &options);
    assert!(warned(&report, "byte order looks wrong"), "{report}");
}

#[test]
fn a_tile_without_voids_keeps_every_metre() {
    let path = shared_or_end!("heights/N27E086.hgt");
    let (field, report) = read(&path, &plain());
    assert_eq!((report.format, report.width, report.height), (Format::Hgt, 1201, 1201));
    assert_eq!((report.min, report.max, report.max_at), (192.0, 8840.0, Sample::new(1110, 14)));
    assert_eq!((report.voids, report.holes), (0, 0));
    assert!((report.spacing.y - 92.6).abs() < 0.01 && (report.spacing.x - 82.1).abs() < 0.1, "{report}");
    for (z, x, metres) in
        [(0, 0, 3186.0), (0, 1200, 5332.0), (1200, 0, 360.0), (1200, 1200, 1862.0), (600, 600, 3000.0)]
    {
        assert_eq!(field.sample_metres(Sample::new(x, z)).round(), metres);
    }
    let bytes = std::fs::read(path).unwrap();
    let half = 0.5 * field.desc().range.metres_per_code() * (1.0 + 1e-9);
    let metres = bytes.chunks_exact(2).map(|pair| f64::from(i16::from_be_bytes([pair[0], pair[1]])));
    let range = field.desc().range;
    assert!(
        metres
            .zip(field.samples())
            .all(|(metres, &code)| (range.metres(f64::from(code)) - metres).abs() <= half)
    );
}

#[test]
fn voids_are_holes_and_nothing_else() {
    let (field, report) = read(&shared_or_end!("heights/N27E088.hgt"), &plain());
    assert_eq!((report.voids, report.min, report.max), (6, 185.0, 8556.0));
    assert_eq!(report.max_at, Sample::new(177, 357));
    assert_eq!((report.range.min, report.range.max), (185.0, 8556.0));
    let voids = [(72, 373), (73, 373), (41, 380), (42, 380), (43, 380), (44, 380)];
    // Two runs, of 2 and of 4 samples, touch 2 rows of 3 and of 5 quads.
    assert_eq!(report.holes, 2 * 3 + 2 * 5);
    for (x, z) in voids {
        for quad in [(x - 1, z - 1), (x, z - 1), (x - 1, z), (x, z)] {
            assert!(field.is_hole(Quad::new(quad.0, quad.1)), "{quad:?}");
        }
        let around = (z - 2..=z + 2).flat_map(|z| (x - 4..=x + 4).map(move |x| (x, z)));
        let known: Vec<f64> = around
            .filter(|place| !voids.contains(place))
            .map(|(x, z)| field.sample_metres(Sample::new(x, z)))
            .collect();
        let (low, high) =
            known.iter().fold((f64::MAX, f64::MIN), |(low, high), &m| (low.min(m), high.max(m)));
        let filled = field.sample_metres(Sample::new(x, z));
        assert!((low..=high).contains(&filled), "{filled} is outside {low}..{high} at {x}, {z}");
    }
}

#[test]
fn broken_files_are_errors_with_file_and_reason() {
    let cases = [
        ("synth/broken_truncated.png", "truncated"),
        ("synth/broken_zero_bytes.png", "empty"),
        ("synth/broken_truncated.r16", "200001 bytes"),
        ("heights/lumix_256_hdr32.raw", "behind a header of 32 bytes (--offset 32"),
    ];
    for (file, reason) in cases {
        let path = shared_or_end!(file);
        let text = refusal(&path, &plain());
        assert!(
            text.contains(reason) && text.contains(path.file_name().unwrap().to_str().unwrap()),
            "{text}"
        );
    }
}

#[test]
fn what_is_no_heightmap_is_refused_by_name() {
    let cases = [
        ("splat/urho3d_TerrainWeights_1024.dds", "DDS"),
        ("splat/lumix_splatmap_256_ids.tga", "supported are"),
        ("splat/hterrain_splat_513_rgba.png", "a colour picture"),
        ("textures/ambientcg_rock023_nrm_rgh.png", "a colour picture"),
        ("synth/terrarium_black_256.png", "missing Terrarium"),
    ];
    for (file, reason) in cases {
        let text = refusal(&shared_or_end!(file), &plain());
        assert!(text.contains(reason), "{text}");
    }
    let black = shared_or_end!("synth/terrarium_black_256.png");
    let text = refusal(&black, &plain().with_encoding(Encoding::Terrarium));
    assert!(text.contains("every sample is a void"), "{text}");
    let (_, report) = read(&shared_or_end!("textures/cc0textures_sand_depth.png"), &plain());
    assert!(report.assumptions.iter().any(|line| line.contains("a palette of greys")), "{report}");
}

#[test]
fn every_spelling_of_an_ascii_grid_is_read() {
    for file in ["commadec", "crlf", "dxdy", "center_upper_notail"] {
        let (field, report) = read(&shared_or_end!(&format!("synth/asc_{file}.asc")), &plain());
        assert_eq!((report.format, report.width, report.height), (Format::EsriAscii, 6, 4), "{file}");
        assert_eq!((report.min, report.max, report.max_at), (1.0, 24.0, Sample::new(5, 3)), "{file}");
        assert_eq!((report.voids, report.holes, report.nodata.as_slice()), (1, 4, &[-9999.0][..]), "{file}");
        let south = if file == "dxdy" { 45.0 } else { 30.0 };
        assert_eq!((report.spacing.x, report.spacing.y), (30.0, south), "{file}");
        for index in (0..24).filter(|&index| index != 8) {
            let metres = field.sample_metres(Sample::new(index % 6, index / 6));
            assert!((metres - f64::from(index + 1)).abs() < 1e-3, "{file}: {metres} at {index}");
        }
        assert!(report.warnings.is_empty(), "{report}");
    }
}

#[test]
fn spacing_comes_from_the_file() {
    let (_, report) = read(&shared_or_end!("heights/srtmgl3_boulder_nodata0.asc"), &plain());
    assert!((report.spacing.y - 92.6).abs() < 0.01 && (report.spacing.x - 70.8).abs() < 0.1, "{report}");
    let (_, report) = read(&shared_or_end!("heights/SainteHelens.dem"), &plain());
    assert_eq!((report.spacing.x, report.spacing.y), (30.0, 30.0));
    assert!(report.warnings.is_empty() && report.assumptions.is_empty(), "{report}");
    assert_eq!(report.nodata, [-32767.0]);
}

/// No height that a void makes: holes, and codes between those of the ground.
#[test]
fn a_void_code_is_no_pit_and_no_spike() {
    for file in ["heights/zSW3.asc", "heights/SainteHelens.dem", "heights/hugo_site.asc"] {
        let (field, report) = read(&shared_or_end!(file), &plain());
        assert_eq!((field.extremes().min, field.extremes().max), (0, 65535), "{file}");
        assert!(report.holes > 0 && !warned(&report, "void code"), "{report}");
    }
    // What is stated takes the place of what is declared.
    let stated = plain().with_nodata(2588.0);
    let (_, report) = read(&shared_or_end!("heights/srtmgl3_boulder_nodata0.asc"), &stated);
    assert!(report.voids > 0 && report.nodata == [2588.0], "{report}");
    let coded = plain().with_nodata(0.0).with_range(0.0, 255.0);
    let (field, report) = read(&shared_or_end!("heights/urho3d_HeightMap_1025_u8.png"), &coded);
    assert!(report.voids > 0 && report.min == 1.0 && field.extremes().min == 257, "{report}");
}

#[test]
fn an_archive_of_one_map_needs_no_name() {
    let file = shared_or_end!("heights/topobathy.npz");
    let (_, report) = read(&file, &plain());
    assert_eq!((report.width, report.height, report.bit_depth), (120, 91, 32));
    assert_eq!((report.min.round(), report.max.round()), (-1437.0, 2205.0), "{report}");
    let text = refusal(&file, &plain().with_array("latitude"));
    assert!(text.contains("shape (91,)"), "{text}");
    assert!(refusal(&file, &plain().with_array("depth")).contains("`topo` (91, 120)"));
}

/// Small files of each format, made here: every shorter prefix is an error, and none a panic.
#[test]
fn a_file_cut_at_any_byte_is_refused() {
    let samples: Vec<u16> = (0..13 * 13).map(|i| i * 387).collect();
    let field = Field::from_samples(landform::field::FieldDesc::new(13, 13), samples).unwrap();
    let (png, raw) = (scratch("cut.png"), scratch("cut.r16"));
    export_png16(&field, &png).unwrap();
    export_r16(&field, &raw, ByteOrder::Little).unwrap();
    for path in [png, raw] {
        let bytes = std::fs::read(&path).unwrap();
        import_bytes(&path, &bytes, &plain()).unwrap();
        for length in 0..bytes.len() {
            let options = plain().with_raw_size(13, 13);
            assert!(import_bytes(&path, &bytes[..length], &options).is_err(), "{} {length}", path.display());
            // Without the size a shorter square is a whole file.
            if let Ok((_, report)) = import_bytes(&path, &bytes[..length], &plain()) {
                assert_eq!(2 * report.width as usize * report.height as usize, length);
            }
        }
        std::fs::remove_file(path).unwrap();
    }
    let tile = vec![1u8; 2 * 1201 * 1201];
    import_bytes("N00E000.hgt", &tile, &plain()).unwrap();
    for length in (0..4000).chain(tile.len() - 4000..tile.len()) {
        assert!(import_bytes("N00E000.hgt", &tile[..length], &plain()).is_err(), "{length}");
    }
}

/// What a person sees; the numbers are the tile's.
#[test]
fn a_report_reads_well() {
    let (_, report) = read(&shared_or_end!("heights/N27E088.hgt"), &plain());
    let text = report.to_string();
    println!("{text}");
    for line in [
        "  format    SRTM hgt, 16 bits, big-endian, heights in metres\n",
        "  size      1201 × 1201 samples, 98.6 km × 111.1 km\n",
        "  range     185 to 8556 m, 0.128 m a code\n",
        "  heights   185 to 8556 m, the highest at column 177, row 357\n",
        "  voids     6 samples of -32768, 16 open quads\n",
    ] {
        assert!(text.contains(line), "{line}{text}");
    }
}
