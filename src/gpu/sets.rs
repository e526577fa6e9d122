//! Descriptor set layouts and sets, from a small typed description.
//!
//! A [`Sets`] owns a pool and all sets in it, and retires the pool when dropped; what is written into a set belongs to
//! somebody else, who keeps it alive while the set is bound. A set that a frame in flight uses must not be written: replace
//! the whole [`Sets`], or keep a set for each frame slot.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ash::vk;

use super::buffer::Buffer;
use super::device::{Device, Ticket, checked};
use super::retire::Retired;
use crate::{Error, Result};

/// What kind of thing a binding holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BindingKind {
    /// A uniform buffer.
    Uniform,
    /// A uniform buffer whose offset is given when the set is bound.
    UniformDynamic,
    /// A storage buffer.
    Storage,
    /// A storage buffer whose offset is given when the set is bound.
    StorageDynamic,
    /// A sampled image.
    SampledImage,
    /// A storage image.
    StorageImage,
    /// A sampler.
    Sampler,
}

impl BindingKind {
    /// Vulkan's name for it.
    pub const fn descriptor_type(self) -> vk::DescriptorType {
        match self {
            BindingKind::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
            BindingKind::UniformDynamic => vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC,
            BindingKind::Storage => vk::DescriptorType::STORAGE_BUFFER,
            BindingKind::StorageDynamic => vk::DescriptorType::STORAGE_BUFFER_DYNAMIC,
            BindingKind::SampledImage => vk::DescriptorType::SAMPLED_IMAGE,
            BindingKind::StorageImage => vk::DescriptorType::STORAGE_IMAGE,
            BindingKind::Sampler => vk::DescriptorType::SAMPLER,
        }
    }

    /// The same kind without a dynamic offset, which a shader cannot tell apart.
    pub const fn as_shader_sees(self) -> Self {
        match self {
            BindingKind::UniformDynamic => BindingKind::Uniform,
            BindingKind::StorageDynamic => BindingKind::Storage,
            other => other,
        }
    }

    fn is_dynamic(self) -> bool {
        self != self.as_shader_sees()
    }
}

/// One binding of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Binding {
    /// Its number in the set.
    pub binding: u32,
    /// What it holds.
    pub kind: BindingKind,
    /// The stages that read it.
    pub stages: vk::ShaderStageFlags,
    /// How many; more than 1 for an array.
    pub count: u32,
}

impl Binding {
    /// A binding that is no array.
    pub const fn one(binding: u32, kind: BindingKind, stages: vk::ShaderStageFlags) -> Self {
        Self { binding, kind, stages, count: 1 }
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "binding {}: {} × {:?} in {:?}", self.binding, self.count, self.kind, self.stages)
    }
}

/// Holds a described binding list against the one that reflection found in the shaders. Every reflected binding must be
/// described with the same kind and count, for at least its stages; described but unused bindings are refused as well, since
/// then one of the two lists is out of date.
///
/// # Errors
/// [`Error::Invalid`] that lists every difference.
pub fn check_bindings(name: &str, described: &[Binding], reflected: &[Binding]) -> Result<()> {
    let mut differences = Vec::new();
    for want in reflected {
        let same = described.iter().any(|have| {
            have.binding == want.binding
                && have.kind.as_shader_sees() == want.kind.as_shader_sees()
                && have.count == want.count
                && have.stages.contains(want.stages)
        });
        if !same {
            differences.push(format!("the shaders have {want}"));
        }
    }
    for have in described {
        if !reflected.iter().any(|want| want.binding == have.binding) {
            differences.push(format!("no shader uses {have}"));
        }
    }
    if differences.is_empty() {
        return Ok(());
    }
    Err(Error::invalid(
        "descriptor set",
        format!("{name} does not match its shaders: {}", differences.join("; ")),
    ))
}

/// A descriptor set layout, retired when dropped.
pub struct SetLayout {
    raw: vk::DescriptorSetLayout,
    name: Box<str>,
    bindings: Vec<Binding>,
    ticket: Ticket,
}

/// Descriptors a set may have; keeps the record of what was written on the stack.
const MOST_DESCRIPTORS: u32 = 128;

impl SetLayout {
    /// Makes a layout. Bindings are sorted by number.
    ///
    /// # Errors
    /// [`Error::Invalid`] for a number that occurs twice, a count of 0, or more than 128 descriptors; [`Error::Vulkan`].
    pub fn new(device: &Arc<Device>, name: &str, bindings: &[Binding]) -> Result<Arc<Self>> {
        let mut bindings = bindings.to_vec();
        bindings.sort_by_key(|binding| binding.binding);
        let total: u32 = bindings.iter().map(|binding| binding.count).sum();
        let twice = bindings.windows(2).any(|pair| pair[0].binding == pair[1].binding);
        if twice || total > MOST_DESCRIPTORS || bindings.iter().any(|binding| binding.count == 0) {
            return Err(Error::invalid(
                "descriptor set",
                format!(
                    "{name} must have distinct bindings of at least 1 and together at most 128 descriptors"
                ),
            ));
        }
        let raw_bindings: Vec<_> = bindings
            .iter()
            .map(|binding| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding.binding)
                    .descriptor_type(binding.kind.descriptor_type())
                    .descriptor_count(binding.count)
                    .stage_flags(binding.stages)
            })
            .collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&raw_bindings);
        // SAFETY: the device is valid, and so is the description.
        let raw = unsafe { device.raw.create_descriptor_set_layout(&info, None) };
        let raw = checked(raw, name, "vkCreateDescriptorSetLayout")?;
        device.set_name(raw, name);
        let ticket = device.track("set layout", name, 0);
        Ok(Arc::new(SetLayout { raw, name: name.into(), bindings, ticket }))
    }

    /// The handle.
    pub fn raw(&self) -> vk::DescriptorSetLayout {
        self.raw
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its device.
    pub fn device(&self) -> &Arc<Device> {
        self.ticket.device()
    }

    /// Its bindings, in order of their numbers.
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// How many offsets are given when a set of this layout is bound.
    pub fn dynamic_count(&self) -> usize {
        let dynamic = self.bindings.iter().filter(|binding| binding.kind.is_dynamic());
        dynamic.map(|binding| binding.count as usize).sum()
    }

    fn descriptors(&self) -> u32 {
        self.bindings.iter().map(|binding| binding.count).sum()
    }

    /// The binding of a number, and the index of its first descriptor among all of the set.
    fn find(&self, number: u32) -> Option<(Binding, u32)> {
        let mut first = 0;
        for binding in &self.bindings {
            if binding.binding == number {
                return Some((*binding, first));
            }
            first += binding.count;
        }
        None
    }
}

impl Drop for SetLayout {
    fn drop(&mut self) {
        self.ticket.device().retire(Retired::SetLayout(self.raw));
    }
}

/// What is written into a descriptor.
#[derive(Clone, Copy)]
pub enum SetValue<'a> {
    /// Part of a buffer, for uniform and storage bindings. With a dynamic offset the range is what a shader sees from it.
    Buffer {
        /// The buffer.
        buffer: &'a Buffer,
        /// The first byte.
        offset: u64,
        /// How many bytes, or `vk::WHOLE_SIZE`.
        range: u64,
    },
    /// A view, for sampled images (in `SHADER_READ_ONLY_OPTIMAL`) and storage images (in `GENERAL`). By the promise made to
    /// [`Device::new`] it is of this device and alive for as long as a set that holds it is bound.
    Image(vk::ImageView),
    /// A sampler, of which the same is promised.
    Sampler(vk::Sampler),
}

/// One set of a [`Sets`].
pub struct Set {
    raw: vk::DescriptorSet,
    layout: Arc<SetLayout>,
    /// A bit for each descriptor that was written.
    written: u128,
}

impl Set {
    /// The handle.
    pub fn raw(&self) -> vk::DescriptorSet {
        self.raw
    }

    /// Its layout.
    pub fn layout(&self) -> &Arc<SetLayout> {
        &self.layout
    }

    /// The first descriptor that was never written, as (binding, element).
    pub fn first_missing(&self) -> Option<(u32, u32)> {
        let missing = (!self.written).trailing_zeros();
        if missing >= self.layout.descriptors() {
            return None;
        }
        let mut first = 0;
        for binding in &self.layout.bindings {
            if missing < first + binding.count {
                return Some((binding.binding, missing - first));
            }
            first += binding.count;
        }
        None
    }
}

/// Sets of one layout and the pool that they are in.
pub struct Sets {
    pool: vk::DescriptorPool,
    sets: Vec<Set>,
    ticket: Ticket,
}

impl Sets {
    /// Makes `count` sets; nothing is written into them yet.
    ///
    /// # Errors
    /// [`Error::Vulkan`] naming the sets.
    pub fn new(layout: &Arc<SetLayout>, name: &str, count: usize) -> Result<Self> {
        let device = layout.ticket.device();
        let sizes: Vec<_> = layout
            .bindings
            .iter()
            .map(|binding| vk::DescriptorPoolSize {
                ty: binding.kind.descriptor_type(),
                descriptor_count: binding.count * count as u32,
            })
            .collect();
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(count as u32).pool_sizes(&sizes);
        // SAFETY: the device is valid, and so is the description.
        let pool = unsafe { device.raw.create_descriptor_pool(&info, None) };
        let pool = checked(pool, name, "vkCreateDescriptorPool")?;
        let mut sets = Sets { pool, sets: Vec::new(), ticket: device.track("sets", name, 0) };
        let layouts = vec![layout.raw; count];
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        // SAFETY: the pool was made for exactly these sets and is used by nobody else.
        let raw = unsafe { device.raw.allocate_descriptor_sets(&info) };
        for (index, raw) in checked(raw, name, "vkAllocateDescriptorSets")?.into_iter().enumerate() {
            device.set_name(raw, &format!("{name} {index}"));
            sets.sets.push(Set { raw, layout: layout.clone(), written: 0 });
        }
        device.set_name(pool, name);
        Ok(sets)
    }

    /// How many sets there are.
    pub fn len(&self) -> usize {
        self.sets.len()
    }

    /// True for no sets.
    pub fn is_empty(&self) -> bool {
        self.sets.is_empty()
    }

    /// One of the sets.
    ///
    /// # Panics
    /// Where there is none of that index.
    pub fn get(&self, index: usize) -> &Set {
        &self.sets[index]
    }

    /// Writes one descriptor of one set, which no frame in flight may be using.
    ///
    /// # Errors
    /// [`Error::Invalid`] where the layout has no such descriptor or it is of another kind.
    pub fn write(&mut self, index: usize, binding: u32, element: u32, value: SetValue<'_>) -> Result<()> {
        let device = self.ticket.device();
        let set = self.sets.get_mut(index).ok_or_else(|| {
            Error::invalid("descriptor set", format!("there is no set {index} to write binding {binding} of"))
        })?;
        let found = set.layout.find(binding).filter(|(found, _)| element < found.count);
        let Some((found, first)) = found else {
            let name = &set.layout.name;
            return Err(Error::invalid(
                "descriptor set",
                format!("{name} has no element {element} of binding {binding}"),
            ));
        };
        write_descriptor(device, set, &found, element, value)?;
        set.written |= 1 << (first + element);
        device.descriptor_writes.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    /// Writes the same value into one descriptor of every set.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_all(&mut self, binding: u32, element: u32, value: SetValue<'_>) -> Result<()> {
        (0..self.sets.len()).try_for_each(|index| self.write(index, binding, element, value))
    }
}

impl Drop for Sets {
    fn drop(&mut self) {
        self.ticket.device().retire(Retired::DescriptorPool(self.pool));
    }
}

fn write_descriptor(
    device: &Device,
    set: &Set,
    binding: &Binding,
    element: u32,
    value: SetValue<'_>,
) -> Result<()> {
    let mut buffers = [vk::DescriptorBufferInfo::default()];
    let mut images = [vk::DescriptorImageInfo::default()];
    let write = vk::WriteDescriptorSet::default()
        .dst_set(set.raw)
        .dst_binding(binding.binding)
        .dst_array_element(element)
        .descriptor_type(binding.kind.descriptor_type());
    let write = match (binding.kind.as_shader_sees(), value) {
        (BindingKind::Uniform | BindingKind::Storage, SetValue::Buffer { buffer, offset, range }) => {
            buffers[0] = vk::DescriptorBufferInfo { buffer: buffer.raw(), offset, range };
            write.buffer_info(&buffers)
        }
        (BindingKind::SampledImage, SetValue::Image(view)) => {
            images[0].image_view = view;
            images[0].image_layout = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
            write.image_info(&images)
        }
        (BindingKind::StorageImage, SetValue::Image(view)) => {
            images[0].image_view = view;
            images[0].image_layout = vk::ImageLayout::GENERAL;
            write.image_info(&images)
        }
        (BindingKind::Sampler, SetValue::Sampler(sampler)) => {
            images[0].sampler = sampler;
            write.image_info(&images)
        }
        (kind, _) => {
            let refusal =
                format!("{}: {binding} cannot hold what was written to it ({kind:?})", set.layout.name);
            return Err(Error::invalid("descriptor set", refusal));
        }
    };
    // SAFETY: the set is alive; by the promise made to `Device::new` it is used by no frame in flight and the value's handle
    // is of this device and alive; the value is of the binding's kind.
    unsafe { device.raw.update_descriptor_sets(&[write], &[]) };
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERTEX: vk::ShaderStageFlags = vk::ShaderStageFlags::VERTEX;
    const FRAGMENT: vk::ShaderStageFlags = vk::ShaderStageFlags::FRAGMENT;

    fn binding(binding: u32, kind: BindingKind, stages: vk::ShaderStageFlags, count: u32) -> Binding {
        Binding { binding, kind, stages, count }
    }

    #[test]
    fn equal_lists_match_in_any_order_and_dynamic_or_not() {
        let described = [
            binding(0, BindingKind::UniformDynamic, VERTEX | FRAGMENT, 1),
            binding(2, BindingKind::SampledImage, FRAGMENT, 16),
        ];
        let reflected = [
            binding(2, BindingKind::SampledImage, FRAGMENT, 16),
            binding(0, BindingKind::Uniform, VERTEX, 1),
        ];
        check_bindings("test", &described, &reflected).unwrap();
    }

    #[test]
    fn every_difference_is_listed() {
        let described =
            [binding(0, BindingKind::Uniform, VERTEX, 1), binding(1, BindingKind::Sampler, FRAGMENT, 1)];
        let reflected =
            [binding(0, BindingKind::Storage, VERTEX, 1), binding(3, BindingKind::Sampler, FRAGMENT, 1)];
        let sentence = check_bindings("test", &described, &reflected).unwrap_err().to_string();
        for part in ["have binding 0: 1 × Storage", "have binding 3", "no shader uses binding 1"] {
            assert!(sentence.contains(part), "{sentence}");
        }
    }

    #[test]
    fn a_stage_that_is_not_described_is_a_difference() {
        let described = [binding(0, BindingKind::Uniform, VERTEX, 1)];
        let reflected = [binding(0, BindingKind::Uniform, VERTEX | FRAGMENT, 1)];
        assert!(check_bindings("test", &described, &reflected).is_err());
    }
}
