//! What lights a frame, to the shaders.

use crate::shaders::MAX_CASCADES;

/// A cascade of the sun.
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct CascadeRecord {
    /// Rows of the map from metres from the camera, in the world's axes, to places across and down the tile, 0…1, and
    /// reverse depth.
    pub rows: [[f32; 4]; 3],
    /// From tile to atlas, parts of its width and height: scale x and y, offset x and y.
    pub atlas: [f32; 4],
    /// Metres a texel; depth a metre, which grows toward the light; half the cascade's width in metres; 0.
    pub texel: [f32; 4],
}

/// A lamp as the shader reads it, 48 bytes.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct LampRecord {
    /// Metres from the camera, in the world's axes.
    pub position: [f32; 3],
    /// Metres at which its light ends.
    pub range: f32,
    /// Candela, linear RGB.
    pub intensity: [f32; 3],
    /// The cosine of the outer half angle; −2 for a point lamp.
    pub cos_outer: f32,
    /// Where it shines, a unit vector in the world's axes; 0 for a point lamp.
    pub toward: [f32; 3],
    /// 1 / (cos inner − cos outer); 1 for a point lamp, so that the shader has no branch.
    pub inverse_cone: f32,
}

/// The view that lamps are sorted for: one uniform block of the modules that sort them.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct ClusterView {
    /// Rows of the map from places of the camera's frame, metres, to clip space: x, y and w.
    pub clip_rows: [[f32; 4]; 3],
    /// Rows of the turn from the world's axes to the camera's frame.
    pub turn: [[f32; 4]; 3],
    /// Columns, rows and slices; lamps.
    pub grid: [u32; 4],
    /// A slice is log2(metres ahead) · x + y; metres ahead at which slices begin to grow; 1 where rows count up in clip space.
    pub slicing: [f32; 4],
    /// Metres ahead at which the view begins, and beyond which no lamp is listed; a pixel, as a part of the width and of the height.
    pub seen: [f32; 4],
    /// Words before the lists, words of the lists; 0; 0.
    pub room: [u32; 4],
}

/// What a lamp reaches in the camera's frame: what the first pass writes and the second reads.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct LampReach {
    /// The middle of a ball that holds what it reaches, metres.
    pub centre: [f32; 3],
    /// The ball's radius, metres.
    pub radius: f32,
    /// Where a spot's cone begins, metres.
    pub apex: [f32; 3],
    /// Metres that the cone goes.
    pub range: f32,
    /// Where it goes, a unit vector.
    pub axis: [f32; 3],
    /// The sine of its half angle.
    pub sine: f32,
    /// The cosine; −2 for a point lamp.
    pub cosine: f32,
    /// The first and the last column that it may reach, 16 bits each.
    pub columns: u32,
    /// Of rows the same.
    pub rows: u32,
    /// Of slices the same; a first one after the last where it reaches nothing that is seen.
    pub slices: u32,
}

/// What lights a view: one uniform block. Axes are the world's, places are metres from the camera.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct LightConstants {
    /// Unit vector toward the sun; cosine of its disc's radius.
    pub toward_sun: [f32; 4],
    /// Lux on what faces the sun, linear RGB; cd/m² of its disc for each of them.
    pub sun_illuminance: [f32; 4],
    /// Luminance of a white diffuse surface under the sky, by its normal: factors of 1, y, z, x, xy, yz, 3z² − 1, xz,
    /// x² − y², linear RGB.
    pub harmonics: [[f32; 4]; 9],
    /// Extinction a metre, linear RGB; 0.
    pub haze: [f32; 4],
    /// x and z of a unit vector toward the sun's azimuth, the horizon's elevation in radians; 1 where there is a table of the sky,
    /// else 0.
    pub sky_place: [f32; 4],
    /// Metres at which shadows begin to fade; one over the metres that it takes; cascades; one over the part of half a
    /// cascade's width in which it is blended with the next.
    pub shadow: [f32; 4],
    /// Texels along the normal that a place is moved before it asks the map; more of them where light grazes; texels toward
    /// the light; 0.
    pub bias: [f32; 4],
    /// Columns, rows and slices of clusters; lamps, 0 for none.
    pub clusters: [u32; 4],
    /// A slice is log2(metres ahead) · x + y; columns a pixel; rows a pixel.
    pub cluster_scale: [f32; 4],
    /// The viewport's upper left corner in pixels; metres ahead at which slices begin to grow, and at which the last one ends.
    pub cluster_view: [f32; 4],
    /// Unit vector that the camera looks along; 1 where the view has no perspective, else 0.
    pub ahead: [f32; 4],
    /// Clip space → a place, column-major.
    pub ray_from_clip: [[f32; 4]; 4],
    /// The sun's cascades, the finest first.
    pub cascades: [CascadeRecord; MAX_CASCADES],
    /// Unit vector toward the moon; one over the sine of its disc's radius, 0 where there is none.
    pub toward_moon: [f32; 4],
    /// cd/m² of its lit part, linear RGB; how much of that the rest of it has.
    pub moon: [f32; 4],
    /// Unit vector across the way to the moon, toward where it is lit from; cosine of the angle between sun and camera there.
    pub moon_side: [f32; 4],
    /// x and z of a unit vector toward the moon's azimuth; 1 where the table of the sky has a night; 1 where stars are drawn, else 0.
    pub night: [f32; 4],
    /// Rows from the world to the celestial sphere; the optical depth of the air overhead in red, green and blue.
    pub star_rows: [[f32; 4]; 3],
}

/// What a tonemap does: a push constant block.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct TonemapConstants {
    /// What luminance is multiplied with, 0 where the metered image says it; steps of the target that are dithered, 0 for none; its
    /// pixels across and down.
    pub exposure: [f32; 4],
    /// How much edges are raised, 0…1; 0; 0; 0.
    pub sharpness: [f32; 4],
}

/// What a resolve over time does: a push constant block.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct ResolveConstants {
    /// The view's upper left corner in texels, its texels across and down.
    pub viewport: [f32; 4],
    /// Texels, right and down, that this frame's picture is moved by; what luminance is multiplied with; frames that a picture is
    /// the mean of, 1 for one that is copied.
    pub frame: [f32; 4],
    /// 1 where the last frame left its picture, else 0; a number that each frame has another of, 0…1; 0; 0.
    pub last: [f32; 4],
}

/// Where a view's pixels are and how far they are searched for what takes the sky from them: a push constant block.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct OcclusionConstants {
    /// Clip space → a place, metres from the camera in the world's axes; column-major.
    pub ray_from_clip: [[f32; 4]; 4],
    /// Clip units a pixel across and down; the clip place of pixel 0's corner.
    pub clip_from_pixel: [f32; 4],
    /// The view's part of the target in pixels: its upper left corner, and its lower right one.
    pub seen_part: [f32; 4],
    /// Radius in metres; directions, 0 for none; pixels that are searched at most; 0.
    pub search: [f32; 4],
}

/// How the sky moved: a push constant block.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct SkyVelocityConstants {
    /// Directions in this frame's clip space → clip space of the last frame, column-major.
    pub last_from_clip: [[f32; 4]; 4],
    /// Parts of the viewport a unit of clip space, right and down; 0; 0.
    pub motion_scale: [f32; 4],
}

/// How a target is looked at: a push constant block.
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct ShowConstants {
    /// What it holds: 0 luminance, 1 colour, 2 signed vectors, 3 motion, 4 depth, 5 one channel; what that is multiplied with; its
    /// texels a pixel across and down.
    pub shown_as: [f32; 4],
}
