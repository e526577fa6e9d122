//! What the numbers of a file stand for, and what becomes of samples without one.

use std::fmt;

/// What the numbers of a file stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Encoding {
    /// What the format or the file says. Grey PNG and unsigned raw samples are [`Normalised`](Encoding::Normalised),
    /// and so are unsigned samples of a TIFF that says nothing about any ground; a colour PNG is found out to be
    /// Terrarium or Terrain-RGB, or refused; all else is heights.
    #[default]
    Auto,
    /// Parts of a range that the file does not know: 0 is its lower end, the greatest unsigned number, or 1 of floating
    /// point, its upper end. [`ImportOptions::range`](super::ImportOptions::range) says what they are in metres.
    #[doc(alias = "codes")]
    Normalised,
    /// Heights, in metres or in [`ImportOptions::units`](super::ImportOptions::units).
    Heights,
    /// Colours of a Terrarium tile: red × 256 + green + blue / 256 − 32768 m. Black, which a server sends for a tile that
    /// it does not have, is a void.
    Terrarium,
    /// Colours of a Mapbox Terrain-RGB tile: (red × 65536 + green × 256 + blue) / 10 − 10000 m. Black is a void.
    TerrainRgb,
}

impl Encoding {
    /// Every encoding.
    pub const ALL: [Self; 5] =
        [Self::Auto, Self::Normalised, Self::Heights, Self::Terrarium, Self::TerrainRgb];

    /// The name on a command line and in a report.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::Auto => "auto",
            Encoding::Normalised => "normalised",
            Encoding::Heights => "heights",
            Encoding::Terrarium => "terrarium",
            Encoding::TerrainRgb => "terrain-rgb",
        }
    }

    /// True for heights in the colours of a picture.
    pub(super) fn is_colours(self) -> bool {
        matches!(self, Encoding::Terrarium | Encoding::TerrainRgb)
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// What becomes of voids, which are samples without a height.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fill {
    /// Holes: every quad that touches a void is open.
    #[default]
    Holes,
    /// Ground: each void gets the height of the valid sample nearest to it.
    Nearest,
    /// Ground: each void gets the mean of the samples around its area, weighted by the inverse square of their distance
    /// (Shepard 1968). No new height lies outside those it is made from.
    InverseDistance,
    /// Ground: each area of voids becomes the plane that fits the samples around it best, by least squares.
    Plane,
}

impl Fill {
    /// Every choice.
    pub const ALL: [Self; 4] = [Self::Holes, Self::Nearest, Self::InverseDistance, Self::Plane];

    /// The name on a command line and in a report.
    pub fn name(self) -> &'static str {
        match self {
            Fill::Holes => "holes",
            Fill::Nearest => "nearest",
            Fill::InverseDistance => "inverse-distance",
            Fill::Plane => "plane",
        }
    }
}

impl fmt::Display for Fill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
