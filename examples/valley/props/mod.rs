//! Things that stand on the ground, drawn by the example and not by landform: as any host draws its meshes into a frame, in its passes and with
//! its light.

mod places;
mod shapes;

use ash::vk;
use glam::{DVec3, Mat4};
use landform::draw::{FrameHost, FrameLight, PassScope, Target};
use landform::field::Field;
use landform::frame::Stage;
use landform::gpu::{
    Binding, BindingKind, Buffer, BufferDesc, Cmd, Device, FrameRing, GraphicsPipelineDesc, MemoryLocation,
    Pipeline, PipelineLayout, RingDesc, SetLayout, SetValue, Sets, ShaderDesc, TargetFormats,
};
use landform::light::Lamp;
use landform::plan::View;
use landform_cli::camera::Camera;
use landform_cli::lit::{LitShot, Things};
use landform_cli::stop::Result;
use places::Places;
use shapes::{POST, Shapes};
use std::sync::Arc;

/// A thing is left out where it is smaller than a part of its distance: less than a pixel.
const SMALLEST: f64 = 1.0 / 2500.0;

/// Degrees above the horizon that the sun has when lamps are lit, and when they are full.
const DUSK: [f64; 2] = [3.0, -1.0];

/// Luminance of a lamp's glass, cd/m²: 900 cd from a surface of a fifteenth of a square metre.
const GLASS: f32 = 13_000.0;

/// Boulders and posts, and what draws them.
pub(crate) struct Props {
    device: Arc<Device>,
    places: Places,
    /// First index and count of each form.
    forms: Vec<[u32; 2]>,
    indices: Buffer,
    /// Bound by its set, which does not keep it.
    _vertices: Buffer,
    instances: FrameRing,
    sets: Sets,
    set_layout: Arc<SetLayout>,
    /// What has no light: casters, and motion.
    plain: Arc<PipelineLayout>,
    /// With the frame's light as set 1.
    lit: Option<Arc<PipelineLayout>>,
    pipelines: Vec<(Pass, TargetFormats, Pipeline)>,
    /// Where this frame's instances are, and first and count of each form among them.
    offset: u32,
    drawn: Vec<[u32; 2]>,
    /// From where they are seen.
    eye: DVec3,
    scratch: Vec<Instance>,
}

/// What a pass draws of a thing.
#[derive(Clone, Copy, PartialEq)]
enum Pass {
    Depth,
    Lit,
    Split,
    Motion,
}

/// As the shader reads it.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Instance {
    /// Metres from the camera; metres a unit.
    place: [f32; 4],
    turn: [f32; 4],
    /// Albedo; cd/m² of what is a lamp's glass.
    tint: [f32; 4],
}

/// As the shader reads it.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct PassConstants {
    clip_from_relative: [[f32; 4]; 4],
    last_rows: [[f32; 4]; 3],
    jitter: [f32; 2],
    motion_scale: [f32; 2],
}

impl Props {
    /// Things around the way that begins at this camera on the floor, if they are to stand there, with so many lamps; as many as posts
    /// where none are stated.
    ///
    /// # Errors
    /// What the device could not make.
    pub(crate) fn new(
        device: &Arc<Device>,
        field: &Field,
        floor: &Camera,
        stand: bool,
        lamps: Option<usize>,
    ) -> Result<Self> {
        let (places, shapes) = (Places::on(field, floor, stand, lamps), Shapes::new());
        let storage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let vertices = buffer(device, storage, bytemuck::cast_slice(&shapes.vertices))?;
        let indices =
            buffer(device, vk::BufferUsageFlags::INDEX_BUFFER, bytemuck::cast_slice(&shapes.indices))?;
        let region = (places.things.len().max(1) * size_of::<Instance>()) as u64;
        let ring = RingDesc { name: "props", usage: storage, region, bind_range: None };
        let instances = FrameRing::new(device, ring)?;
        let stages = vk::ShaderStageFlags::VERTEX;
        let bindings = [
            Binding { binding: 0, kind: BindingKind::Storage, stages, count: 1 },
            Binding { binding: 1, kind: BindingKind::StorageDynamic, stages, count: 1 },
        ];
        let set_layout = SetLayout::new(device, "props", &bindings)?;
        let mut sets = Sets::new(&set_layout, "props", 1)?;
        sets.write(0, 0, 0, SetValue::Buffer { buffer: &vertices, offset: 0, range: vertices.size() })?;
        let range = instances.bind_range();
        sets.write(0, 1, 0, SetValue::Buffer { buffer: instances.buffer(), offset: 0, range })?;
        let stages = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
        let bytes = size_of::<PassConstants>() as u32;
        Ok(Self {
            plain: PipelineLayout::new(device, "props", &[&set_layout], bytes, stages)?,
            device: device.clone(),
            places,
            forms: shapes.forms,
            indices,
            _vertices: vertices,
            instances,
            sets,
            set_layout,
            lit: None,
            pipelines: Vec::new(),
            offset: 0,
            drawn: Vec::new(),
            eye: DVec3::ZERO,
            scratch: Vec::new(),
        })
    }

    /// What is large enough to be seen goes to the device, form after form.
    fn collect(&mut self, view: &View, glow: f32) -> Result<()> {
        self.eye = view.position;
        self.scratch.clear();
        self.drawn.clear();
        self.drawn.resize(self.forms.len(), [0; 2]);
        for thing in &self.places.things {
            let relative = thing.place - view.position;
            if thing.scale < SMALLEST * relative.length() {
                continue;
            }
            let [first, count] = &mut self.drawn[thing.form];
            if *count == 0 {
                *first = self.scratch.len() as u32;
            }
            *count += 1;
            let glow = if thing.form == POST { glow } else { 0.0 };
            self.scratch.push(Instance {
                place: relative.as_vec3().extend(thing.scale as f32).to_array(),
                turn: thing.turn.as_quat().to_array(),
                tint: thing.albedo.extend(glow).to_array(),
            });
        }
        self.instances.begin_frame();
        if !self.scratch.is_empty() {
            self.offset = self.instances.push(bytemuck::cast_slice(&self.scratch))?.offset;
        }
        Ok(())
    }

    fn draw(&mut self, cmd: &Cmd<'_>, pass: Pass, scope: &PassScope<'_>) -> landform::Result<()> {
        if self.scratch.is_empty() {
            return Ok(());
        }
        let light = scope.light.as_ref().filter(|_| matches!(pass, Pass::Lit | Pass::Split));
        let at = self.pipeline(pass, &scope.target, light.map(|(light, _)| *light))?;
        let pipeline = &self.pipelines[at].2;
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        cmd.bind_pipeline(pipeline);
        scope.set_viewport(cmd);
        cmd.bind_sets(graphics, pipeline.layout(), 0, &[self.sets.get(0)], &[self.offset]);
        if let Some((light, slice)) = light {
            let light = light.set(slice)?;
            cmd.bind_sets(graphics, pipeline.layout(), 1, &[light.set], light.offsets);
        }
        cmd.push_constants(pipeline.layout(), bytemuck::bytes_of(&self.constants(scope)));
        cmd.bind_index_buffer(&self.indices, 0, vk::IndexType::UINT32);
        for ([first, count], [from, drawn]) in self.forms.iter().zip(&self.drawn) {
            if *drawn > 0 {
                cmd.draw_indexed(*count, *drawn, *first, *from);
            }
        }
        Ok(())
    }

    /// Instances are metres from the eye; a cascade looks from elsewhere, and so did the last frame.
    fn constants(&self, scope: &PassScope<'_>) -> PassConstants {
        let seen_from = |view: &View| {
            view.unjittered_view_projection() * Mat4::from_translation((self.eye - view.position).as_vec3())
        };
        let last = seen_from(scope.last.unwrap_or(scope.view));
        PassConstants {
            clip_from_relative: seen_from(scope.view).to_cols_array_2d(),
            last_rows: [0, 1, 3].map(|row| last.row(row).to_array()),
            jitter: jitter(scope.view),
            motion_scale: scope.view.motion_scale(),
        }
    }

    /// The number of a pipeline, made where it is not there yet.
    fn pipeline(
        &mut self,
        pass: Pass,
        target: &Target,
        light: Option<&FrameLight>,
    ) -> landform::Result<usize> {
        let is_it =
            |(of, formats, _): &(Pass, TargetFormats, Pipeline)| *of == pass && *formats == target.formats;
        if let Some(at) = self.pipelines.iter().position(is_it) {
            return Ok(at);
        }
        let layout = match light {
            None => &self.plain,
            Some(_) if self.lit.is_some() => self.lit.as_ref().unwrap_or(&self.plain),
            Some(light) => {
                let stages = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
                let (sets, bytes) =
                    ([&self.set_layout, light.set_layout()], size_of::<PassConstants>() as u32);
                self.lit.insert(PipelineLayout::new(&self.device, "lit props", &sets, bytes, stages)?)
            }
        };
        let vertex = words(include_bytes!(concat!(env!("OUT_DIR"), "/prop.vert.spv")));
        let fragment = match pass {
            Pass::Depth => None,
            Pass::Lit => Some(words(include_bytes!(concat!(env!("OUT_DIR"), "/prop.frag.spv")))),
            Pass::Split => Some(words(include_bytes!(concat!(env!("OUT_DIR"), "/prop_split.frag.spv")))),
            Pass::Motion => Some(words(include_bytes!(concat!(env!("OUT_DIR"), "/prop_motion.frag.spv")))),
        };
        let shader = |words| ShaderDesc { words, entry: c"main", constants: &[] };
        let desc = GraphicsPipelineDesc {
            fragment: fragment.as_deref().map(shader),
            // Motion is of what is seen, whose depth is there already.
            depth_test: Some(vk::CompareOp::GREATER_OR_EQUAL),
            depth_write: pass != Pass::Motion,
            // A shadow is thrown by both sides of a thing.
            cull: if pass == Pass::Depth { vk::CullModeFlags::NONE } else { vk::CullModeFlags::BACK },
            ..GraphicsPipelineDesc::new("props", layout, shader(&vertex), &target.formats)
        };
        self.pipelines.push((pass, target.formats, Pipeline::graphics(&self.device, &desc)?));
        Ok(self.pipelines.len() - 1)
    }
}

impl FrameHost for Props {
    fn draw_stage(&mut self, cmd: &Cmd<'_>, stage: Stage, scope: &PassScope<'_>) -> landform::Result<()> {
        match stage {
            Stage::Motion => self.draw(cmd, Pass::Motion, scope),
            // A frame without light shows ground as a preview, and nothing else.
            Stage::Main if scope.light.is_none() => Ok(()),
            Stage::Main if scope.target.formats.color_count() > 1 => self.draw(cmd, Pass::Split, scope),
            Stage::Main => self.draw(cmd, Pass::Lit, scope),
            // Another landform may ask for more.
            _ => Ok(()),
        }
    }

    fn draw_casters(&mut self, cmd: &Cmd<'_>, scope: &PassScope<'_>) -> landform::Result<()> {
        self.draw(cmd, Pass::Depth, scope)
    }
}

impl Things for Props {
    fn begin(&mut self, shot: &LitShot<'_>, lamps: &mut Vec<Lamp>) -> Result<()> {
        let [lit, full] = DUSK;
        let glow = ((lit - shot.sun.height) / (lit - full)).clamp(0.0, 1.0) as f32;
        if glow > 0.0 {
            let dimmed = |lamp: &Lamp| Lamp { intensity: glow * lamp.intensity, ..*lamp };
            lamps.extend(self.places.lamps.iter().map(dimmed));
        }
        self.collect(shot.view, glow * GLASS)
    }
}

fn buffer(device: &Arc<Device>, usage: vk::BufferUsageFlags, bytes: &[u8]) -> Result<Buffer> {
    let (size, location) = (bytes.len() as u64, MemoryLocation::Upload);
    let mut buffer = Buffer::new(device, &BufferDesc { name: "props", size, usage, location })?;
    buffer.write(0, bytes)?;
    Ok(buffer)
}

/// A module's words, wherever its bytes lie.
fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// How far a view's picture is moved in clip space, a unit of w: what its two projections differ by.
fn jitter(view: &View) -> [f32; 2] {
    let w = view.unjittered.row(3);
    let (axis, by) = if w.z.abs() > w.w.abs() { (2, w.z) } else { (3, w.w) };
    [0, 1].map(|row| (view.projection.row(row)[axis] - view.unjittered.row(row)[axis]) / by)
}
