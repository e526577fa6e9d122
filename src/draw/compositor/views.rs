//! The views of a frame as its nodes draw them, and what they saw in the last one.

use super::{Compositor, Frame};
use crate::Result;
use crate::frame::FrameNode;
use crate::plan::{View, ViewId};
use glam::Mat4;

/// The views of a frame, in its order.
#[derive(Default)]
pub(super) struct SceneViews {
    views: Vec<SceneView>,
    /// Those of the last frame.
    last: Vec<SceneView>,
    /// Frames since the compositor was made.
    frame: u64,
}

/// A view as nodes draw it.
#[derive(Clone, Copy)]
pub(super) struct SceneView {
    /// With the jitter of this frame.
    pub(super) view: View,
    /// How the last frame drew it, if it did and nothing cut.
    pub(super) last: Option<View>,
    /// Pixels of the output, right and down, that its picture is moved by.
    pub(super) jitter: [f32; 2],
    /// Directions of this frame's clip space → clip space of the last frame, both without jitter; what is there did not move where nothing
    /// is known of the last.
    pub(super) last_from_clip: Mat4,
    /// Whether the last frame did not draw the view, or it cuts.
    pub(super) is_cut: bool,
    /// Whether the last frame drew the view, into the same part of the output.
    pub(super) follows: bool,
    id: ViewId,
    /// World directions → clip space.
    clip_from_world: Mat4,
}

impl Compositor {
    /// Takes the host's views, and jitters those that are resolved over time.
    pub(super) fn begin_views(&mut self, frame: &Frame<'_>) -> Result<()> {
        self.scene.frame += 1;
        let SceneViews { views, last, .. } = &mut self.scene;
        std::mem::swap(views, last);
        views.clear();
        for (index, (name, view)) in frame.views.iter().enumerate() {
            view.validate().map_err(|error| error.in_context(&format!("view '{name}'")))?;
            let jitter = self.jitter_of(frame, name);
            let drawn = if jitter == [0.0; 2] { *view } else { view.jittered(jitter) };
            let clip_from_world = view.unjittered_view_projection();
            let last = self.scene.last(index, view);
            // What did not turn did not move, and not by what two roundings leave.
            let last_from_clip = last
                .filter(|last| last.clip_from_world != clip_from_world)
                .map_or(Mat4::IDENTITY, |last| last.clip_from_world * clip_from_world.inverse());
            let now = SceneView {
                view: drawn,
                is_cut: last.is_none(),
                jitter,
                last_from_clip,
                last: last.map(|last| last.view),
                // Where it lay elsewhere in the target its picture does.
                follows: last.is_some_and(|last| last.view.viewport == view.viewport),
                id: view.id,
                clip_from_world,
            };
            self.scene.views.push(now);
        }
        Ok(())
    }

    /// Pixels of the output, right and down, that a view is moved by in this frame: 0 for one that is not resolved over time.
    fn jitter_of(&self, frame: &Frame<'_>, name: &str) -> [f32; 2] {
        let mut nodes = self.document.nodes.iter().zip(&self.steps);
        let resolve = nodes.find_map(|(node, step)| match node {
            FrameNode::Resolve(resolve) if resolve.view == name && step.enabled => Some(resolve),
            _ => None,
        });
        let Some(resolve) = resolve else { return [0.0; 2] };
        let (numbers, output) = (self.factory.defaults(), frame.output.extent);
        // A pixel of what is resolved, which need not be one of the output.
        let target = self.document.target(&resolve.output);
        let size = target.and_then(|target| self.document.target_size(target, output, &numbers));
        let jitter = View::jitter(self.scene.frame, resolve.frames(&numbers));
        let size = size.unwrap_or(output);
        std::array::from_fn(|axis| jitter[axis] * output[axis] as f32 / size[axis] as f32)
    }
}

impl SceneViews {
    /// The view of this number.
    pub(super) fn get(&self, index: usize) -> Option<&SceneView> {
        self.views.get(index)
    }

    /// The number of a view that a node names.
    pub(super) fn index(&self, frame: &Frame<'_>, name: &str) -> Option<usize> {
        frame.views.iter().position(|(view, _)| *view == name).filter(|at| *at < self.views.len())
    }

    /// A view that a node names.
    pub(super) fn named(&self, frame: &Frame<'_>, name: &str) -> Option<&View> {
        self.index(frame, name).map(|at| &self.views[at].view)
    }

    /// What the last frame drew of a view: at its place in the list, or wherever it stood there.
    fn last(&self, index: usize, view: &View) -> Option<&SceneView> {
        let is_it = |last: &&SceneView| last.id == view.id && !view.cut;
        self.last.get(index).filter(is_it).or_else(|| self.last.iter().find(is_it))
    }

    /// The frame's number.
    pub(super) fn frame(&self) -> u64 {
        self.frame
    }

    /// Takes nothing of the last frame for drawn.
    pub(super) fn forget(&mut self) {
        self.views.clear();
    }
}
