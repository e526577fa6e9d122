//! What lights a frame, on the device: set 2 of the lit surface, its rings, its samplers and the table of the sky.
//!
//! A view's light is published once a frame and read by every pass that is lit. Sets are kept by frame slot and by what they hold, so
//! that none is written under a frame in flight and a steady frame writes none.

use super::TextureView;
use super::device_clusters::DeviceClusters;
use super::set_cache::SetCache;
use crate::abi::{LampRecord, LightConstants};
use crate::gpu::{
    Binding, BindingKind, Cmd, Device, FrameRing, Image, ImageBarrier, ImageDesc, RingDesc, RingSlice,
    Sampler, SamplerDesc, Set, SetLayout, SetValue, Staging, StagingDesc, Usage,
};
use crate::light::{Cascades, ClusterConstants, Clusters, SceneLight, SkyTable};
use crate::plan::View;
use crate::shaders::{
    BINDING_CLUSTERS, BINDING_LAMPS, BINDING_LIGHT, BINDING_SHADOW_ATLAS, BINDING_SHADOW_SAMPLER,
    BINDING_SKY_SAMPLER, BINDING_SKY_TABLE,
};
use crate::{Error, Result};
use ash::vk;
use std::sync::Arc;

/// Set 2, as the reflection has it.
pub(super) const LIGHT_BINDINGS: [Binding; 7] = {
    const fn binding(binding: u32, kind: BindingKind) -> Binding {
        Binding::one(binding, kind, vk::ShaderStageFlags::FRAGMENT)
    }
    [
        binding(BINDING_LIGHT, BindingKind::UniformDynamic),
        binding(BINDING_SHADOW_ATLAS, BindingKind::SampledImage),
        binding(BINDING_SHADOW_SAMPLER, BindingKind::Sampler),
        binding(BINDING_LAMPS, BindingKind::StorageDynamic),
        binding(BINDING_CLUSTERS, BindingKind::StorageDynamic),
        binding(BINDING_SKY_TABLE, BindingKind::SampledImage),
        binding(BINDING_SKY_SAMPLER, BindingKind::Sampler),
    ]
};

/// The format of a table of the sky.
const TABLE_FORMAT: vk::Format = vk::Format::R16G16B16A16_SFLOAT;

/// Its texels across and down.
const TABLE_SIZE: [u32; 2] = [SkyTable::WIDTH as u32, SkyTable::HEIGHT as u32];

/// The light of a frame's views. One serves all terrains and views of a device; once a frame it uploads and publishes.
pub struct FrameLight {
    device: Arc<Device>,
    shadow_sampler: Sampler,
    sky_sampler: Sampler,
    constants: FrameRing,
    lamps: FrameRing,
    clusters: FrameRing,
    table: Table,
    /// Where no shadows are: an atlas of one texel.
    no_atlas: Image,
    no_atlas_written: bool,
    staging: Staging,
    sets: SetCache<Holds>,
    frame: u64,
}

/// The sky's table on the device.
struct Table {
    image: Image,
    revision: Option<u64>,
}

/// What a set holds.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Holds {
    atlas: TextureView,
    generations: [u64; 3],
    /// The device's lists in place of the rings'; 0 for none.
    lists: u64,
}

/// A view's light in one frame: what a lit draw is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LightSlice {
    offsets: [u32; 3],
    set: usize,
    frame: u64,
}

/// Where something lies in a ring, or where the device's lists begin in their buffers.
#[derive(Clone, Copy, Default)]
struct Place {
    offset: u32,
    generation: u64,
}

/// What a view is lit by.
#[derive(Clone, Copy)]
pub struct ViewLight<'a> {
    /// The sun and the sky.
    pub scene: &'a SceneLight,
    /// The view.
    pub view: &'a View,
    /// The sun's cascades, and the atlas that they were drawn into: an image of depth in use as
    /// [`Usage::FragmentRead`](crate::gpu::Usage::FragmentRead) where it is drawn with. None where nothing is in shade.
    pub shadows: Option<(&'a Cascades, TextureView)>,
    /// The view's lamps. None where there are none.
    pub clusters: Option<ViewClusters<'a>>,
    /// The table of the sky that this frame uploaded, if any.
    pub table: Option<&'a SkyTable>,
}

/// A view's lamps in its cells.
#[derive(Clone, Copy)]
pub enum ViewClusters<'a> {
    /// Lists that the CPU made; they go to the device when they are published.
    Listed(&'a Clusters),
    /// Lists that the device makes. Prepared in this frame; recorded before whatever they light.
    OnDevice(&'a DeviceClusters),
}

impl ViewClusters<'_> {
    fn constants(&self) -> ClusterConstants {
        match self {
            Self::Listed(clusters) => clusters.constants(),
            Self::OnDevice(clusters) => clusters.constants(),
        }
    }
}

impl<'a> From<&'a Clusters> for ViewClusters<'a> {
    fn from(clusters: &'a Clusters) -> Self {
        Self::Listed(clusters)
    }
}

impl<'a> From<&'a DeviceClusters> for ViewClusters<'a> {
    fn from(clusters: &'a DeviceClusters) -> Self {
        Self::OnDevice(clusters)
    }
}

impl FrameLight {
    /// Holds nothing yet: what is drawn before anything was published is refused.
    ///
    /// # Errors
    /// What the device could not make.
    pub fn new(device: &Arc<Device>) -> Result<Self> {
        let ring = |name, usage, region, bind_range| {
            FrameRing::new(device, RingDesc { name, usage, region, bind_range })
        };
        let (uniform, storage) = (vk::BufferUsageFlags::UNIFORM_BUFFER, vk::BufferUsageFlags::STORAGE_BUFFER);
        let size = size_of::<LightConstants>() as u64;
        let constants = ring("landform light", uniform, 4 * size.next_multiple_of(256), Some(size))?;
        let table = ImageDesc {
            name: "landform sky",
            extent: TABLE_SIZE,
            format: TABLE_FORMAT,
            ..ImageDesc::default()
        };
        let no_atlas =
            ImageDesc { name: "landform no shadows", format: vk::Format::D16_UNORM, ..ImageDesc::default() };
        let keep = StagingDesc { name: "landform sky staging", keep: 0, keep_most: 1 << 20 };
        let set_layout = SetLayout::new(device, "landform light", &LIGHT_BINDINGS)?;
        Ok(Self {
            sets: SetCache::new(device, set_layout, "landform light"),
            shadow_sampler: shadow_sampler(device)?,
            sky_sampler: sky_sampler(device)?,
            constants,
            lamps: ring("landform lamps", storage, 64 * size_of::<LampRecord>() as u64, None)?,
            clusters: ring("landform clusters", storage, 4096, None)?,
            table: Table { image: Image::new(device, &table)?, revision: None },
            no_atlas: Image::new(device, &no_atlas)?,
            no_atlas_written: false,
            staging: Staging::new(device, keep)?,
            frame: 0,
            device: device.clone(),
        })
    }

    /// Copies what changed since the last frame: the table of the sky where there is one of another revision. Once a frame, outside a
    /// rendering scope, before anything is published.
    ///
    /// # Errors
    /// What the device could not make, or a frame that was not begun.
    pub fn upload(&mut self, cmd: &Cmd<'_>, table: Option<&SkyTable>) -> Result<()> {
        self.begin_frame()?;
        let stale = table.filter(|table| self.table.revision != Some(table.revision()));
        let copy = stale.map(|table| self.stage(table)).transpose()?;
        self.clear_no_atlas(cmd);
        let Some((source, region)) = copy else {
            self.clear_table(cmd);
            return Ok(());
        };
        let image = &self.table.image;
        // Frames before this one may still read it; a first table is over nothing.
        let from = if self.table.revision.is_some() { Usage::FragmentRead } else { Usage::Discard };
        let barrier = |from, to| ImageBarrier { image, range: image.whole(), from, to };
        cmd.barriers(&[barrier(from, Usage::TransferDst)], &[]);
        cmd.copy_to_image(source, image, &[region]);
        cmd.barriers(&[barrier(Usage::TransferDst, Usage::FragmentRead)], &[]);
        self.table.revision = stale.map(SkyTable::revision);
        Ok(())
    }

    /// Puts a view's light where the device finds it.
    ///
    /// # Errors
    /// Light that is not finite or is below 0, before [`upload`](Self::upload) of this frame, or what the device could not make.
    pub fn publish(&mut self, light: &ViewLight<'_>) -> Result<LightSlice> {
        if self.frame != self.device.frame() || self.table.revision.is_none() {
            return Err(Error::invalid(
                "frame light",
                "it was published before it was uploaded; call upload once a frame, outside a rendering scope",
            ));
        }
        if light.table.is_some_and(|table| self.table.revision != Some(table.revision())) {
            return Err(Error::invalid(
                "frame light",
                "its table of the sky is not the one that was uploaded; upload it in the same frame",
            ));
        }
        let cascades = light.shadows.map(|(cascades, _)| cascades);
        let found = light.clusters.map(|clusters| clusters.constants());
        let constants = light.scene.constants(light.view, cascades, found.as_ref(), light.table)?;
        let constants = self.constants.push(bytemuck::bytes_of(&constants))?;
        let (lamps, lists, on_device) = match light.clusters {
            Some(ViewClusters::OnDevice(clusters)) => {
                let (revision, lamps) = clusters.bound()?;
                (Place { offset: lamps, generation: 0 }, Place::default(), Some((clusters, revision)))
            }
            Some(ViewClusters::Listed(clusters)) => {
                let (records, words) = (clusters.records(), clusters.words());
                let (lamps, lists) = self.push_lists(records, words)?;
                (lamps, lists, None)
            }
            None => {
                let (lamps, lists) = self.push_lists(&[], &[])?;
                (lamps, lists, None)
            }
        };
        let no_atlas = TextureView { view: self.no_atlas.view(), revision: 0 };
        let holds = Holds {
            atlas: light.shadows.map_or(no_atlas, |(_, atlas)| atlas),
            generations: [constants.generation, lamps.generation, lists.generation],
            lists: on_device.map_or(0, |(_, revision)| revision),
        };
        let offsets = [constants.offset, lamps.offset, lists.offset];
        let set = self.set_that_holds(holds, on_device.map(|(clusters, _)| clusters))?;
        Ok(LightSlice { offsets, set, frame: self.frame })
    }

    /// Lists of the CPU's into the rings; something where there are none, for a set holds all of its bindings.
    fn push_lists(&mut self, records: &[LampRecord], words: &[u32]) -> Result<(Place, Place)> {
        let lamps = match records {
            [] => self.lamps.push(&[0; 48])?,
            records => self.lamps.push(bytemuck::cast_slice(records))?,
        };
        let lists = match words {
            [] => self.clusters.push(&[0; 16])?,
            words => self.clusters.push(bytemuck::cast_slice(words))?,
        };
        let place = |slice: RingSlice| Place { offset: slice.offset, generation: slice.generation };
        Ok((place(lamps), place(lists)))
    }

    /// Takes the images for never written: for a host that recorded an upload and then never submitted it.
    pub fn forget(&mut self) {
        self.table.revision = None;
        self.no_atlas_written = false;
    }

    /// The layout of the set that lit passes read.
    pub fn set_layout(&self) -> &Arc<SetLayout> {
        self.sets.layout()
    }

    /// The set and the offsets to bind it with.
    ///
    /// # Errors
    /// A slice of another frame.
    pub(super) fn bound(&self, slice: &LightSlice) -> Result<(&Set, [u32; 3])> {
        let current = slice.frame == self.device.frame();
        let set = self.sets.get(slice.set).filter(|_| current);
        let set = set.ok_or_else(|| {
            Error::invalid("frame light", "it was published in another frame; publish it once a frame")
        })?;
        Ok((set, slice.offsets))
    }

    fn begin_frame(&mut self) -> Result<()> {
        let frame = self.device.frame();
        if frame == 0 {
            return Err(Error::invalid(
                "frame light",
                "no frame was begun; call Device::begin_frame once a frame, first of all",
            ));
        }
        if self.frame != frame {
            self.staging.begin_frame()?;
            self.constants.begin_frame();
            self.lamps.begin_frame();
            self.clusters.begin_frame();
            self.frame = frame;
        }
        Ok(())
    }

    fn stage(&mut self, table: &SkyTable) -> Result<(vk::Buffer, vk::BufferImageCopy)> {
        let texels = table.texels();
        let staged = self.staging.stage(texels.len() as u64, 8)?;
        staged.bytes.copy_from_slice(texels);
        let (source, buffer_offset) = (staged.buffer, staged.offset);
        self.staging.finish()?;
        let region = vk::BufferImageCopy {
            buffer_offset,
            image_subresource: self.table.image.copy_layers(0, 0, 1),
            image_extent: vk::Extent3D { width: TABLE_SIZE[0], height: TABLE_SIZE[1], depth: 1 },
            ..vk::BufferImageCopy::default()
        };
        Ok((source, region))
    }

    /// A frame without a table of the sky binds the image all the same.
    fn clear_table(&mut self, cmd: &Cmd<'_>) {
        if self.table.revision.is_none() {
            clear(cmd, &self.table.image);
            self.table.revision = Some(NO_TABLE);
        }
    }

    fn clear_no_atlas(&mut self, cmd: &Cmd<'_>) {
        if !self.no_atlas_written {
            clear(cmd, &self.no_atlas);
            self.no_atlas_written = true;
        }
    }

    fn set_that_holds(&mut self, holds: Holds, on_device: Option<&DeviceClusters>) -> Result<usize> {
        let Self { sets, constants, lamps, clusters, shadow_sampler, sky_sampler, table, .. } = self;
        sets.find(holds, |sets| {
            let (lamps, lists) = match on_device.map(DeviceClusters::buffers) {
                Some(buffers) => (buffers.lamps, buffers.words),
                None => (whole(lamps), whole(clusters)),
            };
            sets.write(0, BINDING_LIGHT, 0, whole(constants))?;
            sets.write(0, BINDING_LAMPS, 0, lamps)?;
            sets.write(0, BINDING_CLUSTERS, 0, lists)?;
            sets.write(0, BINDING_SHADOW_ATLAS, 0, SetValue::Image(holds.atlas.view))?;
            sets.write(0, BINDING_SHADOW_SAMPLER, 0, SetValue::Sampler(shadow_sampler.raw()))?;
            sets.write(0, BINDING_SKY_TABLE, 0, SetValue::Image(table.image.view()))?;
            sets.write(0, BINDING_SKY_SAMPLER, 0, SetValue::Sampler(sky_sampler.raw()))
        })
    }
}

/// All that a ring's descriptor sees.
fn whole(ring: &FrameRing) -> SetValue<'_> {
    SetValue::Buffer { buffer: ring.buffer(), offset: 0, range: ring.bind_range() }
}

/// The revision of a cleared table; those of tables begin with 1.
const NO_TABLE: u64 = 0;

/// Clears an image to 0, which is far, and dark.
fn clear(cmd: &Cmd<'_>, image: &Image) {
    let barrier = |from, to| ImageBarrier { image, range: image.whole(), from, to };
    cmd.barriers(&[barrier(Usage::Discard, Usage::TransferDst)], &[]);
    if crate::gpu::aspect(image.format()) == vk::ImageAspectFlags::COLOR {
        cmd.clear_color(image, image.whole(), vk::ClearColorValue::default());
    } else {
        cmd.clear_depth(image, image.whole(), 0.0);
    }
    cmd.barriers(&[barrier(Usage::TransferDst, Usage::FragmentRead)], &[]);
}

/// Compares what a place's depth is with what the map holds: reverse-Z, so what is not further from the light is lit.
fn shadow_sampler(device: &Arc<Device>) -> Result<Sampler> {
    // Linear filters of depth are not promised; where there are none, four comparisons remain.
    let linear = vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR;
    let filtered = [vk::Format::D32_SFLOAT, vk::Format::D16_UNORM]
        .into_iter()
        .all(|format| device.check_format(format, linear, "shadow maps").is_ok());
    let filter = if filtered { vk::Filter::LINEAR } else { vk::Filter::NEAREST };
    Sampler::new(
        device,
        &SamplerDesc {
            name: "landform shadows",
            filter,
            mip_filter: vk::SamplerMipmapMode::NEAREST,
            address: vk::SamplerAddressMode::CLAMP_TO_EDGE,
            anisotropy: 1.0,
            compare: Some(vk::CompareOp::GREATER_OR_EQUAL),
        },
    )
}

fn sky_sampler(device: &Arc<Device>) -> Result<Sampler> {
    Sampler::new(
        device,
        &SamplerDesc {
            name: "landform sky",
            filter: vk::Filter::LINEAR,
            mip_filter: vk::SamplerMipmapMode::NEAREST,
            address: vk::SamplerAddressMode::CLAMP_TO_EDGE,
            anisotropy: 1.0,
            compare: None,
        },
    )
}
