//! Normals: x and y of vectors of length 1 in tangent space, in every mip.

use super::blocks::BlockKind;
use super::picture::Channels;
use super::source::Source;
use super::surface::SRGB_DATA;
use super::{Blocks, Failure, Stop, TexelFormat, TextureData, mips};
use crate::Error;
use std::path::Path;

/// The texture of normals. Green points where it does in the file: what draws it turns it.
pub(super) fn normal(
    name: &Path,
    source: Source,
    blocks: Blocks,
    stop: Stop<'_>,
) -> Result<TextureData, Failure> {
    let mut notes = Vec::new();
    let picture = match source {
        Source::Picture(picture) => picture,
        Source::Blocks(file) => {
            if file.kind == BlockKind::Bc5 && blocks == Blocks::Kept && file.has_mips() {
                return Ok(file.kept(TexelFormat::Bc5, notes));
            }
            notes.push(file.unpacked_because(blocks));
            file.unpack()
        }
    };
    if picture.srgb == Some(true) {
        notes.push(SRGB_DATA.into());
    }
    if picture.channels.is_grey() {
        let why = "is a grey picture, which has no normals; a map of heights is the layer's `height`";
        return Err(Error::file(name, why).into());
    }
    notes.extend(picture.notes);
    let (width, height) = (picture.width, picture.height);
    let two = picture.channels == Channels::RedGreen;
    let texels = &picture.texels;
    let read = |index: usize| vector(texels[index], two);
    let below = mips::below([width, height], read, written, stop)?;
    let first = (0..texels.len()).flat_map(|index| written(read(index))).collect();
    let mips = [first].into_iter().chain(below).collect();
    Ok(TextureData { width, height, format: TexelFormat::Rg8, mips, notes })
}

/// The vector of a texel, of length 1 and not below the ground.
fn vector([x, y, z, _]: [u8; 4], two_channels: bool) -> [f32; 3] {
    // 128 is exactly 0, so that what is flat in the file is flat.
    let [x, y, z] = [x, y, z].map(|code| ((f32::from(code) - 128.0) / 127.0).max(-1.0));
    let z = if two_channels { (1.0 - x * x - y * y).max(0.0).sqrt() } else { z.max(0.0) };
    unit([x, y, z])
}

/// The vector with a length of 1; straight up where it has none.
fn unit([x, y, z]: [f32; 3]) -> [f32; 3] {
    let length = (x * x + y * y + z * z).sqrt();
    if length < 1e-6 { [0.0, 0.0, 1.0] } else { [x / length, y / length, z / length] }
}

/// x and y of a mean of vectors, as bytes.
fn written(mean: [f32; 3]) -> [u8; 2] {
    let [x, y, _] = unit(mean);
    [x, y].map(|value| (value * 127.0 + 128.0).round() as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vector_comes_back() {
        for x in (0..=255u8).step_by(3) {
            for y in (0..=255u8).step_by(5) {
                let (wide, tall) = ((f32::from(x) - 128.0) / 127.0, (f32::from(y) - 128.0) / 127.0);
                if wide * wide + tall * tall > 1.0 {
                    continue;
                }
                assert_eq!(written(vector([x, y, 0, 255], true)), [x, y]);
            }
        }
    }

    #[test]
    fn what_has_no_length_is_straight_up() {
        for code in [0, 127, 128] {
            let [x, y, z] = vector([code, code, 0, 0], false);
            assert!(x.is_finite() && y.is_finite() && z >= 0.0);
        }
        assert_eq!(vector([128, 128, 0, 0], false), [0.0, 0.0, 1.0]);
        assert_eq!(unit([0.0; 3]), [0.0, 0.0, 1.0]);
    }
}
