//! What a frame is exposed for, to the shaders.

/// How a picture is metered: a push constant block.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct ExposureConstants {
    /// Texels of the picture across and down; texels between two samples; the place of what is found among the frames in flight.
    pub sampled: [u32; 4],
    /// The lowest and the highest exposure value at ISO 100; what is added to it; how much of a change of light below a sunny day is
    /// followed, 0…1.
    pub bounds: [f32; 4],
    /// Exposure values upward and downward in this frame; the value where nothing was metered yet; 1 to take what is metered at once,
    /// else 0.
    pub pace: [f32; 4],
}
