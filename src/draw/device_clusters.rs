//! A view's lamps, sorted into its cells by the device: one pass a lamp, one a strip of cells.
//!
//! It owns the lists and what they are made from. The CPU hands over the records of lamps that may reach the view; lists are made and
//! read on the device, in one buffer, for a frame's fragments have read theirs before the next frame's are written.

use super::set_cache::SetCache;
use crate::abi::{ClusterView, LampReach, LampRecord};
use crate::gpu::{
    Binding, BindingKind, Buffer, BufferBarrier, BufferDesc, Cmd, Device, FrameRing, MemoryLocation,
    Pipeline, PipelineLayout, RingDesc, SetLayout, SetValue, ShaderDesc, Usage,
};
use crate::light::{ClusterConstants, ClusterGrid, Lamp, ViewLamps};
use crate::plan::View;
use crate::shaders::{
    BINDING_CLUSTER_COUNTS, BINDING_CLUSTER_LAMPS, BINDING_CLUSTER_REACHES, BINDING_CLUSTER_VIEW,
    BINDING_CLUSTER_WORDS, CLUSTER_STRIP, SET, ShaderId,
};
use crate::{Error, Result};
use ash::vk;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Set 0 of the two passes, as the reflection has it.
pub(super) const CLUSTER_BINDINGS: [Binding; 5] = {
    const fn binding(binding: u32, kind: BindingKind) -> Binding {
        Binding { binding, kind, stages: vk::ShaderStageFlags::COMPUTE, count: 1 }
    }
    [
        binding(BINDING_CLUSTER_VIEW, BindingKind::UniformDynamic),
        binding(BINDING_CLUSTER_LAMPS, BindingKind::StorageDynamic),
        binding(BINDING_CLUSTER_REACHES, BindingKind::Storage),
        binding(BINDING_CLUSTER_WORDS, BindingKind::Storage),
        binding(BINDING_CLUSTER_COUNTS, BindingKind::Storage),
    ]
};

/// Words of lists that there are at least: 1 MiB.
const LEAST_LISTED: u64 = 1 << 18;
/// Words of lists a lamp: what one of thirty metres takes in the cells before it, and three times what one takes that is far.
const LISTED_A_LAMP: u64 = 512;
/// The most words of lists that no frame asked for: 64 MiB.
const MOST_UNASKED: u64 = 1 << 24;
/// The most words of lists: with their headers 128 MiB, which is what a shader sees of a buffer on every device.
const MOST_LISTED: u64 = (1 << 25) - (1 << 16);
/// Lamps that there is room for at least.
const LEAST_LAMPS: u32 = 64;
/// Lanes of a workgroup of the pass that looks at lamps.
const REACH_LANES: u32 = 64;
/// Bytes of what a frame counts: words that are wanted, and words that had no room.
const COUNTED: u64 = 8;

/// The code of the tracing event that says that lamps were left out of lists.
const LEFT_OUT: &str = "lamps-left-out";

/// How long the lists of a view were, as many frames ago as are in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LampLists {
    /// Lamps in all cells together: what a pixel adds up is this over the cells, on average.
    pub listed: u32,
    /// Of them those that had no room. There is more of it in the next frame, as far as 128 MiB go.
    pub left_out: u32,
}

/// The clusters of one view, filled on the device. See [`Clusters`](crate::light::Clusters), which the CPU fills: the lists are the same
/// but for a few lamps more whose reach ends within some millionths of a cell, and pixels add them up in the same order.
///
/// Once a frame and view: [`prepare`](Self::prepare), then in any order [`FrameLight::publish`](super::FrameLight::publish) and
/// [`record`](Self::record), then whatever is lit.
///
/// Lists have room for every lamp in every cell, up to 1 MiB and 2 KiB a lamp, and up to 64 MiB. Where a frame needed more, frames after
/// it have room for a quarter more than that, up to 128 MiB, and meanwhile some cells lack the last of their lamps: [`lists`](Self::lists)
/// says how many, and a tracing event (warning, code `lamps-left-out`) that it began.
pub struct DeviceClusters {
    device: Arc<Device>,
    lamps: ViewLamps,
    layout: Arc<PipelineLayout>,
    /// What lamps reach, and the lists.
    passes: [Pipeline; 2],
    sets: SetCache<u64>,
    views: FrameRing,
    records: FrameRing,
    room: Room,
    counts: Buffer,
    /// What frames counted, a slot each.
    counted: Buffer,
    /// Of which slots the last frame that was prepared counted anything.
    counting: Vec<bool>,
    lists: LampLists,
    /// The frame that it was prepared for, and where that frame's records and its view lie.
    frame: u64,
    offsets: [u32; 2],
    /// A number that no other state of any clusters' buffers has.
    revision: u64,
    generations: [u64; 2],
}

/// The buffers that grow with lamps.
struct Room {
    reaches: Buffer,
    words: Buffer,
    lamps: u32,
    /// Words of lists.
    listed: u32,
}

/// What a set of lit draws holds of it.
pub(super) struct ListBuffers<'a> {
    pub(super) lamps: SetValue<'a>,
    pub(super) words: SetValue<'a>,
}

impl DeviceClusters {
    /// Clusters of a view that is cut so.
    ///
    /// # Errors
    /// A grid of no cells or of more than 32768, and what the device could not make.
    pub fn new(device: &Arc<Device>, grid: ClusterGrid) -> Result<Self> {
        grid.validate()?;
        let lamps = ViewLamps::new(grid);
        let set_layout = SetLayout::new(device, "landform lamp lists", &CLUSTER_BINDINGS)?;
        let no_stage = vk::ShaderStageFlags::empty();
        let layout = PipelineLayout::new(device, "landform lamp lists", &[&set_layout], 0, no_stage)?;
        let pass = |name, shader: ShaderId| {
            let shader = ShaderDesc { words: shader.spirv(), entry: c"main", constants: &[] };
            Pipeline::compute(device, name, &layout, &shader)
        };
        let view = size_of::<ClusterView>() as u64;
        let views = RingDesc {
            name: "landform lamp views",
            usage: vk::BufferUsageFlags::UNIFORM_BUFFER,
            region: view,
            bind_range: Some(view),
        };
        let records = RingDesc {
            name: "landform device lamps",
            usage: vk::BufferUsageFlags::STORAGE_BUFFER,
            region: u64::from(LEAST_LAMPS) * size_of::<LampRecord>() as u64,
            bind_range: None,
        };
        let from_device = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::STORAGE_BUFFER;
        let mut counted = buffer(
            device,
            "landform lamps counted",
            COUNTED * device.slots() as u64,
            vk::BufferUsageFlags::TRANSFER_DST,
            MemoryLocation::Readback,
        )?;
        if let Some(bytes) = counted.mapped_mut() {
            bytes.fill(0);
        }
        Ok(Self {
            passes: [
                pass("landform lamp reaches", ShaderId::ClusterReachesCompute)?,
                pass("landform lamp lists", ShaderId::ClustersCompute)?,
            ],
            sets: SetCache::new(device, set_layout, "landform lamp lists"),
            layout,
            views: FrameRing::new(device, views)?,
            records: FrameRing::new(device, records)?,
            room: Room::new(device, lamps.cells(), LEAST_LAMPS, most_listed(lamps.cells(), LEAST_LAMPS, 0))?,
            lamps,
            counts: buffer(device, "landform lamp counts", COUNTED, from_device, MemoryLocation::GpuOnly)?,
            counted,
            counting: vec![false; device.slots()],
            lists: LampLists::default(),
            frame: 0,
            offsets: [0; 2],
            revision: next_revision(),
            generations: [0; 2],
            device: device.clone(),
        })
    }

    /// Takes a frame's lamps, of which those go to the device that may reach the view, as deep as `far` metres, 1 to 1e9. Once a
    /// frame, after [`Device::begin_frame`].
    ///
    /// # Errors
    /// As [`Clusters::build`](crate::light::Clusters::build); a second view in one frame, which needs clusters of its own; and what the
    /// device could not make.
    pub fn prepare(&mut self, view: &View, far: f64, lamps: &[Lamp]) -> Result<()> {
        let frame = self.device.frame();
        if self.frame == frame {
            return Err(Error::invalid(
                "device clusters",
                "they were prepared in this frame, or no frame was begun; call Device::begin_frame first, and make \
                 clusters for each view",
            ));
        }
        self.read_counts()?;
        self.lamps.build(view, far, lamps)?;
        self.make_room()?;
        self.views.begin_frame();
        self.records.begin_frame();
        let constants = self.lamps.for_device(self.room.listed);
        let view = self.views.push(bytemuck::bytes_of(&constants.unwrap_or(bytemuck::Zeroable::zeroed())))?;
        let records = match self.lamps.records() {
            [] => self.records.push(&[0; size_of::<LampRecord>()])?,
            records => self.records.push(bytemuck::cast_slice(records))?,
        };
        let generations = [view.generation, records.generation];
        if generations != self.generations {
            (self.generations, self.revision) = (generations, next_revision());
        }
        self.offsets = [view.offset, records.offset];
        self.frame = frame;
        Ok(())
    }

    /// Records the passes. Outside a rendering scope, before whatever the view's lamps light.
    ///
    /// Nothing of it is left bound but the compute pipeline and its set 0.
    ///
    /// # Errors
    /// A frame that was not prepared, a command buffer of another device, and what the device could not make.
    pub fn record(&mut self, cmd: &Cmd<'_>) -> Result<()> {
        self.check_prepared()?;
        if !std::ptr::eq(cmd.device(), &*self.device) {
            return Err(Error::invalid("device clusters", "the command buffer is of another device"));
        }
        let lamps = self.lamps.records().len() as u32;
        // A shader that is told of no lamps looks at no list.
        if lamps == 0 {
            return Ok(());
        }
        let set = self.set()?;
        let compute = vk::PipelineBindPoint::COMPUTE;
        let Self { layout, sets, passes: [reaches, lists], room, counts, .. } = self;
        let Some(set) = sets.get(set) else { return Ok(()) };
        let barrier = |buffer, from, to| BufferBarrier { buffer, offset: 0, size: vk::WHOLE_SIZE, from, to };
        // What the frame before read or wrote is over.
        cmd.barriers(
            &[],
            &[
                barrier(&room.reaches, Usage::ComputeRead, Usage::ComputeWrite),
                barrier(&room.words, Usage::FragmentRead, Usage::ComputeWrite),
                barrier(counts, Usage::TransferSrc, Usage::ComputeWrite),
            ],
        );
        cmd.bind_pipeline(reaches);
        cmd.bind_sets(compute, layout, SET, &[set], &self.offsets);
        cmd.dispatch([lamps.div_ceil(REACH_LANES), 1, 1]);
        cmd.barriers(
            &[],
            &[
                barrier(&room.reaches, Usage::ComputeWrite, Usage::ComputeRead),
                barrier(counts, Usage::ComputeWrite, Usage::ComputeWrite),
            ],
        );
        let ClusterGrid { columns, rows, slices } = self.lamps.grid();
        cmd.bind_pipeline(lists);
        cmd.dispatch([columns.div_ceil(CLUSTER_STRIP), rows, slices]);
        cmd.barriers(
            &[],
            &[
                barrier(&room.words, Usage::ComputeWrite, Usage::FragmentRead),
                barrier(counts, Usage::ComputeWrite, Usage::TransferSrc),
            ],
        );
        self.copy_counts(cmd);
        self.counting[self.device.slot()] = true;
        Ok(())
    }

    /// Takes the last frame for never prepared and nothing for counted: for a host that recorded a frame and then never submitted it.
    /// It may be prepared again in the same frame.
    pub fn forget(&mut self) {
        self.frame = 0;
        self.counting.fill(false);
        self.lists = LampLists::default();
    }

    /// How long the lists were, as many frames ago as are in flight; nothing before that.
    pub fn lists(&self) -> LampLists {
        self.lists
    }

    /// The lamps of the frame that may reach the view.
    pub fn lamps(&self) -> &ViewLamps {
        &self.lamps
    }

    /// The lists as [`Clusters::words`](crate::light::Clusters::words) has them, for shaders of your own and for tools: in use as
    /// [`Usage::FragmentRead`] after [`record`](Self::record), and those of an earlier frame where this one has no lamps. It is another
    /// buffer where [`prepare`](Self::prepare) needed more room.
    pub fn words(&self) -> &Buffer {
        &self.room.words
    }

    /// What the shader finds a cell with.
    pub(super) fn constants(&self) -> ClusterConstants {
        self.lamps.constants()
    }

    /// What its lamps are bound with: the number of what a set holds, and the offset of the frame's records.
    ///
    /// # Errors
    /// A frame that was not prepared.
    pub(super) fn bound(&self) -> Result<(u64, u32)> {
        self.check_prepared().map(|()| (self.revision, self.offsets[1]))
    }

    pub(super) fn buffers(&self) -> ListBuffers<'_> {
        let (lamps, words) = (&self.records, &self.room.words);
        ListBuffers {
            lamps: SetValue::Buffer { buffer: lamps.buffer(), offset: 0, range: lamps.bind_range() },
            words: SetValue::Buffer { buffer: words, offset: 0, range: words.size() },
        }
    }

    fn check_prepared(&self) -> Result<()> {
        if self.frame == self.device.frame() && self.frame != 0 {
            return Ok(());
        }
        Err(Error::invalid("device clusters", "they have no lamps of this frame; call prepare once a frame"))
    }

    /// What the last frame of this slot counted, which has completed.
    fn read_counts(&mut self) -> Result<()> {
        let slot = self.device.slot();
        if !std::mem::take(&mut self.counting[slot]) {
            self.lists = LampLists::default();
            return Ok(());
        }
        let offset = COUNTED * slot as u64;
        self.counted.invalidate(offset, COUNTED)?;
        let bytes = self.counted.mapped().unwrap_or_default();
        let word = |at: usize| {
            let bytes = bytes.get(offset as usize + 4 * at..)?.first_chunk()?;
            Some(u32::from_le_bytes(*bytes))
        };
        let (listed, left_out) = (word(0).unwrap_or_default(), word(1).unwrap_or_default());
        if left_out > 0 && self.lists.left_out == 0 {
            tracing::warn!(code = LEFT_OUT, listed, left_out, "lamps were left out of a view's lists");
        }
        self.lists = LampLists { listed, left_out };
        Ok(())
    }

    /// Makes larger buffers where lamps or what the last frames counted ask for them.
    fn make_room(&mut self) -> Result<()> {
        let lamps = (self.lamps.records().len() as u32).next_power_of_two().max(self.room.lamps);
        let wanted = match self.lists {
            LampLists { left_out: 0, .. } => 0,
            LampLists { listed, .. } => u64::from(listed) + u64::from(listed) / 4,
        };
        let listed = most_listed(self.lamps.cells(), lamps, wanted).max(self.room.listed);
        if (lamps, listed) != (self.room.lamps, self.room.listed) {
            self.room = Room::new(&self.device, self.lamps.cells(), lamps, listed)?;
            self.revision = next_revision();
        }
        Ok(())
    }

    fn set(&mut self) -> Result<usize> {
        let Self { sets, views, records, room, counts, revision, .. } = self;
        sets.find(*revision, |sets| {
            let ring = |ring: &FrameRing| ring.bind_range();
            let rows = [
                (BINDING_CLUSTER_VIEW, views.buffer(), ring(views)),
                (BINDING_CLUSTER_LAMPS, records.buffer(), ring(records)),
                (BINDING_CLUSTER_REACHES, &room.reaches, room.reaches.size()),
                (BINDING_CLUSTER_WORDS, &room.words, room.words.size()),
                (BINDING_CLUSTER_COUNTS, counts, counts.size()),
            ];
            rows.into_iter().try_for_each(|(binding, buffer, range)| {
                sets.write(0, binding, 0, SetValue::Buffer { buffer, offset: 0, range })
            })
        })
    }

    fn copy_counts(&self, cmd: &Cmd<'_>) {
        let offset = COUNTED * self.device.slot() as u64;
        let region = vk::BufferCopy { src_offset: 0, dst_offset: offset, size: COUNTED };
        cmd.copy_to_buffer(self.counts.raw(), &self.counted, &[region]);
        let (from, to) = (Usage::TransferDst, Usage::HostRead);
        cmd.barriers(&[], &[BufferBarrier { buffer: &self.counted, offset, size: COUNTED, from, to }]);
    }
}

impl Room {
    fn new(device: &Arc<Device>, cells: u32, lamps: u32, listed: u32) -> Result<Self> {
        let storage = vk::BufferUsageFlags::STORAGE_BUFFER;
        let reaches = u64::from(lamps) * size_of::<LampReach>() as u64;
        let words = 4 * (2 * u64::from(cells) + u64::from(listed));
        let listing = storage | vk::BufferUsageFlags::TRANSFER_SRC;
        let on_device = MemoryLocation::GpuOnly;
        Ok(Self {
            reaches: buffer(device, "landform lamp reaches", reaches, storage, on_device)?,
            words: buffer(device, "landform lamp lists", words, listing, on_device)?,
            lamps,
            listed,
        })
    }
}

/// Words of lists for so many lamps in so many cells, where a frame wanted so many.
fn most_listed(cells: u32, lamps: u32, wanted: u64) -> u32 {
    let every = u64::from(cells) * u64::from(lamps);
    let usual = LEAST_LISTED + LISTED_A_LAMP * u64::from(lamps);
    every.min(usual.min(MOST_UNASKED).max(wanted)).min(MOST_LISTED) as u32
}

fn next_revision() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

fn buffer(
    device: &Arc<Device>,
    name: &str,
    size: u64,
    usage: vk::BufferUsageFlags,
    location: MemoryLocation,
) -> Result<Buffer> {
    Buffer::new(device, &BufferDesc { name, size, usage, location })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_room_for_all_where_that_is_little_and_never_for_more() {
        assert_eq!(most_listed(3456, 64, 0), 3456 * 64, "every lamp in every cell");
        assert_eq!(most_listed(3456, 4096, 0), (1 << 18) + 512 * 4096);
        assert_eq!(most_listed(3456, 65536, 0), 1 << 24);
        assert_eq!(most_listed(3456, 4096, 5_000_000), 5_000_000);
        assert_eq!(most_listed(3456, 4096, 50_000_000), 3456 * 4096);
        assert_eq!(2 * 32768 + most_listed(32768, 65536, u64::MAX), 1 << 25);
        assert_eq!(most_listed(1, 64, u64::MAX), 64);
    }
}
