//! The diagonal of a quad is fixed in the world: the triangles of level 0 stay the same whatever the camera does, so that
//! nothing swims as it moves.

use glam::DVec2;
use landform::lod::{GridSize, LodGeometry, LodSettings};
use landform::plan::TerrainSettings;
use landform::query::height_at;
use landform_device_tests::{Stage, TopDown, noise};
use landform_harness::shared;

const SIZE: u32 = 128;
/// Pixels a quad.
const ZOOM: f64 = 4.0;

/// The same ground under cameras that move by a part of a sample, a sample, a node and more. White noise: the other
/// diagonal of a quad is metres away.
#[test]
fn the_triangles_stay_while_the_camera_moves() {
    let gpu = shared();
    for grid in GridSize::ALL {
        let field = noise(513, 513, 64);
        let geometry = LodGeometry::new(field.desc(), grid);
        let node = f64::from(grid.quads());
        // The least legal range, so that level 0 ends close by and what is selected moves with the camera.
        let lod = LodSettings::Near { near: geometry.minimum_near(0.66), ratio: 0.66, bias: 0.0 };
        let mut stage =
            Stage::new(&gpu, field, TerrainSettings { grid, lod, ..TerrainSettings::default() }, SIZE, SIZE);
        let start = DVec2::new(250.0, 230.0);
        let window = f64::from(SIZE) / ZOOM;
        let mut nodes = Vec::new();
        let mut compared = 0;
        let steps = [0.25, 1.0, 3.0, node / 2.0, node, node + 1.0, 2.0 * node];
        let moves =
            steps.into_iter().flat_map(|by| [DVec2::new(by, 0.0), DVec2::new(0.0, -by), DVec2::new(-by, by)]);
        for moved in std::iter::once(DVec2::ZERO).chain(moves) {
            // The picture follows the camera; where it shows the same ground it is to be the same.
            let top_down = TopDown::new(start + moved, DVec2::splat(1.0 / ZOOM), 0.0, 100.0);
            let drawn = top_down.draw(&mut stage);
            for (_, place, drawn) in drawn {
                let drawn = drawn.expect("ground");
                let wanted = height_at(stage.terrain.field(), place).expect("ground");
                // A place on a wall of 100 m a metre is where it is to a few micrometres.
                assert!(
                    (drawn - wanted).abs() < 0.002,
                    "{drawn} m for {wanted} m at {place}, moved by {moved}"
                );
                compared += 1;
            }
            let view = top_down.view(stage.viewport());
            let plan = stage.terrain.plan(&[view], stage.renderer.residency()).unwrap();
            assert!(plan.views[0].near < 2.0 * window + 8.0 * node, "level 0 reaches everywhere");
            nodes.push(plan.views[0].nodes.clone());
        }
        nodes.dedup();
        assert!(nodes.len() > 6, "the selection never changed");
        println!("{grid:?}: {compared} places, {} selections", nodes.len());
    }
}
