//! A host with meshes of its own: boxes that cast, are lit in the frame's light and write their motion. Its `read` node copies
//! targets out.

use crate::{TargetReader, compile_host};
use ash::vk;
use glam::{DVec3, Vec3};
use landform::draw::{FrameHost, FrameLight, HostScope, PassScope, SPLIT_TARGETS};
use landform::frame::Stage;
use landform::gpu::{
    Binding, BindingKind, Buffer, BufferDesc, Cmd, Device, GraphicsPipelineDesc, MemoryLocation, Pipeline,
    PipelineLayout, SetLayout, SetValue, Sets, ShaderDesc, TargetFormats,
};
use landform::plan::View;
use landform::shaders::SET_LIGHT;
use std::collections::HashMap;
use std::sync::Arc;

const COMMON: &str = include_str!("boxes.hlsl");
const VERTEX: &str = include_str!("boxes.vert.hlsl");
const LIT: &str = include_str!("boxes_lit.frag.hlsl");
const MOTION: &str = include_str!("boxes_motion.frag.hlsl");

/// A box along the world's axes.
#[derive(Clone, Copy, Debug)]
pub struct SolidBox {
    /// World metres.
    pub centre: DVec3,
    /// Half of its edges, metres.
    pub half: Vec3,
    /// Where its centre was in the last frame.
    pub last: DVec3,
    /// Linear RGB.
    pub albedo: Vec3,
    /// Perceptual.
    pub roughness: f32,
}

impl SolidBox {
    /// A white matt box that stands still.
    pub fn still(centre: DVec3, half: Vec3) -> Self {
        Self { centre, half, last: centre, albedo: Vec3::ONE, roughness: 1.0 }
    }

    /// Metres along a ray to where it enters; None where it misses, or ends before.
    pub fn hit(&self, from: DVec3, toward: DVec3) -> Option<f64> {
        let half = self.half.as_dvec3();
        let (a, b) = ((self.centre - half - from) / toward, (self.centre + half - from) / toward);
        let (enters, leaves) = (a.min(b).max_element(), a.max(b).min_element());
        (enters <= leaves && leaves > 0.0).then_some(enters.max(0.0))
    }
}

/// The host.
pub struct Boxes {
    /// What is drawn.
    pub boxes: Vec<SolidBox>,
    /// What the `read` node copies.
    pub reader: TargetReader,
    device: Arc<Device>,
    set_layout: Arc<SetLayout>,
    pipelines: HashMap<(What, TargetFormats), Pipeline>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum What {
    Caster,
    Lit,
    Motion,
}

impl Boxes {
    /// Boxes of a device, and what reads its targets.
    pub fn new(device: &Arc<Device>, reader: TargetReader, boxes: Vec<SolidBox>) -> Self {
        let stages = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
        let bindings =
            [Binding::one(0, BindingKind::Uniform, stages), Binding::one(1, BindingKind::Storage, stages)];
        let set_layout = SetLayout::new(device, "boxes", &bindings).expect("a layout");
        Self { boxes, reader, device: device.clone(), set_layout, pipelines: HashMap::new() }
    }

    fn draw(&mut self, cmd: &Cmd<'_>, what: What, scope: &PassScope<'_>) -> landform::Result<()> {
        if self.boxes.is_empty() {
            return Ok(());
        }
        let key = (what, scope.target.formats);
        if !self.pipelines.contains_key(&key) {
            let light = scope.light.as_ref().map(|(light, _)| *light);
            let made = self.make(what, scope, light)?;
            self.pipelines.insert(key, made);
        }
        let pipeline = &self.pipelines[&key];
        let sets = self.sets(scope.view, scope.last.unwrap_or(scope.view))?;
        cmd.bind_pipeline(pipeline);
        scope.set_viewport(cmd);
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        cmd.bind_sets(graphics, pipeline.layout(), 0, &[sets.get(0)], &[]);
        if let (What::Lit, Some((light, slice))) = (what, &scope.light) {
            let light = light.set(slice)?;
            cmd.bind_sets(graphics, pipeline.layout(), SET_LIGHT, &[light.set], light.offsets);
        }
        cmd.draw(36, self.boxes.len() as u32);
        Ok(())
    }

    /// What a draw reads. It goes to the retire queue with this frame's work.
    fn sets(&self, view: &View, last: &View) -> landform::Result<Sets> {
        let [across, down] = view.motion_scale();
        let matrices =
            [view.view_projection(), view.unjittered_view_projection(), last.unjittered_view_projection()];
        let mut floats: Vec<f32> = matrices.iter().flat_map(|matrix| matrix.to_cols_array()).collect();
        floats.extend([across, down, 0.0, 0.0]);
        let constants = self.upload(&floats, vk::BufferUsageFlags::UNIFORM_BUFFER)?;
        let record = |solid: &SolidBox| {
            let (now, before) =
                ((solid.centre - view.position).as_vec3(), (solid.last - last.position).as_vec3());
            let rows = [
                now.extend(solid.roughness),
                solid.half.extend(0.0),
                before.extend(0.0),
                solid.albedo.extend(1.0),
            ];
            rows.map(|row| row.to_array())
        };
        let records: Vec<f32> = self.boxes.iter().flat_map(record).flatten().collect();
        let records = self.upload(&records, vk::BufferUsageFlags::STORAGE_BUFFER)?;
        let mut sets = Sets::new(&self.set_layout, "boxes", 1)?;
        for (binding, buffer) in [(0, &constants), (1, &records)] {
            sets.write(0, binding, 0, SetValue::Buffer { buffer, offset: 0, range: buffer.size() })?;
        }
        Ok(sets)
    }

    fn upload(&self, floats: &[f32], usage: vk::BufferUsageFlags) -> landform::Result<Buffer> {
        let bytes: &[u8] = bytemuck::cast_slice(floats);
        let (size, location) = (bytes.len() as u64, MemoryLocation::Upload);
        let mut buffer = Buffer::new(&self.device, &BufferDesc { name: "boxes", size, usage, location })?;
        buffer.write(0, bytes)?;
        Ok(buffer)
    }

    fn make(
        &self,
        what: What,
        scope: &PassScope<'_>,
        light: Option<&FrameLight>,
    ) -> landform::Result<Pipeline> {
        let split = u32::from(scope.target.formats.color_count() == SPLIT_TARGETS);
        let of_kind = |kind, parts: &[&str]| {
            let is = |other: What| u32::from(what == other);
            let of_pass =
                [("CASTER", is(What::Caster)), ("LIT", is(What::Lit)), ("MOTION", is(What::Motion))];
            compile_host(&parts.concat(), kind, &[("SPLIT", split), of_pass[0], of_pass[1], of_pass[2]])
        };
        let vertex = of_kind(shaderc::ShaderKind::Vertex, &[COMMON, VERTEX]);
        let fragment = match what {
            What::Caster => None,
            What::Lit => Some(("#include \"lit_planes.hlsl\"\n", LIT)),
            What::Motion => Some(("#include \"motion_plane.hlsl\"\n", MOTION)),
        };
        let fragment =
            fragment.map(|(include, text)| of_kind(shaderc::ShaderKind::Fragment, &[include, COMMON, text]));
        let mut layouts = vec![&self.set_layout];
        // Sets between the host's and the light's are whatever the host likes.
        layouts.resize(SET_LIGHT as usize, &self.set_layout);
        layouts.extend(light.map(FrameLight::set_layout));
        let stages = vk::ShaderStageFlags::empty();
        let layout = PipelineLayout::new(&self.device, "boxes", &layouts, 0, stages)?;
        let shader = |words| ShaderDesc { words, entry: c"main", constants: &[] };
        let formats = scope.target.formats;
        let plain = GraphicsPipelineDesc::new("boxes", &layout, shader(&vertex), &formats);
        let desc = GraphicsPipelineDesc {
            fragment: fragment.as_deref().map(shader),
            depth_test: Some(vk::CompareOp::GREATER_OR_EQUAL),
            depth_write: what != What::Motion,
            cull: if what == What::Caster { vk::CullModeFlags::NONE } else { vk::CullModeFlags::BACK },
            front_face: scope.front_face(),
            ..plain
        };
        Pipeline::graphics(&self.device, &desc)
    }
}

impl FrameHost for Boxes {
    fn draw_stage(&mut self, cmd: &Cmd<'_>, stage: Stage, scope: &PassScope<'_>) -> landform::Result<()> {
        let what = if stage == Stage::Motion { What::Motion } else { What::Lit };
        self.draw(cmd, what, scope)
    }

    fn draw_casters(&mut self, cmd: &Cmd<'_>, scope: &PassScope<'_>) -> landform::Result<()> {
        self.draw(cmd, What::Caster, scope)
    }

    fn record(&mut self, cmd: &Cmd<'_>, name: &str, scope: &HostScope<'_>) -> landform::Result<()> {
        self.reader.record(cmd, name, scope)
    }
}
