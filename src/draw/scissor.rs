//! A viewport as Vulkan has it, and its scissor rectangle.

use crate::plan::Viewport;
use ash::vk;

/// A viewport with all of depth, turned over where `flip_y` is true.
pub(super) fn viewport(area: &Viewport, flip_y: bool) -> vk::Viewport {
    let (y, height) = if flip_y { (area.y + area.height, -area.height) } else { (area.y, area.height) };
    vk::Viewport { x: area.x, y, width: area.width, height, min_depth: 0.0, max_depth: 1.0 }
}

/// The whole pixels that a viewport touches, as far as they lie in a framebuffer of at most `most` pixels: a scissor
/// begins at 0 or above, and its end must not overflow.
pub(super) fn scissor(area: &Viewport, most: [u32; 2]) -> vk::Rect2D {
    let (x, width) = touched(area.x, area.width, most[0]);
    let (y, height) = touched(area.y, area.height, most[1]);
    vk::Rect2D { offset: vk::Offset2D { x: x as i32, y: y as i32 }, extent: vk::Extent2D { width, height } }
}

/// The first pixel and the number of pixels along one axis.
fn touched(start: f32, length: f32, most: u32) -> (u32, u32) {
    // A limit beyond what a signed offset holds is none.
    let most = most.min(i32::MAX as u32);
    // Conversions saturate, and take what is not a number for 0.
    let first = (start.floor().max(0.0) as u32).min(most);
    let end = ((f64::from(start) + f64::from(length)).ceil().max(0.0) as u32).min(most);
    (first, end.saturating_sub(first))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(x: f32, y: f32, width: f32, height: f32) -> [i64; 4] {
        let found = scissor(&Viewport { x, y, width, height }, [4096, 2048]);
        [
            i64::from(found.offset.x),
            i64::from(found.offset.y),
            i64::from(found.extent.width),
            i64::from(found.extent.height),
        ]
    }

    #[test]
    fn whole_pixels_are_as_they_are() {
        assert_eq!(of(0.0, 0.0, 640.0, 360.0), [0, 0, 640, 360]);
        assert_eq!(of(320.0, 10.0, 320.0, 180.0), [320, 10, 320, 180]);
    }

    /// The last pixel that a fraction reaches into is inside.
    #[test]
    fn fractions_reach_into_the_pixels_on_both_sides() {
        assert_eq!(of(0.5, 10.75, 100.0, 100.5), [0, 10, 101, 102]);
    }

    /// What lies left of and above the framebuffer takes nothing from, and adds nothing to, the right and the bottom.
    #[test]
    fn a_negative_origin_ends_where_the_viewport_does() {
        assert_eq!(of(-100.0, -20.5, 300.0, 100.0), [0, 0, 200, 80]);
        assert_eq!(of(-300.0, 0.0, 100.0, 100.0), [0, 0, 0, 100]);
    }

    #[test]
    fn nothing_reaches_past_the_largest_framebuffer() {
        assert_eq!(of(4000.0, 0.0, 1e9, f32::INFINITY), [4000, 0, 96, 2048]);
        assert_eq!(of(1e20, f32::NAN, 1.0, 1.0), [4096, 0, 0, 0]);
    }
}
