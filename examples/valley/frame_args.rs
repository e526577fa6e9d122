//! The options of the lit frame.

use crate::daylight::Daylight;
use ash::vk;
use clap::Args;
use landform::frame::Tier;
use landform::plan::ViewMode;
use landform_cli::LookArgs;
use landform_cli::camera::Sun;
use landform_cli::day::TimeOfDay;
use landform_cli::lit::{FrameSource, check_target, unrecorded};
use landform_cli::parse::choice;
use landform_cli::stop::Result;
use std::path::PathBuf;
use std::str::FromStr;

/// How the ground is lit.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Frame")]
pub(crate) struct FrameArgs {
    /// The time of day, 0 to 24, as in 15.5 or 15:30: the sun of the middle of May at 46° north [default: 15:45]
    #[arg(long, value_name = "HOURS", value_parser = TimeOfDay::from_str, conflicts_with = "sun")]
    pub(crate) time: Option<TimeOfDay>,
    /// Lets the clock run, in a window and in a flight: so many minutes of the day a second, 0.1 to 120 [default: 10]
    #[arg(long, value_name = "MINUTES", num_args = 0..=1, default_missing_value = "10", value_parser = pace,
        conflicts_with = "sun")]
    pub(crate) day: Option<f64>,
    /// Where the sun stands instead: degrees clockwise from north, and degrees above the horizon
    #[arg(long, value_name = "YAW,HEIGHT", value_parser = Sun::from_str, allow_hyphen_values = true)]
    pub(crate) sun: Option<Sun>,
    /// How much of the moon is lit: 1 full, 0.5 half, 0 new and near the sun
    #[arg(long, value_name = "PART", default_value_t = 1.0, value_parser = part)]
    pub(crate) moon: f32,
    /// Exposure values that the picture is brighter than metered, -8 to 8
    #[arg(long, value_name = "EV", default_value_t = 0.5, value_parser = exposure, allow_hyphen_values = true)]
    pub(crate) exposure: f32,
    /// Draws the frame that this document in RON says, as docs/frame.md has it, in place of a standard one
    #[arg(long, value_name = "FILE", conflicts_with = "preview")]
    pub(crate) frame: Option<PathBuf>,
    /// The numbers that the frame leaves open [default: high; medium on a device that draws on the CPU]
    #[arg(long, value_parser = choice(TIERS))]
    pub(crate) tier: Option<Tier>,
    /// Shows a target of the frame in place of the picture, for instance SceneDepth
    #[arg(long, value_name = "NAME", conflicts_with = "preview")]
    pub(crate) target: Option<String>,
    /// Draws the ground without a frame, under a made-up sun that throws no shadows; the modes other than `shaded` always do
    #[arg(long)]
    pub(crate) preview: bool,
}

const TIERS: [(&str, Tier); 4] =
    [("low", Tier::Low), ("medium", Tier::Medium), ("high", Tier::High), ("ultra", Tier::Ultra)];

/// Any distance will do where a document is only looked at.
const SOME_DISTANCE: f64 = 1000.0;

impl FrameArgs {
    /// The sun and the clock to begin with.
    pub(crate) fn daylight(&self) -> Daylight {
        let light = match self.sun {
            Some(sun) => Daylight { sun, ..Daylight::at(TimeOfDay::default()) },
            None => Daylight::at(self.time.unwrap_or_default()),
        };
        light.running(self.day)
    }

    /// True where a view of this mode is drawn in a lit frame.
    pub(crate) fn is_lit(&self, mode: ViewMode) -> bool {
        !self.preview && mode == ViewMode::Shaded
    }

    /// What the frame is made from on a device of this kind.
    fn source(&self, kind: vk::PhysicalDeviceType, samples: u32, frames: Option<u32>) -> FrameSource {
        let usual = if kind == vk::PhysicalDeviceType::CPU { Tier::Medium } else { Tier::High };
        FrameSource {
            file: self.frame.clone(),
            tier: self.tier.unwrap_or(usual),
            samples,
            frames,
            read: false,
        }
    }

    /// What a picture's frame is made from, or those of a `flight`. A picture's samples are frames where the document resolves over time;
    /// where the CPU draws, each takes seconds.
    pub(crate) fn picture_source(
        &self,
        kind: vk::PhysicalDeviceType,
        look: &LookArgs,
        flight: bool,
    ) -> FrameSource {
        let usual = if kind == vk::PhysicalDeviceType::CPU && !flight { Some(1) } else { None };
        let samples = look.samples_on(kind);
        self.source(kind, samples.min(4), look.samples.or(usual))
    }

    /// What a window's frame is made from: four samples are four times the work, so they are stated.
    pub(crate) fn window_source(&self, kind: vk::PhysicalDeviceType, look: &LookArgs) -> FrameSource {
        self.source(kind, look.samples.unwrap_or(1).min(4), None)
    }

    /// Refuses a document or a target before a map is read and a window opened, and says what is not recorded.
    pub(crate) fn check(&self) -> Result<()> {
        let document = self.source(vk::PhysicalDeviceType::OTHER, 1, None).read(SOME_DISTANCE)?;
        unrecorded(&document).iter().for_each(|note| eprintln!("valley: {note}"));
        self.target.as_ref().map_or(Ok(()), |name| check_target(&document, name))
    }
}

fn part(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(value) if (0.0..=1.0).contains(&value) => Ok(value),
        _ => Err("a number from 0 to 1 is needed".into()),
    }
}

fn pace(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if (0.1..=120.0).contains(&value) => Ok(value),
        _ => Err("a number from 0.1 to 120 is needed".into()),
    }
}

fn exposure(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(value) if (-8.0..=8.0).contains(&value) => Ok(value),
        _ => Err("a number from -8 to 8 is needed".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        frame: FrameArgs,
    }

    fn parse(line: &str) -> Result<FrameArgs, clap::Error> {
        Line::try_parse_from(line.split(' ')).map(|line| line.frame)
    }

    #[test]
    fn a_time_and_a_sun_exclude_each_other() {
        let noon = parse("valley --time 12").unwrap().daylight();
        assert_eq!(noon.stated_time(), Some(TimeOfDay(12.0)));
        let stated = parse("valley --sun 90,10").unwrap().daylight();
        assert_eq!((stated.sun.height, stated.stated_time()), (10.0, None));
        assert!(parse("valley --sun 90,10 --time 12").is_err());
        assert!(parse("valley --moon 1.1").is_err() && parse("valley --moon 0.25").is_ok());
        let clock = |line| parse(line).unwrap().daylight();
        assert!(!clock("valley").runs && clock("valley --day").runs);
        assert_eq!((clock("valley --day").pace, clock("valley --day 2.5 --time 6").pace), (10.0, 2.5));
        assert!(parse("valley --day 0").is_err() && parse("valley --day 10 --sun 90,10").is_err());
        assert!(parse("valley --exposure 9").is_err() && parse("valley --exposure -1.5").is_ok());
    }

    #[test]
    fn a_device_without_hardware_has_fewer_shadows_unless_a_tier_is_stated() {
        let tier = |line, kind| parse(line).unwrap().source(kind, 1, None).tier;
        let (gpu, cpu) = (vk::PhysicalDeviceType::DISCRETE_GPU, vk::PhysicalDeviceType::CPU);
        assert_eq!((tier("valley", gpu), tier("valley", cpu)), (Tier::High, Tier::Medium));
        assert_eq!(tier("valley --tier ultra", cpu), Tier::Ultra);
    }

    #[test]
    fn what_is_not_there_is_refused_early() {
        assert!(parse("valley --target SceneDepth").unwrap().check().is_ok());
        let why = parse("valley --target Nothing").unwrap().check().unwrap_err().sentence;
        assert!(why.contains("'Nothing'") && why.contains("SceneDepth"), "{why}");
        let why = parse("valley --frame /no/such/frame.ron").unwrap().check().unwrap_err().sentence;
        assert!(why.contains("/no/such/frame.ron"), "{why}");
    }
}
