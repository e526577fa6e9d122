use super::*;
use crate::field::{FieldDesc, SampleRect};
use crate::lod::LodGeometry;
use glam::camera::rh::proj::directx;
use glam::{Mat4, Quat, Vec3};

fn hills(width: u32, height: u32) -> Field {
    let desc = FieldDesc::new(width, height).with_tile_samples(64).with_range(-20.0, 300.0);
    let mut field = Field::new(desc).unwrap();
    field.edit(SampleRect::new(0, 0, width, height), |z, row| {
        for (x, code) in row.iter_mut().enumerate() {
            *code = ((x as f64 * 0.05).sin() * (f64::from(z) * 0.04).cos() * 20000.0 + 30000.0) as u16;
        }
    });
    field
}

/// Every quad of the map is drawn exactly once when nothing is culled.
#[test]
fn the_nodes_tile_the_map() {
    for (width, height) in [(2, 2), (513, 513), (701, 300), (33, 900)] {
        let field = hills(width, height);
        for grid in GridSize::ALL {
            let geometry = LodGeometry::new(field.desc(), grid);
            let (ranges, _) = LodRanges::clamped(&geometry, 1.0, 0.66).unwrap();
            let input =
                SelectInput::new(&field, grid, &ranges, DVec3::new(60.0, 40.0, 90.0), &Frustum::EVERYTHING);
            let mut nodes = Vec::new();
            let stats = select(&input, &mut nodes);
            assert_eq!((stats.culled, stats.selected as usize), (0, nodes.len()));
            let area: f64 = nodes
                .iter()
                .map(|node| {
                    let side = node.step * grid.quads() as f32;
                    let clip = |at: f32, quads: u32| f64::from((at + side).min(quads as f32) - at);
                    clip(node.origin[0], width - 1) * clip(node.origin[1], height - 1)
                })
                .sum();
            assert_eq!(area, f64::from(width - 1) * f64::from(height - 1), "{width}×{height} {grid:?}");
        }
    }
}

/// The node under the camera comes first, and every record holds its node's own level, step and morph.
#[test]
fn records_say_what_their_nodes_are() {
    let field = hills(701, 513);
    for grid in GridSize::ALL {
        let geometry = LodGeometry::new(field.desc(), grid);
        let (ranges, _) = LodRanges::clamped(&geometry, 1.0, 0.5).unwrap();
        let camera = DVec3::new(333.3, 420.0, 150.2);
        let input = SelectInput::new(&field, grid, &ranges, camera, &Frustum::EVERYTHING);
        let mut nodes = Vec::new();
        select(&input, &mut nodes);
        let mut first = None;
        for node in &nodes {
            let side = node.step * grid.quads() as f32;
            let away = |low: f32, quads: u32, camera: f64| {
                let (low, high) = (f64::from(low), f64::from((low + side).min(quads as f32)));
                (low - camera).max(camera - high).max(0.0)
            };
            let (x, z) = (away(node.origin[0], 700, camera.x), away(node.origin[1], 512, camera.z));
            first = first.or(Some((x, z)));
            let distance = (x * x + z * z + input.dy() * input.dy()).sqrt() as f32;
            let morph = crate::lod::level_field::morph(distance, ranges.band(u32::from(node.level().0)));
            assert!((node.node_morph() - morph).abs() < 1e-4, "{node:?} at {distance} m");
            assert_eq!(node.step, (1u32 << node.level().0) as f32);
        }
        assert_eq!(first, Some((0.0, 0.0)), "{grid:?}");
    }
}

/// What the frustum culls is what no plane lets be seen, and the rest is what is selected without a frustum.
#[test]
fn culling_only_removes() {
    let field = hills(513, 513);
    let geometry = LodGeometry::new(field.desc(), GridSize::G16);
    let (ranges, _) = LodRanges::clamped(&geometry, 1.0, 0.66).unwrap();
    let mut all = Vec::new();
    let mut some = Vec::new();
    for turn in 0..16 {
        let camera = DVec3::new(200.0, 150.0, 260.0);
        let rotation = Quat::from_rotation_y(turn as f32 * 0.4) * Quat::from_rotation_x(-0.3);
        let projection = directx::perspective_infinite_reverse(1.0, 1.6, 0.1);
        let frustum = Frustum::of(&(projection * Mat4::from_quat(rotation.inverse())));
        assert_eq!(frustum.planes().len(), 5, "an infinite far plane is no plane");
        select(&SelectInput::new(&field, GridSize::G16, &ranges, camera, &Frustum::EVERYTHING), &mut all);
        let stats = select(&SelectInput::new(&field, GridSize::G16, &ranges, camera, &frustum), &mut some);
        assert!(stats.culled > 0 && some.iter().all(|node| all.contains(node)));
        // A node left out has no sample in view.
        let seen = |at: Vec3| frustum.planes().iter().all(|p| p.truncate().dot(at) + p.w >= 0.0);
        for node in all.iter().filter(|node| !some.contains(node)) {
            let end = |at: f32| ((at + 16.0 * node.step) as u32).min(512);
            for z in node.origin[1] as u32..=end(node.origin[1]) {
                for x in node.origin[0] as u32..=end(node.origin[0]) {
                    let y = field.sample_metres(crate::field::Sample::new(x, z));
                    let at = DVec3::new(f64::from(x), y, f64::from(z)) - camera;
                    assert!(!seen(at.as_vec3()), "sample {x}, {z} of a culled node is in view");
                }
            }
        }
    }
}
