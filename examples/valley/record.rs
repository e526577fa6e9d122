//! A flight as pictures, one a frame.

use crate::args::Args;
use clap::Args as ClapArgs;
use landform_cli::stop::{Result, Stop, say};
use std::path::{Path, PathBuf};

/// What is recorded.
#[derive(Clone, Debug, ClapArgs)]
#[command(next_help_heading = "Flight")]
pub(crate) struct RecordArgs {
    /// Draws a flight from the first view down to the valley's floor and up to a ridge into this folder: frame-0001.png and so on. A
    /// folder that has such files already is left alone
    #[arg(long, value_name = "FOLDER", conflicts_with = "shot")]
    pub(crate) record: Option<PathBuf>,
    /// How long the flight takes, 0.1 to 600 seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 12.0, value_parser = seconds, requires = "record")]
    pub(crate) seconds: f64,
    /// Pictures a second, 1 to 240
    #[arg(long, value_name = "N", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=240),
        requires = "record")]
    pub(crate) fps: u32,
}

impl RecordArgs {
    /// How many pictures the flight has: one at its beginning and one at its end at least.
    pub(crate) fn frames(&self) -> u32 {
        ((self.seconds * f64::from(self.fps)).round() as u32).max(2)
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (0.1..=600.0).contains(&value) => Ok(value),
        _ => Err("a number from 0.1 to 600 is needed".into()),
    }
}

/// The folder that pictures go to, made where it is missing.
///
/// # Errors
/// A folder with the pictures of another flight, or one that cannot be made.
pub(crate) fn folder(args: &Args) -> Result<Option<PathBuf>> {
    let Some(folder) = &args.recorded.record else { return Ok(None) };
    let failed = |error: std::io::Error| Stop::new(format!("{}: {error}", folder.display()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("frame-") && name.ends_with(".png") {
            let why = format!("{} has a flight already, {name}; name another folder", folder.display());
            return Err(Stop::new(why));
        }
    }
    Ok(Some(folder.clone()))
}

/// The name of a picture, counted from 0.
pub(crate) fn file(folder: &Path, frame: u32) -> PathBuf {
    folder.join(format!("frame-{:04}.png", frame + 1))
}

/// Says what there is, and what makes a film of it.
pub(crate) fn tell(folder: &Path, drawn: u32, args: &RecordArgs) {
    let (wanted, fps) = (args.frames(), args.fps);
    say(format_args!("{drawn} of {wanted} pictures, {fps} a second: {}", folder.display()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn parse(line: &str) -> Result<Args, clap::Error> {
        Args::try_parse_from(line.split(' '))
    }

    #[test]
    fn a_flight_has_as_many_pictures_as_it_takes() {
        let frames = |line| parse(line).unwrap().recorded.frames();
        assert_eq!(frames("valley --record a"), 360);
        assert_eq!(frames("valley --record a --seconds 0.5 --fps 60"), 30);
        assert_eq!(frames("valley --record a --seconds 0.1 --fps 1"), 2);
        assert!(parse("valley --record a --shot b.png").is_err() && parse("valley --fps 30").is_err());
        assert!(
            parse("valley --record a --seconds 0").is_err() && parse("valley --record a --fps 0").is_err()
        );
    }

    #[test]
    fn another_flight_is_left_alone() {
        let place = std::env::temp_dir().join(format!("landform-flight-{}", std::process::id()));
        let line = format!("valley --record {}", place.display());
        let args = parse(&line).unwrap();
        assert_eq!(folder(&args).unwrap().as_deref(), Some(&*place));
        std::fs::write(place.join("notes.txt"), "mine").unwrap();
        assert!(folder(&args).is_ok(), "what is no picture of a flight is no matter");
        std::fs::write(file(&place, 11), "a picture").unwrap();
        let why = folder(&args).unwrap_err().sentence;
        assert!(why.contains("frame-0012.png") && why.contains("name another folder"), "{why}");
        std::fs::remove_dir_all(place).unwrap();
    }
}
