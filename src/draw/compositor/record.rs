//! A frame, node by node.

use super::ground::Wanted;
use super::scope::{FrameHost, HostScope, PassScope, Scope, scaled};
use super::screen::{ScreenDraw, ScreenPass};
use super::show::exposure;
use super::step::StepUse;
use super::{Compositor, Frame, LAMPS_REACH, PREPARE, SceneTerrain};
use crate::Result;
use crate::abi::TonemapConstants;
use crate::draw::light::{LightSlice, ViewLight};
use crate::frame::{Access, ExtractedTerrain, FrameNode, SceneConstants, ShadowMap, TerrainNode};
use crate::gpu::Cmd;
use crate::light::{CascadeSettings, ClusterGrid, Clusters};
use crate::plan::View;
use crate::query::height_at;
use ash::vk;
use glam::DVec2;

/// The published light of a frame.
#[derive(Default)]
pub(super) struct Slices {
    /// One a `Terrain` node; None where it is a preview.
    terrains: Vec<Option<LightSlice>>,
    /// One a view of the frame, in its order, for what is lit and has no shadows of its own; None without light.
    views: Vec<Option<LightSlice>>,
}

impl Compositor {
    /// Everything that comes before the first node: images, plans, uploads, light.
    pub(super) fn prepare(&mut self, cmd: &Cmd<'_>, frame: &Frame<'_>) -> Result<()> {
        let numbers = self.factory.defaults();
        self.targets.begin_frame(&self.device, &self.document, &numbers, &frame.output, frame.targets)?;
        self.timestamps.begin_frame(cmd);
        // Uploads and what else is no node's.
        let span = self.timestamps.begin(cmd, PREPARE, false);
        self.fit_cascades(frame)?;
        self.collect_views(frame)?;
        let wanted = Wanted {
            terrains: frame.terrains,
            seconds: frame.seconds,
            nodes: &self.views,
            cascades: &self.cascades,
            patches: &self.patches,
        };
        self.grounds.prepare(cmd, &wanted)?;
        self.light.upload(cmd, frame.sky)?;
        self.screen.upload(cmd);
        let published = self.publish(frame);
        self.timestamps.end(cmd, span);
        published
    }

    /// Lays the cascades of each `ShadowMap` around its view.
    fn fit_cascades(&mut self, frame: &Frame<'_>) -> Result<()> {
        let defaults = self.factory.defaults();
        self.patches.clear();
        let maps = self.document.nodes.iter().filter_map(|node| match node {
            FrameNode::ShadowMap(map) => Some(map),
            _ => None,
        });
        for (cascades, map) in self.cascades.iter_mut().zip(maps) {
            let caster = self.document.nodes.iter().find_map(|node| match node {
                FrameNode::TerrainCaster(caster) if caster.atlas == map.atlas => Some(caster.caster_patches),
                _ => None,
            });
            self.patches.push(caster.flatten().unwrap_or(defaults.caster_patches));
            let (Some(light), Some(view)) = (frame.light, view_of(frame, &map.view)) else { continue };
            let settings = cascade_settings(map, &defaults, above_ground(frame.terrains, view));
            cascades.fit(view, light.toward_sun, &settings)?;
        }
        Ok(())
    }

    /// The view and the numbers of each `Terrain` node.
    fn collect_views(&mut self, frame: &Frame<'_>) -> Result<()> {
        self.views.clear();
        for (step, node) in self.steps.iter().zip(&self.document.nodes) {
            let FrameNode::Terrain(terrain) = node else { continue };
            let Some(view) = view_of(frame, &terrain.view) else { continue };
            let target = step.target("output").map_or(frame.output.extent, |at| self.targets.get(at).extent);
            let numbers = self.factory.numbers(&self.document, terrain);
            self.views.push((scaled(view, frame.output.extent, target), numbers));
        }
        Ok(())
    }

    /// Decides which ground is lit, and publishes the light of each view.
    fn publish(&mut self, frame: &Frame<'_>) -> Result<()> {
        self.slices.terrains.clear();
        self.slices.views.clear();
        self.sort_lamps(frame)?;
        let scene = match (frame.light, frame.has_camera) {
            (None, _) => SceneConstants::Missing,
            (Some(_), false) => SceneConstants::WithoutCamera,
            (Some(_), true) => SceneConstants::WithCamera,
        };
        for (index, terrain) in self.document.terrains().enumerate() {
            let inputs = terrain.lit_inputs(&self.document, scene, |_| false);
            let lit = self.reasons[index].observe(&inputs, &terrain.lit_names());
            let step = self.steps.iter().find(|step| step.kind == "Terrain" && step.terrain == Some(index));
            let atlas = step.and_then(|step| Some((step.shadow?, step.target("shadow_atlas")?)));
            let (Some(scene), true) = (frame.light, lit) else {
                self.slices.terrains.push(None);
                continue;
            };
            let shadows = atlas.map(|(map, target)| (&self.cascades[map], self.targets.get(target).view));
            let light = ViewLight {
                scene,
                view: &self.views[index].0,
                shadows,
                clusters: self.clusters.get(view_index(frame, terrain)),
                table: frame.sky,
            };
            self.slices.terrains.push(Some(self.light.publish(&light)?));
        }
        for (index, (_, view)) in frame.views.iter().enumerate() {
            let slice = frame.light.map(|scene| {
                let clusters = self.clusters.get(index);
                self.light.publish(&ViewLight { scene, view, shadows: None, clusters, table: frame.sky })
            });
            self.slices.views.push(slice.transpose()?);
        }
        Ok(())
    }

    /// Sorts the lamps into each view's clusters; none without lamps.
    fn sort_lamps(&mut self, frame: &Frame<'_>) -> Result<()> {
        if frame.lamps.is_empty() {
            self.clusters.clear();
            return Ok(());
        }
        self.clusters.resize_with(frame.views.len(), || Clusters::new(ClusterGrid::default()));
        for (clusters, (_, view)) in self.clusters.iter_mut().zip(frame.views) {
            clusters.build(view, LAMPS_REACH, frame.lamps)?;
        }
        Ok(())
    }

    /// Records a node: barriers, label, time, and what it draws.
    pub(super) fn record_step(
        &mut self,
        cmd: &Cmd<'_>,
        frame: &Frame<'_>,
        host: &mut dyn FrameHost,
        node: usize,
    ) -> Result<()> {
        let step = &self.steps[node];
        let span = self.timestamps.begin(cmd, step.kind, false);
        cmd.begin_label(&step.label);
        let clears = step.uses.iter().any(|used| used.access == Access::Clear);
        let recorded = match (&self.document.nodes[node], step.enabled) {
            (_, false) if !clears => Ok(()),
            (FrameNode::Host(_), true) => self.record_host(cmd, frame, host, node),
            (_, on) => self.record_scope(cmd, frame, if on { Some(host) } else { None }, node),
        };
        cmd.end_label();
        self.timestamps.end(cmd, span);
        recorded
    }

    fn record_host(
        &mut self,
        cmd: &Cmd<'_>,
        frame: &Frame<'_>,
        host: &mut dyn FrameHost,
        node: usize,
    ) -> Result<()> {
        let FrameNode::Host(described) = &self.document.nodes[node] else { return Ok(()) };
        let step = &self.steps[node];
        self.targets.transition(cmd, step.uses.iter().map(|used| (used.target, used.access)));
        let view = described.view.as_deref().and_then(|name| view_of(frame, name));
        let (names, targets) = (self.document.targets.as_slice(), &self.targets);
        host.record(cmd, &described.name, &HostScope { view, uses: &step.uses, names, targets })
    }

    /// Records a node that draws in a scope of its own targets; without a host it clears them and no more.
    fn record_scope(
        &mut self,
        cmd: &Cmd<'_>,
        frame: &Frame<'_>,
        host: Option<&mut dyn FrameHost>,
        node: usize,
    ) -> Result<()> {
        let step = &self.steps[node];
        // A preview knows of no planes: they stay as the frame cleared them.
        let planes = step.terrain.is_none_or(|at| self.slices.terrains[at].is_some()) || !step.split;
        let wanted = |used: &&StepUse| planes || !is_plane(used.field);
        let uses = || step.uses.iter().filter(wanted).copied();
        self.targets.transition(cmd, uses().map(|used| (used.target, used.access)));
        let scope = Scope::of(uses(), &self.targets)?;
        scope.begin(cmd)?;
        let drawn = match host {
            Some(host) => self.draw_node(cmd, frame, host, node, &scope),
            None => Ok(()),
        };
        cmd.end_rendering();
        drawn
    }

    fn draw_node(
        &mut self,
        cmd: &Cmd<'_>,
        frame: &Frame<'_>,
        host: &mut dyn FrameHost,
        node: usize,
        scope: &Scope,
    ) -> Result<()> {
        let (step, target) = (&self.steps[node], scope.target());
        let terrain = step.terrain.unwrap_or_default();
        match &self.document.nodes[node] {
            FrameNode::ShadowMap(_) => self.draw_casters(cmd, frame, host, node, scope),
            FrameNode::Pass(pass) => {
                let Some((index, view)) = named_view(frame, &pass.view) else { return Ok(()) };
                let light = self.slices.views[index].map(|slice| (&self.light, slice));
                let view = &scaled(view, frame.output.extent, scope.extent);
                host.draw_stage(cmd, pass.stage, &PassScope { view, target, light })
            }
            FrameNode::Terrain(_) => {
                let (light, slice) = (&self.light, self.slices.terrains[terrain]);
                self.grounds.each_view(frame.terrains, terrain, |ground, view| match &slice {
                    Some(slice) => ground.renderer.draw_lit(cmd, view, &target, light, slice),
                    None => ground.renderer.draw(cmd, view, &target),
                })
            }
            FrameNode::TerrainCaster(_) => {
                let shadow = step.shadow.filter(|_| sun_is_up(frame));
                shadow.map_or(Ok(()), |shadow| {
                    self.grounds.each_caster(frame.terrains, shadow, |ground, cascade| {
                        ground.renderer.draw_caster(cmd, cascade, &target)
                    })
                })
            }
            FrameNode::TerrainVelocity(_) => {
                self.grounds.each_view(frame.terrains, terrain, |ground, view| {
                    ground.renderer.draw_velocity(cmd, view, &target)
                })
            }
            FrameNode::Sky(_) | FrameNode::AmbientCombine(_) | FrameNode::Tonemap(_) => {
                self.draw_screen(cmd, frame, node, scope)
            }
            // The others have no scope, and a preset was expanded.
            _ => Ok(()),
        }
    }

    fn draw_casters(
        &self,
        cmd: &Cmd<'_>,
        frame: &Frame<'_>,
        host: &mut dyn FrameHost,
        node: usize,
        scope: &Scope,
    ) -> Result<()> {
        let Some(map) = self.steps[node].shadow.filter(|_| sun_is_up(frame)) else { return Ok(()) };
        let views = self.cascades[map].views();
        let target = scope.target();
        views.iter().try_for_each(|view| host.draw_casters(cmd, &PassScope { view, target, light: None }))
    }

    fn draw_screen(&mut self, cmd: &Cmd<'_>, frame: &Frame<'_>, node: usize, scope: &Scope) -> Result<()> {
        let step = &self.steps[node];
        let image = |field| step.target(field).map(|at| self.targets.get(at).view);
        let whole = [scope.extent[0] as f32, scope.extent[1] as f32];
        let mut viewport =
            vk::Viewport { width: whole[0], height: whole[1], max_depth: 1.0, ..vk::Viewport::default() };
        let (mut slice, mut push) = (None, None);
        let (pass, inputs) = match &self.document.nodes[node] {
            FrameNode::Sky(sky) => {
                let Some((index, view)) = named_view(frame, &sky.view) else { return Ok(()) };
                viewport = viewport_of(&scaled(view, frame.output.extent, scope.extent));
                slice = self.slices.views[index];
                let pass = if sky.haze { ScreenPass::Air } else { ScreenPass::Sky };
                (pass, [image("depth"); 3])
            }
            FrameNode::AmbientCombine(_) => {
                slice = self.slices.views.first().copied().flatten();
                let occlusion = image("occlusion").unwrap_or(self.screen.open());
                (ScreenPass::Combine, [image("albedo"), image("normals"), Some(occlusion)])
            }
            FrameNode::Tonemap(tonemap) => {
                push = Some(tonemap_constants(
                    tonemap.ev100.unwrap_or(frame.ev100),
                    scope.first_format(),
                    whole,
                ));
                (ScreenPass::Tonemap, [image("input"); 3])
            }
            _ => return Ok(()),
        };
        let [Some(first), Some(second), Some(third)] = inputs else { return Ok(()) };
        // Without light there is neither a sky nor anything withheld.
        if pass != ScreenPass::Tonemap && slice.is_none() {
            return Ok(());
        }
        let draw = ScreenDraw {
            pass,
            target: &scope.target(),
            viewport,
            inputs: [first, second, third],
            light: slice.as_ref().map(|slice| (&self.light, slice)),
            push: push.as_ref().map(bytemuck::bytes_of),
        };
        self.screen.draw(cmd, &draw)
    }
}

pub(super) fn is_plane(field: &str) -> bool {
    matches!(field, "albedo" | "normals" | "specular")
}

fn named_view<'a>(frame: &'a Frame<'_>, name: &str) -> Option<(usize, &'a View)> {
    frame.views.iter().enumerate().find(|(_, (view, _))| *view == name).map(|(at, (_, view))| (at, view))
}

fn view_of<'a>(frame: &'a Frame<'_>, name: &str) -> Option<&'a View> {
    named_view(frame, name).map(|(_, view)| view)
}

fn view_index(frame: &Frame<'_>, terrain: &TerrainNode) -> usize {
    named_view(frame, &terrain.view).map_or(usize::MAX, |(at, _)| at)
}

/// A sun that has set draws no shadows.
fn sun_is_up(frame: &Frame<'_>) -> bool {
    frame.light.is_some_and(|light| light.sun_illuminance.max_element() > 0.0)
}

fn cascade_settings(
    map: &ShadowMap,
    defaults: &crate::frame::QualityNumbers,
    above_ground: f64,
) -> CascadeSettings {
    let numbers = map.scalars().over(*defaults);
    let usual = CascadeSettings::default();
    CascadeSettings {
        layout: map.layout(defaults),
        distance: numbers.shadow_distance,
        nearest: usual.nearest.min(numbers.shadow_distance),
        depth: usual.depth.max(numbers.shadow_distance),
        ..usual
    }
    .raised(above_ground)
}

/// Metres that a view is above the nearest ground below it; 0 where there is none.
fn above_ground(terrains: &[ExtractedTerrain<SceneTerrain>], view: &View) -> f64 {
    let above = terrains.iter().filter_map(|extracted| {
        let place = extracted.placement.to_terrain(view.position);
        let ground = height_at(extracted.terrain.lock().terrain.field(), DVec2::new(place.x, place.z))?;
        Some((place.y - ground).max(0.0))
    });
    above
        .fold(None, |least: Option<f64>, above| Some(least.map_or(above, |least| least.min(above))))
        .unwrap_or(0.0)
}

fn viewport_of(view: &View) -> vk::Viewport {
    let area = view.viewport;
    let (y, height) = if view.flip_y { (area.y + area.height, -area.height) } else { (area.y, area.height) };
    vk::Viewport { x: area.x, y, width: area.width, height, min_depth: 0.0, max_depth: 1.0 }
}

fn tonemap_constants(ev100: f32, format: vk::Format, [width, height]: [f32; 2]) -> TonemapConstants {
    // Ten bits and more need no noise; 8 bits show their steps in a sky.
    let steps = match format {
        vk::Format::R8G8B8A8_UNORM
        | vk::Format::R8G8B8A8_SRGB
        | vk::Format::B8G8R8A8_UNORM
        | vk::Format::B8G8R8A8_SRGB
        | vk::Format::A8B8G8R8_UNORM_PACK32
        | vk::Format::A8B8G8R8_SRGB_PACK32 => 255.0,
        _ => 0.0,
    };
    TonemapConstants { exposure: [exposure(ev100), steps, width, height] }
}
