//! How far each level reaches: ranges that cannot crack.
//!
//! Crack freedom and 2:1 balance follow from arithmetic alone, for every terrain, when for each level L
//! `range(L + 1) − range(L) ≥ 2 · diagonal(L) / ratio`, with a margin of 2⁻¹⁰ for rounding. Proof in ARCHITECTURE.md.

use super::GridSize;
use crate::abi::{MAX_LEVELS, MorphBand};
use crate::field::FieldDesc;
use crate::{Error, Result};
use glam::DVec2;

/// What the legal ranges of a terrain follow from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LodGeometry {
    /// Metres between samples in x and z.
    pub spacing: DVec2,
    /// Quads a side of a patch.
    pub grid: GridSize,
    /// Number of levels; a node of the last one holds the whole map.
    pub levels: u32,
}

impl LodGeometry {
    /// Room for rounding: what is legal is this much more than the arithmetic asks for.
    const MARGIN: f64 = 1.0 + 1.0 / 1024.0;

    /// The geometry of a field drawn with this grid.
    ///
    /// # Panics
    /// For a description that [`FieldDesc::validate`] refuses.
    pub fn new(desc: &FieldDesc, grid: GridSize) -> Self {
        let longest = desc.quads_x().max(desc.quads_z());
        let nodes = longest.div_ceil(grid.quads());
        let levels = 1 + nodes.next_power_of_two().trailing_zeros();
        assert!(
            levels as usize <= MAX_LEVELS,
            "a side of {longest} quads has more levels than the shaders hold"
        );
        Self { spacing: desc.spacing, grid, levels }
    }

    /// Metres across a node of a level, corner to corner.
    pub fn node_diagonal(&self, level: u32) -> f64 {
        self.spacing.length() * f64::from(self.grid.quads()) * f64::from(1u32 << level)
    }

    /// The greatest near range, in metres, whose coarsest range the device can square.
    pub(crate) fn maximum_near(&self) -> f64 {
        1e18 / f64::from(1u32 << self.levels)
    }

    /// The least near range, in metres, that is legal with this ratio.
    pub fn minimum_near(&self, ratio: f64) -> f64 {
        2.0 * self.node_diagonal(0) / ratio * Self::MARGIN
    }
}

/// How a terrain's ranges are found.
#[derive(Clone, Debug, PartialEq)]
pub enum LodSettings {
    /// From what a quad covers on the screen. Never refused: a near range below the legal minimum is raised to it.
    Derived {
        /// Pixels that a level-0 quad may cover where level 1 takes over.
        pixel_error: f64,
        /// Where in a band the morph begins, 0 (its near end) to 1 (its far end), both excluded.
        ratio: f64,
        /// Octaves a second by which the near range may change, so that a zoom sharpens over a few frames.
        octaves_a_second: f64,
        /// Levels by which everything is drawn coarser (above 0) or finer (below 0), as far as that is legal.
        bias: f64,
    },
    /// A stated near range; each level reaches twice as far as the one below.
    Near {
        /// Metres that level 0 reaches.
        near: f64,
        /// Where in a band the morph begins.
        ratio: f64,
        /// Levels by which everything is drawn coarser or finer, as far as that is legal.
        bias: f64,
    },
    /// A stated range a level, level 0 first, the coarsest level left out (it has no end).
    List {
        /// Metres that each level reaches.
        ranges: Vec<f64>,
        /// Where in a band the morph begins.
        ratio: f64,
    },
}

impl Default for LodSettings {
    fn default() -> Self {
        Self::Derived { pixel_error: 2.0, ratio: 0.66, octaves_a_second: 6.0, bias: 0.0 }
    }
}

/// What a near range is derived from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DerivedRanges {
    /// Pixels that a level-0 quad may cover where level 1 takes over.
    pub pixel_error: f64,
    /// Pixels that a metre covers at a distance of a metre: viewport height / (2 · tan(fov / 2)).
    pub pixels_at_a_metre: f64,
    /// Levels by which everything is drawn coarser or finer.
    pub bias: f64,
}

impl DerivedRanges {
    /// The near range in metres that these ask for, legal or not.
    pub fn near(&self, geometry: &LodGeometry) -> f64 {
        geometry.spacing.max_element() * self.pixels_at_a_metre / self.pixel_error * (-self.bias).exp2()
    }
}

/// How far each level reaches and where it morphs. Whatever value exists is free of cracks.
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "TerrainLodRanges")]
pub struct LodRanges {
    levels: u32,
    ratio: f64,
    ranges: [f64; MAX_LEVELS],
}

impl LodRanges {
    /// The least share of its range that a level's morph may take up.
    const THINNEST_BAND: f64 = 1.0 / 1024.0;

    /// Ranges from a stated near range in metres: level L reaches `near · 2^L`.
    ///
    /// # Errors
    /// A ratio outside 0…1, or a near range below [`LodGeometry::minimum_near`]: two levels would meet with
    /// different morphs.
    pub fn stated(geometry: &LodGeometry, near: f64, ratio: f64) -> Result<Self> {
        check_ratio(ratio)?;
        let minimum = geometry.minimum_near(ratio);
        if near > geometry.maximum_near() {
            return Err(Error::invalid(
                "level-of-detail ranges",
                format!(
                    "a near range of {near} m is further than a device can square; use a smaller one, for instance 1e6"
                ),
            ));
        }
        if !near.is_finite() || near < minimum {
            return Err(Error::invalid(
                "level-of-detail ranges",
                format!(
                    "a near range of {near} m with a ratio of {ratio} leaves cracks between levels: with {} quads a \
                     patch at {} × {} m it must be at least {minimum:.2} m; raise it, raise the ratio or use a \
                     smaller grid",
                    geometry.grid.quads(),
                    geometry.spacing.x,
                    geometry.spacing.y
                ),
            ));
        }
        Ok(Self::doubling(geometry, near, ratio))
    }

    /// Ranges from a stated list, level 0 first, one for each level but the coarsest.
    ///
    /// # Errors
    /// A ratio outside 0…1, a list of another length, or two ranges closer than twice a node's diagonal over the
    /// ratio.
    pub fn list(geometry: &LodGeometry, list: &[f64], ratio: f64) -> Result<Self> {
        let refuse = |why: String| Err(Error::invalid("level-of-detail ranges", why));
        check_ratio(ratio)?;
        if list.len() + 1 != geometry.levels as usize {
            return refuse(format!(
                "{} ranges for {} levels; state one for each level but the coarsest, which has no end",
                list.len(),
                geometry.levels
            ));
        }
        let mut ranges = [f64::INFINITY; MAX_LEVELS];
        for (level, &range) in list.iter().enumerate() {
            let (least, why) = match level {
                0 => (f64::MIN_POSITIVE, "be above 0".to_string()),
                _ => {
                    let gap = 2.0 * geometry.node_diagonal(level as u32 - 1) / ratio * LodGeometry::MARGIN;
                    (list[level - 1] + gap, format!("be at least {gap:.2} m beyond the range before it"))
                }
            };
            // A band ends a 4096th of its range early: one that is thinner than a few of those has no room to morph in.
            let gap = range - if level == 0 { 0.0 } else { list[level - 1] };
            if range.is_finite() && range >= least && (1.0 - ratio) * gap <= range * Self::THINNEST_BAND {
                return refuse(format!(
                    "a range of {range} m for level {level} leaves its morph no width: it lies {gap} m beyond the range \
                     before it, and the morph takes the last {:.4} of that. Move the near ranges in, or lower the ratio",
                    1.0 - ratio
                ));
            }
            if !range.is_finite() || range < least || range > 1e18 {
                return refuse(format!(
                    "a range of {range} m for level {level} leaves cracks; it must {why}"
                ));
            }
            ranges[level] = range;
        }
        Ok(Self { levels: geometry.levels, ratio, ranges })
    }

    /// Ranges from a near range in metres, raised to the legal minimum where it is below it. The second value says
    /// whether it was.
    ///
    /// # Errors
    /// A ratio outside 0…1.
    pub fn clamped(geometry: &LodGeometry, near: f64, ratio: f64) -> Result<(Self, bool)> {
        check_ratio(ratio)?;
        let minimum = geometry.minimum_near(ratio);
        // No order with the minimum is NaN's, which is raised too.
        let raised = near.partial_cmp(&minimum).is_none_or(|order| order.is_lt());
        let near = if raised { minimum } else { near.min(geometry.maximum_near()) };
        Ok((Self::doubling(geometry, near, ratio), raised))
    }

    /// One level everywhere, which does not morph: free of cracks as any single lattice is.
    pub(crate) fn uniform(geometry: &LodGeometry, level: u32) -> Self {
        let mut ranges = [f64::INFINITY; MAX_LEVELS];
        ranges[..(level as usize).min(MAX_LEVELS)].fill(0.0);
        Self { levels: geometry.levels, ratio: 0.5, ranges }
    }

    /// Ranges that are not checked: for comparing the speed of selection with other quadtrees on their own ranges.
    /// A terrain drawn with them has cracks.
    #[doc(hidden)]
    pub fn unchecked(levels: u32, list: &[f64], ratio: f64) -> Self {
        let mut ranges = [f64::INFINITY; MAX_LEVELS];
        ranges[..list.len()].copy_from_slice(list);
        Self { levels, ratio, ranges }
    }

    fn doubling(geometry: &LodGeometry, near: f64, ratio: f64) -> Self {
        let mut ranges = [f64::INFINITY; MAX_LEVELS];
        for level in 0..geometry.levels.saturating_sub(1) {
            ranges[level as usize] = near * f64::from(1u32 << level);
        }
        Self { levels: geometry.levels, ratio, ranges }
    }

    /// Number of levels.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// Metres that a level reaches; infinite for the coarsest.
    pub fn range(&self, level: u32) -> f64 {
        self.ranges[level as usize]
    }

    /// Where in a band the morph begins.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// Where a level morphs, in the device's own precision. The coarsest level never does.
    pub fn band(&self, level: u32) -> MorphBand {
        let far = self.range(level);
        if far.is_infinite() {
            return MorphBand::NEVER;
        }
        let near = if level == 0 { 0.0 } else { self.range(level - 1) };
        // Ends a little early, so that a distance that rounds down at the range still finds a morph of 1.
        let end = (far * (1.0 - 1.0 / 4096.0)) as f32;
        let start = (near + self.ratio * (far - near)) as f32;
        MorphBand {
            start: start.min(end),
            end,
            inverse: 1.0 / (end - start).max(f32::MIN_POSITIVE),
            unused: 0.0,
        }
    }

    /// The bands of all levels, as the shaders want them.
    pub fn bands(&self) -> [MorphBand; MAX_LEVELS] {
        std::array::from_fn(|level| {
            if level < self.levels as usize { self.band(level as u32) } else { MorphBand::NEVER }
        })
    }
}

fn check_ratio(ratio: f64) -> Result<()> {
    let most = 1.0 - 2.0 * LodRanges::THINNEST_BAND;
    if ratio > 0.0 && ratio <= most {
        return Ok(());
    }
    let why = if ratio == 1.0 {
        "a morph ratio of 1 leaves the morph no width, which is a crack at every transition; use a ratio below 1, \
         for instance 0.66"
            .to_string()
    } else {
        format!("a morph ratio of {ratio}; it must be above 0 and at most {most:.3}, for instance 0.66")
    };
    Err(Error::invalid("level-of-detail ranges", why))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry() -> LodGeometry {
        LodGeometry::new(&FieldDesc::new(4097, 4097), GridSize::G32)
    }

    #[test]
    fn a_node_of_the_last_level_holds_the_map() {
        assert_eq!(geometry().levels, 8);
        assert_eq!(LodGeometry::new(&FieldDesc::new(2, 2), GridSize::G64).levels, 1);
        assert_eq!(LodGeometry::new(&FieldDesc::new(34, 2), GridSize::G32).levels, 2);
        assert_eq!(LodGeometry::new(&FieldDesc::new(FieldDesc::MAX_SIDE, 2), GridSize::G16).levels, 19);
    }

    #[test]
    fn a_ratio_of_one_is_refused_and_says_why() {
        for ratio in [1.0, 0.0, -1.0, 2.0, 0.9999, f64::NAN] {
            let text = LodRanges::stated(&geometry(), 1e6, ratio).unwrap_err().to_string();
            assert!(text.contains("ratio of"), "{text}");
            assert!(LodRanges::clamped(&geometry(), 1e6, ratio).is_err());
        }
        let text = LodRanges::stated(&geometry(), 1e6, 1.0).unwrap_err().to_string();
        assert!(text.contains("a crack at every transition"), "{text}");
    }

    #[test]
    fn stated_ranges_are_refused_exactly_below_the_minimum() {
        let geometry = geometry();
        let minimum = geometry.minimum_near(0.5);
        assert!((minimum - 2.0 * 2f64.sqrt() * 32.0 / 0.5 * (1.0 + 1.0 / 1024.0)).abs() < 1e-9);
        LodRanges::stated(&geometry, minimum, 0.5).unwrap();
        let text = LodRanges::stated(&geometry, minimum * 0.999, 0.5).unwrap_err().to_string();
        assert!(text.contains("at least 181.") && text.contains("smaller grid"), "{text}");
    }

    #[test]
    fn derived_ranges_are_raised_and_say_so() {
        let geometry = geometry();
        let (ranges, raised) = LodRanges::clamped(&geometry, 1.0, 0.66).unwrap();
        assert!(raised);
        assert_eq!(ranges.range(0), geometry.minimum_near(0.66));
        assert!(LodRanges::clamped(&geometry, f64::NAN, 0.66).unwrap().1);
        let (ranges, raised) = LodRanges::clamped(&geometry, 1000.0, 0.66).unwrap();
        assert!(!raised && ranges.range(3) == 8000.0 && ranges.range(7).is_infinite());
    }

    #[test]
    fn a_list_keeps_every_gap() {
        let geometry = LodGeometry { levels: 4, ..geometry() };
        let gap = |level: u32| 2.0 * geometry.node_diagonal(level) / 0.5 * LodGeometry::MARGIN;
        let legal = [40.0, 40.0 + gap(0), 40.0 + gap(0) + gap(1)];
        LodRanges::list(&geometry, &legal, 0.5).unwrap();
        let far_out = [200_000.0, 200_000.0 + gap(0), 200_000.0 + gap(0) + gap(1)];
        let text = LodRanges::list(&geometry, &far_out, 0.5).unwrap_err().to_string();
        assert!(text.contains("leaves its morph no width"), "{text}");
        let short = [legal[0], legal[1], legal[2] - 1.0];
        assert!(LodRanges::list(&geometry, &short, 0.5).unwrap_err().to_string().contains("for level 2"));
        assert!(LodRanges::list(&geometry, &legal[..2], 0.5).unwrap_err().to_string().contains("4 levels"));
    }

    #[test]
    fn bands_meet_their_ranges() {
        let ranges = LodRanges::stated(&geometry(), 300.0, 0.66).unwrap();
        for level in 0..7 {
            let band = ranges.band(level);
            let far = ranges.range(level) as f32;
            assert!(band.start < band.end && band.end < far && band.end > far * 0.999);
            assert_eq!(crate::lod::level_field::morph(far, band), 1.0);
            assert_eq!(crate::lod::level_field::morph(band.start, band), 0.0);
        }
        assert_eq!(crate::lod::level_field::morph(1e30, ranges.band(7)), 0.0);
    }
}
