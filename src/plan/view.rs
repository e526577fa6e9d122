//! What looks at a terrain.

use crate::{Error, Result};
use glam::camera::rh::proj::directx;
use glam::{DVec3, Mat4, Quat, Vec3};

/// Names a view from frame to frame, so that its level of detail can change smoothly. The host's own number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ViewId(pub u32);

/// Pixels that a view is drawn into: the part of the target from (`x`, `y`), its upper left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Pixels from the target's left edge.
    pub x: f32,
    /// Pixels from the target's upper edge.
    pub y: f32,
    /// Pixels across, above 0.
    pub width: f32,
    /// Pixels down, above 0.
    pub height: f32,
}

impl Viewport {
    /// A whole target of this many pixels.
    pub fn whole(width: u32, height: u32) -> Self {
        Self { x: 0.0, y: 0.0, width: width as f32, height: height as f32 }
    }

    /// Width over height.
    pub fn aspect(&self) -> f32 {
        self.width / self.height
    }
}

/// What the preview shows. The numbers are the shader's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum ViewMode {
    /// A sun over the layers, or over a tint by height and slope where there are none.
    #[default]
    Shaded = 0,
    /// The level field's λ, a hue a level.
    Lambda = 1,
    /// Normals in the terrain's own frame: east in red, north in green, up in blue.
    Normals = 2,
    /// A colour a tile.
    Tiles = 3,
    /// The lattice: wireframe where the device fills in lines, drawn lines elsewhere.
    Lattice = 4,
    /// A colour a layer, mixed by how much of it shows.
    Weights = 5,
    /// The colour of the layer that shows most.
    Dominant = 6,
    /// How many layers are read at a pixel: blue for none or one, green for a few, red for eight and more.
    Layers = 7,
    /// The slope that materials ask: blue for level, green for half steep, red for steep.
    Slope = 8,
}

impl ViewMode {
    /// Every mode, in the order in which a key steps through them.
    pub const ALL: [Self; 9] = [
        Self::Shaded,
        Self::Lambda,
        Self::Normals,
        Self::Tiles,
        Self::Lattice,
        Self::Weights,
        Self::Dominant,
        Self::Layers,
        Self::Slope,
    ];

    /// A word for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Shaded => "shaded",
            Self::Lambda => "lambda",
            Self::Normals => "normals",
            Self::Tiles => "tiles",
            Self::Lattice => "lattice",
            Self::Weights => "weights",
            Self::Dominant => "dominant",
            Self::Layers => "layers",
            Self::Slope => "slope",
        }
    }
}

/// The preview's hard-coded light, for a frame that provides none of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Preview {
    /// Toward the sun, in the world; any length.
    pub sun: Vec3,
    /// How quickly haze takes over: 1 / metres.
    pub haze: f32,
    /// Linear RGB of the sky at the horizon, toward which the haze fades.
    pub horizon: Vec3,
    /// What is shown.
    pub mode: ViewMode,
}

impl Default for Preview {
    fn default() -> Self {
        Self {
            sun: Vec3::new(-0.62, 0.46, -0.30),
            haze: 1.0 / 10000.0,
            horizon: Vec3::new(0.54, 0.66, 0.80),
            mode: ViewMode::Shaded,
        }
    }
}

/// A camera and what it draws into. World space is right-handed with +Y up, in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The same from frame to frame.
    pub id: ViewId,
    /// World metres.
    pub position: DVec3,
    /// Camera frame → world. The camera looks along its own −Z, its +Y is up.
    pub rotation: Quat,
    /// Camera frame → clip space, reverse-Z (1 near, 0 far), with whatever jitter the frame asks for. Perspective with
    /// an infinite or a finite far plane, off-centre, mirrored or orthographic.
    pub projection: Mat4,
    /// The projection without jitter: what nodes are culled with.
    pub unjittered: Mat4,
    /// Pixels drawn into.
    pub viewport: Viewport,
    /// True where the viewport handed to Vulkan is turned over (negative height), so that clip space's +Y is up as in
    /// `projection`. False where the projection itself points +Y down.
    pub flip_y: bool,
    /// World metres that level of detail is measured from, or None for the camera. Two eyes that share one never differ
    /// in level; a frozen one lets the camera look at a selection from outside.
    pub level_from: Option<DVec3>,
    /// True in the first frame after the camera jumped: nothing of the last frame is carried over.
    pub cut: bool,
    /// The preview's light and what it shows.
    pub preview: Preview,
}

impl View {
    /// A perspective view with an infinite far plane. `fov_y` is the full vertical angle in radians, `near` in metres.
    pub fn perspective(position: DVec3, rotation: Quat, fov_y: f32, near: f32, viewport: Viewport) -> Self {
        let projection = directx::perspective_infinite_reverse(fov_y, viewport.aspect(), near);
        Self::with_projection(position, rotation, projection, viewport)
    }

    /// A view with this projection, which is not jittered and points +Y up.
    pub fn with_projection(position: DVec3, rotation: Quat, projection: Mat4, viewport: Viewport) -> Self {
        Self {
            id: ViewId(0),
            position,
            rotation,
            projection,
            unjittered: projection,
            viewport,
            flip_y: true,
            level_from: None,
            cut: false,
            preview: Preview::default(),
        }
    }

    /// The view with its picture moved by parts of a pixel, right and down, from where it is without jitter.
    pub fn jittered(&self, [right, down]: [f32; 2]) -> Self {
        let across = 2.0 * right / self.viewport.width;
        // Turned over, clip space's +Y is up in the target.
        let along = 2.0 * down / self.viewport.height * if self.flip_y { -1.0 } else { 1.0 };
        let moved = Mat4::from_translation(Vec3::new(across, along, 0.0));
        Self { projection: moved * self.unjittered, ..*self }
    }

    /// Parts of a pixel, right and down, that the picture of a frame is moved by where `of` frames are to cover a pixel evenly: between
    /// −0.5 and 0.5, the points of Halton (1960) of bases 2 and 3 about their mean. A single frame is not moved.
    pub fn jitter(frame: u64, of: u32) -> [f32; 2] {
        if of <= 1 {
            return [0.0, 0.0];
        }
        let point = |base: u64, index: u64| {
            let (mut at, mut part, mut rest) = (0.0, 1.0 / base as f64, index);
            while rest > 0 {
                at += part * (rest % base) as f64;
                (rest, part) = (rest / base, part / base as f64);
            }
            at
        };
        [2, 3].map(|base| {
            let mean = (1..=u64::from(of)).map(|index| point(base, index)).sum::<f64>() / f64::from(of);
            (point(base, 1 + frame % u64::from(of)) - mean) as f32
        })
    }

    /// Metres from the camera, along the world's axes → clip space, with whatever jitter the frame asks for: what a place is drawn
    /// with. A place of the world is taken from [`position`](Self::position) in `f64` first.
    pub fn view_projection(&self) -> Mat4 {
        self.projection * self.turn()
    }

    /// The same without jitter: what motion is measured with.
    pub fn unjittered_view_projection(&self) -> Mat4 {
        self.unjittered * self.turn()
    }

    /// Parts of the viewport, right and down, that a unit of clip space is across and along: what turns a difference in clip space
    /// into motion.
    pub fn motion_scale(&self) -> [f32; 2] {
        // The viewport's y points down; clip space's does where the viewport is not turned over.
        [0.5, if self.flip_y { -0.5 } else { 0.5 }]
    }

    /// World directions → the camera frame.
    fn turn(&self) -> Mat4 {
        Mat4::from_quat(self.rotation.normalize().inverse())
    }

    /// World metres that level of detail is measured from.
    pub fn level_position(&self) -> DVec3 {
        self.level_from.unwrap_or(self.position)
    }

    /// The rotation of a camera turned `yaw` radians clockwise from north (−Z), seen from above, and raised `pitch`
    /// radians above the horizon.
    pub fn looking(yaw: f32, pitch: f32) -> Quat {
        Quat::from_rotation_y(-yaw) * Quat::from_rotation_x(pitch)
    }

    /// Refuses, with a sentence, what cannot be drawn.
    pub(crate) fn validate(&self) -> Result<()> {
        let refuse = |why: String| Err(Error::invalid("view", why));
        // Far enough for any orbit, near enough for the device to square.
        const FURTHEST: f64 = 1e15;
        let far = |at: DVec3| at.is_nan() || at.abs().max_element() > FURTHEST;
        if far(self.position) || far(self.level_position()) || !self.rotation.is_finite() {
            return refuse(format!(
                "the camera is at {} turned {}; both must be finite, and within 1e15 m of the world's origin",
                self.position, self.rotation
            ));
        }
        if (self.rotation.length() - 1.0).abs() > 1e-3 {
            return refuse(format!("a rotation of length {}; normalise it", self.rotation.length()));
        }
        let Viewport { x, y, width, height } = self.viewport;
        let pixels = |value: f32| value.abs() <= 1e6;
        if !(width > 0.0 && height > 0.0 && [x, y, width, height].into_iter().all(pixels)) {
            return refuse(format!(
                "a viewport of {width}×{height} pixels at {x}, {y}; skip the view while a window has no area"
            ));
        }
        for matrix in [&self.projection, &self.unjittered] {
            if !matrix.is_finite() || matrix.determinant() == 0.0 {
                return refuse("the projection is not finite or cannot be inverted".into());
            }
            if !is_reverse_z(matrix) {
                return refuse(
                    "the projection's depth grows with distance; landform draws reverse-Z (1 near, 0 far, compare \
                     Greater). Swap the near and the far plane of the projection and clear depth to 0"
                        .into(),
                );
            }
        }
        Ok(())
    }

    /// True where the projection is orthographic.
    pub fn is_orthographic(&self) -> bool {
        self.unjittered.row(3).truncate() == Vec3::ZERO
    }

    /// Pixels that a metre covers, straight ahead: at a distance of a metre in perspective, anywhere in an
    /// orthographic view.
    pub(crate) fn pixels_a_metre(&self) -> f64 {
        let along = |row: usize, pixels: f32| {
            f64::from(self.unjittered.row(row).truncate().truncate().length()) * f64::from(pixels) / 2.0
        };
        along(0, self.viewport.width).max(along(1, self.viewport.height))
    }

    /// True where a triangle that is counter-clockwise on the ground, seen from above, is so in the target as well: the front face of a
    /// host's meshes is counter-clockwise then, and else clockwise.
    pub fn keeps_winding(&self) -> bool {
        let m = &self.projection;
        let area = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x;
        // Camera space has y up and the target y down: unturned, the viewport mirrors once.
        (area > 0.0) == self.flip_y
    }
}

/// True where depth falls with distance along −Z.
fn is_reverse_z(projection: &Mat4) -> bool {
    let (depth, w) = (projection.row(2), projection.row(3));
    // Sign of d(depth / w)/dz on the camera's axis, where nearer is greater z.
    depth.z * w.w - depth.w * w.z > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(projection: Mat4) -> View {
        View::with_projection(DVec3::ZERO, Quat::IDENTITY, projection, Viewport::whole(640, 480))
    }

    #[test]
    fn jitter_covers_a_pixel_and_has_no_mean() {
        for of in [1, 2, 8, 16, 64] {
            let points: Vec<_> = (0..u64::from(of)).map(|frame| View::jitter(frame, of)).collect();
            assert_eq!(View::jitter(u64::from(of), of), points[0]);
            for axis in [0, 1] {
                let mean = points.iter().map(|point| point[axis]).sum::<f32>() / of as f32;
                assert!(
                    mean.abs() < 1e-6 && points.iter().all(|point| point[axis].abs() <= 0.6),
                    "{of}: {mean}"
                );
                // Each of as many strips as there are points holds some: none is wider than two of them.
                let mut sorted: Vec<_> = points.iter().map(|point| point[axis]).collect();
                sorted.sort_by(f32::total_cmp);
                assert!(
                    sorted.windows(2).all(|pair| pair[1] - pair[0] <= 2.5 / of as f32),
                    "{of}: {sorted:?}"
                );
            }
        }
    }

    #[test]
    fn a_jittered_view_moves_its_picture_by_pixels() {
        let plain = View::perspective(DVec3::ZERO, Quat::IDENTITY, 1.0, 0.1, Viewport::whole(640, 480));
        let place = glam::Vec4::new(3.0, 2.0, -10.0, 1.0);
        for flip_y in [true, false] {
            let plain = View { flip_y, ..plain };
            let jittered = plain.jittered([0.25, -0.5]);
            let pixel = |view: &View| {
                let clip = view.projection * place;
                let turned = if flip_y { -clip.y } else { clip.y };
                [(clip.x / clip.w + 1.0) * 320.0, (turned / clip.w + 1.0) * 240.0]
            };
            let ([x, y], [u, v]) = (pixel(&plain), pixel(&jittered));
            assert!((u - x - 0.25).abs() < 1e-3 && (v - y + 0.5).abs() < 1e-3, "{u} {x} {v} {y}");
            assert_eq!(jittered.unjittered, plain.unjittered);
        }
    }

    #[test]
    fn forward_z_is_refused_with_a_sentence() {
        for forward in [
            directx::perspective(1.0, 1.3, 0.1, 100.0),
            directx::orthographic(-5.0, 5.0, -5.0, 5.0, 0.1, 100.0),
        ] {
            let text = view(forward).validate().unwrap_err().to_string();
            assert!(text.contains("Swap the near and the far plane"), "{text}");
        }
        for reverse in [
            directx::perspective(1.0, 1.3, 100.0, 0.1),
            directx::perspective_infinite_reverse(1.0, 1.3, 0.1),
            directx::orthographic(-5.0, 5.0, -5.0, 5.0, 100.0, 0.1),
            directx::perspective_infinite_reverse(1.0, 1.3, 0.1)
                * Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0)),
        ] {
            view(reverse).validate().unwrap();
        }
    }

    #[test]
    fn the_winding_follows_flips_and_mirrors() {
        let upright = view(directx::perspective_infinite_reverse(1.0, 1.3, 0.1));
        assert!(upright.keeps_winding());
        let down = Mat4::from_scale(Vec3::new(1.0, -1.0, 1.0));
        let unflipped = View { projection: down * upright.projection, flip_y: false, ..upright };
        assert!(unflipped.keeps_winding(), "the same picture, turned over in the projection");
        assert!(!View { flip_y: false, ..upright }.keeps_winding(), "upside down");
        let mirror = Mat4::from_scale(Vec3::new(-1.0, 1.0, 1.0));
        assert!(!View { projection: mirror * upright.projection, ..upright }.keeps_winding());
    }

    #[test]
    fn a_view_looks_where_it_says() {
        let ahead = |yaw: f32, pitch: f32| View::looking(yaw.to_radians(), pitch.to_radians()) * Vec3::NEG_Z;
        assert!(ahead(0.0, 0.0).abs_diff_eq(Vec3::NEG_Z, 1e-6), "north");
        assert!(ahead(90.0, 0.0).abs_diff_eq(Vec3::X, 1e-6), "east");
        assert!(ahead(0.0, 90.0).abs_diff_eq(Vec3::Y, 1e-6), "up");
    }

    #[test]
    fn what_has_no_area_is_refused() {
        let base = view(directx::perspective_infinite_reverse(1.0, 1.3, 0.1));
        let minimised = View { viewport: Viewport::whole(0, 480), ..base };
        assert!(minimised.validate().unwrap_err().to_string().contains("skip the view"));
        assert!(View { position: DVec3::NAN, ..base }.validate().is_err());
    }
}
