//! Metering: a histogram of what was drawn, and an exposure value on the device that follows it. No frame waits for it.

use super::{Compositor, Frame};
use crate::Result;
use crate::abi::ExposureConstants;
use crate::draw::TextureView;
use crate::draw::set_cache::SetCache;
use crate::frame::{Exposure, FrameDocument, FrameNode};
use crate::gpu::{
    Binding, BindingKind, Buffer, BufferBarrier, BufferDesc, Cmd, Device, Image, ImageBarrier, ImageDesc,
    MemoryLocation, Pipeline, PipelineLayout, SetLayout, SetValue, ShaderDesc, Usage,
};
use crate::shaders::{
    BINDING_EXPOSURE_FOUND, BINDING_EXPOSURE_VALUE, BINDING_EXPOSURE_WORDS, BINDING_INPUT, EXPOSURE_BINS,
    SET, ShaderId,
};
use ash::vk;
use std::sync::Arc;

/// Set 0 of the two modules.
const BINDINGS: [Binding; 4] = {
    let stage = vk::ShaderStageFlags::COMPUTE;
    [
        Binding::one(BINDING_INPUT, BindingKind::SampledImage, stage),
        Binding::one(BINDING_EXPOSURE_WORDS, BindingKind::Storage, stage),
        Binding::one(BINDING_EXPOSURE_VALUE, BindingKind::StorageImage, stage),
        Binding::one(BINDING_EXPOSURE_FOUND, BindingKind::Storage, stage),
    ]
};

/// The most samples of a picture, up to a row and a column of the grid: every pixel of 512 × 512. Were they as random as the pixels of
/// a picture that spreads over 3 exposure values, their mean would be right to 0.006.
const MOST_SAMPLES: u64 = 1 << 18;

/// Samples along a side of what a group counts.
const GROUP_SIDE: u32 = 32;

/// Counts, sums, the exposure value and what is known of it: 4 bytes each.
const WORD_BYTES: u64 = 4 * (2 * EXPOSURE_BINS as u64 + 2);

/// All meters of a document, and what they have in common.
pub(super) struct Meters {
    device: Arc<Device>,
    layout: Arc<PipelineLayout>,
    sets: SetCache<MeterInputs>,
    pipelines: Option<[Pipeline; 2]>,
    /// One an `Exposure` node, in their order.
    meters: Vec<Meter>,
    /// Counts meters, for a driver may give the handle of a destroyed view to another one.
    made: u64,
}

/// What a set holds: the picture, and the meter by its number.
#[derive(PartialEq)]
struct MeterInputs(TextureView, u64);

/// What one node keeps from frame to frame.
pub(super) struct Meter {
    node: usize,
    revision: u64,
    words: Buffer,
    /// The exposure value, a texel.
    value: Image,
    /// The same for the host, a frame slot each.
    found: Buffer,
    written: Vec<bool>,
    /// What the last frame left `value` in: `FragmentRead` once there was one.
    state: Usage,
    /// Whether this frame metered, and the one before.
    on: bool,
    was_on: bool,
    latest: Option<f32>,
}

/// What is metered in a frame.
struct Metered {
    picture: TextureView,
    extent: [u32; 2],
    /// The document's numbers, this frame's steps and what else the shaders are told.
    constants: ExposureConstants,
}

impl Meters {
    pub(super) fn new(device: &Arc<Device>) -> Result<Self> {
        let set = SetLayout::new(device, "landform exposure", &BINDINGS)?;
        let stage = vk::ShaderStageFlags::COMPUTE;
        let bytes = size_of::<ExposureConstants>() as u32;
        let layout = PipelineLayout::new(device, "landform exposure", &[&set], bytes, stage)?;
        let sets = SetCache::new(device, set, "landform exposure");
        Ok(Self { device: device.clone(), layout, sets, pipelines: None, meters: Vec::new(), made: 0 })
    }

    /// The meters of a document that is to be drawn; nothing is changed before they are [`set`](Self::set).
    pub(super) fn of_document(&self, document: &FrameDocument) -> Result<Vec<Meter>> {
        let nodes = document.nodes.iter().enumerate();
        let metering = nodes.filter(|(_, node)| matches!(node, FrameNode::Exposure(_)));
        let numbered = metering.zip(self.made + 1..);
        numbered.map(|((node, _), revision)| Meter::new(&self.device, node, revision)).collect()
    }

    /// Takes them into use.
    pub(super) fn set(&mut self, meters: Vec<Meter>) {
        self.made += meters.len() as u64;
        self.meters = meters;
    }

    /// Begins a frame: what was found as many frames ago as are in flight is read.
    pub(super) fn begin_frame(&mut self) -> Result<()> {
        let slot = self.device.slot();
        self.meters.iter_mut().try_for_each(|meter| {
            meter.was_on = std::mem::take(&mut meter.on);
            meter.latest = meter.take_found(slot)?;
            Ok(())
        })
    }

    /// The exposure value of the last node.
    pub(super) fn latest(&self) -> Option<f32> {
        self.latest_before(usize::MAX)
    }

    /// The exposure value of the nearest node before this one, as many frames ago as are in flight.
    pub(super) fn latest_before(&self, node: usize) -> Option<f32> {
        self.meters.iter().rfind(|meter| meter.node < node)?.latest
    }

    /// The image of what the nearest node before this one found in this frame.
    pub(super) fn before(&self, node: usize) -> Option<TextureView> {
        let meter = self.meters.iter().rev().find(|meter| meter.on && meter.node < node)?;
        Some(TextureView { view: meter.value.view(), revision: meter.revision })
    }

    /// Takes everything on the device for never used.
    pub(super) fn forget(&mut self) {
        for meter in &mut self.meters {
            meter.state = Usage::Discard;
            meter.written.fill(false);
            (meter.on, meter.was_on, meter.latest) = (false, false, None);
        }
    }

    /// Makes the pipelines, so that no frame waits for them.
    pub(super) fn prepare(&mut self) -> Result<&[Pipeline; 2]> {
        match &mut self.pipelines {
            Some(made) => Ok(made),
            vacant => {
                let make = |name, id: ShaderId| {
                    let shader = ShaderDesc { words: id.spirv(), entry: c"main", constants: &[] };
                    Pipeline::compute(&self.device, name, &self.layout, &shader)
                };
                let histogram = make("landform histogram", ShaderId::ExposureHistogramCompute)?;
                let adapt = make("landform exposure", ShaderId::ExposureAdaptCompute)?;
                Ok(vacant.insert([histogram, adapt]))
            }
        }
    }

    /// Meters for a node. Outside a rendering scope; the picture is in use as `ComputeRead`.
    fn record(&mut self, cmd: &Cmd<'_>, node: usize, metered: &Metered) -> Result<()> {
        self.prepare()?;
        let slot = self.device.slot();
        let meter = self.meters.iter_mut().find(|meter| meter.node == node);
        let (Some(meter), Some([histogram, adapt])) = (meter, &self.pipelines) else { return Ok(()) };
        let set = self.sets.find(MeterInputs(metered.picture, meter.revision), |sets| {
            let whole = |buffer| SetValue::Buffer { buffer, offset: 0, range: vk::WHOLE_SIZE };
            sets.write(0, BINDING_INPUT, 0, SetValue::Image(metered.picture.view))?;
            sets.write(0, BINDING_EXPOSURE_WORDS, 0, whole(&meter.words))?;
            sets.write(0, BINDING_EXPOSURE_VALUE, 0, SetValue::Image(meter.value.view()))?;
            sets.write(0, BINDING_EXPOSURE_FOUND, 0, whole(&meter.found))
        })?;
        let Some(set) = self.sets.get(set) else { return Ok(()) };
        let [width, height] = metered.extent;
        let step = step_of(metered.extent);
        let mut constants = metered.constants;
        constants.sampled = [width, height, step, slot as u32];
        if !meter.was_on {
            // What was off meanwhile knows as little as what is new.
            constants.pace[3] = 1.0;
        }
        meter.begin(cmd);
        cmd.bind_pipeline(histogram);
        cmd.bind_sets(vk::PipelineBindPoint::COMPUTE, &self.layout, SET, &[set], &[]);
        cmd.push_constants(&self.layout, bytemuck::bytes_of(&constants));
        let groups = [width, height].map(|texels| texels.div_ceil(step).div_ceil(GROUP_SIDE));
        cmd.dispatch([groups[0], groups[1], 1]);
        cmd.barriers(&[], &[whole(&meter.words, Usage::ComputeWrite, Usage::ComputeWrite)]);
        cmd.bind_pipeline(adapt);
        cmd.dispatch([1, 1, 1]);
        meter.end(cmd, slot);
        Ok(())
    }
}

impl Meter {
    fn new(device: &Arc<Device>, node: usize, revision: u64) -> Result<Self> {
        let storage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let buffer =
            |name, size, usage, location| Buffer::new(device, &BufferDesc { name, size, usage, location });
        let cleared = storage | vk::BufferUsageFlags::TRANSFER_DST;
        let slots = device.slots();
        let value = ImageDesc {
            name: "landform exposure",
            format: vk::Format::R32_SFLOAT,
            usage: vk::ImageUsageFlags::STORAGE | vk::ImageUsageFlags::SAMPLED,
            ..ImageDesc::default()
        };
        Ok(Self {
            node,
            revision,
            words: buffer("landform histogram", WORD_BYTES, cleared, MemoryLocation::GpuOnly)?,
            value: Image::new(device, &value)?,
            found: buffer("landform exposure", 4 * slots as u64, storage, MemoryLocation::Readback)?,
            written: vec![false; slots],
            state: Usage::Undefined,
            on: false,
            was_on: false,
            latest: None,
        })
    }

    /// What a frame slot's last frame found, once; it has completed.
    fn take_found(&mut self, slot: usize) -> Result<Option<f32>> {
        if !std::mem::take(&mut self.written[slot]) {
            return Ok(None);
        }
        self.found.invalidate(0, self.found.size())?;
        let found = self.found.mapped().and_then(|bytes| bytes.get(4 * slot..4 * slot + 4));
        Ok(found.map(bytemuck::pod_read_unaligned))
    }

    /// Waits for the frame before, or clears what no frame left anything in.
    fn begin(&self, cmd: &Cmd<'_>) {
        use Usage::{ComputeWrite, FragmentRead, TransferDst};
        let last = if self.state == FragmentRead { ComputeWrite } else { self.state };
        if last != ComputeWrite {
            cmd.barriers(&[], &[whole(&self.words, last, TransferDst)]);
            cmd.fill_buffer(&self.words, 0, WORD_BYTES, 0);
        }
        let counted = if last == ComputeWrite { ComputeWrite } else { TransferDst };
        let value = ImageBarrier {
            image: &self.value,
            range: self.value.whole(),
            from: self.state,
            to: ComputeWrite,
        };
        let buffers = [whole(&self.words, counted, ComputeWrite), whole(&self.found, last, ComputeWrite)];
        cmd.barriers(&[value], &buffers);
    }

    /// Hands on what was found: to the tonemap, and to the host.
    fn end(&mut self, cmd: &Cmd<'_>, slot: usize) {
        let (from, to) = (Usage::ComputeWrite, Usage::FragmentRead);
        let value = ImageBarrier { image: &self.value, range: self.value.whole(), from, to };
        cmd.barriers(&[value], &[whole(&self.found, from, Usage::HostRead)]);
        self.written[slot] = true;
        (self.state, self.on) = (to, true);
    }
}

impl Compositor {
    /// The exposure value at ISO 100 that the last `Exposure` node of the document went to, as many frames ago as are in flight when
    /// [`record`](Self::record) was called. None before the first of them has completed, while the node is off, and for a
    /// document without one. A host meters with it what it draws after the tonemap, or shows it.
    pub fn ev100(&self) -> Option<f32> {
        self.meters.latest()
    }

    /// Records an `Exposure` node.
    pub(super) fn record_exposure(&mut self, cmd: &Cmd<'_>, frame: &Frame<'_>, node: usize) -> Result<()> {
        let FrameNode::Exposure(exposure) = &self.document.nodes[node] else { return Ok(()) };
        let step = &self.steps[node];
        let Some(input) = step.target("input") else { return Ok(()) };
        self.targets.transition(cmd, step.uses.iter().map(|used| (used.target, used.access)));
        let target = self.targets.get(input);
        let constants = constants_of(exposure, frame, self.is_cut(frame, node, input));
        self.meters.record(cmd, node, &Metered { picture: target.view, extent: target.extent, constants })
    }

    /// Whether the view that was drawn into what a node samples saw something else in the last frame: that of the nearest node before it
    /// that drew there and names one, else the frame's first.
    fn is_cut(&self, frame: &Frame<'_>, node: usize, input: usize) -> bool {
        let before = self.steps[..node].iter().zip(&self.document.nodes).rev();
        let drew =
            |step: &super::Step| step.uses.iter().any(|used| used.target == input && !used.access.samples());
        let named = before.filter(|(step, _)| drew(step)).find_map(|(_, node)| node.view());
        let view = named.map_or(Some(0), |name| self.scene.index(frame, name));
        view.and_then(|view| self.scene.get(view)).is_some_and(|view| view.is_cut)
    }
}

fn constants_of(exposure: &Exposure, frame: &Frame<'_>, is_cut: bool) -> ExposureConstants {
    // A clock that stands still or runs backward changes nothing.
    let seconds = if frame.seconds.is_finite() { frame.seconds.max(0.0) as f32 } else { 0.0 };
    let Exposure { darkest, brightest, offset, followed, up, down, .. } = *exposure;
    ExposureConstants {
        sampled: [0; 4],
        bounds: [darkest, brightest, offset - frame.compensation, followed],
        pace: [up * seconds, down * seconds, frame.ev100, f32::from(u8::from(is_cut))],
    }
}

/// Texels between two samples, each way.
fn step_of([width, height]: [u32; 2]) -> u32 {
    let texels = u64::from(width) * u64::from(height);
    (texels.div_ceil(MOST_SAMPLES) as f64).sqrt().ceil() as u32
}

/// A change in how all of a buffer is used.
fn whole(buffer: &Buffer, from: Usage, to: Usage) -> BufferBarrier<'_> {
    BufferBarrier { buffer, offset: 0, size: vk::WHOLE_SIZE, from, to }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_pictures_are_sampled_at_every_pixel_and_large_ones_no_more_often() {
        assert_eq!([[1, 1], [512, 512], [16384, 16]].map(step_of), [1, 1, 1]);
        assert_eq!([[1280, 720], [1920, 1080], [3840, 2160]].map(step_of), [2, 3, 6]);
        for side in (1..=16384).step_by(77) {
            let cells = u64::from(side).div_ceil(u64::from(step_of([side, side])));
            assert!(cells * cells <= MOST_SAMPLES, "{side}: {cells} a side");
        }
    }

    /// The two modules read all of the set, and nothing else.
    #[test]
    fn the_set_is_what_the_modules_read() {
        let mut reflected = Vec::new();
        for id in [ShaderId::ExposureHistogramCompute, ShaderId::ExposureAdaptCompute] {
            let module: serde_json::Value = serde_json::from_str(id.reflection_json()).unwrap();
            for set in module["sets"].as_array().unwrap() {
                assert_eq!(set["set"], SET);
                for binding in set["bindings"].as_array().unwrap() {
                    let kind = match binding["type"].as_str().unwrap() {
                        "sampled_image" => BindingKind::SampledImage,
                        "storage_buffer" => BindingKind::Storage,
                        "storage_image" => BindingKind::StorageImage,
                        other => panic!("a binding of type {other}"),
                    };
                    let binding = binding["binding"].as_u64().unwrap() as u32;
                    let stages = vk::ShaderStageFlags::COMPUTE;
                    reflected.push(Binding { binding, kind, stages, count: 1 });
                }
            }
        }
        crate::gpu::check_bindings("landform exposure", &BINDINGS, &reflected).unwrap();
    }
}
