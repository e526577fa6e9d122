//! The images of a frame: made where the document declares them, the host's where it says so, and what each was last used for.

use crate::draw::TextureView;
use crate::frame::{Access, FrameDocument, QualityNumbers, TargetDesc, TargetFormat};
use crate::gpu::{Cmd, Device, Image, ImageDesc, TargetBarrier, Usage, aspect};
use crate::{Error, Result};
use ash::vk;
use std::sync::Arc;

/// An image of the host's: the frame's output, or a target that the document leaves to it.
#[derive(Clone, Copy, Debug)]
pub struct HostImage {
    /// The image.
    pub image: vk::Image,
    /// A view of all of it that is drawn into.
    pub view: vk::ImageView,
    /// A number that differs between two images, for a driver may give the handle of a destroyed view to another one.
    pub revision: u64,
    /// What a texel is.
    pub format: vk::Format,
    /// Texels across and down.
    pub extent: [u32; 2],
    /// What it was last used for. [`Usage::Undefined`] where none of its content matters and nothing has to be waited for;
    /// [`Usage::Discard`] where it was used before, as an image of a swapchain was that an acquire's semaphore is waited for with.
    pub from: Usage,
    /// What it is used for after the frame, to which it is brought at its end.
    pub to: Usage,
}

/// A target as nodes use it in this frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct TargetImage {
    pub(super) image: vk::Image,
    pub(super) view: TextureView,
    pub(super) format: vk::Format,
    pub(super) extent: [u32; 2],
    state: Usage,
    /// True until something in this frame wrote it: what it held is gone.
    stale: bool,
    /// What it is brought to at the end, where it is the host's.
    leaves: Option<Usage>,
}

/// All targets of a document: the output, those that it declares, in its order, and of those that are kept what the frame before left.
#[derive(Default)]
pub(super) struct Targets {
    /// One for each target that is kept for the next frame.
    turns: Vec<Turn>,
    made: Vec<Option<Image>>,
    /// The sizes that they were made for.
    sizes: Vec<Option<[u32; 2]>>,
    images: Vec<TargetImage>,
    /// What own images were last used for, from frame to frame.
    states: Vec<Usage>,
    revision: u64,
    barriers: Vec<TargetBarrier>,
}

/// The other image of a target that is kept.
struct Turn {
    /// The target's number among the declared ones.
    target: usize,
    image: Option<Image>,
    state: Usage,
    /// True where it holds what the last frame left.
    holds: bool,
}

/// The place of the output among the targets.
pub(super) const OUTPUT_INDEX: usize = 0;

impl Targets {
    /// Forgets all images: the document is another one. They are destroyed once no frame uses them. `kept` are the targets that are kept
    /// for the next frame, by their numbers among the declared ones.
    pub(super) fn clear(&mut self, kept: &[usize]) {
        let turn =
            |target: &usize| Turn { target: *target, image: None, state: Usage::Undefined, holds: false };
        self.turns = kept.iter().map(turn).collect();
        self.made.clear();
        self.sizes.clear();
        self.images.clear();
        self.states.clear();
    }

    /// Brings the images to this frame: makes what is not there or of another size, and takes the host's.
    ///
    /// # Errors
    /// What the device could not make, or an image of the host's whose format is of another kind than is declared.
    pub(super) fn begin_frame(
        &mut self,
        device: &Arc<Device>,
        document: &FrameDocument,
        numbers: &QualityNumbers,
        output: &HostImage,
        given: &[(&str, HostImage)],
    ) -> Result<()> {
        let count = document.targets.len();
        self.made.resize_with(count, || None);
        self.sizes.resize(count, None);
        self.states.resize(count, Usage::Undefined);
        self.keep_states();
        self.take_turns();
        self.images.clear();
        self.images.push(TargetImage::of_host(output));
        for (index, target) in document.targets.iter().enumerate() {
            let size = document.target_size(target, output.extent, numbers);
            if let Some((_, image)) = given.iter().find(|(name, _)| target.host && *name == target.name) {
                check_kind(target, image)?;
                self.images.push(TargetImage::of_host(image));
                continue;
            }
            let Some(size) = size else {
                let why = format!("target '{}' has no size, for no node renders it", target.name);
                return Err(Error::invalid("frame", why));
            };
            if self.made[index].is_none() || self.sizes[index] != Some(size) {
                // The old one goes first: the new one may need its memory once frames in flight have completed.
                self.made[index] = None;
                self.made[index] = Some(make(device, target, size)?);
                (self.sizes[index], self.states[index]) = (Some(size), Usage::Undefined);
                self.revision += 1;
            }
            if let Some(image) = &self.made[index] {
                self.images.push(TargetImage::own(image, size, self.revision, self.states[index], true));
            }
        }
        self.push_turns(device, document)
    }

    /// What a kept target is drawn into now is what it was not drawn into last.
    fn take_turns(&mut self) {
        for turn in &mut self.turns {
            turn.holds = self.images.get(turn.target + 1).is_some_and(|image| !image.stale);
            std::mem::swap(&mut self.made[turn.target], &mut turn.image);
            std::mem::swap(&mut self.states[turn.target], &mut turn.state);
        }
    }

    /// The kept images come after all others, as steps count them.
    fn push_turns(&mut self, device: &Arc<Device>, document: &FrameDocument) -> Result<()> {
        for turn in &mut self.turns {
            let Some(size) = self.sizes[turn.target] else { continue };
            if turn.image.as_ref().is_none_or(|image| image.extent(0) != size) {
                turn.image = None;
                turn.image = Some(make(device, &document.targets[turn.target], size)?);
                (turn.state, turn.holds) = (Usage::Undefined, false);
                self.revision += 1;
            }
            if let Some(image) = &turn.image {
                self.images.push(TargetImage::own(image, size, self.revision, turn.state, !turn.holds));
            }
        }
        Ok(())
    }

    /// Whether a kept image, by its number among all, holds what the last frame left.
    pub(super) fn holds_last(&self, index: usize) -> bool {
        let first = self.images.len() - self.turns.len();
        index.checked_sub(first).and_then(|at| self.turns.get(at)).is_some_and(|turn| turn.holds)
    }

    /// Notes what the last frame left own images in.
    fn keep_states(&mut self) {
        for (state, image) in self.states.iter_mut().zip(self.images.iter().skip(1)) {
            *state = image.state;
        }
        let kept = self.images.iter().skip(1 + self.states.len());
        for (turn, image) in self.turns.iter_mut().zip(kept) {
            turn.state = image.state;
        }
    }

    pub(super) fn get(&self, index: usize) -> &TargetImage {
        &self.images[index]
    }

    /// Brings targets to what a node does to them. Outside a rendering scope.
    pub(super) fn transition(&mut self, cmd: &Cmd<'_>, uses: impl Iterator<Item = (usize, Access)>) {
        self.barriers.clear();
        for (index, access) in uses {
            let target = &mut self.images[index];
            let is_depth = aspect(target.format) != vk::ImageAspectFlags::COLOR;
            let to = usage_of(access, is_depth);
            let clears = access == Access::Clear;
            // Two reads of one kind need no order.
            if target.state != to || to.writes() || clears {
                self.barriers.push(TargetBarrier {
                    image: target.image,
                    aspect: aspect(target.format),
                    from: target.state,
                    to,
                    discard: clears || target.stale,
                });
            }
            target.state = to;
            target.stale = false;
        }
        cmd.target_barriers(&self.barriers);
    }

    /// Brings the host's images to what they are used for after the frame.
    pub(super) fn finish(&mut self, cmd: &Cmd<'_>) {
        self.barriers.clear();
        for target in &mut self.images {
            let Some(to) = target.leaves.filter(|to| *to != target.state) else { continue };
            let (image, aspect, from) = (target.image, aspect(target.format), target.state);
            self.barriers.push(TargetBarrier { image, aspect, from, to, discard: target.stale });
            target.state = to;
        }
        cmd.target_barriers(&self.barriers);
    }

    /// Takes own images for never used: the frame that used them was not submitted.
    pub(super) fn forget(&mut self) {
        self.states.fill(Usage::Discard);
        for image in self.images.iter_mut().skip(1) {
            (image.state, image.stale) = (Usage::Discard, true);
        }
    }
}

impl TargetImage {
    fn own(image: &Image, extent: [u32; 2], revision: u64, state: Usage, stale: bool) -> Self {
        let view = TextureView { view: image.view(), revision };
        Self { image: image.raw(), view, format: image.format(), extent, state, stale, leaves: None }
    }

    fn of_host(image: &HostImage) -> Self {
        Self {
            image: image.image,
            view: TextureView { view: image.view, revision: image.revision },
            format: image.format,
            extent: image.extent,
            state: image.from,
            stale: matches!(image.from, Usage::Undefined | Usage::Discard),
            leaves: Some(image.to),
        }
    }
}

/// What a node's access is to Vulkan.
fn usage_of(access: Access, is_depth: bool) -> Usage {
    match (access, is_depth) {
        (Access::Sample, _) => Usage::FragmentRead,
        (Access::SampleInCompute, _) => Usage::ComputeRead,
        (_, true) => Usage::DepthTarget,
        (_, false) => Usage::ColorTarget,
    }
}

fn check_kind(target: &TargetDesc, image: &HostImage) -> Result<()> {
    let is_depth = aspect(image.format) != vk::ImageAspectFlags::COLOR;
    if is_depth == target.format.is_depth() {
        return Ok(());
    }
    let (declared, format) = (target.format, image.format);
    let why = format!(
        "target '{}' is declared as {declared:?} and the host's image is {format:?}; bind one of its kind",
        target.name
    );
    Err(Error::invalid("frame", why))
}

fn make(device: &Arc<Device>, target: &TargetDesc, extent: [u32; 2]) -> Result<Image> {
    let attachment = if target.format.is_depth() {
        vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT
    } else {
        vk::ImageUsageFlags::COLOR_ATTACHMENT
    };
    // A tool may copy any of them out.
    let usage = attachment | vk::ImageUsageFlags::SAMPLED | vk::ImageUsageFlags::TRANSFER_SRC;
    let format = vk_format(target.format);
    Image::new(device, &ImageDesc { name: &target.name, extent, format, usage, ..ImageDesc::default() })
}

/// Vulkan's name of a format.
pub(super) fn vk_format(format: TargetFormat) -> vk::Format {
    match format {
        TargetFormat::R8Unorm => vk::Format::R8_UNORM,
        TargetFormat::R16Float => vk::Format::R16_SFLOAT,
        TargetFormat::R32Float => vk::Format::R32_SFLOAT,
        TargetFormat::Rg16Float => vk::Format::R16G16_SFLOAT,
        TargetFormat::Rgba8Unorm => vk::Format::R8G8B8A8_UNORM,
        TargetFormat::Rgba8Srgb => vk::Format::R8G8B8A8_SRGB,
        TargetFormat::Rgba8Snorm => vk::Format::R8G8B8A8_SNORM,
        TargetFormat::Rg11b10Float => vk::Format::B10G11R11_UFLOAT_PACK32,
        TargetFormat::Rgba16Float => vk::Format::R16G16B16A16_SFLOAT,
        TargetFormat::Rgba32Float => vk::Format::R32G32B32A32_SFLOAT,
        TargetFormat::Depth16Unorm => vk::Format::D16_UNORM,
        TargetFormat::Depth32Float => vk::Format::D32_SFLOAT,
    }
}
