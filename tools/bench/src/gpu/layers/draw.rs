//! All cases at a pose of the path, in turns: what a device's clocks do meanwhile they do to all of them, and no case finds
//! the last one's texels in a cache.

use super::cases::{Case, Draws, Ground};
use super::land::Land;
use super::read::mean_layers;
use super::textures::NoiseTextures;
use crate::gpu::Size;
use crate::gpu::passes::Targets;
use crate::gpu::scene::{Scene, view};
use crate::timing::median;
use crate::workload::PathFrame;
use landform::plan::{FramePlan, ViewMode};
use landform_harness::{Failure, Result};

/// Grounds on the device.
pub(super) struct Grounds(pub(super) Vec<(Ground, Scene)>);

/// What a case took and read at a pose.
#[derive(Clone, Copy)]
pub(super) struct Drawn {
    pub(super) milliseconds: f64,
    pub(super) layers_a_pixel: Option<f64>,
}

/// How often.
#[derive(Clone, Copy)]
pub(super) struct Turns {
    pub(super) warm_up: u32,
    pub(super) timed: u32,
    /// True for the device's own clock, false for the time until it is done.
    pub(super) has_clock: bool,
}

impl Grounds {
    fn scene(&mut self, ground: Ground) -> Result<&mut Scene> {
        let found = self.0.iter_mut().find(|(of, _)| *of == ground);
        found.map(|(_, scene)| scene).ok_or_else(|| Failure::new(format!("{ground:?} was not made")))
    }

    /// A case's plan for a view, with everything it needs on the device.
    fn plan(&mut self, case: &Case, view: landform::plan::View) -> Result<FramePlan> {
        let scene = self.scene(case.ground)?;
        scene.terrain.set_material(case.material())?;
        let mut plan = scene.plan(view)?;
        if !plan.uploads.is_empty() {
            scene.frame(|renderer, _, cmd| Ok(renderer.upload(cmd, &plan)?))?;
            plan = scene.plan(view)?;
        }
        if case.draws == Draws::SurfaceAsGeometry {
            plan.views[0].material.distance_scales[2] = 0.0;
        }
        Ok(plan)
    }

    /// Draws all cases at a pose, in the order of the list.
    pub(super) fn draw(
        &mut self,
        cases: &[Case],
        land: &Land,
        textures: &mut NoiseTextures,
        targets: &mut Targets,
        (frame, size): (&PathFrame, Size),
        turns: Turns,
    ) -> Result<Vec<Drawn>> {
        let view = |case: &Case| {
            let mut view = view(frame, size);
            view.position.y += land.lift(case.ground, frame);
            view
        };
        let plans: Vec<FramePlan> =
            cases.iter().map(|case| self.plan(case, view(case))).collect::<Result<_>>()?;
        let mut times = vec![Vec::with_capacity(turns.timed as usize); cases.len()];
        for turn in 0..turns.warm_up + turns.timed {
            for ((case, plan), times) in cases.iter().zip(&plans).zip(&mut times) {
                let taken = self.frame(case, plan, textures, targets, turns.has_clock)?;
                if turn >= turns.warm_up {
                    times.push(taken);
                }
            }
        }
        let mut drawn = Vec::new();
        for (case, times) in cases.iter().zip(&mut times) {
            let mut layers_a_pixel = None;
            // Above 8 the view of the counts tells nothing.
            if (1..=8).contains(&case.ground.present()) && case.draws == Draws::Surface {
                let mut view = view(case);
                view.preview.mode = ViewMode::Layers;
                let plan = self.plan(case, view)?;
                self.frame(case, &plan, textures, targets, false)?;
                layers_a_pixel = mean_layers(&targets.picture()?)?;
            }
            drawn.push(Drawn { milliseconds: median(times), layers_a_pixel });
        }
        Ok(drawn)
    }

    /// Milliseconds of one draw.
    fn frame(
        &mut self,
        case: &Case,
        plan: &FramePlan,
        textures: &mut NoiseTextures,
        targets: &mut Targets,
        has_clock: bool,
    ) -> Result<f64> {
        let pass = if case.draws == Draws::Baseline { "baseline" } else { "surface" };
        let played = self.scene(case.ground)?.frame(|renderer, timestamps, cmd| {
            renderer.upload(cmd, plan)?;
            renderer.find_textures(plan, textures)?;
            targets.draw(renderer, timestamps, cmd, &plan.views[0], pass, false)
        })?;
        let clocked = played.span.map(|span| span.milliseconds).filter(|_| has_clock);
        Ok(clocked.unwrap_or(played.wall_milliseconds))
    }
}
