//! How many layers were read at a pixel: the preview's view of it, as numbers again.

use landform_harness::{Failure, Image8, Result};

/// The counts that the view tells apart; the last stands for all above it.
const COUNTS: usize = 9;
/// How far a pixel's colour may be from that of its count.
const NEAR: u32 = 3;

/// The mean over the pixels that were drawn; None of an empty picture.
///
/// # Errors
/// A colour that no count has.
pub(super) fn mean_layers(picture: &Image8) -> Result<Option<f64>> {
    let palette: [[u8; 3]; COUNTS] = std::array::from_fn(colour_of);
    let (mut sum, mut pixels) = (0usize, 0usize);
    for [r, g, b, _] in picture.pixels().filter(|pixel| pixel[..3] != CLEARED) {
        let far = |colour: &[u8; 3]| {
            [r, g, b].iter().zip(colour).map(|(&a, &b)| u32::from(a.abs_diff(b))).max().unwrap_or(0)
        };
        let count = (0..COUNTS).find(|&count| far(&palette[count]) <= NEAR);
        sum += count.ok_or_else(|| {
            Failure::new(format!(
                "the view of layers has a pixel of ({r}, {g}, {b}), which no count of them has; the colours in \
                 tools/bench are not those of shaders/preview.frag.hlsl"
            ))
        })?;
        pixels += 1;
    }
    Ok((pixels > 0).then(|| sum as f64 / pixels as f64))
}

const CLEARED: [u8; 3] = [255, 0, 255];

/// `count_colour` of the preview, as an sRGB target holds it.
fn colour_of(count: usize) -> [u8; 3] {
    let part = count as f32 / (COUNTS - 1) as f32;
    let linear = [2.0 * part - 0.6, 1.4 - (2.6 * part - 1.0).abs(), 1.0 - 2.2 * part];
    let linear = linear.map(|part| part.clamp(0.0, 1.0));
    let brightest = linear.into_iter().fold(0.0, f32::max);
    let held = linear.map(|part| part / (1.0 + (brightest - 0.8).max(0.0)));
    held.map(|part| {
        let encoded = if part <= 0.0031308 { 12.92 * part } else { 1.055 * part.powf(1.0 / 2.4) - 0.055 };
        (255.0 * encoded).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_counted() {
        let colour = |count: usize| {
            let [r, g, b] = colour_of(count);
            [r, g, b, 255]
        };
        let data: Vec<u8> = [colour(3), colour(4), [255, 0, 255, 255], colour(8)].concat();
        let picture = Image8 { width: 2, height: 2, data };
        assert_eq!(mean_layers(&picture).unwrap(), Some(5.0));
        assert_eq!(mean_layers(&Image8::filled(2, 2, [255, 0, 255, 255])).unwrap(), None);
        assert!(mean_layers(&Image8::filled(2, 2, [9, 9, 9, 255])).is_err());
    }
}
