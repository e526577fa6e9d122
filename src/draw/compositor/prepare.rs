//! Pipelines made ahead, so that no frame waits for one.

use super::effects::combine_pass;
use super::occlusion::search_target;
use super::record::is_plane;
use super::screen::ScreenPass;
use super::targets::{OUTPUT_INDEX, vk_format};
use super::{Compositor, SceneTerrain};
use crate::Result;
use crate::draw::Target;
use crate::draw::target::encoding_of;
use crate::frame::FrameNode;
use crate::gpu::{MOST_COLOR, TargetFormats, aspect};
use ash::vk;

impl Compositor {
    /// Makes every pipeline that the document's nodes need for these terrains and for an output of this format: the screen's passes, a
    /// look at a target, and of each terrain the lit surface, its preview, its caster and its motion, as far as the document has nodes for them.
    ///
    /// # Errors
    /// What the device could not make; what was made before then is kept.
    pub fn make_pipelines(&mut self, output: vk::Format, terrains: &[&SceneTerrain]) -> Result<()> {
        for node in 0..self.steps.len() {
            let target = self.target_of(node, output, true);
            let pass = match &self.document.nodes[node] {
                FrameNode::Sky(sky) if sky.haze => ScreenPass::Air,
                FrameNode::Sky(_) => ScreenPass::Sky,
                FrameNode::AmbientCombine(combine) => combine_pass(combine),
                FrameNode::AmbientOcclusion(_) => {
                    self.screen.prepare(ScreenPass::Occlusion, &search_target())?;
                    ScreenPass::OcclusionBlur
                }
                FrameNode::SkyVelocity(_) => ScreenPass::SkyVelocity,
                FrameNode::Resolve(_) => ScreenPass::Resolve,
                FrameNode::Tonemap(_) => ScreenPass::Tonemap,
                FrameNode::Exposure(_) => {
                    self.meters.prepare()?;
                    continue;
                }
                _ => {
                    terrains.iter().try_for_each(|terrain| self.make_of_terrain(node, terrain, output))?;
                    continue;
                }
            };
            self.screen.prepare(pass, &target)?;
        }
        // A target may be shown at any time.
        self.screen.prepare(
            ScreenPass::Show,
            &Target::dynamic(output, vk::Format::UNDEFINED, vk::SampleCountFlags::TYPE_1),
        )
    }

    /// What pipelines are told of the attachments of a node, for an output of this format: what a [`PassScope`](super::PassScope) of
    /// a `Pass` or a `ShadowMap` will say, so that a host can make its own ahead. None for a node there is not.
    pub fn node_target(&self, node: usize, output: vk::Format) -> Option<Target> {
        (node < self.steps.len()).then(|| self.target_of(node, output, true))
    }

    /// What a node draws a terrain with.
    fn make_of_terrain(&self, node: usize, terrain: &SceneTerrain, output: vk::Format) -> Result<()> {
        let mut ground = terrain.lock();
        let (grid, splat) = (ground.terrain.settings().grid, ground.terrain.splat());
        let (target, renderer) = (self.target_of(node, output, true), &mut ground.renderer);
        match &self.document.nodes[node] {
            FrameNode::Terrain(_) => {
                renderer.prepare_lit(&target, grid, splat, &self.light)?;
                renderer.prepare(&self.target_of(node, output, false), grid, splat)
            }
            FrameNode::TerrainCaster(_) => renderer.prepare_casters(&target, grid),
            FrameNode::TerrainVelocity(_) => renderer.prepare_velocity(&target, grid),
            _ => Ok(()),
        }
    }

    /// What a pipeline is told of a node's attachments, with split planes or without.
    fn target_of(&self, node: usize, output: vk::Format, planes: bool) -> Target {
        let uses = self.steps[node].uses.iter().filter(|used| planes || !is_plane(used.field));
        let mut color = [vk::Format::UNDEFINED; MOST_COLOR];
        let (mut color_count, mut depth) = (0, vk::Format::UNDEFINED);
        for used in uses.filter(|used| !used.access.samples()) {
            let format = match used.target {
                OUTPUT_INDEX => output,
                at => vk_format(self.document.targets[at - 1].format),
            };
            if aspect(format) != vk::ImageAspectFlags::COLOR {
                depth = format;
            } else if color_count < MOST_COLOR {
                color[color_count] = format;
                color_count += 1;
            }
        }
        let stencil = vk::Format::UNDEFINED;
        let formats = TargetFormats::Dynamic { color, color_count: color_count as u32, depth, stencil };
        Target { formats, samples: vk::SampleCountFlags::TYPE_1, encoding: encoding_of(color[0]) }
    }
}
