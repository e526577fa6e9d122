//! How the cascades lie in the atlas.

/// The tiles of a shadow atlas: one a cascade, the nearest first, two to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShadowLayout {
    cascades: u32,
    tile: u32,
}

impl ShadowLayout {
    /// Tiles of `tile` texels a side for `cascades` cascades. Both are held to their ranges, 16…8192 and 1…4.
    pub fn new(cascades: u32, tile: u32) -> Self {
        Self { cascades: cascades.clamp(1, 4), tile: tile.clamp(16, 8192) }
    }

    /// Cascades, 1…4.
    pub fn cascades(self) -> u32 {
        self.cascades
    }

    /// Texels a side of a tile.
    pub fn tile(self) -> u32 {
        self.tile
    }

    /// Texels of the atlas across and down, at most 16384 each.
    pub fn size(self) -> [u32; 2] {
        [self.tile * self.cascades.min(2), self.tile * self.cascades.div_ceil(2)]
    }

    /// The first texel of a cascade's tile across and down; `None` for a cascade there is not.
    pub fn origin(self, cascade: u32) -> Option<[u32; 2]> {
        (cascade < self.cascades).then(|| [cascade % 2 * self.tile, cascade / 2 * self.tile])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_lie_in_the_atlas_and_apart() {
        for cascades in 1..=4 {
            let layout = ShadowLayout::new(cascades, 512);
            let origins: Vec<_> = (0..cascades).map(|cascade| layout.origin(cascade).unwrap()).collect();
            for (index, origin) in origins.iter().enumerate() {
                assert!((0..2).all(|axis| origin[axis] + 512 <= layout.size()[axis]), "{layout:?}");
                assert!(origins[..index].iter().all(|other| other != origin), "{layout:?}");
            }
            assert_eq!(layout.origin(cascades), None);
        }
        assert_eq!(ShadowLayout::new(3, 1024).size(), [2048, 2048]);
        assert_eq!(ShadowLayout::new(2, 1024).size(), [2048, 1024]);
        assert_eq!(ShadowLayout::new(1, 1024).size(), [1024, 1024]);
        assert_eq!(ShadowLayout::new(9, 1 << 20).size(), [16384, 16384]);
    }
}
