//! The layers of a map: their file, their textures, where they lie, and where there is no ground for them.

mod pictures;

use crate::parse::choice;
use crate::read::bar_for;
use crate::stop::{Result, Stop, is_interrupted};
use clap::{Args, ValueHint};
use landform::field::Field;
use landform::import::Alpha;
use landform::splat::{Material, RuleMaps, grow};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What the ground of a map is made of, as options.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Layers")]
pub struct LayerArgs {
    /// What the ground is made of: a RON file of layers (docs/layers.md). Where neither --weights nor --ids say where they
    /// lie, their rules do
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub layers: Option<PathBuf>,
    /// Where the textures of the layers are [default: the folder of the layers' file]
    #[arg(long, value_name = "FOLDER", requires = "layers", value_hint = ValueHint::DirPath)]
    pub textures: Option<PathBuf>,
    /// PNG pictures of the layers' weights, as many samples as the map: each channel is a layer, in order. Whatever the
    /// channels of a sample are together is scaled to the whole; a layer of mode Alpha is none of it and keeps its values
    #[arg(long, value_name = "FILE", requires = "layers", num_args = 1.., value_hint = ValueHint::FilePath)]
    pub weights: Vec<PathBuf>,
    /// A picture of layer numbers in place of --weights, PNG or TGA, as many samples as the map: a sample is wholly of the
    /// layer whose number it has, counted from 0. Numbers are in the red channel; FILE#g, FILE#b or FILE#a reads another
    #[arg(long, value_name = "FILE", requires = "layers", conflicts_with = "weights", value_hint = ValueHint::FilePath)]
    pub ids: Option<PathBuf>,
    /// PNG pictures of regions, as many samples as the map: each channel is one of the `sets` of the layers' file, in order,
    /// and says where the layers blend by it [default: all of the map has the first set]
    #[arg(long, value_name = "FILE", requires = "layers", num_args = 1.., value_hint = ValueHint::FilePath)]
    pub regions: Vec<PathBuf>,
    /// Whether alpha channels of --weights and --regions count as channels: auto takes one that differs from sample to
    /// sample
    #[arg(long, default_value = "auto", value_name = "auto|layer|ignore", hide_possible_values = true,
        value_parser = choice(Alpha::ALL.map(|alpha| (alpha.name(), alpha))))]
    pub alpha: Alpha,
    /// Small numbers in --weights and --regions are faint weights, not layer numbers
    #[arg(long)]
    pub faint: bool,
    /// A PNG mask of holes, a pixel a sample or a pixel a quad of the map: there is no ground where it is not 0. The mask is
    /// the red channel; FILE#g, FILE#b or FILE#a reads another
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub holes: Option<PathBuf>,
    /// The mask of --holes marks the ground, and the rest is open
    #[arg(long, requires = "holes")]
    pub invert_holes: bool,
}

/// What the ground is made of, and where its textures are.
#[derive(Clone, Debug)]
pub struct Layers {
    /// The layers.
    pub material: Material,
    /// The folder of their textures.
    pub textures: PathBuf,
}

impl LayerArgs {
    /// The layers that are asked for, or None.
    ///
    /// # Errors
    /// A file that cannot be read or is no list of layers.
    pub fn read(&self) -> Result<Option<Layers>> {
        let Some(file) = &self.layers else { return Ok(None) };
        let beside = || file.parent().unwrap_or(Path::new("")).to_owned();
        let textures = self.textures.clone().unwrap_or_else(beside);
        Ok(Some(Layers { material: Material::read(file)?, textures }))
    }

    /// Opens the holes that are asked for, and lays the layers on the ground: by the pictures of weights or of layer numbers,
    /// or by the layers' rules. Where there are neither, all of it is the first layer's. What was found in pictures is
    /// printed, what looks wrong in them or in the layers' file is said on stderr.
    ///
    /// # Errors
    /// Pictures that cannot be read, are of another size than the map or of more layers than there are, a rule that cannot be
    /// followed, or an interrupt.
    pub fn lay(&self, field: &mut Field, material: &Material, maps: &RuleMaps<'_>) -> Result<()> {
        // Not where the file is read: who only checks it lists the notes among others.
        if let Some(file) = &self.layers {
            let file = file.display();
            material.notes().iter().for_each(|note| eprintln!("landform: NOTE: {file}: {note}"));
        }
        self.open_holes(field)?;
        match self.read_weights(field, material)? {
            Some(weights) => field.set_weights(Some(weights))?,
            None => grow_layers(field, material, maps)?,
        }
        Ok(field.set_regions(self.read_regions(field, material)?)?)
    }
}

/// Lays layers on the ground by their rules, with a bar where that takes long.
///
/// # Errors
/// A rule that cannot be followed, or an interrupt.
pub fn grow_layers(field: &mut Field, material: &Material, maps: &RuleMaps<'_>) -> Result<()> {
    if material.layers.iter().all(|layer| layer.rule.is_none()) {
        return Ok(field.set_weights(None)?);
    }
    let mut bar = bar_for("laying the layers".into());
    let grown = grow(field, material, maps, &mut |part| {
        bar(part.into());
        if is_interrupted() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    drop(bar);
    let weights = grown?.ok_or_else(Stop::interrupted)?;
    Ok(field.set_weights(Some(weights))?)
}

#[cfg(test)]
mod tests;
