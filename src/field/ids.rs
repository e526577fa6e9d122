//! Coordinates on the sample grid. Each is a type of its own, so that a quad is never taken for a sample.

/// A sample (a vertex of the finest lattice). (0, 0) is the north-west corner; `x` grows east, `z` grows south.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sample {
    /// Column, 0 at the west edge.
    pub x: u32,
    /// Row, 0 at the north edge.
    pub z: u32,
}

impl Sample {
    /// The sample in column `x` and row `z`.
    pub const fn new(x: u32, z: u32) -> Self {
        Self { x, z }
    }
}

/// The square between four samples; quad (x, z) has sample (x, z) as its north-west corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Quad {
    /// Column, 0 at the west edge.
    pub x: u32,
    /// Row, 0 at the north edge.
    pub z: u32,
}

impl Quad {
    /// The quad in column `x` and row `z`.
    pub const fn new(x: u32, z: u32) -> Self {
        Self { x, z }
    }

    /// True where the quad's diagonal runs from its north-west to its south-east sample, false where it runs from
    /// north-east to south-west. The two alternate in a checker, fixed in the world.
    pub const fn falls_south_east(self) -> bool {
        (self.x ^ self.z) & 1 == 0
    }
}

/// A tile: the unit of load and of upload. Tile (x, z) holds the samples `x * tile_quads ..= (x + 1) * tile_quads`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TileId {
    /// Column of tiles, 0 at the west edge.
    pub x: u32,
    /// Row of tiles, 0 at the north edge.
    pub z: u32,
}

impl TileId {
    /// The tile in column `x` and row `z`.
    pub const fn new(x: u32, z: u32) -> Self {
        Self { x, z }
    }
}

/// A level of detail. Level 0 has one quad a sample; each level up doubles the step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Level(pub u8);

/// A rectangle of samples, half-open: `x0 <= x < x1`, `z0 <= z < z1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SampleRect {
    /// West column, inside.
    pub x0: u32,
    /// North row, inside.
    pub z0: u32,
    /// East column, outside.
    pub x1: u32,
    /// South row, outside.
    pub z1: u32,
}

impl SampleRect {
    /// The rectangle of `width` × `height` samples whose north-west sample is (`x`, `z`).
    pub const fn new(x: u32, z: u32, width: u32, height: u32) -> Self {
        Self { x0: x, z0: z, x1: x + width, z1: z + height }
    }

    /// Samples from west to east.
    pub const fn width(&self) -> u32 {
        self.x1 - self.x0
    }

    /// Samples from north to south.
    pub const fn height(&self) -> u32 {
        self.z1 - self.z0
    }

    /// True where the rectangle holds no sample.
    pub const fn is_empty(&self) -> bool {
        self.x1 <= self.x0 || self.z1 <= self.z0
    }

    /// The part of the rectangle that lies on a map of `width` × `height` samples.
    pub fn clipped(&self, width: u32, height: u32) -> Self {
        let x1 = self.x1.min(width);
        let z1 = self.z1.min(height);
        Self { x0: self.x0.min(x1), z0: self.z0.min(z1), x1, z1 }
    }
}
