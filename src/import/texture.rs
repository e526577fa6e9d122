//! Pictures people have → the textures of a layer: texels and their mips, as a device reads them.
//!
//! | format | recognised by | what is taken |
//! |---|---|---|
//! | PNG | its signature | every colour type and depth, palettes, interlaced; 16 bits become 8, rounded |
//! | JPEG | its signature | grey and colour, baseline and progressive; turned as its EXIF says |
//! | KTX2 | its signature | one 2D picture of 8-bit texels, or of blocks (BC1, BC3, BC4, BC5, BC7), also packed with zstd or zlib |
//!
//! A [`TextureRequest`] says which files make one texture of a [`Layer`](crate::splat::Layer), and reads them:
//!
//! | slot | texels | mips |
//! |---|---|---|
//! | albedo | RGBA8 sRGB, alpha 255 | averaged in linear light |
//! | surface | RGBA8: occlusion, roughness, 0, blend height | averaged |
//! | normal | RG8: x and y from −1 to 1 as 1 to 255, 0 as 128; z is what makes their length 1, and never below 0 | vectors averaged, then made of length 1 |
//!
//! Blocks stay blocks, with the mips of their file, where the device reads blocks and nothing in them has to change. Whatever
//! was changed on the way is a line of [`TextureData::notes`].

mod albedo;
mod blocks;
mod data;
mod enlarge;
mod jpeg;
mod ktx2;
mod mips;
mod normal;
mod picture;
mod png;
mod request;
mod source;
mod surface;

#[cfg(test)]
mod tests;

pub use data::{Blocks, TexelFormat, TextureData};
pub use request::TextureRequest;

/// The longest side of a texture, texels.
const MAX_SIDE: u32 = 1 << 14;

/// The most texels of a texture, 2²⁶ (8192×8192, a quarter of a gibibyte as RGBA8).
const MAX_TEXELS: u64 = 1 << 26;

/// The largest file that is read, bytes: what the most texels are at 16 bits a channel, not packed at all.
const MAX_BYTES: u64 = 8 * MAX_TEXELS;

/// Refuses a size, with a sentence, before memory is taken for it.
fn check_size(width: u32, height: u32) -> Result<(), String> {
    if width == 0 || height == 0 {
        return Err(format!("claims {width}×{height} texels, which is no picture"));
    }
    if width > MAX_SIDE || height > MAX_SIDE {
        return Err(format!("claims {width}×{height} texels; a texture has at most {MAX_SIDE} a side"));
    }
    if u64::from(width) * u64::from(height) > MAX_TEXELS {
        return Err(format!(
            "claims {width}×{height} texels, more than {MAX_TEXELS}; save it at 8192×8192 or smaller"
        ));
    }
    Ok(())
}

/// Why a texture was not made.
enum Failure {
    /// The error.
    Refused(crate::Error),
    /// It was told to break off.
    Stopped,
}

impl From<crate::Error> for Failure {
    fn from(error: crate::Error) -> Self {
        Self::Refused(error)
    }
}

/// Asks whether to break off.
#[derive(Clone, Copy)]
struct Stop<'a>(&'a dyn Fn() -> bool);

impl Stop<'_> {
    fn go_on(self) -> Result<(), Failure> {
        if (self.0)() { Err(Failure::Stopped) } else { Ok(()) }
    }
}
