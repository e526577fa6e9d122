//! Textures of layers without files: noise in every mip, three images a layer and none of them shared, so that caches hold
//! what they would hold of a host's own.

use ash::vk;
use landform::draw::{TextureSource, TextureView};
use landform::gpu::{Cmd, Device, Image, ImageBarrier, ImageDesc, Staging, StagingDesc, Usage};
use landform::splat::{Layer, TextureSlot};
use landform_harness::Result;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a texel of any of them.
const TEXEL: u64 = 4;

/// The images of layers that are named by number.
pub(super) struct NoiseTextures {
    layers: Vec<[Image; 3]>,
    /// A layer is answered once its images were uploaded.
    uploaded: usize,
    staging: Staging,
    side: u32,
}

impl NoiseTextures {
    /// Images of `side`² texels for so many layers, nothing uploaded yet.
    pub(super) fn new(device: &Arc<Device>, layers: u32, side: u32) -> Result<Self> {
        let image = |index: u32, slot: TextureSlot| {
            let format = match slot {
                TextureSlot::Albedo => vk::Format::R8G8B8A8_SRGB,
                TextureSlot::Surface | TextureSlot::Normal => vk::Format::R8G8B8A8_UNORM,
            };
            let name = format!("benchmark {slot:?} {index}");
            let desc = ImageDesc {
                name: &name,
                extent: [side; 2],
                mips: mips(side),
                format,
                ..ImageDesc::default()
            };
            Image::new(device, &desc)
        };
        let set = |index| {
            let [albedo, surface, normal] = TextureSlot::ALL.map(|slot| image(index, slot));
            Ok([albedo?, surface?, normal?])
        };
        // What is staged is large and soon over, so none of it is kept.
        let staging = StagingDesc { name: "benchmark staging", keep: 0, keep_most: 0 };
        Ok(Self {
            layers: (0..layers).map(set).collect::<Result<_>>()?,
            uploaded: 0,
            staging: Staging::new(device, staging)?,
            side,
        })
    }

    pub(super) fn layers(&self) -> u32 {
        self.layers.len() as u32
    }

    pub(super) fn side(&self) -> u32 {
        self.side
    }

    /// Bytes of one layer's three textures with all mips.
    pub(super) fn bytes_a_layer(&self) -> u64 {
        3 * TEXEL * (0..mips(self.side)).map(|mip| u64::from(self.side >> mip).pow(2)).sum::<u64>()
    }

    /// The texels of some layers, made before the clock runs.
    pub(super) fn content(&self, layers: Range<u32>) -> Vec<[Vec<u8>; 3]> {
        layers.map(|index| TextureSlot::ALL.map(|slot| chain(self.side, 3 * index, slot))).collect()
    }

    /// Copies the content of layers from `first` on. Outside a rendering scope.
    pub(super) fn upload(&mut self, cmd: &Cmd<'_>, first: u32, content: &[[Vec<u8>; 3]]) -> Result<()> {
        self.staging.begin_frame()?;
        for (images, content) in self.layers[first as usize..].iter().zip(content) {
            for (image, bytes) in images.iter().zip(content) {
                let staged = self.staging.stage(bytes.len() as u64, TEXEL)?;
                staged.bytes.copy_from_slice(bytes);
                let regions = regions(image, staged.offset);
                let source = staged.buffer;
                self.staging.finish()?;
                let barrier = |from, to| {
                    cmd.barriers(&[ImageBarrier { image, range: image.whole(), from, to }], &[]);
                };
                barrier(Usage::Discard, Usage::TransferDst);
                cmd.copy_to_image(source, image, &regions);
                barrier(Usage::TransferDst, Usage::FragmentRead);
            }
        }
        self.uploaded = self.uploaded.max(first as usize + content.len());
        Ok(())
    }
}

impl TextureSource for NoiseTextures {
    fn texture(&mut self, layer: &Layer, slot: TextureSlot) -> Option<TextureView> {
        let index: usize = layer.name.parse().ok()?;
        let images = self.layers[..self.uploaded].get(index)?;
        Some(TextureView {
            view: images[slot as usize].view(),
            revision: (3 * index + slot as usize + 1) as u64,
        })
    }
}

fn mips(side: u32) -> u32 {
    u32::BITS - side.leading_zeros()
}

/// Where each mip lies in a chain, finest first.
fn regions(image: &Image, mut offset: u64) -> Vec<vk::BufferImageCopy> {
    let region = |mip| {
        let [width, height] = image.extent(mip);
        let region = vk::BufferImageCopy {
            buffer_offset: offset,
            image_subresource: image.copy_layers(mip, 0, 1),
            image_extent: vk::Extent3D { width, height, depth: 1 },
            ..Default::default()
        };
        offset += TEXEL * u64::from(width) * u64::from(height);
        region
    };
    (0..image.mips()).map(region).collect()
}

/// A texture with its mips, finest first: each mip is the one above it, twice as large, and noise.
fn chain(side: u32, seed: u32, slot: TextureSlot) -> Vec<u8> {
    let (middle, least, most) = match slot {
        TextureSlot::Albedo => ([110, 100, 80, 255], [-28, -28, -28, 0], [28, 28, 28, 0]),
        // Occlusion, roughness, nothing, blend height.
        TextureSlot::Surface => ([225, 190, 0, 128], [-12, -16, 0, -44], [8, 16, 0, 44]),
        TextureSlot::Normal => ([128, 128, 255, 255], [-14, -14, 0, 0], [14, 14, 0, 0]),
    };
    let seed = (seed + slot as u32).wrapping_mul(0x9E37_79B9);
    let mut mips = vec![middle.to_vec()];
    let mut width = 1usize;
    while width < side as usize {
        let above = &mips[mips.len() - 1];
        let mut texels = vec![0u8; 16 * width * width];
        for (index, texel) in texels.as_chunks_mut::<4>().0.iter_mut().enumerate() {
            let (x, y) = (index % (2 * width), index / (2 * width));
            let from = &above[4 * (y / 2 * width + x / 2)..][..4];
            let noise = hash(seed ^ ((2 * width) as u32).rotate_left(20) ^ index as u32).to_le_bytes();
            for channel in 0..4 {
                let (least, most) = (least[channel], most[channel]);
                let step = least + (most - least) * i32::from(noise[channel]) / 255;
                texel[channel] = (i32::from(from[channel]) + step).clamp(0, 255) as u8;
            }
        }
        mips.push(texels);
        width *= 2;
    }
    mips.into_iter().rev().flatten().collect()
}

fn hash(value: u32) -> u32 {
    let mut h = value.wrapping_mul(0x85EB_CA77);
    h = (h ^ (h >> 15)).wrapping_mul(0x2C1B_3C6D);
    h = (h ^ (h >> 12)).wrapping_mul(0x297A_2D39);
    h ^ (h >> 15)
}
