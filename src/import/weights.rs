//! Pictures of layer weights, which paint programs and other terrain tools call splat maps: each channel of a PNG is a layer.
//!
//! The pictures are read twice and row by row: once for what their channels are, and once for the weights, so that besides
//! the weights no more than a row of each is held. An interlaced picture is held whole.

mod ids;
mod picture;
mod tga;

pub use ids::{IdOptions, IdReport, import_ids};
pub(super) use picture::Picture;

use super::MAX_SAMPLES;
use super::export::{replace, write_png};
use crate::field::Weights;
use crate::{Error, Result};
use picture::{Survey, WEIGHTS};
use png::{BitDepth, ColorType};
use serde::{Serialize, Serializer};
use std::fmt;
use std::path::{Path, PathBuf};

/// What the alpha channel of a picture of weights is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Alpha {
    /// A layer where it differs from sample to sample, and no layer where it is the same everywhere: opaque, or clear.
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
}

/// What was found in pictures of weights. `Display` prints it in lines; serde knows it too.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct WeightReport {
    /// The files as the caller named them.
    #[serde(serialize_with = "paths")]
    pub names: Vec<PathBuf>,
    /// Samples from west to east.
    pub width: u32,
    /// Samples from north to south.
    pub height: u32,
    /// Layers: channels of all files, in their order.
    pub layers: u32,
    /// The least and the greatest sum of a sample's channels, where 255 is the whole.
    pub sums: (f64, f64),
    /// Samples whose channels are all 0; they have all of layer 0 now.
    pub empty: u64,
    /// Samples whose sum was another one than 255, the empty ones included.
    pub scaled: u64,
    /// What was decided for lack of a statement, a sentence each.
    pub assumptions: Vec<String>,
    /// What looks wrong, a sentence each.
    pub warnings: Vec<String>,
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

impl fmt::Display for WeightReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names.iter().map(|name| name.display().to_string()).collect();
        writeln!(f, "  files     {}", names.join(", "))?;
        writeln!(f, "  size      {} × {} samples, {} layers", self.width, self.height, self.layers)?;
        writeln!(
            f,
            "  sums      {:.0} to {:.0} of 255; {} samples scaled, {} empty ones have all of layer 0",
            self.sums.0, self.sums.1, self.scaled, self.empty
        )?;
        self.assumptions.iter().try_for_each(|line| writeln!(f, "  assumed   {line}"))?;
        self.warnings.iter().try_for_each(|line| writeln!(f, "  WARNING   {line}"))
    }
}

/// Reads weights from the channels of one or several PNG pictures of one size, 8 or 16 bits: grey is one layer, colours are
/// three, and alpha is one more where the options say so. The weights of a sample are scaled to 255 together; a sample
/// without any has all of layer 0.
///
/// # Errors
/// [`Error::File`] for a file that cannot be read or is no such picture, for pictures of different sizes, and for pictures of
/// layer numbers, which are no weights; [`Error::Invalid`] for no file, for more than [`Weights::MAX_LAYERS`] layers, and for
/// more than [`MAX_SAMPLES`] weights, those of all layers together.
pub fn import_weights<P: AsRef<Path>>(
    files: &[P],
    options: &WeightOptions,
) -> Result<(Weights, WeightReport)> {
    let files: Vec<&Path> = files.iter().map(AsRef::as_ref).collect();
    let (width, height) = check(&files, options.alpha)?;
    let surveys = files.iter().map(|file| Survey::of(file, options)).collect::<Result<Vec<_>>>()?;
    let layers = surveys.iter().map(|survey| survey.layers as u32).sum();
    let mut report = WeightReport {
        names: files.iter().map(|&file| file.to_owned()).collect(),
        width,
        height,
        layers,
        sums: (f64::INFINITY, 0.0),
        empty: 0,
        scaled: 0,
        assumptions: surveys.iter().flat_map(|survey| survey.assumption.clone()).collect(),
        warnings: Vec::new(),
    };
    let mut pictures = files.iter().map(|file| Picture::open(file, WEIGHTS)).collect::<Result<Vec<_>>>()?;
    if let Some(changed) = pictures.iter().zip(&surveys).position(|(picture, survey)| !survey.is_of(picture))
    {
        return Err(Error::file(files[changed], "was changed while it was read; read it again"));
    }
    let mut rows = vec![Vec::new(); files.len()];
    let weights = Weights::of_rows(width, height, layers, |amounts| {
        for (picture, row) in pictures.iter_mut().zip(&mut rows) {
            picture.next_row(row)?;
        }
        for sample in 0..width as usize {
            for (row, survey) in rows.iter().zip(&surveys) {
                amounts.extend_from_slice(&row[sample * survey.channels..][..survey.layers]);
            }
        }
        report.count(amounts);
        Ok(())
    })?;
    report.doubt();
    Ok((weights, report))
}

/// The size of all pictures, by their headers. Refuses what cannot be read together before memory is taken for it.
fn check(files: &[&Path], alpha: Alpha) -> Result<(u32, u32)> {
    let refuse = |why: String| Err(Error::invalid("layer weights", why));
    let most = Weights::MAX_LAYERS;
    if files.len() > most as usize {
        return refuse(format!("{} files; a map has 1 to {most} layers", files.len()));
    }
    let mut pictures = Vec::with_capacity(files.len());
    for &file in files {
        let picture = Picture::open(file, WEIGHTS)?;
        pictures.push((
            picture.size,
            picture.channels - usize::from(picture.has_alpha && alpha == Alpha::Ignore),
        ));
    }
    let Some(&((width, height), _)) = pictures.first() else { return refuse("no file is named".to_owned()) };
    if let Some(other) = pictures.iter().position(|&(size, _)| size != (width, height)) {
        let ((columns, rows), first) = (pictures[other].0, files[0].display());
        let why =
            format!("is {columns}×{rows} samples, and {first} is {width}×{height}; all must have one size");
        return Err(Error::file(files[other], why));
    }
    let layers: usize = pictures.iter().map(|&(_, layers)| layers).sum();
    if u64::from(width) * u64::from(height) * layers as u64 > MAX_SAMPLES {
        return refuse(format!(
            "{width}×{height} samples of {layers} channels are more than {MAX_SAMPLES} weights; halve the pictures, or leave              out channels"
        ));
    }
    Ok((width, height))
}

/// Paths as text; what is no Unicode in them is replaced.
fn paths<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}

/// Writes weights as an 8-bit PNG whose channels are the layers: grey for one layer, red, green and blue for two or three,
/// alpha for a fourth. [`Alpha::Layer`] reads four of them back.
///
/// The file appears when it is complete: one that was there before stays until then.
///
/// # Errors
/// [`Error::Invalid`] for more than four layers, which no PNG has channels for; [`Error::File`] where the file cannot be
/// written.
pub fn export_weights(weights: &Weights, path: impl AsRef<Path>) -> Result<()> {
    let (color, channels) = match weights.layers() {
        1 => (ColorType::Grayscale, 1),
        2 | 3 => (ColorType::Rgb, 3),
        4 => (ColorType::Rgba, 4),
        layers => {
            return Err(Error::invalid("layer weights", format!("{layers} layers; a PNG holds up to four")));
        }
    };
    let size = (weights.width(), weights.height());
    replace(path.as_ref(), |out| {
        write_png(out, size, color, BitDepth::Eight, |pixels| {
            let layers = weights.layers() as usize;
            let mut row = Vec::new();
            for samples in weights.bytes().chunks_exact(layers * size.0 as usize) {
                row.clear();
                for sample in samples.chunks_exact(layers) {
                    row.extend_from_slice(sample);
                    row.extend(std::iter::repeat_n(0, channels - layers));
                }
                pixels.write_all(&row)?;
            }
            Ok(())
        })
    })
}

impl WeightReport {
    /// Looks at the sums of some samples before they are scaled. Amounts have 16 bits.
    fn count(&mut self, amounts: &[u16]) {
        for amounts in amounts.chunks_exact(self.layers as usize) {
            let sum: u32 = amounts.iter().map(|&amount| u32::from(amount)).sum();
            let of_255 = f64::from(sum) / 257.0;
            self.sums = (self.sums.0.min(of_255), self.sums.1.max(of_255));
            self.empty += u64::from(sum == 0);
            self.scaled += u64::from(sum != u32::from(u16::MAX));
        }
    }

    /// Warns of what looks wrong in all samples together.
    fn doubt(&mut self) {
        let samples = u64::from(self.width) * u64::from(self.height);
        if self.empty == samples {
            self.warnings.push("every sample is empty: all ground has layer 0".to_owned());
        } else if 2 * self.empty > samples {
            self.warnings.push(format!(
                "{} of {samples} samples are empty and have all of layer 0; a layer may be in a file that is not named, \
                 or in an alpha channel that was ignored (--alpha layer)",
                self.empty
            ));
        }
    }
}

#[cfg(test)]
mod tests;
