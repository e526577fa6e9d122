//! What the ground is made of, on the device: set 1 of the surface, its samplers, and the images that stand in for what a
//! terrain does not name.
//!
//! There is a set a frame slot for each slot count that was drawn with. A set is written when its turn comes, and then only
//! where what it holds is not what it should hold, so that no set is written under a frame in flight and a steady frame
//! writes none. A set that this frame has already drawn with is replaced and not written.

use super::textures::{TextureSource, TextureView};
use crate::gpu::{
    Binding, BindingKind, Cmd, Device, FrameRing, Image, ImageBarrier, ImageDesc, ImageRange, PipelineLayout,
    Sampler, SamplerDesc, Set, SetLayout, SetValue, Sets, Usage,
};
use crate::shaders::{
    BINDING_ALBEDO, BINDING_LAYER_SAMPLER, BINDING_MATERIAL, BINDING_NORMAL, BINDING_SURFACE,
    BINDING_WEIGHT_SAMPLER, BINDING_WEIGHTS,
};
use crate::splat::{Layer, MAX_LAYERS, Splat, TextureSlot};
use crate::{Error, Result};
use ash::vk;
use std::sync::Arc;

/// Sampled images that the surface's fragment stage reads besides three a slot: heights, holes, weights.
const OTHER_IMAGES: u32 = 3;

/// Set 1 of the surface with this many slots, as the reflection has it.
pub(super) fn material_bindings(slots: u32) -> [Binding; 7] {
    let stages = vk::ShaderStageFlags::FRAGMENT;
    [
        (BINDING_MATERIAL, BindingKind::UniformDynamic, 1),
        (BINDING_WEIGHTS, BindingKind::SampledImage, 1),
        (BINDING_ALBEDO, BindingKind::SampledImage, slots),
        (BINDING_SURFACE, BindingKind::SampledImage, slots),
        (BINDING_NORMAL, BindingKind::SampledImage, slots),
        (BINDING_WEIGHT_SAMPLER, BindingKind::Sampler, 1),
        (BINDING_LAYER_SAMPLER, BindingKind::Sampler, 1),
    ]
    .map(|(binding, kind, count)| Binding { binding, kind, stages, count })
}

fn binding_of(slot: TextureSlot) -> u32 {
    match slot {
        TextureSlot::Albedo => BINDING_ALBEDO,
        TextureSlot::Surface => BINDING_SURFACE,
        TextureSlot::Normal => BINDING_NORMAL,
    }
}

/// The textures of a list of layers, by layer and [`TextureSlot`]; None for the default.
type Answers = [[Option<TextureView>; 3]; MAX_LAYERS];

pub(super) struct Materials {
    device: Arc<Device>,
    view_layout: Arc<SetLayout>,
    push_size: u32,
    weight_sampler: Sampler,
    layer_sampler: Sampler,
    defaults: Defaults,
    shapes: [Option<Shape>; Splat::SLOTS.len()],
    answers: Answers,
    asked: u64,
}

/// What is made once for a slot count.
struct Shape {
    set_layout: Arc<SetLayout>,
    pipeline_layout: Arc<PipelineLayout>,
    /// With a third set: what lights the frame, or one of a host's.
    with_third: Vec<(Arc<SetLayout>, Arc<PipelineLayout>)>,
    slots: Vec<FrameSlot>,
}

/// The set of one frame slot, and what was written into it.
struct FrameSlot {
    sets: Sets,
    /// The frame that it was bound in last.
    frame: u64,
    /// The generation of the ring of constants.
    constants: Option<u64>,
    weights: Option<TextureView>,
    textures: Answers,
}

/// What is drawn with where nothing is named: white, unoccluded and rough at a blend height of one half, flat, and all of
/// the first layer.
struct Defaults {
    textures: [Image; 3],
    weights: Image,
    written: bool,
}

impl Materials {
    pub(super) fn new(device: &Arc<Device>, view_layout: &Arc<SetLayout>, push_size: u32) -> Result<Self> {
        let sampler = |name, address, anisotropy| {
            let (filter, mip_filter) = (vk::Filter::LINEAR, vk::SamplerMipmapMode::LINEAR);
            Sampler::new(
                device,
                &SamplerDesc { name, filter, mip_filter, address, anisotropy, compare: None },
            )
        };
        Ok(Self {
            weight_sampler: sampler("landform weights", vk::SamplerAddressMode::CLAMP_TO_EDGE, 1.0)?,
            layer_sampler: sampler("landform layers", vk::SamplerAddressMode::REPEAT, anisotropy(device))?,
            defaults: Defaults::new(device)?,
            device: device.clone(),
            view_layout: view_layout.clone(),
            push_size,
            shapes: [const { None }; Splat::SLOTS.len()],
            answers: Answers::default(),
            asked: 0,
        })
    }

    /// Takes the default images for never written.
    pub(super) fn forget(&mut self) {
        self.defaults.written = false;
    }

    /// Clears the default images where that was not done. Cannot fail.
    pub(super) fn record(&mut self, cmd: &Cmd<'_>) {
        self.defaults.record(cmd);
    }

    /// Asks for the textures of all layers, once a frame.
    pub(super) fn ask(&mut self, frame: u64, layers: &[Layer], source: &mut dyn TextureSource) {
        if self.asked == frame {
            return;
        }
        self.asked = frame;
        for (index, answers) in self.answers.iter_mut().enumerate() {
            for (slot, answer) in TextureSlot::ALL.into_iter().zip(answers) {
                let layer = layers.get(index).filter(|layer| layer.names_texture(slot));
                *answer = layer.and_then(|layer| source.texture(layer, slot));
            }
        }
    }

    /// The layout of the surface's pipelines for a slot count, with a third set where one is given.
    ///
    /// # Errors
    /// A device that cannot bind as many textures, naming the largest count that it can.
    pub(super) fn pipeline_layout(
        &mut self,
        splat: Splat,
        third: Option<&Arc<SetLayout>>,
    ) -> Result<Arc<PipelineLayout>> {
        let (view_layout, push_size) = (self.view_layout.clone(), self.push_size);
        let shape = self.shape(splat)?;
        let Some(third) = third else { return Ok(shape.pipeline_layout.clone()) };
        if let Some((_, known)) =
            shape.with_third.iter().find(|(known, _)| known.bindings() == third.bindings())
        {
            return Ok(known.clone());
        }
        let layout = PipelineLayout::new(
            view_layout.device(),
            "landform lit surface",
            &[&view_layout, &shape.set_layout, third],
            push_size,
            vk::ShaderStageFlags::FRAGMENT,
        )?;
        shape.with_third.push((third.clone(), layout.clone()));
        Ok(layout)
    }

    /// The set to bind with the offset of the constants: of this frame's slot, holding what it is to hold.
    pub(super) fn set(
        &mut self,
        splat: Splat,
        frame: u64,
        constants: &FrameRing,
        weights: Option<TextureView>,
    ) -> Result<&Set> {
        self.shape(splat)?;
        let weights = weights.unwrap_or(self.defaults.weights());
        let wanted = self.wanted(splat, frame);
        let slot = self.device.slot();
        let samplers = [self.weight_sampler.raw(), self.layer_sampler.raw()];
        let Some(shape) = &mut self.shapes[shape_index(splat)] else {
            return Err(Error::invalid("descriptor set", "the layers' set was not made"));
        };
        let held = &mut shape.slots[slot];
        let changed = held.constants != Some(constants.generation())
            || held.weights != Some(weights)
            || held.textures != wanted;
        if changed && held.frame == frame {
            *held = FrameSlot::new(&shape.set_layout, samplers)?;
        }
        if changed {
            held.write(splat, constants, weights, &wanted)?;
        }
        held.frame = frame;
        Ok(held.sets.get(0))
    }

    /// What a set of this many slots is to hold. An answer of an earlier frame may be of an image that is no more.
    fn wanted(&self, splat: Splat, frame: u64) -> Answers {
        let answered = self.asked == frame;
        let mut wanted = Answers::default();
        for (wanted, answers) in wanted.iter_mut().zip(&self.answers).take(module_slots(splat) as usize) {
            for (index, (wanted, answer)) in wanted.iter_mut().zip(answers).enumerate() {
                let answer = answer.filter(|_| answered);
                *wanted = Some(answer.unwrap_or(self.defaults.texture(index)));
            }
        }
        wanted
    }

    fn shape(&mut self, splat: Splat) -> Result<&mut Shape> {
        let index = shape_index(splat);
        if self.shapes[index].is_none() {
            self.shapes[index] = Some(self.make_shape(module_slots(splat))?);
        }
        self.shapes[index]
            .as_mut()
            .ok_or_else(|| Error::invalid("descriptor set", "the layers' set was not made"))
    }

    fn make_shape(&self, slots: u32) -> Result<Shape> {
        check_images(self.device.limits().max_per_stage_descriptor_sampled_images, slots)?;
        let set_layout = SetLayout::new(&self.device, "landform material", &material_bindings(slots))?;
        let pipeline_layout = PipelineLayout::new(
            &self.device,
            "landform surface",
            &[&self.view_layout, &set_layout],
            self.push_size,
            vk::ShaderStageFlags::FRAGMENT,
        )?;
        let samplers = [self.weight_sampler.raw(), self.layer_sampler.raw()];
        let slots = (0..self.device.slots()).map(|_| FrameSlot::new(&set_layout, samplers));
        let slots = slots.collect::<Result<_>>()?;
        Ok(Shape { slots, set_layout, pipeline_layout, with_third: Vec::new() })
    }
}

/// The slots of the module that draws it: what has no layers is drawn with the smallest.
pub(super) fn module_slots(splat: Splat) -> u32 {
    splat.slots.max(Splat::SLOTS[0])
}

fn shape_index(splat: Splat) -> usize {
    (module_slots(splat) as usize / 4).min(Splat::SLOTS.len()) - 1
}

/// Samples along the long axis of a texel's footprint. A driver that draws on the CPU takes minutes a picture with more than
/// one.
fn anisotropy(device: &Device) -> f32 {
    if device.description().1 == vk::PhysicalDeviceType::CPU { 1.0 } else { 8.0 }
}

/// Refuses a slot count that a device cannot bind, naming what it can.
fn check_images(most: u32, slots: u32) -> Result<()> {
    let wanted = 3 * slots + OTHER_IMAGES;
    if wanted <= most {
        return Ok(());
    }
    let fits = Splat::SLOTS.into_iter().rev().find(|slots| 3 * slots + OTHER_IMAGES <= most);
    Err(Error::Unsupported {
        what: "maxPerStageDescriptorSampledImages".into(),
        why: format!(
            "{slots} layers read {wanted} images in the fragment stage and this device allows {most}; {}",
            fits.map_or("no number of layers fits".into(), |fits| format!(
                "a terrain of at most {fits} layers fits"
            ))
        ),
    })
}

impl FrameSlot {
    fn new(layout: &Arc<SetLayout>, [weight_sampler, layer_sampler]: [vk::Sampler; 2]) -> Result<Self> {
        let mut sets = Sets::new(layout, "landform material", 1)?;
        sets.write(0, BINDING_WEIGHT_SAMPLER, 0, SetValue::Sampler(weight_sampler))?;
        sets.write(0, BINDING_LAYER_SAMPLER, 0, SetValue::Sampler(layer_sampler))?;
        Ok(Self { sets, frame: 0, constants: None, weights: None, textures: Answers::default() })
    }

    /// Writes what differs from what is held.
    fn write(
        &mut self,
        splat: Splat,
        constants: &FrameRing,
        weights: TextureView,
        wanted: &Answers,
    ) -> Result<()> {
        if self.constants != Some(constants.generation()) {
            let value =
                SetValue::Buffer { buffer: constants.buffer(), offset: 0, range: constants.bind_range() };
            self.sets.write(0, BINDING_MATERIAL, 0, value)?;
            self.constants = Some(constants.generation());
        }
        if self.weights != Some(weights) {
            self.sets.write(0, BINDING_WEIGHTS, 0, SetValue::Image(weights.view))?;
            self.weights = Some(weights);
        }
        for layer in 0..module_slots(splat) as usize {
            for slot in TextureSlot::ALL {
                let (held, wanted) = (&mut self.textures[layer][slot as usize], wanted[layer][slot as usize]);
                if let Some(texture) = wanted.filter(|_| *held != wanted) {
                    self.sets.write(0, binding_of(slot), layer as u32, SetValue::Image(texture.view))?;
                    *held = wanted;
                }
            }
        }
        Ok(())
    }
}

impl Defaults {
    fn new(device: &Arc<Device>) -> Result<Self> {
        let texture = |name| {
            let format = vk::Format::R8G8B8A8_UNORM;
            Image::new(device, &ImageDesc { name, format, ..ImageDesc::default() })
        };
        // A page for every slot count, and one for regions.
        let weights = ImageDesc {
            name: "landform weights of no map",
            format: vk::Format::R8G8B8A8_UNORM,
            layers: MAX_LAYERS as u32 / 4 + 1,
            array: true,
            ..ImageDesc::default()
        };
        Ok(Self {
            textures: [
                texture("landform white")?,
                texture("landform plain surface")?,
                texture("landform flat normal")?,
            ],
            weights: Image::new(device, &weights)?,
            written: false,
        })
    }

    fn texture(&self, index: usize) -> TextureView {
        // Revision 0 is landform's own: a source counts from 1, or its views differ.
        TextureView { view: self.textures[index].view(), revision: 0 }
    }

    fn weights(&self) -> TextureView {
        TextureView { view: self.weights.view(), revision: 0 }
    }

    fn record(&mut self, cmd: &Cmd<'_>) {
        if self.written {
            return;
        }
        let [albedo, surface, normal] = &self.textures;
        let all = [albedo, surface, normal, &self.weights];
        let barriers = |from, to| all.map(|image| ImageBarrier { image, range: image.whole(), from, to });
        cmd.barriers(&barriers(Usage::Discard, Usage::TransferDst), &[]);
        let clear = |image: &Image, range, float32| {
            cmd.clear_color(image, range, vk::ClearColorValue { float32 });
        };
        clear(albedo, albedo.whole(), [1.0; 4]);
        clear(surface, surface.whole(), [1.0, 0.9, 0.0, 0.5]);
        clear(normal, normal.whole(), [128.0 / 255.0, 128.0 / 255.0, 1.0, 1.0]);
        let whole = self.weights.whole();
        let layers = whole.layers - 1;
        clear(&self.weights, ImageRange { layers: 1, ..whole }, [1.0, 0.0, 0.0, 0.0]);
        clear(&self.weights, ImageRange { base_layer: 1, layers, ..whole }, [0.0; 4]);
        cmd.barriers(&barriers(Usage::TransferDst, Usage::FragmentRead), &[]);
        self.written = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_with_few_textures_is_told_what_fits() {
        assert!(check_images(16, 4).is_ok() && check_images(64, 16).is_ok());
        let why = check_images(32, 16).unwrap_err().to_string();
        assert!(why.contains("51 images") && why.contains("at most 8 layers"), "{why}");
        assert!(check_images(8, 4).unwrap_err().to_string().contains("no number of layers fits"));
    }
}
