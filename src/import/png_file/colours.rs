//! Heights in the three colours of a pixel: Terrarium and Mapbox Terrain-RGB tiles. (Mapzen, *Terrain tiles: data formats*;
//! Mapbox, *Access elevation data*.) The colours are digits of one number; they are never averaged.

use super::super::Encoding;
use super::super::canvas::Canvas;
use super::super::grid::Notes;
use super::super::values::Values;
use crate::field::SampleRect;

/// Metres that ground of this Earth lies between, with room.
const EARTH: std::ops::RangeInclusive<f64> = -12_000.0..=9500.0;

/// Red, green and blue of a pixel as a number; its opacity is above them.
const COLOUR: u32 = 0x00ff_ffff;

/// The number of a pixel that has heights: none where it is black, or where nothing is to be seen.
fn seen(pixel: u32) -> Option<u32> {
    (pixel > COLOUR).then_some(pixel & COLOUR).filter(|&number| number != 0)
}

/// Pixels of 8-bit colours.
pub(super) struct Colours {
    canvas: Canvas<u32>,
    width: usize,
}

impl Colours {
    pub(super) fn new(window: SampleRect) -> Self {
        Self { canvas: Canvas::new(window), width: window.width() as usize }
    }

    pub(super) fn set(&mut self, x: u32, z: u32, [red, green, blue]: [u8; 3], opacity: u8) {
        self.canvas.set(x, z, u32::from_be_bytes([opacity, red, green, blue]));
    }

    pub(super) fn are_black(&self) -> bool {
        self.canvas.values().iter().all(|&pixel| pixel & COLOUR == 0)
    }

    /// The red of every pixel, for those whose colours are equal.
    pub(super) fn grey(self) -> Vec<u8> {
        self.canvas.into_values().into_iter().map(|pixel| (pixel >> 16) as u8).collect()
    }

    /// The encoding in which the colours are ground: every height is one of this Earth, and where the higher digit jumps
    /// the lower one makes up for it, which no photograph and no normal map does.
    pub(super) fn find(&self) -> Option<Encoding> {
        [(Encoding::Terrarium, 16), (Encoding::TerrainRgb, 8)].into_iter().find_map(|(encoding, shift)| {
            let mut numbers = self.canvas.values().iter().filter_map(|&pixel| seen(pixel)).peekable();
            numbers.peek()?;
            let plausible = numbers.all(|number| EARTH.contains(&metres(encoding, number)));
            (plausible && self.carries(shift)).then_some(encoding)
        })
    }

    /// True where the digit above `shift` bits carries into the one below it: where it bends, the number bends less. Were
    /// the lower digit another colour, it would bend the number as often one way as the other, and not less on average.
    /// Where the digit never bends there is no such sign, and the lower one has to be as smooth as ground is by itself.
    fn carries(&self, shift: u32) -> bool {
        const LESS: f64 = 0.95;
        /// Mean bend of the lower digit's 256 steps; that of noise is over 100.
        const SMOOTH: f64 = 16.0;
        let bend =
            |[west, middle, east]: [u32; 3]| f64::from(west) - 2.0 * f64::from(middle) + f64::from(east);
        let (mut alone, mut together, mut low, mut count) = (0.0, 0.0, 0.0, 0u64);
        let mut varies = false;
        for row in self.canvas.values().chunks_exact(self.width) {
            for pixels in row.windows(3) {
                let [Some(west), Some(middle), Some(east)] = [0, 1, 2].map(|index| seen(pixels[index]))
                else {
                    continue;
                };
                let triple = [west, middle, east];
                varies |= west != middle;
                let high = bend(triple.map(|number| number >> shift));
                let number = bend(triple.map(|number| number >> (shift - 8))).abs();
                low += number;
                count += 1;
                if high != 0.0 {
                    alone += 256.0 * high.abs();
                    together += number;
                }
            }
        }
        // A few jumps prove nothing, and a picture of one colour is no ground either.
        if alone < 8.0 * 256.0 { varies && low <= SMOOTH * count as f64 } else { together <= LESS * alone }
    }

    /// Metres of every pixel; NaN of black ones, which are reported.
    pub(super) fn heights(self, encoding: Encoding, notes: &mut Notes) -> Values {
        let pixels = self.canvas.into_values();
        if pixels.iter().any(|&pixel| seen(pixel).is_none()) {
            notes.assume("black and transparent pixels are voids: what a server sends where it has no tile");
        }
        let height = |pixel: u32| seen(pixel).map_or(f64::NAN, |number| metres(encoding, number));
        match encoding {
            // 24 bits are as many as a 32-bit float has.
            Encoding::Terrarium => {
                Values::F32(pixels.into_iter().map(|pixel| height(pixel) as f32).collect())
            }
            _ => Values::F64(pixels.into_iter().map(height).collect()),
        }
    }
}

fn metres(encoding: Encoding, number: u32) -> f64 {
    match encoding {
        Encoding::Terrarium => f64::from(number) / 256.0 - 32768.0,
        _ => (f64::from(number) - 100_000.0) / 10.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tile of some ground, in an encoding.
    fn tile(encoding: Encoding, height: impl Fn(f64, f64) -> f64) -> Colours {
        let mut colours = Colours::new(SampleRect::new(0, 0, 64, 64));
        for (x, z) in (0..64).flat_map(|z| (0..64).map(move |x| (x, z))) {
            let metres = height(f64::from(x), f64::from(z));
            let number = match encoding {
                Encoding::Terrarium => ((metres + 32768.0) * 256.0).round() as u32,
                _ => ((metres + 10000.0) * 10.0).round() as u32,
            };
            let [_, red, green, blue] = number.to_be_bytes();
            colours.set(x, z, [red, green, blue], 255);
        }
        colours
    }

    #[test]
    fn ground_is_told_from_pictures() {
        let hills = |x: f64, z: f64| 1500.0 + 900.0 * (x * 0.1).sin() * (z * 0.07).cos();
        let plain = |x: f64, z: f64| 12.0 + 0.1 * x + 0.05 * z;
        let sea = |x: f64, z: f64| -4000.0 + 30.0 * x - 20.0 * z;
        for encoding in [Encoding::Terrarium, Encoding::TerrainRgb] {
            for ground in [&hills as &dyn Fn(f64, f64) -> f64, &plain, &sea] {
                assert_eq!(tile(encoding, ground).find(), Some(encoding));
            }
        }
        let mut state = 1u32;
        let mut noise = |low: u8, span: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            low + ((state >> 16) % span) as u8
        };
        let mut normals = Colours::new(SampleRect::new(0, 0, 64, 64));
        let mut night = Colours::new(SampleRect::new(0, 0, 64, 64));
        for (x, z) in (0..64).flat_map(|z| (0..64).map(move |x| (x, z))) {
            normals.set(x, z, [noise(120, 16), noise(120, 16), noise(240, 15)], 255);
            night.set(x, z, [noise(0, 3), noise(0, 4), noise(0, 20)], 255);
        }
        assert_eq!((normals.find(), night.find()), (None, None));
        // The higher digit never bends: a mask in blue, noise below a red of one value, one colour.
        let mut mask = Colours::new(SampleRect::new(0, 0, 64, 64));
        let mut noisy = Colours::new(SampleRect::new(0, 0, 64, 64));
        let mut flat = Colours::new(SampleRect::new(0, 0, 64, 64));
        for (x, z) in (0..64).flat_map(|z| (0..64).map(move |x| (x, z))) {
            mask.set(x, z, [0, 0, if (x / 9 + z / 7) % 2 == 0 { 1 } else { 255 }], 255);
            noisy.set(x, z, [128, noise(0, 255), noise(0, 255)], 255);
            flat.set(x, z, [128, 3, 9], 255);
        }
        assert_eq!((mask.find(), noisy.find(), flat.find()), (None, None, None));
    }

    #[test]
    fn the_numbers_are_those_of_the_formats() {
        assert_eq!(metres(Encoding::Terrarium, 0x80_00_00), 0.0);
        assert_eq!(metres(Encoding::Terrarium, 0x83_54_1e), 852.117_187_5);
        assert_eq!(metres(Encoding::TerrainRgb, 0x01_86_a0), 0.0);
        assert_eq!(metres(Encoding::TerrainRgb, 0x01_86_a1), 0.1);
    }

    #[test]
    fn what_is_not_there_is_a_void() {
        let mut colours = Colours::new(SampleRect::new(0, 0, 2, 1));
        colours.set(0, 0, [0, 0, 0], 255);
        colours.set(1, 0, [200, 1, 2], 0);
        assert!(!colours.are_black() && colours.find().is_none());
        let mut notes = Notes::default();
        let values = colours.heights(Encoding::Terrarium, &mut notes);
        assert!(values.get(0).is_nan() && values.get(1).is_nan() && notes.assumptions[0].contains("voids"));
    }
}
