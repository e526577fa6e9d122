//! What the passes share: the atlas, the lattice's indices, the rings, the set and the pipelines.

use super::atlas_images::AtlasImages;
use super::pipeline_cache::{PipelineCache, PipelineKey};
use super::surface::nothing_uploaded;
use super::view_buffers::{BINDINGS, ViewBuffers};
use crate::abi::SkyConstants;
use crate::atlas::AtlasLayout;
use crate::field::FieldDesc;
use crate::gpu::{
    Buffer, BufferBarrier, BufferDesc, Cmd, Device, MemoryLocation, PipelineLayout, SetLayout, Staging,
    StagingDesc, Usage,
};
use crate::lod::GridSize;
use crate::plan::{FramePlan, Residency, ViewPlan};
use crate::shaders::ShaderId;
use crate::{Error, Result};
use ash::vk;
use std::ffi::CStr;
use std::sync::Arc;

/// Draws terrains of one shape on one device, one terrain at a time; a terrain may have several renderers.
#[doc(alias = "TerrainRenderer")]
pub struct Renderer {
    device: Arc<Device>,
    atlas: AtlasImages,
    lattice: [Option<Buffer>; 3],
    lattice_staging: Staging,
    views: ViewBuffers,
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
    /// Pipelines made so far.
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
        let staging = StagingDesc { name: "landform lattice staging", keep: 0, keep_most: 256 << 10 };
        Ok(Self {
            views: ViewBuffers::new(device, &set_layout, &atlas)?,
            lattice_staging: Staging::new(device, staging)?,
            device: device.clone(),
            atlas,
            lattice: [None, None, None],
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

    /// Forgets what was uploaded: for a host that recorded an upload and then never submitted it, or lost the device's
    /// content in another way. The next plan uploads every tile again.
    pub fn forget(&mut self) {
        self.residency.tiles.fill(Default::default());
    }

    /// What the renderer did.
    pub fn stats(&self) -> RendererStats {
        RendererStats { pipelines: self.pipelines.len() as u32, sets: self.views.sets_made(), ..self.stats }
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
    /// A plan for a field of another shape, or what the device could not make. What was not confirmed is planned
    /// again next frame.
    pub fn upload(&mut self, cmd: &Cmd<'_>, plan: &FramePlan) -> Result<()> {
        if plan.layout != self.residency.layout {
            return Err(Error::invalid(
                "terrain renderer",
                "the plan is of a field of another shape; make a renderer for that field",
            ));
        }
        self.begin_frame()?;
        for view in &plan.views {
            self.make_lattice(cmd, view.grid)?;
        }
        if plan.uploads.is_empty() && self.residency.is_drawable() {
            return Ok(());
        }
        cmd.begin_label(c"landform upload");
        let uploaded = self.atlas.upload(cmd, plan);
        cmd.end_label();
        self.stats.uploaded_bytes += uploaded?;
        for upload in &plan.uploads {
            let index = upload.tile.z * plan.layout.tiles[0] + upload.tile.x;
            let held = &mut self.residency.tiles[index as usize];
            if upload.heights.is_some() {
                held.heights = upload.revision.heights;
            }
            if upload.holes.is_some() {
                held.holes = upload.revision.holes;
            }
        }
        Ok(())
    }

    /// Brings the rings to the device's current frame, once a frame.
    fn begin_frame(&mut self) -> Result<()> {
        let frame = self.device.frame();
        if self.frame != frame {
            self.frame = frame;
            self.stats = RendererStats::default();
            self.views.begin_frame();
            self.atlas.begin_frame()?;
            self.lattice_staging.begin_frame()?;
        }
        Ok(())
    }

    /// Makes and uploads a grid's index buffer, once.
    fn make_lattice(&mut self, cmd: &Cmd<'_>, grid: GridSize) -> Result<()> {
        let slot = &mut self.lattice[grid as usize];
        if slot.is_some() {
            return Ok(());
        }
        let indices = grid.indices();
        let bytes: &[u8] = bytemuck::cast_slice(&indices);
        let buffer = Buffer::new(
            &self.device,
            &BufferDesc {
                name: "landform lattice",
                size: bytes.len() as u64,
                usage: vk::BufferUsageFlags::INDEX_BUFFER | vk::BufferUsageFlags::TRANSFER_DST,
                location: MemoryLocation::GpuOnly,
            },
        )?;
        let staged = self.lattice_staging.stage(bytes.len() as u64, 4)?;
        staged.bytes.copy_from_slice(bytes);
        let region = vk::BufferCopy { src_offset: staged.offset, dst_offset: 0, size: bytes.len() as u64 };
        cmd.copy_to_buffer(staged.buffer, &buffer, &[region]);
        self.lattice_staging.finish()?;
        let (from, to) = (Usage::TransferDst, Usage::IndexRead);
        cmd.barriers(&[], &[BufferBarrier { buffer: &buffer, offset: 0, size: vk::WHOLE_SIZE, from, to }]);
        *slot = Some(buffer);
        Ok(())
    }

    /// Records the one call that draws a view's patches.
    pub(super) fn draw_nodes(
        &mut self,
        cmd: &Cmd<'_>,
        label: &CStr,
        view: &ViewPlan,
        key: PipelineKey,
    ) -> Result<()> {
        self.begin_frame()?;
        if view.nodes.is_empty() {
            return Ok(());
        }
        if !self.residency.is_drawable() || self.lattice[view.grid as usize].is_none() {
            return Err(nothing_uploaded());
        }
        let slice = self.views.push(view, &self.atlas)?;
        let layout = self.pipelines.layout().clone();
        let pipeline = self.pipelines.get(&self.device, key)?;
        let Some(lattice) = &self.lattice[view.grid as usize] else { return Err(nothing_uploaded()) };
        cmd.begin_label(label);
        cmd.bind_pipeline(pipeline);
        set_viewport(cmd, view);
        cmd.bind_sets(vk::PipelineBindPoint::GRAPHICS, &layout, 0, &[self.views.set()], &slice.offsets);
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
        self.begin_frame()?;
        let layout = self.pipelines.layout().clone();
        let pipeline = self.pipelines.get(&self.device, key)?;
        cmd.begin_label(label);
        cmd.bind_pipeline(pipeline);
        set_viewport(cmd, view);
        cmd.push_constants(&layout, push);
        cmd.draw(3, 1);
        cmd.end_label();
        self.stats.draws += 1;
        Ok(())
    }

    pub(super) fn make_pipeline(&mut self, key: PipelineKey) -> Result<()> {
        self.pipelines.get(&self.device, key).map(|_| ())
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

fn front_face(view: &ViewPlan) -> vk::FrontFace {
    if view.keeps_winding { vk::FrontFace::COUNTER_CLOCKWISE } else { vk::FrontFace::CLOCKWISE }
}

fn set_viewport(cmd: &Cmd<'_>, view: &ViewPlan) {
    let area = view.viewport;
    let (y, height) = if view.flip_y { (area.y + area.height, -area.height) } else { (area.y, area.height) };
    let viewport = vk::Viewport { x: area.x, y, width: area.width, height, min_depth: 0.0, max_depth: 1.0 };
    let scissor = vk::Rect2D {
        offset: vk::Offset2D { x: area.x.max(0.0) as i32, y: area.y.max(0.0) as i32 },
        extent: vk::Extent2D { width: area.width.ceil() as u32, height: area.height.ceil() as u32 },
    };
    cmd.set_viewport(viewport, scissor);
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
