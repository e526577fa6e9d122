//! What a texture is to a device.

/// Texels and their mips, ready to be copied to an image.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextureData {
    /// Texels west to east of mip 0.
    pub width: u32,
    /// Texels north to south of mip 0.
    pub height: u32,
    /// What a texel is.
    pub format: TexelFormat,
    /// The mips from the largest on, each half as wide and half as high as the one before, rounded down and at least 1.
    /// Rows lie from north to south without gaps; [`TexelFormat::mip_bytes`] says how many bytes they are.
    pub mips: Vec<Vec<u8>>,
    /// What was changed or read past, one sentence each.
    pub notes: Vec<String>,
}

impl TextureData {
    /// Width and height of a mip.
    pub fn extent(&self, mip: usize) -> [u32; 2] {
        extent(self.width, self.height, mip)
    }
}

impl std::fmt::Debug for TextureData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { width, height, format, mips, notes } = self;
        write!(f, "{width}×{height} {format:?}, {} mips, notes {notes:?}", mips.len())
    }
}

/// Width and height of a mip of a picture.
pub(super) fn extent(width: u32, height: u32, mip: usize) -> [u32; 2] {
    [width, height].map(|side| side.checked_shr(mip as u32).unwrap_or(0).max(1))
}

/// What a texel is. The names are Vulkan's, without the parts that are always the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TexelFormat {
    /// Four bytes, colours in sRGB.
    Rgba8Srgb,
    /// Four bytes, linear.
    Rgba8,
    /// Two bytes, linear.
    Rg8,
    /// Blocks of 8 bytes, colours in sRGB, no alpha.
    Bc1Srgb,
    /// Blocks of 16 bytes, colours in sRGB.
    Bc3Srgb,
    /// Blocks of 16 bytes, linear.
    Bc3,
    /// Blocks of 16 bytes of two channels, linear.
    Bc5,
    /// Blocks of 16 bytes, colours in sRGB.
    Bc7Srgb,
    /// Blocks of 16 bytes, linear.
    Bc7,
}

impl TexelFormat {
    /// Every format.
    pub const ALL: [Self; 9] = [
        Self::Rgba8Srgb,
        Self::Rgba8,
        Self::Rg8,
        Self::Bc1Srgb,
        Self::Bc3Srgb,
        Self::Bc3,
        Self::Bc5,
        Self::Bc7Srgb,
        Self::Bc7,
    ];

    /// Texels a side of a block: 4, or 1 where texels are alone.
    pub fn block_side(self) -> u32 {
        match self {
            Self::Rgba8Srgb | Self::Rgba8 | Self::Rg8 => 1,
            _ => 4,
        }
    }

    /// Bytes of a block, or of a texel where texels are alone.
    pub fn block_bytes(self) -> usize {
        match self {
            Self::Rg8 => 2,
            Self::Rgba8Srgb | Self::Rgba8 => 4,
            Self::Bc1Srgb => 8,
            Self::Bc3Srgb | Self::Bc3 | Self::Bc5 | Self::Bc7Srgb | Self::Bc7 => 16,
        }
    }

    /// Bytes of a row of blocks of a mip of this width and height, and how many rows of blocks it has.
    pub fn rows(self, [width, height]: [u32; 2]) -> (usize, usize) {
        let side = self.block_side();
        (width.div_ceil(side) as usize * self.block_bytes(), height.div_ceil(side) as usize)
    }

    /// Bytes of a mip of this width and height.
    pub fn mip_bytes(self, extent: [u32; 2]) -> usize {
        let (row, rows) = self.rows(extent);
        row * rows
    }
}

/// Whether blocks of a KTX2 file may stay blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Blocks {
    /// They are unpacked to texels: for a device that does not read them, or did not enable `textureCompressionBC`.
    #[default]
    Unpacked,
    /// They are kept where nothing in them has to change.
    Kept,
}
