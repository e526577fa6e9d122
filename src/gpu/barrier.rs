//! One table that says what each use of a resource means to Vulkan, and one function that makes barriers from it.
//!
//! The caller owns the knowledge of what a resource was last used for; nothing is tracked here. Attachments of the host are
//! never touched.

use ash::vk;

use super::cmd::Cmd;
use super::{Buffer, Image};

/// A way to use a buffer or an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Usage {
    /// Nothing yet, or nothing that has to be kept. Only a state to come from.
    Undefined,
    /// Anything at all, or nothing yet, and none of it has to be kept: waits for whatever the queue did before and assumes
    /// no layout. For a resource whose last use may never have been submitted. Only a state to come from.
    Discard,
    /// The source of a copy.
    TransferSrc,
    /// The destination of a copy, a fill or a clear.
    TransferDst,
    /// An index buffer.
    IndexRead,
    /// The parameters of an indirect draw or dispatch.
    IndirectRead,
    /// Read in a vertex stage: uniform, storage or sampled.
    VertexRead,
    /// Read in a fragment stage.
    FragmentRead,
    /// Read in a vertex and a fragment stage.
    VertexFragmentRead,
    /// Read in a compute stage.
    ComputeRead,
    /// Written, and read, in a compute stage.
    ComputeWrite,
    /// Drawn into as a colour attachment. For targets that landform owns itself.
    ColorTarget,
    /// Drawn into or tested against as a depth attachment. For targets that landform owns itself.
    DepthTarget,
    /// Read by the CPU after the frame has completed.
    HostRead,
    /// Written by the CPU before submission. Submitting makes such writes visible, so this is only a state to come from where
    /// the CPU writes later than that.
    HostWrite,
}

/// What a [`Usage`] means to Vulkan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope {
    /// The stages that use the resource.
    pub stage: vk::PipelineStageFlags2,
    /// How they access it.
    pub access: vk::AccessFlags2,
    /// The layout an image must be in.
    pub layout: vk::ImageLayout,
}

impl Usage {
    /// The table.
    pub const fn scope(self) -> Scope {
        use vk::{AccessFlags2 as A, ImageLayout as L, PipelineStageFlags2 as S};
        let vertex_fragment = S::from_raw(S::VERTEX_SHADER.as_raw() | S::FRAGMENT_SHADER.as_raw());
        let depth_tests = S::from_raw(S::EARLY_FRAGMENT_TESTS.as_raw() | S::LATE_FRAGMENT_TESTS.as_raw());
        let storage = A::from_raw(A::SHADER_READ.as_raw() | A::SHADER_WRITE.as_raw());
        let shader = A::from_raw(A::SHADER_READ.as_raw() | A::UNIFORM_READ.as_raw());
        let color = A::from_raw(A::COLOR_ATTACHMENT_READ.as_raw() | A::COLOR_ATTACHMENT_WRITE.as_raw());
        let depth = A::from_raw(
            A::DEPTH_STENCIL_ATTACHMENT_READ.as_raw() | A::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw(),
        );
        let (stage, access, layout) = match self {
            Usage::Undefined => (S::NONE, A::NONE, L::UNDEFINED),
            Usage::Discard => (S::ALL_COMMANDS, A::MEMORY_WRITE, L::UNDEFINED),
            Usage::TransferSrc => (S::ALL_TRANSFER, A::TRANSFER_READ, L::TRANSFER_SRC_OPTIMAL),
            Usage::TransferDst => (S::ALL_TRANSFER, A::TRANSFER_WRITE, L::TRANSFER_DST_OPTIMAL),
            Usage::IndexRead => (S::INDEX_INPUT, A::INDEX_READ, L::UNDEFINED),
            Usage::IndirectRead => (S::DRAW_INDIRECT, A::INDIRECT_COMMAND_READ, L::UNDEFINED),
            Usage::VertexRead => (S::VERTEX_SHADER, shader, L::SHADER_READ_ONLY_OPTIMAL),
            Usage::FragmentRead => (S::FRAGMENT_SHADER, shader, L::SHADER_READ_ONLY_OPTIMAL),
            Usage::VertexFragmentRead => (vertex_fragment, shader, L::SHADER_READ_ONLY_OPTIMAL),
            Usage::ComputeRead => (S::COMPUTE_SHADER, shader, L::SHADER_READ_ONLY_OPTIMAL),
            Usage::ComputeWrite => (S::COMPUTE_SHADER, storage, L::GENERAL),
            Usage::ColorTarget => (S::COLOR_ATTACHMENT_OUTPUT, color, L::COLOR_ATTACHMENT_OPTIMAL),
            Usage::DepthTarget => (depth_tests, depth, L::DEPTH_STENCIL_ATTACHMENT_OPTIMAL),
            Usage::HostRead => (S::HOST, A::HOST_READ, L::GENERAL),
            Usage::HostWrite => (S::HOST, A::HOST_WRITE, L::GENERAL),
        };
        Scope { stage, access, layout }
    }

    /// True where the use writes.
    pub const fn writes(self) -> bool {
        self.scope().access.as_raw() & WRITES.as_raw() != 0
    }
}

const WRITES: vk::AccessFlags2 = vk::AccessFlags2::from_raw(
    vk::AccessFlags2::TRANSFER_WRITE.as_raw()
        | vk::AccessFlags2::SHADER_WRITE.as_raw()
        | vk::AccessFlags2::COLOR_ATTACHMENT_WRITE.as_raw()
        | vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE.as_raw()
        | vk::AccessFlags2::HOST_WRITE.as_raw()
        | vk::AccessFlags2::MEMORY_WRITE.as_raw(),
);

/// Mips and layers of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ImageRange {
    /// The first mip.
    pub base_mip: u32,
    /// How many mips.
    pub mips: u32,
    /// The first layer.
    pub base_layer: u32,
    /// How many layers.
    pub layers: u32,
}

/// A change in how part of an image is used.
#[derive(Clone, Copy)]
pub struct ImageBarrier<'a> {
    /// The image.
    pub image: &'a Image,
    /// Its mips and layers; [`Image::whole`] for all.
    pub range: ImageRange,
    /// What they were used for last. Coming from [`Usage::Undefined`] discards the content and waits for nothing.
    pub from: Usage,
    /// What they will be used for next.
    pub to: Usage,
}

/// A change in how all of an image is used that is known by its handle: the host's, or one of landform's own targets.
#[derive(Clone, Copy, Debug)]
pub struct TargetBarrier {
    /// The image; by the promise that made the [`Cmd`] it is of the device and alive until the frame has completed.
    pub image: vk::Image,
    /// Its aspects: see [`aspect`](super::aspect).
    pub aspect: vk::ImageAspectFlags,
    /// What it was used for last.
    pub from: Usage,
    /// What it will be used for next.
    pub to: Usage,
    /// True where none of its content has to be kept: no layout is assumed of it, so its last use need not have been submitted.
    pub discard: bool,
}

/// A change in how part of a buffer is used.
#[derive(Clone, Copy)]
pub struct BufferBarrier<'a> {
    /// The buffer.
    pub buffer: &'a Buffer,
    /// The first byte.
    pub offset: u64,
    /// How many bytes, or `vk::WHOLE_SIZE`.
    pub size: u64,
    /// What they were used for last.
    pub from: Usage,
    /// What they will be used for next.
    pub to: Usage,
}

/// Barriers that are emitted in one call; more are split over several calls, which means the same.
const BATCH: usize = 16;

impl Cmd<'_> {
    /// Emits barriers of whole images, outside a rendering scope. Allocates nothing; does nothing for an empty list.
    pub fn target_barriers(&self, barriers: &[TargetBarrier]) {
        for batch in barriers.chunks(BATCH) {
            let mut images = [vk::ImageMemoryBarrier2::default(); BATCH];
            for (out, barrier) in images.iter_mut().zip(batch) {
                *out = target_barrier(barrier);
            }
            let dependency = vk::DependencyInfo::default().image_memory_barriers(&images[..batch.len()]);
            // SAFETY: the command buffer records and the handles are alive (Cmd's promise).
            unsafe { self.device().pipeline_barrier2(self.raw(), &dependency) };
        }
    }

    /// Emits the barriers, outside a rendering scope. Allocates nothing; does nothing for empty lists.
    pub fn barriers(&self, images: &[ImageBarrier<'_>], buffers: &[BufferBarrier<'_>]) {
        let mut image_batches = images.chunks(BATCH);
        let mut buffer_batches = buffers.chunks(BATCH);
        loop {
            let images = image_batches.next().unwrap_or_default();
            let buffers = buffer_batches.next().unwrap_or_default();
            if images.is_empty() && buffers.is_empty() {
                return;
            }
            let mut vk_images = [vk::ImageMemoryBarrier2::default(); BATCH];
            let mut vk_buffers = [vk::BufferMemoryBarrier2::default(); BATCH];
            for (out, barrier) in vk_images.iter_mut().zip(images) {
                *out = image_barrier(barrier);
            }
            for (out, barrier) in vk_buffers.iter_mut().zip(buffers) {
                *out = buffer_barrier(barrier);
            }
            let dependency = vk::DependencyInfo::default()
                .image_memory_barriers(&vk_images[..images.len()])
                .buffer_memory_barriers(&vk_buffers[..buffers.len()]);
            // SAFETY: the command buffer records (Cmd's promise), and the handles are borrowed from their owners.
            unsafe { self.device().pipeline_barrier2(self.raw(), &dependency) };
        }
    }
}

/// A source's reads need no flush, only an execution dependency.
fn source(usage: Usage) -> (vk::PipelineStageFlags2, vk::AccessFlags2) {
    let scope = usage.scope();
    (scope.stage, scope.access & WRITES)
}

fn image_barrier<'a>(barrier: &ImageBarrier<'_>) -> vk::ImageMemoryBarrier2<'a> {
    change(barrier.from, barrier.to)
        .image(barrier.image.raw())
        .subresource_range(barrier.image.subresource(barrier.range))
}

fn target_barrier<'a>(barrier: &TargetBarrier) -> vk::ImageMemoryBarrier2<'a> {
    let changed =
        change(barrier.from, barrier.to).image(barrier.image).subresource_range(vk::ImageSubresourceRange {
            aspect_mask: barrier.aspect,
            base_mip_level: 0,
            level_count: vk::REMAINING_MIP_LEVELS,
            base_array_layer: 0,
            layer_count: vk::REMAINING_ARRAY_LAYERS,
        });
    if barrier.discard { changed.old_layout(vk::ImageLayout::UNDEFINED) } else { changed }
}

fn change<'a>(from: Usage, to: Usage) -> vk::ImageMemoryBarrier2<'a> {
    let (src_stage, src_access) = source(from);
    let scope = to.scope();
    vk::ImageMemoryBarrier2::default()
        .src_stage_mask(src_stage)
        .src_access_mask(src_access)
        .dst_stage_mask(scope.stage)
        .dst_access_mask(scope.access)
        .old_layout(from.scope().layout)
        .new_layout(scope.layout)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
}

fn buffer_barrier<'a>(barrier: &BufferBarrier<'_>) -> vk::BufferMemoryBarrier2<'a> {
    let (src_stage, src_access) = source(barrier.from);
    let to = barrier.to.scope();
    vk::BufferMemoryBarrier2::default()
        .src_stage_mask(src_stage)
        .src_access_mask(src_access)
        .dst_stage_mask(to.stage)
        .dst_access_mask(to.access)
        .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
        .buffer(barrier.buffer.raw())
        .offset(barrier.offset)
        .size(barrier.size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_read_leaves_only_an_execution_dependency() {
        let (stage, access) = source(Usage::VertexFragmentRead);
        assert!(stage.contains(vk::PipelineStageFlags2::VERTEX_SHADER));
        assert!(stage.contains(vk::PipelineStageFlags2::FRAGMENT_SHADER));
        assert_eq!(access, vk::AccessFlags2::NONE);
    }

    #[test]
    fn a_write_is_made_available() {
        assert_eq!(source(Usage::TransferDst).1, vk::AccessFlags2::TRANSFER_WRITE);
        assert_eq!(source(Usage::ComputeWrite).1, vk::AccessFlags2::SHADER_WRITE);
        assert_eq!(source(Usage::DepthTarget).1, vk::AccessFlags2::DEPTH_STENCIL_ATTACHMENT_WRITE);
    }

    #[test]
    fn what_is_discarded_is_waited_for_and_has_no_layout() {
        let (stage, access) = source(Usage::Discard);
        assert_eq!(stage, vk::PipelineStageFlags2::ALL_COMMANDS);
        assert_eq!(access, vk::AccessFlags2::MEMORY_WRITE);
        assert_eq!(Usage::Discard.scope().layout, vk::ImageLayout::UNDEFINED);
    }

    #[test]
    fn only_writers_write() {
        let writers = [
            Usage::TransferDst,
            Usage::ComputeWrite,
            Usage::ColorTarget,
            Usage::DepthTarget,
            Usage::HostWrite,
        ];
        assert!(writers.iter().all(|usage| usage.writes()));
        let readers = [Usage::Undefined, Usage::TransferSrc, Usage::IndexRead, Usage::VertexFragmentRead];
        assert!(!readers.iter().any(|usage| usage.writes()));
    }
}
