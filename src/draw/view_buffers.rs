//! What changes with every view: node records and the uniform block, in rings with a region for each frame in flight,
//! and the one descriptor set that names them and the atlas.
//!
//! A set is written when it is made and never again: growing a ring makes a new set, written in full, and retires the
//! old one with the frame that may still read it.

use super::atlas_images::AtlasImages;
use crate::Result;
use crate::abi::{NodeRecord, ViewConstants};
use crate::gpu::{Binding, BindingKind, Device, FrameRing, RingDesc, Set, SetLayout, SetValue, Sets};
use crate::plan::ViewPlan;
use crate::shaders::{
    BINDING_HEIGHTS, BINDING_HOLES, BINDING_NODES, BINDING_TWIN_CASES, BINDING_TWIN_RESULTS, BINDING_VIEW,
};
use ash::vk;
use std::sync::Arc;

/// Set 0 of every pass, as the reflection has it.
pub(super) const BINDINGS: [Binding; 4] = {
    let vertex = vk::ShaderStageFlags::VERTEX;
    let both = vk::ShaderStageFlags::from_raw(vertex.as_raw() | vk::ShaderStageFlags::FRAGMENT.as_raw());
    [
        Binding { binding: BINDING_VIEW, kind: BindingKind::UniformDynamic, stages: both, count: 1 },
        Binding { binding: BINDING_NODES, kind: BindingKind::StorageDynamic, stages: vertex, count: 1 },
        Binding { binding: BINDING_HEIGHTS, kind: BindingKind::SampledImage, stages: both, count: 1 },
        Binding { binding: BINDING_HOLES, kind: BindingKind::SampledImage, stages: both, count: 1 },
    ]
};

/// Set 0 of the twin shader.
pub(super) fn twin_bindings() -> [Binding; 5] {
    let stages = vk::ShaderStageFlags::COMPUTE;
    [
        (BINDING_VIEW, BindingKind::Uniform),
        (BINDING_HEIGHTS, BindingKind::SampledImage),
        (BINDING_HOLES, BindingKind::SampledImage),
        (BINDING_TWIN_CASES, BindingKind::Storage),
        (BINDING_TWIN_RESULTS, BindingKind::Storage),
    ]
    .map(|(binding, kind)| Binding { binding, kind, stages, count: 1 })
}

/// Where a view's data lies this frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct ViewSlice {
    view: u64,
    pub(super) offsets: [u32; 2],
    generations: [u64; 2],
}

pub(super) struct ViewBuffers {
    constants: FrameRing,
    nodes: FrameRing,
    sets: Sets,
    generations: [u64; 2],
    sets_made: u32,
    pushed: Vec<ViewSlice>,
}

impl ViewBuffers {
    /// Node records that the ring begins with; it doubles when a view selects more.
    const FIRST_NODES: u64 = 1024;

    pub(super) fn new(device: &Arc<Device>, layout: &Arc<SetLayout>, atlas: &AtlasImages) -> Result<Self> {
        let constants = FrameRing::new(
            device,
            RingDesc {
                name: "landform views",
                usage: vk::BufferUsageFlags::UNIFORM_BUFFER,
                region: 4 * (size_of::<ViewConstants>() as u64).next_multiple_of(256),
                bind_range: Some(size_of::<ViewConstants>() as u64),
            },
        )?;
        let nodes = FrameRing::new(
            device,
            RingDesc {
                name: "landform nodes",
                usage: vk::BufferUsageFlags::STORAGE_BUFFER,
                region: Self::FIRST_NODES * size_of::<NodeRecord>() as u64,
                bind_range: None,
            },
        )?;
        let sets = make_set(layout, atlas, &constants, &nodes)?;
        let generations = [constants.generation(), nodes.generation()];
        Ok(Self { constants, nodes, sets, generations, sets_made: 1, pushed: Vec::with_capacity(16) })
    }

    pub(super) fn begin_frame(&mut self) {
        self.constants.begin_frame();
        self.nodes.begin_frame();
        self.pushed.clear();
    }

    /// The set to bind with a slice's offsets.
    pub(super) fn set(&self) -> &Set {
        self.sets.get(0)
    }

    /// How many sets were made; 1 as long as the first was large enough.
    pub(super) fn sets_made(&self) -> u32 {
        self.sets_made
    }

    /// Puts a view's data where the device finds it. A view that was pushed this frame is not pushed again: the passes
    /// that draw it share its data.
    pub(super) fn push(&mut self, view: &ViewPlan, atlas: &AtlasImages) -> Result<ViewSlice> {
        let now = [self.constants.generation(), self.nodes.generation()];
        if let Some(slice) =
            self.pushed.iter().find(|slice| slice.view == view.id && slice.generations == now)
        {
            return Ok(*slice);
        }
        let constants = self.constants.push(bytemuck::bytes_of(&view.constants))?;
        let nodes = self.nodes.push(bytemuck::cast_slice(&view.nodes))?;
        let slice = ViewSlice {
            view: view.id,
            offsets: [constants.offset, nodes.offset],
            generations: [constants.generation, nodes.generation],
        };
        if slice.generations != self.generations {
            let layout = self.sets.get(0).layout().clone();
            self.sets = make_set(&layout, atlas, &self.constants, &self.nodes)?;
            self.generations = slice.generations;
            self.sets_made += 1;
        }
        self.pushed.push(slice);
        Ok(slice)
    }
}

/// A set that is written in full.
fn make_set(
    layout: &Arc<SetLayout>,
    atlas: &AtlasImages,
    constants: &FrameRing,
    nodes: &FrameRing,
) -> Result<Sets> {
    let mut sets = Sets::new(layout, "landform view", 1)?;
    for (binding, ring) in [(BINDING_VIEW, constants), (BINDING_NODES, nodes)] {
        let value = SetValue::Buffer { buffer: ring.buffer(), offset: 0, range: ring.bind_range() };
        sets.write(0, binding, 0, value)?;
    }
    for (binding, image) in [(BINDING_HEIGHTS, &atlas.heights), (BINDING_HOLES, &atlas.holes)] {
        sets.write(0, binding, 0, SetValue::Image(image.view()))?;
    }
    Ok(sets)
}
