//! Blocks of 4×4 texels → texels, through the `bcdec_rs` crate.

use super::picture::{Channels, Picture};

/// A way to pack a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// Colours; an alpha of one bit is read past.
    Bc1,
    /// Colours and alpha.
    Bc3,
    /// One channel.
    Bc4,
    /// Two channels.
    Bc5,
    /// Colours and alpha.
    Bc7,
}

impl BlockKind {
    /// The name in a sentence.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bc1 => "BC1",
            Self::Bc3 => "BC3",
            Self::Bc4 => "BC4",
            Self::Bc5 => "BC5",
            Self::Bc7 => "BC7",
        }
    }

    /// True where it can be colours.
    pub(super) fn is_colour(self) -> bool {
        matches!(self, Self::Bc1 | Self::Bc3 | Self::Bc7)
    }

    /// Bytes of a block.
    pub(super) fn block_bytes(self) -> usize {
        match self {
            Self::Bc1 | Self::Bc4 => 8,
            Self::Bc3 | Self::Bc5 | Self::Bc7 => 16,
        }
    }

    /// Channels of an unpacked texel.
    fn channels(self) -> Channels {
        match self {
            Self::Bc1 => Channels::Rgb,
            Self::Bc3 | Self::Bc7 => Channels::Rgba,
            Self::Bc4 => Channels::Grey,
            Self::Bc5 => Channels::RedGreen,
        }
    }

    /// The texels of a level of this size, whose bytes are as many as they have to be.
    pub(super) fn unpack(self, width: u32, height: u32, bytes: &[u8]) -> Picture {
        let mut picture = Picture::new(width, height, self.channels());
        picture.texels = vec![[0; 4]; picture.count()];
        let across = width.div_ceil(4) as usize;
        for (index, block) in bytes.chunks_exact(self.block_bytes()).enumerate() {
            let (x, z) = (4 * (index % across), 4 * (index / across));
            let texels = self.texels(block);
            for (row, texels) in texels.iter().enumerate().take((height as usize).saturating_sub(z)) {
                let columns = (width as usize - x).min(4);
                let at = (z + row) * width as usize + x;
                picture.texels[at..at + columns].copy_from_slice(&texels[..columns]);
            }
        }
        picture
    }

    /// The 4×4 texels of a block.
    fn texels(self, block: &[u8]) -> [[[u8; 4]; 4]; 4] {
        let mut colours = [0; 64];
        match self {
            Self::Bc1 => bcdec_rs::bc1(block, &mut colours, 16),
            Self::Bc3 => bcdec_rs::bc3(block, &mut colours, 16),
            Self::Bc7 => bcdec_rs::bc7(block, &mut colours, 16),
            Self::Bc4 => {
                let mut grey = [0; 16];
                bcdec_rs::bc4(block, &mut grey, 4, false);
                for (texel, grey) in colours.as_chunks_mut::<4>().0.iter_mut().zip(grey) {
                    *texel = [grey; 4];
                }
            }
            Self::Bc5 => {
                let mut two = [0; 32];
                bcdec_rs::bc5(block, &mut two, 8, false);
                for (texel, two) in colours.as_chunks_mut::<4>().0.iter_mut().zip(two.as_chunks::<2>().0) {
                    *texel = [two[0], two[1], 0, 255];
                }
            }
        }
        let mut texels = [[[0; 4]; 4]; 4];
        for (texel, &colour) in texels.as_flattened_mut().iter_mut().zip(colours.as_chunks::<4>().0) {
            *texel = colour;
            if !self.channels().has_alpha() {
                texel[3] = 255;
            }
        }
        texels
    }
}
