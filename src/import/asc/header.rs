//! The words before a grid's samples, in any order and any case.

use super::super::degrees;
use super::super::grid::Notes;
use super::super::report::metres;
use super::words::{Words, number};
use crate::field::SampleRect;
use glam::DVec2;
use std::io::BufRead;

/// A cell no wider than this that lies within the degrees of the globe is one of degrees: some 11 km.
const WIDEST_DEGREES: f64 = 0.1;

/// What a header says.
pub(super) struct Header {
    pub(super) columns: u32,
    pub(super) rows: u32,
    /// The declared void.
    pub(super) nodata: Option<f64>,
    /// Width and height of a cell, in the unit of the file.
    cell: Option<DVec2>,
    /// The south-west corner, or the middle of its cell, in the unit of the file.
    corner: Option<DVec2>,
}

/// The words of a header; those of a corner have several spellings.
#[derive(Clone, Copy, PartialEq)]
enum Key {
    Columns,
    Rows,
    X,
    Y,
    Cell,
    CellX,
    CellY,
    NoData,
}

impl Key {
    const COUNT: usize = 8;

    fn of(word: &str) -> Option<Self> {
        Some(match word.to_ascii_lowercase().as_str() {
            "ncols" => Key::Columns,
            "nrows" => Key::Rows,
            "xllcorner" | "xllcenter" | "xllcentre" => Key::X,
            "yllcorner" | "yllcenter" | "yllcentre" => Key::Y,
            "cellsize" => Key::Cell,
            "dx" | "xcellsize" => Key::CellX,
            "dy" | "ycellsize" => Key::CellY,
            "nodata_value" | "nodata" => Key::NoData,
            _ => return None,
        })
    }
}

impl Header {
    /// Reads up to the first sample, which is returned. The error is a sentence.
    pub(super) fn read<R: BufRead>(words: &mut Words<R>) -> Result<(Self, f64), String> {
        let mut found = [None; Key::COUNT];
        let first = loop {
            let Some(word) = words.next()? else {
                return Err("ends before its first sample: truncated, or no Esri ASCII grid".to_owned());
            };
            if let Some(value) = number(word) {
                break value;
            }
            let key = Key::of(word).ok_or_else(|| {
                format!("`{word}` is neither a word of an Esri ASCII grid's header nor a number")
            })?;
            let word = word.to_owned();
            let value = words.next()?.and_then(number);
            let value = value.ok_or_else(|| format!("no number follows `{word}`"))?;
            if found[key as usize].replace(value).is_some() {
                return Err(format!("`{word}` is in the header twice"));
            }
        };
        let get = |key: Key| found[key as usize];
        let side = |key: Key, word: &str| match get(key) {
            None => Err(format!("the header lacks `{word}`")),
            Some(value) if value.fract() == 0.0 && (1.0..=f64::from(u32::MAX)).contains(&value) => {
                Ok(value as u32)
            }
            Some(value) => Err(format!("`{word} {value}` is no number of samples")),
        };
        let pair = |x: Key, y: Key| Some(DVec2::new(get(x)?, get(y)?));
        let header = Self {
            columns: side(Key::Columns, "ncols")?,
            rows: side(Key::Rows, "nrows")?,
            nodata: get(Key::NoData),
            cell: pair(Key::CellX, Key::CellY).or(get(Key::Cell).map(DVec2::splat)),
            corner: pair(Key::X, Key::Y),
        };
        Ok((header, first))
    }

    /// Metres between samples, where the header has a cell size, and whether that is one of degrees.
    pub(super) fn spacing(
        &self,
        window: SampleRect,
        notes: &mut Notes,
    ) -> Result<(Option<DVec2>, bool), String> {
        let Some(cell) = self.cell else { return Ok((None, false)) };
        if !(cell.is_finite() && cell.min_element() > 0.0) {
            return Err(format!(
                "a cell of {} × {}; both must be above 0, or state the spacing (--spacing, or \
                 ImportOptions::with_spacing)",
                cell.x, cell.y
            ));
        }
        let Some(latitude) = self.latitude(cell, window) else { return Ok((Some(cell), false)) };
        let spacing = degrees::to_metres(cell, latitude);
        notes.warn(format!(
            "a spacing of {} × {} m: a cell of {} × {} is taken as one of degrees, for it lies at latitude {}°; if it is not, \
             state the spacing",
            metres(spacing.x),
            metres(spacing.y),
            cell.x,
            cell.y,
            metres(latitude)
        ));
        Ok((Some(spacing), true))
    }

    /// Latitude of the middle of a window, where the header's numbers are degrees.
    fn latitude(&self, cell: DVec2, window: SampleRect) -> Option<f64> {
        let low = self.corner?;
        let high = low + cell * DVec2::new(f64::from(self.columns), f64::from(self.rows));
        let on_the_globe = low.x >= -181.0 && high.x <= 361.0 && low.y >= -91.0 && high.y <= 91.0;
        // A grid that was measured in a room begins at 0, 0.
        let degrees = on_the_globe && cell.max_element() <= WIDEST_DEGREES && low != DVec2::ZERO;
        let middle = high.y - cell.y * (f64::from(window.z0) + f64::from(window.z1)) / 2.0;
        degrees.then(|| middle.clamp(-89.0, 89.0))
    }
}
