//! The terrains of a frame: what each is drawn with, and its plans.
//!
//! An entity has a plan for each `Terrain` node and one for each cascade of each `ShadowMap`. Entities are planned and uploaded one
//! after the other, so that two entities of one terrain upload once.

use crate::draw::{Renderer, TextureSource};
use crate::frame::{ExtractedTerrain, QualityNumbers};
use crate::gpu::{Cmd, Device};
use crate::light::Cascades;
use crate::plan::{CasterSettings, FramePlan, Terrain, TerrainSettings, View, ViewId, ViewPlan};
use crate::{Error, Result};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A terrain as scenes share it: what a host's [`TerrainResolver`](crate::frame::TerrainResolver) answers a
/// [`Compositor`](super::Compositor)'s extraction with.
pub struct SceneTerrain {
    ground: Mutex<SceneGround>,
}

/// A terrain with what draws it.
pub struct SceneGround {
    /// The terrain. Where it stands and how far its levels reach is the scene's and the document's: it is set each frame.
    pub terrain: Terrain,
    /// What draws it.
    pub renderer: Renderer,
    /// Where the images of its layers come from, if from anywhere.
    pub textures: Option<Box<dyn TextureSource + Send>>,
    /// The frame that it was begun in last.
    begun: u64,
}

impl SceneTerrain {
    /// A terrain that is drawn on this device.
    ///
    /// # Errors
    /// A field whose atlas is larger than the device's images can be, and what the device could not make.
    pub fn new(device: &Arc<Device>, terrain: Terrain) -> Result<Self> {
        let renderer = Renderer::new(device, terrain.field().desc())?;
        Ok(Self { ground: Mutex::new(SceneGround { terrain, renderer, textures: None, begun: 0 }) })
    }

    /// The terrain, to be asked or changed between frames: edits, layers, textures.
    pub fn lock(&self) -> MutexGuard<'_, SceneGround> {
        self.ground.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The plans of all entities, in the scene's order.
#[derive(Default)]
pub(super) struct Grounds {
    entities: Vec<Entity>,
    count: usize,
}

#[derive(Default)]
struct Entity {
    /// Whose they are, from frame to frame.
    id: u64,
    /// Which terrain stood here last: another one begins anew, and so does any after 0.
    stood: usize,
    /// One a `Terrain` node.
    histories: Vec<History>,
    plans: Vec<FramePlan>,
    casters: Vec<Vec<ViewPlan>>,
}

/// What an entity draws through a node.
struct History {
    /// Its own on every terrain, whatever ids a host gives that draws the same terrain by itself.
    id: ViewId,
    /// The host's view that was drawn last: another one begins anew.
    view: Option<ViewId>,
}

impl History {
    fn new() -> Self {
        // Far from what hosts count from 0.
        static NEXT: AtomicU32 = AtomicU32::new(1 << 31);
        Self { id: ViewId(NEXT.fetch_add(1, Ordering::Relaxed)), view: None }
    }
}

/// What of the frame plans are made of.
pub(super) struct Wanted<'a> {
    pub(super) terrains: &'a [ExtractedTerrain<SceneTerrain>],
    pub(super) seconds: f64,
    /// The view and the numbers of each `Terrain` node.
    pub(super) nodes: &'a [(View, QualityNumbers)],
    /// The cascades of each `ShadowMap`; none where no sun shines.
    pub(super) cascades: &'a [Cascades],
    /// The most patches that a terrain draws into each of them.
    pub(super) patches: &'a [u32],
}

impl Grounds {
    /// Plans all entities and records their uploads. Outside a rendering scope.
    pub(super) fn prepare(&mut self, cmd: &Cmd<'_>, wanted: &Wanted<'_>) -> Result<()> {
        self.count = 0;
        for (index, extracted) in wanted.terrains.iter().enumerate() {
            self.bring_to(index, extracted.entity);
            let name = &extracted.component.terrain;
            self.entities[index].prepare(cmd, extracted, wanted).map_err(|error| in_terrain(name, error))?;
            self.count = index + 1;
        }
        // What was not drawn has no last frame to move from.
        self.entities.truncate(self.count);
        Ok(())
    }

    /// Brings an entity's plans to its place in the scene's order, or begins new ones there.
    fn bring_to(&mut self, index: usize, id: u64) {
        let known = self.entities[index..].iter().position(|entity| entity.id == id);
        let at = known.map_or(self.entities.len(), |ahead| index + ahead);
        if known.is_none() {
            self.entities.push(Entity { id, ..Entity::default() });
        }
        self.entities.swap(index, at);
    }

    /// Takes nothing for drawn: what an entity draws next begins anew.
    pub(super) fn forget(&mut self) {
        self.entities.iter_mut().for_each(|entity| entity.stood = 0);
    }

    /// The plan of an entity for a `Terrain` node.
    pub(super) fn plan(&self, entity: usize, node: usize) -> Option<&FramePlan> {
        self.entities[..self.count].get(entity)?.plans.get(node)
    }

    /// Calls for each entity, in the scene's order, with its ground and its plan for a `Terrain` node.
    pub(super) fn each_view(
        &self,
        terrains: &[ExtractedTerrain<SceneTerrain>],
        node: usize,
        mut draw: impl FnMut(&mut SceneGround, &ViewPlan) -> Result<()>,
    ) -> Result<()> {
        for (entity, extracted) in self.entities[..self.count].iter().zip(terrains) {
            let Some(view) = entity.plans.get(node).and_then(|plan| plan.views.first()) else { continue };
            draw(&mut extracted.terrain.lock(), view)
                .map_err(|error| in_terrain(&extracted.component.terrain, error))?;
        }
        Ok(())
    }

    /// Calls for each cascade of each entity that casts, with its ground and its plan.
    pub(super) fn each_caster(
        &self,
        terrains: &[ExtractedTerrain<SceneTerrain>],
        shadow: usize,
        mut draw: impl FnMut(&mut SceneGround, &ViewPlan) -> Result<()>,
    ) -> Result<()> {
        for (entity, extracted) in self.entities[..self.count].iter().zip(terrains) {
            let mut ground = extracted.terrain.lock();
            for cascade in entity.casters.get(shadow).into_iter().flatten() {
                draw(&mut ground, cascade)
                    .map_err(|error| in_terrain(&extracted.component.terrain, error))?;
            }
        }
        Ok(())
    }
}

impl Entity {
    fn prepare(
        &mut self,
        cmd: &Cmd<'_>,
        extracted: &ExtractedTerrain<SceneTerrain>,
        wanted: &Wanted<'_>,
    ) -> Result<()> {
        let mut ground = extracted.terrain.lock();
        let ground = &mut *ground;
        let frame = cmd.device().frame();
        if ground.begun != frame {
            ground.begun = frame;
            ground.terrain.begin_frame(wanted.seconds);
            if let Some(textures) = &mut ground.textures {
                textures.upload(cmd)?;
            }
        }
        let stood = Arc::as_ptr(&extracted.terrain) as usize;
        let is_new = std::mem::replace(&mut self.stood, stood) != stood;
        let desc = *ground.terrain.field().desc();
        self.plans.resize_with(wanted.nodes.len(), || FramePlan::empty(&desc));
        self.histories.resize_with(wanted.nodes.len(), History::new);
        let plans = self.plans.iter_mut().zip(&mut self.histories);
        for ((plan, history), (view, numbers)) in plans.zip(wanted.nodes) {
            set_settings(&mut ground.terrain, extracted, numbers)?;
            let is_another = history.view.replace(view.id).is_some_and(|last| last != view.id);
            let view = View { id: history.id, cut: view.cut || is_new || is_another, ..*view };
            ground.terrain.plan_into(plan, &[view], ground.renderer.residency())?;
            ground.renderer.upload(cmd, plan)?;
            if let Some(textures) = &mut ground.textures {
                ground.renderer.find_textures(plan, &mut **textures)?;
            }
        }
        self.prepare_casters(ground, extracted, wanted)
    }

    fn prepare_casters(
        &mut self,
        ground: &mut SceneGround,
        extracted: &ExtractedTerrain<SceneTerrain>,
        wanted: &Wanted<'_>,
    ) -> Result<()> {
        self.casters.resize_with(wanted.cascades.len(), Vec::new);
        let shadows = wanted.cascades.iter().zip(wanted.patches);
        for (casters, (cascades, most_patches)) in self.casters.iter_mut().zip(shadows) {
            if !extracted.component.casts_shadows {
                casters.clear();
                continue;
            }
            let settings = CasterSettings { most_patches: *most_patches, ..CasterSettings::default() };
            ground.terrain.plan_casters_into(casters, cascades.views(), &settings)?;
        }
        Ok(())
    }
}

/// Puts the terrain where the entity stands, with the node's numbers.
fn set_settings(
    terrain: &mut Terrain,
    extracted: &ExtractedTerrain<SceneTerrain>,
    numbers: &QualityNumbers,
) -> Result<()> {
    let settings = TerrainSettings {
        grid: terrain.settings().grid,
        lod: extracted.component.lod_settings(numbers),
        placement: extracted.placement,
    };
    if *terrain.settings() == settings { Ok(()) } else { terrain.set_settings(settings) }
}

fn in_terrain(name: &str, error: Error) -> Error {
    error.in_context(&format!("terrain '{name}'"))
}
