//! Textures of layers made from arithmetic, answered when a test says so.

use ash::vk;
use landform::draw::{TextureSource, TextureView};
use landform::gpu::{Buffer, BufferDesc, Device, Image, ImageBarrier, ImageDesc, MemoryLocation, Usage};
use landform::splat::{Layer, TextureSlot};
use landform_harness::Gpu;
use std::sync::Arc;

/// A source of its own images. A texture that was not added is not there yet.
pub struct MadeTextures {
    gpu: Arc<Gpu>,
    device: Arc<Device>,
    textures: Vec<Made>,
    revision: u64,
}

struct Made {
    layer: String,
    slot: TextureSlot,
    view: TextureView,
    /// Lives as long as the source: a frame that was recorded with it may still be drawn.
    _image: Image,
}

impl MadeTextures {
    /// A source without any texture.
    pub fn new(gpu: &Arc<Gpu>, device: &Arc<Device>) -> Self {
        Self { gpu: gpu.clone(), device: device.clone(), textures: Vec::new(), revision: 0 }
    }

    /// Answers from now on with this texture: `side × side` texels RGBA, rows from the top. Another one of the same layer
    /// and slot gives way to it. Mips are averages, those of albedo of linear light.
    pub fn add(&mut self, layer: &str, slot: TextureSlot, side: u32, texels: &[u8]) {
        assert_eq!(texels.len(), 4 * (side * side) as usize, "texels of {layer}");
        let mips = mips(side, texels, slot == TextureSlot::Albedo);
        let format = match slot {
            TextureSlot::Albedo => vk::Format::R8G8B8A8_SRGB,
            TextureSlot::Surface | TextureSlot::Normal => vk::Format::R8G8B8A8_UNORM,
        };
        let desc = ImageDesc {
            name: "made texture",
            extent: [side, side],
            mips: mips.len() as u32,
            format,
            ..ImageDesc::default()
        };
        let image = Image::new(&self.device, &desc).expect("an image");
        self.copy(&image, &mips);
        self.revision += 1;
        let view = TextureView { view: image.view(), revision: self.revision };
        self.textures.insert(0, Made { layer: layer.into(), slot, view, _image: image });
    }

    /// Answers from now on with a texture of one colour.
    pub fn add_plain(&mut self, layer: &str, slot: TextureSlot, texel: [u8; 4]) {
        self.add(layer, slot, 1, &texel);
    }

    fn copy(&self, image: &Image, mips: &[Vec<u8>]) {
        let bytes = mips.concat();
        let desc = BufferDesc {
            name: "made texels",
            size: bytes.len() as u64,
            usage: vk::BufferUsageFlags::TRANSFER_SRC,
            location: MemoryLocation::Upload,
        };
        let mut buffer = Buffer::new(&self.device, &desc).expect("a buffer");
        buffer.write(0, &bytes).expect("written");
        let mut at = 0;
        let regions: Vec<_> = (0..image.mips())
            .map(|mip| {
                let [width, height] = image.extent(mip);
                let offset = at;
                at += 4 * u64::from(width * height);
                vk::BufferImageCopy {
                    buffer_offset: offset,
                    image_subresource: image.copy_layers(mip, 0, 1),
                    image_extent: vk::Extent3D { width, height, depth: 1 },
                    ..Default::default()
                }
            })
            .collect();
        self.gpu
            .submit_and_wait(|raw| {
                // SAFETY: the harness hands over a command buffer that records, and waits for it.
                let cmd = unsafe { self.device.record(raw) };
                let barrier = |from, to| {
                    cmd.barriers(&[ImageBarrier { image, range: image.whole(), from, to }], &[]);
                };
                barrier(Usage::Undefined, Usage::TransferDst);
                cmd.copy_to_image(buffer.raw(), image, &regions);
                barrier(Usage::TransferDst, Usage::FragmentRead);
            })
            .expect("a copy");
    }
}

impl TextureSource for MadeTextures {
    fn texture(&mut self, layer: &Layer, slot: TextureSlot) -> Option<TextureView> {
        let made = self.textures.iter().find(|made| made.layer == layer.name && made.slot == slot);
        made.map(|made| made.view)
    }
}

/// A chain of a square picture down to one texel.
fn mips(side: u32, texels: &[u8], srgb: bool) -> Vec<Vec<u8>> {
    assert!(side.is_power_of_two());
    // Near enough to sRGB for an average of neighbours.
    let gamma = if srgb { 2.2f32 } else { 1.0 };
    let mut finest: Vec<f32> = texels.iter().map(|&byte| (f32::from(byte) / 255.0).powf(gamma)).collect();
    let mut chain = vec![texels.to_vec()];
    let mut side = side as usize;
    while side > 1 {
        let half = side / 2;
        let at = |x: usize, z: usize, channel: usize| finest[4 * (z * side + x) + channel];
        let coarser: Vec<f32> = (0..half * half * 4)
            .map(|index| {
                let (x, z, channel) = (index / 4 % half * 2, index / 4 / half * 2, index % 4);
                let sum = at(x, z, channel) + at(x + 1, z, channel);
                0.25 * (sum + at(x, z + 1, channel) + at(x + 1, z + 1, channel))
            })
            .collect();
        let stored = coarser.iter().map(|value| (value.powf(1.0 / gamma) * 255.0 + 0.5) as u8);
        chain.push(stored.collect());
        finest = coarser;
        side = half;
    }
    chain
}
