//! What was found in pictures of weights.

use crate::field::first_shared;
use serde::{Serialize, Serializer};
use std::fmt;
use std::path::{Path, PathBuf};

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
    /// Layers: channels of all files, in their order. Where each of them lies over the others there are more, up to the
    /// first that lies under.
    pub layers: u32,
    /// Those of them that lie over the others, a bit a layer; a list of their numbers in serde. Sums, empty and scaled
    /// samples are of the others alone.
    #[serde(serialize_with = "numbers")]
    pub over: u32,
    /// The least and the greatest sum of a sample's channels, where 255 is the whole.
    pub sums: (f64, f64),
    /// Samples whose channels are all 0; they have all of the first layer that lies under now.
    pub empty: u64,
    /// Samples whose sum was another one than 255, the empty ones included.
    pub scaled: u64,
    /// What was decided for lack of a statement, a sentence each.
    pub assumptions: Vec<String>,
    /// What looks wrong, a sentence each.
    pub warnings: Vec<String>,
}

impl WeightReport {
    /// The report of pictures that nothing was found in yet.
    pub(super) fn new(files: &[&Path], (width, height): (u32, u32), layers: u32, over: u32) -> Self {
        Self {
            names: files.iter().map(|&file| file.to_owned()).collect(),
            width,
            height,
            layers,
            over,
            sums: (f64::INFINITY, 0.0),
            empty: 0,
            scaled: 0,
            assumptions: Vec::new(),
            warnings: Vec::new(),
        }
    }

    /// No channel is of what lies under, so that there is nothing to count: one layer is all of it, everywhere.
    pub(super) fn all_lie_over(&mut self) {
        self.sums = (255.0, 255.0);
        self.assumptions.push(format!(
            "layer {} lies under the others everywhere, because each channel is of a layer that lies over",
            first_shared(self.over)
        ));
    }

    /// Looks at the sums of some samples before they are scaled. Amounts have 16 bits.
    pub(super) fn count(&mut self, amounts: &[u16]) {
        let over = self.over;
        for amounts in amounts.chunks_exact(self.layers as usize) {
            let shared = amounts.iter().enumerate().filter(|&(layer, _)| over >> layer & 1 == 0);
            let sum: u32 = shared.map(|(_, &amount)| u32::from(amount)).sum();
            let of_255 = f64::from(sum) / 257.0;
            self.sums = (self.sums.0.min(of_255), self.sums.1.max(of_255));
            self.empty += u64::from(sum == 0);
            self.scaled += u64::from(sum != u32::from(u16::MAX));
        }
    }

    /// Warns of what looks wrong in all samples together.
    pub(super) fn doubt(&mut self) {
        let samples = u64::from(self.width) * u64::from(self.height);
        let first = first_shared(self.over);
        if self.empty == samples {
            self.warnings.push(format!("every sample is empty: all ground has layer {first}"));
        } else if 2 * self.empty > samples {
            self.warnings.push(format!(
                "{} of {samples} samples are empty and have all of layer {first}; a layer may be in a file that is not \
                 named, or in an alpha channel that was ignored (--alpha layer)",
                self.empty
            ));
        }
        let sharing = (0..self.layers).filter(|layer| self.over >> layer & 1 == 0).count();
        if sharing == 1 && self.sums.0 < self.sums.1 {
            self.warnings.push(
                "one channel alone has nothing to share with, so its layer is all of it everywhere; add the picture of the \
                 others"
                    .into(),
            );
        }
    }
}

impl fmt::Display for WeightReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names.iter().map(|name| name.display().to_string()).collect();
        writeln!(f, "  files     {}", names.join(", "))?;
        writeln!(f, "  size      {} × {} samples, {} layers", self.width, self.height, self.layers)?;
        if self.over != 0 {
            let numbers: Vec<_> = layers_of(self.over).map(|layer| layer.to_string()).collect();
            writeln!(f, "  over      {}; their values are kept, and are in no sum", numbers.join(", "))?;
        }
        writeln!(
            f,
            "  sums      {:.0} to {:.0} of 255; {} samples scaled, {} empty ones have all of layer {}",
            self.sums.0,
            self.sums.1,
            self.scaled,
            self.empty,
            first_shared(self.over)
        )?;
        self.assumptions.iter().try_for_each(|line| writeln!(f, "  assumed   {line}"))?;
        self.warnings.iter().try_for_each(|line| writeln!(f, "  WARNING   {line}"))
    }
}

/// The layers of a mask.
fn layers_of(mask: u32) -> impl Iterator<Item = u32> {
    (0..u32::BITS).filter(move |layer| mask >> layer & 1 == 1)
}

/// Paths as text; what is no Unicode in them is replaced.
fn paths<S: Serializer>(paths: &[PathBuf], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(paths.iter().map(|path| path.to_string_lossy()))
}

/// A mask as the numbers of its layers.
fn numbers<S: Serializer>(mask: &u32, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(layers_of(*mask))
}
