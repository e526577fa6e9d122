//! The map that layers lie on, and their weights.

use super::cases::{Ground, Spread};
use crate::workload::{self, PathFrame};
use glam::DVec3;
use landform::field::{Field, FieldDesc, SampleRect, Weights};
use landform::plan::{Placement, TerrainSettings};
use landform_harness::Result;

/// How much higher the steep ground is. The map's slope is 22° in the mean and 39 % of it is steeper than 25°, where
/// projections from the side begin; three times as high it is 47° and 87 %.
const STEEPER: f64 = 3.0;
/// Metres that a camera over the steep ground is raised besides: its lattice is steeper, too, between two samples.
const CLEARANCE: f64 = 12.0;
/// Samples that a layer takes to fade in. A power of two, so that the texels of mips end where bands do, and so many that
/// few texels of a far mip lie on two of them.
const BAND: usize = 256;

/// A square of the map.
pub(super) struct Land {
    codes: Vec<u16>,
    side: usize,
    /// World metres of its north-west sample.
    origin: DVec3,
}

impl Land {
    pub(super) fn whole(codes: Vec<u16>) -> Self {
        Self { codes, side: workload::SIDE, origin: DVec3::ZERO }
    }

    /// So many samples a side around a camera.
    pub(super) fn around(codes: &[u16], frame: &PathFrame, side: usize) -> Self {
        let first =
            |at: f64| ((at / workload::SPACING) as usize).saturating_sub(side / 2).min(workload::SIDE - side);
        let position = frame.position();
        let (x, z) = (first(position.x), first(position.z));
        let rows = codes.chunks_exact(workload::SIDE).skip(z).take(side);
        Self {
            codes: rows.flat_map(|row| row[x..x + side].iter().copied()).collect(),
            side,
            origin: DVec3::new(x as f64, 0.0, z as f64) * workload::SPACING,
        }
    }

    pub(super) fn side(&self) -> usize {
        self.side
    }

    pub(super) fn settings(&self) -> TerrainSettings {
        let grid = super::cases::grid();
        TerrainSettings { grid, placement: Placement::at(self.origin), ..TerrainSettings::default() }
    }

    pub(super) fn field(&self, ground: Ground) -> Result<Field> {
        let side = self.side as u32;
        let relief = workload::RELIEF * if ground.steep { STEEPER } else { 1.0 };
        let desc = FieldDesc::new(side, side).with_spacing(workload::SPACING, workload::SPACING);
        let mut field = Field::from_samples(desc.with_range(0.0, relief), self.codes.clone())?;
        if ground.layers > 0 {
            let mut weights = Weights::new(side, side, ground.layers, 0)?;
            weights.edit(SampleRect::new(0, 0, side, side), |_, row| write_row(ground, row));
            field.set_weights(Some(weights))?;
        }
        Ok(field)
    }

    /// Metres that a camera of the path is raised to stand as high over a ground.
    pub(super) fn lift(&self, ground: Ground, frame: &PathFrame) -> f64 {
        if !ground.steep {
            return 0.0;
        }
        let at = (frame.position() - self.origin) / workload::SPACING;
        let sample = |at: f64| (at.max(0.0) as usize).min(self.side - 1);
        let code = self.codes[sample(at.z) * self.side + sample(at.x)];
        f64::from(code) / 65535.0 * workload::RELIEF * (STEEPER - 1.0) + CLEARANCE
    }
}

/// The weights of a row of samples, the same in every row.
fn write_row(ground: Ground, row: &mut [u8]) {
    let layers = ground.layers as usize;
    for (x, weights) in row.chunks_exact_mut(layers).enumerate() {
        match ground.spread {
            Spread::All => {
                for (index, weight) in weights.iter_mut().enumerate() {
                    *weight = (255 / layers + usize::from(index < 255 % layers)) as u8;
                }
            }
            Spread::Three => {
                let (band, within) = (x / BAND, x % BAND);
                let rising = if within == 0 { 0 } else { 1 + 125 * (within - 1) / (BAND - 2) };
                weights.fill(0);
                for (step, weight) in [127 - rising, 128, rising].into_iter().enumerate() {
                    weights[(band + step) % layers] = weight as u8;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Between any two neighbouring samples, where the device mixes them, as many layers lie as are meant.
    #[test]
    fn as_many_layers_are_present_as_is_said() {
        for layers in [4, 8, 12, 16] {
            for spread in [Spread::All, Spread::Three] {
                let ground = Ground { layers, spread, steep: false };
                let mut row = vec![0; 1025 * layers as usize];
                write_row(ground, &mut row);
                let samples: Vec<_> = row.chunks_exact(layers as usize).collect();
                for pair in samples.windows(2) {
                    let present = (0..layers as usize).filter(|&i| pair[0][i] > 0 || pair[1][i] > 0);
                    assert_eq!(present.count() as u32, ground.present(), "{ground:?} {pair:?}");
                    assert_eq!(pair[0].iter().map(|&weight| u32::from(weight)).sum::<u32>(), 255);
                }
            }
        }
    }
}
