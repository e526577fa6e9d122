//! The layers of a map: their file, their textures, and where they lie.

use crate::read::bar_for;
use crate::stop::{Result, Stop, is_interrupted};
use clap::{Args, ValueHint};
use landform::field::{Field, Weights};
use landform::import::{WeightOptions, import_weights};
use landform::splat::{Material, RuleMaps, grow};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// What the ground of a map is made of, as options.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Layers")]
pub struct LayerArgs {
    /// What the ground is made of: a RON file of layers (docs/layers.md). Where no --weights say where they lie, their rules
    /// do
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub layers: Option<PathBuf>,
    /// Where the textures of the layers are [default: the folder of the layers' file]
    #[arg(long, value_name = "FOLDER", requires = "layers", value_hint = ValueHint::DirPath)]
    pub textures: Option<PathBuf>,
    /// PNG pictures of the layers' weights, as many samples as the map: each channel is a layer, in order
    #[arg(long, value_name = "FILE", requires = "layers", num_args = 1.., value_hint = ValueHint::FilePath)]
    pub weights: Vec<PathBuf>,
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

    /// Lays the layers on the ground: by the pictures of weights, or by the layers' rules. Where there are neither, all of
    /// it is the first layer's.
    ///
    /// # Errors
    /// Pictures that cannot be read or are of another size than the map, a rule that cannot be followed, or an interrupt.
    pub fn lay(&self, field: &mut Field, material: &Material, maps: &RuleMaps<'_>) -> Result<()> {
        if !self.weights.is_empty() {
            let (weights, report) = import_weights(&self.weights, &WeightOptions::default())?;
            report.warnings.iter().for_each(|warning| eprintln!("landform: WARNING: {warning}"));
            return Ok(field.set_weights(Some(self.fit(weights, field, material)?))?);
        }
        grow_layers(field, material, maps)
    }

    /// Weights of pictures as this map and these layers take them.
    fn fit(&self, weights: Weights, field: &Field, material: &Material) -> Result<Weights> {
        let names: Vec<_> = self.weights.iter().map(|file| file.display().to_string()).collect();
        let (names, desc) = (names.join(", "), field.desc());
        if (weights.width(), weights.height()) != (desc.width, desc.height) {
            return Err(Stop::new(format!(
                "{names}: weights of {}×{} samples, and the map has {}×{}; scale the picture to the map's size",
                weights.width(),
                weights.height(),
                desc.width,
                desc.height
            )));
        }
        let (channels, layers) = (weights.layers(), material.layers.len().max(1));
        // A picture has three channels or four, whether or not there are as many layers.
        let past = |sample: &[u8]| sample.iter().skip(layers).any(|&weight| weight > 0);
        if channels as usize <= layers {
            return Ok(weights);
        }
        if weights.bytes().chunks_exact(channels as usize).any(past) {
            return Err(Stop::new(format!(
                "{names}: weights of {channels} layers, and the material has {layers}; add the others to it, or clear their \
                 channels"
            )));
        }
        Ok(weights.with_layers(layers as u32, 0)?)
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
