//! Where layers grow by their rules: weights from the form of the ground.
//!
//! Rows are made on all threads, and every sample is a function of the field alone, so weights are the same for any number
//! of threads, and a rectangle made again is what it is in the whole map.

mod flow;
mod ragged;
mod shape;
#[cfg(test)]
mod tests;

pub use flow::flow_map;

use super::{Band, Layer, LayerMode, Material, Rule};
use crate::field::{Field, SampleRect, Weights};
use crate::{Error, Result};
use ragged::Noise;
use shape::Shape;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;

/// The part of the time that following the water takes.
const FLOW: f32 = 0.5;

/// Samples that a thread makes between two reports: a fraction of a second.
const BATCH: usize = 200_000;

/// The full weight of layers that share the ground; any number would do.
const WHOLE: f32 = 65535.0;

/// What rules may ask of the ground beside its form: row-major, a number a sample of the field. What is no number, and what
/// is below a band, is outside of it.
#[derive(Clone, Copy, Debug, Default)]
pub struct RuleMaps<'a> {
    /// Ground that drains through a sample, m². [`grow`] follows the water itself where this is left out, by [`flow_map`].
    pub flow: Option<&'a [f32]>,
    /// Loose ground over rock, metres.
    pub deposit: Option<&'a [f32]>,
}

/// Weights of a material's layers, grown by their rules over a whole field. `None` where `progress`, which gets 0…1 on the
/// calling thread, asked for an end.
///
/// A layer covers as much of a sample as the product of its rule's bands, times `amount`, and lies over the layers before it
/// in the list; the first layer takes what is left, whatever its own rule, and a layer without a rule gets nothing. Layers
/// of mode [`Alpha`](LayerMode::Alpha) are none of that: each has its own 0…255, 0 without a rule.
///
/// Slopes are measured over 4 m, twice the 2 m between samples of a 3×3 window, and curvature over 8 m: wider on maps with
/// large spacings or with coarse codes.
///
/// # Errors
/// What [`Material::validate`] refuses; a material without layers; maps of another size than the field; a rule that asks for
/// the deposit where no map of it is given; and what [`flow_map`] refuses.
pub fn grow(
    field: &Field,
    material: &Material,
    maps: &RuleMaps,
    progress: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Option<Weights>> {
    grow_on(threads(), field, material, maps, progress)
}

/// The weights of a rectangle alone, as [`grow`] makes them: what is left to do after the ground there was sculpted. Row by
/// row, a byte a layer, those of a sample side by side, as in [`Weights::bytes`].
///
/// Slope and curvature are those of the ground as it is now; they reach past the rectangle by the window they are measured
/// over, so a rectangle that was sculpted is made again with a margin of some metres. Water is not followed again, which
/// the whole map would be needed for: a rule that asks for flow reads the map that is given, for instance that of the ground
/// before.
///
/// # Errors
/// As [`grow`], and a rectangle that reaches past the map, and a rule that asks for flow where no map of it is given.
pub fn grow_rect(field: &Field, material: &Material, maps: &RuleMaps, rect: SampleRect) -> Result<Vec<u8>> {
    let painter = Painter::new(field, material, maps)?;
    let desc = field.desc();
    if rect != rect.clipped(desc.width, desc.height) {
        let why = format!("{rect:?} reaches past a map of {}×{} samples", desc.width, desc.height);
        return Err(Error::invalid("rule rectangle", why));
    }
    if let Some(layer) = painter.asks(|rule| rule.flow).filter(|_| maps.flow.is_none()) {
        let why = format!(
            "layer '{layer}' grows by flow, which a part of a map does not tell; give the map of flow, which flow_map makes"
        );
        return Err(Error::invalid("rule maps", why));
    }
    if rect.is_empty() {
        return Ok(Vec::new());
    }
    let weights = painter.weights(rect, threads(), &mut |_| ControlFlow::Continue(()))?;
    Ok(weights.map(|weights| weights.bytes().to_vec()).unwrap_or_default())
}

fn threads() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

fn grow_on(
    threads: usize,
    field: &Field,
    material: &Material,
    maps: &RuleMaps,
    progress: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Option<Weights>> {
    let mut painter = Painter::new(field, material, maps)?;
    let followed;
    let mut begun = 0.0;
    if maps.flow.is_none() && painter.asks(|rule| rule.flow).is_some() {
        let Some(flow) = flow_map(field, &mut |part| progress(FLOW * part))? else { return Ok(None) };
        followed = flow;
        painter.maps.flow = Some(&followed);
        begun = FLOW;
    }
    painter.weights(field.desc().rect(), threads, &mut |part| progress(begun + (1.0 - begun) * part))
}

/// What all rows need to know.
struct Painter<'a> {
    field: &'a Field,
    shape: Shape<'a>,
    maps: RuleMaps<'a>,
    layers: Vec<Growth<'a>>,
    /// The layer that takes what is left: the first that is not over the others.
    first: Option<usize>,
}

/// A layer to the painter.
struct Growth<'a> {
    name: &'a str,
    over: bool,
    rule: Option<&'a Rule>,
    ragged: Option<Noise>,
}

/// What bands are asked of, at a sample. What no rule asks for is left at 0.
#[derive(Default)]
struct Place {
    slope: f32,
    altitude: f32,
    curvature: f32,
    flow: f32,
    deposit: f32,
}

impl<'a> Painter<'a> {
    fn new(field: &'a Field, material: &'a Material, maps: &RuleMaps<'a>) -> Result<Self> {
        material.validate()?;
        if material.layers.is_empty() {
            return Err(Error::invalid(
                "material",
                "no layer that could grow; add one, for instance (name: \"rock\")",
            ));
        }
        for (what, map) in [("flow", maps.flow), ("deposit", maps.deposit)] {
            let (wanted, desc) = (field.samples().len(), field.desc());
            if let Some(map) = map.filter(|map| map.len() != wanted) {
                let why = format!(
                    "a {what} of {} numbers; a field of {}×{} samples needs {wanted}",
                    map.len(),
                    desc.width,
                    desc.height
                );
                return Err(Error::invalid("rule maps", why));
            }
        }
        let first = material.layers.iter().position(|layer| layer.mode != LayerMode::Alpha);
        let growth = |(index, layer): (usize, &'a Layer)| {
            let rule = layer.rule.as_ref().filter(|_| Some(index) != first);
            let ragged = rule.filter(|rule| rule.ragged > 0.0);
            Growth {
                name: &layer.name,
                over: layer.mode == LayerMode::Alpha,
                rule,
                ragged: ragged.map(|rule| Noise::new(&layer.name, rule.patch)),
            }
        };
        let layers = material.layers.iter().enumerate().map(growth).collect();
        let painter = Self { field, shape: Shape::new(field), maps: *maps, layers, first };
        if let Some(layer) = painter.asks(|rule| rule.deposit).filter(|_| maps.deposit.is_none()) {
            let why = format!(
                "layer '{layer}' grows by deposit, which heights do not tell; give the map of it, or leave deposit out of \
                 the rule"
            );
            return Err(Error::invalid("rule maps", why));
        }
        Ok(painter)
    }

    /// The first layer whose rule has such a band.
    fn asks(&self, band: impl Fn(&Rule) -> Option<Band>) -> Option<&'a str> {
        self.layers
            .iter()
            .find(|layer| layer.rule.is_some_and(|rule| band(rule).is_some()))
            .map(|layer| layer.name)
    }

    /// The weights of a rectangle that is not empty, or `None` where `progress` asked for an end.
    fn weights(
        &self,
        rect: SampleRect,
        threads: usize,
        progress: &mut dyn FnMut(f32) -> ControlFlow<()>,
    ) -> Result<Option<Weights>> {
        let (length, rows) = (rect.width() as usize * self.layers.len(), rect.height() as usize);
        let share = (BATCH / rect.width() as usize).max(1);
        let (mut ready, mut taken, mut made) = (Vec::new(), 0, 0);
        let mut stopped = false;
        let next = |row: &mut Vec<u16>| {
            if taken == ready.len() {
                stopped = progress(made as f32 / rows as f32).is_break();
                if stopped {
                    return Err(Error::invalid("rules", "stopped"));
                }
                let batch = (share * threads).min(rows - made);
                ready.resize(batch * length, 0);
                self.rows(rect, made, share, &mut ready);
                (made, taken) = (made + batch, 0);
            }
            row.extend_from_slice(&ready[taken..taken + length]);
            taken += length;
            Ok(())
        };
        let over =
            self.layers.iter().enumerate().fold(0, |over, (i, layer)| over | u32::from(layer.over) << i);
        let (width, height, layers) = (rect.width(), rect.height(), self.layers.len() as u32);
        let weights = Weights::of_rows_with(width, height, layers, over, next);
        if stopped { Ok(None) } else { weights.map(Some) }
    }

    /// Amounts of rows from the `first` of the rectangle on, as many as there is room for, `share` of them a thread.
    fn rows(&self, rect: SampleRect, first: usize, share: usize, amounts: &mut [u16]) {
        let length = rect.width() as usize * self.layers.len();
        std::thread::scope(|scope| {
            for (part, rows) in amounts.chunks_mut(share * length).enumerate() {
                let first = rect.z0 as usize + first + part * share;
                scope.spawn(move || {
                    for (row, amounts) in rows.chunks_exact_mut(length).enumerate() {
                        self.row(rect.x0 as usize, first + row, amounts);
                    }
                });
            }
        });
    }

    /// Amounts of the samples of a row, from column `x0` on.
    fn row(&self, x0: usize, z: usize, amounts: &mut [u16]) {
        let asks = |band: fn(&Rule) -> Option<Band>| self.asks(band).is_some();
        let (slope, altitude) = (asks(|rule| rule.slope), asks(|rule| rule.altitude));
        let curvature = asks(|rule| rule.curvature);
        let desc = self.field.desc();
        let start = z * desc.width as usize;
        for (column, amounts) in amounts.chunks_exact_mut(self.layers.len()).enumerate() {
            let x = x0 + column;
            let mut place = Place::default();
            if slope {
                place.slope = self.shape.slope(x, z);
            }
            if altitude {
                place.altitude = desc.range.metres(self.field.samples()[start + x].into()) as f32;
            }
            if curvature {
                place.curvature = self.shape.curvature(x, z);
            }
            place.flow = self.maps.flow.map_or(0.0, |flow| flow[start + x]);
            place.deposit = self.maps.deposit.map_or(0.0, |deposit| deposit[start + x]);
            self.paint(&place, [x as f64 * desc.spacing.x, z as f64 * desc.spacing.y], amounts);
        }
    }

    /// Amounts of a sample at these metres from the map's corner: the last layer is seen first.
    fn paint(&self, place: &Place, at: [f64; 2], amounts: &mut [u16]) {
        let mut rest = 1.0f32;
        for (layer, amount) in self.layers.iter().zip(&mut *amounts).rev() {
            let Some(rule) = layer.rule else {
                *amount = 0;
                continue;
            };
            let shift = layer.ragged.map_or(0.0, |noise| noise.at(at[0], at[1]) * rule.ragged);
            let covered = covered(rule, place, shift);
            if layer.over {
                *amount = (covered * f32::from(Weights::WHOLE) + 0.5) as u16;
            } else {
                *amount = (rest * covered * WHOLE + 0.5) as u16;
                rest *= 1.0 - covered;
            }
        }
        if let Some(first) = self.first {
            amounts[first] = (rest * WHOLE + 0.5) as u16;
        }
    }
}

/// How much of a place a rule covers, 0…1. `shift` moves the edges of its bands, in units of what each fades over.
fn covered(rule: &Rule, place: &Place, shift: f32) -> f32 {
    let bands = [
        (rule.slope, place.slope),
        (rule.altitude, place.altitude),
        (rule.curvature, place.curvature),
        (rule.flow, place.flow),
        (rule.deposit, place.deposit),
    ];
    let mut covered = rule.amount;
    for (band, value) in bands {
        if let Some(band) = band {
            covered *= inside(band, value + shift * band.soft);
        }
    }
    // What is no number covers nothing.
    if covered > 0.0 { covered.min(1.0) } else { 0.0 }
}

/// 1 within the band, smoothly down to 0 within `soft` outside.
fn inside(band: Band, value: f32) -> f32 {
    let fade = |outside: f32| {
        if outside <= 0.0 {
            return 1.0;
        }
        // What is no number is outside; and 0 over 0 does not come up.
        let t = if outside < band.soft { 1.0 - outside / band.soft } else { 0.0 };
        t * t * (3.0 - 2.0 * t)
    };
    fade(band.from - value) * fade(value - band.to)
}
