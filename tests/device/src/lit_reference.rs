//! The light of a place in 64 bits, written from the papers and not from the shader.

use glam::DVec3;
use landform::light::{Harmonics, Lamp};
use std::f64::consts::PI;

/// What a dielectric reflects head on.
const HEAD_ON: f64 = 0.04;

/// A place of the ground as a light sees it.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// World metres from the camera.
    pub relative: DVec3,
    /// The normal with the layers' relief.
    pub normal: DVec3,
    /// The ground's own.
    pub relief: DVec3,
    /// To the eye.
    pub toward_eye: DVec3,
    /// Linear RGB.
    pub albedo: DVec3,
    /// Perceptual, 0 to 1.
    pub roughness: f64,
    /// 1 is open.
    pub occlusion: f64,
}

/// What a facet mirrors of light that comes under an angle of this cosine: 0.04 head on; grazing all of it where the surface is smooth,
/// and less where facets shade each other (Lagarde, *Adopting a physically based shading model*, 2011).
fn fresnel(roughness: f64, cosine: f64) -> f64 {
    let grazing = (1.0 - roughness).max(HEAD_ON);
    HEAD_ON + (grazing - HEAD_ON) * (1.0 - cosine.clamp(0.0, 1.0)).powi(5)
}

impl Place {
    /// Luminance to the eye for each lux on what faces a light: Lambert, and GGX (Walter et al. 2007) with the visibility of
    /// Hammon, *PBR Diffuse Lighting for GGX + Smith Microsurfaces*, 2017, over cosines of 0.05 and more and an α of 0.02
    /// and more.
    pub fn reflected(&self, toward: DVec3) -> DVec3 {
        let facing = self.normal.dot(toward).max(0.0);
        let half = (toward + self.toward_eye).normalize_or(self.normal);
        let alpha = (self.roughness * self.roughness).max(0.02);
        let along = self.normal.dot(half).max(0.0);
        let spread = PI * (along * along * (alpha * alpha - 1.0) + 1.0).powi(2);
        let (seen, lit) = (self.normal.dot(self.toward_eye).max(0.05), self.normal.dot(toward).max(0.05));
        let visible = 0.5 / ((1.0 - alpha) * 2.0 * seen * lit + alpha * (seen + lit));
        let fresnel = fresnel(self.roughness, toward.dot(half));
        let shine = alpha * alpha / spread * visible * fresnel;
        (self.albedo / PI + self.occlusion * shine) * facing
    }

    /// Of a sun whose light nothing holds up but the ground's own horizon, which fades over four hundredths.
    pub fn of_sun(&self, toward: DVec3, lux: DVec3) -> DVec3 {
        let part = ((self.relief.dot(toward) + 0.02) / 0.04).clamp(0.0, 1.0);
        self.reflected(toward) * lux * (part * part * (3.0 - 2.0 * part))
    }

    /// Of a lamp, for a camera that stands here.
    pub fn of_lamp(&self, lamp: &Lamp, camera: DVec3) -> DVec3 {
        let away = lamp.position - camera - self.relative;
        let (distance, toward) = (away.length(), away.normalize_or_zero());
        let window = (1.0 - (distance / f64::from(lamp.range)).powi(4)).clamp(0.0, 1.0).powi(2);
        let cone = lamp.cone.map_or(1.0, |cone| {
            let [inner, outer] = [cone.inner, cone.outer].map(|angle| f64::from(angle).cos());
            let along = -toward.dot(cone.toward.as_dvec3().normalize());
            ((along - outer) / (inner - outer)).clamp(0.0, 1.0).powi(2)
        });
        let lux = lamp.intensity.as_dvec3() * (window * cone / (distance * distance).max(1e-4));
        self.reflected(toward) * lux
    }

    /// How far a lamp's light may be from what it is here, for a place that is known to so many metres: a device places a pixel on a
    /// triangle whose corners it has snapped, which matters beside a lamp.
    pub fn lamp_slack(&self, lamp: &Lamp, camera: DVec3, metres: f64) -> DVec3 {
        let here = self.of_lamp(lamp, camera);
        let steps = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|axis| [axis, -axis]);
        let moved = steps.map(|step| Place { relative: self.relative + step * metres, ..*self });
        moved.map(|place| (place.of_lamp(lamp, camera) - here).abs()).fold(DVec3::ZERO, DVec3::max)
    }

    /// The diffuse light of a sky.
    pub fn of_sky(&self, sky: &SmoothSky) -> DVec3 {
        self.albedo * sky.matt(self.normal) * self.occlusion
    }

    /// The sky in what shines: Karis' fit of what GGX reflects of an even light (Lazarov 2013, *Physically Based Shading on
    /// Mobile*, 2014), of the sky as a matt surface sees it in the mirrored direction.
    pub fn of_shining_sky(&self, sky: &SmoothSky) -> DVec3 {
        let seen = self.normal.dot(self.toward_eye).clamp(0.0, 1.0);
        let rough = |factor: f64, least: f64| self.roughness * factor + least;
        let (x, y) = (rough(-1.0, 1.0), rough(-0.0275, 0.0425));
        let a = (x * x).min((-9.28 * seen).exp2()) * x + y;
        let (scale, more) = (-1.04 * a + rough(-0.572, 1.04), 1.04 * a + rough(0.022, -0.04));
        let mirrored = 2.0 * self.normal.dot(self.toward_eye) * self.normal - self.toward_eye;
        sky.matt(mirrored) * ((HEAD_ON * scale + more) * self.occlusion)
    }
}

/// A sky of a constant, a slope and a square, which harmonics of two orders hold exactly, and whose light on a matt surface
/// is known: the slope is passed on with two thirds and the square with a quarter.
#[derive(Clone, Copy, Debug)]
pub struct SmoothSky {
    /// cd/m² of the constant, linear RGB.
    pub even: DVec3,
    /// Of the slope at its end.
    pub slope: DVec3,
    /// Of the square at its ends.
    pub square: DVec3,
    /// Where the slope goes up, a unit vector.
    pub toward: DVec3,
    /// Where the square has its ends, a unit vector.
    pub along: DVec3,
}

impl SmoothSky {
    /// A bluish sky that is brighter from one side, and has none of the nine functions at 0.
    pub fn slanted() -> Self {
        Self {
            even: DVec3::new(3000.0, 3600.0, 4800.0),
            slope: DVec3::new(1500.0, 1200.0, 900.0),
            square: DVec3::new(900.0, 1400.0, 2000.0),
            toward: DVec3::new(2.0, 6.0, -3.0) / 7.0,
            along: DVec3::new(-6.0, 3.0, 2.0) / 7.0,
        }
    }

    /// Its luminance in a direction.
    pub fn luminance(&self, toward: DVec3) -> DVec3 {
        self.even + self.slope * toward.dot(self.toward) + self.square * toward.dot(self.along).powi(2)
    }

    /// Luminance of a white matt surface with this normal.
    pub fn matt(&self, normal: DVec3) -> DVec3 {
        let square = 1.0 / 3.0 + 0.25 * (normal.dot(self.along).powi(2) - 1.0 / 3.0);
        self.even + self.slope * (2.0 / 3.0 * normal.dot(self.toward)) + self.square * square
    }

    /// What landform makes of it.
    pub fn harmonics(&self) -> Harmonics {
        Harmonics::project(|toward| self.luminance(toward.as_dvec3()).as_vec3())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(normal: DVec3, toward_eye: DVec3, roughness: f64) -> Place {
        let albedo = DVec3::ZERO;
        Place { relative: -toward_eye, normal, relief: normal, toward_eye, albedo, roughness, occlusion: 1.0 }
    }

    /// Smith's masking and shadowing of GGX, correlated by height, without any fit (Heitz 2014).
    fn exact(place: &Place, toward: DVec3) -> f64 {
        let alpha = (place.roughness * place.roughness).max(0.02);
        let half = (toward + place.toward_eye).normalize();
        let (lit, seen) = (place.normal.dot(toward), place.normal.dot(place.toward_eye));
        let along = place.normal.dot(half);
        let many = alpha * alpha / (PI * (along * along * (alpha * alpha - 1.0) + 1.0).powi(2));
        let root = |cosine: f64| (alpha * alpha + (1.0 - alpha * alpha) * cosine * cosine).sqrt();
        many * fresnel(place.roughness, toward.dot(half)) * 0.5 / (lit * root(seen) + seen * root(lit)) * lit
    }

    #[test]
    fn the_shine_is_that_of_microfacets() {
        let head_on = place(DVec3::Y, DVec3::Y, 1.0).reflected(DVec3::Y).x;
        assert!((head_on - 0.04 / (4.0 * PI)).abs() < 1e-9, "{head_on}");
        let mut worst = 0f64;
        for roughness in [0.2, 0.5, 0.8, 1.0] {
            for (lit, seen) in [(0.0f64, 0.0f64), (30.0, 30.0), (60.0, 20.0), (20.0, 60.0), (65.0, 65.0)] {
                let direction =
                    |degrees: f64| DVec3::new(degrees.to_radians().sin(), degrees.to_radians().cos(), 0.0);
                let place = place(DVec3::Y, direction(-seen), roughness);
                let (fit, exact) = (place.reflected(direction(lit)).x, exact(&place, direction(lit)));
                worst = worst.max((fit / exact - 1.0).abs());
            }
        }
        assert!(worst < 0.2, "the fit is off by {worst}");
    }

    #[test]
    fn a_matt_surface_sees_half_of_the_sky() {
        let sky = SmoothSky::slanted();
        for normal in [DVec3::Y, DVec3::new(0.6, 0.0, 0.8), DVec3::new(-2.0, 3.0, 6.0) / 7.0] {
            let (side, other) = normal.any_orthonormal_pair();
            let (rings, spokes) = (100, 100);
            let mut sum = DVec3::ZERO;
            for (ring, spoke) in (0..rings).flat_map(|ring| (0..spokes).map(move |spoke| (ring, spoke))) {
                let squared = (f64::from(ring) + 0.5) / f64::from(rings);
                let (sine, cosine) = ((f64::from(spoke) + 0.5) / f64::from(spokes) * 2.0 * PI).sin_cos();
                let flat = (side * cosine + other * sine) * (1.0 - squared).sqrt();
                sum += sky.luminance(normal * squared.sqrt() + flat) / f64::from(rings * spokes);
            }
            assert!(((sum - sky.matt(normal)) / sum).abs().max_element() < 1e-3, "{sum}");
        }
    }
}
