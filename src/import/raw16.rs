//! Raw 16-bit samples: no header, no size, no byte order. What the file does not say is stated, or assumed and
//! reported; the size is never guessed.

use super::format::looks_like;
use super::grid::{Grid, Notes, Values};
use super::survey::looks_swapped;
use super::{ByteOrder, Format, ImportOptions, MAX_SAMPLES, check_size, read_samples};
use crate::{Error, Result};
use std::io::{BufRead, Seek};
use std::path::Path;

/// Reads a raw file of `bytes` bytes.
pub(super) fn read(
    name: &Path,
    mut input: impl BufRead + Seek,
    bytes: u64,
    options: &ImportOptions,
) -> Result<Grid> {
    let (width, height) = match options.raw_size {
        Some(stated) => stated_size(name, bytes, stated)?,
        None => square(bytes).ok_or_else(|| Error::file(name, no_size(&mut input, bytes)))?,
    };
    check_size(name, width, height, options)?;
    let order = options.byte_order.or(ByteOrder::Little);
    let values = read_samples(name, input, width as usize * height as usize, |pair| order.decode(pair))?;
    let mut notes = Notes::default();
    if options.raw_size.is_none() {
        notes.assume(format!("{width}×{height} samples, because no size is stated and the file is a square"));
    }
    if options.byte_order == ByteOrder::Auto {
        notes.assume("little-endian samples, because no byte order is stated");
    }
    if looks_swapped(&values, width as usize) {
        let other = if order == ByteOrder::Little { ByteOrder::Big } else { ByteOrder::Little };
        notes.warn(format!(
            "the byte order looks wrong: neighbouring samples jump all over the range, and {other} they would be smooth"
        ));
    }
    let byte_order = Some(order);
    Ok(Grid {
        format: Format::Raw16,
        width,
        height,
        bit_depth: 16,
        byte_order,
        values: Values::Codes(values),
        nodata: None,
        voids_are_nan: false,
        spacing: None,
        notes,
    })
}

fn stated_size(name: &Path, bytes: u64, (width, height): (u32, u32)) -> Result<(u32, u32)> {
    let wanted = 2 * u128::from(width) * u128::from(height);
    if wanted == u128::from(bytes) {
        return Ok((width, height));
    }
    let hint = other_layout(bytes).map(|layout| format!("; {layout}")).unwrap_or_default();
    Err(Error::file(
        name,
        format!("{width}×{height} 16-bit samples are {wanted} bytes, but the file has {bytes}{hint}"),
    ))
}

/// The size of a file that is a square of 16-bit samples.
fn square(bytes: u64) -> Option<(u32, u32)> {
    let side = (bytes / 2).isqrt();
    let side32 = u32::try_from(side).ok()?;
    (2 * side * side == bytes).then_some((side32, side32))
}

/// Why a file without a stated size is refused, and what would work.
fn no_size(input: &mut impl BufRead, bytes: u64) -> String {
    let mut why = if bytes % 2 == 1 {
        format!("{bytes} bytes are an odd number, so these are no 16-bit samples, or the file is truncated")
    } else if bytes / 2 > MAX_SAMPLES {
        format!("{} samples are more than {MAX_SAMPLES}; split the file into several maps", bytes / 2)
    } else {
        let sizes: Vec<_> =
            sizes_of(bytes / 2).iter().map(|(width, height)| format!("{width}×{height}")).collect();
        let sizes = match sizes.is_empty() {
            true => "; no size near a square fits".to_owned(),
            false => format!(", for instance {} (or the other way round)", sizes.join(", ")),
        };
        format!(
            "{bytes} bytes are {} samples, which is no square; state width×height (ImportOptions::with_raw_size, or \
             --raw-size of the valley){sizes}",
            bytes / 2
        )
    };
    let head = input.fill_buf().unwrap_or_default();
    let kind = looks_like(head).map(|kind| format!("it looks like {kind}"));
    for hint in kind.into_iter().chain(other_layout(bytes)) {
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

/// What else a file of so many bytes may be: other sample sizes, or a header before a square.
fn other_layout(bytes: u64) -> Option<String> {
    const LONGEST_HEADER: u64 = 512;
    let side = bytes.isqrt();
    if side * side == bytes && side > 1 {
        let floats = if side.is_multiple_of(2) {
            format!(", or {0}×{0} 32-bit ones", side / 2)
        } else {
            String::new()
        };
        return Some(format!("it may be {side}×{side} 8-bit samples{floats}, which are not read"));
    }
    let side = (bytes / 2).isqrt();
    let header = bytes - 2 * side * side;
    (side > 1 && header.is_multiple_of(2) && (1..=LONGEST_HEADER).contains(&header)).then(|| {
        format!("it may be {side}×{side} samples behind a header of {header} bytes; headers are not read, cut it off")
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
            text.contains("210300 samples") && text.contains("raw_size") && text.contains("701×300"),
            "{text}"
        );
        assert!(text.contains("(ImportOptions::with_raw_size, or --raw-size of the valley)"), "{text}");
        let text = refusal(32 + 2 * 256 * 256, &options);
        assert!(
            text.contains("131104 bytes") && text.contains("256×256 samples behind a header of 32"),
            "{text}"
        );
        assert!(refusal(200001, &options).contains("odd"));
        assert!(refusal(4 * 64 * 64, &options).contains("64×64 32-bit"));
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
