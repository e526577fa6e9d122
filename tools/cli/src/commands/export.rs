//! `landform export`: the same map in another format.

use super::{also_size, warn};
use clap::{Args, ValueHint};
use landform::field::{Field, Quad};
use landform::import::{ByteOrder, export_exr, export_geotiff, export_png16, export_r16};
use landform_cli::parse::choice;
use landform_cli::stop::{Result, Stop, say};
use landform_cli::{ImportArgs, read, unfinished};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Converts a map to the format of another file's extension
///
/// .png and .r16 hold 16-bit codes and no metres: the range and the spacing that read them back are printed. .tif and .exr
/// hold metres as 32-bit floats, with voids as NaN; a GeoTIFF holds the spacing too. Heights are rounded to 65536 steps of
/// the map's range on the way. A file that is there already is replaced only with --force.
#[derive(Debug, Args)]
#[command(
    mut_arg("raw_size", also_size),
    after_help = "\
Examples:
  landform export N27E086.hgt everest.tif --crop 600,300,512x512
  landform export dem.tif heights.r16 --resample 2 --range 0,1200 --out-byte-order be
  landform export heights.png heights.exr --spacing 2 --range 200,4800"
)]
pub(crate) struct Export {
    /// The heightmap, or a terrain folder
    #[arg(value_hint = ValueHint::AnyPath)]
    file: PathBuf,
    /// The file to write: .png, .r16, .raw, .tif, .tiff or .exr
    #[arg(value_hint = ValueHint::FilePath)]
    out: PathBuf,
    /// Byte order of an .r16 or .raw that is written: le, the low byte first, or be, the high byte first [default: le]
    #[arg(long, value_name = "le|be", hide_possible_values = true,
        value_parser = choice([("le", ByteOrder::Little), ("be", ByteOrder::Big)]))]
    out_byte_order: Option<ByteOrder>,
    /// Replaces a file that is there already
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    import: ImportArgs,
}

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Png,
    Raw(ByteOrder),
    GeoTiff,
    Exr,
}

impl Export {
    pub(crate) fn run(&self) -> Result<ExitCode> {
        // Before a long read, not after it.
        let kind = kind_of(&self.out, self.out_byte_order)?;
        if self.out.exists() && !self.force {
            return Err(Stop::new(format!("{} is there already; --force replaces it", self.out.display())));
        }
        let (field, report) = read::heightmap(&self.file, &self.import.options())?.into_field()?;
        warn(&report);
        unfinished::complete(&self.out, |part| {
            match kind {
                Kind::Png => export_png16(&field, part)?,
                Kind::Raw(order) => export_r16(&field, part, order)?,
                Kind::GeoTiff => export_geotiff(&field, part)?,
                Kind::Exr => export_exr(&field, part)?,
            }
            Ok(())
        })?;
        say(written(&field, kind, &self.out));
        Ok(ExitCode::SUCCESS)
    }
}

/// The format that a name asks for.
fn kind_of(out: &Path, order: Option<ByteOrder>) -> Result<Kind> {
    let extension =
        out.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default();
    let kind = match extension.as_str() {
        "png" => Kind::Png,
        "r16" | "raw" => Kind::Raw(order.unwrap_or(ByteOrder::Little)),
        "tif" | "tiff" => Kind::GeoTiff,
        "exr" => Kind::Exr,
        _ => {
            return Err(Stop::new(format!(
                "{} has no extension of a format that is written: .png (16 bits), .r16 or .raw (16 bits, nothing else), .tif \
                 or .tiff (GeoTIFF) and .exr (OpenEXR) are; `landform import` writes a terrain folder",
                out.display()
            )));
        }
    };
    match kind {
        Kind::Raw(_) => Ok(kind),
        _ if order.is_some() => Err(Stop::new(format!(
            "--out-byte-order is for .r16 and .raw; a .{extension} has a byte order of its own"
        ))),
        _ => Ok(kind),
    }
}

/// What was written, and how it is read back.
fn written(field: &Field, kind: Kind, out: &Path) -> String {
    let desc = field.desc();
    let (samples, format) = match kind {
        Kind::Png => ("16-bit codes", "PNG"),
        Kind::Raw(ByteOrder::Big) => ("16-bit codes", "raw, big-endian"),
        Kind::Raw(_) => ("16-bit codes", "raw, little-endian"),
        Kind::GeoTiff => ("metres in 32-bit floats", "GeoTIFF"),
        Kind::Exr => ("metres in 32-bit floats", "OpenEXR"),
    };
    let mut text =
        format!("{}: {} × {} samples, {samples}, {format}", out.display(), desc.width, desc.height);
    let mut options = Vec::new();
    if let Kind::Raw(order) = kind {
        options.push(format!("--raw-size {}x{}", desc.width, desc.height));
        if order == ByteOrder::Big {
            options.push("--byte-order be".into());
        }
    }
    if matches!(kind, Kind::Png | Kind::Raw(_)) {
        options.push(format!("--range {},{}", desc.range.min, desc.range.max));
        let holes = field.holes().count();
        if holes > 0 {
            text += &format!("\nIts {holes} open quads are not in it; .tif and .exr have voids.");
        }
    }
    if matches!(kind, Kind::GeoTiff | Kind::Exr) {
        let (holes, lost) = (field.holes().count(), holes_between_ground(field));
        if lost > 0 {
            text += &format!(
                "\n{lost} of its {holes} open quads are not in it, because voids are samples and these have ground at every \
                 corner; a terrain folder keeps them (landform import)."
            );
        }
    }
    if kind != Kind::GeoTiff {
        options.push(format!("--spacing {},{}", desc.spacing.x, desc.spacing.y));
    }
    if !options.is_empty() {
        text += &format!("\nTo read it back: {}", options.join(" "));
    }
    text
}

/// Open quads of which no corner is a void where voids stand for holes: a closed quad touches each.
fn holes_between_ground(field: &Field) -> u64 {
    if field.holes().count() == 0 {
        return 0;
    }
    let (columns, rows) = (field.desc().quads_x(), field.desc().quads_z());
    let is_void = |x: u32, z: u32| {
        let beside = |at: u32, count: u32| at.saturating_sub(1)..=at.min(count - 1);
        beside(z, rows).all(|z| beside(x, columns).all(|x| field.is_hole(Quad::new(x, z))))
    };
    let quads = (0..rows).flat_map(|z| (0..columns).map(move |x| (x, z)));
    let open = quads.filter(|&(x, z)| field.is_hole(Quad::new(x, z)));
    let corners = |x: u32, z: u32| [(x, z), (x + 1, z), (x, z + 1), (x + 1, z + 1)];
    open.filter(|&(x, z)| !corners(x, z).into_iter().any(|(x, z)| is_void(x, z))).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use landform::field::FieldDesc;

    #[test]
    fn a_quad_is_lost_where_each_of_its_corners_is_ground() {
        let open = |quads: &[(u32, u32)]| {
            let mut field = Field::new(FieldDesc::new(6, 5)).expect("a field");
            quads.iter().for_each(|&(x, z)| field.set_hole(Quad::new(x, z), true));
            holes_between_ground(&field)
        };
        assert_eq!(open(&[]), 0);
        assert_eq!(open(&[(2, 2)]), 1);
        assert_eq!(open(&[(2, 2), (3, 2)]), 2);
        // The four around a sample, and one more beside them.
        assert_eq!(open(&[(1, 1), (2, 1), (1, 2), (2, 2)]), 0);
        assert_eq!(open(&[(1, 1), (2, 1), (1, 2), (2, 2), (3, 2)]), 1);
        // A sample at a side touches two quads, one in a corner a single one.
        assert_eq!(open(&[(0, 0)]), 0);
        assert_eq!(open(&[(4, 1), (4, 2)]), 0);
        assert_eq!(open(&[(4, 1)]), 1);
    }
}
