//! What a frame may cost: one table of numbers a tier, and the scalars by which a document overrules it.

use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// How much a frame may cost. What a document does not write is read from the tier's row of one table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Tier {
    /// Integrated devices.
    Low,
    /// Small devices.
    Medium,
    /// What a frame costs where nothing is said.
    #[default]
    High,
    /// Pictures before frames.
    Ultra,
}

impl Tier {
    /// All of them, the cheapest first.
    pub const ALL: [Self; 4] = [Self::Low, Self::Medium, Self::High, Self::Ultra];

    /// The tier's row of the table.
    pub const fn numbers(self) -> QualityNumbers {
        TABLE[self as usize]
    }
}

/// A row for each tier, in the order of [`Tier::ALL`].
const TABLE: [QualityNumbers; 4] = [
    QualityNumbers {
        pixel_error: 4.0,
        near: 0.0,
        shadow_cascades: 2,
        shadow_tile: 1024,
        shadow_distance: 600.0,
        caster_patches: 64,
        terrain_streaming_megabytes: 128,
        occlusion_slices: 0,
        temporal_frames: 1,
    },
    QualityNumbers {
        pixel_error: 3.0,
        near: 0.0,
        shadow_cascades: 3,
        shadow_tile: 1024,
        shadow_distance: 1200.0,
        caster_patches: 128,
        terrain_streaming_megabytes: 256,
        occlusion_slices: 1,
        temporal_frames: 8,
    },
    QualityNumbers {
        pixel_error: 2.0,
        near: 0.0,
        shadow_cascades: 4,
        shadow_tile: 2048,
        shadow_distance: 2500.0,
        caster_patches: 256,
        terrain_streaming_megabytes: 512,
        occlusion_slices: 2,
        temporal_frames: 16,
    },
    QualityNumbers {
        pixel_error: 1.5,
        near: 0.0,
        shadow_cascades: 4,
        shadow_tile: 4096,
        shadow_distance: 5000.0,
        caster_patches: 256,
        terrain_streaming_megabytes: 1024,
        occlusion_slices: 4,
        temporal_frames: 16,
    },
];

/// The numbers that a frame is drawn with.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct QualityNumbers {
    /// Pixels that a level-0 quad may cover where level 1 takes over, 0.1…64. Read where `near` is 0.
    pub pixel_error: f64,
    /// Metres that level 0 reaches, up to 1e9; 0 derives it from `pixel_error`.
    pub near: f64,
    /// Cascades of the sun's shadow, 1…4.
    pub shadow_cascades: u32,
    /// Texels a side of a cascade's tile in the atlas, 16…8192.
    pub shadow_tile: u32,
    /// Metres from the camera that the cascades reach, 1…1e6.
    pub shadow_distance: f64,
    /// The most patches of a terrain that are drawn into a cascade, 1…256.
    pub caster_patches: u32,
    /// Megabytes (2²⁰ bytes) of tiles that may be resident, 1…65536.
    pub terrain_streaming_megabytes: u32,
    /// Directions a pixel in which an [`AmbientOcclusion`](super::AmbientOcclusion) searches, 0…8; 0 sees the whole sky.
    pub occlusion_slices: u32,
    /// Frames that a [`Resolve`](super::Resolve) makes a picture of, 1…64; 1 does not jitter.
    pub temporal_frames: u32,
}

impl Default for QualityNumbers {
    fn default() -> Self {
        Tier::default().numbers()
    }
}

/// The same numbers, each of which may be left open. Units and ranges are those of [`QualityNumbers`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct QualityScalars {
    /// Pixels a level-0 quad, 0.1…64.
    pub pixel_error: Option<f64>,
    /// Metres that level 0 reaches, up to 1e9; 0 derives it.
    pub near: Option<f64>,
    /// Cascades, 1…4.
    pub shadow_cascades: Option<u32>,
    /// Texels a side of a cascade's tile, 16…8192.
    pub shadow_tile: Option<u32>,
    /// Metres that the cascades reach, 1…1e6.
    pub shadow_distance: Option<f64>,
    /// Patches a terrain and cascade, 1…256.
    pub caster_patches: Option<u32>,
    /// Megabytes of resident tiles, 1…65536.
    pub terrain_streaming_megabytes: Option<u32>,
    /// Directions a pixel that ambient occlusion searches, 0…8.
    pub occlusion_slices: Option<u32>,
    /// Frames that a resolve makes a picture of, 1…64.
    pub temporal_frames: Option<u32>,
}

impl QualityScalars {
    /// These where they are written, the others where they are not.
    pub fn or(self, others: Self) -> Self {
        Self {
            pixel_error: self.pixel_error.or(others.pixel_error),
            near: self.near.or(others.near),
            shadow_cascades: self.shadow_cascades.or(others.shadow_cascades),
            shadow_tile: self.shadow_tile.or(others.shadow_tile),
            shadow_distance: self.shadow_distance.or(others.shadow_distance),
            caster_patches: self.caster_patches.or(others.caster_patches),
            terrain_streaming_megabytes: self
                .terrain_streaming_megabytes
                .or(others.terrain_streaming_megabytes),
            occlusion_slices: self.occlusion_slices.or(others.occlusion_slices),
            temporal_frames: self.temporal_frames.or(others.temporal_frames),
        }
    }

    /// These where they are written, the numbers where they are not.
    pub fn over(self, numbers: QualityNumbers) -> QualityNumbers {
        QualityNumbers {
            pixel_error: self.pixel_error.unwrap_or(numbers.pixel_error),
            near: self.near.unwrap_or(numbers.near),
            shadow_cascades: self.shadow_cascades.unwrap_or(numbers.shadow_cascades),
            shadow_tile: self.shadow_tile.unwrap_or(numbers.shadow_tile),
            shadow_distance: self.shadow_distance.unwrap_or(numbers.shadow_distance),
            caster_patches: self.caster_patches.unwrap_or(numbers.caster_patches),
            terrain_streaming_megabytes: self
                .terrain_streaming_megabytes
                .unwrap_or(numbers.terrain_streaming_megabytes),
            occlusion_slices: self.occlusion_slices.unwrap_or(numbers.occlusion_slices),
            temporal_frames: self.temporal_frames.unwrap_or(numbers.temporal_frames),
        }
    }

    /// The first that is outside its range: its name here and the rest of a sentence.
    pub(super) fn problem(&self) -> Option<(&'static str, String)> {
        let whole = |value: Option<u32>| value.map(f64::from);
        let ranges: [(&'static str, Option<f64>, RangeInclusive<f64>); 9] = [
            ("pixel_error", self.pixel_error, 0.1..=64.0),
            ("near", self.near, 0.0..=1e9),
            ("shadow_cascades", whole(self.shadow_cascades), 1.0..=4.0),
            ("shadow_tile", whole(self.shadow_tile), 16.0..=8192.0),
            ("shadow_distance", self.shadow_distance, 1.0..=1e6),
            ("caster_patches", whole(self.caster_patches), 1.0..=256.0),
            ("terrain_streaming_megabytes", whole(self.terrain_streaming_megabytes), 1.0..=65536.0),
            ("occlusion_slices", whole(self.occlusion_slices), 0.0..=8.0),
            ("temporal_frames", whole(self.temporal_frames), 1.0..=64.0),
        ];
        let mut outside = ranges.into_iter().filter_map(|(name, value, range)| Some((name, value?, range)));
        let (name, value, range) = outside.find(|(_, value, range)| !range.contains(value))?;
        let why = format!(
            "is {value}; it can be {} to {}, or left out for the tier's number",
            range.start(),
            range.end()
        );
        Some((name, why))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(numbers: QualityNumbers) -> QualityScalars {
        QualityScalars {
            pixel_error: Some(numbers.pixel_error),
            near: Some(numbers.near),
            shadow_cascades: Some(numbers.shadow_cascades),
            shadow_tile: Some(numbers.shadow_tile),
            shadow_distance: Some(numbers.shadow_distance),
            caster_patches: Some(numbers.caster_patches),
            terrain_streaming_megabytes: Some(numbers.terrain_streaming_megabytes),
            occlusion_slices: Some(numbers.occlusion_slices),
            temporal_frames: Some(numbers.temporal_frames),
        }
    }

    #[test]
    fn what_is_written_decides_and_what_is_not_falls_through() {
        assert_eq!(QualityScalars::default().over(QualityNumbers::default()), Tier::High.numbers());
        let ultra = written(Tier::Ultra.numbers());
        assert_eq!(ultra.over(Tier::Low.numbers()), Tier::Ultra.numbers());
        assert_eq!(ultra.or(written(Tier::Low.numbers())), ultra);
        assert_eq!(QualityScalars::default().or(ultra), ultra);
        let one = QualityScalars { caster_patches: Some(9), ..QualityScalars::default() };
        let numbers = one.or(ultra).over(Tier::Low.numbers());
        assert_eq!(numbers, QualityNumbers { caster_patches: 9, ..Tier::Ultra.numbers() });
    }

    #[test]
    fn every_tier_is_within_its_ranges_and_none_is_finer_than_the_next() {
        for tier in Tier::ALL {
            assert_eq!(written(tier.numbers()).problem(), None, "{tier:?}");
        }
        for [low, high] in [0, 1, 2].map(|at| [TABLE[at], TABLE[at + 1]]) {
            assert!(low.pixel_error > high.pixel_error && low.shadow_cascades <= high.shadow_cascades);
            assert!(low.shadow_tile <= high.shadow_tile && low.shadow_distance < high.shadow_distance);
            assert!(low.caster_patches <= high.caster_patches);
            assert!(low.terrain_streaming_megabytes < high.terrain_streaming_megabytes);
            assert!(low.occlusion_slices < high.occlusion_slices);
            assert!(low.temporal_frames <= high.temporal_frames);
        }
    }

    #[test]
    fn a_number_outside_its_range_is_named() {
        let patches = QualityScalars { caster_patches: Some(257), ..QualityScalars::default() };
        let (name, why) = patches.problem().unwrap();
        assert_eq!(
            (name, why.contains("257") && why.contains("1 to 256")),
            ("caster_patches", true),
            "{why}"
        );
        let near = QualityScalars { near: Some(f64::NAN), ..QualityScalars::default() };
        assert_eq!(near.problem().unwrap().0, "near");
    }
}
