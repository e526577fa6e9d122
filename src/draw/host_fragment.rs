//! The ground with a fragment stage of the host's: a G-buffer of its own, a visibility buffer, a mask.
//!
//! The host compiles its module with landform's includes and hands it over once, as a [`HostFragment`]. What the module takes
//! and gives is read from its words and held against what landform's pipelines have; what does not fit is refused before any
//! pipeline is made. `docs/host_shader.md` has the sets, the inputs, the constants and the defines; `examples/gbuffer` is a
//! whole one.
//!
//! Set 0 is the view's, set 1 the material's, and set 2 is the host's own, bound for the draw as it is handed over. A module
//! belongs to whoever made it: a renderer keeps the pipelines that it made of one until the [`HostFragment`] is dropped and it
//! is given another, so that shaders may be loaded anew while a program runs.

use super::materials::{material_bindings, module_slots};
use super::module_interface::{Interface, Offered, Varying, differences};
use super::pipeline_cache::{DepthRule, PipelineKey};
use super::renderer::{Reads, Third, grid_shader};
use super::spirv_module::{EntryPoint, Scalar, SpecializationConstant, SpirvModule};
use super::view_buffers::BINDINGS;
use super::{Renderer, Target};
use crate::gpu::{Cmd, Set, SetLayout, TargetFormats};
use crate::lod::GridSize;
use crate::plan::ViewPlan;
use crate::shaders::ShaderId;
use crate::splat::Splat;
use crate::{Error, Result};
use ash::vk;
use std::ffi::{CStr, CString};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The first number of a specialization constant that is the host's; those below are landform's.
const FIRST_CONSTANT: u32 = 16;
/// Landform's specialization constants that a fragment module may declare: a boolean each.
const OWN_CONSTANTS: [u32; 4] = [0, 1, 2, 3];
/// SPIR-V's number of the fragment stage.
const MODEL_FRAGMENT: u32 = 4;

const OTHER_DEVICE: &str =
    "set 2 is of another device than the renderer's; make its layout and the set with that one";

/// A fragment module of a host.
#[derive(Clone, Copy)]
pub struct HostFragmentDesc<'a> {
    /// Its name in refusals and in capture tools.
    pub name: &'a str,
    /// SPIR-V: valid, and needing no capability that the device was not made with, by the promise made to
    /// [`Device::new`](crate::gpu::Device::new).
    pub words: &'a [u32],
    /// The entry point, of the fragment stage.
    pub entry: &'a CStr,
    /// What the module was compiled for: `SPLAT_SLOTS` is [`slots`](Splat::slots), 4 for none; `SPLAT_HEIGHT` is
    /// [`height`](Splat::height). A terrain asks for its own with [`Terrain::splat`](crate::plan::Terrain::splat).
    pub splat: Splat,
    /// The layout of set 2, where the module reads one.
    pub set: Option<&'a Arc<SetLayout>>,
    /// The host's own specialization constants, numbered from 16 on: number and value of 4 bytes (a boolean is 0 or 1), each
    /// number once. One that is left out has the value that the module says.
    pub constants: &'a [(u32, u32)],
}

/// A fragment module of a host that fits landform's pipelines. Cheap to clone; a clone is the same module.
#[derive(Clone)]
pub struct HostFragment {
    module: Arc<HostModule>,
}

/// Set 2 of a draw.
#[derive(Clone, Copy)]
pub struct HostSet<'a> {
    /// The set, of the layout that the module was described with. By the promise made to
    /// [`Device::new`](crate::gpu::Device::new) what is written into it is alive until the frame has completed.
    pub set: &'a Set,
    /// The offsets of its dynamic bindings, in order.
    pub offsets: &'a [u32],
}

/// What tells one module from every other of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct HostId(u64);

/// What a pipeline is made of.
pub(super) struct HostModule {
    pub(super) id: HostId,
    pub(super) name: Box<str>,
    pub(super) words: Box<[u32]>,
    pub(super) entry: CString,
    pub(super) constants: Box<[(u32, u32)]>,
    splat: Splat,
    set: Option<Arc<SetLayout>>,
    outputs: Vec<Varying>,
}

impl HostFragment {
    /// Reads what the module takes and gives, and holds it against what landform's pipelines have. Needs no renderer.
    ///
    /// # Errors
    /// [`Error::Invalid`] for words that are no SPIR-V, an entry point that is not there or of another stage, and a module
    /// that does not fit, with every difference: a binding of sets 0 and 1 that is not landform's in kind, count or content
    /// (as of a module that was compiled with the includes of another version, or for other slots), a binding that the
    /// layout of set 2 lacks, a set above 2, an input that the vertex stage does not write, outputs that are not at
    /// locations 0, 1, …, push constants, and specialization constants that are neither landform's nor the host's, share a
    /// number, are given two values, or have no value of 4 bytes.
    pub fn new(desc: &HostFragmentDesc<'_>) -> Result<Self> {
        let refused = |why: String| Error::invalid("host fragment", format!("{}: {why}", desc.name));
        let module = SpirvModule::read(desc.words).map_err(refused)?;
        let entry = find_entry(&module, desc.entry).map_err(refused)?;
        let interface = Interface::of(&module, entry);
        let mut all = differences(&interface, &offered(desc)?);
        all.extend(constant_problems(&module, desc.constants));
        if !all.is_empty() {
            let (all, slots) = (all.join("; "), module_slots(desc.splat));
            let why = format!(
                "{all}. It was held against what a module of SPLAT_SLOTS {slots} has; docs/host_shader.md lists that"
            );
            return Err(refused(why));
        }
        static MADE: AtomicU64 = AtomicU64::new(0);
        let module = HostModule {
            id: HostId(MADE.fetch_add(1, Ordering::Relaxed)),
            name: desc.name.into(),
            words: desc.words.into(),
            entry: desc.entry.into(),
            constants: desc.constants.into(),
            splat: desc.splat,
            set: desc.set.cloned(),
            outputs: interface.outputs,
        };
        Ok(Self { module: Arc::new(module) })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.module.name
    }

    /// What it was compiled for.
    pub fn splat(&self) -> Splat {
        self.module.splat
    }

    /// How many colours it writes, at locations 0, 1, …: as many as the targets have that it is drawn into.
    pub fn outputs(&self) -> u32 {
        self.module.outputs.len() as u32
    }

    fn refused(&self, why: impl std::fmt::Display) -> Error {
        Error::invalid("host fragment", format!("{}: {why}", self.module.name))
    }

    /// Refuses a target whose attachments are not what the module writes. Of a render pass only their number is known.
    fn check_target(&self, target: &Target) -> Result<()> {
        let (outputs, colors) = (self.outputs(), target.formats.color_count());
        if outputs != colors {
            return Err(self.refused(format_args!(
                "the module writes {outputs} colours and the target has {colors}; draw into a target with one attachment for \
                 each output"
            )));
        }
        let TargetFormats::Dynamic { color, .. } = target.formats else { return Ok(()) };
        for (output, format) in self.module.outputs.iter().zip(color) {
            let stored = stored_as(format);
            if output.numbers.scalar != stored {
                return Err(self.refused(format_args!(
                    "output {} is {}, and {format:?} stores {stored:?}; write what the format stores",
                    output.location, output.numbers
                )));
            }
        }
        Ok(())
    }

    /// Refuses a plan whose layers the module cannot draw.
    fn check_splat(&self, needed: Splat) -> Result<()> {
        let made = self.module.splat;
        let (needs, has) = (module_slots(needed), module_slots(made));
        if needs != has {
            return Err(self.refused(format_args!(
                "the module was compiled for {has} slots of layers and the plan's terrain needs {needs}; compile it with \
                 SPLAT_SLOTS {needs} as well and draw with that one"
            )));
        }
        if needed.height && !made.height {
            return Err(self.refused(
                "the plan's terrain blends layers by height and the module was compiled without; compile it with \
                 SPLAT_HEIGHT 1 as well and draw with that one",
            ));
        }
        Ok(())
    }

    /// Refuses a layout of set 2 that is not of the renderer's device.
    fn check_device(&self, renderer: &Renderer) -> Result<()> {
        match &self.module.set {
            Some(layout) if !Arc::ptr_eq(layout.device(), renderer.device()) => {
                Err(self.refused(OTHER_DEVICE))
            }
            _ => Ok(()),
        }
    }

    /// Set 2 of a draw, where the module has one.
    fn third<'s>(&'s self, renderer: &Renderer, set: Option<HostSet<'s>>) -> Result<Option<Third<'s>>> {
        let (layout, HostSet { set, offsets }) = match (&self.module.set, set) {
            (None, None) => return Ok(None),
            (Some(layout), Some(set)) => (layout, set),
            (Some(layout), None) => {
                let name = layout.name();
                return Err(self.refused(format_args!(
                    "the module reads set 2; hand over a set of the layout `{name}`"
                )));
            }
            (None, Some(_)) => {
                return Err(self.refused(
                    "the module was described without a set 2; describe its layout, or hand over none",
                ));
            }
        };
        let given = set.layout();
        if given.bindings() != layout.bindings() {
            let names = (given.name(), layout.name());
            let why = format!(
                "the set is of the layout `{}`, and the module was described with `{}`",
                names.0, names.1
            );
            return Err(self.refused(why));
        }
        self.check_device(renderer)?;
        if !Arc::ptr_eq(given.device(), renderer.device()) {
            return Err(self.refused(OTHER_DEVICE));
        }
        if let Some((binding, element)) = set.first_missing() {
            let why = format!(
                "element {element} of binding {binding} of set 2 was never written; write it before the draw"
            );
            return Err(self.refused(why));
        }
        let dynamic = given.dynamic_count();
        if offsets.len() != dynamic {
            let why =
                format!("set 2 has {dynamic} dynamic bindings and {} offsets were given", offsets.len());
            return Err(self.refused(why));
        }
        Ok(Some(Third { layout, set, offsets }))
    }
}

impl Renderer {
    /// Draws a view's ground with a host's fragment stage: one `vkCmdDrawIndexed`. Inside a rendering scope that the host
    /// began with attachments as `target` describes them, one for each output of the module, depth cleared to 0 (reverse-Z)
    /// or holding what was drawn so.
    ///
    /// Depth is compared with `GREATER_OR_EQUAL` and written, as by [`Renderer::draw`]. `set` is what is bound as set 2. The
    /// module's own constants HAS_HOLES and HAS_LAYERS are set as the plan needs, ENCODE_SRGB as the target says; view modes
    /// are not drawn.
    ///
    /// # Errors
    /// A plan whose layers need another module, naming both slot counts; a target with more or fewer attachments than the
    /// module has outputs, or that stores integers where it writes floats; a set 2 that is missing, of another layout or not
    /// all written; and what [`Renderer::draw`] refuses.
    pub fn draw_with(
        &mut self,
        cmd: &Cmd<'_>,
        view: &ViewPlan,
        target: &Target,
        fragment: &HostFragment,
        set: Option<HostSet<'_>>,
    ) -> Result<()> {
        fragment.check_target(target)?;
        fragment.check_splat(view.splat)?;
        let third = fragment.third(self, set)?;
        self.know_fragment(&fragment.module);
        let front_face = self.baked_front_face(view);
        let has_layers = view.splat.slots > 0;
        let key = host_key(target, view.grid, fragment, [view.has_holes, has_layers], front_face)?;
        let splat = fragment.module.splat;
        let reads = third.map_or(Reads::layers(splat), |third| Reads::layers_and(splat, third));
        self.draw_nodes(cmd, c"landform host surface", view, key, reads)
    }

    /// Makes what [`Renderer::draw_with`] needs for terrains of this grid and a target as `target` describes it: with and
    /// without holes, and where the module is of 4 slots with and without layers.
    ///
    /// # Errors
    /// A target that the module does not fit, and what the device could not make; what was made before then is kept.
    pub fn prepare_with(&mut self, target: &Target, grid: GridSize, fragment: &HostFragment) -> Result<()> {
        fragment.check_target(target)?;
        fragment.check_device(self)?;
        self.know_fragment(&fragment.module);
        let splat = fragment.module.splat;
        let layers: &[bool] = if module_slots(splat) == Splat::SLOTS[0] { &[false, true] } else { &[true] };
        for front_face in self.front_faces() {
            for (has_holes, &has_layers) in
                [false, true].into_iter().flat_map(|holes| layers.iter().map(move |l| (holes, l)))
            {
                let key = host_key(target, grid, fragment, [has_holes, has_layers], front_face)?;
                self.make_pipeline(key, Some(splat), fragment.module.set.as_ref())?;
            }
        }
        Ok(())
    }
}

/// The pipeline that draws the ground with a host's module.
fn host_key(
    target: &Target,
    grid: GridSize,
    fragment: &HostFragment,
    [has_holes, has_layers]: [bool; 2],
    front_face: vk::FrontFace,
) -> Result<PipelineKey> {
    let vertex = grid_shader(ShaderId::surface_vertex, grid)?;
    let depth = DepthRule::Write;
    let plain = PipelineKey::plain("landform host surface", vertex, None, target, depth, front_face);
    Ok(PipelineKey { host: Some(fragment.module.id), has_holes, has_layers, ..plain })
}

/// The entry point of a name, or a clause that names those that there are.
fn find_entry<'m>(module: &'m SpirvModule<'_>, name: &CStr) -> Result<&'m EntryPoint, String> {
    let wanted = name.to_string_lossy();
    let named = || module.entries().iter().filter(|entry| entry.name == wanted);
    if let Some(entry) = named().find(|entry| entry.model == MODEL_FRAGMENT) {
        return Ok(entry);
    }
    if named().next().is_some() {
        return Err(format!(
            "its entry point {wanted} is not of the fragment stage; compile it for that stage"
        ));
    }
    let fragments = module.entries().iter().filter(|entry| entry.model == MODEL_FRAGMENT);
    let names: Vec<_> = fragments.map(|entry| entry.name.as_str()).collect();
    Err(match names.is_empty() {
        true => format!("it has no entry point {wanted}, and none of the fragment stage"),
        false => {
            format!("it has no entry point {wanted}; those of the fragment stage are {}", names.join(", "))
        }
    })
}

/// What landform's pipelines have, as its own modules say.
fn offered<'a>(desc: &HostFragmentDesc<'a>) -> Result<Offered<'a>> {
    let slots = module_slots(desc.splat);
    let own = ShaderId::preview_fragment(slots, desc.splat.height).ok_or_else(|| {
        Error::invalid("host fragment", format!("{}: slots are 0, 4, 8, 12 or 16 and not {slots}", desc.name))
    })?;
    let vertex = grid_shader(ShaderId::surface_vertex, GridSize::default())?;
    let read = |id: ShaderId| -> Result<Interface> {
        let module = SpirvModule::read(id.spirv()).map_err(|why| Error::invalid("host fragment", why))?;
        Ok(module.entries().first().map(|entry| Interface::of(&module, entry)).unwrap_or_default())
    };
    let sets = [BINDINGS.to_vec(), material_bindings(slots).to_vec()];
    let host = desc.set.map(|layout| layout.bindings());
    Ok(Offered { sets, module: read(own)?, varyings: read(vertex)?.outputs, host })
}

/// What is wrong with specialization constants: the module's, and those that the host gives values for.
fn constant_problems(module: &SpirvModule<'_>, given: &[(u32, u32)]) -> Vec<String> {
    let declared = module.specialization_constants();
    let mut all = Vec::new();
    for constant in &declared {
        let SpecializationConstant { number, name, kind } = constant;
        if *number < FIRST_CONSTANT {
            if !OWN_CONSTANTS.contains(number) || !constant.is_boolean() {
                all.push(format!(
                    "specialization constant {number} (`{name}`) is landform's and not that; the host's are numbered from {FIRST_CONSTANT} on"
                ));
            }
        } else if !constant.has_4_bytes() {
            let kind = kind.map_or("neither a number nor a boolean".into(), |kind| kind.to_string());
            all.push(format!(
                "specialization constant {number} (`{name}`) is {kind}, and a value has 4 bytes; make it a bool, an int, a uint or a float"
            ));
        }
    }
    for same in declared.chunk_by(|a, b| a.number == b.number).filter(|same| same.len() > 1) {
        let names: Vec<_> = same.iter().map(|constant| format!("`{}`", constant.name)).collect();
        all.push(format!(
            "specialization constant {} is there {} times ({}); give each a number of its own",
            same[0].number,
            same.len(),
            names.join(", ")
        ));
    }
    let mut numbers: Vec<u32> = given.iter().map(|(number, _)| *number).collect();
    numbers.sort_unstable();
    for same in numbers.chunk_by(|a, b| a == b) {
        let (number, count) = (same[0], same.len());
        if number < FIRST_CONSTANT || !declared.iter().any(|constant| constant.number == number) {
            all.push(format!("a value is given for specialization constant {number}, which the module has none of for the host"));
        }
        if count > 1 {
            all.push(format!("specialization constant {number} is given {count} values; give it one"));
        }
    }
    all
}

/// What a shader writes into a format.
fn stored_as(format: vk::Format) -> Scalar {
    use vk::Format as F;
    match format {
        F::R8_UINT
        | F::R8G8_UINT
        | F::R8G8B8A8_UINT
        | F::B8G8R8A8_UINT
        | F::A8B8G8R8_UINT_PACK32
        | F::A2R10G10B10_UINT_PACK32
        | F::A2B10G10R10_UINT_PACK32
        | F::R16_UINT
        | F::R16G16_UINT
        | F::R16G16B16A16_UINT
        | F::R32_UINT
        | F::R32G32_UINT
        | F::R32G32B32A32_UINT => Scalar::Uint,
        F::R8_SINT
        | F::R8G8_SINT
        | F::R8G8B8A8_SINT
        | F::B8G8R8A8_SINT
        | F::A8B8G8R8_SINT_PACK32
        | F::R16_SINT
        | F::R16G16_SINT
        | F::R16G16B16A16_SINT
        | F::R32_SINT
        | F::R32G32_SINT
        | F::R32G32B32A32_SINT => Scalar::Int,
        _ => Scalar::Float,
    }
}

#[cfg(test)]
mod tests;
