//! What a host draws into.

use crate::gpu::TargetFormats;
use ash::vk;

/// Who turns linear colour into what the target stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ColorEncoding {
    /// The target does (an sRGB format), or it stores linear colour (a float format): the preview writes linear.
    Linear,
    /// Nobody but the shader: the target is shown as it is stored.
    Srgb,
}

/// The attachments of the rendering scope that a host has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// Formats, or a render pass and subpass.
    pub formats: TargetFormats,
    /// Samples a pixel.
    pub samples: vk::SampleCountFlags,
    /// Who encodes colour.
    pub encoding: ColorEncoding,
}

impl Target {
    /// A target of dynamic rendering: one colour format and a depth format, `samples` a pixel.
    pub fn dynamic(color: vk::Format, depth: vk::Format, samples: vk::SampleCountFlags) -> Self {
        Self { formats: TargetFormats::of(Some(color), depth), samples, encoding: encoding_of(color) }
    }

    /// A depth attachment alone, for [`Renderer::draw_depth`](super::Renderer::draw_depth).
    pub fn depth_only(depth: vk::Format, samples: vk::SampleCountFlags) -> Self {
        Self { formats: TargetFormats::of(None, depth), samples, encoding: ColorEncoding::Linear }
    }

    /// A subpass of a classic render pass with one colour attachment of format `color` and a depth attachment.
    ///
    /// Pipelines are kept by the handle of the render pass, which is alive while anything is drawn into the target. A host
    /// that makes its render pass anew, for instance when a window changes size, either keeps one compatible render pass to
    /// describe its targets by, or calls [`Renderer::forget_target`](super::Renderer::forget_target) with the old target
    /// before the handle is destroyed: a driver may give the same handle to another render pass.
    pub fn render_pass(
        render_pass: vk::RenderPass,
        subpass: u32,
        color: vk::Format,
        samples: vk::SampleCountFlags,
    ) -> Self {
        let formats = TargetFormats::RenderPass { render_pass, subpass, color_count: 1 };
        Self { formats, samples, encoding: encoding_of(color) }
    }
}

/// Plain 8- and 10-bit formats are shown as they are stored.
pub(super) fn encoding_of(color: vk::Format) -> ColorEncoding {
    match color {
        vk::Format::R8G8B8A8_UNORM
        | vk::Format::B8G8R8A8_UNORM
        | vk::Format::A8B8G8R8_UNORM_PACK32
        | vk::Format::A2B10G10R10_UNORM_PACK32
        | vk::Format::A2R10G10B10_UNORM_PACK32 => ColorEncoding::Srgb,
        _ => ColorEncoding::Linear,
    }
}
