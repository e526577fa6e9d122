//! A look at a target in place of the picture.

use super::effects::whole;
use super::scope::Scope;
use super::screen::{Push, ScreenDraw, ScreenPass};
use super::step::StepUse;
use super::targets::OUTPUT_INDEX;
use super::{Compositor, Frame};
use crate::abi::ShowConstants;
use crate::frame::{Access, FrameDocument, FrameNode, Stage, TargetFormat};
use crate::gpu::Cmd;
use crate::{Error, Result};

/// The target that is shown.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    target: usize,
    holds: Holds,
}

/// What it holds; the numbers are the shader's.
#[derive(Clone, Copy)]
#[repr(u32)]
enum Holds {
    Luminance = 0,
    Colour = 1,
    Signed = 2,
    Motion = 3,
    Depth = 4,
    One = 5,
}

impl Shown {
    pub(super) fn find(document: &FrameDocument, name: &str) -> Result<Self> {
        let Some(at) = document.targets.iter().position(|target| target.name == name) else {
            let names: Vec<_> = document.targets.iter().map(|target| target.name.as_str()).collect();
            let names = if names.is_empty() { "it has none".into() } else { names.join(", ") };
            let why = format!("the frame has no target '{name}' to show; its targets: {names}");
            return Err(Error::invalid("compositor", why));
        };
        let holds = holds(document, name, document.targets[at].format);
        Ok(Self { target: at + 1, holds })
    }
}

/// What luminance is multiplied with at an exposure value, so that 1 is what the sensor holds.
pub(super) fn exposure(ev100: f32) -> f32 {
    1.0 / (1.2 * ev100.exp2())
}

fn holds(document: &FrameDocument, name: &str, format: TargetFormat) -> Holds {
    let is_normals =
        |node: &FrameNode| node.uses(document).iter().any(|u| u.field == "normals" && u.target == name);
    let is_motion = |node: &FrameNode| matches!(node, FrameNode::Pass(pass) if pass.stage == Stage::Motion && pass.output() == name);
    if document.nodes.iter().any(is_normals) {
        return Holds::Signed;
    }
    if document.nodes.iter().any(is_motion) {
        return Holds::Motion;
    }
    // Of occlusion its red is how much is seen; the rest is a direction.
    let is_occlusion =
        |node: &FrameNode| matches!(node, FrameNode::AmbientOcclusion(node) if node.output == name);
    if document.nodes.iter().any(is_occlusion) {
        return Holds::One;
    }
    match format {
        TargetFormat::Depth16Unorm | TargetFormat::Depth32Float => Holds::Depth,
        TargetFormat::R8Unorm | TargetFormat::R16Float | TargetFormat::R32Float => Holds::One,
        TargetFormat::Rgba8Unorm | TargetFormat::Rgba8Srgb => Holds::Colour,
        TargetFormat::Rgba8Snorm | TargetFormat::Rg16Float => Holds::Signed,
        _ => Holds::Luminance,
    }
}

impl Compositor {
    /// What luminance is multiplied with where this target is shown, as far as the host knows: a node that meters says it to the device
    /// at once and here some frames late. A target that no tonemap shows is exposed as the picture is.
    pub(super) fn exposure_of(&self, frame: &Frame<'_>, target: &str) -> f32 {
        let tonemaps = self.document.nodes.iter().enumerate().filter_map(|(at, node)| match node {
            FrameNode::Tonemap(tonemap) => Some((at, tonemap)),
            _ => None,
        });
        let shows = tonemaps.clone().find(|(_, tonemap)| tonemap.input == target);
        let ev100 = match shows.or_else(|| tonemaps.clone().next()) {
            Some((at, tonemap)) => tonemap.ev100.or_else(|| self.meters.latest_before(at)),
            None => self.meters.latest(),
        };
        exposure(ev100.unwrap_or(frame.ev100))
    }

    /// Draws the target that is shown over the output.
    pub(super) fn record_shown(&mut self, cmd: &Cmd<'_>, frame: &Frame<'_>) -> Result<()> {
        let Some(shown) = self.shown else { return Ok(()) };
        let output = StepUse { field: "output", target: OUTPUT_INDEX, access: Access::Clear };
        let uses = [(OUTPUT_INDEX, Access::Clear), (shown.target, Access::Sample)];
        self.targets.transition(cmd, uses.into_iter());
        let scope = Scope::of([output].into_iter(), &self.targets)?;
        let [width, height] = frame.output.extent;
        let plane = self.targets.get(shown.target);
        let part = |texels: u32, pixels: u32| texels as f32 / pixels as f32;
        let scale = match shown.holds {
            Holds::Luminance => self.exposure_of(frame, &self.document.targets[shown.target - 1].name),
            // A hundredth of the picture a frame is quick.
            Holds::Motion => 25.0,
            _ => 1.0,
        };
        let push = ShowConstants {
            shown_as: [
                shown.holds as u32 as f32,
                scale,
                part(plane.extent[0], width),
                part(plane.extent[1], height),
            ],
        };
        cmd.begin_label(c"landform target view");
        scope.begin(cmd)?;
        let draw = ScreenDraw {
            pass: ScreenPass::Show,
            target: &scope.target(),
            viewport: whole(&scope),
            inputs: [plane.view; 4],
            light: None,
            push: &Push::of(&push),
        };
        let drawn = self.screen.draw(cmd, &draw);
        cmd.end_rendering();
        cmd.end_label();
        drawn
    }
}
