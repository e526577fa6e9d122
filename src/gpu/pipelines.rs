//! Graphics and compute pipelines from description structs.
//!
//! A pipeline owns its handle and keeps its layout alive; shader modules live only while it is made. A cache of pipelines
//! belongs to the caller. Graphics pipelines have no vertex input; viewport and scissor are always dynamic, the front face
//! where the host's version allows.

use std::ffi::CStr;
use std::sync::Arc;

use ash::vk;

use super::device::{Device, Ticket, checked};
use super::pipeline_layout::PipelineLayout;
use super::retire::Retired;
use crate::{Error, Result};

/// One stage's shader.
#[derive(Clone, Copy, Debug)]
pub struct ShaderDesc<'a> {
    /// SPIR-V: valid, and reading no more than the pipeline's layout has, by the promise made to [`Device::new`].
    pub words: &'a [u32],
    /// The entry point.
    pub entry: &'a CStr,
    /// Specialization constants: id and value of 4 bytes (a boolean is 0 or 1).
    pub constants: &'a [(u32, u32)],
}

/// What a pipeline draws into. Can be part of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetFormats {
    /// Attachments that are named when rendering begins.
    Dynamic {
        /// The colour formats; the first `color_count` count, the others are `UNDEFINED`.
        color: [vk::Format; MOST_COLOR],
        /// How many colour attachments there are.
        color_count: u32,
        /// The depth format, or `UNDEFINED` for none.
        depth: vk::Format,
        /// The stencil format, or `UNDEFINED` where the host begins rendering without a stencil attachment.
        stencil: vk::Format,
    },
    /// A subpass of a render pass of the host.
    RenderPass {
        /// The render pass, or one that is compatible with it; alive while a pipeline is made for it.
        render_pass: vk::RenderPass,
        /// The subpass.
        subpass: u32,
        /// How many colour attachments the subpass has.
        color_count: u32,
    },
}

/// Colour attachments a target may have.
pub const MOST_COLOR: usize = 8;

impl TargetFormats {
    /// A dynamic target of one colour format or none, with depth and without stencil.
    pub(crate) fn of(format: Option<vk::Format>, depth: vk::Format) -> Self {
        let mut color = [vk::Format::UNDEFINED; MOST_COLOR];
        color[0] = format.unwrap_or_default();
        let color_count = u32::from(format.is_some());
        TargetFormats::Dynamic { color, color_count, depth, stencil: vk::Format::UNDEFINED }
    }

    /// A dynamic target without stencil.
    ///
    /// # Errors
    /// [`Error::Invalid`] for more than 8 colour formats.
    pub fn dynamic(formats: &[vk::Format], depth: Option<vk::Format>) -> Result<Self> {
        let mut color = [vk::Format::UNDEFINED; MOST_COLOR];
        let Some(place) = color.get_mut(..formats.len()) else {
            return Err(Error::invalid(
                "target",
                format!("{} colour formats are more than 8", formats.len()),
            ));
        };
        place.copy_from_slice(formats);
        Ok(TargetFormats::Dynamic {
            color,
            color_count: formats.len() as u32,
            depth: depth.unwrap_or_default(),
            stencil: vk::Format::UNDEFINED,
        })
    }

    /// How many colour attachments there are.
    pub fn color_count(&self) -> u32 {
        match self {
            TargetFormats::Dynamic { color_count, .. } | TargetFormats::RenderPass { color_count, .. } => {
                *color_count
            }
        }
    }
}

/// A graphics pipeline. [`GraphicsPipelineDesc::new`] fills in what is common.
#[derive(Clone, Copy)]
pub struct GraphicsPipelineDesc<'a> {
    /// Its name in capture tools and reports.
    pub name: &'a str,
    /// Its layout.
    pub layout: &'a Arc<PipelineLayout>,
    /// The vertex stage; it has no inputs.
    pub vertex: ShaderDesc<'a>,
    /// The fragment stage; None draws depth only.
    pub fragment: Option<ShaderDesc<'a>>,
    /// What it draws into.
    pub target: &'a TargetFormats,
    /// Samples a pixel of the target.
    pub samples: vk::SampleCountFlags,
    /// The depth comparison, or None for no depth test.
    pub depth_test: Option<vk::CompareOp>,
    /// True where depth is written.
    pub depth_write: bool,
    /// Constant and slope factor of the depth bias, or None for none.
    pub depth_bias: Option<[f32; 2]>,
    /// The depth is clamped rather than clipped; only where the host enabled it.
    pub depth_clamp: bool,
    /// Which faces are left out.
    pub cull: vk::CullModeFlags,
    /// The front face, where it is not dynamic.
    pub front_face: vk::FrontFace,
    /// Filled, or lines where the host enabled `fill_mode_non_solid`.
    pub polygon_mode: vk::PolygonMode,
    /// False leaves the colour attachments as they are.
    pub color_write: bool,
    /// What becomes of the colour that is there.
    pub blend: Blend,
}

/// What becomes of the colour that is there, in every attachment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Blend {
    /// It is replaced.
    #[default]
    Replace,
    /// What is drawn is added to it.
    Add,
    /// What is drawn is added to as much of it as alpha says.
    AddToPart,
}

impl<'a> GraphicsPipelineDesc<'a> {
    /// An opaque pipeline for one sample: reverse-Z depth (`GREATER`) tested and written, back faces culled, filled.
    pub fn new(
        name: &'a str,
        layout: &'a Arc<PipelineLayout>,
        vertex: ShaderDesc<'a>,
        target: &'a TargetFormats,
    ) -> Self {
        GraphicsPipelineDesc {
            name,
            layout,
            vertex,
            fragment: None,
            target,
            samples: vk::SampleCountFlags::TYPE_1,
            depth_test: Some(vk::CompareOp::GREATER),
            depth_write: true,
            depth_bias: None,
            depth_clamp: false,
            cull: vk::CullModeFlags::BACK,
            front_face: vk::FrontFace::COUNTER_CLOCKWISE,
            polygon_mode: vk::PolygonMode::FILL,
            color_write: true,
            blend: Blend::Replace,
        }
    }
}

/// A graphics or compute pipeline, retired when dropped.
pub struct Pipeline {
    raw: vk::Pipeline,
    layout: Arc<PipelineLayout>,
    bind_point: vk::PipelineBindPoint,
    ticket: Ticket,
}

impl Pipeline {
    /// Makes a graphics pipeline.
    ///
    /// # Errors
    /// [`Error::Unsupported`] for a feature that the host did not enable, [`Error::Vulkan`] naming the pipeline.
    pub fn graphics(device: &Arc<Device>, desc: &GraphicsPipelineDesc<'_>) -> Result<Self> {
        check_features(device, desc)?;
        let vertex = Module::new(device, desc.name, &desc.vertex)?;
        let fragment = desc.fragment.map(|shader| Module::new(device, desc.name, &shader)).transpose()?;
        let infos = [Some(vertex.specialization()), fragment.as_ref().map(Module::specialization)];
        let mut stages = Vec::new();
        if let Some(info) = &infos[0] {
            stages.push(vertex.stage(vk::ShaderStageFlags::VERTEX, desc.vertex.entry, info));
        }
        if let (Some(module), Some(shader), Some(info)) = (&fragment, &desc.fragment, &infos[1]) {
            stages.push(module.stage(vk::ShaderStageFlags::FRAGMENT, shader.entry, info));
        }
        let raw = create_graphics(device, desc, &stages)?;
        Ok(Pipeline::own(device, desc.name, raw, desc.layout, vk::PipelineBindPoint::GRAPHICS))
    }

    /// Makes a compute pipeline.
    ///
    /// # Errors
    /// [`Error::Vulkan`] naming the pipeline.
    pub fn compute(
        device: &Arc<Device>,
        name: &str,
        layout: &Arc<PipelineLayout>,
        shader: &ShaderDesc<'_>,
    ) -> Result<Self> {
        let module = Module::new(device, name, shader)?;
        let specialization = module.specialization();
        let stage = module.stage(vk::ShaderStageFlags::COMPUTE, shader.entry, &specialization);
        let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout.raw());
        // SAFETY: module and layout are alive, and the host's cache is valid or null.
        let made = unsafe { device.raw.create_compute_pipelines(device.pipeline_cache, &[info], None) };
        let raw = first(made, name, "vkCreateComputePipelines")?;
        Ok(Pipeline::own(device, name, raw, layout, vk::PipelineBindPoint::COMPUTE))
    }

    fn own(
        device: &Arc<Device>,
        name: &str,
        raw: vk::Pipeline,
        layout: &Arc<PipelineLayout>,
        bind_point: vk::PipelineBindPoint,
    ) -> Self {
        device.set_name(raw, name);
        Pipeline { raw, layout: layout.clone(), bind_point, ticket: device.track("pipeline", name, 0) }
    }

    /// The handle.
    pub fn raw(&self) -> vk::Pipeline {
        self.raw
    }

    /// Its layout.
    pub fn layout(&self) -> &Arc<PipelineLayout> {
        &self.layout
    }

    /// Graphics or compute.
    pub fn bind_point(&self) -> vk::PipelineBindPoint {
        self.bind_point
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        self.ticket.device().retire(Retired::Pipeline(self.raw));
    }
}

fn check_features(device: &Device, desc: &GraphicsPipelineDesc<'_>) -> Result<()> {
    let features = device.features();
    let dynamic = matches!(desc.target, TargetFormats::Dynamic { .. });
    let needs = [
        ("dynamic_rendering", dynamic, features.dynamic_rendering, "describe the target by a render pass"),
        ("depth_clamp", desc.depth_clamp, features.depth_clamp, "clamp in the vertex stage"),
        (
            "fill_mode_non_solid",
            desc.polygon_mode != vk::PolygonMode::FILL,
            features.fill_mode_non_solid,
            "draw filled",
        ),
    ];
    for (feature, needed, enabled, instead) in needs {
        if needed && !enabled {
            return Err(Error::Unsupported {
                what: feature.into(),
                why: format!("{} needs it and the host did not enable it; enable it or {instead}", desc.name),
            });
        }
    }
    Ok(())
}

fn create_graphics(
    device: &Device,
    desc: &GraphicsPipelineDesc<'_>,
    stages: &[vk::PipelineShaderStageCreateInfo<'_>],
) -> Result<vk::Pipeline> {
    let vertex_input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(vk::PrimitiveTopology::TRIANGLE_LIST);
    let viewport = vk::PipelineViewportStateCreateInfo::default().viewport_count(1).scissor_count(1);
    let [bias_constant, bias_slope] = desc.depth_bias.unwrap_or_default();
    let raster = vk::PipelineRasterizationStateCreateInfo::default()
        .depth_clamp_enable(desc.depth_clamp)
        .polygon_mode(desc.polygon_mode)
        .cull_mode(desc.cull)
        .front_face(desc.front_face)
        .depth_bias_enable(desc.depth_bias.is_some())
        .depth_bias_constant_factor(bias_constant)
        .depth_bias_slope_factor(bias_slope)
        .line_width(1.0);
    let multisample = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(desc.samples);
    let depth = vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(desc.depth_test.is_some())
        .depth_write_enable(desc.depth_write && desc.depth_test.is_some())
        .depth_compare_op(desc.depth_test.unwrap_or(vk::CompareOp::ALWAYS));
    let write = desc.color_write && desc.fragment.is_some();
    let mask = if write { vk::ColorComponentFlags::RGBA } else { vk::ColorComponentFlags::empty() };
    let color_count = (desc.target.color_count() as usize).min(MOST_COLOR);
    let attachments = [blend_state(desc.blend).color_write_mask(mask); MOST_COLOR];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&attachments[..color_count]);
    let states = [vk::DynamicState::VIEWPORT, vk::DynamicState::SCISSOR, vk::DynamicState::FRONT_FACE];
    let state_count = if device.has_dynamic_front_face() { 3 } else { 2 };
    let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(&states[..state_count]);
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(stages)
        .vertex_input_state(&vertex_input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&multisample)
        .depth_stencil_state(&depth)
        .color_blend_state(&blend)
        .dynamic_state(&dynamic)
        .layout(desc.layout.raw());
    let mut rendering;
    let info = match desc.target {
        TargetFormats::Dynamic { color, depth, stencil, .. } => {
            rendering = vk::PipelineRenderingCreateInfo::default()
                .color_attachment_formats(&color[..color_count])
                .depth_attachment_format(*depth)
                .stencil_attachment_format(*stencil);
            info.push_next(&mut rendering)
        }
        TargetFormats::RenderPass { render_pass, subpass, .. } => {
            info.render_pass(*render_pass).subpass(*subpass)
        }
    };
    // SAFETY: modules and layout are alive, the host's cache and, by the promise made to `Device::new`, its render pass are
    // valid, and only enabled features are used.
    let made = unsafe { device.raw.create_graphics_pipelines(device.pipeline_cache, &[info], None) };
    first(made, desc.name, "vkCreateGraphicsPipelines")
}

fn blend_state(blend: Blend) -> vk::PipelineColorBlendAttachmentState {
    let kept = match blend {
        Blend::Replace => return vk::PipelineColorBlendAttachmentState::default(),
        Blend::Add => vk::BlendFactor::ONE,
        Blend::AddToPart => vk::BlendFactor::SRC_ALPHA,
    };
    vk::PipelineColorBlendAttachmentState::default()
        .blend_enable(true)
        .src_color_blend_factor(vk::BlendFactor::ONE)
        .dst_color_blend_factor(kept)
        .src_alpha_blend_factor(vk::BlendFactor::ZERO)
        .dst_alpha_blend_factor(vk::BlendFactor::ONE)
}

fn first(
    made: Result<Vec<vk::Pipeline>, (Vec<vk::Pipeline>, vk::Result)>,
    name: &str,
    call: &'static str,
) -> Result<vk::Pipeline> {
    let made = made.map_err(|(_, result)| Error::vulkan(name, call, result))?;
    made.first().copied().ok_or_else(|| Error::vulkan(name, call, vk::Result::ERROR_UNKNOWN))
}

/// A shader module, for as long as a pipeline is made from it.
struct Module<'a> {
    device: &'a Device,
    raw: vk::ShaderModule,
    entries: Vec<vk::SpecializationMapEntry>,
    data: Vec<u8>,
}

impl<'a> Module<'a> {
    fn new(device: &'a Device, name: &str, shader: &ShaderDesc<'_>) -> Result<Self> {
        let info = vk::ShaderModuleCreateInfo::default().code(shader.words);
        // SAFETY: the words are SPIR-V, by the promise made to `Device::new`; the crate's own were checked by its build.
        let raw = unsafe { device.raw.create_shader_module(&info, None) };
        let raw = checked(raw, name, "vkCreateShaderModule")?;
        let entry = |(index, (id, _)): (usize, &(u32, u32))| vk::SpecializationMapEntry {
            constant_id: *id,
            offset: 4 * index as u32,
            size: 4,
        };
        Ok(Module {
            device,
            raw,
            entries: shader.constants.iter().enumerate().map(entry).collect(),
            data: shader.constants.iter().flat_map(|(_, value)| value.to_ne_bytes()).collect(),
        })
    }

    fn specialization(&self) -> vk::SpecializationInfo<'_> {
        vk::SpecializationInfo::default().map_entries(&self.entries).data(&self.data)
    }

    fn stage<'s>(
        &self,
        stage: vk::ShaderStageFlags,
        entry: &'s CStr,
        specialization: &'s vk::SpecializationInfo<'s>,
    ) -> vk::PipelineShaderStageCreateInfo<'s> {
        vk::PipelineShaderStageCreateInfo::default()
            .stage(stage)
            .module(self.raw)
            .name(entry)
            .specialization_info(specialization)
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: a module is only needed while a pipeline is made.
        unsafe { self.device.raw.destroy_shader_module(self.raw, None) };
    }
}
