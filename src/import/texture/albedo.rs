//! Colours: sRGB, mips in linear light, alpha left out.

use super::blocks::BlockKind;
use super::source::Source;
use super::{Blocks, Failure, Stop, TexelFormat, TextureData, mips};
use std::sync::LazyLock;

/// The texture of a colour.
pub(super) fn albedo(source: Source, blocks: Blocks, stop: Stop<'_>) -> Result<TextureData, Failure> {
    let mut notes = Vec::new();
    let picture = match source {
        Source::Picture(picture) => picture,
        Source::Blocks(file) => {
            let format = match file.kind {
                BlockKind::Bc1 => Some(TexelFormat::Bc1Srgb),
                BlockKind::Bc3 => Some(TexelFormat::Bc3Srgb),
                BlockKind::Bc7 => Some(TexelFormat::Bc7Srgb),
                BlockKind::Bc4 | BlockKind::Bc5 => None,
            };
            if let Some(format) = format.filter(|_| blocks == Blocks::Kept && file.has_mips()) {
                notes.extend((!file.srgb).then(|| LINEAR_COLOURS.into()));
                return Ok(file.kept(format, notes));
            }
            notes.push(file.unpacked_because(blocks));
            file.unpack()
        }
    };
    let (width, height) = (picture.width, picture.height);
    notes.extend(picture.notes);
    if picture.srgb == Some(false) {
        notes.push(LINEAR_COLOURS.into());
    }
    let mut texels = picture.texels;
    texels.iter_mut().for_each(|texel| texel[3] = 255);
    let linear = |index: usize| {
        let [red, green, blue, _] = texels[index];
        [red, green, blue].map(|code| LINEAR[usize::from(code)])
    };
    let below = mips::below([width, height], linear, encoded, stop)?;
    let mips = [texels.into_flattened()].into_iter().chain(below).collect();
    Ok(TextureData { width, height, format: TexelFormat::Rgba8Srgb, mips, notes })
}

/// The note on an albedo whose file says otherwise.
const LINEAR_COLOURS: &str = "it says that its colours are linear; they are read as sRGB, which an albedo is";

/// Linear light of an sRGB code. (IEC 61966-2-1.)
static LINEAR: LazyLock<[f32; 256]> = LazyLock::new(|| {
    std::array::from_fn(|code| {
        let code = code as f64 / 255.0;
        let linear = if code <= 0.04045 { code / 12.92 } else { ((code + 0.055) / 1.055).powf(2.4) };
        linear as f32
    })
});

/// How finely [`CODES`] divides linear light: the steepest code is 20 of these.
const STEPS: usize = 1 << 16;

/// The sRGB code of linear light.
static CODES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let code = |step: usize| {
        let linear = step as f64 / (STEPS - 1) as f64;
        let code =
            if linear <= 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
        (255.0 * code).round() as u8
    };
    (0..STEPS).map(code).collect()
});

/// A texel of linear light, from 0 to 1.
fn encoded(linear: [f32; 3]) -> [u8; 4] {
    let code = |linear: f32| CODES[((linear * (STEPS - 1) as f32 + 0.5) as usize).min(STEPS - 1)];
    let [red, green, blue] = linear.map(code);
    [red, green, blue, 255]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_come_back() {
        for code in 0..=255u8 {
            assert_eq!(encoded([LINEAR[usize::from(code)]; 3]), [code, code, code, 255]);
        }
    }
}
