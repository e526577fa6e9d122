//! Golden pictures: what a test drew, held against what was looked at and found good.
//!
//! They lie in `tests/golden`. `LANDFORM_BLESS=1` writes them. On a failure `out/NAME.actual.png` and `out/NAME.diff.png`
//! show what was drawn and where it differs.

use std::path::{Path, PathBuf};

use crate::{Failure, Image8, Result, read_png, write_png};

/// How far a picture may be from its golden one.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Steps of 255 that a pixel may differ by.
    pub tolerance: u8,
    /// The fraction of pixels that must be within the tolerance.
    pub fraction: f64,
}

impl Limit {
    /// Equal to the bit.
    pub const EXACT: Limit = Limit { tolerance: 0, fraction: 1.0 };
    /// 99.9 % of the pixels within 2 of 255.
    pub const CLOSE: Limit = Limit { tolerance: 2, fraction: 0.999 };
}

/// The most bytes that a golden picture may have.
const MOST_BYTES: u64 = 512 << 10;

/// The root of the repository: `LANDFORM_ROOT` where a test runs on another machine than it was built on, else where it
/// was built.
pub fn repository() -> PathBuf {
    match std::env::var_os("LANDFORM_ROOT") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."),
    }
}

/// Holds a picture against its golden one.
///
/// # Panics
/// With a sentence where it is too far away, or where there is none.
#[track_caller]
pub fn golden(name: &str, image: &Image8, limit: Limit) {
    if let Err(failure) = check_golden(name, image, limit) {
        panic!("{failure}");
    }
}

/// Holds a picture against its golden one, or writes that with `LANDFORM_BLESS=1`.
///
/// # Errors
/// A sentence where it is too far away, where there is none, or where a blessed one is too large a file.
pub fn check_golden(name: &str, image: &Image8, limit: Limit) -> Result<()> {
    let path = repository().join("tests/golden").join(format!("{name}.png"));
    if std::env::var("LANDFORM_BLESS").is_ok_and(|value| value == "1") {
        write_png(&path, image)?;
        let bytes = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
        if bytes > MOST_BYTES {
            return Err(Failure::new(format!("{name} has {bytes} bytes; draw it smaller than {MOST_BYTES}")));
        }
        return Ok(());
    }
    if !path.exists() {
        write_png(out(name, "actual"), image)?;
        return Err(Failure::new(format!(
            "there is no golden picture {name}: look at out/{name}.actual.png, and run again with LANDFORM_BLESS=1 if it \
             is good"
        )));
    }
    compare_or_write(name, &read_png(&path)?, image, limit)
}

/// Holds a picture against another, and writes both and their difference to `out/` where they are too far apart.
///
/// # Errors
/// A sentence that says how far.
pub fn compare_or_write(name: &str, expected: &Image8, actual: &Image8, limit: Limit) -> Result<()> {
    let difference = expected.difference(actual).inspect_err(|_| {
        let _ = write_png(out(name, "actual"), actual);
    })?;
    let within = difference.within(limit.tolerance);
    if within >= limit.fraction {
        return Ok(());
    }
    write_png(out(name, "actual"), actual)?;
    write_png(out(name, "expected"), expected)?;
    write_png(out(name, "diff"), &expected.difference_image(actual))?;
    Err(Failure::new(format!(
        "{name}: {:.3} % of the pixels are within {} of 255, of {:.3} % that must be; the worst, {:?}, is {} away; see \
         out/{name}.diff.png",
        100.0 * within,
        limit.tolerance,
        100.0 * limit.fraction,
        difference.worst,
        difference.most,
    )))
}

fn out(name: &str, what: &str) -> PathBuf {
    repository().join("out").join(format!("{name}.{what}.png"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_written_out_and_described() {
        let name = format!("golden-self-test-{}", std::process::id());
        let expected = Image8::filled(10, 10, [100, 100, 100, 255]);
        let mut actual = expected.clone();
        actual.data[4 * 34] = 103;
        compare_or_write(&name, &expected, &actual, Limit { tolerance: 2, fraction: 0.99 }).unwrap();
        let sentence = compare_or_write(&name, &expected, &actual, Limit::CLOSE).unwrap_err().to_string();
        assert!(sentence.contains("99.000 %") && sentence.contains("(4, 3), is 3 away"), "{sentence}");
        for what in ["actual", "expected", "diff"] {
            std::fs::remove_file(out(&name, what)).unwrap();
        }
        let sentence = check_golden(&name, &actual, Limit::EXACT).unwrap_err().to_string();
        assert!(sentence.contains("LANDFORM_BLESS=1"), "{sentence}");
        std::fs::remove_file(out(&name, "actual")).unwrap();
    }
}
