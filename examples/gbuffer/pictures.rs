//! The picture and the planes as PNG files, for people.

use crate::Result;
use crate::planes::PLANES;
use half::f16;
use landform::gpu::Buffer;
use landform_cli::stop::say;
use landform_harness::{Image8, write_png};
use std::path::{Path, PathBuf};

/// Writes `gbuffer.png` and a file for each plane, of what was copied out; says where.
pub(crate) fn write(folder: &Path, [width, height]: [u32; 2], copied: &[Buffer]) -> Result<Vec<PathBuf>> {
    let names = ["gbuffer"].into_iter().chain(PLANES.map(|(name, _)| name));
    let mut files = Vec::new();
    for (name, buffer) in names.zip(copied) {
        buffer.invalidate(0, buffer.size())?;
        let bytes = buffer.mapped().unwrap_or_default();
        let data = match name {
            "normal" => normals(bytes),
            "rough" => bytes.chunks_exact(2).flat_map(|pair| [pair[0], pair[0], pair[0], 255]).collect(),
            "height" => heights(bytes),
            // Occlusion is a channel, and no transparency.
            _ => bytes.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255]).collect(),
        };
        if name == "height" {
            let (low, high) = extent(&floats(bytes));
            say(format_args!("heights from {low:.2} m to {high:.2} m"));
        }
        let file = folder.join(format!("{name}.png"));
        write_png(&file, &Image8 { width, height, data })?;
        files.push(file);
    }
    Ok(files)
}

/// A plane's numbers of 16 bits, two a pixel.
fn halves(bytes: &[u8]) -> impl Iterator<Item = [f32; 2]> + '_ {
    let half = |bytes: &[u8]| f16::from_le_bytes([bytes[0], bytes[1]]).to_f32();
    bytes.chunks_exact(4).map(move |pixel| [half(&pixel[..2]), half(&pixel[2..])])
}

/// Octahedral normals as colours: east is red, up is green, south is blue, each from -1 to 1.
fn normals(bytes: &[u8]) -> Vec<u8> {
    let colour = |part: f32| (255.0 * (0.5 + 0.5 * part)).round() as u8;
    let pixels = halves(bytes).map(|[x, z]| {
        let y = 1.0 - x.abs() - z.abs();
        let under = (-y).max(0.0);
        let folded = |part: f32| part - under.copysign(part);
        let normal = glam::Vec3::new(folded(x), y, folded(z)).normalize_or_zero();
        [colour(normal.x), colour(normal.y), colour(normal.z), 255]
    });
    pixels.flatten().collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect()
}

/// The lowest and the highest that was drawn; what was not is exactly 0.
fn extent(heights: &[f32]) -> (f32, f32) {
    let drawn = || heights.iter().copied().filter(|height| *height != 0.0);
    (drawn().fold(f32::MAX, f32::min), drawn().fold(f32::MIN, f32::max))
}

/// Heights in greys from the lowest to the highest that was drawn; black where nothing was.
fn heights(bytes: &[u8]) -> Vec<u8> {
    let all = floats(bytes);
    let (low, high) = extent(&all);
    let grey = |height: f32| (40.0 + 215.0 * (height - low) / (high - low).max(1e-3)) as u8;
    all.iter()
        .map(|height| if *height == 0.0 { 0 } else { grey(*height) })
        .flat_map(|g| [g, g, g, 255])
        .collect()
}
