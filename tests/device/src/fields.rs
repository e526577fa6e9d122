//! Fields made from arithmetic, so that a test needs no file.

use landform::field::{Field, FieldDesc, SampleRect, Weights};

/// Smooth hills with some roughness, 0…200 m, 2 m apart: a place that a picture can be judged by.
pub fn hills(width: u32, height: u32) -> Field {
    let desc =
        FieldDesc::new(width, height).with_tile_samples(128).with_spacing(2.0, 2.0).with_range(0.0, 200.0);
    fill(desc, |x, z| {
        let (u, v) = (f64::from(x) * 0.021, f64::from(z) * 0.017);
        let broad = u.sin() * v.cos() + 0.5 * (2.3 * u + 1.0).sin() * (1.9 * v).sin();
        let fine =
            0.12 * (9.0 * u).sin() * (8.0 * v + 0.7 * u).cos() + 0.03 * f64::from(hash(x, z) & 255) / 255.0;
        (0.5 + 0.28 * broad + 0.1 * fine) * 65535.0
    })
}

/// Hills of four by four whole tiles of 64 samples, 2 m apart.
pub fn tiled_hills() -> Field {
    let hills = hills(253, 253);
    let desc = hills.desc().with_tile_samples(64);
    Field::from_samples(desc, hills.samples().to_vec()).expect("a legal description")
}

/// White noise over the whole range of 0…100 m, 1 m apart: the worst ground there is for cracks.
pub fn noise(width: u32, height: u32, tile_samples: u32) -> Field {
    let desc = FieldDesc::new(width, height).with_tile_samples(tile_samples).with_range(0.0, 100.0);
    fill(desc, |x, z| f64::from(hash(x, z) & 0xFFFF))
}

/// Flat ground with towers of one sample on multiples of 32 and one beside, 0…500 m.
pub fn towers(width: u32, height: u32) -> Field {
    let desc = FieldDesc::new(width, height).with_tile_samples(64).with_range(0.0, 500.0);
    fill(desc, |x, z| if x % 32 < 2 && z % 32 < 2 && (x ^ z) & 1 == 0 { 65535.0 } else { 0.0 })
}

fn fill(desc: FieldDesc, code: impl Fn(u32, u32) -> f64) -> Field {
    let mut field = Field::new(desc).expect("a legal description");
    field.edit(SampleRect::new(0, 0, desc.width, desc.height), |z, row| {
        for (x, sample) in row.iter_mut().enumerate() {
            *sample = code(x as u32, z).clamp(0.0, 65535.0) as u16;
        }
    });
    field
}

/// A hash with no pattern that an eye finds.
pub(crate) fn hash(x: u32, z: u32) -> u32 {
    let mut h = x.wrapping_mul(0x9E37_79B1) ^ z.wrapping_mul(0x85EB_CA77);
    h ^= h >> 15;
    h = h.wrapping_mul(0x2C1B_3C6D);
    h ^= h >> 12;
    h.wrapping_mul(0x297A_2D39) ^ (h >> 15)
}

/// Numbers with no pattern, the same on every machine.
pub fn random(seed: u32) -> impl FnMut() -> u32 {
    let mut count = 0;
    move || {
        count += 1;
        hash(count, seed)
    }
}

/// Weights of four layers in patches, for a field of any size: places of one alone, of several, and of none.
pub fn four_layers(field: &Field) -> Weights {
    let (width, height) = (field.desc().width, field.desc().height);
    let amounts = (0..width * height).flat_map(|sample| {
        let (x, z) = (f64::from(sample % width), f64::from(sample / width));
        [0.0, 1.0, 2.0, 3.0].map(|layer: f64| {
            let wave = (0.11 * x + 2.0 * layer).sin() * (0.09 * z + layer).cos();
            (255.0 * (6.0 * wave - 1.0).clamp(0.0, 1.0)) as u16
        })
    });
    Weights::of_amounts(width, height, 4, &amounts.collect::<Vec<_>>()).expect("an amount a sample and layer")
}
