//! Golden pictures: what a test drew, held against what was looked at and found good.
//!
//! They lie in `tests/golden`. `LANDFORM_BLESS=1` writes them. On a failure `out/NAME.actual.png` and `out/NAME.diff.png`
//! show what was drawn and where it differs. [`golden`] counts steps of pixels, for what every device draws alike;
//! [`golden_flip`] asks what a person would see, for what devices round and filter differently.

use std::path::{Path, PathBuf};

use crate::flip::mean;
use crate::{FLIP_PIXELS_PER_DEGREE, Failure, Image8, Result, flip_map, read_png, write_png};

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

/// Holds a picture against its golden one by how different the two look: [`mean_flip`](crate::mean_flip) may be at most
/// `most_mean_flip`, 0 … 1.
///
/// # Panics
/// With a sentence where it is too far away, or where there is none.
#[track_caller]
pub fn golden_flip(name: &str, image: &Image8, most_mean_flip: f64) {
    if let Err(failure) = check_golden_flip(name, image, most_mean_flip) {
        panic!("{failure}");
    }
}

/// Holds a picture against its golden one, or writes that with `LANDFORM_BLESS=1`.
///
/// # Errors
/// A sentence where it is too far away, where there is none, or where a blessed one is too large a file.
pub fn check_golden(name: &str, image: &Image8, limit: Limit) -> Result<()> {
    match expected_or_blessed(name, image)? {
        Some(expected) => compare_or_write(name, &expected, image, limit),
        None => Ok(()),
    }
}

/// Holds a picture against its golden one as [`golden_flip`] does, or writes that with `LANDFORM_BLESS=1`.
///
/// # Errors
/// A sentence where it is too far away, where there is none, or where a blessed one is too large a file.
pub fn check_golden_flip(name: &str, image: &Image8, most_mean_flip: f64) -> Result<()> {
    match expected_or_blessed(name, image)? {
        Some(expected) => compare_flip_or_write(name, &expected, image, most_mean_flip),
        None => Ok(()),
    }
}

/// The golden picture, or none where this one has just become it.
fn expected_or_blessed(name: &str, image: &Image8) -> Result<Option<Image8>> {
    let path = repository().join("tests/golden").join(format!("{name}.png"));
    if std::env::var("LANDFORM_BLESS").is_ok_and(|value| value == "1") {
        write_png(&path, image)?;
        let bytes = std::fs::metadata(&path).map_or(0, |metadata| metadata.len());
        if bytes > MOST_BYTES {
            return Err(Failure::new(format!("{name} has {bytes} bytes; draw it smaller than {MOST_BYTES}")));
        }
        return Ok(None);
    }
    if !path.exists() {
        write_png(out(name, "actual"), image)?;
        return Err(Failure::new(format!(
            "there is no golden picture {name}: look at out/{name}.actual.png, and run again with LANDFORM_BLESS=1 if it \
             is good"
        )));
    }
    read_png(&path).map(Some)
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
    write_pair(name, expected, actual, &expected.difference_image(actual))?;
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

/// Holds a picture against another by how different the two look, and writes both and a map of where, white where the
/// most, to `out/` where the mean FLIP is more than `most_mean_flip`.
///
/// # Errors
/// A sentence that says how different.
pub fn compare_flip_or_write(
    name: &str,
    expected: &Image8,
    actual: &Image8,
    most_mean_flip: f64,
) -> Result<()> {
    let map = flip_map(expected, actual, FLIP_PIXELS_PER_DEGREE).inspect_err(|_| {
        let _ = write_png(out(name, "actual"), actual);
    })?;
    let is = mean(&map);
    if is <= most_mean_flip {
        return Ok(());
    }
    let (worst, most) = map.iter().enumerate().fold((0, 0.0), |found, (at, value)| match *value > found.1 {
        true => (at, *value),
        false => found,
    });
    let at = (worst as u32 % expected.width, worst as u32 / expected.width);
    let grey = |value: &f32| {
        let byte = (255.0 * value).round() as u8;
        [byte, byte, byte, 255]
    };
    let data = map.iter().flat_map(grey).collect();
    write_pair(name, expected, actual, &Image8 { width: expected.width, height: expected.height, data })?;
    Err(Failure::new(format!(
        "{name}: the mean FLIP is {is:.4}, of at most {most_mean_flip} that it may be; the worst pixel, {at:?}, has \
         {most:.3}; see out/{name}.diff.png"
    )))
}

fn write_pair(name: &str, expected: &Image8, actual: &Image8, difference: &Image8) -> Result<()> {
    write_png(out(name, "actual"), actual)?;
    write_png(out(name, "expected"), expected)?;
    write_png(out(name, "diff"), difference)
}

fn out(name: &str, what: &str) -> PathBuf {
    repository().join("out").join(format!("{name}.{what}.png"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mean_flip;

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
    #[test]
    fn what_looks_different_by_flip_is_written_out_and_described() {
        let name = format!("golden-flip-self-test-{}", std::process::id());
        let expected = Image8::filled(20, 10, [100, 100, 100, 255]);
        let near = Image8::filled(20, 10, [101, 100, 100, 255]);
        compare_flip_or_write(&name, &expected, &near, 0.05).unwrap();
        assert!(!out(&name, "diff").exists());
        let far = Image8::filled(20, 10, [0, 0, 0, 255]);
        let mean = mean_flip(&expected, &far).unwrap();
        let sentence = compare_flip_or_write(&name, &expected, &far, 0.05).unwrap_err().to_string();
        let said = format!("the mean FLIP is {mean:.4}, of at most 0.05 that it may be; the worst pixel, (");
        assert!(sentence.contains(&said) && sentence.contains(".diff.png"), "{sentence}");
        let grey = read_png(out(&name, "diff")).unwrap().pixel(7, 7)[1];
        assert!((f64::from(grey) / 255.0 - mean).abs() < 0.01);
        for what in ["actual", "expected", "diff"] {
            std::fs::remove_file(out(&name, what)).unwrap();
        }
        let small = Image8::filled(20, 9, [0, 0, 0, 255]);
        let sentence = compare_flip_or_write(&name, &expected, &small, 0.05).unwrap_err().to_string();
        assert!(sentence.contains("cannot be compared"), "{sentence}");
        std::fs::remove_file(out(&name, "actual")).unwrap();
        let sentence = check_golden_flip(&name, &far, 0.05).unwrap_err().to_string();
        assert!(sentence.contains("LANDFORM_BLESS=1"), "{sentence}");
        std::fs::remove_file(out(&name, "actual")).unwrap();
    }
}
