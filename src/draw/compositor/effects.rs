//! The nodes that draw over a whole target.

use super::scope::{Scope, scaled};
use super::screen::{Push, ScreenDraw, ScreenPass};
use super::show::exposure;
use super::{Compositor, Frame};
use crate::abi::{SkyVelocityConstants, TonemapConstants};
use crate::draw::TextureView;
use crate::draw::scissor::viewport;
use crate::frame::{AmbientCombine, FrameNode, Sky, Tonemap};
use crate::gpu::Cmd;
use crate::plan::View;
use crate::{Error, Result};
use ash::vk;

/// What a node draws over its target.
pub(super) struct Drawn {
    pub(super) pass: ScreenPass,
    pub(super) viewport: vk::Viewport,
    /// A node that lacks one of them draws nothing.
    pub(super) inputs: [Option<TextureView>; 4],
    pub(super) push: Push,
}

impl Compositor {
    /// Draws a node of the screen.
    pub(super) fn draw_screen(
        &mut self,
        cmd: &Cmd<'_>,
        frame: &Frame<'_>,
        node: usize,
        scope: &Scope,
    ) -> Result<()> {
        let drawn = match &self.document.nodes[node] {
            FrameNode::Sky(sky) => self.sky(frame, node, sky, scope)?,
            FrameNode::AmbientCombine(combine) => self.combine(node, combine, scope)?,
            FrameNode::SkyVelocity(velocity) => self.sky_velocity(frame, &velocity.view, scope),
            FrameNode::Resolve(resolve) => self.resolve(frame, node, resolve, scope)?,
            FrameNode::Tonemap(tonemap) => Some(self.tonemap(frame, node, tonemap, scope)),
            _ => None,
        };
        let Some(Drawn { pass, viewport, inputs, push }) = drawn else { return Ok(()) };
        let [Some(first), Some(second), Some(third), Some(fourth)] = inputs else { return Ok(()) };
        let slice = self.slices.get(node);
        let draw = ScreenDraw {
            pass,
            target: &scope.target(),
            viewport,
            inputs: [first, second, third, fourth],
            light: slice.as_ref().map(|slice| (&self.light, slice)),
            push: &push,
        };
        self.screen.draw(cmd, &draw)
    }

    /// The image of a field of a node.
    pub(super) fn image(&self, node: usize, field: &str) -> Option<TextureView> {
        self.steps[node].target(field).map(|at| self.targets.get(at).view)
    }

    /// Without light there is no sky.
    fn sky(&self, frame: &Frame<'_>, node: usize, sky: &Sky, scope: &Scope) -> Result<Option<Drawn>> {
        let Some(view) = self.scene.named(frame, &sky.view).filter(|_| self.slices.get(node).is_some())
        else {
            return Ok(None);
        };
        self.same_size(node, &["depth"], scope)?;
        let pass = if sky.haze { ScreenPass::Air } else { ScreenPass::Sky };
        let viewport = viewport_of(&scaled(view, frame.output.extent, scope.extent));
        Ok(Some(Drawn { pass, viewport, inputs: [self.image(node, "depth"); 4], push: Push::NONE }))
    }

    /// Without light nothing was withheld.
    fn combine(&self, node: usize, combine: &AmbientCombine, scope: &Scope) -> Result<Option<Drawn>> {
        if self.slices.get(node).is_none() {
            return Ok(None);
        }
        self.same_size(node, &["albedo", "normals"], scope)?;
        let occlusion = self.image(node, "occlusion").unwrap_or(self.screen.open());
        let albedo = self.image(node, "albedo");
        let inputs = [albedo, self.image(node, "normals"), Some(occlusion), albedo];
        Ok(Some(Drawn { pass: combine_pass(combine), viewport: whole(scope), inputs, push: Push::NONE }))
    }

    fn sky_velocity(&self, frame: &Frame<'_>, view: &str, scope: &Scope) -> Option<Drawn> {
        let scene = self.scene.get(self.scene.index(frame, view)?)?;
        let [across, down] = scene.view.motion_scale();
        let push = Push::of(&SkyVelocityConstants {
            last_from_clip: scene.last_from_clip.to_cols_array_2d(),
            motion_scale: [across, down, 0.0, 0.0],
        });
        let viewport = viewport_of(&scaled(&scene.view, frame.output.extent, scope.extent));
        let inputs = [Some(self.screen.open()); 4];
        Some(Drawn { pass: ScreenPass::SkyVelocity, viewport, inputs, push })
    }

    fn tonemap(&self, frame: &Frame<'_>, node: usize, tonemap: &Tonemap, scope: &Scope) -> Drawn {
        let metered = self.meters.before(node).filter(|_| tonemap.ev100.is_none());
        let scale = if metered.is_some() { METERED } else { exposure(tonemap.ev100.unwrap_or(frame.ev100)) };
        let sharpness = if self.is_softened(node, tonemap, scope) { tonemap.sharpness } else { 0.0 };
        let push = Push::of(&tonemap_constants(scale, sharpness, scope));
        let input = self.image(node, "input");
        let inputs = [input, metered.or(input), input, input];
        Drawn { pass: ScreenPass::Tonemap, viewport: whole(scope), inputs, push }
    }

    /// Whether what a tonemap shows has edges that a resolve softened: what is made smaller or larger has others, and one frame was not
    /// resolved.
    fn is_softened(&self, node: usize, tonemap: &Tonemap, scope: &Scope) -> bool {
        let input = self.steps[node].target("input").map(|at| self.targets.get(at).extent);
        let numbers = self.factory.defaults();
        let sharp = self.document.nodes.iter().zip(&self.steps).any(|(node, step)| match node {
            FrameNode::Resolve(resolve) if resolve.output == tonemap.input => {
                !step.enabled || resolve.frames(&numbers) == 1
            }
            _ => false,
        });
        input == Some(scope.extent) && !sharp
    }

    /// Refuses a plane that is read pixel by pixel and is of another size than what is drawn.
    pub(super) fn same_size(&self, node: usize, fields: &[&str], scope: &Scope) -> Result<()> {
        for used in self.steps[node].uses.iter().filter(|used| fields.contains(&used.field)) {
            let ([width, height], [x, y]) = (self.targets.get(used.target).extent, scope.extent);
            if [width, height] != [x, y] {
                let field = used.field;
                let why =
                    format!("its output is {x}×{y} and its {field} {width}×{height}; give them one size");
                return Err(Error::invalid("frame", why));
            }
        }
        Ok(())
    }
}

/// Where no plane is named, none says where light comes from.
pub(super) fn combine_pass(combine: &AmbientCombine) -> ScreenPass {
    let bent = combine.bent && combine.occlusion.is_some();
    if bent { ScreenPass::CombineBent } else { ScreenPass::Combine }
}

/// The viewport of a view, turned over where the view is.
pub(super) fn viewport_of(view: &View) -> vk::Viewport {
    viewport(&view.viewport, view.flip_y)
}

/// What stands for a scale that the metered image says.
const METERED: f32 = 0.0;

fn tonemap_constants(scale: f32, sharpness: f32, scope: &Scope) -> TonemapConstants {
    // Ten bits and more need no noise; 8 bits show their steps in a sky.
    let steps = match scope.first_format() {
        vk::Format::R8G8B8A8_UNORM
        | vk::Format::R8G8B8A8_SRGB
        | vk::Format::B8G8R8A8_UNORM
        | vk::Format::B8G8R8A8_SRGB
        | vk::Format::A8B8G8R8_UNORM_PACK32
        | vk::Format::A8B8G8R8_SRGB_PACK32 => 255.0,
        _ => 0.0,
    };
    let [width, height] = scope.extent.map(|pixels| pixels as f32);
    TonemapConstants { exposure: [scale, steps, width, height], sharpness: [sharpness, 0.0, 0.0, 0.0] }
}

/// The viewport of all of a target.
pub(super) fn whole(scope: &Scope) -> vk::Viewport {
    let [width, height] = scope.extent.map(|pixels| pixels as f32);
    vk::Viewport { width, height, max_depth: 1.0, ..vk::Viewport::default() }
}
