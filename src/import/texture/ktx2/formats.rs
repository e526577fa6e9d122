//! Which Vulkan formats a KTX2 file may have, and the sentences for those that it may not.

use crate::import::texture::blocks::BlockKind;

/// How texels lie in a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    Red,
    RedGreen,
    Rgb,
    Rgba,
    Bgra,
    Blocks(BlockKind),
}

impl Layout {
    /// True where it can be colours, so that it matters whether they are sRGB.
    pub(super) fn is_colour(self) -> bool {
        match self {
            Self::Red | Self::RedGreen => false,
            Self::Rgb | Self::Rgba | Self::Bgra => true,
            Self::Blocks(kind) => kind.is_colour(),
        }
    }

    /// Bytes of a level of this width and height.
    pub(super) fn bytes(self, [width, height]: [u32; 2]) -> usize {
        let texels = width as usize * height as usize;
        match self {
            Self::Red => texels,
            Self::RedGreen => 2 * texels,
            Self::Rgb => 3 * texels,
            Self::Rgba | Self::Bgra => 4 * texels,
            Self::Blocks(kind) => {
                width.div_ceil(4) as usize * height.div_ceil(4) as usize * kind.block_bytes()
            }
        }
    }
}

/// What a format's number means.
pub(super) struct Stored {
    pub(super) layout: Layout,
    pub(super) srgb: bool,
}

/// The layout of a Vulkan format by its number. The error is a sentence.
pub(super) fn stored(format: u32) -> Result<Stored, String> {
    use Layout as L;
    let (layout, srgb) = match format {
        9 => (L::Red, false),
        15 => (L::Red, true),
        16 => (L::RedGreen, false),
        22 => (L::RedGreen, true),
        23 => (L::Rgb, false),
        29 => (L::Rgb, true),
        37 => (L::Rgba, false),
        43 => (L::Rgba, true),
        44 => (L::Bgra, false),
        50 => (L::Bgra, true),
        131 | 133 => (L::Blocks(BlockKind::Bc1), false),
        132 | 134 => (L::Blocks(BlockKind::Bc1), true),
        137 => (L::Blocks(BlockKind::Bc3), false),
        138 => (L::Blocks(BlockKind::Bc3), true),
        139 => (L::Blocks(BlockKind::Bc4), false),
        141 => (L::Blocks(BlockKind::Bc5), false),
        145 => (L::Blocks(BlockKind::Bc7), false),
        146 => (L::Blocks(BlockKind::Bc7), true),
        _ => return Err(refusal(format)),
    };
    Ok(Stored { layout, srgb })
}

fn refusal(format: u32) -> String {
    let what = match format {
        0 => {
            return "is a KTX2 of Basis Universal (ETC1S or UASTC), which has to be transcoded first, for instance with \
                    `ktx transcode --target bc7`"
                .into();
        }
        10 | 17 | 24 | 31 | 38 | 45 | 140 | 142 => "signed texels".to_owned(),
        135 | 136 => "BC2 blocks".to_owned(),
        143 | 144 => "BC6H blocks, whose colours have no end".to_owned(),
        147..=156 => "ETC2 or EAC blocks".to_owned(),
        157..=184 => "ASTC blocks".to_owned(),
        _ => format!("Vulkan format {format}"),
    };
    format!("is a KTX2 of {what}; write it as RGBA8, or as BC7, or as BC5 for normals")
}
