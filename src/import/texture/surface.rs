//! Occlusion, roughness and blend heights in one texture, from one file or from up to three.

use super::blocks::BlockKind;
use super::picture::Picture;
use super::source::Source;
use super::{Blocks, Failure, Stop, TexelFormat, TextureData, check_size, enlarge, mips};
use crate::Error;
use std::path::{Path, PathBuf};

/// What is taken where a layer has no occlusion, no roughness or no blend height: unoccluded, rough (0.9), and a flat height
/// of 0.5.
const MISSING: [u8; 3] = [255, 230, 128];

/// Occlusion, roughness and blend height, in this order everywhere.
pub(super) type Parts<T> = [T; 3];

/// The note on data whose file says that they are colours.
pub(super) const SRGB_DATA: &str =
    "it says that its colours are sRGB; they are read as linear, which data are";

/// The note on a surface whose alpha is no height.
const NO_HEIGHT: &str = "it has no blend heights, for its alpha is missing or full everywhere; they are 0.5";

/// The texture of a surface that is one file.
pub(super) fn packed(
    name: &Path,
    source: Source,
    blocks: Blocks,
    stop: Stop<'_>,
) -> Result<TextureData, Failure> {
    let mut notes = Vec::new();
    let mut picture = match source {
        Source::Picture(picture) => picture,
        Source::Blocks(file) => {
            let format = match file.kind {
                BlockKind::Bc3 => Some(TexelFormat::Bc3),
                BlockKind::Bc7 => Some(TexelFormat::Bc7),
                _ => None,
            };
            let kept = format.filter(|_| blocks == Blocks::Kept && file.has_mips());
            // The smallest mip is opaque where all are.
            if let Some(format) = kept.filter(|_| !file.unpack_smallest().is_opaque()) {
                notes.extend(file.srgb.then(|| SRGB_DATA.into()));
                return Ok(file.kept(format, notes));
            }
            notes.push(file.unpacked_because(blocks));
            file.unpack()
        }
    };
    if picture.srgb == Some(true) {
        notes.push(SRGB_DATA.into());
    }
    if picture.channels.is_grey() {
        let why = "is a grey picture, which cannot be occlusion, roughness and blend heights at once; name it as \
                   `occlusion`, `roughness` or `height` of the layer";
        return Err(Error::file(name, why).into());
    }
    notes.append(&mut picture.notes);
    let flat = picture.is_opaque();
    if flat {
        notes.push(NO_HEIGHT.into());
    }
    for texel in &mut picture.texels {
        *texel = [texel[0], texel[1], 0, if flat { MISSING[2] } else { texel[3] }];
    }
    finish(picture.width, picture.height, picture.texels, notes, stop)
}

/// One channel of a file.
pub(super) struct Plane {
    pub(super) name: PathBuf,
    extent: [u32; 2],
    values: Vec<u8>,
}

impl Plane {
    /// A channel of a picture, from red on.
    pub(super) fn of(name: &Path, picture: &Picture, channel: usize) -> Result<Self, Error> {
        if !picture.channels.has(channel) {
            let (missing, letter) = [("red", 'r'), ("green", 'g'), ("blue", 'b'), ("alpha", 'a')][channel];
            let why = format!(
                "has no {missing} channel, which #{letter} asks for; name one that it has, or the file alone for red"
            );
            return Err(Error::file(name, why));
        }
        let values = picture.texels.iter().map(|texel| texel[channel]).collect();
        Ok(Self { name: name.into(), extent: [picture.width, picture.height], values })
    }
}

/// The texture of a surface of up to three planes, at least one, as large as the largest.
pub(super) fn from_planes(
    mut planes: Parts<Option<Plane>>,
    mut notes: Vec<String>,
    stop: Stop<'_>,
) -> Result<TextureData, Failure> {
    let sides = |axis: usize| planes.iter().flatten().map(move |plane| plane.extent[axis]).max().unwrap_or(1);
    let [width, height] = [sides(0), sides(1)];
    for plane in planes.iter_mut().flatten().filter(|plane| plane.extent != [width, height]) {
        let [from_width, from_height] = plane.extent;
        check_size(width, height).map_err(|_| {
            let why = format!(
                "has {from_width}×{from_height} texels, and beside the layer's other files it would have \
                               to be {width}×{height}, which is too large; save them at one size"
            );
            Error::file(&plane.name, why)
        })?;
        notes.push(format!(
            "{} has {from_width}×{from_height} texels and was enlarged to {width}×{height}, the size of the layer's others",
            plane.name.display()
        ));
        plane.values = enlarge::enlarge(&plane.values, plane.extent, [width, height], stop)?;
    }
    let value =
        |part: usize, index: usize| planes[part].as_ref().map_or(MISSING[part], |plane| plane.values[index]);
    let count = width as usize * height as usize;
    let texels: Vec<_> = (0..count).map(|at| [value(0, at), value(1, at), 0, value(2, at)]).collect();
    finish(width, height, texels, notes, stop)
}

fn finish(
    width: u32,
    height: u32,
    texels: Vec<[u8; 4]>,
    notes: Vec<String>,
    stop: Stop<'_>,
) -> Result<TextureData, Failure> {
    let read = |index: usize| texels[index].map(f32::from);
    let below = mips::below([width, height], read, |mean| mean.map(|value| value.round() as u8), stop)?;
    let mips = [texels.into_flattened()].into_iter().chain(below).collect();
    Ok(TextureData { width, height, format: TexelFormat::Rgba8, mips, notes })
}
