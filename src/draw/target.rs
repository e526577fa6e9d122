//! What a host draws into.

use crate::Result;
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
    ///
    /// # Errors
    /// Never for one colour; the signature is that of [`TargetFormats::dynamic`].
    pub fn dynamic(color: vk::Format, depth: vk::Format, samples: vk::SampleCountFlags) -> Result<Self> {
        let formats = TargetFormats::dynamic(&[color], Some(depth))?;
        Ok(Self { formats, samples, encoding: encoding_of(color) })
    }

    /// A depth attachment alone, for [`Renderer::draw_depth`](super::Renderer::draw_depth).
    ///
    /// # Errors
    /// Never; the signature is that of [`TargetFormats::dynamic`].
    pub fn depth_only(depth: vk::Format, samples: vk::SampleCountFlags) -> Result<Self> {
        let formats = TargetFormats::dynamic(&[], Some(depth))?;
        Ok(Self { formats, samples, encoding: ColorEncoding::Linear })
    }

    /// A subpass of a classic render pass with one colour attachment of format `color` and a depth attachment.
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
fn encoding_of(color: vk::Format) -> ColorEncoding {
    match color {
        vk::Format::R8G8B8A8_UNORM
        | vk::Format::B8G8R8A8_UNORM
        | vk::Format::A8B8G8R8_UNORM_PACK32
        | vk::Format::A2B10G10R10_UNORM_PACK32
        | vk::Format::A2R10G10B10_UNORM_PACK32 => ColorEncoding::Srgb,
        _ => ColorEncoding::Linear,
    }
}
