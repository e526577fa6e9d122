//! The scene's half: which terrains there are, and what becomes of them each frame.
//!
//! The host owns the scene and the terrains, and answers for a name: here it is, not yet, or why not. Extraction asks
//! every frame and keeps the scene's order. A scene without terrains extracts nothing and says nothing.

use crate::lod::LodSettings;
use crate::plan::Placement;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::QualityNumbers;

/// The code of the tracing event that says that a terrain of the scene cannot be drawn, and why.
pub const TERRAIN_EVENT: u32 = 4002;

/// A terrain on an entity. The default names no terrain and casts no shadows; [`TerrainComponent::of`] casts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TerrainComponent {
    /// Which terrain, by the name that the host's [`TerrainResolver`] knows it by. Empty is none.
    pub terrain: String,
    /// Metres that level 0 reaches, up to 1e9; 0 leaves it to the document and the tier.
    pub near: f64,
    /// Whether the terrain is drawn into the sun's cascades.
    #[doc(alias = "CastShadows")]
    pub casts_shadows: bool,
}

impl TerrainComponent {
    /// The terrain of this name, with shadows and a derived near range.
    pub fn of(terrain: impl Into<String>) -> Self {
        Self { terrain: terrain.into(), near: 0.0, casts_shadows: true }
    }

    /// How far this terrain's levels reach: the component's near range where it has one, then the frame's, then one that
    /// is derived from the frame's pixel error. What is not said here is as in [`LodSettings::default`].
    pub fn lod_settings(&self, numbers: &QualityNumbers) -> LodSettings {
        let (mut usual_ratio, mut usual_octaves) = (0.66, 6.0);
        if let LodSettings::Derived { ratio, octaves_a_second, .. } = LodSettings::default() {
            (usual_ratio, usual_octaves) = (ratio, octaves_a_second);
        }
        let near = if self.near > 0.0 { self.near } else { numbers.near };
        if near > 0.0 {
            return LodSettings::Near { near, ratio: usual_ratio, bias: 0.0 };
        }
        LodSettings::Derived {
            pixel_error: numbers.pixel_error,
            ratio: usual_ratio,
            octaves_a_second: usual_octaves,
            bias: 0.0,
        }
    }

    fn problem(&self) -> Option<String> {
        let legal = (0.0..=1e9).contains(&self.near);
        (!legal).then(|| format!("a near range of {} m; it can be 0, which derives it, to 1e9", self.near))
    }
}

/// An entity with a terrain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TerrainEntity {
    /// Which terrain, and how.
    pub component: TerrainComponent,
    /// Where it stands: metres and a yaw in radians, both f64.
    pub placement: Placement,
    /// What tells it from other entities from frame to frame, so that what moves is its own ground and not that of one that stood at its
    /// place in the list; 0 for that place. [`TerrainScene::add`] gives each another.
    pub id: u64,
}

/// The ids that [`TerrainScene::add`] gave.
static GIVEN: AtomicU64 = AtomicU64::new(0);

/// Ids of entities that have none: their places in the list, above all that are given.
const PLACES: u64 = 1 << 63;

/// The terrains of a scene, in its order.
#[derive(Clone, Debug, Default, PartialEq)]
#[doc(alias = "TerrainSceneSource")]
pub struct TerrainScene {
    /// Any number of entities; the same terrain may stand in several places.
    pub entities: Vec<TerrainEntity>,
}

impl TerrainScene {
    /// Adds an entity at the end, with an id of its own.
    pub fn add(&mut self, component: TerrainComponent, placement: Placement) -> &mut Self {
        let id = 1 + GIVEN.fetch_add(1, Ordering::Relaxed);
        self.entities.push(TerrainEntity { component, placement, id });
        self
    }
}

/// What a host answers for the name of a terrain.
#[derive(Debug)]
pub enum Answer<T: ?Sized> {
    /// Here it is.
    Ready(Arc<T>),
    /// It is being read; ask again next frame.
    NotYet,
    /// It cannot be had, and why: a sentence. It is said once, and asked for again next frame.
    Failed(String),
}

/// Turns a name into the host's terrain. Any `FnMut(&str) -> Answer<T>` is one.
#[doc(alias = "AssetTerrainSource")]
pub trait TerrainResolver<T: ?Sized> {
    /// The terrain of this name. Asked each frame for each entity, so it answers at once: what has to be read is begun
    /// here and answered with [`Answer::NotYet`]. A host whose terrain failed to be read *again* answers with the one it
    /// has.
    fn resolve(&mut self, name: &str) -> Answer<T>;
}

impl<T: ?Sized, F: FnMut(&str) -> Answer<T>> TerrainResolver<T> for F {
    fn resolve(&mut self, name: &str) -> Answer<T> {
        self(name)
    }
}

/// A terrain to be drawn this frame.
#[derive(Debug)]
pub struct ExtractedTerrain<T: ?Sized> {
    /// The entity's component.
    pub component: TerrainComponent,
    /// Where it stands.
    pub placement: Placement,
    /// The entity's id, or what stands for its place in the scene's list where it has none.
    pub entity: u64,
    /// The host's terrain.
    pub terrain: Arc<T>,
}

/// A terrain of the scene that cannot be drawn, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct TerrainProblem {
    /// The name in the component.
    pub terrain: String,
    /// A sentence.
    pub why: String,
    kind: Kind,
    frame: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Answer,
    Component,
    Placement,
}

/// The terrains of a frame. Made once and extracted into each frame: a frame like the last allocates nothing.
#[derive(Debug)]
#[doc(alias = "TerrainExtractionSystem")]
pub struct TerrainExtraction<T: ?Sized> {
    terrains: Vec<ExtractedTerrain<T>>,
    problems: Vec<TerrainProblem>,
    waiting: usize,
    frame: u64,
}

impl<T: ?Sized> Default for TerrainExtraction<T> {
    fn default() -> Self {
        Self { terrains: Vec::new(), problems: Vec::new(), waiting: 0, frame: 0 }
    }
}

impl<T: ?Sized> TerrainExtraction<T> {
    /// What there is to draw this frame, in the scene's order. Entities without a name are left out quietly, those that
    /// are not there yet are counted, and what is wrong with others is kept in [`problems`](Self::problems) and said once,
    /// as a tracing event with the code [`TERRAIN_EVENT`]; again only after it was right for a frame.
    pub fn extract(
        &mut self,
        scene: &TerrainScene,
        resolver: &mut (impl TerrainResolver<T> + ?Sized),
    ) -> &[ExtractedTerrain<T>] {
        self.frame += 1;
        self.waiting = 0;
        let mut count = 0;
        let named = |entity: &&TerrainEntity| !entity.component.terrain.is_empty();
        for (place, entity) in (PLACES..).zip(&scene.entities).filter(|(_, entity)| named(entity)) {
            let name = &entity.component.terrain;
            if let Some(why) = entity.component.problem() {
                self.say(name, Kind::Component, why);
                continue;
            }
            if let Err(error) = entity.placement.validate() {
                self.say(name, Kind::Placement, error.to_string());
                continue;
            }
            match resolver.resolve(name) {
                Answer::Ready(terrain) => {
                    self.put(count, entity, place, terrain);
                    count += 1;
                }
                Answer::NotYet => self.waiting += 1,
                Answer::Failed(why) => self.say(name, Kind::Answer, why),
            }
        }
        self.terrains.truncate(count);
        let frame = self.frame;
        self.problems.retain(|problem| problem.frame == frame);
        &self.terrains
    }

    /// The terrains of the last extraction.
    pub fn terrains(&self) -> &[ExtractedTerrain<T>] {
        &self.terrains
    }

    /// Entities of the last extraction whose terrain was not there yet.
    pub fn waiting(&self) -> usize {
        self.waiting
    }

    /// What was wrong in the last extraction.
    pub fn problems(&self) -> &[TerrainProblem] {
        &self.problems
    }

    /// Puts an entity at its place in the list, in the memory of what stood there.
    fn put(&mut self, at: usize, entity: &TerrainEntity, place: u64, terrain: Arc<T>) {
        let TerrainEntity { component, placement, id } = entity;
        let entity = if *id == 0 { place } else { *id };
        match self.terrains.get_mut(at) {
            Some(slot) => {
                slot.component.terrain.clone_from(&component.terrain);
                slot.component.near = component.near;
                slot.component.casts_shadows = component.casts_shadows;
                slot.placement = *placement;
                slot.entity = entity;
                slot.terrain = terrain;
            }
            None => self.terrains.push(ExtractedTerrain {
                component: component.clone(),
                placement: *placement,
                entity,
                terrain,
            }),
        }
    }

    fn say(&mut self, terrain: &str, kind: Kind, why: String) {
        let frame = self.frame;
        let known = self.problems.iter_mut().find(|known| known.kind == kind && known.terrain == terrain);
        if let Some(known) = known {
            (known.why, known.frame) = (why, frame);
            return;
        }
        tracing::error!(target: "landform", code = TERRAIN_EVENT, terrain, why, "a terrain of the scene cannot be drawn");
        self.problems.push(TerrainProblem { terrain: terrain.to_owned(), why, kind, frame });
    }
}
