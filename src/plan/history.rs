//! What each view drew in the last frame: what motion is measured from.

use super::{View, ViewId};
use crate::abi::{MAX_LEVELS, MorphBand, ViewConstants};
use crate::field::FieldDesc;

/// Where a view drew the ground in one frame.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Drawn {
    /// Samples and codes mean something else on a field of another shape, spacing or range.
    desc: FieldDesc,
    view_projection: [[f32; 4]; 4],
    camera_sample: [f32; 4],
    camera_height: [f32; 4],
    level_sample: [f32; 4],
    bands: [MorphBand; MAX_LEVELS],
}

impl Drawn {
    /// What a view's constants say of this frame.
    pub(super) fn of(desc: &FieldDesc, constants: &ViewConstants) -> Self {
        Self {
            desc: *desc,
            view_projection: constants.unjittered,
            camera_sample: constants.camera_sample,
            camera_height: constants.camera_height,
            level_sample: constants.level_sample,
            bands: constants.bands,
        }
    }

    /// Makes this the last frame of a view's constants.
    pub(super) fn write(&self, constants: &mut ViewConstants) {
        constants.last_view_projection = self.view_projection;
        constants.last_camera_sample = self.camera_sample;
        constants.last_camera_height = self.camera_height;
        constants.last_level_sample = self.level_sample;
        constants.last_bands = self.bands;
    }
}

/// The views of a terrain, from frame to frame.
#[derive(Clone, Debug, Default)]
pub(super) struct Histories {
    views: Vec<History>,
}

#[derive(Clone, Debug)]
struct History {
    view: ViewId,
    /// The frame of `now`.
    frame: u64,
    now: Drawn,
    /// None in a view's first frame, after a cut, and after a frame without it.
    last: Option<Drawn>,
}

impl Histories {
    /// Notes what a view draws in this frame, and answers with what it drew in the last one, or None. A view that is planned
    /// twice in a frame has one last frame.
    pub(super) fn follow(&mut self, view: &View, frame: u64, now: Drawn) -> Option<&Drawn> {
        let Some(index) = self.views.iter().position(|history| history.view == view.id) else {
            self.views.push(History { view: view.id, frame, now, last: None });
            return None;
        };
        let history = &mut self.views[index];
        let before = std::mem::replace(&mut history.now, now);
        if history.frame != frame {
            history.last = (history.frame + 1 == frame).then_some(before);
            history.frame = frame;
        }
        let follows = history.last.as_ref().is_some_and(|last| last.desc == history.now.desc);
        if view.cut || !follows {
            history.last = None;
        }
        history.last.as_ref()
    }

    /// Forgets the views that were not planned for `frames` frames.
    pub(super) fn forget(&mut self, frame: u64, frames: u64) {
        self.views.retain(|history| history.frame + frames > frame);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::Field;
    use crate::plan::{Residency, Terrain, TerrainSettings, Viewport};
    use glam::{DVec3, Quat};

    fn view(x: f64) -> View {
        View::perspective(
            DVec3::new(x, 20.0, 100.0),
            Quat::IDENTITY,
            1.0,
            0.1,
            Viewport { x: 0.0, y: 0.0, width: 160.0, height: 90.0 },
        )
    }

    fn constants(terrain: &mut Terrain, view: &View) -> ViewConstants {
        let residency = Residency::nothing(terrain.field().desc());
        terrain.plan(&[*view], &residency).unwrap().views[0].constants
    }

    fn flat(range: f64) -> Terrain {
        let desc = FieldDesc::new(257, 257).with_range(0.0, range);
        Terrain::new(Field::new(desc).unwrap(), TerrainSettings::default()).unwrap()
    }

    #[test]
    fn a_view_remembers_its_last_frame_and_no_other() {
        let mut terrain = flat(100.0);
        terrain.begin_frame(0.1);
        let first = constants(&mut terrain, &view(10.0));
        assert_eq!(first.last_camera_sample, first.camera_sample, "a first frame has moved nowhere");
        terrain.begin_frame(0.1);
        let second = constants(&mut terrain, &view(12.0));
        assert_eq!(second.last_camera_sample, first.camera_sample);
        assert_eq!(second.last_bands, first.bands);
        // Planned again in the same frame, the last one is still the last one.
        let again = constants(&mut terrain, &view(13.0));
        assert_eq!(again.last_camera_sample, first.camera_sample);
        terrain.begin_frame(0.1);
        let third = constants(&mut terrain, &view(14.0));
        assert_eq!(third.last_camera_sample, again.camera_sample);
        // Another view has its own.
        let mut other = view(50.0);
        other.id = ViewId(1);
        let other = constants(&mut terrain, &other);
        assert_eq!(other.last_camera_sample, other.camera_sample);
    }

    #[test]
    fn a_cut_a_gap_and_another_range_begin_anew() {
        let mut terrain = flat(100.0);
        let frame = |terrain: &mut Terrain, view: &View| {
            terrain.begin_frame(0.1);
            constants(terrain, view)
        };
        frame(&mut terrain, &view(10.0));
        let cut = frame(&mut terrain, &View { cut: true, ..view(90.0) });
        assert_eq!(cut.last_camera_sample, cut.camera_sample);
        let after = frame(&mut terrain, &view(91.0));
        assert_eq!(after.last_camera_sample, cut.camera_sample, "the frame after a cut follows it");
        terrain.begin_frame(0.1);
        let gap = frame(&mut terrain, &view(80.0));
        assert_eq!(gap.last_camera_sample, gap.camera_sample, "a frame without the view lies between");
        *terrain.field_mut() = flat(200.0).field().clone();
        let range = frame(&mut terrain, &view(81.0));
        assert_eq!(range.last_camera_sample, range.camera_sample, "codes mean other heights");
    }
}
