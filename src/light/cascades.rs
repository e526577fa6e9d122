//! The sun's cascades of a view: squares across the light around the camera, each a tile of a shadow atlas.
//!
//! A cascade's square is centred on the camera and holds a sphere around it, so nothing about it depends on where the
//! camera looks. Its size depends on the settings alone, and its texels lie on a grid that is anchored at the world's
//! origin: the centre moves in whole texels, reckoned in `f64`. A shadow's edge therefore stays where it is while the
//! camera turns and moves, and an atlas stays as it was drawn until the camera leaves its texel.
//!
//! Squares around the camera were held against the smallest spheres around the slices of what it sees
//! (`tests/device/tests/shadows_turn.rs`; hills, four tiles of 1024, a patch of half a kilometre, a turn in steps of 15°):
//!
//! | | squares | spheres, the finest that holds a place | spheres, by distance |
//! |---|---|---|---|
//! | places of the patch that change their shadow, at most, sun at 15° and 35° | 0, 0 | 0.9 %, 1.4 % | 0, 0 |
//! | metres a texel of what is seen, 60° from top to bottom | 1.0 | 0.7 | 0.9 |
//! | the same, 35° | 1.1 | 0.5 | 0.7 |
//! | plans of casters in 24 steps | 1 | 24 | 24 |
//! | ground behind the camera | held | not | not |
//!
//! Spheres hold still only where each place asks the slice of its distance, and their texels are then a tenth finer at 60°;
//! a view that zooms changes their size and each shadow's edge. Squares hold for whatever looks from the camera's place,
//! mirrors too, and need no drawing while it turns. While it moves, of 144 000 places that stay in their cascade none
//! changes.
//!
//! High above the ground the nearest cascades hold none of it: 2 km above the benchmark's map 90 % of what is seen lies in
//! the last of four that reach 8 km, at 1.7 texels' widths a pixel of 1080 rows. [`CascadeSettings::raised`] brings that to
//! 1.0. It changes the cascades' sizes in steps, and with a size every shadow's edge; [`Cascades::raised`] remembers the step,
//! so that a height that wavers about one does not.

use crate::frame::ShadowLayout;
use crate::plan::{View, ViewId, Viewport};
use crate::{Error, Result};
use glam::camera::rh::proj::directx;
use glam::{DMat4, DQuat, DVec3, DVec4, Vec3};

#[cfg(test)]
mod tests;

/// The most cascades that there are: [`ShadowLayout::cascades`] is 1 to 4.
pub const MOST_CASCADES: usize = 4;

/// Texels along each side of a tile that lie outside the sphere that its cascade holds: half a texel for the snapped
/// centre, the rest for what a lookup moves off the ground and for a filter's taps.
const MARGIN: u32 = 4;

/// The part of the distance over which shadows fade out, before its end.
const FADE: f64 = 0.1;

/// Octaves that a height has to be beyond a step, in either direction, before the step is taken: a factor of 1.19.
const BEYOND: f64 = 0.25;

/// Where a view's shadows lie and how finely.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CascadeSettings {
    /// How many cascades, and the texels of their tiles.
    pub layout: ShadowLayout,
    /// Metres from the camera that the last cascade reaches; above `nearest`.
    pub distance: f64,
    /// How the ends of the cascades are spread between `nearest` and `distance`: 0 evenly, 1 each the same multiple of the
    /// one before, between them mixed (Zhang et al., *Parallel-Split Shadow Maps for Large-scale Virtual Environments*,
    /// 2006).
    pub split: f64,
    /// Metres from the camera at which the first of several cascades ends; above 0. A camera that stands high above the
    /// ground wastes what ends before the ground begins: see [`raised`](Self::raised).
    pub nearest: f64,
    /// Metres toward the light and away from it, at least, that a cascade's depth spans; above 0. It spans its own reach in
    /// any case. What stands before it, toward the light, casts all the same: it is clamped to the near plane.
    pub depth: f64,
}

impl Default for CascadeSettings {
    fn default() -> Self {
        Self {
            layout: ShadowLayout::new(4, 2048),
            distance: 4000.0,
            split: 0.9,
            nearest: 60.0,
            depth: 4000.0,
        }
    }
}

impl CascadeSettings {
    /// The settings for a camera so many metres above the ground: `nearest` is doubled as often as keeps it within four
    /// times that height and within half of `distance`, so that the first cascade holds a good part of the ground. It goes
    /// in steps, so that sizes stay the same while the height changes little. A height below 0 or that is no number raises
    /// nothing.
    ///
    /// This knows one height alone. Frame by frame, ask [`Cascades::raised`].
    pub fn raised(self, above_ground: f64) -> Self {
        self.doubled(self.octaves(above_ground) as u32)
    }

    /// How often `nearest` can be doubled until it is four times a height: no whole number, and 0 where it is more already.
    fn octaves(&self, above_ground: f64) -> f64 {
        // What is no number becomes 0.
        (4.0 * above_ground / self.nearest).log2().max(0.0)
    }

    /// With `nearest` doubled so often, or as often as keeps it within half of `distance`.
    fn doubled(self, times: u32) -> Self {
        let most = (0.5 * self.distance / self.nearest).log2().max(0.0) as u32;
        Self { nearest: self.nearest * f64::from(times.min(most)).exp2(), ..self }
    }

    /// Metres from the camera that a cascade reaches.
    fn reach(&self, cascade: u32) -> f64 {
        let last = self.layout.cascades() - 1;
        if cascade >= last {
            return self.distance;
        }
        let part = f64::from(cascade) / f64::from(last);
        let even = self.nearest + (self.distance - self.nearest) * part;
        let multiple = self.nearest * (self.distance / self.nearest).powf(part);
        even + (multiple - even) * self.split
    }

    fn validate(&self) -> Result<()> {
        let refuse = |why: String| Err(Error::invalid("shadow cascades", why));
        let Self { distance, split, nearest, depth, .. } = *self;
        // Beyond, a texel is so coarse or a depth so long that nothing is left of a shadow.
        let metres = |value: f64| value > 0.0 && value <= 1e7;
        if !metres(distance) {
            return refuse(format!("a distance of {distance} m; use more than 0 and at most 1e7"));
        }
        if !(nearest > 0.0 && nearest <= distance) {
            return refuse(format!(
                "the first cascade ends at {nearest} m; use more than 0 and at most the distance, {distance}"
            ));
        }
        if !(0.0..=1.0).contains(&split) {
            return refuse(format!("a split of {split}; use 0 (even) to 1 (logarithmic)"));
        }
        if !metres(depth) {
            return refuse(format!("a depth of {depth} m; use more than 0 and at most 1e7"));
        }
        Ok(())
    }
}

/// The cascades of a sun around a camera. Used again frame by frame: nothing here allocates but [`new`](Self::new).
#[derive(Clone, Debug)]
#[doc(alias("shadow", "csm"))]
pub struct Cascades {
    settings: CascadeSettings,
    toward_sun: Vec3,
    views: Vec<View>,
    fitted: [Fitted; MOST_CASCADES],
    /// How often `nearest` was doubled for the last height, before `distance` bounds it; None before the first.
    doublings: Option<u32>,
}

/// What a cascade's view does not say itself.
#[derive(Clone, Copy, Debug, Default)]
struct Fitted {
    reach: f64,
    half: f64,
    /// Metres that the depth range spans.
    span: f64,
}

impl Default for Cascades {
    fn default() -> Self {
        Self::new()
    }
}

impl Cascades {
    /// No cascades, so that every place is lit.
    pub fn new() -> Self {
        Self {
            settings: CascadeSettings::default(),
            toward_sun: Vec3::Y,
            views: Vec::with_capacity(MOST_CASCADES),
            fitted: [Fitted::default(); MOST_CASCADES],
            doublings: None,
        }
    }

    /// The settings for a camera so many metres above the ground, to [`fit`](Self::fit) with: those of
    /// [`CascadeSettings::raised`], with memory. The first height has them exactly; from then on another step is taken only
    /// where the height is a quarter of an octave beyond it, on the way up and on the way down, and then the one that the
    /// height has. So `nearest` is at most 4.8 times the height, or as it was given.
    ///
    /// None is for a camera with no ground below it, as off the map's edge: as for the last height, or not raised where there
    /// was none. A height that is no number is taken for None.
    pub fn raised(&mut self, settings: CascadeSettings, above_ground: Option<f64>) -> CascadeSettings {
        if let Some(metres) = above_ground.filter(|metres| !metres.is_nan()) {
            let octaves = settings.octaves(metres);
            let is_held =
                |doublings: u32| (-BEYOND..1.0 + BEYOND).contains(&(octaves - f64::from(doublings)));
            if !self.doublings.is_some_and(is_held) {
                self.doublings = Some(octaves as u32);
            }
        }
        settings.doubled(self.doublings.unwrap_or(0))
    }

    /// Lays the cascades around a camera. Two eyes are served by the cascades of either.
    ///
    /// `toward_sun` is in the world and of any length. Cascades are turned by it alone: as little as takes a sun straight
    /// above to where it is, so that they turn smoothly with it and are defined for every sun but in the one place where
    /// they may jump, straight below. A sun that moves takes the grid of texels along; one that moves in steps lets edges
    /// rest between them.
    ///
    /// # Errors
    /// A camera, a sun or settings that are not finite or out of range, with a sentence. The cascades are as they were then.
    pub fn fit(&mut self, view: &View, toward_sun: Vec3, settings: &CascadeSettings) -> Result<()> {
        view.validate()?;
        settings.validate()?;
        let sun = toward_sun.as_dvec3().normalize_or_zero();
        if !toward_sun.is_finite() || sun == DVec3::ZERO {
            return Err(Error::invalid(
                "shadow cascades",
                format!("a sun toward {toward_sun}; use a finite direction that is not 0"),
            ));
        }
        self.settings = *settings;
        self.toward_sun = sun.as_vec3();
        self.views.clear();
        let rotation = light_rotation(sun);
        for cascade in 0..settings.layout.cascades() {
            let (fitted, view) = fit_one(cascade, view.position, rotation, settings);
            self.fitted[cascade as usize] = fitted;
            self.views.push(view);
        }
        Ok(())
    }

    /// A view a cascade, the nearest first, for [`Terrain::plan_casters_into`](crate::plan::Terrain::plan_casters_into):
    /// orthographic along the light, reverse-Z, its viewport the cascade's tile of the atlas. Equal, bit for bit, until the
    /// camera leaves its texel.
    pub fn views(&self) -> &[View] {
        &self.views
    }

    /// The tiles of the atlas.
    pub fn layout(&self) -> ShadowLayout {
        self.settings.layout
    }

    /// Metres from the camera that the last cascade reaches.
    pub fn distance(&self) -> f64 {
        self.settings.distance
    }

    /// Toward the sun, in the world, of length 1.
    pub fn toward_sun(&self) -> Vec3 {
        self.toward_sun
    }

    /// Metres around the camera that a cascade holds whole; `None` for a cascade there is not.
    pub fn reach(&self, cascade: usize) -> Option<f64> {
        (cascade < self.views.len()).then(|| self.fitted[cascade].reach)
    }

    /// What a shader looks places up with whose metres are relative to `eye`: the camera's own position or another one
    /// nearby.
    pub fn constants(&self, eye: DVec3) -> CascadeConstants {
        let Self { settings, views, fitted, .. } = self;
        let mut constants = CascadeConstants {
            count: views.len() as u32,
            fade: [(settings.distance * (1.0 - FADE)) as f32, (1.0 / (settings.distance * FADE)) as f32],
            ..CascadeConstants::default()
        };
        for (lookup, (view, fitted)) in constants.cascades.iter_mut().zip(views.iter().zip(fitted)) {
            *lookup = lookup_of(view, fitted, settings.layout, eye);
        }
        constants
    }
}

/// Light's frame → world: the light shines along −Z. A sun straight above has north up in its tile and east to the right.
fn light_rotation(sun: DVec3) -> DQuat {
    let from_above = DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2);
    (DQuat::from_rotation_arc(DVec3::Y, sun) * from_above).normalize()
}

fn fit_one(cascade: u32, camera: DVec3, rotation: DQuat, settings: &CascadeSettings) -> (Fitted, View) {
    let tile = settings.layout.tile();
    let reach = settings.reach(cascade);
    let inner = f64::from(tile - 2 * MARGIN) / f64::from(tile);
    // As the projection has it, so that the texels that are snapped to are the texels that are drawn.
    let half = (reach / inner) as f32;
    let texel = 2.0 * f64::from(half) / f64::from(tile);
    let depth = settings.depth.max(f64::from(half)) as f32;
    // Depth is snapped as well: a view is then the same until the camera leaves its texel.
    let snapped = ((rotation.inverse() * camera) / texel).round() * texel;
    let position = rotation * (snapped + DVec3::Z * f64::from(depth));
    let projection = directx::orthographic(-half, half, -half, half, 2.0 * depth, 0.0);
    let [x, y] = settings.layout.origin(cascade).unwrap_or_default().map(|texel| texel as f32);
    let viewport = Viewport { x, y, width: tile as f32, height: tile as f32 };
    let turned = rotation.as_quat().normalize();
    let view = View { id: ViewId(cascade), ..View::with_projection(position, turned, projection, viewport) };
    (Fitted { reach, half: f64::from(half), span: 2.0 * f64::from(depth) }, view)
}

/// What a shader asks the cascades' atlas with. All of it is `f32`; what must be exact far from the world's origin was
/// subtracted before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CascadeConstants {
    /// A lookup a cascade, the nearest first; zeros beyond `count`.
    pub cascades: [CascadeLookup; MOST_CASCADES],
    /// Cascades; 0 where every place is lit.
    pub count: u32,
    /// Metres from the camera where shadows begin to fade, and 1 over the metres until they are gone.
    pub fade: [f32; 2],
}

/// How a place is found in a cascade's tile.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CascadeLookup {
    /// Rows of the affine map from metres in the world's axes, relative to the eye, to what [`CascadeConstants::place`]
    /// returns.
    pub rows: [[f32; 4]; 3],
    /// Tile → atlas: scale in x and y, then what is added to x and y. The atlas is 1 across and 1 down.
    pub atlas: [f32; 4],
    /// Metres a texel; depth that a metre toward the light adds; half the square's width in metres; 0.
    pub texel: [f32; 4],
}

impl CascadeConstants {
    /// Where a place lies in a cascade's tile: 0 to 1 across, 0 to 1 down, and its depth, 1 at the near plane and 0 at the
    /// far one. The CPU twin of the shader's function. `cascade` is less than 4; `relative` is in metres from the eye.
    pub fn place(&self, cascade: usize, relative: Vec3) -> Vec3 {
        let at = relative.extend(1.0);
        Vec3::from_array(self.cascades[cascade].rows.map(|row| glam::Vec4::from_array(row).dot(at)))
    }

    /// The finest cascade that holds a place at least so many texels inside its tile, 0 to 4 of them for a filter's taps.
    pub fn finest(&self, relative: Vec3, texels: f32) -> Option<usize> {
        (0..self.count as usize).find(|&cascade| {
            let at = self.place(cascade, relative);
            let [texel, _, half, _] = self.cascades[cascade].texel;
            // Texels are 1 / tile across, which is half a texel over half the width.
            let edge = 0.5 - texels * 0.5 * texel / half;
            (at.truncate() - 0.5).abs().max_element() <= edge && (0.0..=1.0).contains(&at.z)
        })
    }

    /// How much of a shadow is left so many metres from the camera, 1 to 0.
    pub fn strength(&self, metres: f32) -> f32 {
        1.0 - ((metres - self.fade[0]) * self.fade[1]).clamp(0.0, 1.0)
    }
}

fn lookup_of(view: &View, fitted: &Fitted, layout: ShadowLayout, eye: DVec3) -> CascadeLookup {
    // Through the rotation that is drawn with, and rounded once, at the end.
    let turn = DMat4::from_quat(view.rotation.as_dquat().inverse());
    let clip = view.projection.as_dmat4() * turn * DMat4::from_translation(eye - view.position);
    let (across, down) = (DVec4::new(0.5, 0.0, 0.0, 0.5), DVec4::new(0.0, -0.5, 0.0, 0.5));
    let tile_from_clip = [across, down, DVec4::Z];
    let rows = tile_from_clip.map(|row| (clip.transpose() * row).as_vec4().to_array());
    let [wide, high] = layout.size().map(|texels| texels as f32);
    let Viewport { x, y, width, height } = view.viewport;
    let metres_a_texel = 2.0 * fitted.half / f64::from(layout.tile());
    CascadeLookup {
        rows,
        atlas: [width / wide, height / high, x / wide, y / high],
        texel: [metres_a_texel as f32, (1.0 / fitted.span) as f32, fitted.half as f32, 0.0],
    }
}
