//! No crack, by arithmetic: what the device computes at every shared edge, computed here with its rounding disturbed.

use glam::{DVec3, Vec2};
use landform::abi::{NodeRecord, ViewConstants};
use landform::atlas::HeightAtlas;
use landform::field::{Field, FieldDesc};
use landform::lod::place::{Placed, distance_at, place_vertex, still_place, vertices};
use landform::lod::{GridSize, LodSettings, node_bounds};
use landform::plan::{Residency, Terrain, TerrainSettings, View, Viewport};
use proptest::prelude::*;
use std::collections::{HashMap, HashSet};

fn hash(a: u32, b: u32, seed: u32) -> u32 {
    let mut h = a.wrapping_mul(0x9E37_79B1) ^ b.wrapping_mul(0x85EB_CA77).wrapping_add(seed);
    h ^= h >> 15;
    h = h.wrapping_mul(0x2C1B_3C6D);
    h ^= h >> 12;
    h.wrapping_mul(0x297A_2D39) ^ (h >> 15)
}

/// White noise: no two samples have anything to do with each other.
fn noise(width: u32, height: u32, tile_samples: u32, spacing: (f64, f64), seed: u32) -> Field {
    let desc = FieldDesc::new(width, height)
        .with_tile_samples(tile_samples)
        .with_spacing(spacing.0, spacing.1)
        .with_range(0.0, 100.0);
    let samples = (0..height).flat_map(|z| (0..width).map(move |x| hash(x, z, seed) as u16)).collect();
    Field::from_samples(desc, samples).expect("a legal field")
}

/// What a camera at a place in the field's frame sees all around.
struct Scene {
    atlas: HeightAtlas,
    grid: GridSize,
    view: ViewConstants,
    nodes: Vec<NodeRecord>,
    /// Disturbs the device's distance by −4…4 units in the last place.
    seed: u32,
}

impl Scene {
    fn new(terrain: &mut Terrain, camera: DVec3, seed: u32) -> Self {
        let view = all_round(camera);
        let residency = Residency::nothing(terrain.field().desc());
        terrain.begin_frame(1.0 / 60.0);
        let mut plan = terrain.plan(&[view], &residency).expect("a plan");
        let planned = plan.views.remove(0);
        Self {
            atlas: HeightAtlas::new(terrain.field()),
            grid: terrain.settings().grid,
            view: planned.constants,
            nodes: planned.nodes,
            seed,
        }
    }

    /// A vertex as a device draws it that rounds the distance its own way. Two vertices of one level at one place have
    /// the same inputs and the same result; those of two levels are disturbed apart.
    fn vertex(&self, node: &NodeRecord, index: [u32; 2]) -> Placed {
        let still = still_place(&self.view, node, index);
        let exact = distance_at(&self.view, still);
        let off = (hash(still.x.to_bits(), still.y.to_bits(), self.seed ^ u32::from(node.level().0)) % 9)
            as i32
            - 4;
        let disturbed = f32::from_bits(exact.to_bits().saturating_add_signed(off));
        place_vertex(&self.view, &self.atlas, node, index, disturbed)
    }

    /// The line that a node draws along its edge at `fixed` on one axis, between two coordinates on the other: (along,
    /// height) point by point, a point that repeats the one before left out.
    ///
    /// A place may occur twice running with two heights: an odd vertex that has slid all the way onto an even one which
    /// is a little short of its own morph. The line then goes straight up there, and so does the neighbour's.
    fn edge(&self, node: &NodeRecord, axis: usize, fixed: f32, from: f32, to: f32) -> Vec<(f32, f32)> {
        let last = self.grid.quads();
        let across = if node.origin[axis] == fixed { 0 } else { last };
        let mut line = Vec::new();
        for along in 0..=last {
            let index = if axis == 0 { [across, along] } else { [along, across] };
            let placed = self.vertex(node, index);
            assert_eq!(placed.place[axis], fixed, "an edge vertex left its edge");
            let point = (placed.place[1 - axis], placed.height);
            if (from..=to).contains(&point.0) && line.last() != Some(&point) {
                line.push(point);
            }
        }
        line
    }

    /// The node that owns each square of one level-0 node, and the pairs of nodes that meet.
    fn neighbours(&self) -> HashSet<(usize, usize, usize)> {
        let quads = self.grid.quads();
        let mut owner = HashMap::new();
        for (id, node) in self.nodes.iter().enumerate() {
            let cells = node.step as u32;
            let first = node.origin.map(|origin| origin as u32 / quads);
            for z in 0..cells {
                for x in 0..cells {
                    let at = (first[0] + x, first[1] + z);
                    if at.0 * quads < self.view.map[0] && at.1 * quads < self.view.map[1] {
                        assert!(owner.insert(at, id).is_none(), "two nodes over one place");
                    }
                }
            }
        }
        let mut pairs = HashSet::new();
        for (&(x, z), &id) in &owner {
            for (axis, next) in [(0, (x + 1, z)), (1, (x, z + 1))] {
                if let Some(&other) = owner.get(&next).filter(|&&other| other != id) {
                    pairs.insert((id, other, axis));
                }
            }
        }
        pairs
    }

    /// Every edge that two nodes share, point for point and bit for bit.
    fn assert_watertight(&self) {
        let quads = self.grid.quads() as f32;
        for (low, high, axis) in self.neighbours() {
            let (a, b) = (&self.nodes[low], &self.nodes[high]);
            assert!(
                a.level().0.abs_diff(b.level().0) <= 1,
                "levels {:?} and {:?} meet",
                a.level(),
                b.level()
            );
            let fixed = b.origin[axis];
            let from = a.origin[1 - axis].max(b.origin[1 - axis]);
            let end = |node: &NodeRecord| node.origin[1 - axis] + quads * node.step;
            let to = end(a).min(end(b)).min(self.view.map[1 - axis] as f32);
            let (ours, theirs) = (self.edge(a, axis, fixed, from, to), self.edge(b, axis, fixed, from, to));
            assert_eq!(ours, theirs, "a gap between {a:?} and {b:?}");
        }
    }
}

/// Sees everything: an orthographic view would do, but level of detail is to follow from a perspective one.
fn all_round(camera: DVec3) -> View {
    let viewport = Viewport::whole(1280, 720);
    let mut view = View::perspective(camera, glam::Quat::IDENTITY, 1.0, 0.1, viewport);
    // A matrix whose planes lie far outside: everything is inside, and the level of detail stays that of `view`.
    view.unjittered = view.projection;
    view
}

fn settings(grid: GridSize, spacing: (f64, f64), ratio: f64, above: f64) -> TerrainSettings {
    let geometry = landform::lod::LodGeometry { spacing: spacing.into(), grid, levels: 1 };
    let near = geometry.minimum_near(ratio) * (1.0 + above);
    TerrainSettings { grid, lod: LodSettings::Near { near, ratio, bias: 0.0 }, ..TerrainSettings::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The gap on every shared edge is exactly 0, and no vertex lies outside the bounds its node is culled by.
    #[test]
    fn no_gap_anywhere(
        size in (40u32..420, 40u32..420), tile in prop::sample::select(vec![16u32, 32, 64, 128]),
        spacing in (0.25f64..4.0, 0.25f64..4.0), grid in prop::sample::select(GridSize::ALL.to_vec()),
        ratio in 0.3f64..0.98, above in 0f64..0.6, camera in (-0.4f64..1.4, -50f64..300.0, -0.4f64..1.4), seed: u32,
    ) {
        let field = noise(size.0, size.1, tile, spacing, seed);
        let mut terrain = Terrain::new(field, settings(grid, spacing, ratio, above)).unwrap();
        let place = |t: f64, samples: u32, spacing: f64| t * f64::from(samples) * spacing;
        let camera = DVec3::new(place(camera.0, size.0, spacing.0), camera.1, place(camera.2, size.1, spacing.1));
        let scene = Scene::everything(&mut terrain, camera, seed);
        scene.assert_watertight();
        for node in &scene.nodes {
            let bounds = node_bounds(terrain.field().bounds(), grid, node);
            for index in vertices(grid) {
                let height = scene.vertex(node, index).height;
                prop_assert!((f32::from(bounds.min)..=f32::from(bounds.max)).contains(&height), "{height} outside {bounds:?} of {node:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The same for listed ranges: any first range, and gaps from the least that is legal. A list that reaches so far that
    /// a morph has no width left is refused, and nothing else is.
    #[test]
    fn no_gap_between_listed_ranges(
        size in (100u32..420, 100u32..420), grid in prop::sample::select(GridSize::ALL.to_vec()),
        ratio in 0.3f64..0.99, first in -1f64..6.0, above in prop::collection::vec(0f64..0.5, 20),
        camera in (-1f64..2.0, -50f64..300.0, -1f64..2.0), seed: u32,
    ) {
        let field = noise(size.0, size.1, 32, (1.0, 1.0), seed);
        let geometry = landform::lod::LodGeometry::new(field.desc(), grid);
        let mut ranges = Vec::new();
        let mut far = 10f64.powf(first);
        for level in 0..geometry.levels - 1 {
            ranges.push(far);
            far += 2.0 * geometry.node_diagonal(level) / ratio * (1.0 + 1.0 / 1000.0) * (1.0 + above[level as usize]);
        }
        // Away from the map by about the first range, so that levels meet on it.
        let away = 10f64.powf(first);
        let place = |t: f64, samples: u32| if t < 0.0 { -away * -t } else { t * f64::from(samples) };
        let camera = DVec3::new(place(camera.0, size.0), camera.1, place(camera.2, size.1));
        let lod = LodSettings::List { ranges, ratio };
        match Terrain::new(field, TerrainSettings { grid, lod, ..TerrainSettings::default() }) {
            Ok(mut terrain) => Scene::everything(&mut terrain, camera, seed).assert_watertight(),
            Err(refused) => prop_assert!(refused.to_string().contains("leaves its morph no width"), "{refused}"),
        }
    }
}

impl Scene {
    /// As [`Scene::new`], with nothing culled.
    fn everything(terrain: &mut Terrain, camera: DVec3, seed: u32) -> Self {
        use landform::lod::{Frustum, LodGeometry, LodRanges, SelectInput, select};
        let mut scene = Self::new(terrain, camera, seed);
        let geometry = LodGeometry::new(terrain.field().desc(), scene.grid);
        let ranges = match &terrain.settings().lod {
            LodSettings::Near { near, ratio, .. } => LodRanges::stated(&geometry, *near, *ratio),
            LodSettings::List { ranges, ratio } => LodRanges::list(&geometry, ranges, *ratio),
            LodSettings::Derived { .. } => unreachable!("these tests state their ranges"),
        };
        let ranges = ranges.expect("legal ranges");
        let input = SelectInput::new(terrain.field(), scene.grid, &ranges, camera, &Frustum::EVERYTHING);
        select(&input, &mut scene.nodes);
        scene
    }

    /// Every place that is a vertex, as it is drawn, with its level.
    fn all_vertices(&self) -> HashMap<(u32, u32), (Placed, u8)> {
        let mut all = HashMap::new();
        for node in &self.nodes {
            for index in vertices(self.grid) {
                let still = still_place(&self.view, node, index);
                let placed =
                    place_vertex(&self.view, &self.atlas, node, index, distance_at(&self.view, still));
                let entry =
                    all.entry((still.x.to_bits(), still.y.to_bits())).or_insert((placed, node.level().0));
                // On an edge between levels the finer node knows the place by its own lattice.
                if node.level().0 < entry.1 {
                    *entry = (placed, node.level().0);
                }
            }
        }
        all
    }
}

/// Over a flight, a vertex moves no further than the camera's step implies: λ changes by at most the step over the
/// narrowest band, and the vertex by what λ's change implies. One that appears or disappears was wholly morphed.
#[test]
fn no_vertex_jumps_over_a_flight() {
    const STEPS: u32 = 1000;
    let spacing = (1.0, 1.0);
    let field = noise(200, 200, 32, spacing, 7);
    let mut terrain = Terrain::new(field, settings(GridSize::G16, spacing, 0.66, 0.0)).unwrap();
    let at = |step: u32| {
        let t = f64::from(step) / f64::from(STEPS);
        DVec3::new(-40.0 + 280.0 * t, 50.0 + 120.0 * (t * 9.0).sin(), 100.0 + 90.0 * (t * 7.0).cos())
    };
    let mut before: Option<(HashMap<_, (Placed, u8)>, DVec3)> = None;
    let mut changed = 0;
    for step in 0..STEPS {
        let camera = at(step);
        let scene = Scene::everything(&mut terrain, camera, 0);
        let steepest = scene.view.bands.iter().map(|band| band.inverse).fold(0.0, f32::max);
        let now = scene.all_vertices();
        if let Some((before, from)) = &before {
            // The distance moves by no more than the camera does, and a little for rounding.
            let most = camera.distance(*from) as f32 * steepest * 1.01 + 1e-4;
            for (place, (was, level)) in before {
                match now.get(place) {
                    Some((is, _)) => assert_small(was, is, most, f32::from(1u16 << level)),
                    None => {
                        changed += 1;
                        let left = (f32::from(*level) + 1.0 - was.lambda).abs();
                        assert!(left <= most, "a vertex at λ {} of level {level} vanished", was.lambda);
                    }
                }
            }
        }
        before = Some((now, camera));
    }
    assert!(changed > 1000, "the flight changed levels {changed} times only");
}

fn assert_small(was: &Placed, is: &Placed, most: f32, step: f32) {
    let lambda = (was.lambda - is.lambda).abs();
    assert!(lambda <= most, "λ jumped from {} to {} where {most} was implied", was.lambda, is.lambda);
    let slid = (was.place - is.place).abs().max_element();
    assert!(slid <= 2.0 * step * most + 1e-3, "a vertex slid by {slid} samples");
    // On noise, 65535 codes lie between any two taps of a mip and between any two mips.
    let height = (was.height - is.height).abs();
    assert!(height <= 65535.0 * 6.0 * most + 1.0, "a vertex jumped from {} to {}", was.height, is.height);
}

/// The gap check can fail: with a node's own morph instead of the vertex's, it does.
#[test]
#[should_panic(expected = "a gap between")]
fn a_morph_a_node_leaves_gaps() {
    let spacing = (1.0, 1.0);
    let mut terrain =
        Terrain::new(noise(300, 300, 32, spacing, 3), settings(GridSize::G16, spacing, 0.5, 0.0)).unwrap();
    let mut scene = Scene::everything(&mut terrain, DVec3::new(150.0, 20.0, 150.0), 0);
    let morphs: HashMap<_, _> =
        scene.nodes.iter().map(|n| (n.origin.map(f32::to_bits), n.node_morph())).collect();
    // Bands that end where the node's own morph says, whatever the distance.
    for node in scene.nodes.clone() {
        let morph = morphs[&node.origin.map(f32::to_bits)];
        if morph > 0.0 && morph < 1.0 {
            let band = &mut scene.view.bands[node.level().0 as usize];
            (band.start, band.inverse, band.end) = (0.0, morph / 50.0, 50.0 / morph);
        }
    }
    scene.assert_watertight();
}

/// What is drawn does not depend on the map's padding: a place past the edge folds onto it.
#[test]
fn patches_fold_onto_the_edge() {
    let spacing = (1.0, 1.0);
    let mut terrain =
        Terrain::new(noise(43, 37, 16, spacing, 5), settings(GridSize::G32, spacing, 0.66, 0.0)).unwrap();
    let scene = Scene::everything(&mut terrain, DVec3::new(20.0, 10.0, 20.0), 0);
    for node in &scene.nodes {
        for index in vertices(scene.grid) {
            let placed = scene.vertex(node, index);
            assert!(placed.place.cmple(Vec2::new(42.0, 36.0)).all(), "{placed:?}");
        }
    }
}
