//! Raw samples: no size, no byte order, no type, and a header at most that is left out. What the file does not say is
//! stated, or assumed and reported; the size is never guessed.

use super::format::looks_like;
use super::grid::{Grid, Notes};
use super::meaning::Meaning;
use super::rows::Layout;
use super::survey::{is_smoother, part_of};
use super::values::Values;
use super::{ByteOrder, Format, ImportOptions, MAX_SAMPLES, SampleType, unreadable, window_of};
use crate::{Error, Result};
use std::io::{self, BufRead, Read, Seek};
use std::path::Path;

/// Reads a raw file of `bytes` bytes.
pub(super) fn read(
    name: &Path,
    mut input: impl BufRead + Seek,
    bytes: u64,
    options: &ImportOptions,
) -> Result<Grid> {
    let sample = options.sample_type.unwrap_or_else(|| type_of(name));
    let Some(bytes) = bytes.checked_sub(options.offset) else {
        let why = format!("has {bytes} bytes, fewer than the offset of {}", options.offset);
        return Err(Error::file(name, why));
    };
    let (width, height) = match options.raw_size {
        Some(stated) => stated_size(name, bytes, sample, stated)?,
        None => square(bytes, sample).ok_or_else(|| Error::file(name, no_size(&mut input, bytes, sample)))?,
    };
    let window = window_of(name, width, height, options)?;
    let order = options.byte_order.or(ByteOrder::Little);
    let layout = Layout { width, height, sample, order, columns_first: false };
    let skipped = io::copy(&mut input.by_ref().take(options.offset), &mut io::sink());
    let values =
        skipped.and_then(|_| layout.read(input, window)).map_err(|error| unreadable(name, &error))?;
    let mut notes = Notes::default();
    if options.raw_size.is_none() {
        notes.assume(format!("{width}×{height} samples, because no size is stated and the file is a square"));
    }
    if options.byte_order == ByteOrder::Auto && sample.bytes() > 1 {
        notes.assume("little-endian samples, because no byte order is stated");
    }
    doubt_samples(&values, window.width() as usize, order, &mut notes);
    let meaning = match sample {
        SampleType::U8 | SampleType::U16 => Meaning::Codes { full: sample.full().unwrap_or(1.0) },
        _ => Meaning::HEIGHTS,
    };
    Ok(Grid {
        byte_order: (sample.bytes() > 1).then_some(order),
        meaning,
        notes,
        ..Grid::new(Format::Raw, (width, height), window, values)
    })
}

/// What an extension says of the samples.
fn type_of(name: &Path) -> SampleType {
    match name.extension().map(|extension| extension.to_ascii_lowercase()) {
        Some(extension) if extension == "r8" => SampleType::U8,
        Some(extension) if extension == "r32" || extension == "f32" => SampleType::F32,
        _ => SampleType::U16,
    }
}

/// Warns where the samples look as if another order of bytes, or a sign, had been meant.
fn doubt_samples(values: &Values, width: usize, order: ByteOrder, notes: &mut Notes) {
    let other = if order == ByteOrder::Little { ByteOrder::Big } else { ByteOrder::Little };
    // Swapped bytes make exponents of what should be the last digits of a fraction.
    let wild = |value: f64| !value.is_finite() || value.abs() > 1e9 || (value != 0.0 && value.abs() < 1e-9);
    let (is_swapped, is_signed) = match values {
        Values::U16(list) => (
            is_smoother(list, width, f64::from, |value| f64::from(value.swap_bytes())),
            looks_signed(list, width),
        ),
        Values::I16(list) => {
            (is_smoother(list, width, f64::from, |value| f64::from(value.swap_bytes())), false)
        }
        Values::U32(list) => {
            (is_smoother(list, width, f64::from, |value| f64::from(value.swap_bytes())), false)
        }
        Values::I32(list) => {
            (is_smoother(list, width, f64::from, |value| f64::from(value.swap_bytes())), false)
        }
        Values::F32(list) => {
            let swapped = |value: f32| f64::from(f32::from_bits(value.to_bits().swap_bytes()));
            let found = part_of(list, width, |value| wild(value.into()));
            (found > 0.25 && part_of(list, width, |value| wild(swapped(value))) < 0.01, false)
        }
        Values::F64(list) => {
            let swapped = |value: f64| f64::from_bits(value.to_bits().swap_bytes());
            (
                part_of(list, width, wild) > 0.25
                    && part_of(list, width, |value| wild(swapped(value))) < 0.01,
                false,
            )
        }
        Values::U8(_) => (false, false),
    };
    if is_swapped {
        notes.warn(format!(
            "the byte order looks wrong: neighbouring samples jump all over the range, and {other} they would be smooth \
             (--byte-order, or ImportOptions::with_byte_order)"
        ));
    } else if is_signed {
        notes.warn(
            "the samples look signed: some are near 0, some near 65535, and none is between (--sample-type i16, or \
             ImportOptions::with_sample_type)",
        );
    }
}

/// True where all samples are small numbers of either sign, which without one are at both ends of the range. A mask of
/// two values is none of those.
fn looks_signed(list: &[u16], width: usize) -> bool {
    const SMALL: u16 = 1 << 14;
    let part = |test: &dyn Fn(u16) -> bool| part_of(list, width, test);
    let (low, high) = (part(&|value| value < SMALL), part(&|value| value > u16::MAX - SMALL));
    low > 0.0
        && high > 0.0
        && low + high == 1.0
        && part(&|value| value.cast_signed().unsigned_abs() > 1) > 0.0
}

fn stated_size(
    name: &Path,
    bytes: u64,
    sample: SampleType,
    (width, height): (u32, u32),
) -> Result<(u32, u32)> {
    let wanted = u128::from(sample.bytes()) * u128::from(width) * u128::from(height);
    if wanted == u128::from(bytes) {
        return Ok((width, height));
    }
    let hint = other_layout(bytes, sample).map(|layout| format!("; {layout}")).unwrap_or_default();
    Err(Error::file(
        name,
        format!("{width}×{height} samples of {sample} are {wanted} bytes, but the file has {bytes}{hint}"),
    ))
}

/// The size of a file that is a square of samples.
fn square(bytes: u64, sample: SampleType) -> Option<(u32, u32)> {
    let size = u64::from(sample.bytes());
    let side = (bytes / size).isqrt();
    let side32 = u32::try_from(side).ok()?;
    (size * side * side == bytes).then_some((side32, side32))
}

/// Why a file without a stated size is refused, and what would work.
fn no_size(input: &mut impl BufRead, bytes: u64, sample: SampleType) -> String {
    let size = u64::from(sample.bytes());
    let samples = bytes / size;
    let mut why = if !bytes.is_multiple_of(size) {
        format!("{bytes} bytes are no whole number of {sample} samples, or the file is truncated")
    } else if samples > MAX_SAMPLES {
        format!(
            "{samples} samples of {sample} are no square and more than {MAX_SAMPLES}; state the size and a crop"
        )
    } else {
        let sizes: Vec<_> =
            sizes_of(samples).iter().map(|(width, height)| format!("{width}×{height}")).collect();
        let sizes = match sizes.is_empty() {
            true => "; no size near a square fits".to_owned(),
            false => format!(", for instance {} (or the other way round)", sizes.join(", ")),
        };
        format!(
            "{bytes} bytes are {samples} samples of {sample}, which is no square; state width×height (--raw-size, or \
             ImportOptions::with_raw_size){sizes}"
        )
    };
    let head = input.fill_buf().unwrap_or_default();
    let kind = looks_like(head).map(|kind| format!("it looks like {kind}"));
    for hint in kind.into_iter().chain(other_layout(bytes, sample)) {
        why.push_str("; ");
        why.push_str(&hint);
    }
    why
}

/// Up to three sizes of so many samples, the squarest first, no longer than eight times their width.
fn sizes_of(samples: u64) -> Vec<(u64, u64)> {
    let shortest = (samples / 8).isqrt().max(2);
    (shortest..=samples.isqrt())
        .rev()
        .filter(|side| samples.is_multiple_of(*side))
        .map(|side| (samples / side, side))
        .take(3)
        .collect()
}

/// What else a file of so many bytes may be: other sample types, or a header before a square.
fn other_layout(bytes: u64, sample: SampleType) -> Option<String> {
    const LONGEST_HEADER: u64 = 512;
    const COMMON: [SampleType; 3] = [SampleType::U8, SampleType::U16, SampleType::F32];
    let others: Vec<_> = COMMON
        .into_iter()
        .filter(|&other| other != sample)
        .filter_map(|other| square(bytes, other).map(|(side, _)| format!("{side}×{side} samples of {other}")))
        .collect();
    if !others.is_empty() && bytes > 1 {
        return Some(format!(
            "it may be {} (--sample-type, or ImportOptions::with_sample_type)",
            others.join(" or ")
        ));
    }
    let size = u64::from(sample.bytes());
    let side = (bytes / size).isqrt();
    let header = bytes - size * side * side;
    (side > 1 && header.is_multiple_of(2) && (1..=LONGEST_HEADER).contains(&header)).then(|| {
        format!(
            "it may be {side}×{side} samples behind a header of {header} bytes (--offset {header}, or \
             ImportOptions::with_offset)"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::import_bytes;
    use super::*;
    use crate::field::Sample;

    fn refusal(bytes: usize, options: &ImportOptions) -> String {
        import_bytes("a.r16", &vec![0; bytes], options).unwrap_err().to_string()
    }

    #[test]
    fn a_size_is_never_guessed() {
        let options = ImportOptions::default();
        let text = refusal(2 * 701 * 300, &options);
        assert!(
            text.contains("210300 samples") && text.contains("with_raw_size") && text.contains("701×300"),
            "{text}"
        );
        assert!(text.contains("(--raw-size, or ImportOptions::with_raw_size)"), "{text}");
        let text = refusal(32 + 2 * 256 * 256, &options);
        assert!(
            text.contains("131104 bytes") && text.contains("256×256 samples behind a header of 32"),
            "{text}"
        );
        assert!(refusal(200001, &options).contains("no whole number"));
        assert!(refusal(4 * 33 * 33, &options).contains("33×33 samples of f32"));
        assert!(refusal(2, &options).contains("at least 2×2"));
    }

    #[test]
    fn a_stated_size_that_does_not_fit_names_both_numbers() {
        let text = refusal(2 * 33 * 33, &ImportOptions::default().with_raw_size(33, 32));
        assert!(text.contains("2112") && text.contains("2178"), "{text}");
        let text = refusal(2 * 33 * 33, &ImportOptions::default().with_raw_size(u32::MAX, u32::MAX));
        assert!(text.contains("2178"), "{text}");
        assert!(refusal(7, &ImportOptions::default().with_raw_size(2, 2)).contains("8 bytes"));
    }

    #[test]
    fn either_byte_order_is_read_and_rows_run_south() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];
        let options = ImportOptions::default().with_raw_size(3, 2);
        let (little, report) = import_bytes("a.r16", &bytes, &options).unwrap();
        assert_eq!(little.samples(), [0x201, 0x403, 0x605, 0x807, 0xa09, 0xc0b]);
        assert_eq!(little.sample(Sample::new(2, 1)), 0xc0b);
        assert_eq!(report.byte_order, Some(ByteOrder::Little));
        let (big, report) = import_bytes("a.r16", &bytes, &options.with_byte_order(ByteOrder::Big)).unwrap();
        assert_eq!(big.samples(), [0x102, 0x304, 0x506, 0x708, 0x90a, 0xb0c]);
        assert_eq!(report.byte_order, Some(ByteOrder::Big));
    }

    #[test]
    fn a_stated_code_is_a_void() {
        let bytes: Vec<u8> = [7u16, 0, 9, 8, 65535, 10].into_iter().flat_map(u16::to_le_bytes).collect();
        let options = ImportOptions::default().with_raw_size(3, 2).with_range(0.0, 65535.0);
        let (field, report) = import_bytes("a.r16", &bytes, &options.clone().with_nodata(65535.0)).unwrap();
        assert_eq!((report.voids, report.min, report.max, report.mean), (1, 0.0, 10.0, 6.8));
        assert_eq!(field.sample(Sample::new(1, 1)), 6, "the mean of those around it");
        let (_, report) = import_bytes("a.r16", &bytes, &options.with_nodata(-9999.0)).unwrap();
        assert_eq!((report.voids, report.max), (0, 65535.0), "no 16-bit code");
    }
}
