//! How long passes take on the device, and what their pipelines counted.
//!
//! A [`Timestamps`] owns its query pools. Each frame slot has its own queries; they are read, without waiting, when the
//! slot's turn comes again, so the numbers are `frames_in_flight` frames old. A frame whose command buffer was never
//! submitted yields no numbers.

use std::sync::Arc;

use ash::vk;

use super::cmd::Cmd;
use super::device::{Device, Ticket, checked};
use super::retire::Retired;
use crate::Result;

/// What one span took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// The label of the span.
    pub label: &'static str,
    /// Milliseconds from its beginning to its end on the device.
    pub milliseconds: f64,
    /// What its pipelines counted, where that was asked for.
    pub counts: Option<PipelineCounts>,
}

/// Counts of the pipeline statistics query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PipelineCounts {
    /// Triangles that were assembled.
    pub primitives: u64,
    /// Invocations of the vertex stage.
    pub vertex_invocations: u64,
    /// Triangles left after clipping.
    pub clipped_primitives: u64,
    /// Invocations of the fragment stage.
    pub fragment_invocations: u64,
}

const COUNTERS: vk::QueryPipelineStatisticFlags = vk::QueryPipelineStatisticFlags::from_raw(
    vk::QueryPipelineStatisticFlags::INPUT_ASSEMBLY_PRIMITIVES.as_raw()
        | vk::QueryPipelineStatisticFlags::VERTEX_SHADER_INVOCATIONS.as_raw()
        | vk::QueryPipelineStatisticFlags::CLIPPING_PRIMITIVES.as_raw()
        | vk::QueryPipelineStatisticFlags::FRAGMENT_SHADER_INVOCATIONS.as_raw(),
);

/// Query pools and the latest numbers.
pub struct Timestamps {
    pool: Option<vk::QueryPool>,
    statistics: Option<vk::QueryPool>,
    most_spans: u32,
    slots: Vec<Slot>,
    current: usize,
    latest: Vec<Timing>,
    latest_frame: u64,
    ticket: Ticket,
}

#[derive(Default)]
struct Slot {
    /// The frame that its queries were reset for.
    frame: Option<u64>,
    spans: Vec<SpanRecord>,
}

#[derive(Clone, Copy)]
struct SpanRecord {
    label: &'static str,
    ended: bool,
    counted: bool,
}

/// An open span; end it in the same command buffer.
#[must_use]
#[derive(Clone, Copy, Debug)]
pub struct Span(Option<u32>);

impl Timestamps {
    /// Makes queries for `most_spans` spans a frame. Where the queue writes no timestamps there will be no numbers.
    /// `statistics` asks for pipeline counts as well, where the host enabled them; the host must then have no pipeline
    /// statistics query of its own active around landform's draws.
    ///
    /// # Errors
    /// [`Error::Vulkan`](crate::Error::Vulkan) naming the pool.
    pub fn new(device: &Arc<Device>, name: &str, most_spans: u32, statistics: bool) -> Result<Self> {
        let slots = device.slots() as u32;
        let mut timestamps = Timestamps {
            pool: None,
            statistics: None,
            most_spans,
            slots: Vec::new(),
            current: 0,
            latest: Vec::with_capacity(most_spans as usize),
            latest_frame: 0,
            ticket: device.track("timestamps", name, 0),
        };
        for _ in 0..slots {
            let spans = Vec::with_capacity(most_spans as usize);
            timestamps.slots.push(Slot { frame: None, spans });
        }
        if most_spans == 0 || device.timestamp_period().is_none() {
            return Ok(timestamps);
        }
        let make = |info: vk::QueryPoolCreateInfo<'_>| {
            // SAFETY: the device is valid, and statistics are used only where they were enabled.
            let pool = unsafe { device.raw.create_query_pool(&info, None) };
            let pool = checked(pool, name, "vkCreateQueryPool")?;
            device.set_name(pool, name);
            Ok::<_, crate::Error>(pool)
        };
        let info = vk::QueryPoolCreateInfo::default();
        let count = slots * most_spans;
        timestamps.pool = Some(make(info.query_type(vk::QueryType::TIMESTAMP).query_count(2 * count))?);
        if statistics && device.features().pipeline_statistics_query {
            let info = info.query_type(vk::QueryType::PIPELINE_STATISTICS).pipeline_statistics(COUNTERS);
            timestamps.statistics = Some(make(info.query_count(count))?);
        }
        Ok(timestamps)
    }

    /// Reads what the current frame's slot measured last time and makes it ready for this frame. Outside a rendering scope,
    /// before the first span, and once a frame.
    pub fn begin_frame(&mut self, cmd: &Cmd<'_>) {
        let device = cmd.device();
        self.current = device.slot();
        self.read_back(device);
        let slot = &mut self.slots[self.current];
        slot.spans.clear();
        slot.frame = Some(device.frame());
        let (first, count) = (self.current as u32 * self.most_spans, self.most_spans);
        // SAFETY: Cmd's promise; the slot's queries are no longer in use by the host's promise.
        unsafe {
            if let Some(pool) = self.pool {
                device.raw.cmd_reset_query_pool(cmd.raw(), pool, 2 * first, 2 * count);
            }
            if let Some(pool) = self.statistics {
                device.raw.cmd_reset_query_pool(cmd.raw(), pool, first, count);
            }
        }
    }

    /// Begins a span. Spans beyond the number that was made, and those of a frame that was not begun here, are not measured.
    /// With `count`, pipelines count until the span ends, which must be in the same rendering scope; counting spans do not
    /// nest.
    pub fn begin(&mut self, cmd: &Cmd<'_>, label: &'static str, count: bool) -> Span {
        let slot = &mut self.slots[self.current];
        let index = slot.spans.len() as u32;
        let ready = slot.frame == Some(cmd.device().frame()) && index < self.most_spans;
        let Some(pool) = self.pool.filter(|_| ready) else { return Span(None) };
        let counted = count && self.statistics.is_some();
        slot.spans.push(SpanRecord { label, ended: false, counted });
        let query = self.current as u32 * self.most_spans + index;
        let raw = &cmd.device().raw;
        // SAFETY: Cmd's promise; the query was reset this frame and is used once.
        unsafe {
            raw.cmd_write_timestamp(cmd.raw(), vk::PipelineStageFlags::TOP_OF_PIPE, pool, 2 * query);
            if let Some(statistics) = self.statistics.filter(|_| counted) {
                raw.cmd_begin_query(cmd.raw(), statistics, query, vk::QueryControlFlags::empty());
            }
        }
        Span(Some(index))
    }

    /// Ends a span.
    pub fn end(&mut self, cmd: &Cmd<'_>, span: Span) {
        let (Some(index), Some(pool)) = (span.0, self.pool) else { return };
        let Some(record) = self.slots[self.current].spans.get_mut(index as usize) else { return };
        record.ended = true;
        let query = self.current as u32 * self.most_spans + index;
        let raw = &cmd.device().raw;
        // SAFETY: Cmd's promise; the span was begun this frame.
        unsafe {
            if let Some(statistics) = self.statistics.filter(|_| record.counted) {
                raw.cmd_end_query(cmd.raw(), statistics, query);
            }
            raw.cmd_write_timestamp(cmd.raw(), vk::PipelineStageFlags::BOTTOM_OF_PIPE, pool, 2 * query + 1);
        }
    }

    /// The newest numbers, in the order in which the spans were begun, and the frame that they are of; 0 before there are
    /// any.
    pub fn latest(&self) -> (u64, &[Timing]) {
        (self.latest_frame, &self.latest)
    }

    /// Milliseconds of all spans of a label in the newest numbers.
    pub fn milliseconds(&self, label: &str) -> Option<f64> {
        let mut spans = self.latest.iter().filter(|timing| timing.label == label).peekable();
        spans.peek()?;
        Some(spans.map(|timing| timing.milliseconds).sum())
    }

    fn read_back(&mut self, device: &Device) {
        let slot = &self.slots[self.current];
        let (Some(pool), Some((period, bits))) = (self.pool, device.timestamp_period()) else { return };
        if slot.spans.is_empty() {
            return;
        }
        self.latest.clear();
        self.latest_frame = slot.frame.unwrap_or_default();
        for (index, span) in slot.spans.iter().enumerate() {
            let query = self.current as u32 * self.most_spans + index as u32;
            let ticks = span.ended.then(|| read::<2, 4>(device, pool, 2 * query)).flatten();
            let Some([begin, _, end, _]) = ticks else { continue };
            let statistics = self.statistics.filter(|_| span.counted);
            let counts = statistics.and_then(|pool| read::<1, 5>(device, pool, query));
            self.latest.push(Timing {
                label: span.label,
                milliseconds: elapsed(begin, end, bits) as f64 * f64::from(period) * 1e-6,
                counts: counts.map(|[primitives, vertices, clipped, fragments, _]| PipelineCounts {
                    primitives,
                    vertex_invocations: vertices,
                    clipped_primitives: clipped,
                    fragment_invocations: fragments,
                }),
            });
        }
    }
}

impl Drop for Timestamps {
    fn drop(&mut self) {
        for pool in self.pool.into_iter().chain(self.statistics) {
            self.ticket.device().retire(Retired::QueryPool(pool));
        }
    }
}

/// Reads QUERIES queries, each with its availability as its last word, into WORDS words. None unless all are available.
fn read<const QUERIES: usize, const WORDS: usize>(
    device: &Device,
    pool: vk::QueryPool,
    first: u32,
) -> Option<[u64; WORDS]> {
    let mut words = [0u64; WORDS];
    let stride = (WORDS / QUERIES * size_of::<u64>()) as u64;
    // SAFETY: the queries are in the pool, and the words have room for all of their results at this stride.
    let result = unsafe {
        (device.raw.fp_v1_0().get_query_pool_results)(
            device.raw.handle(),
            pool,
            first,
            QUERIES as u32,
            size_of_val(&words),
            words.as_mut_ptr().cast(),
            stride,
            vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY,
        )
    };
    let available =
        words.chunks_exact(WORDS / QUERIES).all(|query| query.last().is_some_and(|word| *word != 0));
    (result == vk::Result::SUCCESS && available).then_some(words)
}

/// Ticks between two timestamps of which only the low `bits` count, and which may have wrapped once.
fn elapsed(begin: u64, end: u64, bits: u32) -> u64 {
    let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
    end.wrapping_sub(begin) & mask
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps_wrap() {
        assert_eq!(elapsed(100, 350, 64), 250);
        assert_eq!(elapsed((1 << 36) - 10, 20, 36), 30);
        assert_eq!(elapsed(u64::MAX - 4, 5, 64), 10);
    }
}
