//! What the passes share: the atlas, the lattice's indices, the rings, the set and the pipelines.

use super::atlas_images::AtlasImages;
use super::host_fragment::HostModule;
use super::lattice::Lattices;
use super::materials::Materials;
use super::pipeline_cache::{PipelineCache, PipelineKey};
use super::scissor::{scissor, viewport};
use super::view_buffers::{BINDINGS, ViewBuffers};
use super::{Target, TextureSource};
use crate::abi::SkyConstants;
use crate::atlas::AtlasLayout;
use crate::field::FieldDesc;
use crate::gpu::{Cmd, Device, PipelineLayout, Set, SetLayout};
use crate::lod::GridSize;
use crate::plan::{FramePlan, Residency, ViewPlan};
use crate::shaders::{SET, SET_LIGHT, SET_MATERIAL, ShaderId};
use crate::splat::Splat;
use crate::{Error, Result};
use ash::vk;
use std::ffi::CStr;
use std::sync::Arc;

/// Draws terrains of one shape on one device, one terrain at a time; a terrain may have several renderers.
#[doc(alias = "TerrainRenderer")]
pub struct Renderer {
    device: Arc<Device>,
    atlas: AtlasImages,
    lattices: Lattices,
    views: ViewBuffers,
    materials: Materials,
    pipelines: PipelineCache,
    residency: Residency,
    frame: u64,
    stats: RendererStats,
}

/// What a renderer did. Counts of this frame begin anew with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RendererStats {
    /// Bytes copied into textures this frame.
    pub uploaded_bytes: u64,
    /// Draw calls recorded this frame.
    pub draws: u32,
    /// Patches drawn this frame.
    pub patches: u32,
    /// Bytes written for views this frame: the uniform block and the node records of each view that was drawn.
    pub view_bytes: u64,
    /// Pipelines that are held.
    pub pipelines: u32,
    /// Descriptor sets made so far; 1 as long as no view outgrew the patch buffer.
    pub sets: u32,
}

impl Renderer {
    /// A renderer for fields of this shape. Holds nothing yet: its first plan uploads every tile.
    ///
    /// # Errors
    /// A field whose atlas is larger than the device's images can be, naming the largest, and what the device could
    /// not make.
    pub fn new(device: &Arc<Device>, desc: &FieldDesc) -> Result<Self> {
        desc.validate()?;
        let layout = AtlasLayout::new(desc);
        check_atlas(device, &layout)?;
        let atlas = AtlasImages::new(device, layout)?;
        let set_layout = SetLayout::new(device, "landform view", &BINDINGS)?;
        let push_size = size_of::<SkyConstants>() as u32;
        let pipeline_layout = PipelineLayout::new(
            device,
            "landform passes",
            &[&set_layout],
            push_size,
            vk::ShaderStageFlags::FRAGMENT,
        )?;
        Ok(Self {
            views: ViewBuffers::new(device, &set_layout, &atlas)?,
            materials: Materials::new(device, &set_layout, push_size)?,
            lattices: Lattices::new(device)?,
            device: device.clone(),
            atlas,
            pipelines: PipelineCache::new(pipeline_layout),
            residency: Residency::nothing(desc),
            frame: 0,
            stats: RendererStats::default(),
        })
    }

    /// What the renderer holds: what the next plan takes its difference to.
    pub fn residency(&self) -> &Residency {
        &self.residency
    }

    /// Forgets what was uploaded: for a host that recorded an upload and then never submitted it, the first one among
    /// them, or lost the device's content in another way. The next plan uploads every tile again; until it is uploaded
    /// nothing is drawn.
    pub fn forget(&mut self) {
        // Nothing is assumed of the images, and they are cleared again, so that holes of 0 are true.
        self.residency.forget();
        self.atlas.forget();
        self.materials.forget();
        self.lattices.forget();
    }

    /// What the renderer did.
    pub fn stats(&self) -> RendererStats {
        RendererStats {
            view_bytes: self.views.bytes(),
            pipelines: self.pipelines.len() as u32,
            sets: self.views.sets_made(),
            ..self.stats
        }
    }

    /// The device.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    pub(super) fn atlas(&self) -> &AtlasImages {
        &self.atlas
    }

    /// Copies what the plan found stale, and confirms it. Outside a rendering scope, before the frame's draws.
    ///
    /// # Errors
    /// A plan for a field of another shape, a command buffer of another device, or what the device could not make.
    /// Nothing was recorded or confirmed then, and the next plan has it again.
    pub fn upload(&mut self, cmd: &Cmd<'_>, plan: &FramePlan) -> Result<()> {
        if plan.layout != self.residency.layout {
            return Err(Error::invalid("terrain renderer", ANOTHER_SHAPE));
        }
        self.check_device(cmd)?;
        self.begin_frame()?;
        // Whatever can fail comes first, and whatever is recorded last.
        for view in &plan.views {
            self.lattices.stage(view.grid)?;
        }
        self.lattices.finish()?;
        let uploads = !plan.uploads.is_empty() || !self.residency.is_drawable();
        if uploads {
            self.atlas.stage(plan)?;
        }
        self.lattices.record(cmd);
        self.materials.record(cmd);
        if !uploads {
            return Ok(());
        }
        cmd.begin_label(c"landform upload");
        self.atlas.record(cmd);
        cmd.end_label();
        self.stats.uploaded_bytes += plan.upload_bytes();
        self.residency.confirm(plan);
        Ok(())
    }

    /// Asks a source for the textures that the plan's layers name, once in every frame that draws them, before its first
    /// draw. What it does not have is drawn with a default until it has; where an answer is that of the last frame nothing
    /// is written. An answer holds for its frame alone: what is not asked for is drawn with defaults.
    ///
    /// # Errors
    /// Before the first frame was begun.
    pub fn find_textures(&mut self, plan: &FramePlan, source: &mut dyn TextureSource) -> Result<()> {
        self.begin_frame()?;
        self.materials.ask(self.frame, &plan.material.layers, source);
        Ok(())
    }

    /// Brings the rings to the device's current frame, once a frame.
    fn begin_frame(&mut self) -> Result<()> {
        let frame = self.device.frame();
        if frame == 0 {
            return Err(Error::invalid(
                "terrain renderer",
                "no frame was begun; call Device::begin_frame once a frame, before its first upload or draw",
            ));
        }
        if self.frame != frame {
            self.atlas.begin_frame()?;
            self.lattices.begin_frame()?;
            self.views.begin_frame();
            self.stats = RendererStats::default();
            // Last: where something failed, the frame is begun again by the next call.
            self.frame = frame;
        }
        Ok(())
    }

    /// Records the one call that draws a view's patches.
    pub(super) fn draw_nodes(
        &mut self,
        cmd: &Cmd<'_>,
        label: &CStr,
        view: &ViewPlan,
        key: PipelineKey,
        reads: Reads<'_>,
    ) -> Result<()> {
        self.check_device(cmd)?;
        self.check_shape(view)?;
        self.begin_frame()?;
        if view.nodes.is_empty() {
            return Ok(());
        }
        if !self.residency.is_drawable() || self.lattices.get(view.grid).is_none() {
            return Err(nothing_uploaded());
        }
        let slice = self.views.push(view, &self.atlas)?;
        let layout = self.layout_of(reads.splat, reads.third.map(|third| third.layout))?;
        let pipeline = self.pipelines.get(&self.device, &layout, key)?;
        let Some(lattice) = self.lattices.get(view.grid) else { return Err(nothing_uploaded()) };
        let layers = match reads.splat {
            Some(splat) => {
                let (constants, weights) = (self.views.materials(), self.atlas.weights());
                Some(self.materials.set(splat, self.frame, constants, weights)?)
            }
            None => None,
        };
        let graphics = vk::PipelineBindPoint::GRAPHICS;
        cmd.begin_label(label);
        cmd.bind_pipeline(pipeline);
        set_viewport(cmd, &self.device, view);
        cmd.bind_sets(graphics, &layout, SET, &[self.views.set()], &slice.offsets);
        if let Some(layers) = layers {
            cmd.bind_sets(graphics, &layout, SET_MATERIAL, &[layers], &[slice.material]);
        }
        if let Some(third) = reads.third {
            cmd.bind_sets(graphics, &layout, SET_LIGHT, &[third.set], third.offsets);
        }
        cmd.bind_index_buffer(lattice, 0, vk::IndexType::UINT16);
        cmd.draw_indexed(view.grid.index_count(), view.nodes.len() as u32, 0, 0);
        cmd.end_label();
        self.stats.draws += 1;
        self.stats.patches += view.nodes.len() as u32;
        Ok(())
    }

    /// Records one triangle over the whole viewport.
    pub(super) fn draw_triangle(
        &mut self,
        cmd: &Cmd<'_>,
        label: &CStr,
        view: &ViewPlan,
        key: PipelineKey,
        push: &[u8],
    ) -> Result<()> {
        self.check_device(cmd)?;
        self.begin_frame()?;
        let layout = self.pipelines.layout().clone();
        let pipeline = self.pipelines.get(&self.device, &layout, key)?;
        cmd.begin_label(label);
        cmd.bind_pipeline(pipeline);
        set_viewport(cmd, &self.device, view);
        cmd.push_constants(&layout, push);
        cmd.draw(3, 1);
        cmd.end_label();
        self.stats.draws += 1;
        Ok(())
    }

    /// Makes a pipeline ahead, for what reads these layers and a third set of this layout.
    pub(super) fn make_pipeline(
        &mut self,
        key: PipelineKey,
        splat: Option<Splat>,
        third: Option<&Arc<SetLayout>>,
    ) -> Result<()> {
        let layout = self.layout_of(splat, third)?;
        self.pipelines.get(&self.device, &layout, key).map(|_| ())
    }

    /// The pipeline layout of what reads these layers, with a third set or without, or of what reads none.
    fn layout_of(
        &mut self,
        splat: Option<Splat>,
        third: Option<&Arc<SetLayout>>,
    ) -> Result<Arc<PipelineLayout>> {
        match splat {
            Some(splat) => self.materials.pipeline_layout(splat, third),
            None => Ok(self.pipelines.layout().clone()),
        }
    }

    /// Makes a host's fragment module one that a key may name.
    pub(super) fn know_fragment(&mut self, module: &Arc<HostModule>) {
        self.pipelines.know(module);
    }

    pub(super) fn forget_pipelines(&mut self, target: &Target) {
        self.pipelines.forget(target);
    }

    /// Refuses a command buffer of another device: every handle that is recorded is of the renderer's.
    pub(super) fn check_device(&self, cmd: &Cmd<'_>) -> Result<()> {
        if std::ptr::eq(cmd.device(), &*self.device) {
            return Ok(());
        }
        Err(Error::invalid(
            "terrain renderer",
            "the command buffer was taken by another device than the renderer's; record with the device that the \
             renderer was made for, or make a renderer for this one",
        ))
    }

    /// Refuses a view of a field whose atlas lies differently: its taps would read other tiles, or none.
    fn check_shape(&self, view: &ViewPlan) -> Result<()> {
        let layout = &self.residency.layout;
        let [quads_x, quads_z] = layout.quads;
        let map = [quads_x, quads_z, layout.tile_samples - 1, layout.max_mip()];
        if view.constants.map == map && view.constants.tiles[..2] == layout.tiles {
            return Ok(());
        }
        Err(Error::invalid("terrain renderer", ANOTHER_SHAPE))
    }

    /// True where the device draws wireframes.
    pub(super) fn fills_lines(&self) -> bool {
        self.device.features().fill_mode_non_solid
    }

    /// The front face that a pipeline has to be made with; one for all where it is set while recording.
    pub(super) fn baked_front_face(&self, view: &ViewPlan) -> vk::FrontFace {
        if self.device.has_dynamic_front_face() { vk::FrontFace::COUNTER_CLOCKWISE } else { front_face(view) }
    }
}

/// What a draw of patches binds besides the view's set.
#[derive(Clone, Copy)]
pub(super) struct Reads<'a> {
    splat: Option<Splat>,
    third: Option<Third<'a>>,
}

impl Reads<'_> {
    /// Nothing.
    pub(super) const GROUND: Self = Self { splat: None, third: None };
}

impl<'a> Reads<'a> {
    /// The set of these layers.
    pub(super) fn layers(splat: Splat) -> Self {
        Self { splat: Some(splat), third: None }
    }

    /// The set of these layers, and one more.
    pub(super) fn layers_and(splat: Splat, third: Third<'a>) -> Self {
        Self { splat: Some(splat), third: Some(third) }
    }
}

/// Set 2, with the offsets of its dynamic bindings.
#[derive(Clone, Copy)]
pub(super) struct Third<'a> {
    pub(super) layout: &'a Arc<SetLayout>,
    pub(super) set: &'a Set,
    pub(super) offsets: &'a [u32],
}

const ANOTHER_SHAPE: &str = "the plan is of a field of another shape; make a renderer for that field";

fn nothing_uploaded() -> Error {
    Error::invalid(
        "terrain renderer",
        "a draw before anything was uploaded; call upload with the frame's plan first, outside the rendering scope",
    )
}

fn front_face(view: &ViewPlan) -> vk::FrontFace {
    if view.keeps_winding { vk::FrontFace::COUNTER_CLOCKWISE } else { vk::FrontFace::CLOCKWISE }
}

fn set_viewport(cmd: &Cmd<'_>, device: &Device, view: &ViewPlan) {
    let limits = device.limits();
    let most = [limits.max_framebuffer_width, limits.max_framebuffer_height];
    cmd.set_viewport(viewport(&view.viewport, view.flip_y), scissor(&view.viewport, most));
    cmd.set_front_face(front_face(view));
}

/// The module of a grid.
pub(super) fn grid_shader(find: fn(u32) -> Option<ShaderId>, grid: GridSize) -> Result<ShaderId> {
    find(grid.quads()).ok_or_else(|| {
        Error::invalid("grid size", format!("no shader is compiled for {} quads", grid.quads()))
    })
}

fn check_atlas(device: &Device, layout: &AtlasLayout) -> Result<()> {
    let most = device.limits().max_image_dimension2_d;
    let [width, height] = layout.size();
    if width.max(height) <= most {
        return Ok(());
    }
    let tiles = most / layout.tile_samples;
    let side = tiles * (layout.tile_samples - 1) + 1;
    Err(Error::Unsupported {
        what: "maxImageDimension2D".into(),
        why: format!(
            "the height atlas of this terrain is {width}×{height} texels and the device's images end at {most}; with \
             tiles of {} the largest map is {side}×{side} samples. Split the map into several terrains, or resample it",
            layout.tile_samples
        ),
    })
}
