//! KTX2 containers as textures: one 2D picture, of 8-bit texels or of blocks. (Khronos, *KTX File Format Specification*,
//! version 2.0.) Read here because all that is needed are a header and a list of levels.

mod formats;
mod header;
mod unpack;

use super::blocks::BlockKind;
use super::data::extent;
use super::mips;
use super::picture::{Channels, Picture};
use super::source::Source;
use super::{Blocks, TexelFormat, TextureData};
use formats::{Layout, Stored};
use header::Header;

/// How a file begins.
pub(super) const SIGNATURE: [u8; 12] = *b"\xabKTX 20\xbb\r\n\x1a\n";

/// A chain of mips that ends at this many texels a side, or fewer, is whole: some tools end at a block.
const CHAIN_END: u32 = 4;

/// A picture of blocks, with the mips that its file has.
pub(super) struct BlockFile {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) kind: BlockKind,
    /// True where the file says that its colours are sRGB.
    pub(super) srgb: bool,
    /// The mips from the largest on; as many bytes as they have to be.
    pub(super) mips: Vec<Vec<u8>>,
}

impl BlockFile {
    /// A texture of the blocks as they are.
    pub(super) fn kept(self, format: TexelFormat, notes: Vec<String>) -> TextureData {
        let Self { width, height, mips, .. } = self;
        TextureData { width, height, format, mips, notes }
    }

    /// The note on blocks that do not stay blocks.
    pub(super) fn unpacked_because(&self, blocks: Blocks) -> String {
        let why = match blocks {
            Blocks::Unpacked => "because the device does not read them",
            Blocks::Kept if !self.has_mips() => "because their mips are missing; write the file with mips",
            Blocks::Kept => "because what they hold has to be changed",
        };
        format!("its {} blocks were unpacked, {why}", self.kind.name())
    }

    /// Mip 0 as texels.
    pub(super) fn unpack(&self) -> Picture {
        let picture = self.kind.unpack(self.width, self.height, &self.mips[0]);
        Picture { srgb: Some(self.srgb).filter(|_| self.kind.is_colour()), ..picture }
    }

    /// The smallest mip as texels.
    pub(super) fn unpack_smallest(&self) -> Picture {
        let last = self.mips.len() - 1;
        let [width, height] = extent(self.width, self.height, last);
        self.kind.unpack(width, height, &self.mips[last])
    }

    /// True where its mips reach down far enough to be drawn with.
    pub(super) fn has_mips(&self) -> bool {
        let smallest = extent(self.width, self.height, self.mips.len() - 1);
        smallest.iter().all(|&side| side <= CHAIN_END)
    }
}

/// Reads a picture. The error is a sentence.
pub(super) fn read(bytes: &[u8]) -> Result<Source, String> {
    let header = Header::of(bytes)?;
    let Stored { layout, srgb } = formats::stored(header.format)?;
    header.check_kind(bytes)?;
    let (width, height) = (header.width, header.height);
    super::check_size(width, height)?;
    let most = mips::count(width, height);
    let count = (header.levels as usize).max(1);
    if count > most {
        return Err(format!("a broken KTX2: {count} mips of {width}×{height} texels, which has {most}"));
    }
    // Mips of texels are made anew, as those of any other picture.
    let taken = if matches!(layout, Layout::Blocks(_)) { count } else { 1 };
    let levels = (0..taken).map(|mip| {
        let size = layout.bytes(extent(width, height, mip));
        let (level, claimed) = header.level(bytes, mip)?;
        if claimed != size as u64 {
            return Err(format!("a broken KTX2: mip {mip} claims {claimed} bytes, and has to have {size}"));
        }
        unpack::unpack(header.scheme, level, size)
    });
    let mips: Vec<_> = levels.collect::<Result<_, _>>()?;
    if let Layout::Blocks(kind) = layout {
        return Ok(Source::Blocks(BlockFile { width, height, kind, srgb, mips }));
    }
    let picture = picture(width, height, layout, &mips[0]);
    Ok(Source::Picture(Picture { srgb: Some(srgb).filter(|_| layout.is_colour()), ..picture }))
}

fn picture(width: u32, height: u32, layout: Layout, bytes: &[u8]) -> Picture {
    let channels = match layout {
        Layout::Red => Channels::Grey,
        Layout::RedGreen => Channels::RedGreen,
        Layout::Rgb => Channels::Rgb,
        _ => Channels::Rgba,
    };
    let mut picture = Picture::new(width, height, channels);
    picture.push(bytes);
    if matches!(layout, Layout::Bgra) {
        picture.texels.iter_mut().for_each(|texel| texel.swap(0, 2));
    }
    picture
}
