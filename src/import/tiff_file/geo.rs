//! Where a picture is on the ground, as far as a heightmap needs it: metres between samples. (OGC 19-008, *GeoTIFF*.)

use super::super::grid::Notes;
use super::super::report::metres;
use super::super::{Units, degrees};
use super::directory::{Directory, Source, tag};
use super::geo_keys::{Axes, Keys};
use crate::field::{FieldDesc, SampleRect};
use glam::{DMat2, DVec2};
use std::io::{Read, Seek};

/// Steps of no reference system that are smaller, at a place that may be one in degrees, are degrees.
const DEGREES_BELOW: f64 = 0.1;
/// A step that leaves its axis by a smaller part of its length is not turned.
const TURNED: f64 = 1e-6;

/// What the tags of a directory say about the ground.
pub(super) struct Ground {
    /// The file has such tags.
    pub(super) known: bool,
    /// Metres between samples.
    pub(super) spacing: Option<DVec2>,
    /// The unit of heights.
    pub(super) units: Option<Units>,
    /// What the map's axes are in.
    axes: Option<Axes>,
}

impl Ground {
    /// True where the axes are angles.
    pub(super) fn is_in_degrees(&self) -> bool {
        matches!(self.axes, Some(Axes::Degrees(_)))
    }

    /// True where the axes are in feet of any kind.
    pub(super) fn is_in_feet(&self) -> bool {
        matches!(self.axes, Some(Axes::Metres(unit)) if (unit - Units::FEET.metres()).abs() < 1e-4)
    }

    /// Reads the tags of a picture of which a window is kept. The error is a sentence.
    pub(super) fn read<R: Read + Seek>(
        source: &mut Source<R>,
        directory: &Directory,
        window: SampleRect,
        notes: &mut Notes,
    ) -> Result<Self, String> {
        let keys = Keys::read(source, directory)?;
        let place = Place::read(source, directory)?;
        let known = !keys.is_empty() || place.is_some();
        // Half a pixel beside the corner is the first sample, unless the corner is one.
        let shift = if keys.corners_are_samples() { 0.5 } else { 0.0 };
        let ends = |low: u32, high: u32| f64::from(low) + f64::from(high);
        let middle = DVec2::new(ends(window.x0, window.x1), ends(window.z0, window.z1)) / 2.0 - shift;
        let mut ground = Self { known, spacing: None, units: keys.height_units(notes), axes: None };
        if let Some(place) = place {
            let axes = keys.axes(notes).unwrap_or_else(|| place.guess(lengths(place.steps), notes));
            ground.spacing = place.spacing(axes, middle, notes);
            ground.axes = Some(axes);
        }
        Ok(ground)
    }
}

/// Where samples are, in the units of the map's axes.
struct Place {
    /// From a sample to the one in its east, and to the one in its south.
    steps: DMat2,
    /// The place of the picture's first corner, where the file says.
    origin: Option<DVec2>,
}

impl Place {
    /// None where the directory does not say.
    fn read<R: Read + Seek>(source: &mut Source<R>, directory: &Directory) -> Result<Option<Self>, String> {
        let scale = source.reals(directory, tag::PIXEL_SCALE)?;
        let tie = source.reals(directory, tag::TIEPOINT)?;
        if let [x, y, ..] = scale[..] {
            // The sign of a scale means nothing: rows run to the south.
            let steps = DMat2::from_diagonal(DVec2::new(x.abs(), -y.abs()));
            let origin = match tie[..] {
                [column, row, _, x, y, ..] => Some(DVec2::new(x, y) - steps * DVec2::new(column, row)),
                _ => None,
            };
            return Ok(Some(Self { steps, origin }));
        }
        Ok(match source.reals(directory, tag::TRANSFORMATION)?[..] {
            [a, b, _, x, c, d, _, y, ..] => {
                let steps = DMat2::from_cols(DVec2::new(a, c), DVec2::new(b, d));
                Some(Self { steps, origin: Some(DVec2::new(x, y)) })
            }
            _ => None,
        })
    }

    /// Metres between samples; none where they are none of a terrain. `middle` is the middle of the window, in samples.
    fn spacing(&self, axes: Axes, middle: DVec2, notes: &mut Notes) -> Option<DVec2> {
        let spacing = self.metres(axes, middle, notes);
        if FieldDesc::new(2, 2).with_spacing(spacing.x, spacing.y).validate().is_err() {
            notes.warn(format!(
                "a spacing of {} × {} m, which follows from the file, is none of a terrain and is ignored",
                spacing.x, spacing.y
            ));
            return None;
        }
        self.doubt(notes);
        Some(spacing)
    }

    fn metres(&self, axes: Axes, middle: DVec2, notes: &mut Notes) -> DVec2 {
        let latitude = self.origin.map_or(0.0, |origin| (origin + self.steps * middle).y);
        match axes {
            Axes::Metres(unit) => unit * lengths(self.steps),
            Axes::Degrees(unit) => {
                let latitude = (unit * latitude).clamp(-89.0, 89.0);
                let unit = degrees::to_metres(DVec2::splat(unit), latitude);
                let spacing = lengths(DMat2::from_diagonal(unit) * self.steps);
                let unknown =
                    if self.origin.is_some() { "" } else { ", because it does not say where it is" };
                notes.assume(format!(
                    "a spacing of {} × {} m: the file's angles at latitude {}°{unknown}",
                    metres(spacing.x),
                    metres(spacing.y),
                    metres(latitude)
                ));
                spacing
            }
        }
    }

    /// The unit of axes that the file does not say.
    fn guess(&self, cell: DVec2, notes: &mut Notes) -> Axes {
        let on_a_globe = |place: DVec2| place.x.abs() <= 360.0 && place.y.abs() <= 90.0;
        let small = cell.min_element() > 0.0 && cell.max_element() < DEGREES_BELOW;
        if small && self.origin.is_some_and(on_a_globe) {
            notes.warn(format!(
                "samples that are {} × {} apart in a unit that the file does not say are taken as degrees; if they are \
                 not, state the spacing (--spacing, or ImportOptions::with_spacing)",
                cell.x, cell.y
            ));
            return Axes::Degrees(1.0);
        }
        notes.assume(format!(
            "{} × {} m between samples, because the file does not say the unit",
            cell.x, cell.y
        ));
        Axes::Metres(1.0)
    }

    /// Warns of a map that does not lie as it is drawn.
    fn doubt(&self, notes: &mut Notes) {
        let (east, south) = (self.steps.x_axis, self.steps.y_axis);
        let turned = east.y.abs() > TURNED * east.length() || south.x.abs() > TURNED * south.length();
        if turned {
            let angle = east.y.atan2(east.x).to_degrees();
            let mirrored = if self.steps.determinant() > 0.0 { ", and mirrored" } else { "" };
            notes.warn(format!(
                "the map is rotated by {}° against the north{mirrored}; it is drawn as if it were not",
                metres(angle)
            ));
            return;
        }
        let (lies, flip) = match (east.x < 0.0, south.y > 0.0) {
            (false, false) => return,
            (true, false) => ("columns run from east to west", "west-east"),
            (false, true) => ("rows run from south to north", "north-south"),
            (true, true) => ("rows run from south to north and its columns from east to west", "both"),
        };
        notes.warn(format!("the file's {lies}; turn the map (--flip {flip}, or ImportOptions::with_flip)"));
    }
}

fn lengths(steps: DMat2) -> DVec2 {
    DVec2::new(steps.x_axis.length(), steps.y_axis.length())
}
