//! H(x, λ) on the CPU: what the device reads, from the same blocks.

use super::{AtlasLayout, MipChain, write_height_block};
use crate::field::Field;
use glam::Vec2;
use std::ops::{Add, Mul, Sub};

/// All blocks and mips of a field's heights, read as the device reads them. For tests, and for whatever must agree
/// with the drawn surface at any level; costs 2⅔ bytes a sample and does not follow edits.
#[derive(Clone, Debug)]
pub struct HeightAtlas {
    layout: AtlasLayout,
    chain: MipChain,
    quads: [f32; 2],
    texels: Vec<u16>,
}

impl HeightAtlas {
    /// The atlas of a field as it is now.
    pub fn new(field: &Field) -> Self {
        let layout = AtlasLayout::new(field.desc());
        let chain = MipChain::new(&layout);
        let mut texels = vec![0; chain.texels() * field.desc().tile_count()];
        for (index, block) in texels.chunks_exact_mut(chain.texels()).enumerate() {
            write_height_block(field, field.desc().tile_at(index), block);
        }
        let quads = [field.desc().quads_x() as f32, field.desc().quads_z() as f32];
        Self { layout, chain, quads, texels }
    }

    /// The layout.
    pub fn layout(&self) -> &AtlasLayout {
        &self.layout
    }

    /// A texel of a mip of the atlas.
    fn texel(&self, x: u32, z: u32, mip: u32) -> f32 {
        let side = self.chain.side_at(mip);
        let tile = (z / side * self.layout.tiles[0] + x / side) as usize;
        let within = (z % side * side + x % side) as usize;
        f32::from(self.texels[tile * self.chain.texels() + self.chain.offset(mip) + within])
    }

    /// H of one mip at a place in samples, in codes.
    pub fn height_at_mip(&self, x: f32, z: f32, mip: u32) -> f32 {
        let (x, z) = (self.layout.taps(x, mip, 0), self.layout.taps(z, mip, 1));
        let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
        mix(
            mix(self.texel(x.first, z.first, mip), self.texel(x.second, z.first, mip), x.fraction),
            mix(self.texel(x.first, z.second, mip), self.texel(x.second, z.second, mip), x.fraction),
            z.fraction,
        )
    }

    /// What a mip gives, mixed between the two mips around λ. At a whole λ the coarser one is not asked.
    fn mixed<T>(&self, lambda: f32, at_mip: impl Fn(u32) -> T) -> T
    where
        T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f32, Output = T>,
    {
        let lambda = lambda.clamp(0.0, self.layout.max_mip() as f32);
        let mip = lambda.floor() as u32;
        let fraction = lambda - lambda.floor();
        let fine = at_mip(mip);
        if fraction == 0.0 { fine } else { fine + (at_mip(mip + 1) - fine) * fraction }
    }

    /// H(x, λ): the height at a place in samples as level of detail λ draws it, in codes (0…65535). Continuous in
    /// the place and in λ; clamps at the map's edge and beyond the coarsest mip.
    pub fn height(&self, x: f32, z: f32, lambda: f32) -> f32 {
        let (x, z) = (x.clamp(0.0, self.quads[0]), z.clamp(0.0, self.quads[1]));
        self.mixed(lambda, |mip| self.height_at_mip(x, z, mip))
    }
}

/// Four neighbouring texels on one axis, and the samples from the middle of the lower pair to that of the upper one.
struct Row {
    texel: [u32; 4],
    fraction: f32,
    reach: f32,
}

impl HeightAtlas {
    fn row(&self, at: f32, mip: u32, axis: usize) -> Row {
        let layout = &self.layout;
        let around = |first: f32, last: f32| [-1.0, 0.0, 1.0, 2.0].map(|off| (first + off).clamp(0.0, last));
        let (index, texel, fraction) = if mip == 0 {
            let index = around(at.floor(), self.quads[axis]);
            // A whole sample is one texel.
            (index, index.map(|sample| layout.taps(sample, 0, axis).first), at - at.floor())
        } else {
            let taps = layout.taps(at, mip, axis);
            let index = around(taps.first as f32, layout.edge_texel(mip, axis) as f32);
            (index, index.map(|texel| texel as u32), taps.fraction)
        };
        let mix = |a: f32, b: f32| a + (b - a) * fraction;
        // A mip of one texel is flat: its difference is 0 and must not be divided by 0.
        let reach = (mix(index[2], index[3]) - mix(index[0], index[1])).max(1.0) * (1u32 << mip) as f32;
        Row { texel, fraction, reach }
    }

    fn slope_at_mip(&self, x: f32, z: f32, mip: u32) -> Vec2 {
        let (x, z) = (self.row(x, mip, 0), self.row(z, mip, 1));
        let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
        // Heights half-way along the other axis, at a pair of texels on this one.
        let column = |i: usize| {
            let at = |j: usize| self.texel(x.texel[i], z.texel[j], mip);
            mix(at(1), at(2), z.fraction)
        };
        let line = |j: usize| {
            let at = |i: usize| self.texel(x.texel[i], z.texel[j], mip);
            mix(at(1), at(2), x.fraction)
        };
        let east = mix(column(2), column(3), x.fraction) - mix(column(0), column(1), x.fraction);
        let south = mix(line(2), line(3), z.fraction) - mix(line(0), line(1), z.fraction);
        Vec2::new(east / x.reach, south / z.reach)
    }

    /// The slope of H at λ in codes a sample, x and z, differenced over a step of λ's mips on either side: what the
    /// surface is lit by. Continuous in the place and in λ.
    pub fn slope(&self, x: f32, z: f32, lambda: f32) -> Vec2 {
        let (x, z) = (x.clamp(0.0, self.quads[0]), z.clamp(0.0, self.quads[1]));
        self.mixed(lambda, |mip| self.slope_at_mip(x, z, mip))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::{FieldDesc, Sample};
    use proptest::prelude::*;

    fn rough(width: u32, height: u32, tile_samples: u32) -> Field {
        let desc = FieldDesc::new(width, height).with_tile_samples(tile_samples);
        let samples = (0..width * height)
            .map(|i| (i.wrapping_mul(0x9E37_79B1).rotate_left(13).wrapping_mul(0x85EB_CA77) >> 16) as u16)
            .collect();
        Field::from_samples(desc, samples).unwrap()
    }

    #[test]
    fn lambda_0_is_the_samples() {
        let field = rough(53, 47, 16);
        let atlas = HeightAtlas::new(&field);
        for z in 0..47 {
            for x in 0..53 {
                let code = f32::from(field.sample(Sample::new(x, z)));
                assert_eq!(atlas.height(x as f32, z as f32, 0.0), code, "sample {x}, {z}");
            }
        }
    }

    /// A plane has its own slope everywhere, across borders and at the map's edge, at every level that keeps it a plane.
    #[test]
    fn a_plane_has_one_slope() {
        let desc = FieldDesc::new(90, 70).with_tile_samples(16);
        let samples =
            (0..70u32).flat_map(|z| (0..90u32).map(move |x| (1000 + 50 * x + 20 * z) as u16)).collect();
        let atlas = HeightAtlas::new(&Field::from_samples(desc, samples).unwrap());
        for (x, z) in [(0.0, 0.0), (89.0, 69.0), (14.5, 15.0), (15.0, 30.2), (44.9, 7.0), (89.0, 3.0)] {
            let slope = atlas.slope(x, z, 0.0);
            assert!(slope.abs_diff_eq(Vec2::new(50.0, 20.0), 1e-2), "{slope} at {x}, {z}");
        }
        // Maxima of a plane are the plane, raised. A texel at the map's edge that holds fewer samples than the others
        // is raised by less, which takes up to two thirds of the slope there; padding would take nine tenths.
        for lambda in [1.0, 2.0, 3.0] {
            let inside = atlas.slope(37.0, 38.0, lambda);
            assert!(inside.abs_diff_eq(Vec2::new(50.0, 20.0), 4.0), "{inside} at λ {lambda}");
            for (x, z) in [(89.0, 38.0), (37.0, 69.0), (89.0, 69.0)] {
                let edge = atlas.slope(x, z, lambda);
                assert!(edge.cmpge(Vec2::new(16.6, 6.6)).all(), "{edge} at {x}, {z}, λ {lambda}");
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// H is continuous in the place and in λ: over a small step it changes by no more than the steepest that
        /// bilinear taps of the finest mip read can change, whatever border, corner or level lies between.
        #[test]
        fn h_is_continuous(
            tile in prop::sample::select(vec![16u32, 32]), size in (20u32..90, 20u32..90),
            near in (0u32..6, 0u32..6), off in (-2f32..2.0, -2f32..2.0), lambda in 0f32..5.0,
            step in (-1f32..1.0, -1f32..1.0, -1f32..1.0),
        ) {
            let field = rough(size.0, size.1, tile);
            let atlas = HeightAtlas::new(&field);
            // Around a corner of tiles, where every rule of the layout meets.
            let x = ((near.0 * (tile - 1)) as f32 + off.0).clamp(0.0, (size.0 - 1) as f32);
            let z = ((near.1 * (tile - 1)) as f32 + off.1).clamp(0.0, (size.1 - 1) as f32);
            const SMALL: f32 = 1.0 / 256.0;
            let here = atlas.height(x, z, lambda);
            let there = atlas.height(x + step.0 * SMALL, z + step.1 * SMALL, lambda + step.2 * SMALL);
            // Two taps are at least one sample apart, and two mips one level: 65535 codes a unit of each at most.
            let most = 65535.0 * SMALL * (step.0.abs() + step.1.abs() + step.2.abs()) + 1.0;
            prop_assert!((here - there).abs() <= most, "{here} → {there} at {x}, {z}, λ {lambda}");
        }
    }

    /// Across whole λ the two sides meet.
    #[test]
    fn whole_lambdas_meet() {
        let atlas = HeightAtlas::new(&rough(64, 64, 16));
        for mip in 1..=4u32 {
            for at in 0..126 {
                let (x, z) = (at as f32 * 0.5, (125 - at) as f32 * 0.5);
                let below = atlas.height(x, z, f32::from_bits((mip as f32).to_bits() - 1));
                let on = atlas.height(x, z, mip as f32);
                assert!((below - on).abs() < 0.1, "{below} {on} at {x}, {z}");
            }
        }
    }
}
