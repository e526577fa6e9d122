//! What turns the name of a texture into an image.

use crate::Result;
use crate::gpu::Cmd;
use crate::splat::{Layer, TextureSlot};
use ash::vk;

/// Images for the layers of a terrain. A layer names its textures, and whose business a name is knows the source: an
/// engine's asset database, or files in a folder.
///
/// It is asked every frame, for every texture that a layer names, and answers None until it has the image: the layer is
/// drawn with its default until then. Nothing is written where an answer is the one of the last frame.
#[doc(alias = "ITerrainTextures")]
pub trait TextureSource {
    /// The image of one of a layer's textures, or None while there is none. Must not block.
    ///
    /// The view is of a 2D image of the renderer's device, in `SHADER_READ_ONLY_OPTIMAL` from the commands that draw on,
    /// and stays alive until the frames that were recorded with it have completed. Albedo is read as linear colour, so its
    /// format is an sRGB one; surface and normal are data, and theirs is none.
    fn texture(&mut self, layer: &Layer, slot: TextureSlot) -> Option<TextureView>;

    /// Records the copies of what has arrived, once a frame, outside a rendering scope and before it is asked. A source whose images
    /// come about elsewhere has nothing to do here. Called by a [`Compositor`](super::Compositor); who draws without one calls it, or
    /// not, as the source wants.
    ///
    /// # Errors
    /// What the device could not make.
    fn upload(&mut self, cmd: &Cmd<'_>) -> Result<()> {
        let _ = cmd;
        Ok(())
    }
}

/// An answer of a [`TextureSource`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureView {
    /// The image.
    pub view: vk::ImageView,
    /// A number that differs between two images, for a driver may give the handle of a destroyed view to another one.
    pub revision: u64,
}
