//! Named images with their memory and views, and samplers.
//!
//! An [`Image`] owns its handle, its memory, one view of all of it and, where asked for, one view a mip; all of them go to
//! the retire queue when it is dropped. The caller keeps track of what its parts were last used for.

use std::sync::Arc;

use ash::vk;

use super::barrier::ImageRange;
use super::device::{Device, Ticket, checked};
use super::memory::{Allocation, AllocationRequest, MemoryLocation};
use super::retire::Retired;
use crate::{Error, Result};

/// What an image is to be. Always two-dimensional, with optimal tiling.
#[derive(Clone, Copy, Debug)]
pub struct ImageDesc<'a> {
    /// Its name in capture tools and reports.
    pub name: &'a str,
    /// Width and height of mip 0, in texels.
    pub extent: [u32; 2],
    /// How many layers.
    pub layers: u32,
    /// True for array views; otherwise there is one layer, and the views are of a plain 2D image.
    pub array: bool,
    /// How many mips.
    pub mips: u32,
    /// What a texel is.
    pub format: vk::Format,
    /// Samples a texel.
    pub samples: vk::SampleCountFlags,
    /// Everything it is used for.
    pub usage: vk::ImageUsageFlags,
    /// True for a view a mip as well, for storage writes or rendering into them.
    pub mip_views: bool,
}

impl Default for ImageDesc<'_> {
    /// A sampled image of one texel that is uploaded to; name, extent and format are for the caller to fill.
    fn default() -> Self {
        ImageDesc {
            name: "image",
            extent: [1, 1],
            layers: 1,
            array: false,
            mips: 1,
            format: vk::Format::R8_UNORM,
            samples: vk::SampleCountFlags::TYPE_1,
            usage: vk::ImageUsageFlags::from_raw(
                vk::ImageUsageFlags::SAMPLED.as_raw() | vk::ImageUsageFlags::TRANSFER_DST.as_raw(),
            ),
            mip_views: false,
        }
    }
}

/// An image with memory bound to it, and its views.
pub struct Image {
    raw: vk::Image,
    view: vk::ImageView,
    mip_views: Vec<vk::ImageView>,
    extent: [u32; 2],
    layers: u32,
    mips: u32,
    format: vk::Format,
    name: Box<str>,
    allocation: Option<Allocation>,
    ticket: Ticket,
}

impl Image {
    /// Makes an image, binds memory to it and makes its views. Its content and layout are undefined.
    ///
    /// # Errors
    /// [`Error::Unsupported`] with the largest that the device can hold where it is too large, [`Error::Memory`] or
    /// [`Error::Vulkan`] naming the image; nothing is left behind.
    pub fn new(device: &Arc<Device>, desc: &ImageDesc<'_>) -> Result<Self> {
        check_size(device, desc)?;
        let [width, height] = desc.extent;
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(desc.format)
            .extent(vk::Extent3D { width, height, depth: 1 })
            .mip_levels(desc.mips)
            .array_layers(desc.layers)
            .samples(desc.samples)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(desc.usage)
            .sharing_mode(vk::SharingMode::EXCLUSIVE)
            .initial_layout(vk::ImageLayout::UNDEFINED);
        // SAFETY: the device is valid and was found to support such an image.
        let raw = checked(unsafe { device.raw.create_image(&info, None) }, desc.name, "vkCreateImage")?;
        // SAFETY: the image was just made.
        let requirements = unsafe { device.raw.get_image_memory_requirements(raw) };
        let mut image = Image {
            raw,
            view: vk::ImageView::null(),
            mip_views: Vec::new(),
            extent: desc.extent,
            layers: desc.layers,
            mips: desc.mips,
            format: desc.format,
            name: desc.name.into(),
            allocation: None,
            ticket: device.track("image", desc.name, requirements.size),
        };
        let allocation = device.memory.allocate(&AllocationRequest {
            requirements,
            location: MemoryLocation::GpuOnly,
            linear: false,
            name: desc.name,
        })?;
        let (memory, offset) = (allocation.memory, allocation.offset);
        image.allocation = Some(allocation);
        // SAFETY: by its promise the allocator returned memory of a fitting type, size and alignment.
        let bound = unsafe { device.raw.bind_image_memory(raw, memory, offset) };
        checked(bound, desc.name, "vkBindImageMemory")?;
        device.set_name(raw, desc.name);
        image.make_views(desc)?;
        Ok(image)
    }

    fn make_views(&mut self, desc: &ImageDesc<'_>) -> Result<()> {
        const VIEWABLE: vk::ImageUsageFlags = vk::ImageUsageFlags::from_raw(
            vk::ImageUsageFlags::SAMPLED.as_raw()
                | vk::ImageUsageFlags::STORAGE.as_raw()
                | vk::ImageUsageFlags::COLOR_ATTACHMENT.as_raw()
                | vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT.as_raw(),
        );
        if !desc.usage.intersects(VIEWABLE) {
            return Ok(());
        }
        self.view = self.make_view(desc.array, self.whole())?;
        if desc.mip_views {
            for base_mip in 0..self.mips {
                let view = self.make_view(desc.array, ImageRange { base_mip, mips: 1, ..self.whole() })?;
                self.mip_views.push(view);
            }
        }
        Ok(())
    }

    fn make_view(&self, array: bool, range: ImageRange) -> Result<vk::ImageView> {
        let device = self.device();
        let kind = if array { vk::ImageViewType::TYPE_2D_ARRAY } else { vk::ImageViewType::TYPE_2D };
        let info = vk::ImageViewCreateInfo::default()
            .image(self.raw)
            .view_type(kind)
            .format(self.format)
            .subresource_range(self.subresource(range));
        // SAFETY: the image is alive and has memory, and the range is within it.
        let view = unsafe { device.raw.create_image_view(&info, None) };
        let view = checked(view, &self.name, "vkCreateImageView")?;
        device.set_name(view, &self.name);
        Ok(view)
    }

    /// The handle.
    pub fn raw(&self) -> vk::Image {
        self.raw
    }

    /// The view of all of it; null for an image that is only copied to and from.
    pub fn view(&self) -> vk::ImageView {
        self.view
    }

    /// The view of one mip, where the description asked for those.
    pub fn mip_view(&self, mip: u32) -> Option<vk::ImageView> {
        self.mip_views.get(mip as usize).copied()
    }

    /// Width and height of a mip.
    pub fn extent(&self, mip: u32) -> [u32; 2] {
        self.extent.map(|length| (length >> mip).max(1))
    }

    /// How many layers it has.
    pub fn layers(&self) -> u32 {
        self.layers
    }

    /// How many mips it has.
    pub fn mips(&self) -> u32 {
        self.mips
    }

    /// What a texel is.
    pub fn format(&self) -> vk::Format {
        self.format
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its device.
    pub fn device(&self) -> &Arc<Device> {
        self.ticket.device()
    }

    /// All its mips and layers.
    pub fn whole(&self) -> ImageRange {
        ImageRange { base_mip: 0, mips: self.mips, base_layer: 0, layers: self.layers }
    }

    /// A range as Vulkan states it.
    pub fn subresource(&self, range: ImageRange) -> vk::ImageSubresourceRange {
        debug_assert!(
            range.base_mip + range.mips <= self.mips && range.base_layer + range.layers <= self.layers,
            "{}: {range:?} is not within {:?}",
            self.name,
            self.whole()
        );
        vk::ImageSubresourceRange {
            aspect_mask: aspect(self.format),
            base_mip_level: range.base_mip,
            level_count: range.mips,
            base_array_layer: range.base_layer,
            layer_count: range.layers,
        }
    }

    /// One mip of some layers, for a copy.
    pub fn copy_layers(&self, mip: u32, base_layer: u32, layers: u32) -> vk::ImageSubresourceLayers {
        debug_assert!(mip < self.mips && base_layer + layers <= self.layers, "{}", self.name);
        vk::ImageSubresourceLayers {
            aspect_mask: aspect(self.format),
            mip_level: mip,
            base_array_layer: base_layer,
            layer_count: layers,
        }
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        let device = self.ticket.device();
        for view in self.mip_views.drain(..).chain([self.view]) {
            if view != vk::ImageView::null() {
                device.retire(Retired::View(view));
            }
        }
        device.retire(Retired::Image(self.raw));
        if let Some(allocation) = self.allocation.take() {
            device.retire(Retired::Memory(allocation));
        }
    }
}

fn check_size(device: &Device, desc: &ImageDesc<'_>) -> Result<()> {
    let [width, height] = desc.extent;
    let most_mips = u32::BITS - width.max(height).leading_zeros();
    let layered = if desc.array { desc.layers >= 1 } else { desc.layers == 1 };
    if width == 0 || height == 0 || !layered || desc.mips == 0 || desc.mips > most_mips {
        let ImageDesc { name, layers, mips, .. } = desc;
        return Err(Error::invalid(
            "image",
            format!("{name} cannot be {width}×{height} with {layers} layers and {mips} mips"),
        ));
    }
    // SAFETY: the host keeps the instance and the physical device valid.
    let possible = unsafe {
        device.instance.get_physical_device_image_format_properties(
            device.physical_device,
            desc.format,
            vk::ImageType::TYPE_2D,
            vk::ImageTiling::OPTIMAL,
            desc.usage,
            vk::ImageCreateFlags::empty(),
        )
    };
    let possible = possible.map_err(|_| Error::Unsupported {
        what: format!("format {:?}", desc.format),
        why: format!("{} needs it for {:?}, which this device does not offer", desc.name, desc.usage),
    })?;
    let most = possible.max_extent;
    let fits = width <= most.width && height <= most.height && desc.layers <= possible.max_array_layers;
    if !fits || !possible.sample_counts.contains(desc.samples) {
        return Err(Error::Unsupported {
            what: format!("{} of {width}×{height}×{} with {:?}", desc.name, desc.layers, desc.samples),
            why: format!(
                "the largest {:?} image of this device is {}×{} with {} layers, {:?}",
                desc.format, most.width, most.height, possible.max_array_layers, possible.sample_counts
            ),
        });
    }
    Ok(())
}

/// The aspects that a format has.
pub fn aspect(format: vk::Format) -> vk::ImageAspectFlags {
    use vk::ImageAspectFlags as A;
    match format {
        vk::Format::D16_UNORM | vk::Format::X8_D24_UNORM_PACK32 | vk::Format::D32_SFLOAT => A::DEPTH,
        vk::Format::D16_UNORM_S8_UINT | vk::Format::D24_UNORM_S8_UINT | vk::Format::D32_SFLOAT_S8_UINT => {
            A::DEPTH | A::STENCIL
        }
        vk::Format::S8_UINT => A::STENCIL,
        _ => A::COLOR,
    }
}

/// What a sampler is to be.
#[derive(Clone, Copy, Debug)]
pub struct SamplerDesc<'a> {
    /// Its name in capture tools and reports.
    pub name: &'a str,
    /// How texels are filtered.
    pub filter: vk::Filter,
    /// How mips are.
    pub mip_filter: vk::SamplerMipmapMode,
    /// What lies beyond the edge.
    pub address: vk::SamplerAddressMode,
    /// Most samples along the long axis; 1 is off. Clamped to what the device offers, off where the host did not enable it.
    pub anisotropy: f32,
    /// A comparison, for shadow maps.
    pub compare: Option<vk::CompareOp>,
}

/// A sampler; retired when dropped.
pub struct Sampler {
    raw: vk::Sampler,
    ticket: Ticket,
}

impl Sampler {
    /// Makes a sampler.
    ///
    /// # Errors
    /// [`Error::Vulkan`] naming the sampler.
    pub fn new(device: &Arc<Device>, desc: &SamplerDesc<'_>) -> Result<Self> {
        let anisotropy = desc.anisotropy.min(device.limits().max_sampler_anisotropy);
        let anisotropic = device.features().sampler_anisotropy && anisotropy > 1.0;
        let info = vk::SamplerCreateInfo::default()
            .mag_filter(desc.filter)
            .min_filter(desc.filter)
            .mipmap_mode(desc.mip_filter)
            .address_mode_u(desc.address)
            .address_mode_v(desc.address)
            .address_mode_w(desc.address)
            .anisotropy_enable(anisotropic)
            .max_anisotropy(if anisotropic { anisotropy } else { 1.0 })
            .compare_enable(desc.compare.is_some())
            .compare_op(desc.compare.unwrap_or(vk::CompareOp::ALWAYS))
            .max_lod(vk::LOD_CLAMP_NONE);
        // SAFETY: the device is valid, and anisotropy is used only where the host enabled it.
        let raw = unsafe { device.raw.create_sampler(&info, None) };
        let raw = checked(raw, desc.name, "vkCreateSampler")?;
        device.set_name(raw, desc.name);
        Ok(Sampler { raw, ticket: device.track("sampler", desc.name, 0) })
    }

    /// The handle.
    pub fn raw(&self) -> vk::Sampler {
        self.raw
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        self.ticket.device().retire(Retired::Sampler(self.raw));
    }
}
