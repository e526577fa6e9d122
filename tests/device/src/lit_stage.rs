//! A terrain in light of its own: casters into an atlas, then the lit ground, a frame at a time and read back.

use crate::{MadeTextures, ShadowAtlas, srgb};
use ash::vk;
use glam::{DMat4, DVec3, DVec4, Vec3};
use landform::draw::{DeviceClusters, FrameLight, Renderer, Target, ViewClusters, ViewLight};
use landform::field::Field;
use landform::gpu::{Cmd, Device};
use landform::light::{CascadeSettings, ClusterGrid, Clusters, Lamp, SceneLight};
use landform::plan::{FramePlan, Terrain, TerrainSettings, View, Viewport};
use landform_harness::{Clear, Gpu, Offscreen, OffscreenDesc};
use std::sync::Arc;

/// Everything that a lit picture needs.
pub struct LitStage {
    /// The checked host.
    pub device: Arc<Device>,
    /// What is drawn.
    pub terrain: Terrain,
    /// What draws it.
    pub renderer: Renderer,
    /// What it is lit by.
    pub light: FrameLight,
    /// The textures of its layers; None for defaults.
    pub textures: Option<MadeTextures>,
    atlas: Option<ShadowAtlas>,
    size: [u32; 2],
    gpu: Arc<Gpu>,
}

/// What lights a picture.
#[derive(Clone, Debug)]
pub struct Lighting {
    /// The sun and the sky.
    pub scene: SceneLight,
    /// The sun's cascades; None where nothing is in shade.
    pub shadows: Option<CascadeSettings>,
    /// The lamps; where there are none no clusters are published.
    pub lamps: Vec<Lamp>,
    /// Into how many cells the view is cut for them.
    pub grid: ClusterGrid,
    /// Metres that they are listed for.
    pub far: f64,
    /// Whether the device lists them.
    pub on_device: bool,
}

impl Default for Lighting {
    /// The scene's default, no shadows and no lamps.
    fn default() -> Self {
        Self {
            scene: SceneLight::default(),
            shadows: None,
            lamps: Vec::new(),
            grid: ClusterGrid::default(),
            far: 2000.0,
            on_device: false,
        }
    }
}

impl Lighting {
    /// A sun alone: of white light, so many lux, under a black sky.
    pub fn sun(toward: DVec3, lux: f32) -> Self {
        let mut lighting = Self::default();
        lighting.scene.toward_sun = toward.as_vec3();
        lighting.scene.sun_illuminance = Vec3::splat(lux);
        lighting.scene.sky = Default::default();
        lighting
    }
}

/// What is drawn into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planes {
    /// Luminance alone, as it is.
    Luminance,
    /// The split planes, as they are.
    Split,
    /// The split planes in the formats that a frame stores them in.
    Stored,
}

impl Planes {
    fn formats(self) -> Vec<vk::Format> {
        let half = vk::Format::R16G16B16A16_SFLOAT;
        let (srgb, bytes) = (vk::Format::R8G8B8A8_SRGB, vk::Format::R8G8B8A8_UNORM);
        match self {
            Self::Luminance => vec![vk::Format::R32G32B32A32_SFLOAT],
            Self::Split => vec![vk::Format::R32G32B32A32_SFLOAT; 4],
            Self::Stored => vec![half, srgb, half, bytes],
        }
    }
}

/// What was drawn, row by row; what is no ground is 0 in every plane.
pub struct LitPicture {
    /// Luminance; 1 in the last channel where there is ground.
    pub luminance: Vec<[f32; 4]>,
    /// Albedo and occlusion; empty where it was not drawn.
    pub albedo: Vec<[f32; 4]>,
    /// The world's normal and roughness.
    pub normal: Vec<[f32; 4]>,
    /// What is reflected head on.
    pub specular: Vec<[f32; 4]>,
    /// Depth.
    pub depth: Vec<f32>,
}

impl LitPicture {
    /// The pixels that show ground.
    pub fn ground(&self) -> impl Iterator<Item = usize> + '_ {
        self.luminance.iter().enumerate().filter(|(_, pixel)| pixel[3] > 0.5).map(|(index, _)| index)
    }

    /// A pixel's luminance.
    pub fn light(&self, pixel: usize) -> Vec3 {
        Vec3::from_slice(&self.luminance[pixel][..3])
    }
}

/// A frame that records.
pub struct Recording<'a> {
    /// The command buffer.
    pub raw: vk::CommandBuffer,
    /// The same.
    pub cmd: Cmd<'a>,
    /// What is drawn.
    pub terrain: &'a Terrain,
    /// What draws it.
    pub renderer: &'a mut Renderer,
    /// What it is lit by.
    pub light: &'a mut FrameLight,
}

impl LitStage {
    /// A stage whose pictures are of this size.
    pub fn new(gpu: &Arc<Gpu>, field: Field, settings: TerrainSettings, size: [u32; 2]) -> Self {
        // SAFETY: the harness' host is valid and outlives the stage, and every frame is waited for.
        let device = unsafe { Device::new(gpu.host()) }.expect("a device that landform takes");
        Self {
            renderer: Renderer::new(&device, field.desc()).expect("a renderer"),
            light: FrameLight::new(&device).expect("a frame's light"),
            terrain: Terrain::new(field, settings).expect("a terrain"),
            textures: None,
            atlas: None,
            size,
            gpu: gpu.clone(),
            device,
        }
    }

    /// The whole picture.
    pub fn viewport(&self) -> Viewport {
        Viewport::whole(self.size[0], self.size[1])
    }

    /// The host.
    pub fn gpu(&self) -> &Arc<Gpu> {
        &self.gpu
    }

    /// A target of the stage's size, and what landform is told about it.
    pub fn target(&self, color: Vec<vk::Format>) -> (Offscreen, Target) {
        let desc = OffscreenDesc { color: color.clone(), ..OffscreenDesc::new(self.size[0], self.size[1]) };
        let offscreen = Offscreen::new(&self.gpu, desc).expect("a target");
        let mut target = Target::dynamic(color[0], vk::Format::D32_SFLOAT, vk::SampleCountFlags::TYPE_1);
        target.formats = offscreen.formats();
        (offscreen, target)
    }

    /// Plans views.
    pub fn plan(&mut self, views: &[View]) -> FramePlan {
        self.terrain.begin_frame(0.0);
        self.terrain.plan(views, self.renderer.residency()).expect("a plan")
    }

    /// Begins a frame, uploads a plan and what the light holds, and records the rest.
    pub fn record<R>(&mut self, plan: &FramePlan, work: impl FnOnce(Recording<'_>) -> R) -> R {
        self.device.begin_frame();
        let Self { device, terrain, renderer, light, textures, gpu, .. } = self;
        let recorded = gpu.submit_and_wait(|raw| {
            // SAFETY: the harness hands over a command buffer that records, and waits for it.
            let cmd = unsafe { device.record(raw) };
            renderer.upload(&cmd, plan).expect("an upload");
            light.upload(&cmd, None).expect("an upload of light");
            if let Some(textures) = textures {
                renderer.find_textures(plan, textures).expect("a question");
            }
            work(Recording { raw, cmd, terrain, renderer, light })
        });
        recorded.expect("a frame")
    }

    /// Draws one frame of one view.
    pub fn draw(&mut self, view: &View, lighting: &Lighting, planes: Planes) -> LitPicture {
        let (mut offscreen, target) = self.target(planes.formats());
        let plan = self.plan(&[*view]);
        let mut clusters = Clusters::new(lighting.grid);
        clusters.build(view, lighting.far, &lighting.lamps).expect("clusters");
        let mut on_device = lighting
            .on_device
            .then(|| DeviceClusters::new(&self.device, lighting.grid).expect("clusters of the device's"));
        let has_lamps = !lighting.lamps.is_empty();
        let mut atlas = lighting.shadows.map(|settings| match self.atlas.take() {
            Some(atlas) if atlas.layout() == settings.layout => atlas,
            _ => ShadowAtlas::new(&self.device, settings.layout),
        });
        let scene = &lighting.scene;
        self.record(&plan, |Recording { raw, cmd, terrain, renderer, light }| {
            if let (Some(atlas), Some(settings)) = (&mut atlas, &lighting.shadows) {
                atlas.draw(&cmd, terrain, renderer, view, scene.toward_sun, settings);
            }
            let shadows = atlas.as_ref().map(|atlas| (&atlas.cascades, atlas.view()));
            if let Some(clusters) = &mut on_device {
                clusters.prepare(view, lighting.far, &lighting.lamps).expect("lamps");
                clusters.record(&cmd).expect("lists");
            }
            let clusters = on_device.as_ref().map_or(ViewClusters::from(&clusters), ViewClusters::from);
            let clusters = has_lamps.then_some(clusters);
            let published = ViewLight { scene, view, shadows, clusters, table: None };
            let slice = light.publish(&published).expect("light");
            offscreen.begin(raw, Some(Clear { color: [0.0; 4], depth: 0.0 }));
            renderer.draw_lit(&cmd, &plan.views[0], &target, light, &slice).expect("a lit draw");
            offscreen.end(raw);
        });
        self.atlas = atlas.or(self.atlas.take());
        read(&mut offscreen)
    }
}

/// Where a pixel of this depth lies, metres from the camera in the world's axes, and the unit vector from there to the eye.
pub fn placed(view: &View, pixel: usize, depth: f32) -> (DVec3, DVec3) {
    let width = view.viewport.width as usize;
    let [x, y] = [pixel % width, pixel / width].map(|at| at as f64 + 0.5);
    let across = 2.0 * x / f64::from(view.viewport.width) - 1.0;
    let up = 1.0 - 2.0 * y / f64::from(view.viewport.height);
    let back: DMat4 = view.projection.as_dmat4().inverse();
    let turn = view.rotation.as_dquat().normalize();
    let at = back * DVec4::new(across, up, f64::from(depth), 1.0);
    let relative = turn * (at.truncate() / at.w);
    let toward_eye = if view.is_orthographic() { turn * DVec3::Z } else { -relative.normalize() };
    (relative, toward_eye)
}

/// Metres to which a device knows where a pixel's ground is: a thirty-second of what the pixel is wide there.
pub fn known_to(view: &View, relative: DVec3) -> f64 {
    let width = 2.0 / (f64::from(view.projection.y_axis.y) * f64::from(view.viewport.height)) / 32.0;
    if view.is_orthographic() { width } else { width * relative.length() }
}

fn read(offscreen: &mut Offscreen) -> LitPicture {
    let formats = offscreen.desc().color.clone();
    let mut planes = formats.iter().enumerate().map(|(index, &format)| {
        let size = match format {
            vk::Format::R32G32B32A32_SFLOAT => 16,
            vk::Format::R16G16B16A16_SFLOAT => 8,
            _ => 4,
        };
        let bytes = offscreen.read_color_bytes(index, size).expect("a plane");
        bytes.chunks_exact(size as usize).map(|texel| decoded(format, texel)).collect()
    });
    let [luminance, albedo, normal, specular] = [0; 4].map(|_| planes.next().unwrap_or_default());
    drop(planes);
    LitPicture { luminance, albedo, normal, specular, depth: offscreen.read_depth().expect("depth") }
}

pub(crate) fn decoded(format: vk::Format, texel: &[u8]) -> [f32; 4] {
    let channel = |at: usize| match format {
        vk::Format::R32G32B32A32_SFLOAT => bytemuck::pod_read_unaligned(&texel[4 * at..][..4]),
        vk::Format::R16G16B16A16_SFLOAT => half(bytemuck::pod_read_unaligned(&texel[2 * at..][..2])),
        vk::Format::R8G8B8A8_SRGB if at < 3 => srgb::linear(f64::from(texel[at]) / 255.0) as f32,
        _ => f32::from(texel[at]) / 255.0,
    };
    [0, 1, 2, 3].map(channel)
}

/// A number of 16 bits; what is no number and infinity become large.
fn half(bits: u16) -> f32 {
    let (exponent, part) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023) / 1024.0);
    let size = if exponent == 0 { part * 2f32.powi(-14) } else { (1.0 + part) * 2f32.powi(exponent - 15) };
    if bits >> 15 == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_and_bytes_are_decoded() {
        for (bits, value) in [(0x3C00, 1.0), (0xC000, -2.0), (0x3555, 0.333_251_95), (1, 5.960_464_5e-8)] {
            assert_eq!(half(bits), value);
        }
        assert!(
            (srgb::linear(188.0 / 255.0) - 0.5).abs() < 0.005
                && srgb::linear(1.0) == 1.0
                && srgb::linear(0.0) == 0.0
        );
    }
}
