//! Textures that the ground asks each frame, and that a report asks how far they are.

use landform::draw::{FileTextures, TextureSource, TextureView};
use landform::gpu::Cmd;
use landform::splat::{Layer, TextureSlot};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Textures with two owners: the ground that is drawn with them, and the scene that says what is missing of them.
#[derive(Clone)]
pub(super) struct SharedTextures(Arc<Mutex<FileTextures>>);

impl SharedTextures {
    pub(super) fn new(textures: FileTextures) -> Self {
        Self(Arc::new(Mutex::new(textures)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, FileTextures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TextureSource for SharedTextures {
    fn texture(&mut self, layer: &Layer, slot: TextureSlot) -> Option<TextureView> {
        self.lock().texture(layer, slot)
    }

    fn upload(&mut self, cmd: &Cmd<'_>) -> landform::Result<()> {
        self.lock().upload(cmd)
    }
}
