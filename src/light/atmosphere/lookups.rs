//! What depends on the air alone, for every altitude and every height of the sun: how much light comes through from
//! space, what is scattered more than once, and how light the ground is. All for a sun of 1 above the air.

use super::air::{Air, Density, PLANET, TOP, horizon_cosine};
use super::path::Path;
use super::{between, mix};
use crate::light::SUN_RADIUS;
use glam::Vec3A;
use std::f32::consts::PI;

/// Directions and altitudes of the transmittance.
const DIRECTIONS: usize = 128;
const ALTITUDES: usize = 64;
/// Steps of a ray that transmittance is integrated along.
const DEPTH_STEPS: usize = 40;
/// Heights of the sun and altitudes of what is scattered more than once.
const SUNS: usize = 48;
const LAYERS: usize = 24;
/// Rays of the sphere that is integrated over in every layer, from nadir to zenith and in azimuth over half a turn (the
/// other half is its mirror image), and the steps of each.
const RINGS: usize = 12;
const SPOKES: usize = 4;
const LAYER_STEPS: usize = 20;
/// The same for the sky over the ground, from the horizon to the zenith.
const SKY_RINGS: usize = 10;
const SKY_SPOKES: usize = 8;
const SKY_STEPS: usize = 24;
/// How often sky and ground are lit by each other.
const ROUNDS: usize = 3;
/// The phase of light that is scattered in all directions alike, for molecules and for haze.
const EVEN: (f32, f32) = (0.25 / PI, 0.25 / PI);

#[derive(Clone)]
pub(super) struct Lookups {
    pub(super) air: Air,
    transmittance: Vec<Vec3A>,
    often: Vec<Vec3A>,
    sky_on_ground: Vec<Vec3A>,
}

impl Lookups {
    pub(super) fn new(air: Air) -> Self {
        let mut lookups = Self {
            air,
            transmittance: transmittances(&air),
            often: vec![Vec3A::ZERO; LAYERS * SUNS],
            sky_on_ground: vec![Vec3A::ZERO; SUNS],
        };
        let scattered: Vec<_> = (0..LAYERS)
            .map(|layer| {
                lookups
                    .mean_of_sphere(layer, |path, up, toward| path.scattered_once(&lookups, up, toward, EVEN))
            })
            .collect();
        // The sky lights the ground and the ground the sky. Each round brings what is missing down to the part that both
        // pass on, about a tenth over bright ground.
        for _ in 0..ROUNDS {
            let layers =
                scattered.iter().enumerate().flat_map(|(layer, scattered)| lookups.layer(layer, scattered));
            lookups.often = layers.collect();
            lookups.sky_on_ground = lookups.skies();
        }
        lookups
    }

    /// How much light comes through from space, for a direction with this cosine to the vertical that is above the
    /// horizon. One below it is taken as the horizon.
    pub(super) fn transmittance(&self, at: &Height, up: f32) -> Vec3A {
        let to_top = -at.radius * up + (at.radius * at.radius * up * up + at.below_top).max(0.0).sqrt();
        let column = between((to_top - at.nearest_top) * at.columns_per_kilometre, DIRECTIONS);
        let (row, part) = at.row;
        let low = mix(&self.transmittance[row * DIRECTIONS..][..DIRECTIONS], column);
        let high = mix(&self.transmittance[(row + 1) * DIRECTIONS..][..DIRECTIONS], column);
        low + (high - low) * part
    }

    /// Illuminance of a surface that faces the sun, with the part of the disc that the planet leaves.
    pub(super) fn sunlight(&self, at: &Height, up: f32) -> Vec3A {
        // −1 when the disc is just below the horizon, 1 when it is just above. A cubic follows the area of a segment to
        // 0.02.
        let over = (up - at.horizon) / at.disc;
        if over <= -1.0 {
            return Vec3A::ZERO;
        }
        let part = (0.5 * over + 0.5).min(1.0);
        self.transmittance(at, up) * (part * part * (3.0 - 2.0 * part))
    }

    /// Luminance, the mean of all directions, of the light that was scattered once or more: what a further scattering
    /// starts from.
    pub(super) fn often(&self, at: &Height, up: f32) -> Vec3A {
        let column = between(sun_position(up), SUNS);
        let (layer, part) = at.layer;
        let low = mix(&self.often[layer * SUNS..][..SUNS], column);
        let high = mix(&self.often[(layer + 1) * SUNS..][..SUNS], column);
        low + (high - low) * part
    }

    /// Illuminance of level ground by the sun and the sky.
    pub(super) fn ground(&self, up: f32) -> Vec3A {
        self.sunlight(&Height::at(0.0), up) * up.max(0.0)
            + mix(&self.sky_on_ground, between(sun_position(up), SUNS))
    }

    /// One altitude of what is scattered more than once (Hillaire 2020, section 5.5): light that was scattered once in
    /// the air or came from the ground, times the sum of the series by which every further scattering passes on the same
    /// part.
    fn layer(&self, layer: usize, scattered: &[Vec3A; SUNS]) -> [Vec3A; SUNS] {
        let ground = self.mean_of_sphere(layer, |path, up, toward| path.ground(self, up, toward));
        let passed = self.mean_of_sphere(layer, |path, _, _| path.scattering())[0];
        // Less than 1 of what is scattered can be passed on: some of it always leaves the air.
        let series = Vec3A::ONE / (Vec3A::ONE - passed.min(Vec3A::splat(0.99)));
        std::array::from_fn(|sun| (scattered[sun] + ground[sun]) * series)
    }

    /// The mean of all directions from the altitude of a layer, for every sun, of what depends on a path and on the sun's
    /// cosines to the vertical and to the path.
    fn mean_of_sphere(
        &self,
        layer: usize,
        light: impl Fn(&Path<LAYER_STEPS>, f32, f32) -> Vec3A,
    ) -> [Vec3A; SUNS] {
        let part = layer as f64 / (LAYERS - 1) as f64;
        let altitude = part * part * (TOP - PLANET) * 0.9999;
        let mut mean = [Vec3A::ZERO; SUNS];
        for ring in 0..RINGS {
            let up = (2 * ring + 1) as f64 / RINGS as f64 - 1.0;
            let path = Path::new(&self.air, altitude, up, up < horizon_cosine(altitude));
            for (sun, mean) in mean.iter_mut().enumerate() {
                let light = |up_sun: f32, toward_sun: f32| light(&path, up_sun, toward_sun);
                *mean += mean_of_spokes::<SPOKES>(up as f32, sun_cosine(sun), light) / RINGS as f32;
            }
        }
        mean
    }

    /// Illuminance of the ground by the sky alone, for every sun.
    fn skies(&self) -> Vec<Vec3A> {
        let mut skies = vec![Vec3A::ZERO; SUNS];
        for ring in 0..SKY_RINGS {
            // Even steps of the squared cosine, so that every ring has the same part of what level ground receives, π in
            // all.
            let up = ((ring as f64 + 0.5) / SKY_RINGS as f64).sqrt();
            let path = Path::<SKY_STEPS>::new(&self.air, 0.0, up, false);
            for (sun, sky) in skies.iter_mut().enumerate() {
                *sky += mean_of_spokes::<SKY_SPOKES>(up as f32, sun_cosine(sun), |up_sun, toward_sun| {
                    let phases = super::air::phases(toward_sun);
                    path.scattered(self, up_sun, toward_sun, phases)
                }) * (PI / SKY_RINGS as f32);
            }
        }
        skies
    }
}

/// The mean around the vertical of what depends on the sun's cosine to the vertical and to a direction with cosine `up`.
fn mean_of_spokes<const N: usize>(up: f32, up_sun: f32, light: impl Fn(f32, f32) -> Vec3A) -> Vec3A {
    let flat = ((1.0 - up * up) * (1.0 - up_sun * up_sun)).max(0.0).sqrt();
    let spoke = |spoke: usize| {
        let azimuth = (spoke as f32 + 0.5) * PI / N as f32;
        light(up_sun, up * up_sun + flat * azimuth.cos())
    };
    (0..N).map(spoke).sum::<Vec3A>() / N as f32
}

/// Where in a table the sun with this cosine to the vertical lies: finest at the horizon, where light changes most.
fn sun_position(up: f32) -> f32 {
    (0.5 + 0.5 * up.abs().sqrt().copysign(up)) * (SUNS - 1) as f32
}

/// The other way.
fn sun_cosine(sun: usize) -> f32 {
    let root = 2.0 * sun as f32 / (SUNS - 1) as f32 - 1.0;
    root * root.abs()
}

/// Transmittance in the coordinates of Bruneton 2017: rows by the distance to the horizon, columns by the distance to the
/// top of the air between the least (straight up) and the most (along the horizon).
fn transmittances(air: &Air) -> Vec<Vec3A> {
    let widest = (TOP * TOP - PLANET * PLANET).sqrt();
    let mut table = Vec::with_capacity(DIRECTIONS * ALTITUDES);
    for row in 0..ALTITUDES {
        let to_horizon = widest * row as f64 / (ALTITUDES - 1) as f64;
        let radius = to_horizon.hypot(PLANET);
        let (least, most) = (TOP - radius, to_horizon + widest);
        for column in 0..DIRECTIONS {
            let length = least + (most - least) * column as f64 / (DIRECTIONS - 1) as f64;
            // radius · cosine of the direction, by the law of cosines; at the top itself, looking out, there is no way to
            // go.
            let along = (TOP * TOP - radius * radius - length * length) / (2.0 * length.max(1e-9));
            let column = column_of(radius, along, length);
            table.push((-air.extinction(&column)).exp());
        }
    }
    table
}

/// What a ray of this length holds of each part of the air, in kilometres of the density on the ground.
fn column_of(radius: f64, along: f64, length: f64) -> Density {
    let mut column = Density::default();
    for step in 0..DEPTH_STEPS {
        let part = (step as f64 + 0.5) / DEPTH_STEPS as f64;
        let distance = length * part * part;
        let altitude = (radius * radius + distance * (2.0 * along + distance)).sqrt() - PLANET;
        let step_length = 2.0 * part * length / DEPTH_STEPS as f64;
        column = column.plus(Density::at(altitude.max(0.0) as f32), step_length as f32);
    }
    column
}

/// A height in the air with all that a look-up from there needs and that no direction changes.
#[derive(Clone, Copy)]
pub(super) struct Height {
    radius: f32,
    /// TOP² − radius².
    below_top: f32,
    nearest_top: f32,
    columns_per_kilometre: f32,
    /// Cosine of the horizon to the vertical.
    horizon: f32,
    /// By how much the cosine changes over the radius of the sun's disc at the horizon.
    disc: f32,
    row: (usize, f32),
    layer: (usize, f32),
}

impl Height {
    /// For an altitude inside the air, in kilometres.
    pub(super) fn at(altitude: f64) -> Self {
        let radius = PLANET + altitude;
        let to_horizon = (altitude * (radius + PLANET)).sqrt();
        let widest = (TOP * TOP - PLANET * PLANET).sqrt();
        let nearest_top = TOP - radius;
        let columns = (DIRECTIONS - 1) as f64 / (to_horizon + widest - nearest_top);
        let row = to_horizon / widest * (ALTITUDES - 1) as f64;
        let layer = (altitude / (TOP - PLANET)).sqrt() * (LAYERS - 1) as f64;
        Self {
            radius: radius as f32,
            below_top: ((TOP - radius) * (TOP + radius)) as f32,
            nearest_top: nearest_top as f32,
            columns_per_kilometre: columns as f32,
            horizon: (-to_horizon / radius) as f32,
            disc: (PLANET / radius) as f32 * SUN_RADIUS,
            row: between(row as f32, ALTITUDES),
            layer: between(layer as f32, LAYERS),
        }
    }
}
