//! A frame, node by node.

use super::ground::Wanted;
use super::scope::{FrameHost, HostScope, PassScope, Scope, scaled};
use super::step::StepUse;
use super::{Compositor, Frame, PREPARE, SceneTerrain};
use crate::frame::{Access, ExtractedTerrain, FrameNode, QualityNumbers, ShadowMap};
use crate::gpu::Cmd;
use crate::light::CascadeSettings;
use crate::plan::View;
use crate::query::height_at;
use crate::{Error, Result};
use glam::DVec2;

impl Compositor {
    /// Everything that comes before the first node: images, plans, uploads, light.
    pub(super) fn prepare(&mut self, cmd: &Cmd<'_>, frame: &Frame<'_>) -> Result<()> {
        check_exposure(frame.ev100)?;
        self.begin_views(frame)?;
        let numbers = self.factory.defaults();
        self.targets.begin_frame(&self.device, &self.document, &numbers, &frame.output, frame.targets)?;
        self.meters.begin_frame()?;
        self.timestamps.begin_frame(cmd);
        // Uploads and what else is no node's.
        let span = self.timestamps.begin(cmd, PREPARE, false);
        self.fit_cascades(frame)?;
        self.collect_views(frame)?;
        let wanted = Wanted {
            terrains: frame.terrains,
            seconds: frame.seconds,
            nodes: &self.views,
            // What casts into nothing is planned for nothing.
            cascades: if sun_is_up(frame) { &self.cascades } else { &[] },
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
            let (Some(light), Some(view)) = (frame.light, self.scene.named(frame, &map.view)) else {
                continue;
            };
            let settings = cascade_settings(map, &defaults);
            let settings = cascades.raised(settings, above_ground(frame.terrains, view));
            cascades.fit(view, light.toward_sun, &settings)?;
        }
        Ok(())
    }

    /// The view and the numbers of each `Terrain` node.
    fn collect_views(&mut self, frame: &Frame<'_>) -> Result<()> {
        self.views.clear();
        for (step, node) in self.steps.iter().zip(&self.document.nodes) {
            let FrameNode::Terrain(terrain) = node else { continue };
            let Some(view) = self.scene.named(frame, &terrain.view) else { continue };
            let target = step.target("output").map_or(frame.output.extent, |at| self.targets.get(at).extent);
            let numbers = self.factory.numbers(&self.document, terrain);
            self.views.push((scaled(view, frame.output.extent, target), numbers));
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
            (FrameNode::LightClusters(_), _) => self.lamps.record(cmd, node),
            (FrameNode::Host(_), true) => self.record_host(cmd, frame, host, node),
            (FrameNode::Host(_), false) => self.clear_host(cmd, node),
            (FrameNode::AmbientOcclusion(_), true) => self.record_occlusion(cmd, frame, node),
            (FrameNode::Exposure(_), _) => self.record_exposure(cmd, frame, node),
            (_, on) => self.record_scope(cmd, frame, if on { Some(host) } else { None }, node),
        };
        cmd.end_label();
        self.timestamps.end(cmd, span);
        recorded
    }

    /// What a node of the host's clears is cleared target by target: they need not be of one size, nor as many as a scope holds.
    fn clear_host(&mut self, cmd: &Cmd<'_>, node: usize) -> Result<()> {
        let step = &self.steps[node];
        for used in step.uses.iter().filter(|used| used.access == Access::Clear) {
            self.targets.transition(cmd, [(used.target, used.access)].into_iter());
            Scope::of([*used].into_iter(), &self.targets)?.begin(cmd)?;
            cmd.end_rendering();
        }
        Ok(())
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
        let view = described.view.as_deref().and_then(|name| self.scene.named(frame, name));
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
        let planes = self.is_lit(node);
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
                let Some(view) = self.scene.named(frame, &pass.view) else { return Ok(()) };
                let light = self.slices.get(node).map(|slice| (&self.light, slice));
                let view = &scaled(view, frame.output.extent, scope.extent);
                host.draw_stage(cmd, pass.stage, &PassScope { view, target, light })
            }
            FrameNode::Terrain(_) => {
                let (light, slice) = (&self.light, self.slices.get(node));
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
            FrameNode::Sky(_)
            | FrameNode::AmbientCombine(_)
            | FrameNode::SkyVelocity(_)
            | FrameNode::Resolve(_)
            | FrameNode::Tonemap(_) => self.draw_screen(cmd, frame, node, scope),
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
}

/// Refuses an exposure at which nothing would be seen, or that is no number.
fn check_exposure(ev100: f32) -> Result<()> {
    if (-16.0..=24.0).contains(&ev100) {
        return Ok(());
    }
    let why = format!("an ev100 of {ev100}; use -16 to 24, for instance what SceneLight::ev100 says");
    Err(Error::invalid("frame", why))
}

pub(super) fn is_plane(field: &str) -> bool {
    matches!(field, "albedo" | "normals" | "specular")
}

/// A sun that has set draws no shadows.
fn sun_is_up(frame: &Frame<'_>) -> bool {
    frame.light.is_some_and(|light| light.sun_illuminance.max_element() > 0.0)
}

fn cascade_settings(map: &ShadowMap, defaults: &QualityNumbers) -> CascadeSettings {
    let numbers = map.scalars().over(*defaults);
    let usual = CascadeSettings::default();
    CascadeSettings {
        layout: map.layout(defaults),
        distance: numbers.shadow_distance,
        nearest: usual.nearest.min(numbers.shadow_distance),
        depth: usual.depth.max(numbers.shadow_distance),
        ..usual
    }
}

/// Metres that a view is above the nearest ground under or over it, 0 within; None where there is none.
fn above_ground(terrains: &[ExtractedTerrain<SceneTerrain>], view: &View) -> Option<f64> {
    let above = terrains.iter().filter_map(|extracted| {
        let place = extracted.placement.to_terrain(view.position);
        let ground = height_at(extracted.terrain.lock().terrain.field(), DVec2::new(place.x, place.z))?;
        Some((place.y - ground).max(0.0))
    });
    above.reduce(f64::min)
}
