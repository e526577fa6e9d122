//! What a frame publishes of its light: its scene constants.

use super::{
    CascadeConstants, Cascades, ClearSky, ClusterConstants, Harmonics, MoonLight, Night, NightLight,
    SkyTable, StarLight, luminance,
};
use crate::abi::{CascadeRecord, LightConstants};
use crate::plan::{View, Viewport};
use crate::{Error, Result};
use bytemuck::Zeroable;
use glam::{Mat4, Vec3};

/// The sun's radius as it is seen from the ground, radians: a quarter of a degree and a little.
pub const SUN_RADIUS: f32 = 0.004_65;

/// The brightest sun that is drawn, lux: eighty times that at noon. What is seen of it stays finite in half precision.
const MOST_LUX: f32 = 1e7;

/// The brightest sky, cd/m².
const MOST_SKY: f32 = 1e6;

/// The thickest air, one over metres: it hides what is half a metre away.
const MOST_EXTINCTION: f32 = 10.0;

/// A sun and a sky, as surfaces see them.
#[derive(Clone, Debug, PartialEq)]
#[doc(alias = "SceneLighting")]
pub struct SceneLight {
    /// Toward the key light, which throws the shadows: the sun, and at night the moon. In the world; any length but 0.
    #[doc(alias = "key light")]
    pub toward_sun: Vec3,
    /// Lux on what faces the key light, linear RGB, up to 1e7; 0 after it has set.
    pub sun_illuminance: Vec3,
    /// The sky's luminance from all sides; factors within ±1e6 cd/m².
    pub sky: Harmonics,
    /// What the air takes away a metre, linear RGB, up to 10; 0 for none. The air's own light is added by colour; what is behind is
    /// dimmed by the number of green, for a target blends with one.
    pub haze: Vec3,
    /// How places ask the shadow map.
    pub bias: ShadowBias,
    /// The part of half a cascade's width in which it is blended with the next, above 0 to 1.
    pub cascade_blend: f32,
    /// The moon's disc and the stars; None for neither.
    pub night: Option<NightLight>,
}

impl Default for SceneLight {
    /// A clear noon without a sky's colours: 100 000 lux from high in the south, and a sky of 5 000 cd/m².
    fn default() -> Self {
        Self {
            toward_sun: Vec3::new(0.0, 0.8, 0.6),
            sun_illuminance: Vec3::splat(100_000.0),
            sky: Harmonics::constant(Vec3::splat(5_000.0)),
            haze: Vec3::ZERO,
            bias: ShadowBias::default(),
            cascade_blend: 0.15,
            night: None,
        }
    }
}

/// How far a place is moved before it asks a shadow map, in texels of its cascade, which are metres: so a finer cascade is moved
/// less, and nothing depends on how depth is stored. The defaults were held against rays: see ARCHITECTURE.md, "Casters".
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShadowBias {
    /// Texels along the normal, at least.
    pub normal: f32,
    /// More of them, times the sine of the angle between normal and light.
    pub grazing: f32,
    /// Texels toward the light, at least: where the plane of the ground rises by more than this and the offset along the normal over
    /// the texels that are compared, as many as it rises. Depth is reverse, so that is where it grows.
    pub toward_light: f32,
}

impl Default for ShadowBias {
    fn default() -> Self {
        Self { normal: 0.3, grazing: 0.8, toward_light: 0.25 }
    }
}

impl SceneLight {
    /// The light of a clear sky that `table` was filled from, for the same altitude and sun. `albedo` is what of the ground's light
    /// comes back from around: it lights what faces down.
    pub fn of_sky(sky: &ClearSky, altitude: f64, toward_sun: Vec3, table: &SkyTable, albedo: Vec3) -> Self {
        let ground = sky.ground_illuminance(toward_sun) * albedo / std::f32::consts::PI;
        Self {
            toward_sun,
            sun_illuminance: sky.sun_illuminance(altitude, toward_sun),
            sky: Harmonics::of_sky(table, ground),
            haze: sky.extinction(altitude),
            ..Self::default()
        }
    }

    /// The same for a table that [`ClearSky::fill_night`] filled with this night: at noon what [`SceneLight::of_sky`] has, and a moon's disc.
    ///
    /// The key light is the sun while any of its disc is over the horizon, and from then on the moon. There the sun gives nothing any
    /// more, and the sky a thousand times what the moon does, so that the switch is not seen.
    pub fn of_night_sky(
        sky: &ClearSky,
        altitude: f64,
        toward_sun: Vec3,
        night: &Night,
        table: &SkyTable,
        albedo: Vec3,
    ) -> Self {
        let by_night = sky.night_ground_illuminance(night) * albedo / std::f32::consts::PI;
        let mut light = Self::of_sky(sky, altitude, toward_sun, table, albedo);
        light.sky.add_below(table.horizon(), by_night);
        let moon = night.moon.map(|moon| {
            let illuminance = sky.moon_illuminance(altitude, &moon);
            MoonLight { moon, illuminance, toward_sun }
        });
        let key = moon.filter(|moon| light.sun_illuminance == Vec3::ZERO && moon.illuminance != Vec3::ZERO);
        if let Some(MoonLight { moon, illuminance, .. }) = key {
            (light.toward_sun, light.sun_illuminance) = (moon.toward, illuminance);
        }
        let depth = -sky.transmittance(altitude, Vec3::Y).map(f32::ln);
        let stars = night.stars.map(|turn| StarLight { turn, depth: depth.max(Vec3::ZERO) });
        Self { night: Some(NightLight { moon, moon_is_key: key.is_some(), stars }), ..light }
    }

    /// The exposure value at ISO 100 that a light meter on level ground says: log2(lux / 2.5) (ISO 2720, with a constant of 250), less
    /// 0.6, so that a grey card of 18 % is exposed to 0.18. As an eye does it follows the light only in part below a sunny day, so
    /// that an evening is darker than a noon; −6 to 16.
    pub fn ev100(&self) -> f32 {
        // A low sun lights slopes and not level ground, and slopes are what is looked at.
        let up = self.toward_sun.normalize_or(Vec3::Y).y.max(0.2);
        let lux = luminance(self.sun_illuminance * up + self.sky.irradiance(Vec3::Y));
        let metered = (lux / 2.5).max(1e-9).log2();
        (15.0 + 0.85 * (metered - 15.0) - 0.6).clamp(-6.0, 16.0)
    }

    /// The uniform block of a view. Without cascades every place is in the sun's light, without clusters there are no lamps.
    /// `table` is what the sky is drawn from; without one it is drawn from the harmonics.
    ///
    /// # Errors
    /// Light outside of its range, or a sun that is nowhere, with a sentence.
    pub fn constants(
        &self,
        view: &View,
        cascades: Option<&Cascades>,
        clusters: Option<&ClusterConstants>,
        table: Option<&SkyTable>,
    ) -> Result<LightConstants> {
        view.validate()?;
        self.validate()?;
        let toward = self.toward_sun.normalize();
        let solid_angle = std::f32::consts::TAU * (1.0 - SUN_RADIUS.cos());
        // Limb darkening leaves the disc 0.84 of what an even one of its middle's luminance would give.
        let disc = 1.0 / (solid_angle * 0.84);
        let ahead = view.rotation.normalize() * Vec3::NEG_Z;
        let turn = Mat4::from_quat(view.rotation.inverse());
        let mut constants = LightConstants {
            toward_sun: toward.extend(SUN_RADIUS.cos()).to_array(),
            sun_illuminance: self.sun_illuminance.extend(disc).to_array(),
            harmonics: self.sky.for_shader(),
            haze: self.haze.extend(0.0).to_array(),
            bias: [self.bias.normal, self.bias.grazing, self.bias.toward_light, 0.0],
            ahead: ahead.extend(f32::from(u8::from(view.is_orthographic()))).to_array(),
            ray_from_clip: (view.projection * turn).inverse().to_cols_array_2d(),
            ..LightConstants::zeroed()
        };
        if let Some(table) = table {
            let [x, z, horizon, _] = table.for_shader();
            constants.sky_place = [x, z, horizon, 1.0];
            constants.night = table.night_for_shader();
        }
        if let Some(night) = &self.night {
            night.write(&mut constants, &self.sky);
        }
        if let Some(cascades) = cascades {
            write_cascades(&mut constants, &cascades.constants(view.position), self.cascade_blend);
        }
        if let Some(clusters) = clusters {
            write_clusters(&mut constants, clusters, view);
        }
        Ok(constants)
    }

    fn validate(&self) -> Result<()> {
        let refuse = |why: String| Err(Error::invalid("scene light", why));
        if !(self.toward_sun.is_finite() && self.toward_sun.length_squared() > 1e-12) {
            return refuse(format!("a sun toward {}; use a finite direction that is not 0", self.toward_sun));
        }
        for (what, light, most) in
            [("a sun of", self.sun_illuminance, MOST_LUX), ("haze of", self.haze, MOST_EXTINCTION)]
        {
            let held = light.is_finite() && light.min_element() >= 0.0 && light.max_element() <= most;
            if !held {
                return refuse(format!("{what} {light}; use 0 to {most}"));
            }
        }
        if let Some(why) = self.night.as_ref().and_then(NightLight::refusal) {
            return refuse(why);
        }
        let held = |factor: &Vec3| factor.is_finite() && factor.abs().max_element() <= MOST_SKY;
        if !self.sky.0.iter().all(held) {
            return refuse(format!("the sky's harmonics are not all within ±{MOST_SKY} cd/m²"));
        }
        let bias = [self.bias.normal, self.bias.grazing, self.bias.toward_light];
        if !bias.iter().all(|texels| (0.0..=64.0).contains(texels)) {
            return refuse(format!("a shadow bias of {bias:?} texels; use 0 to 64 each"));
        }
        if !(self.cascade_blend > 0.0 && self.cascade_blend <= 1.0) {
            return refuse(format!(
                "cascades that blend over {} of their half width; use more than 0 and at most 1",
                self.cascade_blend
            ));
        }
        Ok(())
    }
}

fn write_cascades(constants: &mut LightConstants, cascades: &CascadeConstants, blend: f32) {
    constants.shadow = [cascades.fade[0], cascades.fade[1], cascades.count as f32, 1.0 / blend];
    for (record, lookup) in constants.cascades.iter_mut().zip(&cascades.cascades) {
        *record = CascadeRecord { rows: lookup.rows, atlas: lookup.atlas, texel: lookup.texel };
    }
}

/// Cells divide the viewport that is drawn, which may have more or fewer pixels than that of the view they were built for: a target of
/// another size is drawn from the same place.
fn write_clusters(constants: &mut LightConstants, clusters: &ClusterConstants, view: &View) {
    let ClusterConstants { columns, rows, slices, lamps, scale, bias, near, far, .. } = *clusters;
    let Viewport { x, y, width, height } = view.viewport;
    constants.clusters = [columns, rows, slices, lamps];
    constants.cluster_scale = [scale, bias, columns as f32 / width, rows as f32 / height];
    constants.cluster_view = [x, y, near, far];
}
