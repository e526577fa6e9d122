//! Grounds of every kind for shadows to be held against rays on, and the suns to do it under.

use crate::{bench_field, hills, look, shared_field, valley_field};
use glam::{DVec2, DVec3};
use landform::field::Field;
use landform::frame::ShadowLayout;
use landform::import::ImportOptions;
use landform::light::CascadeSettings;
use landform::plan::{View, Viewport};
use landform::query::height_at;

/// Samples of the map that the last cascade reaches; the others reach a third of the next one, 180, 60 and 20.
pub const SHADOW_SIGHT: f64 = 540.0;

/// Suns that shadows are held against rays for: degrees above the horizon and clockwise from north, and percent of what is
/// seen that may be falsely dark and falsely lit.
pub const SUNS: [(f64, f64, [f64; 2]); 5] = [
    (3.0, 60.0, [0.5, 2.0]),
    (3.0, 150.0, [0.5, 4.0]),
    (15.0, 60.0, [0.5, 2.0]),
    (15.0, 150.0, [0.5, 4.0]),
    (60.0, 60.0, [0.5, 2.0]),
];

/// Ground to cast on, with a camera over it.
pub struct ShadowGround {
    /// What it is called where numbers are printed.
    pub name: &'static str,
    /// The ground.
    pub field: Field,
    /// Who looks at it.
    pub camera: View,
    /// True where the map is rough from sample to sample, and so large that light at 3° crosses more patches than there may
    /// be.
    pub rough: bool,
}

impl ShadowGround {
    /// Smooth hills.
    pub fn hills(viewport: Viewport) -> Self {
        let camera = look(DVec3::new(700.0, 260.0, 1500.0), 18.0, -14.0, viewport);
        Self { name: "hills", field: hills(1025, 1025), camera, rough: false }
    }

    /// Metres that the last cascade reaches.
    pub fn sight(&self) -> f64 {
        SHADOW_SIGHT * self.field.desc().spacing.x
    }

    /// Its cascades, of tiles of so many texels.
    pub fn cascades(&self, tile: u32) -> CascadeSettings {
        let (range, sight) = (self.field.desc().range, self.sight());
        CascadeSettings {
            layout: ShadowLayout::new(4, tile),
            distance: sight,
            split: 1.0,
            nearest: sight / 27.0,
            depth: 2.0 * sight + range.max - range.min,
        }
    }

    /// Percent that may be falsely dark and falsely lit under one of the [`SUNS`].
    pub fn limits(&self, elevation: f64, [dark, lit]: [f64; 2]) -> [f64; 2] {
        [dark, if self.rough && elevation < 10.0 { lit.max(2.8) } else { lit }]
    }
}

/// Hills, a game's map, Everest, the benchmark's map and the made valley; what is shared data only where that is there.
pub fn shadow_grounds(viewport: Viewport) -> Vec<ShadowGround> {
    let panda = ImportOptions::default().with_spacing(2.0, 2.0).with_range(0.0, 600.0);
    let everest = ImportOptions::default().with_spacing(81.9, 92.6).with_range(284.0, 8840.0);
    let maps = [
        ("panda", shared_field("heights/panda3d_heightfield_1024_u16.png", &panda)),
        ("everest", shared_field("derived/everest_1025_le.r16", &everest)),
        ("the benchmark's map", Some(bench_field())),
        ("the made valley", Some(valley_field(1025))),
    ];
    let mut grounds = vec![ShadowGround::hills(viewport)];
    grounds.extend(maps.into_iter().filter_map(|(name, field)| {
        let field = field?;
        let desc = field.desc();
        // Of a map as large as the benchmark's, not so high that the nearest cascades hold no ground.
        let above = 0.02 * f64::from(desc.width.min(1025)) * desc.spacing.x;
        let rough = desc.width > 1025;
        Some(ShadowGround { name, camera: camera_over(&field, above, viewport), field, rough })
    }));
    grounds
}

/// A camera so many metres above the ground.
fn camera_over(field: &Field, above: f64, viewport: Viewport) -> View {
    let desc = field.desc();
    let place =
        DVec2::new(f64::from(desc.width), f64::from(desc.height)) * desc.spacing * DVec2::new(0.3, 0.5);
    let ground = height_at(field, place).unwrap();
    look(DVec3::new(place.x, ground + above, place.y), 18.0, -14.0, viewport)
}
