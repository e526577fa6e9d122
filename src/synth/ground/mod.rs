//! Made ground: tiling textures of seven kinds of ground, from a seed, for the layers of a [`Material`](crate::splat::Material).
//!
//! Like the valley, a texture is a pure function of its parameters, the same bits on every machine and for any number of
//! threads. It is painted rather than filtered out of noise: blades, stones and crumbs are shapes with a height, stamped onto
//! a torus so that what shows is what stands highest (`canvas`), at up to twice the resolution that is asked for. What
//! light does follows from the heights (`finish`): normals, cavities, and blend heights.
//!
//! | file | |
//! |---|---|
//! | `plane` | a picture whose opposite borders touch; halving and doubling it |
//! | `pattern` | noise, Voronoi cells and scattered places on a torus |
//! | `canvas` | heights and colours, and the stamping of shapes |
//! | `stone`, `plant` | the shapes |
//! | `finish` | from a canvas to a texture |
//! | the others | a kind of ground each |

mod canvas;
mod finish;
mod grass;
mod meadow;
mod pattern;
mod plane;
mod plant;
mod riverbed;
mod rock;
mod scree;
mod snow;
mod soil;
mod stone;
#[cfg(test)]
mod tests;

use super::Progress;
use super::field::{Step, Stopped, Work};
use crate::error::{Error, Result};
use canvas::Canvas;
use finish::Finish;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

/// A kind of ground that [`ground_texture`] makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GroundKind {
    /// Tufts of long grass.
    Grass,
    /// Short grass, herbs and flowers, with dry stalks.
    Meadow,
    /// Bare earth: crumbs, cracks, small stones and roots.
    Soil,
    /// Angular stones of all sizes.
    Scree,
    /// A cliff: beds of rock, broken by joints.
    Rock,
    /// Old snow that wind has rippled.
    Snow,
    /// Rolled stones with sand between.
    Riverbed,
}

impl GroundKind {
    /// Every kind.
    pub const ALL: [Self; 7] =
        [Self::Grass, Self::Meadow, Self::Soil, Self::Scree, Self::Rock, Self::Snow, Self::Riverbed];

    /// Its name in lower case, which begins the names of its textures: `grass.albedo`, `grass.surface`, `grass.normal`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Grass => "grass",
            Self::Meadow => "meadow",
            Self::Soil => "soil",
            Self::Scree => "scree",
            Self::Rock => "rock",
            Self::Snow => "snow",
            Self::Riverbed => "riverbed",
        }
    }

    /// Metres that a repeat of its texture covers, at which its blades and stones have their true size.
    pub fn metres(self) -> f32 {
        match self {
            Self::Grass => 2.5,
            Self::Meadow => 3.0,
            Self::Soil => 2.5,
            Self::Scree => 5.0,
            Self::Rock => 6.0,
            Self::Snow => 6.0,
            Self::Riverbed => 4.0,
        }
    }
}

/// Three pictures of a kind of ground that repeat without a seam: rows from the top, four bytes a texel.
#[derive(Clone, PartialEq, Eq)]
pub struct GroundTexture {
    /// Texels a side.
    pub size: u32,
    /// Colour, sRGB; alpha 255. What the ground throws back of the light, without shadows but for dirt in cavities.
    pub albedo: Vec<u8>,
    /// Linear: occlusion, roughness, 0, and blend height, which is spread evenly over 0 to 255.
    pub surface: Vec<u8>,
    /// Unit normals in tangent space, linear; a byte b is (b − 127.5) / 127.5: red to the right, green up in the picture,
    /// blue out of it; alpha 255.
    pub normal: Vec<u8>,
}

impl std::fmt::Debug for GroundTexture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "GroundTexture of {0}×{0} texels: albedo, surface and normal", self.size)
    }
}

/// Makes the texture of a kind of ground, `size` texels a side. Another seed gives other blades and stones.
///
/// `progress` is called on the calling thread, several times a second; when it breaks, the making ends within about a
/// second and the answer is `None`. At 1024 it takes one or two seconds on two cores and 200 MB of memory.
///
/// # Errors
///
/// When `size` is no power of two of 64 to 2048.
pub fn ground_texture(
    kind: GroundKind,
    size: u32,
    seed: u64,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Option<GroundTexture>> {
    let threads = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    make_on(threads, kind, size, seed, progress)
}

fn make_on(
    threads: usize,
    kind: GroundKind,
    size: u32,
    seed: u64,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Option<GroundTexture>> {
    if !size.is_power_of_two() || !(64..=2048).contains(&size) {
        let why = format!(
            "{size} texels a side cannot be made; a power of two from 64 to 2048 can, and 1024 is usual"
        );
        return Err(Error::invalid("ground texture", why));
    }
    let mut work = Work::new(threads, progress);
    match make(kind, size, seed, &mut work) {
        Ok(texture) => Ok(Some(texture)),
        Err(Stopped) => Ok(None),
    }
}

fn make(kind: GroundKind, size: u32, seed: u64, work: &mut Work) -> Step<GroundTexture> {
    let stage = match kind {
        GroundKind::Grass => "growing grass",
        GroundKind::Meadow => "growing a meadow",
        GroundKind::Soil => "crumbling soil",
        GroundKind::Scree => "breaking stones",
        GroundKind::Rock => "laying down rock",
        GroundKind::Snow => "drifting snow",
        GroundKind::Riverbed => "rolling pebbles",
    };
    // Twice as fine as asked for, so that a blade of a texel's breadth is smooth; coarser would lose it altogether.
    let n = (size * 2).clamp(1024, 2048) as usize;
    // Different kinds of one seed share no place.
    let seed = super::noise::mix(seed ^ ((kind as u64 + 1) << 40));
    work.stage(stage, 0.7, 5);
    let (canvas, how) = paint(kind, n, seed, work)?;
    work.stage("smoothing textures", 1.0, 3);
    let texture = finish::finish(&canvas, size as usize, &how, work)?;
    work.tick(1.0)?;
    Ok(texture)
}

fn paint(kind: GroundKind, n: usize, seed: u64, work: &mut Work) -> Step<(Canvas, Finish)> {
    let metres = kind.metres();
    match kind {
        GroundKind::Grass => grass::paint(n, metres, seed, work),
        GroundKind::Meadow => meadow::paint(n, metres, seed, work),
        GroundKind::Soil => soil::paint(n, metres, seed, work),
        GroundKind::Scree => scree::paint(n, metres, seed, work),
        GroundKind::Rock => rock::paint(n, metres, seed, work),
        GroundKind::Snow => snow::paint(n, metres, seed, work),
        GroundKind::Riverbed => riverbed::paint(n, metres, seed, work),
    }
}
