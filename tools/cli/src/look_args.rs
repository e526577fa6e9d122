//! The options of a picture.

use crate::parse::choice;
use ash::vk;
use clap::Args;
use landform::plan::ViewMode;

/// How a map is shown.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "View")]
pub struct LookArgs {
    /// What is shown: the ground in daylight; the level of detail λ as a hue a level; normals (east red, north green,
    /// up blue); a colour a tile; the lattice of triangles; a colour a layer, mixed by how much of it shows; the colour of
    /// the layer that shows most; how many layers are read; or the slope that layers ask for
    #[arg(long, value_name = "MODE", default_value = "shaded",
        value_parser = choice(ViewMode::ALL.map(|mode| (mode.name(), mode))))]
    pub mode: ViewMode,
    /// Samples a pixel: 1 for quick pictures, 4 or 16 for smooth edges. A lit picture is resolved over as many frames; what is
    /// drawn at once has at most 4 [default: 1 on a device that draws on the CPU; else 4, and the tier's frames in a lit picture. A
    /// window's lit frame has 1 and is resolved over the tier's]
    #[arg(long, value_name = "1|4|16", value_parser = choice([("1", 1u32), ("4", 4), ("16", 16)]))]
    pub samples: Option<u32>,
}

impl LookArgs {
    /// Samples a pixel on a device of this kind. A driver that draws on the CPU shades layers four times as long with four.
    pub fn samples_on(&self, kind: vk::PhysicalDeviceType) -> u32 {
        self.samples.unwrap_or(if kind == vk::PhysicalDeviceType::CPU { 1 } else { 4 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_without_hardware_draws_one_sample_unless_four_are_stated() {
        let on = |samples, kind| LookArgs { mode: ViewMode::Shaded, samples }.samples_on(kind);
        let (gpu, cpu) = (vk::PhysicalDeviceType::DISCRETE_GPU, vk::PhysicalDeviceType::CPU);
        assert_eq!([on(None, gpu), on(None, cpu), on(Some(4), cpu), on(Some(1), gpu)], [4, 1, 4, 1]);
    }
}
