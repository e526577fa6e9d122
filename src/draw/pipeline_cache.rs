//! Pipelines, made when they are first needed and kept.

use super::Target;
use super::host_fragment::{HostId, HostModule};
use crate::gpu::{Device, GraphicsPipelineDesc, Pipeline, PipelineLayout, ShaderDesc};
use crate::shaders::ShaderId;
use crate::{Error, Result};
use ash::vk;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ffi::CStr;
use std::sync::{Arc, Weak};

/// Specialization constant: fragments ask the hole mask.
pub(super) const HAS_HOLES: u32 = 0;
/// Specialization constant: the terrain has layers.
pub(super) const HAS_LAYERS: u32 = 2;
/// Specialization constant: what is drawn may be a view other than the shaded one.
pub(super) const HAS_VIEWS: u32 = 3;
/// Specialization constant: the vertex stage clamps depth, where the device does not.
pub(super) const CLAMP_DEPTH: u32 = 4;
/// Specialization constant: the air dims what is far.
pub(super) const HAS_HAZE: u32 = 5;
/// Specialization constant: a plane of occlusion says where the light comes from.
pub(super) const HAS_BENT: u32 = 6;
/// Specialization constant: the shader encodes colour for a target that does not.
pub(super) const ENCODE_SRGB: u32 = 1;

/// Everything that tells two pipelines apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct PipelineKey {
    pub(super) name: &'static str,
    pub(super) vertex: ShaderId,
    pub(super) fragment: Option<ShaderId>,
    /// A host's fragment module, in place of one of landform's.
    pub(super) host: Option<HostId>,
    pub(super) target: Target,
    pub(super) has_holes: bool,
    pub(super) has_layers: bool,
    pub(super) has_views: bool,
    pub(super) lines: bool,
    pub(super) depth: DepthRule,
    /// The front face where the device cannot set it while recording; else always counter-clockwise.
    pub(super) front_face: vk::FrontFace,
}

impl PipelineKey {
    /// The pipeline of these modules with nothing else to it: no holes, layers, views or lines.
    pub(super) fn plain(
        name: &'static str,
        vertex: ShaderId,
        fragment: Option<ShaderId>,
        target: &Target,
        depth: DepthRule,
        front_face: vk::FrontFace,
    ) -> Self {
        Self {
            name,
            vertex,
            fragment,
            host: None,
            target: *target,
            has_holes: false,
            has_layers: false,
            has_views: false,
            lines: false,
            depth,
            front_face,
        }
    }
}

/// How a pass uses depth. All are reverse-Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum DepthRule {
    /// Nearer wins, and is written. An equal depth wins as well, so that what a prepass placed is drawn over it.
    Write,
    /// As [`DepthRule::Write`] of both faces, with what lies before the near plane clamped to it.
    Cast,
    /// Drawn over what the same plan wrote, and not written.
    Over,
    /// Drawn where nothing is in front of it, at the far plane, and not written.
    Behind,
}

/// The pipelines of one renderer.
pub(super) struct PipelineCache {
    layout: Arc<PipelineLayout>,
    pipelines: HashMap<PipelineKey, Pipeline>,
    /// The hosts' modules that were drawn with.
    hosts: HashMap<HostId, Weak<HostModule>>,
}

impl PipelineCache {
    pub(super) fn new(layout: Arc<PipelineLayout>) -> Self {
        Self { layout, pipelines: HashMap::new(), hosts: HashMap::new() }
    }

    /// Takes note of a host's module, and where it is new drops the pipelines of those that the host has dropped.
    pub(super) fn know(&mut self, module: &Arc<HostModule>) {
        if self.hosts.contains_key(&module.id) {
            return;
        }
        self.hosts.retain(|_, host| host.strong_count() > 0);
        self.pipelines.retain(|key, _| key.host.is_none_or(|id| self.hosts.contains_key(&id)));
        self.hosts.insert(module.id, Arc::downgrade(module));
    }

    /// Drops the pipelines of a target; they are destroyed once the frames that use them have completed.
    pub(super) fn forget(&mut self, target: &Target) {
        self.pipelines.retain(|key, _| key.target.formats != target.formats);
    }

    /// How many pipelines there are.
    pub(super) fn len(&self) -> usize {
        self.pipelines.len()
    }

    /// The layout of all that reads set 0 alone.
    pub(super) fn layout(&self) -> &Arc<PipelineLayout> {
        &self.layout
    }

    /// The pipeline of a key, made where it is new, with the layout that its shaders need.
    pub(super) fn get(
        &mut self,
        device: &Arc<Device>,
        layout: &Arc<PipelineLayout>,
        key: PipelineKey,
    ) -> Result<&Pipeline> {
        match self.pipelines.entry(key) {
            Entry::Occupied(made) => Ok(made.into_mut()),
            Entry::Vacant(place) => {
                let host = key.host.map(|id| alive(&self.hosts, id)).transpose()?;
                Ok(place.insert(make(device, layout, &key, host.as_deref())?))
            }
        }
    }
}

fn alive(hosts: &HashMap<HostId, Weak<HostModule>>, id: HostId) -> Result<Arc<HostModule>> {
    let gone = || Error::invalid("host fragment", "the module was dropped; hand it over with the draw");
    hosts.get(&id).and_then(Weak::upgrade).ok_or_else(gone)
}

fn make(
    device: &Arc<Device>,
    layout: &Arc<PipelineLayout>,
    key: &PipelineKey,
    host: Option<&HostModule>,
) -> Result<Pipeline> {
    let encode = key.target.encoding == super::ColorEncoding::Srgb;
    let mut constants = vec![
        (HAS_HOLES, u32::from(key.has_holes)),
        (ENCODE_SRGB, u32::from(encode)),
        (HAS_LAYERS, u32::from(key.has_layers)),
        (HAS_VIEWS, u32::from(key.has_views)),
    ];
    constants.extend(host.iter().flat_map(|host| host.constants.iter()));
    let own = key.fragment.map(|id| (id.spirv(), ENTRY));
    let fragment = host.map(|host| (&*host.words, &*host.entry)).or(own);
    let casts = key.depth == DepthRule::Cast;
    let clamps = device.features().depth_clamp;
    let clamp_in_shader = [(CLAMP_DEPTH, u32::from(!clamps))];
    let constants_of_vertex: &[_] = if casts { &clamp_in_shader } else { &[] };
    let vertex = ShaderDesc { words: key.vertex.spirv(), entry: ENTRY, constants: constants_of_vertex };
    // Ground has a back, which casts as well; the triangle behind everything has none.
    let (depth_write, cull) = match key.depth {
        DepthRule::Write => (true, vk::CullModeFlags::BACK),
        DepthRule::Cast => (true, vk::CullModeFlags::NONE),
        DepthRule::Over => (false, vk::CullModeFlags::BACK),
        DepthRule::Behind => (false, vk::CullModeFlags::NONE),
    };
    Pipeline::graphics(
        device,
        &GraphicsPipelineDesc {
            fragment: fragment.map(|(words, entry)| ShaderDesc { words, entry, constants: &constants }),
            samples: key.target.samples,
            depth_test: Some(vk::CompareOp::GREATER_OR_EQUAL),
            depth_write,
            depth_clamp: casts && clamps,
            cull,
            front_face: key.front_face,
            polygon_mode: if key.lines { vk::PolygonMode::LINE } else { vk::PolygonMode::FILL },
            ..GraphicsPipelineDesc::new(
                host.map_or(key.name, |host| &host.name),
                layout,
                vertex,
                &key.target.formats,
            )
        },
    )
}

/// The entry point of every module; a test holds it against the table.
const ENTRY: &CStr = c"main";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shaders::TABLE;

    #[test]
    fn every_module_enters_at_main() {
        assert!(TABLE.iter().all(|row| row.entry_point.as_bytes() == ENTRY.to_bytes()));
    }
}
