//! What a field is: its size, its tiling, its spacing and the heights it may hold.

use super::{SampleRect, TileId};
use crate::{Error, Result};
use glam::DVec2;

/// Metres of the stored codes 0 and 65535. Code 0 is exactly `min`, code 65535 exactly `max`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeightRange {
    /// Metres of code 0.
    pub min: f64,
    /// Metres of code 65535.
    pub max: f64,
}

impl HeightRange {
    /// The largest code a sample can hold.
    pub const MAX_CODE: f64 = 65535.0;

    /// Metres from code 0 to code 65535.
    pub fn extent(&self) -> f64 {
        self.max - self.min
    }

    /// Metres between two neighbouring codes.
    pub fn metres_per_code(&self) -> f64 {
        self.extent() / Self::MAX_CODE
    }

    /// Metres of a code, which may lie between two stored ones. Exact at both ends.
    pub fn metres(&self, code: f64) -> f64 {
        let t = code / Self::MAX_CODE;
        self.min * (1.0 - t) + self.max * t
    }

    /// How far a height is above or below the range, metres; 0 inside it.
    pub fn outside(&self, metres: f64) -> f64 {
        (metres - self.max).max(self.min - metres).max(0.0)
    }

    /// The code nearest to a height in metres, clamped to the range. NaN gives code 0.
    pub fn code(&self, metres: f64) -> u16 {
        // The cast clamps, and cuts off what is behind the point.
        ((metres - self.min) / self.extent() * Self::MAX_CODE + 0.5) as u16
    }
}

/// The description of a field. Every length is in metres, every size in samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldDesc {
    /// Samples from west to east, at least 2.
    pub width: u32,
    /// Samples from north to south, at least 2.
    pub height: u32,
    /// Samples a side of a tile: a power of two from 16 to 1024. Neighbouring tiles share their border samples.
    pub tile_samples: u32,
    /// Metres between two samples, in x (west to east) and in z (north to south).
    pub spacing: DVec2,
    /// Metres of the lowest and the highest height the field can hold.
    pub range: HeightRange,
}

impl FieldDesc {
    /// Samples a side of a tile where nothing asks for another number.
    pub const DEFAULT_TILE_SAMPLES: u32 = 256;
    /// The longest side a map may have, in samples: up to here the device finds the tile of every sample exactly.
    pub const MAX_SIDE: u32 = 1 << 22;

    /// A map of `width` × `height` samples with the default tiling, 1 m apart, from 0 m to 1 m.
    pub fn new(width: u32, height: u32) -> Self {
        Self {
            width,
            height,
            tile_samples: Self::DEFAULT_TILE_SAMPLES,
            spacing: DVec2::ONE,
            range: HeightRange { min: 0.0, max: 1.0 },
        }
    }

    /// A map of exactly `tiles_x` × `tiles_z` whole tiles of `tile_samples`, without padding.
    pub fn of_tiles(tile_samples: u32, tiles_x: u32, tiles_z: u32) -> Self {
        let side = |tiles: u32| tiles.saturating_mul(tile_samples.saturating_sub(1)).saturating_add(1);
        Self { tile_samples, ..Self::new(side(tiles_x), side(tiles_z)) }
    }

    /// The same description with this spacing, in metres.
    pub fn with_spacing(self, x: f64, z: f64) -> Self {
        Self { spacing: DVec2::new(x, z), ..self }
    }

    /// The same description with this height range, in metres.
    pub fn with_range(self, min: f64, max: f64) -> Self {
        Self { range: HeightRange { min, max }, ..self }
    }

    /// The same description with tiles of this many samples a side.
    pub fn with_tile_samples(self, tile_samples: u32) -> Self {
        Self { tile_samples, ..self }
    }

    /// Quads from west to east.
    pub fn quads_x(&self) -> u32 {
        self.width - 1
    }

    /// Quads from north to south.
    pub fn quads_z(&self) -> u32 {
        self.height - 1
    }

    /// Quads a side of a tile, one fewer than its samples.
    pub fn tile_quads(&self) -> u32 {
        self.tile_samples - 1
    }

    /// Columns of tiles. The last may reach past the map; what lies there is padding, which nothing draws or queries.
    pub fn tiles_x(&self) -> u32 {
        self.quads_x().div_ceil(self.tile_quads())
    }

    /// Rows of tiles.
    pub fn tiles_z(&self) -> u32 {
        self.quads_z().div_ceil(self.tile_quads())
    }

    /// Number of tiles.
    pub fn tile_count(&self) -> usize {
        self.tiles_x() as usize * self.tiles_z() as usize
    }

    /// Where a tile stands in a row-major list of all tiles.
    pub fn tile_index(&self, tile: TileId) -> usize {
        tile.z as usize * self.tiles_x() as usize + tile.x as usize
    }

    /// The tile at a place in the row-major list of all tiles.
    pub fn tile_at(&self, index: usize) -> TileId {
        let tiles_x = self.tiles_x() as usize;
        TileId::new((index % tiles_x) as u32, (index / tiles_x) as u32)
    }

    /// All samples of the map.
    pub fn rect(&self) -> SampleRect {
        SampleRect::new(0, 0, self.width, self.height)
    }

    /// The tiles whose windows hold a sample of `rect`, as half-open ranges (columns, rows). A border sample is held
    /// by both of its tiles.
    pub fn tiles_of(&self, rect: SampleRect) -> (std::ops::Range<u32>, std::ops::Range<u32>) {
        let span = |low: u32, high: u32, tiles: u32| {
            let quads = self.tile_quads();
            (low.saturating_sub(1) / quads)..((high - 1) / quads + 1).min(tiles)
        };
        let rect = rect.clipped(self.width, self.height);
        if rect.is_empty() {
            return (0..0, 0..0);
        }
        (span(rect.x0, rect.x1, self.tiles_x()), span(rect.z0, rect.z1, self.tiles_z()))
    }

    /// Checks every part of the description; the error is a sentence that says what would work.
    pub fn validate(&self) -> Result<()> {
        let refuse = |why: String| Err(Error::invalid("terrain description", why));
        if self.width < 2 || self.height < 2 {
            return refuse(format!(
                "{}×{} samples span no ground; a map needs at least 2×2 samples",
                self.width, self.height
            ));
        }
        if self.width > Self::MAX_SIDE || self.height > Self::MAX_SIDE {
            return refuse(format!(
                "{}×{} samples are more than {} a side; split the map into several terrains",
                self.width,
                self.height,
                Self::MAX_SIDE
            ));
        }
        if !self.tile_samples.is_power_of_two() || !(16..=1024).contains(&self.tile_samples) {
            return refuse(format!(
                "a tile of {} samples; use a power of two from 16 to 1024, for instance {}",
                self.tile_samples,
                self.tile_samples.clamp(16, 1024).next_power_of_two()
            ));
        }
        let spacing = self.spacing;
        // Wide enough for any ground, and narrow enough for f32 to hold its squares.
        let sensible = 1e-4..=1e6;
        if !(sensible.contains(&spacing.x) && sensible.contains(&spacing.y)) {
            return refuse(format!(
                "a spacing of {} × {} m; both must be finite and above 0, from 0.0001 to 1000000, for instance 1 × 1",
                spacing.x, spacing.y
            ));
        }
        let range = self.range;
        let within = |metres: f64| metres.abs() <= 1e7;
        if !(within(range.min) && within(range.max) && range.extent() >= 1e-6) {
            return refuse(format!(
                "heights from {} to {} m; the lower end must be finite and below the upper one, both within 10000 km of 0",
                range.min, range.max
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_border_sample_is_held_by_both_tiles() {
        let desc = FieldDesc::of_tiles(128, 4, 4);
        assert_eq!((desc.width, desc.tiles_x(), desc.tile_count()), (509, 4, 16));
        assert_eq!(desc.tiles_of(SampleRect::new(127, 5, 1, 1)), (0..2, 0..1));
        assert_eq!(desc.tiles_of(SampleRect::new(126, 126, 1, 1)), (0..1, 0..1));
        assert_eq!(desc.tiles_of(SampleRect::new(508, 508, 1, 1)), (3..4, 3..4));
        assert_eq!(desc.tiles_of(SampleRect::new(127, 127, 1, 1)), (0..2, 0..2));
    }

    #[test]
    fn refusals_are_sentences_that_say_what_works() {
        let says = |desc: FieldDesc, part: &str| {
            let text = desc.validate().unwrap_err().to_string();
            assert!(text.contains(part), "{text}");
        };
        let good = FieldDesc::new(33, 17);
        good.validate().unwrap();
        says(FieldDesc { width: 1, ..good }, "at least 2×2");
        says(FieldDesc { height: 1 << 23, ..good }, "several terrains");
        says(good.with_tile_samples(100), "for instance 128");
        says(good.with_spacing(0.0, 1.0), "above 0");
        says(good.with_spacing(1.0, f64::NAN), "finite");
        says(good.with_spacing(1e-45, 1.0), "from 0.0001");
        says(good.with_range(5.0, 5.0), "below the upper");
        says(good.with_range(-1e308, 1e308), "10000 km");
    }

    #[test]
    fn the_ends_of_a_range_are_exact() {
        let range = HeightRange { min: -50.95, max: 365.62 };
        assert_eq!((range.metres(0.0), range.metres(65535.0)), (range.min, range.max));
        for code in [0u16, 1, 32767, 65534, 65535] {
            assert_eq!(range.code(range.metres(f64::from(code))), code);
        }
        assert_eq!(range.code(f64::NAN), 0);
    }
}
