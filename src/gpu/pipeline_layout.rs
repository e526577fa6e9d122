//! What a pipeline's shaders are given: sets and push constants.
//!
//! A [`PipelineLayout`] owns its handle and keeps the set layouts alive. It is refused where a stage would bind more than the
//! device allows.

use std::sync::Arc;

use ash::vk;

use super::device::{Device, Ticket, checked};
use super::retire::Retired;
use super::sets::{BindingKind, SetLayout};
use crate::{Error, Result};

/// A pipeline layout, retired when dropped.
pub struct PipelineLayout {
    raw: vk::PipelineLayout,
    name: Box<str>,
    sets: Vec<Arc<SetLayout>>,
    push_range: Option<vk::PushConstantRange>,
    ticket: Ticket,
}

impl PipelineLayout {
    /// Makes a layout of sets 0, 1, … and `push_size` bytes of push constants for `push_stages`.
    ///
    /// # Errors
    /// [`Error::Unsupported`] naming the limit where a stage would bind more than the device can; [`Error::Vulkan`].
    pub fn new(
        device: &Arc<Device>,
        name: &str,
        sets: &[&Arc<SetLayout>],
        push_size: u32,
        push_stages: vk::ShaderStageFlags,
    ) -> Result<Arc<Self>> {
        let sets: Vec<Arc<SetLayout>> = sets.iter().map(|set| (*set).clone()).collect();
        check_stage_limits(device.limits(), name, &sets, push_size)?;
        let raw_sets: Vec<_> = sets.iter().map(|set| set.raw()).collect();
        let push_range = (push_size > 0).then_some(vk::PushConstantRange {
            stage_flags: push_stages,
            offset: 0,
            size: push_size,
        });
        let info = vk::PipelineLayoutCreateInfo::default()
            .set_layouts(&raw_sets)
            .push_constant_ranges(push_range.as_slice());
        // SAFETY: the device is valid and the set layouts are alive.
        let raw = unsafe { device.raw.create_pipeline_layout(&info, None) };
        let raw = checked(raw, name, "vkCreatePipelineLayout")?;
        device.set_name(raw, name);
        let ticket = device.track("pipeline layout", name, 0);
        Ok(Arc::new(PipelineLayout { raw, name: name.into(), sets, push_range, ticket }))
    }

    /// The handle.
    pub fn raw(&self) -> vk::PipelineLayout {
        self.raw
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its push constants, if any.
    pub fn push_range(&self) -> Option<vk::PushConstantRange> {
        self.push_range
    }

    /// True where sets of `layout` are accepted as set `index`: layouts of equal bindings are one to Vulkan.
    pub fn accepts(&self, index: usize, layout: &SetLayout) -> bool {
        self.sets.get(index).is_some_and(|set| set.bindings() == layout.bindings())
    }
}

impl Drop for PipelineLayout {
    fn drop(&mut self) {
        self.ticket.device().retire(Retired::PipelineLayout(self.raw));
    }
}

fn check_stage_limits(
    limits: &vk::PhysicalDeviceLimits,
    name: &str,
    sets: &[Arc<SetLayout>],
    push_size: u32,
) -> Result<()> {
    let count = |kind: BindingKind, stage: vk::ShaderStageFlags| -> u32 {
        let bindings = sets.iter().flat_map(|set| set.bindings());
        let of_kind = bindings.filter(|b| b.kind.as_shader_sees() == kind && b.stages.contains(stage));
        of_kind.map(|b| b.count).sum()
    };
    let per_stage = [
        (
            "maxPerStageDescriptorSampledImages",
            BindingKind::SampledImage,
            limits.max_per_stage_descriptor_sampled_images,
        ),
        ("maxPerStageDescriptorSamplers", BindingKind::Sampler, limits.max_per_stage_descriptor_samplers),
        (
            "maxPerStageDescriptorStorageBuffers",
            BindingKind::Storage,
            limits.max_per_stage_descriptor_storage_buffers,
        ),
        (
            "maxPerStageDescriptorStorageImages",
            BindingKind::StorageImage,
            limits.max_per_stage_descriptor_storage_images,
        ),
        (
            "maxPerStageDescriptorUniformBuffers",
            BindingKind::Uniform,
            limits.max_per_stage_descriptor_uniform_buffers,
        ),
    ];
    for (limit, kind, most) in per_stage {
        for stage in
            [vk::ShaderStageFlags::VERTEX, vk::ShaderStageFlags::FRAGMENT, vk::ShaderStageFlags::COMPUTE]
        {
            let used = count(kind, stage);
            if used > most {
                return Err(Error::Unsupported {
                    what: limit.into(),
                    why: format!("{name} binds {used} in {stage:?}, and this device allows {most}"),
                });
            }
        }
    }
    if push_size > limits.max_push_constants_size {
        return Err(Error::Unsupported {
            what: "maxPushConstantsSize".into(),
            why: format!(
                "{name} pushes {push_size} bytes, and this device allows {}",
                limits.max_push_constants_size
            ),
        });
    }
    Ok(())
}
