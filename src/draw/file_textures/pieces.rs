//! Which rows of which mips a frame copies. Device-free.

use crate::import::TextureData;

/// Rows of one mip, in blocks where texels come in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) mip: usize,
    /// The first row of texels.
    pub(super) row: u32,
    /// Rows of texels.
    pub(super) rows: u32,
    /// Texels a row.
    pub(super) width: u32,
    /// Where its bytes are among those of the mip.
    pub(super) begin: usize,
    pub(super) end: usize,
}

/// How far a texture is copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Progress {
    mip: usize,
    /// Rows of blocks of that mip.
    rows: usize,
}

impl Progress {
    /// The next rows, of at most so many bytes, or of one row where even that is more, and where it is after them; None
    /// where everything is copied.
    pub(super) fn next(self, texture: &TextureData, most_bytes: usize) -> Option<(Piece, Self)> {
        let bytes = texture.mips.get(self.mip)?;
        let [width, height] = texture.extent(self.mip);
        let side = texture.format.block_side();
        let (row_bytes, rows) = texture.format.rows([width, height]);
        let taken = (most_bytes / row_bytes).max(1).min(rows - self.rows);
        let (begin, last) = (self.rows * row_bytes, self.rows + taken);
        let row = self.rows as u32 * side;
        let piece = Piece {
            mip: self.mip,
            row,
            rows: (last as u32 * side).min(height) - row,
            width,
            begin,
            end: (last * row_bytes).min(bytes.len()),
        };
        let after = if last == rows {
            Self { mip: self.mip + 1, rows: 0 }
        } else {
            Self { mip: self.mip, rows: last }
        };
        Some((piece, after))
    }

    /// True where everything is copied.
    pub(super) fn is_done(self, texture: &TextureData) -> bool {
        self.mip >= texture.mips.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::{Blocks, TextureRequest};
    use crate::splat::{Layer, TextureSlot};

    fn texture(name: &str) -> TextureData {
        let layer = Layer { albedo: Some(name.into()), ..Layer::new("grass") };
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/textures");
        TextureRequest::of(&layer, TextureSlot::Albedo).unwrap().read(folder, Blocks::Kept).unwrap()
    }

    #[test]
    fn pieces_cover_every_mip_once() {
        for name in ["rgb.png", "bc1_srgb.ktx2"] {
            let texture = texture(name);
            let side = texture.format.block_side();
            for most in [1, 90, 500, usize::MAX] {
                let mut progress = Progress::default();
                let mut at = (0, 0, 0);
                while let Some((piece, after)) = progress.next(&texture, most) {
                    assert_eq!((piece.mip, piece.row, piece.begin), at, "{name} {most}");
                    assert!(piece.rows > 0 && piece.end > piece.begin && piece.row.is_multiple_of(side));
                    let [width, height] = texture.extent(piece.mip);
                    let bottom = piece.row + piece.rows;
                    assert!(piece.width == width && bottom <= height);
                    let single = piece.rows <= side;
                    assert!(piece.end - piece.begin <= most || single, "{name} {most} {piece:?}");
                    at = if bottom == height {
                        assert_eq!(piece.end, texture.mips[piece.mip].len());
                        (piece.mip + 1, 0, 0)
                    } else {
                        assert!(bottom.is_multiple_of(side));
                        (piece.mip, bottom, piece.end)
                    };
                    progress = after;
                }
                assert!(progress.is_done(&texture) && at.0 == texture.mips.len());
            }
        }
    }
}
