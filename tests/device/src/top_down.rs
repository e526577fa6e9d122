//! A map seen straight down: each pixel's depth is the height of one place.

use crate::Stage;
use glam::camera::rh::proj::directx;
use glam::{DVec2, DVec3};
use landform::plan::{View, Viewport};

/// A view straight down, north up, without perspective. Where `pixel` divides the spacing into a power of two and the
/// corner lies on a sample, every vertex lies on the rasteriser's own grid and no slope is blurred by its snapping.
#[derive(Clone, Copy, Debug)]
pub struct TopDown {
    /// Metres of the picture's upper left corner: east, south.
    pub corner: DVec2,
    /// Metres that a pixel spans.
    pub pixel: DVec2,
    /// Metres of the near plane.
    pub top: f64,
    /// Metres of the far plane.
    pub bottom: f64,
    /// Metres that the camera stands above the near plane.
    pub above: f64,
}

impl TopDown {
    /// A view with its planes a little outside these heights.
    pub fn new(corner: DVec2, pixel: DVec2, bottom: f64, top: f64) -> Self {
        Self { corner, pixel, top: (top + 1.0).ceil(), bottom: (bottom - 1.0).floor(), above: 1.0 }
    }

    /// The view, over the whole of a target.
    pub fn view(&self, viewport: Viewport) -> View {
        let half = self.pixel * DVec2::new(viewport.width.into(), viewport.height.into()) / 2.0;
        let (x, z) = (half.x as f32, half.y as f32);
        let (near, far) = (self.above as f32, (self.above + self.top - self.bottom) as f32);
        let centre = self.corner + half;
        View::with_projection(
            DVec3::new(centre.x, self.top + self.above, centre.y),
            View::looking(0.0, -90f32.to_radians()),
            directx::orthographic(-x, x, -z, z, far, near),
            viewport,
        )
    }

    /// The place that a pixel's centre shows, metres.
    pub fn place(&self, x: u32, y: u32) -> DVec2 {
        self.corner + self.pixel * (DVec2::new(x.into(), y.into()) + 0.5)
    }

    /// The height in metres of a pixel of this depth; None where nothing was drawn.
    pub fn height(&self, depth: f32) -> Option<f64> {
        (depth > 0.0).then(|| self.top - (1.0 - f64::from(depth)) * (self.top - self.bottom))
    }

    /// What rounding can put a drawn height off by, metres: a few steps of a float as large as the depth range.
    pub fn quantum(&self) -> f64 {
        8.0 * f64::from(f32::EPSILON) * (self.top - self.bottom + self.above)
    }

    /// Draws the view, and returns what each pixel shows: its column and row, its place, and its height.
    pub fn draw(&self, stage: &mut Stage) -> Vec<([u32; 2], DVec2, Option<f64>)> {
        let view = self.view(stage.viewport());
        stage.draw(&view);
        let width = stage.offscreen.desc().width;
        let depth = stage.offscreen.read_depth().expect("depth");
        let pixels = depth.iter().enumerate().map(|(index, &depth)| {
            let (x, y) = (index as u32 % width, index as u32 / width);
            ([x, y], self.place(x, y), self.height(depth))
        });
        pixels.collect()
    }
}
