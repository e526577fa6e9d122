//! A shadow atlas read back, and places looked up in it as a shader does.

use crate::ShadowAtlas;
use glam::{DVec3, Vec2, Vec3};
use landform::draw::Renderer;
use landform::field::Field;
use landform::frame::ShadowLayout;
use landform::gpu::Device;
use landform::light::{CascadeConstants, Cascades};
use landform::plan::{CasterSettings, Terrain, TerrainSettings, View, ViewPlan};
use landform_harness::Gpu;
use std::sync::Arc;

/// Texels that a place is moved off the ground before it asks the map: at least, more where light grazes, toward the light.
const BIAS: [f32; 3] = [0.3, 0.8, 0.25];

/// Texels that a place lies inside its tile at least: what the bias moves it by, and a tap beside it.
const INSIDE: f32 = 2.5;

/// A field that casts, and what it cast last.
pub struct CascadeAtlas {
    gpu: Arc<Gpu>,
    device: Arc<Device>,
    terrain: Terrain,
    renderer: Renderer,
    atlas: ShadowAtlas,
    depth: Vec<f32>,
    constants: CascadeConstants,
    eye: DVec3,
    sun: Vec3,
}

impl CascadeAtlas {
    /// An atlas of these tiles, with nothing in it.
    pub fn new(gpu: &Arc<Gpu>, field: &Field, layout: ShadowLayout) -> Self {
        // SAFETY: the harness' host is valid and outlives the device, and every frame is waited for.
        let device = unsafe { Device::new(gpu.host()) }.expect("a device that landform takes");
        Self {
            gpu: gpu.clone(),
            renderer: Renderer::new(&device, field.desc()).expect("a renderer"),
            terrain: Terrain::new(field.clone(), TerrainSettings::default()).expect("a terrain"),
            atlas: ShadowAtlas::new(&device, layout),
            device,
            depth: Vec::new(),
            constants: CascadeConstants::default(),
            eye: DVec3::ZERO,
            sun: Vec3::Y,
        }
    }

    /// Draws cascades, to be looked up from an eye in the world.
    pub fn draw(&mut self, cascades: &Cascades, eye: DVec3, settings: &CasterSettings) {
        let (views, constants) = (cascades.views(), cascades.constants(eye));
        self.draw_views(views, constants, cascades.toward_sun(), eye, settings);
    }

    /// Draws cascades that were laid in another way.
    pub fn draw_views(
        &mut self,
        views: &[View],
        constants: CascadeConstants,
        sun: Vec3,
        eye: DVec3,
        settings: &CasterSettings,
    ) {
        (self.constants, self.eye, self.sun) = (constants, eye, sun);
        let Self { device, terrain, renderer, atlas, .. } = self;
        let upload = terrain.plan(&[views[0]], renderer.residency()).expect("a plan");
        device.begin_frame();
        let copy = self.gpu.submit_and_wait(|raw| {
            // SAFETY: the harness hands over a command buffer that records, and waits for it.
            let cmd = unsafe { device.record(raw) };
            renderer.upload(&cmd, &upload).expect("an upload");
            atlas.draw_views(&cmd, terrain, renderer, views, settings);
            atlas.copy(&cmd)
        });
        self.depth = ShadowAtlas::depth_of(&copy.expect("a frame"));
    }

    /// The tiles.
    pub fn layout(&self) -> ShadowLayout {
        self.atlas.layout()
    }

    /// What was drawn last, a plan a cascade.
    pub fn plans(&self) -> &[ViewPlan] {
        self.atlas.plans()
    }

    /// How places are looked up.
    pub fn constants(&self) -> &CascadeConstants {
        &self.constants
    }

    /// What the cascade's texel over a place holds, and what the place's own depth is.
    pub fn stored(&self, cascade: usize, place: DVec3) -> (f32, f32) {
        let at = self.constants.place(cascade, (place - self.eye).as_vec3());
        let texel = (at.truncate() * self.layout().tile() as f32).floor();
        (self.texel(cascade, texel), at.z)
    }

    /// The finest cascade that holds a place.
    pub fn finest(&self, place: DVec3) -> Option<usize> {
        self.constants.finest((place - self.eye).as_vec3(), INSIDE)
    }

    /// How much of a place on the ground lies in shadow, 0 to 1: four texels around it, compared and averaged, of the
    /// finest cascade that holds it. None where none does.
    pub fn shade(&self, place: DVec3, normal: DVec3) -> Option<f32> {
        self.finest(place).map(|cascade| self.shade_in(cascade, place, normal))
    }

    /// The same in one of the cascades, which holds the place.
    pub fn shade_in(&self, cascade: usize, place: DVec3, normal: DVec3) -> f32 {
        let (relative, normal) = ((place - self.eye).as_vec3(), normal.as_vec3());
        let [metres_a_texel, depth_a_metre, ..] = self.constants.cascades[cascade].texel;
        // Off the ground by the texels that a slope hides in one, in metres.
        let slope = (1.0 - normal.dot(self.sun).clamp(0.0, 1.0).powi(2)).sqrt();
        let off = normal * (metres_a_texel * (BIAS[0] + BIAS[1] * slope));
        let at = self.constants.place(cascade, relative + off);
        let depth = at.z + BIAS[2] * metres_a_texel * depth_a_metre;
        let texels = at.truncate() * self.layout().tile() as f32 - 0.5;
        let (first, part) = (texels.floor(), texels - texels.floor());
        let taps = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| {
            let weight = [1.0 - part.x, part.x][x] * [1.0 - part.y, part.y][y];
            let stored = self.texel(cascade, first + Vec2::new(x as f32, y as f32));
            if depth >= stored { 0.0 } else { weight }
        });
        taps.iter().sum()
    }

    /// A texel of a cascade's tile.
    fn texel(&self, cascade: usize, texel: Vec2) -> f32 {
        let last = (self.layout().tile() - 1) as f32;
        let [x, y] = texel.clamp(Vec2::ZERO, Vec2::splat(last)).to_array().map(|at| at as u32);
        let [left, upper] = self.layout().origin(cascade as u32).expect("a cascade of the layout");
        self.depth[((y + upper) * self.layout().size()[0] + x + left) as usize]
    }
}

/// Toward a sun at these degrees above the horizon and clockwise from north.
pub fn toward_sun(elevation: f64, azimuth: f64) -> DVec3 {
    let (up, across) = elevation.to_radians().sin_cos();
    let (east, north) = azimuth.to_radians().sin_cos();
    DVec3::new(east * across, up, -north * across)
}
