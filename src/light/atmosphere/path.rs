//! A ray through the air, cut into steps, with all that does not depend on where the sun stands. Many suns, or many
//! azimuths of a sky, share one.

use super::air::{Air, Density, PLANET, TOP};
use super::lookups::{Height, Lookups};
use glam::Vec3A;
use std::f32::consts::PI;

/// A ray of `STEPS` steps that grow from its start, where the air counts most.
pub(super) struct Path<const STEPS: usize> {
    steps: [Step; STEPS],
    ground: Option<Ground>,
}

/// A step with how much of the light that is scattered in it arrives at the start of the ray.
struct Step {
    at: Height,
    rayleigh: Vec3A,
    mie: Vec3A,
    /// The cosine of the sun to the vertical of this place is the first of these times its cosine to the vertical of the
    /// start, and the second times its cosine to the ray.
    turn: (f32, f32),
}

/// Where the ray ends on the ground.
struct Ground {
    /// How much of the ground's illuminance arrives as luminance.
    arrives: Vec3A,
    turn: (f32, f32),
}

impl<const STEPS: usize> Path<STEPS> {
    /// A ray from an altitude inside the air, in kilometres, in a direction with this cosine to the vertical, down to the
    /// ground or past it to the top of the air. On the horizon both are right, which is why the caller says.
    pub(super) fn new(air: &Air, altitude: f64, up: f64, to_ground: bool) -> Self {
        let radius = PLANET + altitude;
        let along = radius * up;
        let end = if to_ground { PLANET } else { TOP };
        let root = (along * along + (end - radius) * (end + radius)).max(0.0).sqrt();
        let length = if to_ground { -along - root } else { -along + root }.max(0.0);
        let place = |distance: f64| {
            let here = (radius * radius + distance * (2.0 * along + distance)).sqrt();
            let turn = ((radius / here) as f32, (distance / here) as f32);
            ((here - PLANET).clamp(0.0, TOP - PLANET), turn)
        };
        let mut left = Vec3A::ONE;
        let steps = std::array::from_fn(|step| {
            let part = |step: f64| (step / STEPS as f64) * (step / STEPS as f64) * length;
            let (near, far) = (part(step as f64), part(step as f64 + 1.0));
            let (altitude, turn) = place((near + far) / 2.0);
            let density = Density::at(altitude as f32);
            let depth = air.extinction(&density) * (far - near) as f32;
            let arrives = left * (far - near) as f32 * depth_mean(depth);
            left *= (-depth).exp();
            Step {
                at: Height::at(altitude),
                rayleigh: arrives * air.rayleigh * density.rayleigh,
                mie: arrives * air.mie_scattering * density.mie,
                turn,
            }
        });
        let ground = to_ground.then(|| Ground { arrives: left * air.albedo / PI, turn: place(length).1 });
        Self { steps, ground }
    }

    /// Luminance of the sunlight that is scattered once on the way, for a sun with these cosines to the vertical of the
    /// start and to the ray, and for phases of molecules and of haze.
    pub(super) fn scattered_once(
        &self,
        lookups: &Lookups,
        up: f32,
        toward: f32,
        phases: (f32, f32),
    ) -> Vec3A {
        let light = |step: &Step| step.once(lookups, turned(step.turn, up, toward), phases);
        self.steps.iter().map(light).sum()
    }

    /// The same, and the light that is scattered more than once.
    pub(super) fn scattered(&self, lookups: &Lookups, up: f32, toward: f32, phases: (f32, f32)) -> Vec3A {
        let light = |step: &Step| {
            let up = turned(step.turn, up, toward);
            step.once(lookups, up, phases) + lookups.often(&step.at, up) * (step.rayleigh + step.mie)
        };
        self.steps.iter().map(light).sum()
    }

    /// Luminance of the ground behind the air, black where the ray ends in space.
    pub(super) fn ground(&self, lookups: &Lookups, up: f32, toward: f32) -> Vec3A {
        let light = |ground: &Ground| ground.arrives * lookups.ground(turned(ground.turn, up, toward));
        self.ground.as_ref().map_or(Vec3A::ZERO, light)
    }

    /// What would arrive if all the air had a luminance of 1 before it scatters.
    pub(super) fn scattering(&self) -> Vec3A {
        self.steps.iter().map(|step| step.rayleigh + step.mie).sum()
    }
}

impl Step {
    /// Luminance by sunlight that is scattered here, for a sun with this cosine to the vertical of this place.
    fn once(&self, lookups: &Lookups, up: f32, phases: (f32, f32)) -> Vec3A {
        lookups.sunlight(&self.at, up) * (self.rayleigh * phases.0 + self.mie * phases.1)
    }
}

/// The sun's cosine to the vertical of another place.
fn turned(turn: (f32, f32), up: f32, toward: f32) -> f32 {
    turn.0 * up + turn.1 * toward
}

/// The mean of exp(−x) from 0 to this depth, (1 − exp(−depth)) / depth, also where the depth is nearly 0.
fn depth_mean(depth: Vec3A) -> Vec3A {
    let mean = |depth: f32| if depth > 1e-6 { -(-depth).exp_m1() / depth } else { 1.0 };
    Vec3A::new(mean(depth.x), mean(depth.y), mean(depth.z))
}
