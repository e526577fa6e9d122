//! Pictures of layer weights, which paint programs and other terrain tools call splat maps: each channel of a PNG is a layer.
//!
//! The pictures are read twice and row by row: once for what their channels are, and once for the weights, so that besides
//! the weights no more than a row of each is held. An interlaced picture is held whole.

mod export;
mod ids;
mod picture;
mod report;
mod tga;

pub use export::{WeightFiles, export_weights};
pub use ids::{IdOptions, IdReport, import_ids};
pub(super) use picture::Picture;
pub use report::WeightReport;

use super::MAX_SAMPLES;
use crate::field::{Weights, first_shared};
use crate::{Error, Result};
use picture::{Survey, WEIGHTS};
use std::path::Path;

/// What the alpha channel of a picture of weights is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Alpha {
    /// What the file says where it is of [`export_weights`]. Else a layer where it differs from sample to sample, and no layer
    /// where it is the same everywhere: opaque, or clear.
    #[default]
    Auto,
    /// A layer.
    Layer,
    /// No layer.
    Ignore,
}

/// What a caller knows about pictures of weights. The command line has each option by the same name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WeightOptions {
    /// What alpha channels are.
    pub alpha: Alpha,
    /// Channels of small numbers in patches are faint weights. Without this they are taken for numbers of layers and
    /// refused.
    pub allow_faint: bool,
    /// The layers that lie over the others, a bit a layer from the lowest on: those in
    /// [`LayerMode::Alpha`](crate::splat::LayerMode::Alpha). Their values are kept as they are, and the others are 255
    /// together. Bits past the layers say nothing, and where all are set layer 0 lies under the others.
    pub over: u32,
    /// How many layers there are, where some have no channel: those lie nowhere. The weights end with the last channel all
    /// the same, or, where every channel lies over the others, with the first layer that does not.
    pub layers: Option<u32>,
}

impl WeightOptions {
    /// The same options with this meaning of alpha channels.
    pub fn with_alpha(self, alpha: Alpha) -> Self {
        Self { alpha, ..self }
    }

    /// The same options with small numbers taken for faint weights, or refused.
    pub fn with_allow_faint(self, allow_faint: bool) -> Self {
        Self { allow_faint, ..self }
    }

    /// The same options with these layers over the others, a bit a layer from the lowest on.
    pub fn with_over(self, over: u32) -> Self {
        Self { over, ..self }
    }

    /// The same options with so many layers, whether or not each has a channel.
    pub fn with_layers(self, layers: u32) -> Self {
        Self { layers: Some(layers), ..self }
    }

    /// How many layers the weights of so many channels have, and which of them lie over the others.
    fn shape(&self, channels: u32) -> (u32, u32) {
        let all = |layers: u32| u32::MAX >> (Weights::MAX_LAYERS - layers.clamp(1, Weights::MAX_LAYERS));
        let there = all(channels.max(self.layers.unwrap_or(0)));
        let mut over = self.over & there;
        if over == there {
            // Something has to lie under them: as in `splat::blend`.
            over &= !1;
        }
        let layers = channels.max(first_shared(over) as u32 + 1);
        (layers, over & all(layers))
    }
}

impl Alpha {
    /// Every choice.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Layer, Self::Ignore];

    /// The name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Alpha::Auto => "auto",
            Alpha::Layer => "layer",
            Alpha::Ignore => "ignore",
        }
    }
}

/// Reads weights from the channels of one or several PNG pictures of one size, 8 or 16 bits: grey is one layer, colours are
/// three, and alpha is one more where the options or the file say so. The weights of a sample are scaled to 255 together,
/// but for those of layers that lie over the others, which are kept; a sample without any has all of the first layer that
/// lies under.
///
/// # Errors
/// [`Error::File`] for a file that cannot be read or is no such picture, for pictures of different sizes, and for pictures of
/// layer numbers, which are no weights; [`Error::Invalid`] for no file, for more than [`Weights::MAX_LAYERS`] layers, read
/// or stated, and for more than [`MAX_SAMPLES`] weights, those of all layers together.
pub fn import_weights<P: AsRef<Path>>(
    files: &[P],
    options: &WeightOptions,
) -> Result<(Weights, WeightReport)> {
    let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
    let (width, height) = check(&files, options)?;
    let surveys = files.iter().map(|file| Survey::of(file, options)).collect::<Result<Vec<_>>>()?;
    let channels = surveys.iter().map(|survey| survey.layers as u32).sum();
    let (layers, over) = options.shape(channels);
    check_count((width, height), layers as usize)?;
    let mut pictures = files.iter().map(|file| Picture::open(file, WEIGHTS)).collect::<Result<Vec<_>>>()?;
    if let Some(changed) = pictures.iter().zip(&surveys).position(|(picture, survey)| !survey.is_of(picture))
    {
        return Err(Error::file(files[changed], "was changed while it was read; read it again"));
    }
    let mut report = WeightReport::new(&files, (width, height), layers, over);
    report.assumptions = assumptions(&files, &surveys);
    let has_ground = first_shared(over) < channels as usize;
    if !has_ground {
        report.all_lie_over();
    } else if options.over & 1 > over & 1 {
        let why = "layer 0 lies under the others, because all layers were stated to lie over them";
        report.assumptions.push(why.to_owned());
    }
    let mut rows = vec![Vec::new(); files.len()];
    let weights = Weights::of_rows_with(width, height, layers, over, |amounts| {
        for (picture, row) in pictures.iter_mut().zip(&mut rows) {
            picture.next_row(row)?;
        }
        for sample in 0..width as usize {
            for (row, survey) in rows.iter().zip(&surveys) {
                amounts.extend_from_slice(&row[sample * survey.channels..][..survey.layers]);
            }
            amounts.resize((sample + 1) * layers as usize, 0);
        }
        if has_ground {
            report.count(amounts);
        }
        to_bytes(amounts, layers as usize, over);
        Ok(())
    })?;
    report.doubt();
    Ok((weights, report))
}

/// What was assumed of each file, which is named where there are several.
fn assumptions(files: &[&Path], surveys: &[Survey]) -> Vec<String> {
    let said = files.iter().zip(surveys).filter_map(|(file, survey)| Some((file, survey.assumption?)));
    let named = |(file, assumption): (&&Path, &str)| match files.len() {
        1 => assumption.to_owned(),
        _ => format!("{}: {assumption}", file.display()),
    };
    said.map(named).collect()
}

/// Makes the amounts of layers that lie over the others bytes, which is what they are kept as. Those of the others are shares
/// and may be of any scale.
fn to_bytes(amounts: &mut [u16], layers: usize, over: u32) {
    for layer in (0..layers).filter(|layer| over >> layer & 1 == 1) {
        for amount in amounts.iter_mut().skip(layer).step_by(layers) {
            *amount = ((u32::from(*amount) + 128) / 257) as u16;
        }
    }
}

/// The size of all pictures, by their headers. Refuses what cannot be read together before memory is taken for it.
fn check(files: &[&Path], options: &WeightOptions) -> Result<(u32, u32)> {
    let most = Weights::MAX_LAYERS;
    if files.len() > most as usize {
        return refuse(format!("{} files; a map has 1 to {most} layers", files.len()));
    }
    if let Some(layers) = options.layers.filter(|layers| !(1..=most).contains(layers)) {
        return refuse(format!("{layers} layers are stated; a map has 1 to {most}"));
    }
    let mut pictures = Vec::with_capacity(files.len());
    for &file in files {
        let picture = Picture::open(file, WEIGHTS)?;
        pictures.push((
            picture.size,
            picture.channels - usize::from(picture.has_alpha && options.alpha == Alpha::Ignore),
        ));
    }
    let Some(&((width, height), _)) = pictures.first() else { return refuse("no file is named".to_owned()) };
    if let Some(other) = pictures.iter().position(|&(size, _)| size != (width, height)) {
        let ((columns, rows), first) = (pictures[other].0, files[0].display());
        let why =
            format!("is {columns}×{rows} samples, and {first} is {width}×{height}; all must have one size");
        return Err(Error::file(files[other], why));
    }
    check_count((width, height), pictures.iter().map(|&(_, layers)| layers).sum())?;
    Ok((width, height))
}

/// Refuses more weights than are kept.
fn check_count((width, height): (u32, u32), layers: usize) -> Result<()> {
    if u64::from(width) * u64::from(height) * layers as u64 > MAX_SAMPLES {
        return refuse(format!(
            "{width}×{height} samples of {layers} channels are more than {MAX_SAMPLES} weights; halve the pictures, or leave \
             out channels"
        ));
    }
    Ok(())
}

fn refuse<T>(why: String) -> Result<T> {
    Err(Error::invalid("layer weights", why))
}

#[cfg(test)]
mod tests;
