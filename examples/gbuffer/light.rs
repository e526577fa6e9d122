//! The engine's own light pass: the planes to a picture.

use crate::planes::{PICTURE, Planes};
use crate::{Result, words};
use ash::vk;
use landform::gpu::{
    Binding, BindingKind, Buffer, BufferDesc, Cmd, Device, GraphicsPipelineDesc, MemoryLocation, Pipeline,
    PipelineLayout, SetLayout, SetValue, Sets, ShaderDesc, TargetFormats,
};
use landform::plan::View;
use std::sync::Arc;

/// Metres of the thickest air, and in which it thins upward; what of it is in a metre.
const AIR: [f32; 3] = [60.0, 420.0, 1.0 / 9000.0];

pub(crate) struct Light {
    pipeline: Pipeline,
    sets: Sets,
    constants: Buffer,
}

impl Light {
    /// The pass over these planes.
    pub(crate) fn new(device: &Arc<Device>, planes: &Planes) -> Result<Self> {
        let fragment = vk::ShaderStageFlags::FRAGMENT;
        let binding = |(binding, kind)| Binding { binding, kind, stages: fragment, count: 1 };
        let images = (1..=5).map(|number| (number, BindingKind::SampledImage));
        let bindings: Vec<_> = [(0, BindingKind::Uniform)].into_iter().chain(images).map(binding).collect();
        let set_layout = SetLayout::new(device, "light", &bindings)?;
        let layout = PipelineLayout::new(device, "light", &[&set_layout], 0, fragment)?;
        let constants = uniforms(device, "light", 80)?;
        let mut sets = Sets::new(&set_layout, "light", 1)?;
        let value = SetValue::Buffer { buffer: &constants, offset: 0, range: 80 };
        sets.write(0, 0, 0, value)?;
        for (number, image) in (1..).zip(planes.planes.iter().chain([&planes.depth])) {
            sets.write(0, number, 0, SetValue::Image(image.view()))?;
        }
        let vertex = words(include_bytes!(concat!(env!("OUT_DIR"), "/whole.vert.spv")));
        let fragment = words(include_bytes!(concat!(env!("OUT_DIR"), "/light.frag.spv")));
        let shader = |words| ShaderDesc { words, entry: c"main", constants: &[] };
        let formats = TargetFormats::dynamic(&[PICTURE], None)?;
        let desc = GraphicsPipelineDesc {
            fragment: Some(shader(&fragment)),
            depth_test: None,
            cull: vk::CullModeFlags::NONE,
            ..GraphicsPipelineDesc::new("light", &layout, shader(&vertex), &formats)
        };
        Ok(Self { pipeline: Pipeline::graphics(device, &desc)?, sets, constants })
    }

    /// Draws the picture, in a scope of its own.
    pub(crate) fn draw(&mut self, cmd: &Cmd<'_>, planes: &Planes, view: &View) -> Result<()> {
        let across = |axis: glam::Vec3, scale: f32| (view.rotation * axis / scale).to_array();
        let right = across(glam::Vec3::X, view.projection.x_axis.x);
        let up = across(glam::Vec3::Y, view.projection.y_axis.y);
        let forward = across(glam::Vec3::NEG_Z, 1.0);
        let sun = view.preview.sun.normalize().to_array();
        let rows = [
            with(right, 0.0),
            with(up, 0.0),
            // The near plane of an infinite reverse projection.
            with(forward, view.projection.w_axis.z),
            with(sun, AIR[2]),
            [AIR[0], AIR[1], view.position.y as f32, 0.0],
        ];
        self.constants.write(0, bytemuck::cast_slice(&rows))?;
        planes.begin_picture(cmd)?;
        let (viewport, scissor) = planes.viewport();
        cmd.bind_pipeline(&self.pipeline);
        cmd.set_viewport(viewport, scissor);
        cmd.set_front_face(vk::FrontFace::COUNTER_CLOCKWISE);
        cmd.bind_sets(vk::PipelineBindPoint::GRAPHICS, self.pipeline.layout(), 0, &[self.sets.get(0)], &[]);
        cmd.draw(3, 1);
        cmd.end_rendering();
        Ok(())
    }
}

/// A uniform buffer that the CPU writes.
pub(crate) fn uniforms(device: &Arc<Device>, name: &str, size: u64) -> Result<Buffer> {
    let (usage, location) = (vk::BufferUsageFlags::UNIFORM_BUFFER, MemoryLocation::Upload);
    Ok(Buffer::new(device, &BufferDesc { name, size, usage, location })?)
}

fn with([x, y, z]: [f32; 3], w: f32) -> [f32; 4] {
    [x, y, z, w]
}
