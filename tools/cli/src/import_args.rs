//! The options of an import, as every program has them.

use crate::parse::{choice, crop, pair, samples, spacing};
use clap::Args;
use glam::DVec2;
use landform::field::SampleRect;
use landform::import::{ByteOrder, Encoding, Fill, Filter, Flip, ImportOptions, Resample, SampleType, Units};
use std::str::FromStr;

/// What a file does not say about itself, and what is done with it. Each option is the one of the same name of
/// [`ImportOptions`].
#[derive(Clone, Debug, Default, PartialEq, Args)]
#[command(next_help_heading = "What the file does not say")]
pub struct ImportArgs {
    /// Metres between samples, west to east and north to south [default: what the file says, else 1]
    #[arg(long, value_name = "X[,Z]", value_parser = spacing, allow_hyphen_values = true)]
    pub spacing: Option<(f64, f64)>,
    /// Metres of the lowest and of the highest code. Where the file holds heights, those outside are clamped
    /// [default: the lowest and the highest height; for codes, 0 to an eighth of the longest side]
    #[arg(long, value_name = "MIN,MAX", value_parser = pair, allow_hyphen_values = true)]
    pub range: Option<(f64, f64)>,
    /// Samples of a raw file, west to east and north to south [default: a square]
    #[arg(long, value_name = "WxH", value_parser = samples)]
    pub raw_size: Option<(u32, u32)>,
    /// Byte order of raw and hgt samples: le, the low byte first, or be, the high byte first
    /// [default: auto, as the format says, and le for raw samples]
    #[arg(long, value_name = "le|be|auto", hide_possible_values = true, value_parser = choice([
        ("le", ByteOrder::Little), ("be", ByteOrder::Big), ("auto", ByteOrder::Auto),
    ]))]
    pub byte_order: Option<ByteOrder>,
    /// Type of raw samples [default: by the extension .r8, .r16, .r32 or .f32; 16 bits for .raw]
    #[arg(long, value_name = "TYPE",
        value_parser = choice(SampleType::ALL.map(|sample| (sample.name(), sample))))]
    pub sample_type: Option<SampleType>,
    /// Bytes before the first sample of a raw file: the length of its header
    #[arg(long, value_name = "BYTES")]
    pub offset: Option<u64>,
    /// What the file's numbers are: heights; parts of --range (normalised); or heights in the colours of a Terrarium
    /// or a Mapbox Terrain-RGB tile [default: auto, as the format says]
    #[arg(long, value_name = "ENCODING",
        value_parser = choice(Encoding::ALL.map(|encoding| (encoding.name(), encoding))))]
    pub encoding: Option<Encoding>,
    /// The value of a sample without a height, in the file's own numbers, or several between commas; nan where no number
    /// is one [default: what the file declares]
    #[arg(long, value_name = "NUMBER[,…]", value_delimiter = ',', allow_hyphen_values = true)]
    pub nodata: Vec<f64>,
    /// Unit of the file's heights: metres, feet, us-feet, decimetres, centimetres, millimetres, kilometres, or the
    /// metres of one, for instance 0.1 [default: what the file says, else metres]
    #[arg(long, value_name = "UNIT", value_parser = Units::from_str)]
    pub units: Option<Units>,
    /// The array of an .npz that holds the heights [default: the only two-dimensional one]
    #[arg(long, value_name = "NAME")]
    pub array: Option<String>,
    /// The channel of an OpenEXR picture, by its name, or the band of a GeoTIFF, by its number from 1, that holds the
    /// heights [default: the only one, Y, or R]
    #[arg(long, value_name = "NAME")]
    pub channel: Option<String>,

    /// Takes a part of the file: the column and the row of its north-west sample, and its size. Only that is kept in
    /// memory
    #[arg(long, value_name = "X,Z,WxH", value_parser = crop, help_heading = CHANGES)]
    pub crop: Option<SampleRect>,
    /// Turns the map over: its west and east sides change places, its north and south, or both
    #[arg(long, value_name = "SIDES", value_parser = choice([
        ("none", Flip::None), ("west-east", Flip::WestEast), ("north-south", Flip::NorthSouth), ("both", Flip::Both),
    ]), help_heading = CHANGES)]
    pub flip: Option<Flip>,
    /// What becomes of samples without a height: holes, or ground made from what is around them [default: holes]
    #[arg(long, value_name = "HOW",
        value_parser = choice(Fill::ALL.map(|fill| (fill.name(), fill))), help_heading = CHANGES)]
    pub fill: Option<Fill>,
    /// Makes samples that are so many metres apart, west to east and north to south
    #[arg(long, value_name = "SPACING[,Z]", value_parser = spacing, allow_hyphen_values = true, help_heading = CHANGES)]
    pub resample: Option<(f64, f64)>,
    /// What resampled heights are made with: bilinear, which never overshoots, or the sharper cubic
    /// [default: bilinear]
    #[arg(long, value_name = "FILTER", requires = "resample",
        value_parser = choice(Filter::ALL.map(|filter| (filter.name(), filter))), help_heading = CHANGES)]
    pub filter: Option<Filter>,
    /// Samples a side of the tiles in which the map is uploaded: a power of two, 16 to 1024 [default: 256]
    #[arg(long, value_name = "N", help_heading = CHANGES)]
    pub tile_samples: Option<u32>,
}

const CHANGES: &str = "What is done with it";

impl ImportArgs {
    /// The same for the library.
    pub fn options(&self) -> ImportOptions {
        let mut options = ImportOptions::default();
        options.spacing = self.spacing.map(DVec2::from);
        options.range = self.range;
        options.raw_size = self.raw_size;
        options.byte_order = self.byte_order.unwrap_or(options.byte_order);
        options.sample_type = self.sample_type;
        options.offset = self.offset.unwrap_or(options.offset);
        options.encoding = self.encoding.unwrap_or(options.encoding);
        options.nodata.clone_from(&self.nodata);
        options.fill = self.fill.unwrap_or(options.fill);
        options.units = self.units;
        options.array.clone_from(&self.array);
        options.channel.clone_from(&self.channel);
        options.crop = self.crop;
        options.flip = self.flip.unwrap_or(options.flip);
        options.resample = self.resample.map(|spacing| Resample {
            spacing: spacing.into(),
            filter: self.filter.unwrap_or(Filter::Bilinear),
        });
        options.tile_samples = self.tile_samples.unwrap_or(options.tile_samples);
        options
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        import: ImportArgs,
    }

    fn options(line: &str) -> Result<ImportOptions, String> {
        let parsed = Program::try_parse_from(["program"].into_iter().chain(line.split_whitespace()));
        parsed.map(|program| program.import.options()).map_err(|error| error.to_string())
    }

    #[test]
    fn every_option_reaches_the_library() {
        let line = "--spacing 2,3 --range -5,10.5 --raw-size 7x9 --byte-order be --sample-type i16 --offset 32 --encoding \
            heights --nodata -9999 --fill plane --units feet --array z --channel 2 --crop 1,2,3x4 --flip north-south \
            --resample 4,5 --filter cubic --tile-samples 64";
        let wanted = ImportOptions::default()
            .with_spacing(2.0, 3.0)
            .with_range(-5.0, 10.5)
            .with_raw_size(7, 9)
            .with_byte_order(ByteOrder::Big)
            .with_sample_type(SampleType::I16)
            .with_offset(32)
            .with_encoding(Encoding::Heights)
            .with_nodata(-9999.0)
            .with_fill(Fill::Plane)
            .with_units(Units::FEET)
            .with_array("z")
            .with_channel("2")
            .with_crop(SampleRect::new(1, 2, 3, 4))
            .with_flip(Flip::NorthSouth)
            .with_resample(4.0, 5.0, Filter::Cubic)
            .with_tile_samples(64);
        assert_eq!(options(line), Ok(wanted));
        for line in ["", "--byte-order auto --flip none"] {
            assert_eq!(options(line), Ok(ImportOptions::default()), "{line}");
        }
        // What no map has is refused by the library, which says what would work.
        let wanted =
            ImportOptions::default().with_spacing(-1.0, -1.0).with_resample(-2.0, 3.0, Filter::Bilinear);
        assert_eq!(options("--spacing -1 --resample -2,3"), Ok(wanted));
    }

    #[test]
    fn names_are_those_of_the_library() {
        for encoding in Encoding::ALL {
            assert_eq!(
                options(&format!("--encoding {encoding}")).map(|options| options.encoding),
                Ok(encoding)
            );
        }
        for fill in Fill::ALL {
            assert_eq!(options(&format!("--fill {fill}")).map(|options| options.fill), Ok(fill));
        }
        let resampled = options("--resample 8").map(|options| options.resample);
        assert_eq!(resampled, Ok(Some(Resample { spacing: DVec2::splat(8.0), filter: Filter::Bilinear })));
        assert!(options("--nodata nan").is_ok_and(|options| options.nodata[0].is_nan()));
        assert_eq!(
            options("--nodata -9999,-3.4e38").map(|options| options.nodata),
            Ok(vec![-9999.0, -3.4e38])
        );
    }

    #[test]
    fn a_wrong_value_is_told_what_would_work() {
        for (line, part) in [
            ("--fill mud", "inverse-distance"),
            ("--units yards", "us-feet"),
            ("--crop 1,2", "100,250,513x257"),
            ("--byte-order middle", "le, be, auto"),
            ("--flip up", "none, west-east"),
            ("--crop 4294967295,0,2x2", "100,250,513x257"),
            ("--crop 0,0,4294967295x2", "each side"),
            ("--spacing -x", "`-x` is not a number"),
            ("--filter cubic", "--resample"),
            ("--range 5", "two numbers"),
        ] {
            let refused = options(line);
            assert!(refused.as_ref().is_err_and(|why| why.contains(part)), "{line}: {refused:?}");
        }
    }
}
