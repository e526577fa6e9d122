//! The node that resolves luminance over time.

use super::effects::{Drawn, whole};
use super::scope::{Scope, scaled};
use super::screen::{Push, ScreenPass};
use super::step::HISTORY;
use super::{Compositor, Frame};
use crate::Result;
use crate::abi::ResolveConstants;
use crate::frame::Resolve;

/// A fraction of which the multiples lie evenly between 0 and 1: the golden ratio's.
const EVEN: f64 = 0.618_033_988_749_895;

impl Compositor {
    pub(super) fn resolve(
        &self,
        frame: &Frame<'_>,
        node: usize,
        resolve: &Resolve,
        scope: &Scope,
    ) -> Result<Option<Drawn>> {
        let Some(scene) = self.scene.index(frame, &resolve.view).and_then(|at| self.scene.get(at)) else {
            return Ok(None);
        };
        self.same_size(node, &["input", "motion", "depth"], scope)?;
        let held = self.steps[node].target(HISTORY).is_some_and(|at| self.targets.holds_last(at));
        let view = scaled(&scene.view, frame.output.extent, scope.extent);
        let area = view.viewport;
        let texels = |axis: usize| scope.extent[axis] as f32 / frame.output.extent[axis] as f32;
        let [right, down] = scene.jitter;
        // Off, it hands on what it is given, and nothing of the last frame.
        let frames = if self.steps[node].enabled { resolve.frames(&self.factory.defaults()) } else { 1 };
        let push = Push::of(&ResolveConstants {
            viewport: [area.x, area.y, area.width, area.height],
            frame: [
                right * texels(0),
                down * texels(1),
                self.exposure_of(frame, &resolve.output),
                frames as f32,
            ],
            last: [
                f32::from(u8::from(held && scene.follows)),
                (self.scene.frame() as f64 * EVEN).fract() as f32,
                0.0,
                0.0,
            ],
        });
        let inputs = ["input", "motion", "depth", HISTORY].map(|field| self.image(node, field));
        Ok(Some(Drawn { pass: ScreenPass::Resolve, viewport: whole(scope), inputs, push }))
    }
}
