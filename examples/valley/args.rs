//! The command line.

use crate::frame_args::FrameArgs;
use crate::props::Props;
use crate::record::RecordArgs;
use crate::viewpoint;
use clap::Parser;
use landform::field::Field;
use landform::gpu::Device;
use landform_cli::camera::Pose;
use landform_cli::devices::DeviceArgs;
use landform_cli::lit::Things;
use landform_cli::parse::{choice, fov, pixels};
use landform_cli::stop::Result;
use landform_cli::{ImportArgs, LayerArgs, LookArgs};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

/// Shows a valley, or a heightmap of yours: in a window where there is a display, as PNG files where there is none.
#[derive(Clone, Debug, Parser)]
// What is said about a file is of no use without one.
#[command(name = "valley", version, mut_group("ImportArgs", |group| group.requires("heightmap")))]
pub(crate) struct Args {
    /// Samples a side of the valley that is made, 65 to 8193; it is 4096 m wide with any of them
    #[arg(long, value_name = "N", default_value_t = 4097, conflicts_with = "heightmap")]
    pub(crate) map_size: u32,
    /// Another number makes another valley
    #[arg(long, value_name = "N", default_value_t = 7, conflicts_with = "heightmap")]
    pub(crate) seed: u64,

    /// Shows this file instead, of any format that landform reads, or this terrain folder
    #[arg(long, value_name = "FILE", help_heading = "Heightmap")]
    pub(crate) heightmap: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) import: ImportArgs,
    #[command(flatten)]
    pub(crate) layers: LayerArgs,

    /// Where the camera is and looks: metres east, up and south of the map's north-west corner at height 0, degrees
    /// clockwise from north, degrees above the horizon. A `+` before the height measures it from the ground
    #[arg(long, value_name = "X,Y,Z,YAW,PITCH", value_parser = Pose::from_str, allow_hyphen_values = true,
        help_heading = "View")]
    pub(crate) camera: Option<Pose>,
    /// Vertical field of view in degrees, 1 to 150
    #[arg(long, value_name = "DEGREES", default_value_t = 55.0, value_parser = fov, help_heading = "View")]
    pub(crate) fov: f64,
    #[command(flatten)]
    pub(crate) look: LookArgs,
    #[command(flatten)]
    pub(crate) frame: FrameArgs,
    /// Pixels of the window or of the pictures
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = pixels, help_heading = "View")]
    pub(crate) size: (u32, u32),
    /// Pixels that a quad of the finest level may cover before the next level takes over [default: 1 in pictures,
    /// the tier's in a window]
    #[arg(long, value_name = "PIXELS", help_heading = "View")]
    pub(crate) pixel_error: Option<f64>,

    /// Draws one picture and ends, with a display or without
    #[arg(long, value_name = "FILE", help_heading = "Pictures")]
    pub(crate) shot: Option<PathBuf>,
    /// Writes what was drawn, and how long it took, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Pictures")]
    pub(crate) json: Option<PathBuf>,
    /// Draws pictures even where there is a display
    #[arg(long, help_heading = "Pictures")]
    pub(crate) headless: bool,
    /// Folder for pictures, those that the window's key saves among them
    #[arg(long, value_name = "FOLDER", default_value = "out/valley", help_heading = "Pictures")]
    pub(crate) out: PathBuf,

    /// Whether boulders and posts stand on the ground, by which scale, shadows and motion are seen [default: on; off on a heightmap of yours]
    #[arg(long, value_name = "on|off", value_parser = choice([("on", true), ("off", false)]), help_heading = "Frame")]
    pub(crate) props: Option<bool>,
    /// Lamps that are lit from dusk on, 0 to 65536: on the posts, and what is more on low ground [default: one a post]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=65536), help_heading = "Frame")]
    pub(crate) lamps: Option<u32>,
    #[command(flatten)]
    pub(crate) recorded: RecordArgs,

    #[command(flatten)]
    pub(crate) device: DeviceArgs,
    /// Lists the devices and what keeps some from drawing
    #[arg(long, help_heading = "Device")]
    pub(crate) list_devices: bool,

    /// Closes the window after this many frames
    #[arg(long, value_name = "N", help_heading = "Tests")]
    pub(crate) frames: Option<u64>,
    /// Does things at given frames: `FRAME COMMAND; ...` with the commands `resize WxH`, `minimise`, `restore`, `key
    /// NAME`, `node NUMBER` (turns it off or on), `picture FILE`, `wait FILE` (until there is that file), `lose` (the device) and `quit`
    #[arg(long, help_heading = "Tests")]
    pub(crate) script: Option<String>,
}

impl Args {
    /// What stands on the ground of a map of this field; None where nothing does and no lamp is wanted.
    pub(crate) fn things(&self, device: &Arc<Device>, field: &Field) -> Result<Option<Box<dyn Things>>> {
        let stand = self.props.unwrap_or(self.heightmap.is_none());
        let lamps = match (self.lamps, stand) {
            (Some(lamps), _) => Some(lamps as usize),
            (None, true) => None,
            (None, false) => return Ok(None),
        };
        let floor = viewpoint::floor(field, f64::from(self.size.0) / f64::from(self.size.1), self.fov);
        Ok(Some(Box::new(Props::new(device, field, &floor, stand, lamps)?)))
    }

    /// True where pictures are asked for rather than a window.
    pub(crate) fn wants_pictures(&self) -> bool {
        self.shot.is_some() || self.headless || self.recorded.record.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::error::ErrorKind;

    #[test]
    fn options_of_an_import_go_with_a_file() {
        let kind = |line: &str| Args::try_parse_from(line.split(' ')).map_err(|error| error.kind());
        let args = kind("valley --heightmap a.r16 --raw-size 5x4 --size 640x480").unwrap();
        assert_eq!((args.import.raw_size, args.size), (Some((5, 4)), (640, 480)));
        assert_eq!(kind("valley --spacing 2").unwrap_err(), ErrorKind::MissingRequiredArgument);
    }
}
