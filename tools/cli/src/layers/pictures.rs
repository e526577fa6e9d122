//! Pictures that say where layers, blend sets and holes are, as a map and its layers take them.

use super::LayerArgs;
use crate::stop::{Result, Stop, say};
use landform::field::{Field, Weights};
use landform::import::{
    Channel, HoleOptions, IdOptions, WeightOptions, WeightReport, import_holes, import_ids, import_weights,
};
use landform::splat::{LayerMode, Material};
use std::fmt;
use std::mem;
use std::path::{Path, PathBuf};

impl LayerArgs {
    /// Where the layers lie by pictures, or None where none is named.
    pub(super) fn read_weights(&self, field: &Field, material: &Material) -> Result<Option<Weights>> {
        if let Some(file) = &self.ids {
            return read_ids(file, field, material).map(Some);
        }
        if self.weights.is_empty() {
            return Ok(None);
        }
        let layers = material.layers.len().max(1);
        let options = self.weight_options().with_over(over_of(material)).with_layers(layers as u32);
        let (weights, report) = import_weights(&self.weights, &options)?;
        let fitted = Fit { what: "weights", of: "layers", most: layers }.fit(weights, report, field)?;
        Ok(Some(fitted))
    }

    /// Where each of the material's blend sets holds, or None where no picture is named.
    pub(super) fn read_regions(&self, field: &Field, material: &Material) -> Result<Option<Weights>> {
        if self.regions.is_empty() {
            return Ok(None);
        }
        let sets = material.sets.len().max(1);
        if sets == 1 {
            return Err(Stop::new(format!(
                "{}: regions choose among the blend sets of a material, and this one has one; give it more (sets: [(…), (…)]), \
                 or leave --regions out",
                names(&self.regions)
            )));
        }
        let (regions, report) = import_weights(&self.regions, &self.weight_options())?;
        Fit { what: "regions", of: "blend sets", most: sets }.fit(regions, report, field).map(Some)
    }

    /// Opens the holes of the mask, where one is named. Those that the map has by itself stay.
    ///
    /// # Errors
    /// A mask that cannot be read, or is neither of the map's samples nor of its quads.
    pub fn open_holes(&self, field: &mut Field) -> Result<()> {
        let Some(named) = &self.holes else { return Ok(()) };
        let (file, channel) = channel_of(named);
        let options = HoleOptions::default().with_channel(channel).with_invert(self.invert_holes);
        let holes = import_holes(&file, &options)?;
        let opened = holes.open_in(field)?;
        let (name, (width, height), marked) = (file.display(), holes.size(), holes.count());
        if marked == 0 {
            warn(format_args!("{name}: nothing is marked, so that no ground is open"));
        } else if marked == u64::from(width) * u64::from(height) {
            warn(format_args!(
                "{name}: everything is marked, so that no ground is left; --invert-holes, or another channel?"
            ));
        }
        say(format_args!(
            "holes\n  file      {name}\n  size      {width} × {height} pixels, {marked} of them marked\n  opened    {opened} \
             quads"
        ));
        Ok(())
    }

    fn weight_options(&self) -> WeightOptions {
        WeightOptions::default().with_alpha(self.alpha).with_allow_faint(self.faint)
    }
}

/// Weights of a picture of layer numbers.
fn read_ids(named: &Path, field: &Field, material: &Material) -> Result<Weights> {
    let (file, channel) = channel_of(named);
    let (weights, report) = import_ids(&file, &IdOptions::default().with_channel(channel))?;
    let name = file.display();
    check_size(&name, "layer numbers", &weights, field)?;
    let (found, layers) = (weights.layers(), material.layers.len().max(1) as u32);
    if found > layers {
        return Err(Stop::new(format!(
            "{name}: layer numbers up to {}, and the material has {layers} layers, from number 0 on; add the others to it, or \
             read another channel (FILE#g)",
            found - 1
        )));
    }
    say(format_args!("layer numbers\n{}", report.to_string().trim_end()));
    // What lies over is laid over something: the layer under it has to be there, whether or not the picture has its number.
    let over = over_of(material);
    let layers = found.max(over.trailing_ones() + 1);
    Ok(weights.with_layers(layers, over & mask(layers))?)
}

/// How pictures of weights are called, what their channels are, and how many of that there are.
struct Fit {
    what: &'static str,
    of: &'static str,
    most: usize,
}

impl Fit {
    /// Weights as this map and its material take them, and what was found in them, for people.
    fn fit(&self, weights: Weights, mut report: WeightReport, field: &Field) -> Result<Weights> {
        let Self { what, of, most } = *self;
        let warnings = mem::take(&mut report.warnings);
        warnings.iter().for_each(|warning| warn(format_args!("{what}: {warning}")));
        let names = names(&report.names);
        check_size(&names, what, &weights, field)?;
        let channels = weights.layers() as usize;
        // A picture has three channels or four, whether or not there are as many layers.
        let past = |sample: &[u8]| sample.iter().skip(most).any(|&weight| weight > 0);
        if channels > most && weights.bytes().chunks_exact(channels).any(past) {
            return Err(Stop::new(format!(
                "{names}: {what} of {channels} {of}, and the material has {most}; add the others to it, or clear their \
                 channels"
            )));
        }
        let is_of = if of == "layers" { String::new() } else { format!(" (their layers are the {of})") };
        say(format_args!("{what}{is_of}\n{}", report.to_string().trim_end()));
        match channels > most {
            true => Ok(weights.with_layers(most as u32, weights.over() & mask(most as u32))?),
            false => Ok(weights),
        }
    }
}

/// Refuses a picture of another map.
fn check_size(names: &impl fmt::Display, what: &str, weights: &Weights, field: &Field) -> Result<()> {
    let (size, desc) = ((weights.width(), weights.height()), field.desc());
    if size == (desc.width, desc.height) {
        return Ok(());
    }
    Err(Stop::new(format!(
        "{names}: {what} of {}×{} samples, and the map has {}×{}; scale the picture to the map's size",
        size.0, size.1, desc.width, desc.height
    )))
}

/// The layers that lie over the others, a bit a layer. Where all do, the first lies under them, as in `splat::blend`.
fn over_of(material: &Material) -> u32 {
    let is_over = |layer: &usize| material.layers[*layer].mode == LayerMode::Alpha;
    let over = (0..material.layers.len()).filter(is_over).fold(0, |over, layer| over | 1 << layer);
    if over == mask(material.layers.len() as u32) { over & !1 } else { over }
}

/// A bit for each of so many layers.
fn mask(layers: u32) -> u32 {
    ((1u64 << layers) - 1) as u32
}

/// A file and the channel that a suffix asks for, as in a file of layers; red without one.
fn channel_of(named: &Path) -> (PathBuf, Channel) {
    let suffixes = Channel::ALL.into_iter().zip(["#r", "#g", "#b", "#a"]);
    let asked = named.to_str().and_then(|name| {
        suffixes.into_iter().find_map(|(channel, suffix)| Some((name.strip_suffix(suffix)?.into(), channel)))
    });
    asked.unwrap_or((named.to_owned(), Channel::Red))
}

fn names(files: &[PathBuf]) -> String {
    files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", ")
}

fn warn(warning: fmt::Arguments<'_>) {
    eprintln!("landform: WARNING: {warning}");
}
