//! USGS ASCII digital elevation models: records of 1024 characters, the first about the whole and one or more for each
//! profile, which is a column of samples from south to north. Profiles begin at northings of their own, so the valid
//! ground is a slanted rectangle in a grid whose rest is void. (USGS, *Standards for Digital Elevation Models*, 1998.)

mod record;

use super::canvas::Canvas;
use super::grid::{Grid, Notes};
use super::meaning::Meaning;
use super::report::metres;
use super::values::Values;
use super::{Format, ImportOptions, Units, beyond_the_file, degrees, window_of};
use crate::{Error, Result};
use glam::DVec2;
use record::{Record, Records};
use std::io::BufRead;
use std::path::Path;

/// The value of a sample that was not measured.
const VOID: f64 = -32767.0;
/// Metres of a foot.
const FOOT: f64 = 0.3048;
/// How far a profile may lie beside the rows of the others, in rows.
const SLACK: f64 = 0.05;

/// True where a file begins as a first record does: level, pattern and reference system are small numbers.
pub(super) fn is_header(head: &[u8]) -> bool {
    let record = Record::new(head);
    let small = |at: usize, low: i64, high: i64| record.integer(at).is_ok_and(|n| (low..=high).contains(&n));
    small(144, 1, 4) && small(150, 1, 1) && small(156, 0, 20) && small(528, 0, 3) && small(534, 1, 2)
}

/// Reads a model from a file of `bytes` bytes.
pub(super) fn read(name: &Path, input: impl BufRead, bytes: u64, options: &ImportOptions) -> Result<Grid> {
    let refuse = |why: String| Error::file(name, why);
    let mut records = Records::new(input);
    let mut head = records.next().map_err(refuse)?;
    if !is_header(head.text()) {
        return Err(refuse(
            "does not begin with the first record of a USGS ASCII DEM; a binary .dem, as that of GTOPO30, is not read"
                .to_owned(),
        ));
    }
    let header = Header::of(&head).map_err(refuse)?;
    let mut notes = Notes::default();
    records.next_into(&mut head).map_err(refuse)?;
    let first = Profile::of(&head).map_err(refuse)?;
    let rows = header.rows(&first).map_err(refuse)?;
    let (width, height) = (header.columns, rows.count);
    let window = window_of(name, width, height, options)?;
    // A sample is six characters, and even of a thin slanted map more than a part in 24 is not void.
    if u64::from(width) * 144 > bytes || u64::from(width) * u64::from(height) > 4 * bytes {
        return Err(refuse(beyond_the_file(width, height, bytes)));
    }
    let mut canvas = Canvas::filled(window, f32::NAN);
    let nodata = if options.nodata.is_empty() { &[VOID][..] } else { &options.nodata };
    for column in 0..width {
        if column > 0 {
            records.next_into(&mut head).map_err(refuse)?;
        }
        let place = |why: String| Error::file(name, format!("profile {} of {width}: {why}", column + 1));
        let profile = Profile::of(&head).map_err(place)?;
        let south = rows.southmost(&profile, column).map_err(place)?;
        for sample in 0..profile.count {
            let raw = records.elevation(&mut head, sample).map_err(place)?;
            if !nodata.contains(&f64::from(raw)) {
                let value = profile.datum + f64::from(raw) * header.step;
                canvas.set(column, south - sample, value as f32);
            }
        }
    }
    Ok(Grid {
        nodata: Some(VOID),
        voids_are_nan: true,
        meaning: Meaning::heights_in(header.units),
        is_in_degrees: matches!(header.ground, GroundUnit::Degrees(_)),
        spacing: Some(header.spacing(&mut notes)),
        notes,
        ..Grid::new(Format::UsgsDem, (width, height), window, Values::F32(canvas.into_values()))
    })
}

/// What the first record says.
struct Header {
    columns: u32,
    /// East and north distance of samples, in the file's ground unit.
    cell: DVec2,
    /// Elevation units of a sample's 1.
    step: f64,
    units: Units,
    ground: GroundUnit,
    /// Least and greatest northing of the corners.
    south: f64,
    north: f64,
}

enum GroundUnit {
    Metres(f64),
    Degrees(f64),
}

impl Header {
    /// Reads it. The error is a sentence.
    fn of(record: &Record) -> Result<Self, String> {
        let ground = match record.integer(528)? {
            0 => GroundUnit::Degrees(1f64.to_degrees()),
            1 => GroundUnit::Metres(FOOT),
            2 => GroundUnit::Metres(1.0),
            _ => GroundUnit::Degrees(1.0 / 3600.0),
        };
        let northings = [1, 3, 5, 7].map(|corner| record.real(546 + 24 * corner, 24));
        let (mut south, mut north) = (f64::INFINITY, f64::NEG_INFINITY);
        for northing in northings {
            let northing = northing?;
            (south, north) = (south.min(northing), north.max(northing));
        }
        let cell = DVec2::new(record.real(816, 12)?, record.real(828, 12)?);
        let step = record.real(840, 12)?;
        if !(cell.is_finite() && cell.min_element() > 0.0 && step.is_finite() && step > 0.0) {
            return Err(format!("a resolution of {} × {} × {step}, which must be above 0", cell.x, cell.y));
        }
        let columns = record.integer(858)?;
        let columns = u32::try_from(columns).map_err(|_| format!("claims {columns} profiles"))?;
        let units = if record.integer(534)? == 1 { Units::FEET } else { Units::METRES };
        Ok(Self { columns, cell, step, units, ground, south, north })
    }

    /// The rows that hold every profile: those of the first profile, from corner to corner.
    fn rows(&self, first: &Profile) -> Result<Rows, String> {
        let below = ((self.south - first.south) / self.cell.y + SLACK).floor();
        let above = ((self.north - first.south) / self.cell.y - SLACK).ceil();
        let count = above - below + 1.0;
        if !(2.0..=f64::from(u32::MAX)).contains(&count) {
            return Err(format!("corners from {} to {} north make no rows", self.south, self.north));
        }
        Ok(Rows { south: first.south + below * self.cell.y, step: self.cell.y, count: count as u32 })
    }

    /// Metres between samples.
    fn spacing(&self, notes: &mut Notes) -> DVec2 {
        match self.ground {
            GroundUnit::Metres(unit) => unit * self.cell,
            GroundUnit::Degrees(unit) => {
                let latitude = (unit * (self.south + self.north) / 2.0).clamp(-89.0, 89.0);
                let spacing = degrees::to_metres(unit * self.cell, latitude);
                notes.assume(format!(
                    "a spacing of {} × {} m: the file's angles at latitude {}°",
                    metres(spacing.x),
                    metres(spacing.y),
                    metres(latitude)
                ));
                spacing
            }
        }
    }
}

/// The rows of the grid.
struct Rows {
    /// Northing of the southmost row.
    south: f64,
    /// Northing from one to the next.
    step: f64,
    count: u32,
}

impl Rows {
    /// The row, from the north, of the first sample of a profile in this column, all of which lies in the grid.
    fn southmost(&self, profile: &Profile, column: u32) -> Result<u32, String> {
        if profile.column != i64::from(column) + 1 {
            return Err(format!("is numbered {}; the profiles are out of order", profile.column));
        }
        let above = (profile.south - self.south) / self.step;
        let row = above.round();
        let beside = (above - row).abs();
        if beside > SLACK || beside.is_nan() {
            return Err("its samples are not on the rows of the others".to_owned());
        }
        if row < 0.0 || row + f64::from(profile.count) > f64::from(self.count) {
            return Err("reaches beyond the corners of the map".to_owned());
        }
        Ok(self.count - 1 - row as u32)
    }
}

/// What the first record of a profile says before its samples.
struct Profile {
    column: i64,
    count: u32,
    /// Northing of the first sample.
    south: f64,
    /// Elevation that the samples are measured from.
    datum: f64,
}

impl Profile {
    /// Reads it. The error is a sentence.
    fn of(record: &Record) -> Result<Self, String> {
        let (count, across) = (record.integer(12)?, record.integer(18)?);
        if across != 1 {
            return Err(format!("a profile is {across} samples wide; only 1 is read"));
        }
        Ok(Self {
            column: record.integer(6)?,
            count: u32::try_from(count).map_err(|_| format!("a profile of {count} samples"))?,
            south: record.real(48, 24)?,
            datum: record.real(72, 24)?,
        })
    }
}

#[cfg(test)]
mod tests;
