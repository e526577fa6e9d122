//! Passes over a whole target: the air, the ambient light of a split frame, the tonemap, and a look at any target.

use crate::Result;
use crate::draw::light::{FrameLight, LightSlice};
use crate::draw::pipeline_cache::{ENCODE_SRGB, HAS_BENT, HAS_HAZE};
use crate::draw::set_cache::SetCache;
use crate::draw::{ColorEncoding, Target, TextureView};
use crate::gpu::{
    Binding, BindingKind, Blend, Cmd, Device, GraphicsPipelineDesc, Image, ImageBarrier, ImageDesc, Pipeline,
    PipelineLayout, Sampler, SamplerDesc, SetLayout, SetValue, ShaderDesc, Usage,
};
use crate::shaders::{
    BINDING_INPUT, BINDING_INPUT_HISTORY, BINDING_INPUT_NORMALS, BINDING_INPUT_OCCLUSION,
    BINDING_INPUT_SAMPLER, SET, SET_LIGHT, ShaderId,
};
use ash::vk;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// What such a pass samples: depth, albedo or luminance; normals or motion; occlusion or depth; what the last frame left. All name the
/// first where there is no other.
pub(super) const INPUT_BINDINGS: [Binding; 5] = {
    let (image, stage) = (BindingKind::SampledImage, vk::ShaderStageFlags::FRAGMENT);
    [
        Binding::one(BINDING_INPUT, image, stage),
        Binding::one(BINDING_INPUT_NORMALS, image, stage),
        Binding::one(BINDING_INPUT_OCCLUSION, image, stage),
        Binding::one(BINDING_INPUT_HISTORY, image, stage),
        Binding::one(BINDING_INPUT_SAMPLER, BindingKind::Sampler, stage),
    ]
};

/// The images of a pass, in the order of their bindings.
pub(super) type Inputs = [TextureView; 4];

/// Bytes that a pass may be pushed: what every device has.
const MOST_PUSHED: u32 = 128;

/// Which pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ScreenPass {
    /// The sky, and the air before what was drawn.
    Air,
    /// The sky alone.
    Sky,
    Combine,
    /// The same with a plane that says where the light comes from.
    CombineBent,
    /// What pixels see of the sky in a few directions.
    Occlusion,
    /// The plane that is made of it.
    OcclusionBlur,
    SkyVelocity,
    Resolve,
    Tonemap,
    Show,
}

impl ScreenPass {
    fn fragment(self) -> ShaderId {
        match self {
            Self::Air | Self::Sky => ShaderId::AirFragment,
            Self::Combine | Self::CombineBent => ShaderId::CombineFragment,
            Self::Occlusion => ShaderId::OcclusionFragment,
            Self::OcclusionBlur => ShaderId::OcclusionBlurFragment,
            Self::SkyVelocity => ShaderId::SkyVelocityFragment,
            Self::Resolve => ShaderId::ResolveFragment,
            Self::Tonemap => ShaderId::TonemapFragment,
            Self::Show => ShaderId::ShowFragment,
        }
    }

    /// The air and the sky ask where a pixel looks.
    fn vertex(self) -> ShaderId {
        match self {
            Self::Air | Self::Sky | Self::SkyVelocity => ShaderId::SkyVertex,
            _ => ShaderId::ScreenVertex,
        }
    }

    fn blend(self) -> Blend {
        match self {
            Self::Air | Self::Sky => Blend::AddToPart,
            Self::Combine | Self::CombineBent => Blend::Add,
            _ => Blend::Replace,
        }
    }

    /// What the scene's depth has to be. The far plane, on which all of them lie, is only before what nothing covered.
    fn depth_test(self) -> Option<vk::CompareOp> {
        (self == Self::SkyVelocity).then_some(vk::CompareOp::GREATER_OR_EQUAL)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Air => "landform air",
            Self::Sky => "landform sky",
            Self::Combine | Self::CombineBent => "landform ambient",
            Self::Occlusion => "landform occlusion",
            Self::OcclusionBlur => "landform occlusion blur",
            Self::SkyVelocity => "landform sky velocity",
            Self::Resolve => "landform resolve",
            Self::Tonemap => "landform tonemap",
            Self::Show => "landform target view",
        }
    }
}

/// What a pass is pushed: its constants, and 0 up to the end of what every pass has.
pub(super) struct Push([u8; MOST_PUSHED as usize]);

impl Push {
    /// Nothing.
    pub(super) const NONE: Self = Self([0; MOST_PUSHED as usize]);

    pub(super) fn of<T: bytemuck::Pod>(constants: &T) -> Self {
        const { assert!(size_of::<T>() <= MOST_PUSHED as usize) };
        let mut push = Self::NONE;
        push.0[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(constants));
        push
    }
}

/// What a pass over a whole target is drawn with.
pub(super) struct ScreenDraw<'a> {
    pub(super) pass: ScreenPass,
    pub(super) target: &'a Target,
    pub(super) viewport: vk::Viewport,
    pub(super) inputs: Inputs,
    pub(super) light: Option<(&'a FrameLight, &'a LightSlice)>,
    pub(super) push: &'a Push,
}

/// The passes' pipelines and sets.
pub(super) struct Screen {
    device: Arc<Device>,
    layout: Arc<PipelineLayout>,
    inputs: SetCache<Inputs>,
    sampler: Sampler,
    pipelines: HashMap<(ScreenPass, Target), Pipeline>,
    /// A plane of no occlusion.
    open: Image,
    open_written: bool,
}

impl Screen {
    pub(super) fn new(device: &Arc<Device>, light: &FrameLight) -> Result<Self> {
        let inputs = SetLayout::new(device, "landform inputs", &INPUT_BINDINGS)?;
        // The light is set 2 everywhere; there is nothing between.
        let nothing = SetLayout::new(device, "landform nothing", &[])?;
        let layout = PipelineLayout::new(
            device,
            "landform screen passes",
            &[&inputs, &nothing, light.set_layout()],
            MOST_PUSHED,
            vk::ShaderStageFlags::FRAGMENT,
        )?;
        let open = ImageDesc { name: "landform open", format: vk::Format::R8_UNORM, ..ImageDesc::default() };
        Ok(Self {
            inputs: SetCache::new(device, inputs, "landform inputs"),
            sampler: Sampler::new(device, &INPUT_SAMPLER)?,
            layout,
            pipelines: HashMap::new(),
            open: Image::new(device, &open)?,
            open_written: false,
            device: device.clone(),
        })
    }

    /// The plane that stands for no occlusion.
    pub(super) fn open(&self) -> TextureView {
        TextureView { view: self.open.view(), revision: 0 }
    }

    /// Writes it, once. Outside a rendering scope.
    pub(super) fn upload(&mut self, cmd: &Cmd<'_>) {
        if self.open_written {
            return;
        }
        let barrier = |from, to| ImageBarrier { image: &self.open, range: self.open.whole(), from, to };
        cmd.barriers(&[barrier(Usage::Discard, Usage::TransferDst)], &[]);
        cmd.clear_color(&self.open, self.open.whole(), vk::ClearColorValue { float32: [1.0; 4] });
        cmd.barriers(&[barrier(Usage::TransferDst, Usage::FragmentRead)], &[]);
        self.open_written = true;
    }

    pub(super) fn forget(&mut self) {
        self.open_written = false;
    }

    /// Makes a pass' pipeline, so that no frame waits for it.
    pub(super) fn prepare(&mut self, pass: ScreenPass, target: &Target) -> Result<()> {
        self.pipeline(pass, target).map(|_| ())
    }

    /// Draws a pass. Inside a rendering scope of the target.
    pub(super) fn draw(&mut self, cmd: &Cmd<'_>, draw: &ScreenDraw<'_>) -> Result<()> {
        let inputs = draw.inputs;
        let sampler = self.sampler.raw();
        let set = self.inputs.find(inputs, |sets| {
            // The sampler is the last, after the images.
            for (binding, input) in INPUT_BINDINGS.iter().zip(inputs) {
                sets.write(0, binding.binding, 0, SetValue::Image(input.view))?;
            }
            sets.write(0, BINDING_INPUT_SAMPLER, 0, SetValue::Sampler(sampler))
        })?;
        let layout = self.layout.clone();
        let pipeline = self.pipeline(draw.pass, draw.target)?;
        cmd.bind_pipeline(pipeline);
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        if let Some(set) = self.inputs.get(set) {
            cmd.bind_sets(graphics, &layout, SET, &[set], &[]);
        }
        if let Some((light, slice)) = draw.light {
            let bound = light.set(slice)?;
            cmd.bind_sets(graphics, &layout, SET_LIGHT, &[bound.set], bound.offsets);
        }
        cmd.push_constants(&layout, &draw.push.0);
        cmd.set_viewport(draw.viewport, whole_of(&draw.viewport));
        cmd.set_front_face(vk::FrontFace::COUNTER_CLOCKWISE);
        cmd.draw(3, 1);
        Ok(())
    }

    fn pipeline(&mut self, pass: ScreenPass, target: &Target) -> Result<&Pipeline> {
        match self.pipelines.entry((pass, *target)) {
            Entry::Occupied(made) => Ok(made.into_mut()),
            Entry::Vacant(place) => Ok(place.insert(make(&self.device, &self.layout, pass, target)?)),
        }
    }
}

/// Interpolates between texels, and beyond the edge takes the edge's.
const INPUT_SAMPLER: SamplerDesc<'_> = SamplerDesc {
    name: "landform inputs",
    filter: vk::Filter::LINEAR,
    mip_filter: vk::SamplerMipmapMode::NEAREST,
    address: vk::SamplerAddressMode::CLAMP_TO_EDGE,
    anisotropy: 1.0,
    compare: None,
};

/// The scissor of a viewport, which may be turned over.
fn whole_of(viewport: &vk::Viewport) -> vk::Rect2D {
    let top = viewport.y.min(viewport.y + viewport.height);
    let [x, y] = [viewport.x, top].map(|at| at.floor().max(0.0));
    let extent = vk::Extent2D {
        width: (viewport.x + viewport.width - x).ceil().max(0.0) as u32,
        height: (top + viewport.height.abs() - y).ceil().max(0.0) as u32,
    };
    vk::Rect2D { offset: vk::Offset2D { x: x as i32, y: y as i32 }, extent }
}

fn make(
    device: &Arc<Device>,
    layout: &Arc<PipelineLayout>,
    pass: ScreenPass,
    target: &Target,
) -> Result<Pipeline> {
    let encode = u32::from(target.encoding == ColorEncoding::Srgb);
    let is = |other: ScreenPass| u32::from(pass == other);
    let constants =
        [(ENCODE_SRGB, encode), (HAS_HAZE, is(ScreenPass::Air)), (HAS_BENT, is(ScreenPass::CombineBent))];
    let shader = |id: ShaderId, constants| ShaderDesc { words: id.spirv(), entry: c"main", constants };
    Pipeline::graphics(
        device,
        &GraphicsPipelineDesc {
            fragment: Some(shader(pass.fragment(), &constants)),
            samples: target.samples,
            depth_test: pass.depth_test(),
            depth_write: false,
            cull: vk::CullModeFlags::NONE,
            blend: pass.blend(),
            ..GraphicsPipelineDesc::new(pass.name(), layout, shader(pass.vertex(), &[]), &target.formats)
        },
    )
}
