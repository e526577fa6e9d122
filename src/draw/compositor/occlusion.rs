//! The node that draws what pixels see of the sky: a search into an image of its own, and what is made of it into its target.

use super::effects::viewport_of;
use super::scope::{Scope, scaled};
use super::screen::{Push, ScreenDraw, ScreenPass};
use super::{Compositor, Frame};
use crate::Result;
use crate::abi::OcclusionConstants;
use crate::draw::{Target, TextureView};
use crate::frame::FrameNode;
use crate::gpu::{Cmd, Device, Image, ImageDesc, TargetBarrier, Usage};
use crate::plan::View;
use ash::vk;
use std::sync::Arc;

/// What single pixels found: a share of the light and the direction that it comes from, neither of which is within 0…1 before they are
/// averaged.
const FOUND: vk::Format = vk::Format::R16G16B16A16_SFLOAT;

/// The part of a view's height that is searched at most: a part, so that a picture of more pixels is the same picture. With as few steps
/// what stands between two would be missed in more of it.
const MOST_SEARCHED: f32 = 0.5;

/// The images that searches are drawn into, one a node that was drawn.
#[derive(Default)]
pub(super) struct Occlusions {
    found: Vec<Found>,
    revision: u64,
}

struct Found {
    node: usize,
    image: Image,
    revision: u64,
    state: Usage,
}

impl Occlusions {
    /// Destroys the images once no frame uses them: the document is another one.
    pub(super) fn clear(&mut self) {
        self.found.clear();
    }

    /// Takes the images for never used: the frame that used them was not submitted.
    pub(super) fn forget(&mut self) {
        self.found.iter_mut().for_each(|found| found.state = Usage::Discard);
    }

    /// A node's image of this size.
    fn of(&mut self, device: &Arc<Device>, node: usize, extent: [u32; 2]) -> Result<&mut Found> {
        let known = self.found.iter().position(|found| found.node == node);
        let index = match known.filter(|at| self.found[*at].image.extent(0) == extent) {
            Some(index) => index,
            None => {
                // The old one goes first: the new one may need its memory once frames in flight have completed.
                known.map(|at| self.found.swap_remove(at));
                self.revision += 1;
                let (revision, state) = (self.revision, Usage::Undefined);
                self.found.push(Found { node, image: make(device, extent)?, revision, state });
                self.found.len() - 1
            }
        };
        Ok(&mut self.found[index])
    }
}

impl Found {
    fn transition(&mut self, cmd: &Cmd<'_>, to: Usage) {
        // What it held is drawn anew in every frame.
        let discard = to == Usage::ColorTarget;
        let (image, aspect) = (self.image.raw(), vk::ImageAspectFlags::COLOR);
        cmd.target_barriers(&[TargetBarrier { image, aspect, from: self.state, to, discard }]);
        self.state = to;
    }

    fn view(&self) -> TextureView {
        TextureView { view: self.image.view(), revision: self.revision }
    }
}

impl Compositor {
    /// Records an `AmbientOcclusion`. One that is off sees the whole sky: whoever reads the plane, with `bent` or without, finds it open.
    pub(super) fn record_occlusion(&mut self, cmd: &Cmd<'_>, frame: &Frame<'_>, node: usize) -> Result<()> {
        let FrameNode::AmbientOcclusion(described) = &self.document.nodes[node] else { return Ok(()) };
        let numbers = described.scalars().over(self.factory.defaults());
        let slices = if self.steps[node].enabled { numbers.occlusion_slices } else { 0 };
        let (radius, view) = (described.radius, self.scene.named(frame, &described.view).copied());
        let step = &self.steps[node];
        self.targets.transition(cmd, step.uses.iter().map(|used| (used.target, used.access)));
        let scope = Scope::of(step.uses.iter().copied(), &self.targets)?;
        self.same_size(node, &["depth", "normals"], &scope)?;
        let drawn = view.zip(self.image(node, "depth")).zip(self.image(node, "normals"));
        let Some(((view, depth), normals)) = drawn else { return Ok(()) };
        let view = scaled(&view, frame.output.extent, scope.extent);
        let push =
            Push::of(&constants(&view, [radius, slices as f32, MOST_SEARCHED * view.viewport.height, 0.0]));
        let mut draw = ScreenDraw {
            pass: ScreenPass::Occlusion,
            target: &search_target(),
            viewport: viewport_of(&view),
            inputs: [depth, normals, self.screen.open(), depth],
            light: None,
            push: &push,
        };
        if slices > 0 {
            draw.inputs[2] = self.search(cmd, node, scope.extent, &draw)?;
        }
        let target = scope.target();
        (draw.pass, draw.target) = (ScreenPass::OcclusionBlur, &target);
        scope.begin(cmd)?;
        let drawn = self.screen.draw(cmd, &draw);
        cmd.end_rendering();
        drawn
    }

    /// Draws what single pixels find into a node's own image, and returns it to be read.
    fn search(
        &mut self,
        cmd: &Cmd<'_>,
        node: usize,
        extent: [u32; 2],
        draw: &ScreenDraw<'_>,
    ) -> Result<TextureView> {
        let found = self.occlusions.of(&self.device, node, extent)?;
        found.transition(cmd, Usage::ColorTarget);
        Scope::of_color(found.image.view(), FOUND, extent).begin(cmd)?;
        let drawn = self.screen.draw(cmd, draw);
        cmd.end_rendering();
        drawn?;
        found.transition(cmd, Usage::FragmentRead);
        Ok(found.view())
    }
}

/// What a search is drawn into.
pub(super) fn search_target() -> Target {
    Target::dynamic(FOUND, vk::Format::UNDEFINED, vk::SampleCountFlags::TYPE_1)
}

fn make(device: &Arc<Device>, extent: [u32; 2]) -> Result<Image> {
    let usage = vk::ImageUsageFlags::COLOR_ATTACHMENT | vk::ImageUsageFlags::SAMPLED;
    let name = "landform occlusion";
    Image::new(device, &ImageDesc { name, extent, format: FOUND, usage, ..ImageDesc::default() })
}

/// What the shaders are told of a view of the target.
fn constants(view: &View, search: [f32; 4]) -> OcclusionConstants {
    let area = view.viewport;
    // Clip space is two units across a viewport, and upside down in one that is turned over.
    let [across, down] = [2.0 / area.width, if view.flip_y { -2.0 } else { 2.0 } / area.height];
    let [left, top] = [-1.0 - across * area.x, -down.signum() - down * area.y];
    OcclusionConstants {
        ray_from_clip: view.view_projection().inverse().to_cols_array_2d(),
        clip_from_pixel: [across, down, left, top],
        seen_part: [area.x, area.y, area.x + area.width, area.y + area.height],
        search,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Viewport;
    use glam::{DVec3, Quat};

    /// The corners of a part of the target are the corners of clip space, whichever way up it is drawn.
    #[test]
    fn pixels_lie_where_the_viewport_draws_them() {
        let viewport = Viewport { x: 30.0, y: 10.0, width: 120.0, height: 80.0 };
        let mut view = View::perspective(DVec3::ZERO, Quat::IDENTITY, 1.0, 0.1, viewport);
        for (flip, top) in [(true, 1.0), (false, -1.0)] {
            view.flip_y = flip;
            let constants = constants(&view, [0.0; 4]);
            let [x, y, left, above] = constants.clip_from_pixel;
            let clip = |at: [f32; 2]| [at[0] * x + left, at[1] * y + above];
            let near = |a: [f32; 2], b: [f32; 2]| (a[0] - b[0]).abs() + (a[1] - b[1]).abs() < 1e-5;
            assert!(near(clip([30.0, 10.0]), [-1.0, top]), "{:?}", clip([30.0, 10.0]));
            assert!(near(clip([150.0, 90.0]), [1.0, -top]), "{:?}", clip([150.0, 90.0]));
            assert_eq!(constants.seen_part, [30.0, 10.0, 150.0, 90.0]);
        }
    }
}
