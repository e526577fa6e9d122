//! One queue for everything that is no longer wanted but that the device may still be using.
//!
//! Owners enqueue: dropping a buffer, an image or a pipeline puts its handles here under the current frame. Frames
//! destroy: once the work of that frame is known to have completed, the handles are destroyed in the order in which they
//! were enqueued. Nothing here waits for the device. A ledger of what is alive gives leaks a name.

use std::collections::VecDeque;

use ash::vk;

use super::memory::{Allocation, DeviceMemory};

/// Something to destroy.
#[derive(Debug)]
pub(super) enum Retired {
    /// A buffer, without its memory.
    Buffer(vk::Buffer),
    /// An image, without its memory.
    Image(vk::Image),
    /// An image view.
    View(vk::ImageView),
    /// A range of memory; enqueue it after the resource that is bound to it.
    Memory(Allocation),
    /// A pipeline.
    Pipeline(vk::Pipeline),
    /// A pipeline layout.
    PipelineLayout(vk::PipelineLayout),
    /// A descriptor set layout.
    SetLayout(vk::DescriptorSetLayout),
    /// A descriptor pool with all its sets.
    DescriptorPool(vk::DescriptorPool),
    /// A sampler.
    Sampler(vk::Sampler),
    /// A query pool.
    QueryPool(vk::QueryPool),
}

impl Retired {
    /// Destroys it.
    ///
    /// # Safety
    /// The handle came from `device` (the memory from `memory`), is destroyed nowhere else, and the device has finished
    /// with it.
    pub(super) unsafe fn destroy(self, device: &ash::Device, memory: &dyn DeviceMemory) {
        // SAFETY: exactly what the caller vouches for.
        unsafe {
            match self {
                Retired::Buffer(raw) => device.destroy_buffer(raw, None),
                Retired::Image(raw) => device.destroy_image(raw, None),
                Retired::View(raw) => device.destroy_image_view(raw, None),
                Retired::Memory(allocation) => memory.free(allocation),
                Retired::Pipeline(raw) => device.destroy_pipeline(raw, None),
                Retired::PipelineLayout(raw) => device.destroy_pipeline_layout(raw, None),
                Retired::SetLayout(raw) => device.destroy_descriptor_set_layout(raw, None),
                Retired::DescriptorPool(raw) => device.destroy_descriptor_pool(raw, None),
                Retired::Sampler(raw) => device.destroy_sampler(raw, None),
                Retired::QueryPool(raw) => device.destroy_query_pool(raw, None),
            }
        }
    }
}

/// The queue. Frames are enqueued in rising order.
#[derive(Default)]
pub(super) struct RetireQueue {
    pending: VecDeque<(u64, Retired)>,
}

impl RetireQueue {
    /// Enqueues a thing that work recorded up to and including `frame` may use.
    pub(super) fn retire(&mut self, frame: u64, thing: Retired) {
        debug_assert!(self.pending.back().is_none_or(|(last, _)| *last <= frame));
        self.pending.push_back((frame, thing));
    }

    /// The next thing whose frame is `completed` or earlier.
    pub(super) fn pop(&mut self, completed: u64) -> Option<Retired> {
        match self.pending.front() {
            Some((frame, _)) if *frame <= completed => self.pending.pop_front().map(|(_, thing)| thing),
            _ => None,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.pending.len()
    }
}

/// A resource in the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveResource {
    /// What it is, for instance `buffer`.
    pub kind: &'static str,
    /// Its name, as a capture tool shows it.
    pub name: String,
    /// Bytes of device memory that it holds.
    pub bytes: u64,
}

/// Who is alive.
#[derive(Default)]
pub(super) struct Ledger {
    entries: Vec<Option<LiveResource>>,
    vacant: Vec<usize>,
}

impl Ledger {
    pub(super) fn enter(&mut self, resource: LiveResource) -> usize {
        match self.vacant.pop() {
            Some(index) => {
                self.entries[index] = Some(resource);
                index
            }
            None => {
                self.entries.push(Some(resource));
                self.entries.len() - 1
            }
        }
    }

    pub(super) fn leave(&mut self, index: usize) {
        if self.entries.get_mut(index).and_then(Option::take).is_some() {
            self.vacant.push(index);
        }
    }

    pub(super) fn live(&self) -> impl Iterator<Item = &LiveResource> {
        self.entries.iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sampler(n: u64) -> Retired {
        use vk::Handle;
        Retired::Sampler(vk::Sampler::from_raw(n))
    }

    #[test]
    fn things_leave_in_order_and_not_before_their_frame() {
        let mut queue = RetireQueue::default();
        queue.retire(1, sampler(10));
        queue.retire(1, sampler(11));
        queue.retire(3, sampler(12));
        assert!(queue.pop(0).is_none());
        let left: Vec<String> = std::iter::from_fn(|| queue.pop(2)).map(|t| format!("{t:?}")).collect();
        assert_eq!(left, [format!("{:?}", sampler(10)), format!("{:?}", sampler(11))]);
        assert_eq!(queue.len(), 1);
        assert!(queue.pop(3).is_some());
    }

    #[test]
    fn the_ledger_reuses_its_places() {
        let entry = |name: &str| LiveResource { kind: "buffer", name: name.into(), bytes: 4 };
        let mut ledger = Ledger::default();
        let a = ledger.enter(entry("a"));
        ledger.enter(entry("b"));
        ledger.leave(a);
        ledger.leave(a);
        assert_eq!(ledger.enter(entry("c")), a);
        assert_eq!(ledger.live().map(|r| r.name.as_str()).collect::<Vec<_>>(), ["c", "b"]);
    }
}
