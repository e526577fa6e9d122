//! A made valley: a heightfield of 4096 m by 4096 m with ridges, gullies, scree, fans, terraces and a river, from a seed.
//!
//! This module owns no file and no device; a map is a pure function of its parameters, the same bits on every machine
//! and for any number of threads (no transcendental function and no order between threads enters a result).
//!
//! The form grows from coarse to fine, since slow processes shape large things (Cordonnier et al. 2016 for the
//! combination):
//!
//! 1. `plan` says where valleys run; `uplift` grows mountains around them by stream-power erosion at 16 m and 8 m.
//! 2. `floor` builds fans at the ends of side valleys, and the `river` migrates between them and leaves terraces.
//! 3. At 4 m, 2 m and 1 m `detail` refines; streams, `droplet`s and `scree` work on what it adds.
//! 4. `flow` follows the water over the finished map.
//!
//! What the ground looks like close by is [`ground_texture`]'s (`ground`), and what grows where [`valley_material`]'s
//! (`layers`).

mod detail;
mod drainage;
mod droplet;
mod field;
mod floor;
mod flow;
mod ground;
mod layers;
mod noise;
mod plan;
mod river;
mod scree;
#[cfg(test)]
mod tests;
mod uplift;

use crate::error::{Error, Result};
use droplet::Rain;
use field::{EXTENT, Field, Step, Stopped, Work};
use noise::{Noise, mix};
use plan::{MARGIN, Plan};
use river::River;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use uplift::Growth;

pub use ground::{GroundKind, GroundTexture, ground_texture};
pub use layers::valley_material;

/// Raised when the same parameters make another map: what was made before and kept is then out of date.
pub const VERSION: u32 = 1;

/// What [`valley`] makes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ValleyParams {
    /// Samples a side, 65 to 8193. The side is 4096 m for any of them: fewer samples show the same place, coarser.
    pub size: u32,
    /// The place. Another seed gives other ridges, another river and perhaps a mirrored valley.
    pub seed: u64,
    /// Threads to work on; `None` for as many as the machine has. The map does not depend on it.
    pub threads: Option<NonZeroUsize>,
}

impl Default for ValleyParams {
    fn default() -> Self {
        ValleyParams { size: 4097, seed: 7, threads: None }
    }
}

/// A made heightfield and what its making tells about its ground.
///
/// All fields of samples are row-major, `size` × `size`; row 0 is the north edge, column 0 the west edge.
#[derive(Clone, PartialEq)]
pub struct ValleyMap {
    /// Samples a side.
    pub size: u32,
    /// Metres between samples.
    pub spacing: f64,
    /// Heights in metres, all of `min..=max`.
    pub heights: Vec<f32>,
    /// Ground that drains through a sample, m² of the map; at least the sample's own.
    pub flow: Vec<f32>,
    /// Loose ground over rock in metres, 0 or more: alluvium, fans, scree and what rain left.
    pub deposit: Vec<f32>,
    /// The lowest height, metres.
    pub min: f32,
    /// The highest height, metres.
    pub max: f32,
}

/// How far [`valley`] has come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// What is going on, a few words for a person.
    pub stage: &'static str,
    /// How much of the time has passed, 0 to 1, roughly; never falls.
    pub fraction: f32,
}

/// Makes a valley.
///
/// `progress` is called on the calling thread, several times a second; when it breaks, the making ends within about a
/// second and the answer is `None`. Takes about 450 MB of memory at 4097 and a minute on two cores.
///
/// # Errors
///
/// When `params.size` is outside 65 to 8193.
pub fn valley(
    params: &ValleyParams,
    progress: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<Option<ValleyMap>> {
    if !(65..=8193).contains(&params.size) {
        let why =
            format!("{} samples a side cannot be made; 65 to 8193 can, and 4097 is one a metre", params.size);
        return Err(Error::invalid("valley size", why));
    }
    let threads = params.threads.or_else(|| std::thread::available_parallelism().ok());
    let mut work = Work::new(threads.map_or(1, NonZeroUsize::get), progress);
    match make(params, &mut work) {
        Ok(map) => Ok(Some(map)),
        Err(Stopped) => Ok(None),
    }
}

impl ValleyMap {
    /// The heights as 16-bit samples, with the heights in metres of 0 and of 65535.
    ///
    /// The lowest sample is 0 and the highest 65535; a step is about 14 mm.
    pub fn quantise(&self) -> (Vec<u16>, f64, f64) {
        let (min, max) = (f64::from(self.min), f64::from(self.max));
        let scale = if max > min { 65535.0 / (max - min) } else { 0.0 };
        let samples = self.heights.iter().map(|&h| ((f64::from(h) - min) * scale + 0.5) as u16).collect();
        (samples, min, max)
    }
}

impl std::fmt::Debug for ValleyMap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "ValleyMap of {0}×{0} samples, {1} m apart, {2}..{3} m high",
            self.size, self.spacing, self.min, self.max
        )
    }
}

/// The place as it is at one spacing.
struct Ground {
    heights: Field,
    /// Loose metres on top.
    debris: Field,
}

/// What is done after a refinement, by the new spacing.
struct Refinement {
    spacing: f32,
    margin: f32,
    stage: &'static str,
    /// Steps of stream-power erosion without uplift, and their length.
    streams: (usize, f32),
    /// Catchment that a stream needs to cut, m².
    spring: f32,
    rain: Rain,
    /// Passes of crumbling before and after the rain, and how readily rock gives way.
    slides: (usize, usize),
    weathering: f32,
    /// Seconds that the refinement takes on two cores.
    cost: f32,
}

/// How far a sample may lie from the mean of its neighbours, in spacings. On a crest between two faces of 45° it is 0.5
/// to 0.75; what is beyond is a mark of one droplet or one sample, which light would show as a thorn.
const SPIKE: f32 = 0.6;

const REFINEMENTS: [Refinement; 4] = [
    Refinement {
        spacing: 4.0,
        margin: 64.0,
        stage: "cutting side valleys",
        streams: (8, 0.016),
        spring: 1200.0,
        rain: Rain { rounds: 2, density: 0.25, bite: 0.085 },
        slides: (50, 40),
        weathering: 1.0,
        cost: 4.5,
    },
    Refinement {
        spacing: 2.0,
        margin: 32.0,
        stage: "cutting gullies",
        streams: (5, 0.010),
        spring: 400.0,
        rain: Rain { rounds: 2, density: 0.3, bite: 0.11 },
        slides: (20, 24),
        weathering: 0.6,
        cost: 12.0,
    },
    Refinement {
        spacing: 1.0,
        margin: 16.0,
        stage: "cutting rills",
        streams: (0, 0.0),
        spring: 0.0,
        rain: Rain { rounds: 2, density: 0.4, bite: 0.10 },
        slides: (6, 8),
        weathering: 0.2,
        cost: 26.0,
    },
    Refinement {
        spacing: 0.5,
        margin: 8.0,
        stage: "roughening",
        streams: (0, 0.0),
        spring: 0.0,
        rain: Rain { rounds: 1, density: 0.1, bite: 0.15 },
        slides: (2, 1),
        weathering: 0.1,
        cost: 80.0,
    },
];

fn make(params: &ValleyParams, work: &mut Work) -> Step<ValleyMap> {
    let seed = params.seed;
    let spacing = EXTENT / (params.size - 1) as f32;
    // Seconds on two cores, only to weigh the stages: what comes before the refinements, each of them, what follows.
    const GROWING: f32 = 5.0;
    // The coarsest refinement that is as fine as the map, after all those before it.
    let count = REFINEMENTS.iter().position(|r| r.spacing <= spacing).map_or(REFINEMENTS.len(), |i| i + 1);
    let refinements = &REFINEMENTS[..if spacing >= 8.0 { 0 } else { count }];
    let samples = f64::from(params.size) * f64::from(params.size);
    let ending = (samples * 0.48e-6) as f32;
    let whole = GROWING + ending + refinements.iter().map(|r| r.cost).sum::<f32>();
    let mut spent = GROWING;

    let plan = Plan::new(seed, work)?;
    let (mut ground, fans, river) = grow_mountains(&plan, seed, spent / whole, work)?;
    for refinement in refinements {
        spent += refinement.cost;
        ground = refine(&ground, refinement, &plan, (&fans, &river), seed, spent / whole, work)?;
    }
    work.stage("finishing the meadows and the river", (spent + 0.5 * ending) / whole, 6);
    detail::soften(&mut ground.heights, 2, work)?;
    detail::roughen(&mut ground.heights, &ground.debris, seed, work)?;
    river.carve(&mut ground.heights);
    for _ in 0..3 {
        let reach = SPIKE * ground.heights.spacing;
        detail::level_extremes(&mut ground.heights, reach, work)?;
    }
    finish(params.size, seed, ground, work)
}

/// The large form, at 8 m, with its fans and its river.
fn grow_mountains(plan: &Plan, seed: u64, end: f32, work: &mut Work) -> Step<(Ground, Field, River)> {
    let mut coarse = Field::over_map(16.0, MARGIN);
    let rough = Noise::new(seed, 1);
    let (n, edge) = (coarse.n, coarse.n - 1);
    let metres = {
        let origin = coarse.origin;
        move |i: usize| origin + i as f32 * 16.0
    };
    work.rows(&mut coarse, |y, row| {
        for (x, height) in row.iter_mut().enumerate() {
            let (px, pz) = (metres(x), metres(y));
            let out = plan.outside.data[y * n + x];
            let border = x == 0 || y == 0 || x == edge || y == edge;
            // The land around lies high: the parting of waters is near the border.
            let land = if border { 460.0 } else { 0.16 * out.min(1200.0) };
            *height = plan.floor.data[y * n + x];
            if out > 0.0 {
                *height += (land + 60.0 * rough.octaves(px, pz, 300.0, 4, 0.6)).max(0.0);
            }
        }
    })?;
    work.stage("raising mountains", end * 0.5, 120);
    let growth = Growth { steps: 120, step: 0.1, uplift: 1.0, fail: true, spring: 0.0, creep: 0.06 };
    uplift::grow(&mut coarse, plan, &growth, seed, work)?;
    let mut heights = Field::over_map(8.0, MARGIN * 0.5);
    work.stage("raising mountains", end * 0.8, 46);
    detail::refine(&coarse, &mut heights, plan, seed, work)?;
    let growth = Growth { steps: 30, step: 0.04, uplift: 1.0, fail: true, spring: 0.0, creep: 0.16 };
    uplift::grow(&mut heights, plan, &growth, seed, work)?;
    // Uplift rests: streams eat into the even faces that failing left.
    let growth = Growth { steps: 16, step: 0.012, uplift: 0.0, fail: false, spring: 2500.0, creep: 0.35 };
    uplift::grow(&mut heights, plan, &growth, seed, work)?;
    work.stage("letting the river wander", end, 2);
    let fans = floor::fans(&heights, plan, seed, work)?;
    let mut debris = heights.like(0.0);
    let mut raised = heights.clone();
    raised.data.iter_mut().zip(&fans.data).for_each(|(h, f)| *h += f);
    let river = River::new(plan, &raised, seed, work)?;
    floor::lay(&mut heights, &mut debris, plan, &fans, &river, work)?;
    work.advance()?;
    Ok((Ground { heights, debris }, fans, river))
}

/// The ground at half the spacing, with what happens at that scale.
fn refine(
    coarse: &Ground,
    how: &Refinement,
    plan: &Plan,
    (fans, river): (&Field, &River),
    seed: u64,
    end: f32,
    work: &mut Work,
) -> Step<Ground> {
    let steps = how.streams.0 + how.rain.rounds + how.slides.0 + how.slides.1 + 1;
    work.stage(how.stage, end, steps);
    let mut heights = Field::over_map(how.spacing, how.margin);
    detail::refine(&coarse.heights, &mut heights, plan, seed, work)?;
    let mut debris = heights.like(0.0);
    let metres = {
        let (o, s) = (debris.origin, debris.spacing);
        move |i: usize| o + i as f32 * s
    };
    work.rows(&mut debris, |y, row| {
        row.iter_mut().enumerate().for_each(|(x, d)| *d = coarse.debris.linear(metres(x), metres(y)));
    })?;
    work.advance()?;
    let growth = Growth {
        steps: how.streams.0,
        step: how.streams.1,
        uplift: 0.0,
        fail: false,
        spring: how.spring,
        creep: 0.4,
    };
    uplift::grow(&mut heights, plan, &growth, seed, work)?;
    if how.spacing == 4.0 {
        floor::lay(&mut heights, &mut debris, plan, fans, river, work)?;
    }
    scree::slide(&mut heights, &mut debris, plan, how.slides.0, how.weathering, work)?;
    droplet::fall(&mut heights, &mut debris, plan, &how.rain, mix(seed), work)?;
    scree::slide(&mut heights, &mut debris, plan, how.slides.1, how.weathering, work)?;
    Ok(Ground { heights, debris })
}

/// Takes the map out of the ground around it and follows its water.
fn finish(size: u32, seed: u64, ground: Ground, work: &mut Work) -> Step<ValleyMap> {
    let n = size as usize;
    let spacing = EXTENT / (size - 1) as f32;
    let cut = |field: Field, work: &mut Work| -> Step<Field> {
        let mut out = Field { n, spacing, origin: 0.0, data: vec![0.0; n * n] };
        work.rows(&mut out, |y, row| {
            let z = y as f32 * spacing;
            row.iter_mut().enumerate().for_each(|(x, out)| *out = field.linear(x as f32 * spacing, z));
        })?;
        Ok(out)
    };
    let Ground { heights, debris } = ground;
    let heights = cut(heights, work)?;
    let deposit = cut(debris, work)?;
    work.stage("following the water", 1.0, 1);
    let flow = flow::flow(&heights, seed, work)?;
    let (min, max) = heights.data.iter().fold((f32::MAX, f32::MIN), |(a, b), &h| (a.min(h), b.max(h)));
    Ok(ValleyMap {
        size,
        spacing: f64::from(EXTENT) / f64::from(size - 1),
        heights: heights.data,
        flow: flow.data,
        deposit: deposit.data,
        min,
        max,
    })
}
