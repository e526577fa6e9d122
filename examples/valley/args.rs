//! The command line.

use crate::camera::Pose;
use clap::Parser;
use landform::field::FieldDesc;
use landform::import::ByteOrder;
use landform::plan::ViewMode;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

/// Shows a valley, or a heightmap of yours: in a window where there is a display, as PNG files where there is none.
#[derive(Clone, Debug, Parser)]
#[command(name = "valley", version)]
pub(crate) struct Args {
    /// Samples a side of the valley that is made, 65 to 8193; it is 4096 m wide with any of them
    #[arg(long, value_name = "N", default_value_t = 4097, conflicts_with = "heightmap")]
    pub(crate) map_size: u32,
    /// Another number makes another valley
    #[arg(long, value_name = "N", default_value_t = 7, conflicts_with = "heightmap")]
    pub(crate) seed: u64,

    /// Shows this file instead: PNG (grey, 8 or 16 bits), raw 16-bit samples (.r16, .raw), SRTM (.hgt), Esri ASCII grid
    /// (.asc), USGS ASCII DEM (.dem) or NumPy array (.npy, .npz)
    #[arg(long, value_name = "FILE", help_heading = "Heightmap")]
    pub(crate) heightmap: Option<PathBuf>,
    /// Metres between samples, west to east and north to south
    #[arg(long, value_name = "X[,Z]", value_parser = spacing, requires = "heightmap", help_heading = "Heightmap")]
    pub(crate) spacing: Option<(f64, f64)>,
    /// Metres of the lowest and of the highest code; metres outside are clamped
    #[arg(
        long,
        value_name = "MIN,MAX",
        value_parser = pair,
        requires = "heightmap",
        allow_hyphen_values = true,
        help_heading = "Heightmap"
    )]
    pub(crate) range: Option<(f64, f64)>,
    /// Size of a raw file, in samples
    #[arg(long, value_name = "WxH", value_parser = raw_size, requires = "heightmap", help_heading = "Heightmap")]
    pub(crate) raw_size: Option<(u32, u32)>,
    /// Byte order of a raw file
    #[arg(long, value_name = "le|be", value_parser = byte_order, requires = "heightmap", help_heading = "Heightmap")]
    pub(crate) byte_order: Option<ByteOrder>,
    /// The value of a sample without a height, in the file's own numbers, instead of what the file declares
    #[arg(
        long,
        value_name = "NUMBER",
        requires = "heightmap",
        allow_hyphen_values = true,
        help_heading = "Heightmap"
    )]
    pub(crate) nodata: Option<f64>,
    /// The array of an .npz that holds the heights
    #[arg(long, value_name = "NAME", requires = "heightmap", help_heading = "Heightmap")]
    pub(crate) array: Option<String>,

    /// Where the camera is and looks: metres east, up and south of the map's north-west corner at height 0, degrees
    /// clockwise from north, degrees above the horizon. A `+` before the height measures it from the ground
    #[arg(long, value_name = "X,Y,Z,YAW,PITCH", value_parser = Pose::from_str, allow_hyphen_values = true,
        help_heading = "View")]
    pub(crate) camera: Option<Pose>,
    /// Vertical field of view in degrees, 1 to 150
    #[arg(long, value_name = "DEGREES", default_value_t = 55.0, value_parser = fov, help_heading = "View")]
    pub(crate) fov: f64,
    /// What is shown: shaded, lambda, normals, tiles or lattice
    #[arg(long, default_value = "shaded", value_parser = mode, help_heading = "View")]
    pub(crate) mode: ViewMode,
    /// Pixels of the window or of the pictures
    #[arg(long, value_name = "WxH", default_value = "1280x720", value_parser = size, help_heading = "View")]
    pub(crate) size: (u32, u32),
    /// Samples a pixel, 1 or 4
    #[arg(long, value_name = "1|4", default_value_t = 4, value_parser = samples, help_heading = "View")]
    pub(crate) samples: u32,
    /// Pixels that a quad of the finest level may cover before the next level takes over [default: 1 in pictures,
    /// landform's own in a window]
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

    /// Which device draws: its number, or part of its name
    #[arg(long, value_name = "NAME|NUMBER", help_heading = "Device")]
    pub(crate) device: Option<String>,
    /// Lists the devices and what keeps some from drawing
    #[arg(long, help_heading = "Device")]
    pub(crate) list_devices: bool,
    /// Turns the validation layer on; its messages make the exit code 3
    #[arg(long, help_heading = "Device")]
    pub(crate) validation: bool,

    /// Closes the window after this many frames
    #[arg(long, value_name = "N", help_heading = "Tests")]
    pub(crate) frames: Option<u64>,
    /// Does things at given frames: `FRAME COMMAND; ...` with the commands `resize WxH`, `minimise`, `restore`, `key
    /// NAME`, `picture FILE`, `wait FILE` (until there is that file) and `quit`
    #[arg(long, help_heading = "Tests")]
    pub(crate) script: Option<String>,
}

impl Args {
    /// True where pictures are asked for rather than a window.
    pub(crate) fn wants_pictures(&self) -> bool {
        self.shot.is_some() || self.headless
    }
}

/// Numbers between commas.
pub(crate) fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |part: &str| {
        let value = part.trim().parse::<f64>().map_err(|_| format!("`{part}` is not a number"))?;
        if value.is_finite() { Ok(value) } else { Err(format!("`{part}` is not finite")) }
    };
    text.split(',').map(number).collect()
}

fn pair(text: &str) -> Result<(f64, f64), String> {
    match numbers(text)?[..] {
        [first, second] => Ok((first, second)),
        _ => Err("two numbers with a comma between them are needed".into()),
    }
}

fn spacing(text: &str) -> Result<(f64, f64), String> {
    match numbers(text)?[..] {
        [both] => Ok((both, both)),
        [x, z] => Ok((x, z)),
        _ => Err("one number is needed, or two with a comma between them".into()),
    }
}

/// A size in pixels, as in `640x480`.
pub(crate) fn size(text: &str) -> Result<(u32, u32), String> {
    sides(text, 1..=16384)
}

/// A size in samples; whether the file has so many is found out when it is read.
fn raw_size(text: &str) -> Result<(u32, u32), String> {
    sides(text, 2..=FieldDesc::MAX_SIDE)
}

fn sides(text: &str, allowed: RangeInclusive<u32>) -> Result<(u32, u32), String> {
    let parsed = text
        .split_once(['x', 'X', '×'])
        .and_then(|(width, height)| Some((width.trim().parse().ok()?, height.trim().parse().ok()?)));
    match parsed {
        Some((width, height)) if allowed.contains(&width) && allowed.contains(&height) => Ok((width, height)),
        Some(_) => Err(format!("each side must be {} to {}", allowed.start(), allowed.end())),
        None => Err("a width and a height are needed, for instance 1280x720".into()),
    }
}

fn fov(text: &str) -> Result<f64, String> {
    match numbers(text)?[..] {
        [degrees] if (1.0..=150.0).contains(&degrees) => Ok(degrees),
        _ => Err("one number from 1 to 150 is needed".into()),
    }
}

fn samples(text: &str) -> Result<u32, String> {
    match text {
        "1" => Ok(1),
        "4" => Ok(4),
        _ => Err("1 or 4".into()),
    }
}

fn mode(text: &str) -> Result<ViewMode, String> {
    let found = ViewMode::ALL.into_iter().find(|mode| mode.name() == text);
    found.ok_or_else(|| format!("one of {}", ViewMode::ALL.map(ViewMode::name).join(", ")))
}

fn byte_order(text: &str) -> Result<ByteOrder, String> {
    match text {
        "le" => Ok(ByteOrder::Little),
        "be" => Ok(ByteOrder::Big),
        _ => Err("le (the low byte first) or be (the high byte first)".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_and_pixels_have_limits_of_their_own() {
        assert_eq!(size("16384x1"), Ok((16384, 1)));
        assert_eq!(raw_size("4194304×2"), Ok((4_194_304, 2)));
        for (refused, sentence) in [(size("16385x1"), "1 to 16384"), (raw_size("1x9"), "2 to 4194304")] {
            assert!(refused.as_ref().is_err_and(|why| why.contains(sentence)), "{refused:?}");
        }
        assert!(raw_size("4194305x2").is_err() && size("1280").is_err());
    }
}
