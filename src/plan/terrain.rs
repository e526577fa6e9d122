//! A terrain: a field, where it stands and how it is drawn. Makes the plans.

use super::constants::{light, motion, pixels_at_a_metre, view_constants};
use super::history::{Drawn, Histories};
use super::material::Ground;
use super::{FramePlan, Placement, Residency, View, ViewId, ViewPlan};
use crate::abi::NodeRecord;
use crate::atlas::AtlasLayout;
use crate::field::Field;
use crate::lod::{
    DerivedRanges, Frustum, GridSize, LodGeometry, LodRanges, LodSettings, NearTracker, SelectInput, select,
};
use crate::splat::{Material, PackView, Splat};
use crate::{Error, Result};
use glam::{Mat4, Vec3};
use std::sync::atomic::{AtomicU64, Ordering};

/// Normals are read at most so many mips finer than the geometry.
const MOST_FINER_MIPS: f32 = 4.0;

/// How a terrain is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TerrainSettings {
    /// Quads a side of a patch.
    pub grid: GridSize,
    /// How far each level reaches.
    pub lod: LodSettings,
    /// Where the terrain stands.
    pub placement: Placement,
}

/// A heightfield in the world. Owns the field and what a view's level of detail was last frame; knows no device.
#[derive(Clone, Debug)]
pub struct Terrain {
    field: Field,
    pub(super) ground: Ground,
    settings: TerrainSettings,
    geometry: LodGeometry,
    trackers: Vec<Tracker>,
    histories: Histories,
    frame: u64,
    seconds: f64,
}

/// The near range of a view from frame to frame.
#[derive(Clone, Debug)]
struct Tracker {
    view: ViewId,
    /// The frame it was brought up to date in: a plan made twice moves it once.
    frame: u64,
    near: f64,
    tracker: NearTracker,
}

impl Terrain {
    /// A terrain.
    ///
    /// # Errors
    /// Stated ranges that would crack, with what would work.
    pub fn new(field: Field, settings: TerrainSettings) -> Result<Self> {
        let geometry = LodGeometry::new(field.desc(), settings.grid);
        check_settings(&geometry, &settings)?;
        let ground = Ground::default();
        Ok(Self {
            field,
            ground,
            settings,
            geometry,
            trackers: Vec::new(),
            histories: Histories::default(),
            frame: 0,
            seconds: 0.0,
        })
    }

    /// The ground.
    pub fn field(&self) -> &Field {
        &self.field
    }

    /// The ground, to be changed. Whatever changes is uploaded with the next plan.
    pub fn field_mut(&mut self) -> &mut Field {
        &mut self.field
    }

    /// What the ground is made of; no layers until it is given some.
    pub fn material(&self) -> &Material {
        self.ground.material()
    }

    /// Changes what the ground is made of from the next plan on. Weights are uploaded again where the layers need another
    /// number of pages, stand for others, or are laid over others that were not before.
    ///
    /// # Errors
    /// [`Error::Invalid`] for more layers or blend sets than a terrain has, for layers that all lie over others, and for
    /// fewer layers or sets than the field's weights and regions are of; what was set before then stays. A material without
    /// any layer is taken with whatever the field has: its weights are not drawn then.
    pub fn set_material(&mut self, material: Material) -> Result<()> {
        self.ground.set(material, &self.field)
    }

    /// What the layers ask of the shaders.
    pub fn splat(&self) -> Splat {
        self.ground.splat()
    }

    /// How the terrain is drawn.
    pub fn settings(&self) -> &TerrainSettings {
        &self.settings
    }

    /// Changes how the terrain is drawn from the next plan on.
    ///
    /// # Errors
    /// As [`Terrain::new`]; what was set before then stays.
    pub fn set_settings(&mut self, settings: TerrainSettings) -> Result<()> {
        let geometry = LodGeometry::new(self.field.desc(), settings.grid);
        check_settings(&geometry, &settings)?;
        (self.geometry, self.settings) = (geometry, settings);
        Ok(())
    }

    /// Begins a frame, once: `seconds` since the last one, which bounds how far a view's level of detail may move.
    pub fn begin_frame(&mut self, seconds: f64) {
        self.frame += 1;
        self.seconds = seconds;
        // A view that was not planned for a while is forgotten: when it comes back it is sharp at once.
        let frame = self.frame;
        self.trackers.retain(|tracker| tracker.frame + 120 > frame);
        self.histories.forget(frame, 120);
    }

    /// What this frame uploads and draws, for these views and a renderer that holds `residency`.
    ///
    /// # Errors
    /// A view that cannot be drawn, with a sentence.
    pub fn plan(&mut self, views: &[View], residency: &Residency) -> Result<FramePlan> {
        let mut plan = FramePlan::empty(self.field.desc());
        self.plan_into(&mut plan, views, residency)?;
        Ok(plan)
    }

    /// As [`Terrain::plan`], into a plan that is used again: a steady frame then allocates nothing.
    ///
    /// # Errors
    /// A view that cannot be drawn, with a sentence.
    pub fn plan_into(&mut self, plan: &mut FramePlan, views: &[View], residency: &Residency) -> Result<()> {
        let layout = AtlasLayout::new(self.field.desc());
        if residency.layout != layout {
            return Err(Error::invalid(
                "frame plan",
                "the residency is of a renderer that was made for a field of another shape; make a new renderer",
            ));
        }
        // Whatever is refused is refused before the plan or a view's level of detail changes.
        self.follow_field()?;
        self.ground.check_field(&self.field)?;
        views.iter().try_for_each(View::validate)?;
        plan.layout = layout;
        self.plan_uploads(plan, residency);
        plan.views.truncate(views.len());
        for (index, view) in views.iter().enumerate() {
            let nodes =
                plan.views.get_mut(index).map(|old| std::mem::take(&mut old.nodes)).unwrap_or_default();
            let planned = self.plan_view(view, nodes)?;
            match plan.views.get_mut(index) {
                Some(slot) => *slot = planned,
                None => plan.views.push(planned),
            }
        }
        Ok(())
    }

    /// Holds the settings against the field as it is: a host may have put another one in its place.
    fn follow_field(&mut self) -> Result<()> {
        let geometry = LodGeometry::new(self.field.desc(), self.settings.grid);
        if geometry != self.geometry {
            stated_ranges(&geometry, &self.settings.lod)?;
            self.geometry = geometry;
        }
        Ok(())
    }

    fn plan_view(&mut self, view: &View, mut nodes: Vec<NodeRecord>) -> Result<ViewPlan> {
        let (ranges, near_raised) = self.ranges(view)?;
        let camera = self.settings.placement.to_terrain(view.position);
        let level_from = self.settings.placement.to_terrain(view.level_position());
        let turn = Mat4::from_quat(view.rotation.inverse()) * self.settings.placement.rotation();
        let frustum = Frustum::of(&(a_pixel_wider(view) * view.unjittered * turn));
        let frustum = frustum.seen_from((level_from - camera).as_vec3());
        let input = SelectInput::new(&self.field, self.settings.grid, &ranges, level_from, &frustum);
        let stats = select(&input, &mut nodes);
        let mut constants = view_constants(&self.field, &input, camera, &(view.projection * turn));
        light(&mut constants, view, &self.settings.placement);
        motion(&mut constants, view, &(view.unjittered * turn));
        let now = Drawn::of(self.field.desc(), &constants);
        now.write(&mut constants);
        if let Some(last) = self.histories.follow(view, self.frame, now) {
            last.write(&mut constants);
        }
        Ok(ViewPlan {
            id: next_plan_id(),
            nodes,
            constants,
            grid: self.settings.grid,
            viewport: view.viewport,
            flip_y: view.flip_y,
            keeps_winding: view.keeps_winding(),
            mode: view.preview.mode,
            splat: self.ground.splat(),
            material: self.ground.constants(&self.field, &self.pack_view(view, &ranges)),
            has_holes: self.field.holes().count() > 0,
            ray_from_clip: (view.projection * turn).inverse(),
            stats,
            near: ranges.range(0),
            near_raised,
        })
    }

    /// What the material's constants need to know of a view.
    fn pack_view(&self, view: &View, ranges: &LodRanges) -> PackView {
        let desc = self.field.desc();
        let spacing = desc.spacing.max_element();
        // Pixels that a quad covers where the next level takes over: that many texels of a mip are one pixel there.
        let pixels =
            pixels_at_a_metre(view, &self.field, &self.settings.placement) * spacing / ranges.range(0);
        PackView {
            camera: view.position,
            yaw: self.settings.placement.yaw,
            spacing: desc.spacing,
            normal_bias: (pixels.log2() as f32).clamp(0.0, MOST_FINER_MIPS),
        }
    }

    /// The ranges of a view in this frame, and whether they were raised to what is legal.
    fn ranges(&mut self, view: &View) -> Result<(LodRanges, bool)> {
        match self.settings.lod {
            LodSettings::Derived { pixel_error, ratio, octaves_a_second, bias } => {
                let pixels_at_a_metre = pixels_at_a_metre(view, &self.field, &self.settings.placement);
                let wanted = DerivedRanges { pixel_error, pixels_at_a_metre, bias }.near(&self.geometry);
                let minimum = self.geometry.minimum_near(ratio);
                // What is wanted below the minimum is never reached, so no time is spent on the way there.
                let reachable = wanted.clamp(minimum, self.geometry.maximum_near().max(minimum));
                let near = self.track(view, reachable, octaves_a_second);
                let (ranges, raised) = LodRanges::clamped(&self.geometry, near, ratio)?;
                Ok((ranges, raised || wanted < minimum))
            }
            ref stated => stated_ranges(&self.geometry, stated),
        }
    }

    /// The near range of a view in this frame, moved once a frame toward what is wanted.
    fn track(&mut self, view: &View, wanted: f64, octaves_a_second: f64) -> f64 {
        let index = self.trackers.iter().position(|tracker| tracker.view == view.id).unwrap_or_else(|| {
            self.trackers.push(Tracker {
                view: view.id,
                frame: 0,
                near: wanted,
                tracker: NearTracker::default(),
            });
            self.trackers.len() - 1
        });
        let tracker = &mut self.trackers[index];
        if tracker.frame != self.frame || self.frame == 0 {
            tracker.near = tracker.tracker.follow(wanted, octaves_a_second, self.seconds, view.cut);
            tracker.frame = self.frame;
        }
        tracker.near
    }
}

/// A number that no other plan of a view has.
pub(super) fn next_plan_id() -> u64 {
    static NEXT_ID: AtomicU64 = AtomicU64::new(1);
    NEXT_ID.fetch_add(1, Ordering::Relaxed)
}

/// Clip space a pixel wider on every side: jitter moves what is drawn by up to a pixel, and may bring in a node that the
/// unjittered view does not see.
fn a_pixel_wider(view: &View) -> Mat4 {
    let within = |pixels: f32| pixels / (pixels + 2.0);
    Mat4::from_scale(Vec3::new(within(view.viewport.width), within(view.viewport.height), 1.0))
}

/// Refuses settings that no frame could be drawn with.
fn check_settings(geometry: &LodGeometry, settings: &TerrainSettings) -> Result<()> {
    settings.placement.validate()?;
    stated_ranges(geometry, &settings.lod).map(|_| ())
}

/// Ranges that do not follow from a view, and whether a bias was limited by what is legal.
fn stated_ranges(geometry: &LodGeometry, settings: &LodSettings) -> Result<(LodRanges, bool)> {
    match *settings {
        LodSettings::Derived { pixel_error, ratio, bias, octaves_a_second } => {
            if !(pixel_error > 0.0 && pixel_error.is_finite() && bias.is_finite() && octaves_a_second >= 0.0)
            {
                return Err(Error::invalid(
                    "level-of-detail settings",
                    format!(
                        "a pixel error of {pixel_error}, a bias of {bias} and {octaves_a_second} octaves a second; the first \
                         must be above 0, for instance 2, the second finite and the third not negative"
                    ),
                ));
            }
            LodRanges::clamped(geometry, geometry.minimum_near(ratio), ratio)
        }
        LodSettings::Near { near, ratio, bias } => {
            LodRanges::stated(geometry, near, ratio)?;
            LodRanges::clamped(geometry, near * (-bias).exp2(), ratio)
        }
        LodSettings::List { ref ranges, ratio } => Ok((LodRanges::list(geometry, ranges, ratio)?, false)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::FieldDesc;
    use crate::plan::Viewport;
    use glam::{DVec3, Quat};

    fn terrain() -> Terrain {
        let field = Field::new(FieldDesc::new(257, 257).with_range(0.0, 10.0)).unwrap();
        Terrain::new(field, TerrainSettings::default()).unwrap()
    }

    fn view(id: u32, fov: f32) -> View {
        let camera = DVec3::new(128.0, 20.0, 128.0);
        let mut view = View::perspective(camera, Quat::IDENTITY, fov, 0.1, Viewport::whole(640, 360));
        view.id = ViewId(id);
        view
    }

    /// What a whole pixel of jitter brings into view is selected without it.
    #[test]
    fn jitter_brings_no_node_into_view() {
        let mut terrain = terrain();
        let residency = Residency::nothing(terrain.field().desc());
        for turn in 0..64 {
            let mut view = view(turn, 0.4);
            view.rotation = Quat::from_rotation_y(turn as f32 * 0.098);
            let still = terrain.plan(&[view], &residency).unwrap();
            for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
                let jitter = Mat4::from_translation(Vec3::new(x * 2.0 / 640.0, y * 2.0 / 360.0, 0.0));
                let moved = View {
                    unjittered: jitter * view.projection,
                    projection: jitter * view.projection,
                    ..view
                };
                let input = terrain.plan(&[moved], &residency).unwrap();
                let seen = Frustum::of(&Mat4::from_cols_array_2d(&input.views[0].constants.view_projection));
                for node in &input.views[0].nodes {
                    let corner = |x: f32, z: f32| {
                        Vec3::new(
                            node.origin[0] + x * 32.0 * node.step - 128.0,
                            -20.0,
                            node.origin[1] + z * 32.0 * node.step - 128.0,
                        )
                    };
                    let corners = [corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0), corner(1.0, 1.0)];
                    let outside = seen
                        .planes()
                        .iter()
                        .any(|p| corners.iter().all(|c| p.truncate().dot(*c) + p.w < 0.0));
                    assert!(outside || still.views[0].nodes.contains(node), "{node:?} at turn {turn}");
                }
            }
        }
    }

    /// A zoom moves the near range at the stated rate, once a frame however often a plan is made; another view keeps its
    /// own.
    #[test]
    fn a_zoom_sharpens_over_frames() {
        let mut terrain = terrain();
        let residency = Residency::nothing(terrain.field().desc());
        let near =
            |terrain: &mut Terrain, view: View| terrain.plan(&[view], &residency).unwrap().views[0].near;
        terrain.begin_frame(0.0);
        let wide = near(&mut terrain, view(1, 1.0));
        assert_eq!(near(&mut terrain, view(2, 0.05)), near(&mut terrain, view(2, 0.05)));
        terrain.begin_frame(0.1);
        let first = near(&mut terrain, view(1, 0.05));
        assert!(first > wide && first < near(&mut terrain, view(2, 0.05)), "{wide} {first}");
        assert_eq!(near(&mut terrain, view(1, 0.05)), first, "the same frame");
        assert!(first <= wide * 2f64.powf(6.0 * 0.1) * (1.0 + 1e-9), "{wide} {first}");
        let cut = View { cut: true, ..view(1, 0.05) };
        terrain.begin_frame(0.1);
        assert_eq!(near(&mut terrain, cut), near(&mut terrain, view(2, 0.05)));
    }

    /// Level of detail is measured from where a view says, and what is culled stays what the camera does not see.
    #[test]
    fn level_of_detail_may_be_measured_from_elsewhere() {
        let mut terrain = terrain();
        let residency = Residency::nothing(terrain.field().desc());
        let here = terrain.plan(&[view(1, 1.0)], &residency).unwrap();
        let same = View { level_from: Some(view(1, 1.0).position), ..view(1, 1.0) };
        assert_eq!(terrain.plan(&[same], &residency).unwrap().views[0].nodes, here.views[0].nodes);
        let level_from = Some(DVec3::new(128.0, 20.0, -2000.0));
        let away = terrain.plan(&[View { level_from, ..view(2, 1.0) }], &residency).unwrap();
        let finest = |plan: &FramePlan| plan.views[0].nodes.iter().map(|node| node.level()).min();
        assert!(finest(&away) > finest(&here), "{:?} {:?}", finest(&away), finest(&here));
        // North of the camera lies everything it sees.
        let south = away.views[0].nodes.iter().filter(|node| node.origin[1] >= 160.0).count();
        assert_eq!(south, 0, "{:?}", away.views[0].nodes);
    }

    /// A host that puts another field in the place of the first gets the levels of the new one, or a refusal.
    #[test]
    fn another_field_in_its_place_is_noticed() {
        let mut terrain = terrain();
        let near = terrain.geometry.minimum_near(0.66);
        let lod = LodSettings::Near { near, ratio: 0.66, bias: 0.0 };
        terrain.set_settings(TerrainSettings { lod, ..TerrainSettings::default() }).unwrap();
        let wide = FieldDesc::new(257, 257).with_spacing(4.0, 4.0);
        *terrain.field_mut() = Field::new(wide).unwrap();
        let residency = Residency::nothing(&wide);
        let text = terrain.plan(&[view(1, 1.0)], &residency).unwrap_err().to_string();
        assert!(text.contains("leaves cracks"), "{text}");
    }

    /// Nothing that is refused, and nothing extreme that is not, leaves a number that is not finite.
    #[test]
    fn what_is_not_finite_is_refused() {
        let field = Field::new(FieldDesc::new(257, 257)).unwrap();
        let placement = Placement::at(DVec3::new(f64::NAN, 0.0, 0.0));
        assert!(Terrain::new(field, TerrainSettings { placement, ..TerrainSettings::default() }).is_err());
        let mut terrain = terrain();
        let residency = Residency::nothing(terrain.field().desc());
        let mut plan = terrain.plan(&[view(1, 1.0)], &residency).unwrap();
        let before = plan.views[0].constants;
        let lost = View { position: DVec3::splat(1e300), ..view(2, 1.0) };
        assert!(terrain.plan_into(&mut plan, &[view(3, 0.5), lost], &residency).is_err());
        assert_eq!(plan.views[0].constants, before, "a refused frame changed the plan");
        let far = View { position: DVec3::splat(9e14), ..view(4, 1.0) };
        let far = terrain.plan(&[far], &residency).unwrap().views[0].constants;
        assert!(bytemuck::cast_slice::<_, f32>(&far.camera_sample).iter().all(|part| part.is_finite()));
        let distance = crate::lod::place::distance_at(&far, glam::Vec2::ZERO);
        assert!(distance.is_finite() && distance < crate::abi::MorphBand::NEVER.start);
    }

    /// A slanting orthographic view is as fine at its far edge as its pixels ask for.
    #[test]
    fn a_slanting_orthographic_view_is_fine_enough() {
        let field = Field::new(FieldDesc::new(2049, 2049).with_range(0.0, 10.0)).unwrap();
        let mut terrain = Terrain::new(field, TerrainSettings::default()).unwrap();
        let projection =
            glam::camera::rh::proj::directx::orthographic(-160.0, 160.0, -90.0, 90.0, 9000.0, 0.0);
        // 10° below the horizon, over ground 5 km away.
        let rotation = View::looking(0.0, -10f32.to_radians());
        let eye = DVec3::new(1024.0, 900.0, 1024.0 + 5000.0);
        let view = View::with_projection(eye, rotation, projection, Viewport::whole(320, 180));
        let residency = Residency::nothing(terrain.field().desc());
        let plan = terrain.plan(&[view], &residency).unwrap();
        // A pixel is a metre, and a quad may cover two.
        assert!(!plan.views[0].nodes.is_empty());
        assert!(plan.views[0].nodes.iter().all(|node| node.level().0 <= 1), "{:?}", plan.views[0].nodes);
    }

    #[test]
    fn settings_that_crack_change_nothing() {
        let mut terrain = terrain();
        let before = terrain.settings().clone();
        let lod = LodSettings::Near { near: 1.0, ratio: 0.66, bias: 0.0 };
        let text = terrain.set_settings(TerrainSettings { lod, ..before.clone() }).unwrap_err().to_string();
        assert!(text.contains("leaves cracks"), "{text}");
        assert_eq!(terrain.settings(), &before);
    }

    #[test]
    fn a_bias_is_honoured_within_what_is_legal() {
        let mut terrain = terrain();
        let residency = Residency::nothing(terrain.field().desc());
        let minimum = terrain.geometry.minimum_near(0.66);
        for (bias, expected, raised) in
            [(0.0, 4.0, false), (1.0, 2.0, false), (-1.0, 8.0, false), (5.0, 1.0, true)]
        {
            let lod = LodSettings::Near { near: 4.0 * minimum, ratio: 0.66, bias };
            terrain.set_settings(TerrainSettings { lod, ..TerrainSettings::default() }).unwrap();
            let planned = terrain.plan(&[view(1, 1.0)], &residency).unwrap();
            assert!((planned.views[0].near / minimum - expected).abs() < 1e-9, "bias {bias}");
            assert_eq!(planned.views[0].near_raised, raised, "bias {bias}");
        }
    }
}
