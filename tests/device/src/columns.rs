//! Whether a picture has a hole in the ground, judged column by column.

use crate::Stage;
use ash::vk;
use glam::{Mat4, Vec3};
use landform::plan::View;
use landform_harness::{Gpu, Image8, repository, write_png};

/// What an undrawn pixel is: the target's clear colour, which no ground has.
const MAGENTA: [u8; 4] = [255, 0, 255, 255];

/// The magenta pixels that have a ground pixel somewhere above them in their column, top to bottom, left to right.
///
/// A view of [`look_level`](crate::look_level) from above the ground and inside the map sees a heightfield as one run
/// of ground from the horizon down in every column, so that each of these pixels is a crack. Exact: whatever is not
/// magenta is ground.
pub fn magenta_below_ground(picture: &Image8) -> Vec<(u32, u32)> {
    let mut ground_above = vec![false; picture.width as usize];
    let mut found = Vec::new();
    for (index, pixel) in picture.pixels().enumerate() {
        let x = index % picture.width as usize;
        if pixel != MAGENTA {
            ground_above[x] = true;
        } else if ground_above[x] {
            found.push((x as u32, (index / picture.width as usize) as u32));
        }
    }
    found
}

/// Counts what a rasteriser dropped, over many pictures.
///
/// A magenta pixel below ground is looked at through a lens of 64 times its size, where a gap between patches is 64 times
/// as wide. What is not there any more was the rasteriser's: lavapipe culls by the corners as the vertex stage left them
/// and fills by the corners snapped to 1/256 pixel, so a sliver that snapping turns over is dropped while its neighbour
/// leaves it the pixel on their common edge. That happens to a pixel in some tens of millions there; hardware culls by the
/// snapped corners, and may not drop any.
#[derive(Debug, Default)]
pub struct Dropped {
    pixels: u64,
    drawn: u64,
}

impl Dropped {
    /// Judges a picture of a view that [`look_level`](crate::look_level) made.
    ///
    /// # Panics
    /// Where a crack is in it, with the picture written out.
    pub fn judge(&mut self, name: &str, stage: &mut Stage, view: &View, picture: &Image8) {
        self.drawn += u64::from(picture.width) * u64::from(picture.height);
        for pixel in magenta_below_ground(picture) {
            self.pixels += 1;
            let close = stage.draw(&through_a_lens(view, picture, pixel));
            if !magenta_below_ground(&close).is_empty() {
                let path = repository().join("out/crack.png");
                write_png(&path, picture).expect("a picture is written");
                let View { position, rotation, .. } = view;
                panic!(
                    "{name}: a crack at {pixel:?} from {position} turned {rotation}; see {}",
                    path.display()
                );
            }
        }
    }

    /// Holds the count against what the device may drop.
    ///
    /// # Panics
    /// Where it is more.
    pub fn assert_rare(&self, gpu: &Gpu) {
        let most = if gpu.kind == vk::PhysicalDeviceType::CPU { self.drawn / 10_000_000 + 2 } else { 0 };
        let Self { pixels, drawn } = self;
        println!("{pixels} pixels of {drawn} dropped by the rasteriser");
        assert!(*pixels <= most, "{pixels} of {drawn} pixels are more than what rounding drops");
    }
}

/// The same view, with one pixel and what is around it drawn 64 times as large.
fn through_a_lens(view: &View, picture: &Image8, (x, y): (u32, u32)) -> View {
    let clip = |at: u32, size: u32| (2 * at + 1) as f32 / size as f32 - 1.0;
    let centre = Vec3::new(clip(x, picture.width), -clip(y, picture.height), 0.0);
    let lens = Mat4::from_scale(Vec3::new(64.0, 64.0, 1.0)) * Mat4::from_translation(-centre);
    View { projection: lens * view.projection, ..*view }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crack_is_found_and_sky_is_not() {
        let mut picture = Image8::filled(3, 4, MAGENTA);
        assert!(magenta_below_ground(&picture).is_empty(), "no ground at all");
        let mut paint = |x: usize, y: usize| picture.data[4 * (y * 3 + x)] = 0;
        for (x, y) in [(0, 2), (0, 3), (1, 0), (1, 3), (2, 3)] {
            paint(x, y);
        }
        assert_eq!(magenta_below_ground(&picture), [(1, 1), (1, 2)]);
    }
}
