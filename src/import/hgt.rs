//! SRTM tiles: one degree by one degree of signed, big-endian metres, 1201² or 3601² samples, no header. The name says
//! where the tile lies by its south-west corner, for instance `N27E086.hgt`. (USGS, *SRTM Topography*, 2015.)

use super::grid::{Grid, Notes};
use super::meaning::Meaning;
use super::report::metres;
use super::rows::Layout;
use super::{ByteOrder, Format, ImportOptions, SampleType, Units, degrees, unreadable, window_of};
use crate::{Error, Result};
use glam::DVec2;
use std::io::Read;
use std::path::Path;

/// The value of a void.
const VOID: f64 = -32768.0;

/// Reads a tile of `bytes` bytes.
pub(super) fn read(name: &Path, input: impl Read, bytes: u64, options: &ImportOptions) -> Result<Grid> {
    let (side, seconds): (u32, f64) = match bytes {
        2_884_802 => (1201, 3.0),
        25_934_402 => (3601, 1.0),
        _ => {
            let why = format!(
                "an SRTM tile has 1201×1201 samples (2884802 bytes) or 3601×3601 (25934402 bytes), but the file has \
                 {bytes} bytes"
            );
            return Err(Error::file(name, why));
        }
    };
    let window = window_of(name, side, side, options)?;
    let order = options.byte_order.or(ByteOrder::Big);
    let layout = Layout { width: side, height: side, sample: SampleType::I16, order, columns_first: false };
    let values = layout.read(input, window).map_err(|error| unreadable(name, &error))?;
    let mut notes = Notes::default();
    let spacing = if options.spacing.is_none() { Some(spacing_of(name, seconds, &mut notes)) } else { None };
    Ok(Grid {
        byte_order: Some(order),
        meaning: Meaning::heights_in(Units::METRES),
        nodata: Some(VOID),
        spacing,
        is_in_degrees: true,
        notes,
        ..Grid::new(Format::Hgt, (side, side), window, values)
    })
}

/// Metres between samples: equal arcs north to south, and shorter ones west to east by the cosine of the latitude of
/// the tile's middle.
fn spacing_of(name: &Path, seconds: f64, notes: &mut Notes) -> DVec2 {
    let cell = DVec2::splat(seconds / 3600.0);
    let file_name = name.file_name().unwrap_or_default().to_string_lossy();
    match latitude_of(&file_name) {
        Some(latitude) => {
            let middle = latitude + 0.5;
            let spacing = degrees::to_metres(cell, middle);
            notes.assume(format!(
                "a spacing of {} × {} m: {seconds} arc-seconds at latitude {middle}°, from the file's name",
                metres(spacing.x),
                metres(spacing.y)
            ));
            spacing
        }
        None => {
            let spacing = degrees::to_metres(cell, 0.0);
            notes.warn(format!(
                "the name does not say where the tile lies (as N27E086.hgt does), so {seconds} arc-seconds are taken as \
                 {} m in both directions, as at the equator; state the spacing",
                metres(spacing.y)
            ));
            spacing
        }
    }
}

/// Degrees north of the south edge of a tile, from a name like `N27E086` or `s12w077.SRTMGL1.hgt`.
fn latitude_of(file_name: &str) -> Option<f64> {
    let bytes = file_name.as_bytes().get(..7)?;
    let digits = |range: std::ops::Range<usize>| -> Option<u32> {
        let digits = &bytes[range];
        digits
            .iter()
            .all(u8::is_ascii_digit)
            .then(|| digits.iter().fold(0, |n, d| n * 10 + u32::from(d - b'0')))
    };
    let latitude = f64::from(digits(1..3)?);
    let longitude = digits(4..7)?;
    let sign = match bytes[0].to_ascii_uppercase() {
        b'N' => 1.0,
        b'S' => -1.0,
        _ => return None,
    };
    let east_or_west = matches!(bytes[3].to_ascii_uppercase(), b'E' | b'W');
    let latitude = sign * latitude;
    (east_or_west && longitude <= 180 && (-90.0..90.0).contains(&latitude)).then_some(latitude)
}

#[cfg(test)]
mod tests {
    use super::super::import_bytes;
    use super::*;
    use crate::field::{Quad, Sample};

    const SIDE: usize = 1201;

    /// A tile of a gentle slope, with some samples replaced.
    fn tile(changed: &[(usize, usize, i16)]) -> Vec<u8> {
        let mut samples: Vec<i16> = (0..SIDE * SIDE).map(|i| (i / SIDE + i % SIDE) as i16 - 200).collect();
        for &(x, z, value) in changed {
            samples[z * SIDE + x] = value;
        }
        samples.iter().flat_map(|sample| sample.to_be_bytes()).collect()
    }

    #[test]
    fn the_name_gives_the_latitude() {
        assert_eq!(latitude_of("N27E086.hgt"), Some(27.0));
        assert_eq!(latitude_of("s12w077.SRTMGL1.hgt"), Some(-12.0));
        for name in ["N27E08", "N2xE086.hgt", "N95E086.hgt", "tile.hgt", "N27E999.hgt", "é27E0866.hgt", ""] {
            assert_eq!(latitude_of(name), None, "{name}");
        }
    }

    #[test]
    fn metres_survive_within_half_a_code() {
        let (field, report) = import_bytes("N60E010.hgt", &tile(&[]), &ImportOptions::default()).unwrap();
        let half = 0.5 * field.desc().range.metres_per_code() * (1.0 + 1e-9);
        for (x, z) in [(0, 0), (1200, 1200), (7, 0), (600, 31), (13, 1199)] {
            let metres = field.sample_metres(Sample::new(x, z));
            let wanted = f64::from(x + z) - 200.0;
            assert!((metres - wanted).abs() <= half, "{metres} {wanted}");
            assert_eq!(metres.round(), wanted);
        }
        assert_eq!((report.min, report.max, report.max_at), (-200.0, 2200.0, Sample::new(1200, 1200)));
        assert_eq!((report.range.min, report.range.max), (-200.0, 2200.0));
        assert_eq!((report.distinct_levels, report.voids, report.holes), (2401, 0, 0));
        assert!((report.spacing.y - 92.6).abs() < 1e-9);
        assert!((report.spacing.x - 92.6 * 60.5f64.to_radians().cos()).abs() < 1e-9);
        assert!(report.warnings.is_empty(), "{report}");
    }

    #[test]
    fn a_void_is_a_hole_with_the_height_of_its_surroundings() {
        let bytes = tile(&[(0, 0, i16::MIN), (50, 60, i16::MIN), (51, 60, i16::MIN)]);
        let (field, report) = import_bytes("N27E088.hgt", &bytes, &ImportOptions::default()).unwrap();
        assert_eq!((report.voids, report.holes), (3, 1 + 6));
        assert_eq!((report.min, report.max), (-199.0, 2200.0), "the corner was the lowest");
        assert!(
            field.is_hole(Quad::new(0, 0))
                && field.is_hole(Quad::new(49, 59))
                && field.is_hole(Quad::new(51, 60))
        );
        assert!(!field.is_hole(Quad::new(52, 60)) && !field.is_hole(Quad::new(50, 61)));
        let filled = field.sample_metres(Sample::new(50, 60));
        assert!((filled - -90.0).abs() < 2.0, "{filled}");
        assert!(field.sample_metres(Sample::new(0, 0)) >= -199.0);
    }

    #[test]
    fn the_ends_of_what_16_bits_hold_are_exact() {
        let bytes = tile(&[(3, 3, -32767), (4, 4, 32767)]);
        let (field, report) = import_bytes("N27E088.hgt", &bytes, &ImportOptions::default()).unwrap();
        assert_eq!((report.min, report.max), (-32767.0, 32767.0));
        assert_eq!(field.sample_metres(Sample::new(3, 3)), -32767.0);
        assert_eq!(field.sample_metres(Sample::new(4, 4)), 32767.0);
        assert!(report.warnings.iter().any(|line| line.contains("void code")), "{report}");
    }

    #[test]
    fn a_stated_range_clamps_and_says_so() {
        let options = ImportOptions::default().with_range(0.0, 2000.0).with_spacing(80.0, 90.0);
        let (field, report) = import_bytes("N27E088.hgt", &tile(&[]), &options).unwrap();
        assert_eq!(field.sample_metres(Sample::new(0, 0)), 0.0);
        assert_eq!(field.sample_metres(Sample::new(1200, 1200)), 2000.0);
        assert!(report.warnings.iter().any(|line| line.contains("clamped")), "{report}");
        assert_eq!(report.spacing, DVec2::new(80.0, 90.0));
        assert!(report.assumptions.is_empty(), "{report}");
    }

    #[test]
    fn a_flat_tile_gets_a_metre_and_only_voids_are_refused() {
        let flat: Vec<u8> = std::iter::repeat_n(500i16.to_be_bytes(), SIDE * SIDE).flatten().collect();
        let (field, report) = import_bytes("tile.hgt", &flat, &ImportOptions::default()).unwrap();
        assert_eq!((report.range.min, report.range.max), (500.0, 501.0));
        assert_eq!(field.sample_metres(Sample::new(9, 9)), 500.0);
        assert!(report.warnings.iter().any(|line| line.contains("constant")), "{report}");
        assert!(report.warnings.iter().any(|line| line.contains("equator")), "{report}");
        let voids: Vec<u8> = std::iter::repeat_n(i16::MIN.to_be_bytes(), SIDE * SIDE).flatten().collect();
        let text = import_bytes("tile.hgt", &voids, &ImportOptions::default()).unwrap_err().to_string();
        assert!(text.contains("void"), "{text}");
    }
}
