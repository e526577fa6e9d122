//! Passes over a whole target: the air, the ambient light of a split frame, the tonemap, and a look at any target.

use crate::Result;
use crate::abi::{ShowConstants, TonemapConstants};
use crate::draw::light::{FrameLight, LightSlice};
use crate::draw::pipeline_cache::{ENCODE_SRGB, HAS_HAZE};
use crate::draw::set_cache::SetCache;
use crate::draw::{ColorEncoding, Target, TextureView};
use crate::gpu::{
    Binding, BindingKind, Blend, Cmd, Device, GraphicsPipelineDesc, Image, ImageBarrier, ImageDesc, Pipeline,
    PipelineLayout, SetLayout, SetValue, ShaderDesc, Usage,
};
use crate::shaders::{
    BINDING_INPUT, BINDING_INPUT_NORMALS, BINDING_INPUT_OCCLUSION, SET, SET_LIGHT, ShaderId,
};
use ash::vk;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

/// What such a pass samples: depth, albedo or luminance; normals; occlusion. All name the first where there is no other.
pub(super) const INPUT_BINDINGS: [Binding; 3] = {
    const fn image(binding: u32) -> Binding {
        let (kind, stages) = (BindingKind::SampledImage, vk::ShaderStageFlags::FRAGMENT);
        Binding { binding, kind, stages, count: 1 }
    }
    [image(BINDING_INPUT), image(BINDING_INPUT_NORMALS), image(BINDING_INPUT_OCCLUSION)]
};

/// Which pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ScreenPass {
    /// The sky, and the air before what was drawn.
    Air,
    /// The sky alone.
    Sky,
    Combine,
    Tonemap,
    Show,
}

impl ScreenPass {
    fn fragment(self) -> ShaderId {
        match self {
            Self::Air | Self::Sky => ShaderId::AirFragment,
            Self::Combine => ShaderId::CombineFragment,
            Self::Tonemap => ShaderId::TonemapFragment,
            Self::Show => ShaderId::ShowFragment,
        }
    }

    /// The air asks where a pixel looks.
    fn vertex(self) -> ShaderId {
        match self {
            Self::Air | Self::Sky => ShaderId::SkyVertex,
            Self::Combine | Self::Tonemap | Self::Show => ShaderId::ScreenVertex,
        }
    }

    fn blend(self) -> Blend {
        match self {
            Self::Air | Self::Sky => Blend::AddToPart,
            Self::Combine => Blend::Add,
            Self::Tonemap | Self::Show => Blend::Replace,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Air => "landform air",
            Self::Sky => "landform sky",
            Self::Combine => "landform ambient",
            Self::Tonemap => "landform tonemap",
            Self::Show => "landform target view",
        }
    }
}

/// What a pass over a whole target is drawn with.
pub(super) struct ScreenDraw<'a> {
    pub(super) pass: ScreenPass,
    pub(super) target: &'a Target,
    pub(super) viewport: vk::Viewport,
    pub(super) inputs: [TextureView; 3],
    pub(super) light: Option<(&'a FrameLight, &'a LightSlice)>,
    pub(super) push: Option<&'a [u8]>,
}

/// The passes' pipelines and sets.
pub(super) struct Screen {
    device: Arc<Device>,
    layout: Arc<PipelineLayout>,
    inputs: SetCache<[TextureView; 3]>,
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
        let push_size = size_of::<TonemapConstants>().max(size_of::<ShowConstants>()) as u32;
        let layout = PipelineLayout::new(
            device,
            "landform screen passes",
            &[&inputs, &nothing, light.set_layout()],
            push_size,
            vk::ShaderStageFlags::FRAGMENT,
        )?;
        let open = ImageDesc { name: "landform open", format: vk::Format::R8_UNORM, ..ImageDesc::default() };
        Ok(Self {
            inputs: SetCache::new(device, inputs, "landform inputs"),
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
        let set = self.inputs.find(inputs, |sets| {
            let bindings = INPUT_BINDINGS.iter().zip(inputs);
            bindings.into_iter().try_for_each(|(binding, input)| {
                sets.write(0, binding.binding, 0, SetValue::Image(input.view))
            })
        })?;
        let layout = self.layout.clone();
        let pipeline = self.pipeline(draw.pass, draw.target)?;
        cmd.bind_pipeline(pipeline);
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        if let Some(set) = self.inputs.get(set) {
            cmd.bind_sets(graphics, &layout, SET, &[set], &[]);
        }
        if let Some((light, slice)) = draw.light {
            let (set, offsets) = light.bound(slice)?;
            cmd.bind_sets(graphics, &layout, SET_LIGHT, &[set], &offsets);
        }
        if let Some(push) = draw.push {
            cmd.push_constants(&layout, push);
        }
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
    let constants = [(ENCODE_SRGB, encode), (HAS_HAZE, u32::from(pass == ScreenPass::Air))];
    let shader = |id: ShaderId, constants| ShaderDesc { words: id.spirv(), entry: c"main", constants };
    Pipeline::graphics(
        device,
        &GraphicsPipelineDesc {
            fragment: Some(shader(pass.fragment(), &constants)),
            samples: target.samples,
            depth_test: None,
            depth_write: false,
            cull: vk::CullModeFlags::NONE,
            blend: pass.blend(),
            ..GraphicsPipelineDesc::new(pass.name(), layout, shader(pass.vertex(), &[]), &target.formats)
        },
    )
}
