//! Values of options, each refused with a sentence that says what would work.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use landform::field::{FieldDesc, SampleRect};
use std::ops::RangeInclusive;

/// Numbers between commas.
///
/// # Errors
/// A sentence where one is no number, or not finite.
pub fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |part: &str| {
        let value = part.trim().parse::<f64>().map_err(|_| format!("`{part}` is not a number"))?;
        if value.is_finite() { Ok(value) } else { Err(format!("`{part}` is not finite")) }
    };
    text.split(',').map(number).collect()
}

/// Two numbers.
///
/// # Errors
/// A sentence where they are not two.
pub fn pair(text: &str) -> Result<(f64, f64), String> {
    match numbers(text)?[..] {
        [first, second] => Ok((first, second)),
        _ => Err("two numbers with a comma between them are needed".into()),
    }
}

/// Metres west to east and north to south; one number is both.
///
/// # Errors
/// A sentence where they are not one or two numbers.
pub fn spacing(text: &str) -> Result<(f64, f64), String> {
    match numbers(text)?[..] {
        [both] => Ok((both, both)),
        [x, z] => Ok((x, z)),
        _ => Err("one number is needed, or two with a comma between them".into()),
    }
}

/// A size in pixels, as in `640x480`.
///
/// # Errors
/// A sentence where it is none, or no size of a picture.
pub fn pixels(text: &str) -> Result<(u32, u32), String> {
    sides(text, 1..=16384)
}

/// A size in samples; whether the file has so many is found out when it is read.
///
/// # Errors
/// A sentence where it is none, or no size of a map.
pub fn samples(text: &str) -> Result<(u32, u32), String> {
    sides(text, 2..=FieldDesc::MAX_SIDE)
}

fn sides(text: &str, allowed: RangeInclusive<u32>) -> Result<(u32, u32), String> {
    let parsed = text
        .split_once(['x', 'X', '×'])
        .and_then(|(width, height)| Some((width.trim().parse().ok()?, height.trim().parse().ok()?)));
    match parsed {
        Some((width, height)) if allowed.contains(&width) && allowed.contains(&height) => Ok((width, height)),
        Some(_) => Err(format!("each side must be {} to {}", allowed.start(), allowed.end())),
        None => Err("a width and a height are needed, for instance 1280x720".into()),
    }
}

/// A sample, as its column and its row.
///
/// # Errors
/// A sentence where it is none of a map.
pub fn sample(text: &str) -> Result<(u32, u32), String> {
    let parsed =
        text.split_once(',').and_then(|(x, z)| Some((x.trim().parse().ok()?, z.trim().parse().ok()?)));
    match parsed {
        Some((x, z)) if x < FieldDesc::MAX_SIDE && z < FieldDesc::MAX_SIDE => Ok((x, z)),
        _ => Err("a column and a row of a map are needed, for instance 100,250".into()),
    }
}

/// Part of a map: the column and the row of its north-west sample, and its size.
///
/// # Errors
/// A sentence where it is none.
pub fn crop(text: &str) -> Result<SampleRect, String> {
    let example = || "a column, a row and a size are needed, for instance 100,250,513x257".to_string();
    let (corner, size) = text.rsplit_once(',').ok_or_else(example)?;
    let (x, z) = sample(corner).map_err(|_| example())?;
    let (width, height) = samples(size)?;
    Ok(SampleRect::new(x, z, width, height))
}

/// Degrees of a field of view.
///
/// # Errors
/// A sentence where no picture has it.
pub fn fov(text: &str) -> Result<f64, String> {
    match numbers(text)?[..] {
        [degrees] if (1.0..=150.0).contains(&degrees) => Ok(degrees),
        _ => Err("one number from 1 to 150 is needed".into()),
    }
}

/// One of a few values, by its name.
pub fn choice<T, const N: usize>(values: [(&'static str, T); N]) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(values.iter().map(|(name, _)| *name)).try_map(move |text| {
        let found = values.iter().find(|(name, _)| *name == text);
        found.map(|(_, value)| value.clone()).ok_or("it is none of the possible values")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_and_pixels_have_limits_of_their_own() {
        assert_eq!(pixels("16384x1"), Ok((16384, 1)));
        assert_eq!(samples("4194304×2"), Ok((4_194_304, 2)));
        for (refused, sentence) in [(pixels("16385x1"), "1 to 16384"), (samples("1x9"), "2 to 4194304")] {
            assert!(refused.as_ref().is_err_and(|why| why.contains(sentence)), "{refused:?}");
        }
        assert!(samples("4194305x2").is_err() && pixels("1280").is_err());
    }

    #[test]
    fn a_crop_is_a_corner_and_a_size() {
        assert_eq!(crop("100, 250,513x257"), Ok(SampleRect::new(100, 250, 513, 257)));
        assert_eq!(crop("4194303,4194303,4194304x4194304").map(|rect| rect.x1), Ok(8_388_607));
        for wrong in ["", "1,2", "1,2,3", "1,2,3,4", "-1,2,3x4", "4194304,0,2x2"] {
            assert!(crop(wrong).is_err_and(|why| why.contains("needed")), "{wrong}");
        }
        assert!(crop("1,2,1x4").is_err_and(|why| why.contains("each side")));
    }

    #[test]
    fn a_spacing_is_one_number_or_two() {
        assert_eq!(spacing("2"), Ok((2.0, 2.0)));
        assert_eq!(spacing("2, 3.5"), Ok((2.0, 3.5)));
        for wrong in ["", "1,2,3", "wide", "inf"] {
            assert!(spacing(wrong).is_err(), "{wrong}");
        }
    }
}
